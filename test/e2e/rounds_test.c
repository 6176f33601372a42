/* Loops whose carried values change places between rounds: for every number of rounds from none on
   the results that are computed here, with loops of known and of unknown length, alone and in each
   other; and how many dispatches a round takes, also with a sort that is the same in every one. Run
   from the root of the repository. */
#include <stdlib.h>
#include <string.h>

#include "e2e.h"
#include "base/str.h"

enum { ELEMENTS = 10000 };

/* Known ones up to 8 are written out in the graph. */
static const int counts[] = {0, 1, 2, 3, 9, 10, 11}, inner_counts[] = {0, 1, 9, 10};

/* A loop: x, y = rem(3 a + reverse(x) + i, 1013), b. If it swaps, a is y and b is x, so that each
   value goes where the other was; otherwise a is x and b is y. */
struct loops {
    bool is_known, is_nested, inner_is_known, swaps;
};

static const char *const types = "s32[10000], s32[10000], s32[], s32[], s32[]";

static void parameters(struct str *out, int func)
{
    str_printf(out, "func f%d(%s) {\n", func, types);
    for (int i = 0; i < 5; i++)
        str_printf(out, "  n%d = parameter index=%d : s32[%s]\n", i, i, i < 2 ? "10000" : "");
}

/* i < `rounds`, or than parameter `given`. */
static void condition(struct str *out, int func, bool is_known, int rounds, int given)
{
    parameters(out, func);
    str_printf(out,
               "  n5 = constant bits=%08x : s32[]\n  n6 = less n2, n%d : u8[]\n  return n6\n}\n",
               (unsigned)rounds, is_known ? 5 : given);
}

static void round_of(struct str *out, int func, bool swaps)
{
    parameters(out, func);
    str_printf(
        out,
        "  n5 = constant bits=00000003 : s32[10000]\n  n6 = multiply n%d, n5 : s32[10000]\n"
        "  n7 = reverse n0 axes=[0] : s32[10000]\n  n8 = add n6, n7 : s32[10000]\n"
        "  n9 = broadcast n2 axes=[] : s32[10000]\n  n10 = add n8, n9 : s32[10000]\n"
        "  n11 = constant bits=000003f5 : s32[10000]\n  n12 = remainder n10, n11 : s32[10000]\n"
        "  n13 = constant bits=00000001 : s32[]\n  n14 = add n2, n13 : s32[]\n"
        "  return n12, n%d, n14, n3, n4\n}\n",
        swaps, !swaps);
}

/* The inner loop, then x = rem(5 x + i, 1009). */
static void outer_round(struct str *out, int func)
{
    parameters(out, func);
    str_printf(
        out,
        "  n5 = constant bits=00000000 : s32[]\n"
        "  n6 = while n0, n1, n5, n3, n4 regions=[f3,f4] : %s\n"
        "  n7 = constant bits=00000005 : s32[10000]\n  n8 = multiply n6.0, n7 : s32[10000]\n"
        "  n9 = broadcast n2 axes=[] : s32[10000]\n  n10 = add n8, n9 : s32[10000]\n"
        "  n11 = constant bits=000003f1 : s32[10000]\n  n12 = remainder n10, n11 : s32[10000]\n"
        "  n13 = constant bits=00000001 : s32[]\n  n14 = add n2, n13 : s32[]\n"
        "  return n12, n6.1, n14, n3, n4\n}\n",
        types);
}

static const char *text_of(struct arena *a, const struct loops *l, int rounds, int inner)
{
    struct str out;
    str_init(&out, a);
    str_printf(&out,
               "graph \"rounds\" entry=f0 callbacks=0\n"
               "func f0(s32[10000], s32[10000], s32[], s32[]) {\n"
               "  n0 = parameter index=0 : s32[10000]\n  n1 = parameter index=1 : s32[10000]\n"
               "  n2 = parameter index=2 : s32[]\n  n3 = parameter index=3 : s32[]\n"
               "  n4 = constant bits=00000000 : s32[]\n"
               "  n5 = while n0, n1, n4, n2, n3 regions=[f1,f2] : %s\n"
               "  return n5.0, n5.1\n}\n",
               types);
    condition(&out, 1, l->is_known, rounds, 3);
    if (l->is_nested) {
        outer_round(&out, 2);
        condition(&out, 3, l->inner_is_known, inner, 4);
        round_of(&out, 4, l->swaps);
    } else {
        round_of(&out, 2, l->swaps);
    }
    return str_text(&out);
}

