/* Whether the caller still wants the result. A compile asks before each node, kernel and pass.
   Once the answer is no, it stays no. The code that asks finds this in the arena of the compile. */
#ifndef VKC_CANCEL_H
#define VKC_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/diag.h"

struct cancel {
    bool (*is_cancelled)(void *context); /* NULL: it cannot be cancelled */
    void *context;
    atomic_bool is_seen; /* the answer was yes; it is not asked again */
};

/* Asks. `c` may be NULL. *Threads*: any. */
bool cancel_poll(struct cancel *c);
/* Asks: true to go on, else false with DIAG_CANCELLED. */
bool cancel_check(struct cancel *c, struct diag *d);

#endif
