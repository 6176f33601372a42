/* Every call of vkr.h that threads may make at the same time, on one device, made so: what each
   gets is right. With `make tsan` the thread sanitizer tells which access no lock orders. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "../watch/load.h"
#include "builder.h"
#include "device.h"

enum { THREADS = 4, ROUNDS = 8, COUNT = 64, LARGE = 100000, KERNELS = 7 };

/* What the threads share, and what each has; a check that fails is counted, for the harness counts
   in one thread. */
struct shared {
    vkr_device *device;
    vkr_program *add, *count;
    vkr_buffer ones;
    pthread_barrier_t *all;
    void *small, *many[2 * THREADS];
    size_t small_size, many_size[2 * THREADS];
};

struct worker {
    const struct shared *s;
    uint32_t seed;
    int failures, line;
    atomic_bool has_begun; /* its load makes pipelines */
};

#define MUST(condition) \
    ((condition) ? (void)0 : (void)(w->failures++, w->line = w->line ? w->line : __LINE__))
#define DONE(call) MUST((call) == VKR_OK)

/* Once pipelines are made, when all threads of the load have asked. */
static bool soon(void *context)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    struct worker *w = context;
    if (!atomic_load(&w->has_begun))
        return false;
    nanosleep(&pause, NULL);
    return true;
}

static void hear(void *context, uint32_t done, uint32_t total)
{
    struct worker *w = context;
    MUST(done <= total && total == KERNELS);
    atomic_store(&w->has_begun, true);
}

/* Two numbers each: the sum of a buffer and ones is right, read in whichever way. */
static void add_ones(struct worker *w, vkr_program *add, uint32_t round)
{
    vkr_device *d = w->s->device;
    float data[COUNT], back[COUNT];
    vkr_buffer in[2] = {0, w->s->ones}, out = 0, copy = 0;
    uint64_t bytes = 0;
    void *address = NULL;
    bool done = false;
    for (int i = 0; i < COUNT; i++)
        data[i] = (float)(w->seed * 1000 + round + (uint32_t)i);
    DONE(vkr_try_create(d, data, sizeof data, &in[0], &done, NULL));
    if (!done)
        DONE(vkr_buffer_create(d, data, sizeof data, &in[0], NULL));
    data[0] += 1;
    DONE(round % 2 ? vkr_buffer_write(d, in[0], 0, data, 4, NULL)
                   : vkr_buffer_upload_into(d, in[0], data, sizeof data, NULL));
    DONE(vkr_buffer_byte_size(d, in[0], &bytes, NULL));
    MUST(bytes == sizeof data);
    done = false;
    if (round % 2)
        DONE(vkr_try_run(add, in, 2, &out, 1, &done, NULL));
    if (!done)
        DONE(vkr_run(add, in, 2, &out, 1, NULL, NULL));
    DONE(vkr_buffer_copy(d, out, &copy, NULL));
    if (round % 4 == 1)
        DONE(vkr_buffer_wait(d, copy, NULL));
    else if (round % 4 == 2)
        DONE(vkr_buffer_wait_for(d, copy, 1000, &done, NULL));
    else if (round % 4 == 3)
        DONE(vkr_try_wait(d, copy, 1000, &done, NULL));
    done = false;
    DONE(vkr_try_read(d, copy, 0, back, sizeof back, 1000, &done, NULL));
    if (!done)
        DONE(vkr_buffer_read(d, round % 2 ? out : copy, 0, back, sizeof back, NULL));
    for (int i = 0; i < COUNT; i++)
        MUST(back[i] >= data[i] + 1 && back[i] <= data[i] + 1);
    vkr_status status = vkr_buffer_address(d, out, &address, NULL);
    MUST(status == VKR_UNSUPPORTED || (!status && !memcmp(address, back, sizeof back)));
    DONE(vkr_buffer_free(d, in[0], NULL));
    DONE(vkr_buffer_free(d, out, NULL));
    DONE(vkr_buffer_free(d, copy, NULL));
}

