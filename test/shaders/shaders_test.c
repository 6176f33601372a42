/* Each file of shaders/ by itself: a kernel gives it what its contract asks for, calls it on small
   data, and the results are those of plain C. The math library and the emulated fma have
   test/numerics. */
#include "run.h"
#include "target/limits.h"

static struct run run;

/* Shared memory has a gap every 32. */
static uint32_t slots(uint32_t n)
{
    return n + n / 32 + 1;
}

/* ---- sorting: items of a key in the upper half of a word and a place in the lower ---- */

static const char *item_text(uint32_t group)
{
    const char *shared =
        arena_printf(run.arena, "shared uint all_low[%u];\nshared uint all_place[%u];",
                     slots(8 * group), slots(8 * group));
    const struct template_var item[] = {
        {"FIELDS", "low, place"},
        {"SHARED", shared},
        {"GET", "return item(all_low[i], all_place[i]);"},
        {"PUT", "all_low[i] = x.low;\n    all_place[i] = x.place;"},
        {"BEFORE", "a.low < b.low"},
        {"CHOOSE", "mix(y.low, x.low, first), mix(y.place, x.place, first)"},
    };
    return arena_printf(run.arena, "%s%s", run_fill(&run, "sort_item.glsl", VARS(item)),
                        run_fill(&run, "merge.glsl", NULL, 0));
}

/* Sorts words by their upper halves; equal ones keep their order. */
static void sort_words(uint32_t *x, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j > 0 && x[j] >> 16 < x[j - 1] >> 16; j--) {
            uint32_t word = x[j];
            x[j] = x[j - 1];
            x[j - 1] = word;
        }
}

/* `keys` different keys; so places tell whether equal ones keep their order. */
static void fill_words(uint32_t *x, uint32_t n, uint32_t keys)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = run_random() % keys << 16 | i;
}

static void test_sort_runs(uint32_t group, uint32_t span, uint32_t groups, uint32_t keys)
{
    uint32_t in[WORDS], wanted[WORDS], n = 8 * group * groups;
    const struct template_var vars[] = {{"SPAN", run_number(&run, span)}};
    const char *functions = arena_printf(run.arena, "%s%s", item_text(group),
                                         run_fill(&run, "sort_runs.glsl", VARS(vars)));
    const char *body =
        "    uint mine = 8u * gl_LocalInvocationID.x, first = 8u * gl_GlobalInvocationID.x;\n"
        "    for (uint i = 0u; i < 8u; i++)\n"
        "        put(mine + i, item(from[first + i] >> 16, from[first + i] & 0xffffu));\n"
        "    barrier();\n"
        "    sort_runs(mine);\n"
        "    barrier();\n"
        "    for (uint i = 0u; i < 8u; i++) {\n"
        "        item x = get(mine + i);\n"
        "        to[first + i] = x.low << 16 | x.place;\n"
        "    }\n";
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "sort_runs %u of %u, %u keys", n / span, span, keys),
        .glsl = run_kernel_text(&run, group, functions, body),
        .group = group,
        .groups = groups,
        .shared_bytes = 8 * slots(8 * group),
        .words = n};
    fill_words(in, n, keys);
    memcpy(wanted, in, sizeof wanted);
    for (uint32_t i = 0; i < n; i += span)
        sort_words(wanted + i, span);
    run_compare(&run, &k, in, wanted);
}

/* Rounds that leave one of `n` places, when each looks at `at_once` of them. */
static uint32_t rounds_of(uint32_t n, uint32_t at_once)
{
    uint32_t rounds = 0;
    for (int64_t left = n; left > 0; rounds++)
        left = (left + at_once - 1) / at_once - 1;
    return rounds;
}

