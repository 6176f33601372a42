/* Does      computes nodes whose inputs are constants, with the interpreter, so with the reference
             meaning
   Requires  nothing
   Keeps     bits; the limits in build_fold.c keep literals small
   Cost      linear, at most FOLD_MAX_WORK reads per node */
#include "passes/build.h"
#include "passes/pass.h"

bool pass_fold(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .fold = true};
    return rebuild_run(&r, out_changed);
}
