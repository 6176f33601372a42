/* The accumulator of a hero in one thread: its first value, and how it takes in an element. */
#ifndef VKC_ROW_ACCUMULATOR_H
#define VKC_ROW_ACCUMULATOR_H

#include "codegen/emit/emit.h"

/* The type in which a hero combines its elements. */
enum vkc_type hero_accumulator(const struct node *n);
/* The same of any hero, and of the best of an argmax or argmin: the type of acc_n12. */
enum vkc_type hero_holds(const struct func *f, const struct node *n);
/* Whether the accumulator holds the rank of the greatest or least, see rank_f32.glsl; the rank of
   x, or with `back` the value of a rank. */
bool hero_is_ranked(const struct node *n);
const char *hero_rank(struct emit *e, const struct node *n, bool back, const char *x);
/* Two accumulators, joined. */
const char *hero_join(struct emit *e, const struct node *n, const char *x, const char *y);
/* Whether it is a sum with a low part. */
bool hero_is_compensated(const struct emit *e, const struct node *n);
/* Whether the best so far v, at i, beats b, at j, in an argmax or argmin. */
const char *hero_beats(struct emit *e, const struct node *n, const char *v, const char *i,
                       const char *b, const char *j);
/* Declares acc_n12 with its first value, and whatever goes with it. */
void hero_begin(struct emit *e, const struct node *n, const struct ix *o);
/* The same of arrays acc_n12_of[count] and so on, one for each of a thread's rows. What follows
   takes in elements of these where e->of_accumulator is "_of[i]". */
void hero_begin_each(struct emit *e, const struct node *n, uint32_t count);
/* Adds x to a sum with a low part. */
void hero_add_exactly(struct emit *e, const struct node *n, const char *x);
/* The same of four neighbours, in pairs: two more roundings. */
void hero_add_four(struct emit *e, const struct node *n, const char *const x[4]);
/* Takes in the element `x`, which stands at `r` of its row. */
void hero_accumulate(struct emit *e, const struct node *n, const char *x, const char *r);
/* Takes in the partial result `part`, of which `beside` is the place, or the low part; stores the
   thread's own there. */
void hero_take(struct emit *e, const struct node *n, const char *part, const char *beside);
void hero_give(struct emit *e, const struct node *n, const char *part, const char *beside);
/* Adds a sum's low part, once the sum is complete. */
void hero_settle(struct emit *e, const struct node *n);
/* What a hero is once all threads have its accumulator: n12. */
void hero_finish(struct emit *e, node_id hero);

#endif
