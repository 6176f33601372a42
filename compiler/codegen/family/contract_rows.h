/* Reductions along the rows of a product, in its kernel: the product is not stored. */
#ifndef VKC_CONTRACT_ROWS_H
#define VKC_CONTRACT_ROWS_H

#include "codegen/family/contract.h"

/* Whether a product's kernel also reduces its rows: its first hero is the product. */
static inline bool reduces_product(const struct kernel *k)
{
    return k->nheroes > 1;
}
/* Rows of all its matrices. */
static inline int64_t product_rows(const struct kernel *k)
{
    return k->space.contract.batch * k->space.contract.m;
}
/* Workgroups: each has all tiles of its rows. */
int64_t product_groups(const struct kernel *k, uint32_t tile_m, uint32_t tile_n);
/* Whether the rows of `other` are those of the product of `k`, and its kernel may reduce them. */
bool product_rows_join(const struct unit *u, const struct kernel *k, const struct kernel *other);

/* How the rows of a tile are spread over the threads of its workgroup. */
struct row_parts {
    uint32_t rows;  /* of a thread, number i of which is */
    const char *of; /* this one of the tile */
    uint32_t parts; /* threads that share a row, of which the thread is */
    const char *which;
    struct scope *outside; /* of the loop over tiles */
};

/* Bytes of shared memory in which the threads meet. */
uint32_t product_rows_bytes(const struct unit *u, const struct kernel *k, uint32_t tile_m,
                            uint32_t parts);
/* Around the code of a tile, which begins at row0 and col0. */
void product_rows_begin(struct emit *e, struct row_parts *p);
void product_rows_end(struct emit *e, const struct contract *c, const struct row_parts *p);
/* "uint m = ...;" of the thread's row number i, which exists; its index. */
const struct ix *product_row(struct emit *e, const struct row_parts *p);
/* Takes in `width` neighbours of row m, from column n on, which acc[] names: 1 or 4. */
void product_rows_take(struct emit *e, const struct contract *c, const struct ix *m,
                       const struct ix *n, const char *const *acc, uint32_t width);
/* The arrays in which the threads meet. */
void product_rows_shared(struct emit *e, const struct row_parts *p, struct str *out);

#endif
