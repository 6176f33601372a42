/* An invocation, instruction by instruction. Numbers lie in 64-bit words: integers zero-extended, floats as bits. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "group.h"
#include "spirv_op.h"

struct state {
    struct group *g;
    const struct spirv_module *m;
    struct thread *t;
    uint32_t index;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool fail(const struct state *s, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(s->g->error, s->g->error_size, "workgroup %u, invocation %u: %s", s->g->index, s->index, text);
    return false;
}

/* ---- numbers ---- */

static uint64_t cut(uint64_t x, uint32_t width) { return width < 64 ? x & (((uint64_t)1 << width) - 1) : x; }
static int64_t extend(uint64_t x, uint32_t width) { return width < 64 ? (int64_t)(x << (64 - width)) >> (64 - width) : (int64_t)x; }

static float to_f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static double to_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double number(uint64_t bits, uint32_t width) { return width == 32 ? to_f32(bits) : to_f64(bits); }
static uint64_t bits_of(double x, uint32_t width) { return width == 32 ? of_f32((float)x) : of_f64(x); }

static bool is_flushed(const struct group *g, uint32_t width, double x) { return g->options->flushes && width == 32 && fabs(x) < 0x1p-126; }

/* A float as comparisons, abs, min and max see it. */
static double seen(const struct group *g, uint64_t bits, uint32_t width)
{
    double x = number(bits, width);
    return is_flushed(g, width, x) ? copysign(0, x) : x;
}

static uint64_t fused(const struct group *g, uint64_t a, uint64_t b, uint64_t c, uint32_t width)
{
    if (width == 64)
        return of_f64(fma(to_f64(a), to_f64(b), to_f64(c)));
    float r = fmaf((float)seen(g, a, 32), (float)seen(g, b, 32), (float)seen(g, c, 32));
    return of_f32((float)seen(g, of_f32(r), 32));
}

static uint64_t product_and_sum(uint64_t a, uint64_t b, uint64_t c, uint32_t width)
{
    if (width == 64)
        return of_f64(to_f64(a) * to_f64(b) + to_f64(c));
    float product = to_f32(a) * to_f32(b);
    return of_f32(product + to_f32(c));
}

/* Of two numbers of which one is a NaN a driver may give either. */
static uint64_t least(const struct group *g, uint64_t a, uint64_t b, uint32_t width, bool most)
{
    double x = seen(g, a, width), y = seen(g, b, width);
    if (isnan(x) || isnan(y))
        return g->options->seed & 1 ? a : b;
    return bits_of(most ? (x < y ? y : x) : (y < x ? y : x), width);
}

/* ---- memory ---- */

/* Says who else touches a word. */
static bool races(const struct state *s, struct mark other, struct moment now, const char *what, uint32_t binding, uint64_t word, bool writes)
{
    bool earlier = other.step != now.step;
    return fail(s, "%s word %llu of %s %u, which %s %u%s of workgroup %u touches with no barrier between", writes ? "writes" : "reads",
                (unsigned long long)word, what, binding, earlier ? "an earlier step, invocation" : "invocation", other.thread,
                other.many_threads || other.many_groups ? " and others" : "", other.group);
}

static bool touch_shared(const struct state *s, uint64_t at, bool writes, bool atomic)
{
    const struct mark by = {.step = s->g->shared_now.step, .interval = s->g->interval, .fenced = s->g->interval, .thread = s->index, .group = s->g->index, .atomic = atomic};
    if (at >= s->m->shared_words)
        return fail(s, "shared memory has no word %llu", (unsigned long long)at);
    const struct mark *other = memory_conflict(&s->g->cells[at], s->g->shared_now, &by, writes);
    memory_note(&s->g->cells[at], &by, writes);
    return !other || races(s, *other, s->g->shared_now, "shared memory", 0, at, writes);
}

/* A read that races with a write of its own dispatch gives garbage and is no error: the threads of a row all read what
   one of them writes in place, and the others do nothing with it. Some order of invocations has the write first. */
