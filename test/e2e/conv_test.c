/* Convolutions of every kind that Nx has, at random: permutations, strides, padding that may be
   negative, dilations, groups, types, and what is fused with them. Small ones become row
   programs, large ones tiles; long ones, as the gradients of weights are, a GPU splits.
   conv_test [first seed] */
#include <stdlib.h>
#include <string.h>

#include "e2e.h"

static uint64_t state;

static int64_t pick(int64_t low, int64_t high)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (int64_t)((z ^ (z >> 31)) % (uint64_t)(high - low + 1));
}

enum { MOST = 5, SMALL = 100, LARGE = 8, LONG = 6 };

struct conv {
    const char *type;
    int rank;                                  /* with batch and channels */
    int64_t in[MOST], kernel[MOST], out[MOST]; /* logical */
    int64_t in_axes[MOST], kernel_axes[MOST], out_axes[MOST];
    int64_t strides[MOST], lo[MOST], hi[MOST], input_dilation[MOST], kernel_dilation[MOST],
        features, batches;
    bool is_large, is_long, relu_before, bias, relu;
};

static void shuffle(int64_t *axes, int n)
{
    for (int i = 0; i < n; i++)
        axes[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int64_t k = pick(0, i), t = axes[i];
        axes[i] = axes[k];
        axes[k] = t;
    }
}

/* Channels first, channels last, or anything. */
static void any_axes(struct conv *c)
{
    int kind = (int)pick(0, 2);
    shuffle(c->in_axes, c->rank);
    shuffle(c->kernel_axes, c->rank);
    shuffle(c->out_axes, c->rank);
    for (int i = 0; i < c->rank && kind < 2; i++) {
        c->in_axes[i] = c->out_axes[i] = kind == 0 || i == 0 ? i : i == 1 ? c->rank - 1 : i - 1;
        c->kernel_axes[i] = kind == 0 ? i : i < 2 ? c->rank - 1 - i : i - 2;
    }
}

static struct conv any_conv(bool is_large, bool is_long)
{
    static const char *const types[] = {"f32", "f32", "f32", "f64", "f16", "bf16", "c64", "c128"};
    struct conv c = {.type = types[pick(0, is_large ? 5 : 7)],
                     .rank = is_long ? 4 : 2 + (int)pick(is_large ? 1 : 0, is_large ? 2 : 3),
                     .is_large = is_large,
                     .is_long = is_long};
    c.features = pick(0, 3) ? 1 : pick(2, 3);
    c.batches = c.features == 1 && pick(0, 3) == 0 ? pick(2, 3) : 1;
    c.in[0] = (is_large ? pick(2, 4) : pick(1, 3)) * c.batches;
    c.kernel[1] = is_long ? 8 * pick(4, 5) : is_large ? pick(6, 10) : pick(1, 4);
    c.in[1] = c.kernel[1] * c.features;
    c.kernel[0] = c.features * c.batches * (is_large ? pick(32, 40) : pick(1, 3));
    c.out[0] = c.in[0] / c.batches;
    c.out[1] = c.kernel[0];
    for (int i = 2; i < c.rank; i++) {
        c.in[i] = is_long    ? pick(10, 12)
                  : is_large ? (c.rank == 3 ? pick(500, 700) : pick(22, 30))
                             : pick(1, 7);
        c.kernel[i] = is_long ? 8 : pick(1, 3);
        c.strides[i] = is_large ? pick(1, 2) : pick(1, 3);
        c.input_dilation[i] = pick(0, 2) ? 1 : pick(2, 3);
        c.kernel_dilation[i] = pick(0, 2) ? 1 : pick(2, 3);
        c.lo[i] = pick(-1, 3);
        c.hi[i] = pick(-1, 3);
        int64_t span = (c.kernel[i] - 1) * c.kernel_dilation[i] + 1, padded;
        while ((padded = (c.in[i] - 1) * c.input_dilation[i] + 1 + c.lo[i] + c.hi[i]) < span)
            c.hi[i]++;
        c.out[i] = (padded - span) / c.strides[i] + 1;
    }
    any_axes(&c);
    bool ordered = c.type[0] != 'c';
    c.relu_before = ordered && pick(0, 2) == 0;
    c.bias = pick(0, 1);
    c.relu = ordered && pick(0, 1);
    return c;
}

/* ---- as JSON ---- */

struct text {
    char data[8192];
    size_t len;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t->len += (size_t)vsnprintf(t->data + t->len, sizeof t->data - t->len, fmt, ap);
    va_end(ap);
}

/* "name": the list, or the list in the order that `axes` puts it into. */
static void add_list(struct text *t, const char *name, const int64_t *list, const int64_t *axes,
                     int n)
{
    int64_t placed[MOST] = {0};
    for (int i = 0; i < n; i++)
        placed[axes ? axes[i] : i] = list[i];
    add(t, "\"%s\": [", name);
    for (int i = 0; i < n; i++)
        add(t, "%s%lld", i ? "," : "", (long long)placed[i]);
    add(t, "]");
}

static void add_out(struct text *t, const struct conv *c, const int64_t *dims, const int64_t *axes)
{
    add(t, "\"outs\": [{\"type\": \"%s\", ", c->type);
    add_list(t, "shape", dims, axes, dims ? c->rank : 0);
    add(t, "}]");
}

