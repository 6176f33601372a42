/* The plan: which kernels compute a graph, in which order, in which memory. The second and last
   of the compiler's structures. fuse/ makes the kernels, plan.c the steps and buffers, memplan.c
   the offsets; plan_text.c prints it, pack/ packs it. */
#ifndef VKC_PLAN_H
#define VKC_PLAN_H

#include "codegen/unit.h"
#include "vkc.h"

enum plan_buffer_kind { PLAN_INPUT, PLAN_OUTPUT, PLAN_CONSTANT, PLAN_SCRATCH };

struct plan_buffer {
    enum plan_buffer_kind kind;
    uint32_t index; /* of the input, output or literal */
    uint64_t bytes; /* rounded up to a multiple of 4 */
    enum vkc_type type;
    int64_t elements;
    uint64_t offset;      /* in the constants or the arena */
    uint32_t alias;       /* OUTPUT: the input whose memory it takes, or NO_INDEX */
    uint32_t first, last; /* SCRATCH: lifetime in steps, inclusive */
    const char *name;
    /* in the making of a workgroup program of instances: it is a row of that buffer, each
       instance's own */
    bool is_row;
    uint32_t rows_of;
    /* in the making of one in portions: it has the value of that buffer between two dispatches */
    bool is_saved;
    uint32_t saves;
    bool is_outside; /* it is not the program's own, though it was made after those */
};

enum plan_step_kind { STEP_DISPATCH, STEP_COPY, STEP_WHILE, STEP_IF, STEP_HOST, STEP_REPEAT };

struct plan_step {
    enum plan_step_kind kind;
    uint32_t kernel; /* index into plan.kernels; HOST: callback */
    /* by binding; COPY: from, to; WHILE, IF: predicate; REPEAT: its flag, if it has one */
    uint32_t *buffers;
    uint8_t *access;
    uint32_t nbuffers;
    bool barrier;
    uint32_t times;             /* REPEAT */
    uint32_t counts, counts_at; /* DISPATCH: buffer and word of its group counts, or NO_INDEX */
    uint32_t range_first[2], range_count[2];
    uint64_t bytes;
};

struct plan_note {
    uint32_t func;
    node_id node; /* VKC_NO_NODE: the whole function */
    const char *why;
};

struct plan {
    struct arena *arena;
    struct graph *graph;
    const struct vkc_target *target;
    struct tuning tuning;                               /* of the target */
    struct alternative alternatives[MOST_ALTERNATIVES]; /* the best first */
    uint32_t nalternatives;
    struct kernel *kernels; /* of all units */
    uint32_t nkernels, cap_kernels;
    struct plan_buffer *buffers;
    uint32_t nbuffers, cap_buffers;
    struct plan_step *steps;
    uint32_t nsteps, cap_steps;
    uint32_t main_first, main_count;
    bool apart;      /* as vkc_options says */
    uint64_t bodies; /* of kernels that were written, those that were given up included */
    uint64_t arena_bytes, unplanned_bytes, constants_bytes;
    uint64_t bytes_unfused;
    bool *input_used;
    const struct decision *decisions; /* of fusion, about the node of vkc_options.explain */
    uint32_t ndecisions;
    /* loops, branches and functions that are not workgroup programs, and why */
    struct plan_note *notes;
    uint32_t nnotes, cap_notes;
};

bool plan_build(struct arena *a, struct graph *g, const struct vkc_options *o,
                const struct vkc_target *target, struct plan *out, struct diag *d);

/* The source line of what a kernel stores: "lib/model.ex:12", or NULL. */
const char *plan_kernel_loc(const struct plan *p, const struct kernel *k);

#endif
