/* The map family: any number of element-wise values over one iteration space of `size` elements.

   A thread computes `lanes` consecutive elements in each of `pieces` runs of the space. Several
   runs are for values that are produced together and concatenated: a generator of random bits
   gives two words at a time, and one thread stores both. What does not depend on the lane (whole
   vectors of four, row values, scalars) is loaded before the lane loop. The results of four lanes
   are stored as one vector or, for narrow types, as one word, so that no two threads share a
   word. */

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/family/generate.h"
#include "codegen/family/map.h"
#include "codegen/family/turn.h"

enum { SHORT_BODY = 12 }; /* additions up to which a driver surely unrolls the lane loop */

struct target_var {
    struct value root;
    enum vkc_type type;
    const char *name;  /* "o_n12", NULL where the lane stores directly */
    const char *value; /* the lane's element */
    uint32_t words;    /* of a narrow type: words that a thread writes */
};

/* Declares what collects the lanes of a root, whose elements are stored at `i`. */
static void collect_begin(struct emit *e, struct target_var *t, uint32_t piece, bool whole,
                          const struct ix *i)
{
    uint32_t label = func_node(e->func, t->root.node)->label,
             per_word = unit_per_word(e->unit, t->root);
    const char *name =
        arena_printf(e->arena, piece ? "o_n%u_%u_%u" : "o_n%u_%u", label, t->root.out, piece);
    if (per_word > 1) {
        t->words = e->lanes / per_word;
        t->name = name;
        emit_line(e, e->scope->depth, "uint %s[%u] = uint[%u](%s);", t->name, t->words, t->words,
                  t->words == 2 ? "0u, 0u" : "0u");
    } else if (whole && vector_glsl(t->type) && emit_lane_group(e, i)) {
        t->name = name;
        emit_line(e, e->scope->depth, "%s %s;", vector_glsl(t->type), t->name);
    }
}

static void collect_lane(struct emit *e, const struct target_var *t, const struct ix *i,
                         const char *text)
{
    uint32_t per_word = unit_per_word(e->unit, t->root);
    if (!t->name) {
        emit_store(e, t->root, i, text);
        return;
    }
    struct expr lane = emit_index(e, e->lane);
    if (!lane.text)
        return;
    if (per_word > 1)
        emit_line(e, e->scope->depth, "%s[%s / %uu] |= %s << (%s %% %uu * %uu);", t->name,
                  lane.text, per_word, emit_pack(e, t->type, text), lane.text, per_word,
                  8 * type_bytes(t->type));
    else
        emit_line(e, e->scope->depth, "%s[%s] = %s;", t->name, lane.text, text);
}

static void collect_end(struct emit *e, const struct target_var *t, const struct ix *flat,
                        const struct ix *group, int64_t size)
{
    const char *thread = emit_index(e, group).text;
    if (!thread)
        return;
    uint32_t per_word = unit_per_word(e->unit, t->root), d = e->scope->depth;
    emit_binding(e, t->root, VKB_WRITE);
    emit_note_store(e, t->root, flat);
    if (per_word == 1) {
        emit_line(e, d, "%s = %s;", emit_vector(e, t->root, thread), t->name);
        return;
    }
    int64_t words = (size + per_word - 1) / per_word;
    thread = ix_is_atom(group) ? thread : arena_printf(e->arena, "(%s)", thread);
    for (uint32_t w = 0; w < t->words; w++) {
        const char *at = arena_printf(e->arena, "%uu * %s + %uu", t->words, thread, w);
        const char *to = emit_element(e, t->root, at);
        if (words % t->words == 0)
            emit_line(e, d, "%s%s = %s[%u];", e->uniform ? "if (lid == 0u) " : "", to, t->name, w);
        else
            emit_line(e, d, "if (%s < %lldu%s) %s = %s[%u];", at, (long long)words,
                      e->uniform ? " && lid == 0u" : "", to, t->name, w);
    }
}

/* A scalar result in a kernel of a larger space: one thread computes it. */
static bool rides_along(const struct emit *e, struct value root, int64_t space)
{
    return space != 1 && shape_size(&func_tensor(e->func, root)->shape) == 1;
}

void emit_scalars(struct emit *e, int64_t space, const char *head)
{
    struct kernel *k = e->kernel;
    bool any = false;
    for (uint32_t r = 0; r < k->nroots; r++)
        any |= rides_along(e, k->roots[r], space);
    if (!any || e->failed)
        return;
    emit_open(e);
    uint64_t times = e->times;
    e->times = 1;
    e->floor = e->scope->depth;
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++) {
        if (!rides_along(e, k->roots[r], space))
            continue;
        const struct ix *zero = ix_const(e->ix, 0);
        struct expr x = emit_flat(e, k->roots[r], zero);
        if (x.text)
            emit_store(e, k->roots[r], zero, x.text);
        /* every thread may read what this one replaces: never in place */
        k->store_index[r] = k->roots;
    }
    e->floor = 0;
    e->times = times;
    emit_close(e, head);
}

