/* Each file of shaders/ by itself: a kernel gives it what its contract asks for, calls it on small data, and the
   results are those of plain C. The math library and the emulated fma have test/numerics. */
#include "run.h"

#define VARS(list) (list), sizeof(list) / sizeof *(list)

static struct run run;

static const char *number(uint32_t n)
{
    return arena_printf(run.arena, "%u", n);
}

static uint32_t random_word(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* With the two buffers of a kernel, whose groups have `group` threads. */
static const char *kernel_text(uint32_t group, const char *functions, const char *body)
{
    return arena_printf(run.arena,
                        "#extension GL_EXT_control_flow_attributes : require\n"
                        "layout(local_size_x = %u) in;\n"
                        "layout(std430, binding = 0) readonly buffer From { uint from[]; };\n"
                        "layout(std430, binding = 1) writeonly buffer To { uint to[]; };\n"
                        "%s\nvoid main()\n{\n%s}\n",
                        group, functions, body);
}

/* Shared memory has a gap every 32. */
static uint32_t slots(uint32_t n)
{
    return n + n / 32 + 1;
}

/* ---- sorting: items of a key in the upper half of a word and a place in the lower ---- */

static const char *item_text(uint32_t group)
{
    const char *shared = arena_printf(run.arena, "shared uint all_low[%u];\nshared uint all_place[%u];",
                                      slots(8 * group), slots(8 * group));
    const struct template_var item[] = {
        {"FIELDS", "low, place"}, {"SHARED", shared}, {"GET", "all_low[i], all_place[i]"},
        {"PUT", "all_low[i] = x.low;\n    all_place[i] = x.place;"}, {"BEFORE", "a.low < b.low"},
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
        x[i] = random_word() % keys << 16 | i;
}

enum { WORDS = 1024 };

static void test_sort_runs(uint32_t group, uint32_t span, uint32_t groups, uint32_t keys)
{
    uint32_t in[WORDS], wanted[WORDS], n = 8 * group * groups;
    const struct template_var vars[] = {{"SPAN", number(span)}};
    const char *functions = arena_printf(run.arena, "%s%s", item_text(group),
                                         run_fill(&run, "sort_runs.glsl", VARS(vars)));
    const char *body = "    uint mine = 8u * gl_LocalInvocationID.x, first = 8u * gl_GlobalInvocationID.x;\n"
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
        .glsl = kernel_text(group, functions, body), .group = group, .groups = groups,
        .shared_bytes = 8 * slots(8 * group), .words = n};
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
static void test_merge_runs(uint32_t group, uint32_t a_size, uint32_t b_size, uint32_t keys, uint32_t shift)
{
    uint32_t in[WORDS], wanted[WORDS], n = a_size + b_size, half = group / 2;
    uint32_t rounds = rounds_of(a_size, half);
    const struct template_var vars[] = {
        {"FOUND", number(2 * rounds)}, {"HALF", number(half)}, {"ROUNDS", number(rounds)},
        {"UNROLL", ""}, {"GROUP", number(group)},
    };
    const char *functions = arena_printf(
        run.arena, "%sitem fetch(uint i)\n{\n    return item(from[i] >> 16, from[i] & 0xffffu);\n}\n%s",
        item_text(group), run_fill(&run, "merge_runs.glsl", VARS(vars)));
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, start = %uu * gl_WorkGroupID.x, count = min(%uu, %uu - start);\n"
        "    merge_runs(lid, 0u, %uu, %uu, %uu, start, count);\n"
        "    barrier();\n"
        "    for (uint l = lid; l < count; l += %uu)\n"
        "        to[start + l] = get(l).low << 16 | get(l).place;\n",
        8 * group, 8 * group, n, a_size, a_size, b_size, group);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "merge_runs %u and %u, %u keys, %u", a_size, b_size, keys, shift),
        .glsl = kernel_text(group, functions, body), .group = group,
        .groups = (n + 8 * group - 1) / (8 * group),
        .shared_bytes = 8 * slots(8 * group) + 8 * rounds + 8, .words = n};
    fill_words(in, n, keys);
    for (uint32_t i = a_size; i < n; i++)
        in[i] += shift << 16;
    sort_words(in, a_size);
    sort_words(in + a_size, b_size);
    memcpy(wanted, in, sizeof wanted);
    sort_words(wanted, n);
    run_compare(&run, &k, in, wanted);
}

