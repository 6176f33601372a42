/* Limits that random numbers keep (passes/bounds.c): of programs with limits at, an ulp below and
   an ulp above the least and the most that a number can be, results before and after the passes are
   the same bits, also for the words that give the least and the most. */
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "check.h"
#include "interp/interp.h"
#include "passes/passes.h"

enum { WORDS = 8, SHIFTS = 3, CHAINS = 8, LIMITS = 9, BITS = 64 };

struct format {
    enum vkc_type type, words;
    uint32_t bits, shift; /* that leaves the mantissa */
    uint64_t one;
};
static const struct format formats[] = {{TYPE_F32, TYPE_U32, 32, 9, 0x3f800000},
                                        {TYPE_F64, TYPE_U64, 64, 12, 0x3ff0000000000000}};

/* What is done to a number of [1, 2): x - 1, times the first, plus the second. Of the last two the
   most is 0. */
static const struct chain {
    double less, times, plus;
} chains[CHAINS] = {{1, 1, 0}, {1, 2, -1},     {1, 0.1, 3},         {1, -2, 1},
                    {0, 1, 0}, {1.5, 3, -0.0}, {1, 1, 0x1p-23 - 1}, {1, 1, 0x1p-52 - 1}};

struct program {
    struct str text;
    int next;
};

static int constant(struct program *p, const struct format *f, enum vkc_type type, uint64_t bits)
{
    str_printf(&p->text, "n%d = constant bits=%0*llx : %s[%d]\n", p->next, (int)f->bits / 4,
               (unsigned long long)bits, type_name(type), WORDS);
    return p->next++;
}

static int number(struct program *p, const struct format *f, double x)
{
    return constant(p, f, f->type, num_float_encode(f->type, x));
}

static int apply(struct program *p, const char *op, int x, int y, enum vkc_type type)
{
    str_printf(&p->text, "n%d = %s n%d, n%d : %s[%d]\n", p->next, op, x, y, type_name(type), WORDS);
    return p->next++;
}

/* The numbers; the limited ones follow it. */
static int chain_of(struct program *p, const struct format *f, const struct chain *c,
                    uint32_t shift)
{
    int word = apply(p, "right_shift", 0, constant(p, f, f->words, shift), f->words);
    word = apply(p, "bitwise_or", word, constant(p, f, f->words, f->one), f->words);
    str_printf(&p->text, "n%d = bitcast n%d : %s[%d]\n", p->next, word, type_name(f->type), WORDS);
    int x = p->next++;
    x = apply(p, "subtract", x, number(p, f, c->less), f->type);
    x = apply(p, "multiply", x, number(p, f, c->times), f->type);
    return apply(p, "add", number(p, f, c->plus), x, f->type);
}

/* A number that bits of zeros or ones give. */
static double end_of(const struct format *f, const struct chain *c, uint32_t shift, bool ones)
{
    uint64_t low = ones ? (((uint64_t)1 << (f->bits - shift)) - 1) : 0;
    double x = num_float_decode(f->type, f->one | low);
    x = num_float_round(f->type, x - c->less);
    x = num_float_round(f->type, x * c->times);
    return num_float_round(f->type, x + c->plus);
}

/* The float next to x, towards infinity with `up`. */
static double next_to(const struct format *f, double x, bool up)
{
    uint64_t bits = num_float_encode(f->type, x), sign = (uint64_t)1 << (f->bits - 1);
    if (x == 0)
        return num_float_decode(f->type, up ? 1 : sign | 1);
    return num_float_decode(f->type, bits + ((x > 0) == up ? 1 : (uint64_t)-1));
}

static uint32_t count_limits(const struct graph *g)
{
    uint32_t n = 0;
    for (node_id i = 0; i < g->funcs[g->entry].nnodes; i++) {
        enum op op = g->funcs[g->entry].nodes[i].op;
        n += op == OP_MAX || op == OP_MIN;
    }
    return n;
}

static void check_program(const struct format *f, const struct chain *c, uint32_t shift,
                          bool is_max, uint32_t *left)
{
    struct arena a;
    struct graph g, short_one;
    struct diag d = {0};
    const struct pass_options o = {0};
    static const uint64_t words[WORDS] = {0,
                                          ~(uint64_t)0,
                                          1,
                                          0x1ff,
                                          0x8000000080000000,
                                          0x7fffffff7fffffff,
                                          0x123456789abcdef0,
                                          0xfedcba9876543210};
    uint32_t narrow[WORDS];
    arena_init(&a, 0);
    struct program p = {.next = 1};
    str_init(&p.text, &a);
    str_printf(&p.text,
               "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d]) {\nn0 = parameter index=0 : "
               "%s[%d]\n",
               type_name(f->words), WORDS, type_name(f->words), WORDS);
    double ends[2] = {end_of(f, c, shift, false), end_of(f, c, shift, true)};
    double limits[LIMITS] = {0, -0.0, 1};
    for (int i = 0; i < 2; i++) {
        limits[3 + 3 * i] = ends[i];
        limits[4 + 3 * i] = next_to(f, ends[i], true);
        limits[5 + 3 * i] = next_to(f, ends[i], false);
    }
    int x = chain_of(&p, f, c, shift), results[LIMITS];
    for (int i = 0; i < LIMITS; i++)
        results[i] = apply(&p, is_max ? "max" : "min", x, number(&p, f, limits[i]), f->type);
    for (int i = 0; i < LIMITS; i++)
        str_printf(&p.text, "%sn%d", i ? ", " : "return ", results[i]);
    str_add(&p.text, "\n}\n");
    for (int i = 0; i < WORDS; i++)
        narrow[i] = (uint32_t)words[i];
    struct array in = {{f->words, {1, {WORDS}}},
                       f->bits == 64 ? (void *)(uintptr_t)words : (void *)narrow};
    struct array before[LIMITS], after[LIMITS];
    bool ok = ir_parse(&a, str_text(&p.text), p.text.len, &g, &d) && ir_verify(&g, &d) &&
              interp_run(&g, g.entry, &a, &in, before, &d) &&
              ir_parse(&a, str_text(&p.text), p.text.len, &short_one, &d) &&
              passes_run(&short_one, &o, &d) &&
              interp_run(&short_one, short_one.entry, &a, &in, after, &d);
    CHECK(ok, "%s", d.message);
    for (int i = 0; ok && i < LIMITS; i++)
        CHECK(memcmp(before[i].data, after[i].data, WORDS * f->bits / 8) == 0,
              "%s >> %u, less %g, times %g, plus %g: %s with %.17g is another", type_name(f->words),
              shift, c->less, c->times, c->plus, is_max ? "max" : "min", limits[i]);
    *left += ok ? count_limits(&short_one) : 0;
    arena_finish(&a);
}

int main(void)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct format *f = &formats[i];
        const uint32_t shifts[SHIFTS] = {f->shift - 1, f->shift, f->shift + 4};
        uint32_t left = 0;
        for (int s = 0; s < SHIFTS; s++)
            for (int c = 0; c < CHAINS; c++)
                for (int is_max = 0; is_max < 2; is_max++)
                    check_program(f, &chains[c], shifts[s], is_max, &left);
        CHECK(left < SHIFTS * CHAINS * 2 * LIMITS, "of %s no limit is left out",
              type_name(f->type));
        CHECK(left > 0, "of %s all limits are left out", type_name(f->type));
    }
    return check_report();
}
