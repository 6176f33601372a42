/* Times the products of 4096 x 4096 on matrix units that variants.py writes, and compares some
   elements of each with their value in f64: products FOLDER. A line of its table: time, TFLOP/s,
   registers, bytes of local memory (spills), shared memory, ms to make the pipeline, the largest
   error as a part of sum |a b|. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#include "runtime/vk/newer.h"

#define CHECK(call)                                              \
    do {                                                         \
        VkResult result_ = (call);                               \
        if (result_) {                                           \
            fprintf(stderr, "%s returned %d\n", #call, result_); \
            exit(1);                                             \
        }                                                        \
    } while (0)

enum { N = 4096, MOST = 256, THREADS = 8, SAMPLES = 300, AT_ONCE = 30, WARM_SECONDS = 3 };
enum { F16, BF16, F32 };
static const VkDeviceSize OPERAND_BYTES = 2ull * N * N, RESULT_BYTES = 4ull * N * N;

struct variant {
    char name[96], path[512];
    uint32_t groups, operands, result;
    uint32_t low[2]; /* rows and columns from a tile to that of its lower halves; 0: none */
    bool is_column;
    VkPipeline pipeline; /* NULL: the driver has none */
    double made_ms;
    uint64_t registers, local_bytes, shared_bytes;
};

struct buffer {
    VkBuffer buffer;
    void *mapped;
};

static VkDevice device;
static VkQueue queue;
static VkPhysicalDevice physical;
static VkPipelineLayout layout;
static VkCommandBuffer commands;
static VkQueryPool times;
static VkFence fence;
static double tick_s;
static struct variant variants[MOST];
static uint32_t nvariants, next_variant;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- numbers ---- */

static float of_f16(uint16_t h)
{
    uint32_t exponent = h >> 10 & 31;
    float x = exponent ? ldexpf(1024 + (float)(h & 1023), (int)exponent - 25)
                       : ldexpf((float)(h & 1023), -24);
    return h >> 15 ? -x : x;
}

static float of_bf16(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Evenly between -1 and 1, in either type: of f16 what lies under 2^-14 is 0. */
static uint16_t random_bits(uint32_t i, uint32_t type)
{
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    float x = (float)((int32_t)((i ^ i >> 16) >> 8) - (1 << 23)) / (1 << 23);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (type == BF16)
        return (uint16_t)(bits >> 16);
    int32_t exponent = (int32_t)(bits >> 23 & 255) - 112;
    return exponent < 1 ? 0
                        : (uint16_t)((bits >> 16 & 0x8000u) | (uint32_t)exponent << 10 |
                                     (bits >> 13 & 1023));
}

static uint16_t operand(uint32_t side, uint32_t at, uint32_t type)
{
    return random_bits(at + side * 0x9e3779b9u, type);
}

/* ---- the device ---- */

static void make_device(void)
{
    uint32_t one = 1;
    float priority = 1;
    VkInstance instance;
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app};
    CHECK(vkCreateInstance(&info, NULL, &instance));
    vkEnumeratePhysicalDevices(instance, &one, &physical);
    VkPhysicalDeviceProperties p;
    vkGetPhysicalDeviceProperties(physical, &p);
    tick_s = p.limits.timestampPeriod * 1e-9;
    printf("%s, driver 0x%x\n", p.deviceName, p.driverVersion);
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bf16 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR, NULL, 1, 0, 1};
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV two = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
        .pNext = &bf16,
        .cooperativeMatrixWorkgroupScope = 1,
        .cooperativeMatrixFlexibleDimensions = 1,
        .cooperativeMatrixConversions = 1,
        .cooperativeMatrixTensorAddressing = 1};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, &two, 1, 0};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, &matrix, 1};
    VkPhysicalDeviceVulkan12Features core12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &executable,
        .shaderFloat16 = 1,
        .vulkanMemoryModel = 1};
    VkPhysicalDeviceVulkan11Features core11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        .pNext = &core12,
        .storageBuffer16BitAccess = 1};
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    const char *extensions[] = {"VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix2",
                                "VK_KHR_shader_bfloat16", "VK_KHR_pipeline_executable_properties"};
    VkDeviceCreateInfo d = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                            .pNext = &core11,
                            .queueCreateInfoCount = 1,
                            .pQueueCreateInfos = &queues,
                            .enabledExtensionCount = sizeof extensions / sizeof *extensions,
                            .ppEnabledExtensionNames = extensions};
    CHECK(vkCreateDevice(physical, &d, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
}

static struct buffer make_buffer(VkDeviceSize bytes, bool is_mapped)
{
    struct buffer b = {0};
    VkMemoryRequirements r;
    VkPhysicalDeviceMemoryProperties memory;
    VkDeviceMemory block;
    VkFlags wanted =
        is_mapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                  : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = bytes,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    CHECK(vkCreateBuffer(device, &info, NULL, &b.buffer));
    vkGetBufferMemoryRequirements(device, b.buffer, &r);
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    uint32_t type = 0;
    while (!(r.memoryTypeBits >> type & 1) ||
           (memory.memoryTypes[type].propertyFlags & wanted) != wanted)
        type++;
    VkMemoryAllocateInfo a = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                              .allocationSize = r.size,
                              .memoryTypeIndex = type};
    CHECK(vkAllocateMemory(device, &a, NULL, &block));
    CHECK(vkBindBufferMemory(device, b.buffer, block, 0));
    if (is_mapped)
        CHECK(vkMapMemory(device, block, 0, bytes, 0, &b.mapped));
    return b;
}

