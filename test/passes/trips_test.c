/* How often loops run, as trips_of says from the graph, against running them: random counters of
   every integer type, near the ends of their ranges, with conditions of one or several parts. A
   loop that is said to run exactly n times runs n times; one that is said to run at most n times
   does not run more often. trips_test [loops] [seed] */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "interp/interp.h"
#include "base/num.h"
#include "ir/trips.h"
#include "random.h"

enum { MOST_ROUNDS = 3000 };

static uint64_t state;
static unsigned nexact, nbounded, nunknown;

static uint64_t draw(uint64_t below)
{
    return next_random(&state) % below;
}

static const enum vkc_type types[] = {TYPE_S32, TYPE_U32, TYPE_S64, TYPE_U64,
                                      TYPE_S8,  TYPE_U8,  TYPE_S16, TYPE_U16};

static int64_t wrapped(enum vkc_type t, int64_t x)
{
    return vkc_types[t].kind == KIND_SINT ? num_sint_wrap(t, (uint64_t)x)
                                          : (int64_t)num_uint_wrap(t, (uint64_t)x);
}

static int64_t most_of(enum vkc_type t)
{
    uint32_t bits = vkc_types[t].bits, sign = vkc_types[t].kind == KIND_SINT;
    return bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - sign)) - 1;
}

/* while first + k*step <compare> last [and other part]: the text, and what a counter of the
   rounds in s32 comes to. */
struct loop {
    enum vkc_type type;
    int64_t first, last, step;
    /* <, <=, > and >= turned around; 0: none, 1: and, 2: or, 3: and another counter */
    int compare, other;
    int64_t stop; /* of the other part */
    bool given;   /* last is an input */
    int64_t plus; /* the condition adds this to last, unless it is 0 */
    bool flag; /* the first part is what the round before has found, and a round is always made */
};

static void constant(char *out, size_t size, enum vkc_type t, int64_t x)
{
    uint32_t bytes = type_bytes(t);
    snprintf(out, size, "%0*" PRIx64, 2 * (int)bytes,
             (uint64_t)x & (UINT64_MAX >> (64 - 8 * bytes)));
}

static void loop_text(char *out, size_t size, const struct loop *l)
{
    static const char *const compares[] = {"less n0, n3", "less_equal n0, n3", "greater n3, n0",
                                           "greater_equal n3, n0"};
    static const char *const flags[] = {"less n0, n2", "less_equal n0, n2", "greater n2, n0",
                                        "greater_equal n2, n0"};
    static const char *const sums[] = {"less n0, n9", "less_equal n0, n9", "greater n9, n0",
                                       "greater_equal n9, n0"};
    char sum[160] = "";
    const char *t = type_name(l->type),
               *held = l->flag ? "parameter index=3" : compares[l->compare];
    char first[24], last[24], step[24], stop[24], more[256] = "", result[8] = "n4";
    constant(first, sizeof first, l->type, l->first);
    constant(last, sizeof last, l->type, l->last);
    constant(step, sizeof step, l->type, l->step);
    constant(stop, sizeof stop, TYPE_S32, l->stop);
    if (l->other) {
        snprintf(
            more, sizeof more,
            "  n5 = constant bits=%s : s32[]\n  n6 = %s n1, n5 : u8[]\n  n7 = logical_%s n4, n6 : u8[]\n",
            stop, l->other == 3 ? "less" : "not_equal", l->other == 2 ? "or" : "and");
        strcpy(result, "n7");
    }
    if (l->plus) {
        char plus[24];
        constant(plus, sizeof plus, l->type, l->plus);
        snprintf(sum, sizeof sum, "  n8 = constant bits=%s : %s[]\n  n9 = add n%d, n%d : %s[]\n",
                 plus, t, l->stop % 2 ? 3 : 8, l->stop % 2 ? 8 : 3, t);
        held = sums[l->compare];
    }
    snprintf(
        out, size,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[]) {\n  n0 = parameter index=0 : %s[]\n  n1 = constant "
        "bits=%s : %s[]\n  n2 = constant bits=00000000 : s32[]\n"
        "  n3 = constant bits=%s : %s[]\n  n5 = constant bits=01 : u8[]\n"
        "  n4 = while n1, n2, %s, n5 regions=[f1,f2] : %s[], s32[], %s[], u8[]\n  return n4.1\n}\n"
        "func f1(%s[], s32[], %s[], u8[]) {\n  n0 = parameter index=0 : %s[]\n  n1 = parameter index=1 : s32[]\n  n3 = "
        "parameter index=2 : %s[]\n%s  n4 = %s : u8[]\n%s  return %s\n}\n"
        "func f2(%s[], s32[], %s[], u8[]) {\n  n0 = parameter index=0 : %s[]\n  n1 = parameter index=1 : s32[]\n  n2 = "
        "parameter index=2 : %s[]\n  n3 = constant bits=%s : %s[]\n"
        "  n4 = add n0, n3 : %s[]\n  n5 = constant bits=00000001 : s32[]\n  n6 = add n1, n5 : s32[]\n  n7 = %s : u8[]\n"
        "  return n4, n6, n2, n7\n}\n",
        t, t, first, t, last, t, l->given ? "n0" : "n3", t, t, t, t, t, t, sum, held, more, result,
        t, t, t, t, step, t, t, flags[l->compare]);
}

