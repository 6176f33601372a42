/* The cumulative blocks: along every axis, both ways, rows that share a workgroup, that take it
   several steps, and that are cut in chunks. The reference is the block's expansion, which
   combines with what is 1, 2, 4, ... places before. */
#include <inttypes.h>
#include <string.h>

#include "e2e.h"
#include "base/num.h"

struct scan_case {
    int rank;
    long dims[3];
    int axis;
};
struct scan_op {
    const char *block, *combine;
    enum op reduce;
};

static void dims_text(char *out, size_t size, const struct scan_case *s, int axis, long add)
{
    out[0] = '\0';
    for (int i = 0, n = 0; i < s->rank; i++)
        n += snprintf(out + n, size - (size_t)n, "%s%ld", i ? "," : "",
                      i == axis ? s->dims[i] + add : s->dims[i]);
}

/* A list with `at` for the axis and `other` for the others. */
static const char *list(char *out, size_t size, const struct scan_case *s, long at, long other)
{
    out[0] = '\0';
    for (int i = 0, n = 0; i < s->rank; i++)
        n += snprintf(out + n, size - (size_t)n, "%s%ld", i ? "," : "", i == s->axis ? at : other);
    return out;
}

static void graph_text(char *out, size_t size, const struct scan_case *s, const struct scan_op *o,
                       enum vkc_type type, bool reverse)
{
    char dims[64], part[64], l1[64], l2[64], l3[64], bits[40];
    const char *t = type_name(type);
    uint64_t identity = 0;
    op_identity_bits(o->reduce, type, &identity);
    if (type_is_float(type) && o->reduce == OP_SUM)
        identity = num_float_encode(type, -0.0);
    snprintf(bits, sizeof bits, "%0*" PRIx64, 2 * (int)type_bytes(type), identity);
    dims_text(dims, sizeof dims, s, s->axis, 0);
    int n = snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"%s\", \"entry\": 0, "
        "\"funcs\": [{\"params\": [{\"type\": \"%s\", \"shape\": [%s]}], \"nodes\": ["
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], "
        "\"attrs\": {\"index\": 0}}, {\"id\": 1, \"op\": \"block\", \"ins\": [[0, 0]], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"name\": \"%s\", "
        "\"options\": \"axis=%d;reverse=%s\"}, \"regions\": [1]}], \"results\": [[1, 0]]}, "
        "{\"params\": [{\"type\": \"%s\", \"shape\": [%s]}], \"nodes\": ["
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], "
        "\"attrs\": {\"index\": 0}}, {\"id\": 1, \"op\": \"constant\", \"ins\": [], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": []}], \"attrs\": {\"bits\": \"%s\"}}",
        o->block, t, dims, t, dims, t, dims, o->block, s->axis, reverse ? "true" : "false", t, dims,
        t, dims, t, bits);
    int id = 2, last = 0;
    for (long d = 1; d < s->dims[s->axis]; d *= 2, id += 3) {
        dims_text(part, sizeof part, s, s->axis, -d);
        char lengths[64];
        snprintf(lengths, sizeof lengths, "%s", part);
        n += snprintf(
            out + n, size - (size_t)n,
            ", {\"id\": %d, \"op\": \"slice\", \"ins\": [[%d, 0]], "
            "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"starts\": [%s], \"lengths\": [%s], "
            "\"strides\": [%s]}}, ",
            id, last, t, part, list(l1, sizeof l1, s, reverse ? d : 0, 0), lengths,
            list(l2, sizeof l2, s, 1, 1));
        n += snprintf(out + n, size - (size_t)n,
                      "{\"id\": %d, \"op\": \"pad\", \"ins\": [[%d, 0], [1, 0]], "
                      "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}], \"attrs\": {\"lo\": [%s], "
                      "\"hi\": [%s], \"interior\": [%s]}}, ",
                      id + 1, id, t, dims, list(l1, sizeof l1, s, reverse ? 0 : d, 0),
                      list(l2, sizeof l2, s, reverse ? d : 0, 0), list(l3, sizeof l3, s, 0, 0));
        n += snprintf(out + n, size - (size_t)n,
                      "{\"id\": %d, \"op\": \"%s\", \"ins\": [[%d, 0], [%d, 0]], "
                      "\"outs\": [{\"type\": \"%s\", \"shape\": [%s]}]}",
                      id + 2, o->combine, id + 1, last, t, dims);
        last = id + 2;
    }
    snprintf(out + n, size - (size_t)n,
             "], \"results\": [[%d, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
             last);
}

static void fill(const void *edges, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    (void)input, (void)set;
    e2e_fill(x, random, *(const bool *)edges);
}

