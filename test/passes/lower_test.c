/* Pass lower: what it writes gives what the interpreter's own sort, argsort, fft and ifft give.
   Sorts bit for bit, with ties, NaNs (which are alike), both zeros and subnormals; transforms,
   of lines that fit a workgroup, within the bound of a fast transform: the error's norm is at
   most 3 eps log2(2 n) of the result's. Predicates become u8. lower_test [first seed] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "target/radix.h"
#include "interp/interp.h"
#include "base/num.h"
#include "passes/passes.h"
#include "random.h"

static uint64_t state;

static uint64_t random_word(void)
{
    return next_random(&state);
}

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(random_word() % n);
}

static double uniform(void)
{
    return (double)(random_word() >> 11) * 0x1p-52 - 1;
}

/* A shape with `n` elements along `axis`. */
static struct shape any_shape(int64_t n, int64_t *out_axis)
{
    struct shape s = {.rank = 1 + pick(4)};
    for (uint32_t i = 0; i < s.rank; i++)
        s.dim[i] = 1 + pick(3);
    *out_axis = pick(s.rank);
    s.dim[*out_axis] = n;
    return s;
}

/* Few different values, half of the time; otherwise any bits, which is where the odd floats are. */
static void fill_sortable(const struct array *x)
{
    enum vkc_type type = x->tensor.type;
    static const double edges[] = {0,         -0.0,     1,         -1,        1, 0.5, INFINITY,
                                   -INFINITY, 0x1p-149, -0x1p-149, 0x1p-1074, 3, -2};
    bool few = pick(2);
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++) {
        uint64_t bits = random_word();
        if (type_is_float(type) && (few || pick(4) == 0))
            bits = pick(5) == 0 ? num_float_encode(type, NAN) ^ (bits << (vkc_types[type].bits - 1))
                                : num_float_encode(type, edges[pick(13)]);
        else if (type_is_int(type) && few)
            bits = bits % 4 - 1;
        if (type_is_int(type))
            bits = vkc_types[type].kind == KIND_SINT ? (uint64_t)num_sint_wrap(type, bits)
                                                     : num_uint_wrap(type, bits);
        memcpy((char *)x->data + (size_t)i * type_bytes(type), &bits, type_bytes(type));
    }
}

static void fill_signal(const struct array *x)
{
    enum vkc_type type = x->tensor.type;
    bool pair = type_is_complex(type);
    enum vkc_type part = type == TYPE_C64 ? TYPE_F32 : type == TYPE_C128 ? TYPE_F64 : type;
    int64_t size = shape_size(&x->tensor.shape) * (pair ? 2 : 1);
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits = type_is_int(type) ? random_word() : num_float_encode(part, uniform());
        if (type_is_int(type))
            bits = vkc_types[type].kind == KIND_SINT ? (uint64_t)num_sint_wrap(type, bits)
                                                     : num_uint_wrap(type, bits);
        memcpy((char *)x->data + (size_t)i * type_bytes(part), &bits, type_bytes(part));
    }
}

/* The program of one node: what it gives as it is, and after the passes `skip` aside. */
static bool run(struct arena *a, const char *node, const struct tensor *in,
                void (*fill)(const struct array *), const char *skip, struct array *input,
                struct array *before, struct array *after)
{
    char text[512], type[128];
    struct graph g, lowered;
    struct diag d = {0};
    tensor_print(type, sizeof type, in);
    snprintf(
        text, sizeof text,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s) {\nn0 = parameter index=0 : %s\nn1 = %s\nreturn n1\n}\n",
        type, type, node);
    bool ok = ir_parse(a, text, strlen(text), &g, &d) && ir_verify(&g, &d);
    CHECK(ok, "%s: %s", node, d.message);
    if (!ok)
        return false;
    *input = (struct array){*in, arena_alloc(a, tensor_bytes(in), 8)};
    fill(input);
    lowered = g;
    lowered.funcs = arena_copy(a, g.funcs, g.nfuncs * sizeof *g.funcs);
    const struct pass_options o = {.roundtrip = shape_size(&in->shape) < 4096, .skip = skip};
    ok = interp_run(&g, 0, a, input, before, &d) && passes_run(&lowered, &o, &d);
    ok = ok && interp_run(&lowered, lowered.entry, a, input, after, &d);
    CHECK(ok, "%s of %s: %s (%s)", node, type, d.message, d.where);
    const struct func *f = &lowered.funcs[lowered.entry];
    for (node_id i = 0; ok && i < f->nnodes; i++) {
        const struct node *left = &f->nodes[i];
        if (left->op == OP_FOURIER) {
            int64_t length = left->outs[0].shape.dim[attr_int(left, ATTR_axis, 0)];
            CHECK(fourier_fits(length, type_bytes(left->outs[0].type),
                               (struct fourier_limits){128, 16384, true}),
                  "%s: a line of %lld is too long", node, (long long)length);
        } else
            CHECK(op_class(left->op) != CLASS_SORT, "%s of %s is still there", op_name(left->op),
                  type);
    }
    if (ok)
        CHECK(tensor_equal(&before->tensor, &after->tensor), "%s of %s changed type", node, type);
    return ok && tensor_equal(&before->tensor, &after->tensor);
}

