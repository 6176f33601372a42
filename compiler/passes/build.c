#include "passes/build.h"
#include "base/cancel.h"

#include <string.h>

enum { FIRST_BUCKETS = 64 };

bool build_fail_memory(struct build *b)
{
    b->failed = true;
    return FAIL(b->d, MEMORY, "out of memory while rewriting the graph");
}

/* ---- hash-consing ---- */

static uint32_t mix(uint32_t h, uint64_t x)
{
    x = (x ^ h) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

static bool is_commutative(const struct node *n)
{
    return (vkc_ops[n->op].flags & OP_COMMUTES) && n->nins == 2;
}

static uint32_t node_hash(const struct node *n)
{
    uint32_t h = mix((uint32_t)n->op, n->nins);
    if (is_commutative(n)) {
        h = mix(h,
                (uint64_t)mix(n->ins[0].node, n->ins[0].out) + mix(n->ins[1].node, n->ins[1].out));
    } else {
        for (uint32_t i = 0; i < n->nins; i++)
            h = mix(h, (uint64_t)n->ins[i].node << 8 | n->ins[i].out);
    }
    for (uint32_t i = 0; i < n->nouts; i++) {
        h = mix(h, (uint64_t)n->outs[i].type << 8 | n->outs[i].shape.rank);
        for (uint32_t j = 0; j < n->outs[i].shape.rank; j++)
            h = mix(h, (uint64_t)n->outs[i].shape.dim[j]);
    }
    for (uint32_t i = 0; i < n->nattrs; i++) {
        const struct attr *a = &n->attrs[i];
        h = mix(h, (uint64_t)a->i ^ a->bits[0] ^ a->bits[1]);
        for (uint32_t j = 0; j < a->count; j++)
            h = mix(h, (uint64_t)a->list[j]);
    }
    return h;
}

/* The same value whenever it is computed: nothing with regions or effects. */
static bool is_shareable(const struct node *n)
{
    return n->nregions == 0 && op_class(n->op) != CLASS_CONTROL && op_class(n->op) != CLASS_EFFECT;
}

static bool nodes_equal(const struct node *x, const struct node *y)
{
    if (x->nins != y->nins || !is_shareable(x) || !node_alike(x, y))
        return false;
    bool straight = true;
    for (uint32_t i = 0; i < x->nins; i++)
        straight &= value_equal(x->ins[i], y->ins[i]);
    return straight || (is_commutative(x) && value_equal(x->ins[0], y->ins[1]) &&
                        value_equal(x->ins[1], y->ins[0]));
}

bool build_grow_buckets(struct build *b)
{
    uint32_t n = b->nbuckets ? b->nbuckets * 4 : FIRST_BUCKETS;
    uint32_t *buckets = ARENA_ARRAY(&b->r->scratch, uint32_t, n);
    if (!buckets)
        return build_fail_memory(b);
    memset(buckets, 0xff, n * sizeof *buckets);
    for (node_id i = 0; i < b->out.nnodes; i++) {
        uint32_t *head = &buckets[b->made[i].hash & (n - 1)];
        b->made[i].next = *head;
        *head = i;
    }
    b->buckets = buckets;
    b->nbuckets = n;
    return true;
}

static node_id find_equal(const struct build *b, const struct node *n, uint32_t hash)
{
    if (!is_shareable(n))
        return VKC_NO_NODE;
    for (node_id i = b->buckets[hash & (b->nbuckets - 1)]; i != VKC_NO_NODE; i = b->made[i].next)
        if (b->made[i].hash == hash && nodes_equal(&b->out.nodes[i], n))
            return i;
    return VKC_NO_NODE;
}

/* ---- making nodes ---- */

/* Appends `n`. With `persistent` its arrays live in the arena already and never change. */
static struct value append(struct build *b, const struct node *n, uint32_t label, bool persistent,
                           uint32_t hash)
{
    struct func *f = &b->out;
    struct arena *a = b->g->arena;
    if (f->nnodes >= VKC_MAX_NODES) {
        b->failed = true;
        FAIL(b->d, UNSUPPORTED, "a function would have more than %d nodes", (int)VKC_MAX_NODES);
        return BUILD_NONE;
    }
    if (!arena_grow(a, &f->nodes, f->nnodes, &f->cap_nodes, sizeof *f->nodes) ||
        !arena_grow(&b->r->scratch, &b->made, f->nnodes, &b->cap_made, sizeof *b->made))
        return build_fail_memory(b), BUILD_NONE;
    struct node made = *n;
    made.ins = arena_copy(a, n->ins, n->nins * sizeof *n->ins);
    made.label = label == UINT32_MAX ? f->next_label : label;
    if (!persistent) {
        made.loc = b->loc;
        made.outs = arena_copy(a, n->outs, n->nouts * sizeof *n->outs);
        made.attrs = arena_copy(a, n->attrs, n->nattrs * sizeof *n->attrs);
        made.regions = arena_copy(a, n->regions, n->nregions * sizeof *n->regions);
        if (!made.outs || !made.attrs || !made.regions)
            return build_fail_memory(b), BUILD_NONE;
        for (uint32_t i = 0; i < n->nattrs; i++) {
            struct attr *t = &made.attrs[i];
            if (t->list)
                t->list = arena_copy(a, t->list, t->count * sizeof *t->list);
            if (t->text)
                t->text = arena_strdup(a, t->text);
        }
    }
    if (!made.ins || a->failed)
        return build_fail_memory(b), BUILD_NONE;
    if (made.label >= f->next_label)
        f->next_label = made.label + 1;
    uint32_t *head = &b->buckets[hash & (b->nbuckets - 1)];
    b->made[f->nnodes] = (struct made){hash, *head, build_infer_bool(b, &made)};
    *head = f->nnodes;
    f->nodes[f->nnodes] = made;
    return (struct value){f->nnodes++, 0};
}

static struct value make(struct build *b, const struct node *n, uint32_t label, bool persistent,
                         bool share)
{
    if (b->failed)
        return BUILD_NONE;
    for (uint32_t i = 0; i < n->nins; i++) {
        if (n->ins[i].node == VKC_NO_NODE) {
            b->failed = true;
            FAIL(b->d, INTERNAL, "a pass used a value that it had not made, in %s", op_name(n->op));
            return BUILD_NONE;
        }
    }
    struct value v;
    if (b->r->fold && build_try_fold(b, n, &v))
        return v;
    if (b->failed || (b->out.nnodes >= b->nbuckets && !build_grow_buckets(b)))
        return BUILD_NONE;
    uint32_t hash = node_hash(n);
    node_id same = share ? find_equal(b, n, hash) : VKC_NO_NODE;
    if (same != VKC_NO_NODE)
        return (struct value){same, 0};
    return append(b, n, label, persistent, hash);
}

struct value build_node(struct build *b, const struct node *n)
{
    b->r->growth++;
    return make(b, n, UINT32_MAX, false, true);
}

struct value build_copy(struct build *b, const struct node *n, const struct value *ins,
                        uint32_t label)
{
    if (b->failed)
        return BUILD_NONE;
    struct node copy = *n;
    copy.ins = (struct value *)(uintptr_t)ins;
    if (n->nregions) {
        copy.regions = arena_copy(b->g->arena, n->regions, n->nregions * sizeof *n->regions);
        if (!copy.regions)
            return build_fail_memory(b), BUILD_NONE;
        for (uint32_t i = 0; i < n->nregions; i++) {
            uint32_t region = n->regions[i];
            if (region < b->r->cap_claimed && b->r->claimed[region]) /* another copy has it */
                region = build_clone(b, region);
            if (region == UINT32_MAX || !build_claim(b, region))
                return BUILD_NONE;
            copy.regions[i] = region;
        }
    }
    if (label == UINT32_MAX)
        b->r->growth++;
    return make(b, &copy, label, true, b->r->share || label == UINT32_MAX);
}

bool build_inline(struct build *b, uint32_t func, const struct value *args, struct value *outs)
{
    const struct func f = b->g->funcs[func];
    struct arena *scratch = &b->r->scratch;
    struct value **map = ARENA_ARRAY(scratch, struct value *, f.nnodes);
    if (!map)
        return build_fail_memory(b);
    const char *loc = b->loc;
    bool whole = false;
    b->depth++;
    for (node_id i = 0; i < f.nnodes && !b->failed; i++) {
        const struct node *n = &f.nodes[i];
        if (b->r->growth_limit && b->r->growth > b->r->growth_limit)
            goto out;
        if (!cancel_check(b->g->arena->cancel, b->r->d)) {
            b->failed = true;
            goto out;
        }
        map[i] = ARENA_ARRAY(scratch, struct value, n->nouts);
        struct value *ins = ARENA_ARRAY(scratch, struct value, n->nins);
        if (!map[i] || !ins) {
            build_fail_memory(b);
            goto out;
        }
        if (n->op == OP_PARAMETER) {
            map[i][0] = args[attr_int(n, ATTR_index, 0)];
            continue;
        }
        for (uint32_t j = 0; j < n->nins; j++)
            ins[j] = map[n->ins[j].node][n->ins[j].out];
        b->loc = n->loc ? n->loc : loc;
        if (b->r->fn && b->r->fn(b, n, ins, map[i]))
            continue;
        struct value v = build_copy(b, n, ins, UINT32_MAX);
        for (uint32_t j = 0; j < n->nouts; j++)
            map[i][j] = (struct value){v.node, v.out + j};
    }
    for (uint32_t i = 0; i < f.nresults && !b->failed; i++)
        outs[i] = map[f.results[i].node][f.results[i].out];
    whole = !b->failed;
out:
    b->depth--;
    b->loc = loc;
    return whole;
}

struct build_mark build_mark(const struct build *b)
{
    return (struct build_mark){b->out.nnodes, b->out.next_label, b->r->nclaims};
}

void build_undo(struct build *b, struct build_mark m)
{
    while (b->out.nnodes > m.nnodes) {
        const struct made *last = &b->made[--b->out.nnodes];
        b->buckets[last->hash & (b->nbuckets - 1)] = last->next;
    }
    b->out.next_label = m.next_label;
    while (b->r->nclaims > m.nclaims)
        b->r->claimed[b->r->claims[--b->r->nclaims]] = 0;
}

/* ---- one function ---- */

/* The node that stands for `n` from here on gets its label, unless it has one already. */
static void take_label(struct build *b, const struct node *n, struct value v, node_id first_new)
{
    if (n->nouts != 1 || b->failed || v.node < first_new || v.node == VKC_NO_NODE)
        return;
    struct node *made = &b->out.nodes[v.node];
    if (made->nouts == 1 && made->label >= b->src.next_label)
        made->label = n->label;
}

static bool rebuild_func(struct rebuild *r, uint32_t func, struct func *out)
{
    struct build b = {
        .r = r, .g = r->g, .d = r->d, .src = r->g->funcs[func], .in_region = func != r->g->entry};
    const struct func *src = &b.src;
    b.out.nparams = src->nparams;
    b.out.params = src->params;
    b.out.param_names = src->param_names;
    b.out.next_label = src->next_label;
    b.uses = func_use_counts(src, &r->scratch);
    uint32_t *first = ARENA_ARRAY(&r->scratch, uint32_t, (size_t)src->nnodes + 1);
    if (!b.uses || !first || !build_grow_buckets(&b))
        return build_fail_memory(&b);
    uint32_t max_ins = 0;
    for (node_id i = 0; i < src->nnodes; i++) {
        first[i + 1] = first[i] + src->nodes[i].nouts;
        max_ins = src->nodes[i].nins > max_ins ? src->nodes[i].nins : max_ins;
    }
    struct value *map = ARENA_ARRAY(&r->scratch, struct value, first[src->nnodes]);
    struct value *ins = ARENA_ARRAY(&r->scratch, struct value, max_ins);
    b.out.results = ARENA_ARRAY(r->g->arena, struct value, src->nresults);
    if (!map || !ins || !b.out.results)
        return build_fail_memory(&b);
    for (b.at = 0; b.at < src->nnodes; b.at++) {
        const struct node *n = &src->nodes[b.at];
        if (!cancel_check(b.g->arena->cancel, b.r->d))
            return false;
        struct value *outs = &map[first[b.at]];
        for (uint32_t j = 0; j < n->nins; j++)
            ins[j] = map[first[n->ins[j].node] + n->ins[j].out];
        b.loc = n->loc;
        node_id first_new = b.out.nnodes;
        if (r->fn && r->fn(&b, n, ins, outs)) {
            take_label(&b, n, outs[0], first_new);
        } else {
            struct value v = build_copy(&b, n, ins, n->label);
            for (uint32_t j = 0; j < n->nouts; j++)
                outs[j] = (struct value){v.node, v.out + j};
            if (r->fold)
                take_label(&b, n, v, first_new);
        }
        if (b.failed)
            return false;
    }
    b.out.nresults = src->nresults;
    for (uint32_t i = 0; i < src->nresults; i++)
        b.out.results[i] = map[first[src->results[i].node] + src->results[i].out];
    if (r->results)
        r->results(&b, func);
    if (b.failed || !build_sweep(&b))
        return false;
    *out = b.out;
    return true;
}

/* With labels, which a pass may change alone. */
static bool funcs_equal(const struct func *x, const struct func *y)
{
    if (!func_alike(x, y))
        return false;
    for (node_id i = 0; i < x->nnodes; i++)
        if (x->nodes[i].label != y->nodes[i].label)
            return false;
    return true;
}

/* ---- the graph ---- */

/* Drops literals that no node names. */
static bool sweep_literals(struct graph *g, struct arena *scratch)
{
    uint32_t *to = ARENA_ARRAY(scratch, uint32_t, g->nliterals);
    if (!to)
        return false;
    for (uint32_t f = 0; f < g->nfuncs; f++)
        for (node_id i = 0; i < g->funcs[f].nnodes; i++)
            if (g->funcs[f].nodes[i].op == OP_LITERAL)
                to[attr_int(&g->funcs[f].nodes[i], ATTR_literal, 0)] = 1;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->nliterals; i++)
        kept += to[i];
    if (kept == g->nliterals)
        return true;
    struct literal *literals = ARENA_ARRAY(g->arena, struct literal, kept);
    if (!literals)
        return false;
    kept = 0;
    for (uint32_t i = 0; i < g->nliterals; i++) {
        if (!to[i])
            continue;
        literals[kept] = g->literals[i];
        to[i] = kept++;
    }
    g->literals = literals;
    g->nliterals = kept;
    for (uint32_t f = 0; f < g->nfuncs; f++) {
        for (node_id i = 0; i < g->funcs[f].nnodes; i++) {
            struct node *n = &g->funcs[f].nodes[i];
            if (n->op != OP_LITERAL)
                continue;
            int64_t old = attr_int(n, ATTR_literal, 0);
            n->attrs = ARENA_ARRAY(g->arena, struct attr, 1);
            if (!n->attrs)
                return false;
            n->nattrs = 1;
            attr_set_int(&n->attrs[0], ATTR_literal, to[old]);
        }
    }
    return true;
}

