/* Does      makes a small product for each part in which the columns of one are read, such as the
             gates of a recurrent layer, behind element-wise work on all of them or not: what reads
             the parts element by element can then be done where they are made
   Requires  to come after canon, for which parts of a product are one product
   Keeps     bits but for the order of summation, which is that of another kernel
   Cost      linear, times the parts of a product */
#include "passes/build.h"
#include "passes/pass.h"
#include "target/units.h"

enum { MOST_PARTS = 8 };

/* Whether the slice leaves all axes whole but the last, of which it has neighbours. */
static bool is_columns(const struct func *f, const struct node *n, int64_t *out_start,
                       int64_t *out_length)
{
    const struct shape *from = &func_tensor(f, n->ins[0])->shape;
    uint32_t count;
    const int64_t *starts = attr_list(n, ATTR_starts, &count),
                  *lengths = attr_list(n, ATTR_lengths, &count),
                  *strides = attr_list(n, ATTR_strides, &count);
    for (uint32_t i = 0; i < from->rank; i++)
        if (strides[i] != 1 || (i + 1 < from->rank && lengths[i] != from->dim[i]))
            return false;
    if (from->rank == 0)
        return false;
    *out_start = starts[from->rank - 1];
    *out_length = lengths[from->rank - 1];
    return true;
}

/* Whether the value is read in parts alone that have no columns in common. */
static bool is_read_in_parts(const struct build *b, node_id id)
{
    const struct func *f = &b->src;
    int64_t start[MOST_PARTS], length[MOST_PARTS];
    uint32_t n = 0, uses = b->uses[id];
    for (node_id i = id + 1; i < f->nnodes && n < uses; i++) {
        if (f->nodes[i].op != OP_SLICE || f->nodes[i].ins[0].node != id)
            continue;
        if (n == MOST_PARTS || !is_columns(f, &f->nodes[i], &start[n], &length[n]))
            return false;
        for (uint32_t j = 0; j < n; j++)
            if (start[n] < start[j] + length[j] && start[j] < start[n] + length[n])
                return false;
        n++;
    }
    return n > 1 && n == uses;
}

/* The axis of the second operand that the columns of the product are, or -1. */
static int64_t column_axis(const struct func *f, const struct node *dot)
{
    const struct shape *of = &func_tensor(f, dot->ins[1])->shape;
    uint32_t nbatch;
    attr_list(dot, ATTR_batch_b, &nbatch);
    for (int64_t i = (int64_t)of->rank - 1; i >= 0 && nbatch == 0; i--)
        if (!attr_list_has(dot, ATTR_contract_b, i))
            return i;
    return -1;
}

/* Whether the product is made of each of its parts in rows, as long as they are small, and no worse
   so than as a whole: those of 16 bits are better off on matrix units, if there are any. */
static bool is_apart(const struct build *b, const struct node *dot, int64_t length)
{
    const struct tuning *t = b->r->options->tuning;
    const struct shape *s = &dot->outs[0].shape, *of = &func_tensor(&b->src, dot->ins[1])->shape;
    if (column_axis(&b->src, dot) < 0 || type_bytes(dot->outs[0].type) < 4)
        return false;
    int64_t n = s->dim[s->rank - 1], k = 1;
    for (uint32_t i = 0; i < of->rank; i++)
        if (attr_list_has(dot, ATTR_contract_b, i))
            k *= of->dim[i];
    const struct product part = {1, shape_size(s) / n, length, k};
    /* a loop of small products would become a workgroup's */
    if (b->in_region && part.m * part.n * k <= t->program_work)
        return false;
    return shape_size(s) <= t->columns_apart / k && product_tiles(&part, 32, 32) < t->product_tiles;
}

/* Whether the value is a product, or element-wise work on some that nothing else reads. */
static bool is_of_products(const struct build *b, node_id id, int64_t length)
{
    const struct func *f = &b->src;
    const struct node *n = func_node(f, id);
    uint32_t found = 0;
    if (n->op == OP_DOT)
        return is_apart(b, n, length);
    for (uint32_t i = 0; i < n->nins && op_class(n->op) == CLASS_ELEMENTWISE; i++) {
        const struct node *x = func_node(f, n->ins[i].node);
        if (x->op == OP_DOT && (b->uses[n->ins[i].node] != 1 || !is_apart(b, x, length)))
            return false;
        found += x->op == OP_DOT;
    }
    return found > 0;
}

/* Columns of `v` from `start` on, along `axis`. */
static struct value columns(struct build *b, struct value v, int64_t axis, int64_t start,
                            int64_t length)
{
    const struct shape s = build_tensor(b, v)->shape;
    int64_t starts[VKC_MAX_RANK] = {0}, lengths[VKC_MAX_RANK], strides[VKC_MAX_RANK];
    for (uint32_t i = 0; i < s.rank; i++) {
        lengths[i] = i == axis ? length : s.dim[i];
        strides[i] = 1;
    }
    starts[axis] = start;
    return build_slice(b, v, starts, lengths, strides);
}

/* Node `v`, a product or element-wise, of the columns only. */
static struct value part_of(struct build *b, struct value v, int64_t start, int64_t length)
{
    struct node part = *build_def(b, v);
    struct tensor out = part.outs[0];
    struct value ins[3];
    uint32_t last = out.shape.rank - 1;
    for (uint32_t i = 0; i < part.nins; i++) {
        const struct value x = part.ins[i];
        ins[i] = x;
        if (part.op == OP_DOT && i == 1)
            ins[i] = columns(b, x, column_axis(&b->out, &part), start, length);
        else if (part.op != OP_DOT && build_def(b, x)->op == OP_DOT)
            ins[i] = part_of(b, x, start, length);
        else if (part.op != OP_DOT)
            ins[i] = columns(b, x, last, start, length);
        if (!build_ok(b, ins[i]))
            return BUILD_NONE;
        part = *build_def(b, v); /* nodes may have moved */
    }
    out.shape.dim[last] = length;
    part.ins = ins;
    part.outs = &out;
    return build_node(b, &part);
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    int64_t start, length;
    if (n->op != OP_SLICE || b->r->options->tuning->columns_apart == 0)
        return false;
    node_id of = n->ins[0].node;
    if (build_def(b, ins[0])->op != func_node(&b->src, of)->op ||
        !is_columns(&b->src, n, &start, &length) || !is_of_products(b, of, length) ||
        !is_read_in_parts(b, of))
        return false;
    outs[0] = part_of(b, ins[0], start, length);
    return true;
}

bool pass_split_columns(struct graph *g, const struct pass_options *o, bool *out_changed,
                        struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite};
    return rebuild_run(&r, out_changed);
}
