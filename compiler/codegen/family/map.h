/* Element-wise nodes over one iteration space. */
#ifndef VKC_FAMILY_MAP_H
#define VKC_FAMILY_MAP_H

#include "codegen/emit/emit.h"

/* The elements of a thread: `i` is the flat index in the first piece, all lanes of which exist if
   `whole`. */
bool map_elements(struct emit *e, const struct ix *i, bool whole);
/* Scalar results of a kernel whose space is larger: computed and stored inside `head`. */
void emit_scalars(struct emit *e, int64_t space, const char *head);

#endif
