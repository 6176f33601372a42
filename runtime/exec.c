/* vkr_run: bind the caller's buffers to a slot, submit what was recorded, note who used what. A program
   with one segment is one submission, and nothing waits. One that the host steers holds its buffers and
   the program for the whole run, and drops the device lock while it waits. */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "trace.h"

#define BLOCKS_AHEAD 4u             /* of a loop, between two looks at its flag: a look costs what a round or two do */

/* One call of vkr_run. */
struct run {
    struct vkr_program *program;
    const vkr_buffer *inputs;
    vkr_buffer *outputs;
    const vkr_run_options *options;
    struct slot *slot;
    uint64_t value;                 /* last submission of this run */
    uint32_t nbatch;                /* segments in program->batch */
};

static const struct vkb_tensor *input_tensor(const struct run *run, uint32_t index)
{
    return &run->program->bundle.tensors[index];
}

static const struct vkb_tensor *output_tensor(const struct run *run, uint32_t index)
{
    return &run->program->bundle.tensors[run->program->bundle.program->ninputs + index];
}

/* ---- binding ---- */

static vkr_status check_size(const struct run *run, const char *what, uint32_t index, const struct vkb_tensor *t,
                             const struct buffer *b, vkr_error *err)
{
    if (b->bytes == t->bytes)
        return VKR_OK;
    return error_set(err, VKR_SIZE_MISMATCH, "%s %u (%s) of %s has %llu bytes, the buffer has %llu", what, index,
                     vkb_text(&run->program->bundle, t->name), program_name(run->program),
                     (unsigned long long)t->bytes, (unsigned long long)b->bytes);
}

static vkr_status bind_inputs(struct run *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = VKR_OK;
    for (uint32_t i = 0; !status && i < program->bundle.program->ninputs; i++) {
        const struct vkb_tensor *t = input_tensor(run, i);
        program->bound[i] = NULL;
        if (!run->inputs[i] && !t->used)
            continue;
        if (!run->inputs[i])
            return error_set(err, VKR_INVALID_ARGUMENT, "input %u (%s) is missing", i, vkb_text(&program->bundle, t->name));
        status = buffer_resolve(program->device, run->inputs[i], &program->bound[i], err);
        if (!status)
            status = check_size(run, "input", i, t, program->bound[i], err);
    }
    return status;
}

/* Resolves outputs, or makes them; those made are freed again by unbind_outputs. */
static vkr_status bind_output(struct run *run, uint32_t index, vkr_error *err)
{
    struct vkr_program *program = run->program;
    const struct vkb_tensor *t = output_tensor(run, index);
    struct buffer **bound = &program->bound[program->bundle.program->ninputs + index];
    struct buffer *donated = t->alias == VKB_NONE ? NULL : program->bound[t->alias];
    if (donated) {
        if (run->outputs[index] && run->outputs[index] != run->inputs[t->alias])
            return error_set(err, VKR_INVALID_ARGUMENT, "output %u takes over input %u: it must be 0 or that input's buffer", index,
                             t->alias);
        *bound = donated;
        return buffer_check_own(donated, err);
    }
    if (!run->outputs[index])
        return buffer_new(program->device, t->bytes, bound, err);
    vkr_status status = buffer_resolve(program->device, run->outputs[index], bound, err);
    if (!status)
        status = check_size(run, "output", index, t, *bound, err);
    return status ? status : buffer_check_own(*bound, err);
}

/* Frees the outputs that bind_output made, of the first `count`. */
static void unbind_outputs(struct run *run, uint32_t count)
{
    struct vkr_program *program = run->program;
    for (uint32_t i = 0; i < count; i++) {
        const struct vkb_tensor *t = output_tensor(run, i);
        bool is_donated = t->alias != VKB_NONE && program->bound[t->alias];
        if (!run->outputs[i] && !is_donated)
            buffer_release(program->device, program->bound[program->bundle.program->ninputs + i]);
    }
}

/* No buffer that is written may be bound twice: the plan does not expect it. */
static vkr_status check_distinct(struct run *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    uint32_t ninputs = program->bundle.program->ninputs, noutputs = program->bundle.program->noutputs;
    uint64_t mark = ++program->device->run_serial;
    for (uint32_t i = 0; i < noutputs; i++) {
        struct buffer *b = program->bound[ninputs + i];
        if (b->chunk->mark == mark)
            return error_set(err, VKR_INVALID_ARGUMENT, "output %u: its buffer is bound to another output too", i);
        b->chunk->mark = mark;
    }
    for (uint32_t i = 0; i < ninputs; i++)
        if (program->bound[i] && input_tensor(run, i)->used && !program->is_donated[i] && program->bound[i]->chunk->mark == mark)
            return error_set(err, VKR_INVALID_ARGUMENT, "input %u: its buffer is bound to an output, or donated, too", i);
    return VKR_OK;
}

