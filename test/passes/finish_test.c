/* What becomes of SPIR-V after glslang (pack/finish.h): every type is declared once, and before
   what uses it, and a module that is not whole is refused, or passed on, with nothing read outside
   of it (which SAN=1 sees). */
#include "pack/finish.h"

#include <stdlib.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "../front/check.h"
#include "vkc.h"

enum {
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_CALL = 57,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_TYPE_MATRIX = 4456,
    OP_PER_ELEMENT = 5369
};
enum { F16 = 16, BF16 = 17, F32 = 32, BOUND = 60, MOST_WORDS = 200 };

#define INST(op, n) ((n) << 16 | (op))

struct module {
    uint32_t words[MOST_WORDS], n;
};

static void add(struct module *m, const uint32_t *words, uint32_t n)
{
    memcpy(m->words + m->n, words, n * sizeof *words);
    m->n += n;
}
#define ADD(m, ...) \
    add(m, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* As glslang begins one. */
static struct module begun(void)
{
    struct module m = {{0}, 0};
    ADD(&m, 0x07230203, 0x00010300, 0, BOUND, 0);
    ADD(&m, INST(OP_CAPABILITY, 2), 1, INST(OP_MEMORY_MODEL, 3), 0, 3);
    ADD(&m, INST(OP_ENTRY_POINT, 5), 5, 4, 0x6e69616d, 0);
    ADD(&m, INST(OP_TYPE_VOID, 2), 2, INST(OP_TYPE_INT, 4), 6, 32, 0);
    return m;
}

/* ---- modules ---- */

/* The same words in memory of their own, so that a word beyond them is not theirs. */
static uint32_t finish_aliased(const uint32_t *words, uint32_t n, uint32_t features,
                               uint64_t aliased, uint32_t *out)
{
    uint32_t used = 0, *own = malloc(n * sizeof *own + 1);
    if (!own)
        return 0;
    memcpy(own, words, n * sizeof *own);
    uint32_t made = spirv_finish(own, n, features, ~0u, aliased, out, &used);
    free(own);
    return made;
}

static uint32_t finish(const uint32_t *words, uint32_t n, uint32_t features, uint32_t *out)
{
    return finish_aliased(words, n, features, 0, out);
}

struct declared {
    uint32_t ids, floats[3]; /* of 16 and 32 bits, and bf16: how many */
    uint32_t matrices;
};

/* Types and constants: each id once, operands before their users, each float type once. */
static bool check_types(struct check *c, const char *name, const uint32_t *w, uint32_t n,
                        struct declared *out)
{
    uint32_t bound = n > 3 ? w[3] : 0;
    uint32_t *by = calloc((size_t)bound + 1, sizeof *by); /* the instruction that declares an id */
    bool ok = by != NULL;
    *out = (struct declared){0};
    for (uint32_t at = 5; ok && at < n; at += w[at] >> 16) {
        uint32_t op = w[at] & 0xffff, len = w[at] >> 16;
        bool is_type = (op >= OP_TYPE_VOID && op < OP_TYPE_POINTER) || op == OP_TYPE_MATRIX;
        ok = check_that(c, len && len <= n - at, "%s: word %u is no instruction", name, at);
        if (!ok || (!is_type && op != OP_CONSTANT))
            continue;
        uint32_t id = w[at + (op == OP_CONSTANT ? 2 : 1)];
        ok = check_that(c, id && id < bound && !by[id], "%s: %u is declared twice, or beyond %u",
                        name, id, bound);
        if (!ok)
            break;
        by[id] = at;
        if (op == OP_CONSTANT)
            ok = check_that(c, w[at + 1] < bound && by[w[at + 1]], "%s: %u has no type", name, id);
        if (op == OP_TYPE_FLOAT)
            out->floats[len > 3 ? 2 : w[at + 2] == 32]++;
        for (uint32_t k = 2; ok && op == OP_TYPE_MATRIX && k < len; k++)
            ok = check_that(c,
                            w[at + k] < bound && by[w[at + k]] &&
                                (w[by[w[at + k]]] & 0xffff) ==
                                    (k == 2 ? OP_TYPE_FLOAT : OP_CONSTANT),
                            "%s: operand %u of matrix type %u is not declared before", name, k, id);
        out->matrices += op == OP_TYPE_MATRIX;
    }
    free(by);
    for (int k = 0; ok && k < 3; k++)
        ok = check_that(c, out->floats[k] <= 1, "%s: a float type is declared twice", name);
    return ok;
}

static void add_matrix(struct module *m, uint32_t id, uint32_t element, uint32_t use)
{
    ADD(m, INST(OP_TYPE_MATRIX, 7), id, element, 3, 16, 16, use);
}

/* A module with types in this order: 'h' f16, 'f' f32, 'A' and 'B' operands of f16, 'a' and 'b' of
   bf16, 'S' sums. */
static void check_order(struct check *c, const char *order)
{
    struct module m = begun();
    uint32_t out[3 * MOST_WORDS + FINISH_ROOM], matrices = 0, id = 20;
    struct declared found;
    for (const char *p = order; *p; p++, id++) {
        bool is_matrix = *p != 'h' && *p != 'f';
        if (is_matrix)
            add_matrix(&m, id,
                       *p == 'S'                ? F32
                       : *p == 'A' || *p == 'B' ? F16
                                                : BF16,
                       *p == 'S' ? 2 : *p == 'B' || *p == 'b');
        else
            ADD(&m, INST(OP_TYPE_FLOAT, 3), id, *p == 'f' ? F32 : F16);
        matrices += is_matrix;
    }
    uint32_t n = finish(m.words, m.n, 0, out);
    if (check_that(c, n > 0, "%s: is refused", order) && check_types(c, order, out, n, &found))
        check_that(c,
                   found.matrices == matrices &&
                       found.floats[1] == (strpbrk(order, "fS") != NULL) &&
                       found.floats[0] == (strpbrk(order, "hAB") != NULL) &&
                       found.floats[2] == (strpbrk(order, "ab") != NULL),
                   "%s: %u matrices, %u, %u and %u float types", order, found.matrices,
                   found.floats[0], found.floats[1], found.floats[2]);
}

/* Every word of a module cut off, and other numbers in place of each word. */
static void check_damaged(struct check *c, const struct module *m, const char *name)
{
    static const uint32_t numbers[] = {0,
                                       1,
                                       0x10000 | OP_TYPE_FLOAT,
                                       0x30000 | OP_TYPE_FLOAT,
                                       0x10000 | OP_TYPE_MATRIX,
                                       0x70000 | OP_TYPE_MATRIX,
                                       0x20000 | OP_ENTRY_POINT,
                                       0x10000 | OP_TYPE_INT,
                                       0xffffffff};
    uint32_t out[3 * MOST_WORDS + FINISH_ROOM];
    for (uint32_t n = 0; n <= m->n; n++)
        check_that(c, finish(m->words, n, UINT32_MAX, out) <= n + FINISH_ROOM,
                   "%s: %u words become too many", name, n);
    for (uint32_t at = 5; at < m->n; at++)
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            for (uint32_t n = at + 1; n <= m->n; n += m->n - at - 1 ? m->n - at - 1 : 1) {
                struct module other = *m;
                other.words[at] = numbers[k];
                check_that(c, finish(other.words, n, UINT32_MAX, out) <= n + FINISH_ROOM,
                           "%s: with %#x at word %u, %u words become too many", name, numbers[k],
                           at, n);
            }
}

static void check_refused(struct check *c)
{
    static const struct {
        const char *name;
        uint32_t words[8], n;
        bool has_int;
    } wrong[] = {
        {"a matrix without its use", {INST(OP_TYPE_MATRIX, 6), 20, F16, 3, 16, 16}, 6, true},
        {"a matrix with one number more",
         {INST(OP_TYPE_MATRIX, 8), 20, F16, 3, 16, 16, 0, 0},
         8,
         true},
        {"a matrix of 8 bits", {INST(OP_TYPE_MATRIX, 7), 20, 8, 3, 16, 16, 0}, 7, true},
        {"a matrix before uint", {INST(OP_TYPE_MATRIX, 7), 20, F16, 3, 16, 16, 0}, 7, false},
        {"an instruction of no words", {OP_TYPE_VOID, 20}, 2, true},
        {"an instruction beyond the end", {INST(OP_TYPE_FLOAT, 3), 20}, 2, true},
    };
    uint32_t out[3 * MOST_WORDS + FINISH_ROOM];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct module m = begun();
        m.n -= wrong[i].has_int ? 0 : 4;
        add(&m, wrong[i].words, wrong[i].n);
        check_that(c, finish(m.words, m.n, UINT32_MAX, out) == 0, "%s: is not refused",
                   wrong[i].name);
    }
    for (uint32_t n = 0; n < 5; n++)
        check_that(c, finish(begun().words, n, 0, out) == 0, "%u words: are not refused", n);
}

