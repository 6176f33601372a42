/* Kernels that differ in numbers alone. */
#ifndef VKC_ALIKE_H
#define VKC_ALIKE_H

#include "plan/plan.h"

/* Gives kernels whose SPIR-V differs in nothing but integers one code, that of the first, which
   reads these from push constants; each of them keeps its own (`pushed`), and all but the first
   become `same_as` it. A driver then compiles one. Requires the SPIR-V of all kernels that are not
   `same_as` another. */
bool alike_merge(struct plan *p, struct diag *d);

#endif
