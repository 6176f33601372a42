/* What is tested: a row per function and type, with its reference. */
#include "numerics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- exact references ---- */

#define WRAP1(name)                                                 \
    static void mp_##name(mpfr_t r, const mpfr_t a, const mpfr_t b) \
    {                                                               \
        (void)b;                                                    \
        mpfr_##name(r, a, MPFR_RNDN);                               \
    }
#define WRAP2(name)                                                 \
    static void mp_##name(mpfr_t r, const mpfr_t a, const mpfr_t b) \
    {                                                               \
        mpfr_##name(r, a, b, MPFR_RNDN);                            \
    }
#define ROUND(name)                                                 \
    static void mp_##name(mpfr_t r, const mpfr_t a, const mpfr_t b) \
    {                                                               \
        (void)b;                                                    \
        mpfr_##name(r, a);                                          \
    }
/* clang-format off */
WRAP1(exp) WRAP1(expm1) WRAP1(log) WRAP1(log1p) WRAP1(cos) WRAP1(sin) WRAP1(tan) WRAP1(cosh)
WRAP1(sinh) WRAP1(tanh) WRAP1(acos) WRAP1(asin) WRAP1(atan) WRAP1(acosh) WRAP1(asinh) WRAP1(atanh)
WRAP1(sqrt) WRAP1(cbrt) WRAP1(erf) WRAP1(erfc) WRAP1(neg) WRAP1(abs) WRAP2(add) WRAP2(sub)
WRAP2(mul) WRAP2(div) WRAP2(pow) WRAP2(atan2) WRAP2(fmod) ROUND(floor) ROUND(ceil) ROUND(round)
    /* clang-format on */

    static void mp_sign(mpfr_t r, const mpfr_t a, const mpfr_t b)
{
    (void)b;
    if (mpfr_nan_p(a) || mpfr_zero_p(a))
        mpfr_set(r, a, MPFR_RNDN);
    else
        mpfr_set_si(r, mpfr_sgn(a), MPFR_RNDN);
}

