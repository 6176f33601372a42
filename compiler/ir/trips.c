#include "ir/trips.h"

#include "base/num.h"

enum { FURTHEST = 6, LOOKS = 12 }; /* values looked through towards a bound; parts of a condition */

static struct value through_shape(const struct func *f, struct value v)
{
    while (func_node(f, v.node)->op == OP_RESHAPE || func_node(f, v.node)->op == OP_BROADCAST)
        v = func_node(f, v.node)->ins[0];
    return v;
}

bool trips_unchanged(const struct graph *g, const struct node *n, uint32_t i)
{
    const struct func *body = &g->funcs[n->regions[1]];
    const struct node *res = func_node(body, body->results[i].node);
    return res->op == OP_PARAMETER && attr_int(res, ATTR_index, 0) == i;
}

/* The largest number of the type, as far as int64 goes. */
static int64_t type_most(enum vkc_type type)
{
    uint32_t bits = vkc_types[type].bits - (vkc_types[type].kind == KIND_SINT);
    return bits < 63 ? ((int64_t)1 << bits) - 1 : INT64_MAX;
}

/* Rounds of a counter of the type, from first, while it is below last (or, `inclusive`, not
   above); -1 if they are too many, or the counter would wrap before it gets there. */
static int64_t rounds_between(enum vkc_type type, int64_t first, int64_t last, bool inclusive,
                              int64_t step)
{
    if (step <= 0 || (vkc_types[type].kind == KIND_UINT && (first < 0 || last < 0)))
        return -1;
    if (inclusive ? last < first : last <= first)
        return 0;
    if (first < INT32_MIN || last > INT32_MAX)
        return -1;
    int64_t rounds = (last - first - !inclusive) / step + 1;
    /* below 2^64: first may be negative */
    uint64_t room = (uint64_t)type_most(type) - (uint64_t)first;
    return (uint64_t)rounds > room / (uint64_t)step ? -1 : rounds;
}

/* A constant by which carried value `i` grows in every round, or 0. */
static int64_t step_of(const struct graph *g, const struct node *n, uint32_t i)
{
    const struct func *body = &g->funcs[n->regions[1]];
    const struct node *next = func_node(body, through_shape(body, body->results[i]).node);
    int64_t step = 0;
    bool from_itself = false;
    for (uint32_t k = 0; next->op == OP_ADD && k < 2; k++) {
        const struct node *x = func_node(body, through_shape(body, next->ins[k]).node);
        if (x->op == OP_CONSTANT && type_is_int(x->outs[0].type))
            step = num_sint_wrap(x->outs[0].type, node_attr(x, ATTR_bits)->bits[0]);
        from_itself |= x->op == OP_PARAMETER && attr_int(x, ATTR_index, 0) == i;
    }
    return from_itself ? step : 0;
}

/* ---- bounds of integers ---- */

/* The control node of which a function is a region. */
static const struct node *owner(const struct graph *g, uint32_t func, uint32_t *out_func,
                                uint32_t *out_region)
{
    for (uint32_t f = 0; f < g->nfuncs; f++)
        for (node_id i = 0; i < g->funcs[f].nnodes; i++)
            for (uint32_t r = 0; r < g->funcs[f].nodes[i].nregions; r++)
                if (g->funcs[f].nodes[i].regions[r] == func) {
                    *out_func = f;
                    *out_region = r;
                    return &g->funcs[f].nodes[i];
                }
    return NULL;
}

/* `i < last` or the like as part of a condition. */
struct limit {
    uint32_t counter;  /* carried value */
    struct value last; /* in the condition */
    bool inclusive;
};

/* Between which an integer lies, both included. */
struct range {
    int64_t least, most;
};

static bool range_of(const struct graph *g, uint32_t func, struct value v, uint32_t depth,
                     struct range *out);

/* All limits that must hold for a value of a region to hold; *out_only: it is nothing else.
   `out_flags`: the carried values that it consists of besides. */
