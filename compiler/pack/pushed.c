#include "pack/pushed.h"

#include <string.h>

#include "pack/spirv_op.h"

enum { DECORATION_BLOCK = 2, DECORATION_ARRAY_STRIDE = 6, DECORATION_OFFSET = 35 };
enum { STORAGE_PUSH_CONSTANT = 9, ALL_IN_INTERFACE = 0x00010400 };
/* Words that are added at most: for each push constant, and for all of them. */
enum { PER_SLOT = 22, ROOM = 64 };

/* A module that is being written. */
struct writer {
    const struct code *module;
    uint32_t *out, n;
    uint32_t next;                         /* free id */
    uint32_t array, block, word, variable; /* ids of what is added */
    uint32_t signed_type;                  /* 0: none is pushed */
    uint32_t npushed;
    uint32_t *value, *as_signed; /* ids by slot: what was loaded; 0: not needed */
};

static void put(struct writer *w, uint32_t op, const uint32_t *words, uint32_t n)
{
    w->out[w->n++] = (n + 1) << 16 | op;
    memcpy(w->out + w->n, words, n * sizeof *words);
    w->n += n;
}
#define PUT(w, op, ...)                         \
    put(w, op, (const uint32_t[]){__VA_ARGS__}, \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void put_decorations(struct writer *w)
{
    PUT(w, OP_DECORATE, w->array, DECORATION_ARRAY_STRIDE, 4);
    PUT(w, OP_DECORATE, w->block, DECORATION_BLOCK);
    PUT(w, OP_MEMBER_DECORATE, w->block, 0, DECORATION_OFFSET, 0);
}

/* uint pushed[npushed], in a block; and the numbers of its words, from id `first` on. */
static void put_globals(struct writer *w, uint32_t first)
{
    uint32_t type = w->module->uint_type, pointer = w->next++;
    for (uint32_t i = 0; i <= w->npushed; i++)
        PUT(w, OP_CONSTANT, type, first + i, i);
    PUT(w, OP_TYPE_ARRAY, w->array, type, first + w->npushed);
    PUT(w, OP_TYPE_STRUCT, w->block, w->array);
    PUT(w, OP_TYPE_POINTER, pointer, STORAGE_PUSH_CONSTANT, w->block);
    PUT(w, OP_TYPE_POINTER, w->word, STORAGE_PUSH_CONSTANT, type);
    PUT(w, OP_VARIABLE, pointer, w->variable, STORAGE_PUSH_CONSTANT);
}

static void put_loads(struct writer *w, uint32_t first)
{
    for (uint32_t i = 0; i < w->npushed; i++) {
        uint32_t at = w->next++;
        PUT(w, OP_ACCESS_CHAIN, w->word, at, w->variable, first, first + i);
        PUT(w, OP_LOAD, w->module->uint_type, w->value[i], at);
        if (w->as_signed[i])
            PUT(w, OP_BITCAST, w->signed_type, w->as_signed[i], w->value[i]);
    }
}

static void put_instruction(struct writer *w, uint32_t at)
{
    const uint32_t *words = w->module->words + at;
    uint32_t n = words[0] >> 16;
    memcpy(w->out + w->n, words, n * sizeof *words);
    if ((words[0] & 0xffff) == OP_ENTRY_POINT && w->module->words[1] >= ALL_IN_INTERFACE) {
        w->out[w->n] = (n + 1) << 16 | OP_ENTRY_POINT;
        w->out[w->n + n++] = w->variable;
    }
    w->n += n;
}

/* Whether instruction `op` stands among the types and global variables. */
static bool is_global(uint32_t op)
{
    return (op >= OP_TYPE_VOID && op <= OP_TYPE_FUNCTION) || op == OP_CONSTANT || op == OP_VARIABLE;
}

/* All instructions, and between them what is added. */
static void put_all(struct writer *w, const struct code_number *numbers, const uint32_t *slots,
                    uint32_t count)
{
    const struct code *m = w->module;
    uint32_t first = w->next, number = 0;
    bool has_globals = false, has_functions = false, in_main = false;
    w->next += w->npushed + 1;
    for (uint32_t at = 5, before = 0; at < m->n; at += m->words[at] >> 16) {
        uint32_t op = m->words[at] & 0xffff;
        if (!has_globals && is_global(op)) {
            put_decorations(w);
            has_globals = true;
        }
        if (!has_functions && op == OP_FUNCTION) {
            put_globals(w, first);
            has_functions = true;
        }
        if (in_main && op != OP_VARIABLE && (before == OP_LABEL || before == OP_VARIABLE)) {
            put_loads(w, first);
            in_main = false;
        }
        in_main |= op == OP_FUNCTION && m->words[at + 2] == m->entry;
        uint32_t to = w->n;
        put_instruction(w, at);
        for (; number < count && numbers[number].at < at + (m->words[at] >> 16); number++)
            if (slots[number] != NOT_PUSHED)
                w->out[to + numbers[number].at - at] = numbers[number].is_signed
                                                           ? w->as_signed[slots[number]]
                                                           : w->value[slots[number]];
        before = op;
    }
}

uint32_t *pushed_write(struct arena *a, const struct code *m, const struct code_number *numbers,
                       const uint32_t *slots, uint32_t count, uint32_t npushed, uint32_t *out_n)
{
    struct writer w = {.module = m, .next = m->bound, .npushed = npushed};
    w.out = ARENA_ARRAY(a, uint32_t, m->n + ROOM + (size_t)PER_SLOT * npushed);
    w.value = ARENA_ARRAY(a, uint32_t, 2 * npushed);
    if (!w.out || !w.value)
        return NULL;
    w.as_signed = w.value + npushed;
    w.array = w.next++, w.block = w.next++, w.word = w.next++, w.variable = w.next++;
    for (uint32_t i = 0; i < npushed; i++)
        w.value[i] = w.next++;
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] != NOT_PUSHED && numbers[i].is_signed) {
            w.signed_type = m->words[m->integer[m->words[numbers[i].at]] + 1];
            if (!w.as_signed[slots[i]])
                w.as_signed[slots[i]] = w.next++;
        }
    memcpy(w.out, m->words, 5 * sizeof *w.out);
    w.n = 5;
    put_all(&w, numbers, slots, count);
    w.out[3] = w.next;
    *out_n = w.n;
    return w.out;
}
