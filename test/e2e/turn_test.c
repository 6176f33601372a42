/* Operands read across their memory: on a GPU, their tiles turn in shared memory. Sizes that
   tiles divide and that they do not, lanes of four and of one, more than one such operand, one
   under a condition, and one whose place is data. */
#include <string.h>

#include "e2e.h"
#include "base/str.h"

/* The first operand has shape `dims` and is transposed by `perm`; `turns`: in tiles, on a GPU. */
static const struct turn_case {
    uint32_t rank;
    long dims[4], perm[4];
    bool turns;
} cases[] = {
    {2, {256, 256}, {1, 0}, true},
    {2, {300, 260}, {1, 0}, true},
    {2, {301, 259}, {1, 0}, true},
    {2, {16, 4100}, {1, 0}, true},
    {3, {3, 257, 132}, {0, 2, 1}, true},
    {4, {5, 24, 28, 20}, {0, 3, 1, 2}, true},
    {4, {5, 24, 28, 20}, {3, 2, 1, 0}, true},
    {3, {4, 200, 100}, {1, 0, 2}, false},
    {2, {8, 9000}, {1, 0}, false},
    {2, {100, 100}, {1, 0}, false},
};

static void print_dims(char *out, size_t size, uint32_t rank, const long *dims)
{
    size_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%ld", i ? "," : "", dims[i]);
}

static void add_node(struct str *s, int id, const char *op, const char *ins, const char *type,
                     const char *shape, const char *attrs)
{
    str_printf(s,
               "%s{\"id\": %d, \"op\": \"%s\", \"ins\": [%s], "
               "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {%s}}",
               id ? ", " : "", id, op, ins, type, shape, attrs);
}

/* (transpose(x) + y) * transpose(z), and transpose(x) as well. */
static const char *graph_text(struct arena *a, const struct turn_case *c, const char *type)
{
    char in[64], to[64], perm[64];
    long dims[4];
    struct str s;
    for (uint32_t i = 0; i < c->rank; i++)
        dims[i] = c->dims[c->perm[i]];
    print_dims(in, sizeof in, c->rank, c->dims);
    print_dims(to, sizeof to, c->rank, dims);
    print_dims(perm, sizeof perm, c->rank, c->perm);
    const char *transpose = arena_printf(a, "\"axes\": [%s]", perm);
    str_init(&s, a);
    str_add(
        &s,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"turn\", \"entry\": 0, \"funcs\": [{\"params\": [");
    for (int i = 0; i < 3; i++)
        str_printf(&s, "%s{\"type\": \"%s\", \"shape\": [%s]}", i ? ", " : "", type,
                   i == 1 ? to : in);
    str_add(&s, "], \"nodes\": [");
    for (int i = 0; i < 3; i++)
        add_node(&s, i, "parameter", "", type, i == 1 ? to : in,
                 arena_printf(a, "\"index\": %d", i));
    add_node(&s, 3, "transpose", "[0, 0]", type, to, transpose);
    add_node(&s, 4, "add", "[3, 0], [1, 0]", type, to, "");
    add_node(&s, 5, "transpose", "[2, 0]", type, to, transpose);
    add_node(&s, 6, "multiply", "[4, 0], [5, 0]", type, to, "");
    str_add(
        &s,
        "], \"results\": [[6, 0], [3, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}");
    return str_text(&s);
}

static void check_case(struct e2e *e, const struct turn_case *c, const char *type)
{
    struct arena a;
    char name[128];
    arena_init(&a, 0);
    snprintf(name, sizeof name, "%s %ld x %ld x %ld x %ld", type, c->dims[0], c->dims[1],
             c->dims[2], c->dims[3]);
    const char *json = graph_text(&a, c, type);
    e2e_compare_json(e, name, json, 1, NULL, NULL, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
    /* elements of less than a word need four to a thread */
    if ((strcmp(type, "bf16") != 0 && strcmp(type, "u8") != 0) ||
        c->dims[c->perm[c->rank - 1]] % 4 == 0)
        e2e_check_plan(e, name, json, " turning ", c->turns);
    arena_finish(&a);
}

/* One such load is enough; none is worth tiles that would stay empty: what is read under a
   condition, or where another input says, has no index for threads that run along it. */
static void check_alone(struct e2e *e)
{
    static const struct {
        const char *name, *nodes;
        bool turns;
    } alone[] = {
        {"a single load", "n4 = negate n3 : f32[260,300]", true},
        {"a load under a condition",
         "n5 = constant bits=3f800000 : f32[] n4 = pad n3, n5 lo=[0,0] hi=[0,20] interior=[0,0] : f32[260,320]",
         false},
        {"a load from where an input says",
         "n5 = dynamic_slice n0, n1, n1 lengths=[290,250] strides=[1,1] : f32[290,250] "
         "n4 = transpose n5 axes=[1,0] : f32[250,290]",
         false},
    };
    e->text_ir = true;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "graph \"t\" entry=f0 callbacks=0 func f0(f32[300,260], s32[]) { n0 = parameter index=0 : f32[300,260] "
            "n1 = parameter index=1 : s32[] n3 = transpose n0 axes=[1,0] : f32[260,300] %s return n4 }",
            alone[i].nodes);
        e2e_compare_json(e, alone[i].name, text, 1, NULL, NULL, 1u << E2E_AS_GPU);
        e2e_check_plan(e, alone[i].name, text, " turning ", alone[i].turns);
    }
    e->text_ir = false;
}

/* A window that starts where data says is read as it is: its start is not known where tiles are
   filled. What is beside it turns. */
static void check_moving_window(struct e2e *e)
{
    static const char *const json =
        "graph \"moving\" entry=f0 callbacks=0\n"
        "func f0(f32[300,260], f32[256,256], s32[]) {\n  n0 = parameter index=0 : f32[300,260]\n"
        "  n1 = parameter index=1 : f32[256,256]\n  n2 = parameter index=2 : s32[]\n"
        "  n3 = dynamic_slice n0, n2, n2 lengths=[256,256] strides=[1,1] : f32[256,256]\n"
        "  n4 = transpose n3 axes=[1,0] : f32[256,256]\n  n5 = transpose n1 axes=[1,0] : f32[256,256]\n"
        "  n6 = add n4, n5 : f32[256,256]\n  return n6\n}\n";
    e->text_ir = true;
    e2e_compare_json(e, "a window that moves", json, 2, NULL, NULL,
                     1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
    e2e_check_plan(e, "a window that moves", json, " turning ", true);
    e->text_ir = false;
}

int main(void)
{
    static const char *const types[] = {"f32", "f64", "c64", "s64", "u8", "bf16"};
    struct e2e e;
    bool is_open = e2e_open(&e);
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < (i < 6 ? sizeof types / sizeof *types : 1); k++)
            check_case(&e, &cases[i], types[k]);
    if (is_open) {
        check_alone(&e);
        check_moving_window(&e);
    }
    return e2e_close(&e);
}
