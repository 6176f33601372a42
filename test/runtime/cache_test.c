/* Pipelines kept on disk: found again, replaced when they are damaged or foreign; each part of
   their key by itself; what a program costs does not depend on how many others there are. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../runtime/device.h"
#include "../watch/load.h"
#include "builder.h"
#include "faults.h"
#include "harness.h"

static char folder[256], file[1024];

/* Loads a program with the cache. *Returns* false without a device. */
static bool load_once(const void *bundle, size_t size, uint64_t *out_hits)
{
    vkr_device *device = NULL;
    vkr_program *program = NULL;
    vkr_counters c = {0};
    if (vkr_device_open(&(vkr_device_options){.pipeline_cache = folder}, &device, NULL))
        return false;
    OK(test_load(device, bundle, size, &program, err));
    vkr_device_counters(device, &c);
    vkr_program_unload(program);
    vkr_device_close(device);
    *out_hits = c.pipeline_cache_hits;
    return true;
}

/* The only file in the folder, into `file`. *Returns* how many there are. */
static int find_file(void)
{
    DIR *dir = opendir(folder);
    int count = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            snprintf(file, sizeof file, "%s/%.700s", folder, e->d_name);
            count++;
        }
    if (dir)
        closedir(dir);
    return count;
}

static size_t read_all(uint8_t *bytes, size_t size)
{
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(bytes, 1, size, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static void write_all(const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(file, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size, "%s is written", file);
    if (f)
        fclose(f);
}

/* ---- the key ---- */

enum { HEADER = 88 };
static const uint32_t *shaders; /* whose pipelines are looked for */
static uint32_t nshaders;
static int part; /* of the key that a device is opened with differently; 0: none */

static const char *const part_names[] = {
    "nothing", "vendor", "device", "driver version", "first byte of UUID", "last byte of UUID",
};

static void change_part(struct vkr_device *device)
{
    VkPhysicalDeviceProperties *p = &device->gpu.facts.properties;
    p->vendorID += part == 1;
    p->deviceID += part == 2;
    p->driverVersion += part == 3;
    p->pipelineCacheUUID[0] ^= part == 4;
    p->pipelineCacheUUID[VK_UUID_SIZE - 1] ^= part == 5;
}

/* Opens a device whose key has this part changed. *Returns* the bytes that the driver is given for
   the shaders at hand; `out_path` is where they are looked for. */
static size_t given(int changed, char out_path[1024])
{
    vkr_device *device = NULL;
    part = changed;
    faults_before_open(change_part);
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = folder}, &device, err));
    faults_before_open(NULL);
    struct kept_pipelines kept = {.saved_size = 0};
    out_path[0] = '\0';
    if (device) {
        OK(kept_pipelines_open(&device->pipeline_cache, shaders, nshaders, &kept, err));
        snprintf(out_path, 1024, "%.900s-%016llx%016llx.pipelines", device->pipeline_cache.path,
                 (unsigned long long)kept.key[0], (unsigned long long)kept.key[1]);
        kept_pipelines_close(&device->pipeline_cache, &kept);
    }
    vkr_device_close(device);
    return kept.saved_size;
}

/* The file is found under the name of a device that differs in one part, and yet not taken; and
   the name differs. */
static void test_parts(const uint8_t *good, size_t n)
{
    char right[1024], path[1024];
    CHECK(given(0, right) == n - HEADER, "the whole file is taken");
    CHECK(strcmp(right, file) == 0, "of its name");
    for (int i = 1; i < (int)(sizeof part_names / sizeof *part_names); i++) {
        CHECK(given(i, path) == 0 && strcmp(path, right), "%s: a name of its own", part_names[i]);
        snprintf(file, sizeof file, "%s", path);
        write_all(good, n);
        CHECK(given(i, path) == 0, "%s: another's file is not taken", part_names[i]);
        remove(file);
    }
    snprintf(file, sizeof file, "%s", right);
}

/* Every word of the shaders, and their number, is in the name and in the file. */
static void test_shaders(const uint8_t *good, size_t n)
{
    const uint32_t *own = shaders;
    static uint32_t other[1 << 12];
    uint32_t count = nshaders;
    char path[1024], right[1024];
    CHECK(count < sizeof other / sizeof *other, "%u words", count);
    snprintf(right, sizeof right, "%s", file);
    shaders = other;
    for (uint32_t i = 0; i <= count; i += i + 11 < count ? 11 : 1) {
        memcpy(other, own, count * sizeof *other);
        other[i] ^= 1u << (i % 32);
        nshaders = i == count ? count + 1 : count;
        CHECK(given(0, path) == 0 && strcmp(path, right), "word %u: a name of its own", i);
        snprintf(file, sizeof file, "%s", path);
        write_all(good, n);
        CHECK(given(0, path) == 0, "word %u: another's file is not taken", i);
        remove(file);
    }
    shaders = own;
    nshaders = count;
    snprintf(file, sizeof file, "%s", right);
}

