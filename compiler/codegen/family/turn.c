/* Map where an operand is read across its memory, as in a transposing copy: neighbouring threads
   need elements that are far apart, and each of them would fetch a whole line of memory.

   A workgroup takes a tile of TILE x TILE elements: of the axis along which the results run, and
   of the one along which the operand runs. It reads the operand's tile with neighbouring threads
   along the operand's memory and keeps it in shared memory (with a spare column, so that both
   directions use all banks). Then it computes as map does (turn.glsl). As flat indices of the
   result, with `along` elements to a row of tiles and `across` rows: i = (a * across + y) * along
   + x, where x = lanes * u + l. */
#include "codegen/family/turn.h"

#include "codegen/family/map.h"
#include "codegen/family/schedule.h"

enum { TILE = TURN_TILE, PITCH = TILE + 1, FEWEST = 16, WORTH_IT = 1 << 16, MOST_SHARED = 16384 };

struct turned {
    struct value value;
    const struct ix *flat; /* where it is loaded, in the variables of the kernel */
};

struct turn {
    enum { WATCH, COLLECT, FILL, READ } phase;
    const struct ix *thread;   /* WATCH: of the plain map kernel */
    int64_t across, along;     /* what was seen there */
    const struct ix *y, *next; /* COLLECT: the variable across, and the one that counts along */
    /* all variables of the tiles: where a tile is filled, there are no others */
    const struct ix *own[4];
    uint32_t depth; /* of the scope in which a load is not under a condition */
    struct turned *loads;
    uint32_t nloads, cap_loads, shared_bytes;
};

static bool neighbours_apart(const struct ix *flat, const struct ix *var)
{
    int64_t step = ix_step(flat, var);
    return step != 0 && step != 1;
}

static const struct turned *find(const struct turn *t, struct value v, const struct ix *flat)
{
    for (uint32_t i = 0; i < t->nloads; i++)
        if (t->loads[i].flat == flat && t->loads[i].value.node == v.node &&
            t->loads[i].value.out == v.out)
            return &t->loads[i];
    return NULL;
}

static const char *tile_name(const struct emit *e, const struct turned *t)
{
    return arena_printf(e->arena, "tile%u_n%u", (unsigned)(t - e->turn->loads),
                        func_node(e->func, t->value.node)->label);
}

static uint32_t register_bytes(enum vkc_type t)
{
    return type_bytes(t) < 4 ? 4 : type_bytes(t);
}

static void note(struct emit *e, struct value v, const struct ix *flat);
static const char *turned_element(const struct emit *e, struct value v, const struct ix *flat);

static bool begin(struct emit *e)
{
    e->turn = ARENA_NEW(e->arena, struct turn);
    e->note_load = note;
    e->loaded = turned_element;
    return e->turn || FAIL(e->diag, MEMORY, "out of memory");
}

/* ---- the plain kernel: is there such a load? ---- */

bool turn_watch(struct emit *e, const struct ix *thread)
{
    if (!e->unit->tuning->turns_through_shared || e->unit->workgroup ||
        e->kernel->space.map.size < WORTH_IT)
        return true;
    if (!begin(e))
        return false;
    e->turn->thread = thread;
    return true;
}

/* The load runs along t / d or (t / d) % count: that is the axis across. */
static void watch(struct emit *e, const struct ix *flat)
{
    struct turn *t = e->turn;
    bool is_narrow = false; /* results of less than a word: a thread must have four neighbours */
    if (t->across || !neighbours_apart(flat, e->lane ? e->lane : t->thread))
        return;
    for (uint32_t r = 0; r < e->kernel->nroots; r++)
        is_narrow |= unit_per_word(e->unit, e->kernel->roots[r]) > 1;
    for (uint32_t i = 0; i < flat->nterms; i++) {
        const struct ix_atom *a = flat->terms[i].atom;
        int64_t count = a->max + 1;
        if (a->kind == IX_MOD && a->arg->nterms == 1 && a->arg->terms[0].coef == 1 &&
            a->arg->constant == 0)
            a = a->arg->terms[0].atom;
        /* lanes, or 1 when d was a multiple */
        int64_t per_thread = a->kind == IX_DIV ? ix_coef(a->arg, t->thread) : 0;
        if (flat->terms[i].coef != 1 || per_thread < 1)
            continue;
        int64_t along = a->divisor * e->lanes / per_thread;
        if (along >= FEWEST && count >= FEWEST && (along % e->lanes == 0 || !is_narrow) &&
            e->kernel->space.map.size % (along * count) == 0) {
            t->across = count;
            t->along = along;
            return;
        }
    }
}

