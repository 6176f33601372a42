/* Which loads of single elements are of texels: on CPUs whose driver is Mesa's from 25 on, those of
   kernels that have many; before, all; on GPUs none. */
#include <stdio.h>
#include <string.h>

#include "../front/check.h"
#include "vkc.h"

/* The sum of slices of x, none of which begins at a vector. */
static void graph_text(char *out, size_t size, int loads)
{
    int at = snprintf(out, size,
                      "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[8192]) {\n"
                      "  n0 = parameter index=0 : f32[8192]\n");
    for (int i = 1; i <= loads; i++)
        at += snprintf(out + at, size - (size_t)at,
                       "  n%d = slice n0 starts=[%d] lengths=[4000] strides=[1] : f32[4000]\n", i,
                       8 * i + 1);
    for (int i = 2; i <= loads; i++)
        at += snprintf(out + at, size - (size_t)at, "  n%d = add n%d, n%d : f32[4000]\n",
                       loads + i - 1, i == 2 ? 1 : loads + i - 2, i);
    snprintf(out + at, size - (size_t)at, "  return n%d\n}\n", 2 * loads - 1);
}

static bool has_texels(struct check *c, const char *profile, bool loop_limit, int loads)
{
    char text[8192];
    struct vkc_target target;
    struct vkc_result r;
    graph_text(text, sizeof text, loads);
    bool ok = vkc_target_named(profile, &target);
    target.loop_limit = loop_limit;
    struct vkc_options o = {
        .text_ir = true, .no_cache = true, .want_glsl = true, .target = &target};
    ok = ok && vkc_compile(text, strlen(text), NULL, 0, &o, &r);
    check_that(c, ok && r.glsl, "%d loads, %s: %s", loads, profile, r.error.message);
    bool found = ok && strstr(r.glsl, "texelFetch") != NULL;
    vkc_result_free(&r);
    return found;
}

int main(void)
{
    static const struct {
        const char *profile;
        bool loop_limit; /* Mesa before 25 */
        int loads;
        bool texels;
    } cases[] = {{"lavapipe", false, 2, false}, {"lavapipe", false, 11, false},
                 {"lavapipe", false, 12, true}, {"lavapipe", true, 2, true},
                 {"lavapipe", true, 12, true},  {"nvidia", false, 12, false}};
    struct check c = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_that(&c,
                   has_texels(&c, cases[i].profile, cases[i].loop_limit, cases[i].loads) ==
                       cases[i].texels,
                   "%d loads, %s, %s a limit of loops: %s texels", cases[i].loads, cases[i].profile,
                   cases[i].loop_limit ? "with" : "without", cases[i].texels ? "no" : "has");
    return check_finish(&c);
}
