/* Does      writes ops that have no kernel of their own as nodes that have: sort and argsort as
             sorted and merged runs (lower_sort.c), fft and ifft as transforms of lines that fit a
             workgroup (lower_fft.c), concatenations of many tensors as trees (lower_concat.c),
             indexed_add and indexed_put of many updates by sorting their places (lower_scatter.c),
             of those that cannot meet without (lower_apart.c),
             large triangular systems as products (lower_triangular.c), predicates of any type as u8
   Requires  nothing; best after canon, which takes what is trivial, and before fold
   Keeps     sort, argsort and indexed_put bit for bit, except that sorted NaNs become one; of a
             transform all but the order of summation, so if an input is not finite, infinity and
             NaN may replace each other in its row
   Cost      about 25 nodes per sort and one for each doubling of what fits a workgroup; 10 per
             step of a transform, and tables of as many complex numbers as a line is long, some
             12 times as many if a prime factor above 13 makes it a convolution */
#include "passes/lower.h"
#include "passes/pass.h"
#include "passes/reads.h"

/* What is read of the nodes of one function, which is found when first asked for. */
struct lowering {
    const struct node *nodes; /* of that function */
    const struct shape *reads;
};

int64_t lower_reads(struct build *b, int64_t axis)
{
    struct lowering *l = b->r->context;
    if (l->nodes != b->src.nodes) {
        l->nodes = b->src.nodes;
        l->reads = reads_of(&b->src, &b->r->scratch);
    }
    if (!l->reads)
        return build_fail_memory(b), 1;
    int64_t read = l->reads[b->at].dim[axis];
    return read > 1 ? read : 1;
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    static const rewrite_fn rows[OP_COUNT] = {
        [OP_CONCATENATE] = lower_concatenate,
        [OP_SORT] = lower_sort,
        [OP_ARGSORT] = lower_sort,
        [OP_INDEXED_ADD] = lower_scatter,
        [OP_INDEXED_PUT] = lower_scatter,
        [OP_FFT] = lower_fft,
        [OP_IFFT] = lower_fft,
        [OP_TRIANGULAR_SOLVE] = lower_triangular,
    };
    return rows[n->op] && rows[n->op](b, n, ins, outs);
}

/* ---- predicates ---- */

/* The scalar result 0 of a function becomes u8: whether it is not zero. */
static bool test_result(struct graph *g, struct func *f, struct diag *d)
{
    struct tensor t = *func_tensor(f, f->results[0]);
    struct node *zero = func_append(g, f, OP_CONSTANT, UINT32_MAX, 0, 1, 1, 0);
    if (!zero)
        return FAIL(d, MEMORY, "out of memory");
    zero->outs[0] = t;
    attr_set_bits(&zero->attrs[0], ATTR_bits, 0, 0);
    struct value nothing = {f->nnodes - 1, 0};
    struct node *test = func_append(g, f, OP_NOT_EQUAL, UINT32_MAX, 2, 1, 0, 0);
    if (!test)
        return FAIL(d, MEMORY, "out of memory");
    test->ins[0] = f->results[0];
    test->ins[1] = nothing;
    test->outs[0] = (struct tensor){.type = TYPE_U8, .shape = t.shape};
    f->results[0] = (struct value){f->nnodes - 1, 0};
    return true;
}

/* A predicate may have any type; kernels and the runtime read a u8. */
static bool test_predicates(struct graph *g, bool *out_changed, struct diag *d)
{
    for (uint32_t k = 0; k < g->nfuncs; k++) {
        for (uint32_t i = 0; i < g->funcs[k].nnodes; i++) {
            const struct node *n = &g->funcs[k].nodes[i];
            uint32_t npredicates = n->op == OP_WHILE ? 1 : n->op == OP_COND ? n->nregions - 1 : 0;
            for (uint32_t r = 0; r < npredicates; r += 2) {
                struct func *f = &g->funcs[n->regions[r]];
                if (func_tensor(f, f->results[0])->type == TYPE_U8)
                    continue;
                if (!test_result(g, f, d))
                    return false;
                *out_changed = true;
            }
        }
    }
    return true;
}

bool pass_lower(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct lowering l = {NULL, NULL};
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite, .context = &l};
    bool tested = false;
    if (!test_predicates(g, &tested, d) || !rebuild_run(&r, out_changed))
        return false;
    *out_changed |= tested;
    return true;
}
