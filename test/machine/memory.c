#include "memory.h"

#include <stddef.h>

static bool conflicts(const struct mark *old, struct moment now, const struct mark *by,
                      bool is_write)
{
    if (!old->step || old->step < now.since)
        return false;
    if (old->step != now.step)
        return true;
    if (old->atomic && by->atomic)
        return false;
    if (old->group != by->group || old->many_groups)
        return true;
    bool same_interval = is_write ? old->fenced == by->fenced : old->interval == by->interval;
    return same_interval && (old->thread != by->thread || old->many_threads);
}

static void note(struct mark *old, const struct mark *by, bool is_write)
{
    bool same_step = old->step == by->step;
    bool same_interval = same_step && old->group == by->group &&
                         (is_write ? old->fenced == by->fenced : old->interval == by->interval);
    struct mark mark = *by;
    mark.many_groups = same_step && (old->many_groups || old->group != by->group);
    mark.many_threads = same_interval && (old->many_threads || old->thread != by->thread);
    *old = mark;
}

const struct mark *memory_conflict(const struct cell *cell, struct moment now,
                                   const struct mark *by, bool writes)
{
    if (conflicts(&cell->write, now, by, true))
        return &cell->write;
    return writes && conflicts(&cell->read, now, by, false) ? &cell->read : NULL;
}

void memory_note(struct cell *cell, const struct mark *by, bool writes)
{
    note(writes ? &cell->write : &cell->read, by, writes);
}
