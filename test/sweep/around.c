#include "around.h"

#include <string.h>

enum feed {
    FEED_PLAIN,
    FEED_CHAIN,
    FEED_TRANSPOSED,
    FEED_SLICED,
    FEED_SPREAD,
    FEED_CONVERTED,
    FEED_REVERSED,
    FEED_PADDED,
    FEED_JOINED,
    FEED_DYNAMIC,
    FEED_LOOKED_UP,
    FEEDS
};
const char *const feed_names[] = {"plain",  "chain",     "transposed", "sliced",
                                  "spread", "converted", "reversed",   "padded",
                                  "joined", "dynamic",   "looked-up",  NULL};

enum use { USE_NONE, USE_CHAIN, USE_SECOND, USE_ROW, USE_COMPARED, USE_CONVERTED, USES };
const char *const use_names[] = {"none", "chain", "second", "row", "compared", "converted", NULL};

enum store {
    STORE_PLAIN,
    STORE_TRANSPOSED,
    STORE_REVERSED,
    STORE_SLICED,
    STORE_PADDED,
    STORE_JOINED,
    STORE_REPEATED,
    STORE_FLAT,
    STORE_BOTH,
    STORE_HELD,
    STORE_ALL,
    STORES
};
const char *const store_names[] = {"plain",  "transposed", "reversed", "sliced",
                                   "padded", "joined",     "repeated", "flat",
                                   "both",   "held",       "all",      NULL};

static const struct shape scalar = {0};

/* ---- types ---- */

/* Another type of real use: narrow ones get wider, wide ones narrower. */
static enum vkc_type other_type(enum vkc_type t)
{
    switch (t) {
    case TYPE_F64:
    case TYPE_F16:
    case TYPE_F8:
    case TYPE_S32:
    case TYPE_U32: return TYPE_F32;
    case TYPE_F32:
    case TYPE_F8E4M3FN: return TYPE_BF16;
    case TYPE_BF16: return TYPE_F16;
    case TYPE_U8:
    case TYPE_U4: return TYPE_S16;
    case TYPE_S8:
    case TYPE_S2: return TYPE_S32;
    case TYPE_S16:
    case TYPE_U16: return TYPE_U8;
    case TYPE_S4:
    case TYPE_U2: return TYPE_S8;
    case TYPE_S64:
    case TYPE_U64: return TYPE_S32;
    default: return t;
    }
}

/* The last two axes change places, and with more than two the first goes behind them. */
static void turned_axes(uint32_t rank, int64_t *out)
{
    for (uint32_t i = 0; i < rank; i++)
        out[i] = rank == 2 ? 1 - (int64_t)i : (i + 1) % rank;
}

bool around_takes(const struct sweep_case *c)
{
    bool matrix = c->shape.rank > 1;
    if (c->feed == FEED_CONVERTED && (other_type(c->type) == c->type || type_is_complex(c->type)))
        return false;
    if (c->use == USE_CONVERTED && type_is_complex(c->type))
        return false;
    if ((c->feed == FEED_TRANSPOSED || c->feed == FEED_SPREAD || c->store == STORE_TRANSPOSED ||
         c->store == STORE_BOTH) &&
        !matrix)
        return false;
    return true;
}

/* ---- operands ---- */

static struct value looked_up(struct graph_text *g, enum vkc_type type, const struct shape *s)
{
    struct shape table = *s, places = {1, {s->dim[0]}};
    table.dim[0] = 7;
    struct shape pairs = {2, {places.dim[0], 1}};
    struct value x = gt_param(g, type, &table),
                 i = gt_param_filled(g, TYPE_S32, &pairs, GT_INDICES, table.dim[0]);
    return gt_node(g, "gather", type, s, 2, (struct value[]){x, i}, ", \"attrs\": {\"axes\": [0]}");
}

static struct value dynamic(struct graph_text *g, enum vkc_type type, const struct shape *s)
{
    struct value ins[VKC_MAX_RANK + 1];
    struct shape larger = *s;
    int64_t ones[VKC_MAX_RANK];
    for (uint32_t i = 0; i < s->rank; i++) {
        larger.dim[i] += 3;
        ones[i] = 1;
    }
    ins[0] = gt_param(g, type, &larger);
    for (uint32_t i = 0; i < s->rank; i++)
        ins[i + 1] = gt_param_filled(g, TYPE_S32, &scalar, GT_INDICES, 4);
    return gt_node(g, "dynamic_slice", type, s, s->rank + 1, ins,
                   arena_printf(g->arena, ", \"attrs\": {\"lengths\": %s, \"strides\": %s}",
                                gt_list(g, s->dim, s->rank), gt_list(g, ones, s->rank)));
}

