/* The bundle's verifier. Trusts nothing: every record is checked before anything uses it, so
   that the rest of the runtime may index by what a bundle says. Knows nothing of Vulkan; the
   compiler links it. */
#include "bundle_reader.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NESTING 64u /* of WHILE and IF: bounds the recursion over ranges */
#define fail bundle_fail

static bool fail_memory(struct reader *r)
{
    *r->no_memory = true;
    return fail(r, "out of memory");
}

static const struct {
    const char *name;
    uint32_t record; /* bytes of one; 1: bytes, not records */
} sections[VKB_SECTION_COUNT] = {
    [VKB_SECTION_PROGRAM] = {"PROGRAM", sizeof(struct vkb_program)},
    [VKB_SECTION_TENSORS] = {"TENSORS", sizeof(struct vkb_tensor)},
    [VKB_SECTION_BUFFERS] = {"BUFFERS", sizeof(struct vkb_buffer)},
    [VKB_SECTION_KERNELS] = {"KERNELS", sizeof(struct vkb_kernel)},
    [VKB_SECTION_BODIES] = {"BODIES", sizeof(struct vkb_body)},
    [VKB_SECTION_NEEDS] = {"NEEDS", sizeof(struct vkb_need)},
    [VKB_SECTION_STEPS] = {"STEPS", sizeof(struct vkb_step)},
    [VKB_SECTION_GROUPS] = {"GROUPS", sizeof(struct vkb_groups)},
    [VKB_SECTION_BINDINGS] = {"BINDINGS", sizeof(struct vkb_binding)},
    [VKB_SECTION_PUSHED] = {"PUSHED", 4},
    [VKB_SECTION_SPIRV] = {"SPIRV", 4},
    [VKB_SECTION_CONSTANTS] = {"CONSTANTS", 1},
    [VKB_SECTION_STRINGS] = {"STRINGS", 1},
};

static bool check_header(struct reader *r, const uint8_t *data, size_t size)
{
    const struct vkb_header *h = (const void *)data;
    if ((uintptr_t)data % 8)
        return fail(r, "header: the bytes must be aligned to 8");
    if (size < sizeof *h)
        return fail(r, "header: %zu bytes, needs at least %zu", size, sizeof *h);
    if (h->magic != VKB_MAGIC)
        return fail(r, "header: magic is 0x%08x, must be 0x%08x (VKB1)", h->magic, VKB_MAGIC);
    if (h->version != VKB_VERSION)
        return fail(r, "header: version %u, this library reads version %u", h->version,
                    VKB_VERSION);
    if (h->size != size)
        return fail(r, "header: says %llu bytes, has %zu", (unsigned long long)h->size, size);

    uint8_t digest[32];
    size_t hashed = offsetof(struct vkb_header, section);
    vkb_sha256(data + hashed, size - hashed, digest);
    if (memcmp(digest, h->sha256, sizeof digest))
        return fail(r, "header: the digest does not match the contents");

    uint64_t end = sizeof *h;
    for (uint32_t i = 0; i < VKB_SECTION_COUNT; i++) {
        uint64_t offset = h->section[i].offset, bytes = h->section[i].size;
        if (offset % 16)
            return fail(r, "section %s: offset %llu is not a multiple of 16", sections[i].name,
                        (unsigned long long)offset);
        if ((bytes && offset < end) || !in_range(offset, bytes, size))
            return fail(
                r,
                "section %s: %llu bytes at %llu overlap what is before them, or end after byte %zu",
                sections[i].name, (unsigned long long)bytes, (unsigned long long)offset, size);
        if (bytes % sections[i].record)
            return fail(r, "section %s: %llu bytes are not whole records of %u", sections[i].name,
                        (unsigned long long)bytes, sections[i].record);
        if (i != VKB_SECTION_CONSTANTS && bytes / sections[i].record >= VKB_NONE)
            return fail(r, "section %s: too many records", sections[i].name);
        end = bytes ? offset + bytes : end;
    }
    return true;
}

