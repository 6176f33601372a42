#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"

/* A handle: index + 1, tag of the device, generation. Generations start at 1, so that no handle is 0; a
   place whose generations are used up is not used again. */
#define INDEX_BITS 26
#define TAG_BITS 10
#define GENERATION_LIMIT ((1u << (64 - INDEX_BITS - TAG_BITS)) - 1)
#define INDEX_LIMIT ((1u << INDEX_BITS) - 1)

uint64_t buffer_storage(uint64_t bytes)
{
    return bytes ? (bytes + 3) & ~(uint64_t)3 : 4;
}

vkr_buffer buffer_handle(const struct vkr_device *device, const struct buffer *buffer)
{
    return (uint64_t)buffer->generation << (INDEX_BITS + TAG_BITS) | (uint64_t)device->buffers.tag << INDEX_BITS |
           (buffer->index + 1);
}

vkr_status buffer_resolve(struct vkr_device *device, vkr_buffer handle, struct buffer **out, vkr_error *err)
{
    const struct buffer_table *table = &device->buffers;
    uint32_t index = (uint32_t)(handle & INDEX_LIMIT) - 1;
    uint32_t tag = (uint32_t)(handle >> INDEX_BITS) & ((1u << TAG_BITS) - 1);
    uint32_t generation = (uint32_t)(handle >> (INDEX_BITS + TAG_BITS));
    if (!handle)
        return error_set(err, VKR_INVALID_HANDLE, "the buffer handle is 0");
    if (tag != table->tag)
        return error_set(err, VKR_INVALID_HANDLE, "buffer handle 0x%llx belongs to another device", (unsigned long long)handle);
    if (index >= table->npages * BUFFER_PAGE || !generation)
        return error_set(err, VKR_INVALID_HANDLE, "0x%llx was never a buffer handle", (unsigned long long)handle);
    struct buffer *b = &table->pages[index / BUFFER_PAGE][index % BUFFER_PAGE];
    if (!b->is_live || b->generation != generation)
        return error_set(err, VKR_INVALID_HANDLE, "buffer handle 0x%llx is stale: the buffer was freed",
                         (unsigned long long)handle);
    *out = b;
    return VKR_OK;
}

static bool add_page(struct buffer_table *table)
{
    if ((uint64_t)(table->npages + 1) * BUFFER_PAGE >= INDEX_LIMIT)
        return false;
    if (table->npages == table->capacity) {
        uint32_t capacity = table->capacity ? table->capacity * 2 : 16;
        struct buffer **pages = host_alloc(capacity, sizeof *pages);
        if (!pages)
            return false;
        if (table->npages)
            memcpy(pages, table->pages, table->npages * sizeof *pages);
        free(table->pages);
        table->pages = pages;
        table->capacity = capacity;
    }
    struct buffer *page = host_alloc(BUFFER_PAGE, sizeof *page);
    if (!page)
        return false;
    table->pages[table->npages] = page;
    for (uint32_t i = BUFFER_PAGE; i-- > 0;) {
        page[i].index = table->npages * BUFFER_PAGE + i;
        page[i].generation = 1;
        page[i].next_unused = table->unused;
        table->unused = page[i].index + 1;
    }
    table->npages++;
    return true;
}

vkr_status buffer_over(struct vkr_device *device, struct chunk *chunk, uint64_t bytes, struct buffer **out, vkr_error *err)
{
    struct buffer_table *table = &device->buffers;
    if (!table->unused && !add_page(table)) {
        pool_free(device, chunk, 0);
        return error_memory(err);
    }
    uint32_t index = table->unused - 1;
    struct buffer *b = &table->pages[index / BUFFER_PAGE][index % BUFFER_PAGE];
    table->unused = b->next_unused;
    b->chunk = chunk;
    b->bytes = bytes;
    b->is_live = true;
    device->counters.live_buffers++;
    device->counters.live_bytes += bytes;
    *out = b;
    return VKR_OK;
}

