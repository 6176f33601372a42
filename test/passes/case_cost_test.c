/* What cases of the sweep cost, as far as it can be counted: case_cost_test [--bless]

   case_costs.tsv names cases of test/sweep, which stand on both sides of the thresholds of every
   kernel family, random graphs of large tensors, as random/SEED/PROFILE, and blocks/ with a name of
   block_graph.h and a profile. Each is planned for
   its profile as it is shipped, with no device and no shader compiled, and costs what the table
   says. Results of the sweep tell a wrong schedule; these numbers tell one that is right and
   slower, and a threshold that moved. The names stay as they are: `make bless` writes the costs
   anew, and leaves out cases that are no longer any. */
#include <errno.h>
#include <inttypes.h>

#include "../sweep/case.h"
#include "base/arena.h"
#include "block_graph.h"
#include "check.h"
#include "import/import.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "random_graph.h"

enum { COSTS = 10, LINE = 400 };
static const char *const cost_names[COSTS] = {
    "kernels",   "dispatches", "barriers",   "bytes moved",  "bytes of scratch memory",
    "additions", "threads",    "workgroups", "shared bytes", "statements"};
static const char path_of_table[] = "test/passes/case_costs.tsv";

static void count(const struct plan *p, uint64_t out[COSTS])
{
    memset(out, 0, COSTS * sizeof *out);
    for (uint32_t i = 0; i < p->nsteps; i++) {
        out[1] += p->steps[i].kind == STEP_DISPATCH;
        out[2] += p->steps[i].barrier;
        out[3] += p->steps[i].bytes;
    }
    out[0] = p->nkernels, out[4] = p->arena_bytes;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        const struct kernel *k = &p->kernels[i];
        uint64_t groups =
            (uint64_t)k->schedule.groups[0] * k->schedule.groups[1] * k->schedule.groups[2];
        out[5] += k->flops;
        out[6] += groups * k->schedule.group;
        out[7] += groups;
        out[8] += k->shared_bytes;
        out[9] += k->statements;
    }
}

/* What a name stands for. */
struct named {
    struct sweep_case c; /* without a family: a random graph, or a block */
    uint64_t seed;
    const char *block; /* or NULL */
    const struct vkc_target *profile;
};

static bool parse_name(const char *name, const struct profiles *p, struct named *out, char *error,
                       size_t room)
{
    static const char random[] = "random/", blocks[] = "blocks/";
    *out = (struct named){0};
    if (strncmp(name, blocks, strlen(blocks)) == 0) {
        const char *slash = strrchr(name, '/');
        uint32_t profile = profiles_find(p, slash + 1);
        out->block = name + strlen(blocks);
        out->profile = profile < p->count ? &p->target[profile] : NULL;
        snprintf(error, room, "no such profile");
        return out->profile != NULL;
    }
    if (strncmp(name, random, strlen(random)) != 0) {
        bool ok = case_parse(name, p, &out->c, error, room);
        out->profile = out->c.profile;
        return ok;
    }
    char *end;
    out->seed = strtoull(name + strlen(random), &end, 10);
    uint32_t profile = *end == '/' ? profiles_find(p, end + 1) : p->count;
    out->profile = profile < p->count ? &p->target[profile] : NULL;
    snprintf(error, room, "no such profile");
    return out->profile != NULL;
}

static bool make_graph(const struct named *n, struct arena *a, struct graph *g, struct diag *d)
{
    enum { LEAST = 12, MORE = 40 };
    static const enum random_mode modes[] = {RANDOM_SUMS, RANDOM_INTEGERS, RANDOM_SUMS,
                                             RANDOM_EXACT_FLOATS};
    struct graph_text text;
    if (n->block) {
        const char *nodes = block_graph_text(a, n->block);
        return nodes && ir_parse(a, nodes, strlen(nodes), g, d) && ir_verify(g, d);
    }
    if (!n->c.family)
        return random_graph_of(a, n->seed, modes[n->seed % 4], LEAST + (uint32_t)(n->seed % MORE),
                               true, g) &&
               ir_verify(g, d);
    const char *json = case_graph(&n->c, a, &text);
    return json && import_json(a, json, strlen(json), NULL, 0, g, d);
}

