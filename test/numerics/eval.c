/* Runs a shader of shaders/math natively (as C++) or on a Vulkan device. */
#include <dlfcn.h>
#include <shaderc/shaderc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "compose.h"

enum { BATCH = 1 << 20, GROUP = 64 };

const struct elem_info elems[ELEM_COUNT] = {
    [F32] = {"f32", "float", "float", 4, true},
    [F64] = {"f64", "double", "double", 8, true},
    [S32] = {"s32", "int", "int", 4, false},
    [U32] = {"u32", "uint", "uint", 4, false},
    [S64] = {"s64", "int64_t", "int64_t", 8, false},
    [U64] = {"u64", "uint64_t", "uint64_t", 8, false},
    [C64] = {"c64", "vec2", "vec2", 8, true},
    [C128] = {"c128", "dvec2", "dvec2", 16, true},
};

static bool wide_int(enum elem e)
{
    return e == S64 || e == U64;
}
static bool wide_float(enum elem e)
{
    return e == F64 || e == C128;
}

/* ---- devices ---- */

struct device {
    bool native, controls, fma, flushes;
    char name[512];
    bool f64, i64;
    bool denorm32, denorm64, szin32, szin64, rte32, rte64;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkFence fence;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool sets;
    VkDescriptorSet set;
    VkBuffer buffers[3];
    VkDeviceMemory memories[3];
    void *maps[3];
};

struct kernel {
    struct device *device;
    const struct row *row;
    void *library;
    void (*fn)(const void *, const void *, void *, size_t);
    VkShaderModule module;
    VkPipeline pipeline;
};

#define VK(call)                                      \
    do {                                              \
        VkResult vk_result = (call);                  \
        if (vk_result != VK_SUCCESS)                  \
            DIE("%s: VkResult %d", #call, vk_result); \
    } while (0)

static uint32_t list_devices(VkInstance *out_instance, VkPhysicalDevice list[16])
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_2};
    VK(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &app},
                        NULL, out_instance));
    uint32_t count = 16;
    vkEnumeratePhysicalDevices(*out_instance, &count, list);
    return count;
}

unsigned device_count(void)
{
    VkInstance instance;
    VkPhysicalDevice list[16];
    uint32_t count = list_devices(&instance, list);
    vkDestroyInstance(instance, NULL);
    return count;
}

