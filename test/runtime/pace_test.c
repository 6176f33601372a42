/* How much of a long repetition is submitted at once, which goes by the time that it takes: over a
   clock of this file, by which each submission takes as long as a case says. */
#include "../../runtime/device.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"
#include "system.h"

enum { TIMES = 20000, RECORDED = 512, ROUNDS = TIMES / RECORDED, MS = 1000000 };

static const struct queue *queue;
static uint64_t now, takes, passed; /* ns, and submissions that `now` has counted */

static struct timespec read_clock(void)
{
    uint64_t submitted = queue ? queue->submitted : 0;
    now += (submitted - passed) * takes;
    passed = submitted;
    return (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
}

static vkr_program *build(vkr_device *device)
{
    static struct builder b;
    size_t size;
    vkr_program *program = NULL;
    builder_init(&b, "repeat");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE),
             zero = builder_constant(&b, &(uint32_t){0}, 4);
    builder_copy(&b, zero, n, 4);
    uint32_t repeat = builder_repeat(&b, TIMES, VKB_NONE);
    b.program.main_count = 2;
    b.steps[repeat].range_first[0] =
        builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), 1, (const uint32_t[]){n, END});
    b.steps[repeat].range_count[0] = 1;
    void *bundle = builder_finish(&b, &size);
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    return program;
}

/* Submissions of a run, each of which takes so long. */
static uint64_t submits(vkr_device *device, vkr_program *program, uint64_t ns)
{
    vkr_counters before, after;
    vkr_buffer out = 0;
    uint32_t value = 0;
    vkr_device_counters(device, &before);
    takes = ns;
    OK(vkr_run(program, NULL, 0, &out, 1, NULL, err));
    takes = 0;
    vkr_device_counters(device, &after);
    OK(vkr_buffer_read(device, out, 0, &value, sizeof value, err));
    CHECK(value == TIMES, "%u rounds", value);
    OK(vkr_buffer_free(device, out, err));
    return after.submits - before.submits;
}

/* Submissions that take no time grow to many command buffers each; those that take a while, and
   all the more those that take long, stay at one, of 512 steps at least. */
static void test_pace(vkr_device *device)
{
    vkr_program *program = build(device);
    uint64_t quick = submits(device, program, 0), slow = submits(device, program, 100 * MS),
             long_ones = submits(device, program, 1000 * MS);
    CHECK(4 * quick <= ROUNDS, "%llu submissions, none of which takes any time",
          (unsigned long long)quick);
    CHECK(slow >= ROUNDS / 2 && slow == long_ones, "%llu submissions, and %llu that take longer",
          (unsigned long long)slow, (unsigned long long)long_ones);
    vkr_program_unload(program);
}

int main(void)
{
    vkr_error error = {0};
    system_choose_clock(read_clock);
    vkr_device *device = test_device(false, &error);
    if (!device)
        return harness_skip(error.message);
    queue = &device->queue;
    RUN(test_pace(device));
    test_is_free(device);
    queue = NULL, passed = 0, takes = 0;
    vkr_device_close(device);
    return harness_report();
}
