/* The bundle (.vkb): a compiled program as one file. This header is the format's specification, and
   all that compiler/ and runtime/ share. No Vulkan in it.

   Little-endian. A bundle is a header, a table of sections, and the sections, each at a multiple of
   16 bytes. Every section but STRINGS, SPIRV and CONSTANTS is an array of the fixed-size records
   below. Text is an offset into STRINGS, where each string ends in NUL; offset 0 is the empty
   string.

   The reader (bundle_open) trusts nothing: sizes, offsets, counts, indices, ranges, nesting and
   the digest are checked before any of it is used, and nothing in a bundle can make a reader
   touch memory outside it. What cannot be checked without a device (SPIR-V) is checked for its
   frame. */
#ifndef VKR_BUNDLE_H
#define VKR_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sha256.h"

#define VKB_MAGIC 0x31424b56u /* "VKB1" */
#define VKB_VERSION 6u
#define VKB_NONE UINT32_MAX
#define VKB_MAX_RANK 16u
#define VKB_MAX_RECORDED \
    65536u                 /* steps that a REPEAT may make of its range in one command buffer */
#define VKB_MAX_BODIES 16u /* of a kernel */
#define VKB_MAX_PUSHED 32u /* words that a dispatch pushes: every device has 128 bytes for them */
#define VKB_MAX_TEXELS 64u /* bindings of a kernel that may be texels: the first ones */

enum vkb_section {
    VKB_SECTION_PROGRAM,   /* one vkb_program */
    VKB_SECTION_TENSORS,   /* vkb_tensor: inputs, then outputs */
    VKB_SECTION_BUFFERS,   /* vkb_buffer */
    VKB_SECTION_KERNELS,   /* vkb_kernel */
    VKB_SECTION_BODIES,    /* vkb_body */
    VKB_SECTION_NEEDS,     /* vkb_need */
    VKB_SECTION_STEPS,     /* vkb_step */
    VKB_SECTION_GROUPS,    /* vkb_groups */
    VKB_SECTION_BINDINGS,  /* vkb_binding */
    VKB_SECTION_PUSHED,    /* 32-bit words: push constants of dispatches */
    VKB_SECTION_SPIRV,     /* 32-bit words */
    VKB_SECTION_CONSTANTS, /* bytes, uploaded once */
    VKB_SECTION_STRINGS,
    VKB_SECTION_COUNT
};

struct vkb_header {
    uint32_t magic, version;
    uint64_t size;      /* of the whole file */
    uint8_t sha256[32]; /* of everything after this field */
    struct {
        uint64_t offset, size;
    } section[VKB_SECTION_COUNT];
};

/* What a device must have; a bit each. A loader refuses a bundle by the name of what is missing. */
enum vkb_feature {
    VKB_FEATURE_F64 = 1u << 0, /* shaderFloat64 */
    VKB_FEATURE_I64 = 1u << 1, /* shaderInt64 */
    VKB_FEATURE_I16 = 1u << 2,
    VKB_FEATURE_F16 = 1u << 3,
    VKB_FEATURE_STORAGE8 = 1u << 4,
    VKB_FEATURE_STORAGE16 = 1u << 5,
    VKB_FEATURE_SUBGROUP_ARITHMETIC = 1u << 6,
    VKB_FEATURE_COOPERATIVE_MATRIX = 1u << 7,
    VKB_FEATURE_SIGNED_ZERO_INF_NAN_32 = 1u << 8,
    VKB_FEATURE_SIGNED_ZERO_INF_NAN_64 = 1u << 9,
    VKB_FEATURE_DENORM_PRESERVE_32 = 1u << 10,
    VKB_FEATURE_ROUND_NEAREST_32 = 1u << 11,
    VKB_FEATURE_ROUND_NEAREST_64 = 1u << 12,
    VKB_FEATURE_RESERVED =
        1u << 13, /* was atomics of i64; has no name, so bundles do not have it */
    VKB_FEATURE_VULKAN_MEMORY_MODEL = 1u << 14,
    VKB_FEATURE_DENORM_PRESERVE_64 = 1u << 15,
    VKB_FEATURE_FMA = 1u << 16,        /* fma() rounds once, in f32 and f64 */
    VKB_FEATURE_COMPARE_32 = 1u << 17, /* comparisons and abs() of f32 tell subnormals from 0 */
    VKB_FEATURE_ADDRESSES = 1u << 18,  /* bufferDeviceAddress: large buffers are used in parts */
    VKB_FEATURE_DENORM_PRESERVE_16 = 1u << 19,
    VKB_FEATURE_ROUND_NEAREST_16 = 1u << 20,
    VKB_FEATURE_BALLOT_32 = 1u << 21, /* ballots, of subgroups of 32 neighbours */
};