static void rounds_here(int32_t *x, int32_t *y, int rounds, bool swaps)
{
    static int32_t next[ELEMENTS];
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < ELEMENTS; k++)
            next[k] = (3 * (swaps ? y : x)[k] + x[ELEMENTS - 1 - k] + i) % 1013;
        if (swaps)
            memcpy(y, x, sizeof next);
        memcpy(x, next, sizeof next);
    }
}

static void wanted_of(const struct loops *l, int32_t *x, int32_t *y, int rounds, int inner)
{
    if (!l->is_nested) {
        rounds_here(x, y, rounds, l->swaps);
        return;
    }
    for (int i = 0; i < rounds; i++) {
        rounds_here(x, y, inner, l->swaps);
        for (int k = 0; k < ELEMENTS; k++)
            x[k] = (5 * x[k] + i) % 1009;
    }
}

/* *Returns* the dispatches of the run. */
static uint64_t check_run(struct e2e *e, const struct loops *l, vkr_program *program,
                          const char *name, int rounds, int inner)
{
    static int32_t x[ELEMENTS], y[ELEMENTS];
    int32_t m = rounds, n = inner;
    struct tensor line = {TYPE_S32, {1, {ELEMENTS}}}, word = {.type = TYPE_S32};
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = (i * 7) % 1000, y[i] = (i * 11) % 999;
    const struct array inputs[] = {{line, x}, {line, y}, {word, &m}, {word, &n}};
    void *found[2] = {NULL, NULL};
    vkr_counters before, after;
    vkr_device_counters(e->device, &before);
    bool ok = e2e_run(e, name, program, inputs, found);
    vkr_device_counters(e->device, &after);
    wanted_of(l, x, y, rounds, inner);
    check_that(&e->check,
               ok && memcmp(found[0], x, sizeof x) == 0 && memcmp(found[1], y, sizeof y) == 0,
               "%s: %d rounds, %d inner ones: something else", name, rounds, inner);
    free(found[0]);
    free(found[1]);
    return after.dispatches - before.dispatches;
}

static const char *name_of(struct arena *a, const struct loops *l, enum e2e_variant variant)
{
    return arena_printf(a, "%s%s%s, %s", l->is_known ? "known" : "unknown",
                        !l->is_nested       ? ""
                        : l->inner_is_known ? " around known"
                                            : " around unknown",
                        l->swaps ? " with a swap" : "", e2e_variant_names[variant]);
}

/* Every number of rounds; of a loop in a loop, both. */
static void check_loops(struct e2e *e, const struct loops *l, enum e2e_variant variant)
{
    vkr_program *program = NULL;
    struct arena a;
    arena_init(&a, 0);
    const char *name = name_of(&a, l, variant);
    bool fixed = l->is_known || (l->is_nested && l->inner_is_known);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < (l->is_nested ? sizeof inner_counts / sizeof *inner_counts : 1);
             k++) {
            int rounds = counts[i], inner = inner_counts[k];
            const char *text = text_of(&a, l, rounds, inner);
            if (fixed || !program) {
                vkr_program_unload(program);
                program = e2e_load(e, name, text, strlen(text), variant);
            }
            if (program)
                check_run(e, l, program, name, rounds, inner);
        }
    vkr_program_unload(program);
    arena_finish(&a);
}

/* A round of known number is one dispatch, and so is what copies after an odd one. */
static void check_dispatches(struct e2e *e)
{
    const struct loops plain = {.is_known = true};
    uint64_t made[15] = {0};
    struct arena a;
    arena_init(&a, 0);
    for (int rounds = 9; rounds < 15; rounds++) {
        const char *text = text_of(&a, &plain, rounds, 0);
        vkr_program *program = e2e_load(e, "known", text, strlen(text), E2E_AS_GPU);
        if (program)
            made[rounds] = check_run(e, &plain, program, "known", rounds, 0);
        vkr_program_unload(program);
    }
    for (int rounds = 11; rounds < 15; rounds++)
        check_that(&e->check, made[rounds] == made[rounds - 2] + 2,
                   "%d rounds take %llu dispatches, %d take %llu", rounds,
                   (unsigned long long)made[rounds], rounds - 2,
                   (unsigned long long)made[rounds - 2]);
    check_that(&e->check, made[11] <= made[10] + 2, "11 rounds take %llu dispatches, 10 %llu",
               (unsigned long long)made[11], (unsigned long long)made[10]);
    arena_finish(&a);
}

