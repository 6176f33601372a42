#include "passes/reads.h"

#include "ir/ops.h"

/* All but axes of one element, in order: as many in both shapes, and the same. */
static bool same_but_ones(const struct shape *x, const struct shape *y)
{
    uint32_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < x->rank && x->dim[i] == 1)
            i++;
        while (j < y->rank && y->dim[j] == 1)
            j++;
        if (i == x->rank || j == y->rank)
            return i == x->rank && j == y->rank;
        if (x->dim[i] != y->dim[j])
            return false;
    }
}

/* What is read of `in`, where `read` is of a reshape of it to `out`. */
static struct shape through_reshape(const struct shape *in, const struct shape *out,
                                    const struct shape *read)
{
    struct shape r = *in;
    if (!same_but_ones(in, out))
        return r;
    for (uint32_t i = 0, j = 0; i < in->rank; i++) {
        if (in->dim[i] == 1)
            continue;
        while (out->dim[j] == 1)
            j++;
        r.dim[i] = read->dim[j++];
    }
    return r;
}

static void through_slice(const struct node *n, const struct shape *read, struct shape *r)
{
    uint32_t rank;
    const int64_t *starts = attr_list(n, ATTR_starts, &rank),
                  *strides = attr_list(n, ATTR_strides, &rank);
    for (uint32_t i = 0; i < r->rank; i++)
        r->dim[i] = starts[i] + (read->dim[i] - 1) * strides[i] + 1;
}

/* Of input `at` of a concatenation, which begins where those before it end; false: nothing. */
static bool through_concatenate(const struct func *f, const struct node *n, uint32_t at,
                                const struct shape *read, struct shape *r)
{
    int64_t axis = attr_int(n, ATTR_axis, 0), length = r->dim[axis], left = read->dim[axis];
    for (uint32_t i = 0; i < at; i++)
        left -= func_tensor(f, n->ins[i])->shape.dim[axis];
    *r = *read;
    r->dim[axis] = left < length ? left : length;
    return left > 0;
}

/* What reading `read` of the node reads of its input `at`; false: nothing. `r` is its shape. */
static bool read_through(const struct func *f, const struct node *n, uint32_t at,
                         const struct shape *read, struct shape *r)
{
    const struct shape *out = &n->outs[0].shape;
    const int64_t *axes;
    uint32_t naxes;
    if (n->nouts != 1)
        return true;
    if (op_class(n->op) == CLASS_ELEMENTWISE) {
        if (shape_equal(r, out))
            *r = *read;
        return true;
    }
    switch (n->op) {
    case OP_RESHAPE: *r = through_reshape(r, out, read); break;
    case OP_SLICE: through_slice(n, read, r); break;
    case OP_CONCATENATE: return through_concatenate(f, n, at, read, r);
    case OP_TRANSPOSE:
        axes = attr_list(n, ATTR_axes, &naxes);
        for (uint32_t i = 0; i < naxes; i++)
            r->dim[axes[i]] = read->dim[i];
        break;
    case OP_BROADCAST:
        axes = attr_list(n, ATTR_axes, &naxes);
        for (uint32_t i = 0; i < naxes; i++)
            r->dim[i] = r->dim[i] > 1 ? read->dim[axes[i]] : 1;
        break;
    case OP_GATHER: /* the indices' own axes are the first of the result */
        for (uint32_t i = 0; at == 1 && i + 1 < r->rank; i++)
            r->dim[i] = read->dim[i];
        break;
    default: break;
    }
    return true;
}

static void read_more(struct shape *known, const struct shape *more)
{
    known->rank = more->rank;
    for (uint32_t i = 0; i < more->rank; i++)
        known->dim[i] = known->dim[i] > more->dim[i] ? known->dim[i] : more->dim[i];
}

const struct shape *reads_of(const struct func *f, struct arena *a)
{
    struct shape *reads = ARENA_ARRAY(a, struct shape, f->nnodes);
    bool *is_read = ARENA_ARRAY(a, bool, f->nnodes);
    if (!reads || !is_read)
        return NULL;
    for (uint32_t i = 0; i < f->nresults; i++) {
        is_read[f->results[i].node] = true;
        read_more(&reads[f->results[i].node], &func_tensor(f, f->results[i])->shape);
    }
    for (node_id i = f->nnodes; i-- > 0;) {
        const struct node *n = &f->nodes[i];
        for (uint32_t j = 0;
             (is_read[i] || op_class(n->op) == CLASS_EFFECT || op_class(n->op) == CLASS_CONTROL) &&
             j < n->nins;
             j++) {
            struct shape r = func_tensor(f, n->ins[j])->shape;
            if (!read_through(f, n, j, &reads[i], &r))
                continue;
            is_read[n->ins[j].node] = true;
            if (n->ins[j].out == 0)
                read_more(&reads[n->ins[j].node], &r);
        }
    }
    return reads;
}