/* What conversions from and to f16 need, to be as Nx's. */
#define VKB_HALF_FEATURES \
    (VKB_FEATURE_F16 | VKB_FEATURE_DENORM_PRESERVE_16 | VKB_FEATURE_ROUND_NEAREST_16)

#define VKB_FEATURES 22u /* bits; all have a meaning but the reserved one */

/* Parts. A buffer of more than `part_bytes` of the program is *large*: no single storage buffer
   covers it, and it may lie in several allocations, which begin and end at multiples of
   `part_bytes`. A dispatch binds in its place a storage buffer with the 64-bit device address of
   each part, in order. In the arena and among the constants a large buffer begins at a multiple
   of `part_bytes`, and no other buffer lies across one, so that those may be cut there, too. */

/* The part size for a device that binds, and allocates, so much at once: a power of two, so that
   neither elements nor vectors lie across the end of a part. */
static inline uint64_t vkb_part_bytes(uint64_t max_binding_bytes)
{
    uint64_t part = 256;
    while (part <= max_binding_bytes / 2)
        part *= 2;
    return part;
}

static inline uint64_t vkb_parts(uint64_t bytes, uint64_t part_bytes)
{
    return bytes / part_bytes + (bytes % part_bytes != 0);
}

struct vkb_program {
    uint32_t name;     /* of the defn */
    uint32_t producer; /* compiler and version */
    uint32_t profile;  /* the target it was compiled for */
    uint32_t ninputs, noutputs;
    /* What no kernel can do without: of each the least that any of its bodies needs, and of
       these the most. */
    uint32_t features;        /* vkb_feature bits */
    uint32_t max_invocations; /* of a workgroup */
    uint32_t max_shared_bytes;
    uint32_t max_bindings;           /* storage buffers of one kernel */
    uint32_t main_first, main_count; /* the steps of a run */
    uint32_t ncallbacks;
    uint64_t part_bytes;      /* a power of two, at least 256; see above */
    uint64_t arena_bytes;     /* scratch memory of one run */
    uint64_t unplanned_bytes; /* what all intermediates would take without reuse */
};

struct vkb_tensor {
    uint32_t name; /* may be 0 */
    uint32_t type; /* string: "f32" */
    uint32_t rank;
    uint32_t alias; /* output: the input that it replaces in place, or VKB_NONE */
    uint32_t used;  /* input: 0 if the program never reads it (it may then be left out) */
    uint32_t reserved;
    uint64_t bytes; /* dense size; storage is this rounded up to a multiple of 4 */
    uint64_t dim[VKB_MAX_RANK];
};

enum vkb_buffer_kind { VKB_BUFFER_INPUT, VKB_BUFFER_OUTPUT, VKB_BUFFER_CONSTANT, VKB_BUFFER_ARENA };

struct vkb_buffer {
    uint32_t kind;
    uint32_t index;  /* of the input or output */
    uint64_t offset; /* in CONSTANTS or in the arena; a multiple of 256 */
    uint64_t bytes;  /* a multiple of 4 */
};

/* A kernel has a body for each class of device that it was made for, the best first. All of them
   compute the same from the same bindings. A loader takes the first that the device can run: it
   has the features, its limits hold the workgroup, the shared memory and the group counts of
   every dispatch, and all needs are met. */
