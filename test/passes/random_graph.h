/* Random valid graphs: for property tests and fuzzing. */
#ifndef RANDOM_GRAPH_H
#define RANDOM_GRAPH_H

#include "ir/ir.h"

enum random_mode {
    RANDOM_INTEGERS,     /* results must be equal bit for bit */
    RANDOM_EXACT_FLOATS, /* no op whose order of rounding a pass may change: equal bit for bit */
    RANDOM_SUMS,         /* with dot and sum, without what turns a rounding into a jump: near */
};

/* A graph of about `nodes` nodes, or false when memory ran out. Axes have up to four elements, or
   with `large` up to 1,024 and more: to plan, not to run. */
bool random_graph_of(struct arena *a, uint64_t seed, enum random_mode mode, uint32_t nodes,
                     bool large, struct graph *out);
static inline bool random_graph(struct arena *a, uint64_t seed, enum random_mode mode,
                                uint32_t nodes, struct graph *out)
{
    return random_graph_of(a, seed, mode, nodes, false, out);
}
/* Random dense data of `t`, of bytes that the caller has. Small numbers, some edges. */
void random_fill(uint64_t *state, enum random_mode mode, const struct tensor *t, void *data);

#endif
