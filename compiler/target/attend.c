#include "target/attend.h"

enum { VECTOR_BYTES = 16, MOST_COLUMNS = 32 }; /* of a matrix, behind the weights of a row */

/* The best first: blocks, subgroups, the most elements of a query or a value, which are in
   registers, and the workgroups that there must be for each of the device's processors. More rows
   of a subgroup use its keys and values more often, but leave it fewer neighbours on its
   processor. For 96 times 512 and 4096 rows in f16, an H100 takes 77 and 2547 us with the first,
   66 and 2857 with the second; with 64 keys at a time 82 and 2984, 75 and 3202. */
static const struct {
    uint32_t blocks, subgroups, width, least;
} ways[] = {{2, 4, 64, 8}, {1, 8, 128, 0}, {1, 4, 128, 0}, {1, 2, 128, 0}};

static uint32_t tile_vectors(const struct attend_work *w, const struct matrix *x)
{
    uint32_t keys = ATTEND_KEYS * matrix_pitch(attend_padded(w->d, x->k)),
             values = ATTEND_KEYS * matrix_pitch(attend_padded(w->width, x->n));
    return keys > values ? keys : values;
}

static uint32_t row_vectors(const struct attend_work *w, const struct matrix *x)
{
    uint32_t query = matrix_pitch(attend_padded(w->d, x->k));
    return query > attend_pitch() ? query : attend_pitch();
}

/* Whether a row's threads have as many eights of its scores, and fours of a matrix's row. */
static bool divides(const struct matrix *x, uint32_t lanes)
{
    if (!lanes || lanes % x->m)
        return false;
    uint32_t sharing = lanes / x->m;
    return ATTEND_KEYS % x->n == 0 && ATTEND_KEYS % x->k == 0 && x->k % EIGHT == 0 &&
           x->n % EIGHT == 0 && x->n <= MOST_COLUMNS && x->n % (4 * sharing) == 0 &&
           ATTEND_KEYS % (EIGHT * sharing) == 0;
}

bool attend_way_of(const struct vkc_target *t, const struct tuning *tuning,
                   const struct attend_work *work, struct attend_way *out)
{
    uint32_t which = units_for(t, work->type), lanes = t->subgroup_size;
    const struct matrix *x = which ? units_matrix(which) : NULL;
    int64_t processors = t->units ? t->units : tuning->units;
    if (!x || x->type != work->type || !divides(x, lanes))
        return false;
    for (uint32_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct attend_way w = {.matrix = which,
                               .blocks = ways[i].blocks,
                               .subgroups = ways[i].subgroups,
                               .rows = ways[i].subgroups * ways[i].blocks * x->m,
                               .row_vectors = row_vectors(work, x),
                               .tile_vectors = tile_vectors(work, x)};
        int64_t groups = work->batch * ((work->m + w.rows - 1) / w.rows);
        w.shared_bytes =
            VECTOR_BYTES * (w.tile_vectors + w.rows * w.row_vectors) + 4 * w.subgroups * lanes;
        if (attend_padded(work->d, x->k) <= ways[i].width &&
            attend_padded(work->width, x->n) <= ways[i].width &&
            groups >= ways[i].least * processors && lanes % (w.blocks * x->m) == 0 &&
            w.subgroups * lanes <= t->max_invocations && w.shared_bytes <= t->max_shared_bytes) {
            *out = w;
            return true;
        }
    }
    return false;
}