/* The first run has a_size items, the second b_size; `shift` is added to the keys of the second. */
static void test_merge_runs(uint32_t group, uint32_t a_size, uint32_t b_size, uint32_t keys,
                            uint32_t shift)
{
    uint32_t in[WORDS], wanted[WORDS], n = a_size + b_size, half = group / 2;
    uint32_t rounds = rounds_of(a_size, half);
    const struct template_var vars[] = {
        {"FOUND", run_number(&run, 2 * rounds)},
        {"HALF", run_number(&run, half)},
        {"UNROLL", ""},
        {"GROUP", run_number(&run, group)},
    };
    const char *functions = arena_printf(
        run.arena,
        "%sitem fetch(uint i)\n{\n    return item(from[i] >> 16, from[i] & 0xffffu);\n}\n%s",
        item_text(group), run_fill(&run, "merge_runs.glsl", VARS(vars)));
    const char *body = arena_printf(run.arena,
                                    "    uint lid = gl_LocalInvocationID.x, start = %uu * "
                                    "gl_WorkGroupID.x, count = min(%uu, %uu - start);\n"
                                    "    merge_runs(lid, 0u, %uu, %uu, %uu, start, count);\n"
                                    "    barrier();\n"
                                    "    for (uint l = lid; l < count; l += %uu)\n"
                                    "        to[start + l] = get(l).low << 16 | get(l).place;\n",
                                    8 * group, 8 * group, n, a_size, a_size, b_size, group);
    const struct run_kernel k = {.name =
                                     arena_printf(run.arena, "merge_runs %u and %u, %u keys, %u",
                                                  a_size, b_size, keys, shift),
                                 .glsl = run_kernel_text(&run, group, functions, body),
                                 .group = group,
                                 .groups = (n + 8 * group - 1) / (8 * group),
                                 .shared_bytes = 8 * slots(8 * group) + 8 * rounds + 8,
                                 .words = n};
    fill_words(in, n, keys);
    for (uint32_t i = a_size; i < n; i++)
        in[i] += shift << 16;
    sort_words(in, a_size);
    sort_words(in + a_size, b_size);
    memcpy(wanted, in, sizeof wanted);
    sort_words(wanted, n);
    run_compare(&run, &k, in, wanted);
}

/* What an order of tiles is made of: the tile, what subgroups say in case, and the order. */
static const char *digit_text(const struct template_var *tile, uint32_t ntile, bool ranked)
{
    const struct template_var vars[] = {{"WORDS", "2"}, {"UNROLL", ""}, {"ROLLED", ""}};
    const char *text = run_fill(&run, "digit_tile.glsl", tile, ntile);
    if (!ranked)
        return arena_printf(run.arena, "%s%s", text, run_fill(&run, "digit_sort.glsl", vars, 2));
    return arena_printf(run.arena, "%s%s%s", text, run_fill(&run, "emulated_lanes.glsl", NULL, 0),
                        run_fill(&run, "digit_rank.glsl", vars, 3));
}

/* Tiles by a digit of their keys; then what its offsets say of each digit's first item, where
   digit d has 7000 + d keys in all tiles and the first of a tile is the (d % 3)-th. */
