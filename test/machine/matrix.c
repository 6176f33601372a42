#include "matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "spirv_op.h"
#include "state.h"

enum { MOST_ELEMENTS = 256, SCOPE_WORKGROUP = 2, SCOPE_SUBGROUP = 3 };
enum { USE_A, USE_B, USE_SUM };

/* An instruction on matrices that a subgroup executed since the last barrier, as the first of its
   invocations did. */
struct matrix_call {
    const struct spirv_inst *inst;
    uint64_t arguments[4];
    float operands[3][MOST_ELEMENTS], result[MOST_ELEMENTS];
};

struct matrix_calls {
    struct matrix_call *list;
    uint32_t n, cap;
};

static const struct product {
    bool is_bfloat;
    uint32_t m, n, k;
} products[] = {
#define IS_F16 false
#define IS_BF16 true
#define MATRIX(bit, word, operands, rows, columns, k, threads) {IS_##operands, rows, columns, k},
#include "../../runtime/matrices.def"
};

/* ---- types ---- */

static const struct spirv_type *element_of(const struct spirv_module *m, const struct spirv_type *t)
{
    return &m->types[t->element];
}

static uint32_t rows_of(const struct spirv_type *t)
{
    return t->count / t->columns;
}

/* Whether `t` is used as `use` in the product. */
static bool is_of(const struct spirv_module *m, const struct product *p, uint32_t use,
                  const struct spirv_type *t)
{
    const struct spirv_type *e = element_of(m, t);
    bool is_element =
        use == USE_SUM ? e->width == 32 : e->width == 16 && e->is_bfloat == p->is_bfloat;
    return t->kind == KIND_MATRIX && t->use == use && is_element &&
           rows_of(t) == (use == USE_B ? p->k : p->m) && t->columns == (use == USE_A ? p->k : p->n);
}

/* Of all that there are, for a module; of the device's, for a run. */
static bool is_of_any(const struct spirv_module *m, uint32_t matrices, const struct spirv_type *t)
{
    for (uint32_t i = 0; i < VKB_MATRICES; i++)
        if (matrices >> i & 1 && is_of(m, &products[i], t->use, t))
            return true;
    return false;
}

static bool refuse(char *error, size_t error_size, const char *what)
{
    snprintf(error, error_size, "%s", what);
    return false;
}

static bool check_type(const struct spirv_module *m, const struct spirv_type *t, char *error,
                       size_t size)
{
    const struct spirv_type *e = element_of(m, t);
    if (e->kind != KIND_FLOAT || t->scope != SCOPE_SUBGROUP || t->use > USE_SUM ||
        !is_of_any(m, UINT32_MAX, t))
        return refuse(error, size, "a matrix of a type that matrices.def has no row for");
    if (!m->has_matrices || !m->has_memory_model)
        return refuse(error, size, "matrices without the capabilities for them");
    if (e->width == 16 && (e->is_bfloat ? !m->has_bfloat_matrices : !m->has_f16))
        return refuse(error, size, "matrices of elements whose capability is not declared");
    return true;
}

/* An access to shared memory is ordered by barriers if it is not private, and made available or
   visible to the workgroup. */
static bool check_access(const struct spirv_module *m, const struct spirv_inst *i, char *error,
                         size_t size)
{
    const struct spirv_type *pointer = &m->types[m->ids[i->words[0]].type];
    bool stores = i->op == OP_STORE || i->op == OP_MATRIX_STORE;
    uint32_t at = i->op == OP_LOAD    ? 1
                  : i->op == OP_STORE ? 2
                  : stores            ? 4
                                      : 3,
             wanted = ACCESS_NON_PRIVATE | (stores ? ACCESS_MAKE_AVAILABLE : ACCESS_MAKE_VISIBLE);
    if (pointer->storage != STORAGE_WORKGROUP)
        return true;
    if (i->nwords < at + 2 || i->words[at] != wanted ||
        m->file[m->ids[i->words[at + 1]].at] != SCOPE_WORKGROUP)
        return refuse(error, size, "an access to shared memory that no barrier orders");
    return true;
}

bool matrix_check_module(const struct spirv_module *m, char *error, size_t error_size)
{
    for (uint32_t id = 0; id < m->bound; id++)
        if (m->types[id].kind == KIND_MATRIX && !check_type(m, &m->types[id], error, error_size))
            return false;
    for (uint32_t k = 0; m->is_vulkan_memory && k < m->ninsts; k++) {
        const struct spirv_inst *i = &m->insts[k];
        if ((i->op == OP_LOAD || i->op == OP_STORE || i->op == OP_MATRIX_LOAD ||
             i->op == OP_MATRIX_STORE) &&
            !check_access(m, i, error, error_size))
            return false;
    }
    return true;
}

