/* Buffers of several allocations, used in parts; and the budget of device memory. */
#define _DEFAULT_SOURCE
#include <sys/mman.h>

#include "../../runtime/device.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"
#include "faults.h"

enum { PART = 65536, COUNT = 100001, BYTES = 4 * COUNT, MOST = 2 * PART + 1000 };

static vkr_device *open_with(uint64_t max_allocation, uint64_t budget, vkr_error *err)
{
    vkr_device *device = NULL;
    vkr_device_options options = {.pipeline_cache = "",
                                  .validate = true,
                                  .log = test_log,
                                  .max_allocation = max_allocation,
                                  .memory_budget = budget};
    if (vkr_device_open(&options, &device, err) == VKR_UNSUPPORTED) {
        options.validate = false;
        vkr_device_open(&options, &device, err);
    }
    return device;
}

static vkr_counters counters(const vkr_device *device)
{
    vkr_counters c;
    vkr_device_counters(device, &c);
    return c;
}

static float *numbers(uint32_t seed)
{
    float *x = malloc(BYTES);
    for (uint32_t i = 0; x && i < COUNT; i++)
        x[i] = (float)((i * 2654435761u ^ seed * 40503u) % 10007);
    return x;
}

/* Ranges around the ends of parts and of pieces, which are 128 KiB each. */
static void test_bytes(vkr_device *device)
{
    static const uint32_t ranges[][2] = {{0, BYTES},
                                         {PART - 4, 8},
                                         {2 * PART - 1, 2},
                                         {2 * PART - 8, 2 * PART + 16},
                                         {4 * PART + 5, BYTES - 4 * PART - 5},
                                         {BYTES - 1, 1}};
    uint8_t *data = (uint8_t *)numbers(1), *back = malloc(BYTES), *again = malloc(BYTES);
    uint64_t before = counters(device).device_allocations;
    vkr_buffer a = 0, b = 0, z = 0;
    void *at;
    OK(vkr_buffer_create(device, data, BYTES, &a, err));
    CHECK(counters(device).device_allocations >= before + 4, "%llu allocations",
          (unsigned long long)(counters(device).device_allocations - before));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        uint32_t from = ranges[i][0], n = ranges[i][1];
        memset(back, 0xee, BYTES);
        OK(vkr_buffer_read(device, a, from, back, n, err));
        CHECK(!memcmp(back, data + from, n) && (n == BYTES || back[n] == 0xee), "read %u+%u", from,
              n);
        for (uint32_t k = 0; k < n; k++)
            data[from + k] = (uint8_t)(data[from + k] * 5 + 3 + i);
        OK(vkr_buffer_write(device, a, from, data + from, n, err));
        OK(vkr_buffer_copy(device, a, &b, err));
        OK(vkr_buffer_read(device, b, 0, again, BYTES, err));
        CHECK(!memcmp(again, data, BYTES), "written %u+%u, and copied", from, n);
        OK(vkr_buffer_free(device, b, err));
    }
    OK(vkr_buffer_free(device, a, err));
    OK(vkr_buffer_alloc(device, BYTES, &z, err)); /* where the others were */
    OK(vkr_buffer_read(device, z, 0, back, BYTES, err));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < BYTES; i++)
        wrong += back[i] != 0;
    CHECK(!wrong, "%u bytes of a zeroed buffer are not 0", wrong);
    FAILS(vkr_buffer_address(device, z, &at, err), VKR_UNSUPPORTED, "several allocations");
    OK(vkr_buffer_free(device, z, err));
    free(data);
    free(back);
    free(again);
}

/* sum = (a + b) + b through the arena, and with `copies` a copy of a + b: a copy names tensors,
   so that such a program would be recorded anew for others even if its addresses did not have to
   be written. */
