/* What a kernel takes for granted of the numbers that it computes (emit_range.c): which
   exponentials are those of no positive number, and which quotients those of numbers up to 1. The
   functions themselves are in test/numerics. */
#include <string.h>

#include "base/arena.h"
#include "check.h"
#include "vkc.h"

static const char head[] = "graph \"range\" entry=f0 callbacks=0\n\n"
                           "func f0(f32[64,64] \"x\", f32[64,64] \"y\") {\n"
                           "  n0 = parameter index=0 : f32[64,64]\n"
                           "  n1 = parameter index=1 : f32[64,64]\n";

/* The exponential is n9; n10 is its sum. */
#define EXP(x) \
    "n9 = exp " x " : f32[64,64]\nn10 = sum n9 axes=[1] keep=false : f32[64]\nreturn n10\n}\n"
#define DOWN(x) \
    "n9 = exp " x " : f32[64,64]\nn10 = sum n9 axes=[0] keep=false : f32[64]\nreturn n10\n}\n"
#define QUOTIENT(x, a)                                                                  \
    "n9 = exp " x " : f32[64,64]\nn10 = sum n9 axes=[1] keep=false : f32[64]\n"         \
    "n11 = broadcast n10 axes=[0] : f32[64,64]\nn12 = divide " a ", n11 : f32[64,64]\n" \
    "return n12\n}\n"
#define LESS_GREATEST(of, axes, to)                                 \
    "n2 = reduce_max " of " axes=[" axes "] keep=false : f32[64]\n" \
    "n3 = broadcast n2 axes=[" to "] : f32[64,64]\nn4 = subtract n0, n3 : f32[64,64]\n"
#define CONSTANT(bits) "n2 = constant bits=" bits " : f32[64,64]\n"

enum { NEITHER = 0, EXPONENTIAL = 1, UNIT = 2 };

static const struct row {
    const char *what, *body;
    int known;
} rows[] = {
    {"less the greatest of its row", LESS_GREATEST("n0", "1", "0") EXP("n4"), EXPONENTIAL},
    {"less the greatest of another row", LESS_GREATEST("n0", "1", "1") EXP("n4"), NEITHER},
    {"less the greatest of its column", LESS_GREATEST("n0", "0", "1") DOWN("n4"), EXPONENTIAL},
    {"less the greatest of another column", LESS_GREATEST("n0", "0", "0") DOWN("n4"), NEITHER},
    {"less the greatest of others", LESS_GREATEST("n1", "1", "0") EXP("n4"), NEITHER},
    {"the greatest less it",
     LESS_GREATEST("n0", "1", "0") "n5 = subtract n3, n0 : f32[64,64]\n" EXP("n5"), NEITHER},
    {"a softmax", LESS_GREATEST("n0", "1", "0") QUOTIENT("n4", "n9"), EXPONENTIAL | UNIT},
    {"others by such a sum", LESS_GREATEST("n0", "1", "0") QUOTIENT("n4", "n1"), EXPONENTIAL},
    {"a softmax without its greatest", QUOTIENT("n0", "n9"), NEITHER},
    {"-x", "n2 = negate n0 : f32[64,64]\n" EXP("n2"), NEITHER},
    {"-|x|", "n2 = abs n0 : f32[64,64]\nn3 = negate n2 : f32[64,64]\n" EXP("n3"), EXPONENTIAL},
    {"-x x", "n2 = multiply n0, n0 : f32[64,64]\nn3 = negate n2 : f32[64,64]\n" EXP("n3"),
     EXPONENTIAL},
    {"-x y", "n2 = multiply n0, n1 : f32[64,64]\nn3 = negate n2 : f32[64,64]\n" EXP("n3"), NEITHER},
    {"-2 |x| |x|",
     CONSTANT("c0000000") "n3 = multiply n0, n0 : f32[64,64]\n"
                          "n4 = multiply n2, n3 : f32[64,64]\n" EXP("n4"),
     EXPONENTIAL},
    {"2 x x",
     CONSTANT("40000000") "n3 = multiply n0, n0 : f32[64,64]\n"
                          "n4 = multiply n2, n3 : f32[64,64]\n" EXP("n4"),
     NEITHER},
    {"-2 x", CONSTANT("c0000000") "n4 = multiply n2, n0 : f32[64,64]\n" EXP("n4"), NEITHER},
    {"-x x - 2",
     CONSTANT("c0000000") "n3 = multiply n0, n0 : f32[64,64]\nn4 = negate n3 : f32[64,64]\n"
                          "n5 = add n4, n2 : f32[64,64]\n" EXP("n5"),
     EXPONENTIAL},
    {"-x x - |y|",
     "n3 = multiply n0, n0 : f32[64,64]\nn4 = negate n3 : f32[64,64]\nn6 = abs n1 : f32[64,64]\n"
     "n5 = subtract n4, n6 : f32[64,64]\n" EXP("n5"),
     EXPONENTIAL},
    {"-x x - y",
     "n3 = multiply n0, n0 : f32[64,64]\nn4 = negate n3 : f32[64,64]\n"
     "n5 = subtract n4, n1 : f32[64,64]\n" EXP("n5"),
     NEITHER},
    {"-x x + 2",
     CONSTANT("40000000") "n3 = multiply n0, n0 : f32[64,64]\nn4 = negate n3 : f32[64,64]\n"
                          "n5 = add n4, n2 : f32[64,64]\n" EXP("n5"),
     NEITHER},
    {"-x x / |y|",
     "n2 = multiply n0, n0 : f32[64,64]\nn3 = negate n2 : f32[64,64]\nn4 = abs n1 : f32[64,64]\n"
     "n5 = divide n3, n4 : f32[64,64]\n" EXP("n5"),
     EXPONENTIAL},
    {"-x x / y",
     "n2 = multiply n0, n0 : f32[64,64]\nn3 = negate n2 : f32[64,64]\n"
     "n5 = divide n3, n1 : f32[64,64]\n" EXP("n5"),
     NEITHER},
};

int main(void)
{
    struct vkc_target target;
    CHECK(vkc_target_named("nvidia", &target), "no profile");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct vkc_options options = {
            .target = &target, .text_ir = true, .no_cache = true, .want_glsl = true};
        struct vkc_result result = {0};
        struct arena a;
        if (!check_wanted(rows[i].what))
            continue;
        arena_init(&a, 0);
        const char *text = arena_printf(&a, "%s%s", head, rows[i].body);
        bool ok = text && vkc_compile(text, strlen(text), NULL, 0, &options, &result);
        CHECK(ok, "%s: %s", rows[i].what, result.error.message);
        int known = ok && strstr(result.glsl, "nx_exp_nonpositive(n") ? EXPONENTIAL : NEITHER;
        known |= ok && strstr(result.glsl, "nx_div_unit_by(n") ? UNIT : NEITHER;
        CHECK(known == rows[i].known, "%s: %d, not %d", rows[i].what, known, rows[i].known);
        vkc_result_free(&result);
        arena_finish(&a);
    }
    return check_report();
}
