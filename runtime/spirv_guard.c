#include "spirv_guard.h"

#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "error.h"

enum { BUILT_IN_LOCAL_INDEX = 29, DECORATE_BUILT_IN = 11, OP_CONSTANT_NULL = 46 };
enum { CAP_IMAGE_QUERY = 50, OP_IMAGE_QUERY_SIZE = 104 };

/* Words that grow. */
struct words {
    uint32_t *data;
    size_t count, capacity;
    bool failed;
};

/* Ids made for one of the module's, so that none is made twice; 0: not yet. */
struct made {
    uint32_t last;      /* of an array or vector: its last index; of a buffer: its last element's */
    uint32_t null, one; /* of a type */
    uint32_t pointer;   /* to it in shared memory */
};

struct guard {
    const struct spirv_module *m;
    const uint64_t *bytes;          /* by binding, as spirv_guard has them */
    struct made *made;              /* by id */
    struct words head, extra, body; /* up to the globals; globals that are added; functions */
    uint32_t next_id;
    uint32_t bool_type, index, fill;       /* ids; 0: not yet, or none */
    uint32_t input_pointer, local_pointer; /* to a word */
};

/* ---- writing ---- */

static void put_words(struct words *to, const uint32_t *words, size_t count)
{
    if (to->count + count > to->capacity) {
        size_t capacity =
            to->capacity * 2 > to->count + count ? to->capacity * 2 : to->count + count + 256;
        uint32_t *bigger = to->failed ? NULL : host_alloc(capacity, sizeof *bigger);
        if (!bigger) {
            to->failed = true;
            return;
        }
        if (to->count)
            memcpy(bigger, to->data, to->count * sizeof *bigger);
        free(to->data);
        to->data = bigger;
        to->capacity = capacity;
    }
    memcpy(to->data + to->count, words, count * sizeof *words);
    to->count += count;
}

