/* Memory that remembers who touched it: for every word who wrote it last and who read it since,
   so that two accesses that nothing orders are found whatever order they happen to run in. A
   write after a read needs a barrier; a read or a write after a write needs one that makes the
   memory visible. */
#ifndef MACHINE_MEMORY_H
#define MACHINE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Who touches a word: when one was touched by others, only they matter, so one is enough. */
struct mark {
    uint32_t step; /* serial number of the dispatch or copy; 0: nobody */
    /* between barriers of the workgroup; between those that make writes visible */
    uint32_t interval, fenced;
    uint32_t group, thread;
    bool many_threads, many_groups; /* others of the interval, of the step */
    bool atomic;
};

struct cell {
    struct mark write, read;
};

/* A step, and since which one everything is visible to it. */
struct moment {
    uint32_t step, since;
};

/* An earlier access that nothing orders with this one, or NULL. */
const struct mark *memory_conflict(const struct cell *cell, struct moment now,
                                   const struct mark *by, bool writes);
void memory_note(struct cell *cell, const struct mark *by, bool writes);

#endif
