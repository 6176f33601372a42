/* What vkrun prints without running anything. */
#ifndef VKR_VKRUN_INFO_H
#define VKR_VKRUN_INFO_H

#include "vkrun_files.h"

/* These print to stdout and *return* an exit code. */
int list_devices(bool json);
int print_profile(const vkr_device_info *info);
/* Signature and plan of a bundle. */
int print_info(const struct file *bundle);

#endif
