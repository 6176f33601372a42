/* The pipeline cache kept on disk: one file per vendor, device, driver and cache UUID, with a
   header and digest of its own, since drivers are known to crash on foreign or damaged blobs. A
   file that does not fit is a miss and is replaced. The folder is one that only its user can
   write (private_folder.h). */
#ifndef VKR_PIPELINE_CACHE_H
#define VKR_PIPELINE_CACHE_H

#include <pthread.h>

#include "gpu.h"

struct pipeline_cache {
    struct gpu *gpu;
    VkPipelineCache handle;
    char path[1024];      /* "": not kept on disk */
    size_t folder_bytes;  /* of the path, without the slash before the file's name */
    size_t saved_size;    /* of the blob in the file */
    pthread_mutex_t lock; /* one saving at a time */
};

/* `folder`: NULL: the default, "": none. A cache that cannot be read is not an error. */
vkr_status pipeline_cache_init(struct pipeline_cache *cache, struct gpu *gpu, const char *folder,
                               vkr_error *err);
/* Writes the file if the cache has grown. Failing to is not an error, but is logged. *Blocks*: file
   input and output, so not with the device lock held. */
void pipeline_cache_save(struct pipeline_cache *cache);
/* Accepts zeros. */
void pipeline_cache_finish(struct pipeline_cache *cache);

#endif
