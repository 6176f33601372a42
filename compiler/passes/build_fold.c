/* Constants: what is known at compile time, and computing it. */
#include <math.h>
#include <string.h>

#include "runtime/bundle.h"
#include "passes/build.h"
#include "base/num.h"

/* Folding saves work at run time and costs a literal, which a kernel reads from memory. */
enum {
    FOLD_MAX_ELEMENTS = 256, /* of a result: larger literals are slower than computing them again */
    /* of a result made from iota or eye, which cost a kernel nothing; a literal takes a binding */
    FOLD_MAX_INDICES = 1,
    FOLD_MAX_WORK = 1 << 16, /* elements read: bounds compile time */
    FOLD_ARENA = 1 << 20,    /* bytes of temporary arrays before they are released */
};

/* ---- reading constants ---- */

bool build_splat_bits(const struct build *b, struct value v, uint64_t *out_bits)
{
    const struct node *n = build_def(b, v);
    if (n->op != OP_CONSTANT)
        return false;
    const struct attr *a = node_attr(n, ATTR_bits);
    out_bits[0] = a->bits[0];
    out_bits[1] = a->bits[1];
    return true;
}

static void put_element(void *data, int64_t index, uint32_t bytes, const uint64_t bits[2])
{
    memcpy((unsigned char *)data + (size_t)index * bytes, bits, bytes);
}

static void get_element(const void *data, int64_t index, uint32_t bytes, uint64_t bits[2])
{
    bits[0] = bits[1] = 0;
    memcpy(bits, (const unsigned char *)data + (size_t)index * bytes, bytes);
}

static bool bits_to_number(enum vkc_type type, uint64_t bits, double *out)
{
    switch (vkc_types[type].kind) {
    case KIND_FLOAT: *out = num_float_decode(type, bits); return true;
    case KIND_SINT: *out = (double)num_sint_wrap(type, bits); return true;
    case KIND_UINT: *out = (double)num_uint_wrap(type, bits); return true;
    case KIND_COMPLEX: return false;
    }
    return false;
}

/* Integers wrap, as sums and products do. So x + x in s2 can become x * 2, although s2 has no 2:
   it wraps to -2, and the product has the same low bits. */
static uint64_t number_to_bits(enum vkc_type type, double x)
{
    switch (vkc_types[type].kind) {
    case KIND_FLOAT: return num_float_encode(type, x);
    /* s4: sign in the byte */
    case KIND_SINT:
        return (uint64_t)num_sint_wrap(type, (uint64_t)(int64_t)x) &
               (UINT64_MAX >> (64 - 8 * type_bytes(type)));
    case KIND_UINT: return num_uint_wrap(type, (uint64_t)(int64_t)x);
    case KIND_COMPLEX: return num_float_encode(type == TYPE_C64 ? TYPE_F32 : TYPE_F64, x);
    }
    return 0;
}

bool build_is_number(const struct build *b, struct value v, double x)
{
    uint64_t bits[2];
    double found;
    if (!build_splat_bits(b, v, bits))
        return false;
    enum vkc_type type = build_tensor(b, v)->type;
    if (type_is_complex(type))
        return bits[0] == number_to_bits(type, x) && (type == TYPE_C64 || bits[1] == 0);
    return bits_to_number(type, bits[0], &found) && found == x &&
           (!type_is_float(type) || signbit(found) == signbit(x));
}

bool build_const_int(const struct build *b, struct value v, int64_t index, int64_t *out)
{
    const struct node *n = build_def(b, v);
    enum vkc_type type = n->outs[v.out].type;
    uint64_t bits[2];
    if (!type_is_int(type))
        return false;
    if (n->op == OP_LITERAL)
        get_element(b->g->literals[attr_int(n, ATTR_literal, 0)].data, index, type_bytes(type),
                    bits);
    else if (!build_splat_bits(b, v, bits))
        return false;
    *out = vkc_types[type].kind == KIND_SINT ? num_sint_wrap(type, bits[0])
                                             : (int64_t)num_uint_wrap(type, bits[0]);
    return vkc_types[type].kind == KIND_SINT || *out >= 0;
}

