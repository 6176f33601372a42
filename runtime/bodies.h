/* Which body of each kernel a device takes. Pure: facts in, a choice out, no Vulkan. */
#ifndef VKR_BODIES_H
#define VKR_BODIES_H

#include "bundle.h"
#include "device_plan.h"

/* Fills out_taken, by kernel: the first body that the device can run, or with `plain` the last; of
   a bundle that is not `trusted`, of those that door_admits. VKR_UNSUPPORTED names a kernel that
   has none, and what is missing. */
vkr_status bodies_take(const vkr_device_info *info, const VkPhysicalDeviceLimits *limits,
                       const struct vkb_view *bundle, bool plain, bool trusted, uint32_t *out_taken,
                       vkr_error *err);

#endif
