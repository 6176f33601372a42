/* What a driver's compiler makes of kernels: registers, spills, shared memory, scratch, waves.
   Creates the pipelines of bundles on a device that may be unable to run them (RADV's null
   hardware), with no memory and no queue of its own.

       registers --profile
       registers [--top=N] BUNDLE.vkb ...

   The first prints the device's target profile, for vkcompile --target. The second prints a
   table of the N worst kernels (0: all), a line about all of them, and "N passed, N failed, N
   skipped". A kernel passes if the device has what its bundle needs, its pipeline is made, and
   the driver says what it takes. Kernels of the same code are compiled once. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../runtime/bodies.h"
#include "../../runtime/device_facts.h"
#include "../../runtime/bundle.h"
#include "driver/main.h"
#include "../front/check.h"

enum statistic {
    SGPRS,
    VGPRS,
    SPILLED_SGPRS,
    SPILLED_VGPRS,
    SHARED,
    SCRATCH,
    CODE,
    WAVES,
    STATISTICS
};

/* As RADV names them, and what `table` calls them. */
static const struct {
    const char *name, *column;
} statistics[STATISTICS] = {
    [SGPRS] = {"SGPRs", "sgpr"},
    [VGPRS] = {"VGPRs", "vgpr"},
    [SPILLED_SGPRS] = {"Spilled SGPRs", "s-spill"},
    [SPILLED_VGPRS] = {"Spilled VGPRs", "v-spill"},
    [SHARED] = {"LDS size", "shared"},
    [SCRATCH] = {"Scratch size", "scratch"},
    [CODE] = {"Code size", "code"},
    [WAVES] = {"Subgroups per SIMD", "waves"},
};

struct row {
    uint8_t digest[32]; /* of the SPIR-V */
    char graph[64], kernel[96];
    uint32_t threads; /* of a workgroup */
    bool units;       /* a body for matrix units */
    uint64_t value[STATISTICS];
};

struct rows {
    struct row *list;
    size_t count, capacity;
};

struct driver {
    struct vk vk;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    struct device_facts facts;
    vkr_device_info info;
    PFN_vkGetPipelineExecutableStatisticsKHR get_statistics;
};

/* ---- the device ---- */

static vkr_status create_device(struct driver *d, vkr_error *err)
{
    const struct vk *vk = &d->vk;
    struct device_features features = d->facts.features;
    struct extension_list extensions = {0};
    const char *names[32];
    const float priority = 1;
    vkr_status status = device_extensions(vk, d->physical, &extensions, err);
    if (!status &&
        !extension_list_has(&extensions, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME))
        status = error_set(err, VKR_UNSUPPORTED, "%s does not say what kernels take (%s)",
                           d->info.name, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    if (status)
        goto out;
    device_plan_keep_features(&features);
    uint32_t count = device_features_link(&features, d->facts.api_version, &extensions, names, 31);
    names[count++] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pNext = &features.base,
        .pipelineExecutableInfo = VK_TRUE};
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &executable,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = names};
    VK(vk->CreateDevice(d->physical, &info, NULL, &d->device));
    status = vk_load_device(&d->vk, d->device, err);
    PFN_vkVoidFunction function =
        status ? NULL : vk->GetDeviceProcAddr(d->device, "vkGetPipelineExecutableStatisticsKHR");
    memcpy(&d->get_statistics, &function, sizeof function);
    if (!status && !function)
        status = error_set(err, VKR_UNSUPPORTED, "%s has no vkGetPipelineExecutableStatisticsKHR",
                           d->info.name);
out:
    free(extensions.list);
    return status;
}

/* The first device that the loader lists. */
static vkr_status open_driver(struct driver *d, vkr_error *err)
{
    const struct vk *vk = &d->vk;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    uint32_t count = 1;
    vkr_status status = vk_load_global(&d->vk, err);
    if (status)
        return status;
    VK(d->vk.CreateInstance(&info, NULL, &d->instance));
    status = vk_load_instance(&d->vk, d->instance, err);
    if (status)
        goto out;
    VK(d->vk.EnumeratePhysicalDevices(d->instance, &count, &d->physical));
    if (!count) {
        status = error_set(err, VKR_NO_DEVICE, "the driver has no device");
        goto out;
    }
    status = device_facts_read(&d->vk, d->physical, VK_API_VERSION_1_3, &d->facts, err);
    if (!status) {
        device_plan_info(&d->facts, 0, &d->info);
        status = create_device(d, err);
    }
out:
    return status;
}

static void close_driver(struct driver *d)
{
    if (d->device)
        d->vk.DestroyDevice(d->device, NULL);
    if (d->instance)
        d->vk.DestroyInstance(d->instance, NULL);
}

/* ---- a kernel ---- */

