/* Pass lower, of factors of matrices: they have the same digits at any power of two; small matrices
   keep their expansion, and in a loop all that a workgroup holds. factors_test [first seed] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "block_graph.h"
#include "check.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "random.h"

static uint64_t state;

static uint64_t random_word(void)
{
    return next_random(&state);
}

static double uniform(void)
{
    return (double)(random_word() >> 11) * 0x1p-52 - 1;
}

/* ---- programs ---- */

enum { ORDER = 40, MATRICES = 4, PARTS = 3 };

/* A block of Nx.LinAlg. Of A times 2^k its factors are the same, some of them times 2^k. */
struct factors {
    const char *name;
    const char *parts;     /* M: a matrix, V: a number for each row */
    uint32_t times[PARTS]; /* of k, in halves */
    uint32_t next;         /* a factor for the next round of a loop */
};
static const struct factors all_factors[] = {
    {"QR", "MM", {0, 2}, 1},     {"Eigh", "VM", {2, 0}, 1}, {"SVD", "MVM", {0, 2, 0}, 0},
    {"LU", "MMM", {0, 0, 2}, 2}, {"Cholesky", "M", {1}, 0},
};
enum { FACTORS = sizeof all_factors / sizeof *all_factors };

/* What they are factors of: symmetric matrices, positive definite. */
struct operand {
    enum vkc_type type;
    int batch, order;
};

static void put_tensor(struct str *out, const struct operand *a, char part)
{
    str_printf(out, "%s[%d,%d", type_name(a->type), a->batch, a->order);
    if (part == 'M')
        str_printf(out, ",%d", a->order);
    str_add(out, "]");
}

/* Node `n4`, of n1. */
static void put_block(struct str *out, const struct factors *c, const struct operand *a,
                      const char *block_options, int expansion)
{
    str_printf(out, "n4 = block n1 name=\"LinAlg.%s\"", c->name);
    if (block_options)
        str_printf(out, " options=\"%s\"", block_options);
    str_printf(out, " regions=[f%d] : ", expansion);
    for (const char *part = c->parts; *part; part++) {
        str_add(out, part > c->parts ? ", " : "");
        put_tensor(out, a, *part);
    }
    str_add(out, "\n");
}

static void put_factor(struct str *out, const struct factors *c, uint32_t part)
{
    str_printf(out, strlen(c->parts) > 1 ? "n4.%u" : "n4", part);
}

/* An expansion of the right types, which nobody runs. */
static void put_expansion(struct str *out, const struct factors *c, const struct operand *a,
                          int number)
{
    static const char kinds[] = "MV";
    str_printf(out, "func f%d(", number);
    put_tensor(out, a, 'M');
    str_add(out, ") {\nn0 = parameter index=0 : ");
    put_tensor(out, a, 'M');
    for (int i = 0; i < 2; i++) {
        str_printf(out, "\nn%d = constant bits=%0*d : ", 1 + i, 2 * (int)type_bytes(a->type), 0);
        put_tensor(out, a, kinds[i]);
    }
    str_add(out, "\nreturn ");
    for (const char *part = c->parts; *part; part++)
        str_printf(out, "%sn%d", part > c->parts ? ", " : "", *part == 'M' ? 1 : 2);
    str_add(out, "\n}\n");
}

/* For a profile; NULL: baseline. */
static bool after_the_passes(struct arena *a, const char *name, const char *profile,
                             struct str *text, struct graph *g)
{
    struct diag d = {0};
    struct vkc_target target;
    const struct pass_options o = {.target = profile ? &target : NULL};
    bool ok = (!profile || vkc_target_named(profile, &target)) &&
              ir_parse(a, str_text(text), text->len, g, &d) && ir_verify(g, &d) &&
              passes_run(g, &o, &d);
    CHECK(ok, "%s: %s", name, d.message);
    return ok;
}

/* Whether something is left of an op in any function; of a triangular solve, of such an order. */
static bool has_op(const struct graph *g, enum op op, int order)
{
    for (uint32_t k = 0; k < g->nfuncs; k++)
        for (node_id i = 0; i < g->funcs[k].nnodes; i++) {
            const struct node *n = &g->funcs[k].nodes[i];
            if (n->op == op && (op != OP_TRIANGULAR_SOLVE || n->outs[0].shape.dim[1] == order))
                return true;
        }
    return false;
}

