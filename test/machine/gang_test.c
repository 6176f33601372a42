/* Functions of several single numbers in workgroup programs, which go in gangs
   (plan/group/group_gang.h): how many calls the code has, and its results, run by the machine of
   this folder for every shipped profile. Usage: gang_test [NAME], a part of names. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "machine_check.h"

/* Of each number of x: exp(-x), 1 / (1 + that), log(1 + that), each of which needs the one before;
   the sum of all times each y is summed; then two functions of the sum. */
struct program {
    const char *type;
    int numbers;
    bool is_short; /* the exponentials only */
    bool
        in_branch; /* before it, in both branches, the second of which turns signs, and behind it */
    bool in_loop;  /* forty times, with what came last in the place of what went in */
    unsigned exps, divisions, logs; /* that its code calls, for nvidia */
};

static const char *one_of(const char *type)
{
    return strcmp(type, "f64") == 0 ? "3ff0000000000000" : "3f800000";
}

/* Adds the nodes that give `total` and the new numbers n<last>.., from the numbers n<first>.. */
static void add_chain(struct str *s, const struct program *p, int first, int *next, int *out_total)
{
    const char *t = p->type;
    int at = *next, one = at++;
    str_printf(s, " n%d = constant bits=%s : %s[]\n", one, one_of(t), t);
    for (int i = 0; i < p->numbers; i++, at += 6) {
        str_printf(s, " n%d = negate n%d : %s[]\n n%d = exp n%d : %s[]\n", at, first + i, t, at + 1,
                   at, t);
        str_printf(s, " n%d = add n%d, n%d : %s[]\n n%d = %s n%d, n%d : %s[]\n", at + 2, one,
                   at + 1, t, at + 3, p->is_short ? "max" : "divide", one, at + 2, t);
        str_printf(s, " n%d = add n%d, n%d : %s[]\n n%d = %s n%d : %s[]\n", at + 4, one, at + 3, t,
                   at + 5, p->is_short ? "abs" : "log", at + 4, t);
    }
    int total = one + 6;
    for (int i = 1; i < p->numbers; i++, at++) {
        str_printf(s, " n%d = add n%d, n%d : %s[]\n", at, total, one + 6 * (i + 1), t);
        total = at;
    }
    *next = at;
    *out_total = total;
}

/* n0 is x, n1 is y, n2 and so on the numbers of x. */
static const char *graph_of(struct arena *a, const struct program *p)
{
    const char *t = p->type;
    struct str s;
    int next = 2 + p->numbers, total;
    str_init(&s, a);
    str_printf(&s, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d], %s[70]) {\n", t, p->numbers,
               t);
    str_printf(&s, " n0 = parameter index=0 : %s[%d]\n n1 = parameter index=1 : %s[70]\n", t,
               p->numbers, t);
    for (int i = 0; i < p->numbers; i++) {
        str_printf(&s, " n%d = slice n0 starts=[%d] lengths=[1] strides=[1] : %s[1]\n", next + i, i,
                   t);
        str_printf(&s, " n%d = reshape n%d : %s[]\n", next + p->numbers + i, next + i, t);
    }
    int first = next + p->numbers;
    next = first + p->numbers;
    if (p->in_loop) {
        int loop = next + 1;
        str_printf(&s, " n%d = constant bits=00000000 : s32[]\n n%d = while n%d", next, loop, next);
        for (int i = 0; i < p->numbers; i++)
            str_printf(&s, ", n%d", first + i);
        str_printf(&s, " regions=[f1,f2] : s32[]");
        for (int i = 0; i < p->numbers; i++)
            str_printf(&s, ", %s[]", t);
        str_add(&s, "\n");
        next = loop + 1;
        for (int i = 0; i < p->numbers; i++, next++)
            str_printf(&s, " n%d = negate n%d.%d : %s[]\n", next, loop, i + 1, t);
        add_chain(&s, p, next - p->numbers, &next, &total);
        str_printf(&s, " n%d = broadcast n%d axes=[] : %s[70]\n", next, total, t);
        str_printf(&s, " n%d = multiply n%d, n1 : %s[70]\n return n%d, n%d.1\n}\n", next + 1, next,
                   t, next + 1, loop);
        str_printf(&s, "func f1(s32[]");
        for (int i = 0; i < p->numbers; i++)
            str_printf(&s, ", %s[]", t);
        str_printf(&s,
                   ") {\n n0 = parameter index=0 : s32[]\n n1 = constant bits=00000028 : s32[]\n"
                   " n2 = less n0, n1 : u8[]\n return n2\n}\nfunc f2(s32[]");
        for (int i = 0; i < p->numbers; i++)
            str_printf(&s, ", %s[]", t);
        str_printf(&s, ") {\n n0 = parameter index=0 : s32[]\n");
        for (int i = 1; i <= p->numbers; i++)
            str_printf(&s, " n%d = parameter index=%d : %s[]\n", i, i, t);
        next = p->numbers + 1;
        add_chain(&s, p, 1, &next, &total);
        str_printf(&s, " n%d = constant bits=00000001 : s32[]\n n%d = add n0, n%d : s32[]\n", next,
                   next + 1, next);
        str_printf(&s, " return n%d", next + 1);
        for (int i = 0; i < p->numbers; i++) /* the logs, turned round; the last is the total */
            str_printf(&s, ", n%d",
                       i + 1 < p->numbers ? p->numbers + 2 + 6 * (p->numbers - i) - 1 : total);
        str_printf(&s, "\n}\n");
        return str_text(&s);
    }
    add_chain(&s, p, first, &next, &total);
    str_printf(&s, " n%d = broadcast n%d axes=[] : %s[70]\n", next, total, t);
    str_printf(&s, " n%d = multiply n%d, n1 : %s[70]\n", next + 1, next, t);
    str_printf(&s, " n%d = sum n%d axes=[0] keep=false : %s[]\n", next + 2, next + 1, t);
    str_printf(&s, " n%d = multiply n%d, n%d : %s[]\n", next + 3, next + 2, total, t);
    for (int i = 4; i < 8; i += 2)
        str_printf(&s, " n%d = tanh n%d : %s[]\n n%d = broadcast n%d axes=[] : %s[70]\n", next + i,
                   next + 3 - (i == 6), t, next + i + 1, next + i, t);
    str_printf(&s, " n%d = add n%d, n%d : %s[70]\n", next + 8, next + 5, next + 7, t);
    str_printf(&s, " n%d = add n%d, n1 : %s[70]\n", next + 9, next + 8, t);
    str_printf(&s, " n%d = sort n%d axis=0 descending=false stable=false : %s[70]\n", next + 10,
               next + 9, t);
    str_printf(&s, " return n%d, n%d\n}\n", next + 10, total);
    return str_text(&s);
}

