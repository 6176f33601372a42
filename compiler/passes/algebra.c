#include "passes/algebra.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct algebra_row vkc_algebra[] = {
#define EXACT true
#define FAST false
#define ALGEBRA(name, kinds, exact, pattern, replacement) \
    {#name, kinds, exact, pattern, replacement},
#include "passes/algebra.def"
#undef ALGEBRA
    {NULL, NULL, false, NULL, NULL},
};

static void skip_space(const char **at)
{
    *at += strspn(*at, " ");
}

/* term = number | variable | op "(" term {"," term} ")". Recursion is on the depth of a row. */
static struct term *parse_term(struct arena *a, const char **at, struct diag *d)
{
    struct term *t = ARENA_NEW(a, struct term);
    if (!t)
        return FAIL(d, MEMORY, "out of memory"), NULL;
    skip_space(at);
    char *end;
    if (**at == '-' || isdigit((unsigned char)**at) || strncmp(*at, "inf", 3) == 0) {
        t->kind = TERM_NUMBER;
        t->number = strtod(*at, &end);
        *at = end;
        return t;
    }
    size_t len = strcspn(*at, " (),");
    char name[64];
    if (len == 0 || len >= sizeof name)
        return FAIL(d, INTERNAL, "algebra.def: expected a term at '%s'", *at), NULL;
    memcpy(name, *at, len);
    name[len] = '\0';
    *at += len;
    if (**at != '(') {
        t->kind = TERM_VARIABLE;
        t->variable = name[0];
        if (len != 1 || name[0] < 'a' || name[0] > 'z')
            return FAIL(d, INTERNAL, "algebra.def: '%s' is not a variable", name), NULL;
        return t;
    }
    t->op = op_parse(name);
    if (t->op == OP_NONE || op_class(t->op) != CLASS_ELEMENTWISE)
        return FAIL(d, INTERNAL, "algebra.def: '%s' is not an element-wise op", name), NULL;
    do {
        (*at)++;
        if (t->nterms == ALGEBRA_MAX_TERMS || !(t->terms[t->nterms++] = parse_term(a, at, d)))
            return FAIL(d, INTERNAL, "algebra.def: too many terms in %s", name), NULL;
        skip_space(at);
    } while (**at == ',');
    if (**at != ')' || (int)t->nterms != vkc_ops[t->op].min_ins)
        return FAIL(d, INTERNAL, "algebra.def: %s takes %d terms", name, vkc_ops[t->op].min_ins),
               NULL;
    (*at)++;
    return t;
}

struct term *algebra_parse(struct arena *a, const char *text, struct diag *d)
{
    const char *at = text;
    struct term *t = parse_term(a, &at, d);
    if (t && *at != '\0')
        return FAIL(d, INTERNAL, "algebra.def: text after the term in '%s'", text), NULL;
    return t;
}

bool algebra_for_type(const struct algebra_row *row, enum vkc_type type)
{
    static const char letters[] = {
        [KIND_UINT] = 'U', [KIND_SINT] = 'I', [KIND_FLOAT] = 'F', [KIND_COMPLEX] = 'C'};
    return strchr(row->kinds, letters[vkc_types[type].kind]) != NULL;
}
