/* Programs: loading, running, and the callbacks of a run.

   A run with host steps calls `answer_from_elixir` on its own, dirty, scheduler thread. It sends
   {nx_vulkan_callback, Call, Index, [Input]} to the handler process and waits for answer(Call, {ok, [Output]})
   or answer(Call, error); the death of the handler ends the wait, too. */
#include <stdlib.h>
#include <string.h>

#include "nif.h"

/* What a run needs to know of a program's inputs and outputs. */
static vkr_status read_signature(struct program *p, vkr_error *err)
{
    vkr_status status = VKR_OK;
    p->ninputs = vkr_program_inputs(p->vkr);
    p->noutputs = vkr_program_outputs(p->vkr);
    p->alias = calloc((size_t)p->noutputs + 1, sizeof *p->alias);
    p->bytes = calloc((size_t)p->noutputs + 1, sizeof *p->bytes);
    if (!p->alias || !p->bytes) {
        strcpy(err->message, "no memory for the signature of a program");
        return VKR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; status == VKR_OK && i < p->noutputs; i++) {
        vkr_tensor_info info = {.alias = -1};
        status = vkr_program_output(p->vkr, i, &info, err);
        p->alias[i] = info.alias;
        p->bytes[i] = info.bytes;
    }
    return status;
}

/* load(Device, Bundle) -> {ok, Program} */
ERL_NIF_TERM nif_load(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    ErlNifBinary bundle;
    if (!d || !enif_inspect_binary(env, argv[1], &bundle))
        return enif_make_badarg(env);
    vkr_error err = {0};
    struct program *p = nif_new_program(d);
    if (!p)
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for a program resource");
    vkr_status status = vkr_program_load(d->vkr, bundle.data, bundle.size, &p->vkr, &err);
    if (status == VKR_OK)
        status = read_signature(p, &err);
    if (status == VKR_OK)
        return nif_ok(env, nif_hand_over(env, p));
    enif_release_resource(p);
    return nif_failed(env, status, &err);
}

static ERL_NIF_TERM tensor_term(ErlNifEnv *env, const vkr_tensor_info *info, bool output)
{
    ERL_NIF_TERM map = enif_make_new_map(env), dims = enif_make_list(env, 0);
    for (uint32_t i = info->rank; i-- > 0;)
        dims = enif_make_list_cell(env, enif_make_uint64(env, info->dims[i]), dims);
    nif_put(env, &map, "name", nif_text(env, info->name));
    nif_put(env, &map, "type", nif_text(env, info->type));
    nif_put(env, &map, "shape", dims);
    PUT_U64(map, *info, bytes);
    if (output)
        nif_put(env, &map, "alias", info->alias < 0 ? nif_atom(env, "nil") : enif_make_int(env, info->alias));
    else
        nif_put(env, &map, "used", nif_boolean(env, info->used));
    return map;
}

ERL_NIF_TERM nif_program_info(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct program *p = nif_get_program(env, argv[0]);
    if (!p)
        return enif_make_badarg(env);
    vkr_program_info info;
    vkr_program_get_info(p->vkr, &info);
    ERL_NIF_TERM map = enif_make_new_map(env), lists[2];
    nif_put(env, &map, "name", nif_text(env, info.name));
    nif_put(env, &map, "producer", nif_text(env, info.producer));
    nif_put(env, &map, "profile", nif_text(env, info.profile));
    PUT_U64(map, info, kernels);
    PUT_U64(map, info, dispatches);
    PUT_U64(map, info, arena_bytes);
    PUT_U64(map, info, unplanned_bytes);
    PUT_U64(map, info, constants_bytes);
    for (int output = 0; output < 2; output++) {
        lists[output] = enif_make_list(env, 0);
        for (uint32_t i = output ? p->noutputs : p->ninputs; i-- > 0;) {
            vkr_tensor_info t = {0};
            vkr_error err = {0};
            vkr_status status = output ? vkr_program_output(p->vkr, i, &t, &err) : vkr_program_input(p->vkr, i, &t, &err);
            if (status != VKR_OK)
                return nif_failed(env, status, &err);
            lists[output] = enif_make_list_cell(env, tensor_term(env, &t, output), lists[output]);
        }
    }
    nif_put(env, &map, "inputs", lists[0]);
    nif_put(env, &map, "outputs", lists[1]);
    return map;
}

