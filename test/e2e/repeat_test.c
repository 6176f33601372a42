/* Graphs that read every value at two places, again and again: x = take(x, x) twenty times is a
   million paths through 41 nodes. Each compiles, in memory and code that follow the number of
   its nodes, and gives the interpreter's results. A compiler that writes out every path does not
   end, so an alarm ends the test. */
#include <string.h>
#include <unistd.h>

#include "../fuzz/mutate.h"
#include "e2e.h"
#include "base/str.h"

enum {
    HANG_S = 600, /* the whole takes 7 s on one core of 2020 */
    /* of SPIR-V: 256 lines that a kernel repeats, of some 140 bytes, for 8 nodes or more */
    BYTES_A_NODE = 8192,
};

enum step { TAKE, PUT_SLICE, CONCATENATE, CONCATENATE_REVERSED, SHIFT, TURN, MIRROR, STEPS };
enum end { PLAIN, SUM, PRODUCT, LOOP };

static const struct repeat_case {
    const char *name;
    enum step step;
    int times;
    long size;
    enum end end;
} cases[] = {
    {"take 20", TAKE, 20, 64, PLAIN},
    {"take 20 of 9000", TAKE, 20, 9000, PLAIN}, /* more than a workgroup program has */
    {"take 60", TAKE, 60, 64, PLAIN},
    {"take 20, summed", TAKE, 20, 9000, SUM},
    {"take 20 in a loop", TAKE, 20, 64, LOOP},
    {"put_slice 20", PUT_SLICE, 20, 64, PLAIN},
    {"put_slice 20 of 9000", PUT_SLICE, 20, 9000, PLAIN},
    {"put_slice 40", PUT_SLICE, 40, 64, PLAIN},
    {"put_slice 20, multiplied", PUT_SLICE, 20, 64, PRODUCT},
    {"put_slice 20 in a loop", PUT_SLICE, 20, 64, LOOP},
    {"concatenate 16", CONCATENATE, 16, 4, PLAIN},
    {"concatenate 16, reversed", CONCATENATE_REVERSED, 16, 4, PLAIN},
    {"concatenate 16, summed", CONCATENATE_REVERSED, 16, 4, SUM},
    {"shift 30", SHIFT, 30, 64, PLAIN},
    {"turn 30", TURN, 30, 64, PLAIN},
    {"mirror 30", MIRROR, 30, 64, PLAIN},
};

struct writer {
    struct str text;
    const char *type;
    int node;
    long size;
};

__attribute__((format(printf, 3, 4))) static int node(struct writer *w, const char *shape,
                                                      const char *fmt, ...)
{
    va_list ap;
    char text[256];
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    str_printf(&w->text, "  n%d = %s : %s%s\n", w->node, text, w->type, shape);
    return w->node++;
}

/* One more step over x, of which w->size elements lie along the only axis; `start` is a scalar. */
static int step(struct writer *w, enum step kind, int x, int start)
{
    char vector[32], square[48], part[32], column[32], pair[48];
    long n = w->size, side = n / 8;
    snprintf(vector, sizeof vector, "[%ld]",
             kind == CONCATENATE || kind == CONCATENATE_REVERSED ? 2 * n : n);
    snprintf(square, sizeof square, "[8,%ld]", side);
    snprintf(pair, sizeof pair, "[%ld,8]", side);
    snprintf(part, sizeof part, "[%ld]", kind == SHIFT ? n - 1 : n / 4);
    snprintf(column, sizeof column, "[%ld,1]", n);
    switch (kind) {
    case TAKE:
        return node(w, vector, "gather n%d, n%d axes=[0]", x, node(w, column, "reshape n%d", x));
    case PUT_SLICE: {
        int cut =
            node(w, part, "dynamic_slice n%d, n%d lengths=[%ld] strides=[1]", x, start, n / 4);
        return node(w, vector, "put_slice n%d, n%d, n%d", x, cut, start + 1);
    }
    case CONCATENATE: w->size *= 2; return node(w, vector, "concatenate n%d, n%d axis=0", x, x);
    case CONCATENATE_REVERSED: {
        char whole[32];
        snprintf(whole, sizeof whole, "[%ld]", n);
        w->size *= 2;
        return node(w, vector, "concatenate n%d, n%d axis=0",
                    node(w, whole, "reverse n%d axes=[0]", x), x);
    }
    case SHIFT: { /* x + x, one to the right, under a guard */
        int cut = node(w, part, "slice n%d starts=[0] lengths=[%ld] strides=[1]", x, n - 1);
        return node(w, vector, "add n%d, n%d", x,
                    node(w, vector, "pad n%d, n%d lo=[1] hi=[0] interior=[0]", cut, start));
    }
    case TURN: {
        int turned = node(w, pair, "transpose n%d axes=[1,0]", node(w, square, "reshape n%d", x));
        return node(w, vector, "add n%d, n%d", x, node(w, vector, "reshape n%d", turned));
    }
    default:
        return node(w, vector, "subtract n%d, n%d", x, node(w, vector, "reverse n%d axes=[0]", x));
    }
}

