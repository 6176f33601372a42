#include "queue.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* Busy waiting before sleeping; the CPU device needs the core itself. From POLL_NS on whoever else
   can run goes first. Being woken takes 50 us: a program of 450 us took 506 with 30 us of this. */
#define POLL_NS 30000u
#define POLL_MOST_NS 1000000u
#define WAIT_NS 1000000000ull /* one sleep */
#define WAIT_LIMIT 600u       /* seconds without any progress of the queue before VKR_TIMEOUT */

/* At exit(): nothing more is submitted, and what was, finishes. A lock that nobody gives back is
   not waited for: exit() may be called with it. */
static bool finish_work(void *context)
{
    struct queue *q = context;
    const struct timespec ms = {.tv_nsec = 1000000};
    uint64_t until = queue_now() + AT_EXIT_SECONDS * 1000000000ull;
    while (pthread_mutex_trylock(&q->gpu->lock)) {
        if (queue_now() >= until)
            return false;
        nanosleep(&ms, NULL);
    }
    bool done;
    queue_wait_until(q, q->submitted, until, &done, NULL);
    if (done) /* the driver's thread tidies up behind what it has signalled */
        q->gpu->vk.DeviceWaitIdle(q->gpu->handle);
    pthread_mutex_unlock(&q->gpu->lock);
    return done;
}

vkr_status queue_init(struct queue *q, struct gpu *gpu, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    vkr_status status = VKR_OK;
    q->gpu = gpu;
    vk->GetDeviceQueue(gpu->handle, gpu->family, 0, &q->handle);
    q->at_exit = (struct at_exit_work){.wait = finish_work, .context = q};
    at_exit_add(&q->at_exit);
    if (q->gpu->has_timeline) {
        VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
        VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                      .pNext = &type};
        VK(vk->CreateSemaphore(q->gpu->handle, &info, NULL, &q->timeline));
        return VKR_OK;
    }
    for (uint32_t i = 0; i < QUEUE_FENCES; i++) {
        VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        VK(vk->CreateFence(q->gpu->handle, &info, NULL, &q->fences[i].fence));
    }
out:
    return status;
}

void queue_finish(struct queue *q)
{
    if (!q->gpu)
        return;
    const struct vk *vk = &q->gpu->vk;
    at_exit_remove(&q->at_exit);
    if (q->timeline)
        vk->DestroySemaphore(q->gpu->handle, q->timeline, NULL);
    for (uint32_t i = 0; i < QUEUE_FENCES; i++)
        if (q->fences[i].fence)
            vk->DestroyFence(q->gpu->handle, q->fences[i].fence, NULL);
}

uint64_t queue_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void note_completed(struct queue *q, uint64_t value)
{
    if (value <= q->completed)
        return;
    q->completed = value;
    q->progress_ns = queue_now();
}

/* Asks the device how far it is. */
static VkResult poll_completed(struct queue *q)
{
    const struct vk *vk = &q->gpu->vk;
    if (q->timeline) {
        uint64_t value = 0;
        VkResult result =
            VK_RESULT(vk->GetSemaphoreCounterValue(q->gpu->handle, q->timeline, &value));
        if (result == VK_SUCCESS)
            note_completed(q, value);
        return result;
    }
    for (uint32_t i = 0; i < QUEUE_FENCES; i++) {
        if (q->fences[i].value <= q->completed)
            continue;
        VkResult result = VK_RESULT(vk->GetFenceStatus(q->gpu->handle, q->fences[i].fence));
        if (result == VK_SUCCESS)
            note_completed(q, q->fences[i].value);
        else if (result < 0)
            return result;
    }
    return VK_SUCCESS;
}

bool queue_drain(struct queue *q)
{
    if (q->gpu->vk.DeviceWaitIdle(q->gpu->handle) != VK_SUCCESS)
        return false;
    note_completed(q, q->submitted);
    return true;
}

bool queue_is_done(struct queue *q, uint64_t value)
{
    if (value <= q->completed)
        return true;
    VkResult result = poll_completed(q);
    if (result < 0)
        vk_fail(&q->gpu->vk, result, "polling the queue", __FILE__, __LINE__, NULL);
    return value <= q->completed;
}

/* A fence that no submission and no waiter uses. */
static vkr_status take_fence(struct queue *q, struct queue_fence **out, vkr_error *err)
{
    const struct vk *vk = &q->gpu->vk;
    vkr_status status = VKR_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        for (uint32_t i = 0; i < QUEUE_FENCES; i++) {
            struct queue_fence *f = &q->fences[i];
            if (f->value > q->completed || f->waiters)
                continue;
            if (f->value)
                VK(vk->ResetFences(q->gpu->handle, 1, &f->fence));
            f->value = 0;
            *out = f;
            return VKR_OK;
        }
        VK(vk->DeviceWaitIdle(
            q->gpu->handle)); /* callers throttle first: only a crowd of threads gets here */
        note_completed(q, q->submitted);
    }
    status = error_set(err, VKR_INTERNAL, "no fence is free");
out:
    return status;
}

