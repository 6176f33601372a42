/* Loading a bundle, and unloading it. */
#include <stdlib.h>
#include <string.h>

#include "bodies.h"
#include "pipelines.h"
#include "place.h"
#include "slot.h"
#include "trace.h"
#include "untrusted.h"

/* ---- descriptor sets ---- */

static bool names_tensor(const struct vkb_view *v, uint32_t binding)
{
    uint32_t kind = v->buffers[v->bindings[binding].buffer].kind;
    return kind == VKB_BUFFER_INPUT || kind == VKB_BUFFER_OUTPUT;
}

/* Gives every kernel a layout, by what it binds. */
static vkr_status plan_layouts(struct vkr_program *program, vkr_error *err)
{
    const struct vkb_view *v = &program->bundle;
    program->layout_of = host_alloc(v->nkernels, sizeof *program->layout_of);
    program->layouts = host_alloc(v->nkernels, sizeof *program->layouts);
    if (!program->layout_of || !program->layouts)
        return error_memory(err);
    for (uint32_t i = 0; i < v->nkernels; i++) {
        uint64_t texels = vkb_body_of(v, i, program->taken[i])->texels;
        uint32_t at = 0, nbindings = v->kernels[i].nbindings, npushed = v->kernels[i].npushed;
        while (at < program->nlayouts &&
               (program->layouts[at].nbindings != nbindings ||
                program->layouts[at].npushed != npushed || program->layouts[at].texels != texels))
            at++;
        if (at == program->nlayouts)
            program->layouts[program->nlayouts++] =
                (struct layout){.nbindings = nbindings, .npushed = npushed, .texels = texels};
        program->layout_of[i] = at;
        program->has_texels |= texels != 0;
    }
    const struct gpu *gpu = &program->device->gpu;
    program->has_update_after_bind =
        gpu->has_update_after_bind && (!program->has_texels || gpu->has_texel_update);
    return VKR_OK;
}

static bool is_same_set(const struct vkr_program *program, const struct set_plan *set,
                        const struct vkb_step *step)
{
    const struct vkb_view *v = &program->bundle;
    if (set->layout != program->layout_of[step->kernel])
        return false;
    for (uint32_t i = 0; i < set->nbindings; i++)
        if (v->bindings[set->first_binding + i].buffer !=
            v->bindings[step->first_binding + i].buffer)
            return false;
    return true;
}

static uint32_t hash_bindings(const struct vkr_program *program, const struct vkb_step *step)
{
    const struct vkb_view *v = &program->bundle;
    uint32_t hash = program->layout_of[step->kernel];
    for (uint32_t i = 0; i < step->nbindings; i++)
        hash = (hash ^ v->bindings[step->first_binding + i].buffer) * 0x01000193u;
    return hash ^ hash >> 15;
}

static void add_set(struct vkr_program *program, const struct vkb_step *step)
{
    struct set_plan *set = &program->sets[program->nsets++];
    *set = (struct set_plan){.first_binding = step->first_binding,
                             .nbindings = step->nbindings,
                             .layout = program->layout_of[step->kernel]};
    for (uint32_t i = 0; i < step->nbindings; i++)
        set->has_tensors |= names_tensor(&program->bundle, step->first_binding + i);
    if (set->has_tensors) {
        set->index = program->ntensor_sets++;
        program->ntensor_bindings += set->nbindings;
    } else {
        set->index = program->nfixed++;
        program->nfixed_bindings += set->nbindings;
    }
}

/* Gives every dispatch a set; those with equal bindings share one. */
static vkr_status plan_sets(struct vkr_program *program, vkr_error *err)
{
    const struct vkb_view *v = &program->bundle;
    uint32_t size = 16;
    while (size / 2 < v->nsteps && size < 1u << 30)
        size *= 2;
    uint32_t *table = host_alloc(size, sizeof *table); /* open addressing; set + 1 */
    program->sets = host_alloc(v->nsteps, sizeof *program->sets);
    program->step_set = host_alloc(v->nsteps, sizeof *program->step_set);
    if (!table || !program->sets || !program->step_set) {
        free(table);
        return error_memory(err);
    }
    for (uint32_t i = 0; i < v->nsteps; i++) {
        const struct vkb_step *step = &v->steps[i];
        program->step_set[i] = VKB_NONE;
        if (step->kind == VKB_STEP_COPY)
            program->copies_tensors |=
                names_tensor(v, step->first_binding) || names_tensor(v, step->first_binding + 1);
        if (step->kind != VKB_STEP_DISPATCH)
            continue;
        program->ndispatches++;
        program->has_counts |= step->counts != VKB_NONE;
        uint32_t at = hash_bindings(program, step) & (size - 1);
        while (table[at] && !is_same_set(program, &program->sets[table[at] - 1], step))
            at = (at + 1) & (size - 1);
        if (!table[at]) {
            add_set(program, step);
            table[at] = program->nsets;
        }
        program->step_set[i] = table[at] - 1;
    }
    for (uint32_t i = 0; i < program->script.nsegments; i++) {
        uint32_t predicate = program->script.segments[i].predicate;
        if (predicate != VKB_NONE && v->buffers[predicate].kind <= VKB_BUFFER_OUTPUT)
            program->copies_tensors = true;
    }
    free(table);
    return VKR_OK;
}

