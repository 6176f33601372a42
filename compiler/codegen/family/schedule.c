/* How a kernel is spread over threads: from its sizes and the target, before code is generated.
   In a dispatch of its own, its family decides; as a phase of a workgroup program it takes the
   program's threads. */
#include <stddef.h>

#include "codegen/family/family.h"
#include "codegen/family/schedule.h"

uint32_t schedule_floor(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p * 2 <= most && (int64_t)p * 2 <= n)
        p *= 2;
    return p;
}

uint32_t schedule_ceil(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p < most && (int64_t)p < n)
        p *= 2;
    return p;
}

void schedule_spread(struct kernel *k, int64_t groups)
{
    /* rows of at most 32,768, within every device's 65,535 per dimension, and as even as possible,
       so that few workgroups have nothing to do */
    uint32_t rows = (uint32_t)((groups + 32767) / 32768);
    k->schedule.groups[0] = (uint32_t)((groups + rows - 1) / rows);
    k->schedule.groups[1] = rows;
    k->schedule.groups[2] = 1;
}

/* A phase of a workgroup program, which has its threads. */
static void schedule_phase(const struct unit *u, struct kernel *k)
{
    k->schedule.group = u->workgroup;
    k->schedule.groups[0] = k->schedule.groups[1] = k->schedule.groups[2] = 1;
    if (family_of(k)->schedule_phase)
        family_of(k)->schedule_phase(u, k);
}

void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    if (u->workgroup)
        schedule_phase(u, k);
    else
        family_of(k)->schedule(u, k, most_unroll);
}