static const char *const only_lower =
    "inline,canon,fold,algebra,cse,dce,views,split_columns,split_contract,split_reduce";

/* Bit for bit, NaN aside. */
static bool same(const struct array *x, const struct array *y)
{
    enum vkc_type type = x->tensor.type;
    for (int64_t i = 0, size = shape_size(&x->tensor.shape); i < size; i++) {
        uint64_t p = 0, q = 0;
        memcpy(&p, (char *)x->data + (size_t)i * type_bytes(type), type_bytes(type));
        memcpy(&q, (char *)y->data + (size_t)i * type_bytes(type), type_bytes(type));
        if (p != q && !(type_is_float(type) && isnan(num_float_decode(type, p)) &&
                        isnan(num_float_decode(type, q))))
            return false;
    }
    return true;
}

static void test_sort(int64_t n, enum vkc_type type)
{
    static const enum vkc_type indices[] = {TYPE_S32, TYPE_S32, TYPE_S64, TYPE_U32,
                                            TYPE_U8,  TYPE_S16, TYPE_U64, TYPE_U2};
    struct arena a;
    char node[256], shown[128];
    int64_t axis;
    struct tensor t = {.type = type, .shape = any_shape(n, &axis)}, out = t;
    struct array input, x, y;
    bool arg = pick(2), descending = pick(2);
    if (arg)
        out.type = indices[pick(8)];
    arena_init(&a, (size_t)1 << 30);
    tensor_print(shown, sizeof shown, &out);
    snprintf(node, sizeof node, "%s n0 axis=%lld descending=%s stable=%s : %s",
             arg ? "argsort" : "sort", (long long)axis, descending ? "true" : "false",
             pick(2) ? "true" : "false", shown);
    if (run(&a, node, &t, fill_sortable, pick(2) ? only_lower : NULL, &input, &x, &y))
        CHECK(same(&x, &y), "%s of %s: other bits", node, type_name(type));
    arena_finish(&a);
}

static double part_of(const struct array *x, int64_t i)
{
    enum vkc_type part = x->tensor.type == TYPE_C64 ? TYPE_F32 : TYPE_F64;
    uint64_t bits = 0;
    memcpy(&bits, (char *)x->data + (size_t)i * type_bytes(part), type_bytes(part));
    return num_float_decode(part, bits);
}

