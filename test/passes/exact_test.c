/* What the passes must keep to the last bit, for all types and at the ends of their ranges:
   conversions after each other, divisions by powers of two, sums of equals, and sums of narrow
   types that are made in parts. Before and after the passes, by the interpreter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "interp/interp.h"
#include "base/num.h"
#include "passes/passes.h"

static bool parse(struct arena *a, const char *text, struct graph *g)
{
    struct diag d = {0};
    bool ok = ir_parse(a, text, strlen(text), g, &d) && ir_verify(g, &d);
    CHECK(ok, "%s\n%s", d.message, text);
    return ok;
}

/* Runs the function 0 of a graph of one result. */
static bool run(struct arena *a, const struct graph *g, const struct array *inputs,
                struct array *out)
{
    struct diag d = {0};
    bool ok = interp_run(g, g->entry, a, inputs, out, &d);
    CHECK(ok, "the interpreter: %s", d.message);
    return ok;
}

static bool is_nan(enum vkc_type type, uint64_t bits)
{
    return type_is_float(type) && isnan(num_float_decode(type, bits));
}

static int64_t first_difference(const struct array *x, const struct array *y)
{
    enum vkc_type type = x->tensor.type, part = type == TYPE_C64    ? TYPE_F32
                                                : type == TYPE_C128 ? TYPE_F64
                                                                    : type;
    size_t bytes = type_bytes(part);
    for (size_t i = 0; i < tensor_bytes(&x->tensor) / bytes; i++) {
        uint64_t p = 0, q = 0;
        memcpy(&p, (char *)x->data + i * bytes, bytes);
        memcpy(&q, (char *)y->data + i * bytes, bytes);
        if (p != q && !(is_nan(part, p) && is_nan(part, q)))
            return (int64_t)i;
    }
    return -1;
}

/* *Returns* the graph after the passes, which has given the same bits. */
static bool keeps_bits(struct arena *a, const char *text, const struct array *inputs,
                       struct graph *g)
{
    struct graph before;
    struct array x, y;
    struct diag d = {0};
    const struct pass_options o = {0};
    if (!parse(a, text, g) || !parse(a, text, &before) || !run(a, &before, inputs, &x))
        return false;
    bool ok = passes_run(g, &o, &d);
    CHECK(ok, "%s\n%s", d.message, text);
    if (!ok || !run(a, g, inputs, &y))
        return false;
    int64_t at = first_difference(&x, &y);
    CHECK(at < 0, "element %lld differs after the passes:\n%s", (long long)at, text);
    return at < 0;
}

/* ---- conversions ---- */

enum { VALUES = 160 };

/* Around the ends of every type, and around what floats of few digits tell apart. */
static void fill_edges(const struct array *x)
{
    enum vkc_type type = x->tensor.type, part = type == TYPE_C64    ? TYPE_F32
                                                : type == TYPE_C128 ? TYPE_F64
                                                                    : type;
    size_t bytes = type_bytes(part), n = tensor_bytes(&x->tensor) / bytes;
    static const double odd[] = {0,
                                 -0.0,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0.5,
                                 -0.5,
                                 1e-40,
                                 1e-310,
                                 1 + 0x1p-11 + 0x1p-40,
                                 1 + 0x1p-8 + 0x1p-40,
                                 65504,
                                 65520,
                                 3e38,
                                 1e300};
    for (size_t i = 0; i < n; i++) {
        int power = (int)(i / 4 % 66);
        uint64_t near = (power == 65   ? 0
                         : power == 64 ? UINT64_MAX
                                       : (uint64_t)1 << power) +
                        (uint64_t)(i % 4) - 2,
                 bits;
        if (type_is_int(part))
            bits = vkc_types[part].kind == KIND_SINT
                       ? (uint64_t)num_sint_wrap(part, i & 1 ? near : -near)
                       : num_uint_wrap(part, near);
        else if (i < sizeof odd / sizeof *odd)
            bits = num_float_encode(part, odd[i]);
        else
            bits = num_float_encode(part, ldexp(1, power) + (double)(i % 4) - 2);
        memcpy((char *)x->data + i * bytes, &bits, bytes);
    }
}

