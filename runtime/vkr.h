/* libvkr: run compiled bundles on a Vulkan device. Needs libvulkan and nothing else.

   A device owns buffers and programs. Calls are asynchronous: vkr_run returns when the work is
   submitted, and only reading an output waits. Every function that can fail returns vkr_status and
   fills `err` (which may be NULL). All functions may be called from any thread.

   A program with one input and one output of 4 floats each, without a look at each call's status:

       vkr_device *device;
       vkr_program *program;
       vkr_buffer in, out = 0;
       float data[4] = {1, 2, 3, 4};
       vkr_error err;
       vkr_device_open(NULL, &device, &err);
       vkr_program_load(device, bundle, bundle_size, &program, &err);
       vkr_buffer_create(device, data, sizeof data, &in, &err);
       vkr_run(program, &in, 1, &out, 1, NULL, &err);
       vkr_buffer_read(device, out, 0, data, sizeof data, &err);
       vkr_program_unload(program);
       vkr_device_close(device);

   Inputs and outputs are in the order of the function's arguments and results, containers
   flattened; names and shapes come from vkr_program_input and vkr_program_output. Data are dense,
   row-major and little-endian, and need no alignment. `err` is the caller's and lives as long as
   the caller likes. Threads may share devices, programs and buffers; runs that use the same buffer
   follow each other in the order of the calls.

   The library does not print (unless $VKR_DEBUG is set), exit or assert: exhausted memory, a lost
   device and bad arguments are statuses. A call that fails for want of memory frees what it has
   made, and may be made again; what a run wrote to, outputs and donated inputs, then has undefined
   contents. After VKR_DEVICE_LOST every call on the device answers the same; close it and open
   anew. */
#ifndef VKR_H
#define VKR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push( \
    default) /* exported where the library is built with -fvisibility=hidden */
#endif

#define VKR_VERSION "0.1.0"
/* The number behind libvkr.so: raised with every change that a program would notice which was
   compiled before it, of a structure, an enumerator or a parameter. So structures carry no sizes
   of their own. */
#define VKR_ABI 2
/* VKR_VERSION of the library itself. */
const char *vkr_version(void);

typedef enum vkr_status {
    VKR_OK,
    VKR_INVALID_ARGUMENT,
    VKR_INVALID_HANDLE, /* stale, foreign, freed twice or never valid */
    VKR_SIZE_MISMATCH,
    VKR_INVALID_BUNDLE,
    VKR_UNSUPPORTED, /* the device lacks a feature or limit that the bundle needs; named in err */
    VKR_NO_DEVICE,   /* no Vulkan loader, no driver, or no device fits the request */
    VKR_OUT_OF_HOST_MEMORY,
    VKR_OUT_OF_DEVICE_MEMORY,
    VKR_DEVICE_LOST,
    VKR_TIMEOUT,
    VKR_CALLBACK_FAILED,
    VKR_CANCELLED, /* `is_cancelled` of vkr_load_options returned true, or the process exits */
    VKR_INTERNAL,
} vkr_status;

typedef struct vkr_error {
    vkr_status status;
    char message[512]; /* what was required, what was found */
} vkr_error;

const char *vkr_status_name(vkr_status status);

/* ---- devices ---- */

typedef struct vkr_device vkr_device;

typedef enum vkr_device_kind {
    VKR_DISCRETE,
    VKR_INTEGRATED,
    VKR_VIRTUAL,
    VKR_CPU,
    VKR_OTHER
} vkr_device_kind;

typedef struct vkr_device_info {
    char name[256], driver[256];
    vkr_device_kind kind;
    uint32_t index; /* in the order of vkr_devices */
    uint32_t api_version, vendor_id, device_id;
    uint32_t features; /* a bit each, see vkr_feature_name */
    uint32_t max_invocations, max_shared_bytes, max_bindings, subgroup_size;
    uint32_t max_groups[3];
    uint32_t matrices;   /* what its matrix units multiply: a bit each, see vkr_matrix_name */
    bool has_loop_limit; /* a shader stops after 65,535 loop iterations */
    uint64_t max_binding_bytes; /* range of one storage buffer, which is one allocation */
    uint64_t memory_bytes;      /* of its largest heap */
    /* what the device would take of it at most, if it were opened now with default options; for an
       open device see vkr_counters */
    uint64_t memory_budget;
} vkr_device_info;

/* The word of one bit of `features`, 1u << 0 to 1u << 31, that target profiles have for it:
   "f64". NULL if the bit has no meaning in this version. */
const char *vkr_feature_name(uint32_t bit);
/* The same for a bit of `matrices`: "f16:16x16x16", the operands' type, rows, columns and k of one
   product, and ":256" where a workgroup of that many threads has its matrices. */
const char *vkr_matrix_name(uint32_t bit);

