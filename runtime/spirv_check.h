/* The verifier of SPIR-V from outside: admits only what our compiler writes (spirv_rules.def),
   typed and structured, so that no driver meets a module that breaks SPIR-V's rules. Time and
   memory are linear in the module's words; nothing recurses. What is left to the guards
   (spirv_guard.h): indices that are not constant, division, memory that was never written. No
   Vulkan.

   spirv_module.c    what is known of ids
   spirv_type.c      types
   spirv_value.c     what takes values and makes one
   spirv_memory.c    variables, loads, stores, atomics, barriers, calls
   spirv_flow.c      functions and structured control flow: what is defined where, the calls
   spirv_check.c     frame, annotations, constants and globals; the order of it all */
#ifndef VKR_SPIRV_CHECK_H
#define VKR_SPIRV_CHECK_H

#include "spirv_module.h"

/* Checks all of it. `claim` must outlive the module. False with one line of text in `error`.
   *Owns*: the caller, spirv_close, also after a failure. */
bool spirv_open(const uint32_t *words, uint32_t nwords, const struct spirv_claim *claim,
                struct spirv_module *out, char *error, size_t error_size);
void spirv_close(struct spirv_module *m);

#endif
