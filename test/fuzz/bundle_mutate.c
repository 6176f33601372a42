#include "bundle_mutate.h"

#include <string.h>

#include "../../runtime/bundle.h"
#include "../../runtime/spirv_rules.h"
#include "mutate.h"

static const uint32_t edges[] = {
    0,    1,     2,      3,          4,          7,          8,          31,         32,
    64,   255,   256,    1024,       65535,      65536,      1 << 20,    0x7fffffff, 0x80000000,
    1264, 12345, 0x4000, 0xfffffffe, 0xffffffff, 0xff800000, 0x3f800000, 0x7fc00000};
enum { NEDGES = sizeof edges / sizeof *edges };

/* The bundle's parts, to be written to. */
struct parts {
    struct vkb_program *program;
    struct vkb_tensor *tensors;
    struct vkb_buffer *buffers;
    struct vkb_kernel *kernels;
    struct vkb_body *bodies;
    struct vkb_need *needs;
    struct vkb_step *steps;
    struct vkb_groups *groups;
    struct vkb_binding *bindings;
    uint32_t *pushed, *spirv;
    uint32_t ntensors, nbuffers, nkernels, nbodies, nneeds, nsteps, ngroups, nbindings, npushed,
        nspirv;
};

static struct parts parts_of(uint8_t *bundle)
{
    const struct vkb_header *h = (const void *)bundle;
#define AT(part) ((void *)(bundle + h->section[VKB_SECTION_##part].offset))
#define COUNT(part, record) ((uint32_t)(h->section[VKB_SECTION_##part].size / sizeof(record)))
    return (struct parts){.program = AT(PROGRAM),
                          .tensors = AT(TENSORS),
                          .buffers = AT(BUFFERS),
                          .kernels = AT(KERNELS),
                          .bodies = AT(BODIES),
                          .needs = AT(NEEDS),
                          .steps = AT(STEPS),
                          .groups = AT(GROUPS),
                          .bindings = AT(BINDINGS),
                          .pushed = AT(PUSHED),
                          .spirv = AT(SPIRV),
                          .ntensors = COUNT(TENSORS, struct vkb_tensor),
                          .nbuffers = COUNT(BUFFERS, struct vkb_buffer),
                          .nkernels = COUNT(KERNELS, struct vkb_kernel),
                          .nbodies = COUNT(BODIES, struct vkb_body),
                          .nneeds = COUNT(NEEDS, struct vkb_need),
                          .nsteps = COUNT(STEPS, struct vkb_step),
                          .ngroups = COUNT(GROUPS, struct vkb_groups),
                          .nbindings = COUNT(BINDINGS, struct vkb_binding),
                          .npushed = COUNT(PUSHED, uint32_t),
                          .nspirv = COUNT(SPIRV, uint32_t)};
}

static uint32_t below(uint64_t *random, uint32_t n)
{
    return (uint32_t)random_below(random, n);
}

static uint32_t any_edge(uint64_t *random)
{
    return edges[below(random, NEDGES)];
}

/* ---- records ---- */

static void mutate_step(const struct parts *p, uint64_t *random)
{
    struct vkb_step *s = &p->steps[below(random, p->nsteps)];
    switch (below(random, 10)) {
    case 8: s->first_pushed = below(random, p->npushed + 1); break;
    case 0: s->first_groups = below(random, p->ngroups + 1); break;
    case 1: s->counts_at = below(random, 9); break;
    case 2: s->kernel = below(random, p->nkernels + 1); break;
    case 3: s->first_binding = below(random, p->nbindings + 1); break;
    case 4: s->barrier ^= 1; break;
    case 5: s->times = s->times ? any_edge(random) : 0; break;
    case 6: s->range_first[below(random, 2)] = below(random, p->nsteps + 1); break;
    case 7: s->counts = below(random, p->nbuffers + 1); break;
    default: s->kind = below(random, 6); break;
    }
}

