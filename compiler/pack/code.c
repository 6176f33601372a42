#include "pack/code.h"

#include <string.h>

#include "pack/spirv_op.h"

enum { EXT_U_MIN = 38, EXT_U_MAX = 41, LOOP_UNROLL = 1, MOST_LOOPS = 32 };

/* ---- what the words of an instruction are ---- */

/* Instructions all of whose words are ids. */
static bool has_ids_alone(uint32_t op)
{
    switch (op) {
    case OP_TYPE_VOID:
    case OP_TYPE_BOOL:
    case OP_TYPE_ARRAY:
    case OP_TYPE_RUNTIME_ARRAY:
    case OP_TYPE_STRUCT:
    case OP_TYPE_FUNCTION:
    case OP_TYPE_COOPERATIVE_MATRIX:
    case OP_UNDEF:
    case OP_CONSTANT_TRUE:
    case OP_CONSTANT_FALSE:
    case OP_CONSTANT_COMPOSITE:
    case OP_FUNCTION_PARAMETER:
    case OP_FUNCTION_END:
    case OP_FUNCTION_CALL:
    case OP_ACCESS_CHAIN:
    case OP_VECTOR_EXTRACT_DYNAMIC:
    case OP_COMPOSITE_CONSTRUCT:
    case OP_CONTROL_BARRIER:
    case OP_MEMORY_BARRIER:
    case OP_ATOMIC_STORE:
    case OP_PHI:
    case OP_LABEL:
    case OP_BRANCH:
    case OP_RETURN:
    case OP_RETURN_VALUE: return true;
    default:
        return (op >= OP_CONVERT_F_TO_U && op <= OP_BITCAST) ||
               (op >= OP_S_NEGATE && op <= OP_BIT_COUNT) ||
               (op >= OP_ATOMIC_LOAD && op <= OP_ATOMIC_XOR);
    }
}

/* i: an id; w: a word of its own; a capital letter: that and all behind it. NULL: not known. */
static const char *operands(uint32_t op)
{
    if (has_ids_alone(op))
        return "I";
    switch (op) {
    case OP_CAPABILITY:
    case OP_EXTENSION:
    case OP_MEMORY_MODEL: return "W";
    case OP_EXT_INST_IMPORT:
    case OP_EXECUTION_MODE:
    case OP_DECORATE:
    case OP_MEMBER_DECORATE:
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT: return "iW";
    case OP_EXT_INST: return "iiiwI";
    case OP_ENTRY_POINT: return "wiwwI"; /* "main" */
    case OP_SELECTION_MERGE: return "iw";
    case OP_TYPE_VECTOR: return "iiw";
    case OP_TYPE_IMAGE:
    case OP_CONSTANT:
    case OP_STORE:
    case OP_LOOP_MERGE: return "iiW";
    case OP_TYPE_POINTER: return "iwi";
    case OP_FUNCTION: return "iiwi";
    case OP_VARIABLE: return "iiwI";
    case OP_LOAD:
    case OP_COMPOSITE_EXTRACT:
    case OP_BRANCH_CONDITIONAL: return "iiiW";
    case OP_ARRAY_LENGTH: return "iiiw";
    case OP_VECTOR_SHUFFLE:
    case OP_COMPOSITE_INSERT:
    case OP_IMAGE_FETCH: return "iiiiW";
    case OP_COOPERATIVE_MATRIX_STORE: return "iiiiwI"; /* which memory, in whose scope */
    case OP_COOPERATIVE_MATRIX_LOAD: return "iiiiiwI";
    case OP_COOPERATIVE_MATRIX_MULTIPLY_ADD: return "iiiiiW";
    default: return NULL;
    }
}

/* Whether word i of an instruction, the first operand being word 1, is an id. */
static bool is_id(const char *form, uint32_t i)
{
    size_t last = strlen(form) - 1;
    char c = form[i - 1 < last ? i - 1 : last];
    return c == 'i' || c == 'I';
}

/* ---- walking ---- */

