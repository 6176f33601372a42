/* The life of buffers: zeroed, ranges, sizes, stale and foreign handles, memory that comes back. */
#include "../../runtime/device.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"

static bool is_zero(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (data[i])
            return false;
    return true;
}

static void test_sizes(vkr_device *device)
{
    static const uint64_t sizes[] = {0,   1,   2,    3,      4,        5,        255,
                                     256, 257, 4096, 100001, 5u << 20, 20u << 20};
    uint8_t *data = malloc(20u << 20), *back = malloc(20u << 20);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint64_t n = sizes[k], size = 1;
        vkr_buffer a = 0, b = 0, c = 0;
        for (uint64_t i = 0; i < n; i++)
            data[i] = (uint8_t)(i * 7 + k);
        OK(vkr_buffer_alloc(device, n, &a, err));
        memset(back, 1, n);
        OK(vkr_buffer_read(device, a, 0, back, n, err));
        CHECK(is_zero(back, n), "%llu bytes are zeroed", (unsigned long long)n);
        OK(vkr_buffer_create(device, data, n, &b, err));
        OK(vkr_buffer_copy(device, b, &c, err));
        OK(vkr_buffer_byte_size(device, c, &size, err));
        CHECK(size == n, "size");
        OK(vkr_buffer_read(device, c, 0, back, n, err));
        CHECK(!memcmp(back, data, n), "%llu bytes come back", (unsigned long long)n);
        OK(vkr_buffer_upload_into(device, a, data, n, err));
        OK(vkr_buffer_read(device, a, n / 3, back, n - n / 3, err));
        CHECK(!memcmp(back, data + n / 3, n - n / 3), "a range of %llu bytes",
              (unsigned long long)n);
        OK(vkr_buffer_free(device, a, err));
        OK(vkr_buffer_free(device, b, err));
        OK(vkr_buffer_free(device, c, err));
        OK(vkr_buffer_alloc(device, n, &a, err)); /* in used memory */
        memset(back, 1, n);
        OK(vkr_buffer_read(device, a, 0, back, n, err));
        CHECK(is_zero(back, n), "%llu reused bytes are zeroed", (unsigned long long)n);
        OK(vkr_buffer_free(device, a, err));
    }
    free(data);
    free(back);
}

static void test_ranges(vkr_device *device)
{
    uint8_t data[100], back[100] = {0};
    vkr_buffer b = 0;
    for (int i = 0; i < 100; i++)
        data[i] = (uint8_t)i;
    OK(vkr_buffer_create(device, data, 100, &b, err));
    OK(vkr_buffer_write(device, b, 37, "abc", 3, err));
    OK(vkr_buffer_read(device, b, 0, back, 100, err));
    memcpy(data + 37, "abc", 3);
    CHECK(!memcmp(data, back, 100), "a written range");
    OK(vkr_buffer_write(device, b, 100, NULL, 0, err));
    OK(vkr_buffer_read(device, b, 100, NULL, 0, err));
    FAILS(vkr_buffer_read(device, b, 100, back, 1, err), VKR_INVALID_ARGUMENT, "outside");
    FAILS(vkr_buffer_read(device, b, UINT64_MAX, back, 2, err), VKR_INVALID_ARGUMENT, "outside");
    FAILS(vkr_buffer_write(device, b, 2, data, UINT64_MAX, err), VKR_INVALID_ARGUMENT, "outside");
    FAILS(vkr_buffer_write(device, b, 0, NULL, 1, err), VKR_INVALID_ARGUMENT, "NULL");
    FAILS(vkr_buffer_upload_into(device, b, data, 99, err), VKR_SIZE_MISMATCH,
          "99 bytes for a buffer of 100");
    OK(vkr_buffer_wait(device, b, err));
    OK(vkr_buffer_free(device, b, err));
}

