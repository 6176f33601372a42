/* For the next pair that no row has: a few candidates that have it, the other dimensions chosen
   one after another by how many pairs they add. The best of them becomes a row. */
#include "pairs.h"

#include <string.h>

enum { CANDIDATES = 6, TRIES = 48 };
#define OPEN UINT32_MAX /* a dimension whose value is not chosen */

struct cover {
    const struct pairs *p;
    uint64_t random;
    uint8_t *missing[MOST_DIMS][MOST_DIMS]; /* by the two values */
};

static uint64_t draw(struct cover *c, uint64_t below)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return (c->random >> 11) % below;
}

static uint8_t *pair_at(struct cover *c, uint32_t i, uint32_t x, uint32_t j, uint32_t y)
{
    return i < j ? &c->missing[i][j][(size_t)x * c->p->size[j] + y]
                 : &c->missing[j][i][(size_t)y * c->p->size[i] + x];
}

/* Pairs that `value` of dimension `i` adds to those chosen so far. */
static uint32_t gain(struct cover *c, const uint32_t *row, uint32_t i, uint32_t value)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < c->p->ndims; j++)
        if (j != i && row[j] != OPEN)
            n += *pair_at(c, i, value, j, row[j]);
    return n;
}

static void choose(struct cover *c, uint32_t *row, uint32_t i)
{
    uint32_t best = 0, most = 0, first = (uint32_t)draw(c, c->p->size[i]);
    for (uint32_t k = 0; k < c->p->size[i]; k++) {
        uint32_t value = (first + k) % c->p->size[i], n = gain(c, row, i, value);
        if (k == 0 || n > most) {
            best = value;
            most = n;
        }
    }
    row[i] = best;
}

/* Chooses what is open, in a random order; after some failures at random, since the best may not
   exist. */
static void complete(struct cover *c, uint32_t *row, bool at_random)
{
    for (uint32_t first = (uint32_t)draw(c, c->p->ndims), k = 0; k < c->p->ndims; k++) {
        uint32_t i = (first + k) % c->p->ndims;
        if (row[i] != OPEN)
            continue;
        if (at_random)
            row[i] = (uint32_t)draw(c, c->p->size[i]);
        else
            choose(c, row, i);
    }
}

static uint32_t settle(struct cover *c, const uint32_t *row)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->p->ndims; i++)
        for (uint32_t j = i + 1; j < c->p->ndims; j++) {
            uint8_t *pair = pair_at(c, i, row[i], j, row[j]);
            n += *pair;
            *pair = 0;
        }
    return n;
}

static uint32_t count(struct cover *c, const uint32_t *row)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->p->ndims; i++)
        n += gain(c, row, i, row[i]);
    return n / 2;
}

static bool cover_pair(struct cover *c, struct arena *a, struct rows *out, uint32_t i, uint32_t x,
                       uint32_t j, uint32_t y)
{
    uint32_t best[MOST_DIMS], most = 0;
    for (uint32_t found = 0, tries = 0; found < CANDIDATES && tries < TRIES; tries++) {
        uint32_t row[MOST_DIMS];
        for (uint32_t k = 0; k < MOST_DIMS; k++)
            row[k] = OPEN;
        row[i] = x;
        row[j] = y;
        complete(c, row, tries >= TRIES / 4 && found == 0);
        if (!c->p->is_valid(c->p->context, row))
            continue;
        found++;
        uint32_t n = count(c, row);
        if (n > most)
            memcpy(best, row, sizeof best), most = n;
    }
    if (most == 0) {
        *pair_at(c, i, x, j, y) = 0;
        out->impossible++;
        return true;
    }
    settle(c, best);
    if (!arena_grow(a, &out->row, out->count, &out->cap, sizeof *out->row))
        return false;
    memcpy(out->row[out->count++], best, sizeof best);
    return true;
}

bool pairs_cover(const struct pairs *p, struct arena *a, struct rows *out)
{
    struct cover c = {.p = p, .random = p->seed * 2 + 1};
    *out = (struct rows){0};
    for (uint32_t i = 0; i < p->ndims; i++)
        for (uint32_t j = i + 1; j < p->ndims; j++) {
            size_t n = (size_t)p->size[i] * p->size[j];
            if (!(c.missing[i][j] = arena_alloc(a, n, 1)))
                return false;
            memset(c.missing[i][j], 1, n);
        }
    for (uint32_t i = 0; i < p->ndims; i++)
        for (uint32_t j = i + 1; j < p->ndims; j++)
            for (uint32_t x = 0; x < p->size[i]; x++)
                for (uint32_t y = 0; y < p->size[j]; y++)
                    if (*pair_at(&c, i, x, j, y) && !cover_pair(&c, a, out, i, x, j, y))
                        return false;
    return true;
}