/* A call stands for the function that is called for each element: function 30, call 40 of it. */
static void check_per_element(struct check *c)
{
    static const uint32_t call[] = {INST(OP_CALL, 7), 20, 40, 30, 6, 6, 20},
                          other[] = {INST(OP_CALL, 4), 20, 41, 31},
                          each[] = {INST(OP_PER_ELEMENT, 5), 21, 42, 22, 40},
                          wanted[] = {INST(OP_PER_ELEMENT, 5), 21, 42, 22, 30};
    uint32_t out[3 * MOST_WORDS + FINISH_ROOM], start = begun().n;
    struct module m = begun();
    add(&m, other, 4);
    add(&m, call, 7);
    add(&m, each, 5);
    uint32_t n = finish(m.words, m.n, 0, out);
    check_that(c,
               n == start + 9 && !memcmp(out + start, other, sizeof other) &&
                   !memcmp(out + start + 4, wanted, sizeof wanted),
               "a function of each element: not in place of its call");
    check_damaged(c, &m, "a function of each element");
    m = begun();
    add(&m, each, 5);
    add(&m, call, 7);
    check_that(c, !finish(m.words, m.n, 0, out), "a call behind what needs it: is not refused");
    m.words[start + 4] = 41;
    check_that(c, !finish(m.words, m.n, 0, out), "a function that nothing calls: is not refused");
}

