/* Does      writes ops that have no kernel of their own as nodes that have: sort and argsort as sorted
             and merged runs (lower_sort.c), fft and ifft as transforms of lines that fit a workgroup
             (lower_fft.c); concatenations of many tensors as trees (lower_concat.c)
   Requires  nothing; best after canon, which takes what is trivial, and before fold
   Keeps     sort and argsort bit for bit, but all NaNs become one; of a transform all but the order of
             summation, so that where an input is not finite, infinity and NaN may stand for each other in its row
   Cost      about 25 nodes a sort and one for each doubling of what fits a workgroup, 10 a step of a transform;
             tables of as many complex numbers as a line is long, some 12 times as many where a prime factor
             above 13 makes it a convolution */
#include "lower.h"
#include "pass.h"

static bool rewrite(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    switch (n->op) {
    case OP_CONCATENATE:
        return lower_concatenate(b, n, ins, outs);
    case OP_SORT:
    case OP_ARGSORT:
        return lower_sort(b, n, ins, outs);
    case OP_FFT:
    case OP_IFFT:
        return lower_fft(b, n, ins, outs);
    default:
        return false;
    }
}

bool pass_lower(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite};
    return rebuild_run(&r, out_changed);
}