static bool touch_buffer(const struct state *s, uint32_t binding, uint64_t at, uint32_t bytes, bool writes, bool atomic, bool *out_garbage)
{
    const struct binding *b = binding < s->g->nbindings ? &s->g->bindings[binding] : NULL;
    if (!b || at > b->bytes || bytes > b->bytes - at || at % 4)
        return fail(s, "%s %u bytes at byte %llu of binding %u, which has %llu", writes ? "writes" : "reads", bytes, (unsigned long long)at, binding,
                    (unsigned long long)(b ? b->bytes : 0));
    if (!(b->access & (writes ? 2u : 1u)) && !atomic)
        return fail(s, "%s binding %u, which the plan does not say", writes ? "writes" : "reads", binding);
    const struct mark by = {.step = s->g->now.step, .interval = s->g->interval, .fenced = s->g->buffer_interval, .thread = s->index, .group = s->g->index, .atomic = atomic};
    for (uint64_t word = at / 4; word < (at + bytes + 3) / 4; word++) {
        const struct mark *other = memory_conflict(&b->cells[word], s->g->now, &by, writes);
        if (other && (other->step != s->g->now.step || writes == (other == &b->cells[word].write) || atomic || other->atomic))
            return races(s, *other, s->g->now, "binding", binding, word, writes);
        *out_garbage |= other && !writes;
        memory_note(&b->cells[word], &by, writes);
    }
    return true;
}

/* Moves a value between registers and memory. A vector in a buffer is read as its numbers. */
static bool move(const struct state *s, uint32_t type, const uint64_t *pointer, uint64_t *value, bool writes, bool atomic)
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
    uint32_t width = t->kind == KIND_VECTOR ? s->m->types[t->element].width : t->width, bytes = width / 8, binding = (uint32_t)(pointer[0] >> 8);
    if (!bytes)
        return fail(s, "a value in a buffer that is neither a number nor a vector");
    bool is_garbage = false;
    if (!touch_buffer(s, binding, pointer[1], bytes * t->words, writes, atomic, &is_garbage))
        return false;
    for (uint32_t i = 0; i < t->words; i++) {
        uint8_t *place = s->g->bindings[binding].data + pointer[1] + (size_t)i * bytes;
        if (!writes)
            value[i] = 0;
        memcpy(writes ? (void *)place : (void *)&value[i], writes ? (void *)&value[i] : (void *)place, bytes);
        if (is_garbage)
            value[i] = cut(0xa5a5a5a55a5a5a5a, width);
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
            return fail(s, "index %u of an array of %u", index, t->count);
        const struct spirv_type *element = &s->m->types[t->element];
        at += (uint64_t)index * (!in_buffer ? element->words : t->kind == KIND_VECTOR ? element->width / 8 : t->stride);
        type = t->element;
    }
    s->t->file[i->to] = base[0];
    s->t->file[i->to + 1] = at;
    return true;
}

static bool atomic(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *to = s->t->file + i->to, operand = i->nwords > 3 ? s->t->file[s->m->ids[i->words[3]].at] : 0, old, next;
    if (i->op == OP_ATOMIC_STORE) {
        next = s->t->file[s->m->ids[i->words[3]].at];
        return move(s, s->m->types[s->m->ids[i->words[0]].type].element, s->t->file + i->a, &next, true, true);
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
    default: return fail(s, "atomic instruction %u", i->op);
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
        return fail(s, "calls deeper than %d", MAX_CALLS);
    t->calls[t->depth].at = t->at, t->calls[t->depth].to = i->to, t->calls[t->depth++].label = t->label;
    const uint32_t *w = s->m->ids[i->words[0]].words;
    w += w[0] >> 16;
    for (uint32_t k = 1; (w[0] & 0xffff) == OP_FUNCTION_PARAMETER; w += w[0] >> 16, k++)
        memcpy(t->file + s->m->ids[w[2]].at, t->file + s->m->ids[i->words[k]].at, s->m->types[w[1]].words * sizeof *t->file);
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
        memmove(t->file + t->calls[t->depth].to, t->file + i->a, s->m->types[s->m->ids[i->words[0]].type].words * sizeof *t->file);
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
            memcpy(s->t->file + i->to, s->t->file + s->m->ids[i->words[k]].at, i->count * sizeof *s->t->file);
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
        at += is_struct ? module_member_at(s->m, t, i->words[k]) : i->words[k] * s->m->types[t->element].words;
        type = is_struct ? t->members[i->words[k]] : t->element;
    }
    if (inserts)
        memcpy(to, f + i->b, i->count * sizeof *to);
    memcpy(inserts ? to + at : to, inserts ? f + i->a : f + i->a + at, s->m->types[type].words * sizeof *to);
    return true;
}

