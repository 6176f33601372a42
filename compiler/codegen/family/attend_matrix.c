/* Attention on matrix units, for 16-bit floats: see attend.c.

   A subgroup has as many rows as a matrix, with its queries and sums in matrices that its threads
   hold together. Keys and values go through shared memory, the same tile for both: the values
   begin their way into registers while the scores are made, and the next keys while the weighted
   values are. Scores leave the matrices through shared memory, a stripe for each subgroup, where a
   row is shared by threads; each takes eight neighbours in turns. Their weights go back into the
   stripe, where their scores were.

   The keys are gone through once: where a tile has a greater score than those before it, the sums
   are multiplied by how much less their weights are worth now, a matrix whose rows are one number
   each. What is made of the scores stays in f32 and is rounded to its type once, at the end. */
#include "codegen/family/attend_matrix.h"

#include "codegen/family/map.h"
#include "codegen/family/schedule.h"
#include "runtime/bundle.h"

/* Behind the weights of 16 bits in a row of a stripe: what their sums are multiplied by. */
enum { TURNS_AT = ATTEND_KEYS / EIGHT };

/* ---- the schedule ---- */

/* False without units for it, or if it has another type before the softmax than behind it. */
static bool way_of(const struct unit *u, const struct kernel *k, const struct vkc_target *t,
                   const struct tuning *tuning, struct attend_way *out)
{
    const struct func *f = unit_func(u);
    const struct attend_space *s = &k->space.attend;
    node_id scores = attend_scores(u, k->heroes[0]);
    if (scores == VKC_NO_NODE)
        return false;
    const struct tensor *q = func_tensor(f, func_node(f, scores)->ins[0]);
    const struct attend_work work = {f->nodes[k->heroes[0]].outs[0].type, s->batch, s->m,
                                     q->shape.dim[2], s->width};
    return q->type == work.type && attend_way_of(t, tuning, &work, out);
}

bool attend_matrix_fits(const struct unit *u, const struct kernel *k, const struct alternative *to)
{
    struct attend_way way;
    return to->matrix_units == UNITS_SUBGROUP && way_of(u, k, to->target, &to->tuning, &way);
}

bool attend_matrix_schedule(const struct unit *u, struct kernel *k)
{
    const struct attend_space *s = &k->space.attend;
    struct attend_way way;
    if (!way_of(u, k, u->target, u->tuning, &way))
        return false;
    k->schedule.attend = (struct attend_schedule){.rows = way.rows,
                                                  .blocks = way.blocks,
                                                  .matrix = way.matrix,
                                                  .row_vectors = way.row_vectors,
                                                  .tile_vectors = way.tile_vectors};
    k->schedule.group = way.subgroups * u->target->subgroup_size;
    k->shared_bytes = way.shared_bytes;
    schedule_spread(k, s->batch * ((s->m + way.rows - 1) / way.rows));
    return true;
}

/* ---- scores and weights ---- */

/* The subgroup's scores of a tile, from matrices into its stripe. */
static const char *make_scores(struct emit *e, const struct attend *a)
{
    const struct matrix *x = attend_units(e);
    uint32_t wide = attend_padded(a->d, x->k);
    emit_open(e);
    emit_open(e);
    uint32_t blocks = e->kernel->schedule.attend.blocks, d = e->scope->depth;
    emit_line(e, d, "MatrixSum score[%u];", blocks);
    for (uint32_t b = 0; b < blocks; b++)
        emit_line(e, d, "score[%u] = matrix_fill(0.0);", b);
    emit_open(e);
    emit_line(e, d + 1, "MatrixB key = matrix_load_b(tile_b[j * %uu + k * %uu], 1u, %uu, 48u, 2u);",
              x->n * matrix_pitch(wide), x->k / EIGHT, matrix_pitch(wide));
    for (uint32_t b = 0; b < blocks; b++)
        emit_line(e, d + 1, "score[%u] = matrix_multiply_add(queries[%uu + k], key, score[%u]);", b,
                  b * wide / x->k, b);
    emit_close_each(e, "k", wide / x->k);
    for (uint32_t b = 0; b < blocks; b++)
        emit_line(e, d,
                  "matrix_store(tile_a[stripe + %uu + j * %uu], score[%u], 0u, %uu, 40u, 2u);",
                  b * x->m * attend_pitch(), x->n / 4, b, attend_pitch());
    emit_close_each(e, "j", ATTEND_KEYS / x->n);
    return emit_take(e);
}

