/* Text that grows in an arena. A failed allocation drops text and marks the arena. */
#ifndef VKC_STR_H
#define VKC_STR_H

#include "base/arena.h"

struct str {
    struct arena *arena;
    char *data; /* always ends in NUL once anything was added; NULL before */
    size_t len, cap;
};

void str_init(struct str *s, struct arena *a);
void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const char *text, size_t n);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void str_printf(struct str *s, const char *fmt, ...);
/* Text from outside as it may stand in a comment of a shader: control characters and backslashes
   become '?', which could end the line or join it with the next, and 120 bytes are left at most.
   "" if memory is out. */
const char *str_comment(struct arena *a, const char *text);
/* The text, never NULL. */
const char *str_text(const struct str *s);

#endif
