/* GLSL of element-wise nodes, conversions and constants. A register holds each Nx type as
   type.def says: narrow integers extended to 32 bits, small floats as a float that has a value
   of the small type. */
#include "codegen/emit/emit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bundle.h"
#include "base/num.h"

enum reg { REG_UINT, REG_INT, REG_U64, REG_I64, REG_FLOAT, REG_DOUBLE, REG_VEC2, REG_DVEC2 };

static enum reg reg_of(enum vkc_type t)
{
    const struct type_info *i = &vkc_types[t];
    switch (i->kind) {
    case KIND_UINT: return i->bits == 64 ? REG_U64 : REG_UINT;
    case KIND_SINT: return i->bits == 64 ? REG_I64 : REG_INT;
    case KIND_FLOAT: return t == TYPE_F64 ? REG_DOUBLE : REG_FLOAT;
    default: return t == TYPE_C64 ? REG_VEC2 : REG_DVEC2;
    }
}

/* ---- constants ---- */

/* Mesa's gallivm replaces x * 0.0 by 0.0, x + 0.0 by x, and p ? -1.0 : 0.0 by -float(p), whatever x
   is and whatever the shader asks for. It does so also if Mesa itself finds out that a number is 0,
   by unrolling or by following branches. So no zero is a constant: it is written as NX_ZERO, which
   is also added to what an integer becomes. */
static const char *zero_text(struct arena *a, bool is_double, bool is_minus)
{
    return arena_printf(a, is_minus ? "(-NX_ZERO%s)" : "NX_ZERO%s", is_double ? "_F64" : "");
}

static const char *double_text(struct arena *a, double x)
{
    if (x == 0)
        return zero_text(a, true, signbit(x));
    uint64_t bits = num_float_encode(TYPE_F64, x);
    if (isnan(x) || isinf(x) || fabs(x) < 2.2250738585072014e-308)
        return arena_printf(a, "packDouble2x32(uvec2(0x%08xu, 0x%08xu))", (unsigned)(uint32_t)bits,
                            (unsigned)(bits >> 32));
    char text[40];
    int digits = 0;
    do { /* the shortest that reads back */
        snprintf(text, sizeof text, "%.*g", ++digits, x);
    } while (strtod(text, NULL) != x);
    bool whole = !strpbrk(text, ".en");
    return arena_printf(a, x < 0 ? "(%s%slf)" : "%s%slf", text, whole ? ".0" : "");
}

static const char *float_text(struct arena *a, float x)
{
    if (x == 0)
        return zero_text(a, false, signbit(x));
    uint32_t bits = (uint32_t)num_float_encode(TYPE_F32, (double)x);
    if (isnan(x) || isinf(x) || fabsf(x) < 1.17549435e-38f)
        return arena_printf(a, "uintBitsToFloat(0x%08xu)", (unsigned)bits);
    char text[32];
    int digits = 0;
    do {
        snprintf(text, sizeof text, "%.*g", ++digits, (double)x);
    } while (strtof(text, NULL) != x);
    bool whole = !strpbrk(text, ".en");
    return arena_printf(a, x < 0 ? "(%s%s)" : "%s%s", text, whole ? ".0" : "");
}

