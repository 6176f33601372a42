/* How far results are from their references, in units of the last place. */
#include "numerics.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

double value_at(enum elem t, const char *bytes, size_t i)
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

/* The error of `got` in units of the last place of the exact value; INFINITY for a wrong
   special. */
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

/* The same with a reference of 53 bits: enough to see whether the exact one is worth computing.
   What is infinite or 0 in doubles, having overflowed or underflowed there, does so in floats. */
static double screen(float got, double want)
{
    if (!!signbit(got) != !!signbit(want) || isnan(got) || isnan(want))
        return INFINITY;
    if (isinf(got) || want == 0)
        return (double)got == want || fabs(want) >= 0x1p128 ? 0 : INFINITY;
    if (isinf(want))
        return INFINITY;
    uint64_t bits;
    memcpy(&bits, &want, 8);
    int e = (int)(bits >> 52 & 2047) - 1023;
    e = e < -126 ? -126 : e > 127 ? 127 : e;
    uint64_t unit = (uint64_t)(1023 + 23 - e) << 52;
    double scale;
    memcpy(&scale, &unit, 8);
    return fabs((double)got - want) * scale;
}

__complex128 plane_at(enum elem t, const char *bytes, size_t i)
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
    __complex128 z;
    __real__ z = d[0];
    __imag__ z = d[1];
    return z;
}

/* Zero, infinity and NaN as they have to be: -1 if that says nothing, 0 if right, else infinity. */
static double error_of_kind(bool single, double got, __float128 exact)
{
    bool over = fabsq(exact) >= (single ? 0x1.ffffffp127Q : 0x1.fffffffffffff8p1023Q);
    if (isnanq(exact))
        return isnan(got) ? 0 : INFINITY;
    if (over || exact == 0)
        return !isnan(got) && !!signbit(got) == !!signbitq(exact) && (over ? isinf(got) : got == 0)
                   ? 0
                   : INFINITY;
    return isfinite(got) ? -1 : INFINITY;
}

/* The distance in ULP of the exact modulus; parts that are zero or not finite have to be just
   that. C leaves open the sign of a zero or an infinity beside a NaN, and of a zero where a NaN
   went in and none came out. */