static void open_vulkan(struct device *d, unsigned index)
{
    VkPhysicalDevice list[16];
    uint32_t count = list_devices(&d->instance, list);
    if (index >= count) {
        printf("no Vulkan device %u\n", index);
        exit(77);
    }
    d->physical = list[index];
    VkPhysicalDeviceFloatControlsProperties fc = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &fc};
    VkPhysicalDeviceProperties2 props = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &driver};
    vkGetPhysicalDeviceProperties2(d->physical, &props);
    snprintf(d->name, sizeof d->name, "%s, %.100s %.60s", props.properties.deviceName,
             driver.driverName, driver.driverInfo);
    /* as runtime/device_plan.c has it */
    d->flushes = driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    d->fma |= d->flushes;
    d->denorm32 = fc.shaderDenormPreserveFloat32;
    d->denorm64 = fc.shaderDenormPreserveFloat64;
    d->szin32 = fc.shaderSignedZeroInfNanPreserveFloat32;
    d->szin64 = fc.shaderSignedZeroInfNanPreserveFloat64;
    d->rte32 = fc.shaderRoundingModeRTEFloat32;
    d->rte64 = fc.shaderRoundingModeRTEFloat64;
    VkPhysicalDeviceFeatures have;
    vkGetPhysicalDeviceFeatures(d->physical, &have);
    d->f64 = have.shaderFloat64;
    d->i64 = have.shaderInt64;
    uint32_t families = 16, family = 0;
    VkQueueFamilyProperties qf[16];
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &families, qf);
    while (family < families && !(qf[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        family++;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkPhysicalDeviceFeatures want = {.shaderFloat64 = have.shaderFloat64,
                                     .shaderInt64 = have.shaderInt64};
    VK(vkCreateDevice(d->physical,
                      &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue,
                                            .pEnabledFeatures = &want},
                      NULL, &d->device));
    vkGetDeviceQueue(d->device, family, 0, &d->queue);
    VK(vkCreateCommandPool(
        d->device,
        &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                   .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                   .queueFamilyIndex = family},
        NULL, &d->pool));
    VK(vkAllocateCommandBuffers(
        d->device,
        &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .commandPool = d->pool,
                                       .commandBufferCount = 1},
        &d->cmd));
    VK(vkCreateFence(d->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO},
                     NULL, &d->fence));

    VkDescriptorSetLayoutBinding b[3];
    for (uint32_t i = 0; i < 3; i++)
        b[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                              .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                              .descriptorCount = 1,
                                              .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VK(vkCreateDescriptorSetLayout(d->device,
                                   &(VkDescriptorSetLayoutCreateInfo){
                                       .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                       .bindingCount = 3,
                                       .pBindings = b},
                                   NULL, &d->set_layout));
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
    VK(vkCreatePipelineLayout(
        d->device,
        &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .setLayoutCount = 1,
                                      .pSetLayouts = &d->set_layout,
                                      .pushConstantRangeCount = 1,
                                      .pPushConstantRanges = &range},
        NULL, &d->layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3};
    VK(vkCreateDescriptorPool(
        d->device,
        &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .maxSets = 1,
                                      .poolSizeCount = 1,
                                      .pPoolSizes = &size},
        NULL, &d->sets));
    VK(vkAllocateDescriptorSets(
        d->device,
        &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = d->sets,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &d->set_layout},
        &d->set));

    VkPhysicalDeviceMemoryProperties mem;
    vkGetPhysicalDeviceMemoryProperties(d->physical, &mem);
    for (uint32_t i = 0; i < 3; i++) {
        VkDeviceSize bytes = (VkDeviceSize)BATCH * 16;
        VK(vkCreateBuffer(d->device,
                          &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                .size = bytes,
                                                .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT},
                          NULL, &d->buffers[i]));
        VkMemoryRequirements need;
        vkGetBufferMemoryRequirements(d->device, d->buffers[i], &need);
        VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                              cached = host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
        uint32_t t = 0;
        while (t < mem.memoryTypeCount && !((need.memoryTypeBits >> t & 1) &&
                                            (mem.memoryTypes[t].propertyFlags & cached) == cached))
            t++;
        for (; t == mem.memoryTypeCount;)
            for (t = 0; !((need.memoryTypeBits >> t & 1) &&
                          (mem.memoryTypes[t].propertyFlags & host) == host);
                 t++)
                ;
        VK(vkAllocateMemory(d->device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .allocationSize = need.size,
                                                    .memoryTypeIndex = t},
                            NULL, &d->memories[i]));
        VK(vkBindBufferMemory(d->device, d->buffers[i], d->memories[i], 0));
        VK(vkMapMemory(d->device, d->memories[i], 0, VK_WHOLE_SIZE, 0, &d->maps[i]));
        VkDescriptorBufferInfo info = {d->buffers[i], 0, VK_WHOLE_SIZE};
        vkUpdateDescriptorSets(
            d->device, 1,
            &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = d->set,
                                    .dstBinding = i,
                                    .descriptorCount = 1,
                                    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                    .pBufferInfo = &info},
            0, NULL);
    }
}

struct device *device_open(const char *what, bool controls, bool fma)
{
    struct device *d = calloc(1, sizeof *d);
    d->controls = controls;
    d->fma = fma;
    if (!strcmp(what, "native")) {
        d->native = d->f64 = d->i64 = true;
        d->flushes = fma;
        snprintf(d->name, sizeof d->name, "native");
        return d;
    }
    if (strncmp(what, "vk:", 3))
        DIE("%s: a device is native or vk:N", what);
    open_vulkan(d, (unsigned)atoi(what + 3));
    return d;
}

