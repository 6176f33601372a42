/* SHA-256, used for bundles and cache keys. */
#ifndef VKR_SHA256_H
#define VKR_SHA256_H

#include <stddef.h>
#include <stdint.h>

void vkb_sha256(const void *data, size_t size, uint8_t out[32]);

#endif
