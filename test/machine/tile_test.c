/* Products in tiles of a workgroup, without matrix units: each tile that f64 has, and that of f32
   with few results, each way that operands lie, sizes that fill tiles and that do not, and elements
   that are loaded four at a time or by themselves. Of whole numbers, so the bits must be the
   interpreter's. Run by the machine of this folder. Usage: tile_test [NAME], a part of names. */
#include "../e2e/e2e.h"
#include "interp/interp_impl.h"
#include "machine_check.h"

/* Small whole numbers: every sum is one that the type has. */
static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    (void)context, (void)set, (void)input;
    int64_t size = shape_size(&x->tensor.shape);
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits = *random += 0x9e3779b97f4a7c15u;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        number_store(x->tensor.type, x->data, i,
                     (union number){.f = (double)(int64_t)(bits >> 40 & 15) - 7});
    }
}

/* `tile`: the side of the tile that the schedule must have, or it is not that tile that is tried.
   On a device of one unit f64 has the largest. */
static const struct {
    const char *name, *type, *target;
    long long batch, m, n, k;
    uint32_t units;
    uint64_t tile;
} cases[] = {
    {"16 x 16, whole", "f32", "nvidia", 1, 160, 160, 64, 0, 16},
    {"16 x 16, of none", "f32", "nvidia", 1, 150, 171, 67, 0, 16},
    {"16 x 16, less than a part of k", "f32", "nvidia", 3, 96, 97, 17, 0, 16},
    {"16 x 16, two parts of k", "f32", "intel", 1, 161, 160, 66, 0, 16},
    {"f64, 32 x 32", "f64", "nvidia", 1, 160, 164, 40, 0, 32},
    {"f64, 32 x 32, of none", "f64", "nvidia", 1, 161, 162, 33, 0, 32},
    {"f64, 64 x 64", "f64", "nvidia", 64, 64, 64, 16, 0, 64},
    {"f64, 64 x 64, of none", "f64", "nvidia", 64, 33, 35, 19, 0, 64},
    {"f64, 64 x 64, four in a row", "f64", "nvidia", 64, 20, 36, 20, 0, 64},
    {"f64, 128 x 128", "f64", "nvidia", 2, 128, 128, 16, 1, 128},
    {"f64, 128 x 128, of none", "f64", "nvidia", 3, 101, 127, 17, 1, 128},
    {"f64, 128 x 128, four in a row", "f64", "nvidia", 2, 100, 124, 20, 1, 128},
    {"f64, wide waves", "f64", "amd", 64, 33, 36, 16, 0, 64},
    {"few rows", "f32", "nvidia", 1, 2, 1032, 1024, 0, 16},
    {"few rows, of none", "f32", "nvidia", 1, 2, 1031, 1021, 0, 16},
    {"few columns", "bf16", "nvidia", 1, 1032, 3, 1024, 0, 32},
    {"few columns, of none", "f16", "nvidia", 1, 1029, 2, 1021, 0, 32},
    {"few rows, of four", "f16", "nvidia", 1, 2, 1036, 1020, 0, 32},
    {"few rows, 128 threads", "f16", "nvidia", 1, 2, 1048, 1016, 8, 32},
    {"few rows, larger tiles", "f32", "nvidia", 1, 2, 2056, 516, 1, 512},
    {"few rows, a thread each", "s64", "nvidia", 1, 2, 1030, 1024, 1, 256},
    {"few rows of matrices", "f64", "nvidia", 3, 2, 516, 700, 0, 16},
    {"one row", "u8", "amd", 1, 1, 2051, 520, 1, 512},
};

/* How the operands lie: `a` is m x k, or k x m; `b` is k x n, or n x k. */
static void shapes(char *a, char *b, size_t size, size_t i, bool a_across, bool b_across)
{
    long long batch = cases[i].batch, m = cases[i].m, n = cases[i].n, k = cases[i].k;
    snprintf(a, size, "%s[%lld,%lld,%lld]", cases[i].type, batch, a_across ? k : m,
             a_across ? m : k);
    snprintf(b, size, "%s[%lld,%lld,%lld]", cases[i].type, batch, b_across ? n : k,
             b_across ? k : n);
}

static void check(struct machine_check *m, size_t i, bool a_across, bool b_across)
{
    char name[160], a[80], b[80], params[200], nodes[400], text[2048];
    snprintf(name, sizeof name, "%s, a %s, b %s", cases[i].name, a_across ? "across" : "along",
             b_across ? "across" : "along");
    if (!check_wanted(&m->check, name))
        return;
    shapes(a, b, sizeof a, i, a_across, b_across);
    snprintf(params, sizeof params, "%s %s", a, b);
    snprintf(nodes, sizeof nodes,
             "n2 = dot n0, n1 contract_a=[%d] batch_a=[0] contract_b=[%d] batch_b=[0] : "
             "%s[%lld,%lld,%lld]\n n3 = negate n2 : %s[%lld,%lld,%lld]\n return n3",
             a_across ? 1 : 2, b_across ? 2 : 1, cases[i].type, cases[i].batch, cases[i].m,
             cases[i].n, cases[i].type, cases[i].batch, cases[i].m, cases[i].n);
    machine_graph_text(text, sizeof text, "tile", params, nodes, false);
    uint64_t tile = cases[i].tile, groups = (uint64_t)cases[i].batch *
                                            (((uint64_t)cases[i].m + tile - 1) / tile) *
                                            (((uint64_t)cases[i].n + tile - 1) / tile);
    machine_compare(m, &(struct machine_case){.name = name,
                                              .graph = text,
                                              .target = cases[i].target,
                                              .units = cases[i].units,
                                              .exact = true,
                                              .no_matrices = true,
                                              .groups = groups,
                                              .fill = fill});
}

int main(int argc, char **argv)
{
    struct machine_check m = {.seed = 1, .check.turns = 3};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned lies = 0; lies < 4; lies++) {
            bool is_small = cases[i].batch * cases[i].m * cases[i].n * cases[i].k < 700000;
            if (lies == i % 4 || (is_small && lies == (i + 1) % 4))
                check(&m, i, lies & 1, lies & 2);
        }
    printf("%lld elements compared; %lld more depend on rounding\n", (long long)m.compared,
           (long long)m.loose);
    return check_finish(&m.check);
}