static void begin(void)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &info));
}

static void run(void)
{
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &commands};
    CHECK(vkEndCommandBuffer(commands));
    CHECK(vkQueueSubmit(queue, 1, &info, fence));
    CHECK(vkWaitForFences(device, 1, &fence, 1, UINT64_MAX));
    CHECK(vkResetFences(device, 1, &fence));
}

static void make_commands(void)
{
    VkCommandPool pool;
    VkCommandPoolCreateInfo p = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                 .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    CHECK(vkCreateCommandPool(device, &p, NULL, &pool));
    VkCommandBufferAllocateInfo c = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                     .commandPool = pool,
                                     .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(device, &c, &commands));
    VkFenceCreateInfo f = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(device, &f, NULL, &fence));
    VkQueryPoolCreateInfo q = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                               .queryType = VK_QUERY_TYPE_TIMESTAMP,
                               .queryCount = 2};
    CHECK(vkCreateQueryPool(device, &q, NULL, &times));
}

/* A set for each type of operands. */
static void make_sets(struct buffer in[2][2], const struct buffer *out, VkDescriptorSet *sets)
{
    VkDescriptorSetLayoutBinding b[3];
    for (uint32_t i = 0; i < 3; i++)
        b[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                              VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo s = {.sType =
                                             VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                         .bindingCount = 3,
                                         .pBindings = b};
    VkDescriptorSetLayout set_layout[2];
    CHECK(vkCreateDescriptorSetLayout(device, &s, NULL, &set_layout[0]));
    set_layout[1] = set_layout[0];
    VkPipelineLayoutCreateInfo l = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                    .setLayoutCount = 1,
                                    .pSetLayouts = set_layout};
    CHECK(vkCreatePipelineLayout(device, &l, NULL, &layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 6};
    VkDescriptorPoolCreateInfo p = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                    .maxSets = 2,
                                    .poolSizeCount = 1,
                                    .pPoolSizes = &size};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &p, NULL, &pool));
    VkDescriptorSetAllocateInfo a = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                     .descriptorPool = pool,
                                     .descriptorSetCount = 2,
                                     .pSetLayouts = set_layout};
    CHECK(vkAllocateDescriptorSets(device, &a, sets));
    for (uint32_t type = 0; type < 2; type++) {
        VkDescriptorBufferInfo i[3] = {{in[type][0].buffer, 0, VK_WHOLE_SIZE},
                                       {in[type][1].buffer, 0, VK_WHOLE_SIZE},
                                       {out->buffer, 0, VK_WHOLE_SIZE}};
        VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = sets[type],
                                  .descriptorCount = 3,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = i};
        vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
    }
}