const char *emit_constant(struct emit *e, enum vkc_type t, uint64_t low, uint64_t high)
{
    struct arena *a = e->arena;
    const char *type = emit_type(e, t);
    switch (reg_of(t)) {
    case REG_UINT: return arena_printf(a, "%lluu", (unsigned long long)num_uint_wrap(t, low));
    case REG_U64: return arena_printf(a, "%lluul", (unsigned long long)low);
    case REG_INT: {
        int64_t x = num_sint_wrap(t, low);
        return x == INT32_MIN ? arena_strdup(a, "int(0x80000000u)")
                              : arena_printf(a, x < 0 ? "(%lld)" : "%lld", (long long)x);
    }
    case REG_I64: {
        int64_t x = (int64_t)low;
        return x == INT64_MIN ? arena_printf(a, "%s(0x8000000000000000ul)", type)
                              : arena_printf(a, x < 0 ? "(%lldl)" : "%lldl", (long long)x);
    }
    case REG_FLOAT: return float_text(a, (float)num_float_decode(t, low));
    case REG_DOUBLE: return double_text(a, num_float_decode(t, low));
    case REG_VEC2:
        return arena_printf(a, "%s(%s, %s)", type,
                            float_text(a, (float)num_float_decode(TYPE_F32, low & UINT32_MAX)),
                            float_text(a, (float)num_float_decode(TYPE_F32, low >> 32)));
    case REG_DVEC2:
        return arena_printf(a, "%s(%s, %s)", type, double_text(a, num_float_decode(TYPE_F64, low)),
                            double_text(a, num_float_decode(TYPE_F64, high)));
    }
    return NULL;
}

/* ---- conversions ---- */

static const char *small_float(enum vkc_type t)
{
    switch (t) {
    case TYPE_F16: return "f16";
    case TYPE_BF16: return "bf16";
    case TYPE_F8: return "f8";
    case TYPE_F8E4M3FN: return "f8e4m3fn";
    default: return NULL;
    }
}

const char *emit_small_float(struct emit *e, const char *step, enum vkc_type small, enum vkc_type t)
{
    const char *format = small_float(small);
    bool converts = small == TYPE_F16 && reg_of(t) != REG_DOUBLE &&
                    !(VKB_HALF_FEATURES & ~e->unit->target->features);
    if (converts)
        return emit_call(e, arena_printf(e->arena, "nx_half_%s", step), t);
    return format ? emit_call(e, arena_printf(e->arena, "nx_%s_%s", step, format), t) : NULL;
}

const char *emit_wrap(struct emit *e, enum vkc_type t, const char *text)
{
    const struct type_info *i = &vkc_types[t];
    if (!text)
        return NULL;
    if (i->kind == KIND_UINT && i->bits < 32)
        return arena_printf(e->arena, "((%s) & 0x%xu)", text, (1u << i->bits) - 1);
    if (i->kind == KIND_SINT && i->bits < 32)
        return arena_printf(e->arena, "bitfieldExtract(%s, 0, %u)", text, i->bits);
    if (e->unrounded && (t == TYPE_F16 || t == TYPE_BF16))
        return text;
    const char *rounding = emit_small_float(e, "round", t, TYPE_F32);
    return rounding ? arena_printf(e->arena, "%s(%s)", rounding, text) : text;
}

/* `x`, of type `from`, given to a library function. */
static const char *by(struct emit *e, const char *function, enum vkc_type from, const char *x)
{
    return arena_printf(e->arena, "%s(%s)", emit_call(e, function, from), x);
}

static const char *cast_to_float(struct emit *e, enum vkc_type from, enum vkc_type to,
                                 const char *x)
{
    enum reg a = reg_of(from);
    if (a != REG_DOUBLE)
        return arena_printf(e->arena, "(%s + NX_ZERO)",
                            a == REG_U64 || a == REG_I64 ? by(e, "nx_to_float", from, x)
                                                         : arena_printf(e->arena, "float(%s)", x));
    /* straight to the bits, rounded once */
    const char *encode = emit_small_float(e, "encode", to, from);
    if (!encode)
        return by(e, "nx_to_float", from, x);
    return arena_printf(e->arena, "%s(%s(%s))", emit_small_float(e, "decode", to, TYPE_U32), encode,
                        x);
}

/* A device that takes subnormal numbers for 0 in a comparison does so in a conversion, too. */
static const char *widen_float(struct emit *e, const char *x)
{
    return e->unit->target->features & VKB_FEATURE_COMPARE_32
               ? arena_printf(e->arena, "double(%s)", x)
               : by(e, "nx_to_double", TYPE_F32, x);
}