/* The parameters n<first>.. of a function of the numbers. */
static void add_parameters(struct str *s, const struct program *p, int first)
{
    for (int i = 0; i < p->numbers; i++)
        str_printf(s, "%s%s[]", i ? ", " : "", p->type);
    str_add(s, ") {\n");
    for (int i = 0; i < p->numbers; i++)
        str_printf(s, " n%d = parameter index=%d : %s[]\n", first + i, i, p->type);
}

/* n0 is x, n1 and so on its numbers. */
static const char *branch_of(struct arena *a, const struct program *p)
{
    const char *t = p->type;
    struct str s;
    int n = p->numbers, next = 1, total, one;
    str_init(&s, a);
    str_printf(&s, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d]) {\n", t, n);
    str_printf(&s, " n0 = parameter index=0 : %s[%d]\n", t, n);
    for (int i = 0; i < n; i++, next += 2)
        str_printf(
            &s,
            " n%d = slice n0 starts=[%d] lengths=[1] strides=[1] : %s[1]\n n%d = reshape n%d : %s[]\n",
            next, i, t, next + 1, next, t);
    for (int i = 0; i < n; i++, next++)
        str_printf(&s, " n%d = add n%d, n%d : %s[]\n", next, 2 * i + 2, 2, t);
    one = next;
    add_chain(&s, p, next - n, &next, &total);
    str_printf(&s, " n%d = cond n%d", next, one + 6);
    for (int i = 1; i < n; i++)
        str_printf(&s, ", n%d", one + 6 * (i + 1));
    str_add(&s, " regions=[f1,f2,f3] : ");
    for (int i = 0; i < n; i++)
        str_printf(&s, "%s%s[]", i ? ", " : "", t);
    int cond = next++;
    str_add(&s, "\n");
    for (int i = 0; i < n; i++, next++)
        str_printf(&s, " n%d = negate n%d.%d : %s[]\n", next, cond, i, t);
    add_chain(&s, p, next - n, &next, &total);
    str_printf(&s, " return n%d\n}\nfunc f1(", total);
    add_parameters(&s, p, 0);
    str_printf(&s, " n%d = constant bits=%s : %s[]\n n%d = less n0, n%d : u8[]\n return n%d\n}\n",
               n, strcmp(t, "f64") == 0 ? "3fe0000000000000" : "3f000000", t, n + 1, n, n + 1);
    for (int f = 2; f <= 3; f++) {
        str_printf(&s, "func f%d(", f);
        add_parameters(&s, p, 0);
        next = n;
        for (int i = 0; i < n; i++, next++)
            str_printf(&s, " n%d = %s n%d : %s[]\n", next, f == 2 ? "abs" : "negate", i, t);
        one = next;
        add_chain(&s, p, n, &next, &total);
        str_printf(&s, " return n%d", total);
        for (int i = 1; i < n; i++)
            str_printf(&s, ", n%d", one + 6 * i);
        str_add(&s, "\n}\n");
    }
    return str_text(&s);
}