/* Whether the device converts two at once. */
static bool converts(const struct emit *e, enum vkc_type t)
{
    return t == TYPE_F16 && !(VKB_HALF_FEATURES & ~e->unit->target->features);
}

/* Two neighbours, rounded to the type. */
static void round_pair(struct emit *e, const struct attend *a, const char *x, uint32_t l)
{
    uint32_t d = e->scope->depth;
    if (converts(e, a->type))
        emit_line(e, d, "%s.%s = %s(%s.%s);", x, l % 4 ? "zw" : "xy",
                  emit_call(e, "nx_half_round_two", TYPE_C64), x, l % 4 ? "zw" : "xy");
    else if (a->type != TYPE_F32)
        for (uint32_t k = l; k < l + 2; k++)
            emit_line(e, d, "%s[%u] = %s;", x, k % 4,
                      emit_wrap(e, a->type, arena_printf(e->arena, "%s[%u]", x, k % 4)));
}

/* What the softmax is of, for eight neighbours of the thread's row. */
static void take_eight(struct emit *e, const struct attend *a, const struct ix *m)
{
    bool whole = a->n % EIGHT == 0;
    const struct ix *first =
        ix_scale(e->ix, ix_var(e->ix, "eight", a->n / EIGHT, e->scope->depth), EIGHT);
    for (uint32_t l = 0; l < EIGHT && !e->failed; l++) {
        const char *to = arena_printf(e->arena, "x[i * 2u + %uu][%u]", l / 4, l % 4),
                   *from = arena_printf(e->arena, "%s[%u]", l < 4 ? "low" : "high", l % 4);
        if (whole) {
            const struct ix *n = ix_add_const(e->ix, first, l);
            emit_line(e, e->scope->depth, "%s = %s;", to, attend_score(e, a, m, n, from));
            continue;
        }
        emit_open(e);
        emit_line(e, e->scope->depth, "uint n = eight * 8u + %uu;", l);
        emit_open(e);
        const struct ix *n = ix_var(e->ix, "n", a->n, e->scope->depth);
        emit_line(e, e->scope->depth, "%s = %s;", to, attend_score(e, a, m, n, from));
        emit_close(e, arena_printf(e->arena, "if (n < %lldu)", (long long)a->n));
        emit_close(e, "");
    }
}

/* Rows of a subgroup, and threads that share one. */
static uint32_t rows_of(const struct emit *e)
{
    return e->kernel->schedule.attend.blocks * attend_units(e)->m;
}

static uint32_t sharing(const struct emit *e)
{
    return e->unit->target->subgroup_size / rows_of(e);
}

/* The thread's scores of a tile: eight neighbours of its row, i times, with `top` the greatest. */
static const char *take_scores(struct emit *e, const struct attend *a)
{
    bool whole = a->n % EIGHT == 0, ends = a->n % ATTEND_KEYS != 0, vectors = e->vectors;
    emit_open(e);
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "uint at = i * %uu + share;", sharing(e));
    emit_line(e, d,
              "vec4 low = uintBitsToFloat(tile_a[stripe + row * %uu + at * 2u]), high = "
              "uintBitsToFloat(tile_a[stripe + row * %uu + at * 2u + 1u]);",
              attend_pitch(), attend_pitch());
    emit_line(e, d, "uint eight = key0 / 8u + at;");
    if (ends)
        emit_line(e, d, "x[i * 2u] = x[i * 2u + 1u] = vec4(uintBitsToFloat(0xff800000u));");
    const struct ix *m = ix_var(e->ix, "m", a->m, 0);
    e->vectors = whole;
    e->unrounded = true;
    emit_open(e);
    take_eight(e, a, m);
    emit_close(e, whole && ends
                      ? arena_printf(e->arena, "if (eight < %lldu)", (long long)a->n / EIGHT)
                      : "");
    e->unrounded = false;
    e->vectors = vectors;
    for (uint32_t l = 0; l < EIGHT; l += 2) {
        const char *x = arena_printf(e->arena, "x[i * 2u + %uu]", l / 4);
        round_pair(e, a, x, l);
        emit_line(e, d, "top = max(top, max(%s[%u], %s[%u]));", x, l % 4, x, l % 4 + 1);
    }
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)",
                               ATTEND_KEYS / EIGHT / sharing(e)));
    return emit_take(e);
}