/* ---- scans ---- */

/* What is scanned: sums that wrap, and the last that is not 0, which is another thing with its operands swapped. */
static const struct combination {
    const char *text;
    bool last;
} sum = {"x + y", false}, last = {"y != 0u ? y : x", true};

static void test_scan(const struct combination *c, uint32_t lanes, uint32_t runs, uint32_t steps)
{
    uint32_t in[WORDS], wanted[WORDS], group = lanes * runs, span = 8 * lanes, n = steps * span * runs;
    const struct template_var vars[] = {
        {"TYPE", "uint"}, {"SLOTS", number(slots(8 * group))}, {"GROUP", number(group)}, {"PRECISE", ""},
        {"COMBINE", c->text}, {"LANES", number(lanes)},
    };
    /* run r has the words from r * steps * span on */
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, carry = 0u;\n"
        "    for (uint step = 0u; step < %uu; step++) {\n"
        "        uint first = (lid / %uu * %uu + step) * %uu + 8u * (lid %% %uu);\n"
        "        for (uint i = 0u; i < 8u; i++)\n"
        "            put(8u * lid + i, from[first + i]);\n"
        "        barrier();\n"
        "        carry = scan_span(lid, carry);\n"
        "        for (uint i = 0u; i < 8u; i++)\n"
        "            to[first + i] = get(8u * lid + i);\n"
        "        barrier();\n"
        "    }\n", steps, lanes, steps, span, lanes);
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "scan %s, %u runs of %u", c->text, runs, steps * span),
        .glsl = kernel_text(group, run_fill(&run, "scan.glsl", VARS(vars)), body), .group = group, .groups = 1,
        .shared_bytes = 4 * (slots(8 * group) + group), .words = n};
    for (uint32_t i = 0; i < n; i++)
        in[i] = c->last && random_word() % 20 ? 0 : random_word();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = i % (steps * span) ? wanted[i - 1] : 0;
        wanted[i] = !c->last ? before + in[i] : in[i] ? in[i] : before;
    }
    run_compare(&run, &k, in, wanted);
}

/* ---- copies and gates ---- */

static void test_copy(uint32_t group, uint32_t groups, uint32_t n)
{
    uint32_t in[WORDS];
    const struct template_var vars[] = {
        {"NUMBER", "0"}, {"COUNT", number(n)}, {"TO", "to[i]"}, {"FROM", "from[i]"},
    };
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "copy %u words by %u threads", n, group * groups),
        .glsl = kernel_text(group, run_fill(&run, "copy.glsl", VARS(vars)),
                            arena_printf(run.arena, "    copy0(%uu);\n", group * groups)),
        .group = group, .groups = groups, .words = n};
    for (uint32_t i = 0; i < n; i++)
        in[i] = random_word();
    run_compare(&run, &k, in, in);
}

/* Group counts of two dispatches, one that runs where the predicate holds, and one that runs where it does not. */
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
        "}\n", run_fill(&run, "predicate.glsl", NULL, 0), run_fill(&run, "gate.glsl", NULL, 0));
    const struct run_kernel k = {.name = arena_printf(run.arena, "gate of 0x%x", predicate), .glsl = text,
                                 .output_first = true, .group = 1, .groups = 1, .words = 6};
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
    test_scan(&sum, 1, 1, 3);
    test_scan(&sum, 8, 2, 2);
    test_scan(&last, 8, 2, 2);
    test_scan(&last, 32, 1, 2);
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