struct vkb_kernel {
    uint32_t name;   /* "k3" */
    uint32_t label;  /* "k3 rows n7..n12": for debuggers and profiles */
    uint32_t source; /* source lines of the defn, or 0 */
    /* binding i of set 0 is a storage buffer, i = 0 .. nbindings-1; or its addresses; or in some
       bodies texels */
    uint32_t nbindings;
    uint32_t first_body, nbodies; /* 1 to VKB_MAX_BODIES */
    /* words of push constants, from offset 0, which its bodies may read and each dispatch has:
       numbers in which kernels with otherwise the same code differ */
    uint32_t npushed;
};

struct vkb_body {
    uint32_t profile;     /* the target it was made for */
    uint32_t spirv_first; /* word index in SPIRV; bodies with the same code share it */
    uint32_t spirv_count;
    uint32_t local_size[3];
    uint32_t shared_bytes;
    uint32_t features; /* vkb_feature bits */
    uint32_t first_need, nneeds;
    uint64_t texels; /* bit i: binding i is texels, see below */
};

/* Texels. Some drivers for CPUs load four words from a uniform texel buffer many times faster than
   from a storage buffer. A binding that a body has as texels is a uniform texel buffer of the
   format R32G32B32A32_UINT, so that a float is loaded as its bits. No dispatch may write it, and
   its buffer may not be large. The view covers the buffer's bytes, rounded up to a multiple of
   VKB_TEXEL_BYTES: what the last texel has behind them is undefined, and zeros for a program that
   is not trusted. */
#define VKB_TEXEL_BYTES 16u

static inline uint64_t vkb_texel_view_bytes(uint64_t bytes)
{
    return bytes ? (bytes + VKB_TEXEL_BYTES - 1) / VKB_TEXEL_BYTES * VKB_TEXEL_BYTES
                 : VKB_TEXEL_BYTES;
}

static inline bool vkb_is_texels(const struct vkb_body *body, uint32_t binding)
{
    return binding < VKB_MAX_TEXELS && body->texels >> binding & 1;
}

/* What the device of a body must be, beyond features and limits. */
enum vkb_need_kind {
    VKB_NEED_SUBGROUP_SIZE, /* from value[0] to value[1] */
    VKB_NEED_CPU, /* value[0]: 1 a CPU, 0 none. A body for the one runs on the other, but slowly */
    VKB_NEED_MATRIX, /* matrix units: value[0], an enum vkb_matrix */
};

#define VKB_NEEDS 3u /* how many kinds have a meaning */

/* What matrix units multiply; matrices.def has the rows. */
enum vkb_matrix {
#define MATRIX(bit, word, operands, rows, columns, k, threads) VKB_MATRIX_##bit,
#include "matrices.def"
    VKB_MATRICES
};

struct vkb_need {
    uint32_t kind;
    uint32_t value[7]; /* 0 where the kind has no meaning for it */
};

/* Workgroups of a dispatch with one body. */
struct vkb_groups {
    uint32_t count[3];
};

enum vkb_step_kind {
    VKB_STEP_DISPATCH, /* kernel, groups, bindings */
    VKB_STEP_COPY,     /* bindings[0] to bindings[1], `bytes` bytes from offset 0 */
    VKB_STEP_WHILE,    /* ranges: condition, body; bindings[0]: u8 predicate (its first byte) */
    VKB_STEP_IF,       /* ranges: then, else; bindings[0]: u8 predicate */
    VKB_STEP_HOST,     /* callback; bindings read, then bindings written */
    VKB_STEP_REPEAT,   /* range 0 `times` over; no binding, or bindings[0]: see below */
};

