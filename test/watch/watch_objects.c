/* Counts a device's objects: whatever is left when the device is destroyed was forgotten. Stands
   behind the other entry points of the watch, next to the driver. */
#include <stdlib.h>

#include "watch_impl.h"

/* name, what creates one, its arguments' type, what destroys one */
#define OBJECTS(ROW)                                                                             \
    ROW(DeviceMemory, AllocateMemory, VkMemoryAllocateInfo, FreeMemory)                          \
    ROW(Buffer, CreateBuffer, VkBufferCreateInfo, DestroyBuffer)                                 \
    ROW(BufferView, CreateBufferView, VkBufferViewCreateInfo, DestroyBufferView)                 \
    ROW(Fence, CreateFence, VkFenceCreateInfo, DestroyFence)                                     \
    ROW(Semaphore, CreateSemaphore, VkSemaphoreCreateInfo, DestroySemaphore)                     \
    ROW(ShaderModule, CreateShaderModule, VkShaderModuleCreateInfo, DestroyShaderModule)         \
    ROW(PipelineCache, CreatePipelineCache, VkPipelineCacheCreateInfo, DestroyPipelineCache)     \
    ROW(PipelineLayout, CreatePipelineLayout, VkPipelineLayoutCreateInfo, DestroyPipelineLayout) \
    ROW(DescriptorSetLayout, CreateDescriptorSetLayout, VkDescriptorSetLayoutCreateInfo,         \
        DestroyDescriptorSetLayout)                                                              \
    ROW(DescriptorPool, CreateDescriptorPool, VkDescriptorPoolCreateInfo, DestroyDescriptorPool) \
    ROW(QueryPool, CreateQueryPool, VkQueryPoolCreateInfo, DestroyQueryPool)                     \
    ROW(CommandPool, CreateCommandPool, VkCommandPoolCreateInfo, DestroyCommandPool)

enum kind {
#define ENUM(name, create, info, destroy) KIND_##name,
    OBJECTS(ENUM) KIND_Pipeline, /* several at once */
    KINDS
};

static const char *const kind_names[KINDS] = {
#define NAME(name, create, info, destroy) [KIND_##name] = #name,
    OBJECTS(NAME)[KIND_Pipeline] = "Pipeline",
};

struct watch_objects {
    struct vk driver;
    VkDevice handle;
    struct map alive[KINDS]; /* a key for each */
    struct watch_objects *next;
};

/* of all that is here; taken after watch_lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch_objects *all;

static struct watch_objects *enter(VkDevice device)
{
    pthread_mutex_lock(&lock);
    struct watch_objects *o = all;
    while (o && o->handle != device)
        o = o->next;
    return o;
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
}

static void put(VkDevice device, enum kind kind, uint64_t key)
{
    struct watch_objects *o = enter(device);
    map_put(&o->alive[kind], key, o);
    leave();
}

static void take(VkDevice device, enum kind kind, uint64_t key)
{
    struct watch_objects *o = enter(device);
    map_take(&o->alive[kind], key);
    leave();
}

/* The driver's entry points stay what they are for as long as the device lives. */
static const struct vk *driver_of(VkDevice device)
{
    const struct watch_objects *o = enter(device);
    leave();
    return &o->driver;
}

#define FUNCTIONS(name, create, info_type, destroy)                                               \
    ENTRY(VkResult)                                                                               \
    count_##create(VkDevice device, const info_type *info, const VkAllocationCallbacks *a,        \
                   Vk##name *out)                                                                 \
    {                                                                                             \
        VkResult result = driver_of(device)->create(device, info, a, out);                        \
        if (result == VK_SUCCESS)                                                                 \
            put(device, KIND_##name, KEY(*out));                                                  \
        return result;                                                                            \
    }                                                                                             \
    ENTRY(void) count_##destroy(VkDevice device, Vk##name object, const VkAllocationCallbacks *a) \
    {                                                                                             \
        take(device, KIND_##name, KEY(object));                                                   \
        driver_of(device)->destroy(device, object, a);                                            \
    }

OBJECTS(FUNCTIONS)

ENTRY(VkResult)
count_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *a,
                VkPipeline *out)
{
    VkResult result =
        driver_of(device)->CreateComputePipelines(device, cache, count, infos, a, out);
    for (uint32_t i = 0; i < count; i++)
        if (out[i])
            put(device, KIND_Pipeline, KEY(out[i]));
    return result;
}

ENTRY(void)
count_destroy_pipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks *a)
{
    take(device, KIND_Pipeline, KEY(pipeline));
    driver_of(device)->DestroyPipeline(device, pipeline, a);
}

void watch_objects_hook(struct vk *vk, VkDevice device)
{
    struct watch_objects *o = calloc(1, sizeof *o);
    if (!o)
        abort();
    o->driver = *vk;
    o->handle = device;
    pthread_mutex_lock(&lock);
    o->next = all;
    all = o;
    leave();
#define HOOK(name, create, info, destroy) \
    vk->create = count_##create, vk->destroy = count_##destroy;
    OBJECTS(HOOK)
    vk->CreateComputePipelines = count_pipelines;
    vk->DestroyPipeline = count_destroy_pipeline;
}

static void keep(void *value)
{
    (void)value;
}

void watch_objects_finish(VkDevice device)
{
    struct watch_objects *o = enter(device), **link = &all;
    while (*link != o)
        link = &(*link)->next;
    *link = o->next;
    leave();
    for (int i = 0; i < KINDS; i++) {
        if (o->alive[i].count)
            watch_report("the device is destroyed with %zu Vk%s in it", o->alive[i].count,
                         kind_names[i]);
        map_finish(&o->alive[i], keep);
    }
    free(o);
}