/* Functions in the order in which they are first named, from the entry on: so a region follows
   its owner. */
static bool run(struct rebuild *r, bool *out_changed)
{
    struct graph *g = r->g;
    uint32_t before = g->nfuncs, nqueue = 0, cap_queue = 0, ndone = 0, cap_done = 0;
    uint32_t *queue = NULL;
    struct func *done = NULL;
    bool changed = false;
    if (!arena_grow(&r->scratch, &queue, 0, &cap_queue, sizeof *queue))
        return false;
    queue[nqueue++] = g->entry;
    for (; ndone < nqueue; ndone++) {
        if (!arena_grow(g->arena, &done, ndone, &cap_done, sizeof *done))
            return false;
        const struct func old = g->funcs[queue[ndone]];
        if (!rebuild_func(r, queue[ndone], &done[ndone]))
            return false;
        changed |= !funcs_equal(&old, &done[ndone]);
        for (node_id i = 0; i < done[ndone].nnodes; i++) {
            const struct node *n = &done[ndone].nodes[i];
            for (uint32_t j = 0; j < n->nregions; j++) {
                if (!arena_grow(&r->scratch, &queue, nqueue, &cap_queue, sizeof *queue))
                    return false;
                queue[nqueue] = n->regions[j];
                n->regions[j] = nqueue++;
            }
        }
    }
    g->funcs = done;
    g->nfuncs = ndone;
    g->cap_funcs = cap_done;
    g->entry = 0;
    g->instances = (struct instances){0}; /* of the functions as they were */
    *out_changed = changed || ndone != before;
    return sweep_literals(g, &r->scratch);
}

bool rebuild_run(struct rebuild *r, bool *out_changed)
{
    arena_scratch(&r->scratch, r->g->arena);
    arena_scratch(&r->folding, r->g->arena);
    bool ok = run(r, out_changed);
    arena_finish(&r->scratch);
    arena_finish(&r->folding);
    if (!ok && r->d->code == DIAG_OK)
        FAIL(r->d, MEMORY, "out of memory while rewriting the graph");
    return ok;
}
