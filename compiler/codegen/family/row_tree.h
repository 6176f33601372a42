/* The threads of a row combine their partial results in shared memory, in a tree that is the
   same in every run, so the bits are the same, too. */
#ifndef VKC_FAMILY_ROW_TREE_H
#define VKC_FAMILY_ROW_TREE_H

#include "codegen/emit/emit.h"

/* Elements of the shared array in which the threads of a row meet their partial results. */
uint32_t row_tree_slots(const struct emit *e, const struct node *n);
/* For these heroes, in one walk up the tree: the first `down_to` threads of a row, one but for
   sums apart, then have what the row's results are made of. */
void row_tree_join(struct emit *e, const node_id *heroes, uint32_t nheroes, uint32_t down_to);
/* How many threads each of several compensated sums has for itself at the end of the walk, which
   then ends at twice as many parts of each; 0: they stay side by side in the same threads. */
uint32_t row_tree_apart(const struct emit *e, const node_id *heroes, uint32_t nheroes);
/* That end: all threads then have the results, low parts added. */
void row_tree_sums_apart(struct emit *e, const node_id *heroes, uint32_t nheroes, uint32_t each);
/* From the first thread of a row to all of them. */
void row_tree_tell(struct emit *e, const node_id *heroes, uint32_t nheroes);

#endif
