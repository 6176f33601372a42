/* Opening devices that this machine does not have: what the loader answers is changed on its
   way. */
#include <sys/wait.h>
#include <unistd.h>

#include "../../runtime/device.h"
#include "../../runtime/device_facts.h"
#include "builder.h"
#include "device.h"
#include "faults.h"
#include "loader.h"
#include "system.h"

#define ENTRY(type) static VKAPI_ATTR type VKAPI_CALL
#define REPLACE(entry, function) (!strcmp(name, entry) ? (PFN_vkVoidFunction)(function) : real)

/* ---- facts: a driver that is a table ---- */

ENTRY(VkResult)
no_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
              VkExtensionProperties *out)
{
    (void)device, (void)layer, (void)out;
    *count = 0;
    return VK_SUCCESS;
}

ENTRY(void) some_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out)
{
    (void)device;
    out->properties.apiVersion = VK_API_VERSION_1_1;
    out->properties.limits.maxComputeSharedMemorySize = 1234;
}

ENTRY(void) some_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *out)
{
    (void)device;
    out->features.shaderInt64 = VK_TRUE;
}

ENTRY(void) some_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *out)
{
    (void)device;
    out->memoryProperties.memoryHeapCount = 1;
    out->memoryProperties.memoryHeaps[0].size = 5678;
}

ENTRY(void) some_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *out)
{
    (void)device;
    *count = 2;
    if (out) {
        out[0] = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_GRAPHICS_BIT, .queueCount = 1};
        out[1] = out[0];
        out[1].queueFlags = VK_QUEUE_COMPUTE_BIT, out[1].queueCount = 3;
    }
}

/* Whatever the runtime decides from comes from the driver. */
static void test_facts(void)
{
    const struct vk vk = {
        .EnumerateDeviceExtensionProperties = no_extensions,
        .GetPhysicalDeviceProperties2 = some_properties,
        .GetPhysicalDeviceFeatures2 = some_features,
        .GetPhysicalDeviceMemoryProperties2 = some_memory,
        .GetPhysicalDeviceQueueFamilyProperties = some_families,
    };
    struct device_facts facts;
    uint32_t family = 0;
    OK(device_facts_read(&vk, NULL, VK_API_VERSION_1_3, &facts, err));
    CHECK(facts.api_version == VK_API_VERSION_1_1, "version");
    CHECK(facts.properties.limits.maxComputeSharedMemorySize == 1234, "limits");
    CHECK(facts.features.base.features.shaderInt64 && !facts.features.base.features.shaderFloat64,
          "features");
    CHECK(facts.memory.memoryHeapCount == 1 && facts.memory.memoryHeaps[0].size == 5678, "memory");
    CHECK(facts.nfamilies == 2 && facts.families[1].queueCount == 3, "%u families",
          facts.nfamilies);
    CHECK(device_plan_family(&facts, &family) && family == 1, "family %u computes", family);
}

/* ---- memory of the host ---- */

static char folder[] = "/tmp/vkr_open_XXXXXX", file[64];

static const char *file_of(const char *path)
{
    snprintf(file, sizeof file, "%s%s", folder, strrchr(path, '/'));
    return file;
}

/* A file of the system; none if `text` is NULL. */
static void write_text(const char *path, const char *text)
{
    FILE *f = text ? fopen(file_of(path), "w") : NULL;
    if (!text)
        remove(file_of(path));
    CHECK(!text || (f && fputs(text, f) >= 0 && !fclose(f)), "%s", file);
}

