/* The parts of shaders/ that stand around generated code: each by itself, with statements written
   by hand in the places of the generated ones. */
#include "run.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

static struct run run;

/* ---- elements of runs, and the slots of shared memory ---- */

struct runs {
    uint32_t group, span, group_runs, run, length, rows;
    bool across, reverse;
};

/* Every element tells by which workgroup, step, thread and turn of its loop it is brought, and
   where to. */
static void test_line_slot(const struct runs *x)
{
    uint32_t in[WORDS] = {0}, wanted[WORDS], n = x->length * x->rows,
             runs = (x->length + x->run - 1) / x->run, lines = x->rows * runs,
             steps = (x->run + x->span - 1) / x->span;
    const struct template_var vars[] = {
        {"GROUP", run_number(&run, x->group)},
        {"SPAN", run_number(&run, x->span)},
        {"GROUP_RUNS", run_number(&run, x->group_runs)},
        {"RUN", run_number(&run, x->run)},
        {"RUNS", run_number(&run, runs)},
        {"LENGTH", run_number(&run, x->length)},
        {"LINES", run_number(&run, lines)},
        {"ACROSS", x->across ? "true" : "false"},
        {"REVERSE", x->reverse ? "true" : "false"},
    };
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;\n"
        "    for (uint step = 0u; step < %uu; step++)\n"
        "        for (uint i = 0u; i < 8u; i++) {\n"
        "            slot s = slot_of(i, lid, group, step);\n"
        "            if (is_live(s))\n"
        "                to[row_of(s) * %uu + place_of(s)] = from[0] + (((group * 8u + step) * 8u "
        "+ i) * %uu + lid) * %uu + s.l;\n"
        "        }\n",
        steps, x->length, x->group, 8 * x->group);
    const struct run_kernel k = {
        .name =
            arena_printf(run.arena, "line_slot %u rows of %u, runs of %u%s%s", x->rows, x->length,
                         x->run, x->across ? ", across" : "", x->reverse ? ", reverse" : ""),
        .glsl = run_kernel_text(&run, x->group, run_fill(&run, "line_slot.glsl", VARS(vars)), body),
        .group = x->group,
        .groups = (lines + x->group_runs - 1) / x->group_runs,
        .words = n};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = x->reverse ? x->length - 1 - i % x->length : i % x->length,
                 line = i / x->length * runs + r / x->run, mine = line % x->group_runs,
                 step = r % x->run / x->span, at = r % x->run % x->span,
                 slot = x->across ? at * x->group_runs + mine : mine * x->span + at;
        wanted[i] = (((line / x->group_runs * 8 + step) * 8 + slot / x->group) * x->group +
                     slot % x->group) *
                        8 * x->group +
                    mine * x->span + at;
    }
    run_compare(&run, &k, in, wanted);
}

/* ---- a tile turned ---- */

/* A matrix with `high` rows of `wide` words is transposed; what lies past its edges is not
   touched. */
static void test_turn(uint32_t wide, uint32_t high, uint32_t lanes, uint32_t group)
{
    enum { TILE = 32 };
    uint32_t in[WORDS], wanted[WORDS], n = wide * high, across = TILE / lanes, rows = group / TILE,
                                       columns = group / across < TILE ? group / across : TILE,
                                       tiles_u = (wide + TILE - 1) / TILE,
                                       tiles_y = (high + TILE - 1) / TILE;
    const char *in_range = arena_printf(run.arena, "y < %uu && u < %uu", high, wide / lanes);
    const struct template_var vars[] = {
        {"TILE", run_number(&run, TILE)},
        {"WIDE", run_number(&run, tiles_u)},
        {"HIGH", run_number(&run, tiles_y)},
        {"LANES", run_number(&run, lanes)},
        {"READS", run_number(&run, TILE / rows)},
        {"ROWS", run_number(&run, rows)},
        {"USES", run_number(&run, TILE / columns)},
        {"COLUMNS", run_number(&run, columns)},
        {"ACROSS", run_number(&run, across)},
        {"FILL", arena_printf(run.arena,
                              "if (%s)\n"
                              "    turned[r * 33u + c] = from[(%uu * u + r %% %uu) * %uu + y];",
                              in_range, lanes, lanes, high)},
        {"USE", arena_printf(run.arena,
                             "if (%s)\n"
                             "    for (uint l = 0u; l < %uu; l++)\n"
                             "        to[y * %uu + %uu * u + l] = turned[(r + l) * 33u + c];",
                             in_range, lanes, wide, lanes)},
    };
    const char *body =
        arena_printf(run.arena,
                     "    uint lid = gl_LocalInvocationID.x, tile = gl_WorkGroupID.x;\n"
                     "%s",
                     run_fill(&run, "turn.glsl", VARS(vars)));
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "turn %u x %u, lanes of %u, %u threads", wide, high, lanes,
                             group),
        .glsl = run_kernel_text(&run, group, "shared uint turned[32 * 33];", body),
        .group = group,
        .groups = tiles_u * tiles_y,
        .shared_bytes = 4 * TILE * (TILE + 1),
        .words = n};
    for (uint32_t i = 0; i < n; i++)
        in[i] = run_random();
    for (uint32_t i = 0; i < n; i++)
        wanted[i] = in[i % wide * high + i / wide];
    run_compare(&run, &k, in, wanted);
}

