#include "codegen/index.h"

#include <string.h>

enum { BUCKETS = 1024 };

struct ix_ctx {
    struct arena *arena;
    const struct ix *bucket[BUCKETS];
    struct ix_atom **atoms;
    uint32_t natoms, cap_atoms;
    const struct ix *zero; /* what every call returns once memory has run out */
};

static const struct ix the_zero = {0};

struct ix_ctx *ix_create(struct arena *a)
{
    struct ix_ctx *c = ARENA_NEW(a, struct ix_ctx);
    if (c) {
        c->arena = a;
        c->zero = ix_const(c, 0);
    }
    return c;
}

/* ---- hash-consing ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdu;
}

static const struct ix *intern(struct ix_ctx *c, int64_t constant, const struct ix_term *terms,
                               uint32_t n)
{
    uint64_t h = mix(0, (uint64_t)constant);
    for (uint32_t i = 0; i < n; i++)
        h = mix(mix(h, terms[i].atom->id), (uint64_t)terms[i].coef);
    const struct ix **slot = &c->bucket[(h >> 40) % BUCKETS];
    for (const struct ix *e = *slot; e; e = e->next) {
        bool same = e->constant == constant && e->nterms == n;
        for (uint32_t i = 0; same && i < n; i++)
            same = e->terms[i].atom == terms[i].atom && e->terms[i].coef == terms[i].coef;
        if (same)
            return e;
    }
    struct ix *e = ARENA_NEW(c->arena, struct ix);
    const struct ix_term *kept = arena_copy(c->arena, terms, n * sizeof *terms);
    if (!e || !kept)
        return &the_zero;
    *e = (struct ix){.constant = constant,
                     .nterms = n,
                     .terms = kept,
                     .min = constant,
                     .max = constant,
                     .next = *slot};
    for (uint32_t i = 0; i < n; i++) {
        const struct ix_atom *a = terms[i].atom;
        int64_t k = terms[i].coef;
        e->min += k > 0 ? k * a->min : k * a->max;
        e->max += k > 0 ? k * a->max : k * a->min;
        if (a->depth > e->depth)
            e->depth = a->depth;
    }
    *slot = e;
    return e;
}

static struct ix_atom *new_atom(struct ix_ctx *c, enum ix_atom_kind kind)
{
    if (!arena_grow(c->arena, &c->atoms, c->natoms, &c->cap_atoms, sizeof(struct ix_atom *)))
        return NULL;
    struct ix_atom *a = ARENA_NEW(c->arena, struct ix_atom);
    if (!a)
        return NULL;
    a->kind = kind;
    a->id = c->natoms;
    c->atoms[c->natoms++] = a;
    return a;
}

static const struct ix *of_atom(struct ix_ctx *c, const struct ix_atom *a)
{
    struct ix_term t = {a, 1};
    return a->min == a->max ? ix_const(c, a->min) : intern(c, 0, &t, 1);
}

static const struct ix *quotient_atom(struct ix_ctx *c, enum ix_atom_kind kind,
                                      const struct ix *arg, int64_t k)
{
    for (uint32_t i = 0; i < c->natoms; i++)
        if (c->atoms[i]->kind == kind && c->atoms[i]->arg == arg && c->atoms[i]->divisor == k)
            return of_atom(c, c->atoms[i]);
    struct ix_atom *a = new_atom(c, kind);
    if (!a)
        return &the_zero;
    a->arg = arg;
    a->divisor = k;
    a->depth = arg->depth;
    a->min = kind == IX_DIV ? arg->min / k : 0;
    a->max = kind == IX_DIV ? arg->max / k : k - 1;
    return of_atom(c, a);
}

const struct ix *ix_const(struct ix_ctx *c, int64_t value)
{
    return intern(c, value, NULL, 0);
}

const struct ix *ix_var(struct ix_ctx *c, const char *name, int64_t extent, uint32_t depth)
{
    if (extent == 1)
        return c->zero;
    struct ix_atom *a = new_atom(c, IX_VAR);
    if (!a)
        return &the_zero;
    a->name = name;
    a->max = extent - 1;
    a->depth = depth;
    return of_atom(c, a);
}

/* ---- sums ---- */

