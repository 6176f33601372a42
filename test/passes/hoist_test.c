/* Pass hoist, on random loops in loops: what has a kernel and is the same in every round is nowhere
   in a loop afterwards, once in the graph, and the results have the same bits. What is carried for
   it is read in the loop, and no larger than what it is made of.
   hoist_test [graphs] [first seed] */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "check.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "random.h"

/* Every value is s32: a number, N of them, or N x N. */
enum { N = 6, CARRIED = 4, MOST_VALUES = 64, KINDS = 3 };
enum kind { NUMBER, VECTOR, MATRIX };
static const char *const types[KINDS] = {"s32[]", "s32[6]", "s32[6,6]"};
/* What a loop carries: a counter, what it computes, and two values that it may hand on. */
static const enum kind carried[CARRIED] = {NUMBER, VECTOR, MATRIX, VECTOR};
static const char carried_types[] = "s32[], s32[6], s32[6,6], s32[6]";

static uint64_t state;
static unsigned nhoisted; /* values that are carried */

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(next_random(&state) % below);
}

/* ---- programs ---- */

struct body {
    struct str *text;
    uint32_t count;
    enum kind kinds[MOST_VALUES];
};

/* A value of the kind, one of the last more often. */
static uint32_t some(const struct body *b, enum kind kind)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->kinds[i] == kind && (found == UINT32_MAX || draw(3) > 0))
            found = i;
    return found;
}

static void put(struct body *b, enum kind kind, const char *node)
{
    str_printf(b->text, "n%u = %s : %s\n", b->count, node, types[kind]);
    b->kinds[b->count++] = kind;
}

#define DOT "dot n%u, n%u contract_a=[1] batch_a=[] contract_b=[0] batch_b=[]"
static const struct form {
    enum kind gives;
    const char *text;
    enum kind takes[2];
} forms[] = {
    {NUMBER, "negate n%u", {NUMBER}},
    {NUMBER, "sum n%u axes=[0] keep=false", {VECTOR}},
    {NUMBER, "reduce_max n%u axes=[0,1] keep=false", {MATRIX}},
    {VECTOR, "sum n%u axes=[0] keep=false", {MATRIX}},
    {VECTOR, "sum n%u axes=[1] keep=false", {MATRIX}},
    {VECTOR, "sort n%u axis=0 descending=false stable=false", {VECTOR}},
    {VECTOR, "broadcast n%u axes=[]", {NUMBER}},
    {VECTOR, "add n%u, n%u", {VECTOR, VECTOR}},
    {VECTOR, "multiply n%u, n%u", {VECTOR, VECTOR}},
    {VECTOR, DOT, {MATRIX, VECTOR}},
    {MATRIX, DOT, {MATRIX, MATRIX}},
    {MATRIX, "broadcast n%u axes=[0]", {VECTOR}},
    {MATRIX, "broadcast n%u axes=[1]", {VECTOR}},
    {MATRIX, "subtract n%u, n%u", {MATRIX, MATRIX}},
    {MATRIX, "transpose n%u axes=[1,0]", {MATRIX}},
};

static void put_random(struct body *b)
{
    const struct form *f = &forms[draw(sizeof forms / sizeof *forms)];
    char node[128];
    uint32_t first = some(b, f->takes[0]), second = some(b, f->takes[1]);
    snprintf(node, sizeof node, f->text, first, second);
    put(b, f->gives, node);
}

static void begin(struct body *b, struct str *text, uint32_t func)
{
    char node[32];
    *b = (struct body){.text = text};
    str_printf(text, "func f%u(%s) {\n", func, carried_types);
    for (uint32_t i = 0; i < CARRIED; i++) {
        snprintf(node, sizeof node, "parameter index=%u", i);
        put(b, carried[i], node);
    }
}

/* while the counter is below `rounds`, and sometimes while a sum is not the counter. */
static void put_condition(struct str *text, uint32_t func, uint32_t rounds)
{
    struct body b;
    begin(&b, text, func);
    str_printf(text, "n4 = constant bits=%08x : s32[]\nn5 = less n0, n4 : u8[]\n", rounds);
    if (draw(2))
        str_printf(text,
                   "n6 = sum n%u axes=[0] keep=false : s32[]\nn7 = not_equal n6, n0 : u8[]\n"
                   "n8 = logical_and n5, n7 : u8[]\nreturn n8\n}\n",
                   draw(2) ? 3u : 1u);
    else
        str_add(text, "return n5\n}\n");
}