static void test_conversions(enum vkc_type from, enum vkc_type middle, enum vkc_type to)
{
    static const char *const form =
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d]) {\n  n0 = parameter index=0 : "
        "%s[%d]\n  n1 = as_type n0 : %s[%d]\n  n2 = as_type n1 : %s[%d]\n  return n2\n}\n";
    struct arena a;
    struct graph g;
    char text[512];
    int64_t dims[1] = {VALUES};
    if (from == middle || middle == to)
        return;
    arena_init(&a, 0);
    struct array x = {.tensor = {.type = from, .shape = shape_of(1, dims)}};
    x.data = arena_alloc(&a, tensor_bytes(&x.tensor), 1);
    fill_edges(&x);
    snprintf(text, sizeof text, form, type_name(from), VALUES, type_name(from), VALUES,
             type_name(middle), VALUES, type_name(to), VALUES);
    keeps_bits(&a, text, &x, &g);
    arena_finish(&a);
}

/* ---- powers of two ---- */

/* A number that is not 0 but less than the least normal one: a device may take it for 0. */
static bool is_subnormal(enum vkc_type type, uint64_t bits)
{
    double least = type == TYPE_F64                      ? 0x1p-1022
                   : type == TYPE_F16 || type == TYPE_F8 ? 0x1p-14
                   : type == TYPE_F8E4M3FN               ? 0x1p-6
                                                         : 0x1p-126;
    double x = fabs(num_float_decode(type, bits));
    return x > 0 && x < least;
}

/* x / 2^power: the same bits, and no subnormal constant where there was none. */
static void test_division(enum vkc_type type, int power)
{
    static const char *const form =
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d]) {\n  n0 = parameter index=0 : "
        "%s[%d]\n  n1 = constant bits=%0*llx : %s[%d]\n"
        "  n2 = divide n0, n1 : %s[%d]\n  return n2\n}\n";
    struct arena a;
    struct graph g;
    char text[512];
    int64_t dims[1] = {VALUES};
    uint64_t k = num_float_encode(type, ldexp(1, power));
    double back = num_float_decode(type, k);
    if (back != ldexp(1, power) || is_subnormal(type, k))
        return;
    arena_init(&a, 0);
    struct array x = {.tensor = {.type = type, .shape = shape_of(1, dims)}};
    x.data = arena_alloc(&a, tensor_bytes(&x.tensor), 1);
    fill_edges(&x);
    const char *t = type_name(type);
    snprintf(text, sizeof text, form, t, VALUES, t, VALUES, 2 * (int)type_bytes(type),
             (unsigned long long)k, t, VALUES, t, VALUES);
    if (keeps_bits(&a, text, &x, &g))
        for (uint32_t i = 0; i < g.funcs[0].nnodes; i++) {
            const struct node *n = &g.funcs[0].nodes[i];
            CHECK(n->op != OP_CONSTANT || !is_subnormal(type, node_attr(n, ATTR_bits)->bits[0]),
                  "2^%d as %s: a subnormal constant", power, t);
        }
    arena_finish(&a);
}

/* ---- sums in parts ---- */

static void fill_ones(const struct array *x)
{
    uint64_t one = num_float_encode(x->tensor.type, 1);
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++)
        memcpy((char *)x->data + (size_t)i * type_bytes(x->tensor.type), &one,
               type_bytes(x->tensor.type));
}

/* Products of ones: every partial sum is a whole number, so that only the last rounding may
   round. */
static void test_long_contraction(enum vkc_type type, int k)
{
    static const char *const form =
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[40,%d], %s[%d,40]) {\n  n0 = parameter index=0 : %s[40,%d]\n  n1 "
        "= parameter index=1 : %s[%d,40]\n"
        "  n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : %s[40,40]\n  return n2\n}\n";
    struct arena a;
    struct graph g;
    char text[512];
    const char *t = type_name(type);
    arena_init(&a, 0);
    struct array x[2] = {{.tensor = {.type = type, .shape = shape_of(2, (int64_t[]){40, k})}},
                         {.tensor = {.type = type, .shape = shape_of(2, (int64_t[]){k, 40})}}};
    for (int i = 0; i < 2; i++) {
        x[i].data = arena_alloc(&a, tensor_bytes(&x[i].tensor), 1);
        fill_ones(&x[i]);
    }
    snprintf(text, sizeof text, form, t, k, t, k, t, k, t, k, t);
    if (keeps_bits(&a, text, x, &g))
        CHECK(g.funcs[0].nnodes > 3,
              "a contraction of %d is not made in parts, so that nothing is tested", k);
    arena_finish(&a);
}

