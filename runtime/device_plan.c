#include "device_plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Over a bus, through the mapping: writes are combined, so that they beat a submission up to
   some size; each read is a round trip. */
#define BUS_WRITE_BYTES (256u << 10)
#define BUS_READ_BYTES 64u

static vkr_device_kind device_kind(const struct device_facts *facts)
{
    switch (facts->properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return VKR_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return VKR_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return VKR_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return VKR_CPU;
    default: return VKR_OTHER;
    }
}

static bool contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

static bool is_number(const char *text)
{
    return text[0] && !text[strspn(text, "0123456789")];
}

static vkr_status no_match(const struct device_facts *facts, uint32_t count, const char *want,
                           vkr_error *err)
{
    char names[384] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof names; i++) {
        int n = snprintf(names + used, sizeof names - used, "%s%u: %s", i ? ", " : "", i,
                         facts[i].properties.deviceName);
        used += n > 0 ? (size_t)n : 0;
    }
    return error_set(err, VKR_NO_DEVICE, "no Vulkan device %s \"%.64s\"; there are: %s",
                     is_number(want) ? "has the index" : "has a name with", want, names);
}

vkr_status device_plan_select(const struct device_facts *facts, uint32_t count, const char *want,
                              uint32_t *out_index, vkr_error *err)
{
    if (!count)
        return error_set(
            err, VKR_NO_DEVICE,
            "no Vulkan device: the loader found no driver (VK_DRIVER_FILES names one)");
    if (!want || !want[0]) {
        static const vkr_device_kind order[] = {VKR_DISCRETE, VKR_INTEGRATED, VKR_VIRTUAL, VKR_CPU,
                                                VKR_OTHER};
        for (size_t k = 0; k < sizeof order / sizeof *order; k++)
            for (uint32_t i = 0; i < count; i++)
                if (device_kind(&facts[i]) == order[k])
                    return *out_index = i, VKR_OK;
    } else if (is_number(want)) { /* never part of a name: "5" is in "LLVM 15.0.6" */
        unsigned long index = strtoul(want, NULL, 10);
        return index < count ? (*out_index = (uint32_t)index, VKR_OK)
                             : no_match(facts, count, want, err);
    }
    for (uint32_t i = 0; want && i < count; i++)
        if (contains(facts[i].properties.deviceName, want))
            return *out_index = i, VKR_OK;
    return no_match(facts, count, want ? want : "", err);
}

/* Of those that compute: with times before without; of NVIDIA's then without graphics, to which its
   driver hands a submission 2 to 5 us sooner (H200). AMD's with graphics are
   no slower. */
static int family_score(const struct device_facts *facts, const VkQueueFamilyProperties *f)
{
    bool is_apart = facts->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY &&
                    !(f->queueFlags & VK_QUEUE_GRAPHICS_BIT);
    if (!(f->queueFlags & VK_QUEUE_COMPUTE_BIT) || !f->queueCount)
        return 0;
    return 1 + is_apart + (f->timestampValidBits ? 2 : 0);
}

bool device_plan_family(const struct device_facts *facts, uint32_t *out_family)
{
    int best = 0;
    for (uint32_t i = 0; i < facts->nfamilies; i++) {
        int score = family_score(facts, &facts->families[i]);
        if (score > best) {
            best = score;
            *out_family = i;
        }
    }
    return best > 0;
}

/* The first type with all of `need`, and of those one with the most of `like`; the driver lists
   better ones first. */
static bool find_type(const VkPhysicalDeviceMemoryProperties *memory, VkMemoryPropertyFlags need,
                      VkMemoryPropertyFlags like, uint32_t *out_type)
{
    int best = -1;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;
        if ((flags & need) != need || flags & VK_MEMORY_PROPERTY_PROTECTED_BIT)
            continue;
        int score = 0;
        for (VkMemoryPropertyFlags bit = 1; bit && bit <= like; bit <<= 1)
            score += (like & bit & flags) != 0;
        if (score > best)
            best = score, *out_type = i;
    }
    return best >= 0;
}

/* Whether a memory type is in the biggest heap of the device, rather than in a small window to
   it. */