static double value_of(const VkPipelineExecutableStatisticKHR *s)
{
    switch (s->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: return s->value.b32;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: return (double)s->value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: return (double)s->value.u64;
    default: return s->value.f64;
    }
}

static vkr_status read_statistics(const struct driver *d, VkPipeline pipeline, struct row *row,
                                  vkr_error *err)
{
    const struct vk *vk = &d->vk;
    VkPipelineExecutableStatisticKHR list[64];
    const VkPipelineExecutableInfoKHR executable = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
    uint32_t count = sizeof list / sizeof *list;
    vkr_status status = VKR_OK;
    memset(list, 0, sizeof list);
    for (uint32_t i = 0; i < count; i++)
        list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    VK(d->get_statistics(d->device, &executable, &count, list));
    for (int s = 0; s < STATISTICS; s++) {
        uint32_t i = 0;
        while (i < count && strcmp(list[i].name, statistics[s].name) != 0)
            i++;
        if (i == count)
            return error_set(err, VKR_UNSUPPORTED, "the driver does not tell \"%s\"",
                             statistics[s].name);
        row->value[s] = (uint64_t)value_of(&list[i]);
    }
out:
    return status;
}

static vkr_status measure(const struct driver *d, const struct vkb_view *v, uint32_t index,
                          const struct vkb_body *body, struct row *row, vkr_error *err)
{
    const struct vkb_kernel *kernel = &v->kernels[index];
    const struct vk *vk = &d->vk;
    VkDescriptorSetLayoutBinding bindings[256] = {0};
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    vkr_status status = VKR_OK;
    if (kernel->nbindings > sizeof bindings / sizeof *bindings)
        return error_set(err, VKR_UNSUPPORTED, "%u storage buffers in a kernel", kernel->nbindings);
    for (uint32_t i = 0; i < kernel->nbindings; i++)
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = kernel->nbindings,
        .pBindings = bindings};
    VK(vk->CreateDescriptorSetLayout(d->device, &set_info, NULL, &set));
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &set};
    VK(vk->CreatePipelineLayout(d->device, &layout_info, NULL, &layout));
    const VkShaderModuleCreateInfo module_info = {.sType =
                                                      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  .codeSize = (size_t)body->spirv_count * 4,
                                                  .pCode = v->spirv + body->spirv_first};
    VK(vk->CreateShaderModule(d->device, &module_info, NULL, &module));
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout};
    VK(vk->CreateComputePipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    status = read_statistics(d, pipeline, row, err);
out:
    if (pipeline)
        vk->DestroyPipeline(d->device, pipeline, NULL);
    if (module)
        vk->DestroyShaderModule(d->device, module, NULL);
    if (layout)
        vk->DestroyPipelineLayout(d->device, layout, NULL);
    if (set)
        vk->DestroyDescriptorSetLayout(d->device, set, NULL);
    return status;
}

/* ---- all kernels of a bundle ---- */

/* A driver that dies takes the process with it; the last line then says over which kernel. */
static char at_work[256];

static void on_death(int number)
{
    static const char counts[] = ": the driver's compiler died\n0 passed, 1 failed, 0 skipped\n";
    (void)number;
    if (write(1, at_work, strlen(at_work)) < 0 || write(1, counts, sizeof counts - 1) < 0)
        _exit(2);
    _exit(1);
}

static struct row *add_row(struct rows *rows)
{
    if (rows->count == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 256;
        struct row *list = realloc(rows->list, capacity * sizeof *list);
        if (!list)
            return NULL;
        rows->list = list;
        rows->capacity = capacity;
    }
    rows->list[rows->count] = (struct row){.threads = 0};
    return &rows->list[rows->count++];
}

static bool is_known(const struct rows *rows, const uint8_t digest[32])
{
    for (size_t i = 0; i < rows->count; i++)
        if (!memcmp(rows->list[i].digest, digest, 32))
            return true;
    return false;
}

static bool measure_body(struct check *c, const struct driver *d, const struct vkb_view *v,
                         const char *graph, uint32_t index, uint32_t which, struct rows *rows)
{
    const struct vkb_body *body = vkb_body_of(v, index, which);
    vkr_error err = {VKR_OK, ""};
    uint8_t digest[32];
    vkb_sha256(v->spirv + body->spirv_first, (size_t)body->spirv_count * 4, digest);
    if (is_known(rows, digest))
        return true;
    struct row *row = add_row(rows);
    if (!check_that(c, row != NULL, "no memory"))
        return false;
    memcpy(row->digest, digest, 32);
    row->threads = body->local_size[0] * body->local_size[1] * body->local_size[2];
    row->units = (body->features & VKB_FEATURE_COOPERATIVE_MATRIX) != 0;
    snprintf(row->graph, sizeof row->graph, "%.*s", (int)strcspn(graph, "."), graph);
    snprintf(row->kernel, sizeof row->kernel, "%s", vkb_text(v, v->kernels[index].label));
    snprintf(at_work, sizeof at_work, "%s, %s, body %u", row->graph, row->kernel, which);
    if (!check_that(c, measure(d, v, index, body, row, &err) == VKR_OK, "%s: %s", at_work,
                    err.message))
        rows->count--;
    return true;
}

