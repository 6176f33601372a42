/* Reads the text IR. What ir_print writes reads back to an equal graph; what breaks the grammar or a
   rule of ir_verify is a diagnostic with the line.

     graph    = "graph" STRING "entry" "=" FUNC "callbacks" "=" INT { donate | literal | func }
     donate   = "donate" INT "->" INT                               input, output
     literal  = "literal" "l" INT "=" tensor "sha256" "=" HEX ( "data" "=" HEX | "bytes" "=" INT )
     func     = "func" FUNC "(" [ param { "," param } ] ")" "{" { node } "return" [ values ] "}"
     param    = tensor [ STRING ]                                   a name for people
     node     = NODE "=" OP [ values ] { attr } [ "regions" "=" "[" FUNC { "," FUNC } "]" ]
                ":" [ tensor { "," tensor } ] [ "@" STRING ]        the result's types, the source line
     values   = value { "," value }
     value    = NODE [ "." INT ]                                    output 0 when none is given
     attr     = KEY "=" ( INT | "true" | "false" | STRING | HEX | "[" [ INT { "," INT } ] "]" )
     tensor   = TYPE "[" [ INT { "," INT } ] "]"
     NODE     = "n" INT       FUNC = "f" INT

   Blanks and newlines separate words and mean nothing else; "#" starts a comment to the end of the
   line. Functions and literals come in the order of their numbers. In a STRING, \" and \\ stand for
   themselves and \xHH for a byte. Which attributes an op has, and of what kind, is the op's row in
   ops.def; they may come in any order. `bits` is written as in the JSON. A literal with `bytes` instead
   of `data` was too large to print and cannot be read. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../runtime/bundle.h"
#include "import_bytes.h"
#include "ir_verify.h"

enum { MAX_VALUES = 1 << 20, MAX_TEXT = 1 << 30 };

enum word_kind { WORD_END, WORD_NAME, WORD_STRING, WORD_MARK };

/* A word of the text. A name is a run of letters, digits, "_", "-" and "."; a mark is one character,
   or "->". The text of a string is without quotes, escapes as written. */
struct word {
    enum word_kind kind;
    const char *text;
    size_t len;
    uint32_t line;
};

/* A label of the function being read. */
struct label { uint32_t func, node; };

struct parser {
    struct arena *a;
    struct graph *g;
    struct diag *d;
    const char *at, *end;
    uint32_t line;              /* of `at` */
    struct word word;           /* the next one */
    struct label *labels;       /* by label; func is 1 + the function that has it */
    uint32_t nlabels;
    uint32_t **lines;           /* of each function, each node */
    uint32_t cap_lines;
};

/* ---- words ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static bool fail(struct parser *p, enum diag_code code, const char *file, int line, const char *fmt, ...);

#define BAD_TEXT(p, ...) fail((p), DIAG_INPUT, __FILE__, __LINE__, __VA_ARGS__)
#define NO_MEMORY(p) fail((p), DIAG_MEMORY, __FILE__, __LINE__, "no memory left")

static bool fail(struct parser *p, enum diag_code code, const char *file, int line, const char *fmt, ...)
{
    char text[sizeof p->d->message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_fail(p->d, code, file, line, "%s", text);
    diag_where(p->d, "line %u", p->word.line);
    return false;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static void skip_blanks(struct parser *p)
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

static bool next_string(struct parser *p)
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

static bool next(struct parser *p)
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

static bool is_word(const struct parser *p, const char *text)
{
    return (p->word.kind == WORD_NAME || p->word.kind == WORD_MARK) && strlen(text) == p->word.len &&
           memcmp(p->word.text, text, p->word.len) == 0;
}

/* "needs X, found Y" at the word at hand. */
static bool bad_word(struct parser *p, const char *needs)
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

/* Steps over the word if it is this one. */
static bool accept(struct parser *p, const char *text, bool *out)
{
    *out = is_word(p, text);
    return !*out || next(p);
}

