/* The words of the readers: escapes in strings, base64, comments, what a refusal quotes and which
   line it names, and that no reader takes a byte behind the text, which here ends where memory
   does. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/str.h"
#include "import/import.h"
#include "check.h"

/* ---- the end of the text ---- */

/* Pages of which the last can neither be read nor written. */
struct fenced {
    char *begin, *end;
    size_t size; /* with the last page */
};

static bool fence(struct fenced *f, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    *f = (struct fenced){.size = room + page};
    f->begin = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    f->end = f->begin + room;
    return f->begin != MAP_FAILED && mprotect(f->end, page, PROT_NONE) == 0;
}

typedef bool (*reader_fn)(struct arena *a, const char *text, size_t n, struct graph *g,
                          struct diag *d);

static bool read_text(struct arena *a, const char *text, size_t n, struct graph *g, struct diag *d)
{
    return ir_parse(a, text, n, g, d);
}

static bool read_json(struct arena *a, const char *text, size_t n, struct graph *g, struct diag *d)
{
    return import_json(a, text, n, NULL, 0, g, d);
}

/* Whether it is read; if not, there is a diagnostic. */
static bool is_read(struct check *c, reader_fn reader, const char *text, size_t n)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    d = (struct diag){0};
    arena_init(&a, 0);
    bool ok = reader(&a, text, n, &g, &d);
    bool said = ok ? d.code == DIAG_OK : d.code == DIAG_INPUT || d.code == DIAG_UNSUPPORTED;
    check_that(c, said, "%zu bytes: %s", n, d.message);
    arena_finish(&a);
    return ok;
}

/* Every beginning of a text ends at the fence: a step beyond it ends the test. */
static void check_ends(struct check *c, const char *name, reader_fn reader, const char *text,
                       size_t whole)
{
    struct fenced f;
    size_t size = strlen(text);
    if (!check_wanted(c, name) ||
        !check_that(c, fence(&f, size), "%s: no memory with an end", name))
        return;
    for (size_t n = 0; n <= size; n++) {
        memcpy(f.end - n, text, n);
        bool ok = is_read(c, reader, f.end - n, n);
        check_that(c, ok == (n >= whole), "%s: the first %zu of %zu bytes are %s", name, n, size,
                   ok ? "read" : "refused");
    }
    munmap(f.begin, f.size);
}

static const char a_text[] =
    "graph \"g\" entry=f0 callbacks=1\n"
    "literal l0 = u8[3] sha256=039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81 data=010203\n"
    "func f0(f32[3] \"x\\x41\") {\n  n0 = parameter index=0 : f32[3] # n\n"
    "  n2 = iota axis=-1 : f32[3] @\"a.ex:1\"\n  n4 = hook n0, n2 callback=0 seq=0 hooked=2 :\n"
    "  n3 = sum n0 axes=[0] keep=false : f32[]\n  return n3\n}";

static const char a_json[] =
    "{\"schema\": \"nx.vulkan.graph/1\", \"entry\": 0, \"funcs\": [{\"params\": [{\"type\": \"u8\", \"shape\": [2]}], "
    "\"nodes\": [{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"u8\", \"shape\": [2]}], "
    "\"attrs\": {\"index\": 0}}], \"results\": [[0, 0]]}]} \n ";

/* ---- strings ---- */

static const struct {
    const char *written, *meant;
} strings[] = {
    {"plain", "plain"}, {"\\x07bell", "\abell"},
    {"\\x0ag", "\ng"},  {"\\xc3\\xa4", "\xc3\xa4"},
    {"\\x7f", "\x7f"},  {"\\\"\\\\x41", "\"\\x41"},
    {"\\x4142", "A42"}, {"\\x00", NULL},
    {"\\x4", NULL},     {"\\x4g", NULL},
    {"\\n", NULL},      {"\\", NULL},
};

static void check_strings(struct check *c)
{
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        static struct diag d;
        struct arena a;
        struct graph g;
        char text[256];
        d = (struct diag){0};
        arena_init(&a, 0);
        snprintf(text, sizeof text, "graph \"%s\" entry=f0 callbacks=0\nfunc f0() { return }\n",
                 strings[i].written);
        bool ok = ir_parse(&a, text, strlen(text), &g, &d);
        check_that(c, ok == (strings[i].meant != NULL), "\"%s\": %s", strings[i].written,
                   ok ? "is read" : d.message);
        if (ok && strings[i].meant)
            check_that(c, strcmp(g.name, strings[i].meant) == 0, "\"%s\" is read as \"%s\"",
                       strings[i].written, g.name);
        arena_finish(&a);
    }
}

/* ---- refusals ---- */

