/* What $VKR_DEBUG shows of programs and runs; each function does nothing unless its word is set. */
#ifndef VKR_TRACE_H
#define VKR_TRACE_H

#include "program.h"

/* Seconds, of a clock that only goes forward. */
double trace_now(void);

void trace_load(const struct vkr_program *program, double start);
/* Also the times of its kernels. */
void trace_unload(struct vkr_program *program);
/* A run that began at `start`, when the device's counters were `before`. */
void trace_run(const struct vkr_program *program, const vkr_counters *before, double start);
/* A step that was submitted by itself at `start`, and has ended with `status`, which is
   returned; the error gets the step's name. */
vkr_status trace_step(const struct vkr_program *program, uint32_t segment, double start,
                      vkr_status status, vkr_error *err);

#endif
