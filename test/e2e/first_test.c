/* The first of a sort, and what is read of more: both sides of what a row, and of what is taken of
   it, must be for a selection (lower_first.c). Ties, NaN, both zeros; bit for bit. */
#include <string.h>

#include "e2e.h"

struct first_case {
    long dims[3];
    int axis;
    long first;
    const char *op, *type;
};

/* x[dims], sorted along an axis, of which the first are results. */
static void graph_text(char *out, size_t size, const struct first_case *s, bool descending)
{
    const char *type = strcmp(s->op, "sort") == 0 ? s->type : "s32";
    long left[3] = {s->dims[0], s->dims[1], s->dims[2]};
    char dims[64], lengths[64];
    left[s->axis] = s->first;
    snprintf(dims, sizeof dims, "%ld,%ld,%ld", s->dims[0], s->dims[1], s->dims[2]);
    snprintf(lengths, sizeof lengths, "%ld,%ld,%ld", left[0], left[1], left[2]);
    snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"first\", \"entry\": 0, "
        "\"funcs\": [{\"params\": [{\"type\": \"%s\", \"shape\": [%s]}], \"nodes\": ["
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], "
        "\"attrs\": {\"index\": 0}}, {\"id\": 1, \"op\": \"%s\", \"ins\": [[0, 0]], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"axis\": %d, "
        "\"descending\": %s, \"stable\": true}}, "
        "{\"id\": 2, \"op\": \"slice\", \"ins\": [[1, 0]], \"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], "
        "\"attrs\": {\"starts\": [0,0,0], \"lengths\": [%s], \"strides\": [1,1,1]}}], "
        "\"results\": [[2, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
        s->type, dims, s->type, dims, s->op, type, dims, s->axis, descending ? "true" : "false",
        type, lengths, lengths);
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

int main(void)
{
    /* rows of one, two and four words an element; of runs of 2,048, 4,096 and tiles of 1,024 to
       8,192 whatever the device has; 40,000 are enough for
       CPUs, too, and take two steps */
    static const struct first_case cases[] = {
        {{1, 2048, 1}, 1, 50, "argsort", "f32"},   {{1, 2049, 1}, 1, 50, "argsort", "f32"},
        {{7, 4097, 1}, 1, 1, "argsort", "f32"},    {{1, 8192, 1}, 1, 8192, "argsort", "f32"},
        {{1, 9001, 1}, 1, 1024, "sort", "f32"},    {{1, 9001, 1}, 1, 1025, "argsort", "f32"},
        {{3, 9001, 2}, 1, 50, "argsort", "f32"},   {{5001, 3, 1}, 0, 40, "sort", "s32"},
        {{1, 40000, 1}, 1, 500, "argsort", "f32"}, {{2, 9001, 1}, 1, 50, "argsort", "u8"},
        {{2, 9001, 1}, 1, 50, "argsort", "f64"},
    };
    const unsigned gpu = 1u << E2E_AS_GPU, target = 1u << E2E_AS_TARGET, both = gpu | target;
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 3;
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++) {
        const struct first_case *s = &cases[i];
        char json[2048], name[128];
        snprintf(name, sizeof name, "first %ld of %s of %s[%ld,%ld,%ld] along %d", s->first, s->op,
                 s->type, s->dims[0], s->dims[1], s->dims[2], s->axis);
        graph_text(json, sizeof json, s, i % 3 != 0);
        /* a selection's kernels, as a GPU has them, take the CPU's driver 20 s each */
        bool is_long = s->dims[s->axis] > 4 * s->first && s->dims[s->axis] > 8192;
        e2e_compare_json(&e, name, json, 2, fill, NULL,
                         is_long && s->type[0] == 'f' && strcmp(s->type, "f64") != 0 ? target
                         : i % 4                                                     ? gpu
                                                                                     : both);
    }
    return e2e_close(&e);
}
