/* What an emission knows of single values, by their slot: a table whose size is that of the
   kernel, not of the graph. */
#ifndef VKC_EMIT_SLOTS_H
#define VKC_EMIT_SLOTS_H

#include "base/arena.h"

/* A GLSL expression that may be repeated freely: a name or a literal. */
struct expr {
    const char *text; /* NULL: emission failed, see emit.failed */
    uint32_t depth;   /* of the scope that defines it */
};

struct slot {
    uint32_t key;     /* the slot, or whatever the table is by, plus 1; 0: free */
    uint32_t count;   /* names: variables so far; levels: heroes on the longest path */
    struct expr expr; /* heroes: the finished value */
};

struct slots {
    struct slot *at;
    uint32_t n, cap; /* cap: 0 or a power of two */
};

/* The entry of `key`, zeroed when it is new. NULL when out of memory. */
struct slot *slots_put(struct arena *a, struct slots *s, uint32_t key);
/* The same, or NULL if there is none. */
const struct slot *slots_get(const struct slots *s, uint32_t key);

#endif
