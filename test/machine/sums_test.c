/* Several compensated sums of one row in workgroup programs, which have threads of their own at
   the end of their tree (codegen/family/row_tree.h): whether the code has such an end, and its
   results, run by the machine of this folder for every shipped profile. Usage: sums_test [NAME],
   a part of names. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "machine_check.h"

struct program {
    const char *type;
    int sums, rows, length;
    int steps;      /* in a round: their sums have arrays of their own, in shared memory */
    bool has_most;  /* and the greatest of the row, which is no sum */
    bool cancels;   /* its sums are of what fill_cancelling says: no bit may be off */
    unsigned apart; /* ends that its code has, for nvidia */
};

/* The sums of x times 1, 2 and so on, and of them all: the number of the node. */
static int add_sums(struct str *s, const struct program *p, int x, int *next)
{
    const char *t = p->type;
    int at = *next, total = 0;
    for (int i = 0; i < p->sums; i++) {
        union {
            float f;
            unsigned u;
        } single = {.f = (float)(i + 1)};
        union {
            double f;
            unsigned long long u;
        } twice = {.f = i + 1};
        if (strcmp(t, "f64") == 0)
            str_printf(s, " n%d = constant bits=%016llx : %s[]\n", at, twice.u, t);
        else
            str_printf(s, " n%d = constant bits=%08x : %s[]\n", at, single.u, t);
        str_printf(s, " n%d = broadcast n%d axes=[] : %s[%d,%d]\n", at + 1, at, t, p->rows,
                   p->length);
        str_printf(s, " n%d = multiply n%d, n%d : %s[%d,%d]\n", at + 2, x, at + 1, t, p->rows,
                   p->length);
        str_printf(s, " n%d = sum n%d axes=[1] keep=false : %s[%d]\n", at + 3, at + 2, t, p->rows);
        at += 4;
        if (i > 0) {
            str_printf(s, " n%d = add n%d, n%d : %s[%d]\n", at, total, at - 1, t, p->rows);
            at++;
        }
        total = at - 1;
    }
    if (p->has_most) {
        str_printf(s, " n%d = reduce_max n%d axes=[1] keep=false : %s[%d]\n", at, x, t, p->rows);
        str_printf(s, " n%d = add n%d, n%d : %s[%d]\n", at + 1, total, at, t, p->rows);
        at += 2, total = at - 1;
    }
    *next = at;
    return total;
}

/* x and a thousandth or so of that. */
static int add_step(struct str *s, const struct program *p, int x, int *next)
{
    const char *t = p->type;
    int total = add_sums(s, p, x, next), at = *next;
    str_printf(s, " n%d = constant bits=%s : %s[]\n", at,
               strcmp(t, "f64") == 0 ? "3f50000000000000" : "3a800000", t);
    str_printf(s, " n%d = broadcast n%d axes=[] : %s[%d]\n", at + 1, at, t, p->rows);
    str_printf(s, " n%d = multiply n%d, n%d : %s[%d]\n", at + 2, total, at + 1, t, p->rows);
    str_printf(s, " n%d = broadcast n%d axes=[0] : %s[%d,%d]\n", at + 3, at + 2, t, p->rows,
               p->length);
    str_printf(s, " n%d = add n%d, n%d : %s[%d,%d]\n", at + 4, x, at + 3, t, p->rows, p->length);
    *next = at + 5;
    return at + 4;
}

/* Three rounds of such steps. */
static const char *graph_of(struct arena *a, const struct program *p)
{
    const char *t = p->type;
    struct str s;
    int next = 2;
    str_init(&s, a);
    str_printf(&s,
               "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d,%d]) {\n"
               " n0 = parameter index=0 : %s[%d,%d]\n n1 = constant bits=00000000 : s32[]\n"
               " n2 = while n1, n0 regions=[f1,f2] : s32[], %s[%d,%d]\n return n2.1\n}\n",
               t, p->rows, p->length, t, p->rows, p->length, t, p->rows, p->length);
    str_printf(&s,
               "func f1(s32[], %s[%d,%d]) {\n n0 = parameter index=0 : s32[]\n"
               " n1 = constant bits=00000003 : s32[]\n n2 = less n0, n1 : u8[]\n return n2\n}\n",
               t, p->rows, p->length);
    str_printf(&s,
               "func f2(s32[], %s[%d,%d]) {\n n0 = parameter index=0 : s32[]\n"
               " n1 = parameter index=1 : %s[%d,%d]\n",
               t, p->rows, p->length, t, p->rows, p->length);
    int last = 1;
    for (int i = 0; i < p->steps; i++)
        last = add_step(&s, p, last, &next);
    str_printf(&s,
               " n%d = constant bits=00000001 : s32[]\n n%d = add n0, n%d : s32[]\n"
               " return n%d, n%d\n}\n",
               next, next + 1, next, next + 1, last);
    return str_text(&s);
}

static void check_ends(struct machine_check *m, const char *name, const char *graph,
                       const struct program *p)
{
    char *text = machine_code(m, name, graph);
    unsigned found = text ? machine_count(text, "half_sum = ") : 0;
    check_that(&m->check, found == p->apart, "%s: %u ends of trees apart", name, found);
    free(text);
}

/* Ones, and here and there what a sum rounds away all others beside, which its opposite takes off
   again: what is left is in the low parts. */
static void fill_cancelling(const void *context, const struct array *x, uint32_t input,
                            uint32_t set, uint64_t *random)
{
    double *to = x->data;
    (void)context, (void)input, (void)set, (void)random;
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++)
        to[i] = i % 50 == 7 ? 0x1p60 : i % 50 == 22 ? -0x1p60 : 1;
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {
        {"f64", 1, 1, 200, 2, false, false, 0},  {"f64", 3, 1, 200, 2, false, false, 0},
        {"f64", 4, 1, 200, 2, false, false, 2},  {"f64", 5, 1, 256, 2, false, false, 2},
        {"f64", 8, 1, 70, 2, false, false, 2},   {"f64", 9, 1, 300, 2, false, false, 2},
        {"f64", 13, 1, 200, 1, false, false, 1}, {"f64", 17, 1, 200, 1, false, false, 1},
        {"f32", 4, 1, 250, 2, false, false, 2},  {"f32", 13, 1, 300, 2, false, false, 2},
        {"f32", 4, 1, 250, 2, true, false, 0},   {"f64", 4, 3, 300, 2, false, false, 2},
        {"f32", 6, 5, 200, 2, false, false, 2},  {"f64", 13, 1, 200, 1, false, true, 1},
    };
    struct machine_check m = {.seed = 1};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const struct program *p = &programs[i];
        struct arena a;
        char name[64];
        snprintf(name, sizeof name, "%d of %s, %d x %d%s", p->sums, p->type, p->rows, p->length,
                 p->has_most  ? ", and the greatest"
                 : p->cancels ? ", which cancel"
                              : "");
        if (!check_wanted(&m.check, name))
            continue;
        arena_init(&a, 0);
        const char *graph = graph_of(&a, p);
        check_ends(&m, name, graph, p);
        machine_compare_all(&m,
                            &(struct machine_case){.name = name,
                                                   .graph = graph,
                                                   .exact = p->cancels,
                                                   .fill = p->cancels ? fill_cancelling : NULL});
        arena_finish(&a);
    }
    printf("%lld elements compared; %lld more depend on rounding; %d refused\n",
           (long long)m.compared, (long long)m.loose, m.refused);
    return check_finish(&m.check);
}
