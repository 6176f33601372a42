#include "at_exit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* of the list */
    struct at_exit_work *list;
    atomic_bool has_begun;
    atomic_uint inside;     /* threads between at_exit_enter and at_exit_leave */
    _Atomic(pid_t) process; /* that was registered: the child of a fork has none of its threads */
} at_exit = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool wait_for_calls(void)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    atomic_store(&at_exit.has_begun, true);
    for (unsigned left = AT_EXIT_SECONDS * 1000; left && atomic_load(&at_exit.inside); left--)
        nanosleep(&ms, NULL);
    return !atomic_load(&at_exit.inside);
}

bool at_exit_begin(void)
{
    bool is_idle = wait_for_calls();
    pthread_mutex_lock(&at_exit.lock);
    for (struct at_exit_work *work = at_exit.list; work; work = work->next)
        is_idle &= work->wait(work->context);
    pthread_mutex_unlock(&at_exit.lock);
    return is_idle;
}

static bool wait_at_exit(void)
{
    return getpid() != atomic_load(&at_exit.process) || atomic_load(&at_exit.has_begun) ||
           at_exit_begin();
}

/* Where the C library has it (glibc), a handler is told the status, with which the process then
   ends before any destructor runs, if something is still under way. Elsewhere they run, and it may
   end by a signal. */
__attribute__((weak)) int on_exit(void (*function)(int, void *), void *argument);

static void end_with(int status, void *unused)
{
    (void)unused;
    if (wait_at_exit())
        return;
    fflush(NULL);
    _exit(status);
}

static void only_wait(void)
{
    wait_at_exit();
}

void at_exit_renew(void)
{
    if (atomic_load(&at_exit.has_begun))
        return;
    atomic_store(&at_exit.process, getpid());
    if (on_exit)
        on_exit(end_with, NULL);
    else
        atexit(only_wait);
}

void at_exit_add(struct at_exit_work *work)
{
    at_exit_renew();
    pthread_mutex_lock(&at_exit.lock);
    work->next = at_exit.list;
    at_exit.list = work;
    pthread_mutex_unlock(&at_exit.lock);
}

void at_exit_remove(struct at_exit_work *work)
{
    pthread_mutex_lock(&at_exit.lock);
    for (struct at_exit_work **at = &at_exit.list; *at; at = &(*at)->next)
        if (*at == work) {
            *at = work->next;
            break;
        }
    pthread_mutex_unlock(&at_exit.lock);
}

vkr_status at_exit_check(vkr_error *err)
{
    return atomic_load(&at_exit.has_begun)
               ? error_set(err, VKR_CANCELLED, "the process ends: nothing more is begun")
               : VKR_OK;
}

vkr_status at_exit_enter(vkr_error *err)
{
    /* before it asks: exit() sets the one, then reads the other */
    atomic_fetch_add(&at_exit.inside, 1);
    vkr_status status = at_exit_check(err);
    if (status)
        atomic_fetch_sub(&at_exit.inside, 1);
    return status;
}

void at_exit_leave(void)
{
    atomic_fetch_sub(&at_exit.inside, 1);
}
