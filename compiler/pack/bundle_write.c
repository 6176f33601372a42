/* The plan as a bundle: fills the records of runtime/bundle.h. Deterministic: no times, no
   addresses. */
#include <stdlib.h>
#include <string.h>

#include "runtime/bundle.h"
#include "pack/bundle_write.h"

struct writer {
    struct arena *arena;
    struct str strings;
    uint32_t *known, nknown, cap_known; /* offsets of strings, hashed; 0: free */
    bool failed;
};

static uint32_t *known_of(const struct writer *w, const char *s)
{
    uint64_t hash = 0;
    for (const char *p = s; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 32) & (w->cap_known - 1);
    while (w->known[i] && strcmp(w->strings.data + w->known[i], s) != 0)
        i = (i + 1) & (w->cap_known - 1);
    return &w->known[i];
}

static bool grow_known(struct writer *w)
{
    uint32_t *old = w->known, cap = w->cap_known;
    w->cap_known = cap ? 2 * cap : 256;
    w->known = ARENA_ARRAY(w->arena, uint32_t, w->cap_known);
    for (uint32_t i = 0; w->known && i < cap; i++)
        if (old[i])
            *known_of(w, w->strings.data + old[i]) = old[i];
    return w->known != NULL;
}

/* The offset of a string, which is kept once. */
static uint32_t text(struct writer *w, const char *s)
{
    if (!s || !*s || w->failed)
        return 0;
    if (2 * w->nknown >= w->cap_known && !grow_known(w)) {
        w->failed = true;
        return 0;
    }
    uint32_t *at = known_of(w, s);
    if (*at == 0) {
        *at = (uint32_t)w->strings.len;
        w->nknown++;
        str_addn(&w->strings, s, strlen(s) + 1);
    }
    return *at;
}

static void *records(struct writer *w, size_t n, size_t size)
{
    void *p = arena_alloc(w->arena, n, size);
    w->failed |= p == NULL;
    return p;
}

static void fill_tensor(struct writer *w, struct vkb_tensor *t, const struct tensor *from,
                        const char *name)
{
    *t = (struct vkb_tensor){.name = text(w, name),
                             .type = text(w, type_name(from->type)),
                             .rank = from->shape.rank,
                             .alias = VKB_NONE,
                             .used = 1,
                             .bytes = tensor_bytes(from)};
    for (uint32_t i = 0; i < VKB_MAX_RANK; i++)
        t->dim[i] = i < from->shape.rank ? (uint64_t)from->shape.dim[i] : 0;
}

static uint32_t buffer_kind(enum plan_buffer_kind k)
{
    return k == PLAN_INPUT      ? VKB_BUFFER_INPUT
           : k == PLAN_OUTPUT   ? VKB_BUFFER_OUTPUT
           : k == PLAN_CONSTANT ? VKB_BUFFER_CONSTANT
                                : VKB_BUFFER_ARENA;
}

/* The sections under construction. */
struct sections {
    struct writer w;
    const struct plan *plan;
    const struct func *entry;
    struct vkb_program *program;
    struct vkb_tensor *tensors;
    struct vkb_buffer *buffers;
    struct vkb_kernel *kernels;
    struct vkb_body *bodies;
    struct vkb_need *needs;
    struct vkb_groups *groups;
    struct vkb_step *steps;
    struct vkb_binding *bindings;
    /* kernel_index: by kernel of the plan, which of the bundle's it is */
    uint32_t *spirv, *pushed, *kernel_index;
    uint8_t *constants;
    uint32_t nkernels, nbodies, nneeds, ngroups, nbindings, npushed, nspirv;
};

static uint32_t words_of(const struct kernel *k)
{
    uint32_t words = 0;
    for (; k; k = k->variant)
        words += k->nspirv;
    return words;
}

