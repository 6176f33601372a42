/* The sweep: see README.md. */
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cases.h"
#include "run.h"
#include "thresholds.h"
#include "../../compiler/main.h"
#include "workers.h"

static const char usage[] = "usage: sweep [options]\n"
                            "  --tenth=N          the tenth N of the cases, 0 to 9; without it, all\n"
                            "  --seed=N           the tenth N modulo 10\n"
                            "  --family=NAME      of this family only\n"
                            "  --case=NAME        this case only\n"
                            "  --jobs=N           processes (default 2)\n"
                            "  --list             the names of the cases, one a line\n"
                            "  --list-thresholds  the sizes, by family, line and profile\n"
                            "  --emit-json=DIR    writes the graph of each case to DIR/N.json, and its name, file and profile to DIR/INDEX\n"
                            "  --print            names and graphs of the cases\n"
                            "  --help             this text\n";

struct options {
    int tenth;                  /* -1: all */
    uint32_t jobs;
    const char *family, *name, *folder;
    bool list, thresholds, print;
};

static const char *after(const char *arg, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(arg, prefix, n) == 0 ? arg + n : NULL;
}

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.tenth = -1, .jobs = 2};
    for (int i = 1; i < argc; i++) {
        const char *v;
        if ((v = after(argv[i], "--tenth=")) || (v = after(argv[i], "--seed=")))
            o->tenth = (int)(strtoul(v, NULL, 10) % TENTHS);
        else if ((v = after(argv[i], "--family=")))
            o->family = v;
        else if ((v = after(argv[i], "--case=")))
            o->name = v;
        else if ((v = after(argv[i], "--jobs=")))
            o->jobs = (uint32_t)strtoul(v, NULL, 10);
        else if ((v = after(argv[i], "--emit-json=")))
            o->folder = v;
        else if (strcmp(argv[i], "--list") == 0)
            o->list = true;
        else if (strcmp(argv[i], "--list-thresholds") == 0)
            o->thresholds = true;
        else if (strcmp(argv[i], "--print") == 0)
            o->print = true;
        else
            return false;
    }
    return o->jobs >= 1 && o->jobs <= MOST_WORKERS;
}

/* ---- the list ---- */