static bool vector_at(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    bool inserts = i->op == OP_VECTOR_INSERT;
    uint32_t count = s->m->types[s->m->ids[i->words[0]].type].words;
    uint64_t index = f[inserts ? i->c : i->b];
    if (index >= count)
        return fail(s, "element %llu of a vector of %u", (unsigned long long)index, count);
    if (!inserts) {
        f[i->to] = f[i->a + index];
        return true;
    }
    memcpy(f + i->to, f + i->a, count * sizeof *f);
    f[i->to + index] = f[i->b];
    return true;
}

static uint64_t converted(const struct spirv_inst *i, uint64_t x)
{
    uint32_t from = i->width, to = i->result_width;
    double v;
    switch (i->op) {
    case OP_F_TO_U:
        v = trunc(number(x, from));
        return v >= 0 && v < ldexp(1, (int)to) ? (uint64_t)v : cut(0xdeadbeefdeadbeef, to); /* undefined */
    case OP_F_TO_S:
        v = trunc(number(x, from));
        return v >= -ldexp(1, (int)to - 1) && v < ldexp(1, (int)to - 1) ? cut((uint64_t)(int64_t)v, to) : cut(0xdeadbeefdeadbeef, to);
    case OP_S_TO_F:
        return to == 32 ? of_f32((float)extend(x, from)) : of_f64((double)extend(x, from));
    case OP_U_TO_F:
        return to == 32 ? of_f32((float)x) : of_f64((double)x);
    case OP_U_CONVERT:
        return cut(x, to);
    case OP_S_CONVERT:
        return cut((uint64_t)extend(x, from), to);
    default:
        return bits_of(number(x, from), to);
    }
}

/* Bits of a value as another type: of the same size, or vectors of other widths. */
static void bitcast(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    uint32_t words = s->m->types[s->m->ids[i->words[0]].type].words;
    uint8_t bytes[32];
    if (i->width == i->result_width) {
        memmove(f + i->to, f + i->a, words * sizeof *f);
        return;
    }
    for (uint32_t k = 0; k < words; k++)
        memcpy(bytes + k * i->width / 8, f + i->a + k, i->width / 8);
    for (uint32_t k = 0; k < i->count; k++) {
        f[i->to + k] = 0;
        memcpy(f + i->to + k, bytes + k * i->result_width / 8, i->result_width / 8);
    }
}

/* What a driver may make of a + b where one is a product: rounded once. */
static uint64_t contracted(const struct state *s, const struct spirv_inst *i, uint32_t k)
{
    uint64_t *f = s->t->file;
    uint32_t side = i->contracts[0] ? 0 : 1;
    const uint32_t *product = s->m->ids[i->words[side]].words;
    uint64_t x = f[s->m->ids[product[3]].at + k], y = f[s->m->ids[product[4]].at + k], z = f[(side ? i->a : i->b) + k];
    double sign = i->op == OP_F_SUB ? -1 : 1;
    if (i->width == 64)
        return of_f64(side ? fma(sign * to_f64(x), to_f64(y), to_f64(z)) : fma(to_f64(x), to_f64(y), sign * to_f64(z)));
    return of_f32(side ? fmaf((float)sign * to_f32(x), to_f32(y), to_f32(z)) : fmaf(to_f32(x), to_f32(y), (float)sign * to_f32(z)));
}

