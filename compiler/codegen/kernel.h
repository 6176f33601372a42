/* What a kernel is: nodes of one function, an iteration space, and how it is spread over threads.
   fuse/ chooses the nodes, codegen/family/ writes the code, plan/ says when it runs.

   A value is *stored* if some kernel writes it to a buffer; everything else is recomputed inside
   the kernels that need it. */
#ifndef VKC_KERNEL_H
#define VKC_KERNEL_H

#include "codegen/families.h"
#include "ir/ir.h"

/* The index of a kernel, a buffer, a step, where there is none. */
#define NO_INDEX UINT32_MAX

enum family_id {
#define FAMILY(ID, file) FAMILY_##ID,
#include "codegen/family.def"
    /* no family: a whole function or loop inside one workgroup, see plan/group/group.h */
    KERNEL_GROUP,
    /* no family: gates and copies of loops and branches on the device, see plan/plan_device.c */
    KERNEL_STEER,
};

/* The declarations of a buffer that code uses: an array of elements or words, one of 4-vectors, and
   one of eight elements of 16 bits each. */
enum { VIEW_ELEMENTS = 1, VIEW_VECTORS = 2, VIEW_EIGHTS = 4 };

/* A value in memory that a kernel's code reads or writes. */
struct bound {
    struct value value;
    uint8_t access; /* vkb_access */
    uint8_t views;
    const void *load_index; /* the one index it is read at; the kernel itself if several */
};

struct alternative;

struct kernel {
    uint32_t id; /* k3 */
    enum family_id family;
    bool dead;           /* merged into another */
    uint32_t func;       /* whose nodes it computes */
    struct value *roots; /* values that it stores */
    uint32_t nroots, cap_roots;
    node_id *heroes; /* reductions, contractions: in any order */
    uint32_t nheroes, cap_heroes;
    union space space;   /* what it runs over */
    struct value *reads; /* stored values of others, parameters and literals */
    uint32_t nreads, cap_reads;
    struct schedule schedule; /* how it is spread over threads; zero until kernel_generate */
    const char *glsl;         /* of kernels of the same identity, that of the first */
    bool has_identity;
    /* digest of what its code depends on, see identity.h; kernels of a grid have one */
    uint8_t identity[32];
    uint32_t *spirv;
    uint32_t nspirv;  /* words */
    uint32_t same_as; /* an earlier kernel with the same code, or NO_INDEX */
    uint32_t *pushed; /* numbers that a dispatch gives its code, see pack/alike.h */
    uint32_t npushed;
    uint32_t features; /* vkb_feature bits */
    uint32_t matrix;   /* vkb_matrix that its matrix units must have, plus 1; 0: it uses none */
    uint32_t shared_bytes;
    uint64_t texels;     /* as in struct vkb_body */
    uint64_t aliased;    /* bindings whose memory another one has, too; see pack/finish.h */
    struct bound *bound; /* by binding */
    uint32_t nbound, cap_bound;
    const void **store_index; /* by root */
    uint64_t bytes, flops;
    uint32_t statements; /* of its body */
    /* of a variant: what it is made for; NULL: the plan's target */
    const struct alternative *alternative;
    /* The same with the same bindings for better devices, see variant.h; the best first, each
       linked to the next by its own `variant`. NULL: none. */
    struct kernel *variant;
    const char *label; /* "k3 rows n7..n12" */
    const char *why;   /* why fusion stopped here */
};

/* How many bodies a kernel has: its own, and its variants. */
static inline uint32_t kernel_bodies(const struct kernel *k)
{
    uint32_t n = 0;
    for (; k; k = k->variant)
        n++;
    return n;
}

#endif
