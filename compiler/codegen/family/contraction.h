/* dot and conv as out[b, m, n] = sum over k of left[b, m, k] * right[b, k, n]. */
#ifndef VKC_CONTRACTION_H
#define VKC_CONTRACTION_H

#include "codegen/emit/emit.h"

struct contraction_axes {
    struct shape shape;
    int64_t stride[VKC_MAX_RANK]; /* in the result */
    uint8_t axis[VKC_MAX_RANK];   /* what it is in the operands */
};

struct contraction {
    const struct node *node;
    /* free[0]: rows, free[1]: columns, neighbours in the result */
    struct contraction_axes batch, free[2], k;
    uint32_t operand[2]; /* the input that has the rows, and the one that has the columns */
    struct value in[2];  /* the node's, or what they were converted from */
};

/* Where in these axes something lies. */
struct contraction_at {
    const struct ix *batch[VKC_MAX_RANK], *free[2][VKC_MAX_RANK], *k[VKC_MAX_RANK];
};

/* What a kernel multiplies: the node's operands, or, where it widens both from the same 16 bits to
   f32, those, whose products f32 holds. *Returns* their type. */
enum vkc_type contraction_sources(const struct unit *u, const struct kernel *k,
                                  const struct node *n, struct value *out_in);

enum contraction_run { RUN_UNKNOWN, RUN_ALONG_K, RUN_ALONG_FREE };

/* The space of a kernel that starts with the node. */
struct contract_space contraction_space(const struct func *f, const struct node *n);
void contraction_of(const struct func *f, const struct node *n, struct contraction *out);
/* The element of the operand on that side; `at` needs no free index of the other side. */
struct expr contraction_operand(struct emit *e, const struct contraction *c, uint32_t side,
                                const struct contraction_at *at);
/* Additions' worth of one product and its addition to a sum. */
uint64_t contraction_additions(const struct node *n);
/* The product of both operands' elements. */
struct expr contraction_product(struct emit *e, const struct contraction *c,
                                const struct contraction_at *at);
/* The node's value once `acc` has all products. The sum starts from +0, so it can never
   be -0; but drivers drop the addition of 0, so -0 is replaced here. */
const char *contraction_sum(struct emit *e, const struct node *n, const char *acc);
/* Along which index the operand's memory runs, where emitting an element does not show it. */
enum contraction_run contraction_run(const struct func *f, const struct contraction *c,
                                     uint32_t side);
/* Flat index in the result, and back. */
const struct ix *contraction_flat(struct emit *e, const struct contraction *c,
                                  const struct contraction_at *at);
void contraction_unflat(struct emit *e, const struct contraction *c, const struct ix *flat,
                        struct contraction_at *at);

#endif
