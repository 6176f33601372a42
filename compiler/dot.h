/* The graph for Graphviz. Regions are drawn as clusters that hang on their node; so, where the caller
   gives them, are kernels. */
#ifndef VKC_DOT_H
#define VKC_DOT_H

#include "ir.h"

/* The kernel that computes a node of the entry function, or UINT32_MAX: drawn as a cluster. */
typedef uint32_t (*dot_kernel_fn)(void *context, node_id n);

/* `kernel_of` may be NULL. */
void dot_print(const struct graph *g, dot_kernel_fn kernel_of, void *context, struct str *out);

#endif
