/* In place of spirv.c in builds without shaderc (NO_SHADERC=1): everything but bundles can be
   made. */
#include "pack/spirv.h"

bool spirv_is_built(void)
{
    return false;
}

bool spirv_compile(struct plan *p, uint32_t threads, vkc_progress progress, void *context,
                   struct cancel *cancel, struct diag *d)
{
    (void)p, (void)threads, (void)progress, (void)context, (void)cancel;
    return FAIL(
        d, UNSUPPORTED,
        "this libvkc was built without shaderc, which bundles need; it makes ir, plan, glsl and dot");
}
