/* The pass pipeline: a table of named passes in the order in which they run. */
#ifndef VKC_PASSES_H
#define VKC_PASSES_H

#include "ir/ir.h"
#include "target/tuning.h"

struct pass_options {
    bool fast_math;
    bool no_fusion;
    bool highest_precision;          /* f32 products are not for matrix units */
    const struct vkc_target *target; /* NULL: the baseline */
    const struct tuning *tuning;     /* of the target; NULL: passes_run fills it in */
    const char *skip;                /* "cse,fold" or NULL */
    const char *stop_after;          /* a pass name or NULL */
    bool roundtrip;                  /* print and reparse the text IR after each pass: for tests */
    /* called after each pass with its name and whether it changed anything; may be NULL */
    void (*after)(void *context, const char *pass, bool changed, const struct graph *g);
    void *context;
};

struct pass {
    const char *name;
    bool (*run)(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d);
    const char *doc;
};

extern const struct pass vkc_passes[]; /* ends with a NULL name */

/* Runs them all; ir_verify after each. An unknown name in skip or stop_after is DIAG_USAGE. */
bool passes_run(struct graph *g, const struct pass_options *o, struct diag *d);

#endif
