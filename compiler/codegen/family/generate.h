/* GLSL of one kernel. */
#ifndef VKC_GENERATE_H
#define VKC_GENERATE_H

#include "codegen/emit/emit.h"

/* Fills glsl, groups, bindings, features. `why_not` gets the reason when the kernel's nodes do
   not fit together, which is an answer, not an error. */
bool kernel_generate(struct unit *u, struct kernel *k, const char **why_not, struct diag *d);
/* The same without the text: whether the nodes fit together, and what they compute. */
bool kernel_fits(struct unit *u, struct kernel *k, const char **why_not, struct diag *d);

/* ---- what families and workgroup programs use of it ---- */
/* Why the target cannot run it: too many buffers, loops or too much shared memory; or NULL. */
const char *kernel_over_limit(struct emit *e);
bool kernel_body(struct unit *u, struct kernel *k, uint32_t most_unroll, bool uniform,
                 struct emit *e, struct diag *d);
const char *kernel_label(const struct unit *u, struct arena *a, const struct kernel *k);
/* The #extension lines of a code with these needs; sets the kernel's features. */
const char *kernel_extensions(struct kernel *k, struct arena *a, const struct vkc_target *t,
                              const struct needs *needs);

#endif