static void test_handles(vkr_device *device)
{
    vkr_device *other = test_device(false, NULL);
    vkr_buffer a = 0, b = 0;
    uint64_t size;
    OK(vkr_buffer_alloc(device, 16, &a, err));
    OK(vkr_buffer_free(device, a, err));
    FAILS(vkr_buffer_free(device, a, err), VKR_INVALID_HANDLE, "stale");
    OK(vkr_buffer_alloc(device, 16, &b, err));
    CHECK(a != b, "handles are not reused");
    FAILS(vkr_buffer_byte_size(device, a, &size, err), VKR_INVALID_HANDLE, "stale");
    FAILS(vkr_buffer_byte_size(device, 0, &size, err), VKR_INVALID_HANDLE, "0");
    FAILS(vkr_buffer_byte_size(device, b + 100000, &size, err), VKR_INVALID_HANDLE, "never");
    FAILS(vkr_buffer_byte_size(device, ~b, &size, err), VKR_INVALID_HANDLE, "another device");
    FAILS(vkr_buffer_byte_size(other, b, &size, err), VKR_INVALID_HANDLE, "another device");
    FAILS(vkr_buffer_alloc(NULL, 1, &a, err), VKR_INVALID_ARGUMENT, "NULL");
    FAILS(vkr_buffer_alloc(device, UINT64_MAX, &a, err), VKR_OUT_OF_DEVICE_MEMORY, "bytes");
    FAILS(vkr_buffer_alloc(device, 1ull << 50, &a, err), VKR_OUT_OF_DEVICE_MEMORY, "memory_budget");
    CHECK(a == 0, "no handle on failure");
    OK(vkr_buffer_free(device, b, err));
    vkr_device_close(other);
}

/* Buffers freed while the device still works on them: results stay right, memory comes back. */
static void test_free_in_flight(vkr_device *device)
{
    static struct builder b;
    enum { COUNT = 1 << 16 };
    size_t size;
    builder_init(&b, "slow");
    builder_input(&b, "x", "f32", COUNT);
    uint32_t out = builder_output(&b, "x", "f32", COUNT, 0);
    builder_dispatch(&b, builder_kernel(&b, K_SLOW), COUNT / 64, (const uint32_t[]){out, END});
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = NULL;
    float *data = calloc(COUNT, sizeof *data), *back = calloc(COUNT, sizeof *back);
    OK(test_load(device, bundle, size, &program, err));
    for (int round = 0; round < 6; round++) {
        vkr_buffer x = 0, y = 0, z = 0, none = 0;
        for (int i = 0; i < COUNT; i++)
            data[i] = (float)(round * 10 + i % 10);
        OK(vkr_buffer_create(device, data, COUNT * sizeof *data, &x, err));
        OK(vkr_run(program, &x, 1, &none, 1, NULL, err));
        OK(vkr_buffer_copy(device, x, &y, err));
        OK(vkr_buffer_free(device, x, err));                         /* in flight */
        OK(vkr_buffer_alloc(device, COUNT * sizeof *data, &z, err)); /* may take the same memory */
        OK(vkr_buffer_read(device, y, 0, back, COUNT * sizeof *data, err));
        bool same = true;
        for (int i = 0; i < COUNT; i++)
            same = same && back[i] > data[i] + 0.5f && back[i] < data[i] + 1.5f;
        CHECK(same, "round %d", round);
        OK(vkr_buffer_read(device, z, 0, back, COUNT * sizeof *data, err));
        CHECK(is_zero((uint8_t *)back, COUNT * sizeof *data), "zeroed in round %d", round);
        OK(vkr_buffer_write(device, z, 4, data, 64, err));
        OK(vkr_buffer_free(device, y, err));
        OK(vkr_buffer_free(device, z, err));
    }
    vkr_program_unload(program);
    free(bundle);
    free(data);
    free(back);
}

/* Random allocations and frees keep their contents apart, and leave nothing behind. */
static void test_pool(vkr_device *device)
{
    enum { LIVE = 64, ROUNDS = 4000 };
    vkr_buffer live[LIVE] = {0};
    uint32_t sizes[LIVE] = {0}, state = 1;
    uint8_t *data = malloc(1 << 20);
    vkr_counters c;
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        state = state * 1664525 + 1013904223;
        uint32_t i = state >> 20 & (LIVE - 1), n = (state >> 8 & 0xfff) << (state >> 4 & 7);
        if (live[i]) {
            wrong += vkr_buffer_read(device, live[i], 0, data, sizes[i], NULL) != VKR_OK;
            for (uint32_t k = 0; k < sizes[i]; k += 61)
                wrong += data[k] != (uint8_t)(i + k);
            wrong += vkr_buffer_free(device, live[i], NULL) != VKR_OK;
        }
        for (uint32_t k = 0; k < n; k++)
            data[k] = (uint8_t)(i + k);
        wrong += vkr_buffer_create(device, data, n, &live[i], NULL) != VKR_OK;
        sizes[i] = n;
    }
    for (int i = 0; i < LIVE; i++)
        if (live[i])
            wrong += vkr_buffer_free(device, live[i], NULL) != VKR_OK;
    CHECK(!wrong, "%d wrong", wrong);
    vkr_device_counters(device, &c);
    CHECK(c.live_buffers == 0 && c.live_bytes == 0, "all freed");
    CHECK(c.pool_bytes <= 256u << 20, "%llu bytes in the pool", (unsigned long long)c.pool_bytes);
    free(data);
}