static void mutate_buffer(const struct parts *p, uint64_t *random)
{
    struct vkb_buffer *b = &p->buffers[below(random, p->nbuffers)];
    switch (below(random, 5)) {
    case 0: b->offset = 256 * below(random, 1 + (uint32_t)(p->program->arena_bytes / 256)); break;
    case 1: b->bytes = 4 * below(random, 64); break;
    case 2: b->kind = below(random, 4); break;
    case 3: b->index = below(random, p->ntensors + 1); break;
    default: b->bytes = any_edge(random) & ~3u; break;
    }
}

static void mutate_groups(const struct parts *p, uint64_t *random)
{
    uint32_t *count = &p->groups[below(random, p->ngroups)].count[below(random, 3)];
    *count = below(random, 2) ? 1 + below(random, 9) : any_edge(random);
}

static void mutate_body(const struct parts *p, uint64_t *random)
{
    struct vkb_kernel *k = &p->kernels[below(random, p->nkernels)];
    struct vkb_body *b = &p->bodies[below(random, p->nbodies)],
                    *other = &p->bodies[below(random, p->nbodies)];
    switch (below(random, 9)) {
    case 0: b->local_size[below(random, 3)] = any_edge(random); break;
    case 1: b->shared_bytes = any_edge(random); break;
    case 2: b->features = any_edge(random); break;
    case 3: b->nneeds = below(random, 3); break;
    case 4: k->nbodies = below(random, 3); break;
    case 5: k->first_body = below(random, p->nbodies + 1); break;
    case 6: *b = *other; break; /* code of another kernel, or of another body of this one */
    case 7: b->spirv_first = other->spirv_first, b->spirv_count = other->spirv_count; break;
    default:
        if (p->nneeds)
            p->needs[below(random, p->nneeds)].value[below(random, 7)] = any_edge(random);
        break;
    }
}

static void mutate_other(const struct parts *p, uint64_t *random)
{
    struct vkb_kernel *k = &p->kernels[below(random, p->nkernels)];
    struct vkb_tensor *t = &p->tensors[below(random, p->ntensors)];
    switch (below(random, 6)) {
    case 4: k->npushed = below(random, 40); break;
    case 0: k->nbindings = below(random, 9); break;
    case 1: p->program->arena_bytes = any_edge(random); break;
    case 2: t->alias = below(random, p->ntensors + 1); break;
    case 3: t->bytes = any_edge(random) & 0xffff; break;
    default: p->program->main_count = below(random, p->nsteps + 1); break;
    }
}

/* ---- SPIR-V ---- */

/* Instructions of a kernel that are whole: words where they begin. */
static uint32_t find_instructions(const uint32_t *w, uint32_t n, uint32_t *out, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t at = 5; at < n && count < most && w[at] >> 16 && w[at] >> 16 <= n - at;
         at += w[at] >> 16)
        out[count++] = at;
    return count;
}

static uint32_t result_type(const uint32_t *w)
{
    const struct spirv_op_rule *rule = spirv_op_rule(w[0] & 0xffff);
    bool has_one = rule && ((rule->form >= FORM_CONSTANT_BOOL && rule->form <= FORM_VARIABLE) ||
                            rule->form == FORM_PARAMETER || rule->form == FORM_PHI ||
                            rule->form == FORM_CALL || rule->form == FORM_LOAD ||
                            rule->form == FORM_ACCESS_CHAIN || rule->form > FORM_MEMORY_BARRIER);
    return has_one && w[0] >> 16 > 2 ? w[1] : 0;
}

/* An operand becomes another value of the same type, so that the module may well be admitted. */
static void exchange_operand(uint32_t *w, const uint32_t *at, uint32_t count, uint64_t *random)
{
    uint32_t *one = w + at[below(random, count)], n = one[0] >> 16;
    if (n < 4)
        return;
    uint32_t *operand = one + 3 + below(random, n - 3), type = 0;
    for (uint32_t i = 0; i < count && !type; i++)
        if (result_type(w + at[i]) && w[at[i] + 2] == *operand)
            type = w[at[i] + 1];
    for (uint32_t tries = 0; type && tries < 200; tries++) {
        const uint32_t *other = w + at[below(random, count)];
        if (result_type(other) == type && other[2] != *operand) {
            *operand = other[2];
            return;
        }
    }
}

