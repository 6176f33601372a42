/* The operands of a product on matrix units, on their way from memory into registers, eight
   elements at a time, and from there into shared memory. */

#include "codegen/family/contract_matrix.h"
#include "codegen/family/map.h"

struct part matrix_part(const struct emit *e, const struct contract *c, uint32_t side)
{
    const struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    uint32_t tile = side ? s->tile_n : s->tile_m;
    bool along_k = c->along_k[side];
    int64_t extent = along_k ? k->space.contract.k : contract_extent(k, side);
    return (struct part){.side = side,
                         .run = along_k ? s->tile_k : tile,
                         .each = tile * s->tile_k / (EIGHT * k->schedule.group),
                         .along_k = along_k,
                         .whole = extent % EIGHT == 0};
}

/* tk, tf: where in the tile the thread's elements of this load begin. */
static void place(struct emit *e, const struct part *p)
{
    const struct template_var v[] = {
        {"GROUP", arena_printf(e->arena, "%u", e->kernel->schedule.group)},
        {"RUN", arena_printf(e->arena, "%u", p->run / EIGHT)},
        {"ALONG", p->along_k ? "tk" : "tf"},
        {"ACROSS", p->along_k ? "tf" : "tk"},
        {"WIDTH", " * 8u"},
    };
    emit_pour(e, "tile_place.glsl", v, sizeof v / sizeof *v, NULL, 0);
}

/* Eight elements, from the first on, which lie along the memory. */
struct eight {
    const struct contract *c;
    const struct part *p;
    const struct ix *f, *k;
};

static struct expr element(struct emit *e, const void *of, uint32_t l)
{
    const struct eight *at = of;
    bool along_k = at->p->along_k;
    return contract_operand(e, at->c, at->p->side, EIGHT,
                            along_k ? at->f : ix_add_const(e->ix, at->f, l),
                            along_k ? ix_add_const(e->ix, at->k, l) : at->k);
}

/* Where the element is loaded from, if it is a stored value and nothing is done with it. */
static const struct ix *loaded_at(struct emit *e, matrix_element *at, const void *of, uint32_t l,
                                  struct value *out_value)
{
    struct emit trial;
    if (!emit_trial(e, &trial))
        return NULL;
    uint32_t statements = trial.statements;
    struct expr x = at(&trial, of, l);
    const struct kernel *k = trial.kernel;
    if (!x.text || trial.failed || trial.statements != statements + 1 || k->nbound != 1 ||
        !k->bound[0].load_index || k->bound[0].load_index == k)
        return NULL;
    *out_value = k->bound[0].value;
    return k->bound[0].load_index;
}

const struct ix *matrix_loaded_from(struct emit *e, const struct contract *c, const struct part *p,
                                    const struct ix *f, const struct ix *k, struct value *out_value)
{
    const struct eight at = {c, p, f, k};
    return loaded_at(e, element, &at, 0, out_value);
}

/* The index of the first, if all eight are neighbours in memory that begin at a vector of a stored
   value of that type; else NULL. */
static const struct ix *copied_from(struct emit *e, enum vkc_type type, matrix_element *at,
                                    const void *of, struct value *out_value)
{
    struct value other;
    const struct ix *first = loaded_at(e, at, of, 0, out_value);
    if (!first || ix_mod(e->ix, first, EIGHT) != ix_const(e->ix, 0) ||
        func_tensor(e->func, *out_value)->type != type)
        return NULL;
    for (uint32_t l = 1; l < EIGHT; l++)
        if (loaded_at(e, at, of, l, &other) != ix_add_const(e->ix, first, l) ||
            other.node != out_value->node || other.out != out_value->out)
            return NULL;
    return first;
}

static const char *bits(struct emit *e, const char *text, uint32_t l)
{
    return matrix_bits(e, matrix_of(e)->type, text, l);
}

const char *matrix_bits(struct emit *e, enum vkc_type type, const char *text, uint32_t l)
{
    const char *packed = emit_pack(e, type, text);
    return l % 2 ? arena_printf(e->arena, "%s << 16u", packed) : packed;
}

/* "f < 10u && k < 20u" for what tiles do not divide; NULL if there is nothing to say. */
static const char *inside(struct emit *e, const struct part *p, const char *f, const char *k,
                          int64_t fs, int64_t ks)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    bool f_ends = contract_extent(e->kernel, p->side) % (p->side ? s->tile_n : s->tile_m) != 0,
         k_ends = e->kernel->space.contract.k % s->tile_k != 0;
    const char *in_f = f_ends ? arena_printf(e->arena, "%s < %lldu", f, (long long)fs) : "",
               *in_k = k_ends ? arena_printf(e->arena, "%s < %lldu", k, (long long)ks) : "";
    if (!f_ends && !k_ends)
        return NULL;
    return arena_printf(e->arena, "%s%s%s", in_f, f_ends && k_ends ? " && " : "", in_k);
}

static void fetch_zeros(struct emit *e, const struct part *p)
{
    char name = matrix_name(p);
    if (matrix_splits(e))
        emit_line(e, e->scope->depth, "next_%c[load * 2u] = next_%c[load * 2u + 1u] = vec4(0.0);",
                  name, name);
    else
        emit_line(e, e->scope->depth, "next_%c[load] = uvec4(0u);", name);
}

