/* In how many parts long products are cut, for matrix units and for other kernels, and from what
   their operands are converted. */
#include <string.h>

#include "check.h"
#include "passes/passes.h"
#include "runtime/bundle.h"

/* How a product of the program is cut. */
struct cut {
    int64_t parts;  /* 1: not at all */
    bool has_words; /* both operands are of 16 bits and converted right before it */
};

static struct cut cut_of(const char *params, const char *nodes, const struct vkc_target *target,
                         bool highest)
{
    struct arena a;
    struct graph g;
    struct diag d = {0};
    struct pass_options o = {
        .target = target, .highest_precision = highest, .stop_after = "split_contract"};
    struct cut cut = {.parts = 1};
    const char *second = strchr(params, ' ') + 1;
    int first = (int)(second - 1 - params);
    char text[2048];
    snprintf(
        text, sizeof text,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%.*s, %s) {\n  n0 = parameter index=0 : %.*s\n"
        "  n1 = parameter index=1 : %s\n%s\n}\n",
        first, params, second, first, params, second, nodes);
    arena_init(&a, 0);
    CHECK(ir_parse(&a, text, strlen(text), &g, &d) && ir_verify(&g, &d) && passes_run(&g, &o, &d),
          "%s", d.message);
    const struct func *f = &g.funcs[g.entry];
    for (uint32_t i = 0; d.code == DIAG_OK && i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        if (n->op == OP_DOT && n->outs[0].shape.rank == 3)
            cut.parts = n->outs[0].shape.dim[0];
        else if (n->op == OP_CONV)
            cut.parts = attr_int(n, ATTR_feature_groups, 1);
        else
            continue;
        cut.has_words = true;
        for (uint32_t k = 0; k < 2; k++) {
            const struct node *x = func_node(f, n->ins[k].node);
            cut.has_words &=
                x->op == OP_AS_TYPE && type_bytes(func_tensor(f, x->ins[0])->type) == 2;
        }
    }
    arena_finish(&a);
    return cut;
}

/* How many parts a long product of f32 is cut into. */
static int64_t parts_for(const struct vkc_target *target, bool highest)
{
    return cut_of(
               "f32[512,65536] f32[65536,512]",
               "  n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[512,512]\n"
               "  return n2",
               target, highest)
        .parts;
}

/* Products are cut for matrix units where their kernels take them, and as others elsewhere. */
static void test_cut_for_units(void)
{
    static const struct {
        const char *what;
        bool highest;
        uint32_t features; /* that the device lacks */
        uint32_t subgroup; /* 0: as nvidia */
    } others[] = {{"the highest precision", true, 0, 0},
                  {"no matrices of a subgroup", false, VKB_FEATURE_COOPERATIVE_MATRIX, 0},
                  {"f16 without subnormals", false, VKB_FEATURE_DENORM_PRESERVE_16, 0},
                  {"f16 rounded otherwise", false, VKB_FEATURE_ROUND_NEAREST_16, 0},
                  {"subgroups of 64", false, 0, 64}};
    struct vkc_target target;
    CHECK(vkc_target_named("nvidia", &target), "no profile");
    struct vkc_target without = target;
    without.matrices = 0;
    int64_t units = parts_for(&target, false), plain = parts_for(&without, false);
    CHECK(units > 1 && units != plain, "%lld parts for units, %lld without", (long long)units,
          (long long)plain);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct vkc_target other = target;
        other.features &= ~others[i].features;
        if (others[i].subgroup)
            other.subgroup_size = others[i].subgroup;
        int64_t parts = parts_for(&other, others[i].highest);
        CHECK(parts == plain, "%s: %lld parts", others[i].what, (long long)parts);
    }
}

/* Products of 16 bits, and of f32 that was of 16 bits, where a device has matrix units and where it
   has not. */