vkr_status queue_submit(struct queue *q, const VkCommandBuffer *buffers, uint32_t count,
                        uint64_t *out_value, vkr_error *err)
{
    const struct vk *vk = &q->gpu->vk;
    struct queue_fence *fence = NULL;
    uint64_t value = q->submitted + 1;
    VkTimelineSemaphoreSubmitInfo timeline = {.sType =
                                                  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                              .signalSemaphoreValueCount = 1,
                                              .pSignalSemaphoreValues = &value};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = count,
                           .pCommandBuffers = buffers};
    vkr_status status = gpu_check(q->gpu, err);
    if (!status)
        status = at_exit_check(err);
    if (!status && !q->timeline)
        status = take_fence(q, &fence, err);
    if (status)
        goto out;
    if (q->timeline) {
        submit.pNext = &timeline;
        submit.signalSemaphoreCount = 1;
        submit.pSignalSemaphores = &q->timeline;
    }
    VK(vk->QueueSubmit(q->handle, 1, &submit, fence ? fence->fence : VK_NULL_HANDLE));
    if (q->completed == q->submitted)
        q->progress_ns = queue_now(); /* it begins now */
    q->submitted = value;
    if (fence)
        fence->value = value;
    q->gpu->counters.submits++;
    *out_value = value;
out:
    return status;
}

/* Sleeps until the value is reached or the time is up, without the lock. */
static VkResult sleep_until(struct queue *q, struct queue_fence *fence, uint64_t value, uint64_t ns)
{
    const struct vk *vk = &q->gpu->vk;
    if (fence)
        return VK_RESULT(vk->WaitForFences(q->gpu->handle, 1, &fence->fence, VK_TRUE, ns));
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &q->timeline,
                                .pValues = &value};
    return VK_RESULT(vk->WaitSemaphores(q->gpu->handle, &info, ns));
}

/* Busy waits for a while, `ns` at most: a sleep costs more than most kernels take. */
static VkResult spin_until(struct queue *q, uint64_t value, uint64_t ns)
{
    uint64_t start, spent, reached = 0;
    if (q->gpu->info.kind == VKR_CPU || !q->timeline)
        return VK_NOT_READY;
    start = queue_now();
    do {
        VkResult result =
            VK_RESULT(q->gpu->vk.GetSemaphoreCounterValue(q->gpu->handle, q->timeline, &reached));
        if (result != VK_SUCCESS || reached >= value)
            return result;
        spent = queue_now() - start;
        if (spent > POLL_NS)
            sched_yield();
    } while (spent < POLL_MOST_NS && spent < ns);
    return VK_NOT_READY;
}

static struct queue_fence *find_fence(struct queue *q, uint64_t value)
{
    struct queue_fence *found = NULL;
    for (uint32_t i = 0; i < QUEUE_FENCES; i++)
        if (q->fences[i].value >= value && (!found || q->fences[i].value < found->value))
            found = &q->fences[i];
    return found;
}

vkr_status queue_wait_until(struct queue *q, uint64_t value, uint64_t until, bool *out_done,
                            vkr_error *err)
{
    vkr_status status = VKR_OK;
    bool is_first = true;
    uint64_t now;
    *out_done = false;
    while (value > q->completed && !queue_is_done(q, value)) {
        status = gpu_check(q->gpu, err);
        if (status)
            return status;
        now = queue_now();
        if (now >= until)
            return VKR_OK;
        if (now - q->progress_ns > WAIT_LIMIT * 1000000000ull)
            return error_set(err, VKR_TIMEOUT, "the device has finished nothing for %u seconds",
                             WAIT_LIMIT);
        struct queue_fence *fence = q->timeline ? NULL : find_fence(q, value);
        if (!q->timeline && !fence)
            return error_set(err, VKR_INTERNAL, "waiting for a submission that was never made");
        uint64_t fence_value = fence ? fence->value : value;
        if (fence)
            fence->waiters++;
        q->gpu->counters.waits += is_first;
        pthread_mutex_unlock(&q->gpu->lock);
        VkResult result = is_first ? spin_until(q, value, until - now) : VK_NOT_READY;
        if (result == VK_NOT_READY) {
            now = queue_now();
            uint64_t left = until > now ? until - now : 0;
            result = sleep_until(q, fence, value, left < WAIT_NS ? left : WAIT_NS);
        }
        pthread_mutex_lock(&q->gpu->lock);
        if (fence)
            fence->waiters--;
        is_first = false;
        if (result == VK_SUCCESS)
            note_completed(q, fence_value);
        else if (result < 0)
            return vk_fail(&q->gpu->vk, result, "waiting for the queue", __FILE__, __LINE__, err);
    }
    *out_done = true;
    return VKR_OK;
}

vkr_status queue_wait(struct queue *q, uint64_t value, vkr_error *err)
{
    bool done;
    return queue_wait_until(q, value, UINT64_MAX, &done, err);
}

vkr_status queue_throttle(struct queue *q, vkr_error *err)
{
    uint64_t submitted = q->submitted;
    return submitted > QUEUE_IN_FLIGHT ? queue_wait(q, submitted - QUEUE_IN_FLIGHT, err) : VKR_OK;
}
