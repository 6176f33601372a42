/* The driver of passes and what golden files cannot show: options, limits, large and deep
   graphs. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "plan/plan.h"

static bool parse(struct arena *a, const char *text, struct graph *g, struct diag *d)
{
    arena_init(a, 0);
    *d = (struct diag){0};
    return ir_parse(a, text, strlen(text), g, d) && ir_verify(g, d);
}

static const char *const small =
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[4]) {\n  n0 = parameter index=0 : f32[4]\n  n1 = exp n0 : f32[4]\n"
    "  n2 = stack n1, n1 axis=0 : f32[2,4]\n  return n2\n}\n";

struct seen {
    uint32_t count;
    char last[32];
    bool changed;
};

static void after(void *context, const char *pass, bool changed, const struct graph *g)
{
    struct seen *s = context;
    (void)g;
    s->count++;
    snprintf(s->last, sizeof s->last, "%s", pass);
    s->changed |= changed;
}

static void test_options(void)
{
    struct arena a;
    struct graph g;
    struct diag d;
    struct seen seen = {0};
    uint32_t passes = 0;
    while (vkc_passes[passes].name)
        passes++;
    CHECK(parse(&a, small, &g, &d), "%s", d.message);
    struct pass_options o = {.after = after, .context = &seen, .stop_after = "canon"};
    CHECK(passes_run(&g, &o, &d) && strcmp(seen.last, "canon") == 0 && seen.changed,
          "stopped after %s", seen.last);
    seen = (struct seen){0};
    o.stop_after = NULL;
    CHECK(passes_run(&g, &o, &d) && seen.count == passes, "%u passes reported", seen.count);
    o.skip = "canon,nonsense";
    CHECK(!passes_run(&g, &o, &d) && d.code == DIAG_USAGE && strstr(d.message, "nonsense"), "%s",
          d.message);
    d = (struct diag){0};
    o.skip = NULL;
    o.stop_after = "can";
    CHECK(!passes_run(&g, &o, &d) && d.code == DIAG_USAGE, "%s", d.message);
    arena_finish(&a);
    CHECK(parse(&a, small, &g, &d), "%s", d.message);
    char all[256] = "";
    for (uint32_t i = 0; i < passes; i++) {
        strcat(all, vkc_passes[i].name);
        strcat(all, ",");
    }
    seen = (struct seen){0};
    o = (struct pass_options){.skip = all, .after = after, .context = &seen};
    CHECK(passes_run(&g, &o, &d) && !seen.changed, "all passes skipped change nothing");
    arena_finish(&a);
}

/* A second run finds nothing to do. */
static void test_idempotent(void)
{
    struct arena a;
    struct graph g;
    struct diag d;
    struct seen seen = {0};
    CHECK(parse(&a, small, &g, &d), "%s", d.message);
    struct pass_options o = {0};
    CHECK(passes_run(&g, &o, &d), "%s", d.message);
    o = (struct pass_options){.after = after, .context = &seen};
    CHECK(passes_run(&g, &o, &d) && !seen.changed, "the second run changed the graph");
    arena_finish(&a);
}

/* A chain of `count` nodes, each on the one before. */
static void make_chain(struct arena *a, uint32_t count, const enum op *ops, uint32_t nops,
                       struct graph *g)
{
    arena_init(a, 0);
    *g = (struct graph){.arena = a, .name = ""};
    graph_add_func(g);
    struct func *f = &g->funcs[0];
    int64_t dims[2] = {2, 3}, swapped[2] = {3, 2}, axes[2] = {1, 0};
    struct tensor t = {TYPE_F32, shape_of(2, dims)};
    f->nparams = 1;
    f->params = arena_copy(a, &t, sizeof t);
    f->param_names = ARENA_ARRAY(a, const char *, 1);
    struct node *n = func_append(g, f, OP_PARAMETER, UINT32_MAX, 0, 1, 1, 0);
    n->outs[0] = t;
    attr_set_int(&n->attrs[0], ATTR_index, 0);
    for (uint32_t i = 0; i < count; i++) {
        enum op op = ops[i % nops];
        n = func_append(g, f, op, UINT32_MAX, (uint32_t)vkc_ops[op].min_ins, 1, op == OP_TRANSPOSE,
                        0);
        for (uint32_t j = 0; j < n->nins; j++)
            n->ins[j] = (struct value){i, 0};
        if (op == OP_TRANSPOSE) {
            attr_set_list(g, &n->attrs[0], ATTR_axes, axes, 2);
            t.shape = shape_of(2, t.shape.dim[0] == 2 ? swapped : dims);
        }
        n->outs[0] = t;
    }
    f->nresults = 1;
    f->results = ARENA_ARRAY(a, struct value, 1);
    f->results[0].node = count;
}

