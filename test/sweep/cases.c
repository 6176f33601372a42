#include "cases.h"

#include <string.h>

#include "around.h"
#include "pairs.h"
#include "thresholds.h"

/* Types of which one stands for the others: by width, and by what a register holds. */
enum { MOST_KIN = 6 };
static const enum vkc_type widths[][MOST_KIN] = {
    {TYPE_F32},
    {TYPE_F64},
    {TYPE_BF16, TYPE_F16},
    {TYPE_F8, TYPE_F8E4M3FN},
    {TYPE_S32, TYPE_U32},
    {TYPE_S64, TYPE_U64},
    {TYPE_U8, TYPE_S8, TYPE_S4, TYPE_U4, TYPE_U2, TYPE_S2},
    {TYPE_S16, TYPE_U16},
    {TYPE_C64},
    {TYPE_C128},
};
enum { WIDTHS = sizeof widths / sizeof *widths };

uint64_t cases_hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 0x100000001b3u;
    return h ^ h >> 32;
}

static uint32_t count_names(const char *const *names)
{
    uint32_t n = 0;
    while (names[n])
        n++;
    return n;
}

/* ---- rows of the cover as cases ---- */

enum dim {
    DIM_THRESHOLD,
    DIM_OFFSET,
    DIM_OP,
    DIM_WIDTH,
    DIM_FEED,
    DIM_USE,
    DIM_STORE,
    DIM_PROFILE,
    DIMS
};

/* Profiles whose schedules change at the same sizes. */
struct class
{
    const struct sweep_family *family;
    const struct sweep_thresholds *thresholds;
    const struct profiles *profiles;
    uint32_t members[MOST_PROFILES], nmembers;
};

static struct sweep_case case_of(const struct class *k, const uint32_t *row)
{
    const struct sweep_threshold *at = &k->thresholds->list[row[DIM_THRESHOLD]];
    const struct sweep_line *line = &k->family->lines[at->line];
    struct sweep_case c = {.family = k->family,
                           .op = row[DIM_OP],
                           .shape = line->shape,
                           .axes = line->axes,
                           .feed = row[DIM_FEED],
                           .use = row[DIM_USE],
                           .store = row[DIM_STORE],
                           .profile = &k->profiles->target[k->members[row[DIM_PROFILE]]]};
    for (uint32_t i = 0; i < c.shape.rank; i++)
        c.shape.dim[i] = c.shape.dim[i] ? c.shape.dim[i] : at->size + row[DIM_OFFSET] - 2;
    uint32_t kin = 0, which = 0;
    while (kin < MOST_KIN && widths[row[DIM_WIDTH]][kin] != TYPE_NONE)
        kin++;
    for (uint32_t i = 0; i < DIMS; i++) /* they take turns */
        which += row[i];
    c.type = widths[row[DIM_WIDTH]][which % kin];
    return c;
}

static bool is_valid(const void *context, const uint32_t *row)
{
    struct sweep_case c = case_of(context, row);
    return shape_size(&c.shape) > 0 && case_is_valid(&c);
}

static bool append(struct cases *out, struct arena *a, const struct sweep_case *c, bool always)
{
    char name[CASE_NAME];
    case_name(c, name);
    if (!arena_grow(a, &out->list, out->count, &out->cap, sizeof *out->list))
        return false;
    out->list[out->count++] = (struct listed){*c, cases_hash(name), always};
    return true;
}

static bool cover_class(const struct class *k, struct arena *a, struct cases *out)
{
    struct rows rows;
    struct pairs p = {
        .ndims = DIMS, .is_valid = is_valid, .context = k, .seed = cases_hash(k->family->name)};
    p.size[DIM_THRESHOLD] = k->thresholds->count;
    /* Just below, where rows are cut in parts that they fill, and one less, at, just above. */
    p.size[DIM_OFFSET] = 4;
    p.size[DIM_OP] = count_names(k->family->ops);
    p.size[DIM_WIDTH] = WIDTHS;
    p.size[DIM_FEED] = count_names(feed_names);
    p.size[DIM_USE] = count_names(use_names);
    p.size[DIM_STORE] = count_names(store_names);
    p.size[DIM_PROFILE] = k->nmembers;
    if (!pairs_cover(&p, a, &rows))
        return false;
    for (uint32_t r = 0; r < rows.count; r++) {
        struct sweep_case c = case_of(k, rows.row[r]);
        if (!append(out, a, &c, false))
            return false;
    }
    out->classes++;
    out->thresholds += k->thresholds->count;
    return true;
}

static bool same_thresholds(const struct sweep_thresholds *x, const struct sweep_thresholds *y)
{
    bool same = x->count == y->count;
    for (uint32_t i = 0; i < x->count && same; i++)
        same = x->list[i].line == y->list[i].line && x->list[i].size == y->list[i].size;
    return same;
}

/* ---- cases by name ---- */

/* What went wrong once, with every profile: rows along other axes than the last whose elements
   were held back and stored as if they lay side by side. */
static const char *const held_shapes[] = {
    "256x6/a0",   "512x8/a0",   "300x3/a0", "1024x32/a0", "2304x6/a0",    "4x48x48x6/a012",
    "8x300x4/a1", "63x8x3/a01", "257x5/a0", "4x260x6/a1", "2x3x400x5/a2", "5x300x2x4/a12"};
static const char *const held_ops[] = {"center", "norm", "softmax"};

static bool append_held(const struct profiles *p, struct arena *a, struct cases *out)
{
    for (uint32_t t = 0; t < p->count; t++)
        for (uint32_t s = 0; s < sizeof held_shapes / sizeof *held_shapes; s++)
            for (uint32_t o = 0; o < sizeof held_ops / sizeof *held_ops; o++) {
                char error[256];
                struct sweep_case c;
                const char *name = arena_printf(a, "rows/%s/f32/%s/plain/none/plain/%s",
                                                held_ops[o], held_shapes[s], p->target[t].name);
                if (!name || !case_parse(name, p, &c, error, sizeof error) ||
                    !append(out, a, &c, c.profile->cpu))
                    return false;
            }
    return true;
}

/* What schedules and estimates look at. Features decide whether there is a kernel, and bindings
   whether nodes share * one. */
static bool same_limits(const struct vkc_target *x, const struct vkc_target *y)
{
    return x->max_invocations == y->max_invocations && x->max_shared_bytes == y->max_shared_bytes &&
           x->cpu == y->cpu && x->loop_limit == y->loop_limit;
}

bool cases_of(const struct sweep_family *f, const struct profiles *p, struct arena *a,
              struct cases *out)
{
    struct sweep_thresholds *found = ARENA_ARRAY(a, struct sweep_thresholds, p->count);
    bool taken[MOST_PROFILES] = {false};
    for (uint32_t i = 0; found && i < p->count; i++) {
        uint32_t same = 0;
        while (same < i && !same_limits(&p->target[same], &p->target[i]))
            same++;
        found[i] = found[same];
        if (same == i && !thresholds_find(f, &p->target[i], a, &found[i]))
            return false;
        out->plans += same == i ? found[i].plans : 0;
    }
    for (uint32_t i = 0; found && i < p->count; i++) {
        struct class k = {.family = f, .thresholds = &found[i], .profiles = p};
        for (uint32_t j = i; j < p->count && !taken[i]; j++)
            if (!taken[j] && same_thresholds(&found[i], &found[j])) {
                taken[j] = j != i;
                k.members[k.nmembers++] = j;
            }
        if (k.nmembers && !cover_class(&k, a, out))
            return false;
    }
    return found && (strcmp(f->name, "rows") != 0 || append_held(p, a, out));
}