/* ---- searches and sums of segments ---- */

/* Keys, each at most the next, and in front of them what is searched for. */
static void test_search(uint32_t keys, uint32_t apart)
{
    uint32_t in[WORDS], wanted[WORDS], n = 2 * keys;
    const struct template_var vars[] = {
        {"LO", "lo"},
        {"HI", "hi"},
        {"AT", "at"},
        {"COUNT", run_number(&run, keys)},
        {"FETCH", arena_printf(run.arena, "uint key = from[%uu + at];", keys)},
        {"KEY", "key"},
        {"X", "from[i]"},
    };
    const char *body = arena_printf(run.arena,
                                    "    uint i = gl_LocalInvocationID.x;\n"
                                    "%s    to[i] = lo;\n"
                                    "    to[%uu + i] = 0u;\n",
                                    run_fill(&run, "search.glsl", VARS(vars)), keys);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "search of %u keys, %u apart", keys, apart),
        .glsl = run_kernel_text(&run, keys, "", body),
        .group = keys,
        .groups = 1,
        .words = n};
    for (uint32_t i = 0; i < keys; i++) {
        in[keys + i] = 1 + i / 3 * apart;
        in[i] = i == 0 ? 0 : i == 1 ? UINT32_MAX : run_random() % (keys / 3 * apart + 2);
    }
    for (uint32_t i = 0; i < keys; i++) {
        wanted[i] = wanted[keys + i] = 0;
        for (uint32_t j = 0; j < keys; j++)
            wanted[i] += in[keys + j] < in[i];
    }
    run_compare(&run, &k, in, wanted);
}

/* A result is what became of all from its first to its end: of a tile the first and another
   factor, so that which were tiles is compared, and in which order. */
static void test_segment_tiles(uint32_t n, uint32_t tile)
{
    uint32_t in[WORDS], wanted[WORDS];
    const struct template_var vars[] = {
        {"J", "j"},
        {"FIRST", "from[i] >> 16"},
        {"END", "(from[i] & 0xffffu)"},
        {"TILE", run_number(&run, tile)},
        {"TAKE_TILE", "acc = acc * 31u + j;"},
        {"TAKE", "acc = acc * 17u + j;"},
    };
    const char *body = arena_printf(run.arena,
                                    "    uint i = gl_LocalInvocationID.x, acc = 1u;\n"
                                    "%s    to[i] = acc;\n",
                                    run_fill(&run, "segment_tiles.glsl", VARS(vars)));
    const struct run_kernel k = {.name =
                                     arena_printf(run.arena, "segment_tiles of %u in %u", tile, n),
                                 .glsl = run_kernel_text(&run, n, "", body),
                                 .group = n,
                                 .groups = 1,
                                 .words = n};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = run_random() % n,
                 end = i == 0 ? first : first + run_random() % (n - first);
        in[i] = first << 16 | end;
        wanted[i] = 1;
        for (uint32_t j = first; j < end;) {
            bool whole = j % tile == 0 && j + tile <= end;
            wanted[i] = wanted[i] * (whole ? 31 : 17) + j;
            j += whole ? tile : 1;
        }
    }
    run_compare(&run, &k, in, wanted);
}

