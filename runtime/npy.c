#include "npy.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading the header: a Python dict literal ---- */

struct cursor {
    const char *at, *end;
    char *error;
    size_t error_size;
};

static bool fail(struct cursor *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (c->error && c->error_size)
        vsnprintf(c->error, c->error_size, format, args);
    va_end(args);
    return false;
}

static void skip_spaces(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

static bool accept(struct cursor *c, const char *text)
{
    size_t n = strlen(text);
    skip_spaces(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n))
        return false;
    c->at += n;
    return true;
}

static bool read_string(struct cursor *c, char *out, size_t size)
{
    size_t n = 0;
    skip_spaces(c);
    if (c->at >= c->end || (*c->at != '\'' && *c->at != '"'))
        return fail(c, "npy header: a quoted string is missing");
    char quote = *c->at++;
    for (; c->at < c->end && *c->at != quote; c->at++) {
        if (n + 1 >= size)
            return fail(c, "npy header: a string is too long");
        out[n++] = *c->at;
    }
    out[n] = '\0';
    if (c->at >= c->end)
        return fail(c, "npy header: a string does not end");
    c->at++;
    return true;
}

static bool read_shape(struct cursor *c, struct npy *out)
{
    if (!accept(c, "("))
        return fail(c, "npy header: the shape is not a tuple");
    while (!accept(c, ")")) {
        uint64_t dim = 0;
        int digits = 0;
        skip_spaces(c);
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, digits++) {
            if (dim > (UINT64_MAX - 9) / 10)
                return fail(c, "npy header: a dimension is too large");
            dim = dim * 10 + (uint64_t)(*c->at - '0');
        }
        if (!digits)
            return fail(c, "npy header: a dimension is not a number");
        if (out->rank == NPY_MAX_RANK)
            return fail(c, "npy header: more than %u dimensions", NPY_MAX_RANK);
        out->dims[out->rank++] = dim;
        accept(c, "L");
        if (!accept(c, ",")) {
            if (!accept(c, ")"))
                return fail(c, "npy header: the shape does not end");
            return true;
        }
    }
    return true;
}

static bool read_dict(struct cursor *c, struct npy *out)
{
    bool has_type = false, has_order = false, has_shape = false;
    char key[16];
    if (!accept(c, "{"))
        return fail(c, "npy header: not a dict");
    while (!accept(c, "}")) {
        if (!read_string(c, key, sizeof key))
            return false;
        if (!accept(c, ":"))
            return fail(c, "npy header: no value for '%s'", key);
        if (!strcmp(key, "descr") && !has_type) {
            has_type = true;
            if (!read_string(c, out->type, sizeof out->type))
                return false;
        } else if (!strcmp(key, "fortran_order") && !has_order) {
            has_order = true;
            if (accept(c, "True"))
                return fail(c, "the array is in Fortran order; save it in C order");
            if (!accept(c, "False"))
                return fail(c, "npy header: fortran_order is neither True nor False");
        } else if (!strcmp(key, "shape") && !has_shape) {
            has_shape = true;
            if (!read_shape(c, out))
                return false;
        } else {
            return fail(c, "npy header: key '%s' is not expected", key);
        }
        if (!accept(c, ",")) {
            if (!accept(c, "}"))
                return fail(c, "npy header: the dict does not end");
            break;
        }
    }
    if (!has_type || !has_order || !has_shape)
        return fail(c, "npy header: descr, fortran_order or shape is missing");
    return true;
}

bool npy_read(const void *bytes, size_t size, struct npy *out, char *error, size_t error_size)
{
    const uint8_t *b = bytes;
    struct cursor c = {.error = error, .error_size = error_size};
    memset(out, 0, sizeof *out);
    if (size < 10 || memcmp(b, "\x93NUMPY", 6))
        return fail(&c, "not an npy file");
    size_t at = b[6] == 1 ? 10 : 12, length = b[8] | (size_t)b[9] << 8;
    if (b[6] != 1 && b[6] != 2)
        return fail(&c, "npy version %u.%u, versions 1 and 2 are read", b[6], b[7]);
    if (b[6] == 2 && size >= 12)
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (size < at || length > size - at)
        return fail(&c, "npy header: %zu bytes, the file ends before them", length);
    c.at = (const char *)b + at;
    c.end = c.at + length;
    if (!read_dict(&c, out))
        return false;
    out->data = b + at + length;
    out->bytes = size - at - length;

    uint64_t wanted = out->type[0] ? strtoul(out->type + (out->type[1] ? 2 : 1), NULL, 10) : 0;
    if (!wanted || wanted > 16)
        return fail(&c, "npy header: type '%s' is not a number type", out->type);
    if (out->type[0] == '>' && wanted > 1)
        return fail(&c, "the array is big-endian ('%s')", out->type);
    for (uint32_t i = 0; i < out->rank; i++) {
        if (out->dims[i] && wanted > UINT64_MAX / out->dims[i])
            return fail(&c, "npy header: the shape is too large");
        wanted *= out->dims[i];
    }
    if (wanted > out->bytes)
        return fail(&c, "the array needs %llu bytes, the file has %llu", (unsigned long long)wanted,
                    (unsigned long long)out->bytes);
    out->bytes = wanted;
    return true;
}

