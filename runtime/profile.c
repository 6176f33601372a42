#include "profile.h"

/* The steps of a range. What is repeated was timed in its first round. */
static vkr_status collect(struct vkr_program *program, VkQueryPool queries, uint32_t first,
                          uint32_t count, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    uint32_t bits = device->gpu.facts.families[device->gpu.family].timestampValidBits;
    uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    vkr_status status = VKR_OK;
    for (uint32_t i = first; queries && i < first + count; i++) {
        const struct vkb_step *step = &program->bundle.steps[i];
        uint64_t ticks[2] = {0};
        if (step->kind == VKB_STEP_REPEAT) {
            status = collect(program, queries, step->range_first[0], step->range_count[0], err);
            if (status)
                goto out;
            continue;
        }
        VK(vk->GetQueryPoolResults(device->gpu.handle, queries, 2 * i, 2, sizeof ticks, ticks,
                                   sizeof *ticks, VK_QUERY_RESULT_64_BIT));
        program->times[i].runs++;
        program->times[i].ticks += (ticks[1] - ticks[0]) & mask;
    }
out:
    return status;
}

vkr_status profile_collect(struct vkr_program *program, VkQueryPool queries, uint32_t segment,
                           vkr_error *err)
{
    const struct segment *s = &program->script.segments[segment];
    return collect(program, queries, s->first, s->count, err);
}

static void fill_time(const struct vkr_program *program, uint32_t step_index, vkr_kernel_time *out)
{
    const struct vkb_view *v = &program->bundle;
    const struct vkb_step *step = &v->steps[step_index];
    const struct vkb_kernel *kernel =
        step->kind == VKB_STEP_DISPATCH ? &v->kernels[step->kernel] : NULL;
    *out = (vkr_kernel_time){
        .name = kernel ? vkb_text(v, kernel->name) : "copy",
        .label = kernel ? vkb_text(v, kernel->label) : "copy",
        .source = kernel ? vkb_text(v, kernel->source) : "",
        .runs = program->times[step_index].runs,
        .seconds = (double)program->times[step_index].ticks *
                   (double)program->device->gpu.facts.properties.limits.timestampPeriod * 1e-9,
        .bytes = kernel ? step->bytes : 2 * step->bytes,
        .flops = kernel ? step->flops : 0,
    };
}

vkr_status vkr_program_times(struct vkr_program *program, vkr_kernel_time *times, uint32_t capacity,
                             uint32_t *out_count, vkr_error *err)
{
    uint32_t count = 0;
    if (!program || !out_count || (!times && capacity))
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_program_times: an argument is NULL");
    *out_count = 0;
    if (!program->times)
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "the device was not opened with `profile`, or has no timestamps");
    pthread_mutex_lock(&program->device->gpu.lock);
    for (uint32_t i = 0; i < program->bundle.nsteps; i++) {
        uint32_t kind = program->bundle.steps[i].kind;
        if (kind != VKB_STEP_DISPATCH && kind != VKB_STEP_COPY)
            continue;
        if (count < capacity)
            fill_time(program, i, &times[count]);
        count++;
    }
    pthread_mutex_unlock(&program->device->gpu.lock);
    *out_count = count;
    return VKR_OK;
}
