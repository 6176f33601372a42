#include "hazard.h"

#include <stdlib.h>
#include <string.h>

static uint32_t stage_of(uint32_t use)
{
    if (use & (USE_SHADER_READ | USE_SHADER_WRITE))
        return STAGE_SHADER;
    if (use & (USE_TRANSFER_READ | USE_TRANSFER_WRITE))
        return STAGE_TRANSFER;
    return use & USE_INDIRECT_READ ? STAGE_INDIRECT : STAGE_HOST;
}

static bool is_write(const struct hazard_access *a)
{
    return a->use & USE_WRITES;
}

static bool is_ordered(const struct hazard_access *before, const struct hazard_access *after)
{
    if (!is_write(before) && !is_write(after))
        return true;
    return is_write(before) ? (before->visible & after->use) != 0
                            : (before->ordered & stage_of(after->use)) != 0;
}

/* Whether it can collide with nothing any more, and need not be remembered: after a read come
   writes, which have their stages. */
static bool is_settled(const struct hazard_access *a)
{
    if (!is_write(a))
        return (a->ordered & STAGE_WRITES) == STAGE_WRITES;
    return (a->visible & USE_DEVICE) == USE_DEVICE && (!a->is_mapped || a->visible & USE_HOST_READ);
}

static void remove_at(struct hazards *h, size_t i)
{
    h->open[i] = h->open[--h->count];
}

bool hazards_access(struct hazards *h, struct hazard_access access,
                    struct hazard_access *out_before)
{
    bool ok = true;
    for (size_t i = 0; i < h->count;) {
        struct hazard_access *before = &h->open[i];
        bool overlaps = before->memory == access.memory && before->first < access.end &&
                        access.first < before->end;
        if (!overlaps || before->command == access.command) {
            i++;
            continue;
        }
        if (ok && !is_ordered(before, &access)) {
            *out_before = *before;
            ok = false;
        }
        /* what comes later has to come after this one only, which stands in for what it covers */
        bool covers = access.first <= before->first && access.end >= before->end;
        if (covers &&
            (is_write(&access) || (before->use == access.use && before->ordered == access.ordered)))
            remove_at(h, i);
        else
            i++;
    }
    if (h->count == h->capacity) {
        size_t capacity = h->capacity ? 2 * h->capacity : 64;
        struct hazard_access *bigger = realloc(h->open, capacity * sizeof *bigger);
        if (!bigger)
            abort();
        h->open = bigger;
        h->capacity = capacity;
    }
    h->open[h->count++] = access;
    return ok;
}

void hazards_barrier(struct hazards *h, const struct hazard_barrier *b)
{
    for (size_t i = 0; i < h->count;) {
        struct hazard_access *a = &h->open[i];
        bool is_first = stage_of(a->use) & b->from_stages, is_chained = a->ordered & b->from_stages;
        if (is_first || is_chained)
            a->ordered |= b->to_stages;
        /* made available by this barrier, or by one before it to which this one is chained */
        if (is_write(a) && ((is_first && a->use & b->from_uses) || (is_chained && a->visible)))
            a->visible |= b->to_uses;
        if (is_settled(a))
            remove_at(h, i);
        else
            i++;
    }
}

bool hazards_unseen(struct hazards *h, struct hazard_access *out)
{
    for (size_t i = 0; i < h->count; i++) {
        struct hazard_access *a = &h->open[i];
        if (!is_write(a) || !a->is_mapped || a->visible & USE_HOST_READ)
            continue;
        *out = *a;
        a->visible |= USE_HOST_READ;
        return true;
    }
    return false;
}

void hazards_forget(struct hazards *h, uint64_t memory)
{
    for (size_t i = 0; i < h->count;) {
        if (h->open[i].memory == memory)
            remove_at(h, i);
        else
            i++;
    }
}

void hazards_finish(struct hazards *h)
{
    free(h->open);
    memset(h, 0, sizeof *h);
}