/* One instruction after the other, but for the declarations of integers. */
struct walk {
    const struct code *module;
    uint32_t at; /* word of the instruction; module->n: the end */
    bool in_main;
    /* In the part of a loop that is unrolled which steers it: what it counts to is a constant, or
       it is not unrolled. */
    bool steers;
    struct {
        uint32_t merge,
            next; /* labels behind it, and of what it does between rounds; 0: that varies */
    } loops[MOST_LOOPS];
    uint32_t depth;
    bool too_deep;
};

static uint32_t op_at(const struct code *m, uint32_t at)
{
    return m->words[at] & 0xffff;
}

static void skip_integers(struct walk *w)
{
    const struct code *m = w->module;
    while (w->at < m->n && op_at(m, w->at) == OP_CONSTANT && m->integer[m->words[w->at + 2]])
        w->at += m->words[w->at] >> 16;
}

static struct walk walk_begin(const struct code *m)
{
    struct walk w = {.module = m, .at = 5};
    skip_integers(&w);
    return w;
}

static void enter_label(struct walk *w, uint32_t label)
{
    while (w->depth && w->loops[w->depth - 1].merge == label)
        w->depth--;
    for (uint32_t i = 0; i < w->depth; i++)
        w->steers |= w->loops[i].next == label;
}

static void enter_loop(struct walk *w, const uint32_t *words)
{
    bool unrolls = words[3] & LOOP_UNROLL;
    if (w->depth == MOST_LOOPS) {
        w->too_deep = true;
        return;
    }
    w->loops[w->depth].merge = words[1];
    w->loops[w->depth++].next = unrolls ? words[2] : 0;
    w->steers |= unrolls;
}

/* To the next instruction. */
static void walk_on(struct walk *w)
{
    const uint32_t *words = w->module->words + w->at;
    switch (words[0] & 0xffff) {
    case OP_FUNCTION: w->in_main = words[2] == w->module->entry; break;
    case OP_FUNCTION_END: w->in_main = false; break;
    case OP_LABEL: enter_label(w, words[1]); break;
    case OP_LOOP_MERGE: enter_loop(w, words); break;
    case OP_BRANCH_CONDITIONAL: w->steers = false; break;
    /* the first leads from the header to the condition */
    case OP_BRANCH: w->steers &= op_at(w->module, w->at - 4) == OP_LOOP_MERGE; break;
    default: break;
    }
    w->at += words[0] >> 16;
    skip_integers(w);
}

/* Whether an integer in word i of the instruction may come when the code runs. */
static bool may_vary(const struct walk *w, uint32_t i, bool divisors)
{
    const struct code *m = w->module;
    const uint32_t *words = m->words + w->at;
    uint32_t op = words[0] & 0xffff;
    if (!w->in_main || w->steers || i < (op == OP_STORE ? 2 : 3))
        return false;
    if (op >= OP_I_EQUAL && op <= OP_S_LESS_THAN_EQUAL)
        return true;
    switch (op) {
    case OP_I_ADD:
    case OP_I_SUB:
    case OP_I_MUL:
    case OP_STORE:
    case OP_SELECT: return true;
    case OP_U_DIV:
    case OP_S_DIV:
    case OP_U_MOD:
    case OP_S_REM:
    case OP_S_MOD: return i == 3 || (divisors && !w->depth);
    case OP_EXT_INST: return words[4] >= EXT_U_MIN && words[4] <= EXT_U_MAX && i > 4;
    default: return false;
    }
}

/* ---- modules ---- */

bool code_open(struct arena *a, const uint32_t *words, uint32_t n, struct code *out)
{
    *out = (struct code){.words = words, .n = n, .bound = n > 3 ? words[3] : 0};
    bool *is_integer = ARENA_ARRAY(a, bool, out->bound + 1);
    out->integer = ARENA_ARRAY(a, uint32_t, out->bound + 1);
    if (!is_integer || !out->integer || n < 5)
        return false;
    for (uint32_t at = 5, len; at < n; at += len) {
        const uint32_t *w = words + at;
        uint32_t op = w[0] & 0xffff;
        len = w[0] >> 16;
        if (!len || len > n - at)
            return false;
        if (op == OP_ENTRY_POINT && len > 2)
            out->entry = w[2];
        if (op == OP_TYPE_INT && len == 4 && w[2] == 32 && w[1] < out->bound) {
            is_integer[w[1]] = true;
            out->uint_type = w[3] ? out->uint_type : w[1];
        }
        if (op == OP_CONSTANT && len == 4 && w[1] < out->bound && is_integer[w[1]] &&
            w[2] < out->bound)
            out->integer[w[2]] = at;
    }
    return true;
}

