/* Runs, in steps: no scheduler thread waits for Elixir, and none waits for the device for longer
   than it is told to.

   `run` first tries to do all of it at once, where it was called: most runs are submitted in less
   time than it takes to wake a dirty scheduler. What cannot be done at once goes there.

   `run` begins a run and takes its first step; most runs have no other. Otherwise its answer says
   what the process has to do before it calls `resume`, or `cancel`:

     {ok, [Buffer], LiveBytes}              it is done
     {again, Call}                          the time was up
     {callback, Call, Index, [Input]}       resume with the list of outputs
     {turn, Call, Id}                       another run holds the program: {nx_vulkan_turn, Id}
                                            comes when it is over
     {error, {Status, Message}}

   A Call that is garbage-collected, for instance because its process has died, is ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nif_run.h"

/* ---- turns ---- */

/* The runs that wait for a program, by order; and all that wait, so that a circle of them is
   noticed. One lock for all, held for a moment. */
static ErlNifMutex *turns;
static struct call *waiting;

bool nif_open_turns(void)
{
    if (!turns)
        turns = enif_mutex_create("nx_vulkan turns");
    return turns != NULL;
}

/* Whether the process would wait for itself: it holds the program, or a process does that waits
   for one that ... */
static bool is_circle(const struct call *call)
{
    const struct call *holder = call->program->holder;
    while (holder) {
        if (enif_compare_pids(&holder->owner, &call->owner) == 0)
            return true;
        const struct call *w = waiting;
        while (w && enif_compare_pids(&w->owner, &holder->owner) != 0)
            w = w->all_next;
        holder = w ? w->program->holder : NULL;
    }
    return false;
}

static void wait_in_line(struct call *call)
{
    struct call **end = &call->program->line;
    while (*end)
        end = &(*end)->next;
    *end = call;
    call->all_next = waiting;
    waiting = call;
    call->turn = TURN_WAITS;
}

static void leave_line(struct call *call)
{
    struct call **at = &call->program->line;
    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    for (at = &waiting; *at != call; at = &(*at)->all_next)
        ;
    *at = call->all_next;
    call->turn = TURN_NONE;
}

/* Takes the turn, or waits in line for it. *Returns* TURN_NONE if it would never come. One that
   waited is told even if its turn came at once, so this answer counts and not what `turn` is by
   then. */
static enum turn turn_take(struct call *call)
{
    enif_mutex_lock(turns);
    if (!call->program->holder) {
        call->program->holder = call;
        call->turn = TURN_HAS;
    } else if (!is_circle(call))
        wait_in_line(call);
    enum turn turn = call->turn;
    enif_mutex_unlock(turns);
    return turn;
}

/* Hands the turn on; or leaves the line. */
static void turn_release(ErlNifEnv *env, struct call *call)
{
    ErlNifEnv *message = NULL;
    enif_mutex_lock(turns);
    if (call->turn == TURN_WAITS)
        leave_line(call);
    struct call *next = call->turn == TURN_HAS ? call->program->line : NULL;
    if (call->turn == TURN_HAS)
        call->program->holder = next;
    call->turn = TURN_NONE;
    if (next) {
        leave_line(next);
        next->turn = TURN_HAS;
        /* one that is not told is dead, and hands the turn on when it is collected */
        message = enif_alloc_env();
        if (message)
            enif_send(env, &next->owner, message,
                      enif_make_tuple2(message, nif_atom(message, "nx_vulkan_turn"),
                                       enif_make_uint64(message, next->id)));
    }
    enif_mutex_unlock(turns);
    if (message)
        enif_free_env(message);
}

static bool has_turn(struct call *call)
{
    enif_mutex_lock(turns);
    bool has = call->turn != TURN_WAITS;
    enif_mutex_unlock(turns);
    return has;
}

/* ---- what a call holds ---- */