static void *two_sums(bool copies, size_t *out_size)
{
    static struct builder b;
    static const uint32_t count = COUNT;
    builder_init(&b, "sums");
    b.program.part_bytes = PART;
    b.program.features = VKB_FEATURE_ADDRESSES;
    uint32_t x = builder_input(&b, "a", "f32", COUNT), y = builder_input(&b, "b", "f32", COUNT);
    uint32_t sum = builder_output(&b, "sum", "f32", COUNT, VKB_NONE),
             copy = copies ? builder_output(&b, "copy", "f32", COUNT, VKB_NONE) : VKB_NONE;
    uint32_t n = builder_constant(&b, &count, 4), small = builder_arena(&b, 256),
             t = builder_arena(&b, BYTES);
    (void)small;
    b.buffers[t].offset = PART; /* behind a small buffer, and so at the next part */
    b.program.arena_bytes = PART + ((BYTES + 255) & ~255u);
    uint32_t k = builder_kernel(&b, K_ADD_PARTS);
    b.bodies[k].features = VKB_FEATURE_ADDRESSES;
    builder_dispatch(&b, k, (COUNT + 63) / 64, (const uint32_t[]){x, y, t, n, END});
    builder_dispatch(&b, k, (COUNT + 63) / 64, (const uint32_t[]){t, y, sum, n, END});
    if (copies)
        builder_copy(&b, t, copy, BYTES);
    return builder_finish(&b, out_size);
}

static void check_sums(vkr_device *device, vkr_program *program, const vkr_buffer in[2],
                       vkr_buffer out[2], const float *a, const float *b)
{
    uint32_t nout = vkr_program_outputs(program);
    float *sum = calloc(1, BYTES), *copy = calloc(1, BYTES);
    uint32_t wrong = 0;
    OK(vkr_run(program, in, 2, out, nout, NULL, err));
    OK(vkr_buffer_read(device, out[0], 0, sum, BYTES, err));
    if (nout > 1)
        OK(vkr_buffer_read(device, out[1], 0, copy, BYTES, err));
    for (uint32_t i = 0; i < COUNT; i++)
        wrong += sum[i] != a[i] + b[i] + b[i] || (nout > 1 && copy[i] != a[i] + b[i]);
    CHECK(!wrong, "%u elements are wrong", wrong);
    free(sum);
    free(copy);
}

static void test_program(vkr_device *device, bool copies)
{
    enum { TENSORS = 3 };
    size_t size;
    void *whole = builder_add(COUNT, &size), *bundle, *host;
    vkr_program *program = NULL;
    /* the same for all runs: no block comes or goes */
    vkr_buffer x[TENSORS] = {0}, imported = 0, out[2] = {0, 0};
    float *data[TENSORS];
    FAILS(test_load(device, whole, size, &program, err), VKR_UNSUPPORTED, "one storage buffer");
    bundle = two_sums(copies, &size);
    OK(test_load(device, bundle, size, &program, err));
    for (uint32_t i = 0; i < TENSORS; i++) {
        data[i] = numbers(i);
        OK(vkr_buffer_create(device, data[i], BYTES, &x[i], err));
    }
    /* more tuples than slots, so that slots are bound anew */
    for (uint32_t round = 0; round < 18; round++) {
        uint32_t i = round % TENSORS, j = round / TENSORS % TENSORS;
        check_sums(device, program, (vkr_buffer[]){x[i], x[j]}, out, data[i], data[j]);
    }
    vkr_device_info info;
    vkr_device_get_info(device, &info);
    host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(host, data[2], BYTES);
    vkr_error error = {0};
    if (vkr_buffer_import(device, host, BYTES, &imported, &error) != VKR_UNSUPPORTED) {
        CHECK(imported, "%s", error.message);
        check_sums(device, program, (vkr_buffer[]){x[0], imported}, out, data[0], data[2]);
        OK(vkr_buffer_free(device, imported, err));
    }
    for (uint32_t i = 0; i < TENSORS; i++) {
        OK(vkr_buffer_free(device, x[i], err));
        free(data[i]);
    }
    OK(vkr_buffer_free(device, out[0], err));
    if (copies)
        OK(vkr_buffer_free(device, out[1], err));
    OK(vkr_device_wait(device, err));
    munmap(host, BYTES);
    vkr_program_unload(program);
    free(bundle);
    free(whole);
}

