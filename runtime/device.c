#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "device_facts.h"
#include "env.h"

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

vkr_status vk_fail(struct vkr_device *device, VkResult result, const char *call, const char *file, int line, vkr_error *err)
{
    const char *base = strrchr(file, '/');
    if (device && result == VK_ERROR_DEVICE_LOST)
        atomic_store(&device->is_lost, true);
    return error_set(err, vk_result_status(result), "%.200s: %s (%s:%d)", call, vk_result_name(result), base ? base + 1 : file,
                     line);
}

vkr_status device_check(const struct vkr_device *device, vkr_error *err)
{
    if (atomic_load_explicit(&device->is_lost, memory_order_relaxed))
        return error_set(err, VKR_DEVICE_LOST, "the device %s was lost; close it and open it again", device->info.name);
    return VKR_OK;
}

vkr_status device_enter(struct vkr_device *device, vkr_error *err)
{
    if (!device)
        return error_set(err, VKR_INVALID_ARGUMENT, "the device is NULL");
    vkr_status status = device_check(device, err);
    if (!status)
        pthread_mutex_lock(&device->lock);
    return status;
}

void device_name_object(const struct vkr_device *device, VkObjectType type, uint64_t object, const char *name)
{
    VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = type,
                                          .objectHandle = object,
                                          .pObjectName = name};
    if (device->has_debug_names)
        device->vk.SetDebugUtilsObjectNameEXT(device->handle, &info);
}

