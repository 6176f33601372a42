/* What the passes leave to compute, counted: of an op how many nodes, and how many elements they
   have together. More is work that a pass was to save; less is work that it was to spread over
   the machine. All passes run, as for a GPU. Of long transforms: the lines that they are cut in,
   and their tables, by profile. */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "ir/ir.h"
#include "passes/passes.h"
#include "target/radix.h"
#include "base/str.h"

/* Parameters and nodes of a program, further functions, and what is left of an op in the entry
   function. */
static const struct work_case {
    const char *name, *params, *body, *funcs;
    enum op op;
    uint32_t nodes;
    int64_t elements;
} cases[] = {
    /* an index varies along one axis only, and so does what is computed from it */
    {"index of rows", "",
     "n0 = iota axis=0 : s32[300,70]\nn1 = as_type n0 : f32[300,70]\nn2 = exp n1 : f32[300,70]", "",
     OP_EXP, 1, 300},
    {"index of columns", "",
     "n0 = iota axis=1 : s32[300,70]\nn1 = as_type n0 : f32[300,70]\nn2 = exp n1 : f32[300,70]", "",
     OP_EXP, 1, 70},
    /* known places, evenly spaced, are a slice */
    {"places two apart", "f32[6,3]",
     "n1 = literal literal=0 : s32[3,1]\nn2 = gather n0, n1 axes=[0] : f32[3,3]", "", OP_GATHER, 0,
     0},
    /* one element is its own sum and its own maximum, which is at place 0 */
    {"argmax of rows of one", "f32[30,1]",
     "n2 = argmax n0 axis=1 tie_break=\"low\" keep=false : s32[30]", "", OP_ARGMAX, 0, 0},
    {"argmin of rows of one, kept", "f32[30,1]",
     "n2 = argmin n0 axis=1 tie_break=\"high\" keep=true : s32[30,1]", "", OP_ARGMIN, 0, 0},
    {"argmax of one number", "f32[1,1]",
     "n2 = argmax n0 axis=-1 tie_break=\"low\" keep=false : s32[]", "", OP_ARGMAX, 0, 0},
    {"argmax of rows of two", "f32[30,2]",
     "n2 = argmax n0 axis=1 tie_break=\"low\" keep=true : s32[30,1]", "", OP_ARGMAX, 1, 30},
    {"maximum of rows of one", "f32[30,1]", "n2 = reduce_max n0 axes=[1] keep=false : f32[30]", "",
     OP_REDUCE_MAX, 0, 0},
    {"maximum of rows of two", "f32[30,2]", "n2 = reduce_max n0 axes=[1] keep=true : f32[30,1]", "",
     OP_REDUCE_MAX, 1, 30},
    {"sum of rows of one", "f32[30,1]", "n2 = sum n0 axes=[1] keep=true : f32[30,1]", "", OP_SUM, 0,
     0},
    {"sum along no axis", "f32[30,2]", "n2 = sum n0 axes=[] keep=false : f32[30,2]", "", OP_SUM, 0,
     0},
    /* all or any of a truth that repeats is that truth, and of a number whether it is 0 */
    {"all of truths that repeat", "f32[30]",
     "n1 = sin n0 : f32[30]\nn3 = less n0, n1 : u8[30]\nn4 = broadcast n3 axes=[0] : u8[30,2]\n"
     "n2 = all n4 axes=[1] keep=false : u8[30]",
     "", OP_ALL, 0, 0},
    {"any of numbers that repeat", "u8[30]",
     "n1 = broadcast n0 axes=[0] : u8[30,2]\nn2 = any n1 axes=[1] keep=false : u8[30]", "",
     OP_NOT_EQUAL, 1, 30},
    /* a wider type in between keeps every value */
    {"a conversion through a wider float", "f16[30]",
     "n1 = as_type n0 : f32[30]\nn2 = as_type n1 : f64[30]", "", OP_AS_TYPE, 1, 30},
    {"a conversion through a wider integer", "s8[30]",
     "n1 = as_type n0 : s16[30]\nn2 = as_type n1 : s32[30]", "", OP_AS_TYPE, 1, 30},
    {"a conversion through a narrower float", "f64[30]",
     "n1 = as_type n0 : f16[30]\nn2 = as_type n1 : f32[30]", "", OP_AS_TYPE, 2, 60},
    /* where only axes of one element move, nothing does */
    {"transpose of a column", "f32[300,1,70]",
     "n1 = transpose n0 axes=[1,0,2] : f32[1,300,70]\nn2 = sin n1 : f32[1,300,70]", "",
     OP_TRANSPOSE, 0, 0},
    {"transpose of columns", "f32[300,2,70]",
     "n1 = transpose n0 axes=[1,0,2] : f32[2,300,70]\nn2 = sin n1 : f32[2,300,70]", "",
     OP_TRANSPOSE, 1, 42000},
    /* a product that is turned is the product of its operands the other way round */
    {"a product turned", "f32[30,20]",
     "n1 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[30,30]\n"
     "n2 = transpose n1 axes=[1,0] : f32[30,30]",
     "", OP_TRANSPOSE, 0, 0},
    {"products of a batch turned", "f32[4,30,20]",
     "n1 = dot n0, n0 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f32[4,30,30]\n"
     "n2 = transpose n1 axes=[0,2,1] : f32[4,30,30]",
     "", OP_TRANSPOSE, 0, 0},
    {"a batch turned", "f32[4,30,20]",
     "n1 = dot n0, n0 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f32[4,30,30]\n"
     "n2 = transpose n1 axes=[1,0,2] : f32[30,4,30]",
     "", OP_TRANSPOSE, 1, 3600},
    /* an outer product is made with the axes of its result: nothing is reshaped */
    {"outer product", "f32[300]",
     "n1 = sin n0 : f32[300]\n"
     "n2 = dot n0, n1 contract_a=[] batch_a=[] contract_b=[] batch_b=[] : f32[300,300]",
     "", OP_RESHAPE, 0, 0},
    {"outer products of a batch", "f32[30,20]",
     "n1 = sin n0 : f32[30,20]\n"
     "n2 = dot n0, n1 contract_a=[] batch_a=[0] contract_b=[] batch_b=[0] : f32[30,20,20]",
     "", OP_RESHAPE, 0, 0},
    /* long reductions: 512 chunks fill the machine, one more is another round of it */
    {"a short sum", "f32[4096]", "n2 = sum n0 axes=[0] keep=false : f32[]", "", OP_SUM, 1, 1},
    {"a long sum", "f32[1048576]", "n2 = sum n0 axes=[0] keep=false : f32[]", "", OP_SUM, 2,
     512 + 1},
    {"a long sum, and one", "f32[1048577]", "n2 = sum n0 axes=[0] keep=false : f32[]", "", OP_SUM,
     2, 512 + 1},
    {"long columns", "f32[1048576,2]", "n2 = sum n0 axes=[0] keep=false : f32[2]", "", OP_SUM, 2,
     2 * 512 + 2},
    {"long rows", "f32[64,65536]", "n2 = sum n0 axes=[1] keep=false : f32[64]", "", OP_SUM, 2,
     64 * 8 + 64},
    {"a long sum along axes apart", "f32[64,64,3,50]",
     "n2 = sum n0 axes=[0,1,3] keep=false : f32[3]", "", OP_SUM, 2, 3 * 128 + 3},
    {"many long rows", "f32[600,65536]", "n2 = sum n0 axes=[1] keep=false : f32[600]", "", OP_SUM,
     1, 600},
    /* each round that is written out has the function of its fold for itself */
    {"folds of written rounds", "s32[4]",
     "n1 = constant bits=00000000 : s32[]\nn2 = while n0, n1 regions=[f1,f2] : s32[4], s32[]",
     "func f1(s32[4], s32[]) {\nn0 = parameter index=1 : s32[]\nn1 = constant bits=00000003 : s32[]\n"
     "n2 = less n0, n1 : u8[]\nreturn n2\n}\n"
     "func f2(s32[4], s32[]) {\nn0 = parameter index=0 : s32[4]\nn1 = parameter index=1 : s32[]\n"
     "n2 = reduce n0, n1 axes=[0] keep=false regions=[f3] : s32[]\n"
     "n3 = broadcast n2 axes=[] : s32[4]\nn4 = add n0, n3 : s32[4]\n"
     "n5 = constant bits=00000001 : s32[]\nn6 = add n1, n5 : s32[]\nreturn n4, n6\n}\n"
     "func f3(s32[], s32[]) {\nn0 = parameter index=0 : s32[]\nn1 = parameter index=1 : s32[]\n"
     "n2 = multiply n1, n0 : s32[]\nn3 = add n2, n0 : s32[]\nreturn n3\n}\n",
     OP_FOLD, 3, 3},
    /* long products: parts that make twice as many tiles of 32 x 32 as a large GPU has units, of
       128 elements at the least; no axis can be added to 16 */
    {"a long product", "f32[64,65536]",
     "n2 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[64,64]", "", OP_DOT,
     1, 64 * 64 * 128},
    {"a long product of halves", "bf16[64,65536]",
     "n2 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : bf16[64,64]", "",
     OP_DOT, 1, 64 * 64 * 128},
    {"a product", "f32[64,2048]",
     "n2 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[64,64]", "", OP_DOT,
     1, 64 * 64 * 16},
    {"a shorter product", "f32[64,2046]",
     "n2 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[64,64]", "", OP_DOT,
     1, 64 * 64},
    {"few results", "f32[16,65536]",
     "n2 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[16,16]", "", OP_DOT,
     1, 16 * 16 * 512},
    {"fewer results", "f32[15,65536]",
     "n2 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[15,15]", "", OP_DOT,
     1, 15 * 15},
    {"many results", "f32[1024,4096]",
     "n2 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[1024,1024]", "",
     OP_DOT, 1, 1024 * 1024},
    {"long products", "f32[3,64,65536]",
     "n2 = dot n0, n0 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f32[3,64,64]", "",
     OP_DOT, 1, 3 * 64 * 64 * 32},
    {"a product over two axes", "f32[64,2,4099]",
     "n2 = dot n0, n0 contract_a=[1,2] batch_a=[] contract_b=[1,2] batch_b=[] : f32[64,64]", "",
     OP_DOT, 1, 64 * 64 * 2},
    {"a product of 15 axes", "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,64,65536]",
     "n2 = dot n0, n0 contract_a=[14] batch_a=[0,1,2,3,4,5,6,7,8,9,10,11,12] contract_b=[14] "
     "batch_b=[0,1,2,3,4,5,6,7,8,9,10,11,12] : f32[1,1,1,1,1,1,1,1,1,1,1,1,1,64,64]",
     "", OP_DOT, 1, 64 * 64 * 128},
    {"a product of 16 axes", "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,64,65536]",
     "n2 = dot n0, n0 contract_a=[15] batch_a=[0,1,2,3,4,5,6,7,8,9,10,11,12,13] contract_b=[15] "
     "batch_b=[0,1,2,3,4,5,6,7,8,9,10,11,12,13] : f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,64,64]",
     "", OP_DOT, 1, 64 * 64},
    {"a long convolution", "f32[40,4096,3,3]",
     "n2 = conv n0, n0 strides=[1,1] lo=[0,0] hi=[0,0] input_dilation=[1,1] kernel_dilation=[1,1] "
     "feature_groups=1 batch_groups=1 input_permutation=[0,1,2,3] kernel_permutation=[0,1,2,3] "
     "output_permutation=[0,1,2,3] : f32[40,40,1,1]",
     "", OP_CONV, 1, 40 * 40 * 128},
    /* running sums and products of complex numbers, too, read and write each element once */
    {"running product", "c64[9000]",
     "n2 = block n0 name=\"CumulativeProduct\" options=\"axis=0;reverse=false\" regions=[f1] : c64[9000]",
     "func f1(c64[9000]) {\nn0 = parameter index=0 : c64[9000]\nreturn n0\n}\n", OP_SCAN, 2,
     9000 + 2},
};