/* The rounds, by plain arithmetic; -1 if they are more than MOST_ROUNDS. */
static int64_t rounds_of(const struct loop *l)
{
    int64_t i = wrapped(l->type, l->first), n = 0;
    int64_t last = wrapped(l->type, (int64_t)((uint64_t)l->last + (uint64_t)l->plus));
    bool flag = true;
    for (; n <= MOST_ROUNDS; n++) {
        bool less = vkc_types[l->type].kind == KIND_SINT ? i < last : (uint64_t)i < (uint64_t)last;
        bool holds = less || (l->compare % 2 && i == last), goes_on = l->flag ? flag : holds;
        flag = holds;
        bool other = l->other == 3 ? n < l->stop : n != l->stop;
        goes_on = l->other == 2 ? goes_on || other : goes_on && (!l->other || other);
        if (!goes_on)
            return n;
        i = wrapped(l->type, (int64_t)((uint64_t)i + (uint64_t)l->step));
    }
    return -1;
}

static struct loop random_loop(void)
{
    struct loop l = {.type = types[draw(sizeof types / sizeof *types)],
                     .compare = (int)draw(4),
                     .other = draw(2) ? 0 : (int)draw(4),
                     .given = draw(8) == 0,
                     .flag = draw(3) == 0};
    int64_t most = most_of(l.type), least = vkc_types[l.type].kind == KIND_SINT ? -most - 1 : 0,
            span = 1 + (int64_t)draw(100);
    static const int64_t steps[] = {1, 1, 1, 2, 3, 7, 100, 0, -1};
    l.step = wrapped(l.type, steps[draw(sizeof steps / sizeof *steps)]);
    switch (draw(4)) {
    /* the counter may wrap past its end */
    case 0: l.last = most - (int64_t)draw(4), l.first = l.last - span; break;
    case 1: l.first = least + (int64_t)draw(4), l.last = l.first + span; break;
    case 2:
        l.last = (int64_t)(INT32_MAX < most ? INT32_MAX : most) - (int64_t)draw(3),
        l.first = l.last - span;
        break;
    default:
        l.first = wrapped(l.type, (int64_t)draw(20) - 10),
        l.last = wrapped(l.type, l.first + span - 20);
        break;
    }
    l.stop = (int64_t)draw(60);
    if (!l.flag && !l.given && draw(3) == 0)
        l.plus = wrapped(l.type, (int64_t)draw(9) - 2);
    return l;
}

