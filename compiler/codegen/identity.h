/* What makes two kernels of a compile one: all that their code depends on, without labels, names
   and source lines. Nodes count by their order in the graph, so kernels are the same exactly if
   one's nodes can be mapped to the other's in order. Equal layers of a model are found by this
   before any of their code is written. */
#ifndef VKC_IDENTITY_H
#define VKC_IDENTITY_H

#include "codegen/members.h"

struct kernel_identity {
    uint64_t *words; /* the description itself */
    uint32_t n, cap;
    node_id *nodes; /* those that are computed or loaded, in the order of the graph */
    uint32_t nnodes, cap_nodes;
    uint32_t *rank; /* by node of the function: its place in `nodes`, where it has one */
};

/* Describes kernel k of a grid, whose members are `m`, which this sorts; members_of(m) was called
   last. `id` is zero at first, and may be used again. With `lengths` it depends also on the lengths
   of labels and source lines, since texts have limits. False when out of memory. */
bool identity_of(struct unit *u, struct arena *a, const struct kernel *k, struct members *m,
                 bool lengths, struct kernel_identity *id);
/* 128 bits of the description: for answers that are asked again if they prove wrong. */
void identity_hash(const struct kernel_identity *id, uint64_t out[2]);

#endif
