/* Work in several processes, each with a device of its own. One that dies costs the item at hand
   and is replaced. */
#ifndef SWEEP_WORKERS_H
#define SWEEP_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_WORKERS = 16, WORK_BYTES = 64 };

/* What is known of an item after it was done. */
struct work_done {
    uint32_t index;
    uint8_t state;            /* of enum work_state */
    uint8_t data[WORK_BYTES]; /* the item's own */
};
enum work_state { WORK_BEGUN, WORK_DONE, WORK_DIED };

struct workers {
    uint32_t jobs, count; /* processes, items */
    uint32_t limit_s;     /* processor seconds for an item; ten times that by the clock */
    /* In the process of a worker. NULL fails. */
    void *(*open)(void *context);
    void (*work)(void *context, void *opened, uint32_t index, uint8_t data[WORK_BYTES]);
    void (*close)(void *opened);
    /* In the parent, for each item that was done or died. */
    void (*take)(void *context, const struct work_done *done);
    void *context;
};

/* False when workers could not be started. *Blocks*. */
bool workers_run(const struct workers *w);

#endif