/* Twice a value as a sum begins with 0, so that it is 0 for -0; along axes that only repeat
   nothing is summed. */
static void test_repeated(enum vkc_type type)
{
    static const char *const form =
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d]) {\n  n0 = parameter index=0 : "
        "%s[%d]\n  n1 = broadcast n0 axes=[0] : %s[%d,2]\n"
        "  n2 = sum n1 axes=[1] keep=false : %s[%d]\n  return n2\n}\n";
    struct arena a;
    struct graph g;
    char text[512];
    const char *t = type_name(type);
    arena_init(&a, 0);
    struct array x = {.tensor = {.type = type, .shape = shape_of(1, (int64_t[]){VALUES})}};
    x.data = arena_alloc(&a, tensor_bytes(&x.tensor), 1);
    fill_edges(&x);
    snprintf(text, sizeof text, form, t, VALUES, t, VALUES, t, VALUES, t, VALUES);
    keeps_bits(&a, text, &x, &g);
    for (uint32_t i = 0; i < g.funcs[0].nnodes; i++)
        CHECK(vkc_types[type].bits < 32 || type_is_complex(type) ||
                  g.funcs[0].nodes[i].op != OP_SUM,
              "a sum of %s that only repeats is left", t);
    arena_finish(&a);
}

/* What holds of 0 and 1 alone is done to the results of comparisons, and not to values that may be
   others. */
static void test_truths(enum vkc_type type, bool compared)
{
    static const struct {
        enum op op;
        unsigned operand; /* a constant; 2: the values in another order */
        bool is_truth;
    } forms[] = {{OP_BITWISE_AND, 1, false}, {OP_NOT_EQUAL, 0, true},   {OP_EQUAL, 1, true},
                 {OP_GREATER, 0, true},      {OP_LOGICAL_AND, 2, true}, {OP_LOGICAL_OR, 2, true},
                 {OP_LOGICAL_XOR, 2, true}};
    const char *t = type_name(type);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct arena a;
        struct graph g;
        char text[640], other[80], value[120];
        uint32_t left = 0;
        arena_init(&a, 0);
        struct array x = {.tensor = {.type = type, .shape = shape_of(1, (int64_t[]){VALUES})}};
        x.data = arena_alloc(&a, tensor_bytes(&x.tensor), 1);
        fill_edges(&x);
        if (forms[i].operand == 2)
            snprintf(other, sizeof other, "reverse n2 axes=[0]");
        else
            snprintf(other, sizeof other, "constant bits=%0*x", 2 * (int)type_bytes(type),
                     forms[i].operand);
        if (compared)
            snprintf(value, sizeof value, "less n0, n1 : %s[%d]", t, VALUES);
        else
            snprintf(value, sizeof value, "add n0, n1 : %s[%d]", t, VALUES);
        snprintf(text, sizeof text,
                 "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%d]) {\n  n0 = parameter index=0 : "
                 "%s[%d]\n  n1 = reverse n0 axes=[0] : %s[%d]\n  n2 = %s\n  n3 = %s : %s[%d]\n"
                 "  n4 = %s n2, n3 : %s[%d]\n  return n4\n}\n",
                 t, VALUES, t, VALUES, t, VALUES, value, other, t, VALUES, op_name(forms[i].op),
                 forms[i].is_truth ? "u8" : t, VALUES);
        keeps_bits(&a, text, &x, &g);
        for (node_id n = 0; n < g.funcs[g.entry].nnodes; n++)
            left += g.funcs[g.entry].nodes[n].op == forms[i].op;
        CHECK(left == !compared, "%u are left of\n%s", left, text);
        arena_finish(&a);
    }
}

/* A predicate that is known leaves one branch: the second for both zeros, the first for the number
   next to them. */