/* $VKR_DEBUG adds to these: validation, times, and what else VKR_DEBUG=help lists. Then messages
   go to stderr, not to `log`. */
typedef struct vkr_device_options {
    /* index ("1"), or part of a name that is not a number ("llvmpipe"); NULL: $VKR_DEVICE, else the
       first discrete, then integrated, then CPU device */
    const char *device;
    /* folder for the pipeline cache; NULL: $XDG_CACHE_HOME or ~/.cache; "": none */
    const char *pipeline_cache;
    bool validate; /* Khronos validation with synchronization validation; messages to `log` */
    bool profile;  /* time every kernel */
    /* bytes of device memory that this device may take; 0: $VKR_MEMORY_BUDGET, else what the driver
       says is free, and of a CPU device three quarters of the free host memory */
    uint64_t memory_budget;
    /* the most bytes of one allocation for buffers, at least 1024; larger buffers consist of
       several. 0: the device's */
    uint64_t max_allocation;
    void (*log)(void *context, int severity, const char *message); /* 0 error, 1 warning, 2 info */
    void *log_context;
} vkr_device_options;

/* Fills up to `capacity` infos and sets `out_count` to how many devices there are. */
vkr_status vkr_devices(vkr_device_info *infos, uint32_t capacity, uint32_t *out_count,
                       vkr_error *err);

vkr_status vkr_device_open(const vkr_device_options *options, vkr_device **out, vkr_error *err);
/* Waits for the device, then frees it with all buffers; programs must be gone. NULL is accepted. */
void vkr_device_close(vkr_device *device);
void vkr_device_get_info(const vkr_device *device, vkr_device_info *out);

/* ---- buffers ---- */

/* Index and generation: a stale or foreign handle is VKR_INVALID_HANDLE. 0 is never a buffer. */
typedef uint64_t vkr_buffer;

/* Zeroed. Size 0 is allowed. */
vkr_status vkr_buffer_alloc(vkr_device *device, uint64_t bytes, vkr_buffer *out, vkr_error *err);
/* As alloc, then upload. */
vkr_status vkr_buffer_create(vkr_device *device, const void *data, uint64_t bytes, vkr_buffer *out,
                             vkr_error *err);
vkr_status vkr_buffer_byte_size(vkr_device *device, vkr_buffer buffer, uint64_t *out,
                                vkr_error *err);
/* Overwrites the whole buffer: VKR_SIZE_MISMATCH unless `bytes` is its size. Ordered after every
   submitted use of the buffer. The data is copied before the call returns. */
vkr_status vkr_buffer_upload_into(vkr_device *device, vkr_buffer buffer, const void *data,
                                  uint64_t bytes, vkr_error *err);
/* Overwrites a range. */
vkr_status vkr_buffer_write(vkr_device *device, vkr_buffer buffer, uint64_t offset,
                            const void *data, uint64_t bytes, vkr_error *err);
/* Reads a range. Blocks until what writes the buffer has finished. */
vkr_status vkr_buffer_read(vkr_device *device, vkr_buffer buffer, uint64_t offset, void *data,
                           uint64_t bytes, vkr_error *err);
/* A new buffer with the same contents; does not wait. */
vkr_status vkr_buffer_copy(vkr_device *device, vkr_buffer buffer, vkr_buffer *out, vkr_error *err);
/* Blocks until what writes the buffer has finished. */
vkr_status vkr_buffer_wait(vkr_device *device, vkr_buffer buffer, vkr_error *err);
/* Where the buffer's bytes are in this process, for as long as the buffer lives; VKR_UNSUPPORTED
   if the host cannot see the device's memory. Programs that are submitted later read what is
   written there. Blocks until what writes the buffer has finished. */
vkr_status vkr_buffer_address(vkr_device *device, vkr_buffer buffer, void **out, vkr_error *err);
/* A buffer over memory of this process, which is not copied. Programs only read it: it cannot be
   an output, donated or written. At the address of another buffer's bytes it shares that
   buffer's memory, which lives as long as either. Elsewhere the memory remains the caller's, and
   must last until the buffer was freed and the device has finished what uses it
   (vkr_device_wait): VKR_UNSUPPORTED if the device lacks VK_EXT_external_memory_host.
   VKR_INVALID_ARGUMENT: an address that is NULL, not mapped, inside another buffer, or not a
   multiple of minStorageBufferOffsetAlignment. */
vkr_status vkr_buffer_import(vkr_device *device, void *address, uint64_t bytes, vkr_buffer *out,
                             vkr_error *err);
/* The same for `ns` nanoseconds at most; *out_done tells whether it has. */
vkr_status vkr_buffer_wait_for(vkr_device *device, vkr_buffer buffer, uint64_t ns, bool *out_done,
                               vkr_error *err);
/* The handle is dead at once; the memory is reused when the last submission that uses it has
   finished. */
