#include "target/units.h"

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

/* To begin with, and to store results, in elements of k: 2 us. */
enum { SPLIT_ENDS = 60 };

double units_split_ns(const struct tuning *t, const struct product *p, uint32_t tile)
{
    const struct matrix_tile *x = &t->split_tiles[tile];
    int64_t most = product_most_tiles(t, p, x->m, x->n);
    return (double)(p->k + SPLIT_ENDS) *
           ((double)(most / 2) * x->two + (double)(most % 2) * x->one);
}

double units_split_least_ns(const struct tuning *t, const struct product *p)
{
    double least = units_split_ns(t, p, 0);
    for (uint32_t i = 1; i < t->nsplit_tiles; i++) {
        double ns = units_split_ns(t, p, i);
        least = ns < least ? ns : least;
    }
    return least;
}

bool product_narrow(const struct tuning *t, const struct product *p, uint32_t bytes)
{
    int64_t few = p->m < p->n ? p->m : p->n, many = p->m < p->n ? p->n : p->m;
    return few <= t->narrow_most && (few > 1 || bytes < 4) && p->k >= t->narrow_sum && bytes <= 8 &&
           p->batch * many >= t->narrow_least / p->k &&
           p->batch * ((many + NARROW_TILE - 1) / NARROW_TILE) >= t->narrow_tiles;
}
