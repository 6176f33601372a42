/* Variables, what points into them, and what goes through pointers. Part of the verifier
   (spirv_check.h). */
#ifndef VKR_SPIRV_MEMORY_H
#define VKR_SPIRV_MEMORY_H

#include "spirv_module.h"

/* Checks the instruction at hand: `n` words from `w`. */
bool spirv_check_memory(struct spirv_module *m, const struct spirv_op_rule *rule, const uint32_t *w,
                        uint32_t n);

#endif
