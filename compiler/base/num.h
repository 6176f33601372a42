/* Numbers as bits: how a value of each Nx type is stored, decoded and rounded. */
#ifndef VKC_NUM_H
#define VKC_NUM_H

#include "base/type.h"

/* The double that a stored float of `type` (f8 .. f64) stands for. Exact. */
double num_float_decode(enum vkc_type type, uint64_t bits);

/* The stored float nearest to `x`, ties to even; overflow gives infinity (f8_e4m3fn: +-448), NaN
   the type's quiet NaN. */
uint64_t num_float_encode(enum vkc_type type, double x);

/* `x` rounded to `type` and back. */
double num_float_round(enum vkc_type type, double x);

/* The low bits of `x`, sign- or zero-extended from the type's width. */
int64_t num_sint_wrap(enum vkc_type type, uint64_t x);
uint64_t num_uint_wrap(enum vkc_type type, uint64_t x);

/* Float to integer: towards zero, saturating, NaN is 0. The result wraps to the type's width. */
int64_t num_to_sint(enum vkc_type type, double x);
uint64_t num_to_uint(enum vkc_type type, double x);

/* For qsort: of uint32_t, the least first. */
int num_compare_u32(const void *a, const void *b);

#endif
