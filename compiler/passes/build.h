/* Building graphs: what passes rewrite with. A pass rebuilds every function: the driver walks its
   nodes in order, offers each to the pass, and copies what the pass leaves alone into the new
   function. So topological order holds by construction, and unused nodes are dropped.

   A copied node keeps its label. A new node takes the next free label, or, if it stands for the
   value of a node that it replaces, that node's label. So n12 names one value throughout. Knows
   nothing of kernels. */
#ifndef VKC_BUILD_H
#define VKC_BUILD_H

#include "interp/interp.h"
#include "ir/ir.h"

struct build;
struct pass_options;

/* Offers node `n` of the old function, whose inputs are now `ins`. True when its outputs are in
   `outs` (or b failed), false to have it copied. */
typedef bool (*rewrite_fn)(struct build *b, const struct node *n, const struct value *ins,
                           struct value *outs);

/* One pass over a graph. */
struct rebuild {
    struct graph *g;
    const struct pass_options *options;
    struct diag *d;
    rewrite_fn fn; /* NULL: copy everything */
    /* may change b->out.results of a function of g; or NULL */
    void (*results)(struct build *b, uint32_t func);
    void *context; /* the pass's own */
    bool fold;     /* new and copied nodes with constant inputs become constants */
    bool share;    /* a copied node equal to an earlier one is replaced by it */
    /* of build.c */
    struct arena scratch; /* until the pass ends */
    struct arena folding; /* until the next constant */
    uint32_t cap_literals;
    uint8_t *claimed; /* per function of g: it is a region of a node that was made */
    uint32_t cap_claimed;
    uint32_t *claims; /* the claimed functions in order, for build_undo */
    uint32_t nclaims, cap_claims;
    uint32_t *literal_buckets, *literal_next, nliteral_buckets;
    uint64_t growth;       /* nodes made other than by copying, over the whole pass */
    uint64_t growth_limit; /* build_inline stops above it; 0: none */
};

/* What the builder knows of a node that it made. */
struct made {
    uint32_t hash, next; /* next node of the same bucket, or VKC_NO_NODE */
    bool is_bool;        /* every element of output 0 is 0 or 1 */
};

/* One function under construction. */
struct build {
    struct rebuild *r;
    struct graph *g;
    struct diag *d;
    struct func out;
    bool failed;     /* d has the reason; helpers then do nothing */
    const char *loc; /* of the node at hand: new nodes inherit it */
    /* the function that is rewritten */
    struct func src;
    bool in_region;       /* not the entry: a loop or a branch runs it */
    node_id at;           /* the node at hand */
    const uint32_t *uses; /* of the nodes of src */
    uint32_t depth;       /* of build_inline */
    /* of build.c */
    struct made *made;
    uint32_t cap_made;
    uint32_t *buckets, nbuckets;
};

/* Rewrites every function that the entry reaches; renumbers functions and literals. */
bool rebuild_run(struct rebuild *r, bool *out_changed);

static const struct value BUILD_NONE = {VKC_NO_NODE, 0};

/* ---- reading what was built; pointers become invalid when a node is made ---- */
static inline const struct node *build_def(const struct build *b, struct value v)
{
    return &b->out.nodes[v.node];
}
static inline const struct tensor *build_tensor(const struct build *b, struct value v)
{
    return &build_def(b, v)->outs[v.out];
}
static inline bool build_ok(const struct build *b, struct value v)
{
    return !b->failed && v.node != VKC_NO_NODE;
}
/* Every element is known to be 0 or 1. */
bool build_is_bool(const struct build *b, struct value v);
/* The same of a node that is being made. Used by build_node and build_copy. */
bool build_infer_bool(const struct build *b, const struct node *n);
/* A splat: one value everywhere. `out_bits` has two words. */
bool build_splat_bits(const struct build *b, struct value v, uint64_t *out_bits);
/* A splat that equals `x` as a number; -0 and 0 differ. */
bool build_is_number(const struct build *b, struct value v, double x);
/* Element `index` of a splat or literal of integers. */
bool build_const_int(const struct build *b, struct value v, int64_t index, int64_t *out);
/* A constant array of at most `limit` elements (any number for a literal), in r->folding. */
bool build_const_array(struct build *b, struct value v, int64_t limit, struct array *out);

/* Narrow floats are multiplied and summed in f32. */
static inline enum vkc_type build_sum_type(enum vkc_type t)
{
    return type_is_float(t) && vkc_types[t].bits < 32 ? TYPE_F32 : t;
}