bool build_const_array(struct build *b, struct value v, int64_t limit, struct array *out)
{
    const struct node *n = build_def(b, v);
    const struct tensor *t = &n->outs[v.out];
    int64_t size = shape_size(&t->shape);
    uint64_t bits[2];
    *out = (struct array){.tensor = *t};
    if (n->op == OP_LITERAL) {
        out->data = (void *)(uintptr_t)b->g->literals[attr_int(n, ATTR_literal, 0)].data;
        return out->data != NULL;
    }
    if (size > limit)
        return false;
    if (n->op == OP_IOTA || n->op == OP_EYE) {
        struct diag ignored = {0};
        return interp_node(b->g, n, &b->r->folding, NULL, out, &ignored);
    }
    if (!build_splat_bits(b, v, bits))
        return false;
    uint32_t bytes = type_bytes(t->type);
    out->data = arena_alloc(&b->r->folding, (size_t)size, bytes);
    for (int64_t i = 0; out->data && i < size; i++)
        put_element(out->data, i, bytes, bits);
    return out->data != NULL || build_fail_memory(b);
}

/* ---- values that are 0 or 1 ---- */

static bool bits_are_bool(const struct build *b, const struct node *n)
{
    if (n->op == OP_LITERAL) {
        const struct literal *l = &b->g->literals[attr_int(n, ATTR_literal, 0)];
        if (l->bytes > 4096 || type_bytes(l->tensor.type) != 1 || !type_is_int(l->tensor.type))
            return false;
        for (size_t i = 0; i < l->bytes; i++)
            if (((const unsigned char *)l->data)[i] > 1)
                return false;
        return true;
    }
    return type_is_int(n->outs[0].type) && node_attr(n, ATTR_bits)->bits[0] <= 1;
}

/* The inputs, from the first on, whose elements make up the result whatever the indices are; 0:
   it is computed. */
static uint32_t picks_from(const struct node *n)
{
    switch (n->op) {
    case OP_RESHAPE:
    case OP_BROADCAST:
    case OP_TRANSPOSE:
    case OP_REVERSE:
    case OP_SLICE:
    case OP_DYNAMIC_SLICE:
    case OP_GATHER: return 1;
    case OP_PAD:
    case OP_PUT_SLICE: return 2;
    case OP_CONCATENATE:
    case OP_STACK: return n->nins;
    default: return op_has(n->op, OP_GREATEST | OP_LEAST) ? 1 : 0;
    }
}

static bool are_bool(const struct build *b, const struct node *n, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!build_is_bool(b, n->ins[i]))
            return false;
    return count > 0;
}

bool build_infer_bool(const struct build *b, const struct node *n)
{
    if (n->nouts != 1)
        return false;
    if (op_has(n->op, OP_TRUTH))
        return true;
    switch (n->op) {
    case OP_CONSTANT:
    case OP_LITERAL: return bits_are_bool(b, n);
    case OP_EYE: return type_is_int(n->outs[0].type);
    case OP_AS_TYPE: return type_is_int(n->outs[0].type) && build_is_bool(b, n->ins[0]);
    case OP_BITWISE_AND: return build_is_bool(b, n->ins[0]) || (build_is_bool(b, n->ins[1]));
    case OP_BITWISE_OR:
    case OP_BITWISE_XOR:
    case OP_MAX:
    case OP_MIN:
    case OP_MULTIPLY: return are_bool(b, n, n->nins);
    case OP_SELECT: return build_is_bool(b, n->ins[1]) && build_is_bool(b, n->ins[2]);
    default: {
        enum op_rule rule = vkc_ops[n->op].rule;
        return rule == RULE_COMPARE || rule == RULE_LOGICAL || rule == RULE_TEST ||
               are_bool(b, n, picks_from(n));
    }
    }
}

bool build_is_bool(const struct build *b, struct value v)
{
    return v.out == 0 && b->made[v.node].is_bool;
}

/* ---- making constants ---- */

struct value build_splat(struct build *b, const struct tensor *t, const uint64_t bits[2])
{
    struct attr a;
    struct tensor out = *t;
    attr_set_bits(&a, ATTR_bits, bits[0], bits[1]);
    struct node n = {.op = OP_CONSTANT, .nouts = 1, .outs = &out, .nattrs = 1, .attrs = &a};
    return build_node(b, &n);
}

