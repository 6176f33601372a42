#include "vk.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The loader stays open for the life of the process: drivers do not survive being unloaded. */
static pthread_once_t loader_once = PTHREAD_ONCE_INIT;
static PFN_vkGetInstanceProcAddr loader_entry;

static void open_loader(void)
{
    static const char *const names[] = {"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib",
                                        "libMoltenVK.dylib"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    void *symbol = dlsym(library, "vkGetInstanceProcAddr");
    memcpy(&loader_entry, &symbol, sizeof symbol);
}

enum level { GLOBAL, INSTANCE, DEVICE };
enum need { OPTIONAL, REQUIRED };

static PFN_vkVoidFunction find(const struct vk *vk, VkInstance instance, VkDevice device,
                               const char *name)
{
    return device ? vk->GetDeviceProcAddr(device, name) : vk->GetInstanceProcAddr(instance, name);
}

static vkr_status load_level(struct vk *vk, enum level wanted, VkInstance instance, VkDevice device,
                             vkr_error *err)
{
    static const struct {
        enum level level;
        enum need need;
        size_t offset;
        const char *name;
    } rows[] = {
#define VK_ROW(row_level, row_need, row_name) \
    {row_level, row_need, offsetof(struct vk, row_name), "vk" #row_name},
#include "vk.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].level != wanted)
            continue;
        PFN_vkVoidFunction function = find(vk, instance, device, rows[i].name);
        if (!function && rows[i].need == OPTIONAL) {
            char name[96];
            snprintf(name, sizeof name, "%sKHR", rows[i].name);
            function = find(vk, instance, device, name);
        }
        if (!function && rows[i].need == REQUIRED)
            return error_set(err, VKR_NO_DEVICE,
                             "the Vulkan driver has no %s (Vulkan 1.1 is needed)", rows[i].name);
        memcpy((char *)vk + rows[i].offset, &function, sizeof function);
    }
    return VKR_OK;
}

vkr_status vk_load_global(struct vk *vk, vkr_error *err)
{
    pthread_once(&loader_once, open_loader);
    if (!loader_entry)
        return error_set(err, VKR_NO_DEVICE, "no Vulkan loader: libvulkan.so.1 cannot be opened");
    vk->GetInstanceProcAddr = loader_entry;
    return load_level(vk, GLOBAL, NULL, NULL, err);
}

vkr_status vk_load_instance(struct vk *vk, VkInstance instance, vkr_error *err)
{
    return load_level(vk, INSTANCE, instance, NULL, err);
}

vkr_status vk_load_device(struct vk *vk, VkDevice device, vkr_error *err)
{
    return load_level(vk, DEVICE, NULL, device, err);
}

const char *vk_result_name(VkResult result)
{
#define NAME(x) \
    case x: return #x;
    switch (result) {
        NAME(VK_SUCCESS)
        NAME(VK_NOT_READY)
        NAME(VK_TIMEOUT)
        NAME(VK_INCOMPLETE)
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        NAME(VK_ERROR_INITIALIZATION_FAILED)
        NAME(VK_ERROR_DEVICE_LOST)
        NAME(VK_ERROR_MEMORY_MAP_FAILED)
        NAME(VK_ERROR_LAYER_NOT_PRESENT)
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
        NAME(VK_ERROR_FEATURE_NOT_PRESENT)
        NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
        NAME(VK_ERROR_TOO_MANY_OBJECTS)
        NAME(VK_ERROR_FORMAT_NOT_SUPPORTED)
        NAME(VK_ERROR_FRAGMENTED_POOL)
        NAME(VK_ERROR_UNKNOWN)
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
        NAME(VK_ERROR_FRAGMENTATION)
        NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
        NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
        NAME(VK_ERROR_INVALID_SHADER_NV)
    default: return "a VkResult unknown to this library";
    }
#undef NAME
}

vkr_status vk_result_status(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return VKR_OUT_OF_HOST_MEMORY;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_TOO_MANY_OBJECTS: return VKR_OUT_OF_DEVICE_MEMORY;
    case VK_ERROR_DEVICE_LOST: return VKR_DEVICE_LOST;
    case VK_TIMEOUT: return VKR_TIMEOUT;
    case VK_ERROR_INITIALIZATION_FAILED:
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_INCOMPATIBLE_DRIVER: return VKR_NO_DEVICE;
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT: return VKR_UNSUPPORTED;
    default: return VKR_INTERNAL;
    }
}

vkr_status vk_fail(const struct vk *vk, VkResult result, const char *call, const char *file,
                   int line, vkr_error *err)
{
    const char *base = strrchr(file, '/');
    if (vk->is_lost && result == VK_ERROR_DEVICE_LOST)
        atomic_store(vk->is_lost, true);
    return error_set(err, vk_result_status(result), "%.200s: %s (%s:%d)", call,
                     vk_result_name(result), base ? base + 1 : file, line);
}
