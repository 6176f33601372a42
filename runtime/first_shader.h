/* Makes the driver of a CPU compile a shader and run it, before anyone else does. Lavapipe's
   compiler registers its destructors with exit() when it first makes code, on a thread of its own;
   once that has been, what at_exit.h registers stays ahead of them. Must not know programs. */
#ifndef VKR_FIRST_SHADER_H
#define VKR_FIRST_SHADER_H

#include "gpu.h"

/* *Blocks* until it has run: some 20 ms the first time in a process. */
vkr_status first_shader_run(struct gpu *gpu, vkr_error *err);

#endif
