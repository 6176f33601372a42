/* Types: what values, buffers, pointers and functions are made of. Part of the verifier
   (spirv_check.h). */
#ifndef VKR_SPIRV_TYPE_H
#define VKR_SPIRV_TYPE_H

#include "spirv_module.h"

/* Checks the instruction at hand: `n` words from `w`. */
bool spirv_check_type(struct spirv_module *m, enum spirv_form form, const uint32_t *w, uint32_t n);

#endif