vkr_status vkr_buffer_free(vkr_device *device, vkr_buffer buffer, vkr_error *err);

/* ---- programs ---- */

typedef struct vkr_program vkr_program;

/* A bundle is untrusted unless the caller says otherwise, which is right for what this process
   compiled itself, or read from files that no other user may write. An untrusted bundle
   - has only shaders like those that the compiler writes, checked instruction by instruction, with
     no addresses of buffers (so no tensor that is larger than one binding): else it is
     VKR_INVALID_BUNDLE;
   - touches only the buffers that it is given, as declared, and its own memory: its shaders have
     guards, and indices that would go past an end stay inside, so its results may be wrong, but
     affect nothing else;
   - reads 0 where it wrote nothing, in its outputs, scratch and shared memory;
   - has bounded counts: of workgroups, also of those in memory, of recorded steps and of
     submissions.
   What remains is in README.md: a shader that never ends, a loop that never ends (vkr_call_end
   ends that one), a driver's own defects. Untrusted programs load and run more slowly. */
typedef struct vkr_load_options {
    bool trusted;
    /* Take the last body of each kernel that the device can run, not the first: usually the one for
       the bundle's own target, even if a better one is there. To compare results and times. */
    bool plain;
    /* How many kernels the driver has compiled, from 0 of `total` to `total`. Called by one
       thread at a time, though not always the same one, and waited for: it should be quick, and
       call nothing of this library. NULL: not reported. */
    void (*progress)(void *context, uint32_t done, uint32_t total);
    void *progress_context;
    /* Returns true to end the load with VKR_CANCELLED, which leaves nothing behind. Called before
       each kernel; a driver finishes the one that it has begun, mostly in milliseconds, for the
       largest in some seconds. Called by several threads at once. NULL: it is not cancelled. */
    bool (*is_cancelled)(void *context);
    void *cancel_context;
} vkr_load_options;

/* Verifies the bundle, creates pipelines, uploads constants, records. The bytes may be freed
   after. `options` may be NULL: untrusted, with no callbacks. Blocks: pipeline
   creation. */
vkr_status vkr_program_load_with(vkr_device *device, const void *bundle, size_t size,
                                 const vkr_load_options *options, vkr_program **out,
                                 vkr_error *err);
/* The same with no options: for bundles from anywhere. */
vkr_status vkr_program_load(vkr_device *device, const void *bundle, size_t size, vkr_program **out,
                            vkr_error *err);
/* Waits for its submissions. NULL is accepted. */
void vkr_program_unload(vkr_program *program);

typedef struct vkr_tensor_info {
    const char *name; /* "" if it has none */
    const char *type; /* "f32" */
    uint32_t rank;
    uint64_t dims[16];
    uint64_t bytes;
    int32_t alias; /* output: the donated input that it replaces, or -1 */
    bool used;     /* input: read at all */
} vkr_tensor_info;

uint32_t vkr_program_inputs(const vkr_program *program);
uint32_t vkr_program_outputs(const vkr_program *program);
/* Strings live as long as the program. */
vkr_status vkr_program_input(const vkr_program *program, uint32_t index, vkr_tensor_info *out,
                             vkr_error *err);
vkr_status vkr_program_output(const vkr_program *program, uint32_t index, vkr_tensor_info *out,
                              vkr_error *err);

typedef struct vkr_program_info {
    const char *name, *producer, *profile;
    uint32_t kernels;    /* distinct */
    uint32_t dispatches; /* in one run, loops counted once */
    uint64_t arena_bytes, unplanned_bytes, constants_bytes;
    bool steered; /* the host steers loops, branches or callbacks: runs take turns */
} vkr_program_info;
void vkr_program_get_info(const vkr_program *program, vkr_program_info *out);
/* The bytes that it was loaded from; they live as long as the program. NULL of NULL. */
const void *vkr_program_bundle(const vkr_program *program, size_t *out_size);

/* A host callback of the program (hooks and runtime calls): reads `inputs`, fills `outputs`, all
   host memory. False fails the run with VKR_CALLBACK_FAILED. */
typedef bool (*vkr_callback)(void *context, uint32_t callback, const void *const *inputs,
                             const uint64_t *input_bytes, uint32_t ninputs, void *const *outputs,
                             const uint64_t *output_bytes, uint32_t noutputs);

typedef struct vkr_run_options {
    vkr_callback callback;
    void *callback_context;
} vkr_run_options;

/* Submits one run. inputs[i] may be 0 if the input is not used. outputs[j] is the buffer to
   write, or 0 to have one made, which is then stored there; for an output with an alias it must
   be 0 or the donated input, whose handle it becomes. Blocks only in a program with host steps
   or loops that the host steers. `options` may be NULL. */
