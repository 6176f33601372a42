/* Resources and terms of the NIF. Resources hold each other: a buffer and a program keep their device, a
   half-made resource holds NULL, and its destructor accepts that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nif.h"

static ErlNifResourceType *device_type, *buffer_type, *program_type, *call_type, *job_type;

/* ---- terms ---- */

ERL_NIF_TERM nif_atom(ErlNifEnv *env, const char *name)
{
    return enif_make_atom(env, name);
}

ERL_NIF_TERM nif_text(ErlNifEnv *env, const char *s)
{
    ERL_NIF_TERM term;
    size_t n = s ? strlen(s) : 0;
    unsigned char *data = enif_make_new_binary(env, n, &term);
    if (n)
        memcpy(data, s, n);
    return term;
}

ERL_NIF_TERM nif_boolean(ErlNifEnv *env, bool b)
{
    return nif_atom(env, b ? "true" : "false");
}

ERL_NIF_TERM nif_ok(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return enif_make_tuple2(env, nif_atom(env, "ok"), term);
}

static const char *const status_atoms[] = {
    [VKR_OK] = "ok",
    [VKR_INVALID_ARGUMENT] = "invalid_argument",
    [VKR_INVALID_HANDLE] = "invalid_handle",
    [VKR_SIZE_MISMATCH] = "size_mismatch",
    [VKR_INVALID_BUNDLE] = "invalid_bundle",
    [VKR_UNSUPPORTED] = "unsupported",
    [VKR_NO_DEVICE] = "no_device",
    [VKR_OUT_OF_HOST_MEMORY] = "out_of_host_memory",
    [VKR_OUT_OF_DEVICE_MEMORY] = "out_of_device_memory",
    [VKR_DEVICE_LOST] = "device_lost",
    [VKR_TIMEOUT] = "timeout",
    [VKR_CALLBACK_FAILED] = "callback_failed",
    [VKR_CANCELLED] = "cancelled",
    [VKR_INTERNAL] = "internal",
};

/* {error, {Status, Message}} */
ERL_NIF_TERM nif_failed(ErlNifEnv *env, vkr_status status, const vkr_error *err)
{
    ERL_NIF_TERM pair = enif_make_tuple2(env, nif_atom(env, status <= VKR_INTERNAL ? status_atoms[status] : "internal"), nif_text(env, err->message));
    return enif_make_tuple2(env, nif_atom(env, "error"), pair);
}

ERL_NIF_TERM nif_refused(ErlNifEnv *env, vkr_status status, const char *message)
{
    vkr_error err = {.status = status};
    strncpy(err.message, message, sizeof err.message - 1);
    return nif_failed(env, status, &err);
}

ERL_NIF_TERM nif_no_handle(ErlNifEnv *env, ERL_NIF_TERM term, const char *what)
{
    vkr_error err = {.status = VKR_INVALID_HANDLE};
    if (!enif_is_ref(env, term))
        return enif_make_badarg(env);
    snprintf(err.message, sizeof err.message, "%s is gone: nothing on its node refers to it any more", what);
    return nif_failed(env, err.status, &err);
}

void nif_put(ErlNifEnv *env, ERL_NIF_TERM *map, const char *key, ERL_NIF_TERM value)
{
    enif_make_map_put(env, *map, nif_atom(env, key), value, map);
}


bool nif_is_true(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return enif_is_identical(term, nif_atom(env, "true"));
}

bool nif_get_text(ErlNifEnv *env, ERL_NIF_TERM term, char *buf, const char **out)
{
    ErlNifBinary bin;
    if (!enif_inspect_binary(env, term, &bin) || bin.size >= NIF_TEXT)
        return false;
    memcpy(buf, bin.data, bin.size);
    buf[bin.size] = 0;
    *out = bin.size ? buf : NULL;
    return true;
}

bool nif_get_u32(ErlNifEnv *env, ERL_NIF_TERM term, uint32_t *out)
{
    unsigned value;
    bool got = enif_get_uint(env, term, &value) != 0;
    *out = got ? value : 0;
    return got;
}

bool nif_get_u64(ErlNifEnv *env, ERL_NIF_TERM term, uint64_t *out)
{
    ErlNifUInt64 value;
    bool got = enif_get_uint64(env, term, &value) != 0;
    *out = got ? value : 0;
    return got;
}

/* ---- resources ---- */