static void test_known_predicate(enum vkc_type type)
{
    const uint32_t bits = vkc_types[type].bits;
    const uint64_t predicates[] = {0, 1, (uint64_t)1 << (bits - 1),
                                   ((uint64_t)1 << (bits - 1)) + 1};
    for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++) {
        struct arena a;
        struct graph g;
        char text[640];
        float values[VALUES];
        struct array x = {.tensor = {.type = TYPE_F32, .shape = shape_of(1, (int64_t[]){VALUES})},
                          .data = values};
        arena_init(&a, 0);
        for (int k = 0; k < VALUES; k++)
            values[k] = (float)k / 16;
        snprintf(
            text, sizeof text,
            "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[%d]) {\n  n0 = parameter index=0 : "
            "f32[%d]\n  n1 = cond n0 regions=[f1,f2,f3] : f32[%d]\n  return n1\n}\n"
            "func f1(f32[%d]) {\n  n0 = constant bits=%0*llx : %s[]\n  return n0\n}\n"
            "func f2(f32[%d]) {\n  n0 = parameter index=0 : f32[%d]\n  n1 = negate n0 : f32[%d]\n"
            "  return n1\n}\nfunc f3(f32[%d]) {\n  n0 = parameter index=0 : f32[%d]\n"
            "  return n0\n}\n",
            VALUES, VALUES, VALUES, VALUES, 2 * (int)type_bytes(type),
            (unsigned long long)predicates[i], type_name(type), VALUES, VALUES, VALUES, VALUES,
            VALUES);
        keeps_bits(&a, text, &x, &g);
        for (node_id n = 0; n < g.funcs[g.entry].nnodes; n++)
            CHECK(g.funcs[g.entry].nodes[n].op != OP_COND, "a known predicate of %s is asked",
                  type_name(type));
        arena_finish(&a);
    }
}

/* ---- what passes find unnecessary ---- */

/* Of two inputs u32[160], words that are not zero and zeros among them. No op `gone` is left. */
static void test_unnecessary(const char *body, enum op gone)
{
    struct arena a;
    struct graph g;
    struct array x[2];
    char text[1024];
    arena_init(&a, 0);
    for (uint32_t i = 0; i < 2; i++) {
        x[i] =
            (struct array){.tensor = {.type = TYPE_U32, .shape = shape_of(1, (int64_t[]){VALUES})}};
        uint32_t *words = x[i].data = arena_alloc(&a, tensor_bytes(&x[i].tensor), 1);
        for (uint32_t j = 0; j < VALUES; j++)
            words[j] = (j >> i) % 2 ? j * 0x9e3779b9u : 0;
    }
    snprintf(text, sizeof text,
             "graph \"t\" entry=f0 callbacks=0\nfunc f0(u32[%d], u32[%d]) {\n"
             "  n0 = parameter index=0 : u32[%d]\n  n1 = parameter index=1 : u32[%d]\n%s}\n",
             VALUES, VALUES, VALUES, VALUES, body);
    if (keeps_bits(&a, text, x, &g)) {
        uint32_t found = 0;
        for (node_id i = 0; i < g.funcs[0].nnodes; i++)
            found += g.funcs[0].nodes[i].op == gone;
        CHECK(found == 0, "%u %s are left of\n%s", found, op_name(gone), text);
    }
    arena_finish(&a);
}

static void test_unnecessary_ops(void)
{
    static const char *const between_1_and_2 =
        "  n2 = constant bits=00000009 : u32[160]\n  n3 = right_shift n0, n2 : u32[160]\n"
        "  n4 = constant bits=3f800000 : u32[160]\n  n5 = bitwise_or n3, n4 : u32[160]\n"
        "  n6 = bitcast n5 : f32[160]\n  n7 = constant bits=3f000000 : f32[160]\n";
    char text[512];
    /* either operand may be converted; the first is not, where the second is */
    test_unnecessary("  n2 = as_type n1 : u64[160]\n  n3 = as_type n0 : u64[160]\n"
                     "  n4 = logical_and n3, n2 : u8[160]\n  return n4\n",
                     OP_AS_TYPE);
    test_unnecessary("  n2 = less n0, n1 : u8[160]\n  n3 = as_type n2 : u32[160]\n"
                     "  n4 = logical_or n3, n1 : u8[160]\n  return n4\n",
                     OP_AS_TYPE);
    snprintf(text, sizeof text, "%s  n8 = max n7, n6 : f32[160]\n  return n8\n", between_1_and_2);
    test_unnecessary(text, OP_MAX);
    snprintf(text, sizeof text, "%s  n8 = max n6, n7 : f32[160]\n  return n8\n", between_1_and_2);
    test_unnecessary(text, OP_MAX);
    test_unnecessary("  n2 = less n0, n1 : u8[160]\n  n3 = all n2 axes=[0] keep=false : u8[]\n"
                     "  return n3\n",
                     OP_NOT_EQUAL);
}