/* ---- instance ---- */

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
static bool has_instance_extension(const struct vk *vk, const char *layer, const char *name, bool *no_memory)
{
    struct extension_list extensions = {0};
    bool found = false;
    if (vk->EnumerateInstanceExtensionProperties(layer, &extensions.count, NULL) < 0)
        return false;
    extensions.list = host_alloc(extensions.count, sizeof *extensions.list);
    *no_memory |= !extensions.list;
    if (extensions.list && vk->EnumerateInstanceExtensionProperties(layer, &extensions.count, extensions.list) >= 0)
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

/* Opens an instance into vk and *out_instance; with what `debug` asks for. */
static vkr_status instance_create(struct vk *vk, const struct debug *debug, VkInstance *out_instance, bool *out_has_debug_utils,
                                  vkr_error *err)
{
    const char *extensions[2], *layer = VALIDATION_LAYER;
    bool no_memory = false;
    vkr_status status = vk_load_global(vk, err);
    if (status)
        return status;
    if (instance_version(vk) < VK_API_VERSION_1_1)
        return error_set(err, VKR_NO_DEVICE, "the Vulkan loader is version 1.0, needs 1.1");
    VkValidationFeatureEnableEXT enables[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = enables};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pEngineName = "libvkr",
                                     .apiVersion = instance_version(vk)};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .ppEnabledExtensionNames = extensions};
    if (has_instance_extension(vk, NULL, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME, &no_memory)) {
        extensions[info.enabledExtensionCount++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
        info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    if (debug->validate) {
        if (!has_layer(vk, VALIDATION_LAYER))
            return error_set(err, VKR_UNSUPPORTED, "validation was asked for, but %s is not installed", VALIDATION_LAYER);
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
        if (has_instance_extension(vk, layer, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME, &no_memory))
            info.pNext = &features;
    }
    const char *utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    *out_has_debug_utils = (debug->validate || debug->labels) &&
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
        return vk_fail(NULL, result, "vkCreateInstance", __FILE__, __LINE__, err);
    return vk_load_instance(vk, *out_instance, err);
}

/* All physical devices and what is known of them. *Owns*: the caller, free(*out_facts), free(*out_physical). */
static vkr_status list_devices(const struct vk *vk, VkInstance instance, VkPhysicalDevice **out_physical,
                               struct device_facts **out_facts, uint32_t *out_count, vkr_error *err)
{
    struct vkr_device *device = NULL;
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

vkr_status vkr_devices(vkr_device_info *infos, uint32_t capacity, uint32_t *out_count, vkr_error *err)
{
    struct vk vk = {0};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice *physical = NULL;
    struct device_facts *facts = NULL;
    bool has_debug_utils = false;
    const struct debug quiet = {0};
    if (!out_count || (!infos && capacity))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_devices: an argument is NULL");
    *out_count = 0;
    vkr_status status = instance_create(&vk, &quiet, &instance, &has_debug_utils, err);
    if (!status)
        status = list_devices(&vk, instance, &physical, &facts, out_count, err);
    for (uint32_t i = 0; !status && i < *out_count && i < capacity; i++)
        device_plan_info(&facts[i], i, &infos[i]);
    free(physical);
    free(facts);
    if (instance && vk.DestroyInstance)
        vk.DestroyInstance(instance, NULL);
    return status;
}

/* ---- device ---- */

/* The largest block of the pool, and with it the largest binding. */
static void limit_blocks(struct vkr_device *device, uint64_t asked)
{
    const struct device_facts *f = &device->facts;
    uint64_t limit = f->max_allocation < f->max_buffer ? f->max_allocation : f->max_buffer;
    if (!asked)
        asked = device->pool.limit; /* a test's */
    device->pool.limit = asked && asked < limit ? asked : limit;
    if (device->info.max_binding_bytes > device->pool.limit)
        device->info.max_binding_bytes = device->pool.limit;
}

static vkr_status read_budget(struct vkr_device *device, uint64_t asked, vkr_error *err)
{
    uint64_t from_env;
    const char *text;
    if (!env_memory_budget(&from_env, &text))
        return error_set(err, VKR_INVALID_ARGUMENT, "VKR_MEMORY_BUDGET is \"%.64s\", must be a number of bytes, or one of K, M, G like 512M", text);
    device->counters.memory_budget = asked ? asked : from_env ? from_env : device->info.memory_budget ? device->info.memory_budget : UINT64_MAX;
    return VKR_OK;
}

static vkr_status select_device(struct vkr_device *device, const char *want, vkr_error *err)
{
    VkPhysicalDevice *physical = NULL;
    struct device_facts *facts = NULL;
    uint32_t count = 0, index = 0;
    vkr_status status = list_devices(&device->vk, device->instance, &physical, &facts, &count, err);
    if (!status)
        status = device_plan_select(facts, count, want ? want : env_device(), &index, err);
    if (!status) {
        device->physical = physical[index];
        device->facts = facts[index];
        device_plan_info(&device->facts, index, &device->info);
    }
    free(physical);
    free(facts);
    return status;
}

static vkr_status create_device(struct vkr_device *device, uint32_t family, vkr_error *err)
{
    const struct vk *vk = &device->vk;
    struct device_features features = device->facts.features;
    struct extension_list extensions = {0};
    const char *names[32];
    float priority = 1;
    vkr_status status = device_extensions(vk, device->physical, &extensions, err);
    if (status)
        return status;
    device_plan_keep_features(&features);
    uint32_t count = device_features_link(&features, device->facts.api_version, &extensions, names, 30);
    if (device->facts.import_alignment)
        names[count++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    if (device->facts.has_portability_subset)
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
    VK(vk->CreateDevice(device->physical, &info, NULL, &device->handle));
    status = vk_load_device(&device->vk, device->handle, err);
out:
    free(extensions.list);
    return status;
}

/* What the environment asks for comes on top of the options, and then messages go to stderr. */
static vkr_status read_debug(struct vkr_device *device, const vkr_device_options *options, vkr_error *err)
{
    const char *text = env_debug(), *word, *help;
    vkr_status status = debug_parse(text, &device->debug, err);
    if (status)
        return status;
    if (text)
        device->log = (struct log){.function = log_to_stderr};
    for (size_t i = 0; device->debug.help && debug_help(i, &word, &help); i++)
        log_write(&device->log, LOG_INFO, "VKR_DEBUG=%-8s %s", word, help);
    device->debug.validate |= options->validate;
    return VKR_OK;
}

static vkr_status open_device(struct vkr_device *device, const vkr_device_options *options, vkr_error *err)
{
    const struct vk *vk = &device->vk;
    uint32_t family = 0;
    vkr_status status = read_debug(device, options, err);
    if (!status)
        status = instance_create(&device->vk, &device->debug, &device->instance, &device->has_debug_names, err);
    if (status)
        goto out;
    if (device->has_debug_names) {
        VkDebugUtilsMessengerCreateInfoEXT messenger = log_messenger(&device->log);
        VK(vk->CreateDebugUtilsMessengerEXT(device->instance, &messenger, NULL, &device->messenger));
    }
    status = select_device(device, options->device, err);
    if (!status)
        status = read_budget(device, options->memory_budget, err);
    if (status)
        goto out;
    if (!device_plan_family(&device->facts, &family) || !device_plan_memory(&device->facts, &device->memory_types)) {
        status = error_set(err, VKR_NO_DEVICE, "%s has no compute queue, or no memory that the host can write", device->info.name);
        goto out;
    }
    device->is_profiled = (options->profile || device->debug.time) && device->facts.families[family].timestampValidBits;
    status = create_device(device, family, err);
    if (status)
        goto out;
    device->family = family;
    device->has_timeline = device->facts.features.timeline.timelineSemaphore && vk->WaitSemaphores && vk->GetSemaphoreCounterValue;
    device->has_update_after_bind = device_plan_has_update_after_bind(&device->facts);
    device->has_addresses = device->facts.features.addresses.bufferDeviceAddress && vk->GetBufferDeviceAddress;
    fault_device(device);
    limit_blocks(device, options->max_allocation);
    device->part_bytes = vkb_part_bytes(device->info.max_binding_bytes);
    status = queue_init(device, family, err);
    if (!status)
        status = staging_init(device, family, err);
    if (!status)
        status = pipeline_cache_init(device, options->pipeline_cache, err);
out:
    return status;
}

enum { LOCKS = 4 };

static pthread_mutex_t *lock_of(struct vkr_device *device, int which)
{
    pthread_mutex_t *const locks[LOCKS] = {&device->lock, &device->staging.upload_lock, &device->staging.read_lock,
                                           &device->pipeline_cache.lock};
    return locks[which];
}

static void locks_finish(struct vkr_device *device, int count)
{
    while (count > 0)
        pthread_mutex_destroy(lock_of(device, --count));
}

/* False if the system has no memory for them: some allocate. */
static bool locks_init(struct vkr_device *device)
{
    for (int i = 0; i < LOCKS; i++)
        if (pthread_mutex_init(lock_of(device, i), NULL)) {
            locks_finish(device, i);
            return false;
        }
    return true;
}

vkr_status vkr_device_open(const vkr_device_options *options, struct vkr_device **out, vkr_error *err)
{
    const vkr_device_options defaults = {0};
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_device_open: an argument is NULL");
    *out = NULL;
    struct vkr_device *device = host_alloc(1, sizeof *device);
    if (!device)
        return error_memory(err);
    if (!options)
        options = &defaults;
    device->log = (struct log){.function = options->log, .context = options->log_context};
    if (!locks_init(device)) {
        free(device);
        return error_memory(err);
    }
    buffer_table_init(device);
    vkr_status status = open_device(device, options, err);
    if (status) {
        vkr_device_close(device);
        return status;
    }
    *out = device;
    return VKR_OK;
}

void vkr_device_close(struct vkr_device *device)
{
    if (!device)
        return;
    const struct vk *vk = &device->vk;
    if (device->handle && vk->DestroyDevice) {
        if (vk->DeviceWaitIdle)
            vk->DeviceWaitIdle(device->handle);
        if (vk->CmdWriteTimestamp) { /* the last row: all were loaded */
            pipeline_cache_finish(device);
            staging_finish(device);
            queue_finish(device);
            pool_finish(device);
        }
        vk->DestroyDevice(device->handle, NULL);
    }
    buffer_table_finish(device);
    if (device->messenger)
        vk->DestroyDebugUtilsMessengerEXT(device->instance, device->messenger, NULL);
    if (device->instance && vk->DestroyInstance)
        vk->DestroyInstance(device->instance, NULL);
    locks_finish(device, LOCKS);
    free(device);
}

void vkr_device_get_info(const struct vkr_device *device, vkr_device_info *out)
{
    *out = device->info;
}

void vkr_device_counters(const struct vkr_device *device, vkr_counters *out)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&device->lock;
    pthread_mutex_lock(lock);
    *out = device->counters;
    pthread_mutex_unlock(lock);
}

vkr_status vkr_device_wait(struct vkr_device *device, vkr_error *err)
{
    vkr_status status = device_enter(device, err);
    if (status)
        return status;
    status = queue_wait(device, device->queue.submitted, err);
    pthread_mutex_unlock(&device->lock);
    return status;
}
