/* Elements of tensors as numbers, and walks over their indices. */
#include "interp/interp_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

double complex complex_of(double re, double im)
{
    double part[2] = {re, im};
    double complex z;
    memcpy(&z, part, sizeof z);
    return z;
}

/* ---- loading and storing ---- */

static uint64_t load_bits(const void *data, size_t bytes, int64_t i)
{
    const unsigned char *p = (const unsigned char *)data + (size_t)i * bytes;
    uint64_t bits = 0;
    for (size_t k = 0; k < bytes; k++)
        bits |= (uint64_t)p[k] << 8 * k;
    return bits;
}

static void store_bits(void *data, size_t bytes, int64_t i, uint64_t bits)
{
    unsigned char *p = (unsigned char *)data + (size_t)i * bytes;
    for (size_t k = 0; k < bytes; k++)
        p[k] = (unsigned char)(bits >> 8 * k);
}

static enum vkc_type part_type(enum vkc_type type)
{
    return type == TYPE_C64 ? TYPE_F32 : TYPE_F64;
}

union number number_load(enum vkc_type type, const void *data, int64_t i)
{
    size_t bytes = type_bytes(type);
    union number x = {0};
    switch (vkc_types[type].kind) {
    case KIND_FLOAT: x.f = num_float_decode(type, load_bits(data, bytes, i)); break;
    case KIND_SINT: x.s = num_sint_wrap(type, load_bits(data, bytes, i)); break;
    case KIND_UINT: x.u = num_uint_wrap(type, load_bits(data, bytes, i)); break;
    case KIND_COMPLEX: {
        enum vkc_type part = part_type(type);
        double re = num_float_decode(part, load_bits(data, bytes / 2, 2 * i));
        x.c = complex_of(re, num_float_decode(part, load_bits(data, bytes / 2, 2 * i + 1)));
        break;
    }
    }
    return x;
}

void number_store(enum vkc_type type, void *data, int64_t i, union number x)
{
    size_t bytes = type_bytes(type);
    switch (vkc_types[type].kind) {
    case KIND_FLOAT: store_bits(data, bytes, i, num_float_encode(type, x.f)); break;
    case KIND_SINT: store_bits(data, bytes, i, (uint64_t)num_sint_wrap(type, x.u)); break;
    case KIND_UINT: store_bits(data, bytes, i, num_uint_wrap(type, x.u)); break;
    case KIND_COMPLEX:
        store_bits(data, bytes / 2, 2 * i, num_float_encode(part_type(type), creal(x.c)));
        store_bits(data, bytes / 2, 2 * i + 1, num_float_encode(part_type(type), cimag(x.c)));
        break;
    }
}

/* ---- conversions ---- */

/* An unsigned integer as a double that rounds to any type narrower than f64 as the integer
   itself does: what a double cannot hold is kept as a sticky low bit. For f64 the plain
   conversion rounds right. */
static double integer_to_float(uint64_t x, bool negative, enum vkc_type to)
{
    if (to != TYPE_F64 && to != TYPE_C128 && x >> 53)
        x = (x & ~(uint64_t)0x7ff) | ((x & 0x7ff) != 0 ? 0x800 : 0);
    return negative ? -(double)x : (double)x;
}

static union number from_integer(uint64_t magnitude, bool negative, enum vkc_type to)
{
    union number r = {0};
    switch (vkc_types[to].kind) {
    case KIND_FLOAT: r.f = integer_to_float(magnitude, negative, to); break;
    case KIND_COMPLEX: r.c = complex_of(integer_to_float(magnitude, negative, to), 0); break;
    case KIND_SINT:
    case KIND_UINT: r.u = negative ? 0 - magnitude : magnitude; break;
    }
    return r;
}

static union number from_float(double x, enum vkc_type to)
{
    union number r = {0};
    switch (vkc_types[to].kind) {
    case KIND_FLOAT: r.f = x; break;
    case KIND_COMPLEX: r.c = complex_of(x, 0); break;
    case KIND_SINT: r.s = num_to_sint(to, x); break;
    case KIND_UINT: r.u = num_to_uint(to, x); break;
    }
    return r;
}

union number number_convert(enum vkc_type from, union number x, enum vkc_type to)
{
    switch (vkc_types[from].kind) {
    case KIND_UINT: return from_integer(x.u, false, to);
    case KIND_SINT: return from_integer(x.s < 0 ? 0 - x.u : x.u, x.s < 0, to);
    case KIND_FLOAT: return from_float(x.f, to);
    default: return type_is_complex(to) ? x : from_float(creal(x.c), to);
    }
}

/* ---- questions ---- */

bool number_is_nonzero(enum vkc_type type, union number x)
{
    switch (vkc_types[type].kind) {
    case KIND_FLOAT: return x.f != 0;
    case KIND_COMPLEX: return creal(x.c) != 0 || cimag(x.c) != 0;
    default: return x.u != 0;
    }
}

bool number_is_nan(enum vkc_type type, union number x)
{
    return type_is_float(type) && isnan(x.f);
}

int number_compare(enum vkc_type type, union number a, union number b)
{
    if (type_is_float(type)) {
        if (isnan(a.f) || isnan(b.f))
            return (isnan(a.f) ? 1 : 0) - (isnan(b.f) ? 1 : 0);
        return (a.f > b.f) - (a.f < b.f);
    }
    if (vkc_types[type].kind == KIND_SINT)
        return (a.s > b.s) - (a.s < b.s);
    return (a.u > b.u) - (a.u < b.u);
}

int64_t number_index(const struct array *a, int64_t i)
{
    union number x = number_load(a->tensor.type, a->data, i);
    bool beyond = vkc_types[a->tensor.type].kind == KIND_UINT && x.u > (uint64_t)INT64_MAX;
    return beyond ? INT64_MAX : x.s;
}

/* ---- sums ---- */

void sum_add(struct sum *s, double x)
{
    double t = s->high + x, back = t - s->high;
    s->low += (s->high - (t - back)) + (x - back);
    s->high = t;
}

void sum_add_product(struct sum *s, double x, double y)
{
    double p = x * y;
    sum_add(s, p);
    s->low += fma(x, y, -p);
}

double sum_value(const struct sum *s)
{
    double total = s->high + s->low;
    return s->low != 0 && isfinite(total) ? total : s->high; /* -0 stays -0 */
}

/* ---- walks ---- */

bool walk_next(struct walk *w)
{
    for (uint32_t i = w->shape.rank; i-- > 0;) {
        w->at[i]++;
        w->offset += w->stride[i];
        if (w->at[i] < w->shape.dim[i])
            return true;
        w->offset -= w->stride[i] * w->shape.dim[i];
        w->at[i] = 0;
    }
    return false;
}

struct walk walk_dense(const struct shape *s)
{
    struct walk w = {.shape = *s};
    shape_strides(s, w.stride);
    return w;
}