static void test_digit_sort(uint32_t group, uint32_t groups, uint32_t radix, uint32_t bit,
                            bool ranked)
{
    uint32_t in[WORDS], wanted[WORDS], tile = 16 * group, n = tile * groups, at = 0;
    const struct template_var vars[] = {
        {"GROUP", run_number(&run, group)},
        {"RADIX", run_number(&run, radix)},
        {"BIT", run_number(&run, bit)},
        {"LENGTH", run_number(&run, n)},
        {"WORDS", "2"},
        {"DIGIT", "x.word[0]"},
    };
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "digits of radix %u at %u, %u threads%s", radix, bit, group,
                             ranked ? ", ranked" : ""),
        .glsl = run_kernel_text(
            &run, group, digit_text(VARS(vars), ranked),
            "    uint lid = gl_LocalInvocationID.x, first = EACH * GROUP * gl_WorkGroupID.x;\n"
            "    item own[EACH];\n"
            "    uint firsts[DIGITS], all = 0u;\n"
            "    for (uint i = 0u; i < DIGITS; i++) {\n"
            "        firsts[i] = all + (lid * DIGITS + i) % 3u;\n"
            "        all += 7000u + lid * DIGITS + i;\n"
            "    }\n"
            "    for (uint i = 0u; i < EACH; i++) {\n"
            "        uint x = from[first + place_at(lid, i)];\n"
            "        own[i] = item(uint[](x >> 16, x & 0xffffu));\n"
            "    }\n"
            "    order_tile(lid, EACH * GROUP, own, firsts, all);\n"
            "    for (uint i = 0u; i < EACH; i++) {\n"
            "        uint l = i * GROUP + lid, place = offsets[digit_of(own[i])] + l;\n"
            "        to[first + l] = place << 11 ^ own[i].word[0] << 16 ^ own[i].word[1];\n"
            "    }\n"),
        .group = group,
        .groups = groups,
        .shared_bytes =
            ranked ? digits_ranked_bytes(tile, radix, true) : digits_shared_bytes(tile, radix),
        .words = n};
    fill_words(in, n, 1 << 12);
    for (uint32_t first = 0; first < n; first += tile)
        for (uint32_t digit = 0; digit < radix; digit++) {
            uint32_t place = 7000 * digit + digit * (digit - 1) / 2 + digit % 3;
            for (uint32_t i = 0; i < tile; i++)
                if ((in[first + i] >> (16 + bit) & (radix - 1)) == digit)
                    wanted[at++] = place++ << 11 ^ in[first + i];
        }
    run_compare(&run, &k, in, wanted);
}

/* ---- scans ---- */

/* What is scanned: sums that wrap, and the last that is not 0, which is another thing with its
 * operands swapped. */
static const struct combination {
    const char *text;
    bool last;
} sum = {"x + y", false}, last = {"y != 0u ? y : x", true};

static void test_scan(const struct combination *c, uint32_t lanes, uint32_t runs, uint32_t steps)
{
    uint32_t in[WORDS], wanted[WORDS], group = lanes * runs, span = 8 * lanes,
                                       n = steps * span * runs;
    const struct template_var vars[] = {
        {"TYPE", "uint"},
        {"SLOTS", run_number(&run, slots(8 * group))},
        {"GROUP", run_number(&run, group)},
        {"PRECISE", ""},
        {"COMBINE", c->text},
        {"LANES", run_number(&run, lanes)},
    };
    /* run r has the words from r * steps * span on */
    const char *body =
        arena_printf(run.arena,
                     "    uint lid = gl_LocalInvocationID.x, carry = 0u;\n"
                     "    for (uint step = 0u; step < %uu; step++) {\n"
                     "        uint first = (lid / %uu * %uu + step) * %uu + 8u * (lid %% %uu);\n"
                     "        for (uint i = 0u; i < 8u; i++)\n"
                     "            put(8u * lid + i, from[first + i]);\n"
                     "        barrier();\n"
                     "        carry = scan_span(lid, carry);\n"
                     "        for (uint i = 0u; i < 8u; i++) {\n" /* other threads' elements */
                     "            uint l = i * %uu + lid;\n"
                     "            to[(l / %uu * %uu + step) * %uu + l %% %uu] = get(l);\n"
                     "        }\n"
                     "        barrier();\n"
                     "    }\n",
                     steps, lanes, steps, span, lanes, group, span, steps, span, span);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "scan %s, %u runs of %u", c->text, runs, steps * span),
        .glsl = run_kernel_text(&run, group, run_fill(&run, "scan.glsl", VARS(vars)), body),
        .group = group,
        .groups = 1,
        .shared_bytes = 4 * (slots(8 * group) + group),
        .words = n};
    for (uint32_t i = 0; i < n; i++)
        in[i] = c->last && run_random() % 20 ? 0 : run_random();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = i % (steps * span) ? wanted[i - 1] : 0;
        wanted[i] = !c->last ? before + in[i] : in[i] ? in[i] : before;
    }
    run_compare(&run, &k, in, wanted);
}

/* ---- matrix products: 10 products a sum, so that the last tile is not full ---- */

enum { K = 10, TILE_K = 4 };

/* A loop over the loads of a thread, which bring elements of the tile of `side`: `statement` does
 * one. */
