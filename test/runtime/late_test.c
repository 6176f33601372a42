/* What the host may only do when the device has finished, on a device that runs nothing before
   it is waited for: callbacks, frees and uploads that come too early fail every time. And what
   two threads may not do at once. */
#include <pthread.h>

#include "../../runtime/device.h"
#include "../../runtime/program.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"

static struct builder b;

static vkr_device *open_late(bool staged)
{
    vkr_device *device = NULL;
    if (vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, NULL))
        return NULL;
    if (!modes_has("unwatched"))
        watch_be_late(device, true);
    if (staged) { /* as modes_apply, whatever the environment says */
        device->gpu.memory_types.is_mapped = false;
        device->gpu.memory_types.direct_write = device->gpu.memory_types.direct_read = 0;
        device->gpu.info.kind = VKR_DISCRETE;
    }
    return device;
}

static vkr_program *finish(vkr_device *device)
{
    vkr_program *program = NULL;
    size_t size;
    void *bundle = builder_finish(&b, &size);
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    return program;
}

static vkr_buffer word(vkr_device *device, uint32_t value)
{
    vkr_buffer buffer = 0;
    OK(vkr_buffer_create(device, &value, sizeof value, &buffer, err));
    return buffer;
}

static uint32_t read_word(vkr_device *device, vkr_buffer buffer)
{
    uint32_t value = UINT32_MAX;
    OK(vkr_buffer_read(device, buffer, 0, &value, sizeof value, err));
    return value;
}

/* n += 1 in place */
static vkr_program *build_increment(vkr_device *device)
{
    builder_init(&b, "increment");
    builder_input(&b, "n", "u32", 1);
    uint32_t out = builder_output(&b, "n", "u32", 1, 0);
    builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), 1, (const uint32_t[]){out, END});
    return finish(device);
}

struct host_context {
    vkr_device *device;
    vkr_buffer freed;     /* in the callback, if not 0 */
    vkr_buffer others[8]; /* made then */
    uint32_t seen;
};

static bool times_ten(void *context, uint32_t callback, const void *const *inputs,
                      const uint64_t *input_bytes, uint32_t ninputs, void *const *outputs,
                      const uint64_t *output_bytes, uint32_t noutputs)
{
    struct host_context *c = context;
    (void)callback, (void)input_bytes, (void)output_bytes;
    CHECK(ninputs == 1 && noutputs == 1, "arguments");
    memcpy(&c->seen, inputs[0], 4);
    memcpy(outputs[0], &(uint32_t){10 * c->seen}, 4);
    if (c->freed) {
        OK(vkr_buffer_free(c->device, c->freed, err));
        FAILS(vkr_buffer_wait(c->device, c->freed, err), VKR_INVALID_HANDLE, "stale");
        for (uint32_t i = 0; i < 8; i++)
            c->others[i] = word(c->device, 77); /* would take its memory */
    }
    return true;
}

/* The first step is the host's: nothing of this run has been submitted, but what it reads is not
   there yet, and what it writes is still being read. */