static bool expect(struct parser *p, const char *text)
{
    return is_word(p, text) ? next(p) : bad_word(p, text);
}

static bool expect_key(struct parser *p, const char *key)
{
    return expect(p, key) && expect(p, "=");
}

/* ---- numbers and text ---- */

static bool digits_value(const char *text, size_t len, uint64_t *out)
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

static bool parse_int(struct parser *p, int64_t *out)
{
    bool negative = p->word.len > 0 && p->word.text[0] == '-';
    uint64_t size;
    if (p->word.kind != WORD_NAME || !digits_value(p->word.text + negative, p->word.len - negative, &size))
        return bad_word(p, "an integer of 64 bits");
    *out = negative ? -(int64_t)size : (int64_t)size;
    return next(p);
}

static bool parse_count(struct parser *p, uint32_t most, uint32_t *out)
{
    int64_t i;
    struct word word = p->word;
    if (!parse_int(p, &i))
        return false;
    *out = (uint32_t)i;
    if (i >= 0 && i <= (int64_t)most)
        return true;
    p->word = word;
    return BAD_TEXT(p, "%lld is out of range, the most is %u", (long long)i, most);
}

/* A number after a letter: n12, f3, l0. */
static bool parse_numbered(struct parser *p, char letter, const char *what, uint32_t most, uint32_t *out)
{
    uint64_t i;
    if (p->word.kind != WORD_NAME || p->word.text[0] != letter || !digits_value(p->word.text + 1, p->word.len - 1, &i) || i > most)
        return bad_word(p, what);
    *out = (uint32_t)i;
    return next(p);
}

static bool parse_string(struct parser *p, const char **out)
{
    if (p->word.kind != WORD_STRING)
        return bad_word(p, "a string in quotes");
    char *text = arena_alloc(p->a, p->word.len + 1, 1);
    if (!text)
        return NO_MEMORY(p);
    size_t n = 0;
    for (size_t i = 0; i < p->word.len; i++) {
        const char *s = p->word.text + i;
        unsigned char byte;
        if (*s == '\\' && s[1] == 'x' && i + 3 < p->word.len && hex_decode(s + 2, 2, &byte) && byte != 0) {
            text[n++] = (char)byte;
            i += 3;
        } else if (*s == '\\' && (s[1] == '"' || s[1] == '\\')) {
            text[n++] = s[1];
            i++;
        } else if (*s == '\\' || *s == '\0') {
            return BAD_TEXT(p, "in a string, only \\\", \\\\ and \\xHH follow a backslash, and there is no NUL");
        } else {
            text[n++] = *s;
        }
    }
    *out = text;
    return next(p);
}

/* Hexadecimal digits of exactly that many bytes. */
static bool parse_hex(struct parser *p, unsigned char *out, size_t bytes)
{
    if (p->word.kind != WORD_NAME || p->word.len != 2 * bytes || !hex_decode(p->word.text, p->word.len, out)) {
        char needs[64];
        snprintf(needs, sizeof needs, "%zu hexadecimal digits", 2 * bytes);
        return bad_word(p, needs);
    }
    return next(p);
}

static bool parse_int_list(struct parser *p, int64_t list[VKC_MAX_RANK], uint32_t *out_n)
{
    bool more;
    *out_n = 0;
    if (!expect(p, "["))
        return false;
    for (more = !is_word(p, "]"); more;) {
        if (*out_n == VKC_MAX_RANK)
            return BAD_TEXT(p, "the list has more than %d entries", VKC_MAX_RANK);
        if (!parse_int(p, &list[(*out_n)++]) || !accept(p, ",", &more))
            return false;
    }
    return expect(p, "]");
}

static bool parse_tensor(struct parser *p, struct tensor *out)
{
    char name[16] = "";
    if (p->word.kind == WORD_NAME && p->word.len < sizeof name)
        memcpy(name, p->word.text, p->word.len);
    *out = (struct tensor){.type = type_parse(name)};
    if (out->type == TYPE_NONE)
        return bad_word(p, "a type");
    return next(p) && parse_int_list(p, out->shape.dim, &out->shape.rank);
}

