#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_fence.h"

#ifndef ARENA_BLOCK
#define ARENA_BLOCK (256u * 1024u)
#endif

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    _Alignas(16) unsigned char data[];
};

void arena_init(struct arena *a, size_t limit)
{
    *a = (struct arena){.limit = limit};
}

void arena_scratch(struct arena *a, struct arena *parent)
{
    *a = (struct arena){.limit = parent->limit, .cancel = parent->cancel, .parent = parent};
}

void arena_finish(struct arena *a)
{
    if (a->parent)
        a->parent->failed |= a->failed;
    for (struct arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        fence_open(b->data, b->size);
        free(b);
    }
    *a = (struct arena){0};
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        goto fail;
    size_t n = (count * size + 15) & ~(size_t)15;
    if (n == 0)
        n = 16;
    if (a->limit && (n > a->limit || a->used > a->limit - n))
        goto fail;
    size_t taken = n + fence_bytes(size);
    unsigned char *p;
    if (a->head && a->head->size - a->head->used >= taken) {
        p = a->head->data + a->head->used;
        a->head->used += taken;
    } else {
        size_t block = taken > ARENA_BLOCK ? taken : ARENA_BLOCK;
        struct arena_block *b = calloc(1, sizeof *b + block);
        if (!b)
            goto fail;
        b->size = block;
        b->used = taken;
        /* one that is large is full: the current one goes on being filled */
        bool is_second = a->head && taken > ARENA_BLOCK;
        b->next = is_second ? a->head->next : a->head;
        *(is_second ? &a->head->next : &a->head) = b;
        p = b->data;
    }
    a->used += n;
    fence_close(p + count * size, taken - count * size);
    return p;

fail:
    a->failed = true;
    return NULL;
}

void *arena_copy(struct arena *a, const void *p, size_t n)
{
    void *q = arena_alloc(a, n, 1);
    if (q && n)
        memcpy(q, p, n);
    return q;
}

const char *arena_strdup(struct arena *a, const char *s)
{
    const char *p = arena_copy(a, s, strlen(s) + 1);
    return p ? p : "";
}

const char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *p = n < 0 ? NULL : arena_alloc(a, (size_t)n + 1, 1);
    if (p)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return p ? p : "";
}

bool arena_grow(struct arena *a, void *array_ptr, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        void *array;
        memcpy(&array, array_ptr, sizeof array);
        fence_open((unsigned char *)array + (size_t)count * size, size);
        return true;
    }
    if (*capacity > UINT32_MAX / 2) {
        a->failed = true;
        return false;
    }
    uint32_t wanted = *capacity ? *capacity * 2 : 8;
    void *bigger = arena_alloc(a, wanted, size);
    if (!bigger)
        return false;
    void *old;
    memcpy(&old, array_ptr, sizeof old);
    if (count)
        memcpy(bigger, old, (size_t)count * size);
    unsigned char *next = (unsigned char *)bigger + count * size;
    fence_close(next, (wanted - count) * size);
    fence_open(next, size);
    memcpy(array_ptr, &bigger, sizeof bigger);
    *capacity = wanted;
    return true;
}