/* Real to real, without the final rounding or wrapping to a narrow type. */
static const char *cast_real(struct emit *e, enum vkc_type from, enum vkc_type to, const char *x)
{
    enum reg a = reg_of(from), b = reg_of(to);
    struct arena *m = e->arena;
    uint32_t w = vkc_types[to].bits;
    bool from_float = a == REG_FLOAT || a == REG_DOUBLE, from_wide = a == REG_U64 || a == REG_I64;
    const char *type = emit_type(e, to);
    if (a == b)
        return x;
    switch (b) {
    case REG_UINT:
    case REG_INT:
        if (from_float)
            return arena_printf(m, "%s(%s, %uu)",
                                emit_call(e, b == REG_UINT ? "nx_to_uint" : "nx_to_sint", from), x,
                                w);
        return arena_printf(m, "%s(%s)", type, x);
    case REG_U64:
        if (from_float)
            return by(e, "nx_to_u64", from, x);
        return arena_printf(m, "%s(%s)", type, a == REG_INT ? by(e, "nx_extend", from, x) : x);
    case REG_I64:
        if (from_float)
            return by(e, "nx_to_i64", from, x);
        return a == REG_INT ? by(e, "nx_extend", from, x) : arena_printf(m, "%s(%s)", type, x);
    case REG_FLOAT: return cast_to_float(e, from, to, x);
    case REG_DOUBLE:
        if (from_float)
            return widen_float(e, x);
        return arena_printf(m, "(%s + NX_ZERO_F64)",
                            from_wide ? by(e, "nx_to_double", from, x)
                                      : arena_printf(m, "%s(%s)", type, x));
    default: return NULL;
    }
}

const char *emit_cast(struct emit *e, enum vkc_type from, enum vkc_type to, const char *x)
{
    struct arena *m = e->arena;
    if (from == to)
        return x;
    bool cf = type_is_complex(from), ct = type_is_complex(to);
    if (cf && ct && to == TYPE_C128)
        return arena_printf(m, "dvec2(%s, %s)", widen_float(e, arena_printf(m, "%s.x", x)),
                            widen_float(e, arena_printf(m, "%s.y", x)));
    if (cf && ct)
        return arena_printf(m, "%s(%s)", emit_type(e, to), x);
    if (ct) {
        enum vkc_type part = to == TYPE_C64 ? TYPE_F32 : TYPE_F64;
        return arena_printf(m, "%s(%s, %s)", emit_type(e, to), emit_cast(e, from, part, x),
                            zero_text(m, to == TYPE_C128, false));
    }
    if (cf) {
        enum vkc_type part = from == TYPE_C64 ? TYPE_F32 : TYPE_F64;
        return emit_cast(e, part, to, arena_printf(m, "%s.x", x));
    }
    const char *text = cast_real(e, from, to, x);
    const struct type_info *f = &vkc_types[from], *t = &vkc_types[to];
    if (f->kind == KIND_FLOAT && t->kind != KIND_FLOAT)
        return text; /* saturated to the width already */
    bool widens = f->kind == t->kind && f->bits <= t->bits && t->kind != KIND_FLOAT;
    widens |= f->kind == KIND_UINT && t->kind == KIND_SINT && f->bits < t->bits;
    if (widens)
        return text;
    if (from == TYPE_F64 && small_float(to))
        return text; /* rounded already */
    return emit_wrap(e, to, text);
}

/* The stored bits of a register value as a uint (or uint64_t). */
static const char *bits_of(struct emit *e, enum vkc_type t, const char *x)
{
    struct arena *m = e->arena;
    const char *encode = emit_small_float(e, "encode", t, TYPE_F32);
    switch (reg_of(t)) {
    case REG_UINT:
    case REG_U64: return x;
    case REG_INT:
        return vkc_types[t].bits == 32
                   ? arena_printf(m, "uint(%s)", x)
                   : arena_printf(m, "(uint(%s) & 0x%xu)", x, (1u << vkc_types[t].bits) - 1);
    case REG_I64: return arena_printf(m, "%s(%s)", emit_type(e, TYPE_U64), x);
    case REG_FLOAT: return arena_printf(m, "%s(%s)", encode ? encode : "floatBitsToUint", x);
    case REG_DOUBLE: emit_type(e, TYPE_U64); return arena_printf(m, "doubleBitsToUint64(%s)", x);
    default: return NULL;
    }
}