static double error_of_plane(enum elem t, __complex128 got, __complex128 exact, bool nan_in,
                             bool strict)
{
    bool single = t == C64 || t == F32;
    double re = error_of_kind(single, (double)crealq(got), crealq(exact)),
           im = t == C64 || t == C128 ? error_of_kind(single, (double)cimagq(got), cimagq(exact))
                                      : 0;
    __float128 x = crealq(exact), y = cimagq(exact), fx = crealq(got), fy = cimagq(got);
    if ((isnanq(y) && (x == 0 || isinfq(x)) && fabsq(fx) == fabsq(x)) ||
        (nan_in && !isnanq(y) && x == 0 && fx == 0))
        re = 0;
    if ((isnanq(x) && (y == 0 || isinfq(y)) && fabsq(fy) == fabsq(y)) ||
        (nan_in && !isnanq(x) && y == 0 && fy == 0))
        im = 0;
    if (strict && fmax(re, im) > 0)
        return INFINITY;
    if (re >= 0 && im >= 0)
        return 0;
    __float128 m = cabsq(exact);
    if (re >= 0 || im >= 0) { /* an overflowing part says nothing of the other */
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

static bool is_subnormal(__float128 x, bool single)
{
    return x != 0 && fabsq(x) < (single ? 0x1p-126Q : 0x1p-1022Q);
}

/* Whether both parts, by themselves, are as good as regressions.c says: a small one beside a large
   one, too, that the modulus says nothing of. Not of operands that are subnormal, which have few
   digits on the way, nor of parts that are nearly. */
static bool has_parts(enum elem t, __complex128 in, __complex128 got, __complex128 exact,
                      double bound)
{
    const bool single = t == C64;
    const __float128 least = single ? 0x1p-100Q : 0x1p-960Q, most = single ? 0x1p126Q : 0x1p1022Q;
    bool is_good = true;
    if (is_subnormal(crealq(in), single) || is_subnormal(cimagq(in), single))
        return true;
    for (int k = 0; k < 2; k++) {
        __float128 x = k ? cimagq(got) : crealq(got), wanted = k ? cimagq(exact) : crealq(exact);
        if (!(fabsq(wanted) >= least && fabsq(wanted) < most))
            continue;
        int e;
        frexpq(wanted, &e);
        is_good &= fabsq(x - wanted) <= bound * ldexpq(1, e - (single ? 24 : 53));
    }
    return is_good;
}

/* Of a small float, in units of its own; what is beyond its largest counts as that. */
static double error_of_narrow(const struct format *f, uint32_t bits, double want)
{
    double got = narrow_decode(f, bits);
    uint32_t right = narrow_encode(f, want), all = (1u << (f->exp_bits + f->man_bits)) - 1;
    int bias = (1 << (f->exp_bits - 1)) - 1, least = 1 - bias;
    if (isnan(want))
        return isnan(got) ? 0 : INFINITY;
    if (want == 0 || isinf(want) || ((bits ^ right) & ~all) != 0 || isnan(got))
        return bits == right ? 0 : INFINITY;
    if (bits == right && (isinf(got) || (!f->has_inf && (bits & all) == all - 1)))
        return 0;
    double top = isinf(got) ? ldexp(1, bias + 1) : fabs(got);
    return fabs(top - fabs(want)) *
           ldexp(1, f->man_bits - (ilogb(want) < least ? least : ilogb(want)));
}

struct share {
    const struct row *row;
    const struct inputs *in;
    const char *out;
    size_t from, to;
    struct worst worst;
};

static double plain_error(const struct share *s, size_t i, mpfr_t a, mpfr_t b, mpfr_t exact)
{
    const struct row *r = s->row;
    const struct inputs *in = s->in;
    double va, vb = 0, got = 0;
    uint32_t bits = 0;
    if (r->narrow) {
        uint32_t u[2] = {0, 0};
        memcpy(&u[0], in->bytes[0] + 4 * i, 4);
        if (r->in[1])
            memcpy(&u[1], in->bytes[1] + 4 * i, 4);
        va = narrow_decode(r->narrow, u[0]);
        vb = narrow_decode(r->narrow, u[1]);
        memcpy(&bits, s->out + 4 * i, 4);
    } else {
        va = value_at(r->in[0], in->bytes[0], i);
        vb = r->in[1] ? value_at(r->in[1], in->bytes[1], i) : 0;
        got = value_at(r->out, s->out, i);
    }
    if (r->fast && (r->narrow || r->out == F32)) {
        double want = r->fast(va, vb);
        if (r->narrow) {
            double e = error_of_narrow(r->narrow, bits, want);
            if (e <= 0.5)
                return e;
        } else {
            if (isnan(want) && isnan(got))
                return 0;
            /* of two arguments, or of 0, the exact function says */
            bool special = va == 0 || want == 0 || !isfinite(want);
            if ((!special || (r->family == UNARY && va != 0)) &&
                screen((float)got, want) < (s->worst.error > 0.49 ? s->worst.error - 1e-6 : 0.49))
                return 0;
        }
    }
    mpfr_set_d(a, va, MPFR_RNDN);
    mpfr_set_d(b, vb, MPFR_RNDN);
    r->exact(exact, a, b);
    return r->narrow ? error_of_narrow(r->narrow, bits, mpfr_get_d(exact, MPFR_RNDN))
                     : error_of(r->out, got, exact);
}

static void *compare_share(void *argument)
{
    struct share *s = argument;
    const struct row *r = s->row;
    const struct inputs *in = s->in;
    mpfr_t a, b, exact;
    mpfr_inits2(64, a, b, (mpfr_ptr)0);
    mpfr_init2(exact, 160);
    s->worst = (struct worst){-1, s->from};
    for (size_t i = s->from; i < s->to && !isinf(s->worst.error); i++) {
        double error;
        if (r->quad) {
            __complex128 x = plane_at(r->in[0], in->bytes[0], i),
                         y = r->in[1] ? plane_at(r->in[1], in->bytes[1], i) : 0;
            __complex128 got = plane_at(r->out, s->out, i), wanted = r->quad(x, y);
            bool nan_in = isnanq(crealq(x)) || isnanq(cimagq(x));
            error = error_of_plane(r->out, got, wanted, nan_in, r->family == ANNEX_G);
            if (part_bound(r) > 0 && !has_parts(r->out, x, got, wanted, part_bound(r)))
                error = INFINITY;
        } else if (r->bits) {
            char want[16] = {0};
            size_t n = elems[r->out].bytes;
            r->bits(in->bytes[0] + i * elems[r->in[0]].bytes,
                    in->bytes[1] + (r->in[1] ? i * elems[r->in[1]].bytes : 0), want);
            bool nan = elems[r->out].is_float && isnan(value_at(r->out, want, 0)) &&
                       isnan(value_at(r->out, s->out, i));
            error = nan || !memcmp(want, s->out + i * n, n) ? 0 : INFINITY;
        } else {
            error = plain_error(s, i, a, b, exact);
        }
        if (error > s->worst.error)
            s->worst = (struct worst){error, i};
    }
    mpfr_clears(a, b, exact, (mpfr_ptr)0);
    mpfr_free_cache();
    return NULL;
}

/* Every processor takes a part; the first of the worst is the answer, however many there are. */
struct worst compare(const struct row *r, const struct inputs *in, const char *out)
{
    enum { MOST = 64 };
    struct share share[MOST];
    pthread_t thread[MOST];
    bool started[MOST] = {false};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = in->count < 1 << 14 || cores < 2 ? 1 : cores > MOST ? MOST : (size_t)cores;
    for (size_t i = 0; i < n; i++) {
        share[i] = (struct share){
            r,      in, out, in->count / n * i, i + 1 == n ? in->count : in->count / n * (i + 1),
            {-1, 0}};
        started[i] = i > 0 && pthread_create(&thread[i], NULL, compare_share, &share[i]) == 0;
        if (i > 0 && !started[i])
            compare_share(&share[i]);
    }
    compare_share(&share[0]);
    struct worst worst = share[0].worst;
    for (size_t i = 1; i < n; i++) {
        if (started[i])
            pthread_join(thread[i], NULL);
        if (share[i].worst.error > worst.error)
            worst = share[i].worst;
    }
    return worst;
}
