/* Reads the text IR. What ir_print writes reads back to an equal graph; what breaks the grammar or
   a rule of ir_verify is a diagnostic with the line.

     graph    = "graph" STRING "entry" "=" FUNC "callbacks" "=" INT { donate | literal | func }
     donate   = "donate" INT "->" INT                               input, output
     literal  = "literal" "l" INT "=" tensor "sha256" "=" HEX ( "data" "=" HEX | "bytes" "=" INT )
     func     = "func" FUNC "(" [ param { "," param } ] ")" "{" { node } "return" [ values ] "}"
     param    = tensor [ STRING ]                                   a name for people
     node     = NODE "=" OP [ values ] { attr } [ "regions" "=" "[" FUNC { "," FUNC } "]" ]
                ":" [ tensor { "," tensor } ] [ "@" STRING ]   types of the results, source line
     values   = value { "," value }
     value    = NODE [ "." INT ]                                    output 0 when none is given
     attr     = KEY "=" ( INT | "true" | "false" | STRING | HEX | "[" [ INT { "," INT } ] "]" )
     tensor   = TYPE "[" [ INT { "," INT } ] "]"
     NODE     = "n" INT       FUNC = "f" INT

   Blanks and newlines separate words and mean nothing else; "#" starts a comment to the end of
   the line. Functions and literals come in the order of their numbers. In a STRING, \" and \\
   stand for themselves and \xHH for a byte. Which attributes an op has, and of what kind, is the
   op's row in ops.def; they may come in any order. `bits` is written as in the JSON. A literal
   with `bytes` instead of `data` was too large to print and cannot be read. */
#include <string.h>

#include "runtime/bundle.h"
#include "base/bytes.h"
#include "ir/ir_verify.h"
#include "ir/ir_words.h"

enum { MAX_VALUES = 1 << 20, MAX_TEXT = 1 << 30 };

/* A label of the function being read. */
struct label {
    uint32_t func, node;
};

struct parser {
    struct words w;
    struct graph *g;
    struct label *labels; /* by label; func is 1 + the function that has it */
    uint32_t nlabels;
    uint32_t **lines; /* of each function, each node */
    uint32_t cap_lines;
};

static bool parse_tensor(struct parser *p, struct tensor *out)
{
    char name[16] = "";
    if (p->w.word.kind == WORD_NAME && p->w.word.len < sizeof name)
        memcpy(name, p->w.word.text, p->w.word.len);
    *out = (struct tensor){.type = type_parse(name)};
    if (out->type == TYPE_NONE)
        return words_bad(&p->w, "a type");
    return words_next(&p->w) && words_int_list(&p->w, out->shape.dim, &out->shape.rank);
}

/* ---- nodes ---- */

static bool add_label(struct parser *p, uint32_t label, uint32_t func, uint32_t node)
{
    if (label >= p->nlabels) {
        uint32_t n = p->nlabels ? p->nlabels : 1024;
        while (n <= label)
            n *= 2;
        struct label *bigger = ARENA_ARRAY(p->w.a, struct label, n);
        if (!bigger)
            return NO_MEMORY(&p->w);
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
    const char *dot =
        p->w.word.kind == WORD_NAME ? memchr(p->w.word.text, '.', p->w.word.len) : NULL;
    size_t len = dot ? (size_t)(dot - p->w.word.text) : p->w.word.len;
    uint64_t label, output = 0;
    if (p->w.word.kind != WORD_NAME || p->w.word.text[0] != 'n' ||
        !words_digits(p->w.word.text + 1, len - 1, &label) ||
        (dot && !words_digits(dot + 1, p->w.word.len - len - 1, &output)) || output > MAX_VALUES)
        return words_bad(&p->w, "a value");
    if (label >= p->nlabels || p->labels[label].func != func + 1)
        return BAD_TEXT(&p->w, "there is no n%llu before this", (unsigned long long)label);
    *out = (struct value){p->labels[label].node, (uint32_t)output};
    return words_next(&p->w);
}

static bool parse_values(struct parser *p, uint32_t func, struct value **out, uint32_t *out_n)
{
    uint32_t cap = 0;
    bool more = true;
    *out = NULL;
    *out_n = 0;
    while (more) {
        if (*out_n == MAX_VALUES || !arena_grow(p->w.a, out, *out_n, &cap, sizeof **out))
            return NO_MEMORY(&p->w);
        if (!parse_value(p, func, &(*out)[(*out_n)++]) || !words_accept(&p->w, ",", &more))
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
    struct word bits; /* the digits of `bits`, whose number depends on the result's type */
    uint32_t nattrs;
    uint32_t *regions;
    uint32_t nregions;
    struct tensor *outs;
    uint32_t nouts;
    const char *loc;
};

/* The kind that the op's row gives an attribute, with its place there; 0 if the op has no such
   attribute. */
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
    case 'i': return words_int(&p->w, &a->i);
    case 's': return words_string(&p->w, &a->text);
    case 'b':
        a->i = words_at(&p->w, "true");
        return a->i || words_at(&p->w, "false") ? words_next(&p->w)
                                                : words_bad(&p->w, "true or false");
    case 'x':
        n->bits = p->w.word;
        return p->w.word.kind == WORD_NAME ? words_next(&p->w)
                                           : words_bad(&p->w, "hexadecimal digits");
    default:
        if (!words_int_list(&p->w, list, &a->count))
            return false;
        a->list = arena_copy(p->w.a, list, a->count * sizeof *list);
        return a->list != NULL || NO_MEMORY(&p->w);
    }
}

