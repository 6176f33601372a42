/* The arena, on a heap that counts: what it takes it gives back, whatever the sizes; what it
   hands out is zero, aligned and its own; a failure is told. Its blocks are small here. */
#include <stdlib.h>

static size_t held;
static unsigned long allowed = ~0ul; /* allocations until all fail */

static void *counted_calloc(size_t n, size_t size)
{
    void *p = allowed > 0 ? calloc(n, size) : NULL;
    allowed -= allowed > 0;
    held += p != NULL;
    return p;
}

static void counted_free(void *p)
{
    held -= p != NULL;
    free(p);
}

#define ARENA_BLOCK 64u
#define calloc counted_calloc
#define free counted_free
#include "base/arena.c"
#undef calloc
#undef free

#include "check.h"

static void test_sizes(void)
{
    struct arena a;
    unsigned char *parts[200];
    arena_init(&a, 0);
    for (size_t i = 0; i < 200; i++) {
        size_t n = i * 7 % 150;
        parts[i] = arena_alloc(&a, n, 1);
        bool zero = parts[i] != NULL;
        for (size_t k = 0; zero && k < n; k++)
            zero = parts[i][k] == 0;
        CHECK(zero && (uintptr_t)parts[i] % 16 == 0, "%zu bytes", n);
        memset(parts[i], (int)i + 1, n);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < i * 7 % 150; k++)
            CHECK(parts[i][k] == (unsigned char)(i + 1), "byte %zu of part %zu is another's", k, i);
    CHECK(held > 50 && !a.failed, "%zu blocks", held);
    arena_finish(&a);
    CHECK(held == 0, "%zu blocks are left", held);
    CHECK(a.head == NULL && a.used == 0, "it is empty, and can be finished again");
    arena_finish(&a);
}

static void test_failures(void)
{
    struct arena a;
    arena_init(&a, 1000);
    CHECK(arena_alloc(&a, 900, 1) && !arena_alloc(&a, 101, 1) && a.failed, "more than the limit");
    arena_finish(&a);
    arena_init(&a, 0);
    CHECK(!arena_alloc(&a, SIZE_MAX / 2, 3) && a.failed, "a size that overflows");
    arena_finish(&a);
    for (unsigned long n = 0; n < 8; n++) {
        unsigned made = 0;
        allowed = n;
        arena_init(&a, 0);
        for (int i = 0; i < 8; i++)
            made += arena_alloc(&a, 60, 1) != NULL;
        CHECK(made == n && a.failed, "%lu blocks, %u parts", n, made);
        arena_finish(&a);
        CHECK(held == 0, "%zu of %lu blocks are left", held, n);
    }
    allowed = 0;
    arena_init(&a, 0);
    CHECK(!strcmp(arena_strdup(&a, "text"), "") && a.failed, "a text that does not fit is empty");
    a.failed = false;
    CHECK(!strcmp(arena_printf(&a, "%d", 12), "") && a.failed, "and one that is printed");
    arena_finish(&a);
    allowed = ~0ul;
}

static void test_scratch(void)
{
    struct arena a, scratch;
    arena_init(&a, 1000);
    arena_scratch(&scratch, &a);
    CHECK(arena_alloc(&scratch, 900, 1) && a.used == 0, "it has memory of its own");
    arena_finish(&scratch);
    CHECK(!a.failed && held == 0, "no failure to tell of");
    arena_scratch(&scratch, &a);
    CHECK(!arena_alloc(&scratch, 1001, 1) && !a.failed, "the same limit");
    arena_finish(&scratch);
    CHECK(a.failed, "its parent knows of a failure");
    arena_finish(&a);
}

static void test_grow(void)
{
    struct arena a;
    uint32_t *list = NULL, n = 0, capacity = 0;
    bool ok = true;
    arena_init(&a, 0);
    for (; ok && n < 1000; n++) {
        ok = arena_grow(&a, &list, n, &capacity, sizeof *list) && capacity > n;
        if (ok)
            list[n] = n;
    }
    for (uint32_t i = 0; ok && i < n; i++)
        ok = list[i] == i;
    CHECK(ok, "a list of %u keeps its entries", n);
    capacity = UINT32_MAX / 2 + 1;
    CHECK(!arena_grow(&a, &list, capacity, &capacity, 1) && a.failed,
          "twice 2^31 entries have no number of 32 bits");
    arena_finish(&a);
    CHECK(held == 0, "%zu blocks are left", held);
}

int main(void)
{
    test_sizes();
    test_failures();
    test_scratch();
    test_grow();
    return check_report();
}