static struct value sliced(struct graph_text *g, enum vkc_type type, const struct shape *s)
{
    int64_t starts[VKC_MAX_RANK], lengths[VKC_MAX_RANK], strides[VKC_MAX_RANK];
    struct shape larger = *s;
    for (uint32_t i = 0; i < s->rank; i++) {
        strides[i] = i == s->rank - 1 ? 2 : 1;
        starts[i] = 1 + (int64_t)i % 2;
        lengths[i] = (s->dim[i] - 1) * strides[i] + 1;
        larger.dim[i] = starts[i] + lengths[i] + 1;
    }
    return gt_slice(g, gt_param(g, type, &larger), starts, lengths, strides);
}

/* The middle of it from memory, a constant around that. */
static struct value padded(struct graph_text *g, enum vkc_type type, const struct shape *s)
{
    int64_t lo[VKC_MAX_RANK], hi[VKC_MAX_RANK], interior[VKC_MAX_RANK] = {0};
    struct shape smaller = *s;
    for (uint32_t i = 0; i < s->rank; i++) {
        lo[i] = s->dim[i] > 2;
        hi[i] = s->dim[i] > 4 ? 2 : 0;
        smaller.dim[i] -= lo[i] + hi[i];
    }
    return gt_pad(g, gt_param(g, type, &smaller), gt_constant(g, type, &scalar, 1), lo, hi,
                  interior);
}

static struct value joined(struct graph_text *g, enum vkc_type type, const struct shape *s)
{
    struct shape first = *s, second = *s;
    uint32_t axis = s->rank - 1;
    if (s->dim[axis] == 1)
        return gt_param(g, type, s);
    first.dim[axis] = s->dim[axis] / 3 + 1;
    second.dim[axis] -= first.dim[axis];
    return second.dim[axis]
               ? gt_concatenate(g, gt_param(g, type, &first), gt_param(g, type, &second), axis)
               : gt_param(g, type, s);
}

struct value around_feed(struct graph_text *g, const struct sweep_case *c, enum vkc_type type,
                         const struct shape *shape)
{
    const struct shape *s = shape;
    int64_t axes[VKC_MAX_RANK];
    struct shape other = *s;
    struct value x, y;
    if (s->rank == 0)
        return gt_param(g, type, s);
    switch ((enum feed)c->feed) {
    case FEED_CHAIN:
        x = gt_param(g, type, s);
        y = gt_param(g, type, s);
        return gt_binary(g, "subtract", gt_binary(g, "multiply", x, y), y);
    case FEED_TRANSPOSED:
        turned_axes(s->rank, axes);
        for (uint32_t i = 0; i < s->rank; i++)
            other.dim[axes[i]] = s->dim[i];
        return s->rank > 1 ? gt_transpose(g, gt_param(g, type, &other), axes)
                           : gt_param(g, type, s);
    case FEED_SLICED: return sliced(g, type, s);
    case FEED_SPREAD: /* one operand along the last axis, one along the others */
        for (uint32_t i = 0; i < s->rank; i++)
            other.dim[i] = i == s->rank - 1 ? s->dim[i] : 1;
        x = gt_stretch(g, gt_param(g, type, &other), s);
        for (uint32_t i = 0; i < s->rank; i++)
            other.dim[i] = i == s->rank - 1 ? 1 : s->dim[i];
        return gt_binary(g, "add", x, gt_stretch(g, gt_param(g, type, &other), s));
    case FEED_CONVERTED: return gt_convert(g, gt_param(g, other_type(type), s), type);
    case FEED_REVERSED: return gt_reverse(g, gt_param(g, type, s), (1u << s->rank) - 1);
    case FEED_PADDED: return padded(g, type, s);
    case FEED_JOINED: return joined(g, type, s);
    case FEED_DYNAMIC: return dynamic(g, type, s);
    case FEED_LOOKED_UP: return looked_up(g, type, s);
    default: return gt_param(g, type, s);
    }
}

/* ---- what follows ---- */

