/* vkr_buffer_*: the public functions. Each takes the device lock, finds its buffers, and moves
   bytes. */
#include "device.h"

#define FEW_BYTES (64u << 10) /* copied in some microseconds */

/* Opens a public call: takes the lock and finds the buffer. On failure the lock is not held. */
static vkr_status enter(struct vkr_device *device, vkr_buffer handle, struct buffer **out,
                        vkr_error *err)
{
    vkr_status status = device_enter(device, err);
    if (status)
        return status;
    status = buffer_resolve(&device->buffers, handle, out, err);
    if (status)
        pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

/* A new buffer, if there is one, that submission `value` fills: its handle, or after a failure no
   buffer. */
static void keep_new(struct vkr_device *device, struct buffer *b, uint64_t value, vkr_status status,
                     vkr_buffer *out)
{
    if (b)
        buffer_note(b, value, true);
    if (!status)
        *out = buffer_handle(&device->buffers, b);
    else if (b)
        buffer_release(&device->buffers, b);
}

vkr_status vkr_buffer_alloc(struct vkr_device *device, uint64_t bytes, vkr_buffer *out,
                            vkr_error *err)
{
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_alloc: an argument is NULL");
    *out = 0;
    vkr_status status = device_enter(device, err);
    struct buffer *b = NULL;
    uint64_t value = 0;
    if (status)
        return status;
    status = queue_throttle(&device->queue, err);
    if (!status)
        status = buffer_new(&device->buffers, bytes, &b, err);
    if (!status)
        status = staging_zero(&device->staging, b->chunk, buffer_storage(bytes), &value, err);
    keep_new(device, b, value, status, out);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

vkr_status vkr_buffer_create(struct vkr_device *device, const void *data, uint64_t bytes,
                             vkr_buffer *out, vkr_error *err)
{
    if (!out || (!data && bytes))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_create: an argument is NULL");
    *out = 0;
    vkr_status status = device_enter(device, err);
    struct buffer *b = NULL;
    uint64_t value = 0;
    if (status)
        return status;
    status = buffer_new(&device->buffers, bytes, &b, err);
    if (!status)
        status =
            staging_write(&device->staging, b->chunk, 0, data, bytes, b->chunk->busy, &value, err);
    keep_new(device, b, value, status, out);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

vkr_status vkr_buffer_byte_size(struct vkr_device *device, vkr_buffer buffer, uint64_t *out,
                                vkr_error *err)
{
    struct buffer *b;
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_byte_size: an argument is NULL");
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    *out = b->bytes;
    pthread_mutex_unlock(&device->gpu.lock);
    return VKR_OK;
}

static vkr_status check_range(const struct buffer *b, uint64_t offset, uint64_t bytes,
                              const void *data, vkr_error *err)
{
    if (offset > b->bytes || bytes > b->bytes - offset)
        return error_set(
            err, VKR_INVALID_ARGUMENT, "bytes %llu+%llu are outside the buffer, which has %llu",
            (unsigned long long)offset, (unsigned long long)bytes, (unsigned long long)b->bytes);
    if (!data && bytes)
        return error_set(err, VKR_INVALID_ARGUMENT, "the data pointer is NULL");
    return VKR_OK;
}

/* The lock is held before and after. */
static vkr_status write_range(struct vkr_device *device, struct buffer *b, uint64_t offset,
                              const void *data, uint64_t bytes, vkr_error *err)
{
    uint64_t value = 0;
    vkr_status status = check_range(b, offset, bytes, data, err);
    if (!status)
        status = buffer_check_own(b, err);
    if (status)
        return status;
    buffer_pin(b);
    status =
        staging_write(&device->staging, b->chunk, offset, data, bytes, b->chunk->busy, &value, err);
    buffer_note(b, value, true);
    buffer_unpin(&device->buffers, b);
    return status;
}

vkr_status vkr_buffer_upload_into(struct vkr_device *device, vkr_buffer buffer, const void *data,
                                  uint64_t bytes, vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    if (bytes != b->bytes)
        status = error_set(err, VKR_SIZE_MISMATCH, "%llu bytes for a buffer of %llu",
                           (unsigned long long)bytes, (unsigned long long)b->bytes);
    if (!status)
        status = write_range(device, b, 0, data, bytes, err);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

vkr_status vkr_buffer_write(struct vkr_device *device, vkr_buffer buffer, uint64_t offset,
                            const void *data, uint64_t bytes, vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    status = write_range(device, b, offset, data, bytes, err);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

vkr_status vkr_buffer_read(struct vkr_device *device, vkr_buffer buffer, uint64_t offset,
                           void *data, uint64_t bytes, vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    status = check_range(b, offset, bytes, data, err);
    if (!status) {
        buffer_pin(b);
        status =
            staging_read(&device->staging, b->chunk, offset, data, bytes, b->chunk->written, err);
        buffer_unpin(&device->buffers, b);
    }
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

vkr_status vkr_buffer_copy(struct vkr_device *device, vkr_buffer buffer, vkr_buffer *out,
                           vkr_error *err)
{
    struct buffer *from, *to = NULL;
    uint64_t value = 0;
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_copy: an argument is NULL");
    *out = 0;
    vkr_status status = enter(device, buffer, &from, err);
    if (status)
        return status;
    buffer_pin(from);
    status = buffer_new(&device->buffers, from->bytes, &to, err);
    if (!status)
        status = staging_copy(&device->staging, from->chunk, to->chunk, buffer_storage(from->bytes),
                              &value, err);
    buffer_note(from, value, false);
    keep_new(device, to, value, status, out);
    buffer_unpin(&device->buffers, from);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

vkr_status vkr_buffer_wait(struct vkr_device *device, vkr_buffer buffer, vkr_error *err)
{
    bool done;
    return vkr_buffer_wait_for(device, buffer, UINT64_MAX, &done, err);
}

vkr_status vkr_buffer_wait_for(struct vkr_device *device, vkr_buffer buffer, uint64_t ns,
                               bool *out_done, vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    uint64_t now = queue_now();
    status = queue_wait_until(&device->queue, b->chunk->written,
                              ns < UINT64_MAX - now ? now + ns : UINT64_MAX, out_done, err);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

/* ---- for threads that must not block ---- */

vkr_status vkr_try_create(struct vkr_device *device, const void *data, uint64_t bytes,
                          vkr_buffer *out, bool *out_done, vkr_error *err)
{
    if (!device || !out || !out_done || (!data && bytes))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_try_create: an argument is NULL");
    *out = 0;
    *out_done = false;
    vkr_status status = gpu_check(&device->gpu, err);
    if (status || bytes > FEW_BYTES || bytes > device->gpu.memory_types.direct_write ||
        pthread_mutex_trylock(&device->gpu.lock))
        return status;
    struct buffer *b = NULL;
    uint64_t value = 0;
    vkr_error failed = {0};
    device->pool.is_hurried = true;
    status = buffer_new(&device->buffers, bytes, &b, &failed);
    device->pool.is_hurried = false;
    *out_done = !status && queue_is_done(&device->queue, b->chunk->busy);
    if (*out_done)
        status =
            staging_write(&device->staging, b->chunk, 0, data, bytes, b->chunk->busy, &value, err);
    else if (b)
        buffer_release(&device->buffers, b);
    if (*out_done)
        keep_new(device, b, value, status, out);
    pthread_mutex_unlock(&device->gpu.lock);
    if (status == VKR_TIMEOUT)
        return VKR_OK;
    if (status && !*out_done && err)
        *err = failed;
    return status;
}

/* One look: at the buffer and, if its bytes are there, into it. `data` is NULL where they are not
   wanted. */
static vkr_status look(struct vkr_device *device, vkr_buffer buffer, uint64_t offset, void *data,
                       uint64_t bytes, bool *out_done, vkr_error *err)
{
    struct buffer *b = NULL;
    vkr_status status = gpu_check(&device->gpu, err);
    if (status || pthread_mutex_trylock(&device->gpu.lock))
        return status;
    if (buffer)
        status = buffer_resolve(&device->buffers, buffer, &b, err);
    if (!status && data)
        status = check_range(b, offset, bytes, data, err);
    *out_done =
        !status && queue_is_done(&device->queue, b ? b->chunk->written : device->queue.submitted);
    if (*out_done && data)
        status =
            staging_read(&device->staging, b->chunk, offset, data, bytes, b->chunk->written, err);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

static vkr_status look_until(struct vkr_device *device, vkr_buffer buffer, uint64_t offset,
                             void *data, uint64_t bytes, uint64_t ns, bool *out_done,
                             vkr_error *err)
{
    bool may_spin = device->gpu.info.kind != VKR_CPU;
    uint64_t start = may_spin ? queue_now() : 0;
    vkr_status status;
    do
        status = look(device, buffer, offset, data, bytes, out_done, err);
    while (!status && !*out_done && may_spin && queue_now() - start < ns);
    return status;
}

vkr_status vkr_try_wait(struct vkr_device *device, vkr_buffer buffer, uint64_t ns, bool *out_done,
                        vkr_error *err)
{
    if (!device || !out_done)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_try_wait: an argument is NULL");
    *out_done = false;
    return look_until(device, buffer, 0, NULL, 0, ns, out_done, err);
}

vkr_status vkr_try_read(struct vkr_device *device, vkr_buffer buffer, uint64_t offset, void *data,
                        uint64_t bytes, uint64_t ns, bool *out_done, vkr_error *err)
{
    if (!device || !out_done || !data || !buffer)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_try_read: an argument is NULL");
    *out_done = false;
    if (bytes > FEW_BYTES || bytes > device->gpu.memory_types.direct_read)
        return VKR_OK;
    return look_until(device, buffer, offset, data, bytes, ns, out_done, err);
}

vkr_status vkr_buffer_free(struct vkr_device *device, vkr_buffer buffer, vkr_error *err)
{
    struct buffer *b;
    if (!device)
        return error_set(err, VKR_INVALID_ARGUMENT, "the device is NULL");
    pthread_mutex_lock(&device->gpu.lock);
    vkr_status status = buffer_resolve(&device->buffers, buffer, &b, err);
    if (!status)
        buffer_release(&device->buffers, b);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

/* ---- memory shared with others ---- */

static uint8_t *host_address(const struct buffer *b)
{
    return b->chunk->block->mapped && !b->chunk->more ? b->chunk->block->mapped + b->chunk->offset
                                                      : NULL;
}

vkr_status vkr_buffer_address(struct vkr_device *device, vkr_buffer buffer, void **out,
                              vkr_error *err)
{
    struct buffer *b;
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_address: an argument is NULL");
    *out = NULL;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    void *address = host_address(b);
    if (address)
        status = queue_wait(&device->queue, b->chunk->written, err);
    else if (b->chunk->more)
        status = error_set(
            err, VKR_UNSUPPORTED,
            "the buffer's %llu bytes lie in several allocations, and so at no one address",
            (unsigned long long)b->bytes);
    else
        status = error_set(err, VKR_UNSUPPORTED, "the host cannot see the memory of %s",
                           device->gpu.info.name);
    pthread_mutex_unlock(&device->gpu.lock);
    if (!status)
        *out = address;
    return status;
}

/* Where a buffer begins at the address, *out is its memory, held once more; NULL where it is none
   of ours. */
static vkr_status share_own(struct vkr_device *device, const void *address, uint64_t bytes,
                            struct chunk **out, vkr_error *err)
{
    struct buffer *there =
        NULL; /* the longest: buffers over shared memory may be shorter than what they share */
    *out = NULL;
    for (uint32_t i = 0; i < device->buffers.npages * BUFFER_PAGE; i++) {
        struct buffer *b = &device->buffers.pages[i / BUFFER_PAGE][i % BUFFER_PAGE];
        if (b->is_live && host_address(b) == address && (!there || b->bytes > there->bytes))
            there = b;
    }
    if (there && bytes <= there->bytes) {
        *out = there->chunk;
        there->chunk->holders++;
        return VKR_OK;
    }
    if (there && !there->chunk->block->is_foreign) /* what is behind that may be its owner's, too */
        return error_set(err, VKR_SIZE_MISMATCH, "%llu bytes at a buffer of %llu",
                         (unsigned long long)bytes, (unsigned long long)there->bytes);
    if (pool_has_address(&device->pool, address))
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "%p is in the memory of %s, but no buffer begins there", address,
                         device->gpu.info.name);
    return VKR_OK;
}

vkr_status vkr_buffer_import(struct vkr_device *device, void *address, uint64_t bytes,
                             vkr_buffer *out, vkr_error *err)
{
    if (!out || !address || !bytes)
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "vkr_buffer_import: an argument is NULL, or the size 0");
    *out = 0;
    vkr_status status = device_enter(device, err);
    struct chunk *chunk = NULL;
    struct buffer *b;
    if (status)
        return status;
    status = share_own(device, address, bytes, &chunk, err);
    if (!status && !chunk)
        status =
            pool_import(&device->pool, address, bytes, device->buffers.part_bytes, &chunk, err);
    if (!status)
        status = buffer_over(&device->buffers, chunk, bytes, &b, err);
    if (!status)
        *out = buffer_handle(&device->buffers, b);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}
