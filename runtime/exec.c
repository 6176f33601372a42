/* vkr_run and vkr_call: submit what was recorded, and follow the script. A program with one
   segment is one submission, and nothing waits. A run that the host steers holds its buffers and
   the program until it is over. It goes on in steps, so that no thread waits while a
   callback works, and so that it can be ended between any two of them. */
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "run.h"
#include "trace.h"

#define BLOCKS_AHEAD \
    4u /* of a loop, between two looks at its flag: a look costs what a round or two do */
#define GROWTH 4u          /* of what is submitted at once of a repetition */
#define SHORT_NS 25000000u /* a submission that is worth making larger */
#define LONG_NS \
    250000000u /* one that should have been smaller: what was submitted cannot be ended */

/* ---- submitting ---- */

static vkr_status submit(struct vkr_call *run, const VkCommandBuffer *commands, uint32_t count,
                         vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = queue_submit(&program->device->queue, commands, count, &run->value, err);
    if (status)
        return status;
    run->slot->last_value = run->value;
    run->slot->last_tick = ++program->run_tick;
    return VKR_OK;
}

/* Submits the segments gathered since the last flush; when profiling, waits for their times. */
static vkr_status flush(struct vkr_call *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = VKR_OK;
    uint32_t count = run->nbatch;
    double start = trace_now();
    run->nbatch = 0;
    if (!count)
        return VKR_OK;
    status = submit(run, program->batch, count, err);
    if (!status)
        run->before = run->last, run->last = run->value;
    if (program->times || program->script.is_single) {
        if (!status)
            status = queue_wait(&program->device->queue, run->value, err);
        status = trace_step(program, program->batch_segments[0], start, status, err);
    }
    for (uint32_t i = 0; !status && program->times && i < count; i++)
        status = profile_collect(program, run->slot->queries, program->batch_segments[i], err);
    return status;
}

/* Waits until no more of this run is in flight than two submissions, and of all runs than there
   may be. What is submitted at once follows the time that it takes. */
static vkr_status pace(struct vkr_call *run, vkr_error *err)
{
    struct queue *q = &run->program->device->queue;
    vkr_status status = VKR_OK;
    if (q->submitted > QUEUE_IN_FLIGHT)
        status = run_wait(run, q->submitted - QUEUE_IN_FLIGHT, err);
    if (status || run->is_late || !run->before)
        return status;
    status = run_wait(run, run->before, err);
    if (status || run->is_late)
        return status;
    uint64_t now = queue_now(), took = now - run->paced_ns;
    run->before = 0;
    run->paced_ns = now;
    if (took < SHORT_NS)
        run->most = run->most * GROWTH < BATCH_LIMIT ? run->most * GROWTH : BATCH_LIMIT;
    else if (took > LONG_NS)
        run->most = run->most / GROWTH ? run->most / GROWTH : 1;
    return VKR_OK;
}

/* Gathers the segment, `times` over, from run->rounds on; `most` in one submission. What is
   timed is submitted one by one: a next round takes the same queries. */
static vkr_status push(struct vkr_call *run, uint32_t segment, uint32_t times, const uint32_t *most,
                       vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = VKR_OK;
    while (!status && run->rounds < times) {
        if (!run->nbatch)
            status = pace(run, err);
        if (status || run->is_late)
            return status;
        program->batch[run->nbatch] = run->slot->commands[segment];
        program->batch_segments[run->nbatch++] = segment;
        program->device->gpu.counters.dispatches += program->script.segments[segment].ndispatches;
        bool is_last = ++run->rounds == times;
        if (run->nbatch >= *most || (program->times && !is_last) || program->script.is_single)
            status = flush(run, err);
    }
    return status;
}

/* The run may be late instead. */
static vkr_status read_predicate(struct vkr_call *run, uint32_t buffer, bool *out, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = flush(run, err);
    if (!status)
        status = run_wait(run, run->value, err);
    if (status || run->is_late)
        return status;
    struct place place = program_place(program, run->slot->places, buffer);
    struct chunk_place at = chunk_place(place.chunk, place.at);
    *out = program->device->gpu.memory_types.direct_read >= 4 ? at.piece->block->mapped[at.offset]
                                                              : program->predicate.mapped[0];
    return VKR_OK;
}