/* k*(x / d)*d + k*(x % d) = k*x: the pair that a reshape leaves behind. Returns NULL if there is
   none. */
static const struct ix *recombine(struct ix_ctx *c, const struct ix *e)
{
    for (uint32_t i = 0; i < e->nterms; i++) {
        const struct ix_term *m = &e->terms[i];
        if (m->atom->kind != IX_MOD)
            continue;
        for (uint32_t j = 0; j < e->nterms; j++) {
            const struct ix_term *q = &e->terms[j];
            int64_t d = m->atom->divisor;
            if (q->coef != m->coef * d)
                continue;
            /* x / d, written as such or reduced: find the quotient's normal form */
            const struct ix *quotient = ix_div(c, m->atom->arg, d);
            if (quotient->nterms != 1 || quotient->constant != 0 ||
                quotient->terms[0].atom != q->atom || quotient->terms[0].coef != 1)
                continue;
            uint32_t n = 0;
            struct ix_term *rest = ARENA_ARRAY(c->arena, struct ix_term, e->nterms);
            if (!rest)
                return NULL;
            for (uint32_t k = 0; k < e->nterms; k++)
                if (k != i && k != j)
                    rest[n++] = e->terms[k];
            return ix_add(c, intern(c, e->constant, rest, n), ix_scale(c, m->atom->arg, m->coef));
        }
    }
    return NULL;
}

const struct ix *ix_add(struct ix_ctx *c, const struct ix *a, const struct ix *b)
{
    if (ix_is_const(b) && b->constant == 0)
        return a;
    if (ix_is_const(a) && a->constant == 0)
        return b;
    uint32_t n = 0, i = 0, j = 0;
    struct ix_term *t = ARENA_ARRAY(c->arena, struct ix_term, a->nterms + b->nterms);
    if (!t)
        return &the_zero;
    while (i < a->nterms || j < b->nterms) {
        struct ix_term next;
        if (j == b->nterms || (i < a->nterms && a->terms[i].atom->id < b->terms[j].atom->id))
            next = a->terms[i++];
        else if (i == a->nterms || b->terms[j].atom->id < a->terms[i].atom->id)
            next = b->terms[j++];
        else {
            next = (struct ix_term){a->terms[i].atom, a->terms[i].coef + b->terms[j].coef};
            i++, j++;
        }
        if (next.coef != 0)
            t[n++] = next;
    }
    const struct ix *sum = intern(c, a->constant + b->constant, t, n);
    const struct ix *better = recombine(c, sum);
    return better ? better : sum;
}

const struct ix *ix_add_const(struct ix_ctx *c, const struct ix *a, int64_t k)
{
    return k ? intern(c, a->constant + k, a->terms, a->nterms) : a;
}

const struct ix *ix_scale(struct ix_ctx *c, const struct ix *a, int64_t k)
{
    if (k == 1)
        return a;
    if (k == 0)
        return c->zero;
    struct ix_term *t = ARENA_ARRAY(c->arena, struct ix_term, a->nterms);
    if (!t)
        return &the_zero;
    for (uint32_t i = 0; i < a->nterms; i++)
        t[i] = (struct ix_term){a->terms[i].atom, a->terms[i].coef * k};
    return intern(c, a->constant * k, t, a->nterms);
}

/* ---- quotients and remainders ---- */

static int64_t floor_div(int64_t a, int64_t k)
{
    return a >= 0 ? a / k : -((-a + k - 1) / k);
}

