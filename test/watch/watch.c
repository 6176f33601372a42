#include "watch_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 16, SHOWN = 20 };

pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch *watches[DEVICES];
static uint32_t findings, expected;
static bool is_expecting;
static char last[512];

/* ---- findings ---- */

void watch_report(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last, sizeof last, format, arguments);
    va_end(arguments);
    if (is_expecting) {
        expected++;
        return;
    }
    if (findings++ < SHOWN)
        printf("watch: %s\n", last);
}

uint32_t watch_findings(void)
{
    pthread_mutex_lock(&watch_lock);
    uint32_t count = findings;
    pthread_mutex_unlock(&watch_lock);
    return count;
}

void watch_expect(bool expect)
{
    pthread_mutex_lock(&watch_lock);
    is_expecting = expect;
    pthread_mutex_unlock(&watch_lock);
}

uint32_t watch_expected(const char **out_last)
{
    static char text[sizeof last];
    pthread_mutex_lock(&watch_lock);
    uint32_t count = expected;
    memcpy(text, count ? last : "", count ? sizeof last : 1);
    expected = 0;
    pthread_mutex_unlock(&watch_lock);
    if (out_last)
        *out_last = text;
    return count;
}

void watch_check_idle(const struct watch *w, const struct used *used, const char *what)
{
    if (used->submission > w->completed)
        watch_report("%s while submission %llu, which uses it, may be running", what,
                     (unsigned long long)used->submission);
}

/* ---- devices ---- */

struct watch *watch_of(VkDevice device)
{
    for (int i = 0; i < DEVICES; i++)
        if (watches[i] && watches[i]->handle == device)
            return watches[i];
    return NULL;
}

struct watch *watch_of_queue(VkQueue queue)
{
    for (int i = 0; i < DEVICES; i++)
        if (watches[i] && watches[i]->queue == queue)
            return watches[i];
    return NULL;
}

static struct watch *enter(VkDevice device)
{
    pthread_mutex_lock(&watch_lock);
    return watch_of(device);
}

static void leave(void)
{
    pthread_mutex_unlock(&watch_lock);
}

static void *record(size_t size)
{
    void *bytes = calloc(1, size);
    if (!bytes)
        abort();
    return bytes;
}

ENTRY(void) destroy_device(VkDevice device, const VkAllocationCallbacks *a)
{
    struct watch *w = enter(device);
    PFN_vkDestroyDevice real = w->real.DestroyDevice;
    for (int i = 0; i < DEVICES; i++)
        if (watches[i] == w)
            watches[i] = NULL;
    watch_queue_finish(w);
    watch_commands_finish(w);
    map_finish(&w->memories, free);
    map_finish(&w->buffers, free);
    map_finish(&w->views, free);
    map_finish(&w->layouts, free);
    map_finish(&w->sets, free);
    map_finish(&w->modules, free);
    map_finish(&w->pipelines, free);
    map_finish(&w->pushed, free);
    hazards_finish(&w->hazards);
    free(w);
    watch_objects_finish(device);
    leave();
    real(device, a);
}

/* ---- memory and buffers ---- */

ENTRY(VkResult)
map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
           VkMemoryMapFlags flags, void **out)
{
    struct watch *w = enter(device);
    struct watched_memory *m = map_get(&w->memories, KEY(memory));
    if (!m)
        map_put(&w->memories, KEY(memory), m = record(sizeof *m));
    m->is_mapped = true;
    PFN_vkMapMemory real = w->real.MapMemory;
    leave();
    return real(device, memory, offset, size, flags, out);
}

ENTRY(void) free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *a)
{
    struct watch *w = enter(device);
    free(map_take(&w->memories, KEY(memory)));
    PFN_vkFreeMemory real = w->real.FreeMemory;
    leave();
    real(device, memory, a);
}

ENTRY(VkResult)
create_buffer(VkDevice device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *a,
              VkBuffer *out)
{
    struct watch *w = enter(device);
    VkResult result = w->real.CreateBuffer(device, info, a, out);
    if (result == VK_SUCCESS) {
        struct watched_buffer *b = record(sizeof *b);
        b->serial = ++w->next_serial;
        b->size = info->size;
        map_put(&w->buffers, KEY(*out), b);
    }
    leave();
    return result;
}

