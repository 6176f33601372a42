/* Programs that the host steers: loops, branches, host calls, nesting; runs in steps, and from
   several threads. */
#include <pthread.h>
#include <time.h>

#include "../../runtime/vkr.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"

/* An untrusted run begins with a submission of its own. */
#define FIRST (getenv("UNTRUSTED") != NULL)

static bool is_profiled; /* then every round of a repetition is a submission */

static vkr_program *load(vkr_device *device, void *bundle, size_t size)
{
    vkr_program *program = NULL;
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

static void test_while(vkr_device *device)
{
    size_t size;
    void *bundle = builder_count(&size);
    vkr_program *program = load(device, bundle, size);
    static const uint32_t limits[] = {0, 1, 2, 300, 0, 7};
    vkr_buffer start = word(device, 0);
    vkr_counters before, after;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        vkr_buffer in[2] = {start, word(device, limits[i])}, out[1] = {0};
        vkr_device_counters(device, &before);
        OK(vkr_run(program, in, 2, out, 1, NULL, err));
        vkr_device_counters(device, &after);
        CHECK(read_word(device, out[0]) == limits[i], "%u iterations", limits[i]);
        CHECK(after.submits - before.submits == limits[i] + 1 + FIRST, "%llu submits",
              (unsigned long long)(after.submits - before.submits));
        OK(vkr_buffer_free(device, in[1], err));
        OK(vkr_buffer_free(device, out[0], err));
    }
    CHECK(read_word(device, start) == 0, "the input is untouched");
    OK(vkr_buffer_free(device, start, err));
    vkr_program_unload(program);
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* A block has 8 rounds, and the host looks after 1, 2, 4, 4, ... more of them. Of blocks that
   took more than 250 ms, which they do on a busy machine, it awaits fewer, so there may be more
   looks. */
static void test_blocks(vkr_device *device)
{
    size_t size;
    void *bundle = builder_count_blocks(8, &size);
    vkr_program *program = load(device, bundle, size);
    static const struct {
        uint32_t limit, submits;
    } rows[] = {{0, 1}, {1, 1}, {7, 1}, {8, 2}, {23, 2}, {24, 3}, {1000, 33}, {0, 1}};
    vkr_buffer start = word(device, 0);
    vkr_counters before, after;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vkr_buffer in[2] = {start, word(device, rows[i].limit)}, out[1] = {0};
        uint64_t began = now_ms();
        vkr_device_counters(device, &before);
        OK(vkr_run(program, in, 2, out, 1, NULL, err));
        vkr_device_counters(device, &after);
        bool is_slow = now_ms() - began >= 250;
        uint64_t submits = after.submits - before.submits, wanted = rows[i].submits + FIRST;
        CHECK(read_word(device, out[0]) == rows[i].limit, "%u rounds in blocks", rows[i].limit);
        CHECK(is_profiled || (is_slow ? submits >= wanted : submits == wanted),
              "%u rounds: %llu submits", rows[i].limit, (unsigned long long)submits);
        OK(vkr_buffer_free(device, in[1], err));
        OK(vkr_buffer_free(device, out[0], err));
    }
    OK(vkr_buffer_free(device, start, err));
    vkr_program_unload(program);
}

/* n += times * (1 + 3), in one command buffer or in many submissions */
static void test_repeat(vkr_device *device)
{
    static struct builder b;
    static const uint32_t times[] = {1, 2, 127, 129, 1000, 20000};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        size_t size;
        builder_init(&b, "repeat");
        uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE),
                 zero = builder_constant(&b, &(uint32_t){0}, 4);
        uint32_t increment = builder_kernel(&b, K_INCREMENT);
        builder_copy(&b, zero, n, 4);
        uint32_t outer = builder_repeat(&b, times[i], VKB_NONE);
        b.program.main_count = 2;
        b.steps[outer].range_first[0] =
            builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
        uint32_t inner = builder_repeat(&b, 3, VKB_NONE);
        b.steps[outer].range_count[0] = 2;
        b.steps[inner].range_first[0] =
            builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
        b.steps[inner].range_count[0] = 1;
        void *bundle = builder_finish(&b, &size);
        vkr_program *program = load(device, bundle, size);
        vkr_buffer out[1] = {0};
        vkr_counters before, after;
        for (int run = 0; run < 2; run++) {
            vkr_device_counters(device, &before);
            OK(vkr_run(program, NULL, 0, out, 1, NULL, err));
            CHECK(read_word(device, out[0]) == 4 * times[i], "%u rounds", times[i]);
            vkr_device_counters(device, &after);
            CHECK(after.dispatches - before.dispatches == 4 * times[i], "%llu dispatches",
                  (unsigned long long)(after.dispatches - before.dispatches));
            /* a submission has a command buffer of 512 steps at least, and more of them where
               that takes little time */
            CHECK(is_profiled || after.submits - before.submits <= 3 + 4 * times[i] / 512,
                  "%llu submits", (unsigned long long)(after.submits - before.submits));
        }
        OK(vkr_buffer_free(device, out[0], err));
        vkr_program_unload(program);
    }
}

