/* What is recorded, kept as a list of operations, and replayed at each submission: only then is
   it known what the descriptor sets name, and what ran before. */
#include "watch_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct map all_commands; /* of all devices, by VkCommandBuffer */

static void *appended(void *list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return list;
    *capacity = *capacity ? 2 * *capacity : 16;
    void *bigger = realloc(list, *capacity * size);
    if (!bigger)
        abort();
    return bigger;
}

static void add_op(struct watched_commands *c, const struct op *op)
{
    c->ops = appended(c->ops, c->nops, &c->ops_capacity, sizeof *c->ops);
    c->ops[c->nops++] = *op;
}

static void add_name(struct watched_commands *c, uint64_t handle, uint64_t serial)
{
    for (size_t i = c->nnames; i-- > 0 && i + 64 > c->nnames;) /* most of them were just named */
        if (c->names[i].handle == handle)
            return;
    c->names = appended(c->names, c->nnames, &c->names_capacity, sizeof *c->names);
    c->names[c->nnames++] = (struct named){handle, serial};
}

static void name_buffer(struct watched_commands *c, VkBuffer buffer)
{
    const struct watched_buffer *b = map_get(&c->watch->buffers, KEY(buffer));
    if (b)
        add_name(c, KEY(buffer), b->serial);
    else
        watch_report("a command is recorded that names a buffer that is not there");
}

static struct watched_commands *enter(VkCommandBuffer commands)
{
    pthread_mutex_lock(&watch_lock);
    struct watched_commands *c = map_get(&all_commands, KEY(commands));
    if (!c)
        abort();
    return c;
}

static void leave(void)
{
    pthread_mutex_unlock(&watch_lock);
}

static void release(void *value)
{
    struct watched_commands *c = value;
    free(c->ops);
    free(c->names);
    free(c);
}

/* ---- command buffers ---- */

void watch_commands_adopt(struct watch *w, VkCommandPool pool, VkCommandBuffer commands)
{
    struct watched_commands *c = calloc(1, sizeof *c),
                            *old = map_take(&all_commands, KEY(commands));
    if (!c)
        abort();
    if (old)
        release(old);
    c->watch = w;
    c->pool = pool;
    map_put(&all_commands, KEY(commands), c);
}

ENTRY(VkResult)
allocate_commands(VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    VkResult result = w->real.AllocateCommandBuffers(device, info, out);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++)
        watch_commands_adopt(w, info->commandPool, out[i]);
    leave();
    return result;
}

/* Checks and empties, or with `gone` forgets, the command buffers of a pool. */
static void end_pool(struct watch *w, VkCommandPool pool, bool gone, const char *what)
{
    for (size_t i = 0; i < all_commands.capacity;) {
        struct watched_commands *c = all_commands.entries[i].value;
        if (!c || c->watch != w || (pool && c->pool != pool)) {
            i++;
            continue;
        }
        if (what)
            watch_check_idle(w, &c->used, what);
        c->nops = c->nnames = 0;
        c->is_complete = false;
        if (gone)
            release(map_take(&all_commands, all_commands.entries[i].key));
        else
            i++;
    }
    if (!all_commands.count)
        map_finish(&all_commands, release);
}

void watch_commands_finish(struct watch *w)
{
    end_pool(w, VK_NULL_HANDLE, true, NULL);
}

ENTRY(VkResult) reset_pool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    end_pool(w, pool, false, "a command pool is reset");
    VkResult result = w->real.ResetCommandPool(device, pool, flags);
    leave();
    return result;
}

ENTRY(void) destroy_pool(VkDevice device, VkCommandPool pool, const VkAllocationCallbacks *a)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    end_pool(w, pool, true, "a command pool is destroyed");
    w->real.DestroyCommandPool(device, pool, a);
    leave();
}

ENTRY(VkResult) begin(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
    struct watched_commands *c = enter(commands);
    watch_check_idle(c->watch, &c->used, "a command buffer is begun");
    c->nops = c->nnames = 0;
    c->pipeline = VK_NULL_HANDLE;
    c->set = VK_NULL_HANDLE;
    VkResult result = c->watch->real.BeginCommandBuffer(commands, info);
    leave();
    return result;
}

ENTRY(VkResult) end(VkCommandBuffer commands)
{
    struct watched_commands *c = enter(commands);
    VkResult result = c->watch->real.EndCommandBuffer(commands);
    c->is_complete = result == VK_SUCCESS;
    leave();
    return result;
}

/* ---- commands ---- */

ENTRY(void) bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline)
{
    struct watched_commands *c = enter(commands);
    c->pipeline = pipeline;
    c->pushed = 0;
    c->watch->real.CmdBindPipeline(commands, point, pipeline);
    leave();
}