bool matrix_fetch_eight(struct emit *e, enum vkc_type type, matrix_element *at, const void *of,
                        const char *to, bool may_be)
{
    uint32_t d = e->scope->depth;
    struct value v;
    const struct ix *from = may_be ? copied_from(e, type, at, of, &v) : NULL;
    const char *text = from ? emit_load_eight(e, v, from) : NULL;
    if (text)
        emit_line(e, d, "%s = %s;", to, text);
    for (uint32_t l = 0; l < EIGHT && !from && !e->failed; l += 2) {
        struct expr low = at(e, of, l), high = at(e, of, l + 1);
        if (low.text && high.text)
            emit_line(e, d, "%s[%u] = %s | %s;", to, l / 2, matrix_bits(e, type, low.text, 0),
                      matrix_bits(e, type, high.text, 1));
    }
    return from != NULL;
}

/* Elements of f32, in two vectors of four. */
static void fetch_split(struct emit *e, struct part *p, const struct eight *at)
{
    struct value v;
    bool vectors = e->vectors;
    p->copied = loaded_at(e, element, at, 0, &v) != NULL;
    e->vectors = true;
    for (uint32_t l = 0; l < EIGHT && !e->failed; l++) {
        struct expr x = element(e, at, l);
        if (x.text)
            emit_line(e, e->scope->depth, "next_%c[load * 2u + %uu][%u] = %s;", matrix_name(p),
                      l / 4, l % 4, x.text);
    }
    e->vectors = vectors;
}

/* Eight elements that are inside together, or not: f and k count eights along the memory. */
static void fetch_whole(struct emit *e, struct contract *c, struct part *p)
{
    int64_t fs = contract_extent(e->kernel, p->side), ks = e->kernel->space.contract.k;
    emit_line(e, e->scope->depth, p->along_k ? "uint f = %s + tf;" : "uint f = (%s + tf) / 8u;",
              p->side ? "col0" : "row0");
    emit_line(e, e->scope->depth, "uint k = %s;", p->along_k ? "(k0 + tk) / 8u" : "k0 + tk");
    *(p->along_k ? &ks : &fs) /= EIGHT;
    const char *cond = inside(e, p, "f", "k", fs, ks);
    if (cond) {
        fetch_zeros(e, p);
        emit_open(e);
    }
    uint32_t d = e->scope->depth;
    const struct ix *f = ix_var(e->ix, "f", fs, d), *k = ix_var(e->ix, "k", ks, d);
    const struct eight at = {c, p, p->along_k ? f : ix_scale(e->ix, f, EIGHT),
                             p->along_k ? ix_scale(e->ix, k, EIGHT) : k};
    if (matrix_splits(e))
        fetch_split(e, p, &at);
    else
        p->copied =
            matrix_fetch_eight(e, matrix_of(e)->type, element, &at,
                               arena_printf(e->arena, "next_%c[load]", matrix_name(p)), p->whole);
    if (cond)
        emit_close(e, arena_printf(e->arena, "if (%s)", cond));
}

/* Eight elements of which any may be outside. */
static void fetch_ragged(struct emit *e, struct contract *c, const struct part *p)
{
    int64_t fs = contract_extent(e->kernel, p->side), ks = e->kernel->space.contract.k;
    fetch_zeros(e, p);
    emit_line(e, e->scope->depth, "uint f0 = %s + tf;", p->side ? "col0" : "row0");
    for (uint32_t l = 0; l < EIGHT && !e->failed; l++) {
        uint32_t df = p->along_k ? 0 : l, dk = p->along_k ? l : 0;
        emit_open(e);
        emit_line(e, e->scope->depth, "uint f = f0 + %uu, k = k0 + tk + %uu;", df, dk);
        emit_open(e);
        uint32_t d = e->scope->depth;
        const struct eight at = {c, p, ix_var(e->ix, "f", fs, d), ix_var(e->ix, "k", ks, d)};
        struct expr x = element(e, &at, 0);
        if (x.text && matrix_splits(e))
            emit_line(e, d, "next_%c[load * 2u + %uu][%u] = %s;", matrix_name(p), l / 4, l % 4,
                      x.text);
        else if (x.text)
            emit_line(e, d, "next_%c[load][%u] |= %s;", matrix_name(p), l / 2, bits(e, x.text, l));
        const char *cond = inside(e, p, "f", "k", fs, ks);
        emit_close(e, cond ? arena_printf(e->arena, "if (%s)", cond) : "");
        emit_close(e, "");
    }
}

/* Ends the scope of a load. */
static const char *each_load(struct emit *e, const struct part *p)
{
    if (p->copied)
        emit_close_each(e, "load", p->each);
    else
        emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint load = 0u; load < %uu; load++)",
                                   p->each));
    return emit_take(e);
}

const char *matrix_fetch(struct emit *e, struct contract *c, struct part *p)
{
    emit_open(e);
    emit_open(e);
    place(e, p);
    if (p->whole)
        fetch_whole(e, c, p);
    else
        fetch_ragged(e, c, p);
    return each_load(e, p);
}

const char *matrix_use(struct emit *e, const struct part *p, enum matrix_use use)
{
    char name = matrix_name(p);
    emit_open(e);
    emit_open(e);
    place(e, p);
    if (use == MATRIX_PUT_PLAIN)
        split_put_plain(e, p);
    if (use == MATRIX_COUNT || use == MATRIX_TELL)
        split_count(e, p, use == MATRIX_TELL);
    if (use != MATRIX_PUT)
        return each_load(e, p);
    emit_line(e, e->scope->depth, "uint to = %s * %uu + %s / 8u;", p->along_k ? "tf" : "tk",
              matrix_pitch(p->run), p->along_k ? "tk" : "tf");
    if (matrix_splits(e))
        split_put(e, p);
    else
        emit_line(e, e->scope->depth, "tile_%c[to] = next_%c[load];", name, name);
    return each_load(e, p);
}
