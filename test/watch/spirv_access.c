#include "spirv_access.h"

#include <stdlib.h>
#include <string.h>

enum {
    OP_FUNCTION_CALL = 57,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_COPY_MEMORY = 63,
    OP_ACCESS_CHAIN = 65,
    OP_IN_BOUNDS_ACCESS_CHAIN = 66,
    OP_PTR_ACCESS_CHAIN = 67,
    OP_ARRAY_LENGTH = 68,
    OP_DECORATE = 71,
    OP_COPY_OBJECT = 83,
    OP_ATOMIC_LOAD = 227,
    OP_ATOMIC_STORE = 228,
    OP_ATOMIC_EXCHANGE = 229,
    OP_ATOMIC_XOR = 242,
    OP_MATRIX_LOAD = 4457,
    OP_MATRIX_STORE = 4458,
    OP_ATOMIC_FMIN = 5614,
    OP_ATOMIC_FMAX = 5615,
    OP_ATOMIC_FADD = 6035,
    DECORATION_BINDING = 33,
};

/* Of every id: 1 + the binding of the variable that it is, or points into; 0 for all else. */
struct roots {
    uint32_t *binding, limit;
};

static uint32_t root(const struct roots *r, uint32_t id)
{
    return id < r->limit ? r->binding[id] : 0;
}

static void note(const struct roots *r, uint32_t id, uint32_t uses, struct spirv_access *out)
{
    uint32_t binding = root(r, id);
    if (binding)
        out->uses[binding - 1] |= (uint8_t)uses;
}

/* Bindings are decorated before any variable is declared; an access chain stands before what
   uses it. */
static bool read_instruction(const uint32_t *w, uint32_t length, struct roots *r,
                             struct spirv_access *out)
{
    uint32_t opcode = w[0] & 0xffff;
    if (opcode == OP_DECORATE && length == 4 && w[2] == DECORATION_BINDING) {
        if (w[3] >= SPIRV_BINDINGS || w[1] >= r->limit)
            return false;
        r->binding[w[1]] = w[3] + 1;
        if (out->nbindings <= w[3])
            out->nbindings = w[3] + 1;
    } else if ((opcode >= OP_ACCESS_CHAIN && opcode <= OP_PTR_ACCESS_CHAIN) ||
               opcode == OP_COPY_OBJECT) {
        if (length < 4 || w[2] >= r->limit)
            return false;
        r->binding[w[2]] = root(r, w[3]);
    } else if (opcode == OP_LOAD || opcode == OP_ATOMIC_LOAD || opcode == OP_MATRIX_LOAD) {
        note(r, w[3], SPIRV_READS, out);
    } else if (opcode == OP_STORE || opcode == OP_ATOMIC_STORE || opcode == OP_MATRIX_STORE) {
        note(r, w[1], SPIRV_WRITES, out);
    } else if (opcode == OP_COPY_MEMORY) {
        note(r, w[1], SPIRV_WRITES, out);
        note(r, w[2], SPIRV_READS, out);
    } else if ((opcode >= OP_ATOMIC_EXCHANGE && opcode <= OP_ATOMIC_XOR) ||
               opcode == OP_ATOMIC_FMIN || opcode == OP_ATOMIC_FMAX || opcode == OP_ATOMIC_FADD) {
        note(r, w[3], SPIRV_READS | SPIRV_WRITES, out);
    } else if (opcode == OP_FUNCTION_CALL) { /* a pointer handed on may be used in any way */
        for (uint32_t i = 4; i < length; i++)
            note(r, w[i], SPIRV_READS | SPIRV_WRITES, out);
    } else if (opcode == OP_ARRAY_LENGTH) {
        out->has_length = true;
    }
    return true;
}

bool spirv_access_read(const uint32_t *words, size_t count, struct spirv_access *out)
{
    struct roots r = {0};
    bool ok = false;
    memset(out, 0, sizeof *out);
    if (count < 5 || words[3] > 1u << 24)
        return false;
    r.limit = words[3];
    r.binding = calloc((size_t)r.limit + 1, sizeof *r.binding);
    if (!r.binding)
        return false;
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        uint32_t length = words[at] >> 16;
        if (!length || length > count - at || !read_instruction(words + at, length, &r, out))
            goto out;
    }
    ok = true;
out:
    free(r.binding);
    return ok;
}