static const char *text_of(struct arena *a, const struct work_case *c)
{
    struct str s;
    str_init(&s, a);
    str_printf(&s,
               "graph \"t\" entry=f0 callbacks=0\nliteral l0 = s32[3,1] "
               "sha256=5c4f0026a5866967334fd37912b9c876b024f0b17f5fac1252ad635a96848b51 "
               "data=000000000200000004000000\nfunc f0(%s) {\n",
               c->params);
    if (c->params[0])
        str_printf(&s, "n0 = parameter index=0 : %s\n", c->params);
    str_printf(&s, "%s\nreturn n2\n}\n%s", c->body, c->funcs);
    return str_text(&s);
}

static void count(const struct graph *g, enum op op, uint32_t *out_nodes, int64_t *out_elements)
{
    const struct func *f = &g->funcs[g->entry];
    *out_nodes = 0;
    *out_elements = 0;
    for (node_id i = 0; i < f->nnodes; i++)
        if (f->nodes[i].op == op) {
            ++*out_nodes;
            *out_elements += shape_size(&f->nodes[i].outs[0].shape);
        }
}

static void check_case(const struct work_case *c)
{
    struct arena a;
    struct graph g;
    struct diag d = {0};
    uint32_t nodes;
    int64_t elements;
    const struct pass_options o = {0};
    arena_init(&a, 0);
    const char *text = text_of(&a, c);
    bool ok =
        ir_parse(&a, text, strlen(text), &g, &d) && ir_verify(&g, &d) && passes_run(&g, &o, &d);
    CHECK(ok, "%s: %s", c->name, d.message);
    if (ok) {
        count(&g, c->op, &nodes, &elements);
        CHECK(nodes == c->nodes && elements == c->elements,
              "%s: %u x %s of %" PRId64 " elements, not %u of %" PRId64, c->name, nodes,
              op_name(c->op), elements, c->nodes, c->elements);
    }
    arena_finish(&a);
}