/* Their weights, in the stripe, with `part` the sum. */
static const char *weigh(struct emit *e, const struct attend *a)
{
    emit_open(e);
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "uvec4 weights;");
    for (uint32_t l = 0; l < EIGHT; l += 2) {
        const char *x = arena_printf(e->arena, "x[i * 2u + %uu]", l / 4),
                   *low = arena_printf(e->arena, "%s[%u]", x, l % 4),
                   *high = arena_printf(e->arena, "%s[%u]", x, l % 4 + 1);
        for (uint32_t k = 0; k < 2; k++)
            emit_line(e, d, "%s = exp2((%s - top) * 1.44269504);", k ? high : low, k ? high : low);
        emit_line(e, d, "part += %s + %s;", low, high);
        if (converts(e, a->to))
            emit_line(e, d, "weights[%u] = %s(%s.%s);", l / 2,
                      emit_call(e, "nx_half_encode_two", TYPE_C64), x, l % 4 ? "zw" : "xy");
        else
            emit_line(e, d, "weights[%u] = %s | %s;", l / 2, matrix_bits(e, a->to, low, 0),
                      matrix_bits(e, a->to, high, 1));
    }
    emit_line(e, d, "tile_a[stripe + row * %uu + i * %uu + share] = weights;", attend_pitch(),
              sharing(e));
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)",
                               ATTEND_KEYS / EIGHT / sharing(e)));
    return emit_take(e);
}

/* The sums take in the weighted values of a tile. */
static const char *multiply(struct emit *e, const struct attend *a)
{
    const struct matrix *x = attend_units(e);
    uint32_t wide = attend_padded(a->width, x->n), blocks = e->kernel->schedule.attend.blocks,
             line = x->m * attend_pitch();
    emit_open(e);
    for (uint32_t b = 0; b < blocks; b++) {
        emit_open(e);
        uint32_t d = e->scope->depth;
        emit_line(e, d,
                  "MatrixSum worth = matrix_load_sum(tile_a[stripe + %uu], 0u, %uu, 48u, 2u);",
                  b * line + TURNS_AT, attend_pitch());
        for (uint32_t j = 0; j < wide / x->n; j++) {
            uint32_t sum = b * wide / x->n + j;
            emit_line(e, d, "sums[%u] = matrix_scale(sums[%u], worth);", sum, sum);
        }
        emit_close(e, "");
    }
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "MatrixA weight[%u];", blocks);
    for (uint32_t b = 0; b < blocks; b++)
        emit_line(e, d,
                  "weight[%u] = matrix_load_a(tile_a[stripe + %uu + k * %uu], 0u, %uu, 48u, 2u);",
                  b, b * line, x->k / EIGHT, attend_pitch());
    emit_open(e);
    emit_line(e, d + 1,
              "MatrixB value = matrix_load_b(tile_b[k * %uu + j * %uu], 0u, %uu, 48u, 2u);",
              x->k * matrix_pitch(wide), x->n / EIGHT, matrix_pitch(wide));
    for (uint32_t b = 0; b < blocks; b++)
        emit_line(e, d + 1,
                  "sums[%uu + j] = matrix_multiply_add(weight[%u], value, sums[%uu + j]);",
                  b * wide / x->n, b, b * wide / x->n);
    emit_close_each(e, "j", wide / x->n);
    emit_close_each(e, "k", ATTEND_KEYS / x->k);
    return emit_take(e);
}

/* ---- results ---- */

