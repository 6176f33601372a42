/* Between which numbers the elements of a float lie: what a generator of random numbers says of its
   results by how it makes them. */
#ifndef VKC_BOUNDS_H
#define VKC_BOUNDS_H

#include "passes/build.h"

/* True where all elements are numbers from `out_least` to `out_most`, on any device; a zero among
   them is +0. Of f32 and f64 only. */
bool bounds_of(const struct build *b, struct value v, double *out_least, double *out_most);

#endif
