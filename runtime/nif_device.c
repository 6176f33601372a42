#include "nif_device.h"

/* How long a scheduler thread looks whether the device has finished, before a dirty one waits for
   it: about what waking that costs, and the process again afterwards. */
#define LOOK_NS 50000u
#define LOOK_BYTES (64u << 10) /* that are read there, or a reader would pay for too much at once */

void nif_device_down(ErlNifEnv *env, void *object)
{
    (void)env;
    struct device *d = object;
    vkr_device_close(d->vkr);
    nif_log_finish(&d->log);
}

void nif_buffer_down(ErlNifEnv *env, void *object)
{
    (void)env;
    struct buffer *b = object;
    vkr_buffer handle = atomic_exchange(&b->handle, 0);
    if (handle)
        vkr_buffer_free(b->device->vkr, handle, NULL);
    if (b->device)
        enif_release_resource(b->device);
}

/* ok, or what went wrong */
static ERL_NIF_TERM done(ErlNifEnv *env, vkr_status status, const vkr_error *err)
{
    return status == VKR_OK ? nif_atom(env, "ok") : nif_failed(env, status, err);
}

/* {ok, Buffer} of the handle that a call made, or what went wrong */
static ERL_NIF_TERM made(ErlNifEnv *env, vkr_status status, struct device *d, vkr_buffer handle,
                         uint64_t bytes, const vkr_error *err)
{
    ERL_NIF_TERM term;
    if (status != VKR_OK)
        return nif_failed(env, status, err);
    return nif_wrap_buffer(env, d, handle, bytes, &term) ? nif_ok(env, term) : term;
}

/* ---- devices ---- */

static ERL_NIF_TERM feature_words(ErlNifEnv *env, uint32_t features)
{
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (uint32_t i = 32; i-- > 0;)
        if (features >> i & 1 && vkr_feature_name(1u << i))
            list = enif_make_list_cell(env, nif_atom(env, vkr_feature_name(1u << i)), list);
    return list;
}

static ERL_NIF_TERM info_term(ErlNifEnv *env, const vkr_device_info *info)
{
    static const char *const kinds[] = {"discrete", "integrated", "virtual", "cpu", "other"};
    ERL_NIF_TERM map = enif_make_new_map(env);
    nif_put(env, &map, "name", nif_text(env, info->name));
    nif_put(env, &map, "driver", nif_text(env, info->driver));
    nif_put(env, &map, "kind",
            nif_atom(env, info->kind <= VKR_OTHER ? kinds[info->kind] : "other"));
    PUT_U64(map, *info, index);
    PUT_U64(map, *info, api_version);
    PUT_U64(map, *info, vendor_id);
    PUT_U64(map, *info, device_id);
    PUT_U64(map, *info, features);
    nif_put(env, &map, "feature_words", feature_words(env, info->features));
    PUT_U64(map, *info, matrices);
    PUT_U64(map, *info, max_invocations);
    PUT_U64(map, *info, max_shared_bytes);
    PUT_U64(map, *info, max_bindings);
    PUT_U64(map, *info, subgroup_size);
    PUT_U64(map, *info, max_binding_bytes);
    PUT_U64(map, *info, memory_bytes);
    PUT_U64(map, *info, memory_budget);
    nif_put(env, &map, "has_loop_limit", nif_boolean(env, info->has_loop_limit));
    nif_put(env, &map, "max_groups",
            enif_make_tuple3(env, enif_make_uint(env, info->max_groups[0]),
                             enif_make_uint(env, info->max_groups[1]),
                             enif_make_uint(env, info->max_groups[2])));
    return map;
}

ERL_NIF_TERM nif_devices(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc, (void)argv;
    vkr_device_info infos[16];
    vkr_error err = {0};
    uint32_t count = 0;
    vkr_status status = vkr_devices(infos, 16, &count, &err);
    if (status != VKR_OK)
        return nif_failed(env, status, &err);
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (uint32_t i = count < 16 ? count : 16; i-- > 0;)
        list = enif_make_list_cell(env, info_term(env, &infos[i]), list);
    return nif_ok(env, list);
}

/* NULL when out of memory. */
static struct device *new_device(void)
{
    struct device *d = nif_new_device();
    if (d && !nif_log_init(&d->log)) {
        enif_release_resource(d);
        return NULL;
    }
    return d;
}