struct value build_number(struct build *b, const struct tensor *t, double x)
{
    uint64_t bits[2] = {number_to_bits(t->type, x), 0};
    return build_splat(b, t, bits);
}

static bool grow_literals(struct build *b)
{
    struct rebuild *r = b->r;
    struct graph *g = b->g;
    if (g->nliterals >= r->cap_literals) { /* the array of the importer is exactly full */
        uint32_t cap = g->nliterals < 32 ? 64 : g->nliterals * 2;
        struct literal *bigger = ARENA_ARRAY(g->arena, struct literal, cap);
        if (!bigger)
            return build_fail_memory(b);
        if (g->nliterals)
            memcpy(bigger, g->literals, g->nliterals * sizeof *bigger);
        g->literals = bigger;
        r->cap_literals = cap;
        r->nliteral_buckets = cap * 2;
        r->literal_buckets = ARENA_ARRAY(&r->scratch, uint32_t, r->nliteral_buckets);
        r->literal_next = ARENA_ARRAY(&r->scratch, uint32_t, cap);
        if (!r->literal_buckets || !r->literal_next)
            return build_fail_memory(b);
        memset(r->literal_buckets, 0xff, r->nliteral_buckets * sizeof *r->literal_buckets);
        for (uint32_t i = 0; i < g->nliterals; i++) {
            uint32_t hash, *head;
            memcpy(&hash, g->literals[i].sha256, sizeof hash);
            head = &r->literal_buckets[hash % r->nliteral_buckets];
            r->literal_next[i] = *head;
            *head = i;
        }
    }
    return true;
}

/* The literal with this data: one of the graph, or a new one. UINT32_MAX after a failure. */
static uint32_t literal_of(struct build *b, const struct tensor *t, const void *data)
{
    struct rebuild *r = b->r;
    struct graph *g = b->g;
    struct literal l = {.tensor = *t, .bytes = tensor_bytes(t)};
    uint32_t hash;
    if (!grow_literals(b))
        return UINT32_MAX;
    vkb_sha256(data, l.bytes, l.sha256);
    memcpy(&hash, l.sha256, sizeof hash);
    uint32_t *head = &r->literal_buckets[hash % r->nliteral_buckets];
    for (uint32_t i = *head; i != UINT32_MAX; i = r->literal_next[i])
        if (memcmp(g->literals[i].sha256, l.sha256, sizeof l.sha256) == 0 &&
            tensor_equal(&g->literals[i].tensor, t))
            return i;
    l.data = arena_copy(g->arena, data, l.bytes);
    if (!l.data)
        return build_fail_memory(b), UINT32_MAX;
    r->literal_next[g->nliterals] = *head;
    *head = g->nliterals;
    g->literals[g->nliterals] = l;
    return g->nliterals++;
}

struct value build_literal(struct build *b, const struct tensor *t, const void *data)
{
    uint32_t bytes = type_bytes(t->type);
    int64_t size = shape_size(&t->shape), same = 1;
    uint64_t bits[2];
    while (same < size &&
           memcmp(data, (const unsigned char *)data + (size_t)same * bytes, bytes) == 0)
        same++;
    if (same >= size) {
        get_element(data, 0, bytes, bits);
        return build_splat(b, t, bits);
    }
    uint32_t index = literal_of(b, t, data);
    if (index == UINT32_MAX)
        return BUILD_NONE;
    struct attr a;
    struct tensor out = *t;
    attr_set_int(&a, ATTR_literal, index);
    struct node n = {.op = OP_LITERAL, .nouts = 1, .outs = &out, .nattrs = 1, .attrs = &a};
    return build_node(b, &n);
}

/* ---- folding ---- */

/* Evaluates `n` on arrays. The result is a value, or nothing when the interpreter has none. */
static bool evaluate(struct build *b, const struct node *n, const struct array *ins,
                     struct array *out)
{
    struct diag ignored = {0};
    return interp_node(b->g, n, &b->r->folding, ins, out, &ignored);
}

/* The same bits in every element of every input: then every element of the result is the same
   too. */
