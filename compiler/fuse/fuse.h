/* What the files of fusion share. fuse.c decides what is stored and runs the stages, fuse_reads.c knows who
   depends on whom, fuse_merge.c joins kernels, fuse_cut.c shares and splits. */
#ifndef VKC_FUSE_H
#define VKC_FUSE_H

#include "codegen/unit.h"

enum { REFUSALS = 4096 };

struct fusion {
    struct unit *u;
    struct diag *d;
    uint8_t *seen;              /* by node: what the kernel last given to fuse_reads computes */
    struct value *walk;         /* by node, scratch */
    uint32_t *mark, epoch;      /* by kernel, scratch of fuse_between */
    uint32_t *stack;
    uint32_t *version;          /* by kernel: grows when it changes */
    bool *fits;                 /* by kernel: the code generator has said so, and nothing has changed since */
    bool *is_short;             /* by node: the same of the value by itself, in fuse_cut.c */
    bool *is_repeated;          /* by slot: stored because its readers would compute it at many indices */
    bool *is_result;            /* by slot: a result, or read by control flow */
    struct refusal { uint32_t a, b, version_a, version_b; } *refused; /* pairs that did not fit, hashed */
};

/* Cuts a function into kernels; fills stored, kernel_of, kernels. */
bool fuse(struct unit *u, struct diag *d);

static inline const struct tensor *unit_tensor(const struct unit *u, struct value v) { return func_tensor(unit_func(u), v); }
static inline int64_t unit_size(const struct unit *u, struct value v) { return shape_size(&unit_tensor(u, v)->shape); }

/* ---- fuse_reads.c ---- */
bool fuse_is_control(const struct node *n);
bool fuse_is_trivial(const struct node *n);     /* a source or a movement: computes nothing */
struct kernel *fuse_new_kernel(struct unit *u);
bool fuse_add_value(struct arena *a, struct value **list, uint32_t *n, uint32_t *cap, struct value v);
/* The space of the kernel that starts with this value alone. */
void fuse_set_space(const struct unit *u, struct kernel *k, struct value v);
/* Fills k->reads, and marks in `seen` (by node) what the kernel computes. */
bool fuse_reads(struct fusion *x, struct kernel *k);
/* Does `from` depend on `to` through at least one kernel other than the two? */
bool fuse_between(struct fusion *x, uint32_t to, uint32_t from);
bool fuse_reads_from(const struct unit *u, const struct kernel *k, uint32_t producer);
/* Whether the kernel's nodes fit together: generates code into memory that is released again. */
bool fuse_fits(struct fusion *x, const struct kernel *k, const char **why);
/* The same, and how much the kernel computes. */
bool fuse_measure(struct fusion *x, const struct kernel *k, const char **why, uint64_t *out_flops);

/* ---- fuse_merge.c ---- */
bool fuse_merge_readers(struct fusion *x);
bool fuse_merge_siblings(struct fusion *x);
bool fuse_merge_scalars(struct fusion *x);
/* Whether the row kernel can store a value per element. */
bool fuse_per_element_ok(const struct unit *u, const struct kernel *rows);

/* ---- fuse_cut.c ---- */
/* Values that several kernels recompute dearly are stored by one of them. */
bool fuse_store_shared(struct fusion *x);
/* Cuts kernels that do not fit by themselves until all do. */
bool fuse_cut_misfits(struct fusion *x);

#endif
