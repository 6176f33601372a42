/* Reductions along rows, and what happens per row and per element around them. */
#ifndef VKC_FAMILY_ROWS_H
#define VKC_FAMILY_ROWS_H

#include "codegen/emit/emit.h"

/* Spreads the rows of a grid over threads, see struct family. */
void schedule_rows(const struct unit *u, struct kernel *k, uint32_t most_unroll);
/* Elements of the shared array in which the threads of a row meet their partial results. */
uint32_t hero_slots(const struct emit *e, const struct node *n);

#endif
