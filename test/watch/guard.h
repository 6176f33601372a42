/* Guards around what a program may touch. Before a run, all memory of the pool that is nobody's is
   filled with a pattern: what lies behind each tensor, the constants and the arena, the places of
   the arena that no buffer has, and what is free. The arena's buffers and the memory that outputs
   will get are filled, too. As a number of any float type the pattern is NaN, so that reading it
   shows in a result; after the run it must still be there.

   Needs memory that the host sees; elsewhere nothing is checked. Where the host sees a GPU's
   memory over a bus, it fills all, and looks at the ends of each piece only: reading 100 MB
   there takes 10 s. */
#ifndef TEST_WATCH_GUARD_H
#define TEST_WATCH_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../runtime/vkr.h"

struct guard {
    uint64_t serial;        /* of the pool's newest block when it was filled */
    struct guard_sum *sums; /* of what was there, and may not change */
    size_t nsums;
};

/* Leaves room between tensors, and lets kernels reach it. Once, after watch_attach, before the
   device is used. */
void guard_device(vkr_device *device);

/* Before a bundle is loaded: kernels that ask for the length of a buffer must not see the guard
   behind it. */
void guard_bundle(vkr_device *device, const void *bundle, size_t size);

/* Waits for the device, and fills. `inputs` are what the run will get. */
void guard_before(struct guard *g, vkr_program *program, const vkr_buffer *inputs);

/* Waits for the device. False, with what was found in `text`, if the run wrote where it may not,
   or to an input that was not donated. */
bool guard_after(struct guard *g, vkr_program *program, char *text, size_t size);

#endif
