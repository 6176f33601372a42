/* Products whose threads read the operands themselves, straight into registers. */
#ifndef VKC_CONTRACT_DIRECT_H
#define VKC_CONTRACT_DIRECT_H

#include "codegen/family/contract.h"

struct direct_way {
    uint32_t run;    /* neighbours in memory that one load takes, at most: 1, 4, or 8 of 16 bits */
    uint32_t slices; /* threads that take the steps over k in turns: this one is `slice` */
    uint32_t turns;  /* such steps in straight code, so that their loads are in flight together */
};

/* The loop over k that adds to the thread's sums: of its schedule's thread_m rows from row0 on, and
   thread_n columns from col0 on. Those past the edge are the last one again. */
void direct_loop(struct emit *e, struct contract *c, const struct direct_way *way);

#endif