static uint32_t limits_of(const struct func *f, struct value of, struct limit *out, uint32_t room,
                          bool *out_only, uint64_t *out_flags)
{
    struct value todo[LOOKS] = {of};
    uint32_t ntodo = 1, count = 0, looked = 0;
    *out_only = true;
    *out_flags = 0;
    while (ntodo && looked++ < LOOKS) {
        const struct node *x = func_node(f, through_shape(f, todo[--ntodo]).node);
        bool both = x->op == OP_LOGICAL_AND || x->op == OP_BITWISE_AND;
        bool less = x->op == OP_LESS || x->op == OP_LESS_EQUAL,
             greater = x->op == OP_GREATER || x->op == OP_GREATER_EQUAL;
        if (both && ntodo + 2 <= LOOKS) {
            todo[ntodo++] = x->ins[0];
            todo[ntodo++] = x->ins[1];
            continue;
        }
        const struct node *counter =
            less || greater ? func_node(f, through_shape(f, x->ins[greater]).node) : x;
        bool found = (less || greater) && counter->op == OP_PARAMETER &&
                     type_is_int(counter->outs[0].type) && count < room;
        if (found)
            out[count++] =
                (struct limit){(uint32_t)attr_int(counter, ATTR_index, 0), x->ins[!greater],
                               x->op == OP_LESS_EQUAL || x->op == OP_GREATER_EQUAL};
        if (x->op == OP_PARAMETER && attr_int(x, ATTR_index, 0) < 64)
            *out_flags |= UINT64_C(1) << attr_int(x, ATTR_index, 0);
        *out_only &= found;
    }
    *out_only &= count == 1 && ntodo == 0;
    return count;
}

/* Of the condition of a while. */
static uint32_t condition_limits(const struct graph *g, const struct node *n, struct limit *out,
                                 uint32_t room, bool *out_only, uint64_t *out_flags)
{
    const struct func *f = &g->funcs[n->regions[0]];
    return limits_of(f, f->results[0], out, room, out_only, out_flags);
}

/* The largest value of a counter in the body, where the condition has just held. */
static bool most_in_body(const struct graph *g, const struct node *n, uint32_t i, uint32_t depth,
                         int64_t *out)
{
    struct limit limits[4];
    bool only, found = false;
    uint64_t flags;
    uint32_t count = condition_limits(g, n, limits, 4, &only, &flags);
    for (uint32_t k = 0; k < count; k++) {
        struct range last;
        if (limits[k].counter != i || !range_of(g, n->regions[0], limits[k].last, depth, &last))
            continue;
        last.most -= !limits[k].inclusive;
        *out = found && *out < last.most ? *out : last.most;
        found = true;
    }
    return found;
}

static bool parameter_range(const struct graph *g, uint32_t func, uint32_t i, uint32_t depth,
                            struct range *out)
{
    uint32_t outer, region;
    const struct node *n = owner(g, func, &outer, &region);
    if (!n || (n->op != OP_WHILE && n->op != OP_COND))
        return false;
    if (n->op == OP_COND || trips_unchanged(g, n, i))
        return range_of(g, outer, n->ins[i], depth, out);
    int64_t last = 0;
    struct range first;
    if (step_of(g, n, i) <= 0 || !most_in_body(g, n, i, depth, &last) || last > INT32_MAX)
        return false; /* with no limit it would wrap */
    if (!range_of(g, outer, n->ins[i], depth, &first) || first.least < INT32_MIN)
        return false;
    *out = (struct range){first.least, last};
    int64_t most = type_most(func_tensor(&g->funcs[outer], n->ins[i])->type);
    return region == 1 && step_of(g, n, i) <= most - last;
}

/* Whether every integer of the range is one of the type, so that a conversion keeps it. */
static bool fits(enum vkc_type type, const struct range *r)
{
    bool is_signed = vkc_types[type].kind == KIND_SINT;
    return r->most <= type_most(type) && r->least >= (is_signed ? -type_most(type) - 1 : 0);
}

