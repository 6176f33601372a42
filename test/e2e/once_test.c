/* Values of few elements that every thread of a large kernel would compute: below some size each
   computes them, above it a kernel before it does (fuse_once.c). Results are compared on both sides
   for a CPU, plans for a GPU are counted on both sides. */
#include "e2e.h"
#include "base/str.h"

enum { POWERS = 16 }; /* of 40 additions each: enough for 11,750 elements on a CPU */

enum use { SCALED, TWO_SHAPES, OF_FOUR, IS_RESULT, USES };
static const char *const names[USES] = {"scaled", "two shapes", "of four", "is a result"};

/* n0 is the large operand, n1 and n2 the few. */
static const char *text_of(struct arena *a, enum use use, int size)
{
    struct str s;
    int few = use == OF_FOUR ? 4 : 1, n;
    str_init(&s, a);
    str_printf(&s, "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[%d], f32[%d], f32[%d]) {\n", size,
               few, few);
    str_printf(&s, "n0 = parameter index=0 : f32[%d]\n", size);
    for (int i = 1; i <= 2; i++)
        str_printf(&s, "n%d = parameter index=%d : f32[%d]\n", i, i, few);
    str_printf(&s, "n3 = abs n1 : f32[%d]\nn4 = abs n2 : f32[%d]\n", few, few);
    for (n = 5; n < 5 + 2 * POWERS; n += 2)
        str_printf(&s, "n%d = pow n%d, n4 : f32[%d]\nn%d = add n%d, n3 : f32[%d]\n", n,
                   n == 5 ? 3 : n - 1, few, n + 1, n, few);
    int last = n - 1, part = last;
    if (use == OF_FOUR) {
        str_printf(&s, "n%d = slice n%d starts=[2] lengths=[1] strides=[1] : f32[1]\n", n, last);
        part = n++;
    }
    str_printf(&s, "n%d = broadcast n%d axes=[0] : f32[%d]\n", n, part, size);
    str_printf(&s, "n%d = multiply n0, n%d : f32[%d]\n", n + 1, n, size);
    if (use == TWO_SHAPES) {
        int half = size / 2;
        str_printf(&s, "n%d = slice n0 starts=[0] lengths=[%d] strides=[1] : f32[%d]\n", n + 2,
                   half, half);
        str_printf(&s, "n%d = broadcast n%d axes=[0] : f32[%d]\n", n + 3, part, half);
        str_printf(&s, "n%d = add n%d, n%d : f32[%d]\n", n + 4, n + 2, n + 3, half);
        str_printf(&s, "return n%d, n%d\n}\n", n + 1, n + 4);
    } else if (use == IS_RESULT) {
        str_printf(&s, "return n%d, n%d\n}\n", n + 1, last);
    } else {
        str_printf(&s, "return n%d\n}\n", n + 1);
    }
    return str_text(&s);
}

/* What a GPU gets, counted; nothing runs. */
static const struct planned {
    const char *name, *op; /* of the few */
    int few, size;
    bool apart;
} planned[] = {
    /* 40 additions for each element are 32 dispatches by estimate, and what the one kernel takes */
    {"a power for 14,031,872", "pow", 1, 14031872, false},
    {"a power for 14,032,896", "pow", 1, 14032896, true},
    {"31 powers for 16,000,000", "pow", 31, 16000000, true},
    {"32 powers for 16,000,000", "pow", 32, 16000000, false},
    {"a quotient for 2^28", "divide", 1, 1 << 28, false}, /* under 16 additions */
};

static void check_planned(struct e2e *e, const struct planned *p)
{
    struct arena a;
    struct str s;
    arena_init(&a, 0);
    str_init(&s, &a);
    str_printf(
        &s,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[%d], f32[%d], f32[%d]) {\n"
        "n0 = parameter index=0 : f32[%d]\nn1 = parameter index=1 : f32[%d]\n"
        "n2 = parameter index=2 : f32[%d]\nn3 = %s n1, n2 : f32[%d]\n"
        "n4 = slice n3 starts=[%d] lengths=[1] strides=[1] : f32[1]\n"
        "n5 = broadcast n4 axes=[0] : f32[%d]\nn6 = multiply n0, n5 : f32[%d]\nreturn n6\n}\n",
        p->size, p->few, p->few, p->size, p->few, p->few, p->op, p->few, p->few - 1, p->size,
        p->size);
    e2e_check_plan(e, p->name, str_text(&s), "plan for nvidia: 2 kernels", p->apart);
    arena_finish(&a);
}

int main(void)
{
    static const int sizes[] = {11000, 13000};
    struct e2e e;
    if (!e2e_open(&e))
        return e2e_close(&e);
    e.text_ir = true;
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
        check_planned(&e, &planned[i]);
    for (int use = 0; use < USES; use++)
        for (int i = 0; i < 2; i++) {
            struct arena a;
            char name[64];
            arena_init(&a, 0);
            snprintf(name, sizeof name, "%s, %d", names[use], sizes[i]);
            e2e_compare_json(&e, name, text_of(&a, (enum use)use, sizes[i]), 1, NULL, NULL,
                             1u << E2E_AS_TARGET | 1u << E2E_PARTS | 1u << E2E_ALSO);
            arena_finish(&a);
        }
    return e2e_close(&e);
}
