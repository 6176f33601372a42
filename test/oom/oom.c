#include "oom.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../front/check.h"

enum { PLACES = 1 << 15, FILES = 256 };

struct place {
    const char *file;
    int line;
    void *callers[2];     /* where the function that allocates was called, and where that one */
    bool is_new_line;     /* no place before it is on this line */
    bool was_tried;       /* by an earlier oom_each */
    uint64_t first, last; /* points of the recorded attempt; 0: it was not passed */
};

struct check oom_check;

static atomic_bool is_armed, is_recording;
static atomic_ullong points, met;
static atomic_llong blocks, threads;
static uint64_t fail_at; /* these are written while no thread of the libraries runs */
static enum oom_mode fail_mode;
static const char *met_file;
static int met_line;
static bool met_thread;
static const struct oom_try *current;

static _Thread_local const char *place_file = "?";
static _Thread_local int place_line;
static _Thread_local void *place_callers[2];

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;
static struct place places[PLACES];
static uint32_t nplaces;

/* ---- the points ---- */

/* Whoever comes here is of the libraries, which are built with frame pointers and with nothing
   inlined (mk/oom.mk): two callers above it have frames of that kind, or are a test's. */
#pragma GCC diagnostic ignored "-Wframe-address"
void oom_place(const char *file, int line)
{
    place_file = file;
    place_line = line;
    place_callers[0] = __builtin_return_address(1);
    place_callers[1] = __builtin_return_address(2);
}

static void record(uint64_t point)
{
    uint32_t i = 0;
    bool is_known_line = false;
    pthread_mutex_lock(&record_lock);
    for (; i < nplaces; i++) {
        bool same = places[i].line == place_line && !strcmp(places[i].file, place_file);
        if (same && !memcmp(places[i].callers, place_callers, sizeof place_callers))
            break;
        is_known_line |= same;
    }
    if (i == nplaces && nplaces < PLACES)
        places[nplaces++] = (struct place){.file = place_file,
                                           .line = place_line,
                                           .callers = {place_callers[0], place_callers[1]},
                                           .is_new_line = !is_known_line};
    if (i < nplaces) {
        places[i].last = point;
        if (!places[i].first)
            places[i].first = point;
    }
    pthread_mutex_unlock(&record_lock);
}

/* Whether this one fails. */
static bool is_failing_thread(bool is_thread)
{
    if (!atomic_load(&is_armed))
        return false;
    uint64_t n = atomic_fetch_add(&points, 1) + 1;
    if (atomic_load(&is_recording))
        record(n);
    if (!fail_at || n < fail_at || (n > fail_at && fail_mode == OOM_ONE))
        return false;
    if (n == fail_at) {
        met_file = place_file;
        met_line = place_line;
        met_thread = is_thread;
        atomic_store(&met, 1);
    }
    errno = ENOMEM;
    return true;
}

static bool is_failing(void)
{
    return is_failing_thread(false);
}

static void *counted(void *p)
{
    atomic_fetch_add(&blocks, p != NULL);
    return p;
}

void *oom_malloc(size_t size)
{
    return is_failing() ? NULL : counted(malloc(size));
}

void *oom_calloc(size_t count, size_t size)
{
    return is_failing() ? NULL : counted(calloc(count, size));
}

void *oom_realloc(void *p, size_t size)
{
    if (is_failing())
        return NULL;
    bool is_new = !p;
    p = realloc(p, size);
    return is_new ? counted(p) : p;
}

void oom_free(void *p)
{
    atomic_fetch_sub(&blocks, p != NULL);
    free(p);
}

FILE *oom_fopen(const char *path, const char *mode)
{
    return is_failing() ? NULL : fopen(path, mode);
}

FILE *oom_fdopen(int fd, const char *mode)
{
    return is_failing() ? NULL : fdopen(fd, mode);
}

DIR *oom_fdopendir(int fd)
{
    return is_failing() ? NULL : fdopendir(fd);
}

int oom_thread(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
               void *context)
{
    if (is_failing_thread(true))
        return EAGAIN;
    int error = pthread_create(id, attributes, start, context);
    atomic_fetch_add(&threads, !error);
    return error;
}

int oom_join(pthread_t id, void **out)
{
    atomic_fetch_sub(&threads, 1);
    return pthread_join(id, out);
}

int oom_mutex(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes)
{
    return is_failing() ? ENOMEM : pthread_mutex_init(lock, attributes);
}

int oom_condition(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    return is_failing() ? ENOMEM : pthread_cond_init(condition, attributes);
}

struct oom_held oom_held(void)
{
    struct oom_held h = {.blocks = atomic_load(&blocks), .threads = atomic_load(&threads)};
    for (int fd = 0; fd < FILES; fd++)
        h.files += fcntl(fd, F_GETFD) != -1;
    return h;
}

/* ---- an attempt ---- */

void oom_begin(struct oom_try *t)
{
    fail_at = t->point;
    fail_mode = t->mode;
    met_file = NULL;
    met_line = 0;
    met_thread = false;
    current = t;
    atomic_store(&met, 0);
    atomic_store(&points, 0);
    atomic_store(&is_armed, true);
}

void oom_end(struct oom_try *t)
{
    atomic_store(&is_armed, false);
    t->was_met = atomic_load(&met);
    t->file = met_file;
    t->line = met_line;
    t->is_thread = met_thread;
    t->after = t->was_met ? atomic_load(&points) - t->point : 0;
}

/* ---- crashes ---- */

