/* Products in tiles of a workgroup, with the operands in shared memory. */
#ifndef VKC_CONTRACT_TILE_H
#define VKC_CONTRACT_TILE_H

#include "codegen/family/contract.h"

/* The largest tile of which the product has enough; in shared memory, of as much of k as there is
   room for, but at least an element for each thread to load. */
struct contract_schedule tile_schedule(const struct unit *u, const struct contract_space *space,
                                       enum vkc_type type);
/* Whether that tile fits: of c128 the least is more than the 16 KB that Vulkan promises. */
bool tile_has_room(const struct unit *u, const struct contract_space *space, enum vkc_type type);
/* Of a workgroup. */
uint32_t tile_threads(const struct contract_schedule *s);
uint32_t tile_shared_bytes(const struct contract_schedule *s, enum vkc_type t);
/* The declarations of the shared arrays. */
void tile_shared(struct emit *e, enum vkc_type t, struct str *out);
/* The loop over k that adds to the thread's sums. */
void tile_loop(struct emit *e, struct contract *c);

#endif
