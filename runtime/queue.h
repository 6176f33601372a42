/* The one queue and its clock: every submission gets the next value of a timeline, kept by a
   timeline semaphore, or by a ring of fences where there is none. Must not know what is
   submitted. */
#ifndef VKR_QUEUE_H
#define VKR_QUEUE_H

#include "at_exit.h"
#include "gpu.h"

#define QUEUE_FENCES 64u
#define QUEUE_IN_FLIGHT 48u /* submissions that may be unfinished before a caller has to wait */

struct queue_fence {
    VkFence fence;
    uint64_t value;   /* of the submission that signals it; 0: none yet */
    uint32_t waiters; /* threads in vkWaitForFences */
};

struct queue {
    struct gpu *gpu;
    VkQueue handle;
    VkSemaphore timeline; /* VK_NULL_HANDLE: fences */
    struct queue_fence fences[QUEUE_FENCES];
    uint64_t submitted;   /* value of the last submission */
    uint64_t completed;   /* the last known to have finished */
    uint64_t progress_ns; /* when that was noticed, or the next submission made */
    struct at_exit_work at_exit;
};

vkr_status queue_init(struct queue *q, struct gpu *gpu, vkr_error *err);
/* Accepts zeros. */
void queue_finish(struct queue *q);

/* *Threads*: holds the device lock. */
vkr_status queue_submit(struct queue *q, const VkCommandBuffer *buffers, uint32_t count,
                        uint64_t *out_value, vkr_error *err);

/* Whether a submission has finished; asks the device if need be. *Threads*: holds the device
   lock. */
bool queue_is_done(struct queue *q, uint64_t value);

/* *Blocks* until all submissions have finished, with the device lock held. False if the device
   cannot be waited for. */
bool queue_drain(struct queue *q);

/* *Blocks* until the submission has finished. *Threads*: holds the device lock, which is dropped
   meanwhile. */
vkr_status queue_wait(struct queue *q, uint64_t value, vkr_error *err);

/* The same until `until` of queue_now at most; *out_done tells whether the submission has
   finished. */
vkr_status queue_wait_until(struct queue *q, uint64_t value, uint64_t until, bool *out_done,
                            vkr_error *err);

/* Nanoseconds of a monotonic clock. */
uint64_t queue_now(void);

/* *Blocks* while too much is in flight. *Threads*: holds the device lock, which is dropped
   meanwhile. */
vkr_status queue_throttle(struct queue *q, vkr_error *err);

#endif
