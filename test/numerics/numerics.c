/* numerics [--device=native|vk:N] [--only=text] [--stride=N] [--count=N] [--root=templates] [--no-controls] [--fma] [-v]
   A line per function and type: the largest error in ULP, where it was, and on what. */
#include "numerics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum family { UNARY, BINARY, POWER, INTS, SHIFTS, POW_INTS, BITS16, BITS8, PLANE, ANNEX_G, POWERS };

/* ---- exact references ---- */

#define WRAP1(name) static void mp_##name(mpfr_t r, const mpfr_t a, const mpfr_t b) { (void)b; mpfr_##name(r, a, MPFR_RNDN); }
#define WRAP2(name) static void mp_##name(mpfr_t r, const mpfr_t a, const mpfr_t b) { mpfr_##name(r, a, b, MPFR_RNDN); }
WRAP1(exp) WRAP1(expm1) WRAP1(log) WRAP1(log1p) WRAP1(cos) WRAP1(sin) WRAP1(tan) WRAP1(cosh) WRAP1(sinh) WRAP1(tanh)
WRAP1(acos) WRAP1(asin) WRAP1(atan) WRAP1(acosh) WRAP1(asinh) WRAP1(atanh) WRAP1(sqrt) WRAP1(cbrt) WRAP1(erf) WRAP1(erfc)
WRAP1(neg) WRAP1(abs) WRAP2(add) WRAP2(sub) WRAP2(mul)
static void mp_floor(mpfr_t r, const mpfr_t a, const mpfr_t b) { (void)b; mpfr_floor(r, a); }
static void mp_ceil(mpfr_t r, const mpfr_t a, const mpfr_t b) { (void)b; mpfr_ceil(r, a); }
WRAP2(div) WRAP2(pow) WRAP2(atan2) WRAP2(fmod)

static void mp_round(mpfr_t r, const mpfr_t a, const mpfr_t b) { (void)b; mpfr_round(r, a); }

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
        mpfr_mul(u, y, t, MPFR_RNDN);       /* Halley: t / (1 + y t) */
        mpfr_add_ui(u, u, 1, MPFR_RNDN);
        mpfr_div(t, t, u, MPFR_RNDN);
        mpfr_sub(y, y, t, MPFR_RNDN);
        if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(y) - 120)
            break;
    }
    mpfr_setsign(r, y, mpfr_sgn(a) < 0, MPFR_RNDN);
    mpfr_clears(p, q, y, t, u, (mpfr_ptr)0);
}

#define FAST1(name, e) static double fast_##name(double a, double b) { (void)b; return e; }
#define FAST2(name, e) static double fast_##name(double a, double b) { return e; }
FAST1(exp, exp(a)) FAST1(expm1, expm1(a)) FAST1(log, log(a)) FAST1(log1p, log1p(a)) FAST1(cos, cos(a)) FAST1(sin, sin(a))
FAST1(tan, tan(a)) FAST1(cosh, cosh(a)) FAST1(sinh, sinh(a)) FAST1(tanh, tanh(a)) FAST1(acos, acos(a)) FAST1(asin, asin(a))
FAST1(atan, atan(a)) FAST1(acosh, acosh(a)) FAST1(asinh, asinh(a)) FAST1(atanh, atanh(a)) FAST1(sqrt, sqrt(a)) FAST1(cbrt, cbrt(a))
FAST1(erf, erf(a)) FAST1(erfc, erfc(a)) FAST1(round, round(a)) FAST1(rsqrt, 1 / sqrt(a)) FAST1(sigmoid, 1 / (1 + exp(-a)))
FAST1(sign, a > 0 ? 1 : a < 0 ? -1 : a)
FAST2(div, a / b) FAST2(pow, pow(a, b)) FAST2(atan2, atan2(a, b)) FAST2(fmod, fmod(a, b))
FAST2(max, isnan(a) || isnan(b) ? NAN : a > b ? a : b > a ? b : signbit(a) ? b : a)
FAST2(min, isnan(a) || isnan(b) ? NAN : a < b ? a : b < a ? b : signbit(a) ? a : b)

