#include "instance.h"

#include <stdlib.h>
#include <string.h>

#include "device_facts.h"

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

static bool has_layer(const struct vk *vk, const char *name)
{
    VkLayerProperties layers[64];
    uint32_t count = sizeof layers / sizeof *layers;
    if (vk->EnumerateInstanceLayerProperties(&count, layers) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(layers[i].layerName, name))
            return true;
    return false;
}

/* Sets *no_memory if it cannot tell. */
static bool has_instance_extension(const struct vk *vk, const char *layer, const char *name,
                                   bool *no_memory)
{
    struct extension_list extensions = {0};
    bool found = false;
    if (vk->EnumerateInstanceExtensionProperties(layer, &extensions.count, NULL) < 0)
        return false;
    extensions.list = host_alloc(extensions.count, sizeof *extensions.list);
    *no_memory |= !extensions.list;
    if (extensions.list &&
        vk->EnumerateInstanceExtensionProperties(layer, &extensions.count, extensions.list) >= 0)
        found = extension_list_has(&extensions, name);
    free(extensions.list);
    return found;
}

/* The highest version that both the loader and this runtime know. */
static uint32_t instance_version(const struct vk *vk)
{
    uint32_t version = VK_API_VERSION_1_0;
    if (vk->EnumerateInstanceVersion)
        vk->EnumerateInstanceVersion(&version);
    return version < VK_API_VERSION_1_3 ? version : VK_API_VERSION_1_3;
}

vkr_status instance_create(struct vk *vk, const struct debug *debug, VkInstance *out_instance,
                           bool *out_has_debug_utils, vkr_error *err)
{
    const char *extensions[2], *layer = VALIDATION_LAYER;
    bool no_memory = false;
    vkr_status status = vk_load_global(vk, err);
    if (status)
        return status;
    if (instance_version(vk) < VK_API_VERSION_1_1)
        return error_set(err, VKR_NO_DEVICE, "the Vulkan loader is version 1.0, needs 1.1");
    VkValidationFeatureEnableEXT enables[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = enables};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pEngineName = "libvkr",
                                     .apiVersion = instance_version(vk)};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .ppEnabledExtensionNames = extensions};
    if (has_instance_extension(vk, NULL, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME,
                               &no_memory)) {
        extensions[info.enabledExtensionCount++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
        info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    if (debug->validate) {
        if (!has_layer(vk, VALIDATION_LAYER))
            return error_set(err, VKR_UNSUPPORTED,
                             "validation was asked for, but %s is not installed", VALIDATION_LAYER);
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
        if (has_instance_extension(vk, layer, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME,
                                   &no_memory))
            info.pNext = &features;
    }
    const char *utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    *out_has_debug_utils =
        (debug->validate || debug->labels) &&
        (has_instance_extension(vk, NULL, utils, &no_memory) ||
         (debug->validate && has_instance_extension(vk, layer, utils, &no_memory)));
    if (*out_has_debug_utils)
        extensions[info.enabledExtensionCount++] = utils;
    if (no_memory)
        return error_memory(err);
    VkResult result = VK_RESULT(vk->CreateInstance(&info, NULL, out_instance));
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) /* what the loader says when it found no driver */
        return device_plan_select(NULL, 0, NULL, NULL, err);
    if (result < 0)
        return vk_fail(vk, result, "vkCreateInstance", __FILE__, __LINE__, err);
    return vk_load_instance(vk, *out_instance, err);
}

vkr_status instance_devices(const struct vk *vk, VkInstance instance,
                            VkPhysicalDevice **out_physical, struct device_facts **out_facts,
                            uint32_t *out_count, vkr_error *err)
{
    VkPhysicalDevice *physical = NULL;
    struct device_facts *facts = NULL;
    uint32_t count = 0;
    vkr_status status = VKR_OK;
    VK(vk->EnumeratePhysicalDevices(instance, &count, NULL));
    physical = host_alloc(count, sizeof *physical);
    facts = host_alloc(count, sizeof *facts);
    if (!physical || !facts) {
        status = error_memory(err);
        goto out;
    }
    VK(vk->EnumeratePhysicalDevices(instance, &count, physical));
    for (uint32_t i = 0; !status && i < count; i++)
        status = device_facts_read(vk, physical[i], instance_version(vk), &facts[i], err);
out:
    if (status) {
        free(physical);
        free(facts);
        return status;
    }
    *out_physical = physical;
    *out_facts = facts;
    *out_count = count;
    return VKR_OK;
}
