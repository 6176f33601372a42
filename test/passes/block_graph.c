#include "block_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/type.h"

enum { DIMS = 4, WORD = 32 };

struct block_case {
    char op[WORD], type[WORD], how[WORD];
    long dims[DIMS];
    int ndims;
};

/* ---- names ---- */

static const char *take_word(const char *at, char out[WORD])
{
    size_t n = at ? strcspn(at, "/") : WORD;
    if (n >= WORD)
        return NULL;
    memcpy(out, at, n);
    out[n] = '\0';
    return at + n + (at[n] == '/');
}

static bool parse(const char *name, struct block_case *out)
{
    char dims[WORD];
    *out = (struct block_case){.ndims = 0};
    const char *at = take_word(take_word(take_word(name, out->op), out->type), dims);
    if (!at || !take_word(at, out->how))
        return false;
    for (char *p = dims; out->ndims < DIMS && *p; p += *p == 'x')
        out->dims[out->ndims++] = strtol(p, &p, 10);
    return true;
}

/* ---- factors ---- */

/* Results as letters for their axes after the batch, with commas: of m rows, n columns, k the
   smaller of both. The result of `next` has the shape of a square operand. */
static const struct factors {
    const char *op, *name, *results;
    int next;
} all_factors[] = {
    {"qr", "QR", "mk,kn", 0},          {"qr_all", "QR", "mm,mn", 0},
    {"lu", "LU", "mm,mm,mm", 2},       {"svd", "SVD", "mk,k,kn", 0},
    {"svd_all", "SVD", "mm,k,nn", 0},  {"eigh", "Eigh", "m,mm", 1},
    {"cholesky", "Cholesky", "mm", 0},
};

/* The type and shape whose axes these letters are, up to a comma. */
static const char *tensor_text(struct arena *a, const struct block_case *c, const char *axes)
{
    const char *type = c->type;
    const long *matrix = &c->dims[c->ndims - 2];
    long m = matrix[0], n = matrix[1], k = m < n ? m : n;
    const char *comma = "";
    struct str s;
    str_init(&s, a);
    if (axes[1] == '\0' || axes[1] == ',') /* values, which are real */
        type = strcmp(type, "c64") == 0 ? "f32" : strcmp(type, "c128") == 0 ? "f64" : type;
    str_printf(&s, "%s[", type);
    if (c->ndims > 2)
        str_printf(&s, "%ld", c->dims[0]), comma = ",";
    for (; *axes && *axes != ','; axes++, comma = ",")
        str_printf(&s, "%s%ld", comma, *axes == 'm' ? m : *axes == 'n' ? n : k);
    str_add(&s, "]");
    return str_text(&s);
}

static const char *next_axes(const char *axes)
{
    const char *comma = strchr(axes, ',');
    return comma ? comma + 1 : NULL;
}

/* The number of its function. A loop's regions have the first two. */
static int expansion_of(const struct block_case *c)
{
    return strcmp(c->how, "loop") == 0 ? 3 : 1;
}

/* An expansion of the right types, which nobody runs. */
static void put_expansion(struct str *s, struct arena *a, const struct block_case *c,
                          const struct factors *f)
{
    const char *matrix = tensor_text(a, c, "mn");
    int count = 0;
    str_printf(s, "func f%d(%s) {\nn0 = parameter index=0 : %s\n", expansion_of(c), matrix, matrix);
    for (const char *axes = f->results; axes; axes = next_axes(axes)) {
        const char *tensor = tensor_text(a, c, axes);
        char type[WORD];
        snprintf(type, sizeof type, "%.*s", (int)strcspn(tensor, "["), tensor);
        str_printf(s, "n%d = constant bits=%0*d : %s\n", ++count,
                   2 * (int)type_bytes(type_parse(type)), 0, tensor);
    }
    for (int i = 0; i < count; i++)
        str_printf(s, "%s n%d", i ? "," : "return", i + 1);
    str_add(s, "\n}\n");
}

/* n4 of n1; the results are given, or the one that goes around. */
static void put_factors(struct str *s, struct arena *a, const struct block_case *c,
                        const struct factors *f)
{
    int count = 0;
    str_printf(s, "n4 = block n1 name=\"LinAlg.%s\" regions=[f%d] : ", f->name, expansion_of(c));
    for (const char *axes = f->results; axes; axes = next_axes(axes))
        str_printf(s, "%s%s", count++ ? ", " : "", tensor_text(a, c, axes));
    str_add(s, "\nreturn ");
    if (strcmp(c->how, "loop") == 0)
        str_printf(s, count > 1 ? "n3, n4.%d" : "n3, n4", f->next);
    for (int i = 0; i < count && strcmp(c->how, "once") == 0; i++)
        str_printf(s, count > 1 ? "%sn4.%d" : "%sn4", i ? ", " : "", i);
    str_add(s, "\n}\n");
}

