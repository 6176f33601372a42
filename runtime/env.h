/* The process environment: the only file of the runtime that reads it. */
#ifndef VKR_ENV_H
#define VKR_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* $VKR_DEVICE: index or part of the name of the device to use. *Returns* NULL if unset or empty. */
const char *env_device(void);

/* $VKR_DEBUG: see debug.h. *Returns* NULL if unset or empty. */
const char *env_debug(void);

/* $VKR_MEMORY_BUDGET: bytes of device memory to use at most, or with K, M or G behind the number
   so many KiB, MiB or GiB. *out is 0 if it is unset or empty. False if it is not such a number, and
   then *out_text is what it is. */
bool env_memory_budget(uint64_t *out, const char **out_text);

/* The folder for pipeline caches: $XDG_CACHE_HOME/vkr, else $HOME/.cache/vkr. False if neither
   is an absolute path. */
bool env_cache_folder(char *out, size_t out_size);

#endif
