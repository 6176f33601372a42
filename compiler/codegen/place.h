/* Where a value of a workgroup program lives. */
#ifndef VKC_PLACE_H
#define VKC_PLACE_H

#include "base/arena.h"

enum place_kind {
    PLACE_NONE,
    PLACE_BOUND,   /* a storage buffer; narrow types are packed, as everywhere in memory */
    PLACE_SHARED,  /* elements of the shared array of its type */
    PLACE_SCRATCH, /* elements of the scratch buffer, seen as an array of its type */
    PLACE_LOCAL,   /* a variable that every thread has: one element, written by all */
};

/* Where a plan buffer lives. Places that are not PLACE_BOUND hold the types of registers. */
struct place {
    enum place_kind kind;
    const char *array; /* "sh_float", "buf_n3", "reg_n7" */
    uint32_t offset;   /* in elements */
    uint32_t binding;  /* PLACE_BOUND */
    bool in_parts;     /* PLACE_BOUND: too large for one binding */
    const char *row;   /* PLACE_BOUND: where the row of the instance begins, or NULL */
};

/* The text of an element. */
const char *place_element(struct arena *a, const struct place *p, const char *index);

#endif
