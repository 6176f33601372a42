/* Products of f32 on units of f16.

   An element is two of f16, high and low, and a product three: high * high, and both of high * low,
   whose sums are apart, since the low halves are 2048 times as large as they stand for. Together
   they have 22 bits, so a term is off by at most 2^-21 of itself, and the unit, which cuts sums off
   after every 16 terms, by k / 16 * 2^-22 of the sum of magnitudes: less than the k * 2^-24 that is
   promised, from 32 terms on.

   f16 has few exponents. An operand's scale follows from the first tile that a workgroup loads, and
   whether it suits all others is known at the end: if an element was too large, the workgroup makes
   its product again, by fma. What is below the scale's least magnitude has an error of more than
   its share: 2^-36 of the unit of scale, of k * 2^-25 that are free. Values that are near 0 now and
   then are common, and a row of one is not: then what they lack is compared with the results, see
   sums_share, and the product by fma is made where it is too much. */

#include <math.h>

#include "codegen/family/contract_matrix.h"

static uint32_t plane(const struct emit *e, uint32_t side)
{
    return e->kernel->schedule.contract.vectors[side] / 2;
}

/* The exponent of the least scaled magnitude of which the error is no more than its share. */
static int least_exponent(const struct emit *e)
{
    int bits = 0;
    while (e->kernel->space.contract.k >> (bits + 1))
        bits++;
    return -11 - bits;
}

/* How much smaller than the least of the first tile others may be: 2^-16 of it. Of values that are
   evenly distributed around 0, one of 65,536 is 2^-16 of the first. */
enum { ROOM_BELOW = 16 };

void split_print_shared(struct emit *e, struct str *out)
{
    const struct template_var v[] = {
        {"LEAST", arena_printf(e->arena, "%d", least_exponent(e) + ROOM_BELOW)},
    };
    template_fill("matrix_scale.glsl", NULL, 0, out, e->diag);
    template_fill("matrix_split.glsl", v, 1, out, e->diag);
}

void split_begin(struct emit *e, const struct part parts[2])
{
    const struct template_var v[] = {
        {"EACH_A", arena_printf(e->arena, "%u", 2 * parts[0].each)},
        {"EACH_B", arena_printf(e->arena, "%u", 2 * parts[1].each)},
    };
    emit_pour(e, "matrix_reach.glsl", v, sizeof v / sizeof *v, NULL, 0);
}

void split_put(struct emit *e, const struct part *p)
{
    const struct template_var v[] = {
        {"SIDE", p->side ? "b" : "a"},
        {"PLANE", arena_printf(e->arena, "%u", plane(e, p->side))},
    };
    emit_pour(e, "matrix_put.glsl", v, sizeof v / sizeof *v, NULL, 0);
}

/* Vectors of a line: the rows or columns of the tile, and one to spare. */
static uint32_t plain_pitch(const struct emit *e, uint32_t side)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    return (side ? s->tile_n : s->tile_m) / 4 + 1;
}

void split_put_plain(struct emit *e, const struct part *p)
{
    uint32_t d = e->scope->depth, pitch = plain_pitch(e, p->side);
    char name = matrix_name(p);
    for (uint32_t l = 0; l < EIGHT && p->along_k; l++)
        emit_line(e, d,
                  "tile_%c[(tk + %uu) * %uu + tf / 4u][tf %% 4u] = "
                  "floatBitsToUint(next_%c[load * 2u + %uu][%u]);",
                  name, l, pitch, name, l / 4, l % 4);
    for (uint32_t half = 0; half < 2 && !p->along_k; half++)
        emit_line(e, d,
                  "tile_%c[tk * %uu + tf / 4u + %uu] = floatBitsToUint(next_%c[load * 2u + %uu]);",
                  name, pitch, half, name, half);
}

/* Of eight elements of a load, each may lie in a line of its own, or all in one. */
static uint32_t lines_of(const struct part *p)
{
    return p->along_k ? 1 : EIGHT;
}

void split_count(struct emit *e, const struct part *p, bool tell)
{
    const char *first =
        p->side ? arena_printf(e->arena, "%u", e->kernel->schedule.contract.tile_m) : "0";
    const struct template_var v[] = {
        {"SIDE", p->side ? "b" : "a"},
        {"LINES", arena_printf(e->arena, "%u", lines_of(p))},
        {"FIRST", first},
    };
    emit_pour(e, tell ? "matrix_tell.glsl" : "matrix_count.glsl", v, tell ? 3 : 2, NULL, 0);
}

/* Elements that are too small, with the largest that they meet, lack 2^-36 times that, and half as
   much where the product of two low halves is left out: 2^-35 for both. Of k * 2^-25 times the sum
   of magnitudes, which is at least half the result's, these may be all. */
static double sums_share(const struct emit *e)
{
    return ldexp((double)e->kernel->space.contract.k, -25 - 1 + 35);
}

