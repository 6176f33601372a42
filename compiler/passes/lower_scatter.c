/* indexed_add and indexed_put of many updates. The places of the updates are sorted, which keeps
   the updates of one place in their order. Each element of the result then looks only at its own
   updates:

     key[i]    = place of update i, or past the last where it is out of range
     starts[t] = how many keys are less than t                            (search)
     put       = the update order[starts[t+1] - 1] if there is one, else the target
     add       = the target and the updates order[starts[t]] .. in turn   (segment_sum)

   So the cost is that of the updates, their sort and the result, not that of updates times
   results. If a place has thousands of updates, whole tiles of them are summed first, in
   parallel, and the place adds the tiles: the order of summation is still that of the updates,
   and no thread runs long. Few updates are not sorted: one kernel, in which each element looks
   at all of them. */
#include "passes/lower.h"
#include "target/limits.h"

static const struct {
    int64_t updates;  /* so few that looking at all costs less than kernels to sort them */
    int64_t work;     /* updates times elements, likewise */
    int64_t one_tile; /* updates that one thread may add up in turn */
} limits = {32, 1 << 16, 4096};

/* The tensor as [targets, rest]: indexed axes first. */
struct scatter {
    int64_t perm[VKC_MAX_RANK], targets, rest, updates;
    struct shape moved; /* of the transposed target */
    const int64_t *axes;
    uint32_t naxes;
};

static struct scatter scatter_of(const struct build *b, const struct node *n,
                                 const struct value *ins)
{
    struct scatter s = {.targets = 1, .rest = 1};
    const struct shape *t = &n->outs[0].shape, *i = &build_tensor(b, ins[1])->shape;
    s.axes = attr_list(n, ATTR_axes, &s.naxes);
    s.moved.rank = t->rank;
    uint32_t at = 0;
    for (; at < s.naxes; at++)
        s.perm[at] = s.axes[at];
    for (uint32_t k = 0; k < t->rank; k++)
        if (!attr_list_has(n, ATTR_axes, k))
            s.perm[at++] = k;
    for (uint32_t k = 0; k < t->rank; k++) {
        s.moved.dim[k] = t->dim[s.perm[k]];
        *(k < s.naxes ? &s.targets : &s.rest) *= s.moved.dim[k];
    }
    s.updates = shape_size(i) / s.naxes;
    return s;
}

/* The place of every update, u32 [updates]. */
static struct value keys(struct build *b, struct value indices, const struct scatter *s)
{
    int64_t strides[2] = {1, 1}, lengths[2] = {s->updates, 1}, stride = s->targets;
    struct shape pairs = shape_of(2, (int64_t[2]){s->updates, s->naxes}),
                 line = shape_of(1, &s->updates);
    struct value place = BUILD_NONE, inside = BUILD_NONE;
    indices = build_reshape(b, indices, &pairs);
    for (uint32_t k = 0; k < s->naxes && build_ok(b, indices); k++) {
        int64_t starts[2] = {0, k}, dim = s->moved.dim[k];
        enum vkc_type t = build_tensor(b, indices)->type;
        bool is_signed = vkc_types[t].kind == KIND_SINT;
        struct value i = build_reshape(b, build_slice(b, indices, starts, lengths, strides), &line);
        i = build_convert(b, i, vkc_types[t].bits == 64 ? t : is_signed ? TYPE_S32 : TYPE_U32);
        struct value fits = build_binary(b, OP_LESS, i, build_splat_like(b, i, (uint64_t)dim));
        if (is_signed)
            fits = build_binary(b, OP_BITWISE_AND, fits,
                                build_binary(b, OP_GREATER_EQUAL, i, build_splat_like(b, i, 0)));
        stride /= dim;
        struct value offset = build_convert(b, i, TYPE_U32);
        if (stride > 1)
            offset =
                build_binary(b, OP_MULTIPLY, offset, build_splat_like(b, offset, (uint64_t)stride));
        inside = k ? build_binary(b, OP_BITWISE_AND, inside, fits) : fits;
        place = k ? build_binary(b, OP_ADD, place, offset) : offset;
    }
    return build_ok(b, place)
               ? build_select(b, inside, place, build_splat_like(b, place, (uint64_t)s->targets))
               : place;
}

/* starts[targets + 1] of the sorted keys. */
static struct value find_starts(struct build *b, struct value sorted, const struct scatter *s)
{
    int64_t count = s->targets + 1;
    struct tensor t = {.type = TYPE_U32, .shape = shape_of(1, &count)},
                  out = {.type = TYPE_S32, .shape = t.shape};
    struct value ins[2] = {sorted, build_iota(b, &t, 0)};
    struct node n = {.op = OP_SEARCH, .nins = 2, .nouts = 1, .ins = ins, .outs = &out};
    return build_node(b, &n);
}

/* A column [targets] as [targets, rest]. */
static struct value spread(struct build *b, struct value x, const struct scatter *s)
{
    int64_t axis = 0;
    struct shape to = shape_of(2, (int64_t[2]){s->targets, s->rest});
    return build_broadcast(b, x, &to, &axis);
}

static struct value put(struct build *b, struct value target, struct value updates,
                        struct value order, struct value starts, const struct scatter *s)
{
    int64_t zero = 0, one = 1, length = s->targets;
    struct value first = build_slice(b, starts, &zero, &length, &one),
                 end = build_slice(b, starts, &one, &length, &one);
    struct value last =
        build_gather(b, order, build_binary(b, OP_SUBTRACT, end, build_splat_like(b, end, 1)));
    struct value some = build_binary(b, OP_GREATER, end, first);
    struct value taken = build_gather(b, updates, last);
    return build_select(b, spread(b, some, s), taken, target);
}

