/* libvkc: compile a graph to a bundle, in process. Reentrant, no globals that a compile changes,
   never prints, exits or aborts. The command line tool and the NIF are its users. */
#ifndef VKC_H
#define VKC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the library is built with -fvisibility=hidden */
#endif

#define VKC_VERSION "0.1.0"

/* What a target can do. Text form: a `key = value` per line; see compiler/README.md. */
struct vkc_target {
    char name[128];
    uint32_t features; /* vkb_feature bits of runtime/bundle.h */
    uint32_t emulated; /* those of them that the device lacks and kernels imitate */
    uint32_t matrices; /* what its matrix units multiply: bits 1u << vkb_matrix */
    uint32_t max_invocations, max_shared_bytes, max_bindings, subgroup_size;
    uint32_t max_groups[3];
    uint64_t max_binding_bytes;
    bool cpu;        /* a CPU driver: no shared memory worth using, few wide threads */
    bool loop_limit; /* Mesa before 25: a shader stops after 65,535 loop iterations */
    /* SPIR-V version as modules' headers have it, up to 0x00010600; 0: 1.3, which Vulkan 1.1
       takes */
    uint32_t spirv;
    uint32_t units; /* that run workgroups side by side; 0: as many as tuning.def assumes */
};

/* The portable baseline: what Vulkan 1.1 promises, with f64 and i64. */
void vkc_target_baseline(struct vkc_target *out);
/* Reads the text form over `target`. False with a message. */
bool vkc_target_parse(const char *text, size_t size, struct vkc_target *target, char *error,
                      size_t error_size);
/* Writes it; returns the length as snprintf does. */
size_t vkc_target_print(const struct vkc_target *target, char *out, size_t size);
/* The shipped profiles in the text form: "baseline", "lavapipe", "nvidia", ...; ends with a NULL
   name. */
struct vkc_profile {
    const char *name, *text;
};
extern const struct vkc_profile vkc_profiles[];
/* False when no shipped profile has the name. */
bool vkc_target_named(const char *name, struct vkc_target *out);
/* Changes `target` so that `device` runs what is compiled for it: limits are the lower of both,
   and features that the device lacks are emulated (fma), or left out. Schedules and forms stay
   the target's. */
void vkc_target_run_on(struct vkc_target *target, const struct vkc_target *device);

/* Pairs of (output, input): output may reuse the input's buffer. */
struct vkc_donation {
    uint32_t output, input;
};

/* Of a compile that its caller has ended. */
#define VKC_CANCELLED 6

/* The stages, in order: "import", "passes", "plan" and "kernels" (GLSL to SPIR-V), each from 0
   of `total` to `total` of `total`; a compile that finds its bundle in the cache has none.
   Called by one thread at a time, though not always the same one, and waited for: it should be
   quick. */
typedef void (*vkc_progress)(void *context, const char *stage, uint32_t done, uint32_t total);

struct vkc_options {
    const struct vkc_target *target; /* NULL: the baseline */
    /* Not NULL: kernels have a second body for this target, which devices of its class take.
       Steps, memory and workgroup programs are those of `target`. */
    const struct vkc_target *also;
    bool fast_math; /* contraction, reassociation, sums without compensation */
    /* Products of f32 are made by fma on every device. Else matrix units may make them of halves,
       three products each, within the same bound, but mostly with a few times the error. */
    bool highest_precision;
    bool text_ir; /* the input is the text IR, not JSON */
    const struct vkc_donation *donations;
    uint32_t ndonations;
    const char *skip_passes; /* "cse,fold" or NULL */
    const char *stop_after;  /* a pass name or NULL: then only ir is made */
    bool no_fusion;          /* every node its own kernel: for tests and bisection */
    bool apart; /* scratch buffers share no memory, and have room between them: for tests */
    bool no_cache;
    const char *cache_dir; /* NULL: no cache */
    uint32_t threads;      /* for shaderc; 0: as many as there are processors, at most 8 */
    const char *dump_dir;  /* every stage as a file; the folder is made, but none above it */
    const char *explain;   /* "n12": fills result.explain */
    bool want_ir, want_plan, want_glsl, want_dot; /* fill the texts of the result */
    bool no_bundle;                               /* stop when the requested texts are complete */
    vkc_progress progress;                        /* NULL: not reported */
    void *progress_context;
    /* Returns true to cancel the compile, which then fails with VKC_CANCELLED: no bundle, no
       text, no cache entry. Dumps of finished stages stay, each of them whole. Called at each
       node, pass and kernel, so the compile mostly ends within milliseconds; a kernel that
       shaderc has begun is finished first, which takes up to a second for the largest. May be
       called by several threads at once, and should be quick. NULL: the compile cannot be
       cancelled. */
    bool (*is_cancelled)(void *context);
    void *cancel_context;
};

