/* What the heroes of a row kernel combine: which elements a row has, and where they are. */
#ifndef VKC_ROW_ELEMENTS_H
#define VKC_ROW_ELEMENTS_H

#include "codegen/emit/emit.h"

/* How many elements a row of the hero has. */
int64_t hero_inner(const struct func *f, const struct node *n);
/* The reduction that combines its elements: OP_SUM for a dot, a conv and window_sum, ... */
enum op hero_combine(const struct node *n);
/* Whether a thread must take all elements of a row, in order. */
bool hero_is_serial(const struct node *n);
/* The element of row `o` at position `r`. */
struct expr hero_element(struct emit *e, const struct node *n, const struct ix *o,
                         const struct ix *r);
/* Index of a reduction's operand. */
void reduce_index(struct emit *e, const struct node *n, const struct ix *o, const struct ix *r,
                  const struct ix **out);
/* For a serial hero: the accumulator's first value, and the statements that add one element. */
struct expr serial_begin(struct emit *e, const struct node *n, const struct ix *o);
bool serial_step(struct emit *e, const struct node *n, const struct ix *o, const struct ix *r,
                 const char *acc);

#endif
