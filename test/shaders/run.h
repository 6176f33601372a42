/* A kernel written by hand, of a file of shaders/ and what its contract asks for, packed as the
   compiler packs its own and run twice: by the strict machine of test/machine, in several orders of
   invocations, and on the device. */
#ifndef TEST_SHADERS_RUN_H
#define TEST_SHADERS_RUN_H

#include "../e2e/e2e.h"
#include "codegen/template.h"

struct run {
    struct e2e e2e;
    bool has_device;
    struct arena *arena;
};

/* A kernel over `words` words of input and as many of output. */
struct run_kernel {
    const char *name;
    const char
        *glsl; /* after #version; `from` is bound to 0 and `to` to 1, or the other way round */
    bool output_first;
    uint32_t group, groups, shared_bytes, words;
};

enum { WORDS = 4096 }; /* of a kernel's input, and of its output, at most */

#define VARS(list) (list), sizeof(list) / sizeof *(list)

const char *run_number(struct run *r, uint32_t n);
uint32_t run_random(void);

/* A file of shaders/, filled. "" after a failed check. */
const char *run_fill(struct run *r, const char *file, const struct template_var *vars, uint32_t n);

/* With the two buffers of a kernel, whose groups have `group` threads. */
const char *run_kernel_text(struct run *r, uint32_t group, const char *functions, const char *body);

/* Both give `wanted`; checks count in r->e2e.check. */
void run_compare(struct run *r, const struct run_kernel *k, const uint32_t *in,
                 const uint32_t *wanted);

#endif
