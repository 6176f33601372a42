#include "row_cache.h"

#include <string.h>

static struct row_entry *find(struct row_cache *c, uint32_t slot, uint32_t rank, const struct ix *const *idx)
{
    for (struct row_entry *r = c->entries; r; r = r->next)
        if (r->slot == slot && r->rank == rank && memcmp(r->idx, idx, rank * sizeof *idx) == 0)
            return r;
    return NULL;
}

bool row_cache_find(struct emit *e, uint32_t slot, uint32_t rank, const struct ix *const *idx, struct expr *out)
{
    struct row_cache *c = e->cache;
    if (!c)
        return false;
    struct row_entry *r = find(c, slot, rank, idx);
    if (!r || r->phase >= c->phase || (!c->collecting && !r->kept))
        return false;
    if (c->collecting && !r->kept) {
        r->kept = true;
        c->kept++;
    }
    *out = r->value;
    return true;
}

void row_cache_add(struct emit *e, uint32_t slot, uint32_t rank, const struct ix *const *idx, struct expr value)
{
    struct row_cache *c = e->cache;
    if (!c || value.depth != c->depth || e->scope->depth != c->depth)
        return;
    struct row_entry *r = find(c, slot, rank, idx);
    if (c->collecting) {
        if (r)
            return;
        r = ARENA_NEW(e->arena, struct row_entry);
        const struct ix **kept = arena_copy(e->arena, idx, rank * sizeof *idx);
        if (!r || !kept) {
            emit_fail(e, "out of memory");
            return;
        }
        *r = (struct row_entry){.next = c->entries, .slot = slot, .rank = rank, .idx = kept, .phase = c->phase, .value = value};
        const struct func *f = e->func;
        for (node_id n = 0; n < f->nnodes; n++)
            if (slot >= e->unit->first_slot[n] && slot < e->unit->first_slot[n] + f->nodes[n].nouts)
                r->type = f->nodes[n].outs[slot - e->unit->first_slot[n]].type;
        c->entries = r;
    } else if (r && r->kept && r->phase == c->phase && r->array) {
        emit_line(e, c->depth, "%s[%s] = %s;", r->array, c->counter, value.text);
        r->value = (struct expr){arena_printf(e->arena, "%s[%s]", r->array, c->counter), c->depth};
    }
}