/* Elements of the largest tensor. */
static int64_t most_elements(const struct graph *g)
{
    int64_t most = 0;
    for (uint32_t k = 0; k < g->nfuncs; k++)
        for (node_id i = 0; i < g->funcs[k].nnodes; i++) {
            const struct node *n = &g->funcs[k].nodes[i];
            for (uint32_t o = 0; o < n->nouts; o++)
                if (shape_size(&n->outs[o].shape) > most)
                    most = shape_size(&n->outs[o].shape);
        }
    return most;
}

static bool is_lowered(const struct graph *g)
{
    return has_op(g, OP_PANEL_CHOLESKY, 0) || has_op(g, OP_PANEL_LU, 0) ||
           has_op(g, OP_PANEL_QR, 0) || has_op(g, OP_JACOBI, 0) || has_op(g, OP_SINGULAR, 0);
}

/* ---- digits ---- */

static bool factors_graph(struct arena *a, const struct factors *c, enum vkc_type type,
                          struct graph *g)
{
    struct str s;
    const struct operand x = {type, MATRICES, ORDER};
    str_init(&s, a);
    str_add(&s, "graph \"t\" entry=f0 callbacks=0\nfunc f0(");
    put_tensor(&s, &x, 'M');
    str_add(&s, ") {\nn1 = parameter index=0 : ");
    put_tensor(&s, &x, 'M');
    str_add(&s, "\n");
    put_block(&s, c, &x, NULL, 1);
    for (uint32_t i = 0; c->parts[i]; i++) {
        str_add(&s, i ? ", " : "return ");
        put_factor(&s, c, i);
    }
    str_add(&s, "\n}\n");
    put_expansion(&s, c, &x, 1);
    if (!after_the_passes(a, c->name, NULL, &s, g))
        return false;
    CHECK(is_lowered(g), "%s of %s is its expansion", c->name, type_name(type));
    return is_lowered(g);
}

static double number_at(const struct array *x, int64_t i)
{
    uint64_t bits = 0;
    enum vkc_type type = x->tensor.type;
    memcpy(&bits, (char *)x->data + (size_t)i * type_bytes(type), type_bytes(type));
    return num_float_decode(type, bits);
}

static void set_number(const struct array *x, int64_t i, double number)
{
    enum vkc_type type = x->tensor.type;
    uint64_t bits = num_float_encode(type, number);
    memcpy((char *)x->data + (size_t)i * type_bytes(type), &bits, type_bytes(type));
}

/* A, of few digits; zeros; A times 2^k, and an upper triangle of the least numbers. */
static void fill_matrices(const struct array *x, int k)
{
    const double least = x->tensor.type == TYPE_F64 ? 0x1p-1074 : 0x1p-149;
    for (int64_t i = 0; i < ORDER; i++)
        for (int64_t j = 0; j < ORDER; j++) {
            double number = i == j  ? ORDER
                            : j < i ? number_at(x, j * ORDER + i)
                                    : rint(uniform() * 256) / 256;
            double small = (double)(1 + random_word() % 5) * least;
            set_number(x, i * ORDER + j, number);
            set_number(x, (ORDER + i) * ORDER + j, 0);
            set_number(x, (2 * ORDER + i) * ORDER + j, ldexp(number, k));
            set_number(x, (3 * ORDER + i) * ORDER + j, j < i ? 0 : small);
        }
}

static void check_factor(const struct factors *c, uint32_t part, const struct array *x,
                         const struct array *in, int k)
{
    const enum vkc_type type = x->tensor.type;
    const int64_t size = shape_size(&x->tensor.shape) / MATRICES;
    const int power = k / 2 * (int)c->times[part] + (c->times[part] == 2 ? k % 2 : 0);
    const bool is_scaled = strcmp(c->name, "Cholesky") != 0 && strcmp(c->name, "LU") != 0;
    bool same = true, is_finite = true, is_kept = true;
    for (int64_t i = 0; i < size; i++) {
        double scaled =
            num_float_decode(type, num_float_encode(type, ldexp(number_at(x, i), power)));
        same &= number_at(x, 2 * size + i) == scaled;
        for (int matrix = 0; matrix < MATRICES; matrix++)
            is_finite &= isfinite(number_at(x, matrix * size + i)) || (!is_scaled && matrix % 2);
        is_kept &= number_at(x, 3 * size + i) == number_at(in, 3 * size + i);
    }
    CHECK(same, "%s of %s, part %u: of a matrix times 2^%d not the same digits", c->name,
          type_name(type), part, k);
    CHECK(is_finite, "%s of %s, part %u, 2^%d: not finite", c->name, type_name(type), part, k);
    if (strcmp(c->name, "QR") == 0 && part == 1)
        CHECK(is_kept, "QR of %s: a triangle of the least numbers is another", type_name(type));
}

