/* How many elements of a row stand in straight code, by profile: sixteen of what is short, and
   fewer of what becomes long where drivers write its functions out. And which loops over a row a
   driver is asked not to write out: on CPUs those of few elements in all. */
#include "base/arena.h"
#include "check.h"
#include "passes/passes.h"
#include "plan/plan.h"

static const struct {
    const char *type, *element; /* of n0 and n1; n2 is what is summed up */
    const char *profile;
    uint32_t elements;
} cases[] = {
    {"f32", "multiply n0, n1", "nvidia", 16}, {"f32", "multiply n0, n1", "lavapipe", 16},
    {"f32", "exp n0", "nvidia", 16},          {"f32", "exp n0", "lavapipe", 16},
    {"f32", "tanh n0", "nvidia", 16},         {"f32", "tanh n0", "lavapipe", 16},
    {"f32", "sigmoid n0", "nvidia", 16},      {"f32", "rsqrt n0", "nvidia", 16},
    {"f32", "divide n0, n1", "nvidia", 16},   {"f32", "divide n0, n1", "lavapipe", 16},
    {"f32", "erf n0", "nvidia", 16},          {"f32", "sin n0", "nvidia", 16},
    {"f64", "multiply n0, n1", "nvidia", 16}, {"f64", "sin n0", "nvidia", 4},
    {"f64", "sin n0", "lavapipe", 4},         {"f64", "divide n0, n1", "lavapipe", 4},
    {"c64", "divide n0, n1", "nvidia", 4},    {"c64", "divide n0, n1", "lavapipe", 4},
    {"c64", "asin n0", "nvidia", 1},          {"c64", "asin n0", "lavapipe", 1},
    {"c64", "pow n0, n1", "nvidia", 1},       {"c128", "divide n0, n1", "lavapipe", 1},
};

/* Of the only kernel of 1024 rows of 1024; false where there is another. */
static bool straight(const char *text, const char *profile, uint32_t *out, struct diag *d)
{
    struct arena a;
    struct graph g;
    struct plan p = {0};
    struct vkc_target t;
    *d = (struct diag){0};
    arena_init(&a, 0);
    bool ok = vkc_target_named(profile, &t);
    const struct vkc_options options = {.target = &t};
    const struct pass_options passes = {.target = &t};
    ok = ok && ir_parse(&a, text, strlen(text), &g, d) && passes_run(&g, &passes, d) &&
         plan_build(&a, &g, &options, &t, &p, d) && p.nkernels == 1;
    *out = ok ? p.kernels[0].schedule.rows.unroll : 0;
    arena_finish(&a);
    return ok;
}

/* Columns of 16 elements: a loop, since neighbours of a column are not neighbours in memory. */
static void check_loops(const char *profile, int columns, bool stays)
{
    struct arena a;
    struct graph g;
    struct plan p = {0};
    struct vkc_target t;
    struct diag d = {0};
    char text[512];
    snprintf(text, sizeof text,
             "graph \"t\" entry=f0 callbacks=0 func f0(f32[16,%d]) { "
             "n0 = parameter index=0 : f32[16,%d] "
             "n1 = sum n0 axes=[0] keep=false : f32[%d] return n1 }",
             columns, columns, columns);
    arena_init(&a, 0);
    bool ok = vkc_target_named(profile, &t);
    const struct vkc_options options = {.target = &t};
    const struct pass_options passes = {.target = &t};
    ok = ok && ir_parse(&a, text, strlen(text), &g, &d) && passes_run(&g, &passes, &d) &&
         plan_build(&a, &g, &options, &t, &p, &d) && p.nkernels == 1;
    const char *loop = ok ? strstr(p.kernels[0].glsl, "for (uint r = ") : NULL;
    CHECK(loop, "%s: %d columns: no loop: %s", profile, columns, d.message);
    CHECK(!loop || (strncmp(loop - 16, "[[dont_unroll]] ", 16) == 0) == stays,
          "%s: %d columns: %.30s", profile, columns, loop - 16);
    arena_finish(&a);
}

int main(void)
{
    check_loops("lavapipe", 1024, true);
    check_loops("lavapipe", 1025, false);
    check_loops("baseline", 64, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag d;
        uint32_t found;
        const char *t = cases[i].type;
        char text[512];
        snprintf(text, sizeof text,
                 "graph \"t\" entry=f0 callbacks=0 func f0(%s[1024,1024], %s[1024,1024]) { "
                 "n0 = parameter index=0 : %s[1024,1024] n1 = parameter index=1 : %s[1024,1024] "
                 "n2 = %s : %s[1024,1024] n3 = sum n2 axes=[1] keep=false : %s[1024] return n3 }",
                 t, t, t, t, cases[i].element, t, t);
        bool ok = straight(text, cases[i].profile, &found, &d);
        CHECK(ok, "%s: %s: %s", cases[i].profile, text, d.message);
        CHECK(!ok || found == cases[i].elements, "%s: %s of %s: %u elements in place of %u",
              cases[i].profile, cases[i].element, t, found, cases[i].elements);
    }
    return check_report();
}
