#include "slot.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "untrusted.h"

/* What is recorded and written in some 20 us. */
#define QUICK_STEPS 16u
#define QUICK_BINDINGS 512u

uint64_t slot_hash(const struct vkr_program *program)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < program->bundle.ntensors; i++) {
        hash = (hash ^ program->places[i].serial) * 0x100000001b3u;
        hash = (hash ^ program->places[i].offset >> 8) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool is_same_tuple(const struct vkr_program *program, const struct slot *slot)
{
    for (uint32_t i = 0; i < program->bundle.ntensors; i++)
        if (slot->places[i].serial != program->places[i].serial ||
            slot->places[i].offset != program->places[i].offset)
            return false;
    return true;
}

struct slot *slot_find(struct vkr_program *program, uint64_t hash)
{
    for (uint32_t i = 0; i < program->nslots; i++) {
        struct slot *slot = program->slots[i];
        if (slot->is_bound && slot->hash == hash && is_same_tuple(program, slot)) {
            /* the chunk of the same place may be another one than before: the host goes by it */
            memcpy(slot->places, program->places, program->bundle.ntensors * sizeof *slot->places);
            return slot;
        }
    }
    return NULL;
}

/* ---- making ---- */

/* How many bindings are texels, of the sets whose has_tensors is `for_tensors`. */
static uint32_t count_texels(const struct vkr_program *program, bool for_tensors)
{
    uint32_t count = 0;
    for (uint32_t i = 0; program->has_texels && i < program->nsets; i++)
        for (uint64_t texels = program->layouts[program->sets[i].layout].texels;
             texels && program->sets[i].has_tensors == for_tensors; texels &= texels - 1)
            count++;
    return count;
}

/* Allocates `count` sets for those plans whose has_tensors is `for_tensors`. */
static vkr_status create_sets(struct vkr_program *program, bool for_tensors, uint32_t count,
                              uint32_t nbindings, VkDescriptorPool *out_pool,
                              VkDescriptorSet *out_sets, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    vkr_status status = VKR_OK;
    uint32_t ntexels = count_texels(program, for_tensors);
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, nbindings > ntexels ? nbindings - ntexels : 1},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, ntexels}};
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .flags =
            program->has_update_after_bind ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
        .maxSets = count,
        .poolSizeCount = ntexels ? 2 : 1,
        .pPoolSizes = sizes,
    };
    VkDescriptorSetLayout *layouts = NULL;
    if (!count)
        return VKR_OK;
    layouts = host_alloc(count, sizeof *layouts);
    if (!layouts) {
        status = error_memory(err);
        goto out;
    }
    for (uint32_t i = 0; i < program->nsets; i++)
        if (program->sets[i].has_tensors == for_tensors)
            layouts[program->sets[i].index] = program->layouts[program->sets[i].layout].set;
    VK(vk->CreateDescriptorPool(device->gpu.handle, &info, NULL, out_pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = *out_pool,
                                            .descriptorSetCount = count,
                                            .pSetLayouts = layouts};
    VK(vk->AllocateDescriptorSets(device->gpu.handle, &allocate, out_sets));
    device->gpu.counters.descriptor_allocations += count;
out:
    free(layouts);
    return status;
}

/* The buffer, or of a large one the addresses of its parts. */
static VkDescriptorBufferInfo binding_info(const struct vkr_program *program,
                                           const struct place *places, uint32_t buffer)
{
    uint64_t bytes = program->bundle.buffers[buffer].bytes, at = program->parts_at[buffer];
    if (at != UINT64_MAX) {
        struct chunk *parts = program->parts;
        return (VkDescriptorBufferInfo){parts->block->buffer, parts->offset + at,
                                        8 * vkb_parts(bytes, program->bundle.program->part_bytes)};
    }
    struct place place = program_place(program, places, buffer);
    if (program->code)
        bytes = door_bytes(&program->bundle, buffer);
    return (VkDescriptorBufferInfo){place.buffer, place.offset, bytes ? bytes : 4};
}