static void device_down(ErlNifEnv *env, void *object)
{
    (void)env;
    struct device *d = object;
    vkr_device_close(d->vkr);
    nif_log_finish(&d->log);
}

static void buffer_down(ErlNifEnv *env, void *object)
{
    (void)env;
    struct buffer *b = object;
    vkr_buffer handle = atomic_exchange(&b->handle, 0);
    if (handle)
        vkr_buffer_free(b->device->vkr, handle, NULL);
    if (b->device)
        enif_release_resource(b->device);
}

static void program_down(ErlNifEnv *env, void *object)
{
    (void)env;
    struct program *p = object;
    vkr_program_unload(p->vkr);
    free(p->alias);
    free(p->bytes);
    if (p->device)
        enif_release_resource(p->device);
}

static void call_down(ErlNifEnv *env, void *object)
{
    nif_end_call(env, object);
}

static void *resource(ErlNifResourceType *type, size_t size)
{
    void *p = enif_alloc_resource(type, size);
    if (p)
        memset(p, 0, size);
    return p;
}

ERL_NIF_TERM nif_hand_over(ErlNifEnv *env, void *p)
{
    ERL_NIF_TERM term = enif_make_resource(env, p);
    enif_release_resource(p);
    return term;
}

bool nif_wrap_buffer(ErlNifEnv *env, struct device *device, vkr_buffer handle, uint64_t bytes, ERL_NIF_TERM *out)
{
    struct buffer *b = resource(buffer_type, sizeof *b);
    if (!b) {
        vkr_buffer_free(device->vkr, handle, NULL);
        *out = nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for a buffer resource");
        return false;
    }
    enif_keep_resource(device);
    b->device = device;
    b->bytes = bytes;
    atomic_store(&b->handle, handle);
    *out = nif_hand_over(env, b);
    return true;
}

struct device *nif_get_device(ErlNifEnv *env, ERL_NIF_TERM term)
{
    void *p;
    return enif_get_resource(env, term, device_type, &p) ? p : NULL;
}

struct buffer *nif_get_buffer(ErlNifEnv *env, ERL_NIF_TERM term)
{
    void *p;
    return enif_get_resource(env, term, buffer_type, &p) ? p : NULL;
}

struct program *nif_get_program(ErlNifEnv *env, ERL_NIF_TERM term)
{
    void *p;
    return enif_get_resource(env, term, program_type, &p) ? p : NULL;
}

struct call *nif_get_call(ErlNifEnv *env, ERL_NIF_TERM term)
{
    void *p;
    return enif_get_resource(env, term, call_type, &p) ? p : NULL;
}

struct job *nif_get_job(ErlNifEnv *env, ERL_NIF_TERM term)
{
    void *p;
    return enif_get_resource(env, term, job_type, &p) ? p : NULL;
}

struct job *nif_new_job(size_t size)
{
    return resource(job_type, size);
}

struct device *nif_new_device(void)
{
    struct device *d = resource(device_type, sizeof *d);
    if (d && !nif_log_init(&d->log)) {
        enif_release_resource(d);
        return NULL;
    }
    return d;
}

struct program *nif_new_program(struct device *device)
{
    struct program *p = resource(program_type, sizeof *p);
    if (p) {
        enif_keep_resource(device);
        p->device = device;
    }
    return p;
}

struct call *nif_new_call(void)
{
    struct call *c = resource(call_type, sizeof *c);
    if (c)
        atomic_flag_clear(&c->is_busy);
    return c;
}

bool nif_open_types(ErlNifEnv *env)
{
    ErlNifResourceFlags flags = ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER;
    ErlNifResourceTypeInit device = {.dtor = device_down}, buffer = {.dtor = buffer_down}, program = {.dtor = program_down},
        call = {.dtor = call_down}, job = {.dtor = nif_job_finish, .down = nif_job_down};
    device_type = enif_open_resource_type_x(env, "nx_vulkan_device", &device, flags, NULL);
    buffer_type = enif_open_resource_type_x(env, "nx_vulkan_buffer", &buffer, flags, NULL);
    program_type = enif_open_resource_type_x(env, "nx_vulkan_program", &program, flags, NULL);
    call_type = enif_open_resource_type_x(env, "nx_vulkan_call", &call, flags, NULL);
    job_type = enif_open_resource_type_x(env, "nx_vulkan_job", &job, flags, NULL);
    return device_type && buffer_type && program_type && call_type && job_type && nif_open_turns() && nif_open_jobs();
}
