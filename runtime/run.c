/* What a run binds: handles to buffers, outputs to new ones, all of them to a slot. */
#include "run.h"

static const struct vkb_tensor *input_tensor(const struct vkr_call *run, uint32_t index)
{
    return &run->program->bundle.tensors[index];
}

static const struct vkb_tensor *output_tensor(const struct vkr_call *run, uint32_t index)
{
    return &run->program->bundle.tensors[run->program->bundle.program->ninputs + index];
}

/* ---- binding ---- */

static vkr_status check_size(const struct vkr_call *run, const char *what, uint32_t index,
                             const struct vkb_tensor *t, const struct buffer *b, vkr_error *err)
{
    if (b->bytes == t->bytes)
        return VKR_OK;
    return error_set(err, VKR_SIZE_MISMATCH, "%s %u (%s) of %s has %llu bytes, the buffer has %llu",
                     what, index, vkb_text(&run->program->bundle, t->name),
                     program_name(run->program), (unsigned long long)t->bytes,
                     (unsigned long long)b->bytes);
}

static vkr_status bind_inputs(struct vkr_call *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = VKR_OK;
    for (uint32_t i = 0; !status && i < program->bundle.program->ninputs; i++) {
        const struct vkb_tensor *t = input_tensor(run, i);
        program->bound[i] = NULL;
        if (!run->inputs[i] && !t->used)
            continue;
        if (!run->inputs[i])
            return error_set(err, VKR_INVALID_ARGUMENT, "input %u (%s) is missing", i,
                             vkb_text(&program->bundle, t->name));
        status = buffer_resolve(&program->device->buffers, run->inputs[i], &program->bound[i], err);
        if (!status)
            status = check_size(run, "input", i, t, program->bound[i], err);
        uint32_t granule = program->has_texels ? VKB_TEXEL_BYTES : 4;
        if (!status && program->untrusted && t->bytes % granule &&
            program->bound[i]->chunk->block->is_foreign)
            status = error_set(err, VKR_INVALID_ARGUMENT,
                               "input %u: memory that was imported has %llu bytes, must be a "
                               "multiple of %u for a program that is not trusted",
                               i, (unsigned long long)t->bytes, granule);
    }
    return status;
}

/* Resolves outputs, or makes them; those made are freed again by unbind_outputs. */
static vkr_status bind_output(struct vkr_call *run, uint32_t index, vkr_error *err)
{
    struct vkr_program *program = run->program;
    const struct vkb_tensor *t = output_tensor(run, index);
    struct buffer **bound = &program->bound[program->bundle.program->ninputs + index];
    struct buffer *donated = t->alias == VKB_NONE ? NULL : program->bound[t->alias];
    if (donated) {
        if (run->outputs[index] && run->outputs[index] != run->inputs[t->alias])
            return error_set(err, VKR_INVALID_ARGUMENT,
                             "output %u takes over input %u: it must be 0 or that input's buffer",
                             index, t->alias);
        *bound = donated;
        return buffer_check_own(donated, err);
    }
    if (!run->outputs[index])
        return buffer_new(&program->device->buffers, t->bytes, bound, err);
    vkr_status status = buffer_resolve(&program->device->buffers, run->outputs[index], bound, err);
    if (!status)
        status = check_size(run, "output", index, t, *bound, err);
    return status ? status : buffer_check_own(*bound, err);
}

/* Frees the outputs that bind_output made, of the first `count`. */
static void unbind_outputs(struct vkr_call *run, uint32_t count)
{
    struct vkr_program *program = run->program;
    for (uint32_t i = 0; i < count; i++) {
        const struct vkb_tensor *t = output_tensor(run, i);
        bool is_donated = t->alias != VKB_NONE && program->bound[t->alias];
        if (!run->outputs[i] && !is_donated)
            buffer_release(&program->device->buffers,
                           program->bound[program->bundle.program->ninputs + i]);
    }
}

