/* A graph is planned at one size and at another, without a device and without compiling a shader;
   where the two plans differ in more than their numbers of workgroups, a threshold lies between,
   and bisection finds it. So thresholds are never typed again: whatever decides (schedule.c, a
   pass, fusion, the limits of a target), a decision that moves takes the sizes with it.

   Whether a size is a multiple of four decides on vectors, apart from how large it is. So first
   only multiples of four are looked at, and all of a schedule; between two of them, the part
   that has nothing to do with vectors. */
#include "thresholds.h"

#include <string.h>

#include "import/import.h"
#include "passes/passes.h"
#include "plan/plan.h"

struct signature {
    uint64_t all, coarse;
}; /* 0: there is no plan */

struct search {
    const struct sweep_family *family;
    const struct vkc_target *target;
    struct arena *arena;
    struct sweep_thresholds *out;
    struct sweep_case at;
    const struct sweep_line *line;
};

/* ---- what a plan is, but for its sizes ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* What a family's schedule chose among. Of a transform nothing: its threads are as many as a line's
   factors and the lines say. */
static uint64_t mix_choice(uint64_t h, const struct kernel *k)
{
    const struct schedule *s = &k->schedule;
    h = mix(h, k->family == FAMILY_FOURIER ? 0 : s->group);
    switch (k->family) {
    case FAMILY_MAP: return mix(mix(h, (uint64_t)k->space.map.pieces), s->map.across != 0);
    case FAMILY_LINES:
        return mix(mix(mix(mix(h, s->lines.group_runs), s->lines.across), s->lines.span),
                   s->lines.steps > 1);
    case FAMILY_CONTRACT:
        if (s->contract.few) /* one schedule for any number of rows or columns that is few */
            return mix(h, s->contract.tile_m + s->contract.tile_n - s->contract.few);
        h = mix(mix(mix(h, s->contract.tile_m), s->contract.tile_n), s->contract.tile_k);
        return mix(mix(h, s->contract.thread_m), s->contract.thread_n);
    case FAMILY_ROWS:
        return mix(mix(mix(h, s->rows.row_threads), s->rows.group_rows), s->rows.outer_fast);
    default: return h;
    }
}

/* How many elements a thread takes together. */
static uint64_t mix_width(uint64_t h, const struct kernel *k)
{
    const struct schedule *s = &k->schedule;
    switch (k->family) {
    case FAMILY_MAP: return mix(h, s->map.lanes);
    case FAMILY_CONTRACT: return mix(h, s->contract.vector);
    case FAMILY_ROWS: return mix(mix(h, s->rows.vector), s->rows.unroll);
    default: return h;
    }
}

static struct signature signature_of(const struct plan *p)
{
    struct signature s = {1, 1};
    for (uint32_t i = 0; i < p->nsteps; i++)
        s.coarse = mix(s.coarse, p->steps[i].kind);
    for (uint32_t i = 0; i < p->nkernels; i++) {
        const struct kernel *k = &p->kernels[i];
        s.coarse = mix_choice(mix(mix(mix(s.coarse, k->family), k->nroots), k->nheroes), k);
        s.coarse = mix(mix(s.coarse, k->schedule.groups[0] > 1), k->schedule.groups[1] > 1);
    }
    s.all = s.coarse;
    for (uint32_t i = 0; i < p->nkernels; i++)
        s.all = mix_width(s.all, &p->kernels[i]);
    return s;
}

static struct signature plan_at(struct search *s, int64_t size)
{
    static struct diag d;
    struct arena a;
    struct graph_text text;
    struct graph g;
    struct plan p;
    struct signature found = {0, 0};
    struct vkc_options options = {.target = s->target};
    struct pass_options passes = {.target = s->target};
    for (uint32_t i = 0; i < s->at.shape.rank; i++)
        s->at.shape.dim[i] = s->line->shape.dim[i] ? s->line->shape.dim[i] : size;
    d = (struct diag){0};
    arena_init(&a, 0);
    const char *json = case_is_valid(&s->at) ? case_graph(&s->at, &a, &text) : NULL;
    if (json && import_json(&a, json, strlen(json), NULL, 0, &g, &d) &&
        passes_run(&g, &passes, &d) && plan_build(&a, &g, &options, s->target, &p, &d))
        found = signature_of(&p);
    arena_finish(&a);
    s->out->plans++;
    return found;
}

/* ---- the search ---- */

/* Estimates, as of what a workgroup program costs, differ a little with the op and the type. One
   that lies within a fiftieth of another is that one again; limits are next to powers of two, or
   small. */
