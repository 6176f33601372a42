/* What the parts of the interpreter share. The graph is verified: no part checks shapes or types
   again. */
#ifndef VKC_INTERP_IMPL_H
#define VKC_INTERP_IMPL_H

#include <complex.h>

#include "interp/interp.h"

/* One element in the widest form of its kind: f for floats, s and u for integers, c for complex. */
union number {
    double f;
    int64_t s;
    uint64_t u;
    double complex c;
};

/* One node being evaluated. Outputs are allocated and zero. */
struct interp {
    const struct graph *g;
    const struct node *n;
    struct arena *arena; /* of the outputs and of scratch memory */
    const struct array *ins;
    struct array *outs;
    struct diag *d;
    interp_call *call; /* of a fold's function; NULL: interp_func */
    void *with;
};

/* ---- numbers (interp_number.c) ---- */
double complex complex_of(double re, double im);
union number number_load(enum vkc_type type, const void *data, int64_t i);
/* Rounds to the type or wraps to its width. Types under 8 bits are stored sign- or
   zero-extended. */
void number_store(enum vkc_type type, void *data, int64_t i, union number x);
/* as_type: float to integer truncates and saturates, integers wrap, every rounding is one
   rounding. */
union number number_convert(enum vkc_type from, union number x, enum vkc_type to);
bool number_is_nonzero(enum vkc_type type, union number x);
bool number_is_nan(enum vkc_type type, union number x);
/* -1, 0, 1 of real numbers; NaN is equal to NaN and greater than everything else; -0 equals 0. */
int number_compare(enum vkc_type type, union number a, union number b);
/* An integer element as an index: unsigned values beyond int64 become its greatest. */
int64_t number_index(const struct array *a, int64_t i);

/* A sum whose error does not grow with the number of terms (Neumaier; products split by fma). */
struct sum {
    double high, low;
};
void sum_add(struct sum *s, double x);
void sum_add_product(struct sum *s, double x, double y);
double sum_value(const struct sum *s);

/* ---- walks over indices (interp_number.c) ---- */

/* Visits a shape in row-major order and keeps a position that is linear in the indices. Start with
   `at` zero; after the last index walk_next returns false and is back at the start. */
struct walk {
    struct shape shape;
    int64_t stride[VKC_MAX_RANK];
    int64_t at[VKC_MAX_RANK];
    int64_t offset;
};
bool walk_next(struct walk *w);
struct walk walk_dense(const struct shape *s);

/* ---- the parts; each returns false with a diagnostic ---- */
bool interp_elementwise(struct interp *x);
bool interp_move(struct interp *x); /* movement, indexed, indexed_add, indexed_put */
/* reductions, argmax, argmin, reduce, windows, window_scatter */
bool interp_reduce(struct interp *x);
bool interp_contract(struct interp *x); /* dot, conv, triangular_solve */
bool interp_special(struct interp *x);  /* sort, argsort, fft, ifft, and fourier for interp_made */
/* what passes make: scan, search, segment_sum, panels, rotations, attention */
bool interp_made(struct interp *x);
bool interp_order(struct interp *x);    /* steps of sorts, for interp_made */
bool interp_singular(struct interp *x); /* singular, for interp_made */
bool interp_control(struct interp *x);  /* while, cond, block, effects */

/* Runs a function; outputs may share memory with inputs. */
bool interp_func(const struct graph *g, uint32_t func, struct arena *a, const struct array *inputs,
                 struct array *outputs, struct diag *d);

bool interp_no_memory(struct interp *x);

#endif