/* No buffer that is written may be bound twice: the plan does not expect it. */
static vkr_status check_distinct(struct vkr_call *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    uint32_t ninputs = program->bundle.program->ninputs,
             noutputs = program->bundle.program->noutputs;
    uint64_t mark = ++program->device->run_serial;
    for (uint32_t i = 0; i < noutputs; i++) {
        struct buffer *b = program->bound[ninputs + i];
        if (b->chunk->mark == mark)
            return error_set(err, VKR_INVALID_ARGUMENT,
                             "output %u: its buffer is bound to another output too", i);
        b->chunk->mark = mark;
    }
    for (uint32_t i = 0; i < ninputs; i++)
        if (program->bound[i] && input_tensor(run, i)->used && !program->is_donated[i] &&
            program->bound[i]->chunk->mark == mark)
            return error_set(err, VKR_INVALID_ARGUMENT,
                             "input %u: its buffer is also bound to an output, or donated", i);
    return VKR_OK;
}

static void fill_places(struct vkr_program *program)
{
    for (uint32_t i = 0; i < program->bundle.ntensors; i++) {
        struct chunk *c = program->bound[i] ? program->bound[i]->chunk : NULL;
        program->places[i] = c ? (struct place){chunk_serial(c), c->block->buffer, c->offset, c, 0}
                               : (struct place){0};
    }
}

vkr_status run_bind(struct vkr_call *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    uint32_t noutputs = program->bundle.program->noutputs;
    for (;;) {
        uint64_t wait = 0;
        uint32_t nbound = 0;
        vkr_status status = bind_inputs(run, err);
        while (!status && nbound < noutputs) {
            status = bind_output(run, nbound, err);
            nbound += !status;
        }
        if (!status)
            status = check_distinct(run, err);
        if (!status) {
            fill_places(program);
            uint64_t hash = slot_hash(program);
            run->slot = slot_find(program, hash);
            run->is_late |= run->is_hurried && !run->slot && !slot_is_quick(program);
            if (!run->slot && !run->is_late) {
                status = slot_take(program, &run->slot, &wait, err);
                if (!status && run->slot)
                    status = slot_bind(program, run->slot, hash, err);
            }
        }
        if (!status && run->slot)
            return VKR_OK;
        unbind_outputs(run, nbound);
        run->slot = NULL;
        if (run->is_hurried && status == VKR_TIMEOUT) /* of the pool */
            run->is_late = true, status = VKR_OK;
        if (!status)
            status = run_wait(run, wait, err);
        if (status || run->is_late)
            return status;
    }
}

void run_unbind(struct vkr_call *run)
{
    unbind_outputs(run, run->program->bundle.program->noutputs);
}

/* ---- what becomes of it ---- */

vkr_status run_wait(struct vkr_call *run, uint64_t value, vkr_error *err)
{
    bool done;
    vkr_status status =
        queue_wait_until(&run->program->device->queue, value, run->until, &done, err);
    run->is_late |= !status && !done;
    return status;
}

void run_note_uses(struct vkr_call *run)
{
    struct vkr_program *program = run->program;
    uint32_t ninputs = program->bundle.program->ninputs;
    for (uint32_t i = 0; i < program->bundle.ntensors; i++)
        if (program->bound[i])
            buffer_note(program->bound[i], run->value, i >= ninputs);
    if (run->value > program->last_value)
        program->last_value = run->value;
}

void run_publish(struct vkr_call *run)
{
    struct vkr_program *program = run->program;
    for (uint32_t i = 0; i < program->bundle.program->noutputs; i++)
        run->outputs[i] = buffer_handle(&program->device->buffers,
                                        program->bound[program->bundle.program->ninputs + i]);
}

void run_pin(struct vkr_call *run, bool pin)
{
    struct vkr_program *program = run->program;
    for (uint32_t i = 0; i < program->bundle.ntensors; i++) {
        if (program->bound[i] && pin)
            buffer_pin(program->bound[i]);
        else if (program->bound[i])
            buffer_unpin(&program->device->buffers, program->bound[i]);
    }
}

uint64_t run_ready(const struct vkr_call *run)
{
    uint64_t value = run->value;
    for (uint32_t i = 0; i < run->program->bundle.ntensors; i++)
        if (run->program->bound[i] && run->program->bound[i]->chunk->busy > value)
            value = run->program->bound[i]->chunk->busy;
    return value;
}