static void fill_places(struct vkr_program *program)
{
    for (uint32_t i = 0; i < program->bundle.ntensors; i++) {
        struct chunk *c = program->bound[i] ? program->bound[i]->chunk : NULL;
        program->places[i] = c ? (struct place){chunk_serial(c), c->block->buffer, c->offset, c, 0} : (struct place){0};
    }
}

/* Binds everything to run->slot. On success outputs that were 0 have buffers, not yet told to the caller.
   *Blocks*, dropping the lock, only if every slot is in use by unfinished runs. */
static vkr_status bind(struct run *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    struct vkr_device *device = program->device;
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
            if (!run->slot) {
                status = slot_take(program, &run->slot, &wait, err);
                if (!status && run->slot)
                    status = slot_bind(program, run->slot, hash, err);
            }
        }
        if (!status && run->slot)
            return VKR_OK;
        unbind_outputs(run, nbound);
        if (status)
            return status;
        status = queue_wait(device, wait, err);
        if (status)
            return status;
    }
}

/* Notes the run's last submission at all it touched, and hands out the outputs' handles. */
static void note_uses(struct run *run)
{
    struct vkr_program *program = run->program;
    uint32_t ninputs = program->bundle.program->ninputs;
    for (uint32_t i = 0; i < program->bundle.ntensors; i++)
        if (program->bound[i])
            buffer_note(program->bound[i], run->value, i >= ninputs);
    if (run->value > program->last_value)
        program->last_value = run->value;
}

static void publish_outputs(struct run *run)
{
    struct vkr_program *program = run->program;
    for (uint32_t i = 0; i < program->bundle.program->noutputs; i++)
        run->outputs[i] = buffer_handle(program->device, program->bound[program->bundle.program->ninputs + i]);
}

/* ---- submitting ---- */

static vkr_status submit(struct run *run, const VkCommandBuffer *commands, uint32_t count, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = queue_submit(program->device, commands, count, &run->value, err);
    if (status)
        return status;
    run->slot->last_value = run->value;
    run->slot->last_tick = ++program->run_tick;
    return VKR_OK;
}

/* Submits the segments gathered since the last flush; when profiling, waits for their times. */
static vkr_status flush(struct run *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = VKR_OK;
    uint32_t count = run->nbatch;
    double start = trace_now();
    run->nbatch = 0;
    if (count)
        status = submit(run, program->batch, count, err);
    if (count && (program->times || program->script.is_single)) {
        if (!status)
            status = queue_wait(program->device, run->value, err);
        status = trace_step(program, program->batch_segments[0], start, status, err);
    }
    if (!status && count && program->times) {
        for (uint32_t i = 0; !status && i < count; i++)
            status = slot_collect(program, run->slot, program->batch_segments[i], err);
    }
    return status;
}

/* Gathers the segment, `times` over. What is timed is submitted one by one: a next round takes the same queries.
   Of a long repetition no more is in flight than of anything else. */
static vkr_status push(struct run *run, uint32_t segment, uint32_t times, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = VKR_OK;
    for (uint32_t i = 0; !status && i < times; i++) {
        program->batch[run->nbatch] = run->slot->commands[segment];
        program->batch_segments[run->nbatch++] = segment;
        program->device->counters.dispatches += program->script.segments[segment].ndispatches;
        if (run->nbatch < BATCH_LIMIT && !(program->times && i + 1 < times) && !program->script.is_single)
            continue;
        status = flush(run, err);
        if (!status)
            status = queue_throttle(program->device, err);
    }
    return status;
}

static vkr_status read_predicate(struct run *run, uint32_t buffer, bool *out, vkr_error *err)
{
    struct vkr_program *program = run->program;
    struct vkr_device *device = program->device;
    vkr_status status = flush(run, err);
    if (!status)
        status = queue_wait(device, run->value, err);
    if (status)
        return status;
    struct place place = program_place(program, run->slot->places, buffer);
    struct chunk_place at = chunk_place(place.chunk, place.at);
    *out = device->memory_types.direct_read >= 4 ? at.piece->block->mapped[at.offset] : program->predicate.mapped[0];
    return VKR_OK;
}

