/* What is normalised along other axes than the last: batch norm in the channels-last layout,
   softmax over rows. Values of a row are held and stored several at once, and here neighbours in
   the row are not neighbours in memory. Axes on both sides of 256 elements, from where a row is
   written as straight code. Long rows, too, whose elements stay in registers. */
#include <string.h>

#include "e2e.h"
#include "ir/ir.h"
#include "base/num.h"
#include "base/str.h"

static const struct axis_case {
    uint32_t rank, naxes;
    long dims[4], axes[4];
} cases[] = {
    {2, 1, {256, 6}, {0}},          {2, 1, {512, 8}, {0}},
    {2, 1, {300, 3}, {0}},          {2, 1, {1024, 32}, {0}},
    {2, 1, {2304, 6}, {0}},         {2, 1, {257, 5}, {0}},
    {2, 1, {255, 4}, {0}},          {4, 3, {4, 48, 48, 6}, {0, 1, 2}},
    {3, 1, {8, 300, 4}, {1}},       {3, 2, {63, 8, 3}, {0, 1}},
    {4, 2, {3, 40, 40, 4}, {1, 2}}, {4, 2, {16, 5, 16, 3}, {0, 2}},
};

/* Many rows, so that none is cut in parts, of lengths on both sides of that from which a GPU's
   threads hold more than 16 elements between loops. */
static const struct axis_case held[] = {{2, 1, {257, 4351}, {1}}, {2, 1, {257, 4353}, {1}}};

enum function { CENTRE, BATCH_NORM, SOFTMAX, FUNCTIONS };
static const char *const function_names[FUNCTIONS] = {"centre", "batch norm", "softmax"};

static const char *list(struct arena *a, uint32_t count, const long *x)
{
    struct str s;
    str_init(&s, a);
    for (uint32_t i = 0; i < count; i++)
        str_printf(&s, "%s%ld", i ? "," : "", x[i]);
    return str_text(&s);
}

static const char *bits(struct arena *a, const char *type, double x)
{
    enum vkc_type t = type_parse(type);
    return arena_printf(a, "%0*llx", (int)(2 * type_bytes(t)),
                        (unsigned long long)num_float_encode(t, x));
}

/* Of x n0: n2 is x less a value of its row, n20 what is divided by another value of the row. */
static const char *graph_text(struct arena *a, const struct axis_case *c, enum function function,
                              const char *type)
{
    long kept[4], count = 1;
    memcpy(kept, c->dims, sizeof kept);
    for (uint32_t i = 0; i < c->naxes; i++) {
        count *= c->dims[c->axes[i]];
        kept[c->axes[i]] = 1;
    }
    const char *all = arena_printf(a, "%s[%s]", type, list(a, c->rank, c->dims)),
               *row = arena_printf(a, "%s[%s]", type, list(a, c->rank, kept));
    const long every[] = {0, 1, 2, 3};
    const char *axes = list(a, c->naxes, c->axes), *same = list(a, c->rank, every);
    struct str s;
    str_init(&s, a);
    str_printf(
        &s,
        "graph \"axis\" entry=f0 callbacks=0\nfunc f0(%s \"x\") {\n  n0 = parameter index=0 : %s\n",
        all, all);
    if (function == SOFTMAX)
        str_printf(&s, "  n11 = reduce_max n0 axes=[%s] keep=true : %s\n", axes, row);
    else
        str_printf(
            &s,
            "  n9 = sum n0 axes=[%s] keep=true : %s\n  n10 = constant bits=%s : %s\n  n11 = divide n9, n10 : %s\n",
            axes, row, bits(a, type, (double)count), row, row);
    str_printf(&s, "  n12 = broadcast n11 axes=[%s] : %s\n  n2 = subtract n0, n12 : %s\n", same,
               all, all);
    if (function == CENTRE) {
        str_add(&s, "  return n2\n}\n");
        return str_text(&s);
    }
    str_printf(&s, function == SOFTMAX ? "  n13 = exp n2 : %s\n" : "  n13 = multiply n2, n2 : %s\n",
               all);
    str_printf(&s, "  n14 = sum n13 axes=[%s] keep=true : %s\n", axes, row);
    if (function == BATCH_NORM)
        str_printf(&s,
                   "  n15 = divide n14, n10 : %s\n  n16 = constant bits=%s : %s\n"
                   "  n17 = add n15, n16 : %s\n  n18 = sqrt n17 : %s\n",
                   row, bits(a, type, 0.001), row, row, row);
    str_printf(
        &s,
        "  n19 = broadcast n%d axes=[%s] : %s\n  n20 = divide n%d, n19 : %s\n  return n20%s\n}\n",
        function == SOFTMAX ? 14 : 18, same, all, function == SOFTMAX ? 13 : 2, all,
        function == SOFTMAX ? "" : ", n11, n15");
    return str_text(&s);
}

static void check_case(struct e2e *e, const struct axis_case *c, enum function function,
                       const char *type)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    uint64_t random = 42;
    char name[128];
    d = (struct diag){0};
    arena_init(&a, 0);
    const char *text = graph_text(&a, c, function, type);
    snprintf(name, sizeof name, "%s of %s[%s] along [%s]", function_names[function], type,
             list(&a, c->rank, c->dims), list(&a, c->naxes, c->axes));
    if (check_that(&e->check, ir_parse(&a, text, strlen(text), &g, &d), "%s: %s\n%s", name,
                   d.message, text)) {
        const struct array *inputs = e2e_inputs(e, &a, &g.funcs[g.entry], 0, NULL, NULL, &random);
        if (inputs)
            e2e_compare(e, name, text, strlen(text), &g, &inputs, 1,
                        1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
    }
    arena_finish(&a);
}

int main(void)
{
    static struct e2e e;
    if (e2e_open(&e)) {
        e.text_ir = true;
        e.check.turns = 2;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (enum function f = 0; f < FUNCTIONS; f++)
                check_case(&e, &cases[i], f, i % 4 == 3 ? "f64" : i % 4 == 2 ? "bf16" : "f32");
        for (size_t i = 0; i < sizeof held / sizeof *held; i++)
            check_case(&e, &held[i], SOFTMAX, "f32");
    }
    return e2e_close(&e);
}
