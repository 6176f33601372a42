/* What fusion and schedule make of small programs, counted: kernels, and how the one with most
   invocations is spread over workgroups and threads (schedule_cases.h). Programs are planned for
   shipped profiles; no shader is compiled. */
#include <string.h>

#include "planned.h"
#include "schedule_cases.h"
#include "base/str.h"
#include "codegen/family/schedule.h"

static struct cancel *cancel; /* what planning asks, or NULL */

static bool plan_of(struct arena *a, const char *name, const char *profile, const char *text,
                    struct plan *p)
{
    static struct vkc_target target;
    bool ok = vkc_target_named(profile, &target);
    CHECK(ok, "%s: no profile %s", name, profile);
    return ok && plan_for(a, name, &target, text, cancel, p);
}

static const char *text_of(struct arena *a, const struct schedule_case *c)
{
    struct str head, nodes;
    uint32_t count = 0;
    str_init(&head, a);
    str_init(&nodes, a);
    for (const char *p = c->params; *p; count++) {
        int n = (int)strcspn(p, " ");
        str_printf(&head, "%s%.*s", count ? ", " : "", n, p);
        str_printf(&nodes, "n%u = parameter index=%u : %.*s\n", count, count, n, p);
        p += n + (p[n] == ' ');
    }
    return arena_printf(a, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s) {\n%s%s\n}\n",
                        str_text(&head), str_text(&nodes), c->nodes);
}

static uint64_t invocations(const struct kernel *k)
{
    return (uint64_t)k->schedule.groups[0] * k->schedule.groups[1] * k->schedule.groups[2] *
           k->schedule.group;
}

/* Threads that share a row or a line; 0: there are none. */
static uint32_t row_threads(const struct kernel *k)
{
    switch (k->family) {
    case FAMILY_ROWS: return k->schedule.rows.row_threads;
    case FAMILY_FOURIER: return k->schedule.fourier.line_threads;
    default: return 0;
    }
}

static void check_case(const struct schedule_case *c)
{
    struct arena a;
    struct plan p;
    arena_init(&a, 0);
    if (plan_of(&a, c->name, c->profile, text_of(&a, c), &p)) {
        const struct kernel *most = &p.kernels[0];
        for (uint32_t i = 1; i < p.nkernels; i++)
            if (invocations(&p.kernels[i]) > invocations(most))
                most = &p.kernels[i];
        const struct schedule *s = &most->schedule;
        const struct spread *w = &c->spread;
        CHECK(p.nkernels == c->kernels, "%s: %u kernels, not %u", c->name, p.nkernels, c->kernels);
        CHECK(most->family == c->family, "%s: %s", c->name, most->label);
        CHECK(s->groups[0] == w->groups[0] && s->groups[1] == w->groups[1] &&
                  s->group == w->group && row_threads(most) == w->row_threads,
              "%s: %u x %u workgroups of %u, %u a row; not %u x %u of %u, %u a row", c->name,
              s->groups[0], s->groups[1], s->group, row_threads(most), w->groups[0], w->groups[1],
              w->group, w->row_threads);
    }
    arena_finish(&a);
}

/* Fusion tries what fits together by writing it; of a try nothing stays. 40 sums of the same
   rows are two kernels and hundreds of tries. */
