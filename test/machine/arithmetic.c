/* Numbers lie in 64-bit words: integers zero-extended, floats as bits. */
#include <math.h>
#include <string.h>

#include "spirv_op.h"
#include "state.h"

static float to_f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static double to_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* As with DenormPreserve and RoundingModeRTE of 16 bits, which modules with f16 have. */
static double to_f16(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023), x = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                                 : exponent ? ldexp(1024 + fraction, exponent - 25)
                                                            : ldexp(fraction, -24);
    return bits >> 15 & 1 ? -x : x;
}

static uint64_t of_f16(double x)
{
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x) || x == 0)
        return sign | (isnan(x) ? 0x7e00 : 0);
    int exponent;
    frexp(x, &exponent); /* from 1/2 to 1, times 2^exponent */
    int unit = (exponent < -13 ? -13 : exponent) - 11;
    double units = nearbyint(ldexp(fabs(x), -unit)); /* at most 2048 */
    if (isinf(x) || ldexp(units, unit) > 65504)
        return sign | 0x7c00;
    return sign | (uint64_t)(units + (exponent < -13 ? 0 : 1024.0 * (exponent + 13)));
}

static double number(uint64_t bits, uint32_t width)
{
    return width == 16 ? to_f16(bits) : width == 32 ? to_f32(bits) : to_f64(bits);
}
static uint64_t bits_of(double x, uint32_t width)
{
    return width == 16 ? of_f16(x) : width == 32 ? of_f32((float)x) : of_f64(x);
}

static bool is_flushed(const struct group *g, uint32_t width, double x)
{
    return g->options->flushes && width == 32 && fabs(x) < 0x1p-126;
}

/* A float as comparisons, abs, min and max see it. */
static double seen(const struct group *g, uint64_t bits, uint32_t width)
{
    double x = number(bits, width);
    return is_flushed(g, width, x) ? copysign(0, x) : x;
}

static uint64_t fused(const struct group *g, uint64_t a, uint64_t b, uint64_t c, uint32_t width)
{
    if (width == 64)
        return of_f64(fma(to_f64(a), to_f64(b), to_f64(c)));
    float r = fmaf((float)seen(g, a, 32), (float)seen(g, b, 32), (float)seen(g, c, 32));
    return of_f32((float)seen(g, of_f32(r), 32));
}

static uint64_t product_and_sum(uint64_t a, uint64_t b, uint64_t c, uint32_t width)
{
    if (width == 64)
        return of_f64(to_f64(a) * to_f64(b) + to_f64(c));
    float product = to_f32(a) * to_f32(b);
    return of_f32(product + to_f32(c));
}

/* Of two numbers of which one is a NaN a driver may give either. */
static uint64_t least(const struct group *g, uint64_t a, uint64_t b, uint32_t width, bool most)
{
    double x = seen(g, a, width), y = seen(g, b, width);
    if (isnan(x) || isnan(y))
        return g->options->seed & 1 ? a : b;
    return bits_of(most ? (x < y ? y : x) : (y < x ? y : x), width);
}

/* ---- instructions ---- */

static uint64_t converted(const struct spirv_inst *i, uint64_t x)
{
    uint32_t from = i->width, to = i->result_width;
    double v;
    switch (i->op) {
    case OP_F_TO_U:
        v = trunc(number(x, from));
        /* undefined */
        return v >= 0 && v < ldexp(1, (int)to) ? (uint64_t)v : cut(0xdeadbeefdeadbeef, to);
    case OP_F_TO_S:
        v = trunc(number(x, from));
        return v >= -ldexp(1, (int)to - 1) && v < ldexp(1, (int)to - 1)
                   ? cut((uint64_t)(int64_t)v, to)
                   : cut(0xdeadbeefdeadbeef, to);
    case OP_S_TO_F:
        return to == 32 ? of_f32((float)extend(x, from)) : of_f64((double)extend(x, from));
    case OP_U_TO_F: return to == 32 ? of_f32((float)x) : of_f64((double)x);
    case OP_U_CONVERT: return cut(x, to);
    case OP_S_CONVERT: return cut((uint64_t)extend(x, from), to);
    default: return bits_of(number(x, from), to);
    }
}

/* Bits of a value as another type: of the same size, or vectors of other widths. */
static void bitcast(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    uint32_t words = s->m->types[s->m->ids[i->words[0]].type].words;
    uint8_t bytes[32];
    if (i->width == i->result_width) {
        memmove(f + i->to, f + i->a, words * sizeof *f);
        return;
    }
    for (uint32_t k = 0; k < words; k++)
        memcpy(bytes + k * i->width / 8, f + i->a + k, i->width / 8);
    for (uint32_t k = 0; k < i->count; k++) {
        f[i->to + k] = 0;
        memcpy(f + i->to + k, bytes + k * i->result_width / 8, i->result_width / 8);
    }
}

