/* indexed_add and indexed_put of many updates: sparse and dense, several index axes in any
   place, all updates in few places (where whole tiles are added up), out of range, index types
   that are narrow, signed and not. */
#include <complex.h>

#include "e2e.h"
#include "interp/interp_impl.h"

struct scatter_case {
    int rank, naxes;
    long dims[3], axes[3], updates;
    const char *index;
    long places; /* indices are random below this many; 0: a little past both ends of the axes */
};

static void graph_text(char *out, size_t size, const struct scatter_case *s, const char *op,
                       const char *type)
{
    char dims[64] = "", updates[80], axes[32] = "";
    int n = 0, m = snprintf(updates, sizeof updates, "%ld", s->updates), k = 0;
    for (int i = 0; i < s->rank; i++) {
        bool indexed = false;
        for (int j = 0; j < s->naxes; j++)
            indexed |= s->axes[j] == i;
        n += snprintf(dims + n, sizeof dims - (size_t)n, "%s%ld", i ? "," : "", s->dims[i]);
        if (!indexed)
            m += snprintf(updates + m, sizeof updates - (size_t)m, ",%ld", s->dims[i]);
    }
    for (int j = 0; j < s->naxes; j++)
        k += snprintf(axes + k, sizeof axes - (size_t)k, "%s%ld", j ? "," : "", s->axes[j]);
    const char *const shapes[3] = {dims, NULL, updates};
    n = snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"%s\", \"entry\": 0, \"funcs\": [{\"params\": [",
        op);
    for (int i = 0; i < 3; i++)
        n += i == 1
                 ? snprintf(out + n, size - (size_t)n, ", {\"type\": \"%s\", \"shape\": [%ld,%d]}",
                            s->index, s->updates, s->naxes)
                 : snprintf(out + n, size - (size_t)n, "%s{\"type\": \"%s\", \"shape\": [%s]}",
                            i ? ", " : "", type, shapes[i]);
    n += snprintf(out + n, size - (size_t)n, "], \"nodes\": [");
    for (int i = 0; i < 3; i++) {
        n += snprintf(out + n, size - (size_t)n,
                      "{\"id\": %d, \"op\": \"parameter\", \"ins\": [], \"outs\": [", i);
        n += i == 1 ? snprintf(out + n, size - (size_t)n, "{\"type\": \"%s\", \"shape\": [%ld,%d]}",
                               s->index, s->updates, s->naxes)
                    : snprintf(out + n, size - (size_t)n, "{\"type\": \"%s\", \"shape\": [%s]}",
                               type, shapes[i]);
        n += snprintf(out + n, size - (size_t)n, "], \"attrs\": {\"index\": %d}}, ", i);
    }
    snprintf(out + n, size - (size_t)n,
             "{\"id\": 3, \"op\": \"%s\", \"ins\": [[0, 0], [1, 0], [2, 0]], "
             "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"axes\": [%s]}}], "
             "\"results\": [[3, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
             op, type, dims, axes);
}

static void fill_indices(const struct scatter_case *s, const struct array *x, uint64_t *random)
{
    bool is_signed = vkc_types[x->tensor.type].kind == KIND_SINT;
    for (long i = 0; i < s->updates * s->naxes; i++) {
        *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
        long dim = s->dims[s->axes[i % s->naxes]],
             at = (long)(*random % (uint64_t)(s->places ? s->places : dim + 4));
        union number n = {.s = s->places ? at : at - 2 * is_signed};
        number_store(x->tensor.type, x->data, i, n);
    }
}

static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    (void)set;
    if (input == 1) {
        fill_indices(context, x, random);
        return;
    }
    e2e_fill(x, random, false);
    const union number zero = type_is_complex(x->tensor.type)
                                  ? (union number){.c = complex_of(-0.0, -0.0)}
                                  : (union number){.f = -0.0};
    if (input == 0 && (type_is_complex(x->tensor.type) || type_is_float(x->tensor.type)))
        /* -0 stays where nothing is added */
        for (int64_t i = 0, size = shape_size(&x->tensor.shape); i < size; i += 3)
            number_store(x->tensor.type, x->data, i, zero);
}

static void check_case(struct e2e *e, const struct scatter_case *s, const char *op,
                       const char *type, unsigned variants)
{
    char json[4096], name[160];
    snprintf(name, sizeof name, "%s to %s[%ld,%ld,%ld] of %ld updates in %ld places by %s", op,
             type, s->dims[0], s->dims[1], s->dims[2], s->updates, s->places, s->index);
    graph_text(json, sizeof json, s, op, type);
    e2e_compare_json(e, name, json, 1, fill, s, variants);
}

int main(void)
{
    static const struct scatter_case cases[] = {
        {1, 1, {5000}, {0}, 300, "s64", 0},        {1, 1, {200}, {0}, 3000, "s32", 0},
        {2, 1, {500, 16}, {0}, 700, "u32", 0},     {2, 1, {16, 500}, {1}, 700, "s16", 0},
        {3, 2, {9, 20, 31}, {0, 2}, 900, "u8", 0}, {2, 2, {300, 70}, {0, 1}, 2500, "s32", 0},
        {1, 1, {100}, {0}, 70000, "s32", 3},       {2, 1, {1000, 3}, {0}, 9000, "s64", 1},
        {1, 1, {100000}, {0}, 40, "u64", 0},
    };
    static const char *const types[] = {"f64", "bf16", "u8", "s64", "c64", "f16"};
    const unsigned gpu = 1u << E2E_AS_GPU, all = gpu | 1u << E2E_AS_TARGET | 1u << E2E_UNFUSED;
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 2;
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++) {
        check_case(&e, &cases[i], "indexed_add", "f32", all);
        check_case(&e, &cases[i], "indexed_put", "f32", all);
        check_case(&e, &cases[i], "indexed_add", "s32", gpu);
    }
    for (size_t t = 0; is_open && t < sizeof types / sizeof *types; t++) {
        check_case(&e, &cases[t % 4 + 1], "indexed_add", types[t], gpu);
        check_case(&e, &cases[t % 5 + 2], "indexed_put", types[t], gpu);
        check_case(&e, &cases[7], "indexed_add", types[t], gpu);
    }
    return e2e_close(&e);
}
