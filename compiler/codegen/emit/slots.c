#include "codegen/emit/slots.h"

static uint32_t place_of(const struct slots *s, uint32_t key)
{
    uint32_t i = (key * 2654435761u) >> 7 & (s->cap - 1);
    while (s->at[i].key && s->at[i].key != key + 1)
        i = (i + 1) & (s->cap - 1);
    return i;
}

static bool grow(struct arena *a, struct slots *s)
{
    struct slots larger = {.n = s->n, .cap = s->cap ? 2 * s->cap : 16};
    larger.at = ARENA_ARRAY(a, struct slot, larger.cap);
    if (!larger.at)
        return false;
    for (uint32_t i = 0; i < s->cap; i++)
        if (s->at[i].key)
            larger.at[place_of(&larger, s->at[i].key - 1)] = s->at[i];
    *s = larger;
    return true;
}

struct slot *slots_put(struct arena *a, struct slots *s, uint32_t key)
{
    if (2 * s->n >= s->cap && !grow(a, s))
        return NULL;
    struct slot *at = &s->at[place_of(s, key)];
    if (!at->key) {
        at->key = key + 1;
        s->n++;
    }
    return at;
}

const struct slot *slots_get(const struct slots *s, uint32_t key)
{
    const struct slot *at = s->cap ? &s->at[place_of(s, key)] : NULL;
    return at && at->key ? at : NULL;
}
