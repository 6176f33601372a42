/* Transforms of a line within one workgroup: how a length is split into short transforms. Shared
   by passes/lower_fft.c, which splits lines that do not fit, and codegen/family/fourier.c. Knows
   no graph. */
#ifndef VKC_TARGET_RADIX_H
#define VKC_TARGET_RADIX_H

#include <stdbool.h>
#include <stdint.h>

#include "vkc.h"

enum { FOURIER_RADIX = 16, FOURIER_PRIME = 13, FOURIER_PASSES = 16 };

/* What a workgroup has. */
struct fourier_limits {
    uint32_t invocations, shared_bytes;
};
static inline struct fourier_limits fourier_limits(const struct vkc_target *t)
{
    return (struct fourier_limits){t->max_invocations, t->max_shared_bytes};
}

/* The lengths of the passes, longest first, of which n is the product: as few as can be, and as
   even. Returns how many; 0 if n has a prime factor above FOURIER_PRIME. */
uint32_t fourier_radices(int64_t n, uint32_t radix[FOURIER_PASSES]);

/* After how many elements shared memory has a gap, so that the threads of a pass are in
   different banks. */
int64_t fourier_gap(int64_t n, uint32_t bytes, struct fourier_limits limits);
/* How many elements of shared memory a line takes. */
int64_t fourier_pitch(int64_t n, uint32_t bytes, struct fourier_limits limits);

/* Whether a line of `n` complex numbers of `bytes` each is one workgroup's work. */
bool fourier_fits(int64_t n, uint32_t bytes, struct fourier_limits limits);

/* e^(-2 pi i k / n), or its conjugate; exact where a part is 0 or 1, and as symmetric as the
   circle. */
struct root {
    long double re, im;
};
struct root fourier_root(int64_t k, int64_t n, bool inverse);

#endif
