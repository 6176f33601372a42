/* What the errors of a transform depend on: how many additions, and how large the line's elements
   are (see perturb.h). */
#ifndef E2E_PERTURB_FFT_H
#define E2E_PERTURB_FFT_H

#include "perturb_parts.h"

/* How many additions of rounding errors a transform of n takes: one for each factor 2, and more
   for a prime p, whose sum of p terms is serial. Primes that have no code of their own make it a
   convolution, of three transforms of up to 4 n. */
double fft_stages(int64_t n);
/* An element of a line of n, `stride` apart, as a squared magnitude. */
double fft_square_at(const struct array *x, int64_t first, int64_t stride, int64_t k);
/* The greatest mean of squared magnitudes that a residue class of k modulo a divisor of n has:
   the squares of what is rounded on the way to element k are on average those of such a class,
   in every decomposition of n. `sums` and `most` have room for n. */
void fft_class_means(const struct array *x, int64_t first, int64_t stride, int64_t n, double *sums,
                     double *most);
/* Whether a partial sum of a line may overflow: none is above the sum of the magnitudes and what
   it is rounded up by. A convolution adds up to 4 n of them. */
bool fft_overflows(const struct array *in, enum vkc_type type, int64_t first, int64_t stride,
                   int64_t count, int64_t n);
/* The greatest magnitude of a line. */
double fft_peak(const struct array *x, int64_t first, int64_t stride, int64_t n);

#endif
