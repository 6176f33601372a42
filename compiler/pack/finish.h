/* What GLSL cannot say, and what is of no use after it: SPIR-V as glslang writes it becomes what a
   bundle has. */
#ifndef VKC_FINISH_H
#define VKC_FINISH_H

#include <stdbool.h>
#include <stdint.h>

enum { FINISH_ROOM = 256 }; /* words that a module may grow by */

/* Drops names and sources, adds float controls that `features` has (those of f16
   and f64 if a kernel `needs` them), and gives the types of
   cooperative matrices the operands that they have in SPIR-V. *Returns* the new length in words, 0
   if the module is not what glslang writes. *out_used: features that the controls need. */
uint32_t spirv_finish(const uint32_t *in, uint32_t n, uint32_t features, uint32_t needs,
                      uint32_t *out, uint32_t *out_used);

#endif
