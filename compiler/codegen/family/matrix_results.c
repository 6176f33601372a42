/* Results of a product on matrix units: from matrices through shared memory to what follows, which
   stores them, or reduces rows of them (contract_rows.c). */
#include "codegen/family/contract_matrix.h"
#include "codegen/family/contract_rows.h"

/* The vectors from line to line of a row of a subgroup's matrices of results, in the place of the
   left operand, and of the row. Two are to spare, so that neither its stores, of two elements in
   each of eight lines, nor loads of vectors meet in banks. */
uint32_t matrix_sum_pitch(const struct contract_schedule *s)
{
    return s->thread_n / 4 + 2;
}

uint32_t matrix_sum_vectors(const struct contract_schedule *s)
{
    return units_matrix(s->matrix)->m * matrix_sum_pitch(s);
}

/* Of a subgroup, that share a row of a matrix of results. */
static uint32_t row_lanes(const struct unit *u, const struct contract_schedule *s)
{
    return u->target->subgroup_size / units_matrix(s->matrix)->m;
}

/* The same of a row of the tile. */
uint32_t matrix_row_threads(const struct unit *u, const struct contract_schedule *s)
{
    return row_lanes(u, s) * (s->tile_n / s->thread_n);
}

/* Elements of a row of a matrix are given to its lanes four at a time. */
bool matrix_reduces(const struct unit *u, const struct contract_schedule *s)
{
    const struct matrix *m = units_matrix(s->matrix);
    return u->target->subgroup_size % m->m == 0 && row_lanes(u, s) > 0 &&
           m->n % (4 * row_lanes(u, s)) == 0;
}

/* Some elements of a matrix in shared memory, from row m and column n on, `width` of them. */
static void finish_elements(struct emit *e, const struct contract *c, const struct ix *m,
                            const struct ix *n, uint32_t width)
{
    const char *sum[4];
    for (uint32_t l = 0; l < width; l++)
        sum[l] = width == 4 ? arena_printf(e->arena, "sum[%u]", l) : "sum[r % 4u]";
    contract_results(e, c, m, n, sum, width);
}

/* Four elements from number r on of what a subgroup has in shared memory, lines of n elements one
   after the other. */
static void load_sum(struct emit *e, uint32_t n)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    emit_line(e, e->scope->depth, "uint at = gl_SubgroupID * %uu + r / %uu * %uu + r %% %uu / 4u;",
              matrix_sum_vectors(s), n, matrix_sum_pitch(s), n);
    emit_line(e, e->scope->depth, "vec4 sum = uintBitsToFloat(tile_a[at])%s;",
              matrix_splits(e) ? " * back" : "");
}

/* A row of a subgroup's matrices. */
static void finish_row(struct emit *e, const struct contract *c)
{
    const struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    const struct matrix *x = matrix_of(e);
    int64_t rows = k->space.contract.m, columns = k->space.contract.n;
    uint32_t width = columns % 4 == 0 ? 4 : 1, threads = e->unit->target->subgroup_size;
    bool ends = rows % s->tile_m || columns % s->tile_n;
    emit_open(e);
    uint32_t d = e->scope->depth;
    load_sum(e, s->thread_n);
    emit_line(e, d, "uint m = row0 + part_m + i * %uu + r / %uu;", x->m, s->thread_n);
    emit_line(e, d,
              width == 4 ? "uint n = (col0 + part_n + r %% %uu) / 4u;"
                         : "uint n = col0 + part_n + r %% %uu;",
              s->thread_n);
    if (ends)
        emit_open(e);
    d = e->scope->depth;
    const struct ix *n = ix_scale(e->ix, ix_var(e->ix, "n", columns / width, d), width),
                    *m = ix_var(e->ix, "m", rows, d);
    finish_elements(e, c, m, n, width);
    if (ends)
        emit_close(e, arena_printf(e->arena, "if (m < %lldu && n < %lldu)", (long long)rows,
                                   (long long)columns / width));
    emit_close(
        e, arena_printf(
               e->arena,
               "[[dont_unroll]] for (uint r = gl_SubgroupInvocationID * %uu; r < %uu; r += %uu)",
               width, x->m * s->thread_n, width * threads));
}

