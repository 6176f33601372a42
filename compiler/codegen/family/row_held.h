/* What a thread keeps of its elements of a row from one loop over the row to the next. */
#ifndef VKC_FAMILY_ROW_HELD_H
#define VKC_FAMILY_ROW_HELD_H

#include "codegen/emit/emit.h"

/* Registers of 4 bytes that an element has between two loops over the row, at most: for values that
   one of the loops so far has loaded or computed and a later one uses. `levels`: by node, how many
   heroes lie on the longest path to it. 0: none. UINT32_MAX when out of memory. */
uint32_t row_held_words(struct emit *e, const struct slots *levels);

#endif