/* Between what the value of an integer scalar lies; false if that is not known. */
static bool range_of(const struct graph *g, uint32_t func, struct value v, uint32_t depth,
                     struct range *out)
{
    const struct func *f = &g->funcs[func];
    v = through_shape(f, v);
    const struct node *n = func_node(f, v.node);
    enum vkc_type type = n->outs[v.out].type;
    if (depth == 0 || !type_is_int(type))
        return false;
    if (n->op == OP_CONSTANT) {
        out->least = out->most = num_sint_wrap(type, node_attr(n, ATTR_bits)->bits[0]);
        return vkc_types[type].kind == KIND_SINT || out->least >= 0;
    }
    if (n->op == OP_PARAMETER)
        return parameter_range(g, func, (uint32_t)attr_int(n, ATTR_index, 0), depth - 1, out);
    if (n->op == OP_AS_TYPE)
        return range_of(g, func, n->ins[0], depth - 1, out) && fits(type, out);
    struct range x, y;
    if (n->op != OP_ADD || !range_of(g, func, n->ins[0], depth - 1, &x) ||
        !range_of(g, func, n->ins[1], depth - 1, &y))
        return false;
    if (x.least < 0 || y.least < 0 || x.most > INT32_MAX || y.most > INT32_MAX ||
        x.most + y.most > type_most(type))
        return false; /* a sum that wraps is bounded by nothing */
    *out = (struct range){x.least + y.least, x.most + y.most};
    return true;
}

/* A loop that goes on while carried value `flag` holds, which a round sets to what its counter
   says at its begin: it makes one round more than the counter allows. */
static void bound_by_flag(const struct graph *g, uint32_t func, const struct node *n, uint32_t flag,
                          struct trips *t)
{
    const struct func *body = &g->funcs[n->regions[1]];
    struct limit limits[4];
    bool only;
    uint64_t flags;
    uint32_t count = limits_of(body, body->results[flag], limits, 4, &only, &flags);
    for (uint32_t k = 0; k < count; k++) {
        const struct limit *l = &limits[k];
        struct range first, last;
        if (!range_of(g, func, n->ins[l->counter], FURTHEST, &first) ||
            !range_of(g, n->regions[1], l->last, FURTHEST, &last))
            continue;
        int64_t rounds = rounds_between(func_tensor(body, l->last)->type, first.least, last.most,
                                        l->inclusive, step_of(g, n, l->counter));
        if (rounds >= 0 && (t->most < 0 || rounds + 1 < t->most)) {
            t->most = rounds + 1;
            t->exact = false;
        }
    }
}

struct trips trips_of(const struct graph *g, uint32_t func, node_id id)
{
    const struct node *n = func_node(&g->funcs[func], id);
    const struct func *condition = &g->funcs[n->regions[0]];
    struct limit limits[4];
    struct trips t = {-1, false};
    bool only;
    uint64_t flags;
    uint32_t count = condition_limits(g, n, limits, 4, &only, &flags);
    for (uint32_t k = 0; k < count; k++) {
        const struct limit *l = &limits[k];
        struct range first, last;
        if (!range_of(g, func, n->ins[l->counter], FURTHEST, &first) ||
            !range_of(g, n->regions[0], l->last, FURTHEST, &last))
            continue;
        int64_t rounds = rounds_between(func_tensor(condition, l->last)->type, first.least,
                                        last.most, l->inclusive, step_of(g, n, l->counter));
        if (rounds < 0 || (t.most >= 0 && t.most <= rounds))
            continue;
        t.most = rounds;
        t.exact = only && first.least == first.most && last.least == last.most;
    }
    for (uint32_t i = 0; i < n->nouts && i < 64; i++)
        if (flags >> i & 1)
            bound_by_flag(g, func, n, i, &t);
    return t;
}