static void check_memory(void)
{
    /* they take 16 KB each, and would take 190 with every try */
    enum { SUMS = 40, BYTES_A_NODE = 48 << 10 };
    struct arena a, texts;
    struct plan p;
    struct str s;
    arena_init(&a, 0);
    arena_init(&texts, 0);
    str_init(&s, &texts);
    str_add(
        &s,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[600,100]) {\nn0 = parameter index=0 : f32[600,100]\n");
    for (uint32_t i = 0; i < SUMS; i++) {
        uint32_t n = 4 * i + 1;
        str_printf(
            &s, "n%u = constant bits=%08x : f32[600,100]\nn%u = multiply n0, n%u : f32[600,100]\n",
            n, 0x40000000 + (i << 16), n + 1, n);
        str_printf(&s,
                   "n%u = sin n%u : f32[600,100]\nn%u = sum n%u axes=[1] keep=false : f32[600]\n",
                   n + 2, n + 1, n + 3, n + 2);
    }
    for (uint32_t i = 0; i < SUMS; i++)
        str_printf(&s, "%s n%u", i ? "," : "return", 4 * i + 4);
    str_add(&s, "\n}\n");
    if (plan_of(&a, "memory", "nvidia", str_text(&s), &p))
        CHECK(a.used < (size_t)4 * SUMS * BYTES_A_NODE, "a plan of %d nodes takes %zu bytes",
              4 * SUMS, a.used);
    arena_finish(&a);
    arena_finish(&texts);
}

/* As much code as drivers compile in a second is one kernel: 270 guarded loads, of 11 additions'
   worth each. */
static void check_code(void)
{
    enum { LOADS = 270, ELEMENTS = 20000 };
    struct arena a, texts;
    struct plan p;
    struct str s;
    arena_init(&a, 0);
    arena_init(&texts, 0);
    str_init(&s, &texts);
    str_printf(
        &s,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[%d]) {\nn0 = parameter index=0 : f32[%d]\n"
        "n1 = constant bits=00000000 : f32[]\n",
        ELEMENTS, ELEMENTS);
    uint32_t sum[2] = {0, 0}; /* two, so that neither is too deep */
    for (uint32_t i = 0; i < LOADS; i++) {
        uint32_t n = 3 * i + 2, left = ELEMENTS - 1 - i;
        str_printf(&s, "n%u = slice n0 starts=[0] lengths=[%u] strides=[1] : f32[%u]\n", n, left,
                   left);
        str_printf(&s, "n%u = pad n%u, n1 lo=[%u] hi=[0] interior=[0] : f32[%d]\n", n + 1, n, i + 1,
                   ELEMENTS);
        str_printf(&s, "n%u = add n%u, n%u : f32[%d]\n", n + 2, sum[i % 2], n + 1, ELEMENTS);
        sum[i % 2] = n + 2;
    }
    str_printf(&s, "n%d = multiply n%u, n%u : f32[%d]\nreturn n%d\n}\n", 3 * LOADS + 2, sum[0],
               sum[1], ELEMENTS, 3 * LOADS + 2);
    if (plan_of(&a, "code", "nvidia", str_text(&s), &p))
        CHECK(p.nkernels == 1, "%d loads: %u kernels", LOADS, p.nkernels);
    arena_finish(&a);
    arena_finish(&texts);
}

/* What two kernels would compute is stored once, where that takes less time: the sum of two sines,
   which both go into, and the sine of which both take another function. */
static void check_shared(void)
{
    static const struct {
        const char *name, *type, *nodes;
        uint32_t stored;
    } graphs[] = {
        {"shared sum", "f32[300,700]",
         "n2 = sin n0 : f32[300,700]\nn3 = sin n1 : f32[300,700]\nn4 = add n2, n3 : f32[300,700]\n"
         "n5 = sum n4 axes=[1] keep=false : f32[300]\nn6 = sum n4 axes=[0] keep=false : f32[700]\n",
         1},
        {"shared sine", "f32[300,700]",
         "n2 = sin n0 : f32[300,700]\nn3 = add n2, n1 : f32[300,700]\n"
         "n4 = multiply n2, n1 : f32[300,700]\nn5 = sum n3 axes=[1] keep=false : f32[300]\n"
         "n6 = sum n4 axes=[0] keep=false : f32[700]\n",
         1},
        {"shared sine of a sine", "f32[300,700]",
         "n2 = sin n0 : f32[300,700]\nn3 = sin n2 : f32[300,700]\nn4 = add n3, n1 : f32[300,700]\n"
         "n5 = sum n4 axes=[1] keep=false : f32[300]\nn6 = sum n3 axes=[0] keep=false : f32[700]\n",
         1},
        /* a sine that is read with its operand saves more than the bytes of f64 cost, and an
           exponential does not */
        {"shared sine of doubles", "f64[300,700]",
         "n2 = sin n0 : f64[300,700]\nn3 = add n2, n0 : f64[300,700]\n"
         "n4 = multiply n2, n0 : f64[300,700]\nn5 = sum n3 axes=[1] keep=false : f64[300]\n"
         "n6 = sum n4 axes=[0] keep=false : f64[700]\n",
         1},
        {"shared exponential of doubles", "f64[300,700]",
         "n2 = exp n0 : f64[300,700]\nn3 = add n2, n0 : f64[300,700]\n"
         "n4 = multiply n2, n0 : f64[300,700]\nn5 = sum n3 axes=[1] keep=false : f64[300]\n"
         "n6 = sum n4 axes=[0] keep=false : f64[700]\n",
         0},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        struct arena a;
        struct plan p;
        uint32_t stored = 0;
        arena_init(&a, 0);
        const char *text = arena_printf(&a,
                                        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s, %s) {\n"
                                        "n0 = parameter index=0 : %s\nn1 = parameter index=1 : %s\n"
                                        "%sreturn n5, n6\n}\n",
                                        graphs[i].type, graphs[i].type, graphs[i].type,
                                        graphs[i].type, graphs[i].nodes);
        if (plan_of(&a, graphs[i].name, "nvidia", text, &p)) {
            for (uint32_t b = 0; b < p.nbuffers; b++)
                stored += p.buffers[b].kind == PLAN_SCRATCH && p.buffers[b].elements == 300 * 700;
            CHECK(p.nkernels == 2 && stored == graphs[i].stored, "%s: %u kernels, %u values stored",
                  graphs[i].name, p.nkernels, stored);
        }
        arena_finish(&a);
    }
}

/* Arithmetic between transforms is part of the first one's kernel, and so read and computed once
   for all that follow; not where it has another size. */
static void check_epilogue(void)
{
    static const struct {
        const char *name, *nodes;
        uint32_t readers; /* of the factor */
    } graphs[] = {
        {"a factor between transforms",
         "n3 = multiply n2, n1 : c64[64,64]\nn4 = fft n3 axis=0 length=64 : c64[64,64]\n"
         "n5 = ifft n3 axis=1 length=64 : c64[64,64]\nreturn n4, n5\n",
         1},
        {"a factor of a part",
         "n6 = slice n2 starts=[0,0] lengths=[32,64] strides=[1,1] : c64[32,64]\n"
         "n7 = slice n1 starts=[0,0] lengths=[32,64] strides=[1,1] : c64[32,64]\n"
         "n3 = multiply n6, n7 : c64[32,64]\nn4 = fft n3 axis=0 length=32 : c64[32,64]\n"
         "n5 = ifft n3 axis=1 length=64 : c64[32,64]\nreturn n4, n5\n",
         2},
        {"a factor before transforms",
         "n3 = multiply n0, n1 : c64[64,64]\nn4 = fft n3 axis=0 length=64 : c64[64,64]\n"
         "n5 = ifft n3 axis=1 length=64 : c64[64,64]\nreturn n2, n4, n5\n",
         2},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        struct arena a;
        struct plan p;
        uint32_t readers = 0;
        arena_init(&a, 0);
        const char *text = arena_printf(
            &a,
            "graph \"t\" entry=f0 callbacks=0\nfunc f0(c64[64,64], c64[64,64]) {\n"
            "n0 = parameter index=0 : c64[64,64]\nn1 = parameter index=1 : c64[64,64]\n"
            "n2 = fft n0 axis=1 length=64 : c64[64,64]\n%s}\n",
            graphs[i].nodes);
        if (plan_of(&a, graphs[i].name, "nvidia", text, &p)) {
            for (uint32_t s = 0; s < p.nsteps; s++)
                for (uint32_t j = 0; j < p.steps[s].nbuffers; j++) {
                    const struct plan_buffer *b = &p.buffers[p.steps[s].buffers[j]];
                    readers += b->kind == PLAN_INPUT && b->index == 1;
                }
            CHECK(p.nkernels == 3 && readers == graphs[i].readers,
                  "%s: %u kernels, of which %u read it", graphs[i].name, p.nkernels, readers);
        }
        arena_finish(&a);
    }
}

/* ---- work of fusion ---- */

static bool count_poll(void *context)
{
    ++*(uint64_t *)context;
    return false;
}

/* How often planning asks whether it is cancelled, which it does before it measures a kernel: of
   `apart` transforms, before functions that are more code than their kernel should have, and
   `joined` ones, whose results are negated on the way. */
static uint64_t polls_of(uint32_t apart, uint32_t joined)
{
    uint64_t polls = 0;
    struct cancel counting = {.is_cancelled = count_poll, .context = &polls};
    struct arena a;
    struct plan p;
    struct str head, body, results;
    uint32_t n = apart + joined;
    arena_init(&a, 0);
    str_init(&head, &a);
    str_init(&body, &a);
    str_init(&results, &a);
    for (uint32_t i = 0; i < n; i++) {
        const char *type = arena_printf(&a, "c64[%u,64]", 100 + i);
        str_printf(&head, "%s%s", i ? ", " : "", type);
        str_printf(&body, "n%u = parameter index=%u : %s\n", i, i, type);
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *type = arena_printf(&a, "c64[%u,64]", 100 + i);
        uint32_t at = n + 3 * i;
        str_printf(&body, "n%u = fft n%u axis=1 length=64 : %s\n", at, i, type);
        if (i < apart)
            str_printf(&body, "n%u = exp n%u : %s\nn%u = atan n%u : %s\n", at + 1, at, type, at + 2,
                       at + 1, type);
        else
            str_printf(&body, "n%u = negate n%u : %s\n", at + 2, at, type);
        str_printf(&results, "%s n%u", i ? "," : "", at + 2);
    }
    const char *text =
        arena_printf(&a, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s) {\n%sreturn%s\n}\n",
                     str_text(&head), str_text(&body), str_text(&results));
    cancel = &counting;
    if (plan_of(&a, "polls", "nvidia", text, &p))
        CHECK(p.nkernels == 2 * apart + joined, "%u and %u transforms: %u kernels", apart, joined,
              p.nkernels);
    cancel = NULL;
    arena_finish(&a);
    return polls;
}