/* What is free for a process: of the machine, and of its control group. */
static void test_host_memory(void)
{
    static const char plenty[] = "MemTotal: 9000 kB\nMemFree:\t1 kB\nMemAvailable:   1000 kB\n";
    static const struct {
        const char *machine, *limit, *used;
        uint64_t free;
    } rows[] = {
        {plenty, NULL, NULL, 1024000},
        {plenty, "max\n", "5\n", 1024000},
        {plenty, "600000\n", "200000\n", 400000},
        {plenty, "1024001\n", "0\n", 1024000},
        {plenty, "1023999\n", "0\n", 1023999},
        {plenty, "600000\n", NULL, 1024000},
        {plenty, NULL, "5\n", 1024000},
        {plenty, "500\n", "501\n", 0},
        {plenty, "500\n", "500\n", 0},
        {plenty, "500\n", "499\n", 1},
        {NULL, "600000\n", "1\n", 599999},
        {NULL, NULL, NULL, 0},
        {"MemTotal: 9000 kB\n", "70\n", "1\n", 69},
        {"MemAvailable: 18014398509481983 kB\n", "max\n", "1\n", 18446744073709550592u},
        {"MemAvailable: 18014398509481984 kB\n", "max\n", "1\n", 0},
        {"", "", "", 0},
    };
    const struct vk vk = {
        .EnumerateDeviceExtensionProperties = no_extensions,
        .GetPhysicalDeviceProperties2 = some_properties,
        .GetPhysicalDeviceFeatures2 = some_features,
        .GetPhysicalDeviceMemoryProperties2 = some_memory,
        .GetPhysicalDeviceQueueFamilyProperties = some_families,
    };
    CHECK(mkdtemp(folder) != NULL, "a folder");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct device_facts facts;
        int next = dup(1), after;
        close(next);
        write_text("/proc/meminfo", rows[i].machine);
        write_text("/sys/fs/cgroup/memory.max", rows[i].limit);
        write_text("/sys/fs/cgroup/memory.current", rows[i].used);
        system_choose(file_of);
        OK(device_facts_read(&vk, NULL, VK_API_VERSION_1_3, &facts, err));
        system_choose(NULL);
        CHECK(facts.host_free == rows[i].free, "row %zu: %llu", i,
              (unsigned long long)facts.host_free);
        after = dup(1);
        CHECK(after == next, "a file is left open");
        close(after);
    }
    write_text("/meminfo", NULL);
    write_text("/memory.max", NULL);
    write_text("/memory.current", NULL);
    CHECK(!rmdir(folder), "%s", folder);
}

/* ---- entry points ---- */

static const char *missing; /* the one that the loader lacks */
static bool has_khr;        /* and whether it has it under its older name */

static VKAPI_ATTR void VKAPI_CALL present(void)
{
}

static VKAPI_ATTR void VKAPI_CALL older(void)
{
}