/* Which row of the tile the i-th of a thread is, and how many threads share it. */
struct row_parts matrix_rows(const struct emit *e)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *x = matrix_of(e);
    uint32_t lanes = row_lanes(e->unit, s), across = s->tile_m / s->thread_m;
    struct arena *a = e->arena;
    return (struct row_parts){
        .rows = s->thread_m / x->m,
        .of = arena_printf(a, "(part_m + i * %uu + gl_SubgroupInvocationID / %uu)", x->m, lanes),
        .parts = matrix_row_threads(e->unit, s),
        .which = arena_printf(a, "(gl_SubgroupID / %uu * %uu + gl_SubgroupInvocationID %% %uu)",
                              across, lanes, lanes)};
}

/* The same for reductions of the rows: the lanes of one take turns with its vectors of four. */
static void reduce_matrix(struct emit *e, const struct contract *c, const struct ix *m)
{
    const struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    const struct matrix *x = matrix_of(e);
    int64_t columns = k->space.contract.n;
    uint32_t width = columns % 4 == 0 ? 4 : 1, lanes = row_lanes(e->unit, s);
    const char *sum[4];
    bool vectors = e->vectors;
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(
        e, d,
        "uint r = gl_SubgroupInvocationID / %uu * %uu + gl_SubgroupInvocationID %% %uu * 4u + "
        "l / 4u * %uu + l %% 4u;",
        lanes, x->n, lanes, 4 * lanes);
    load_sum(e, x->n);
    emit_line(e, d,
              width == 4 ? "uint n = (col0 + part_n + j * %uu + r %% %uu) / 4u;"
                         : "uint n = col0 + part_n + j * %uu + r %% %uu;",
              x->n, x->n);
    if (columns % s->tile_n)
        emit_open(e);
    d = e->scope->depth;
    const struct ix *n = ix_scale(e->ix, ix_var(e->ix, "n", columns / width, d), width);
    for (uint32_t l = 0; l < width; l++)
        sum[l] = width == 4 ? arena_printf(e->arena, "sum[%u]", l) : "sum[r % 4u]";
    e->vectors = width == 4;
    product_rows_take(e, c, m, n, sum, width);
    e->vectors = vectors;
    if (columns % s->tile_n)
        emit_close(e, arena_printf(e->arena, "if (n < %lldu)", (long long)columns / width));
    emit_close(e, arena_printf(e->arena, "[[dont_unroll]] for (uint l = 0u; l < %uu; l += %uu)",
                               x->n / lanes, width));
}

/* The subgroup's matrix of row i and column j goes to vector `to` of its place. */
static void store_sums(struct emit *e, const char *i, const char *to)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    emit_line(e, e->scope->depth,
              "matrix_store(tile_a[gl_SubgroupID * %uu%s], sums[%s * %uu + j], 0u, %uu, 40u, 2u);",
              matrix_sum_vectors(s), to, i, s->thread_n / matrix_of(e)->n, matrix_sum_pitch(s));
}

/* A matrix at a time. */
static void finish_rows(struct emit *e, const struct contract *c, const struct row_parts *parts)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *x = matrix_of(e);
    emit_open(e);
    const struct ix *m = product_row(e, parts);
    emit_open(e);
    uint32_t d = e->scope->depth;
    store_sums(e, "i", "");
    emit_line(e, d, "barrier();");
    reduce_matrix(e, c, m);
    emit_line(e, d, "barrier();");
    emit_close_each(e, "j", s->thread_n / x->n);
    emit_close_each(e, "i", s->thread_m / x->m);
}

/* A row of matrices at a time. What follows the product stands in the code once, in a loop; which
   row is stored is chosen by branches, since matrices that a loop indexes lie in memory. */
static void finish(struct emit *e, const struct contract *c)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *x = matrix_of(e);
    uint32_t count_m = s->thread_m / x->m;
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_open(e);
    emit_open(e);
    emit_open(e);
    store_sums(e, "row", arena_printf(e->arena, " + j * %uu", x->n / 4));
    emit_close_each(e, "j", s->thread_n / x->n);
    emit_close(e, "if (i == row)");
    emit_close_each(e, "row", count_m);
    emit_line(e, d, "barrier();");
    finish_row(e, c);
    emit_line(e, d, "barrier();");
    emit_close(e,
               arena_printf(e->arena, "[[dont_unroll]] for (uint i = 0u; i < %uu; i++)", count_m));
}

void matrix_finish(struct emit *e, const struct contract *c, const struct row_parts *parts)
{
    emit_line(e, 0, "barrier();");
    if (parts)
        finish_rows(e, c, parts);
    else
        finish(e, c);
}
