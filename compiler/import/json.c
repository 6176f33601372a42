#include "import/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of an open list or object are on a stack. When it closes, they are copied to their
   final place. */
struct parser {
    struct arena *a;
    const char *at, *end, *start;
    char *error; /* 128 bytes */
    struct json_member *stack;
    size_t count, capacity;
    uint32_t depth;
};

static bool fail(struct parser *p, const char *at, const char *what)
{
    if (at == p->end)
        what = "the text ends too early";
    if (!p->error[0])
        snprintf(p->error, 128, "%s at byte %zu", what, (size_t)(at - p->start));
    return false;
}

static void skip_spaces(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static bool accept(struct parser *p, char c)
{
    skip_spaces(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* ---- strings ---- */

/* Bytes of the UTF-8 sequence at `s`, by the table of well-formed ones (Unicode, table 3-7); 0
   if it is none. */
static uint32_t utf8_length(const unsigned char *s, size_t left)
{
    unsigned char lo = 0x80, hi = 0xbf;
    uint32_t n = s[0] < 0x80   ? 1
                 : s[0] < 0xc2 ? 0
                 : s[0] < 0xe0 ? 2
                 : s[0] < 0xf0 ? 3
                 : s[0] < 0xf5 ? 4
                               : 0;
    if (s[0] == 0xe0)
        lo = 0xa0;
    else if (s[0] == 0xed)
        hi = 0x9f;
    else if (s[0] == 0xf0)
        lo = 0x90;
    else if (s[0] == 0xf4)
        hi = 0x8f;
    if (n > left || (n > 1 && (s[1] < lo || s[1] > hi)))
        return 0;
    for (uint32_t i = 2; i < n; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return n;
}

static uint32_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80)
        return out[0] = (char)c, 1;
    if (c < 0x800)
        return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        return out[2] = (char)(0x80 | (c & 63)), 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    return out[3] = (char)(0x80 | (c & 63)), 4;
}

static bool read_hex(struct parser *p, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = p->at < p->end && *p->at ? strchr(digits, *p->at) : NULL;
        if (!digit)
            return fail(p, p->at, "a hexadecimal digit is expected");
        *out = *out << 4 | (uint32_t)((digit - digits) & 15);
    }
    return true;
}

/* What follows a backslash. */
static bool read_escape(struct parser *p, char *out, uint32_t *out_length)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *start = p->at, *letter = p->at < p->end && *p->at ? strchr(letters, *p->at) : NULL;
    if (letter) {
        p->at++;
        *out = meant[letter - letters];
        return *out_length = 1, true;
    }
    if (p->at == p->end || *p->at != 'u')
        return fail(p, p->at, "an unknown escape");
    uint32_t c, low;
    p->at++;
    if (!read_hex(p, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
            return fail(p, start, "half of a surrogate pair");
        p->at += 2;
        if (!read_hex(p, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return fail(p, start, "half of a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c >= 0xdc00 && c < 0xe000)
        return fail(p, start, "half of a surrogate pair");
    *out_length = put_utf8(c, out);
    return true;
}

/* After the quote. The bytes need no more room than their source. */
static bool read_string(struct parser *p, const char **out, uint32_t *out_count)
{
    const char *end = p->at;
    while (end < p->end && *end != '"')
        end += *end == '\\' && end + 1 < p->end ? 2 : 1;
    char *text = arena_alloc(p->a, (size_t)(end - p->at) + 1, 1);
    uint32_t count = 0;
    if (!text)
        return false;
    for (uint32_t n; p->at < p->end && *p->at != '"'; count += n) {
        n = 1;
        if (*p->at == '\\') {
            p->at++;
            if (!read_escape(p, text + count, &n))
                return false;
            continue;
        }
        if ((unsigned char)*p->at < 0x20)
            return fail(p, p->at, "a control character in a string");
        n = utf8_length((const unsigned char *)p->at, (size_t)(p->end - p->at));
        if (!n)
            return fail(p, p->at, "a string that is not UTF-8");
        memcpy(text + count, p->at, n);
        p->at += n;
    }
    if (p->at == p->end)
        return fail(p, p->at, "");
    p->at++;
    *out = text;
    *out_count = count;
    return true;
}

/* ---- numbers and words ---- */

static bool read_digits(struct parser *p)
{
    const char *start = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
    return p->at > start || fail(p, p->at, "a digit is expected");
}

static bool read_number(struct parser *p, struct json *out)
{
    bool negative = accept(p, '-');
    const char *digits = p->at;
    uint64_t limit = (uint64_t)INT64_MAX + negative, n = 0;
    out->kind = JSON_INTEGER;
    out->fits = true;
    if (!read_digits(p))
        return false;
    if (*digits == '0' && p->at - digits > 1)
        return fail(p, digits, "a number that begins with 0");
    for (const char *d = digits; d < p->at; d++) {
        uint64_t digit = (uint64_t)(*d - '0');
        out->fits = out->fits && n <= (limit - digit) / 10;
        n = out->fits ? 10 * n + digit : 0;
    }
    out->integer = !out->fits ? 0 : negative ? (int64_t)(~n + 1) : (int64_t)n;
    if (p->at < p->end && *p->at == '.') {
        out->kind = JSON_FRACTION;
        p->at++;
        if (!read_digits(p))
            return false;
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        out->kind = JSON_FRACTION;
        p->at++;
        if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
            p->at++;
        if (!read_digits(p))
            return false;
    }
    return true;
}

static bool read_word(struct parser *p, const char *word)
{
    for (const char *start = p->at; *word; word++, p->at++)
        if (p->at == p->end || *p->at != *word)
            return fail(p, p->at == p->end ? p->at : start, "a value is expected");
    return true;
}

/* ---- lists and objects ---- */

static bool read_value(struct parser *p, struct json *out);

static bool push(struct parser *p, const struct json_member *member)
{
    if (p->count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 64;
        /* the text is too short for an overflow */
        struct json_member *stack = realloc(p->stack, capacity * sizeof *stack);
        if (!stack)
            return false;
        p->stack = stack;
        p->capacity = capacity;
    }
    p->stack[p->count++] = *member;
    return true;
}

static bool read_list(struct parser *p, struct json *out)
{
    size_t first = p->count;
    out->kind = JSON_LIST;
    bool ended = accept(p, ']');
    while (!ended) {
        struct json_member item = {.key = NULL};
        if (!read_value(p, &item.value) || !push(p, &item))
            return false;
        ended = accept(p, ']');
        if (!ended && !accept(p, ','))
            return fail(p, p->at, "a comma or the end of a list is expected");
    }
    out->count = (uint32_t)(p->count - first);
    struct json *items = ARENA_ARRAY(p->a, struct json, out->count + 1u);
    for (uint32_t i = 0; items && i < out->count; i++)
        items[i] = p->stack[first + i].value;
    p->count = first;
    out->items = items;
    return items != NULL;
}

static bool read_key(struct parser *p, size_t first, const char **out)
{
    skip_spaces(p);
    const char *start = p->at;
    uint32_t count;
    if (!accept(p, '"'))
        return fail(p, p->at, "a key in quotes is expected");
    if (!read_string(p, out, &count))
        return false;
    if (memchr(*out, '\0', count))
        return fail(p, start, "a key with a NUL character");
    if (p->count - first == JSON_MAX_KEYS)
        return fail(p, start, "an object with too many keys");
    for (size_t i = first; i < p->count; i++)
        if (strcmp(p->stack[i].key, *out) == 0)
            return fail(p, start, "a duplicate key");
    return accept(p, ':') || fail(p, p->at, "a colon is expected");
}

static bool read_object(struct parser *p, struct json *out)
{
    size_t first = p->count;
    out->kind = JSON_OBJECT;
    bool ended = accept(p, '}');
    while (!ended) {
        struct json_member member = {.key = NULL};
        if (!read_key(p, first, &member.key) || !read_value(p, &member.value) || !push(p, &member))
            return false;
        ended = accept(p, '}');
        if (!ended && !accept(p, ','))
            return fail(p, p->at, "a comma or the end of an object is expected");
    }
    out->count = (uint32_t)(p->count - first);
    struct json_member *members = ARENA_ARRAY(p->a, struct json_member, out->count + 1u);
    if (members && out->count)
        memcpy(members, p->stack + first, out->count * sizeof *members);
    p->count = first;
    out->members = members;
    return members != NULL;
}

/* ---- values ---- */

static bool read_nested(struct parser *p, char bracket, struct json *out)
{
    if (p->depth == JSON_MAX_DEPTH)
        return fail(p, p->at, "nesting too deep");
    p->depth++;
    p->at++;
    bool ok = bracket == '[' ? read_list(p, out) : read_object(p, out);
    p->depth--;
    return ok;
}

static bool read_value(struct parser *p, struct json *out)
{
    skip_spaces(p);
    const char *start = p->at;
    bool ok;
    switch (p->at < p->end ? *p->at : '\0') {
    case '{':
    case '[': ok = read_nested(p, *p->at, out); break;
    case '"':
        p->at++;
        out->kind = JSON_STRING;
        ok = read_string(p, &out->text, &out->count);
        break;
    case 't':
    case 'f':
        out->kind = JSON_BOOLEAN;
        out->boolean = *p->at == 't';
        ok = read_word(p, out->boolean ? "true" : "false");
        break;
    case 'n':
        out->kind = JSON_NULL;
        ok = read_word(p, "null");
        break;
    default:
        ok = p->at < p->end && (*p->at == '-' || (*p->at >= '0' && *p->at <= '9'));
        ok = ok ? read_number(p, out) : fail(p, p->at, "a value is expected");
    }
    out->source = start;
    out->size = (uint32_t)(p->at - start);
    return ok;
}

const struct json *json_parse(struct arena *a, const char *text, size_t size, char error[128])
{
    struct parser p = {.a = a, .at = text, .end = text + size, .start = text, .error = error};
    struct json *out = ARENA_NEW(a, struct json);
    error[0] = '\0';
    if (size > JSON_MAX_BYTES) {
        snprintf(error, 128, "%zu bytes, the most is %d", size, JSON_MAX_BYTES);
        return NULL;
    }
    bool ok = out && read_value(&p, out);
    free(p.stack);
    skip_spaces(&p);
    if (ok && p.at < p.end)
        ok = fail(&p, p.at, "text after the end,");
    return ok ? out : NULL;
}

const struct json *json_get(const struct json *j, const char *key)
{
    for (uint32_t i = 0; j && j->kind == JSON_OBJECT && i < j->count; i++)
        if (strcmp(j->members[i].key, key) == 0)
            return &j->members[i].value;
    return NULL;
}