/* ---- large buffers ---- */

/* Where the addresses of each large buffer that a dispatch binds go. */
static vkr_status plan_parts(struct vkr_program *program, vkr_error *err)
{
    const struct vkb_view *v = &program->bundle;
    uint64_t part = v->program->part_bytes;
    program->parts_at = host_alloc(v->nbuffers, sizeof *program->parts_at);
    if (!program->parts_at)
        return error_memory(err);
    for (uint32_t i = 0; i < v->nbuffers; i++)
        program->parts_at[i] = UINT64_MAX;
    for (uint32_t i = 0; i < v->nsteps; i++)
        for (uint32_t k = 0; v->steps[i].kind == VKB_STEP_DISPATCH && k < v->steps[i].nbindings;
             k++) {
            uint32_t buffer = v->bindings[v->steps[i].first_binding + k].buffer;
            if (v->buffers[buffer].bytes <= part || program->parts_at[buffer] != UINT64_MAX)
                continue;
            program->parts_at[buffer] = program->parts_bytes;
            program->parts_bytes +=
                (8 * vkb_parts(v->buffers[buffer].bytes, part) + CHUNK_ALIGN - 1) / CHUNK_ALIGN *
                CHUNK_ALIGN;
        }
    program->addresses = host_alloc(program->parts_bytes / 8, sizeof *program->addresses);
    return program->addresses ? VKR_OK : error_memory(err);
}

/* ---- loading ---- */

static vkr_status open_bundle(struct vkr_program *program, const void *bundle, size_t size,
                              const vkr_load_options *options, vkr_error *err)
{
    char text[400];
    bool no_memory;
    if (FAULT("copy of the bundle") || !(program->bytes = malloc(size ? size : 1)))
        return error_memory(err);
    memcpy(program->bytes, bundle, size);
    if (!bundle_check(program->bytes, size, &program->bundle, &no_memory, text, sizeof text))
        return no_memory ? error_memory(err) : error_set(err, VKR_INVALID_BUNDLE, "%s", text);
    const struct gpu *gpu = &program->device->gpu;
    vkr_status status = device_plan_accepts(&gpu->info, &program->bundle, err);
    if (status)
        return status;
    program->taken = host_alloc(program->bundle.nkernels, sizeof *program->taken);
    if (!program->taken)
        return error_memory(err);
    return bodies_take(&gpu->info, &gpu->facts.properties.limits, &program->bundle,
                       options && options->plain, options && options->trusted, program->taken, err);
}

static vkr_status allocate_scratch(struct vkr_program *program, vkr_error *err)
{
    const struct vkb_view *v = &program->bundle;
    uint32_t nbindings = program->ntensor_bindings > program->nfixed_bindings
                             ? program->ntensor_bindings
                             : program->nfixed_bindings;
    program->fixed_sets = host_alloc(program->nfixed, sizeof *program->fixed_sets);
    program->places = host_alloc(v->ntensors, sizeof *program->places);
    program->bound = host_alloc(v->ntensors, sizeof *program->bound);
    program->writes = host_alloc(nbindings, sizeof *program->writes);
    program->infos = host_alloc(nbindings, sizeof *program->infos);
    program->bound_views = host_alloc(nbindings, sizeof *program->bound_views);
    program->views = program->has_texels ? texels_create(program) : NULL;
    program->is_donated = host_alloc(v->program->ninputs, sizeof *program->is_donated);
    bool ok = program->fixed_sets && program->places && program->bound && program->writes &&
              program->infos && program->bound_views && program->is_donated &&
              (program->views || !program->has_texels);
    if (ok && program->device->gpu.is_profiled)
        ok = (program->times = host_alloc(v->nsteps, sizeof *program->times)) != NULL;
    for (uint32_t i = v->program->ninputs; ok && i < v->ntensors; i++)
        if (v->tensors[i].alias != VKB_NONE)
            program->is_donated[v->tensors[i].alias] = true;
    return ok ? VKR_OK : error_memory(err);
}

