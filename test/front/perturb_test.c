/* The rule by which results are compared: what an honest device may give passes with as many
   samples as that takes, and what no sample allows is wrong by all of them. */
#include "../e2e/perturb_samples.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum { ROWS = 4096, TERMS = 3 };

/* p^3 + p^2 of sums p: next to p = -2/3, where it is least steep, what samples move p by shows
   only in how the steps after it are rounded, and few of them may agree by chance. */
static const char graph[] = "graph \"flat\" entry=f0 callbacks=0\n"
                            "func f0(f32[4096,3]) {\n"
                            "  n0 = parameter index=0 : f32[4096,3]\n"
                            "  n1 = sum n0 axes=[1] keep=false : f32[4096]\n"
                            "  n2 = multiply n1, n1 : f32[4096]\n"
                            "  n3 = add n2, n1 : f32[4096]\n"
                            "  n4 = multiply n3, n1 : f32[4096]\n"
                            "  return n4\n"
                            "}\n";

static float flat(float p)
{
    volatile float square = p * p, sum = square + p; /* no step may be fused with the next */
    return sum * p;
}

/* As a device that adds the terms up from the last. */
static void find(const float *x, float *found)
{
    for (int i = 0; i < ROWS; i++) {
        volatile float sum = x[i * TERMS + 2];
        for (int k = TERMS - 1; k--;)
            sum += x[i * TERMS + k];
        found[i] = flat(sum);
    }
}

static void fill(float *x)
{
    uint32_t random = 1;
    for (int i = 0; i < ROWS; i++) {
        float sum = 0;
        for (int k = 0; k < TERMS - 1; k++) {
            random = random * 1664525u + 1013904223u;
            x[i * TERMS + k] = (float)(random >> 8) / (float)(1 << 24) - 0.5f;
            sum += x[i * TERMS + k];
        }
        x[i * TERMS + TERMS - 1] = -2.0f / 3 - sum;
    }
}

/* The result of perturb_compare with so many samples, of samples that are all there. */
static int64_t wrong_by(const struct perturb_samples *s, uint32_t count, const float *found)
{
    return perturb_compare(perturb_samples_of(s, 0), count, 0, s->kept, found).wrong;
}

static bool begin(struct check *c, struct perturb_samples *s, const struct graph *g,
                  struct arena *a, const struct array *input, uint32_t first)
{
    bool ok = perturb_sample(s, g, a, input, PERTURB_KEEPS, first, PERTURB_SUITE);
    return check_that(c, ok && s->count == first, "%u samples: %s", s->count, s->diag.message);
}

/* Of what passes, with `least` to `most` samples. */
static void check_passes(struct check *c, struct perturb_samples *s, const float *found,
                         const char *what, uint32_t least, uint32_t most)
{
    struct perturb_result r = {0};
    bool ok = perturb_check(s, 0, 0, found, &r);
    check_that(c, ok && r.wrong < 0, "%s is wrong at %lld", what, (long long)r.wrong);
    check_that(c, s->count >= least && s->count <= most, "%s takes %u samples", what, s->count);
}

static void check_wrong(struct check *c, struct perturb_samples *s, float *found, int at)
{
    struct perturb_result r = {0};
    float honest = found[at];
    found[at] *= 1.001f;
    bool ok = perturb_check(s, 0, 0, found, &r);
    check_that(c, ok && r.wrong == at, "element %d is off by a thousandth, and %lld is wrong", at,
               (long long)r.wrong);
    check_that(c, s->count == s->most, "called wrong by %u samples of %u", s->count, s->most);
    found[at] = honest;
}

static void compare(struct check *c, const struct graph *g, struct arena *a,
                    const struct array *input)
{
    enum { DOUBLED = 2 * PERTURB_SAMPLES };
    static struct perturb_samples few, all;
    static float found[ROWS];
    if (!begin(c, &few, g, a, input, PERTURB_SAMPLES) ||
        !begin(c, &all, g, a, input, PERTURB_SUITE))
        return;
    const struct array *samples = perturb_samples_of(&all, 0);
    const float *later = samples[DOUBLED - 1].data;
    find(input->data, found);
    check_that(c,
               wrong_by(&all, PERTURB_SAMPLES, found) >= 0 &&
                   wrong_by(&all, PERTURB_SAMPLES, later) >= 0,
               "the first samples show all that rounding does, so nothing is tested");
    check_passes(c, &few, samples[0].data, "the interpreter", PERTURB_SAMPLES, PERTURB_SAMPLES);
    check_passes(c, &few, later, "a later sample", DOUBLED, DOUBLED);
    check_passes(c, &few, found, "an honest device", DOUBLED, PERTURB_SUITE);
    uint32_t count = few.count;
    for (uint32_t k = 0; k < count; k++)
        check_that(c,
                   memcmp(perturb_samples_of(&few, 0)[k].data, samples[k].data, sizeof found) == 0,
                   "sample %u is another when it is taken later", k);
    check_passes(c, &few, found, "what has passed", count, count);
    check_wrong(c, &few, found, 0);
    check_wrong(c, &few, found, ROWS - 1);
}

int main(void)
{
    static struct diag d;
    static float x[ROWS * TERMS];
    struct check c = {0};
    struct arena a;
    struct graph g;
    arena_init(&a, 0);
    fill(x);
    if (check_that(&c, ir_parse(&a, graph, strlen(graph), &g, &d), "%s", d.message)) {
        struct array input = {g.funcs[g.entry].params[0], x};
        compare(&c, &g, &a, &input);
    }
    arena_finish(&a);
    return check_finish(&c);
}