static bool parse_attr(struct parser *p, struct draft *n)
{
    enum attr_key key = attr_key_parse(p->w.word.text, p->w.word.len);
    uint32_t place;
    char kind = key == ATTR_NONE ? 0 : row_kind(n->op, key, &place);
    if (!kind)
        return words_bad(&p->w, "an attribute of the op, or \":\"");
    if (n->attrs[place].key)
        return BAD_TEXT(&p->w, "attribute %s is given twice", attr_key_name(key));
    n->attrs[place] = (struct attr){.key = key, .kind = kind};
    n->nattrs++;
    return words_next(&p->w) && words_expect(&p->w, "=") &&
           parse_attr_value(p, n, &n->attrs[place]);
}

static bool parse_regions(struct parser *p, struct draft *n)
{
    uint32_t cap = 0;
    bool more = true;
    if (!words_key(&p->w, "regions") || !words_expect(&p->w, "["))
        return false;
    while (more) {
        if (!arena_grow(p->w.a, &n->regions, n->nregions, &cap, sizeof *n->regions))
            return NO_MEMORY(&p->w);
        if (!words_numbered(&p->w, 'f', "a function", VKC_MAX_FUNCS, &n->regions[n->nregions++]) ||
            !words_accept(&p->w, ",", &more))
            return false;
    }
    return words_expect(&p->w, "]");
}

/* n3, but not a name that happens to start with n. */
static bool is_node_word(const struct parser *p)
{
    return p->w.word.kind == WORD_NAME && p->w.word.len > 1 && p->w.word.text[0] == 'n' &&
           p->w.word.text[1] >= '0' && p->w.word.text[1] <= '9';
}

static bool parse_outs(struct parser *p, struct draft *n)
{
    uint32_t cap = 0;
    bool more = p->w.word.kind == WORD_NAME && !is_node_word(p) && !words_at(&p->w, "return");
    while (more) {
        if (n->nouts == MAX_VALUES ||
            !arena_grow(p->w.a, &n->outs, n->nouts, &cap, sizeof *n->outs))
            return NO_MEMORY(&p->w);
        if (!parse_tensor(p, &n->outs[n->nouts++]) || !words_accept(&p->w, ",", &more))
            return false;
    }
    return true;
}

static bool parse_op(struct parser *p, enum op *out)
{
    char name[64] = "";
    if (p->w.word.kind == WORD_NAME && p->w.word.len < sizeof name)
        memcpy(name, p->w.word.text, p->w.word.len);
    *out = op_parse(name);
    if (*out == OP_NONE && p->w.word.kind == WORD_NAME)
        return words_fail(&p->w, DIAG_UNSUPPORTED, __FILE__, __LINE__,
                          "there is no op \"%s\"; --list-ops names them", name);
    return *out != OP_NONE ? words_next(&p->w) : words_bad(&p->w, "an op");
}

