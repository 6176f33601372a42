/* What several modules record into command buffers: barriers, and copies between chunks. */
#ifndef VKR_COMMANDS_H
#define VKR_COMMANDS_H

#include "pool.h"

/* Copies between chunks, piece by piece. */
void record_copy(const struct vk *vk, struct chunk *from, uint64_t from_at, struct chunk *to,
                 uint64_t to_at, uint64_t bytes, VkCommandBuffer commands);
/* What is recorded after it comes behind what was submitted and recorded before, and sees what that
   wrote; group counts in memory only with `reads_counts`. */
void record_barrier(const struct vk *vk, bool reads_counts, VkCommandBuffer commands);
/* What makes a command buffer's writes readable by the host, in memory that it sees. */
void record_host_barrier(const struct vk *vk, VkCommandBuffer commands);

#endif
