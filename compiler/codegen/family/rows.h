/* Reductions along rows, and what happens per row and per element around them. */
#ifndef VKC_FAMILY_ROWS_H
#define VKC_FAMILY_ROWS_H

#include "codegen/family/family.h"

/* Spreads the rows of a grid over threads, see struct family. */
/* Whether the rows are windows, or kernels of convolutions, so short that a thread takes one. */
bool rows_are_windows(const struct unit *u, const struct kernel *k);
void schedule_rows(const struct unit *u, struct kernel *k, uint32_t most_unroll);
/* As many elements of a row that is read again as a thread keeps in registers from one loop to the
   next, `words` of 4 bytes each. 0 where rows are so short that they are written out anyway, or too
   long. */
uint32_t rows_held(const struct unit *u, const struct kernel *k, uint32_t words);
/* The rows of a phase, over the threads of its program. */
void schedule_rows_phase(const struct unit *u, struct kernel *k);
void rows_phase(const struct kernel *k, struct phase *out);
/* Whether it has a place for each of `size` elements, and what may join it: see struct family. */
bool rows_have_place(const struct unit *u, const struct kernel *k, int64_t size);
bool rows_join(const struct unit *u, const struct kernel *k, const struct kernel *other,
               struct kernel *out);

#endif
