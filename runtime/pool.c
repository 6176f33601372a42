#include "pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_BLOCK (8ull << 20)
#define LARGEST_BLOCK (256ull << 20) /* larger requests get a block of their own size */
#define BIN_SEARCH 32                /* chunks looked at in the bin where some may be too small */

void pool_init(struct pool *pool, struct gpu *gpu, struct queue *queue)
{
    pool->gpu = gpu;
    pool->queue = queue;
}

bool pool_has_address(const struct pool *pool, const uint8_t *address)
{
    for (const struct memory_block *block = pool->blocks; block; block = block->next)
        if (block->mapped && address >= block->mapped && address < block->mapped + block->size)
            return true;
    return false;
}

/* ---- bins ---- */

/* The bin of chunks of this size: 4 per power of two of CHUNK_ALIGN units. */
static uint32_t bin_of(uint64_t size)
{
    uint64_t units = size / CHUNK_ALIGN;
    uint32_t log = 0;
    while (log < 63 && units >> (log + 1))
        log++;
    uint32_t quarter =
        log >= 2 ? (uint32_t)(units >> (log - 2)) & 3 : (uint32_t)(units << (2 - log)) & 3;
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

struct chunk_place chunk_place(struct chunk *chunk, uint64_t at)
{
    struct chunk *c = chunk;
    for (; c->more && at >= chunk->piece; at -= chunk->piece)
        c = c->more;
    return (struct chunk_place){c, c->offset + at, c->size - at};
}

uint64_t chunk_serial(const struct chunk *chunk)
{
    return chunk->more ? chunk->serial : chunk->block->serial;
}

/* A free chunk of at least `size`: of the request's own bin the one that fits best, idle ones
   first; else from the next bin that has any. */
static struct chunk *find_free(const struct pool *pool, uint64_t size)
{
    uint32_t bin = bin_of(size);
    struct chunk *best = NULL;
    int looked = 0;
    for (struct chunk *c = pool->bins[bin]; c && looked < BIN_SEARCH; c = c->next, looked++) {
        if (c->size < size)
            continue;
        bool is_idle = c->busy <= pool->queue->completed;
        bool best_is_idle = best && best->busy <= pool->queue->completed;
        if (!best || (is_idle && !best_is_idle) ||
            (is_idle == best_is_idle && c->size < best->size))
            best = c;
    }
    while (!best && ++bin < POOL_BINS)
        best = pool->bins[bin];
    return best;
}

/* ---- blocks ---- */

/* Adds a piece to `first`, which is NULL before the first of them. */
static void add_piece(struct pool *pool, struct chunk **first, struct chunk **last, struct chunk *c,
                      uint64_t piece)
{
    if (*first) {
        (*last)->more = c;
        (*first)->busy = (*first)->busy > c->busy ? (*first)->busy : c->busy;
    } else {
        *first = c;
        c->piece = piece;
        c->serial = ++pool->next_serial;
    }
    *last = c;
}

static bool is_empty(const struct memory_block *block)
{
    return block->first->is_free && !block->first->above;
}

static void block_destroy(struct pool *pool, struct memory_block **link)
{
    struct memory_block *block = *link;
    *link = block->next;
    if (block->is_foreign) {
        pool->nretired--;
        pool->gpu->counters.imported_bytes -= block->size;
    } else {
        bin_take(pool, block->first);
        pool->gpu->counters.pool_bytes -= block->size;
    }
    chunk_forget(pool, block->first);
    pool->epoch++;
    memory_block_finish(pool->gpu, block);
    free(block);
}

/* Frees empty blocks that the device has finished with, beyond `spare` of them. */
static void trim(struct pool *pool, uint32_t spare)
{
    struct memory_block **link = &pool->blocks;
    while (*link) {
        bool can_go = is_empty(*link) && queue_is_done(pool->queue, (*link)->first->busy);
        if (can_go && !spare)
            block_destroy(pool, link);
        else
            spare -= can_go, link = &(*link)->next;
    }
}

/* A block, which is one chunk, of the device's memory, or with an address of the host's there. */
static vkr_status block_new(struct pool *pool, uint64_t bytes, void *address, struct chunk **out,
                            vkr_error *err)
{
    struct memory_block **list = address ? &pool->foreign : &pool->blocks,
                        *block = host_alloc(1, sizeof *block);
    struct chunk *all = block ? chunk_record(pool) : NULL;
    vkr_status status = all ? VKR_OK : error_memory(err);
    if (!status)
        status = address ? memory_block_import(pool->gpu, address, bytes, block, err)
                         : memory_block_create(pool->gpu, bytes, pool->gpu->memory_types.device,
                                               pool->gpu->memory_types.is_mapped, block, err);
    if (status) {
        if (all)
            chunk_forget(pool, all);
        free(block);
        return status;
    }
    block->serial = ++pool->next_serial;
    block->is_foreign = address != NULL;
    block->first = all;
    block->next = *list;
    *list = block;
    *all = (struct chunk){.block = block, .size = bytes};
    *out = all;
    return VKR_OK;
}

static vkr_status block_add(struct pool *pool, uint64_t bytes, vkr_error *err)
{
    struct chunk *all;
    vkr_status status = block_new(pool, bytes, NULL, &all, err);
    if (status)
        return status;
    bin_put(pool, all);
    pool->gpu->counters.pool_bytes += bytes;
    return VKR_OK;
}

/* A new block for a request: as large as the pool's growth suggests; on failure just large enough,
   first with the memory of empty blocks given back. */
static vkr_status grow(struct pool *pool, uint64_t size, vkr_error *err)
{
    uint64_t usual = pool->block_bytes ? pool->block_bytes : FIRST_BLOCK;
    if (usual > pool->limit / 4)
        usual = pool->limit / 4 / CHUNK_ALIGN * CHUNK_ALIGN;
    if (usual > memory_budget_left(pool->gpu)) /* no more than is asked for */
        usual = 0;
    vkr_status status = block_add(pool, size > usual ? size : usual, err);
    if (status == VKR_OUT_OF_DEVICE_MEMORY) {
        queue_drain(pool->queue);
        trim(pool, 0);
        status = block_add(pool, size, err);
    }
    if (!status && size <= usual && usual < LARGEST_BLOCK)
        pool->block_bytes = usual * 2;
    return status;
}

/* ---- memory of the host ---- */

/* Destroys the retired blocks that the device has finished with. */
static void sweep(struct pool *pool)
{
    struct memory_block **link = &pool->foreign;
    while (pool->nretired && *link) {
        const struct chunk *c = (*link)->first;
        if (c->is_free && queue_is_done(pool->queue, c->busy))
            block_destroy(pool, link);
        else
            link = &(*link)->next;
    }
}

/* What there is to say against memory of the host, before the driver is asked. */
static vkr_status check_import(const struct pool *pool, uintptr_t at, uint64_t bytes,
                               vkr_error *err)
{
    uint64_t align = pool->gpu->facts.import_alignment,
             offset = pool->gpu->facts.properties.limits.minStorageBufferOffsetAlignment,
             texels = pool->gpu->facts.properties.limits.minTexelBufferOffsetAlignment;
    offset = texels > offset ? texels : offset; /* both are powers of two */
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (!align)
        return error_set(err, VKR_UNSUPPORTED,
                         "%s cannot use memory of the host: it lacks VK_EXT_external_memory_host",
                         pool->gpu->info.name);
    if (bytes > UINTPTR_MAX - at || bytes + at > UINTPTR_MAX - align)
        return error_set(err, VKR_INVALID_ARGUMENT, "%llu bytes at 0x%llx exceed the address space",
                         (unsigned long long)bytes, (unsigned long long)at);
    if (at % offset || (align > page && (at % align || bytes % align)))
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "%llu bytes at 0x%llx: %s needs an address%s that is a multiple of %llu",
                         (unsigned long long)bytes, (unsigned long long)at, pool->gpu->info.name,
                         align > page ? ", and a size," : "",
                         (unsigned long long)(align > page ? align : offset));
    if (msync((void *)(at - at % page), at % page + bytes,
              MS_ASYNC)) /* changes nothing, but sees what is not mapped */
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "%llu bytes at 0x%llx are not memory of this process",
                         (unsigned long long)bytes, (unsigned long long)at);
    return VKR_OK;
}

