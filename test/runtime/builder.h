/* Builds bundles in memory, for tests: append records, then finish. Ids are indices in order of
   calls. Kept independent of the compiler's writer on purpose. */
#ifndef TEST_BUILDER_H
#define TEST_BUILDER_H

#include "../../runtime/bundle.h"

#define BUILDER_LIMIT 256

struct builder {
    struct vkb_program program;
    struct vkb_tensor tensors[BUILDER_LIMIT];
    struct vkb_buffer buffers[BUILDER_LIMIT];
    struct vkb_kernel kernels[BUILDER_LIMIT];
    struct vkb_body bodies[BUILDER_LIMIT];
    struct vkb_need needs[BUILDER_LIMIT];
    struct vkb_step steps[BUILDER_LIMIT];
    struct vkb_groups groups[BUILDER_LIMIT];
    struct vkb_binding bindings[4 * BUILDER_LIMIT];
    uint32_t ntensors, nbuffers, nkernels, nbodies, nneeds, nsteps, ngroups, nbindings;
    uint32_t pushed[BUILDER_LIMIT], npushed;
    uint32_t spirv[64 * BUILDER_LIMIT], nspirv;
    uint8_t constants[4096];
    uint32_t nconstants;
    char strings[4096];
    uint32_t nstrings;
};

enum builder_kernel {
    K_ADD,
    K_ACCUMULATE,
    K_GATE,
    K_INCREMENT,
    K_LESS,
    K_SLOW,
    K_STRAY,
    K_ADD_PARTS,
    K_WILD,
    K_ADD_NARROW,
    K_XOR_TEXELS, /* the first two bindings are texels */
    K_LEAVE,
    K_RICH,
    K_LINE,      /* pushed: out[i] = pushed[0] * i + pushed[1] */
    K_WILD_LINE, /* reads the push constant whose index is in its buffer */
    K_BALLOT     /* asks its subgroup */
};

void builder_init(struct builder *b, const char *name);
/* Inputs before outputs; each also makes the buffer of the same order. *Returns* the buffer. */
uint32_t builder_input(struct builder *b, const char *name, const char *type, uint32_t count);
uint32_t builder_output(struct builder *b, const char *name, const char *type, uint32_t count,
                        uint32_t alias);
uint32_t builder_constant(struct builder *b, const void *data, uint32_t bytes);
uint32_t builder_arena(struct builder *b, uint32_t bytes);
uint32_t builder_kernel(struct builder *b, enum builder_kernel which);
/* One more body, the last so far, for the kernel made last, which has not been dispatched yet. */
struct vkb_body *builder_body(struct builder *b, enum builder_kernel which);
/* The size of the workgroup of the body made last, in its shader, too. */
void builder_local_size(struct builder *b, uint32_t x, uint32_t y, uint32_t z);
/* One more need of the body made last. */
struct vkb_need *builder_need(struct builder *b, enum vkb_need_kind kind);
/* With the same group counts for every body of the kernel; builder_groups changes those of one. */
uint32_t builder_dispatch(struct builder *b, uint32_t kernel, uint32_t groups,
                          const uint32_t *buffers);
uint32_t *builder_groups(struct builder *b, uint32_t step, uint32_t body);
/* What a dispatch of a kernel with push constants has of them. */
void builder_push(struct builder *b, uint32_t step, const uint32_t *words);
/* Ends a list of buffers. */
#define END VKB_NONE
uint32_t builder_copy(struct builder *b, uint32_t from, uint32_t to, uint32_t bytes);
/* Ranges are filled in by the caller: b->steps[step].range_first[0] = ... */
uint32_t builder_control(struct builder *b, enum vkb_step_kind kind, uint32_t predicate);
uint32_t builder_host(struct builder *b, uint32_t callback, const uint32_t *read,
                      const uint32_t *written);
/* The bundle's bytes. *Owns*: the caller, free. Without main range set, main is all steps. */
void *builder_finish(struct builder *b, size_t *out_size);
/* Makes the digest right again after a change. */
void builder_sign(void *bundle, size_t size);

/* out = a + b, f32[count]. */
void *builder_add(uint32_t count, size_t *out_size);
/* out = x + y in place of x. */
void *builder_accumulate(uint32_t count, size_t *out_size);
/* Rounds of a range, until a flag is 0 unless it is VKB_NONE; ranges as above. */
uint32_t builder_repeat(struct builder *b, uint32_t times, uint32_t flag);
/* while (n < limit) n += 1; out = n */
void *builder_count(size_t *out_size);
/* The same in blocks of `times` rounds, which a gate on the device turns off. */
void *builder_count_blocks(uint32_t times, size_t *out_size);

#endif