/* ---- pipelines ---- */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the driver tells of it, by NVIDIA's names; 0 where it tells nothing. */
static void read_statistics(struct variant *v)
{
    PFN_vkGetPipelineExecutableStatisticsKHR get =
        (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(
            device, "vkGetPipelineExecutableStatisticsKHR");
    VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                        .pipeline = v->pipeline};
    VkPipelineExecutableStatisticKHR s[32];
    uint32_t n = 32;
    for (uint32_t i = 0; i < n; i++)
        s[i] = (VkPipelineExecutableStatisticKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    if (get(device, &info, &n, s) < 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *to = !strcmp(s[i].name, "Register Count")       ? &v->registers
                       : !strcmp(s[i].name, "Local Memory Size")  ? &v->local_bytes
                       : !strcmp(s[i].name, "Shared Memory Size") ? &v->shared_bytes
                                                                  : NULL;
        if (to)
            *to = s[i].value.u64 & UINT32_MAX; /* of local memory the upper half is none */
    }
}

static void make_pipeline(struct variant *v)
{
    static _Thread_local uint32_t code[1 << 17];
    FILE *f = fopen(v->path, "rb");
    size_t bytes = f ? fread(code, 1, sizeof code, f) : 0;
    if (f)
        fclose(f);
    VkShaderModule module;
    VkShaderModuleCreateInfo m = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    CHECK(vkCreateShaderModule(device, &m, NULL, &module));
    VkComputePipelineCreateInfo p = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout};
    double from = now_s();
    if (vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &p, NULL, &v->pipeline))
        v->pipeline = VK_NULL_HANDLE;
    v->made_ms = 1e3 * (now_s() - from);
    if (v->pipeline)
        read_statistics(v);
}

static void *make_pipelines(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&mutex);
        uint32_t i = next_variant++;
        pthread_mutex_unlock(&mutex);
        if (i >= nvariants)
            return NULL;
        make_pipeline(&variants[i]);
    }
}

/* ---- runs ---- */