/* The first elements, of which a thread takes one: all, or the first of `pieces` equal runs. */
static int64_t map_span(const struct kernel *k)
{
    const struct map_space *space = &k->space.map;
    return (space->size + space->pieces - 1) / space->pieces;
}

/* Whether the root has elements in that piece: all have some in the first. */
static bool is_in_piece(const struct emit *e, struct value root, uint32_t piece)
{
    return !rides_along(e, root, e->kernel->space.map.size) &&
           (piece == 0 ||
            shape_size(&func_tensor(e->func, root)->shape) == e->kernel->space.map.size);
}

/* The roots' elements at `i` in the piece; `roots` collects the lanes. */
static void piece_elements(struct emit *e, struct target_var *roots, uint32_t piece,
                           const struct ix *i)
{
    struct kernel *k = e->kernel;
    const struct ix *lane = e->lane;
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++)
        if (is_in_piece(e, k->roots[r], piece))
            roots[r].value = emit_flat(e, k->roots[r], i).text;
    e->lane = e->collected;
    /* after all loads: a root may replace an operand */
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++)
        if (is_in_piece(e, k->roots[r], piece) && roots[r].value)
            collect_lane(e, &roots[r], i, roots[r].value);
    e->lane = lane;
}

bool map_elements(struct emit *e, const struct ix *i, bool whole)
{
    struct kernel *k = e->kernel;
    uint32_t lanes = e->lanes, pieces = (uint32_t)k->space.map.pieces;
    const struct ix *group = ix_div(e->ix, i, lanes);
    struct target_var *roots = ARENA_ARRAY(e->arena, struct target_var, (size_t)k->nroots * pieces);
    if (!roots)
        return FAIL(e->diag, MEMORY, "out of memory");
    for (uint32_t r = 0; r < k->nroots * pieces; r++) {
        roots[r] = (struct target_var){.root = k->roots[r % k->nroots],
                                       .type = func_tensor(e->func, k->roots[r % k->nroots])->type};
        if (lanes > 1 && is_in_piece(e, roots[r].root, r / k->nroots))
            collect_begin(e, &roots[r], r / k->nroots, whole, i);
    }
    e->collected = e->lane;
    int64_t code = e->code;
    if (!whole)
        e->lane = NULL; /* a vector load could run past the end of a buffer */
    if (lanes > 1)
        emit_open(e);
    if (!whole)
        emit_line(e, e->scope->depth, "if (%uu * %s + l >= %lldu) break;", lanes,
                  emit_index(e, group).text, (long long)k->space.map.size);
    for (uint32_t p = 0; p < pieces && !e->failed; p++) {
        const struct ix *at = ix_add_const(e->ix, i, p * map_span(k));
        bool guarded = pieces > 1 && (p + 1) * map_span(k) > k->space.map.size;
        if (guarded)
            emit_open(e);
        piece_elements(e, roots + p * k->nroots, p, at);
        if (guarded)
            emit_close(e, arena_printf(e->arena, "if (%s < %lldu)", emit_index(e, at).text,
                                       (long long)k->space.map.size));
    }
    /* beside so much arithmetic, vectors that are indexed by a variable cost nothing */
    bool is_dear = (e->code - code) * lanes > e->unit->tuning->lane_code;
    if (lanes > 1 && whole && e->flops > SHORT_BODY && !is_dear)
        emit_close_each(e, "l", lanes);
    else if (lanes > 1)
        emit_close(e, arena_printf(e->arena, "[[%s]] for (uint l = 0u; l < %uu; l++)",
                                   is_dear ? "dont_unroll" : "unroll", lanes));
    for (uint32_t r = 0; r < k->nroots * pieces && lanes > 1 && !e->failed; r++)
        if (roots[r].name) {
            int64_t skipped = r / k->nroots * map_span(k);
            const struct ix *at = ix_add_const(e->ix, group, skipped / lanes);
            collect_end(e, &roots[r], ix_add_const(e->ix, i, skipped), at, k->space.map.size);
        }
    e->lane = NULL;
    return e->failed == NULL;
}

