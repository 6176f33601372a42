/* Asks a physical device for all that device_plan decides from, and builds the feature chain to
   enable. */
#ifndef VKR_DEVICE_FACTS_H
#define VKR_DEVICE_FACTS_H

#include "device_plan.h"

/* The extensions of a device. *Owns*: the caller, free(list). */
struct extension_list {
    VkExtensionProperties *list;
    uint32_t count;
};

bool extension_list_has(const struct extension_list *extensions, const char *name);

/* *Owns*: the caller, free(out->list). */
vkr_status device_extensions(const struct vk *vk, VkPhysicalDevice physical,
                             struct extension_list *out, vkr_error *err);

vkr_status device_facts_read(const struct vk *vk, VkPhysicalDevice physical,
                             uint32_t instance_version, struct device_facts *out, vkr_error *err);

/* Links the structures that the device knows, for vkCreateDevice; collects up to `capacity`
   extensions that they need. *Returns* how many. */
uint32_t device_features_link(struct device_features *features, uint32_t api_version,
                              const struct extension_list *extensions, const char **out_names,
                              uint32_t capacity);

#endif