static const char *of_bits(struct emit *e, enum vkc_type t, const char *decode, const char *x)
{
    struct arena *m = e->arena;
    switch (reg_of(t)) {
    case REG_UINT:
    case REG_U64: return x;
    case REG_INT:
        return vkc_types[t].bits == 32
                   ? arena_printf(m, "int(%s)", x)
                   : arena_printf(m, "bitfieldExtract(int(%s), 0, %u)", x, vkc_types[t].bits);
    case REG_I64: return arena_printf(m, "%s(%s)", emit_type(e, t), x);
    case REG_FLOAT:
        return arena_printf(m, "%s((%s) | gl_WorkGroupID.z)", decode ? decode : "uintBitsToFloat",
                            x);
    case REG_DOUBLE: return arena_printf(m, "uint64BitsToDouble((%s) | gl_WorkGroupID.z)", x);
    default: return NULL;
    }
}

const char *emit_pack(struct emit *e, enum vkc_type t, const char *text)
{
    if (!type_is_int(t))
        return bits_of(e, t, text);
    /* the whole byte of types under 8 bits: it is stored sign-extended */
    return arena_printf(e->arena,
                        vkc_types[t].kind == KIND_SINT ? "(uint(%s) & 0x%xu)" : "(%s & 0x%xu)",
                        text, (1u << (8 * type_bytes(t))) - 1);
}

/* ---- forms ---- */

/* A form is a template: $0 $1 $2 are the operands, $w is the width of the type, $T its name, and
   nx_exp a library function. That one is noted for a first argument of each of the types in
   `calls`. */