static void check_digits(const struct factors *c, enum vkc_type type)
{
    /* with the last two, the greatest element is just below the greatest number, and just above
       the least normal one */
    static const int powers[][2] = {{-40, -500}, {40, 500}, {122, 1018}, {-131, -1027}};
    struct arena a;
    struct graph g;
    arena_init(&a, (size_t)1 << 31);
    bool ok = factors_graph(&a, c, type, &g);
    for (size_t p = 0; ok && p < sizeof powers / sizeof *powers; p++) {
        struct array in = {g.funcs[g.entry].params[0], NULL}, out[PARTS];
        struct diag d = {0};
        int k = powers[p][type == TYPE_F64];
        /* small elements of a root become 0, as in the expansion; LU works on A as it is */
        if (k < 0 && (strcmp(c->name, "Cholesky") == 0 || (strcmp(c->name, "LU") == 0 && p == 3)))
            continue;
        in.data = arena_alloc(&a, tensor_bytes(&in.tensor), 8);
        fill_matrices(&in, k);
        ok = interp_run(&g, g.entry, &a, &in, out, &d);
        CHECK(ok, "%s of %s: %s", c->name, type_name(type), d.message);
        for (uint32_t part = 0; ok && c->parts[part]; part++)
            check_factor(c, part, &out[part], &in, k);
    }
    arena_finish(&a);
}

/* ---- which way is taken ---- */

static const struct way {
    const char *name;
    int batch, order;
    bool in_loop, is_lowered;
} ways[] = {
    /* small matrices are a workgroup program; in a loop so is all that a workgroup holds, 8192
       elements */
    {"Cholesky", 1, 5, false, true},
    {"Cholesky", 2, 64, true, false},
    {"Cholesky", 3, 64, true, true},
    {"Eigh", 1, 3, false, false},
    {"Eigh", 2, 3, false, true},
    {"Eigh", 1, 4, false, true},
    {"Eigh", 1, 4, true, false},
    {"Eigh", 2, 64, true, false},
    {"Eigh", 3, 64, true, true},
    {"SVD", 1, 3, false, true},
    {"SVD", 2, 3, false, true},
    {"SVD", 1, 4, false, true},
    {"SVD", 1, 4, true, false},
    {"SVD", 2, 64, true, false},
    {"SVD", 3, 64, true, true},
    {"LU", 36, 15, false, false},
    {"LU", 37, 15, false, true},
    {"LU", 2048, 2, false, false},
    {"LU", 2049, 2, false, true},
    {"LU", 1, 16, false, true},
    {"LU", 32, 16, true, false},
    {"LU", 33, 16, true, true},
    {"QR", 32, 16, false, false},
    {"QR", 33, 16, false, true},
    {"QR", 1, 17, false, true},
    {"QR", 2, 64, true, false},
    {"QR", 3, 64, true, true},
    /* up to 64 rows a system is substituted whole */
    {"triangular", 1, 64, false, false},
    {"triangular", 3, 64, false, false},
    {"triangular", 1, 65, false, true},
    {"triangular", 1, 90, true, false},
    {"triangular", 2, 90, true, true},
};

