/* How attention is cut for a target. Shared by passes/pass_attend.c, which makes it one node only
   where its kernel has a body, and codegen/family/attend*.c, which write that. Knows no graph. */
#ifndef VKC_TARGET_ATTEND_H
#define VKC_TARGET_ATTEND_H

#include "target/tuning.h"
#include "target/units.h"

/* batch matrices of m queries, of d elements; values of `width`. */
struct attend_work {
    enum vkc_type type; /* of queries, keys, values and results */
    int64_t batch, m, d, width;
};

/* ---- on matrix units ---- */

enum { ATTEND_KEYS = 32 }; /* of a tile of scores */

/* A workgroup has some subgroups, each the rows of `blocks` matrices, one above the other. */
struct attend_way {
    uint32_t matrix; /* of units_for */
    uint32_t blocks, subgroups, rows;
    /* of 16 bytes: a row's scores, before that its query; a tile's keys or values */
    uint32_t row_vectors, tile_vectors;
    uint32_t shared_bytes;
};

/* False where there are no units for it, or no way fits the target. */
bool attend_way_of(const struct vkc_target *t, const struct tuning *tuning,
                   const struct attend_work *work, struct attend_way *out);

/* Elements up to a whole number of matrices. */
static inline uint32_t attend_padded(int64_t elements, uint32_t side)
{
    return ((uint32_t)elements + side - 1) / side * side;
}

/* Vectors of a row of scores in shared memory, one of them to spare. */
static inline uint32_t attend_pitch(void)
{
    return ATTEND_KEYS / 4 + 1;
}

/* ---- by the threads' own arithmetic ---- */

/* SIDE x SIDE threads have EACH x EACH scores of a tile each; STEP elements of a query are in
   shared memory at a time, rows PITCH apart. */
enum {
    ATTEND_SIDE = 16,
    ATTEND_EACH = 4,
    ATTEND_TILE = ATTEND_SIDE * ATTEND_EACH,
    ATTEND_STEP = 16,
    ATTEND_PITCH = ATTEND_TILE + 4
};

/* Columns of results that a thread has. */
static inline uint32_t attend_columns(int64_t width)
{
    return ((uint32_t)width + ATTEND_SIDE - 1) / ATTEND_SIDE;
}

/* Floats of the array that has keys, and values after them. */
static inline uint32_t attend_keys_floats(int64_t width)
{
    uint32_t values = ATTEND_SIDE * attend_columns(width);
    return ATTEND_STEP * (values > ATTEND_PITCH ? values : ATTEND_PITCH);
}

static inline uint32_t attend_plain_bytes(int64_t width)
{
    return 4 * (ATTEND_STEP * ATTEND_PITCH + attend_keys_floats(width) +
                ATTEND_TILE * ATTEND_PITCH + ATTEND_TILE * ATTEND_SIDE);
}

static inline bool attend_plain_fits(const struct vkc_target *t, int64_t width)
{
    return ATTEND_SIDE * ATTEND_SIDE <= t->max_invocations &&
           attend_plain_bytes(width) <= t->max_shared_bytes;
}

#endif
