/* The gradients of pools: windows that touch, overlap, leave gaps, are padded or cropped. Ties are many. */
#include <string.h>

#include "e2e.h"
#include "import.h"
#include "interp_impl.h"

struct pool_case { long dims[2], window[2], strides[2], lo[2], hi[2]; };

static void graph_text(char *out, size_t size, const struct pool_case *p, const char *op, const char *type)
{
    long o[2];
    char text[3][128];
    for (int i = 0; i < 2; i++)
        o[i] = (p->dims[i] + p->lo[i] + p->hi[i] - p->window[i]) / p->strides[i] + 1;
    snprintf(text[0], sizeof text[0], "{\"type\": \"%s\", \"shape\": [%ld,%ld]}", type, p->dims[0], p->dims[1]);
    snprintf(text[1], sizeof text[1], "{\"type\": \"%s\", \"shape\": [%ld,%ld]}", type, o[0], o[1]);
    snprintf(text[2], sizeof text[2], "{\"type\": \"%s\", \"shape\": []}", type);
    int n = snprintf(out, size, "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"%s\", \"entry\": 0, \"funcs\": [{\"params\": [%s, %s, %s], \"nodes\": [", op, text[0], text[1], text[2]);
    for (int i = 0; i < 3; i++)
        n += snprintf(out + n, size - (size_t)n, "{\"id\": %d, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": %d}}, ", i, text[i], i);
    snprintf(out + n, size - (size_t)n, "{\"id\": 3, \"op\": \"%s\", \"ins\": [[0, 0], [1, 0], [2, 0]], \"outs\": [%s], \"attrs\": {\"window\": [%ld,%ld], \"strides\": [%ld,%ld], "
             "\"lo\": [%ld,%ld], \"hi\": [%ld,%ld]}}], \"results\": [[3, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}", op, text[0], p->window[0], p->window[1],
             p->strides[0], p->strides[1], p->lo[0], p->lo[1], p->hi[0], p->hi[1]);
}

static void check_case(struct e2e *e, const struct pool_case *p, const char *op, const char *type)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    char json[2048], name[160];
    uint64_t random = 42;
    d = (struct diag){0};
    arena_init(&a, 0);
    snprintf(name, sizeof name, "%s of %s[%ld,%ld], window %ldx%ld, strides %ldx%ld", op, type, p->dims[0], p->dims[1], p->window[0], p->window[1], p->strides[0], p->strides[1]);
    graph_text(json, sizeof json, p, op, type);
    if (check_that(&e->check, import_json(&a, json, strlen(json), NULL, 0, &g, &d), "%s: %s", name, d.message)) {
        struct array inputs[3];
        const struct array *set = inputs;
        bool ok = true;
        for (int i = 0; i < 3; i++) {
            inputs[i] = (struct array){g.funcs[g.entry].params[i], arena_alloc(&a, tensor_bytes(&g.funcs[g.entry].params[i]), 1)};
            if ((ok &= inputs[i].data != NULL))
                e2e_fill(&inputs[i], &random, false);
        }
        for (int64_t i = 0; ok && i < p->dims[0] * p->dims[1]; i++) { /* few values: ties */
            union number x = {.s = (i * i + i / 3) % 5};
            if (type_is_float(inputs[0].tensor.type))
                x.f = (double)((i * i + i / 3) % 5);
            number_store(inputs[0].tensor.type, inputs[0].data, i, x);
        }
        if (check_that(&e->check, ok, "no memory"))
            e2e_compare(e, name, json, strlen(json), &g, &set, 1, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
    }
    arena_finish(&a);
}

int main(void)
{
    static const struct pool_case cases[] = {
        {{40, 50}, {2, 2}, {2, 2}, {0, 0}, {0, 0}},  {{41, 53}, {3, 3}, {2, 2}, {0, 0}, {0, 0}}, {{30, 31}, {3, 2}, {1, 1}, {1, 0}, {1, 1}},
        {{29, 37}, {2, 3}, {3, 5}, {0, 0}, {0, 0}},  {{20, 45}, {5, 4}, {2, 3}, {2, 1}, {2, 3}}, {{33, 20}, {4, 3}, {3, 2}, {-2, -1}, {0, -3}},
        {{28, 28}, {28, 28}, {28, 28}, {0, 0}, {0, 0}}, {{64, 9}, {7, 1}, {7, 1}, {3, 0}, {4, 0}},
    };
    struct e2e e;
    bool is_open = e2e_open(&e);
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++) {
        check_case(&e, &cases[i], "window_scatter_max", i % 2 ? "f32" : "s32");
        check_case(&e, &cases[i], "window_scatter_min", i % 2 ? "s32" : "f32");
    }
    return e2e_close(&e);
}
