/* What lies behind the allocations of an arena in builds that look for faults (arena_fence.h):
   nothing that could be taken for an element. */
#ifndef ARENA_FENCE
#define ARENA_FENCE
#endif
#include "base/arena.c"

#include "check.h"

/* Whether a fault would be noticed that reads `n` bytes there. */
static bool is_closed(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
#ifdef ARENA_SANITIZED
        if (!__asan_address_is_poisoned(p + i))
            return false;
#else
        if (p[i] != FENCE_PATTERN)
            return false;
#endif
    return true;
}

static void test_sizes(void)
{
    static const size_t sizes[] = {1, 3, 4, 8, 12, 16, 24, 100, 4096};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t count = 0; count < 40; count++) {
            struct arena a;
            size_t size = sizes[s];
            arena_init(&a, 0);
            unsigned char *p = arena_alloc(&a, count, size), *next = arena_alloc(&a, 1, size);
            bool zero = p && next;
            for (size_t i = 0; zero && i < count * size; i++)
                zero = p[i] == 0;
            CHECK(zero, "%zu of %zu bytes are zero", count, size);
            CHECK(is_closed(p + count * size, size), "%zu of %zu bytes: there is one more", count,
                  size);
            memset(p, 1, count * size);
            zero = true;
            for (size_t i = 0; i < size; i++)
                zero &= next[i] == 0;
            CHECK(zero, "%zu of %zu bytes: what follows is its own", count, size);
            arena_finish(&a);
        }
}

static void test_limit(void)
{
    struct arena a;
    arena_init(&a, 160);
    for (int i = 0; i < 10; i++)
        CHECK(arena_alloc(&a, 1, 16), "fences count for nothing");
    CHECK(!arena_alloc(&a, 1, 1), "only what is asked for is limited");
    arena_finish(&a);
}

static void test_grow(void)
{
    struct arena a;
    uint32_t *list = NULL, n = 0, capacity = 0;
    bool ok = true, closed = true;
    arena_init(&a, 0);
    while (ok && n < 100) {
        ok = arena_grow(&a, &list, n, &capacity, sizeof *list);
        if (!ok)
            break;
        list[n] = n;
        n++;
        closed &= is_closed((unsigned char *)&list[n], (capacity - n + 1) * sizeof *list);
    }
    for (uint32_t i = 0; ok && i < n; i++)
        ok = list[i] == i;
    CHECK(ok, "a list keeps its entries");
    CHECK(closed, "what it has room for are no entries");
    arena_finish(&a);
}

int main(void)
{
    test_sizes();
    test_limit();
    test_grow();
    return check_report();
}
