/* Index maps against plain arithmetic: random expressions are built twice, by index.c, which
   simplifies, and as a tree that is evaluated as it stands. For all values of the variables, or
   many, both must agree, a value must lie within the range that the expression claims, and what
   is printed must mean the same. Divisors are drawn from the extents and their neighbours, since
   that is where simplifications begin and end. index_test [expressions] [seed] */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "codegen/index.h"
#include "base/str.h"
#include "random.h"

enum { VARIABLES = 4, NODES = 12, ASSIGNMENTS = 200 };

/* The expression as it was asked for. */
enum made { VARIABLE, NUMBER, SUM, PLUS, TIMES, QUOTIENT, REMAINDER };
struct tree {
    enum made made;
    int a, b;
    int64_t k;
};

struct expressions {
    struct arena arena;
    struct ix_ctx *ix;
    int64_t extent[VARIABLES], value[VARIABLES];
    const struct ix *variable[VARIABLES];
    struct tree tree[NODES];
    const struct ix *simple[NODES];
};

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    return next_random(&state) % below;
}

static int64_t floor_div(int64_t a, int64_t k)
{
    return a / k - (a % k < 0);
}

static int64_t plain(const struct expressions *x, int i)
{
    const struct tree *t = &x->tree[i];
    switch (t->made) {
    case VARIABLE: return x->value[t->a];
    case NUMBER: return t->k;
    case SUM: return plain(x, t->a) + plain(x, t->b);
    case PLUS: return plain(x, t->a) + t->k;
    case TIMES: return plain(x, t->a) * t->k;
    case QUOTIENT: return floor_div(plain(x, t->a), t->k);
    default: return plain(x, t->a) - floor_div(plain(x, t->a), t->k) * t->k;
    }
}

/* What the normal form says. */
static int64_t simplified(const struct expressions *x, const struct ix *e)
{
    int64_t sum = e->constant;
    for (uint32_t i = 0; i < e->nterms; i++) {
        const struct ix_atom *a = e->terms[i].atom;
        int64_t v = a->kind == IX_VAR ? x->value[a->name[0] - 'a'] : simplified(x, a->arg);
        sum += e->terms[i].coef * (a->kind == IX_VAR   ? v
                                   : a->kind == IX_DIV ? floor_div(v, a->divisor)
                                                       : v - floor_div(v, a->divisor) * a->divisor);
    }
    return sum;
}

/* What the text says: sums of products, quotients and remainders, left to right. */
static int64_t text_sum(const struct expressions *x, const char **at);

static int64_t text_factor(const struct expressions *x, const char **at)
{
    while (**at == ' ')
        ++*at;
    if (**at == '(') {
        ++*at;
        int64_t v = text_sum(x, at);
        *at += **at == ')';
        return v;
    }
    if (**at == '-') {
        ++*at;
        return -text_factor(x, at);
    }
    if (**at >= 'a' && **at < 'a' + VARIABLES)
        return x->value[*(*at)++ - 'a'];
    return strtoll(*at, (char **)(uintptr_t)at, 10);
}

static int64_t text_product(const struct expressions *x, const char **at)
{
    int64_t v = text_factor(x, at);
    for (;;) {
        while (**at == ' ')
            ++*at;
        char op = **at;
        if (op != '*' && op != '/' && op != '%')
            return v;
        ++*at;
        int64_t w = text_factor(x, at);
        v = op == '*' ? v * w : op == '/' ? floor_div(v, w) : v - floor_div(v, w) * w;
    }
}

static int64_t text_sum(const struct expressions *x, const char **at)
{
    int64_t v = text_product(x, at);
    for (;;) {
        while (**at == ' ')
            ++*at;
        if (**at != '+' && **at != '-')
            return v;
        char op = *(*at)++;
        int64_t w = text_product(x, at);
        v = op == '+' ? v + w : v - w;
    }
}

/* An extent, a product of some, or a number next to one. */
static int64_t divisor(const struct expressions *x)
{
    int64_t k = x->extent[draw(VARIABLES)];
    if (draw(3) == 0)
        k *= x->extent[draw(VARIABLES)];
    k += (int64_t)draw(5) / 2 - 1 + (draw(2) ? 0 : 1);
    return k < 1 ? 1 : k;
}

static void grow(struct expressions *x, int i)
{
    struct tree *t = &x->tree[i];
    int a = (int)draw((uint64_t)i), b = (int)draw((uint64_t)i);
    const struct ix *p = x->simple[a];
    *t = (struct tree){.made = (enum made)(SUM + draw(5)), .a = a, .b = b};
    bool divides = t->made == QUOTIENT || t->made == REMAINDER;
    if (p->max > 1 << 20 || p->min < -(1 << 20) || (divides && p->min < 0))
        t->made = PLUS, divides = false;
    t->k = divides                       ? divisor(x)
           : t->made == TIMES && draw(3) ? divisor(x)
                                         : (int64_t)draw(9) - (t->made == PLUS ? 4 : 0);
    if (t->made == PLUS && draw(4) == 0)
        t->k = -p->min; /* so that it begins at 0 */
    x->simple[i] = t->made == SUM        ? ix_add(x->ix, p, x->simple[b])
                   : t->made == PLUS     ? ix_add_const(x->ix, p, t->k)
                   : t->made == TIMES    ? ix_scale(x->ix, p, t->k)
                   : t->made == QUOTIENT ? ix_div(x->ix, p, t->k)
                                         : ix_mod(x->ix, p, t->k);
}

