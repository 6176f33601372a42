/* What the code of a matrix product shares, however it is computed: contract.c has the threads'
   own arithmetic, contract_tile.c their operands in shared memory, contract_matrix.c matrix
   units. */
#ifndef VKC_CONTRACT_H
#define VKC_CONTRACT_H

#include "codegen/family/contraction.h"
#include "codegen/family/family.h"

struct contract {
    struct contraction c;
    node_id id;
    const struct ix *b; /* which matrix of the batch */
    bool along_k[2];    /* neighbours in memory are neighbours along k */
};

/* The operand's element at matrix c->b, free index f (m or n) and k; one of `copies` that stand in
   the code. Every tile of the other side loads it. */
struct expr contract_operand(struct emit *e, const struct contract *c, uint32_t side,
                             uint32_t copies, const struct ix *f, const struct ix *k);
/* The operand's rows or columns: m or n. */
static inline int64_t contract_extent(const struct kernel *k, uint32_t side)
{
    return side ? k->space.contract.n : k->space.contract.m;
}
/* In which direction the operand's memory runs. */
bool contract_runs_along_k(struct emit *e, const struct contract *c, uint32_t side);
/* Workgroups, of tiles of that size. */
int64_t contract_tiles(const struct contract_space *s, uint32_t tile_m, uint32_t tile_n);
/* The result's flat index at row m and column n of matrix c->b. */
const struct ix *contract_flat(struct emit *e, const struct contract *c, const struct ix *m,
                               const struct ix *n);
/* Finishes and stores one sum, or four neighbours of a row from column n on, which acc[] names. */
void contract_results(struct emit *e, const struct contract *c, const struct ix *m,
                      const struct ix *n, const char *const *acc, uint32_t width);

/* A statement that adds the product of element `a` and element `b` to their sum. */
const char *contract_add(struct emit *e, enum vkc_type t, const char *a, const char *b);

/* ---- contract_matrix.c ---- */
bool matrix_fits(const struct unit *u, const struct kernel *k, const struct alternative *to);
/* False where no tile fits the shared memory. */
bool matrix_schedule(const struct unit *u, struct kernel *k);
bool matrix_write(struct emit *e, struct contract *c);
void matrix_print_shared(struct emit *e, struct str *out);
bool matrix_fill(struct emit *e, struct kernel_text *t, struct str *out);

#endif
