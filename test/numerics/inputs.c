/* The inputs of a row: special and hard values, all bits of the small types, strided and random
   ones of the others. */
#include "numerics.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

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
    0.0,
    0x1p-149,
    0x1p-1074,
    0x1p-126,
    0x1p-1022,
    0x1p-24,
    0x1p-25,
    0x1p-53,
    0x1p-54,
    0x1p-12,
    0x1p-26,
    0x1p-27,
    0.1,
    0.25,
    0.34,
    0.3465736,
    0.34657359027997264,
    0.41421356,
    0.41421356237309503,
    -0.29289322,
    0.5,
    0.55,
    0.6,
    0.625,
    0.69314718,
    0.6931471805599453,
    0.70710678,
    0.7071067811865476,
    0.84375,
    0.9,
    1.0,
    1.25,
    1.0397207708,
    1.41421356,
    1.4142135623730951,
    1.5707963267948966,
    2.0,
    2.7182818284590452,
    3.0,
    3.141592653589793,
    4.0,
    4.71238898038469,
    5.0,
    6.0,
    6.283185307179586,
    8.0,
    9.0,
    9.0197,
    10.0,
    10.05,
    10.0546875,
    13.0,
    16.0,
    17.0,
    18.0,
    19.0,
    20.0,
    22.0,
    26.5,
    27.2,
    26.543258,
    28.0,
    32.0,
    36.0,
    37.0,
    40.0,
    64.0,
    87.33654,
    88.0,
    88.3762626,
    88.72283,
    89.0,
    89.4159862,
    90.0,
    100.0,
    103.97208,
    104.0,
    105.0,
    127.0,
    128.0,
    255.0,
    256.0,
    511.0,
    512.0,
    700.0,
    708.39641853226408,
    709.78271289338397,
    710.47586007394394,
    745.13321910194122,
    746.0,
    1000.0,
    1023.0,
    1024.0,
    4096.0,
    8388607.5,
    8388608.0,
    16777216.0,
    32767.5,
    32768.0,
    65504.0,
    65519.0,
    65520.0,
    65535.0,
    65536.0,
    448.0,
    464.0,
    480.0,
    57344.0,
    61440.0,
    131072.0,
    2147483648.0,
    4294967296.0,
    4503599627370495.5,
    4503599627370496.0,
    9007199254740992.0,
    0x1p63,
    0x1p64,
    1e10,
    1e17,
    1e22,
    16367173.0,
    6381956970095103.0 * 0x1p797,
    0x1.6ac5b262ca1ffp849,
    0x1p127,
    0x1.fffffep127,
    0x1p1023,
    0x1.fffffffffffffp1023,
    INFINITY,
    NAN,
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

/* Every NaN of one bit, quiet or not. */
static void push_nans(struct inputs *in)
{
    bool is_wide = in->type[0] != F32;
    for (int bit = 0; bit < (is_wide ? 52 : 23); bit++)
        for (int minus = 0; minus < 2; minus++) {
            uint64_t wide = UINT64_C(0x7ff) << 52 | UINT64_C(1) << bit | (uint64_t)minus << 63;
            uint32_t narrow =
                UINT32_C(0xff) << 23 | UINT32_C(1) << bit % 32 | (uint32_t)minus << 31;
            push(in, is_wide ? (void *)&wide : (void *)&narrow, &wide);
        }
}

/* A random significand at an exponent from `low` to `high`. */
static double random_scaled(int low, int high)
{
    double m = uniform(1, 2);
    return ldexp(random_bits() & 1 ? -m : m,
                 low + (int)(random_bits() % (uint64_t)(high - low + 1)));
}