/* More than goes through the host's memory at once; the same numbers come back. */
static void move_large(struct worker *w)
{
    vkr_device *d = w->s->device;
    uint32_t *data = malloc(LARGE), sum = 0;
    vkr_buffer buffer = 0, again = 0;
    MUST(data != NULL);
    if (!data)
        return;
    for (uint32_t i = 0; i < LARGE / 4; i++)
        data[i] = i * w->seed;
    DONE(vkr_buffer_create(d, data, LARGE, &buffer, NULL));
    DONE(vkr_buffer_alloc(d, LARGE, &again, NULL));
    DONE(vkr_buffer_free(d, again, NULL));
    memset(data, 0, LARGE);
    DONE(vkr_buffer_read(d, buffer, 0, data, LARGE, NULL));
    for (uint32_t i = 0; i < LARGE / 4; i++)
        sum += data[i] != i * w->seed;
    MUST(!sum);
    DONE(vkr_buffer_free(d, buffer, NULL));
    free(data);
}

/* A loop that the host steers, to its end or not; runs take turns. */
static void steer(struct worker *w, bool is_ended)
{
    vkr_device *d = w->s->device;
    uint32_t numbers[2] = {0, w->seed + 3}, result = 0;
    vkr_buffer in[2] = {0}, out = 0;
    vkr_call *call = NULL;
    vkr_call_state state = VKR_CALL_AGAIN;
    for (int i = 0; i < 2; i++)
        DONE(vkr_buffer_create(d, &numbers[i], 4, &in[i], NULL));
    DONE(vkr_call_begin(w->s->count, in, 2, &out, 1, &call, NULL));
    for (int i = 0; call && state != VKR_CALL_DONE && (!is_ended || i < 2); i++)
        DONE(vkr_call_step(call, 20000, &state, NULL));
    vkr_call_end(call);
    if (state != VKR_CALL_DONE)
        DONE(vkr_run(w->s->count, in, 2, &out, 1, NULL, NULL));
    DONE(vkr_buffer_read(d, out, 0, &result, 4, NULL));
    MUST(result == numbers[1]);
    DONE(vkr_buffer_free(d, out, NULL));
    for (int i = 0; i < 2; i++)
        DONE(vkr_buffer_free(d, in[i], NULL));
}

/* Loads beside others: one that is ended by whichever of its threads comes first, one that is
   run. */
static void load_own(struct worker *w, uint32_t round)
{
    const struct shared *s = w->s;
    const void *many = s->many[round * THREADS + w->seed - 1];
    size_t size = s->many_size[round * THREADS + w->seed - 1];
    vkr_program *program = NULL;
    vkr_error err = {0};
    vkr_load_options options = {.trusted = round % 2,
                                .progress = hear,
                                .progress_context = w,
                                .is_cancelled = soon,
                                .cancel_context = w};
    vkr_program_info info;
    vkr_tensor_info tensor;
    atomic_store(&w->has_begun, false);
    MUST(vkr_program_load_with(s->device, many, size, &options, &program, &err) == VKR_CANCELLED &&
         !program && err.status == VKR_CANCELLED && err.message[0]);
    options.is_cancelled = NULL;
    DONE(vkr_program_load_with(s->device, many, size, &options, &program, NULL));
    vkr_program_unload(program);
    DONE(vkr_program_load(s->device, s->small, s->small_size, &program, NULL));
    if (!program)
        return;
    vkr_program_get_info(program, &info);
    MUST(info.kernels == 1 && info.dispatches == 1 && vkr_program_inputs(program) == 2);
    DONE(vkr_program_output(program, 0, &tensor, NULL));
    MUST(tensor.bytes == 4 * COUNT);
    add_ones(w, program, round);
    vkr_program_unload(program);
}

/* The first programs of a device, whose pipeline cache is not written yet. */
static void *load_first(void *context)
{
    struct worker *w = context;
    vkr_program *program = NULL;
    pthread_barrier_wait(w->s->all);
    DONE(vkr_program_load(w->s->device, w->s->small, w->s->small_size, &program, NULL));
    vkr_program_unload(program);
    return NULL;
}

