/* The matrices that LAPACK's own tests make, by libtmglib, and others that are known for what
   they do to an algorithm. */
#ifndef LAPACK_KINDS_H
#define LAPACK_KINDS_H

#include <stdint.h>

#include "matrix.h"

/* What an operation is tested with: any number of rows and columns, triangular, Hermitian, and
   Hermitian and positive definite. */
enum class { GENERAL = 1, TRIANGULAR = 2, HERMITIAN = 4, DEFINITE = 8 };

/* Precision of a type, as dlamch has it. */
struct precision {
    long double roundoff;    /* half the distance from 1 to the next number */
    long double least, most; /* the smallest normal number, the largest number */
};

struct kind {
    const char *name;
    unsigned classes;
    /* dlatms: how values go from 1 to 1 / condition (mode); 0: three values by turns, if there is
       no formula */
    int mode;
    enum condition {
        ONE,
        TWO,
        ROOT,
        FULL,
        ULP
    } condition; /* 2, sqrt(0.1 / eps), 0.1 / eps, 1 / eps */
    enum size { UNIT, SMALL, LARGE, SQRT_SMALL, SQRT_LARGE } size;
    enum part { WHOLE, DIAGONAL, UPPER, LOWER } part;
    enum hole { NONE, FIRST, LAST, HALF, A_NAN, INFINITE } hole;
    enum formula {
        NO_FORMULA,
        RANDOM,
        HILBERT,
        WILKINSON,
        KAHAN,
        FRANK,
        SIGNS,
        ALL_ONES,
        RANK_1,
        ZERO,
        IDENTITY,
        GROWTH,
        GRCAR
    } formula;
    long most; /* columns, where there is a limit */
};

extern const struct kind kinds[];
extern const int kind_count;
/* The one whose elements are random. */
const struct kind *kind_random(void);

/* Whether rounding alone decides what the inverse is, or there is none. */
bool kind_is_singular(const struct kind *k);
bool kind_is_finite(const struct kind *k);
/* Of elements near 1, and far from singular. */
bool kind_is_plain(const struct kind *k);
/* Of m rows, n columns, the same for the same seed; square where the class is not GENERAL. */
struct matrix kind_make(const struct kind *k, enum class class, long m, long n, bool is_complex,
                        const struct precision *p, uint32_t seed);

#endif