/* ---- nodes ---- */

static bool add_label(struct parser *p, uint32_t label, uint32_t func, uint32_t node)
{
    if (label >= p->nlabels) {
        uint32_t n = p->nlabels ? p->nlabels : 1024;
        while (n <= label)
            n *= 2;
        struct label *bigger = ARENA_ARRAY(p->a, struct label, n);
        if (!bigger)
            return NO_MEMORY(p);
        if (p->nlabels)
            memcpy(bigger, p->labels, p->nlabels * sizeof *bigger);
        p->labels = bigger;
        p->nlabels = n;
    }
    p->labels[label] = (struct label){func + 1, node};
    return true;
}

/* n3 or n7.1, of a node before this. */
static bool parse_value(struct parser *p, uint32_t func, struct value *out)
{
    const char *dot = p->word.kind == WORD_NAME ? memchr(p->word.text, '.', p->word.len) : NULL;
    size_t len = dot ? (size_t)(dot - p->word.text) : p->word.len;
    uint64_t label, output = 0;
    if (p->word.kind != WORD_NAME || p->word.text[0] != 'n' || !digits_value(p->word.text + 1, len - 1, &label) ||
        (dot && !digits_value(dot + 1, p->word.len - len - 1, &output)) || output > MAX_VALUES)
        return bad_word(p, "a value");
    if (label >= p->nlabels || p->labels[label].func != func + 1)
        return BAD_TEXT(p, "there is no n%llu before this", (unsigned long long)label);
    *out = (struct value){p->labels[label].node, (uint32_t)output};
    return next(p);
}

static bool parse_values(struct parser *p, uint32_t func, struct value **out, uint32_t *out_n)
{
    uint32_t cap = 0;
    bool more = true;
    *out = NULL;
    *out_n = 0;
    while (more) {
        if (*out_n == MAX_VALUES || !arena_grow(p->a, out, *out_n, &cap, sizeof **out))
            return NO_MEMORY(p);
        if (!parse_value(p, func, &(*out)[(*out_n)++]) || !accept(p, ",", &more))
            return false;
    }
    return true;
}

/* A node before its op's row puts its attributes in order and reads their values. */
struct draft {
    uint32_t label, line;
    enum op op;
    struct value *ins;
    uint32_t nins;
    struct attr attrs[ATTR_COUNT];
    struct word bits;           /* the digits of `bits`, whose number depends on the result's type */
    uint32_t nattrs;
    uint32_t *regions;
    uint32_t nregions;
    struct tensor *outs;
    uint32_t nouts;
    const char *loc;
};

/* The kind that the op's row gives an attribute, with its place there; 0 if the op has no such attribute. */
static char row_kind(enum op op, enum attr_key key, uint32_t *out_place)
{
    const char *name = attr_key_name(key);
    size_t len = strlen(name);
    *out_place = 0;
    for (const char *p = vkc_ops[op].attrs; p && *p; (*out_place)++) {
        if (strncmp(p, name, len) == 0 && p[len] == ':')
            return p[len + 1];
        p += strcspn(p, " ");
        p += *p == ' ';
    }
    return 0;
}

static bool parse_attr_value(struct parser *p, struct draft *n, struct attr *a)
{
    int64_t list[VKC_MAX_RANK];
    switch (a->kind) {
    case 'i': return parse_int(p, &a->i);
    case 's': return parse_string(p, &a->text);
    case 'b':
        a->i = is_word(p, "true");
        return a->i || is_word(p, "false") ? next(p) : bad_word(p, "true or false");
    case 'x':
        n->bits = p->word;
        return p->word.kind == WORD_NAME ? next(p) : bad_word(p, "hexadecimal digits");
    default:
        if (!parse_int_list(p, list, &a->count))
            return false;
        a->list = arena_copy(p->a, list, a->count * sizeof *list);
        return a->list != NULL || NO_MEMORY(p);
    }
}

