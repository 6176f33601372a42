/* Rotations that make vectors orthogonal: what kernels that have them share. */
#ifndef VKC_JACOBI_H
#define VKC_JACOBI_H

#include "codegen/family/family.h"

/* What jacobi.glsl and jacobi_angle.glsl leave open, but for TURNING, of `width` vectors `of` a
   type; blocks are halved down to 2 `least`. */
void jacobi_text(struct emit *e, struct kernel_text *t, enum vkc_type of, int64_t width,
                 int64_t least);
/* Whether two vectors of `rows` elements are turned, by the squares of their product and of their
   lengths: not for what rounding alone can make of a product. */
const char *jacobi_turning(struct emit *e, enum vkc_type real, int64_t rows);
/* A power of the type's eps. */
const char *jacobi_eps(struct emit *e, enum vkc_type real, int power);

#endif
