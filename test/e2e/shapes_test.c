/* Reductions and products of sizes that are odd, and larger than the 65,535 iterations after
   which Mesa 22.3 stops a shader: along the first, a middle and the last axis. */
#include <string.h>

#include "e2e.h"

static const struct shape_case {
    int rank;
    long dims[3];
    int axis;
} cases[] = {
    {1, {1}, 0},         {1, {3}, 0},           {1, {257}, 0},       {1, {70001}, 0},
    {1, {300000}, 0},    {2, {3, 70001}, 1},    {2, {70001, 3}, 0},  {2, {1025, 33}, 0},
    {2, {33, 1025}, 1},  {2, {1, 257}, 0},      {3, {5, 67, 11}, 0}, {3, {5, 67, 11}, 1},
    {3, {5, 67, 11}, 2}, {3, {2, 66000, 3}, 1},
};

static void dims_text(char *out, size_t size, const struct shape_case *s, bool without_axis)
{
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < s->rank; i++)
        if (!(without_axis && i == s->axis))
            n += (size_t)snprintf(out + n, size - n, "%s%ld", n ? "," : "", s->dims[i]);
}

/* One op along the case's axis, of type `type`; a dot is with a vector. */
static void graph_text(char *out, size_t size, const struct shape_case *s, const char *op,
                       const char *type)
{
    char in[64], rest[64], vector[32] = "";
    bool is_arg = strncmp(op, "arg", 3) == 0, is_dot = strcmp(op, "dot") == 0;
    dims_text(in, sizeof in, s, false);
    dims_text(rest, sizeof rest, s, true);
    if (is_dot)
        snprintf(vector, sizeof vector, "%ld", s->dims[s->axis]);
    int n = snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"%s\", \"entry\": 0, \"funcs\": [{\"params\": [{\"type\": "
        "\"%s\", \"shape\": [%s]}",
        op, type, in);
    if (is_dot)
        n += snprintf(out + n, size - (size_t)n, ", {\"type\": \"%s\", \"shape\": [%s]}", type,
                      vector);
    n += snprintf(
        out + n, size - (size_t)n,
        "], \"nodes\": [{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"%s\", "
        "\"shape\": [%s]}], \"attrs\": {\"index\": 0}}",
        type, in);
    if (is_dot)
        n += snprintf(
            out + n, size - (size_t)n,
            ", {\"id\": 1, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"%s\", \"shape\": "
            "[%s]}], \"attrs\": {\"index\": 1}}",
            type, vector);
    n += snprintf(
        out + n, size - (size_t)n,
        ", {\"id\": %d, \"op\": \"%s\", \"ins\": [[0, 0]%s], \"outs\": [{\"type\": \"%s\", \"shape\": "
        "[%s]}], \"attrs\": ",
        is_dot + 1, op, is_dot ? ", [1, 0]" : "", is_arg ? "s32" : type, rest);
    if (is_dot)
        n += snprintf(
            out + n, size - (size_t)n,
            "{\"contract_a\": [%d], \"batch_a\": [], \"contract_b\": [0], \"batch_b\": []}",
            s->axis);
    else if (is_arg)
        n += snprintf(out + n, size - (size_t)n,
                      "{\"axis\": %d, \"tie_break\": \"low\", \"keep\": false}", s->axis);
    else
        n += snprintf(out + n, size - (size_t)n, "{\"axes\": [%d], \"keep\": false}", s->axis);
    snprintf(out + n, size - (size_t)n,
             "}], \"results\": [[%d, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
             is_dot + 1);
}

/* Every element of long rows less the row's greatest: straight code that stores vectors, or
   whole words of narrow types. */
static void less_greatest_text(char *out, size_t size, long rows, long columns, const char *type)
{
    snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"nx\": \"0.13.1\", \"producer\": \"test\", "
        "\"name\": \"less\", \"entry\": 0, \"funcs\": [{\"params\": [{\"type\": \"%s\", "
        "\"shape\": [%ld,%ld], \"name\": \"x\"}], \"nodes\": [{\"id\": 0, \"op\": \"parameter\", "
        "\"ins\": [], \"outs\": [{\"type\": \"%s\", \"shape\": [%ld,%ld]}], "
        "\"attrs\": {\"index\": 0}}, {\"id\": 1, \"op\": \"reduce_max\", \"ins\": [[0, 0]], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": [%ld,1]}], \"attrs\": {\"axes\": [1], "
        "\"keep\": true}}, {\"id\": 2, \"op\": \"broadcast\", \"ins\": [[1, 0]], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": [%ld,%ld]}], \"attrs\": {\"axes\": [0, 1]}}, "
        "{\"id\": 3, \"op\": \"subtract\", \"ins\": [[0, 0], [2, 0]], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": [%ld,%ld]}]}], \"results\": [[3, 0]]}], "
        "\"literals\": [], \"donations\": [], \"callbacks\": 0}",
        type, rows, columns, type, rows, columns, type, rows, type, rows, columns, type, rows,
        columns);
}

static void check_less_greatest(struct e2e *e, long rows, long columns, const char *type)
{
    char json[2048], name[128];
    snprintf(name, sizeof name, "%s[%ld,%ld] less the greatest", type, rows, columns);
    less_greatest_text(json, sizeof json, rows, columns, type);
    e2e_compare_json(e, name, json, 1, NULL, NULL, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
}

static void check_case(struct e2e *e, const struct shape_case *s, const char *op, const char *type)
{
    char json[2048], dims[64], name[128];
    dims_text(dims, sizeof dims, s, false);
    snprintf(name, sizeof name, "%s of %s[%s] along %d", op, type, dims, s->axis);
    graph_text(json, sizeof json, s, op, type);
    e2e_compare_json(e, name, json, 1, NULL, NULL, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
}

int main(void)
{
    static const char *const ops[] = {"sum", "reduce_max", "argmax", "dot"};
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 2;
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
            check_case(&e, &cases[i], ops[k], "f32");
            check_case(&e, &cases[i], ops[k], k == 3 ? "f64" : "s32");
        }
    static const char *const types[] = {"f64", "f32", "bf16", "f16", "f8",
                                        "s64", "s32", "s16",  "u8"};
    static const long sizes[][2] = {{9, 1028}, {5, 1030}, {3, 2048}, {7, 4096}};
    for (size_t i = 0; is_open && i < sizeof sizes / sizeof *sizes; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            check_less_greatest(&e, sizes[i][0], sizes[i][1], types[t]);
    return e2e_close(&e);
}
