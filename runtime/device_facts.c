#include "device_facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define V11 VK_API_VERSION_1_1
#define V12 VK_API_VERSION_1_2
#define V13 VK_API_VERSION_1_3
#define NEVER UINT32_MAX /* in no core version */

/* How each member of device_features may be had: core since, or by extension. */
static const struct feature_row {
    size_t offset;
    VkStructureType type;
    uint32_t core;
    const char *extension;
} feature_rows[] = {
#define ROW(member, type, core, extension)                                                        \
    {                                                                                             \
        offsetof(struct device_features, member), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, core, \
            extension                                                                             \
    }
    ROW(base, FEATURES_2, V11, NULL),
    ROW(storage16, 16BIT_STORAGE_FEATURES, V11, NULL),
    ROW(storage8, 8BIT_STORAGE_FEATURES, V12, VK_KHR_8BIT_STORAGE_EXTENSION_NAME),
    ROW(float16_int8, SHADER_FLOAT16_INT8_FEATURES, V12, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME),
    ROW(timeline, TIMELINE_SEMAPHORE_FEATURES, V12, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME),
    ROW(indexing, DESCRIPTOR_INDEXING_FEATURES, V12, VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME),
    ROW(memory_model, VULKAN_MEMORY_MODEL_FEATURES, V12, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME),
    ROW(subgroup_types, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, V12,
        VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME),
    ROW(scalar_layout, SCALAR_BLOCK_LAYOUT_FEATURES, V12,
        VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME),
    ROW(subgroup_size, SUBGROUP_SIZE_CONTROL_FEATURES, V13,
        VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME),
    ROW(maintenance4, MAINTENANCE_4_FEATURES, V13, VK_KHR_MAINTENANCE_4_EXTENSION_NAME),
    ROW(cooperative_matrix, COOPERATIVE_MATRIX_FEATURES_KHR, NEVER,
        VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME),
    ROW(addresses, BUFFER_DEVICE_ADDRESS_FEATURES, V12,
        VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME),
    ROW(bfloat16, SHADER_BFLOAT16_FEATURES_KHR, NEVER, VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME),
    ROW(group_matrix, COOPERATIVE_MATRIX_2_FEATURES_NV, NEVER,
        VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME),
#undef ROW
};

bool extension_list_has(const struct extension_list *extensions, const char *name)
{
    for (uint32_t i = 0; i < extensions->count; i++)
        if (!strcmp(extensions->list[i].extensionName, name))
            return true;
    return false;
}

vkr_status device_extensions(const struct vk *vk, VkPhysicalDevice physical,
                             struct extension_list *out, vkr_error *err)
{
    vkr_status status = VKR_OK;
    *out = (struct extension_list){0};
    VK(vk->EnumerateDeviceExtensionProperties(physical, NULL, &out->count, NULL));
    out->list = host_alloc(out->count, sizeof *out->list);
    if (!out->list) {
        status = error_memory(err);
        goto out;
    }
    VK(vk->EnumerateDeviceExtensionProperties(physical, NULL, &out->count, out->list));
out:
    if (status) {
        free(out->list);
        *out = (struct extension_list){0};
    }
    return status;
}

static bool is_known(uint32_t api_version, const struct extension_list *extensions, uint32_t core,
                     const char *extension)
{
    return api_version >= core || (extension && extension_list_has(extensions, extension));
}

uint32_t device_features_link(struct device_features *features, uint32_t api_version,
                              const struct extension_list *extensions, const char **out_names,
                              uint32_t capacity)
{
    uint32_t count = 0;
    VkBaseOutStructure *last = NULL;
    for (size_t i = 0; i < sizeof feature_rows / sizeof *feature_rows; i++) {
        const struct feature_row *row = &feature_rows[i];
        VkBaseOutStructure *structure = (void *)((char *)features + row->offset);
        structure->sType = row->type;
        structure->pNext = NULL;
        if (!is_known(api_version, extensions, row->core, row->extension))
            continue;
        if (last)
            last->pNext = structure;
        last = structure;
        if (api_version < row->core && count < capacity)
            out_names[count++] = row->extension;
    }
    return count;
}

