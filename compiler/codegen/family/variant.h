/* A kernel for other devices. The plan is made for one target without matrix units: nodes, bindings
   and buffers are the same; how the kernel is spread over threads, what it shares and which
   features it uses are not. */
#ifndef VKC_VARIANT_H
#define VKC_VARIANT_H

#include "codegen/unit.h"

/* Gives a kernel whose code is written a variant for each of u->alternatives that can have one with
   the same bindings. False with a diagnostic only if the compile must end. */
bool kernel_add_variants(struct unit *u, struct kernel *k, struct diag *d);
/* The same for a kernel that took over what another one has. False when out of memory. */
bool kernel_take_variants(struct arena *a, const struct kernel *from, struct kernel *k);

#endif
