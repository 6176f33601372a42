/* Filling vkr_error, and allocating host memory so that tests can make it fail. Knows nothing of
   Vulkan. */
#ifndef VKR_ERROR_H
#define VKR_ERROR_H

#include "vkr.h"

#if defined(__GNUC__)
#define VKR_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define VKR_FORMAT(text, first)
#endif

/* Records status and text in `err` (which may be NULL). *Returns* status, so that one writes
   `return error_set(...)`. */
vkr_status error_set(vkr_error *err, vkr_status status, const char *format, ...) VKR_FORMAT(3, 4);

/* error_set for host memory that could not be had. */
vkr_status error_memory(vkr_error *err);

/* Zeroed; NULL if there is none or if count * size overflows. *Owns*: the caller, free(). */
void *host_alloc(size_t count, size_t size);

#ifdef VKR_FAULTS
/* Test builds: asked before every fallible call; true makes the call fail, a Vulkan call with the
   VkResult that fault_result says. */
bool fault_next(const char *call);
int fault_result(void);
/* Test builds: takes abilities away from a device before they are used. */
struct vkr_device;
void fault_device(struct vkr_device *device);
#define FAULT(call) fault_next(call)
#else
#define FAULT(call) false
#define fault_result() 0
#define fault_device(device) ((void)0)
#endif

#endif
