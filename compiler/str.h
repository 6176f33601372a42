/* Text that grows in an arena. A failed allocation drops text and marks the arena. */
#ifndef VKC_STR_H
#define VKC_STR_H

#include "arena.h"

struct str {
    struct arena *arena;
    char *data;         /* always ends in NUL once anything was added; NULL before */
    size_t len, cap;
};

void str_init(struct str *s, struct arena *a);
void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const char *text, size_t n);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void str_printf(struct str *s, const char *fmt, ...);
/* The text, never NULL. */
const char *str_text(const struct str *s);

#endif