/* The body that is function `func`, and the loop in it, if it has one, whose regions follow. */
static void put_body(struct str *text, uint32_t func, bool has_loop)
{
    struct body b;
    char node[160];
    begin(&b, text, func);
    put(&b, NUMBER, "constant bits=00000001");
    for (uint32_t i = 0, n = 6 + draw(10); i < n; i++)
        put_random(&b);
    uint32_t last = some(&b, VECTOR);
    if (has_loop) {
        str_printf(text, "n%u = while n4, n%u, n%u, n%u regions=[f%u,f%u] : %s\n", b.count, last,
                   some(&b, MATRIX), some(&b, VECTOR), func + 1, func + 2, carried_types);
        b.kinds[b.count++] = NUMBER;
        str_printf(text, "n%u = reverse n%u.1 axes=[0] : s32[6]\n", b.count, b.count - 1);
        last = b.count;
        b.kinds[b.count++] = VECTOR;
    }
    snprintf(node, sizeof node, "add n1, n%u", last);
    put(&b, VECTOR, node);
    put(&b, NUMBER, "add n0, n4");
    uint32_t sum = b.count - 2, next = b.count - 1;
    str_printf(text, "return n%u, n%u, n%u, n%u\n}\n", next, sum, draw(4) ? 2 : some(&b, MATRIX),
               draw(4) ? 3 : some(&b, VECTOR));
}

static void put_program(struct str *text, bool is_nested)
{
    str_printf(text, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s) {\n", carried_types);
    for (uint32_t i = 0; i < CARRIED; i++)
        str_printf(text, "n%u = parameter index=%u : %s\n", i, i, types[carried[i]]);
    str_printf(text,
               "n4 = while n0, n1, n2, n3 regions=[f1,f2] : %s\n"
               "return n4.0, n4.1, n4.2, n4.3\n}\n",
               carried_types);
    put_condition(text, 1, 3);
    put_body(text, 2, is_nested);
    if (is_nested) {
        put_condition(text, 3, 4);
        put_body(text, 4, false);
    }
}

/* ---- what is checked ---- */

static bool is_costly(const struct node *n)
{
    return n->op == OP_SUM || n->op == OP_REDUCE_MAX || n->op == OP_SORT || n->op == OP_DOT;
}

static uint32_t count_costly(const struct graph *g)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < g->nfuncs; k++)
        for (node_id i = 0; i < g->funcs[k].nnodes; i++)
            count += is_costly(&g->funcs[k].nodes[i]);
    return count;
}

static bool is_parameter(const struct func *f, struct value v, uint32_t index)
{
    const struct node *n = &f->nodes[v.node];
    return n->op == OP_PARAMETER && attr_int(n, ATTR_index, 0) == index;
}

/* Costly nodes of a region that every round computes anew, of the same values. */
static uint32_t count_same(const struct graph *g, const struct node *loop, uint32_t region)
{
    const struct func *f = &g->funcs[loop->regions[region]], *body = &g->funcs[loop->regions[1]];
    bool same[256] = {false};
    uint32_t count = 0;
    for (node_id i = 0; i < f->nnodes && i < 256; i++) {
        const struct node *n = &f->nodes[i];
        same[i] = n->nregions == 0;
        if (n->op == OP_PARAMETER) {
            uint32_t index = (uint32_t)attr_int(n, ATTR_index, 0);
            same[i] = is_parameter(body, body->results[index], index);
        }
        for (uint32_t j = 0; j < n->nins; j++)
            same[i] &= same[n->ins[j].node];
        count += same[i] && is_costly(n);
    }
    return count;
}

/* Whether a region reads it, or gives it as something else. */
static bool is_read(const struct func *f, uint32_t index)
{
    bool found = false;
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins; j++)
            found |= is_parameter(f, f->nodes[i].ins[j], index);
    for (uint32_t i = 0; i < f->nresults; i++)
        found |= i != index && is_parameter(f, f->results[i], index);
    return found;
}