static void assign(struct expressions *x, int64_t number)
{
    for (int i = 0; i < VARIABLES; i++) {
        x->value[i] = number % x->extent[i];
        number /= x->extent[i];
    }
}

static bool agrees(const struct expressions *x, int i, const char *text, uint64_t seed)
{
    const struct ix *e = x->simple[i];
    const char *at = text;
    int64_t p = plain(x, i), s = simplified(x, e), t = text_sum(x, &at);
    bool ok = p == s && p == t && p >= e->min && p <= e->max;
    if (!ok)
        CHECK(
            ok,
            "seed %llu: %s for a=%lld b=%lld c=%lld d=%lld is %lld, as text %lld, wanted %lld, in %lld .. %lld",
            (unsigned long long)seed, text, (long long)x->value[0], (long long)x->value[1],
            (long long)x->value[2], (long long)x->value[3], (long long)s, (long long)t,
            (long long)p, (long long)e->min, (long long)e->max);
    return ok;
}

static void open_expressions(struct expressions *x)
{
    static const char *const names[VARIABLES] = {"a", "b", "c", "d"};
    static const int64_t common[] = {1, 2, 3, 4, 5, 7, 8, 12};
    arena_init(&x->arena, 0);
    x->ix = ix_create(&x->arena);
    for (int i = 0; i < VARIABLES; i++) {
        x->extent[i] = common[draw(sizeof common / sizeof *common)];
        x->variable[i] = ix_var(x->ix, names[i], x->extent[i], 1);
    }
}

static void check_expression(uint64_t seed)
{
    struct expressions x;
    state = seed;
    open_expressions(&x);
    for (int i = 0; i < VARIABLES; i++) {
        x.simple[i] = x.variable[i];
        x.tree[i] = (struct tree){.made = VARIABLE, .a = i};
    }
    int64_t all = 1;
    for (int i = 0; i < VARIABLES; i++)
        all *= x.extent[i];
    bool ok = true;
    for (int i = VARIABLES; i < NODES && ok; i++) {
        struct str text;
        grow(&x, i);
        str_init(&text, &x.arena);
        ix_print(x.simple[i], &text);
        for (int64_t n = 0; n < (all < ASSIGNMENTS ? all : ASSIGNMENTS) && ok; n++) {
            assign(&x, all <= ASSIGNMENTS ? n : (int64_t)draw((uint64_t)all));
            ok = agrees(&x, i, str_text(&text), seed);
        }
        CHECK(ok, "seed %llu: expression %d", (unsigned long long)seed, i - VARIABLES);
    }
    arena_finish(&x.arena);
}

/* Flat indices and back: of the shape's own place, and of one that may lie before it or past its
   end, as under a guard: there every coordinate but the first is still in range, so that it
   reads something of the tensor. */
static void check_shape(uint64_t seed)
{
    struct expressions x;
    state = seed;
    open_expressions(&x);
    struct shape s = shape_of(VARIABLES, x.extent);
    const struct ix *back[VARIABLES], *flat = ix_linear(x.ix, &s, x.variable);
    int64_t all = shape_size(&s), shift = (int64_t)draw(2 * (uint64_t)all + 1) - all;
    ix_delinear(x.ix, &s, flat, back);
    for (int i = 0; i < VARIABLES; i++)
        CHECK(back[i] == x.variable[i], "seed %llu: coordinate %d is lost",
              (unsigned long long)seed, i);
    const struct ix *v = ix_var(x.ix, "a", all, 1), *shifted = ix_add_const(x.ix, v, shift);
    ix_delinear(x.ix, &s, shifted, back);
    x.extent[0] = all;
    for (int64_t n = 0; n < all; n++) {
        x.value[0] = n;
        int64_t place = n + shift, stride = all;
        for (int i = 0; i < VARIABLES; i++) {
            stride /= s.dim[i];
            int64_t found = simplified(&x, back[i]),
                    wanted =
                        floor_div(place, stride) - floor_div(place, stride * s.dim[i]) * s.dim[i];
            bool inside = place >= 0 && place < all;
            bool may_miss = !inside, in_range = found >= 0 && found < s.dim[i];
            if (may_miss ? shift < 0 && !in_range : found != wanted)
                CHECK(false, "seed %llu: coordinate %d of place %lld is %lld",
                      (unsigned long long)seed, i, (long long)place, (long long)found);
        }
    }
    CHECK(check_failed == 0, "seed %llu", (unsigned long long)seed);
    arena_finish(&x.arena);
}

/* Along an axis of one element there is one place: the index may come from a pad or a window
   that reaches past it. */
