/* An open Vulkan device: its entry points, what is known and decided about it for as long as it is
   open, the lock of all that changes, and the counters. Must not know queues, memory or programs;
   they have parts of their own, which point here. The CPU device is one, too. */
#ifndef VKR_GPU_H
#define VKR_GPU_H

#include <pthread.h>
#include <stdatomic.h>

#include "debug.h"
#include "device_plan.h"
#include "log.h"

struct gpu {
    struct vk vk;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkDevice handle;
    struct device_facts facts;
    struct memory_choice memory_types;
    vkr_device_info info;
    struct log log;
    struct debug debug;
    uint32_t family; /* of the queue */
    bool has_timeline, has_update_after_bind, has_texel_update, has_addresses;
    bool has_debug_names;
    bool is_profiled;

    atomic_bool is_lost;
    /* The device lock: guards the counters, and what changes in every module above. Never held
       while waiting for the device. */
    pthread_mutex_t lock;
    vkr_counters counters; /* each module adds to its own */
};

/* Opens it into zeros, but for `lock`, which is the caller's. *Owns*: the caller, gpu_close, also
   after a failure. */
vkr_status gpu_open(struct gpu *gpu, const vkr_device_options *options, vkr_error *err);
void gpu_close(struct gpu *gpu);

/* VKR_DEVICE_LOST once the device is lost. */
vkr_status gpu_check(const struct gpu *gpu, vkr_error *err);

/* Names an object for debuggers and validation, where they listen. */
void gpu_name_object(const struct gpu *gpu, VkObjectType type, uint64_t object, const char *name);

#endif