/* [{Name, Label, Source, Runs, Seconds, Bytes, Flops}] */
ERL_NIF_TERM nif_program_times(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct program *p = nif_get_program(env, argv[0]);
    if (!p)
        return enif_make_badarg(env);
    vkr_error err = {0};
    uint32_t count = 0, have = 0;
    vkr_status status = vkr_program_times(p->vkr, NULL, 0, &count, &err);
    if (status != VKR_OK)
        return nif_failed(env, status, &err);
    vkr_kernel_time *times = calloc((size_t)count + 1, sizeof *times);
    if (!times)
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for the times of a program");
    status = vkr_program_times(p->vkr, times, count, &have, &err);
    ERL_NIF_TERM result = enif_make_list(env, 0);
    for (uint32_t i = have < count ? have : count; status == VKR_OK && i-- > 0;) {
        const vkr_kernel_time *t = &times[i];
        result = enif_make_list_cell(env,
            enif_make_tuple7(env, nif_text(env, t->name), nif_text(env, t->label), nif_text(env, t->source),
                             enif_make_uint64(env, t->runs), enif_make_double(env, t->seconds),
                             enif_make_uint64(env, t->bytes), enif_make_uint64(env, t->flops)),
            result);
    }
    free(times);
    return status == VKR_OK ? nif_ok(env, result) : nif_failed(env, status, &err);
}

/* ---- callbacks ---- */

/* Copies the answer's binaries to where the run wants them. */
static bool take_answer(struct call *c, void *const *outputs, const uint64_t *output_bytes, uint32_t noutputs)
{
    const ERL_NIF_TERM *pair;
    ERL_NIF_TERM list, head;
    int n;
    unsigned length;
    if (!enif_get_tuple(c->env, c->answer, &n, &pair) || n != 2 || !enif_get_list_length(c->env, pair[1], &length) ||
        length != noutputs)
        return false;
    list = pair[1];
    for (uint32_t i = 0; i < noutputs && enif_get_list_cell(c->env, list, &head, &list); i++) {
        ErlNifBinary bin;
        if (!enif_inspect_binary(c->env, head, &bin) || bin.size != output_bytes[i])
            return false;
        memcpy(outputs[i], bin.data, bin.size);
    }
    return true;
}

static bool answer_from_elixir(void *context, uint32_t callback, const void *const *inputs, const uint64_t *input_bytes,
                               uint32_t ninputs, void *const *outputs, const uint64_t *output_bytes, uint32_t noutputs)
{
    struct call *c = context;
    ErlNifEnv *env = enif_alloc_env();
    if (!env)
        return false;
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (uint32_t i = ninputs; i-- > 0;) {
        ERL_NIF_TERM bin;
        unsigned char *data = enif_make_new_binary(env, input_bytes[i], &bin);
        if (input_bytes[i])
            memcpy(data, inputs[i], input_bytes[i]);
        list = enif_make_list_cell(env, bin, list);
    }
    ERL_NIF_TERM message = enif_make_tuple4(env, nif_atom(env, "nx_vulkan_callback"), enif_make_resource(env, c),
                                            enif_make_uint(env, callback), list);
    enif_mutex_lock(c->lock);
    c->done = false;
    enif_clear_env(c->env);
    enif_mutex_unlock(c->lock);
    bool sent = enif_send(c->caller, &c->handler, env, message) != 0;
    enif_free_env(env);
    if (!sent)
        return false;
    enif_mutex_lock(c->lock);
    while (!c->done && !c->dead)
        enif_cond_wait(c->answered, c->lock);
    bool filled = c->done && take_answer(c, outputs, output_bytes, noutputs);
    enif_mutex_unlock(c->lock);
    return filled;
}

