/* The reader of JSON: what it takes and what it makes of it, what it refuses and where. Texts
   need no NUL: each is read from memory of its size, so that a sanitizer sees a read past its
   end. */
#include <stdlib.h>
#include <string.h>

#include "import/json.h"
#include "check.h"

typedef void look(struct check *c, const char *text, const struct json *j, const char *error,
                  const void *wanted);

/* Calls `then` with the tree, or NULL and the error, of text that ends where its memory does. */
static void with_tree(struct check *c, const char *text, size_t size, look *then,
                      const void *wanted)
{
    struct arena a;
    char *copy = malloc(size ? size : 1), error[128];
    arena_init(&a, 0);
    if (copy && size)
        memcpy(copy, text, size);
    then(c, text, copy ? json_parse(&a, copy, size, error) : NULL, error, wanted);
    arena_finish(&a);
    free(copy);
}

static void is_refused(struct check *c, const char *text, const struct json *j, const char *error,
                       const void *wanted)
{
    check_that(c, !j && strcmp(error, wanted) == 0, "%s: \"%s\", not \"%s\"", text,
               j ? "is taken" : error, (const char *)wanted);
}

static const struct {
    const char *text, *error;
} refused[] = {
    {"", "the text ends too early at byte 0"},
    {" \n", "the text ends too early at byte 2"},
    {"tru", "the text ends too early at byte 3"},
    {"trux", "a value is expected at byte 0"},
    {"truex", "text after the end, at byte 4"},
    {"\v1", "a value is expected at byte 0"},
    {"\xef\xbb\xbf{}", "a value is expected at byte 0"},
    {"'a'", "a value is expected at byte 0"},
    {"NaN", "a value is expected at byte 0"},
    {"+1", "a value is expected at byte 0"},
    {".5", "a value is expected at byte 0"},
    {"01", "a number that begins with 0 at byte 0"},
    {"-01", "a number that begins with 0 at byte 1"},
    {"-", "the text ends too early at byte 1"},
    {"- 1", "a digit is expected at byte 1"},
    {"1.", "the text ends too early at byte 2"},
    {"[1.]", "a digit is expected at byte 3"},
    {"1e+", "the text ends too early at byte 3"},
    {"0x10", "text after the end, at byte 1"},
    {"1 2", "text after the end, at byte 2"},
    {"[1,]", "a value is expected at byte 3"},
    {"[,1]", "a value is expected at byte 1"},
    {"[1 2]", "a comma or the end of a list is expected at byte 3"},
    {"[1", "the text ends too early at byte 2"},
    {"[", "the text ends too early at byte 1"},
    {"[1}", "a comma or the end of a list is expected at byte 2"},
    {"{1: 2}", "a key in quotes is expected at byte 1"},
    {"{\"a\" 2}", "a colon is expected at byte 5"},
    {"{\"a\": 2,}", "a key in quotes is expected at byte 8"},
    {"{\"a\": 2 \"b\": 3}", "a comma or the end of an object is expected at byte 8"},
    {"{\"a\": 2, \"a\": 3}", "a duplicate key at byte 9"},
    {"{\"a\": 2, \"\\u0061\": 3}", "a duplicate key at byte 9"},
    {"{\"a\\u0000\": 2}", "a key with a NUL character at byte 1"},
    {"{\"a\": 1 /* no */}", "a comma or the end of an object is expected at byte 8"},
    {"\"a", "the text ends too early at byte 2"},
    {"\"a\\", "the text ends too early at byte 3"},
    {"\"a\\\"", "the text ends too early at byte 4"},
    {"\"a\tb\"", "a control character in a string at byte 2"},
    {"\"\\x41\"", "an unknown escape at byte 2"},
    {"\"\\u12G4\"", "a hexadecimal digit is expected at byte 5"},
    {"\"\\u12", "the text ends too early at byte 5"},
    {"\"\\ud800\"", "half of a surrogate pair at byte 2"},
    {"\"\\ud800\\u0041\"", "half of a surrogate pair at byte 2"},
    {"\"\\udc00\"", "half of a surrogate pair at byte 2"},
    {"\"\x80\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xc0\xaf\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xe0\x9f\xbf\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xed\xa0\x80\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xf0\x8f\xbf\xbf\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xf4\x90\x80\x80\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xf5\x80\x80\x80\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xe2\x82\"", "a string that is not UTF-8 at byte 1"},
    {"\"\xe2\x82", "a string that is not UTF-8 at byte 1"},
};

