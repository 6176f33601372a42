/* Sums with a constant and products with a positive one are monotone, and so is their rounding: the
   bounds of the result are what the op makes of the bounds. A device may flush subnormals, so a
   bound is none. */
#include "passes/bounds.h"

#include <float.h>
#include <math.h>

#include "base/num.h"

enum { STEPS = 8 };

/* Of a result, which is rounded to the type. */
static bool is_sure(enum vkc_type type, double x)
{
    double least = type == TYPE_F64 ? DBL_MIN : FLT_MIN;
    return isfinite(x) && (x == 0 || fabs(x) >= least);
}

/* The bits of a float, made as bits >> k | c: a number from c to c with k fewer bits all set. Both
   are positive, so they are in the order of their bits. */
static bool of_bits(const struct build *b, struct value v, enum vkc_type type, double *out_least,
                    double *out_most)
{
    const struct node *both = build_def(b, v);
    uint64_t least[2], shift[2];
    if (both->op != OP_BITWISE_OR)
        return false;
    bool first = build_splat_bits(b, both->ins[0], least);
    if (!first && !build_splat_bits(b, both->ins[1], least))
        return false;
    const struct node *shifted = build_def(b, both->ins[first ? 1 : 0]);
    uint32_t bits = vkc_types[type].bits;
    if (shifted->op != OP_RIGHT_SHIFT || vkc_types[shifted->outs[0].type].kind != KIND_UINT ||
        !build_splat_bits(b, shifted->ins[1], shift) || shift[0] < 1 || shift[0] >= bits)
        return false;
    *out_least = num_float_decode(type, least[0]);
    *out_most = num_float_decode(type, least[0] | (((uint64_t)1 << (bits - shift[0])) - 1));
    return is_sure(type, *out_least) && is_sure(type, *out_most) && !signbit(*out_least) &&
           !signbit(*out_most);
}

/* The bounds of n's operand become those of n; `c` is the other operand. */
static bool step(const struct node *n, double c, double *least, double *most)
{
    enum vkc_type type = n->outs[0].type;
    if (n->op == OP_MULTIPLY && !(c > 0))
        return false;
    double x = n->op == OP_MULTIPLY ? *least * c : n->op == OP_ADD ? *least + c : *least - c;
    double y = n->op == OP_MULTIPLY ? *most * c : n->op == OP_ADD ? *most + c : *most - c;
    *least = num_float_round(type, x);
    *most = num_float_round(type, y);
    return is_sure(type, *least) && is_sure(type, *most);
}

/* The operand of a sum or product that is a constant, 0 or 1; 2 if none is, or it is subtracted
   from. */
static uint32_t constant_of(const struct build *b, const struct node *n, double *out)
{
    uint64_t bits[2];
    if (n->op != OP_ADD && n->op != OP_SUBTRACT && n->op != OP_MULTIPLY)
        return 2;
    for (uint32_t i = n->op == OP_SUBTRACT ? 1 : 0; i < 2; i++)
        if (build_splat_bits(b, n->ins[i], bits)) {
            *out = num_float_decode(n->outs[0].type, bits[0]);
            return is_sure(n->outs[0].type, *out) ? i : 2;
        }
    return 2;
}

bool bounds_of(const struct build *b, struct value v, double *out_least, double *out_most)
{
    enum vkc_type type = build_tensor(b, v)->type;
    const struct node *chain[STEPS];
    double constants[STEPS];
    uint32_t depth = 0, at;
    if (type != TYPE_F32 && type != TYPE_F64)
        return false;
    const struct node *n = build_def(b, v);
    while (depth < STEPS && (at = constant_of(b, n, &constants[depth])) < 2) {
        chain[depth++] = n;
        n = build_def(b, n->ins[1 - at]);
    }
    if (n->op != OP_BITCAST || !of_bits(b, n->ins[0], type, out_least, out_most))
        return false;
    while (depth-- > 0)
        if (!step(chain[depth], constants[depth], out_least, out_most))
            return false;
    return true;
}
