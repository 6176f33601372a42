/* Modules of SPIR-V that are spoilt in one way, for the verifier of SPIR-V from outside. */
#ifndef TEST_SPOIL_H
#define TEST_SPOIL_H

#include <stdlib.h>
#include <string.h>

#include "../../runtime/spirv_check.h"
#include "builder.h"
#include "harness.h"

enum { ROOM = 8192 };

/* A copy of the module to spoil. */
struct module {
    uint32_t words[ROOM], count;
    struct spirv_claim claim;
};

static inline void make_of(struct module *m, enum builder_kernel kernel, struct spirv_claim claim)
{
    static struct builder b;
    builder_init(&b, "spoilt");
    builder_kernel(&b, kernel);
    memcpy(m->words, b.spirv, b.nspirv * sizeof *b.spirv);
    m->count = b.nspirv;
    m->claim = claim;
}

static inline bool opens(const struct module *m, char error[320])
{
    struct spirv_module opened;
    /* so that the sanitizer sees a step outside */
    uint32_t *copy = malloc((m->count ? m->count : 1) * sizeof *copy);
    memcpy(copy, m->words, m->count * sizeof *copy);
    bool ok = spirv_open(copy, m->count, &m->claim, &opened, error, 320);
    spirv_close(&opened);
    free(copy);
    return ok;
}

/* ---- finding and changing ---- */

/* Word of the nth instruction of that kind. */
static inline uint32_t at(const struct module *m, uint32_t op, uint32_t nth)
{
    for (uint32_t i = 5; i < m->count; i += m->words[i] >> 16)
        if ((m->words[i] & 0xffff) == op && nth-- == 0)
            return i;
    CHECK(false, "no Op%u", op);
    return 5;
}

/* Operand of it: 1 is the first word after the opcode. */
static inline uint32_t *operand(struct module *m, uint32_t op, uint32_t nth, uint32_t which)
{
    return &m->words[at(m, op, nth) + which];
}

/* The instruction that defines the id. */
static inline uint32_t *defines(struct module *m, uint32_t id)
{
    for (uint32_t i = 5; i < m->count; i += m->words[i] >> 16) {
        const struct spirv_op_rule *rule = spirv_op_rule(m->words[i] & 0xffff);
        bool is_type = rule && rule->form >= FORM_TYPE_VOID && rule->form <= FORM_TYPE_FUNCTION;
        if ((m->words[i] >> 16) > 2 && rule && rule->rank >= RANK_GLOBALS &&
            m->words[i + (is_type ? 1 : 2)] == id)
            return &m->words[i];
    }
    CHECK(false, "nothing defines %u", id);
    return m->words;
}

static inline void insert(struct module *m, uint32_t place, const uint32_t *words, uint32_t count)
{
    memmove(m->words + place + count, m->words + place, (m->count - place) * sizeof *m->words);
    memcpy(m->words + place, words, count * sizeof *words);
    m->count += count;
}

static inline void drop(struct module *m, uint32_t place)
{
    uint32_t n = m->words[place] >> 16;
    memmove(m->words + place, m->words + place + n, (m->count - place - n) * sizeof *m->words);
    m->count -= n;
}

static inline uint32_t new_id(struct module *m)
{
    return m->words[3]++;
}

#define INST(op, ...)                                                                   \
    (const uint32_t[])                                                                  \
    {                                                                                   \
        (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1) << 16 | (op), __VA_ARGS__ \
    }
#define INSERT(m, place, op, ...) \
    insert(m, place, INST(op, __VA_ARGS__), (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1))

/* `make` fills a module, which is m in `change`. */
#define SPOILT(make, change, text)                                                      \
    do {                                                                                \
        static struct module spoilt, *m = &spoilt;                                      \
        char error[320] = "";                                                           \
        make(m);                                                                        \
        change;                                                                         \
        CHECK(!opens(m, error) && strstr(error, text), "%s: said: %s", #change, error); \
    } while (0)

#endif