/* Rounds of `nodes` nodes each, as often as said: unrolled if what that makes is within bounds. */
static void check_unrolled(uint32_t rounds, uint32_t nodes, bool is_unrolled)
{
    struct arena a, texts;
    struct graph g;
    struct diag d = {0};
    struct str s;
    uint32_t loops;
    int64_t elements;
    const struct pass_options o = {0};
    arena_init(&a, 0);
    arena_init(&texts, 0);
    str_init(&s, &texts);
    str_printf(
        &s,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[4]) {\nn0 = parameter index=0 : f32[4]\n"
        "n1 = constant bits=00000000 : s32[]\nn2 = while n0, n1 regions=[f1,f2] : f32[4], s32[]\n"
        "return n2.0\n}\n"
        "func f1(f32[4], s32[]) {\nn0 = parameter index=1 : s32[]\nn1 = constant bits=%08x : s32[]\n"
        "n2 = less n0, n1 : u8[]\nreturn n2\n}\n"
        "func f2(f32[4], s32[]) {\nn0 = parameter index=0 : f32[4]\n",
        rounds);
    for (uint32_t i = 0; i < nodes; i++)
        str_printf(&s, "n%u = %s n%u, n%u : f32[4]\n", i + 1, i % 2 ? "multiply" : "add", i,
                   i ? i - 1 : 0);
    str_printf(
        &s,
        "n%u = parameter index=1 : s32[]\nn%u = constant bits=00000001 : s32[]\nn%u = add n%u, n%u : s32[]\n"
        "return n%u, n%u\n}\n",
        nodes + 1, nodes + 2, nodes + 3, nodes + 1, nodes + 2, nodes, nodes + 3);
    const char *text = str_text(&s);
    bool ok =
        ir_parse(&a, text, strlen(text), &g, &d) && ir_verify(&g, &d) && passes_run(&g, &o, &d);
    CHECK(ok, "%s", d.message);
    if (ok) {
        count(&g, OP_WHILE, &loops, &elements);
        CHECK(loops == !is_unrolled, "%u rounds of %u nodes: %u loops, and %u nodes", rounds, nodes,
              loops, g.funcs[g.entry].nnodes);
    }
    arena_finish(&a);
    arena_finish(&texts);
}

