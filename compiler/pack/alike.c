#include "pack/alike.h"

#include "codegen/family/family.h"
#include "pack/pushed.h"
#include "runtime/bundle.h"

/* ---- which are alike ---- */

/* What is known of the kernels. Bodies are numbered: those of a kernel follow one another. */
struct alike {
    struct plan *plan;
    uint32_t *first_body; /* by kernel */
    struct code *body;    /* their modules */
    uint64_t *hash;       /* by kernel */
    uint32_t *class_of;   /* by kernel: the first of its class, or NO_INDEX */
    uint32_t *count;      /* by first: members */
    uint32_t *map;        /* see code_alike */
    uint32_t *table, cap; /* firsts, plus 1, hashed */
};

/* Whether numbers that something is divided by may vary: once for a tile they do not matter. */
static bool divisors(const struct plan *p, const struct kernel *k, const struct kernel *body)
{
    const struct tuning *t = body->alternative ? &body->alternative->tuning : &p->tuning;
    if (t->alike_divisors)
        return true;
    const struct family *f = k->family < KERNEL_GROUP ? family_of(k) : NULL;
    return f && (f->has_tiles || f->divides_once);
}

static bool make_room(struct alike *x, struct diag *d)
{
    struct plan *p = x->plan;
    uint32_t nbodies = 0;
    for (uint32_t i = 0; i < p->nkernels; i++)
        nbodies += kernel_bodies(&p->kernels[i]);
    for (x->cap = 64; x->cap < 2 * p->nkernels;)
        x->cap *= 2;
    x->first_body = ARENA_ARRAY(p->arena, uint32_t, p->nkernels);
    x->body = ARENA_ARRAY(p->arena, struct code, nbodies);
    x->hash = ARENA_ARRAY(p->arena, uint64_t, p->nkernels);
    x->class_of = ARENA_ARRAY(p->arena, uint32_t, p->nkernels);
    x->count = ARENA_ARRAY(p->arena, uint32_t, p->nkernels);
    x->table = ARENA_ARRAY(p->arena, uint32_t, x->cap);
    return (x->first_body && x->body && x->hash && x->class_of && x->count && x->table) ||
           FAIL(d, MEMORY, "out of memory");
}

static bool open_modules(struct alike *x, struct diag *d)
{
    struct plan *p = x->plan;
    uint32_t n = 0, most = 0;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        x->first_body[i] = n;
        x->class_of[i] = NO_INDEX;
        if (p->kernels[i].same_as != NO_INDEX)
            continue;
        for (const struct kernel *b = &p->kernels[i]; b; b = b->variant, n++) {
            if (!code_open(p->arena, b->spirv, b->nspirv, &x->body[n]))
                return FAIL(d, MEMORY, "out of memory");
            x->hash[i] = x->hash[i] * 0xff51afd7ed558ccdu + code_hash(&x->body[n]);
            most = x->body[n].bound > most ? x->body[n].bound : most;
        }
    }
    x->map = ARENA_ARRAY(p->arena, uint32_t, 2 * (size_t)most + 1);
    return x->map || FAIL(d, MEMORY, "out of memory");
}

static bool alike_kernels(const struct alike *x, uint32_t first, uint32_t other)
{
    const struct kernel *k = &x->plan->kernels[first], *a = k, *b = &x->plan->kernels[other];
    if (x->hash[first] != x->hash[other] || kernel_bodies(a) != kernel_bodies(b) ||
        a->nbound != b->nbound)
        return false;
    for (uint32_t i = 0; a; a = a->variant, b = b->variant, i++)
        if (a->alternative != b->alternative || a->schedule.group != b->schedule.group ||
            a->shared_bytes != b->shared_bytes || a->features != b->features ||
            a->matrix != b->matrix || a->texels != b->texels ||
            !code_alike(&x->body[x->first_body[first] + i], &x->body[x->first_body[other] + i],
                        divisors(x->plan, k, a), x->map))
            return false;
    return true;
}

static void find_classes(struct alike *x)
{
    const struct plan *p = x->plan;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        uint32_t at = (uint32_t)x->hash[i] & (x->cap - 1);
        if (p->kernels[i].same_as != NO_INDEX)
            continue;
        while (x->table[at] && !alike_kernels(x, x->table[at] - 1, i))
            at = (at + 1) & (x->cap - 1);
        if (!x->table[at])
            x->table[at] = i + 1;
        x->class_of[i] = x->table[at] - 1;
        x->count[x->class_of[i]]++;
    }
}

/* ---- their numbers ---- */

/* A class: numbers of its members, a row each, and where each column is pushed. */
struct numbers {
    uint32_t nrows, ncolumns;
    uint32_t *kernel;           /* by row */
    struct code_number *number; /* of all bodies of a kernel, row by row */
    uint32_t *slot;             /* by column; NOT_PUSHED: all members have the same number */
    uint32_t *column, npushed;  /* by slot: a column that is pushed there */
};

