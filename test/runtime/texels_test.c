/* Buffers that are read as texels: every bit arrives, whatever the size; a view is made once for a
   place, and none is left. */
#include "../../runtime/program.h"
#include "../../runtime/vkr.h"
#include "builder.h"
#include "device.h"

enum { MOST = 1000, TUPLES = 12 };

static struct builder b;

/* out = (x ^ y) ^ c, by way of the arena. */
static void *build(uint32_t count, size_t *size)
{
    static uint32_t c[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        c[i] = i * 0x01010101u;
    builder_init(&b, "xor");
    uint32_t x = builder_input(&b, "x", "u32", count), y = builder_input(&b, "y", "u32", count);
    uint32_t z = builder_output(&b, "z", "u32", count, VKB_NONE);
    uint32_t between = builder_arena(&b, 4 * count), all = builder_constant(&b, c, 4 * count);
    uint32_t k = builder_kernel(&b, K_XOR_TEXELS), n = (count + 63) / 64;
    builder_dispatch(&b, k, n, (const uint32_t[]){x, y, between, END});
    b.bindings[b.nbindings - 1].access = VKB_WRITE;
    builder_dispatch(&b, k, n, (const uint32_t[]){between, all, z, END});
    b.bindings[b.nbindings - 3].access = VKB_READ;
    b.bindings[b.nbindings - 1].access = VKB_WRITE;
    return builder_finish(&b, size);
}

/* ---- how many views are made ---- */

static PFN_vkCreateBufferView really_create;
static uint32_t nviews;

static VKAPI_ATTR VkResult VKAPI_CALL count_view(VkDevice device,
                                                 const VkBufferViewCreateInfo *info,
                                                 const VkAllocationCallbacks *a, VkBufferView *out)
{
    nviews++;
    return really_create(device, info, a, out);
}

static void count_views(vkr_device *device)
{
    really_create = device->gpu.vk.CreateBufferView;
    device->gpu.vk.CreateBufferView = count_view;
}

/* ---- running ---- */

static vkr_program *load(vkr_device *device, uint32_t count)
{
    const vkr_load_options options = {.trusted = true};
    vkr_program *program = NULL;
    size_t size;
    void *bundle = build(count, &size);
    OK(vkr_program_load_with(device, bundle, size, &options, &program, err));
    free(bundle);
    return program;
}

static void check(vkr_device *device, vkr_buffer out, const uint32_t *x, const uint32_t *y,
                  uint32_t count)
{
    static uint32_t z[MOST];
    uint32_t wrong = 0;
    OK(vkr_buffer_read(device, out, 0, z, 4 * (size_t)count, err));
    for (uint32_t i = 0; i < count; i++)
        wrong += z[i] != (x[i] ^ y[i] ^ i * 0x01010101u);
    CHECK(!wrong, "%u of %u words are wrong", wrong, count);
}

/* Every bit: subnormals, and NaN of every payload, among them. */
static void test_bits(vkr_device *device, uint32_t count)
{
    static uint32_t x[MOST], y[MOST];
    vkr_buffer in[2], out = 0;
    vkr_program *program = load(device, count);
    for (uint32_t i = 0; i < count; i++) {
        x[i] = i % 3 == 0 ? 0x7f800001u + 4097 * i : i % 3 == 1 ? 1u + 4097 * i : ~i;
        y[i] = i % 2 ? 0xff800001u + i : i;
    }
    OK(vkr_buffer_create(device, x, 4 * (size_t)count, &in[0], err));
    OK(vkr_buffer_create(device, y, 4 * (size_t)count, &in[1], err));
    OK(vkr_run(program, in, 2, &out, 1, NULL, err));
    check(device, out, x, y, count);
    OK(vkr_buffer_free(device, in[0], err));
    OK(vkr_buffer_free(device, in[1], err));
    OK(vkr_buffer_free(device, out, err));
    vkr_program_unload(program);
}

/* More tuples than there are slots, twice over: of those of the last slots nothing is made
   again. */
static void test_views(vkr_device *device)
{
    static uint32_t x[TUPLES][MOST], y[MOST];
    vkr_buffer in[TUPLES], same, out[TUPLES] = {0};
    vkr_program *program = load(device, MOST);
    OK(vkr_buffer_create(device, y, sizeof y, &same, err));
    for (uint32_t t = 0; t < TUPLES; t++) {
        for (uint32_t i = 0; i < MOST; i++)
            x[t][i] = t * MOST + i;
        OK(vkr_buffer_create(device, x[t], sizeof x[t], &in[t], err));
    }
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t t = 0; t < TUPLES; t++)
            OK(vkr_run(program, (const vkr_buffer[]){in[t], same}, 2, &out[t], 1, NULL, err));
    for (uint32_t t = 0; t < TUPLES; t++)
        check(device, out[t], x[t], y, MOST);
    uint32_t before = nviews;
    OK(vkr_run(program, (const vkr_buffer[]){in[TUPLES - 1], same}, 2, &out[TUPLES - 1], 1, NULL,
               err));
    CHECK(nviews == before, "a warm call makes %u views", nviews - before);
    OK(vkr_run(program, (const vkr_buffer[]){in[0], same}, 2, &out[0], 1, NULL, err));
    CHECK(nviews == before + 1, "one other tensor makes %u views", nviews - before);
    check(device, out[0], x[0], y, MOST);
    /* other tensors where these were */
    for (uint32_t t = 0; t < TUPLES; t++) {
        OK(vkr_buffer_free(device, in[t], err));
        OK(vkr_buffer_free(device, out[t], err));
    }
    OK(vkr_device_wait(device, err));
    OK(vkr_buffer_create(device, x[3], sizeof x[3], &in[0], err));
    out[0] = 0;
    OK(vkr_run(program, (const vkr_buffer[]){in[0], same}, 2, &out[0], 1, NULL, err));
    vkr_program_unload(program);
    check(device, out[0], x[3], y, MOST);
    OK(vkr_buffer_free(device, in[0], err));
    OK(vkr_buffer_free(device, out[0], err));
    OK(vkr_buffer_free(device, same, err));
}