static void draw_floats(struct inputs *in, int family, size_t count)
{
    enum elem t = in->type[0];
    int top = t == F32 ? 127 : 1023;
    if (!in->type[1]) {
        push_nans(in);
        for (int i = 0; i < HARD; i++)
            for (int by = -64; by <= 64; by++) {
                push_floats(in, step(t, hard[i], by), 0);
                push_floats(in, -step(t, hard[i], by), 0);
            }
        for (int k = 1; k < 2000; k++)
            for (int by = -2; by <= 2; by++)
                push_floats(in, step(t, k * 0.78539816339744831, by), 0);
        static const double spans[] = {1, 2, 8, 30, 110, 800};
        for (size_t i = 0; i < count; i++) {
            push_floats(in, random_float(t), 0);
            double s = spans[i % 6];
            push_floats(in, uniform(-s, s), 0);
            push_floats(in, random_scaled(-30, 10), 0);
            if (i % 4 == 0)
                push_floats(in, 1 + random_scaled(t == F32 ? -24 : -53, -2), 0);
            if (i % 4 == 1)
                push_floats(in, trunc(random_scaled(0, t == F32 ? 30 : 60)) * 1.5707963267948966,
                            0);
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

/* Powers a^b whose angle is just past an odd multiple of pi/4, so that it is past it only with
   what one number cannot hold: b = w / log a for such a w, rounded. */
static void draw_turns(struct inputs *in, size_t count)
{
    int digits = in->type[0] == C64 ? 24 : 53;
    for (size_t i = 0; i < count; i++) {
        double complex a = random_scaled(-12, 4) + random_scaled(-12, 4) * I;
        double angle = 0.78539816339744831 * (double)(2 * (random_bits() % 300) + 1);
        double complex b =
            (uniform(-40, 40) + angle * (1 + random_scaled(-digits - 2, -digits)) * I) / clog(a);
        push_point(in, creal(a), cimag(a), creal(b), cimag(b));
    }
}

/* Points of the plane: near 1, of all sizes, on the axes, on and near the unit circle, near the
   branch points and near multiples of pi/2; and every pair of special values. */
static void draw_plane(struct inputs *in, int family, size_t count)
{
    if (family == POWERS)
        draw_turns(in, count / 8);
    bool single = in->type[0] == C64;
    int least = single ? -140 : -1060, top = single ? 126 : 1022, digits = single ? 24 : 53;
    static const double special[] = {0.0,   0x1p-149, 0x1p-1074, 1e-30,   1.0,      1.5,      3.0,
                                     100.0, 1e4,      1e30,      0x1p127, 0x1p1023, INFINITY, NAN};
    int specials = sizeof special / sizeof *special - (family == ANNEX_G ? 0 : 2);
    for (int i = 0; i < specials && family != POWERS; i++)
        for (int j = 0; j < specials; j++)
            for (int s = 0; s < 4; s++)
                push_point(in, s & 1 ? -special[i] : special[i], s & 2 ? -special[j] : special[j],
                           1, 1);
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
            case 4:
            case 5: {
                double angle = uniform(-4, 4), r = i % 64 == 4 ? 1 : 1 + random_scaled(-digits, -2);
                v[j] = r * cos(angle);
                v[j + 1] = r * sin(angle);
                break;
            }
            case 6:
            case 7:
                v[j] = copysign(1 + random_scaled(-digits, -2), v[j]);
                v[j + 1] = random_scaled(i & 64 ? -digits : least, 0);
                break;
            case 16:
            case 17:
            case 18:
                v[j + 1] = (double)(random_bits() % 40) * 1.5707963267948966 *
                           (1 + random_scaled(-digits, -8));
                break;
            case 19:
            case 20:
            case 21:
                v[j] = (double)(random_bits() % 40) * 1.5707963267948966 *
                       (1 + random_scaled(-digits, -8));
                break;
            case 22:
            case 23: v[j] = uniform(-1, 1) * (single ? 92 : 715); break;
            }
        }
        push_point(in, v[0], v[1], v[2], v[3]);
    }
}

/* All values of the small types; pairs of 8 bits all, of 16 bits a sample with every pair of
   special values. */
static void draw_bits(struct inputs *in, int family, size_t count)
{
    uint32_t all = family == BITS8 ? 256 : 65536;
    if (!in->type[1])
        for (uint32_t u = 0; u < all; u++)
            push(in, &u, NULL);
    else if (family == BITS8)
        for (uint32_t u = 0; u < all * all; u++)
            push(in, &(uint32_t){u / all}, &(uint32_t){u % all});
    if (!in->type[1] || family == BITS8)
        return;
    /* f16 */
    static const uint32_t special[] = {
        0, 1, 0x3ff, 0x400, 0x3bff, 0x3c00, 0x3c01, 0x4000, 0x4200, 0x7bff, 0x7c00, 0x7e00,
        /* bf16 */
        0x7f, 0x80, 0x3f7f, 0x3f80, 0x3f81, 0x4040, 0x7f7f, 0x7f80, 0x7fc0};
    enum { SPECIAL = sizeof special / sizeof *special };
    for (int i = 0; i < SPECIAL; i++)
        for (int j = 0; j < SPECIAL; j++)
            for (uint32_t s = 0; s < 4; s++)
                push(in, &(uint32_t){special[i] | (s & 1) << 15},
                     &(uint32_t){special[j] | (s & 2) << 14});
    for (size_t i = 0; i < 8 * count; i++) {
        uint64_t r = random_bits();
        uint32_t u = (uint32_t)r & 0xffff, v = (uint32_t)(r >> 16) & 0xffff;
        if (i & 1) /* near 1, where results are */
            v = (v & 0x8fff) | 0x3000;
        push(in, &u, &v);
    }
}

static void begin(struct inputs *in, const struct row *r)
{
    in->type[0] = r->in[0];
    in->type[1] = r->in[1];
    in->count = 0;
}

void draw(struct inputs *in, const struct row *r, size_t count)
{
    begin(in, r);
    if (r->family == BITS16 || r->family == BITS8)
        draw_bits(in, r->family, count);
    else if (r->family == FUSED)
        for (size_t i = 0; i < 4 * count; i++)
            push_floats(in, random_scaled(-20, 20), random_scaled(-20, 20));
    else if (r->quad)
        draw_plane(in, r->family, count);
    else if (elems[r->in[0]].is_float)
        draw_floats(in, r->family, r->in[0] == F32 ? count * 4 : count);
    else
        draw_ints(in, r->family, count * 4);
}

bool draw_sweep(struct inputs *in, const struct row *r, uint64_t *next, uint32_t stride)
{
    if (r->in[0] != F32 || r->in[1] || r->family != UNARY || *next > UINT32_MAX)
        return false;
    begin(in, r);
    for (; *next <= UINT32_MAX && in->count < 1 << 22; *next += stride) {
        uint32_t w = (uint32_t)*next;
        push(in, &w, NULL);
    }
    return true;
}
