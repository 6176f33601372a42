/* What becomes of softmax between two products, for a GPU with matrix units: which graphs are one
   node `attend`, which stay as they are, and that it gives the same bits where the interpreter
   rounds in the same places. */
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "check.h"
#include "interp/interp.h"
#include "ir/ir.h"
#include "passes/passes.h"
#include "runtime/bundle.h"
#include "target/attend.h"
#include "target/tuning.h"

/* @ is the shape of the scores, % that without the last axis, # that of queries and keys, * of
   values; $ the type, and $c a small number of it. */
static const char plain[] = "n4 = multiply n3, n8 : $[@]\n";
static const char softmax[] = "n10 = reduce_max n4 axes=[=] keep=false : $[%]\n"
                              "n11 = broadcast n10 axes=[~] : $[@]\n"
                              "n12 = subtract n4, n11 : $[@]\n"
                              "n13 = exp n12 : $[@]\n"
                              "n14 = sum n13 axes=[=] keep=false : $[%]\n"
                              "n15 = broadcast n14 axes=[~] : $[@]\n"
                              "n16 = divide n13, n15 : $[@]\n";
static const char product[] = "n17 = dot n16, n2 contract_a=[=] batch_a=[^] contract_b=[/] "
                              "batch_b=[^] : $[*]\nreturn n17\n";
static const char both[] = "n17 = dot n16, n2 contract_a=[=] batch_a=[^] contract_b=[/] "
                           "batch_b=[^] : $[*]\nreturn n17, n16\n";

static const struct form {
    const char *name, *type;
    int64_t batch, m, n, d, width;
    bool heads; /* the batch has two axes, of which the first is 1 */
    const char *between, *rows, *end;
    bool becomes;
} forms[] = {
    {"plain", "f16", 4, 512, 512, 4, 3, false, plain, softmax, product, true},
    {"a batch of 1", "bf16", 4, 512, 512, 4, 3, true, plain, softmax, product, true},
    {"one matrix", "f16", 1, 1024, 1024, 3, 2, false, plain, softmax, product, true},
    {"causal", "f16", 4, 512, 512, 4, 3, false,
     "n5 = iota axis=1 : s32[@]\nn6 = iota axis=2 : s32[@]\nn7 = greater_equal n5, n6 : u8[@]\n"
     "n9 = constant bits=fc00 : $[@]\nn4 = select n7, n3, n9 : $[@]\n",
     softmax, product, true},
    {"the product twice", "f16", 4, 512, 512, 4, 3, false, "n4 = multiply n3, n3 : $[@]\n", softmax,
     product, true},
    {"few scores", "f16", 4, 511, 512, 4, 3, false, plain, softmax, product, false},
    {"few rows", "f16", 2048, 16, 64, 4, 3, false, plain, softmax, product, false},
    {"f32", "f32", 4, 512, 512, 4, 3, false, plain, softmax, product, false},
    {"f32, too large to store", "f32", 4, 32768, 32768, 4, 3, false, plain, softmax, product, true},
    {"wide queries", "f16", 4, 512, 512, 129, 3, false, plain, softmax, product, false},
    {"wide values", "f16", 4, 512, 512, 4, 129, false, plain, softmax, product, false},
    {"the weights are a result", "f16", 4, 512, 512, 4, 3, false, plain, softmax, both, false},
    {"the sum of something else", "f16", 4, 512, 512, 4, 3, false, plain,
     "n10 = reduce_max n4 axes=[=] keep=false : $[%]\nn11 = broadcast n10 axes=[~] : $[@]\n"
     "n12 = subtract n4, n11 : $[@]\nn13 = exp n12 : $[@]\n"
     "n14 = sum n4 axes=[=] keep=false : $[%]\nn15 = broadcast n14 axes=[~] : $[@]\n"
     "n16 = divide n13, n15 : $[@]\n",
     product, false},
    {"the greatest of something else", "f16", 4, 512, 512, 4, 3, false, plain,
     "n10 = reduce_max n3 axes=[=] keep=false : $[%]\nn11 = broadcast n10 axes=[~] : $[@]\n"
     "n12 = subtract n4, n11 : $[@]\nn13 = exp n12 : $[@]\n"
     "n14 = sum n13 axes=[=] keep=false : $[%]\nn15 = broadcast n14 axes=[~] : $[@]\n"
     "n16 = divide n13, n15 : $[@]\n",
     product, false},
    {"along the other axis", "f16", 4, 512, 512, 4, 3, false, plain,
     "n10 = reduce_max n4 axes=[1] keep=false : $[%]\nn11 = broadcast n10 axes=[0,2] : $[@]\n"
     "n12 = subtract n4, n11 : $[@]\nn13 = exp n12 : $[@]\n"
     "n14 = sum n13 axes=[1] keep=false : $[%]\nn15 = broadcast n14 axes=[0,2] : $[@]\n"
     "n16 = divide n13, n15 : $[@]\n",
     product, false},
    {"more steps than are looked through", "f16", 4, 512, 512, 4, 3, false,
     "n20 = tanh n3 : $[@]\nn21 = multiply n20, n20 : $[@]\nn22 = multiply n21, n20 : $[@]\n"
     "n23 = multiply n22, n21 : $[@]\nn24 = multiply n23, n22 : $[@]\nn25 = multiply n24, n23 : "
     "$[@]\nn26 = multiply n25, n24 : $[@]\nn27 = multiply n26, n25 : $[@]\nn4 = multiply n27, n26 "
     ": $[@]\n",
     softmax, product, false},
};

