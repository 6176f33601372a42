#include "device.h"

#include <stdlib.h>

#include "first_shader.h"
#include "instance.h"

vkr_status device_enter(struct vkr_device *device, vkr_error *err)
{
    if (!device)
        return error_set(err, VKR_INVALID_ARGUMENT, "the device is NULL");
    vkr_status status = gpu_check(&device->gpu, err);
    if (!status)
        pthread_mutex_lock(&device->gpu.lock);
    return status;
}

vkr_status vkr_devices(vkr_device_info *infos, uint32_t capacity, uint32_t *out_count,
                       vkr_error *err)
{
    struct vk vk = {0};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice *physical = NULL;
    struct device_facts *facts = NULL;
    bool has_debug_utils = false;
    const struct debug quiet = {0};
    if (!out_count || (!infos && capacity))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_devices: an argument is NULL");
    *out_count = 0;
    vkr_status status = instance_create(&vk, &quiet, &instance, &has_debug_utils, err);
    if (!status)
        status = instance_devices(&vk, instance, &physical, &facts, out_count, err);
    for (uint32_t i = 0; !status && i < *out_count && i < capacity; i++)
        device_plan_info(&facts[i], i, &infos[i]);
    free(physical);
    free(facts);
    if (instance && vk.DestroyInstance)
        vk.DestroyInstance(instance, NULL);
    return status;
}

/* ---- opening ---- */

/* The largest block of the pool, and with it the largest binding. */
static void limit_blocks(struct vkr_device *device, uint64_t asked)
{
    const struct device_facts *f = &device->gpu.facts;
    uint64_t limit = f->max_allocation < f->max_buffer ? f->max_allocation : f->max_buffer;
    if (!asked)
        asked = device->pool.limit; /* a test's */
    device->pool.limit = asked && asked < limit ? asked : limit;
    if (device->gpu.info.max_binding_bytes > device->pool.limit)
        device->gpu.info.max_binding_bytes = device->pool.limit;
}

static vkr_status open_device(struct vkr_device *device, const vkr_device_options *options,
                              vkr_error *err)
{
    struct gpu *gpu = &device->gpu;
    vkr_status status = gpu_open(gpu, options, err);
    if (status)
        return status;
    fault_device(device);
    limit_blocks(device, options->max_allocation);
    pool_init(&device->pool, gpu, &device->queue);
    buffer_table_init(&device->buffers, gpu, &device->pool,
                      vkb_part_bytes(gpu->info.max_binding_bytes));
    status = queue_init(&device->queue, gpu, err);
    if (!status && gpu->info.kind == VKR_CPU) {
        const vkr_counters before = gpu->counters;
        status = first_shader_run(gpu, err);
        gpu->counters = before; /* the caller did not ask for this work */
    }
    if (!status)
        status = staging_init(&device->staging, gpu, &device->queue, err);
    if (!status)
        status = pipeline_cache_init(&device->pipeline_cache, gpu, options->pipeline_cache, err);
    return status;
}

enum { LOCKS = 3 };

static pthread_mutex_t *lock_of(struct vkr_device *device, int which)
{
    pthread_mutex_t *const locks[LOCKS] = {&device->gpu.lock, &device->staging.upload_lock,
                                           &device->staging.read_lock};
    return locks[which];
}

static void locks_finish(struct vkr_device *device, int count)
{
    while (count > 0)
        pthread_mutex_destroy(lock_of(device, --count));
}

/* False when out of memory: some allocate. */
static bool locks_init(struct vkr_device *device)
{
    for (int i = 0; i < LOCKS; i++)
        if (pthread_mutex_init(lock_of(device, i), NULL)) {
            locks_finish(device, i);
            return false;
        }
    return true;
}

vkr_status vkr_device_open(const vkr_device_options *options, struct vkr_device **out,
                           vkr_error *err)
{
    const vkr_device_options defaults = {0};
    if (!out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_device_open: an argument is NULL");
    *out = NULL;
    struct vkr_device *device = host_alloc(1, sizeof *device);
    if (!device)
        return error_memory(err);
    if (!options)
        options = &defaults;
    if (!locks_init(device)) {
        free(device);
        return error_memory(err);
    }
    vkr_status status = at_exit_enter(err);
    if (!status) {
        status = open_device(device, options, err);
        at_exit_leave();
    }
    if (status) {
        vkr_device_close(device);
        return status;
    }
    *out = device;
    return VKR_OK;
}

void vkr_device_close(struct vkr_device *device)
{
    if (!device)
        return;
    const struct vk *vk = &device->gpu.vk;
    if (device->gpu.handle && vk->DeviceWaitIdle)
        vk->DeviceWaitIdle(device->gpu.handle);
    queue_finish(&device->queue);
    pipeline_cache_finish(&device->pipeline_cache);
    staging_finish(&device->staging);
    pool_finish(&device->pool);
    buffer_table_finish(&device->buffers);
    gpu_close(&device->gpu);
    locks_finish(device, LOCKS);
    free(device);
}

void vkr_device_get_info(const struct vkr_device *device, vkr_device_info *out)
{
    *out = device->gpu.info;
}

void vkr_device_counters(const struct vkr_device *device, vkr_counters *out)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&device->gpu.lock;
    pthread_mutex_lock(lock);
    *out = device->gpu.counters;
    pthread_mutex_unlock(lock);
}

vkr_status vkr_device_wait(struct vkr_device *device, vkr_error *err)
{
    vkr_status status = device_enter(device, err);
    if (status)
        return status;
    status = queue_wait(&device->queue, device->queue.submitted, err);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}