static PFN_vkVoidFunction answer(const char *name)
{
    size_t n = strlen(missing);
    if (!strncmp(name, missing, n) && !strcmp(name + n, "KHR"))
        return has_khr ? older : NULL;
    return strcmp(name, missing) ? present : NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_device(VkDevice device, const char *name)
{
    (void)device;
    return answer(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_instance(VkInstance instance, const char *name)
{
    (void)instance;
    return answer(name);
}

/* Each entry point of an instance and a device is missing in turn: without some of them nothing
   works, of others there is an older name, or they are not used. */
static void test_entry_points(void)
{
    enum level { GLOBAL, INSTANCE, DEVICE };
    enum need { OPTIONAL, REQUIRED };
    static const struct {
        enum level level;
        enum need need;
        size_t offset;
        const char *name;
    } rows[] = {
#define VK_ROW(row_level, row_need, row_name) \
    {row_level, row_need, offsetof(struct vk, row_name), "vk" #row_name},
#include "../../runtime/vk.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int khr = 0; khr < 2 && rows[i].level != GLOBAL; khr++) {
            struct vk vk = {.GetInstanceProcAddr = of_instance, .GetDeviceProcAddr = of_device};
            PFN_vkVoidFunction found, wanted = khr ? older : NULL;
            vkr_error error = {0};
            missing = rows[i].name, has_khr = khr;
            vkr_status status = rows[i].level == INSTANCE
                                    ? vk_load_instance(&vk, (VkInstance)&vk, &error)
                                    : vk_load_device(&vk, (VkDevice)&vk, &error);
            if (rows[i].need == REQUIRED) {
                CHECK(status == VKR_NO_DEVICE && strstr(error.message, missing), "%s: %s", missing,
                      error.message);
                continue;
            }
            memcpy(&found, (char *)&vk + rows[i].offset, sizeof found);
            CHECK(!status && found == wanted, "%s: %s", missing, error.message);
        }
}

/* A machine without Vulkan, in a process of its own, since the loader is looked for once. */
static void test_no_loader(void)
{
    unsigned names = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        vkr_device *device = NULL;
        system_hide_libraries(&names);
        vkr_status status = vkr_device_open(NULL, &device, NULL);
        vkr_status again = vkr_device_open(NULL, &device, NULL);
        _exit(status == VKR_NO_DEVICE && again == status && !device && names > 0 ? 40 : 41);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 40,
          "status of waitpid %#x", status);
}

/* ---- a device without addresses ---- */

static PFN_vkGetPhysicalDeviceFeatures2 real_features;
static PFN_vkCreateBuffer real_create_buffer;
static PFN_vkAllocateMemory real_allocate;
static uint32_t nbuffers, naddressed;

ENTRY(void) features_without_addresses(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *out)
{
    real_features(device, out);
    for (VkBaseOutStructure *s = out->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES)
            ((VkPhysicalDeviceBufferDeviceAddressFeatures *)s)->bufferDeviceAddress = VK_FALSE;
}

static PFN_vkVoidFunction choose_no_addresses(const char *name, PFN_vkVoidFunction real)
{
    if (!strcmp(name, "vkGetPhysicalDeviceFeatures2"))
        real_features = (PFN_vkGetPhysicalDeviceFeatures2)real;
    return REPLACE("vkGetPhysicalDeviceFeatures2", features_without_addresses);
}

ENTRY(VkResult)
count_addressed(VkDevice device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *a,
                VkBuffer *out)
{
    nbuffers++;
    naddressed += (info->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    return real_create_buffer(device, info, a, out);
}

ENTRY(VkResult)
allocate_addressed(VkDevice device, const VkMemoryAllocateInfo *info,
                   const VkAllocationCallbacks *a, VkDeviceMemory *out)
{
    /* all begin with a type and a link */
    for (const VkMemoryAllocateFlagsInfo *s = info->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO)
            naddressed += (s->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0;
    return real_allocate(device, info, a, out);
}

static void watch_buffers(struct vkr_device *device)
{
    real_create_buffer = device->gpu.vk.CreateBuffer;
    real_allocate = device->gpu.vk.AllocateMemory;
    device->gpu.vk.CreateBuffer = count_addressed;
    device->gpu.vk.AllocateMemory = allocate_addressed;
}

/* Where addresses are not a feature of the device, nothing asks for them, and programs run as ever.
   A driver may have the entry points all the same. */
static void test_no_addresses(void)
{
    vkr_device *device = NULL;
    vkr_program *program = NULL;
    vkr_buffer in[2] = {0}, out = 0;
    vkr_device_info info;
    float data[64] = {1}, back[64] = {0};
    size_t size;
    void *bundle = builder_add(64, &size);
    loader_choose(choose_no_addresses);
    faults_before_open(watch_buffers);
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    vkr_device_get_info(device, &info);
    CHECK(!(info.features & VKB_FEATURE_ADDRESSES), "the device says that it has them");
    OK(vkr_program_load(device, bundle, size, &program, err));
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_create(device, data, sizeof data, &in[i], err));
    OK(vkr_run(program, in, 2, &out, 1, NULL, err));
    OK(vkr_buffer_read(device, out, 0, back, sizeof back, err));
    CHECK(back[0] == 2, "1 + 1 is %g", back[0]);
    CHECK(nbuffers && !naddressed, "%u of %u buffers and allocations ask for addresses", naddressed,
          nbuffers);
    vkr_program_unload(program);
    vkr_device_close(device);
    faults_before_open(NULL);
    loader_choose(NULL);
    free(bundle);
}

/* ---- queues ---- */

static PFN_vkCreateDevice real_create_device;
static uint32_t nqueues;

ENTRY(VkResult)
count_queues(VkPhysicalDevice device, const VkDeviceCreateInfo *info,
             const VkAllocationCallbacks *a, VkDevice *out)
{
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
        nqueues += info->pQueueCreateInfos[i].queueCount;
    return real_create_device(device, info, a, out);
}

static PFN_vkVoidFunction choose_queues(const char *name, PFN_vkVoidFunction real)
{
    if (!strcmp(name, "vkCreateDevice"))
        real_create_device = (PFN_vkCreateDevice)real;
    return REPLACE("vkCreateDevice", count_queues);
}

/* A family need not have more than one queue, and no more is asked for. */
static void test_queues(void)
{
    vkr_device *device = NULL;
    loader_choose(choose_queues);
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    CHECK(nqueues == 1, "%u queues", nqueues);
    vkr_device_close(device);
    loader_choose(NULL);
}

/* ---- the validation layer ---- */

#define LAYER "VK_LAYER_KHRONOS_validation"

static PFN_vkCreateInstance real_create_instance;
static PFN_vkEnumerateInstanceExtensionProperties real_extensions;
static bool is_installed, was_asked;

ENTRY(VkResult) list_layers(uint32_t *count, VkLayerProperties *out)
{
    uint32_t room = *count;
    *count = is_installed;
    if (is_installed && out && room)
        out[0] = (VkLayerProperties){.layerName = LAYER};
    return VK_SUCCESS;
}

ENTRY(VkResult) list_extensions(const char *layer, uint32_t *count, VkExtensionProperties *out)
{
    if (!layer)
        return real_extensions(NULL, count, out);
    *count = 0;
    return VK_SUCCESS;
}

ENTRY(VkResult)
create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *a, VkInstance *out)
{
    VkInstanceCreateInfo plain = *info;
    was_asked = info->enabledLayerCount == 1 && !strcmp(info->ppEnabledLayerNames[0], LAYER);
    plain.enabledLayerCount = 0;
    return real_create_instance(&plain, a, out);
}

static PFN_vkVoidFunction choose_layers(const char *name, PFN_vkVoidFunction real)
{
    if (!strcmp(name, "vkCreateInstance"))
        real_create_instance = (PFN_vkCreateInstance)real;
    if (!strcmp(name, "vkEnumerateInstanceExtensionProperties"))
        real_extensions = (PFN_vkEnumerateInstanceExtensionProperties)real;
    real = REPLACE("vkCreateInstance", create_instance);
    real = REPLACE("vkEnumerateInstanceExtensionProperties", list_extensions);
    return REPLACE("vkEnumerateInstanceLayerProperties", list_layers);
}

/* Validation is enabled where its layer is installed, and only if it is asked for; else asking
   is an error. */
static void test_validation(void)
{
    const vkr_device_options ask = {.pipeline_cache = "", .validate = true},
                             plain = {.pipeline_cache = ""};
    vkr_device *device = NULL;
    loader_choose(choose_layers);
    FAILS(vkr_device_open(&ask, &device, err), VKR_UNSUPPORTED, "not installed");
    is_installed = true;
    OK(vkr_device_open(&ask, &device, err));
    CHECK(was_asked, "the layer is not enabled");
    vkr_device_close(device);
    OK(vkr_device_open(&plain, &device, err));
    CHECK(!was_asked, "the layer is enabled");
    vkr_device_close(device);
    loader_choose(NULL);
}

/* Those that are there have names and indices; no other is opened instead. */
static void test_names(void)
{
    vkr_device_info infos[8];
    vkr_device *device = NULL;
    vkr_device_options options = {.pipeline_cache = "", .device = "no device is called this"};
    uint32_t count = 0;
    OK(vkr_devices(infos, 8, &count, err));
    CHECK(count > 0, "no device");
    FAILS(vkr_device_open(&options, &device, err), VKR_NO_DEVICE, options.device);
    CHECK(!device, "a device");
    options.device = "4711";
    FAILS(vkr_device_open(&options, &device, err), VKR_NO_DEVICE, options.device);
    for (uint32_t i = 0; i < count && i < 8; i++) {
        vkr_device_info info;
        char index[16];
        snprintf(index, sizeof index, "%u", i);
        options.device = index;
        vkr_status status = vkr_device_open(&options, &device, NULL);
        if (status)
            continue; /* not every device is one for this library */
        vkr_device_get_info(device, &info);
        CHECK(info.index == i && !strcmp(info.name, infos[i].name), "%s for %s", info.name, index);
        vkr_device_close(device);
    }
    const char *set = getenv("VKR_DEVICE");
    char *before = set ? strdup(set) : NULL;
    setenv("VKR_DEVICE", "neither this", 1);
    options.device = NULL;
    FAILS(vkr_device_open(&options, &device, err), VKR_NO_DEVICE, "neither this");
    if (before)
        setenv("VKR_DEVICE", before, 1);
    else
        unsetenv("VKR_DEVICE");
    free(before);
    OK(vkr_device_open(&options, &device, err));
    vkr_device_close(device);
}

int main(void)
{
    vkr_error error = {0};
    vkr_device *device = NULL;
    RUN(test_no_loader());
    RUN(test_facts());
    RUN(test_host_memory());
    RUN(test_entry_points());
    if (vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, &error))
        return harness_skip(error.message);
    vkr_device_close(device);
    RUN(test_no_addresses());
    RUN(test_queues());
    RUN(test_validation());
    RUN(test_names());
    return harness_report();
}
