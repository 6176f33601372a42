/* Kernels of one identity are one kernel: identity_test GRAPH.json LIST.json ...

   Every graph, also those of lists of cases, is planned twice for some profiles: with the text
   of every kernel, and as a bundle is made, where equal kernels take over what the first of them
   found. Texts of one identity must be the same but for labels and comments, and what was taken
   over must be what generating would have found. */
#include <ctype.h>
#include <errno.h>

#include "base/arena.h"
#include "check.h"
#include "codegen/family/family.h"
#include "import/import.h"
#include "import/json.h"
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

static void make_plan(struct planned *p, const char *text, size_t size, bool is_text,
                      const struct vkc_target *t, bool all_texts, struct diag *d)
{
    const struct vkc_options options = {.target = t, .want_glsl = all_texts};
    const struct pass_options passes = {.target = t};
    *d = (struct diag){0};
    arena_init(&p->arena, 0);
    p->ok = (is_text ? ir_parse(&p->arena, text, size, &p->graph, d)
                     : import_json(&p->arena, text, size, NULL, 0, &p->graph, d)) &&
            passes_run(&p->graph, &passes, d) &&
            plan_build(&p->arena, &p->graph, &options, t, &p->plan, d);
}

/* The text without comments, and with labels counted from 1 in the order in which they appear:
   n12 and n12_1 are n1 and n1_1 if 12 is the first. */