/* Passes take no stack for depth and no more than linear time for size. */
static void test_deep(void)
{
    static const enum op ops[] = {OP_NEGATE,    OP_TRANSPOSE, OP_EXP,    OP_ADD,
                                  OP_TRANSPOSE, OP_ABS,       OP_RESHAPE};
    struct arena a;
    struct graph g;
    struct diag d = {0};
    const struct pass_options o = {0};
    make_chain(&a, 200000, ops, sizeof ops / sizeof *ops, &g);
    CHECK(ir_verify(&g, &d), "%s", d.message);
    clock_t start = clock();
    CHECK(passes_run(&g, &o, &d), "%s", d.message);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(seconds < 20, "200,000 nodes took %.1f s", seconds);
    CHECK(g.funcs[0].nnodes < 175000, "reshapes to the same shape stayed: %u nodes",
          g.funcs[0].nnodes);
    arena_finish(&a);
}

/* Loops in loops: what unrolling tries is bounded. */
static void test_bounded(void)
{
    struct arena a;
    struct graph g;
    struct diag d = {0};
    struct str s;
    struct arena text;
    arena_init(&text, 0);
    str_init(&s, &text);
    enum { DEPTH = 40 };
    str_add(&s, "graph \"t\" entry=f0 callbacks=0\n");
    for (int i = 0; i <= DEPTH; i++) {
        /* f(2i): body of level i; f(2i+1), f(2i+2): condition and body of the loop in it */
        int f = i == 0 ? 0 : 2 * i;
        str_printf(
            &s,
            "func f%d(f32[4], s32[]) {\n  n0 = parameter index=0 : f32[4]\n  n1 = constant bits=00000000 : s32[]\n",
            f);
        if (i < DEPTH)
            str_printf(&s, "  n2 = while n0, n1 regions=[f%d,f%d] : f32[4], s32[]\n", 2 * i + 1,
                       2 * i + 2);
        else
            str_add(&s, "  n2 = sin n0 : f32[4]\n");
        str_printf(&s,
                   "  n3 = parameter index=1 : s32[]\n  n4 = constant bits=00000001 : s32[]\n"
                   "  n5 = add n3, n4 : s32[]\n  return %s, n5\n}\n",
                   i < DEPTH ? "n2.0" : "n2");
        if (i < DEPTH)
            str_printf(
                &s,
                "func f%d(f32[4], s32[]) {\n  n0 = parameter index=1 : s32[]\n  n1 = constant bits=0000000a : s32[]\n"
                "  n2 = less n0, n1 : u8[]\n  return n2\n}\n",
                2 * i + 1);
    }
    CHECK(parse(&a, str_text(&s), &g, &d), "%s (%s)", d.message, d.where);
    clock_t start = clock();
    const struct pass_options o = {0};
    CHECK(passes_run(&g, &o, &d), "%s", d.message);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(seconds < 20, "%d loops in each other took %.1f s", DEPTH, seconds);
    arena_finish(&a);
    arena_finish(&text);
}

/* A full arena is an error like any other, wherever it happens. */
static void test_memory(void)
{
    uint32_t failed = 0;
    for (size_t limit = 2000; limit < 400000; limit = limit * 9 / 8) {
        struct arena a;
        struct graph g;
        struct diag d = {0};
        const struct pass_options o = {.roundtrip = true};
        arena_init(&a, limit);
        bool ok = ir_parse(&a, small, strlen(small), &g, &d) && ir_verify(&g, &d) &&
                  passes_run(&g, &o, &d);
        failed += !ok;
        CHECK(ok || d.code == DIAG_MEMORY, "limit %zu: code %d, %s", limit, (int)d.code, d.message);
        arena_finish(&a);
    }
    CHECK(failed > 0, "no limit was too small");
}

/* A value that only a callback in a loop's body sees is carried on; a value that only a
   predicate reads is captured on, whichever results of the branch are read. */
