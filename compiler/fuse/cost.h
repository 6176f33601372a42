/* What pays: whether nodes should share a kernel, where the code generator says that they can.
   Estimates are seconds on the target, from bytes, additions and dispatches. What was only
   measured as a threshold is a named threshold here. Knows nothing of how kernels are found or
   joined. */
#ifndef VKC_COST_H
#define VKC_COST_H

#include "codegen/unit.h"

/* An estimate of kernels that run one after the other. */
struct cost {
    uint32_t kernels;
    /* seconds; memory and compute of a kernel run side by side. What it reads at several indices
       counts once, what is computed again counts again. */
    double memory, compute, dispatch;
    double seconds;
};

/* Of a kernel that reads `reads`, stores k->roots and computes that many additions. */
struct cost cost_of(const struct unit *u, const struct kernel *k, const struct value *reads,
                    uint32_t nreads, uint64_t additions);
void cost_add(const struct cost *one, struct cost *sum);

/* Whether what is meant to replace something takes no longer than that. */
bool cost_pays(const struct cost *before, const struct cost *after);
/* The term in which two estimates differ most: "dispatch", "memory" or "compute". */
const char *cost_differs(const struct cost *a, const struct cost *b);

/* What was decided of two kernels, or of a value, for --explain. */
struct decision {
    /* the kernels' first roots; other is VKC_NO_NODE where a value is stored rather than computed
       by several kernels */
    node_id node, other;
    bool done;                 /* joined, or stored */
    const char *why;           /* it was not done; NULL */
    struct cost before, after; /* after.kernels is 0 where there is no estimate */
};

/* ---- what is stored ---- */
/* Whether a contraction may redo that many additions at every load of an operand. */
bool cost_redoes(int64_t additions);
/* Whether a value of several kernels, with that many additions per element, may be worth storing:
   the estimate of the kernels decides. */
bool cost_shares(int64_t elements, int64_t additions);
/* Beyond this number of additions cost_shares no longer depends on it. */
int64_t cost_dear(void);
/* The same of a value that is not dear, but computed from more than it is: whether its kernels
   might read so much less that it is worth storing, and whether they do, by the estimates of both
   ways. */
bool cost_may_read_less(const struct unit *u, uint64_t bytes);
bool cost_reads_less(const struct cost *before, const struct cost *after);
/* And of one each of whose elements is computed so many times: whether its kernels compute so much
   less. Not by their sum, in which what memory waits for costs nothing. */
bool cost_may_compute_less(int64_t elements, int64_t additions, int64_t times);
bool cost_computes_less(const struct cost *before, const struct cost *after);
/* Whether they are so few that each of many threads may compute them. */
bool cost_is_few(int64_t elements);
/* Whether a kernel of that many places might be faster if additions that do not depend on the place
   were done once, before it: only then is it worth to ask what it computes. */
bool cost_may_spare(const struct unit *u, int64_t places, int64_t additions);
/* Whether it is, by the estimates of both ways. */
bool cost_spares(const struct cost *before, const struct cost *after);

/* ---- what is joined ---- */
/* Whether the dispatch is most of what a row kernel costs: then it is tried with any other. */
bool cost_is_little(const struct kernel *k);

#endif
