/* The bundle of a plan whose kernels are compiled: runtime/bundle.h has the format. */
#ifndef VKC_BUNDLE_WRITE_H
#define VKC_BUNDLE_WRITE_H

#include "plan/plan.h"

bool bundle_write(const struct plan *p, void **out, size_t *out_size, struct diag *d);

#endif
