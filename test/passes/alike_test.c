/* Kernels that differ in integers alone (pack/alike.h): which integers may differ, and what
   each kernel pushes. That what reads them is SPIR-V as the runtime's door admits it is for
   machine/rules_test, that it computes the same for test/e2e. */
#include "pack/alike.h"

#include <string.h>

#include "../../runtime/bundle.h"
#include "block_graph.h"
#include "check.h"
#include "pack/spirv.h"
#include "target/tuning.h"
#include "vkc.h"

/* ---- two or more kernels, from their text ---- */

enum { MOST = 6, GROUP = 64 };

struct made {
    struct arena arena;
    struct vkc_target target;
    struct plan plan;
    struct kernel kernels[MOST], best[MOST];
    struct alternative alternative;
    struct diag diag;
};

static void begin(struct made *m, uint32_t least, bool divisors)
{
    memset(m, 0, sizeof *m);
    arena_init(&m->arena, 0);
    CHECK(vkc_target_named("lavapipe", &m->target), "no profile");
    m->plan.arena = &m->arena;
    m->plan.target = &m->target;
    m->plan.kernels = m->kernels;
    tuning_of(&m->target, &m->plan.tuning);
    m->plan.tuning.alike_least = least;
    m->plan.tuning.alike_divisors = divisors;
    m->alternative.target = &m->target;
    m->alternative.tuning = m->plan.tuning;
}

static const char *text_of(struct made *m, const char *before, const char *body)
{
    return arena_printf(&m->arena,
                        "#version 450\n"
                        "#extension GL_EXT_control_flow_attributes : require\n"
                        "layout(local_size_x = %d) in;\n"
                        "layout(std430, binding = 0) buffer B { float b[]; };\n"
                        "layout(std430, binding = 1) buffer C { uint c[]; };\n"
                        "%s\nvoid main()\n{\n    uint t = gl_GlobalInvocationID.x;\n    %s\n}\n",
                        GROUP, before, body);
}

static struct kernel *add(struct made *m, const char *before, const char *body)
{
    struct kernel *k = &m->kernels[m->plan.nkernels];
    *k = (struct kernel){.id = m->plan.nkernels++,
                         .family = FAMILY_MAP,
                         .schedule = {.group = GROUP},
                         .glsl = text_of(m, before, body),
                         .nbound = 2,
                         .label = "",
                         .same_as = NO_INDEX};
    return k;
}

static void merge(struct made *m)
{
    bool ok = spirv_compile(&m->plan, 1, NULL, NULL, NULL, &m->diag);
    CHECK(ok, "%s", m->diag.message);
}

static void check_pushed(const struct made *m, uint32_t kernel, uint32_t same_as,
                         const char *wanted)
{
    const struct kernel *k = &m->kernels[kernel];
    char found[400] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < k->npushed; i++)
        n += (size_t)snprintf(found + n, sizeof found - n, "%u ", k->pushed[i]);
    CHECK(k->same_as == same_as && !strcmp(found, wanted),
          "k%u is %u and pushes \"%s\", not %u and \"%s\", of\n%s", kernel, k->same_as, found,
          same_as, wanted, k->glsl ? k->glsl : "");
}

/* ---- which integers ---- */