/* The header's fields and the blob, one byte changed in each; a byte too few, and one too many. */
static void test_bytes(const uint8_t *good, size_t n)
{
    static const struct {
        const char *what;
        size_t at;
    } rows[] = {
        {"magic", 0},   {"vendor", 4},
        {"device", 8},  {"driver version", 12},
        {"UUID", 16},   {"UUID's end", 31},
        {"key", 32},    {"key's end", 47},
        {"size", 48},   {"size's end", 55},
        {"digest", 56}, {"digest's end", 87},
        {"blob", 88},   {"blob's end", SIZE_MAX},
    };
    static uint8_t bytes[1 << 20];
    char path[1024];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes, good, n);
        bytes[rows[i].at == SIZE_MAX ? n - 1 : rows[i].at] ^= 1;
        write_all(bytes, n);
        CHECK(given(0, path) == 0, "%s: a damaged file is not taken", rows[i].what);
    }
    write_all(good, n - 1);
    CHECK(given(0, path) == 0, "a file that is a byte too short");
    memcpy(bytes, good, n);
    write_all(bytes, n + 1);
    CHECK(given(0, path) == 0, "a file that is a byte too long");
    write_all(good, n);
    CHECK(given(0, path) == n - HEADER, "the file as it was");
}

/* ---- the counter ---- */

static PFN_vkCreateComputePipelines create_really;
static VkPipelineCreationFeedbackFlags told; /* by a driver that says whether it found a pipeline */

static VKAPI_ATTR VkResult VKAPI_CALL create_and_tell(VkDevice device, VkPipelineCache cache,
                                                      uint32_t count,
                                                      const VkComputePipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkPipeline *out)
{
    const VkPipelineCreationFeedbackCreateInfo *ask = infos->pNext;
    VkComputePipelineCreateInfo plain = *infos;
    CHECK(count == 1 && ask &&
              ask->sType == VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
          "it is asked");
    plain.pNext = NULL;
    if (ask)
        ask->pPipelineCreationFeedback->flags = told;
    return create_really(device, cache, count, &plain, allocator, out);
}

/* What the driver found in its cache is counted, and what it made is not. */
static void test_hits(const void *bundle, size_t size)
{
    static const struct {
        VkPipelineCreationFeedbackFlags told;
        uint64_t hits;
    } rows[] = {
        {VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0},
        {VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
             VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT,
         1},
        {VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 1},
        {VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
             VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT,
         2},
    };
    vkr_device *device = NULL;
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = folder}, &device, err));
    create_really = device->gpu.vk.CreateComputePipelines;
    device->gpu.vk.CreateComputePipelines = create_and_tell;
    device->gpu.facts.has_creation_feedback = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vkr_program *program = NULL;
        vkr_counters c = {0};
        told = rows[i].told;
        OK(test_load(device, bundle, size, &program, err));
        vkr_device_counters(device, &c);
        CHECK(c.pipeline_cache_hits == rows[i].hits, "load %zu: %llu hits", i,
              (unsigned long long)c.pipeline_cache_hits);
        vkr_program_unload(program);
    }
    vkr_device_close(device);
}

/* ---- what others cost ---- */

static PFN_vkCreatePipelineCache open_really;
static PFN_vkGetPipelineCacheData get_really;
static uint64_t made; /* pipelines, with the cache that was created last */

