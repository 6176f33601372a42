/* The rows of algebra.def as terms. Read by pass_algebra.c, and by the test that evaluates both
   sides. */
#ifndef VKC_ALGEBRA_H
#define VKC_ALGEBRA_H

#include "base/arena.h"
#include "base/diag.h"
#include "ir/ops.h"

enum { ALGEBRA_VARS = 26, ALGEBRA_MAX_TERMS = 3 };

enum term_kind { TERM_OP, TERM_NUMBER, TERM_VARIABLE };

struct term {
    enum term_kind kind;
    enum op op;
    double number;
    char variable; /* 'a' .. 'z' */
    uint32_t nterms;
    struct term *terms[ALGEBRA_MAX_TERMS];
};

struct algebra_row {
    const char *name, *kinds;
    bool exact;
    const char *pattern, *replacement;
};

extern const struct algebra_row vkc_algebra[]; /* ends with a NULL name */

/* NULL with a diagnostic: the text is of this library, so that is an internal error. */
struct term *algebra_parse(struct arena *a, const char *text, struct diag *d);
/* Whether a row is for operands of the type. */
bool algebra_for_type(const struct algebra_row *row, enum vkc_type type);

/* What a variable of that letter stands for. */
static inline bool variable_is_bool(char v)
{
    return v == 'b' || v == 'd';
}
static inline bool variable_is_constant(char v)
{
    return v == 'c' || v == 'e' || v == 'k';
}

#endif