static void put(struct str *out, const struct form *f, const char *text)
{
    const char *lead = f->heads ? "1," : "";
    long long b = f->batch, m = f->m, n = f->n;
    for (; *text; text++)
        switch (*text) {
        case '$': str_add(out, f->type); break;
        case '@': str_printf(out, "%s%lld,%lld,%lld", lead, b, m, n); break;
        case '%': str_printf(out, "%s%lld,%lld", lead, b, m); break;
        case '*': str_printf(out, "%s%lld,%lld,%lld", lead, b, m, (long long)f->width); break;
        case '=': /* the last axis, after an opening bracket */
            str_add(out, text[-1] != '[' ? "=" : f->heads ? "3" : "2");
            break;
        case '/': str_add(out, f->heads ? "2" : "1"); break;
        case '~': str_add(out, f->heads ? "0,1,2" : "0,1"); break;
        case '^': str_add(out, f->heads ? "0,1" : "0"); break;
        default: str_printf(out, "%c", *text);
        }
}

static const char *text_of(struct arena *a, const struct form *f)
{
    const char *lead = f->heads ? "1," : "", *t = f->type;
    bool is_short = strcmp(t, "f32") != 0;
    long long b = f->batch, m = f->m, n = f->n, d = f->d, width = f->width;
    struct str s;
    str_init(&s, a);
    str_printf(&s,
               "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[%s%lld,%lld,%lld], "
               "%s[%s%lld,%lld,%lld], %s[%s%lld,%lld,%lld]) {\n"
               "n0 = parameter index=0 : %s[%s%lld,%lld,%lld]\n"
               "n1 = parameter index=1 : %s[%s%lld,%lld,%lld]\n"
               "n2 = parameter index=2 : %s[%s%lld,%lld,%lld]\n",
               t, lead, b, m, d, t, lead, b, n, d, t, lead, b, n, width, t, lead, b, m, d, t, lead,
               b, n, d, t, lead, b, n, width);
    put(&s, f, "n3 = dot n0, n1 contract_a=[=] batch_a=[^] contract_b=[=] batch_b=[^] : $[@]\n");
    str_printf(&s, "n8 = constant bits=%s", is_short ? "3800" : "38000000");
    put(&s, f, " : $[@]\n");
    put(&s, f, f->between);
    put(&s, f, f->rows);
    put(&s, f, f->end);
    str_add(&s, "}\n");
    return str_text(&s);
}