static const char *const seen_by_callback =
    "graph \"t\" entry=f0 callbacks=1\n"
    "func f0(s32[], f32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : f32[]\n"
    "  n2 = while n0, n1 regions=[f1,f2] : s32[], f32[]\n  return n2\n}\n"
    "func f1(s32[], f32[]) {\n  n0 = parameter index=0 : s32[]\n"
    "  n1 = constant bits=0000000a : s32[]\n  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
    "func f2(s32[], f32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : f32[]\n"
    "  n2 = constant bits=00000001 : s32[]\n  n3 = add n0, n2 : s32[]\n"
    "  n4 = exp n1 : f32[]\n  n5 = hook n4, n0 callback=0 seq=0 hooked=1 : s32[]\n  return n3, n4\n}\n";
static const char *const read_by_predicate =
    "graph \"t\" entry=f0 callbacks=0\n"
    "func f0(s32[], f32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : f32[]\n"
    "  n2 = cond n0, n1 regions=[f1,f2,f3] : f32[], f32[]\n  return n2.1\n}\n"
    "func f1(s32[], f32[]) {\n  n0 = parameter index=0 : s32[]\n"
    "  n1 = constant bits=00000003 : s32[]\n  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
    "func f2(s32[], f32[]) {\n  n1 = parameter index=1 : f32[]\n  n2 = exp n1 : f32[]\n  return n2, n1\n}\n"
    "func f3(s32[], f32[]) {\n  n1 = parameter index=1 : f32[]\n  n2 = negate n1 : f32[]\n  return n1, n2\n}\n";

static void test_needed(void)
{
    struct arena a;
    struct graph g;
    struct diag d;
    struct pass_options o = {
        .skip =
            "inline,canon,fold,algebra,cse,views,split_columns,split_contract,split_reduce,lower"};
    uint32_t hooks = 0;
    bool is_exp = false;
    CHECK(parse(&a, seen_by_callback, &g, &d), "%s", d.message);
    CHECK(passes_run(&g, &o, &d), "%s", d.message);
    for (uint32_t f = 0; f < g.nfuncs; f++)
        for (uint32_t i = 0; i < g.funcs[f].nnodes; i++) {
            const struct node *n = &g.funcs[f].nodes[i],
                              *seen =
                                  n->op == OP_HOOK ? func_node(&g.funcs[f], n->ins[0].node) : NULL;
            hooks += n->op == OP_HOOK;
            is_exp |= seen && seen->op == OP_EXP &&
                      func_node(&g.funcs[f], seen->ins[0].node)->op == OP_PARAMETER;
        }
    const struct node *loop = NULL;
    for (uint32_t i = 0; i < g.funcs[g.entry].nnodes; i++)
        loop = g.funcs[g.entry].nodes[i].op == OP_WHILE ? &g.funcs[g.entry].nodes[i] : loop;
    CHECK(hooks == 1 && is_exp && loop && loop->nins == 2, "%u hooks, %s, %u values are carried",
          hooks, is_exp ? "of the exponential" : "of something else", loop ? loop->nins : 0);
    arena_finish(&a);

    for (int32_t x = 2; x < 5; x++) {
        float y = 0.75f;
        CHECK(parse(&a, read_by_predicate, &g, &d), "%s", d.message);
        struct array in[2] = {{g.funcs[0].params[0], &x}, {g.funcs[0].params[1], &y}}, before,
                     after;
        CHECK(interp_run(&g, g.entry, &a, in, &before, &d), "%s", d.message);
        CHECK(passes_run(&g, &o, &d) && interp_run(&g, g.entry, &a, in, &after, &d), "%s",
              d.message);
        CHECK(d.code == DIAG_OK && *(float *)before.data == (x < 3 ? y : -y) &&
                  *(float *)after.data == *(float *)before.data,
              "the branch that is taken for %d", x);
        arena_finish(&a);
    }
}

/* A loop that carries 16 values, of which one is needed by nobody: that one goes, and the others
   stay what they are. */