const char *device_name(const struct device *d)
{
    return d->name;
}

bool device_flushes(const struct device *d)
{
    return d->flushes;
}
bool device_fuses(const struct device *d)
{
    return d->fma;
}

bool device_has(const struct device *d, enum elem e)
{
    return !(wide_float(e) && !d->f64) && !(wide_int(e) && !d->i64);
}

void device_close(struct device *d)
{
    if (!d->native) {
        for (int i = 0; i < 3; i++) {
            vkDestroyBuffer(d->device, d->buffers[i], NULL);
            vkFreeMemory(d->device, d->memories[i], NULL);
        }
        vkDestroyDescriptorPool(d->device, d->sets, NULL);
        vkDestroyPipelineLayout(d->device, d->layout, NULL);
        vkDestroyDescriptorSetLayout(d->device, d->set_layout, NULL);
        vkDestroyFence(d->device, d->fence, NULL);
        vkDestroyCommandPool(d->device, d->pool, NULL);
        vkDestroyDevice(d->device, NULL);
        vkDestroyInstance(d->instance, NULL);
    }
    free(d);
}

/* ---- kernels ---- */

/* `out float x` becomes `float &x`, and the suffix of double literals goes. */
static void add_as_cpp(struct text *t, const char *s)
{
    while (*s) {
        if ((!strncmp(s, "out ", 4) || !strncmp(s, "inout ", 6)) && t->len &&
            (t->bytes[t->len - 1] == 0x20 || t->bytes[t->len - 1] == 0x28)) {
            s += *s == 0x6f ? 4 : 6;
            size_t n = strcspn(s, " ");
            text_add(t, s, n);
            text_puts(t, " &");
            s += n + 1;
        } else if (!strncmp(s, "lf", 2) && s[-1] >= '0' && s[-1] <= '9') {
            s += 2;
        } else if (*s >= '0' && *s <= '9' && t->len &&
                   !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.",
                           t->bytes[t->len - 1])) {
            char *end;
            strtod(s, &end);
            size_t n = strspn(s, "0123456789"), len = (size_t)(end - s);
            bool is_float = s[1] != 'x' && (s[n] == '.' || s[n] == 'e');
            text_add(t, s, is_float ? len : strspn(s, "0123456789abcdefABCDEFxu"));
            s += is_float ? len : strspn(s, "0123456789abcdefABCDEFxu");
            if (is_float && strncmp(s, "lf", 2))
                text_puts(t, "f");
        } else {
            text_add(t, s++, 1);
        }
    }
}