/* Where a binding's contents stand among the scratch that is written, and the writes so far. */
struct writing {
    const struct place *places;
    struct texel_view *views; /* of tensors */
    uint32_t nwrites, ninfos;
};

static vkr_status prepare_binding(struct vkr_program *program, struct writing *w, uint32_t buffer,
                                  VkDescriptorType type, vkr_error *err)
{
    uint32_t at = w->ninfos++;
    if (type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
        program->infos[at] = binding_info(program, w->places, buffer);
        return VKR_OK;
    }
    bool is_tensor = program->bundle.buffers[buffer].kind <= VKB_BUFFER_OUTPUT;
    struct texel_view *view = is_tensor ? &w->views[buffer] : &program->views[buffer];
    vkr_status status = texels_bind(program, w->places, buffer, view, err);
    program->bound_views[at] = view->handle;
    return status;
}

/* One write for each run of bindings of one kind. */
static vkr_status prepare_set(struct vkr_program *program, struct writing *w,
                              const struct set_plan *set, VkDescriptorSet handle, vkr_error *err)
{
    uint64_t texels = program->layouts[set->layout].texels;
    VkWriteDescriptorSet *write = NULL;
    vkr_status status = VKR_OK;
    for (uint32_t k = 0; !status && k < set->nbindings; k++) {
        VkDescriptorType type = program_descriptor(texels, k);
        if (!write || write->descriptorType != type) {
            write = &program->writes[w->nwrites++];
            *write = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = handle,
                                            .dstBinding = k,
                                            .descriptorType = type,
                                            .pBufferInfo = &program->infos[w->ninfos],
                                            .pTexelBufferView = &program->bound_views[w->ninfos]};
        }
        write->descriptorCount++;
        uint32_t buffer = program->bundle.bindings[set->first_binding + k].buffer;
        status = prepare_binding(program, w, buffer, type, err);
    }
    return status;
}

/* Points sets at the places that their bindings name; `slot` is NULL for those of no tensors. */
static vkr_status write_sets(struct vkr_program *program, const struct slot *slot, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const VkDescriptorSet *sets = slot ? slot->sets : program->fixed_sets;
    struct writing w = {slot ? slot->places : NULL, slot ? slot->views : NULL, 0, 0};
    vkr_status status = VKR_OK;
    for (uint32_t i = 0; !status && i < program->nsets; i++)
        if (program->sets[i].has_tensors == (slot != NULL))
            status = prepare_set(program, &w, &program->sets[i], sets[program->sets[i].index], err);
    if (!status && w.nwrites)
        device->gpu.vk.UpdateDescriptorSets(device->gpu.handle, w.nwrites, program->writes, 0,
                                            NULL);
    device->gpu.counters.descriptor_updates += status ? 0 : w.nwrites;
    return status;
}

vkr_status slot_create_fixed_sets(struct vkr_program *program, vkr_error *err)
{
    vkr_status status = create_sets(program, false, program->nfixed, program->nfixed_bindings,
                                    &program->fixed_pool, program->fixed_sets, err);
    return status ? status : write_sets(program, NULL, err);
}

void slot_destroy(struct vkr_program *program, struct slot *slot)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    if (!slot)
        return;
    if (slot->pool)
        vk->DestroyDescriptorPool(device->gpu.handle, slot->pool, NULL);
    if (slot->command_pool)
        vk->DestroyCommandPool(device->gpu.handle, slot->command_pool, NULL);
    if (slot->queries)
        vk->DestroyQueryPool(device->gpu.handle, slot->queries, NULL);
    texels_destroy(program, slot->views);
    free(slot->places);
    free(slot->sets);
    free(slot->commands);
    free(slot);
}

