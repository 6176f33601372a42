/* Whether the caller still wants the result. A compile asks wherever it goes on to the next
   node, kernel or pass; an answer that it does not is final. What asks finds it in the arena of
   the compile. */
#ifndef VKC_CANCEL_H
#define VKC_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/diag.h"

struct cancel {
    bool (*is_cancelled)(void *context); /* NULL: nobody ends this compile */
    void *context;
    atomic_bool is_seen; /* the answer was yes, and nobody is asked any more */
};

/* Asks. `c` may be NULL. *Threads*: any. */
bool cancel_poll(struct cancel *c);
/* Asks: true to go on, else false with DIAG_CANCELLED. */
bool cancel_check(struct cancel *c, struct diag *d);

#endif
