/* Columns of matrices [batch, rows, columns] made triangular by Householder reflections: those of
   a workgroup, or where a column is too long for one, a tree of them. */
#ifndef VKC_LOWER_REFLECT_H
#define VKC_LOWER_REFLECT_H

#include "passes/build.h"
#include "vkc.h"

/* How columns are cut. Rows in groups of `chunk` are reflected each for itself; the first `width`
   rows of the groups are the rows that the next level reflects, until there is one group. */
struct reflect_cut {
    int64_t batch;
    int64_t width; /* the most columns at once; 0: nothing fits */
    int64_t chunk; /* the most rows of a workgroup */
};
struct reflect_cut reflect_cut(const struct vkc_target *t, enum vkc_type type, int64_t batch,
                               int64_t rows, int64_t columns);
/* So many rows as make whole groups. */
int64_t reflect_rows(const struct reflect_cut *cut, int64_t rows);

/* The product H of the reflections of some columns. */
struct reflection;
/* Of c [batch, rows, size], size at most the width: R [batch, size, size] with H* c = [R; 0]. */
struct value reflect_columns(struct build *b, const struct reflect_cut *cut, struct value c,
                             const struct reflection **out);
/* H x, or H* x. Accepts NULL after a failure. */
struct value reflected(struct build *b, const struct reflection *h, struct value x, bool adjoint);

#endif