/* WHILE and IF are steered by the host, which looks at the predicate each time. REPEAT is not:
   its range, in which there are DISPATCH, COPY and REPEAT only, is recorded round after round.
   With a binding, a flag of one u32, `times` rounds are a block, and blocks are submitted until
   the flag is 0 after one; the host looks at it as often as it likes, since what is left of a
   block does nothing then: its dispatches take their group counts from memory (`counts`), where
   a kernel of the program has put zeros. Only a REPEAT outside all others has a flag. */

struct vkb_step {
    uint32_t kind;
    uint32_t kernel; /* DISPATCH: index; HOST: callback */
    /* DISPATCH: in GROUPS, a record for each body of the kernel, in their order */
    uint32_t first_groups;
    uint32_t first_binding, nbindings;
    uint32_t barrier; /* 1: everything recorded before must be visible to this step */
    /* WHILE, IF: steps after this one, not reached otherwise */
    uint32_t range_first[2], range_count[2];
    uint32_t times; /* REPEAT: at least 1; else 0 */
    /* DISPATCH: arena buffer with its group counts, or VKB_NONE: those in GROUPS */
    uint32_t counts;
    /* word of `counts` at which there are three for each body of the kernel, in their order; those
       in GROUPS are the most they say */
    uint32_t counts_at;
    uint32_t first_pushed; /* DISPATCH: in PUSHED, as many words as the kernel says; else 0 */
    uint64_t bytes;        /* COPY; DISPATCH: bytes it moves, for reports */
    uint64_t flops;        /* DISPATCH: for reports */
};

enum vkb_access { VKB_READ = 1, VKB_WRITE = 2 };

struct vkb_binding {
    uint32_t buffer;
    uint32_t access; /* vkb_access bits */
};

/* ---- reading ---- */

/* A verified bundle. Pointers go into the caller's bytes, which must outlive it. */
struct vkb_view {
    const struct vkb_header *header;
    const struct vkb_program *program;
    const struct vkb_tensor *tensors;
    uint32_t ntensors;
    const struct vkb_buffer *buffers;
    uint32_t nbuffers;
    const struct vkb_kernel *kernels;
    uint32_t nkernels;
    const struct vkb_body *bodies;
    uint32_t nbodies;
    const struct vkb_need *needs;
    uint32_t nneeds;
    const struct vkb_step *steps;
    uint32_t nsteps;
    const struct vkb_groups *groups;
    uint32_t ngroups;
    const struct vkb_binding *bindings;
    uint32_t nbindings;
    const uint32_t *pushed;
    uint32_t npushed;
    const uint32_t *spirv;
    uint32_t nspirv;
    const uint8_t *constants;
    uint64_t constants_bytes;
    const char *strings;
    uint32_t strings_bytes;
};

/* Checks all of it. `data` must be aligned to 8 bytes. False with one line of text in `error`,
   which names the section, the record and the rule. */
bool bundle_open(const void *data, size_t size, struct vkb_view *out, char *error,
                 size_t error_size);
/* The same; *out_no_memory tells whether the check itself could not be done, for want of memory. */
bool bundle_check(const void *data, size_t size, struct vkb_view *out, bool *out_no_memory,
                  char *error, size_t error_size);

static inline const char *vkb_text(const struct vkb_view *v, uint32_t offset)
{
    return v->strings + offset;
}

/* A kernel's body, 0 the best. */
static inline const struct vkb_body *vkb_body_of(const struct vkb_view *v, uint32_t kernel,
                                                 uint32_t body)
{
    return &v->bodies[v->kernels[kernel].first_body + body];
}

/* The three group counts of a dispatch with that body of its kernel. */
static inline const uint32_t *vkb_group_counts(const struct vkb_view *v,
                                               const struct vkb_step *step, uint32_t body)
{
    return v->groups[step->first_groups + body].count;
}

/* The word of `counts` where those of that body begin. */
static inline uint32_t vkb_counts_at(const struct vkb_step *step, uint32_t body)
{
    return step->counts_at + 3 * body;
}

/* "f64 arithmetic (shaderFloat64)"; NULL for a bit that has no meaning. */
const char *vkb_feature_name(uint32_t bit);

#endif