/* out = a < b ? n + 1 : n + 2 */
static void test_if(vkr_device *device)
{
    static struct builder b;
    size_t size;
    builder_init(&b, "choose");
    uint32_t x = builder_input(&b, "a", "u32", 1), y = builder_input(&b, "b", "u32", 1),
             n = builder_input(&b, "n", "u32", 1);
    uint32_t out = builder_output(&b, "out", "u32", 1, VKB_NONE), p = builder_arena(&b, 4);
    uint32_t less = builder_kernel(&b, K_LESS), increment = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, n, out, 4);
    builder_dispatch(&b, less, 1, (const uint32_t[]){x, y, p, END});
    uint32_t branch = builder_control(&b, VKB_STEP_IF, p);
    b.program.main_count = 3;
    b.steps[branch].range_first[0] =
        builder_dispatch(&b, increment, 1, (const uint32_t[]){out, END});
    b.steps[branch].range_count[0] = 1;
    b.steps[branch].range_first[1] =
        builder_dispatch(&b, increment, 1, (const uint32_t[]){out, END});
    builder_dispatch(&b, increment, 1, (const uint32_t[]){out, END});
    b.steps[branch].range_count[1] = 2;
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = load(device, bundle, size);
    for (uint32_t i = 0; i < 4; i++) {
        vkr_buffer in[3] = {word(device, i), word(device, 2), word(device, 10 * i)}, outs[1] = {0};
        OK(vkr_run(program, in, 3, outs, 1, NULL, err));
        CHECK(read_word(device, outs[0]) == 10 * i + (i < 2 ? 1 : 2), "branch %u", i);
        for (int k = 0; k < 3; k++)
            OK(vkr_buffer_free(device, in[k], err));
        OK(vkr_buffer_free(device, outs[0], err));
    }
    vkr_program_unload(program);
}

/* total = 0; i = 0; while (i < n) { j = 0; while (j < m) { j++; total++ } i++ } */
static void test_nested(vkr_device *device)
{
    static struct builder b;
    static const uint32_t zero = 0;
    size_t size;
    builder_init(&b, "nested");
    uint32_t n = builder_input(&b, "n", "u32", 1), m = builder_input(&b, "m", "u32", 1);
    uint32_t total = builder_output(&b, "total", "u32", 1, VKB_NONE),
             c = builder_constant(&b, &zero, 4);
    uint32_t i = builder_arena(&b, 4), j = builder_arena(&b, 4), p = builder_arena(&b, 4),
             q = builder_arena(&b, 4);
    uint32_t less = builder_kernel(&b, K_LESS), increment = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, c, total, 4);
    builder_copy(&b, c, i, 4);
    uint32_t outer = builder_control(&b, VKB_STEP_WHILE, p);
    b.program.main_count = 3;
    b.steps[outer].range_first[0] = builder_dispatch(&b, less, 1, (const uint32_t[]){i, n, p, END});
    b.steps[outer].range_count[0] = 1;
    b.steps[outer].range_first[1] = builder_copy(&b, c, j, 4);
    uint32_t inner = builder_control(&b, VKB_STEP_WHILE, q);
    builder_dispatch(&b, increment, 1, (const uint32_t[]){i, END});
    b.steps[outer].range_count[1] = 3;
    b.steps[inner].range_first[0] = builder_dispatch(&b, less, 1, (const uint32_t[]){j, m, q, END});
    b.steps[inner].range_count[0] = 1;
    b.steps[inner].range_first[1] = builder_dispatch(&b, increment, 1, (const uint32_t[]){j, END});
    builder_dispatch(&b, increment, 1, (const uint32_t[]){total, END});
    b.steps[inner].range_count[1] = 2;
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = load(device, bundle, size);
    for (uint32_t k = 0; k < 6; k++) {
        vkr_buffer in[2] = {word(device, k), word(device, 5 - k)}, out[1] = {0};
        OK(vkr_run(program, in, 2, out, 1, NULL, err));
        CHECK(read_word(device, out[0]) == k * (5 - k), "%u x %u", k, 5 - k);
        OK(vkr_buffer_free(device, in[0], err));
        OK(vkr_buffer_free(device, in[1], err));
        OK(vkr_buffer_free(device, out[0], err));
    }
    vkr_program_unload(program);
}