static uint32_t count(const struct graph *g, enum op op)
{
    uint32_t n = 0;
    for (node_id i = 0; i < g->funcs[g->entry].nnodes; i++)
        n += g->funcs[g->entry].nodes[i].op == op;
    return n;
}

static void fill(struct arena *a, const struct graph *g, struct array *in)
{
    uint64_t random = 7;
    for (uint32_t i = 0; i < 3; i++) {
        in[i] = (struct array){g->funcs[0].params[i],
                               ARENA_ARRAY(a, char, tensor_bytes(&g->funcs[0].params[i]))};
        for (int64_t k = 0; k < shape_size(&in[i].tensor.shape); k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint64_t bits = num_float_encode(in[i].tensor.type, (double)(int64_t)random * 0x1p-62);
            memcpy((char *)in[i].data + 2 * k, &bits, 2);
        }
    }
}

static void check_form(const struct form *f, const struct vkc_target *target)
{
    struct arena a;
    struct graph g, made;
    struct diag d = {0};
    const struct pass_options o = {.target = target, .roundtrip = true};
    if (!check_wanted(f->name))
        return;
    arena_init(&a, 0);
    const char *text = text_of(&a, f);
    bool ok = ir_parse(&a, text, strlen(text), &g, &d) &&
              ir_parse(&a, text, strlen(text), &made, &d) && ir_verify(&g, &d) &&
              passes_run(&made, &o, &d);
    CHECK(ok, "%s: %s", f->name, d.message);
    if (ok) {
        CHECK(count(&made, OP_ATTEND) == f->becomes && count(&made, OP_SCORES) == f->becomes &&
                  count(&made, OP_DOT) == (f->becomes ? 0 : 2),
              "%s: %u attend, %u scores, %u dot", f->name, count(&made, OP_ATTEND),
              count(&made, OP_SCORES), count(&made, OP_DOT));
        struct array in[3], before[2], after[2];
        if (f->becomes && f->batch * f->m * f->n <= 1 << 21) {
            fill(&a, &g, in);
            ok = interp_run(&g, 0, &a, in, before, &d) && interp_run(&made, 0, &a, in, after, &d);
            CHECK(ok && !memcmp(before[0].data, after[0].data, tensor_bytes(&before[0].tensor)),
                  "%s: other bits %s", f->name, d.message);
        }
    }
    arena_finish(&a);
}

/* The first way that a device has room and work for, by its limits: 16 x 16 matrices, rows of
   subgroups' blocks, shared memory for the rows and a tile. */
