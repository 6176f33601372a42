/* An open device: instance, device, queue, and the state of the modules that hang on it. */
#ifndef VKR_DEVICE_H
#define VKR_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "buffer.h"
#include "debug.h"
#include "device_plan.h"
#include "log.h"
#include "memory.h"
#include "pipeline_cache.h"
#include "queue.h"
#include "staging.h"

struct vkr_device {
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
    uint32_t family;                /* of the queue */
    bool has_timeline, has_update_after_bind, has_addresses;
    uint64_t part_bytes;            /* buffers in several allocations are cut at multiples of this, see bundle.h */
    bool has_debug_names;
    bool is_profiled;

    pthread_mutex_t lock;           /* guards all below; never held while waiting for the device */
    atomic_bool is_lost;
    struct queue queue;
    struct pool pool;
    struct buffer_table buffers;
    struct staging staging;
    struct pipeline_cache pipeline_cache;
    vkr_counters counters;
    uint64_t run_serial;            /* of vkr_run, for chunk.mark */
};

/* VKR_DEVICE_LOST once the device is lost. */
vkr_status device_check(const struct vkr_device *device, vkr_error *err);
/* Opens a public call: refuses a device that is NULL or lost, else takes its lock. */
vkr_status device_enter(struct vkr_device *device, vkr_error *err);

/* Names an object for debuggers and validation, where they listen. */
void device_name_object(const struct vkr_device *device, VkObjectType type, uint64_t object, const char *name);

#endif
