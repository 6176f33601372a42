/* The graph for Graphviz. Regions are drawn as clusters attached to their node. Kernels are
   drawn as clusters too, if the caller gives them. */
#ifndef VKC_DOT_H
#define VKC_DOT_H

#include "ir/ir.h"

/* `kernel` has the kernel of each node of the entry function, UINT32_MAX for a node that is in
   none: kernels are drawn as clusters. It may be NULL. */
void dot_print(const struct graph *g, const uint32_t *kernel, struct str *out);

#endif