/* answer(Call, Answer) -> ok */
ERL_NIF_TERM nif_answer(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct call *c = nif_get_call(env, argv[0]);
    if (!c)
        return enif_make_badarg(env);
    enif_mutex_lock(c->lock);
    c->answer = enif_make_copy(c->env, argv[1]);
    c->done = true;
    enif_cond_signal(c->answered);
    enif_mutex_unlock(c->lock);
    return nif_atom(env, "ok");
}

/* ---- running ---- */

/* The donated inputs are gone: their handles belong to outputs now. */
static ERL_NIF_TERM outputs_term(ErlNifEnv *env, struct program *p, struct buffer **inputs, const vkr_buffer *handles,
                                 const vkr_buffer *outputs)
{
    ERL_NIF_TERM list = enif_make_list(env, 0), out = list, error = list;
    bool complete = true;
    for (uint32_t j = p->noutputs; j-- > 0;) {
        int32_t i = p->alias[j];
        if (i >= 0 && inputs[i] && outputs[j] == handles[i])
            atomic_store(&inputs[i]->handle, 0);
        if (nif_wrap_buffer(env, p->device, outputs[j], p->bytes[j], &out))
            list = enif_make_list_cell(env, out, list);
        else
            complete = false, error = out;
    }
    return complete ? list : error;
}

/* run(Program, [Buffer | nil], Handler | nil) -> {ok, [Buffer], LiveBytes} */
ERL_NIF_TERM nif_run(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct program *p = nif_get_program(env, argv[0]);
    ERL_NIF_TERM list = argv[1], head, result;
    unsigned length;
    if (!p || !enif_get_list_length(env, list, &length))
        return enif_make_badarg(env);
    if (length != p->ninputs)
        return nif_refused(env, VKR_INVALID_ARGUMENT, "the number of inputs is not that of the program");
    size_t total = (size_t)p->ninputs + p->noutputs + 1;
    vkr_buffer *handles = calloc(total, sizeof *handles), *outputs = handles ? handles + p->ninputs : NULL;
    struct buffer **inputs = calloc((size_t)p->ninputs + 1, sizeof *inputs);
    struct call *call = NULL;
    if (!handles || !inputs) {
        result = nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for the arguments of a run");
        goto out;
    }
    for (uint32_t i = 0; i < p->ninputs && enif_get_list_cell(env, list, &head, &list); i++) {
        inputs[i] = nif_get_buffer(env, head);
        if (!inputs[i] && !enif_is_atom(env, head)) {
            result = enif_make_badarg(env);
            goto out;
        }
        handles[i] = inputs[i] ? atomic_load(&inputs[i]->handle) : 0;
        if (inputs[i] && !handles[i]) {
            result = nif_refused(env, VKR_INVALID_HANDLE, "an input was freed or donated");
            goto out;
        }
    }
    vkr_run_options options = {0};
    ErlNifMonitor monitor;
    ErlNifPid handler;
    if (enif_get_local_pid(env, argv[2], &handler)) {
        call = nif_new_call();
        if (!call || enif_monitor_process(env, call, &handler, &monitor) != 0) {
            result = nif_refused(env, VKR_CALLBACK_FAILED, "the process that answers callbacks is gone");
            goto out;
        }
        call->handler = handler;
        call->caller = env;
        options = (vkr_run_options){.callback = answer_from_elixir, .callback_context = call};
    }
    vkr_error err = {0};
    vkr_status status = vkr_run(p->vkr, handles, p->ninputs, outputs, p->noutputs, call ? &options : NULL, &err);
    if (call)
        enif_demonitor_process(env, call, &monitor);
    if (status == VKR_OK) {
        vkr_counters counters;
        vkr_device_counters(p->device->vkr, &counters);
        ERL_NIF_TERM made = outputs_term(env, p, inputs, handles, outputs);
        result = enif_is_list(env, made)
            ? enif_make_tuple3(env, nif_atom(env, "ok"), made, enif_make_uint64(env, counters.live_bytes)) : made;
    } else {
        result = nif_failed(env, status, &err);
    }
out:
    if (call)
        enif_release_resource(call);
    free(inputs);
    free(handles);
    return result;
}
