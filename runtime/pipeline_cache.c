#include "pipeline_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "env.h"

#define CACHE_MAGIC 0x31435056u     /* "VPC1" */
#define CACHE_LIMIT (256u << 20)    /* bytes of blob that are read at all */

struct cache_header {
    uint32_t magic, vendor, device, driver;
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t size;                  /* of the blob that follows */
    uint8_t sha256[32];             /* of the blob */
};

static struct cache_header header_for(const struct vkr_device *device)
{
    const VkPhysicalDeviceProperties *p = &device->facts.properties;
    struct cache_header h = {.magic = CACHE_MAGIC, .vendor = p->vendorID, .device = p->deviceID, .driver = p->driverVersion};
    memcpy(h.uuid, p->pipelineCacheUUID, sizeof h.uuid);
    return h;
}

/* Creates a folder and those above it. */
static void make_folders(const char *path)
{
    char part[1024];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i])
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        mkdir(part, 0700);
    }
}

static bool name_file(struct vkr_device *device, const char *folder)
{
    struct pipeline_cache *cache = &device->pipeline_cache;
    const VkPhysicalDeviceProperties *p = &device->facts.properties;
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
    int n = snprintf(cache->path, sizeof cache->path, "%s/%08x-%08x-%08x-%s.pipelines", folder, p->vendorID, p->deviceID,
                     p->driverVersion, uuid);
    if (n < 0 || (size_t)n >= sizeof cache->path - 32) {
        cache->path[0] = '\0';
        return false;
    }
    make_folders(folder);
    return true;
}

/* The blob of a file that fits this device and is whole, else NULL. *Owns*: the caller, free. */
static void *read_file(struct vkr_device *device, size_t *out_size)
{
    struct cache_header found, want = header_for(device);
    uint8_t digest[32];
    void *blob = NULL;
    FILE *file = fopen(device->pipeline_cache.path, "rb");
    if (!file)
        return NULL;
    if (fread(&found, sizeof found, 1, file) != 1 || found.size > CACHE_LIMIT)
        goto out;
    want.size = found.size;
    memcpy(want.sha256, found.sha256, sizeof want.sha256);
    if (memcmp(&found, &want, sizeof want))
        goto out;
    blob = host_alloc(1, (size_t)found.size);
    if (!blob || fread(blob, 1, (size_t)found.size, file) != found.size || fgetc(file) != EOF) {
        free(blob);
        blob = NULL;
        goto out;
    }
    vkb_sha256(blob, (size_t)found.size, digest);
    if (memcmp(digest, found.sha256, sizeof digest)) {
        free(blob);
        blob = NULL;
        goto out;
    }
    *out_size = (size_t)found.size;
out:
    fclose(file);
    if (!blob)
        log_write(&device->log, LOG_WARNING, "the pipeline cache %s does not fit and is replaced", device->pipeline_cache.path);
    return blob;
}

vkr_status pipeline_cache_init(struct vkr_device *device, const char *folder, vkr_error *err)
{
    const struct vk *vk = &device->vk;
    struct pipeline_cache *cache = &device->pipeline_cache;
    vkr_status status = VKR_OK;
    size_t size = 0;
    void *blob = name_file(device, folder) ? read_file(device, &size) : NULL;
    VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = blob};
    VK(vk->CreatePipelineCache(device->handle, &info, NULL, &cache->handle));
    cache->saved_size = size;
out:
    free(blob);
    return status;
}

static bool write_file(const char *path, const struct cache_header *header, const void *blob)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool ok = fwrite(header, sizeof *header, 1, file) == 1 && fwrite(blob, 1, (size_t)header->size, file) == header->size;
    return !fclose(file) && ok;
}

static void save_locked(struct vkr_device *device)
{
    const struct vk *vk = &device->vk;
    struct pipeline_cache *cache = &device->pipeline_cache;
    struct cache_header header = header_for(device);
    char temporary[sizeof cache->path + 32];
    size_t size = 0;
    void *blob = NULL;
    if (!cache->path[0] || VK_RESULT(vk->GetPipelineCacheData(device->handle, cache->handle, &size, NULL)) != VK_SUCCESS)
        return;
    if (!size || size == cache->saved_size || size > CACHE_LIMIT)
        return;
    blob = host_alloc(1, size);
    if (!blob || VK_RESULT(vk->GetPipelineCacheData(device->handle, cache->handle, &size, blob)) != VK_SUCCESS)
        goto out;
    header.size = size;
    vkb_sha256(blob, size, header.sha256);
    snprintf(temporary, sizeof temporary, "%s.%ld", cache->path, (long)getpid());
    if (write_file(temporary, &header, blob) && !rename(temporary, cache->path)) {
        cache->saved_size = size;
    } else {
        log_write(&device->log, LOG_WARNING, "the pipeline cache %s cannot be written: %s", cache->path, strerror(errno));
        remove(temporary);
    }
out:
    free(blob);
}

void pipeline_cache_save(struct vkr_device *device)
{
    pthread_mutex_lock(&device->pipeline_cache.lock);
    save_locked(device);
    pthread_mutex_unlock(&device->pipeline_cache.lock);
}

void pipeline_cache_finish(struct vkr_device *device)
{
    struct pipeline_cache *cache = &device->pipeline_cache;
    if (cache->handle)
        device->vk.DestroyPipelineCache(device->handle, cache->handle, NULL);
}