/* Host copies of the bindings of a host step, one after the other in `bytes`. */
struct host_call {
    uint8_t *bytes;
    void **pointers;
    uint64_t *sizes;
    uint32_t nread;                 /* bindings read; those written follow */
};

static void host_call_finish(struct host_call *call)
{
    free(call->bytes);
    free(call->pointers);
    free(call->sizes);
}

static vkr_status host_call_init(const struct vkb_view *v, const struct vkb_step *step, struct host_call *out, vkr_error *err)
{
    uint64_t total = 0;
    memset(out, 0, sizeof *out);
    out->pointers = host_alloc(step->nbindings, sizeof *out->pointers);
    out->sizes = host_alloc(step->nbindings, sizeof *out->sizes);
    if (!out->pointers || !out->sizes)
        return error_memory(err);
    for (uint32_t i = 0; i < step->nbindings; i++) {
        const struct vkb_binding *b = &v->bindings[step->first_binding + i];
        out->sizes[i] = v->buffers[b->buffer].bytes;
        out->nread += b->access == VKB_READ;
        if (out->sizes[i] > SIZE_MAX / 2 - total - 16)
            return error_memory(err);
        total += (out->sizes[i] + 15) & ~(uint64_t)15;
    }
    out->bytes = host_alloc(1, (size_t)total);
    if (!out->bytes)
        return error_memory(err);
    total = 0;
    for (uint32_t i = 0; i < step->nbindings; i++) {
        out->pointers[i] = out->bytes + total;
        total += (out->sizes[i] + 15) & ~(uint64_t)15;
    }
    return VKR_OK;
}

/* The latest submission that anything bound depends on. */
static uint64_t ready_value(const struct run *run)
{
    uint64_t value = run->value;
    for (uint32_t i = 0; i < run->program->bundle.ntensors; i++)
        if (run->program->bound[i] && run->program->bound[i]->chunk->busy > value)
            value = run->program->bound[i]->chunk->busy;
    return value;
}

static vkr_status call_host(struct run *run, uint32_t step_index, vkr_error *err)
{
    struct vkr_program *program = run->program;
    struct vkr_device *device = program->device;
    const struct vkb_step *step = &program->bundle.steps[step_index];
    const struct vkb_binding *bindings = &program->bundle.bindings[step->first_binding];
    struct host_call call = {0};
    vkr_status status = flush(run, err);
    if (!status)
        status = host_call_init(&program->bundle, step, &call, err);
    uint64_t ready = ready_value(run);
    for (uint32_t i = 0; !status && i < call.nread; i++) {
        struct place place = program_place(program, run->slot->places, bindings[i].buffer);
        status = staging_read(device, place.chunk, place.at, call.pointers[i], call.sizes[i], ready, err);
    }
    if (!status) {
        pthread_mutex_unlock(&device->lock);
        bool ok = run->options->callback(run->options->callback_context, step->kernel, (const void *const *)call.pointers,
                                         call.sizes, call.nread, call.pointers + call.nread, call.sizes + call.nread,
                                         step->nbindings - call.nread);
        pthread_mutex_lock(&device->lock);
        if (!ok)
            status = error_set(err, VKR_CALLBACK_FAILED, "callback %u of %s failed", step->kernel,
                               program_name(program));
    }
    for (uint32_t i = call.nread; !status && i < step->nbindings; i++) {
        struct place place = program_place(program, run->slot->places, bindings[i].buffer);
        status = staging_write(device, place.chunk, place.at, call.pointers[i], call.sizes[i], ready,
                               &run->value, err);
    }
    host_call_finish(&call);
    return status;
}

/* Blocks until the flag is 0. The host looks after the first, then after two more, then after each four: short
   loops end soon, and of long ones the looks are a small part. */
static vkr_status run_until(struct run *run, const struct script_item *item, vkr_error *err)
{
    vkr_status status = VKR_OK;
    bool goes_on = true;
    for (uint32_t blocks = 1; !status && goes_on; blocks = 2 * blocks < BLOCKS_AHEAD ? 2 * blocks : BLOCKS_AHEAD) {
        status = push(run, item->argument, blocks, err);
        if (!status)
            status = read_predicate(run, item->buffer, &goes_on, err);
    }
    return status;
}

