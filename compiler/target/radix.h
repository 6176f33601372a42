/* Transforms of a line within one workgroup: how a length is split into short transforms. Shared
   by passes/lower_fft.c, which splits lines that do not fit, and codegen/family/fourier.c. Knows
   no graph. */
#ifndef VKC_TARGET_RADIX_H
#define VKC_TARGET_RADIX_H

#include <stdbool.h>
#include <stdint.h>

#include "target/tuning.h"
#include "vkc.h"

enum { FOURIER_RADIX = 16, FOURIER_PRIME = 13, FOURIER_PASSES = 16 };

/* What a workgroup has for each of its lines. */
struct fourier_limits {
    uint32_t invocations, shared_bytes;
    bool halves; /* real and imaginary parts go through shared memory one after the other */
};

/* The limits of one line of the fewest that a workgroup has; `across`: neighbouring lines are
   neighbours in memory, not the elements of a line. */
struct fourier_limits fourier_limits(const struct vkc_target *target, const struct tuning *tuning,
                                     uint32_t bytes, bool across);
/* Of an element of `bytes`, those that shared memory has at a time. */
static inline uint32_t fourier_unit(uint32_t bytes, bool halves)
{
    return halves ? bytes / 2 : bytes;
}
/* The fewest lines of a workgroup. */
uint32_t fourier_lines(const struct tuning *tuning, uint32_t bytes, bool across);

/* The lengths of the passes, longest first, of which n is the product: as few as can be, and as
   even. Returns how many; 0 if n has a prime factor above FOURIER_PRIME. */
uint32_t fourier_radices(int64_t n, uint32_t radix[FOURIER_PASSES]);

/* The n roots in the order of the passes, which divide all places among them. A pass with the
   product R of the radices before it, and a radix r, multiplies element i of a butterfly by the
   power i k of the root of R r, k < R. It is at i R + k, so that neighbours read neighbours. */
void fourier_places(int64_t n, int64_t *exponents);

/* How a line lies in shared memory between two passes: a gap of `pad` after each `gap`
   elements. */
struct fourier_exchange {
    int64_t gap, pad;
};
/* How many elements of `unit` bytes shared memory serves at once; of lines side by side those of
   one. */
uint32_t fourier_banks(uint32_t unit, uint32_t lines);
/* The layouts after each pass but the last, for as few conflicts as can be of threads that take
   neighbouring butterflies, where `banks` of them have their turn at once. Returns how many
   elements of shared memory a line takes; if that is above `most`, there are no gaps. */
int64_t fourier_exchanges(int64_t n, uint32_t banks, int64_t most,
                          struct fourier_exchange exchange[FOURIER_PASSES]);

/* Whether a line of `n` complex numbers of `bytes` each is one workgroup's work. */
bool fourier_fits(int64_t n, uint32_t bytes, struct fourier_limits limits);

/* e^(-2 pi i k / n), or its conjugate; exact where a part is 0 or 1, and as symmetric as the
   circle. */
struct root {
    long double re, im;
};
struct root fourier_root(int64_t k, int64_t n, bool inverse);

#endif
