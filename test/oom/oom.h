/* The allocations of libvkc and libvkr, counted, and made to fail one by one. The libraries are
   built with redirect.h, and with blocks of the arena so small that each of its allocations is
   one of the heap: these are the points. Allocations inside drivers, shaderc and the C library
   are not counted. */
#ifndef OOM_H
#define OOM_H

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- what the libraries call ---- */

void oom_place(const char *file, int line);
void *oom_malloc(size_t size);
void *oom_calloc(size_t count, size_t size);
void *oom_realloc(void *p, size_t size);
void oom_free(void *p);
FILE *oom_fopen(const char *path, const char *mode);
FILE *oom_fdopen(int fd, const char *mode);
DIR *oom_fdopendir(int fd);
int oom_thread(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
               void *context);
int oom_join(pthread_t id, void **out);
int oom_mutex(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes);
int oom_condition(pthread_cond_t *condition, const pthread_condattr_t *attributes);

/* ---- what a test calls ---- */

extern struct check oom_check; /* ../front/check.h */

enum oom_mode { OOM_ONE, OOM_ALL_FROM };

/* One attempt: which point is to fail, and what became of it. */
struct oom_try {
    const char *name; /* of the phase */
    uint64_t point;   /* from 1; 0: none fails */
    enum oom_mode mode;
    bool was_met;     /* the point was reached, and failed */
    const char *file; /* where; NULL if it was not */
    int line;
    bool is_thread; /* a thread could not be made */
    uint64_t after; /* points that were met after it */
};

/* Between these two, points are counted and fail. Threads that the libraries start in between
   are counted with. */
void oom_begin(struct oom_try *t);
void oom_end(struct oom_try *t);

/* What the libraries hold at the moment, and the process: blocks of memory, threads that nobody
   has joined, files. */
struct oom_held {
    int64_t blocks, threads;
    int files;
};
struct oom_held oom_held(void);

/* An attempt does something between oom_begin and oom_end, and checks what came of it. */
typedef void oom_attempt(void *context, struct oom_try *t);

/* Two attempts without a failure, then with failures: at each place (a line of a source) that no
   earlier call of this function has tried, the first time and the last that it is passed, and at
   a few points more; then one without. With OOM_ALL in the environment at every point, in both
   modes. */
void oom_each(const char *name, oom_attempt *attempt, void *context);

/* Whether the place that was met is in this file. */
bool oom_is_at(const struct oom_try *t, const char *file);

/* Checks an attempt: it either failed for want of memory, or what it met is spare, something
   that it can do without, and it has its right results all the same. And no more is held than
   before. Passes, fusion and planning end soon after what failed. `what` tells what it said. */
void oom_judge(const struct oom_try *t, bool is_right, bool is_memory, bool is_spare,
               const struct oom_held *before, const char *what);

/* Prints the totals. *Returns* the exit status. */
int oom_report(void);

#endif
