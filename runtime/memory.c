#include "memory.h"

#include <string.h>

/* ---- the budget ---- */

uint64_t memory_budget_left(const struct gpu *gpu)
{
    const vkr_counters *c = &gpu->counters;
    return c->memory_bytes < c->memory_budget ? c->memory_budget - c->memory_bytes : 0;
}

vkr_status memory_budget_error(const struct gpu *gpu, uint64_t bytes, vkr_error *err)
{
    const vkr_counters *c = &gpu->counters;
    return error_set(err, VKR_OUT_OF_DEVICE_MEMORY,
                     "%llu bytes more of device memory: %llu of %llu that this process may use of "
                     "%s are taken, %llu of them by buffers in use; "
                     "free some, or raise the option memory_budget or $VKR_MEMORY_BUDGET",
                     (unsigned long long)bytes, (unsigned long long)c->memory_bytes,
                     (unsigned long long)c->memory_budget, gpu->info.name,
                     (unsigned long long)c->live_bytes);
}

/* How much of `bytes` of this memory type the budget is of: none in another heap than the device's
   memory is in, as what stages copies to a device with memory of its own. */
static uint64_t of_budget(const struct gpu *gpu, uint32_t type, uint64_t bytes)
{
    const VkMemoryType *types = gpu->facts.memory.memoryTypes;
    return types[type].heapIndex == types[gpu->memory_types.device].heapIndex ? bytes : 0;
}

static void count_memory(struct gpu *gpu, struct memory_block *block, uint64_t bytes)
{
    vkr_counters *c = &gpu->counters;
    block->counted = bytes;
    c->memory_bytes += bytes;
    if (c->memory_bytes > c->memory_peak)
        c->memory_peak = c->memory_bytes;
}

/* ---- one allocation ---- */

void memory_block_finish(struct gpu *gpu, struct memory_block *block)
{
    const struct vk *vk = &gpu->vk;
    gpu->counters.memory_bytes -= block->counted;
    if (block->buffer)
        vk->DestroyBuffer(gpu->handle, block->buffer, NULL);
    if (block->memory)
        vk->FreeMemory(gpu->handle, block->memory, NULL);
    memset(block, 0, sizeof *block);
}

static uint64_t largest_block(const struct gpu *gpu)
{
    const struct device_facts *f = &gpu->facts;
    return f->max_allocation < f->max_buffer ? f->max_allocation : f->max_buffer;
}

/* One VkDeviceMemory of the first of these memory types that fits, and a buffer over it. With an
   address, over the host's memory there, and mapped there. */
static vkr_status block_init(struct gpu *gpu, uint64_t bytes, uint32_t types, void *address,
                             struct memory_block *out, vkr_error *err)
{
    const VkExternalMemoryHandleTypeFlagBits host =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const struct vk *vk = &gpu->vk;
    vkr_status status = VKR_OK;
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = host};
    VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = host,
        .pHostPointer = address};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = address ? &external : NULL,
        .size = bytes,
        .usage =
            MEMORY_USAGE | (gpu->has_addresses ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0),
    };
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .pNext = address ? &import : NULL,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = gpu->has_addresses ? (void *)&flags
                                              : address          ? &import
                                                                 : NULL};
    VkMemoryRequirements needs;
    memset(out, 0, sizeof *out);
    if (bytes > largest_block(gpu))
        return error_set(
            err, VKR_OUT_OF_DEVICE_MEMORY, "%llu bytes in one piece, %s allocates at most %llu",
            (unsigned long long)bytes, gpu->info.name, (unsigned long long)largest_block(gpu));
    VK(vk->CreateBuffer(gpu->handle, &info, NULL, &out->buffer));
    vk->GetBufferMemoryRequirements(gpu->handle, out->buffer, &needs);
    if (!(needs.memoryTypeBits & types) || (address && needs.size > bytes)) {
        status = error_set(err, VKR_UNSUPPORTED,
                           "no memory type in 0x%x of %s can hold this storage buffer", types,
                           gpu->info.name);
        goto out;
    }
    while (!((needs.memoryTypeBits & types) >> allocate.memoryTypeIndex & 1))
        allocate.memoryTypeIndex++;
    allocate.allocationSize = address ? bytes : needs.size;
    const uint64_t counted = address ? 0 : of_budget(gpu, allocate.memoryTypeIndex, needs.size);
    status = counted > memory_budget_left(gpu) ? memory_budget_error(gpu, counted, err) : VKR_OK;
    if (status)
        goto out;
    VK(vk->AllocateMemory(gpu->handle, &allocate, NULL, &out->memory));
    gpu->counters.device_allocations++;
    count_memory(gpu, out, counted);
    VK(vk->BindBufferMemory(gpu->handle, out->buffer, out->memory, 0));
    if (gpu->has_addresses) {
        VkBufferDeviceAddressInfo at = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                        .buffer = out->buffer};
        out->address = vk->GetBufferDeviceAddress(gpu->handle, &at);
    }
    out->mapped = address;
    out->size = bytes;
out:
    if (status)
        memory_block_finish(gpu, out);
    return status;
}

vkr_status memory_block_create(struct gpu *gpu, uint64_t bytes, uint32_t type, bool is_mapped,
                               struct memory_block *out, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    void *mapped = NULL;
    vkr_status status = block_init(gpu, bytes, 1u << type, NULL, out, err);
    if (status || !is_mapped)
        return status;
    VK(vk->MapMemory(gpu->handle, out->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    out->mapped = mapped;
out:
    if (status)
        memory_block_finish(gpu, out);
    return status;
}

vkr_status memory_block_import(struct gpu *gpu, void *address, uint64_t bytes,
                               struct memory_block *out, vkr_error *err)
{
    const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const struct vk *vk = &gpu->vk;
    const VkPhysicalDeviceMemoryProperties *memory = &gpu->facts.memory;
    VkMemoryHostPointerPropertiesEXT pointer = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    vkr_status status = VKR_OK;
    memset(out, 0, sizeof *out);
    VK(vk->GetMemoryHostPointerPropertiesEXT(
        gpu->handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, address, &pointer));
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
        if ((memory->memoryTypes[i].propertyFlags & coherent) != coherent)
            pointer.memoryTypeBits &= ~(1u << i);
    status = block_init(gpu, bytes, pointer.memoryTypeBits, address, out, err);
out:
    return status;
}
