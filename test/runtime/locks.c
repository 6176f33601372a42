#include "locks.h"

#include <stdlib.h>
#include <string.h>

#include "../watch/watch_impl.h"

enum { DEVICES = 16 };

/* `copy` is used under the device's lock only; `device` by whoever looks for a lock. */
static struct watched_lock {
    _Atomic(struct vkr_device *) device;
    bool has_copy;
    struct vkr_device copy;
} locks[DEVICES];

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

void locks_watch(struct vkr_device *device)
{
    for (int i = 0; i < DEVICES; i++) {
        struct vkr_device *nobody = NULL;
        if (atomic_compare_exchange_strong(&locks[i].device, &nobody, device))
            return;
    }
    abort();
}

static struct watched_lock *find(const pthread_mutex_t *mutex)
{
    for (int i = 0; i < DEVICES; i++) {
        const struct vkr_device *device =
            atomic_load_explicit(&locks[i].device, memory_order_relaxed);
        if (device && &device->gpu.lock == mutex)
            return &locks[i];
    }
    return NULL;
}

/* The parts that only the lock guards: staging ends with locks of its own. */
static const struct part {
    const char *name;
    size_t offset, size;
} parts[] = {
#define PART(name)                                                                     \
    {                                                                                  \
#name, offsetof(struct vkr_device, name), sizeof((struct vkr_device *)0)->name \
    }
    PART(gpu.counters),
    PART(queue),
    PART(pool),
    PART(buffers),
    PART(run_serial),
    {"staging", offsetof(struct vkr_device, staging), offsetof(struct staging, upload_lock)},
};

static void taken(const pthread_mutex_t *mutex)
{
    struct watched_lock *l = find(mutex);
    if (!l || !l->has_copy)
        return;
    const char *now = (const char *)atomic_load(&l->device), *then = (const char *)&l->copy;
    l->has_copy = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memcmp(now + parts[i].offset, then + parts[i].offset, parts[i].size)) {
            pthread_mutex_lock(&watch_lock);
            watch_report("%s of a device changed while nobody held its lock", parts[i].name);
            pthread_mutex_unlock(&watch_lock);
        }
}

static void given_up(const pthread_mutex_t *mutex)
{
    struct watched_lock *l = find(mutex);
    if (!l)
        return;
    const char *now = (const char *)atomic_load(&l->device);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        memcpy((char *)&l->copy + parts[i].offset, now + parts[i].offset, parts[i].size);
    l->has_copy = true;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int result = __real_pthread_mutex_lock(mutex);
    taken(mutex);
    return result;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    given_up(mutex);
    return __real_pthread_mutex_unlock(mutex);
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    given_up(mutex);
    int result = __real_pthread_cond_wait(condition, mutex);
    taken(mutex);
    return result;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    struct watched_lock *l = find(mutex);
    if (l) {
        l->has_copy = false;
        atomic_store(&l->device, NULL);
    }
    return __real_pthread_mutex_destroy(mutex);
}