/* A trial that fails is not made again: each of two kernels that stay apart is measured, written
   and dispatched, and their trial is one question more. What others there are changes nothing. */
static void check_refused(void)
{
    enum { MOST = 9 };
    uint64_t one = polls_of(1, 1), five = polls_of(5, 1), nine = polls_of(9, 1);
    CHECK(nine - five == five - one && five - one <= 4 * MOST,
          "4 pairs of kernels that stay apart are %llu questions, and 4 more %llu",
          (unsigned long long)(five - one), (unsigned long long)(nine - five));
    CHECK(polls_of(5, 5) - polls_of(1, 5) == five - one, "not with other kernels around");
}

/* ---- kernels, counted ---- */

/* Kernels of a graph of two tensors of one type for NVIDIA's profile, or 0 after a failed check. */
static uint32_t kernels_of(const char *name, const char *type, const char *nodes)
{
    struct arena a;
    struct plan p;
    arena_init(&a, 0);
    const char *text = arena_printf(&a,
                                    "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s, %s) {\n"
                                    "n0 = parameter index=0 : %s\nn1 = parameter index=1 : %s\n"
                                    "%s\n}\n",
                                    type, type, type, type, nodes);
    uint32_t n = plan_of(&a, name, "nvidia", text, &p) ? p.nkernels : 0;
    arena_finish(&a);
    return n;
}

