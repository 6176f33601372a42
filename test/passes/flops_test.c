/* What the compiler says that a run computes (`flops` of vkr.h, which users divide by the time),
   against what one counts by hand: what is done with an element, for every element, however
   often it stands in straight code. */
#include "base/arena.h"
#include "check.h"
#include "passes/passes.h"
#include "plan/plan.h"

static const struct {
    const char *type, *nodes; /* of n0; n1 is the result */
    bool fast_math;
    uint64_t flops;
} cases[] = {
    {"f32[3,1000]", "n1 = multiply n0, n0 : f32[3,1000]", false, 3000},
    /* an exact sum of two is six additions, and one more keeps what is rounded off */
    {"f32[3,10]", "n1 = sum n0 axes=[1] keep=false : f32[3]", false, 7 * 30},
    {"f32[3,1000]", "n1 = sum n0 axes=[1] keep=false : f32[3]", false, 7 * 3000},
    {"f32[70,4000]", "n1 = sum n0 axes=[1] keep=false : f32[70]", false, 7 * 280000},
    {"f32[70,4001]", "n1 = sum n0 axes=[1] keep=false : f32[70]", true, 280070},
    {"s32[70,4000]", "n1 = sum n0 axes=[1] keep=false : s32[70]", false, 280000},
    {"s32[70,4000]",
     "n2 = multiply n0, n0 : s32[70,4000] n1 = sum n2 axes=[1] keep=false : s32[70]", false,
     2 * 280000},
    /* what is done with a row's sum is done once a row, and before the row's elements */
    {"s32[70,4000]", "n2 = sum n0 axes=[1] keep=false : s32[70] n1 = multiply n2, n2 : s32[70]",
     false, 280000 + 70},
    {"s32[70,4000]",
     "n2 = sum n0 axes=[1] keep=false : s32[70] n3 = multiply n2, n2 : s32[70] "
     "n4 = broadcast n3 axes=[0] : s32[70,4000] n1 = subtract n0, n4 : s32[70,4000]",
     false, 2 * 280000 + 70},
    /* with a product's results once each, however long its sums are */
    {"f32[1024,1024]",
     "n2 = dot n0, n0 contract_a=[1] contract_b=[0] batch_a=[] batch_b=[] : f32[1024,1024] "
     "n1 = add n2, n0 : f32[1024,1024]",
     false, 2ull * 1024 * 1024 * 1024 + 1024 * 1024},
    {"s32[70,4000]", "n1 = argmax n0 axis=1 keep=false tie_break=\"low\" : s32[70]", false, 280000},
};

static bool count(const char *text, bool fast_math, const struct vkc_target *t, uint64_t *out,
                  struct diag *d)
{
    struct arena a;
    struct graph g;
    struct plan p;
    const struct vkc_options options = {.target = t, .fast_math = fast_math};
    const struct pass_options passes = {.target = t, .fast_math = fast_math};
    *d = (struct diag){0};
    *out = 0;
    arena_init(&a, 0);
    bool ok = ir_parse(&a, text, strlen(text), &g, d) && passes_run(&g, &passes, d) &&
              plan_build(&a, &g, &options, t, &p, d);
    for (uint32_t i = 0; ok && i < p.nkernels; i++)
        *out += p.kernels[i].flops;
    arena_finish(&a);
    return ok;
}

int main(void)
{
    for (const struct vkc_profile *p = vkc_profiles; p->name; p++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct diag d;
            struct vkc_target t;
            uint64_t found;
            char text[512];
            snprintf(
                text, sizeof text,
                "graph \"t\" entry=f0 callbacks=0 func f0(%s) { n0 = parameter index=0 : %s %s return n1 }",
                cases[i].type, cases[i].type, cases[i].nodes);
            bool ok =
                vkc_target_named(p->name, &t) && count(text, cases[i].fast_math, &t, &found, &d);
            CHECK(ok, "%s: %s: %s", p->name, text, d.message);
            CHECK(!ok || found == cases[i].flops, "%s: %s: %llu flops, %llu by hand", p->name, text,
                  (unsigned long long)found, (unsigned long long)cases[i].flops);
        }
    return check_report();
}