static void check_calls(struct machine_check *m, const char *name, const char *graph,
                        const struct program *p)
{
    char *text = machine_code(m, name, graph);
    const char *body = text ? strstr(text, "void main()") : NULL;
    if (body) {
        unsigned exps = machine_count(body, "nx_exp("), divisions = machine_count(body, "nx_div("),
                 logs = machine_count(body, "nx_log(");
        check_that(&m->check, exps == p->exps && divisions == p->divisions && logs == p->logs,
                   "%s: calls of exp, division and log: %u, %u, %u", name, exps, divisions, logs);
    }
    free(text);
}

/* Three exponentials that two sums ask for, of which the second needs the first. */
static const char *const twice =
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(f64[3], f64[70], f64[90]) {\n"
    " n0 = parameter index=0 : f64[3]\n n1 = parameter index=1 : f64[70]\n"
    " n2 = parameter index=2 : f64[90]\n"
    " n3 = slice n0 starts=[0] lengths=[1] strides=[1] : f64[1]\n n4 = exp n3 : f64[1]\n"
    " n5 = slice n0 starts=[1] lengths=[1] strides=[1] : f64[1]\n n6 = exp n5 : f64[1]\n"
    " n7 = slice n0 starts=[2] lengths=[1] strides=[1] : f64[1]\n n8 = exp n7 : f64[1]\n"
    " n9 = add n4, n6 : f64[1]\n n10 = add n9, n8 : f64[1]\n"
    " n11 = broadcast n10 axes=[0] : f64[70]\n n12 = multiply n11, n1 : f64[70]\n"
    " n13 = sum n12 axes=[0] keep=false : f64[]\n n14 = broadcast n13 axes=[] : f64[90]\n"
    " n15 = subtract n2, n14 : f64[90]\n n16 = multiply n4, n6 : f64[1]\n"
    " n17 = multiply n16, n8 : f64[1]\n n18 = broadcast n17 axes=[0] : f64[90]\n"
    " n19 = multiply n15, n18 : f64[90]\n n20 = sum n19 axes=[0] keep=false : f64[]\n"
    " return n20\n}\n";

int main(int argc, char **argv)
{
    /* one number needs no gang; divisions of f64 and functions of f32 pay from three on; fewer
       that only a gang asks for are computed once even so, of what its threads have chosen */
    static const struct program programs[] = {
        {"f64", 1, false, false, false, 1, 1, 1},  {"f64", 2, false, false, false, 1, 1, 1},
        {"f64", 4, false, false, false, 1, 1, 1},  {"f64", 20, false, false, false, 1, 1, 1},
        {"f64", 67, false, false, false, 4, 4, 4}, /* three phases */
        {"f64", 32, true, false, false, 1, 0, 0},  {"f64", 33, true, false, false, 2, 0, 0},
        {"f64", 37, true, false, false, 2, 0, 0},  {"f32", 2, false, false, false, 2, 2, 2},
        {"f32", 3, false, false, false, 1, 1, 1},  {"f64", 3, false, false, false, 1, 1, 1},
        {"f32", 4, false, false, false, 1, 1, 1},  {"f32", 12, false, false, false, 1, 1, 1},
        {"f64", 2, true, false, true, 2, 0, 0},    {"f64", 3, true, false, true, 2, 0, 0},
        {"f64", 2, false, false, true, 2, 2, 2},   {"f64", 5, false, false, true, 2, 2, 2},
        {"f32", 12, false, false, true, 2, 2, 2},  {"f64", 5, false, true, false, 4, 4, 4},
        {"f64", 8, false, true, false, 4, 4, 4},
    };
    struct machine_check m = {.seed = 1};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const struct program *p = &programs[i];
        struct arena a;
        char name[64];
        snprintf(name, sizeof name, "%d of %s%s%s", p->numbers, p->type,
                 p->is_short ? ", short" : "",
                 p->in_branch ? ", branches"
                 : p->in_loop ? ", a loop"
                              : "");
        if (!check_wanted(&m.check, name))
            continue;
        arena_init(&a, 0);
        const char *graph = p->in_branch ? branch_of(&a, p) : graph_of(&a, p);
        check_calls(&m, name, graph, p);
        machine_compare_all(&m, &(struct machine_case){.name = name, .graph = graph});
        arena_finish(&a);
    }
    if (check_wanted(&m.check, "kept")) {
        check_calls(&m, "kept", twice, &(struct program){.exps = 1});
        machine_compare_all(&m, &(struct machine_case){.name = "kept", .graph = twice});
    }
    printf("%lld elements compared; %lld more depend on rounding; %d refused\n",
           (long long)m.compared, (long long)m.loose, m.refused);
    return check_finish(&m.check);
}