struct integer {
    const char *text;
    bool fits;
    int64_t value;
};

static void is_integer(struct check *c, const char *text, const struct json *j, const char *error,
                       const void *wanted)
{
    const struct integer *i = wanted;
    bool ok = j && j->kind == JSON_INTEGER && j->fits == i->fits && j->integer == i->value;
    check_that(c, ok && j->size == strlen(text), "%s: %s", text, j ? "another integer" : error);
}

static const struct integer integers[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"17", true, 17},
    {"-17", true, -17},
    {"9223372036854775807", true, INT64_MAX},
    {"9223372036854775808", false, 0},
    {"-9223372036854775808", true, INT64_MIN},
    {"-9223372036854775809", false, 0},
    {"18446744073709551616", false, 0},
    {"99999999999999999999999999", false, 0},
};

static void is_fraction(struct check *c, const char *text, const struct json *j, const char *error,
                        const void *wanted)
{
    (void)wanted;
    check_that(c, j && j->kind == JSON_FRACTION, "%s: %s", text, j ? "no fraction" : error);
}

struct string {
    const char *text, *wanted;
    uint32_t count;
};

static void is_string(struct check *c, const char *text, const struct json *j, const char *error,
                      const void *wanted)
{
    const struct string *s = wanted;
    check_that(c,
               j && j->kind == JSON_STRING && j->count == s->count &&
                   memcmp(j->text, s->wanted, s->count + 1u) == 0,
               "%s: %s", text, j ? j->text : error);
}

