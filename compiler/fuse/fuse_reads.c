/* Which kernel computes and which reads a value: the kernels of a function as a graph. */
#include "base/num.h"
#include "base/cancel.h"
#include "codegen/family/family.h"
#include "codegen/family/generate.h"
#include "fuse/fuse.h"

#include <stdlib.h>

bool fuse_is_control(const struct node *n)
{
    return op_class(n->op) == CLASS_CONTROL || op_class(n->op) == CLASS_EFFECT;
}

bool fuse_is_trivial(const struct node *n)
{
    return op_class(n->op) == CLASS_SOURCE || op_class(n->op) == CLASS_MOVEMENT;
}

/* ---- kernels and what they read ---- */

struct kernel *fuse_new_kernel(struct unit *u)
{
    if (!arena_grow(u->arena, &u->kernels, u->nkernels, &u->cap_kernels, sizeof *u->kernels))
        return NULL;
    struct kernel *k = &u->kernels[u->nkernels];
    *k = (struct kernel){.id = u->nkernels, .same_as = NO_INDEX};
    u->nkernels++;
    return k;
}

bool fuse_loads(const struct kernel *k, struct value v)
{
    for (uint32_t i = 0; i < k->nreads; i++)
        if (k->reads[i].node == v.node && k->reads[i].out == v.out)
            return true;
    return false;
}

bool fuse_reads(struct fusion *x, struct kernel *k)
{
    struct unit *u = x->u;
    struct members *m = &x->members;
    if (!members_of(u, u->arena, k, m))
        return FAIL(x->d, MEMORY, "out of memory");
    x->rereads++;
    for (uint32_t i = 0; i < k->nreads; i++)
        x->was_read[unit_slot(u, k->reads[i])] = x->rereads;
    for (uint32_t i = 0; i < m->nloads; i++) {
        struct reader **list = &x->readers[unit_slot(u, m->loads[i])];
        if (x->was_read[unit_slot(u, m->loads[i])] == x->rereads)
            continue; /* it is in the list since then */
        struct reader *r = ARENA_NEW(u->arena, struct reader);
        if (!r)
            return FAIL(x->d, MEMORY, "out of memory");
        *r = (struct reader){*list, k->id};
        *list = r;
        x->nreaders[unit_slot(u, m->loads[i])]++;
    }
    k->nreads = 0;
    for (uint32_t i = 0; i < m->nloads; i++) {
        if (!arena_grow(u->arena, &k->reads, k->nreads, &k->cap_reads, sizeof *k->reads))
            return FAIL(x->d, MEMORY, "out of memory");
        k->reads[k->nreads++] = m->loads[i];
    }
    return true;
}

bool fuse_is_reader(const struct fusion *x, const struct reader *r, struct value v)
{
    const struct kernel *k = &x->u->kernels[r->kernel];
    return !k->dead && fuse_loads(k, v);
}

bool fuse_is_read(const struct fusion *x, uint32_t kernel, struct value v)
{
    for (const struct reader *r = x->readers[unit_slot(x->u, v)]; r; r = r->next)
        if (r->kernel != kernel && fuse_is_reader(x, r, v))
            return true;
    return false;
}

/* ---- which kernel computes a value ---- */

bool fuse_find_users(struct fusion *x)
{
    const struct func *f = unit_func(x->u);
    uint32_t total = 0;
    if (x->first_user)
        return true;
    for (node_id i = 0; i < f->nnodes; i++)
        total += f->nodes[i].nins;
    x->first_user = ARENA_ARRAY(x->u->arena, uint32_t, f->nnodes + 2);
    x->users = ARENA_ARRAY(x->u->arena, node_id, total + 1);
    x->met = ARENA_ARRAY(x->u->arena, uint32_t, f->nnodes + 1);
    x->climb = ARENA_ARRAY(x->u->arena, node_id, f->nnodes + 1);
    if (!x->first_user || !x->users || !x->met || !x->climb)
        return false;
    /* counted two places further, so that filling leaves the beginnings */
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins; j++)
            x->first_user[f->nodes[i].ins[j].node + 2]++;
    for (node_id i = 1; i <= f->nnodes + 1; i++)
        x->first_user[i] += x->first_user[i - 1];
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins; j++)
            x->users[x->first_user[f->nodes[i].ins[j].node + 1]++] = i;
    return true;
}

uint32_t fuse_computing(struct fusion *x, struct value v)
{
    struct unit *u = x->u;
    uint32_t top = 0, n = 0;
    if (!fuse_find_users(x)) {
        FAIL(x->d, MEMORY, "out of memory");
        return 0;
    }
    x->epoch++;
    x->climb[top++] = v.node;
    x->met[v.node] = x->epoch;
    while (top) {
        node_id id = x->climb[--top];
        uint32_t k = u->kernel_of[u->first_slot[id]];
        if (k != NO_INDEX && id != v.node) { /* whoever else needs it loads it */
            if (x->mark[k] != x->epoch && !u->kernels[k].dead)
                x->list[n++] = k;
            x->mark[k] = x->epoch;
            continue;
        }
        for (uint32_t i = x->first_user[id]; i < x->first_user[id + 1]; i++) {
            node_id user = x->users[i];
            if (x->met[user] != x->epoch && !u->external[u->first_slot[user]])
                x->climb[top++] = user;
            x->met[user] = x->epoch;
        }
    }
    qsort(x->list, n, sizeof *x->list, num_compare_u32);
    return n;
}

