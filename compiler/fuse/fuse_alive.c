/* How long values stay alive. A kernel runs when the last of what it reads is there; until then all
   of the rest is kept. Most kernels read what was made just before. But the rows of R that one
   panel of a QR finishes are 32 of 8192, and all of them are put together at the end: 256
   matrices would be kept for 32 rows each. Such a part is stored by a kernel of its own, and a
   kernel that reads much and stores little is not joined with one that runs much later.

   Time is counted in levels: the kernels of the longest way to one, see fuse_find_levels. */
#include "fuse/fuse.h"

enum {
    /* Bytes. What is smaller may be kept: a program of thousands of such values is rare, and a
       copy is a dispatch. */
    LARGE = 1 << 20,
    /* A part is stored, and a kernel runs by itself, if this many times as much would be kept. */
    PARTS = 8,
    /* Levels: "long". The layer of a transformer has some 10, a panel of QR with what it turns 8. */
    LONG = 16,
    /* Readers of a kernel that are looked at: where more are held up, these say it. */
    MOST_READERS = 64,
};

/* When a value is read for the last time, leaving out two kernels. NO_INDEX: at the end. */
static uint32_t last_read(const struct fusion *x, struct value v, uint32_t a, uint32_t b)
{
    const struct unit *u = x->u;
    uint32_t slot = unit_slot(u, v), maker = u->kernel_of[slot];
    uint32_t last = maker == NO_INDEX ? 0 : x->level[maker];
    if (x->is_result[slot] || maker == NO_INDEX) /* parameters and literals are there anyway */
        return NO_INDEX;
    for (const struct reader *r = x->readers[slot]; r; r = r->next)
        if (r->kernel != a && r->kernel != b && x->level[r->kernel] > last &&
            fuse_is_reader(x, r, v))
            last = x->level[r->kernel];
    return last;
}

static uint64_t bytes_of(const struct unit *u, struct value v)
{
    return storage_bytes(unit_tensor(u, v));
}

/* What a delay keeps alive, and what it stores the later for it: bytes. */
struct delay {
    uint32_t a, b;  /* the kernels to be joined */
    uint32_t until; /* the level at which they would run */
    uint64_t kept, stores;
};

/* Kernel k runs at that level only. */
static void add_delay(const struct fusion *x, uint32_t k, struct delay *d)
{
    const struct unit *u = x->u;
    const struct kernel *kk = &u->kernels[k];
    for (uint32_t i = 0; i < kk->nroots; i++)
        d->stores += bytes_of(u, kk->roots[i]);
    for (uint32_t i = 0; i < kk->nreads; i++) {
        uint64_t bytes = bytes_of(u, kk->reads[i]);
        if (bytes < LARGE || fuse_loads(&u->kernels[d->b], kk->reads[i]))
            continue;
        uint32_t last = last_read(x, kk->reads[i], k, d->a);
        if (last != NO_INDEX && d->until > last && d->until - last >= LONG)
            d->kept += bytes;
    }
}

bool fuse_keeps_alive(struct fusion *x, uint32_t a, uint32_t b)
{
    const struct unit *u = x->u;
    uint32_t first = x->level[a] < x->level[b] ? a : b, then = first == a ? b : a, looked = 0;
    const struct kernel *k = &u->kernels[first];
    struct delay d = {.a = first, .b = then, .until = x->level[then]};
    if (d.until - x->level[first] < LONG)
        return false;
    add_delay(x, first, &d);
    /* and whoever reads what it stores */
    for (uint32_t i = 0; i < k->nroots; i++)
        for (const struct reader *r = x->readers[unit_slot(u, k->roots[i])];
             r && looked < MOST_READERS; r = r->next, looked++)
            if (r->kernel != then && d.until > x->level[r->kernel] &&
                d.until - x->level[r->kernel] >= LONG && fuse_is_reader(x, r, k->roots[i]))
                add_delay(x, r->kernel, &d);
    return d.kept >= LARGE && d.kept / PARTS >= d.stores;
}

/* ---- parts ---- */

/* The small values by which a kernel reads a large one, in x->climb. */
struct parts {
    uint64_t bytes, most; /* of all, together */
    uint32_t n;
};

/* Whether the kernel that fuse_reads has seen last reads the value by small parts only. */
static bool find_parts(struct fusion *x, struct value v, struct parts *p)
{
    const struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t top = 0;
    x->epoch++;
    x->stack[top++] = v.node;
    while (top) {
        node_id id = x->stack[--top];
        for (uint32_t i = x->first_user[id]; i < x->first_user[id + 1]; i++) {
            node_id user = x->users[i];
            struct value part = {user, 0};
            if (!members_has(u, user) || x->met[user] == x->epoch)
                continue;
            x->met[user] = x->epoch;
            if (u->stored[unit_slot(u, part)])
                return false; /* what the kernel stores already */
            if (op_class(func_node(f, user)->op) != CLASS_MOVEMENT)
                return false;
            if (bytes_of(u, part) > p->most) {
                x->stack[top++] = user;
                continue;
            }
            p->bytes += bytes_of(u, part);
            x->climb[p->n++] = user;
            if (p->bytes > p->most)
                return false;
        }
    }
    return p->n > 0;
}

/* Whether kernel k alone keeps the value, long after all others. */
static bool keeps(const struct fusion *x, uint32_t k, struct value v)
{
    uint32_t last = bytes_of(x->u, v) < LARGE ? NO_INDEX : last_read(x, v, k, k);
    return last != NO_INDEX && x->level[k] > last && x->level[k] - last >= LONG;
}

static bool store_parts(struct fusion *x, uint32_t n)
{
    struct unit *u = x->u;
    node_id *list = arena_copy(u->arena, x->climb, n * sizeof *list);
    if (!list)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < n; i++) {
        struct value part = {list[i], 0};
        uint32_t first;
        u->why[unit_slot(u, part)] = "stored: what it is a part of need not be kept for it";
        if (!fuse_store_alone(x, part, &first))
            return false;
    }
    return true;
}

/* Stores the parts of the first value that kernel k alone keeps. */
static bool store_first(struct fusion *x, uint32_t k, bool *out_any)
{
    struct unit *u = x->u;
    *out_any = false;
    for (uint32_t i = 0; i < u->kernels[k].nreads && !*out_any; i++) {
        struct value v = u->kernels[k].reads[i];
        struct parts p = {.most = bytes_of(u, v) / PARTS};
        if (!keeps(x, k, v))
            continue;
        if (!fuse_reads(x, &u->kernels[k]))
            return false;
        *out_any = find_parts(x, v, &p);
        if (*out_any && !store_parts(x, p.n))
            return false;
    }
    return true;
}

bool fuse_store_parts(struct fusion *x)
{
    uint32_t n = x->u->nkernels;
    if (!fuse_find_users(x))
        return FAIL(x->d, MEMORY, "out of memory");
    if (!fuse_find_levels(x))
        return false;
    for (uint32_t k = 0; k < n; k++)
        for (bool any = !x->u->kernels[k].dead; any;)
            if (!store_first(x, k, &any))
                return false;
    return true;
}
