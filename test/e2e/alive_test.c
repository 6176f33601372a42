/* Large values of which small parts are read long after the rest: the parts are right, and the
   arena is a few of the large values, however many there are. Run from the root of the
   repository. */
#include <string.h>

#include "e2e.h"
#include "base/str.h"

enum { STAGES = 60, ROWS = 4, SIDE = 512, LARGE = SIDE * SIDE * 4 /* bytes of s32[512,512] */ };

/* How the parts are used. */
enum use {
    TOGETHER, /* in one tensor, at the end */
    TURNED,   /* the same, of the transposed value */
    TIMES_Y,  /* those of three stages times one operand, each a result */
    TIMES_Z,  /* the same with an operand that is made first, which the last stage could make */
    USES
};
static const char *const names[USES] = {"together", "turned", "times a parameter",
                                        "times what is made"};

/* Stages 0, 30 and 59. */
static bool is_chosen(int stage)
{
    return stage == 0 || stage == STAGES / 2 || stage == STAGES - 1;
}

/* x = 3 x + sum(x), wrapping, of rows and of columns in turn, so that a stage waits for the one
   before. A part is the first rows of a stage's x. */
static const char *text_of(struct arena *a, enum use use)
{
    struct str s, list;
    str_init(&s, a);
    str_init(&list, a);
    int n = 2, x = 0, z = 1, parts = 0;
    str_printf(&s, "graph \"alive\" entry=f0 callbacks=0\nfunc f0(s32[512,512], s32[4,512]) {\n"
                   "n0 = parameter index=0 : s32[512,512]\nn1 = parameter index=1 : s32[4,512]\n");
    if (use == TIMES_Z) {
        str_printf(&s, "n2 = constant bits=00000007 : s32[4,512]\n"
                       "n3 = bitwise_xor n1, n2 : s32[4,512]\n");
        z = 3, n = 4;
    }
    for (int stage = 0; stage < STAGES; stage++) {
        str_printf(&s,
                   "n%d = sum n%d axes=[%d] keep=false : s32[512]\n"
                   "n%d = broadcast n%d axes=[%d] : s32[512,512]\n"
                   "n%d = constant bits=00000003 : s32[512,512]\n"
                   "n%d = multiply n%d, n%d : s32[512,512]\nn%d = add n%d, n%d : s32[512,512]\n",
                   n, x, stage % 2, n + 1, n, 1 - stage % 2, n + 2, n + 3, x, n + 2, n + 4, n + 3,
                   n + 1);
        x = n + 4;
        n += 5;
        if (use >= TIMES_Y && !is_chosen(stage))
            continue;
        if (use == TURNED)
            str_printf(&s, "n%d = transpose n%d axes=[1,0] : s32[512,512]\n", n++, x);
        str_printf(&s, "n%d = slice n%d starts=[0,0] lengths=[4,512] strides=[1,1] : s32[4,512]\n",
                   n, use == TURNED ? n - 1 : x);
        n++;
        if (use >= TIMES_Y) {
            str_printf(&s, "n%d = multiply n%d, n%d : s32[4,512]\n", n, n - 1, z);
            n++;
        }
        str_printf(&list, "%sn%d", parts++ ? ", " : "", n - 1);
    }
    if (use < TIMES_Y)
        str_printf(&s, "n%d = concatenate %s axis=0 : s32[%d,512]\nreturn n%d, n%d\n}\n", n,
                   str_text(&list), parts * ROWS, n, x);
    else
        str_printf(&s, "return %s, n%d\n}\n", str_text(&list), x);
    return str_text(&s);
}

/* A few of the values that are made one after the other; of those that are joined at the end, none
   but the last 16 are kept, and each stage has a part. So it is where a kernel of the join reads a
   few of the stages, and where one may read all of them. */
static void check_arena(struct e2e *e, enum use use, const char *text)
{
    static const uint32_t bindings[] = {16, 32, 2 * STAGES, 1000000};
    uint64_t most = (use < TIMES_Y ? 16 : 5) * (uint64_t)LARGE;
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        struct vkc_result r = {0};
        struct e2e_options o;
        e2e_options(e, E2E_AS_TARGET, &o);
        o.target.max_bindings = bindings[i];
        if (check_wanted(&e->check, names[use]) &&
            check_that(&e->check, vkc_compile(text, strlen(text), NULL, 0, &o.compile, &r),
                       "%s, %u bindings: is not compiled: %s", names[use], bindings[i],
                       r.error.message))
            check_that(&e->check, r.stats.arena_bytes <= most,
                       "%s, %u bindings: an arena of %llu bytes", names[use], bindings[i],
                       (unsigned long long)r.stats.arena_bytes);
        vkc_result_free(&r);
    }
}

int main(void)
{
    struct e2e e;
    if (!e2e_open(&e))
        return e2e_close(&e);
    e.text_ir = true;
    e.check.turns = 3;
    for (int use = 0; use < USES; use++) {
        struct arena a;
        arena_init(&a, 0);
        const char *text = text_of(&a, (enum use)use);
        e2e_compare_json(&e, names[use], text, 1, NULL, NULL,
                         1u << E2E_AS_TARGET | 1u << E2E_AS_GPU | 1u << E2E_PARTS);
        check_arena(&e, (enum use)use, text);
        arena_finish(&a);
    }
    return e2e_close(&e);
}