static char *without_labels(const char *text)
{
    enum { MOST = 4096 };
    static unsigned long labels[MOST];
    size_t nlabels = 0, to = 0;
    char *out = malloc(2 * strlen(text) + 64);
    for (const char *p = text; out && *p;) {
        /* buf_n12, tile0_n12, part_n12 */
        bool begins = p == text || !isalnum((unsigned char)p[-1]);
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

static const char *schedule_text(struct arena *a, const struct kernel *k)
{
    const struct schedule *s = &k->schedule;
    struct str out;
    str_init(&out, a);
    str_printf(&out, "%u %ux%ux%u", s->group, s->groups[0], s->groups[1], s->groups[2]);
    if (k->family < KERNEL_GROUP && family_of(k)->print_schedule)
        family_of(k)->print_schedule(k, &out);
    return str_text(&out);
}

/* That kernel i has in both plans what its dispatches are made from. */
static void check_taken(struct arena *a, const char *name, const struct kernel *found,
                        const struct kernel *taken)
{
    bool same = found->nbound == taken->nbound && found->features == taken->features &&
                found->shared_bytes == taken->shared_bytes && found->flops == taken->flops &&
                strcmp(schedule_text(a, found), schedule_text(a, taken)) == 0 &&
                strcmp(found->label, taken->label) == 0;
    for (uint32_t i = 0; same && found->has_identity && i < found->nbound; i++)
        same = same_value(found->bound[i].value, taken->bound[i].value) &&
               found->bound[i].access == taken->bound[i].access;
    CHECK(same, "%s: k%u %s is not what generating it gives", name, found->id, found->label);
}

/* Every kernel so far, of all graphs: a text for each identity of a profile. */
struct entry {
    uint8_t identity[32];
    size_t profile;
    uint64_t text; /* digest without labels */
    char name[256];
};

static struct entry *entries;
static uint32_t nentries, cap_entries; /* a power of two */

static struct entry *entry_of(struct entry *list, uint32_t cap, const struct entry *e)
{
    uint64_t at;
    memcpy(&at, e->identity, sizeof at);
    at += e->profile;
    while (list[at & (cap - 1)].name[0] &&
           (list[at & (cap - 1)].profile != e->profile ||
            memcmp(list[at & (cap - 1)].identity, e->identity, 32) != 0))
        at++;
    return &list[at & (cap - 1)];
}

static bool make_room(void)
{
    uint32_t cap = cap_entries ? 2 * cap_entries : 1024;
    if (2 * nentries < cap_entries)
        return true;
    struct entry *larger = calloc(cap, sizeof *larger);
    for (uint32_t i = 0; larger && i < cap_entries; i++)
        if (entries[i].name[0])
            *entry_of(larger, cap, &entries[i]) = entries[i];
    if (!larger)
        return false;
    free(entries);
    entries = larger;
    cap_entries = cap;
    return true;
}

static uint64_t digest(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

/* Returns how many kernels have an earlier one's identity. */
static unsigned check_texts(const char *name, size_t profile, const struct plan *p)
{
    unsigned equal = 0;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        const struct kernel *k = &p->kernels[i];
        struct entry e = {.profile = profile};
        char *text = k->has_identity ? without_labels(k->glsl) : NULL;
        if (!text)
            continue;
        memcpy(e.identity, k->identity, sizeof e.identity);
        e.text = digest(text);
        snprintf(e.name, sizeof e.name, "%s k%u", name, i);
        if (!make_room())
            exit(2);
        struct entry *known = entry_of(entries, cap_entries, &e);
        CHECK(!known->name[0] || known->text == e.text,
              "%s and %s %s have one identity and two texts", known->name, e.name, k->label);
        equal += known->name[0] != 0;
        nentries += !known->name[0];
        if (!known->name[0])
            *known = e;
        free(text);
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
        CHECK(same && (all.ok || d.code == DIAG_UNSUPPORTED), "%s: %s", name,
              all.ok ? "other kernels" : d.message);
        for (uint32_t k = 0; same && all.ok && k < all.plan.nkernels; k++)
            check_taken(&all.arena, name, &all.plan.kernels[k], &some.plan.kernels[k]);
        equal += same && all.ok ? check_texts(name, i, &all.plan) : 0;
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
    at += (unsigned)snprintf(text, text ? MOST : 0,
                             "graph \"t\" entry=f0 callbacks=0 func f0(f32[32,128]");
    for (int i = 0; text && i < LAYERS; i++)
        at += (unsigned)snprintf(text + at, MOST - at, ", f32[128,128]");
    at += (unsigned)snprintf(text + at, MOST - at, ") { n0 = parameter index=0 : f32[32,128]\n");
    for (int i = 0; text && i < LAYERS; i++, n += 8)
        at += (unsigned)snprintf(
            text + at, MOST - at,
            "n%u = parameter index=%d : f32[128,128]\n"
            "n%u = dot n%u, n%u contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] "
            ": f32[32,128] @\"lib/model.ex:%d\"\n"
            "n%u = tanh n%u : f32[32,128]\nn%u = sum n%u axes=[1] keep=false : f32[32]\n"
            "n%u = broadcast n%u axes=[0] : f32[32,128]\nn%u = divide n%u, n%u : f32[32,128]\n"
            "n%u = transpose n%u axes=[1,0] : f32[128,32]\nn%u = reshape n%u : f32[32,128]\n",
            n, i + 1, n + 1, n - 1, n, i, n + 2, n + 1, n + 3, n + 2, n + 4, n + 3, n + 5, n + 2,
            n + 4, n + 6, n + 5, n + 7, n + 6);
    at += (unsigned)snprintf(text + at, MOST - at, "return n%u }", n - 1);
    equal = text ? run("layers", text, at, true) : 0;
    free(text);
    return equal;
}

/* Two kernels that differ in one thing, which may not be taken for one: a host call stands
   before each, whose outputs are n0 and n1, and n8 and n9. Their values are n4 and n10, and what
   else they store n5 and n11. */
static const struct {
    const char *what, *type, *a, *b, *functions;
} differing[] = {
    {"an op", "f32[40000]", "n4 = exp n0 : f32[40000]", "n10 = tanh n8 : f32[40000]", ""},
    {"an attribute", "f32[200,200]", "n4 = reverse n0 axes=[0] : f32[200,200]",
     "n10 = reverse n8 axes=[1] : f32[200,200]", ""},
    {"the order of inputs", "f32[40000]", "n4 = subtract n0, n1 : f32[40000]",
     "n10 = subtract n9, n8 : f32[40000]", ""},
    {"which inputs are one", "f32[40000]", "n4 = add n0, n0 : f32[40000]",
     "n10 = add n8, n9 : f32[40000]", ""},
    {"an axis", "f32[200,200]", "n4 = sum n0 axes=[1] keep=false : f32[200]",
     "n10 = sum n8 axes=[0] keep=false : f32[200]", ""},
    {"the shape that is read", "f32[40000]",
     "n3 = reshape n0 : f32[100,400] n4 = transpose n3 axes=[1,0] : f32[400,100]",
     "n3 = reshape n8 : f32[400,100] n10 = transpose n3 axes=[1,0] : f32[100,400]", ""},
    {"a constant", "f32[40000]",
     "n2 = constant bits=40000000 : f32[40000] n4 = multiply n0, n2 : f32[40000]",
     "n2 = constant bits=40400000 : f32[40000] n10 = multiply n8, n2 : f32[40000]", ""},
    {"a constant's upper half", "c128[9000]",
     "n2 = constant bits=3ff00000000000003ff0000000000000 : c128[9000] n4 = multiply n0, n2 : c128[9000]",
     "n2 = constant bits=40000000000000003ff0000000000000 : c128[9000] n10 = multiply n8, n2 : c128[9000]",
     ""},
    {"a type", "f32[40000]", "n4 = as_type n0 : s32[40000]", "n10 = as_type n8 : u32[40000]", ""},
    {"a word", "f32[200,200]", "n4 = argmax n0 axis=1 tie_break=\"low\" keep=false : s32[200]",
     "n10 = argmax n8 axis=1 tie_break=\"high\" keep=false : s32[200]", ""},
    {"what is stored", "f32[40000]",
     "n5 = exp n0 : f32[40000] n3 = tanh n5 : f32[40000] n4 = negate n3 : f32[40000]",
     "n3 = exp n8 : f32[40000] n11 = tanh n3 : f32[40000] n10 = negate n11 : f32[40000]", ""},
    {"a function", "f32[200,200]",
     "n4 = reduce n0, n42 axes=[1] keep=false regions=[f1] : f32[200]",
     "n10 = reduce n8, n42 axes=[1] keep=false regions=[f2] : f32[200]",
     "func f1(f32[], f32[]) { n0 = parameter index=0 : f32[] n1 = parameter index=1 : f32[] "
     "n2 = subtract n0, n1 : f32[] return n2 } "
     "func f2(f32[], f32[]) { n0 = parameter index=0 : f32[] n1 = parameter index=1 : f32[] "
     "n2 = subtract n1, n0 : f32[] return n2 }"},
    {"a function's op", "f32[200,200]",
     "n4 = reduce n0, n42 axes=[1] keep=false regions=[f1] : f32[200]",
     "n10 = reduce n8, n42 axes=[1] keep=false regions=[f2] : f32[200]",
     "func f1(f32[], f32[]) { n0 = parameter index=0 : f32[] n1 = parameter index=1 : f32[] "
     "n2 = subtract n0, n1 : f32[] return n2 } "
     "func f2(f32[], f32[]) { n0 = parameter index=0 : f32[] n1 = parameter index=1 : f32[] "
     "n2 = atan2 n0, n1 : f32[] return n2 }"},
    {"what a function returns", "f32[200,200]",
     "n4 = reduce n0, n42 axes=[1] keep=false regions=[f1] : f32[200]",
     "n10 = reduce n8, n42 axes=[1] keep=false regions=[f2] : f32[200]",
     "func f1(f32[], f32[]) { n0 = parameter index=0 : f32[] n1 = parameter index=1 : f32[] return n0 } "
     "func f2(f32[], f32[]) { n0 = parameter index=0 : f32[] n1 = parameter index=1 : f32[] return n1 }"},
};

/* The definitions with every `nK =` given a number of its own in a graph that has those of both. */
static void number_nodes(const char *text, unsigned add, char *out, size_t room)
{
    size_t to = 0;
    for (const char *p = text; *p && to + 16 < room;) {
        bool is_own = p[0] == 'n' && isdigit((unsigned char)p[1]) && strchr("23", p[1]) &&
                      !isdigit((unsigned char)p[2]);
        if (is_own && (p == text || p[-1] == ' ')) {
            to += (size_t)snprintf(out + to, room - to, "n%u", (unsigned)(p[1] - '0') + add);
            p += 2;
        } else {
            out[to++] = *p++;
        }
    }
    out[to] = '\0';
}

static void run_differing(void)
{
    for (size_t i = 0; i < sizeof differing / sizeof *differing; i++) {
        static struct diag d;
        struct vkc_target t;
        struct planned p;
        char text[2048], name[80], a[512], b[512];
        const char *type = differing[i].type, *last = strrchr(differing[i].a, ':') + 2;
        /* the hooked value is the last that is defined */
        bool two = strstr(differing[i].a, "n5 =") != NULL;
        snprintf(name, sizeof name, "two that differ in %s", differing[i].what);
        if (!check_wanted(name) || !vkc_target_named("nvidia", &t))
            continue;
        number_nodes(differing[i].a, 20, a, sizeof a);
        number_nodes(differing[i].b, 30, b, sizeof b);
        snprintf(
            text, sizeof text,
            "graph \"t\" entry=f0 callbacks=2 func f0(%s, %s) { n40 = parameter index=0 : %s "
            "n41 = parameter index=1 : %s n42 = constant bits=00000000 : f32[] "
            "n6 = hook n40, n40, n41 callback=0 seq=0 hooked=1 : %s, %s n0 = reshape n6 : %s n1 = reshape n6.1 : %s "
            "%s n7 = hook %s, n0, n1%s callback=1 seq=1 hooked=1 : %s, %s%s%s "
            "n8 = reshape n7 : %s n9 = reshape n7.1 : %s %s return n10%s } %s",
            type, type, type, type, type, type, type, type, a, two ? "n5" : "n4", two ? ", n4" : "",
            type, type, two ? ", " : "", two ? last : "", type, type, b, two ? ", n11, n7.2" : "",
            differing[i].functions);
        make_plan(&p, text, strlen(text), true, &t, false, &d);
        CHECK(p.ok, "%s: %s", name, d.message);
        const struct kernel *first = NULL, *second = NULL;
        for (uint32_t k = 0; p.ok && k < p.plan.nkernels; k++)
            if (p.plan.kernels[k].has_identity) { /* copies have none */
                second = first ? &p.plan.kernels[k] : NULL;
                first = first ? first : &p.plan.kernels[k];
            }
        CHECK(!p.ok || second, "%s: they are not two kernels", name);
        CHECK(!second || memcmp(first->identity, second->identity, 32) != 0, "%s: they are one",
              name);
        arena_finish(&p.arena);
    }
}

/* As many kernels as there are sizes, each twice: those of a size are equal, and no others. */
static void run_many(void)
{
    enum { SIZES = 140, LEAST = 2000 };
    static struct diag d;
    struct arena a;
    struct planned p;
    struct vkc_target t;
    struct str head, nodes, results;
    arena_init(&a, 0);
    str_init(&head, &a);
    str_init(&nodes, &a);
    str_init(&results, &a);
    for (uint32_t i = 0; i < 2 * SIZES; i++) {
        uint32_t size = LEAST + i % SIZES;
        const char *comma = i ? ", " : "";
        str_printf(&head, "%sf32[%u]", comma, size);
        str_printf(&nodes, "n%u = parameter index=%u : f32[%u] n%u = exp n%u : f32[%u]\n", 2 * i, i,
                   size, 2 * i + 1, 2 * i, size);
        str_printf(&results, "%sn%u", comma, 2 * i + 1);
    }
    const char *text =
        arena_printf(&a, "graph \"t\" entry=f0 callbacks=0 func f0(%s) {\n%sreturn %s }",
                     str_text(&head), str_text(&nodes), str_text(&results));
    if (check_wanted("many") && vkc_target_named("nvidia", &t)) {
        uint32_t equal = 0;
        make_plan(&p, text, strlen(text), true, &t, false, &d);
        for (uint32_t i = 0; p.ok && i < p.plan.nkernels; i++)
            for (uint32_t j = 0; j < i; j++)
                equal += !memcmp(p.plan.kernels[i].identity, p.plan.kernels[j].identity, 32);
        CHECK(p.ok && p.plan.nkernels == 2 * SIZES && equal == SIZES,
              "%u kernels, %u pairs of them equal %s", p.plan.nkernels, equal, d.message);
        arena_finish(&p.arena);
    }
    arena_finish(&a);
}

static unsigned run_file(const char *path)
{
    enum { MOST = 32 << 20 };
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    FILE *f = fopen(path, "rb");
    char *text = malloc(MOST), error[128];
    size_t size = f && text ? fread(text, 1, MOST - 1, f) : 0;
    unsigned equal = 0;
    CHECK(size > 0, "%s: %s", path, strerror(errno));
    if (f)
        fclose(f);
    if (size && text[0] == '[') { /* fixtures: a list of cases, each with its graph */
        struct arena a;
        arena_init(&a, 0);
        const struct json *list = json_parse(&a, text, size, error);
        CHECK(list != NULL, "%s: %s", path, error);
        for (uint32_t i = 0; list && i < list->count; i++) {
            const struct json *graph = json_get(&list->items[i], "graph");
            char name[96];
            snprintf(name, sizeof name, "%.*s#%u", (int)strcspn(base, "."), base, i);
            equal += graph ? run(name, graph->source, graph->size, false) : 0;
        }
        arena_finish(&a);
    } else if (size)
        equal = run(base, text, size, false);
    free(text);
    return equal;
}

int main(int argc, char **argv)
{
    unsigned equal = run_layers();
    for (int i = 1; i < argc; i++)
        equal += run_file(argv[i]);
    CHECK(argc < 2 || getenv("CASE") || equal >= 80, "only %u kernels are equal to another", equal);
    run_differing();
    run_many();
    free(entries);
    return check_report();
}