static void test_carried(void)
{
    enum { CARRIED = 16, UNUSED = 9 };
    struct arena a, texts;
    struct graph g;
    struct diag d;
    struct str text, params, types;
    float in[CARRIED];
    struct array ins[CARRIED], outs[CARRIED];
    const struct node *loop = NULL;
    arena_init(&texts, 0);
    str_init(&text, &texts);
    str_init(&params, &texts);
    str_init(&types, &texts);
    for (int i = 0; i < CARRIED; i++) {
        str_printf(&types, "%sf32[]", i ? ", " : "");
        str_printf(&params, "  n%d = parameter index=%d : f32[]\n", i, i);
    }
    str_printf(&text, "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s) {\n%s  n20 = while n0",
               str_text(&types), str_text(&params));
    for (int i = 1; i < CARRIED; i++)
        str_printf(&text, ", n%d", i);
    str_printf(&text, " regions=[f1,f2] : %s\n  return n20.0", str_text(&types));
    for (int i = 1; i < CARRIED; i++)
        if (i != UNUSED)
            str_printf(&text, ", n20.%d", i);
    str_printf(&text, "\n}\nfunc f1(%s) {\n%s  n20 = less n0, n1 : u8[]\n  return n20\n}\n",
               str_text(&types), str_text(&params));
    str_printf(&text, "func f2(%s) {\n%s", str_text(&types), str_text(&params));
    for (int i = 0; i < CARRIED; i++)
        str_printf(&text, "  n%d = add n%d, n%d : f32[]\n", 20 + i, i, i == 1 ? 2 : i);
    str_add(&text, "  return n20");
    for (int i = 1; i < CARRIED; i++)
        str_printf(&text, ", n%d", i == 1 ? 1 : 20 + i);
    str_add(&text, "\n}\n");
    CHECK(parse(&a, str_text(&text), &g, &d), "%s", d.message);
    const struct pass_options o = {0};
    CHECK(passes_run(&g, &o, &d), "%s", d.message);
    for (uint32_t i = 0; i < g.funcs[g.entry].nnodes; i++)
        loop = g.funcs[g.entry].nodes[i].op == OP_WHILE ? &g.funcs[g.entry].nodes[i] : loop;
    CHECK(loop && loop->nins == CARRIED - 1 && loop->nouts == CARRIED - 1, "%u values are carried",
          loop ? loop->nins : 0);
    for (int i = 0; i < CARRIED; i++) {
        in[i] = i == 1 ? 7 : (float)(i + 1);
        ins[i] = (struct array){g.funcs[g.entry].params[i], &in[i]};
    }
    CHECK(interp_run(&g, g.entry, &a, ins, outs, &d), "%s", d.message); /* 1, 2, 4, 8 */
    for (int i = 0, k = 0; d.code == DIAG_OK && i < CARRIED; i++)
        if (i != UNUSED) {
            float y = *(float *)outs[k++].data, wanted = i == 1 ? 7 : 8 * (float)(i + 1);
            CHECK(y == wanted, "value %d is %g, expected %g", i, (double)y, (double)wanted);
        }
    arena_finish(&a);
    arena_finish(&texts);
}

/* A branch with a hook runs only where it is taken, however cheap it is: the choice is left. */
static void test_hook_in_branch(void)
{
    static const char *const branches[] = {"f2,f3", "f3,f2"};
    for (int i = 0; i < 2; i++) {
        struct arena a;
        struct graph g;
        struct diag d = {0};
        const struct pass_options o = {0};
        char text[1024];
        int32_t ins[2] = {1, 7};
        snprintf(
            text, sizeof text,
            "graph \"t\" entry=f0 callbacks=1\n"
            "func f0(s32[], s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = parameter index=1 : s32[]\n"
            "  n2 = cond n0, n1 regions=[f1,%s] : s32[]\n  return n2\n}\n"
            "func f1(s32[], s32[]) {\n  n0 = parameter index=0 : s32[]\n  return n0\n}\n"
            "func f2(s32[], s32[]) {\n  n1 = parameter index=1 : s32[]\n"
            "  n2 = hook n1, n1 callback=0 seq=0 hooked=1 : s32[]\n  return n2\n}\n"
            "func f3(s32[], s32[]) {\n  n1 = parameter index=1 : s32[]\n  n2 = negate n1 : s32[]\n"
            "  return n2\n}\n",
            branches[i]);
        CHECK(parse(&a, text, &g, &d) && passes_run(&g, &o, &d), "%s: %s", branches[i], d.message);
        uint32_t conds = 0, hooks = 0;
        for (uint32_t n = 0; d.code == DIAG_OK && n < g.funcs[g.entry].nnodes; n++) {
            conds += g.funcs[g.entry].nodes[n].op == OP_COND;
            hooks += g.funcs[g.entry].nodes[n].op == OP_HOOK;
        }
        CHECK(conds == 1 && hooks == 0, "%s: %u conds and %u hooks are left outside of branches",
              branches[i], conds, hooks);
        struct array out, in[2] = {{{.type = TYPE_S32}, &ins[0]}, {{.type = TYPE_S32}, &ins[1]}};
        bool ok = conds == 1 && interp_run(&g, g.entry, &a, in, &out, &d);
        CHECK(ok && *(const int32_t *)out.data == (i == 0 ? 7 : -7), "%s: %s", branches[i],
              d.message);
        arena_finish(&a);
    }
}