static bool float_arithmetic(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t a = f[i->a + k], b = f[i->b + (i->op == OP_VECTOR_TIMES_SCALAR ? 0 : k)], r;
        if (s->g->options->contracts && (i->contracts[0] || i->contracts[1])) {
            r = contracted(s, i, k);
        } else if (i->width == 32) {
            float x = to_f32(a), y = to_f32(b);
            r = of_f32(i->op == OP_F_ADD ? x + y : i->op == OP_F_SUB ? x - y : i->op == OP_F_DIV ? x / y : i->op == OP_F_NEGATE ? -x : x * y);
        } else {
            double x = to_f64(a), y = to_f64(b);
            r = of_f64(i->op == OP_F_ADD ? x + y : i->op == OP_F_SUB ? x - y : i->op == OP_F_DIV ? x / y : i->op == OP_F_NEGATE ? -x : x * y);
        }
        f[i->to + k] = r;
    }
    return true;
}

static bool compare_floats(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    for (uint32_t k = 0; k < i->count; k++) {
        double x = seen(s->g, f[i->a + k], i->width), y = seen(s->g, f[i->b + k], i->width);
        bool unordered = isnan(x) || isnan(y), r;
        switch (i->op & ~1u) { /* ordered and unordered come in pairs */
        case OP_F_EQUAL & ~1u: r = x == y; break;
        case OP_F_NOT_EQUAL & ~1u: r = !unordered && x != y; break;
        case OP_F_LESS & ~1u: r = x < y; break;
        case OP_F_GREATER & ~1u: r = x > y; break;
        case OP_F_LESS_EQUAL & ~1u: r = x <= y; break;
        default: r = x >= y; break;
        }
        f[i->to + k] = r || (unordered && (i->op - OP_F_EQUAL) % 2 == 1);
    }
    return true;
}

static bool integer_arithmetic(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    uint32_t width = i->width;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t a = f[i->a + k], b = f[i->b + k], r = 0;
        int64_t x = extend(a, width), y = extend(b, width);
        bool divides = i->op >= OP_U_DIV && i->op <= OP_S_MOD, shifts = i->op >= OP_SHIFT_RIGHT && i->op <= OP_SHIFT_LEFT;
        if (divides && (b == 0 || (i->op != OP_U_DIV && i->op != OP_U_MOD && y == -1 && x == extend((uint64_t)1 << (width - 1), width))))
            return fail(s, "%lld is divided by %lld", (long long)x, (long long)y);
        if ((i->op == OP_S_REM || i->op == OP_S_MOD) && (x < 0 || y < 0))
            return fail(s, "the remainder of %lld and %lld, which Vulkan does not define", (long long)x, (long long)y);
        if (shifts && b >= width)
            return fail(s, "a shift by %llu of %u bits", (unsigned long long)b, width);
        switch (i->op) {
        case OP_S_NEGATE: r = -a; break;
        case OP_I_ADD: r = a + b; break;
        case OP_I_SUB: r = a - b; break;
        case OP_I_MUL: r = a * b; break;
        case OP_U_DIV: r = a / b; break;
        case OP_S_DIV: r = (uint64_t)(x / y); break;
        case OP_U_MOD: r = a % b; break;
        case OP_S_REM: case OP_S_MOD: r = (uint64_t)(x % y); break;
        case OP_SHIFT_RIGHT: r = a >> b; break;
        case OP_SHIFT_RIGHT_SIGNED: r = (uint64_t)(x >> b); break;
        case OP_SHIFT_LEFT: r = a << b; break;
        case OP_OR: r = a | b; break;
        case OP_XOR: r = a ^ b; break;
        case OP_AND: r = a & b; break;
        case OP_NOT: r = ~a; break;
        case OP_BIT_COUNT: r = (uint64_t)__builtin_popcountll(a); break;
        default:
            for (uint32_t bit = 0; bit < width; bit++) /* OP_BIT_REVERSE */
                r |= (a >> bit & 1) << (width - 1 - bit);
            break;
        }
        f[i->to + k] = cut(r, i->result_width);
    }
    return true;
}