static int64_t gcd(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Splits a = k*whole + rest, where rest holds what k does not divide. */
static void split(struct ix_ctx *c, const struct ix *a, int64_t k, const struct ix **whole,
                  const struct ix **rest)
{
    struct ix_term *w = ARENA_ARRAY(c->arena, struct ix_term, a->nterms),
                   *r = ARENA_ARRAY(c->arena, struct ix_term, a->nterms);
    uint32_t nw = 0, nr = 0;
    if (!w || !r) {
        *whole = *rest = &the_zero;
        return;
    }
    for (uint32_t i = 0; i < a->nterms; i++)
        if (a->terms[i].coef % k == 0)
            w[nw++] = (struct ix_term){a->terms[i].atom, a->terms[i].coef / k};
        else
            r[nr++] = a->terms[i];
    int64_t q = floor_div(a->constant, k);
    *whole = intern(c, q, w, nw);
    *rest = intern(c, a->constant - q * k, r, nr);
}

/* A factor g > 1 of k with a = g*whole + rest and 0 <= rest < g, so that dividing by k or taking
   the remainder concerns `whole` alone; 1 if there is none. */
static int64_t common(struct ix_ctx *c, const struct ix *a, int64_t k, const struct ix **whole,
                      const struct ix **rest)
{
    int64_t best = 1;
    for (uint32_t i = 0; i < a->nterms; i++) {
        int64_t g = gcd(a->terms[i].coef, k);
        if (g <= best)
            continue;
        const struct ix *w, *r;
        split(c, a, g, &w, &r);
        if (r->min >= 0 && r->max < g && w->min >= 0) {
            best = g;
            *whole = w;
            *rest = r;
        }
    }
    return best;
}

const struct ix *ix_div(struct ix_ctx *c, const struct ix *a, int64_t k)
{
    if (k == 1)
        return a;
    if (a->min >= 0 && a->max < k)
        return c->zero;
    if (ix_is_const(a))
        return ix_const(c, floor_div(a->constant, k));
    const struct ix *whole, *rest;
    split(c, a, k, &whole, &rest);
    if (rest->min >= 0 && !(ix_is_const(whole) && whole->constant == 0)) {
        if (rest->max < k)
            return whole;
        return ix_add(c, whole, ix_div(c, rest, k));
    }
    int64_t g = common(c, a, k, &whole, &rest); /* (g*y + r) / (g*m) = y / m for 0 <= r < g */
    if (g > 1)
        return ix_div(c, whole, k / g);
    if (a->nterms == 1 && a->constant == 0 && a->terms[0].coef == 1) {
        const struct ix_atom *t = a->terms[0].atom;
        if (t->kind == IX_DIV) /* (x / d) / k = x / (d*k) */
            return ix_div(c, t->arg, t->divisor * k);
        if (t->kind == IX_MOD && t->divisor % k == 0) /* (x % (k*m)) / k = (x / k) % m */
            return ix_mod(c, ix_div(c, t->arg, k), t->divisor / k);
    }
    return quotient_atom(c, IX_DIV, a, k);
}

const struct ix *ix_mod(struct ix_ctx *c, const struct ix *a, int64_t k)
{
    if (k == 1)
        return c->zero;
    if (a->min >= 0 && a->max < k)
        return a;
    if (ix_is_const(a))
        return ix_const(c, a->constant - floor_div(a->constant, k) * k);
    const struct ix *whole, *rest;
    split(c, a, k, &whole, &rest);
    if (rest->min >= 0 && !(ix_is_const(whole) && whole->constant == 0))
        return rest->max < k ? rest : ix_mod(c, rest, k);
    /* (g*y + r) % (g*m) = g*(y % m) + r for 0 <= r < g */
    int64_t g = common(c, a, k, &whole, &rest);
    if (g > 1)
        return ix_add(c, ix_scale(c, ix_mod(c, whole, k / g), g), rest);
    if (a->nterms == 1 && a->constant == 0 && a->terms[0].coef == 1) {
        const struct ix_atom *t = a->terms[0].atom;
        if (t->kind == IX_MOD && t->divisor % k == 0) /* (x % (k*m)) % k = x % k */
            return ix_mod(c, t->arg, k);
    }
    return quotient_atom(c, IX_MOD, a, k);
}

/* ---- shapes ---- */

const struct ix *ix_linear(struct ix_ctx *c, const struct shape *s, const struct ix *const *idx)
{
    const struct ix *flat = c->zero;
    int64_t stride = 1;
    for (uint32_t i = s->rank; i-- > 0; stride *= s->dim[i])
        if (s->dim[i] > 1)
            flat = ix_add(c, flat, ix_scale(c, idx[i], stride));
    return flat;
}

void ix_delinear(struct ix_ctx *c, const struct shape *s, const struct ix *flat,
                 const struct ix **out)
{
    int64_t stride = shape_size(s);
    for (uint32_t i = 0; i < s->rank; i++) {
        int64_t outer = stride;
        stride /= s->dim[i];
        if (s->dim[i] == 1)
            out[i] = c->zero;
        /* the outermost needs no remainder: flat is in range, or what is computed from it is not
           used */
        else
            out[i] = (outer > flat->max || outer == shape_size(s)) && flat->min >= 0
                         ? ix_div(c, flat, stride)
                         : ix_mod(c, ix_div(c, flat, stride), s->dim[i]);
    }
}

int64_t ix_coef(const struct ix *a, const struct ix *var)
{
    if (var->nterms != 1)
        return 0;
    for (uint32_t i = 0; i < a->nterms; i++)
        if (a->terms[i].atom == var->terms[0].atom)
            return a->terms[i].coef;
    return 0;
}

int64_t ix_step(const struct ix *a, const struct ix *var)
{
    int64_t step = ix_coef(a, var);
    for (uint32_t i = 0; i < a->nterms; i++)
        if (a->terms[i].atom->kind == IX_MOD)
            step += a->terms[i].coef * ix_step(a->terms[i].atom->arg, var);
    return step;
}

void ix_through(struct ix_ctx *c, const struct node *n, const struct shape *in,
                const struct ix *const *idx, const struct ix **out)
{
    uint32_t count;
    const int64_t *axes = attr_list(n, ATTR_axes, &count);
    switch (n->op) {
    case OP_RESHAPE: ix_delinear(c, in, ix_linear(c, &n->outs[0].shape, idx), out); break;
    case OP_BROADCAST:
        for (uint32_t i = 0; i < in->rank; i++)
            out[i] = in->dim[i] == 1 ? c->zero : idx[axes[i]];
        break;
    case OP_TRANSPOSE:
        for (uint32_t i = 0; i < in->rank; i++)
            out[axes[i]] = idx[i];
        break;
    case OP_REVERSE:
        for (uint32_t i = 0; i < in->rank; i++)
            out[i] = attr_list_has(n, ATTR_axes, i)
                         ? ix_add_const(c, ix_scale(c, idx[i], -1), in->dim[i] - 1)
                         : idx[i];
        break;
    case OP_SLICE: {
        const int64_t *starts = attr_list(n, ATTR_starts, &count),
                      *strides = attr_list(n, ATTR_strides, &count);
        for (uint32_t i = 0; i < in->rank; i++)
            out[i] = ix_add_const(c, ix_scale(c, idx[i], strides[i]), starts[i]);
        break;
    }
    default: break;
    }
}

/* ---- text ---- */

void ix_print(const struct ix *a, struct str *out)
{
    bool first = true;
    for (uint32_t i = 0; i < a->nterms; i++) {
        const struct ix_term *t = &a->terms[i];
        int64_t k = t->coef;
        str_add(out, first ? (k < 0 ? "-" : "") : k < 0 ? " - " : " + ");
        if (k != 1 && k != -1)
            str_printf(out, "%lld*", (long long)(k < 0 ? -k : k));
        if (t->atom->kind == IX_VAR)
            str_add(out, t->atom->name);
        else {
            str_add(out, "(");
            bool sum = t->atom->arg->nterms + (t->atom->arg->constant != 0) > 1;
            str_add(out, sum ? "(" : "");
            ix_print(t->atom->arg, out);
            str_printf(out, "%s %c %lld)", sum ? ")" : "", t->atom->kind == IX_DIV ? '/' : '%',
                       (long long)t->atom->divisor);
        }
        first = false;
    }
    if (first || a->constant)
        str_printf(out, "%s%lld",
                   first             ? ""
                   : a->constant < 0 ? " - "
                                     : " + ",
                   (long long)(first             ? a->constant
                               : a->constant < 0 ? -a->constant
                                                 : a->constant));
}
