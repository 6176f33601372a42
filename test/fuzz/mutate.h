/* Mutations of text from a seeded generator: the same seed, the same inputs. */
#ifndef TEST_FUZZ_MUTATE_H
#define TEST_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64* */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

static inline size_t random_below(uint64_t *state, size_t n)
{
    return n ? (size_t)(random_next(state) >> 11) % n : 0;
}

static inline int is_separator(char c)
{
    return c == ' ' || c == ',' || c == '\n' || c == '[' || c == ']' || c == ':' || c == '{' ||
           c == '}' || c == '=';
}

/* A word of the text: from a separator to the next. */
static inline void random_word(uint64_t *state, const char *text, size_t n, size_t *out_from,
                               size_t *out_len)
{
    size_t from = random_below(state, n), end;
    while (from > 0 && !is_separator(text[from - 1]))
        from--;
    for (end = from; end < n && !is_separator(text[end]);)
        end++;
    *out_from = from;
    *out_len = end - from;
}

/* Whether words that begin so are of one kind: numbers, strings, names. */
static inline bool is_alike(char a, char b)
{
    bool a_digit = a >= '0' && a <= '9', b_digit = b >= '0' && b <= '9';
    return a_digit ? b_digit : a == b || (a != '"' && b != '"' && !b_digit);
}

/* Replaces len bytes at `from`; the buffer has room. */
static inline size_t splice(char *text, size_t n, size_t from, size_t len, const char *with,
                            size_t with_len)
{
    memmove(text + from + with_len, text + from + len, n - from - len);
    memcpy(text + from, with, with_len);
    return n - len + with_len;
}

/* One mutation in place; returns the new length, which is at most cap. */
static inline size_t mutate(uint64_t *state, char *text, size_t n, size_t cap)
{
    static const char *const words[] = {
        "0",
        "-1",
        "1",
        "17",
        "4294967296",
        "9223372036854775807",
        "-9223372036854775808",
        "1099511627776",
        "99999999999999999999",
        "1.5",
        "1e9",
        "null",
        "true",
        "\"\"",
        "\"f32\"",
        "\"c128\"",
        "[]",
        "{}",
        "[[",
        "}",
        "\"sum\"",
        "\"while\"",
        "\"dot\"",
        "f64",
        "u2",
        "n0",
        "f1",
        "while",
        "conv",
        "regions",
        "return",
        "\\",
        "\"",
        "#",
        "\xff",
    };
    char word[64];
    size_t from, len, other, other_len;
    if (n == 0)
        return n;
    switch (random_below(state, 8)) {
    case 0: /* flip a bit */
        text[random_below(state, n)] ^= (char)(1u << random_below(state, 8));
        return n;
    case 1: /* any byte */ text[random_below(state, n)] = (char)random_next(state); return n;
    case 2: /* cut off */ return random_below(state, 16) == 0 ? random_below(state, n) : n;
    case 3: /* drop a word */
        random_word(state, text, n, &from, &len);
        return splice(text, n, from, len, "", 0);
    case 4: /* another word of the text */
    case 5: /* of the same kind: a graph that is still one, but wrong */
        random_word(state, text, n, &from, &len);
        random_word(state, text, n, &other, &other_len);
        for (int tries = 0; tries < 64 && !(is_alike(text[from], text[other]) && len && other_len);
             tries++)
            random_word(state, text, n, &other, &other_len);
        if (other_len > sizeof word || n + other_len > cap)
            return n;
        memcpy(word, text + other, other_len);
        return splice(text, n, from, len, word, other_len);
    default: { /* a word that hurts */
        const char *with = words[random_below(state, sizeof words / sizeof *words)];
        random_word(state, text, n, &from, &len);
        return n + strlen(with) > cap ? n : splice(text, n, from, len, with, strlen(with));
    }
    }
}

#endif
