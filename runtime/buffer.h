/* Buffers: handles with index, device tag and generation over chunks of the pool. Must not know
   programs.

   A buffer pinned by a call in progress keeps its memory when it is freed: the handle dies at
   once, the memory goes back to the pool at the last unpin. */
#ifndef VKR_BUFFER_H
#define VKR_BUFFER_H

#include "pool.h"

#define BUFFER_PAGE 256u /* buffers per page: their addresses never change */

struct buffer {
    struct chunk *chunk;
    uint64_t bytes; /* as asked for */
    uint32_t generation;
    uint32_t pins;        /* calls in progress that use it outside the lock */
    uint32_t index;       /* its place in the table */
    uint32_t next_unused; /* index + 1 */
    bool is_live;         /* the handle is valid */
};

struct buffer_table {
    struct gpu *gpu;
    struct pool *pool;
    uint64_t part_bytes; /* where buffers in several allocations are cut, see bundle.h */
    struct buffer **pages;
    uint32_t npages, capacity; /* pages made; length of `pages` */
    uint32_t unused;           /* index + 1 of the first unused buffer; 0: none */
    uint32_t tag;              /* tells devices apart in handles */
};

/* Bytes of device memory that a tensor of this size takes. */
uint64_t buffer_storage(uint64_t bytes);

/* All of these: *Threads*: hold the device lock. */

/* VKR_INVALID_HANDLE says what is wrong with a handle. */
vkr_status buffer_resolve(struct buffer_table *table, vkr_buffer handle, struct buffer **out,
                          vkr_error *err);
vkr_buffer buffer_handle(const struct buffer_table *table, const struct buffer *buffer);
/* Contents undefined. *Owns*: the handle's holder, buffer_release. */
vkr_status buffer_new(struct buffer_table *table, uint64_t bytes, struct buffer **out,
                      vkr_error *err);
/* A buffer over this chunk, of which it takes over one hold. */
vkr_status buffer_over(struct buffer_table *table, struct chunk *chunk, uint64_t bytes,
                       struct buffer **out, vkr_error *err);
/* VKR_INVALID_ARGUMENT if others rely on what is in its memory. */
vkr_status buffer_check_own(const struct buffer *buffer, vkr_error *err);
/* Notes that submission `value` reads or writes it; 0: the host did, directly. */
void buffer_note(struct buffer *buffer, uint64_t value, bool is_write);
void buffer_release(struct buffer_table *table, struct buffer *buffer);
void buffer_pin(struct buffer *buffer);
void buffer_unpin(struct buffer_table *table, struct buffer *buffer);

void buffer_table_init(struct buffer_table *table, struct gpu *gpu, struct pool *pool,
                       uint64_t part_bytes);
void buffer_table_finish(struct buffer_table *table);

#endif
