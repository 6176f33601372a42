/* One arena per compile: everything a compile allocates is released at once. A failed allocation
   returns NULL and marks the arena, so that a caller may check at the end of a stage. */
#ifndef VKC_ARENA_H
#define VKC_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct cancel;

struct arena {
    struct arena_block *head;
    size_t used;           /* bytes handed out */
    size_t limit;          /* bytes after which allocation fails; 0 = none */
    bool failed;           /* an allocation failed */
    struct cancel *cancel; /* how the caller may cancel the work; may be NULL */
    struct arena *parent;  /* is marked, too, at the end; NULL: none */
};

void arena_init(struct arena *a, size_t limit);
/* An arena with the limit of `parent`, for what is needed for a while. When it is finished, the
   parent counts as failed if this one has: so the arena of a compile knows of every failure. Who
   may end the parent's work may end this. */
void arena_scratch(struct arena *a, struct arena *parent);
void arena_finish(struct arena *a);

/* Zeroed memory aligned to 16 bytes, or NULL. `count * size` is checked for overflow. */
void *arena_alloc(struct arena *a, size_t count, size_t size);
/* A copy of `n` bytes. */
void *arena_copy(struct arena *a, const void *p, size_t n);
/* Texts are never NULL: "" where memory is out, and the arena is marked. */
const char *arena_strdup(struct arena *a, const char *s);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
arena_printf(struct arena *a, const char *fmt, ...);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), 1, sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), (n), sizeof(type)))

/* Makes room for one more element in a growing array of the arena, which the caller then writes as
   a whole: it may hold anything. Returns false when out of memory. */
bool arena_grow(struct arena *a, void *array_ptr, uint32_t count, uint32_t *capacity, size_t size);

#endif