static void change_constant(uint32_t *w, const uint32_t *at, uint32_t count, uint64_t *random)
{
    for (uint32_t tries = 0; tries < 200; tries++) {
        uint32_t *one = w + at[below(random, count)];
        if ((one[0] & 0xffff) != OP_Constant || one[0] >> 16 < 4)
            continue;
        one[3] = below(random, 2) ? any_edge(random) : one[3] + below(random, 5) - 2;
        return;
    }
}

/* Another instruction whose operands are checked in the same way. */
static void change_opcode(uint32_t *w, const uint32_t *at, uint32_t count, uint64_t *random)
{
    for (uint32_t tries = 0; tries < 200; tries++) {
        uint32_t *one = w + at[below(random, count)], op = below(random, 256);
        const struct spirv_op_rule *from = spirv_op_rule(one[0] & 0xffff), *to = spirv_op_rule(op);
        if (from && to && from->rank == RANK_BODY &&
            (from->form == to->form || below(random, 20) == 0)) {
            one[0] = (one[0] & 0xffff0000) | op;
            return;
        }
    }
}

static void drop_instruction(struct vkb_body *k, uint32_t *w, uint32_t at)
{
    uint32_t n = w[at] >> 16;
    memmove(w + at, w + at + n, (k->spirv_count - at - n) * sizeof *w);
    k->spirv_count -= n;
}

static void swap_instructions(uint32_t *w, uint32_t at)
{
    uint32_t first[64], n = w[at] >> 16, m = w[at + n] >> 16;
    if (n > 64)
        return;
    memcpy(first, w + at, n * sizeof *w);
    memmove(w + at, w + at + n, m * sizeof *w);
    memcpy(w + at + m, first, n * sizeof *w);
}

static void mutate_spirv(const struct parts *p, uint64_t *random)
{
    enum { MOST = 4096 };
    uint32_t at[MOST];
    struct vkb_body *k = &p->bodies[below(random, p->nbodies)];
    if (k->spirv_first > p->nspirv || k->spirv_count > p->nspirv - k->spirv_first)
        return;
    uint32_t *w = p->spirv + k->spirv_first, count = find_instructions(w, k->spirv_count, at, MOST);
    if (count < 8)
        return;
    uint32_t one = at[below(random, count - 1)];
    switch (below(random, 12)) {
    case 0: w[one + below(random, w[one] >> 16)] = any_edge(random); break;
    case 1: w[one + below(random, w[one] >> 16)] = below(random, w[3] + 1); break;
    case 2: w[one + below(random, w[one] >> 16)] ^= 1u << below(random, 32); break;
    case 3: drop_instruction(k, w, one); break;
    case 4: swap_instructions(w, one); break;
    case 5:
    case 6: change_opcode(w, at, count, random); break;
    case 7:
    case 8: exchange_operand(w, at, count, random); break;
    default: change_constant(w, at, count, random); break;
    }
}

void bundle_mutate(uint8_t *bundle, size_t size, uint64_t *random)
{
    struct parts p = parts_of(bundle);
    struct vkb_header *h = (void *)bundle;
    uint32_t changes = 1 + below(random, 3);
    for (uint32_t i = 0; i < changes; i++) {
        uint32_t which = below(random, 19);
        if (which == 0 && p.nsteps)
            mutate_step(&p, random);
        else if (which == 1 && p.nbuffers)
            mutate_buffer(&p, random);
        else if (which == 2 && p.nbindings)
            p.bindings[below(random, p.nbindings)].buffer = below(random, p.nbuffers + 1);
        else if (which == 3 && p.nbindings)
            p.bindings[below(random, p.nbindings)].access = 1 + below(random, 3);
        else if (which == 4 && p.nkernels && p.ntensors)
            mutate_other(&p, random);
        else if (which == 5 && p.ngroups)
            mutate_groups(&p, random);
        else if (which == 18 && p.npushed)
            p.pushed[below(random, p.npushed)] = any_edge(random);
        else if (which == 6 && p.nbodies)
            mutate_body(&p, random);
        else if (p.nbodies)
            mutate_spirv(&p, random);
    }
    size_t hashed = offsetof(struct vkb_header, section);
    vkb_sha256(bundle + hashed, size - hashed, h->sha256);
}
