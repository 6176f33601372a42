/* What the files of fusion share. fuse.c decides what is stored and runs the stages, fuse_reads.c
   knows which kernel reads from which, fuse_order.c which waits for which, fuse_merge.c joins
   kernels, fuse_share.c has what several compute stored, fuse_cut.c cuts what does not fit,
   fuse_alive.c knows what a kernel keeps alive, fuse_once.c what all its threads would do. */
#ifndef VKC_FUSE_H
#define VKC_FUSE_H

#include "codegen/identity.h"
#include "fuse/cost.h"

/* A kernel that reads a value, or once did. */
struct reader {
    struct reader *next;
    uint32_t kernel;
};

/* What the code generator said of a kernel, by what it computes. */
struct answer {
    uint64_t key[2]; /* identity_hash; zero: free */
    uint64_t flops;
    uint32_t again;
    bool fits;
};

/* What a kernel takes as it is. */
struct estimate {
    struct cost cost;
    uint32_t version, again; /* as of fusion.version, plus 1; as of unit.again */
    bool fits;
};

struct fusion {
    struct unit *u;
    struct diag *d;
    struct members members;      /* of the kernel last given to fuse_reads or fuse_measure */
    struct reader **readers;     /* by slot */
    uint32_t *nreaders;          /* the same: entries of the list */
    uint32_t *was_read, rereads; /* the same: scratch of fuse_reads */
    /* by task, see fuse_order.c */
    uint32_t *order;         /* above that of every task that it waits for */
    uint32_t *level;         /* the tasks of the longest way to it; see fuse_find_levels */
    uint32_t *mark, epoch;   /* scratch */
    uint32_t *stack;         /* the same */
    uint32_t controls;       /* tasks from this one on are control nodes */
    struct reader **waiting; /* by slot: control nodes that read it, as tasks */
    /* by node: the effect that it waits for, and the one that waits for it */
    node_id *effect_before, *effect_after;
    uint32_t *list; /* by kernel: what fuse_computing found */
    /* by node: its users are users[first_user[n]] to users[first_user[n + 1]]; scratch; all made
       at the first question */
    uint32_t *first_user, *met;
    node_id *users, *climb;
    uint32_t *version;          /* by kernel: grows when it changes */
    struct estimate *estimates; /* by kernel: the last one */
    bool *fits;     /* by kernel: the code generator has said so, and nothing has changed since */
    bool *is_short; /* by node: the same of the value by itself, in fuse_cut.c */
    bool *is_repeated; /* by slot: stored because its readers would compute it at many indices */
    bool *is_result;   /* by slot: a result, or read by control flow */
    /* pairs that did not fit, hashed */
    struct refusal {
        uint32_t a, b, version_a, version_b;
    } * refused;
    struct kernel_identity identity; /* of the kernel last asked about */
    struct answer *answers;          /* hashed */
    uint32_t nanswers, cap_answers;
    uint32_t nrefused; /* entries, a power of two */
};

/* Cuts a function into kernels; fills stored, kernel_of, kernels. */
bool fuse(struct unit *u, struct diag *d);

/* ---- fuse_reads.c ---- */
bool fuse_is_control(const struct node *n);
bool fuse_is_trivial(const struct node *n); /* a source or a movement: computes nothing */
struct kernel *fuse_new_kernel(struct unit *u);
/* Fills k->reads of one of the unit's kernels, and x->members; members_has tells what it
   computes. */
bool fuse_reads(struct fusion *x, struct kernel *k);
/* The nodes that read one, in x->users: built at the first question. False when out of memory. */
bool fuse_find_users(struct fusion *x);
/* The kernels that compute a value themselves, by their numbers. Returns how many; they are in
   x->list. */
uint32_t fuse_computing(struct fusion *x, struct value v);
/* A kernel of its own stores the value; whoever computed it loads it. Only before any kernels are
   merged. `out_first`: the first kernel that is another now. */
bool fuse_store_alone(struct fusion *x, struct value v, uint32_t *out_first);
/* Whether the kernel loads the value. */
bool fuse_loads(const struct kernel *k, struct value v);
/* Whether a kernel other than `kernel` loads the value. */
bool fuse_is_read(const struct fusion *x, uint32_t kernel, struct value v);
/* Whether the entry of a list of readers of `v` still holds. */
bool fuse_is_reader(const struct fusion *x, const struct reader *r, struct value v);
bool fuse_reads_from(const struct unit *u, const struct kernel *k, uint32_t producer);
/* Whether the kernel's nodes fit together: generates code into memory that is released again,
   unless it was asked about the same before. `why` gets the reason if they do not; it may be
   NULL. */
bool fuse_fits(struct fusion *x, const struct kernel *k, const char **why);
/* The same, and how much the kernel computes; x->members has what it loads. */
bool fuse_measure(struct fusion *x, const struct kernel *k, const char **why, uint64_t *out_flops);
/* What one of the unit's kernels takes. NULL with x->d when that ends the compile. */
const struct estimate *fuse_estimate(struct fusion *x, uint32_t k);

/* ---- fuse_order.c ---- */
/* Numbers the first kernels and the control nodes, for up to that many kernels. False when out of
   memory. */
bool fuse_order_init(struct fusion *x, uint32_t most_kernels);
/* Fills x->level anew. It tells when a task can run: unlike the order, which only grows, it knows
   nothing of kernels that happen to be numbered late. Joins keep the level of what is joined, not
   that of what reads it. */
bool fuse_find_levels(struct fusion *x);
/* After kernel k has taken over values of others: whoever waits for it comes after it. */
void fuse_raise(struct fusion *x, uint32_t k);
/* Does `from` depend on `to` through at least one kernel or control node other than the two? */
bool fuse_between(struct fusion *x, uint32_t to, uint32_t from);

/* ---- fuse_explain.c ---- */
/* Whether --explain asks for the decisions about the kernel. */
bool fuse_is_asked(struct fusion *x, const struct kernel *k);
/* Keeps a decision, once. False when out of memory. */
bool fuse_tell(struct fusion *x, const struct decision *told);

/* ---- fuse_generate.c ---- */
bool fuse_generate(struct fusion *x);

/* ---- fuse_merge.c ---- */
bool fuse_merge_readers(struct fusion *x);
bool fuse_merge_siblings(struct fusion *x);
bool fuse_merge_scalars(struct fusion *x);

/* ---- fuse_share.c ---- */
/* Expensive values that several kernels recompute are stored by one of them. */
bool fuse_store_shared(struct fusion *x);

/* ---- fuse_once.c ---- */
/* Dear values of few elements, which every thread of a large kernel computes, are stored. */
bool fuse_store_once(struct fusion *x);

/* ---- fuse_alive.c ---- */
/* Small parts of a large value that are read long after everything else of it are stored. */
bool fuse_store_parts(struct fusion *x);
/* Whether the two as one kernel would keep far more alive for long than they do apart. */
bool fuse_keeps_alive(struct fusion *x, uint32_t a, uint32_t b);

/* ---- fuse_cut.c ---- */
/* Cuts kernels that do not fit by themselves until all do. */
bool fuse_cut_misfits(struct fusion *x);

#endif