static vkr_status slot_create(struct vkr_program *program, struct slot **out, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    uint32_t ncommands = program->script.nsegments + (program->untrusted ? 1 : 0);
    vkr_status status = VKR_OK;
    struct slot *slot = host_alloc(1, sizeof *slot);
    if (!slot)
        return error_memory(err);
    slot->places = host_alloc(program->bundle.ntensors, sizeof *slot->places);
    slot->sets = host_alloc(program->ntensor_sets, sizeof *slot->sets);
    slot->commands = host_alloc(ncommands, sizeof *slot->commands);
    slot->views = program->has_texels ? texels_create(program) : NULL;
    if (!slot->places || !slot->sets || !slot->commands || (program->has_texels && !slot->views)) {
        status = error_memory(err);
        goto out;
    }
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = device->gpu.family};
    VK(vk->CreateCommandPool(device->gpu.handle, &pool, NULL, &slot->command_pool));
    if (ncommands) {
        VkCommandBufferAllocateInfo allocate = {.sType =
                                                    VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = slot->command_pool,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = ncommands};
        VK(vk->AllocateCommandBuffers(device->gpu.handle, &allocate, slot->commands));
    }
    if (program->times && program->bundle.nsteps) {
        VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = 2 * program->bundle.nsteps};
        VK(vk->CreateQueryPool(device->gpu.handle, &queries, NULL, &slot->queries));
    }
    status = create_sets(program, true, program->ntensor_sets, program->ntensor_bindings,
                         &slot->pool, slot->sets, err);
out:
    if (status) {
        slot_destroy(program, slot);
        return status;
    }
    *out = slot;
    return VKR_OK;
}

vkr_status slot_take(struct vkr_program *program, struct slot **out, uint64_t *out_wait,
                     vkr_error *err)
{
    struct slot *oldest = NULL;
    *out = NULL;
    if (program->nslots < SLOT_LIMIT) {
        vkr_status status = slot_create(program, out, err);
        if (!status) {
            program->slots[program->nslots++] = *out;
            return VKR_OK;
        }
        if (!program->nslots)
            return status; /* else go on with those that there are */
    }
    for (uint32_t i = 0; i < program->nslots; i++) {
        struct slot *slot = program->slots[i];
        if (!oldest || slot->last_tick < oldest->last_tick)
            oldest = slot;
    }
    if (queue_is_done(&program->device->queue, oldest->last_value))
        *out = oldest;
    else
        *out_wait = oldest->last_value;
    return VKR_OK;
}

bool slot_is_quick(const struct vkr_program *program)
{
    return program->nslots == SLOT_LIMIT && !program->untrusted && !program->has_texels &&
           !program->parts_bytes && program->bundle.nsteps <= QUICK_STEPS &&
           program->ntensor_bindings <= QUICK_BINDINGS;
}

/* ---- recording ---- */

/* Writes the addresses of the parts of all large buffers. The program has one list of them, not
   each slot: runs follow each other in the one queue. */
static void record_parts(struct vkr_program *program, const struct place *places,
                         VkCommandBuffer commands)
{
    const struct vk *vk = &program->device->gpu.vk;
    const struct vkb_view *v = &program->bundle;
    uint64_t part = v->program->part_bytes, most = 65536;
    if (!program->parts_bytes)
        return;
    for (uint32_t i = 0; i < v->nbuffers; i++) {
        if (program->parts_at[i] == UINT64_MAX)
            continue;
        struct place place = program_place(program, places, i);
        for (uint64_t k = 0; k < vkb_parts(v->buffers[i].bytes, part); k++) {
            struct chunk_place at = chunk_place(place.chunk, place.at + k * part);
            program->addresses[program->parts_at[i] / 8 + k] = at.piece->block->address + at.offset;
        }
    }
    for (uint64_t done = 0; done < program->parts_bytes; done += most)
        vk->CmdUpdateBuffer(commands, program->parts->block->buffer, program->parts->offset + done,
                            program->parts_bytes - done < most ? program->parts_bytes - done : most,
                            program->addresses + done / 8);
    record_barrier(vk, false, commands);
}

static void record_copy_step(struct vkr_program *program, const struct place *places,
                             const struct vkb_step *step, VkCommandBuffer commands)
{
    const struct vkb_binding *b = &program->bundle.bindings[step->first_binding];
    struct place from = program_place(program, places, b[0].buffer),
                 to = program_place(program, places, b[1].buffer);
    record_copy(&program->device->gpu.vk, from.chunk, from.at, to.chunk, to.at, step->bytes,
                commands);
}

