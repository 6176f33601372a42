/* Opening the device for tests: with validation where the layer is installed; its messages fail
   the test. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include "../../runtime/vkr.h"
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

#endif