/* Appends a property structure to a chain if the device knows it. */
static void *link_property(void *last, void *structure, VkStructureType type, bool known)
{
    VkBaseOutStructure *s = structure;
    s->sType = type;
    s->pNext = NULL;
    if (!known)
        return last;
    ((VkBaseOutStructure *)last)->pNext = s;
    return s;
}

/* The number behind `key` in a file of Linux's kernel; the first number without a key.
   UINT64_MAX if there is none, as on other systems. What is looked for stands at the beginning
   of its file, which is read without a stream: that would need memory. */
static uint64_t kernel_number(const char *path, const char *key)
{
    char text[2048];
    ssize_t n = 0;
    size_t size = 0, skipped = key ? strlen(key) : 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && size < sizeof text - 1 &&
           (n = read(fd, text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)n;
    if (fd >= 0)
        close(fd);
    text[size] = '\0';
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (key && strncmp(line, key, skipped))
            continue;
        const char *number = line + skipped + strspn(line + skipped, " \t");
        if (*number >= '0' && *number <= '9')
            return strtoull(number, NULL, 10);
    }
    return UINT64_MAX;
}

/* What is free on the machine, and in the process's control group if that has a limit. 0: not
   known. */
static uint64_t host_memory_free(void)
{
    uint64_t free_bytes = kernel_number("/proc/meminfo", "MemAvailable:");
    uint64_t limit = kernel_number("/sys/fs/cgroup/memory.max", NULL),
             used = kernel_number("/sys/fs/cgroup/memory.current", NULL);
    free_bytes = free_bytes > UINT64_MAX / 1024 ? UINT64_MAX : free_bytes * 1024;
    if (limit != UINT64_MAX && used != UINT64_MAX) {
        uint64_t left = used < limit ? limit - used : 0;
        free_bytes = left < free_bytes ? left : free_bytes;
    }
    return free_bytes == UINT64_MAX ? 0 : free_bytes;
}

static void read_memory(const struct vk *vk, VkPhysicalDevice physical,
                        const struct extension_list *extensions, struct device_facts *out)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    bool is_known = extension_list_has(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    memory.pNext = is_known ? &budget : NULL;
    vk->GetPhysicalDeviceMemoryProperties2(physical, &memory);
    out->memory = memory.memoryProperties;
    for (uint32_t i = 0; is_known && i < VK_MAX_MEMORY_HEAPS; i++)
        out->heap_free[i] = budget.heapBudget[i] > budget.heapUsage[i]
                                ? budget.heapBudget[i] - budget.heapUsage[i]
                                : 0;
    out->host_free = host_memory_free();
}