ENTRY(void)
bind_sets(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
          uint32_t first, uint32_t count, const VkDescriptorSet *sets, uint32_t ndynamic,
          const uint32_t *dynamic)
{
    struct watched_commands *c = enter(commands);
    if (first || count != 1)
        watch_report("the watch knows set 0 only");
    c->set = sets[0];
    c->watch->real.CmdBindDescriptorSets(commands, point, layout, first, count, sets, ndynamic,
                                         dynamic);
    leave();
}

ENTRY(void)
push_constants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
               uint32_t offset, uint32_t size, const void *values)
{
    struct watched_commands *c = enter(commands);
    const uint32_t *bytes = map_get(&c->watch->pushed, KEY(layout));
    if (!bytes || offset + size > *bytes)
        watch_report("%u bytes of push constants, where the layout has %u", offset + size,
                     bytes ? *bytes : 0);
    c->pushed = offset + size;
    c->watch->real.CmdPushConstants(commands, layout, stages, offset, size, values);
    leave();
}

static void add_dispatch(struct watched_commands *c, VkBuffer counts, uint64_t offset)
{
    struct op op = {.kind = OP_DISPATCH, .pipeline = c->pipeline, .set = c->set};
    const struct watched_pipeline *p = map_get(&c->watch->pipelines, KEY(c->pipeline));
    const struct watched_set *s = map_get(&c->watch->sets, KEY(c->set));
    if (p && p->pushed > c->pushed)
        watch_report("a dispatch of pipeline %u reads %u bytes of push constants, of which %u are "
                     "pushed",
                     p->number, p->pushed, c->pushed);
    if (counts) {
        op.transfers[0] =
            (struct transfer){counts, offset, sizeof(VkDispatchIndirectCommand), USE_INDIRECT_READ};
        op.ntransfers = 1;
        name_buffer(c, counts);
    }
    for (uint32_t i = 0; s && p && i < p->access.nbindings && i < s->nbindings; i++)
        if (s->bindings[i].info.buffer)
            name_buffer(c, s->bindings[i].info.buffer);
    add_op(c, &op);
}

ENTRY(void) dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    struct watched_commands *c = enter(commands);
    add_dispatch(c, VK_NULL_HANDLE, 0);
    c->watch->real.CmdDispatch(commands, x, y, z);
    leave();
}

ENTRY(void) dispatch_indirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset)
{
    struct watched_commands *c = enter(commands);
    add_dispatch(c, buffer, offset);
    c->watch->real.CmdDispatchIndirect(commands, buffer, offset);
    leave();
}

ENTRY(void)
copy_buffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
            const VkBufferCopy *regions)
{
    struct watched_commands *c = enter(commands);
    for (uint32_t i = 0; i < count; i++) {
        struct op op = {.kind = OP_TRANSFER, .ntransfers = 2};
        op.transfers[0] =
            (struct transfer){from, regions[i].srcOffset, regions[i].size, USE_TRANSFER_READ};
        op.transfers[1] =
            (struct transfer){to, regions[i].dstOffset, regions[i].size, USE_TRANSFER_WRITE};
        add_op(c, &op);
    }
    name_buffer(c, from);
    name_buffer(c, to);
    c->watch->real.CmdCopyBuffer(commands, from, to, count, regions);
    leave();
}

ENTRY(void)
fill_buffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
            uint32_t data)
{
    struct watched_commands *c = enter(commands);
    struct op op = {.kind = OP_TRANSFER, .ntransfers = 1};
    op.transfers[0] = (struct transfer){buffer, offset, size, USE_TRANSFER_WRITE};
    add_op(c, &op);
    name_buffer(c, buffer);
    c->watch->real.CmdFillBuffer(commands, buffer, offset, size, data);
    leave();
}

ENTRY(void)
update_buffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
              const void *data)
{
    struct watched_commands *c = enter(commands);
    struct op op = {.kind = OP_TRANSFER, .ntransfers = 1};
    op.transfers[0] = (struct transfer){buffer, offset, size, USE_TRANSFER_WRITE};
    if (size > 65536 || size % 4 || offset % 4)
        watch_report("%llu bytes at %llu are put into a command buffer: more than 65536, or no "
                     "multiples of 4",
                     (unsigned long long)size, (unsigned long long)offset);
    add_op(c, &op);
    name_buffer(c, buffer);
    c->watch->real.CmdUpdateBuffer(commands, buffer, offset, size, data);
    leave();
}