static bool is_main_heap(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type)
{
    uint32_t heap = memory->memoryTypes[type].heapIndex;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++)
        if (memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
            memory->memoryHeaps[i].size > memory->memoryHeaps[heap].size)
            return false;
    return true;
}

bool device_plan_memory(const struct device_facts *facts, struct memory_choice *out)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const VkMemoryPropertyFlags mapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    vkr_device_kind kind = device_kind(facts);
    bool is_shared = kind == VKR_CPU || kind == VKR_INTEGRATED;
    memset(out, 0, sizeof *out);
    if (!find_type(&facts->memory, mapped, 0, &out->upload) ||
        !find_type(&facts->memory, mapped, cached, &out->readback))
        return false;
    if (!find_type(&facts->memory, local | mapped, is_shared ? cached : 0, &out->device) ||
        !is_main_heap(&facts->memory, out->device))
        return find_type(&facts->memory, local, 0, &out->device);
    bool is_cached = facts->memory.memoryTypes[out->device].propertyFlags & cached;
    out->is_mapped = true;
    out->direct_write = is_shared ? UINT64_MAX : BUS_WRITE_BYTES;
    out->direct_read = is_shared && is_cached ? UINT64_MAX : BUS_READ_BYTES;
    return true;
}

/* A CPU driver takes its memory from the machine, and names a heap that has nothing to do with
   it: Mesa's says 2 GiB on any machine, and allocates until the kernel kills a process. Three
   quarters leave room for what else the process does. An integrated device has both limits. */
uint64_t device_plan_budget(const struct device_facts *facts)
{
    vkr_device_kind kind = device_kind(facts);
    struct memory_choice choice;
    uint64_t host = facts->host_free / 4 * 3, heap = 0;
    if (device_plan_memory(facts, &choice)) {
        uint32_t index = facts->memory.memoryTypes[choice.device].heapIndex;
        heap = facts->heap_free[index] ? facts->heap_free[index]
                                       : facts->memory.memoryHeaps[index].size;
    }
    if (!host || kind == VKR_DISCRETE || kind == VKR_VIRTUAL || kind == VKR_OTHER)
        return heap;
    return kind == VKR_CPU || host < heap ? host : heap;
}

/* What Vulkan has no question for; `make numerics` shows it. Known of NVIDIA's driver: fma() is
   one instruction, and ==, < and abs() take subnormal floats for 0. A driver not known to fuse
   is not relied on. A subgroup there is 32 neighbours of a workgroup; other drivers choose how
   large one is. */
static uint32_t known_of_driver(const struct device_facts *facts)
{
    bool ballots = facts->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT &&
                   facts->subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT &&
                   facts->subgroup.subgroupSize == 32;
    if (facts->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY)
        return VKB_FEATURE_FMA | (ballots ? VKB_FEATURE_BALLOT_32 : 0);
    return facts->driver_id ? VKB_FEATURE_COMPARE_32 : 0;
}

uint32_t device_plan_features(const struct device_facts *facts)
{
    const struct device_features *f = &facts->features;
    const struct {
        bool has;
        uint32_t bit;
    } rows[] = {
        {f->base.features.shaderFloat64, VKB_FEATURE_F64},
        {f->base.features.shaderInt64, VKB_FEATURE_I64},
        {f->base.features.shaderInt16, VKB_FEATURE_I16},
        {f->float16_int8.shaderFloat16, VKB_FEATURE_F16},
        {f->storage8.storageBuffer8BitAccess && f->float16_int8.shaderInt8, VKB_FEATURE_STORAGE8},
        {f->storage16.storageBuffer16BitAccess, VKB_FEATURE_STORAGE16},
        {facts->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT &&
             facts->subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT,
         VKB_FEATURE_SUBGROUP_ARITHMETIC},
        {f->cooperative_matrix.cooperativeMatrix, VKB_FEATURE_COOPERATIVE_MATRIX},
        {facts->floats.shaderSignedZeroInfNanPreserveFloat32, VKB_FEATURE_SIGNED_ZERO_INF_NAN_32},
        {facts->floats.shaderSignedZeroInfNanPreserveFloat64, VKB_FEATURE_SIGNED_ZERO_INF_NAN_64},
        {facts->floats.shaderDenormPreserveFloat16 &&
             facts->floats.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE,
         VKB_FEATURE_DENORM_PRESERVE_16},
        {facts->floats.shaderDenormPreserveFloat32, VKB_FEATURE_DENORM_PRESERVE_32},
        {facts->floats.shaderDenormPreserveFloat64, VKB_FEATURE_DENORM_PRESERVE_64},
        {facts->floats.shaderRoundingModeRTEFloat16 &&
             facts->floats.roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE,
         VKB_FEATURE_ROUND_NEAREST_16},
        {facts->floats.shaderRoundingModeRTEFloat32, VKB_FEATURE_ROUND_NEAREST_32},
        {facts->floats.shaderRoundingModeRTEFloat64, VKB_FEATURE_ROUND_NEAREST_64},
        {f->memory_model.vulkanMemoryModel, VKB_FEATURE_VULKAN_MEMORY_MODEL},
        {f->addresses.bufferDeviceAddress, VKB_FEATURE_ADDRESSES},
    };
    uint32_t bits = known_of_driver(facts);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bits |= rows[i].has ? rows[i].bit : 0;
    return bits;
}

