/* --target host: the only place of the tool that asks libvkr. */
#include <stdio.h>

#include "driver/main.h"

void target_of_device(const vkr_device_info *info, struct vkc_target *out)
{
    *out = (struct vkc_target){
        .features = info->features,
        .matrices = info->matrices,
        .max_invocations = info->max_invocations,
        .max_shared_bytes = info->max_shared_bytes,
        .max_bindings = info->max_bindings,
        .subgroup_size = info->subgroup_size,
        .max_groups = {info->max_groups[0], info->max_groups[1], info->max_groups[2]},
        .max_binding_bytes = info->max_binding_bytes,
        .cpu = info->kind == VKR_CPU,
        .loop_limit = info->has_loop_limit,
    };
    snprintf(out->name, sizeof out->name, "%.120s", info->name);
    for (char *p = out->name; *p; p++) /* a name is a line of the profile's text */
        if (*p == '#' || *p == '\n')
            *p = ' ';
}

bool host_target(struct vkc_target *out, char *error, size_t error_size)
{
    vkr_device *device = NULL;
    vkr_device_info info;
    vkr_error err = {VKR_OK, ""};
    const vkr_device_options options = {.pipeline_cache = ""};
    if (vkr_device_open(&options, &device, &err) != VKR_OK) {
        snprintf(error, error_size, "%s", err.message);
        return false;
    }
    vkr_device_get_info(device, &info);
    vkr_device_close(device);
    target_of_device(&info, out);
    return true;
}