static uint32_t stages_of(VkPipelineStageFlags flags)
{
    uint32_t all = flags & VK_PIPELINE_STAGE_ALL_COMMANDS_BIT ? STAGE_DEVICE : 0;
    return all | (flags & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT ? STAGE_SHADER : 0) |
           (flags & VK_PIPELINE_STAGE_TRANSFER_BIT ? STAGE_TRANSFER : 0) |
           (flags & VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT ? STAGE_INDIRECT : 0) |
           (flags & VK_PIPELINE_STAGE_HOST_BIT ? STAGE_HOST : 0);
}

/* The accesses of these kinds in these stages. */
static uint32_t uses_of(uint32_t stages, VkAccessFlags flags)
{
    bool read = flags & VK_ACCESS_MEMORY_READ_BIT, write = flags & VK_ACCESS_MEMORY_WRITE_BIT;
    uint32_t uses = 0;
    if (stages & STAGE_SHADER)
        uses |= (read || flags & VK_ACCESS_SHADER_READ_BIT ? USE_SHADER_READ : 0) |
                (write || flags & VK_ACCESS_SHADER_WRITE_BIT ? USE_SHADER_WRITE : 0);
    if (stages & STAGE_TRANSFER)
        uses |= (read || flags & VK_ACCESS_TRANSFER_READ_BIT ? USE_TRANSFER_READ : 0) |
                (write || flags & VK_ACCESS_TRANSFER_WRITE_BIT ? USE_TRANSFER_WRITE : 0);
    if (stages & STAGE_INDIRECT)
        uses |= read || flags & VK_ACCESS_INDIRECT_COMMAND_READ_BIT ? USE_INDIRECT_READ : 0;
    if (stages & STAGE_HOST)
        uses |= read || flags & VK_ACCESS_HOST_READ_BIT ? USE_HOST_READ : 0;
    return uses;
}

ENTRY(void)
barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
        VkDependencyFlags flags, uint32_t count, const VkMemoryBarrier *barriers, uint32_t nbuffers,
        const VkBufferMemoryBarrier *buffers, uint32_t nimages, const VkImageMemoryBarrier *images)
{
    struct watched_commands *c = enter(commands);
    struct op op = {.kind = OP_BARRIER,
                    .barrier = {.from_stages = stages_of(from), .to_stages = stages_of(to)}};
    if (count != 1 || nbuffers || nimages)
        watch_report("the watch knows barriers with one memory barrier only");
    if (count) {
        op.barrier.from_uses = uses_of(op.barrier.from_stages, barriers[0].srcAccessMask);
        op.barrier.to_uses = uses_of(op.barrier.to_stages, barriers[0].dstAccessMask);
    }
    add_op(c, &op);
    c->watch->real.CmdPipelineBarrier(commands, from, to, flags, count, barriers, nbuffers, buffers,
                                      nimages, images);
    leave();
}

void watch_commands_hook(struct vk *vk)
{
    vk->AllocateCommandBuffers = allocate_commands;
    vk->ResetCommandPool = reset_pool;
    vk->DestroyCommandPool = destroy_pool;
    vk->BeginCommandBuffer = begin;
    vk->EndCommandBuffer = end;
    vk->CmdBindPipeline = bind_pipeline;
    vk->CmdBindDescriptorSets = bind_sets;
    vk->CmdPushConstants = push_constants;
    vk->CmdDispatch = dispatch;
    vk->CmdDispatchIndirect = dispatch_indirect;
    vk->CmdCopyBuffer = copy_buffer;
    vk->CmdFillBuffer = fill_buffer;
    vk->CmdUpdateBuffer = update_buffer;
    vk->CmdPipelineBarrier = barrier;
}

/* ---- replay ---- */

static const char *use_name(uint32_t use)
{
    switch (use) {
    case USE_SHADER_READ: return "a kernel's read";
    case USE_SHADER_WRITE: return "a kernel's write";
    case USE_TRANSFER_READ: return "a copy's read";
    case USE_TRANSFER_WRITE: return "a copy's or fill's write";
    case USE_INDIRECT_READ: return "a read of group counts";
    default: return "an access";
    }
}

