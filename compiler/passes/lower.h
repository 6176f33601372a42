/* The lowerings of pass_lower.c. Each takes the node with its new inputs and gives the value
   that replaces it; false if it leaves the node as it is. */
#ifndef VKC_LOWER_H
#define VKC_LOWER_H

#include "passes/build.h"

/* A tensor as rows: `outer` times `length` along the axis times `inner`. Row-major, so a plain
   reshape. */
struct rows_of {
    int64_t outer, length, inner;
};

static inline struct rows_of rows_of(const struct shape *s, int64_t axis)
{
    struct rows_of r = {1, s->dim[axis], 1};
    for (uint32_t i = 0; i < s->rank; i++) {
        r.outer *= i < axis ? s->dim[i] : 1;
        r.inner *= i > axis ? s->dim[i] : 1;
    }
    return r;
}

/* [outer, length, inner], of that or another length. */
static inline struct shape rows_shape(const struct rows_of *r, int64_t length)
{
    return shape_of(3, (int64_t[3]){r->outer, length, r->inner});
}

/* Counts 0, 1, 2, ... along one axis of the shape. */
struct value lower_counter(struct build *b, const struct shape *to, int64_t axis,
                           enum vkc_type type);
/* Of x[outer, i, inner]: which element has its place at i, as s32. Counted, so quadratic. */
struct value lower_rank(struct build *b, struct value x, const struct rows_of *r, bool descending);
/* Of u32 keys [words, outer, length, inner] along the third axis: the sorted keys, their places,
   or both, in as many words; high words first. Keys that have the same `bits` are the
   same. With `zeros`, 0x7fff... equals 0x8000... */
struct key_bits {
    uint32_t from, to; /* counted from the lowest bit of the last word */
};
struct value lower_order(struct build *b, struct value words, const struct key_bits *bits,
                         bool order, bool keys, bool zeros);
/* The same of [words, rows, length], by digits: what is carried along and what the last step gives
   are "keys", "order" or "both". Whether that is quicker than to merge runs of that length. */
struct value lower_digits(struct build *b, struct value words, const struct key_bits *bits,
                          const char *all, const char *last, bool zeros);
bool lower_digits_pay(const struct build *b, const struct key_bits *bits, int64_t elements,
                      int64_t length, int64_t run);
/* Of keys as lower_order has them, the `first` places, or keys, that a sort gives; what is read of
   the node at hand. Whether that is possible, and quicker than to sort rows of keys of so many
   words. */
struct value lower_first(struct build *b, struct value words, const struct key_bits *bits,
                         int64_t first, bool order, bool zeros);
bool lower_first_pays(const struct build *b, const struct rows_of *r, int64_t words, int64_t first);
/* Rows of keys [words, outer, length, inner] in runs of that length, in shared memory. */
struct value lower_sort_runs(struct build *b, struct value words, int64_t run, const char *gives,
                             bool zeros);
/* How far along an axis of the node at hand anything reads its result; at least 1. */
int64_t lower_reads(struct build *b, int64_t axis);
/* Of x [outer, length, inner], what `reduce` makes of all elements up to each. */
struct value lower_running(struct build *b, struct value x, enum op reduce, bool reverse);
/* Of what it gives, the words number `p`, as a tensor of the shape. */
struct value lower_plane(struct build *b, struct value words, int64_t p, const struct shape *to);

/* ---- matrices [batch, rows, columns] ---- */

/* Of each, `rows` by `columns` elements from (row, column) on. */
struct value lower_part(struct build *b, struct value x, int64_t row, int64_t column, int64_t rows,
                        int64_t columns);
/* x with zeros behind its last row and column, so many rows and columns in all. */
struct value lower_padded(struct build *b, struct value x, int64_t rows, int64_t columns);
/* So many rows and columns of x, or of ones where they are the same and zeros; as many matrices,
   and of the type, as `like` is. */
struct value lower_filled(struct build *b, struct value like, int64_t rows, int64_t columns,
                          double x);
/* x in every element of the shape and type of `like`, whatever its rank. */
struct value lower_number(struct build *b, struct value like, double x);
struct value lower_eye(struct build *b, struct value like, int64_t rows, int64_t columns);
struct value lower_transposed(struct build *b, struct value x);
struct value lower_adjoint(struct build *b, struct value x);
/* The columns of x, then those of y. */
struct value lower_beside(struct build *b, struct value x, struct value y);
/* x where row and column compare so, counted from the first of x, else y. */
struct value lower_where(struct build *b, enum op compare, struct value x, struct value y);
/* x y and x y*, matrix by matrix. */
struct value lower_times(struct build *b, struct value x, struct value y);
struct value lower_times_adjoint(struct build *b, struct value x, struct value y);
/* Columns x [batch, rows, width] of complex matrices eliminated as panel_lu does, or reflected as
   panel_qr does: rows of pivots, [batch, width] s32, and where rows stand, [batch, rows] s32, are
   in `order` and `places`; T [batch, width, width] is in `t`. Wider panels are slower: each round
   takes in all of it. */
enum { LOWER_COLUMNS = 16 };
struct value lower_lu_columns(struct build *b, struct value x, struct value *places,
                              struct value *order);
struct value lower_qr_columns(struct build *b, struct value x, struct value *t);
/* x of l x = y (`is_left`), or of x l^T = y, for triangles l: a node, which pass lower takes
   apart. */
struct value lower_solved(struct build *b, struct value l, struct value y, bool is_left,
                          bool is_lower);
/* The places of numbers [batch, n] in their order along n, equal ones as they stand: s32. */
struct value lower_argsort(struct build *b, struct value numbers, bool is_descending);

/* Of x [batch, m, n], of floats of 32 bits or more: Q [batch, m, wanted], of m columns or as many
   as R has rows, and R [batch, min(m, n), n]. False where they do not fit the target. */
bool lower_qr_factors(struct build *b, struct value x, int64_t wanted, struct value *q,
                      struct value *r);

/* ---- */

/* For pass inline: a block that is a scan. */
bool lower_scan(struct build *b, const struct node *n, const struct value *ins, struct value *outs);
/* For pass inline: a block of linear algebra that has kernels. */
bool lower_linalg(struct build *b, const struct node *n, const struct value *ins,
                  struct value *outs);
bool lower_cholesky(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs);
bool lower_eigh(struct build *b, const struct node *n, const struct value *ins, struct value *outs);
bool lower_lu(struct build *b, const struct node *n, const struct value *ins, struct value *outs);
bool lower_qr(struct build *b, const struct node *n, const struct value *ins, struct value *outs);
bool lower_svd(struct build *b, const struct node *n, const struct value *ins, struct value *outs);
bool lower_sort(struct build *b, const struct node *n, const struct value *ins, struct value *outs);
bool lower_concatenate(struct build *b, const struct node *n, const struct value *ins,
                       struct value *outs);
bool lower_scatter(struct build *b, const struct node *n, const struct value *ins,
                   struct value *outs);
/* Of that, those whose updates cannot meet. */
bool lower_apart(struct build *b, const struct node *n, const struct value *ins,
                 struct value *outs);
bool lower_triangular(struct build *b, const struct node *n, const struct value *ins,
                      struct value *outs);
bool lower_fft(struct build *b, const struct node *n, const struct value *ins, struct value *outs);

#endif