/* *Returns* seconds of one of `count` dispatches. */
static double dispatch(const struct variant *v, const VkDescriptorSet *sets, uint32_t count)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                         .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                         .dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT};
    uint64_t at[2];
    begin();
    vkCmdResetQueryPool(commands, times, 0, 2);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, v->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                            &sets[v->operands], 0, NULL);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, 0);
    for (uint32_t i = 0; i < count; i++) {
        vkCmdDispatch(commands, v->groups, 1, 1);
        vkCmdPipelineBarrier(commands, stage, stage, 0, 1, &b, 0, NULL, 0, NULL);
    }
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, 1);
    run();
    CHECK(vkGetQueryPoolResults(device, times, 0, 2, sizeof at, at, sizeof *at,
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    return (double)(at[1] - at[0]) * tick_s / count;
}

static double result_at(const void *results, size_t at, uint32_t type)
{
    const uint16_t *halves = results;
    return type == F32   ? ((const float *)results)[at]
           : type == F16 ? of_f16(halves[at])
                         : of_bf16(halves[at]);
}

/* Adds the terms of an element to *sum, and their magnitudes to *size. */
static void add_terms(const struct variant *v, uint32_t row, uint32_t column, double *sum,
                      double *size)
{
    float (*value)(uint16_t) = v->operands == BF16 ? of_bf16 : of_f16;
    for (uint32_t k = 0; k < N; k++) {
        uint32_t at = v->is_column ? column * N + k : k * N + column;
        double x = value(operand(0, row * N + k, v->operands)),
               y = value(operand(1, at, v->operands));
        *sum += x * y;
        *size += fabs(x * y);
    }
}

/* *Returns* the largest error of some elements, as a part of sum |a b|. */
static double error_of(const struct variant *v, const void *results)
{
    double worst = 0;
    for (uint32_t s = 0; s < SAMPLES; s++) {
        uint32_t row = s * 1021u % N, column = (s * 3217u + s / 7) % N;
        double sum = 0, size = 0;
        add_terms(v, row, column, &sum, &size);
        if (v->low[0]) {
            add_terms(v, row, (column + v->low[1]) % N, &sum, &size);
            add_terms(v, (row + v->low[0]) % N, column, &sum, &size);
        }
        double error = fabs(result_at(results, (size_t)row * N + column, v->result) - sum) / size;
        worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    return worst;
}

static void measure(const struct variant *v, const VkDescriptorSet *sets, const struct buffer *out,
                    const struct buffer *host)
{
    const double bounds[] = {[F16] = 2e-4, [BF16] = 2e-3, [F32] = 1e-5};
    if (!v->pipeline) {
        printf("%-58s no pipeline\n", v->name);
        return;
    }
    begin();
    vkCmdFillBuffer(commands, out->buffer, 0, VK_WHOLE_SIZE, UINT32_MAX); /* NaN in each type */
    run();
    double best = dispatch(v, sets, 1);
    for (uint32_t i = 0, count = best > 3e-3 ? 1 : AT_ONCE; i < 4; i++) {
        double s = dispatch(v, sets, count);
        best = s < best ? s : best;
    }
    VkBufferCopy whole = {0, 0, v->result == F32 ? RESULT_BYTES : OPERAND_BYTES};
    begin();
    vkCmdCopyBuffer(commands, out->buffer, host->buffer, 1, &whole);
    run();
    bool sums_f16 = strstr(v->name, "_f16_f16_f16_") != NULL;
    double error = error_of(v, host->mapped), bound = sums_f16 ? 1e-3 : bounds[v->result];
    printf("%-58s %8.1f us %6.1f TFLOP/s %4llu regs %6llu local %6llu shared %5.0f ms %8.1e %s\n",
           v->name, 1e6 * best, 2e-12 * N * N * N / best, (unsigned long long)v->registers,
           (unsigned long long)v->local_bytes, (unsigned long long)v->shared_bytes, v->made_ms,
           error, error <= bound ? "right" : "WRONG");
}

static uint32_t type_of(const char *name)
{
    return !strcmp(name, "f16") ? F16 : !strcmp(name, "bf16") ? BF16 : F32;
}

static bool read_list(const char *folder)
{
    char path[400], file[64], operands[8], result[8], right[8];
    snprintf(path, sizeof path, "%s/list", folder);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    struct variant *v = variants;
    while (nvariants < MOST &&
           fscanf(f, "%95s %63s %u %7s %7s %7s %u %u", v->name, file, &v->groups, operands, result,
                  right, &v->low[0], &v->low[1]) == 8) {
        snprintf(v->path, sizeof v->path, "%.400s/%s", folder, file);
        v->operands = type_of(operands);
        v->result = type_of(result);
        v->is_column = !strcmp(right, "column");
        v = &variants[++nvariants];
    }
    fclose(f);
    return nvariants > 0;
}

static void upload(const struct buffer *host, const struct buffer *to, uint32_t type, uint32_t side)
{
    VkBufferCopy whole = {0, 0, OPERAND_BYTES};
    uint16_t *p = host->mapped;
    for (uint32_t i = 0; i < (uint32_t)N * N; i++)
        p[i] = operand(side, i, type);
    begin();
    vkCmdCopyBuffer(commands, host->buffer, to->buffer, 1, &whole);
    run();
}

int main(int argc, char **argv)
{
    struct buffer in[2][2];
    VkDescriptorSet sets[2];
    pthread_t threads[THREADS];
    if (argc != 2 || !read_list(argv[1])) {
        fprintf(stderr, "products FOLDER, which variants.py has filled\n");
        return 2;
    }
    make_device();
    make_commands();
    struct buffer host = make_buffer(RESULT_BYTES, true), out = make_buffer(RESULT_BYTES, false);
    for (uint32_t type = 0; type < 2; type++)
        for (uint32_t side = 0; side < 2; side++) {
            in[type][side] = make_buffer(OPERAND_BYTES, false);
            upload(&host, &in[type][side], type, side);
        }
    make_sets(in, &out, sets);
    for (uint32_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, make_pipelines, NULL))
            return 1;
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    /* Right after a rest the same form took 4.5 times as long. */
    for (double from = now_s(); variants[0].pipeline && now_s() - from < WARM_SECONDS;)
        dispatch(&variants[0], sets, AT_ONCE);
    for (uint32_t i = 0; i < nvariants; i++)
        measure(&variants[i], sets, &out, &host);
    return 0;
}
