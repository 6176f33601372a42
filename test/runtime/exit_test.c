/* What exit() does while the device works: it waits, and the process ends with its own status.
   Each case is a process of its own, made before any device is open. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../runtime/device.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"

enum { COUNT = 1 << 16, ENDED_WELL = 40, NO_DEVICE = 77 };

static vkr_device *device;
static vkr_program *program;
static struct builder b;
static bool is_fork;

static void fail(const char *why)
{
    printf("FAILED: %s\n", why);
    fflush(stdout);
    _exit(1);
}

static void expect(bool condition, const char *what)
{
    if (!condition)
        fail(what);
}

static void pause_for(long ms)
{
    nanosleep(&(const struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* A device that runs nothing before it is waited for, and a program for it. */
static void open_all(void)
{
    if (vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, NULL))
        _exit(NO_DEVICE);
    watch_be_late(device, true);
    builder_init(&b, "slow");
    builder_input(&b, "x", "f32", COUNT);
    uint32_t out = builder_output(&b, "x", "f32", COUNT, 0);
    builder_dispatch(&b, builder_kernel(&b, K_SLOW), COUNT / 64, (const uint32_t[]){out, END});
    size_t size;
    void *bundle = builder_finish(&b, &size);
    expect(!test_load(device, bundle, size, &program, NULL), "the program loads");
    free(bundle);
}

static vkr_status submit(vkr_error *err)
{
    vkr_buffer x = 0, none = 0;
    vkr_status status = vkr_buffer_alloc(device, COUNT * sizeof(float), &x, err);
    return status ? status : vkr_run(program, &x, 1, &none, 1, NULL, err);
}

/* Registered first, so called last but for a leak checker, which this keeps from looking: what a
   process leaves open at exit() is not lost. */
static void end(void)
{
    expect(!is_fork || !at_exit_check(NULL), "the child of a fork waits for nothing");
    fflush(stdout);
    _exit(ENDED_WELL);
}

static void was_waited_for(void)
{
    expect(device->queue.completed == device->queue.submitted, "the work was waited for");
}

static void works(void)
{
    atexit(was_waited_for);
    open_all();
    for (int i = 0; i < 4; i++)
        expect(!submit(NULL), "a run");
    expect(device->queue.completed < device->queue.submitted, "the device is late");
    exit(ENDED_WELL);
}

static void begins_nothing(void)
{
    vkr_error err = {0};
    open_all();
    expect(at_exit_begin(), "all is idle");
    uint64_t submitted = device->queue.submitted;
    expect(submit(&err) == VKR_CANCELLED && strstr(err.message, "the process ends"),
           "a run is refused");
    expect(device->queue.submitted == submitted, "nothing was submitted");
    size_t size;
    void *bundle = builder_finish(&b, &size);
    vkr_program *more = NULL;
    expect(test_load(device, bundle, size, &more, &err) == VKR_CANCELLED && !more,
           "a load is refused");
    vkr_device *other = NULL;
    expect(vkr_device_open(NULL, &other, &err) == VKR_CANCELLED && !other, "a device is refused");
    vkr_program_unload(program);
    vkr_device_close(device);
    exit(ENDED_WELL);
}

static atomic_bool is_inside, has_left;

static void *stay(void *context)
{
    (void)context;
    expect(!at_exit_enter(NULL), "a call may begin");
    atomic_store(&is_inside, true);
    pause_for(300);
    atomic_store(&has_left, true);
    at_exit_leave();
    return NULL;
}

static void call_was_waited_for(void)
{
    expect(atomic_load(&has_left), "the call was waited for");
}

static void calls(void)
{
    pthread_t thread;
    atexit(call_was_waited_for);
    open_all();
    expect(!pthread_create(&thread, NULL, stay, NULL), "a thread");
    while (!atomic_load(&is_inside))
        pause_for(1);
    exit(ENDED_WELL);
}

/* The child of a fork has no thread that could finish anything. */
static void forks(void)
{
    open_all();
    expect(!submit(NULL), "a run");
    pid_t child = fork();
    if (child == 0) {
        is_fork = true;
        exit(ENDED_WELL);
    }
    int status = 0;
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
               WEXITSTATUS(status) == ENDED_WELL,
           "the child ends");
    expect(!at_exit_check(NULL), "the parent goes on");
    exit(ENDED_WELL);
}

/* *Returns* whether there is a device. */
static bool test_process(const char *name, void (*process)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        atexit(end);
        process();
        _exit(2);
    }
    int status = 0;
    bool is_there = waitpid(child, &status, 0) == child && WIFEXITED(status);
    if (is_there && WEXITSTATUS(status) == NO_DEVICE)
        return false;
    CHECK(is_there && WEXITSTATUS(status) == ENDED_WELL, "%s: status of waitpid %#x", name, status);
    return true;
}

int main(void)
{
    if (!test_process("work under way", works))
        return harness_skip("no device");
    RUN((void)test_process("nothing begins", begins_nothing));
    RUN((void)test_process("a call under way", calls));
    RUN((void)test_process("a fork", forks));
    return harness_report();
}
