/* Submissions: replayed as they are made, and known to be finished when the host has seen it. A
   device that is late gets them when the host waits. */
#include "watch_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is unfinished ---- */

static struct unfinished *add(struct watch *w)
{
    if (w->nunfinished == w->unfinished_capacity) {
        size_t capacity = w->unfinished_capacity ? 2 * w->unfinished_capacity : 64;
        struct unfinished *bigger = realloc(w->unfinished, capacity * sizeof *bigger);
        if (!bigger)
            abort();
        w->unfinished = bigger;
        w->unfinished_capacity = capacity;
    }
    struct unfinished *u = &w->unfinished[w->nunfinished++];
    *u = (struct unfinished){.serial = ++w->submitted};
    if (w->nunfinished > w->most_unfinished)
        w->most_unfinished = w->nunfinished;
    return u;
}

/* Whatever was submitted up to this one is done: a queue's signals come in order. */
static void finish(struct watch *w, uint64_t serial)
{
    size_t n = 0;
    while (n < w->nunfinished && w->unfinished[n].serial <= serial)
        free(w->unfinished[n++].commands);
    if (n) /* there may be no array yet */
        memmove(w->unfinished, w->unfinished + n, (w->nunfinished - n) * sizeof *w->unfinished);
    w->nunfinished -= n;
    if (serial > w->completed)
        w->completed = serial;
}

/* The submissions that a wait for this value is about: serial of the last of them; 0 if they are
   done. */
static uint64_t serial_of_value(const struct watch *w, VkSemaphore semaphore, uint64_t value)
{
    for (size_t i = 0; i < w->nunfinished; i++)
        if (w->unfinished[i].semaphore == semaphore && w->unfinished[i].value >= value)
            return w->unfinished[i].serial;
    return 0;
}

/* The submissions whose value was reached. */
static uint64_t serial_at_most(const struct watch *w, VkSemaphore semaphore, uint64_t value)
{
    uint64_t serial = 0;
    for (size_t i = 0; i < w->nunfinished; i++)
        if (w->unfinished[i].semaphore == semaphore && w->unfinished[i].value <= value)
            serial = w->unfinished[i].serial;
    return serial;
}

static uint64_t serial_of_fence(const struct watch *w, VkFence fence)
{
    for (size_t i = 0; i < w->nunfinished; i++)
        if (w->unfinished[i].fence == fence)
            return w->unfinished[i].serial;
    return 0;
}

void watch_queue_finish(struct watch *w)
{
    finish(w, UINT64_MAX);
    free(w->unfinished);
}

/* ---- submitting ---- */

static VkResult submit_really(struct watch *w, const VkCommandBuffer *commands, uint32_t count,
                              VkSemaphore semaphore, uint64_t value, VkFence fence)
{
    VkTimelineSemaphoreSubmitInfo timeline = {.sType =
                                                  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                              .signalSemaphoreValueCount = 1,
                                              .pSignalSemaphoreValues = &value};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = count,
                           .pCommandBuffers = commands};
    if (semaphore) {
        submit.pNext = &timeline;
        submit.signalSemaphoreCount = 1;
        submit.pSignalSemaphores = &semaphore;
    }
    return w->real.QueueSubmit(w->queue, 1, &submit, fence);
}

/* Lets the device have what it was kept from, up to this submission. */
static VkResult let_go(struct watch *w, uint64_t serial)
{
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < w->nunfinished && w->unfinished[i].serial <= serial; i++) {
        struct unfinished *u = &w->unfinished[i];
        if (!u->commands)
            continue;
        VkResult one = submit_really(w, u->commands, u->count, u->semaphore, u->value, u->fence);
        result = one < 0 ? one : result;
        free(u->commands);
        u->commands = NULL;
    }
    return result;
}

