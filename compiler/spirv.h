/* GLSL to SPIR-V. The only user of shaderc. */
#ifndef VKC_SPIRV_H
#define VKC_SPIRV_H

#include "plan.h"

/* Whether this build has shaderc. Without it spirv_compile is DIAG_UNSUPPORTED. */
bool spirv_is_built(void);

/* Compiles every kernel of the plan, on `threads` threads (0: as many as there are processors, at most
   8); equal code once. `progress` may be NULL; it is called before and after. A compile error is a defect of
   ours: DIAG_INTERNAL with the numbered source lines around it. */
bool spirv_compile(struct plan *p, uint32_t threads, void (*progress)(void *context, const char *stage, uint32_t done, uint32_t total), void *context,
                   struct diag *d);

#endif
