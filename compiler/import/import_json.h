/* JSON values with their places: the tree of json.h, read with the path of where one is, so that
   an error says what was required, what was found and where. Knows nothing of graphs. */
#ifndef VKC_IMPORT_JSON_H
#define VKC_IMPORT_JSON_H

#include "base/arena.h"
#include "base/diag.h"
#include "import/json.h"

enum {
    READER_MAX_PATH = 16,
    READER_MAX_TEXT = 1 << 16, /* bytes of one string that is kept */
};

/* One step of a JSON path: a key, or an index when key is NULL. */
struct step {
    const char *key;
    uint32_t index;
};

struct reader {
    struct arena *a;
    struct diag *d;
    struct step path[READER_MAX_PATH];
    uint32_t depth;
    const char *loc; /* of the node being read, or NULL */
};

/* The JSON as a tree in the arena `tree`; NULL with a diagnostic. */
const struct json *reader_parse(struct reader *r, struct arena *tree, const char *text,
                                size_t size);

/* Steps into a value before it is read, and out again after it was read well. */
void reader_enter_key(struct reader *r, const char *key);
void reader_enter_index(struct reader *r, uint32_t index);
void reader_leave(struct reader *r);

/* Records the first error with its path and source line; yields false. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
bool reader_fail(struct reader *r, enum diag_code code, const char *file, int line,
                 const char *fmt, ...);
#define BAD_JSON(r, ...) reader_fail((r), DIAG_INPUT, __FILE__, __LINE__, __VA_ARGS__)
#define NO_MEMORY(r) reader_fail((r), DIAG_MEMORY, __FILE__, __LINE__, "no memory left")

/* ---- single values ---- */
bool reader_expect(struct reader *r, const struct json *j, enum json_kind wanted);
bool reader_int(struct reader *r, const struct json *j, int64_t lo, int64_t hi, int64_t *out);
bool reader_uint32(struct reader *r, const struct json *j, uint32_t hi, uint32_t *out);
/* A string without NUL, as the tree holds it. */
bool reader_raw_text(struct reader *r, const struct json *j, const char **out, size_t *out_len);
/* A copy of a string in the arena. */
bool reader_text(struct reader *r, const struct json *j, const char **out);
bool reader_list_size(struct reader *r, const struct json *j, uint32_t most, uint32_t *out);

/* ---- objects ---- */
/* Every key of the object is one of the names, which end in NULL. */
bool reader_keys(struct reader *r, const struct json *j, const char *const *names);
/* The member, with its key entered in the path; the caller leaves. */
bool reader_member(struct reader *r, const struct json *j, const char *key,
                   const struct json **out);
/* The same, or false without an error where there is none. */
bool reader_optional(struct reader *r, const struct json *j, const char *key,
                     const struct json **out);
bool reader_member_uint32(struct reader *r, const struct json *j, const char *key, uint32_t hi,
                          uint32_t *out);

#endif
