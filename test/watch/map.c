#include "map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t home(const struct map *map, uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (map->capacity - 1);
}

static struct map_entry *find(const struct map *map, uint64_t key)
{
    if (!map->capacity)
        return NULL;
    for (size_t at = home(map, key);; at = (at + 1) & (map->capacity - 1))
        if (!map->entries[at].value || map->entries[at].key == key)
            return &map->entries[at];
}

void *map_get(const struct map *map, uint64_t key)
{
    const struct map_entry *entry = find(map, key);
    return entry ? entry->value : NULL;
}

static void grow(struct map *map)
{
    struct map bigger = {.capacity = map->capacity ? 2 * map->capacity : 64};
    bigger.entries = calloc(bigger.capacity, sizeof *bigger.entries);
    if (!bigger.entries)
        abort();
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value)
            *find(&bigger, map->entries[i].key) = map->entries[i];
    bigger.count = map->count;
    free(map->entries);
    *map = bigger;
}

void map_put(struct map *map, uint64_t key, void *value)
{
    if (2 * (map->count + 1) > map->capacity)
        grow(map);
    struct map_entry *entry = find(map, key);
    map->count += !entry->value;
    *entry = (struct map_entry){key, value};
}

void *map_take(struct map *map, uint64_t key)
{
    struct map_entry *entry = find(map, key);
    void *value = entry ? entry->value : NULL;
    if (!value)
        return NULL;
    size_t hole = (size_t)(entry - map->entries), mask = map->capacity - 1;
    for (size_t at = (hole + 1) & mask; map->entries[at].value; at = (at + 1) & mask) {
        if (((at - home(map, map->entries[at].key)) & mask) < ((at - hole) & mask))
            continue; /* its search does not pass the hole */
        map->entries[hole] = map->entries[at];
        hole = at;
    }
    memset(&map->entries[hole], 0, sizeof map->entries[hole]);
    map->count--;
    return value;
}

void map_finish(struct map *map, void (*release)(void *value))
{
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value)
            release(map->entries[i].value);
    free(map->entries);
    memset(map, 0, sizeof *map);
}