static bool make_room(struct sections *x)
{
    const struct plan *p = x->plan;
    uint32_t nbindings = 0, npushed = 0, nspirv = 0;
    size_t bodies = 1 + p->nalternatives; /* of a kernel, at most */
    for (uint32_t i = 0; i < p->nsteps; i++) {
        nbindings += p->steps[i].nbuffers;
        if (p->steps[i].kind == STEP_DISPATCH)
            npushed += p->kernels[p->steps[i].kernel].npushed;
    }
    for (uint32_t i = 0; i < p->nkernels; i++)
        nspirv += p->kernels[i].same_as == NO_INDEX ? words_of(&p->kernels[i]) : 0;
    x->program = records(&x->w, 1, sizeof *x->program);
    x->tensors = records(&x->w, x->entry->nparams + x->entry->nresults, sizeof *x->tensors);
    x->buffers = records(&x->w, p->nbuffers, sizeof *x->buffers);
    x->kernels = records(&x->w, p->nkernels, sizeof *x->kernels);
    x->kernel_index = records(&x->w, p->nkernels, sizeof *x->kernel_index);
    x->bodies = records(&x->w, bodies * p->nkernels, sizeof *x->bodies);
    x->needs = records(&x->w, bodies * VKB_NEEDS * p->nkernels, sizeof *x->needs);
    x->groups = records(&x->w, bodies * p->nsteps, sizeof *x->groups);
    x->steps = records(&x->w, p->nsteps, sizeof *x->steps);
    x->bindings = records(&x->w, nbindings, sizeof *x->bindings);
    x->pushed = records(&x->w, npushed, sizeof *x->pushed);
    x->spirv = records(&x->w, nspirv, sizeof *x->spirv);
    x->constants = records(&x->w, p->constants_bytes, 1);
    return !x->w.failed;
}

static void fill_program(struct sections *x)
{
    const struct plan *p = x->plan;
    *x->program = (struct vkb_program){.name = text(&x->w, p->graph->name),
                                       .producer = text(&x->w, "vkcompile " VKC_VERSION),
                                       .profile = text(&x->w, p->target->name),
                                       .ninputs = x->entry->nparams,
                                       .noutputs = x->entry->nresults,
                                       .main_first = p->main_first,
                                       .main_count = p->main_count,
                                       .ncallbacks = p->graph->ncallbacks,
                                       .part_bytes = unit_part_bytes(p->target),
                                       .arena_bytes = p->arena_bytes,
                                       .unplanned_bytes = p->unplanned_bytes};
}

