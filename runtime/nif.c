/* The NIF: decodes terms, calls vkc_* and vkr_*, encodes terms. What anything means is decided
   in lib/ and in the two libraries. The table says where each function runs: the interpreter on
   dirty CPU schedulers, what waits for a device or moves many bytes on dirty I/O schedulers; what
   mostly needs neither is tried where it is called, and only goes there if it must.
   Compiling and loading begin a job, on a thread of its own (nif_job.c). Nothing waits for
   Elixir. */
#include <string.h>

#include "nif_compile.h"
#include "nif_device.h"
#include "nif_job.h"
#include "nif_program.h"
#include "nif_run.h"

#define CPU ERL_NIF_DIRTY_JOB_CPU_BOUND
#define IO ERL_NIF_DIRTY_JOB_IO_BOUND

/* what `load` returns for it; lib/nx/vulkan/nif.ex knows the number */
enum { NIF_OTHER_VERSION = 2 };

static ErlNifFunc functions[] = {
    {"devices", 0, nif_devices, IO},
    {"device_open", 5, nif_device_open, IO},
    {"device_info", 1, nif_device_info, 0},
    {"device_counters", 1, nif_device_counters, 0},
    {"device_messages", 1, nif_device_messages, 0},
    {"device_wait", 1, nif_device_wait, 0},
    {"buffer_create", 2, nif_buffer_create, 0},
    {"buffer_alloc", 2, nif_buffer_alloc, IO},
    {"buffer_copy", 1, nif_buffer_copy, IO},
    {"buffer_write", 3, nif_buffer_write, IO},
    {"buffer_read", 4, nif_buffer_read, 0},
    {"buffer_wait", 2, nif_buffer_wait, 0},
    {"buffer_free", 1, nif_buffer_free, 0},
    {"buffer_info", 1, nif_buffer_info, 0},
    {"buffer_address", 1, nif_buffer_address, IO},
    {"buffer_import", 3, nif_buffer_import, IO},
    {"start_compile", 4, nif_compile, 0},
    {"interpret", 6, nif_interpret, CPU},
    {"list_ops", 0, nif_list_ops, 0},
    {"start_load", 4, nif_load, 0},
    {"end_job", 1, nif_end_job, 0},
    {"program_info", 1, nif_program_info, 0},
    {"program_times", 1, nif_program_times, IO},
    {"program_bundle", 1, nif_program_bundle, 0},
    {"run", 3, nif_run, 0},
    {"resume", 3, nif_resume, IO},
    {"cancel", 1, nif_cancel, 0},
};

/* What the end of a resource calls, and of a job's process. */
static const ErlNifResourceTypeInit types[NIF_TYPES] = {
    [NIF_DEVICE] = {.dtor = nif_device_down},
    [NIF_BUFFER] = {.dtor = nif_buffer_down},
    [NIF_PROGRAM] = {.dtor = nif_program_down},
    [NIF_CALL] = {.dtor = nif_call_down},
    [NIF_JOB] = {.dtor = nif_job_finish, .down = nif_job_down},
};

/* `info` is the version of the Elixir code that loads this. */
static int load(ErlNifEnv *env, void **out_private, ERL_NIF_TERM info)
{
    ErlNifBinary version;
    (void)out_private;
    if (!enif_inspect_binary(env, info, &version) || version.size != strlen(VKR_VERSION) ||
        memcmp(version.data, VKR_VERSION, version.size))
        return NIF_OTHER_VERSION;
    return nif_open_types(env, types) && nif_open_turns() && nif_open_jobs() ? 0 : 1;
}

static int upgrade(ErlNifEnv *env, void **out_private, void **old_private, ERL_NIF_TERM info)
{
    (void)old_private;
    return load(env, out_private, info);
}

ERL_NIF_INIT(Elixir.Nx.Vulkan.NIF, functions, load, NULL, upgrade, NULL)