static const char *loads_text(char side, uint32_t group, uint32_t tile, const char *statement)
{
    bool along_k = side == 'a';
    const struct template_var vars[] = {
        {"GROUP", run_number(&run, group)},
        {"RUN", run_number(&run, along_k ? TILE_K : tile)},
        {"WIDTH", ""},
        {"ALONG", along_k ? "tk" : "tf"},
        {"ACROSS", along_k ? "tf" : "tk"},
    };
    return arena_printf(run.arena, "for (uint load = 0u; load < %uu; load++) {\n%s%s\n}\n",
                        tile * TILE_K / group, run_fill(&run, "tile_place.glsl", VARS(vars)),
                        statement);
}

/* a[n, K] in front of b[K, n], and of them one tile of n x n results, each thread `each` x `each`
 * of them. */
static void fill_product(uint32_t n, uint32_t *in, uint32_t *wanted)
{
    for (uint32_t i = 0; i < 2 * n * K; i++) {
        in[i] = run_random() % 1000;
        wanted[i] = 0;
    }
    for (uint32_t i = 0; i < n * n; i++)
        for (uint32_t k = 0; k < K; k++)
            wanted[i] += in[i / n * K + k] * in[n * K + k * n + i % n];
}

/* With `vector`, shared memory has vectors of four. */
static void test_tile_loop(uint32_t n, uint32_t each, uint32_t vector)
{
    uint32_t in[WORDS], wanted[WORDS], across = n / each, group = across * across,
                                       pitch = (n + vector) / vector;
    const char *type = vector == 4 ? "uvec4" : "uint";
    const char *at = arena_printf(
        run.arena,
        vector == 4 ? "[(put + tk) * %uu + tf / 4u][tf %% 4u]" : "[(put + tk) * %uu + tf]", pitch);
    const char *fetch_a = arena_printf(
        run.arena, "next_a[load] = k0 + tk < %uu ? from[tf * %uu + k0 + tk] : 0u;", K, K);
    const char *fetch_b = arena_printf(
        run.arena, "next_b[load] = k0 + tk < %uu ? from[%uu + (k0 + tk) * %uu + tf] : 0u;", K,
        n * K, n);
    const char *fetch = arena_printf(run.arena, "%s%s", loads_text('a', group, n, fetch_a),
                                     loads_text('b', group, n, fetch_b));
    const char *put_a = arena_printf(run.arena, "tile_a%s = next_a[load];", at);
    const char *put_b = arena_printf(run.arena, "tile_b%s = next_b[load];", at);
    const char *put = arena_printf(run.arena, "%s%s", loads_text('a', group, n, put_a),
                                   loads_text('b', group, n, put_b));
    const char *add =
        arena_printf(run.arena,
                     vector == 4 ? "acc[i * %uu + j] += a[i / 4u][i %% 4u] * b[j / 4u][j %% 4u];"
                                 : "acc[i * %uu + j] += a[i] * b[j];",
                     each);
    const struct template_var vars[] = {
        {"STEPS", run_number(&run, (K + TILE_K - 1) / TILE_K)},
        {"TILE_K", run_number(&run, TILE_K)},
        {"TYPE", type},
        {"TYPE_A", "uint"},
        {"EACH_A", run_number(&run, n * TILE_K / group)},
        {"TYPE_B", "uint"},
        {"EACH_B", run_number(&run, n * TILE_K / group)},
        {"RUN_A", run_number(&run, each / vector)},
        {"RUN_B", run_number(&run, each / vector)},
        {"PITCH_A", run_number(&run, pitch)},
        {"PITCH_B", run_number(&run, pitch)},
        {"APART_A", run_number(&run, across)},
        {"APART_B", run_number(&run, across)},
        {"THREAD_M", run_number(&run, each)},
        {"THREAD_N", run_number(&run, each)},
        {"ADD", add},
        {"AT_STEP", ""},
        {"FETCH", fetch},
        {"PUT", put},
    };
    const char *shared = arena_printf(run.arena, "shared %s tile_a[%u], tile_b[%u];", type,
                                      2 * TILE_K * pitch, 2 * TILE_K * pitch);
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, tn = lid %% %uu, tm = lid / %uu;\n"
        "    uint acc[%u];\n"
        "    for (uint i = 0u; i < %uu; i++)\n"
        "        acc[i] = 0u;\n"
        "%s"
        "    for (uint i = 0u; i < %uu; i++)\n"
        "        for (uint j = 0u; j < %uu; j++) {\n"
        "            uint m = i / %uu * %uu + tm * %uu + i %% %uu, n = j / %uu * %uu + tn * %uu + "
        "j %% %uu;\n"
        "            to[m * %uu + n] = acc[i * %uu + j];\n"
        "        }\n"
        "    for (uint i = %uu + lid; i < %uu; i += %uu)\n"
        "        to[i] = 0u;\n",
        across, across, each * each, each * each, run_fill(&run, "tile_loop.glsl", VARS(vars)),
        each, each, vector, across * vector, vector, vector, vector, across * vector, vector,
        vector, n, each, n * n, 2 * n * K, group);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "tile_loop %u x %u, %u each, %s", n, n, each, type),
        .glsl = run_kernel_text(&run, group, shared, body),
        .group = group,
        .groups = 1,
        .shared_bytes = 4 * 4 * TILE_K * pitch * vector,
        .words = 2 * n * K};
    fill_product(n, in, wanted);
    run_compare(&run, &k, in, wanted);
}

