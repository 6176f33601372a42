#include "random_graph.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "random.h"

struct gen {
    struct graph *g;
    uint32_t func;
    uint64_t state;
    enum random_mode mode;
    uint32_t depth; /* of regions */
    bool large, failed;
};

static struct value grow(struct gen *s);

static uint32_t pick(struct gen *s, uint32_t n)
{
    return (uint32_t)(next_random(&s->state) % n);
}

static struct func *func_of(struct gen *s)
{
    return &s->g->funcs[s->func];
}

static struct tensor tensor_of(struct gen *s, struct value v)
{
    return *func_tensor(func_of(s), v);
}

static struct value make(struct gen *s, enum op op, const struct value *ins, uint32_t nins,
                         const struct tensor *t, struct attr *attrs, uint32_t nattrs)
{
    struct node *n =
        s->failed ? NULL : func_append(s->g, func_of(s), op, UINT32_MAX, nins, 1, nattrs, 0);
    if (!n) {
        s->failed = true;
        return (struct value){0, 0};
    }
    for (uint32_t i = 0; i < nins; i++)
        n->ins[i] = ins[i];
    n->outs[0] = *t;
    for (uint32_t i = 0; i < nattrs; i++) {
        n->attrs[i] = attrs[i];
        if (attrs[i].list)
            n->attrs[i].list =
                arena_copy(s->g->arena, attrs[i].list, attrs[i].count * sizeof *attrs[i].list);
    }
    return (struct value){func_of(s)->nnodes - 1, 0};
}

static struct attr list_of(enum attr_key key, const int64_t *list, uint32_t count)
{
    return (struct attr){.key = key, .kind = 'I', .count = count, .list = list};
}

static enum vkc_type any_type(struct gen *s)
{
    static const enum vkc_type ints[] = {TYPE_S32, TYPE_S32, TYPE_U8, TYPE_U32, TYPE_S64, TYPE_S8};
    static const enum vkc_type floats[] = {TYPE_F32, TYPE_F32, TYPE_F32, TYPE_F64, TYPE_BF16};
    if (s->mode == RANDOM_INTEGERS)
        return ints[pick(s, 6)];
    if (s->mode == RANDOM_SUMS)
        return floats[pick(s, 4)];
    return pick(s, 3) ? floats[pick(s, 5)] : ints[pick(s, 3)];
}

static struct tensor any_tensor(struct gen *s)
{
    static const int64_t sizes[] = {1, 64, 300, 1024};
    struct tensor t = {.type = any_type(s), .shape = {.rank = pick(s, 4)}};
    for (uint32_t i = 0; i < t.shape.rank; i++) {
        uint32_t n = pick(s, 4);
        t.shape.dim[i] = s->large ? sizes[n] : 1 + n;
    }
    return t;
}

static uint64_t random_bits(struct gen *s, enum vkc_type type)
{
    static const double numbers[] = {0.0, -0.0, 1, -1, 2, 0.5, 3, -2};
    if (type_is_float(type))
        return num_float_encode(type, numbers[pick(s, s->mode == RANDOM_SUMS ? 8 : 8)]);
    return num_uint_wrap(type, pick(s, 4) ? pick(s, 4) : UINT64_MAX);
}

static struct value constant(struct gen *s, const struct tensor *t)
{
    struct attr a;
    attr_set_bits(&a, ATTR_bits, random_bits(s, t->type), 0);
    return make(s, OP_CONSTANT, NULL, 0, t, &a, 1);
}

/* Mostly a late one, so that chains grow. */
static struct value any_value(struct gen *s)
{
    uint32_t n = func_of(s)->nnodes, late = n < 3 ? n : 3;
    return (struct value){pick(s, 3) ? n - 1 - pick(s, late) : pick(s, n), 0};
}