vkr_status vkr_run(vkr_program *program, const vkr_buffer *inputs, uint32_t ninputs,
                   vkr_buffer *outputs, uint32_t noutputs, const vkr_run_options *options,
                   vkr_error *err);

/* ---- for threads that must not block ----

   What vkr_run, vkr_buffer_create and vkr_buffer_read do, if it can be done at once: *out_done
   tells. Else nothing was done, and the caller calls the other function on a thread that may wait.
   It cannot be done at once if another thread holds the device's lock, the host steers the
   program, too much is in flight, memory has to be allocated, many commands recorded, or many
   bytes moved. */
vkr_status vkr_try_run(vkr_program *program, const vkr_buffer *inputs, uint32_t ninputs,
                       vkr_buffer *outputs, uint32_t noutputs, bool *out_done, vkr_error *err);
vkr_status vkr_try_create(vkr_device *device, const void *data, uint64_t bytes, vkr_buffer *out,
                          bool *out_done, vkr_error *err);
/* Whether what writes the buffer has finished, with 0 all that was submitted. Looks again for `ns`
   nanoseconds, busily; a CPU device needs the core itself, and there it looks once. */
vkr_status vkr_try_wait(vkr_device *device, vkr_buffer buffer, uint64_t ns, bool *out_done,
                        vkr_error *err);
/* The same, and then reads, if the bytes are few and the host sees them. */
vkr_status vkr_try_read(vkr_device *device, vkr_buffer buffer, uint64_t offset, void *data,
                        uint64_t bytes, uint64_t ns, bool *out_done, vkr_error *err);

/* ---- a run in steps ----

   The same for callers whose threads must not wait long, or not while a callback works: the run
   goes on in steps, each on any thread, one at a time. It holds its program from its first step
   that does not return VKR_CALL_TURN until it is over, and its buffers until vkr_call_end. */
typedef struct vkr_call vkr_call;

typedef enum vkr_call_state {
    VKR_CALL_DONE,  /* `outputs` are set; a step that fails ends the run as well */
    VKR_CALL_AGAIN, /* the time was up */
    /* see vkr_call_get_callback; the next step goes on with what was written to its outputs */
    VKR_CALL_CALLBACK,
    VKR_CALL_TURN, /* another run holds the program, nothing was done */
} vkr_call_state;

typedef struct vkr_call_callback {
    uint32_t index, ninputs, noutputs;
    const void *const *inputs;
    void *const *outputs;
    const uint64_t *input_bytes, *output_bytes;
} vkr_call_callback;

/* Arguments as of vkr_run; the arrays must last until vkr_call_end. Submits nothing. */
vkr_status vkr_call_begin(vkr_program *program, const vkr_buffer *inputs, uint32_t ninputs,
                          vkr_buffer *outputs, uint32_t noutputs, vkr_call **out, vkr_error *err);
/* Continues for about `ns` nanoseconds at most: it never waits longer than that. A program that the
   host does not steer is submitted and done. */
vkr_status vkr_call_step(vkr_call *call, uint64_t ns, vkr_call_state *out, vkr_error *err);
/* What the callback reads and has to write: host memory, valid until the next step. */
void vkr_call_get_callback(const vkr_call *call, vkr_call_callback *out);
/* In any state, without waiting. A run that is not done is ended: what was submitted finishes by
   itself, its outputs are freed, and donated inputs have undefined contents. NULL is accepted. */
void vkr_call_end(vkr_call *call);

/* Waits until everything submitted to the device has finished. */
vkr_status vkr_device_wait(vkr_device *device, vkr_error *err);

/* ---- what happened ---- */

typedef struct vkr_counters {
    uint64_t submits, dispatches, recordings, waits;
    uint64_t device_allocations; /* vkAllocateMemory */
    uint64_t descriptor_allocations, descriptor_updates;
    uint64_t bytes_uploaded, bytes_downloaded;
    uint64_t live_buffers, live_bytes, pool_bytes; /* now */
    /* of vkAllocateMemory in the heap of the device's memory, all purposes together: now, and at
       most so far */
    uint64_t memory_bytes, memory_peak;
    uint64_t memory_budget;  /* what memory_bytes never exceeds */
    uint64_t imported_bytes; /* of others' memory in use, in whole pages; now */
    uint64_t programs, pipelines, pipeline_cache_hits;
} vkr_counters;
void vkr_device_counters(const vkr_device *device, vkr_counters *out);

typedef struct vkr_kernel_time {
    const char *name, *label, *source;
    uint64_t runs;
    double seconds;        /* all runs together, by device timestamps */
    uint64_t bytes, flops; /* of one run, as the compiler counted them */
} vkr_kernel_time;
/* Times per dispatch since load, if the device was opened with `profile`. Waits. */
vkr_status vkr_program_times(vkr_program *program, vkr_kernel_time *times, uint32_t capacity,
                             uint32_t *out_count, vkr_error *err);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
