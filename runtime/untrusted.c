#include "untrusted.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "counts_spirv.h"

enum { PLACE_BYTES = 16, GROUP_PLACES = CHUNK_ALIGN / PLACE_BYTES, MAX_PLACES = 65535 };

/* ---- which counts there are ---- */

static bool has_counts(const struct vkb_step *step)
{
    return step->kind == VKB_STEP_DISPATCH && step->counts != VKB_NONE;
}

static bool overlaps(const struct vkb_buffer *a, const struct vkb_buffer *b)
{
    return a->kind == VKB_BUFFER_ARENA && b->kind == VKB_BUFFER_ARENA &&
           a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

/* Whether the step writes where counts may be. Steps of the host end a command buffer, and the
   next begins anew. */
static bool writes_counts(const struct vkb_view *v, const struct untrusted *u,
                          const struct vkb_step *step)
{
    if (step->kind != VKB_STEP_DISPATCH && step->kind != VKB_STEP_COPY)
        return false;
    for (uint32_t i = 0; i < step->nbindings; i++) {
        const struct vkb_binding *b = &v->bindings[step->first_binding + i];
        for (uint32_t k = 0; b->access & VKB_WRITE && k < u->ngroups; k++)
            if (overlaps(&v->buffers[b->buffer], &v->buffers[u->groups[k].buffer]))
                return true;
    }
    return false;
}

/* A group begins where a descriptor may. */
static vkr_status plan_counts(struct vkr_program *program, struct untrusted *u, vkr_error *err)
{
    const struct vkb_view *v = &program->bundle;
    uint32_t *count = host_alloc(v->nbuffers, sizeof *count),
             *group = host_alloc(v->nbuffers, sizeof *group);
    uint64_t nplaces = 0;
    vkr_status status = count && group ? VKR_OK : error_memory(err);
    for (uint32_t i = 0; !status && i < v->nsteps; i++)
        if (has_counts(&v->steps[i]) && !count[v->steps[i].counts]++)
            u->ngroups++;
    u->place = status ? NULL : host_alloc(v->nsteps, sizeof *u->place);
    u->writes_counts = status ? NULL : host_alloc(v->nsteps, sizeof *u->writes_counts);
    u->groups = status ? NULL : host_alloc(u->ngroups, sizeof *u->groups);
    u->sets = status ? NULL : host_alloc(u->ngroups, sizeof *u->sets);
    if (!status && (!u->place || !u->writes_counts || !u->groups || !u->sets))
        status = error_memory(err);
    uint32_t ngroups = 0;
    for (uint32_t i = 0; !status && i < v->nbuffers; i++) {
        if (!count[i])
            continue;
        group[i] = ngroups;
        u->groups[ngroups++] = (struct counts_group){i, (uint32_t)nplaces, 0};
        nplaces += ((uint64_t)count[i] + GROUP_PLACES - 1) / GROUP_PLACES * GROUP_PLACES;
        if (count[i] > MAX_PLACES || nplaces > UINT32_MAX / PLACE_BYTES)
            status = error_set(err, VKR_INVALID_BUNDLE,
                               "buffers[%u]: holds the group counts of %u steps, at most %u", i,
                               count[i], MAX_PLACES);
    }
    for (uint32_t i = 0; !status && i < v->nsteps; i++)
        if (has_counts(&v->steps[i])) {
            struct counts_group *g = &u->groups[group[v->steps[i].counts]];
            u->place[i] = g->first + g->count++;
        }
    for (uint32_t i = 0; !status && i < v->nsteps; i++)
        u->writes_counts[i] = writes_counts(v, u, &v->steps[i]);
    u->nplaces = (uint32_t)nplaces;
    free(count);
    free(group);
    return status;
}

/* ---- the shader that bounds them ---- */

static vkr_status create_pipeline(struct vkr_device *device, struct untrusted *u,
                                  VkPipelineCache kept, vkr_error *err)
{
    const struct vk *vk = &device->gpu.vk;
    VkShaderModule module = VK_NULL_HANDLE;
    VkDescriptorSetLayoutBinding bindings[3];
    vkr_status status = VKR_OK;
    for (uint32_t i = 0; i < 3; i++)
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo set = {.sType =
                                               VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = 3,
                                           .pBindings = bindings};
    VK(vk->CreateDescriptorSetLayout(device->gpu.handle, &set, NULL, &u->set_layout));
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &u->set_layout};
    VK(vk->CreatePipelineLayout(device->gpu.handle, &layout, NULL, &u->layout));
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = sizeof counts_spirv,
                                     .pCode = counts_spirv};
    VK(vk->CreateShaderModule(device->gpu.handle, &info, NULL, &module));
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = u->layout,
    };
    VK(vk->CreateComputePipelines(device->gpu.handle, kept, 1, &create, NULL, &u->pipeline));
