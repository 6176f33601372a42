/* Choices without a device: which device, queue family and memory; features; scripts of steps. */
#include "../../runtime/bodies.h"
#include "../../runtime/script.h"
#include "builder.h"
#include "harness.h"

static struct device_facts facts_of(const char *name, VkPhysicalDeviceType type)
{
    struct device_facts f = {.nfamilies = 1};
    snprintf(f.properties.deviceName, sizeof f.properties.deviceName, "%s", name);
    f.properties.deviceType = type;
    f.families[0] = (VkQueueFamilyProperties){
        .queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 1, .timestampValidBits = 64};
    return f;
}

static void test_select(void)
{
    struct device_facts facts[] = {
        facts_of("llvmpipe (LLVM 15.0.6)", VK_PHYSICAL_DEVICE_TYPE_CPU),
        facts_of("Intel(R) Graphics", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU),
        facts_of("NVIDIA H200", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU),
        facts_of("NVIDIA H200", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU),
    };
    uint32_t i = 9;
    OK(device_plan_select(facts, 4, NULL, &i, err));
    CHECK(i == 2, "the first discrete one, not %u", i);
    OK(device_plan_select(facts, 2, "", &i, err));
    CHECK(i == 1, "then an integrated one");
    OK(device_plan_select(facts, 1, NULL, &i, err));
    CHECK(i == 0, "then the CPU");
    OK(device_plan_select(facts, 4, "3", &i, err));
    CHECK(i == 3, "by index");
    OK(device_plan_select(facts, 4, "LLVMPIPE", &i, err));
    CHECK(i == 0, "by a part of the name");
    OK(device_plan_select(facts, 4, "h200", &i, err));
    CHECK(i == 2, "the first of that name");
    FAILS(device_plan_select(facts, 4, "7", &i, err), VKR_NO_DEVICE,
          "has the index \"7\"; there are: 0: llvmpipe (LLVM 15.0.6), 1: Intel");
    FAILS(device_plan_select(facts, 4, "5", &i, err), VKR_NO_DEVICE, "has the index \"5\"");
    FAILS(device_plan_select(facts, 4, "200", &i, err), VKR_NO_DEVICE, "has the index \"200\"");
    OK(device_plan_select(facts, 4, "15.0", &i, err));
    CHECK(i == 0, "what is not a number is a part of the name");
    FAILS(device_plan_select(facts, 4, "radeon", &i, err), VKR_NO_DEVICE,
          "has a name with \"radeon\"");
    FAILS(device_plan_select(facts, 0, NULL, &i, err), VKR_NO_DEVICE, "no driver");
}

static void test_family(void)
{
    struct device_facts f = facts_of("x", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    uint32_t family = 9;
    f.nfamilies = 3;
    f.families[0] = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_GRAPHICS_BIT, .queueCount = 1};
    f.families[1] = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 1};
    f.families[2] = (VkQueueFamilyProperties){
        .queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 1, .timestampValidBits = 36};
    CHECK(device_plan_family(&f, &family) && family == 2, "one with timestamps, not %u", family);
    f.nfamilies = 2;
    CHECK(device_plan_family(&f, &family) && family == 1, "else one without");
    f.nfamilies = 1;
    CHECK(!device_plan_family(&f, &family), "else none");

    f.nfamilies = 4; /* as an H200 has them */
    const uint32_t flags[] = {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 0, VK_QUEUE_COMPUTE_BIT,
                              VK_QUEUE_COMPUTE_BIT};
    for (uint32_t i = 0; i < f.nfamilies; i++)
        f.families[i] = (VkQueueFamilyProperties){
            .queueFlags = flags[i], .queueCount = 1, .timestampValidBits = 64};
    CHECK(device_plan_family(&f, &family) && family == 0, "the first, not %u", family);
    f.driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    CHECK(device_plan_family(&f, &family) && family == 2, "NVIDIA's without graphics, not %u",
          family);
    f.families[2].timestampValidBits = f.families[3].timestampValidBits = 0;
    CHECK(device_plan_family(&f, &family) && family == 0, "times before that, not %u", family);
    f.families[0].queueCount = 0;
    CHECK(device_plan_family(&f, &family) && family == 2, "a queue before all, not %u", family);
}

static void add_type(struct device_facts *f, VkMemoryPropertyFlags flags, uint32_t heap)
{
    f->memory.memoryTypes[f->memory.memoryTypeCount++] = (VkMemoryType){flags, heap};
}