bool turn_wanted(struct emit *e)
{
    struct map_schedule *s = &e->kernel->schedule.map;
    if (e->turn) {
        s->across = e->turn->across;
        s->along = e->turn->along;
    }
    return s->across != 0;
}

/* ---- loads, as emit_load sees them ---- */

/* Whether every variable of the index is one of the tiles': the start of a dynamic slice is
   another. */
static bool is_own(const struct turn *t, const struct ix *flat)
{
    for (uint32_t i = 0; i < flat->nterms; i++) {
        const struct ix_atom *a = flat->terms[i].atom;
        bool own = a->kind != IX_VAR && is_own(t, a->arg);
        for (uint32_t j = 0; a->kind == IX_VAR && j < sizeof t->own / sizeof *t->own; j++)
            own |= t->own[j] && t->own[j]->nterms == 1 && t->own[j]->terms[0].atom == a;
        if (!own)
            return false;
    }
    return true;
}

static void collect(struct emit *e, struct value v, const struct ix *flat)
{
    struct turn *t = e->turn;
    uint32_t bytes = TILE * PITCH * register_bytes(func_tensor(e->func, v)->type);
    if (e->scope->depth != t->depth) /* what is read under a condition has no index outside it */
        return;
    if (!is_own(t, flat) || ix_coef(flat, t->y) != 1 || !neighbours_apart(flat, t->next) ||
        find(t, v, flat) || t->shared_bytes + bytes > MOST_SHARED)
        return;
    if (!arena_grow(e->arena, &t->loads, t->nloads, &t->cap_loads, sizeof *t->loads)) {
        emit_fail(e, "out of memory");
        return;
    }
    t->loads[t->nloads++] = (struct turned){v, flat};
    t->shared_bytes += bytes;
}

static void note(struct emit *e, struct value v, const struct ix *flat)
{
    if (e->turn && e->turn->phase == WATCH)
        watch(e, flat);
    else if (e->turn && e->turn->phase == COLLECT)
        collect(e, v, flat);
}

static const char *turned_element(const struct emit *e, struct value v, const struct ix *flat)
{
    const struct turned *t = e->turn && e->turn->phase == READ ? find(e->turn, v, flat) : NULL;
    return t ? arena_printf(e->arena, "%s[%s * %uu + c]", tile_name(e, t),
                            e->lane ? "(r + l)" : "r", PITCH)
             : NULL;
}

/* ---- the kernel in tiles ---- */

/* Emits the elements into nowhere to see which loads to turn. */
static bool collect_loads(struct emit *e, const struct ix *i)
{
    struct emit trial;
    if (!emit_trial(e, &trial))
        return FAIL(e->diag, MEMORY, "out of memory");
    if (map_elements(&trial, i, true) && e->turn->nloads > 0)
        return true;
    emit_fail(e, "no load runs across a tile");
    return false;
}

/* Reads the elements that are turned, at y, u and l, into row r and column c of their tiles. */
static const char *fill_tiles(struct emit *e, const char *in_range)
{
    struct turn *t = e->turn;
    const struct ix *lane = e->lane;
    t->phase = FILL;
    e->lane = NULL; /* single elements */
    emit_open(e);
    if (e->lanes > 1)
        emit_line(e, 1, "uint l = r %% %uu;", e->lanes);
    if (in_range)
        emit_open(e);
    e->floor = e->scope->depth; /* nothing is read outside the condition */
    for (uint32_t i = 0; i < t->nloads; i++) {
        struct expr x = emit_load(e, t->loads[i].value, t->loads[i].flat);
        if (x.text)
            emit_line(e, e->scope->depth, "%s[r * %uu + c] = %s;", tile_name(e, &t->loads[i]),
                      PITCH, x.text);
    }
    e->floor = 0;
    if (in_range)
        emit_close(e, arena_printf(e->arena, "if (%s)", in_range));
    e->lane = lane;
    return emit_take(e);
}

