/* SPIR-V that reads some of its integers from push constants. */
#ifndef VKC_PUSHED_H
#define VKC_PUSHED_H

#include "pack/code.h"

#define NOT_PUSHED UINT32_MAX

/* The module with the operands numbers[i] in words slots[i] of the push constants, of which there
   are npushed; NOT_PUSHED: it stays. *Returns* the words, *out_n of them; NULL if memory is
   out. */
uint32_t *pushed_write(struct arena *a, const struct code *m, const struct code_number *numbers,
                       const uint32_t *slots, uint32_t count, uint32_t npushed, uint32_t *out_n);

#endif
