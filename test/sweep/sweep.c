/* The sweep: see README.md. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "run.h"
#include "thresholds.h"
#include "driver/main.h"
#include "workers.h"

static const char usage[] =
    "usage: sweep [options]\n"
    "  --seed=N           a twentieth of the cases: 0 to 19 are the whole, 20 is 0 again; without it, all\n"
    "  --part=K/N         part K of N, the parts being 0 to N - 1\n"
    "  --family=NAME      of this family only\n"
    "  --case=NAME        this case only\n"
    "  --like=TEXT        the cases whose names have the text, of every part ($CASE, too)\n"
    "  --cases=FILE       those whose names are in the file, one a line\n"
    "  --first-failure    stops at it\n"
    "  --jobs=N           processes (as many as processors)\n"
    "  --list             the names of the cases, one a line\n"
    "  --list-thresholds  by family, profile and line of shapes\n"
    "  --emit-json=DIR    writes the graph of each case to DIR/N.json, and its name, file and profile to DIR/INDEX\n"
    "  --print            names and graphs of the cases\n"
    "  --help             this text\n";

struct options {
    unsigned long part, parts; /* 0 of 1: all */
    uint32_t jobs;
    const char *family, *name, *text, *file, *folder;
    bool list, thresholds, print, first_failure;
};

static const char *after(const char *arg, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(arg, prefix, n) == 0 ? arg + n : NULL;
}

