/* An invocation, instruction by instruction: memory, control, and what takes values apart. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "matrix.h"
#include "spirv_op.h"
#include "state.h"

bool thread_fail(const struct state *s, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(s->g->error, s->g->error_size, "workgroup %u, invocation %u: %s", s->g->index,
             s->index, text);
    return false;
}

/* ---- memory ---- */

/* Says who else touches a word. */
static bool races(const struct state *s, struct mark other, struct moment now, const char *what,
                  uint32_t binding, uint64_t word, bool writes)
{
    bool earlier = other.step != now.step;
    return thread_fail(
        s, "%s word %llu of %s %u, which %s %u%s of workgroup %u touches with no barrier between",
        writes ? "writes" : "reads", (unsigned long long)word, what, binding,
        earlier ? "an earlier step, invocation" : "invocation", other.thread,
        other.many_threads || other.many_groups ? " and others" : "", other.group);
}

static bool touch_shared(const struct state *s, uint64_t at, bool writes, bool atomic)
{
    const struct mark by = {.step = s->g->shared_now.step,
                            .interval = s->g->interval,
                            .fenced = s->g->interval,
                            .thread = s->index,
                            .group = s->g->index,
                            .atomic = atomic};
    if (at >= s->m->shared_words)
        return thread_fail(s, "shared memory has no word %llu", (unsigned long long)at);
    const struct mark *other = memory_conflict(&s->g->cells[at], s->g->shared_now, &by, writes);
    memory_note(&s->g->cells[at], &by, writes);
    return !other || races(s, *other, s->g->shared_now, "shared memory", 0, at, writes);
}

bool thread_touch_shared(const struct state *s, uint64_t at, bool writes)
{
    return touch_shared(s, at, writes, false);
}

/* A read that races with a write of its own dispatch gives garbage and is not an error: the threads
   of a row all read what one of them writes in place, and the others do nothing with it. Some
   order of invocations has the write first. */
static bool touch_buffer(const struct state *s, uint32_t binding, uint64_t at, uint32_t bytes,
                         bool writes, bool atomic, bool *out_garbage)
{
    const struct binding *b = binding < s->g->nbindings ? &s->g->bindings[binding] : NULL;
    if (!b || at > b->bytes || bytes > b->bytes - at || at % 4)
        return thread_fail(s, "%s %u bytes at byte %llu of binding %u, which has %llu",
                           writes ? "writes" : "reads", bytes, (unsigned long long)at, binding,
                           (unsigned long long)(b ? b->bytes : 0));
    if (!(b->access & (writes ? 2u : 1u)) && !atomic)
        return thread_fail(s, "%s binding %u, which the plan does not say",
                           writes ? "writes" : "reads", binding);
    const struct mark by = {.step = s->g->now.step,
                            .interval = s->g->interval,
                            .fenced = s->g->buffer_interval,
                            .thread = s->index,
                            .group = s->g->index,
                            .atomic = atomic};
    for (uint64_t word = at / 4; word < (at + bytes + 3) / 4; word++) {
        const struct mark *other = memory_conflict(&b->cells[word], s->g->now, &by, writes);
        if (other && (other->step != s->g->now.step || writes == (other == &b->cells[word].write) ||
                      atomic || other->atomic))
            return races(s, *other, s->g->now, "binding", binding, word, writes);
        *out_garbage |= other && !writes;
        memory_note(&b->cells[word], &by, writes);
    }
    return true;
}

static void count_access(const struct state *s, bool writes)
{
    struct machine_counts *counts = s->g->options->counts;
    if (counts)
        ++*(writes ? &counts->stores : &counts->loads);
}

