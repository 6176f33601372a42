#include "staging.h"

#include <string.h>

#include "device.h"

#define DIRECT_LOCKED (64u << 10)   /* the most bytes copied by the host without dropping the lock */

vkr_status staging_init(struct vkr_device *device, uint32_t family, vkr_error *err)
{
    const struct vk *vk = &device->vk;
    struct staging *s = &device->staging;
    vkr_status status = VKR_OK;
    for (uint32_t i = 0; i < STAGING_COMMANDS; i++) {
        VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                        .queueFamilyIndex = family};
        VK(vk->CreateCommandPool(device->handle, &pool, NULL, &s->pool[i]));
        VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = s->pool[i],
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
        VK(vk->AllocateCommandBuffers(device->handle, &allocate, &s->commands[i]));
    }
out:
    return status;
}

void staging_finish(struct vkr_device *device)
{
    const struct vk *vk = &device->vk;
    struct staging *s = &device->staging;
    memory_block_finish(device, &s->upload);
    memory_block_finish(device, &s->readback);
    for (uint32_t i = 0; i < STAGING_COMMANDS; i++)
        if (s->pool[i])
            vk->DestroyCommandPool(device->handle, s->pool[i], NULL);
}

/* ---- one-time command buffers ---- */

void record_barrier(const struct vk *vk, bool counts, VkCommandBuffer commands)
{
    const VkPipelineStageFlags work = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
                                      (counts ? VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT : 0);
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                         VK_ACCESS_TRANSFER_WRITE_BIT | (counts ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT : 0),
    };
    vk->CmdPipelineBarrier(commands, work, work, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void record_host_barrier(const struct vk *vk, VkCommandBuffer commands)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                           VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* The next command buffer, begun; from here to transfer_end the lock is not dropped. */
static vkr_status transfer_begin(struct vkr_device *device, VkCommandBuffer *out, vkr_error *err)
{
    const struct vk *vk = &device->vk;
    struct staging *s = &device->staging;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    vkr_status status = device_check(device, err);
    while (!status && !queue_is_done(device, s->busy[s->next]))
        status = queue_wait(device, s->busy[s->next], err);
    if (status)
        goto out;
    VK(vk->ResetCommandPool(device->handle, s->pool[s->next], 0));
    VK(vk->BeginCommandBuffer(s->commands[s->next], &begin));
    record_barrier(vk, true, s->commands[s->next]);
    *out = s->commands[s->next];
out:
    return status;
}

static vkr_status transfer_end(struct vkr_device *device, bool is_for_host, uint64_t *out_value, vkr_error *err)
{
    const struct vk *vk = &device->vk;
    struct staging *s = &device->staging;
    vkr_status status = VKR_OK;
    if (is_for_host)
        record_host_barrier(vk, s->commands[s->next]);
    VK(vk->EndCommandBuffer(s->commands[s->next]));
    status = queue_submit(device, &s->commands[s->next], 1, out_value, err);
    if (status)
        goto out;
    s->busy[s->next] = *out_value;
    s->next = (s->next + 1) % STAGING_COMMANDS;
out:
    return status;
}

void record_copy(const struct vk *vk, struct chunk *from, uint64_t from_at, struct chunk *to, uint64_t to_at, uint64_t bytes,
                 VkCommandBuffer commands)
{
    while (bytes) {
        struct chunk_place a = chunk_place(from, from_at), b = chunk_place(to, to_at);
        uint64_t part = a.left < b.left ? a.left : b.left;
        VkBufferCopy region = {.srcOffset = a.offset, .dstOffset = b.offset, .size = part < bytes ? part : bytes};
        vk->CmdCopyBuffer(commands, a.piece->block->buffer, b.piece->block->buffer, 1, &region);
        from_at += region.size, to_at += region.size, bytes -= region.size;
    }
}

static vkr_status submit_copy(struct vkr_device *device, VkBuffer from, uint64_t from_offset, VkBuffer to, uint64_t to_offset,
                              uint64_t bytes, bool is_for_host, uint64_t *out_value, vkr_error *err)
{
    VkCommandBuffer commands;
    VkBufferCopy region = {.srcOffset = from_offset, .dstOffset = to_offset, .size = bytes};
    vkr_status status = transfer_begin(device, &commands, err);
    if (status)
        return status;
    device->vk.CmdCopyBuffer(commands, from, to, 1, &region);
    return transfer_end(device, is_for_host, out_value, err);
}

/* ---- writing ---- */

/* Room for `bytes` in one piece of the upload ring; called with the upload lock held. */
static vkr_status ring_reserve(struct vkr_device *device, uint64_t bytes, uint64_t *out_at, vkr_error *err)
{
    struct staging *s = &device->staging;
    const uint32_t capacity = sizeof s->spans / sizeof *s->spans;
    vkr_status status = VKR_OK;
    uint64_t at = s->put % STAGING_UPLOAD;
    if (at + bytes > STAGING_UPLOAD)
        s->put += STAGING_UPLOAD - at, at = 0;
    while (!status && s->nspans && (s->put + bytes - s->freed > STAGING_UPLOAD || s->nspans == capacity)) {
        struct staging_span *oldest = &s->spans[s->first_span];
        status = queue_wait(device, oldest->value, err);
        if (status)
            break;
        s->freed = oldest->end;
        s->first_span = (s->first_span + 1) % capacity;
        s->nspans--;
    }
    if (!s->nspans)
        s->freed = s->put;
    *out_at = at;
    return status;
}

static vkr_status write_staged(struct vkr_device *device, struct chunk *chunk, uint64_t offset, const uint8_t *data, uint64_t bytes,
                               uint64_t *out_value, vkr_error *err)
{
    struct staging *s = &device->staging;
    vkr_status status = VKR_OK;
    if (!s->upload.buffer)
        status = memory_block_create(device, STAGING_UPLOAD, device->memory_types.upload, true, &s->upload, err);
    while (!status && bytes) {
        struct chunk_place to = chunk_place(chunk, offset);
        uint64_t part = bytes < STAGING_CHUNK ? bytes : STAGING_CHUNK, at;
        part = part < to.left ? part : to.left;
        status = ring_reserve(device, part, &at, err);
        if (status)
            break;
        pthread_mutex_unlock(&device->lock);
        memcpy(s->upload.mapped + at, data, part);
        pthread_mutex_lock(&device->lock);
        status = submit_copy(device, s->upload.buffer, at, to.piece->block->buffer, to.offset, part,
                             device->memory_types.is_mapped, out_value, err);
        if (status)
            break;
        s->put += part;
        uint32_t last = (s->first_span + s->nspans++) % (sizeof s->spans / sizeof *s->spans);
        s->spans[last] = (struct staging_span){.end = s->put, .value = *out_value};
        data += part, offset += part, bytes -= part;
    }
    return status;
}

/* A host copy of any size from or to a chunk, or of zeros to it where both are NULL, dropping the lock for a long one. */
static void copy_direct(struct vkr_device *device, struct chunk *chunk, uint64_t offset, const uint8_t *from, uint8_t *to, uint64_t bytes)
{
    bool is_long = bytes > DIRECT_LOCKED;
    if (is_long)
        pthread_mutex_unlock(&device->lock);
    for (uint64_t part, done = 0; done < bytes; done += part) {
        struct chunk_place at = chunk_place(chunk, offset + done);
        uint8_t *mapped = at.piece->block->mapped + at.offset;
        part = bytes - done < at.left ? bytes - done : at.left;
        if (from)
            memcpy(mapped, from + done, part);
        else if (to)
            memcpy(to + done, mapped, part);
        else
            memset(mapped, 0, part);
    }
    if (is_long)
        pthread_mutex_lock(&device->lock);
}

vkr_status staging_write(struct vkr_device *device, struct chunk *chunk, uint64_t offset, const void *data, uint64_t bytes,
                         uint64_t busy, uint64_t *out_value, vkr_error *err)
{
    struct staging *s = &device->staging;
    if (!bytes)
        return VKR_OK;
    device->counters.bytes_uploaded += bytes;
    if (bytes <= device->memory_types.direct_write) {
        /* On a CPU device a copy by the "device" is no faster than waiting and copying here. */
        vkr_status status = device->info.kind == VKR_CPU ? queue_wait(device, busy, err) : VKR_OK;
        if (status)
            return status;
        if (queue_is_done(device, busy)) {
            copy_direct(device, chunk, offset, data, NULL, bytes);
            return VKR_OK;
        }
    }
    pthread_mutex_unlock(&device->lock);
    pthread_mutex_lock(&s->upload_lock);
    pthread_mutex_lock(&device->lock);
    vkr_status status = write_staged(device, chunk, offset, data, bytes, out_value, err);
    pthread_mutex_unlock(&s->upload_lock);
    return status;
}

vkr_status staging_zero(struct vkr_device *device, struct chunk *chunk, uint64_t bytes, uint64_t *out_value, vkr_error *err)
{
    VkCommandBuffer commands;
    if (bytes <= device->memory_types.direct_write && queue_is_done(device, chunk->busy)) {
        copy_direct(device, chunk, 0, NULL, NULL, bytes);
        return VKR_OK;
    }
    vkr_status status = transfer_begin(device, &commands, err);
    if (status)
        return status;
    for (uint64_t part, done = 0; done < bytes; done += part) {
        struct chunk_place at = chunk_place(chunk, done);
        part = bytes - done < at.left ? bytes - done : at.left;
        device->vk.CmdFillBuffer(commands, at.piece->block->buffer, at.offset, part, 0);
    }
    return transfer_end(device, device->memory_types.is_mapped, out_value, err);
}

vkr_status staging_copy(struct vkr_device *device, struct chunk *from, struct chunk *to, uint64_t bytes, uint64_t *out_value,
                        vkr_error *err)
{
    VkCommandBuffer commands;
    vkr_status status = transfer_begin(device, &commands, err);
    if (status)
        return status;
    record_copy(&device->vk, from, 0, to, 0, bytes, commands);
    return transfer_end(device, device->memory_types.is_mapped, out_value, err);
}

/* ---- reading ---- */

/* Copies in pieces through the two halves of the readback memory: while one is copied out by the host,
   the device fills the other. Called with the read lock and the device lock held. */
static vkr_status read_staged(struct vkr_device *device, struct chunk *chunk, uint64_t offset, uint8_t *data, uint64_t bytes,
                              vkr_error *err)
{
    struct staging *s = &device->staging;
    vkr_status status = VKR_OK;
    uint64_t value[2] = {0}, part[2] = {0}, asked = 0;
    if (!s->readback.buffer)
        status = memory_block_create(device, 2ull * STAGING_CHUNK, device->memory_types.readback, true, &s->readback, err);
    for (uint32_t i = 0; !status && (asked < bytes || part[0] || part[1]); i++) {
        uint32_t half = i % 2;
        if (asked < bytes) {
            struct chunk_place from = chunk_place(chunk, offset + asked);
            part[half] = bytes - asked < STAGING_CHUNK ? bytes - asked : STAGING_CHUNK;
            part[half] = part[half] < from.left ? part[half] : from.left;
            status = submit_copy(device, from.piece->block->buffer, from.offset, s->readback.buffer,
                                 (uint64_t)half * STAGING_CHUNK, part[half], true, &value[half], err);
            if (status)
                break;
            asked += part[half];
        }
        half = 1 - half;
        if (!part[half])
            continue;
        status = queue_wait(device, value[half], err);
        pthread_mutex_unlock(&device->lock);
        if (!status)
            memcpy(data, s->readback.mapped + (uint64_t)half * STAGING_CHUNK, part[half]);
        pthread_mutex_lock(&device->lock);
        data += part[half];
        part[half] = 0;
    }
    return status;
}

vkr_status staging_read(struct vkr_device *device, struct chunk *chunk, uint64_t offset, void *data, uint64_t bytes,
                        uint64_t written, vkr_error *err)
{
    struct staging *s = &device->staging;
    if (!bytes)
        return VKR_OK;
    device->counters.bytes_downloaded += bytes;
    if (bytes <= device->memory_types.direct_read) {
        vkr_status status = queue_wait(device, written, err);
        if (!status)
            copy_direct(device, chunk, offset, NULL, data, bytes);
        return status;
    }
    pthread_mutex_unlock(&device->lock);
    pthread_mutex_lock(&s->read_lock);
    pthread_mutex_lock(&device->lock);
    vkr_status status = read_staged(device, chunk, offset, data, bytes, err);
    pthread_mutex_unlock(&s->read_lock);
    return status;
}