/* A value that is `t`: one there is, or one made to fit. */
static struct value fit(struct gen *s, const struct tensor *t)
{
    for (int i = 0; i < 12; i++) {
        struct value v = any_value(s);
        struct tensor have = tensor_of(s, v);
        struct attr a = {0};
        if (have.type != t->type)
            continue;
        if (shape_equal(&have.shape, &t->shape))
            return v;
        if (shape_size(&have.shape) == shape_size(&t->shape))
            return make(s, OP_RESHAPE, &v, 1, t, NULL, 0);
        int64_t axes[VKC_MAX_RANK];
        uint32_t n = 0;
        for (uint32_t j = 0; j < t->shape.rank && n < have.shape.rank; j++)
            if (have.shape.dim[n] == t->shape.dim[j] || have.shape.dim[n] == 1)
                axes[n++] = j;
        a = list_of(ATTR_axes, axes, n);
        if (n == have.shape.rank)
            return make(s, OP_BROADCAST, &v, 1, t, &a, 1);
    }
    if (type_is_int(t->type) && t->shape.rank > 0 && pick(s, 3) == 0) {
        struct attr a;
        attr_set_int(&a, ATTR_axis, (int64_t)pick(s, t->shape.rank + 1) - 1);
        return make(s, OP_IOTA, NULL, 0, t, &a, 1);
    }
    return constant(s, t);
}

static struct value elementwise(struct gen *s)
{
    static const enum op ints[] = {OP_ADD,         OP_SUBTRACT,    OP_MULTIPLY,      OP_MAX,
                                   OP_MIN,         OP_BITWISE_AND, OP_BITWISE_OR,    OP_BITWISE_XOR,
                                   OP_NEGATE,      OP_ABS,         OP_BITWISE_NOT,   OP_QUOTIENT,
                                   OP_REMAINDER,   OP_POW,         OP_LEFT_SHIFT,    OP_RIGHT_SHIFT,
                                   OP_SIGN,        OP_CLIP,        OP_SELECT,        OP_EQUAL,
                                   OP_LESS,        OP_NOT_EQUAL,   OP_GREATER_EQUAL, OP_LOGICAL_AND,
                                   OP_LOGICAL_XOR, OP_AS_TYPE};
    static const enum op floats[] = {OP_ADD,    OP_SUBTRACT, OP_MULTIPLY, OP_MAX,     OP_MIN,
                                     OP_NEGATE, OP_ABS,      OP_DIVIDE,   OP_FLOOR,   OP_ROUND,
                                     OP_SELECT, OP_EQUAL,    OP_LESS,     OP_GREATER, OP_LOGICAL_OR,
                                     OP_IS_NAN, OP_AS_TYPE,  OP_EXP,      OP_SQRT,    OP_SIGN};
    static const enum op smooth[] = {OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_NEGATE, OP_ABS,
                                     OP_SIN, OP_TANH,     OP_SIGMOID,  OP_MAX,    OP_MIN};
    struct tensor t = tensor_of(s, any_value(s)), out;
    bool is_int = type_is_int(t.type);
    enum op op = is_int                   ? ints[pick(s, 26)]
                 : s->mode == RANDOM_SUMS ? smooth[pick(s, 10)]
                                          : floats[pick(s, 20)];
    enum op_rule rule = vkc_ops[op].rule;
    struct value ins[3];
    out = t;
    for (int i = 0; i < vkc_ops[op].min_ins; i++)
        ins[i] = fit(s, &t);
    if (op == OP_SELECT) {
        struct tensor p = t;
        p.type = s->mode == RANDOM_SUMS ? t.type : pick(s, 2) ? TYPE_U8 : any_type(s);
        ins[0] = fit(s, &p);
    }
    if (rule == RULE_COMPARE || rule == RULE_LOGICAL || rule == RULE_TEST)
        out.type = TYPE_U8;
    if (op == OP_AS_TYPE)
        out.type = any_type(s);
    if (op == OP_AS_TYPE && out.type == t.type)
        return ins[0];
    return make(s, op, ins, (uint32_t)vkc_ops[op].min_ins, &out, NULL, 0);
}

