/* Matrix units of a target: which of their products a type's may use. Shared by
   passes/pass_split_contract.c, which cuts long products for them, and
   codegen/family/contract_matrix.c. Knows no graph. */
#ifndef VKC_TARGET_UNITS_H
#define VKC_TARGET_UNITS_H

#include "base/type.h"
#include "target/tuning.h"
#include "vkc.h"

/* What a body uses of them: nothing, matrices of a subgroup, matrices of a whole workgroup. */
enum units { UNITS_NONE, UNITS_SUBGROUP, UNITS_WORKGROUP };

/* ", matrix units", as it stands behind a target's name. */
const char *units_text(enum units units);

/* A product of matrices of a type under 32 bits, m x k by k x n. */
struct matrix {
    enum vkc_type type;
    uint32_t m, n, k;
    uint32_t threads; /* of the workgroup that has them; 0: a subgroup has */
};

/* Side of the tiles that products of f32 are counted in, to see whether units are worth it. */
enum { UNITS_SPLIT_EDGE = 64 };

/* *Returns* the first that the target has for products of the type, with all that their kernels
   need, as its row of runtime/matrices.def plus 1; 0: none. Those of f32 are three products of
   halves in f16. */
uint32_t units_for(const struct vkc_target *target, enum vkc_type type);

/* The same of matrices that a workgroup has; not of f32. */
uint32_t units_of_workgroup(const struct vkc_target *target, enum vkc_type type);

/* Whether it has any of that kind. */
bool units_any(const struct vkc_target *target, enum units units);

/* `which` of these, not 0. */
const struct matrix *units_matrix(uint32_t which);

/* Matrices of a batch, m x k by k x n. */
struct product {
    int64_t batch, m, n, k;
};

/* Tiles of m x n results, all matrices together. */
static inline int64_t product_tiles(const struct product *p, int64_t m, int64_t n)
{
    return p->batch * ((p->m + m - 1) / m) * ((p->n + n - 1) / n);
}

/* Those of the processor that has most. */
static inline int64_t product_most_tiles(const struct tuning *t, const struct product *p, int64_t m,
                                         int64_t n)
{
    return (product_tiles(p, m, n) + t->processors - 1) / t->processors;
}

/* Tiles that products of f32, f16 or bf16 are cut in there. */
const struct matrix_tile *units_tiles(const struct tuning *t, enum vkc_type type,
                                      uint32_t *out_count);
/* *Returns* the ns that a product takes in tiles of that size: the processor with the most
   decides. */
double units_ns(const struct tuning *t, const struct matrix_tile *tile, const struct product *p);
/* *Returns* whether a product of the type is large enough for the target's units, if it has any. */
bool units_suit(const struct tuning *t, enum vkc_type type, const struct product *p);

/* The same of f32's tiles. Those of a short sum count for less: what surrounds it takes longer
   there than in plain tiles. */
bool units_split_suit(const struct tuning *t, const struct product *p);

/* Whether a product is large enough for a kernel of tiles, plain or on matrix units. */
bool product_in_tiles(const struct tuning *t, const struct product *p);

/* Workgroups that share a product of few rows or columns have so many of the others, at least. */
enum { NARROW_TILE = 16 };
/* Whether a dot is one of those that family/contract_narrow.c computes; `bytes`: of an element. */
bool product_narrow(const struct tuning *t, const struct product *p, uint32_t bytes);

enum { EIGHT = 8 }; /* elements of 16 bits in a vector of shared memory */

/* Vectors of a line of a tile. One is to spare, so that lines begin in different banks. */
static inline uint32_t matrix_pitch(uint32_t run)
{
    return run / EIGHT + 1;
}

#endif