static vkr_status follow_script(struct run *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = VKR_OK;
    for (uint32_t at = 0; !status;) {
        const struct script_item *item = &program->script.items[at++];
        bool is_true = false;
        switch (item->op) {
        case SCRIPT_SUBMIT: status = push(run, item->argument, item->times, err); break;
        case SCRIPT_UNTIL: status = run_until(run, item, err); break;
        case SCRIPT_UNLESS:
            status = read_predicate(run, item->buffer, &is_true, err);
            if (!is_true)
                at = item->argument;
            break;
        case SCRIPT_JUMP: at = item->argument; break;
        case SCRIPT_HOST: status = call_host(run, item->argument, err); break;
        case SCRIPT_END: return flush(run, err);
        }
    }
    return status;
}

/* ---- running ---- */

static vkr_status run_plain(struct run *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = bind(run, err);
    if (status)
        return status;
    if (program->script.nsegments)
        status = submit(run, run->slot->commands, 1, err);
    if (status) {
        unbind_outputs(run, program->bundle.program->noutputs);
        return status;
    }
    program->device->counters.dispatches += program->script.nsegments ? program->script.segments[0].ndispatches : 0;
    note_uses(run);
    publish_outputs(run);
    return VKR_OK;
}

static void pin_all(struct vkr_program *program, bool pin)
{
    for (uint32_t i = 0; i < program->bundle.ntensors; i++) {
        if (program->bound[i] && pin)
            buffer_pin(program->bound[i]);
        else if (program->bound[i])
            buffer_unpin(program->device, program->bound[i]);
    }
}

/* With run_lock and the device lock held. */
static vkr_status run_steered(struct run *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = bind(run, err);
    if (status)
        return status;
    program->runner = pthread_self();
    program->is_running = true;
    pin_all(program, true);
    status = follow_script(run, err);
    program->is_running = false;
    note_uses(run);
    if (status)
        unbind_outputs(run, program->bundle.program->noutputs);
    else
        publish_outputs(run);
    pin_all(program, false);
    return status;
}

static vkr_status check_call(const struct run *run, uint32_t ninputs, uint32_t noutputs, vkr_error *err)
{
    const struct vkr_program *program = run->program;
    if (!program)
        return error_set(err, VKR_INVALID_ARGUMENT, "the program is NULL");
    const struct vkb_program *p = program->bundle.program;
    if (ninputs != p->ninputs || noutputs != p->noutputs)
        return error_set(err, VKR_INVALID_ARGUMENT, "%s has %u inputs and %u outputs, %u and %u were given",
                         program_name(program), p->ninputs, p->noutputs, ninputs, noutputs);
    if ((!run->inputs && ninputs) || (!run->outputs && noutputs))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_run: an argument is NULL");
    if (program->script.has_host_steps && (!run->options || !run->options->callback))
        return error_set(err, VKR_INVALID_ARGUMENT, "%s calls the host: it needs a callback", program_name(program));
    return device_check(program->device, err);
}

/* Whether the calling thread is inside a run of this program: a callback that runs it again. */
static bool is_reentered(struct vkr_program *program)
{
    pthread_mutex_lock(&program->device->lock);
    bool is_inside = program->is_running && pthread_equal(program->runner, pthread_self());
    pthread_mutex_unlock(&program->device->lock);
    return is_inside;
}

vkr_status vkr_run(struct vkr_program *program, const vkr_buffer *inputs, uint32_t ninputs, vkr_buffer *outputs, uint32_t noutputs,
                   const vkr_run_options *options, vkr_error *err)
{
    struct run run = {.program = program, .inputs = inputs, .outputs = outputs, .options = options};
    vkr_status status = check_call(&run, ninputs, noutputs, err);
    if (status)
        return status;
    struct vkr_device *device = program->device;
    bool is_serial = program->script.is_steered || program->times;
    if (is_serial && is_reentered(program))
        return error_set(err, VKR_INVALID_ARGUMENT, "a callback of the program runs the program");
    if (is_serial)
        pthread_mutex_lock(&program->run_lock);
    double start = device->debug.trace ? trace_now() : 0;
    pthread_mutex_lock(&device->lock);
    vkr_counters before = device->debug.trace ? device->counters : (vkr_counters){0};
    status = queue_throttle(device, err);
    if (!status)
        status = is_serial ? run_steered(&run, err) : run_plain(&run, err);
    trace_run(program, &before, start);
    pthread_mutex_unlock(&device->lock);
    if (is_serial)
        pthread_mutex_unlock(&program->run_lock);
    return status;
}