/* Moves a value between registers and memory. A vector in a buffer is read as its numbers. */
static bool move(const struct state *s, uint32_t type, const uint64_t *pointer, uint64_t *value,
                 bool writes, bool atomic)
{
    const struct spirv_type *t = &s->m->types[type];
    if ((pointer[0] & 0xff) == POINTS_FILE) {
        uint64_t *place = s->t->file + pointer[1];
        memcpy(writes ? place : value, writes ? value : place, t->words * sizeof *value);
        return true;
    }
    if ((pointer[0] & 0xff) == POINTS_SHARED) {
        for (uint32_t i = 0; i < t->words; i++) {
            if (!touch_shared(s, pointer[1] + i, writes, atomic))
                return false;
            uint64_t *place = &s->g->shared[pointer[1] + i];
            *(writes ? place : &value[i]) = writes ? value[i] : *place;
        }
        return true;
    }
    uint32_t width = t->kind == KIND_VECTOR ? s->m->types[t->element].width : t->width,
             bytes = width / 8, binding = (uint32_t)(pointer[0] >> 8);
    if (!bytes)
        return thread_fail(s, "a value in a buffer that is neither a number nor a vector");
    bool is_garbage = false;
    count_access(s, writes);
    if (!touch_buffer(s, binding, pointer[1], bytes * t->words, writes, atomic, &is_garbage))
        return false;
    for (uint32_t i = 0; i < t->words; i++) {
        uint8_t *place = s->g->bindings[binding].data + pointer[1] + (size_t)i * bytes;
        if (!writes)
            value[i] = 0;
        memcpy(writes ? (void *)place : (void *)&value[i],
               writes ? (void *)&value[i] : (void *)place, bytes);
        if (is_garbage)
            value[i] = cut(0xa5a5a5a55a5a5a5a, width);
    }
    return true;
}

/* Four words of a buffer that is bound as texels. Of the last texel, what is behind the buffer's
   end is garbage. */
static bool fetch(const struct state *s, const struct spirv_inst *i)
{
    uint32_t binding = (uint32_t)(s->t->file[i->a] >> 8);
    uint64_t at = VKB_TEXEL_BYTES * s->t->file[i->b];
    const struct binding *b = binding < s->g->nbindings ? &s->g->bindings[binding] : NULL;
    if (!b || !vkb_is_texels(s->g->body, binding) || at >= vkb_texel_view_bytes(b->bytes))
        return thread_fail(s, "reads a texel at byte %llu of binding %u, which has %llu",
                           (unsigned long long)at, binding, (unsigned long long)(b ? b->bytes : 0));
    count_access(s, false);
    for (uint32_t k = 0; k < 4; k++, at += 4) {
        bool is_garbage = at >= b->bytes;
        uint32_t word = 0;
        if (!is_garbage && !touch_buffer(s, binding, at, 4, false, false, &is_garbage))
            return false;
        if (!is_garbage)
            memcpy(&word, b->data + at, sizeof word);
        s->t->file[i->to + k] = is_garbage ? 0x5a5a5a5a : word;
    }
    return true;
}

static bool access_chain(const struct state *s, const struct spirv_inst *i)
{
    const uint64_t *base = s->t->file + i->a;
    uint32_t type = s->m->types[s->m->ids[i->words[0]].type].element;
    bool in_buffer = (base[0] & 0xff) == POINTS_BUFFER;
    uint64_t at = base[1];
    for (uint32_t k = 1; k < i->nwords; k++) {
        const struct spirv_type *t = &s->m->types[type];
        uint32_t index = (uint32_t)s->t->file[s->m->ids[i->words[k]].at];
        if (t->kind == KIND_STRUCT) {
            at += in_buffer ? t->offsets[index & 7] : module_member_at(s->m, t, index);
            type = t->members[index];
            continue;
        }
        if (t->kind != KIND_RUNTIME_ARRAY && index >= t->count)
            return thread_fail(s, "index %u of an array of %u", index, t->count);
        const struct spirv_type *element = &s->m->types[t->element];
        at += (uint64_t)index * (!in_buffer               ? element->words
                                 : t->kind == KIND_VECTOR ? element->width / 8
                                                          : t->stride);
        type = t->element;
    }
    s->t->file[i->to] = base[0];
    s->t->file[i->to + 1] = at;
    return true;
}

static bool atomic(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *to = s->t->file + i->to,
             operand = i->nwords > 3 ? s->t->file[s->m->ids[i->words[3]].at] : 0, old, next;
    if (i->op == OP_ATOMIC_STORE) {
        next = s->t->file[s->m->ids[i->words[3]].at];
        return move(s, s->m->types[s->m->ids[i->words[0]].type].element, s->t->file + i->a, &next,
                    true, true);
    }
    if (!move(s, i->type, s->t->file + i->a, to, false, true))
        return false;
    old = *to;
    uint32_t width = i->result_width;
    switch (i->op) {
    case OP_ATOMIC_LOAD: return true;
    case OP_ATOMIC_EXCHANGE: next = operand; break;
    case OP_ATOMIC_ADD: next = cut(old + operand, width); break;
    case OP_ATOMIC_SUB: next = cut(old - operand, width); break;
    case OP_ATOMIC_U_MIN: next = old < operand ? old : operand; break;
    case OP_ATOMIC_U_MAX: next = old > operand ? old : operand; break;
    case OP_ATOMIC_S_MIN: next = extend(old, width) < extend(operand, width) ? old : operand; break;
    case OP_ATOMIC_S_MAX: next = extend(old, width) > extend(operand, width) ? old : operand; break;
    case OP_ATOMIC_AND: next = old & operand; break;
    case OP_ATOMIC_OR: next = old | operand; break;
    case OP_ATOMIC_XOR: next = old ^ operand; break;
    default: return thread_fail(s, "atomic instruction %u", i->op);
    }
    return move(s, i->type, s->t->file + i->a, &next, true, true);
}

