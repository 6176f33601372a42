/* What random programs found drivers to get wrong, or to be free to: each in the smallest graph
   that shows it on such a device, compared with the interpreter in every variant. On other devices
   they pass without what was done about it; which is why the text of the kernels is looked at,
   too. */
#include <stdlib.h>
#include <string.h>

#include "e2e.h"
#include "ir/ir.h"

static void compare(struct e2e *e, const char *name, const char *text, e2e_fill_fn *fill)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    uint64_t random = 7;
    d = (struct diag){0};
    arena_init(&a, 0);
    if (check_wanted(&e->check, name) &&
        check_that(&e->check, ir_parse(&a, text, strlen(text), &g, &d), "%s: %s", name,
                   d.message)) {
        const struct array *inputs = e2e_inputs(e, &a, &g.funcs[g.entry], 0, fill, NULL, &random);
        if (inputs)
            e2e_compare(e, name, text, strlen(text), &g, &inputs, 1, (1u << E2E_VARIANTS) - 1);
    }
    arena_finish(&a);
}

/* Whether the kernels' text has the word, as for the profile. */
static bool text_has(struct e2e *e, const char *text, const char *profile, const char *word)
{
    struct vkc_target target;
    struct vkc_result r = {0};
    if (!check_that(&e->check, vkc_target_named(profile, &target), "no profile %s", profile))
        return false;
    const struct vkc_options options = {.target = &target,
                                        .text_ir = true,
                                        .no_cache = true,
                                        .want_glsl = true,
                                        .no_bundle = true,
                                        .threads = 1};
    bool ok = vkc_compile(text, strlen(text), NULL, 0, &options, &r);
    bool found =
        check_that(&e->check, ok, "%s", r.error.message) && r.glsl && strstr(r.glsl, word) != NULL;
    vkc_result_free(&r);
    return found;
}

/* NVIDIA's driver 580.159 makes one instruction of three on Hopper, VIMNMX3, in which it forgets
   the sign of the second operand: max(max(x, -y), -z) was max(x, y, -z). */
static void check_negated(struct e2e *e)
{
    static const char *const types[] = {"s32", "u32", "s16", "s8", "s64", "u64"};
    static const char *const ops[] = {"max", "min"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < 2; o++) {
            char text[1024], name[64];
            const char *type = types[t], *op = ops[o];
            snprintf(text, sizeof text,
                     "graph \"n\" entry=f0 callbacks=0\n"
                     "func f0(%s[9,40], %s[40], %s[40], %s[40]) {\n"
                     "  n0 = parameter index=0 : %s[9,40]\n  n1 = parameter index=1 : %s[40]\n"
                     "  n2 = parameter index=2 : %s[40]\n  n3 = parameter index=3 : %s[40]\n"
                     "  n4 = negate n0 : %s[9,40]\n  n5 = reduce_%s n4 axes=[0] keep=false : "
                     "%s[40]\n  n6 = negate n1 : %s[40]\n  n7 = negate n2 : %s[40]\n"
                     "  n8 = negate n3 : %s[40]\n  n9 = %s n6, n7 : %s[40]\n"
                     "  n10 = %s n9, n8 : %s[40]\n  return n5, n10\n}\n",
                     type, type, type, type, type, type, type, type, type, op, type, type, type,
                     type, op, type, op, type);
            snprintf(name, sizeof name, "%s of three negated %s", op, type);
            compare(e, name, text, NULL);
            if (!check_wanted(&e->check, name))
                continue;
            bool is_32 = strstr(type, "32");
            check_that(&e->check,
                       !is_32 || (text_has(e, text, "nvidia", "(gl_WorkGroupID.z) - n") &&
                                  !text_has(e, text, "nvidia", "= -n")),
                       "%s: the driver sees the signs", name);
        }
}

/* The same of what becomes a sign in the driver: the lower half of a negated number of 64 bits, a
   product with -1, a complement and 1. */