/* What map does, at y and u. */
static const char *use_tiles(struct emit *e, const struct ix *i, const char *in_range)
{
    e->turn->phase = READ;
    emit_open(e);
    if (in_range)
        emit_line(e, 1, "if (!(%s)) continue;", in_range);
    bool done = map_elements(e, i, true);
    const char *text = emit_take(e);
    return done && !e->failed ? text : NULL;
}

static int64_t tiles(int64_t extent)
{
    return (extent + TILE - 1) / TILE;
}

int64_t turn_tiles(const struct kernel *k)
{
    int64_t across = k->schedule.map.across, along = k->schedule.map.along;
    return k->space.map.size / (across * along) * tiles(across) * tiles(along);
}

static bool pour(struct emit *e, int64_t wide, int64_t high, const struct template_var blocks[2])
{
    struct arena *a = e->arena;
    uint32_t rows = e->kernel->schedule.group / TILE, across = TILE / e->lanes,
             columns = min32(e->kernel->schedule.group / across, TILE);
    const struct template_var v[] = {
        {"TILE", arena_printf(a, "%u", TILE)},
        {"WIDE", arena_printf(a, "%lld", (long long)wide)},
        {"HIGH", arena_printf(a, "%lld", (long long)high)},
        {"LANES", arena_printf(a, "%u", e->lanes)},
        {"READS", arena_printf(a, "%u", TILE / rows)},
        {"ROWS", arena_printf(a, "%u", rows)},
        {"USES", arena_printf(a, "%u", TILE / columns)},
        {"COLUMNS", arena_printf(a, "%u", columns)},
        {"ACROSS", arena_printf(a, "%u", across)},
    };
    return emit_pour(e, "turn.glsl", v, sizeof v / sizeof *v, blocks, 2);
}

bool kernel_turn(struct emit *e)
{
    struct kernel *k = e->kernel;
    int64_t across = k->schedule.map.across, along = k->schedule.map.along, high = tiles(across),
            wide = tiles(along);
    uint32_t lanes = e->lanes = k->schedule.map.lanes;
    if (!begin(e))
        return false;
    const struct ix *a = ix_var(e->ix, "a", k->space.map.size / (across * along), 0),
                    *y = ix_var(e->ix, "y", across, 1), *u = ix_var(e->ix, "u", along / lanes, 1);
    e->lane = lanes > 1 ? ix_var(e->ix, "l", lanes, 2) : NULL;
    const struct ix *i =
        ix_add(e->ix, ix_scale(e->ix, ix_add(e->ix, ix_scale(e->ix, a, across), y), along),
               ix_scale(e->ix, u, lanes));
    if (e->lane)
        i = ix_add(e->ix, i, e->lane);
    *e->turn = (struct turn){.phase = COLLECT,
                             .y = y,
                             .next = e->lane ? e->lane : u,
                             .own = {a, y, u, e->lane},
                             .depth = lanes > 1 ? 2 : 1};
    if (!collect_loads(e, i))
        return false;
    const char *in_y =
        across % TILE ? arena_printf(e->arena, "y < %lldu", (long long)across) : NULL;
    const char *in_x =
        along % TILE ? arena_printf(e->arena, "u < %lldu", (long long)(along / lanes)) : NULL;
    const char *in_range = in_y && in_x ? arena_printf(e->arena, "%s && %s", in_y, in_x)
                           : in_y       ? in_y
                                        : in_x;
    if (!ix_is_const(a))
        emit_line(e, 0, "uint a = tile / %lldu;", (long long)(wide * high));
    const struct template_var blocks[] = {{"FILL", fill_tiles(e, in_range)},
                                          {"USE", e->failed ? NULL : use_tiles(e, i, in_range)}};
    if (!blocks[1].text || !pour(e, wide, high, blocks))
        return false;
    emit_scalars(e, k->space.map.size, "if (tile == 0u && lid == 0u)");
    k->shared_bytes = e->turn->shared_bytes;
    return e->failed == NULL;
}

void turn_shared(struct emit *e, struct str *out)
{
    for (uint32_t i = 0; e->turn && e->turn->phase == READ && i < e->turn->nloads; i++) {
        const struct turned *t = &e->turn->loads[i];
        str_printf(out, "shared %s %s[%u];\n", emit_type(e, func_tensor(e->func, t->value)->type),
                   tile_name(e, t), TILE * PITCH);
    }
}