ENTRY(VkResult)
bind_buffer_memory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    struct watch *w = enter(device);
    struct watched_buffer *b = map_get(&w->buffers, KEY(buffer));
    if (b)
        b->memory = memory;
    PFN_vkBindBufferMemory real = w->real.BindBufferMemory;
    leave();
    return real(device, buffer, memory, offset);
}

ENTRY(void) destroy_buffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *a)
{
    struct watch *w = enter(device);
    struct watched_buffer *b = map_take(&w->buffers, KEY(buffer));
    if (b) {
        watch_check_idle(w, &b->used, "a buffer is destroyed");
        hazards_forget(&w->hazards, b->serial);
        free(b);
    }
    PFN_vkDestroyBuffer real = w->real.DestroyBuffer;
    leave();
    real(device, buffer, a);
}

ENTRY(VkResult)
create_view(VkDevice device, const VkBufferViewCreateInfo *info, const VkAllocationCallbacks *a,
            VkBufferView *out)
{
    struct watch *w = enter(device);
    const struct watched_buffer *b = map_get(&w->buffers, KEY(info->buffer));
    if (!b || info->range > b->size || info->offset > b->size - info->range)
        watch_report("a view reaches beyond its buffer");
    VkResult result = w->real.CreateBufferView(device, info, a, out);
    if (result == VK_SUCCESS) {
        struct watched_view *v = record(sizeof *v);
        v->serial = ++w->next_serial;
        v->info = (VkDescriptorBufferInfo){info->buffer, info->offset, info->range};
        free(map_take(&w->views, KEY(*out)));
        map_put(&w->views, KEY(*out), v);
    }
    leave();
    return result;
}

ENTRY(void) destroy_view(VkDevice device, VkBufferView view, const VkAllocationCallbacks *a)
{
    struct watch *w = enter(device);
    struct watched_view *v = map_take(&w->views, KEY(view));
    if (v)
        watch_check_idle(w, &v->used, "a view is destroyed");
    free(v);
    PFN_vkDestroyBufferView real = w->real.DestroyBufferView;
    leave();
    real(device, view, a);
}

/* ---- descriptor sets ---- */

ENTRY(VkResult)
create_layout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
              const VkAllocationCallbacks *a, VkDescriptorSetLayout *out)
{
    struct watch *w = enter(device);
    VkDescriptorSetLayoutCreateInfo plain = *info;
    if (w->without_update_after_bind) {
        plain.pNext = NULL; /* the bindings' flags */
        plain.flags = 0;
    }
    VkResult result = w->real.CreateDescriptorSetLayout(device, &plain, a, out);
    if (result == VK_SUCCESS) {
        struct watched_layout *l = record(sizeof *l);
        for (uint32_t i = 0; i < info->bindingCount; i++)
            if (l->nbindings <= info->pBindings[i].binding)
                l->nbindings = info->pBindings[i].binding + 1;
        free(map_take(&w->layouts, KEY(*out)));
        map_put(&w->layouts, KEY(*out), l);
    }
    leave();
    return result;
}

ENTRY(VkResult)
create_descriptor_pool(VkDevice device, const VkDescriptorPoolCreateInfo *info,
                       const VkAllocationCallbacks *a, VkDescriptorPool *out)
{
    struct watch *w = enter(device);
    VkDescriptorPoolCreateInfo plain = *info;
    if (w->without_update_after_bind)
        plain.flags = 0;
    VkResult result = w->real.CreateDescriptorPool(device, &plain, a, out);
    leave();
    return result;
}

ENTRY(VkResult)
allocate_sets(VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out)
{
    struct watch *w = enter(device);
    VkResult result = w->real.AllocateDescriptorSets(device, info, out);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->descriptorSetCount; i++) {
        const struct watched_layout *l = map_get(&w->layouts, KEY(info->pSetLayouts[i]));
        uint32_t n = l ? l->nbindings : 0;
        struct watched_set *s = record(sizeof *s + n * sizeof *s->bindings);
        s->pool = info->descriptorPool;
        s->nbindings = n;
        map_put(&w->sets, KEY(out[i]), s);
    }
    leave();
    return result;
}

