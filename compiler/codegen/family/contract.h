/* Tiled products of matrices. */
#ifndef VKC_FAMILY_CONTRACT_H
#define VKC_FAMILY_CONTRACT_H

#include "codegen/emit/emit.h"

/* Whether a matrix product is worth tiles, or does better as a row program. */
bool schedule_wants_tiles(const struct vkc_target *t, int64_t batch, int64_t m, int64_t n, int64_t k);

#endif
