/* The graph: functions of typed tensor nodes in topological order. Built by import.c or ir_parse.c,
   rewritten by passes, read by everything else. Knows nothing of kernels, GLSL or Vulkan.

   A function is hermetic: it reads its parameters and nothing else. The bodies of while, cond,
   reduce and block are functions of the graph that a node names as its regions; they are called
   with the node's inputs (see compiler/README.md for each op). A region belongs to exactly one
   node.

   A node keeps the number that the input gave it, its label: n12 in the JSON, in the text, in
   GLSL comments and in errors. A node that a pass makes gets the next free label of its
   function. */
#ifndef VKC_IR_H
#define VKC_IR_H

#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "ir/ops.h"
#include "base/str.h"
#include "base/type.h"

enum {
    VKC_MAX_RANK = 16,
    VKC_MAX_NODES = 1 << 20, /* in one graph */
    VKC_MAX_FUNCS = 1 << 14,
    VKC_MAX_REGION_DEPTH = 64,
};
#define VKC_NO_NODE UINT32_MAX

typedef uint32_t node_id; /* index into func.nodes */

struct value {
    node_id node;
    uint32_t out; /* which of its outputs */
};

struct shape {
    uint32_t rank;
    int64_t dim[VKC_MAX_RANK]; /* each at least 1 */
};

/* What a value is. */
struct tensor {
    enum vkc_type type;
    struct shape shape;
};

enum attr_key {
    ATTR_NONE,
    ATTR_index,
    ATTR_bits,
    ATTR_literal,
    ATTR_axis,
    ATTR_axes,
    ATTR_keep,
    ATTR_starts,
    ATTR_lengths,
    ATTR_strides,
    ATTR_lo,
    ATTR_hi,
    ATTR_interior,
    ATTR_tie_break,
    ATTR_window,
    ATTR_dilations,
    ATTR_contract_a,
    ATTR_batch_a,
    ATTR_contract_b,
    ATTR_batch_b,
    ATTR_input_dilation,
    ATTR_kernel_dilation,
    ATTR_feature_groups,
    ATTR_batch_groups,
    ATTR_input_permutation,
    ATTR_kernel_permutation,
    ATTR_output_permutation,
    ATTR_left_side,
    ATTR_lower,
    ATTR_transform,
    ATTR_descending,
    ATTR_stable,
    ATTR_length,
    ATTR_name,
    ATTR_options,
    ATTR_callback,
    ATTR_seq,
    ATTR_hooked,
    ATTR_run,
    ATTR_gives,
    ATTR_zeros,
    ATTR_combine,
    ATTR_reverse,
    ATTR_tile,
    ATTR_inverse,
    ATTR_rows,
    ATTR_width,
    ATTR_sweeps,
    ATTR_across,
    ATTR_absolute,
    ATTR_both,
    ATTR_full,
    ATTR_words,
    ATTR_bit,
    ATTR_radix,
    ATTR_COUNT
};

struct attr {
    enum attr_key key;
    char kind;           /* i I b s x, as in ops.def */
    uint32_t count;      /* of an I: how many integers */
    int64_t i;           /* i and b */
    const int64_t *list; /* I */
    const char *text;    /* s */
    uint64_t bits[2];    /* x: low word first; a complex number has the real part lowest */
};

struct node {
    uint32_t label;
    enum op op;
    uint32_t nins, nouts, nattrs, nregions;
    struct value *ins;
    struct tensor *outs;
    struct attr *attrs; /* in the order of the op's row */
    uint32_t *regions;  /* indices into graph.funcs */
    const char *loc;    /* "lib/model.ex:12", or NULL */
};

struct func {
    uint32_t nnodes, cap_nodes;
    struct node *nodes;
    uint32_t nparams;
    struct tensor *params;
    const char **param_names; /* entries may be NULL */
    uint32_t nresults;
    struct value *results;
    uint32_t next_label;
};

struct literal {
    struct tensor tensor;
    const void *data; /* dense, row-major, little-endian */
    size_t bytes;
    unsigned char sha256[32];
};

/* Output `output` of the entry function may live in the buffer of input `input`. */
struct donation {
    uint32_t input, output;
};

/* The entry as instances: `count` times the same of a row of what it reads, each time for a row of
   every result. The entry itself stays as it is: who does not want instances looks only there. */
struct instance_arg {
    uint32_t param; /* of the entry */
    bool is_row;    /* instance i reads row i of it; else all of it */
};
struct instances {
    int64_t count; /* 0: none were found */
    uint32_t body; /* the function of one instance; its results are rows of the entry's */
    uint32_t nargs;
    struct instance_arg *args; /* by parameter of the body */
};