/* Those in the stripe, columns `first` to `first` + `count` of the result, `width` at a time. */
static void finish(struct emit *e, const struct attend *a, uint32_t count)
{
    uint32_t width = a->width % 4 == 0 ? 4 : 1, lanes = e->unit->target->subgroup_size;
    const char *type = emit_type(e, a->to), *sum[4];
    const struct ix *flat[4];
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "uint of_stripe = r / %uu, c = first + r %% %uu;", count / width,
              count / width);
    emit_line(e, d, "uint m_out = row0 + gl_SubgroupID * %uu + of_stripe;", rows_of(e));
    if (width == 4)
        emit_line(e, d, "vec4 sum = uintBitsToFloat(tile_a[stripe + of_stripe * %uu + r %% %uu]);",
                  attend_pitch(), count / width);
    else
        emit_line(e, d,
                  "float sum = uintBitsToFloat(tile_a[stripe + of_stripe * %uu + r %% %uu / "
                  "4u][r %% 4u]);",
                  attend_pitch(), count);
    emit_line(e, d, "float weight = parts[gl_SubgroupID * %uu + of_stripe];", lanes);
    emit_open(e);
    d = e->scope->depth;
    const struct ix *m = ix_var(e->ix, "m_out", a->m, d),
                    *c = ix_scale(e->ix, ix_var(e->ix, "c", a->width / width, d), width);
    for (uint32_t l = 0; l < width; l++) {
        const struct ix *at[3] = {a->b, m, ix_add_const(e->ix, c, l)};
        flat[l] = ix_linear(e->ix, &a->node->outs[0].shape, at);
        sum[l] = attend_result(e, a, width == 4 ? arena_printf(e->arena, "sum[%u]", l) : "sum",
                               "weight");
    }
    if (width == 4)
        emit_results_four(e, a->node, a->id, flat, type, sum);
    else
        emit_results(e, a->node, a->id, flat[0], type, sum[0]);
    emit_close(e, arena_printf(e->arena, "if (m_out < %lldu && c < %lldu)", (long long)a->m,
                               (long long)a->width / width));
    emit_close(e, arena_printf(e->arena,
                               "[[dont_unroll]] for (uint r = gl_SubgroupInvocationID; r < %uu; r "
                               "+= %uu)",
                               rows_of(e) * count / width, lanes));
}

static void results(struct emit *e, const struct attend *a)
{
    const struct matrix *x = attend_units(e);
    uint32_t wide = attend_padded(a->width, x->n), width = a->width % 4 == 0 ? 4 : 1;
    for (uint32_t first = 0; first < wide; first += ATTEND_KEYS) {
        uint32_t count = wide - first < ATTEND_KEYS ? wide - first : ATTEND_KEYS;
        emit_open(e);
        emit_line(e, 1, "const uint first = %uu;", first / width);
        for (uint32_t j = 0; j < count / x->n; j++)
            for (uint32_t b = 0; b < e->kernel->schedule.attend.blocks; b++)
                emit_line(e, 1, "matrix_store(tile_a[stripe + %uu], sums[%u], 0u, %uu, 40u, 2u);",
                          b * x->m * attend_pitch() + j * x->n / 4, (b * wide + first) / x->n + j,
                          attend_pitch());
        emit_line(e, 1, "barrier();");
        finish(e, a, count);
        emit_line(e, 1, "barrier();");
        emit_close(e, "");
    }
}

/* ---- the kernel ---- */

/* Each row's number, in all columns of a matrix that its threads write together, behind the weights
   in the stripe. */
static const char *put_turns(struct emit *e)
{
    const struct matrix *x = attend_units(e);
    uint32_t vectors = x->n / 4 / sharing(e);
    emit_open(e);
    for (uint32_t i = 0; i < vectors; i++)
        emit_line(e, e->scope->depth,
                  "tile_a[stripe + row * %uu + %uu + share * %uu] = "
                  "uvec4(floatBitsToUint(turn));",
                  attend_pitch(), TURNS_AT + i, vectors);
    return emit_take(e);
}