struct host_context {
    vkr_program *program;
    uint32_t calls;
    bool fails, reenters;
};

static bool times_three(void *context, uint32_t callback, const void *const *inputs,
                        const uint64_t *input_bytes, uint32_t ninputs, void *const *outputs,
                        const uint64_t *output_bytes, uint32_t noutputs)
{
    struct host_context *c = context;
    uint32_t value;
    c->calls++;
    CHECK(callback == 0 && ninputs == 1 && noutputs == 1 && input_bytes[0] == 4 &&
              output_bytes[0] == 4,
          "arguments");
    if (c->reenters) {
        vkr_buffer in[1] = {0}, out[1] = {0};
        FAILS(vkr_run(c->program, in, 1, out, 1, &(vkr_run_options){times_three, c}, err),
              VKR_INVALID_ARGUMENT, "callback");
    }
    memcpy(&value, inputs[0], 4);
    value *= 3;
    memcpy(outputs[0], &value, 4);
    return !c->fails;
}

/* out = 3 * (n[0] + 1) + 1, the product by the host; n has `count` words */
static vkr_program *load_host(vkr_device *device, uint32_t count)
{
    static struct builder b;
    size_t size;
    builder_init(&b, "host");
    uint32_t n = builder_input(&b, "n", "u32", count),
             out = builder_output(&b, "out", "u32", 1, VKB_NONE);
    uint32_t t = builder_arena(&b, 4), increment = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, n, t, 4);
    builder_dispatch(&b, increment, 1, (const uint32_t[]){t, END});
    builder_host(&b, 0, (const uint32_t[]){t, END}, (const uint32_t[]){out, END});
    builder_dispatch(&b, increment, 1, (const uint32_t[]){out, END});
    void *bundle = builder_finish(&b, &size);
    return load(device, bundle, size);
}

static void test_host(vkr_device *device)
{
    vkr_program *program = load_host(device, 1);
    struct host_context context = {.program = program};
    vkr_run_options options = {times_three, &context};
    vkr_buffer in[1] = {word(device, 13)}, outs[1] = {0};
    FAILS(vkr_run(program, in, 1, outs, 1, NULL, err), VKR_INVALID_ARGUMENT, "callback");
    OK(vkr_run(program, in, 1, outs, 1, &options, err));
    CHECK(read_word(device, outs[0]) == 43 && context.calls == 1, "result");
    context.reenters = true;
    OK(vkr_run(program, in, 1, outs, 1, &options, err));
    context.fails = true;
    FAILS(vkr_run(program, in, 1, outs, 1, &options, err), VKR_CALLBACK_FAILED, "callback 0");
    OK(vkr_buffer_free(device, in[0], err));
    OK(vkr_buffer_free(device, outs[0], err));
    vkr_program_unload(program);
}

/* The same places in memory as in an earlier run, whose tensors were freed and merged with what
   is beside them: then the pool keeps other records of them, and what the host reads and writes
   goes by those. */
static void test_host_again(vkr_device *device)
{
    vkr_program *program = load_host(device, 1);
    struct host_context context = {.program = program};
    vkr_run_options options = {times_three, &context};
    for (uint32_t i = 0; i < 16; i++) {
        vkr_buffer spare = i & 4 ? word(device, 1000) : 0, in[1] = {word(device, i)}, outs[1] = {0};
        OK(vkr_run(program, in, 1, outs, 1, &options, err));
        CHECK(read_word(device, outs[0]) == 3 * i + 4, "run %u: %u", i, read_word(device, outs[0]));
        CHECK(!spare || read_word(device, spare) == 1000, "run %u wrote to another's memory", i);
        const vkr_buffer all[] = {spare, in[0], outs[0]};
        for (uint32_t k = 0; k < 3; k++) {
            vkr_buffer buffer = all[i & 1 ? k : 2 - k];
            if (buffer)
                OK(vkr_buffer_free(device, buffer, err));
        }
    }
    vkr_program_unload(program);
}

/* ---- in steps ---- */

