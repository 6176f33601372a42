/* What a workgroup program is to have is counted before any of it is written, and decides whether
   it is written. Here programs grow by a step at a time until they have too much: what was counted
   of the first that is refused must follow from what was written of those before. No shader is
   compiled. */
#include <string.h>

#include "base/str.h"
#include "codegen/family/family.h"
#include "planned.h"

/* Statements times barriers that a program may have on a CPU (tuning.def). */
enum { MOST = 45000 };

/* `%s` is the steps that grow: each makes n<i> from n<i - 1>, the first from n9. */
static const struct grown {
    const char *name, *text;
} programs[] = {
#define LOOP(what)                                                                             \
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[8,8], s32[]) {\n"                           \
    "n0 = parameter index=0 : f32[8,8]\nn1 = parameter index=1 : s32[]\n"                      \
    "n2 = while n0, n1 regions=[f1,f2] : f32[8,8], s32[]\nreturn n2.0, n2.1\n}\n"              \
    "func f1(f32[8,8], s32[]) {\nn0 = parameter index=1 : s32[]\n"                             \
    "n1 = constant bits=00000009 : s32[]\nn2 = less n0, n1 : u8[]\nreturn n2\n}\n"             \
    "func f2(f32[8,8], s32[]) {\nn0 = parameter index=0 : f32[8,8]\nn1 = parameter index=1 : " \
    "s32[]\nn2 = constant bits=00000001 : s32[]\nn3 = add n1, n2 : s32[]\n" what
#define BRANCHES(first, second)                                                          \
    LOOP("n4 = cond n1, n0 regions=[f3,f4,f5] : f32[8,8]\nreturn n4, n3\n}\n"            \
         "func f3(s32[], f32[8,8]) {\nn0 = parameter index=0 : s32[]\n"                  \
         "n1 = constant bits=00000005 : s32[]\nn2 = less n0, n1 : u8[]\nreturn n2\n}\n"  \
         "func f4(s32[], f32[8,8]) {\nn0 = parameter index=1 : f32[8,8]\nn9 = sin n0 : " \
         "f32[8,8]\n" first "}\nfunc f5(s32[], f32[8,8]) {\nn0 = parameter index=1 : "   \
         "f32[8,8]\nn9 = cos n0 : f32[8,8]\n" second "}\n")
#define SMALL "n10 = tan n9 : f32[8,8]\nreturn n10\n"
    {"in a loop", LOOP("n9 = sin n0 : f32[8,8]\n%sreturn n%u, n3\n}\n")},
    {"in the first branch", BRANCHES("%sreturn n%u\n", SMALL)},
    {"in the second branch", BRANCHES(SMALL, "%sreturn n%u\n")},
    {"in a loop within", LOOP("n4 = while n0, n2 regions=[f3,f4] : f32[8,8], s32[]\n"
                              "return n4.0, n3\n}\n"
                              "func f3(f32[8,8], s32[]) {\nn0 = parameter index=1 : s32[]\n"
                              "n1 = constant bits=00000009 : s32[]\nn2 = less n0, n1 : u8[]\n"
                              "return n2\n}\n"
                              "func f4(f32[8,8], s32[]) {\nn0 = parameter index=0 : f32[8,8]\n"
                              "n1 = parameter index=1 : s32[]\n"
                              "n2 = constant bits=00000002 : s32[]\nn3 = add n1, n2 : s32[]\n"
                              "n9 = sin n0 : f32[8,8]\n%sreturn n%u, n3\n}\n")},
};

struct sizes {
    bool is_program;
    unsigned statements, barriers, phases; /* of what was refused: no phases; else no statements */
};

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        n++;
    return n;
}

static bool plan_steps(const struct grown *g, unsigned steps, const struct vkc_target *target,
                       struct sizes *out)
{
    struct arena a;
    struct plan p;
    struct str body;
    *out = (struct sizes){0};
    arena_init(&a, 0);
    str_init(&body, &a);
    unsigned at = 9;
    for (unsigned i = 0; i < steps; i++) { /* a sum that all elements wait for, and long code */
        str_add(&body,
                arena_printf(&a,
                             "n%u = sum n%u axes=[%u] keep=false : f32[8]\n"
                             "n%u = broadcast n%u axes=[%u] : f32[8,8]\n"
                             "n%u = multiply n%u, n%u : f32[8,8]\n",
                             at + 1, at, i % 2, at + 2, at + 1, 1 - i % 2, at + 3, at, at + 2));
        at += 3;
        for (unsigned j = 0; j < 60; j++, at++)
            str_add(&body, arena_printf(&a, "n%u = %s n%u : f32[8,8]\n", at + 1,
                                        j % 2 ? "abs" : "cbrt", at));
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const char *text = arena_printf(&a, g->text, str_text(&body), at);
#pragma GCC diagnostic pop
    bool ok = plan_for(&a, g->name, target, text, NULL, &p);
    for (uint32_t i = 0; ok && i < p.nkernels; i++)
        if (p.kernels[i].family == KERNEL_GROUP) {
            const char *label = strstr(p.kernels[i].label, ", ");
            out->is_program = true;
            while (label &&
                   sscanf(label, ", %u phases, %u barriers", &out->phases, &out->barriers) != 2)
                label = strstr(label + 1, ", ");
            unsigned written = count(p.kernels[i].glsl, "barrier();");
            CHECK(count(p.kernels[i].glsl, "// phase ") == out->phases,
                  "%s: %u phases were counted", g->name, out->phases);
            CHECK(written == out->barriers, "%s: %u barriers are written, %u were counted", g->name,
                  written, out->barriers);
        }
    for (uint32_t i = 0; ok && !out->is_program && i < p.nnotes && !out->statements; i++) {
        const char *over = strstr(p.notes[i].why, "over ");
        if (over)
            sscanf(over, "over %u statements and %u barriers", &out->statements, &out->barriers);
    }
    arena_finish(&a);
    return ok;
}

/* The first number of steps that is refused, between one that is not and one that is. */
static unsigned first_refused(const struct grown *g, const struct vkc_target *t)
{
    unsigned fits = 4, most = 36;
    while (most - fits > 1) {
        unsigned half = (fits + most) / 2;
        struct sizes s;
        if (!plan_steps(g, half, t, &s))
            return 0;
        *(s.is_program ? &fits : &most) = half;
    }
    return most;
}

static void check_grown(const struct grown *g, const struct vkc_target *t)
{
    struct sizes before, first, second;
    unsigned steps = first_refused(g, t);
    CHECK(steps > 5 && steps < 36, "%s: %u steps are refused", g->name, steps);
    if (!plan_steps(g, steps - 1, t, &before) || !plan_steps(g, steps, t, &first) ||
        !plan_steps(g, steps + 1, t, &second))
        return;
    CHECK(before.is_program && !first.is_program && !second.is_program, "%s: %u steps", g->name,
          steps);
    CHECK(first.barriers > before.barriers && second.barriers == first.barriers + 1,
          "%s, %u steps: %u, %u and %u barriers", g->name, steps, before.barriers, first.barriers,
          second.barriers);
    CHECK(first.statements * first.barriers > MOST && second.statements > first.statements,
          "%s, %u steps: %u statements, then %u, %u barriers", g->name, steps, first.statements,
          second.statements, first.barriers);
}

int main(void)
{
    struct vkc_target t;
    CHECK(vkc_target_named("lavapipe", &t), "no profile");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (check_wanted(programs[i].name))
            check_grown(&programs[i], &t);
    return check_report();
}
