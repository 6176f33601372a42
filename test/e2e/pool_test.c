/* The gradients of pools: windows that touch, overlap, leave gaps, are padded or cropped. Ties
   are many. */
#include "e2e.h"
#include "interp/interp_impl.h"

struct pool_case {
    long dims[2], window[2], strides[2], lo[2], hi[2];
};

static void graph_text(char *out, size_t size, const struct pool_case *p, const char *op,
                       const char *type)
{
    long o[2];
    char text[3][128];
    for (int i = 0; i < 2; i++)
        o[i] = (p->dims[i] + p->lo[i] + p->hi[i] - p->window[i]) / p->strides[i] + 1;
    snprintf(text[0], sizeof text[0], "{\"type\": \"%s\", \"shape\": [%ld,%ld]}", type, p->dims[0],
             p->dims[1]);
    snprintf(text[1], sizeof text[1], "{\"type\": \"%s\", \"shape\": [%ld,%ld]}", type, o[0], o[1]);
    snprintf(text[2], sizeof text[2], "{\"type\": \"%s\", \"shape\": []}", type);
    int n = snprintf(out, size,
                     "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"%s\", \"entry\": 0, "
                     "\"funcs\": [{\"params\": [%s, %s, %s], \"nodes\": [",
                     op, text[0], text[1], text[2]);
    for (int i = 0; i < 3; i++)
        n += snprintf(
            out + n, size - (size_t)n,
            "{\"id\": %d, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": %d}}, ",
            i, text[i], i);
    snprintf(out + n, size - (size_t)n,
             "{\"id\": 3, \"op\": \"%s\", \"ins\": [[0, 0], [1, 0], [2, 0]], \"outs\": [%s], "
             "\"attrs\": {\"window\": [%ld,%ld], \"strides\": [%ld,%ld], \"lo\": [%ld,%ld], "
             "\"hi\": [%ld,%ld]}}], \"results\": [[3, 0]]}], \"literals\": [], \"donations\": [], "
             "\"callbacks\": 0}",
             op, text[0], p->window[0], p->window[1], p->strides[0], p->strides[1], p->lo[0],
             p->lo[1], p->hi[0], p->hi[1]);
}

/* The tensor whose windows are compared has few values: ties. */
static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    (void)context, (void)set;
    e2e_fill(x, random, false);
    for (int64_t i = 0; input == 0 && i < shape_size(&x->tensor.shape); i++) {
        union number n = {.s = (i * i + i / 3) % 5};
        if (type_is_float(x->tensor.type))
            n.f = (double)((i * i + i / 3) % 5);
        number_store(x->tensor.type, x->data, i, n);
    }
}

static void check_case(struct e2e *e, const struct pool_case *p, const char *op, const char *type)
{
    char json[2048], name[160];
    snprintf(name, sizeof name, "%s of %s[%ld,%ld], window %ldx%ld, strides %ldx%ld", op, type,
             p->dims[0], p->dims[1], p->window[0], p->window[1], p->strides[0], p->strides[1]);
    graph_text(json, sizeof json, p, op, type);
    e2e_compare_json(e, name, json, 1, fill, NULL, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
}

int main(void)
{
    static const struct pool_case cases[] = {
        {{40, 50}, {2, 2}, {2, 2}, {0, 0}, {0, 0}},
        {{41, 53}, {3, 3}, {2, 2}, {0, 0}, {0, 0}},
        {{30, 31}, {3, 2}, {1, 1}, {1, 0}, {1, 1}},
        {{29, 37}, {2, 3}, {3, 5}, {0, 0}, {0, 0}},
        {{20, 45}, {5, 4}, {2, 3}, {2, 1}, {2, 3}},
        {{33, 20}, {4, 3}, {3, 2}, {-2, -1}, {0, -3}},
        {{28, 28}, {28, 28}, {28, 28}, {0, 0}, {0, 0}},
        {{64, 9}, {7, 1}, {7, 1}, {3, 0}, {4, 0}},
    };
    struct e2e e;
    bool is_open = e2e_open(&e);
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++) {
        check_case(&e, &cases[i], "window_scatter_max", i % 2 ? "f32" : "s32");
        check_case(&e, &cases[i], "window_scatter_min", i % 2 ? "s32" : "f32");
    }
    return e2e_close(&e);
}
