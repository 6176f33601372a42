/* Worker k of n does the items k, k + n, k + 2 n, ...: which one does what is the same in every
   run. It says over a pipe what it begins and what it has done. */
#include "workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct worker {
    pid_t pid;
    int from;      /* the pipe's end, -1: closed */
    uint32_t next; /* the item it begins with, or is at */
    time_t begun;
    time_t used; /* of the processor, by then */
};

/* Processor seconds of a process, all of its threads; 0 of one that has ended. */
static time_t processor_time(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return t.tv_sec;
}

/* Other work on the machine makes an item slow, not long; one that waits for ever uses nothing. */
static bool is_late(const struct workers *w, const struct worker *x)
{
    time_t limit = (time_t)w->limit_s;
    return processor_time(x->pid) - x->used > limit || time(NULL) - x->begun > 10 * limit;
}

static void tell(int to, const struct work_done *done)
{
    ssize_t n = write(to, done, sizeof *done); /* less than PIPE_BUF: whole */
    if (n != (ssize_t)sizeof *done)
        _exit(3);
}

static void serve(const struct workers *w, uint32_t first, int to)
{
    void *opened = w->open(w->context);
    for (uint32_t i = first; opened && i < w->count; i += w->jobs) {
        struct work_done done = {.index = i, .state = WORK_BEGUN};
        tell(to, &done);
        w->work(w->context, opened, i, done.data);
        fflush(stdout);
        done.state = WORK_DONE;
        tell(to, &done);
    }
    if (opened)
        w->close(opened);
    fflush(stdout);
    _exit(opened ? 0 : 2);
}

static bool start(const struct workers *w, struct worker *x, uint32_t first)
{
    int ends[2];
    *x = (struct worker){.pid = -1, .from = -1, .next = first, .begun = time(NULL)};
    if (first >= w->count)
        return true;
    fflush(stdout);
    if (pipe(ends) != 0)
        return false;
    x->pid = fork();
    if (x->pid == 0) {
        close(ends[0]);
        serve(w, first, ends[1]);
    }
    close(ends[1]);
    x->from = ends[0];
    return x->pid > 0;
}

/* The worker's pipe has ended. False when it never opened. */
static bool ended(const struct workers *w, struct worker *x)
{
    int status = 0;
    close(x->from);
    x->from = -1;
    waitpid(x->pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return false;
    struct work_done died = {.index = x->next, .state = WORK_DIED};
    w->take(w->context, &died);
    return start(w, x, x->next + w->jobs);
}

static bool hear(const struct workers *w, struct worker *x)
{
    struct work_done done;
    ssize_t n = read(x->from, &done, sizeof done);
    if (n != (ssize_t)sizeof done)
        return n < 0 && errno == EINTR ? true : ended(w, x);
    x->begun = time(NULL);
    x->used = processor_time(x->pid);
    x->next = done.index;
    if (done.state == WORK_DONE)
        w->take(w->context, &done);
    return true;
}

bool workers_run(const struct workers *w)
{
    struct worker workers[MOST_WORKERS];
    struct pollfd fds[MOST_WORKERS];
    bool ok = true;
    for (uint32_t k = 0; k < w->jobs; k++)
        ok &= start(w, &workers[k], k);
    for (uint32_t open = 1; open > 0;) {
        open = 0;
        for (uint32_t k = 0; k < w->jobs; k++) {
            fds[k] = (struct pollfd){.fd = workers[k].from, .events = POLLIN};
            open += workers[k].from >= 0;
        }
        if (open == 0 || (poll(fds, w->jobs, 1000) < 0 && errno != EINTR))
            break;
        for (uint32_t k = 0; k < w->jobs; k++) {
            if (workers[k].from >= 0 && is_late(w, &workers[k]))
                kill(workers[k].pid, SIGKILL); /* its pipe ends */
            if (workers[k].from >= 0 && fds[k].revents)
                ok &= hear(w, &workers[k]);
        }
    }
    return ok;
}
