#include "place.h"

struct place program_place(const struct vkr_program *program, const struct place *places,
                           uint32_t buffer)
{
    const struct vkb_buffer *b = &program->bundle.buffers[buffer];
    struct place place = {0};
    struct chunk *chunk = NULL;
    switch (b->kind) {
    case VKB_BUFFER_INPUT: return places[b->index];
    case VKB_BUFFER_OUTPUT: return places[program->bundle.program->ninputs + b->index];
    case VKB_BUFFER_CONSTANT: chunk = program->constants; break;
    case VKB_BUFFER_ARENA: chunk = program->arena; break;
    }
    if (chunk) {
        struct chunk_place in = chunk_place(chunk, b->offset);
        place = (struct place){chunk_serial(chunk), in.piece->block->buffer, in.offset, chunk,
                               b->offset};
    }
    return place;
}
