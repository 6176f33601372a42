/* $VKR_TEST_MODE, a list of words, takes abilities away from every device: staged (device memory that
   the host cannot see), window (sees it, but moves only small pieces through it), fences (no timeline
   semaphores), rerecord (no update after bind), closed (no memory of the host). So that one CPU device
   stands in for others. */
#include "faults.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/device.h"

static atomic_ullong calls, allocations, fail_at;
static atomic_bool fail_all;
static atomic_int fail_result;
static _Atomic(const char *) failed;

void faults_arm(uint64_t n, bool all, int result)
{
    atomic_store(&calls, 0);
    atomic_store(&fail_all, all);
    atomic_store(&fail_result, result);
    atomic_store(&failed, NULL);
    atomic_store(&fail_at, n);
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

static bool has_mode(const char *word)
{
    const char *modes = getenv("VKR_TEST_MODE");
    return modes && strstr(modes, word);
}

int fault_result(void)
{
    return atomic_load(&fail_result);
}

void fault_device(struct vkr_device *device)
{
    struct memory_choice *memory = &device->memory_types;
    if (has_mode("staged"))
        memory->is_mapped = false, memory->direct_write = memory->direct_read = 0;
    if (has_mode("window"))
        memory->direct_write = 4096, memory->direct_read = 64;
    if (has_mode("staged") || has_mode("window"))
        device->info.kind = VKR_DISCRETE;
    if (has_mode("fences"))
        device->has_timeline = false;
    if (has_mode("rerecord"))
        device->has_update_after_bind = false;
    if (has_mode("closed"))
        device->facts.import_alignment = 0;
}

/* Drivers and layers stay loaded, so that the leak checker can name where their blocks came from, and
   lsan.supp can tell them from ours. Replaces libc's dlclose for the Vulkan loader too. */
int dlclose(void *library);
int dlclose(void *library)
{
    (void)library;
    return 0;
}
