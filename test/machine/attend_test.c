/* Attention in tiles: the body on matrix units and the plain one, each way that operands lie, sizes
   at and around those of matrices and tiles, and what is computed of the scores. Run by the machine
   of this folder, and compared with the interpreter. Usage: attend_test [NAME], a part of names. */
#include <math.h>

#include "../e2e/e2e.h"
#include "interp/interp_impl.h"
#include "machine_check.h"

/* Scores of a few units, so that no row is one weight alone, but where a bias makes it that: by
   more than exp has room for, at another key in each row. Bytes are masks. */
static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    (void)set;
    const bool edges = *(const bool *)context;
    int64_t size = shape_size(&x->tensor.shape), n = x->tensor.shape.dim[2];
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits = *random += 0x9e3779b97f4a7c15u;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
        union number z = {.f = ((double)(bits >> 11) * 0x1p-52 - 1)};
        bool is_bias = input == 3 && x->tensor.shape.rank == 3;
        if (is_bias && i / n % 2 && i % n == (i / n * 37 + 5) % n)
            z.f += 200;
        if (edges && i % 1009 == 17)
            z.f = i % 2 ? NAN : INFINITY;
        if (type_is_int(x->tensor.type))
            z.u = (bits >> 32 & 3) != 0;
        number_store(x->tensor.type, x->data, i, z);
    }
}

static const char *const types[] = {"f16", "bf16", "f32"};
enum { TYPES = sizeof types / sizeof *types };

struct sizes {
    int64_t b, m, n, d, width;
};

/* The steps between both products, of `m` and `n` of the type `$`: n10 of n2, all of [b,m,n]. */
static const struct {
    const char *name, *params, *nodes;
} between[] = {
    {"scaled", "", "n3 = constant bits=# : $[@]\n n10 = multiply n3, n2 : $[@]\n"},
    {"alone", "", "n10 = negate n2 : $[@]\n"},
    {"masked", "u8[*]",
     "n3 = broadcast p axes=[0,2] : u8[@]\n n4 = constant bits=- : $[@]\n"
     " n10 = select n3, n2, n4 : $[@]\n"},
    {"causal", "",
     "n3 = iota axis=1 : s32[@]\n n4 = iota axis=2 : s32[@]\n"
     " n5 = greater_equal n3, n4 : u8[@]\n n6 = constant bits=- : $[@]\n"
     " n10 = select n5, n2, n6 : $[@]\n"},
    {"with a bias", "$[@]", "n10 = add n2, p : $[@]\n"},
    {"used twice", "", "n3 = tanh n2 : $[@]\n n10 = multiply n3, n2 : $[@]\n"},
};
enum { SCALED, ALONE, MASKED, CAUSAL, BIASED, TWICE };

/* Replaces $, @ and * by the type, "b,m,n" and "b,n", # and - by 1/8 and -infinity. */
static void put(char *out, size_t size, const char *text, const char *type, const struct sizes *s,
                const char *param)
{
    size_t at = 0;
    bool is_short = strcmp(type, "f32") != 0, is_bf16 = strcmp(type, "bf16") == 0;
    for (; *text && at + 64 < size; text++) {
        const char *eighth = !is_short ? "3e000000"
                             : is_bf16 ? "3e00"
                                       : "3000",
                   *least = !is_short ? "ff800000"
                            : is_bf16 ? "ff80"
                                      : "fc00";
        if (*text == '$')
            at += (size_t)snprintf(out + at, size - at, "%s", type);
        else if (*text == '@')
            at += (size_t)snprintf(out + at, size - at, "%lld,%lld,%lld", (long long)s->b,
                                   (long long)s->m, (long long)s->n);
        else if (*text == '*')
            at += (size_t)snprintf(out + at, size - at, "%lld,%lld", (long long)s->b,
                                   (long long)s->n);
        else if (*text == '#' || (*text == '-' && text[1] == ' '))
            at += (size_t)snprintf(out + at, size - at, "%s", *text == '#' ? eighth : least);
        else if (*text == 'p' && text[-1] == ' ')
            at += (size_t)snprintf(out + at, size - at, "%s", param);
        else
            out[at++] = *text;
    }
    out[at] = '\0';
}

/* The node, not what passes make of softmax: sizes below those that pay are tried, too. */
static void check(struct machine_check *m, const char *type, const struct sizes *s, size_t which,
                  bool matrices, bool edges)
{
    char name[160], more[128], middle[1024];
    long long b = s->b, rows = s->m, n = s->n, d = s->d, width = s->width;
    snprintf(name, sizeof name, "%s %lld x %lld x %lld x %lld x %lld, %s%s", type, b, rows, n, d,
             width, between[which].name, edges ? ", edges" : "");
    if (!check_wanted(&m->check, name))
        return;
    put(more, sizeof more, between[which].params, type, s, "");
    put(middle, sizeof middle, between[which].nodes, type, s, "n20");

    char text[4096];
    size_t at =
        (size_t)snprintf(text, sizeof text,
                         "graph \"attend\" entry=f0 callbacks=0\nfunc f0(%s[%lld,%lld,%lld], "
                         "%s[%lld,%lld,%lld], %s[%lld,%lld,%lld]%s%s) {\n n0 = parameter index=0 "
                         ": %s[%lld,%lld,%lld]\n n1 = parameter index=1 : %s[%lld,%lld,%lld]\n "
                         "n30 = parameter index=2 : %s[%lld,%lld,%lld]\n",
                         type, b, rows, d, type, b, n, d, type, b, n, width, *more ? ", " : "",
                         more, type, b, rows, d, type, b, n, d, type, b, n, width);
    if (*more)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, " n20 = parameter index=3 : %s\n", more);
    snprintf(text + at, sizeof text - at,
             " n2 = scores n0, n1 : %s[%lld,%lld,%lld]\n %s n11 = attend n10, n30 : "
             "%s[%lld,%lld,%lld]\n return n11\n}\n",
             type, b, rows, n, middle, type, b, rows, width);
    machine_compare(m, &(struct machine_case){.name = name,
                                              .graph = text,
                                              .target = "nvidia",
                                              .units = 1,
                                              .matrices = matrices,
                                              .no_matrices = !matrices,
                                              .plain = true,
                                              .fill = fill,
                                              .context = &edges});
}

/* With a device of one unit, eight workgroups or more have two matrices of rows a subgroup. */
static const struct {
    struct sizes size;
    size_t between;
    uint32_t types; /* bits of f16, bf16, f32 */
} cases[] = {
    {{2, 128, 64, 64, 64}, SCALED, 5}, /* whole tiles */
    {{1, 130, 70, 40, 24}, MASKED, 2}, /* of none */
    {{1, 17, 133, 17, 33}, BIASED, 7}, {{3, 33, 34, 16, 16}, CAUSAL, 6},
    {{1, 16, 40, 128, 128}, TWICE, 1}, {{1, 31, 65, 15, 7}, ALONE, 7},
    {{1, 40, 31, 120, 72}, CAUSAL, 3}, {{9, 40, 72, 24, 40}, MASKED, 1},
    {{8, 33, 33, 64, 64}, BIASED, 2},  {{9, 3, 100, 30, 9}, TWICE, 3},
};

int main(int argc, char **argv)
{
    struct machine_check m = {.seed = 1, .check.turns = 2};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t t = 0; t < TYPES; t++)
            if (cases[i].types >> t & 1)
                check(&m, types[t], &cases[i].size, cases[i].between, t < 2, i % 3 == 1);
    printf("%lld elements compared; %lld more depend on rounding\n", (long long)m.compared,
           (long long)m.loose);
    return check_finish(&m.check);
}
