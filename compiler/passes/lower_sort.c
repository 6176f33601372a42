/* sort and argsort. Elements become u32 words that order as they do, high words first: NaN above
   every number, -0 and 0 apart but equal in every comparison (`zeros`), the direction a complement.
   So the kernels know unsigned integers only, and a sorted word says which element it was.

     sort_runs   rows, or as much of one as fits, in shared memory: one kernel
     merge_runs  for longer rows: pairs of runs, until one is left
     digits      for many elements: a step for each digit of the keys (lower_digits.c)
     first       where no more is read of the result than its first elements (lower_first.c)

   All of them are stable. Small sorts are counted instead (lower_rank.c): their reductions are
   phases of the workgroup program around them, where a kernel of its own would cost a dispatch. */
#include "passes/lower.h"

#include <string.h>

#include "target/limits.h"
#include "passes/passes.h"

/* Pairs of elements up to which ranks are counted: in a function of its own what costs less than
   a dispatch, in a loop or branch what a workgroup program may do, since the host would steer it
   otherwise. */
enum { FEW_PAIRS = 1 << 14 };

/* ---- keys ---- */

/* The type that a value is compared in, and the bits of its words. */
static enum vkc_type wide_type(enum vkc_type t)
{
    if (type_bytes(t) == 8)
        return t;
    return type_is_float(t) ? TYPE_F32 : vkc_types[t].kind == KIND_SINT ? TYPE_S32 : TYPE_U32;
}

static uint64_t top_bit(enum vkc_type t)
{
    return UINT64_C(1) << (8 * type_bytes(t) - 1);
}

/* The bits that tell keys of a type apart: a narrow float has no others in its fraction as f32 but
   copies of the sign. */
static struct key_bits varying_bits(enum vkc_type t)
{
    if (type_bytes(t) >= 4 || !type_is_float(t))
        return (struct key_bits){0, 8 * type_bytes(t)};
    return (struct key_bits){t == TYPE_BF16 ? 16 : t == TYPE_F16 ? 13 : 20, 32};
}

/* Signed integers to keys, or back: the sign changes; a narrow one is moved to 0 and above. */
static struct value sign_flip(struct build *b, struct value bits, enum vkc_type from, bool back)
{
    uint64_t top = top_bit(from);
    enum op op = type_bytes(from) >= 4 ? OP_BITWISE_XOR : back ? OP_SUBTRACT : OP_ADD;
    return build_binary(b, op, bits, build_splat_like(b, bits, top));
}

/* `bits` of a float to its key, or with `back` the other way: all bits change if it is negative,
   else the sign. */
static struct value float_flip(struct build *b, struct value bits, enum vkc_type t, bool back)
{
    struct value is_low = build_binary(b, OP_LESS, bits, build_splat_like(b, bits, top_bit(t)));
    struct value sign = build_splat_like(b, bits, top_bit(t)),
                 all = build_splat_like(b, bits, top_bit(t) - 1 + top_bit(t));
    return build_binary(b, OP_BITWISE_XOR, bits,
                        back ? build_select(b, is_low, all, sign)
                             : build_select(b, is_low, sign, all));
}

/* x[outer, length, inner] as words[words, outer, length, inner]. */
static struct value encode(struct build *b, struct value x, bool descending)
{
    if (!build_ok(b, x))
        return x;
    enum vkc_type from = build_tensor(b, x)->type, t = wide_type(from),
                  bits_type = type_bytes(t) == 8 ? TYPE_U64 : TYPE_U32;
    struct shape s = build_tensor(b, x)->shape,
                 plane = shape_of(4, (int64_t[4]){1, s.dim[0], s.dim[1], s.dim[2]});
    x = build_convert(b, x, t);
    struct value key = build_bitcast(b, x, bits_type);
    if (type_is_float(t)) {
        struct value nan =
            build_splat_like(b, key, t == TYPE_F64 ? 0x7ff8000000000000u : 0x7fc00000u);
        key = float_flip(b, build_select(b, build_unary(b, OP_IS_NAN, x), nan, key), t, false);
    } else if (vkc_types[t].kind == KIND_SINT)
        key = sign_flip(b, key, from, false);
    if (descending)
        key = build_unary(b, OP_BITWISE_NOT, key);
    if (bits_type == TYPE_U32)
        return build_reshape(b, key, &plane);
    struct value high = build_convert(
        b, build_binary(b, OP_RIGHT_SHIFT, key, build_splat_like(b, key, 32)), TYPE_U32);
    struct value words[2] = {build_reshape(b, high, &plane),
                             build_reshape(b, build_convert(b, key, TYPE_U32), &plane)};
    return build_concatenate(b, words, 2, 0);
}

