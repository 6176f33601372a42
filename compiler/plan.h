/* The plan: which kernels compute a graph, in which order, in which memory. The second and last of the
   compiler's structures. fuse.c makes the kernels, plan.c the steps and buffers, memplan.c the offsets;
   plan_text.c prints it, bundle_write.c packs it.

   A value is *stored* if some kernel writes it to a buffer; everything else is recomputed inside the
   kernels that need it. Reshapes share the storage of what they reshape, so "the value" below always
   means the first value of a chain of reshapes. */
#ifndef VKC_PLAN_H
#define VKC_PLAN_H

#include "../runtime/bundle.h"
#include "ir.h"
#include "vkc.h"

#define PLAN_NONE UINT32_MAX

enum family {
    FAMILY_MAP,         /* element-wise over one iteration space */
    FAMILY_ROWS,        /* reductions along rows, and what happens per row and per element around them */
    FAMILY_CONTRACT,    /* tiled matrix product with fused loads and stores */
    FAMILY_SOLVE,       /* triangular systems, one a thread */
    FAMILY_LINES,       /* rows in shared memory: sorts and scans */
    FAMILY_FOURIER,     /* transforms of lines in shared memory */
    FAMILY_GROUP,       /* a whole function or loop inside one workgroup, see group.h */
    FAMILY_STEER,       /* gates and copies of loops and branches on the device, see plan_device.c */
};

/* How a kernel is spread over threads. Chosen by schedule.c from shapes and target. */
/* Loop iterations of a thread, of all its loops together, after which a driver with a loop limit stops it without a word. */
enum { LOOP_ITERATIONS = 65535 };

struct schedule {
    uint32_t group;             /* invocations of a workgroup */
    uint32_t lanes;             /* MAP: consecutive elements of a thread */
    int64_t across, along;      /* MAP: tiles of these axes turn in shared memory, see kernel_turn.c; 0: none do */
    uint32_t row_threads;       /* ROWS: threads that share a row, a power of two; FOURIER: that share a line */
    uint32_t group_rows;        /* ROWS, FOURIER: rows of a workgroup; group = row_threads * group_rows; LINES: runs */
    bool outer_fast;            /* ROWS, LINES: neighbouring threads take neighbouring rows, not elements */
    uint32_t unroll;            /* ROWS: elements that a thread takes in straight code; 1: a plain loop */
    uint32_t vector;            /* ROWS: neighbouring elements among them; CONTRACT: in shared memory; 1 or 4 */
    uint32_t span, steps;       /* LINES: elements of a run in shared memory, a power of two; how often for a run */
    uint32_t tile_m, tile_n, tile_k, thread_m, thread_n;    /* CONTRACT */
};

struct kernel {
    uint32_t id;                /* k3 */
    enum family family;
    bool dead;                  /* merged into another */
    uint32_t func;              /* whose nodes it computes */
    struct value *roots;        /* values that it stores */
    uint32_t nroots, cap_roots;
    node_id *heroes;            /* reductions, contractions: in any order */
    uint32_t nheroes, cap_heroes;
    int64_t size;               /* MAP: elements */
    uint32_t pieces;            /* MAP: runs of the space, of each of which a thread takes one element; 0 is 1 */
    int64_t outer, inner;       /* ROWS, LINES: rows, and elements of a row; CONTRACT: batch*m*n, k; FOURIER: elements, those of a line */
    int64_t batch, m, n;        /* CONTRACT */
    struct value *reads;        /* stored values of others, parameters and literals */
    uint32_t nreads, cap_reads;
    struct schedule schedule;   /* zero until kernel_generate */
    uint32_t groups[3];
    const char *glsl;
    uint32_t *spirv;
    uint32_t nspirv;            /* words */
    uint32_t same_as;           /* an earlier kernel with the same code, or PLAN_NONE */
    uint32_t features;          /* vkb_feature bits */
    uint32_t shared_bytes;
    struct value *bound;        /* binding i holds this value */
    uint8_t *access;            /* vkb_access of binding i */
    uint32_t nbound, cap_bound;
    const void **load_index;    /* by binding: the one index it is read at; the kernel itself if several */
    const void **store_index;   /* by root */
    uint64_t bytes, flops;
    const char *label;          /* "k3 rows n7..n12" */
    const char *why;            /* why fusion stopped here */
};

/* MAP: the first elements, of which a thread takes one: all, or the first of `pieces` equal runs. */
static inline int64_t map_span(const struct kernel *k)
{
    return k->pieces > 1 ? (k->size + k->pieces - 1) / k->pieces : k->size;
}

/* How often a kernel's text writes out a value, at different indices. */
struct written {
    uint32_t text;              /* which text: unit.texts then */
    uint32_t times;
    uint32_t lines;             /* of text for one, at most, what it asks for included */
};