static bool parse_draft(struct parser *p, uint32_t func, struct draft *n)
{
    n->line = p->w.word.line;
    if (!words_numbered(&p->w, 'n', "a node or return", VKC_MAX_LABEL - 1, &n->label) ||
        !words_expect(&p->w, "=") || !parse_op(p, &n->op))
        return false;
    if (is_node_word(p) && !parse_values(p, func, &n->ins, &n->nins))
        return false;
    while (p->w.word.kind == WORD_NAME && !words_at(&p->w, "regions"))
        if (!parse_attr(p, n))
            return false;
    if (words_at(&p->w, "regions") && !parse_regions(p, n))
        return false;
    bool has_loc;
    if (!words_expect(&p->w, ":") || !parse_outs(p, n) || !words_accept(&p->w, "@", &has_loc))
        return false;
    if (has_loc && !words_string(&p->w, &n->loc))
        return false;
    n->loc = has_loc ? str_comment(p->w.a, n->loc) : n->loc;
    return true;
}

static bool read_bits(struct parser *p, const struct draft *n, struct attr *a)
{
    unsigned char bytes[16];
    size_t size = type_bytes(n->outs[0].type);
    struct words at = p->w;
    at.word = n->bits;
    at.at = at.end = n->bits.text + n->bits.len;
    if (!words_hex(&at, bytes, size))
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
        p->w.word.line = draft.line;
        return BAD_TEXT(&p->w, "the function has two nodes n%u", draft.label);
    }
    if (!add_label(p, draft.label, func, f->nnodes))
        return false;
    if (!arena_grow(p->w.a, &p->lines[func], f->nnodes, cap_lines, sizeof **p->lines))
        return NO_MEMORY(&p->w);
    p->lines[func][f->nnodes] = draft.line;
    struct node *n = func_append(p->g, f, draft.op, draft.label, draft.nins, draft.nouts,
                                 draft.nattrs, draft.nregions);
    if (!n)
        return NO_MEMORY(&p->w);
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
        if (n->attrs[at].kind == 'x' && draft.nouts && !read_bits(p, &draft, &n->attrs[at]))
            return false; /* without an output, the verifier refuses it */
        at++;
    }
    return true;
}

/* ---- functions and the whole ---- */

static bool parse_params(struct parser *p, struct func *f)
{
    uint32_t cap = 0, cap_names = 0;
    bool more;
    if (!words_expect(&p->w, "("))
        return false;
    for (more = !words_at(&p->w, ")"); more;) {
        uint32_t i = f->nparams;
        if (i == MAX_VALUES || !arena_grow(p->w.a, &f->params, i, &cap, sizeof *f->params) ||
            !arena_grow(p->w.a, &f->param_names, i, &cap_names, sizeof *f->param_names))
            return NO_MEMORY(&p->w);
        f->param_names[i] = NULL;
        f->nparams++;
        if (!parse_tensor(p, &f->params[i]) ||
            (p->w.word.kind == WORD_STRING && !words_string(&p->w, &f->param_names[i])) ||
            !words_accept(&p->w, ",", &more))
            return false;
    }
    return words_expect(&p->w, ")");
}

static bool parse_func(struct parser *p)
{
    uint32_t label, cap = 0, index = p->g->nfuncs;
    if (!words_numbered(&p->w, 'f', "a function", VKC_MAX_FUNCS, &label))
        return false;
    if (label != index || index == VKC_MAX_FUNCS)
        return BAD_TEXT(&p->w, "needs f%u, found f%u: functions come in order, at most %d", index,
                        label, VKC_MAX_FUNCS);
    if (!arena_grow(p->w.a, &p->lines, index, &p->cap_lines, sizeof *p->lines) ||
        graph_add_func(p->g) == UINT32_MAX)
        return NO_MEMORY(&p->w);
    p->lines[index] = NULL;
    if (!parse_params(p, &p->g->funcs[index]) || !words_expect(&p->w, "{"))
        return false;
    while (!words_at(&p->w, "return"))
        if (!parse_node(p, index, &cap))
            return false;
    if (!words_next(&p->w))
        return false;
    struct func *f = &p->g->funcs[index];
    return (words_at(&p->w, "}") || parse_values(p, index, &f->results, &f->nresults)) &&
           words_expect(&p->w, "}");
}

