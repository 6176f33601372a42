/* Products with few rows, or few columns: those of a layer's weights with some vectors. */
#ifndef VKC_CONTRACT_NARROW_H
#define VKC_CONTRACT_NARROW_H

#include "codegen/family/contract.h"

/* Whether the product is one, and the target has a body for such. */
bool narrow_wanted(const struct unit *u, const struct node *n, const struct contract_space *s);
void narrow_schedule(const struct unit *u, struct kernel *k);
/* The sums of a workgroup's results, in shared memory, from row0 and col0 on. */
void narrow_sums(struct emit *e, struct contract *c);
void narrow_shared(struct emit *e, struct str *out);
/* What follows the product, for each of its results. */
void narrow_results(struct emit *e, struct contract *c);

#endif