static struct value move(struct gen *s, struct value from)
{
    struct value ins[3] = {from};
    struct tensor t = tensor_of(s, ins[0]), out = t;
    uint32_t rank = t.shape.rank;
    int64_t x[VKC_MAX_RANK], y[VKC_MAX_RANK], z[VKC_MAX_RANK];
    struct attr a[3];
    switch (pick(s, 8)) {
    case 0:
        out.shape.rank = 0;
        out.shape.dim[out.shape.rank++] = shape_size(&t.shape);
        if (pick(s, 2) && out.shape.rank < 5)
            out.shape.dim[out.shape.rank++] = 1;
        return make(s, OP_RESHAPE, ins, 1, &out, NULL, 0);
    case 1:
        for (uint32_t i = 0; i < rank; i++)
            x[i] = i;
        for (uint32_t i = rank; i > 1; i--) {
            uint32_t j = pick(s, i);
            int64_t swap = x[i - 1];
            x[i - 1] = x[j];
            x[j] = swap;
        }
        for (uint32_t i = 0; i < rank; i++)
            out.shape.dim[i] = t.shape.dim[x[i]];
        a[0] = list_of(ATTR_axes, x, rank);
        return rank ? make(s, OP_TRANSPOSE, ins, 1, &out, a, 1) : ins[0];
    case 2:
        x[0] = rank ? pick(s, rank) : 0;
        a[0] = list_of(ATTR_axes, x, 1);
        return rank ? make(s, OP_REVERSE, ins, 1, &out, a, 1) : ins[0];
    case 3:
        for (uint32_t i = 0; i < rank; i++) {
            x[i] = pick(s, (uint32_t)t.shape.dim[i]);
            y[i] = 1 + pick(s, (uint32_t)(t.shape.dim[i] - x[i]));
            z[i] = 1 + pick(s, 2);
            out.shape.dim[i] = (y[i] + z[i] - 1) / z[i];
        }
        a[0] = list_of(ATTR_starts, x, rank);
        a[1] = list_of(ATTR_lengths, y, rank);
        a[2] = list_of(ATTR_strides, z, rank);
        return make(s, OP_SLICE, ins, 1, &out, a, 3);
    case 4:
        for (uint32_t i = 0; i < rank; i++) {
            x[i] = (int64_t)pick(s, 3) - 1;
            y[i] = pick(s, 2);
            z[i] = pick(s, 3) == 0;
            out.shape.dim[i] = t.shape.dim[i] + (t.shape.dim[i] - 1) * z[i] + x[i] + y[i];
            if (out.shape.dim[i] < 1)
                return ins[0];
        }
        a[0] = list_of(ATTR_lo, x, rank);
        a[1] = list_of(ATTR_hi, y, rank);
        a[2] = list_of(ATTR_interior, z, rank);
        t.shape.rank = 0;
        ins[1] = fit(s, &t);
        return make(s, OP_PAD, ins, 2, &out, a, 3);
    case 5: {
        if (rank == 0)
            return ins[0];
        uint32_t axis = pick(s, rank);
        t.shape.dim[axis] = 1 + pick(s, 3);
        ins[1] = fit(s, &t);
        out.shape.dim[axis] += t.shape.dim[axis];
        attr_set_int(&a[0], ATTR_axis, axis);
        return make(s, OP_CONCATENATE, ins, 2, &out, a, 1);
    }
    case 6: {
        uint32_t axis = pick(s, rank + 1);
        if (rank == 4)
            return ins[0];
        ins[1] = fit(s, &t);
        for (uint32_t i = rank; i > axis; i--)
            out.shape.dim[i] = out.shape.dim[i - 1];
        out.shape.dim[axis] = 2;
        out.shape.rank++;
        attr_set_int(&a[0], ATTR_axis, axis);
        return make(s, OP_STACK, ins, 2, &out, a, 1);
    }
    default: {
        struct tensor wider = {.type = t.type};
        for (uint32_t i = 0; i < rank; i++) {
            if (pick(s, 3) == 0 && wider.shape.rank < 4)
                wider.shape.dim[wider.shape.rank++] = 1 + pick(s, 4);
            x[i] = wider.shape.rank;
            wider.shape.dim[wider.shape.rank++] =
                t.shape.dim[i] == 1 ? 1 + pick(s, 3) : t.shape.dim[i];
        }
        if (wider.shape.rank < 4)
            wider.shape.dim[wider.shape.rank++] = 1 + pick(s, 3);
        a[0] = list_of(ATTR_axes, x, rank);
        return shape_size(&wider.shape) < (s->large ? 1 << 24 : 500)
                   ? make(s, OP_BROADCAST, ins, 1, &wider, a, 1)
                   : ins[0];
    }
    }
}