/* ---- bindings of the same memory ---- */

enum { ALIASED = 20, NON_WRITABLE = 24, BINDING = 33, VARIABLES = 4 };

/* Variables 30 to 33 of blocks 50 to 53 with these bindings; blocks 50, 52 and variable 31 are not
   written. */
static struct module with_bindings(const uint32_t bindings[VARIABLES])
{
    struct module m = begun();
    for (uint32_t i = 0; i < VARIABLES; i++) {
        if (i % 2 == 0)
            ADD(&m, INST(OP_MEMBER_DECORATE, 4), 50 + i, 0, NON_WRITABLE);
        ADD(&m, INST(OP_DECORATE, 4), 30 + i, BINDING, bindings[i]);
    }
    ADD(&m, INST(OP_DECORATE, 3), 31, NON_WRITABLE);
    for (uint32_t i = 0; i < VARIABLES; i++)
        ADD(&m, INST(OP_TYPE_POINTER, 4), 40 + i, 12, 50 + i);
    for (uint32_t i = 0; i < VARIABLES; i++)
        ADD(&m, INST(OP_VARIABLE, 4), 40 + i, 30 + i, 12);
    return m;
}

/* Whether the id has the decoration, on a member if it is a block. */
static bool has_decoration(const uint32_t *w, uint32_t n, uint32_t id, uint32_t decoration)
{
    for (uint32_t at = 5; at < n; at += w[at] >> 16)
        if ((w[at] == INST(OP_DECORATE, 3) && w[at + 1] == id && w[at + 2] == decoration) ||
            (w[at] == INST(OP_MEMBER_DECORATE, 4) && w[at + 1] == id && w[at + 3] == decoration))
            return true;
    return false;
}

