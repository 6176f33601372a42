/* Compiles and loads, which take seconds, on threads of their own. */
#ifndef VKR_NIF_JOB_H
#define VKR_NIF_JOB_H

#include "nif_types.h"

/* Works with `with`, and makes its result in `env`. On a thread that is not a scheduler's. */
typedef ERL_NIF_TERM nif_job_work(ErlNifEnv *env, struct job *job, void *with);
typedef void nif_job_drop(void *with);

bool nif_open_jobs(void);
/* {ok, Job}, whose messages begin with `ref`; or {error, ...}. *Owns* `with`, until `drop`. */
ERL_NIF_TERM nif_job_start(ErlNifEnv *env, ERL_NIF_TERM ref, nif_job_work *work, void *with,
                           nif_job_drop *drop);
void nif_job_progress(struct job *job, const char *phase, uint32_t done, uint32_t total);
/* Whether nothing waits for it any more: `is_cancelled` of both libraries. */
bool nif_job_is_ended(void *job);
/* Of the resource type: its destructor, and what the end of a process calls. */
void nif_job_finish(ErlNifEnv *env, void *job);
void nif_job_down(ErlNifEnv *env, void *job, ErlNifPid *pid, ErlNifMonitor *monitor);

nif_function nif_end_job;

#endif
