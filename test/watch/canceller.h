/* Cancels a call at a chosen event of its progress, or when it asks for the nth time, and sees
   whether two threads tell of progress at once. */
#ifndef WATCH_CANCELLER_H
#define WATCH_CANCELLER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum { NEVER = -1 };

struct canceller {
    long at_event, events;
    atomic_long at_poll, polls;
    atomic_bool is_cancelled, overlaps;
    bool is_brief; /* it says yes at that poll alone */
    atomic_int inside;
};

/* Around what is done with an event. */
static inline void canceller_enter(struct canceller *c)
{
    if (atomic_fetch_add(&c->inside, 1) > 0)
        atomic_store(&c->overlaps, true);
    if (c->at_event == NEVER && atomic_load(&c->at_poll) == NEVER)
        /* so that another thread would come in meanwhile */
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    if (c->events++ == c->at_event)
        atomic_store(&c->is_cancelled, true);
}

static inline void canceller_leave(struct canceller *c)
{
    atomic_fetch_sub(&c->inside, 1);
}

/* `is_cancelled` of both libraries. */
static inline bool canceller_poll(void *context)
{
    struct canceller *c = context;
    bool now = atomic_fetch_add(&c->polls, 1) == atomic_load(&c->at_poll);
    if (now && !c->is_brief)
        atomic_store(&c->is_cancelled, true);
    return now || atomic_load(&c->is_cancelled);
}

#endif
