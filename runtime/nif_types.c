#include "nif_types.h"

#include <string.h>

static ErlNifResourceType *types[NIF_TYPES];

/* The resource of that type which the term is; NULL if it is none. */
static void *resource(ErlNifEnv *env, ERL_NIF_TERM term, enum nif_type type)
{
    void *p;
    return enif_get_resource(env, term, types[type], &p) ? p : NULL;
}

static void *new_resource(enum nif_type type, size_t size)
{
    void *p = enif_alloc_resource(types[type], size);
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

bool nif_wrap_buffer(ErlNifEnv *env, struct device *device, vkr_buffer handle, uint64_t bytes,
                     ERL_NIF_TERM *out)
{
    struct buffer *b = new_resource(NIF_BUFFER, sizeof *b);
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
    return resource(env, term, NIF_DEVICE);
}

struct buffer *nif_get_buffer(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return resource(env, term, NIF_BUFFER);
}

struct program *nif_get_program(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return resource(env, term, NIF_PROGRAM);
}

struct call *nif_get_call(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return resource(env, term, NIF_CALL);
}

struct job *nif_get_job(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return resource(env, term, NIF_JOB);
}

struct job *nif_new_job(size_t size)
{
    return new_resource(NIF_JOB, size);
}

struct device *nif_new_device(void)
{
    return new_resource(NIF_DEVICE, sizeof(struct device));
}

struct program *nif_new_program(struct device *device)
{
    struct program *p = new_resource(NIF_PROGRAM, sizeof *p);
    if (p) {
        enif_keep_resource(device);
        p->device = device;
    }
    return p;
}

struct call *nif_new_call(void)
{
    struct call *c = new_resource(NIF_CALL, sizeof *c);
    if (c)
        atomic_flag_clear(&c->is_busy);
    return c;
}

bool nif_open_types(ErlNifEnv *env, const ErlNifResourceTypeInit inits[NIF_TYPES])
{
    static const char *const names[NIF_TYPES] = {
        [NIF_DEVICE] = "nx_vulkan_device",   [NIF_BUFFER] = "nx_vulkan_buffer",
        [NIF_PROGRAM] = "nx_vulkan_program", [NIF_CALL] = "nx_vulkan_call",
        [NIF_JOB] = "nx_vulkan_job",
    };
    const ErlNifResourceFlags flags = ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER;
    bool all = true;
    for (int i = 0; i < NIF_TYPES; i++) {
        ErlNifResourceTypeInit init = inits[i];
        types[i] = enif_open_resource_type_x(env, names[i], &init, flags, NULL);
        all &= types[i] != NULL;
    }
    return all;
}
