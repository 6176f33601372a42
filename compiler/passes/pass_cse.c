/* Does      makes equal nodes one: same op, inputs (in any order if the op commutes), type,
             attributes
   Requires  nothing
   Keeps     labels of the first of the equal nodes; nodes with regions or effects are never merged
   Cost      linear */
#include "passes/build.h"
#include "passes/pass.h"

bool pass_cse(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .share = true};
    return rebuild_run(&r, out_changed);
}
