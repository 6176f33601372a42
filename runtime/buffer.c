#include "buffer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A handle: index + 1, tag of the device, generation. Generations start at 1, so that no handle
   is 0; a place whose generations are used up is not used again. */
#define INDEX_BITS 26
#define TAG_BITS 10
#define GENERATION_LIMIT ((1u << (64 - INDEX_BITS - TAG_BITS)) - 1)
#define INDEX_LIMIT ((1u << INDEX_BITS) - 1)

uint64_t buffer_storage(uint64_t bytes)
{
    return bytes ? (bytes + 3) & ~(uint64_t)3 : 4;
}

vkr_buffer buffer_handle(const struct buffer_table *table, const struct buffer *buffer)
{
    return (uint64_t)buffer->generation << (INDEX_BITS + TAG_BITS) |
           (uint64_t)table->tag << INDEX_BITS | (buffer->index + 1);
}

vkr_status buffer_resolve(struct buffer_table *table, vkr_buffer handle, struct buffer **out,
                          vkr_error *err)
{
    uint32_t index = (uint32_t)(handle & INDEX_LIMIT) - 1;
    uint32_t tag = (uint32_t)(handle >> INDEX_BITS) & ((1u << TAG_BITS) - 1);
    uint32_t generation = (uint32_t)(handle >> (INDEX_BITS + TAG_BITS));
    if (!handle)
        return error_set(err, VKR_INVALID_HANDLE, "the buffer handle is 0");
    if (tag != table->tag)
        return error_set(err, VKR_INVALID_HANDLE, "buffer handle 0x%llx belongs to another device",
                         (unsigned long long)handle);
    if (index >= table->npages * BUFFER_PAGE || !generation)
        return error_set(err, VKR_INVALID_HANDLE, "0x%llx was never a buffer handle",
                         (unsigned long long)handle);
    struct buffer *b = &table->pages[index / BUFFER_PAGE][index % BUFFER_PAGE];
    if (!b->is_live || b->generation != generation)
        return error_set(err, VKR_INVALID_HANDLE,
                         "buffer handle 0x%llx is stale: the buffer was freed",
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

vkr_status buffer_over(struct buffer_table *table, struct chunk *chunk, uint64_t bytes,
                       struct buffer **out, vkr_error *err)
{
    if (!table->unused && !add_page(table)) {
        pool_free(table->pool, chunk, 0);
        return error_memory(err);
    }
    uint32_t index = table->unused - 1;
    struct buffer *b = &table->pages[index / BUFFER_PAGE][index % BUFFER_PAGE];
    table->unused = b->next_unused;
    b->chunk = chunk;
    b->bytes = bytes;
    b->is_live = true;
    table->gpu->counters.live_buffers++;
    table->gpu->counters.live_bytes += bytes;
    *out = b;
    return VKR_OK;
}

vkr_status buffer_new(struct buffer_table *table, uint64_t bytes, struct buffer **out,
                      vkr_error *err)
{
    struct chunk *chunk;
    if (bytes > UINT64_MAX / 2)
        return error_set(err, VKR_OUT_OF_DEVICE_MEMORY, "a buffer of %llu bytes",
                         (unsigned long long)bytes);
    vkr_status status =
        pool_alloc(table->pool, buffer_storage(bytes), table->part_bytes, &chunk, err);
    return status ? status : buffer_over(table, chunk, bytes, out, err);
}

vkr_status buffer_check_own(const struct buffer *buffer, vkr_error *err)
{
    if (buffer->chunk->holders == 1 && !buffer->chunk->block->is_foreign)
        return VKR_OK;
    return error_set(
        err, VKR_INVALID_ARGUMENT,
        "the buffer's memory is shared (vkr_buffer_import) and only read: write to a copy (vkr_buffer_copy)");
}

static void reclaim(struct buffer_table *table, struct buffer *b)
{
    pool_free(table->pool, b->chunk, 0);
    b->chunk = NULL;
    if (b->generation < GENERATION_LIMIT) {
        b->generation++;
        b->next_unused = table->unused;
        table->unused = b->index + 1;
    }
}

void buffer_release(struct buffer_table *table, struct buffer *buffer)
{
    buffer->is_live = false;
    table->gpu->counters.live_buffers--;
    table->gpu->counters.live_bytes -= buffer->bytes;
    if (!buffer->pins)
        reclaim(table, buffer);
}

void buffer_pin(struct buffer *buffer)
{
    buffer->pins++;
}

void buffer_unpin(struct buffer_table *table, struct buffer *buffer)
{
    if (!--buffer->pins && !buffer->is_live)
        reclaim(table, buffer);
}

void buffer_table_init(struct buffer_table *table, struct gpu *gpu, struct pool *pool,
                       uint64_t part_bytes)
{
    static atomic_uint next_tag;
    table->gpu = gpu;
    table->pool = pool;
    table->part_bytes = part_bytes;
    table->tag = atomic_fetch_add(&next_tag, 1) % ((1u << TAG_BITS) - 1) + 1;
}

void buffer_table_finish(struct buffer_table *table)
{
    for (uint32_t i = 0; i < table->npages; i++)
        free(table->pages[i]);
    free(table->pages);
    memset(table, 0, sizeof *table);
}

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