vkr_status buffer_new(struct vkr_device *device, uint64_t bytes, struct buffer **out, vkr_error *err)
{
    struct chunk *chunk;
    if (bytes > UINT64_MAX / 2)
        return error_set(err, VKR_OUT_OF_DEVICE_MEMORY, "a buffer of %llu bytes", (unsigned long long)bytes);
    vkr_status status = pool_alloc(device, buffer_storage(bytes), device->part_bytes, &chunk, err);
    return status ? status : buffer_over(device, chunk, bytes, out, err);
}

vkr_status buffer_check_own(const struct buffer *buffer, vkr_error *err)
{
    if (buffer->chunk->holders == 1 && !buffer->chunk->block->is_foreign)
        return VKR_OK;
    return error_set(err, VKR_INVALID_ARGUMENT,
                     "the buffer's memory is shared (vkr_buffer_import) and only read: write to a copy (vkr_buffer_copy)");
}

static void reclaim(struct vkr_device *device, struct buffer *b)
{
    struct buffer_table *table = &device->buffers;
    pool_free(device, b->chunk, 0);
    b->chunk = NULL;
    if (b->generation < GENERATION_LIMIT) {
        b->generation++;
        b->next_unused = table->unused;
        table->unused = b->index + 1;
    }
}

void buffer_release(struct vkr_device *device, struct buffer *buffer)
{
    buffer->is_live = false;
    device->counters.live_buffers--;
    device->counters.live_bytes -= buffer->bytes;
    if (!buffer->pins)
        reclaim(device, buffer);
}

void buffer_pin(struct buffer *buffer)
{
    buffer->pins++;
}

void buffer_unpin(struct vkr_device *device, struct buffer *buffer)
{
    if (!--buffer->pins && !buffer->is_live)
        reclaim(device, buffer);
}

void buffer_table_init(struct vkr_device *device)
{
    static atomic_uint next_tag;
    device->buffers.tag = atomic_fetch_add(&next_tag, 1) % ((1u << TAG_BITS) - 1) + 1;
}

void buffer_table_finish(struct vkr_device *device)
{
    struct buffer_table *table = &device->buffers;
    for (uint32_t i = 0; i < table->npages; i++)
        free(table->pages[i]);
    free(table->pages);
    memset(table, 0, sizeof *table);
}

/* ---- the public calls ---- */

static void keep_max(uint64_t *value, uint64_t candidate)
{
    if (candidate > *value)
        *value = candidate;
}

void buffer_note(struct buffer *b, uint64_t value, bool is_write)
{
    keep_max(&b->chunk->busy, value);
    if (is_write)
        keep_max(&b->chunk->written, value);
}

/* Opens a public call: takes the lock and finds the buffer. On failure the lock is not held. */
static vkr_status enter(struct vkr_device *device, vkr_buffer handle, struct buffer **out, vkr_error *err)
{
    vkr_status status = device_enter(device, err);
    if (status)
        return status;
    status = buffer_resolve(device, handle, out, err);
    if (status)
        pthread_mutex_unlock(&device->lock);
    return status;
}

/* A new buffer, if there is one, that submission `value` fills: its handle, or after a failure no buffer. */
static void keep_new(struct vkr_device *device, struct buffer *b, uint64_t value, vkr_status status, vkr_buffer *out)
{
    if (b)
        buffer_note(b, value, true);
    if (!status)
        *out = buffer_handle(device, b);
    else if (b)
        buffer_release(device, b);
}

vkr_status vkr_buffer_alloc(struct vkr_device *device, uint64_t bytes, vkr_buffer *out, vkr_error *err)
{
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_alloc: an argument is NULL");
    *out = 0;
    vkr_status status = device_enter(device, err);
    struct buffer *b = NULL;
    uint64_t value = 0;
    if (status)
        return status;
    status = queue_throttle(device, err);
    if (!status)
        status = buffer_new(device, bytes, &b, err);
    if (!status)
        status = staging_zero(device, b->chunk, buffer_storage(bytes), &value, err);
    keep_new(device, b, value, status, out);
    pthread_mutex_unlock(&device->lock);
    return status;
}

