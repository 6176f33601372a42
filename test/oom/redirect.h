/* Put in front of every source of the libraries by the compiler's -include (mk/oom.mk): what
   they allocate is asked of oom.h, with the place that asks. A place is where the arena, a text
   or host_alloc is used, not where these allocate: their own files are built with OOM_NO_PLACES,
   and keep the place of their caller. */
#ifndef OOM_REDIRECT_H
#define OOM_REDIRECT_H

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oom.h"

#ifdef OOM_NO_PLACES
#define OOM_PLACE ((void)0)
#else
#define OOM_PLACE oom_place(__FILE__, __LINE__)
#include "base/arena.h"
#include "base/str.h"
#include "../../runtime/error.h"
#define arena_alloc(a, count, size) (OOM_PLACE, arena_alloc(a, count, size))
#define arena_copy(a, p, n) (OOM_PLACE, arena_copy(a, p, n))
#define arena_strdup(a, s) (OOM_PLACE, arena_strdup(a, s))
#define arena_printf(a, ...) (OOM_PLACE, arena_printf(a, __VA_ARGS__))
#define arena_grow(a, array, count, capacity, size) \
    (OOM_PLACE, arena_grow(a, array, count, capacity, size))
#define str_add(s, text) (OOM_PLACE, str_add(s, text))
#define str_addn(s, text, n) (OOM_PLACE, str_addn(s, text, n))
#define str_printf(s, ...) (OOM_PLACE, str_printf(s, __VA_ARGS__))
#define str_comment(a, text) (OOM_PLACE, str_comment(a, text))
#define host_alloc(count, size) (OOM_PLACE, host_alloc(count, size))
#endif

#define malloc(size) (OOM_PLACE, oom_malloc(size))
#define calloc(count, size) (OOM_PLACE, oom_calloc(count, size))
#define realloc(p, size) (OOM_PLACE, oom_realloc(p, size))
#define free(p) oom_free(p)
#define fopen(path, mode) (OOM_PLACE, oom_fopen(path, mode))
#define fdopen(fd, mode) (OOM_PLACE, oom_fdopen(fd, mode))
#define fdopendir(fd) (OOM_PLACE, oom_fdopendir(fd))
#define pthread_create(id, attributes, start, context) \
    (OOM_PLACE, oom_thread(id, attributes, start, context))
#define pthread_join(id, out) oom_join(id, out)
#define pthread_mutex_init(lock, attributes) (OOM_PLACE, oom_mutex(lock, attributes))
#define pthread_cond_init(condition, attributes) (OOM_PLACE, oom_condition(condition, attributes))

#endif
