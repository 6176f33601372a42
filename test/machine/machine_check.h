/* Graphs compiled for a target, run by the machine of this folder, and compared with the
   interpreter. */
#ifndef MACHINE_CHECK_H
#define MACHINE_CHECK_H

#include "../e2e/perturb.h"
#include "../front/check.h"
#include "machine.h"
#include "vkc.h"

struct machine_check {
    struct check check;
    uint64_t seed;
    int64_t compared, loose; /* elements; those that depend on rounding */
    int refused;             /* graphs that a target cannot run */
};

/* Fills the inputs of set `set` in the test's own way; without one, e2e_fill, with edges in odd
   sets. */
typedef void machine_fill_fn(const void *context, const struct array *x, uint32_t input,
                             uint32_t set, uint64_t *random);

struct machine_case {
    const char *name, *graph; /* the text IR, or JSON */
    bool json;
    const char *target; /* a shipped profile */
    uint32_t units;     /* if not as many as it has */
    bool no_fusion, fast_math;
    const char *skip_passes;
    bool exact;                 /* nothing is rounded on the way: the interpreter's bits */
    bool matrices, no_matrices; /* some kernel must have a body on matrix units; none may */
    bool plain;                 /* the last body of each kernel is run, too */
    uint64_t groups;            /* workgroups of the first dispatch; 0: any */
    uint32_t sets;              /* of inputs; 0 is one */
    machine_fill_fn *fill;
    const void *context;
    struct machine_counts *counts; /* of the run with the first bodies; NULL: nobody asks */
};

/* A shipped profile whose kernels emulate ballots: invocations here run one after the other from
   barrier to barrier. */
bool machine_target(const char *name, struct vkc_target *out);

/* False after a failed check; a target that lacks what the graph needs is counted and no
   failure. */
bool machine_compare(struct machine_check *m, const struct machine_case *c);

/* The same for every shipped profile. */
void machine_compare_all(struct machine_check *m, const struct machine_case *c);

/* The code that a graph, in the text IR, has for nvidia, to be freed; NULL after a failed check. */
char *machine_code(struct machine_check *m, const char *name, const char *graph);
unsigned machine_count(const char *text, const char *what);

/* The text of a graph. `params` as in "f32[3] s32[]"; `nodes` are those after the parameters', and
   the return. */
void machine_graph_text(char *out, size_t size, const char *name, const char *params,
                        const char *nodes, bool donates);

#endif
