#include "nif_terms.h"

#include <stdio.h>
#include <string.h>

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
    ERL_NIF_TERM pair = enif_make_tuple2(
        env, nif_atom(env, status <= VKR_INTERNAL ? status_atoms[status] : "internal"),
        nif_text(env, err->message));
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
    snprintf(err.message, sizeof err.message,
             "%s is gone: nothing on its node refers to it any more", what);
    return nif_failed(env, err.status, &err);
}

ErlNifTime nif_now(void)
{
    return enif_monotonic_time(ERL_NIF_USEC);
}

/* A process has about a millisecond. */
void nif_pay(ErlNifEnv *env, ErlNifTime began)
{
    ErlNifTime percent = (nif_now() - began) / 10;
    if (percent > 0)
        enif_consume_timeslice(env, percent < 100 ? (int)percent : 100);
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