#define T1024 "f32[1024,1024]"
#define DOT1024 "contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : " T1024 "\n"

/* A product reads an element of an operand many times: four additions are made again at every
   load, and what takes five is stored by a kernel of its own. */
static void check_redone(void)
{
#define FOUR                                                                              \
    "n2 = constant bits=3f9d70a4 : " T1024 "\nn3 = add n0, n2 : " T1024                   \
    "\nn4 = multiply n3, n2 : " T1024 "\nn5 = add n4, n2 : " T1024 "\nn6 = multiply n5, " \
    "n2 : " T1024 "\n"
    uint32_t plain = kernels_of("an operand", T1024, "n7 = dot n0, n1 " DOT1024 "return n7"),
             four =
                 kernels_of("four additions", T1024, FOUR "n7 = dot n6, n1 " DOT1024 "return n7"),
             five = kernels_of("five additions", T1024,
                               FOUR "n7 = add n6, n2 : " T1024 "\nn8 = dot n7, n1 " DOT1024
                                    "return n8");
    CHECK(plain && four == plain && five == plain + 1,
          "%u kernels, with four additions before it %u, with five %u", plain, four, five);
}

/* What reads one tensor is one kernel of a device with eight buffers, also after a refusal: that of
   a product of seven tensors, which has them all to itself. */