static bool parse_literal(struct parser *p, uint32_t *cap)
{
    uint32_t label;
    if (!arena_grow(p->w.a, &p->g->literals, p->g->nliterals, cap, sizeof *p->g->literals))
        return NO_MEMORY(&p->w);
    struct literal *l = &p->g->literals[p->g->nliterals];
    unsigned char found[32];
    if (!words_numbered(&p->w, 'l', "a literal", MAX_VALUES, &label))
        return false;
    if (label != p->g->nliterals)
        return BAD_TEXT(&p->w, "needs l%u, found l%u: literals come in order", p->g->nliterals,
                        label);
    *l = (struct literal){0};
    if (!words_expect(&p->w, "=") || !parse_tensor(p, &l->tensor) || !words_key(&p->w, "sha256") ||
        !words_hex(&p->w, l->sha256, 32))
        return false;
    if (words_at(&p->w, "bytes"))
        return BAD_TEXT(&p->w, "literal l%u was too large to print, so it cannot be read back",
                        label);
    l->bytes = 1;
    for (uint32_t i = 0; i < l->tensor.shape.rank; i++) {
        int64_t dim = l->tensor.shape.dim[i];
        if (dim < 1 || dim > MAX_TEXT || l->bytes > MAX_TEXT / (size_t)dim)
            return BAD_TEXT(&p->w,
                            "dimension %u of literal l%u is %lld: at least 1, and not too large", i,
                            label, (long long)dim);
        l->bytes *= (size_t)dim;
    }
    l->bytes *= type_bytes(l->tensor.type);
    unsigned char *data = 2 * l->bytes <= (size_t)(p->w.end - p->w.word.text)
                              ? arena_alloc(p->w.a, l->bytes, 1)
                              : NULL;
    if (!data && 2 * l->bytes <= (size_t)(p->w.end - p->w.word.text))
        return NO_MEMORY(&p->w);
    if (!data)
        return BAD_TEXT(&p->w, "the text ends before %zu bytes of literal l%u", l->bytes, label);
    if (!words_key(&p->w, "data") || !words_hex(&p->w, data, l->bytes))
        return false;
    l->data = data;
    vkb_sha256(data, l->bytes, found);
    p->g->nliterals++;
    return memcmp(found, l->sha256, 32) == 0 ||
           BAD_TEXT(&p->w, "the bytes of literal l%u do not have its digest", label);
}

static bool parse_donation(struct parser *p, uint32_t *cap)
{
    if (!arena_grow(p->w.a, &p->g->donations, p->g->ndonations, cap, sizeof *p->g->donations))
        return NO_MEMORY(&p->w);
    struct donation *d = &p->g->donations[p->g->ndonations++];
    return words_count(&p->w, MAX_VALUES, &d->input) && words_expect(&p->w, "->") &&
           words_count(&p->w, MAX_VALUES, &d->output);
}

static bool parse_graph(struct parser *p)
{
    uint32_t cap_literals = 0, cap_donations = 0;
    if (!words_next(&p->w) || !words_expect(&p->w, "graph") || !words_string(&p->w, &p->g->name) ||
        !words_key(&p->w, "entry") ||
        !words_numbered(&p->w, 'f', "a function", VKC_MAX_FUNCS, &p->g->entry) ||
        !words_key(&p->w, "callbacks") || !words_count(&p->w, MAX_VALUES, &p->g->ncallbacks))
        return false;
    while (p->w.word.kind != WORD_END) {
        bool is_func, is_literal, is_donation;
        if (!words_accept(&p->w, "func", &is_func) ||
            !words_accept(&p->w, "literal", &is_literal) ||
            !words_accept(&p->w, "donate", &is_donation))
            return false;
        if (!is_func && !is_literal && !is_donation)
            return words_bad(&p->w, "func, literal or donate");
        if (is_func      ? !parse_func(p)
            : is_literal ? !parse_literal(p, &cap_literals)
                         : !parse_donation(p, &cap_donations))
            return false;
    }
    return true;
}

bool ir_parse(struct arena *a, const char *text, size_t n, struct graph *out, struct diag *d)
{
    *out = (struct graph){.arena = a, .name = ""};
    struct parser p = {.w = {.a = a, .d = d, .at = text, .end = text + n, .line = 1}, .g = out};
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