/* The text of a file for each of a subgroup's matrices of sums, which i and j name. */
static const char *each_sum(struct emit *e, const char *file, const struct template_var *v,
                            uint32_t nv)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *m = matrix_of(e);
    emit_open(e);
    emit_open(e);
    emit_open(e);
    emit_pour(e, file, v, nv, NULL, 0);
    emit_close_each(e, "j", s->thread_n / m->n);
    emit_close_each(e, "i", s->thread_m / m->m);
    return emit_take(e);
}

/* The looks at all of a subgroup's sums. */
static const char *stands(struct emit *e, uint32_t pitch)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *m = matrix_of(e);
    uint32_t count_n = s->thread_n / m->n;
    struct arena *ar = e->arena;
    const struct template_var v[] = {
        {"VECTORS", arena_printf(ar, "%u", m->m * pitch)},
        {"PITCH", arena_printf(ar, "%u", pitch)},
        {"COUNT_N", arena_printf(ar, "%u", count_n)},
        {"ROWS", arena_printf(ar, "%u", m->m)},
        {"COLUMNS", arena_printf(ar, "%u", m->n)},
        {"THREADS", arena_printf(ar, "%u", e->unit->target->subgroup_size)},
        {"TILE_M", arena_printf(ar, "%u", s->tile_m)},
        {"SHARE", arena_printf(ar, "%.9g", sums_share(e))},
    };
    return each_sum(e, "matrix_stands.glsl", v, sizeof v / sizeof *v);
}

static void check_sums(struct emit *e, const struct part parts[2], const struct split_text *text,
                       uint32_t pitch)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    struct arena *ar = e->arena;
    int64_t k = e->kernel->space.contract.k, steps = (k + s->tile_k - 1) / s->tile_k;
    const struct template_var blocks[] = {{"FETCH", text->fetch},
                                          {"COUNT", text->count},
                                          {"TELL", text->tell},
                                          {"SUMS", stands(e, pitch)}};
    const struct template_var v[] = {
        {"LEAST", arena_printf(ar, "%.9g", ldexp(1, least_exponent(e)))},
        {"LINES", arena_printf(ar, "%u", s->tile_m + s->tile_n)},
        {"GROUP", arena_printf(ar, "%u", e->kernel->schedule.group)},
        {"STEPS", arena_printf(ar, "%lld", (long long)steps)},
        {"TILE_K", arena_printf(ar, "%u", s->tile_k)},
        {"COUNTS_A", arena_printf(ar, "%u", parts[0].each * lines_of(&parts[0]))},
        {"COUNTS_B", arena_printf(ar, "%u", parts[1].each * lines_of(&parts[1]))},
    };
    emit_pour(e, "matrix_check.glsl", v, sizeof v / sizeof *v, blocks,
              sizeof blocks / sizeof *blocks);
}

/* What threads have by fma, as their subgroup's matrices. */
static const char *plain_sums(struct emit *e, uint32_t pitch)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *m = matrix_of(e);
    uint32_t count_n = s->thread_n / m->n;
    const struct template_var v[] = {
        {"VECTORS", arena_printf(e->arena, "%u", m->m * pitch)},
        {"COUNT_N", arena_printf(e->arena, "%u", count_n)},
        {"PITCH", arena_printf(e->arena, "%u", pitch)},
    };
    return each_sum(e, "matrix_sums.glsl", v, sizeof v / sizeof *v);
}

/* Low halves are 2048 times as large as they stand for. */
static void add_low_sums(struct emit *e, uint32_t sums)
{
    emit_line(e, 0, "MatrixSum low_unit = matrix_fill(1.0 / 2048.0);");
    emit_open(e);
    emit_line(e, e->scope->depth,
              "sums[i] = matrix_add(sums[i], matrix_scale(low_sums[i], low_unit));");
    emit_close_each(e, "i", sums);
}

void split_end(struct emit *e, const struct part parts[2], const struct split_text *text,
               uint32_t pitch)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *m = matrix_of(e);
    struct arena *ar = e->arena;
    int64_t k = e->kernel->space.contract.k, steps = (k + s->tile_k - 1) / s->tile_k;
    uint32_t count_m = s->thread_m / m->m, count_n = s->thread_n / m->n;
    add_low_sums(e, count_m * count_n);
    check_sums(e, parts, text, pitch);
    const struct template_var blocks[] = {
        {"FETCH", text->fetch}, {"PUT", text->put}, {"SUMS", plain_sums(e, pitch)}};
    const struct template_var v[] = {
        {"STEPS", arena_printf(ar, "%lld", (long long)steps)},
        {"TILE_K", arena_printf(ar, "%u", s->tile_k)},
        {"RESULTS", arena_printf(ar, "%u", count_m * count_n * 8)},
        {"COUNT_M", arena_printf(ar, "%u", count_m)},
        {"COUNT_N", arena_printf(ar, "%u", count_n)},
        {"PITCH_A", arena_printf(ar, "%u", plain_pitch(e, 0))},
        {"PITCH_B", arena_printf(ar, "%u", plain_pitch(e, 1))},
    };
    emit_pour(e, "matrix_plain.glsl", v, sizeof v / sizeof *v, blocks,
              sizeof blocks / sizeof *blocks);
}
