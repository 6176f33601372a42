/* The threads of a row combine their partial results in shared memory, in a tree that is the
   same in every run, so the bits are the same, too. */
#ifndef VKC_FAMILY_ROW_TREE_H
#define VKC_FAMILY_ROW_TREE_H

#include "codegen/emit/emit.h"

/* Elements of the shared array in which the threads of a row meet their partial results. */
uint32_t row_tree_slots(const struct emit *e, const struct node *n);
/* For these heroes, in one walk up the tree: the first thread of a row then has the row's
   results. */
void row_tree_join(struct emit *e, const node_id *heroes, uint32_t nheroes);
/* From the first thread of a row to all of them. */
void row_tree_tell(struct emit *e, const node_id *heroes, uint32_t nheroes);

#endif
