/* Does      drops nodes that no result and no effect needs
   Requires  nothing
   Keeps     parameters of functions
   Cost      linear */
#include "build.h"
#include "pass.h"

bool pass_dce(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d};
    return rebuild_run(&r, out_changed);
}