/* Numbers of a kernel's bodies, in their order. */
static uint32_t list_numbers(const struct alike *x, uint32_t kernel, struct code_number *out,
                             uint32_t most)
{
    const struct kernel *k = &x->plan->kernels[kernel];
    const struct code *m = &x->body[x->first_body[kernel]];
    uint32_t n = 0;
    for (const struct kernel *b = k; b; b = b->variant, m++)
        n += code_numbers(m, divisors(x->plan, k, b), most > n ? out + n : NULL,
                          most > n ? most - n : 0);
    return n;
}

static uint32_t value(const struct numbers *n, uint32_t row, uint32_t column)
{
    return n->number[(size_t)row * n->ncolumns + column].value;
}

static bool same_columns(const struct numbers *n, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < n->nrows; r++)
        if (value(n, r, a) != value(n, r, b))
            return false;
    return true;
}

static bool same_in_all(const struct numbers *n, uint32_t column)
{
    for (uint32_t r = 1; r < n->nrows; r++)
        if (value(n, r, column) != value(n, 0, column))
            return false;
    return true;
}

/* False if none differs, or more than can be pushed. */
static bool find_slots(struct numbers *n)
{
    for (uint32_t c = 0; c < n->ncolumns; c++) {
        uint32_t slot = 0;
        n->slot[c] = NOT_PUSHED;
        if (same_in_all(n, c))
            continue;
        while (slot < n->npushed && !same_columns(n, n->column[slot], c))
            slot++;
        if (slot == VKB_MAX_PUSHED)
            return false;
        if (slot == n->npushed)
            n->column[n->npushed++] = c;
        n->slot[c] = slot;
    }
    return n->npushed > 0;
}

static bool make_numbers(const struct alike *x, uint32_t first, struct numbers *n, struct diag *d)
{
    const struct plan *p = x->plan;
    *n = (struct numbers){.nrows = x->count[first], .ncolumns = list_numbers(x, first, NULL, 0)};
    n->kernel = ARENA_ARRAY(p->arena, uint32_t, n->nrows);
    n->number = ARENA_ARRAY(p->arena, struct code_number, (size_t)n->nrows * n->ncolumns + 1);
    n->slot = ARENA_ARRAY(p->arena, uint32_t, n->ncolumns + 1);
    n->column = ARENA_ARRAY(p->arena, uint32_t, VKB_MAX_PUSHED);
    if (!n->kernel || !n->number || !n->slot || !n->column)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = first, r = 0; i < p->nkernels; i++)
        if (x->class_of[i] == first) {
            list_numbers(x, i, n->number + (size_t)r * n->ncolumns, n->ncolumns);
            n->kernel[r++] = i;
        }
    return true;
}

/* ---- their code ---- */

static bool write_bodies(const struct alike *x, uint32_t first, const struct numbers *n,
                         struct diag *d)
{
    struct kernel *k = &x->plan->kernels[first];
    const struct code *m = &x->body[x->first_body[first]];
    uint32_t column = 0;
    for (struct kernel *b = k; b; b = b->variant, m++) {
        uint32_t count = code_numbers(m, divisors(x->plan, k, b), NULL, 0);
        b->spirv = pushed_write(x->plan->arena, m, n->number + column, n->slot + column, count,
                                n->npushed, &b->nspirv);
        if (!b->spirv)
            return FAIL(d, MEMORY, "out of memory");
        column += count;
    }
    return true;
}

static bool merge_class(const struct alike *x, uint32_t first, struct diag *d)
{
    struct plan *p = x->plan;
    struct numbers n;
    if (!make_numbers(x, first, &n, d))
        return false;
    if (!find_slots(&n))
        return true;
    for (uint32_t r = 0; r < n.nrows; r++) {
        struct kernel *member = &p->kernels[n.kernel[r]];
        member->npushed = n.npushed;
        member->pushed = ARENA_ARRAY(p->arena, uint32_t, n.npushed);
        if (!member->pushed)
            return FAIL(d, MEMORY, "out of memory");
        for (uint32_t s = 0; s < n.npushed; s++)
            member->pushed[s] = value(&n, r, n.column[s]);
        if (r)
            member->same_as = first;
    }
    return write_bodies(x, first, &n, d);
}

bool alike_merge(struct plan *p, struct diag *d)
{
    struct alike x = {.plan = p};
    uint32_t least = p->tuning.alike_least;
    if (p->nkernels < least)
        return true;
    uint32_t *root = ARENA_ARRAY(p->arena, uint32_t, p->nkernels);
    if (!root || !make_room(&x, d) || !open_modules(&x, d))
        return root != NULL ? false : FAIL(d, MEMORY, "out of memory");
    find_classes(&x);
    for (uint32_t i = 0; i < p->nkernels; i++)
        root[i] = p->kernels[i].same_as == NO_INDEX ? i : root[p->kernels[i].same_as];
    for (uint32_t i = 0; i < p->nkernels; i++)
        if (x.class_of[i] == i && x.count[i] >= least && !merge_class(&x, i, d))
            return false;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        struct kernel *k = &p->kernels[i];
        const struct kernel *of = &p->kernels[root[i]];
        if (root[i] == i)
            continue;
        k->pushed = of->pushed, k->npushed = of->npushed;
        k->same_as = of->same_as == NO_INDEX ? root[i] : of->same_as;
    }
    return true;
}
