/* Reductions and products against exact sums: how far they may be off follows from how they are
   made, and does not grow with the length of a sum. The same bits come out of every run and of
   every load. Usage: reduce_test

   With u half an epsilon of the type that is accumulated in (f32 for f32 and smaller, else f64):
     sum               3 u sum |x|     sums are compensated, of groups of four that round twice
     product           n u |y|
     dot of length n   n u sum |a b|
   and a result of a smaller type is rounded once more. */
#include <math.h>
#include <string.h>

#include "e2e.h"
#include "interp/interp_impl.h"
#include "base/str.h"

enum kind { SUM, PRODUCT, DOT };
static const char *const kind_names[] = {"sum", "product", "dot"};

struct reduction {
    enum kind kind;
    enum vkc_type type;
    int64_t rows, columns; /* of the first operand */
    int axis; /* that is reduced; dot: always the second, with a second operand of columns x 3 */
};

static const enum vkc_type types[] = {TYPE_F64, TYPE_F32, TYPE_BF16, TYPE_F16};
static const int digits[] = {53, 24, 8, 11};

/* ---- inputs ---- */

enum { MIXED, POSITIVE, CANCELLING, WIDE, INPUTS };

static double draw(uint64_t *random, int how, int64_t i, enum kind kind, enum vkc_type type)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    double x = ldexp((double)(*random >> 11), -53), sign = *random & 1 ? 1 : -1;
    if (kind == PRODUCT)
        return 1 + (x - 0.5) / 64; /* stays in range */
    if (type == TYPE_F16)
        x /= 16;
    switch (how) {
    case MIXED: return sign * x;
    case POSITIVE: return x;
    case CANCELLING: return (i & 1 ? -1 : 1) * (0.5 + ldexp(x, -10)) / (type == TYPE_F16 ? 16 : 1);
    default: return sign * ldexp(x, (int)(*random >> 3 & 7) - 7);
    }
}

static bool make(const struct reduction *r, int how, struct array *x, int64_t rows, int64_t columns)
{
    uint64_t random = 0x9e3779b97f4a7c15u + (uint64_t)(how * 31 + r->axis);
    *x = (struct array){{r->type, {2, {rows, columns}}},
                        malloc((size_t)(rows * columns) * type_bytes(r->type))};
    for (int64_t i = 0; x->data && i < rows * columns; i++)
        number_store(r->type, x->data, i,
                     (union number){.f = draw(&random, how, i, r->kind, r->type)});
    return x->data != NULL;
}

/* ---- the graph ---- */

static const char *graph_of(const struct reduction *r, int64_t results, struct arena *a)
{
    const char *t = type_name(r->type);
    long long rows = (long long)r->rows, columns = (long long)r->columns;
    bool dot = r->kind == DOT;
    struct str s;
    str_init(&s, a);
    str_add(
        &s,
        "{\"schema\":\"nx.vulkan.graph/1\",\"nx\":\"0.13.1\",\"producer\":\"test\",\"name\":\"r\","
        "\"entry\":0,\"funcs\":[{\"params\":[");
    str_printf(&s, "{\"type\":\"%s\",\"shape\":[%lld,%lld],\"name\":\"x\"}", t, rows, columns);
    if (dot)
        str_printf(&s, ",{\"type\":\"%s\",\"shape\":[%lld,3],\"name\":\"y\"}", t, columns);
    str_printf(&s,
               "],\"nodes\":[{\"id\":0,\"op\":\"parameter\",\"ins\":[],"
               "\"outs\":[{\"type\":\"%s\",\"shape\":[%lld,%lld]}],\"attrs\":{\"index\":0}},",
               t, rows, columns);
    if (dot)
        str_printf(&s,
                   "{\"id\":1,\"op\":\"parameter\",\"ins\":[],"
                   "\"outs\":[{\"type\":\"%s\",\"shape\":[%lld,3]}],\"attrs\":{\"index\":1}},",
                   t, columns);
    str_printf(&s, "{\"id\":%d,\"op\":\"%s\",\"ins\":[[0,0]%s],", dot ? 2 : 1, kind_names[r->kind],
               dot ? ",[1,0]" : "");
    str_printf(&s, "\"outs\":[{\"type\":\"%s\",\"shape\":[%lld%s]}],\"attrs\":{", t,
               (long long)results / (dot ? 3 : 1), dot ? ",3" : "");
    if (dot)
        str_add(&s, "\"contract_a\":[1],\"batch_a\":[],\"contract_b\":[0],\"batch_b\":[]");
    else
        str_printf(&s, "\"axes\":[%d],\"keep\":false", r->axis);
    str_printf(&s, "}}],\"results\":[[%d,0]]}],\"literals\":[],\"donations\":[],\"callbacks\":0}",
               dot ? 2 : 1);
    return str_text(&s);
}

/* ---- exact results ---- */

/* A sum of long doubles with what they round away: better than the types tested by far, also
   where long double is double. */
struct exact {
    long double high, low;
};

static void add(struct exact *s, long double x)
{
    long double t = s->high + x, back = t - s->high;
    s->low += (s->high - (t - back)) + (x - back);
    s->high = t;
}

struct wanted {
    long double value, magnitude;
};

