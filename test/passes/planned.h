/* The plan of a program in text, for a target: what tests of schedules and of workgroup programs
   count in. */
#ifndef PASSES_PLANNED_H
#define PASSES_PLANNED_H

#include "base/arena.h"
#include "base/cancel.h"
#include "check.h"
#include "passes/passes.h"
#include "plan/plan.h"

/* Everything lives in `a`. `cancel` is what planning asks, or NULL. False after a failed check. */
static inline bool plan_for(struct arena *a, const char *name, const struct vkc_target *target,
                            const char *text, struct cancel *cancel, struct plan *p)
{
    struct graph *g = ARENA_NEW(a, struct graph);
    struct diag d = {0};
    const struct vkc_options options = {.target = target};
    const struct pass_options passes = {.target = target};
    bool ok = g && ir_parse(a, text, strlen(text), g, &d) && ir_verify(g, &d) &&
              passes_run(g, &passes, &d);
    a->cancel = cancel;
    ok = ok && plan_build(a, g, &options, target, p, &d);
    CHECK(ok, "%s: %s", name, d.message);
    return ok;
}

#endif
