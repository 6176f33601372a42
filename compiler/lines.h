/* Rows that a workgroup holds in shared memory: sorted in runs, merged, or scanned. What lower makes and what
   schedule.c spreads over threads must agree on how much fits. */
#ifndef VKC_LINES_H
#define VKC_LINES_H

#include "ir.h"

/* Neighbouring elements of a thread: sorted, merged or scanned in registers. */
enum { LINES_EACH = 8 };

/* Bytes of shared memory that hold `elements`, of `bytes` each: one in 32 stays free, and a thread may look past
   the end. */
static inline uint32_t lines_slots(uint32_t elements) { return elements + elements / 32 + LINES_EACH + 1; }

/* The most elements, a power of two, that a workgroup of a target can hold when each takes `bytes`. */
static inline uint32_t lines_most(uint32_t invocations, uint32_t shared_bytes, uint32_t bytes)
{
    uint32_t most = LINES_EACH;
    enum { AROUND = 256, MOST_THREADS = 1024 }; /* for what else the kernel shares */
    while (2 * most <= LINES_EACH * invocations && 2 * most <= LINES_EACH * MOST_THREADS && lines_slots(2 * most) * bytes + AROUND <= shared_bytes)
        most *= 2;
    return most;
}

static inline int64_t lines_ceil_power(int64_t n)
{
    int64_t p = LINES_EACH;
    while (p < n)
        p *= 2;
    return p;
}

/* What a node of CLASS_ORDER or CLASS_SCAN works on. */
struct lines {
    int64_t rows, length, inner, run;   /* rows: outer * inner; run: at most length, except in merge_runs */
    int64_t runs;               /* of a row */
    uint32_t words;             /* ORDER: of a key */
    bool reverse;               /* SCAN: places are counted from the end */
    bool order;                 /* ORDER: the place of each element is carried along */
    uint32_t planes;            /* words of the result for an element */
    uint32_t bytes;             /* of an element in shared memory */
};
struct lines lines_of(const struct func *f, const struct node *n);

#endif