static void check_signs(struct e2e *e)
{
    static const struct {
        const char *name, *type, *steps;
    } forms[] = {{"the lower half of -x", "u64",
                  "n6 = negate n0 : u64[9,40]\n  n1 = as_type n6 : s32[9,40]\n"},
                 {"the lower half of -x, signed", "s64",
                  "n6 = negate n0 : s64[9,40]\n  n1 = as_type n6 : s32[9,40]\n"},
                 {"x times -1", "s32",
                  "n6 = constant bits=ffffffff : s32[9,40]\n  n1 = multiply n0, n6 : s32[9,40]\n"},
                 {"0 less x", "s32",
                  "n6 = constant bits=00000000 : s32[9,40]\n  n1 = subtract n6, n0 : s32[9,40]\n"},
                 {"not x and 1 more", "s32",
                  "n6 = bitwise_not n0 : s32[9,40]\n  n7 = constant bits=00000001 : s32[9,40]\n"
                  "  n1 = add n6, n7 : s32[9,40]\n"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[1024], name[64];
        snprintf(text, sizeof text,
                 "graph \"n\" entry=f0 callbacks=0\nfunc f0(%s[9,40]) {\n"
                 "  n0 = parameter index=0 : %s[9,40]\n  %s"
                 "  n2 = reduce_max n1 axes=[0] keep=false : s32[40]\n"
                 "  n3 = reduce_min n1 axes=[0] keep=false : s32[40]\n  return n2, n3\n}\n",
                 forms[i].type, forms[i].type, forms[i].steps);
        snprintf(name, sizeof name, "max of %s", forms[i].name);
        compare(e, name, text, NULL);
    }
}

/* A row that does not end with its array: of the vector in which the array ends NVIDIA's driver
   loads nothing. */
static void check_ends(struct e2e *e)
{
    static const char *const types[] = {"s32", "f32", "s64", "f64"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int n = 49341; n <= 49343; n++) {
            char text[1024], name[64];
            snprintf(text, sizeof text,
                     "graph \"s\" entry=f0 callbacks=0\nfunc f0(%s[%d]) {\n"
                     "  n0 = parameter index=0 : %s[%d]\n"
                     "  n1 = reduce_max n0 axes=[0] keep=false : %s[]\n"
                     "  n2 = sum n0 axes=[0] keep=false : %s[]\n  return n1, n2\n}\n",
                     types[t], n, types[t], n, types[t], types[t]);
            snprintf(name, sizeof name, "sum of %s[%d]", types[t], n);
            compare(e, name, text, NULL);
        }
}

/* A loop whose kernels write what they read, in elements narrower than a word, which takes two
   atomics: without Aliased, and with NonWritable, the first of them came before the load. */
static void check_in_place(struct e2e *e)
{
    static const char *const types[] = {"s4", "u8", "s16", "bf16", "s32", "f64"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int n = 1; n <= 33; n += 32) {
            char text[1024], name[64];
            const char *type = types[t];
            snprintf(text, sizeof text,
                     "graph \"w\" entry=f0 callbacks=0\nfunc f0(%s[%d], s32[]) {\n"
                     "  n0 = parameter index=0 : %s[%d]\n  n1 = parameter index=1 : s32[]\n"
                     "  n2 = while n0, n1 regions=[f1,f2] : %s[%d], s32[]\n  return n2.0\n}\n"
                     "func f1(%s[%d], s32[]) {\n  n0 = parameter index=1 : s32[]\n"
                     "  n1 = constant bits=00000003 : s32[]\n  n2 = less n0, n1 : u8[]\n"
                     "  return n2\n}\n"
                     "func f2(%s[%d], s32[]) {\n  n0 = parameter index=0 : %s[%d]\n"
                     "  n1 = parameter index=1 : s32[]\n"
                     "  n2 = window_sum n0 window=[1] strides=[1] lo=[0] hi=[0] dilations=[1] : "
                     "%s[%d]\n  n3 = constant bits=00000001 : s32[]\n"
                     "  n4 = add n1, n3 : s32[]\n  return n2, n4\n}\n",
                     type, n, type, n, type, n, type, n, type, n, type, n, type, n);
            snprintf(name, sizeof name, "a loop in place, of %s[%d]", type, n);
            compare(e, name, text, NULL);
        }
}

static void fill_subnormal(const void *context, const struct array *x, uint32_t input, uint32_t set,
                           uint64_t *random)
{
    static const uint32_t bits[] = {1,          0x80000001, 0x7fffff,   0x807fffff, 0x800000,
                                    0x80800000, 0,          0x80000000, 0x3f800000, 0x400000};
    uint32_t *words = x->data;
    int64_t n = shape_size(&x->tensor.shape) * (x->tensor.type == TYPE_C64 ? 2 : 1);
    (void)context, (void)input, (void)set, (void)random;
    for (int64_t i = 0; i < n; i++)
        words[i] = bits[i % 10];
}

/* A device that takes subnormal numbers for 0 in comparisons does so in conversions to f64. */
static void check_subnormal(struct e2e *e)
{
    static const char text[] =
        "graph \"s\" entry=f0 callbacks=0\nfunc f0(f32[40], c64[20]) {\n"
        "  n0 = parameter index=0 : f32[40]\n  n1 = parameter index=1 : c64[20]\n"
        "  n2 = as_type n0 : f64[40]\n  n3 = as_type n0 : c128[40]\n  n4 = as_type n1 : c128[20]\n"
        "  return n2, n3, n4\n}\n";
    compare(e, "subnormal numbers to f64", text, fill_subnormal);
    check_that(&e->check,
               text_has(e, text, "nvidia", "nx_to_double(n0)") &&
                   !text_has(e, text, "nvidia", "= double(n0)"),
               "subnormal numbers to f64: by an instruction that flushes them");
}

static void fill_ones(const void *context, const struct array *x, uint32_t input, uint32_t set,
                      uint64_t *random)
{
    if (input == 0) {
        fill_subnormal(context, x, input, set, random);
        return;
    }
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++)
        ((float *)x->data)[i] = i % 2 == 0;
}

/* Sums of products are never -0, which is seen to without a comparison. */
static void check_subnormal_dot(struct e2e *e)
{
    static const int columns[] = {1, 33};
    for (size_t i = 0; i < 2; i++) {
        char text[512], name[64];
        int n = columns[i];
        snprintf(text, sizeof text,
                 "graph \"s\" entry=f0 callbacks=0\nfunc f0(f32[35,2], f32[2,%d]) {\n"
                 "  n0 = parameter index=0 : f32[35,2]\n  n1 = parameter index=1 : f32[2,%d]\n"
                 "  n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : "
                 "f32[35,%d]\n  return n2\n}\n",
                 n, n, n);
        snprintf(name, sizeof name, "a subnormal dot in %d columns", n);
        compare(e, name, text, fill_ones);
        check_that(&e->check,
                   !text_has(e, text, "nvidia", "== 0.0 ?") &&
                       text_has(e, text, "nvidia", "+ NX_ZERO; // dot"),
                   "%s: a comparison decides", name);
    }
}

int main(void)
{
    static struct e2e e;
    if (e2e_open(&e)) {
        e.text_ir = true;
        check_negated(&e);
        check_signs(&e);
        check_ends(&e);
        check_in_place(&e);
        check_subnormal(&e);
        check_subnormal_dot(&e);
    }
    return e2e_close(&e);
}