/* device_open(Name, PipelineCache | default, Validate, Profile, MemoryBudget); a budget of 0 is
   the runtime's */
ERL_NIF_TERM nif_device_open(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    char name[NIF_TEXT], cache[NIF_TEXT];
    vkr_device_options o = {.validate = nif_is_true(env, argv[2]),
                            .profile = nif_is_true(env, argv[3])};
    if (!nif_get_text(env, argv[0], name, &o.device) ||
        !nif_get_u64(env, argv[4], &o.memory_budget))
        return enif_make_badarg(env);
    if (!enif_is_atom(env, argv[1])) {
        if (!nif_get_text(env, argv[1], cache, &o.pipeline_cache))
            return enif_make_badarg(env);
        if (!o.pipeline_cache)
            o.pipeline_cache = "";
    }
    struct device *d = new_device();
    if (!d)
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for a device resource");
    o.log = nif_log_write;
    o.log_context = &d->log;
    vkr_error err = {0};
    vkr_status status = vkr_device_open(&o, &d->vkr, &err);
    if (status != VKR_OK)
        d->vkr = NULL;
    ERL_NIF_TERM term = nif_hand_over(env, d);
    return status == VKR_OK ? nif_ok(env, term) : nif_failed(env, status, &err);
}

/* device_messages(Device) */
ERL_NIF_TERM nif_device_messages(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    return d ? nif_log_take(env, &d->log) : enif_make_badarg(env);
}

ERL_NIF_TERM nif_device_info(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    if (!d)
        return enif_make_badarg(env);
    vkr_device_info info;
    vkr_device_get_info(d->vkr, &info);
    return info_term(env, &info);
}

ERL_NIF_TERM nif_device_counters(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    if (!d)
        return enif_make_badarg(env);
    vkr_counters c;
    vkr_device_counters(d->vkr, &c);
    ERL_NIF_TERM map = enif_make_new_map(env);
    PUT_U64(map, c, submits);
    PUT_U64(map, c, dispatches);
    PUT_U64(map, c, recordings);
    PUT_U64(map, c, waits);
    PUT_U64(map, c, device_allocations);
    PUT_U64(map, c, descriptor_allocations);
    PUT_U64(map, c, descriptor_updates);
    PUT_U64(map, c, bytes_uploaded);
    PUT_U64(map, c, bytes_downloaded);
    PUT_U64(map, c, live_buffers);
    PUT_U64(map, c, live_bytes);
    PUT_U64(map, c, pool_bytes);
    PUT_U64(map, c, imported_bytes);
    PUT_U64(map, c, memory_bytes);
    PUT_U64(map, c, memory_peak);
    PUT_U64(map, c, memory_budget);
    PUT_U64(map, c, programs);
    PUT_U64(map, c, pipelines);
    PUT_U64(map, c, pipeline_cache_hits);
    return map;
}

static ERL_NIF_TERM device_wait(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    if (!d)
        return enif_make_badarg(env);
    vkr_error err = {0};
    return done(env, vkr_device_wait(d->vkr, &err), &err);
}

/* Whether the device has finished. What else there is to say, the function says that waits. */
static bool is_finished(ErlNifEnv *env, struct device *d, vkr_buffer handle)
{
    bool is_done = false;
    ErlNifTime began = nif_now();
    vkr_status status = vkr_try_wait(d->vkr, handle, LOOK_NS, &is_done, NULL);
    nif_pay(env, began);
    return is_done && status == VKR_OK;
}

ERL_NIF_TERM nif_device_wait(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    struct device *d = nif_get_device(env, argv[0]);
    if (d && is_finished(env, d, 0))
        return nif_atom(env, "ok");
    return enif_schedule_nif(env, "device_wait", ERL_NIF_DIRTY_JOB_IO_BOUND, device_wait, argc,
                             argv);
}

/* ---- buffers ---- */

static ERL_NIF_TERM no_buffer(ErlNifEnv *env, ERL_NIF_TERM term)
{
    return nif_no_handle(env, term, "the tensor");
}

static ERL_NIF_TERM buffer_create(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    ErlNifBinary bin;
    if (!d || !enif_inspect_binary(env, argv[1], &bin))
        return enif_make_badarg(env);
    vkr_error err = {0};
    vkr_buffer handle = 0;
    vkr_status status = vkr_buffer_create(d->vkr, bin.data, bin.size, &handle, &err);
    return made(env, status, d, handle, bin.size, &err);
}