ENTRY(void)
destroy_descriptor_pool(VkDevice device, VkDescriptorPool pool, const VkAllocationCallbacks *a)
{
    struct watch *w = enter(device);
    for (size_t i = 0; i < w->sets.capacity;) {
        struct watched_set *s = w->sets.entries[i].value;
        if (s && s->pool == pool) {
            watch_check_idle(w, &s->used, "a descriptor pool is destroyed");
            free(map_take(&w->sets, w->sets.entries[i].key)); /* which moves another to its place */
        } else {
            i++;
        }
    }
    PFN_vkDestroyDescriptorPool real = w->real.DestroyDescriptorPool;
    leave();
    real(device, pool, a);
}

static struct watched_binding written(const struct watch *w, const VkWriteDescriptorSet *write,
                                      uint32_t at)
{
    if (write->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
        return (struct watched_binding){.info = write->pBufferInfo[at]};
    VkBufferView handle = write->pTexelBufferView[at];
    const struct watched_view *v = map_get(&w->views, KEY(handle));
    if (!v)
        watch_report("a descriptor is written with a view that is not there");
    return v ? (struct watched_binding){v->info, handle, v->serial} : (struct watched_binding){0};
}

/* The range that is bound in its place, `widen` longer where the buffer is. */
static VkDescriptorBufferInfo widened(const struct watch *w, const VkDescriptorBufferInfo *info)
{
    const struct watched_buffer *b = map_get(&w->buffers, KEY(info->buffer));
    VkDescriptorBufferInfo wide = *info;
    if (b && wide.range < b->size - wide.offset)
        wide.range = b->size - wide.offset - wide.range < w->widen ? b->size - wide.offset
                                                                   : wide.range + w->widen;
    return wide;
}

ENTRY(void)
update_sets(VkDevice device, uint32_t count, const VkWriteDescriptorSet *writes, uint32_t ncopies,
            const VkCopyDescriptorSet *copies)
{
    struct watch *w = enter(device);
    size_t total = 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        total += writes[i].descriptorCount;
    VkWriteDescriptorSet *changed = record((count + 1) * sizeof *changed);
    VkDescriptorBufferInfo *infos = record((total + 1) * sizeof *infos);
    for (uint32_t i = 0; i < count; i++) {
        struct watched_set *s = map_get(&w->sets, KEY(writes[i].dstSet));
        if (s)
            watch_check_idle(w, &s->used, "a descriptor set is updated");
        changed[i] = writes[i];
        changed[i].pBufferInfo = infos + at;
        for (uint32_t k = 0; k < writes[i].descriptorCount; k++, at++) {
            uint32_t binding = writes[i].dstBinding + k;
            if (writes[i].descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
                infos[at] = widened(w, &writes[i].pBufferInfo[k]);
            if (s && binding < s->nbindings)
                s->bindings[binding] = written(w, &writes[i], k);
        }
    }
    w->real.UpdateDescriptorSets(device, count, changed, ncopies, copies);
    free(changed);
    free(infos);
    leave();
}

/* ---- pipelines ---- */

ENTRY(VkResult)
create_module(VkDevice device, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *a,
              VkShaderModule *out)
{
    struct watch *w = enter(device);
    VkResult result = w->real.CreateShaderModule(device, info, a, out);
    if (result == VK_SUCCESS) {
        struct spirv_access *access = record(sizeof *access);
        if (!spirv_access_read(info->pCode, info->codeSize / 4, access))
            watch_report("a shader module cannot be read");
        free(map_take(&w->modules, KEY(*out)));
        map_put(&w->modules, KEY(*out), access);
    }
    leave();
    return result;
}

ENTRY(VkResult)
create_pipeline_layout(VkDevice device, const VkPipelineLayoutCreateInfo *info,
                       const VkAllocationCallbacks *a, VkPipelineLayout *out)
{
    struct watch *w = enter(device);
    VkResult result = w->real.CreatePipelineLayout(device, info, a, out);
    if (result == VK_SUCCESS) {
        uint32_t *bytes = record(sizeof *bytes);
        for (uint32_t i = 0; i < info->pushConstantRangeCount; i++)
            *bytes += info->pPushConstantRanges[i].size;
        free(map_take(&w->pushed, KEY(*out)));
        map_put(&w->pushed, KEY(*out), bytes);
    }
    leave();
    return result;
}

ENTRY(VkResult)
create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                 const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *a,
                 VkPipeline *out)
{
    struct watch *w = enter(device);
    PFN_vkCreateComputePipelines real = w->real.CreateComputePipelines;
    leave(); /* it takes long, and several threads do it at once */
    VkResult result = real(device, cache, count, infos, a, out);
    enter(device);
    for (uint32_t i = 0; i < count; i++) {
        const struct spirv_access *access = map_get(&w->modules, KEY(infos[i].stage.module));
        if (!out[i] || !access)
            continue;
        struct watched_pipeline *p = record(sizeof *p);
        const uint32_t *pushed = map_get(&w->pushed, KEY(infos[i].layout));
        p->access = *access;
        p->pushed = pushed ? *pushed : 0;
        p->number = (uint32_t)++w->next_serial;
        map_put(&w->pipelines, KEY(out[i]), p);
    }
    leave();
    return result;
}

ENTRY(void) destroy_pipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks *a)
{
    struct watch *w = enter(device);
    struct watched_pipeline *p = map_take(&w->pipelines, KEY(pipeline));
    if (p)
        watch_check_idle(w, &p->used, "a pipeline is destroyed");
    free(p);
    PFN_vkDestroyPipeline real = w->real.DestroyPipeline;
    leave();
    real(device, pipeline, a);
}

