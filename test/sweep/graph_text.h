/* Graphs as JSON, built a node at a time with types and shapes at hand. What a test would
   otherwise print with formats of its own. Rules of types are the caller's: the importer checks
   them. */
#ifndef SWEEP_GRAPH_TEXT_H
#define SWEEP_GRAPH_TEXT_H

#include "ir/ir.h"

/* What an input is filled with. */
enum gt_fill {
    GT_VALUES,   /* as e2e_fill: between -1 and 1, or small integers */
    GT_INDICES,  /* from a little below 0 to a little past `bound`: places of an axis of so many */
    GT_TRIANGLE, /* a matrix whose diagonal is well away from 0 */
};

struct gt_param {
    struct tensor tensor;
    enum gt_fill fill;
    int64_t bound;
};

enum { GT_FUNCS = 4, GT_OUTS = 3 };

struct gt_func {
    struct str params, nodes, results;
    uint32_t nparams, nnodes, nresults, cap;
    struct tensor (*outs)[GT_OUTS]; /* by node */
};

struct graph_text {
    struct arena *arena;
    struct gt_func funcs[GT_FUNCS]; /* the entry is the first */
    uint32_t nfuncs, current;
    struct gt_param *params; /* of the entry */
    uint32_t cap_params;
};

void gt_init(struct graph_text *g, struct arena *a);
/* The whole graph. */
const char *gt_json(const struct graph_text *g, const char *name);

/* Begins a region; what is added goes there until gt_end. *Returns* its index for a node's
   "regions". */
uint32_t gt_begin(struct graph_text *g);
void gt_end(struct graph_text *g);
void gt_result(struct graph_text *g, struct value v);

const struct tensor *gt_tensor(const struct graph_text *g, struct value v);
static inline const struct shape *gt_shape(const struct graph_text *g, struct value v)
{
    return &gt_tensor(g, v)->shape;
}

struct value gt_param(struct graph_text *g, enum vkc_type type, const struct shape *shape);
struct value gt_param_filled(struct graph_text *g, enum vkc_type type, const struct shape *shape,
                             enum gt_fill fill, int64_t bound);
struct value gt_constant(struct graph_text *g, enum vkc_type type, const struct shape *shape,
                         double x);
/* The identity of a reduction as a scalar: what `all elements` leaves as they are. -0 for sums
   of floats. */
struct value gt_identity(struct graph_text *g, enum op reduce, enum vkc_type type);
/* Any node with one result. `more` is what stands behind the results: ", \"attrs\": {...}", or
   "". */
struct value gt_node(struct graph_text *g, const char *op, enum vkc_type type,
                     const struct shape *shape, uint32_t nins, const struct value *ins,
                     const char *more);
/* Any node with several. */
struct value gt_node_of(struct graph_text *g, const char *op, uint32_t nouts,
                        const struct tensor *outs, uint32_t nins, const struct value *ins,
                        const char *more);

/* Element-wise; the result has the type of the first operand. */
struct value gt_unary(struct graph_text *g, const char *op, struct value x);
struct value gt_binary(struct graph_text *g, const char *op, struct value x, struct value y);
struct value gt_convert(struct graph_text *g, struct value x, enum vkc_type type);

/* Along the axes whose bits are set. */
struct value gt_reduce(struct graph_text *g, const char *op, struct value x, uint32_t axes,
                       bool keep);
/* To a shape of the same rank, whose axes are 1 in x where they differ. */
struct value gt_stretch(struct graph_text *g, struct value x, const struct shape *to);
/* Axis i of x becomes axis axes[i]. */
struct value gt_broadcast(struct graph_text *g, struct value x, const struct shape *to,
                          const int64_t *axes);
struct value gt_transpose(struct graph_text *g, struct value x, const int64_t *axes);
struct value gt_reverse(struct graph_text *g, struct value x, uint32_t axes);
struct value gt_slice(struct graph_text *g, struct value x, const int64_t *starts,
                      const int64_t *lengths, const int64_t *strides);
struct value gt_pad(struct graph_text *g, struct value x, struct value with, const int64_t *lo,
                    const int64_t *hi, const int64_t *interior);
struct value gt_concatenate(struct graph_text *g, struct value x, struct value y, uint32_t axis);
struct value gt_reshape(struct graph_text *g, struct value x, const struct shape *to);

/* "[1,2,3]" */
const char *gt_list(struct graph_text *g, const int64_t *list, uint32_t n);
/* The axes whose bits are set, as a list. */
const char *gt_axes(struct graph_text *g, uint32_t axes);

#endif
