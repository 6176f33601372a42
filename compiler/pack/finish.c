#include "pack/finish.h"

#include <string.h>

#include "pack/spirv_op.h"
#include "runtime/bundle.h"

enum { DECORATION_ALIASED = 20, DECORATION_NON_WRITABLE = 24, DECORATION_BINDING = 33 };
enum {
    CAP_DENORM_PRESERVE = 4464,
    CAP_SIGNED_ZERO_INF_NAN_PRESERVE = 4466,
    CAP_ROUNDING_MODE_RTE = 4467
};
enum {
    MODE_DENORM_PRESERVE = 4459,
    MODE_SIGNED_ZERO_INF_NAN_PRESERVE = 4461,
    MODE_ROUNDING_MODE_RTE = 4462
};

struct control {
    uint32_t feature, capability, mode, width;
};

/* Float controls, where the target has them: GLSL cannot ask for these. Those of f16 only where a
   kernel relies on them. */
static const struct control controls[] = {
    {VKB_FEATURE_DENORM_PRESERVE_16, CAP_DENORM_PRESERVE, MODE_DENORM_PRESERVE, 16},
    {VKB_FEATURE_ROUND_NEAREST_16, CAP_ROUNDING_MODE_RTE, MODE_ROUNDING_MODE_RTE, 16},
    {VKB_FEATURE_SIGNED_ZERO_INF_NAN_32, CAP_SIGNED_ZERO_INF_NAN_PRESERVE,
     MODE_SIGNED_ZERO_INF_NAN_PRESERVE, 32},
    {VKB_FEATURE_DENORM_PRESERVE_32, CAP_DENORM_PRESERVE, MODE_DENORM_PRESERVE, 32},
    {VKB_FEATURE_ROUND_NEAREST_32, CAP_ROUNDING_MODE_RTE, MODE_ROUNDING_MODE_RTE, 32},
    {VKB_FEATURE_SIGNED_ZERO_INF_NAN_64, CAP_SIGNED_ZERO_INF_NAN_PRESERVE,
     MODE_SIGNED_ZERO_INF_NAN_PRESERVE, 64},
    {VKB_FEATURE_DENORM_PRESERVE_64, CAP_DENORM_PRESERVE, MODE_DENORM_PRESERVE, 64},
    {VKB_FEATURE_ROUND_NEAREST_64, CAP_ROUNDING_MODE_RTE, MODE_ROUNDING_MODE_RTE, 64},
};
enum { NCONTROLS = sizeof controls / sizeof *controls };

/* What is noted of an id: its block if it is a pointer, and whether it is an aliased variable or
   the block of one. */
enum { NOTED_ID = 0x7fffffff };
static const uint32_t noted_alias = 1u << 31;

/* A module that is being written. */
struct finish {
    const uint32_t *in;
    uint32_t n, *out, to;
    uint64_t aliased;                            /* bindings, see finish_bit */
    uint32_t *notes, bound;                      /* by id; the bound is 0 where none is aliased */
    uint32_t wanted;                             /* bits of controls */
    uint32_t entry;                              /* point's id */
    uint32_t uint32, float32, float16, bfloat16; /* ids of types; 0: none */
    bool has_float32, has_float16;               /* they are written */
    uint32_t call, function;                     /* see pass_on; 0: none */
    bool has_modes;
};

static void put(struct finish *f, uint32_t op, const uint32_t *words, uint32_t n)
{
    f->out[f->to++] = (n + 1) << 16 | op;
    memcpy(&f->out[f->to], words, n * sizeof *words);
    f->to += n;
}

/* ---- float controls ---- */

static void put_capabilities(struct finish *f)
{
    uint32_t caps[NCONTROLS], ncaps = 0;
    for (uint32_t i = 0; i < NCONTROLS; i++) {
        uint32_t c = 0;
        if (!(f->wanted >> i & 1))
            continue;
        while (c < ncaps && caps[c] != controls[i].capability)
            c++;
        if (c == ncaps)
            put(f, OP_CAPABILITY, &(uint32_t){caps[ncaps++] = controls[i].capability}, 1);
    }
    if (ncaps) { /* "SPV_KHR_float_controls", 22 characters and NULs: 6 words */
        char text[24] = "SPV_KHR_float_controls";
        uint32_t words[6];
        memcpy(words, text, sizeof text);
        put(f, OP_EXTENSION, words, 6);
    }
}

static void put_modes(struct finish *f)
{
    for (uint32_t i = 0; i < NCONTROLS; i++)
        if (f->wanted >> i & 1)
            put(f, OP_EXECUTION_MODE,
                (const uint32_t[]){f->entry, controls[i].mode, controls[i].width}, 3);
    f->has_modes = true;
}