/* Aliased variables say so, and neither they nor their blocks are said not to change; others stay
   as they are. */
static void check_aliased(struct check *c)
{
    static const struct {
        uint32_t bindings[VARIABLES];
        uint64_t aliased;
        bool is_aliased[VARIABLES];
    } rows[] = {
        {{0, 1, 2, 3}, 0, {false}},
        {{0, 1, 2, 3}, 1, {true}},
        {{0, 1, 2, 3}, 2, {false, true}},
        {{0, 1, 2, 3}, 4, {false, false, true}},
        {{0, 1, 2, 3}, 6, {false, true, true}},
        {{0, 1, 2, 3}, 15, {true, true, true, true}},
        {{0, 1, 2, 3}, 16, {false}},
        {{0, 1, 0, 3}, 0, {true, false, true}},
        {{2, 1, 0, 1}, 4, {true, true, false, true}},
        {{62, 63, 64, 5}, (uint64_t)1 << 62, {true, true, true}}, /* 63 and 64 share a bit */
        {{62, 61, 70, 5}, (uint64_t)1 << 63, {false, false, true}},
    };
    uint32_t out[3 * MOST_WORDS + FINISH_ROOM];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct module m = with_bindings(rows[i].bindings);
        uint32_t n = finish_aliased(m.words, m.n, 0, rows[i].aliased, out), grown = 0;
        for (uint32_t v = 0; v < VARIABLES; v++) {
            bool is_aliased = rows[i].is_aliased[v], block = v % 2 == 0;
            check_that(c, has_decoration(out, n, 30 + v, ALIASED) == is_aliased,
                       "bindings %zu: variable %u", i, v);
            check_that(c, has_decoration(out, n, 50 + v, NON_WRITABLE) == (block && !is_aliased),
                       "bindings %zu: block %u", i, v);
            grown += is_aliased ? 3 - (block ? 4 : v == 1 ? 3 : 0) : 0;
        }
        check_that(c, has_decoration(out, n, 31, NON_WRITABLE) == !rows[i].is_aliased[1],
                   "bindings %zu: variable 1 is not written", i);
        check_that(c, n == m.n + grown, "bindings %zu: %u words", i, n);
        check_damaged(c, &m, "bindings");
    }
    /* the ids of a bound that is not to be believed */
    struct module m = with_bindings(rows[5].bindings);
    m.words[3] = UINT32_MAX;
    check_that(c, finish_aliased(m.words, m.n, 0, 15, out) == m.n, "a bound beyond the module");
}

/* ---- kernels ---- */

/* A loop whose kernels write what they read: the variables of those are aliased, and of no other.
 */