/* The graph after all passes, for no target in particular. */
static bool compile(struct arena *a, const char *name, const char *text, struct graph *g)
{
    struct diag d = {0};
    const struct pass_options o = {0};
    bool ok = ir_parse(a, text, strlen(text), g, &d) && ir_verify(g, &d) && passes_run(g, &o, &d);
    CHECK(ok, "%s: %s", name, d.message);
    return ok;
}

/* Ten rounds, each of which moves all elements: a loop stays one if these are many, since then each
   movement is a kernel of its own. */
static void check_moved(void)
{
    enum { SMALL = 8192, LARGE = 8193 };
    static const struct {
        enum op op;
        const char *body; /* n11 of n10, for %u elements */
    } moves[] = {
        {OP_REVERSE, "n11 = reverse n10 axes=[0] : f32[%u]\n"},
        {OP_PAD, "n11 = pad n10, n6 lo=[1] hi=[-1] interior=[0] : f32[%u]\n"},
        {OP_GATHER, "n11 = gather n10, n1 axes=[0] : f32[%u]\n"},
    };
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        for (uint32_t size = SMALL; size <= LARGE; size++) {
            struct arena a;
            struct graph g;
            struct str s;
            uint32_t loops, nodes;
            int64_t elements;
            arena_init(&a, 0);
            str_init(&s, &a);
            str_printf(
                &s,
                "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[%u], s32[%u,1]) {\n"
                "n0 = parameter index=0 : f32[%u]\nn1 = parameter index=1 : s32[%u,1]\n"
                "n2 = constant bits=00000000 : s32[]\n"
                "n3 = while n0, n1, n2 regions=[f1,f2] : f32[%u], s32[%u,1], s32[]\nreturn n3\n}\n"
                "func f1(f32[%u], s32[%u,1], s32[]) {\nn0 = parameter index=2 : s32[]\n"
                "n1 = constant bits=0000000a : s32[]\nn2 = less n0, n1 : u8[]\nreturn n2\n}\n"
                "func f2(f32[%u], s32[%u,1], s32[]) {\nn0 = parameter index=0 : f32[%u]\n"
                "n1 = parameter index=1 : s32[%u,1]\nn2 = parameter index=2 : s32[]\n"
                "n3 = constant bits=00000001 : s32[]\nn4 = add n2, n3 : s32[]\n"
                "n6 = constant bits=3f800000 : f32[]\nn10 = abs n0 : f32[%u]\n",
                size, size, size, size, size, size, size, size, size, size, size, size, size);
            str_printf(&s, moves[i].body, size);
            str_add(&s, "return n11, n1, n4\n}\n");
            if (compile(&a, op_name(moves[i].op), str_text(&s), &g)) {
                count(&g, OP_WHILE, &loops, &elements);
                count(&g, moves[i].op, &nodes, &elements);
                CHECK(loops == (size == LARGE), "%s of %u elements: %u loops, and %u of it after",
                      op_name(moves[i].op), size, loops, nodes);
            }
            arena_finish(&a);
        }
}

