#include "staging.h"

#include <string.h>

#include "commands.h"

#define DIRECT_LOCKED (64u << 10) /* the most bytes copied by the host without dropping the lock */

vkr_status staging_init(struct staging *s, struct gpu *gpu, struct queue *queue, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    vkr_status status = VKR_OK;
    s->gpu = gpu;
    s->queue = queue;
    for (uint32_t i = 0; i < STAGING_COMMANDS; i++) {
        VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                        .queueFamilyIndex = gpu->family};
        VK(vk->CreateCommandPool(s->gpu->handle, &pool, NULL, &s->pool[i]));
        VkCommandBufferAllocateInfo allocate = {.sType =
                                                    VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = s->pool[i],
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
        VK(vk->AllocateCommandBuffers(s->gpu->handle, &allocate, &s->commands[i]));
    }
out:
    return status;
}

void staging_finish(struct staging *s)
{
    if (!s->gpu)
        return;
    const struct vk *vk = &s->gpu->vk;
    memory_block_finish(s->gpu, &s->upload);
    memory_block_finish(s->gpu, &s->readback);
    for (uint32_t i = 0; i < STAGING_COMMANDS; i++)
        if (s->pool[i])
            vk->DestroyCommandPool(s->gpu->handle, s->pool[i], NULL);
}

/* ---- one-time command buffers ---- */

/* The next command buffer, begun; from here to transfer_end the lock is not dropped. */
static vkr_status transfer_begin(struct staging *s, VkCommandBuffer *out, vkr_error *err)
{
    const struct vk *vk = &s->gpu->vk;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    vkr_status status = gpu_check(s->gpu, err);
    while (!status && !queue_is_done(s->queue, s->busy[s->next]))
        status = queue_wait(s->queue, s->busy[s->next], err);
    if (status)
        goto out;
    VK(vk->ResetCommandPool(s->gpu->handle, s->pool[s->next], 0));
    VK(vk->BeginCommandBuffer(s->commands[s->next], &begin));
    record_barrier(vk, false, s->commands[s->next]);
    *out = s->commands[s->next];
out:
    return status;
}

static vkr_status transfer_end(struct staging *s, bool is_for_host, uint64_t *out_value,
                               vkr_error *err)
{
    const struct vk *vk = &s->gpu->vk;
    vkr_status status = VKR_OK;
    if (is_for_host)
        record_host_barrier(vk, s->commands[s->next]);
    VK(vk->EndCommandBuffer(s->commands[s->next]));
    status = queue_submit(s->queue, &s->commands[s->next], 1, out_value, err);
    if (status)
        goto out;
    s->busy[s->next] = *out_value;
    s->next = (s->next + 1) % STAGING_COMMANDS;
out:
    return status;
}

static vkr_status submit_copy(struct staging *s, VkBuffer from, uint64_t from_offset, VkBuffer to,
                              uint64_t to_offset, uint64_t bytes, bool is_for_host,
                              uint64_t *out_value, vkr_error *err)
{
    VkCommandBuffer commands;
    VkBufferCopy region = {.srcOffset = from_offset, .dstOffset = to_offset, .size = bytes};
    vkr_status status = transfer_begin(s, &commands, err);
    if (status)
        return status;
    s->gpu->vk.CmdCopyBuffer(commands, from, to, 1, &region);
    return transfer_end(s, is_for_host, out_value, err);
}

/* ---- writing ---- */

