#include "import/import_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- places and errors ---- */

void reader_enter_key(struct reader *r, const char *key)
{
    if (r->depth < READER_MAX_PATH)
        r->path[r->depth] = (struct step){key, 0};
    r->depth++;
}

void reader_enter_index(struct reader *r, uint32_t index)
{
    if (r->depth < READER_MAX_PATH)
        r->path[r->depth] = (struct step){NULL, index};
    r->depth++;
}

void reader_leave(struct reader *r)
{
    r->depth--;
}

static void put_where(struct reader *r)
{
    char text[sizeof r->d->where] = "$";
    size_t at = 1;
    for (uint32_t i = 0; i < r->depth && i < READER_MAX_PATH && at < sizeof text; i++) {
        const struct step *s = &r->path[i];
        int n = s->key ? snprintf(text + at, sizeof text - at, ".%s", s->key)
                       : snprintf(text + at, sizeof text - at, "[%u]", s->index);
        at += n > 0 ? (size_t)n : 0;
    }
    diag_where(r->d, "%s", text);
}

bool reader_fail(struct reader *r, enum diag_code code, const char *file, int line, const char *fmt,
                 ...)
{
    if (r->d->code != DIAG_OK)
        return false;
    va_list ap;
    va_start(ap, fmt);
    diag_vfail(r->d, code, file, line, fmt, ap);
    va_end(ap);
    put_where(r);
    if (r->loc)
        snprintf(r->d->loc, sizeof r->d->loc, "%s", r->loc);
    return false;
}

static const char *kind_name(enum json_kind kind)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",
        [JSON_BOOLEAN] = "a boolean",
        [JSON_FRACTION] = "a number with a fraction",
        [JSON_INTEGER] = "an integer",
        [JSON_STRING] = "a string",
        [JSON_LIST] = "a list",
        [JSON_OBJECT] = "an object",
    };
    return names[kind];
}

/* ---- single values ---- */

bool reader_expect(struct reader *r, const struct json *j, enum json_kind wanted)
{
    return j->kind == wanted ||
           BAD_JSON(r, "needs %s, found %s", kind_name(wanted), kind_name(j->kind));
}

bool reader_int(struct reader *r, const struct json *j, int64_t lo, int64_t hi, int64_t *out)
{
    if (!reader_expect(r, j, JSON_INTEGER))
        return false;
    if (!j->fits)
        return BAD_JSON(r, "%.*s does not fit a signed 64-bit integer",
                        (int)(j->size < 40 ? j->size : 40), j->source);
    *out = j->integer;
    if (*out < lo || *out > hi)
        return BAD_JSON(r, "is %lld, must be from %lld to %lld", (long long)*out, (long long)lo,
                        (long long)hi);
    return true;
}

bool reader_uint32(struct reader *r, const struct json *j, uint32_t hi, uint32_t *out)
{
    int64_t i = 0;
    if (!reader_int(r, j, 0, hi, &i))
        return false;
    *out = (uint32_t)i;
    return true;
}

bool reader_raw_text(struct reader *r, const struct json *j, const char **out, size_t *out_len)
{
    if (!reader_expect(r, j, JSON_STRING))
        return false;
    *out = j->text;
    *out_len = j->count;
    return memchr(*out, '\0', *out_len) == NULL || BAD_JSON(r, "the string has a NUL character");
}

bool reader_text(struct reader *r, const struct json *j, const char **out)
{
    const char *text;
    size_t len;
    if (!reader_raw_text(r, j, &text, &len))
        return false;
    if (len > READER_MAX_TEXT)
        return BAD_JSON(r, "the string has %zu bytes, the most is %d", len, READER_MAX_TEXT);
    *out = arena_strdup(r->a, text);
    return *out != NULL || NO_MEMORY(r);
}

bool reader_list_size(struct reader *r, const struct json *j, uint32_t most, uint32_t *out)
{
    if (!reader_expect(r, j, JSON_LIST))
        return false;
    if (j->count > most)
        return BAD_JSON(r, "has %u entries, the most is %u", j->count, most);
    *out = j->count;
    return true;
}

/* ---- objects ---- */

bool reader_keys(struct reader *r, const struct json *j, const char *const *names)
{
    if (!reader_expect(r, j, JSON_OBJECT))
        return false;
    for (uint32_t i = 0; i < j->count; i++) {
        const char *const *name = names;
        while (*name && strcmp(*name, j->members[i].key) != 0)
            name++;
        if (!*name)
            return BAD_JSON(r, "unknown key \"%.64s\"", j->members[i].key);
    }
    return true;
}

bool reader_member(struct reader *r, const struct json *j, const char *key, const struct json **out)
{
    *out = json_get(j, key);
    if (!*out)
        return BAD_JSON(r, "has no \"%s\"", key);
    reader_enter_key(r, key);
    return true;
}

bool reader_optional(struct reader *r, const struct json *j, const char *key,
                     const struct json **out)
{
    *out = json_get(j, key);
    if (!*out)
        return false;
    reader_enter_key(r, key);
    return true;
}

bool reader_member_uint32(struct reader *r, const struct json *j, const char *key, uint32_t hi,
                          uint32_t *out)
{
    const struct json *m;
    if (!reader_member(r, j, key, &m) || !reader_uint32(r, m, hi, out))
        return false;
    reader_leave(r);
    return true;
}

/* ---- the text ---- */

const struct json *reader_parse(struct reader *r, struct arena *tree, const char *text, size_t size)
{
    char error[128];
    const struct json *j = json_parse(tree, text, size, error);
    if (!j && !error[0])
        NO_MEMORY(r);
    else if (!j)
        BAD_JSON(r, "not JSON: %s", error);
    return j;
}