/* The memory object covers whole pages, and so maybe more than was asked for; the chunk does not.
   */
static vkr_status import_piece(struct pool *pool, uint8_t *address, uint64_t bytes,
                               struct chunk **out, vkr_error *err)
{
    uint64_t align = pool->gpu->facts.import_alignment, before = (uintptr_t)address % align;
    struct chunk *c;
    vkr_status status =
        block_new(pool, (before + bytes + align - 1) / align * align, address - before, &c, err);
    if (status)
        return status;
    c->offset = before;
    c->size = bytes;
    c->holders = 1;
    pool->gpu->counters.imported_bytes += c->block->size;
    *out = c;
    return VKR_OK;
}

vkr_status pool_import(struct pool *pool, void *address, uint64_t bytes, uint64_t part,
                       struct chunk **out, vkr_error *err)
{
    uint64_t limit = pool->limit, piece = limit / part * part;
    struct chunk *first = NULL, *last = NULL, *c;
    vkr_status status = check_import(pool, (uintptr_t)address, bytes, err);
    if (status)
        return status;
    sweep(pool);
    if (bytes <= limit)
        return import_piece(pool, address, bytes, out, err);
    if (limit - piece < pool->gpu->facts.import_alignment &&
        (uintptr_t)address % pool->gpu->facts.import_alignment)
        piece -= part; /* room for the rest of the first page */
    if (!piece)
        return error_set(err, VKR_UNSUPPORTED,
                         "%llu bytes at %p: %s takes memory of this size only at multiples of %llu",
                         (unsigned long long)bytes, address, pool->gpu->info.name,
                         (unsigned long long)pool->gpu->facts.import_alignment);
    for (uint64_t at = 0; !status && at < bytes; at += piece) {
        status = import_piece(pool, (uint8_t *)address + at,
                              bytes - at < piece ? bytes - at : piece, &c, err);
        if (!status)
            add_piece(pool, &first, &last, c, piece);
    }
    if (status) {
        pool_free(pool, first, 0);
        return status;
    }
    *out = first;
    return VKR_OK;
}

