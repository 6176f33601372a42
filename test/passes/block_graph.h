/* Graphs of one op that a pass of its own writes out, by name: factors of matrices, the first of a
   sort, softmax between two products. For case_cost_test and factors_test. */
#ifndef BLOCK_GRAPH_H
#define BLOCK_GRAPH_H

#include "base/str.h"

/* The text of OP/TYPE/DIMS/HOW, up to the end of the name or another slash:

     qr/f32/4x40x24/once           matrices, rows, columns, or one matrix without the first;
                                   qr_all and svd_all: with all columns of Q, and of U and V
     eigh/c64/3x64x64/loop         the same, of what it gives, until something else ends the loop
     argsort_down/f32/2x9001x3/50  along the second axis, of which the first 50 are read
     attend/f16/4x512x512x64/once  heads, queries, keys, and numbers of each

   NULL if there is no such graph. */
const char *block_graph_text(struct arena *a, const char *name);
/* The rest of f0, of n0, which counts, and n1, of the type `t`; the condition; and the beginning of
   the body, which returns n3 and what it makes of n1. */
void block_graph_loop(struct str *s, const char *t);

#endif