/* ---- cooperative matrices ---- */

/* The elements of a type as shaders/matrix_unit.glsl numbers them. */
enum { ELEMENT_F16 = 16, ELEMENT_BF16 = 17, ELEMENT_F32 = 32 };

static uint32_t new_id(struct finish *f)
{
    return f->out[3]++; /* the bound */
}

/* Types but for structures and arrays stand once in a module. One that stands further down is
   needed here. */
static uint32_t float_type(struct finish *f, uint32_t *id, bool *is_written, uint32_t bits)
{
    if (!*id)
        *id = new_id(f);
    if (!*is_written)
        put(f, OP_TYPE_FLOAT, (const uint32_t[]){*id, bits}, 2);
    *is_written = true;
    return *id;
}

static uint32_t element_type(struct finish *f, uint32_t element)
{
    switch (element) {
    case ELEMENT_F16: return float_type(f, &f->float16, &f->has_float16, 16);
    case ELEMENT_BF16:
        if (!f->bfloat16) { /* encoding 0: BFloat16KHR */
            f->bfloat16 = new_id(f);
            put(f, OP_TYPE_FLOAT, (const uint32_t[]){f->bfloat16, 16, 0}, 3);
        }
        return f->bfloat16;
    case ELEMENT_F32: return float_type(f, &f->float32, &f->has_float32, 32);
    default: return 0;
    }
}

/* Of the type, glslang has written number after number, since GLSL has no name for it: element,
   scope, rows, columns, use. SPIR-V has ids of a type and constants there. */
static bool put_matrix_type(struct finish *f, const uint32_t *words, uint32_t n)
{
    uint32_t operands[6] = {n == 6 ? words[0] : 0};
    if (n != 6 || !f->uint32 || !(operands[1] = element_type(f, words[1])))
        return false;
    for (uint32_t i = 2; i < 6; i++) {
        operands[i] = new_id(f);
        put(f, OP_CONSTANT, (const uint32_t[]){f->uint32, operands[i], words[i]}, 3);
    }
    put(f, OP_TYPE_COOPERATIVE_MATRIX, operands, 6);
    return true;
}

/* Ids of types that are used before they are declared; the call that means a function; bindings
   that several variables have. */
static void find_ahead(struct finish *f)
{
    uint64_t bound = 0;
    for (uint32_t at = 5, len; at < f->n; at += len) {
        const uint32_t *w = &f->in[at];
        len = w[0] >> 16;
        if (len == 0 || len > f->n - at)
            return;
        if (w[0] == (3u << 16 | OP_TYPE_FLOAT) && w[2] == 32)
            f->float32 = w[1];
        if (w[0] == (3u << 16 | OP_TYPE_FLOAT) && w[2] == 16)
            f->float16 = w[1];
        if (w[0] == (5u << 16 | OP_COOPERATIVE_MATRIX_PER_ELEMENT))
            f->call = w[4];
        if (w[0] == (4u << 16 | OP_DECORATE) && w[2] == DECORATION_BINDING) {
            f->aliased |= bound & finish_bit(w[3]);
            bound |= finish_bit(w[3]);
        }
    }
}

/* Whether the type that stands here is still to be written. */
static bool is_new_type(struct finish *f, const uint32_t *words, uint32_t n)
{
    bool *is_written = n != 2 || !words[0]      ? NULL
                       : words[0] == f->float32 ? &f->has_float32
                       : words[0] == f->float16 ? &f->has_float16
                                                : NULL;
    if (!is_written)
        return true;
    bool is_new = !*is_written;
    *is_written = true;
    return is_new;
}

/* ---- the module ---- */

/* OpCooperativeMatrixPerElementOpNV has a function as its operand, which no operand in GLSL is.
   There a call stands for it (shaders/matrix_each.glsl), which is left out. */
static bool put_per_element(struct finish *f, const uint32_t *words, uint32_t n)
{
    if (n != 4 || words[3] != f->call || !f->function)
        return false;
    put(f, OP_COOPERATIVE_MATRIX_PER_ELEMENT,
        (const uint32_t[]){words[0], words[1], words[2], f->function}, 4);
    return true;
}

/* ---- bindings of the same memory ---- */

