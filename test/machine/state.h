/* An invocation at work, for the files that execute its instructions. */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include "group.h"

struct state {
    struct group *g;
    const struct spirv_module *m;
    struct thread *t;
    uint32_t index;
};

/* Records the first error. *Returns* false. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool thread_fail(const struct state *s, const char *fmt, ...);

/* An access to a word of shared memory. False with an error. */
bool thread_touch_shared(const struct state *s, uint64_t at, bool writes);

/* The low bits of a word; those as a signed number. */
static inline uint64_t cut(uint64_t x, uint32_t width)
{
    return width < 64 ? x & (((uint64_t)1 << width) - 1) : x;
}
static inline int64_t extend(uint64_t x, uint32_t width)
{
    return width < 64 ? (int64_t)(x << (64 - width)) >> (64 - width) : (int64_t)x;
}

/* Arithmetic, comparisons, conversions and functions. False with an error, for an unknown
   instruction, too. */
bool arithmetic(const struct state *s, const struct spirv_inst *i);

#endif
