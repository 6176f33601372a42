/* The queue over a device and a clock of this file: a device that finishes, fails and answers as a
   case says, and a clock that passes only when it is read or slept by. What the queue asks the
   device, when it polls, sleeps and gives up, and whether the lock is free meanwhile. Once with a
   timeline, once with fences, on a CPU and on a GPU. */
#include <time.h>

#include "../../runtime/queue.h"
#include "harness.h"

enum { LIMIT_SECONDS = 600, SECOND = 1000000000, MOST = 256 };

static struct gpu gpu;
static struct queue queue;

/* ---- the clock ---- */

static struct timespec time_at = {1000, 999000000};

static void pass(uint64_t ns)
{
    time_at.tv_nsec += (long)(ns % SECOND);
    time_at.tv_sec += (time_t)(ns / SECOND) + time_at.tv_nsec / SECOND;
    time_at.tv_nsec %= SECOND;
}

/* In place of the C library's: a reading takes a microsecond. */
int clock_gettime(clockid_t id, struct timespec *out)
{
    (void)id;
    *out = time_at;
    pass(1000);
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)left;
    pass((uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec);
    return 0;
}

static uint32_t yields;

int sched_yield(void)
{
    yields++;
    return 0;
}

/* What queue_now will say. */
static uint64_t now(void)
{
    return (uint64_t)time_at.tv_sec * SECOND + (uint64_t)time_at.tv_nsec;
}

/* ---- the device ---- */

/* The device: submissions end when `reached` comes to their value. */
static struct {
    uint64_t reached, given[MOST]; /* value, or of a fence the submission that signals it */
    uint32_t nfences, destroyed, resets, polls, sleeps, idles, submits;
    uint64_t asked_value, asked_ns; /* of the last sleep */
    uint64_t reach_at_poll, reach;  /* from that poll on it has reached that */
    uint32_t timeouts;              /* sleeps that end without success */
    VkResult poll_result, sleep_result, idle_result, submit_result;
    uint32_t fail_fence;     /* the nth is not made */
    bool was_free, was_held; /* the lock, in all sleeps, and in the first poll */
    void (*while_asleep)(void);
} device;

/* Whether nobody holds the lock. */
static bool lock_is_free(void)
{
    int result = pthread_mutex_trylock(&gpu.lock);
    if (!result)
        pthread_mutex_unlock(&gpu.lock);
    return !result;
}

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice d, uint32_t family, uint32_t i, VkQueue *out)
{
    (void)d;
    CHECK(family == 5 && i == 0, "queue %u of family %u", i, family);
    *out = (VkQueue)&device;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice d,
                                                       const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *a,
                                                       VkSemaphore *out)
{
    (void)d, (void)info, (void)a;
    *out = (VkSemaphore)(uintptr_t)&device;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice d, VkSemaphore s,
                                                    const VkAllocationCallbacks *a)
{
    (void)d, (void)a, (void)s;
    device.destroyed++;
}