static void test_memory(void)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const VkMemoryPropertyFlags mapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    struct memory_choice choice;
    struct device_facts gpu = facts_of("gpu", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    gpu.memory.memoryHeapCount = 3;
    gpu.memory.memoryHeaps[0] = (VkMemoryHeap){8ull << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    gpu.memory.memoryHeaps[1] = (VkMemoryHeap){64ull << 30, 0};
    gpu.memory.memoryHeaps[2] = (VkMemoryHeap){256u << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    add_type(&gpu, 0, 1);
    add_type(&gpu, local, 0);
    add_type(&gpu, mapped, 1);
    add_type(&gpu, mapped | cached, 1);
    add_type(&gpu, local | mapped, 2);
    CHECK(device_plan_memory(&gpu, &choice) && choice.device == 1 && choice.upload == 2 &&
              choice.readback == 3 && !choice.is_mapped && !choice.direct_read &&
              !choice.direct_write,
          "a small window is not used");
    gpu.memory.memoryTypes[4].heapIndex = 0;
    CHECK(device_plan_memory(&gpu, &choice) && choice.device == 4 && choice.is_mapped &&
              choice.direct_read < choice.direct_write && choice.direct_write < UINT64_MAX,
          "a window onto all memory is");

    struct device_facts cpu = facts_of("cpu", VK_PHYSICAL_DEVICE_TYPE_CPU);
    cpu.memory.memoryHeapCount = 1;
    cpu.memory.memoryHeaps[0] = gpu.memory.memoryHeaps[0];
    add_type(&cpu, local | mapped, 0);
    add_type(&cpu, local | mapped | cached, 0);
    CHECK(device_plan_memory(&cpu, &choice) && choice.device == 1 &&
              choice.direct_read == UINT64_MAX && choice.direct_write == UINT64_MAX,
          "shared memory is used directly");
    cpu.memory.memoryTypeCount = 1;
    CHECK(device_plan_memory(&cpu, &choice) && choice.direct_read < UINT64_MAX &&
              choice.direct_write == UINT64_MAX,
          "uncached memory is not read directly");
    cpu.memory.memoryTypeCount = 0;
    CHECK(!device_plan_memory(&cpu, &choice), "no memory");
}

static void test_loop_limit(void)
{
    static const struct {
        VkDriverId id;
        const char *driver;
        bool has_limit;
    } rows[] = {
        {VK_DRIVER_ID_MESA_LLVMPIPE, "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", true},
        {VK_DRIVER_ID_MESA_LLVMPIPE, "llvmpipe Mesa 24.3.1", true},
        {VK_DRIVER_ID_MESA_LLVMPIPE, "llvmpipe Mesa 25.0.7-2 (LLVM 19.1.7)", false},
        {VK_DRIVER_ID_MESA_LLVMPIPE, "of another name", true},
        {0, "version 0x1", false},
        {VK_DRIVER_ID_NVIDIA_PROPRIETARY, "NVIDIA Mesa 22.3.6", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct device_facts f = facts_of("x", VK_PHYSICAL_DEVICE_TYPE_CPU);
        vkr_device_info info;
        f.driver_id = rows[i].id;
        snprintf(f.driver, sizeof f.driver, "%s", rows[i].driver);
        device_plan_info(&f, 0, &info);
        CHECK(info.has_loop_limit == rows[i].has_limit, "%s", rows[i].driver);
    }
}

/* Of a workgroup, whatever size the driver's granularity divides. */
static void test_group_matrices(void)
{
    const VkCooperativeMatrixFlexibleDimensionsPropertiesNV good = {
        .MGranularity = 32,
        .NGranularity = 32,
        .KGranularity = 16,
        .AType = VK_COMPONENT_TYPE_FLOAT16_KHR,
        .BType = VK_COMPONENT_TYPE_FLOAT16_KHR,
        .CType = VK_COMPONENT_TYPE_FLOAT32_KHR,
        .ResultType = VK_COMPONENT_TYPE_FLOAT32_KHR,
        .scope = VK_SCOPE_WORKGROUP_KHR,
        .workgroupInvocations = 256};
    const uint32_t f16 = 1u << VKB_MATRIX_F16_GROUP, bf16 = 1u << VKB_MATRIX_BF16_GROUP;
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV list[11];
    struct device_facts all = {0}, f;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV *has = &all.features.group_matrix;
    has->cooperativeMatrixWorkgroupScope = has->cooperativeMatrixFlexibleDimensions =
        has->cooperativeMatrixPerElementOperations = VK_TRUE;
    all.group_matrix.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize = 256;
    all.group_matrix.cooperativeMatrixFlexibleDimensionsMaxDimension = 256;
    all.group_matrix.cooperativeMatrixWorkgroupScopeReservedSharedMemory = 49152;
    all.properties.limits.maxComputeSharedMemorySize = 49152;
    for (int i = 0; i < 11; i++)
        list[i] = good;
    list[0].MGranularity = 96;
    list[1].NGranularity = 512;
    list[2].KGranularity = 128;
    list[3].KGranularity = 0;
    list[4].BType = VK_COMPONENT_TYPE_BFLOAT16_KHR;
    list[5].CType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    list[6].ResultType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    list[7].scope = VK_SCOPE_SUBGROUP_KHR;
    list[8].workgroupInvocations = 128;
    list[9].saturatingAccumulation = VK_TRUE;
    list[10].AType = list[10].BType = VK_COMPONENT_TYPE_BFLOAT16_KHR;
    for (uint32_t i = 0; i < 10; i++)
        CHECK(!device_plan_group_matrices(&all, &list[i], 1), "%u: is none", i);
    CHECK(device_plan_group_matrices(&all, list, 11) == bf16, "bf16");
    CHECK(device_plan_group_matrices(&all, &good, 1) == f16, "f16");
    for (int i = 0; i < 6; i++) {
        f = all;
        VkBool32 *off[] = {&f.features.group_matrix.cooperativeMatrixWorkgroupScope,
                           &f.features.group_matrix.cooperativeMatrixFlexibleDimensions,
                           &f.features.group_matrix.cooperativeMatrixPerElementOperations};
        uint32_t *less[] = {&f.group_matrix.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize,
                            &f.group_matrix.cooperativeMatrixFlexibleDimensionsMaxDimension,
                            &f.properties.limits.maxComputeSharedMemorySize};
        if (i < 3)
            *off[i] = VK_FALSE;
        else
            *less[i - 3] /= 2;
        CHECK(!device_plan_group_matrices(&f, &good, 1), "a device that lacks %d", i);
    }
    f = all;
    device_plan_keep_features(&f.features);
    CHECK(device_plan_group_matrices(&f, &good, 1) == f16, "what it needs is enabled");
}

/* Only what kernels use counts: f32 sums that a subgroup has, without saturation. */
static void test_matrices(void)
{
    const VkComponentTypeKHR f16 = VK_COMPONENT_TYPE_FLOAT16_KHR,
                             f32 = VK_COMPONENT_TYPE_FLOAT32_KHR,
                             bf16 = VK_COMPONENT_TYPE_BFLOAT16_KHR;
    const VkCooperativeMatrixPropertiesKHR good = {.MSize = 16,
                                                   .NSize = 16,
                                                   .KSize = 16,
                                                   .AType = f16,
                                                   .BType = f16,
                                                   .CType = f32,
                                                   .ResultType = f32,
                                                   .scope = VK_SCOPE_SUBGROUP_KHR};
    VkCooperativeMatrixPropertiesKHR list[8];
    for (int i = 0; i < 8; i++)
        list[i] = good;
    list[0].KSize = 8;
    list[1].BType = bf16;
    list[2].CType = f16;
    list[3].ResultType = f16;
    list[4].saturatingAccumulation = VK_TRUE;
    list[5].scope = (VkScopeKHR)2;
    list[6].MSize = 8;
    list[6].AType = list[6].BType = bf16;
    CHECK(device_plan_matrices(list, 6) == 0, "none of these");
    CHECK(device_plan_matrices(list, 7) == 1u << VKB_MATRIX_BF16_XE, "8 x 16 x 16");
    CHECK(device_plan_matrices(list, 8) == (1u << VKB_MATRIX_BF16_XE | 1u << VKB_MATRIX_F16_16),
          "and f16");
    CHECK(device_plan_matrices(NULL, 0) == 0, "nothing");
    CHECK(!strcmp(vkr_matrix_name(1u << VKB_MATRIX_F16_8), "f16:8x8x8") &&
              !vkr_matrix_name(1u << VKB_MATRICES) && !vkr_matrix_name(0),
          "words");
}

static void test_features(void)
{
    struct device_facts f = facts_of("x", VK_PHYSICAL_DEVICE_TYPE_CPU);
    CHECK(device_plan_features(&f) == 0, "nothing");
    f.features.base.features.shaderFloat64 = VK_TRUE;
    f.features.storage8.storageBuffer8BitAccess = VK_TRUE;
    CHECK(device_plan_features(&f) == VKB_FEATURE_F64, "8-bit storage needs 8-bit integers");
    f.features.float16_int8.shaderInt8 = VK_TRUE;
    f.floats.shaderRoundingModeRTEFloat64 = VK_TRUE;
    CHECK(device_plan_features(&f) ==
              (VKB_FEATURE_F64 | VKB_FEATURE_STORAGE8 | VKB_FEATURE_ROUND_NEAREST_64),
          "all three");
    f.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
    CHECK((device_plan_features(&f) & (VKB_FEATURE_FMA | VKB_FEATURE_COMPARE_32)) ==
              VKB_FEATURE_COMPARE_32,
          "a driver that compares right");
    f.driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    CHECK((device_plan_features(&f) & (VKB_FEATURE_FMA | VKB_FEATURE_COMPARE_32)) ==
              VKB_FEATURE_FMA,
          "a driver that fuses");
    f.subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    f.subgroup.supportedOperations = VK_SUBGROUP_FEATURE_BALLOT_BIT;
    f.subgroup.subgroupSize = 32;
    CHECK(device_plan_features(&f) & VKB_FEATURE_BALLOT_32, "ballots of 32");
    f.subgroup.subgroupSize = 64;
    CHECK(!(device_plan_features(&f) & VKB_FEATURE_BALLOT_32), "ballots of 64");
    f.subgroup.subgroupSize = 32;
    f.subgroup.supportedOperations = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    CHECK(!(device_plan_features(&f) & VKB_FEATURE_BALLOT_32), "no ballots");
    f.subgroup.supportedOperations = VK_SUBGROUP_FEATURE_BALLOT_BIT;
    f.subgroup.supportedStages = 0;
    CHECK(!(device_plan_features(&f) & VKB_FEATURE_BALLOT_32), "not in compute shaders");
    f.subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    f.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
    CHECK(!(device_plan_features(&f) & VKB_FEATURE_BALLOT_32),
          "a driver whose subgroups are not known");
    f.driver_id = 0;
    f.features.base.features.robustBufferAccess = VK_TRUE;
    f.features.base.features.geometryShader = VK_TRUE;
    device_plan_keep_features(&f.features);
    CHECK(!f.features.base.features.robustBufferAccess && !f.features.base.features.geometryShader,
          "only what is needed is enabled");
    CHECK(f.features.base.features.shaderFloat64 && f.features.storage8.storageBuffer8BitAccess,
          "and what is needed");

    f.properties.limits.maxPerStageDescriptorStorageBuffers = 32;
    f.features.indexing.descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE;
    CHECK(!device_plan_has_update_after_bind(&f), "too few");
    f.indexing.maxPerStageDescriptorUpdateAfterBindStorageBuffers = 32;
    f.indexing.maxDescriptorSetUpdateAfterBindStorageBuffers = 32;
    f.indexing.maxPerStageUpdateAfterBindResources = 32;
    CHECK(device_plan_has_update_after_bind(&f), "enough");
}

/* What every body needs, then whether each kernel has one. */
static vkr_status accepts(const vkr_device_info *info, const VkPhysicalDeviceLimits *limits,
                          const struct vkb_view *view, vkr_error *err)
{
    uint32_t taken[BUILDER_LIMIT];
    vkr_status status = device_plan_accepts(info, view, err);
    return status ? status : bodies_take(info, limits, view, false, true, taken, err);
}

static void test_accepts(void)
{
    size_t size;
    char text[200];
    struct vkb_view view;
    struct vkb_program *p;
    void *bundle = builder_add(1000, &size);
    CHECK(bundle_open(bundle, size, &view, text, sizeof text), "%s", text);
    p = (void *)((char *)bundle +
                 ((struct vkb_header *)bundle)->section[VKB_SECTION_PROGRAM].offset);
    VkPhysicalDeviceLimits limits = {.maxComputeWorkGroupSize = {64, 64, 64}};
    vkr_device_info info = {.name = "x",
                            .max_invocations = 64,
                            .max_bindings = 4,
                            .max_groups = {16, 1, 1},
                            .max_binding_bytes = 4000};
    OK(accepts(&info, &limits, &view, err));
    info.max_groups[0] = 15;
    FAILS(accepts(&info, &limits, &view, err), VKR_UNSUPPORTED,
          "workgroups on one axis 16, x has 15");
    info.max_groups[0] = 16, info.max_binding_bytes = 3999;
    FAILS(accepts(&info, &limits, &view, err), VKR_UNSUPPORTED, "storage buffer 4000");
    info.max_binding_bytes = 4000, info.max_bindings = 3;
    FAILS(accepts(&info, &limits, &view, err), VKR_UNSUPPORTED, "storage buffers per kernel");
    info.max_bindings = 4, limits.maxComputeWorkGroupSize[0] = 32;
    FAILS(accepts(&info, &limits, &view, err), VKR_UNSUPPORTED, "workgroup side");
    p->features = VKB_FEATURE_F64 | VKB_FEATURE_I64;
    info.features = VKB_FEATURE_I64;
    FAILS(accepts(&info, &limits, &view, err), VKR_UNSUPPORTED, "shaderFloat64");
    free(bundle);
}

static void test_script(void)
{
    size_t size;
    char text[200];
    struct vkb_view view;
    struct script script;
    void *bundle = builder_count(&size);
    CHECK(bundle_open(bundle, size, &view, text, sizeof text), "%s", text);
    OK(script_build(&view, false, &script, err));
    static const struct script_item wanted[] = {
        {SCRIPT_SUBMIT, 0, VKB_NONE, 1}, {SCRIPT_SUBMIT, 1, VKB_NONE, 1},
        {SCRIPT_UNLESS, 5, 3, 1},        {SCRIPT_SUBMIT, 2, VKB_NONE, 1},
        {SCRIPT_JUMP, 1, VKB_NONE, 1},   {SCRIPT_END, 0, VKB_NONE, 1},
    };
    CHECK(script.nitems == 6 && !memcmp(script.items, wanted, sizeof wanted), "a loop, in %u items",
          script.nitems);
    CHECK(script.nsegments == 3 && script.segments[1].predicate == 3 && script.is_steered &&
              !script.has_host_steps,
          "segments");
    script_finish(&script);
    free(bundle);
    bundle = builder_add(1, &size);
    CHECK(bundle_open(bundle, size, &view, text, sizeof text), "%s", text);
    OK(script_build(&view, false, &script, err));
    CHECK(script.nsegments == 1 && script.nitems == 2 && !script.is_steered &&
              script.segments[0].ndispatches == 1,
          "one segment");
    script_finish(&script);
    OK(script_build(&view, true, &script, err));
    CHECK(script.nsegments == 1 && script.nitems == 2 && script.is_steered,
          "one segment, which the host waits for");
    script_finish(&script);
    free(bundle);
}

static void test_budget(void)
{
    const VkMemoryPropertyFlags all = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const uint64_t gib = 1ull << 30;
    const struct {
        VkPhysicalDeviceType type;
        uint64_t heap, heap_free, host_free, budget;
    } cases[] = {
        /* more than the heap that Mesa makes up */
        {VK_PHYSICAL_DEVICE_TYPE_CPU, 2 * gib, 0, 16 * gib, 12 * gib},
        {VK_PHYSICAL_DEVICE_TYPE_CPU, 64 * gib, 0, 16 * gib, 12 * gib},
        {VK_PHYSICAL_DEVICE_TYPE_CPU, 2 * gib, 0, 0, 2 * gib}, /* who knows */
        {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, 8 * gib, 0, 16 * gib, 8 * gib},
        {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, 8 * gib, 6 * gib, 4 * gib, 3 * gib},
        {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 8 * gib, 0, 4 * gib, 8 * gib},
        {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 8 * gib, 5 * gib, 4 * gib, 5 * gib},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_facts f = facts_of("x", cases[i].type);
        f.memory.memoryHeapCount = 1;
        f.memory.memoryHeaps[0] = (VkMemoryHeap){cases[i].heap, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
        add_type(&f, all, 0);
        f.heap_free[0] = cases[i].heap_free;
        f.host_free = cases[i].host_free;
        CHECK(device_plan_budget(&f) == cases[i].budget, "case %zu: %llu", i,
              (unsigned long long)device_plan_budget(&f));
    }
}

/* A buffer in parts needs the program's parts to be no larger than the device's. */
static void test_accepts_parts(void)
{
    VkPhysicalDeviceLimits limits = {.maxComputeWorkGroupSize = {64, 64, 64}};
    vkr_device_info info = {.name = "x", .max_binding_bytes = 5000};
    struct vkb_program program = {.part_bytes = 4096};
    struct vkb_buffer buffer = {.bytes = 8192};
    struct vkb_view view = {.program = &program, .buffers = &buffer, .nbuffers = 1};
    OK(accepts(&info, &limits, &view, err));
    info.max_binding_bytes = 4095;
    FAILS(accepts(&info, &limits, &view, err), VKR_UNSUPPORTED,
          "part of a buffer 4096, x has 2048");
    program.part_bytes = 1024;
    OK(accepts(&info, &limits, &view, err));
}

int main(void)
{
    RUN(test_select());
    RUN(test_family());
    RUN(test_memory());
    RUN(test_budget());
    RUN(test_accepts_parts());
    RUN(test_features());
    RUN(test_loop_limit());
    RUN(test_matrices());
    RUN(test_group_matrices());
    RUN(test_accepts());
    RUN(test_script());
    return harness_report();
}
