#include "gpu.h"

#include <stdlib.h>

#include "device_facts.h"
#include "env.h"
#include "instance.h"

vkr_status gpu_check(const struct gpu *gpu, vkr_error *err)
{
    if (atomic_load_explicit(&gpu->is_lost, memory_order_relaxed))
        return error_set(err, VKR_DEVICE_LOST, "the device %s was lost; close it and open it again",
                         gpu->info.name);
    return VKR_OK;
}

void gpu_name_object(const struct gpu *gpu, VkObjectType type, uint64_t object, const char *name)
{
    VkDebugUtilsObjectNameInfoEXT info = {.sType =
                                              VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = type,
                                          .objectHandle = object,
                                          .pObjectName = name};
    if (gpu->has_debug_names)
        gpu->vk.SetDebugUtilsObjectNameEXT(gpu->handle, &info);
}

/* ---- opening ---- */

static vkr_status read_budget(struct gpu *gpu, uint64_t asked, vkr_error *err)
{
    uint64_t from_env;
    const char *text;
    if (!env_memory_budget(&from_env, &text))
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "VKR_MEMORY_BUDGET is \"%.64s\", must be a number of bytes, or one of K, "
                         "M, G like 512M",
                         text);
    gpu->counters.memory_budget = asked                     ? asked
                                  : from_env                ? from_env
                                  : gpu->info.memory_budget ? gpu->info.memory_budget
                                                            : UINT64_MAX;
    return VKR_OK;
}

static vkr_status select_device(struct gpu *gpu, const char *want, vkr_error *err)
{
    VkPhysicalDevice *physical = NULL;
    struct device_facts *facts = NULL;
    uint32_t count = 0, index = 0;
    vkr_status status = instance_devices(&gpu->vk, gpu->instance, &physical, &facts, &count, err);
    if (!status)
        status = device_plan_select(facts, count, want ? want : env_device(), &index, err);
    if (!status) {
        gpu->physical = physical[index];
        gpu->facts = facts[index];
        device_plan_info(&gpu->facts, index, &gpu->info);
    }
    free(physical);
    free(facts);
    return status;
}

static vkr_status create_device(struct gpu *gpu, uint32_t family, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    struct device_features features = gpu->facts.features;
    struct extension_list extensions = {0};
    const char *names[32];
    float priority = 1;
    vkr_status status = device_extensions(vk, gpu->physical, &extensions, err);
    if (status)
        return status;
    device_plan_keep_features(&features);
    uint32_t count =
        device_features_link(&features, gpu->facts.api_version, &extensions, names, 30);
    if (gpu->facts.import_alignment)
        names[count++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    if (gpu->facts.has_portability_subset)
        names[count++] = "VK_KHR_portability_subset";
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features.base,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = names};
    VK(vk->CreateDevice(gpu->physical, &info, NULL, &gpu->handle));
    status = vk_load_device(&gpu->vk, gpu->handle, err);
out:
    free(extensions.list);
    return status;
}

/* What the environment asks for comes on top of the options, and then messages go to stderr. */
static vkr_status read_debug(struct gpu *gpu, const vkr_device_options *options, vkr_error *err)
{
    const char *text = env_debug(), *word, *help;
    vkr_status status = debug_parse(text, &gpu->debug, err);
    if (status)
        return status;
    if (text)
        gpu->log = (struct log){.function = log_to_stderr};
    for (size_t i = 0; gpu->debug.help && debug_help(i, &word, &help); i++)
        log_write(&gpu->log, LOG_INFO, "VKR_DEBUG=%-8s %s", word, help);
    gpu->debug.validate |= options->validate;
    return VKR_OK;
}

vkr_status gpu_open(struct gpu *gpu, const vkr_device_options *options, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    uint32_t family = 0;
    gpu->vk.is_lost = &gpu->is_lost;
    gpu->log = (struct log){.function = options->log, .context = options->log_context};
    vkr_status status = read_debug(gpu, options, err);
    if (!status)
        status = instance_create(&gpu->vk, &gpu->debug, &gpu->instance, &gpu->has_debug_names, err);
    if (status)
        goto out;
    if (gpu->has_debug_names) {
        VkDebugUtilsMessengerCreateInfoEXT messenger = log_messenger(&gpu->log);
        VK(vk->CreateDebugUtilsMessengerEXT(gpu->instance, &messenger, NULL, &gpu->messenger));
    }
    status = select_device(gpu, options->device, err);
    if (!status)
        status = read_budget(gpu, options->memory_budget, err);
    if (status)
        goto out;
    if (!device_plan_family(&gpu->facts, &family) ||
        !device_plan_memory(&gpu->facts, &gpu->memory_types)) {
        status = error_set(err, VKR_NO_DEVICE,
                           "%s has no compute queue, or no memory that the host can write",
                           gpu->info.name);
        goto out;
    }
    gpu->is_profiled =
        (options->profile || gpu->debug.time) && gpu->facts.families[family].timestampValidBits;
    status = create_device(gpu, family, err);
    if (status)
        goto out;
    gpu->family = family;
    gpu->has_timeline = gpu->facts.features.timeline.timelineSemaphore && vk->WaitSemaphores &&
                        vk->GetSemaphoreCounterValue;
    gpu->has_update_after_bind = device_plan_has_update_after_bind(&gpu->facts);
    gpu->has_texel_update = device_plan_has_texel_update(&gpu->facts);
    gpu->has_addresses =
        gpu->facts.features.addresses.bufferDeviceAddress && vk->GetBufferDeviceAddress;
out:
    return status;
}

void gpu_close(struct gpu *gpu)
{
    const struct vk *vk = &gpu->vk;
    if (gpu->handle && vk->DestroyDevice)
        vk->DestroyDevice(gpu->handle, NULL);
    if (gpu->messenger)
        vk->DestroyDebugUtilsMessengerEXT(gpu->instance, gpu->messenger, NULL);
    if (gpu->instance && vk->DestroyInstance)
        vk->DestroyInstance(gpu->instance, NULL);
}