static bool can_import_host(const struct vk *vk, VkPhysicalDevice physical,
                            const struct extension_list *extensions)
{
    VkExternalBufferProperties out = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = MEMORY_USAGE,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    if (!extension_list_has(extensions, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
        return false;
    vk->GetPhysicalDeviceExternalBufferProperties(physical, &info, &out);
    return out.externalMemoryProperties.externalMemoryFeatures &
           VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

static void read_properties(const struct vk *vk, VkPhysicalDevice physical,
                            const struct extension_list *extensions, struct device_facts *out)
{
    VkPhysicalDeviceProperties2 properties = {.sType =
                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceMaintenance3Properties maintenance3 = {0};
    VkPhysicalDeviceMaintenance4Properties maintenance4 = {0};
    VkPhysicalDeviceDriverProperties driver = {0};
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT import = {0};
    bool can_import = can_import_host(vk, physical, extensions);
    uint32_t api = out->api_version;
    void *last = &properties;
    last = link_property(last, &out->subgroup,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, true);
    last = link_property(last, &maintenance3,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, true);
    last = link_property(last, &maintenance4,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
                         is_known(api, extensions, V13, VK_KHR_MAINTENANCE_4_EXTENSION_NAME));
    last = link_property(last, &driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                         is_known(api, extensions, V12, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME));
    last = link_property(
        last, &out->floats, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES,
        is_known(api, extensions, V12, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME));
    last = link_property(last, &import,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
                         can_import);
    last = link_property(last, &out->indexing,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES,
                         is_known(api, extensions, V12, VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME));
    link_property(last, &out->group_matrix,
                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV,
                  extension_list_has(extensions, VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME));
    vk->GetPhysicalDeviceProperties2(physical, &properties);

    out->properties = properties.properties;
    out->max_allocation =
        maintenance3.maxMemoryAllocationSize ? maintenance3.maxMemoryAllocationSize : 1u << 30;
    out->max_buffer = maintenance4.maxBufferSize ? maintenance4.maxBufferSize : out->max_allocation;
    out->import_alignment = import.minImportedHostPointerAlignment;
    out->driver_id = driver.driverID;
    if (driver.driverName[0])
        snprintf(out->driver, sizeof out->driver, "%.120s %.120s", driver.driverName,
                 driver.driverInfo);
    else
        snprintf(out->driver, sizeof out->driver, "version 0x%x", out->properties.driverVersion);
}

/* More than a driver lists of those that matter; what does not fit is not used. */
enum { MOST_MATRICES = 256 };

static vkr_status read_matrices(const struct vk *vk, VkPhysicalDevice physical,
                                struct device_facts *out, vkr_error *err)
{
    vkr_status status = VKR_OK;
    uint32_t count = 0;
    VkCooperativeMatrixPropertiesKHR *list = NULL;
    if (!out->features.cooperative_matrix.cooperativeMatrix ||
        !vk->GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
        return VKR_OK;
    VK(vk->GetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, NULL));
    count = count < MOST_MATRICES ? count : MOST_MATRICES;
    list = host_alloc(count, sizeof *list);
    if (!list) {
        status = error_memory(err);
        goto out;
    }
    for (uint32_t i = 0; i < count; i++)
        list[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    VK(vk->GetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, list));
    out->matrices = device_plan_matrices(list, count);
out:
    free(list);
    return status;
}

/* Matrices of a workgroup; the subgroups' are known. */
static vkr_status read_group_matrices(const struct vk *vk, VkPhysicalDevice physical,
                                      struct device_facts *out, vkr_error *err)
{
    vkr_status status = VKR_OK;
    uint32_t count = 0;
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV *list = NULL;
    if (!out->features.cooperative_matrix.cooperativeMatrix ||
        !out->features.group_matrix.cooperativeMatrixFlexibleDimensions ||
        !vk->GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)
        return VKR_OK;
    VK(vk->GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(physical, &count,
                                                                            NULL));
    count = count < MOST_MATRICES ? count : MOST_MATRICES;
    list = host_alloc(count, sizeof *list);
    if (!list) {
        status = error_memory(err);
        goto out;
    }
    for (uint32_t i = 0; i < count; i++)
        list[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV;
    VK(vk->GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(physical, &count,
                                                                            list));
    out->matrices |= device_plan_group_matrices(out, list, count);
out:
    free(list);
    return status;
}

vkr_status device_facts_read(const struct vk *vk, VkPhysicalDevice physical,
                             uint32_t instance_version, struct device_facts *out, vkr_error *err)
{
    struct extension_list extensions;
    vkr_status status = device_extensions(vk, physical, &extensions, err);
    if (status)
        return status;
    VkPhysicalDeviceProperties2 properties = {.sType =
                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    memset(out, 0, sizeof *out);
    vk->GetPhysicalDeviceProperties2(physical, &properties);
    out->api_version = properties.properties.apiVersion < instance_version
                           ? properties.properties.apiVersion
                           : instance_version;
    read_properties(vk, physical, &extensions, out);

    const char *unused[1];
    device_features_link(&out->features, out->api_version, &extensions, unused, 0);
    vk->GetPhysicalDeviceFeatures2(physical, &out->features.base);
    read_memory(vk, physical, &extensions, out);
    out->nfamilies = DEVICE_MAX_FAMILIES;
    vk->GetPhysicalDeviceQueueFamilyProperties(physical, &out->nfamilies, out->families);
    out->has_portability_subset = extension_list_has(&extensions, "VK_KHR_portability_subset");
    out->has_creation_feedback = out->api_version >= V13;
    status = read_matrices(vk, physical, out, err);
    if (!status)
        status = read_group_matrices(vk, physical, out, err);
    free(extensions.list);
    return status;
}