static const struct {
    const char *before[2], *body[2];
    /* what the second pushes, where what is divided by may vary and where not; NULL: not alike */
    const char *pushed, *fewer;
    uint32_t shared_bytes;
} rows[] = {
    {{"", ""}, {"b[t] = 1.0;", "b[t] = 2.0;"}, NULL, NULL, 0},
    {{"", ""}, {"b[t + 1u] = 1.0;", "b[t * 1u] = 1.0;"}, NULL, NULL, 0},
    {{"", ""}, {"b[t + 1u] = 1.0;", "b[t + 2u] = 1.0; c[t] = 1u;"}, NULL, NULL, 0},
    {{"", ""},
     {"if (t < 9u) b[t * 3u + 4u] = 1.0;", "if (t < 99u) b[t * 5u + 4u] = 1.0;"},
     "99 5 ",
     "99 5 ",
     0},
    /* one word for those that go together, two where they are the same in one kernel only */
    {{"", ""}, {"b[t * 3u + 3u] = 1.0;", "b[t * 5u + 5u] = 1.0;"}, "5 ", "5 ", 0},
    {{"", ""}, {"b[t * 3u + 3u] = 1.0;", "b[t * 5u + 6u] = 1.0;"}, "5 6 ", "5 6 ", 0},
    {{"", ""}, {"b[t * 3u + 4u] = 1.0;", "b[t * 5u + 5u] = 1.0;"}, "5 5 ", "5 5 ", 0},
    {{"", ""},
     {"int i = int(t) - 3; c[t] = uint(i) + 3u;", "int i = int(t) - 7; c[t] = uint(i) + 7u;"},
     "7 ",
     "7 ",
     0},
    {{"", ""},
     {"b[min(t, 3u)] = t == 5u ? 1.0 : 0.0;", "b[min(t, 4u)] = t == 6u ? 1.0 : 0.0;"},
     "4 6 ",
     "4 6 ",
     0},
    {{"", ""},
     {"uint x = 3u; if (t > 5u) x = t; c[t] = x;", "uint x = 4u; if (t > 5u) x = t; c[t] = x;"},
     "4 ",
     "4 ",
     0},
    {{"", ""}, {"c[t] = t > 5u ? 3u : t;", "c[t] = t > 5u ? 4u : t;"}, "4 ", "4 ", 0},
    {{"", ""}, {"if (t == 3u) b[t] = 1.0;", "if (t == 4u) b[t] = 1.0;"}, "4 ", "4 ", 0},
    {{"", ""}, {"if (int(t) <= 3) b[t] = 1.0;", "if (int(t) <= 4) b[t] = 1.0;"}, "4 ", "4 ", 0},
    /* divided by: outside of loops, and where tuning says so; into: anywhere */
    {{"", ""}, {"b[t / 3u] = 1.0;", "b[t / 4u] = 1.0;"}, "4 ", NULL, 0},
    {{"", ""}, {"b[t % 3u] = 1.0;", "b[t % 4u] = 1.0;"}, "4 ", NULL, 0},
    {{"", ""}, {"c[0] = uint(int(t) / 3);", "c[0] = uint(int(t) / 4);"}, "4 ", NULL, 0},
    {{"", ""}, {"b[9u / t] = 1.0;", "b[8u / t] = 1.0;"}, "8 ", "8 ", 0},
    {{"", ""},
     {"for (uint i = 0u; i < t; i++) b[i / 3u] = 1.0;",
      "for (uint i = 0u; i < t; i++) b[i / 4u] = 1.0;"},
     NULL,
     NULL,
     0},
    {{"", ""},
     {"for (uint i = 0u; i < t; i++) b[i] = 1.0; b[t / 3u] = 2.0;",
      "for (uint i = 0u; i < t; i++) b[i] = 1.0; b[t / 4u] = 2.0;"},
     "4 ",
     NULL,
     0},
    /* what a loop counts to, if it stays a loop */
    {{"", ""},
     {"for (uint i = 2u; i < 9u; i += 3u) b[i] = 1.0;",
      "for (uint i = 1u; i < 8u; i += 4u) b[i] = 1.0;"},
     "1 8 4 ",
     "1 8 4 ",
     0},
    {{"", ""},
     {"[[unroll]] for (uint i = 0u; i < 9u; i++) b[i] = 1.0;",
      "[[unroll]] for (uint i = 0u; i < 8u; i++) b[i] = 1.0;"},
     NULL,
     NULL,
     0},
    {{"", ""},
     {"[[unroll]] for (uint i = 0u; i < 9u; i += 2u) b[i] = 1.0;",
      "[[unroll]] for (uint i = 0u; i < 9u; i += 3u) b[i] = 1.0;"},
     NULL,
     NULL,
     0},
    {{"", ""},
     {"[[unroll]] for (uint i = 0u; i < 4u; i++) for (uint k = 0u; k < 7u; k++) b[i * 5u + k] = 1.0;",
      "[[unroll]] for (uint i = 0u; i < 4u; i++) for (uint k = 0u; k < 6u; k++) b[i * 3u + k] = 1.0;"},
     "6 3 ",
     "6 3 ",
     0},
    /* sizes and places of arrays that are in registers or shared, shifts, calls, other functions */
    {{"", ""},
     {"float a[4]; a[t & 3u] = 1.0; b[t] = a[1];", "float a[5]; a[t & 3u] = 1.0; b[t] = a[1];"},
     NULL,
     NULL,
     0},
    {{"", ""},
     {"float a[4]; a[t & 3u] = 1.0; b[t] = a[1];", "float a[4]; a[t & 3u] = 1.0; b[t] = a[2];"},
     NULL,
     NULL,
     0},
    {{"", ""}, {"c[t] = t << 3u;", "c[t] = t << 4u;"}, NULL, NULL, 0},
    {{"", ""}, {"c[t + 1u] = t << 3u;", "c[t + 2u] = t << 4u;"}, NULL, NULL, 0},
    {{"shared float s[8];", "shared float s[9];"},
     {"s[t & 7u] = 1.0; b[t] = s[1];", "s[t & 7u] = 1.0; b[t] = s[1];"},
     NULL,
     NULL,
     36},
    {{"uint f(uint x) { return x + 3u; }", "uint f(uint x) { return x + 4u; }"},
     {"c[t] = f(t);", "c[t] = f(t);"},
     NULL,
     NULL,
     0},
    {{"uint f(uint x) { return x + 3u; }", "uint f(uint x) { return x + 3u; }"},
     {"c[t] = f(t + 1u);", "c[t] = f(t + 2u);"},
     "2 ",
     "2 ",
     0},
};