static void check_in_place(struct check *c)
{
    static const char text[] =
        "graph \"p\" entry=f0 callbacks=0\n"
        "func f0(f32[100], s32[]) {\n"
        "  n0 = parameter index=0 : f32[100]\n  n1 = parameter index=1 : s32[]\n"
        "  n2 = while n0, n1 regions=[f1,f2] : f32[100], s32[]\n  return n2.0\n}\n"
        "func f1(f32[100], s32[]) {\n"
        "  n0 = parameter index=1 : s32[]\n  n1 = constant bits=00000009 : s32[]\n"
        "  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
        "func f2(f32[100], s32[]) {\n"
        "  n0 = parameter index=0 : f32[100]\n  n1 = parameter index=1 : s32[]\n"
        "  n2 = sin n0 : f32[100]\n  n3 = constant bits=00000001 : s32[]\n"
        "  n4 = add n1, n3 : s32[]\n  return n2, n4\n}\n";
    struct vkc_target target;
    struct vkc_result r;
    struct vkb_view v;
    char error[256] = "";
    uint32_t shared = 0, alone = 0;
    if (!check_that(c, vkc_target_named("nvidia", &target), "no profile"))
        return;
    const struct vkc_options options = {
        .target = &target, .text_ir = true, .no_cache = true, .no_fusion = true, .threads = 1};
    bool ok = vkc_compile(text, strlen(text), NULL, 0, &options, &r) &&
              bundle_open(r.bundle, r.bundle_size, &v, error, sizeof error);
    if (check_that(c, ok, "in place: %s%s", r.error.message, error))
        for (uint32_t s = 0; s < v.nsteps; s++) {
            const struct vkb_step *step = &v.steps[s];
            if (step->kind != VKB_STEP_DISPATCH)
                continue;
            const struct vkb_body *b = vkb_body_of(&v, step->kernel, 0);
            for (uint32_t i = 0; i < step->nbindings; i++) {
                bool is_shared = false, is_aliased = false;
                for (uint32_t j = 0; j < step->nbindings; j++)
                    is_shared |= i != j && v.bindings[step->first_binding + i].buffer ==
                                               v.bindings[step->first_binding + j].buffer;
                const uint32_t *w = v.spirv + b->spirv_first;
                for (uint32_t at = 5; at < b->spirv_count; at += w[at] >> 16)
                    if (w[at] == INST(OP_DECORATE, 4) && w[at + 2] == BINDING && w[at + 3] == i)
                        is_aliased = has_decoration(w, b->spirv_count, w[at + 1], ALIASED);
                check_that(c, is_aliased == is_shared, "in place: step %u, binding %u", s, i);
                *(is_shared ? &shared : &alone) += 1;
            }
        }
    check_that(c, shared >= 2 && alone >= 2, "in place: %u bindings, %u of memory of their own",
               shared + alone, alone);
    vkc_result_free(&r);
}

/* What glslang makes of them here. */
static void check_kernel(struct check *c, const char *type)
{
    char text[512], error[256] = "", name[32];
    struct vkc_target target;
    struct vkc_result r;
    struct vkb_view v;
    snprintf(name, sizeof name, "a product of %s", type);
    snprintf(text, sizeof text,
             "graph \"d\" entry=f0 callbacks=0\nfunc f0(%s[160,96], %s[96,160]) {\n"
             "  n0 = parameter index=0 : %s[160,96]\n  n1 = parameter index=1 : %s[96,160]\n"
             "  n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : %s[160,160]\n"
             "  return n2\n}\n",
             type, type, type, type, type);
    if (!check_that(c, vkc_target_named("nvidia", &target), "no profile"))
        return;
    const struct vkc_options options = {
        .target = &target, .text_ir = true, .no_cache = true, .threads = 1};
    bool ok = vkc_compile(text, strlen(text), NULL, 0, &options, &r) &&
              bundle_open(r.bundle, r.bundle_size, &v, error, sizeof error);
    if (check_that(c, ok, "%s: %s%s", name, r.error.message, error)) {
        const struct vkb_body *b = vkb_body_of(&v, 0, 0);
        struct declared found;
        if (check_types(c, name, v.spirv + b->spirv_first, b->spirv_count, &found))
            check_that(c, found.matrices == 3, "%s: %u types of matrices", name, found.matrices);
    }
    vkc_result_free(&r);
}

int main(void)
{
    static const char *const orders[] = {"",     "S",    "fS",   "Sf",    "ABS",   "SABf", "fABS",
                                         "hABS", "ABhS", "ABSh", "abSf",  "fabS",  "habS", "abhS",
                                         "aAS",  "AfhS", "hAaS", "SfABh", "SahfAb"};
    struct check check = {0};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        check_order(&check, orders[i]);
    check_refused(&check);
    check_per_element(&check);
    check_aliased(&check);
    check_in_place(&check);
    struct module m = begun();
    check_damaged(&check, &m, "no matrices");
    add_matrix(&m, 20, F16, 0), add_matrix(&m, 21, BF16, 1), add_matrix(&m, 22, F32, 2);
    ADD(&m, INST(OP_TYPE_FLOAT, 3), 23, F32, INST(OP_TYPE_FLOAT, 3), 24, F16);
    check_damaged(&check, &m, "matrices");
    check_kernel(&check, "f16");
    check_kernel(&check, "bf16");
    return check_finish(&check);
}