static uint32_t processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_WORKERS ? MOST_WORKERS : (uint32_t)n;
}

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.parts = 1, .jobs = processors(), .text = getenv("CASE")};
    for (int i = 1; i < argc; i++) {
        const char *v;
        char *end;
        if ((v = after(argv[i], "--seed="))) {
            o->parts = 20;
            o->part = strtoul(v, NULL, 10) % o->parts;
        } else if ((v = after(argv[i], "--part="))) {
            o->part = strtoul(v, &end, 10);
            o->parts = *end == '/' ? strtoul(end + 1, NULL, 10) : 0;
            if (o->part >= o->parts)
                return false;
        } else if ((v = after(argv[i], "--family=")))
            o->family = v;
        else if ((v = after(argv[i], "--case=")))
            o->name = v;
        else if ((v = after(argv[i], "--like=")))
            o->text = v;
        else if ((v = after(argv[i], "--cases=")))
            o->file = v;
        else if (strcmp(argv[i], "--first-failure") == 0)
            o->first_failure = true;
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

struct report {
    enum outcome outcome;
    int64_t compared, loose; /* elements */
    double seconds;          /* of processors */
};

static double used(int whose)
{
    struct rusage r;
    getrusage(whose, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

struct sweep {
    struct options options;
    struct arena arena;
    struct profiles profiles;
    struct cases cases;
    FILE **lists; /* by family: what its cases are, from the process that found them */
    bool broken;
    uint32_t *chosen, nchosen; /* of the list */
    struct report *reports;    /* of the chosen */
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool append(struct sweep *s, const char *name, bool always)
{
    struct listed one = {.hash = cases_hash(name), .always = always};
    char error[256];
    if (!case_parse(name, &s->profiles, &one.c, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    if (!arena_grow(&s->arena, &s->cases.list, s->cases.count, &s->cases.cap,
                    sizeof *s->cases.list))
        return false;
    s->cases.list[s->cases.count++] = one;
    return true;
}

static void *open_arena(void *context)
{
    (void)context;
    static struct arena a;
    arena_init(&a, 0);
    return &a;
}

static void close_arena(void *opened)
{
    arena_finish(opened);
}

/* The cases of a family, as lines "always name" of its file. */
static void list_family(void *context, void *opened, uint32_t f, uint8_t data[WORK_BYTES])
{
    struct sweep *s = context;
    struct cases cases = {0};
    (void)data;
    if (s->options.family && strcmp(s->options.family, sweep_families[f]->name) != 0)
        return;
    if (!cases_of(sweep_families[f], &s->profiles, opened, &cases))
        _exit(1);
    for (uint32_t i = 0; i < cases.count; i++) {
        char name[CASE_NAME];
        case_name(&cases.list[i].c, name);
        fprintf(s->lists[f], "%d %s\n", cases.list[i].always, name);
    }
    if (fflush(s->lists[f]) != 0)
        _exit(1);
    fprintf(stderr, "%s: %u cases; %u thresholds in %u groups of profiles, %u plans\n",
            sweep_families[f]->name, cases.count, cases.thresholds, cases.classes, cases.plans);
}

static void listed(void *context, const struct work_done *done)
{
    struct sweep *s = context;
    if (done->state != WORK_DONE)
        s->broken = true;
}

static bool list_families(struct sweep *s)
{
    struct workers w = {.jobs = s->options.jobs,
                        .limit_s = 900,
                        .open = open_arena,
                        .work = list_family,
                        .close = close_arena,
                        .take = listed,
                        .context = s};
    while (sweep_families[w.count])
        w.count++;
    s->lists = ARENA_ARRAY(&s->arena, FILE *, w.count);
    for (uint32_t f = 0; s->lists && f < w.count; f++)
        s->broken |= (s->lists[f] = tmpfile()) == NULL;
    bool ok = s->lists && !s->broken && workers_run(&w) && !s->broken;
    for (uint32_t f = 0; ok && f < w.count; f++) {
        char name[CASE_NAME];
        int always;
        rewind(s->lists[f]);
        while (ok && fscanf(s->lists[f], "%d %191s", &always, name) == 2)
            ok = append(s, name, always);
        fclose(s->lists[f]);
    }
    return ok;
}

static bool read_names(struct sweep *s)
{
    char name[CASE_NAME];
    FILE *f = fopen(s->options.file, "r");
    bool ok = f != NULL;
    if (!f)
        fprintf(stderr, "%s cannot be read\n", s->options.file);
    while (ok && fscanf(f, "%191s", name) == 1)
        ok = append(s, name, true);
    if (f)
        fclose(f);
    return ok;
}

/* With a text, the cases whose names have it, of every part. */
static bool is_chosen(const struct options *o, const struct listed *l)
{
    char name[CASE_NAME];
    case_name(&l->c, name);
    return o->text ? strstr(name, o->text) != NULL : l->hash % o->parts == o->part || l->always;
}

static bool list_cases(struct sweep *s)
{
    const struct options *o = &s->options;
    if (o->name ? !append(s, o->name, true) : o->file ? !read_names(s) : !list_families(s))
        return false;
    s->chosen = ARENA_ARRAY(&s->arena, uint32_t, s->cases.count + 1);
    for (uint32_t i = 0; s->chosen && i < s->cases.count; i++)
        if (is_chosen(o, &s->cases.list[i]))
            s->chosen[s->nchosen++] = i;
    s->reports = ARENA_ARRAY(&s->arena, struct report, s->nchosen + 1);
    return s->chosen && s->reports;
}

static const struct sweep_case *chosen(const struct sweep *s, uint32_t i)
{
    return &s->cases.list[s->chosen[i]].c;
}

/* ---- running it ---- */

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
    struct report r = {.compared = -e->compared, .loose = -e->loose, .seconds = -used(RUSAGE_SELF)};
    r.outcome = run_case(e, chosen(context, index));
    r.compared += e->compared;
    r.loose += e->loose;
    r.seconds += used(RUSAGE_SELF);
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
    s->reports[done->index] = r;
    if (s->options.first_failure && (r.outcome == CASE_FAILED || r.outcome == CASE_DIED)) {
        /* the workers end with the pipes that they write to */
        printf("0 passed, 1 failed, 0 skipped\n");
        exit(1);
    }
}

/* ---- the table ---- */

struct counts {
    uint32_t of[CASE_DIED + 1];
    int64_t compared, loose;
    double seconds;
};

static void count(struct counts *n, const struct report *r)
{
    n->of[r->outcome]++;
    n->compared += r->compared;
    n->loose += r->loose;
    n->seconds += r->seconds;
}

static uint32_t failures(const struct counts *n)
{
    return n->of[CASE_FAILED] + n->of[CASE_DIED];
}

static void print_table(const struct sweep *s)
{
    struct counts total = {0};
    printf("\n%-10s %-10s %8s %8s %8s %10s %8s\n", "family", "profile", "cases", "failed",
           "skipped", "elements", "seconds");
    for (uint32_t f = 0; sweep_families[f]; f++)
        for (uint32_t p = 0; p < s->profiles.count; p++) {
            struct counts n = {0};
            for (uint32_t i = 0; i < s->nchosen; i++)
                if (chosen(s, i)->family == sweep_families[f] &&
                    chosen(s, i)->profile == &s->profiles.target[p]) {
                    count(&n, &s->reports[i]);
                    count(&total, &s->reports[i]);
                }
            uint32_t cases = n.of[CASE_PASSED] + failures(&n);
            if (cases + n.of[CASE_SKIPPED])
                printf("%-10s %-10s %8u %8u %8u %10lld %8.1f\n", sweep_families[f]->name,
                       s->profiles.target[p].name, cases, failures(&n), n.of[CASE_SKIPPED],
                       (long long)n.compared, n.seconds);
        }
    printf("\n%lld elements compared; %lld more depend on rounding\n", (long long)total.compared,
           (long long)total.loose);
    if (total.of[CASE_SKIPPED])
        printf("skipped: the profile does not have the case's type\n");
    printf("%u passed, %u failed, %u skipped\n", total.of[CASE_PASSED], failures(&total),
           total.of[CASE_SKIPPED]);
}

static int run_all(struct sweep *s)
{
    double start = seconds();
    struct workers w = {.jobs = s->options.jobs,
                        .count = s->nchosen,
                        .limit_s = 300,
                        .open = open_device,
                        .work = work,
                        .close = close_device,
                        .take = take,
                        .context = s};
    for (uint32_t i = 0; i < s->nchosen; i++)
        s->reports[i].outcome = CASE_DIED;
    bool ok = workers_run(&w);
    print_table(s);
    fprintf(stderr, "%.0f s, %.0f s of processors\n", seconds() - start, used(RUSAGE_CHILDREN));
    for (uint32_t i = 0; i < s->nchosen; i++)
        ok &= s->reports[i].outcome == CASE_PASSED || s->reports[i].outcome == CASE_SKIPPED;
    return ok ? 0 : 1;
}

/* ---- lists ---- */

static void print_thresholds(const struct sweep *s)
{
    const struct options *o = &s->options;
    for (uint32_t f = 0; sweep_families[f]; f++)
        for (uint32_t p = 0; p < s->profiles.count &&
                             (!o->family || strcmp(o->family, sweep_families[f]->name) == 0);
             p++) {
            struct arena a;
            struct sweep_thresholds found;
            arena_init(&a, 0);
            bool ok = thresholds_find(sweep_families[f], &s->profiles.target[p], &a, &found);
            for (uint32_t l = 0; ok && l < sweep_families[f]->nlines; l++) {
                const struct shape *shape = &sweep_families[f]->lines[l].shape;
                printf("%s %s ", sweep_families[f]->name, s->profiles.target[p].name);
                for (uint32_t i = 0; i < shape->rank; i++)
                    if (shape->dim[i])
                        printf("%s%lld", i ? "x" : "", (long long)shape->dim[i]);
                    else
                        printf(i ? "xn" : "n");
                for (uint32_t i = 0; i < found.count; i++)
                    if (found.list[i].line == l)
                        printf(" %lld", (long long)found.list[i].size);
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
    fprintf(stderr, "%u of %u cases, listed in %.1f s\n", s.nchosen, s.cases.count,
            seconds() - start);
    int status = 0;
    if (s.options.list || s.options.print)
        print_cases(&s);
    else
        status = s.options.folder ? emit_json(&s) : run_all(&s);
    arena_finish(&s.arena);
    return status;
}