struct value lower_plane(struct build *b, struct value words, int64_t p, const struct shape *to)
{
    if (!build_ok(b, words))
        return words;
    struct shape s = build_tensor(b, words)->shape;
    int64_t starts[4] = {p, 0, 0, 0}, lengths[4] = {1, s.dim[1], s.dim[2], s.dim[3]},
            strides[4] = {1, 1, 1, 1};
    return build_reshape(b, build_slice(b, words, starts, lengths, strides), to);
}

/* The elements of that shape whose keys these are. */
static struct value decode(struct build *b, struct value words, const struct shape *dims,
                           enum vkc_type type, bool descending)
{
    enum vkc_type t = wide_type(type);
    struct value key = lower_plane(b, words, 0, dims);
    if (type_bytes(t) == 8) {
        struct value high = build_convert(b, key, TYPE_U64),
                     low = build_convert(b, lower_plane(b, words, 1, dims), TYPE_U64);
        key =
            build_binary(b, OP_BITWISE_OR,
                         build_binary(b, OP_LEFT_SHIFT, high, build_splat_like(b, high, 32)), low);
    }
    if (descending)
        key = build_unary(b, OP_BITWISE_NOT, key);
    if (type_is_float(t))
        key = float_flip(b, key, t, true);
    else if (vkc_types[t].kind == KIND_SINT)
        key = sign_flip(b, key, type, true);
    return build_convert(b, build_bitcast(b, key, t), type);
}

/* ---- runs ---- */

/* sort_runs in runs of that many; merge_runs, whose input 1 says how long runs are, of runs of at
   least as many. */