/* Constants, arena and predicate: the device memory that a program keeps. */
static vkr_status allocate_memory(struct vkr_program *program, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vkb_view *v = &program->bundle;
    uint64_t value = 0;
    vkr_status status = VKR_OK;
    pthread_mutex_lock(&device->gpu.lock);
    if (v->constants_bytes)
        status = pool_alloc(&device->pool, v->constants_bytes, v->program->part_bytes,
                            &program->constants, err);
    if (!status && v->constants_bytes) {
        status = staging_write(&device->staging, program->constants, 0, v->constants,
                               v->constants_bytes, program->constants->busy, &value, err);
        program->last_value = value;
    }
    if (!status && v->program->arena_bytes)
        status = pool_alloc(&device->pool, v->program->arena_bytes, v->program->part_bytes,
                            &program->arena, err);
    if (!status && program->parts_bytes)
        status = pool_alloc(&device->pool, program->parts_bytes, 0, &program->parts, err);
    if (!status && program->script.is_steered)
        status = memory_block_create(&device->gpu, 256, device->gpu.memory_types.readback, true,
                                     &program->predicate, err);
    if (!status)
        status = slot_create_fixed_sets(program, err);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

vkr_status vkr_program_load_with(struct vkr_device *device, const void *bundle, size_t size,
                                 const vkr_load_options *options, struct vkr_program **out,
                                 vkr_error *err)
{
    if (!device || !bundle || !out)
        return error_set(err, VKR_INVALID_ARGUMENT, "vkr_program_load: an argument is NULL");
    *out = NULL;
    vkr_status status = gpu_check(&device->gpu, err);
    if (status)
        return status;
    double start = trace_now();
    struct vkr_program *program = host_alloc(1, sizeof *program);
    if (!program)
        return error_memory(err);
    program->device = device;
    if (pthread_cond_init(&program->turn, NULL)) {
        free(program);
        return error_memory(err);
    }
    pthread_mutex_lock(&device->gpu.lock);
    device->gpu.counters.programs++;
    pthread_mutex_unlock(&device->gpu.lock);
    status = load_check(options, err);
    if (!status)
        status = open_bundle(program, bundle, size, options, err);
    if (!status)
        status = script_build(&program->bundle, device->gpu.debug.sync, &program->script, err);
    if (!status && !(options && options->trusted))
        status =
            door_check(&program->bundle, &program->script, program->taken, &program->code, err);
    if (!status)
        status = plan_layouts(program, err);
    if (!status)
        status = plan_sets(program, err);
    if (!status)
        status = plan_parts(program, err);
    if (!status)
        status = allocate_scratch(program, err);
    if (!status)
        status = kept_pipelines_open(&device->pipeline_cache, program->bundle.spirv,
                                     program->bundle.nspirv, &program->kept, err);
    if (!status)
        status = pipelines_create(program, options, err);
    if (!status)
        status = load_check(options, err);
    if (!status)
        status = allocate_memory(program, err);
    if (!status && program->code)
        status = untrusted_create(program, err);
    if (!status)
        kept_pipelines_save(&device->pipeline_cache, &program->kept);
    kept_pipelines_close(&device->pipeline_cache, &program->kept);
    if (status) {
        vkr_program_unload(program);
        return status;
    }
    trace_load(program, start);
    *out = program;
    return VKR_OK;
}

vkr_status vkr_program_load(struct vkr_device *device, const void *bundle, size_t size,
                            struct vkr_program **out, vkr_error *err)
{
    return vkr_program_load_with(device, bundle, size, NULL, out, err);
}

void vkr_program_unload(struct vkr_program *program)
{
    if (!program)
        return;
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    trace_unload(program);
    pthread_mutex_lock(&device->gpu.lock);
    vkr_status status = queue_wait(&device->queue, program->last_value, NULL);
    /* lost, or the wait itself failed: what is still running must not lose its memory */
    if (status)
        vk->DeviceWaitIdle(device->gpu.handle);
    for (uint32_t i = 0; i < program->nslots; i++)
        slot_destroy(program, program->slots[i]);
    if (program->fixed_pool)
        vk->DestroyDescriptorPool(device->gpu.handle, program->fixed_pool, NULL);
    texels_destroy(program, program->views);
    untrusted_destroy(program);
    pool_free(&device->pool, program->constants, program->last_value);
    pool_free(&device->pool, program->arena, program->last_value);
    pool_free(&device->pool, program->parts, program->last_value);
    memory_block_finish(&device->gpu, &program->predicate);
    device->gpu.counters.pipelines -= program->npipelines;
    device->gpu.counters.programs--;
    pthread_mutex_unlock(&device->gpu.lock);
    pipelines_destroy(program);
    door_finish(program->code, program->bundle.nkernels);
    script_finish(&program->script);
    free(program->layouts);
    free(program->layout_of);
    free(program->taken);
    free(program->sets);
    free(program->step_set);
    free(program->fixed_sets);
    free(program->places);
    free(program->bound);
    free(program->writes);
    free(program->infos);
    free(program->bound_views);
    free(program->is_donated);
    free(program->parts_at);
    free(program->addresses);
    free(program->times);
    free(program->bytes);
    pthread_cond_destroy(&program->turn);
    free(program);
}