/* The same for a profile, or with options of the block. */
static const struct asked {
    const char *profile, *options; /* NULL: baseline; none */
    struct way way;
} asked_ways[] = {
    {"nvidia", "eps=0.0001;max_iter=1000", {"Eigh", 1, 4, false, true}},
    {"lavapipe", NULL, {"Eigh", 1, 15, false, false}},
    {"lavapipe", NULL, {"Eigh", 2, 15, false, true}},
    {"lavapipe", NULL, {"Eigh", 1, 16, false, true}},
    {"lavapipe", NULL, {"SVD", 1, 3, false, false}},
    {"lavapipe", NULL, {"SVD", 1, 4, false, true}},
    /* with an eps that is not Nx's own, a small matrix has its small results made 0 */
    {"nvidia", NULL, {"SVD", 1, 3, false, true}},
    {NULL, "eps=1.0e-4;max_iter=7", {"Eigh", 1, 4, false, true}},
    {NULL, "eps=0.00012;max_iter=1000", {"Eigh", 1, 15, false, false}},
    {NULL, "eps=1.0e-5;max_iter=1000", {"Eigh", 1, 15, false, false}},
    {NULL, "eps=1.0e-5;max_iter=1000", {"Eigh", 1, 16, false, true}},
    {NULL, "eps=1.0e-5;max_iter=1000", {"Eigh", 2, 15, false, true}},
};

/* Nodes that make n4 of n1, and the value that has the shape of n1. */
static void put_way(struct str *out, const struct asked *asked, const struct factors *c,
                    const struct operand *x, struct str *result)
{
    if (c) {
        put_block(out, c, x, asked->options, 3);
        put_factor(result, c, c->next);
        return;
    }
    str_add(out, "n4 = triangular_solve n1, n1 left_side=true lower=true transform=\"none\" : ");
    put_tensor(out, x, 'M');
    str_add(out, "\n");
    str_add(result, "n4");
}

/* Of a loop nobody knows how often it runs. */
static void check_way(const struct asked *asked)
{
    const struct way *w = &asked->way;
    const struct operand x = {TYPE_F32, w->batch, w->order};
    const struct factors *c = NULL;
    char name[128];
    struct arena a;
    struct graph g;
    struct str s, type, result;
    for (int i = 0; i < FACTORS; i++)
        c = strcmp(all_factors[i].name, w->name) == 0 ? &all_factors[i] : c;
    snprintf(name, sizeof name, "%s of %d x %d%s, %s, %s", w->name, w->batch, w->order,
             w->in_loop ? " in a loop" : "", asked->profile ? asked->profile : "baseline",
             asked->options ? asked->options : "no options");
    arena_init(&a, 0);
    str_init(&s, &a);
    str_init(&type, &a);
    str_init(&result, &a);
    put_tensor(&type, &x, 'M');
    const char *t = str_text(&type);
    str_printf(&s,
               "graph \"t\" entry=f0 callbacks=0\nfunc f0(s32[], %s) {\n"
               "n0 = parameter index=0 : s32[]\nn1 = parameter index=1 : %s\n",
               t, t);
    if (w->in_loop)
        block_graph_loop(&s, t);
    put_way(&s, asked, c, &x, &result);
    str_printf(&s, "return %s%s\n}\n", w->in_loop ? "n3, " : "", str_text(&result));
    if (!w->in_loop) /* regions have numbers of their own */
        str_add(&s, "func f1() {\nn0 = constant bits=00000000 : s32[]\nreturn n0\n}\n"
                    "func f2() {\nn0 = constant bits=00000000 : s32[]\nreturn n0\n}\n");
    if (c)
        put_expansion(&s, c, &x, 3);
    if (after_the_passes(&a, name, asked->profile, &s, &g)) {
        bool lowered = c ? is_lowered(&g) : !has_op(&g, OP_TRIANGULAR_SOLVE, w->order);
        CHECK(lowered == w->is_lowered, "%s is %slowered", name, lowered ? "" : "not ");
        /* orders are rounded up to a power of two times 32 */
        int64_t most = c ? 0 : most_elements(&g), all = (int64_t)w->batch * w->order * w->order;
        CHECK(most <= 4 * all, "%s: a tensor of %lld elements, the matrices have %lld", name,
              (long long)most, (long long)all);
    }
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (int i = 0; i < FACTORS; i++)
        if (check_wanted(all_factors[i].name)) {
            check_digits(&all_factors[i], TYPE_F32);
            check_digits(&all_factors[i], TYPE_F64);
        }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (check_wanted(ways[i].name))
            check_way(&(struct asked){.way = ways[i]});
    for (size_t i = 0; i < sizeof asked_ways / sizeof *asked_ways; i++)
        if (check_wanted(asked_ways[i].way.name))
            check_way(&asked_ways[i]);
    return check_report();
}