/* ---- the same in all of a subgroup ---- */

bool matrix_open_group(struct group *g)
{
    uint32_t size = g->options->subgroup_size;
    g->calls = calloc((size_t)(size ? g->module->local_size / size : 0) + 1, sizeof *g->calls);
    return g->calls != NULL;
}

void matrix_close_group(struct group *g)
{
    uint32_t size = g->options->subgroup_size;
    for (uint32_t i = 0; g->calls && size && i <= g->module->local_size / size; i++)
        free(g->calls[i].list);
    free(g->calls);
}

bool matrix_meet(struct group *g)
{
    uint32_t size = g->options->subgroup_size;
    for (uint32_t i = 0; size && i < g->module->local_size; i++) {
        struct matrix_calls *calls = &g->calls[i / size];
        if (g->threads[i].ncalls != calls->n) {
            snprintf(g->error, g->error_size,
                     "workgroup %u, invocation %u: executes %u instructions on matrices, "
                     "others of its subgroup %u",
                     g->index, i, g->threads[i].ncalls, calls->n);
            return false;
        }
        g->threads[i].ncalls = 0;
    }
    for (uint32_t i = 0; size && i <= g->module->local_size / size; i++)
        g->calls[i].n = 0;
    return true;
}

/* The entry of this instruction: what the first invocation of the subgroup came by, or a new one.
   NULL with an error. */
static struct matrix_call *call_of(const struct state *s, const struct spirv_inst *i,
                                   const uint64_t arguments[4], bool *out_is_first)
{
    struct matrix_calls *calls = &s->g->calls[s->index / s->g->options->subgroup_size];
    uint32_t at = s->t->ncalls++;
    if (at == calls->cap) {
        uint32_t cap = calls->cap ? 2 * calls->cap : 16;
        struct matrix_call *list = realloc(calls->list, cap * sizeof *list);
        if (!list) {
            thread_fail(s, "no memory");
            return NULL;
        }
        calls->list = list, calls->cap = cap;
    }
    struct matrix_call *c = &calls->list[at];
    *out_is_first = at == calls->n;
    if (*out_is_first) {
        calls->n++;
        c->inst = i;
        memcpy(c->arguments, arguments, sizeof c->arguments);
    }
    if (c->inst != i || memcmp(c->arguments, arguments, sizeof c->arguments)) {
        thread_fail(s, "an instruction on matrices that others of its subgroup %s",
                    c->inst == i ? "execute with other arguments" : "do not execute");
        return NULL;
    }
    return c;
}

/* ---- memory ---- */

/* Where a matrix lies: line after line, rows or columns. In words of 32 bits. */
struct lie {
    uint64_t from;                                   /* word of shared memory */
    uint32_t lines, line_words, line_elements, each; /* words from one to the next */
    bool by_columns;
};

/* The array that a pointer's access chain goes into. NULL: not one of shared memory. */
static const struct spirv_type *array_of(const struct state *s, uint32_t pointer, uint64_t *out_at)
{
    const uint32_t *chain = s->m->ids[pointer].words,
                   *variable =
                       (chain[0] & 0xffff) == OP_ACCESS_CHAIN ? s->m->ids[chain[3]].words : chain;
    if (chain[0] != (5u << 16 | OP_ACCESS_CHAIN) || (variable[0] & 0xffff) != OP_VARIABLE ||
        variable[3] != STORAGE_WORKGROUP)
        return NULL;
    *out_at = s->t->file[s->m->ids[variable[2]].at + 1];
    return &s->m->types[s->m->types[variable[1]].element];
}

static bool place(const struct state *s, const struct spirv_inst *i, const struct spirv_type *t,
                  const uint64_t arguments[4], struct lie *out)
{
    uint64_t first = 0;
    const struct spirv_type *array = array_of(s, i->words[0], &first);
    if (!array || array->kind != KIND_ARRAY)
        return thread_fail(s, "a matrix that lies elsewhere than in an array of shared memory");
    const struct spirv_type *one = element_of(s->m, array),
                            *number = one->kind == KIND_VECTOR ? element_of(s->m, one) : one;
    uint64_t layout = arguments[2], stride = arguments[3];
    uint32_t bits = element_of(s->m, t)->width;
    if (number->width != 32 || layout > 1)
        return thread_fail(s, "a matrix in an array of %u bits each, in layout %u", number->width,
                           (uint32_t)layout);
    *out = (struct lie){.from = arguments[1],
                        .lines = layout ? t->columns : rows_of(t),
                        .line_elements = layout ? rows_of(t) : t->columns,
                        .each = (uint32_t)stride * one->words,
                        .by_columns = layout};
    out->line_words = out->line_elements * bits / 32;
    uint32_t align = out->line_words < 4 ? out->line_words : 4;
    if ((out->from - first) % align || out->each % align)
        return thread_fail(s, "a matrix at word %llu, in lines %u words apart: not aligned",
                           (unsigned long long)(out->from - first), out->each);
    uint64_t end = out->from - first + (uint64_t)(out->lines - 1) * out->each + out->line_words;
    if (end > array->words || out->each < out->line_words)
        return thread_fail(s,
                           "a matrix up to word %llu, in lines %u words apart, of an array of %u",
                           (unsigned long long)end, out->each, array->words);
    return true;
}

