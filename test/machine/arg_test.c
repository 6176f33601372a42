/* argmax and argmin among equals: zeros of either sign, infinities, several NaN, the least numbers,
   first and last of them, in rows of one thread and of many. Run by the machine of this folder, for
   every shipped profile, and compared with the interpreter: the places are the same, or wrong.
   Usage: arg_test [NAME], a part of names. */
#include <math.h>

#include "../e2e/e2e.h"
#include "interp/interp_impl.h"
#include "machine_check.h"

enum filling { ZEROS, INFINITIES, NOT_NUMBERS, LEAST, WHOLE, FILLINGS };
static const char *const names[] = {"zeros", "infinities", "NaN", "subnormal", "whole"};

/* What elements are one of. */
static const double values[FILLINGS][4] = {{0.0, -0.0, 0.0, -0.0},
                                           {INFINITY, -INFINITY, INFINITY, -INFINITY},
                                           {NAN, -INFINITY, INFINITY, 1},
                                           {1e-40, -1e-40, 0.0, 2e-40},
                                           {-3, 2, 1, -1}};

/* Set 1 has the second value alone. */
static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    const enum filling how = *(const enum filling *)context;
    int64_t size = shape_size(&x->tensor.shape);
    (void)input;
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits = *random += 0x9e3779b97f4a7c15u;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        number_store(x->tensor.type, x->data, i,
                     (union number){.f = values[how][set ? 1 : bits >> 40 & 3]});
    }
}

static void check(struct machine_check *m, const char *type, enum filling how, int columns,
                  const char *target)
{
    char name[128], params[64], nodes[1024], text[2048];
    snprintf(name, sizeof name, "%s, %s, rows of %d, %s", names[how], type, columns, target);
    if (!check_wanted(&m->check, name))
        return;
    snprintf(params, sizeof params, "%s[9,%d]", type, columns);
    snprintf(nodes, sizeof nodes,
             "n1 = argmax n0 axis=1 tie_break=\"low\" keep=false : s32[9]\n"
             " n2 = argmax n0 axis=1 tie_break=\"high\" keep=false : s32[9]\n"
             " n3 = argmin n0 axis=1 tie_break=\"low\" keep=false : s32[9]\n"
             " n4 = argmin n0 axis=1 tie_break=\"high\" keep=false : s32[9]\n"
             " return n1, n2, n3, n4");
    machine_graph_text(text, sizeof text, "arg", params, nodes, false);
    machine_compare(m, &(struct machine_case){.name = name,
                                              .graph = text,
                                              .target = target,
                                              .exact = true,
                                              .sets = 2,
                                              .fill = fill,
                                              .context = &how});
}

int main(int argc, char **argv)
{
    static const char *const targets[] = {"baseline", "nvidia", "lavapipe",
                                          "amd",      "intel",  "apple"};
    static const char *const types[] = {"f32", "bf16", "f16", "f64"};
    struct machine_check m = {.seed = 1};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (int how = 0; how < FILLINGS; how++)
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            for (size_t y = 0; y < sizeof types / sizeof *types; y++) {
                check(&m, types[y], (enum filling)how, 300, targets[t]);
                check(&m, types[y], (enum filling)how, 6, targets[t]);
            }
    printf("%lld elements compared; %lld more depend on rounding\n", (long long)m.compared,
           (long long)m.loose);
    return check_finish(&m.check);
}
