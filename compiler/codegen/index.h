/* Index maps: integer expressions over the loop variables of a kernel, kept in a normal form so
   that equal indices are equal pointers and what a reshape, slice or transpose does to an index
   mostly cancels. A movement op costs nothing but a rewrite of these.

   An expression is a sum  c0 + c1*a1 + c2*a2 + ...  whose atoms are variables, quotients (e / k)
   and remainders (e % k) by positive constants of non-negative expressions. Every expression
   carries the range of values it can take, from the ranges of the variables; that is what lets
   (4*i + j) / 4 with 0 <= j < 4 become i. Values fit 32 bits unsigned in the shader; sums may
   pass through negative numbers, which wrap back. */
#ifndef VKC_INDEX_H
#define VKC_INDEX_H

#include "base/arena.h"
#include "ir/ir.h"

enum ix_atom_kind { IX_VAR, IX_DIV, IX_MOD };

struct ix_atom {
    enum ix_atom_kind kind;
    uint32_t id;
    int64_t min, max;
    const char *name;     /* of a variable, as the shader writes it */
    uint32_t depth;       /* of the scope that defines it, or of its deepest variable */
    const struct ix *arg; /* of a quotient or remainder */
    int64_t divisor;
};

struct ix_term {
    const struct ix_atom *atom;
    int64_t coef; /* not 0 */
};

struct ix {
    int64_t constant;
    uint32_t nterms; /* ordered by atom id, each atom once */
    const struct ix_term *terms;
    int64_t min, max;
    uint32_t depth;        /* of its deepest variable; 0 for a constant */
    const struct ix *next; /* in its hash chain */
};

struct ix_ctx;
struct ix_ctx *ix_create(struct arena *a);

const struct ix *ix_const(struct ix_ctx *c, int64_t value);
/* A variable with values 0 .. extent-1; the constant 0 when extent is 1. */
const struct ix *ix_var(struct ix_ctx *c, const char *name, int64_t extent, uint32_t depth);
const struct ix *ix_add(struct ix_ctx *c, const struct ix *a, const struct ix *b);
const struct ix *ix_add_const(struct ix_ctx *c, const struct ix *a, int64_t k);
const struct ix *ix_scale(struct ix_ctx *c, const struct ix *a, int64_t k);
const struct ix *ix_div(struct ix_ctx *c, const struct ix *a, int64_t k); /* floor, k > 0, a >= 0 */
const struct ix *ix_mod(struct ix_ctx *c, const struct ix *a, int64_t k);

/* Row-major flat index of `idx` in a shape, and back. An axis of one element has no part in it,
   whatever its index. */
const struct ix *ix_linear(struct ix_ctx *c, const struct shape *s, const struct ix *const *idx);
void ix_delinear(struct ix_ctx *c, const struct shape *s, const struct ix *flat,
                 const struct ix **out);
/* The coefficient of a variable; 0 where it does not occur outside quotients and remainders. */
int64_t ix_coef(const struct ix *a, const struct ix *var);
/* How much the expression grows when `var` grows by one, wrapping of remainders aside. */
int64_t ix_step(const struct ix *a, const struct ix *var);
static inline bool ix_is_const(const struct ix *a)
{
    return a->nterms == 0;
}
/* Whether it is one variable, quotient or remainder, or a constant: a word where it is written. */
static inline bool ix_is_atom(const struct ix *i)
{
    return i->nterms == 0 || (i->nterms == 1 && i->constant == 0 && i->terms[0].coef == 1);
}

/* What reshape, transpose, ... do: the index of the operand that the result's index `idx` reads.
   `in` is the operand's shape, `out` has room for its rank. Only for the ops that are a pure
   index map: reshape, broadcast, transpose, reverse, slice. */
void ix_through(struct ix_ctx *c, const struct node *n, const struct shape *in,
                const struct ix *const *idx, const struct ix **out);

/* Text for tests and dumps: "4*i + (o / 3) + 2". */
void ix_print(const struct ix *a, struct str *out);

#endif