/* Two buffers over the same memory, where the host sees it. */
static void test_shared(vkr_device *device)
{
    uint32_t data[300], back[300] = {0};
    vkr_buffer before = 0, a = 0, b = 0, c = 0;
    void *at = NULL, *again = NULL;
    for (uint32_t i = 0; i < 300; i++)
        data[i] = i * i;
    OK(vkr_buffer_alloc(device, 4, &before, err));
    OK(vkr_buffer_create(device, data, sizeof data, &a, err));
    vkr_error error = {0};
    if (vkr_buffer_address(device, a, &at, &error) == VKR_UNSUPPORTED) {
        CHECK(strstr(error.message, "cannot see") && !at, "%s", error.message);
        OK(vkr_buffer_free(device, before, err));
        OK(vkr_buffer_free(device, a, err));
        return;
    }
    CHECK(!memcmp(at, data, sizeof data), "the bytes are there");
    OK(vkr_buffer_free(device, before, err));
    OK(vkr_buffer_import(device, at, 4, &c, err)); /* in the table before the one that it shares */
    OK(vkr_buffer_import(device, at, sizeof data, &b, err));
    OK(vkr_buffer_free(device, c, err));
    c = 0;
    OK(vkr_buffer_address(device, b, &again, err));
    CHECK(again == at && a != b, "the same memory");
    FAILS(vkr_buffer_write(device, a, 0, data, 4, err), VKR_INVALID_ARGUMENT, "shared");
    FAILS(vkr_buffer_upload_into(device, b, data, sizeof data, err), VKR_INVALID_ARGUMENT,
          "shared");
    FAILS(vkr_buffer_import(device, (char *)at + 256, 4, &c, err), VKR_INVALID_ARGUMENT,
          "no buffer begins");
    FAILS(vkr_buffer_import(device, at, sizeof data + 1, &c, err), VKR_SIZE_MISMATCH,
          "at a buffer of");
    CHECK(!c, "no handle on failure");
    OK(vkr_buffer_free(device, a, err));
    OK(vkr_buffer_alloc(device, sizeof data, &c, err)); /* not in the memory that b still holds */
    OK(vkr_buffer_read(device, b, 0, back, sizeof back, err));
    CHECK(!memcmp(back, data, sizeof data), "the memory outlives the first buffer");
    OK(vkr_buffer_write(device, b, 4, back + 2, 4, err));
    CHECK(((uint32_t *)at)[1] == 4, "the last holder may write");
    OK(vkr_buffer_free(device, b, err));
    FAILS(vkr_buffer_address(device, b, &again, err), VKR_INVALID_HANDLE, "stale");
    FAILS(vkr_buffer_import(device, at, 4, &b, err), VKR_INVALID_ARGUMENT, "no buffer begins");
    OK(vkr_buffer_free(device, c, err));
}

/* Memory of the host in programs and copies, at addresses of all sorts; freed while the device
   reads it. */
/* A driver that takes memory in larger units than pages: the address and the size must be whole
   ones, since what else is in the unit may be anybody's. */