/* A chain, so that each kind meets each other kind. */
static struct value movement(struct gen *s)
{
    struct value v = move(s, any_value(s));
    for (uint32_t more = pick(s, 3); more > 0 && !s->failed; more--)
        v = move(s, v);
    return v;
}

static struct value indexed(struct gen *s)
{
    struct value ins[2 + VKC_MAX_RANK] = {any_value(s)};
    struct tensor t = tensor_of(s, ins[0]), window = t, start = {.type = TYPE_S32};
    uint32_t rank = t.shape.rank;
    int64_t ones[VKC_MAX_RANK];
    bool put = pick(s, 2);
    if (s->mode == RANDOM_SUMS || rank == 0)
        return ins[0];
    for (uint32_t i = 0; i < rank; i++) {
        ones[i] = 1;
        if (pick(s, 2))
            window.shape.dim[i] = 1 + pick(s, (uint32_t)t.shape.dim[i]);
    }
    if (put)
        ins[1] = fit(s, &window);
    for (uint32_t i = 0; i < rank; i++)
        ins[1 + put + i] = pick(s, 2) ? constant(s, &start) : fit(s, &start);
    struct attr a[2] = {list_of(ATTR_lengths, window.shape.dim, rank),
                        list_of(ATTR_strides, ones, rank)};
    if (put)
        return make(s, OP_PUT_SLICE, ins, 2 + rank, &t, NULL, 0);
    return make(s, OP_DYNAMIC_SLICE, ins, 1 + rank, &window, a, 2);
}

static struct value reduction(struct gen *s)
{
    struct value x = any_value(s);
    struct tensor t = tensor_of(s, x), out = {.type = t.type};
    uint32_t rank = t.shape.rank;
    int64_t axes[VKC_MAX_RANK];
    uint32_t n = 0;
    struct attr a[3];
    bool keep = pick(s, 3) == 0;
    static const enum op any[] = {OP_REDUCE_MAX, OP_REDUCE_MIN, OP_ALL, OP_ANY};
    enum op op = s->mode == RANDOM_SUMS ? OP_SUM : any[pick(s, 4)];
    if (s->mode == RANDOM_INTEGERS && pick(s, 2))
        op = pick(s, 2) ? OP_SUM : OP_PRODUCT;
    if (s->mode != RANDOM_SUMS && rank > 0 && pick(s, 5) == 0) {
        int64_t axis = (int64_t)pick(s, rank + 1) - 1;
        out.type = TYPE_S32;
        for (uint32_t i = 0; i < rank; i++)
            if (axis >= 0 && i != axis)
                out.shape.dim[out.shape.rank++] = t.shape.dim[i];
        attr_set_int(&a[0], ATTR_axis, axis);
        attr_set_text(s->g, &a[1], ATTR_tie_break, pick(s, 2) ? "low" : "high");
        attr_set_bool(&a[2], ATTR_keep, false);
        return make(s, pick(s, 2) ? OP_ARGMAX : OP_ARGMIN, &x, 1, &out, a, 3);
    }
    for (uint32_t i = 0; i < rank; i++) {
        bool gone = pick(s, 2);
        if (gone)
            axes[n++] = i;
        if (!gone || keep)
            out.shape.dim[out.shape.rank++] = gone ? 1 : t.shape.dim[i];
    }
    if (op == OP_ALL || op == OP_ANY)
        out.type = TYPE_U8;
    a[0] = list_of(ATTR_axes, axes, n);
    attr_set_bool(&a[1], ATTR_keep, keep);
    return make(s, op, &x, 1, &out, a, 2);
}

