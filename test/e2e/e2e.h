/* Graphs compiled, run on the device and compared with the interpreter. */
#ifndef E2E_H
#define E2E_H

#include "../front/check.h"
#include "perturb.h"
#include "vkc.h"
#include "vkr.h"

/* The fraction of the elements that may depend on rounding and so are not compared, by set: the
   first has plain inputs, the others have edges. More is a failure. */
struct e2e_caps {
    double plain, edges;
};
#define E2E_CAPS ((struct e2e_caps){0.01, 0.05})

/* The device, what it can do, and the counts. VALIDATE in the environment turns validation on;
   any message of the driver or a layer fails. With PARTS in it every variant binds tensors of
   more than 64 KiB in parts, and no allocation of the device is larger than 128 KiB, so that
   they lie in several. */
struct e2e {
    struct check check;
    vkr_device *device;
    struct vkc_target target;
    int64_t compared, loose; /* elements; those that depend on rounding */
    struct e2e_caps caps;    /* of the case at hand; E2E_CAPS from e2e_open on */
    bool text_ir;            /* graphs are given as text IR, where it says JSON below */
    bool long_loops;         /* the graph at hand may pass what a driver with a loop limit allows */
};

/* False, with the reason printed, where there is no device. */
bool e2e_open(struct e2e *e);
/* Prints the counts. *Returns* the exit status. */
int e2e_close(struct e2e *e);

/* How a graph is compiled. */
enum e2e_variant {
    E2E_AS_TARGET,
    E2E_AS_GPU, /* for the profile nvidia, shared memory and all, on whatever the device is */
    E2E_UNFUSED,
    E2E_PARTS, /* tensors of more than 64 KiB are bound in parts */
    E2E_ALSO,  /* planned for the baseline, with second bodies for the device, which takes those */
    E2E_VARIANTS
};
extern const char *const e2e_variant_names[E2E_VARIANTS];

struct e2e_options {
    struct vkc_target target;
    struct vkc_options compile;
};
void e2e_options(const struct e2e *e, enum e2e_variant variant, struct e2e_options *out);

/* Compiles it, with the text of the plan; the result is to be freed either way. False after a
   failed check. */
bool e2e_compile(struct e2e *e, const char *name, const char *json, size_t size,
                 enum e2e_variant variant, struct vkc_result *out);

/* A loaded program, or NULL after a failed check. */
vkr_program *e2e_load(struct e2e *e, const char *name, const char *json, size_t size,
                      enum e2e_variant variant);

/* The same of test/graphs/NAME.json; what is checked is called `name`. */
vkr_program *e2e_load_graph(struct e2e *e, const char *name, enum e2e_variant variant);

/* Whether the plan of it, as for a GPU, has the word. */
void e2e_check_plan(struct e2e *e, const char *name, const char *json, const char *word,
                    bool wanted);

/* Runs it on host arrays; `outputs` are allocated with malloc. False after a failed check. */
bool e2e_run(struct e2e *e, const char *name, vkr_program *program, const struct array *inputs,
             void **outputs);

/* Loads the graph as a program from anywhere, with its guards: the outputs have the bits of
   `wanted`, those of the trusted one. In parts it may be refused, since these have addresses. */
void e2e_compare_untrusted(struct e2e *e, const char *name, const char *json,
                           enum e2e_variant variant, const struct array *inputs,
                           void *const *wanted);

/* Runs a program of the graph and compares it with the interpreter. */
void e2e_compare_program(struct e2e *e, const char *name, vkr_program *program,
                         const struct graph *g, const struct array *inputs);

/* Compiles in the given variants, runs on every set of inputs and compares. A set has an array
   for each parameter of the graph, which is the one in the JSON. */
void e2e_compare(struct e2e *e, const char *name, const char *json, size_t size,
                 const struct graph *g, const struct array *const *sets, uint32_t nsets,
                 unsigned variants);

/* What an input has beside values between -1 and 1, or small integers: one element in eight is */
enum e2e_values {
    E2E_PLAIN, /* like the others */
    E2E_EDGES, /* what is rarely thought of: infinities, NaN, what overflows, subnormals, zeros */
    E2E_FINITE_EDGES, /* of those what leaves sums and products finite */
    /* finite edges, in a row along the first axis any, of vectors in one element of 32; no
       subnormals, which a driver's fma may take for 0, and 0 times an infinity is NaN */
    E2E_ROW_OF_EDGES,
};
void e2e_fill(const struct array *x, uint64_t *random, enum e2e_values values);

/* Fills one in a test's own way: the parameter `input` of the set `set`. */
typedef void e2e_fill_fn(const void *context, const struct array *x, uint32_t input, uint32_t set,
                         uint64_t *random);

/* An array for each parameter, filled by `fill` or, without one, by e2e_fill. NULL after a
   failed check. */
struct array *e2e_inputs(struct e2e *e, struct arena *a, const struct func *f, uint32_t set,
                         e2e_fill_fn *fill, const void *context, uint64_t *random);

/* Imports the graph and compares it, as above, on one or two sets of such inputs. */
void e2e_compare_json(struct e2e *e, const char *name, const char *json, uint32_t nsets,
                      e2e_fill_fn *fill, const void *context, unsigned variants);

#endif
