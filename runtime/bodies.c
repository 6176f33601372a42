#include "bodies.h"

#include <stdio.h>

#include "door.h"

/* A device under consideration, and what the body that it could not run needs. */
struct asked {
    const vkr_device_info *info;
    const VkPhysicalDeviceLimits *limits;
    const struct vkb_view *bundle;
    bool trusted;
    char wants[128];
};

static bool has_limit(struct asked *a, const char *what, uint64_t need, uint64_t have)
{
    if (need <= have)
        return true;
    snprintf(a->wants, sizeof a->wants, "%s %llu, %.40s has %llu", what, (unsigned long long)need,
             a->info->name, (unsigned long long)have);
    return false;
}

static bool meets(struct asked *a, const struct vkb_need *need)
{
    const vkr_device_info *info = a->info;
    const uint32_t *value = need->value;
    switch (need->kind) {
    case VKB_NEED_SUBGROUP_SIZE:
        if (info->subgroup_size >= value[0] && info->subgroup_size <= value[1])
            return true;
        snprintf(a->wants, sizeof a->wants, "subgroups of %u to %u, %.40s has %u", value[0],
                 value[1], info->name, info->subgroup_size);
        return false;
    case VKB_NEED_CPU:
        if ((info->kind == VKR_CPU) == (value[0] == 1))
            return true;
        snprintf(a->wants, sizeof a->wants, "a device that is %s CPU, unlike %.40s",
                 value[0] ? "a" : "not a", info->name);
        return false;
    case VKB_NEED_MATRIX:
        if (info->matrices >> value[0] & 1)
            return true;
        snprintf(a->wants, sizeof a->wants, "matrix units for %s, which %.40s lacks",
                 vkr_matrix_name(1u << value[0]), info->name);
        return false;
    default: return false;
    }
}

static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* All but what depends on dispatches. */
static bool can_run(struct asked *a, const struct vkb_body *b)
{
    uint32_t missing = b->features & ~a->info->features;
    uint64_t invocations = (uint64_t)b->local_size[0] * b->local_size[1] * b->local_size[2];
    if (missing) {
        snprintf(a->wants, sizeof a->wants, "%s, which %.40s lacks",
                 vkb_feature_name(missing & (~missing + 1)), a->info->name);
        return false;
    }
    if (!a->trusted && !door_admits(b)) {
        snprintf(a->wants, sizeof a->wants, "matrix units, which only a trusted bundle may use");
        return false;
    }
    if (!has_limit(a, "workgroups of", invocations, a->info->max_invocations) ||
        !has_limit(a, "shared bytes", b->shared_bytes, a->info->max_shared_bytes))
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (!has_limit(a, "a workgroup side of", b->local_size[axis],
                       a->limits->maxComputeWorkGroupSize[axis]))
            return false;
    if (!has_limit(a, "texel buffers", count_bits(b->texels),
                   a->limits->maxPerStageDescriptorSampledImages))
        return false;
    for (uint32_t i = 0; i < b->nneeds; i++)
        if (!meets(a, &a->bundle->needs[b->first_need + i]))
            return false;
    return true;
}

/* The next body of the kernel from `body` on, up or with `plain` down, that the device can run.
 * False: none. */
static bool find_body(struct asked *a, uint32_t kernel, bool plain, uint32_t body, uint32_t *out)
{
    uint32_t step = plain ? UINT32_MAX : 1; /* below 0 is past the end, too */
    for (; body < a->bundle->kernels[kernel].nbodies; body += step)
        if (can_run(a, vkb_body_of(a->bundle, kernel, body))) {
            *out = body;
            return true;
        }
    return false;
}

static bool has_groups(struct asked *a, const uint32_t *groups)
{
    for (int axis = 0; axis < 3; axis++)
        if (!has_limit(a, "workgroups on one axis", groups[axis], a->info->max_groups[axis]))
            return false;
    return true;
}

static bool has_texels(struct asked *a, const struct vkb_step *step, const struct vkb_body *body)
{
    const struct vkb_view *v = a->bundle;
    for (uint32_t i = 0; body->texels && i < step->nbindings; i++) {
        uint64_t bytes = v->buffers[v->bindings[step->first_binding + i].buffer].bytes;
        if (vkb_is_texels(body, i) &&
            !has_limit(a, "texels in a buffer", vkb_texel_view_bytes(bytes) / VKB_TEXEL_BYTES,
                       a->limits->maxTexelBufferElements))
            return false;
    }
    return true;
}

static vkr_status refuse(const struct asked *a, uint32_t kernel, vkr_error *err)
{
    const struct vkb_kernel *k = &a->bundle->kernels[kernel];
    const char *label = vkb_text(a->bundle, k->label);
    if (k->nbodies == 1)
        return error_set(err, VKR_UNSUPPORTED, "the program needs %s (%.160s)", a->wants, label);
    return error_set(err, VKR_UNSUPPORTED,
                     "none of %u bodies can run: the one looked at last needs %s (%.160s)",
                     k->nbodies, a->wants, label);
}

/* A body whose group counts or texels are too many for one step gives way to the next, for all
   steps of its kernel, so the steps are looked at until none does. */
vkr_status bodies_take(const vkr_device_info *info, const VkPhysicalDeviceLimits *limits,
                       const struct vkb_view *bundle, bool plain, bool trusted, uint32_t *out_taken,
                       vkr_error *err)
{
    struct asked a = {.info = info, .limits = limits, .bundle = bundle, .trusted = trusted};
    for (uint32_t i = 0; i < bundle->nkernels; i++)
        if (!find_body(&a, i, plain, plain ? bundle->kernels[i].nbodies - 1 : 0, &out_taken[i]))
            return refuse(&a, i, err);
    for (bool is_settled = false; !is_settled;) {
        is_settled = true;
        for (uint32_t i = 0; i < bundle->nsteps; i++) {
            const struct vkb_step *step = &bundle->steps[i];
            if (step->kind != VKB_STEP_DISPATCH)
                continue;
            uint32_t *taken = &out_taken[step->kernel];
            if (has_groups(&a, vkb_group_counts(bundle, step, *taken)) &&
                has_texels(&a, step, vkb_body_of(bundle, step->kernel, *taken)))
                continue;
            is_settled = false;
            if (!find_body(&a, step->kernel, plain, plain ? *taken - 1 : *taken + 1, taken))
                return refuse(&a, step->kernel, err);
        }
    }
    return VKR_OK;
}