/* relu_before(input) * kernel + bias, relu */
static void graph_text(struct text *t, const struct conv *c)
{
    const int64_t *shapes[] = {c->in, c->kernel, &c->out[1]},
                  *axes[] = {c->in_axes, c->kernel_axes, NULL};
    int next = 4, at;
    add(t,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"conv\", \"entry\": 0, \"funcs\": [{\"params\": [");
    for (int i = 0; i < 3; i++) {
        add(t, "%s{\"type\": \"%s\", ", i ? ", " : "", c->type);
        add_list(t, "shape", shapes[i], axes[i], i < 2 ? c->rank : 1);
        add(t, "}");
    }
    add(t, "], \"nodes\": [");
    for (int i = 0; i < 3; i++) {
        add(t,
            "{\"id\": %d, \"op\": \"parameter\", \"ins\": [], \"attrs\": {\"index\": %d}, "
            "\"outs\": [{\"type\": \"%s\", ",
            i, i, c->type);
        add_list(t, "shape", shapes[i], axes[i], i < 2 ? c->rank : 1);
        add(t, "}]}, ");
    }
    add(t, "{\"id\": 3, \"op\": \"constant\", \"ins\": [], \"attrs\": {\"bits\": \"%0*d\"}, ",
        strcmp(c->type, "c128") == 0 ? 32
        : strstr(c->type, "64")      ? 16
        : strstr(c->type, "16")      ? 4
                                     : 8,
        0);
    add_out(t, c, c->relu_before ? c->in : c->out, c->relu_before ? c->in_axes : c->out_axes);
    add(t, "}");
    if (c->relu_before) {
        add(t, ", {\"id\": %d, \"op\": \"max\", \"ins\": [[0, 0], [3, 0]], \"attrs\": {}, ",
            next++);
        add_out(t, c, c->in, c->in_axes);
        add(t, "}");
    }
    add(t, ", {\"id\": %d, \"op\": \"conv\", \"ins\": [[%d, 0], [1, 0]], \"attrs\": {", next,
        c->relu_before ? 4 : 0);
    at = next++;
    add_list(t, "strides", c->strides + 2, NULL, c->rank - 2);
    add(t, ", ");
    add_list(t, "lo", c->lo + 2, NULL, c->rank - 2);
    add(t, ", ");
    add_list(t, "hi", c->hi + 2, NULL, c->rank - 2);
    add(t, ", ");
    add_list(t, "input_dilation", c->input_dilation + 2, NULL, c->rank - 2);
    add(t, ", ");
    add_list(t, "kernel_dilation", c->kernel_dilation + 2, NULL, c->rank - 2);
    add(t, ", ");
    add_list(t, "input_permutation", c->in_axes, NULL, c->rank);
    add(t, ", ");
    add_list(t, "kernel_permutation", c->kernel_axes, NULL, c->rank);
    add(t, ", ");
    add_list(t, "output_permutation", c->out_axes, NULL, c->rank);
    add(t, ", \"feature_groups\": %lld, \"batch_groups\": %lld}, ", (long long)c->features,
        (long long)c->batches);
    add_out(t, c, c->out, c->out_axes);
    add(t, "}");
    if (c->bias) {
        add(t,
            ", {\"id\": %d, \"op\": \"broadcast\", \"ins\": [[2, 0]], \"attrs\": {\"axes\": [%lld]}, ",
            next, (long long)c->out_axes[1]);
        add_out(t, c, c->out, c->out_axes);
        add(t, "}, {\"id\": %d, \"op\": \"add\", \"ins\": [[%d, 0], [%d, 0]], \"attrs\": {}, ",
            next + 1, at, next);
        add_out(t, c, c->out, c->out_axes);
        add(t, "}");
        at = next + 1;
        next += 2;
    }
    if (c->relu && !c->relu_before) {
        add(t, ", {\"id\": %d, \"op\": \"max\", \"ins\": [[%d, 0], [3, 0]], \"attrs\": {}, ", next,
            at);
        add_out(t, c, c->out, c->out_axes);
        add(t, "}");
        at = next++;
    }
    add(t, "], \"results\": [[%d, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
        at);
}

static void check_conv(struct e2e *e, const struct conv *c, uint64_t seed)
{
    static struct text t;
    char name[64];
    t.len = 0;
    snprintf(name, sizeof name, "%s conv, seed %llu",
             c->is_long    ? "long"
             : c->is_large ? "large"
                           : "small",
             (unsigned long long)seed);
    graph_text(&t, c);
    e2e_compare_json(e, name, t.data, 1, NULL, NULL,
                     1u << E2E_AS_TARGET | 1u << E2E_AS_GPU |
                         (c->is_large ? 0 : 1u << E2E_UNFUSED));
}

int main(int argc, char **argv)
{
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 4;
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (uint64_t i = 0; is_open && i < SMALL + LARGE + LONG; i++) {
        state = first + i;
        struct conv c = any_conv(i >= SMALL, i >= SMALL + LARGE);
        check_conv(&e, &c, first + i);
    }
    return e2e_close(&e);
}
