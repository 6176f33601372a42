/* Bundles that are not trusted, on a device: what their shaders try stays within what they are
   given, what nobody wrote is 0, counts are bounded, and what the door refuses. */
#include <string.h>

#include "../../runtime/door.h"
#include "../../runtime/vkr.h"
#include "builder.h"
#include "device.h"

static vkr_program *load(vkr_device *device, struct builder *b)
{
    size_t size;
    vkr_program *program = NULL;
    void *bundle = builder_finish(b, &size);
    OK(vkr_program_load(device, bundle, size, &program, err));
    free(bundle);
    return program;
}

static void refused(vkr_device *device, struct builder *b, const char *text)
{
    size_t size;
    vkr_program *program = NULL;
    const vkr_load_options trusted = {.trusted = true};
    void *bundle = builder_finish(b, &size);
    FAILS(vkr_program_load(device, bundle, size, &program, err), VKR_INVALID_BUNDLE, text);
    CHECK(!program, "refused, but loaded");
    OK(vkr_program_load_with(device, bundle, size, &trusted, &program, err));
    vkr_program_unload(program);
    free(bundle);
}

/* A buffer whose memory held other things before. */
static void dirty(vkr_device *device)
{
    static uint8_t bytes[1 << 16];
    vkr_buffer buffer;
    memset(bytes, 0xff, sizeof bytes);
    for (size_t size = 1; size <= sizeof bytes; size *= 4) {
        OK(vkr_buffer_create(device, bytes, size, &buffer, err));
        OK(vkr_buffer_free(device, buffer, err));
    }
}

static vkr_buffer words(vkr_device *device, const uint32_t *data, uint32_t count)
{
    vkr_buffer buffer = 0;
    OK(vkr_buffer_create(device, data, count * sizeof *data, &buffer, err));
    return buffer;
}

static void read_words(vkr_device *device, vkr_buffer buffer, uint32_t *out, uint32_t count)
{
    OK(vkr_buffer_read(device, buffer, 0, out, count * sizeof *out, err));
    OK(vkr_buffer_free(device, buffer, err));
}

/* ---- guards ---- */

/* wild.comp: each index is past every end, the local and shared arrays and the output are read
   before they are written.
 */
static void test_wild(vkr_device *device)
{
    static struct builder b;
    const uint32_t input[] = {1u << 30, 1u << 31, UINT32_MAX, 1u << 20, 0, 1u << 31, UINT32_MAX};
    uint32_t output[16];
    vkr_buffer in = words(device, input, 7), out = 0;
    builder_init(&b, "wild");
    b.program.max_shared_bytes = 32;
    uint32_t y = builder_input(&b, "y", "u32", 7), x = builder_output(&b, "x", "u32", 16, VKB_NONE);
    builder_dispatch(&b, builder_kernel(&b, K_WILD), 1, (const uint32_t[]){x, y, END});
    vkr_program *program = load(device, &b);
    for (int round = 0; round < 3; round++) {
        dirty(device);
        out = 0;
        OK(vkr_run(program, &in, 1, &out, 1, NULL, err));
        memset(output, 0xee, sizeof output);
        read_words(device, out, output, 16);
        for (int i = 0; i < 15; i++)
            CHECK(output[i] == 0, "word %d is 0x%x", i, output[i]);
        /* the last of the table, 3, by 1 instead of 0; and the least integer by 1 instead of -1 */
        CHECK(output[15] == 3 + (1u << 31), "the last is 0x%x", output[15]);
    }
    vkr_program_unload(program);
    OK(vkr_buffer_free(device, in, err));
}

/* ---- zeros ---- */

static void test_nothing_written(vkr_device *device)
{
    static struct builder b;
    uint32_t output[64], sum = 0;
    vkr_buffer outs[2] = {0, 0};
    builder_init(&b, "nothing");
    uint32_t copied = builder_output(&b, "copied", "u32", 64, VKB_NONE);
    builder_output(&b, "left", "u32", 64, VKB_NONE);
    builder_copy(&b, builder_arena(&b, 256), copied, 256);
    dirty(device);
    vkr_program *program = load(device, &b);
    dirty(device);
    OK(vkr_run(program, NULL, 0, outs, 2, NULL, err));
    for (int i = 0; i < 2; i++) {
        read_words(device, outs[i], output, 64);
        for (int k = 0; k < 64; k++)
            sum |= output[k];
        CHECK(sum == 0, "output %d: 0x%x", i, sum);
    }
    vkr_program_unload(program);
}