static void create_native(struct kernel *k, struct files *f, const char *prelude)
{
    struct text t = {0};
    if (k->device->fma)
        text_puts(&t, "#define NX_FMA fma\n");
    text_puts(&t, "#include \"glsl_as_cpp.h\"\n");
    text_puts(&t, prelude);
    text_puts(&t, "namespace {\n");
    add_as_cpp(&t, f->text.bytes);
    const struct row *r = k->row;
    char tail[1024];
    enum elem in1 = r->in[1] ? r->in[1] : r->in[0];
    snprintf(
        tail, sizeof tail,
        "}\nextern \"C\" void run(const void *pa, const void *pb, void *pr, size_t n) {\n"
        "const %s *va = (const %s *)pa; const %s *vb = (const %s *)pb; %s *vr = (%s *)pr;\n"
        "for (size_t i = 0; i < n; i++) { %s a = va[i]; int q; (void)q; %s %s vr[i] = %s; } }\n",
        elems[r->in[0]].glsl, elems[r->in[0]].glsl, elems[in1].glsl, elems[in1].glsl,
        elems[r->out].glsl, elems[r->out].glsl, elems[r->in[0]].glsl, elems[in1].glsl,
        r->in[1] ? "b = vb[i];" : "b; (void)b;", r->call);
    text_puts(&t, tail);
    char base[64], path[96], command[512];
    static int serial;
    snprintf(base, sizeof base, "/tmp/numerics-%d-%d", (int)getpid(), serial++);
    snprintf(path, sizeof path, "%s.cpp", base);
    FILE *out = fopen(path, "w");
    if (!out || fputs(t.bytes, out) < 0 || fclose(out))
        DIE("%s: cannot write", path);
    snprintf(command, sizeof command,
             "${CXX:-c++} -w -O2 %s -fno-fast-math -ffp-contract=off -fwrapv "
             "-fsanitize=shift-exponent -fsanitize-undefined-trap-on-error "
             "-shared -fPIC -Itest/numerics -o %s.so %s",
             k->device->fma ? "-march=native" : "", base, path);
    if (system(command))
        DIE("%s: does not compile as C++", r->name);
    snprintf(path, sizeof path, "%s.so", base);
    if (!(k->library = dlopen(path, RTLD_NOW)))
        DIE("%s", dlerror());
    *(void **)&k->fn = dlsym(k->library, "run");
    unlink(path);
    snprintf(path, sizeof path, "%s.cpp", base);
    unlink(path);
    free(t.bytes);
}

static void execution_mode(struct text *t, bool have, int capability, int mode, int width)
{
    char line[256];
    snprintf(
        line, sizeof line,
        "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [%d], %d, %d);\n",
        capability, mode, width);
    if (have)
        text_puts(t, line);
}

static void create_vulkan(struct kernel *k, struct files *f, const char *prelude)
{
    const struct row *r = k->row;
    struct device *d = k->device;
    struct text t = {0};
    text_puts(&t, "#version 450\n#extension GL_EXT_spirv_intrinsics : enable\n");
    bool i64 = f->i64 || wide_int(r->in[0]) || wide_int(r->out),
         f64 = f->f64 || wide_float(r->in[0]) || wide_float(r->out);
    if (i64)
        text_puts(&t, "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n");
    if (d->controls) {
        execution_mode(&t, d->denorm32, 4464, 4459, 32);
        execution_mode(&t, d->szin32, 4466, 4461, 32);
        execution_mode(&t, d->rte32, 4467, 4462, 32);
        execution_mode(&t, f64 && d->denorm64, 4464, 4459, 64);
        execution_mode(&t, f64 && d->szin64, 4466, 4461, 64);
        execution_mode(&t, f64 && d->rte64, 4467, 4462, 64);
    }
    if (d->fma)
        text_puts(&t, "#define NX_FMA fma\n");
    text_puts(&t, prelude);
    text_puts(&t, f->text.bytes);
    char tail[1024];
    enum elem in1 = r->in[1] ? r->in[1] : r->in[0];
    snprintf(tail, sizeof tail,
             "layout(local_size_x = %d) in;\n"
             "layout(push_constant) uniform P { uint count; };\n"
             "layout(std430, binding = 0) readonly buffer A { %s va[]; };\n"
             "layout(std430, binding = 1) readonly buffer B { %s vb[]; };\n"
             "layout(std430, binding = 2) writeonly buffer R { %s vr[]; };\n"
             "void main() { uint i = gl_GlobalInvocationID.x; if (i >= count) return;\n"
             "%s a = va[i]; %s b = vb[i]; int q; vr[i] = %s; }\n",
             GROUP, elems[r->in[0]].buffer, elems[in1].buffer, elems[r->out].buffer,
             elems[r->in[0]].glsl, elems[in1].glsl, r->call);
    text_puts(&t, tail);
    static shaderc_compiler_t compiler;
    if (!compiler)
        compiler = shaderc_compiler_initialize();
    shaderc_compile_options_t options = shaderc_compile_options_initialize();
    shaderc_compile_options_set_optimization_level(options, shaderc_optimization_level_zero);
    shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan,
                                           shaderc_env_version_vulkan_1_2);
    shaderc_compilation_result_t result = shaderc_compile_into_spv(
        compiler, t.bytes, t.len, shaderc_compute_shader, r->name, "main", options);
    if (shaderc_result_get_compilation_status(result) != shaderc_compilation_status_success)
        DIE("%s\n%s", t.bytes, shaderc_result_get_error_message(result));
    VK(vkCreateShaderModule(
        d->device,
        &(VkShaderModuleCreateInfo){
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
            .codeSize = shaderc_result_get_length(result),
            .pCode = (const uint32_t *)(const void *)shaderc_result_get_bytes(result)},
        NULL, &k->module));
    VK(vkCreateComputePipelines(
        d->device, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = k->module,
                      .pName = "main"},
            .layout = d->layout},
        NULL, &k->pipeline));
    shaderc_result_release(result);
    shaderc_compile_options_release(options);
    free(t.bytes);
}