static void test_import_units(vkr_device *device)
{
    enum { UNIT = 65536, PAGE = 4096 };
    static _Alignas(UNIT) char memory[2 * UNIT];
    const struct {
        uint32_t at, bytes;
        bool fits;
    } rows[] = {{0, UNIT, true},          {UNIT, UNIT, true}, {0, 2 * UNIT, true},
                {PAGE, UNIT, false},      {0, PAGE, false},   {0, UNIT + 4, false},
                {UNIT - 256, 256, false}, {256, UNIT, false}, {0, 4, false}};
    uint64_t *align = &device->gpu.facts.import_alignment, kept = *align;
    if (!kept || kept > UNIT)
        return;
    *align = UNIT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vkr_buffer buffer = 0;
        vkr_error error = {0};
        vkr_status status =
            vkr_buffer_import(device, memory + rows[i].at, rows[i].bytes, &buffer, &error);
        CHECK(status == (rows[i].fits ? VKR_OK : VKR_INVALID_ARGUMENT), "%u bytes at %u: %s",
              rows[i].bytes, rows[i].at, error.message);
        if (!status)
            OK(vkr_buffer_free(device, buffer, err));
    }
    *align = kept;
}

static void test_imported(vkr_device *device)
{
    enum { COUNT = 64, PAGE = 4096 };
    size_t size;
    void *bundle = builder_add(COUNT, &size);
    vkr_program *program = NULL;
    vkr_buffer in[2] = {0}, out = 0, copy = 0;
    vkr_counters c;
    static _Alignas(PAGE) float memory[PAGE];
    float back[COUNT];
    for (uint32_t i = 0; i < PAGE; i++)
        memory[i] = (float)i;
    FAILS(vkr_buffer_import(device, NULL, 4, &out, err), VKR_INVALID_ARGUMENT, "NULL");
    FAILS(vkr_buffer_import(device, memory, 0, &out, err), VKR_INVALID_ARGUMENT, "size 0");
    vkr_error error = {0};
    if (vkr_buffer_import(device, memory, sizeof back, &in[0], &error) == VKR_UNSUPPORTED) {
        CHECK(strstr(error.message, "VK_EXT_external_memory_host"), "%s", error.message);
        free(bundle);
        return;
    }
    /* over two pages */
    OK(vkr_buffer_import(device, memory + PAGE / 4 - 16, sizeof back, &in[1], err));
    OK(test_load(device, bundle, size, &program, err));
    OK(vkr_run(program, in, 2, &out, 1, NULL, err));
    OK(vkr_buffer_copy(device, in[1], &copy, err));
    FAILS(vkr_run(program, in, 2, &in[0], 1, NULL, err), VKR_INVALID_ARGUMENT, "shared");
    FAILS(vkr_buffer_write(device, in[0], 0, memory, 4, err), VKR_INVALID_ARGUMENT, "shared");
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_free(device, in[i], err));
    OK(vkr_buffer_read(device, out, 0, back, sizeof back, err));
    for (int i = 0; i < COUNT; i++)
        CHECK(back[i] == (float)(i + i + PAGE / 4 - 16), "sum %d is %g", i, back[i]);
    OK(vkr_buffer_read(device, copy, 0, back, sizeof back, err));
    CHECK(!memcmp(back, memory + PAGE / 4 - 16, sizeof back), "a copy");
    OK(vkr_buffer_free(device, copy, err));
    OK(vkr_buffer_free(device, out, err));
    vkr_device_counters(device, &c);
    CHECK(c.imported_bytes == 0, "%llu bytes are still in use",
          (unsigned long long)c.imported_bytes);
    FAILS(vkr_buffer_import(device, (char *)memory + 2, 4, &out, err), VKR_INVALID_ARGUMENT,
          "multiple of");
    FAILS(vkr_buffer_import(device, (void *)PAGE, 4, &out, err), VKR_INVALID_ARGUMENT,
          "not memory");
    FAILS(vkr_buffer_import(device, memory, UINT64_MAX, &out, err), VKR_INVALID_ARGUMENT,
          "address space");
    OK(vkr_buffer_import(device, memory, sizeof memory, &out, err)); /* left to vkr_device_close */
    vkr_program_unload(program);
    free(bundle);
}

/* Memory that was freed is taken again where it fits exactly, however many smaller pieces were
   freed since. */
