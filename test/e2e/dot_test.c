/* Products large enough for tiles: sizes that tiles and vectors of four divide and that they do
   not, both orders of memory, batches, and every kind of element. As a GPU runs them, and smaller
   ones for the device itself, which on a CPU are in the tiles of single threads. */
#include <string.h>

#include "e2e.h"
#include "base/str.h"

/* a is [b, m, k] or [b, k, m], c is [b, k, n] or [b, n, k]; b = 0: no batch. */
struct dot_case {
    long b, m, n, k;
    bool turn_a, turn_c;
    const char *types;
};

static const struct dot_case cases[] = {
    {0, 256, 256, 64, false, false, "f32 f64 s32 u8 bf16 c64"},
    {0, 256, 260, 68, true, false, "f32 f16 s32"},
    {0, 260, 256, 36, false, true, "f32 f64 bf16"},
    {0, 264, 264, 24, true, true, "f32 u32 s16"},
    {0, 257, 271, 33, false, false, "f32 f64 c64"},
    {0, 301, 259, 50, true, true, "f32 s64"},
    {0, 1290, 1284, 17, false, false, "f32"}, /* the largest tile */
    {0, 1290, 700, 16, false, true, "f32"},   /* the one that is not square */
    {3, 150, 170, 31, false, false, "f32 f64"},
    {5, 128, 128, 48, true, true, "f32 bf16 c128"},
    /* split, as are long contractions with few results */
    {0, 70, 40, 2100, true, false, "f32 f16 c64"},
    {2, 33, 35, 2400, false, true, "f32 s32"},
    /* few rows, or few columns: the other operand is read once */
    {0, 8, 1060, 1004, false, false, "f32 f16"},
    {0, 1044, 13, 1051, true, true, "bf16 u8"},
    {0, 3, 2051, 516, false, true, "f64 s32"},
    {4, 16, 262, 1024, true, false, "f16 s64"},
    {0, 1050, 5, 1004, false, true, "c64"},
    {0, 2050, 7, 520, false, true, "f16"},
    {0, 1, 1040, 1024, false, false, "f16 bf16"},
    {0, 16, 1032, 1032, false, true, "f16 s8"},
};

static const struct dot_case small[] = {
    {0, 64, 64, 64, false, false, "f32 f64 s32 u8 bf16 c64"},
    {0, 64, 64, 64, false, true, "f32 u32 f16"},
    {0, 61, 67, 20, false, false, "f32 s32"},
    {0, 65, 68, 36, true, false, "f32 f64"},
    {0, 68, 76, 33, false, true, "f32 s16"},
    {0, 76, 71, 32, true, true, "f32 u32"},
    {0, 68, 73, 40, false, true, "f32 bf16"},
    {0, 73, 68, 41, true, false, "f32"},
    {0, 8, 1000, 12, false, false, "f32"},
    {0, 200, 660, 9, false, true, "f64 bf16"}, /* the larger tile, half of which is past the edge */
    {3, 24, 44, 12, false, true, "f32 c64"},
    {2, 30, 41, 16, true, false, "f32 s64"},
};

/* A recurrent layer: gates in columns of one product, of state and weights. */
static const char gates[] =
    "graph \"gates\" entry=f0 callbacks=0\n"
    "func f0(f32[260,1040], f32[16,260], f32[16,1040]) {\n"
    "n0 = parameter index=0 : f32[260,1040]\nn1 = parameter index=1 : f32[16,260]\n"
    "n2 = parameter index=2 : f32[16,1040]\nn3 = constant bits=00000000 : s32[]\n"
    "n4 = while n0, n1, n1, n2, n3 regions=[f1,f2] : f32[260,1040], f32[16,260], f32[16,260], "
    "f32[16,1040], s32[]\nreturn n4.1, n4.2\n}\n"
    "func f1(f32[260,1040], f32[16,260], f32[16,260], f32[16,1040], s32[]) {\n"
    "n0 = parameter index=4 : s32[]\nn1 = constant bits=00000003 : s32[]\n"
    "n2 = less n0, n1 : u8[]\nreturn n2\n}\n"
    "func f2(f32[260,1040], f32[16,260], f32[16,260], f32[16,1040], s32[]) {\n"
    "n0 = parameter index=0 : f32[260,1040]\nn1 = parameter index=1 : f32[16,260]\n"
    "n2 = parameter index=2 : f32[16,260]\nn3 = parameter index=3 : f32[16,1040]\n"
    "n4 = parameter index=4 : s32[]\n"
    "n5 = dot n1, n0 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[16,1040]\n"
    "n6 = add n3, n5 : f32[16,1040]\n"
    "n7 = slice n6 starts=[0,0] lengths=[16,260] strides=[1,1] : f32[16,260]\n"
    "n8 = slice n6 starts=[0,260] lengths=[16,260] strides=[1,1] : f32[16,260]\n"
    "n9 = slice n6 starts=[0,520] lengths=[16,260] strides=[1,1] : f32[16,260]\n"
    "n10 = slice n6 starts=[0,780] lengths=[16,260] strides=[1,1] : f32[16,260]\n"
    "n11 = sigmoid n7 : f32[16,260]\nn12 = sigmoid n8 : f32[16,260]\n"
    "n13 = tanh n9 : f32[16,260]\nn14 = sigmoid n10 : f32[16,260]\n"
    "n15 = multiply n12, n2 : f32[16,260]\nn16 = multiply n11, n13 : f32[16,260]\n"
    "n17 = add n15, n16 : f32[16,260]\nn18 = tanh n17 : f32[16,260]\n"
    "n19 = multiply n14, n18 : f32[16,260]\nn20 = constant bits=00000001 : s32[]\n"
    "n21 = add n4, n20 : s32[]\nreturn n0, n19, n17, n3, n21\n}\n";