/* ---- making nodes; BUILD_NONE after a failure, which inputs may be ---- */
/* Node `n` on other inputs. `label` UINT32_MAX takes the next free one. Outputs are
   (result.node, i). */
struct value build_copy(struct build *b, const struct node *n, const struct value *ins,
                        uint32_t label);
/* Any node from a description whose arrays are the caller's; an equal one is reused. */
struct value build_node(struct build *b, const struct node *description);
/* Elementwise; the result's type by the op's rule. Operands must agree as the rule says. */
struct value build_op(struct build *b, enum op op, const struct value *ins, uint32_t nins);
struct value build_unary(struct build *b, enum op op, struct value x);
struct value build_binary(struct build *b, enum op op, struct value x, struct value y);
struct value build_select(struct build *b, struct value p, struct value x, struct value y);
struct value build_convert(struct build *b, struct value x, enum vkc_type type);
/* The same bits, of which both types have as many. */
struct value build_bitcast(struct build *b, struct value x, enum vkc_type type);
struct value build_splat(struct build *b, const struct tensor *t, const uint64_t bits[2]);
/* The same of x's type and shape, of at most 64 bits. */
struct value build_splat_like(struct build *b, struct value x, uint64_t bits);
/* The number in every element, rounded to the type; an integer wraps. */
struct value build_number(struct build *b, const struct tensor *t, double x);
/* Dense data of `t`; a splat when all elements are the same. */
struct value build_literal(struct build *b, const struct tensor *t, const void *data);
struct value build_iota(struct build *b, const struct tensor *t, int64_t axis);
struct value build_reshape(struct build *b, struct value x, const struct shape *to);
struct value build_broadcast(struct build *b, struct value x, const struct shape *to,
                             const int64_t *axes);
struct value build_transpose(struct build *b, struct value x, const int64_t *axes);
struct value build_reverse(struct build *b, struct value x, const int64_t *axes, uint32_t naxes);
struct value build_slice(struct build *b, struct value x, const int64_t *starts,
                         const int64_t *lengths, const int64_t *strides);
struct value build_pad(struct build *b, struct value x, struct value with, const int64_t *lo,
                       const int64_t *hi, const int64_t *interior);
struct value build_concatenate(struct build *b, const struct value *xs, uint32_t count,
                               int64_t axis);
/* x[i], along the first axis, for each i of `index`. */
struct value build_gather(struct build *b, struct value x, struct value index);
/* Never keeps axes. */
struct value build_reduce(struct build *b, enum op op, struct value x, const int64_t *axes,
                          uint32_t naxes);
struct value build_argreduce(struct build *b, enum op op, struct value x, int64_t axis,
                             const char *tie_break, enum vkc_type type);
/* The body of a region on `args`; its results to `outs`. Nodes are offered to the pass, then
   copied. */
/* False without failure when the growth limit is passed. */
bool build_inline(struct build *b, uint32_t func, const struct value *args, struct value *outs);

/* Regions of a node that is to be made. Begun, one is a builder of its own, with its parameters in
   params; ended, it is a function of the graph, for the node's `regions`, or UINT32_MAX after a
   failure of either builder. */
struct build build_region(struct build *b, const struct tensor *types, uint32_t count,
                          struct value *params);
uint32_t build_region_end(struct build *b, struct build *region, const struct value *results,
                          uint32_t count);

/* Constant inputs to a constant: true with the value in `out`. Used by build_node and
   build_copy. */
bool build_try_fold(struct build *b, const struct node *n, struct value *out);

/* ---- trying ---- */
struct build_mark {
    uint32_t nnodes, next_label, nclaims;
};
struct build_mark build_mark(const struct build *b);
/* Forgets every node made since. */
void build_undo(struct build *b, struct build_mark m);

bool build_fail_memory(struct build *b);

/* ---- of the builder's own files ---- */
/* Room to find equal nodes in: for a builder with none, or for four times as many. */
bool build_grow_buckets(struct build *b);
/* Drops what neither a result nor an effect needs. */
bool build_sweep(struct build *b);
/* A region of a node that was made. */
bool build_claim(struct build *b, uint32_t func);
/* A copy of a function with copies of its regions; UINT32_MAX after a failure. */
uint32_t build_clone(struct build *b, uint32_t func);

#endif
