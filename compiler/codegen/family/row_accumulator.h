/* The accumulator of a hero in one thread: its first value, and how it takes in an element. */
#ifndef VKC_ROW_ACCUMULATOR_H
#define VKC_ROW_ACCUMULATOR_H

#include "codegen/emit/emit.h"

/* The type in which a hero combines its elements. */
enum vkc_type hero_accumulator(const struct node *n);
/* Whether the accumulator holds the rank of the greatest or least, see rank_f32.glsl; the rank of
   x, or with `back` the value of a rank. */
bool hero_is_ranked(const struct node *n);
const char *hero_rank(struct emit *e, const struct node *n, bool back, const char *x);
/* Two accumulators, joined. */
const char *hero_join(struct emit *e, const struct node *n, const char *x, const char *y);
/* Whether it is a sum with a low part. */
bool hero_is_compensated(const struct emit *e, const struct node *n);
/* Whether (v, i) beats (b, j) in an argmax or argmin. */
const char *hero_beats(struct emit *e, const struct node *n, const char *v, const char *i,
                       const char *b, const char *j);
/* Declares acc_n12 with its first value, and whatever goes with it. */
void hero_begin(struct emit *e, const struct node *n, const struct ix *o);
/* Adds x to a sum with a low part. */
void hero_add_exactly(struct emit *e, const struct node *n, const char *x);
/* Takes in the element `x`, which stands at `r` of its row. */
void hero_accumulate(struct emit *e, const struct node *n, const char *x, const char *r);

#endif
