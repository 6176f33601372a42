/* The plan as a bundle: fills the records of runtime/bundle.h. Deterministic: no times, no addresses. */
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

static void fill_tensor(struct writer *w, struct vkb_tensor *t, const struct tensor *from, const char *name)
{
    *t = (struct vkb_tensor){.name = text(w, name), .type = text(w, type_name(from->type)), .rank = from->shape.rank, .alias = VKB_NONE, .used = 1,
                             .bytes = tensor_bytes(from)};
    for (uint32_t i = 0; i < VKB_MAX_RANK; i++)
        t->dim[i] = i < from->shape.rank ? (uint64_t)from->shape.dim[i] : 0;
}

static uint32_t buffer_kind(enum plan_buffer_kind k)
{
    return k == PLAN_INPUT ? VKB_BUFFER_INPUT : k == PLAN_OUTPUT ? VKB_BUFFER_OUTPUT : k == PLAN_CONSTANT ? VKB_BUFFER_CONSTANT : VKB_BUFFER_ARENA;
}

bool bundle_write(const struct plan *p, void **out, size_t *out_size, struct diag *d)
{
    struct writer w = {.arena = p->arena};
    str_init(&w.strings, p->arena);
    str_addn(&w.strings, "", 1);
    const struct func *f = &p->graph->funcs[p->graph->entry];

    struct vkb_program *program = records(&w, 1, sizeof *program);
    struct vkb_tensor *tensors = records(&w, f->nparams + f->nresults, sizeof *tensors);
    struct vkb_buffer *buffers = records(&w, p->nbuffers, sizeof *buffers);
    struct vkb_kernel *kernels = records(&w, p->nkernels, sizeof *kernels);
    struct vkb_step *steps = records(&w, p->nsteps, sizeof *steps);
    uint32_t nbindings = 0, nspirv = 0, nkernels = 0, *kernel_index = records(&w, p->nkernels, sizeof *kernel_index);
    for (uint32_t i = 0; i < p->nsteps; i++)
        nbindings += p->steps[i].nbuffers;
    for (uint32_t i = 0; i < p->nkernels; i++)
        if (p->kernels[i].same_as == NO_INDEX)
            nspirv += p->kernels[i].nspirv;
    struct vkb_binding *bindings = records(&w, nbindings, sizeof *bindings);
    uint32_t *spirv = records(&w, nspirv, sizeof *spirv);
    uint8_t *constants = records(&w, p->constants_bytes, 1);
    if (w.failed)
        return FAIL(d, MEMORY, "out of memory");

    *program = (struct vkb_program){.name = text(&w, p->graph->name), .producer = text(&w, "vkcompile " VKC_VERSION), .profile = text(&w, p->target->name),
                                    .ninputs = f->nparams, .noutputs = f->nresults, .main_first = p->main_first, .main_count = p->main_count,
                                    .ncallbacks = p->graph->ncallbacks, .part_bytes = unit_part_bytes(p->target), .arena_bytes = p->arena_bytes, .unplanned_bytes = p->unplanned_bytes};
    for (uint32_t i = 0; i < f->nparams; i++) {
        fill_tensor(&w, &tensors[i], &f->params[i], f->param_names ? f->param_names[i] : NULL);
        tensors[i].used = p->input_used[i];
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        fill_tensor(&w, &tensors[f->nparams + i], func_tensor(f, f->results[i]), NULL);
    for (uint32_t i = 0; i < p->nbuffers; i++) {
        const struct plan_buffer *b = &p->buffers[i];
        buffers[i] = (struct vkb_buffer){.kind = buffer_kind(b->kind), .index = b->kind == PLAN_INPUT || b->kind == PLAN_OUTPUT ? b->index : 0, .offset = b->offset, .bytes = b->bytes};
        if (b->kind == PLAN_OUTPUT)
            tensors[f->nparams + b->index].alias = b->alias;
        if (b->kind == PLAN_CONSTANT)
            memcpy(constants + b->offset, p->graph->literals[b->index].data, p->graph->literals[b->index].bytes);
    }
    nspirv = 0;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        const struct kernel *k = &p->kernels[i];
        program->features |= k->features;
        if (k->schedule.group > program->max_invocations)
            program->max_invocations = k->schedule.group;
        if (k->shared_bytes > program->max_shared_bytes)
            program->max_shared_bytes = k->shared_bytes;
        if (k->nbound > program->max_bindings)
            program->max_bindings = k->nbound;
        if (k->same_as != NO_INDEX) {
            kernel_index[i] = kernel_index[k->same_as];
            continue;
        }
        kernel_index[i] = nkernels;
        kernels[nkernels++] = (struct vkb_kernel){.name = text(&w, arena_printf(p->arena, "k%u", k->id)), .label = text(&w, arena_printf(p->arena, "k%u %s", k->id, k->label)),
                                                  .source = text(&w, plan_kernel_loc(p, k)), .spirv_first = nspirv, .spirv_count = k->nspirv,
                                                  .local_size = {k->schedule.group, 1, 1}, .shared_bytes = k->shared_bytes, .nbindings = k->nbound, .features = k->features};
        memcpy(spirv + nspirv, k->spirv, (size_t)k->nspirv * 4);
        nspirv += k->nspirv;
    }
    nbindings = 0;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct plan_step *s = &p->steps[i];
        static const uint32_t kinds[] = {[STEP_DISPATCH] = VKB_STEP_DISPATCH, [STEP_COPY] = VKB_STEP_COPY, [STEP_WHILE] = VKB_STEP_WHILE, [STEP_IF] = VKB_STEP_IF, [STEP_HOST] = VKB_STEP_HOST, [STEP_REPEAT] = VKB_STEP_REPEAT};
        steps[i] = (struct vkb_step){.kind = kinds[s->kind], .kernel = s->kind == STEP_DISPATCH ? kernel_index[s->kernel] : s->kind == STEP_HOST ? s->kernel : 0,
                                     .first_binding = nbindings, .nbindings = s->nbuffers, .barrier = s->barrier, .times = s->times,
                                     .counts = s->counts, .counts_at = s->counts == NO_INDEX ? 0 : s->counts_at, .bytes = s->bytes};
        for (uint32_t r = 0; r < 2; r++) {
            steps[i].range_first[r] = s->range_first[r];
            steps[i].range_count[r] = s->range_count[r];
        }
        if (s->kind == STEP_DISPATCH) {
            memcpy(steps[i].groups, p->kernels[s->kernel].groups, sizeof steps[i].groups);
            steps[i].flops = p->kernels[s->kernel].flops;
        }
        for (uint32_t j = 0; j < s->nbuffers; j++)
            bindings[nbindings++] = (struct vkb_binding){s->buffers[j], s->access[j]};
    }

    struct { const void *data; size_t size; } part[VKB_SECTION_COUNT] = {
        [VKB_SECTION_PROGRAM] = {program, sizeof *program},
        [VKB_SECTION_TENSORS] = {tensors, (f->nparams + f->nresults) * sizeof *tensors},
        [VKB_SECTION_BUFFERS] = {buffers, p->nbuffers * sizeof *buffers},
        [VKB_SECTION_KERNELS] = {kernels, nkernels * sizeof *kernels},
        [VKB_SECTION_STEPS] = {steps, p->nsteps * sizeof *steps},
        [VKB_SECTION_BINDINGS] = {bindings, nbindings * sizeof *bindings},
        [VKB_SECTION_SPIRV] = {spirv, (size_t)nspirv * 4},
        [VKB_SECTION_CONSTANTS] = {constants, p->constants_bytes},
        [VKB_SECTION_STRINGS] = {w.strings.data, w.strings.len},
    };
    if (p->arena->failed)
        return FAIL(d, MEMORY, "out of memory");
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
        return FAIL(d, MEMORY, "out of memory");
    memcpy(bytes, &h, sizeof h);
    for (uint32_t i = 0; i < VKB_SECTION_COUNT; i++)
        if (part[i].size)
            memcpy(bytes + h.section[i].offset, part[i].data, part[i].size);
    struct vkb_header *placed = (struct vkb_header *)(void *)bytes;
    size_t after = offsetof(struct vkb_header, sha256) + sizeof h.sha256;
    vkb_sha256(bytes + after, at - after, placed->sha256);
    *out = bytes;
    *out_size = at;
    return true;
}