struct value around_use(struct graph_text *g, const struct sweep_case *c, struct value y)
{
    const struct tensor t = *gt_tensor(g, y);
    struct shape row = t.shape;
    switch ((enum use)c->use) {
    case USE_CHAIN:
        return gt_binary(g, "add", gt_binary(g, "multiply", y, y),
                         gt_constant(g, t.type, &t.shape, 1));
    case USE_SECOND: return gt_binary(g, "multiply", y, gt_param(g, t.type, &t.shape));
    case USE_ROW:
        for (uint32_t i = 0; i + 1 < row.rank; i++)
            row.dim[i] = 1;
        return gt_binary(g, "add", y, gt_stretch(g, gt_param(g, t.type, &row), &t.shape));
    case USE_COMPARED: {
        struct value with = gt_constant(g, t.type, &t.shape, 0.25);
        struct value test = gt_node(g, type_is_complex(t.type) ? "not_equal" : "greater", TYPE_U8,
                                    &t.shape, 2, (struct value[]){y, with}, "");
        return gt_node(g, "select", t.type, &t.shape, 3, (struct value[]){test, y, with}, "");
    }
    case USE_CONVERTED: return gt_convert(g, y, other_type(t.type));
    default: return y;
    }
}

static struct value stored_sliced(struct graph_text *g, struct value y)
{
    const struct shape s = *gt_shape(g, y);
    int64_t starts[VKC_MAX_RANK], lengths[VKC_MAX_RANK], strides[VKC_MAX_RANK];
    for (uint32_t i = 0; i < s.rank; i++) {
        starts[i] = s.dim[i] > 1;
        strides[i] = i == s.rank - 1 && s.dim[i] > 2 ? 2 : 1;
        lengths[i] = s.dim[i] - starts[i];
    }
    return gt_slice(g, y, starts, lengths, strides);
}

static struct value stored_padded(struct graph_text *g, struct value y)
{
    const struct tensor t = *gt_tensor(g, y);
    int64_t lo[VKC_MAX_RANK], hi[VKC_MAX_RANK], interior[VKC_MAX_RANK];
    for (uint32_t i = 0; i < t.shape.rank; i++) {
        lo[i] = 1;
        hi[i] = 2 * (i % 2);
        interior[i] = i == t.shape.rank - 1;
    }
    return gt_pad(g, y, gt_constant(g, t.type, &scalar, 1), lo, hi, interior);
}

static struct value stored(struct graph_text *g, enum store how, struct value y)
{
    const struct tensor t = *gt_tensor(g, y);
    const struct shape *s = &t.shape;
    int64_t axes[VKC_MAX_RANK];
    struct shape to = *s;
    if (s->rank == 0 && how != STORE_REPEATED && how != STORE_FLAT)
        return y;
    switch (how) {
    case STORE_TRANSPOSED:
        turned_axes(s->rank, axes);
        return s->rank > 1 ? gt_transpose(g, y, axes) : y;
    case STORE_REVERSED: return gt_reverse(g, y, 1u | 1u << (s->rank - 1));
    case STORE_SLICED: return stored_sliced(g, y);
    case STORE_PADDED: return stored_padded(g, y);
    case STORE_JOINED:
        to.dim[s->rank - 1] = 3;
        return gt_concatenate(g, gt_param(g, t.type, &to), y, s->rank - 1);
    case STORE_REPEATED:
        to = (struct shape){s->rank + 1, {3}};
        for (uint32_t i = 0; i < s->rank; i++) {
            to.dim[i + 1] = s->dim[i];
            axes[i] = i + 1;
        }
        return gt_broadcast(g, y, &to, axes);
    case STORE_FLAT: return gt_reshape(g, y, &(struct shape){1, {shape_size(s)}});
    default: return y;
    }
}

void around_store(struct graph_text *g, const struct sweep_case *c, struct value y,
                  const struct made *m)
{
    enum store how = (enum store)c->store;
    if (how == STORE_BOTH || how == STORE_ALL) /* as it is, and in another order */
        gt_result(g, y);
    if (how == STORE_HELD)
        gt_result(g, y);
    if ((how == STORE_HELD || how == STORE_ALL) && m->has_row)
        gt_result(g, m->row);
    if (how == STORE_HELD)
        return;
    gt_result(g, stored(g, how == STORE_BOTH || how == STORE_ALL ? STORE_TRANSPOSED : how, y));
    if (how == STORE_ALL)
        gt_result(g, stored(g, STORE_SLICED, y));
}
