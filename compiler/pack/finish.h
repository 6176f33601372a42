/* What GLSL cannot say, and what is of no use after it: SPIR-V as glslang writes it becomes what a
   bundle has. */
#ifndef VKC_FINISH_H
#define VKC_FINISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINISH_ROOM = 256 };

/* Words of memory for what a module of n words becomes, and for notes behind it. */
static inline size_t finish_room(uint32_t n)
{
    return 3 * (size_t)n + FINISH_ROOM;
}

/* Drops names and sources, adds float controls that `features` has (those of f16 and f64 if a
   kernel `needs` them), decorates what is bound to memory that another binding has, too, and gives
   the types of cooperative matrices the operands that they have in SPIR-V. `aliased` are such
   bindings, a bit each (finish_bit); variables of one binding are found. *Returns* the new length
   in words, 0 if the module is not what glslang writes. *out_used: features that the controls
   need. */
uint32_t spirv_finish(const uint32_t *in, uint32_t n, uint32_t features, uint32_t needs,
                      uint64_t aliased, uint32_t *out, uint32_t *out_used);

/* Bindings from 63 on share a bit. */
static inline uint64_t finish_bit(uint32_t binding)
{
    return (uint64_t)1 << (binding < 63 ? binding : 63);
}

#endif
