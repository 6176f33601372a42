#include "target/units.h"

#include <math.h>

#include "runtime/bundle.h"

static const struct matrix matrices[] = {
#define MATRIX(bit, word, operands, rows, columns, k, threads) \
    {TYPE_##operands, rows, columns, k, threads},
#include "runtime/matrices.def"
};

const char *units_text(enum units units)
{
    return units == UNITS_NONE       ? ""
           : units == UNITS_SUBGROUP ? ", matrix units"
                                     : ", matrix units of a workgroup";
}

const struct matrix *units_matrix(uint32_t which)
{
    return &matrices[which - 1];
}

/* A half of f32 holds what the other lacks only if f16 keeps subnormals and rounds to nearest; how
   a subgroup's threads share a matrix, the plain product beside it knows of one shape. */
static bool holds_halves(const struct vkc_target *t, const struct matrix *m)
{
    const uint32_t features = VKB_FEATURE_DENORM_PRESERVE_16 | VKB_FEATURE_ROUND_NEAREST_16;
    return !(features & ~t->features) && m->m == 16 && m->n == 16 && t->subgroup_size == 32;
}

/* The first of the type. */
static uint32_t find(const struct vkc_target *t, enum vkc_type type, bool of_workgroup)
{
    const uint32_t features =
        VKB_FEATURE_COOPERATIVE_MATRIX | VKB_FEATURE_VULKAN_MEMORY_MODEL | VKB_FEATURE_F16;
    if (features & ~t->features)
        return 0;
    for (uint32_t i = 0; i < VKB_MATRICES; i++)
        if (t->matrices >> i & 1 && matrices[i].type == type &&
            (matrices[i].threads != 0) == of_workgroup)
            return i + 1;
    return 0;
}

uint32_t units_for(const struct vkc_target *t, enum vkc_type type)
{
    uint32_t which = find(t, type == TYPE_F32 ? TYPE_F16 : type, false);
    return which && (type != TYPE_F32 || holds_halves(t, &matrices[which - 1])) ? which : 0;
}

/* Results are rounded to f16 by the device. */
uint32_t units_of_workgroup(const struct vkc_target *t, enum vkc_type type)
{
    bool rounds = type != TYPE_F16 || (VKB_HALF_FEATURES & ~t->features) == 0;
    uint32_t which = rounds ? find(t, type, true) : 0;
    return which && matrices[which - 1].threads <= t->max_invocations ? which : 0;
}

bool units_any(const struct vkc_target *t, enum units units)
{
    for (uint32_t i = 0; i < VKB_MATRICES; i++)
        if (t->matrices >> i & 1 && (matrices[i].threads != 0) == (units == UNITS_WORKGROUP))
            return true;
    return false;
}

const struct matrix_tile *units_tiles(const struct tuning *t, enum vkc_type type,
                                      uint32_t *out_count)
{
    *out_count = type == TYPE_F32 ? t->nsplit_tiles : t->nmatrix_tiles;
    return type == TYPE_F32 ? t->split_tiles : t->matrix_tiles;
}

/* To begin with, and to store results, in elements of k: 1 or 2 us. */
enum { ENDS = 60 };

/* Less than two matrices are measured of products that have no more. */
enum { TWO_MATRICES = 32 };

double units_ns(const struct tuning *t, const struct matrix_tile *tile, const struct product *p)
{
    if ((tile->m < TWO_MATRICES && p->m > tile->m) || (tile->n < TWO_MATRICES && p->n > tile->n))
        return INFINITY;
    double busy = (double)product_most_tiles(t, p, tile->m, tile->n) * tile->each;
    int64_t steps = (p->k + tile->k - 1) / tile->k;
    return tile->begin +
           (double)(steps * tile->k + ENDS) * (busy > tile->alone ? busy : tile->alone);
}

bool units_suit(const struct tuning *t, enum vkc_type type, const struct product *p)
{
    int64_t few = type == TYPE_F32 ? t->matrix_split_few : t->matrix_few;
    return p->m > few && p->n > few && p->k >= t->matrix_least &&
           p->m * p->n >= t->matrix_work / p->batch / p->k;
}

bool units_split_suit(const struct tuning *t, const struct product *p)
{
    int64_t tiles = product_tiles(p, UNITS_SPLIT_EDGE, UNITS_SPLIT_EDGE),
            whole = t->matrix_split_sum;
    return tiles * (p->k < whole ? p->k : whole) / whole >= t->matrix_split_tiles;
}

bool product_in_tiles(const struct tuning *t, const struct product *p)
{
    return p->m >= t->product_least && p->n >= t->product_least && p->k >= t->product_least &&
           p->batch * p->m * p->n >= t->product_results &&
           product_tiles(p, 32, 32) >= t->product_tiles;
}

bool product_narrow(const struct tuning *t, const struct product *p, uint32_t bytes)
{
    int64_t few = p->m < p->n ? p->m : p->n, many = p->m < p->n ? p->n : p->m;
    return few <= t->narrow_most && (few > 1 || bytes < 4) && p->k >= t->narrow_sum && bytes <= 8 &&
           p->batch * many >= t->narrow_least / p->k &&
           p->batch * ((many + NARROW_TILE - 1) / NARROW_TILE) >= t->narrow_tiles;
}