static const struct string strings[] = {
    {"\"\"", "", 0},
    {"\"abc\"", "abc", 3},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8},
    {"\"a\\u0000b\"", "a\0b", 3},
    {"\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10},
    {"\"\xc3\xa9\xe2\x82\xac\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
     "\xc3\xa9\xe2\x82\xac\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 16},
    {"\"\x7f\"", "\x7f", 1},
};

/* What follows a text in memory is not looked at: each beginning of a text is taken, or refused
   with the words, as it is where memory ends with it. */
static void check_ends(struct check *c)
{
    static const char *const texts[] = {
        "[1e+5, -0.25E-1, 12]",
        "{\"a\": \"b\\u00e9\\ud83d\\ude00\\n\", \"c\": null}",
        "[true, false]",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "  [ ]  ",
        "-17",
        "1.25e+7",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t n = 0; n <= strlen(texts[i]); n++) {
            struct arena a;
            char error[128] = "", alone[128] = "", *copy = malloc(n + 1);
            if (!copy)
                abort();
            memcpy(copy, texts[i], n);
            copy[n] = '\0';
            arena_init(&a, 0);
            const struct json *j = json_parse(&a, texts[i], n, error),
                              *k = json_parse(&a, copy, n, alone);
            check_that(c, !j == !k && (j || strcmp(error, alone) == 0),
                       "%.*s before %s: \"%s\", not \"%s\"", (int)n, texts[i], texts[i] + n,
                       j ? "is taken" : error, k ? "is taken" : alone);
            arena_finish(&a);
            free(copy);
        }
}

/* ---- characters ---- */

static unsigned utf8_of(uint32_t point, char *out)
{
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    unsigned n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (unsigned i = n; i-- > 0; point /= 64)
        out[i] = (char)(n == 1 ? point : i ? 0x80 + point % 64 : leads[n] + point);
    return n;
}

/* Every character, as an escape and as it is. */
static void check_characters(struct check *c)
{
    enum { LAST = 0x10ffff, EACH = 256 };
    static char escaped[12 * EACH + 3], plain[4 * EACH + 3];
    for (uint32_t first = 0; first <= LAST; first += EACH) {
        if (first >= 0xd800 && first < 0xe000)
            continue; /* surrogates are no characters */
        size_t n = 1, m = 1;
        uint32_t from = first ? first : ' ';
        escaped[0] = plain[0] = '"';
        for (uint32_t p = from; p < first + EACH; p++) {
            if (p < 0x10000)
                n += (size_t)sprintf(escaped + n, p % 2 ? "\\u%04x" : "\\u%04X", p);
            else
                n += (size_t)sprintf(escaped + n, "\\u%04x\\u%04X", 0xd800 + (p - 0x10000) / 1024,
                                     0xdc00 + (p - 0x10000) % 1024);
            if (p != '"' && p != '\\')
                m += utf8_of(p, plain + m);
        }
        escaped[n] = plain[m] = '"';
        struct arena a;
        char error[128], wanted[4 * EACH + 1];
        size_t size = 0;
        for (uint32_t p = from; p < first + EACH; p++)
            size += utf8_of(p, wanted + size);
        arena_init(&a, 0);
        const struct json *j = json_parse(&a, escaped, n + 1, error);
        check_that(c, j && j->count == size && memcmp(j->text, wanted, size) == 0,
                   "escapes from U+%04X: %s", first, j ? "other characters" : error);
        j = json_parse(&a, plain, m + 1, error);
        check_that(c, j && j->count == m - 1 && memcmp(j->text, plain + 1, m - 1) == 0,
                   "characters from U+%04X: %s", first, j ? "other characters" : error);
        arena_finish(&a);
    }
}

/* How many bytes at `s` are a character beyond ASCII: Unicode's table of well-formed UTF-8. */
static unsigned well_formed(const unsigned char *s)
{
    static const unsigned char rows[][3] = {
        /* last of the first byte, and range of the second */
        {0xc1, 1, 0},       {0xdf, 0x80, 0xbf}, {0xe0, 0xa0, 0xbf}, {0xec, 0x80, 0xbf},
        {0xed, 0x80, 0x9f}, {0xef, 0x80, 0xbf}, {0xf0, 0x90, 0xbf}, {0xf3, 0x80, 0xbf},
        {0xf4, 0x80, 0x8f}, {0xff, 1, 0}};
    unsigned row = 0, n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    while (s[0] > rows[row][0])
        row++;
    if (s[1] < rows[row][1] || s[1] > rows[row][2])
        return 0;
    for (unsigned i = 2; i < n; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return n;
}

/* Strings of one character, or of what looks like one, with the bytes around every limit. */
static void check_utf8(struct check *c)
{
    static const unsigned char ends[] = {0x41, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0,
                                         0xaf, 0xb0, 0xbf, 0xc0, 0xc2, 0xf0, 0xff};
    enum { ENDS = sizeof ends, CASES = ENDS * ENDS * ENDS };
    for (unsigned first = 0x80; first < 0x100; first++) {
        unsigned wrong = 0;
        for (unsigned i = 0; i < CASES; i++) {
            unsigned char s[] = {(unsigned char)first, ends[i % ENDS], ends[i / ENDS % ENDS],
                                 ends[i / ENDS / ENDS]};
            unsigned n = well_formed(s), size = n ? n : 4;
            char text[6] = "\"", error[128];
            memcpy(text + 1, s, size);
            text[1 + size] = '"';
            struct arena a;
            arena_init(&a, 0);
            const struct json *j = json_parse(&a, text, size + 2, error);
            wrong += n ? !j || j->count != n || memcmp(j->text, s, n) != 0 : j != NULL;
            arena_finish(&a);
        }
        check_that(c, wrong == 0, "%u strings that begin with %02x are taken for what they are not",
                   wrong, first);
    }
}

static void is_tree(struct check *c, const char *text, const struct json *j, const char *error,
                    const void *wanted)
{
    (void)wanted;
    if (!check_that(c, j != NULL, "%s: %s", text, error))
        return;
    const struct json *list = json_get(j, "list"), *inner = json_get(json_get(j, "object"), "in");
    check_that(c, j->kind == JSON_OBJECT && j->count == 6, "an object of 6 members");
    check_that(c, !json_get(j, "none") && !json_get(list, "x") && !json_get(NULL, "x"),
               "keys that are not there");
    check_that(c,
               list && list->kind == JSON_LIST && list->count == 3 && list->items[0].integer == 1 &&
                   list->items[1].kind == JSON_LIST && list->items[1].count == 0 &&
                   list->items[2].count == 2 && list->items[2].items[1].integer == 3,
               "a list of lists");
    check_that(c, inner && inner->kind == JSON_NULL && json_get(j, "empty")->count == 0,
               "objects in objects");
    const struct json *yes = json_get(j, "yes"), *no = json_get(j, "no");
    check_that(c, yes->boolean && no->kind == JSON_BOOLEAN && !no->boolean, "words");
    check_that(c, list && list->size == 14 && memcmp(list->source, "[1, [], [2,3]]", 14) == 0,
               "a value's source");
}

/* Brackets within brackets, and an object of many keys. */
static void check_limits(struct check *c)
{
    enum { ROOM = 1 << 14 };
    char *text = calloc(1, ROOM);
    for (int depth = JSON_MAX_DEPTH; text && depth <= JSON_MAX_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        if (depth <= JSON_MAX_DEPTH) {
            struct arena a;
            char error[128];
            arena_init(&a, 0);
            check_that(c, json_parse(&a, text, 2 * (size_t)depth, error) != NULL, "depth %d: %s",
                       depth, error);
            arena_finish(&a);
        } else
            with_tree(c, text, 2 * (size_t)depth, is_refused, "nesting too deep at byte 64");
    }
    for (int keys = JSON_MAX_KEYS; text && keys <= JSON_MAX_KEYS + 1; keys++) {
        struct arena a;
        char error[128];
        int n = snprintf(text, ROOM, "{");
        for (int i = 0; i < keys; i++)
            n += snprintf(text + n, (size_t)(ROOM - n), "%s\"%d\":%d", i ? "," : "", i, i);
        n += snprintf(text + n, (size_t)(ROOM - n), "}");
        arena_init(&a, 0);
        const struct json *j = json_parse(&a, text, (size_t)n, error);
        check_that(c,
                   keys <= JSON_MAX_KEYS ? json_get(j, "255")->integer == 255
                                         : !j && strstr(error, "too many keys"),
                   "%d keys: %s", keys, error);
        arena_finish(&a);
    }
    free(text);
}

/* An arena that has no more is not an error in the text. */
static void check_memory(struct check *c)
{
    static const char text[] =
        "{\"a\": [1, 2, {\"b\": \"a string of some length\"}], \"c\": [[], [], []]}";
    bool ended = false;
    for (size_t limit = 16; !ended && limit < 1u << 16; limit += 16) {
        struct arena a;
        char error[128];
        arena_init(&a, limit);
        const struct json *j = json_parse(&a, text, sizeof text - 1, error);
        ended = j != NULL;
        check_that(c, j || !error[0], "%zu bytes: %s", limit, error);
        arena_finish(&a);
    }
    check_that(c, ended, "no memory was enough");
}

int main(void)
{
    struct check c = {0};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        with_tree(&c, refused[i].text, strlen(refused[i].text), is_refused, refused[i].error);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        with_tree(&c, integers[i].text, strlen(integers[i].text), is_integer, &integers[i]);
    static const char *const fractions[] = {"0.0",     "1.5",  "-2e3", "1E-2",
                                            "1.25e+7", "-0.0", "1e400"};
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++)
        with_tree(&c, fractions[i], strlen(fractions[i]), is_fraction, NULL);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        with_tree(&c, strings[i].text, strlen(strings[i].text), is_string, &strings[i]);
    static const char tree[] =
        " {\"list\": [1, [], [2,3]],\r\n\t\"object\" : {\"in\":null}, \"empty\":{}, "
        "\"yes\":true,\"no\":false,\"\":0} ";
    with_tree(&c, tree, sizeof tree - 1, is_tree, NULL);
    check_ends(&c);
    check_characters(&c);
    check_utf8(&c);
    check_limits(&c);
    check_memory(&c);
    return check_finish(&c);
}
