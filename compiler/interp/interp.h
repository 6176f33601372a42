/* The reference interpreter: every op on the CPU, in the plainest way. Generated code is
   compared with it, and it is compared with Nx. Slow on purpose; shares no code with fusion or
   GLSL. */
#ifndef VKC_INTERP_H
#define VKC_INTERP_H

#include "ir/ir.h"

/* A tensor in host memory: dense, row-major, `tensor_bytes(&t)` bytes as stored. */
struct array {
    struct tensor tensor;
    void *data;
};

/* Runs function `func` on `inputs` (one per parameter). `outputs` has room for the results;
   their data is allocated in `a`. Effects (hook, runtime_call) fail with DIAG_UNSUPPORTED, hooks
   pass through. */
bool interp_run(const struct graph *g, uint32_t func, struct arena *a, const struct array *inputs,
                struct array *outputs, struct diag *d);

/* One node on given inputs; `outputs` has room for n->nouts. Used by constant folding. */
bool interp_node(const struct graph *g, const struct node *n, struct arena *a,
                 const struct array *inputs, struct array *outputs, struct diag *d);

/* Runs function `func` in place of the interpreter, with memory of `a`. */
typedef bool interp_call(void *with, uint32_t func, struct arena *a, const struct array *inputs,
                         struct array *outputs);

/* As interp_node, of a reduce or window_reduce whose steps are calls. For tests, which have
   steps of their own. */
bool interp_fold(const struct graph *g, const struct node *n, struct arena *a,
                 const struct array *inputs, struct array *outputs, interp_call *call, void *with,
                 struct diag *d);

#endif