static void fill_view(struct vkb_view *v, const uint8_t *data)
{
    const struct vkb_header *h = (const void *)data;
#define AT(part) ((const void *)(data + h->section[VKB_SECTION_##part].offset))
#define COUNT(part) \
    ((uint32_t)(h->section[VKB_SECTION_##part].size / sections[VKB_SECTION_##part].record))
    v->header = h;
    v->program = AT(PROGRAM);
    v->tensors = AT(TENSORS), v->ntensors = COUNT(TENSORS);
    v->buffers = AT(BUFFERS), v->nbuffers = COUNT(BUFFERS);
    v->kernels = AT(KERNELS), v->nkernels = COUNT(KERNELS);
    v->bodies = AT(BODIES), v->nbodies = COUNT(BODIES);
    v->needs = AT(NEEDS), v->nneeds = COUNT(NEEDS);
    v->steps = AT(STEPS), v->nsteps = COUNT(STEPS);
    v->groups = AT(GROUPS), v->ngroups = COUNT(GROUPS);
    v->bindings = AT(BINDINGS), v->nbindings = COUNT(BINDINGS);
    v->pushed = AT(PUSHED), v->npushed = COUNT(PUSHED);
    v->spirv = AT(SPIRV), v->nspirv = COUNT(SPIRV);
    v->constants = AT(CONSTANTS), v->constants_bytes = h->section[VKB_SECTION_CONSTANTS].size;
    v->strings = AT(STRINGS), v->strings_bytes = COUNT(STRINGS);
#undef AT
#undef COUNT
}

static bool check_program(struct reader *r)
{
    const struct vkb_view *v = &r->view;
    const struct vkb_program *p = v->program;
    if (v->header->section[VKB_SECTION_PROGRAM].size != sizeof *p)
        return fail(r, "section PROGRAM: must hold one record");
    if (!v->strings_bytes || v->strings[0] || v->strings[v->strings_bytes - 1])
        return fail(r, "section STRINGS: must begin and end with NUL");
    if (!bundle_check_text(r, "program", 0, "name", p->name) ||
        !bundle_check_text(r, "program", 0, "producer", p->producer) ||
        !bundle_check_text(r, "program", 0, "profile", p->profile) ||
        !bundle_check_features(r, "program", 0, p->features))
        return false;
    if ((uint64_t)p->ninputs + p->noutputs != v->ntensors)
        return fail(r, "program: %u inputs and %u outputs, but %u tensors", p->ninputs, p->noutputs,
                    v->ntensors);
    if (p->part_bytes < 256 || (p->part_bytes & (p->part_bytes - 1)))
        return fail(r, "program: parts of %llu bytes, must be a power of two, at least 256",
                    (unsigned long long)p->part_bytes);
    if (!in_range(p->main_first, p->main_count, v->nsteps))
        return fail(r, "program: main steps %u+%u are outside the %u steps", p->main_first,
                    p->main_count, v->nsteps);
    return true;
}

/* Bytes of storage that a buffer for this tensor has at least. */
static uint64_t tensor_storage(const struct vkb_tensor *t)
{
    return t->bytes ? (t->bytes + 3) & ~(uint64_t)3 : 4;
}

static bool check_alias(struct reader *r, uint32_t index)
{
    const struct vkb_program *p = r->view.program;
    const struct vkb_tensor *t = &r->view.tensors[index];
    if (t->alias == VKB_NONE)
        return true;
    if (index < p->ninputs)
        return fail(r, "tensors[%u]: an input has an alias", index);
    if (t->alias >= p->ninputs)
        return fail(r, "tensors[%u]: alias %u is not one of %u inputs", index, t->alias,
                    p->ninputs);
    if (r->view.tensors[t->alias].bytes != t->bytes)
        return fail(r, "tensors[%u]: has %llu bytes, its alias input %u has %llu", index,
                    (unsigned long long)t->bytes, t->alias,
                    (unsigned long long)r->view.tensors[t->alias].bytes);
    return true;
}

static bool check_tensors(struct reader *r)
{
    const struct vkb_view *v = &r->view;
    uint8_t *is_donated = calloc((size_t)v->program->ninputs + 1, 1);
    bool ok = false;
    if (!is_donated)
        return fail_memory(r);
    for (uint32_t i = 0; i < v->ntensors; i++) {
        const struct vkb_tensor *t = &v->tensors[i];
        if (!bundle_check_text(r, "tensors", i, "name", t->name) ||
            !bundle_check_text(r, "tensors", i, "type", t->type) || !check_alias(r, i))
            goto out;
        if (t->rank > VKB_MAX_RANK) {
            fail(r, "tensors[%u]: rank %u, at most %u", i, t->rank, VKB_MAX_RANK);
            goto out;
        }
        if (t->bytes > UINT64_MAX / 2) {
            fail(r, "tensors[%u]: %llu bytes are too many", i, (unsigned long long)t->bytes);
            goto out;
        }
        if (t->alias != VKB_NONE && is_donated[t->alias]++) {
            fail(r, "tensors[%u]: input %u is the alias of two outputs", i, t->alias);
            goto out;
        }
    }
    ok = true;
out:
    free(is_donated);
    return ok;
}

static bool check_buffer(struct reader *r, uint32_t index)
{
    const struct vkb_view *v = &r->view;
    const struct vkb_program *p = v->program;
    const struct vkb_buffer *b = &v->buffers[index];
    if (b->bytes % 4 || b->offset % 256)
        return fail(r, "buffers[%u]: %llu bytes at %llu: must be multiples of 4 and of 256", index,
                    (unsigned long long)b->bytes, (unsigned long long)b->offset);
    switch (b->kind) {
    case VKB_BUFFER_INPUT:
    case VKB_BUFFER_OUTPUT: {
        bool is_input = b->kind == VKB_BUFFER_INPUT;
        uint32_t count = is_input ? p->ninputs : p->noutputs;
        if (b->index >= count)
            return fail(r, "buffers[%u]: %s %u of %u", index, is_input ? "input" : "output",
                        b->index, count);
        uint64_t storage = tensor_storage(&v->tensors[b->index + (is_input ? 0 : p->ninputs)]);
        if (b->offset || b->bytes > storage)
            return fail(r, "buffers[%u]: %llu bytes at %llu of a tensor with %llu", index,
                        (unsigned long long)b->bytes, (unsigned long long)b->offset,
                        (unsigned long long)storage);
        return true;
    }
    case VKB_BUFFER_CONSTANT:
    case VKB_BUFFER_ARENA: {
        bool is_constant = b->kind == VKB_BUFFER_CONSTANT;
        uint64_t limit = is_constant ? v->constants_bytes : p->arena_bytes;
        if (!b->bytes || !in_range(b->offset, b->bytes, limit))
            return fail(r, "buffers[%u]: %llu bytes at %llu of %llu bytes of %s", index,
                        (unsigned long long)b->bytes, (unsigned long long)b->offset,
                        (unsigned long long)limit, is_constant ? "constants" : "arena");
        if (b->bytes > p->part_bytes ? b->offset % p->part_bytes
                                     : b->offset % p->part_bytes + b->bytes > p->part_bytes)
            return fail(
                r,
                "buffers[%u]: %llu bytes at %llu of %s: parts have %llu bytes, and it must %s one",
                index, (unsigned long long)b->bytes, (unsigned long long)b->offset,
                is_constant ? "constants" : "arena", (unsigned long long)p->part_bytes,
                b->bytes > p->part_bytes ? "begin with" : "lie in");
        return true;
    }
    default: return fail(r, "buffers[%u]: kind %u is unknown", index, b->kind);
    }
}

static bool check_buffers(struct reader *r)
{
    for (uint32_t i = 0; i < r->view.nbuffers; i++)
        if (!check_buffer(r, i))
            return false;
    return true;
}

static bool check_bindings(struct reader *r)
{
    const struct vkb_view *v = &r->view;
    for (uint32_t i = 0; i < v->nbindings; i++) {
        const struct vkb_binding *b = &v->bindings[i];
        if (b->buffer >= v->nbuffers)
            return fail(r, "bindings[%u]: buffer %u of %u", i, b->buffer, v->nbuffers);
        if (!b->access || b->access & ~(uint32_t)(VKB_READ | VKB_WRITE))
            return fail(r, "bindings[%u]: access %u", i, b->access);
        const struct vkb_buffer *buffer = &v->buffers[b->buffer];
        if (b->access & VKB_WRITE &&
            (buffer->kind == VKB_BUFFER_CONSTANT || buffer->kind == VKB_BUFFER_INPUT))
            return fail(r, "bindings[%u]: writes %s", i,
                        buffer->kind == VKB_BUFFER_INPUT ? "an input" : "a constant");
        if (buffer->kind == VKB_BUFFER_INPUT && !v->tensors[buffer->index].used)
            return fail(r, "bindings[%u]: input %u is said to be unused", i, buffer->index);
    }
    return true;
}

/* Whether two buffers, of which `to` is written and so no input, are (partly) the same memory: in
   the arena by place, for tensors by donation. */
static bool overlaps(const struct vkb_view *v, const struct vkb_buffer *from,
                     const struct vkb_buffer *to)
{
    if (from->kind == VKB_BUFFER_INPUT)
        return to->kind == VKB_BUFFER_OUTPUT &&
               v->tensors[v->program->ninputs + to->index].alias == from->index;
    if (from->kind != to->kind)
        return false;
    if (from->kind == VKB_BUFFER_OUTPUT)
        return from->index == to->index;
    return from->offset < to->offset + to->bytes && to->offset < from->offset + from->bytes;
}

static bool check_copy(struct reader *r, uint32_t index, const struct vkb_step *s)
{
    const struct vkb_view *v = &r->view;
    if (s->nbindings != 2)
        return fail(r, "steps[%u]: a copy has 2 bindings, not %u", index, s->nbindings);
    const struct vkb_binding *b = v->bindings + s->first_binding;
    if (!(b[0].access & VKB_READ) || !(b[1].access & VKB_WRITE))
        return fail(r, "steps[%u]: a copy reads its first binding and writes its second", index);
    if (!s->bytes || s->bytes > v->buffers[b[0].buffer].bytes ||
        s->bytes > v->buffers[b[1].buffer].bytes)
        return fail(r, "steps[%u]: copies %llu bytes between buffers of %llu and %llu", index,
                    (unsigned long long)s->bytes, (unsigned long long)v->buffers[b[0].buffer].bytes,
                    (unsigned long long)v->buffers[b[1].buffer].bytes);
    if (overlaps(v, &v->buffers[b[0].buffer], &v->buffers[b[1].buffer]))
        return fail(r, "steps[%u]: copies between buffers that overlap", index);
    return true;
}

/* Group counts in memory: three words of the arena for each body. */
static bool check_counts(struct reader *r, uint32_t index, const struct vkb_step *s)
{
    const struct vkb_view *v = &r->view;
    uint32_t nbodies = v->kernels[s->kernel].nbodies;
    if (s->counts == VKB_NONE)
        return true;
    if (s->counts >= v->nbuffers || v->buffers[s->counts].kind != VKB_BUFFER_ARENA)
        return fail(r, "steps[%u]: group counts are in buffer %u, which is not in the arena", index,
                    s->counts);
    if (!in_range(s->counts_at, 3 * nbodies, v->buffers[s->counts].bytes / 4))
        return fail(r, "steps[%u]: group counts of %u bodies at word %u of a buffer of %llu bytes",
                    index, nbodies, s->counts_at, (unsigned long long)v->buffers[s->counts].bytes);
    return true;
}

static bool check_groups(struct reader *r, uint32_t index, const struct vkb_step *s)
{
    const struct vkb_view *v = &r->view;
    uint32_t nbodies = v->kernels[s->kernel].nbodies;
    if (!in_range(s->first_groups, nbodies, v->ngroups))
        return fail(r, "steps[%u]: group counts %u+%u are outside the %u of GROUPS", index,
                    s->first_groups, nbodies, v->ngroups);
    for (uint32_t i = 0; i < nbodies; i++) {
        const uint32_t *groups = vkb_group_counts(v, s, i);
        if (!groups[0] || !groups[1] || !groups[2])
            return fail(r, "steps[%u]: group counts %u %u %u must not be 0", index, groups[0],
                        groups[1], groups[2]);
    }
    return true;
}

/* What is larger than a part is bound as the addresses of its parts, which every body must then
   use. */
static bool check_parts(struct reader *r, uint32_t index, const struct vkb_step *s)
{
    const struct vkb_view *v = &r->view;
    uint32_t features = VKB_FEATURE_ADDRESSES;
    for (uint32_t i = 0; i < v->kernels[s->kernel].nbodies; i++)
        features &= vkb_body_of(v, s->kernel, i)->features;
    for (uint32_t i = 0; i < s->nbindings; i++) {
        uint64_t bytes = v->buffers[v->bindings[s->first_binding + i].buffer].bytes;
        if (bytes > v->program->part_bytes && !features)
            return fail(r, "steps[%u]: binding %u has %llu bytes, but kernel %u does not use parts",
                        index, i, (unsigned long long)bytes, s->kernel);
    }
    return true;
}

/* What any body has as texels is only read, and in one piece. */
static bool check_texels(struct reader *r, uint32_t index, const struct vkb_step *s)
{
    const struct vkb_view *v = &r->view;
    uint64_t texels = 0;
    for (uint32_t i = 0; i < v->kernels[s->kernel].nbodies; i++)
        texels |= vkb_body_of(v, s->kernel, i)->texels;
    for (uint32_t i = 0; i < s->nbindings && i < VKB_MAX_TEXELS; i++) {
        const struct vkb_binding *b = &v->bindings[s->first_binding + i];
        if (!(texels >> i & 1))
            continue;
        if (b->access & VKB_WRITE)
            return fail(r, "steps[%u]: writes binding %u, which kernel %u has as texels", index, i,
                        s->kernel);
        if (v->buffers[b->buffer].bytes > v->program->part_bytes)
            return fail(r, "steps[%u]: binding %u has %llu bytes, too many for texels", index, i,
                        (unsigned long long)v->buffers[b->buffer].bytes);
    }
    return true;
}

static bool check_dispatch(struct reader *r, uint32_t index, const struct vkb_step *s)
{
    const struct vkb_view *v = &r->view;
    if (s->kernel >= v->nkernels)
        return fail(r, "steps[%u]: kernel %u of %u", index, s->kernel, v->nkernels);
    if (s->nbindings != v->kernels[s->kernel].nbindings)
        return fail(r, "steps[%u]: %u bindings, kernel %u has %u", index, s->nbindings, s->kernel,
                    v->kernels[s->kernel].nbindings);
    if (!in_range(s->first_pushed, v->kernels[s->kernel].npushed, v->npushed))
        return fail(r, "steps[%u]: push constants %u+%u are outside the %u of PUSHED", index,
                    s->first_pushed, v->kernels[s->kernel].npushed, v->npushed);
    return check_groups(r, index, s) && check_parts(r, index, s) && check_texels(r, index, s) &&
           check_counts(r, index, s);
}

/* What is known of a step from those before it. */
struct mark {
    uint8_t depth; /* of ranges around it; 0: in none */
    bool repeated; /* inside a REPEAT */
};

/* Marks the steps of a range with the depth at which they run; each step belongs to one range
   only. */
static bool mark_range(struct reader *r, struct mark *marks, uint32_t first, uint32_t count,
                       uint8_t level)
{
    for (uint32_t i = first; i < first + count; i++) {
        if (marks[i].depth)
            return fail(r, "steps[%u]: is in two ranges", i);
        marks[i].depth = level;
    }
    return true;
}

static bool enter_ranges(struct reader *r, uint32_t index, const struct vkb_step *s,
                         struct mark *marks)
{
    if (marks[index].depth >= MAX_NESTING)
        return fail(r, "steps[%u]: nested deeper than %u", index, MAX_NESTING);
    for (int i = 0; i < 2; i++) {
        if (!s->range_count[i])
            continue;
        if (s->range_first[i] <= index ||
            !in_range(s->range_first[i], s->range_count[i], r->view.nsteps))
            return fail(r, "steps[%u]: range %u+%u must lie after the step and within the %u steps",
                        index, s->range_first[i], s->range_count[i], r->view.nsteps);
        if (!mark_range(r, marks, s->range_first[i], s->range_count[i],
                        (uint8_t)(marks[index].depth + 1)))
            return false;
    }
    return true;
}

static bool check_control(struct reader *r, uint32_t index, const struct vkb_step *s,
                          struct mark *marks)
{
    const struct vkb_view *v = &r->view;
    if (!s->nbindings || !(v->bindings[s->first_binding].access & VKB_READ) ||
        !v->buffers[v->bindings[s->first_binding].buffer].bytes)
        return fail(r, "steps[%u]: has no predicate to read", index);
    if (s->kind == VKB_STEP_WHILE && !s->range_count[0])
        return fail(r, "steps[%u]: the condition of a loop is empty", index);
    return enter_ranges(r, index, s, marks);
}

/* Inside a REPEAT nothing may need the host. Steps it repeats come after it, so their own ranges
   are marked, and checked, later. */
static bool check_repeat(struct reader *r, uint32_t index, const struct vkb_step *s,
                         struct mark *marks)
{
    const struct vkb_view *v = &r->view;
    if (!s->times || !s->range_count[0] || s->range_count[1])
        return fail(r, "steps[%u]: repeats %u steps %u times: must be at least 1, and one range",
                    index, s->range_count[0], s->times);
    if (s->nbindings > 1 || (s->nbindings && marks[index].repeated))
        return fail(r, "steps[%u]: %u flags: a repetition has at most 1, and none inside another",
                    index, s->nbindings);
    if (s->nbindings && (!(v->bindings[s->first_binding].access & VKB_READ) ||
                         v->buffers[v->bindings[s->first_binding].buffer].kind != VKB_BUFFER_ARENA))
        return fail(r, "steps[%u]: its flag must be read, from the arena", index);
    if (!enter_ranges(r, index, s, marks))
        return false;
    for (uint32_t i = s->range_first[0]; i < s->range_first[0] + s->range_count[0]; i++)
        marks[i].repeated = true;
    return true;
}

static bool check_host(struct reader *r, uint32_t index, const struct vkb_step *s)
{
    const struct vkb_view *v = &r->view;
    if (s->kernel >= v->program->ncallbacks)
        return fail(r, "steps[%u]: callback %u of %u", index, s->kernel, v->program->ncallbacks);
    bool has_written = false;
    for (uint32_t i = 0; i < s->nbindings; i++) {
        uint32_t access = v->bindings[s->first_binding + i].access;
        if (access == (VKB_READ | VKB_WRITE) || (access == VKB_READ && has_written))
            return fail(r, "steps[%u]: a host step has the bindings it reads, then those it writes",
                        index);
        has_written = access == VKB_WRITE;
    }
    return true;
}

static bool check_step(struct reader *r, uint32_t index, struct mark *marks)
{
    const struct vkb_view *v = &r->view;
    const struct vkb_step *s = &v->steps[index];
    if (!marks[index].depth)
        return fail(r, "steps[%u]: is in no range before it", index);
    if (!in_range(s->first_binding, s->nbindings, v->nbindings))
        return fail(r, "steps[%u]: bindings %u+%u are outside the %u bindings", index,
                    s->first_binding, s->nbindings, v->nbindings);
    if (s->barrier > 1)
        return fail(r, "steps[%u]: barrier is %u, must be 0 or 1", index, s->barrier);
    if (marks[index].repeated && s->kind != VKB_STEP_DISPATCH && s->kind != VKB_STEP_COPY &&
        s->kind != VKB_STEP_REPEAT)
        return fail(r, "steps[%u]: kind %u inside a repetition", index, s->kind);
    switch (s->kind) {
    case VKB_STEP_DISPATCH: return check_dispatch(r, index, s);
    case VKB_STEP_COPY: return check_copy(r, index, s);
    case VKB_STEP_WHILE:
    case VKB_STEP_IF: return check_control(r, index, s, marks);
    case VKB_STEP_HOST: return check_host(r, index, s);
    case VKB_STEP_REPEAT: return check_repeat(r, index, s, marks);
    default: return fail(r, "steps[%u]: kind %u is unknown", index, s->kind);
    }
}

/* How much each step makes of itself in a command buffer, from the last to the first, so that
   what is repeated is known before what repeats it. Only a REPEAT outside all others may say
   more, with no flag: it is recorded in pieces. */
static bool check_recorded(struct reader *r, const struct mark *marks)
{
    const struct vkb_view *v = &r->view;
    uint64_t *recorded = calloc((size_t)v->nsteps + 1, sizeof *recorded);
    bool ok = recorded != NULL;
    if (!ok)
        return fail_memory(r);
    for (uint32_t i = v->nsteps; ok && i-- > 0;) {
        const struct vkb_step *s = &v->steps[i];
        recorded[i] = 1;
        if (s->kind != VKB_STEP_REPEAT)
            continue;
        uint64_t round = 0;
        for (uint32_t k = 0; k < s->range_count[0]; k++)
            round += recorded[s->range_first[0] + k];
        uint32_t times = marks[i].repeated || s->nbindings ? s->times : 1;
        ok = round <= VKB_MAX_RECORDED && round * times <= VKB_MAX_RECORDED;
        if (!ok)
            fail(r, "steps[%u]: makes %u times %llu steps, at most %u", i, times,
                 (unsigned long long)round, VKB_MAX_RECORDED);
        recorded[i] = round * times;
    }
    free(recorded);
    return ok;
}

/* A range lies after the step that owns it, so one pass in order meets every owner before what
   it owns, and there can be no cycle. */
static bool check_steps(struct reader *r)
{
    const struct vkb_view *v = &r->view;
    struct mark *marks = calloc((size_t)v->nsteps + 1, sizeof *marks);
    if (!marks)
        return fail_memory(r);
    bool ok = mark_range(r, marks, v->program->main_first, v->program->main_count, 1);
    for (uint32_t i = 0; ok && i < v->nsteps; i++)
        ok = check_step(r, i, marks);
    ok = ok && check_recorded(r, marks);
    free(marks);
    return ok;
}

bool bundle_check(const void *data, size_t size, struct vkb_view *out, bool *out_no_memory,
                  char *error, size_t error_size)
{
    struct reader r = {.error = error, .error_size = error_size, .no_memory = out_no_memory};
    *out_no_memory = false;
    if (!data)
        return fail(&r, "header: no bytes");
    if (!check_header(&r, data, size))
        return false;
    fill_view(&r.view, data);
    if (!check_program(&r) || !check_tensors(&r) || !check_buffers(&r) ||
        !bundle_check_kernels(&r) || !check_bindings(&r) || !check_steps(&r))
        return false;
    *out = r.view;
    return true;
}

bool bundle_open(const void *data, size_t size, struct vkb_view *out, char *error,
                 size_t error_size)
{
    bool no_memory;
    return bundle_check(data, size, out, &no_memory, error, error_size);
}