static bool is_known(const struct search *s, int64_t threshold)
{
    bool limit = (threshold & (threshold - 1)) == 0 || ((threshold - 1) & (threshold - 2)) == 0;
    for (uint32_t i = 0; i < s->out->count; i++) {
        const struct sweep_threshold *other = &s->out->list[i];
        int64_t apart = other->size < threshold ? threshold - other->size : other->size - threshold;
        if (&s->family->lines[other->line] == s->line && apart <= (limit ? 0 : threshold / 50))
            return true;
    }
    return false;
}

static bool add(struct search *s, int64_t threshold)
{
    if (threshold > s->line->most || is_known(s, threshold))
        return true;
    if (!arena_grow(s->arena, &s->out->list, s->out->count, &s->out->cap, sizeof *s->out->list))
        return false;
    s->out->list[s->out->count++] =
        (struct sweep_threshold){(uint32_t)(s->line - s->family->lines), threshold};
    return true;
}

/* Between two neighbouring multiples of `unit`, whose plans differ: the first size that is not
   as the lower one. */
static bool add_between(struct search *s, int64_t low, struct signature at_low, int64_t high)
{
    for (int64_t n = low + 1; n < high; n++)
        if (plan_at(s, n).coarse != at_low.coarse)
            return add(s, n);
    return add(s, high);
}

/* Where plans that are as the lower one end, and where those that are as the upper one begin:
   one place, unless there is something between them. Where plans depend on divisors, as those of
   reductions that are cut in equal parts, there would be no end to it. */
static bool look_between(struct search *s, int64_t low, struct signature at_low, int64_t high,
                         struct signature at_high, int64_t unit)
{
    struct signature last = at_low, first = at_high;
    int64_t a = low, b = high;
    if (at_low.all == at_high.all)
        return true;
    while (b - a > unit) {
        int64_t middle = (a + b) / 2 / unit * unit;
        struct signature found = plan_at(s, middle);
        if (found.all == at_low.all)
            a = middle;
        else
            b = middle, first = found;
    }
    if (!add_between(s, a, last, b) || first.all == at_high.all)
        return first.all == at_high.all;
    for (a = b, last = first, b = high; b - a > unit;) {
        int64_t middle = (a + b) / 2 / unit * unit;
        struct signature found = plan_at(s, middle);
        if (found.all == at_high.all)
            b = middle;
        else
            a = middle, last = found;
    }
    return add_between(s, a, last, b);
}

/* Powers of two and what lies half way between them. */
static bool look_along(struct search *s)
{
    enum { UNIT = 4 };
    int64_t last = UNIT;
    struct signature at_last = plan_at(s, last);
    if (!add(s, 2))
        return false;
    while (last < s->line->most) {
        int64_t next = s->line->powers ? 2 * last
                       : last % 3 == 0 ? last / 3 * 4
                       : last == UNIT  ? 2 * UNIT
                                       : last / 2 * 3;
        next = next < s->line->most ? next : s->line->most / UNIT * UNIT;
        if (next <= last)
            break;
        struct signature at_next = plan_at(s, next);
        bool ok = !s->line->powers ? look_between(s, last, at_last, next, at_next, UNIT)
                                   : at_last.all == at_next.all || add(s, next);
        if (!ok)
            return false;
        last = next;
        at_last = at_next;
    }
    return true;
}

bool thresholds_find(const struct sweep_family *f, const struct vkc_target *t, struct arena *a,
                     struct sweep_thresholds *out)
{
    /* a word an element, less, and more: lanes, tiles and shared memory depend on it */
    static const enum vkc_type types[] = {TYPE_F32, TYPE_U8, TYPE_F64, TYPE_C64};
    *out = (struct sweep_thresholds){0};
    for (uint32_t l = 0; l < f->nlines; l++)
        for (uint32_t op = 0; op < f->probed; op++)
            for (uint32_t k = 0, done = 0; k < sizeof types / sizeof *types && done < 3; k++) {
                struct search s = {
                    .family = f, .target = t, .arena = a, .out = out, .line = &f->lines[l]};
                s.at = (struct sweep_case){.family = f,
                                           .op = op,
                                           .type = types[k],
                                           .shape = f->lines[l].shape,
                                           .axes = f->lines[l].axes};
                struct sweep_case one = s.at;
                for (uint32_t i = 0; i < one.shape.rank; i++)
                    one.shape.dim[i] = one.shape.dim[i] ? one.shape.dim[i] : 4;
                if (!case_is_valid(&one))
                    continue;
                done++;
                if (!look_along(&s))
                    return false;
            }
    return true;
}