/* A reduction, a sort or a product, or what is computed from some and takes no more memory. */
static bool is_worth_it(const struct func *f, struct value v)
{
    const struct node *n = &f->nodes[v.node];
    size_t bytes = 0;
    for (uint32_t j = 0; j < n->nins; j++)
        bytes += tensor_bytes(func_tensor(f, n->ins[j]));
    return is_costly(n) || n->op == OP_PARAMETER || tensor_bytes(&n->outs[0]) <= bytes;
}

static void check_loops(const struct graph *g, uint64_t seed)
{
    for (uint32_t k = 0; k < g->nfuncs; k++)
        for (node_id i = 0; i < g->funcs[k].nnodes; i++) {
            const struct node *n = &g->funcs[k].nodes[i];
            if (n->op != OP_WHILE)
                continue;
            uint32_t left = count_same(g, n, 0) + count_same(g, n, 1);
            CHECK(left == 0, "seed %llu: f%u computes %u values anew in every round",
                  (unsigned long long)seed, k, left);
            for (uint32_t j = CARRIED; j < n->nins; j++) {
                CHECK(is_read(&g->funcs[n->regions[0]], j) || is_read(&g->funcs[n->regions[1]], j),
                      "seed %llu: nobody reads what f%u carries as %u", (unsigned long long)seed, k,
                      j);
                CHECK(is_worth_it(&g->funcs[k], n->ins[j]),
                      "seed %llu: f%u carries more than it must", (unsigned long long)seed, k);
                nhoisted++;
            }
        }
}

/* Only these passes run: what others would find alike is computed twice. */
static const char others[] =
    "inline,canon,lower,fold,algebra,cse,views,attend,split_columns,split_contract,"
    "split_reduce";

static bool run_passes(struct graph *g, bool with_hoist, bool roundtrip, struct diag *d)
{
    char skip[160];
    snprintf(skip, sizeof skip, "%s%s", others, with_hoist ? "" : ",hoist");
    const struct pass_options o = {.skip = skip, .roundtrip = roundtrip};
    return passes_run(g, &o, d);
}

static void check_program(uint64_t seed)
{
    struct arena a;
    struct graph before, after;
    struct diag d = {0};
    struct str text;
    int32_t number = 0, vectors[2][N], matrix[N * N];
    state = seed;
    arena_init(&a, 0);
    str_init(&text, &a);
    put_program(&text, seed % 2);
    for (int i = 0; i < N * N; i++)
        matrix[i] = vectors[i / N % 2][i % N] = (int32_t)draw(9) - 4;
    const char *t = str_text(&text);
    bool ok = ir_parse(&a, t, text.len, &before, &d) && ir_verify(&before, &d) &&
              ir_parse(&a, t, text.len, &after, &d) && run_passes(&before, false, true, &d) &&
              run_passes(&after, true, true, &d);
    CHECK(ok, "seed %llu: %s\n%s", (unsigned long long)seed, d.message, t);
    if (ok) {
        const struct tensor *p = before.funcs[0].params;
        struct array in[CARRIED] = {
            {p[0], &number}, {p[1], vectors[0]}, {p[2], matrix}, {p[3], vectors[1]}};
        struct array x[CARRIED], y[CARRIED];
        CHECK(count_costly(&before) == count_costly(&after), "seed %llu: %u nodes became %u",
              (unsigned long long)seed, count_costly(&before), count_costly(&after));
        check_loops(&after, seed);
        ok =
            interp_run(&before, 0, &a, in, x, &d) && interp_run(&after, after.entry, &a, in, y, &d);
        CHECK(ok, "seed %llu: %s", (unsigned long long)seed, d.message);
        for (uint32_t i = 0; ok && i < CARRIED; i++)
            CHECK(memcmp(x[i].data, y[i].data, tensor_bytes(&x[i].tensor)) == 0,
                  "seed %llu: result %u differs\n%s", (unsigned long long)seed, i, t);
    }
    arena_finish(&a);
}

/* A branch that may not run stays where it is, with all that it computes, and so does what calls
   the host. The sum that only it reads is computed before the loop, up to its negation, which is as
   small. */
