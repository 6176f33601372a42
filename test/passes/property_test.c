/* Optimised is unoptimised: random graphs through the interpreter before and after the passes.
   Also that every graph verifies after every pass, and reads back from its text. property_test
   [graphs] [first seed] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "interp/interp.h"
#include "base/num.h"
#include "passes/passes.h"
#include "random_graph.h"

/* How far a float may move: by roundings of terms as large as any value that went in, per node. */
static bool is_near(enum vkc_type type, double x, double y, double scale)
{
    double eps = type == TYPE_F64 ? 0x1p-52 : type == TYPE_F32 ? 0x1p-23 : 0x1p-7;
    return x == y || (isnan(x) && isnan(y)) || !isfinite(scale) ||
           fabs(x - y) <= 4096 * eps * scale;
}

/* The index of the first element that is off, or -1. */
static int64_t compare(const struct array *x, const struct array *y, bool near)
{
    enum vkc_type type = x->tensor.type;
    size_t bytes = type_bytes(type);
    double scale = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++) {
            uint64_t a = 0, b = 0;
            memcpy(&a, (char *)x->data + (size_t)i * bytes, bytes);
            memcpy(&b, (char *)y->data + (size_t)i * bytes, bytes);
            if (a == b && pass == 1)
                continue;
            if (!type_is_float(type)) {
                if (a != b)
                    return i;
                continue;
            }
            double p = num_float_decode(type, a), q = num_float_decode(type, b);
            if (pass == 0)
                scale = fabs(p) > scale ? fabs(p) : scale;
            else if (near ? !is_near(type, p, q, scale) : !(isnan(p) && isnan(q)))
                return i;
        }
    }
    return -1;
}

static void print_graph(struct arena *a, const struct graph *g)
{
    struct str s;
    str_init(&s, a);
    ir_print(g, &s);
    fputs(str_text(&s), stdout);
}

static void run_seed(uint64_t seed, enum random_mode mode, const char *skip)
{
    struct arena a;
    struct graph g, before;
    struct diag d = {0};
    arena_init(&a, (size_t)1 << 30);
    if (!random_graph(&a, seed, mode, 8 + (uint32_t)(seed % 30), &g) || !ir_verify(&g, &d)) {
        CHECK(false, "seed %llu mode %d: the generator made a bad graph: %s",
              (unsigned long long)seed, mode, d.message);
        print_graph(&a, &g);
        arena_finish(&a);
        return;
    }
    before = g;
    before.funcs = arena_copy(&a, g.funcs, g.nfuncs * sizeof *g.funcs);
    const struct func *f = &before.funcs[0];
    struct array inputs[4], x[6], y[6];
    uint64_t state = seed;
    for (uint32_t i = 0; i < f->nparams; i++) {
        inputs[i] = (struct array){f->params[i], arena_alloc(&a, tensor_bytes(&f->params[i]), 1)};
        random_fill(&state, mode, &f->params[i], inputs[i].data);
    }
    const struct pass_options o = {.roundtrip = true, .skip = skip};
    bool ok = interp_run(&before, 0, &a, inputs, x, &d) && passes_run(&g, &o, &d) &&
              interp_run(&g, g.entry, &a, inputs, y, &d);
    CHECK(ok, "seed %llu mode %d skip %s: %s (%s)", (unsigned long long)seed, mode,
          skip ? skip : "", d.message, d.where);
    for (uint32_t i = 0; ok && i < f->nresults; i++) {
        CHECK(tensor_equal(&x[i].tensor, &y[i].tensor), "seed %llu mode %d: result %u changed type",
              (unsigned long long)seed, mode, i);
        int64_t at = compare(&x[i], &y[i], mode == RANDOM_SUMS);
        CHECK(at < 0, "seed %llu mode %d skip %s: result %u differs at %lld",
              (unsigned long long)seed, mode, skip ? skip : "", i, (long long)at);
        ok = at < 0;
    }
    if (!ok && check_failed < 3) {
        print_graph(&a, &before);
        print_graph(&a, &g);
    }
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 300;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static const char *const skips[] = {NULL,       NULL,      "inline", "canon",
                                        "fold,cse", "algebra", "views"};
    for (uint64_t seed = first; seed < first + (uint64_t)count && check_failed < 5; seed++)
        for (int mode = RANDOM_INTEGERS; mode <= RANDOM_SUMS; mode++)
            run_seed(seed, (enum random_mode)mode, skips[seed % 7]);
    return check_report();
}