static void test_cut_words(void)
{
#define PRODUCT(type, m, n)                                                                   \
    type "[" m ",4096] " type "[4096," n "]",                                                 \
        "  n4 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : " type "[" m \
        "," n "]\n  return n4"
#define WIDENED(a, b)                                                                          \
    a "[32,4096] " b "[4096,4096]",                                                            \
        "  n2 = as_type n0 : f32[32,4096]\n  n3 = as_type n1 : f32[4096,4096]\n"               \
        "  n4 = dot n2, n3 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[32,4096]" \
        "\n  return n4"
    static const struct {
        const char *what, *params, *nodes;
        bool highest;
        struct cut cut, without; /* with units; without */
    } cases[] = {
        {"4 rows", PRODUCT("f16", "4", "4096"), false, {1, false}, {1, false}},
        {"5 rows", PRODUCT("f16", "5", "4096"), false, {8, true}, {1, false}},
        {"16 rows", PRODUCT("bf16", "16", "4096"), false, {8, true}, {1, false}},
        {"32 rows", PRODUCT("bf16", "32", "4096"), false, {8, true}, {2, false}},
        {"5 columns", PRODUCT("f16", "4096", "5"), false, {8, true}, {1, false}},
        {"128 rows", PRODUCT("f16", "128", "4096"), false, {4, true}, {1, false}},
        {"10 rows of f32", PRODUCT("f32", "10", "4096"), false, {1, false}, {1, false}},
        {"11 rows of f32", PRODUCT("f32", "11", "4096"), false, {4, false}, {1, false}},
        {"17 rows of f32", PRODUCT("f32", "17", "4096"), false, {4, false}, {2, false}},
        {"17 columns of f32", PRODUCT("f32", "4096", "17"), false, {4, false}, {2, false}},
        {"17 rows of f32, highest", PRODUCT("f32", "17", "4096"), true, {2, false}, {2, false}},
        {"many tiles", PRODUCT("f16", "2048", "4096"), false, {1, false}, {1, false}},
        {"few tiles, no vectors",
         "f16[70,2100] f16[2100,40]",
         "  n4 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f16[70,40]\n"
         "  return n4",
         false,
         {15, true},
         {15, false}},
        {"few tiles",
         "f16[64,512] f16[512,64]",
         "  n4 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f16[64,64]\n"
         "  return n4",
         false,
         {8, true},
         {1, false}},
        {"highest, of f16", PRODUCT("f16", "32", "4096"), true, {8, true}, {2, false}},
        {"widened", WIDENED("bf16", "bf16"), false, {8, true}, {2, false}},
        {"widened, highest", WIDENED("bf16", "bf16"), true, {2, false}, {2, false}},
        {"widened from two types", WIDENED("bf16", "f16"), false, {4, false}, {2, false}},
        {"widened from f8", WIDENED("f8", "f8"), false, {4, false}, {2, false}},
        {"a conv",
         "bf16[1,512,7,7] bf16[512,512,3,3]",
         "  n2 = conv n0, n1 strides=[1,1] lo=[1,1] hi=[1,1] input_dilation=[1,1] "
         "kernel_dilation=[1,1] feature_groups=1 batch_groups=1 input_permutation=[0,1,2,3] "
         "kernel_permutation=[0,1,2,3] output_permutation=[0,1,2,3] : bf16[1,512,7,7]\n  return n2",
         false,
         {32, true},
         {8, false}},
    };
    struct vkc_target target;
    CHECK(vkc_target_named("nvidia", &target), "no profile");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int has = 0; has < 2; has++) {
            struct vkc_target t = target;
            if (!has)
                t.matrices = 0;
            struct cut cut = cut_of(cases[i].params, cases[i].nodes, &t, cases[i].highest),
                       wanted = has ? cases[i].cut : cases[i].without;
            CHECK(cut.parts == wanted.parts &&
                      cut.has_words == (wanted.parts > 1 && wanted.has_words),
                  "%s, %s units: %lld parts, %s of 16 bits", cases[i].what,
                  has ? "with" : "without", (long long)cut.parts,
                  cut.has_words ? "operands" : "no operands");
        }
}

int main(void)
{
    test_cut_for_units();
    test_cut_words();
    return check_report();
}