bool npy_write(FILE *file, const char *type, uint32_t rank, const uint64_t *dims, const void *data,
               uint64_t bytes)
{
    char header[512];
    int n =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (uint32_t i = 0; i < rank; i++)
        n += snprintf(header + n, sizeof header - (size_t)n, i ? ", %llu" : "%llu",
                      (unsigned long long)dims[i]);
    n += snprintf(header + n, sizeof header - (size_t)n, "%s), }", rank == 1 ? "," : "");
    while ((n + 1 + 10) % 64)
        header[n++] = ' ';
    header[n++] = '\n';
    uint8_t start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)n, (uint8_t)(n >> 8)};
    return fwrite(start, sizeof start, 1, file) == 1 && fwrite(header, (size_t)n, 1, file) == 1 &&
           (!bytes || fwrite(data, (size_t)bytes, 1, file) == 1);
}

/* ---- types ---- */

enum number { UINT, SINT, FLOAT, BRAIN, OPAQUE };

static const struct type_row {
    const char *name, *numpy;
    uint32_t bytes;
    enum number number;
} types[] = {
    {"u2", "|u1", 1, UINT},    {"u4", "|u1", 1, UINT},          {"u8", "|u1", 1, UINT},
    {"u16", "<u2", 2, UINT},   {"u32", "<u4", 4, UINT},         {"u64", "<u8", 8, UINT},
    {"s2", "|i1", 1, SINT},    {"s4", "|i1", 1, SINT},          {"s8", "|i1", 1, SINT},
    {"s16", "<i2", 2, SINT},   {"s32", "<i4", 4, SINT},         {"s64", "<i8", 8, SINT},
    {"f8", "|u1", 1, OPAQUE},  {"f8_e4m3fn", "|u1", 1, OPAQUE}, {"f16", "<f2", 2, FLOAT},
    {"bf16", "<u2", 2, BRAIN}, {"f32", "<f4", 4, FLOAT},        {"f64", "<f8", 8, FLOAT},
    {"c64", "<c8", 8, FLOAT},  {"c128", "<c16", 16, FLOAT},
};

static const struct type_row *find_type(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    return NULL;
}

const char *npy_type(const char *type)
{
    const struct type_row *row = find_type(type);
    return row ? row->numpy : NULL;
}

uint32_t npy_element_bytes(const char *type)
{
    const struct type_row *row = find_type(type);
    return row ? row->bytes : 0;
}

bool npy_type_fits(const char *found, const char *type)
{
    const struct type_row *row = find_type(type);
    if (!row || !found[0])
        return false;
    if (!strcmp(found + 1, row->numpy + 1) ||
        (row->bytes == 1 && row->number == UINT && !strcmp(found + 1, "b1")))
        return true;
    return (row->number == BRAIN && !strcmp(found + 1, "V2")) ||
           (row->number == OPAQUE && !strcmp(found + 1, "V1"));
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023,
           value = exponent ? ldexp(fraction + 1024, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31)
        value = fraction > 0 ? (double)NAN : (double)INFINITY;
    return bits & 0x8000 ? -value : value;
}

/* Rounds toward zero: for test data only. */
static uint16_t half_bits(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    uint16_t sign = value < 0 ? 0x8000 : 0;
    if (!isfinite(value))
        return sign | (isnan(value) ? 0x7e00 : 0x7c00);
    if (fraction <= 0 || exponent < -23)
        return sign;
    if (exponent < -13)
        return (uint16_t)(sign | (uint16_t)ldexp(fraction, exponent + 24));
    if (exponent > 16)
        return sign | 0x7bff;
    return (uint16_t)(sign | (exponent + 14) << 10 | ((uint16_t)ldexp(fraction, 11) & 1023));
}

double npy_get(const char *type, const void *data, uint64_t index)
{
    const struct type_row *row = find_type(type);
    if (!row)
        return 0;
    const uint8_t *at = (const uint8_t *)data + index * row->bytes;
    uint64_t bits = 0;
    uint32_t width = row->bytes;
    if (type[0] == 'c')
        width /= 2;
    memcpy(&bits, at, width);
    if (row->number == FLOAT && width == 8) {
        double value;
        memcpy(&value, at, 8);
        return value;
    }
    if (row->number == BRAIN || (row->number == FLOAT && width == 4)) {
        uint32_t word = (uint32_t)(row->number == BRAIN ? bits << 16 : bits);
        float value;
        memcpy(&value, &word, 4);
        return (double)value;
    }
    if (row->number == FLOAT)
        return half_value((uint16_t)bits);
    if (row->number == SINT && bits >> (8 * width - 1))
        return -(double)(uint64_t)((~bits + 1) & (UINT64_MAX >> (64 - 8 * width)));
    return (double)bits;
}

void npy_set(const char *type, void *data, uint64_t index, double value)
{
    const struct type_row *row = find_type(type);
    if (!row)
        return;
    uint8_t *at = (uint8_t *)data + index * row->bytes;
    float single = (float)value;
    uint32_t word;
    uint64_t bits = row->number == SINT || row->number == UINT ? (uint64_t)(int64_t)value : 0;
    memcpy(&word, &single, 4);
    memset(at, 0, row->bytes);
    if (row->number == BRAIN)
        bits = word >> 16;
    else if (row->number == FLOAT && row->bytes == 2)
        bits = half_bits(value);
    else if (row->number == FLOAT && (row->bytes == 4 || !strcmp(type, "c64")))
        bits = word;
    else if (row->number == FLOAT)
        memcpy(&bits, &value, 8);
    memcpy(at, &bits, row->bytes < 8 ? row->bytes : 8);
}