vkr_status vkr_buffer_create(struct vkr_device *device, const void *data, uint64_t bytes, vkr_buffer *out, vkr_error *err)
{
    if (!out || (!data && bytes))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_create: an argument is NULL");
    *out = 0;
    vkr_status status = device_enter(device, err);
    struct buffer *b = NULL;
    uint64_t value = 0;
    if (status)
        return status;
    status = buffer_new(device, bytes, &b, err);
    if (!status)
        status = staging_write(device, b->chunk, 0, data, bytes, b->chunk->busy, &value, err);
    keep_new(device, b, value, status, out);
    pthread_mutex_unlock(&device->lock);
    return status;
}

vkr_status vkr_buffer_byte_size(struct vkr_device *device, vkr_buffer buffer, uint64_t *out, vkr_error *err)
{
    struct buffer *b;
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_byte_size: an argument is NULL");
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    *out = b->bytes;
    pthread_mutex_unlock(&device->lock);
    return VKR_OK;
}

static vkr_status check_range(const struct buffer *b, uint64_t offset, uint64_t bytes, const void *data, vkr_error *err)
{
    if (offset > b->bytes || bytes > b->bytes - offset)
        return error_set(err, VKR_INVALID_ARGUMENT, "bytes %llu+%llu are outside the buffer, which has %llu",
                         (unsigned long long)offset, (unsigned long long)bytes, (unsigned long long)b->bytes);
    if (!data && bytes)
        return error_set(err, VKR_INVALID_ARGUMENT, "the data pointer is NULL");
    return VKR_OK;
}

/* The lock is held before and after. */
static vkr_status write_range(struct vkr_device *device, struct buffer *b, uint64_t offset, const void *data, uint64_t bytes,
                              vkr_error *err)
{
    uint64_t value = 0;
    vkr_status status = check_range(b, offset, bytes, data, err);
    if (!status)
        status = buffer_check_own(b, err);
    if (status)
        return status;
    buffer_pin(b);
    status = staging_write(device, b->chunk, offset, data, bytes, b->chunk->busy, &value, err);
    buffer_note(b, value, true);
    buffer_unpin(device, b);
    return status;
}

vkr_status vkr_buffer_upload_into(struct vkr_device *device, vkr_buffer buffer, const void *data, uint64_t bytes, vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    if (bytes != b->bytes)
        status = error_set(err, VKR_SIZE_MISMATCH, "%llu bytes for a buffer of %llu", (unsigned long long)bytes,
                           (unsigned long long)b->bytes);
    if (!status)
        status = write_range(device, b, 0, data, bytes, err);
    pthread_mutex_unlock(&device->lock);
    return status;
}

vkr_status vkr_buffer_write(struct vkr_device *device, vkr_buffer buffer, uint64_t offset, const void *data, uint64_t bytes,
                            vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    status = write_range(device, b, offset, data, bytes, err);
    pthread_mutex_unlock(&device->lock);
    return status;
}

