/* Guard bytes behind each allocation of an arena, in builds with SAN=1 or -DARENA_FENCE; other
   builds have none. Without them, a loop that runs one element too far reads zeros or the next
   allocation, and nothing fails. Under the address sanitizer reading a guard byte is an error.
   With -DARENA_FENCE the bytes are 0xa5, which makes an index, a count or a pointer invalid. */
#ifndef VKC_ARENA_FENCE_H
#define VKC_ARENA_FENCE_H

#include <stddef.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_SANITIZED
#endif

#ifdef ARENA_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

enum { FENCE_PATTERN = 0xa5, FENCE_MOST = 4096 };

/* Behind elements of `size` bytes: as much as the next one would take. A multiple of 16. */
static inline size_t fence_bytes(size_t size)
{
#if defined ARENA_SANITIZED || defined ARENA_FENCE
    return (size < FENCE_MOST ? size + 31 : FENCE_MOST) & ~(size_t)15;
#else
    return 0 * size;
#endif
}

/* Nobody may use these bytes, until they are opened. */
static inline void fence_close(unsigned char *p, size_t n)
{
#if defined ARENA_SANITIZED || defined ARENA_FENCE
    memset(p, FENCE_PATTERN, n);
#endif
#ifdef ARENA_SANITIZED
    ASAN_POISON_MEMORY_REGION(p, n);
#endif
    (void)p, (void)n;
}

/* The opposite; what the bytes hold is left as it is. */
static inline void fence_open(unsigned char *p, size_t n)
{
#ifdef ARENA_SANITIZED
    ASAN_UNPOISON_MEMORY_REGION(p, n);
#endif
    (void)p, (void)n;
}

#endif
