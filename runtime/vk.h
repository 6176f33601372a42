/* Vulkan's entry points, loaded by hand with dlopen, so that the library loads on a machine without
   Vulkan; result names; the VK() macro. Must not know buffers, programs or plans. */
#ifndef VKR_VK_H
#define VKR_VK_H

/* For tests: Khronos's header, which has all of Vulkan, in place of our excerpt. */
#ifndef VKR_SYSTEM_VULKAN
#include "vk/vulkan.h"
#else
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>
#endif
#include "vk/newer.h"

#include <stdatomic.h>

#include "error.h"

/* One pointer per row of vk.def; those of a level are NULL until it is loaded. */
struct vk {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
#define VK_ROW(level, need, name) PFN_vk##name name;
#include "vk.def"
    atomic_bool *is_lost; /* set once the device is lost; NULL while there is none */
};

/* Opens libvulkan once per process and fills the GLOBAL rows. VKR_NO_DEVICE if there is no loader.
   *Threads*: any. */
vkr_status vk_load_global(struct vk *vk, vkr_error *err);
vkr_status vk_load_instance(struct vk *vk, VkInstance instance, vkr_error *err);
vkr_status vk_load_device(struct vk *vk, VkDevice device, vkr_error *err);

/* "VK_ERROR_DEVICE_LOST". */
const char *vk_result_name(VkResult result);

/* What a failed call means to the caller of vkr_. */
vkr_status vk_result_status(VkResult result);

/* Records a failed call's text and result; notes that the device is lost. *Returns* the status. */
vkr_status vk_fail(const struct vk *vk, VkResult result, const char *call, const char *file,
                   int line, vkr_error *err);

#define VK_RESULT(call) (FAULT(#call) ? (VkResult)fault_result() : (call))

/* Needs locals `vk`, `err`, `status` and a label `out`. */
#define VK(call)                                                              \
    do {                                                                      \
        VkResult vk_result_ = VK_RESULT(call);                                \
        if (vk_result_ < 0) {                                                 \
            status = vk_fail(vk, vk_result_, #call, __FILE__, __LINE__, err); \
            goto out;                                                         \
        }                                                                     \
    } while (0)

#endif
