/* Jobs: compiles and loads, which take seconds, on threads of our own. No scheduler waits for them;
   a process that waits is in a `receive`:

     {Ref, {progress, Phase, Done, Total}}
     {Ref, {done, Result}}                  the last one

   A job whose process has died, or has ended it, sends nothing more and is cancelled. A driver
   or shaderc may take a while to return, so such a job is no longer counted: at most as many
   other jobs run as there are schedulers, and the rest wait in line. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "nif_job.h"

#define EXIT_SECONDS 30u

enum stage { JOB_WAITS, JOB_RUNS, JOB_DONE };

struct job {
    ErlNifPid owner;
    ErlNifMonitor monitor;
    ErlNifEnv *env; /* of `ref` */
    ERL_NIF_TERM ref;
    nif_job_work *work;
    nif_job_drop *drop;
    void *with;
    atomic_bool is_ended; /* written under the lock */
    enum stage stage;     /* this and `next` under the lock */
    struct job *next;
};

struct worker {
    ErlNifTid id;
    struct worker *next;
};

/* One lock for all, held for a moment. */
static struct {
    ErlNifMutex *lock;
    struct job *line;
    struct worker *ended; /* to be joined */
    unsigned busy, most;  /* jobs that count: now, and at most */
    unsigned working;     /* threads that have not ended */
    atomic_bool is_exit;  /* the process exits: all jobs are ended */
    struct job *pin;      /* never released: the library stays loaded, whose code the threads run */
} jobs;

bool nif_job_is_ended(void *context)
{
    struct job *job = context;
    return atomic_load(&job->is_ended) || atomic_load(&jobs.is_exit);
}

/* ---- messages ---- */

/* {Ref, Term}, and frees `env`. Under the lock, so that none comes after the job was ended. */
static void send_and_free(struct job *job, ErlNifEnv *env, ERL_NIF_TERM term)
{
    ERL_NIF_TERM message = enif_make_tuple2(env, enif_make_copy(env, job->ref), term);
    enif_mutex_lock(jobs.lock);
    if (!atomic_load(&job->is_ended))
        enif_send(NULL, &job->owner, env, message);
    enif_mutex_unlock(jobs.lock);
    enif_free_env(env);
}

void nif_job_progress(struct job *job, const char *phase, uint32_t done, uint32_t total)
{
    ErlNifEnv *env = enif_alloc_env();
    if (env)
        send_and_free(job, env,
                      enif_make_tuple4(env, nif_atom(env, "progress"), nif_atom(env, phase),
                                       enif_make_uint(env, done), enif_make_uint(env, total)));
}

/* ---- workers ---- */

/* The next one in line, if it may run. Under the lock. */
static struct job *take(void)
{
    struct job *job = jobs.busy < jobs.most ? jobs.line : NULL;
    if (!job || atomic_load(&jobs.is_exit))
        return NULL;
    jobs.line = job->next;
    jobs.busy++;
    job->stage = JOB_RUNS;
    return job;
}

static void run(struct job *job)
{
    ErlNifEnv *env = enif_alloc_env();
    if (env)
        send_and_free(job, env,
                      enif_make_tuple2(env, nif_atom(env, "done"), job->work(env, job, job->with)));
    job->drop(job->with);
    enif_mutex_lock(jobs.lock);
    if (!atomic_load(&job->is_ended))
        jobs.busy--;
    job->stage = JOB_DONE;
    enif_mutex_unlock(jobs.lock);
    enif_release_resource(job);
}

static void *work_off(void *context)
{
    struct worker *me = context;
    enif_mutex_lock(jobs.lock);
    for (struct job *job; (job = take());) {
        enif_mutex_unlock(jobs.lock);
        run(job);
        enif_mutex_lock(jobs.lock);
    }
    me->next = jobs.ended;
    jobs.ended = me;
    jobs.working--;
    enif_mutex_unlock(jobs.lock);
    return NULL;
}

/* One more thread, if there is something for it to do. Under the lock. */
static bool add_worker(void)
{
    if (!jobs.line || jobs.busy >= jobs.most)
        return true;
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker || enif_thread_create("nx_vulkan job", &worker->id, work_off, worker, NULL)) {
        free(worker);
        return false;
    }
    jobs.working++;
    return true;
}

static void join(struct worker *list)
{
    for (struct worker *next; list; list = next) {
        next = list->next;
        enif_thread_join(list->id, NULL);
        free(list);
    }
}