static void record_dispatch(struct vkr_program *program, const struct slot *slot, uint32_t index,
                            VkCommandBuffer commands)
{
    const struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    const struct vkb_step *step = &program->bundle.steps[index];
    const struct set_plan *set = &program->sets[program->step_set[index]];
    const VkDescriptorSet *sets = set->has_tensors ? slot->sets : program->fixed_sets;
    uint32_t body = program->taken[step->kernel],
             npushed = program->bundle.kernels[step->kernel].npushed;
    const uint32_t *groups = vkb_group_counts(&program->bundle, step, body);
    if (device->gpu.has_debug_names) {
        VkDebugUtilsLabelEXT label = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
            .pLabelName = vkb_text(&program->bundle, program->bundle.kernels[step->kernel].label)};
        vk->CmdBeginDebugUtilsLabelEXT(commands, &label);
    }
    vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipelines[step->kernel]);
    if (set->nbindings)
        vk->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                  program->layouts[set->layout].pipeline, 0, 1, &sets[set->index],
                                  0, NULL);
    if (npushed)
        vk->CmdPushConstants(commands, program->layouts[program->layout_of[step->kernel]].pipeline,
                             VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 * npushed,
                             program->bundle.pushed + step->first_pushed);
    if (step->counts == VKB_NONE)
        vk->CmdDispatch(commands, groups[0], groups[1], groups[2]);
    else if (program->untrusted)
        untrusted_record_dispatch(program, index, commands);
    else {
        struct place counts = program_place(program, slot->places, step->counts);
        vk->CmdDispatchIndirect(commands, counts.buffer,
                                counts.offset + 4 * (uint64_t)vkb_counts_at(step, body));
    }
    if (device->gpu.has_debug_names)
        vk->CmdEndDebugUtilsLabelEXT(commands);
}

/* The predicate's first word into the word that the host reads, unless the host sees it where it
   is. */
static void record_predicate(struct vkr_program *program, const struct place *places,
                             uint32_t buffer, VkCommandBuffer commands)
{
    const struct vk *vk = &program->device->gpu.vk;
    struct place from = program_place(program, places, buffer);
    VkBufferCopy region = {.srcOffset = from.offset, .size = 4};
    if (program->device->gpu.memory_types.direct_read >= 4)
        return;
    record_barrier(vk, false, commands);
    vk->CmdCopyBuffer(commands, from.buffer, program->predicate.buffer, 1, &region);
}

struct recording {
    struct vkr_program *program;
    struct slot *slot;
    VkCommandBuffer commands;
    bool is_fresh; /* nothing since the barrier at its begin */
    bool is_timed; /* a first round */
    bool is_inner; /* in a repetition, behind which there may be more before the next barrier */
};

static void record_reset(const struct recording *r, uint32_t first, uint32_t count)
{
    if (!r->slot->queries || !count)
        return;
    r->program->device->gpu.vk.CmdResetQueryPool(r->commands, r->slot->queries, 2 * first,
                                                 2 * count);
    for (uint32_t i = first; i < first + count; i++) {
        const struct vkb_step *step = &r->program->bundle.steps[i];
        if (step->kind == VKB_STEP_REPEAT)
            record_reset(r, step->range_first[0], step->range_count[0]);
    }
}

static void record_time(const struct recording *r, uint32_t query)
{
    if (r->slot->queries && r->is_timed)
        r->program->device->gpu.vk.CmdWriteTimestamp(
            r->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, r->slot->queries, query);
}

/* Whether group counts may be read between a barrier before step `first` and the next one. */
static bool reads_counts(const struct recording *r, uint32_t first, uint32_t end)
{
    const struct vkr_program *program = r->program;
    for (uint32_t i = first; program->has_counts && i < end; i++) {
        const struct vkb_step *step = &program->bundle.steps[i];
        if (i > first && step->barrier)
            return false;
        if (step->counts != VKB_NONE || step->kind == VKB_STEP_REPEAT)
            return true;
    }
    return program->has_counts && r->is_inner;
}

