/* LAPACK's test ratios: how far results are from what they should be, in units of the problem's
   size, its norm and the roundoff, so that 30 is the bound whatever the matrix. */
#ifndef LAPACK_RATIOS_H
#define LAPACK_RATIOS_H

#include "kinds.h"

enum { MOST_INPUTS = 2, MOST_RESULTS = 3, MOST_RATIOS = 4 };

/* One matrix of a batch. */
struct problem {
    const struct kind *kind;
    const struct precision *precision;
    struct matrix in[MOST_INPUTS], out[MOST_RESULTS];
};

/* An operation and its tests. */
struct operation {
    const char *name;
    enum class class;
    bool is_solver; /* has an answer only where the matrix is not singular */
    /* A real matrix of fewer columns, alone or among few, is as Nx's own expansion has it, which
       takes 1e-10 for zero and squares what it is given: it is tested with plain matrices. */
    long lowered_from;
    /* which results are numbers: all; those of matrices that rounding leaves definite;
       `measure` says */
    enum finite { ALWAYS, IF_DEFINITE, IF_IN_RANGE } finite;
    /* Fills ratio[]; leaves -1 where there is nothing to compare. What must be so whatever rounding
       does, as zeros below a diagonal, gives an infinity. */
    void (*measure)(const struct problem *p, long double ratio[MOST_RATIOS]);
    const char *ratios[MOST_RATIOS]; /* their names */
};

extern const struct operation operations[];
extern const int operation_count;

#endif
