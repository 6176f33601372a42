/* What the bodies of attention share: attend.c has the threads' own arithmetic, attend_matrix.c
   matrix units. */
#ifndef VKC_ATTEND_H
#define VKC_ATTEND_H

#include "codegen/family/family.h"
#include "target/attend.h"

struct attend {
    const struct node *node, *scores;
    node_id id, scores_id;
    enum vkc_type type, to; /* of the softmax; of weights, values and results */
    int64_t batch, m, n, d, width;
    const struct ix *b; /* which of the batch */
};

/* The scores that the attend `id` is computed from; VKC_NO_NODE if it is of none. */
node_id attend_scores(const struct unit *u, node_id id);
/* scores stays NULL with e->failed if the kernel has none. */
struct attend attend_of(struct emit *e);
/* Names the batch, and the tile's first row, of `rows`. */
void attend_place(struct emit *e, struct attend *a, uint32_t rows);
/* Of the sum `text` of row m and column n, known in the innermost scope: what the softmax is of. */
const char *attend_score(struct emit *e, const struct attend *a, const struct ix *m,
                         const struct ix *n, const char *text);
/* `most` takes in x. A NaN may be lost, or be the greatest: the weight of x is NaN either way. */
const char *attend_most(struct emit *e, const char *most, const char *x);
/* The weight of x before it is divided by the sum of all. */
const char *attend_weight(struct emit *e, const struct attend *a, const char *x, const char *most);
/* The result of the sums of weighted values and of weights. */
const char *attend_result(struct emit *e, const struct attend *a, const char *sum,
                          const char *weights);

/* ---- attend_matrix.c ---- */
bool attend_matrix_fits(const struct unit *u, const struct kernel *k, const struct alternative *to);
/* False where no tile fits the shared memory. */
bool attend_matrix_schedule(const struct unit *u, struct kernel *k);
bool attend_matrix_write(struct emit *e, struct attend *a);
void attend_matrix_print_shared(struct emit *e, struct str *out);

#endif
