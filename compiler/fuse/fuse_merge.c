/* Joining kernels: stages 3 and 5 of fuse.c. */
#include "codegen/family/family.h"
#include "fuse/fuse.h"
#include "target/limits.h"

/* Kernels that do not go together with one, after which no more are tried. */
enum { MOST_REFUSED = 64 };

static bool share_read(const struct unit *u, const struct kernel *a, const struct kernel *b)
{
    for (uint32_t i = 0; i < a->nreads; i++)
        for (uint32_t j = 0; j < b->nreads; j++)
            if (a->reads[i].node == b->reads[j].node && a->reads[i].out == b->reads[j].out &&
                unit_size(u, a->reads[i]) > 1)
                return true;
    return false;
}

/* The space that both can run over; false with a reason if there is none. */
static bool joint_space(const struct unit *u, const struct kernel *a, const struct kernel *b,
                        struct kernel *out, const char **why)
{
    bool a_leads = !family_of(a)->is_elementwise || family_of(b)->is_elementwise;
    const struct kernel *k = a_leads ? a : b, *other = a_leads ? b : a;
    *why = "their iteration spaces differ";
    return family_of(k)->join && family_of(k)->join(u, k, other, out);
}

static bool join_lists(struct unit *u, const struct kernel *a, const struct kernel *b,
                       struct kernel *out)
{
    for (int side = 0; side < 2; side++) {
        const struct kernel *k = side ? b : a;
        for (uint32_t i = 0; i < k->nroots; i++)
            if (!unit_add_value(u->arena, &out->roots, &out->nroots, &out->cap_roots, k->roots[i]))
                return false;
        for (uint32_t i = 0; i < k->nheroes; i++) {
            if (!arena_grow(u->arena, &out->heroes, out->nheroes, &out->cap_heroes,
                            sizeof *out->heroes))
                return false;
            out->heroes[out->nheroes++] = k->heroes[i];
        }
    }
    return true;
}

/* Whether `k` computes an operand of the product in tiles `of`, whose loop would do so again and
   again. */
static bool computes_operand(const struct unit *u, const struct kernel *of, const struct kernel *k)
{
    const struct func *f = unit_func(u);
    struct value stack[64];
    uint32_t top = 0;
    for (uint32_t i = 0; family_of(of)->has_tiles && i < of->nheroes; i++) {
        const struct node *hero = func_node(f, of->heroes[i]);
        for (uint32_t j = 0; j < hero->nins; j++)
            stack[top++] = hero->ins[j];
        while (top) {
            struct value v = unit_base(u, stack[--top]);
            const struct node *n = func_node(f, v.node);
            if (u->external[unit_slot(u, v)])
                continue;
            if (u->kernel_of[unit_slot(u, v)] == k->id)
                return true;
            for (uint32_t j = 0; !u->stored[unit_slot(u, v)] && j < n->nins && top < 64; j++)
                stack[top++] = n->ins[j];
        }
    }
    return false;
}

/* Whether the two stay apart because one computes an operand of the other's product. */
static bool operand_apart(const struct unit *u, const struct kernel *a, const struct kernel *b)
{
    if (!u->tuning->operands_apart || u->workgroup)
        return false;
    return computes_operand(u, a, b) || computes_operand(u, b, a);
}

static void assign(struct unit *u, const struct kernel *k, uint32_t id)
{
    for (uint32_t i = 0; i < k->nroots; i++)
        u->kernel_of[unit_slot(u, k->roots[i])] = id;
    for (uint32_t i = 0; i < k->nheroes; i++)
        u->kernel_of[unit_slot(u, (struct value){k->heroes[i], 0})] = id;
}

static bool needed_outside(const struct fusion *x, uint32_t kernel, struct value v)
{
    const struct unit *u = x->u;
    if (x->is_result[unit_slot(u, v)])
        return true;
    return fuse_is_read(x, kernel, v);
}

/* Refusals are remembered by a hash of the pair; forgetting one costs only time. */
static struct refusal *refusal_of(struct fusion *x, uint32_t a, uint32_t b)
{
    return &x->refused[(a * 2654435761u ^ b * 40503u) & (x->nrefused - 1)];
}

static bool is_refused(const struct fusion *x, const struct refusal *r, uint32_t a, uint32_t b)
{
    return r->a == a + 1 && r->b == b + 1 && r->version_a == x->version[a] &&
           r->version_b == x->version[b];
}

