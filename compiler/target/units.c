#include "target/units.h"

#include "runtime/bundle.h"

static const struct matrix matrices[] = {
#define MATRIX(bit, word, operands, rows, columns, k) {TYPE_##operands, rows, columns, k},
#include "runtime/matrices.def"
};

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

uint32_t units_for(const struct vkc_target *t, enum vkc_type type)
{
    const uint32_t features =
        VKB_FEATURE_COOPERATIVE_MATRIX | VKB_FEATURE_VULKAN_MEMORY_MODEL | VKB_FEATURE_F16;
    if (features & ~t->features)
        return 0;
    for (uint32_t i = 0; i < VKB_MATRICES; i++)
        if (t->matrices >> i & 1 && matrices[i].type == (type == TYPE_F32 ? TYPE_F16 : type))
            return type != TYPE_F32 || holds_halves(t, &matrices[i]) ? i + 1 : 0;
    return 0;
}