struct kernel *kernel_create(struct device *d, const struct row *r)
{
    struct kernel *k = calloc(1, sizeof *k);
    k->device = d;
    k->row = r;
    struct files f = {0};
    text_puts(&f.text, "");
    add_calls(&f, r);
    if (!f.count && strstr(r->call, "nx_")) {
        free(f.text.bytes);
        free(k);
        return NULL;
    }
    const char *prelude = template_text("prelude.glsl");
    if (d->native)
        create_native(k, &f, prelude);
    else
        create_vulkan(k, &f, prelude);
    for (int i = 0; i < f.count; i++)
        free(f.seen[i]);
    free(f.text.bytes);
    return k;
}

static void run_batch(struct kernel *k, const char *a, const char *b, char *out, size_t n)
{
    struct device *d = k->device;
    const struct row *r = k->row;
    memcpy(d->maps[0], a, n * elems[r->in[0]].bytes);
    if (r->in[1])
        memcpy(d->maps[1], b, n * elems[r->in[1]].bytes);
    uint32_t count = (uint32_t)n;
    VK(vkBeginCommandBuffer(
        d->cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    vkCmdBindPipeline(d->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k->pipeline);
    vkCmdBindDescriptorSets(d->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, d->layout, 0, 1, &d->set, 0,
                            NULL);
    vkCmdPushConstants(d->cmd, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &count);
    vkCmdDispatch(d->cmd, (count + GROUP - 1) / GROUP, 1, 1);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(d->cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &barrier, 0, NULL, 0, NULL);
    VK(vkEndCommandBuffer(d->cmd));
    VK(vkQueueSubmit(d->queue, 1,
                     &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                     .commandBufferCount = 1,
                                     .pCommandBuffers = &d->cmd},
                     d->fence));
    VK(vkWaitForFences(d->device, 1, &d->fence, VK_TRUE, UINT64_MAX));
    VK(vkResetFences(d->device, 1, &d->fence));
    memcpy(out, d->maps[2], n * elems[r->out].bytes);
}

bool kernel_run(struct kernel *k, const void *a, const void *b, void *out, size_t count)
{
    const struct row *r = k->row;
    if (k->device->native) {
        k->fn(a, b, out, count);
        return true;
    }
    for (size_t i = 0; i < count; i += BATCH) {
        size_t n = count - i < BATCH ? count - i : BATCH;
        run_batch(k, (const char *)a + i * elems[r->in[0]].bytes,
                  (const char *)b + (r->in[1] ? i * elems[r->in[1]].bytes : 0),
                  (char *)out + i * elems[r->out].bytes, n);
    }
    return true;
}

void kernel_destroy(struct kernel *k)
{
    if (k->library)
        dlclose(k->library);
    if (k->pipeline) {
        vkDestroyPipeline(k->device->device, k->pipeline, NULL);
        vkDestroyShaderModule(k->device->device, k->module, NULL);
    }
    free(k);
}