static float decoded(uint32_t half, bool is_bfloat)
{
    float x;
    memcpy(&x, &(uint32_t){half << 16}, sizeof x);
    if (is_bfloat)
        return x;
    int exponent = (int)(half >> 10 & 31);
    float fraction = (float)(half & 1023);
    x = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
        : exponent     ? ldexpf(1024 + fraction, exponent - 25)
                       : ldexpf(fraction, -24);
    return half >> 15 ? -x : x;
}

static bool load(const struct state *s, const struct spirv_inst *i, const uint64_t arguments[4])
{
    const struct spirv_type *t = &s->m->types[i->type], *e = element_of(s->m, t);
    float to[MOST_ELEMENTS];
    struct lie at;
    if (!place(s, i, t, arguments, &at))
        return false;
    for (uint32_t line = 0; line < at.lines; line++)
        for (uint32_t w = 0; w < at.line_words; w++) {
            uint64_t word = at.from + (uint64_t)line * at.each + w;
            if (!thread_touch_shared(s, word, false))
                return false;
            if (e->width == 32)
                memcpy(&to[at.by_columns ? w * t->columns + line : line * t->columns + w],
                       &s->g->shared[word], sizeof *to);
            for (uint32_t half = 0; e->width == 16 && half < 2; half++) {
                uint32_t x = 2 * w + half,
                         to_at = at.by_columns ? x * t->columns + line : line * t->columns + x;
                to[to_at] = decoded(s->g->shared[word] >> (16 * half) & 0xffff, e->is_bfloat);
            }
        }
    memcpy(s->t->file + i->to, to, t->count * sizeof *to);
    return true;
}

static bool store(const struct state *s, const struct spirv_inst *i, const uint64_t arguments[4])
{
    const struct spirv_type *t = &s->m->types[s->m->ids[i->words[1]].type];
    uint32_t size = s->g->options->subgroup_size, bits, from[MOST_ELEMENTS];
    struct lie at;
    if (element_of(s->m, t)->width != 32)
        return thread_fail(s, "a matrix of elements of 16 bits is stored");
    if (!place(s, i, t, arguments, &at))
        return false;
    memcpy(from, s->t->file + i->b, t->count * sizeof *from);
    for (uint32_t k = s->index % size; k < t->count; k += size) {
        uint32_t line = k / at.line_elements, x = k % at.line_elements;
        uint64_t word = at.from + (uint64_t)line * at.each + x;
        if (!thread_touch_shared(s, word, true))
            return false;
        bits = from[at.by_columns ? x * t->columns + line : k];
        s->g->shared[word] = bits;
    }
    return true;
}

/* ---- products ---- */

/* Sums of f32, in one order or the other: units have their own. */
static void multiply_add(const struct product *p, struct matrix_call *c, bool backwards)
{
    for (uint32_t m = 0; m < p->m; m++) {
        float *sum = &c->result[m * p->n];
        memcpy(sum, &c->operands[USE_SUM][m * p->n], p->n * sizeof *sum);
        for (uint32_t i = 0; i < p->k; i++) {
            uint32_t k = backwards ? p->k - 1 - i : i;
            float a = c->operands[USE_A][m * p->k + k];
            const float *b = &c->operands[USE_B][k * p->n];
            for (uint32_t n = 0; n < p->n; n++)
                sum[n] += a * b[n];
        }
    }
}