/* The places in order of updates whose whole tile is of one target, and 0 for all others: the sums
   of those tiles alone are read, so that memory is not gone through once more for the others. */
static struct value whole_tiles(struct build *b, struct value order, struct value sorted,
                                const struct scatter *s, int64_t tile)
{
    int64_t tiles = s->updates / tile, begin = 0, end = tile - 1, axis = 0,
            more = s->updates - tiles * tile;
    struct shape to = shape_of(2, (int64_t[2]){tiles, tile}), line = shape_of(1, &s->updates);
    struct value is_whole = build_binary(b, OP_EQUAL, build_slice(b, sorted, &begin, &tiles, &tile),
                                         build_slice(b, sorted, &end, &tiles, &tile));
    is_whole = build_broadcast(b, is_whole, &to, &axis);
    if (!build_ok(b, is_whole))
        return is_whole;
    int64_t flat = tiles * tile;
    struct tensor no = {.type = build_tensor(b, is_whole)->type};
    is_whole = build_pad(b, build_reshape(b, is_whole, &(struct shape){.rank = 1, .dim = {flat}}),
                         build_number(b, &no, 0), &begin, &more, &begin);
    is_whole = build_reshape(b, is_whole, &line);
    return build_select(b, is_whole, order, build_splat_like(b, order, 0));
}

/* The sums of whole tiles, in the sorted order. */
static struct value tile_sums(struct build *b, struct value updates, struct value order,
                              struct value sorted, const struct scatter *s, int64_t tile)
{
    int64_t tiles = (s->updates + tile - 1) / tile, zeros[2] = {0},
            hi[2] = {tiles * tile - s->updates, 0}, axis = 1;
    if (!build_ok(b, updates))
        return updates;
    struct tensor zero = {.type = build_tensor(b, updates)->type};
    struct shape parts = shape_of(3, (int64_t[3]){tiles, tile, s->rest});
    struct value from = whole_tiles(b, order, sorted, s, tile);
    struct value x = build_gather(b, updates, build_convert(b, from, TYPE_S32));
    x = build_pad(b, x, build_number(b, &zero, 0), zeros, hi, zeros);
    return build_reduce(b, OP_SUM, build_reshape(b, x, &parts), &axis, 1);
}

static struct value add(struct build *b, struct value target, struct value updates,
                        struct value order, struct value sorted, struct value starts,
                        const struct scatter *s)
{
    enum vkc_type t = build_ok(b, target) ? build_tensor(b, target)->type : TYPE_NONE;
    bool narrow = type_is_float(t) && type_bytes(t) < 4;
    int64_t tile = 1;
    target = narrow ? build_convert(b, target, TYPE_F32) : target;
    updates = narrow ? build_convert(b, updates, TYPE_F32) : updates;
    while (tile * tile < s->updates)
        tile *= 2;
    bool tiled = s->updates > limits.one_tile;
    struct value ins[5] = {target, updates, order, starts,
                           tiled ? tile_sums(b, updates, order, sorted, s, tile) : starts};
    for (int i = 0; i < 5; i++)
        if (!build_ok(b, ins[i]))
            return BUILD_NONE;
    struct tensor out = *build_tensor(b, target);
    struct attr attr = {.key = ATTR_tile, .kind = 'i', .i = tile};
    struct node n = {.op = OP_SEGMENT_SUM,
                     .nins = tiled ? 5 : 4,
                     .nouts = 1,
                     .nattrs = 1,
                     .ins = ins,
                     .outs = &out,
                     .attrs = &attr};
    return build_convert(b, build_node(b, &n), t);
}

bool lower_scatter(struct build *b, const struct node *n, const struct value *ins,
                   struct value *outs)
{
    struct node known = *n;
    known.ins = (struct value *)(uintptr_t)ins;
    if (build_try_fold(b, &known, &outs[0]))
        return true;
    if (lower_apart(b, n, ins, outs))
        return true;
    struct scatter s = scatter_of(b, n, ins);
    int64_t size = s.targets * s.rest;
    bool is_small = s.updates <= limits.updates || size <= limits.work / s.updates;
    if (b->in_region)
        is_small |= size <= PROGRAM_ELEMENTS && size <= PROGRAM_WORK / s.updates;
    if (is_small || s.targets >= INT32_MAX || s.updates >= INT32_MAX)
        return false;
    struct shape flat = shape_of(2, (int64_t[2]){s.targets, s.rest}),
                 rows = shape_of(2, (int64_t[2]){s.updates, s.rest});
    struct shape row = shape_of(4, (int64_t[4]){1, 1, s.updates, 1}),
                 line = shape_of(1, &s.updates);
    struct key_bits bits = {0, 1};
    while (s.targets >> bits.to)
        bits.to++; /* the place past the last is a key, too */
    struct value sorted =
        lower_order(b, build_reshape(b, keys(b, ins[1], &s), &row), &bits, true, true, false);
    struct value order = lower_plane(b, sorted, 1, &line),
                 places = lower_plane(b, sorted, 0, &line), starts = find_starts(b, places, &s);
    struct value target = build_reshape(b, build_transpose(b, ins[0], s.perm), &flat),
                 updates = build_reshape(b, ins[2], &rows);
    struct value made = n->op == OP_INDEXED_PUT
                            ? put(b, target, updates, build_convert(b, order, TYPE_S32), starts, &s)
                            : add(b, target, updates, order, places, starts, &s);
    int64_t back[VKC_MAX_RANK];
    for (uint32_t k = 0; k < s.moved.rank; k++)
        back[s.perm[k]] = k;
    outs[0] = build_transpose(b, build_reshape(b, made, &s.moved), back);
    return true;
}
