/* Guards put into a module that the verifier has admitted: whatever it computes, it touches only
   its own memory, and memory that was never written reads as 0. Time and memory are linear in the
   module's words. No Vulkan.

   - An index that is not constant is limited to the last element. For a buffer that is the last
     whole element of what every dispatch binds, or of what is bound if they differ.
   - Local variables begin as 0; shared memory is filled with 0 before all else.
   - An integer is not divided by 0, nor the least one by -1. */
#ifndef VKR_SPIRV_GUARD_H
#define VKR_SPIRV_GUARD_H

#include "spirv_module.h"

/* `bytes` are, by binding, what every dispatch binds; 0: not all bind as many. Each binds what
   spirv_use says at least. *Returns* the new module's words, NULL if memory is out. *Owns*: the
   caller, free. */
uint32_t *spirv_guard(const struct spirv_module *m, const uint64_t *bytes, uint32_t *out_words);

#endif
