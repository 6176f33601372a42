/* Triangular systems, one a thread. */
#ifndef VKC_FAMILY_SOLVE_H
#define VKC_FAMILY_SOLVE_H

#include "codegen/emit/emit.h"

bool kernel_solve(struct emit *e);

#endif