/* A pair of kernels, and what is known of the two as they are. */
struct pair {
    uint32_t a, b;
    bool repeated;  /* a value of theirs is stored lest it be computed again and again */
    bool asked;     /* --explain asks for what becomes of them */
    uint32_t again; /* lines at further indices */
    struct decision told;
};

/* What the two take as they are. */
static bool measure_apart(struct fusion *x, struct pair *p, const char **why)
{
    for (int i = 0; i < 2; i++) {
        const struct estimate *e = fuse_estimate(x, i ? p->b : p->a);
        if (e && !e->fits)
            *why = "one of them does not fit by itself";
        if (!e || !e->fits)
            return false;
        p->again += e->again;
        cost_add(&e->cost, &p->told.before);
    }
    return true;
}

/* Whether a value of the kernel is stored lest it be computed again and again. */
static bool has_repeated(const struct fusion *x, const struct kernel *k)
{
    bool any = false;
    for (uint32_t i = 0; i < k->nroots; i++)
        any |= x->is_repeated[unit_slot(x->u, k->roots[i])];
    return any;
}

/* Two kernels put into one, for the time being. */
struct join {
    uint32_t a, b;
    struct kernel old;   /* a, as it was */
    struct value *roots; /* of both */
    uint32_t nroots;
};

/* Joins b into a. Roots that no other kernel needs are no longer stored. */
static bool join(struct fusion *x, struct kernel *joint, struct join *j)
{
    struct unit *u = x->u;
    uint32_t kept = 0;
    if (!join_lists(u, &u->kernels[j->a], &u->kernels[j->b], joint))
        return FAIL(x->d, MEMORY, "out of memory");
    assign(u, joint, j->a);
    j->old = u->kernels[j->a];
    joint->reads = j->old.reads; /* as long as it stays: the lists of readers have it */
    joint->nreads = j->old.nreads;
    joint->cap_reads = j->old.cap_reads;
    u->kernels[j->a] = *joint;
    u->kernels[j->b].dead = true;
    j->nroots = joint->nroots;
    j->roots = arena_copy(u->arena, joint->roots, joint->nroots * sizeof *joint->roots);
    if (!j->roots)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < j->nroots; i++) {
        bool needed = needed_outside(x, j->a, j->roots[i]);
        u->stored[unit_slot(u, j->roots[i])] = needed;
        if (needed)
            u->kernels[j->a].roots[kept++] = j->roots[i];
        else if (!node_is_hero(func_node(unit_func(u), j->roots[i].node)))
            u->kernel_of[unit_slot(u, j->roots[i])] = NO_INDEX;
    }
    u->kernels[j->a].nroots = kept;
    return true;
}

static void part(struct fusion *x, const struct join *j)
{
    struct unit *u = x->u;
    for (uint32_t i = 0; i < j->nroots; i++)
        u->stored[unit_slot(u, j->roots[i])] = true;
    u->kernels[j->a] = j->old;
    u->kernels[j->b].dead = false;
    assign(u, &u->kernels[j->a], j->a);
    assign(u, &u->kernels[j->b], j->b);
}

/* What becomes of a pair: the first reason why a kernel stays apart is kept. */
static bool stay_apart(struct fusion *x, struct pair *p, const char *why)
{
    struct unit *u = x->u;
    uint32_t label = func_node(unit_func(u), u->kernels[p->b].roots[0].node)->label;
    if (!u->kernels[p->a].why)
        u->kernels[p->a].why =
            u->reasons ? arena_printf(u->arena, "apart from n%u: %s", label, why) : "";
    p->told.why = why;
    if (p->asked)
        fuse_tell(x, &p->told); /* x->d has it if that fails */
    return false;
}

/* What speaks against the two as one kernel, which has been asked about last; or NULL. */
static const char *against(const struct fusion *x, const struct pair *p)
{
    if (p->repeated && x->u->again > p->again)
        return "one would compute values of the other again, at many indices";
    return cost_pays(&p->told.before, &p->told.after) ? NULL : "one kernel would take longer";
}

/* b is part of a from now on. */
static bool settle(struct fusion *x, struct pair *p)
{
    struct unit *u = x->u;
    uint32_t a = p->a, b = p->b;
    x->version[a]++;
    if (!fuse_reads(x, &u->kernels[a]))
        return false;
    x->order[a] = x->order[b] > x->order[a] ? x->order[b] : x->order[a];
    x->level[a] = x->level[b] > x->level[a] ? x->level[b] : x->level[a];
    fuse_raise(x, a);
    p->told.done = true;
    return !p->asked || fuse_tell(x, &p->told);
}

