#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "group.h"
#include "matrix.h"

enum { MOST_INSTRUCTIONS = 100 * 1000 * 1000 }; /* of an invocation */

/* Bytes, and who touched them. */
struct region {
    uint8_t *data;
    struct cell *cells;
    uint64_t bytes;
};

struct run {
    struct vkb_view view;
    const struct machine_options *options;
    struct region *tensors, constants, arena; /* tensors: inputs, then outputs */
    struct spirv_module *modules;
    struct moment now;
    uint32_t shared_step;
    uint64_t random;
    char *error;
    size_t error_size;
};

static bool open_region(struct run *r, struct region *to, uint64_t bytes, const void *data,
                        uint64_t data_bytes)
{
    to->bytes = (bytes + 3) / 4 * 4;
    to->data = malloc(to->bytes + 4);
    to->cells = calloc(to->bytes / 4 + 1, sizeof *to->cells);
    if (!to->data || !to->cells) {
        snprintf(r->error, r->error_size, "no memory");
        return false;
    }
    for (uint64_t i = 0; i < to->bytes; i++)
        to->data[i] = (uint8_t)(next_random(&r->random) >> 56);
    if (data)
        memcpy(to->data, data, data_bytes);
    return true;
}

static void close_region(struct region *g)
{
    free(g->data);
    free(g->cells);
}

static struct binding bind(struct run *r, const struct vkb_binding *b)
{
    const struct vkb_buffer *buffer = &r->view.buffers[b->buffer];
    uint32_t tensor = buffer->kind == VKB_BUFFER_OUTPUT ? r->view.program->ninputs + buffer->index
                                                        : buffer->index;
    struct region *g = buffer->kind == VKB_BUFFER_CONSTANT ? &r->constants
                       : buffer->kind == VKB_BUFFER_ARENA  ? &r->arena
                                                           : &r->tensors[tensor];
    bool is_tensor = g != &r->constants && g != &r->arena;
    return (struct binding){.data = g->data + (is_tensor ? 0 : buffer->offset),
                            .cells = g->cells + (is_tensor ? 0 : buffer->offset / 4),
                            .bytes = buffer->bytes,
                            .access = b->access};
}

/* A step of the device other than a dispatch, or the host, touches all of it. */
static bool touch(struct run *r, const struct binding *b, uint64_t bytes, bool writes)
{
    const struct mark by = {.step = r->now.step};
    for (uint64_t i = 0; i < (bytes + 3) / 4; i++) {
        if (memory_conflict(&b->cells[i], r->now, &by, writes)) {
            snprintf(r->error, r->error_size,
                     "%s word %llu, which an earlier step touches with no barrier between",
                     writes ? "writes" : "reads", (unsigned long long)i);
            return false;
        }
        memory_note(&b->cells[i], &by, writes);
    }
    return true;
}

/* ---- a dispatch ---- */

static void set_input(struct thread *t, uint32_t at, uint32_t x, uint32_t y, uint32_t z)
{
    if (at == UINT32_MAX)
        return;
    t->file[at] = x, t->file[at + 1] = y, t->file[at + 2] = z;
}

static void start_group(struct run *r, struct group *g, const uint32_t groups[3], uint32_t index)
{
    const struct spirv_module *m = g->module;
    g->index = index;
    g->shared_now = (struct moment){++r->shared_step, r->shared_step};
    for (uint32_t i = 0; i < m->shared_words; i++)
        g->shared[i] = next_random(&r->random);
    for (uint32_t i = 0; i < m->local_size; i++) {
        struct thread *t = &g->threads[i];
        *t = (struct thread){.file = t->file, .at = m->entry, .left = MOST_INSTRUCTIONS};
        uint32_t x = index % groups[0], y = index / groups[0] % groups[1],
                 z = index / groups[0] / groups[1];
        set_input(t, m->num_groups, groups[0], groups[1], groups[2]);
        set_input(t, m->group_id, x, y, z);
        set_input(t, m->local_id, i, 0, 0);
        set_input(t, m->global_id, x * m->local_size + i, y, z);
        if (m->local_index != UINT32_MAX)
            t->file[m->local_index] = i;
        if (m->subgroup_id != UINT32_MAX)
            t->file[m->subgroup_id] = i / r->options->subgroup_size;
        if (m->subgroup_lane != UINT32_MAX)
            t->file[m->subgroup_lane] = i % r->options->subgroup_size;
    }
}

