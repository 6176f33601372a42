/* Products on matrices of a whole workgroup: which products have such a body, that every other one
   keeps its bodies, and what the code of such a body holds. Its results are those of a device that
   has such matrices: no imitation has. */
#include <stdio.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "../front/check.h"
#include "vkc.h"

enum {
    OP_CALL = 57,
    OP_TYPE_MATRIX = 4456,
    OP_LOAD = 4457,
    OP_STORE = 4458,
    OP_MULTIPLY_ADD = 4459,
    OP_PER_ELEMENT = 5369,
    OP_FUNCTION = 54,
    SCOPE_WORKGROUP = 2
};

struct product {
    const char *name, *params, *nodes;
    bool has_group;   /* a body on matrices of a workgroup */
    bool is_finished; /* which calls a function for each element */
    bool is_general;  /* for a target without such matrices */
};

#define F16_2048 "f16[2048,2048], f16[2048,2048]"
#define IN(t, a, b) "n0 = parameter index=0 : " t a "\nn1 = parameter index=1 : " t b "\n"
#define IN_2048 IN("f16", "[2048,2048]", "[2048,2048]")
#define DOT(a, b) "n2 = dot n0, n1 contract_a=[" a "] batch_a=[] contract_b=[" b "] batch_b=[] : "

#define F16_WIDE "f16[2048,2064], f16[2048,2048]"
#define IN_WIDE(columns, first)                    \
    IN("f16", "[2048," columns "]", "[2048,2048]") \
    "n3 = slice n0 starts=[0," first "] lengths=[2048,2048] strides=[1,1] : f16[2048,2048]\n"
#define DOT_WIDE                                                                             \
    "n2 = dot n3, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f16[2048,2048]\n" \
    "return n2"

static const struct product products[] = {
    {"f16", F16_2048, IN_2048 DOT("1", "0") "f16[2048,2048]\nreturn n2", true, false, false},
    {"without such matrices", F16_2048, IN_2048 DOT("1", "0") "f16[2048,2048]\nreturn n2", false,
     false, true},
    {"right along k", F16_2048, IN_2048 DOT("1", "1") "f16[2048,2048]\nreturn n2", true, false,
     false},
    {"both turned", F16_2048, IN_2048 DOT("0", "1") "f16[2048,2048]\nreturn n2", true, false,
     false},
    {"left along m", F16_2048, IN_2048 DOT("0", "0") "f16[2048,2048]\nreturn n2", false, false,
     false},
    {"bf16 is rounded by a function", "bf16[2048,2048], bf16[2048,2048]",
     IN("bf16", "[2048,2048]", "[2048,2048]") DOT("1", "0") "bf16[2048,2048]\nreturn n2", true,
     true, false},
    {"f32", "f32[2048,2048], f32[2048,2048]",
     IN("f32", "[2048,2048]", "[2048,2048]") DOT("1", "0") "f32[2048,2048]\nreturn n2", false,
     false, false},
    {"bias and relu", F16_2048 ", f16[2048]",
     IN_2048 DOT("1", "0") "f16[2048,2048]\n"
                           "n3 = parameter index=2 : f16[2048]\n"
                           "n4 = broadcast n3 axes=[1] : f16[2048,2048]\n"
                           "n5 = add n2, n4 : f16[2048,2048]\n"
                           "n6 = constant bits=0000 : f16[]\n"
                           "n7 = broadcast n6 axes=[] : f16[2048,2048]\n"
                           "n8 = max n5, n7 : f16[2048,2048]\nreturn n8",
     true, true, false},
    {"a batch", "f16[8,1024,1024], f16[8,1024,1024]",
     IN("f16", "[8,1024,1024]", "[8,1024,1024]") "n2 = dot n0, n1 contract_a=[2] batch_a=[0] "
                                                 "contract_b=[1] batch_b=[0] : f16[8,1024,1024]\n"
                                                 "n3 = negate n2 : f16[8,1024,1024]\nreturn n3",
     true, true, false},
    {"a result of another type", F16_2048,
     IN_2048 DOT("1", "0") "f16[2048,2048]\nn3 = as_type n2 : f32[2048,2048]\nreturn n3", false,
     false, false},
    {"two results", F16_2048,
     IN_2048 DOT("1", "0") "f16[2048,2048]\nn3 = negate n2 : f16[2048,2048]\nreturn n2, n3", false,
     false, false},
    {"a computed operand", F16_2048,
     IN_2048 "n3 = negate n0 : f16[2048,2048]\n"
             "n2 = dot n3, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : "
             "f16[2048,2048]\nreturn n2",
     false, false, false},
    /* a line of memory, and what of it is read, begin with a vector of eight */
    {"from the ninth column on", F16_WIDE, IN_WIDE("2064", "8") DOT_WIDE, true, false, false},
    {"from the fifth column on", F16_WIDE, IN_WIDE("2064", "4") DOT_WIDE, false, false, false},
    {"lines of 2052", "f16[2048,2052], f16[2048,2048]", IN_WIDE("2052", "0") DOT_WIDE, false, false,
     false},
    {"turned results", F16_2048,
     IN_2048 DOT("1", "0") "f16[2048,2048]\nn3 = transpose n2 axes=[1,0] : f16[2048,2048]\n"
                           "return n3",
     true, false, false},
    {"too few tiles", "f16[1024,2048], f16[2048,2048]",
     IN("f16", "[1024,2048]", "[2048,2048]") DOT("1", "0") "f16[1024,2048]\nreturn n2", false,
     false, false},
    {"rows left over", "f16[2056,2048], f16[2048,2048]",
     IN("f16", "[2056,2048]", "[2048,2048]") DOT("1", "0") "f16[2056,2048]\nreturn n2", false,
     false, false},
    {"columns left over", "f16[2048,2048], f16[2048,2176]",
     IN("f16", "[2048,2048]", "[2048,2176]") DOT("1", "0") "f16[2048,2176]\nreturn n2", false,
     false, false},
    {"k left over", "f16[2048,1000], f16[1000,2048]",
     IN("f16", "[2048,1000]", "[1000,2048]") DOT("1", "0") "f16[2048,2048]\nreturn n2", false,
     false, false},
};

