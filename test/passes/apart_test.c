/* Scatters whose updates cannot meet (passes/lower_apart.c): random indices of which some columns
   count along axes, made in several ways, and others are data. The interpreter gives the same bits
   before and after pass lower, and where the columns that count tell all updates apart, no scatter
   is left. apart_test [rounds [seed]] */
#include "check.h"
#include "interp/interp_impl.h"
#include "passes/passes.h"
#include "random.h"

static uint64_t state;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(next_random(&state) % n);
}

enum { MOST_AXES = 6, MOST_DIGITS = 3 };

/* What an axis of the target is indexed by: the digit of that number, data, or nothing. */
enum { DATA = MOST_DIGITS, WHOLE };

struct scatter {
    enum vkc_type type, index;
    int64_t digits[MOST_DIGITS], dims[MOST_AXES];
    uint32_t ndigits, rank, by[MOST_AXES];
    bool puts, apart;
    char text[4096];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct scatter *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    s->used += (size_t)vsnprintf(s->text + s->used, sizeof s->text - s->used, format, list);
    va_end(list);
}

/* "4,2," of the digits from the first to before the last. */
static void say_digits(struct scatter *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        say(s, "%lld,", (long long)s->digits[i]);
}

static int64_t product(const struct scatter *s, uint32_t from, uint32_t to)
{
    int64_t size = 1;
    for (uint32_t i = from; i < to; i++)
        size *= s->digits[i];
    return size;
}

/* Digit d as a column, n<id>: [digits, 1]. */
static void say_column(struct scatter *s, uint32_t d, uint32_t id)
{
    const char *of = type_name(s->index);
    long long length = (long long)s->digits[d], before = (long long)product(s, 0, d),
              behind = (long long)product(s, d + 1, s->ndigits);
    switch (pick(5)) {
    case 0: /* of all axes */ say(s, "n%u = iota axis=%u : %s[", id, d, of); break;
    case 1:
        say(s, "n%u = iota axis=0 : %s[%lld]\n", id + 1, of, length);
        say(s, "n%u = broadcast n%u axes=[%u] : %s[", id, id + 1, d, of);
        break;
    case 2: /* from behind */
        say(s, "n%u = iota axis=1 : %s[%lld,%lld,%lld]\n", id + 1, of, behind, length, before);
        say(s, "n%u = transpose n%u axes=[2,1,0] : %s[%lld,%lld,%lld]\n", id + 2, id + 1, of,
            before, length, behind);
        say(s, "n%u = reshape n%u : %s[", id, id + 2, of);
        break;
    case 3: /* of another type, with an axis that is merged with it */
        say(s, "n%u = iota axis=0 : u16[%lld]\n", id + 1, length);
        say(s, "n%u = broadcast n%u axes=[1] : u16[%lld,%lld,%lld]\n", id + 2, id + 1, before,
            length, behind);
        say(s, "n%u = reshape n%u : u16[", id + 3, id + 2);
        say_digits(s, 0, s->ndigits);
        say(s, "1]\nn%u = as_type n%u : %s[", id, id + 3, of);
        break;
    default: /* a digit of two axes, cut in a broadcast */
        say(s, "n%u = iota axis=0 : %s[%lld]\n", id + 1, of, length);
        say(s, "n%u = reshape n%u : %s[1,%lld,1]\n", id + 2, id + 1, of, length);
        say(s, "n%u = broadcast n%u axes=[0,1,2] : %s[%lld,%lld,%lld]\n", id + 3, id + 2, of,
            before, length, behind);
        say(s, "n%u = reshape n%u : %s[", id, id + 3, of);
    }
    say_digits(s, 0, s->ndigits);
    say(s, "1]\n");
}

static void choose(struct scatter *s)
{
    static const enum vkc_type types[] = {TYPE_F32, TYPE_F32, TYPE_F16, TYPE_BF16,
                                          TYPE_F64, TYPE_C64, TYPE_S32, TYPE_U8},
                               indices[] = {TYPE_S32, TYPE_S64, TYPE_U8, TYPE_U64, TYPE_S8};
    uint32_t seen = 0;
    *s = (struct scatter){.type = types[pick(8)], .index = indices[pick(5)], .puts = pick(2)};
    s->ndigits = 1 + pick(MOST_DIGITS);
    for (uint32_t i = 0; i < s->ndigits; i++)
        s->digits[i] = 2 + pick(4);
    s->rank = s->ndigits + pick(MOST_AXES - MOST_DIGITS + 1);
    for (uint32_t i = 0; i < s->rank; i++)
        s->by[i] = i < s->ndigits ? i : pick(4) ? DATA + pick(2) : pick(s->ndigits);
    if (pick(6) == 0)
        s->by[0] = DATA;
    for (uint32_t i = s->rank - 1; i > 0; i--) {
        uint32_t j = pick(i + 1), swapped = s->by[i];
        s->by[i] = s->by[j];
        s->by[j] = swapped;
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        s->dims[i] = s->by[i] < DATA ? s->digits[s->by[i]] + pick(4) - 1 : 1 + pick(5);
        seen |= s->by[i] < DATA ? 1u << s->by[i] : 0;
    }
    s->apart = seen == (1u << s->ndigits) - 1;
}