static bool product(const struct state *s, const struct spirv_inst *i)
{
    const uint32_t at[3] = {i->a, i->b, i->c};
    const struct spirv_type *t[3], *result = &s->m->types[i->type];
    const struct product *p = NULL;
    for (uint32_t use = 0; use < 3; use++)
        t[use] = &s->m->types[s->m->ids[i->words[use]].type];
    for (uint32_t k = 0; k < VKB_MATRICES && !p; k++)
        if (s->g->options->matrices >> k & 1 && is_of(s->m, &products[k], USE_A, t[USE_A]) &&
            is_of(s->m, &products[k], USE_B, t[USE_B]) &&
            is_of(s->m, &products[k], USE_SUM, t[USE_SUM]) && t[USE_SUM] == result)
            p = &products[k];
    if (!p || i->nwords > 3)
        return thread_fail(s, "a product of matrices that the device's units do not make");
    bool is_first;
    struct matrix_call *c = call_of(s, i, (const uint64_t[4]){0}, &is_first);
    if (!c)
        return false;
    for (uint32_t use = 0; use < 3; use++) {
        const uint64_t *operand = s->t->file + at[use];
        size_t bytes = t[use]->count * sizeof(float);
        if (is_first)
            memcpy(c->operands[use], operand, bytes);
        else if (memcmp(c->operands[use], operand, bytes))
            return thread_fail(s,
                               "products or sums of another matrix than in others of its subgroup");
    }
    if (is_first)
        multiply_add(p, c, s->g->options->seed & 1);
    memcpy(s->t->file + i->to, c->result, result->count * sizeof *c->result);
    return true;
}

/* ---- instructions ---- */

/* Element by element, of matrices that all of the subgroup have alike. */
static bool each(const struct state *s, const struct spirv_inst *i)
{
    const struct spirv_type *t = &s->m->types[i->type];
    const uint64_t *at[2] = {s->t->file + i->a, s->t->file + i->b};
    float x[MOST_ELEMENTS], y[MOST_ELEMENTS];
    size_t bytes = t->count * sizeof *x;
    bool is_first;
    struct matrix_call *c = call_of(s, i, (const uint64_t[4]){0}, &is_first);
    if (!c)
        return false;
    for (uint32_t k = 0; k < 2; k++)
        if (is_first)
            memcpy(c->operands[k], at[k], bytes);
        else if (memcmp(c->operands[k], at[k], bytes))
            return thread_fail(s, "a product of another matrix than in others of its subgroup");
    memcpy(x, at[0], bytes);
    memcpy(y, at[1], bytes);
    for (uint32_t k = 0; k < t->count; k++)
        x[k] = i->op == OP_F_MUL ? x[k] * y[k] : x[k] + y[k];
    memcpy(s->t->file + i->to, x, bytes);
    return true;
}

static bool fill(const struct state *s, const struct spirv_inst *i)
{
    uint64_t arguments[4] = {s->t->file[i->a]};
    float to[MOST_ELEMENTS], x;
    bool is_first;
    memcpy(&x, &(uint32_t){(uint32_t)arguments[0]}, sizeof x);
    if (i->nwords != 1 || i->width != 32 || s->m->types[i->type].use != USE_SUM)
        return thread_fail(s, "a matrix made of something else than one f32");
    if (!call_of(s, i, arguments, &is_first))
        return false;
    for (uint32_t k = 0; k < s->m->types[i->type].count; k++)
        to[k] = x;
    memcpy(s->t->file + i->to, to, s->m->types[i->type].count * sizeof *to);
    return true;
}

bool matrix_step(const struct state *s, const struct spirv_inst *i)
{
    const struct machine_options *o = s->g->options;
    uint64_t *f = s->t->file;
    bool stores = i->op == OP_MATRIX_STORE, is_first;
    if (!o->subgroup_size || s->m->local_size % o->subgroup_size)
        return thread_fail(s, "matrices in a workgroup of %u, subgroups of %u", s->m->local_size,
                           o->subgroup_size);
    uint32_t type = stores ? s->m->ids[i->words[1]].type : i->type;
    if (!is_of_any(s->m, o->matrices, &s->m->types[type]))
        return thread_fail(s, "a matrix that the device's units do not have");
    if (i->op == OP_CONSTRUCT)
        return fill(s, i);
    if (i->op == OP_MATRIX_MULTIPLY_ADD)
        return product(s, i);
    if (i->op == OP_F_MUL || i->op == OP_F_ADD)
        return each(s, i);
    const uint32_t *words = i->words + 1 + stores;
    if (i->nwords < 3u + stores)
        return thread_fail(s, "a matrix in memory without a stride");
    const uint64_t arguments[4] = {f[i->a], f[i->a + 1], f[s->m->ids[words[0]].at],
                                   f[s->m->ids[words[1]].at]};
    return call_of(s, i, arguments, &is_first) &&
           (stores ? store(s, i, arguments) : load(s, i, arguments));
}
