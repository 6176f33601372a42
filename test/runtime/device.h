/* Opening the device for tests: with validation where the layer is installed; its messages fail
   the test. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include "../../runtime/device.h"
#include "../watch/modes.h"
#include "harness.h"

static inline void test_log(void *context, int severity, const char *message)
{
    (void)context;
    if (severity >= 2)
        return;
    harness_failed++;
    printf("driver message: %s\n", message);
}

/* NULL, with the error in `err`, if there is no device. */
static inline vkr_device *test_device(bool profile, vkr_error *err)
{
    vkr_device *device = NULL;
    vkr_device_options options = {.pipeline_cache = "", .profile = profile, .log = test_log};
    /* the layer knows that the former is missing */
    options.validate = !modes_has("rebind") && !modes_has("unwatched");
    if (vkr_device_open(&options, &device, err) == VKR_UNSUPPORTED) {
        options.validate = false;
        vkr_device_open(&options, &device, err);
    }
    return device;
}

/* Bytes of the pool that somebody holds. */
static inline uint64_t test_held_bytes(vkr_device *device)
{
    uint64_t bytes = 0;
    pthread_mutex_lock(&device->gpu.lock);
    for (const struct memory_block *b = device->pool.blocks; b; b = b->next)
        for (const struct chunk *c = b->first; c; c = c->above)
            bytes += c->is_free ? 0 : c->size;
    pthread_mutex_unlock(&device->gpu.lock);
    return bytes;
}

/* Before a device is closed: what was made with it is freed, and so is its memory. */
static inline void test_is_free(vkr_device *device)
{
    vkr_counters c;
    vkr_device_counters(device, &c);
    CHECK(!c.live_buffers && !c.live_bytes && !c.programs,
          "%llu buffers and %llu programs are left", (unsigned long long)c.live_buffers,
          (unsigned long long)c.programs);
    CHECK(!test_held_bytes(device), "%llu bytes of the pool are held",
          (unsigned long long)test_held_bytes(device));
}

#endif