out:
    if (module)
        vk->DestroyShaderModule(device->gpu.handle, module, NULL);
    return status;
}

static vkr_status create_sets(struct vkr_program *program, struct untrusted *u, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    vkr_status status = VKR_OK;
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3 * u->ngroups};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = u->ngroups,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VK(vk->CreateDescriptorPool(device->gpu.handle, &info, NULL, &u->pool));
    for (uint32_t i = 0; i < u->ngroups; i++) {
        const struct counts_group *g = &u->groups[i];
        VkDescriptorSetAllocateInfo allocate = {.sType =
                                                    VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                .descriptorPool = u->pool,
                                                .descriptorSetCount = 1,
                                                .pSetLayouts = &u->set_layout};
        VK(vk->AllocateDescriptorSets(device->gpu.handle, &allocate, &u->sets[i]));
        struct place place = program_place(program, NULL, g->buffer);
        uint64_t at = (uint64_t)g->first * PLACE_BYTES, bytes = (uint64_t)g->count * PLACE_BYTES;
        const VkDescriptorBufferInfo buffers[] = {
            {place.buffer, place.offset, program->bundle.buffers[g->buffer].bytes},
            {u->safe->block->buffer, u->safe->offset + at, bytes},
            {u->most->block->buffer, u->most->offset + at, bytes},
        };
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = u->sets[i],
                                      .descriptorCount = 3,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = buffers};
        vk->UpdateDescriptorSets(device->gpu.handle, 1, &write, 0, NULL);
    }
    device->gpu.counters.descriptor_allocations += u->ngroups;
    device->gpu.counters.descriptor_updates += u->ngroups;
out:
    return status;
}

/* ---- its memory ---- */

static vkr_status write_most(struct vkr_program *program, struct untrusted *u, vkr_error *err)
{
    const struct vkb_view *v = &program->bundle;
    uint64_t bytes = (uint64_t)u->nplaces * PLACE_BYTES;
    uint32_t *most = host_alloc(1, bytes);
    if (!most)
        return error_memory(err);
    for (uint32_t i = 0; i < v->nsteps; i++) {
        const struct vkb_step *step = &v->steps[i];
        if (!has_counts(step))
            continue;
        uint32_t *to = most + 4 * (size_t)u->place[i];
        uint32_t body = program->taken[step->kernel];
        memcpy(to, vkb_group_counts(v, step, body), 3 * sizeof *to);
        to[3] = vkb_counts_at(step, body);
    }
    vkr_status status = staging_write(&program->device->staging, u->most, 0, most, bytes,
                                      u->most->busy, &program->last_value, err);
    free(most);
    return status;
}

static vkr_status create_memory(struct vkr_program *program, struct untrusted *u, vkr_error *err)
{
    struct vkr_device *device = program->device;
    uint64_t bytes = (uint64_t)u->nplaces * PLACE_BYTES;
    vkr_status status = pool_alloc(&device->pool, CHUNK_ALIGN, 0, &u->zeros, err);
    if (!status)
        status = staging_zero(&device->staging, u->zeros, CHUNK_ALIGN, &program->last_value, err);
    if (!status && program->arena)
        status = staging_zero(&device->staging, program->arena,
                              program->bundle.program->arena_bytes, &program->last_value, err);
    if (status || !u->ngroups)
        return status;
    status = pool_alloc(&device->pool, bytes, 0, &u->safe, err);
    if (!status)
        status = pool_alloc(&device->pool, bytes, 0, &u->most, err);
    if (!status)
        status = write_most(program, u, err);
    return status ? status : create_sets(program, u, err);
}

vkr_status untrusted_create(struct vkr_program *program, vkr_error *err)
{
    struct vkr_device *device = program->device;
    struct untrusted *u = program->untrusted = host_alloc(1, sizeof *u);
    if (!u)
        return error_memory(err);
    vkr_status status = plan_counts(program, u, err);
    if (!status && u->ngroups)
        status = at_exit_enter(err);
    if (!status && u->ngroups) {
        status = create_pipeline(device, u, program->kept.handle, err);
        at_exit_leave();
    }
    if (status)
        return status;
    pthread_mutex_lock(&device->gpu.lock);
    status = create_memory(program, u, err);
    pthread_mutex_unlock(&device->gpu.lock);
    return status;
}

