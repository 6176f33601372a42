/* The resources, and what stands for them in terms. They hold each other: a buffer and a program
   keep their device. A half-made one holds NULL, and its destructor accepts that. */
#ifndef VKR_NIF_TYPES_H
#define VKR_NIF_TYPES_H

#include <stdatomic.h>

#include "nif_log.h"

enum { NIF_MOST_MS = 1000 }; /* that a scheduler thread may be asked to wait */

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
    int32_t *alias;  /* of each output: the input that it replaces, or -1 */
    uint64_t *bytes; /* of each output */
    bool is_steered; /* its runs take turns */
    /* under the lock of nif_run.c */
    struct call *holder, *line; /* the run whose turn it is, and those that wait, in order */
};

enum turn { TURN_NONE, TURN_WAITS, TURN_HAS };

/* A run in progress. */
struct call {
    struct program *program;
    vkr_call *vkr;       /* NULL: over */
    vkr_buffer *handles; /* of the inputs; in one allocation with the next two */
    vkr_buffer *outputs;
    struct buffer **inputs;
    bool is_kept;        /* holds its program and inputs; before, its process's terms do */
    atomic_flag is_busy; /* a function works with it */
    ErlNifPid owner;
    uint64_t id; /* in the message that it is its turn */
    /* under the lock of nif_run.c */
    enum turn turn;
    struct call *next, *all_next;
};

struct job;

enum nif_type { NIF_DEVICE, NIF_BUFFER, NIF_PROGRAM, NIF_CALL, NIF_JOB, NIF_TYPES };

/* `types` has by nif_type what the end of each calls. */
bool nif_open_types(ErlNifEnv *env, const ErlNifResourceTypeInit types[NIF_TYPES]);

/* Zeroed; NULL when out of memory. Given to a term by nif_hand_over. */
struct device *nif_new_device(void);
struct program *nif_new_program(struct device *device);
struct call *nif_new_call(void);
ERL_NIF_TERM nif_hand_over(ErlNifEnv *env, void *resource);

/* NULL if the term is none. */
struct device *nif_get_device(ErlNifEnv *env, ERL_NIF_TERM term);
struct buffer *nif_get_buffer(ErlNifEnv *env, ERL_NIF_TERM term);
struct program *nif_get_program(ErlNifEnv *env, ERL_NIF_TERM term);
struct call *nif_get_call(ErlNifEnv *env, ERL_NIF_TERM term);
struct job *nif_new_job(size_t size);
struct job *nif_get_job(ErlNifEnv *env, ERL_NIF_TERM term);

/* A resource for a handle of the runtime. If memory runs out, the handle is freed, `out`
   is {error, ...} and the result false. */
bool nif_wrap_buffer(ErlNifEnv *env, struct device *device, vkr_buffer handle, uint64_t bytes,
                     ERL_NIF_TERM *out);

#endif
