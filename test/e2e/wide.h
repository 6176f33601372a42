/* Elements of matrices of any type as wide complex numbers, for tests of decompositions. */
#ifndef E2E_WIDE_H
#define E2E_WIDE_H

#include <complex.h>
#include <math.h>

#include "interp/interp_impl.h"

typedef long double complex wide;

static inline wide load(enum vkc_type t, const void *data, int64_t i)
{
    union number x = number_load(t, data, i);
    return type_is_complex(t) ? (wide)x.c : (wide)x.f;
}

static inline void save(enum vkc_type t, void *data, int64_t i, wide x)
{
    union number n = {.f = (double)creall(x)};
    if (type_is_complex(t))
        n.c = complex_of((double)creall(x), (double)cimagl(x));
    number_store(t, data, i, n);
}

/* Unit roundoff: half the distance from 1 to the next number. */
static inline long double roundoff_of(enum vkc_type t)
{
    return ldexpl(1, type_bytes(type_part(t)) == 8 ? -53
                     : t == TYPE_F16               ? -11
                     : t == TYPE_BF16              ? -8
                                                   : -24);
}

/* From -1 to 1. */
static inline double unit(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 11) / 9007199254740992.0 * 2 - 1;
}

#endif