/* The result is (p p + p) p, p the product: what follows has the numbers 3 to 5. */
static const struct dot_case followed[] = {
    {0, 40, 72, 17, false, false, "f32 f64 s64 u8"},
    {0, 41, 68, 20, false, true, "f32 f64"}, /* an element is next to the maximum at -2/3 */
};

static const char *shape_text(struct arena *a, long b, long first, long second)
{
    return b ? arena_printf(a, "%ld,%ld,%ld", b, first, second)
             : arena_printf(a, "%ld,%ld", first, second);
}

static const char *graph_text(struct arena *a, const struct dot_case *c, const char *type,
                              bool is_followed)
{
    const char *left =
        c->turn_a ? shape_text(a, c->b, c->k, c->m) : shape_text(a, c->b, c->m, c->k);
    const char *right =
        c->turn_c ? shape_text(a, c->b, c->n, c->k) : shape_text(a, c->b, c->k, c->n);
    const char *out = shape_text(a, c->b, c->m, c->n), *batch = c->b ? "0" : "";
    int first = c->b ? 1 : 0;
    struct str s;
    str_init(&s, a);
    str_printf(&s,
               "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"dot\", \"entry\": 0, "
               "\"funcs\": [{\"params\": [{\"type\": \"%s\", \"shape\": [%s]}, ",
               type, left);
    str_printf(&s, "{\"type\": \"%s\", \"shape\": [%s]}], \"nodes\": [", type, right);
    str_printf(&s,
               "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], "
               "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"index\": 0}}, ",
               type, left);
    str_printf(&s,
               "{\"id\": 1, \"op\": \"parameter\", \"ins\": [], "
               "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"index\": 1}}, ",
               type, right);
    str_printf(
        &s,
        "{\"id\": 2, \"op\": \"dot\", \"ins\": [[0, 0], [1, 0]], \"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], ",
        type, out);
    str_printf(
        &s,
        "\"attrs\": {\"contract_a\": [%d], \"batch_a\": [%s], \"contract_b\": [%d], \"batch_b\": [%s]}}",
        first + !c->turn_a, batch, first + c->turn_c, batch);
    if (is_followed)
        for (int id = 3; id <= 5; id++)
            str_printf(&s,
                       ", {\"id\": %d, \"op\": \"%s\", \"ins\": [[%d, 0], [2, 0]], "
                       "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {}}",
                       id, id == 4 ? "add" : "multiply", id - 1, type, out);
    str_printf(&s, "], \"results\": [[%d, 0]]}], ", is_followed ? 5 : 2);
    str_add(&s, "\"literals\": [], \"donations\": [], \"callbacks\": 0}");
    return str_text(&s);
}

static void check_case(struct e2e *e, const struct dot_case *c, const char *type,
                       enum e2e_variant variant, bool is_followed)
{
    struct arena a;
    char name[128];
    arena_init(&a, 0);
    snprintf(name, sizeof name, "%s %ld x %ld x %ld x %ld%s%s", type, c->b, c->m, c->n, c->k,
             c->turn_a ? " turned" : "", c->turn_c ? " by turned" : "");
    const char *json = graph_text(&a, c, type, is_followed);
    e2e_compare_json(e, name, json, 1, NULL, NULL, 1u << variant);
    if (variant == E2E_AS_GPU)
        e2e_check_plan(e, name, json, " contract ", true);
    arena_finish(&a);
}

static void check_types(struct e2e *e, const struct dot_case *c, enum e2e_variant variant,
                        bool is_followed)
{
    char types[64], *rest = types;
    snprintf(types, sizeof types, "%s", c->types);
    for (char *type = strtok_r(types, " ", &rest); type; type = strtok_r(NULL, " ", &rest))
        check_case(e, c, type, variant, is_followed);
}

int main(void)
{
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 4;
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++)
        check_types(&e, &cases[i], E2E_AS_GPU, false);
    for (size_t i = 0; is_open && i < sizeof small / sizeof *small; i++)
        check_types(&e, &small[i], E2E_AS_TARGET, false);
    for (size_t i = 0; is_open && i < sizeof followed / sizeof *followed; i++)
        check_types(&e, &followed[i], E2E_AS_TARGET, true);
    e.text_ir = true;
    if (is_open) {
        e2e_check_plan(&e, "gates", gates, "rows 4160 x 260", true);
        e2e_check_plan(&e, "gates", gates, " contract ", false);
        e2e_compare_json(&e, "gates", gates, 1, NULL, NULL, 1u << E2E_AS_GPU | 1u << E2E_AS_TARGET);
    }
    return e2e_close(&e);
}