/* Marks the variables of aliased bindings, and their blocks. */
static void find_aliased(struct finish *f)
{
    if (!f->aliased || f->in[3] > f->n)
        return;
    f->bound = f->in[3];
    memset(f->notes, 0, f->bound * sizeof *f->notes);
    for (uint32_t at = 5, len; at < f->n; at += len) {
        const uint32_t *w = &f->in[at];
        uint32_t op = w[0] & 0xffff;
        len = w[0] >> 16;
        if (len == 0 || len > f->n - at)
            return;
        if (op == OP_DECORATE && len == 4 && w[2] == DECORATION_BINDING && w[1] < f->bound &&
            f->aliased & finish_bit(w[3]))
            f->notes[w[1]] |= noted_alias;
        if (op == OP_TYPE_POINTER && len == 4 && w[1] < f->bound && w[3] < f->bound)
            f->notes[w[1]] |= w[3];
        if (op == OP_VARIABLE && len >= 4 && w[2] < f->bound && w[1] < f->bound &&
            f->notes[w[2]] & noted_alias)
            f->notes[f->notes[w[1]] & NOTED_ID] |= noted_alias;
    }
}

static bool is_aliased(const struct finish *f, uint32_t id)
{
    return id < f->bound && f->notes[id] & noted_alias;
}

/* What is written through one variable may be read through another: neither may be taken for
   memory of its own, nor for memory that does not change. */
static void put_decoration(struct finish *f, uint32_t op, const uint32_t *words, uint32_t n)
{
    uint32_t which = op == OP_DECORATE ? 1 : 2;
    if (n > which && words[which] == DECORATION_NON_WRITABLE && is_aliased(f, words[0]))
        return;
    put(f, op, words, n);
    if (op == OP_DECORATE && n == 3 && words[1] == DECORATION_BINDING && is_aliased(f, words[0]))
        put(f, OP_DECORATE, (const uint32_t[]){words[0], DECORATION_ALIASED}, 2);
}

/* One instruction of `in`. */
static bool pass_on(struct finish *f, uint32_t op, const uint32_t *words, uint32_t n)
{
    if (op == OP_SOURCE || op == OP_SOURCE_EXTENSION || op == OP_NAME || op == OP_MEMBER_NAME)
        return true;
    if (op == OP_ENTRY_POINT && n > 1)
        f->entry = words[1];
    if (op == OP_TYPE_INT && n == 3 && words[1] == 32 && !words[2])
        f->uint32 = words[0];
    if (op == OP_TYPE_COOPERATIVE_MATRIX)
        return put_matrix_type(f, words, n);
    if (op == OP_FUNCTION_CALL && n > 2 && f->call && words[1] == f->call) {
        f->function = words[2];
        return true;
    }
    if (op == OP_COOPERATIVE_MATRIX_PER_ELEMENT)
        return put_per_element(f, words, n);
    if (op == OP_DECORATE || op == OP_MEMBER_DECORATE)
        put_decoration(f, op, words, n);
    else if (op != OP_TYPE_FLOAT || is_new_type(f, words, n))
        put(f, op, words, n);
    return true;
}

static bool is_wanted(const struct control *c, uint32_t needs)
{
    uint32_t by = c->width == 16 ? c->feature : c->width == 64 ? VKB_FEATURE_F64 : 0;
    return !by || needs & by;
}

static bool pass_all(struct finish *f)
{
    bool in_caps = true;
    for (uint32_t at = 5; at < f->n;) {
        uint32_t op = f->in[at] & 0xffff, len = f->in[at] >> 16;
        if (len == 0 || len > f->n - at || f->to + len > 2 * f->n + FINISH_ROOM / 2)
            return false;
        if (in_caps && op != OP_CAPABILITY)
            put_capabilities(f);
        in_caps &= op == OP_CAPABILITY;
        if (!f->has_modes && f->entry && op != OP_ENTRY_POINT)
            put_modes(f);
        if (!pass_on(f, op, &f->in[at + 1], len - 1))
            return false;
        at += len;
    }
    return true;
}

uint32_t spirv_finish(const uint32_t *in, uint32_t n, uint32_t features, uint32_t needs,
                      uint64_t aliased, uint32_t *out, uint32_t *out_used)
{
    struct finish f = {.in = in, .n = n, .aliased = aliased, .out = out, .to = 5};
    if (n < 5 || n > UINT32_MAX / 4)
        return 0;
    f.notes = out + finish_room(n) - n;
    memcpy(out, in, 5 * sizeof *in);
    for (uint32_t i = 0; i < NCONTROLS; i++)
        if (features & controls[i].feature && is_wanted(&controls[i], needs)) {
            f.wanted |= 1u << i;
            *out_used |= controls[i].feature;
        }
    find_ahead(&f);
    find_aliased(&f);
    return pass_all(&f) ? f.to : 0;
}