/* A view that cannot be made is an error, and the next run is as if nothing had been. */
static VKAPI_ATTR VkResult VKAPI_CALL no_view(VkDevice device, const VkBufferViewCreateInfo *info,
                                              const VkAllocationCallbacks *a, VkBufferView *out)
{
    (void)device, (void)info, (void)a, (void)out;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void test_failure(vkr_device *device)
{
    static uint32_t x[MOST], y[MOST];
    vkr_buffer in[2], out = 0;
    vkr_program *program = load(device, MOST);
    OK(vkr_buffer_create(device, x, sizeof x, &in[0], err));
    OK(vkr_buffer_create(device, y, sizeof y, &in[1], err));
    device->gpu.vk.CreateBufferView = no_view;
    FAILS(vkr_run(program, in, 2, &out, 1, NULL, err), VKR_OUT_OF_DEVICE_MEMORY,
          "CreateBufferView");
    device->gpu.vk.CreateBufferView = count_view;
    OK(vkr_run(program, in, 2, &out, 1, NULL, err));
    check(device, out, x, y, MOST);
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_free(device, in[i], err));
    OK(vkr_buffer_free(device, out, err));
    vkr_program_unload(program);
}

int main(void)
{
    static const uint32_t counts[] = {1, 3, 4, 5, 63, 64, 65, MOST};
    vkr_error err = {0};
    vkr_device *device = test_device(false, &err);
    if (!device) {
        if (err.status != VKR_NO_DEVICE)
            CHECK(false, "%s", err.message);
        return harness_report();
    }
    count_views(device);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        RUN(test_bits(device, counts[i]));
    RUN(test_views(device));
    RUN(test_failure(device));
    test_is_free(device);
    vkr_device_close(device);
    return harness_report();
}
