/* The operands of attention on matrix units, on their way from memory into registers, eight
   elements at a time, and from there into shared memory; queries further into matrices. */
#include "codegen/family/attend_matrix.h"

/* Rows of an operand [batch, rows, width], eight elements at a time. */
struct rows {
    const struct attend *a;
    struct value v;
    const struct ix *f, *c; /* row, and the first of eight */
};

static struct expr element(struct emit *e, const void *of, uint32_t l)
{
    const struct rows *r = of;
    const struct ix *at[3] = {r->a->b, r->f, ix_add_const(e->ix, r->c, l)};
    return emit_value(e, r->v, at);
}

static void fetch_whole(struct emit *e, struct rows *r, int64_t extent, int64_t width,
                        const char *to)
{
    uint32_t d = e->scope->depth;
    r->f = ix_var(e->ix, "f", extent, d);
    r->c = ix_scale(e->ix, ix_var(e->ix, "c", width / EIGHT, d), EIGHT);
    matrix_fetch_eight(e, r->a->to, element, r, to, true);
}

/* Where eight elements may end in the middle. */
static void fetch_ragged(struct emit *e, struct rows *r, int64_t extent, int64_t width,
                         const char *to)
{
    for (uint32_t l = 0; l < EIGHT && !e->failed; l++) {
        emit_open(e);
        emit_line(e, e->scope->depth, "uint x = c * 8u + %uu;", l);
        emit_open(e);
        uint32_t d = e->scope->depth;
        r->f = ix_var(e->ix, "f", extent, d);
        r->c = ix_var(e->ix, "x", width, d);
        struct expr x = element(e, r, 0);
        if (x.text)
            emit_line(e, d, "%s[%u] |= %s;", to, l / 2, matrix_bits(e, r->a->to, x.text, l));
        emit_close(e, arena_printf(e->arena, "if (x < %lldu)", (long long)width));
        emit_close(e, "");
    }
}

/* The statements that fill `to` with what stands at row `f` from element 8 c on; zeros outside. */
static void fetch(struct emit *e, struct rows *r, int64_t extent, int64_t width, const char *to)
{
    emit_line(e, e->scope->depth, "%s = uvec4(0u);", to);
    emit_open(e);
    if (width % EIGHT == 0)
        fetch_whole(e, r, extent, width, to);
    else
        fetch_ragged(e, r, extent, width, to);
    emit_close(e, arena_printf(e->arena, "if (f < %lldu && c < %lldu)", (long long)extent,
                               (long long)(width + EIGHT - 1) / EIGHT));
}

/* A thread's vectors of a tile of so many rows. */
uint32_t attend_each(const struct emit *e, uint32_t rows, uint32_t width)
{
    uint32_t group = e->kernel->schedule.group;
    return (rows * (width / EIGHT) + group - 1) / group;
}

/* `statements` for each vector of a tile's rows that a thread has: `load`, its row f from `first`
   on, and c. */
static void open_vectors(struct emit *e, const char *first, uint32_t width)
{
    emit_open(e);
    emit_open(e);
    emit_line(e, e->scope->depth, "uint at = load * %uu + lid, row = at / %uu, c = at %% %uu;",
              e->kernel->schedule.group, width / EIGHT, width / EIGHT);
    if (first)
        emit_line(e, e->scope->depth, "uint f = %s + row;", first);
}

static const char *close_vectors(struct emit *e, uint32_t rows, uint32_t width)
{
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint load = 0u; load < %uu; load++)",
                               attend_each(e, rows, width)));
    return emit_take(e);
}

/* Fills next with a tile's rows of keys or values. */
const char *attend_fetch_tile(struct emit *e, const struct attend *a, struct value v, int64_t width,
                              uint32_t side, const char *first)
{
    struct rows r = {.a = a, .v = v};
    uint32_t wide = attend_padded(width, side);
    open_vectors(e, first, wide);
    fetch(e, &r, a->n, width, "next[load]");
    return close_vectors(e, ATTEND_KEYS, wide);
}

const char *attend_put_tile(struct emit *e, int64_t width, uint32_t side)
{
    uint32_t wide = attend_padded(width, side), vectors = ATTEND_KEYS * wide / EIGHT;
    bool ends = vectors % e->kernel->schedule.group != 0;
    open_vectors(e, NULL, wide);
    emit_line(e, e->scope->depth, "%stile_b[row * %uu + c] = next[load];",
              ends ? arena_printf(e->arena, "if (at < %uu) ", vectors) : "", matrix_pitch(wide));
    return close_vectors(e, ATTEND_KEYS, wide);
}

/* The queries, through the stripes, into matrices. */
void attend_queries(struct emit *e, const struct attend *a)
{
    const struct matrix *x = attend_units(e);
    uint32_t wide = attend_padded(a->d, x->k), rows = e->kernel->schedule.attend.rows;
    struct rows r = {.a = a, .v = a->scores->ins[0]};
    open_vectors(e, "row0", wide);
    emit_line(e, e->scope->depth, "uvec4 next;");
    fetch(e, &r, a->m, a->d, "next");
    emit_line(e, e->scope->depth, "if (row < %uu) tile_a[row * %uu + c] = next;", rows,
              matrix_pitch(wide));
    const char *text = close_vectors(e, rows, wide);
    str_add(&e->scope->text, text);
    emit_line(e, 0, "barrier();");
    uint32_t blocks = e->kernel->schedule.attend.blocks, line = x->m * matrix_pitch(wide);
    emit_line(e, 0, "MatrixA queries[%u];", blocks * wide / x->k);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t i = 0; i < wide / x->k; i++)
            emit_line(e, 0,
                      "queries[%u] = matrix_load_a(tile_a[gl_SubgroupID * %uu + %uu], 0u, %uu, "
                      "48u, 2u);",
                      b * wide / x->k + i, blocks * line, b * line + i * x->k / EIGHT,
                      matrix_pitch(wide));
    emit_line(e, 0, "barrier();");
}