static bool plan_costs(const struct named *n, uint64_t out[COSTS], struct diag *d)
{
    struct arena a;
    struct graph g;
    struct plan p;
    const struct vkc_options options = {.target = n->profile};
    const struct pass_options passes = {.target = n->profile};
    *d = (struct diag){0};
    arena_init(&a, 0);
    bool ok = make_graph(n, &a, &g, d) && passes_run(&g, &passes, d) &&
              plan_build(&a, &g, &options, n->profile, &p, d);
    if (ok)
        count(&p, out);
    arena_finish(&a);
    return ok;
}

/* The numbers behind the name of a line, which ends where they begin. */
static bool recorded(char *line, uint64_t out[COSTS])
{
    char *at = line + strcspn(line, "\t"), *numbers = at;
    for (int i = 0; at && i < COSTS; i++) {
        char *end;
        out[i] = *at == '\t' ? strtoull(at + 1, &end, 10) : 0;
        at = *at == '\t' && end > at + 1 ? end : NULL;
    }
    bool ok = at && *at == '\n';
    line[strcspn(line, "\t\n")] = '\0';
    return ok && numbers > line;
}

static void run_line(char *line, const struct profiles *profiles, FILE *blessed)
{
    static struct diag d;
    uint64_t known[COSTS], found[COSTS];
    char error[256];
    struct named n;
    bool is_known = recorded(line, known);
    if (!blessed && !check_wanted(line))
        return;
    bool is_case = parse_name(line, profiles, &n, error, sizeof error);
    bool ok = is_case && plan_costs(&n, found, &d);
    if (blessed && ok) {
        fputs(line, blessed);
        for (int i = 0; i < COSTS; i++)
            fprintf(blessed, "\t%" PRIu64, found[i]);
        fputc('\n', blessed);
    } else if (!blessed) {
        CHECK(is_known && ok, "%s: %s", line, !is_case ? error : !ok ? d.message : "no costs");
        for (int i = 0; is_known && ok && i < COSTS; i++)
            CHECK(found[i] == known[i], "%s: %" PRIu64 " %s, were %" PRIu64 "%s", line, found[i],
                  cost_names[i], known[i],
                  found[i] < known[i] ? ": make bless, so that it stays so" : "");
    }
}

static void run_table(char *table, bool bless)
{
    static struct profiles profiles;
    FILE *blessed = bless ? fopen(path_of_table, "wb") : NULL;
    CHECK(!bless || blessed, "%s: %s", path_of_table, strerror(errno));
    for (const struct vkc_profile *p = vkc_profiles; p->name; p++)
        vkc_target_named(p->name, &profiles.target[profiles.count++]);
    for (char *at = table, *next; (!bless || blessed) && *at; at = next) {
        char line[LINE];
        size_t n = strcspn(at, "\n") + 1;
        next = at + (at[n - 1] ? n : n - 1);
        snprintf(line, sizeof line, "%.*s", (int)n, at);
        if (line[0] != '#')
            run_line(line, &profiles, blessed);
        else if (blessed)
            fputs(line, blessed);
    }
    if (blessed)
        CHECK(fclose(blessed) == 0, "%s: %s", path_of_table, strerror(errno));
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 20 };
    FILE *f = fopen(path_of_table, "rb");
    char *table = f ? calloc(1, MOST) : NULL;
    size_t size = table ? fread(table, 1, MOST - 1, f) : 0;
    CHECK(size > 0 && size < MOST - 1, "%s: %s", path_of_table, strerror(errno));
    if (f)
        fclose(f);
    if (size)
        run_table(table, argc > 1 && strcmp(argv[1], "--bless") == 0);
    free(table);
    return check_report();
}