/* A crash names the attempt: by functions that a handler may call. */
static void say(const char *text)
{
    ssize_t n = write(STDOUT_FILENO, text, strlen(text));
    (void)n;
}

static void say_number(uint64_t n)
{
    char text[24], *at = text + sizeof text;
    *--at = '\0';
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    say(at);
}

static void crashed(int number)
{
    if (current) {
        say(number == SIGALRM ? "FAILED: hangs: " : "FAILED: crashes: ");
        say(current->name);
        say(": point ");
        say_number(current->point);
        say(current->mode == OOM_ONE ? " alone, at " : " and all later ones, at ");
        say(met_file ? met_file : "no place yet");
        say(":");
        say_number((uint64_t)met_line);
        say("\n");
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- choosing points ---- */

enum { EXTRA_POINTS = 6, SECONDS = 120 };
static uint64_t total_points, total_tries, total_places;

static void try_point(struct oom_try *t, oom_attempt *attempt, void *context, uint64_t point,
                      enum oom_mode mode)
{
    *t = (struct oom_try){.name = t->name, .point = point, .mode = mode};
    alarm(SECONDS);
    attempt(context, t);
    alarm(0);
    total_tries++;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

void oom_each(const char *name, oom_attempt *attempt, void *context)
{
    static uint64_t random = 0x9e3779b97f4a7c15u;
    struct oom_try t = {.name = name};
    const char *seed = getenv("OOM_SEED"), *all = getenv("OOM_ALL");
    uint64_t before = total_tries;
    uint32_t nnew = 0;
    if (!check_wanted(&oom_check, name))
        return;
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
    signal(SIGALRM, crashed);
    if (seed)
        random += strtoull(seed, NULL, 10);
    attempt(context, &t); /* what is done once in a process */
    for (uint32_t i = 0; i < nplaces; i++)
        places[i].first = places[i].last = 0;
    atomic_store(&is_recording, true);
    attempt(context, &t);
    atomic_store(&is_recording, false);
    uint64_t npoints = atomic_load(&points);
    for (uint64_t n = 1; all && n <= npoints; n++) {
        try_point(&t, attempt, context, n, OOM_ONE);
        try_point(&t, attempt, context, n, OOM_ALL_FROM);
    }
    for (uint32_t i = 0; i < nplaces; i++) {
        struct place *p = &places[i];
        nnew += p->first && !p->was_tried;
        if (p->first && !p->was_tried && !all) {
            try_point(&t, attempt, context, p->first, OOM_ONE);
            try_point(&t, attempt, context, p->first, OOM_ALL_FROM);
            if (p->last != p->first)
                try_point(&t, attempt, context, p->last, OOM_ONE);
        }
        p->was_tried |= p->first != 0;
    }
    for (int i = 0; !all && npoints && i < EXTRA_POINTS; i++)
        try_point(&t, attempt, context, 1 + next_random(&random) % npoints,
                  i % 2 ? OOM_ALL_FROM : OOM_ONE);
    t = (struct oom_try){.name = name};
    attempt(context, &t); /* and all is well again */
    printf("%-44s %6llu points, %4u new places, %6llu attempts\n", name,
           (unsigned long long)npoints, nnew, (unsigned long long)(total_tries - before));
    fflush(stdout);
    total_points += npoints;
    total_places += nnew;
}

/* ---- judging ---- */

bool oom_is_at(const struct oom_try *t, const char *file)
{
    return t->file && !strcmp(t->file, file);
}

/* Points at most after the one that failed: for lists of which all allocations are made before any
   is looked at, and for the message. What writes text looks when the text is whole; so does the
   code generator when a kernel is, and a workgroup program is tried before its kernels are. */
static uint64_t later_points(const char *file)
{
    static const struct {
        const char *folder;
        uint64_t most;
    } limits[] = {{"compiler/passes/", 40},      {"compiler/fuse/", 40},
                  {"compiler/pack/", 40},        {"compiler/interp/", 40},
                  {"compiler/ir/ir_verify", 40}, {"compiler/plan/group/group_emit", UINT64_MAX},
                  {"compiler/plan/", 600}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strncmp(file, limits[i].folder, strlen(limits[i].folder)))
            return limits[i].most;
    return UINT64_MAX;
}

void oom_judge(const struct oom_try *t, bool is_right, bool is_memory, bool is_spare,
               const struct oom_held *before, const char *what)
{
    struct oom_held now = oom_held();
    bool is_ok = t->was_met ? is_memory || (is_right && is_spare) : is_right;
    long long nblocks = now.blocks - before->blocks, nthreads = now.threads - before->threads;
    int nfiles = now.files - before->files;
    check_that(
        &oom_check, is_ok && !nblocks && !nthreads && !nfiles,
        "%s: point %llu %s (%s:%d): %s; more than before: %lld blocks, %lld threads, %d files",
        t->name, (unsigned long long)t->point, t->mode == OOM_ONE ? "alone" : "and all later ones",
        t->file ? t->file : "not met", t->line, what, nblocks, nthreads, nfiles);
    if (is_memory && t->was_met && t->mode == OOM_ONE)
        check_that(&oom_check, t->after <= later_points(t->file),
                   "%s: point %llu (%s:%d): goes on for %llu points more", t->name,
                   (unsigned long long)t->point, t->file, t->line, (unsigned long long)t->after);
}

int oom_report(void)
{
    printf("%llu points, %llu places, %llu attempts\n", (unsigned long long)total_points,
           (unsigned long long)total_places, (unsigned long long)total_tries);
    return check_finish(&oom_check);
}