struct form {
    const char *text;
    enum vkc_type type, calls[3];
    uint32_t ncalls;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void note_word(struct emit *e, const struct form *f, const char *word, size_t len)
{
    if (strncmp(word, "nx_", 3) != 0)
        return;
    const char *name = arena_printf(e->arena, "%.*s", (int)len, word);
    for (uint32_t i = 0; i < f->ncalls; i++)
        if (i == 0 || f->calls[i] != f->calls[i - 1]) /* it is one call, which counts once */
            emit_call(e, name, f->calls[i]);
}

static const char *fill(struct emit *e, const struct form *f, const char *const *args)
{
    struct str s;
    str_init(&s, e->arena);
    for (const char *p = f->text; *p;) {
        size_t len = 1;
        if (*p == '$') {
            len = 2;
            if (p[1] == 'w')
                str_printf(&s, "%u", vkc_types[f->type].bits);
            else
                str_add(&s, p[1] == 'T' ? emit_type(e, f->type) : args[p[1] - '0']);
        } else {
            while (is_word(p[0]) && is_word(p[len]))
                len++;
            note_word(e, f, p, len);
            str_addn(&s, p, len);
        }
        p += len;
    }
    return str_text(&s);
}

/* Whether the form can leave the range or precision of a narrow type. */
static bool may_leave(enum op op)
{
    switch (op) {
    case OP_MAX:
    case OP_MIN:
    case OP_SELECT:
    case OP_CLIP:
    case OP_BITWISE_AND:
    case OP_BITWISE_OR:
    case OP_BITWISE_XOR:
    case OP_RIGHT_SHIFT:
    case OP_REAL:
    case OP_IMAG: return false; /* not the counts of bits: s2 has no 2 */
    default: return true;
    }
}

/* Comparisons and magnitudes of floats by their bits, for drivers that take subnormals for 0 in
   the plain ones. */
static const char *compare_form(enum op op, bool is_complex)
{
    switch (op) {
    case OP_EQUAL:
        return is_complex ? "uint(nx_equal($0.x, $1.x) && nx_equal($0.y, $1.y))"
                          : "uint(nx_equal($0, $1))";
    case OP_NOT_EQUAL:
        return is_complex ? "uint(!nx_equal($0.x, $1.x) || !nx_equal($0.y, $1.y))"
                          : "uint(!nx_equal($0, $1))";
    case OP_LESS: return "uint(nx_less($0, $1))";
    case OP_LESS_EQUAL: return "uint(nx_less_equal($0, $1))";
    case OP_GREATER: return "uint(nx_less($1, $0))";
    case OP_GREATER_EQUAL: return "uint(nx_less_equal($1, $0))";
    case OP_ABS: return is_complex ? NULL : "nx_abs($0)";
    default: return NULL;
    }
}

bool emit_compares_bits(struct emit *e, enum vkc_type t)
{
    if (t != TYPE_F32 && t != TYPE_BF16 && t != TYPE_C64)
        return false; /* subnormals of the others are normal floats or doubles */
    bool plain = e->unit->target->features & VKB_FEATURE_COMPARE_32;
    if (plain)
        e->needs.features |= VKB_FEATURE_COMPARE_32;
    return !plain;
}

const char *emit_form(struct emit *e, const struct node *n, const char *const *args)
{
    enum vkc_type in = func_tensor(e->func, n->ins[0])->type, out = n->outs[0].type;
    if (n->op == OP_AS_TYPE)
        return emit_cast(e, in, out, args[0]);
    if (n->op == OP_BITCAST) {
        const char *decode = emit_small_float(e, "decode", out, TYPE_U32);
        return of_bits(e, out, decode, bits_of(e, in, args[0]));
    }
    struct form f = {
        .text = vkc_ops[n->op].glsl[vkc_types[in].kind], .type = in, .ncalls = n->nins};
    if (!f.text)
        return NULL;
    if (n->op == OP_MAX || n->op == OP_MIN || n->op == OP_CLIP)
        f.text = vkc_types[in].bits == 64 && type_is_int(in)
                     ? (n->op == OP_MAX   ? "nx_max($0, $1)"
                        : n->op == OP_MIN ? "nx_min($0, $1)"
                                          : "nx_min(nx_max($0, $1), $2)")
                     : f.text;
    if (n->op == OP_EXP && reg_of(in) == REG_FLOAT && emit_is_nonpositive(e, n->ins[0]))
        f.text = "nx_exp_nonpositive($0)";
    const char *bits = compare_form(n->op, type_is_complex(in));
    bool by_bits = bits && emit_compares_bits(e, in);
    if (by_bits)
        f.text = bits;
    /* NVIDIA's driver (580.159, Hopper) makes one instruction of max(max(x, y), z), and forgets the
       sign of -y in it; with min, too, and where y is the lower half of 64 bits. A 0 that it does
       not know keeps it from seeing a sign. */
    if (n->op == OP_NEGATE && type_is_int(in))
        f.text = "$T(gl_WorkGroupID.z) - $0";
    else if (n->op == OP_BITWISE_NOT) /* and 1 is a sign */
        f.text = "~$0 + $T(gl_WorkGroupID.z)";
    for (uint32_t i = 0; i < n->nins; i++)
        /* by their bits the parts of complex numbers are compared */
        f.calls[i] = by_bits ? TYPE_F32 : func_tensor(e->func, n->ins[i])->type;
    const char *text = fill(e, &f, args);
    bool tests = vkc_ops[n->op].rule == RULE_COMPARE || vkc_ops[n->op].rule == RULE_LOGICAL ||
                 vkc_ops[n->op].rule == RULE_TEST;
    return tests || !may_leave(n->op) ? text : emit_wrap(e, out, text);
}

const char *emit_combine(struct emit *e, enum op op, enum vkc_type t, const char *x, const char *y)
{
    const char *args[3] = {x, y, ""};
    struct form f = {vkc_ops[op].glsl[vkc_types[t].kind], t, {t}, 1};
    return emit_wrap(e, t, fill(e, &f, args));
}