/* Two operands that are turned in different ways are not turned as one, though all shapes are
   equal; of those that are turned alike, the sum is. */
static void test_turned_operands(void)
{
    static const char *const turns[] = {"0,1,2", "0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"};
    enum { SIDE = 3, TURNS = sizeof turns / sizeof *turns };
    struct arena a;
    arena_init(&a, 0);
    struct array x[2];
    for (uint32_t i = 0; i < 2; i++) {
        x[i] = (struct array){
            .tensor = {.type = TYPE_S32, .shape = shape_of(3, (int64_t[]){SIDE, SIDE, SIDE})}};
        int32_t *words = x[i].data = arena_alloc(&a, tensor_bytes(&x[i].tensor), 1);
        for (int32_t j = 0; j < SIDE * SIDE * SIDE; j++)
            words[j] = i ? j * j : 1000 * j;
    }
    for (uint32_t i = 0; i < TURNS; i++)
        for (uint32_t j = 0; j < TURNS; j++) {
            char text[512];
            struct graph g;
            snprintf(text, sizeof text,
                     "graph \"t\" entry=f0 callbacks=0\nfunc f0(s32[3,3,3], s32[3,3,3]) {\n"
                     "  n0 = parameter index=0 : s32[3,3,3]\n"
                     "  n1 = parameter index=1 : s32[3,3,3]\n"
                     "  n2 = transpose n0 axes=[%s] : s32[3,3,3]\n"
                     "  n3 = transpose n1 axes=[%s] : s32[3,3,3]\n"
                     "  n4 = add n2, n3 : s32[3,3,3]\n  return n4\n}\n",
                     turns[i], turns[j]);
            if (!keeps_bits(&a, text, x, &g) || i != j || i == 0)
                continue;
            uint32_t found = 0;
            for (node_id k = 0; k < g.funcs[0].nnodes; k++)
                found += g.funcs[0].nodes[k].op == OP_TRANSPOSE;
            CHECK(found == 1, "%u transposes are left of\n%s", found, text);
        }
    arena_finish(&a);
}

int main(void)
{
    test_turned_operands();
    test_unnecessary_ops();
    for (enum vkc_type from = TYPE_NONE + 1; from < TYPE_COUNT; from++)
        for (enum vkc_type middle = TYPE_NONE + 1; middle < TYPE_COUNT; middle++)
            for (enum vkc_type to = TYPE_NONE + 1; to < TYPE_COUNT; to++)
                test_conversions(from, middle, to);
    for (enum vkc_type type = TYPE_NONE + 1; type < TYPE_COUNT; type++)
        for (int power = -1022; type_is_float(type) && power <= 1023;
             power += abs(power) > 1000 || abs(power) < 160 ? 1 : 20)
            test_division(type, power);
    for (enum vkc_type type = TYPE_NONE + 1; type < TYPE_COUNT; type++)
        test_repeated(type);
    for (enum vkc_type type = TYPE_NONE + 1; type < TYPE_COUNT; type++)
        if (type_is_int(type))
            test_truths(type, false);
    test_truths(TYPE_U8, true);
    for (enum vkc_type type = TYPE_NONE + 1; type < TYPE_COUNT; type++)
        if (!type_is_complex(type))
            test_known_predicate(type);
    test_long_contraction(TYPE_BF16, 259 * 13); /* 13 parts, and 259 is not a bf16 */
    test_long_contraction(TYPE_F16, 2053 * 3);  /* 3 parts, and 2053 is not an f16 */
    return check_report();
}
