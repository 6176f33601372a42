/* The pool: big blocks of device memory, each one VkDeviceMemory with one VkBuffer over it, cut
   into chunks, so that a tensor costs no Vulkan call. Must not know handles or programs.

   There is one queue, and every command buffer begins with a barrier, so that memory may be given
   to new work before old work on it has finished: a freed chunk is reusable at once by the device.
   `busy` says when the host may touch it. */
#ifndef VKR_POOL_H
#define VKR_POOL_H

#include "memory.h"
#include "queue.h"

#define CHUNK_ALIGN 256u /* the largest minStorageBufferOffsetAlignment that Vulkan permits */
#define POOL_BINS 192u   /* four size classes per power of two, from CHUNK_ALIGN up */

struct chunk {
    struct memory_block *block;
    uint64_t offset, size;
    uint64_t busy;    /* timeline value after which the host may touch it */
    uint64_t written; /* timeline value after which the host may read it */
    uint64_t mark;    /* scratch of vkr_run: which run wrote to it */
    uint32_t holders; /* freed with the last of them */
    /* The next piece of what no one allocation can hold; all but these fields, and the place, are
       kept in the first. */
    struct chunk *more;
    uint64_t piece;                /* bytes of each piece but the last */
    uint64_t serial;               /* of what has pieces: never used twice */
    struct chunk *below, *above;   /* neighbours in the block */
    struct chunk *previous, *next; /* in a bin, or in the list of unused records */
    bool is_free;
};

struct pool {
    struct gpu *gpu;
    struct queue *queue; /* says when the device has finished with what was freed */
    struct memory_block *blocks;
    struct chunk *bins[POOL_BINS];
    struct chunk *unused; /* chunk records to reuse */
    uint64_t next_serial;
    uint64_t block_bytes; /* of the next block; grows */
    uint64_t limit;       /* the most bytes of a block */
    uint64_t epoch;       /* how many blocks were destroyed */
    bool is_hurried;      /* VKR_TIMEOUT instead of a new block */
    uint64_t gap;         /* unused bytes behind each chunk; 0 except in tests */
    struct memory_block *foreign;
    uint32_t nretired; /* of them: not held any more, but the device may still read them */
};

/* Of a zeroed pool, or one whose `limit` is set. */
void pool_init(struct pool *pool, struct gpu *gpu, struct queue *queue);

/* At least `bytes`, aligned to CHUNK_ALIGN; contents undefined. What is larger than a block may be
   comes in pieces, each but the last a multiple of `part` bytes. *Threads*: holds the device lock.
   *Owns*: the caller, pool_free. */
vkr_status pool_alloc(struct pool *pool, uint64_t bytes, uint64_t part, struct chunk **out,
                      vkr_error *err);

/* A place in an allocation: the piece, the offset in its block's buffer, and how many bytes of the
   piece follow. */
struct chunk_place {
    struct chunk *piece;
    uint64_t offset, left;
};
struct chunk_place chunk_place(struct chunk *chunk, uint64_t at);
/* Tells allocations apart, for as long as the device is open, together with the offset. */
uint64_t chunk_serial(const struct chunk *chunk);

/* A chunk over memory of the host, which stays where it is and its owner's. *Threads*: holds the
   device lock. *Owns*: the caller, pool_free. */
vkr_status pool_import(struct pool *pool, void *address, uint64_t bytes, uint64_t part,
                       struct chunk **out, vkr_error *err);

/* Gives up one hold. `busy`: the last submission that uses it. NULL is accepted. *Threads*: holds
   the device lock. */
void pool_free(struct pool *pool, struct chunk *chunk, uint64_t busy);

/* Whether the host sees memory of the pool there. */
bool pool_has_address(const struct pool *pool, const uint8_t *address);

/* Frees every block; the device must be idle. Accepts zeros. */
void pool_finish(struct pool *pool);

#endif
