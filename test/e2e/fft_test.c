/* Transforms of every kind of length, along every axis, of every type, padded and cut off, and
   of lines whose rounding errors are no random ones: within the bound that perturb.h has. */
#include <math.h>
#include <string.h>

#include "interp/interp_impl.h"

#include "e2e.h"

struct transform {
    const char *op, *type;
    long outer, length, inner, to; /* `to`: after padding or cutting */
    bool twice;                    /* fft2: along the last axis as well */
    bool apart;                    /* between arithmetic that is fused with it */
};

/* A node that reads node `in`. */
static int add_node(char *out, size_t size, int id, const char *op, const char *ins,
                    const char *type, const long dims[3], const char *attrs)
{
    return snprintf(out, size,
                    ", {\"id\": %d, \"op\": \"%s\", \"ins\": [%s], "
                    "\"outs\": [{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}], \"attrs\": {%s}}",
                    id, op, ins, type, dims[0], dims[1], dims[2], attrs);
}

static void graph_text(char *out, size_t size, const struct transform *t)
{
    const char *type = strcmp(t->type, "f64") == 0 || strcmp(t->type, "c128") == 0 ? "c128" : "c64";
    const long in[3] = {t->outer, t->length, t->inner}, to[3] = {t->outer, t->to, t->inner};
    char ins[64], attrs[64];
    int n = snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"%s\", \"entry\": 0, "
        "\"funcs\": [{\"params\": [{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}], "
        "\"nodes\": [{\"id\": 0, \"op\": \"parameter\", \"ins\": [], "
        "\"outs\": [{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}], \"attrs\": {\"index\": 0}}",
        t->op, t->type, in[0], in[1], in[2], t->type, in[0], in[1], in[2]);
    int at = 0;
    if (t->apart)
        n += add_node(out + n, size - (size_t)n, ++at, "add", "[0, 0], [0, 0]", t->type, in, "");
    snprintf(ins, sizeof ins, "[%d, 0]", at);
    snprintf(attrs, sizeof attrs, "\"axis\": 1, \"length\": %ld", t->to);
    n += add_node(out + n, size - (size_t)n, ++at, t->op, ins, type, to, attrs);
    if (t->twice) {
        snprintf(ins, sizeof ins, "[%d, 0]", at);
        snprintf(attrs, sizeof attrs, "\"axis\": 2, \"length\": %ld", t->inner);
        n += add_node(out + n, size - (size_t)n, ++at, t->op, ins, type, to, attrs);
    }
    if (t->apart) {
        snprintf(ins, sizeof ins, "[%d, 0]", at);
        n += add_node(out + n, size - (size_t)n, ++at, "real", ins,
                      strcmp(type, "c64") == 0 ? "f32" : "f64", to, "");
    }
    snprintf(out + n, size - (size_t)n,
             "], \"results\": [[%d, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
             at);
}

static void check_transform(struct e2e *e, const struct transform *t)
{
    char json[4096], name[128];
    snprintf(name, sizeof name, "%s%s of %s[%ld,%ld,%ld], length %ld", t->op, t->twice ? "2" : "",
             t->type, t->outer, t->length, t->inner, t->to);
    graph_text(json, sizeof json, t);
    e2e_compare_json(e, name, json, 1, NULL, NULL,
                     1u << E2E_AS_TARGET | (t->apart && t->to < 100 ? 1u << E2E_UNFUSED : 0));
}

/* Lines that make the butterflies of a stage alike, so that their errors add up: equal numbers,
   alternating ones, a ramp, a tone. */
static void fill_lines(const void *context, const struct array *x, uint32_t input, uint32_t set,
                       uint64_t *random)
{
    int64_t n = x->tensor.shape.dim[1];
    (void)context, (void)input, (void)set, (void)random;
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++) {
        int64_t line = i / n, j = i % n;
        double tone = cos(2 * 3.14159265358979323846 * 3 * (double)j / (double)n);
        double value[] = {1, j % 2 ? -1 : 1, (double)j / (double)n, tone};
        number_store(x->tensor.type, x->data, i, (union number){.f = value[line % 4]});
    }
}