static void check_siblings(void)
{
    enum { FACTORS = 7, BUFFERS = FACTORS + 1 };
    struct vkc_target target;
    struct arena a;
    struct plan p;
    struct str head, s;
    arena_init(&a, 0);
    str_init(&head, &a);
    str_init(&s, &a);
    for (uint32_t i = 0; i < FACTORS; i++) {
        str_printf(&head, "%sf32[5000]", i ? ", " : "");
        str_printf(&s, "n%u = parameter index=%u : f32[5000]\n", i, i);
    }
    static const char *const functions[] = {"sin", "cos", "exp", "tanh"};
    for (uint32_t i = 0; i < 4; i++)
        str_printf(&s, "n%u = %s n0 : f32[5000]\n", 10 + i, functions[i]);
    for (uint32_t i = 1; i < FACTORS; i++)
        str_printf(&s, "n%u = multiply n%u, n%u : f32[5000]\n", 20 + i, i == 1 ? 0 : 19 + i, i);
    const char *text =
        arena_printf(&a,
                     "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s) {\n%s"
                     "n30 = sqrt n0 : f32[5000]\nreturn n10, n11, n12, n13, n%u, n30\n}\n",
                     str_text(&head), str_text(&s), 19 + FACTORS);
    CHECK(vkc_target_named("nvidia", &target), "the profile");
    target.max_bindings = BUFFERS;
    if (plan_for(&a, "siblings", &target, text, NULL, &p))
        CHECK(p.nkernels == 2, "%u kernels", p.nkernels);
    arena_finish(&a);
}

/* A kernel has 1500 nodes at most: the sum of 500 products with numbers is one, and that of 502
   is more. */
static void check_nodes(void)
{
    for (uint32_t terms = 500; terms <= 502; terms += 2) {
        struct arena a;
        struct str s;
        uint32_t n = 2;
        arena_init(&a, 0);
        uint32_t *sums = ARENA_ARRAY(&a, uint32_t, terms);
        str_init(&s, &a);
        for (uint32_t i = 0; sums && i < terms; i++, n += 2) {
            str_printf(&s, "n%u = constant bits=%08x : f32[1000]\n", n, 0x40000000 + i * 1000);
            str_printf(&s, "n%u = multiply n%u, n%u : f32[1000]\n", n + 1, i % 2, n);
            sums[i] = n + 1;
        }
        for (uint32_t left = terms; sums && left > 1; left = (left + 1) / 2) /* no deep tree */
            for (uint32_t i = 0; i < left; i += 2) {
                if (i + 1 < left)
                    str_printf(&s, "n%u = add n%u, n%u : f32[1000]\n", n, sums[i], sums[i + 1]);
                sums[i / 2] = i + 1 < left ? n++ : sums[i];
            }
        str_printf(&s, "return n%u", n - 1);
        uint32_t kernels = kernels_of("nodes", "f32[1000]", str_text(&s));
        CHECK(terms == 500 ? kernels == 1 : kernels > 1, "%u nodes: %u kernels", 3 * terms - 1,
              kernels);
        arena_finish(&a);
    }
}

