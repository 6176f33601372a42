/* Group counts that are read behind the last barrier of a repetition, or in one that has none
   before them: the barrier before has to hold up what reads them, and the watch sees whether it
   does. */
#include "../../runtime/vkr.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"

static void test_counts(vkr_device *device, bool inside)
{
    static struct builder b;
    static const uint32_t on[4] = {1, 1, 1, 1}, zero = 0;
    size_t size;
    vkr_buffer out[1] = {0};
    builder_init(&b, "counts");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE), other = builder_arena(&b, 4),
             words = builder_arena(&b, 16), none = builder_constant(&b, &zero, 4),
             ones = builder_constant(&b, on, 16), increment = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, none, n, 4);
    builder_copy(&b, none, other, 4);
    builder_copy(&b, ones, words, 16);
    const uint32_t plain[] = {other, END}, by_counts[] = {n, END};
    if (inside)
        builder_dispatch(&b, increment, 1, plain);
    uint32_t loop = builder_repeat(&b, 2, VKB_NONE),
             behind = inside ? loop : builder_dispatch(&b, increment, 1, by_counts);
    b.program.main_count = b.nsteps;
    uint32_t in_loop = builder_dispatch(&b, increment, 1, inside ? by_counts : plain),
             counted = inside ? in_loop : behind;
    b.steps[loop].range_first[0] = in_loop;
    b.steps[loop].range_count[0] = 1;
    b.steps[counted].barrier = 0;
    b.steps[counted].counts = words;
    b.steps[counted].counts_at = 1;
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = NULL;
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    OK(vkr_run(program, NULL, 0, out, 1, NULL, err));
    uint32_t value = 0;
    OK(vkr_buffer_read(device, out[0], 0, &value, sizeof value, err));
    CHECK(value == (inside ? 2 : 1), "counts %s: %u", inside ? "inside" : "behind", value);
    OK(vkr_buffer_free(device, out[0], err));
    vkr_program_unload(program);
}

int main(void)
{
    vkr_error error = {0};
    vkr_device *device = test_device(false, &error);
    if (!device)
        return harness_skip(error.message);
    RUN(test_counts(device, false));
    RUN(test_counts(device, true));
    test_is_free(device);
    vkr_device_close(device);
    return harness_report();
}