static void check_row(size_t row, bool divisors)
{
    const char *wanted = divisors ? rows[row].pushed : rows[row].fewer;
    struct made m;
    begin(&m, 2, divisors);
    for (int i = 0; i < 2; i++)
        add(&m, rows[row].before[i], rows[row].body[i])->shared_bytes = rows[row].shared_bytes;
    merge(&m);
    check_pushed(&m, 1, wanted ? 0 : NO_INDEX, wanted ? wanted : "");
    arena_finish(&m.arena);
}

/* ---- what becomes of kernels ---- */

/* What is the same as a kernel has its numbers; with fewer kernels than are wanted nothing is
   done. */
static void check_merge(uint32_t least)
{
    bool merges = least <= 3;
    struct made m;
    begin(&m, least, false);
    add(&m, "", "b[t + 1u] = 1.0;");
    add(&m, "", "b[t * 9u] = 1.0;");
    add(&m, "", "b[t + 2u] = 1.0;");
    add(&m, "", "b[t + 2u] = 1.0;");
    add(&m, "", "b[t + 3u] = 1.0; // another text, and the same code");
    add(&m, "", "b[t + 3u] = 1.0;");
    merge(&m);
    check_pushed(&m, 0, NO_INDEX, merges ? "1 " : "");
    check_pushed(&m, 1, NO_INDEX, "");
    check_pushed(&m, 2, merges ? 0 : NO_INDEX, merges ? "2 " : "");
    check_pushed(&m, 3, merges ? 0 : 2, merges ? "2 " : "");
    check_pushed(&m, 4, merges ? 0 : NO_INDEX, merges ? "3 " : "");
    check_pushed(&m, 5, merges ? 0 : 4, merges ? "3 " : "");
    arena_finish(&m.arena);
}

/* What differs in more than its code. */
static void check_kept(void)
{
    for (uint32_t row = 0; row < 7; row++) {
        struct made m;
        begin(&m, 2, false);
        add(&m, "", "b[t + 1u] = 1.0;");
        struct kernel *k = add(&m, "", "b[t + 2u] = 1.0;");
        switch (row) {
        case 1: k->schedule.group = 32; break;
        case 2: k->shared_bytes = 4; break;
        case 3: k->features = VKB_FEATURE_I64; break;
        case 4: k->texels = 1; break;
        case 5: k->matrix = 1; break;
        case 6: k->nbound = 1; break;
        default: break;
        }
        merge(&m);
        check_pushed(&m, 1, row ? NO_INDEX : 0, row ? "" : "2 ");
        arena_finish(&m.arena);
    }
}

/* As many numbers as can be pushed, and one more. */
static void check_most(void)
{
    for (uint32_t over = 0; over < 2; over++) {
        struct made m;
        char wanted[200] = "";
        size_t nwanted = 0;
        begin(&m, 2, false);
        for (uint32_t k = 0; k < 2; k++) {
            char body[2000];
            size_t n = 0;
            for (uint32_t i = 0; i < VKB_MAX_PUSHED + over; i++)
                n += (size_t)snprintf(body + n, sizeof body - n, "c[t + %uu] = t; ",
                                      i + 1 + 100 * k);
            add(&m, "", body);
        }
        for (uint32_t i = 0; i < VKB_MAX_PUSHED; i++)
            nwanted += (size_t)snprintf(wanted + nwanted, sizeof wanted - nwanted, "%u ", i + 101);
        merge(&m);
        check_pushed(&m, 1, over ? NO_INDEX : 0, over ? "" : wanted);
        arena_finish(&m.arena);
    }
}

/* Loops as deep as are followed, and one more. */
static void check_deep(void)
{
    enum { MOST_LOOPS = 32 }; /* of pack/code.c */
    for (uint32_t over = 0; over < 2; over++) {
        struct made m;
        begin(&m, 2, false);
        for (uint32_t k = 0; k < 2; k++) {
            char body[2000];
            size_t n = 0;
            for (uint32_t i = 0; i < MOST_LOOPS + over; i++)
                n += (size_t)snprintf(body + n, sizeof body - n,
                                      "for (uint i%u = 0u; i%u < t; i%u++) ", i, i, i);
            snprintf(body + n, sizeof body - n, "b[t + %uu] = 1.0;", k + 1);
            add(&m, "", body);
        }
        merge(&m);
        check_pushed(&m, 1, over ? NO_INDEX : 0, over ? "" : "2 ");
        arena_finish(&m.arena);
    }
}

