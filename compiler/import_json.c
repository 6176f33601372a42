#include "import_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_JSON = 1 << 30,         /* bytes */
    MAX_DEPTH = 64,             /* of the JSON */
};

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

bool reader_fail(struct reader *r, enum diag_code code, const char *file, int line, const char *fmt, ...)
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

static const char *kind_name(json_type t)
{
    static const char *const names[] = {
        [json_type_null] = "null", [json_type_boolean] = "a boolean", [json_type_double] = "a number with a fraction",
        [json_type_int] = "an integer", [json_type_object] = "an object", [json_type_array] = "a list",
        [json_type_string] = "a string",
    };
    return names[t];
}

/* ---- single values ---- */

bool reader_expect(struct reader *r, json_object *j, json_type wanted)
{
    json_type found = json_object_get_type(j);
    return found == wanted || BAD_JSON(r, "needs %s, found %s", kind_name(wanted), kind_name(found));
}

bool reader_int(struct reader *r, json_object *j, int64_t lo, int64_t hi, int64_t *out)
{
    if (!reader_expect(r, j, json_type_int))
        return false;
    *out = json_object_get_int64(j);
    if (*out == INT64_MAX && json_object_get_uint64(j) > (uint64_t)INT64_MAX)
        return BAD_JSON(r, "%llu does not fit a signed 64-bit integer", (unsigned long long)json_object_get_uint64(j));
    if (*out == INT64_MIN) /* json-c's answer for anything below it, too */
        return BAD_JSON(r, "the number does not fit a signed 64-bit integer");
    if (*out < lo || *out > hi)
        return BAD_JSON(r, "is %lld, must be from %lld to %lld", (long long)*out, (long long)lo, (long long)hi);
    return true;
}

bool reader_uint32(struct reader *r, json_object *j, uint32_t hi, uint32_t *out)
{
    int64_t i;
    if (!reader_int(r, j, 0, hi, &i))
        return false;
    *out = (uint32_t)i;
    return true;
}

bool reader_raw_text(struct reader *r, json_object *j, const char **out, size_t *out_len)
{
    if (!reader_expect(r, j, json_type_string))
        return false;
    *out = json_object_get_string(j);
    *out_len = (size_t)json_object_get_string_len(j);
    return memchr(*out, '\0', *out_len) == NULL || BAD_JSON(r, "the string has a NUL character");
}

bool reader_text(struct reader *r, json_object *j, const char **out)
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

bool reader_list_size(struct reader *r, json_object *j, uint32_t most, uint32_t *out)
{
    if (!reader_expect(r, j, json_type_array))
        return false;
    size_t n = json_object_array_length(j);
    if (n > most)
        return BAD_JSON(r, "has %zu entries, the most is %u", n, most);
    *out = (uint32_t)n;
    return true;
}

/* ---- objects ---- */

bool reader_keys(struct reader *r, json_object *j, const char *const *names)
{
    if (!reader_expect(r, j, json_type_object))
        return false;
    json_object_object_foreach(j, key, value)
    {
        (void)value;
        const char *const *name = names;
        while (*name && strcmp(*name, key) != 0)
            name++;
        if (!*name)
            return BAD_JSON(r, "unknown key \"%.64s\"", key);
    }
    return true;
}

bool reader_member(struct reader *r, json_object *j, const char *key, json_object **out)
{
    if (!json_object_object_get_ex(j, key, out))
        return BAD_JSON(r, "has no \"%s\"", key);
    reader_enter_key(r, key);
    return true;
}

bool reader_optional(struct reader *r, json_object *j, const char *key, json_object **out)
{
    if (!json_object_object_get_ex(j, key, out))
        return false;
    reader_enter_key(r, key);
    return true;
}

bool reader_member_uint32(struct reader *r, json_object *j, const char *key, uint32_t hi, uint32_t *out)
{
    json_object *m;
    if (!reader_member(r, j, key, &m) || !reader_uint32(r, m, hi, out))
        return false;
    reader_leave(r);
    return true;
}

/* ---- the text ---- */

json_object *reader_parse(struct reader *r, const char *json, size_t size)
{
    if (size > MAX_JSON) {
        BAD_JSON(r, "the graph has %zu bytes of JSON, the most is %d", size, MAX_JSON);
        return NULL;
    }
    struct json_tokener *tok = json_tokener_new_ex(MAX_DEPTH);
    if (!tok) {
        NO_MEMORY(r);
        return NULL;
    }
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 | JSON_TOKENER_ALLOW_TRAILING_CHARS);
    json_object *j = json_tokener_parse_ex(tok, json, (int)size);
    enum json_tokener_error error = json_tokener_get_error(tok);
    size_t end = json_tokener_get_parse_end(tok), rest = end;
    while (rest < size && memchr(" \t\r\n", json[rest], 4))
        rest++;
    json_tokener_free(tok);
    if (error != json_tokener_success) {
        const char *what = error == json_tokener_continue ? "the text ends too early" : json_tokener_error_desc(error);
        BAD_JSON(r, "not JSON: %s at byte %zu", what, end);
    } else if (rest < size) {
        BAD_JSON(r, "not JSON: text after the end, at byte %zu", end);
    } else if (!j) {
        BAD_JSON(r, "needs an object, found null");
    } else {
        return j;
    }
    json_object_put(j);
    return NULL;
}
