#include "base/num.h"

#include <math.h>
#include <string.h>

struct format {
    int exp_bits, man_bits;
    bool has_inf; /* f8_e4m3fn has none: its top exponent holds numbers up to 448 */
};

static struct format format_of(enum vkc_type type)
{
    switch (type) {
    case TYPE_F8: return (struct format){5, 2, true};
    case TYPE_F8E4M3FN: return (struct format){4, 3, false};
    case TYPE_F16: return (struct format){5, 10, true};
    case TYPE_BF16: return (struct format){8, 7, true};
    default: return (struct format){8, 23, true};
    }
}

double num_float_decode(enum vkc_type type, uint64_t bits)
{
    if (type == TYPE_F64) {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    if (type == TYPE_F32) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        return f;
    }
    struct format f = format_of(type);
    int bias = (1 << (f.exp_bits - 1)) - 1, top = (1 << f.exp_bits) - 1;
    uint64_t man = bits & ((1u << f.man_bits) - 1);
    int exp = (int)(bits >> f.man_bits) & top;
    double sign = (bits >> (f.exp_bits + f.man_bits)) & 1 ? -1.0 : 1.0;
    if (exp == top && f.has_inf)
        return man ? NAN : sign * INFINITY;
    if (exp == top && !f.has_inf && man == (1u << f.man_bits) - 1)
        return NAN;
    if (exp == 0)
        return sign * ldexp((double)man, 1 - bias - f.man_bits);
    return sign * ldexp((double)(man | (1u << f.man_bits)), exp - bias - f.man_bits);
}

uint64_t num_float_encode(enum vkc_type type, double x)
{
    if (type == TYPE_F64) {
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    if (type == TYPE_F32) {
        float f = (float)x;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
    struct format f = format_of(type);
    int bias = (1 << (f.exp_bits - 1)) - 1, top = (1 << f.exp_bits) - 1;
    uint64_t sign = (uint64_t)(signbit(x) != 0) << (f.exp_bits + f.man_bits);
    uint64_t man_mask = (1u << f.man_bits) - 1;
    uint64_t nan = f.has_inf ? ((uint64_t)top << f.man_bits | 1u << (f.man_bits - 1))
                             : ((uint64_t)top << f.man_bits | man_mask);
    uint64_t largest =
        f.has_inf ? (uint64_t)top << f.man_bits : ((uint64_t)top << f.man_bits | (man_mask - 1));
    if (isnan(x))
        return sign | nan;
    double m = fabs(x);
    if (isinf(m))
        return sign | largest;
    if (m == 0)
        return sign;
    int e;
    frexp(m, &e);         /* m in [2^(e-1), 2^e) */
    int least = 1 - bias; /* exponent of the least normal number */
    int unit = (e - 1 > least ? e - 1 : least) - f.man_bits;
    double steps = nearbyint(ldexp(m, -unit)); /* round-to-nearest-even is the C default */
    uint64_t s = (uint64_t)steps;
    uint64_t bits = e - 1 < least ? s : (((uint64_t)(e - 1 - least) << f.man_bits) + s);
    /* normal: s has the hidden bit, which adds 1 to the exponent field (least has field 1) */
    return sign | (bits > largest ? largest : bits);
}

double num_float_round(enum vkc_type type, double x)
{
    if (type == TYPE_F64)
        return x;
    if (type == TYPE_F32)
        return (double)(float)x;
    return num_float_decode(type, num_float_encode(type, x));
}

int64_t num_sint_wrap(enum vkc_type type, uint64_t x)
{
    uint32_t w = vkc_types[type].bits;
    if (w >= 64)
        return (int64_t)x;
    uint64_t low = x & (((uint64_t)1 << w) - 1), sign = (uint64_t)1 << (w - 1);
    return (int64_t)((low ^ sign) - sign);
}

uint64_t num_uint_wrap(enum vkc_type type, uint64_t x)
{
    uint32_t w = vkc_types[type].bits;
    return w >= 64 ? x : x & (((uint64_t)1 << w) - 1);
}

int64_t num_to_sint(enum vkc_type type, double x)
{
    uint32_t w = vkc_types[type].bits;
    double high = ldexp(1.0, (int)w - 1);
    if (isnan(x))
        return 0;
    if (x >= high)
        return w == 64 ? INT64_MAX : (int64_t)high - 1;
    if (x <= -high)
        return w == 64 ? INT64_MIN : -(int64_t)high;
    return (int64_t)x;
}

uint64_t num_to_uint(enum vkc_type type, double x)
{
    uint32_t w = vkc_types[type].bits;
    double high = ldexp(1.0, (int)w);
    if (isnan(x) || x <= 0)
        return 0;
    if (x >= high)
        return w == 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1;
    return (uint64_t)x;
}

int num_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}