ENTRY(VkResult) submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of_queue(queue);
    const VkSubmitInfo *info = submits;
    const VkTimelineSemaphoreSubmitInfo *timeline = info->pNext;
    VkSemaphore semaphore =
        info->signalSemaphoreCount ? info->pSignalSemaphores[0] : VK_NULL_HANDLE;
    uint64_t value = semaphore ? timeline->pSignalSemaphoreValues[0] : 0;
    VkResult result = VK_SUCCESS;
    if (count != 1 || info->waitSemaphoreCount || info->signalSemaphoreCount > 1)
        watch_report("the watch knows submissions of one batch, with one signal and no wait, only");
    if (!w->is_late) {
        result = let_go(w, UINT64_MAX);
        if (result == VK_SUCCESS)
            result = submit_really(w, info->pCommandBuffers, info->commandBufferCount, semaphore,
                                   value, fence);
    }
    if (result == VK_SUCCESS) {
        struct unfinished *u = add(w);
        u->semaphore = semaphore;
        u->value = value;
        u->fence = fence;
        if (w->is_late) {
            u->count = info->commandBufferCount;
            u->commands = calloc(u->count + 1, sizeof *u->commands);
            if (!u->commands)
                abort();
            memcpy(u->commands, info->pCommandBuffers, u->count * sizeof *u->commands);
        }
        uint64_t serial = u->serial;
        for (uint32_t i = 0; i < info->commandBufferCount; i++)
            watch_commands_replay(w, info->pCommandBuffers[i], serial);
    }
    pthread_mutex_unlock(&watch_lock);
    return result;
}

/* ---- waiting ---- */

ENTRY(VkResult) wait_semaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t ns)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    uint64_t serial = serial_of_value(w, info->pSemaphores[0], info->pValues[0]);
    VkResult result = let_go(w, serial);
    PFN_vkWaitSemaphores real = w->real.WaitSemaphores;
    pthread_mutex_unlock(&watch_lock);
    if (result == VK_SUCCESS)
        result = real(device, info, ns);
    pthread_mutex_lock(&watch_lock);
    if (result == VK_SUCCESS)
        finish(w, serial);
    pthread_mutex_unlock(&watch_lock);
    return result;
}

ENTRY(VkResult) get_counter(VkDevice device, VkSemaphore semaphore, uint64_t *out)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    VkResult result = w->real.GetSemaphoreCounterValue(device, semaphore, out);
    if (result == VK_SUCCESS)
        finish(w, serial_at_most(w, semaphore, *out));
    pthread_mutex_unlock(&watch_lock);
    return result;
}

ENTRY(VkResult)
wait_fences(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t ns)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    uint64_t serial = serial_of_fence(w, fences[0]);
    VkResult result = let_go(w, serial);
    PFN_vkWaitForFences real = w->real.WaitForFences;
    pthread_mutex_unlock(&watch_lock);
    if (result == VK_SUCCESS)
        result = real(device, count, fences, all, ns);
    pthread_mutex_lock(&watch_lock);
    if (result == VK_SUCCESS)
        finish(w, serial);
    pthread_mutex_unlock(&watch_lock);
    return result;
}

ENTRY(VkResult) get_fence(VkDevice device, VkFence fence)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    uint64_t serial = serial_of_fence(w, fence);
    VkResult result = w->real.GetFenceStatus(device, fence);
    if (result == VK_SUCCESS)
        finish(w, serial);
    pthread_mutex_unlock(&watch_lock);
    return result;
}

ENTRY(VkResult) reset_fences(VkDevice device, uint32_t count, const VkFence *fences)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    for (uint32_t i = 0; i < count; i++)
        if (serial_of_fence(w, fences[i]))
            watch_report("a fence is reset that a submission has not signalled");
    VkResult result = w->real.ResetFences(device, count, fences);
    pthread_mutex_unlock(&watch_lock);
    return result;
}

ENTRY(VkResult) wait_idle(VkDevice device)
{
    pthread_mutex_lock(&watch_lock);
    struct watch *w = watch_of(device);
    uint64_t serial = w->submitted;
    VkResult result = let_go(w, serial);
    PFN_vkDeviceWaitIdle real = w->real.DeviceWaitIdle;
    if (result == VK_SUCCESS)
        result = real(device); /* with the lock, since nothing may be submitted meanwhile */
    if (result == VK_SUCCESS)
        finish(w, serial);
    pthread_mutex_unlock(&watch_lock);
    return result;
}

void watch_queue_hook(struct vk *vk)
{
    vk->QueueSubmit = submit;
    if (vk->WaitSemaphores)
        vk->WaitSemaphores = wait_semaphores;
    if (vk->GetSemaphoreCounterValue)
        vk->GetSemaphoreCounterValue = get_counter;
    vk->WaitForFences = wait_fences;
    vk->GetFenceStatus = get_fence;
    vk->ResetFences = reset_fences;
    vk->DeviceWaitIdle = wait_idle;
}