static bool compare_integers(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t a = f[i->a + k], b = f[i->b + k];
        int64_t x = extend(a, i->width), y = extend(b, i->width);
        bool r;
        switch (i->op) {
        case OP_I_EQUAL: case OP_LOGICAL_EQUAL: r = a == b; break;
        case OP_I_NOT_EQUAL: case OP_LOGICAL_NOT_EQUAL: r = a != b; break;
        case OP_U_GREATER: r = a > b; break;
        case OP_S_GREATER: r = x > y; break;
        case OP_U_GREATER_EQUAL: r = a >= b; break;
        case OP_S_GREATER_EQUAL: r = x >= y; break;
        case OP_U_LESS: r = a < b; break;
        case OP_S_LESS: r = x < y; break;
        case OP_U_LESS_EQUAL: r = a <= b; break;
        case OP_S_LESS_EQUAL: r = x <= y; break;
        case OP_LOGICAL_OR: r = a || b; break;
        case OP_LOGICAL_AND: r = a && b; break;
        default: r = !a; break;
        }
        f[i->to + k] = r;
    }
    return true;
}

/* Two words of a sum, difference or product: low, then carry or high. */
static void extended(const struct state *s, const struct spirv_inst *i)
{
    uint64_t a = s->t->file[i->a], b = s->t->file[i->b], *to = s->t->file + i->to;
    if (i->op == OP_I_ADD_CARRY || i->op == OP_I_SUB_BORROW) {
        to[0] = (uint32_t)(i->op == OP_I_ADD_CARRY ? a + b : a - b);
        to[1] = i->op == OP_I_ADD_CARRY ? a + b > UINT32_MAX : a < b;
        return;
    }
    uint64_t product = i->op == OP_U_MUL_EXTENDED ? a * b : (uint64_t)(extend(a, 32) * extend(b, 32));
    to[0] = (uint32_t)product, to[1] = product >> 32;
}

static bool field(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    bool inserts = i->op == OP_FIELD_INSERT;
    uint32_t offset = (uint32_t)f[s->m->ids[i->words[1 + inserts]].at], bits = (uint32_t)f[s->m->ids[i->words[2 + inserts]].at];
    if (offset > 32 || bits > 32 - offset)
        return fail(s, "bits %u and %u on of 32", offset, bits);
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint32_t k = 0; k < i->count; k++) {
        uint64_t x = f[i->a + k] >> offset & mask;
        if (i->op == OP_FIELD_S_EXTRACT && bits)
            x = cut((uint64_t)extend(x, bits), 32);
        f[i->to + k] = inserts ? (f[i->a + k] & ~(mask << offset)) | (f[i->b + k] & mask) << offset : x;
    }
    return true;
}

/* Functions of one or two floats, as exact as the C library's. */
static double real_function(const struct group *g, uint32_t op, double x, double y, uint32_t width)
{
    switch (op) {
    case STD_TRUNC: return trunc(x);
    case STD_F_ABS: return is_flushed(g, width, x) ? 0 : fabs(x);
    case STD_F_SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
    case STD_FLOOR: return floor(x);
    case STD_CEIL: return ceil(x);
    case STD_FRACT: return x - floor(x);
    case STD_SIN: return sin(x);
    case STD_COS: return cos(x);
    case STD_TAN: return tan(x);
    case STD_ASIN: return asin(x);
    case STD_ACOS: return acos(x);
    case STD_ATAN: return atan(x);
    case STD_SINH: return sinh(x);
    case STD_COSH: return cosh(x);
    case STD_TANH: return tanh(x);
    case STD_ASINH: return asinh(x);
    case STD_ACOSH: return acosh(x);
    case STD_ATANH: return atanh(x);
    case STD_ATAN2: return atan2(x, y);
    case STD_POW: return pow(x, y);
    case STD_EXP: return exp(x);
    case STD_LOG: return log(x);
    case STD_EXP2: return exp2(x);
    case STD_LOG2: return log2(x);
    case STD_SQRT: return sqrt(x);
    default: return 1 / sqrt(x);
    }
}

