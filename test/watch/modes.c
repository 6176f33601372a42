#include "modes.h"

#include <stdlib.h>
#include <string.h>

#include "../../runtime/device.h"
#include "watch.h"

bool modes_has(const char *word)
{
    const char *modes = getenv("VKR_TEST_MODE");
    return modes && strstr(modes, word);
}

/* An open device has its queue, with the clock that it was made for. */
static vkr_status take_timeline(struct vkr_device *device, vkr_error *err)
{
    bool is_open = device->queue.handle != NULL;
    if (is_open)
        queue_finish(&device->queue);
    device->gpu.has_timeline = false;
    if (!is_open)
        return VKR_OK;
    memset(&device->queue, 0, sizeof device->queue);
    return queue_init(&device->queue, &device->gpu, err);
}

vkr_status modes_apply(vkr_device *device, vkr_error *err)
{
    struct memory_choice *memory = &device->gpu.memory_types;
    if (modes_has("staged"))
        memory->is_mapped = false, memory->direct_write = memory->direct_read = 0;
    if (modes_has("window"))
        memory->direct_write = 4096, memory->direct_read = 64;
    if (modes_has("staged") || modes_has("window"))
        device->gpu.info.kind = VKR_DISCRETE;
    if (modes_has("rerecord"))
        device->gpu.has_update_after_bind = false;
    if (modes_has("rebind") && !device->gpu.has_update_after_bind &&
        device->gpu.info.kind == VKR_CPU) {
        device->gpu.has_update_after_bind = device->gpu.has_texel_update = true;
        watch_leave_out_update_after_bind(device);
    }
    if (modes_has("closed"))
        device->gpu.facts.import_alignment = 0;
    if (modes_has("pieces"))
        device->pool.limit = 65536;
    if (modes_has("late"))
        watch_be_late(device, true);
    return modes_has("fences") ? take_timeline(device, err) : VKR_OK;
}