static void test_host_first(vkr_device *device)
{
    vkr_program *increment = build_increment(device);
    builder_init(&b, "host");
    uint32_t n = builder_input(&b, "n", "u32", 1),
             out = builder_output(&b, "out", "u32", 1, VKB_NONE);
    builder_host(&b, 0, (const uint32_t[]){n, END}, (const uint32_t[]){out, END});
    vkr_program *host = finish(device);
    struct host_context context = {.device = device};
    vkr_run_options options = {times_ten, &context};

    vkr_buffer x = word(device, 1), y = 0, result = 0;
    OK(vkr_run(increment, &x, 1, &y, 1, NULL, err));
    OK(vkr_run(host, &x, 1, &result, 1, &options, err));
    CHECK(context.seen == 2, "the callback sees %u", context.seen);
    CHECK(read_word(device, result) == 20, "result");

    vkr_buffer copy = 0, other = word(device, 5);
    /* has not run when the callback overwrites what it reads */
    OK(vkr_buffer_copy(device, result, &copy, err));
    OK(vkr_run(host, &other, 1, &result, 1, &options, err));
    CHECK(read_word(device, result) == 50, "the second result");
    CHECK(read_word(device, copy) == 20, "the copy of the first is %u", read_word(device, copy));
    const vkr_buffer all[] = {x, result, copy, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        OK(vkr_buffer_free(device, all[i], err));
    vkr_program_unload(host);
    vkr_program_unload(increment);
}

/* A buffer freed by a callback of the run that it is bound to keeps its memory until the run has
   ended. */
static void test_free_in_callback(vkr_device *device)
{
    builder_init(&b, "freed");
    uint32_t n = builder_input(&b, "n", "u32", 1),
             out = builder_output(&b, "out", "u32", 1, VKB_NONE);
    uint32_t same = builder_output(&b, "same", "u32", 1, VKB_NONE);
    builder_host(&b, 0, (const uint32_t[]){n, END}, (const uint32_t[]){out, END});
    builder_copy(&b, n, same, 4);
    vkr_program *program = finish(device);
    vkr_buffer in = word(device, 3), outs[2] = {0};
    struct host_context context = {.device = device, .freed = in};
    OK(vkr_run(program, &in, 1, outs, 2, &(vkr_run_options){times_ten, &context}, err));
    CHECK(read_word(device, outs[0]) == 30, "out");
    CHECK(read_word(device, outs[1]) == 3, "a step after the callback reads %u",
          read_word(device, outs[1]));
    /* its memory is given to one owner only */
    vkr_buffer first = word(device, 8), second = word(device, 9);
    CHECK(read_word(device, first) == 8 && read_word(device, second) == 9, "memory that came back");
    const vkr_buffer all[] = {first, second, outs[0], outs[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        OK(vkr_buffer_free(device, all[i], err));
    for (size_t i = 0; i < sizeof context.others / sizeof *context.others; i++)
        OK(vkr_buffer_free(device, context.others[i], err));
    vkr_program_unload(program);
}

/* Submissions do not pile up without end. */
static void test_throttle(vkr_device *device)
{
    vkr_program *increment = build_increment(device);
    vkr_buffer x = word(device, 0), y = 0;
    for (int i = 0; i < 300; i++)
        OK(vkr_run(increment, &x, 1, &y, 1, NULL, err));
    uint64_t most = watch_most_unfinished(device);
    CHECK(most > QUEUE_IN_FLIGHT / 2 && most <= QUEUE_IN_FLIGHT + 1, "%llu are unfinished at once",
          (unsigned long long)most);
    CHECK(read_word(device, x) == 300, "all have run");
    vkr_program_unload(increment);
    OK(vkr_buffer_free(device, x, err));
}

/* More than the upload ring holds, none of which the device has read when the host comes round. */
static void test_ring(vkr_device *device)
{
    const uint64_t bytes = 3 * (uint64_t)STAGING_UPLOAD + 12345;
    uint8_t *data = malloc(bytes), *back = malloc(bytes);
    vkr_buffer x = 0;
    for (uint64_t i = 0; data && i < bytes; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 24);
    OK(vkr_buffer_create(device, data, bytes, &x, err));
    OK(vkr_buffer_read(device, x, 0, back, bytes, err));
    CHECK(!memcmp(data, back, bytes), "all of it comes back");
    OK(vkr_buffer_free(device, x, err));
    free(data);
    free(back);
}

/* A wait counts where the device had something to finish, and then once. */
static void test_waits(vkr_device *device)
{
    vkr_program *program = build_increment(device);
    vkr_buffer n = word(device, 0), out = 0;
    OK(vkr_run(program, &n, 1, &out, 1, NULL, err));
    for (int round = 0; round < 2; round++) {
        vkr_counters before, after;
        vkr_device_counters(device, &before);
        OK(vkr_device_wait(device, err));
        vkr_device_counters(device, &after);
        uint64_t waits = after.waits - before.waits;
        CHECK(waits == (round == 0), "%llu waits in round %d", (unsigned long long)waits, round);
    }
    OK(vkr_buffer_free(device, out, err));
    vkr_program_unload(program);
}

/* More than may be in flight: a run in steps that may not wait does nothing, as often as it is
   asked, and holds nothing; then it runs as it would have. */
static void test_full(vkr_device *device)
{
    enum { STEPS = 5 };
    size_t size;
    vkr_program *increment = build_increment(device), *programs[2] = {NULL, NULL};
    builder_init(&b, "copy");
    uint32_t n = builder_input(&b, "n", "u32", 1), m = builder_input(&b, "m", "u32", 1),
             out = builder_output(&b, "out", "u32", 1, VKB_NONE);
    (void)n;
    builder_copy(&b, m, out, 4);
    programs[0] = finish(device);
    void *bundle = builder_count(&size); /* the host steers this one */
    OK(test_load(device, bundle, size, &programs[1], err));
    free(bundle);
    vkr_buffer x = word(device, 0), y = 0;
    for (int i = 0; i < 2; i++) {
        vkr_buffer in[2] = {word(device, 0), word(device, 5)}, result = 0;
        vkr_call *call;
        vkr_call_state state = VKR_CALL_DONE;
        vkr_counters before, after;
        for (uint32_t k = 0; k < QUEUE_IN_FLIGHT + 1; k++)
            OK(vkr_run(increment, &x, 1, &y, 1, NULL, err));
        OK(vkr_call_begin(programs[i], in, 2, &result, 1, &call, err));
        vkr_device_counters(device, &before);
        for (int k = 0; k < STEPS; k++) {
            OK(vkr_call_step(call, 0, &state, err));
            CHECK(state == VKR_CALL_AGAIN && !result, "step %d: state %d", k, (int)state);
        }
        vkr_device_counters(device, &after);
        CHECK(before.submits == after.submits && before.live_buffers == after.live_buffers &&
                  before.recordings == after.recordings,
              "%llu submits, %llu buffers", (unsigned long long)(after.submits - before.submits),
              (unsigned long long)(after.live_buffers - before.live_buffers));
        OK(vkr_call_step(call, UINT64_MAX, &state, err));
        CHECK(state == VKR_CALL_DONE, "state %d", (int)state);
        vkr_call_end(call);
        CHECK(read_word(device, result) == 5, "%u", read_word(device, result));
        OK(vkr_buffer_free(device, result, err));
        for (int k = 0; k < 2; k++)
            OK(vkr_buffer_free(device, in[k], err));
        vkr_program_unload(programs[i]);
    }
    CHECK(read_word(device, x) == 2 * (QUEUE_IN_FLIGHT + 1), "all have run");
    OK(vkr_buffer_free(device, x, err));
    vkr_program_unload(increment);
}

static void set_budget(vkr_device *device, uint64_t bytes)
{
    pthread_mutex_lock(&device->gpu.lock);
    device->gpu.counters.memory_budget = bytes;
    pthread_mutex_unlock(&device->gpu.lock);
}

/* Memory that was freed while the device works with it makes room for a larger piece, once that
   work has ended. */
static void test_budget(vkr_device *device)
{
    enum { FIRST = 8 << 20, SECOND = 9 << 20 };
    vkr_buffer x = 0, y = 0, z = 0;
    builder_init(&b, "large");
    builder_input(&b, "n", "u32", FIRST);
    uint32_t out = builder_output(&b, "n", "u32", FIRST, 0);
    builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), 1, (const uint32_t[]){out, END});
    vkr_program *program = finish(device);
    OK(vkr_buffer_alloc(device, 4 * (uint64_t)FIRST, &x, err));
    OK(vkr_run(program, &x, 1, &y, 1, NULL, err));
    OK(vkr_buffer_free(device, x, err));
    vkr_counters counters;
    vkr_device_counters(device, &counters);
    set_budget(device, counters.memory_bytes + (8 << 20));
    OK(vkr_buffer_alloc(device, 4 * (uint64_t)SECOND, &z, err));
    FAILS(vkr_buffer_alloc(device, 4 * (uint64_t)SECOND, &y, err), VKR_OUT_OF_DEVICE_MEMORY,
          "memory_budget");
    set_budget(device, counters.memory_budget);
    OK(vkr_buffer_free(device, z, err));
    vkr_program_unload(program);
}

/* ---- threads ---- */

/* Nothing of it is done, and nothing has changed. */
#define NOT_YET(call)                                                   \
    do {                                                                \
        vkr_counters was, is;                                           \
        is_done = true;                                                 \
        vkr_device_counters(device, &was);                              \
        OK(call);                                                       \
        vkr_device_counters(device, &is);                               \
        CHECK(!is_done, "done at once");                                \
        CHECK(!memcmp(&was, &is, sizeof was), "a counter has changed"); \
    } while (0)
#define AT_ONCE(call)               \
    do {                            \
        is_done = false;            \
        OK(call);                   \
        CHECK(is_done, "not done"); \
    } while (0)

static vkr_program *build_copy(vkr_device *device)
{
    builder_init(&b, "copy");
    uint32_t n = builder_input(&b, "n", "u32", 1),
             out = builder_output(&b, "m", "u32", 1, VKB_NONE);
    builder_copy(&b, n, out, 4);
    return finish(device);
}

/* A run at once needs a slot that there is, or one to be bound anew, and room in the queue. */
static void test_try_run(vkr_device *device)
{
    enum { TUPLES = SLOT_LIMIT + 1 };
    bool is_done;
    vkr_program *program = build_copy(device);
    vkr_buffer n = word(device, 7), out[TUPLES] = {0}, made = 0;
    NOT_YET(vkr_try_run(program, &n, 1, out, 1, &is_done, err));
    CHECK(!out[0], "an output of a run that was not");
    OK(vkr_run(program, &n, 1, &out[0], 1, NULL, err));
    AT_ONCE(vkr_try_run(program, &n, 1, out, 1, &is_done, err));
    NOT_YET(vkr_try_run(program, &n, 1, &made, 1, &is_done, err));
    for (int i = 1; i < TUPLES - 1; i++)
        OK(vkr_run(program, &n, 1, &out[i], 1, NULL, err));
    if (!modes_has("unwatched")) /* the oldest slot is at work */
        NOT_YET(vkr_try_run(program, &n, 1, &out[TUPLES - 1], 1, &is_done, err));
    OK(vkr_device_wait(device, err));
    AT_ONCE(vkr_try_run(program, &n, 1, &out[TUPLES - 1], 1, &is_done, err));
    CHECK(read_word(device, out[TUPLES - 1]) == 7, "the copy");
    pthread_mutex_lock(&device->gpu.lock);
    vkr_status status = vkr_try_run(program, &n, 1, out, 1, &is_done, NULL);
    pthread_mutex_unlock(&device->gpu.lock);
    CHECK(status == VKR_OK && !is_done, "a run while another thread has the device");
    for (uint32_t i = 0; !modes_has("unwatched") && i < QUEUE_IN_FLIGHT + 1; i++)
        OK(vkr_run(program, &n, 1, out, 1, NULL, err));
    if (!modes_has("unwatched"))
        NOT_YET(vkr_try_run(program, &n, 1, out, 1, &is_done, err));
    OK(vkr_device_wait(device, err));
    OK(vkr_buffer_free(device, n, err));
    FAILS(vkr_try_run(program, &n, 1, out, 1, &is_done, err), VKR_INVALID_HANDLE, "stale");
    FAILS(vkr_try_run(program, &n, 1, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "NULL");
    for (int i = 0; i < TUPLES; i++)
        OK(vkr_buffer_free(device, out[i], err));
    vkr_program_unload(program);
}

/* A program that the host steers takes turns, which may come late. */
static void test_try_steered(vkr_device *device)
{
    size_t size;
    bool is_done;
    vkr_program *program = NULL;
    void *bundle = builder_count(&size);
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    vkr_buffer in[2] = {word(device, 0), word(device, 5)}, out = 0;
    NOT_YET(vkr_try_run(program, in, 2, &out, 1, &is_done, err));
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_free(device, in[i], err));
    vkr_program_unload(program);
}

static void test_try_wait(vkr_device *device, bool staged)
{
    bool is_done;
    uint32_t value = 0;
    vkr_program *program = build_copy(device);
    vkr_buffer n = word(device, 7), out = 0;
    OK(vkr_run(program, &n, 1, &out, 1, NULL, err));
    if (!modes_has("unwatched")) {
        NOT_YET(vkr_try_wait(device, out, 1000, &is_done, err));
        NOT_YET(vkr_try_wait(device, 0, 1000, &is_done, err));
        NOT_YET(vkr_try_read(device, out, 0, &value, 4, 1000, &is_done, err));
    }
    OK(vkr_buffer_wait(device, out, err));
    AT_ONCE(vkr_try_wait(device, out, 0, &is_done, err));
    AT_ONCE(vkr_try_wait(device, 0, 0, &is_done, err));
    if (staged || modes_has("staged"))
        NOT_YET(vkr_try_read(device, out, 0, &value, 4, 0, &is_done, err));
    else {
        AT_ONCE(vkr_try_read(device, out, 0, &value, 4, 0, &is_done, err));
        CHECK(value == 7, "read %u", value);
        FAILS(vkr_try_read(device, out, 1, &value, 4, 0, &is_done, err), VKR_INVALID_ARGUMENT,
              "outside");
    }
    pthread_mutex_lock(&device->gpu.lock);
    vkr_status status = vkr_try_wait(device, out, 0, &is_done, NULL);
    CHECK(status == VKR_OK && !is_done, "a look while another thread has the device");
    pthread_mutex_unlock(&device->gpu.lock);
    OK(vkr_buffer_free(device, n, err));
    OK(vkr_buffer_free(device, out, err));
    FAILS(vkr_try_wait(device, out, 0, &is_done, err), VKR_INVALID_HANDLE, "stale");
    FAILS(vkr_try_wait(device, out, 0, NULL, err), VKR_INVALID_ARGUMENT, "NULL");
    FAILS(vkr_try_read(device, out, 0, &value, 4, 0, NULL, err), VKR_INVALID_ARGUMENT, "NULL");
    vkr_program_unload(program);
}

/* As many as the pool has room for. */
static void test_try_create(vkr_device *device)
{
    enum { MOST = 4096, BYTES = 60 << 10 };
    static vkr_buffer made[MOST];
    vkr_counters before, after;
    bool is_done = true;
    uint8_t *data = calloc(2, BYTES), back[4] = {0};
    uint32_t count = 0;
    memset(data, 5, BYTES);
    vkr_device_counters(device, &before);
    while (is_done && count < MOST) {
        OK(vkr_try_create(device, data, BYTES, &made[count], &is_done, err));
        count += is_done;
    }
    vkr_device_counters(device, &after);
    CHECK(count < MOST && !made[count], "%u buffers", count);
    CHECK(after.device_allocations == before.device_allocations, "memory was allocated");
    CHECK(after.live_buffers == before.live_buffers + count, "buffers that nobody has");
    if (device->gpu.memory_types.direct_write < BYTES)
        CHECK(!count, "%u buffers that the host does not see", count);
    else {
        CHECK(count > 0, "no buffer");
        OK(vkr_buffer_read(device, made[count ? count - 1 : 0], BYTES - 4, back, 4, err));
        CHECK(back[0] == 5 && back[3] == 5, "what was written");
    }
    NOT_YET(vkr_try_create(device, data, 2 * BYTES, &made[count], &is_done, err));
    OK(vkr_buffer_create(device, data, BYTES, &made[count], err));
    for (uint32_t i = 0; i <= count; i++)
        OK(vkr_buffer_free(device, made[i], err));
    free(data);
}

struct uploader {
    vkr_device *device;
    uint8_t seed;
    int failures;
};

static void *upload(void *context)
{
    struct uploader *u = context;
    enum { BYTES = 3 << 20 };
    uint8_t *data = malloc(BYTES), *back = malloc(BYTES);
    for (int round = 0; data && back && round < 12; round++) {
        vkr_buffer x = 0;
        memset(data, u->seed + 16 * round, BYTES);
        u->failures += vkr_buffer_create(u->device, data, BYTES, &x, NULL) != VKR_OK;
        u->failures += vkr_buffer_read(u->device, x, 0, back, BYTES, NULL) != VKR_OK;
        u->failures += memcmp(data, back, BYTES) != 0;
        u->failures += vkr_buffer_free(u->device, x, NULL) != VKR_OK;
    }
    free(data);
    free(back);
    return NULL;
}

/* One ring and one pair of halves for all who upload and read. */
static void test_uploaders(vkr_device *device)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct uploader uploaders[THREADS];
    for (uint8_t i = 0; i < THREADS; i++) {
        uploaders[i] = (struct uploader){.device = device, .seed = i};
        CHECK(!pthread_create(&threads[i], NULL, upload, &uploaders[i]), "thread %u", i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(!uploaders[i].failures, "thread %d: %d failures", i, uploaders[i].failures);
    }
}

int main(void)
{
    for (int staged = 0; staged < 2; staged++) {
        vkr_device *device = open_late(staged);
        if (!device)
            return harness_skip("no device");
        RUN(test_host_first(device));
        RUN(test_free_in_callback(device));
        if (!modes_has("unwatched"))
            RUN(test_throttle(device));
        if (!modes_has("unwatched"))
            RUN(test_waits(device));
        if (!modes_has("unwatched"))
            RUN(test_full(device));
        RUN(test_budget(device));
        RUN(test_ring(device));
        RUN(test_uploaders(device));
        RUN(test_try_run(device));
        RUN(test_try_steered(device));
        RUN(test_try_wait(device, staged));
        RUN(test_try_create(device));
        test_is_free(device);
        vkr_device_close(device);
    }
    return harness_report();
}
