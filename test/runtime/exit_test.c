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
#include "faults.h"

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
    expect(!vkr_program_load(device, bundle, size, &program, NULL), "it loads as from anywhere");
    vkr_program_unload(program);
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

/* ---- what is under way in the driver ---- */

static PFN_vkCreateComputePipelines really_create;
static uint32_t pipelines, stops_at; /* calls so far; the one in which exit() begins */
static atomic_bool has_ended, is_idle;
static pthread_t ending;

static void *begin_end(void *context)
{
    (void)context;
    atomic_store(&is_idle, at_exit_begin());
    atomic_store(&has_ended, true);
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_slowly(VkDevice handle, VkPipelineCache cache,
                                                    uint32_t count,
                                                    const VkComputePipelineCreateInfo *infos,
                                                    const VkAllocationCallbacks *a, VkPipeline *out)
{
    if (++pipelines == stops_at) {
        expect(!pthread_create(&ending, NULL, begin_end, NULL), "a thread");
        pause_for(100);
        expect(!atomic_load(&has_ended), "the driver is waited for");
    }
    return really_create(handle, cache, count, infos, a, out);
}

static void be_slow(vkr_device *opened)
{
    really_create = opened->gpu.vk.CreateComputePipelines;
    opened->gpu.vk.CreateComputePipelines = create_slowly;
}

/* A kernel, and group counts that a shader of the runtime's own bounds. */
static void *build_counted(size_t *size)
{
    builder_init(&b, "counted");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE), counts = builder_arena(&b, 12),
             zeros = builder_constant(&b, &(uint32_t[]){0, 0, 0}, 12);
    builder_copy(&b, zeros, counts, 12);
    uint32_t step =
        builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), 1, (const uint32_t[]){n, END});
    b.steps[step].counts = counts, b.steps[step].barrier = 1;
    return builder_finish(&b, size);
}

enum {
    DRIVER_CALLS = 3
}; /* that this process makes on a CPU; another device has no first shader */

static void in_driver(void)
{
    size_t size;
    void *bundle = build_counted(&size);
    vkr_status status;
    faults_before_open(be_slow);
    if ((status = vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, NULL)))
        _exit(NO_DEVICE);
    vkr_device_info info;
    vkr_device_get_info(device, &info);
    status = vkr_program_load(device, bundle, size, &program, NULL);
    expect(status == VKR_OK || (status == VKR_CANCELLED && pipelines >= stops_at && !program),
           "a load");
    expect(stops_at || pipelines == DRIVER_CALLS - (info.kind != VKR_CPU), "all were seen");
    if (pipelines >= stops_at && stops_at)
        expect(!pthread_join(ending, NULL), "a thread");
    else
        atomic_store(&is_idle, at_exit_begin());
    expect(atomic_load(&is_idle), "nothing is under way");
    vkr_program_unload(program);
    vkr_device_close(device);
    free(bundle);
    _exit(ENDED_WELL);
}

/* ---- the list of what is waited for ---- */

static struct at_exit_work listed, added;
static atomic_bool has_changed;

static void *change_list(void *context)
{
    (void)context;
    at_exit_remove(&listed);
    at_exit_add(&added);
    at_exit_remove(&added);
    atomic_store(&has_changed, true);
    return NULL;
}

static pthread_t changing;
static uint32_t waits;

/* Devices are closed and opened by other threads meanwhile: not before all were waited for. */
static bool wait_for_work(void *context)
{
    if (waits++ == 0)
        expect(!pthread_create(&changing, NULL, change_list, NULL), "a thread");
    pause_for(50);
    expect(waits > 3 || !atomic_load(&has_changed), "the list is as it was");
    return context == NULL;
}

static void holds_list(void)
{
    struct at_exit_work works[2] = {{.wait = wait_for_work}, {.wait = wait_for_work}};
    listed = (struct at_exit_work){.wait = wait_for_work, .context = &works};
    added = (struct at_exit_work){.wait = wait_for_work};
    at_exit_add(&works[0]);
    at_exit_add(&listed);
    at_exit_add(&works[1]);
    expect(!at_exit_begin() && waits == 3, "one of three is not idle");
    expect(!pthread_join(changing, NULL) && atomic_load(&has_changed), "a thread");
    expect(at_exit_begin() && waits == 5, "that one was removed");
    at_exit_remove(&works[1]);
    at_exit_remove(&works[0]);
    at_exit_remove(&works[0]);
    expect(at_exit_begin() && waits == 5, "nothing is left");
    _exit(ENDED_WELL);
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

/* ---- what does not end ---- */

static FILE *written; /* what the process had in its buffer */

static bool never_ends(void *context)
{
    (void)context;
    return false;
}

static void runs_nothing(void)
{
    fail("a destructor runs beside what is under way");
}

__attribute__((weak)) int on_exit(void (*function)(int, void *), void *argument);

static void stuck(void)
{
    struct at_exit_work work = {.wait = never_ends};
    if (on_exit) /* without it they do run */
        atexit(runs_nothing);
    at_exit_add(&work);
    fputs("kept", written);
    exit(ENDED_WELL);
}

static void test_stuck(void)
{
    written = tmpfile();
    CHECK(written, "a file");
    if (!written)
        return;
    test_process("what does not end", stuck);
    CHECK(fseek(written, 0, SEEK_END) == 0 && ftell(written) == 4, "files were written out");
    fclose(written);
}

/* ---- fork ---- */

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
    char how[64];
    pid_t ended = waitpid(child, &status, 0);
    snprintf(how, sizeof how, "the child ends: status of waitpid %#x", status);
    expect(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == ENDED_WELL, how);
    expect(!at_exit_check(NULL), "the parent goes on");
    exit(ENDED_WELL);
}

int main(void)
{
    if (!test_process("work under way", works))
        return harness_skip("no device");
    RUN((void)test_process("nothing begins", begins_nothing));
    RUN((void)test_process("a call under way", calls));
    RUN((void)test_process("a fork", forks));
    RUN((void)test_process("the list", holds_list));
    RUN(test_stuck());
    for (stops_at = 0; stops_at <= DRIVER_CALLS; stops_at++)
        RUN((void)test_process("in the driver", in_driver));
    return harness_report();
}
