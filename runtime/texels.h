/* Views of buffers that kernels read as texels (bundle.h). A view belongs to what binds it, a slot
   or the program, and stays as long as its buffer is bound at the same place. Memory that is given
   back may still have views: they are not used again. *Threads*: hold the device lock. */
#ifndef VKR_TEXELS_H
#define VKR_TEXELS_H

#include "place.h"

struct texel_view {
    VkBufferView handle;
    uint64_t serial, offset; /* of the place that it is of */
};

/* By buffer of the bundle, all of them empty; NULL: no memory. *Owns*: the caller, texels_destroy.
   */
struct texel_view *texels_create(const struct vkr_program *program);
/* The view of a buffer at its place in this run: the one that there is, or a new one in its stead.
   The old one must not be in use. */
vkr_status texels_bind(struct vkr_program *program, const struct place *places, uint32_t buffer,
                       struct texel_view *view, vkr_error *err);
void texels_destroy(struct vkr_program *program, struct texel_view *views);

#endif