/* ---- a job's life ---- */

/* Under the lock. */
static void leave_line(struct job *job)
{
    struct job **at = &jobs.line;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    job->stage = JOB_DONE;
}

/* *Returns* false where there is no thread for it. */
static bool begin(struct job *job)
{
    enif_mutex_lock(jobs.lock);
    struct worker *ended = jobs.ended;
    jobs.ended = NULL;
    struct job **end = &jobs.line;
    while (*end)
        end = &(*end)->next;
    *end = job;
    bool ok = add_worker() || jobs.busy > 0; /* then one of the others takes it */
    if (!ok)
        leave_line(job);
    enif_mutex_unlock(jobs.lock);
    join(ended);
    return ok;
}

static void end(struct job *job)
{
    bool waited = false;
    enif_mutex_lock(jobs.lock);
    if (!atomic_load(&job->is_ended)) {
        atomic_store(&job->is_ended, true);
        waited = job->stage == JOB_WAITS;
        if (waited)
            leave_line(job);
        if (job->stage == JOB_RUNS) {
            jobs.busy--;
            /* when out of memory, the thread of this job goes on with the next */
            add_worker();
        }
    }
    enif_mutex_unlock(jobs.lock);
    if (waited) {
        job->drop(job->with);
        enif_release_resource(job);
    }
}

void nif_job_down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor)
{
    (void)env, (void)pid, (void)monitor;
    end(object);
}

void nif_job_finish(ErlNifEnv *env, void *object)
{
    (void)env;
    struct job *job = object;
    if (job->env)
        enif_free_env(job->env);
}

ERL_NIF_TERM nif_job_start(ErlNifEnv *env, ERL_NIF_TERM ref, nif_job_work *work, void *with,
                           nif_job_drop *drop)
{
    struct job *job = nif_new_job(sizeof *job);
    if (!job || !(job->env = enif_alloc_env())) {
        drop(with);
        if (job)
            enif_release_resource(job);
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for a job");
    }
    job->ref = enif_make_copy(job->env, ref);
    job->work = work;
    job->with = with;
    job->drop = drop;
    enif_self(env, &job->owner);
    enif_keep_resource(job); /* by the line, and then by its thread */
    /* before it begins, so that it learns of every end */
    if (enif_monitor_process(env, job, &job->owner, &job->monitor) == 0 && begin(job))
        return nif_ok(env, nif_hand_over(env, job));
    drop(with);
    enif_release_resource(job);
    enif_release_resource(job);
    return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no thread for a job");
}

/* end_job(Job) -> ok: no message of it comes any more */
ERL_NIF_TERM nif_end_job(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    struct job *job = nif_get_job(env, argv[0]);
    if (!job)
        return enif_make_badarg(env);
    end(job);
    return nif_atom(env, "ok");
}

/* ---- opening ---- */

/* At exit(), before destructors run, of which a compile would use what they destroy: all jobs are
   ended, and waited for. False if one takes longer than EXIT_SECONDS. */
static bool end_all(void)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    unsigned working = 1;
    atomic_store(&jobs.is_exit, true);
    for (unsigned left = EXIT_SECONDS * 1000; working && left; left--) {
        enif_mutex_lock(jobs.lock);
        working = jobs.working;
        enif_mutex_unlock(jobs.lock);
        if (working)
            nanosleep(&ms, NULL);
    }
    return !working;
}

/* Where the C library has it (glibc), a handler is told the status, with which the node then ends
   before any destructor runs, if a job still works. Elsewhere they run, and it may end by a
   signal. */
__attribute__((weak)) int on_exit(void (*function)(int, void *), void *argument);

static void end_with(int status, void *unused)
{
    (void)unused;
    if (end_all())
        return;
    fflush(NULL);
    _exit(status);
}

static void only_wait(void)
{
    end_all();
}

bool nif_open_jobs(void)
{
    ErlNifSysInfo info = {0};
    enif_system_info(&info, sizeof info);
    jobs.most = info.scheduler_threads > 1 ? (unsigned)info.scheduler_threads : 1;
    if (!jobs.lock)
        jobs.lock = enif_mutex_create("nx_vulkan jobs");
    if (!jobs.pin) {
        jobs.pin = nif_new_job(sizeof *jobs.pin);
        if (on_exit)
            on_exit(end_with, NULL);
        else
            atexit(only_wait);
    }
    return jobs.lock && jobs.pin;
}
