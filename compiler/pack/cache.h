/* The bundle cache: a folder with a file for every key, which only its user can write
   (../runtime/private_folder.h). What is in it can be deleted at any time, and beyond 4 GiB what
   was used longest ago is. Several processes may use it at once. Nothing here fails a compile: an
   entry that cannot be read or written is a miss, and the reason goes to `note`. */
#ifndef VKC_CACHE_H
#define VKC_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_note {
    char text[256];
}; /* "" if there is nothing to say */

/* The bundle of the key, verified, from a file that names the key. False: there is none. A
   corrupt file is removed. *Owns*: the caller, free(*out_data). `note` may be NULL. */
bool cache_get(const char *dir, const uint8_t key[32], void **out_data, size_t *out_size,
               struct cache_note *note);

/* Stores it under the key. Makes the folder if need be. False with a note when that cannot be
   done. */
bool cache_put(const char *dir, const uint8_t key[32], const void *data, size_t size,
               struct cache_note *note);

#endif