/* Buffers until the budget is spent: an error with numbers, nothing lost, and all of it again
   after they are freed. */
static void test_budget(void)
{
    enum { BUDGET = 40 << 20, EACH = 1 << 20 };
    vkr_error error = {0};
    vkr_device *device = open_with(0, BUDGET, &error);
    vkr_buffer live[64] = {0};
    CHECK(device && counters(device).memory_budget == BUDGET, "%s", error.message);
    for (uint32_t round = 0; device && round < 3; round++) {
        uint32_t n = 0, bytes = round == 1 ? 3 * EACH : EACH;
        while (n < 64 && vkr_buffer_alloc(device, bytes, &live[n], &error) == VKR_OK)
            n++;
        vkr_counters c = counters(device);
        CHECK(n < 64 && error.status == VKR_OUT_OF_DEVICE_MEMORY &&
                  strstr(error.message, "41943040") && strstr(error.message, "memory_budget"),
              "%u buffers, then %s", n, error.message);
        CHECK(n * (uint64_t)bytes > BUDGET * 3 / 4, "only %u buffers of %u bytes fit", n, bytes);
        CHECK(c.memory_bytes <= BUDGET && c.memory_peak <= BUDGET &&
                  c.memory_bytes >= n * (uint64_t)bytes,
              "%llu bytes, at most %llu", (unsigned long long)c.memory_bytes,
              (unsigned long long)c.memory_peak);
        while (n--)
            OK(vkr_buffer_free(device, live[n], err));
    }
    if (device)
        FAILS(vkr_buffer_alloc(device, BUDGET + 1, &live[0], err), VKR_OUT_OF_DEVICE_MEMORY,
              "raise the option memory_budget");
    vkr_device_close(device);
}

/* What stages copies counts where it is in the heap of the device's memory, and only there. */
static void test_budget_of_staging(void)
{
    enum { RING = 16 << 20 };
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        vkr_error error = {0};
        vkr_device *device = open_with(0, 0, &error);
        vkr_buffer b = 0;
        float *data = numbers(7);
        CHECK(device && data, "%s", error.message);
        if (!device) {
            free(data);
            return;
        }
        struct memory_choice *memory = &device->gpu.memory_types;
        struct device_facts *facts = &device->gpu.facts;
        memory->is_mapped = false, memory->direct_write = memory->direct_read = 0;
        OK(vkr_buffer_alloc(device, BYTES, &b, err));
        uint64_t before = counters(device).memory_bytes;
        if (is_apart) { /* as if what is allocated now were in another heap */
            facts->memory.memoryTypes[VK_MAX_MEMORY_TYPES - 1].heapIndex = VK_MAX_MEMORY_HEAPS - 1;
            memory->device = VK_MAX_MEMORY_TYPES - 1;
            pthread_mutex_lock(&device->gpu.lock);
            device->gpu.counters.memory_budget = before; /* all of it is taken */
            pthread_mutex_unlock(&device->gpu.lock);
        }
        OK(vkr_buffer_write(device, b, 0, data, BYTES, err));
        uint64_t more = counters(device).memory_bytes - before;
        CHECK(is_apart ? more == 0 : more >= RING, "%d: %llu bytes", is_apart,
              (unsigned long long)more);
        OK(vkr_buffer_free(device, b, err));
        vkr_device_close(device);
        free(data);
    }
}