/* ---- control ---- */

static void jump(const struct state *s, uint32_t label)
{
    s->t->from = s->t->label;
    s->t->label = label;
    s->t->at = s->m->ids[label].at;
}

static bool call(const struct state *s, const struct spirv_inst *i)
{
    struct thread *t = s->t;
    if (t->depth == MAX_CALLS)
        return thread_fail(s, "calls deeper than %d", MAX_CALLS);
    t->calls[t->depth].at = t->at, t->calls[t->depth].to = i->to,
    t->calls[t->depth++].label = t->label;
    const uint32_t *w = s->m->ids[i->words[0]].words;
    w += w[0] >> 16;
    for (uint32_t k = 1; (w[0] & 0xffff) == OP_FUNCTION_PARAMETER; w += w[0] >> 16, k++)
        memcpy(t->file + s->m->ids[w[2]].at, t->file + s->m->ids[i->words[k]].at,
               s->m->types[w[1]].words * sizeof *t->file);
    t->at = s->m->ids[i->words[0]].at;
    return true;
}

static void leave(const struct state *s, const struct spirv_inst *i)
{
    struct thread *t = s->t;
    if (!t->depth) {
        t->ended = true;
        return;
    }
    t->depth--;
    if (i->op == OP_RETURN_VALUE)
        memmove(t->file + t->calls[t->depth].to, t->file + i->a,
                s->m->types[s->m->ids[i->words[0]].type].words * sizeof *t->file);
    t->at = t->calls[t->depth].at;
    t->label = t->calls[t->depth].label;
}

static void choose(const struct state *s, const struct spirv_inst *i)
{
    uint32_t label = i->words[1];
    for (uint32_t k = 2; k + 1 < i->nwords; k += 2)
        if (i->words[k] == (uint32_t)s->t->file[i->a])
            label = i->words[k + 1];
    jump(s, label);
}

static void phi(const struct state *s, const struct spirv_inst *i)
{
    for (uint32_t k = 0; k + 1 < i->nwords; k += 2)
        if (i->words[k + 1] == s->t->from)
            memcpy(s->t->file + i->to, s->t->file + s->m->ids[i->words[k]].at,
                   i->count * sizeof *s->t->file);
}

/* ---- values ---- */

static bool compose(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file, *to = f + i->to;
    if (i->op == OP_CONSTRUCT) {
        for (uint32_t k = 0; k < i->nwords; k++) {
            uint32_t words = s->m->types[s->m->ids[i->words[k]].type].words;
            memcpy(to, f + s->m->ids[i->words[k]].at, words * sizeof *to);
            to += words;
        }
        return true;
    }
    if (i->op == OP_VECTOR_SHUFFLE) {
        uint32_t first = s->m->types[s->m->ids[i->words[0]].type].words;
        for (uint32_t k = 0; k < i->count; k++) {
            uint32_t from = i->words[2 + k];
            to[k] = from < first ? f[i->a + from] : f[i->b + from - first];
        }
        return true;
    }
    bool inserts = i->op == OP_INSERT;
    uint32_t type = s->m->ids[i->words[inserts]].type, at = 0;
    for (uint32_t k = 1 + inserts; k < i->nwords; k++) {
        const struct spirv_type *t = &s->m->types[type];
        bool is_struct = t->kind == KIND_STRUCT;
        at += is_struct ? module_member_at(s->m, t, i->words[k])
                        : i->words[k] * s->m->types[t->element].words;
        type = is_struct ? t->members[i->words[k]] : t->element;
    }
    if (inserts)
        memcpy(to, f + i->b, i->count * sizeof *to);
    memcpy(inserts ? to + at : to, inserts ? f + i->a : f + i->a + at,
           s->m->types[type].words * sizeof *to);
    return true;
}

