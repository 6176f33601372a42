/* cumulative_sum, cumulative_product, cumulative_max and cumulative_min: the blocks of these names.
   Their expansion doubles the distance between the elements that it combines in each step. As scans
   they read and write each element once:

     short rows, or enough of them to fill the machine:
              y = scan(x)
     else:    s = sums of chunks,  p = scan(s) shifted by one,
              y[i] = combine(p[chunk of i], scan(x)[i]), the scan beginning anew in each chunk

   so at most three kernels; the last one also combines, element by element. Small ones keep the
   expansion, which is element-wise: it fuses with its surroundings and is a phase of a workgroup
   program. Narrow types are scanned in 32 bits and rounded or wrapped once. */
#include <string.h>

#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

static const struct {
    int64_t length;  /* up to which the expansion of a small tensor is a chain of few steps */
    int64_t chunk;   /* least elements of a chunk: what a workgroup scans at a time */
    int64_t columns; /* rows side by side that a workgroup takes when the axis is not the last */
} limits = {32, 4096, 64};

/* The reduction that the block keeps the partial results of, or OP_NONE. */
static enum op running_of(const struct node *n)
{
    for (int op = OP_NONE + 1; n->op == OP_BLOCK && op < OP_COUNT; op++)
        if (vkc_ops[op].scan && strcmp(attr_text(n, ATTR_name), vkc_ops[op].scan) == 0)
            return (enum op)op;
    return OP_NONE;
}

/* "axis=1;reverse=false" */
static bool read_options(const char *text, int64_t rank, int64_t *out_axis, bool *out_reverse)
{
    static const char axis[] = "axis=", reverse[] = ";reverse=";
    int64_t value = 0;
    if (strncmp(text, axis, sizeof axis - 1) != 0)
        return false;
    for (text += sizeof axis - 1; *text >= '0' && *text <= '9' && value < rank; text++)
        value = 10 * value + (*text - '0');
    if (strncmp(text, reverse, sizeof reverse - 1) != 0 || value >= rank)
        return false;
    text += sizeof reverse - 1;
    *out_axis = value;
    *out_reverse = strcmp(text, "true") == 0;
    return *out_reverse || strcmp(text, "false") == 0;
}

static enum vkc_type scan_type(enum vkc_type t)
{
    if (type_bytes(t) >= 4)
        return t;
    return type_is_float(t) ? TYPE_F32 : vkc_types[t].kind == KIND_SINT ? TYPE_S32 : TYPE_U32;
}

static struct value scan(struct build *b, struct value x, enum op combine, int64_t run,
                         bool reverse)
{
    if (!build_ok(b, x))
        return x;
    struct tensor out = *build_tensor(b, x);
    struct attr attrs[3] = {{.key = ATTR_combine, .kind = 's', .text = op_name(combine)},
                            {.key = ATTR_run, .kind = 'i', .i = run},
                            {.key = ATTR_reverse, .kind = 'b', .i = reverse}};
    struct node n = {
        .op = OP_SCAN, .nins = 1, .nouts = 1, .nattrs = 3, .ins = &x, .outs = &out, .attrs = attrs};
    return build_node(b, &n);
}

/* Elements per chunk; the row's length if the rows alone fill the machine. There are so many
   chunks that the pass split_reduce finds the reduction to their sums wide enough, and does not
   split it again. */
static int64_t chunk_of(const struct build *b, const struct rows_of *r)
{
    int64_t fill = b->r->options->tuning->full_groups;
    int64_t rows = r->outer * r->inner, power = limits.chunk;
    int64_t groups =
        r->inner == 1 ? r->outer : r->outer * ((r->inner + limits.columns - 1) / limits.columns);
    if (2 * groups >= fill)
        return r->length;
    int64_t wanted = (r->inner == 1 ? fill : fill * limits.columns) / rows + 2,
            chunk = r->length / wanted / limits.chunk * limits.chunk;
    while (2 * power <= chunk)
        power *= 2;
    return chunk <= limits.chunk ? limits.chunk : r->length % power == 0 ? power : chunk;
}