/* A loop reads all that it carries: only where less of a sort is read are the first selected. */
static void test_sort_for_loop(void)
{
    static const char text[] =
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[9001]) {\nn0 = parameter index=0 : f32[9001]\n"
        "n1 = sort n0 axis=0 descending=false stable=true : f32[9001]\n"
        "n2 = constant bits=00000000 : s32[]\n"
        "n3 = while n2, n1 regions=[f1,f2] : s32[], f32[9001]\nreturn n3.1\n}\n"
        "func f1(s32[], f32[9001]) {\nn0 = parameter index=0 : s32[]\n"
        "n1 = constant bits=00000002 : s32[]\nn2 = less n0, n1 : u8[]\nreturn n2\n}\n"
        "func f2(s32[], f32[9001]) {\nn0 = parameter index=0 : s32[]\n"
        "n1 = parameter index=1 : f32[9001]\nn2 = constant bits=00000001 : s32[]\n"
        "n3 = add n0, n2 : s32[]\nn4 = negate n1 : f32[9001]\nreturn n3, n4\n}\n";
    struct arena a;
    struct graph g, lowered;
    struct diag d = {0};
    struct array in = {.tensor = {.type = TYPE_F32, .shape = shape_of(1, (int64_t[1]){9001})}},
                 before, after;
    arena_init(&a, 0);
    in.data = arena_alloc(&a, tensor_bytes(&in.tensor), 8);
    fill_sortable(&in);
    bool ok = ir_parse(&a, text, strlen(text), &g, &d) && ir_verify(&g, &d);
    const struct pass_options o = {.skip = only_lower};
    if (ok) {
        lowered = g;
        lowered.funcs = arena_copy(&a, g.funcs, g.nfuncs * sizeof *g.funcs);
        ok = interp_run(&g, 0, &a, &in, &before, &d) && passes_run(&lowered, &o, &d) &&
             interp_run(&lowered, lowered.entry, &a, &in, &after, &d);
    }
    CHECK(ok, "a sort for a loop: %s", d.message);
    CHECK(!ok || same(&before, &after), "a sort for a loop: other elements");
    arena_finish(&a);
}

static void test_fft(int64_t n, enum vkc_type type)
{
    struct arena a;
    char node[256], shown[128];
    int64_t axis, has = pick(3) ? n : 1 + pick((uint32_t)(2 * n));
    bool wide = type == TYPE_F64 || type == TYPE_C128, inverse = pick(2);
    struct tensor t = {.type = type, .shape = any_shape(has, &axis)},
                  out = {.type = wide ? TYPE_C128 : TYPE_C64, .shape = t.shape};
    struct array input, x, y;
    out.shape.dim[axis] = n;
    arena_init(&a, (size_t)1 << 31);
    tensor_print(shown, sizeof shown, &out);
    snprintf(node, sizeof node, "%s n0 axis=%lld length=%lld : %s", inverse ? "ifft" : "fft",
             (long long)axis, (long long)n, shown);
    if (run(&a, node, &t, fill_signal, pick(2) ? only_lower : NULL, &input, &x, &y)) {
        double error = 0, norm = 0, eps = wide ? 0x1p-53 : 0x1p-24;
        for (int64_t i = 0; i < 2 * shape_size(&out.shape); i++) {
            double p = part_of(&x, i), q = part_of(&y, i);
            error += (p - q) * (p - q);
            norm += p * p;
        }
        double most = 3 * eps * log2(2 * (double)n) * sqrt(norm);
        CHECK(sqrt(error) <= most, "%s of %s: error %g, at most %g", node, type_name(type),
              sqrt(error), most);
    }
    arena_finish(&a);
}

static void fill_impulse(const struct array *x)
{
    double one = 1;
    memset(x->data, 0, tensor_bytes(&x->tensor));
    memcpy((char *)x->data + sizeof one, &one, sizeof one);
}

/* Roots are exact where a part is 0 or 1, and their quarters are each other, turned. */
static void test_roots(int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        struct root w = fourier_root(k, n, false), v = fourier_root(k + n / 4, n, false),
                    c = fourier_root(n - k, n, false);
        CHECK(v.re == w.im && v.im == -w.re && c.re == w.re && c.im == -w.im &&
                  (k > 0 || (w.re == 1 && w.im == 0)),
              "root %lld of %lld", (long long)k, (long long)n);
    }
}

/* A table has each root that a pass needs, where the pass reads it: for every length that is one
   of passes. */
static void test_places(int64_t n)
{
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(n, radix);
    int64_t places[4096], before = 1;
    fourier_places(n, places);
    for (uint32_t p = 0; p < passes; before *= radix[p++])
        for (int64_t at = before; at < before * radix[p]; at++)
            CHECK(places[at] * before * radix[p] == at / before * (at % before) * n,
                  "length %lld: power %lld at %lld", (long long)n, (long long)places[at],
                  (long long)at);
    CHECK(before == (passes ? n : 1) && (passes == 0 || places[0] == 0), "length %lld",
          (long long)n);
}