static bool run_groups(struct run *r, struct group *g, const uint32_t groups[3])
{
    const struct spirv_module *m = g->module;
    uint64_t *files = malloc(((size_t)m->file_words * m->local_size + 1) * sizeof *files);
    g->threads = calloc((size_t)m->local_size + 1, sizeof *g->threads);
    g->shared = calloc((size_t)m->shared_words + 1, sizeof *g->shared);
    g->cells = calloc((size_t)m->shared_words + 1, sizeof *g->cells);
    bool asks = m->subgroup_id != UINT32_MAX || m->subgroup_lane != UINT32_MAX;
    bool ok = matrix_open_group(g) && files && g->threads && g->shared && g->cells;
    if (!ok)
        snprintf(r->error, r->error_size, "no memory");
    if (ok && asks && !(ok = r->options->subgroup_size != 0))
        snprintf(r->error, r->error_size, "a kernel asks for its subgroup, which has no size");
    for (uint32_t i = 0; ok && i < m->local_size; i++) {
        g->threads[i].file = files + (size_t)i * m->file_words;
        memcpy(g->threads[i].file, m->file, m->file_words * sizeof *files);
        for (uint32_t k = 0; k < m->npushed; k++)
            g->threads[i].file[m->pushed + k] = g->pushed[k];
    }
    uint32_t total = groups[0] * groups[1] * groups[2];
    uint32_t first = (uint32_t)(next_random(&r->random) % (total ? total : 1));
    for (uint32_t i = 0; ok && i < total; i++) {
        start_group(r, g, groups, (first + i) % total);
        ok = group_run(g, &r->random);
    }
    matrix_close_group(g);
    free(files);
    free(g->threads);
    free(g->shared);
    free(g->cells);
    return ok;
}

static bool has_group_matrices(const struct vkb_view *v, const struct vkb_body *b)
{
    static const uint32_t threads[] = {
#define MATRIX(bit, word, operands, rows, columns, k, threads) threads,
#include "../../runtime/matrices.def"
    };
    for (uint32_t i = 0; i < b->nneeds; i++) {
        const struct vkb_need *n = &v->needs[b->first_need + i];
        if (n->kind == VKB_NEED_MATRIX && threads[n->value[0]])
            return true;
    }
    return false;
}

uint32_t machine_body(const struct vkb_view *v, uint32_t kernel)
{
    uint32_t body = 0;
    while (has_group_matrices(v, vkb_body_of(v, kernel, body)))
        body++;
    return body;
}

/* The body of a kernel that is run. */
static uint32_t taken(const struct run *r, uint32_t kernel)
{
    return r->options->plain ? r->view.kernels[kernel].nbodies - 1 : machine_body(&r->view, kernel);
}

static bool dispatch(struct run *r, const struct vkb_step *step)
{
    const struct vkb_kernel *k = &r->view.kernels[step->kernel];
    uint32_t body = taken(r, step->kernel);
    const uint32_t *most = vkb_group_counts(&r->view, step, body);
    struct binding bindings[64];
    uint32_t groups[3];
    char error[512] = "";
    if (step->nbindings > 64) {
        snprintf(r->error, r->error_size, "more than 64 bindings");
        return false;
    }
    for (uint32_t i = 0; i < step->nbindings; i++)
        bindings[i] = bind(r, &r->view.bindings[step->first_binding + i]);
    memcpy(groups, most, sizeof groups);
    if (step->counts != VKB_NONE) {
        struct binding counts = bind(r, &(struct vkb_binding){step->counts, VKB_READ});
        counts.data += 4 * (size_t)vkb_counts_at(step, body),
            counts.cells += vkb_counts_at(step, body);
        if (!touch(r, &counts, sizeof groups, false))
            return false;
        memcpy(groups, counts.data, sizeof groups);
        for (int i = 0; i < 3; i++)
            if (groups[i] > most[i]) {
                snprintf(r->error, r->error_size, "%s: %u workgroups counted, at most %u planned",
                         vkb_text(&r->view, k->label), groups[i], most[i]);
                return false;
            }
    }
    struct group g = {.module = &r->modules[step->kernel],
                      .options = r->options,
                      .body = vkb_body_of(&r->view, step->kernel, body),
                      .bindings = bindings,
                      .nbindings = step->nbindings,
                      .pushed = r->view.pushed + step->first_pushed,
                      .now = r->now,
                      .error = error,
                      .error_size = sizeof error};
    bool ok = run_groups(r, &g, groups);
    if (!ok && error[0])
        snprintf(r->error, r->error_size, "%s: %s", vkb_text(&r->view, k->label), error);
    return ok;
}

/* ---- steps ---- */

/* What comes next sees all that was done. */
static void submit(struct run *r)
{
    r->now.since = ++r->now.step;
}

static bool copy(struct run *r, const struct vkb_step *step)
{
    struct binding from = bind(r, &r->view.bindings[step->first_binding]),
                   to = bind(r, &r->view.bindings[step->first_binding + 1]);
    if (step->bytes > from.bytes || step->bytes > to.bytes) {
        snprintf(r->error, r->error_size, "a copy of %llu bytes from %llu to %llu",
                 (unsigned long long)step->bytes, (unsigned long long)from.bytes,
                 (unsigned long long)to.bytes);
        return false;
    }
    if (!touch(r, &from, step->bytes, false) || !touch(r, &to, step->bytes, true))
        return false;
    memmove(to.data, from.data, step->bytes);
    return true;
}

static bool run_range(struct run *r, uint32_t first, uint32_t count);

/* The first byte of a predicate, or the word of a flag. */
static bool is_set(struct run *r, const struct vkb_step *step, uint32_t bytes)
{
    static const uint8_t zeros[4];
    submit(r);
    return memcmp(bind(r, &r->view.bindings[step->first_binding]).data, zeros, bytes) != 0;
}