/* Parameters 0 to 2 are the target, updates and an index of each update. */
static void write(struct scatter *s)
{
    char target[128] = "", rest[128] = "", columns[128] = "", axes[64] = "";
    size_t t = 0, r = 0, c = 0, a = 0;
    uint32_t width = 0, id = 10;
    long long updates = (long long)product(s, 0, s->ndigits);
    for (uint32_t i = 0; i < s->rank; i++) {
        t += (size_t)snprintf(target + t, sizeof target - t, "%s%lld", i ? "," : "",
                              (long long)s->dims[i]);
        if (s->by[i] == WHOLE)
            r += (size_t)snprintf(rest + r, sizeof rest - r, ",%lld", (long long)s->dims[i]);
        else
            a += (size_t)snprintf(axes + a, sizeof axes - a, "%s%u", a ? "," : "", i);
    }
    const char *type = type_name(s->type), *index = type_name(s->index);
    say(s, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%s], %s[%lld%s], %s[%lld]) {\n", type,
        target, type, updates, rest, index, updates);
    say(s, "n0 = parameter index=0 : %s[%s]\nn1 = parameter index=1 : %s[%lld%s]\n", type, target,
        type, updates, rest);
    say(s, "n2 = parameter index=2 : %s[%lld]\nn3 = reshape n2 : %s[", index, updates, index);
    say_digits(s, 0, s->ndigits);
    say(s, "1]\n");
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->by[i] == WHOLE)
            continue;
        c += (size_t)snprintf(columns + c, sizeof columns - c, "%sn%u", c ? ", " : "",
                              s->by[i] == DATA ? 3 : id);
        if (s->by[i] < DATA)
            say_column(s, s->by[i], id);
        id += s->by[i] < DATA ? 5 : 0;
        width++;
    }
    if (width > 1) {
        say(s, "n4 = concatenate %s axis=%u : %s[", columns, s->ndigits, index);
        say_digits(s, 0, s->ndigits);
        say(s, "%u]\n", width);
    }
    say(s, "n5 = reshape %s : %s[%lld,%u]\n", width > 1 ? "n4" : columns, index, updates, width);
    say(s, "n6 = indexed_%s n0, n5, n1 axes=[%s] : %s[%s]\nreturn n6\n}\n", s->puts ? "put" : "add",
        axes, type, target);
}

static void fill(const struct array *x, uint32_t input)
{
    enum vkc_type t = x->tensor.type;
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++) {
        bool is_signed = vkc_types[t].kind == KIND_SINT;
        double d = pick(4) ? (pick(2000) - 1000.0) / 7 : -0.0;
        union number n = {.s = input == 2 ? (int64_t)pick(8) - 2 * is_signed : pick(200)};
        if (type_is_float(t))
            n.f = d;
        if (type_is_complex(t))
            n.c = complex_of(d, -0.0);
        number_store(t, x->data, i, n);
    }
}

static void test(uint64_t seed)
{
    struct arena a;
    struct graph g, lowered;
    struct diag d = {0};
    struct array in[3], before, after;
    struct scatter s;
    const struct pass_options o = {
        .roundtrip = true,
        .skip =
            pick(2)
                ? "inline,canon,fold,algebra,cse,dce,views,split_columns,split_contract,split_reduce"
                : NULL};
    choose(&s);
    write(&s);
    arena_init(&a, (size_t)1 << 26);
    bool ok = ir_parse(&a, s.text, strlen(s.text), &g, &d) && ir_verify(&g, &d);
    for (uint32_t i = 0; ok && i < 3; i++) {
        in[i].tensor = g.funcs[0].params[i];
        in[i].data = arena_alloc(&a, tensor_bytes(&in[i].tensor), 8);
        fill(&in[i], i);
    }
    lowered = g;
    lowered.funcs = ok ? arena_copy(&a, g.funcs, g.nfuncs * sizeof *g.funcs) : NULL;
    ok = ok && interp_run(&g, 0, &a, in, &before, &d) && passes_run(&lowered, &o, &d) &&
         interp_run(&lowered, lowered.entry, &a, in, &after, &d);
    CHECK(ok, "seed %llu: %s (%s)\n%s", (unsigned long long)seed, d.message, d.where, s.text);
    if (ok) {
        const struct func *f = &lowered.funcs[lowered.entry];
        uint32_t left = 0;
        for (node_id i = 0; i < f->nnodes; i++)
            left += f->nodes[i].op == OP_INDEXED_ADD || f->nodes[i].op == OP_INDEXED_PUT ||
                    f->nodes[i].op == OP_SEARCH;
        CHECK(left == !s.apart, "seed %llu: %u scatters\n%s", (unsigned long long)seed, left,
              s.text);
        CHECK(memcmp(before.data, after.data, tensor_bytes(&before.tensor)) == 0,
              "seed %llu: other bits\n%s", (unsigned long long)seed, s.text);
    }
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000,
             seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t i = 0; i < rounds; i++) {
        state = seed + i;
        test(seed + i);
    }
    return check_report();
}
