/* Which values of a row a thread keeps in registers between the loops of a row program.

   A first emission (collecting) finds values that a later loop asks for again; the second emission keeps
   those in a small array indexed by the loop's counter. */
#ifndef VKC_ROW_CACHE_H
#define VKC_ROW_CACHE_H

#include "emit.h"

struct row_entry {
    struct row_entry *next;
    uint32_t slot, rank;
    const struct ix **idx;
    uint32_t phase;             /* of its first emission */
    bool kept;                  /* asked for in a later phase */
    struct expr value;          /* while collecting: its name; then the array element */
    const char *array;
    enum vkc_type type;
};

struct row_cache {
    bool collecting;
    uint32_t phase;             /* which loop is being emitted */
    uint32_t depth;             /* of the loop's scope: only values that live there count */
    const char *counter;        /* of the loop */
    struct row_entry *entries;
    uint32_t kept;              /* how many */
};

/* True if a kept value answers. */
bool row_cache_find(struct emit *e, uint32_t slot, uint32_t rank, const struct ix *const *idx, struct expr *out);
/* Notes a value just emitted, and stores it if it is kept. */
void row_cache_add(struct emit *e, uint32_t slot, uint32_t rank, const struct ix *const *idx, struct expr value);

#endif
