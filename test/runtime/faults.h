/* The hooks of a runtime built with VKR_FAULTS: failing calls one by one; every device is
   watched (watch.h), and has the abilities that modes.h leaves it. */
#ifndef TEST_FAULTS_H
#define TEST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* The n-th fallible call from now fails, and with `all` every one after it; 0: none. `result` is
   the VkResult of Vulkan calls that fail. */
void faults_arm(uint64_t n, bool all, int result);
/* Host allocations of the runtime, ever. */
uint64_t faults_allocations(void);
/* Calls since faults_arm; the text of the one that failed, or NULL. */
uint64_t faults_calls(void);
const char *faults_failed(void);

/* Called with every device that is being opened, before it is used: what is known of it may be
   changed, and its entry points. NULL: nothing. */
struct vkr_device;
void faults_before_open(void (*function)(struct vkr_device *device));

#endif
