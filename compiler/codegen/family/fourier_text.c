/* Short transforms as straight-line code. A composite length is split: with j = b j1 + j2 and k =
   k1 + a k2,

     X[k] = sum over j2 of w_b^(j2 k2) . w_n^(j2 k1) . sum over j1 of w_a^(j1 k1) x[j]

   A transform of odd prime length pairs x[j] with x[p - j], whose roots are conjugate: their sum
   is multiplied by cosines, their difference by sines. */
#include "codegen/family/fourier_text.h"

#include <string.h>

#include "target/radix.h"

struct writer {
    struct arena *arena;
    struct str *out;
    const char *type, *suffix; /* "vec2", "" or "lf" */
    bool is_double, inverse;
    uint32_t temps;
};

static const char *number(struct writer *w, long double x)
{
    const char *text = w->is_double ? arena_printf(w->arena, "%.17g", (double)x)
                                    : arena_printf(w->arena, "%.9g", (double)(float)x);
    return arena_printf(w->arena, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", w->suffix);
}

/* A new variable with the value of `text`. */
static const char *let(struct writer *w, const char *text)
{
    const char *name = arena_printf(w->arena, "t%u", w->temps++);
    str_printf(w->out, "    %s %s = %s;\n", w->type, name, text);
    return name;
}

/* x times the root. */
static const char *turned(struct writer *w, const char *x, int64_t k, int64_t n)
{
    struct root r = fourier_root(k, n, w->inverse);
    if (r.im == 0)
        return r.re == 1 ? x : let(w, arena_printf(w->arena, "-%s", x));
    if (r.re == 0)
        return let(w, arena_printf(w->arena, r.im > 0 ? "%s(-%s.y, %s.x)" : "%s(%s.y, -%s.x)",
                                   w->type, x, x));
    const char *c = number(w, r.re), *s = number(w, r.im);
    return let(w, arena_printf(w->arena, "%s(%s.x * %s - %s.y * %s, %s.x * %s + %s.y * %s)",
                               w->type, x, c, x, s, x, s, x, c));
}

static void dft(struct writer *w, const char **v, uint32_t n);

static void dft_composite(struct writer *w, const char **v, uint32_t n)
{
    uint32_t a = n % 4 == 0 && n > 4 ? 4 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5, b = n / a;
    const char *line[FOURIER_RADIX], *all[FOURIER_RADIX];
    for (uint32_t j2 = 0; j2 < b; j2++) {
        for (uint32_t j1 = 0; j1 < a; j1++)
            line[j1] = v[b * j1 + j2];
        dft(w, line, a);
        for (uint32_t k1 = 0; k1 < a; k1++)
            all[k1 * b + j2] = turned(w, line[k1], (int64_t)j2 * k1, n);
    }
    for (uint32_t k1 = 0; k1 < a; k1++) {
        dft(w, all + k1 * b, b);
        for (uint32_t k2 = 0; k2 < b; k2++)
            v[k1 + a * k2] = all[k1 * b + k2];
    }
}

static void dft_prime(struct writer *w, const char **v, uint32_t p)
{
    const char *sum[FOURIER_PRIME], *difference[FOURIER_PRIME], *first = v[0];
    struct str s;
    str_init(&s, w->arena);
    str_add(&s, first);
    for (uint32_t j = 1; j <= p / 2; j++) {
        sum[j] = let(w, arena_printf(w->arena, "%s + %s", v[j], v[p - j]));
        difference[j] = let(w, arena_printf(w->arena, "%s - %s", v[j], v[p - j]));
        str_printf(&s, " + %s", sum[j]);
    }
    v[0] = let(w, str_text(&s));
    for (uint32_t k = 1; k <= p / 2; k++) {
        struct str c, d;
        str_init(&c, w->arena);
        str_init(&d, w->arena);
        str_add(&c, first);
        for (uint32_t j = 1; j <= p / 2; j++) {
            struct root r = fourier_root((int64_t)j * k, p, w->inverse);
            str_printf(&c, " + %s * %s", number(w, r.re), sum[j]);
            str_printf(&d, "%s%s * %s", d.len ? " + " : "", number(w, r.im), difference[j]);
        }
        const char *even = let(w, str_text(&c)), *odd = let(w, str_text(&d));
        v[k] = let(w, arena_printf(w->arena, "%s(%s.x - %s.y, %s.y + %s.x)", w->type, even, odd,
                                   even, odd));
        v[p - k] = let(w, arena_printf(w->arena, "%s(%s.x + %s.y, %s.y - %s.x)", w->type, even, odd,
                                       even, odd));
    }
}

static void dft(struct writer *w, const char **v, uint32_t n)
{
    bool prime = true;
    for (uint32_t p = 2; p < n; p++)
        prime &= n % p != 0;
    if (n == 2) {
        const char *x = v[0], *y = v[1];
        v[0] = let(w, arena_printf(w->arena, "%s + %s", x, y));
        v[1] = let(w, arena_printf(w->arena, "%s - %s", x, y));
    } else if (n > 2 && prime)
        dft_prime(w, v, n);
    else if (n > 2)
        dft_composite(w, v, n);
}

void fourier_function(struct emit *e, struct str *out, uint32_t radix, enum vkc_type type,
                      bool inverse)
{
    bool is_double = type == TYPE_C128;
    struct arena *a = e->arena;
    struct writer w = {.arena = a,
                       .out = out,
                       .type = emit_type(e, type),
                       .suffix = is_double ? "lf" : "",
                       .is_double = is_double,
                       .inverse = inverse};
    const char *v[FOURIER_RADIX];
    str_printf(out, "void dft_%u(inout %s v[%u])\n{\n", radix, w.type, radix);
    for (uint32_t i = 0; i < radix; i++) {
        const char *x = arena_printf(a, "v[%u]", i);
        v[i] = let(&w, x);
    }
    dft(&w, v, radix);
    for (uint32_t i = 0; i < radix; i++)
        str_printf(out, "    v[%u] = %s;\n", i, v[i]);
    str_add(out, "}\n");
}

void fourier_turn_function(struct emit *e, struct str *out, enum vkc_type type)
{
    const char *t = emit_type(e, type);
    str_printf(out, "%s turned(%s x, %s w)\n{\n", t, t, t);
    str_printf(out, "    return %s(x.x * w.x - x.y * w.y, x.x * w.y + x.y * w.x);\n}\n", t);
}
