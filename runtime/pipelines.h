/* The pipelines of a program, and their layouts. */
#ifndef VKR_PIPELINES_H
#define VKR_PIPELINES_H

#include "program.h"

/* VKR_CANCELLED if the caller has cancelled the load, else VKR_OK. `options` may be NULL. */
vkr_status load_check(const vkr_load_options *options, vkr_error *err);

/* Creates set layouts, pipeline layouts and pipelines, the latter in parallel. `options` may be
   NULL. *Blocks*. */
vkr_status pipelines_create(struct vkr_program *program, const vkr_load_options *options,
                            vkr_error *err);
void pipelines_destroy(struct vkr_program *program);

#endif