/* Axes of the left operand are free, contracted or those of a batch; the right operand has the
   latter two and up to two of its own, in any order in which those of the batch stay sorted. */
static struct value dot(struct gen *s)
{
    enum { FREE, CONTRACTED, BATCH, MOST = 3 };
    const int64_t most = s->large ? 1 << 24 : 1024; /* elements */
    struct value ins[2] = {any_value(s)};
    struct tensor t = tensor_of(s, ins[0]), other = {.type = t.type}, out = {.type = t.type};
    int64_t ca[MOST] = {0}, cb[MOST] = {0}, ba[MOST] = {0}, bb[MOST] = {0}, own[2];
    uint32_t rank = t.shape.rank, ncontract = 0, nbatch = 0, nown = pick(s, 3);
    if (rank > MOST || (type_is_float(t.type) && s->mode != RANDOM_SUMS))
        return ins[0];
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t role = pick(s, 3);
        if (role == CONTRACTED)
            ca[ncontract++] = i;
        if (role == BATCH)
            out.shape.dim[nbatch] = t.shape.dim[i], ba[nbatch++] = i;
    }
    if (ncontract > 1 && pick(s, 2)) { /* pairs of axes in any order */
        int64_t first = ca[0];
        ca[0] = ca[1];
        ca[1] = first;
    }
    out.shape.rank = nbatch;
    for (uint32_t i = 0; i < rank; i++) {
        bool is_free = true;
        for (uint32_t k = 0; k < MOST; k++)
            is_free &= !(k < ncontract && ca[k] == i) && !(k < nbatch && ba[k] == i);
        if (is_free)
            out.shape.dim[out.shape.rank++] = t.shape.dim[i];
    }
    for (uint32_t c = 0, b = 0, o = 0; c < ncontract || b < nbatch || o < nown;) {
        uint32_t role = pick(s, 3), at = other.shape.rank;
        if (role == FREE && o < nown)
            other.shape.dim[other.shape.rank++] = own[o++] = (1 + pick(s, 3)) * (s->large ? 50 : 1);
        else if (role == CONTRACTED && c < ncontract)
            cb[c] = at, other.shape.dim[other.shape.rank++] = t.shape.dim[ca[c]], c++;
        else if (role == BATCH && b < nbatch)
            bb[b] = at, other.shape.dim[other.shape.rank++] = t.shape.dim[ba[b]], b++;
    }
    for (uint32_t o = 0; o < nown; o++)
        out.shape.dim[out.shape.rank++] = own[o];
    if (shape_size(&out.shape) > most || shape_size(&other.shape) > most)
        return ins[0];
    ins[1] = fit(s, &other);
    struct attr a[4] = {list_of(ATTR_contract_a, ca, ncontract), list_of(ATTR_batch_a, ba, nbatch),
                        list_of(ATTR_contract_b, cb, ncontract), list_of(ATTR_batch_b, bb, nbatch)};
    struct value product = make(s, OP_DOT, ins, 2, &out, a, 4);
    if (pick(s, 2))
        return product;
    /* what both have alone changes places, as if the operands did */
    uint32_t nleft = rank - ncontract - nbatch;
    struct tensor turned = {.type = t.type, .shape = {.rank = out.shape.rank}};
    int64_t axes[VKC_MAX_RANK];
    for (uint32_t i = 0; i < out.shape.rank; i++) {
        axes[i] = i < nbatch ? i : i < nbatch + nown ? i + nleft : i - nown;
        turned.shape.dim[i] = out.shape.dim[axes[i]];
    }
    a[0] = list_of(ATTR_axes, axes, out.shape.rank);
    return make(s, OP_TRANSPOSE, &product, 1, &turned, a, 1);
}

/* ---- regions ---- */

