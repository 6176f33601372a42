#include "ir/ops.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/num.h"

#undef I /* of complex.h: here the signed column of the table */

/* ---- the reference meaning of what C has no operator for ---- */

/* C11's CMPLX, which clang 14 lacks. */
static double complex complex_of(double re, double im)
{
    double part[2] = {re, im};
    double complex z;
    memcpy(&z, part, sizeof z);
    return z;
}

#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))
#define REF_CLIP ((a > b ? a : b) < c ? (a > b ? a : b) : c)

static double ref_max(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return a > b ? a : b > a ? b : signbit(a) ? b : a;
}

static double ref_min(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return a < b ? a : b < a ? b : signbit(a) ? a : b;
}

static double ref_sigmoid(double a)
{
    if (a >= 0)
        return (double)(1 / (1 + expl(-(long double)a)));
    long double e = expl(a);
    return (double)(e / (1 + e));
}

/* Winitzki's approximation, which is off by 2e-3 of it at most, then Halley steps on erf (erfc in
   the tail). */
static double ref_erf_inv(double x)
{
    if (isnan(x) || fabs(x) > 1)
        return NAN;
    if (fabs(x) == 1)
        return copysign(INFINITY, x);
    if (x == 0)
        return x;
    const long double pi = acosl(-1), k = 0.147;
    double p = fabs(x);
    long double l = logl((1 - p) * (1 + p)), c = 2 / (pi * k) + l / 2,
                z = p < 0x1p-20 ? p * sqrtl(pi) / 2 : sqrtl(sqrtl(c * c - l / k) - c);
    for (int i = 0; i < 3; i++) {
        long double err = p < 0.5 ? erfl(z) - p : (1 - p) - erfcl(z);
        long double step = err / (2 / sqrtl(pi) * expl(-z * z));
        z -= step / (1 + z * step); /* Halley */
    }
    return copysign((double)z, x);
}

static uint64_t ref_popcount(uint64_t a, uint32_t w)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < w; i++)
        n += (a >> i) & 1;
    return n;
}

static uint64_t ref_clz(uint64_t a, uint32_t w)
{
    uint64_t n = 0;
    while (n < w && !((a >> (w - 1 - n)) & 1))
        n++;
    return n;
}

static int64_t ref_quotient(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? WRAP(0, -, a) : a / b;
}