/* Tries to put b into a. False also when they do not fit; d tells errors apart. */
static bool try_merge(struct fusion *x, uint32_t a, uint32_t b)
{
    struct unit *u = x->u;
    struct kernel *ka = &u->kernels[a], *kb = &u->kernels[b];
    struct kernel joint = {.id = a, .same_as = NO_INDEX};
    struct join j = {.a = a, .b = b};
    struct pair p = {
        .a = a, .b = b, .told = {.node = ka->roots[0].node, .other = kb->roots[0].node}};
    const char *why = NULL, *worse = NULL;
    uint64_t together;
    struct refusal *known = refusal_of(x, a, b);
    if (is_refused(x, known, a, b))
        return false;
    p.asked = fuse_is_asked(x, ka) || fuse_is_asked(x, kb);
    /* what is quickly asked again, and may change with other kernels, is not remembered */
    if (!joint_space(u, ka, kb, &joint, &why))
        return stay_apart(x, &p, why);
    if (operand_apart(u, ka, kb))
        return stay_apart(x, &p, "one computes an operand of the other's product");
    if (fuse_between(x, a, b) || fuse_between(x, b, a))
        return stay_apart(x, &p, "a kernel between them would have to run both before and after");
    if (fuse_keeps_alive(x, a, b))
        return stay_apart(x, &p,
                          "one kernel would keep much alive for long that one of them reads");
    p.repeated = has_repeated(x, ka) || has_repeated(x, kb);
    if (!measure_apart(x, &p, &why))
        return x->d->code == DIAG_OK && stay_apart(x, &p, why);
    if (!join(x, &joint, &j))
        return false;
    bool tells = u->reasons && (!j.old.why || p.asked);
    bool fits = fuse_measure(x, ka, tells ? &why : NULL, &together);
    if (fits)
        p.told.after = cost_of(u, ka, x->members.loads, x->members.nloads, together);
    if (fits && (worse = against(x, &p)) == NULL)
        return settle(x, &p);
    if (x->d->code != DIAG_OK)
        return false;
    part(x, &j);
    *known = (struct refusal){a + 1, b + 1, x->version[a], x->version[b]};
    return stay_apart(x, &p, worse ? worse : why);
}

/* A kernel of one element. It is not joined with a larger kernel of its family that reads it or
   that it reads: the larger one would have to wait for the scalar's operands. */
static bool scalar_only(const struct kernel *k)
{
    return family_of(k)->is_elementwise && family_places(k) == 1;
}

bool fuse_merge_readers(struct fusion *x)
{
    struct unit *u = x->u;
    if (!fuse_find_levels(x))
        return false;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < u->nkernels; b++)
            for (uint32_t i = 0; i < u->kernels[b].nreads && !u->kernels[b].dead; i++) {
                uint32_t a = u->kernel_of[unit_slot(u, u->kernels[b].reads[i])];
                if (a == NO_INDEX || a == b || u->kernels[a].dead)
                    continue;
                if (scalar_only(&u->kernels[a]) != scalar_only(&u->kernels[b]) &&
                    u->kernels[a].family == u->kernels[b].family)
                    continue;
                if (try_merge(x, a, b))
                    again = true;
                else if (x->d->code != DIAG_OK)
                    return false;
            }
    }
    return true;
}

/* Kernels of a space in a chain, by their numbers: next[k] is the one after k. */
static uint32_t *chain_spaces(struct fusion *x)
{
    const struct unit *u = x->u;
    uint32_t buckets = 16;
    while (buckets < 2 * u->nkernels)
        buckets *= 2;
    uint32_t *next = ARENA_ARRAY(u->arena, uint32_t, u->nkernels + 1);
    uint32_t *last = ARENA_ARRAY(u->arena, uint32_t, buckets); /* of a chain, plus 1 */
    for (uint32_t k = 0; next && last && k < u->nkernels; k++) {
        const struct kernel *kk = &u->kernels[k];
        uint64_t key = (uint64_t)family_places(kk) * 31 + (uint64_t)family_length(kk);
        uint32_t at = (uint32_t)((key * 8 + (uint64_t)kk->family) * 0x9e3779b97f4a7c15u >> 40) &
                      (buckets - 1);
        while (last[at] && !family_same_space(&u->kernels[last[at] - 1], kk))
            at = (at + 1) & (buckets - 1);
        if (last[at])
            next[last[at] - 1] = k;
        next[k] = NO_INDEX;
        last[at] = k + 1;
    }
    return last ? next : NULL;
}

