/* Functions, blocks and structured control flow. Part of the verifier (spirv_check.h). */
#ifndef VKR_SPIRV_FLOW_H
#define VKR_SPIRV_FLOW_H

#include "spirv_module.h"

/* Checks the instruction at hand: `n` words from `w`. */
bool spirv_check_flow(struct spirv_module *m, const struct spirv_op_rule *rule, const uint32_t *w,
                      uint32_t n);
/* Calls make no circle, and not too much when each is written out. */
bool spirv_check_calls(struct spirv_module *m);

#endif