static void end_call(ErlNifEnv *env, struct call *call)
{
    vkr_call_end(call->vkr);
    call->vkr = NULL;
    if (call->program && call->program->is_steered)
        turn_release(env, call);
    for (uint32_t i = 0; call->is_kept && i < call->program->ninputs; i++)
        if (call->inputs[i])
            enif_release_resource(call->inputs[i]);
    if (call->is_kept)
        enif_release_resource(call->program);
    free(call->handles);
    call->is_kept = false;
    call->program = NULL;
    call->handles = NULL;
}

void nif_call_down(ErlNifEnv *env, void *call)
{
    end_call(env, call);
}

/* From now on nothing but the call may hold what it works with. */
static void keep_all(struct call *call)
{
    if (call->is_kept)
        return;
    call->is_kept = true;
    enif_keep_resource(call->program);
    for (uint32_t i = 0; i < call->program->ninputs; i++)
        if (call->inputs[i])
            enif_keep_resource(call->inputs[i]);
}

/* ---- answers ---- */

/* The donated inputs are gone: their handles belong to outputs now. */
static ERL_NIF_TERM outputs_term(ErlNifEnv *env, struct call *call)
{
    struct program *p = call->program;
    ERL_NIF_TERM list = enif_make_list(env, 0), out = list, error = list;
    bool complete = true;
    for (uint32_t j = p->noutputs; j-- > 0;) {
        int32_t i = p->alias[j];
        if (i >= 0 && call->inputs[i] && call->outputs[j] == call->handles[i])
            atomic_store(&call->inputs[i]->handle, 0);
        if (nif_wrap_buffer(env, p->device, call->outputs[j], p->bytes[j], &out))
            list = enif_make_list_cell(env, out, list);
        else
            complete = false, error = out;
    }
    return complete ? list : error;
}

static ERL_NIF_TERM done_term(ErlNifEnv *env, struct call *call)
{
    vkr_counters counters;
    vkr_device_counters(call->program->device->vkr, &counters);
    ERL_NIF_TERM made = outputs_term(env, call);
    return enif_is_list(env, made) ? enif_make_tuple3(env, nif_atom(env, "ok"), made,
                                                      enif_make_uint64(env, counters.live_bytes))
                                   : made;
}

static ERL_NIF_TERM callback_term(ErlNifEnv *env, struct call *call)
{
    vkr_call_callback c;
    vkr_call_get_callback(call->vkr, &c);
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (uint32_t i = c.ninputs; i-- > 0;) {
        ERL_NIF_TERM bin;
        unsigned char *data = enif_make_new_binary(env, c.input_bytes[i], &bin);
        if (c.input_bytes[i])
            memcpy(data, c.inputs[i], c.input_bytes[i]);
        list = enif_make_list_cell(env, bin, list);
    }
    return enif_make_tuple4(env, nif_atom(env, "callback"), enif_make_resource(env, call),
                            enif_make_uint(env, c.index), list);
}

static ERL_NIF_TERM turn_term(ErlNifEnv *env, struct call *call)
{
    return enif_make_tuple3(env, nif_atom(env, "turn"), enif_make_resource(env, call),
                            enif_make_uint64(env, call->id));
}

/* Copies the answer's binaries to where the run wants them. */
static bool take_answer(ErlNifEnv *env, struct call *call, ERL_NIF_TERM list)
{
    vkr_call_callback c;
    ERL_NIF_TERM head;
    unsigned length;
    vkr_call_get_callback(call->vkr, &c);
    if (!enif_get_list_length(env, list, &length) || length != c.noutputs)
        return false;
    for (uint32_t i = 0; i < c.noutputs && enif_get_list_cell(env, list, &head, &list); i++) {
        ErlNifBinary bin;
        if (!enif_inspect_binary(env, head, &bin) || bin.size != c.output_bytes[i])
            return false;
        if (bin.size)
            memcpy(c.outputs[i], bin.data, bin.size);
    }
    return true;
}

/* ---- running ---- */

