#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"

#define FIRST_BLOCK (8ull << 20)
#define LARGEST_BLOCK (256ull << 20) /* larger requests get a block of their own size */
#define BIN_SEARCH 32               /* chunks looked at in the bin where some may be too small */

void memory_block_finish(struct vkr_device *device, struct memory_block *block)
{
    const struct vk *vk = &device->vk;
    if (block->buffer)
        vk->DestroyBuffer(device->handle, block->buffer, NULL);
    if (block->memory)
        vk->FreeMemory(device->handle, block->memory, NULL);
    memset(block, 0, sizeof *block);
}

vkr_status memory_block_create(struct vkr_device *device, uint64_t bytes, uint32_t type, bool is_mapped, struct memory_block *out,
                               vkr_error *err)
{
    const struct vk *vk = &device->vk;
    vkr_status status = VKR_OK;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
    };
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .memoryTypeIndex = type};
    VkMemoryRequirements needs;
    memset(out, 0, sizeof *out);
    if (bytes > device->facts.max_allocation || bytes > device->facts.max_buffer)
        return error_set(err, VKR_OUT_OF_DEVICE_MEMORY, "%llu bytes in one piece, %s allocates at most %llu",
                         (unsigned long long)bytes, device->info.name,
                         (unsigned long long)(device->facts.max_allocation < device->facts.max_buffer
                                                  ? device->facts.max_allocation
                                                  : device->facts.max_buffer));
    VK(vk->CreateBuffer(device->handle, &info, NULL, &out->buffer));
    vk->GetBufferMemoryRequirements(device->handle, out->buffer, &needs);
    if (!(needs.memoryTypeBits >> type & 1)) {
        status = error_set(err, VKR_UNSUPPORTED, "memory type %u of %s cannot hold storage buffers", type, device->info.name);
        goto out;
    }
    allocate.allocationSize = needs.size;
    VK(vk->AllocateMemory(device->handle, &allocate, NULL, &out->memory));
    device->counters.device_allocations++;
    VK(vk->BindBufferMemory(device->handle, out->buffer, out->memory, 0));
    if (is_mapped) {
        void *mapped = NULL;
        VK(vk->MapMemory(device->handle, out->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
        out->mapped = mapped;
    }
    out->size = bytes;
out:
    if (status)
        memory_block_finish(device, out);
    return status;
}

/* ---- bins ---- */

/* The bin of chunks of this size: 4 per power of two of CHUNK_ALIGN units. */
static uint32_t bin_of(uint64_t size)
{
    uint64_t units = size / CHUNK_ALIGN;
    uint32_t log = 0;
    while (log < 63 && units >> (log + 1))
        log++;
    uint32_t quarter = log >= 2 ? (uint32_t)(units >> (log - 2)) & 3 : (uint32_t)(units << (2 - log)) & 3;
    uint32_t bin = log * 4 + quarter;
    return bin < POOL_BINS ? bin : POOL_BINS - 1;
}

static void bin_put(struct pool *pool, struct chunk *c)
{
    struct chunk **head = &pool->bins[bin_of(c->size)];
    c->is_free = true;
    c->previous = NULL;
    c->next = *head;
    if (*head)
        (*head)->previous = c;
    *head = c;
}

static void bin_take(struct pool *pool, struct chunk *c)
{
    if (c->previous)
        c->previous->next = c->next;
    else
        pool->bins[bin_of(c->size)] = c->next;
    if (c->next)
        c->next->previous = c->previous;
    c->previous = c->next = NULL;
    c->is_free = false;
}

static struct chunk *chunk_record(struct pool *pool)
{
    struct chunk *c = pool->unused;
    if (!c)
        return host_alloc(1, sizeof *c);
    pool->unused = c->next;
    memset(c, 0, sizeof *c);
    return c;
}

static void chunk_forget(struct pool *pool, struct chunk *c)
{
    c->next = pool->unused;
    pool->unused = c;
}

/* A free chunk of at least `size`: of the request's own bin the one that fits best, idle ones first;
   else from the next bin that has any. */
static struct chunk *find_free(const struct vkr_device *device, uint64_t size)
{
    const struct pool *pool = &device->pool;
    uint32_t bin = bin_of(size);
    struct chunk *best = NULL;
    int looked = 0;
    for (struct chunk *c = pool->bins[bin]; c && looked < BIN_SEARCH; c = c->next, looked++) {
        if (c->size < size)
            continue;
        bool is_idle = c->busy <= device->queue.completed;
        bool best_is_idle = best && best->busy <= device->queue.completed;
        if (!best || (is_idle && !best_is_idle) || (is_idle == best_is_idle && c->size < best->size))
            best = c;
    }
    while (!best && ++bin < POOL_BINS)
        best = pool->bins[bin];
    return best;
}

/* ---- blocks ---- */

static bool is_empty(const struct memory_block *block)
{
    return block->first->is_free && !block->first->above;
}

static void block_destroy(struct vkr_device *device, struct memory_block **link)
{
    struct memory_block *block = *link;
    struct pool *pool = &device->pool;
    *link = block->next;
    bin_take(pool, block->first);
    chunk_forget(pool, block->first);
    device->counters.pool_bytes -= block->size;
    pool->epoch++;
    memory_block_finish(device, block);
    free(block);
}

/* Frees empty blocks that the device has finished with, beyond `spare` of them. */
static void trim(struct vkr_device *device, uint32_t spare)
{
    struct memory_block **link = &device->pool.blocks;
    while (*link) {
        bool can_go = is_empty(*link) && queue_is_done(device, (*link)->first->busy);
        if (can_go && !spare)
            block_destroy(device, link);
        else
            spare -= can_go, link = &(*link)->next;
    }
}

static vkr_status block_add(struct vkr_device *device, uint64_t bytes, vkr_error *err)
{
    struct pool *pool = &device->pool;
    struct memory_block *block = host_alloc(1, sizeof *block);
    struct chunk *all = block ? chunk_record(pool) : NULL;
    vkr_status status = all ? VKR_OK : error_memory(err);
    if (!status)
        status = memory_block_create(device, bytes, device->memory_types.device, device->memory_types.is_mapped, block, err);
    if (status) {
        if (all)
            chunk_forget(pool, all);
        free(block);
        return status;
    }
    block->serial = ++pool->next_serial;
    block->first = all;
    block->next = pool->blocks;
    pool->blocks = block;
    all->block = block;
    all->size = bytes;
    bin_put(pool, all);
    device->counters.pool_bytes += bytes;
    return VKR_OK;
}

/* A new block for a request: as large as the pool's growth suggests; on failure just large enough, first
   with the memory of empty blocks given back. */
static vkr_status grow(struct vkr_device *device, uint64_t size, vkr_error *err)
{
    struct pool *pool = &device->pool;
    uint64_t usual = pool->block_bytes ? pool->block_bytes : FIRST_BLOCK;
    if (usual > device->facts.max_allocation / 4)
        usual = device->facts.max_allocation / 4 / CHUNK_ALIGN * CHUNK_ALIGN;
    vkr_status status = block_add(device, size > usual ? size : usual, err);
    if (status == VKR_OUT_OF_DEVICE_MEMORY) {
        if (device->vk.DeviceWaitIdle(device->handle) == VK_SUCCESS)
            device->queue.completed = device->queue.submitted;
        trim(device, 0);
        status = block_add(device, size, err);
    }
    if (!status && size <= usual && usual < LARGEST_BLOCK)
        pool->block_bytes = usual * 2;
    return status;
}

vkr_status pool_alloc(struct vkr_device *device, uint64_t bytes, struct chunk **out, vkr_error *err)
{
    struct pool *pool = &device->pool;
    if (bytes > UINT64_MAX - CHUNK_ALIGN)
        return error_set(err, VKR_OUT_OF_DEVICE_MEMORY, "%llu bytes of device memory", (unsigned long long)bytes);
    uint64_t size = bytes ? (bytes + CHUNK_ALIGN - 1) / CHUNK_ALIGN * CHUNK_ALIGN : CHUNK_ALIGN;
    struct chunk *c = find_free(device, size);
    if (!c) {
        vkr_status status = grow(device, size, err);
        if (status)
            return status;
        c = find_free(device, size);
    }
    bin_take(pool, c);
    if (c->size > size) {
        struct chunk *rest = chunk_record(pool);
        if (!rest) {
            bin_put(pool, c);
            return error_memory(err);
        }
        rest->block = c->block;
        rest->offset = c->offset + size;
        rest->size = c->size - size;
        rest->busy = c->busy;
        rest->below = c;
        rest->above = c->above;
        if (c->above)
            c->above->below = rest;
        c->above = rest;
        c->size = size;
        bin_put(pool, rest);
    }
    *out = c;
    return VKR_OK;
}

/* Joins the free chunk above into `c`, which is in no bin. */
static void join_above(struct pool *pool, struct chunk *c)
{
    struct chunk *above = c->above;
    if (!above || !above->is_free)
        return;
    bin_take(pool, above);
    c->size += above->size;
    c->busy = c->busy > above->busy ? c->busy : above->busy;
    c->above = above->above;
    if (c->above)
        c->above->below = c;
    chunk_forget(pool, above);
}

void pool_free(struct vkr_device *device, struct chunk *chunk, uint64_t busy)
{
    struct pool *pool = &device->pool;
    if (!chunk)
        return;
    chunk->busy = chunk->busy > busy ? chunk->busy : busy;
    join_above(pool, chunk);
    struct chunk *below = chunk->below;
    if (below && below->is_free) {
        bin_take(pool, below);
        bin_put(pool, chunk); /* join_above takes it out again */
        join_above(pool, below);
        chunk = below;
    }
    bin_put(pool, chunk);
    if (is_empty(chunk->block))
        trim(device, 1);
}

void pool_finish(struct vkr_device *device)
{
    struct pool *pool = &device->pool;
    while (pool->blocks) {
        struct memory_block *block = pool->blocks;
        pool->blocks = block->next;
        for (struct chunk *c = block->first, *above; c; c = above) {
            above = c->above;
            free(c);
        }
        memory_block_finish(device, block);
        free(block);
    }
    for (struct chunk *c = pool->unused, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    memset(pool, 0, sizeof *pool);
}