static int steps(struct writer *w, const struct repeat_case *c, int x, int start)
{
    for (int i = 0; i < c->times; i++)
        x = step(w, c->step, x, start);
    return x;
}

/* A vector, and two scalars of its type: where slices lie. *Returns* the vector. */
static int parameters(struct writer *w, int func)
{
    char vector[32];
    snprintf(vector, sizeof vector, "[%ld]", w->size);
    str_printf(&w->text, "func f%d(%s%s, %s[], %s[]%s) {\n", func, w->type, vector, w->type,
               w->type, func ? ", s32[]" : "");
    w->node = 0;
    int x = node(w, vector, "parameter index=0");
    node(w, "[]", "parameter index=1");
    node(w, "[]", "parameter index=2");
    return x;
}

/* The function itself, or a loop of three rounds of it. */
static int body(struct writer *w, const struct repeat_case *c, int x)
{
    char vector[32];
    snprintf(vector, sizeof vector, "[%ld]", w->size);
    if (c->end != LOOP)
        return steps(w, c, x, 1);
    str_printf(
        &w->text,
        "  n3 = constant bits=00000003 : s32[]\n"
        "  n4 = while n0, n1, n2, n3 regions=[f1,f2] : s32%s, s32[], s32[], s32[]\n  return n4\n}\n",
        vector);
    parameters(w, 1);
    str_add(&w->text, "  n3 = parameter index=3 : s32[]\n  n4 = constant bits=00000000 : s32[]\n"
                      "  n5 = greater n3, n4 : u8[]\n  return n5\n}\n");
    x = parameters(w, 2);
    str_add(
        &w->text,
        "  n3 = parameter index=3 : s32[]\n  n4 = constant bits=ffffffff : s32[]\n  n5 = add n3, n4 : s32[]\n");
    w->node = 6;
    return steps(w, c, x, 1);
}

static const char *graph_text(struct arena *a, const struct repeat_case *c, int *out_nodes)
{
    /* bits are the same however they are rounded */
    struct writer w = {.type = "s32", .size = c->size};
    str_init(&w.text, a);
    str_add(&w.text, "graph \"repeat\" entry=f0 callbacks=0\n");
    int x = body(&w, c, parameters(&w, 0));
    if (c->end == SUM)
        x = node(&w, "[]", "sum n%d axes=[0] keep=false", x);
    if (c->end == PRODUCT)
        x = node(&w, "[]", "dot n%d, n%d contract_a=[0] contract_b=[0] batch_a=[] batch_b=[]", x,
                 x);
    str_printf(&w.text, c->end == LOOP ? "  return n%d, n1, n2, n5\n}\n" : "  return n%d\n}\n", x);
    *out_nodes = w.node;
    return str_text(&w.text);
}

/* The vector holds every index once, so that a permutation comes of every take. The scalars are
   5 and 21. */
static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    int32_t *data = x->data;
    int64_t n = shape_size(&x->tensor.shape);
    (void)context, (void)set;
    for (int64_t i = 0; i < n; i++)
        data[i] = (int32_t)(n == 1 ? input == 1 ? 5 : 21 : i);
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t other = (int64_t)random_below(random, (size_t)i + 1);
        int32_t kept = data[i];
        data[i] = data[other];
        data[other] = kept;
    }
}

static void check_case(struct e2e *e, const struct repeat_case *c)
{
    struct arena a;
    int nodes;
    if (!check_wanted(&e->check, c->name))
        return;
    arena_init(&a, 0);
    const char *text = graph_text(&a, c, &nodes);
    for (int v = E2E_AS_TARGET; v <= E2E_AS_GPU; v++) {
        struct vkc_result result;
        if (e2e_compile(e, c->name, text, strlen(text), (enum e2e_variant)v, &result))
            check_that(&e->check, result.stats.spirv_bytes <= (uint64_t)nodes * BYTES_A_NODE,
                       "%s, %s: %llu bytes of SPIR-V for %d nodes", c->name, e2e_variant_names[v],
                       (unsigned long long)result.stats.spirv_bytes, nodes);
        vkc_result_free(&result);
    }
    e2e_compare_json(e, c->name, text, 1, fill, NULL,
                     1u << E2E_AS_TARGET | 1u << E2E_AS_GPU | 1u << E2E_UNFUSED);
    arena_finish(&a);
}

int main(void)
{
    struct e2e e;
    alarm(HANG_S);
    bool is_open = e2e_open(&e);
    e.text_ir = true;
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++)
        check_case(&e, &cases[i]);
    return e2e_close(&e);
}
