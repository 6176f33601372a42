/* Lifetimes of buffers, their offsets in one arena, and the barriers between steps. */
#ifndef VKC_MEMPLAN_H
#define VKC_MEMPLAN_H

#include "plan/plan.h"

bool memplan(struct plan *p, struct diag *d);

#endif