static struct value order_step(struct build *b, enum op op, const struct value *ins, int64_t run,
                               const char *gives, bool zeros)
{
    bool order = strcmp(gives, "keys") != 0, merges = op == OP_MERGE_RUNS;
    if (!build_ok(b, ins[0]) || (merges && !build_ok(b, ins[1])))
        return BUILD_NONE;
    struct tensor out = *build_tensor(b, ins[0]);
    int64_t words = out.shape.dim[0] - (merges && order);
    out.shape.dim[0] = strcmp(gives, "order") == 0 ? 1 : words + order;
    struct attr attrs[3] = {{.key = merges ? ATTR_tile : ATTR_run, .kind = 'i', .i = run},
                            {.key = ATTR_gives, .kind = 's', .text = gives},
                            {.key = ATTR_zeros, .kind = 'b', .i = zeros}};
    struct node n = {.op = op,
                     .nins = merges ? 2 : 1,
                     .nouts = 1,
                     .nattrs = 3,
                     .ins = (struct value *)ins,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(b, &n);
}

struct value lower_sort_runs(struct build *b, struct value words, int64_t run, const char *gives,
                             bool zeros)
{
    return order_step(b, OP_SORT_RUNS, &words, run, gives, zeros);
}

static struct value by_runs(struct build *b, struct value words, int64_t tile, const char *all,
                            const char *last, bool zeros)
{
    const struct tensor length_of_run = {.type = TYPE_U32, .shape = shape_of(1, (int64_t[1]){2})};
    int64_t length = build_ok(b, words) ? build_tensor(b, words)->shape.dim[2] : 0;
    words = order_step(b, OP_SORT_RUNS, &words, tile, all, zeros);
    for (int64_t run = tile; run < length; run *= 2) {
        const uint32_t data[2] = {(uint32_t)run, (uint32_t)(2 * run)};
        const struct value ins[2] = {words, build_literal(b, &length_of_run, data)};
        words = order_step(b, OP_MERGE_RUNS, ins, tile, 2 * run < length ? all : last, zeros);
    }
    return words;
}

struct value lower_order(struct build *b, struct value words, const struct key_bits *bits,
                         bool order, bool keys, bool zeros)
{
    if (!build_ok(b, words))
        return words;
    const struct vkc_target *t = b->r->options->target;
    struct shape s = build_tensor(b, words)->shape;
    const char *all = !order ? "keys" : "both", *last = keys ? all : "order";
    uint32_t bytes = 4 * (uint32_t)(s.dim[0] + order);
    int64_t length = s.dim[2], rows = s.dim[1] * s.dim[3],
            most = lines_most(t->max_invocations, t->max_shared_bytes, bytes);
    if (length <= most)
        return order_step(b, OP_SORT_RUNS, &words, length, last, zeros);
    struct shape lines = shape_of(3, (int64_t[3]){s.dim[0], rows, length}),
                 flat = shape_of(4, (int64_t[4]){s.dim[0], rows, length, 1});
    words = build_transpose(b, words, (int64_t[4]){0, 1, 3, 2});
    /* of runs as long as fit: a round in shared memory costs a quarter of one through memory */
    words = lower_digits_pay(b, bits, rows * length, length, most)
                ? lower_digits(b, build_reshape(b, words, &lines), bits, all, last, zeros)
                : by_runs(b, build_reshape(b, words, &flat), most, all, last, zeros);
    if (!build_ok(b, words))
        return words;
    struct shape back =
        shape_of(4, (int64_t[4]){build_tensor(b, words)->shape.dim[0], s.dim[1], s.dim[3], length});
    return build_transpose(b, build_reshape(b, words, &back), (int64_t[4]){0, 1, 3, 2});
}

/* ---- the ops ---- */

static bool is_counted(const struct build *b, const struct rows_of *r)
{
    int64_t size = r->outer * r->length * r->inner, most = b->in_region ? PROGRAM_WORK : FEW_PAIRS;
    return size <= PROGRAM_ELEMENTS && size * r->length <= most;
}

/* The elements at those places: a gather from the flat tensor. */
static struct value at_order(struct build *b, struct value x, struct value order,
                             const struct rows_of *r)
{
    int64_t size = r->outer * r->length * r->inner;
    struct shape dims = rows_shape(r, r->length), flat = shape_of(1, &size);
    struct value index = order;
    if (r->inner > 1) {
        struct value column = lower_counter(b, &dims, 2, TYPE_S32);
        index = build_binary(b, OP_MULTIPLY, index, build_splat_like(b, index, (uint64_t)r->inner));
        index = build_binary(b, OP_ADD, index, column);
    }
    if (r->outer > 1) {
        struct value row = lower_counter(b, &dims, 0, TYPE_S32);
        index =
            build_binary(b, OP_ADD,
                         build_binary(b, OP_MULTIPLY, row,
                                      build_splat_like(b, row, (uint64_t)(r->length * r->inner))),
                         index);
    }
    return build_gather(b, build_reshape(b, x, &flat), index);
}

/* x[outer, length, inner] sorted, or the places that sorting gives, of which `read` are read. */
static struct value by_keys(struct build *b, struct value x, const struct rows_of *r, int64_t read,
                            bool sorts, bool descending)
{
    enum vkc_type type = build_ok(b, x) ? build_tensor(b, x)->type : TYPE_NONE;
    struct key_bits bits = varying_bits(type);
    bool zeros = type_is_float(type),
         some = lower_first_pays(b, r, type_bytes(type) == 8 ? 2 : 1, read);
    struct shape dims = rows_shape(r, some ? read : r->length);
    struct value words = encode(b, x, descending),
                 made = some ? lower_first(b, words, &bits, read, !sorts, zeros)
                             : lower_order(b, words, &bits, !sorts, sorts, zeros);
    made = sorts ? decode(b, made, &dims, type, descending) : lower_plane(b, made, 0, &dims);
    if (!some || !build_ok(b, made))
        return made;
    int64_t none[3] = {0, 0, 0};
    struct tensor scalar = {.type = build_tensor(b, made)->type};
    return build_pad(b, made, build_number(b, &scalar, 0), none,
                     (int64_t[3]){0, r->length - read, 0}, none);
}

bool lower_sort(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]);
    struct rows_of r = rows_of(&from.shape, attr_int(n, ATTR_axis, 0));
    struct node known = *n;
    bool descending = attr_bool(n, ATTR_descending), sorts = n->op == OP_SORT;
    known.ins = (struct value *)(uintptr_t)ins;
    if (build_try_fold(b, &known, &outs[0]))
        return true;
    if (r.length == 1) {
        outs[0] = sorts ? ins[0] : build_number(b, &n->outs[0], 0);
        return true;
    }
    struct shape dims = rows_shape(&r, r.length);
    struct value x = build_reshape(b, ins[0], &dims), made;
    if (is_counted(b, &r)) {
        made = lower_rank(b, x, &r, descending);
        made = sorts ? at_order(b, x, made, &r) : made;
    } else
        made = by_keys(b, x, &r, lower_reads(b, attr_int(n, ATTR_axis, 0)), sorts, descending);
    outs[0] = build_reshape(b, build_convert(b, made, n->outs[0].type), &n->outs[0].shape);
    return true;
}