struct sweep {
    struct options options;
    struct arena arena;
    struct profiles profiles;
    struct cases cases;
    uint32_t *chosen, nchosen;  /* of the list */
    enum outcome *outcomes;     /* of the chosen */
    int64_t compared, loose;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool list_cases(struct sweep *s)
{
    const struct options *o = &s->options;
    char error[256];
    if (o->name) {
        struct listed one = {.always = true};
        if (!case_parse(o->name, &s->profiles, &one.c, error, sizeof error)) {
            fprintf(stderr, "%s\n", error);
            return false;
        }
        s->cases.list = arena_copy(&s->arena, &one, sizeof one);
        s->cases.count = s->cases.list != NULL;
    }
    for (uint32_t f = 0; !o->name && sweep_families[f]; f++)
        if ((!o->family || strcmp(o->family, sweep_families[f]->name) == 0) && !cases_of(sweep_families[f], &s->profiles, &s->arena, &s->cases))
            return false;
    s->chosen = ARENA_ARRAY(&s->arena, uint32_t, s->cases.count + 1);
    for (uint32_t i = 0; s->chosen && i < s->cases.count; i++)
        if (o->tenth < 0 || s->cases.list[i].tenth == o->tenth || s->cases.list[i].always)
            s->chosen[s->nchosen++] = i;
    s->outcomes = ARENA_ARRAY(&s->arena, enum outcome, s->nchosen + 1);
    return s->chosen && s->outcomes;
}

static const struct sweep_case *chosen(const struct sweep *s, uint32_t i)
{
    return &s->cases.list[s->chosen[i]].c;
}

/* ---- running it ---- */

struct report { enum outcome outcome; int64_t compared, loose; };

static void *open_device(void *context)
{
    static struct e2e e;
    (void)context;
    return e2e_open(&e) ? &e : NULL;
}

static void close_device(void *opened)
{
    vkr_device_close(((struct e2e *)opened)->device);
}

static void work(void *context, void *opened, uint32_t index, uint8_t data[WORK_BYTES])
{
    struct e2e *e = opened;
    struct report r = {.compared = -e->compared, .loose = -e->loose};
    r.outcome = run_case(e, chosen(context, index));
    r.compared += e->compared;
    r.loose += e->loose;
    memcpy(data, &r, sizeof r);
}

static void take(void *context, const struct work_done *done)
{
    struct sweep *s = context;
    struct report r = {.outcome = CASE_DIED};
    char name[CASE_NAME];
    case_name(chosen(s, done->index), name);
    if (done->state == WORK_DONE)
        memcpy(&r, done->data, sizeof r);
    else
        printf("FAILED %s: the process died, or took too long\n", name);
    s->outcomes[done->index] = r.outcome;
    s->compared += r.compared;
    s->loose += r.loose;
}

/* ---- the table ---- */

static void print_table(const struct sweep *s)
{
    uint32_t total[CASE_DIED + 1] = {0};
    printf("\n%-10s %-10s %8s %8s %8s\n", "family", "profile", "cases", "failed", "skipped");
    for (uint32_t f = 0; sweep_families[f]; f++)
        for (uint32_t p = 0; p < s->profiles.count; p++) {
            uint32_t n[CASE_DIED + 1] = {0};
            for (uint32_t i = 0; i < s->nchosen; i++)
                if (chosen(s, i)->family == sweep_families[f] && chosen(s, i)->profile == &s->profiles.target[p])
                    n[s->outcomes[i]]++;
            uint32_t failed = n[CASE_FAILED] + n[CASE_DIED], cases = n[CASE_PASSED] + failed;
            if (cases + n[CASE_SKIPPED])
                printf("%-10s %-10s %8u %8u %8u\n", sweep_families[f]->name, s->profiles.target[p].name, cases, failed, n[CASE_SKIPPED]);
            for (int k = 0; k <= CASE_DIED; k++)
                total[k] += n[k];
        }
    printf("\n%lld elements compared; %lld more depend on rounding\n", (long long)s->compared, (long long)s->loose);
    if (total[CASE_SKIPPED])
        printf("skipped: the profile does not have the case's type\n");
    printf("%u passed, %u failed, %u skipped\n", total[CASE_PASSED], total[CASE_FAILED] + total[CASE_DIED], total[CASE_SKIPPED]);
}

static int run_all(struct sweep *s)
{
    double start = seconds();
    struct workers w = {.jobs = s->options.jobs, .count = s->nchosen, .limit_s = 300, .open = open_device, .work = work, .close = close_device, .take = take, .context = s};
    for (uint32_t i = 0; i < s->nchosen; i++)
        s->outcomes[i] = CASE_DIED;
    bool ok = workers_run(&w);
    print_table(s);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    fprintf(stderr, "%.0f s, %lld s of processors\n", seconds() - start, (long long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec));
    for (uint32_t i = 0; i < s->nchosen; i++)
        ok &= s->outcomes[i] == CASE_PASSED || s->outcomes[i] == CASE_SKIPPED;
    return ok ? 0 : 1;
}

/* ---- lists ---- */

static void print_thresholds(const struct sweep *s)
{
    const struct options *o = &s->options;
    for (uint32_t f = 0; sweep_families[f]; f++)
        for (uint32_t p = 0; p < s->profiles.count && (!o->family || strcmp(o->family, sweep_families[f]->name) == 0); p++) {
            struct arena a;
            struct sweep_points points;
            arena_init(&a, 0);
            bool ok = thresholds_find(sweep_families[f], &s->profiles.target[p], &a, &points);
            for (uint32_t l = 0; ok && l < sweep_families[f]->nlines; l++) {
                const struct shape *shape = &sweep_families[f]->lines[l].shape;
                printf("%s %s ", sweep_families[f]->name, s->profiles.target[p].name);
                for (uint32_t i = 0; i < shape->rank; i++)
                    printf(shape->dim[i] ? "%s%lld" : "%sn", i ? "x" : "", (long long)shape->dim[i]);
                for (uint32_t i = 0; i < points.count; i++)
                    if (points.list[i].line == l)
                        printf(" %lld", (long long)points.list[i].size);
                printf("\n");
            }
            arena_finish(&a);
        }
}

static void print_cases(struct sweep *s)
{
    for (uint32_t i = 0; i < s->nchosen; i++) {
        char name[CASE_NAME];
        struct arena a;
        struct graph_text text;
        case_name(chosen(s, i), name);
        printf("%s\n", name);
        arena_init(&a, 0);
        if (s->options.print)
            printf("%s", case_graph(chosen(s, i), &a, &text));
        arena_finish(&a);
    }
}

static int emit_json(struct sweep *s)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/INDEX", s->options.folder);
    FILE *index = fopen(path, "w");
    bool ok = index != NULL;
    for (uint32_t i = 0; ok && i < s->nchosen; i++) {
        struct arena a;
        struct graph_text text;
        char name[CASE_NAME];
        case_name(chosen(s, i), name);
        snprintf(path, sizeof path, "%s/%u.json", s->options.folder, s->chosen[i]);
        FILE *f = fopen(path, "w");
        arena_init(&a, 0);
        ok = f && fputs(case_graph(chosen(s, i), &a, &text), f) >= 0 && fclose(f) == 0;
        fprintf(index, "%s %s %u.json\n", name, chosen(s, i)->profile->name, s->chosen[i]);
        arena_finish(&a);
    }
    if (!ok || fclose(index) != 0)
        fprintf(stderr, "%s cannot be written\n", path);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    static struct sweep s;
    char error[512];
    struct vkc_target device;
    if (!read_options(argc, argv, &s.options)) {
        fputs(usage, stderr);
        return 2;
    }
    if (!host_target(&device, error, sizeof error)) {
        printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", error);
        return 77;
    }
    double start = seconds();
    arena_init(&s.arena, 0);
    profiles_for(&device, &s.profiles);
    if (s.options.thresholds) {
        print_thresholds(&s);
        arena_finish(&s.arena);
        return 0;
    }
    if (!list_cases(&s))
        return 2;
    fprintf(stderr, "%u of %u cases; %u sizes in %u groups of profiles, %u plans, %.1f s\n", s.nchosen, s.cases.count, s.cases.points, s.cases.classes, s.cases.plans, seconds() - start);
    int status = 0;
    if (s.options.list || s.options.print)
        print_cases(&s);
    else
        status = s.options.folder ? emit_json(&s) : run_all(&s);
    arena_finish(&s.arena);
    return status;
}
