/* What LAPACK, or long double, says of a matrix. */
#ifndef LAPACK_REFERENCE_H
#define LAPACK_REFERENCE_H

#include "matrix.h"

/* Eigenvalues of a Hermitian matrix, or singular values, ascending, by LAPACK in double.
   *Owns*: free. Without memory the program ends. */
double *reference_values(const struct matrix *a, bool is_hermitian);
/* The largest singular value over the smallest. */
long double reference_condition(const struct matrix *a);
/* By elimination with pivots in long double. */
void reference_determinant(const struct matrix *a, long double *out_re, long double *out_im);

#endif
