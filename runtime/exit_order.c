#include "exit_order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "at_exit.h"
#include "env.h"

struct exit_order {
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool is_busy, is_finished;
    atomic_bool is_over; /* it has been so for long enough: submissions pay nothing for it */
    bool (*is_idle)(void *context);
    void *context;
    pthread_t thread;
};

/* Waits until there is something to do. *Returns* false at the end. */
static bool wait_for_work(struct exit_order *o)
{
    pthread_mutex_lock(&o->lock);
    while (!o->is_busy && !o->is_finished)
        pthread_cond_wait(&o->change, &o->lock);
    o->is_busy = false;
    bool goes_on = !o->is_finished;
    pthread_mutex_unlock(&o->lock);
    return goes_on;
}

static bool is_finished(struct exit_order *o)
{
    pthread_mutex_lock(&o->lock);
    bool finished = o->is_finished;
    pthread_mutex_unlock(&o->lock);
    return finished;
}

static void *keep(void *context)
{
    struct exit_order *o = context;
    const struct timespec pause = {.tv_nsec = 20000000};
    while (wait_for_work(o))
        do {
            nanosleep(&pause, NULL);
            if (!at_exit_renew()) {
                atomic_store(&o->is_over, true);
                return NULL;
            }
        } while (!is_finished(o) && !o->is_idle(o->context));
    return NULL;
}

vkr_status exit_order_start(bool (*is_idle)(void *context), void *context, struct exit_order **out,
                            vkr_error *err)
{
    struct exit_order *o = host_alloc(1, sizeof *o);
    if (!o)
        return error_memory(err);
    o->is_idle = is_idle;
    o->context = context;
    if (pthread_mutex_init(&o->lock, NULL))
        goto no_lock;
    if (pthread_cond_init(&o->change, NULL))
        goto no_change;
    if (pthread_create(&o->thread, NULL, keep, o))
        goto no_thread;
    *out = o;
    return VKR_OK;
no_thread:
    pthread_cond_destroy(&o->change);
no_change:
    pthread_mutex_destroy(&o->lock);
no_lock:
    free(o);
    return error_memory(err);
}

static void tell(struct exit_order *o, bool *what)
{
    pthread_mutex_lock(&o->lock);
    *what = true;
    pthread_cond_signal(&o->change);
    pthread_mutex_unlock(&o->lock);
}

void exit_order_note(struct exit_order *o)
{
    if (o && !atomic_load(&o->is_over))
        tell(o, &o->is_busy);
}

void exit_order_finish(struct exit_order *o)
{
    if (!o)
        return;
    tell(o, &o->is_finished);
    pthread_join(o->thread, NULL);
    pthread_cond_destroy(&o->change);
    pthread_mutex_destroy(&o->lock);
    free(o);
}