/* The next live kernel of a space. */
static uint32_t next_in_space(const struct unit *u, uint32_t *next, uint32_t k)
{
    while (next[k] != NO_INDEX && u->kernels[next[k]].dead)
        next[k] = next[next[k]];
    return next[k];
}

/* The next kernel after `after` of the same space that is listed as a reader of what `a` reads. */
static uint32_t next_reader(const struct fusion *x, const struct kernel *a, uint32_t after)
{
    const struct unit *u = x->u;
    uint32_t best = NO_INDEX;
    for (uint32_t i = 0; i < a->nreads; i++) {
        if (unit_size(u, a->reads[i]) == 1)
            continue;
        for (const struct reader *r = x->readers[unit_slot(u, a->reads[i])]; r; r = r->next)
            if (r->kernel > after && r->kernel < best && !u->kernels[r->kernel].dead &&
                family_same_space(a, &u->kernels[r->kernel]) &&
                fuse_loads(&u->kernels[r->kernel], a->reads[i]))
                best = r->kernel;
    }
    return best;
}

/* Kernels of a space that are tried before lists of readers are used, and the longest such
   lists. */
enum { FEW_STEPS = 16, MOST_READERS = 4096 };

/* The next kernel after `after` that may join a: over the same space, with an operand in common, or
   so small that it costs little but its dispatch. */
static uint32_t next_sibling(const struct fusion *x, uint32_t *next, uint32_t a, uint32_t after)
{
    const struct unit *u = x->u;
    const struct kernel *ka = &u->kernels[a];
    bool any = scalar_only(ka) || cost_is_little(ka); /* even if they read nothing in common */
    uint32_t readers = 0;
    for (uint32_t i = 0; i < ka->nreads; i++)
        readers += unit_size(u, ka->reads[i]) > 1 ? x->nreaders[unit_slot(u, ka->reads[i])] : 0;
    for (uint32_t steps = 0; any || readers > MOST_READERS || steps < FEW_STEPS; steps++) {
        after = next_in_space(u, next, after);
        if (after == NO_INDEX || any || share_read(u, ka, &u->kernels[after]))
            return after;
    }
    return next_reader(x, ka, after);
}

/* How many buffers the two would have, if each read what it reads now. */
static uint32_t buffers_together(const struct kernel *a, const struct kernel *b)
{
    uint32_t n = a->nreads + a->nroots + b->nroots;
    for (uint32_t i = 0; i < b->nreads; i++)
        n += !fuse_loads(a, b->reads[i]);
    return n;
}

bool fuse_merge_siblings(struct fusion *x)
{
    struct unit *u = x->u;
    uint32_t *next = chain_spaces(x);
    if (!next)
        return FAIL(x->d, MEMORY, "out of memory");
    if (!fuse_find_levels(x))
        return false;
    for (uint32_t a = 0; a < u->nkernels; a++) {
        uint32_t refused = 0; /* one after the other */
        if (u->kernels[a].dead)
            continue;
        for (uint32_t b = next_sibling(x, next, a, a); b != NO_INDEX && refused < MOST_REFUSED;
             b = next_sibling(x, next, a, b)) {
            const struct kernel *ka = &u->kernels[a], *kb = &u->kernels[b];
            if (fuse_reads_from(u, ka, b) || fuse_reads_from(u, kb, a))
                continue;
            if (ka->why && buffers_together(ka, kb) > kernel_bindings(u->target->max_bindings)) {
                refused++; /* as its code would say */
                continue;
            }
            bool ok = try_merge(x, a, b);
            if (!ok && x->d->code != DIAG_OK)
                return false;
            refused = ok ? 0 : refused + 1;
        }
    }
    return true;
}

/* Scalars join some kernel that they neither wait for nor hold up. */
bool fuse_merge_scalars(struct fusion *x)
{
    struct unit *u = x->u;
    if (!fuse_find_levels(x))
        return false;
    for (uint32_t s = 0; s < u->nkernels; s++) {
        if (u->kernels[s].dead || !scalar_only(&u->kernels[s]))
            continue;
        for (uint32_t k = 0; k < u->nkernels; k++) {
            if (k == s || u->kernels[k].dead)
                continue;
            if (try_merge(x, k, s))
                break;
            if (x->d->code != DIAG_OK)
                return false;
        }
    }
    return true;
}