/* The entry need not be the first function, and what is never called goes. */
static void test_entry(void)
{
    static const char text[] =
        "graph \"t\" entry=f1 callbacks=0\n"
        "func f0(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = negate n0 : s32[]\n  return n1\n}\n"
        "func f1(s32[]) {\n  n0 = parameter index=0 : s32[]\n"
        "  n1 = while n0 regions=[f2,f3] : s32[]\n  return n1\n}\n"
        "func f2(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=00000064 : s32[]\n"
        "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
        "func f3(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = multiply n0, n0 : s32[]\n"
        "  return n1\n}\n";
    struct arena a;
    struct graph g;
    struct diag d = {0};
    const struct pass_options o = {0};
    int32_t x = 3;
    bool ok = parse(&a, text, &g, &d) && passes_run(&g, &o, &d);
    CHECK(ok && g.nfuncs == 3, "%u functions: %s", g.nfuncs, d.message);
    struct array in = {.tensor = {.type = TYPE_S32}, .data = &x}, out;
    ok = ok && interp_run(&g, g.entry, &a, &in, &out, &d);
    CHECK(ok && *(const int32_t *)out.data == 6561, "3 to the 8th: %d %s",
          ok ? *(const int32_t *)out.data : 0, d.message);
    arena_finish(&a);
}

/* What passes would have made plain is refused where they are left out: predicates that are not u8,
   and a stack of more tensors than an operand of a product is searched through. */
static void test_not_canonical(void)
{
    static const char *const texts[] = {
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(s32[], f32[3]) {\n"
        "n0 = parameter index=0 : s32[]\nn1 = parameter index=1 : f32[3]\n"
        "n2 = cond n0, n1 regions=[f1,f2,f3] : f32[3]\nreturn n2\n}\n"
        "func f1(s32[], f32[3]) {\nn0 = parameter index=0 : s32[]\nreturn n0\n}\n"
        "func f2(s32[], f32[3]) {\nn0 = parameter index=1 : f32[3]\nn1 = sin n0 : f32[3]\n"
        "return n1\n}\n"
        "func f3(s32[], f32[3]) {\nn0 = parameter index=1 : f32[3]\nn1 = cos n0 : f32[3]\n"
        "return n1\n}\n",
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(s32[]) {\nn0 = parameter index=0 : s32[]\n"
        "n1 = while n0 regions=[f1,f2] : s32[]\nreturn n1\n}\n"
        "func f1(s32[]) {\nn0 = parameter index=0 : s32[]\nreturn n0\n}\n"
        "func f2(s32[]) {\nn0 = parameter index=0 : s32[]\nn1 = constant bits=ffffffff : s32[]\n"
        "n2 = add n0, n1 : s32[]\nreturn n2\n}\n",
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[64], f32[17,64]) {\n"
        "n0 = parameter index=0 : f32[64]\nn1 = parameter index=1 : f32[17,64]\n"
        "n2 = stack n0, n0, n0, n0, n0, n0, n0, n0, n0, n0, n0, n0, n0, n0, n0, n0, n0 axis=1 "
        ": f32[64,17]\n"
        "n3 = dot n2, n1 contract_a=[1] contract_b=[0] batch_a=[] batch_b=[] : f32[64,64]\n"
        "return n3\n}\n",
    };
    struct vkc_target target;
    CHECK(vkc_target_named("nvidia", &target), "no profile");
    const struct vkc_options options = {.target = &target};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena a;
        struct graph g;
        struct diag d;
        struct plan p;
        bool ok = parse(&a, texts[i], &g, &d);
        CHECK(ok, "graph %zu: %s", i, d.message);
        bool is_planned = ok && plan_build(&a, &g, &options, &target, &p, &d);
        CHECK(!is_planned && d.code == DIAG_UNSUPPORTED, "graph %zu: %s %s", i,
              is_planned ? "planned" : "refused:", d.message);
        arena_finish(&a);
    }
}

int main(void)
{
    test_not_canonical();
    test_entry();
    test_hook_in_branch();
    test_needed();
    test_carried();
    test_options();
    test_idempotent();
    test_deep();
    test_bounded();
    test_memory();
    return check_report();
}
