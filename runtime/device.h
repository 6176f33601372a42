/* What a vkr_device is: the open Vulkan device, and the part of each module that works on it. A
   module's functions take its own part, which points to those below it. */
#ifndef VKR_DEVICE_H
#define VKR_DEVICE_H

#include "buffer.h"
#include "gpu.h"
#include "pipeline_cache.h"
#include "pool.h"
#include "queue.h"
#include "staging.h"

struct vkr_device {
    struct gpu gpu;

    /* All below: guarded by gpu.lock. */
    struct queue queue;
    struct pool pool;
    struct buffer_table buffers;
    struct staging staging;
    struct pipeline_cache pipeline_cache;
    uint64_t run_serial; /* of vkr_run, for chunk.mark */
};

/* Opens a public call: refuses a device that is NULL or lost, else takes its lock. */
vkr_status device_enter(struct vkr_device *device, vkr_error *err);

#endif
