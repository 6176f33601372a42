/* The code of short transforms. */
#ifndef VKC_FAMILY_FOURIER_TEXT_H
#define VKC_FAMILY_FOURIER_TEXT_H

#include "base/str.h"
#include "codegen/emit/emit.h"

/* Appends "void dft_5(inout vec2 v[5])", which transforms in place. */
void fourier_function(struct emit *e, struct str *out, uint32_t radix, enum vkc_type type,
                      bool inverse);
/* Appends "vec2 turned(vec2 x, vec2 w)", the product. Unlike a product of the graph it may be
   contracted, as all arithmetic of a transform. */
void fourier_turn_function(struct emit *e, struct str *out, enum vkc_type type);

#endif
