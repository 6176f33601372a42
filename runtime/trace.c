#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef unsigned long long ull;

double trace_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The bodies that are taken of kernels that have several: "k3 1, k7 0". */
static void list_taken(const struct vkr_program *program, char *out, size_t size)
{
    const struct vkb_view *v = &program->bundle;
    size_t at = 0;
    *out = '\0';
    for (uint32_t i = 0; i < v->nkernels && at < size; i++)
        if (v->kernels[i].nbodies > 1)
            at += (size_t)snprintf(out + at, size - at, "%s%.20s %u for %.40s", at ? ", " : "",
                                   vkb_text(v, v->kernels[i].name), program->taken[i],
                                   vkb_text(v, vkb_body_of(v, i, program->taken[i])->profile));
}

void trace_load(const struct vkr_program *program, double start)
{
    vkr_program_info p;
    if (!program->device->gpu.debug.trace)
        return;
    vkr_program_get_info(program, &p);
    log_write(
        &program->device->gpu.log, LOG_INFO,
        "load %s for %s: %u kernels, %u dispatches, arena %llu of %llu bytes, constants %llu bytes; %.1f ms",
        p.name, p.profile, p.kernels, p.dispatches, (ull)p.arena_bytes, (ull)p.unplanned_bytes,
        (ull)p.constants_bytes, (trace_now() - start) * 1e3);
    char taken[400];
    list_taken(program, taken, sizeof taken);
    if (taken[0])
        log_write(&program->device->gpu.log, LOG_INFO, "load %s: bodies %s", p.name, taken);
}

static void show_times(struct vkr_program *program)
{
    uint32_t count = 0, capacity = program->bundle.nsteps;
    vkr_kernel_time *times = host_alloc(capacity, sizeof *times);
    if (!times)
        log_write(&program->device->gpu.log, LOG_WARNING, "time %s: out of host memory",
                  program_name(program));
    if (times && !vkr_program_times(program, times, capacity, &count, NULL))
        for (const vkr_kernel_time *t = times; t < times + count; t++)
            log_write(&program->device->gpu.log, LOG_INFO,
                      "time %s %s: %llu runs, %.2f us each  %s", program_name(program), t->name,
                      (ull)t->runs, t->runs ? t->seconds / (double)t->runs * 1e6 : 0, t->label);
    free(times);
}

void trace_unload(struct vkr_program *program)
{
    const struct debug *debug = &program->device->gpu.debug;
    if (!program->script.items)
        return; /* its bundle was refused */
    if (debug->time && program->times)
        show_times(program);
    if (debug->trace)
        log_write(&program->device->gpu.log, LOG_INFO, "unload %s after %llu submissions",
                  program_name(program), (ull)program->run_tick);
}

void trace_run(const struct vkr_program *program, const vkr_counters *before, double start)
{
    const vkr_counters *after = &program->device->gpu.counters;
    if (!program->device->gpu.debug.trace)
        return;
    ull submits = after->submits - before->submits,
        dispatches = after->dispatches - before->dispatches;
    ull recordings = after->recordings - before->recordings, waits = after->waits - before->waits;
    ull allocations = after->device_allocations - before->device_allocations;
    log_write(
        &program->device->gpu.log, LOG_INFO,
        "run %s: %llu submits, %llu dispatches, %llu recordings, %llu waits, %llu device allocations; %.1f us",
        program_name(program), submits, dispatches, recordings, waits, allocations,
        (trace_now() - start) * 1e6);
}

/* The kernel that a segment begins with: k3 and its label. */
static void name_step(const struct vkr_program *program, const struct segment *segment,
                      const char **out_name, const char **out_label)
{
    const struct vkb_view *v = &program->bundle;
    *out_name = "copy", *out_label = "";
    for (uint32_t i = segment->first, count = segment->count; count;
         i = v->steps[i].range_first[0]) {
        const struct vkb_step *step = &v->steps[i];
        if (step->kind == VKB_STEP_DISPATCH)
            *out_name = vkb_text(v, v->kernels[step->kernel].name),
            *out_label = vkb_text(v, v->kernels[step->kernel].label);
        if (step->kind != VKB_STEP_REPEAT)
            return;
        count = step->range_count[0];
    }
}

vkr_status trace_step(const struct vkr_program *program, uint32_t segment, double start,
                      vkr_status status, vkr_error *err)
{
    const struct debug *debug = &program->device->gpu.debug;
    const char *name, *label;
    if (!debug->sync)
        return status;
    name_step(program, &program->script.segments[segment], &name, &label);
    if (debug->trace)
        log_write(&program->device->gpu.log, status ? LOG_ERROR : LOG_INFO,
                  "step %s %s: %.1f us%s  %s", program_name(program), name,
                  (trace_now() - start) * 1e6, status ? ", failed" : "", label);
    if (!status || !err)
        return status;
    vkr_error cause = *err;
    return error_set(err, status, "%s of %s (%s): %s", name, program_name(program), label,
                     cause.message);
}