static uint32_t open_func(struct gen *s, const struct tensor *params, uint32_t nparams)
{
    uint32_t f = graph_add_func(s->g);
    if (f == UINT32_MAX) {
        s->failed = true;
        return 0;
    }
    s->g->funcs[f].nparams = nparams;
    s->g->funcs[f].params = arena_copy(s->g->arena, params, nparams * sizeof *params);
    s->g->funcs[f].param_names = ARENA_ARRAY(s->g->arena, const char *, nparams);
    s->func = f;
    for (uint32_t i = 0; i < nparams; i++) {
        struct attr a;
        attr_set_int(&a, ATTR_index, i);
        make(s, OP_PARAMETER, NULL, 0, &params[i], &a, 1);
    }
    return f;
}

static void close_func(struct gen *s, const struct value *results, uint32_t n)
{
    func_of(s)->results = arena_copy(s->g->arena, results, n * sizeof *results);
    func_of(s)->nresults = n;
}

static uint32_t region(struct gen *s, const struct tensor *params, uint32_t nparams,
                       const struct tensor *results, uint32_t nresults, uint32_t nodes)
{
    struct value values[3] = {{0, 0}};
    uint32_t outer = s->func, f = open_func(s, params, nparams);
    s->depth++;
    for (uint32_t i = 0; i < nodes && !s->failed; i++)
        grow(s);
    for (uint32_t i = 0; i < nresults && !s->failed; i++)
        values[i] = fit(s, &results[i]);
    close_func(s, values, nresults);
    s->depth--;
    s->func = outer;
    return f;
}

static struct value with_regions(struct gen *s, enum op op, const struct value *ins, uint32_t nins,
                                 const struct tensor *outs, uint32_t nouts, const uint32_t *regions,
                                 uint32_t nregions, uint32_t nattrs)
{
    struct node *n =
        s->failed ? NULL
                  : func_append(s->g, func_of(s), op, UINT32_MAX, nins, nouts, nattrs, nregions);
    if (!n) {
        s->failed = true;
        return (struct value){0, 0};
    }
    memcpy(n->ins, ins, nins * sizeof *ins);
    memcpy(n->outs, outs, nouts * sizeof *outs);
    memcpy(n->regions, regions, nregions * sizeof *regions);
    if (nattrs)
        attr_set_text(s->g, &n->attrs[0], ATTR_name, "Test");
    return (struct value){func_of(s)->nnodes - 1, 0};
}

/* Output `out` of a node of several, as a value of its own. */
static struct value output(struct gen *s, struct value v, uint32_t out)
{
    v.out = out;
    struct tensor t = tensor_of(s, v);
    if (t.shape.rank < 4)
        t.shape.dim[t.shape.rank++] = 1;
    return s->failed ? v : make(s, OP_RESHAPE, &v, 1, &t, NULL, 0);
}

static struct value loop(struct gen *s, struct value x, struct value y)
{
    /* (x, i, y): while i < limit: f(x, i, y), i + 1, g(x, i, y); now and then from an unknown
       start */
    struct tensor counter = {.type = TYPE_S32}, small = {.type = TYPE_U8}, truth = small;
    struct tensor params[3] = {tensor_of(s, x), counter, tensor_of(s, y)};
    struct value ins[3] = {x, {0, 0}, y};
    uint32_t outer = s->func, regions[2];
    struct attr a;
    attr_set_bits(&a, ATTR_bits, 0, 0);
    ins[1] = make(s, OP_CONSTANT, NULL, 0, &counter, &a, 1);
    if (s->mode == RANDOM_INTEGERS && pick(s, 2)) {
        struct value v = fit(s, &small);
        ins[1] = make(s, OP_AS_TYPE, &v, 1, &counter, NULL, 0);
    }
    regions[0] = open_func(s, params, 3);
    attr_set_bits(&a, ATTR_bits, pick(s, 5), 0);
    struct value pair[2] = {{1, 0}, make(s, OP_CONSTANT, NULL, 0, &counter, &a, 1)};
    pair[0] = make(s, OP_LESS, pair, 2, &truth, NULL, 0);
    close_func(s, pair, 1);
    s->func = outer;
    regions[1] = region(s, params, 3, params, 3, 1 + pick(s, 4));
    if (s->failed)
        return x;
    s->func = regions[1];
    struct value results[3] = {
        func_of(s)->results[0], {1, 0}, pick(s, 2) ? (struct value){2, 0} : func_of(s)->results[2]};
    attr_set_bits(&a, ATTR_bits, 1, 0);
    struct value step[2] = {{1, 0}, make(s, OP_CONSTANT, NULL, 0, &counter, &a, 1)};
    results[1] = make(s, OP_ADD, step, 2, &counter, NULL, 0);
    close_func(s, results, 3);
    s->func = outer;
    struct value v = with_regions(s, OP_WHILE, ins, 3, params, 3, regions, 2, 0);
    return pick(s, 2) ? output(s, v, 2) : v;
}