/* ---- what is the same in every round ---- */

/* x = rem(x + sort(y) + i, 1013). */
static const char *sorting_text(struct arena *a, int rounds)
{
    struct str out;
    str_init(&out, a);
    str_printf(&out,
               "graph \"sorts\" entry=f0 callbacks=0\n"
               "func f0(s32[10000], s32[10000]) {\n"
               "  n0 = parameter index=0 : s32[10000]\n  n1 = parameter index=1 : s32[10000]\n"
               "  n2 = constant bits=00000000 : s32[]\n"
               "  n3 = while n0, n1, n2, n2, n2 regions=[f1,f2] : %s\n  return n3.0\n}\n",
               types);
    condition(&out, 1, true, rounds, 3);
    parameters(&out, 2);
    str_add(&out, "  n5 = sort n1 axis=0 descending=false stable=false : s32[10000]\n"
                  "  n6 = add n0, n5 : s32[10000]\n"
                  "  n7 = broadcast n2 axes=[] : s32[10000]\n  n8 = add n6, n7 : s32[10000]\n"
                  "  n9 = constant bits=000003f5 : s32[10000]\n"
                  "  n10 = remainder n8, n9 : s32[10000]\n"
                  "  n11 = constant bits=00000001 : s32[]\n  n12 = add n2, n11 : s32[]\n"
                  "  return n10, n1, n12, n3, n4\n}\n");
    return str_text(&out);
}

/* *Returns* the dispatches of the run. */
static uint64_t check_sorting_run(struct e2e *e, vkr_program *program, int rounds)
{
    static int32_t x[ELEMENTS], y[ELEMENTS], wanted[ELEMENTS];
    struct tensor line = {TYPE_S32, {1, {ELEMENTS}}};
    for (int i = 0; i < ELEMENTS; i++) { /* 7919 and 10000 have no common factor */
        x[i] = wanted[i] = i % 1000;
        y[i] = (i * 7919) % ELEMENTS;
    }
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < ELEMENTS; i++)
            wanted[i] = (wanted[i] + i + r) % 1013;
    const struct array inputs[] = {{line, x}, {line, y}};
    void *found[1] = {NULL};
    vkr_counters before, after;
    vkr_device_counters(e->device, &before);
    bool ok = e2e_run(e, "sorts", program, inputs, found);
    vkr_device_counters(e->device, &after);
    check_that(&e->check, ok && memcmp(found[0], wanted, sizeof wanted) == 0,
               "sorts: %d rounds: something else", rounds);
    free(found[0]);
    return after.dispatches - before.dispatches;
}

/* The sort is made once, so that a round is one dispatch. */
static void check_sorting(struct e2e *e)
{
    uint64_t made[3] = {0};
    struct arena a;
    arena_init(&a, 0);
    for (int i = 0; i < 3; i++) {
        const char *text = sorting_text(&a, 129 + 2 * i); /* up to 128 are written out */
        vkr_program *program = e2e_load(e, "sorts", text, strlen(text), E2E_AS_GPU);
        if (program)
            made[i] = check_sorting_run(e, program, 129 + 2 * i);
        vkr_program_unload(program);
    }
    for (int i = 1; i < 3; i++)
        check_that(&e->check, made[i] == made[i - 1] + 2, "two rounds with a sort: %llu dispatches",
                   (unsigned long long)(made[i] - made[i - 1]));
    arena_finish(&a);
}

int main(void)
{
    struct e2e e;
    if (e2e_open(&e)) {
        e.text_ir = true;
        for (unsigned i = 0; i < 12; i++) {
            struct loops l = {i & 1, i >= 4, i >= 8, i & 2};
            for (int v = 0; v < E2E_VARIANTS; v++)
                if (v != E2E_PARTS && v != E2E_ALSO)
                    check_loops(&e, &l, (enum e2e_variant)v);
        }
        check_dispatches(&e);
        check_sorting(&e);
    }
    return e2e_close(&e);
}
