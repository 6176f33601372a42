/* What a kernel does with each of its storage buffers, from its instructions: whether one loads
   from it or stores to it. Looks at no decoration, so that it can be compared with what others
   claim. */
#ifndef TEST_WATCH_SPIRV_ACCESS_H
#define TEST_WATCH_SPIRV_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPIRV_BINDINGS = 256 };

enum spirv_use { SPIRV_READS = 1, SPIRV_WRITES = 2 }; /* as VKB_READ and VKB_WRITE */

struct spirv_access {
    uint8_t uses[SPIRV_BINDINGS]; /* spirv_use bits, by binding of set 0 */
    uint32_t nbindings;           /* the highest that it declares, and one */
    bool has_length;              /* asks a buffer for its length */
};

/* False for what is not a module, or has more bindings than fit. */
bool spirv_access_read(const uint32_t *words, size_t count, struct spirv_access *out);

#endif