static void replay_access(struct watch *w, const struct transfer *t, uint32_t pipeline,
                          uint64_t serial)
{
    uint64_t first = t->first, bytes = t->bytes;
    uint32_t use = t->use;
    struct watched_buffer *b = map_get(&w->buffers, KEY(t->buffer));
    struct hazard_access before;
    if (!b) {
        watch_report("%s of a buffer that is not there", use_name(use));
        return;
    }
    b->used.submission = serial;
    if (bytes == VK_WHOLE_SIZE)
        bytes = b->size - first;
    if (first > b->size || bytes > b->size - first)
        watch_report("%s of bytes %llu+%llu of a buffer with %llu", use_name(use),
                     (unsigned long long)first, (unsigned long long)bytes,
                     (unsigned long long)b->size);
    const struct watched_memory *m = map_get(&w->memories, KEY(b->memory));
    struct hazard_access access = {.memory = b->serial,
                                   .first = first,
                                   .end = first + bytes,
                                   .use = use,
                                   .command = w->next_command,
                                   .is_mapped = m && m->is_mapped};
    if (hazards_access(&w->hazards, access, &before))
        return;
    watch_report(
        "%s (command %llu, pipeline %u, submission %llu) of bytes %llu..%llu of buffer %llu is not ordered "
        "after %s (command %llu) of bytes %llu..%llu",
        use_name(use), (unsigned long long)w->next_command, pipeline, (unsigned long long)serial,
        (unsigned long long)first, (unsigned long long)(first + bytes),
        (unsigned long long)b->serial, use_name(before.use), (unsigned long long)before.command,
        (unsigned long long)before.first, (unsigned long long)before.end);
}

/* A view of texels must be there, and is used from now on. */
static void replay_view(struct watch *w, const struct watched_binding *b, uint32_t pipeline,
                        uint64_t serial)
{
    struct watched_view *view = b->view ? map_get(&w->views, KEY(b->view)) : NULL;
    if (b->view && (!view || view->serial != b->view_serial))
        watch_report("a dispatch of pipeline %u uses a view that was destroyed", pipeline);
    else if (view)
        view->used.submission = serial;
}

static void replay_dispatch(struct watch *w, const struct op *op, uint64_t serial)
{
    struct watched_pipeline *p = map_get(&w->pipelines, KEY(op->pipeline));
    struct watched_set *s = map_get(&w->sets, KEY(op->set));
    if (!p) {
        watch_report("a dispatch of a pipeline that is not there");
        return;
    }
    p->used.submission = serial;
    if (!p->access.nbindings)
        return;
    if (!s || s->nbindings < p->access.nbindings) {
        watch_report("a dispatch of pipeline %u, which has %u bindings, with %u", p->number,
                     p->access.nbindings, s ? s->nbindings : 0);
        return;
    }
    s->used.submission = serial;
    for (uint32_t i = 0; i < p->access.nbindings; i++) {
        const VkDescriptorBufferInfo *info = &s->bindings[i].info;
        if (p->access.uses[i])
            replay_view(w, &s->bindings[i], p->number, serial);
        if (p->access.uses[i] & SPIRV_READS)
            replay_access(
                w, &(struct transfer){info->buffer, info->offset, info->range, USE_SHADER_READ},
                p->number, serial);
        if (p->access.uses[i] & SPIRV_WRITES)
            replay_access(
                w, &(struct transfer){info->buffer, info->offset, info->range, USE_SHADER_WRITE},
                p->number, serial);
    }
}

/* A recording is void once something is gone that it named when it was made, even if the
   descriptor sets name something else by now. */
static void check_names(const struct watch *w, const struct watched_commands *c)
{
    for (size_t i = 0; i < c->nnames; i++) {
        const struct watched_buffer *b = map_get(&w->buffers, c->names[i].handle);
        if (!b || b->serial != c->names[i].serial) {
            watch_report("a command buffer is submitted that names a buffer that was destroyed");
            return;
        }
    }
}

void watch_commands_replay(struct watch *w, VkCommandBuffer commands, uint64_t serial)
{
    struct watched_commands *c = map_get(&all_commands, KEY(commands));
    struct hazard_access unseen;
    if (!c || !c->is_complete) {
        watch_report("a command buffer is submitted that is not recorded");
        return;
    }
    check_names(w, c);
    c->used.submission = serial;
    for (size_t i = 0; i < c->nops; i++) {
        const struct op *op = &c->ops[i];
        if (op->kind == OP_BARRIER) {
            hazards_barrier(&w->hazards, &op->barrier);
            continue;
        }
        w->next_command++;
        for (uint32_t k = 0; k < op->ntransfers; k++)
            replay_access(w, &op->transfers[k], 0, serial);
        if (op->kind == OP_DISPATCH)
            replay_dispatch(w, op, serial);
    }
    while (hazards_unseen(&w->hazards, &unseen))
        watch_report(
            "%s (command %llu) of bytes %llu..%llu of buffer %llu, in memory that the host sees, is "
            "not made visible to it by the end of its command buffer",
            use_name(unseen.use), (unsigned long long)unseen.command,
            (unsigned long long)unseen.first, (unsigned long long)unseen.end,
            (unsigned long long)unseen.memory);
}