static int64_t ref_remainder(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static uint64_t ref_upow(uint64_t a, uint64_t b)
{
    uint64_t r = 1;
    for (; b; b >>= 1, a *= a)
        if (b & 1)
            r *= a;
    return r;
}

static int64_t ref_ipow(int64_t a, int64_t b)
{
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
    return (int64_t)ref_upow((uint64_t)a, (uint64_t)b);
}

static uint64_t ref_shl(uint64_t a, int64_t b, uint32_t w)
{
    return b < 0 || b >= (int64_t)w ? 0 : a << b;
}

static int64_t ref_sar(int64_t a, int64_t b, uint32_t w)
{
    return a >> (b < 0 || b >= (int64_t)w ? 63 : b);
}

static uint64_t ref_shr(uint64_t a, uint64_t b, uint32_t w)
{
    return b >= w ? 0 : a >> b;
}

/* The signs of a zero or an infinity beside a NaN that Annex G leaves open. C libraries differ
   in them, and some take them from the NaN. As in shaders/math a NaN counts as positive; sinh
   and asin are odd, cosh is even. */

static double complex ref_csinh(double complex a)
{
    return isinf(creal(a)) && !isfinite(cimag(a)) ? complex_of(creal(a), NAN)
                                                  : (double complex)csinhl(a);
}

static double complex ref_ccosh(double complex a)
{
    double re = creal(a), im = cimag(a);
    if (re == 0 && !isfinite(im))
        return complex_of(NAN, isnan(im) ? re : re * copysign(1, im));
    return isnan(re) && im == 0 ? complex_of(NAN, im) : (double complex)ccoshl(a);
}

static double complex ref_casin(double complex a)
{
    return isinf(creal(a)) && isnan(cimag(a)) ? complex_of(NAN, creal(a))
                                              : (double complex)casinl(a);
}

static double complex ref_cacos(double complex a)
{
    return isinf(creal(a)) && isnan(cimag(a)) ? complex_of(NAN, INFINITY)
                                              : (double complex)cacosl(a);
}

static double complex times_i(double complex a)
{
    return complex_of(-cimag(a), creal(a));
}

static double complex over_i(double complex a)
{
    return complex_of(cimag(a), -creal(a));
}

static double complex ref_cexpm1(double complex a)
{
    long double re = creal(a), im = cimag(a), s = sinl(im / 2);
    if (im == 0)
        return complex_of((double)expm1l(re), cimag(a));
    if (!isfinite(re) || !isfinite(im) || re > 100)
        return complex_of((double)(creall(cexpl(a)) - 1), (double)cimagl(cexpl(a)));
    return complex_of((double)(expm1l(re) * cosl(im) - 2 * s * s), (double)(expl(re) * sinl(im)));
}

/* Near 0 by log1p; where |1 + a| is far from 1 nothing cancels in its square. */
static double complex ref_clog1p(double complex a)
{
    long double re = creal(a), im = cimag(a), r = hypotl(re, im);
    if (r < 0.5L)
        return complex_of((double)(0.5L * log1pl(re * (2 + re) + im * im)),
                          (double)atan2l(im, 1 + re));
    return complex_of((double)logl(hypotl(1 + re, im)), (double)atan2l(im, 1 + re));
}

/* 1 / (1 + e^-a); near the poles the sum is that of two small numbers. */
static double complex ref_csigmoid(double complex a)
{
    bool right = !(creal(a) < 0);
    if (!isfinite(creal(a)) || !isfinite(cimag(a))) {
        long double complex w = cexpl(right ? -(long double complex)a : (long double complex)a);
        return right ? complex_of((double)(1 - creall(w)), (double)-cimagl(w)) : (double complex)w;
    }
    long double re = right ? -(long double)creal(a) : creal(a),
                im = right ? -(long double)cimag(a) : cimag(a);
    long double e = expl(re), c = cosl(im), s = sinl(im), h = cosl(im / 2);
    long double x = 2 * h * h + expm1l(re) * c, y = e * s, n = x * x + y * y, u = right ? 1 : e * c,
                v = right ? 0 : y;
    if (e == 0 && !right) /* signs of what is less than any number: e^a itself */
        return complex_of((double)u, (double)v);
    return complex_of((double)((u * x + v * y) / n), (double)((v * x - u * y) / n));
}

static double complex ref_ccbrt(double complex a)
{
    long double re = creal(a), im = cimag(a), r = cbrtl(hypotl(re, im)), angle = atan2l(im, re) / 3;
    if (isinf(r)) /* as exp(log(a) / 3), whose angle is less than a right one */
        return complex_of(INFINITY, isnan(angle) ? NAN
                                    : angle == 0 ? cimag(a) * 0
                                                 : copysign(INFINITY, cimag(a)));
    return r == 0 ? a : complex_of((double)(r * cosl(angle)), (double)(r * sinl(angle)));
}

/* 1 / sqrt(a); 0 gives infinity, infinity 0. */
static double complex ref_crsqrt(double complex a)
{
    long double complex r = csqrtl(a);
    long double re = creall(r), im = cimagl(r), m = hypotl(re, im);
    if (isinf(creal(a)) || isinf(cimag(a)))
        return complex_of(0, copysign(0, -cimag(a)));
    return a == 0 ? complex_of(INFINITY, NAN)
                  : complex_of((double)(re / m / m), (double)(-im / m / m));
}

static double complex ref_csign(double complex a)
{
    long double m = hypotl(creal(a), cimag(a));
    return m == 0 ? a : complex_of((double)(creal(a) / m), (double)(cimag(a) / m));
}

/* The textbook product: C's operator has its own rules for infinities, which Nx does not follow. */
static double complex ref_cmul(double complex a, double complex b)
{
    return complex_of(creal(a) * creal(b) - cimag(a) * cimag(b),
                      creal(a) * cimag(b) + cimag(a) * creal(b));
}

static double complex ref_cdiv(double complex a, double complex b)
{
    long double u = creal(a), v = cimag(a), x = creal(b), y = cimag(b), n = x * x + y * y;
    return complex_of((double)((u * x + v * y) / n), (double)((v * x - u * y) / n));
}

static double complex ref_cpow(double complex a, double complex b)
{
    if (b == 0)
        return 1;
    if (a == 0)
        return creal(b) > 0 ? 0 : complex_of(NAN, NAN);
    return (double complex)cpowl(a, b);
}

/* ---- one reference function per row and kind ---- */

#define F(glsl, c) (c)
#define I(glsl, c) (c)
#define U(glsl, c) (c)
#define C(glsl, c) (c)
#define NONE 0

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#define OP(id, name, arity, rule, cost, bound, flags, ff, fi, fu, fc, doc)                 \
    static double ref_f_##id(double a, double b, double c)                                 \
    {                                                                                      \
        return (double)(ff);                                                               \
    }                                                                                      \
    static int64_t ref_i_##id(int64_t a, int64_t b, int64_t c, uint32_t w)                 \
    {                                                                                      \
        return (int64_t)(fi);                                                              \
    }                                                                                      \
    static uint64_t ref_u_##id(uint64_t a, uint64_t b, uint64_t c, uint32_t w)             \
    {                                                                                      \
        return (uint64_t)(fu);                                                             \
    }                                                                                      \
    static double complex ref_c_##id(double complex a, double complex b, double complex c) \
    {                                                                                      \
        return (fc);                                                                       \
    }
#define REDUCE(id, name, bound, identity, traits, scan, twin, ff, fi, fu, fc, doc) \
    OP(id, name, 2, , 1, bound, 0, ff, fi, fu, fc, doc)
#define SHAPED(...)
#include "ir/ops.def"
#undef OP
#undef REDUCE
#undef SHAPED
#undef F
#undef I
#undef U
#undef C
#undef NONE

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* ---- the table ---- */

#define F(glsl, c) glsl
#define I(glsl, c) glsl
#define U(glsl, c) glsl
#define C(glsl, c) glsl
#define NONE NULL

const struct class_info vkc_classes[] = {
#define CLASS(ID, kernel_, reads_) [CLASS_##ID] = {KERNEL_##kernel_, READS_##reads_},
#include "ir/classes.def"
};

const struct op_info vkc_ops[OP_COUNT] = {
    [OP_NONE] = {.name = "none"},
/* What element-wise ops and reductions share. */
#define FORMS(id, opname, bound_, flags_, ff, fi, fu, fc, doc_)                           \
    .name = opname, .outs = 1, .bound = BOUND_##bound_, .flags = (flags_),                \
    .glsl = {[KIND_FLOAT] = ff, [KIND_SINT] = fi, [KIND_UINT] = fu, [KIND_COMPLEX] = fc}, \
    .ref_float = ref_f_##id, .ref_sint = ref_i_##id, .ref_uint = ref_u_##id,              \
    .ref_complex = ref_c_##id, .doc = doc_
#define OP(id, opname, arity, rule_, cost_, bound_, flags_, ff, fi, fu, fc, doc_) \
    [OP_##id] = {FORMS(id, opname, bound_, flags_, ff, fi, fu, fc, doc_),         \
                 .class = CLASS_ELEMENTWISE,                                      \
                 .rule = RULE_##rule_,                                            \
                 .min_ins = arity,                                                \
                 .max_ins = arity,                                                \
                 .cost = cost_,                                                   \
                 .attrs = ""},
#define COMMUTES OP_COMMUTES
#define COUNTS OP_COUNTS
#define COMPENSATED OP_COMPENSATED
#define IDEMPOTENT OP_IDEMPOTENT
#define TRUTH OP_TRUTH
#define GREATEST OP_GREATEST
#define LEAST OP_LEAST
#define REDUCE(id, opname, bound_, identity_, traits, scan_, twin_, ff, fi, fu, fc, doc_) \
    [OP_##id] = {FORMS(id, opname, bound_, traits, ff, fi, fu, fc, doc_),                 \
                 .class = CLASS_REDUCE,                                                   \
                 .min_ins = 1,                                                            \
                 .max_ins = 1,                                                            \
                 .cost = 1,                                                               \
                 .attrs = "axes:I keep:b",                                                \
                 .identity = IDENTITY_##identity_,                                        \
                 .twin = OP_##twin_,                                                      \
                 .reduction = OP_##id,                                                    \
                 .scan = scan_},
#define SHAPED_ROW(id, opname, min, max, nouts, class_, flags_, reduced, attrs_, regions_, doc_) \
    [OP_##id] = {.name = opname,                                                                 \
                 .class = CLASS_##class_,                                                        \
                 .min_ins = min,                                                                 \
                 .max_ins = max,                                                                 \
                 .outs = nouts,                                                                  \
                 .regions = regions_,                                                            \
                 .cost = 1,                                                                      \
                 .flags = flags_,                                                                \
                 .reduction = reduced,                                                           \
                 .attrs = attrs_,                                                                \
                 .doc = doc_},
#define MADE(id, name, min, max, outs, class, attrs, regions, doc) \
    SHAPED_ROW(id, name, min, max, outs, class, OP_MADE, OP_NONE, attrs, regions, doc)
#define WINDOWED(id, name, reduction, doc)                   \
    SHAPED_ROW(id, name, 1, 1, 1, WINDOW, 0, OP_##reduction, \
               "window:I strides:I lo:I hi:I dilations:I", 0, doc)
#define SHAPED(id, name, min, max, outs, class, attrs, regions, doc) \
    SHAPED_ROW(id, name, min, max, outs, class, 0, OP_NONE, attrs, regions, doc)
#include "ir/ops.def"
};

enum op op_parse(const char *name)
{
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcmp(vkc_ops[op].name, name) == 0)
            return (enum op)op;
    return OP_NONE;
}

