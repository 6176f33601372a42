/* Kernels of one identity are one kernel: identity_test GRAPH.json ...

   Every graph is planned twice for some profiles: with the text of every kernel, and as a bundle is made, where equal
   kernels take over what the first of them found. Texts of one identity must be the same but for labels and comments,
   and what was taken over must be what generating would have found. */
#include <ctype.h>
#include <errno.h>

#include "base/arena.h"
#include "check.h"
#include "import/import.h"
#include "ir/ir_words.h"
#include "passes/passes.h"
#include "plan/plan.h"

static const char *const profiles[] = {"nvidia", "lavapipe", "baseline"};

struct planned {
    struct arena arena;
    struct graph graph;
    struct plan plan;
    bool ok;
};

static void make_plan(struct planned *p, const char *text, size_t size, bool is_text, const struct vkc_target *t,
                      bool all_texts, struct diag *d)
{
    const struct vkc_options options = {.target = t, .want_glsl = all_texts};
    const struct pass_options passes = {.cpu = t->cpu,
                                        .invocations = t->max_invocations,
                                        .shared_bytes = t->max_shared_bytes};
    *d = (struct diag){0};
    arena_init(&p->arena, 0);
    p->ok = (is_text ? ir_parse(&p->arena, text, size, &p->graph, d)
                     : import_json(&p->arena, text, size, NULL, 0, &p->graph, d)) &&
            passes_run(&p->graph, &passes, d) && plan_build(&p->arena, &p->graph, &options, t, &p->plan, d);
}

/* The text without comments, and with labels counted from 1 in the order in which they appear: n12 and n12_1 are n1
   and n1_1 if 12 is the first. */
static char *without_labels(const char *text)
{
    enum { MOST = 4096 };
    static unsigned long labels[MOST];
    size_t nlabels = 0, to = 0;
    char *out = malloc(2 * strlen(text) + 64);
    for (const char *p = text; out && *p;) {
        bool begins = p == text || !isalnum((unsigned char)p[-1]); /* buf_n12, tile0_n12, part_n12 */
        if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (begins && p[0] == 'n' && isdigit((unsigned char)p[1])) {
            char *end;
            unsigned long label = strtoul(p + 1, &end, 10);
            size_t at = 0;
            while (at < nlabels && labels[at] != label)
                at++;
            if (at == nlabels && nlabels < MOST)
                labels[nlabels++] = label;
            to += (size_t)snprintf(out + to, 16, "n%zu", at + 1);
            p = end;
        } else {
            out[to++] = *p++;
        }
    }
    if (out)
        out[to] = '\0';
    return out;
}

static bool same_value(struct value a, struct value b)
{
    return a.node == b.node && a.out == b.out;
}

/* That kernel i has in both plans what its dispatches are made from. */
static void check_taken(const char *name, const struct kernel *found, const struct kernel *taken)
{
    bool same = found->nbound == taken->nbound && found->features == taken->features &&
                found->shared_bytes == taken->shared_bytes && found->flops == taken->flops &&
                memcmp(found->groups, taken->groups, sizeof found->groups) == 0 &&
                found->schedule.group == taken->schedule.group &&
                found->schedule.row_threads == taken->schedule.row_threads &&
                found->schedule.unroll == taken->schedule.unroll && strcmp(found->label, taken->label) == 0;
    for (uint32_t i = 0; same && found->has_identity && i < found->nbound; i++)
        same = same_value(found->bound[i], taken->bound[i]) && found->access[i] == taken->access[i];
    CHECK(same, "%s: k%u %s is not what generating it gives", name, found->id, found->label);
}

/* Returns how many kernels have an earlier one's identity. */
static unsigned check_texts(const char *name, const struct plan *p)
{
    unsigned equal = 0;
    for (uint32_t i = 0; i < p->nkernels; i++)
        for (uint32_t o = 0; o < i && p->kernels[i].has_identity; o++) {
            const struct kernel *a = &p->kernels[o], *b = &p->kernels[i];
            if (!a->has_identity || memcmp(a->identity, b->identity, sizeof a->identity) != 0)
                continue;
            char *x = without_labels(a->glsl), *y = without_labels(b->glsl);
            CHECK(x && y && strcmp(x, y) == 0, "%s: k%u %s and k%u %s have one identity and two texts", name, a->id,
                  a->label, b->id, b->label);
            free(x);
            free(y);
            equal++;
            break;
        }
    return equal;
}

static unsigned run(const char *base, const char *text, size_t size, bool is_text)
{
    static struct diag d;
    unsigned equal = 0;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct vkc_target t;
        struct planned all, some;
        char name[200];
        snprintf(name, sizeof name, "%.*s %s", (int)strcspn(base, "."), base, profiles[i]);
        if (!check_wanted(name) || !vkc_target_named(profiles[i], &t))
            continue;
        make_plan(&all, text, size, is_text, &t, true, &d);
        make_plan(&some, text, size, is_text, &t, false, &d);
        bool same = all.ok == some.ok && (!all.ok || all.plan.nkernels == some.plan.nkernels);
        CHECK(same && (all.ok || d.code == DIAG_UNSUPPORTED), "%s: %s", name, all.ok ? "other kernels" : d.message);
        for (uint32_t k = 0; same && all.ok && k < all.plan.nkernels; k++)
            check_taken(name, &all.plan.kernels[k], &some.plan.kernels[k]);
        equal += same && all.ok ? check_texts(name, &all.plan) : 0;
        arena_finish(&all.arena);
        arena_finish(&some.arena);
    }
    return equal;
}

