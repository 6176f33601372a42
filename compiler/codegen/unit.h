/* The kernels of one function, and what is known of its values. Reshapes share the storage of
   what they reshape, so "the value" always means the first value of a chain of reshapes. */
#ifndef VKC_UNIT_H
#define VKC_UNIT_H

#include "codegen/kernel.h"
#include "codegen/place.h"
#include "runtime/bundle.h"
#include "target/tuning.h"
#include "target/units.h"
#include "vkc.h"

/* How often a kernel's text writes out a value, at different indices. */
struct written {
    uint32_t text; /* which text: unit.texts then */
    uint32_t times;
    uint32_t lines; /* of text for one, at most, what it asks for included */
};

/* What kernels may have a variant for. */
struct alternative {
    const struct vkc_target *target;
    struct tuning tuning;
    enum units matrix_units; /* that it uses */
};

/* Another target's bodies with both kinds of matrix units and without, and the plan's target's with
   them. */
enum { MOST_ALTERNATIVES = 5 };

/* A value of one element that is in a variable before the body of a kernel begins. */
struct single {
    struct value v;
    const char *name;
};

/* The kernels of one function, and where its values live. */
struct unit {
    struct graph *graph;
    uint32_t func;
    struct arena *arena;
    const struct vkc_target *target;
    const struct tuning *tuning;
    enum units matrix_units; /* used by what is generated now */
    bool plain_products;     /* f32 products are made by fma wherever they run */
    /* kernels of a grid have variants for these, too, the best first */
    const struct alternative *alternatives;
    uint32_t nalternatives;
    bool fast_math, no_fusion;
    bool all_texts;             /* equal kernels are written out, too: their text was asked for */
    bool reasons;               /* the reasons for the kernels were asked for */
    uint32_t asked;             /* label of the node that --explain names, plus 1; or 0 */
    struct decision *decisions; /* of kernels that compute that node: see fuse/cost.h */
    uint32_t ndecisions, cap_decisions;
    /* its kernels are phases of a workgroup program of that many threads; 0: a grid */
    uint32_t workgroup;
    /* by plan buffer: where values live once that program has given them places, or NULL */
    const struct place *places;
    uint8_t *place_access;        /* by plan buffer, with places: vkb_access of the code */
    const struct single *singles; /* of the phase that is written; see plan/group/group_gang.h */
    uint32_t nsingles;
    /* a put_slice of which the phase that is written goes through the slice alone, or NULL */
    const struct node *only_slice;
    uint32_t *first_slot; /* of a node: its outputs are slots first_slot[n] + out */
    uint32_t nslots;
    bool *stored;        /* by slot */
    uint32_t *kernel_of; /* by slot: the kernel that computes it as root or hero, or NO_INDEX */
    bool *in_tile;       /* by node: scores of an attend, or computed from them: never stored */
    bool *external;      /* by slot: parameters, literals and outputs of control nodes */
    struct kernel *kernels;
    uint32_t nkernels, cap_kernels;
    uint32_t *buffer;        /* by slot: its plan buffer, or NO_INDEX */
    uint32_t naming;         /* the last renaming of plan buffers that came here */
    const char **why;        /* by slot: what fusion decided, for --explain */
    struct written *written; /* by slot: in the text that was made last */
    uint32_t texts;          /* made so far */
    uint32_t *seen, sight;   /* by node, and what it holds of those that members_of met last */
    uint32_t *loaded;        /* by slot: the same of the values that it loads */
    node_id *walk;           /* by node, scratch of members_of */
    uint32_t again; /* lines of the kernel generated last that write a value at a further index */
    /* how many times as long as allowed a text may be: 1, but where fusion only counts */
    uint32_t patience;
};

static inline const struct func *unit_func(const struct unit *u)
{
    return &u->graph->funcs[u->func];
}
static inline uint32_t unit_slot(const struct unit *u, struct value v)
{
    return u->first_slot[v.node] + v.out;
}
static inline const struct tensor *unit_tensor(const struct unit *u, struct value v)
{
    return func_tensor(unit_func(u), v);
}
static inline int64_t unit_size(const struct unit *u, struct value v)
{
    return shape_size(&unit_tensor(u, v)->shape);
}
/* More bytes than this are bound in parts, see runtime/bundle.h. */
static inline uint64_t unit_part_bytes(const struct vkc_target *t)
{
    return vkb_part_bytes(t->max_binding_bytes);
}
/* Bytes of storage of a tensor. */
static inline uint64_t storage_bytes(const struct tensor *t)
{
    return (tensor_bytes(t) + 3) & ~(uint64_t)3;
}
/* The value whose storage `v` shares: `v` without the reshapes around it. */
struct value unit_base(const struct unit *u, struct value v);
/* Appends a value unless the list has it. False when out of memory. */
bool unit_add_value(struct arena *a, struct value **list, uint32_t *n, uint32_t *cap,
                    struct value v);
/* Is the node a reduction of some kind that its kernel computes once a row? */
bool node_is_hero(const struct node *n);

#endif