/* ---- callbacks ---- */

static void host_call_finish(struct host_call *call)
{
    free(call->bytes);
    free(call->pointers);
    free(call->sizes);
    memset(call, 0, sizeof *call);
}

static vkr_status host_call_init(const struct vkb_view *v, const struct vkb_step *step,
                                 struct host_call *out, vkr_error *err)
{
    uint64_t total = 0;
    *out = (struct host_call){.count = step->nbindings};
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

static const struct vkb_step *host_step(const struct vkr_call *run)
{
    return &run->program->bundle.steps[run->program->script.items[run->at].argument];
}

/* Reads what the callback is handed; from then on it is the callback's turn. */
static vkr_status ask_host(struct vkr_call *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    const struct vkb_step *step = host_step(run);
    const struct vkb_binding *bindings = &program->bundle.bindings[step->first_binding];
    vkr_status status = flush(run, err);
    uint64_t ready = run_ready(run);
    if (!status)
        status = run_wait(run, ready, err);
    if (status || run->is_late)
        return status;
    status = host_call_init(&program->bundle, step, &run->host, err);
    for (uint32_t i = 0; !status && i < run->host.nread; i++) {
        struct place place = program_place(program, run->slot->places, bindings[i].buffer);
        status = staging_read(&program->device->staging, place.chunk, place.at,
                              run->host.pointers[i], run->host.sizes[i], ready, err);
    }
    run->stage = RUN_CALLBACK;
    return status;
}

/* Writes what the callback has made. */
static vkr_status hear_host(struct vkr_call *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    const struct vkb_step *step = host_step(run);
    const struct vkb_binding *bindings = &program->bundle.bindings[step->first_binding];
    vkr_status status = VKR_OK;
    uint64_t ready = run_ready(run);
    for (uint32_t i = run->host.nread; !status && i < run->host.count; i++) {
        struct place place = program_place(program, run->slot->places, bindings[i].buffer);
        status = staging_write(&program->device->staging, place.chunk, place.at,
                               run->host.pointers[i], run->host.sizes[i], ready, &run->value, err);
    }
    host_call_finish(&run->host);
    run->stage = RUN_FOLLOW;
    run->at++;
    return status;
}

/* ---- following ---- */

static const uint32_t batch_limit = BATCH_LIMIT;

/* A segment, or a long repetition of one: of that, what is submitted at once begins small. */
static vkr_status run_times(struct vkr_call *run, const struct script_item *item, vkr_error *err)
{
    bool is_long = item->times > 1;
    if (is_long && !run->rounds) {
        run->most = 1;
        run->last = run->before = 0;
        run->paced_ns = queue_now();
    }
    vkr_status status =
        push(run, item->argument, item->times, is_long ? &run->most : &batch_limit, err);
    if (!run->is_late)
        run->rounds = 0, run->at++;
    return status;
}

/* Until the flag is 0. The host looks after the first block, then after two more, then after
   each four: short loops end soon, and of long ones the looks are a small part. Blocks that take
   long are fewer again. */
static vkr_status run_until(struct vkr_call *run, const struct script_item *item, bool *out_over,
                            vkr_error *err)
{
    bool goes_on = true;
    if (!run->blocks)
        run->blocks = 1, run->paced_ns = queue_now();
    vkr_status status = push(run, item->argument, run->blocks, &batch_limit, err);
    if (!status && !run->is_late)
        status = read_predicate(run, item->buffer, &goes_on, err);
    if (status || run->is_late)
        return status;
    uint64_t now = queue_now();
    if (now - run->paced_ns > LONG_NS)
        run->blocks = run->blocks > 1 ? run->blocks / 2 : 1;
    else
        run->blocks = 2 * run->blocks < BLOCKS_AHEAD ? 2 * run->blocks : BLOCKS_AHEAD;
    run->paced_ns = now;
    run->rounds = 0;
    if (!goes_on)
        run->blocks = 0;
    *out_over = !goes_on;
    return VKR_OK;
}

/* Goes on until the script ends, a callback is to work, or the run is late. */
static vkr_status follow_script(struct vkr_call *run, vkr_error *err)
{
    const struct script *script = &run->program->script;
    vkr_status status = VKR_OK;
    while (!status && !run->is_late && run->stage == RUN_FOLLOW) {
        const struct script_item *item = &script->items[run->at];
        bool is_true = false;
        switch (item->op) {
        case SCRIPT_SUBMIT: status = run_times(run, item, err); break;
        case SCRIPT_UNTIL:
            status = run_until(run, item, &is_true, err);
            run->at += is_true;
            break;
        case SCRIPT_UNLESS:
            status = read_predicate(run, item->buffer, &is_true, err);
            if (!run->is_late)
                run->at = is_true ? run->at + 1 : item->argument;
            break;
        case SCRIPT_JUMP: run->at = item->argument; break;
        case SCRIPT_HOST: status = ask_host(run, err); break;
        case SCRIPT_END:
            status = flush(run, err);
            run->is_done = true;
            return status;
        }
        run->is_late |= run->until != UINT64_MAX && queue_now() >= run->until;
    }
    return status;
}

/* ---- running ---- */

static bool is_steered(const struct vkr_program *program)
{
    return program->script.is_steered || program->times;
}

static vkr_status throttle(struct vkr_call *run, vkr_error *err)
{
    uint64_t submitted = run->program->device->queue.submitted;
    return submitted > QUEUE_IN_FLIGHT ? run_wait(run, submitted - QUEUE_IN_FLIGHT, err) : VKR_OK;
}

/* The one segment, if there are any steps; before it what a program that is not trusted begins
   with. */
static vkr_status submit_plain(struct vkr_call *run, vkr_error *err)
{
    const struct vkr_program *program = run->program;
    const VkCommandBuffer *commands = run->slot->commands;
    uint32_t nsegments = program->script.nsegments, count = 0;
    VkCommandBuffer all[2];
    if (program->untrusted)
        all[count++] = commands[nsegments];
    if (nsegments)
        all[count++] = commands[0];
    return count ? submit(run, all, count, err) : VKR_OK;
}

/* The run may be late instead, with nothing done. */
static vkr_status run_plain(struct vkr_call *run, vkr_error *err)
{
    struct vkr_program *program = run->program;
    vkr_status status = throttle(run, err);
    if (!status && !run->is_late)
        status = run_bind(run, err);
    if (status || run->is_late)
        return status;
    status = submit_plain(run, err);
    if (status) {
        run_unbind(run);
        return status;
    }
    program->device->gpu.counters.dispatches +=
        program->script.nsegments ? program->script.segments[0].ndispatches : 0;
    run_note_uses(run);
    run_publish(run);
    return VKR_OK;
}

/* Ends a run in whatever state, and passes the program on. What was submitted finishes by
   itself. */
static void run_end(struct vkr_call *run, vkr_status status)
{
    struct vkr_program *program = run->program;
    if (run->slot) {
        run_note_uses(run);
        if (run->is_done && !status)
            run_publish(run);
        else
            run_unbind(run);
        run_pin(run, false);
    }
    host_call_finish(&run->host);
    if (program->holder == run) {
        program->holder = NULL;
        pthread_cond_broadcast(&program->turn);
        trace_run(program, &run->counters, run->start);
    }
    run->is_done &= !status;
    run->stage = RUN_OVER;
}

/* One step of a run that holds the program. */
static vkr_status run_steered(struct vkr_call *run, vkr_error *err)
{
    vkr_status status = VKR_OK;
    if (run->stage == RUN_CALLBACK)
        status = hear_host(run, err);
    if (!status && run->stage == RUN_BIND) {
        status = throttle(run, err);
        if (!status && !run->is_late)
            status = run_bind(run, err);
        if (!status && !run->is_late) {
            run_pin(run, true);
            run->stage = RUN_FOLLOW;
            if (run->program->untrusted)
                status = submit(run, &run->slot->commands[run->program->script.nsegments], 1, err);
        }
    }
    if (!status && run->stage == RUN_FOLLOW)
        status = follow_script(run, err);
    if (status || run->is_done)
        run_end(run, status);
    return status;
}

static void take_turn(struct vkr_call *run)
{
    struct vkr_device *device = run->program->device;
    run->program->holder = run;
    run->stage = RUN_BIND;
    run->start = device->gpu.debug.trace ? trace_now() : 0;
    run->counters = device->gpu.debug.trace ? device->gpu.counters : (vkr_counters){0};
}

static vkr_status check_call(const struct vkr_call *run, uint32_t ninputs, uint32_t noutputs,
                             vkr_error *err)
{
    const struct vkr_program *program = run->program;
    if (!program)
        return error_set(err, VKR_INVALID_ARGUMENT, "the program is NULL");
    const struct vkb_program *p = program->bundle.program;
    if (ninputs != p->ninputs || noutputs != p->noutputs)
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "%s has %u inputs and %u outputs, %u and %u were given",
                         program_name(program), p->ninputs, p->noutputs, ninputs, noutputs);
    if ((!run->inputs && ninputs) || (!run->outputs && noutputs))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_run: an argument is NULL");
    return gpu_check(&program->device->gpu, err);
}

