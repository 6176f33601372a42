/* Results of kernels whose hero is the words of a key and its place, in planes: sorts. */
#ifndef VKC_FAMILY_PLANES_H
#define VKC_FAMILY_PLANES_H

#include "codegen/emit/emit.h"

/* Stores the hero's words, of which there are so many, e->plane elements apart, and all results
   that have one element for each element of the rows. `flat`: its index among those. */
bool planes_store(struct emit *e, const struct ix *flat, uint32_t planes);

#endif