/* No element of a line shares its place in shared memory with another, or lies beyond the pitch. */
static void test_exchanges(int64_t n, uint32_t banks, int64_t most)
{
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(n, radix);
    struct fourier_exchange x[FOURIER_PASSES];
    int64_t pitch = passes ? fourier_exchanges(n, banks, most, x) : n;
    CHECK(pitch >= n && (pitch == n || pitch <= most), "length %lld: a pitch of %lld, most %lld",
          (long long)n, (long long)pitch, (long long)most);
    for (uint32_t p = 0; p + 1 < passes; p++)
        CHECK(x[p].pad >= 0 && x[p].gap > 0 && n - 1 + x[p].pad * ((n - 1) / x[p].gap) < pitch,
              "length %lld: %lld after %lld", (long long)n, (long long)x[p].pad,
              (long long)x[p].gap);
}

/* The transform of an impulse at 1 is the roots themselves: what is 0, 1 or -1 must be exactly
   that. */
static void test_quarters(int64_t n)
{
    struct arena a;
    char node[128];
    struct tensor t = {.type = TYPE_F64, .shape = shape_of(1, &n)};
    struct array input, x, y;
    arena_init(&a, (size_t)1 << 28);
    snprintf(node, sizeof node, "fft n0 axis=0 length=%lld : c128[%lld]", (long long)n,
             (long long)n);
    if (run(&a, node, &t, fill_impulse, NULL, &input, &x, &y))
        for (int64_t k = 0; k < 4; k++) {
            static const double parts[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
            double re = part_of(&y, 2 * (k * n / 4)), im = part_of(&y, 2 * (k * n / 4) + 1);
            CHECK(re == parts[k][0] && im == parts[k][1], "length %lld, quarter %lld: %g %g",
                  (long long)n, (long long)k, re, im);
        }
    arena_finish(&a);
}

/* What is too long stays, for code generation to refuse by name. */
static void test_left_alone(void)
{
    static const char *const nodes[] = {"fft n0 axis=0 length=1048577 : c64[1048577]"};
    for (int i = 0; i < 1; i++) {
        struct arena a;
        struct graph g;
        struct diag d = {0};
        char text[512];
        arena_init(&a, 0);
        snprintf(text, sizeof text,
                 "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[1048576]) {\n"
                 "n0 = parameter index=0 : f32[1048576]\nn1 = %s\nreturn n1\n}\n",
                 nodes[i]);
        const struct pass_options o = {0};
        bool ok = ir_parse(&a, text, strlen(text), &g, &d) && passes_run(&g, &o, &d);
        CHECK(ok, "%s: %s", nodes[i], d.message);
        CHECK(ok && op_class(g.funcs[0].nodes[g.funcs[0].nnodes - 1].op) == CLASS_SORT,
              "%s was lowered", nodes[i]);
        arena_finish(&a);
    }
}

/* Which way is taken: to count at other lengths than these would cost kernels or bytes. A matrix
   is for lengths up to LONGEST_MATRIX with a prime factor above FOURIER_PRIME; updates are
   sorted where to look at all of them costs more, and as long as their number and that of their
   places fit s32. */
static void test_ways(void)
{
    static const struct {
        const char *params, *node;
        enum op op;
        bool is_there;
    } cases[] = {
        {"f32[62]", "fft n0 axis=0 length=62 : c64[62]", OP_DOT, true},
        {"f32[62]", "fft n0 axis=0 length=62 : c64[62]", OP_FOURIER, false},
        {"f32[65]", "fft n0 axis=0 length=65 : c64[65]", OP_DOT, false},
        {"f32[67]", "fft n0 axis=0 length=67 : c64[67]", OP_DOT, false},
        {"f32[67]", "fft n0 axis=0 length=67 : c64[67]", OP_FOURIER, true},
        {"u8[100000], s64[32,1], u8[32]", "indexed_put n0, n1, n2 axes=[0] : u8[100000]", OP_SEARCH,
         false},
        {"u8[1985], s64[33,1], u8[33]", "indexed_put n0, n1, n2 axes=[0] : u8[1985]", OP_SEARCH,
         false},
        {"u8[1986], s64[33,1], u8[33]", "indexed_put n0, n1, n2 axes=[0] : u8[1986]", OP_SEARCH,
         true},
        {"u8[2147483646], s64[99,1], u8[99]", "indexed_put n0, n1, n2 axes=[0] : u8[2147483646]",
         OP_SEARCH, true},
        {"u8[2147483647], s64[99,1], u8[99]", "indexed_put n0, n1, n2 axes=[0] : u8[2147483647]",
         OP_SEARCH, false},
        {"u8[99], s64[2147483646,1], u8[2147483646]", "indexed_add n0, n1, n2 axes=[0] : u8[99]",
         OP_SEARCH, true},
        {"u8[99], s64[2147483647,1], u8[2147483647]", "indexed_add n0, n1, n2 axes=[0] : u8[99]",
         OP_SEARCH, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a;
        struct graph g;
        struct diag d = {0};
        struct str text;
        const char *at = cases[i].params;
        const struct pass_options o = {0};
        bool found = false;
        arena_init(&a, 0);
        str_init(&text, &a);
        str_printf(&text, "graph \"t\" entry=f0 callbacks=0 func f0(%s) {", cases[i].params);
        for (int k = 0; *at; k++, at += strspn(at, ", "))
            str_printf(&text, " n%d = parameter index=%d : %.*s", k, k, (int)(strcspn(at, "]") + 1),
                       at),
                at += strcspn(at, "]") + 1;
        str_printf(&text, " n9 = %s return n9 }", cases[i].node);
        bool ok = ir_parse(&a, str_text(&text), text.len, &g, &d) && passes_run(&g, &o, &d);
        for (node_id k = 0; ok && k < g.funcs[g.entry].nnodes; k++)
            found |= g.funcs[g.entry].nodes[k].op == cases[i].op;
        CHECK(ok && found == cases[i].is_there, "%s: %s %s %s", cases[i].node, d.message,
              cases[i].is_there ? "no" : "there is", op_name(cases[i].op));
        arena_finish(&a);
    }
}

/* A memory that runs out anywhere is an error, and nothing worse. */
static void test_memory(void)
{
    static const char *const nodes[] = {"sort n0 axis=0 descending=false stable=false : f32[137,2]",
                                        "fft n0 axis=0 length=137 : c64[137,2]"};
    for (int i = 0; i < 2; i++) {
        uint32_t done = 0, failed = 0;
        for (size_t most = 4096; most < 512 * 1024; most += 2048) {
            struct arena a;
            struct graph g;
            struct diag d = {0};
            char text[256];
            snprintf(text, sizeof text,
                     "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[137,2]) {\n"
                     "n0 = parameter index=0 : f32[137,2]\nn1 = %s\nreturn n1\n}\n",
                     nodes[i]);
            const struct pass_options o = {.skip = only_lower};
            arena_init(&a, most);
            bool ok = ir_parse(&a, text, strlen(text), &g, &d) && passes_run(&g, &o, &d);
            CHECK(ok || d.code == DIAG_MEMORY, "%s in %zu bytes: %s", nodes[i], most, d.message);
            done += ok;
            failed += !ok;
            arena_finish(&a);
        }
        CHECK(done && failed, "%s: %u of %u ran out", nodes[i], failed, done + failed);
    }
}

/* Predicates of any type: one that is not zero holds, be its low byte 0, and -0 does not.
   Kernels read a u8. */
static const char *const predicates =
    "graph \"t\" entry=f0 callbacks=0\n"
    "func f0(f32[], s32[]) {\n  n0 = parameter index=0 : f32[]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = cond n0, n1 regions=[f1,f2,f3,f4,f5,f6,f7] : s32[]\n  n3 = while n1 regions=[f8,f9] : s32[]\n"
    "  return n2, n3\n}\n"
    "func f1(f32[], s32[]) {\n  n0 = parameter index=0 : f32[]\n  return n0\n}\n"
    "func f2(f32[], s32[]) {\n  n0 = constant bits=00000001 : s32[]\n  return n0\n}\n"
    "func f3(f32[], s32[]) {\n  n0 = parameter index=1 : s32[]\n  return n0\n}\n"
    "func f4(f32[], s32[]) {\n  n0 = constant bits=00000002 : s32[]\n  return n0\n}\n"
    "func f5(f32[], s32[]) {\n  n0 = parameter index=1 : s32[]\n  n1 = constant bits=00000000 : s32[]\n"
    "  n2 = equal n0, n1 : u8[]\n  return n2\n}\n"
    "func f6(f32[], s32[]) {\n  n0 = constant bits=00000003 : s32[]\n  return n0\n}\n"
    "func f7(f32[], s32[]) {\n  n0 = constant bits=00000004 : s32[]\n  return n0\n}\n"
    "func f8(s32[]) {\n  n0 = parameter index=0 : s32[]\n  return n0\n}\n"
    "func f9(s32[]) {\n  n0 = parameter index=0 : s32[]\n  n1 = constant bits=00000100 : s32[]\n"
    "  n2 = subtract n0, n1 : s32[]\n  return n2\n}\n";

static void test_predicates(void)
{
    static const struct {
        float x;
        int32_t y, taken;
    } cases[] = {{0.5f, 256, 1},   {0x1p-149f, 0, 1}, {NAN, 0, 1},  {0, 256, 2},
                 {-0.0f, 1024, 2}, {0, 0, 3},         {-0.0f, 0, 3}};
    struct arena a;
    struct graph g;
    struct diag d = {0};
    arena_init(&a, 0);
    const struct pass_options o = {
        .skip =
            "inline,canon,fold,algebra,cse,dce,views,split_columns,split_contract,split_reduce"};
    bool ok = ir_parse(&a, predicates, strlen(predicates), &g, &d) && ir_verify(&g, &d) &&
              passes_run(&g, &o, &d);
    CHECK(ok, "%s", d.message);
    for (uint32_t k = 0; ok && k < g.nfuncs; k++)
        for (node_id i = 0; i < g.funcs[k].nnodes; i++) {
            const struct node *n = &g.funcs[k].nodes[i];
            for (uint32_t r = 0; r + 1 < n->nregions; r += 2) {
                const struct func *f = &g.funcs[n->regions[r]];
                CHECK(func_tensor(f, f->results[0])->type == TYPE_U8,
                      "predicate %u of %s is not a u8", r, op_name(n->op));
            }
        }
    for (size_t i = 0; ok && i < sizeof cases / sizeof *cases; i++) {
        float x = cases[i].x;
        int32_t y = cases[i].y;
        struct array in[2] = {{g.funcs[g.entry].params[0], &x}, {g.funcs[g.entry].params[1], &y}},
                     out[2];
        CHECK(interp_run(&g, g.entry, &a, in, out, &d), "%s", d.message);
        CHECK(d.code == DIAG_OK && *(int32_t *)out[0].data == cases[i].taken &&
                  *(int32_t *)out[1].data == 0,
              "%a, %d: branch %d", (double)x, (int)y, (int)*(int32_t *)out[0].data);
    }
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    static const int64_t lengths[] = {1, 2, 3, 5, 8, 12, 16, 30, 64, 97, 100, 128};
    static const int64_t more[] = {131, 257, 262, 360, 512, 1000, 1021, 2048, 4489, 30000, 65536};
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (enum vkc_type type = TYPE_NONE + 1; type < TYPE_COUNT; type++) {
            for (int k = 0; k < 4 && !type_is_complex(type); k++)
                test_sort(lengths[i], type);
            test_fft(lengths[i], type);
        }
    /* one run; some; one more than a power of two */
    static const int64_t runs[] = {300, 1024, 1025, 2048, 4100};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (enum vkc_type type = TYPE_NONE + 1; type < TYPE_COUNT; type++)
            for (int k = 0; k < 4 && !type_is_complex(type); k++)
                test_sort(runs[i], type);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        test_fft(more[i], TYPE_C64);
        test_fft(more[i], TYPE_C128);
    }
    for (int64_t n = 4; n <= 128; n *= 2)
        test_quarters(n);
    test_quarters(12);
    for (int64_t n = 4; n <= 400; n += 4)
        test_roots(n);
    for (int64_t n = 2; n <= 4096; n++) {
        test_places(n);
        for (uint32_t banks = 1; banks <= 32; banks *= 2) {
            test_exchanges(n, banks, INT64_MAX);
            test_exchanges(n, banks, n + n / 20);
        }
    }
    test_sort_for_loop();
    test_ways();
    test_memory();
    test_left_alone();
    test_predicates();
    return check_report();
}