static void check_loop(uint64_t seed)
{
    struct arena a;
    struct graph g;
    struct diag d = {0};
    char text[4096];
    state = seed;
    struct loop l = random_loop();
    loop_text(text, sizeof text, &l);
    arena_init(&a, 0);
    bool ok = ir_parse(&a, text, strlen(text), &g, &d) && ir_verify(&g, &d);
    CHECK(ok, "seed %llu: %s\n%s", (unsigned long long)seed, d.message, text);
    const struct func *f = &g.funcs[0];
    for (node_id i = 0; ok && i < f->nnodes; i++) {
        if (f->nodes[i].op != OP_WHILE)
            continue;
        int64_t rounds = rounds_of(&l);
        struct trips t = trips_of(&g, 0, i);
        nexact += t.exact, nbounded += t.most >= 0 && !t.exact, nunknown += t.most < 0;
        CHECK(t.most < 0 || (rounds >= 0 && rounds <= t.most) || t.most > MOST_ROUNDS,
              "seed %llu: %lld rounds, said to be at most %lld\n%s", (unsigned long long)seed,
              (long long)rounds, (long long)t.most, text);
        CHECK(!t.exact || rounds == t.most || (rounds < 0 && t.most > MOST_ROUNDS),
              "seed %llu: %lld rounds, said to be %lld\n%s", (unsigned long long)seed,
              (long long)rounds, (long long)t.most, text);
        if (rounds < 0 || seed % 4)
            continue;
        /* and the plain arithmetic is what the interpreter does */
        uint64_t last = (uint64_t)l.last;
        struct array in = {f->params[0], &last}, out;
        ok = interp_run(&g, 0, &a, &in, &out, &d);
        CHECK(ok && *(int32_t *)out.data == rounds,
              "seed %llu: the interpreter makes %d rounds, not %lld: %s\n%s",
              (unsigned long long)seed, ok ? *(int32_t *)out.data : -1, (long long)rounds,
              d.message, text);
    }
    arena_finish(&a);
}

/* What trips_of says of the first loop of a function. */
static int64_t most_rounds(const char *text, uint32_t func)
{
    struct arena a;
    struct graph g;
    struct diag d = {0};
    int64_t most = -2;
    arena_init(&a, 0);
    bool ok = ir_parse(&a, text, strlen(text), &g, &d) && ir_verify(&g, &d);
    CHECK(ok, "%s\n%s", d.message, text);
    for (node_id i = 0; ok && i < g.funcs[func].nnodes && most == -2; i++)
        if (g.funcs[func].nodes[i].op == OP_WHILE)
            most = trips_of(&g, func, i).most;
    arena_finish(&a);
    return most;
}

/* i from 0 to 9, j from i to 19, k from j to 29: the innermost loop runs up to 30 times, and not
   from the largest j. */
static void check_triangle(void)
{
    static const char *const text =
        "graph \"t\" entry=f0 callbacks=0\n"
        "func f0() {\n  n0 = constant bits=00000000 : s32[]\n  n1 = while n0 regions=[f1,f2] : s32[]\n  return n1\n}\n"
        "func f1(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=0000000a : s32[]\n"
        "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
        "func f2(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = while n0 regions=[f3,f4] : s32[]\n"
        "  n2 = constant bits=00000001 : s32[]\n  n3 = add n0, n2 : s32[]\n  return n3\n}\n"
        "func f3(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=00000014 : s32[]\n"
        "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
        "func f4(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = while n0 regions=[f5,f6] : s32[]\n"
        "  n2 = constant bits=00000001 : s32[]\n  n3 = add n0, n2 : s32[]\n  return n3\n}\n"
        "func f5(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=0000001e : s32[]\n"
        "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
        "func f6(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=00000001 : s32[]\n"
        "  n2 = add n0, n1 : s32[]\n  return n2\n}\n";
    CHECK(most_rounds(text, 4) == 30, "the innermost loop runs up to 30 times, said to be %lld",
          (long long)most_rounds(text, 4));
}

/* i from 0 to 9, and k from 0 to below i + 5, 5 + i or i + i: of a sum, too, the largest is known,
   if neither part can be negative. */