static bool kernel_map(struct emit *e)
{
    struct kernel *k = e->kernel;
    uint32_t lanes = k->schedule.map.lanes;
    if (k->schedule.map.across)
        return kernel_turn(e);
    int64_t span = map_span(k);
    const struct ix *t = ix_var(e->ix, "t", (span + lanes - 1) / lanes, 0), *i = t;
    e->lanes = lanes;
    if (k->space.map.pieces > 1 && lanes > 1 &&
        k->space.map.size % (k->space.map.pieces * lanes) != 0)
        return emit_fail(e, "its pieces are no whole words").text != NULL;
    if (k->space.map.pieces <= 1 && !turn_watch(e, t))
        return false;
    if (lanes > 1) {
        e->lane = ix_var(e->ix, "l", lanes, 1);
        i = ix_add(e->ix, ix_scale(e->ix, t, lanes), e->lane);
    }
    if (!map_elements(e, i, span % lanes == 0))
        return false;
    emit_scalars(e, k->space.map.size,
                 arena_printf(e->arena, "if (%s == 0u)", span > lanes ? "t" : "0u"));
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule_map(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    (void)most_unroll;
    const struct vkc_target *t = u->target;
    struct map_schedule *s = &k->schedule.map;
    bool narrow = false;
    for (uint32_t i = 0; i < k->nroots; i++)
        narrow |= type_bytes(func_tensor(unit_func(u), k->roots[i])->type) < 4;
    int64_t span = map_span(k);
    bool even = span * k->space.map.pieces == k->space.map.size && span % LANES == 0;
    s->lanes = narrow || (even && span >= u->tuning->busy_threads) ? LANES : 1;
    k->schedule.group = min32(u->tuning->group, t->max_invocations);
    int64_t threads = (span + s->lanes - 1) / s->lanes;
    if (s->across) {
        s->lanes = s->along % s->lanes == 0 ? s->lanes : 1;
        schedule_spread(k, turn_tiles(k));
    } else
        schedule_spread(k, (threads + k->schedule.group - 1) / k->schedule.group);
}

static int64_t places(const struct kernel *k)
{
    return k->space.map.size;
}

static int64_t pieces(const struct kernel *k)
{
    return k->space.map.pieces;
}

static void print_space(const struct kernel *k, struct str *out)
{
    str_printf(out, " %lld", (long long)k->space.map.size);
}

static uint32_t elements_at_once(const struct kernel *k)
{
    return (uint32_t)k->space.map.pieces;
}

/* In tiles, where loads run across their memory, if that fits. */
static bool turn(struct unit *u, struct kernel *k, struct emit *e, struct diag *d)
{
    if (k->space.map.pieces > 1 || !turn_wanted(e))
        return true;
    bool ok = kernel_body(u, k, 1, false, e, d);
    if (d->code == DIAG_OK && (!ok || kernel_over_limit(e))) {
        k->schedule.map.across = k->schedule.map.along = 0;
        ok = kernel_body(u, k, 1, false, e, d);
    }
    return ok;
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct kernel *k = e->kernel;
    const struct map_schedule *s = &k->schedule.map;
    text_add(t, "BODY", t->body);
    if (s->across) {
        text_add(t, "SHARED", t->shared);
        text_add_number(e, t, "TILES", turn_tiles(k));
        return text_fill(e, t, "map_turned.comp", out);
    }
    text_add_number(e, t, "THREADS", (map_span(k) + s->lanes - 1) / s->lanes);
    return text_fill(e, t, "map.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    if (node_is_hero(func_node(unit_func(u), v.node)))
        return false;
    k->space.map = (struct map_space){.size = unit_size(u, v), .pieces = 1};
    return true;
}

enum { MOST_PIECES = 4 }; /* values that one thread makes together, to be concatenated */

/* Scalars join any kernel; others join if their elements are the same, or if one is several runs of
   the other's. */
static bool join(const struct unit *u, const struct kernel *a, const struct kernel *b,
                 struct kernel *out)
{
    bool a_is_large = family_places(a) >= family_places(b);
    const struct kernel *large = a_is_large ? a : b, *small = a_is_large ? b : a;
    int64_t size = family_places(large), part = family_places(small);
    int64_t runs = family_pieces(large), part_runs = family_pieces(small);
    struct map_space *space = &out->space.map;
    out->family = a->family;
    *space = (struct map_space){size, runs};
    if (part == 1)
        return true;
    if (part == size) {
        space->pieces = part_runs > runs ? part_runs : runs;
        return part_runs == 1 || runs == 1 || part_runs == runs;
    }
    if (size / part >= MOST_PIECES)
        return false;
    space->pieces = (size + part - 1) / part;
    return !u->workgroup && map_span(out) == part && part_runs == 1 &&
           (runs == 1 || runs == space->pieces);
}

/* The elements of a word are one thread's. */
static void schedule_phase(const struct unit *u, struct kernel *k)
{
    k->schedule.map.lanes = 1;
    for (uint32_t i = 0; i < k->nroots; i++)
        if (unit_per_word(u, k->roots[i]) > 1)
            k->schedule.map.lanes = LANES;
}

static void phase(const struct kernel *k, struct phase *out)
{
    uint32_t lanes = k->schedule.map.lanes;
    out->count = (k->space.map.size + lanes - 1) / lanes;
    out->rounds = lanes;
}

static void print_schedule(const struct kernel *k, struct str *out)
{
    const struct map_schedule *s = &k->schedule.map;
    if (s->across)
        str_printf(out, " turning %lld x %lld", (long long)s->across, (long long)s->along);
    else if (s->lanes > 1)
        str_printf(out, " x %u lanes", s->lanes);
}

const struct family map_family = {
    .name = "map",
    .places = places,
    .pieces = pieces,
    .is_elementwise = true,
    .joins_own = true,
    .starts = starts,
    .join = join,
    .has_place = has_places,
    .runs_everywhere = true,
    .schedule_phase = schedule_phase,
    .phase = phase,
    .print_space = print_space,
    .print_schedule = print_schedule,
    .schedule = schedule_map,
    .elements_at_once = elements_at_once,
    .write = kernel_map,
    .rewrite = turn,
    .repeats = map_span,
    .print_shared = turn_shared,
    .fill = fill,
};
