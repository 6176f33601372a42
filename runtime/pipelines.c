/* Pipelines of a program, created by a few threads that share what is kept of them. */
#include <stdlib.h>
#include <unistd.h>

#include "pipelines.h"

#define MAX_THREADS 8

/* What the threads share. */
struct work {
    struct vkr_program *program;
    atomic_uint next; /* kernel to take */
    atomic_uint cache_hits;
    const vkr_load_options *options; /* may be NULL */
    pthread_mutex_t lock;            /* guards the rest */
    uint32_t done;                   /* pipelines, as told */
    vkr_status status;               /* of the first failure */
    vkr_error error;
};

vkr_status load_check(const vkr_load_options *options, vkr_error *err)
{
    if (!options || !options->is_cancelled || !options->is_cancelled(options->cancel_context))
        return VKR_OK;
    return error_set(err, VKR_CANCELLED, "loading was cancelled");
}

static vkr_status create_pipeline(struct work *work, uint32_t index, vkr_error *err)
{
    struct vkr_program *program = work->program;
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    const struct vkb_view *v = &program->bundle;
    const struct vkb_body *body = vkb_body_of(v, index, program->taken[index]);
    VkShaderModule module = VK_NULL_HANDLE;
    vkr_status status = VKR_OK;
    const struct door_code *guarded = program->code ? &program->code[index] : NULL;
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = (size_t)(guarded ? guarded->count : body->spirv_count) * 4,
        .pCode = guarded ? guarded->words : v->spirv + body->spirv_first};
    VK(vk->CreateShaderModule(device->gpu.handle, &info, NULL, &module));
    VkPipelineCreationFeedback feedback = {0}, stage_feedback = {0};
    VkPipelineCreationFeedbackCreateInfo ask = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
        .pPipelineCreationFeedback = &feedback,
        .pipelineStageCreationFeedbackCount = 1,
        .pPipelineStageCreationFeedbacks = &stage_feedback};
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = device->gpu.facts.has_creation_feedback ? &ask : NULL,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = program->layouts[program->layout_of[index]].pipeline,
    };
    VK(vk->CreateComputePipelines(device->gpu.handle, program->kept.handle, 1, &create, NULL,
                                  &program->pipelines[index]));
    if (feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT)
        atomic_fetch_add(&work->cache_hits, 1);
    gpu_name_object(&device->gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)program->pipelines[index],
                    vkb_text(v, v->kernels[index].label));
out:
    if (module)
        vk->DestroyShaderModule(device->gpu.handle, module, NULL);
    return status;
}

/* Tells of `more` pipelines. */
static void report(struct work *work, uint32_t more)
{
    const vkr_load_options *o = work->options;
    if (!o || !o->progress)
        return;
    pthread_mutex_lock(&work->lock);
    work->done += more;
    o->progress(o->progress_context, work->done, work->program->bundle.nkernels);
    pthread_mutex_unlock(&work->lock);
}

static void *create_some(void *context)
{
    struct work *work = context;
    uint32_t index;
    while ((index = atomic_fetch_add(&work->next, 1)) < work->program->bundle.nkernels) {
        vkr_error error = {0};
        vkr_status status = load_check(work->options, &error);
        if (!status)
            status = at_exit_enter(&error);
        if (!status) {
            status = create_pipeline(work, index, &error);
            at_exit_leave();
        }
        if (!status) {
            report(work, 1);
            continue;
        }
        pthread_mutex_lock(&work->lock);
        if (!work->status) {
            work->status = status;
            work->error = error;
        }
        pthread_mutex_unlock(&work->lock);
        atomic_store(&work->next, work->program->bundle.nkernels);
    }
    return NULL;
}

static vkr_status create_layout(struct vkr_program *program, struct layout *layout, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    uint32_t nbindings = layout->nbindings;
    vkr_status status = VKR_OK;
    VkDescriptorSetLayoutBinding *bindings = host_alloc(nbindings, sizeof *bindings);
    VkDescriptorBindingFlags *flags = host_alloc(nbindings, sizeof *flags);
    if (!bindings || !flags) {
        status = error_memory(err);
        goto out;
    }
    for (uint32_t i = 0; i < nbindings; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = program_descriptor(layout->texels, i),
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
        flags[i] = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
    }
    VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = nbindings,
        .pBindingFlags = flags,
    };
    VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = nbindings,
                                            .pBindings = bindings};
    if (program->has_update_after_bind) {
        info.pNext = &binding_flags;
        info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
    }
    VK(vk->CreateDescriptorSetLayout(device->gpu.handle, &info, NULL, &layout->set));
    VkPushConstantRange pushed = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                  .size = 4 * layout->npushed};
    VkPipelineLayoutCreateInfo create = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &layout->set,
                                         .pushConstantRangeCount = layout->npushed > 0,
                                         .pPushConstantRanges = &pushed};
    VK(vk->CreatePipelineLayout(device->gpu.handle, &create, NULL, &layout->pipeline));
out:
    free(bindings);
    free(flags);
    return status;
}

static uint32_t thread_count(uint32_t nkernels)
{
    long cores = 2;
#ifdef _SC_NPROCESSORS_ONLN /* not in POSIX.1-2008 */
    cores = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    uint32_t count = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (uint32_t)cores;
    return count < nkernels ? count : nkernels;
}

vkr_status pipelines_create(struct vkr_program *program, const vkr_load_options *options,
                            vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vkb_view *v = &program->bundle;
    pthread_t threads[MAX_THREADS];
    uint32_t nthreads = 0, wanted = thread_count(v->nkernels);
    program->pipelines = host_alloc(v->nkernels, sizeof *program->pipelines);
    if (!program->pipelines)
        return error_memory(err);
    for (uint32_t i = 0; i < program->nlayouts; i++) {
        vkr_status status = create_layout(program, &program->layouts[i], err);
        if (status)
            return status;
    }

    struct work work = {.program = program, .options = options};
    if (pthread_mutex_init(&work.lock, NULL))
        return error_memory(err);
    report(&work, 0);
    while (nthreads + 1 < wanted && !pthread_create(&threads[nthreads], NULL, create_some, &work))
        nthreads++;
    create_some(&work);
    while (nthreads > 0)
        pthread_join(threads[--nthreads], NULL);
    pthread_mutex_destroy(&work.lock);
    if (work.status)
        return error_set(err, work.status, "%s", work.error.message);

    pthread_mutex_lock(&device->gpu.lock);
    program->npipelines = v->nkernels;
    device->gpu.counters.pipelines += v->nkernels;
    device->gpu.counters.pipeline_cache_hits += atomic_load(&work.cache_hits);
    pthread_mutex_unlock(&device->gpu.lock);
    return VKR_OK;
}

void pipelines_destroy(struct vkr_program *program)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    const struct vkb_view *v = &program->bundle;
    for (uint32_t i = 0; program->pipelines && i < v->nkernels; i++)
        if (program->pipelines[i])
            vk->DestroyPipeline(device->gpu.handle, program->pipelines[i], NULL);
    for (uint32_t i = 0; i < program->nlayouts; i++) {
        if (program->layouts[i].pipeline)
            vk->DestroyPipelineLayout(device->gpu.handle, program->layouts[i].pipeline, NULL);
        if (program->layouts[i].set)
            vk->DestroyDescriptorSetLayout(device->gpu.handle, program->layouts[i].set, NULL);
    }
    free(program->pipelines);
}
