/* What a run costs, as far as it can be counted: cost_test [--bless] GRAPH.json ...

   Every graph is planned for every shipped profile, with no device and no shader compiled.
   costs.tsv has, for each, the kernels, dispatches, barriers, bytes of global memory that are
   read or written, bytes of scratch memory, and of all kernels the additions and the threads.
   More of any is a failure: something is computed twice, stored for nothing, or fused no longer.
   So is less, until `make bless` writes it down, for review: it is progress, or a rule that fusion
   does not follow any more. */
#include <errno.h>
#include <inttypes.h>

#include "base/arena.h"
#include "check.h"
#include "import/import.h"
#include "passes/passes.h"
#include "plan/plan.h"

enum { COSTS = 7 };
static const char *const cost_names[COSTS] = {
    "kernels",   "dispatches", "barriers", "bytes moved", "bytes of scratch memory",
    "additions", "threads"};
static const char path_of_table[] = "test/passes/costs.tsv";

static char *read_file(const char *path, size_t *out_size)
{
    enum { MOST = 8 << 20 };
    FILE *f = fopen(path, "rb");
    char *data = f ? malloc(MOST) : NULL;
    *out_size = data ? fread(data, 1, MOST - 1, f) : 0;
    if (f)
        fclose(f);
    if (data)
        data[*out_size] = '\0';
    return data;
}

static bool plan_costs(const char *json, size_t size, const struct vkc_target *t,
                       uint64_t out[COSTS], struct diag *d)
{
    struct arena a;
    struct graph g;
    struct plan p;
    const struct vkc_options options = {.target = t};
    const struct pass_options passes = {.target = t};
    *d = (struct diag){0};
    arena_init(&a, 0);
    bool ok = import_json(&a, json, size, NULL, 0, &g, d) && passes_run(&g, &passes, d) &&
              plan_build(&a, &g, &options, t, &p, d);
    memset(out, 0, COSTS * sizeof *out);
    for (uint32_t i = 0; ok && i < p.nsteps; i++) {
        out[1] += p.steps[i].kind == STEP_DISPATCH;
        out[2] += p.steps[i].barrier;
        out[3] += p.steps[i].bytes;
    }
    if (ok)
        out[0] = p.nkernels, out[4] = p.arena_bytes;
    for (uint32_t i = 0; ok && i < p.nkernels; i++) {
        const struct schedule *s = &p.kernels[i].schedule;
        out[5] += p.kernels[i].flops;
        out[6] += (uint64_t)s->groups[0] * s->groups[1] * s->groups[2] * s->group;
    }
    arena_finish(&a);
    return ok;
}

/* The numbers behind "NAME<tab>" in the table. */
static bool recorded(const char *table, const char *name, uint64_t out[COSTS])
{
    size_t n = strlen(name);
    const char *at = table;
    while (at && !(strncmp(at, name, n) == 0 && at[n] == '\t'))
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    at = at ? at + n : NULL;
    for (int i = 0; at && i < COSTS; i++) {
        char *end;
        out[i] = *at == '\t' ? strtoull(at + 1, &end, 10) : 0;
        at = *at == '\t' && end > at + 1 ? end : NULL;
    }
    return at && *at == '\n';
}

static void check_costs(const char *name, const char *table, const uint64_t found[COSTS])
{
    uint64_t known[COSTS];
    bool is_known = recorded(table, name, known);
    CHECK(is_known, "%s: is not in %s; make bless writes it there", name, path_of_table);
    for (int i = 0; is_known && i < COSTS; i++)
        CHECK(found[i] == known[i], "%s: %" PRIu64 " %s, were %" PRIu64 "%s", name, found[i],
              cost_names[i], known[i],
              found[i] < known[i] ? ": make bless, so that it stays so" : "");
}

static void run_graph(const char *path, const char *table, FILE *blessed)
{
    static struct diag d;
    size_t size;
    uint64_t found[COSTS];
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *json = read_file(path, &size);
    CHECK(json != NULL, "%s: %s", path, strerror(errno));
    for (const struct vkc_profile *p = vkc_profiles; json && p->name; p++) {
        struct vkc_target t;
        char name[200];
        snprintf(name, sizeof name, "%.*s\t%s", (int)strcspn(base, "."), base, p->name);
        if (!check_wanted(name))
            continue;
        bool ok = vkc_target_named(p->name, &t) && plan_costs(json, size, &t, found, &d);
        bool is_refused =
            /* f64, large buffers */
            !ok && d.code == DIAG_UNSUPPORTED && (blessed || !recorded(table, name, found));
        CHECK(ok || is_refused, "%s: there is no plan: %s", name, d.message);
        if (ok && blessed) {
            fputs(name, blessed);
            for (int i = 0; i < COSTS; i++)
                fprintf(blessed, "\t%" PRIu64, found[i]);
            fputc('\n', blessed);
        } else if (ok) {
            check_costs(name, table, found);
        }
    }
    free(json);
}

int main(int argc, char **argv)
{
    bool bless = argc > 1 && strcmp(argv[1], "--bless") == 0;
    size_t size;
    char *table = bless ? NULL : read_file(path_of_table, &size);
    FILE *blessed = bless ? fopen(path_of_table, "wb") : NULL;
    CHECK(bless ? blessed != NULL : table != NULL, "%s: %s", path_of_table, strerror(errno));
    if (blessed)
        fputs(
            "# graph, profile, kernels, dispatches, barriers, bytes moved, bytes of scratch memory, "
            "additions, threads: cost_test.c\n",
            blessed);
    for (int i = bless ? 2 : 1; (table || blessed) && i < argc; i++)
        run_graph(argv[i], table, blessed);
    if (blessed)
        CHECK(fclose(blessed) == 0, "%s: %s", path_of_table, strerror(errno));
    free(table);
    return check_report();
}
