/* Where the buffers of a bundle are in device memory. */
#ifndef VKR_PLACE_H
#define VKR_PLACE_H

#include "program.h"

/* What a run binds to one input or output. */
struct place {
    uint64_t serial; /* of the block; 0: nothing bound */
    VkBuffer buffer;
    uint64_t offset;
    struct chunk *chunk; /* the allocation, and where in it */
    uint64_t at;
};

/* Where a bundle's buffer is in this run, as bound by `places`. */
struct place program_place(const struct vkr_program *program, const struct place *places,
                           uint32_t buffer);

#endif
