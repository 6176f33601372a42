/* A map from 64-bit handles to records, for the watch: open addressing, nothing else. */
#ifndef TEST_WATCH_MAP_H
#define TEST_WATCH_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map {
    struct map_entry {
        uint64_t key;
        void *value;
    } * entries;            /* value NULL: free */
    size_t count, capacity; /* a power of two */
};

void *map_get(const struct map *map, uint64_t key);
/* Replaces what was there. Aborts when memory is out: tests only. */
void map_put(struct map *map, uint64_t key, void *value);
/* *Returns* what was there, or NULL. */
void *map_take(struct map *map, uint64_t key);
/* Frees the table, and every record in it. */
void map_finish(struct map *map, void (*release)(void *value));

#endif