static bool is_group(uint32_t matrix)
{
    return matrix == VKB_MATRIX_F16_GROUP || matrix == VKB_MATRIX_BF16_GROUP;
}

/* Of so many instructions; the types of matrices are a workgroup's. */
static uint32_t count(const uint32_t *w, uint32_t n, uint32_t op)
{
    uint32_t found = 0;
    for (uint32_t at = 5; at < n; at += w[at] >> 16)
        found += (w[at] & 0xffff) == op;
    return found;
}

/* The operand of the instruction that calls a function for each element is one. */
static bool has_function(const uint32_t *w, uint32_t n)
{
    uint32_t function = 0;
    for (uint32_t at = 5; at < n; at += w[at] >> 16)
        function = (w[at] & 0xffff) == OP_PER_ELEMENT ? w[at + 4] : function;
    for (uint32_t at = 5; at < n; at += w[at] >> 16)
        if ((w[at] & 0xffff) == OP_FUNCTION && w[at + 2] == function)
            return true;
    return false;
}

static uint32_t constant(const uint32_t *w, uint32_t n, uint32_t id)
{
    for (uint32_t at = 5; at < n; at += w[at] >> 16)
        if (w[at] == (4u << 16 | 43) && w[at + 2] == id)
            return w[at + 3];
    return 0;
}

static void check_code(struct check *c, const struct product *p, const struct vkb_view *v,
                       const struct vkb_body *b)
{
    const uint32_t *w = v->spirv + b->spirv_first, n = b->spirv_count;
    check_that(c,
               count(w, n, OP_LOAD) == 2 && count(w, n, OP_STORE) == 1 &&
                   count(w, n, OP_MULTIPLY_ADD) == 1 && count(w, n, OP_TYPE_MATRIX) == 4,
               "%s: not two loads, a product and a store", p->name);
    for (uint32_t at = 5; at < n; at += w[at] >> 16)
        if ((w[at] & 0xffff) == OP_TYPE_MATRIX)
            check_that(c, constant(w, n, w[at + 3]) == SCOPE_WORKGROUP,
                       "%s: a matrix that is not a workgroup's", p->name);
    check_that(c, count(w, n, OP_PER_ELEMENT) == p->is_finished, "%s: %s for each element", p->name,
               p->is_finished ? "no function" : "a function");
    check_that(c, !p->is_finished || has_function(w, n), "%s: the function is none", p->name);
    check_that(c, b->local_size[0] == 256 && !b->shared_bytes, "%s: %u threads, %u shared bytes",
               p->name, b->local_size[0], b->shared_bytes);
}

/* A body of a workgroup's matrices stands before all others, which are those of any product: on
   matrices of a subgroup, and without. */
static void check_product(struct check *c, const struct product *p)
{
    char text[2048], error[256] = "";
    struct vkc_target target;
    struct vkc_result r;
    struct vkb_view v;
    if (!check_wanted(c, p->name))
        return;
    snprintf(text, sizeof text, "graph \"d\" entry=f0 callbacks=0\nfunc f0(%s) {\n%s\n}\n",
             p->params, p->nodes);
    if (!check_that(c, vkc_target_named("nvidia", &target), "no profile"))
        return;
    if (p->is_general)
        target.matrices &= ~(1u << VKB_MATRIX_F16_GROUP | 1u << VKB_MATRIX_BF16_GROUP);
    const struct vkc_options options = {
        .target = &target, .text_ir = true, .no_cache = true, .threads = 1};
    bool ok = vkc_compile(text, strlen(text), NULL, 0, &options, &r) &&
              bundle_open(r.bundle, r.bundle_size, &v, error, sizeof error);
    if (check_that(c, ok && v.nkernels == 1, "%s: %s%s", p->name, r.error.message, error)) {
        uint32_t bodies = v.kernels[0].nbodies, of_group = 0, of_subgroup = 0;
        for (uint32_t i = 0; i < bodies; i++) {
            const struct vkb_body *b = vkb_body_of(&v, 0, i);
            for (uint32_t k = 0; k < b->nneeds; k++) {
                const struct vkb_need *need = &v.needs[b->first_need + k];
                if (need->kind != VKB_NEED_MATRIX)
                    continue;
                of_subgroup += !is_group(need->value[0]);
                of_group += is_group(need->value[0]);
                if (is_group(need->value[0])) {
                    check_that(c, i == 0, "%s: such a body is number %u", p->name, i);
                    check_code(c, p, &v, b);
                }
            }
        }
        check_that(c, of_group == p->has_group, "%s: %u bodies on a workgroup's matrices", p->name,
                   of_group);
        check_that(c, of_subgroup == 1 && bodies == 2 + of_group,
                   "%s: %u bodies, %u on a subgroup's matrices", p->name, bodies, of_subgroup);
    }
    vkc_result_free(&r);
}

int main(void)
{
    struct check check = {0};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        check_product(&check, &products[i]);
    return check_finish(&check);
}