void untrusted_destroy(struct vkr_program *program)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    struct untrusted *u = program->untrusted;
    if (!u)
        return;
    if (u->pool)
        vk->DestroyDescriptorPool(device->gpu.handle, u->pool, NULL);
    if (u->pipeline)
        vk->DestroyPipeline(device->gpu.handle, u->pipeline, NULL);
    if (u->layout)
        vk->DestroyPipelineLayout(device->gpu.handle, u->layout, NULL);
    if (u->set_layout)
        vk->DestroyDescriptorSetLayout(device->gpu.handle, u->set_layout, NULL);
    pool_free(&device->pool, u->zeros, program->last_value);
    pool_free(&device->pool, u->safe, program->last_value);
    pool_free(&device->pool, u->most, program->last_value);
    free(u->place);
    free(u->writes_counts);
    free(u->groups);
    free(u->sets);
    free(u);
}

/* ---- recording ---- */

/* Storage is a multiple of this: a program that reads texels reads whole ones. */
static uint32_t granule(const struct vkr_program *program)
{
    return program->has_texels ? VKB_TEXEL_BYTES : 4;
}

/* Zeros what follows so many bytes of a chunk up to the next granule. */
static void record_tail(struct vkr_program *program, struct chunk *chunk, uint64_t bytes,
                        VkCommandBuffer commands)
{
    uint32_t unit = granule(program);
    if (bytes % unit)
        record_copy(&program->device->gpu.vk, program->untrusted->zeros, 0, chunk, bytes,
                    unit - bytes % unit, commands);
}

static void record_zero(const struct vk *vk, struct chunk *chunk, uint64_t bytes,
                        VkCommandBuffer commands)
{
    for (uint64_t part, done = 0; done < bytes; done += part) {
        struct chunk_place at = chunk_place(chunk, done);
        part = bytes - done < at.left ? bytes - done : at.left;
        vk->CmdFillBuffer(commands, at.piece->block->buffer, at.offset, part, 0);
    }
}

vkr_status untrusted_record_begin(struct vkr_program *program, const struct place *places,
                                  VkCommandBuffer commands, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    const struct vkb_view *v = &program->bundle;
    uint32_t ninputs = v->program->ninputs;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    vkr_status status = VKR_OK;
    VK(vk->BeginCommandBuffer(commands, &begin));
    record_barrier(vk, false, commands);
    for (uint32_t i = 0; i < v->ntensors; i++) {
        const struct vkb_tensor *t = &v->tensors[i];
        struct chunk *chunk = places[i].chunk;
        bool is_donated = i >= ninputs && t->alias != VKB_NONE && places[t->alias].chunk == chunk;
        if (chunk && !t->bytes)
            record_zero(vk, chunk, DOOR_EMPTY_BYTES, commands);
        else if (i < ninputs && chunk && !chunk->block->is_foreign)
            record_tail(program, chunk, t->bytes, commands);
        else if (i >= ninputs && !is_donated) {
            record_zero(vk, chunk, buffer_storage(t->bytes), commands);
            record_tail(program, chunk, buffer_storage(t->bytes), commands);
        }
    }
    if (program->constants)
        record_tail(program, program->constants, v->constants_bytes, commands);
    if (program->arena)
        record_tail(program, program->arena, v->program->arena_bytes, commands);
    if (device->gpu.memory_types.is_mapped)
        record_host_barrier(vk, commands);
    VK(vk->EndCommandBuffer(commands));
out:
    return status;
}

void untrusted_record_counts(struct vkr_program *program, VkCommandBuffer commands)
{
    const struct vk *vk = &program->device->gpu.vk;
    const struct untrusted *u = program->untrusted;
    record_barrier(vk, false, commands);
    vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, u->pipeline);
    for (uint32_t i = 0; i < u->ngroups; i++) {
        vk->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, u->layout, 0, 1,
                                  &u->sets[i], 0, NULL);
        vk->CmdDispatch(commands, u->groups[i].count, 1, 1);
    }
    record_barrier(vk, true, commands);
}

void untrusted_record_dispatch(struct vkr_program *program, uint32_t step, VkCommandBuffer commands)
{
    const struct untrusted *u = program->untrusted;
    program->device->gpu.vk.CmdDispatchIndirect(
        commands, u->safe->block->buffer, u->safe->offset + (uint64_t)u->place[step] * PLACE_BYTES);
}