static void *work(void *context)
{
    struct worker *w = context;
    vkr_counters c;
    vkr_device_info info;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        vkr_kernel_time time;
        uint32_t count = 0;
        if (round % 4 == 0)
            load_own(w, round / 4);
        add_ones(w, w->s->add, round);
        steer(w, round % 2);
        move_large(w);
        vkr_device_counters(w->s->device, &c);
        MUST(c.submits && c.live_buffers && c.programs >= 2 && c.memory_bytes <= c.memory_peak);
        vkr_device_get_info(w->s->device, &info);
        MUST(info.name[0]);
        vkr_status status = vkr_program_times(w->s->add, &time, 1, &count, NULL);
        MUST(status == VKR_UNSUPPORTED || status == VKR_INVALID_ARGUMENT ||
             (!status && count == 1 && time.runs > round / 2));
        if (round % 3 == 2)
            DONE(vkr_device_wait(w->s->device, NULL));
    }
    return NULL;
}

/* Kernels that no other program has, which several threads make: their pipelines are new in the
   cache. */
static void *build_many(uint32_t number, size_t *out_size)
{
    static struct builder b;
    builder_init(&b, "many");
    builder_input(&b, "n", "u32", 1);
    uint32_t out = builder_output(&b, "n", "u32", 1, 0);
    for (uint32_t i = 0; i < KERNELS; i++) {
        uint32_t kernel = builder_kernel(&b, K_INCREMENT);
        builder_local_size(&b, 2 + number * KERNELS + i, 1, 1);
        builder_dispatch(&b, kernel, 1, (const uint32_t[]){out, END});
    }
    return builder_finish(&b, out_size);
}

static vkr_program *load(vkr_device *device, void *bundle, size_t size)
{
    vkr_program *program = NULL;
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    return program;
}

static void run_all(const struct shared *s, void *(*function)(void *))
{
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.s = s, .seed = i + 1};
        CHECK(!pthread_create(&threads[i], NULL, function, &workers[i]), "thread %u", i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(!workers[i].failures, "thread %d: %d failures, the first in line %d", i,
              workers[i].failures, workers[i].line);
    }
}

static void test_all_at_once(vkr_device *device)
{
    pthread_barrier_t all;
    struct shared s = {.device = device, .all = &all};
    float ones[COUNT];
    size_t size;
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    CHECK(!pthread_barrier_init(&all, NULL, THREADS), "a barrier");
    s.small = builder_add(COUNT, &s.small_size);
    run_all(&s, load_first);
    for (uint32_t i = 0; i < 2 * THREADS; i++)
        s.many[i] = build_many(i, &s.many_size[i]);
    void *bundle = builder_add(COUNT, &size);
    s.add = load(device, bundle, size);
    bundle = builder_count(&size);
    s.count = load(device, bundle, size);
    OK(vkr_buffer_create(device, ones, sizeof ones, &s.ones, err));
    run_all(&s, work);
    OK(vkr_buffer_free(device, s.ones, err));
    vkr_program_unload(s.add);
    vkr_program_unload(s.count);
    for (int i = 0; i < 2 * THREADS; i++)
        free(s.many[i]);
    free(s.small);
    pthread_barrier_destroy(&all);
    test_is_free(device);
}

/* As programs are loaded on it, its pipeline cache is written. */
static void test_device_of_its_own(bool profile)
{
    char folder[] = "/tmp/vkr_threads_XXXXXX", command[64];
    vkr_device_options options = {.profile = profile, .log = test_log};
    vkr_device *device = NULL;
    CHECK(mkdtemp(folder) != NULL, "a folder");
    options.pipeline_cache = folder;
    OK(vkr_device_open(&options, &device, err));
    if (device) {
        test_all_at_once(device);
        vkr_device_close(device);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(!system(command), "%s", command);
}

int main(void)
{
    vkr_error error = {0};
    vkr_device *device = test_device(false, &error);
    if (!device)
        return harness_skip(error.message);
    vkr_device_close(device);
    RUN(test_device_of_its_own(false));
    RUN(test_device_of_its_own(true));
    return harness_report();
}