static void test_tile_direct(uint32_t n, uint32_t each)
{
    uint32_t in[WORDS], wanted[WORDS], across = n / each, group = across * across;
    const char *fetch = arena_printf(run.arena,
                                     "    for (uint i = 0u; i < %uu; i++) {\n"
                                     "        a[i] = from[(row0 + i) * %uu + k];\n"
                                     "        b[i] = from[%uu + k * %uu + col0 + i];\n"
                                     "    }\n",
                                     each, K, n * K, n);
    const struct template_var vars[] = {
        {"LOOP", arena_printf(run.arena, "for (uint k = 0u; k < %uu; k++)", K)},
        {"STEP", ""},
        {"TYPE", "uint"},
        {"THREAD_M", run_number(&run, each)},
        {"THREAD_N", run_number(&run, each)},
        {"ADD_EACH", arena_printf(run.arena,
                                  "    for (uint i = 0u; i < %uu; i++)\n"
                                  "        for (uint j = 0u; j < %uu; j++)\n"
                                  "            acc[i * %uu + j] += a[i] * b[j];\n",
                                  each, each, each)},
        {"FETCH", fetch},
    };
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, col0 = lid %% %uu * %uu, row0 = lid / %uu * %uu;\n"
        "    uint acc[%u];\n"
        "    for (uint i = 0u; i < %uu; i++)\n"
        "        acc[i] = 0u;\n"
        "%s"
        "    for (uint i = 0u; i < %uu; i++)\n"
        "        to[(row0 + i / %uu) * %uu + col0 + i %% %uu] = acc[i];\n"
        "    for (uint i = %uu + lid; i < %uu; i += %uu)\n"
        "        to[i] = 0u;\n",
        across, each, across, each, each * each, each * each,
        run_fill(&run, "tile_direct.glsl", VARS(vars)), each * each, each, n, each, n * n,
        2 * n * K, group);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "tile_direct %u x %u, %u each", n, n, each),
        .glsl = run_kernel_text(&run, group, "", body),
        .group = group,
        .groups = 1,
        .words = 2 * n * K};
    fill_product(n, in, wanted);
    run_compare(&run, &k, in, wanted);
}

/* ---- sums that threads share: part `slice` of sum i, place t is number
 * (i * across + t) * slices + slice ---- */

