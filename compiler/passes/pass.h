/* The passes, each in its own file; passes.c has their order. A pass changes the graph and says
   whether it did. False with a diagnostic only when memory or a limit ran out: a pass that
   cannot improve a graph leaves it as it is. No pass looks into another, or at Vulkan. */
#ifndef VKC_PASS_H
#define VKC_PASS_H

#include "passes/passes.h"

bool pass_inline(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_canon(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_lower(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_fold(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_algebra(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_cse(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_dce(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_hoist(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_views(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_attend(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
bool pass_split_columns(struct graph *g, const struct pass_options *o, bool *out_changed,
                        struct diag *d);
bool pass_split_contract(struct graph *g, const struct pass_options *o, bool *out_changed,
                         struct diag *d);
bool pass_split_reduce(struct graph *g, const struct pass_options *o, bool *out_changed,
                       struct diag *d);

#endif