/* ---- a run as one call ---- */

static bool call_back(struct vkr_call *run, const vkr_run_options *options)
{
    struct host_call *host = &run->host;
    return options->callback(options->callback_context, host_step(run)->kernel,
                             (const void *const *)host->pointers, host->sizes, host->nread,
                             host->pointers + host->nread, host->sizes + host->nread,
                             host->count - host->nread);
}

/* With the device lock held. */
static vkr_status run_through(struct vkr_call *run, const vkr_run_options *options, vkr_error *err)
{
    struct vkr_program *program = run->program;
    struct vkr_device *device = program->device;
    const struct vkr_call *holder = program->holder;
    if (holder && holder->is_blocking && pthread_equal(holder->thread, pthread_self()))
        return error_set(err, VKR_INVALID_ARGUMENT, "a callback of the program runs the program");
    while (program->holder)
        pthread_cond_wait(&program->turn, &device->gpu.lock);
    run->is_blocking = true;
    run->thread = pthread_self();
    take_turn(run);
    vkr_status status = VKR_OK;
    while (!status && !run->is_done) {
        status = run_steered(run, err);
        if (status || run->stage != RUN_CALLBACK)
            continue;
        pthread_mutex_unlock(&device->gpu.lock);
        bool ok = call_back(run, options);
        pthread_mutex_lock(&device->gpu.lock);
        if (ok)
            continue;
        status = error_set(err, VKR_CALLBACK_FAILED, "callback %u of %s failed",
                           host_step(run)->kernel, program_name(program));
        run_end(run, status);
    }
    return status;
}

