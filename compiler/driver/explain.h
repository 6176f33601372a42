/* What became of a node, for --explain. */
#ifndef VKC_EXPLAIN_H
#define VKC_EXPLAIN_H

#include "plan/plan.h"

/* `which` is "n12"; the node of the entry function after the passes. */
void explain_node(const struct plan *p, const char *which, struct str *out);

#endif