/* The kernels of one function, and where its values live. */
struct unit {
    struct graph *graph;
    uint32_t func;
    struct arena *arena;
    const struct vkc_target *target;
    bool fast_math, no_fusion;
    uint32_t workgroup;         /* its kernels are phases of a workgroup program of so many threads; 0: a grid */
    const struct group *group;  /* that program once its values have places, or NULL */
    uint32_t *first_slot;       /* of a node: its outputs are slots first_slot[n] + out */
    uint32_t nslots;
    bool *stored;               /* by slot */
    uint32_t *kernel_of;        /* by slot: the kernel that computes it as root or hero, or PLAN_NONE */
    bool *external;             /* by slot: parameters, literals and outputs of control nodes */
    struct kernel *kernels;
    uint32_t nkernels, cap_kernels;
    uint32_t *buffer;           /* by slot: its plan buffer, or PLAN_NONE */
    const char **why;           /* by slot: what fusion decided, for --explain */
    struct written *written;    /* by slot: in the text that was made last */
    uint32_t texts;             /* made so far */
    uint32_t again;             /* lines of the kernel generated last that write a value at a further index */
    uint32_t patience;          /* how many times as long as allowed a text may be: 1, but where fusion only counts */
};

static inline const struct func *unit_func(const struct unit *u) { return &u->graph->funcs[u->func]; }
static inline uint32_t unit_slot(const struct unit *u, struct value v) { return u->first_slot[v.node] + v.out; }
/* More bytes than this are bound in parts, see runtime/bundle.h. */
static inline uint64_t plan_part_bytes(const struct vkc_target *t) { return vkb_part_bytes(t->max_binding_bytes); }
/* Bytes of storage of a tensor. */
static inline uint64_t plan_storage(const struct tensor *t) { return (tensor_bytes(t) + 3) & ~(uint64_t)3; }
/* The value whose storage `v` shares: `v` without the reshapes around it. */
struct value unit_base(const struct unit *u, struct value v);

enum plan_buffer_kind { PLAN_INPUT, PLAN_OUTPUT, PLAN_CONSTANT, PLAN_SCRATCH };

struct plan_buffer {
    enum plan_buffer_kind kind;
    uint32_t index;             /* of the input, output or literal */
    uint64_t bytes;             /* rounded up to a multiple of 4 */
    enum vkc_type type;
    int64_t elements;
    uint64_t offset;            /* in the constants or the arena */
    uint32_t alias;             /* OUTPUT: the input whose memory it takes, or PLAN_NONE */
    uint32_t first, last;       /* SCRATCH: lifetime in steps, inclusive */
    const char *name;
};

enum plan_step_kind { STEP_DISPATCH, STEP_COPY, STEP_WHILE, STEP_IF, STEP_HOST, STEP_REPEAT };

struct plan_step {
    enum plan_step_kind kind;
    uint32_t kernel;            /* index into plan.kernels; HOST: callback */
    uint32_t *buffers;          /* by binding; COPY: from, to; WHILE, IF: predicate; REPEAT: its flag, if it has one */
    uint8_t *access;
    uint32_t nbuffers;
    bool barrier;
    uint32_t times;             /* REPEAT */
    uint32_t counts, counts_at; /* DISPATCH: buffer and word of its group counts, or PLAN_NONE */
    uint32_t range_first[2], range_count[2];
    uint64_t bytes;
};

struct plan_note {
    uint32_t func;
    node_id node;               /* VKC_NO_NODE: the whole function */
    const char *why;
};

struct plan {
    struct arena *arena;
    struct graph *graph;
    const struct vkc_target *target;
    struct kernel *kernels;     /* of all units */
    uint32_t nkernels, cap_kernels;
    struct plan_buffer *buffers;
    uint32_t nbuffers, cap_buffers;
    struct plan_step *steps;
    uint32_t nsteps, cap_steps;
    uint32_t main_first, main_count;
    bool apart;                 /* as vkc_options says */
    uint64_t arena_bytes, unplanned_bytes, constants_bytes;
    uint64_t bytes_unfused;
    bool *input_used;
    struct plan_note *notes;    /* loops, branches and functions that are no workgroup program, and why */
    uint32_t nnotes, cap_notes;
};

/* ---- fuse.c: cuts a function into kernels; fills stored, kernel_of, kernels ---- */
bool fuse(struct unit *u, struct diag *d);

/* ---- schedule.c ---- */
/* `most_unroll`: how many elements of a row may stand in straight code, at most 16. */
void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll);
/* Whether a matrix product is worth tiles, or does better as a row program. */
bool schedule_wants_tiles(const struct vkc_target *t, int64_t batch, int64_t m, int64_t n, int64_t k);

/* ---- kernel.c: GLSL of one kernel; fills glsl, groups, bindings, features. `why_not` gets the reason
   when the kernel's nodes do not fit together, which is an answer, not an error. ---- */
bool kernel_generate(struct unit *u, struct kernel *k, const char **why_not, struct diag *d);

/* ---- plan.c ---- */
bool plan_build(struct arena *a, struct graph *g, const struct vkc_options *o, const struct vkc_target *target, struct plan *out,
                struct diag *d);
/* ---- memplan.c: lifetimes, offsets, barriers ---- */
bool memplan(struct plan *p, struct diag *d);
/* ---- plan_text.c ---- */
void plan_print(const struct plan *p, struct str *out);

/* The source line of what a kernel stores: "lib/model.ex:12", or NULL. */
const char *plan_kernel_loc(const struct plan *p, const struct kernel *k);
/* ---- bundle_write.c ---- */
bool bundle_write(const struct plan *p, void **out, size_t *out_size, struct diag *d);

#endif
