#include "pipeline_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "private_folder.h"
#include "sha256.h"

#define CACHE_MAGIC 0x32435056u        /* "VPC2" */
#define CACHE_LIMIT (256u << 20)       /* bytes of a file that is read at all */
#define CACHE_ENDING ".pipelines"      /* of the files' names */
#define CACHE_MOST (UINT64_C(1) << 30) /* bytes of all files */

struct cache_header {
    uint32_t magic, vendor, device, driver;
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t key[2];    /* of the shaders */
    uint64_t size;      /* of the blob that follows */
    uint8_t sha256[32]; /* of the blob */
};

static struct cache_header header_for(const struct pipeline_cache *cache,
                                      const struct kept_pipelines *kept)
{
    const VkPhysicalDeviceProperties *p = &cache->gpu->facts.properties;
    struct cache_header h = {.magic = CACHE_MAGIC,
                             .vendor = p->vendorID,
                             .device = p->deviceID,
                             .driver = p->driverVersion,
                             .key = {kept->key[0], kept->key[1]}};
    memcpy(h.uuid, p->pipelineCacheUUID, sizeof h.uuid);
    return h;
}

/* Of words that nobody makes collide: who can write the file can write anything into it. */
static void key_of(const uint32_t *words, uint32_t count, uint64_t out[2])
{
    uint64_t a = count, b = ~(uint64_t)count;
    for (uint32_t i = 0; i < count; i++) {
        a = (a ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        b = (b ^ words[i]) * UINT64_C(0xd6e8feb86659fd93);
        a ^= a >> 32;
        b ^= b >> 29;
    }
    out[0] = a;
    out[1] = b;
}

static bool name_files(struct pipeline_cache *cache, const char *folder)
{
    const VkPhysicalDeviceProperties *p = &cache->gpu->facts.properties;
    char uuid[2 * VK_UUID_SIZE + 1], standard[768];
    if (!folder) {
        if (!env_cache_folder(standard, sizeof standard))
            return false;
        folder = standard;
    }
    if (!folder[0])
        return false;
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        snprintf(uuid + 2 * i, 3, "%02x", p->pipelineCacheUUID[i]);
    int n = snprintf(cache->path, sizeof cache->path, "%s/%08x-%08x-%08x-%s", folder, p->vendorID,
                     p->deviceID, p->driverVersion, uuid);
    if (n < 0 || (size_t)n >= sizeof cache->path - 64) {
        cache->path[0] = '\0';
        return false;
    }
    cache->folder_bytes = strlen(folder);
    return true;
}

/* In the folder. */
static void file_name(const struct pipeline_cache *cache, const struct kept_pipelines *kept,
                      char out[sizeof cache->path])
{
    snprintf(out, sizeof cache->path, "%s-%016llx%016llx" CACHE_ENDING,
             cache->path + cache->folder_bytes + 1, (unsigned long long)kept->key[0],
             (unsigned long long)kept->key[1]);
}

/* *Owns*: the caller, close(). */
static int open_folder(const struct pipeline_cache *cache, bool make, char *why, size_t why_size)
{
    char folder[sizeof cache->path];
    memcpy(folder, cache->path, cache->folder_bytes);
    folder[cache->folder_bytes] = '\0';
    return private_folder_open(folder, make, why, why_size);
}

/* Whether what was read is of this device and these shaders, and whole. */
static bool fits(const struct pipeline_cache *cache, const struct kept_pipelines *kept,
                 const uint8_t *data, size_t size)
{
    struct cache_header found, want = header_for(cache, kept);
    uint8_t digest[32];
    if (size <= sizeof found)
        return false;
    memcpy(&found, data, sizeof found);
    want.size = size - sizeof found;
    vkb_sha256(data + sizeof found, size - sizeof found, digest);
    memcpy(want.sha256, digest, sizeof want.sha256);
    return memcmp(&found, &want, sizeof want) == 0;
}

/* The file, if it fits, else NULL. *Owns*: the caller, free. */
static uint8_t *read_file(const struct pipeline_cache *cache, const struct kept_pipelines *kept,
                          size_t *out_size)
{
    char why[256] = "", name[sizeof cache->path];
    int folder = open_folder(cache, false, why, sizeof why);
    uint8_t *data = NULL;
    file_name(cache, kept, name);
    if (folder != FOLDER_NONE) {
        data = private_file_read(folder, name, CACHE_LIMIT, out_size, why, sizeof why);
        close(folder);
    }
    if (data && fits(cache, kept, data, *out_size))
        return data;
    if (data || why[0])
        log_write(&cache->gpu->log, LOG_WARNING, "the kept pipelines %.*s/%s are not used: %s",
                  (int)cache->folder_bytes, cache->path, name, data ? "they do not fit" : why);
    free(data);
    return NULL;
}

static vkr_status create_cache(const struct gpu *gpu, const void *data, size_t size,
                               VkPipelineCache *out, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                            .initialDataSize = size,
                                            .pInitialData = data};
    vkr_status status = VKR_OK;
    VK(vk->CreatePipelineCache(gpu->handle, &info, NULL, out));
out:
    return status;
}