/* Sums of -0 are -0, as far as nothing else was added: the first chunk of a long row. What comes
   before a later chunk is a sum as any other, which begins with +0. */
enum { ZEROS = 4096 };
static void fill_minus_zero(const void *context, const struct array *x, uint32_t input,
                            uint32_t set, uint64_t *random)
{
    (void)context, (void)input, (void)set, (void)random;
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++)
        ((float *)x->data)[i] = i < ZEROS ? -0.0f : 1;
}

static void check_zeros(struct e2e *e, const struct scan_case *s)
{
    static char json[1 << 16];
    graph_text(json, sizeof json, s, &(struct scan_op){"CumulativeSum", "add", OP_SUM}, TYPE_F32,
               false);
    e2e_compare_json(e, "cumulative sum of -0", json, 1, fill_minus_zero, NULL,
                     1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
}

static void check_case(struct e2e *e, const struct scan_case *s, const struct scan_op *o,
                       enum vkc_type type, bool reverse, bool edges)
{
    static char json[1 << 16];
    char name[128];
    struct vkc_result compiled;
    snprintf(name, sizeof name, "%s%s of %s[%ld,%ld,%ld] along %d", o->block,
             reverse ? " reversed" : "", type_name(type), s->dims[0], s->dims[1], s->dims[2],
             s->axis);
    graph_text(json, sizeof json, s, o, type, reverse);
    e2e_compare_json(e, name, json, 1, fill, &edges, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
    if (e2e_compile(e, name, json, strlen(json), E2E_AS_GPU, &compiled))
        check_that(&e->check, compiled.stats.kernels <= 3u + (type_bytes(type) < 4),
                   "%s takes %u kernels", name, compiled.stats.kernels);
    vkc_result_free(&compiled);
}

/* More workgroups than one dimension of a dispatch takes, and an odd number of them: two
   dimensions, whose last group finds nothing to do. Small groups, of a row each, keep the tensor
   small. */
static void check_many_groups(struct e2e *e)
{
    const struct vkc_target usual = e->target;
    const struct scan_case many = {2, {32769, 30}, 1};
    static char json[1 << 16];
    struct vkc_result compiled;
    e->target.max_invocations = 4;
    graph_text(json, sizeof json, &many, &(struct scan_op){"CumulativeSum", "add", OP_SUM},
               TYPE_S32, false);
    e2e_compare_json(e, "many groups", json, 1, NULL, NULL, 1u << E2E_AS_TARGET);
    if (e2e_compile(e, "many groups", json, strlen(json), E2E_AS_TARGET, &compiled))
        check_that(&e->check, strstr(compiled.plan, "16385x2x1") != NULL,
                   "a group too many is not in\n%s", compiled.plan);
    vkc_result_free(&compiled);
    e->target = usual;
}

int main(void)
{
    static const struct scan_case cases[] = {
        {1, {33}, 0},      {2, {700, 5}, 0},   {2, {40, 300}, 1}, {3, {3, 129, 70}, 1},
        {1, {4096}, 0},    {1, {4097}, 0},     {1, {100003}, 0},  {2, {2, 30000}, 1},
        {2, {9000, 3}, 0}, {2, {5000, 40}, 0},
    };
    static const struct scan_op ops[] = {{"CumulativeSum", "add", OP_SUM},
                                         {"CumulativeProduct", "multiply", OP_PRODUCT},
                                         {"CumulativeMax", "max", OP_REDUCE_MAX},
                                         {"CumulativeMin", "min", OP_REDUCE_MIN}};
    static const enum vkc_type types[] = {TYPE_F64, TYPE_F16, TYPE_BF16,
                                          TYPE_S64, TYPE_U8,  TYPE_S16};
    static const struct scan_case rows = {2, {70, 100}, 1}, chunks = {1, {30001}, 0};
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 2;
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++) {
        check_case(&e, &cases[i], &ops[0], TYPE_F32, i % 2, false);
        check_case(&e, &cases[i], &ops[2], TYPE_F32, i % 3, true);
        check_case(&e, &cases[i], &ops[0], TYPE_S32, i % 3, true);
    }
    if (is_open) {
        check_many_groups(&e);
        check_zeros(&e, &(struct scan_case){2, {70, 100}, 1});
        check_zeros(&e, &(struct scan_case){1, {30001}, 0});
    }
    for (size_t t = 0; is_open && t < sizeof types / sizeof *types; t++)
        for (int o = 0; o < 4; o++)
            check_case(&e, o % 2 ? &rows : &chunks, &ops[o], types[t], t % 2, false);
    return e2e_close(&e);
}
