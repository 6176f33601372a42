/* What a callback of the host is given: each array apart from the others, aligned, and of its own
   size. */
#include "../../runtime/vkr.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"

enum { NSIZES = 40 };

/* Where a callback's arrays are, by their place. */
struct arrays {
    const uint8_t *at[2 * NSIZES];
    uint64_t bytes[2 * NSIZES];
};

static bool is_apart(const struct arrays *a, uint32_t i, uint32_t k)
{
    return a->at[i] + a->bytes[i] <= a->at[k] || a->at[k] + a->bytes[k] <= a->at[i];
}

/* Buffers are of whole words. */
static uint64_t storage(uint64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/* Every byte of an output is that of its input, and the number of its array more. */
static bool add_places(void *context, uint32_t callback, const void *const *inputs,
                       const uint64_t *input_bytes, uint32_t ninputs, void *const *outputs,
                       const uint64_t *output_bytes, uint32_t noutputs)
{
    struct arrays *a = context;
    CHECK(callback == 3 && ninputs == NSIZES && noutputs == NSIZES, "%u and %u arrays", ninputs,
          noutputs);
    for (uint32_t i = 0; i < NSIZES; i++) {
        a->at[i] = inputs[i], a->bytes[i] = input_bytes[i];
        a->at[NSIZES + i] = outputs[i], a->bytes[NSIZES + i] = output_bytes[i];
        CHECK(input_bytes[i] == storage(i + 1) && output_bytes[i] == storage(i + 1), "array %u", i);
        for (uint64_t k = 0; k < output_bytes[i]; k++)
            ((uint8_t *)outputs[i])[k] = (uint8_t)(((const uint8_t *)inputs[i])[k] + i);
    }
    for (uint32_t i = 0; i < 2 * NSIZES; i++) {
        CHECK((uintptr_t)a->at[i] % 16 == 0, "array %u is not aligned for all types", i);
        for (uint32_t k = 0; k < i; k++)
            CHECK(is_apart(a, i, k), "arrays %u and %u overlap", k, i);
    }
    return true;
}

/* Arrays of 1 to 40 bytes, so that none ends where the next may begin. */
static void test_sizes(vkr_device *device)
{
    static struct builder b;
    struct arrays arrays;
    size_t size;
    uint32_t read[NSIZES + 1], written[NSIZES + 1];
    vkr_buffer in[NSIZES], out[NSIZES] = {0};
    builder_init(&b, "sizes");
    for (uint32_t i = 0; i < NSIZES; i++)
        read[i] = builder_input(&b, "x", "u8", i + 1);
    for (uint32_t i = 0; i < NSIZES; i++)
        written[i] = builder_output(&b, "y", "u8", i + 1, VKB_NONE);
    read[NSIZES] = written[NSIZES] = END;
    builder_host(&b, 3, read, written);
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = NULL;
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    uint8_t data[NSIZES], back[NSIZES];
    for (uint32_t i = 0; i < NSIZES; i++) {
        memset(data, (int)(2 * i), sizeof data);
        OK(vkr_buffer_create(device, data, i + 1, &in[i], err));
    }
    OK(vkr_run(program, in, NSIZES, out, NSIZES, &(vkr_run_options){add_places, &arrays}, err));
    for (uint32_t i = 0; i < NSIZES; i++) {
        memset(data, (int)(3 * i), sizeof data);
        OK(vkr_buffer_read(device, out[i], 0, back, i + 1, err));
        CHECK(!memcmp(back, data, i + 1), "output %u begins with %u", i, back[0]);
        OK(vkr_buffer_free(device, in[i], err));
        OK(vkr_buffer_free(device, out[i], err));
    }
    vkr_program_unload(program);
}

int main(void)
{
    vkr_error error = {0};
    vkr_device *device = test_device(false, &error);
    if (!device)
        return harness_skip(error.message);
    RUN(test_sizes(device));
    test_is_free(device);
    vkr_device_close(device);
    return harness_report();
}