static void check_alike(struct e2e *e, long length)
{
    char json[4096], name[128];
    const struct transform t = {"fft", "f32", 4, length, 1, length, false, false};
    snprintf(name, sizeof name, "fft of alike numbers, length %ld", length);
    graph_text(json, sizeof json, &t);
    e2e_compare_json(e, name, json, 1, fill_lines, NULL, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
}

/* More workgroups than one dimension of a dispatch takes, and an odd number of them: two
   dimensions, whose last group finds nothing to do. As planned for a CPU with little shared memory
   a group has one line on every device, which keeps the tensor small. Of integers, since behind
   floats there would be NaN, whose transform looks like the guard that it overwrites. */
static void check_many_groups(struct e2e *e)
{
    const struct vkc_target usual = e->target;
    const struct transform many = {"fft", "s32", 32769, 20, 1, 20, false, false};
    char json[4096];
    struct vkc_result compiled;
    vkc_target_named("lavapipe", &e->target);
    vkc_target_run_on(&e->target, &usual);
    e->target.max_shared_bytes = 256;
    check_transform(e, &many);
    graph_text(json, sizeof json, &many);
    if (e2e_compile(e, "many groups", json, strlen(json), E2E_AS_TARGET, &compiled))
        check_that(&e->check, strstr(compiled.plan, "16385x2x1") != NULL,
                   "a group too many is not in\n%s", compiled.plan);
    vkc_result_free(&compiled);
    e->target = usual;
}

int main(void)
{
    /* every radix and mix of them, primes short and long, lines of a workgroup and longer ones */
    static const long lengths[] = {
        1,   2,   3,    4,    5,    6,    7,    8,    9,    10,   11,   12,    13,   14,  15,
        16,  17,  18,   19,   20,   24,   26,   27,   31,   32,   34,   36,    45,   53,  60,
        64,  67,  77,   97,   100,  128,  143,  169,  210,  243,  256,  343,   360,  509, 512,
        625, 720, 1000, 1001, 1024, 1331, 2048, 2187, 4096, 4099, 8192, 10000, 65536};
    static const char *const types[] = {"f32", "c64", "f64", "c128", "s32"}, *const ops[] = {
                                                                                 "fft", "ifft"};
    static const long of_alike[] = {67, 81, 1001, 2187, 2197, 4095, 4096};
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 3;
    for (size_t i = 0; is_open && i < sizeof of_alike / sizeof *of_alike; i++)
        check_alike(&e, of_alike[i]);
    for (size_t i = 0; is_open && i < sizeof lengths / sizeof *lengths; i++) {
        long n = lengths[i];
        bool is_long = n > 2048;
        struct transform last = {ops[i % 2], types[i % 5], is_long ? 1 : 3, n, 1, n, false, false};
        struct transform middle = {ops[(i + 1) % 2],
                                   types[(i + 1) % 5],
                                   2,
                                   n,
                                   is_long ? 2 : 1 + (long)i % 7,
                                   n,
                                   false,
                                   false};
        struct transform resized = {ops[i % 2], types[(i + 2) % 4],         2,     n,
                                    1,          n < 40 ? n + 3 : n - n / 7, false, true};
        check_transform(&e, &last);
        check_transform(&e, &middle);
        if (!is_long)
            check_transform(&e, &resized);
    }
    const struct transform planes[] = {
        {"fft", "f32", 2, 24, 40, 24, true, false},    {"ifft", "c64", 1, 31, 64, 31, true, true},
        {"fft", "c128", 1, 100, 67, 100, true, false}, {"ifft", "f64", 3, 16, 16, 16, true, true},
        {"fft", "u8", 1, 48, 36, 50, true, false},     {"fft", "f16", 5, 12, 3, 9, false, false},
        {"fft", "c64", 70, 4, 5, 4, false, false},     {"ifft", "c64", 1, 8, 300, 8, false, true},
    };
    for (size_t i = 0; is_open && i < sizeof planes / sizeof *planes; i++)
        check_transform(&e, &planes[i]);
    if (is_open)
        check_many_groups(&e);
    return e2e_close(&e);
}