/* *Returns* false if the run goes on, else with its result, and then it is over. */
static bool is_over_after_step(ErlNifEnv *env, struct call *call, uint64_t ms,
                               vkr_call_state *out_state, ERL_NIF_TERM *out)
{
    vkr_error err = {0};
    vkr_status status = vkr_call_step(call->vkr, ms * 1000000u, out_state, &err);
    if (status == VKR_OK && *out_state != VKR_CALL_DONE)
        return false;
    *out = status == VKR_OK ? done_term(env, call) : nif_failed(env, status, &err);
    end_call(env, call);
    return true;
}

static ERL_NIF_TERM go_on_term(ErlNifEnv *env, struct call *call, vkr_call_state state)
{
    keep_all(call);
    return state == VKR_CALL_CALLBACK
               ? callback_term(env, call)
               : enif_make_tuple2(env, nif_atom(env, "again"), enif_make_resource(env, call));
}

static ERL_NIF_TERM step(ErlNifEnv *env, struct call *call, uint64_t ms)
{
    vkr_call_state state = VKR_CALL_AGAIN;
    ERL_NIF_TERM result;
    return is_over_after_step(env, call, ms, &state, &result) ? result
                                                              : go_on_term(env, call, state);
}

/* Of a program that is not steered: it is over after one step, unless the device is far behind.
   So the call is on the stack, and becomes a resource only if it goes on: a resource for each
   call costs more than all else here. */
static ERL_NIF_TERM step_plain(ErlNifEnv *env, struct call *here, uint64_t ms)
{
    vkr_call_state state = VKR_CALL_AGAIN;
    ERL_NIF_TERM result;
    if (is_over_after_step(env, here, ms, &state, &result))
        return result;
    struct call *call = nif_new_call();
    if (!call)
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for a run");
    call->program = here->program;
    call->vkr = here->vkr;
    call->handles = here->handles;
    call->outputs = here->outputs;
    call->inputs = here->inputs;
    *here = (struct call){0};
    result = go_on_term(env, call, state);
    enif_release_resource(call);
    return result;
}

static ERL_NIF_TERM refuse_circle(ErlNifEnv *env, const struct program *p)
{
    vkr_program_info info;
    vkr_error err = {0};
    vkr_program_get_info(p->vkr, &info);
    snprintf(
        err.message, sizeof err.message,
        "a callback runs %s, which is held by the run that the callback belongs to, or by one that waits for this "
        "process: it would wait for itself",
        info.name);
    return nif_failed(env, VKR_INVALID_ARGUMENT, &err);
}

/* Of one that the host steers, or that calls back: only one run at a time has it. */
static ERL_NIF_TERM step_in_turn(ErlNifEnv *env, struct call *call, uint64_t ms)
{
    static _Atomic uint64_t serial;
    call->id = ++serial;
    enif_self(env, &call->owner);
    switch (turn_take(call)) {
    case TURN_NONE: return refuse_circle(env, call->program);
    case TURN_HAS: return step(env, call, ms);
    default: break;
    }
    keep_all(call);
    return turn_term(env, call);
}

/* The handles of the inputs. *Returns* ok, or what is wrong. */
static ERL_NIF_TERM read_inputs(ErlNifEnv *env, struct call *call, ERL_NIF_TERM list)
{
    struct program *p = call->program;
    ERL_NIF_TERM head;
    size_t n = p->ninputs;
    call->handles = calloc(2 * n + p->noutputs + 1, sizeof *call->handles);
    if (!call->handles)
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for the arguments of a run");
    call->outputs = call->handles + n;
    call->inputs = (struct buffer **)(void *)(call->outputs + p->noutputs);
    for (uint32_t i = 0; i < n && enif_get_list_cell(env, list, &head, &list); i++) {
        struct buffer *b = nif_get_buffer(env, head);
        if (!b && !enif_is_atom(env, head))
            return nif_no_handle(env, head, "an input");
        call->inputs[i] = b;
        call->handles[i] = b ? atomic_load(&b->handle) : 0;
        if (b && !call->handles[i])
            return nif_refused(env, VKR_INVALID_HANDLE, "an input was freed or donated");
    }
    return nif_atom(env, "ok");
}