/* A rough start and Halley steps in double. */
static double fast_erf_inv(double x, double b)
{
    (void)b;
    double a = fabs(x), w = -log((1 - a) * (1 + a)), y = a < 0.5 ? a * 0.9 : sqrt(fmax(w - 0.5 * log(fmax(w, 1.5)) - 0.55, 0.2));
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

#define BITS1(name, T, R, e) static void bits_##name(const void *pa, const void *pb, void *pr) { (void)pb; T a; memcpy(&a, pa, sizeof a); R r = e; memcpy(pr, &r, sizeof r); }
#define BITS2(name, T, e) static void bits_##name(const void *pa, const void *pb, void *pr) { T a, b; memcpy(&a, pa, sizeof a); memcpy(&b, pb, sizeof b); T r = e; memcpy(pr, &r, sizeof r); }

static uint64_t upow(uint64_t a, uint64_t b)
{
    uint64_t r = 1;
    for (; b; b >>= 1, a *= a)
        r *= b & 1 ? a : 1;
    return r;
}

static int64_t ipow(int64_t a, int64_t b)
{
    return b < 0 ? (a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0) : (int64_t)upow((uint64_t)a, (uint64_t)b);
}

static int clz(uint64_t x, int w)
{
    int n = 0;
    while (n < w && !(x >> (w - 1 - n) & 1))
        n++;
    return n;
}

static double saturate(double x, double low, double high) { return isnan(x) ? 0 : x < low ? low : x > high ? high : trunc(x); }
static int64_t to_i64(double x) { return isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x; }
static uint64_t to_u64(double x) { return !(x > 0) ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x; }

/* As num.c of the compiler, in doubles. */
static double decode(uint32_t bits, int exp_bits, int man_bits, bool has_inf)
{
    int bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1, e = (int)(bits >> man_bits) & top;
    uint32_t m = bits & ((1u << man_bits) - 1);
    double sign = bits >> (exp_bits + man_bits) & 1 ? -1 : 1;
    if (e == top && has_inf)
        return m ? NAN : sign * INFINITY;
    if (e == top && m == (1u << man_bits) - 1)
        return NAN;
    return e ? sign * ldexp(m | 1u << man_bits, e - bias - man_bits) : sign * ldexp(m, 1 - bias - man_bits);
}

static uint32_t encode(double x, int exp_bits, int man_bits, bool has_inf)
{
    int bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1, e;
    uint32_t sign = (uint32_t)(signbit(x) != 0) << (exp_bits + man_bits), mask = (1u << man_bits) - 1;
    uint32_t nan = (uint32_t)top << man_bits | (has_inf ? 1u << (man_bits - 1) : mask);
    uint32_t largest = has_inf ? (uint32_t)top << man_bits : ((uint32_t)top << man_bits | (mask - 1));
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

#define NARROW(name, e, m, inf)                                        \
    BITS1(encode_##name, float, uint32_t, encode(a, e, m, inf))        \
    BITS1(encode64_##name, double, uint32_t, encode(a, e, m, inf))     \
    BITS1(decode_##name, uint32_t, float, (float)decode(a, e, m, inf)) \
    BITS1(round_##name, float, float, (float)decode(encode(a, e, m, inf), e, m, inf))
NARROW(f16, 5, 10, true)
NARROW(bf16, 8, 7, true)
NARROW(f8, 5, 2, true)
NARROW(f8e4m3fn, 4, 3, false)

BITS2(max_s32, int32_t, a > b ? a : b) BITS2(max_u32, uint32_t, a > b ? a : b) BITS2(max_s64, int64_t, a > b ? a : b) BITS2(max_u64, uint64_t, a > b ? a : b)
BITS2(min_s32, int32_t, a < b ? a : b) BITS2(min_u32, uint32_t, a < b ? a : b) BITS2(min_s64, int64_t, a < b ? a : b) BITS2(min_u64, uint64_t, a < b ? a : b)
BITS1(pop_s32, int32_t, int32_t, __builtin_popcount((uint32_t)a)) BITS1(pop_u32, uint32_t, uint32_t, (uint32_t)__builtin_popcount(a))
BITS1(pop_s8, int32_t, int32_t, __builtin_popcount(a & 255)) BITS1(pop_s64, int64_t, int64_t, __builtin_popcountll((uint64_t)a)) BITS1(pop_u64, uint64_t, uint64_t, (uint64_t)__builtin_popcountll(a))
BITS1(clz_s32, int32_t, int32_t, clz((uint32_t)a, 32)) BITS1(clz_u16, uint32_t, uint32_t, (uint32_t)clz(a & 0xffff, 16)) BITS1(clz_s8, int32_t, int32_t, clz(a & 255, 8))
BITS1(clz_s64, int64_t, int64_t, clz((uint64_t)a, 64)) BITS1(clz_u64, uint64_t, uint64_t, (uint64_t)clz(a, 64))
BITS2(shl_s32, int32_t, b < 0 || b >= 32 ? 0 : (int32_t)((uint32_t)a << b)) BITS2(shl_u8, uint32_t, b >= 8 ? 0 : a << b)
BITS2(shl_s64, int64_t, b < 0 || b >= 64 ? 0 : (int64_t)((uint64_t)a << b)) BITS2(shl_u64, uint64_t, b >= 64 ? 0 : a << b)
BITS2(shr_s32, int32_t, a >> (b < 0 || b >= 32 ? 31 : b)) BITS2(shr_s8, int32_t, a >> (b < 0 || b >= 8 ? 31 : b)) BITS2(shr_u32, uint32_t, b >= 32 ? 0 : a >> b)
BITS2(shr_s64, int64_t, a >> (b < 0 || b >= 64 ? 63 : b)) BITS2(shr_u64, uint64_t, b >= 64 ? 0 : a >> b)
BITS2(quo_s32, int32_t, b == 0 ? -1 : (int32_t)((int64_t)a / b)) BITS2(quo_u32, uint32_t, b == 0 ? UINT32_MAX : a / b)
BITS2(quo_s64, int64_t, b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b) BITS2(quo_u64, uint64_t, b == 0 ? UINT64_MAX : a / b)
BITS2(rem_s32, int32_t, b == 0 ? a : (int32_t)((int64_t)a % b)) BITS2(rem_u32, uint32_t, b == 0 ? a : a % b)
BITS2(rem_s64, int64_t, b == 0 ? a : b == -1 ? 0 : a % b) BITS2(rem_u64, uint64_t, b == 0 ? a : a % b)
BITS2(pow_s32, int32_t, (int32_t)ipow(a, b)) BITS2(pow_u32, uint32_t, (uint32_t)upow(a, b)) BITS2(pow_s64, int64_t, ipow(a, b)) BITS2(pow_u64, uint64_t, upow(a, b))
BITS1(sign_s32, int32_t, int32_t, (a > 0) - (a < 0)) BITS1(sign_s64, int64_t, int64_t, (a > 0) - (a < 0))
BITS1(nz_s32, int32_t, uint32_t, a != 0) BITS1(nz_u32, uint32_t, uint32_t, a != 0) BITS1(nz_s64, int64_t, uint32_t, a != 0) BITS1(nz_u64, uint64_t, uint32_t, a != 0)
BITS1(nz_f32, float, uint32_t, a != 0) BITS1(nan_f32, float, uint32_t, isnan(a) != 0) BITS1(inf_f32, float, uint32_t, isinf(a) != 0)
BITS1(nz_f64, double, uint32_t, a != 0) BITS1(nan_f64, double, uint32_t, isnan(a) != 0) BITS1(inf_f64, double, uint32_t, isinf(a) != 0)
BITS1(s32_f32, float, int32_t, (int32_t)saturate(a, INT32_MIN, INT32_MAX)) BITS1(u32_f32, float, uint32_t, (uint32_t)saturate(a, 0, UINT32_MAX))
BITS1(s8_f32, float, int32_t, (int32_t)saturate(a, -128, 127)) BITS1(u8_f32, float, uint32_t, (uint32_t)saturate(a, 0, 255)) BITS1(s2_f32, float, int32_t, (int32_t)saturate(a, -2, 1))
BITS1(s32_f64, double, int32_t, (int32_t)saturate(a, INT32_MIN, INT32_MAX)) BITS1(u32_f64, double, uint32_t, (uint32_t)saturate(a, 0, UINT32_MAX))
BITS1(s16_f64, double, int32_t, (int32_t)saturate(a, -32768, 32767)) BITS1(u4_f64, double, uint32_t, (uint32_t)saturate(a, 0, 15))
BITS1(s64_f32, float, int64_t, to_i64(a)) BITS1(u64_f32, float, uint64_t, to_u64(a)) BITS1(s64_f64, double, int64_t, to_i64(a)) BITS1(u64_f64, double, uint64_t, to_u64(a))
BITS1(f32_s32, int32_t, float, (float)a) BITS1(f32_u32, uint32_t, float, (float)a) BITS1(f32_s64, int64_t, float, (float)a) BITS1(f32_u64, uint64_t, float, (float)a)
BITS1(f64_s32, int32_t, double, (double)a) BITS1(f64_u32, uint32_t, double, (double)a) BITS1(f64_s64, int64_t, double, (double)a) BITS1(f64_u64, uint64_t, double, (double)a)
BITS1(f32_f64, double, float, (float)a) BITS1(f64_f32, float, double, (double)a)

#define TESTS(name, op) \
    static void bits_##name##_f32(const void *pa, const void *pb, void *pr) { float a, b; memcpy(&a, pa, 4); memcpy(&b, pb, 4); uint32_t r = a op b; memcpy(pr, &r, 4); } \
    static void bits_##name##_f64(const void *pa, const void *pb, void *pr) { double a, b; memcpy(&a, pa, 8); memcpy(&b, pb, 8); uint32_t r = a op b; memcpy(pr, &r, 4); }
TESTS(eq, ==) TESTS(ne, !=) TESTS(lt, <) TESTS(ge, >=) TESTS(le, <=)

#define QUAD1(name, e) static __complex128 q_##name(__complex128 a, __complex128 b) { (void)b; return e; }
#define QUAD2(name, e) static __complex128 q_##name(__complex128 a, __complex128 b) { return e; }

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
    return complex_of(expm1q(crealq(a)) * cosq(cimagq(a)) - 2 * s * s, expq(crealq(a)) * sinq(cimagq(a)));
}

static __complex128 quad_log1p(__complex128 a)
{
    __float128 x = crealq(a), y = cimagq(a), r = hypotq(x, y);
    return complex_of(r < 0.5Q ? log1pq(x * (2 + x) + y * y) / 2 : logq(hypotq(1 + x, y)), atan2q(y, 1 + x));
}

/* Near the poles the sum in 1 / (1 + e^w) is that of two small numbers. */
static __complex128 quad_sigmoid(__complex128 a)
{
    bool left = crealq(a) < 0;
    __complex128 w = left ? a : -a, e = cexpq(w);
    __float128 h = cosq(cimagq(w) / 2);
    __complex128 d = complex_of(2 * h * h + expm1q(crealq(w)) * cosq(cimagq(w)), cimagq(e)), r = (left ? e : complex_of(1, 0)) / d;
    return complex_of(crealq(r), cimagq(a) == 0 ? cimagq(a) : cimagq(r));
}

static __complex128 quad_cbrt(__complex128 a)
{
    __float128 r = cbrtq(cabsq(a)), angle = atan2q(cimagq(a), crealq(a)) / 3;
    return r == 0 ? a : complex_of(r * cosq(angle), r * sinq(angle));
}

QUAD2(mul, a * b) QUAD2(div, a / b) QUAD2(pow, cpowq(a, b)) QUAD1(conj, conjq(a)) QUAD1(abs, complex_of(cabsq(a), 0)) QUAD1(sign, cabsq(a) == 0 ? a : a / cabsq(a))
QUAD1(exp, cexpq(a)) QUAD1(expm1, quad_expm1(a)) QUAD1(log, clogq(a)) QUAD1(log1p, quad_log1p(a)) QUAD1(sigmoid, quad_sigmoid(a))
QUAD1(sin, csinq(a)) QUAD1(cos, ccosq(a)) QUAD1(tan, ctanq(a)) QUAD1(sinh, csinhq(a)) QUAD1(cosh, ccoshq(a)) QUAD1(tanh, ctanhq(a))
QUAD1(asin, casinq(a)) QUAD1(acos, cacosq(a)) QUAD1(atan, catanq(a)) QUAD1(asinh, casinhq(a)) QUAD1(acosh, cacoshq(a)) QUAD1(atanh, catanhq(a))
QUAD1(sqrt, csqrtq(a)) QUAD1(rsqrt, 1 / csqrtq(a)) QUAD1(cbrt, quad_cbrt(a))

/* ---- the rows ---- */

#define FN1(fn, bound, mp) \
    {"nx_" #fn, "nx_" #fn "(a)", {F32, NONE_}, F32, bound, UNARY, fast_##mp, mp_##mp, NULL}, \
    {"nx_" #fn, "nx_" #fn "(a)", {F64, NONE_}, F64, bound, UNARY, fast_##mp, mp_##mp, NULL}
#define FN2(fn, bound, mp, family) \
    {"nx_" #fn, "nx_" #fn "(a, b)", {F32, F32}, F32, bound, family, fast_##mp, mp_##mp, NULL}, \
    {"nx_" #fn, "nx_" #fn "(a, b)", {F64, F64}, F64, bound, family, fast_##mp, mp_##mp, NULL}
#define INT2(fn, T, family, ref) {"nx_" #fn, "nx_" #fn "(a, b)", {T, T}, T, 0, family, NULL, NULL, bits_##ref}
#define INT1(name, call, T, R, family, ref) {name, call, {T, NONE_}, R, 0, family, NULL, NULL, bits_##ref}
#define SMALL(name, wide) \
    INT1("nx_encode_" #name, "nx_encode_" #name "(a)", F32, U32, UNARY, encode_##name), \
    INT1("nx_encode_" #name, "nx_encode_" #name "(a)", F64, U32, UNARY, encode64_##name), \
    INT1("nx_decode_" #name, "nx_decode_" #name "(a)", U32, F32, wide, decode_##name), \
    INT1("nx_round_" #name, "nx_round_" #name "(a)", F32, F32, UNARY, round_##name)

/* What the op table asks of GLSL itself. */
#define BUILTIN1(call, mp) {call, call, {F32, NONE_}, F32, 0.5, UNARY, NULL, mp_##mp, NULL}, {call, call, {F64, NONE_}, F64, 0.5, UNARY, NULL, mp_##mp, NULL}
#define BUILTIN2(call, mp) {call, call, {F32, F32}, F32, 0.5, BINARY, NULL, mp_##mp, NULL}, {call, call, {F64, F64}, F64, 0.5, BINARY, NULL, mp_##mp, NULL}
#define COMPARE(call, ref) {call, call, {F32, F32}, U32, 0, BINARY, NULL, NULL, bits_##ref##_f32}, {call, call, {F64, F64}, U32, 0, BINARY, NULL, NULL, bits_##ref##_f64}

#define COMPARE32(fn, ref) {fn, "uint(" fn "(a, b))", {F32, F32}, U32, 0, BINARY, NULL, NULL, bits_##ref##_f32}

#define C1(fn, bound, family, ref) \
    {"nx_" #fn, "nx_" #fn "(a)", {C64, NONE_}, C64, bound, family, NULL, NULL, NULL, q_##ref}, \
    {"nx_" #fn, "nx_" #fn "(a)", {C128, NONE_}, C128, bound, family, NULL, NULL, NULL, q_##ref}
#define C2(fn, bound, ref, family) \
    {"nx_" #fn, "nx_" #fn "(a, b)", {C64, C64}, C64, bound, family, NULL, NULL, NULL, q_##ref}, \
    {"nx_" #fn, "nx_" #fn "(a, b)", {C128, C128}, C128, bound, family, NULL, NULL, NULL, q_##ref}

static const struct row rows[] = {
    FN1(exp, 2, exp), FN1(expm1, 2, expm1), FN1(log, 2, log), FN1(log1p, 2, log1p), FN1(sigmoid, 2, sigmoid), FN1(cos, 2, cos), FN1(sin, 2, sin),
    FN1(tan, 2, tan), FN1(cosh, 2, cosh), FN1(sinh, 2, sinh), FN1(tanh, 2, tanh), FN1(acos, 2, acos), FN1(asin, 2, asin), FN1(atan, 2, atan),
    FN1(acosh, 2, acosh), FN1(asinh, 2, asinh), FN1(atanh, 2, atanh), FN1(sqrt, 0.5, sqrt), FN1(rsqrt, 2, rsqrt), FN1(cbrt, 2, cbrt),
    FN1(erf, 2, erf), FN1(erfc, 2, erfc), FN1(erf_inv, 2, erf_inv), FN1(sign, 0.5, sign), FN1(round, 0.5, round),
    FN2(div, 1, div, BINARY), FN2(remainder, 0.5, fmod, BINARY), FN2(pow, 2, pow, POWER), FN2(atan2, 2, atan2, BINARY),
    FN2(max, 0.5, max, BINARY), FN2(min, 0.5, min, BINARY),
    INT2(max, S32, INTS, max_s32), INT2(max, U32, INTS, max_u32), INT2(max, S64, INTS, max_s64), INT2(max, U64, INTS, max_u64),
    INT2(min, S32, INTS, min_s32), INT2(min, U32, INTS, min_u32), INT2(min, S64, INTS, min_s64), INT2(min, U64, INTS, min_u64),
    INT1("nx_popcount 32", "nx_popcount(a, 32u)", S32, S32, INTS, pop_s32), INT1("nx_popcount 32", "nx_popcount(a, 32u)", U32, U32, INTS, pop_u32),
    INT1("nx_popcount 8", "nx_popcount(a, 8u)", S32, S32, INTS, pop_s8), INT1("nx_popcount 64", "nx_popcount(a, 64u)", S64, S64, INTS, pop_s64),
    INT1("nx_popcount 64", "nx_popcount(a, 64u)", U64, U64, INTS, pop_u64),
    INT1("nx_clz 32", "nx_clz(a, 32u)", S32, S32, INTS, clz_s32), INT1("nx_clz 16", "nx_clz(a, 16u)", U32, U32, INTS, clz_u16),
    INT1("nx_clz 8", "nx_clz(a, 8u)", S32, S32, INTS, clz_s8), INT1("nx_clz 64", "nx_clz(a, 64u)", S64, S64, INTS, clz_s64), INT1("nx_clz 64", "nx_clz(a, 64u)", U64, U64, INTS, clz_u64),
    {"nx_shl 32", "nx_shl(a, b, 32u)", {S32, S32}, S32, 0, SHIFTS, NULL, NULL, bits_shl_s32}, {"nx_shl 8", "nx_shl(a, b, 8u)", {U32, U32}, U32, 0, SHIFTS, NULL, NULL, bits_shl_u8},
    {"nx_shl 64", "nx_shl(a, b, 64u)", {S64, S64}, S64, 0, SHIFTS, NULL, NULL, bits_shl_s64}, {"nx_shl 64", "nx_shl(a, b, 64u)", {U64, U64}, U64, 0, SHIFTS, NULL, NULL, bits_shl_u64},
    {"nx_shr 32", "nx_shr(a, b, 32u)", {S32, S32}, S32, 0, SHIFTS, NULL, NULL, bits_shr_s32}, {"nx_shr 8", "nx_shr(a, b, 8u)", {S32, S32}, S32, 0, SHIFTS, NULL, NULL, bits_shr_s8},
    {"nx_shr 32", "nx_shr(a, b, 32u)", {U32, U32}, U32, 0, SHIFTS, NULL, NULL, bits_shr_u32}, {"nx_shr 64", "nx_shr(a, b, 64u)", {S64, S64}, S64, 0, SHIFTS, NULL, NULL, bits_shr_s64},
    {"nx_shr 64", "nx_shr(a, b, 64u)", {U64, U64}, U64, 0, SHIFTS, NULL, NULL, bits_shr_u64},
    INT2(quotient, S32, INTS, quo_s32), INT2(quotient, U32, INTS, quo_u32), INT2(quotient, S64, INTS, quo_s64), INT2(quotient, U64, INTS, quo_u64),
    INT2(remainder, S32, INTS, rem_s32), INT2(remainder, U32, INTS, rem_u32), INT2(remainder, S64, INTS, rem_s64), INT2(remainder, U64, INTS, rem_u64),
    INT2(pow, S32, POW_INTS, pow_s32), INT2(pow, U32, POW_INTS, pow_u32), INT2(pow, S64, POW_INTS, pow_s64), INT2(pow, U64, POW_INTS, pow_u64),
    INT1("nx_sign", "nx_sign(a)", S32, S32, INTS, sign_s32), INT1("nx_sign", "nx_sign(a)", S64, S64, INTS, sign_s64),
    INT1("nx_nz", "uint(nx_nz(a))", S32, U32, INTS, nz_s32), INT1("nx_nz", "uint(nx_nz(a))", U32, U32, INTS, nz_u32),
    INT1("nx_nz", "uint(nx_nz(a))", S64, U32, INTS, nz_s64), INT1("nx_nz", "uint(nx_nz(a))", U64, U32, INTS, nz_u64),
    INT1("nx_nz", "uint(nx_nz(a))", F32, U32, UNARY, nz_f32), INT1("nx_is_nan", "nx_is_nan(a)", F32, U32, UNARY, nan_f32), INT1("nx_is_infinity", "nx_is_infinity(a)", F32, U32, UNARY, inf_f32),
    INT1("nx_nz", "uint(nx_nz(a))", F64, U32, UNARY, nz_f64), INT1("nx_is_nan", "nx_is_nan(a)", F64, U32, UNARY, nan_f64), INT1("nx_is_infinity", "nx_is_infinity(a)", F64, U32, UNARY, inf_f64),
    INT1("nx_to_int", "nx_to_int(a)", F32, S32, UNARY, s32_f32), INT1("nx_to_uint", "nx_to_uint(a)", F32, U32, UNARY, u32_f32),
    INT1("nx_to_sint 8", "nx_to_sint(a, 8u)", F32, S32, UNARY, s8_f32), INT1("nx_to_uint 8", "nx_to_uint(a, 8u)", F32, U32, UNARY, u8_f32), INT1("nx_to_sint 2", "nx_to_sint(a, 2u)", F32, S32, UNARY, s2_f32),
    INT1("nx_to_int", "nx_to_int(a)", F64, S32, UNARY, s32_f64), INT1("nx_to_uint", "nx_to_uint(a)", F64, U32, UNARY, u32_f64),
    INT1("nx_to_sint 16", "nx_to_sint(a, 16u)", F64, S32, UNARY, s16_f64), INT1("nx_to_uint 4", "nx_to_uint(a, 4u)", F64, U32, UNARY, u4_f64),
    INT1("nx_to_i64", "nx_to_i64(a)", F32, S64, UNARY, s64_f32), INT1("nx_to_u64", "nx_to_u64(a)", F32, U64, UNARY, u64_f32),
    INT1("nx_to_i64", "nx_to_i64(a)", F64, S64, UNARY, s64_f64), INT1("nx_to_u64", "nx_to_u64(a)", F64, U64, UNARY, u64_f64),
    INT1("nx_to_float", "nx_to_float(a)", S32, F32, INTS, f32_s32), INT1("nx_to_float", "nx_to_float(a)", U32, F32, INTS, f32_u32),
    INT1("nx_to_float", "nx_to_float(a)", S64, F32, INTS, f32_s64), INT1("nx_to_float", "nx_to_float(a)", U64, F32, INTS, f32_u64),
    INT1("nx_to_double", "nx_to_double(a)", S32, F64, INTS, f64_s32), INT1("nx_to_double", "nx_to_double(a)", U32, F64, INTS, f64_u32),
    INT1("nx_to_double", "nx_to_double(a)", S64, F64, INTS, f64_s64), INT1("nx_to_double", "nx_to_double(a)", U64, F64, INTS, f64_u64),
    INT1("nx_to_float", "nx_to_float(a)", F64, F32, UNARY, f32_f64), INT1("nx_to_double", "nx_to_double(a)", F32, F64, UNARY, f64_f32),
    BUILTIN2("a + b", add), BUILTIN2("a - b", sub), BUILTIN2("a * b", mul), BUILTIN1("-a", neg), BUILTIN1("abs(a)", abs), BUILTIN1("floor(a)", floor), BUILTIN1("ceil(a)", ceil),
    COMPARE("uint(a == b)", eq), COMPARE("uint(a != b)", ne), COMPARE("uint(a < b)", lt), COMPARE("uint(a >= b)", ge), COMPARE("uint(a <= b)", le),
    {"nx_abs", "nx_abs(a)", {F32, NONE_}, F32, 0.5, UNARY, NULL, mp_abs, NULL},
    COMPARE32("nx_equal", eq), COMPARE32("nx_less", lt), COMPARE32("nx_less_equal", le),
    C2(mul, 2, mul, PLANE), C2(div, 2, div, PLANE), C2(pow, 2, pow, POWERS), C1(conj, 0.5, ANNEX_G, conj), C1(sign, 2, PLANE, sign),
    {"nx_abs", "nx_abs(a)", {C64, NONE_}, F32, 1, ANNEX_G, NULL, NULL, NULL, q_abs}, {"nx_abs", "nx_abs(a)", {C128, NONE_}, F64, 1, ANNEX_G, NULL, NULL, NULL, q_abs},
    C1(exp, 2, ANNEX_G, exp), C1(expm1, 2, ANNEX_G, expm1), C1(log, 2, ANNEX_G, log), C1(log1p, 2, PLANE, log1p), C1(sigmoid, 2, PLANE, sigmoid), C1(sin, 2, ANNEX_G, sin),
    C1(cos, 2, ANNEX_G, cos), C1(tan, 2, ANNEX_G, tan), C1(sinh, 2, ANNEX_G, sinh), C1(cosh, 2, ANNEX_G, cosh), C1(tanh, 2, ANNEX_G, tanh), C1(asin, 2, ANNEX_G, asin),
    C1(acos, 2, ANNEX_G, acos), C1(atan, 2, ANNEX_G, atan), C1(asinh, 2, ANNEX_G, asinh), C1(acosh, 2, ANNEX_G, acosh), C1(atanh, 2, ANNEX_G, atanh), C1(sqrt, 2, ANNEX_G, sqrt),
    C1(rsqrt, 2, PLANE, rsqrt), C1(cbrt, 2, PLANE, cbrt),
    SMALL(f16, BITS16), SMALL(bf16, BITS16), SMALL(f8, BITS8), SMALL(f8e4m3fn, BITS8),
};

/* ---- inputs ---- */

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(double low, double high) { return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53); }

struct inputs {
    enum elem type[2];
    char *bytes[2];
    size_t count, cap;
};

static void push(struct inputs *in, const void *a, const void *b)
{
    if (in->count == in->cap) {
        in->cap = in->cap ? in->cap * 2 : 1 << 16;
        for (int i = 0; i < 2; i++)
            if (!(in->bytes[i] = realloc(in->bytes[i], in->cap * 16)))
                exit(2);
    }
    memcpy(in->bytes[0] + in->count * elems[in->type[0]].bytes, a, elems[in->type[0]].bytes);
    if (in->type[1])
        memcpy(in->bytes[1] + in->count * elems[in->type[1]].bytes, b, elems[in->type[1]].bytes);
    in->count++;
}

static void push_floats(struct inputs *in, double a, double b)
{
    if (in->type[0] == F32) {
        float fa = (float)a, fb = (float)b;
        push(in, &fa, &fb);
    } else {
        push(in, &a, &b);
    }
}

/* Where functions change their branch or run out of range; each with its neighbours and negated. */
static const double hard[] = {
    0.0, 0x1p-149, 0x1p-1074, 0x1p-126, 0x1p-1022, 0x1p-24, 0x1p-25, 0x1p-53, 0x1p-54, 0x1p-12, 0x1p-26, 0x1p-27, 0.1, 0.25, 0.34, 0.3465736, 0.34657359027997264,
    0.41421356, 0.41421356237309503, -0.29289322, 0.5, 0.55, 0.6, 0.625, 0.69314718, 0.6931471805599453, 0.70710678, 0.7071067811865476, 0.84375, 0.9, 1.0, 1.25,
    1.0397207708, 1.41421356, 1.4142135623730951, 1.5707963267948966, 2.0, 2.7182818284590452, 3.0, 3.141592653589793, 4.0, 4.71238898038469, 5.0, 6.0, 6.283185307179586, 8.0,
    9.0, 9.0197, 10.0, 10.05, 10.0546875, 13.0, 16.0, 17.0, 18.0, 19.0, 20.0, 22.0, 26.5, 27.2, 26.543258, 28.0, 32.0, 36.0, 37.0, 40.0, 64.0, 87.33654, 88.0, 88.3762626, 88.72283, 89.0,
    89.4159862, 90.0, 100.0, 103.97208, 104.0, 105.0, 127.0, 128.0, 255.0, 256.0, 511.0, 512.0, 700.0, 708.39641853226408, 709.78271289338397, 710.47586007394394, 745.13321910194122,
    746.0, 1000.0, 1023.0, 1024.0, 4096.0, 8388607.5, 8388608.0, 16777216.0, 32767.5, 32768.0, 65504.0, 65519.0, 65520.0, 65535.0, 65536.0, 448.0, 464.0, 480.0, 57344.0, 61440.0, 131072.0, 2147483648.0, 4294967296.0,
    4503599627370495.5, 4503599627370496.0, 9007199254740992.0, 0x1p63, 0x1p64, 1e10, 1e17, 1e22, 16367173.0, 6381956970095103.0 * 0x1p797, 0x1.6ac5b262ca1ffp849, 0x1p127, 0x1.fffffep127, 0x1p1023, 0x1.fffffffffffffp1023, INFINITY, NAN,
};
enum { HARD = sizeof hard / sizeof *hard };

static double step(enum elem type, double x, int by)
{
    if (isnan(x) || isinf(x))
        return x;
    if (type == F32) {
        float f = (float)x;
        int32_t i;
        memcpy(&i, &f, 4);
        i = i < 0 ? INT32_MIN - i : i;
        i += by;
        i = i < 0 ? INT32_MIN - i : i;
        memcpy(&f, &i, 4);
        return isnan(f) ? (double)(float)x : (double)f;
    }
    int64_t i;
    memcpy(&i, &x, 8);
    i = i < 0 ? INT64_MIN - i : i;
    i += by;
    i = i < 0 ? INT64_MIN - i : i;
    double r;
    memcpy(&r, &i, 8);
    return isnan(r) ? x : r;
}

static double random_float(enum elem type)
{
    uint64_t u = random_bits();
    if (type == F32) {
        uint32_t w = (uint32_t)u;
        float f;
        memcpy(&f, &w, 4);
        return f;
    }
    double d;
    memcpy(&d, &u, 8);
    return d;
}

/* A random significand at an exponent from `low` to `high`. */
static double random_scaled(int low, int high)
{
    double m = uniform(1, 2);
    return ldexp(random_bits() & 1 ? -m : m, low + (int)(random_bits() % (uint64_t)(high - low + 1)));
}

static void draw_floats(struct inputs *in, int family, uint32_t stride, size_t count)
{
    enum elem t = in->type[0];
    int top = t == F32 ? 127 : 1023;
    if (!in->type[1]) {
        for (int i = 0; i < HARD; i++)
            for (int by = -64; by <= 64; by++) {
                push_floats(in, step(t, hard[i], by), 0);
                push_floats(in, -step(t, hard[i], by), 0);
            }
        for (int k = 1; k < 2000; k++)
            for (int by = -2; by <= 2; by++)
                push_floats(in, step(t, k * 0.78539816339744831, by), 0);
        if (t == F32)
            for (uint64_t u = 0; u <= UINT32_MAX; u += stride) {
                uint32_t w = (uint32_t)u;
                push(in, &w, NULL);
            }
        static const double spans[] = {1, 2, 8, 30, 110, 800};
        for (size_t i = 0; i < count; i++) {
            push_floats(in, random_float(t), 0);
            double s = spans[i % 6];
            push_floats(in, uniform(-s, s), 0);
            push_floats(in, random_scaled(-30, 10), 0);
            if (i % 4 == 0)
                push_floats(in, 1 + random_scaled(t == F32 ? -24 : -53, -2), 0);
            if (i % 4 == 1)
                push_floats(in, trunc(random_scaled(0, t == F32 ? 30 : 60)) * 1.5707963267948966, 0);
            if (i % 4 == 2)
                push_floats(in, random_scaled(t == F32 ? -149 : -1074, t == F32 ? -124 : -1020), 0);
        }
        return;
    }
    for (int i = 0; i < HARD; i++)
        for (int j = 0; j < HARD; j++)
            for (int s = 0; s < 4; s++)
                push_floats(in, s & 1 ? -hard[i] : hard[i], s & 2 ? -hard[j] : hard[j]);
    for (int i = -20; i <= 20; i++)
        for (int j = -20; j <= 20; j++) {
            push_floats(in, i, j);
            push_floats(in, i * 0.5, j);
            push_floats(in, i, j * 0.5);
        }
    for (size_t i = 0; i < 2 * count; i++) {
        double a, b;
        switch (i % 4) {
        case 0: push_floats(in, random_float(t), random_float(t)); break;
        case 1: push_floats(in, random_scaled(-5, 5), random_scaled(-5, 5)); break;
        case 2:
            a = random_scaled(-top, top);
            push_floats(in, a, ldexp(random_scaled(-2, 2), ilogb(a)));
            break;
        default:
            a = i % 8 == 3 ? 1 + random_scaled(t == F32 ? -23 : -52, -2) : random_scaled(-top, top);
            b = uniform(-1, 1) * (t == F32 ? 104 : 745) / log(fabs(a));
            if (family == POWER)
                push_floats(in, fabs(a), b);
            else
                push_floats(in, a * (double)(int)(random_bits() % 100), a);
        }
    }
}

static void draw_ints(struct inputs *in, int family, size_t count)
{
    int bits = (int)elems[in->type[0]].bytes * 8;
    for (size_t i = 0; i < 4096 + 2 * count; i++) {
        uint64_t v[2];
        for (int j = 0; j < 2; j++) {
            uint64_t r = random_bits();
            v[j] = random_bits() >> (r % (uint64_t)bits);
            if (bits == 32)
                v[j] = (uint32_t)random_bits() >> (r % 32);
            if (r >> 8 & 1)
                v[j] = 0 - v[j];
            if (r >> 9 & 1 && r >> 10 & 1)
                v[j] = (uint64_t)1 << (r % (uint64_t)bits);
            if (i < 4096 / 2)
                v[j] = (j ? i % 45 : i / 45) - 22;
            else if (i < 4096)
                v[j] = ((uint64_t)1 << (bits - 1)) + random_bits() % 5 - 2;
            if ((r >> 12 & 15) == 0)
                v[j] = (r >> 16 & 3) - 1;
        }
        if (family == SHIFTS)
            v[1] = random_bits() % 80 - 8;
        if (family == POW_INTS && random_bits() & 1)
            v[1] %= 70;
        if (bits == 32) {
            uint32_t w[2] = {(uint32_t)v[0], (uint32_t)v[1]};
            push(in, &w[0], &w[1]);
        } else {
            push(in, &v[0], &v[1]);
        }
    }
}

static void push_point(struct inputs *in, double a, double b, double c, double d)
{
    double v[4] = {a, b, c, d};
    float f[4];
    for (int i = 0; i < 4; i++)
        f[i] = (float)v[i];
    if (in->type[0] == C64)
        push(in, f, f + 2);
    else
        push(in, v, v + 2);
}

/* Points of the plane: near 1, of all sizes, on the axes, on and near the unit circle, near the branch points and
   near multiples of pi/2; and every pair of special values. */
static void draw_plane(struct inputs *in, int family, size_t count)
{
    bool single = in->type[0] == C64;
    int least = single ? -140 : -1060, top = single ? 126 : 1022, digits = single ? 24 : 53;
    static const double special[] = {0.0, 0x1p-149, 0x1p-1074, 1e-30, 1.0, 1.5, 3.0, 100.0, 1e4, 1e30, 0x1p127, 0x1p1023, INFINITY, NAN};
    int specials = sizeof special / sizeof *special - (family == ANNEX_G ? 0 : 2);
    for (int i = 0; i < specials && family != POWERS; i++)
        for (int j = 0; j < specials; j++)
            for (int s = 0; s < 4; s++)
                push_point(in, s & 1 ? -special[i] : special[i], s & 2 ? -special[j] : special[j], 1, 1);
    for (size_t i = 0; i < 2 * count; i++) {
        double v[4];
        for (int j = 0; j < 4; j += 2) {
            bool wide = i & 8 && family != POWERS;
            int low = wide ? least : -12, high = wide ? top : 4;
            v[j] = random_scaled(low, high);
            v[j + 1] = i & 1 ? random_scaled(low, high) : v[j] * uniform(-2, 2);
            switch (i % 64) {
            case 2: v[j + 1] = 0; break;
            case 3: v[j] = 0; break;
            case 4: case 5: {
                double angle = uniform(-4, 4), r = i % 64 == 4 ? 1 : 1 + random_scaled(-digits, -2);
                v[j] = r * cos(angle);
                v[j + 1] = r * sin(angle);
                break;
            }
            case 6: case 7:
                v[j] = copysign(1 + random_scaled(-digits, -2), v[j]);
                v[j + 1] = random_scaled(i & 64 ? -digits : least, 0);
                break;
            case 16: case 17: case 18:
                v[j + 1] = (double)(random_bits() % 40) * 1.5707963267948966 * (1 + random_scaled(-digits, -8));
                break;
            case 19: case 20: case 21:
                v[j] = (double)(random_bits() % 40) * 1.5707963267948966 * (1 + random_scaled(-digits, -8));
                break;
            case 22: case 23:
                v[j] = uniform(-1, 1) * (single ? 92 : 715);
                break;
            }
        }
        push_point(in, v[0], v[1], v[2], v[3]);
    }
}

static void draw(struct inputs *in, const struct row *r, uint32_t stride, size_t count)
{
    in->type[0] = r->in[0];
    in->type[1] = r->in[1];
    in->count = 0;
    if (r->family == BITS16 || r->family == BITS8)
        for (uint32_t u = 0; u < (r->family == BITS8 ? 256u : 65536u); u++)
            push(in, &u, NULL);
    else if (r->quad)
        draw_plane(in, r->family, count);
    else if (elems[r->in[0]].is_float)
        draw_floats(in, r->family, stride, r->in[0] == F32 ? count * 4 : count);
    else
        draw_ints(in, r->family, count * 4);
}

/* ---- comparing ---- */

static double value_at(enum elem t, const char *bytes, size_t i)
{
    if (t == F32) {
        float f;
        memcpy(&f, bytes + i * 4, 4);
        return f;
    }
    double d;
    memcpy(&d, bytes + i * 8, 8);
    return d;
}

/* The error of `got` in units of the last place of the exact value; INFINITY for a wrong special. */
static double error_of(enum elem t, double got, const mpfr_t exact)
{
    int digits = t == F32 ? 24 : 53, least = t == F32 ? -149 : -1074, top = t == F32 ? 128 : 1024;
    if (mpfr_nan_p(exact))
        return isnan(got) ? 0 : INFINITY;
    if (mpfr_inf_p(exact) || mpfr_zero_p(exact)) {
        double want = mpfr_get_d(exact, MPFR_RNDN);
        return got == want && signbit(got) == signbit(want) ? 0 : INFINITY;
    }
    if (isnan(got) || !!signbit(got) != !!mpfr_signbit(exact))
        return INFINITY;
    mpfr_t e;
    mpfr_init2(e, 300);
    long unit = mpfr_get_exp(exact) - digits < least ? least : mpfr_get_exp(exact) - digits;
    if (unit > top - digits)
        unit = top - digits;
    double error;
    if (isinf(got)) {
        mpfr_set_ui_2exp(e, 1, top, MPFR_RNDN);
        if (mpfr_cmpabs(exact, e) >= 0) {
            mpfr_clear(e);
            return 0;
        }
        mpfr_setsign(e, e, signbit(got), MPFR_RNDN);
    } else {
        mpfr_set_d(e, got, MPFR_RNDN);
    }
    mpfr_sub(e, e, exact, MPFR_RNDN);
    mpfr_div_2si(e, e, unit, MPFR_RNDN);
    error = fabs(mpfr_get_d(e, MPFR_RNDN));
    mpfr_clear(e);
    return error;
}

/* The same with a reference of 53 bits: enough to see whether the exact one is worth computing. */
static double screen(float got, double want)
{
    if (!isfinite(want) || want == 0 || !isfinite(got) || !!signbit(got) != !!signbit(want))
        return INFINITY;
    int e = ilogb(want) < -126 ? -126 : ilogb(want) > 127 ? 127 : ilogb(want);
    return fabs((double)got - want) * ldexp(1, 23 - e);
}

static __complex128 plane_at(enum elem t, const char *bytes, size_t i)
{
    float f[2];
    double d[2] = {0, 0};
    if (t == C64) {
        memcpy(f, bytes + i * 8, 8);
        d[0] = f[0];
        d[1] = f[1];
    } else if (t == C128) {
        memcpy(d, bytes + i * 16, 16);
    } else {
        d[0] = value_at(t, bytes, i);
    }
    return complex_of(d[0], d[1]);
}

/* Zero, infinity and NaN as they have to be: -1 if that says nothing, 0 if right, else infinity. */
static double error_of_kind(bool single, double got, __float128 exact)
{
    bool over = fabsq(exact) >= (single ? 0x1.ffffffp127Q : 0x1.fffffffffffff8p1023Q);
    if (isnanq(exact))
        return isnan(got) ? 0 : INFINITY;
    if (over || exact == 0)
        return !isnan(got) && !!signbit(got) == !!signbitq(exact) && (over ? isinf(got) : got == 0) ? 0 : INFINITY;
    return isfinite(got) ? -1 : INFINITY;
}

/* The distance in ULP of the exact modulus; parts that are zero or not finite have to be just that. */
static double error_of_plane(enum elem t, __complex128 got, __complex128 exact, bool strict)
{
    bool single = t == C64 || t == F32;
    double re = error_of_kind(single, (double)crealq(got), crealq(exact)), im = t == C64 || t == C128 ? error_of_kind(single, (double)cimagq(got), cimagq(exact)) : 0;
    __float128 x = crealq(exact), y = cimagq(exact), fx = crealq(got), fy = cimagq(got);
    if (isnanq(y) && (x == 0 || isinfq(x)) && fabsq(fx) == fabsq(x))
        re = 0;     /* C leaves the sign open */
    if (isnanq(x) && (y == 0 || isinfq(y)) && fabsq(fy) == fabsq(y))
        im = 0;
    if (strict && fmax(re, im) > 0)
        return INFINITY;
    if (re >= 0 && im >= 0)
        return 0;
    __float128 m = cabsq(exact);
    if (re >= 0 || im >= 0) {   /* an overflowing part says nothing of the other */
        if (!finiteq(crealq(got)) || !finiteq(crealq(exact)))
            __real__ got = __real__ exact = 0;
        if (!finiteq(cimagq(got)) || !finiteq(cimagq(exact)))
            __imag__ got = __imag__ exact = 0;
    }
    __float128 d = cabsq(got - exact);
    m = finiteq(m) ? m : cabsq(exact);
    int e;
    frexpq(m, &e);
    e = e < (single ? -125 : -1021) ? (single ? -125 : -1021) : e;
    double r = (double)(d / ldexpq(1, e - (single ? 24 : 53)));
    return isnan(r) ? INFINITY : r;
}

struct worst {
    double error;
    size_t at;
};

static struct worst compare(const struct row *r, const struct inputs *in, const char *out)
{
    struct worst worst = {-1, 0};
    mpfr_t a, b, exact;
    mpfr_inits2(64, a, b, (mpfr_ptr)0);
    mpfr_init2(exact, 160);
    for (size_t i = 0; i < in->count; i++) {
        double error;
        if (r->quad) {
            __complex128 a = plane_at(r->in[0], in->bytes[0], i), b = r->in[1] ? plane_at(r->in[1], in->bytes[1], i) : 0;
            error = error_of_plane(r->out, plane_at(r->out, out, i), r->quad(a, b), r->family == ANNEX_G);
        } else if (r->bits) {
            char want[16] = {0};
            size_t n = elems[r->out].bytes;
            r->bits(in->bytes[0] + i * elems[r->in[0]].bytes, in->bytes[1] + (r->in[1] ? i * elems[r->in[1]].bytes : 0), want);
            bool nan = elems[r->out].is_float && isnan(value_at(r->out, want, 0)) && isnan(value_at(r->out, out, i));
            error = nan || !memcmp(want, out + i * n, n) ? 0 : INFINITY;
        } else {
            double va = value_at(r->in[0], in->bytes[0], i), vb = r->in[1] ? value_at(r->in[1], in->bytes[1], i) : 0, got = value_at(r->out, out, i);
            if (r->out == F32 && r->fast) {
                double want = r->fast(va, vb);
                if (isnan(want) && isnan(got))
                    continue;
                if (screen((float)got, want) < (worst.error > 0.49 ? worst.error - 1e-6 : 0.49))
                    continue;
                if ((want == 0 || isinf(want)) && got == want && signbit(got) == signbit(want) && r->family == UNARY && !isfinite(va))
                    continue;
            }
            mpfr_set_d(a, va, MPFR_RNDN);
            mpfr_set_d(b, vb, MPFR_RNDN);
            r->exact(exact, a, b);
            error = error_of(r->out, got, exact);
        }
        if (error > worst.error)
            worst = (struct worst){error, i};
        if (isinf(worst.error))
            break;
    }
    mpfr_clears(a, b, exact, (mpfr_ptr)0);
    return worst;
}

static void print_value(enum elem t, const char *bytes, size_t i)
{
    uint64_t bits = 0;
    if (t == C64 || t == C128) {
        __complex128 z = plane_at(t, bytes, i);
        printf("(%.*g, %.*g)", t == C64 ? 9 : 17, (double)crealq(z), t == C64 ? 9 : 17, (double)cimagq(z));
        return;
    }
    memcpy(&bits, bytes + i * elems[t].bytes, elems[t].bytes > 8 ? 8 : elems[t].bytes);
    if (t == F32 || t == F64)
        printf(t == F32 ? "%.9g" : "%.17g", value_at(t, bytes, i));
    printf(t == F32 || t == F64 ? "[%llx]" : "0x%llx", (unsigned long long)bits);
}

int main(int argc, char **argv)
{
    const char *where = "vk:0", *only = "", *root = "templates";
    uint32_t stride = 4099;
    size_t count = 20000;
    bool controls = true, fma = false, verbose = false;
    for (int i = 1; i < argc; i++) {
        const char *eq = strchr(argv[i], '=');
        if (!strncmp(argv[i], "--device=", 9)) where = eq + 1;
        else if (!strncmp(argv[i], "--only=", 7)) only = eq + 1;
        else if (!strncmp(argv[i], "--root=", 7)) root = eq + 1;
        else if (!strncmp(argv[i], "--stride=", 9)) stride = (uint32_t)strtoul(eq + 1, NULL, 0);
        else if (!strncmp(argv[i], "--count=", 8)) count = strtoul(eq + 1, NULL, 0);
        else if (!strcmp(argv[i], "--no-controls")) controls = false;
        else if (!strcmp(argv[i], "--fma")) fma = true;
        else if (!strcmp(argv[i], "-v")) verbose = true;
        else return fprintf(stderr, "usage: numerics [--device=native|vk:N] [--only=text] [--stride=N] [--count=N] [--root=templates] [--no-controls] [--fma] [-v]\n"), 2;
    }
    struct device *d = device_open(where, root, controls, fma);
    struct inputs in = {0};
    int passed = 0, failed = 0, skipped = 0;
    printf("%-22s %-5s %9s  %s (%s)\n", "function", "type", "max_ulp", "at", device_name(d));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        char key[96];
        snprintf(key, sizeof key, "%s %s", r->name, elems[r->in[0]].name);
        if (!strstr(key, only))
            continue;
        struct kernel *k = device_has(d, r->in[0]) && device_has(d, r->in[1]) && device_has(d, r->out) ? kernel_create(d, r) : NULL;
        if (!k) {
            skipped++;
            if (verbose)
                printf("%-22s %-5s %9s\n", r->name, elems[r->in[0]].name, "-");
            continue;
        }
        draw(&in, r, stride, count);
        char *out = malloc(in.count * elems[r->out].bytes + 16);
        kernel_run(k, in.bytes[0], in.bytes[1], out, in.count);
        struct worst w = compare(r, &in, out);
        bool bad = w.error > r->bound + 1e-3;
        bad ? failed++ : passed++;
        printf("%-22s %-5s %9.3f%s ", r->name, elems[r->in[0]].name, w.error < 0 ? 0.0 : w.error, bad ? "!" : " ");
        if (w.error > 0) {
            print_value(r->in[0], in.bytes[0], w.at);
            if (r->in[1]) {
                printf(", ");
                print_value(r->in[1], in.bytes[1], w.at);
            }
            printf(" -> ");
            print_value(r->out, out, w.at);
        }
        printf("  of %zu\n", in.count);
        fflush(stdout);
        free(out);
        kernel_destroy(k);
    }
    free(in.bytes[0]);
    free(in.bytes[1]);
    device_close(d);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed ? 1 : 0;
}
