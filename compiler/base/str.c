#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void str_init(struct str *s, struct arena *a)
{
    *s = (struct str){.arena = a};
}

static bool reserve(struct str *s, size_t n)
{
    if (s->len + n + 1 <= s->cap)
        return true;
    size_t cap = s->cap ? s->cap : 256;
    while (cap < s->len + n + 1) {
        if (cap > SIZE_MAX / 4) {
            s->arena->failed = true;
            return false;
        }
        cap *= 2;
    }
    char *p = arena_alloc(s->arena, cap, 1);
    if (!p)
        return false;
    if (s->len)
        memcpy(p, s->data, s->len);
    s->data = p;
    s->cap = cap;
    return true;
}

void str_addn(struct str *s, const char *text, size_t n)
{
    if (!reserve(s, n))
        return;
    memcpy(s->data + s->len, text, n);
    s->len += n;
    s->data[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
    str_addn(s, text, strlen(text));
}

void str_printf(struct str *s, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && reserve(s, (size_t)n)) {
        vsnprintf(s->data + s->len, (size_t)n + 1, fmt, again);
        s->len += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

const char *str_comment(struct arena *a, const char *text)
{
    enum { MOST = 120 };
    size_t n = strlen(text);
    if (n > MOST)
        for (n = MOST; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--; /* not within a character */
    char *out = arena_copy(a, text, n + 1);
    if (!out)
        return "";
    out[n] = '\0';
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '\\')
            *c = '?';
    return out;
}

const char *str_text(const struct str *s)
{
    return s->data ? s->data : "";
}