/* The steps of a range, `rounds` times; a round sees what the one before it wrote. */
static void record_range(struct recording *r, uint32_t first, uint32_t count, uint32_t rounds)
{
    bool was_timed = r->is_timed, was_inner = r->is_inner;
    for (uint32_t round = 0; round < rounds; round++) {
        r->is_timed = was_timed && round == 0;
        for (uint32_t i = first; i < first + count; i++) {
            const struct vkb_step *step = &r->program->bundle.steps[i];
            if (step->kind == VKB_STEP_REPEAT) {
                r->is_inner = true;
                record_range(r, step->range_first[0], step->range_count[0], step->times);
                r->is_inner = was_inner;
                continue;
            }
            if ((step->barrier || (round && i == first)) && !r->is_fresh)
                record_barrier(&r->program->device->gpu.vk, reads_counts(r, i, first + count),
                               r->commands);
            r->is_fresh = false;
            record_time(r, 2 * i);
            if (step->kind == VKB_STEP_COPY)
                record_copy_step(r->program, r->slot->places, step, r->commands);
            else
                record_dispatch(r->program, r->slot, i, r->commands);
            record_time(r, 2 * i + 1);
            if (r->program->has_counts && r->program->untrusted &&
                r->program->untrusted->writes_counts[i])
                untrusted_record_counts(r->program, r->commands);
        }
    }
    r->is_timed = was_timed;
}

static vkr_status record_segment(struct vkr_program *program, struct slot *slot, uint32_t index,
                                 vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    const struct segment *segment = &program->script.segments[index];
    VkCommandBuffer commands = slot->commands[index];
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    vkr_status status = VKR_OK;
    VK(vk->BeginCommandBuffer(commands, &begin));
    record_barrier(vk, program->has_counts, commands);
    record_parts(program, slot->places, commands);
    if (program->untrusted && program->has_counts)
        untrusted_record_counts(program, commands);
    struct recording recording = {program, slot, commands, true, true, false};
    record_reset(&recording, segment->first, segment->count);
    record_range(&recording, segment->first, segment->count, segment->rounds);
    if (segment->predicate != VKB_NONE)
        record_predicate(program, slot->places, segment->predicate, commands);
    if (device->gpu.memory_types.is_mapped || segment->predicate != VKB_NONE)
        record_host_barrier(vk, commands);
    VK(vk->EndCommandBuffer(commands));
out:
    return status;
}

/* Whether the recording may stay while descriptors change under it: not if it names tensors, or
   holds their addresses, nor if buffers that it once named were destroyed. */
static bool may_keep_recording(const struct vkr_program *program, const struct slot *slot)
{
    const struct vkr_device *device = program->device;
    return slot->is_recorded && program->has_update_after_bind && !program->copies_tensors &&
           !program->parts_bytes && !program->untrusted && slot->epoch == device->pool.epoch;
}

vkr_status slot_bind(struct vkr_program *program, struct slot *slot, uint64_t hash, vkr_error *err)
{
    struct vkr_device *device = program->device;
    const struct vk *vk = &device->gpu.vk;
    vkr_status status = VKR_OK;
    bool keep = may_keep_recording(program, slot);
    slot->is_bound = false;
    memcpy(slot->places, program->places, program->bundle.ntensors * sizeof *slot->places);
    slot->hash = hash;
    if (!keep) {
        slot->is_recorded = false;
        VK(vk->ResetCommandPool(device->gpu.handle, slot->command_pool, 0));
    }
    status = write_sets(program, slot, err);
    if (status)
        goto out;
    for (uint32_t i = 0; !keep && i < program->script.nsegments; i++) {
        status = record_segment(program, slot, i, err);
        if (status)
            goto out;
    }
    if (!keep && program->untrusted) {
        status = untrusted_record_begin(program, slot->places,
                                        slot->commands[program->script.nsegments], err);
        if (status)
            goto out;
    }
    if (!keep) {
        device->gpu.counters.recordings++;
        slot->epoch = device->pool.epoch;
        slot->is_recorded = true;
    }
    slot->is_bound = true;
out:
    return status;
}
