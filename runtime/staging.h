/* Moving bytes between host and device memory: directly where the host can see device memory, else
   through persistent staging. Also the one-time command buffers for copies and fills. Must not know
   handles or programs.

   All functions are called with the device lock held; those that block drop it while they wait. The
   caller keeps the chunk alive by pinning what owns it. */
#ifndef VKR_STAGING_H
#define VKR_STAGING_H

#include <pthread.h>

#include "pool.h"

#define STAGING_COMMANDS 16u
#define STAGING_CHUNK (4u << 20)   /* bytes of one staged copy */
#define STAGING_UPLOAD (16u << 20) /* bytes of the upload ring */

/* What was staged in the upload ring, oldest first. */
struct staging_span {
    uint64_t end;   /* total bytes put into the ring when this span ended */
    uint64_t value; /* the submission that reads it */
};

struct staging {
    struct gpu *gpu;
    struct queue *queue;
    VkCommandPool pool[STAGING_COMMANDS];
    VkCommandBuffer commands[STAGING_COMMANDS];
    uint64_t busy[STAGING_COMMANDS]; /* the submission of each */
    uint32_t next;
    struct memory_block upload, readback; /* made when first needed */
    uint64_t put, freed; /* total bytes ever put into the ring, and of those given back */
    struct staging_span spans[STAGING_COMMANDS * 4];
    uint32_t first_span, nspans;
    /* one staged upload and one staged read at a time; each is taken before the device lock */
    pthread_mutex_t upload_lock, read_lock;
};

vkr_status staging_init(struct staging *s, struct gpu *gpu, struct queue *queue, vkr_error *err);
/* Accepts zeros. */
void staging_finish(struct staging *s);

/* Writes host bytes to a chunk, ordered after every submission so far. *out_value: the
   submission that writes it, or unchanged if the host wrote directly. The bytes are copied on
   return. *Blocks*. */
vkr_status staging_write(struct staging *s, struct chunk *chunk, uint64_t offset, const void *data,
                         uint64_t bytes, uint64_t busy, uint64_t *out_value, vkr_error *err);

/* Reads a chunk once submission `written` has finished. *Blocks*. */
vkr_status staging_read(struct staging *s, struct chunk *chunk, uint64_t offset, void *data,
                        uint64_t bytes, uint64_t written, vkr_error *err);

/* Fills with zeros; by the device if submission `busy` has not finished or the host cannot see
   it. */
vkr_status staging_zero(struct staging *s, struct chunk *chunk, uint64_t bytes, uint64_t *out_value,
                        vkr_error *err);

/* Copies on the device. */
vkr_status staging_copy(struct staging *s, struct chunk *from, struct chunk *to, uint64_t bytes,
                        uint64_t *out_value, vkr_error *err);

#endif