bool fuse_store_alone(struct fusion *x, struct value v, uint32_t *out_first)
{
    struct unit *u = x->u;
    uint32_t computing = fuse_computing(x, v),
             *list = arena_copy(u->arena, x->list, computing * sizeof *list);
    if (x->d->code != DIAG_OK || !list)
        return FAIL(x->d, MEMORY, "out of memory");
    u->stored[unit_slot(u, v)] = true;
    struct kernel *n = fuse_new_kernel(u);
    if (!n || !unit_add_value(u->arena, &n->roots, &n->nroots, &n->cap_roots, v))
        return FAIL(x->d, MEMORY, "out of memory");
    u->kernel_of[unit_slot(u, v)] = n->id;
    x->order[n->id] = v.node + 1; /* as for the first kernels, before any are merged */
    family_start(u, n, v);
    *out_first = n->id;
    for (uint32_t i = 0; i < computing; i++) { /* what computes it loads it now */
        x->fits[list[i]] = false;
        *out_first = list[i] < *out_first ? list[i] : *out_first;
        if (!fuse_reads(x, &u->kernels[list[i]]))
            return false;
    }
    return fuse_reads(x, n);
}

bool fuse_reads_from(const struct unit *u, const struct kernel *k, uint32_t producer)
{
    for (uint32_t i = 0; i < k->nreads; i++)
        if (u->kernel_of[unit_slot(u, k->reads[i])] == producer)
            return true;
    return false;
}

/* ---- asking the code generator ---- */

/* A kernel has at most this many nodes, however well they fit: a shader of thousands of statements
   takes a driver seconds to compile and spills registers. */
enum { MOST_NODES = 1500 };

bool fuse_fits(struct fusion *x, const struct kernel *k, const char **why)
{
    uint64_t flops;
    return fuse_measure(x, k, why, &flops);
}

static struct answer *answer_of(const struct answer *answers, uint32_t cap, const uint64_t key[2])
{
    uint32_t i = (uint32_t)key[0] & (cap - 1);
    while ((answers[i].key[0] || answers[i].key[1]) &&
           (answers[i].key[0] != key[0] || answers[i].key[1] != key[1]))
        i = (i + 1) & (cap - 1);
    return (struct answer *)&answers[i];
}

static bool keep_answer(struct fusion *x, const struct answer *one)
{
    if (2 * x->nanswers >= x->cap_answers) {
        uint32_t cap = x->cap_answers ? 2 * x->cap_answers : 64;
        struct answer *larger = ARENA_ARRAY(x->u->arena, struct answer, cap);
        for (uint32_t i = 0; larger && i < x->cap_answers; i++)
            if (x->answers[i].key[0] || x->answers[i].key[1])
                *answer_of(larger, cap, x->answers[i].key) = x->answers[i];
        if (!larger)
            return FAIL(x->d, MEMORY, "out of memory");
        x->answers = larger;
        x->cap_answers = cap;
    }
    struct answer *at = answer_of(x->answers, x->cap_answers, one->key);
    x->nanswers += !at->key[0] && !at->key[1];
    *at = *one;
    return true;
}

/* Asks the code generator. */
static bool ask(struct fusion *x, const struct kernel *k, const char **why, uint64_t *out_flops)
{
    struct unit *u = x->u;
    struct arena scratch, *kept = u->arena;
    struct kernel trial = *k;
    const char *reason = NULL;
    arena_scratch(&scratch, kept);
    u->arena = &scratch;
    bool ok = kernel_fits(u, &trial, &reason, x->d);
    u->arena = kept;
    *out_flops = trial.flops;
    if (!ok && reason && why)
        *why = arena_strdup(kept, reason);
    arena_finish(&scratch);
    return kept->failed ? FAIL(x->d, MEMORY, "out of memory") : ok;
}

bool fuse_measure(struct fusion *x, const struct kernel *k, const char **why, uint64_t *out_flops)
{
    struct unit *u = x->u;
    struct answer answer = {0};
    bool is_plain = u->patience == 1; /* other questions are about what is written on the way */
    if (!cancel_check(u->arena->cancel, x->d))
        return false;
    if (!members_of(u, u->arena, k, &x->members))
        return FAIL(x->d, MEMORY, "out of memory");
    if (x->members.nnodes > MOST_NODES) {
        if (why)
            *why = "together they have too many nodes";
        return false;
    }
    if (is_plain) {
        if (!identity_of(u, u->arena, k, &x->members, true, &x->identity))
            return FAIL(x->d, MEMORY, "out of memory");
        identity_hash(&x->identity, answer.key);
        const struct answer *known =
            x->cap_answers ? answer_of(x->answers, x->cap_answers, answer.key) : NULL;
        if (known && (known->key[0] || known->key[1]) && (known->fits || !why)) {
            *out_flops = known->flops;
            u->again = known->again;
            return known->fits;
        }
    }
    answer.fits = ask(x, k, why, out_flops);
    answer.flops = *out_flops;
    answer.again = u->again;
    if (x->d->code == DIAG_OK && is_plain && !keep_answer(x, &answer))
        return false;
    return answer.fits;
}

const struct estimate *fuse_estimate(struct fusion *x, uint32_t k)
{
    const struct kernel *kernel = &x->u->kernels[k];
    struct estimate *e = &x->estimates[k];
    uint64_t additions = 0;
    if (e->version == x->version[k] + 1)
        return e;
    *e = (struct estimate){.version = x->version[k] + 1};
    e->fits = fuse_measure(x, kernel, NULL, &additions);
    e->again = x->u->again;
    e->cost = cost_of(x->u, kernel, x->members.loads, x->members.nloads, additions);
    return x->d->code == DIAG_OK ? e : NULL;
}