/* What a driver may make of a + b where one is a product: rounded once. */
static uint64_t contracted(const struct state *s, const struct spirv_inst *i, uint32_t k)
{
    uint64_t *f = s->t->file;
    uint32_t side = i->contracts[0] ? 0 : 1;
    const uint32_t *product = s->m->ids[i->words[side]].words;
    uint64_t x = f[s->m->ids[product[3]].at + k], y = f[s->m->ids[product[4]].at + k],
             z = f[(side ? i->a : i->b) + k];
    double sign = i->op == OP_F_SUB ? -1 : 1;
    if (i->width == 64)
        return of_f64(side ? fma(sign * to_f64(x), to_f64(y), to_f64(z))
                           : fma(to_f64(x), to_f64(y), sign * to_f64(z)));
    return of_f32(side ? fmaf((float)sign * to_f32(x), to_f32(y), to_f32(z))
                       : fmaf(to_f32(x), to_f32(y), (float)sign * to_f32(z)));
}

static bool float_arithmetic(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t a = f[i->a + k], b = f[i->b + (i->op == OP_VECTOR_TIMES_SCALAR ? 0 : k)], r;
        if (s->g->options->contracts && (i->contracts[0] || i->contracts[1])) {
            r = contracted(s, i, k);
        } else if (i->width == 32) {
            float x = to_f32(a), y = to_f32(b);
            r = of_f32(i->op == OP_F_ADD      ? x + y
                       : i->op == OP_F_SUB    ? x - y
                       : i->op == OP_F_DIV    ? x / y
                       : i->op == OP_F_NEGATE ? -x
                                              : x * y);
        } else {
            double x = to_f64(a), y = to_f64(b);
            r = of_f64(i->op == OP_F_ADD      ? x + y
                       : i->op == OP_F_SUB    ? x - y
                       : i->op == OP_F_DIV    ? x / y
                       : i->op == OP_F_NEGATE ? -x
                                              : x * y);
        }
        f[i->to + k] = r;
    }
    return true;
}

static bool compare_floats(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    for (uint32_t k = 0; k < i->count; k++) {
        double x = seen(s->g, f[i->a + k], i->width), y = seen(s->g, f[i->b + k], i->width);
        bool unordered = isnan(x) || isnan(y), r;
        switch (i->op & ~1u) { /* ordered and unordered come in pairs */
        case OP_F_EQUAL & ~1u: r = x == y; break;
        case OP_F_NOT_EQUAL & ~1u: r = !unordered && x != y; break;
        case OP_F_LESS & ~1u: r = x < y; break;
        case OP_F_GREATER & ~1u: r = x > y; break;
        case OP_F_LESS_EQUAL & ~1u: r = x <= y; break;
        default: r = x >= y; break;
        }
        f[i->to + k] = r || (unordered && (i->op - OP_F_EQUAL) % 2 == 1);
    }
    return true;
}

static bool integer_arithmetic(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    uint32_t width = i->width;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t a = f[i->a + k], b = f[i->b + k], r = 0;
        int64_t x = extend(a, width), y = extend(b, width);
        bool divides = i->op >= OP_U_DIV && i->op <= OP_S_MOD,
             shifts = i->op >= OP_SHIFT_RIGHT && i->op <= OP_SHIFT_LEFT;
        if (divides && (b == 0 || (i->op != OP_U_DIV && i->op != OP_U_MOD && y == -1 &&
                                   x == extend((uint64_t)1 << (width - 1), width))))
            return thread_fail(s, "%lld is divided by %lld", (long long)x, (long long)y);
        if ((i->op == OP_S_REM || i->op == OP_S_MOD) && (x < 0 || y < 0))
            return thread_fail(s, "the remainder of %lld and %lld, which Vulkan does not define",
                               (long long)x, (long long)y);
        if (shifts && b >= width)
            return thread_fail(s, "a shift by %llu of %u bits", (unsigned long long)b, width);
        switch (i->op) {
        case OP_S_NEGATE: r = -a; break;
        case OP_I_ADD: r = a + b; break;
        case OP_I_SUB: r = a - b; break;
        case OP_I_MUL: r = a * b; break;
        case OP_U_DIV: r = a / b; break;
        case OP_S_DIV: r = (uint64_t)(x / y); break;
        case OP_U_MOD: r = a % b; break;
        case OP_S_REM:
        case OP_S_MOD: r = (uint64_t)(x % y); break;
        case OP_SHIFT_RIGHT: r = a >> b; break;
        case OP_SHIFT_RIGHT_SIGNED: r = (uint64_t)(x >> b); break;
        case OP_SHIFT_LEFT: r = a << b; break;
        case OP_OR: r = a | b; break;
        case OP_XOR: r = a ^ b; break;
        case OP_AND: r = a & b; break;
        case OP_NOT: r = ~a; break;
        case OP_BIT_COUNT: r = (uint64_t)__builtin_popcountll(a); break;
        default:
            for (uint32_t bit = 0; bit < width; bit++) /* OP_BIT_REVERSE */
                r |= (a >> bit & 1) << (width - 1 - bit);
            break;
        }
        f[i->to + k] = cut(r, i->result_width);
    }
    return true;
}