static void test_budget_of_environment(void)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"1000000", 1000000},
        {"64M", 64ull << 20},
        {"2g", 2ull << 30},
        {"3K", 3072},
        {"", 0},
        {"12x", 1},
        {"M", 1},
        {"0", 1},
        {"-1", 1},
        {"1MB", 1},
        {"99999999999G", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vkr_error error = {0};
        setenv("VKR_MEMORY_BUDGET", cases[i].text, 1);
        vkr_device *device = open_with(0, 0, &error);
        if (cases[i].bytes == 1) /* refused */
            CHECK(!device && error.status == VKR_INVALID_ARGUMENT && strstr(error.message, "512M"),
                  "%s: %s", cases[i].text, error.message);
        else
            CHECK(device && (cases[i].bytes ? counters(device).memory_budget == cases[i].bytes
                                            : counters(device).memory_budget > 1 << 20),
                  "%s: %s", cases[i].text, error.message);
        vkr_device_close(device);
    }
    setenv("VKR_MEMORY_BUDGET", "64M", 1);
    vkr_device *device = open_with(0, 32 << 20, NULL);
    CHECK(device && counters(device).memory_budget == 32 << 20,
          "the option goes before the environment");
    vkr_device_close(device);
    unsetenv("VKR_MEMORY_BUDGET");
}

/* A device of no more than a buffer. */
static void limit_buffers(struct vkr_device *device)
{
    device->gpu.facts.max_allocation = device->gpu.facts.max_buffer = 1 << 20;
}

/* What is exactly as large as a buffer may be is one, and no byte more. */
static void test_largest(void)
{
    enum { LARGEST = 1 << 20 };
    vkr_error error = {0};
    faults_before_open(limit_buffers);
    vkr_device *device = open_with(0, 0, &error);
    CHECK(device, "%s", error.message);
    for (uint32_t more = 0; device && more < 2; more++) {
        vkr_buffer buffer = 0;
        uint64_t before = counters(device).device_allocations;
        OK(vkr_buffer_alloc(device, LARGEST + more, &buffer, err));
        CHECK(counters(device).device_allocations == before + 1 + more,
              "%llu allocations for %u bytes",
              (unsigned long long)(counters(device).device_allocations - before), LARGEST + more);
    }
    vkr_device_close(device);
    faults_before_open(NULL);
}

/* Where the host does not see the memory, transfers take the memory that the README names, once. */
static void test_staging(void)
{
    enum { UPLOAD = 16 << 20, READBACK = 8 << 20, SLACK = 1 << 16 };
    vkr_error error = {0};
    vkr_device *device = open_with(0, 0, &error);
    vkr_buffer buffer = 0;
    uint8_t bytes[1000] = {0};
    CHECK(device, "%s", error.message);
    OK(vkr_buffer_alloc(device, sizeof bytes, &buffer, err));
    for (uint32_t round = 0; device && round < 2; round++) {
        uint64_t first = counters(device).memory_bytes;
        OK(vkr_buffer_write(device, buffer, 0, bytes, sizeof bytes, err));
        uint64_t written = counters(device).memory_bytes;
        OK(vkr_buffer_read(device, buffer, 0, bytes, sizeof bytes, err));
        uint64_t read = counters(device).memory_bytes;
        uint64_t upload = round ? 0 : UPLOAD, readback = round ? 0 : READBACK;
        uint64_t up = written - first, down = read - written;
        CHECK(up >= upload && up <= upload + SLACK, "%llu bytes for uploads",
              (unsigned long long)up);
        CHECK(down >= readback && down <= readback + SLACK, "%llu bytes for reads",
              (unsigned long long)down);
    }
    vkr_device_close(device);
}

int main(void)
{
    static const char *const modes[] = {"", "staged"}; /* memory that the host sees, and not */
    vkr_error error = {0};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        setenv("VKR_TEST_MODE", modes[i], 1);
        vkr_device_info info;
        vkr_device *device = open_with(MOST, 0, &error);
        if (!device)
            return harness_skip(error.message);
        vkr_device_get_info(device, &info);
        RUN(test_bytes(device));
        for (int copies = 0; copies < 2 && info.features & VKB_FEATURE_ADDRESSES; copies++)
            RUN(test_program(device, copies));
        CHECK(counters(device).live_buffers == 0 && counters(device).imported_bytes == 0,
              "all was freed");
        test_is_free(device);
        vkr_device_close(device);
    }
    RUN(test_budget());
    RUN(test_budget_of_staging());
    RUN(test_budget_of_environment());
    RUN(test_largest());
    RUN(test_staging());
    return harness_report();
}