ERL_NIF_TERM nif_buffer_create(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    struct device *d = nif_get_device(env, argv[0]);
    ErlNifBinary bin;
    vkr_error err = {0};
    vkr_buffer handle = 0;
    bool is_done = false;
    if (d && enif_inspect_binary(env, argv[1], &bin)) {
        ErlNifTime began = nif_now();
        vkr_status status = vkr_try_create(d->vkr, bin.data, bin.size, &handle, &is_done, &err);
        nif_pay(env, began);
        if (is_done || status != VKR_OK)
            return made(env, status, d, handle, bin.size, &err);
    }
    return enif_schedule_nif(env, "buffer_create", ERL_NIF_DIRTY_JOB_IO_BOUND, buffer_create, argc,
                             argv);
}

ERL_NIF_TERM nif_buffer_alloc(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    uint64_t bytes;
    if (!d || !nif_get_u64(env, argv[1], &bytes))
        return enif_make_badarg(env);
    vkr_error err = {0};
    vkr_buffer handle = 0;
    vkr_status status = vkr_buffer_alloc(d->vkr, bytes, &handle, &err);
    return made(env, status, d, handle, bytes, &err);
}

ERL_NIF_TERM nif_buffer_copy(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct buffer *b = nif_get_buffer(env, argv[0]);
    if (!b)
        return no_buffer(env, argv[0]);
    vkr_error err = {0};
    vkr_buffer handle = 0;
    vkr_status status = vkr_buffer_copy(b->device->vkr, atomic_load(&b->handle), &handle, &err);
    return made(env, status, b->device, handle, b->bytes, &err);
}

ERL_NIF_TERM nif_buffer_write(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct buffer *b = nif_get_buffer(env, argv[0]);
    uint64_t offset;
    ErlNifBinary bin;
    if (!b)
        return no_buffer(env, argv[0]);
    if (!nif_get_u64(env, argv[1], &offset) || !enif_inspect_binary(env, argv[2], &bin))
        return enif_make_badarg(env);
    vkr_error err = {0};
    return done(
        env,
        vkr_buffer_write(b->device->vkr, atomic_load(&b->handle), offset, bin.data, bin.size, &err),
        &err);
}

static ERL_NIF_TERM buffer_read(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct buffer *b = nif_get_buffer(env, argv[0]);
    uint64_t offset, bytes, ms;
    bool is_written;
    if (!b)
        return no_buffer(env, argv[0]);
    if (!nif_get_u64(env, argv[1], &offset) || !nif_get_u64(env, argv[2], &bytes) ||
        !nif_get_u64(env, argv[3], &ms) || ms > NIF_MOST_MS)
        return enif_make_badarg(env);
    if (!atomic_load(&b->handle))
        return nif_refused(env, VKR_INVALID_HANDLE,
                           "the tensor was freed, or its memory was donated to a result");
    if (bytes > b->bytes)
        return nif_refused(env, VKR_INVALID_ARGUMENT, "cannot read more bytes than the buffer has");
    vkr_error err = {0};
    vkr_status status = vkr_buffer_wait_for(b->device->vkr, atomic_load(&b->handle), ms * 1000000u,
                                            &is_written, &err);
    if (status != VKR_OK)
        return nif_failed(env, status, &err);
    if (!is_written)
        return nif_atom(env, "again");
    ErlNifBinary bin;
    if (!enif_alloc_binary(bytes, &bin))
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for the bytes of a buffer");
    status =
        vkr_buffer_read(b->device->vkr, atomic_load(&b->handle), offset, bin.data, bytes, &err);
    if (status != VKR_OK) {
        enif_release_binary(&bin);
        return nif_failed(env, status, &err);
    }
    return nif_ok(env, enif_make_binary(env, &bin));
}