struct vkc_error {
    /* enum diag_code: 1 input, 2 usage, 3 unsupported, 4 internal, 5 memory, 6 VKC_CANCELLED */
    int code;
    char message[1024];
    char where[256]; /* "$.funcs[0].nodes[3]" */
    char loc[256];   /* "lib/model.ex:12" of the defn */
};

struct vkc_stats {
    uint32_t nodes_in, nodes_out; /* of the graph, before and after the passes */
    uint64_t bodies; /* of kernels that were written, to see whether they fit, or to be kept */
    /* distinct: kernels whose code differs; 0 without SPIR-V */
    uint32_t kernels, distinct, dispatches, steps, barriers;
    /* global memory traffic of a run, each op alone and as compiled */
    uint64_t bytes_unfused, bytes_moved;
    uint64_t arena_bytes, unplanned_bytes, constants_bytes, spirv_bytes;
    double seconds_import, seconds_passes;
    double seconds_plan; /* kernels chosen and written as GLSL, steps, memory */
    double seconds_spirv, seconds_bundle, seconds_total;
    bool cache_hit;
};

struct vkc_result {
    /* NULL on error, with no_bundle, and in a build without shaderc; free with vkc_result_free */
    void *bundle;
    size_t bundle_size;
    char *ir, *plan, *glsl, *dot, *explain; /* NUL-terminated, or NULL */
    struct vkc_stats stats;
    struct vkc_error error;
    uint8_t key[32];      /* cache key: graph, compiler version, target, options */
    char cache_note[256]; /* why the cache was not used; "" if there is nothing to say */
};

/* Compiles. `sidecar` holds literals that the JSON refers to by offset; may be NULL. Returns
   true when error.code is 0. An allocation that fails is code 5, and changes nothing for later
   calls. The result is always to be freed. Blocks: may take seconds on a large graph. During the
   call, in `progress` too, the thread's locale is "C". */
bool vkc_compile(const void *graph, size_t graph_size, const void *sidecar, size_t sidecar_size,
                 const struct vkc_options *options, struct vkc_result *out);
void vkc_result_free(struct vkc_result *result);

/* One tensor of host memory. */
struct vkc_array {
    void *data;
    size_t bytes;
};

/* Runs the reference interpreter over the graph as imported (`optimised` false) or after the
   passes. inputs[i] are dense arrays in the entry function's order; outputs are allocated with
   malloc, for the caller to free(), and NULL after an error. `is_cancelled` of the options can
   end it between two nodes, too. */
bool vkc_interpret(const void *graph, size_t graph_size, const void *sidecar, size_t sidecar_size,
                   const struct vkc_options *options, bool optimised,
                   const struct vkc_array *inputs, uint32_t ninputs, struct vkc_array *outputs,
                   uint32_t noutputs, struct vkc_error *error);

/* Row `index` of the op table as "name<tab>class<tab>doc"; NULL past the last. */
const char *vkc_list_ops(uint32_t index);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