/* Layers of one shape: a product, what is done to its elements, and to its rows. */
static unsigned run_layers(void)
{
    enum { LAYERS = 6, MOST = 1 << 16 };
    char *text = malloc(MOST);
    unsigned at = 0, n = 1, equal;
    at += (unsigned)snprintf(text, text ? MOST : 0, "graph \"t\" entry=f0 callbacks=0 func f0(f32[32,128]");
    for (int i = 0; text && i < LAYERS; i++)
        at += (unsigned)snprintf(text + at, MOST - at, ", f32[128,128]");
    at += (unsigned)snprintf(text + at, MOST - at, ") { n0 = parameter index=0 : f32[32,128]\n");
    for (int i = 0; text && i < LAYERS; i++, n += 8)
        at += (unsigned)snprintf(
            text + at, MOST - at,
            "n%u = parameter index=%d : f32[128,128]\n"
            "n%u = dot n%u, n%u contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[32,128] @\"lib/model.ex:%d\"\n"
            "n%u = tanh n%u : f32[32,128]\nn%u = sum n%u axes=[1] keep=false : f32[32]\n"
            "n%u = broadcast n%u axes=[0] : f32[32,128]\nn%u = divide n%u, n%u : f32[32,128]\n"
            "n%u = transpose n%u axes=[1,0] : f32[128,32]\nn%u = reshape n%u : f32[32,128]\n",
            n, i + 1, n + 1, n - 1, n, i, n + 2, n + 1, n + 3, n + 2, n + 4, n + 3, n + 5, n + 2, n + 4, n + 6, n + 5,
            n + 7, n + 6);
    at += (unsigned)snprintf(text + at, MOST - at, "return n%u }", n - 1);
    equal = text ? run("layers", text, at, true) : 0;
    free(text);
    return equal;
}

/* Pairs of kernels that differ in one thing each: none may be taken for the other. */
static const struct { const char *what, *a, *b; } differing[] = {
    {"an op", "exp n0 : f32[40000]", "tanh n5 : f32[40000]"},
    {"an attribute", "reverse n0 axes=[0] : f32[200,200]", "reverse n5 axes=[1] : f32[200,200]"},
    {"the order of inputs", "subtract n0, n1 : f32[40000]", "subtract n5.1, n5 : f32[40000]"},
    {"which inputs are one", "add n0, n0 : f32[40000]", "add n5, n5.1 : f32[40000]"},
    {"a shape", "sum n0 axes=[1] keep=false : f32[200]", "sum n5 axes=[0] keep=false : f32[200]"},
    {"a constant", "multiply n0, n2 : f32[40000]", "multiply n5, n3 : f32[40000]"},
    {"a type", "as_type n0 : s32[40000]", "as_type n5 : u32[40000]"},
};

static void run_differing(void)
{
    for (size_t i = 0; i < sizeof differing / sizeof *differing; i++) {
        static struct diag d;
        struct vkc_target t;
        struct planned p;
        char text[1024], name[80];
        const char *shape = strstr(differing[i].a, "axes") ? "f32[200,200]" : "f32[40000]";
        snprintf(name, sizeof name, "two that differ in %s", differing[i].what);
        if (!check_wanted(name) || !vkc_target_named("nvidia", &t))
            continue;
        /* each in a kernel of its own, since a host call stands between them, which passes n0 and n1 on as n5 and n5.1 */
        snprintf(text, sizeof text,
                 "graph \"t\" entry=f0 callbacks=1 func f0(%s, %s) { n0 = parameter index=0 : %s "
                 "n1 = parameter index=1 : %s n2 = constant bits=40000000 : %s n3 = constant bits=40400000 : %s "
                 "n4 = %s n5 = hook n4, n0, n1 callback=0 seq=0 hooked=1 : %s, %s n6 = %s return n6 }",
                 shape, shape, shape, shape, shape, shape, differing[i].a, shape, shape, differing[i].b);
        make_plan(&p, text, strlen(text), true, &t, false, &d);
        CHECK(p.ok, "%s: %s", name, d.message);
        const struct kernel *first = NULL, *second = NULL;
        for (uint32_t k = 0; p.ok && k < p.plan.nkernels; k++)
            if (p.plan.kernels[k].has_identity) { /* copies have none */
                second = first ? &p.plan.kernels[k] : NULL;
                first = first ? first : &p.plan.kernels[k];
            }
        CHECK(!p.ok || second, "%s: they are no two kernels", name);
        CHECK(!second || memcmp(first->identity, second->identity, 32) != 0, "%s: they are one", name);
        arena_finish(&p.arena);
    }
}

int main(int argc, char **argv)
{
    unsigned equal = 0;
    for (int i = 1; i < argc; i++) {
        const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
        FILE *f = fopen(argv[i], "rb");
        enum { MOST = 8 << 20 };
        char *text = malloc(MOST);
        size_t size = f && text ? fread(text, 1, MOST - 1, f) : 0;
        CHECK(size > 0, "%s: %s", argv[i], strerror(errno));
        equal += size ? run(base, text, size, false) : 0;
        if (f)
            fclose(f);
        free(text);
    }
    equal += run_layers();
    CHECK(argc < 2 || getenv("CASE") || equal >= 30, "only %u kernels are equal to another", equal);
    run_differing();
    return check_report();
}
