/* Sorts of every type, length, axis and direction that makes another kernel: rows side by side
   in a workgroup, rows that fill one, rows that are merged. Random rows with ties, NaN and both
   zeros, bit for bit. */
#include <string.h>

#include "e2e.h"

struct sort_case {
    int rank;
    long dims[3];
    int axis;
};

static void graph_text(char *out, size_t size, const struct sort_case *s, const char *op,
                       const char *type, bool descending)
{
    char dims[64] = "";
    for (int i = 0, n = 0; i < s->rank; i++)
        n += snprintf(dims + n, sizeof dims - (size_t)n, "%s%ld", i ? "," : "", s->dims[i]);
    snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"%s\", \"entry\": 0, "
        "\"funcs\": [{\"params\": [{\"type\": \"%s\", \"shape\": [%s]}], \"nodes\": ["
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], "
        "\"attrs\": {\"index\": 0}}, {\"id\": 1, \"op\": \"%s\", \"ins\": [[0, 0]], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"axis\": %d, "
        "\"descending\": %s, \"stable\": true}}], \"results\": [[1, 0]]}], \"literals\": [], "
        "\"donations\": [], \"callbacks\": 0}",
        op, type, dims, type, dims, op, strcmp(op, "sort") == 0 ? type : "s32", dims, s->axis,
        descending ? "true" : "false");
}

/* Few different values in the second set, so that ties are many. */
static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    (void)context, (void)input;
    e2e_fill(x, random, true);
    size_t bytes = type_bytes(x->tensor.type), size = tensor_bytes(&x->tensor) / bytes;
    for (size_t i = 7; set == 1 && i < size; i++)
        memcpy((char *)x->data + i * bytes, (char *)x->data + (i * i / 3 + i) % 7 * bytes, bytes);
}

static void check_case(struct e2e *e, const struct sort_case *s, const char *op, const char *type,
                       bool descending, unsigned variants)
{
    char json[2048], name[128];
    snprintf(name, sizeof name, "%s%s of %s[%ld,%ld,%ld] along %d", op, descending ? " down" : "",
             type, s->dims[0], s->dims[1], s->dims[2], s->axis);
    graph_text(json, sizeof json, s, op, type, descending);
    e2e_compare_json(e, name, json, 2, fill, NULL, variants);
}

int main(void)
{
    static const struct sort_case shapes[] = {
        {1, {2}, 0},       {1, {129}, 0},       {2, {300, 5}, 1},  {2, {70, 300}, 1},
        {2, {300, 70}, 0}, {3, {3, 65, 40}, 1}, {1, {2049}, 0},    {1, {8192}, 0},
        {1, {8193}, 0},    {2, {3, 20000}, 1},  {2, {5001, 3}, 0},
    };
    /* from tuning.def's digits_least on, for targets that are GPUs */
    static const struct {
        struct sort_case shape;
        const char *op, *type;
    } many[] = {
        {{1, {(1 << 19) + 1}, 0}, "argsort", "f32"}, {{1, {(1 << 19) + 7}, 0}, "sort", "f64"},
        {{1, {1 << 19}, 0}, "sort", "bf16"},         {{2, {3, 200000}, 1}, "argsort", "s8"},
        {{2, {300000, 2}, 0}, "argsort", "u64"},
    };
    static const struct sort_case rows = {2, {40, 200}, 1}, merged = {1, {5000}, 0},
                                  large = {1, {1 << 17}, 0};
    static const char *const types[] = {"u2", "u4",        "u8",  "u16",  "u32", "u64",
                                        "s2", "s4",        "s8",  "s16",  "s32", "s64",
                                        "f8", "f8_e4m3fn", "f16", "bf16", "f64"};
    const unsigned gpu = 1u << E2E_AS_GPU, all = gpu | 1u << E2E_AS_TARGET | 1u << E2E_UNFUSED;
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 4;
    for (size_t i = 0; is_open && i < sizeof shapes / sizeof *shapes; i++) {
        check_case(&e, &shapes[i], "sort", "f32", i % 2, all);
        check_case(&e, &shapes[i], "argsort", "f32", i % 3, gpu);
    }
    for (size_t t = 0; is_open && t < sizeof types / sizeof *types; t++) {
        check_case(&e, &rows, t % 2 ? "argsort" : "sort", types[t], t % 3, gpu);
        check_case(&e, &merged, t % 2 ? "sort" : "argsort", types[t], t % 5, gpu);
    }
    for (size_t i = 0; is_open && i < sizeof many / sizeof *many; i++)
        check_case(&e, &many[i].shape, many[i].op, many[i].type, i % 2, gpu);
    if (is_open)
        check_case(&e, &large, "argsort", "s32", true, 1u << E2E_AS_TARGET);
    return e2e_close(&e);
}
