#include "nif_program.h"

#include <stdlib.h>
#include <string.h>

#include "nif_job.h"

void nif_program_down(ErlNifEnv *env, void *object)
{
    (void)env;
    struct program *p = object;
    vkr_program_unload(p->vkr);
    free(p->alias);
    free(p->bytes);
    if (p->device)
        enif_release_resource(p->device);
}

/* What a run needs to know of a program's inputs and outputs. */
static vkr_status read_signature(struct program *p, vkr_error *err)
{
    vkr_status status = VKR_OK;
    vkr_program_info program;
    vkr_program_get_info(p->vkr, &program);
    p->is_steered = program.steered;
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

/* What a load works with, in an environment of its own. */
struct load {
    ErlNifEnv *env;
    ErlNifBinary bundle;
    struct program *program; /* holds the device */
    bool is_trusted;
};

static void drop_load(void *with)
{
    struct load *l = with;
    if (l->env)
        enif_free_env(l->env);
    if (l->program)
        enif_release_resource(l->program);
    enif_free(l);
}

static void load_progress(void *job, uint32_t done, uint32_t total)
{
    nif_job_progress(job, "driver", done, total);
}

/* {ok, Program} */
static ERL_NIF_TERM load(ErlNifEnv *env, struct job *job, void *with)
{
    struct load *l = with;
    struct program *p = l->program;
    vkr_load_options options = {.trusted = l->is_trusted,
                                .progress = load_progress,
                                .progress_context = job,
                                .is_cancelled = nif_job_is_ended,
                                .cancel_context = job};
    vkr_error err = {0};
    vkr_status status = vkr_program_load_with(p->device->vkr, l->bundle.data, l->bundle.size,
                                              &options, &p->vkr, &err);
    if (status == VKR_OK)
        status = read_signature(p, &err);
    return status == VKR_OK ? nif_ok(env, enif_make_resource(env, p))
                            : nif_failed(env, status, &err);
}

/* start_load(Ref, Device, Bundle, IsTrusted) -> {ok, Job} */
ERL_NIF_TERM nif_load(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[1]);
    struct load *l = enif_alloc(sizeof *l);
    if (l)
        *l = (struct load){.env = enif_alloc_env(), .is_trusted = nif_is_true(env, argv[3])};
    if (!l || !l->env || (d && !(l->program = nif_new_program(d)))) {
        if (l)
            drop_load(l);
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for a program resource");
    }
    if (!d || !enif_is_ref(env, argv[0]) ||
        !enif_inspect_binary(l->env, enif_make_copy(l->env, argv[2]), &l->bundle)) {
        drop_load(l);
        return enif_make_badarg(env);
    }
    return nif_job_start(env, argv[0], load, l, drop_load);
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
        nif_put(env, &map, "alias",
                info->alias < 0 ? nif_atom(env, "nil") : enif_make_int(env, info->alias));
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
            vkr_status status = output ? vkr_program_output(p->vkr, i, &t, &err)
                                       : vkr_program_input(p->vkr, i, &t, &err);
            if (status != VKR_OK)
                return nif_failed(env, status, &err);
            lists[output] = enif_make_list_cell(env, tensor_term(env, &t, output), lists[output]);
        }
    }
    nif_put(env, &map, "inputs", lists[0]);
    nif_put(env, &map, "outputs", lists[1]);
    return map;
}

/* program_bundle(Program) -> {ok, Binary}: the bytes that it was loaded from, which are not
   copied */
ERL_NIF_TERM nif_program_bundle(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct program *p = nif_get_program(env, argv[0]);
    size_t size;
    if (!p)
        return nif_no_handle(env, argv[0], "the compiled function");
    const void *bundle = vkr_program_bundle(p->vkr, &size);
    return nif_ok(env, enif_make_resource_binary(env, p, bundle, size));
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
        result = enif_make_list_cell(
            env,
            enif_make_tuple7(env, nif_text(env, t->name), nif_text(env, t->label),
                             nif_text(env, t->source), enif_make_uint64(env, t->runs),
                             enif_make_double(env, t->seconds), enif_make_uint64(env, t->bytes),
                             enif_make_uint64(env, t->flops)),
            result);
    }
    free(times);
    return status == VKR_OK ? nif_ok(env, result) : nif_failed(env, status, &err);
}