vkr_status vkr_run(struct vkr_program *program, const vkr_buffer *inputs, uint32_t ninputs,
                   vkr_buffer *outputs, uint32_t noutputs, const vkr_run_options *options,
                   vkr_error *err)
{
    struct vkr_call run = {
        .program = program, .inputs = inputs, .outputs = outputs, .until = UINT64_MAX};
    vkr_status status = check_call(&run, ninputs, noutputs, err);
    if (status)
        return status;
    if (program->script.has_host_steps && (!options || !options->callback))
        return error_set(err, VKR_INVALID_ARGUMENT, "%s calls the host: it needs a callback",
                         program_name(program));
    struct vkr_device *device = program->device;
    double start = device->gpu.debug.trace ? trace_now() : 0;
    pthread_mutex_lock(&device->gpu.lock);
    vkr_counters before = device->gpu.debug.trace ? device->gpu.counters : (vkr_counters){0};
    if (is_steered(program))
        status = run_through(&run, options, err);
    else {
        status = run_plain(&run, err);
        trace_run(program, &before, start);
    }
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

/* ---- a run in steps ---- */

vkr_status vkr_call_begin(struct vkr_program *program, const vkr_buffer *inputs, uint32_t ninputs,
                          vkr_buffer *outputs, uint32_t noutputs, struct vkr_call **out,
                          vkr_error *err)
{
    struct vkr_call run = {.program = program, .inputs = inputs, .outputs = outputs};
    vkr_status status =
        out ? check_call(&run, ninputs, noutputs, err)
            : error_set(err, VKR_INVALID_ARGUMENT, "vkr_call_begin: an argument is NULL");
    if (status)
        return status;
    *out = host_alloc(1, sizeof **out);
    if (!*out)
        return error_memory(err);
    **out = run;
    return VKR_OK;
}

static vkr_status step_plain(struct vkr_call *run, vkr_error *err)
{
    struct vkr_device *device = run->program->device;
    double start = device->gpu.debug.trace ? trace_now() : 0;
    vkr_counters before = device->gpu.debug.trace ? device->gpu.counters : (vkr_counters){0};
    vkr_status status = run_plain(run, err);
    if (run->is_late)
        return status;
    run->is_done = !status;
    run->stage = RUN_OVER;
    run->slot = NULL;
    trace_run(run->program, &before, start);
    return status;
}

vkr_status vkr_try_run(struct vkr_program *program, const vkr_buffer *inputs, uint32_t ninputs,
                       vkr_buffer *outputs, uint32_t noutputs, bool *out_done, vkr_error *err)
{
    struct vkr_call run = {
        .program = program, .inputs = inputs, .outputs = outputs, .is_hurried = true};
    vkr_status status =
        out_done ? check_call(&run, ninputs, noutputs, err)
                 : error_set(err, VKR_INVALID_ARGUMENT, "vkr_try_run: an argument is NULL");
    if (status)
        return status;
    *out_done = false;
    if (is_steered(program) || pthread_mutex_trylock(&program->device->gpu.lock))
        return VKR_OK;
    vkr_error failed = {0};
    program->device->pool.is_hurried = true;
    status = step_plain(&run, &failed);
    program->device->pool.is_hurried = false;
    pthread_mutex_unlock(&program->device->gpu.lock);
    if (status && err)
        *err = failed;
    *out_done = run.is_done;
    return status;
}

static vkr_call_state state_of(const struct vkr_call *run)
{
    switch (run->stage) {
    case RUN_TURN: return is_steered(run->program) ? VKR_CALL_TURN : VKR_CALL_AGAIN;
    case RUN_CALLBACK: return VKR_CALL_CALLBACK;
    case RUN_OVER: return VKR_CALL_DONE;
    default: return VKR_CALL_AGAIN;
    }
}

vkr_status vkr_call_step(struct vkr_call *run, uint64_t ns, vkr_call_state *out, vkr_error *err)
{
    vkr_status status = VKR_OK;
    if (!run || !out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_call_step: an argument is NULL");
    struct vkr_program *program = run->program;
    pthread_mutex_lock(&program->device->gpu.lock);
    uint64_t now = queue_now();
    run->until = ns < UINT64_MAX - now ? now + ns : UINT64_MAX;
    run->is_late = false;
    if (run->stage == RUN_OVER && !run->is_done)
        status = error_set(err, VKR_INVALID_ARGUMENT, "the run has failed before");
    else if (run->stage != RUN_OVER && !is_steered(program))
        status = step_plain(run, err);
    else if (run->stage != RUN_OVER) {
        if (run->stage == RUN_TURN && !program->holder)
            take_turn(run);
        if (run->stage != RUN_TURN)
            status = run_steered(run, err);
    }
    *out = state_of(run);
    pthread_mutex_unlock(&program->device->gpu.lock);
    return status;
}

void vkr_call_get_callback(const struct vkr_call *run, vkr_call_callback *out)
{
    const struct host_call *host = &run->host;
    *out = (vkr_call_callback){0};
    if (run->stage == RUN_CALLBACK)
        *out = (vkr_call_callback){.index = host_step(run)->kernel,
                                   .ninputs = host->nread,
                                   .noutputs = host->count - host->nread,
                                   .inputs = (const void *const *)host->pointers,
                                   .outputs = host->pointers + host->nread,
                                   .input_bytes = host->sizes,
                                   .output_bytes = host->sizes + host->nread};
}

void vkr_call_end(struct vkr_call *run)
{
    if (!run)
        return;
    pthread_mutex_lock(&run->program->device->gpu.lock);
    if (run->stage != RUN_OVER)
        run_end(run, VKR_OK);
    pthread_mutex_unlock(&run->program->device->gpu.lock);
    free(run);
}