/* Steps of `ns` until the run is done, or waits for something else. */
static vkr_call_state go_on(vkr_call *call, uint64_t ns, uint32_t *out_steps)
{
    vkr_call_state state = VKR_CALL_AGAIN;
    *out_steps = 0;
    vkr_error err = {0};
    vkr_status status = VKR_OK;
    for (; !status && state == VKR_CALL_AGAIN && *out_steps < 1000000; ++*out_steps)
        status = vkr_call_step(call, ns, &state, &err);
    CHECK(!status, "%s", err.message);
    return state;
}

/* A loop by rounds, one by blocks, and a program that nobody steers, in steps of all lengths;
   and ended after each of their steps, after which they run as before and nothing is left. */
static void test_steps(vkr_device *device)
{
    static const uint64_t lengths[] = {0, 20000, 50000000, UINT64_MAX};
    size_t sizes[2];
    void *bundles[2] = {builder_count(&sizes[0]), builder_count_blocks(8, &sizes[1])};
    for (int i = 0; i < 2; i++) {
        vkr_program *program = load(device, bundles[i], sizes[i]);
        vkr_buffer in[2] = {word(device, 0), word(device, 100)}, out[1] = {0};
        vkr_call *call;
        uint32_t steps;
        /* on a late device nothing runs unless it is waited for */
        for (size_t k = modes_has("late"); k < sizeof lengths / sizeof *lengths; k++) {
            out[0] = 0;
            OK(vkr_call_begin(program, in, 2, out, 1, &call, err));
            CHECK(go_on(call, lengths[k], &steps) == VKR_CALL_DONE, "after %u steps", steps);
            CHECK(lengths[k] < UINT64_MAX || steps == 1, "%u steps without end", steps);
            CHECK(go_on(call, 0, &steps) == VKR_CALL_DONE && steps == 1, "it remains done");
            vkr_call_end(call);
            CHECK(read_word(device, out[0]) == 100, "%u in steps", read_word(device, out[0]));
            OK(vkr_buffer_free(device, out[0], err));
        }
        vkr_counters before, after;
        vkr_device_counters(device, &before);
        for (uint32_t ended = 0; ended < 12; ended++) {
            vkr_call_state state;
            out[0] = 0;
            OK(vkr_call_begin(program, in, 2, out, 1, &call, err));
            for (uint32_t k = 0; k < ended; k++)
                OK(vkr_call_step(call, ended % 2 ? 0 : 10000, &state, err));
            bool was_done = out[0] != 0;
            vkr_call_end(call);
            if (was_done)
                OK(vkr_buffer_free(device, out[0], err));
        }
        vkr_device_counters(device, &after);
        CHECK(before.live_buffers == after.live_buffers && before.live_bytes == after.live_bytes,
              "nothing is left");
        out[0] = 0;
        OK(vkr_run(program, in, 2, out, 1, NULL, err));
        CHECK(read_word(device, out[0]) == 100, "after runs that were ended: %u",
              read_word(device, out[0]));
        OK(vkr_buffer_free(device, in[0], err));
        OK(vkr_buffer_free(device, in[1], err));
        OK(vkr_buffer_free(device, out[0], err));
        vkr_program_unload(program);
    }
}

/* A loop of 2^32 - 1 rounds: what was submitted finishes soon. */
static void test_endless(vkr_device *device)
{
    size_t sizes[2];
    void *bundles[2] = {builder_count(&sizes[0]), builder_count_blocks(8, &sizes[1])};
    for (int i = 0; i < 2; i++) {
        vkr_program *program = load(device, bundles[i], sizes[i]);
        vkr_buffer in[2] = {word(device, 0), word(device, UINT32_MAX)}, out[1] = {0};
        vkr_call *call;
        vkr_call_state state = VKR_CALL_DONE;
        OK(vkr_call_begin(program, in, 2, out, 1, &call, err));
        OK(vkr_call_step(call, 30000000, &state, err));
        CHECK(state == VKR_CALL_AGAIN, "it has not ended");
        vkr_call_end(call);
        CHECK(!out[0], "no output");
        OK(vkr_device_wait(device, err));
        OK(vkr_buffer_free(device, in[0], err));
        OK(vkr_buffer_free(device, in[1], err));
        vkr_program_unload(program);
    }
}