/* Barriers in the code on matrix units of a product with so many steps of k, or 0. */
static uint32_t barriers_of(uint32_t steps)
{
    enum { STEP = 64 };
    struct arena a;
    struct plan p;
    uint32_t barriers = 0, k = steps * STEP;
    arena_init(&a, 0);
    const char *text = arena_printf(
        &a,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f16[1024,%u], f16[%u,1024]) {\n"
        "n0 = parameter index=0 : f16[1024,%u]\nn1 = parameter index=1 : f16[%u,1024]\n"
        "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f16[1024,1024]\n"
        "return n2\n}\n",
        k, k, k, k);
    if (plan_of(&a, "steps", "nvidia", text, &p))
        for (const struct kernel *x = &p.kernels[0]; x; x = x->variant)
            for (const char *at = x->matrix ? x->glsl : NULL;
                 at && (at = strstr(at, "barrier();")) != NULL; at++)
                barriers++;
    arena_finish(&a);
    return barriers;
}

/* A product's loop makes two steps a turn, from 17 on, and one that is left stands behind it, as
   the last of two does. A step has two barriers. */
static void check_steps(void)
{
    uint32_t one = barriers_of(1), two = barriers_of(2), most = barriers_of(16),
             odd = barriers_of(17), even = barriers_of(18);
    CHECK(one > 0 && two == one + 2 && most == one && odd == one + 4 && even == one + 2,
          "%u barriers in one step of k, %u in two, %u in 16, %u in 17, %u in 18", one, two, most,
          odd, even);
}

/* Powers of two on both sides of each, and at the most there may be. */
static void check_powers(void)
{
    for (uint32_t p = 1; p <= 1024; p *= 2) {
        CHECK(schedule_floor(p, 1024) == p && schedule_floor(p, p) == p, "%u itself", p);
        CHECK(schedule_ceil(p, 1024) == p && schedule_ceil(p, p) == p, "%u itself", p);
        CHECK(schedule_floor(2 * p - 1, 1024) == p, "the floor of %u", 2 * p - 1);
        CHECK(schedule_floor(2 * (int64_t)p, p) == p && schedule_ceil(2 * (int64_t)p, p) == p,
              "at most %u", p);
        CHECK(schedule_ceil(p + 1, 2048) == 2 * p, "above %u", p);
        CHECK(schedule_floor(INT64_MAX, p) == p && schedule_floor(2 * p, 2 * p - 1) == p,
              "at most %u, of any number", p);
    }
    CHECK(schedule_floor(0, 64) == 1 && schedule_ceil(0, 64) == 1, "of nothing");
}

int main(void)
{
    if (check_wanted("powers"))
        check_powers();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (check_wanted(cases[i].name))
            check_case(&cases[i]);
    if (check_wanted("refused"))
        check_refused();
    if (check_wanted("memory"))
        check_memory();
    if (check_wanted("code"))
        check_code();
    if (check_wanted("shared"))
        check_shared();
    if (check_wanted("epilogue"))
        check_epilogue();
    if (check_wanted("redone"))
        check_redone();
    if (check_wanted("siblings"))
        check_siblings();
    if (check_wanted("nodes"))
        check_nodes();
    if (check_wanted("steps"))
        check_steps();
    return check_report();
}