/* Room for `bytes` in one piece of the upload ring; called with the upload lock held. */
static vkr_status ring_reserve(struct staging *s, uint64_t bytes, uint64_t *out_at, vkr_error *err)
{
    const uint32_t capacity = sizeof s->spans / sizeof *s->spans;
    vkr_status status = VKR_OK;
    uint64_t at = s->put % STAGING_UPLOAD;
    if (at + bytes > STAGING_UPLOAD)
        s->put += STAGING_UPLOAD - at, at = 0;
    while (!status && s->nspans &&
           (s->put + bytes - s->freed > STAGING_UPLOAD || s->nspans == capacity)) {
        struct staging_span *oldest = &s->spans[s->first_span];
        status = queue_wait(s->queue, oldest->value, err);
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

static vkr_status write_staged(struct staging *s, struct chunk *chunk, uint64_t offset,
                               const uint8_t *data, uint64_t bytes, uint64_t *out_value,
                               vkr_error *err)
{
    vkr_status status = VKR_OK;
    if (!s->upload.buffer)
        status = memory_block_create(s->gpu, STAGING_UPLOAD, s->gpu->memory_types.upload, true,
                                     &s->upload, err);
    while (!status && bytes) {
        struct chunk_place to = chunk_place(chunk, offset);
        uint64_t part = bytes < STAGING_CHUNK ? bytes : STAGING_CHUNK, at;
        part = part < to.left ? part : to.left;
        status = ring_reserve(s, part, &at, err);
        if (status)
            break;
        pthread_mutex_unlock(&s->gpu->lock);
        memcpy(s->upload.mapped + at, data, part);
        pthread_mutex_lock(&s->gpu->lock);
        status = submit_copy(s, s->upload.buffer, at, to.piece->block->buffer, to.offset, part,
                             s->gpu->memory_types.is_mapped, out_value, err);
        if (status)
            break;
        s->put += part;
        uint32_t last = (s->first_span + s->nspans++) % (sizeof s->spans / sizeof *s->spans);
        s->spans[last] = (struct staging_span){.end = s->put, .value = *out_value};
        data += part, offset += part, bytes -= part;
    }
    return status;
}

/* A host copy of any size from or to a chunk, or of zeros to it where both are NULL, dropping
   the lock for a long one. */
static void copy_direct(struct staging *s, struct chunk *chunk, uint64_t offset,
                        const uint8_t *from, uint8_t *to, uint64_t bytes)
{
    bool is_long = bytes > DIRECT_LOCKED;
    if (is_long)
        pthread_mutex_unlock(&s->gpu->lock);
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
        pthread_mutex_lock(&s->gpu->lock);
}

vkr_status staging_write(struct staging *s, struct chunk *chunk, uint64_t offset, const void *data,
                         uint64_t bytes, uint64_t busy, uint64_t *out_value, vkr_error *err)
{
    if (!bytes)
        return VKR_OK;
    s->gpu->counters.bytes_uploaded += bytes;
    if (bytes <= s->gpu->memory_types.direct_write) {
        /* On a CPU device a copy by the "device" is no faster than waiting and copying here. */
        vkr_status status = s->gpu->info.kind == VKR_CPU ? queue_wait(s->queue, busy, err) : VKR_OK;
        if (status)
            return status;
        if (queue_is_done(s->queue, busy)) {
            copy_direct(s, chunk, offset, data, NULL, bytes);
            return VKR_OK;
        }
    }
    pthread_mutex_unlock(&s->gpu->lock);
    pthread_mutex_lock(&s->upload_lock);
    pthread_mutex_lock(&s->gpu->lock);
    vkr_status status = write_staged(s, chunk, offset, data, bytes, out_value, err);
    pthread_mutex_unlock(&s->upload_lock);
    return status;
}

vkr_status staging_zero(struct staging *s, struct chunk *chunk, uint64_t bytes, uint64_t *out_value,
                        vkr_error *err)
{
    VkCommandBuffer commands;
    if (bytes <= s->gpu->memory_types.direct_write && queue_is_done(s->queue, chunk->busy)) {
        copy_direct(s, chunk, 0, NULL, NULL, bytes);
        return VKR_OK;
    }
    vkr_status status = transfer_begin(s, &commands, err);
    if (status)
        return status;
    for (uint64_t part, done = 0; done < bytes; done += part) {
        struct chunk_place at = chunk_place(chunk, done);
        part = bytes - done < at.left ? bytes - done : at.left;
        s->gpu->vk.CmdFillBuffer(commands, at.piece->block->buffer, at.offset, part, 0);
    }
    return transfer_end(s, s->gpu->memory_types.is_mapped, out_value, err);
}

vkr_status staging_copy(struct staging *s, struct chunk *from, struct chunk *to, uint64_t bytes,
                        uint64_t *out_value, vkr_error *err)
{
    VkCommandBuffer commands;
    vkr_status status = transfer_begin(s, &commands, err);
    if (status)
        return status;
    record_copy(&s->gpu->vk, from, 0, to, 0, bytes, commands);
    return transfer_end(s, s->gpu->memory_types.is_mapped, out_value, err);
}

/* ---- reading ---- */

/* Copies in pieces through the two halves of the readback memory: while one is copied out by the
   host, the device fills the other. Called with the read lock and the device lock held. */
static vkr_status read_staged(struct staging *s, struct chunk *chunk, uint64_t offset,
                              uint8_t *data, uint64_t bytes, vkr_error *err)
{
    vkr_status status = VKR_OK;
    uint64_t value[2] = {0}, part[2] = {0}, asked = 0;
    if (!s->readback.buffer)
        status = memory_block_create(s->gpu, 2ull * STAGING_CHUNK, s->gpu->memory_types.readback,
                                     true, &s->readback, err);
    for (uint32_t i = 0; !status && (asked < bytes || part[0] || part[1]); i++) {
        uint32_t half = i % 2;
        if (asked < bytes) {
            struct chunk_place from = chunk_place(chunk, offset + asked);
            part[half] = bytes - asked < STAGING_CHUNK ? bytes - asked : STAGING_CHUNK;
            part[half] = part[half] < from.left ? part[half] : from.left;
            status =
                submit_copy(s, from.piece->block->buffer, from.offset, s->readback.buffer,
                            (uint64_t)half * STAGING_CHUNK, part[half], true, &value[half], err);
            if (status)
                break;
            asked += part[half];
        }
        half = 1 - half;
        if (!part[half])
            continue;
        status = queue_wait(s->queue, value[half], err);
        pthread_mutex_unlock(&s->gpu->lock);
        if (!status)
            memcpy(data, s->readback.mapped + (uint64_t)half * STAGING_CHUNK, part[half]);
        pthread_mutex_lock(&s->gpu->lock);
        data += part[half];
        part[half] = 0;
    }
    return status;
}

vkr_status staging_read(struct staging *s, struct chunk *chunk, uint64_t offset, void *data,
                        uint64_t bytes, uint64_t written, vkr_error *err)
{
    if (!bytes)
        return VKR_OK;
    s->gpu->counters.bytes_downloaded += bytes;
    if (bytes <= s->gpu->memory_types.direct_read) {
        vkr_status status = queue_wait(s->queue, written, err);
        if (!status)
            copy_direct(s, chunk, offset, NULL, data, bytes);
        return status;
    }
    pthread_mutex_unlock(&s->gpu->lock);
    pthread_mutex_lock(&s->read_lock);
    pthread_mutex_lock(&s->gpu->lock);
    vkr_status status = read_staged(s, chunk, offset, data, bytes, err);
    pthread_mutex_unlock(&s->read_lock);
    return status;
}