bool attend_matrix_write(struct emit *e, struct attend *a)
{
    struct kernel *k = e->kernel;
    const struct attend_schedule *s = &k->schedule.attend;
    const struct matrix *x = attend_units(e);
    uint32_t wide = attend_padded(a->width, x->n), lanes = e->unit->target->subgroup_size,
             rows = rows_of(e), keys = attend_each(e, ATTEND_KEYS, attend_padded(a->d, x->k)),
             values = attend_each(e, ATTEND_KEYS, wide);
    struct value k_in = a->scores->ins[1], v_in = a->node->ins[1];
    k->matrix = s->matrix;
    e->needs.features |=
        VKB_FEATURE_COOPERATIVE_MATRIX | VKB_FEATURE_VULKAN_MEMORY_MODEL | VKB_FEATURE_F16;
    attend_place(e, a, s->rows);
    attend_queries(e, a);
    emit_line(e, 0,
              "uint row = gl_SubgroupInvocationID %% %uu, share = gl_SubgroupInvocationID / "
              "%uu, stripe = gl_SubgroupID * %uu;",
              rows, rows, rows * attend_pitch());
    emit_line(e, 0, "uint m = min(row0 + gl_SubgroupID * %uu + row, %lldu);", rows,
              (long long)a->m - 1);
    emit_open(e);
    const char *first_keys = attend_fetch_tile(e, a, k_in, a->d, x->k, "0u"),
               *next_keys = attend_fetch_tile(e, a, k_in, a->d, x->k,
                                              arena_printf(e->arena, "key0 + %uu", ATTEND_KEYS)),
               *put_keys = attend_put_tile(e, a->d, x->k), *make = make_scores(e, a),
               *take = take_scores(e, a);
    /* after what scores are made with, as in the plain body: bindings have one order */
    const char *fetch_values = attend_fetch_tile(e, a, v_in, a->width, x->n, "key0"),
               *put_values = attend_put_tile(e, a->width, x->n), *weights = weigh(e, a),
               *turns = put_turns(e), *sum = multiply(e, a);
    emit_take(e);
    const struct template_var
        v[] = {{"N", arena_printf(e->arena, "%lld", (long long)a->n)},
               {"KEYS", arena_printf(e->arena, "%u", ATTEND_KEYS)},
               {"EACH", arena_printf(e->arena, "%u", keys > values ? keys : values)},
               {"SHARING", arena_printf(e->arena, "%u", sharing(e))},
               {"LANES", arena_printf(e->arena, "%u", lanes)},
               {"ROWS", arena_printf(e->arena, "%u", rows)},
               {"SCORES_EACH", arena_printf(e->arena, "%u", ATTEND_KEYS / 4 / sharing(e))},
               {"SUMS", arena_printf(e->arena, "%u", s->blocks * wide / x->n)}},
        blocks[] = {{"FIRST", first_keys},
                    {"PUT", put_keys},
                    {"SCORES", arena_printf(e->arena, "%s%s", fetch_values, make)},
                    {"TAKE", arena_printf(e->arena, "%s%s", put_values, take)},
                    {"WEIGH", arena_printf(e->arena, "%s%s", weights, turns)},
                    {"MULTIPLY", arena_printf(e->arena, "%s%s", next_keys, sum)}};
    emit_pour(e, "attend_matrix.glsl", v, sizeof v / sizeof *v, blocks,
              sizeof blocks / sizeof *blocks);
    results(e, a);
    if (!e->failed)
        emit_scalars(e, family_places(k), "if (tile == 0u && lid == 0u)");
    return e->failed == NULL;
}

void attend_matrix_print_shared(struct emit *e, struct str *out)
{
    const struct attend_schedule *s = &e->kernel->schedule.attend;
    const struct matrix *x = attend_units(e);
    matrix_print_unit(e, x, out);
    template_fill("matrix_scale.glsl", NULL, 0, out, e->diag);
    str_printf(out, "shared uvec4 tile_a[%u], tile_b[%u];\nshared float parts[%u];\n",
               s->rows * s->row_vectors, s->tile_vectors, e->kernel->schedule.group);
}