uint64_t code_hash(const struct code *m)
{
    uint64_t hash = 0;
    for (struct walk w = walk_begin(m); w.at < m->n; walk_on(&w)) {
        const uint32_t *words = m->words + w.at;
        const char *form = operands(words[0] & 0xffff);
        hash = (hash ^ words[0]) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
        for (uint32_t i = 1; form && i < words[0] >> 16; i++)
            if (!is_id(form, i))
                hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu;
    }
    return hash ^ hash >> 32;
}

static uint32_t integer_at(const struct code *m, uint32_t id)
{
    return id < m->bound ? m->integer[id] : 0;
}

/* Two modules, and which id of the one is which of the other; 0: not known yet. */
struct pair {
    struct walk a, b;
    uint32_t *to_b, *to_a;
    bool divisors;
};

static bool same_id(struct pair *p, uint32_t a, uint32_t b)
{
    if (!a || !b || a >= p->a.module->bound || b >= p->b.module->bound)
        return false;
    if (!p->to_b[a] && !p->to_a[b])
        p->to_b[a] = b, p->to_a[b] = a;
    return p->to_b[a] == b && p->to_a[b] == a;
}

static bool same_operand(struct pair *p, uint32_t i)
{
    const struct code *a = p->a.module, *b = p->b.module;
    uint32_t x = a->words[p->a.at + i], y = b->words[p->b.at + i], of_a = integer_at(a, x),
             of_b = integer_at(b, y);
    if (!of_a || !of_b)
        return !of_a && !of_b && same_id(p, x, y);
    return same_id(p, a->words[of_a + 1], b->words[of_b + 1]) &&
           (a->words[of_a + 3] == b->words[of_b + 3] || may_vary(&p->a, i, p->divisors));
}

static bool same_instruction(struct pair *p)
{
    const uint32_t *a = p->a.module->words + p->a.at, *b = p->b.module->words + p->b.at;
    const char *form = operands(a[0] & 0xffff);
    if (a[0] != b[0])
        return false;
    if (!form)
        return memcmp(a, b, (a[0] >> 16) * sizeof *a) == 0;
    for (uint32_t i = 1; i < a[0] >> 16; i++)
        if (is_id(form, i) ? !same_operand(p, i) : a[i] != b[i])
            return false;
    return true;
}

bool code_alike(const struct code *a, const struct code *b, bool divisors, uint32_t *map)
{
    struct pair p = {walk_begin(a), walk_begin(b), map, map + a->bound, divisors};
    memset(map, 0, ((size_t)a->bound + b->bound) * sizeof *map);
    for (; p.a.at < a->n && p.b.at < b->n; walk_on(&p.a), walk_on(&p.b))
        if (!same_instruction(&p))
            return false;
    return p.a.at == a->n && p.b.at == b->n && a->words[1] == b->words[1] && a->uint_type &&
           !p.a.too_deep;
}

uint32_t code_numbers(const struct code *m, bool divisors, struct code_number *out, uint32_t most)
{
    uint32_t count = 0;
    for (struct walk w = walk_begin(m); w.at < m->n; walk_on(&w)) {
        const uint32_t *words = m->words + w.at;
        const char *form = operands(words[0] & 0xffff);
        for (uint32_t i = 1; form && w.in_main && i < words[0] >> 16; i++) {
            uint32_t of = is_id(form, i) ? integer_at(m, words[i]) : 0;
            if (!of || !may_vary(&w, i, divisors))
                continue;
            if (count++ < most)
                out[count - 1] = (struct code_number){w.at + i, m->words[of + 3],
                                                      m->words[of + 1] != m->uint_type};
        }
    }
    return count;
}