/* Of an input's last word what is behind its end. */
static void test_padding(vkr_device *device)
{
    static struct builder b;
    uint32_t word = 0;
    vkr_buffer in, out = 0;
    builder_init(&b, "padding");
    uint32_t y = builder_input(&b, "y", "u8", 1), x = builder_output(&b, "x", "u32", 1, VKB_NONE);
    builder_copy(&b, y, x, 4);
    dirty(device);
    OK(vkr_buffer_create(device, "\x07", 1, &in, err));
    vkr_program *program = load(device, &b);
    OK(vkr_run(program, &in, 1, &out, 1, NULL, err));
    read_words(device, out, &word, 1);
    CHECK(word == 7, "0x%x", word);
    vkr_program_unload(program);
    OK(vkr_buffer_free(device, in, err));
}

/* ---- counts ---- */

/* A kernel writes its own counts: groups are at most those of the step, on each axis, in every
   round. */
static void test_group_counts(vkr_device *device)
{
    static struct builder b;
    const uint32_t huge[] = {1u << 30, 5, 1u << 30, 1u << 31}, one = 1;
    uint32_t sum = 0;
    vkr_buffer outs[1] = {0};
    builder_init(&b, "counts");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE);
    uint32_t from = builder_constant(&b, huge, sizeof huge),
             p = builder_constant(&b, &one, sizeof one), counts = builder_arena(&b, 16);
    builder_copy(&b, from, counts, 16);
    builder_dispatch(&b, builder_kernel(&b, K_GATE), 1, (const uint32_t[]){counts, p, END});
    b.steps[1].barrier = 1;
    uint32_t step =
        builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), 1, (const uint32_t[]){n, END});
    b.steps[step].counts = counts, b.steps[step].counts_at = 1, b.steps[step].barrier = 1;
    vkr_program *program = load(device, &b);
    OK(vkr_run(program, NULL, 0, outs, 1, NULL, err));
    read_words(device, outs[0], &sum, 1);
    CHECK(sum == 1, "%u increments", sum);
    vkr_program_unload(program);
}

/* ---- what is refused ---- */

static void begin(struct builder *b, uint32_t *out_buffers)
{
    builder_init(b, "refused");
    b->program.max_shared_bytes = 32;
    out_buffers[1] = builder_input(b, "y", "u32", 7);
    out_buffers[0] = builder_output(b, "x", "u32", 16, VKB_NONE);
    out_buffers[2] = END;
    builder_dispatch(b, builder_kernel(b, K_WILD), 1, out_buffers);
}

static void test_refused(vkr_device *device)
{
    static struct builder b;
    uint32_t buffers[3];
    begin(&b, buffers);
    b.bindings[0].access = VKB_WRITE;
    refused(device, &b, "its shader reads binding 0, which is not declared");
    begin(&b, buffers);
    b.bindings[0].access = VKB_READ;
    refused(device, &b, "its shader writes binding 0, which is not declared");
    begin(&b, buffers);
    b.buffers[buffers[1]].bytes = 24;
    refused(device, &b, "binding 1 has 24 bytes, its shader needs 28");
    begin(&b, buffers);
    uint32_t *groups = builder_groups(&b, 0, 0);
    groups[0] = groups[1] = 65535, groups[2] = 2;
    refused(device, &b, "invocations in one command buffer");
    begin(&b, buffers);
    for (uint32_t i = 0; i < 20; i++)
        b.steps[builder_repeat(&b, VKB_MAX_RECORDED, END)].barrier = 0;
    for (uint32_t i = 0; i < 20; i++) {
        b.steps[1 + i].range_first[0] = b.nsteps, b.steps[1 + i].range_count[0] = 1;
        uint32_t step = builder_dispatch(&b, 0, 1, buffers);
        b.steps[step].barrier = 1;
    }
    b.program.main_count = 21;
    size_t size;
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = NULL;
    OK(vkr_program_load(device, bundle, size, &program, err));
    vkr_program_unload(program);
    free(bundle);
    for (uint32_t i = 0; i < 20; i++)
        b.steps[1 + i].times = 1u << 31;
    refused(device, &b, "submissions, an untrusted bundle has at most");
}

int main(void)
{
    vkr_error err;
    vkr_device *device = test_device(false, &err);
    if (!device)
        return harness_skip(err.message);
    test_wild(device);
    test_nothing_written(device);
    test_padding(device);
    test_group_counts(device);
    test_refused(device);
    vkr_device_close(device);
    return harness_report();
}