static VKAPI_ATTR VkResult VKAPI_CALL open_and_count(VkDevice device,
                                                     const VkPipelineCacheCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkPipelineCache *out)
{
    made = 0;
    return open_really(device, &(VkPipelineCacheCreateInfo){.sType = info->sType}, allocator, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL make_and_count(VkDevice device, VkPipelineCache cache,
                                                     uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkPipeline *out)
{
    made++;
    return create_really(device, cache, count, infos, allocator, out);
}

/* 1000 bytes a pipeline. */
static VKAPI_ATTR VkResult VKAPI_CALL get_counted(VkDevice device, VkPipelineCache cache,
                                                  size_t *size, void *data)
{
    (void)device, (void)cache;
    *size = 1000 * made;
    if (data)
        memset(data, 7, *size);
    return VK_SUCCESS;
}

static long long folder_bytes(void)
{
    DIR *dir = opendir(folder);
    long long sum = 0;
    struct stat st;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(file, sizeof file, "%s/%.700s", folder, e->d_name);
        if (e->d_name[0] != '.' && stat(file, &st) == 0)
            sum += st.st_size;
    }
    if (dir)
        closedir(dir);
    return sum;
}

/* With a driver that gives as many bytes as there are pipelines: a program writes those of its own,
   however many programs were loaded before, and nothing where the file has them. */
static void test_others(void)
{
    struct builder b;
    vkr_device *device = NULL;
    long long before = folder_bytes();
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = folder}, &device, err));
    create_really = device->gpu.vk.CreateComputePipelines;
    open_really = device->gpu.vk.CreatePipelineCache;
    get_really = device->gpu.vk.GetPipelineCacheData;
    device->gpu.vk.CreateComputePipelines = make_and_count;
    device->gpu.vk.CreatePipelineCache = open_and_count;
    device->gpu.vk.GetPipelineCacheData = get_counted;
    for (uint32_t i = 1; i <= 20; i++) {
        vkr_program *program = NULL;
        size_t size;
        builder_init(&b, "others");
        uint32_t x = builder_input(&b, "x", "f32", 64);
        uint32_t y = builder_output(&b, "y", "f32", 64, VKB_NONE);
        for (uint32_t k = 0; k < i; k++) /* so that each program has other shaders */
            builder_dispatch(&b, builder_kernel(&b, K_ADD), 1, (const uint32_t[]){x, x, y, END});
        void *bundle = builder_finish(&b, &size);
        OK(test_load(device, bundle, size, &program, err));
        vkr_program_unload(program);
        long long after = folder_bytes();
        CHECK(after - before == HEADER + 1000 * (long long)i,
              "program %u writes %lld bytes for its %u pipelines", i, after - before, i);
        before = after;
        free(bundle);
    }
    device->gpu.vk.CreateComputePipelines = create_really;
    device->gpu.vk.CreatePipelineCache = open_really;
    device->gpu.vk.GetPipelineCacheData = get_really;
    vkr_device_close(device);
}

static void empty_folder(void)
{
    while (find_file())
        remove(file);
}

int main(void)
{
    static uint8_t good[1 << 20], now[1 << 20], back[1 << 20];
    const char *base = getenv("TMPDIR");
    size_t size, n;
    uint64_t hits, warm;
    void *bundle = builder_add(100, &size);
    snprintf(folder, sizeof folder, "%.200s/vkr_cache_XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL, "a folder");
    strcat(folder, "/new");
    if (!load_once(bundle, size, &hits)) {
        free(bundle);
        return harness_skip("no device");
    }
    CHECK(hits == 0 && find_file() == 1, "one file is made");
    n = read_all(good, sizeof good);
    CHECK(n > HEADER && n < sizeof good, "%zu bytes", n);
    struct vkb_view view;
    char error[160];
    CHECK(bundle_open(bundle, size, &view, error, sizeof error), "%s", error);
    shaders = view.spirv;
    nshaders = view.nspirv;
    RUN(test_parts(good, n));
    RUN(test_shaders(good, n));
    RUN(test_bytes(good, n));
    RUN(test_hits(bundle, size));
    load_once(bundle, size, &warm);
    printf("hits with a warm cache: %llu of 1 (0 where the driver keeps nothing)\n",
           (unsigned long long)warm);
    for (int damage = 0; damage < 4; damage++) {
        memcpy(now, good, n);
        size_t keep = damage == 0 ? 0 : damage == 1 ? n / 2 : n;
        if (damage == 2)
            now[n - 1] ^= 1;
        if (damage == 3)
            now[4] ^= 1; /* another vendor's */
        write_all(now, keep);
        CHECK(load_once(bundle, size, &hits) && hits == 0, "damage %d is a miss", damage);
        /* not byte for byte: NVIDIA's driver does not keep the same every time */
        size_t mended = find_file() == 1 ? read_all(back, sizeof back) : 0;
        CHECK(mended > HEADER && (mended != keep || memcmp(back, now, keep)),
              "damage %d: the file is written again", damage);
        CHECK(load_once(bundle, size, &hits) && hits == warm, "damage %d is healed", damage);
    }
    remove(file);
    CHECK(mkdir(file, 0700) == 0, "a folder in the file's place");
    CHECK(load_once(bundle, size, &hits), "a cache that cannot be written is not an error");
    rmdir(file);
    RUN(test_others());
    empty_folder();
    rmdir(folder);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
    free(bundle);
    return harness_report();
}
