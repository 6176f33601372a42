/* A test program counts and prints; its last line is "N passed, N failed, N skipped". With CASE
   in the environment only the cases run whose names contain it; with TIMES, each case's seconds are
   printed when the next one begins. Of a suite that takes long `make test` runs a part of the
   cases, every commit another one; without TURN in the environment all of them run. */
#ifndef TEST_FRONT_CHECK_H
#define TEST_FRONT_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct check {
    unsigned passed, failed, skipped, cases;
    unsigned turns; /* of so many a case has one; 0: it runs always */
    unsigned left;  /* cases whose turn it is not */
    unsigned long last;
};

/* Prints how long the previous case took. `name` is the case that begins; NULL at the end. */
static inline void check_time(const char *name)
{
    static struct timespec then;
    static char before[160];
    struct timespec now;
    if (!getenv("TIMES"))
        return;
    timespec_get(&now, TIME_UTC);
    if (before[0])
        printf("%8.2f s  %s\n",
               (double)(now.tv_sec - then.tv_sec) + 1e-9 * (double)(now.tv_nsec - then.tv_nsec),
               before);
    then = now;
    snprintf(before, sizeof before, "%s", name ? name : "");
}

static inline unsigned long check_hash(const char *name)
{
    unsigned long hash = 5381;
    for (; *name; name++)
        hash = (hash * 33 + (unsigned char)*name) % 1000003;
    return hash;
}

/* Whether it is the turn of a case. By its name: those beside it have others. */
static inline bool check_turn(const struct check *c, unsigned long hash)
{
    const char *turn = getenv("TURN");
    return c->turns < 2 || !turn || !*turn || (hash + strtoul(turn, NULL, 10)) % c->turns == 0;
}

/* Whether a case is to run. */
static inline bool check_wanted(struct check *c, const char *name)
{
    check_time(name);
    const char *wanted = getenv("CASE");
    unsigned long hash = check_hash(name);
    bool is_wanted = wanted ? strstr(name, wanted) != NULL : check_turn(c, hash);
    c->cases += is_wanted && hash != c->last; /* who compiles it may ask again */
    c->left += !is_wanted && hash != c->last;
    c->last = hash;
    return is_wanted;
}

static inline int check_finish(const struct check *c)
{
    check_time(NULL);
    const char *wanted = getenv("CASE");
    unsigned unknown = wanted && !c->cases && !c->skipped;
    if (unknown)
        printf("FAILED: no case is called %s\n", wanted);
    if (c->left && !wanted)
        printf("%u of %u cases had their turn (TURN=%s); without TURN all run\n", c->cases,
               c->cases + c->left, getenv("TURN"));
    printf("%u passed, %u failed, %u skipped\n", c->passed, c->failed + unknown, c->skipped);
    return c->failed || unknown ? 1 : 0;
}

/* Counts; prints what it is about only when it fails. With FAIL_FAST in the environment the
   first failure is the end. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline bool
check_that(struct check *c, bool ok, const char *fmt, ...)
{
    if (ok) {
        c->passed++;
        return true;
    }
    c->failed++;
    va_list ap;
    va_start(ap, fmt);
    printf("FAILED: ");
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    if (getenv("FAIL_FAST"))
        exit(check_finish(c));
    return false;
}

/* A file's bytes with a NUL after them, to be freed; NULL if there is none. */
static inline char *read_file(const char *path, size_t *out_size)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    *out_size = 0;
    size_t size = 0, cap = 0, n;
    if (!f)
        return NULL;
    do {
        if (cap - size < 65536) {
            char *bigger = realloc(data, cap = cap ? 2 * cap : 1 << 17);
            if (!bigger) {
                free(data);
                fclose(f);
                return NULL;
            }
            data = bigger;
        }
        n = fread(data + size, 1, cap - size - 1, f);
        size += n;
    } while (n > 0);
    fclose(f);
    data[size] = '\0';
    *out_size = size;
    return data;
}

#endif