static bool repeat(struct run *r, const struct vkb_step *step)
{
    do {
        for (uint32_t round = 0; round < step->times; round++) {
            if (round)
                submit(r);
            if (!run_range(r, step->range_first[0], step->range_count[0]))
                return false;
        }
    } while (step->nbindings && is_set(r, step, 4));
    return true;
}

static bool run_step(struct run *r, const struct vkb_step *step)
{
    switch (step->kind) {
    case VKB_STEP_DISPATCH: return dispatch(r, step);
    case VKB_STEP_COPY: return copy(r, step);
    case VKB_STEP_REPEAT: return repeat(r, step);
    case VKB_STEP_WHILE:
        submit(r);
        for (;;) {
            if (!run_range(r, step->range_first[0], step->range_count[0]))
                return false;
            if (!is_set(r, step, 1))
                return true;
            if (!run_range(r, step->range_first[1], step->range_count[1]))
                return false;
            submit(r);
        }
    case VKB_STEP_IF: {
        bool taken = is_set(r, step, 1);
        return run_range(r, step->range_first[taken ? 0 : 1], step->range_count[taken ? 0 : 1]);
    }
    default: snprintf(r->error, r->error_size, "a step of kind %u", step->kind); return false;
    }
}

static bool run_range(struct run *r, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct vkb_step *step = &r->view.steps[i];
        r->now.step++;
        if (step->barrier)
            submit(r);
        if (!run_step(r, step)) {
            size_t n = strlen(r->error);
            snprintf(r->error + n, r->error_size - n, " (step %u)", i);
            return false;
        }
        if (step->kind != VKB_STEP_DISPATCH && step->kind != VKB_STEP_COPY)
            submit(r);
    }
    return true;
}

/* ---- a run ---- */

static bool open_memory(struct run *r, const void *const *inputs)
{
    const struct vkb_program *p = r->view.program;
    bool ok = open_region(r, &r->constants, r->view.constants_bytes, r->view.constants,
                          r->view.constants_bytes) &&
              open_region(r, &r->arena, p->arena_bytes, NULL, 0);
    for (uint32_t i = 0; ok && i < p->ninputs + p->noutputs; i++) {
        const struct vkb_tensor *t = &r->view.tensors[i];
        ok = open_region(r, &r->tensors[i], t->bytes, i < p->ninputs ? inputs[i] : NULL, t->bytes);
    }
    return ok;
}

/* An output in place of an input has its memory. */
static void alias_outputs(struct run *r, bool back)
{
    const struct vkb_program *p = r->view.program;
    for (uint32_t i = 0; i < p->noutputs; i++) {
        uint32_t input = r->view.tensors[p->ninputs + i].alias;
        if (input == VKB_NONE)
            continue;
        struct region held = r->tensors[p->ninputs + i];
        if (back) {
            r->tensors[input] = (struct region){0};
        } else {
            close_region(&held);
            r->tensors[p->ninputs + i] = r->tensors[input];
        }
    }
}

static bool open_modules(struct run *r)
{
    char error[256];
    for (uint32_t i = 0; i < r->view.nkernels; i++) {
        const struct vkb_body *b = vkb_body_of(&r->view, i, taken(r, i));
        if (!module_open(r->view.spirv + b->spirv_first, b->spirv_count, &r->modules[i], error,
                         sizeof error)) {
            snprintf(r->error, r->error_size, "%s: %s",
                     vkb_text(&r->view, r->view.kernels[i].label), error);
            return false;
        }
    }
    return true;
}

bool machine_run(const void *bundle, size_t size, const void *const *inputs, void **outputs,
                 const struct machine_options *options, char *error, size_t error_size)
{
    struct run r = {.options = options,
                    .random = options->seed,
                    .error = error,
                    .error_size = error_size,
                    .now = {1, 1}};
    if (!bundle_open(bundle, size, &r.view, error, error_size))
        return false;
    const struct vkb_program *p = r.view.program;
    uint32_t ntensors = p->ninputs + p->noutputs;
    r.tensors = calloc((size_t)ntensors + 1, sizeof *r.tensors);
    r.modules = calloc((size_t)r.view.nkernels + 1, sizeof *r.modules);
    bool ok = r.tensors && r.modules && open_memory(&r, inputs);
    if (ok) {
        alias_outputs(&r, false);
        ok = open_modules(&r) && run_range(&r, p->main_first, p->main_count);
        alias_outputs(&r, true);
    }
    for (uint32_t i = 0; r.tensors && i < ntensors; i++) {
        if (ok && i >= p->ninputs) {
            outputs[i - p->ninputs] = r.tensors[i].data;
            r.tensors[i].data = NULL;
        }
        close_region(&r.tensors[i]);
    }
    for (uint32_t i = 0; r.modules && i < r.view.nkernels; i++)
        module_close(&r.modules[i]);
    close_region(&r.constants);
    close_region(&r.arena);
    free(r.tensors);
    free(r.modules);
    return ok;
}