/* On a dirty scheduler. */
static ERL_NIF_TERM run_in_steps(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct program *p = nif_get_program(env, argv[0]);
    uint64_t ms;
    unsigned length;
    if (!p)
        return nif_no_handle(env, argv[0], "the compiled function");
    if (!enif_get_list_length(env, argv[1], &length) || !nif_get_u64(env, argv[2], &ms) ||
        ms > NIF_MOST_MS)
        return enif_make_badarg(env);
    if (length != p->ninputs)
        return nif_refused(env, VKR_INVALID_ARGUMENT,
                           "the number of inputs differs from the program's");
    struct call here = {0}, *call = p->is_steered ? nif_new_call() : &here;
    if (!call)
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for a run");
    call->program = p;
    vkr_error err = {0};
    ERL_NIF_TERM result = read_inputs(env, call, argv[1]);
    if (enif_is_atom(env, result)) {
        vkr_status status = vkr_call_begin(p->vkr, call->handles, p->ninputs, call->outputs,
                                           p->noutputs, &call->vkr, &err);
        if (status != VKR_OK)
            result = nif_failed(env, status, &err);
        else
            result = p->is_steered ? step_in_turn(env, call, ms) : step_plain(env, call, ms);
    }
    if (!call->is_kept)
        end_call(env, call);
    if (p->is_steered)
        enif_release_resource(call);
    return result;
}

/* The whole run, if it can be had at once. */
static bool is_run_at_once(ErlNifEnv *env, struct program *p, ERL_NIF_TERM inputs,
                           ERL_NIF_TERM *out)
{
    struct call here = {.program = p};
    vkr_error err = {0};
    bool is_done = false;
    *out = read_inputs(env, &here, inputs);
    if (enif_is_atom(env, *out)) {
        vkr_status status = vkr_try_run(p->vkr, here.handles, p->ninputs, here.outputs, p->noutputs,
                                        &is_done, &err);
        if (is_done)
            *out = done_term(env, &here);
        else if (status != VKR_OK)
            *out = nif_failed(env, status, &err), is_done = true;
    } else
        is_done = true;
    free(here.handles);
    return is_done;
}

/* run(Program, [Buffer | nil], Ms) */
ERL_NIF_TERM nif_run(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    struct program *p = nif_get_program(env, argv[0]);
    unsigned length;
    ERL_NIF_TERM result;
    if (p && !p->is_steered && enif_get_list_length(env, argv[1], &length) &&
        length == p->ninputs) {
        ErlNifTime began = nif_now();
        bool is_done = is_run_at_once(env, p, argv[1], &result);
        nif_pay(env, began);
        if (is_done)
            return result;
    }
    return enif_schedule_nif(env, "run", ERL_NIF_DIRTY_JOB_IO_BOUND, run_in_steps, argc, argv);
}

/* resume(Call, [Binary], Ms): the list is the answer of a callback */
ERL_NIF_TERM nif_resume(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct call *call = nif_get_call(env, argv[0]);
    uint64_t ms;
    if (!call || !nif_get_u64(env, argv[2], &ms) || ms > NIF_MOST_MS ||
        atomic_flag_test_and_set(&call->is_busy))
        return enif_make_badarg(env);
    ERL_NIF_TERM result;
    if (!call->vkr)
        result = nif_refused(env, VKR_INVALID_ARGUMENT, "the run is over");
    else if (!has_turn(call))
        result = turn_term(env, call);
    else if (!take_answer(env, call, argv[1])) {
        end_call(env, call);
        result =
            nif_refused(env, VKR_CALLBACK_FAILED,
                        "the results of a callback differ in size from what the program expects");
    } else
        result = step(env, call, ms);
    atomic_flag_clear(&call->is_busy);
    return result;
}

/* cancel(Call) -> ok: ends the run; no message comes any more */
ERL_NIF_TERM nif_cancel(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct call *call = nif_get_call(env, argv[0]);
    if (!call || atomic_flag_test_and_set(&call->is_busy))
        return enif_make_badarg(env);
    end_call(env, call);
    atomic_flag_clear(&call->is_busy);
    return nif_atom(env, "ok");
}