static bool fold_splats(struct build *b, const struct node *n, struct value *out)
{
    struct array ins[3], result;
    uint64_t bits[3][2];
    struct tensor scalar = {.type = n->outs[0].type};
    for (uint32_t i = 0; i < n->nins; i++) {
        if (!build_splat_bits(b, n->ins[i], bits[i]))
            return false;
        ins[i] =
            (struct array){.tensor = {.type = build_tensor(b, n->ins[i])->type}, .data = bits[i]};
    }
    struct node small = *n;
    small.outs = &scalar;
    if (!evaluate(b, &small, ins, &result))
        return false;
    uint64_t made[2];
    get_element(result.data, 0, type_bytes(scalar.type), made);
    *out = build_splat(b, &n->outs[0], made);
    return true;
}

/* Movement of a splat is the splat under another shape, whatever the indices. */
static bool fold_moved_splat(struct build *b, const struct node *n, struct value *out)
{
    uint64_t bits[2], other[2];
    uint32_t same = picks_from(n);
    if (same == 0 || !build_splat_bits(b, n->ins[0], bits))
        return false;
    for (uint32_t i = 1; i < same; i++)
        if (!build_splat_bits(b, n->ins[i], other) || other[0] != bits[0] || other[1] != bits[1])
            return false;
    *out = build_splat(b, &n->outs[0], bits);
    return true;
}

static bool can_fold(const struct node *n)
{
    if (n->nouts != 1 || n->nregions != 0)
        return false;
    switch (op_class(n->op)) {
    case CLASS_ELEMENTWISE:
    case CLASS_REDUCE:
    case CLASS_MOVEMENT:
    case CLASS_INDEXED:
    case CLASS_ARGREDUCE: return true;
    default:
        return n->op == OP_DOT || n->op == OP_SORT || n->op == OP_ARGSORT ||
               n->op == OP_INDEXED_ADD || n->op == OP_INDEXED_PUT;
    }
}

bool build_try_fold(struct build *b, const struct node *n, struct value *out)
{
    int64_t size = n->nouts == 1 ? shape_size(&n->outs[0].shape) : 0, work = 0;
    if (b->r->folding.used > FOLD_ARENA) {
        arena_finish(&b->r->folding);
        arena_scratch(&b->r->folding, b->g->arena);
    }
    if ((n->op == OP_IOTA || n->op == OP_EYE) && size == 1) {
        struct array one;
        if (!evaluate(b, n, NULL, &one))
            return false;
        *out = build_literal(b, &n->outs[0], one.data);
        return true;
    }
    if (!can_fold(n) || n->nins == 0)
        return false;
    if (op_class(n->op) == CLASS_ELEMENTWISE && fold_splats(b, n, out))
        return true;
    if (fold_moved_splat(b, n, out))
        return true;
    int64_t limit = FOLD_MAX_ELEMENTS;
    for (uint32_t i = 0; i < n->nins; i++) {
        const struct node *in = build_def(b, n->ins[i]);
        if (in->op == OP_IOTA || in->op == OP_EYE)
            limit = FOLD_MAX_INDICES;
        else if (in->op != OP_CONSTANT && in->op != OP_LITERAL)
            return false;
        int64_t reads = shape_size(&in->outs[0].shape);
        bool picks =
            op_class(n->op) == CLASS_MOVEMENT || n->op == OP_DYNAMIC_SLICE || n->op == OP_GATHER;
        work += picks && in->op == OP_LITERAL ? 0 : reads;
    }
    if (op_class(n->op) == CLASS_MOVEMENT && limit == FOLD_MAX_INDICES)
        limit = 1; /* an index map of an index stays one */
    if (size > limit || work > FOLD_MAX_WORK || (n->op == OP_DOT && work * size > FOLD_MAX_WORK))
        return false;
    struct array *ins = ARENA_ARRAY(&b->r->folding, struct array, n->nins), result;
    if (!ins)
        return build_fail_memory(b);
    for (uint32_t i = 0; i < n->nins; i++)
        if (!build_const_array(b, n->ins[i], FOLD_MAX_WORK, &ins[i]))
            return false;
    if (!evaluate(b, n, ins, &result))
        return false;
    *out = build_literal(b, &n->outs[0], result.data);
    return true;
}
