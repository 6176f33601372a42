/* Vectors made orthogonal by rounds of rotations, and what decompositions by them share. Matrices
   are [batch, rows, columns], and the vectors are rows. */
#ifndef VKC_LOWER_JACOBI_H
#define VKC_LOWER_JACOBI_H

#include "passes/build.h"

struct jacobi {
    struct build *b;
    enum vkc_type type, real;
    int64_t batch, n;     /* matrices, and vectors of one */
    int64_t rows, length; /* elements of a vector: that are made orthogonal, and all */
    int64_t sweeps;       /* where they are a fixed number */
    bool both;            /* a Hermitian matrix, turned from both sides; else vectors */
    int64_t width, most;  /* vectors of a workgroup; all, with zeros behind the last */
    int64_t rounds;       /* of a sweep */
};

/* So many, which do in f32, and a few more for f64 and for large orders: vectors have more
   others to meet. */
int64_t jacobi_sweeps(int64_t usual, enum vkc_type real, int64_t order);
/* From b to sweeps from the caller; how the vectors are cut. False where they do not fit. */
bool jacobi_cut(struct jacobi *j);
/* x [batch, n, length], its rows orthogonal. */
struct value jacobi_orthogonal(const struct jacobi *j, struct value x);
/* Of f64, on CPUs, where x is large: W x, with rows that are orthogonal to as many digits as 32
   bits have, since W was found in these. W is what became of the n elements of x's rows from
   `first` on, but for the lengths of rows: of an identity that stands there, or of a symmetric
   matrix. What W lacks to be orthogonal is squared twice, to below the rounding of 64 bits.
   Else x. */
struct value jacobi_turned_in_half(const struct jacobi *j, struct value x, int64_t first);

/* Of Hermitian x [batch, n, n] of norm 1: Z with Z x Z* diagonal but for rounding, which
   *out_turned is. */
struct value jacobi_diagonal_form(const struct jacobi *j, struct value x, struct value *out_turned);
/* Rows x that are orthonormal up to some E, up to the square of that: 3/2 x - 1/2 x x* x. */
struct value jacobi_orthonormal(struct build *b, struct value x);

/* Of each matrix, so that its greatest element becomes 1; 1 for zeros. [batch] */
struct value jacobi_scale(struct build *b, struct value x);
/* A number for each matrix, or for each row, in the places and of the type of x. */
struct value jacobi_spread(struct build *b, struct value number, struct value x);
/* Of the shape of x: 1 where row and column are the same. u8 */
struct value jacobi_diagonal(struct build *b, struct value x);
/* |x|^2 summed along so many of the last axes: 1 or 2. */
struct value jacobi_squares(struct build *b, struct value x, uint32_t naxes);
/* Rows of v over their lengths. */
struct value jacobi_of_length_1(struct build *b, struct value v);
/* Whether rows of v are orthogonal to each other, matrix by matrix, to half of their digits; v's
   rows have length 1 or 0. [batch] */
struct value jacobi_is_done(const struct jacobi *j, struct value v);
/* Whether x of norm 1 is diagonal, to that. [batch] */
struct value jacobi_is_diagonal(const struct jacobi *j, struct value x);
/* x where the flag of its matrix, or of its row, is set, else y. */
struct value jacobi_select(struct build *b, struct value flags, struct value x, struct value y);
/* Of numbers [batch, n]: where in all of them the greatest magnitude of each matrix stands, the
   second, and so on. s32 [batch * n] */
struct value jacobi_order(struct build *b, struct value numbers);
/* x [batch, n] or [batch, n, length] with the n in that order. */
struct value jacobi_sorted(struct build *b, struct value x, struct value order);
/* Eigenvalues [batch, n] and eigenvectors, as rows, of Hermitian matrices x, by magnitude; false
   where they do not fit. */
bool lower_eigenvectors(struct build *b, struct value x, struct value *out_values,
                        struct value *out_vectors);

#endif
