/* The plan as text, for people: --emit=plan. */
#ifndef VKC_PLAN_TEXT_H
#define VKC_PLAN_TEXT_H

#include "base/str.h"
#include "plan/plan.h"

void plan_print(const struct plan *p, struct str *out);

#endif