static struct wanted wanted(const struct reduction *r, const struct array in[2], int64_t at)
{
    struct exact sum = {0, 0}, magnitude = {0, 0};
    long double product = 1;
    int64_t n = r->axis == 0 ? r->rows : r->columns;
    for (int64_t i = 0; i < n; i++) {
        int64_t flat = r->kind == DOT ? at / 3 * r->columns + i
                       : r->axis == 0 ? i * r->columns + at
                                      : at * r->columns + i;
        double x = number_load(r->type, in[0].data, flat).f,
               y = r->kind == DOT ? number_load(r->type, in[1].data, i * 3 + at % 3).f : 1;
        double p = x * y;
        add(&sum, p);
        add(&sum, fma(x, y, -p));
        add(&magnitude, fabs(p));
        product *= x;
    }
    if (r->kind == PRODUCT)
        return (struct wanted){product, fabsl(product)};
    return (struct wanted){sum.high + sum.low, magnitude.high};
}

static long double bound_of(const struct reduction *r, struct wanted w, int type)
{
    int64_t n = r->axis == 0 ? r->rows : r->columns;
    long double u = ldexpl(1, r->type == TYPE_F64 ? -53 : -24),
                factor = r->kind == SUM ? 3 : (long double)n;
    long double bound = factor * u * w.magnitude;
    return digits[type] < 24 ? bound * (1 + ldexpl(1, 1 - digits[type])) +
                                   ldexpl(1, -digits[type]) * fabsl(w.value) + ldexpl(1, -25)
                             : bound;
}

/* ---- a case ---- */

static void check_results(struct e2e *e, const struct reduction *r, const char *what,
                          const struct array in[2], const void *out, int64_t results, int type)
{
    long double most = 0;
    for (int64_t i = 0; i < results; i++) {
        struct wanted w = wanted(r, in, i);
        double found = number_load(r->type, out, i).f;
        long double bound = bound_of(r, w, type), error = fabsl(found - w.value);
        most = bound > 0 && error / bound > most ? error / bound : most;
        if (!check_that(&e->check, error <= bound,
                        "%s: element %lld is %.17g, wanted %.17Lg, off by %.2Lg of what is allowed",
                        what, (long long)i, found, w.value, error / bound))
            return;
    }
}

static void check_case(struct e2e *e, const struct reduction *r, int how, enum e2e_variant v,
                       int type)
{
    struct arena a;
    arena_init(&a, 1 << 20);
    char what[160];
    int64_t results = r->kind == DOT ? r->rows * 3 : r->axis == 0 ? r->columns : r->rows;
    size_t bytes = (size_t)results * type_bytes(r->type);
    snprintf(what, sizeof what, "%s of %s[%lld,%lld] along %d, inputs %d, %s", kind_names[r->kind],
             type_name(r->type), (long long)r->rows, (long long)r->columns, r->axis, how,
             e2e_variant_names[v]);
    if (!check_wanted(&e->check, what)) {
        arena_finish(&a);
        return;
    }
    struct array in[2] = {{{0}, NULL}, {{0}, NULL}};
    bool ok = make(r, how, &in[0], r->rows, r->columns) &&
              (r->kind != DOT || make(r, how, &in[1], r->columns, 3));
    const char *json = ok ? graph_of(r, results, &a) : NULL;
    void *first = NULL;
    for (int load = 0; load < 2 && json; load++) {
        vkr_program *program = e2e_load(e, what, json, strlen(json), v);
        for (int run = 0; run < 2 && program; run++) {
            void *out = NULL;
            if (!e2e_run(e, what, program, in, &out))
                break;
            if (!first) {
                check_results(e, r, what, in, out, results, type);
                first = out;
                continue;
            }
            check_that(&e->check, memcmp(first, out, bytes) == 0,
                       "%s: load %d, run %d has other bits", what, load, run);
            free(out);
        }
        vkr_program_unload(program);
    }
    free(first);
    free(in[0].data);
    free(in[1].data);
    arena_finish(&a);
}

int main(void)
{
    static const struct {
        int64_t rows, columns;
        int axis;
    } shapes[] = {{3, 100003, 1}, {5, 4096, 1}, {257, 33, 1}, {4099, 7, 0}, {1, 1 << 20, 1}};
    struct e2e e;
    if (!e2e_open(&e))
        return e2e_close(&e);
    for (int t = 0; t < 4; t++)
        for (int v = 0; v <= E2E_AS_GPU; v++) {
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                for (int how = 0; how < (shapes[s].columns > 1 << 19 ? 1 : INPUTS); how++)
                    check_case(&e,
                               &(struct reduction){SUM, types[t], shapes[s].rows, shapes[s].columns,
                                                   shapes[s].axis},
                               how, (enum e2e_variant)v, t);
            check_case(&e, &(struct reduction){PRODUCT, types[t], 5, 1000, 1}, 0,
                       (enum e2e_variant)v, t);
            check_case(&e, &(struct reduction){PRODUCT, types[t], 300, 9, 0}, 0,
                       (enum e2e_variant)v, t);
            for (int how = 0; how < INPUTS; how++) {
                check_case(&e, &(struct reduction){DOT, types[t], 7, 1000, 1}, how,
                           (enum e2e_variant)v, t);
                check_case(&e, &(struct reduction){DOT, types[t], 70, 4099, 1}, how,
                           (enum e2e_variant)v, t);
            }
        }
    return e2e_close(&e);
}
