#include "pipeline_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "private_folder.h"
#include "sha256.h"

#define CACHE_MAGIC 0x31435056u  /* "VPC1" */
#define CACHE_LIMIT (256u << 20) /* bytes of a file that is read at all */

struct cache_header {
    uint32_t magic, vendor, device, driver;
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t size;      /* of the blob that follows */
    uint8_t sha256[32]; /* of the blob */
};

static struct cache_header header_for(const struct pipeline_cache *cache)
{
    const VkPhysicalDeviceProperties *p = &cache->gpu->facts.properties;
    struct cache_header h = {.magic = CACHE_MAGIC,
                             .vendor = p->vendorID,
                             .device = p->deviceID,
                             .driver = p->driverVersion};
    memcpy(h.uuid, p->pipelineCacheUUID, sizeof h.uuid);
    return h;
}

static bool name_file(struct pipeline_cache *cache, const char *folder)
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
    int n = snprintf(cache->path, sizeof cache->path, "%s/%08x-%08x-%08x-%s.pipelines", folder,
                     p->vendorID, p->deviceID, p->driverVersion, uuid);
    if (n < 0 || (size_t)n >= sizeof cache->path - 32) {
        cache->path[0] = '\0';
        return false;
    }
    cache->folder_bytes = strlen(folder);
    return true;
}

/* *Owns*: the caller, close(). */
static int open_folder(const struct pipeline_cache *cache, bool make, char *why, size_t why_size)
{
    char folder[sizeof cache->path];
    memcpy(folder, cache->path, cache->folder_bytes);
    folder[cache->folder_bytes] = '\0';
    return private_folder_open(folder, make, why, why_size);
}

/* Whether what was read is of this device, and whole. */
static bool fits(const struct pipeline_cache *cache, const uint8_t *data, size_t size)
{
    struct cache_header found, want = header_for(cache);
    uint8_t digest[32];
    if (size <= sizeof found)
        return false;
    memcpy(&found, data, sizeof found);
    want.size = size - sizeof found;
    vkb_sha256(data + sizeof found, size - sizeof found, digest);
    memcpy(want.sha256, digest, sizeof want.sha256);
    return memcmp(&found, &want, sizeof want) == 0;
}

/* The file, if it fits this device, else NULL. *Owns*: the caller, free. */
static uint8_t *read_file(struct pipeline_cache *cache, size_t *out_size)
{
    char why[256] = "";
    int folder = open_folder(cache, false, why, sizeof why);
    uint8_t *data = NULL;
    if (folder != FOLDER_NONE) {
        data = private_file_read(folder, cache->path + cache->folder_bytes + 1, CACHE_LIMIT,
                                 out_size, why, sizeof why);
        close(folder);
    }
    if (data && fits(cache, data, *out_size))
        return data;
    if (data || why[0])
        log_write(&cache->gpu->log, LOG_WARNING, "the pipeline cache %s is not used: %s",
                  cache->path, data ? "it does not fit" : why);
    free(data);
    return NULL;
}

vkr_status pipeline_cache_init(struct pipeline_cache *cache, struct gpu *gpu, const char *folder,
                               vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    cache->gpu = gpu;
    vkr_status status = VKR_OK;
    size_t size = 0;
    uint8_t *data = name_file(cache, folder) ? read_file(cache, &size) : NULL;
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (data)
        info.initialDataSize = size - sizeof(struct cache_header),
        info.pInitialData = data + sizeof(struct cache_header);
    VK(vk->CreatePipelineCache(cache->gpu->handle, &info, NULL, &cache->handle));
    cache->saved_size = info.initialDataSize;
out:
    free(data);
    return status;
}

static bool write_file(const struct pipeline_cache *cache, const struct cache_header *header,
                       const void *blob, char *why, size_t why_size)
{
    int folder = open_folder(cache, true, why, why_size);
    const struct file_part parts[] = {{header, sizeof *header}, {blob, (size_t)header->size}};
    if (folder == FOLDER_NONE)
        return false;
    bool ok =
        private_file_write(folder, cache->path + cache->folder_bytes + 1, parts, 2, why, why_size);
    close(folder);
    return ok;
}

static void save_locked(struct pipeline_cache *cache)
{
    const struct vk *vk = &cache->gpu->vk;
    struct cache_header header = header_for(cache);
    char why[256];
    size_t size = 0;
    void *blob = NULL;
    if (!cache->path[0] || VK_RESULT(vk->GetPipelineCacheData(cache->gpu->handle, cache->handle,
                                                              &size, NULL)) != VK_SUCCESS)
        return;
    if (!size || size == cache->saved_size || size > CACHE_LIMIT - sizeof header)
        return;
    blob = host_alloc(1, size);
    if (!blob || VK_RESULT(vk->GetPipelineCacheData(cache->gpu->handle, cache->handle, &size,
                                                    blob)) != VK_SUCCESS)
        goto out;
    header.size = size;
    vkb_sha256(blob, size, header.sha256);
    if (write_file(cache, &header, blob, why, sizeof why))
        cache->saved_size = size;
    else
        log_write(&cache->gpu->log, LOG_WARNING, "the pipeline cache %s cannot be written: %s",
                  cache->path, why);
out:
    free(blob);
}

void pipeline_cache_save(struct pipeline_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    save_locked(cache);
    pthread_mutex_unlock(&cache->lock);
}

void pipeline_cache_finish(struct pipeline_cache *cache)
{
    if (cache->handle)
        cache->gpu->vk.DestroyPipelineCache(cache->gpu->handle, cache->handle, NULL);
}