static void check_sums(void)
{
    static const struct {
        const char *sum;
        int32_t first;
        long long most;
    } rows[] = {{"n0, n1", 0, 14},
                {"n1, n0", 0, 14},
                {"n0, n0", 0, 18},
                {"n0, n1", 1, 14},
                {"n0, n1", -1, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "graph \"t\" entry=f0 callbacks=0\n"
            "func f0() {\n  n0 = constant bits=%08x : s32[]\n  n1 = while n0 regions=[f1,f2] : s32[]\n  return n1\n}\n"
            "func f1(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=0000000a : s32[]\n"
            "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
            "func f2(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=00000005 : s32[]\n"
            "  n2 = add %s : s32[]\n  n3 = constant bits=00000000 : s32[]\n"
            "  n4 = while n3, n2 regions=[f3,f4] : s32[], s32[]\n  n5 = constant bits=00000001 : s32[]\n"
            "  n6 = add n0, n5 : s32[]\n  return n6\n}\n"
            "func f3(s32[], s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : s32[]\n"
            "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
            "func f4(s32[], s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : s32[]\n"
            "  n2 = constant bits=00000001 : s32[]\n  n3 = add n0, n2 : s32[]\n  return n3, n1\n}\n",
            (unsigned)rows[i].first, rows[i].sum);
        long long most = (long long)most_rounds(text, 2);
        CHECK(most == rows[i].most, "from %d, below %s: at most %lld rounds, said to be %lld",
              (int)rows[i].first, rows[i].sum, rows[i].most, most);
    }
}

/* i from 0 to below a number of another type: known if the conversion keeps it. */
static void check_conversions(void)
{
    static const struct {
        const char *from, *bits, *to;
        long long most;
    } rows[] = {{"s32", "00000020", "s64", 32},         {"s64", "000000000000000a", "u8", 10},
                {"s32", "000000ff", "u8", 255},         {"s32", "00000100", "u8", -1},
                {"s32", "0000007f", "s8", 127},         {"s32", "00000080", "s8", -1},
                {"s32", "ffffffff", "s64", 0},          {"s32", "ffffffff", "u64", -1},
                {"u64", "8000000000000000", "s64", -1}, {"s64", "ffffffffffffff7f", "s8", -1},
                {"f32", "41200000", "s32", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048], step[24];
        const char *from = rows[i].from, *to = rows[i].to;
        constant(step, sizeof step, type_parse(to), 1);
        size_t zeros = strlen(step) - 1;
        snprintf(
            text, sizeof text,
            "graph \"t\" entry=f0 callbacks=0\n"
            "func f0() {\n  n0 = constant bits=%.*s0 : %s[]\n  n1 = constant bits=%s : %s[]\n"
            "  n2 = while n0, n1 regions=[f1,f2] : %s[], %s[]\n  return n2.0\n}\n"
            "func f1(%s[], %s[]) {\n  n0 = parameter index=0 : %s[]\n  n1 = parameter index=1 : %s[]\n"
            "  n2 = as_type n1 : %s[]\n  n3 = less n0, n2 : u8[]\n  return n3\n}\n"
            "func f2(%s[], %s[]) {\n  n0 = parameter index=0 : %s[]\n  n1 = parameter index=1 : %s[]\n"
            "  n2 = constant bits=%s : %s[]\n  n3 = add n0, n2 : %s[]\n  return n3, n1\n}\n",
            (int)zeros, step, to, rows[i].bits, from, to, from, to, from, to, from, to, to, from,
            to, from, step, to, to);
        long long most = (long long)most_rounds(text, 0);
        CHECK(most == rows[i].most, "below %s of %s as %s: at most %lld rounds, said to be %lld",
              rows[i].bits, from, to, rows[i].most, most);
    }
}

/* What the function of a reduction is called with is bounded by nothing, whatever the reduction
   begins with: here 5. */
