/* How far a result may be from the interpreter's, by perturbation: the graph is evaluated several
   times, each time with every rounded value moved by what its op is documented to be off (ops.def
   and the table below), at random signs. Where the results differ is how far an honest device may
   be off; where they agree it has to give the same bits.

   With eps the distance from 1 to the next number of the type, a result y of n terms is moved by

     exact ops, integers, movement, comparisons   0
     DIV, SQRT, ULP2 of the op table              2.5, 3 and 2 ULP of y, and half for the
                                                  interpreter
       of types under 32 bits                     1 ULP of y: computed in f32, then rounded
     complex functions; their pow; magnitude      2.5 eps |y|; 8 eps |y|; 4 ULP
       their product                              2 of the type's smallest number more, where a
                                                  part's underflows
     sums, window sums, scattered sums            (2 + log2 n) eps sum |x|
     products                                     (2 + n) (eps |y| + the smallest number times all
                                                  factors above 1, where those below 1 underflow
                                                  together; of complex ones the smaller parts)
     dot and conv, n products                     (2 + sqrt n) (eps sum |a b| + the type's smallest
                                                  number, for underflow, unless all products have
                                                  a zero), which serial sums keep with high
                                                  probability (Higham and Mary, SIAM J. Sci.
                                                  Comput. 41)
     fft of n = p q ..., primes                   u max(sqrt(L) R, P), u half of eps: L is 1 for
                                                  each 2 and p / 2 for each other p,
                                                  3 (2 + log2 n) for a p above 13; R is the root
                                                  of the greatest mean of |y|^2 over indices alike
                                                  modulo a divisor of n; P is the greatest |y| of
                                                  the line; see below
     scores of attention                          as dot, in f32, and an ULP of their type
     attend, n weights, each off by its exp and   ((2 + sqrt n) eps of f32 + 4 eps) sum w |v|,
     three roundings                              the smallest number for each, and an ULP
     triangular_solve                             the inputs are moved by (1 + n) eps, as backward
                                                  stability allows
     folds of a function                          every op of every step by itself: the steps have
                                                  an order

   The errors of a transform are of two kinds. Those of rounded sums and products add up as random
   ones: Schatzman (SIAM J. Sci. Comput. 17) has 0.6 u sqrt(log2 n) R on average, so that
   PERTURB_FACTOR times sqrt(L) R is some nine deviations of a part. Those of the rounded roots in a
   short transform of p are the same in each of the n / p that make a stage, and where their
   operands are alike, so are the roundings of their sums. Take a line that is a tone: y[k] = P at
   one k and 0 elsewhere. The operands of a stage's short transforms then differ in their phase
   only, and the stages that follow add the errors up, n / p times u P p / n, in an index next to k,
   or as far from it as a divisor of n. That is u P, where R is P / sqrt(n), and each index gets it
   from one stage. A line is a sum of tones: what they leave in an index adds up as random errors,
   which R covers, but for the tallest. The bound that always holds, 7 u log2 n sqrt(n) R (Higham,
   Accuracy and Stability, 24.2), would let roots of six digits pass.

   What is moved by as much as it is may be 0; so may it be 1 or -1, where functions have poles.
   Sums, dots and convolutions whose finite magnitudes overflow, complex ones with an infinity,
   products whose factors above 1 do (of f8_e4m3fn, which has no infinity, those that reach its
   greatest number, where the steps of running ones stay) or whose factors below 1 underflow beside
   an infinity, complex products of which a part's overflows, and transforms of what is not finite
   or of magnitudes whose sum overflows, may give infinities or NaNs anywhere. The bits of a NaN may
   be taken for any number.

   And an element may be off by PERTURB_FACTOR times the most that a sample is off: the samples are
   few and their signs are random. An element of which samples disagree in kind (an integer, a NaN,
   an infinity) depends on rounding, and is not compared. Zeros of which samples disagree in the
   sign may have either.

   Few samples may miss a jump (floor, a comparison) that an honest device is on the other side
   of. Samples from PERTURB_SAMPLES on are for the elements that are beyond the bound of the first
   ones, and no element may be farther off than they are. They move everything by PERTURB_FACTOR
   times as much, but the first of them only what may be 0, to 0: a rounded value may also be
   exact, and then a difference of two that are alike is 0, which is another truth than the least
   that is not. What depends on single digits (the bits of a rounded number as an integer, an index
   made of it) depends on values within the bound, too: samples from PERTURB_BETWEEN on move each
   value by a part of its bound that is drawn at random. */
#ifndef E2E_PERTURB_H
#define E2E_PERTURB_H

#include "interp/interp.h"

enum {
    PERTURB_SAMPLES = 6,
    PERTURB_FACTOR = 4,
    PERTURB_BETWEEN = PERTURB_SAMPLES + 48,
    PERTURB_SUITE = PERTURB_BETWEEN + 32, /* where the graphs are chosen, and not random */
    PERTURB_ALL = PERTURB_BETWEEN + 400
};

/* What a device takes for 0: numbers below these; all 0 where it keeps subnormal numbers. */
struct perturb_kept {
    double f32, f64;
};
#define PERTURB_KEEPS ((struct perturb_kept){0, 0})
/* Of a device that promises nothing else: without these features NVIDIA's driver takes subnormal
   numbers for 0. `features` are vkb_feature bits. */
struct perturb_kept perturb_least_kept(uint64_t features);

/* Evaluates the entry function. Sample 0 moves nothing, 1 moves everything up, 2 down, others at
   random. Arrays live in `a`. */
bool perturb_run(const struct graph *g, struct arena *a, const struct array *inputs,
                 struct array *outputs, uint32_t sample, struct perturb_kept kept, struct diag *d);

/* What a comparison found. */
struct perturb_result {
    int64_t wrong;               /* first element beyond its bound, or -1 */
    int64_t loose;               /* elements not compared */
    int64_t vague;               /* numbers whose bound is beyond their magnitude */
    double found, wanted, bound; /* of the wrong one, its real part */
};

/* Compares `found` with samples[0] under the bound that the others give, and `slack` ULP. A
   device that keeps no number below those of `kept` may give 0 for what may be less. */
struct perturb_result perturb_compare(const struct array *samples, uint32_t count, double slack,
                                      struct perturb_kept kept, const void *found);

#endif