static void check_ways(const struct vkc_target *target)
{
    static const int64_t widths[] = {1, 16, 17, 64, 65, 128, 129};
    enum { WIDTHS = sizeof widths / sizeof *widths, PROCESSORS = 10, EIGHTS = 8 };
    struct vkc_target t = *target;
    struct tuning tuning;
    struct attend_way w;
    tuning_of(&t, &tuning);
    t.units = PROCESSORS;
    t.subgroup_size = 32;
    t.max_invocations = 1024;
    t.max_shared_bytes = 1 << 20;
    for (uint32_t i = 0; i < WIDTHS * WIDTHS * 2; i++) {
        int64_t few = i / WIDTHS / WIDTHS, wide = widths[i % WIDTHS],
                deep = widths[i / WIDTHS % WIDTHS];
        struct attend_work work = {TYPE_F16, 1, 128 * (EIGHTS * PROCESSORS - few), deep, wide};
        bool ok = attend_way_of(&t, &tuning, &work, &w), large = deep > 64 || wide > 64;
        CHECK(ok == (deep <= 128 && wide <= 128), "queries of %d, values of %d: %d", (int)deep,
              (int)wide, ok);
        if (!ok)
            continue;
        uint32_t keys = matrix_pitch(attend_padded(deep, 16)),
                 values = matrix_pitch(attend_padded(wide, 16)),
                 row = keys > attend_pitch() ? keys : attend_pitch();
        CHECK(w.blocks == (large || few ? 1 : 2) && w.subgroups == (large || few ? 8 : 4) &&
                  w.rows == 128,
              "queries of %d, values of %d: %u subgroups of %u blocks", (int)deep, (int)wide,
              w.subgroups, w.blocks);
        CHECK(w.row_vectors == row && w.tile_vectors == 32 * (keys > values ? keys : values) &&
                  w.shared_bytes ==
                      16 * (w.tile_vectors + w.rows * w.row_vectors) + 4 * 32 * w.subgroups,
              "queries of %d, values of %d: %u bytes", (int)deep, (int)wide, w.shared_bytes);
        /* with less of anything another way, or none */
        struct attend_way other;
        struct vkc_target less = t;
        less.max_shared_bytes = w.shared_bytes;
        CHECK(attend_way_of(&less, &tuning, &work, &other) && other.shared_bytes == w.shared_bytes,
              "%u bytes are not enough", w.shared_bytes);
        less.max_shared_bytes--;
        CHECK(!attend_way_of(&less, &tuning, &work, &other) || other.shared_bytes < w.shared_bytes,
              "more than %u bytes", less.max_shared_bytes);
        for (uint32_t n = 1; n <= 8; n *= 2) {
            less = t;
            less.max_invocations = 32 * n;
            ok = attend_way_of(&less, &tuning, &work, &other);
            CHECK(ok == (n > 1) && (!ok || other.subgroups <= n), "%u subgroups of at most %u",
                  other.subgroups, n);
        }
    }
    for (uint32_t lanes = 0; lanes <= 8; lanes = lanes ? 2 * lanes : 1) {
        struct attend_work work = {TYPE_F16, 4, 512, 64, 64};
        t.subgroup_size = lanes; /* fewer than rows of a matrix */
        CHECK(!attend_way_of(&t, &tuning, &work, &w), "a subgroup of %u", lanes);
    }
}

int main(void)
{
    struct vkc_target target;
    CHECK(vkc_target_named("nvidia", &target), "no profile");
    check_ways(&target);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_form(&forms[i], &target);
    /* nor where there are no matrix units, or one kernel for each node is asked for */
    struct vkc_target without = target;
    without.matrices = 0;
    struct form f = forms[0];
    f.becomes = false;
    check_form(&f, &without);
    /* where no buffer holds the scores, it is one node at any size that does not fit */
    struct vkc_target small = without;
    small.max_binding_bytes = 1 << 27;
    small.features &= ~(uint32_t)VKB_FEATURE_ADDRESSES;
    check_form(&(struct form){"scores of 128 MiB", "f32", 1, 4096, 8192, 4, 3, false, plain,
                              softmax, product, false},
               &small);
    check_form(&(struct form){"scores of more than 128 MiB", "f32", 1, 4096, 8193, 4, 3, false,
                              plain, softmax, product, true},
               &small);
    check_form(&(struct form){"as many scores as are counted", "bf16", 4, 32768, 32760, 200, 3,
                              false, plain, softmax, product, false},
               &target);
    check_form(&(struct form){"more scores than are counted", "bf16", 4, 32768, 32761, 200, 3,
                              false, plain, softmax, product, true},
               &target);
    /* where nothing is gained but memory, from the bytes on that the tuning names */
    struct tuning tuning;
    tuning_of(&without, &tuning);
    int64_t rows = (int64_t)(tuning.attend_bytes / (4 * 4096));
    CHECK(tuning.attend_bytes == 4 * 4096 * (int64_t)rows, "no whole rows");
    for (int64_t less = 0; less < 2; less++)
        check_form(&(struct form){less ? "fewer bytes of scores" : "many bytes of scores", "f32", 1,
                                  rows - less, 4096, 4, 3, false, plain, softmax, product, !less},
                   &without);
    return check_report();
}
