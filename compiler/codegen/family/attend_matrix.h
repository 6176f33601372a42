/* What attention on matrix units shares: attend_matrix.c has the loop and the results,
   attend_operand.c the loads. */
#ifndef VKC_ATTEND_MATRIX_H
#define VKC_ATTEND_MATRIX_H

#include "codegen/family/attend.h"
#include "codegen/family/contract_matrix.h"

static inline const struct matrix *attend_units(const struct emit *e)
{
    return units_matrix(e->kernel->schedule.attend.matrix);
}

/* A thread's vectors of so many rows of `width` elements. */
uint32_t attend_each(const struct emit *e, uint32_t rows, uint32_t width);
/* The statements that fill `next` with a tile's rows of keys or values, of `width` elements, from
   row `first` on; those that put them into tile_b. Rows are whole matrices there. */
const char *attend_fetch_tile(struct emit *e, const struct attend *a, struct value v, int64_t width,
                              uint32_t side, const char *first);
const char *attend_put_tile(struct emit *e, int64_t width, uint32_t side);
/* Loads the workgroup's queries, through tile_a, into matrices. */
void attend_queries(struct emit *e, const struct attend *a);

#endif
