/* Device memory: a pool of big blocks, each one VkDeviceMemory with one VkBuffer over it, cut into
   chunks, so that a tensor costs no Vulkan call. Must not know handles or programs.

   There is one queue, and every command buffer begins with a barrier, so that memory may be given to new
   work before old work on it has finished: a freed chunk is reusable at once by the device. `busy` says
   when the host may touch it. */
#ifndef VKR_MEMORY_H
#define VKR_MEMORY_H

#include "vk.h"

#define CHUNK_ALIGN 256u            /* the largest minStorageBufferOffsetAlignment that Vulkan permits */
#define POOL_BINS 192u              /* four size classes per power of two, from CHUNK_ALIGN up */

struct vkr_device;

/* One VkDeviceMemory, the VkBuffer over it, and its mapping where the host can see it. */
struct memory_block {
    VkDeviceMemory memory;
    VkBuffer buffer;
    uint64_t size;
    uint64_t serial;                /* never used twice, unlike VkBuffer handles */
    uint8_t *mapped;                /* NULL if the host cannot see it */
    uint64_t address;               /* on the device; 0 where it has none */
    uint64_t counted;               /* bytes of the budget that it takes */
    bool is_foreign;                /* over memory of the host that is not ours: one chunk, outside the bins */
    struct chunk *first;            /* lowest offset */
    struct memory_block *next;
};

struct chunk {
    struct memory_block *block;
    uint64_t offset, size;
    uint64_t busy;                  /* timeline value after which the host may touch it */
    uint64_t written;               /* timeline value after which the host may read it */
    uint64_t mark;                  /* scratch of vkr_run: which run wrote to it */
    uint32_t holders;               /* freed with the last of them */
    struct chunk *more;             /* the next piece of what no one allocation can hold; all but these fields, */
    uint64_t piece;                 /* and the place, are kept in the first. Bytes of each piece but the last */
    uint64_t serial;                /* of what has pieces: never used twice */
    struct chunk *below, *above;    /* neighbours in the block */
    struct chunk *previous, *next;  /* in a bin, or in the list of unused records */
    bool is_free;
};

struct pool {
    struct memory_block *blocks;
    struct chunk *bins[POOL_BINS];
    struct chunk *unused;           /* chunk records to reuse */
    uint64_t next_serial;
    uint64_t block_bytes;           /* of the next block; grows */
    uint64_t limit;                 /* the most bytes of a block */
    uint64_t epoch;                 /* how many blocks were destroyed */
    uint64_t gap;                   /* bytes behind each chunk's own that nobody is given; 0 but in tests */
    struct memory_block *foreign;
    uint32_t nretired;              /* of them: nobody holds, but the device may still read */
};

/* At least `bytes`, aligned to CHUNK_ALIGN; contents undefined. What is larger than a block may be comes in pieces,
   each but the last a multiple of `part` bytes. *Threads*: holds the device lock. *Owns*: the caller, pool_free. */
vkr_status pool_alloc(struct vkr_device *device, uint64_t bytes, uint64_t part, struct chunk **out, vkr_error *err);

/* A place in an allocation: the piece, the offset in its block's buffer, and how many bytes of the piece follow. */
struct chunk_place {
    struct chunk *piece;
    uint64_t offset, left;
};
struct chunk_place chunk_place(struct chunk *chunk, uint64_t at);
/* Tells allocations apart, for as long as the device is open, together with the offset. */
uint64_t chunk_serial(const struct chunk *chunk);

/* A chunk over memory of the host, which stays where it is and its owner's. *Threads*: holds the device lock.
   *Owns*: the caller, pool_free. */
vkr_status pool_import(struct vkr_device *device, void *address, uint64_t bytes, uint64_t part, struct chunk **out, vkr_error *err);

/* Gives up one hold. `busy`: the last submission that uses it. NULL is accepted. *Threads*: holds the device lock. */
void pool_free(struct vkr_device *device, struct chunk *chunk, uint64_t busy);

/* Frees every block; the device must be idle. */
void pool_finish(struct vkr_device *device);

/* A block of its own outside the pool, mapped, in memory of this type. *Owns*: the caller. */
vkr_status memory_block_create(struct vkr_device *device, uint64_t bytes, uint32_t type, bool is_mapped, struct memory_block *out,
                               vkr_error *err);
/* The same over memory of the host. Address and size are multiples of facts.import_alignment. */
vkr_status memory_block_import(struct vkr_device *device, void *address, uint64_t bytes, struct memory_block *out, vkr_error *err);
/* Accepts zeroed blocks. */
void memory_block_finish(struct vkr_device *device, struct memory_block *block);

#endif