/* A cond whose predicate is a constant is its branch, for a constant of any type. A complex one is
   not looked at. */
static void check_known(void)
{
    static const struct {
        const char *type, *bits;
        bool is_true;
    } known[] = {
        {"f32", "00000000", false},
        {"f32", "80000000", false},
        {"f32", "3f800000", true},
        {"f32", "bf800000", true},
        {"f32", "00000001", true},
        {"f32", "80000001", true},
        {"f32", "7fc00000", true},
        {"f32", "40000000", true},
        {"f16", "8000", false},
        {"f16", "4000", true},
        {"f16", "0001", true},
        {"bf16", "8000", false},
        {"bf16", "4000", true},
        {"bf16", "8001", true},
        {"f64", "8000000000000000", false},
        {"f64", "4000000000000000", true},
        {"f64", "0000000000000001", true},
        {"s32", "80000000", true},
        {"s32", "00000000", false},
        {"u8", "80", true},
        {"u8", "00", false},
        {"u32", "80000000", true},
        {"s64", "8000000000000000", true},
        {"u64", "0000000100000000", true},
        {"s8", "80", true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct arena a;
        struct graph g;
        uint32_t conds, selects, exps, sines;
        int64_t elements;
        char name[64];
        snprintf(name, sizeof name, "cond of %s %s", known[i].type, known[i].bits);
        arena_init(&a, 0);
        const char *text = arena_printf(
            &a,
            "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[4]) {\nn0 = parameter index=0 : f32[4]\n"
            "n1 = cond n0 regions=[f1,f2,f3] : f32[4]\nreturn n1\n}\n"
            "func f1(f32[4]) {\nn0 = constant bits=%s : %s[]\nreturn n0\n}\n"
            "func f2(f32[4]) {\nn0 = parameter index=0 : f32[4]\nn1 = exp n0 : f32[4]\nreturn n1\n}\n"
            "func f3(f32[4]) {\nn0 = parameter index=0 : f32[4]\nn1 = sin n0 : f32[4]\nreturn n1\n}\n",
            known[i].bits, known[i].type);
        if (compile(&a, name, text, &g)) {
            count(&g, OP_COND, &conds, &elements);
            count(&g, OP_SELECT, &selects, &elements);
            count(&g, OP_EXP, &exps, &elements);
            count(&g, OP_SIN, &sines, &elements);
            CHECK(!conds && !selects && exps == known[i].is_true && sines == !known[i].is_true,
                  "%s: %u conds, %u selects, %u exp, %u sin", name, conds, selects, exps, sines);
        }
        arena_finish(&a);
    }
}

/* Dividing by a power of two is multiplying, where the reciprocal is a normal number, too. */
static void check_divisions(void)
{
    static const struct {
        const char *type, *divisor;
        bool stays;
    } rows[] = {
        {"f32", "40000000", false},
        {"f32", "3f000000", false},
        {"f32", "c0800000", false},
        {"f32", "40400000", true},
        {"f32", "7e800000", false},
        {"f32", "7f000000", true},
        {"f32", "00800000", false},
        {"f32", "00400000", true},
        {"f32", "7f800000", true},
        {"f32", "00000000", true},
        {"bf16", "4000", false},
        {"bf16", "7e80", false},
        {"bf16", "7f00", true},
        {"f16", "7000", false},
        {"f16", "7800", true},
        {"f16", "0400", false},
        {"f16", "0200", true},
        {"f64", "7fd0000000000000", false},
        {"f64", "7fe0000000000000", true},
        {"f64", "0010000000000000", false},
        {"f64", "0008000000000000", true},
        {"f8", "74", false},
        {"f8", "78", true},
        {"f8_e4m3fn", "68", false},
        {"f8_e4m3fn", "70", true},
        {"s32", "00000002", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a;
        struct graph g;
        struct diag d = {0};
        uint32_t nodes = 0;
        int64_t elements;
        const struct pass_options o = {0};
        bool is_integer = rows[i].type[0] == 's';
        arena_init(&a, 0);
        const char *t = rows[i].type,
                   *text = arena_printf(
                       &a,
                       "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[30]) {\n"
                       "n0 = parameter index=0 : %s[30]\nn1 = constant bits=%s : %s[30]\n"
                       "n2 = %s n0, n1 : %s[30]\nreturn n2\n}\n",
                       t, t, rows[i].divisor, t, is_integer ? "quotient" : "divide", t);
        bool ok = ir_parse(&a, text, strlen(text), &g, &d) && passes_run(&g, &o, &d);
        if (ok)
            count(&g, is_integer ? OP_QUOTIENT : OP_DIVIDE, &nodes, &elements);
        CHECK(ok && nodes == rows[i].stays, "%s divided by %s: %u divisions %s", t, rows[i].divisor,
              nodes, d.message);
        arena_finish(&a);
    }
}

/* ---- transforms of lines that no workgroup has ---- */

enum { MOST_LINES = 16 };

/* Whether n is the product of so many lengths, none above `most`, that a workgroup has with these
   limits. */
static bool is_cut(int64_t n, uint32_t lines, int64_t most, uint32_t bytes,
                   struct fourier_limits limits)
{
    if (lines == 1)
        return n <= most && fourier_fits(n, bytes, limits);
    for (int64_t d = most < n / 2 ? most : n / 2; d > 1; d--)
        if (n % d == 0 && fourier_fits(d, bytes, limits) &&
            is_cut(n / d, lines - 1, d, bytes, limits))
            return true;
    return false;
}

static uint32_t fewest_lines(int64_t n, uint32_t bytes, struct fourier_limits limits)
{
    const int64_t most = (int64_t)limits.invocations * FOURIER_RADIX;
    uint32_t lines = 1;
    while (lines < MOST_LINES && !is_cut(n, lines, most, bytes, limits))
        lines++;
    return lines;
}

/* Of a step of `length` columns: one number for each is the product of one of a table for the
   first digit of its place and one for the second. */
static int64_t least_table(int64_t length, int64_t columns)
{
    int64_t least = length * columns;
    for (int64_t d = 2; d < columns; d++)
        if (columns % d == 0 && length * (d + columns / d) < least)
            least = length * (d + columns / d);
    return least;
}

/* Transforms along an axis of `n` elements, each `inner` apart, are lines that fit a workgroup, as
   few as can be, and no longer than needed; their tables are as small as two can be. On GPUs half
   of an element is in shared memory at a time, and a workgroup has 32 bytes of neighbouring lines
   where these lie across memory. */
static void check_transform(const char *profile, const char *type, int64_t n, int64_t inner)
{
    struct arena a;
    struct graph g;
    struct diag d = {0};
    struct vkc_target target;
    struct tuning tuning;
    const struct pass_options o = {.target = &target};
    const uint32_t bytes = strcmp(type, "c64") ? 16 : 8;
    int64_t length[MOST_LINES], left = n, tables = 0, found = 0, longest = 0, shortest = n;
    uint32_t lines = 0;
    arena_init(&a, 0);
    const char *text = arena_printf(&a,
                                    "graph \"t\" entry=f0 callbacks=0\n"
                                    "func f0(%s[%" PRId64 ",%" PRId64 "]) {\n"
                                    "n0 = parameter index=0 : %s[%" PRId64 ",%" PRId64 "]\n"
                                    "n1 = fft n0 axis=0 length=%" PRId64 " : %s[%" PRId64
                                    ",%" PRId64 "]\nreturn n1\n}\n",
                                    type, n, inner, type, n, inner, n, type, n, inner);
    bool ok = vkc_target_named(profile, &target) && ir_parse(&a, text, strlen(text), &g, &d) &&
              ir_verify(&g, &d) && passes_run(&g, &o, &d);
    CHECK(ok, "%s: %s", profile, d.message);
    const struct func *f = ok ? &g.funcs[g.entry] : NULL;
    for (node_id i = 0; ok && i < f->nnodes; i++) {
        const struct shape *s = &f->nodes[i].outs[0].shape;
        if (f->nodes[i].op == OP_FOURIER && lines < MOST_LINES)
            length[lines++] = s->dim[attr_int(&f->nodes[i], ATTR_axis, 0)];
        if (f->nodes[i].op == OP_LITERAL && s->rank > 1) /* those of rank 1 are a line's roots */
            found += shape_size(s);
    }
    tuning_of(&target, &tuning);
    struct fourier_limits limits = {target.max_invocations, target.max_shared_bytes, false};
    if (!target.cpu) {
        uint32_t at_once = inner > 1 || lines > 1 ? 32 / bytes : 1; /* lines of 32 bytes */
        limits = (struct fourier_limits){target.max_invocations / at_once,
                                         target.max_shared_bytes / at_once, true};
    }
    for (uint32_t i = 0; i < lines; i++) {
        CHECK(fourier_fits(length[i], bytes, limits),
              "%s, %s[%" PRId64 ",%" PRId64 "]: a line of %" PRId64, profile, type, n, inner,
              length[i]);
        left /= length[i];
        tables += i + 1 < lines ? least_table(length[i], left) : 0;
        longest = length[i] > longest ? length[i] : longest;
        shortest = length[i] < shortest ? length[i] : shortest;
    }
    uint32_t fewest = fewest_lines(n, bytes, limits);
    CHECK(left == 1 && lines == fewest, "%s, %s[%" PRId64 ",%" PRId64 "]: %u lines, not %u",
          profile, type, n, inner, lines, fewest);
    CHECK(found == tables, "%s, %s[%" PRId64 ",%" PRId64 "]: tables of %" PRId64 ", not %" PRId64,
          profile, type, n, inner, found, tables);
    CHECK((n & (n - 1)) != 0 || longest <= 2 * shortest,
          "%s, %s[%" PRId64 ",%" PRId64 "]: lines of %" PRId64 " and of %" PRId64, profile, type, n,
          inner, longest, shortest);
    arena_finish(&a);
}

static void check_transforms(void)
{
    static const char *const profiles[] = {"nvidia", "amd", "lavapipe", "baseline"};
    static const int64_t lengths[] = {512,    768,    1024,   2048,    4096,   6144,  8192,
                                      10000,  16384,  19683,  30000,   65536,  83349, 161051,
                                      262144, 524288, 810000, 1048576, 4194304};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t k = 0; k < 4; k++)
            for (int64_t inner = 1; inner < 4; inner += 2) {
                check_transform(profiles[k], "c64", lengths[i], inner);
                check_transform(profiles[k], "c128", lengths[i], inner);
            }
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (check_wanted(cases[i].name))
            check_case(&cases[i]);
    if (check_wanted("divisions"))
        check_divisions();
    if (check_wanted("unrolled")) {
        check_unrolled(20, 100, true);
        check_unrolled(100, 100, false);
        check_unrolled(129, 2, false);
    }
    if (check_wanted("moved"))
        check_moved();
    if (check_wanted("known"))
        check_known();
    if (check_wanted("transforms"))
        check_transforms();
    return check_report();
}