/* Numbers far apart in size: the sum and what it lacks, as bits. */
static void test_exact_sum(void)
{
    enum { N = 64, EACH = 8 };
    uint32_t in[WORDS], wanted[WORDS];
    const struct template_var vars[] = {
        {"TYPE", "float"}, {"ACC", "acc"}, {"LOW", "low"}, {"X", "x"},
        {"S", "s"},        {"B", "b"},     {"NOTE", ""},
    };
    const char *body =
        arena_printf(run.arena,
                     "    uint i = gl_LocalInvocationID.x;\n"
                     "    precise float acc = 1.0, low = 0.0;\n"
                     "    for (uint j = 0u; j < %uu; j++) {\n"
                     "        float x = uintBitsToFloat(from[i * %uu + j]);\n"
                     "%s    }\n"
                     "    for (uint j = 0u; j < %uu; j++)\n"
                     "        to[i * %uu + j] = floatBitsToUint(j == 0u ? acc : low);\n",
                     EACH, EACH, run_fill(&run, "exact_sum.glsl", VARS(vars)), EACH, EACH);
    const struct run_kernel k = {.name = "exact_sum",
                                 .glsl = run_kernel_text(&run, N / EACH, "", body),
                                 .group = N / EACH,
                                 .groups = 1,
                                 .words = N};
    for (uint32_t i = 0; i < N; i += EACH) {
        double acc = 1, low = 0; /* an f64 holds the sum of two such numbers exactly */
        for (uint32_t j = 0; j < EACH; j++) {
            /* of 2^-12 to 2^12, either sign */
            uint32_t bits =
                run_random() << 31 | (115 + run_random() % 25) << 23 | (run_random() & 0x7fffff);
            float x;
            memcpy(&x, &bits, 4);
            in[i + j] = bits;
            double sum = acc + (double)x;
            low = (double)(float)(low + (double)(float)(sum - (double)(float)sum));
            acc = (double)(float)sum;
        }
        float both[2] = {(float)acc, (float)low};
        for (uint32_t j = 0; j < EACH; j++)
            memcpy(wanted + i + j, both + (j > 0), 4);
    }
    run_compare(&run, &k, in, wanted);
}

/* ---- triangular systems, in integers that wrap, with a product for a quotient ---- */

/* So many systems of `order` with one matrix. `known` of those before are taken in another loop. */
static void test_substitute(uint32_t order, uint32_t systems, bool last_first, bool in_tiles)
{
    uint32_t in[WORDS], wanted[WORDS] = {0}, all = order * order, n = all + order * systems;
    const char *from = last_first ? arena_printf(run.arena, "%uu - ", order - 1) : "";
    const char *tiles = arena_printf(run.arena,
                                     "for (uint before = 0u; before < done / 4u * 4u; before++) {\n"
                                     "    uint k = %sbefore;\n"
                                     "    rest -= from[i * %uu + k] * x[k];\n"
                                     "}\n",
                                     from, order);
    const struct template_var vars[] = {
        {"ORDER", run_number(&run, order)},
        {"FROM", from},
        {"BEGIN", arena_printf(run.arena, "uint rest = from[%uu + i * %uu + o];\n%s", all, systems,
                               in_tiles ? tiles : "")},
        {"KNOWN", in_tiles ? "done / 4u * 4u" : "0u"},
        {"TAKE", arena_printf(run.arena, "rest -= from[i * %uu + k] * x[k];", order)},
        {"END", arena_printf(run.arena, "uint pivot = from[i * %uu];", order + 1)},
        {"X", "x[i]"},
        {"DIVIDE", "over"},
        {"PIVOT", "pivot"},
        {"NOTE", ""},
    };
    const char *body = arena_printf(run.arena,
                                    "    uint o = gl_LocalInvocationID.x, x[%u];\n"
                                    "%s"
                                    "    for (uint i = 0u; i < %uu; i++)\n"
                                    "        to[%uu + i * %uu + o] = x[i];\n"
                                    "    for (uint i = o; i < %uu; i += %uu)\n"
                                    "        to[i] = 0u;\n",
                                    order, run_fill(&run, "substitute.glsl", VARS(vars)), order,
                                    all, systems, all, systems);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "substitute %u systems of %u%s%s", systems, order,
                             last_first ? ", the last first" : "", in_tiles ? ", in tiles" : ""),
        .glsl = run_kernel_text(&run, systems,
                                "uint over(uint x, uint d)\n{\n    return x * d + 1u;\n}", body),
        .group = systems,
        .groups = 1,
        .words = n};
    for (uint32_t i = 0; i < n; i++)
        in[i] = run_random();
    for (uint32_t o = 0; o < systems; o++)
        for (uint32_t done = 0; done < order; done++) {
            uint32_t i = last_first ? order - 1 - done : done, rest = in[all + i * systems + o];
            for (uint32_t before = 0; before < done; before++) {
                uint32_t j = last_first ? order - 1 - before : before;
                rest -= in[i * order + j] * wanted[all + j * systems + o];
            }
            wanted[all + i * systems + o] = rest * in[i * (order + 1)] + 1;
        }
    run_compare(&run, &k, in, wanted);
}

/* ---- halves of f32 ---- */

enum { EIGHT = 8 };

/* A float of exponent `least` to `most`, of either sign; of eight one is 0, of four one a power of
   two. */
static float split_number(int least, int most)
{
    float digits = run_random() % 4 ? (float)(run_random() % 0x800000) * 0x1p-23f : 0,
          x = ldexpf(1 + digits, least + (int)(run_random() % (uint32_t)(most - least + 1)));
    return run_random() % 8 == 0 ? 0 : run_random() & 1 ? -x : x;
}