/* Fences are numbers from 1. */
static VKAPI_ATTR VkResult VKAPI_CALL create_fence(VkDevice d, const VkFenceCreateInfo *info,
                                                   const VkAllocationCallbacks *a, VkFence *out)
{
    (void)d, (void)info, (void)a;
    if (device.fail_fence && device.nfences + 1 == device.fail_fence)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *out = (VkFence)(uintptr_t)++device.nfences;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_fence(VkDevice d, VkFence f,
                                                const VkAllocationCallbacks *a)
{
    (void)d, (void)a, (void)f;
    device.destroyed++;
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue q, uint32_t n, const VkSubmitInfo *info,
                                             VkFence fence)
{
    const VkTimelineSemaphoreSubmitInfo *timeline = info->pNext;
    CHECK(q == (VkQueue)&device && n == 1, "one batch");
    if (device.submit_result)
        return device.submit_result;
    uint64_t value = ++device.submits;
    if (fence) {
        CHECK(!timeline && !info->signalSemaphoreCount, "a fence only");
        CHECK(!device.given[(uintptr_t)fence], "fence %u is in use", (unsigned)(uintptr_t)fence);
        device.given[(uintptr_t)fence] = value;
    } else {
        CHECK(timeline && info->signalSemaphoreCount == 1 &&
                  timeline->signalSemaphoreValueCount == 1 &&
                  timeline->pSignalSemaphoreValues[0] == value,
              "submission %llu signals another value", (unsigned long long)value);
    }
    return VK_SUCCESS;
}

static void note_poll(void)
{
    if (device.polls++ == 0)
        device.was_held = !lock_is_free();
    if (device.reach_at_poll && device.polls >= device.reach_at_poll)
        device.reached = device.reach;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_counter(VkDevice d, VkSemaphore s, uint64_t *out)
{
    (void)d, (void)s;
    note_poll();
    *out = device.reached;
    return device.polls > 1 || !device.reach_at_poll ? device.poll_result : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice d, VkFence fence)
{
    (void)d;
    note_poll();
    if (device.poll_result)
        return device.poll_result;
    return device.given[(uintptr_t)fence] <= device.reached ? VK_SUCCESS : VK_NOT_READY;
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_fences(VkDevice d, uint32_t n, const VkFence *fences)
{
    (void)d;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *value = &device.given[(uintptr_t)fences[i]];
        CHECK(*value && *value <= device.reached, "a fence that is not signalled is reset");
        *value = 0;
        device.resets++;
    }
    return VK_SUCCESS;
}

static VkResult sleep_for(uint64_t value, uint64_t ns)
{
    device.sleeps++;
    device.asked_value = value, device.asked_ns = ns;
    device.was_free &= lock_is_free();
    if (device.while_asleep)
        device.while_asleep();
    if (device.sleep_result)
        return device.sleep_result;
    if (device.timeouts) {
        pass(ns);
        device.timeouts--;
        return VK_TIMEOUT;
    }
    device.reached = value > device.reached ? value : device.reached;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice d, const VkSemaphoreWaitInfo *info,
                                                      uint64_t ns)
{
    (void)d;
    CHECK(info->semaphoreCount == 1, "%u semaphores", info->semaphoreCount);
    return sleep_for(info->pValues[0], ns);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_fences(VkDevice d, uint32_t n, const VkFence *fences,
                                                  VkBool32 all, uint64_t ns)
{
    (void)d, (void)all;
    CHECK(n == 1, "%u fences", n);
    return sleep_for(device.given[(uintptr_t)fences[0]], ns);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkDevice d)
{
    (void)d;
    device.idles++;
    if (!device.idle_result)
        device.reached = device.submits;
    return device.idle_result;
}

/* ---- opening ---- */

static bool has_timeline, is_cpu;

static vkr_status begin(vkr_error *err)
{
    memset(&device, 0, sizeof device);
    memset(&queue, 0, sizeof queue);
    memset(&gpu, 0, sizeof gpu);
    device.was_free = true;
    pthread_mutex_init(&gpu.lock, NULL);
    gpu.vk = (struct vk){.GetDeviceQueue = get_queue,
                         .CreateSemaphore = create_semaphore,
                         .DestroySemaphore = destroy_semaphore,
                         .CreateFence = create_fence,
                         .DestroyFence = destroy_fence,
                         .QueueSubmit = submit,
                         .GetSemaphoreCounterValue = get_counter,
                         .GetFenceStatus = fence_status,
                         .ResetFences = reset_fences,
                         .WaitSemaphores = wait_semaphores,
                         .WaitForFences = wait_fences,
                         .DeviceWaitIdle = wait_idle,
                         .is_lost = &gpu.is_lost};
    gpu.has_timeline = has_timeline;
    gpu.family = 5;
    gpu.info.kind = is_cpu ? VKR_CPU : VKR_DISCRETE;
    vkr_status status = queue_init(&queue, &gpu, err);
    pthread_mutex_lock(&gpu.lock);
    return status;
}

static void end(void)
{
    CHECK(!lock_is_free(), "the lock is held as before");
    pthread_mutex_unlock(&gpu.lock);
    queue_finish(&queue);
    pthread_mutex_destroy(&gpu.lock);
    CHECK(device.destroyed == (has_timeline ? 1 : device.nfences), "%u are destroyed",
          device.destroyed);
}

/* So many submissions. */
static void submit_all(uint32_t count)
{
    VkCommandBuffer none = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = 0, before = queue.submitted, counted = gpu.counters.submits;
        OK(queue_submit(&queue, &none, 1, &value, err));
        CHECK(value == before + 1 && queue.submitted == value && value == device.submits,
              "submission %llu", (unsigned long long)value);
        CHECK(gpu.counters.submits == counted + 1, "%llu are counted",
              (unsigned long long)gpu.counters.submits);
    }
}

/* ---- cases ---- */

static void test_now(void)
{
    for (int i = 0; i < 3; i++) {
        uint64_t wanted = now(), found = queue_now();
        CHECK(found == wanted, "%llu", (unsigned long long)found);
        pass((uint64_t)SECOND / 3);
    }
}

static void test_done(void)
{
    begin(NULL);
    CHECK(queue_is_done(&queue, 0) && !device.polls, "nothing is done without asking");
    submit_all(3);
    device.reached = 2;
    CHECK(!queue_is_done(&queue, 3), "the last is not done");
    uint32_t polls = device.polls;
    CHECK(polls > 0 && device.was_held, "it was asked, with the lock held");
    CHECK(queue_is_done(&queue, 2) && queue_is_done(&queue, 1) && device.polls == polls,
          "what is known is not asked for");
    device.reached = 3;
    CHECK(queue_is_done(&queue, 3), "the last is done");
    submit_all(1);
    device.poll_result = VK_ERROR_DEVICE_LOST;
    CHECK(!queue_is_done(&queue, 4) && atomic_load(&gpu.is_lost), "the device is lost");
    uint64_t value;
    FAILS(queue_submit(&queue, NULL, 0, &value, err), VKR_DEVICE_LOST, "lost");
    FAILS(queue_wait(&queue, 4, err), VKR_DEVICE_LOST, "lost");
    CHECK(device.submits == 4 && !device.sleeps, "a lost device is left alone");
    end();
}

/* A GPU is polled for a while before the thread sleeps, and a CPU, which needs the core, is not;
   nor are fences. */
static void test_spin(void)
{
    bool spins = has_timeline && !is_cpu;
    for (uint32_t at = has_timeline ? 2 : 3; at <= 5; at++) /* two fences were asked before */
        for (uint32_t beyond = 0; beyond < 2; beyond++) {
            begin(NULL);
            submit_all(2);
            device.reach_at_poll = at, device.reach = 1 + beyond;
            OK(queue_wait(&queue, 1, err));
            CHECK(device.sleeps == !spins && device.was_free, "poll %u: %u sleeps", at,
                  device.sleeps);
            CHECK(!spins || device.polls == at, "poll %u: %u polls", at, device.polls);
            CHECK(queue_is_done(&queue, 1), "it is done");
            CHECK(gpu.counters.waits == 1, "%llu waits", (unsigned long long)gpu.counters.waits);
            end();
        }
    begin(NULL);
    submit_all(2);
    device.reached = 1; /* one less than is waited for */
    device.timeouts = 2;
    yields = 0;
    OK(queue_wait(&queue, 2, err));
    CHECK(device.sleeps == 3, "%u sleeps", device.sleeps);
    /* each sleep but the last leads to another poll */
    CHECK(spins ? device.polls > 500 + 3 && device.polls < 1100 : device.polls <= 2 * 3,
          "%u polls before it sleeps", device.polls);
    CHECK(spins ? yields + 10 < device.polls && yields + 100 > device.polls : !yields,
          "%u of %u polls let others run first", yields, device.polls);
    CHECK(gpu.counters.waits == 1, "%llu waits", (unsigned long long)gpu.counters.waits);
    end();
    if (!spins)
        return;
    begin(NULL);
    submit_all(1);
    device.reach_at_poll = 1000000, device.poll_result = VK_ERROR_DEVICE_LOST;
    FAILS(queue_wait(&queue, 1, err), VKR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST");
    CHECK(device.polls == 2 && !device.sleeps, "%u polls, %u sleeps", device.polls, device.sleeps);
    end();
}

/* Sleeps are of a second at most, and of no more than is left. */
static void test_until(void)
{
    begin(NULL);
    submit_all(2);
    bool done = true;
    OK(queue_wait_until(&queue, 2, queue_now(), &done, err));
    CHECK(!done && !device.sleeps && !gpu.counters.waits, "no time is left");
    device.timeouts = 1000;
    uint64_t until = queue_now() + 30000000;
    OK(queue_wait_until(&queue, 2, until, &done, err));
    CHECK(!done && device.sleeps == 1 && device.asked_ns <= 30000000,
          "%u sleeps, the last of %llu ns", device.sleeps, (unsigned long long)device.asked_ns);
    CHECK(now() >= until && now() < until + 1000000, "it was called late");
    device.timeouts = 3, device.sleeps = 0;
    OK(queue_wait_until(&queue, 2, UINT64_MAX, &done, err));
    CHECK(done && device.sleeps == 4 && device.asked_ns == SECOND && device.asked_value == 2,
          "%u sleeps, the last of %llu ns for %llu", device.sleeps,
          (unsigned long long)device.asked_ns, (unsigned long long)device.asked_value);
    CHECK(device.was_free, "the lock is free meanwhile");
    OK(queue_wait_until(&queue, 2, 0, &done, err));
    CHECK(done && device.sleeps == 4, "what is done needs no time");
    submit_all(1);
    device.sleep_result = VK_ERROR_DEVICE_LOST;
    FAILS(queue_wait_until(&queue, 3, UINT64_MAX, &done, err), VKR_DEVICE_LOST, "waiting");
    CHECK(!done, "it is not done");
    end();
}

/* Ten minutes without anything that ends. */
static void test_no_progress(void)
{
    const uint64_t limit = (uint64_t)LIMIT_SECONDS * SECOND;
    begin(NULL);
    submit_all(2);
    queue.progress_ns = now() - limit; /* when it is asked */
    OK(queue_wait(&queue, 1, err));
    CHECK(now() - queue.progress_ns < SECOND, "that was progress");
    queue.progress_ns = now() - limit - 1;
    submit_all(1); /* the queue was not idle: it does not begin now */
    FAILS(queue_wait(&queue, 3, err), VKR_TIMEOUT, "600 seconds");
    CHECK(!atomic_load(&gpu.is_lost), "the device is not lost");
    device.reached = 3;
    OK(queue_wait(&queue, 3, err));
    queue.progress_ns = 0;
    submit_all(1);
    OK(queue_wait(&queue, 4, err));
    /* what was known before is no news */
    uint64_t then = queue.progress_ns = now() - SECOND;
    queue_is_done(&queue, 5);
    CHECK(queue.progress_ns == then, "progress without a submission that ends");
    end();
}

static void test_throttle(void)
{
    begin(NULL);
    submit_all(QUEUE_IN_FLIGHT);
    OK(queue_throttle(&queue, err));
    CHECK(!device.sleeps, "%u may be in flight", QUEUE_IN_FLIGHT);
    submit_all(1);
    OK(queue_throttle(&queue, err));
    CHECK(device.sleeps == 1 && device.asked_value == 1 && device.reached == 1,
          "waits for %llu, the first", (unsigned long long)device.asked_value);
    submit_all(3);
    OK(queue_throttle(&queue, err));
    CHECK(device.asked_value == 4, "waits for %llu", (unsigned long long)device.asked_value);
    end();
}

static void test_drain(void)
{
    begin(NULL);
    submit_all(3);
    device.idle_result = VK_ERROR_DEVICE_LOST;
    CHECK(!queue_drain(&queue) && queue.completed == 0, "a device that cannot be waited for");
    device.idle_result = VK_SUCCESS;
    CHECK(queue_drain(&queue) && queue_is_done(&queue, 3) && !device.polls, "all is done");
    end();
}

/* A submission that fails has never been. */
static void test_refused(void)
{
    uint64_t value = 77;
    begin(NULL);
    submit_all(1);
    device.submit_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (int i = 0; i < 100; i++)
        FAILS(queue_submit(&queue, NULL, 0, &value, err), VKR_OUT_OF_DEVICE_MEMORY, "");
    CHECK(value == 77 && queue.submitted == 1 && gpu.counters.submits == 1, "it has no value");
    device.submit_result = VK_SUCCESS;
    submit_all(2);
    CHECK(!device.idles, "fences of what failed are free");
    end();
}

/* At exit() everything that was submitted is waited for, and the lock is given back. */
static void test_at_exit(void)
{
    begin(NULL);
    submit_all(5);
    pthread_mutex_unlock(&gpu.lock);
    CHECK(queue.at_exit.wait(queue.at_exit.context), "it was waited for");
    CHECK(lock_is_free() && device.reached == 5, "up to %llu", (unsigned long long)device.reached);
    pthread_mutex_lock(&gpu.lock);
    submit_all(1);
    device.sleep_result = VK_ERROR_DEVICE_LOST;
    pthread_mutex_unlock(&gpu.lock);
    CHECK(!queue.at_exit.wait(queue.at_exit.context), "a lost device does not end");
    CHECK(lock_is_free(), "the lock is given back");
    pthread_mutex_lock(&gpu.lock);
    end();

    /* exit() may be called with the lock, or while a device hangs */
    for (int hangs = 0; hangs < 2; hangs++) {
        begin(NULL);
        submit_all(1);
        device.timeouts = 1000;
        if (hangs)
            pthread_mutex_unlock(&gpu.lock);
        uint64_t start = now();
        CHECK(!queue.at_exit.wait(queue.at_exit.context), "it did not end");
        uint64_t seconds = (now() - start) / SECOND;
        CHECK(seconds >= AT_EXIT_SECONDS - 1 && seconds <= AT_EXIT_SECONDS + 1,
              "%llu seconds were waited", (unsigned long long)seconds);
        CHECK(lock_is_free() == hangs, "the lock is as before");
        if (hangs)
            pthread_mutex_lock(&gpu.lock);
        end();
    }
}

/* ---- fences ---- */

static uint64_t waited_for;

/* Others submit as many as there are fences, while one waits. */
static void submit_meanwhile(void)
{
    device.while_asleep = NULL;
    pthread_mutex_lock(&gpu.lock);
    submit_all(QUEUE_FENCES + 3);
    CHECK(device.given[1] == waited_for, "the fence that is waited for was given away");
    pthread_mutex_unlock(&gpu.lock);
}

static void test_fences(void)
{
    begin(NULL);
    submit_all(QUEUE_FENCES);
    CHECK(!device.idles && !device.resets, "a new fence each");
    submit_all(1);
    CHECK(device.idles == 1 && device.resets == 1, "%u idles, %u resets", device.idles,
          device.resets);
    CHECK(queue_is_done(&queue, QUEUE_FENCES), "after that all before it are done");
    submit_all(QUEUE_FENCES - 1);
    CHECK(device.idles == 1 && device.resets == QUEUE_FENCES, "%u idles, %u resets", device.idles,
          device.resets);
    uint64_t first = queue.submitted - QUEUE_FENCES;
    for (uint64_t value = first + 1; value < first + 9; value++) { /* each by its own fence */
        OK(queue_wait(&queue, value, err));
        CHECK(device.asked_value == value, "waits for %llu instead of %llu",
              (unsigned long long)device.asked_value, (unsigned long long)value);
    }
    FAILS(queue_wait(&queue, queue.submitted + 1, err), VKR_INTERNAL, "never made");
    end();

    begin(NULL);
    submit_all(1);
    waited_for = 1;
    device.while_asleep = submit_meanwhile;
    OK(queue_wait(&queue, 1, err));
    submit_all(QUEUE_FENCES);
    CHECK(device.given[1] > 1, "the fence is used again");
    end();

    begin(NULL);
    submit_all(QUEUE_FENCES);
    uint64_t value;
    for (uint32_t i = 0; i < QUEUE_FENCES; i++)
        queue.fences[i].waiters = 1;
    FAILS(queue_submit(&queue, NULL, 0, &value, err), VKR_INTERNAL, "no fence");
    CHECK(device.idles <= 2, "%u idles for a fence that never is free", device.idles);
    queue.fences[7].waiters = 0;
    submit_all(1);
    for (uint32_t i = 0; i < QUEUE_FENCES; i++)
        queue.fences[i].waiters = 0;
    device.idle_result = VK_ERROR_DEVICE_LOST;
    submit_all(QUEUE_FENCES - 1);
    FAILS(queue_submit(&queue, NULL, 0, &value, err), VKR_DEVICE_LOST, "DeviceWaitIdle");
    end();
}

/* One of them cannot be made. */
static void test_fence_fails(void)
{
    for (uint32_t nth = 1; nth <= QUEUE_FENCES; nth += 21) {
        memset(&device, 0, sizeof device);
        memset(&queue, 0, sizeof queue);
        memset(&gpu, 0, sizeof gpu);
        device.fail_fence = nth;
        gpu.family = 5;
        gpu.vk = (struct vk){.GetDeviceQueue = get_queue,
                             .CreateFence = create_fence,
                             .DestroyFence = destroy_fence};
        FAILS(queue_init(&queue, &gpu, err), VKR_OUT_OF_HOST_MEMORY, "CreateFence");
        queue_finish(&queue);
        CHECK(device.nfences == nth - 1 && device.destroyed == nth - 1, "%u of %u are destroyed",
              device.destroyed, device.nfences);
    }
    queue_finish(&(struct queue){0});
}

int main(void)
{
    for (int kind = 0; kind < 4; kind++) {
        has_timeline = kind < 2, is_cpu = kind % 2;
        RUN(test_done());
        RUN(test_spin());
        RUN(test_until());
        RUN(test_no_progress());
        RUN(test_throttle());
        RUN(test_drain());
        RUN(test_refused());
        RUN(test_at_exit());
    }
    RUN(test_now());
    RUN(test_fences());
    RUN(test_fence_fails());
    return harness_report();
}