static const char stays[] =
    "graph \"t\" entry=f0 callbacks=1\n"
    "func f0(s32[], s32[6]) {\nn0 = parameter index=0 : s32[]\nn1 = parameter index=1 : s32[6]\n"
    "n2 = while n0, n1 regions=[f1,f2] : s32[], s32[6]\nreturn n2.0, n2.1\n}\n"
    "func f1(s32[], s32[6]) {\nn0 = parameter index=0 : s32[]\n"
    "n1 = constant bits=00000064 : s32[]\nn2 = less n0, n1 : u8[]\nreturn n2\n}\n"
    "func f2(s32[], s32[6]) {\nn0 = parameter index=0 : s32[]\nn1 = parameter index=1 : s32[6]\n"
    "n2 = sum n1 axes=[0] keep=false : s32[]\n"
    "n6 = negate n2 : s32[]\nn3 = hook n6, n0 callback=0 seq=0 hooked=1 : s32[]\n"
    "n4 = cond n1 regions=[f3,f4,f5] : s32[]\nn5 = add n3, n4 : s32[]\nreturn n5, n1\n}\n"
    "func f3(s32[6]) {\nn0 = parameter index=0 : s32[6]\n"
    "n1 = reduce_max n0 axes=[0] keep=false : s32[]\nn2 = constant bits=00000000 : s32[]\n"
    "n3 = less n1, n2 : u8[]\nreturn n3\n}\n"
    "func f4(s32[6]) {\nn0 = parameter index=0 : s32[6]\n"
    "n1 = reduce_min n0 axes=[0] keep=false : s32[]\nreturn n1\n}\n"
    "func f5(s32[6]) {\nn0 = constant bits=00000001 : s32[]\nreturn n0\n}\n";

static void check_what_stays(void)
{
    struct arena a;
    struct graph g;
    struct diag d = {0};
    static const enum op ops[] = {OP_HOOK,       OP_COND, OP_REDUCE_MAX,
                                  OP_REDUCE_MIN, OP_SUM,  OP_NEGATE};
    arena_init(&a, 0);
    bool ok = ir_parse(&a, stays, strlen(stays), &g, &d) && ir_verify(&g, &d) &&
              run_passes(&g, true, true, &d);
    CHECK(ok, "%s", d.message);
    for (size_t k = 0; ok && k < sizeof ops / sizeof *ops; k++) {
        uint32_t outside = 0, all = 0;
        for (uint32_t f = 0; f < g.nfuncs; f++)
            for (node_id i = 0; i < g.funcs[f].nnodes; i++) {
                all += g.funcs[f].nodes[i].op == ops[k];
                outside += f == g.entry && g.funcs[f].nodes[i].op == ops[k];
            }
        CHECK(all == 1 && outside == (ops[k] == OP_SUM || ops[k] == OP_NEGATE),
              "%s: %u, of which %u before the loop", op_name(ops[k]), all, outside);
    }
    arena_finish(&a);
}

/* Wherever the memory ends, it is said, once there is a loop to work on. */
static void check_memory(void)
{
    struct arena a;
    struct str text;
    uint32_t failed = 0;
    bool ok = false;
    state = 3;
    arena_init(&a, 0);
    str_init(&text, &a);
    put_program(&text, true);
    for (size_t limit = 1 << 14; !ok && limit < 1 << 20; limit += 16) {
        struct arena small;
        struct graph g;
        struct diag d = {0};
        arena_init(&small, limit);
        ok = ir_parse(&small, str_text(&text), text.len, &g, &d) && run_passes(&g, true, false, &d);
        CHECK(ok || d.code == DIAG_MEMORY, "limit %zu: code %d, %s", limit, (int)d.code, d.message);
        failed += !ok;
        arena_finish(&small);
    }
    CHECK(ok && failed > 400, "%u limits were too small", failed);
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 400;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (check_wanted("what stays"))
        check_what_stays();
    if (check_wanted("memory"))
        check_memory();
    for (uint64_t seed = first; check_wanted("random") && seed < first + (uint64_t)count; seed++)
        check_program(seed);
    CHECK(!check_wanted("random") || nhoisted >= count / 2, "%u values were taken out of loops",
          nhoisted);
    return check_report();
}
