#include "codegen/identity.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

struct writer {
    struct unit *u;
    struct arena *arena;
    struct kernel_identity *id;
    bool lengths, failed;
};

static void put(struct writer *w, uint64_t word)
{
    struct kernel_identity *id = w->id;
    if (!arena_grow(w->arena, &id->words, id->n, &id->cap, sizeof *id->words)) {
        w->failed = true;
        return;
    }
    id->words[id->n++] = word;
}

static void put_text(struct writer *w, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    put(w, n);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, n - i < 8 ? n - i : 8);
        put(w, word);
    }
}

static void put_tensor(struct writer *w, const struct tensor *t)
{
    put(w, (uint64_t)t->type << 32 | t->shape.rank);
    for (uint32_t i = 0; i < t->shape.rank; i++)
        put(w, (uint64_t)t->shape.dim[i]);
}

static void put_attrs(struct writer *w, const struct node *n)
{
    for (uint32_t i = 0; i < n->nattrs; i++) {
        const struct attr *a = &n->attrs[i];
        put(w, (uint64_t)a->key << 32 | (uint64_t)a->kind << 24 | a->count);
        put(w, (uint64_t)a->i);
        put(w, a->bits[0]);
        put(w, a->bits[1]);
        for (uint32_t j = 0; j < a->count; j++)
            put(w, (uint64_t)a->list[j]);
        put_text(w, a->text);
    }
}

/* What a node is, but for its inputs. */
static void put_node(struct writer *w, const struct node *n)
{
    put(w, (uint64_t)n->op << 32 | n->nins << 16 | n->nouts);
    for (uint32_t o = 0; o < n->nouts; o++)
        put_tensor(w, &n->outs[o]);
    put_attrs(w, n);
}

/* A function that a fold combines elements with. */
static void put_region(struct writer *w, const struct func *f)
{
    put(w, f->nnodes);
    for (node_id i = 0; i < f->nnodes && !w->failed; i++) {
        const struct node *n = func_node(f, i);
        put_node(w, n);
        for (uint32_t j = 0; j < n->nins; j++)
            put(w, (uint64_t)n->ins[j].node << 32 | n->ins[j].out);
        for (uint32_t r = 0; r < n->nregions; r++)
            put_region(w, &w->u->graph->funcs[n->regions[r]]);
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        put(w, (uint64_t)f->results[i].node << 32 | f->results[i].out);
}

static uint32_t digits(uint32_t label)
{
    uint32_t n = 1;
    while (label /= 10)
        n++;
    return n;
}

static void put_member(struct writer *w, node_id id)
{
    const struct func *f = unit_func(w->u);
    const struct node *n = func_node(f, id);
    bool computed = members_has(w->u, id);
    put(w, computed);
    if (w->lengths)
        put(w, (uint64_t)digits(n->label) << 32 | (n->loc ? strlen(n->loc) + 1 : 0));
    if (!computed)
        return; /* what is loaded is described where it is read */
    put_node(w, n);
    for (uint32_t i = 0; i < n->nins; i++) {
        struct value v = n->ins[i], base = unit_base(w->u, v);
        bool load = !members_has(w->u, v.node);
        put(w,
            (uint64_t)w->id->rank[load ? base.node : v.node] << 32 | (uint64_t)v.out << 1 | load);
        if (load) {
            put_tensor(w, func_tensor(f, v));
            put_tensor(w, func_tensor(f, base));
        }
    }
    for (uint32_t r = 0; r < n->nregions; r++)
        put_region(w, &w->u->graph->funcs[n->regions[r]]);
}

/* The nodes in order, each once, and their ranks. */
static bool number(struct writer *w, const struct members *m)
{
    struct kernel_identity *id = w->id;
    id->nnodes = 0;
    for (uint32_t i = 0; i < m->nnodes + m->nloads; i++) {
        if (!arena_grow(w->arena, &id->nodes, id->nnodes, &id->cap_nodes, sizeof *id->nodes))
            return false;
        id->nodes[id->nnodes++] = i < m->nnodes ? m->nodes[i] : m->loads[i - m->nnodes].node;
    }
    if (!id->rank)
        id->rank = ARENA_ARRAY(w->arena, uint32_t, unit_func(w->u)->nnodes + 1);
    if (!id->rank)
        return false;
    if (id->nnodes)
        qsort(id->nodes, id->nnodes, sizeof *id->nodes, num_compare_u32);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < id->nnodes; i++)
        if (kept == 0 || id->nodes[kept - 1] != id->nodes[i]) {
            id->rank[id->nodes[i]] = kept;
            id->nodes[kept++] = id->nodes[i];
        }
    id->nnodes = kept;
    return true;
}

bool identity_of(struct unit *u, struct arena *a, const struct kernel *k, struct members *m,
                 bool lengths, struct kernel_identity *id)
{
    struct writer w = {.u = u, .arena = a, .id = id, .lengths = lengths};
    id->n = 0;
    if (!number(&w, m))
        return false;
    put(&w, (uint64_t)k->family << 32 | u->workgroup);
    put(&w, (uint64_t)u->fast_math << 1 | u->no_fusion);
    for (uint32_t i = 0; i < SPACE_WORDS; i++)
        put(&w, (uint64_t)k->space.words[i]);
    put(&w, (uint64_t)k->nroots << 32 | k->nheroes);
    for (uint32_t i = 0; i < k->nroots; i++)
        put(&w, (uint64_t)id->rank[k->roots[i].node] << 32 | k->roots[i].out);
    for (uint32_t i = 0; i < k->nheroes; i++)
        put(&w, id->rank[k->heroes[i]]);
    for (uint32_t i = 0; i < id->nnodes && !w.failed; i++)
        put_member(&w, id->nodes[i]);
    return !w.failed;
}

void identity_hash(const struct kernel_identity *id, uint64_t out[2])
{
    uint64_t a = 0x9e3779b97f4a7c15u, b = 0xc2b2ae3d27d4eb4fu;
    for (uint32_t i = 0; i < id->n; i++) {
        a = (a ^ id->words[i]) * 0xff51afd7ed558ccdu;
        a ^= a >> 32;
        b = (b + id->words[i]) * 0xc4ceb9fe1a85ec53u;
        b ^= b >> 29;
    }
    out[0] = a;
    out[1] = b ^ id->n;
}