static bool library(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file, *to = f + i->to, *a = f + i->a, *b = f + i->b, *c = f + i->c;
    uint32_t width = i->width;
    if (i->op == STD_PACK_DOUBLE || i->op == STD_UNPACK_DOUBLE) {
        uint64_t x = i->op == STD_PACK_DOUBLE ? a[1] << 32 | a[0] : a[0];
        to[0] = i->op == STD_PACK_DOUBLE ? x : (uint32_t)x;
        if (i->op == STD_UNPACK_DOUBLE)
            to[1] = x >> 32;
        return true;
    }
    for (uint32_t k = 0; k < i->count; k++) {
        int64_t x = extend(a[k], width), y = extend(b[k], width), z = extend(c[k], width);
        switch (i->op) {
        case STD_FMA: to[k] = s->g->options->fma ? fused(s->g, a[k], b[k], c[k], width) : product_and_sum(a[k], b[k], c[k], width); break;
        case STD_F_MIN: case STD_F_MAX: to[k] = least(s->g, a[k], b[k], width, i->op == STD_F_MAX); break;
        case STD_F_CLAMP: to[k] = least(s->g, least(s->g, a[k], b[k], width, true), c[k], width, false); break;
        case STD_U_MIN: to[k] = a[k] < b[k] ? a[k] : b[k]; break;
        case STD_U_MAX: to[k] = a[k] < b[k] ? b[k] : a[k]; break;
        case STD_S_MIN: to[k] = x < y ? a[k] : b[k]; break;
        case STD_S_MAX: to[k] = x < y ? b[k] : a[k]; break;
        case STD_U_CLAMP: case STD_S_CLAMP:
            if (i->op == STD_U_CLAMP ? b[k] > c[k] : y > z)
                return fail(s, "clamp between %lld and %lld", (long long)y, (long long)z);
            to[k] = i->op == STD_U_CLAMP ? (a[k] < b[k] ? b[k] : a[k] > c[k] ? c[k] : a[k]) : x < y ? b[k] : x > z ? c[k] : a[k];
            break;
        case STD_S_ABS: to[k] = cut((uint64_t)(x < 0 ? -x : x), width); break;
        case STD_S_SIGN: to[k] = cut((uint64_t)((x > 0) - (x < 0)), width); break;
        case STD_FIND_LSB: to[k] = a[k] ? (uint64_t)__builtin_ctzll(a[k]) : UINT32_MAX; break;
        case STD_FIND_U_MSB: to[k] = a[k] ? 63 - (uint64_t)__builtin_clzll(a[k]) : UINT32_MAX; break;
        case STD_FIND_S_MSB: x = x < 0 ? ~x : x; to[k] = x ? 63 - (uint64_t)__builtin_clzll((uint64_t)x) : UINT32_MAX; break;
        default:
            if ((i->op < STD_TRUNC || i->op > STD_INVERSE_SQRT))
                return fail(s, "function %u of GLSL.std.450", i->op - OP_STD);
            to[k] = bits_of(real_function(s->g, i->op, number(a[k], width), number(b[k], width), width), width);
        }
    }
    return true;
}

/* ---- the loop ---- */

