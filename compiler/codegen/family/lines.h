/* Rows that a workgroup holds in shared memory: sorted in runs, merged, or scanned. */
#ifndef VKC_FAMILY_LINES_H
#define VKC_FAMILY_LINES_H

#include "codegen/emit/emit.h"
#include "codegen/template.h"

/* What a node of CLASS_ORDER, CLASS_MERGE or CLASS_SCAN works on. */
struct lines {
    /* rows: outer * inner; run: at most length; of merge_runs what the runs have at least */
    int64_t rows, length, inner, run;
    int64_t runs;    /* of a row; merge_runs: at most */
    uint32_t words;  /* ORDER: of a key */
    bool reverse;    /* SCAN: places are counted from the end */
    bool order;      /* ORDER: the place of each element is carried along */
    uint32_t planes; /* words of the result for an element */
    uint32_t bytes;  /* of an element in shared memory */
};
struct lines lines_of(const struct func *f, const struct node *n);

/* ---- columns of struct family, for kernels whose space is lines ---- */
int64_t lines_places(const struct kernel *k);
int64_t lines_length(const struct kernel *k);
/* With work for each element. */
bool lines_join(const struct unit *u, const struct kernel *k, const struct kernel *other,
                struct kernel *out);
const char *lines_text(struct emit *e);

#endif