ENTRY(void) get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out)
{
    struct watch *w = enter(device);
    w->real.GetDeviceQueue(device, family, index, out);
    w->queue = *out;
    leave();
}

/* ---- attaching ---- */

void watch_attach(struct vkr_device *device)
{
    struct watch *w = record(sizeof *w);
    struct vk *vk = &device->gpu.vk;
    watch_objects_hook(vk, device->gpu.handle);
    w->real = *vk;
    w->owner = device;
    w->handle = device->gpu.handle;
    w->queue = device->queue.handle;
    vk->DestroyDevice = destroy_device;
    vk->MapMemory = map_memory;
    vk->FreeMemory = free_memory;
    vk->CreateBuffer = create_buffer;
    vk->BindBufferMemory = bind_buffer_memory;
    vk->DestroyBuffer = destroy_buffer;
    vk->CreateBufferView = create_view;
    vk->DestroyBufferView = destroy_view;
    vk->CreateDescriptorSetLayout = create_layout;
    vk->CreateDescriptorPool = create_descriptor_pool;
    vk->AllocateDescriptorSets = allocate_sets;
    vk->DestroyDescriptorPool = destroy_descriptor_pool;
    vk->UpdateDescriptorSets = update_sets;
    vk->CreateShaderModule = create_module;
    vk->CreatePipelineLayout = create_pipeline_layout;
    vk->CreateComputePipelines = create_pipelines;
    vk->DestroyPipeline = destroy_pipeline;
    vk->GetDeviceQueue = get_queue;
    watch_commands_hook(vk);
    watch_queue_hook(vk);
    pthread_mutex_lock(&watch_lock);
    /* those there are already, if the device is open */
    for (uint32_t i = 0; i < STAGING_COMMANDS; i++)
        if (device->staging.commands[i])
            watch_commands_adopt(w, device->staging.pool[i], device->staging.commands[i]);
    int place = 0;
    while (place < DEVICES && watches[place])
        place++;
    if (place == DEVICES)
        abort();
    watches[place] = w;
    pthread_mutex_unlock(&watch_lock);
}

void watch_widen(struct vkr_device *device, uint64_t bytes)
{
    struct watch *w = enter(device->gpu.handle);
    w->widen = bytes;
    leave();
}

void watch_be_late(struct vkr_device *device, bool late)
{
    struct watch *w = enter(device->gpu.handle);
    w->is_late = late;
    leave();
}

void watch_leave_out_update_after_bind(struct vkr_device *device)
{
    struct watch *w = enter(device->gpu.handle);
    w->without_update_after_bind = true;
    leave();
}

uint64_t watch_most_unfinished(const struct vkr_device *device)
{
    struct watch *w = enter(device->gpu.handle);
    uint64_t most = w->most_unfinished;
    leave();
    return most;
}