vkr_status vkr_buffer_read(struct vkr_device *device, vkr_buffer buffer, uint64_t offset, void *data, uint64_t bytes,
                           vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    status = check_range(b, offset, bytes, data, err);
    if (!status) {
        buffer_pin(b);
        status = staging_read(device, b->chunk, offset, data, bytes, b->chunk->written, err);
        buffer_unpin(device, b);
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

vkr_status vkr_buffer_copy(struct vkr_device *device, vkr_buffer buffer, vkr_buffer *out, vkr_error *err)
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
    status = buffer_new(device, from->bytes, &to, err);
    if (!status)
        status = staging_copy(device, from->chunk, to->chunk, buffer_storage(from->bytes), &value, err);
    buffer_note(from, value, false);
    keep_new(device, to, value, status, out);
    buffer_unpin(device, from);
    pthread_mutex_unlock(&device->lock);
    return status;
}

vkr_status vkr_buffer_wait(struct vkr_device *device, vkr_buffer buffer, vkr_error *err)
{
    bool done;
    return vkr_buffer_wait_for(device, buffer, UINT64_MAX, &done, err);
}

vkr_status vkr_buffer_wait_for(struct vkr_device *device, vkr_buffer buffer, uint64_t ns, bool *out_done,
                               vkr_error *err)
{
    struct buffer *b;
    vkr_status status = enter(device, buffer, &b, err);
    if (status)
        return status;
    uint64_t now = queue_now();
    status = queue_wait_until(device, b->chunk->written, ns < UINT64_MAX - now ? now + ns : UINT64_MAX, out_done, err);
    pthread_mutex_unlock(&device->lock);
    return status;
}

vkr_status vkr_buffer_free(struct vkr_device *device, vkr_buffer buffer, vkr_error *err)
{
    struct buffer *b;
    if (!device)
        return error_set(err, VKR_INVALID_ARGUMENT, "the device is NULL");
    pthread_mutex_lock(&device->lock);
    vkr_status status = buffer_resolve(device, buffer, &b, err);
    if (!status)
        buffer_release(device, b);
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* ---- memory shared with others ---- */

static uint8_t *host_address(const struct buffer *b)
{
    return b->chunk->block->mapped && !b->chunk->more ? b->chunk->block->mapped + b->chunk->offset : NULL;
}

vkr_status vkr_buffer_address(struct vkr_device *device, vkr_buffer buffer, void **out, vkr_error *err)
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
        status = queue_wait(device, b->chunk->written, err);
    else if (b->chunk->more)
        status = error_set(err, VKR_UNSUPPORTED, "the buffer's %llu bytes lie in several allocations, and so at no one address",
                           (unsigned long long)b->bytes);
    else
        status = error_set(err, VKR_UNSUPPORTED, "the host cannot see the memory of %s", device->info.name);
    pthread_mutex_unlock(&device->lock);
    if (!status)
        *out = address;
    return status;
}

static bool is_in_pool(const struct vkr_device *device, const uint8_t *address)
{
    for (const struct memory_block *block = device->pool.blocks; block; block = block->next)
        if (block->mapped && address >= block->mapped && address < block->mapped + block->size)
            return true;
    return false;
}

/* Where a buffer begins at the address, *out is its memory, held once more; NULL where it is none of ours. */
static vkr_status share_own(struct vkr_device *device, const void *address, uint64_t bytes, struct chunk **out, vkr_error *err)
{
    struct buffer *there = NULL; /* the longest: buffers over shared memory may be shorter than what they share */
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
        return error_set(err, VKR_SIZE_MISMATCH, "%llu bytes at a buffer of %llu", (unsigned long long)bytes,
                         (unsigned long long)there->bytes);
    if (is_in_pool(device, address))
        return error_set(err, VKR_INVALID_ARGUMENT, "%p is in the memory of %s, but no buffer begins there", address,
                         device->info.name);
    return VKR_OK;
}

vkr_status vkr_buffer_import(struct vkr_device *device, void *address, uint64_t bytes, vkr_buffer *out, vkr_error *err)
{
    if (!out || !address || !bytes)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_buffer_import: an argument is NULL, or the size 0");
    *out = 0;
    vkr_status status = device_enter(device, err);
    struct chunk *chunk = NULL;
    struct buffer *b;
    if (status)
        return status;
    status = share_own(device, address, bytes, &chunk, err);
    if (!status && !chunk)
        status = pool_import(device, address, bytes, device->part_bytes, &chunk, err);
    if (!status)
        status = buffer_over(device, chunk, bytes, &b, err);
    if (!status)
        *out = buffer_handle(device, b);
    pthread_mutex_unlock(&device->lock);
    return status;
}