vkr_status pipeline_cache_init(struct pipeline_cache *cache, struct gpu *gpu, const char *folder,
                               vkr_error *err)
{
    cache->gpu = gpu;
    return name_files(cache, folder) ? VKR_OK : create_cache(gpu, NULL, 0, &cache->memory, err);
}

vkr_status kept_pipelines_open(const struct pipeline_cache *cache, const uint32_t *spirv,
                               uint32_t count, struct kept_pipelines *out, vkr_error *err)
{
    *out = (struct kept_pipelines){.handle = cache->memory};
    if (cache->memory)
        return VKR_OK;
    key_of(spirv, count, out->key);
    size_t size = 0;
    uint8_t *data = read_file(cache, out, &size);
    out->saved_size = data ? size - sizeof(struct cache_header) : 0;
    vkr_status status = create_cache(cache->gpu, data ? data + sizeof(struct cache_header) : NULL,
                                     out->saved_size, &out->handle, err);
    free(data);
    return status;
}

static bool write_file(const struct pipeline_cache *cache, const struct kept_pipelines *kept,
                       const void *blob, size_t size, char *why, size_t why_size)
{
    char name[sizeof cache->path];
    int folder = open_folder(cache, true, why, why_size);
    struct cache_header header = header_for(cache, kept);
    const struct file_part parts[] = {{&header, sizeof header}, {blob, size}};
    if (folder == FOLDER_NONE)
        return false;
    header.size = size;
    vkb_sha256(blob, size, header.sha256);
    file_name(cache, kept, name);
    bool ok = private_file_write(folder, name, parts, 2, why, why_size);
    if (ok)
        private_folder_wrote(folder, CACHE_ENDING, CACHE_MOST, size, kept->key[0]);
    close(folder);
    return ok;
}

void kept_pipelines_save(const struct pipeline_cache *cache, struct kept_pipelines *kept)
{
    const struct vk *vk = &cache->gpu->vk;
    VkDevice device = cache->gpu->handle;
    char why[256];
    size_t size = 0;
    void *blob = NULL;
    if (cache->memory ||
        VK_RESULT(vk->GetPipelineCacheData(device, kept->handle, &size, NULL)) != VK_SUCCESS)
        return;
    if (!size || size == kept->saved_size || size > CACHE_LIMIT - sizeof(struct cache_header))
        return;
    blob = host_alloc(1, size);
    if (!blob ||
        VK_RESULT(vk->GetPipelineCacheData(device, kept->handle, &size, blob)) != VK_SUCCESS)
        goto out;
    if (write_file(cache, kept, blob, size, why, sizeof why))
        kept->saved_size = size;
    else
        log_write(&cache->gpu->log, LOG_WARNING, "pipelines cannot be kept in %.*s: %s",
                  (int)cache->folder_bytes, cache->path, why);
out:
    free(blob);
}

void kept_pipelines_close(const struct pipeline_cache *cache, struct kept_pipelines *kept)
{
    if (kept->handle && !cache->memory)
        cache->gpu->vk.DestroyPipelineCache(cache->gpu->handle, kept->handle, NULL);
    kept->handle = VK_NULL_HANDLE;
}

void pipeline_cache_finish(struct pipeline_cache *cache)
{
    if (cache->memory)
        cache->gpu->vk.DestroyPipelineCache(cache->gpu->handle, cache->memory, NULL);
}
