/* What the code of a kernel needs around it: device features, extensions and library functions.
   It is noted where the code is written; nothing searches the text for it. */
#ifndef VKC_NEEDS_H
#define VKC_NEEDS_H

#include "base/diag.h"
#include "base/type.h"
#include "codegen/library.h"

struct needs {
    /* vkb_feature bits. FMA: fused multiply-adds if the target has them; functions do without. */
    uint32_t features;
    uint16_t *calls; /* functions of vkc_library, each once, by their first calls */
    uint32_t ncalls, cap_calls;
    const char *missing, *missing_type; /* a function that the library does not have, or NULL */
};

/* The GLSL type of a register that holds the Nx type. */
const char *needs_type(struct needs *n, enum vkc_type t);
/* A call of a library function, "nx_exp", with a first argument of the type, and its size. False
   when out of memory. */
bool needs_call(struct needs *n, struct arena *a, const char *name, enum vkc_type t,
                uint32_t *out_size);
/* Takes over what other code of the same kernel needs. */
bool needs_join(struct needs *n, struct arena *a, const struct needs *other);
/* The functions that are called, with shaders/prelude.glsl before them; notes what they need. */
bool needs_functions(struct needs *n, struct arena *a, struct str *out, struct diag *d);
/* The #extension lines that go with the features. */
void needs_extensions(const struct needs *n, struct str *out);

#endif