const char *vkr_feature_name(uint32_t bit)
{
    switch (bit) {
/* clang-format off */
#define FEATURE(bit, word, what) case VKB_FEATURE_##bit: return word;
#include "features.def"
        /* clang-format on */
    default: return NULL;
    }
}

const char *vkr_matrix_name(uint32_t bit)
{
    switch (bit) {
/* clang-format off */
#define MATRIX(name, word, type, m, n, k, threads) case 1u << VKB_MATRIX_##name: return word;
#include "matrices.def"
        /* clang-format on */
    default: return NULL;
    }
}

enum { F16 = VK_COMPONENT_TYPE_FLOAT16_KHR, BF16 = VK_COMPONENT_TYPE_BFLOAT16_KHR };
static const struct matrix_row {
    int type;
    uint32_t m, n, k, threads;
} matrix_rows[] = {
#define MATRIX(bit, word, operands, rows, columns, k, threads) \
    {operands, rows, columns, k, threads},
#include "matrices.def"
};

/* Those with sums of f32 that a subgroup holds. */
uint32_t device_plan_matrices(const VkCooperativeMatrixPropertiesKHR *list, uint32_t count)
{
    const struct matrix_row *rows = matrix_rows;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t r = 0; r < VKB_MATRICES; r++) {
            const VkCooperativeMatrixPropertiesKHR *p = &list[i];
            if (!rows[r].threads && (int)p->AType == rows[r].type &&
                (int)p->BType == rows[r].type && p->CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
                p->ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR && p->MSize == rows[r].m &&
                p->NSize == rows[r].n && p->KSize == rows[r].k && !p->saturatingAccumulation &&
                p->scope == VK_SCOPE_SUBGROUP_KHR)
                bits |= 1u << r;
        }
    return bits;
}

/* The driver keeps shared memory for them, of which such kernels use none themselves. */
static bool has_room(const struct device_facts *facts, const struct matrix_row *row)
{
    const VkPhysicalDeviceCooperativeMatrix2PropertiesNV *p = &facts->group_matrix;
    uint32_t most = p->cooperativeMatrixFlexibleDimensionsMaxDimension;
    return facts->features.group_matrix.cooperativeMatrixWorkgroupScope &&
           facts->features.group_matrix.cooperativeMatrixFlexibleDimensions &&
           facts->features.group_matrix.cooperativeMatrixPerElementOperations &&
           row->threads <= p->cooperativeMatrixWorkgroupScopeMaxWorkgroupSize && row->m <= most &&
           row->n <= most && row->k <= most &&
           p->cooperativeMatrixWorkgroupScopeReservedSharedMemory <=
               facts->properties.limits.maxComputeSharedMemorySize;
}

static bool is_multiple(uint32_t x, uint32_t of)
{
    return of && x % of == 0;
}

