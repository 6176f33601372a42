#include "heap.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { GUARD = 0 };
#else
enum { GUARD = 64 };
#endif
enum { PLACES = 1 << 18 };
static const int pattern = 0xd7;

/* By address; a piece that is freed leaves its place to the next with the same hash. */
static struct piece {
    const void *at; /* NULL: never used */
    size_t size;
    bool is_live;
} pieces[PLACES];
static atomic_flag lock = ATOMIC_FLAG_INIT;
static uint32_t spoilt;

void __real_free(void *at);
void __wrap_free(void *at);

/* The entry of a block in the table, or a free one for a new block; NULL if there is none. */
static struct piece *find(const void *at, bool is_new)
{
    size_t hash = (size_t)((uintptr_t)at / 16 * 0x9e3779b1u) % PLACES;
    for (size_t i = 0; i < PLACES; i++) {
        struct piece *p = &pieces[(hash + i) % PLACES];
        if (is_new ? !p->is_live : p->at == at && p->is_live)
            return p;
        if (!p->at)
            return NULL;
    }
    return NULL;
}

static void *note(unsigned char *at, size_t size)
{
    if (!at || !GUARD)
        return at;
    memset(at + size, pattern, GUARD);
    while (atomic_flag_test_and_set(&lock))
        ;
    struct piece *p = find(at, true);
    if (p)
        *p = (struct piece){at, size, true};
    atomic_flag_clear(&lock);
    return at;
}

/* Nothing has no memory here, as the standard allows: then NULL says nothing of a failure. */
void *heap_malloc(size_t size)
{
    return !size || size > SIZE_MAX - GUARD ? NULL : note(malloc(size + GUARD), size);
}

void *heap_calloc(size_t count, size_t size)
{
    if (!size || !count || count > (SIZE_MAX - GUARD) / size)
        return NULL;
    return note(calloc(1, count * size + GUARD), count * size);
}

static bool is_spoilt(const struct piece *p)
{
    const unsigned char *end = (const unsigned char *)p->at + p->size;
    for (int i = 0; i < GUARD; i++)
        if (end[i] != pattern)
            return true;
    return false;
}

/* Looks behind the piece, if it is one, before it is freed. */
static void forget(const void *at)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    struct piece *p = find(at, false);
    if (p && is_spoilt(p)) {
        spoilt++;
        printf("heap: %zu bytes were written past their end\n", p->size);
    }
    if (p)
        p->is_live = false;
    atomic_flag_clear(&lock);
}

void __wrap_free(void *at)
{
    if (at && GUARD > 0) /* the lock would order what a sanitizer of threads looks at */
        forget(at);
    __real_free(at);
}

uint32_t heap_findings(void)
{
    uint32_t count = spoilt;
    for (size_t i = 0; i < PLACES; i++)
        if (pieces[i].is_live) {
            count++;
            printf("heap: %zu bytes were never freed%s\n", pieces[i].size,
                   is_spoilt(&pieces[i]) ? ", and written past their end" : "");
        }
    return count;
}