static bool step(const struct state *s, const struct spirv_inst *i)
{
    uint64_t *f = s->t->file;
    if (i->op >= OP_STD)
        return library(s, i);
    switch (i->op) {
    case OP_LABEL: s->t->label = i->words[0]; return true;
    case OP_VARIABLE:
        if (i->nwords > 1) {
            uint32_t at = s->m->ids[i->words[1]].at;
            memcpy(f + i->to + 2, f + at, s->m->types[s->m->ids[i->words[1]].type].words * sizeof *f);
        }
        return true;
    case OP_LOAD: return move(s, i->type, f + i->a, f + i->to, false, false);
    case OP_STORE: return move(s, s->m->types[s->m->ids[i->words[0]].type].element, f + i->a, f + i->b, true, false);
    case OP_ACCESS_CHAIN: return access_chain(s, i);
    case OP_ARRAY_LENGTH: {
        const struct spirv_type *t = &s->m->types[s->m->types[s->m->ids[i->words[0]].type].element];
        f[i->to] = s->g->bindings[f[i->a] >> 8].bytes / s->m->types[t->members[i->words[1]]].stride;
        return true;
    }
    case OP_FUNCTION_CALL: return call(s, i);
    case OP_RETURN: case OP_RETURN_VALUE: leave(s, i); return true;
    case OP_BRANCH: jump(s, i->words[0]); return true;
    case OP_BRANCH_CONDITIONAL: jump(s, i->words[f[i->a] ? 1 : 2]); return true;
    case OP_SWITCH: choose(s, i); return true;
    case OP_PHI: phi(s, i); return true;
    case OP_UNDEF: return true;
    case OP_COPY: memcpy(f + i->to, f + i->a, i->count * sizeof *f); return true;
    case OP_CONSTRUCT: case OP_EXTRACT: case OP_INSERT: case OP_VECTOR_SHUFFLE: return compose(s, i);
    case OP_VECTOR_EXTRACT: case OP_VECTOR_INSERT: return vector_at(s, i);
    case OP_BITCAST: bitcast(s, i); return true;
    case OP_SELECT: {
        bool by_number = s->m->types[s->m->ids[i->words[0]].type].words > 1;
        for (uint32_t k = 0; k < i->count; k++)
            f[i->to + k] = f[(f[i->a + (by_number ? k : 0)] ? i->b : i->c) + k];
        return true;
    }
    case OP_IS_NAN: case OP_IS_INF:
        for (uint32_t k = 0; k < i->count; k++)
            f[i->to + k] = i->op == OP_IS_NAN ? isnan(number(f[i->a + k], i->width)) : isinf(number(f[i->a + k], i->width));
        return true;
    case OP_I_ADD_CARRY: case OP_I_SUB_BORROW: case OP_U_MUL_EXTENDED: case OP_S_MUL_EXTENDED: extended(s, i); return true;
    case OP_FIELD_INSERT: case OP_FIELD_S_EXTRACT: case OP_FIELD_U_EXTRACT: return field(s, i);
    case OP_F_NEGATE: case OP_F_ADD: case OP_F_SUB: case OP_F_MUL: case OP_F_DIV: case OP_VECTOR_TIMES_SCALAR: return float_arithmetic(s, i);
    case OP_MEMORY_BARRIER: s->t->fenced |= (f[s->m->ids[i->words[1]].at] & SEMANTICS_UNIFORM_MEMORY) != 0; return true;
    default: break;
    }
    if (i->op >= OP_F_TO_U && i->op <= OP_F_CONVERT) {
        for (uint32_t k = 0; k < i->count; k++)
            f[i->to + k] = converted(i, f[i->a + k]);
        return true;
    }
    if (i->op >= OP_F_EQUAL && i->op <= OP_FU_GREATER_EQUAL)
        return compare_floats(s, i);
    if (i->op >= OP_LOGICAL_EQUAL && i->op <= OP_S_LESS_EQUAL)
        return compare_integers(s, i);
    if ((i->op >= OP_S_NEGATE && i->op <= OP_S_MOD) || (i->op >= OP_SHIFT_RIGHT && i->op <= OP_BIT_COUNT))
        return integer_arithmetic(s, i);
    if (i->op >= OP_ATOMIC_LOAD && i->op <= OP_ATOMIC_XOR)
        return atomic(s, i);
    return fail(s, "instruction %u", i->op);
}

bool thread_run(struct group *g, uint32_t index)
{
    struct state s = {g, g->module, &g->threads[index], index};
    while (!s.t->ended) {
        const struct spirv_inst *i = &g->module->insts[s.t->at++];
        if (i->op == OP_CONTROL_BARRIER) {
            s.t->fenced |= (s.t->file[g->module->ids[i->words[2]].at] & SEMANTICS_UNIFORM_MEMORY) != 0;
            return true;
        }
        if (!s.t->left--)
            return fail(&s, "does not end");
        if (!step(&s, i))
            return false;
    }
    return true;
}