static void test_slice_sums(uint32_t across, uint32_t slices, uint32_t sums, uint32_t round)
{
    uint32_t in[WORDS], wanted[WORDS], group = across * slices, n = group * sums,
                                       results = round * across, helpers = 1, pitch = slices + 1;
    while (2 * helpers * results <= group && helpers < slices)
        helpers *= 2;
    const struct template_var vars[] = {
        {"TYPE", "uint"},
        {"ROUNDS", run_number(&run, sums / round)},
        {"ROUND", run_number(&run, round)},
        {"ACROSS", run_number(&run, across)},
        {"PITCH", run_number(&run, pitch)},
        {"RESULTS", run_number(&run, results)},
        {"HELPERS", run_number(&run, helpers)},
        {"EACH", run_number(&run, slices / helpers)},
    };
    const char *shared = arena_printf(run.arena, "shared uint parts[%u], helped[%u], sums[%u];",
                                      results * pitch, helpers * results, sums * across);
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, slice = lid %% %uu, place = lid / %uu;\n"
        "    uint acc[%u];\n"
        "    for (uint i = 0u; i < %uu; i++)\n"
        "        acc[i] = from[(i * %uu + place) * %uu + slice];\n"
        "%s"
        "    for (uint i = lid; i < %uu; i += %uu)\n"
        "        to[i] = i < %uu ? sums[i] : 0u;\n",
        slices, slices, sums, sums, across, slices, run_fill(&run, "slice_sums.glsl", VARS(vars)),
        n, group, sums * across);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "slice_sums of %u, %u x %u, %u at a time", sums, across,
                             slices, round),
        .glsl = run_kernel_text(&run, group, shared, body),
        .group = group,
        .groups = 1,
        .shared_bytes = 4 * (results * pitch + helpers * results + sums * across),
        .words = n};
    fill_words(in, n, UINT32_MAX);
    memset(wanted, 0, sizeof wanted);
    for (uint32_t i = 0; i < n; i++)
        wanted[i / slices] += in[i];
    run_compare(&run, &k, in, wanted);
}

/* ---- rows: a thing with operands that must not be swapped, so that the tree itself is compared
 * ---- */

static void test_row_tree(uint32_t threads, uint32_t rows, bool outer_fast)
{
    uint32_t in[WORDS], wanted[WORDS], n = threads * rows, half = threads / 2;
    const char *at = outer_fast ? arena_printf(run.arena, "* %uu + row", rows)
                                : arena_printf(run.arena, "+ %uu * row", half);
    const struct template_var tree[] = {
        {"SLOTS", run_number(&run, half)},      {"DOWN_TO", "1"},
        {"MASK", run_number(&run, half - 1)},   {"AT", at},
        {"GIVE", "        given[slot] = acc;"}, {"TAKE", "        acc = acc * 31u + given[slot];"},
    };
    const struct template_var tell[] = {{"GIVE", "    given[row] = acc;"}};
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, part = lid %s %uu, row = lid %s %uu;\n"
        "    uint acc = from[row * %uu + part];\n"
        "%s    barrier();\n%s"
        "    to[row * %uu + part] = given[row];\n",
        outer_fast ? "/" : "%", outer_fast ? rows : threads, outer_fast ? "%" : "/",
        outer_fast ? rows : threads, threads, run_fill(&run, "row_tree.glsl", VARS(tree)),
        run_fill(&run, "row_tell.glsl", VARS(tell)), threads);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "row_tree %u rows of %u%s", rows, threads,
                             outer_fast ? ", across" : ""),
        .glsl = run_kernel_text(
            &run, n, arena_printf(run.arena, "shared uint given[%u];", half * rows), body),
        .group = n,
        .groups = 1,
        .shared_bytes = 4 * half * rows,
        .words = n};
    for (uint32_t i = 0; i < n; i++)
        in[i] = run_random();
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t acc[WORDS];
        memcpy(acc, in + row * threads, 4 * threads);
        for (uint32_t h = half; h > 0; h /= 2)
            for (uint32_t i = 0; i < h; i++)
                acc[i] = acc[i] * 31 + acc[i + h];
        for (uint32_t i = 0; i < threads; i++)
            wanted[row * threads + i] = acc[0];
    }
    run_compare(&run, &k, in, wanted);
}

/* ---- copies and gates ---- */

