/* What is tested: a row per function and type, with its reference. */
#include "numerics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
double narrow_decode(const struct format *f, uint32_t bits)
{
    int exp_bits = f->exp_bits, man_bits = f->man_bits;
    bool has_inf = f->has_inf;
    int bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1, e = (int)(bits >> man_bits) & top;
    uint32_t m = bits & ((1u << man_bits) - 1);
    double sign = bits >> (exp_bits + man_bits) & 1 ? -1 : 1;
    if (e == top && has_inf)
        return m ? NAN : sign * INFINITY;
    if (e == top && m == (1u << man_bits) - 1)
        return NAN;
    return e ? sign * ldexp(m | 1u << man_bits, e - bias - man_bits) : sign * ldexp(m, 1 - bias - man_bits);
}

uint32_t narrow_encode(const struct format *f, double x)
{
    int exp_bits = f->exp_bits, man_bits = f->man_bits;
    bool has_inf = f->has_inf;
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

static const struct format formats[] = {{"f16", 5, 10, true}, {"bf16", 8, 7, true}, {"f8", 5, 2, true}, {"f8e4m3fn", 4, 3, false}};
enum { FORMATS = sizeof formats / sizeof *formats };

#define NARROW(name, i)                                                           \
    BITS1(encode_##name, float, uint32_t, narrow_encode(&formats[i], a))          \
    BITS1(encode64_##name, double, uint32_t, narrow_encode(&formats[i], a))       \
    BITS1(decode_##name, uint32_t, float, (float)narrow_decode(&formats[i], a))   \
    BITS1(round_##name, float, float, (float)narrow_decode(&formats[i], narrow_encode(&formats[i], a)))
NARROW(f16, 0)
NARROW(bf16, 1)
NARROW(f8, 2)
NARROW(f8e4m3fn, 3)

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

static void bits_two_prod(const void *pa, const void *pb, void *pr)
{
    float a, b, r;
    memcpy(&a, pa, 4);
    memcpy(&b, pb, 4);
    r = (float)((double)a * b - (float)((double)a * b));
    memcpy(pr, &r, 4);
}

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
    {"nx_two_prod low", "nx_two_prod(a, b).y", {F32, F32}, F32, 0, FUSED, NULL, NULL, bits_two_prod},
    COMPARE32("nx_equal", eq), COMPARE32("nx_less", lt), COMPARE32("nx_less_equal", le),
    C2(mul, 2, mul, PLANE), C2(div, 2, div, PLANE), C2(pow, 2, pow, POWERS), C1(conj, 0.5, ANNEX_G, conj), C1(sign, 2, PLANE, sign),
    {"nx_abs", "nx_abs(a)", {C64, NONE_}, F32, 1, ANNEX_G, NULL, NULL, NULL, q_abs}, {"nx_abs", "nx_abs(a)", {C128, NONE_}, F64, 1, ANNEX_G, NULL, NULL, NULL, q_abs},
    C1(exp, 2, ANNEX_G, exp), C1(expm1, 2, ANNEX_G, expm1), C1(log, 2, ANNEX_G, log), C1(log1p, 2, PLANE, log1p), C1(sigmoid, 2, PLANE, sigmoid), C1(sin, 2, ANNEX_G, sin),
    C1(cos, 2, ANNEX_G, cos), C1(tan, 2, ANNEX_G, tan), C1(sinh, 2, ANNEX_G, sinh), C1(cosh, 2, ANNEX_G, cosh), C1(tanh, 2, ANNEX_G, tanh), C1(asin, 2, ANNEX_G, asin),
    C1(acos, 2, ANNEX_G, acos), C1(atan, 2, ANNEX_G, atan), C1(asinh, 2, ANNEX_G, asinh), C1(acosh, 2, ANNEX_G, acosh), C1(atanh, 2, ANNEX_G, atanh), C1(sqrt, 2, ANNEX_G, sqrt),
    C1(rsqrt, 2, PLANE, rsqrt), C1(cbrt, 2, PLANE, cbrt),
    SMALL(f16, BITS16), SMALL(bf16, BITS16), SMALL(f8, BITS8), SMALL(f8e4m3fn, BITS8),
};

/* Small floats are computed as f32 and rounded: the same functions between a decoding and an encoding. The f32 result
   may be 2 of its ULP off, which is 2^-12 ULP of f16, 2^-15 of bf16. */
static struct row narrow_row(const struct row *r, const struct format *f)
{
    char call[256], *at = call;
    for (const char *p = r->call; *p; p++) {
        bool operand = (*p == 'a' || *p == 'b') && (p == r->call || !strchr("abcdefghijklmnopqrstuvwxyz_", p[-1])) && !strchr("abcdefghijklmnopqrstuvwxyz", p[1] ? p[1] : '.');
        at += sprintf(at, operand ? "nx_decode_%s(%c)" : "%.0s%c", operand ? f->name : "", *p);
    }
    char *whole = malloc(512);
    if (!whole)
        exit(2);
    snprintf(whole, 512, "nx_encode_%s(%s)", f->name, call);
    enum family family = f->exp_bits + f->man_bits > 7 ? BITS16 : BITS8;
    return (struct row){.name = r->name, .call = whole, .in = {U32, r->in[1] ? U32 : NONE_}, .out = U32, .bound = 0.5 + 0x1p-11, .family = family,
                        .fast = r->fast, .exact = r->exact, .narrow = f};
}

const struct row *all_rows(size_t *out_count)
{
    enum { FIXED = sizeof rows / sizeof *rows };
    static struct row all[FIXED * (1 + FORMATS)];
    size_t n = FIXED;
    memcpy(all, rows, sizeof rows);
    for (size_t i = 0; i < FIXED; i++)
        for (int f = 0; f < FORMATS && rows[i].in[0] == F32 && rows[i].out == F32 && rows[i].exact && rows[i].family != FUSED; f++)
            all[n++] = narrow_row(&rows[i], &formats[f]);
    *out_count = n;
    return all;
}
