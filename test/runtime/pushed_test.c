/* Push constants: each dispatch of a kernel has its own, whatever is recorded between them and
   however often, by either door; and what the door refuses. */
#include <string.h>

#include "../../runtime/vkr.h"
#include "builder.h"
#include "device.h"

enum { COUNT = 100, LINES = 3, TUPLES = 12, ROUNDS = 5 };

static const uint32_t lines[LINES][2] = {{3, 7}, {0xffffffff, 1}, {0, 0x80000000}};
static struct builder b;

static vkr_program *load(vkr_device *device, bool trusted)
{
    const vkr_load_options options = {.trusted = trusted};
    vkr_program *program = NULL;
    size_t size;
    void *bundle = builder_finish(&b, &size);
    OK(vkr_program_load_with(device, bundle, size, &options, &program, err));
    free(bundle);
    return program;
}

/* Lines, with a kernel between them that has no push constants; the last in a repetition. */
static void build(void)
{
    builder_init(&b, "lines");
    uint32_t out[LINES], n = builder_output(&b, "n", "u32", 1, VKB_NONE);
    for (int l = 0; l < LINES; l++)
        out[l] = builder_output(&b, "line", "u32", COUNT, VKB_NONE);
    uint32_t other = builder_kernel(&b, K_INCREMENT), line = builder_kernel(&b, K_LINE);
    for (int l = 0; l < LINES; l++) {
        if (l == LINES - 1) {
            b.program.main_count = b.nsteps + 1;
            uint32_t repeat = builder_repeat(&b, ROUNDS, VKB_NONE);
            b.steps[repeat].range_first[0] = b.nsteps, b.steps[repeat].range_count[0] = 2;
        }
        uint32_t step = builder_dispatch(&b, line, 2, (const uint32_t[]){out[l], END});
        b.bindings[b.nbindings - 1].access = VKB_WRITE;
        builder_push(&b, step, lines[l]);
        builder_dispatch(&b, other, 1, (const uint32_t[]){n, END});
    }
}

static void check_line(vkr_device *device, vkr_buffer buffer, const uint32_t *line)
{
    uint32_t words[COUNT], wrong = 0;
    OK(vkr_buffer_read(device, buffer, 0, words, sizeof words, err));
    for (uint32_t i = 0; i < COUNT; i++)
        wrong += words[i] != line[0] * i + line[1];
    CHECK(!wrong, "%u of %u words of line %u x + %u are wrong", wrong, COUNT, line[0], line[1]);
}

/* More results than there are slots: some runs are recorded, some are not. */
static void test_lines(vkr_device *device, bool trusted)
{
    vkr_buffer out[TUPLES][1 + LINES] = {{0}};
    build();
    vkr_program *program = load(device, trusted);
    for (int round = 0; round < 2; round++)
        for (int t = 0; t < TUPLES; t++)
            OK(vkr_run(program, NULL, 0, out[t], 1 + LINES, NULL, err));
    for (int t = 0; t < TUPLES; t++) {
        for (int l = 0; l < LINES; l++)
            check_line(device, out[t][1 + l], lines[l]);
        for (int i = 0; i <= LINES; i++)
            OK(vkr_buffer_free(device, out[t][i], err));
    }
    vkr_program_unload(program);
}

static void refused(vkr_device *device, const char *text)
{
    size_t size;
    vkr_program *program = NULL;
    void *bundle = builder_finish(&b, &size);
    FAILS(vkr_program_load(device, bundle, size, &program, err), VKR_INVALID_BUNDLE, text);
    free(bundle);
}

static void test_door(vkr_device *device)
{
    build();
    b.kernels[1].npushed = 1;
    refused(device, "must be of at most 1 words");
    b.kernels[1].npushed = 0;
    refused(device, "must be of at most 0 words");

    builder_init(&b, "wild");
    uint32_t out = builder_output(&b, "line", "u32", 1, VKB_NONE);
    uint32_t step =
        builder_dispatch(&b, builder_kernel(&b, K_WILD_LINE), 1, (const uint32_t[]){out, END});
    builder_push(&b, step, lines[0]);
    refused(device, "names no push constant");
    vkr_program_unload(load(device, true));
}

int main(void)
{
    vkr_error err = {0};
    vkr_device *device = test_device(false, &err);
    if (!device) {
        if (err.status != VKR_NO_DEVICE)
            CHECK(false, "%s", err.message);
        return harness_report();
    }
    RUN(test_lines(device, true));
    RUN(test_lines(device, false));
    RUN(test_door(device));
    test_is_free(device);
    vkr_device_close(device);
    return harness_report();
}
