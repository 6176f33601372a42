/* Pipelines kept on disk: a file for each set of shaders and each vendor, device, driver and cache
   UUID, so that what a program costs to load and to keep does not depend on how many others there
   are. A header and a digest of its own stand before what the driver gives, since drivers are known
   to crash on foreign or damaged blobs. A file that does not fit is a miss and is replaced. The
   folder is one that only its user can write (private_folder.h); of its files those that were used
   longest ago go away when all together are too large. */
#ifndef VKR_PIPELINE_CACHE_H
#define VKR_PIPELINE_CACHE_H

#include "gpu.h"

/* A device's. */
struct pipeline_cache {
    struct gpu *gpu;
    VkPipelineCache memory; /* of all programs, where nothing is kept on disk */
    char path[1024];        /* folder, slash, how the files' names begin; "": not kept on disk */
    size_t folder_bytes;    /* of the path, without the slash */
};

/* A program's, while it is loaded. */
struct kept_pipelines {
    VkPipelineCache handle;
    uint64_t key[2];   /* of its shaders */
    size_t saved_size; /* of the blob in the file; 0: there is none that fits */
};

/* `folder`: NULL: the default, "": none. */
vkr_status pipeline_cache_init(struct pipeline_cache *cache, struct gpu *gpu, const char *folder,
                               vkr_error *err);
/* What is kept of the pipelines of these shaders. A file that cannot be read is not an error.
   *Owns*: the caller, kept_pipelines_close. *Blocks*: file input. */
vkr_status kept_pipelines_open(const struct pipeline_cache *cache, const uint32_t *spirv,
                               uint32_t count, struct kept_pipelines *out, vkr_error *err);
/* Writes the file if there are more pipelines than in it. Failing to is not an error, but is
   logged. *Blocks*: file input and output, so not with the device lock held. */
void kept_pipelines_save(const struct pipeline_cache *cache, struct kept_pipelines *kept);
/* Accepts zeros. */
void kept_pipelines_close(const struct pipeline_cache *cache, struct kept_pipelines *kept);
/* Accepts zeros. */
void pipeline_cache_finish(struct pipeline_cache *cache);

#endif
