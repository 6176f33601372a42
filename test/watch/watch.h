/* A watch over a device: stands between the runtime and the driver, in the device's table of entry
   points, and notices what most drivers forgive: accesses that no barrier orders, descriptor sets,
   command buffers and memory changed or freed while a submission may use them, recordings that name
   what is gone. See README.md.

   For tests; the runtime knows nothing of it, and need not be built for it. */
#ifndef TEST_WATCH_WATCH_H
#define TEST_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct vkr_device;

/* From now on the device's calls are watched, until it is destroyed. Call it once, before the
   device is used. */
void watch_attach(struct vkr_device *device);

/* What the watch found, ever, in all devices; each finding is printed. */
uint32_t watch_findings(void);

/* For tests of the watch itself: findings since the last call, which are neither printed nor
   counted above while `watch_expect(true)` holds. *Returns* how many; *out_last is the text of
   the last, "" if there is none. */
void watch_expect(bool expect);
uint32_t watch_expected(const char **out_last);

/* The slowest device that Vulkan allows: nothing that is submitted runs before the host waits
   for it, or for what was submitted later. What the host does too early, it then does too early
   every time. */
void watch_be_late(struct vkr_device *device, bool late);

/* The most submissions that were unfinished at once, as far as the host could know. */
uint64_t watch_most_unfinished(const struct vkr_device *device);

/* For a device that does without update after bind, though it lacks it, as lavapipe does: the
   runtime may be told that it has it, and what it then asks for is left out of layouts and
   pools. */
void watch_leave_out_update_after_bind(struct vkr_device *device);

/* Binds so many bytes more of each buffer than the runtime asks for, so that a kernel that steps
   outside reaches what is there (guard.h), rather than the limit of the binding, where drivers
   clip. */
void watch_widen(struct vkr_device *device, uint64_t bytes);

#endif
