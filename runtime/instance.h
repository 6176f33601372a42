/* The Vulkan instance, and the physical devices that it lists. Must not know which of them is
   opened. */
#ifndef VKR_INSTANCE_H
#define VKR_INSTANCE_H

#include "debug.h"
#include "device_plan.h"

/* Loads Vulkan, and opens an instance into vk and *out_instance; with what `debug` asks for.
   *Owns*: the caller, vkDestroyInstance, also after a failure. */
vkr_status instance_create(struct vk *vk, const struct debug *debug, VkInstance *out_instance,
                           bool *out_has_debug_utils, vkr_error *err);

/* All physical devices and what is known of them. *Owns*: the caller, free(*out_facts),
   free(*out_physical). */
vkr_status instance_devices(const struct vk *vk, VkInstance instance,
                            VkPhysicalDevice **out_physical, struct device_facts **out_facts,
                            uint32_t *out_count, vkr_error *err);

#endif
