/* Does      splits a long reduction with few results in two stages: first over chunks, then over
             the results of the chunks
   Requires  canon: axes of reductions are longer than 1 and not kept
   Keeps     the shape of the tree, so the same bits on every run; narrow floats are summed in f32
   Cost      linear */
#include "passes/build.h"
#include "passes/pass.h"

/* Results that one workgroup makes when the reduced axis is not the last. */
enum { COLUMNS = 64 };

/* How many chunks; 1 to leave it. */
static int64_t chunks_of(const struct tuning *t, int64_t results, int64_t length, int64_t first,
                         bool last_axis)
{
    int64_t groups = last_axis ? results : (results + COLUMNS - 1) / COLUMNS;
    int64_t least = length / t->split_longest + (length % t->split_longest != 0);
    if (least < 2 && (length <= t->split_from || groups >= t->full_groups))
        return 1;
    int64_t wanted = t->full_groups / groups, most = length / t->split_chunk;
    wanted = wanted < most ? wanted : most;
    wanted = wanted > least ? wanted : least;
    wanted = wanted < first ? wanted : first;
    if (wanted < 2)
        return 1;
    /* a count that divides needs no padding */
    for (int64_t n = wanted; n > wanted / 2 && n >= least; n--)
        if (first % n == 0)
            return n;
    return wanted;
}

/* Merges the first run of neighbouring reduced axes into one; `axes` is then what is left to
   reduce. Yields the index of the merged axis. */
static struct value merge_run(struct build *b, struct value x, int64_t *axes, uint32_t *naxes)
{
    const struct shape from = build_tensor(b, x)->shape;
    uint32_t run = 1, left = 1;
    struct shape to = {0};
    while (run < *naxes && axes[run] == axes[0] + run)
        run++;
    for (uint32_t i = 0; i < from.rank; i++) {
        if (i > axes[0] && i < axes[0] + run)
            to.dim[to.rank - 1] *= from.dim[i];
        else
            to.dim[to.rank++] = from.dim[i];
    }
    for (uint32_t i = run; i < *naxes; i++)
        axes[left++] = axes[i] - (run - 1);
    *naxes = left;
    return build_reshape(b, x, &to);
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    uint64_t identity;
    uint32_t naxes;
    if (op_class(n->op) != CLASS_REDUCE || attr_bool(n, ATTR_keep))
        return false;
    const int64_t *reduced = attr_list(n, ATTR_axes, &naxes);
    const struct tensor from = *build_tensor(b, ins[0]);
    bool rounds = vkc_ops[n->op].bound != BOUND_EXACT;
    enum vkc_type type = rounds ? build_sum_type(from.type) : from.type;
    int64_t results = shape_size(&n->outs[0].shape), length = shape_size(&from.shape) / results,
            first = 1;
    int64_t axes[VKC_MAX_RANK];
    if (naxes == 0 || !op_identity_bits(n->op, type, &identity) || type_is_complex(type))
        return false;
    bool last_axis = reduced[naxes - 1] == from.shape.rank - 1;
    for (uint32_t i = 0; i < naxes; i++) {
        axes[i] = reduced[i];
        if (reduced[i] == reduced[0] + i)
            first *= from.shape.dim[reduced[i]];
    }
    int64_t chunks = chunks_of(b->r->options->tuning, results, length, first, last_axis);
    if (chunks == 1)
        return false;
    struct value x = merge_run(b, build_convert(b, ins[0], type), axes, &naxes);
    if (!build_ok(b, x))
        return true;
    const struct shape merged = build_tensor(b, x)->shape;
    int64_t chunk = (first + chunks - 1) / chunks, zeros[VKC_MAX_RANK] = {0},
            hi[VKC_MAX_RANK] = {0};
    chunks = (first + chunk - 1) / chunk;
    hi[axes[0]] = chunks * chunk - first;
    if (hi[axes[0]] > 0) {
        struct tensor scalar = {.type = type};
        x = build_pad(b, x, build_splat(b, &scalar, (uint64_t[2]){identity, 0}), zeros, hi, zeros);
    }
    struct shape split = {0};
    for (uint32_t i = 0; i < merged.rank; i++) {
        if (i == axes[0])
            split.dim[split.rank++] = chunks;
        split.dim[split.rank++] = i == axes[0] ? chunk : merged.dim[i];
    }
    int64_t second = axes[0];
    for (uint32_t i = 0; i < naxes; i++)
        axes[i]++;
    if (merged.rank == VKC_MAX_RANK)
        return false;
    x = build_reduce(b, n->op, build_reshape(b, x, &split), axes, naxes);
    outs[0] = build_convert(b, build_reduce(b, n->op, x, &second, 1), n->outs[0].type);
    return true;
}

bool pass_split_reduce(struct graph *g, const struct pass_options *o, bool *out_changed,
                       struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite};
    return rebuild_run(&r, out_changed);
}
