/* What fusion stores of values that several kernels compute (fuse/fuse_share.c): sums that would
   grow from kernel to kernel, and what one kernel would compute again for every element of a
   broadcast. Small ones are computed again. */
#include "planned.h"
#include "base/str.h"

/* x += (x * rsqrt(sum(x^2))) w, `layers` times, of `rows` rows of `width`; w is a parameter. */
static const char *residual(struct arena *a, int layers, int rows, int width)
{
    struct str s;
    char x[32], line[32];
    int id = 10, last = 0;
    snprintf(x, sizeof x, "f32[%d,%d]", rows, width);
    snprintf(line, sizeof line, "f32[%d]", rows);
    str_init(&s, a);
    str_printf(&s, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s, f32[%d,%d]) {\n", x, width,
               width);
    str_printf(&s, "n0 = parameter index=0 : %s\nn1 = parameter index=1 : f32[%d,%d]\n", x, width,
               width);
    for (int i = 0; i < layers; i++, id += 10) {
        str_printf(&s, "n%d = multiply n%d, n%d : %s\n", id, last, last, x);
        str_printf(&s, "n%d = sum n%d axes=[1] keep=false : %s\n", id + 1, id, line);
        str_printf(&s, "n%d = rsqrt n%d : %s\n", id + 2, id + 1, line);
        str_printf(&s, "n%d = broadcast n%d axes=[0] : %s\n", id + 3, id + 2, x);
        str_printf(&s, "n%d = multiply n%d, n%d : %s\n", id + 4, last, id + 3, x);
        str_printf(&s,
                   "n%d = dot n%d, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : %s\n",
                   id + 5, id + 4, x);
        str_printf(&s, "n%d = add n%d, n%d : %s\n", id + 6, last, id + 5, x);
        last = id + 6;
    }
    str_printf(&s, "n%d = sum n%d axes=[1] keep=false : %s\nreturn n%d, n%d\n}\n", id, last, line,
               id, last);
    return str_text(&s);
}

/* The most values of all elements that a kernel which is no product reads. */
static uint32_t most_read(const struct plan *p, int64_t size)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < p->nkernels; k++) {
        uint32_t n = 0;
        const struct func *f = &p->graph->funcs[p->kernels[k].func];
        for (uint32_t i = 0; i < p->kernels[k].nreads && !p->kernels[k].dead; i++)
            n += shape_size(&func_tensor(f, p->kernels[k].reads[i])->shape) == size;
        most = n > most ? n : most;
    }
    return most;
}

/* Whether a kernel stores the node of that label. */
static bool stores(const struct plan *p, uint32_t label)
{
    for (uint32_t k = 0; k < p->nkernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].nroots; i++)
            if (!p->kernels[k].dead &&
                p->graph->funcs[p->kernels[k].func].nodes[p->kernels[k].roots[i].node].label ==
                    label)
                return true;
    return false;
}

/* Of rows normalised by r = rsqrt(sum(x^2)), and the sums of rows and columns of their products:
   n12 is r, which is worth storing. n20 is a negation, which is not. */
static const char *normal(struct arena *a, int rows, int width)
{
    struct str s;
    char x[32], line[32];
    snprintf(x, sizeof x, "f32[%d,%d]", rows, width);
    snprintf(line, sizeof line, "f32[%d]", rows);
    str_init(&s, a);
    str_printf(&s, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s, %s) {\n", x, x);
    str_printf(&s, "n0 = parameter index=0 : %s\nn1 = parameter index=1 : %s\n", x, x);
    str_printf(&s, "n10 = multiply n0, n0 : %s\nn11 = sum n10 axes=[1] keep=false : %s\n", x, line);
    str_printf(&s, "n12 = rsqrt n11 : %s\nn13 = broadcast n12 axes=[0] : %s\n", line, x);
    str_printf(&s, "n14 = multiply n0, n13 : %s\nn15 = multiply n14, n1 : %s\n", x, x);
    str_printf(&s, "n16 = sum n15 axes=[1] keep=false : %s\n", line);
    str_printf(&s, "n17 = sum n15 axes=[0] keep=false : f32[%d]\n", width);
    str_printf(&s, "n20 = negate n16 : %s\nn21 = broadcast n20 axes=[0] : %s\n", line, x);
    str_printf(&s, "n22 = multiply n1, n21 : %s\n", x);
    str_printf(&s, "n23 = sum n22 axes=[1] keep=false : %s\n", line);
    str_printf(&s, "n24 = sum n22 axes=[0] keep=false : f32[%d]\n", width);
    str_printf(&s, "return n16, n17, n23, n24\n}\n");
    return str_text(&s);
}

int main(void)
{
    static const struct {
        const char *profile;
        int layers, rows, width; /* layers: 0: those would be a workgroup program */
        bool stored;
    } cases[] = {{"nvidia", 8, 4096, 256, true},
                 {"nvidia", 3, 1024, 9, false},
                 {"lavapipe", 8, 4096, 256, true},
                 {"lavapipe", 0, 64, 16, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vkc_target target;
        struct plan p;
        struct arena a;
        int rows = cases[i].rows, width = cases[i].width;
        arena_init(&a, 0);
        bool ok = vkc_target_named(cases[i].profile, &target);
        if (ok && cases[i].layers) {
            ok = plan_for(&a, cases[i].profile, &target, residual(&a, cases[i].layers, rows, width),
                          NULL, &p);
            uint32_t most = ok ? most_read(&p, (int64_t)rows * width) : 0;
            CHECK(ok && (most <= 3) == cases[i].stored, "%s: %d x %d: a kernel reads %u",
                  cases[i].profile, rows, width, most);
        }
        ok = ok && plan_for(&a, cases[i].profile, &target, normal(&a, rows, width), NULL, &p);
        CHECK(ok && stores(&p, 12) == cases[i].stored, "%s: %d x %d: 1 / sqrt(x) is %sstored",
              cases[i].profile, rows, width, cases[i].stored ? "not " : "");
        CHECK(ok && !stores(&p, 20), "%s: %d x %d: -x is stored", cases[i].profile, rows, width);
        arena_finish(&a);
    }
    return check_report();
}
