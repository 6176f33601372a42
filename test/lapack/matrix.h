/* Matrices of long double, real or complex, and what tests of linear algebra do with them. Rows
   follow each other. */
#ifndef LAPACK_MATRIX_H
#define LAPACK_MATRIX_H

#include <stdbool.h>

struct matrix {
    long m, n;
    long double *re, *im; /* im: NULL where it is real. *Owns*: matrix_free */
};

enum turn { AS_IS, ADJOINT };

/* Zeros. Without memory the program ends. */
struct matrix matrix_new(long m, long n, bool is_complex);
void matrix_free(struct matrix *a);
/* The conjugate transpose. */
struct matrix matrix_adjoint(const struct matrix *a);
/* a b, where either may be turned. */
struct matrix matrix_product(const struct matrix *a, enum turn turn_a, const struct matrix *b,
                             enum turn turn_b);
/* Subtracts b, or the unit matrix where b is NULL, from a. */
void matrix_subtract(struct matrix *a, const struct matrix *b);
/* The largest sum of a column's magnitudes. NaN if an element is. */
long double matrix_norm(const struct matrix *a);
/* The same of a - b, or of a - I; a is freed. */
long double matrix_distance(struct matrix a, const struct matrix *b);
long double matrix_magnitude(const struct matrix *a, long i, long j);
bool matrix_is_finite(const struct matrix *a);

#endif