struct graph {
    struct arena *arena;
    uint32_t nfuncs, cap_funcs;
    struct func *funcs; /* a region's index is greater than its owner's */
    uint32_t entry;
    uint32_t nliterals;
    struct literal *literals;
    uint32_t ncallbacks;
    uint32_t ndonations;
    struct donation *donations;
    struct instances instances;
    const char *name; /* of the defn, or "" */
};

/* ---- shapes ---- */
int64_t shape_size(const struct shape *s); /* elements; fits an int64: import checks */
/* row-major, of a dense tensor */
void shape_strides(const struct shape *s, int64_t out[VKC_MAX_RANK]);
bool shape_equal(const struct shape *a, const struct shape *b);
static inline bool value_equal(struct value a, struct value b)
{
    return a.node == b.node && a.out == b.out;
}
bool tensor_equal(const struct tensor *a, const struct tensor *b);
/* Whether op, results, attributes and the number of regions are the same, whatever operands are. */
bool node_alike(const struct node *x, const struct node *y);
/* The same of all nodes, in their order, with operands and the function's results. */
bool func_alike(const struct func *x, const struct func *y);
struct shape shape_of(uint32_t rank, const int64_t *dims);
static inline size_t tensor_bytes(const struct tensor *t)
{
    return (size_t)shape_size(&t->shape) * type_bytes(t->type);
}
/* "f32[4,3]" in static storage of the caller. */
void tensor_print(char *buf, size_t n, const struct tensor *t);

/* ---- reading ---- */
static inline const struct node *func_node(const struct func *f, node_id id)
{
    return &f->nodes[id];
}
static inline const struct tensor *func_tensor(const struct func *f, struct value v)
{
    return &f->nodes[v.node].outs[v.out];
}
/* NULL when the node has no such attribute. */
const struct attr *node_attr(const struct node *n, enum attr_key key);
int64_t attr_int(const struct node *n, enum attr_key key, int64_t if_missing);
bool attr_bool(const struct node *n, enum attr_key key);
const char *attr_text(const struct node *n, enum attr_key key); /* "" if missing */
/* The list, with its length; NULL and 0 if missing. */
const int64_t *attr_list(const struct node *n, enum attr_key key, uint32_t *out_count);
bool attr_list_has(const struct node *n, enum attr_key key, int64_t value);
const char *attr_key_name(enum attr_key key);
enum attr_key attr_key_parse(const char *name, size_t len); /* ATTR_NONE if unknown */
/* An attribute that a row of ops.def names. */
struct attr_spec {
    enum attr_key key;
    char kind;
    bool optional;
};
/* Reads the one at *at, which goes on to the next: first the row's `attrs`. False after the
   last. */
bool attr_spec_next(const char **at, struct attr_spec *out);

/* A row along the first axis; of a tensor that has one. */
struct tensor tensor_row(const struct tensor *t);

/* How often each output node is used, by inputs and results. An array of nnodes in the arena, or
   NULL. */
uint32_t *func_use_counts(const struct func *f, struct arena *a);

/* ---- building ---- */
/* A node with room for its inputs, outputs, attributes and regions, zeroed, appended to the
   function. Label UINT32_MAX takes the next free one. NULL when out of memory. Pointers to nodes
   of the function become invalid at the next append. */
struct node *func_append(struct graph *g, struct func *f, enum op op, uint32_t label, uint32_t nins,
                         uint32_t nouts, uint32_t nattrs, uint32_t nregions);
/* A new function; its index, or UINT32_MAX. Pointers to functions of the graph become invalid. */
uint32_t graph_add_func(struct graph *g);
void attr_set_int(struct attr *a, enum attr_key key, int64_t i);
void attr_set_bool(struct attr *a, enum attr_key key, bool b);
void attr_set_list(struct graph *g, struct attr *a, enum attr_key key, const int64_t *list,
                   uint32_t count);
void attr_set_text(struct graph *g, struct attr *a, enum attr_key key, const char *text);
void attr_set_bits(struct attr *a, enum attr_key key, uint64_t low, uint64_t high);

/* ---- in other files ---- */
/* Checks every rule of every op; reports the first violation with its node. */
bool ir_verify(const struct graph *g, struct diag *d);
/* The text form, which ir_parse reads back to an equal graph. Literals of more than 256 bytes are
   printed by digest and size, which is for people; ir_print_full has the data of all of them. */
void ir_print(const struct graph *g, struct str *out);
void ir_print_full(const struct graph *g, struct str *out);
void ir_print_node(const struct func *f, const struct node *n, struct str *out);
bool ir_parse(struct arena *a, const char *text, size_t n, struct graph *out, struct diag *d);

/* Whether a node or function calls the host, itself or in its regions. */
bool node_has_effect(const struct graph *g, const struct node *n);
bool func_has_effect(const struct graph *g, uint32_t func);

#endif