static struct value control(struct gen *s)
{
    struct value ins[3] = {any_value(s), any_value(s), any_value(s)}, v;
    struct tensor params[3] = {tensor_of(s, ins[0]), tensor_of(s, ins[1]), tensor_of(s, ins[2])},
                  flag = {.type = any_type(s)};
    uint32_t regions[3];
    if (s->depth >= 2)
        return ins[0];
    switch (pick(s, 3)) {
    case 0:
        regions[0] = region(s, params, 3, params, 2, 1 + pick(s, 4));
        v = with_regions(s, OP_BLOCK, ins, 3, params, 2, regions, 1, 1);
        return pick(s, 2) ? output(s, v, 1) : v;
    case 1:
        if (s->mode == RANDOM_SUMS)
            return ins[0];
        regions[0] = region(s, params, 3, &flag, 1, 1);
        regions[1] = region(s, params, 3, params, 2, 1 + pick(s, 4));
        regions[2] = region(s, params, 3, params, 2, 1 + pick(s, 4));
        v = with_regions(s, OP_COND, ins, 3, params, 2, regions, 3, 0);
        return pick(s, 2) ? output(s, v, 1) : v;
    default: return loop(s, ins[0], ins[1]);
    }
}

static struct value grow(struct gen *s)
{
    uint32_t kind = pick(s, 100);
    if (kind < 45)
        return elementwise(s);
    if (kind < 75)
        return movement(s);
    if (kind < 82)
        return indexed(s);
    if (kind < 90)
        return reduction(s);
    if (kind < 94)
        return dot(s);
    if (kind < 97)
        return control(s);
    struct tensor t = any_tensor(s);
    return fit(s, &t);
}

bool random_graph_of(struct arena *a, uint64_t seed, enum random_mode mode, uint32_t nodes,
                     bool large, struct graph *out)
{
    struct gen s = {.g = out, .state = seed, .mode = mode, .large = large};
    struct tensor params[4];
    struct value results[6];
    *out = (struct graph){.arena = a, .name = "random"};
    uint32_t nparams = 1 + pick(&s, 4);
    for (uint32_t i = 0; i < nparams; i++)
        params[i] = any_tensor(&s);
    open_func(&s, params, nparams);
    for (uint32_t i = 0; i < nodes && !s.failed; i++)
        grow(&s);
    uint32_t nresults = 1 + pick(&s, 6);
    for (uint32_t i = 0; i < nresults && !s.failed; i++)
        results[i] = any_value(&s);
    if (!s.failed)
        results[0] = (struct value){func_of(&s)->nnodes - 1, 0};
    close_func(&s, results, nresults);
    return !s.failed && !a->failed;
}

void random_fill(uint64_t *state, enum random_mode mode, const struct tensor *t, void *data)
{
    struct gen s = {.state = *state, .mode = mode};
    for (int64_t i = 0; i < shape_size(&t->shape); i++) {
        uint64_t bits = random_bits(&s, t->type);
        if (type_is_float(t->type) && pick(&s, 2))
            bits = num_float_encode(t->type, ((double)pick(&s, 4001) - 2000) / 512);
        memcpy((char *)data + (size_t)i * type_bytes(t->type), &bits, type_bytes(t->type));
    }
    *state = s.state;
}