static bool compare_integers(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t a = f[i->a + k], b = f[i->b + k];
        int64_t x = extend(a, i->width), y = extend(b, i->width);
        bool r;
        switch (i->op) {
        case OP_I_EQUAL:
        case OP_LOGICAL_EQUAL: r = a == b; break;
        case OP_I_NOT_EQUAL:
        case OP_LOGICAL_NOT_EQUAL: r = a != b; break;
        case OP_U_GREATER: r = a > b; break;
        case OP_S_GREATER: r = x > y; break;
        case OP_U_GREATER_EQUAL: r = a >= b; break;
        case OP_S_GREATER_EQUAL: r = x >= y; break;
        case OP_U_LESS: r = a < b; break;
        case OP_S_LESS: r = x < y; break;
        case OP_U_LESS_EQUAL: r = a <= b; break;
        case OP_S_LESS_EQUAL: r = x <= y; break;
        case OP_LOGICAL_OR: r = a || b; break;
        case OP_LOGICAL_AND: r = a && b; break;
        default: r = !a; break;
        }
        f[i->to + k] = r;
    }
    return true;
}

/* Two words of a sum, difference or product: low, then carry or high. */
static void extended(const struct state *s, const struct spirv_inst *i)
{
    uint64_t a = s->t->file[i->a], b = s->t->file[i->b], *to = s->t->file + i->to;
    if (i->op == OP_I_ADD_CARRY || i->op == OP_I_SUB_BORROW) {
        to[0] = (uint32_t)(i->op == OP_I_ADD_CARRY ? a + b : a - b);
        to[1] = i->op == OP_I_ADD_CARRY ? a + b > UINT32_MAX : a < b;
        return;
    }
    uint64_t product =
        i->op == OP_U_MUL_EXTENDED ? a * b : (uint64_t)(extend(a, 32) * extend(b, 32));
    to[0] = (uint32_t)product, to[1] = product >> 32;
}

static bool field(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    bool inserts = i->op == OP_FIELD_INSERT;
    uint32_t offset = (uint32_t)f[s->m->ids[i->words[1 + inserts]].at],
             bits = (uint32_t)f[s->m->ids[i->words[2 + inserts]].at];
    if (offset > 32 || bits > 32 - offset)
        return thread_fail(s, "bits %u and %u on of 32", offset, bits);
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t x = f[i->a + k] >> offset & mask;
        if (i->op == OP_FIELD_S_EXTRACT && bits)
            x = cut((uint64_t)extend(x, bits), 32);
        f[i->to + k] =
            inserts ? (f[i->a + k] & ~(mask << offset)) | (f[i->b + k] & mask) << offset : x;
    }
    return true;
}

/* Functions of one or two floats, as exact as the C library's. */
static double real_function(const struct group *g, uint32_t op, double x, double y, uint32_t width)
{
    switch (op) {
    case STD_TRUNC: return trunc(x);
    case STD_F_ABS: return is_flushed(g, width, x) ? 0 : fabs(x);
    case STD_F_SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
    case STD_FLOOR: return floor(x);
    case STD_CEIL: return ceil(x);
    case STD_FRACT: return x - floor(x);
    case STD_SIN: return sin(x);
    case STD_COS: return cos(x);
    case STD_TAN: return tan(x);
    case STD_ASIN: return asin(x);
    case STD_ACOS: return acos(x);
    case STD_ATAN: return atan(x);
    case STD_SINH: return sinh(x);
    case STD_COSH: return cosh(x);
    case STD_TANH: return tanh(x);
    case STD_ASINH: return asinh(x);
    case STD_ACOSH: return acosh(x);
    case STD_ATANH: return atanh(x);
    case STD_ATAN2: return atan2(x, y);
    case STD_POW: return pow(x, y);
    case STD_EXP: return exp(x);
    case STD_LOG: return log(x);
    case STD_EXP2: return exp2(x);
    case STD_LOG2: return log2(x);
    case STD_SQRT: return sqrt(x);
    default: return 1 / sqrt(x);
    }
}