static void mp_rsqrt(mpfr_t r, const mpfr_t a, const mpfr_t b)
{
    (void)b;
    mpfr_sqrt(r, a, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

static void mp_sigmoid(mpfr_t r, const mpfr_t a, const mpfr_t b)
{
    (void)b;
    mpfr_neg(r, a, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

/* Of what a is beyond a multiple of pi/2, the part that a double lacks, in about the ULP of that
   double; and 1, so that it need not be known better where it is small. From 2^20 on. 192 bits of
   2/pi times 53 bits are off by 2^-137, the least rest is 2^-61: that is one ULP of a float below
   1, beside half of one for its rounding. */
static void mp_reduce_low(mpfr_t r, const mpfr_t a, const mpfr_t b)
{
    (void)b;
    mpfr_t rest, turns;
    if (!mpfr_number_p(a) || mpfr_cmpabs_ui(a, 1 << 20) < 0) {
        mpfr_set_nan(r);
        if (!mpfr_nan_p(a) && !mpfr_inf_p(a))
            mpfr_set_ui(r, 1, MPFR_RNDN);
        return;
    }
    mpfr_inits2(1400, rest, turns, (mpfr_ptr)0);
    mpfr_const_pi(rest, MPFR_RNDN);
    mpfr_div_2ui(rest, rest, 1, MPFR_RNDN);
    mpfr_div(turns, a, rest, MPFR_RNDN);
    mpfr_rint(turns, turns, MPFR_RNDN);
    mpfr_mul(turns, turns, rest, MPFR_RNDN);
    mpfr_sub(rest, a, turns, MPFR_RNDN);
    double high = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_sub_d(rest, rest, high, MPFR_RNDN);
    mpfr_div_d(rest, rest, high, MPFR_RNDN);
    mpfr_mul_2ui(rest, rest, 52, MPFR_RNDN);
    mpfr_add_ui(r, rest, 1, MPFR_RNDN);
    mpfr_clears(rest, turns, (mpfr_ptr)0);
}

static void mp_max(mpfr_t r, const mpfr_t a, const mpfr_t b)
{
    if (mpfr_nan_p(a) || mpfr_nan_p(b))
        mpfr_set_nan(r);
    else if (mpfr_zero_p(a) && mpfr_zero_p(b))
        mpfr_set(r, mpfr_signbit(a) ? b : a, MPFR_RNDN);
    else
        mpfr_set(r, mpfr_cmp(a, b) >= 0 ? a : b, MPFR_RNDN);
}

static void mp_min(mpfr_t r, const mpfr_t a, const mpfr_t b)
{
    if (mpfr_nan_p(a) || mpfr_nan_p(b))
        mpfr_set_nan(r);
    else if (mpfr_zero_p(a) && mpfr_zero_p(b))
        mpfr_set(r, mpfr_signbit(a) ? a : b, MPFR_RNDN);
    else
        mpfr_set(r, mpfr_cmp(a, b) <= 0 ? a : b, MPFR_RNDN);
}

/* Newton on erf, at a precision that its smallest derivative cannot spoil. */
static void mp_erf_inv(mpfr_t r, const mpfr_t a, const mpfr_t b)
{
    (void)b;
    if (mpfr_nan_p(a) || mpfr_cmpabs_ui(a, 1) > 0) {
        mpfr_set_nan(r);
        return;
    }
    if (mpfr_cmpabs_ui(a, 1) == 0 || mpfr_zero_p(a)) {
        mpfr_set(r, a, MPFR_RNDN);
        if (!mpfr_zero_p(a))
            mpfr_set_inf(r, mpfr_sgn(a));
        return;
    }
    double x = fabs(mpfr_get_d(a, MPFR_RNDN));
    mpfr_t p, q, y, t, u;
    mpfr_inits2(260, p, q, y, t, u, (mpfr_ptr)0);
    mpfr_abs(p, a, MPFR_RNDN);
    mpfr_ui_sub(q, 1, p, MPFR_RNDN);
    double w = -log((1 - x) * (1 + x)), y0 = x * 0.886;
    if (x > 0.5)
        y0 = sqrt(fmax(w - 0.5 * log(fmax(w, 1.5)) - 0.55, 0.2));
    mpfr_set_d(y, y0, MPFR_RNDN);
    if (x < 1e-30)
        mpfr_mul_d(y, p, 0.886226925452758, MPFR_RNDN);
    for (int i = 0; i < 60; i++) {
        if (x < 0.5) {
            mpfr_erf(t, y, MPFR_RNDN);
            mpfr_sub(t, t, p, MPFR_RNDN);
        } else {
            mpfr_erfc(t, y, MPFR_RNDN);
            mpfr_sub(t, q, t, MPFR_RNDN);
        }
        mpfr_sqr(u, y, MPFR_RNDN);
        mpfr_exp(u, u, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_const_pi(u, MPFR_RNDN);
        mpfr_sqrt(u, u, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_div_2ui(t, t, 1, MPFR_RNDN);
        mpfr_mul(u, y, t, MPFR_RNDN); /* Halley: t / (1 + y t) */
        mpfr_add_ui(u, u, 1, MPFR_RNDN);
        mpfr_div(t, t, u, MPFR_RNDN);
        mpfr_sub(y, y, t, MPFR_RNDN);
        if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(y) - 120)
            break;
    }
    mpfr_setsign(r, y, mpfr_sgn(a) < 0, MPFR_RNDN);
    mpfr_clears(p, q, y, t, u, (mpfr_ptr)0);
}

#define FAST1(name, e)                            \
    static double fast_##name(double a, double b) \
    {                                             \
        (void)b;                                  \
        return e;                                 \
    }
#define FAST2(name, e)                            \
    static double fast_##name(double a, double b) \
    {                                             \
        return e;                                 \
    }
/* clang-format off */
FAST1(exp, exp(a)) FAST1(expm1, expm1(a)) FAST1(log, log(a)) FAST1(log1p, log1p(a))
FAST1(cos, cos(a)) FAST1(sin, sin(a)) FAST1(tan, tan(a)) FAST1(cosh, cosh(a)) FAST1(sinh, sinh(a))
FAST1(tanh, tanh(a)) FAST1(acos, acos(a)) FAST1(asin, asin(a)) FAST1(atan, atan(a))
FAST1(acosh, acosh(a)) FAST1(asinh, asinh(a)) FAST1(atanh, atanh(a)) FAST1(sqrt, sqrt(a))
FAST1(cbrt, cbrt(a)) FAST1(erf, erf(a)) FAST1(erfc, erfc(a)) FAST1(round, round(a))
FAST1(rsqrt, 1 / sqrt(a)) FAST1(sigmoid, 1 / (1 + exp(-a))) FAST1(sign, a > 0 ? 1 : a < 0 ? -1 : a)
FAST2(div, a / b) FAST2(pow, pow(a, b)) FAST2(atan2, atan2(a, b)) FAST2(fmod, fmod(a, b))
FAST2(max, isnan(a) || isnan(b) ? NAN : a > b ? a : b > a ? b : signbit(a) ? b : a)
FAST2(min, isnan(a) || isnan(b) ? NAN : a < b ? a : b < a ? b : signbit(a) ? a : b)
    /* clang-format on */

    /* A rough start and Halley steps in double. */
    static double fast_erf_inv(double x, double b)
{
    (void)b;
    double a = fabs(x), w = -log((1 - a) * (1 + a)),
           y = a < 0.5 ? a * 0.9 : sqrt(fmax(w - 0.5 * log(fmax(w, 1.5)) - 0.55, 0.2));
    if (!(a < 1) || a == 0)
        return a == 1 ? copysign(INFINITY, x) : a == 0 ? x : NAN;
    if (a < 1e-10)
        return x * 0.88622692545275801;
    for (int i = 0; i < 12; i++) {
        double t = (a < 0.5 ? erf(y) - a : (1 - a) - erfc(y)) * exp(y * y) * 0.88622692545275801;
        y -= t / (1 + y * t);
        if (fabs(t) < y * 1e-10)
            break;
    }
    return copysign(y, x);
}

/* ---- references in bits ---- */

#define BITS1(name, T, R, e)                                          \
    static void bits_##name(const void *pa, const void *pb, void *pr) \
    {                                                                 \
        (void)pb;                                                     \
        T a;                                                          \
        memcpy(&a, pa, sizeof a);                                     \
        R r = e;                                                      \
        memcpy(pr, &r, sizeof r);                                     \
    }
#define BITS2(name, T, e)                                             \
    static void bits_##name(const void *pa, const void *pb, void *pr) \
    {                                                                 \
        T a, b;                                                       \
        memcpy(&a, pa, sizeof a);                                     \
        memcpy(&b, pb, sizeof b);                                     \
        T r = e;                                                      \
        memcpy(pr, &r, sizeof r);                                     \
    }

static uint64_t upow(uint64_t a, uint64_t b)
{
    uint64_t r = 1;
    for (; b; b >>= 1, a *= a)
        r *= b & 1 ? a : 1;
    return r;
}

static int64_t ipow(int64_t a, int64_t b)
{
    return b < 0 ? (a == 1    ? 1
                    : a == -1 ? (b & 1 ? -1 : 1)
                              : 0)
                 : (int64_t)upow((uint64_t)a, (uint64_t)b);
}

static int clz(uint64_t x, int w)
{
    int n = 0;
    while (n < w && !(x >> (w - 1 - n) & 1))
        n++;
    return n;
}

static double saturate(double x, double low, double high)
{
    return isnan(x) ? 0 : x < low ? low : x > high ? high : trunc(x);
}
static int64_t to_i64(double x)
{
    return isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x;
}
static uint64_t to_u64(double x)
{
    return !(x > 0) ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/* As num.c of the compiler, in doubles. */
double narrow_decode(const struct format *f, uint32_t bits)
{
    int exp_bits = f->exp_bits, man_bits = f->man_bits;
    bool has_inf = f->has_inf;
    int bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1,
        e = (int)(bits >> man_bits) & top;
    uint32_t m = bits & ((1u << man_bits) - 1);
    double sign = bits >> (exp_bits + man_bits) & 1 ? -1 : 1;
    if (e == top && has_inf)
        return m ? NAN : sign * INFINITY;
    if (e == top && m == (1u << man_bits) - 1)
        return NAN;
    return e ? sign * ldexp(m | 1u << man_bits, e - bias - man_bits)
             : sign * ldexp(m, 1 - bias - man_bits);
}

uint32_t narrow_encode(const struct format *f, double x)
{
    int exp_bits = f->exp_bits, man_bits = f->man_bits;
    bool has_inf = f->has_inf;
    int bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1, e;
    uint32_t sign = (uint32_t)(signbit(x) != 0) << (exp_bits + man_bits),
             mask = (1u << man_bits) - 1;
    uint32_t nan = (uint32_t)top << man_bits | (has_inf ? 1u << (man_bits - 1) : mask);
    uint32_t largest =
        has_inf ? (uint32_t)top << man_bits : ((uint32_t)top << man_bits | (mask - 1));
    if (isnan(x))
        return sign | nan;
    double m = fabs(x);
    if (isinf(m) || m > 0x1p130)
        return sign | largest;
    if (m == 0)
        return sign;
    frexp(m, &e);
    int least = 1 - bias, unit = (e - 1 > least ? e - 1 : least) - man_bits;
    uint64_t s = (uint64_t)nearbyint(ldexp(m, -unit));
    uint64_t bits = e - 1 < least ? s : (((uint64_t)(e - 1 - least) << man_bits) + s);
    return sign | (uint32_t)(bits > largest ? largest : bits);
}

static const struct format formats[] = {
    {"f16", 5, 10, true}, {"bf16", 8, 7, true}, {"f8", 5, 2, true}, {"f8e4m3fn", 4, 3, false}};
enum { FORMATS = sizeof formats / sizeof *formats };

#define NARROW(name, i)                                                         \
    BITS1(encode_##name, float, uint32_t, narrow_encode(&formats[i], a))        \
    BITS1(encode64_##name, double, uint32_t, narrow_encode(&formats[i], a))     \
    BITS1(decode_##name, uint32_t, float, (float)narrow_decode(&formats[i], a)) \
    BITS1(round_##name, float, float,                                           \
          (float)narrow_decode(&formats[i], narrow_encode(&formats[i], a)))
NARROW(f16, 0)
NARROW(bf16, 1)
NARROW(f8, 2)
NARROW(f8e4m3fn, 3)

#include "bits.def"

#define TESTS(name, op)                                                     \
    static void bits_##name##_f32(const void *pa, const void *pb, void *pr) \
    {                                                                       \
        float a, b;                                                         \
        memcpy(&a, pa, 4);                                                  \
        memcpy(&b, pb, 4);                                                  \
        uint32_t r = a op b;                                                \
        memcpy(pr, &r, 4);                                                  \
    }                                                                       \
    static void bits_##name##_f64(const void *pa, const void *pb, void *pr) \
    {                                                                       \
        double a, b;                                                        \
        memcpy(&a, pa, 8);                                                  \
        memcpy(&b, pb, 8);                                                  \
        uint32_t r = a op b;                                                \
        memcpy(pr, &r, 4);                                                  \
    }
TESTS(eq, ==)
TESTS(ne, !=)
TESTS(lt, <)
TESTS(ge, >=)
TESTS(le, <=)

static void bits_two_prod(const void *pa, const void *pb, void *pr)
{
    float a, b, r;
    memcpy(&a, pa, 4);
    memcpy(&b, pb, 4);
    r = (float)((double)a * b - (float)((double)a * b));
    memcpy(pr, &r, 4);
}

#define QUAD1(name, e)                                           \
    static __complex128 q_##name(__complex128 a, __complex128 b) \
    {                                                            \
        (void)b;                                                 \
        return e;                                                \
    }
#define QUAD2(name, e)                                           \
    static __complex128 q_##name(__complex128 a, __complex128 b) \
    {                                                            \
        return e;                                                \
    }

static __complex128 complex_of(__float128 re, __float128 im)
{
    __complex128 z;
    __real__ z = re;
    __imag__ z = im;
    return z;
}

static __complex128 quad_expm1(__complex128 a)
{
    __float128 s = sinq(cimagq(a) / 2);
    if (cimagq(a) == 0)
        return complex_of(expm1q(crealq(a)), cimagq(a));
    if (!finiteq(crealq(a)) || !finiteq(cimagq(a)) || crealq(a) > 100)
        return complex_of(crealq(cexpq(a)) - 1, cimagq(cexpq(a)));
    return complex_of(expm1q(crealq(a)) * cosq(cimagq(a)) - 2 * s * s,
                      expq(crealq(a)) * sinq(cimagq(a)));
}

static __complex128 quad_log1p(__complex128 a)
{
    __float128 x = crealq(a), y = cimagq(a), r = hypotq(x, y);
    return complex_of(r < 0.5Q ? log1pq(x * (2 + x) + y * y) / 2 : logq(hypotq(1 + x, y)),
                      atan2q(y, 1 + x));
}

/* Near the poles the sum in 1 / (1 + e^w) is that of two small numbers. */
static __complex128 quad_sigmoid(__complex128 a)
{
    bool left = crealq(a) < 0;
    __complex128 w = left ? a : -a, e = cexpq(w);
    __float128 h = cosq(cimagq(w) / 2);
    __complex128 d = complex_of(2 * h * h + expm1q(crealq(w)) * cosq(cimagq(w)), cimagq(e)),
                 r = (left ? e : complex_of(1, 0)) / d;
    return complex_of(crealq(r), cimagq(a) == 0 ? cimagq(a) : cimagq(r));
}

static __complex128 quad_cbrt(__complex128 a)
{
    __float128 r = cbrtq(cabsq(a)), angle = atan2q(cimagq(a), crealq(a)) / 3;
    return r == 0 ? a : complex_of(r * cosq(angle), r * sinq(angle));
}

/* clang-format off */
QUAD2(mul, a * b) QUAD2(div, a / b) QUAD2(pow, cpowq(a, b)) QUAD1(conj, conjq(a))
QUAD1(abs, complex_of(cabsq(a), 0)) QUAD1(sign, cabsq(a) == 0 ? a : a / cabsq(a))
QUAD1(exp, cexpq(a)) QUAD1(expm1, quad_expm1(a)) QUAD1(log, clogq(a)) QUAD1(log1p, quad_log1p(a))
QUAD1(sigmoid, quad_sigmoid(a)) QUAD1(sin, csinq(a)) QUAD1(cos, ccosq(a)) QUAD1(tan, ctanq(a))
QUAD1(sinh, csinhq(a)) QUAD1(cosh, ccoshq(a)) QUAD1(tanh, ctanhq(a)) QUAD1(asin, casinq(a))
QUAD1(acos, cacosq(a)) QUAD1(atan, catanq(a)) QUAD1(asinh, casinhq(a)) QUAD1(acosh, cacoshq(a))
QUAD1(atanh, catanhq(a)) QUAD1(sqrt, csqrtq(a)) QUAD1(rsqrt, 1 / csqrtq(a))
QUAD1(cbrt, quad_cbrt(a))
/* clang-format on */

/* ---- the rows ---- */

#define FN1(fn, bound, mp)                                                                    \
    {"nx_" #fn, "nx_" #fn "(a)", {F32, NONE_}, F32, bound, UNARY, fast_##mp, mp_##mp, NULL},  \
    {                                                                                         \
        "nx_" #fn, "nx_" #fn "(a)", {F64, NONE_}, F64, bound, UNARY, fast_##mp, mp_##mp, NULL \
    }
#define FN2(fn, bound, mp, family)                                                              \
    {"nx_" #fn, "nx_" #fn "(a, b)", {F32, F32}, F32, bound, family, fast_##mp, mp_##mp, NULL},  \
    {                                                                                           \
        "nx_" #fn, "nx_" #fn "(a, b)", {F64, F64}, F64, bound, family, fast_##mp, mp_##mp, NULL \
    }
#define INT2(fn, T, family, ref)                                                    \
    {                                                                               \
        "nx_" #fn, "nx_" #fn "(a, b)", {T, T}, T, 0, family, NULL, NULL, bits_##ref \
    }
#define INT1(name, call, T, R, family, ref)                          \
    {                                                                \
        name, call, {T, NONE_}, R, 0, family, NULL, NULL, bits_##ref \
    }
#define SMALL(name, wide)                                                                     \
    INT1("nx_encode_" #name, "nx_encode_" #name "(a)", F32, U32, UNARY, encode_##name),       \
        INT1("nx_encode_" #name, "nx_encode_" #name "(a)", F64, U32, UNARY, encode64_##name), \
        INT1("nx_decode_" #name, "nx_decode_" #name "(a)", U32, F32, wide, decode_##name),    \
        INT1("nx_round_" #name, "nx_round_" #name "(a)", F32, F32, UNARY, round_##name)

/* The parts of the function, put right: the higher is the nearest double to both. Of what is not
   finite it says nothing; a - a is NaN then. */
#define REDUCED "nx_two_sum(nx_reduce_far(a, q).x, nx_reduce_far(a, q).y)"
#define REDUCED_LOW                                                                             \
    "float(abs(a) < 1048576.0 ? double(1.0) : double(1.0) + (a - a) + " REDUCED ".y / " REDUCED \
    ".x * double(4503599627370496.0))"

/* What the op table asks of GLSL itself. */
#define BUILTIN1(call, mp)                                             \
    {call, call, {F32, NONE_}, F32, 0.5, UNARY, NULL, mp_##mp, NULL},  \
    {                                                                  \
        call, call, {F64, NONE_}, F64, 0.5, UNARY, NULL, mp_##mp, NULL \
    }
/* All that they are for, and a NaN; the rest by the functions that they stand for. */
#define EXP_NONPOSITIVE "(a > 0.0 ? nx_exp(a) : nx_exp_nonpositive(a))"
#define DIV_UNIT                                                                 \
    "(floatBitsToUint(a) <= 0x3f800000u || floatBitsToUint(a) == 0x7fc00000u ? " \
    "nx_div_unit_by(a, b, nx_inverse(b)) : nx_div(a, b))"
#define BUILTIN2(call, mp)                                            \
    {call, call, {F32, F32}, F32, 0.5, BINARY, NULL, mp_##mp, NULL},  \
    {                                                                 \
        call, call, {F64, F64}, F64, 0.5, BINARY, NULL, mp_##mp, NULL \
    }
#define COMPARE(call, ref)                                                   \
    {call, call, {F32, F32}, U32, 0, BINARY, NULL, NULL, bits_##ref##_f32},  \
    {                                                                        \
        call, call, {F64, F64}, U32, 0, BINARY, NULL, NULL, bits_##ref##_f64 \
    }

#define COMPARE32(fn, ref)                                                                 \
    {                                                                                      \
        fn, "uint(" fn "(a, b))", {F32, F32}, U32, 0, BINARY, NULL, NULL, bits_##ref##_f32 \
    }

#define C1(fn, bound, family, ref)                                                                \
    {"nx_" #fn, "nx_" #fn "(a)", {C64, NONE_}, C64, bound, family, NULL, NULL, NULL, q_##ref},    \
    {                                                                                             \
        "nx_" #fn, "nx_" #fn "(a)", {C128, NONE_}, C128, bound, family, NULL, NULL, NULL, q_##ref \
    }
#define C2(fn, bound, ref, family)                                                              \
    {"nx_" #fn, "nx_" #fn "(a, b)", {C64, C64}, C64, bound, family, NULL, NULL, NULL, q_##ref}, \
    {                                                                                           \
        "nx_" #fn, "nx_" #fn "(a, b)", {C128, C128}, C128, bound, family, NULL, NULL, NULL,     \
            q_##ref                                                                             \
    }

                                static const struct row rows[] = {
#include "rows.def"
};

/* Small floats are computed as f32 and rounded: the same functions between a decoding and an
   encoding. The f32 result may be 2 of its ULP off, which is 2^-12 ULP of f16, 2^-15 of bf16. */
static struct row narrow_row(const struct row *r, const struct format *f)
{
    char call[256], *at = call;
    for (const char *p = r->call; *p; p++) {
        bool operand = (*p == 'a' || *p == 'b') &&
                       (p == r->call || !strchr("abcdefghijklmnopqrstuvwxyz_", p[-1])) &&
                       !strchr("abcdefghijklmnopqrstuvwxyz", p[1] ? p[1] : '.');
        at += sprintf(at, operand ? "nx_decode_%s(%c)" : "%.0s%c", operand ? f->name : "", *p);
    }
    char *whole = malloc(512);
    if (!whole)
        exit(2);
    snprintf(whole, 512, "nx_encode_%s(%s)", f->name, call);
    enum family family = f->exp_bits + f->man_bits > 7 ? BITS16 : BITS8;
    return (struct row){.name = r->name,
                        .call = whole,
                        .in = {U32, r->in[1] ? U32 : NONE_},
                        .out = U32,
                        .bound = 0.5 + 0x1p-11,
                        .family = family,
                        .fast = r->fast,
                        .exact = r->exact,
                        .narrow = f};
}

const struct row *all_rows(size_t *out_count)
{
    enum { FIXED = sizeof rows / sizeof *rows };
    static struct row all[FIXED * (1 + FORMATS)];
    size_t n = FIXED;
    memcpy(all, rows, sizeof rows);
    for (size_t i = 0; i < FIXED; i++)
        for (int f = 0; f < FORMATS && rows[i].in[0] == F32 && rows[i].out == F32 &&
                        rows[i].exact && rows[i].family != FUSED;
             f++)
            all[n++] = narrow_row(&rows[i], &formats[f]);
    *out_count = n;
    return all;
}
