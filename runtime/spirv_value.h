/* Instructions that take values and make one. Part of the verifier (spirv_check.h). */
#ifndef VKR_SPIRV_VALUE_H
#define VKR_SPIRV_VALUE_H

#include "spirv_module.h"

/* Checks the instruction at hand: `n` words from `w`. */
bool spirv_check_value(struct spirv_module *m, const struct spirv_op_rule *rule, const uint32_t *w,
                       uint32_t n);

#endif