static bool parse_attr(struct parser *p, struct draft *n)
{
    enum attr_key key = attr_key_parse(p->word.text, p->word.len);
    uint32_t place;
    char kind = key == ATTR_NONE ? 0 : row_kind(n->op, key, &place);
    if (!kind)
        return bad_word(p, "an attribute of the op, or \":\"");
    if (n->attrs[place].key)
        return BAD_TEXT(p, "attribute %s is given twice", attr_key_name(key));
    n->attrs[place] = (struct attr){.key = key, .kind = kind};
    n->nattrs++;
    return next(p) && expect(p, "=") && parse_attr_value(p, n, &n->attrs[place]);
}

static bool parse_regions(struct parser *p, struct draft *n)
{
    uint32_t cap = 0;
    bool more = true;
    if (!expect_key(p, "regions") || !expect(p, "["))
        return false;
    while (more) {
        if (!arena_grow(p->a, &n->regions, n->nregions, &cap, sizeof *n->regions))
            return NO_MEMORY(p);
        if (!parse_numbered(p, 'f', "a function", VKC_MAX_FUNCS, &n->regions[n->nregions++]) || !accept(p, ",", &more))
            return false;
    }
    return expect(p, "]");
}

/* n3, but not a name that happens to start with n. */
static bool is_node_word(const struct parser *p)
{
    return p->word.kind == WORD_NAME && p->word.len > 1 && p->word.text[0] == 'n' && p->word.text[1] >= '0' &&
           p->word.text[1] <= '9';
}

static bool parse_outs(struct parser *p, struct draft *n)
{
    uint32_t cap = 0;
    bool more = p->word.kind == WORD_NAME && !is_node_word(p) && !is_word(p, "return");
    while (more) {
        if (n->nouts == MAX_VALUES || !arena_grow(p->a, &n->outs, n->nouts, &cap, sizeof *n->outs))
            return NO_MEMORY(p);
        if (!parse_tensor(p, &n->outs[n->nouts++]) || !accept(p, ",", &more))
            return false;
    }
    return true;
}

static bool parse_op(struct parser *p, enum op *out)
{
    char name[64] = "";
    if (p->word.kind == WORD_NAME && p->word.len < sizeof name)
        memcpy(name, p->word.text, p->word.len);
    *out = op_parse(name);
    if (*out == OP_NONE && p->word.kind == WORD_NAME)
        return fail(p, DIAG_UNSUPPORTED, __FILE__, __LINE__, "there is no op \"%s\"; --list-ops names them", name);
    return *out != OP_NONE ? next(p) : bad_word(p, "an op");
}

static bool parse_draft(struct parser *p, uint32_t func, struct draft *n)
{
    n->line = p->word.line;
    if (!parse_numbered(p, 'n', "a node or return", VKC_MAX_LABEL - 1, &n->label) || !expect(p, "=") || !parse_op(p, &n->op))
        return false;
    if (is_node_word(p) && !parse_values(p, func, &n->ins, &n->nins))
        return false;
    while (p->word.kind == WORD_NAME && !is_word(p, "regions"))
        if (!parse_attr(p, n))
            return false;
    if (is_word(p, "regions") && !parse_regions(p, n))
        return false;
    bool has_loc;
    if (!expect(p, ":") || !parse_outs(p, n) || !accept(p, "@", &has_loc))
        return false;
    return !has_loc || parse_string(p, &n->loc);
}

static bool read_bits(struct parser *p, const struct draft *n, struct attr *a)
{
    unsigned char bytes[16];
    size_t size = n->nouts ? type_bytes(n->outs[0].type) : 1;
    struct parser at = *p;
    at.word = n->bits;
    at.at = at.end = n->bits.text + n->bits.len;
    if (!parse_hex(&at, bytes, size))
        return false;
    for (size_t i = 0; i < size; i++) {
        size_t place = size - 1 - i;
        a->bits[place / 8] |= (uint64_t)bytes[i] << place % 8 * 8;
    }
    return true;
}