/* ---- chunks ---- */

static vkr_status alloc_piece(struct pool *pool, uint64_t size, struct chunk **out, vkr_error *err)
{
    struct chunk *c = find_free(pool, size);
    if (!c && pool->is_hurried)
        return error_set(err, VKR_TIMEOUT, "no block has room, and there is no time for a new one");
    if (!c) {
        vkr_status status = grow(pool, size, err);
        if (status)
            return status;
        c = find_free(pool, size);
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
    c->written = c->mark = 0;
    c->holders = 1;
    c->more = NULL;
    *out = c;
    return VKR_OK;
}

vkr_status pool_alloc(struct pool *pool, uint64_t bytes, uint64_t part, struct chunk **out,
                      vkr_error *err)
{
    uint64_t limit = pool->limit, piece = part ? limit / part * part : 0;
    struct chunk *first = NULL, *last = NULL, *c;
    vkr_status status = VKR_OK;
    sweep(pool);
    uint64_t gap = pool->gap;
    if (bytes > UINT64_MAX - CHUNK_ALIGN - gap)
        return error_set(err, VKR_OUT_OF_DEVICE_MEMORY, "%llu bytes of device memory",
                         (unsigned long long)bytes);
    uint64_t size =
        bytes + gap ? (bytes + gap + CHUNK_ALIGN - 1) / CHUNK_ALIGN * CHUNK_ALIGN : CHUNK_ALIGN;
    if (size <= limit)
        return alloc_piece(pool, size, out, err);
    if (size > pool->gpu->counters.memory_budget)
        return memory_budget_error(pool->gpu, size, err);
    if (!piece)
        return error_set(err, VKR_OUT_OF_DEVICE_MEMORY,
                         "%llu bytes in one piece, %s allocates at most %llu",
                         (unsigned long long)(part ? part : bytes), pool->gpu->info.name,
                         (unsigned long long)limit);
    for (uint64_t at = 0; !status && at < size; at += piece) {
        status = alloc_piece(pool, size - at < piece ? size - at : piece, &c, err);
        if (!status)
            add_piece(pool, &first, &last, c, piece);
    }
    if (status) {
        pool_free(pool, first, 0);
        return status;
    }
    *out = first;
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

static void free_piece(struct pool *pool, struct chunk *chunk)
{
    bool is_foreign = chunk->block->is_foreign;
    chunk->is_free = is_foreign; /* if so, swept with its block, now or later */
    pool->nretired += is_foreign;
    if (is_foreign)
        return;
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
        trim(pool, 1);
}

void pool_free(struct pool *pool, struct chunk *chunk, uint64_t busy)
{
    if (!chunk)
        return;
    busy = chunk->busy = chunk->busy > busy ? chunk->busy : busy;
    if (--chunk->holders)
        return;
    for (struct chunk *more; chunk; chunk = more) {
        more = chunk->more;
        chunk->more = NULL;
        chunk->busy = chunk->busy > busy ? chunk->busy : busy;
        free_piece(pool, chunk);
    }
    sweep(pool);
}

static void blocks_finish(struct pool *pool, struct memory_block *block)
{
    for (struct memory_block *next; block; block = next) {
        next = block->next;
        for (struct chunk *c = block->first, *above; c; c = above) {
            above = c->above;
            free(c);
        }
        memory_block_finish(pool->gpu, block);
        free(block);
    }
}

void pool_finish(struct pool *pool)
{
    blocks_finish(pool, pool->blocks);
    blocks_finish(pool, pool->foreign);
    for (struct chunk *c = pool->unused, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    memset(pool, 0, sizeof *pool);
}