static bool vector_at(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    bool inserts = i->op == OP_VECTOR_INSERT;
    uint32_t count = s->m->types[s->m->ids[i->words[0]].type].words;
    uint64_t index = f[inserts ? i->c : i->b];
    if (index >= count)
        return thread_fail(s, "element %llu of a vector of %u", (unsigned long long)index, count);
    if (!inserts) {
        f[i->to] = f[i->a + index];
        return true;
    }
    memcpy(f + i->to, f + i->a, count * sizeof *f);
    f[i->to + index] = f[i->b];
    return true;
}

/* ---- the loop ---- */

static bool step(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    if (i->op >= OP_STD)
        return arithmetic(s, i);
    switch (i->op) {
    case OP_LABEL: s->t->label = i->words[0]; return true;
    case OP_VARIABLE:
        if (i->nwords > 1) {
            uint32_t at = s->m->ids[i->words[1]].at;
            memcpy(f + i->to + 2, f + at,
                   s->m->types[s->m->ids[i->words[1]].type].words * sizeof *f);
        }
        return true;
    case OP_IMAGE_FETCH: return fetch(s, i);
    case OP_LOAD:
        if (s->m->types[i->type].kind == KIND_IMAGE) {
            f[i->to] = f[i->a];
            return true;
        }
        return move(s, i->type, f + i->a, f + i->to, false, false);
    case OP_STORE:
        return move(s, s->m->types[s->m->ids[i->words[0]].type].element, f + i->a, f + i->b, true,
                    false);
    case OP_ACCESS_CHAIN: return access_chain(s, i);
    case OP_ARRAY_LENGTH: {
        const struct spirv_type *t = &s->m->types[s->m->types[s->m->ids[i->words[0]].type].element];
        f[i->to] = s->g->bindings[f[i->a] >> 8].bytes / s->m->types[t->members[i->words[1]]].stride;
        return true;
    }
    case OP_F_ADD:
    case OP_F_MUL:
        return s->m->types[i->type].kind == KIND_MATRIX ? matrix_step(s, i) : arithmetic(s, i);
    case OP_MATRIX_LOAD:
    case OP_MATRIX_STORE:
    case OP_MATRIX_MULTIPLY_ADD: return matrix_step(s, i);
    case OP_FUNCTION_CALL: return call(s, i);
    case OP_RETURN:
    case OP_RETURN_VALUE: leave(s, i); return true;
    case OP_BRANCH: jump(s, i->words[0]); return true;
    case OP_BRANCH_CONDITIONAL: jump(s, i->words[f[i->a] ? 1 : 2]); return true;
    case OP_SWITCH: choose(s, i); return true;
    case OP_PHI: phi(s, i); return true;
    case OP_UNDEF: return true;
    case OP_COPY: memcpy(f + i->to, f + i->a, i->count * sizeof *f); return true;
    case OP_CONSTRUCT:
        return s->m->types[i->type].kind == KIND_MATRIX ? matrix_step(s, i) : compose(s, i);
    case OP_EXTRACT:
    case OP_INSERT:
    case OP_VECTOR_SHUFFLE: return compose(s, i);
    case OP_VECTOR_EXTRACT:
    case OP_VECTOR_INSERT: return vector_at(s, i);
    case OP_SELECT: {
        bool by_number = s->m->types[s->m->ids[i->words[0]].type].words > 1;
        for (uint32_t k = 0; k < i->count; k++)
            f[i->to + k] = f[(f[i->a + (by_number ? k : 0)] ? i->b : i->c) + k];
        return true;
    }
    case OP_MEMORY_BARRIER:
        s->t->fenced |= (f[s->m->ids[i->words[1]].at] & SEMANTICS_UNIFORM_MEMORY) != 0;
        return true;
    default: break;
    }
    if (i->op >= OP_ATOMIC_LOAD && i->op <= OP_ATOMIC_XOR)
        return atomic(s, i);
    return arithmetic(s, i);
}

bool thread_run(struct group *g, uint32_t index)
{
    struct state s = {g, g->module, &g->threads[index], index};
    while (!s.t->ended) {
        const struct spirv_inst *i = &g->module->insts[s.t->at++];
        if (i->op == OP_CONTROL_BARRIER) {
            s.t->fenced |=
                (s.t->file[g->module->ids[i->words[2]].at] & SEMANTICS_UNIFORM_MEMORY) != 0;
            return true;
        }
        if (!s.t->left--)
            return thread_fail(&s, "does not end");
        if (!step(&s, i))
            return false;
    }
    return true;
}
