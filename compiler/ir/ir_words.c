#include "ir/ir_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

/* ---- words ---- */

bool words_fail(struct words *p, enum diag_code code, const char *file, int line, const char *fmt,
                ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_vfail(p->d, code, file, line, fmt, ap);
    va_end(ap);
    diag_where(p->d, "line %u", p->word.line);
    return false;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

static void skip_blanks(struct words *p)
{
    for (; p->at < p->end; p->at++) {
        if (*p->at == '#')
            while (p->at + 1 < p->end && p->at[1] != '\n')
                p->at++;
        else if (*p->at == '\n')
            p->line++;
        else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r')
            return;
    }
}

static bool next_string(struct words *p)
{
    p->word.kind = WORD_STRING;
    p->word.text = ++p->at;
    while (p->at < p->end && *p->at != '"' && *p->at != '\n')
        p->at += *p->at == '\\' && p->at + 1 < p->end ? 2 : 1;
    if (p->at >= p->end || *p->at != '"')
        return BAD_TEXT(p, "a string does not end on its line");
    p->word.len = (size_t)(p->at++ - p->word.text);
    return true;
}

bool words_next(struct words *p)
{
    skip_blanks(p);
    p->word = (struct word){WORD_END, p->at, 0, p->line};
    if (p->at >= p->end)
        return true;
    if (*p->at == '"')
        return next_string(p);
    bool negative = *p->at == '-' && p->at + 1 < p->end && p->at[1] >= '0' && p->at[1] <= '9';
    if (negative || is_name_char(*p->at)) {
        p->word.kind = WORD_NAME;
        for (p->at++; p->at < p->end && is_name_char(*p->at); p->at++)
            ;
    } else {
        p->word.kind = WORD_MARK;
        p->at += *p->at == '-' && p->at + 1 < p->end && p->at[1] == '>' ? 2 : 1;
    }
    p->word.len = (size_t)(p->at - p->word.text);
    return true;
}

bool words_at(const struct words *p, const char *text)
{
    return (p->word.kind == WORD_NAME || p->word.kind == WORD_MARK) &&
           strlen(text) == p->word.len && memcmp(p->word.text, text, p->word.len) == 0;
}

bool words_bad(struct words *p, const char *needs)
{
    if (p->word.kind == WORD_END)
        return BAD_TEXT(p, "needs %s, found the end", needs);
    int shown = p->word.len < 40 ? (int)p->word.len : 40;
    char text[41];
    for (int i = 0; i < shown; i++)
        text[i] = p->word.text[i] >= ' ' && p->word.text[i] <= '~' ? p->word.text[i] : '?';
    text[shown] = '\0';
    return BAD_TEXT(p, "needs %s, found \"%s\"", needs, text);
}

bool words_accept(struct words *p, const char *text, bool *out)
{
    *out = words_at(p, text);
    return !*out || words_next(p);
}

bool words_expect(struct words *p, const char *text)
{
    return words_at(p, text) ? words_next(p) : words_bad(p, text);
}

bool words_key(struct words *p, const char *key)
{
    return words_expect(p, key) && words_expect(p, "=");
}

/* ---- numbers and text ---- */

bool words_digits(const char *text, size_t len, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < len; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || *out > (INT64_MAX - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    return len > 0;
}

bool words_int(struct words *p, int64_t *out)
{
    bool negative = p->word.len > 0 && p->word.text[0] == '-';
    uint64_t size;
    if (p->word.kind != WORD_NAME ||
        !words_digits(p->word.text + negative, p->word.len - negative, &size))
        return words_bad(p, "an integer of 64 bits");
    *out = negative ? -(int64_t)size : (int64_t)size;
    return words_next(p);
}

bool words_count(struct words *p, uint32_t most, uint32_t *out)
{
    int64_t i;
    struct word word = p->word;
    if (!words_int(p, &i))
        return false;
    *out = (uint32_t)i;
    if (i >= 0 && i <= (int64_t)most)
        return true;
    p->word = word;
    return BAD_TEXT(p, "%lld is out of range, the most is %u", (long long)i, most);
}

bool words_numbered(struct words *p, char letter, const char *what, uint32_t most, uint32_t *out)
{
    uint64_t i;
    if (p->word.kind != WORD_NAME || p->word.text[0] != letter ||
        !words_digits(p->word.text + 1, p->word.len - 1, &i) || i > most)
        return words_bad(p, what);
    *out = (uint32_t)i;
    return words_next(p);
}

bool words_string(struct words *p, const char **out)
{
    if (p->word.kind != WORD_STRING)
        return words_bad(p, "a string in quotes");
    char *text = arena_alloc(p->a, p->word.len + 1, 1);
    if (!text)
        return NO_MEMORY(p);
    size_t n = 0;
    for (size_t i = 0; i < p->word.len; i++) {
        const char *s = p->word.text + i;
        unsigned char byte;
        if (*s == '\\' && s[1] == 'x' && i + 3 < p->word.len && hex_decode(s + 2, 2, &byte) &&
            byte != 0) {
            text[n++] = (char)byte;
            i += 3;
        } else if (*s == '\\' && (s[1] == '"' || s[1] == '\\')) {
            text[n++] = s[1];
            i++;
        } else if (*s == '\\' || *s == '\0') {
            return BAD_TEXT(
                p,
                "in a string, only \\\", \\\\ and \\xHH follow a backslash, and there is no NUL");
        } else {
            text[n++] = *s;
        }
    }
    *out = text;
    return words_next(p);
}

bool words_hex(struct words *p, unsigned char *out, size_t bytes)
{
    if (p->word.kind != WORD_NAME || p->word.len != 2 * bytes ||
        !hex_decode(p->word.text, p->word.len, out)) {
        char needs[64];
        snprintf(needs, sizeof needs, "%zu hexadecimal digits", 2 * bytes);
        return words_bad(p, needs);
    }
    return words_next(p);
}

bool words_int_list(struct words *p, int64_t list[VKC_MAX_RANK], uint32_t *out_n)
{
    bool more;
    *out_n = 0;
    if (!words_expect(p, "["))
        return false;
    for (more = !words_at(p, "]"); more;) {
        if (*out_n == VKC_MAX_RANK)
            return BAD_TEXT(p, "the list has more than %d entries", VKC_MAX_RANK);
        if (!words_int(p, &list[(*out_n)++]) || !words_accept(p, ",", &more))
            return false;
    }
    return words_expect(p, "]");
}
