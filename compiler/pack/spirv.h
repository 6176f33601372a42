/* GLSL to SPIR-V. The only user of shaderc. */
#ifndef VKC_SPIRV_H
#define VKC_SPIRV_H

#include "base/cancel.h"
#include "plan/plan.h"

/* Whether this build has shaderc. Without it spirv_compile is DIAG_UNSUPPORTED. */
bool spirv_is_built(void);

/* Compiles every kernel of the plan, on `threads` threads (0: as many as there are processors,
   at most 8); equal code once. `progress` may be NULL; it is called before the first kernel and
   after each. Before each kernel `cancel` is polled: once it was cancelled the result is
   DIAG_CANCELLED. A compile error is a defect of ours: DIAG_INTERNAL with the numbered source
   lines around it. */
bool spirv_compile(struct plan *p, uint32_t threads, vkc_progress progress, void *context,
                   struct cancel *cancel, struct diag *d);

#endif