/* A few bytes, if they are there and the host sees them. */
static bool is_read(ErlNifEnv *env, struct buffer *b, uint64_t offset, uint64_t bytes,
                    ERL_NIF_TERM *out)
{
    vkr_buffer handle = atomic_load(&b->handle);
    bool is_done = false;
    ERL_NIF_TERM term;
    if (!handle || !bytes || bytes > LOOK_BYTES || bytes > b->bytes)
        return false;
    unsigned char *data = enif_make_new_binary(env, bytes, &term);
    ErlNifTime began = nif_now();
    vkr_status status =
        data ? vkr_try_read(b->device->vkr, handle, offset, data, bytes, LOOK_NS, &is_done, NULL)
             : VKR_OK;
    nif_pay(env, began);
    *out = nif_ok(env, term);
    return is_done && status == VKR_OK;
}

/* buffer_read(Buffer, Offset, Bytes, Ms) -> {ok, Binary}, or again if what writes it has not
   finished by then */
ERL_NIF_TERM nif_buffer_read(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    struct buffer *b = nif_get_buffer(env, argv[0]);
    uint64_t offset, bytes;
    ERL_NIF_TERM result;
    if (b && nif_get_u64(env, argv[1], &offset) && nif_get_u64(env, argv[2], &bytes) &&
        is_read(env, b, offset, bytes, &result))
        return result;
    return enif_schedule_nif(env, "buffer_read", ERL_NIF_DIRTY_JOB_IO_BOUND, buffer_read, argc,
                             argv);
}

static ERL_NIF_TERM buffer_wait(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct buffer *b = nif_get_buffer(env, argv[0]);
    uint64_t ms;
    bool is_written = true;
    if (!b)
        return no_buffer(env, argv[0]);
    if (!nif_get_u64(env, argv[1], &ms) || ms > NIF_MOST_MS)
        return enif_make_badarg(env);
    vkr_error err = {0};
    vkr_status status = vkr_buffer_wait_for(b->device->vkr, atomic_load(&b->handle), ms * 1000000u,
                                            &is_written, &err);
    return is_written ? done(env, status, &err) : nif_atom(env, "again");
}

/* buffer_wait(Buffer, Ms) -> ok, or again if what writes it has not finished by then */
ERL_NIF_TERM nif_buffer_wait(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    struct buffer *b = nif_get_buffer(env, argv[0]);
    vkr_buffer handle = b ? atomic_load(&b->handle) : 0;
    if (handle && is_finished(env, b->device, handle))
        return nif_atom(env, "ok");
    return enif_schedule_nif(env, "buffer_wait", ERL_NIF_DIRTY_JOB_IO_BOUND, buffer_wait, argc,
                             argv);
}

/* ok, or already_deallocated */
ERL_NIF_TERM nif_buffer_free(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct buffer *b = nif_get_buffer(env, argv[0]);
    if (!b)
        return no_buffer(env, argv[0]);
    vkr_buffer handle = atomic_exchange(&b->handle, 0);
    if (!handle)
        return nif_atom(env, "already_deallocated");
    vkr_error err = {0};
    return done(env, vkr_buffer_free(b->device->vkr, handle, &err), &err);
}

/* {Bytes, Alive} */
ERL_NIF_TERM nif_buffer_info(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct buffer *b = nif_get_buffer(env, argv[0]);
    if (!b)
        return no_buffer(env, argv[0]);
    return enif_make_tuple2(env, enif_make_uint64(env, b->bytes),
                            nif_boolean(env, atomic_load(&b->handle) != 0));
}

ERL_NIF_TERM nif_buffer_address(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct buffer *b = nif_get_buffer(env, argv[0]);
    if (!b)
        return no_buffer(env, argv[0]);
    vkr_error err = {0};
    void *address;
    vkr_status status = vkr_buffer_address(b->device->vkr, atomic_load(&b->handle), &address, &err);
    return status == VKR_OK ? nif_ok(env, enif_make_uint64(env, (uintptr_t)address))
                            : nif_failed(env, status, &err);
}

/* buffer_import(Device, Address, Bytes) */
ERL_NIF_TERM nif_buffer_import(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct device *d = nif_get_device(env, argv[0]);
    uint64_t address, bytes;
    if (!d || !nif_get_u64(env, argv[1], &address) || !nif_get_u64(env, argv[2], &bytes))
        return enif_make_badarg(env);
    vkr_error err = {0};
    vkr_buffer handle = 0;
    vkr_status status = vkr_buffer_import(d->vkr, (void *)(uintptr_t)address, bytes, &handle, &err);
    return made(env, status, d, handle, bytes, &err);
}
