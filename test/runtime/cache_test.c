/* The pipeline cache on disk: found again, replaced when it is damaged or foreign; each part of
   its key by itself. */
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

/* Opens a device whose key has this part changed. *Returns* the bytes of cache that the driver
   is given; `out_path` is where they are looked for. */
static size_t given(int changed, char out_path[1024])
{
    vkr_device *device = NULL;
    part = changed;
    faults_before_open(change_part);
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = folder}, &device, err));
    faults_before_open(NULL);
    size_t size = device ? device->pipeline_cache.saved_size : 0;
    snprintf(out_path, 1024, "%s", device ? device->pipeline_cache.path : "");
    vkr_device_close(device);
    return size;
}

/* The file is found under the name of a device that differs in one part, and yet not taken; and
   the name differs. */
static void test_parts(const uint8_t *good, size_t n)
{
    char right[1024], path[1024];
    CHECK(given(0, right) == n - 72, "the whole file is taken");
    for (int i = 1; i < (int)(sizeof part_names / sizeof *part_names); i++) {
        CHECK(given(i, path) == 0 && strcmp(path, right), "%s: a name of its own", part_names[i]);
        snprintf(file, sizeof file, "%s", path);
        write_all(good, n);
        CHECK(given(i, path) == 0, "%s: another's file is not taken", part_names[i]);
        remove(file);
    }
    snprintf(file, sizeof file, "%s", right);
}

/* The header's fields and the blob, one byte changed in each; a byte too few, and one too many. */
static void test_bytes(const uint8_t *good, size_t n)
{
    static const struct {
        const char *what;
        size_t at;
    } rows[] = {
        {"magic", 0},   {"vendor", 4},        {"device", 8}, {"driver version", 12},
        {"UUID", 16},   {"UUID's end", 31},   {"size", 32},  {"size's end", 39},
        {"digest", 40}, {"digest's end", 71}, {"blob", 72},  {"blob's end", SIZE_MAX},
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
    CHECK(given(0, path) == n - 72, "the file as it was");
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

int main(void)
{
    static uint8_t good[1 << 20], now[1 << 20];
    const char *base = getenv("TMPDIR");
    size_t size, n;
    uint64_t hits;
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
    CHECK(n > 72 && n < sizeof good, "%zu bytes", n);
    RUN(test_parts(good, n));
    RUN(test_bytes(good, n));
    RUN(test_hits(bundle, size));
    load_once(bundle, size, &hits);
    printf("hits with a warm cache: %llu of 1 (0 where the driver keeps nothing)\n",
           (unsigned long long)hits);
    for (int damage = 0; damage < 4; damage++) {
        memcpy(now, good, n);
        size_t keep = damage == 0 ? 0 : damage == 1 ? n / 2 : n;
        if (damage == 2)
            now[n - 1] ^= 1;
        if (damage == 3)
            now[4] ^= 1; /* another vendor's */
        write_all(now, keep);
        CHECK(load_once(bundle, size, &hits) && hits == 0, "damage %d is a miss", damage);
        CHECK(find_file() == 1 && read_all(now, sizeof now) == n && !memcmp(now, good, 64),
              "damage %d is healed", damage);
    }
    remove(file);
    CHECK(mkdir(file, 0700) == 0, "a folder in the file's place");
    CHECK(load_once(bundle, size, &hits), "a cache that cannot be written is not an error");
    rmdir(file);
    rmdir(folder);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
    free(bundle);
    return harness_report();
}