/* The power of two for eight numbers: it brings the least to 2^@LEAST@ or more, but none to 2^9. */
static float split_scale(const float *x, int to)
{
    int least = 1000, most = -1000;
    for (uint32_t i = 0; i < EIGHT; i++)
        if (x[i] != 0) {
            least = ilogbf(x[i]) < least ? ilogbf(x[i]) : least;
            most = ilogbf(x[i]) > most ? ilogbf(x[i]) : most;
        }
    int scale = to - least < 8 - most ? to - least : 8 - most;
    return most == -1000 || abs(scale) > 60 ? 1 : ldexpf(1, scale);
}

/* Of eight numbers of such exponents: their scale in the first word, the last six of them scaled,
   as halves, and what all eight halves lack. */
static void test_split(int to, int least, int most)
{
    enum { N = 512 };
    uint32_t in[WORDS], wanted[WORDS];
    const bool has_device = run.has_device; /* which need not have halves */
    const struct template_var vars[] = {{"LEAST", arena_printf(run.arena, "%d", to)}};
    const char *functions = run_fill(&run, "matrix_split.glsl", VARS(vars));
    const char *body = "    uint first = 8u * gl_LocalInvocationID.x;\n"
                       "    vec4 x, y;\n"
                       "    for (uint i = 0u; i < 4u; i++) {\n"
                       "        x[i] = uintBitsToFloat(from[first + i]);\n"
                       "        y[i] = uintBitsToFloat(from[first + 4u + i]);\n"
                       "    }\n"
                       "    uint most = matrix_most(matrix_most(0u, x), y);\n"
                       "    uint least = matrix_least(matrix_least(0xffffffffu, x), y);\n"
                       "    float scale = split_scale(most, least);\n"
                       "    uvec4 high, low;\n"
                       "    split_eight(x, y, scale, high, low);\n"
                       "    for (uint i = 0u; i < 4u; i++) {\n"
                       "        to[first + i] = i == 0u ? floatBitsToUint(scale) : high[i];\n"
                       "        to[first + 4u + i] = low[i];\n"
                       "    }\n";
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "split to 2^%d, of 2^%d to 2^%d", to, least, most),
        .glsl = arena_printf(
            run.arena, "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n%s",
            run_kernel_text(&run, N / EIGHT, functions, body)),
        .group = N / EIGHT,
        .groups = 1,
        .shared_bytes = 20,
        .words = N};
    for (uint32_t i = 0; i < N; i += EIGHT) {
        float x[EIGHT];
        for (uint32_t j = 0; j < EIGHT; j++)
            x[j] = i ? split_number(least, most) : 0;
        memcpy(in + i, x, sizeof x);
        float scale = split_scale(x, to);
        for (uint32_t j = 0; j < EIGHT; j++) {
            double scaled = (double)(x[j] * scale);
            uint32_t high = (uint32_t)num_float_encode(TYPE_F16, scaled),
                     low = (uint32_t)num_float_encode(
                         TYPE_F16, (scaled - num_float_decode(TYPE_F16, high)) * 2048);
            uint32_t at = i + j / 2, shift = 16 * (j % 2);
            wanted[at] = (shift ? wanted[at] : 0) | high << shift;
            wanted[at + 4] = (shift ? wanted[at + 4] : 0) | low << shift;
        }
        memcpy(wanted + i, &scale, sizeof scale);
    }
    run.has_device = false;
    run_compare(&run, &k, in, wanted);
    run.has_device = has_device;
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 0);
    run.arena = &arena;
    run.has_device = e2e_open(&run.e2e); /* the machine runs them in any case */
    test_line_slot(&(struct runs){8, 64, 1, 64, 64, 3, false, false});
    test_line_slot(&(struct runs){8, 64, 1, 200, 200, 2, true, true});
    test_line_slot(&(struct runs){8, 16, 4, 16, 40, 3, false, false});
    test_line_slot(&(struct runs){8, 16, 4, 40, 100, 3, false, true});
    test_line_slot(&(struct runs){16, 32, 4, 50, 50, 6, true, false});
    test_turn(32, 32, 1, 256);
    test_turn(40, 70, 1, 64);
    test_turn(72, 40, 4, 256);
    test_turn(36, 33, 4, 64);
    test_search(3, 1);
    test_search(64, 1);
    test_search(100, 7);
    test_segment_tiles(64, 4);
    test_segment_tiles(50, 16);
    test_exact_sum();
    test_substitute(1, 3, false, false);
    test_substitute(9, 4, false, false);
    test_substitute(9, 4, true, false);
    test_substitute(13, 2, true, true);
    test_split(-6, 0, 0);
    test_split(-6, -8, -4);
    test_split(-6, -30, -10);
    test_split(-6, 20, 50);
    test_split(-12, -20, 20);
    test_split(-6, -60, -50);
    test_split(-6, -70, -62);
    test_split(2, 60, 72);
    arena_finish(&arena);
    return e2e_close(&run.e2e);
}
