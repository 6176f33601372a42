/* One allocation of memory, counted against the budget if it is in the heap that the budget is of.
   Must not know how it is cut up, which is in pool.h. */
#ifndef VKR_MEMORY_H
#define VKR_MEMORY_H

#include "gpu.h"

/* One VkDeviceMemory, the VkBuffer over it, and its mapping where the host can see it. */
struct memory_block {
    VkDeviceMemory memory;
    VkBuffer buffer;
    uint64_t size;
    uint8_t *mapped;  /* NULL if the host cannot see it */
    uint64_t address; /* on the device; 0 where it has none */
    uint64_t counted; /* bytes of the budget that it takes; 0 in another heap */
    /* Of the pool: */
    uint64_t serial;     /* never used twice, unlike VkBuffer handles */
    bool is_foreign;     /* over memory of the host: one chunk, outside the bins */
    struct chunk *first; /* lowest offset */
    struct memory_block *next;
};

/* A block of its own outside the pool, mapped, in memory of this type. *Owns*: the caller. */
vkr_status memory_block_create(struct gpu *gpu, uint64_t bytes, uint32_t type, bool is_mapped,
                               struct memory_block *out, vkr_error *err);
/* The same over memory of the host. Address and size are multiples of facts.import_alignment. */
vkr_status memory_block_import(struct gpu *gpu, void *address, uint64_t bytes,
                               struct memory_block *out, vkr_error *err);
/* Accepts zeroed blocks. */
void memory_block_finish(struct gpu *gpu, struct memory_block *block);

/* Bytes that may still be taken. *Threads*: holds the device lock. */
uint64_t memory_budget_left(const struct gpu *gpu);
/* VKR_OUT_OF_DEVICE_MEMORY with the numbers, for `bytes` that are more than that. */
vkr_status memory_budget_error(const struct gpu *gpu, uint64_t bytes, vkr_error *err);

#endif