static void test_copy(uint32_t group, uint32_t groups, uint32_t n)
{
    uint32_t in[WORDS];
    const struct template_var vars[] = {
        {"NUMBER", "0"},
        {"COUNT", run_number(&run, n)},
        {"TO", "to[i]"},
        {"FROM", "from[i]"},
    };
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "copy %u words by %u threads", n, group * groups),
        .glsl = run_kernel_text(&run, group, run_fill(&run, "copy.glsl", VARS(vars)),
                                arena_printf(run.arena, "    copy0(%uu);\n", group * groups)),
        .group = group,
        .groups = groups,
        .words = n};
    for (uint32_t i = 0; i < n; i++)
        in[i] = run_random();
    run_compare(&run, &k, in, in);
}

/* Group counts of two dispatches, one that runs where the predicate holds, and one that runs where
 * it does not. */
static void test_gate(uint32_t predicate, bool holds)
{
    uint32_t in[6] = {predicate}, wanted[6] = {3, 4, 5, 7, 8, 9};
    memset(holds ? wanted + 3 : wanted, 0, 3 * sizeof *wanted);
    const char *text = arena_printf(
        run.arena,
        "layout(local_size_x = 1) in;\n"
        "layout(std430, binding = 0) writeonly buffer Words { uint w[]; };\n"
        "%s%svoid main()\n{\n"
        "    uint holds = predicate();\n"
        "    gate(0u, holds, 3u, 4u, 5u);\n"
        "    gate(3u, 1u - holds, 7u, 8u, 9u);\n"
        "}\n",
        run_fill(&run, "predicate.glsl", NULL, 0), run_fill(&run, "gate.glsl", NULL, 0));
    const struct run_kernel k = {.name = arena_printf(run.arena, "gate of 0x%x", predicate),
                                 .glsl = text,
                                 .output_first = true,
                                 .group = 1,
                                 .groups = 1,
                                 .words = 6};
    run_compare(&run, &k, in, wanted);
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 0);
    run.arena = &arena;
    run.has_device = e2e_open(&run.e2e); /* the machine runs them in any case */
    test_sort_runs(1, 8, 2, 100);
    test_sort_runs(8, 64, 2, 5);
    test_sort_runs(8, 64, 1, 1);
    test_sort_runs(16, 16, 1, 30000);
    test_sort_runs(64, 512, 2, 300);
    test_merge_runs(8, 64, 64, 20, 0);
    test_merge_runs(8, 256, 256, 9000, 0);
    test_merge_runs(8, 128, 77, 3, 0);
    test_merge_runs(8, 128, 0, 50, 0);
    test_merge_runs(8, 128, 128, 50, 60);
    test_merge_runs(16, 256, 1, 50, 0);
    for (int ranked = 0; ranked < 2; ranked++) {
        test_digit_sort(64, 1, 256, 3, ranked);
        test_digit_sort(64, 2, 16, 0, ranked);
        test_digit_sort(128, 1, 8, 9, ranked);
        test_digit_sort(256, 1, 256, 0, ranked);
        test_digit_sort(64, 1, 2, 0, ranked);
    }
    test_scan(&sum, 1, 1, 3);
    test_scan(&sum, 8, 2, 2);
    test_scan(&last, 8, 2, 2);
    test_scan(&last, 32, 1, 2);
    test_tile_loop(8, 2, 1);
    test_tile_loop(16, 4, 4);
    test_tile_direct(8, 2);
    test_slice_sums(2, 8, 6, 3);
    test_slice_sums(4, 16, 5, 5);
    test_slice_sums(8, 4, 4, 2);
    test_slice_sums(16, 1, 2, 1);
    test_row_tree(2, 3, false);
    test_row_tree(8, 4, false);
    test_row_tree(32, 2, true);
    test_copy(8, 3, 24);
    test_copy(8, 3, 100);
    test_copy(8, 3, 5);
    test_gate(0, false);
    test_gate(1, true);
    test_gate(0xff, true);
    test_gate(0x100, false);
    test_gate(0x101, true);
    arena_finish(&arena);
    return e2e_close(&run.e2e);
}