uint32_t device_plan_group_matrices(const struct device_facts *facts,
                                    const VkCooperativeMatrixFlexibleDimensionsPropertiesNV *list,
                                    uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t r = 0; r < VKB_MATRICES; r++) {
            const VkCooperativeMatrixFlexibleDimensionsPropertiesNV *p = &list[i];
            const struct matrix_row *row = &matrix_rows[r];
            if (row->threads && (int)p->AType == row->type && (int)p->BType == row->type &&
                p->CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
                p->ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
                is_multiple(row->m, p->MGranularity) && is_multiple(row->n, p->NGranularity) &&
                is_multiple(row->k, p->KGranularity) && !p->saturatingAccumulation &&
                p->scope == VK_SCOPE_WORKGROUP_KHR && p->workgroupInvocations == row->threads &&
                has_room(facts, row))
                bits |= 1u << r;
        }
    return bits;
}

bool device_plan_has_update_after_bind(const struct device_facts *facts)
{
    const VkPhysicalDeviceDescriptorIndexingProperties *p = &facts->indexing;
    uint32_t need = facts->properties.limits.maxPerStageDescriptorStorageBuffers;
    return facts->features.indexing.descriptorBindingStorageBufferUpdateAfterBind &&
           p->maxPerStageDescriptorUpdateAfterBindStorageBuffers >= need &&
           p->maxPerStageUpdateAfterBindResources >= need &&
           p->maxDescriptorSetUpdateAfterBindStorageBuffers >= need;
}

bool device_plan_has_texel_update(const struct device_facts *facts)
{
    const VkPhysicalDeviceDescriptorIndexingProperties *p = &facts->indexing;
    uint32_t need = facts->properties.limits.maxPerStageDescriptorSampledImages;
    return facts->features.indexing.descriptorBindingUniformTexelBufferUpdateAfterBind &&
           p->maxPerStageDescriptorUpdateAfterBindSampledImages >= need &&
           p->maxDescriptorSetUpdateAfterBindSampledImages >= need;
}

void device_plan_keep_features(struct device_features *features)
{
    struct device_features all = *features;
    struct device_features *f = features;
    memset(f, 0, sizeof *f);
    f->base.features.shaderFloat64 = all.base.features.shaderFloat64;
    f->base.features.shaderInt64 = all.base.features.shaderInt64;
    f->base.features.shaderInt16 = all.base.features.shaderInt16;
    f->storage16.storageBuffer16BitAccess = all.storage16.storageBuffer16BitAccess;
    f->storage16.uniformAndStorageBuffer16BitAccess =
        all.storage16.uniformAndStorageBuffer16BitAccess;
    f->storage8.storageBuffer8BitAccess = all.storage8.storageBuffer8BitAccess;
    f->storage8.uniformAndStorageBuffer8BitAccess = all.storage8.uniformAndStorageBuffer8BitAccess;
    f->float16_int8 = all.float16_int8;
    f->timeline = all.timeline;
    f->indexing.descriptorBindingStorageBufferUpdateAfterBind =
        all.indexing.descriptorBindingStorageBufferUpdateAfterBind;
    f->indexing.descriptorBindingUniformTexelBufferUpdateAfterBind =
        all.indexing.descriptorBindingUniformTexelBufferUpdateAfterBind;
    f->memory_model.vulkanMemoryModel = all.memory_model.vulkanMemoryModel;
    f->memory_model.vulkanMemoryModelDeviceScope = all.memory_model.vulkanMemoryModelDeviceScope;
    f->subgroup_types = all.subgroup_types;
    f->scalar_layout = all.scalar_layout;
    f->subgroup_size = all.subgroup_size;
    f->maintenance4 = all.maintenance4;
    f->cooperative_matrix.cooperativeMatrix = all.cooperative_matrix.cooperativeMatrix;
    f->group_matrix.cooperativeMatrixWorkgroupScope =
        all.group_matrix.cooperativeMatrixWorkgroupScope;
    f->group_matrix.cooperativeMatrixFlexibleDimensions =
        all.group_matrix.cooperativeMatrixFlexibleDimensions;
    f->group_matrix.cooperativeMatrixPerElementOperations =
        all.group_matrix.cooperativeMatrixPerElementOperations;
    f->addresses.bufferDeviceAddress = all.addresses.bufferDeviceAddress;
    f->bfloat16.shaderBFloat16Type = all.bfloat16.shaderBFloat16Type;
    f->bfloat16.shaderBFloat16CooperativeMatrix = all.bfloat16.shaderBFloat16CooperativeMatrix;
}