void block_graph_loop(struct str *s, const char *t)
{
    str_printf(s,
               "n2 = while n0, n1 regions=[f1,f2] : s32[], %s\nreturn n2.1\n}\n"
               "func f1(s32[], %s) {\nn0 = parameter index=0 : s32[]\n"
               "n1 = constant bits=00000064 : s32[]\nn2 = less n0, n1 : u8[]\nreturn n2\n}\n"
               "func f2(s32[], %s) {\nn0 = parameter index=0 : s32[]\n"
               "n1 = parameter index=1 : %s\nn2 = constant bits=00000001 : s32[]\n"
               "n3 = add n0, n2 : s32[]\n",
               t, t, t, t);
}

/* Of a loop nobody knows how often it runs. */
static bool factors_text(struct str *s, struct arena *a, const struct block_case *c,
                         const struct factors *f)
{
    const char *t = tensor_text(a, c, "mn");
    bool in_loop = strcmp(c->how, "loop") == 0;
    if (c->ndims < 2 || c->ndims > 3 || (in_loop && c->dims[c->ndims - 2] != c->dims[c->ndims - 1]))
        return false;
    str_printf(s,
               "func f0(s32[], %s) {\nn0 = parameter index=0 : s32[]\n"
               "n1 = parameter index=1 : %s\n",
               t, t);
    if (in_loop)
        block_graph_loop(s, t);
    put_factors(s, a, c, f);
    put_expansion(s, a, c, f);
    return true;
}

/* ---- sorts, softmax ---- */

static bool sort_text(struct str *s, const struct block_case *c)
{
    bool places = strncmp(c->op, "argsort", 7) == 0, down = strstr(c->op, "down") != NULL;
    const char *type = places ? "s32" : c->type;
    const long *d = c->dims, first = strtol(c->how, NULL, 10);
    if (c->ndims != 3 || first < 1)
        return false;
    str_printf(s,
               "func f0(%s[%ld,%ld,%ld]) {\nn0 = parameter index=0 : %s[%ld,%ld,%ld]\n"
               "n1 = %s n0 axis=1 descending=%s stable=true : %s[%ld,%ld,%ld]\n"
               "n2 = slice n1 starts=[0,0,0] lengths=[%ld,%ld,%ld] strides=[1,1,1] : "
               "%s[%ld,%ld,%ld]\nreturn n2\n}\n",
               c->type, d[0], d[1], d[2], c->type, d[0], d[1], d[2], places ? "argsort" : "sort",
               down ? "true" : "false", type, d[0], d[1], d[2], d[0], first, d[2], type, d[0],
               first, d[2]);
    return true;
}

static bool attend_text(struct str *s, struct arena *a, const struct block_case *c)
{
    const long *d = c->dims;
    if (c->ndims != 4)
        return false;
    const char *t = c->type, *q = arena_printf(a, "%s[%ld,%ld,%ld]", t, d[0], d[1], d[3]),
               *k = arena_printf(a, "%s[%ld,%ld,%ld]", t, d[0], d[2], d[3]),
               *scores = arena_printf(a, "%s[%ld,%ld,%ld]", t, d[0], d[1], d[2]),
               *row = arena_printf(a, "%s[%ld,%ld,1]", t, d[0], d[1]);
    str_printf(s,
               "func f0(%s, %s, %s) {\nn0 = parameter index=0 : %s\nn1 = parameter index=1 : %s\n"
               "n2 = parameter index=2 : %s\n"
               "n3 = dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : %s\n",
               q, k, k, q, k, k, scores);
    str_printf(s,
               "n4 = reduce_max n3 axes=[2] keep=true : %s\nn5 = broadcast n4 axes=[0,1,2] : %s\n"
               "n6 = subtract n3, n5 : %s\nn7 = exp n6 : %s\nn8 = sum n7 axes=[2] keep=true : %s\n"
               "n9 = broadcast n8 axes=[0,1,2] : %s\nn10 = divide n7, n9 : %s\n"
               "n11 = dot n10, n2 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[0] : %s\n"
               "return n11\n}\n",
               row, scores, scores, scores, row, scores, scores, q);
    return true;
}

const char *block_graph_text(struct arena *a, const char *name)
{
    struct block_case c;
    struct str s;
    bool ok = parse(name, &c), is_known = false;
    str_init(&s, a);
    str_add(&s, "graph \"t\" entry=f0 callbacks=0\n");
    for (size_t i = 0; ok && i < sizeof all_factors / sizeof *all_factors; i++)
        if (strcmp(c.op, all_factors[i].op) == 0)
            is_known = factors_text(&s, a, &c, &all_factors[i]);
    if (ok && strstr(c.op, "sort"))
        is_known = sort_text(&s, &c);
    if (ok && strcmp(c.op, "attend") == 0)
        is_known = attend_text(&s, a, &c);
    return is_known ? str_text(&s) : NULL;
}