static bool parse_node(struct parser *p, uint32_t func, uint32_t *cap_lines)
{
    struct func *f = &p->g->funcs[func];
    struct draft draft = {0};
    if (!parse_draft(p, func, &draft))
        return false;
    if (draft.label < p->nlabels && p->labels[draft.label].func == func + 1) {
        p->word.line = draft.line;
        return BAD_TEXT(p, "the function has two nodes n%u", draft.label);
    }
    if (!add_label(p, draft.label, func, f->nnodes))
        return false;
    if (!arena_grow(p->a, &p->lines[func], f->nnodes, cap_lines, sizeof **p->lines))
        return NO_MEMORY(p);
    p->lines[func][f->nnodes] = draft.line;
    struct node *n = func_append(p->g, f, draft.op, draft.label, draft.nins, draft.nouts, draft.nattrs, draft.nregions);
    if (!n)
        return NO_MEMORY(p);
    n->loc = draft.loc;
    if (draft.nins)
        memcpy(n->ins, draft.ins, draft.nins * sizeof *n->ins);
    if (draft.nouts)
        memcpy(n->outs, draft.outs, draft.nouts * sizeof *n->outs);
    if (draft.nregions)
        memcpy(n->regions, draft.regions, draft.nregions * sizeof *n->regions);
    for (uint32_t i = 0, at = 0; i < ATTR_COUNT && at < draft.nattrs; i++) {
        if (!draft.attrs[i].key)
            continue;
        n->attrs[at] = draft.attrs[i];
        if (n->attrs[at].kind == 'x' && !read_bits(p, &draft, &n->attrs[at]))
            return false;
        at++;
    }
    return true;
}

/* ---- functions and the whole ---- */

static bool parse_params(struct parser *p, struct func *f)
{
    uint32_t cap = 0, cap_names = 0;
    bool more;
    if (!expect(p, "("))
        return false;
    for (more = !is_word(p, ")"); more;) {
        uint32_t i = f->nparams;
        if (i == MAX_VALUES || !arena_grow(p->a, &f->params, i, &cap, sizeof *f->params) ||
            !arena_grow(p->a, &f->param_names, i, &cap_names, sizeof *f->param_names))
            return NO_MEMORY(p);
        f->nparams++;
        if (!parse_tensor(p, &f->params[i]) || (p->word.kind == WORD_STRING && !parse_string(p, &f->param_names[i])) ||
            !accept(p, ",", &more))
            return false;
    }
    return expect(p, ")");
}

static bool parse_func(struct parser *p)
{
    uint32_t label, cap = 0, index = p->g->nfuncs;
    if (!parse_numbered(p, 'f', "a function", VKC_MAX_FUNCS, &label))
        return false;
    if (label != index || index == VKC_MAX_FUNCS)
        return BAD_TEXT(p, "needs f%u, found f%u: functions come in order, at most %d", index, label, VKC_MAX_FUNCS);
    if (!arena_grow(p->a, &p->lines, index, &p->cap_lines, sizeof *p->lines) || graph_add_func(p->g) == UINT32_MAX)
        return NO_MEMORY(p);
    if (!parse_params(p, &p->g->funcs[index]) || !expect(p, "{"))
        return false;
    while (!is_word(p, "return"))
        if (!parse_node(p, index, &cap))
            return false;
    if (!next(p))
        return false;
    struct func *f = &p->g->funcs[index];
    return (is_word(p, "}") || parse_values(p, index, &f->results, &f->nresults)) && expect(p, "}");
}