/* Mesa's CPU driver has it before version 25. */
static bool has_loop_limit(const struct device_facts *facts)
{
    const char *mesa = strstr(facts->driver, "Mesa ");
    return facts->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE &&
           (!mesa || strtol(mesa + 5, NULL, 10) < 25);
}

void device_plan_info(const struct device_facts *facts, uint32_t index, vkr_device_info *out)
{
    const VkPhysicalDeviceLimits *limits = &facts->properties.limits;
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", facts->properties.deviceName);
    snprintf(out->driver, sizeof out->driver, "%s", facts->driver);
    out->kind = device_kind(facts);
    out->index = index;
    out->api_version = facts->properties.apiVersion;
    out->vendor_id = facts->properties.vendorID;
    out->device_id = facts->properties.deviceID;
    out->features = device_plan_features(facts);
    out->matrices = facts->matrices;
    if (!facts->features.bfloat16.shaderBFloat16CooperativeMatrix)
        for (uint32_t r = 0; r < VKB_MATRICES; r++)
            out->matrices &= ~((uint32_t)(matrix_rows[r].type == BF16) << r);
    out->max_invocations = limits->maxComputeWorkGroupInvocations;
    out->max_shared_bytes = limits->maxComputeSharedMemorySize;
    out->max_bindings = limits->maxPerStageDescriptorStorageBuffers < limits->maxPerStageResources
                            ? limits->maxPerStageDescriptorStorageBuffers
                            : limits->maxPerStageResources;
    if (out->max_bindings > limits->maxDescriptorSetStorageBuffers)
        out->max_bindings = limits->maxDescriptorSetStorageBuffers;
    out->subgroup_size = facts->subgroup.subgroupSize;
    memcpy(out->max_groups, limits->maxComputeWorkGroupCount, sizeof out->max_groups);
    out->has_loop_limit = has_loop_limit(facts);
    out->max_binding_bytes = limits->maxStorageBufferRange;
    uint64_t one =
        facts->max_allocation < facts->max_buffer ? facts->max_allocation : facts->max_buffer;
    if (out->max_binding_bytes > one) /* what is larger is no one buffer */
        out->max_binding_bytes = one;
    out->memory_budget = device_plan_budget(facts);
    for (uint32_t i = 0; i < facts->memory.memoryHeapCount; i++)
        if (facts->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
            facts->memory.memoryHeaps[i].size > out->memory_bytes)
            out->memory_bytes = facts->memory.memoryHeaps[i].size;
}

static vkr_status accepts_limit(const char *what, uint64_t need, uint64_t have, const char *device,
                                vkr_error *err)
{
    if (need <= have)
        return VKR_OK;
    return error_set(err, VKR_UNSUPPORTED, "the program needs %s %llu, %s has %llu", what,
                     (unsigned long long)need, device, (unsigned long long)have);
}

vkr_status device_plan_accepts(const vkr_device_info *info, const struct vkb_view *bundle,
                               vkr_error *err)
{
    const struct vkb_program *p = bundle->program;
    uint32_t missing = p->features & ~info->features;
    if (missing)
        return error_set(err, VKR_UNSUPPORTED, "the program needs %s, which %s lacks",
                         vkb_feature_name(missing & (~missing + 1)), info->name);
    vkr_status status =
        accepts_limit("workgroups of", p->max_invocations, info->max_invocations, info->name, err);
    if (!status)
        status = accepts_limit("shared bytes", p->max_shared_bytes, info->max_shared_bytes,
                               info->name, err);
    if (!status)
        status = accepts_limit("storage buffers per kernel", p->max_bindings, info->max_bindings,
                               info->name, err);
    for (uint32_t i = 0; !status && i < bundle->nbuffers; i++)
        if (bundle->buffers[i].bytes <= p->part_bytes)
            status = accepts_limit("bytes in one storage buffer", bundle->buffers[i].bytes,
                                   info->max_binding_bytes, info->name, err);
        else
            status = accepts_limit("bytes in one part of a buffer", p->part_bytes,
                                   vkb_part_bytes(info->max_binding_bytes), info->name, err);
    return status;
}
