/* The workgroup program: the steps of a function, a loop or a branch as phases of one dispatch of
   one workgroup. Its kernels are cut by fuse() as always. Here every step becomes a phase that the
   threads of the workgroup share; every buffer that only these steps touch becomes a variable,
   shared memory or a piece of one scratch buffer; and every WHILE and IF becomes one of the
   shader's.

   plan_group.c decides what becomes one, group_layout.c gives values their places, group_size.c
   counts its size, group_emit.c writes the code. */
#ifndef VKC_GROUP_H
#define VKC_GROUP_H

#include "plan/plan.h"

struct block;

enum { GROUP_TYPES = 8 }; /* GLSL types of elements, see group_type */

struct group {
    struct plan *plan;
    const struct block *block;
    uint32_t threads;
    int64_t instances;   /* a workgroup each; 0: one workgroup, which is all of it */
    uint32_t inside;     /* buffers from this one on are the program's own */
    struct place *place; /* by plan buffer */
    uint8_t *access;     /* by plan buffer: vkb_access of the code */
    uint32_t shared[GROUP_TYPES], scratch[GROUP_TYPES]; /* elements */
    uint32_t shared_bytes, part_bytes;
    uint64_t scratch_bytes;
    uint64_t saved_bytes; /* of these, what only the next dispatch reads */
    /* arrays of partial results by type; the last: of their positions */
    uint32_t parts[GROUP_TYPES + 1];
    uint32_t phases, barriers; /* from group_size */
    /* the same; from group_emit on what was written, which can be other lanes' */
    uint32_t statements;
    bool gangs[2];     /* by their types: whether there are any, see group_gang.h */
    uint32_t bindings; /* at most */
    uint32_t loops;    /* that a thread makes of phases and of their rows */
    uint64_t flops;
    uint64_t iterations; /* of loops, in one thread, at most; 1e15: not known */
    double seconds;      /* estimate, a loop of unknown length counted once */
    double dispatches;   /* that its steps would be, likewise */
};

/* ---- group_layout.c ---- */
/* Number of a register type in group_types. */
uint32_t group_type(enum vkc_type t);
extern const enum vkc_type group_types[GROUP_TYPES];
/* Whether all threads run the phase, each for itself: one row or one element, little work. */
bool group_is_uniform(const struct kernel *k);
/* Gives every buffer of g->block a place. False with a reason when they do not fit the target. */
bool group_layout(struct group *g, const char **why_not, struct diag *d);

/* Whether the copy leaves all as it is: both are one, or the value is saved where it lies. */
bool group_copies_nothing(const struct group *g, const struct plan_step *s);

/* ---- group_size.c ---- */
/* What the threads divide among themselves of a copy. */
int64_t group_copy_count(const struct group *g, const struct plan_step *s);
/* Counts what the program, which has been laid out, is to have. False when out of memory. */
bool group_size(struct group *g, struct diag *d);

/* ---- group_emit.c ---- */
/* Writes the program's code into `out`, and which plan buffer and access each binding has; the
   last is NO_INDEX, the scratch buffer, when there is one. `what` goes into the label. */
bool group_emit(struct group *g, const char *what, struct kernel *out, uint32_t **out_buffers,
                uint8_t **out_access, const char **why_not, struct diag *d);

#endif
