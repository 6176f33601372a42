/* How far along its axes a value is read: the sizes of the smallest tensor that begins where the
   value does and has every element that anything depends on. What reads too little of a sort to
   need all of it is found so, whatever stands between: Nx's top_k takes values along the axis by
   the places, and slices of both.

   Known of slices, reshapes that only add or drop axes of one element, transposes, concatenations,
   broadcasts, indices of gathers, and element-wise ops; of all else everything is read. Linear in
   the function. */
#ifndef VKC_PASSES_READS_H
#define VKC_PASSES_READS_H

#include "ir/ir.h"

/* A shape for output 0 of each node of the function, with 0 along an axis of what is not read. NULL
   if memory is out. */
const struct shape *reads_of(const struct func *f, struct arena *a);

#endif
