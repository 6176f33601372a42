/* Times of dispatches from device timestamps. */
#ifndef VKR_PROFILE_H
#define VKR_PROFILE_H

#include "program.h"

/* Adds the timestamps of a finished segment to program->times. *Threads*: holds the device lock. */
vkr_status profile_collect(struct vkr_program *program, VkQueryPool queries, uint32_t segment,
                           vkr_error *err);

#endif