static void test_fit(vkr_device *device)
{
    enum { SMALLER = 40 };
    static const uint32_t units[] = {1, 2, 3, 4, 5, 7, 8, 13};
    vkr_device_info info;
    vkr_device_get_info(device, &info);
    if (info.kind != VKR_CPU) /* no addresses */
        return;
    for (size_t i = 1; i < sizeof units / sizeof *units; i++) {
        vkr_buffer fits = 0, again = 0, small[SMALLER], apart[SMALLER + 1];
        void *before = NULL, *after = NULL;
        OK(vkr_buffer_alloc(device, 256 * units[i], &fits, err));
        OK(vkr_buffer_alloc(device, 256, &apart[SMALLER], err));
        for (int k = 0; k < SMALLER; k++) {
            OK(vkr_buffer_alloc(device, 256 * units[i - 1], &small[k], err));
            OK(vkr_buffer_alloc(device, 256, &apart[k], err));
        }
        OK(vkr_device_wait(device, err));
        OK(vkr_buffer_address(device, fits, &before, err));
        OK(vkr_buffer_free(device, fits, err));
        for (int k = 0; k < SMALLER; k++)
            OK(vkr_buffer_free(device, small[k], err));
        OK(vkr_buffer_alloc(device, 256 * units[i], &again, err));
        OK(vkr_buffer_address(device, again, &after, err));
        CHECK(before == after, "%u bytes at %p, then at %p", 256 * units[i], before, after);
        OK(vkr_buffer_free(device, again, err));
        for (int k = 0; k <= SMALLER; k++)
            OK(vkr_buffer_free(device, apart[k], err));
    }
}

/* A block that is as large as the pool suggests is followed by one of twice its size, also when one
   request fills it: then few blocks are enough. */
static void test_growth(void)
{
    vkr_device *device = test_device(false, NULL);
    vkr_buffer buffers[3] = {0};
    vkr_counters c;
    OK(vkr_buffer_alloc(device, 1, &buffers[0], err));
    vkr_device_counters(device, &c);
    uint64_t first = c.pool_bytes;
    if (first <= device->pool.limit / 16) { /* the largest block is a quarter of the limit */
        OK(vkr_buffer_alloc(device, 2 * first, &buffers[1], err));
        OK(vkr_buffer_alloc(device, first, &buffers[2], err)); /* more than the first has left */
        vkr_device_counters(device, &c);
        CHECK(c.pool_bytes == 7 * first, "blocks of %llu, and %llu bytes in all",
              (unsigned long long)first, (unsigned long long)c.pool_bytes);
    }
    for (uint32_t i = 0; i < 3; i++)
        if (buffers[i])
            OK(vkr_buffer_free(device, buffers[i], err));
    vkr_device_close(device);
}

/* A place in the table of buffers near the end of its generations: every handle is another, and
   those that were freed stay stale, also when the place is given up. */
static void test_generations(vkr_device *device)
{
    enum { ROUNDS = 12, LAST = (1 << 28) - 1 };
    struct buffer_table *table = &device->buffers;
    vkr_buffer handles[ROUNDS], first = 0;
    OK(vkr_buffer_alloc(device, 4, &first, err)); /* there is a place */
    OK(vkr_buffer_free(device, first, err));
    uint32_t index = table->unused - 1;
    table->pages[index / BUFFER_PAGE][index % BUFFER_PAGE].generation = LAST - 3;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t back = 0;
        OK(vkr_buffer_create(device, &i, sizeof i, &handles[i], err));
        OK(vkr_buffer_read(device, handles[i], 0, &back, sizeof back, err));
        CHECK(back == i && handles[i], "round %u: %u", i, back);
        for (uint32_t k = 0; k < i; k++)
            FAILS(vkr_buffer_wait(device, handles[k], err), VKR_INVALID_HANDLE, "stale");
        OK(vkr_buffer_free(device, handles[i], err));
        FAILS(vkr_buffer_free(device, handles[i], err), VKR_INVALID_HANDLE, "stale");
    }
}

int main(void)
{
    vkr_error error = {0};
    vkr_device *device = test_device(false, &error);
    vkr_counters c;
    if (!device)
        return harness_skip(error.message);
    RUN(test_sizes(device));
    RUN(test_ranges(device));
    RUN(test_handles(device));
    RUN(test_free_in_flight(device));
    RUN(test_pool(device));
    RUN(test_shared(device));
    RUN(test_fit(device));
    RUN(test_generations(device));
    RUN(test_growth());
    OK(vkr_device_wait(device, err));
    vkr_device_counters(device, &c);
    CHECK(c.live_buffers == 0 && c.programs == 0, "all was freed");
    RUN(test_import_units(device));
    RUN(test_imported(device));
    vkr_device_close(device);
    vkr_device_close(NULL);
    vkr_program_unload(NULL);
    return harness_report();
}
