#include "texels.h"

#include <stdlib.h>

struct texel_view *texels_create(const struct vkr_program *program)
{
    return host_alloc(program->bundle.nbuffers, sizeof(struct texel_view));
}

static void destroy(struct vkr_program *program, struct texel_view *view)
{
    const struct gpu *gpu = &program->device->gpu;
    if (view->handle)
        gpu->vk.DestroyBufferView(gpu->handle, view->handle, NULL);
    *view = (struct texel_view){0};
}

vkr_status texels_bind(struct vkr_program *program, const struct place *places, uint32_t buffer,
                       struct texel_view *view, vkr_error *err)
{
    const struct gpu *gpu = &program->device->gpu;
    const struct vk *vk = &gpu->vk;
    struct place place = program_place(program, places, buffer);
    vkr_status status = VKR_OK;
    if (view->handle && view->serial == place.serial && view->offset == place.offset)
        return VKR_OK;
    destroy(program, view);
    VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = place.buffer,
                                   .format = VK_FORMAT_R32G32B32A32_UINT,
                                   .offset = place.offset,
                                   .range =
                                       vkb_texel_view_bytes(program->bundle.buffers[buffer].bytes)};
    struct chunk_place in = chunk_place(place.chunk, place.at);
    if (info.range > in.piece->block->size - info.offset) /* only of memory of the host */
        return error_set(err, VKR_INVALID_ARGUMENT,
                         "memory that was imported must begin at a multiple of %u for %s",
                         VKB_TEXEL_BYTES, program_name(program));
    VK(vk->CreateBufferView(gpu->handle, &info, NULL, &view->handle));
    view->serial = place.serial;
    view->offset = place.offset;
out:
    return status;
}

void texels_destroy(struct vkr_program *program, struct texel_view *views)
{
    for (uint32_t i = 0; views && i < program->bundle.nbuffers; i++)
        destroy(program, &views[i]);
    free(views);
}
