/* Singular values and vectors of small matrices, and symmetric matrices made diagonal by threads
   that have a pair of rows: run by the machine of this folder, for every shipped profile, and
   compared with the interpreter. Signs are free, so that magnitudes are compared, in 64ths: the
   reference does not know what rotations round.
   Usage: singular_test [NAME], a part of names. */
#include <stdlib.h>

#include "machine_check.h"

/* What the matrix is; n0 is made by the test. */
static const struct singular_case {
    const char *name;
    int matrices, rows, columns;
    const char *type;
    bool full;
    bool zeros; /* in all columns but the first two, so that V is completed */
} cases[] = {
    {"tall", 3, 7, 5, "f32", false, false},      {"all directions", 2, 5, 3, "f32", true, false},
    {"square", 1, 4, 4, "f32", true, false},     {"two columns", 70, 3, 2, "f32", true, false},
    {"of doubles", 2, 6, 4, "f64", true, false}, {"lacking", 3, 6, 5, "f32", true, true},
    {"one column", 2, 5, 1, "f32", true, false}, {"many columns", 1, 18, 17, "f32", false, false},
};

/* Of (i, j): x / 16 + (i == j) j j / 16, whose values are far apart. */
static void check_singular(struct machine_check *m, const struct singular_case *c)
{
    char in[64], index[64], flag[64], out[64], params[64], nodes[2048], text[4096];
    if (!check_wanted(&m->check, c->name))
        return;
    snprintf(in, sizeof in, "%s[%d,%d,%d]", c->type, c->matrices, c->rows, c->columns);
    snprintf(index, sizeof index, "s32[%d,%d,%d]", c->matrices, c->rows, c->columns);
    snprintf(flag, sizeof flag, "u8[%d,%d,%d]", c->matrices, c->rows, c->columns);
    snprintf(out, sizeof out, "%s[%d,%d,%d]", c->type, c->matrices, c->full ? c->rows : c->columns,
             c->rows + c->columns + 1);
    bool wide = c->type[1] == '6';
    snprintf(
        nodes, sizeof nodes,
        "n1 = iota axis=1 : %s\n n2 = iota axis=2 : %s\n n3 = equal n1, n2 : %s\n"
        " n4 = as_type n2 : %s\n n5 = multiply n4, n4 : %s\n n6 = add n5, n0 : %s\n"
        " n7 = select n3, n6, n0 : %s\n n8 = constant bits=%s : %s\n n9 = multiply n7, n8 : %s\n"
        " n10 = constant bits=%s : %s\n n11 = constant bits=%08x : %s\n"
        " n12 = less n2, n11 : %s\n n13 = select n12, n9, n10 : %s\n"
        " n14 = singular n13 full=%s sweeps=20 : %s\n n15 = abs n14 : %s\n"
        " n16 = constant bits=%s : %s\n n17 = multiply n15, n16 : %s\n n18 = round n17 : %s\n"
        " return n18",
        index, index, flag, in, in, in, in, wide ? "3fb0000000000000" : "3d800000", in, in,
        wide ? "0000000000000000" : "00000000", in, c->zeros ? 2u : 99u, index, flag, in,
        c->full ? "true" : "false", out, out, wide ? "4050000000000000" : "42800000", out, out,
        out);
    snprintf(params, sizeof params, "%s", in);
    machine_graph_text(text, sizeof text, "singular", params, nodes, false);
    machine_compare_all(m, &(struct machine_case){.name = c->name, .graph = text, .sets = 1});
}

/* What is left beside the diagonal, in 1024ths, after a few sweeps: nothing. */
static void check_diagonal(struct machine_check *m, int width, const char *type)
{
    char name[64], in[64], index[64], flag[64], nodes[2048], text[4096];
    bool wide = type[1] == '6';
    snprintf(name, sizeof name, "diagonal, %d of %s", width, type);
    if (!check_wanted(&m->check, name))
        return;
    snprintf(in, sizeof in, "%s[2,%d,%d]", type, width, width);
    snprintf(index, sizeof index, "s32[2,%d,%d]", width, width);
    snprintf(flag, sizeof flag, "u8[2,%d,%d]", width, width);
    snprintf(
        nodes, sizeof nodes,
        "n1 = transpose n0 axes=[0,2,1] : %s\n n2 = add n0, n1 : %s\n n3 = constant bits=%s : %s\n"
        " n4 = multiply n2, n3 : %s\n"
        " n5 = jacobi n4 rows=32 sweeps=6 across=false absolute=true : %s\n"
        " n6 = dot n4, n5 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[0] : %s\n"
        " n7 = dot n5, n6 contract_a=[1] batch_a=[0] contract_b=[1] batch_b=[0] : %s\n"
        " n8 = iota axis=1 : %s\n n9 = iota axis=2 : %s\n n10 = equal n8, n9 : %s\n"
        " n11 = constant bits=%s : %s\n n12 = select n10, n11, n7 : %s\n"
        " n13 = constant bits=%s : %s\n n14 = multiply n12, n13 : %s\n n15 = abs n14 : %s\n"
        " n16 = round n15 : %s\n return n16",
        in, in, wide ? "3fa0000000000000" : "3d000000", in, in, in, in, in, index, index, flag,
        wide ? "0000000000000000" : "00000000", in, in, wide ? "4090000000000000" : "44800000", in,
        in, in, in);
    machine_graph_text(text, sizeof text, "diagonal", in, nodes, false);
    machine_compare_all(m, &(struct machine_case){.name = name, .graph = text, .sets = 1});
}

int main(int argc, char **argv)
{
    struct machine_check m = {.seed = 1};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_singular(&m, &cases[i]);
    check_diagonal(&m, 16, "f32");
    check_diagonal(&m, 64, "f32");
    check_diagonal(&m, 32, "f64");
    printf("%lld elements compared; %lld more depend on rounding; %d refused\n",
           (long long)m.compared, (long long)m.loose, m.refused);
    return check_finish(&m.check);
}