#define PUT(to, op, ...) \
    put_op(to, op, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
static void put_op(struct words *to, uint32_t op, const uint32_t *operands, size_t count)
{
    uint32_t first = (uint32_t)(count + 1) << 16 | op;
    put_words(to, &first, 1);
    put_words(to, operands, count);
}

static void put_end(struct words *to, uint32_t op)
{
    uint32_t word = 1u << 16 | op;
    put_words(to, &word, 1);
}

static uint32_t new_id(struct guard *g)
{
    return g->next_id++;
}

/* ---- types and constants ---- */

/* Those that the module has, since types stand once. */
static void find_pointers(struct guard *g)
{
    for (uint32_t id = 1; id < g->m->bound; id++) {
        const struct spirv_id *t = spirv_type(g->m, id);
        if (t->what != WHAT_TYPE || t->kind != KIND_POINTER)
            continue;
        if (t->storage == STORAGE_Workgroup)
            g->made[t->type].pointer = id;
        else if (t->storage == STORAGE_Input && t->type == g->m->uint_type)
            g->input_pointer = id;
        else if (t->storage == STORAGE_Function && t->type == g->m->uint_type)
            g->local_pointer = id;
    }
}

/* The pointer type to it: `known`, or a new one if that is 0. */
static uint32_t pointer_to(struct guard *g, uint32_t *known, uint32_t storage, uint32_t type)
{
    if (!*known) {
        *known = new_id(g);
        PUT(&g->extra, OP_TypePointer, *known, storage, type);
    }
    return *known;
}

/* The type of functions of nothing to nothing. The entry point is one. */
static uint32_t void_function(const struct guard *g)
{
    return g->m->ids[g->m->entry].type;
}

static uint32_t bool_type(struct guard *g)
{
    if (!g->bool_type) {
        g->bool_type = new_id(g);
        PUT(&g->extra, OP_TypeBool, g->bool_type);
    }
    return g->bool_type;
}

static uint32_t number(struct guard *g, uint32_t value)
{
    uint32_t id = new_id(g);
    PUT(&g->extra, OP_Constant, g->m->uint_type, id, value);
    return id;
}

/* An integer constant of the type, sign and all. */
static uint32_t integer(struct guard *g, uint32_t type, uint64_t value)
{
    uint32_t id = new_id(g);
    if (g->m->ids[type].bits == 64)
        PUT(&g->extra, OP_Constant, type, id, (uint32_t)value, (uint32_t)(value >> 32));
    else
        PUT(&g->extra, OP_Constant, type, id, (uint32_t)value);
    return id;
}

static uint32_t null(struct guard *g, uint32_t type)
{
    if (!g->made[type].null) {
        g->made[type].null = new_id(g);
        PUT(&g->extra, OP_CONSTANT_NULL, type, g->made[type].null);
    }
    return g->made[type].null;
}

/* 1, or a vector of that. */
static uint32_t one(struct guard *g, uint32_t type)
{
    const struct spirv_id *t = &g->m->ids[type];
    if (g->made[type].one)
        return g->made[type].one;
    if (t->kind != KIND_VECTOR)
        return g->made[type].one = integer(g, type, 1);
    uint32_t part = one(g, t->type), id = g->made[type].one = new_id(g);
    const uint32_t w[] = {type, id, part, part, part, part};
    put_op(&g->extra, OP_ConstantComposite, w, 2 + t->count);
    return id;
}

/* ---- indices ---- */

/* The last index into what has the type, at a chain's place in it. */
static uint32_t last_index(struct guard *g, const struct spirv_id *base, uint32_t type)
{
    const struct spirv_id *t = &g->m->ids[type];
    if (t->kind != KIND_RUNTIME_ARRAY) {
        if (!g->made[type].last)
            g->made[type].last = number(g, t->count - 1);
        return g->made[type].last;
    }
    uint64_t elements = g->bytes[base->binding] / t->stride;
    if (elements) {
        struct made *made = &g->made[base->root];
        if (!made->last)
            made->last =
                number(g, elements - 1 < UINT32_MAX ? (uint32_t)(elements - 1) : UINT32_MAX);
        return made->last;
    }
    uint32_t length = new_id(g), last = new_id(g), unit = one(g, g->m->uint_type);
    PUT(&g->body, OP_ArrayLength, g->m->uint_type, length, base->root, 0);
    PUT(&g->body, OP_ISub, g->m->uint_type, last, length, unit);
    return last;
}

/* The lesser of the two: negative indices are large. */
static uint32_t clamp(struct guard *g, uint32_t index, uint32_t last)
{
    uint32_t type = g->m->uint_type;
    if (g->m->ids[index].type != type) {
        uint32_t cast = new_id(g);
        PUT(&g->body, OP_Bitcast, type, cast, index);
        index = cast;
    }
    uint32_t id = new_id(g);
    PUT(&g->body, OP_ExtInst, type, id, g->m->import, EXT_UMin, index, last);
    return id;
}

static void guard_chain(struct guard *g, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *base = &g->m->ids[w[3]];
    uint32_t type = g->m->ids[base->type].type, to[12];
    memcpy(to, w, n * sizeof *w);
    for (uint32_t i = 4; i < n; i++) {
        const struct spirv_id *t = &g->m->ids[type];
        uint32_t value = 0;
        bool is_constant = spirv_constant(g->m, w[i], &value);
        if (t->kind == KIND_STRUCT || t->kind == KIND_BLOCK || t->kind == KIND_PUSHED) {
            type = g->m->words[t->at + 2 + value];
            continue;
        }
        if (!is_constant)
            to[i] = clamp(g, w[i], last_index(g, base, type));
        type = t->type;
    }
    put_words(&g->body, to, n);
}

/* ---- texels ---- */

static bool is_texels(const struct spirv_module *m, uint32_t binding)
{
    return binding < VKB_MAX_TEXELS && m->claim->texels >> binding & 1;
}

/* Whether some texels are bound in several sizes, so that the shader must ask. */
static bool asks_sizes(const struct guard *g)
{
    for (uint32_t i = 0; i < g->m->claim->nbindings; i++)
        if (is_texels(g->m, i) && g->m->uses[i].access && !g->bytes[i])
            return true;
    return false;
}

static void guard_fetch(struct guard *g, const uint32_t *w)
{
    uint32_t root = g->m->ids[w[3]].root, type = g->m->uint_type;
    uint64_t bytes = g->bytes[g->m->ids[root].binding];
    uint32_t last = g->made[root].last;
    if (bytes && !last)
        last = g->made[root].last =
            number(g, (uint32_t)(vkb_texel_view_bytes(bytes) / VKB_TEXEL_BYTES - 1));
    if (!last) {
        uint32_t count = new_id(g), unit = one(g, type);
        last = new_id(g);
        PUT(&g->body, OP_IMAGE_QUERY_SIZE, type, count, w[3]);
        PUT(&g->body, OP_ISub, type, last, count, unit);
    }
    uint32_t at = clamp(g, w[4], last);
    PUT(&g->body, OP_ImageFetch, w[1], w[2], w[3], at);
}

static void guard_extract(struct guard *g, const uint32_t *w)
{
    const struct spirv_id *vector = &g->m->ids[w[3]];
    uint32_t at = clamp(g, w[4], last_index(g, vector, vector->type));
    PUT(&g->body, OP_VectorExtractDynamic, w[1], w[2], w[3], at);
}

/* ---- division ---- */

static bool divides_safely(const struct spirv_module *m, uint32_t id)
{
    const struct spirv_id *v = &m->ids[id], *t = &m->ids[v->type];
    if (v->what != WHAT_CONSTANT || v->op != OP_Constant || t->kind != KIND_INT)
        return false;
    const uint32_t *w = m->words + v->at + 3;
    uint64_t value = w[0] | (t->bits == 64 ? (uint64_t)w[1] << 32 : 0);
    return value && !(t->is_signed && value == (t->bits == 64 ? UINT64_MAX : UINT32_MAX));
}

/* By 1 instead. */
static void guard_division(struct guard *g, const uint32_t *w)
{
    const struct spirv_id *t = &g->m->ids[w[1]];
    uint32_t type = w[1], divisor = new_id(g), unit = one(g, type);
    if (!t->is_signed) {
        PUT(&g->body, OP_ExtInst, type, divisor, g->m->import, EXT_UMax, w[4], unit);
    } else {
        uint64_t sign = (uint64_t)1 << (t->bits - 1);
        uint32_t zero = null(g, type), minus = integer(g, type, UINT64_MAX),
                 least = integer(g, type, sign), b = bool_type(g);
        uint32_t is_zero = new_id(g), is_minus = new_id(g), is_least = new_id(g), both = new_id(g),
                 bad = new_id(g);
        PUT(&g->body, OP_IEqual, b, is_zero, w[4], zero);
        PUT(&g->body, OP_IEqual, b, is_minus, w[4], minus);
        PUT(&g->body, OP_IEqual, b, is_least, w[3], least);
        PUT(&g->body, OP_LogicalAnd, b, both, is_minus, is_least);
        PUT(&g->body, OP_LogicalOr, b, bad, is_zero, both);
        PUT(&g->body, OP_Select, type, divisor, bad, unit, w[4]);
    }
    PUT(&g->body, w[0] & 0xffff, type, w[2], w[3], divisor);
}

/* ---- shared memory ---- */

/* for (i = first; i < count; i += group) variable[i] = 0; `i` is a local variable. Ends in a new
   block. */
static void fill_array(struct guard *g, uint32_t variable, uint32_t i, uint32_t first,
                       uint32_t group)
{
    const struct spirv_module *m = g->m;
    const struct spirv_id *array = &m->ids[m->ids[m->ids[variable].type].type];
    uint32_t u = m->uint_type, b = bool_type(g),
             pointer = pointer_to(g, &g->made[array->type].pointer, STORAGE_Workgroup, array->type);
    uint32_t count = number(g, array->count), zero = null(g, array->type);
    uint32_t header = new_id(g), test = new_id(g), round = new_id(g), next = new_id(g),
             after = new_id(g);
    uint32_t at = new_id(g), goes_on = new_id(g), place = new_id(g), sum = new_id(g);
    struct words *to = &g->body;
    PUT(to, OP_Store, i, first);
    PUT(to, OP_Branch, header);
    PUT(to, OP_Label, header);
    PUT(to, OP_LoopMerge, after, next, 0);
    PUT(to, OP_Branch, test);
    PUT(to, OP_Label, test);
    PUT(to, OP_Load, u, at, i);
    PUT(to, OP_ULessThan, b, goes_on, at, count);
    PUT(to, OP_BranchConditional, goes_on, round, after);
    PUT(to, OP_Label, round);
    PUT(to, OP_AccessChain, pointer, place, variable, at);
    PUT(to, OP_Store, place, zero);
    PUT(to, OP_Branch, next);
    PUT(to, OP_Label, next);
    PUT(to, OP_IAdd, u, sum, at, group);
    PUT(to, OP_Store, i, sum);
    PUT(to, OP_Branch, header);
    PUT(to, OP_Label, after);
}

/* The function that the entry point calls first. */
static void put_fill(struct guard *g)
{
    const struct spirv_module *m = g->m;
    const uint32_t *size = m->claim->local_size;
    uint32_t u = m->uint_type, i = new_id(g), first = new_id(g),
             group = number(g, size[0] * size[1] * size[2]);
    uint32_t workgroup = number(g, 2), semantics = number(g, 0x108),
             pointer = pointer_to(g, &g->local_pointer, STORAGE_Function, u);
    PUT(&g->body, OP_Function, m->void_type, g->fill, 0, void_function(g));
    PUT(&g->body, OP_Label, new_id(g));
    PUT(&g->body, OP_Variable, pointer, i, STORAGE_Function);
    PUT(&g->body, OP_Load, u, first, g->index);
    for (uint32_t id = 1; id < m->bound; id++)
        if (m->ids[id].what == WHAT_VARIABLE && m->ids[id].storage == STORAGE_Workgroup)
            fill_array(g, id, i, first, group);
    PUT(&g->body, OP_ControlBarrier, workgroup, workgroup, semantics);
    put_end(&g->body, OP_Return);
    put_end(&g->body, OP_FunctionEnd);
}

/* ---- the whole ---- */

/* All that stands before the globals: the interface has the invocation's index, too, which is
   decorated so. */
static void copy_head(struct guard *g)
{
    const struct spirv_module *m = g->m;
    uint32_t at = m->entry_at, n = m->words[at] >> 16;
    put_words(&g->head, m->words, 5);
    if (asks_sizes(g))
        PUT(&g->head, OP_Capability, CAP_IMAGE_QUERY);
    put_words(&g->head, m->words + 5, at - 5);
    size_t entry = g->head.count;
    put_words(&g->head, m->words + at, n);
    if (g->index) {
        if (!g->head.failed)
            g->head.data[entry] += 1u << 16;
        put_words(&g->head, &g->index, 1);
    }
    put_words(&g->head, m->words + at + n, m->globals_at - at - n);
    if (g->index)
        PUT(&g->head, OP_Decorate, g->index, DECORATE_BUILT_IN, BUILT_IN_LOCAL_INDEX);
    put_words(&g->head, m->words + m->globals_at, m->body_at - m->globals_at);
}

static void copy_body(struct guard *g)
{
    const struct spirv_module *m = g->m;
    bool is_due = false; /* the call that fills shared memory */
    for (uint32_t at = m->body_at; at < m->nwords; at += m->words[at] >> 16) {
        const uint32_t *w = m->words + at;
        uint32_t op = w[0] & 0xffff, n = w[0] >> 16;
        const struct spirv_op_rule *rule = spirv_op_rule(op);
        if (op == OP_Function)
            is_due = g->fill && w[2] == m->entry;
        else if (is_due && op != OP_Label && op != OP_Variable) {
            PUT(&g->body, OP_FunctionCall, m->void_type, new_id(g), g->fill);
            is_due = false;
        }
        if (op == OP_Variable)
            PUT(&g->body, OP_Variable, w[1], w[2], w[3], null(g, m->ids[w[1]].type));
        else if (op == OP_AccessChain)
            guard_chain(g, w, n);
        else if (op == OP_ImageFetch)
            guard_fetch(g, w);
        else if (op == OP_VectorExtractDynamic)
            guard_extract(g, w);
        else if ((rule->form == FORM_INT_DIVIDE || rule->form == FORM_UINT_DIVIDE) &&
                 !divides_safely(m, w[4]))
            guard_division(g, w);
        else
            put_words(&g->body, w, n);
    }
}

uint32_t *spirv_guard(const struct spirv_module *m, const uint64_t *bytes, uint32_t *out_words)
{
    struct guard g = {.m = m, .bytes = bytes, .next_id = m->bound, .bool_type = m->bool_type};
    uint32_t *all = NULL;
    g.made = host_alloc(m->bound, sizeof *g.made);
    if (!g.made)
        return NULL;
    find_pointers(&g);
    if (m->shared_bytes) {
        g.index = new_id(&g), g.fill = new_id(&g);
        uint32_t pointer = pointer_to(&g, &g.input_pointer, STORAGE_Input, m->uint_type);
        PUT(&g.extra, OP_Variable, pointer, g.index, STORAGE_Input);
    }
    copy_head(&g);
    copy_body(&g);
    if (g.fill)
        put_fill(&g);
    if (!g.head.failed && !g.extra.failed && !g.body.failed) {
        size_t count = g.head.count + g.extra.count + g.body.count;
        all = host_alloc(count, sizeof *all);
        *out_words = (uint32_t)count;
    }
    if (all) {
        memcpy(all, g.head.data, g.head.count * sizeof *all);
        if (g.extra.count)
            memcpy(all + g.head.count, g.extra.data, g.extra.count * sizeof *all);
        memcpy(all + g.head.count + g.extra.count, g.body.data, g.body.count * sizeof *all);
        all[3] = g.next_id;
    }
    free(g.head.data);
    free(g.extra.data);
    free(g.body.data);
    free(g.made);
    return all;
}