static void check_reduction(void)
{
    static const char *const text =
        "graph \"t\" entry=f0 callbacks=0\n"
        "func f0(s32[3], s32[]) {\n  n0 = parameter index=0 : s32[3]\n  n1 = parameter index=1 : s32[]\n"
        "  n2 = constant bits=00000005 : s32[]\n  n3 = reduce n0, n2 axes=[0] keep=false regions=[f1] : s32[]\n"
        "  return n3, n1\n}\n"
        "func f1(s32[], s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : s32[]\n"
        "  n2 = constant bits=00000000 : s32[]\n  n3 = while n2, n1 regions=[f2,f3] : s32[], s32[]\n"
        "  n4 = add n3.0, n0 : s32[]\n  return n4\n}\n"
        "func f2(s32[], s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : s32[]\n"
        "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
        "func f3(s32[], s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : s32[]\n"
        "  n2 = constant bits=00000001 : s32[]\n  n3 = add n0, n2 : s32[]\n  return n3, n1\n}\n";
    CHECK(most_rounds(text, 1) == -1, "nothing bounds the loop, said to run at most %lld times",
          (long long)most_rounds(text, 1));
}

/* What is known of small loops of every form: random ones show only that nothing else is said. */
static void check_forms(void)
{
    static const struct {
        struct loop loop;
        long long most; /* -1: not known */
    } rows[] = {
        {{.type = TYPE_S32, .last = 10, .step = 1}, 10},
        {{.type = TYPE_U8, .last = 10, .step = 3, .compare = 1}, 4},
        {{.type = TYPE_S64, .last = 10, .step = 3, .compare = 2}, 4},
        {{.type = TYPE_S8, .last = 10, .step = 5, .compare = 3}, 3},
        {{.type = TYPE_S32, .last = 10, .step = 1, .flag = true}, 11},
        {{.type = TYPE_U32, .last = 10, .step = 1, .flag = true, .compare = 1}, 12},
        {{.type = TYPE_S32, .last = 10, .step = 1, .other = 1, .stop = 50}, 10},
        {{.type = TYPE_S32, .last = 10, .step = 1, .other = 1, .stop = 50, .flag = true}, 11},
        {{.type = TYPE_S32, .last = 10, .step = 1, .other = 2, .stop = 5}, -1},
        {{.type = TYPE_S32, .last = 10, .step = 1, .other = 3, .stop = 0, .flag = true}, 0},
        {{.type = TYPE_S32, .last = 10, .step = 1, .other = 3, .stop = 50, .flag = true}, 11},
        {{.type = TYPE_S32, .last = 10, .step = 1, .other = 3, .stop = 5}, 5},
        {{.type = TYPE_S32, .last = 10, .step = 1, .other = 3, .stop = 50}, 10},
        {{.type = TYPE_S32, .last = 10, .step = 1, .given = true}, -1},
        {{.type = TYPE_S32, .last = 10, .step = 1, .given = true, .flag = true}, -1},
        {{.type = TYPE_S32, .last = 10, .step = 0}, -1},
        {{.type = TYPE_S32, .last = 10, .step = -1}, -1},
        {{.type = TYPE_S32, .last = 10, .step = 1, .plus = 2}, 12},
        {{.type = TYPE_S32, .first = 10, .last = 10, .step = 1}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4096];
        loop_text(text, sizeof text, &rows[i].loop);
        long long most = (long long)most_rounds(text, 0);
        CHECK(most == rows[i].most, "at most %lld rounds, said to be %lld\n%s", rows[i].most, most,
              text);
    }
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 6000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + (uint64_t)count && check_failed < 5; seed++)
        check_loop(seed);
    check_forms();
    check_triangle();
    check_sums();
    check_conversions();
    check_reduction();
    printf("%u loops with an exact count, %u with a bound, %u with neither\n", nexact, nbounded,
           nunknown);
    CHECK(count < 1000 || (nexact > (unsigned)count / 8 && nbounded > (unsigned)count / 32),
          "too few loops whose rounds are known");
    return check_report();
}
