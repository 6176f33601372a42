/* A strict reader of JSON (RFC 8259): text in, a tree in an arena out. Knows nothing of graphs.
   It is our own because a library would have to be installed on every machine that runs the NIF,
   and to exist for every C library that this builds with. */
#ifndef VKC_JSON_H
#define VKC_JSON_H

#include "base/arena.h"

enum {
    JSON_MAX_BYTES = 1 << 30,
    JSON_MAX_DEPTH = 64,
    JSON_MAX_KEYS = 256, /* of one object */
};

enum json_kind {
    JSON_NULL,
    JSON_BOOLEAN,
    JSON_FRACTION,
    JSON_INTEGER,
    JSON_STRING,
    JSON_LIST,
    JSON_OBJECT
};

struct json_member;

struct json {
    enum json_kind kind;
    bool fits;          /* integer: in 64 bits with a sign; else it is 0 */
    uint32_t count;     /* bytes of a string, entries of a list, members of an object */
    uint32_t size;      /* bytes of the source */
    const char *source; /* of the value, in the text that was read */
    union {
        bool boolean;
        int64_t integer;
        const char *text; /* UTF-8, with a NUL behind its `count` bytes, which may hold others */
        const struct json *items;
        const struct json_member *members;
    };
};

struct json_member {
    const char *key; /* without NUL characters; NULL in none */
    struct json value;
};

/* The value that is all of the text, or NULL: then `error` says what is wrong at which byte, and
   is "" when out of memory. Numbers with a fraction or an exponent are not integers, whatever
   their value. An object that has a key twice, and a string that is not UTF-8, are refused. */
const struct json *json_parse(struct arena *a, const char *text, size_t size, char error[128]);

/* The value of a key; NULL if there is none, if `j` is not an object, or NULL. */
const struct json *json_get(const struct json *j, const char *key);

#endif
