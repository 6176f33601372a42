/* The parts of floats and complex numbers, which are pairs of them. */
#ifndef E2E_PERTURB_PARTS_H
#define E2E_PERTURB_PARTS_H

#include <math.h>

#include "interp/interp_impl.h"
#include "base/num.h"

static inline enum vkc_type part_type(enum vkc_type t)
{
    return t == TYPE_C64 ? TYPE_F32 : t == TYPE_C128 ? TYPE_F64 : t;
}

static inline int64_t parts_of(const struct array *x)
{
    return shape_size(&x->tensor.shape) * (type_is_complex(x->tensor.type) ? 2 : 1);
}

static inline double part_load(const struct array *x, int64_t i)
{
    return number_load(part_type(x->tensor.type), x->data, i).f;
}

static inline void part_store(struct array *x, int64_t i, double value)
{
    number_store(part_type(x->tensor.type), x->data, i, (union number){.f = value});
}

/* Bits of the significand, the hidden one counted. */
static inline int digits_of(enum vkc_type t)
{
    switch (part_type(t)) {
    case TYPE_F64: return 53;
    case TYPE_F32: return 24;
    default: break;
    }
    int digits = 1; /* 1 + 2^-k is a number of the type */
    while (digits < 24 && num_float_round(t, 1 + ldexp(1, -digits)) > 1)
        digits++;
    return digits;
}

static inline double epsilon_of(enum vkc_type t)
{
    return ldexp(1, 1 - digits_of(t));
}

/* The distance to the next number of the type, at least its smallest. */
static inline double ulp_of(enum vkc_type type, double x)
{
    int exponent;
    double least = num_float_decode(type, 1);
    frexp(x, &exponent);
    return x == 0 ? least : fmax(ldexp(1, exponent - digits_of(type)), least);
}

static inline bool is_real_float(const struct array *x)
{
    return type_is_float(x->tensor.type) || type_is_complex(x->tensor.type);
}

/* The magnitude of the number that part i belongs to. */
static inline double magnitude_at(const struct array *x, int64_t i)
{
    return type_is_complex(x->tensor.type)
               ? hypot(part_load(x, i & ~INT64_C(1)), part_load(x, i | 1))
               : fabs(part_load(x, i));
}

#endif