static bool library(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file, *to = f + i->to, *a = f + i->a, *b = f + i->b, *c = f + i->c;
    uint32_t width = i->width;
    if (i->op == STD_PACK_DOUBLE || i->op == STD_UNPACK_DOUBLE) {
        uint64_t x = i->op == STD_PACK_DOUBLE ? a[1] << 32 | a[0] : a[0];
        to[0] = i->op == STD_PACK_DOUBLE ? x : (uint32_t)x;
        if (i->op == STD_UNPACK_DOUBLE)
            to[1] = x >> 32;
        return true;
    }
    for (uint32_t k = 0; k < i->count; k++) {
        int64_t x = extend(a[k], width), y = extend(b[k], width), z = extend(c[k], width);
        switch (i->op) {
        case STD_FMA:
            to[k] = s->g->options->fma ? fused(s->g, a[k], b[k], c[k], width)
                                       : product_and_sum(a[k], b[k], c[k], width);
            break;
        case STD_F_MIN:
        case STD_F_MAX: to[k] = least(s->g, a[k], b[k], width, i->op == STD_F_MAX); break;
        case STD_F_CLAMP:
            to[k] = least(s->g, least(s->g, a[k], b[k], width, true), c[k], width, false);
            break;
        case STD_U_MIN: to[k] = a[k] < b[k] ? a[k] : b[k]; break;
        case STD_U_MAX: to[k] = a[k] < b[k] ? b[k] : a[k]; break;
        case STD_S_MIN: to[k] = x < y ? a[k] : b[k]; break;
        case STD_S_MAX: to[k] = x < y ? b[k] : a[k]; break;
        case STD_U_CLAMP:
        case STD_S_CLAMP:
            if (i->op == STD_U_CLAMP ? b[k] > c[k] : y > z)
                return thread_fail(s, "clamp between %lld and %lld", (long long)y, (long long)z);
            to[k] = i->op == STD_U_CLAMP ? (a[k] < b[k]   ? b[k]
                                            : a[k] > c[k] ? c[k]
                                                          : a[k])
                    : x < y              ? b[k]
                    : x > z              ? c[k]
                                         : a[k];
            break;
        case STD_S_ABS: to[k] = cut((uint64_t)(x < 0 ? -x : x), width); break;
        case STD_S_SIGN: to[k] = cut((uint64_t)((x > 0) - (x < 0)), width); break;
        case STD_FIND_LSB: to[k] = a[k] ? (uint64_t)__builtin_ctzll(a[k]) : UINT32_MAX; break;
        case STD_FIND_U_MSB:
            to[k] = a[k] ? 63 - (uint64_t)__builtin_clzll(a[k]) : UINT32_MAX;
            break;
        case STD_FIND_S_MSB:
            x = x < 0 ? ~x : x;
            to[k] = x ? 63 - (uint64_t)__builtin_clzll((uint64_t)x) : UINT32_MAX;
            break;
        default:
            if ((i->op < STD_TRUNC || i->op > STD_INVERSE_SQRT))
                return thread_fail(s, "function %u of GLSL.std.450", i->op - OP_STD);
            to[k] = bits_of(
                real_function(s->g, i->op, number(a[k], width), number(b[k], width), width), width);
        }
    }
    return true;
}

bool arithmetic(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    if (i->op >= OP_STD)
        return library(s, i);
    switch (i->op) {
    case OP_BITCAST: bitcast(s, i); return true;
    case OP_IS_NAN:
    case OP_IS_INF:
        for (uint32_t k = 0; k < i->count; k++)
            f[i->to + k] = i->op == OP_IS_NAN ? isnan(number(f[i->a + k], i->width))
                                              : isinf(number(f[i->a + k], i->width));
        return true;
    case OP_I_ADD_CARRY:
    case OP_I_SUB_BORROW:
    case OP_U_MUL_EXTENDED:
    case OP_S_MUL_EXTENDED: extended(s, i); return true;
    case OP_FIELD_INSERT:
    case OP_FIELD_S_EXTRACT:
    case OP_FIELD_U_EXTRACT: return field(s, i);
    case OP_F_NEGATE:
    case OP_F_ADD:
    case OP_F_SUB:
    case OP_F_MUL:
    case OP_F_DIV:
    case OP_VECTOR_TIMES_SCALAR: return float_arithmetic(s, i);
    default: break;
    }
    if (i->op >= OP_F_TO_U && i->op <= OP_F_CONVERT) {
        for (uint32_t k = 0; k < i->count; k++)
            f[i->to + k] = converted(i, f[i->a + k]);
        return true;
    }
    if (i->op >= OP_F_EQUAL && i->op <= OP_FU_GREATER_EQUAL)
        return compare_floats(s, i);
    if (i->op >= OP_LOGICAL_EQUAL && i->op <= OP_S_LESS_EQUAL)
        return compare_integers(s, i);
    if ((i->op >= OP_S_NEGATE && i->op <= OP_S_MOD) ||
        (i->op >= OP_SHIFT_RIGHT && i->op <= OP_BIT_COUNT))
        return integer_arithmetic(s, i);
    return thread_fail(s, "instruction %u", i->op);
}
