/* The words of the text IR, and the numbers, strings and lists made of them. Knows nothing of
   graphs. */
#ifndef VKC_IR_WORDS_H
#define VKC_IR_WORDS_H

#include "ir/ir.h"

enum word_kind { WORD_END, WORD_NAME, WORD_STRING, WORD_MARK };

/* A word of the text. A name is a run of letters, digits, "_", "-" and "."; a mark is one
   character, or "->". The text of a string is without quotes, escapes as written. */
struct word {
    enum word_kind kind;
    const char *text;
    size_t len;
    uint32_t line;
};

struct words {
    struct arena *a;
    struct diag *d;
    const char *at, *end;
    uint32_t line;    /* of `at` */
    struct word word; /* the next one */
};

/* Records the first error with the line of the word at hand; yields false. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
bool words_fail(struct words *p, enum diag_code code, const char *file, int line,
                const char *fmt, ...);
#define BAD_TEXT(p, ...) words_fail((p), DIAG_INPUT, __FILE__, __LINE__, __VA_ARGS__)
#define NO_MEMORY(p) words_fail((p), DIAG_MEMORY, __FILE__, __LINE__, "no memory left")

bool words_next(struct words *p);
bool words_at(const struct words *p, const char *text);
/* "needs X, found Y" at the word at hand. */
bool words_bad(struct words *p, const char *needs);
/* Steps over the word if it is this one. */
bool words_accept(struct words *p, const char *text, bool *out);
bool words_expect(struct words *p, const char *text);
bool words_key(struct words *p, const char *key); /* the key and "=" */

bool words_digits(const char *text, size_t len, uint64_t *out);
bool words_int(struct words *p, int64_t *out);
bool words_count(struct words *p, uint32_t most, uint32_t *out);
/* A number after a letter: n12, f3, l0. */
bool words_numbered(struct words *p, char letter, const char *what, uint32_t most, uint32_t *out);
bool words_string(struct words *p, const char **out);
/* Hexadecimal digits of exactly that many bytes. */
bool words_hex(struct words *p, unsigned char *out, size_t bytes);
bool words_int_list(struct words *p, int64_t list[VKC_MAX_RANK], uint32_t *out_n);

#endif
