#include "group.h"

#include <stdio.h>
#include <stdlib.h>

#include "matrix.h"

uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* All are at the same barrier, or have ended. *Returns* whether there are more to run; false in
   `ok` else. */
static bool meet(struct group *g, bool *ok)
{
    uint32_t n = g->module->local_size, ended = 0;
    bool fenced = true;
    for (uint32_t i = 0; i < n; i++) {
        ended += g->threads[i].ended;
        fenced = fenced && g->threads[i].fenced;
        g->threads[i].fenced = false;
    }
    *ok = ended == 0 || ended == n;
    for (uint32_t i = 1; *ok && !ended && i < n; i++)
        *ok = g->threads[i].at == g->threads[0].at;
    if (!*ok)
        snprintf(g->error, g->error_size,
                 "workgroup %u: a barrier that only some of its %u invocations reach", g->index, n);
    *ok = *ok && matrix_meet(g);
    g->interval++;
    g->buffer_interval += fenced;
    return *ok && ended == 0;
}

/* Forwards, backwards, or from anywhere in steps that visit all: which, changes at every
   barrier. */
static bool run_interval(struct group *g, uint64_t random)
{
    uint32_t n = g->module->local_size, start = (uint32_t)(random >> 8) % n,
             stride = random & 1 ? 1 : n - 1;
    for (uint32_t i = 0; i < n; i++)
        if (!thread_run(g, (uint32_t)((start + (uint64_t)i * stride) % n)))
            return false;
    return true;
}

bool group_run(struct group *g, uint64_t *random)
{
    bool ok = true, more = true;
    g->interval = g->buffer_interval = 0;
    while (more && (ok = run_interval(g, next_random(random))))
        more = meet(g, &ok);
    return ok;
}