/* The body of each kernel that the device takes, and the plainest that it could. */
static void measure_bundle(struct check *c, const struct driver *d, const char *path,
                           struct rows *rows)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const VkPhysicalDeviceLimits *limits = &d->facts.properties.limits;
    char error[400];
    struct vkb_view v;
    vkr_error err = {VKR_OK, ""};
    size_t size;
    uint32_t *taken = NULL;
    void *bytes = read_file(path, &size);
    if (!check_that(c, bytes && bundle_open(bytes, size, &v, error, sizeof error), "%s: %s", path,
                    bytes ? error : "cannot be read"))
        goto out;
    if (!check_that(c, device_plan_accepts(&d->info, &v, &err) == VKR_OK, "%s: %s", name,
                    err.message))
        goto out;
    taken = calloc(v.nkernels + 1, sizeof *taken);
    if (!check_that(c, taken != NULL, "no memory"))
        goto out;
    for (int plain = 0; plain < 2; plain++) {
        if (!check_that(c, bodies_take(&d->info, limits, &v, plain, true, taken, &err) == VKR_OK,
                        "%s: %s", name, err.message))
            goto out;
        for (uint32_t i = 0; i < v.nkernels; i++)
            if (!measure_body(c, d, &v, name, i, taken[i], rows))
                goto out;
    }
out:
    free(taken);
    free(bytes);
}

/* ---- the table ---- */

/* Worst first: what is spilled, then scratch, then how few waves there are, then registers. */
static int by_badness(const void *x, const void *y)
{
    static const enum statistic order[] = {SPILLED_VGPRS, SCRATCH, SPILLED_SGPRS,
                                           WAVES,         VGPRS,   CODE};
    const struct row *a = x, *b = y;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        enum statistic s = order[i];
        if (a->value[s] != b->value[s])
            return (a->value[s] > b->value[s]) == (s != WAVES) ? -1 : 1;
    }
    return strcmp(a->kernel, b->kernel);
}

static void print_table(struct rows *rows, size_t top)
{
    size_t spills = 0, scratch = 0, units = 0;
    if (rows->count)
        qsort(rows->list, rows->count, sizeof *rows->list, by_badness);
    for (int s = 0; s < STATISTICS; s++)
        printf("%8s", statistics[s].column);
    printf(" threads  kernel\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->list[i];
        spills += row->value[SPILLED_SGPRS] + row->value[SPILLED_VGPRS] > 0;
        scratch += row->value[SCRATCH] > 0;
        units += row->units;
        if (top && i >= top)
            continue;
        for (int s = 0; s < STATISTICS; s++)
            printf("%8llu", (unsigned long long)row->value[s]);
        printf("%8u  %s: %s%s\n", row->threads, row->graph, row->kernel,
               row->units ? ", on matrix units" : "");
    }
    printf("%zu kernels, %zu on matrix units, %zu with spills, %zu with scratch\n", rows->count,
           units, spills, scratch);
}

static void print_profile(const vkr_device_info *info)
{
    struct vkc_target target;
    char text[2048];
    target_of_device(info, &target);
    vkc_target_print(&target, text, sizeof text);
    printf("%s", text);
}

int main(int argc, char **argv)
{
    struct check check = {0};
    struct driver driver = {0};
    struct rows rows = {0};
    vkr_error err = {VKR_OK, ""};
    size_t top = 20;
    int first = 1;
    if (first < argc && strncmp(argv[first], "--top=", 6) == 0)
        top = strtoul(argv[first++] + 6, NULL, 10);
    vkr_status status = open_driver(&driver, &err);
    if (!status && first < argc && !strcmp(argv[first], "--profile")) {
        print_profile(&driver.info);
        close_driver(&driver);
        return 0;
    }
    if (status == VKR_NO_DEVICE) {
        printf("skipped: %s\n", err.message);
        check.skipped++;
    } else if (check_that(&check, status == VKR_OK, "%s", err.message)) {
        printf("%s, driver %s, Vulkan %u.%u\n", driver.info.name, driver.info.driver,
               driver.info.api_version >> 22, driver.info.api_version >> 12 & 1023);
        signal(SIGABRT, on_death);
        signal(SIGSEGV, on_death);
        for (int i = first; i < argc; i++)
            measure_bundle(&check, &driver, argv[i], &rows);
        print_table(&rows, top);
    }
    close_driver(&driver);
    free(rows.list);
    return check_finish(&check);
}
