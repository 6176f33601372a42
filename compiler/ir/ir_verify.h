/* What the parts of the verifier share. A part looks at one node whose references, counts,
   attribute kinds and output sizes are already checked, and at nothing else. */
#ifndef VKC_IR_VERIFY_H
#define VKC_IR_VERIFY_H

#include "ir/ir.h"

enum { VKC_MAX_LABEL = 1 << 22 };           /* labels are below this */
#define VERIFY_MAX_BYTES ((int64_t)1 << 40) /* of one tensor, exclusive; bounds every extent too */

struct verify {
    const struct graph *g;
    const struct func *f;
    const struct node *n; /* the node looked at, or NULL */
    struct diag *d;
    uint32_t func, node; /* its place; node is VKC_NO_NODE outside of nodes */
};

/* Records "n12 dot: ..." with the node's source location; yields false. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
bool verify_fail(struct verify *v, const char *file, int line, const char *fmt, ...);
#define BAD(v, ...) verify_fail((v), __FILE__, __LINE__, __VA_ARGS__)

/* A tensor's text by value, so that one message can hold several. */
struct tensor_text {
    char s[320];
};
struct tensor_text verify_show(const struct tensor *t);

static inline const struct tensor *verify_in(const struct verify *v, uint32_t i)
{
    return func_tensor(v->f, v->n->ins[i]);
}

/* Output i must have this type and shape. */
bool verify_out(struct verify *v, uint32_t i, enum vkc_type type, const struct shape *want);
/* The list has one entry for each of `count` axes, each within lo..hi. */
bool verify_list(struct verify *v, enum attr_key key, uint32_t count, int64_t lo, int64_t hi,
                 const int64_t **out);
/* A list of different axes of a tensor of that rank; sorted if asked. */
bool verify_axes(struct verify *v, enum attr_key key, uint32_t rank, bool sorted,
                 const int64_t **out, uint32_t *out_count);
/* The shape of a window op's result over `in`, from the node's window attributes. */
bool verify_window(struct verify *v, const struct shape *in, bool dilated, struct shape *out);

/* ---- the parts: every rule of the node's op ---- */
/* element-wise, reductions, sources, movement, indexed, scatter, windows */
bool verify_shapes(struct verify *v);
bool verify_contract(struct verify *v); /* dot, conv, triangular_solve, sort, fft */
bool verify_control(struct verify *v);  /* what has regions or callbacks */
bool verify_made(struct verify *v);     /* what passes make */

/* ir_verify that also tells the function and the node of the error; VKC_NO_NODE if it is not a
   node's. */
bool verify_graph(const struct graph *g, struct diag *d, uint32_t *out_func, uint32_t *out_node);

#endif