/* While a callback works the program is held, and only the program. */
static void test_turns(vkr_device *device)
{
    size_t size;
    void *bundle = builder_count(&size);
    vkr_program *program = load_host(device, 1), *count = load(device, bundle, size);
    vkr_buffer in[1] = {word(device, 13)}, outs[2][1] = {{0}, {0}};
    vkr_call *first, *second;
    vkr_call_callback c;
    vkr_call_state state;
    uint32_t steps, value;
    OK(vkr_call_begin(program, in, 1, outs[0], 1, &first, err));
    OK(vkr_call_begin(program, in, 1, outs[1], 1, &second, err));
    vkr_call_get_callback(first, &c);
    CHECK(!c.ninputs && !c.inputs, "no callback yet");
    CHECK(go_on(first, 1000000, &steps) == VKR_CALL_CALLBACK, "the callback's turn");
    OK(vkr_call_step(second, UINT64_MAX, &state, err));
    CHECK(state == VKR_CALL_TURN, "state %d", (int)state);
    vkr_buffer words[2] = {word(device, 0), word(device, 5)}, result[1] = {0};
    OK(vkr_run(count, words, 2, result, 1, NULL, err));
    CHECK(read_word(device, result[0]) == 5, "another program runs");
    vkr_call_get_callback(first, &c);
    CHECK(c.index == 0 && c.ninputs == 1 && c.noutputs == 1 && c.input_bytes[0] == 4 &&
              c.output_bytes[0] == 4,
          "arguments");
    memcpy(&value, c.inputs[0], 4);
    value *= 3;
    memcpy(c.outputs[0], &value, 4);
    CHECK(go_on(first, 1000000, &steps) == VKR_CALL_DONE, "done");
    CHECK(read_word(device, outs[0][0]) == 43, "%u", read_word(device, outs[0][0]));
    CHECK(go_on(second, 1000000, &steps) == VKR_CALL_CALLBACK, "the second's turn");
    vkr_call_end(second); /* without an answer */
    CHECK(!outs[1][0], "no output");
    vkr_call_end(first);
    OK(vkr_run(program, in, 1, outs[1], 1,
               &(vkr_run_options){times_three, &(struct host_context){.program = program}}, err));
    CHECK(read_word(device, outs[1][0]) == 43, "%u", read_word(device, outs[1][0]));
    for (int i = 0; i < 2; i++) {
        OK(vkr_buffer_free(device, words[i], err));
        OK(vkr_buffer_free(device, outs[i][0], err));
    }
    OK(vkr_buffer_free(device, result[0], err));
    OK(vkr_buffer_free(device, in[0], err));
    vkr_program_unload(program);
    vkr_program_unload(count);
}

/* A buffer that is freed while a run holds it keeps its memory until the run is ended, and no
   longer: many of them come from the same blocks. */
static void test_held(vkr_device *device)
{
    enum { WORDS = 65536, RUNS = 100 };
    vkr_program *program = load_host(device, WORDS);
    vkr_counters before, after;
    for (int i = 0; i < RUNS; i++) {
        vkr_buffer in[1], out[1] = {0};
        vkr_call *call;
        uint32_t steps;
        OK(vkr_buffer_alloc(device, 4 * WORDS, &in[0], err));
        OK(vkr_call_begin(program, in, 1, out, 1, &call, err));
        CHECK(go_on(call, 1000000, &steps) == VKR_CALL_CALLBACK, "the callback's turn");
        OK(vkr_buffer_free(device, in[0], err));
        vkr_call_end(call);
        vkr_device_counters(device, i == 0 ? &before : &after);
    }
    CHECK(before.pool_bytes == after.pool_bytes, "%llu bytes more",
          (unsigned long long)(after.pool_bytes - before.pool_bytes));
    vkr_program_unload(program);
}

/* ---- threads ---- */

struct worker {
    vkr_device *device;
    vkr_program *add, *count;
    uint32_t seed;
    int failures;
};

/* Beside others that run it; the first attempt is given up. */
static bool count_in_steps(vkr_program *count, const vkr_buffer *in, vkr_buffer *out)
{
    vkr_status status = VKR_OK;
    for (int attempt = 0; attempt < 2 && !status; attempt++) {
        vkr_call *call;
        vkr_call_state state = VKR_CALL_AGAIN;
        status = vkr_call_begin(count, in, 2, out, 1, &call, NULL);
        for (int i = 0; !status && state != VKR_CALL_DONE && (i < 3 || attempt); i++)
            status = vkr_call_step(call, 10000, &state, NULL);
        if (!status)
            vkr_call_end(call);
        if (state == VKR_CALL_DONE)
            break;
    }
    return status == VKR_OK && out[0];
}