#define HEAD "graph \"g\" entry=f0 callbacks="
#define NODE(text) \
    HEAD "0\nfunc f0(f32[3,5]) {\nn7 = parameter index=0 : f32[3,5]\nn8 = " text "\nreturn n8\n}\n"

/* A refusal quotes what is wrong, by which the place is found in the input; what cannot be
   printed becomes '?'. */
static const struct {
    const char *text, *quoted;
} refusals[] = {
    {HEAD "\"two  words\"\n", "two  words"},
    {HEAD "\"~ \ttab\"\n", "~ ?tab"},
    {HEAD "\"\x1b[31m\"\n", "?[31m"},
    {NODE("exp n7 : f32[5,3]"), "f32[5,3]"},
    {NODE("transpose n7 axes=[0,29] : f32[5,3]"), "29"},
};

/* Whether a text is refused, with what is said of it. */
static bool is_refused(const char *text, struct diag *d)
{
    struct arena a;
    struct graph g;
    *d = (struct diag){0};
    arena_init(&a, 0);
    bool ok = ir_parse(&a, text, strlen(text), &g, d);
    arena_finish(&a);
    return !ok;
}

static void check_refusals(struct check *c)
{
    static struct diag d;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        check_that(c, is_refused(refusals[i].text, &d) && strstr(d.message, refusals[i].quoted),
                   "\"%s\" does not quote %s", d.message, refusals[i].quoted);
}

/* A refusal names the line where the word that it quotes stands; comments end with their lines. */
static const struct {
    const char *text, *where;
} lines[] = {
    {"word", "line 1"},
    {"\n\nword", "line 3"},
    {"# one\nword", "line 2"},
    {"#\n#\r\n# # \n\nword", "line 5"},
    {HEAD "0 # three\nword", "line 2"},
    {HEAD "# no count\n # \"\n", "line 3"},
    {HEAD "0\nfunc f0(s32[]) { # f\n n0 = parameter index=0 : s32[] # n\n return word }", "line 4"},
};

static void check_lines(struct check *c)
{
    static struct diag d;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_that(c, is_refused(lines[i].text, &d) && strcmp(d.where, lines[i].where) == 0,
                   "%s\nis refused at %s, not at %s", lines[i].text, d.where, lines[i].where);
}

/* ---- base64 ---- */

/* Bytes have one spelling: bits behind the last byte are refused. */
static void check_base64(struct check *c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (unsigned bytes = 1; bytes <= 2; bytes++) {
        unsigned bits = 6 * (bytes + 1), loose = bits - 8 * bytes;
        for (unsigned i = 0; i < 64 * 64; i++) {
            char text[5] = "====";
            unsigned char out[2];
            unsigned all = bytes == 1 ? i : i * 64 + i % 61;
            for (unsigned k = 0; k <= bytes; k++)
                text[k] = digits[all >> (bits - 6 - 6 * k) & 63];
            bool ok = base64_decode(text, 4, out);
            unsigned found = bytes == 1 ? out[0] : out[0] * 256u + out[1];
            check_that(c, ok == (all % (1u << loose) == 0), "%s is %s", text,
                       ok ? "taken" : "refused");
            check_that(c, !ok || found == all >> loose, "%s is read as %x", text, found);
        }
    }
}

/* ---- text in comments ---- */

/* Long texts are cut before a character, none in the middle, as late as 120 bytes allow. */
static void check_comments(struct check *c)
{
    static const char *const characters[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t size = 1; size <= 4; size++)
        for (size_t before = 0; before < 4; before++) {
            struct arena a;
            char text[256] = "";
            arena_init(&a, 0);
            memset(text, 'x', before);
            size_t n = before;
            for (; n <= 120; n += size)
                memcpy(text + n, characters[size - 1], size);
            const char *whole = str_comment(&a, text);
            size_t most = before + (120 - before) / size * size;
            check_that(c, strlen(whole) == most && memcmp(whole, text, most) == 0,
                       "%zu bytes of %s are left as %s", n, text, whole);
            text[most] = '\0';
            check_that(c, strcmp(str_comment(&a, text), text) == 0, "%s is not left as it is",
                       text);
            arena_finish(&a);
        }
}

int main(void)
{
    struct check c = {0};
    check_ends(&c, "text", read_text, a_text, strlen(a_text));
    check_ends(&c, "json", read_json, a_json, strlen(a_json) - 3);
    if (check_wanted(&c, "strings"))
        check_strings(&c);
    if (check_wanted(&c, "refusals"))
        check_refusals(&c);
    if (check_wanted(&c, "lines"))
        check_lines(&c);
    if (check_wanted(&c, "base64"))
        check_base64(&c);
    if (check_wanted(&c, "comments"))
        check_comments(&c);
    return check_finish(&c);
}
