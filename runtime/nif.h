/* What the files of the NIF share: the resources, and helpers that make and read terms. */
#ifndef VKR_NIF_H
#define VKR_NIF_H

#include <erl_nif.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "vkr.h"

enum {
    NIF_MAX_TENSORS = 65536,    /* inputs or outputs of the interpreter */
    NIF_TEXT = 4096,            /* bytes of a text argument, with its NUL */
    NIF_MESSAGES = 256,         /* of a device that nobody has asked for */
    NIF_MOST_MS = 1000          /* that a scheduler thread may be asked to wait */
};

struct nif_message { int severity; char *text; };

struct nif_log {
    ErlNifMutex *lock;
    struct nif_message messages[NIF_MESSAGES];
    uint32_t count;
    uint64_t lost;              /* messages that found no room */
};

struct device {
    vkr_device *vkr;
    struct nif_log log;
};

struct buffer {
    struct device *device;
    _Atomic(vkr_buffer) handle; /* 0: freed, or donated to an output */
    uint64_t bytes;
};

struct program {
    struct device *device;
    vkr_program *vkr;
    uint32_t ninputs, noutputs;
    int32_t *alias;             /* of each output: the input that it replaces, or -1 */
    uint64_t *bytes;            /* of each output */
    bool is_steered;            /* its runs take turns */
    /* under the lock of nif_run.c */
    struct call *holder, *line; /* the run whose turn it is, and those that wait, in order */
};

enum turn { TURN_NONE, TURN_WAITS, TURN_HAS };

/* A run in progress. */
struct call {
    struct program *program;
    vkr_call *vkr;              /* NULL: over */
    vkr_buffer *handles;        /* of the inputs; in one allocation with the next two */
    vkr_buffer *outputs;
    struct buffer **inputs;
    bool is_kept;               /* holds its program and inputs; before, the terms of its process do */
    atomic_flag is_busy;        /* a function works with it */
    ErlNifPid owner;
    uint64_t id;                /* in the message that it is its turn */
    /* under the lock of nif_run.c */
    enum turn turn;
    struct call *next, *all_next;
};

bool nif_open_types(ErlNifEnv *env);

bool nif_log_init(struct nif_log *log);
void nif_log_finish(struct nif_log *log);
void nif_log_write(void *context, int severity, const char *message);   /* the log callback of a device */

/* Zeroed; NULL when there is no memory. Given to a term by nif_hand_over. */
struct device *nif_new_device(void);
struct program *nif_new_program(struct device *device);
struct call *nif_new_call(void);
ERL_NIF_TERM nif_hand_over(ErlNifEnv *env, void *resource);

/* NULL if the term is none. */
struct device *nif_get_device(ErlNifEnv *env, ERL_NIF_TERM term);
struct buffer *nif_get_buffer(ErlNifEnv *env, ERL_NIF_TERM term);
struct program *nif_get_program(ErlNifEnv *env, ERL_NIF_TERM term);
struct call *nif_get_call(ErlNifEnv *env, ERL_NIF_TERM term);

/* For a term that is no handle: a reference may have been one, and is back from another node after nothing here kept
   what it stood for. Anything else is a badarg. */
ERL_NIF_TERM nif_no_handle(ErlNifEnv *env, ERL_NIF_TERM term, const char *what);

/* ---- nif_job.c ---- */

struct job;
/* Works with `with`, and makes its result in `env`. On a thread that is no scheduler's. */
typedef ERL_NIF_TERM nif_job_work(ErlNifEnv *env, struct job *job, void *with);
typedef void nif_job_drop(void *with);

bool nif_open_jobs(void);
/* {ok, Job}, whose messages begin with `ref`; or {error, ...}. *Owns* `with`, until `drop`. */
ERL_NIF_TERM nif_job_start(ErlNifEnv *env, ERL_NIF_TERM ref, nif_job_work *work, void *with, nif_job_drop *drop);
void nif_job_progress(struct job *job, const char *phase, uint32_t done, uint32_t total);
/* Whether nobody waits for it any more: `is_cancelled` of both libraries. */
bool nif_job_is_ended(void *job);
/* Of the resource type: its destructor, and what the end of a process calls. */
void nif_job_finish(ErlNifEnv *env, void *job);
void nif_job_down(ErlNifEnv *env, void *job, ErlNifPid *pid, ErlNifMonitor *monitor);
struct job *nif_new_job(size_t size);
struct job *nif_get_job(ErlNifEnv *env, ERL_NIF_TERM term);

/* ---- nif_run.c ---- */

bool nif_open_turns(void);
/* Ends a run in any state, and frees what it holds. */
void nif_end_call(ErlNifEnv *env, struct call *call);

/* A resource for a handle of the runtime. If there is no memory for it, the handle is freed, `out` is
   {error, ...} and the result false. */
bool nif_wrap_buffer(ErlNifEnv *env, struct device *device, vkr_buffer handle, uint64_t bytes, ERL_NIF_TERM *out);

ERL_NIF_TERM nif_atom(ErlNifEnv *env, const char *name);
ERL_NIF_TERM nif_text(ErlNifEnv *env, const char *s);    /* a binary; NULL is empty */
ERL_NIF_TERM nif_boolean(ErlNifEnv *env, bool b);
ERL_NIF_TERM nif_ok(ErlNifEnv *env, ERL_NIF_TERM term);
ERL_NIF_TERM nif_failed(ErlNifEnv *env, vkr_status status, const vkr_error *err);
ERL_NIF_TERM nif_refused(ErlNifEnv *env, vkr_status status, const char *message);
void nif_put(ErlNifEnv *env, ERL_NIF_TERM *map, const char *key, ERL_NIF_TERM value);

#define PUT_U64(map, from, field) nif_put(env, &(map), #field, enif_make_uint64(env, (from).field))
#define PUT_F64(map, from, field) nif_put(env, &(map), #field, enif_make_double(env, (from).field))

bool nif_is_true(ErlNifEnv *env, ERL_NIF_TERM term);
/* A binary as a C string in `buf` of NIF_TEXT bytes; NULL if empty. False if it is no binary or too long. */
bool nif_get_text(ErlNifEnv *env, ERL_NIF_TERM term, char *buf, const char **out);
bool nif_get_u32(ErlNifEnv *env, ERL_NIF_TERM term, uint32_t *out);
bool nif_get_u64(ErlNifEnv *env, ERL_NIF_TERM term, uint64_t *out);

typedef ERL_NIF_TERM nif_function(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);
nif_function nif_devices, nif_device_open, nif_device_info, nif_device_counters, nif_device_messages, nif_device_wait;
nif_function nif_buffer_create, nif_buffer_alloc, nif_buffer_copy, nif_buffer_write, nif_buffer_read, nif_buffer_wait,
    nif_buffer_free, nif_buffer_info, nif_buffer_address, nif_buffer_import;
nif_function nif_compile, nif_interpret, nif_list_ops, nif_end_job;
nif_function nif_load, nif_program_info, nif_program_times, nif_program_bundle, nif_run, nif_resume, nif_cancel;

#endif
