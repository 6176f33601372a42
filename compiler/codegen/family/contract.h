/* Tiled products of matrices. */
#ifndef VKC_FAMILY_CONTRACT_H
#define VKC_FAMILY_CONTRACT_H

#include "codegen/emit/emit.h"

bool kernel_contract(struct emit *e);
void contract_shared(const struct kernel *k, enum vkc_type t, struct str *out);
uint32_t contract_shared_bytes(const struct schedule *s, enum vkc_type t);

#endif