static void fill_tensors(struct sections *x)
{
    const struct func *f = x->entry;
    for (uint32_t i = 0; i < f->nparams; i++) {
        fill_tensor(&x->w, &x->tensors[i], &f->params[i],
                    f->param_names ? f->param_names[i] : NULL);
        x->tensors[i].used = x->plan->input_used[i];
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        fill_tensor(&x->w, &x->tensors[f->nparams + i], func_tensor(f, f->results[i]), NULL);
}

static void fill_buffers(struct sections *x)
{
    const struct plan *p = x->plan;
    for (uint32_t i = 0; i < p->nbuffers; i++) {
        const struct plan_buffer *b = &p->buffers[i];
        const struct literal *literal =
            b->kind == PLAN_CONSTANT ? &p->graph->literals[b->index] : NULL;
        bool is_tensor = b->kind == PLAN_INPUT || b->kind == PLAN_OUTPUT;
        x->buffers[i] = (struct vkb_buffer){.kind = buffer_kind(b->kind),
                                            .index = is_tensor ? b->index : 0,
                                            .offset = b->offset,
                                            .bytes = b->bytes};
        if (b->kind == PLAN_OUTPUT)
            x->tensors[x->entry->nparams + b->index].alias = b->alias;
        if (literal)
            memcpy(x->constants + b->offset, literal->data, literal->bytes);
    }
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void fill_body(struct sections *x, const struct kernel *k, const struct vkc_target *target)
{
    x->bodies[x->nbodies++] = (struct vkb_body){.profile = text(&x->w, target->name),
                                                .spirv_first = x->nspirv,
                                                .spirv_count = k->nspirv,
                                                .local_size = {k->schedule.group, 1, 1},
                                                .shared_bytes = k->shared_bytes,
                                                .features = k->features,
                                                .first_need = x->nneeds,
                                                .texels = k->texels};
    memcpy(x->spirv + x->nspirv, k->spirv, (size_t)k->nspirv * 4);
    x->nspirv += k->nspirv;
}

static void add_need(struct sections *x, enum vkb_need_kind kind, uint32_t first, uint32_t second)
{
    x->needs[x->nneeds++] = (struct vkb_need){kind, {first, second}};
    x->bodies[x->nbodies - 1].nneeds++;
}

/* The class of devices that a variant is for: those that are alike in what schedules depend on,
   beyond the limits. */
static void fill_needs(struct sections *x, const struct kernel *v)
{
    const struct tuning *t = &v->alternative->tuning;
    uint32_t subgroup = t->for_subgroups;
    if (v->matrix) { /* which a subgroup has together; whose they are does not matter */
        add_need(x, VKB_NEED_MATRIX, v->matrix - 1, 0);
        subgroup = v->alternative->target->subgroup_size;
    } else
        add_need(x, VKB_NEED_CPU, t->for_cpus, 0);
    if (subgroup)
        add_need(x, VKB_NEED_SUBGROUP_SIZE, subgroup, subgroup);
}

/* What a kernel needs whichever of its bodies is run. */
static void add_requirements(struct vkb_program *program, const struct kernel *k)
{
    uint32_t features = k->features, group = k->schedule.group, shared = k->shared_bytes;
    for (const struct kernel *v = k->variant; v; v = v->variant) {
        features &= v->features;
        group = smaller(group, v->schedule.group);
        shared = smaller(shared, v->shared_bytes);
    }
    program->features |= features;
    program->max_invocations = larger(program->max_invocations, group);
    program->max_shared_bytes = larger(program->max_shared_bytes, shared);
    program->max_bindings = larger(program->max_bindings, k->nbound);
}

static void fill_kernels(struct sections *x)
{
    const struct plan *p = x->plan;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        const struct kernel *k = &p->kernels[i];
        add_requirements(x->program, k);
        if (k->same_as != NO_INDEX) {
            x->kernel_index[i] = x->kernel_index[k->same_as];
            continue;
        }
        x->kernel_index[i] = x->nkernels;
        x->kernels[x->nkernels++] = (struct vkb_kernel){
            .name = text(&x->w, arena_printf(p->arena, "k%u", k->id)),
            .label = text(&x->w, arena_printf(p->arena, "k%u %s", k->id, k->label)),
            .source = text(&x->w, plan_kernel_loc(p, k)),
            .nbindings = k->nbound,
            .first_body = x->nbodies,
            .nbodies = kernel_bodies(k),
            .npushed = k->npushed};
        for (const struct kernel *v = k->variant; v; v = v->variant) {
            fill_body(x, v, v->alternative->target);
            fill_needs(x, v);
        }
        fill_body(x, k, p->target);
    }
}

static void fill_step(struct sections *x, struct vkb_step *out, const struct plan_step *s)
{
    static const uint32_t kinds[] = {
        [STEP_DISPATCH] = VKB_STEP_DISPATCH, [STEP_COPY] = VKB_STEP_COPY,
        [STEP_WHILE] = VKB_STEP_WHILE,       [STEP_IF] = VKB_STEP_IF,
        [STEP_HOST] = VKB_STEP_HOST,         [STEP_REPEAT] = VKB_STEP_REPEAT};
    *out = (struct vkb_step){.kind = kinds[s->kind],
                             .first_binding = x->nbindings,
                             .nbindings = s->nbuffers,
                             .barrier = s->barrier,
                             .times = s->times,
                             .counts = s->counts,
                             .counts_at = s->counts == NO_INDEX ? 0 : s->counts_at,
                             .bytes = s->bytes};
    if (s->kind == STEP_HOST)
        out->kernel = s->kernel;
    for (uint32_t r = 0; r < 2; r++) {
        out->range_first[r] = s->range_first[r];
        out->range_count[r] = s->range_count[r];
    }
    if (s->kind == STEP_DISPATCH) {
        const struct kernel *k = &x->plan->kernels[s->kernel];
        out->kernel = x->kernel_index[s->kernel];
        out->first_groups = x->ngroups;
        for (const struct kernel *v = k->variant; v; v = v->variant)
            memcpy(x->groups[x->ngroups++].count, v->schedule.groups, sizeof v->schedule.groups);
        memcpy(x->groups[x->ngroups++].count, k->schedule.groups, sizeof k->schedule.groups);
        out->flops = k->flops;
        out->first_pushed = x->npushed;
        if (k->npushed)
            memcpy(x->pushed + x->npushed, k->pushed, k->npushed * sizeof *k->pushed);
        x->npushed += k->npushed;
    }
    for (uint32_t j = 0; j < s->nbuffers; j++)
        x->bindings[x->nbindings++] = (struct vkb_binding){s->buffers[j], s->access[j]};
}

/* The header and the sections, one after the other; the digest is still missing. */
static bool join(const struct sections *x, unsigned char **out, uint64_t *out_size)
{
    const struct plan *p = x->plan;
    const struct {
        const void *data;
        size_t size;
    } part[VKB_SECTION_COUNT] = {
        [VKB_SECTION_PROGRAM] = {x->program, sizeof *x->program},
        [VKB_SECTION_TENSORS] = {x->tensors,
                                 (x->entry->nparams + x->entry->nresults) * sizeof *x->tensors},
        [VKB_SECTION_BUFFERS] = {x->buffers, p->nbuffers * sizeof *x->buffers},
        [VKB_SECTION_KERNELS] = {x->kernels, x->nkernels * sizeof *x->kernels},
        [VKB_SECTION_BODIES] = {x->bodies, x->nbodies * sizeof *x->bodies},
        [VKB_SECTION_NEEDS] = {x->needs, x->nneeds * sizeof *x->needs},
        [VKB_SECTION_STEPS] = {x->steps, p->nsteps * sizeof *x->steps},
        [VKB_SECTION_GROUPS] = {x->groups, x->ngroups * sizeof *x->groups},
        [VKB_SECTION_BINDINGS] = {x->bindings, x->nbindings * sizeof *x->bindings},
        [VKB_SECTION_PUSHED] = {x->pushed, (size_t)x->npushed * 4},
        [VKB_SECTION_SPIRV] = {x->spirv, (size_t)x->nspirv * 4},
        [VKB_SECTION_CONSTANTS] = {x->constants, p->constants_bytes},
        [VKB_SECTION_STRINGS] = {x->w.strings.data, x->w.strings.len},
    };
    struct vkb_header h = {.magic = VKB_MAGIC, .version = VKB_VERSION};
    uint64_t at = (sizeof h + 15) & ~(uint64_t)15;
    for (uint32_t i = 0; i < VKB_SECTION_COUNT; i++) {
        h.section[i].offset = at;
        h.section[i].size = part[i].size;
        at = (at + part[i].size + 15) & ~(uint64_t)15;
    }
    h.size = at;
    unsigned char *bytes = calloc(1, at);
    if (!bytes)
        return false;
    memcpy(bytes, &h, sizeof h);
    for (uint32_t i = 0; i < VKB_SECTION_COUNT; i++)
        if (part[i].size)
            memcpy(bytes + h.section[i].offset, part[i].data, part[i].size);
    *out = bytes;
    *out_size = at;
    return true;
}

bool bundle_write(const struct plan *p, void **out, size_t *out_size, struct diag *d)
{
    struct sections x = {
        .w = {.arena = p->arena}, .plan = p, .entry = &p->graph->funcs[p->graph->entry]};
    unsigned char *bytes;
    uint64_t at;
    str_init(&x.w.strings, p->arena);
    str_addn(&x.w.strings, "", 1);
    if (!make_room(&x))
        return FAIL(d, MEMORY, "out of memory");
    fill_program(&x);
    fill_tensors(&x);
    fill_buffers(&x);
    fill_kernels(&x);
    for (uint32_t i = 0; i < p->nsteps; i++)
        fill_step(&x, &x.steps[i], &p->steps[i]);
    if (x.w.failed || p->arena->failed || !join(&x, &bytes, &at))
        return FAIL(d, MEMORY, "out of memory");
    struct vkb_header *placed = (struct vkb_header *)(void *)bytes;
    size_t after = offsetof(struct vkb_header, sha256) + sizeof placed->sha256;
    vkb_sha256(bytes + after, at - after, placed->sha256);
    *out = bytes;
    *out_size = at;
    return true;
}