/* The value that leaves every other as it is. */
static struct value neutral(struct build *b, enum op reduce, enum vkc_type t)
{
    struct tensor scalar = {.type = t};
    uint64_t bits[2];
    op_neutral_bits(reduce, t, bits);
    return build_splat(b, &scalar, bits);
}

/* What comes before each element's chunk, as a tensor of x's shape: an index map of the sums'
   scan. Reversed, chunks are counted from the end. */
static struct value before_chunks(struct build *b, struct value x, enum op reduce,
                                  const struct rows_of *r, int64_t chunk, bool reverse)
{
    int64_t chunks = (r->length + chunk - 1) / chunk, zeros[3] = {0}, ones[3] = {1, 1, 1}, axis = 1,
            middle = 2, spread[3] = {0, 1, 3};
    struct shape line = rows_shape(r, chunks - 1);
    enum vkc_type t = build_tensor(b, x)->type;
    struct shape all = build_tensor(b, x)->shape, whole = rows_shape(r, (chunks - 1) * chunk),
                 padded = rows_shape(r, chunks * chunk);
    struct shape parts = shape_of(4, (int64_t[4]){r->outer, chunks - 1, chunk, r->inner}),
                 wide = shape_of(4, (int64_t[4]){r->outer, chunks, chunk, r->inner});
    parts.rank -= r->inner == 1; /* the last axis is the one that is summed */
    struct value sums = reverse ? build_reverse(b, x, &axis, 1) : x;
    sums = build_slice(b, sums, zeros, whole.dim, ones); /* nothing comes after the last chunk */
    sums = build_reduce(b, reduce, build_reshape(b, sums, &parts), &middle, 1);
    sums = scan(b, build_reshape(b, sums, &line), reduce, chunks - 1, false);
    sums = build_pad(b, sums, neutral(b, reduce, t), (int64_t[3]){0, 1, 0}, zeros, zeros);
    sums = build_reshape(b, build_broadcast(b, sums, &wide, spread), &padded);
    sums = build_slice(b, sums, zeros, all.dim, ones);
    return reverse ? build_reverse(b, sums, &axis, 1) : sums;
}

struct value lower_running(struct build *b, struct value x, enum op reduce, bool reverse)
{
    if (!build_ok(b, x))
        return x;
    struct rows_of r = rows_of(&build_tensor(b, x)->shape, 1);
    int64_t chunk = chunk_of(b, &r);
    struct value y = scan(b, x, reduce, chunk < r.length ? chunk : r.length, reverse);
    if (chunk < r.length)
        y = build_binary(b, vkc_ops[reduce].twin, before_chunks(b, x, reduce, &r, chunk, reverse),
                         y);
    return y;
}

bool lower_scan(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    enum op reduce = running_of(n);
    int64_t axis;
    bool reverse;
    if (reduce == OP_NONE || n->nins != 1 || n->nouts != 1)
        return false;
    const struct tensor from = *build_tensor(b, ins[0]);
    if (!tensor_equal(&from, &n->outs[0]) ||
        !read_options(attr_text(n, ATTR_options), from.shape.rank, &axis, &reverse))
        return false;
    struct rows_of r = rows_of(&from.shape, axis);
    bool is_small =
        shape_size(&from.shape) <= PROGRAM_ELEMENTS && (b->in_region || r.length <= limits.length);
    uint64_t identity;
    if (is_small || r.length == 1 || !op_takes(reduce, from.type))
        return false;
    if (!op_identity_bits(reduce, from.type, &identity) && from.type != TYPE_C128)
        return false;
    struct shape rows = rows_shape(&r, r.length);
    struct value x = build_reshape(b, build_convert(b, ins[0], scan_type(from.type)), &rows),
                 y = lower_running(b, x, reduce, reverse);
    outs[0] = build_reshape(b, build_convert(b, y, from.type), &from.shape);
    return true;
}