static void check_axis_of_one(void)
{
    struct expressions x;
    arena_init(&x.arena, 0);
    x.ix = ix_create(&x.arena);
    const struct ix *a = ix_var(x.ix, "a", 3, 1), *b = ix_var(x.ix, "b", 5, 1),
                    *c = ix_var(x.ix, "c", 4, 1);
    const struct shape s = {.rank = 3, .dim = {3, 1, 4}};
    const struct ix *wanted = ix_add(x.ix, ix_scale(x.ix, a, 4), c);
    CHECK(ix_linear(x.ix, &s, (const struct ix *[]){a, b, c}) == wanted,
          "an axis of one element moves the place");
    arena_finish(&x.arena);
}

/* A quotient whose normal form has a constant beside its atom is no quotient of a sum that has that
   atom alone. For x = (5a - b + 20) / 3, x / 4 is q + 1 with q = (5a - b + 8) / 12. */
static void check_quotient(void)
{
    struct expressions x = {.extent = {3, 9, 1, 1}};
    arena_init(&x.arena, 0);
    x.ix = ix_create(&x.arena);
    const struct ix *a = ix_scale(x.ix, ix_var(x.ix, "a", x.extent[0], 1), 5),
                    *b = ix_scale(x.ix, ix_var(x.ix, "b", x.extent[1], 1), -1),
                    *sum = ix_add(x.ix, a, b), *more = ix_add_const(x.ix, sum, 20),
                    *third = ix_div(x.ix, more, 3),
                    *q = ix_div(x.ix, ix_add_const(x.ix, sum, 8), 12),
                    *e = ix_add(x.ix, ix_mod(x.ix, third, 4), ix_scale(x.ix, q, 4));
    CHECK(ix_div(x.ix, third, 4) == ix_add_const(x.ix, q, 1), "x / 4 is not q + 1");
    for (int64_t n = 0; n < x.extent[0] * x.extent[1]; n++) {
        assign(&x, n);
        int64_t s = 5 * x.value[0] - x.value[1],
                wanted = (s + 20) / 3 % 4 + floor_div(s + 8, 12) * 4, found = simplified(&x, e);
        CHECK(found == wanted, "x %% 4 + 4q is %lld, wanted %lld", (long long)found,
              (long long)wanted);
    }
    arena_finish(&x.arena);
}

/* Terms of the same atom are one. */
static void check_same_atom(void)
{
    struct expressions x;
    arena_init(&x.arena, 0);
    x.ix = ix_create(&x.arena);
    const struct ix *a = ix_var(x.ix, "a", 7, 1), *b = ix_var(x.ix, "b", 5, 1);
    const struct ix *sum = ix_add(x.ix, a, ix_scale(x.ix, b, 3));
    CHECK(ix_add(x.ix, sum, sum) == ix_scale(x.ix, sum, 2), "x + x is not 2 x");
    CHECK(ix_add(x.ix, sum, ix_scale(x.ix, a, -1)) == ix_scale(x.ix, b, 3), "a - a is not 0");
    arena_finish(&x.arena);
}

/* A sum may have any number of terms: the pair that a reshape leaves behind is put together there,
   too. */
static void check_many_terms(void)
{
    enum { TERMS = 300 };
    struct expressions x;
    arena_init(&x.arena, 0);
    x.ix = ix_create(&x.arena);
    const struct ix *v = ix_var(x.ix, "a", 35, 1), *sum = ix_mod(x.ix, v, 5), *wanted = v;
    for (int i = 0; i < TERMS; i++) {
        const struct ix *term = ix_scale(x.ix, ix_var(x.ix, "b", 3, 1), 1000 + i);
        sum = ix_add(x.ix, sum, term);
        wanted = ix_add(x.ix, wanted, term);
    }
    sum = ix_add(x.ix, sum, ix_scale(x.ix, ix_div(x.ix, v, 5), 5));
    CHECK(sum == wanted, "a sum of %u terms, not %d", sum->nterms, TERMS + 1);
    arena_finish(&x.arena);
}

/* Equal pointers are equal expressions, also where there are far more of them than buckets. */
static void check_many_constants(void)
{
    enum { MANY = 5000 };
    struct expressions x;
    int64_t wrong = 0;
    arena_init(&x.arena, 0);
    x.ix = ix_create(&x.arena);
    const struct ix *v = ix_var(x.ix, "a", 3, 1);
    for (int64_t k = 1; k <= MANY; k++)
        wrong += ix_add_const(x.ix, v, k)->constant != k || ix_const(x.ix, k)->constant != k;
    CHECK(wrong == 0, "%lld of %d constants are taken for others", (long long)wrong, MANY);
    arena_finish(&x.arena);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 10000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + (uint64_t)count && check_failed < 5; seed++) {
        check_expression(seed);
        if (seed % 16 == 0)
            check_shape(seed);
    }
    check_axis_of_one();
    check_quotient();
    check_same_atom();
    check_many_terms();
    check_many_constants();
    return check_report();
}
