/* vkr_program_*: what is in a program. */
#include <string.h>

#include "program.h"

uint32_t vkr_program_inputs(const struct vkr_program *program)
{
    return program ? program->bundle.program->ninputs : 0;
}

uint32_t vkr_program_outputs(const struct vkr_program *program)
{
    return program ? program->bundle.program->noutputs : 0;
}

static void fill_tensor(const struct vkb_view *v, uint32_t index, vkr_tensor_info *out)
{
    const struct vkb_tensor *t = &v->tensors[index];
    bool is_output = index >= v->program->ninputs;
    *out = (vkr_tensor_info){
        .name = vkb_text(v, t->name),
        .type = vkb_text(v, t->type),
        .rank = t->rank,
        .bytes = t->bytes,
        .alias = is_output && t->alias != VKB_NONE ? (int32_t)t->alias : -1,
        .used = is_output || t->used,
    };
    memcpy(out->dims, t->dim, t->rank * sizeof *t->dim);
}

vkr_status vkr_program_input(const struct vkr_program *program, uint32_t index,
                             vkr_tensor_info *out, vkr_error *err)
{
    if (!program || !out || index >= program->bundle.program->ninputs)
        return error_set(err, VKR_INVALID_ARGUMENT, "input %u of %u", index,
                         vkr_program_inputs(program));
    fill_tensor(&program->bundle, index, out);
    return VKR_OK;
}

vkr_status vkr_program_output(const struct vkr_program *program, uint32_t index,
                              vkr_tensor_info *out, vkr_error *err)
{
    if (!program || !out || index >= program->bundle.program->noutputs)
        return error_set(err, VKR_INVALID_ARGUMENT, "output %u of %u", index,
                         vkr_program_outputs(program));
    fill_tensor(&program->bundle, program->bundle.program->ninputs + index, out);
    return VKR_OK;
}

void vkr_program_get_info(const struct vkr_program *program, vkr_program_info *out)
{
    const struct vkb_view *v = &program->bundle;
    *out = (vkr_program_info){
        .name = vkb_text(v, v->program->name),
        .producer = vkb_text(v, v->program->producer),
        .profile = vkb_text(v, v->program->profile),
        .kernels = v->nkernels,
        .dispatches = program->ndispatches,
        .arena_bytes = v->program->arena_bytes,
        .unplanned_bytes = v->program->unplanned_bytes,
        .constants_bytes = v->constants_bytes,
        .steered = program->script.is_steered || program->times,
    };
}

const void *vkr_program_bundle(const struct vkr_program *program, size_t *out_size)
{
    *out_size = program ? (size_t)program->bundle.header->size : 0;
    return program ? program->bytes : NULL;
}