bool op_identity_bits(enum op op, enum vkc_type type, uint64_t *out_bits)
{
    const struct type_info *t = &vkc_types[type];
    uint64_t all = t->bits >= 64 ? UINT64_MAX : ((uint64_t)1 << t->bits) - 1,
             top = (uint64_t)1 << (t->bits >= 64 ? 63 : t->bits - 1);
    switch (vkc_ops[op].identity) {
    case IDENTITY_ZERO:
    case IDENTITY_FALSE: *out_bits = 0; return true;
    case IDENTITY_ONE:
    case IDENTITY_TRUE:
        *out_bits = 1;
        if (t->kind == KIND_FLOAT || t->kind == KIND_COMPLEX) /* the real part is the low half */
            *out_bits = num_float_encode(type == TYPE_C64    ? TYPE_F32
                                         : type == TYPE_C128 ? TYPE_F64
                                                             : type,
                                         1.0);
        return true;
    case IDENTITY_LOWEST:
        *out_bits = t->kind == KIND_FLOAT  ? num_float_encode(type, -INFINITY)
                    : t->kind == KIND_SINT ? top
                                           : 0;
        return t->kind != KIND_COMPLEX;
    case IDENTITY_HIGHEST:
        *out_bits = t->kind == KIND_FLOAT  ? num_float_encode(type, INFINITY)
                    : t->kind == KIND_SINT ? all ^ top
                                           : all;
        return t->kind != KIND_COMPLEX;
    }
    return false;
}

bool op_neutral_bits(enum op op, enum vkc_type type, uint64_t out_bits[2])
{
    const uint64_t top = UINT64_C(1) << 63;
    out_bits[0] = out_bits[1] = 0;
    if (vkc_ops[op].identity != IDENTITY_ZERO || type_is_int(type))
        return op_identity_bits(op, type, &out_bits[0]);
    out_bits[0] = type == TYPE_F32 ? 0x80000000u : type == TYPE_C64 ? 0x8000000080000000u : top;
    out_bits[1] = type == TYPE_C128 ? top : 0;
    return true;
}
