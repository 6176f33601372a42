/* Graphs compiled, run on the device and compared with the interpreter. */
#ifndef E2E_H
#define E2E_H

#include "../front/check.h"
#include "perturb.h"
#include "vkc.h"
#include "vkr.h"

/* The device, what it can do, and the counts. VALIDATE in the environment turns validation on; any
   message of the driver or a layer fails. */
struct e2e {
    struct check check;
    vkr_device *device;
    struct vkc_target target;
    int64_t compared, loose;    /* elements; those that depend on rounding */
    bool long_loops;            /* the graph at hand may pass what a driver with a loop limit allows */
};

/* False, with the reason printed, where there is no device. */
bool e2e_open(struct e2e *e);
/* Prints the counts. *Returns* the exit status. */
int e2e_close(struct e2e *e);

/* How a graph is compiled. */
enum e2e_variant {
    E2E_AS_TARGET,
    E2E_AS_GPU,                 /* the schedule of a GPU, shared memory and all, whatever the device is */
    E2E_UNFUSED,
    E2E_VARIANTS
};
extern const char *const e2e_variant_names[E2E_VARIANTS];

struct e2e_options {
    struct vkc_target target;
    struct vkc_options compile;
};
void e2e_options(const struct e2e *e, enum e2e_variant variant, struct e2e_options *out);

/* A loaded program, or NULL after a failed check. */
vkr_program *e2e_load(struct e2e *e, const char *name, const char *json, size_t size, enum e2e_variant variant);

/* Runs it on host arrays; `outputs` are allocated with malloc. False after a failed check. */
bool e2e_run(struct e2e *e, const char *name, vkr_program *program, const struct array *inputs, void **outputs);

/* Compiles in the given variants, runs on every set of inputs and compares. A set has an array for each
   parameter of the graph, which is the one in the JSON. */
void e2e_compare(struct e2e *e, const char *name, const char *json, size_t size, const struct graph *g,
                 const struct array *const *sets, uint32_t nsets, unsigned variants);

/* Fills an input: values between -1 and 1 or small integers; with `edges`, also what is rarely thought of. */
void e2e_fill(const struct array *x, uint64_t *random, bool edges);

#endif
