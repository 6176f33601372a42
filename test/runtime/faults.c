#include "faults.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/device.h"
#include "../watch/modes.h"
#include "../watch/watch.h"
#include "locks.h"

static atomic_ullong calls, allocations, fail_at;
static atomic_bool fail_all;
static atomic_int fail_result;
static _Atomic(const char *) failed;
static void (*before_open)(struct vkr_device *device);

void faults_arm(uint64_t n, bool all, int result)
{
    atomic_store(&calls, 0);
    atomic_store(&fail_all, all);
    atomic_store(&fail_result, result);
    atomic_store(&failed, NULL);
    atomic_store(&fail_at, n);
}

void faults_before_open(void (*function)(struct vkr_device *device))
{
    before_open = function;
}

uint64_t faults_calls(void)
{
    return atomic_load(&calls);
}

const char *faults_failed(void)
{
    return atomic_load(&failed);
}

uint64_t faults_allocations(void)
{
    return atomic_load(&allocations);
}

bool fault_next(const char *call)
{
    if (!strcmp(call, "host_alloc"))
        atomic_fetch_add(&allocations, 1);
    uint64_t n = atomic_fetch_add(&calls, 1) + 1, at = atomic_load(&fail_at);
    if (!at || n < at || (n > at && !atomic_load(&fail_all)))
        return false;
    if (!atomic_load(&failed))
        atomic_store(&failed, call);
    return true;
}

int fault_result(void)
{
    return atomic_load(&fail_result);
}

void fault_device(struct vkr_device *device)
{
    if (before_open)
        before_open(device);
    if (!modes_has("unwatched")) {
        watch_attach(device);
        locks_watch(device);
    }
    modes_apply(device, NULL);
}

/* Drivers and layers stay loaded, so that the leak checker can name where their blocks came
   from, and lsan.supp can tell them from ours. Replaces libc's dlclose for the Vulkan loader
   too. */
int dlclose(void *library);
int dlclose(void *library)
{
    (void)library;
    return 0;
}