static bool parse_literal(struct parser *p, uint32_t *cap)
{
    uint32_t label;
    if (!arena_grow(p->a, &p->g->literals, p->g->nliterals, cap, sizeof *p->g->literals))
        return NO_MEMORY(p);
    struct literal *l = &p->g->literals[p->g->nliterals];
    unsigned char found[32];
    if (!parse_numbered(p, 'l', "a literal", MAX_VALUES, &label))
        return false;
    if (label != p->g->nliterals)
        return BAD_TEXT(p, "needs l%u, found l%u: literals come in order", p->g->nliterals, label);
    *l = (struct literal){0};
    if (!expect(p, "=") || !parse_tensor(p, &l->tensor) || !expect_key(p, "sha256") || !parse_hex(p, l->sha256, 32))
        return false;
    if (is_word(p, "bytes"))
        return BAD_TEXT(p, "literal l%u was too large to print, so it cannot be read back", label);
    l->bytes = 1;
    for (uint32_t i = 0; i < l->tensor.shape.rank; i++) {
        int64_t dim = l->tensor.shape.dim[i];
        if (dim < 1 || dim > MAX_TEXT || l->bytes > MAX_TEXT / (size_t)dim)
            return BAD_TEXT(p, "dimension %u of literal l%u is %lld: at least 1, and not too large", i, label, (long long)dim);
        l->bytes *= (size_t)dim;
    }
    l->bytes *= type_bytes(l->tensor.type);
    unsigned char *data = 2 * l->bytes <= (size_t)(p->end - p->word.text) ? arena_alloc(p->a, l->bytes, 1) : NULL;
    if (!data && 2 * l->bytes <= (size_t)(p->end - p->word.text))
        return NO_MEMORY(p);
    if (!data)
        return BAD_TEXT(p, "the text ends before %zu bytes of literal l%u", l->bytes, label);
    if (!expect_key(p, "data") || !parse_hex(p, data, l->bytes))
        return false;
    l->data = data;
    vkb_sha256(data, l->bytes, found);
    p->g->nliterals++;
    return memcmp(found, l->sha256, 32) == 0 || BAD_TEXT(p, "the bytes of literal l%u do not have its digest", label);
}

static bool parse_donation(struct parser *p, uint32_t *cap)
{
    if (!arena_grow(p->a, &p->g->donations, p->g->ndonations, cap, sizeof *p->g->donations))
        return NO_MEMORY(p);
    struct donation *d = &p->g->donations[p->g->ndonations++];
    return parse_count(p, MAX_VALUES, &d->input) && expect(p, "->") && parse_count(p, MAX_VALUES, &d->output);
}

static bool parse_graph(struct parser *p)
{
    uint32_t cap_literals = 0, cap_donations = 0;
    if (!next(p) || !expect(p, "graph") || !parse_string(p, &p->g->name) || !expect_key(p, "entry") ||
        !parse_numbered(p, 'f', "a function", VKC_MAX_FUNCS, &p->g->entry) || !expect_key(p, "callbacks") ||
        !parse_count(p, MAX_VALUES, &p->g->ncallbacks))
        return false;
    while (p->word.kind != WORD_END) {
        bool is_func, is_literal, is_donation;
        if (!accept(p, "func", &is_func) || !accept(p, "literal", &is_literal) || !accept(p, "donate", &is_donation))
            return false;
        if (!is_func && !is_literal && !is_donation)
            return bad_word(p, "func, literal or donate");
        if (is_func ? !parse_func(p) : is_literal ? !parse_literal(p, &cap_literals) : !parse_donation(p, &cap_donations))
            return false;
    }
    return true;
}

bool ir_parse(struct arena *a, const char *text, size_t n, struct graph *out, struct diag *d)
{
    *out = (struct graph){.arena = a, .name = ""};
    struct parser p = {.a = a, .g = out, .d = d, .at = text, .end = text + n, .line = 1};
    if (n > MAX_TEXT)
        return FAIL(d, INPUT, "the text has %zu bytes, the most is %d", n, MAX_TEXT);
    uint32_t func, node;
    if (!parse_graph(&p))
        return false;
    if (verify_graph(out, d, &func, &node))
        return true;
    if (node != VKC_NO_NODE)
        diag_where(d, "line %u", p.lines[func][node]);
    else if (func != UINT32_MAX)
        diag_where(d, "f%u", func);
    else
        diag_where(d, "line 1");
    return false;
}