/* Instructions of a kernel's code with that opcode. */
static uint32_t count_of(const struct kernel *k, uint32_t op)
{
    uint32_t count = 0;
    for (uint32_t at = 5; at < k->nspirv; at += k->spirv[at] >> 16)
        count += (k->spirv[at] & 0xffff) == op;
    return count;
}

enum { ACCESS_CHAIN = 65 };

/* Code whose main has no variables reads what is pushed, too. */
static void check_no_variables(void)
{
    uint32_t chains[2];
    for (uint32_t least = 2; least < 4; least++) {
        struct made m;
        begin(&m, least, false);
        for (uint32_t k = 0; k < 2; k++)
            add(&m, "", "")->glsl =
                arena_printf(&m.arena,
                             "#version 450\nlayout(local_size_x = %d) in;\n"
                             "layout(std430, binding = 0) buffer B { float b[]; };\n"
                             "layout(std430, binding = 1) buffer C { uint c[]; };\n"
                             "void main()\n{\n    b[gl_GlobalInvocationID.x + %uu] = 1.0;\n}\n",
                             GROUP, k + 1);
        merge(&m);
        check_pushed(&m, 1, least == 2 ? 0 : NO_INDEX, least == 2 ? "2 " : "");
        chains[least - 2] = count_of(&m.kernels[0], ACCESS_CHAIN);
        arena_finish(&m.arena);
    }
    CHECK(chains[0] == chains[1] + 1, "%u words are read, and %u where nothing is pushed",
          chains[0], chains[1]);
}

/* Bodies for better devices: all of them are alike or none is, and they push the same words. */
static void check_variants(void)
{
    for (uint32_t row = 0; row < 3; row++) {
        struct made m;
        begin(&m, 2, false);
        m.plan.nalternatives = 1;
        add(&m, "", "b[t + 1u] = 1.0; b[t * 5u] = 2.0;");
        add(&m, "", "b[t + 2u] = 1.0; b[t * 6u] = 2.0;");
        for (uint32_t i = 0; i < 2; i++) {
            m.best[i] = m.kernels[i];
            m.best[i].alternative = &m.alternative;
            m.best[i].glsl = text_of(&m, "",
                                     i == 0     ? "c[t * 8u] = t + 1u;"
                                     : row == 1 ? "c[t + 9u] = t + 2u;"
                                                : "c[t * 9u] = t + 2u;");
            m.kernels[i].variant = i == 1 && row == 2 ? NULL : &m.best[i];
        }
        merge(&m);
        check_pushed(&m, 1, row ? NO_INDEX : 0, row ? "" : "2 6 9 ");
        arena_finish(&m.arena);
    }
}

/* ---- whole graphs ---- */

/* Kernels that a driver compiles, at most: what they are now. If none were alike it would be 47,
   53, 199, 42 and 80. */
static const struct promise {
    const char *target, *graph; /* of block_graph.h */
    uint32_t distinct;
} promises[] = {
    {"nvidia", "cholesky/f32/1x1000x1000/once", 15}, {"nvidia", "lu/f32/1x1024x1024/once", 31},
    {"nvidia", "qr/f32/1x1024x1024/once", 84},       {"lavapipe", "lu/f64/1x256x256/once", 23},
    {"lavapipe", "svd/f64/1x128x128/once", 51},
};

static void check_promise(const struct promise *p)
{
    struct vkc_target target;
    struct vkc_result result = {0};
    struct arena a;
    CHECK(vkc_target_named(p->target, &target), "no profile");
    const struct vkc_options options = {.target = &target, .text_ir = true, .no_cache = true};
    arena_init(&a, 0);
    const char *text = block_graph_text(&a, p->graph);
    bool ok = text && vkc_compile(text, strlen(text), NULL, 0, &options, &result);
    CHECK(ok, "%s: %s", p->graph, result.error.message);
    CHECK(result.stats.distinct <= p->distinct, "%s on %s: %u of %u kernels differ", p->graph,
          p->target, result.stats.distinct, result.stats.kernels);
    vkc_result_free(&result);
    arena_finish(&a);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(i, true);
        check_row(i, false);
    }
    check_merge(3);
    check_merge(4);
    check_kept();
    check_most();
    check_deep();
    check_no_variables();
    check_variants();
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        check_promise(&promises[i]);
    return check_report();
}
