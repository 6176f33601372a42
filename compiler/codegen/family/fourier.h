/* Transforms of lines in shared memory. */
#ifndef VKC_FAMILY_FOURIER_H
#define VKC_FAMILY_FOURIER_H

#include "codegen/emit/emit.h"
#include "target/radix.h"

bool kernel_fourier(struct emit *e);
/* Its shared memory, and the functions of its passes. */
void fourier_shared(struct emit *e, struct str *out);

#endif
