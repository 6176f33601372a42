/* The interpreter against what Nx computed. A fixture file is a list of cases, each with a
   graph, the bits of its inputs and outputs, and `ulp`, how many units in the last place a float
   may be off (0: the same bits; a NaN is as good as another). test/fixtures/record.exs writes
   them. Usage: fixture_test test/fixtures/reduce.json ... */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "base/bytes.h"
#include "interp/interp.h"
#include "import/json.h"
#include "base/num.h"
#include "check.h"

static const char *text_of(const struct json *j, const char *key)
{
    return json_get(j, key)->text;
}

/* The bits of list[i]; NULL unless they are as many as the tensor takes. */
static unsigned char *bits_of(struct arena *a, const struct json *list, size_t i,
                              const struct tensor *t)
{
    const char *hex = list->items[i].text;
    size_t n = hex ? strlen(hex) : 0;
    unsigned char *bits = arena_alloc(a, n / 2 + 1, 1);
    return bits && n == 2 * tensor_bytes(t) && hex_decode(hex, n, bits) ? bits : NULL;
}

static double float_at(enum vkc_type type, const unsigned char *p)
{
    uint64_t bits = 0;
    memcpy(&bits, p, type_bytes(type));
    return num_float_decode(type, bits);
}

/* How far apart two floats are, in units in the last place of the wanted one. */
static double distance(enum vkc_type type, double found, double wanted)
{
    if (isnan(found) || isnan(wanted))
        return isnan(found) && isnan(wanted) ? 0 : INFINITY;
    if (found == wanted)
        return 0;
    int digits = type == TYPE_F64 ? 53 : type == TYPE_F32 ? 24 : type == TYPE_F16 ? 11 : 8;
    int exponent = 0;
    frexp(wanted, &exponent);
    return fabs(found - wanted) / ldexp(1.0, exponent - digits);
}

/* The first element that is off by more than ulp, or -1. */
static int64_t first_wrong(const struct tensor *t, const unsigned char *found,
                           const unsigned char *wanted, double ulp)
{
    enum vkc_type part = t->type == TYPE_C64 ? TYPE_F32 : t->type == TYPE_C128 ? TYPE_F64 : t->type;
    size_t bytes = type_bytes(part);
    int64_t n = (int64_t)(tensor_bytes(t) / bytes);
    double largest = 0;
    if (!type_is_float(part)) {
        for (int64_t i = 0; i < n; i++)
            if (memcmp(found + (size_t)i * bytes, wanted + (size_t)i * bytes, bytes) != 0)
                return i;
        return -1;
    }
    for (int64_t i = 0; type_is_complex(t->type) && i < n; i++)
        largest = fmax(largest, fabs(float_at(part, wanted + (size_t)i * bytes)));
    for (int64_t i = 0; i < n; i++) {
        double f = float_at(part, found + (size_t)i * bytes),
               w = float_at(part, wanted + (size_t)i * bytes);
        double off = distance(part, f, w);
        if (type_is_complex(t->type) && off > ulp) /* a part may cancel: measured by the largest */
            off = fabs(f - w) / (largest * ldexp(1.0, part == TYPE_F64 ? -52 : -23));
        if (!(off <= ulp))
            return i;
    }
    return -1;
}

static void check_case(struct check *c, const char *path, const struct json *j)
{
    static struct diag d;
    const char *name = text_of(j, "name");
    const struct json *graph = json_get(j, "graph"), *ulps = json_get(j, "ulp");
    const struct json *ins = json_get(j, "inputs"), *outs = json_get(j, "outputs");
    double ulp = ulps ? strtod(ulps->source, NULL) : 0;
    struct arena a;
    struct graph g;
    if (!check_wanted(c, name))
        return;
    d = (struct diag){0};
    arena_init(&a, 0);
    if (!check_that(c, import_json(&a, graph->source, graph->size, NULL, 0, &g, &d),
                    "%s %s: %s (%s)", path, name, d.message, d.where))
        goto out;
    const struct func *f = &g.funcs[g.entry];
    struct array inputs[16], outputs[16];
    if (!check_that(c, f->nparams <= 16 && f->nresults <= 16, "%s %s: too many inputs", path, name))
        goto out;
    for (uint32_t i = 0; i < f->nparams; i++) {
        inputs[i] = (struct array){f->params[i], bits_of(&a, ins, i, &f->params[i])};
        if (!check_that(c, inputs[i].data != NULL, "%s %s: input %u has other bits than its type",
                        path, name, i))
            goto out;
    }
    if (!check_that(c, interp_run(&g, g.entry, &a, inputs, outputs, &d), "%s %s: %s", path, name,
                    d.message))
        goto out;
    for (uint32_t i = 0; i < f->nresults; i++) {
        const struct tensor *t = &outputs[i].tensor;
        unsigned char *wanted = bits_of(&a, outs, i, t);
        if (!check_that(c, wanted != NULL, "%s %s: output %u has other bits than its type", path,
                        name, i))
            continue;
        int64_t wrong = first_wrong(t, outputs[i].data, wanted, ulp);
        size_t bytes = type_bytes(t->type) / (type_is_complex(t->type) ? 2 : 1),
               at = (size_t)(wrong < 0 ? 0 : wrong) * bytes;
        unsigned char *found = (unsigned char *)outputs[i].data + at;
        uint64_t f_bits = 0, w_bits = 0;
        memcpy(&f_bits, found, bytes);
        memcpy(&w_bits, wanted + at, bytes);
        check_that(c, wrong < 0, "%s %s: output %u element %lld is %llx, Nx has %llx", path, name,
                   i, (long long)wrong, (unsigned long long)f_bits, (unsigned long long)w_bits);
    }

out:
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    struct check c = {0};
    for (int i = 1; i < argc; i++) {
        struct arena tree;
        size_t size = 0;
        char *text = read_file(argv[i], &size), error[128];
        arena_init(&tree, 0);
        const struct json *list = text ? json_parse(&tree, text, size, error) : NULL;
        if (check_that(&c, list && list->kind == JSON_LIST, "%s: no list of cases", argv[i]))
            for (uint32_t k = 0; k < list->count; k++)
                check_case(&c, argv[i], &list->items[k]);
        arena_finish(&tree);
        free(text);
    }
    return check_finish(&c);
}