static void *work(void *context)
{
    struct worker *w = context;
    float data[64], back[64];
    for (uint32_t round = 0; round < 150; round++) {
        vkr_buffer in[2] = {0}, out[1] = {0}, copy = 0;
        for (int i = 0; i < 64; i++)
            data[i] = (float)(w->seed * 1000 + round + (uint32_t)i);
        w->failures += vkr_buffer_create(w->device, data, sizeof data, &in[0], NULL) != VKR_OK;
        w->failures += vkr_buffer_create(w->device, data, sizeof data, &in[1], NULL) != VKR_OK;
        w->failures += vkr_run(w->add, in, 2, out, 1, NULL, NULL) != VKR_OK;
        w->failures += vkr_buffer_free(w->device, in[0], NULL) != VKR_OK;
        w->failures += vkr_buffer_copy(w->device, out[0], &copy, NULL) != VKR_OK;
        w->failures += vkr_buffer_read(w->device, round % 2 ? out[0] : copy, 0, back, sizeof back,
                                       NULL) != VKR_OK;
        for (int i = 0; i < 64; i++)
            w->failures += back[i] < 2 * data[i] || back[i] > 2 * data[i];
        w->failures += vkr_buffer_free(w->device, in[1], NULL) != VKR_OK;
        w->failures += vkr_buffer_free(w->device, out[0], NULL) != VKR_OK;
        w->failures += vkr_buffer_free(w->device, copy, NULL) != VKR_OK;
        if (round % 10)
            continue;
        uint32_t zero = 0, limit = w->seed + round / 10, result = 0;
        out[0] = 0;
        w->failures += vkr_buffer_create(w->device, &zero, 4, &in[0], NULL) != VKR_OK;
        w->failures += vkr_buffer_create(w->device, &limit, 4, &in[1], NULL) != VKR_OK;
        w->failures += !(round % 20 ? vkr_run(w->count, in, 2, out, 1, NULL, NULL) == VKR_OK
                                    : count_in_steps(w->count, in, out));
        w->failures +=
            vkr_buffer_read(w->device, out[0], 0, &result, 4, NULL) != VKR_OK || result != limit;
        for (int i = 0; i < 2; i++)
            w->failures += vkr_buffer_free(w->device, in[i], NULL) != VKR_OK;
        w->failures += vkr_buffer_free(w->device, out[0], NULL) != VKR_OK;
    }
    return NULL;
}

static void test_threads(vkr_device *device)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    size_t size;
    void *bundle = builder_add(64, &size);
    vkr_program *add = load(device, bundle, size);
    bundle = builder_count(&size);
    vkr_program *count = load(device, bundle, size);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.device = device, .add = add, .count = count, .seed = i + 1};
        CHECK(!pthread_create(&threads[i], NULL, work, &workers[i]), "thread %u", i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(!workers[i].failures, "thread %d: %d failures", i, workers[i].failures);
    }
    vkr_program_unload(add);
    vkr_program_unload(count);
}

int main(void)
{
    vkr_error error = {0};
    vkr_device *device = test_device(false, &error);
    vkr_counters c;
    if (!device)
        return harness_skip(error.message);
    RUN(test_while(device));
    RUN(test_blocks(device));
    RUN(test_repeat(device));
    RUN(test_if(device));
    RUN(test_nested(device));
    RUN(test_host(device));
    RUN(test_host_again(device));
    RUN(test_steps(device));
    RUN(test_endless(device));
    RUN(test_turns(device));
    RUN(test_held(device));
    RUN(test_threads(device));
    vkr_device_counters(device, &c);
    CHECK(c.live_buffers == 0 && c.live_bytes == 0 && c.programs == 0, "all was freed");
    test_is_free(device);
    vkr_device_close(device);
    if (getenv("VKR_TEST_MODE"))
        return harness_report();
    is_profiled = true;
    device = test_device(true, &error); /* the same, with every submission waited for */
    RUN(test_while(device));
    RUN(test_blocks(device));
    RUN(test_repeat(device));
    RUN(test_if(device));
    RUN(test_nested(device));
    RUN(test_host(device));
    RUN(test_host_again(device));
    RUN(test_steps(device));
    RUN(test_endless(device));
    RUN(test_turns(device));
    RUN(test_held(device));
    RUN(test_threads(device));
    test_is_free(device);
    vkr_device_close(device);
    return harness_report();
}
