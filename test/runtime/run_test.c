/* vkr_run: results, slots, warm-call costs, donation, bad calls, profiles. */
#include <time.h>

#include "../../runtime/vkr.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"
#include "faults.h"

enum { COUNT = 1000 };

static vkr_program *load(vkr_device *device, void *bundle, size_t size)
{
    vkr_program *program = NULL;
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    return program;
}

static vkr_buffer floats(vkr_device *device, uint32_t count, float first, float step)
{
    float *data = malloc((count + 1) * sizeof *data);
    vkr_buffer buffer = 0;
    if (!data)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        data[i] = first + step * (float)i;
    OK(vkr_buffer_create(device, data, count * sizeof *data, &buffer, err));
    free(data);
    return buffer;
}

static bool holds(vkr_device *device, vkr_buffer buffer, uint32_t count, float first, float step)
{
    float *data = calloc(count + 1, sizeof *data);
    bool same =
        data && vkr_buffer_read(device, buffer, 0, data, count * sizeof *data, NULL) == VKR_OK;
    for (uint32_t i = 0; same && i < count; i++)
        same = data[i] >= first + step * (float)i && data[i] <= first + step * (float)i;
    free(data);
    return same;
}

static void test_add(vkr_device *device)
{
    size_t size;
    void *bundle = builder_add(COUNT, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {floats(device, COUNT, 1, 1), floats(device, COUNT, 0.5f, 2)}, out[1] = {0};
    vkr_tensor_info info;
    OK(vkr_run(program, in, 2, out, 1, NULL, err));
    CHECK(holds(device, out[0], COUNT, 1.5f, 3), "sum");
    OK(vkr_program_output(program, 0, &info, err));
    CHECK(!strcmp(info.name, "sum") && !strcmp(info.type, "f32") && info.rank == 1 &&
              info.dims[0] == COUNT && info.alias == -1,
          "info");
    vkr_program_info about;
    vkr_program_get_info(program, &about);
    CHECK(!strcmp(about.name, "add") && about.kernels == 1 && about.dispatches == 1,
          "program info");
    size_t kept_size, again_size;
    const void *kept = vkr_program_bundle(program, &kept_size);
    void *again = builder_add(COUNT, &again_size);
    CHECK(kept_size == size && again_size == size && !memcmp(kept, again, size),
          "a program keeps its bundle");
    free(again);
    CHECK(!vkr_program_bundle(NULL, &kept_size) && !kept_size, "and NULL has none");
    vkr_program_unload(program);
    CHECK(holds(device, out[0], COUNT, 1.5f, 3), "outputs outlive the program");
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_free(device, in[i], err));
    OK(vkr_buffer_free(device, out[0], err));
}

static vkr_counters counters(vkr_device *device)
{
    vkr_counters c;
    vkr_device_counters(device, &c);
    return c;
}

/* What a program has for itself goes back when it is unloaded. */
static void test_memory_of_programs(vkr_device *device)
{
    vkr_counters first = {0}, last;
    for (int i = 0; i < 40; i++) {
        struct builder b;
        size_t size;
        builder_init(&b, "arena");
        builder_input(&b, "x", "f32", COUNT);
        uint32_t out = builder_output(&b, "x", "f32", COUNT, 0), arena = builder_arena(&b, 1 << 20);
        builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), COUNT / 64,
                         (const uint32_t[]){out, END});
        (void)arena;
        void *bundle = builder_finish(&b, &size);
        vkr_program_unload(load(device, bundle, size));
        last = counters(device);
        if (i == 0)
            first = last;
    }
    CHECK(last.memory_bytes == first.memory_bytes && last.programs == first.programs,
          "after 40 programs of a MiB %llu bytes more",
          (unsigned long long)(last.memory_bytes - first.memory_bytes));
}

static void test_warm_calls(vkr_device *device)
{
    size_t size;
    void *bundle = builder_add(COUNT, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {floats(device, COUNT, 1, 1), floats(device, COUNT, 2, 1)}, out[1] = {0};
    OK(vkr_run(program, in, 2, out, 1, NULL, err));
    vkr_counters before = counters(device);
    uint64_t allocations = faults_allocations();
    for (int i = 0; i < 100; i++)
        OK(vkr_run(program, in, 2, out, 1, NULL, err));
    OK(vkr_device_wait(device, err));
    CHECK(faults_allocations() == allocations, "%llu host allocations",
          (unsigned long long)(faults_allocations() - allocations));
    vkr_counters after = counters(device);
    CHECK(after.submits - before.submits == 100, "%llu submits",
          (unsigned long long)(after.submits - before.submits));
    CHECK(after.dispatches - before.dispatches == 100, "dispatches");
    CHECK(after.recordings == before.recordings, "recordings");
    CHECK(after.device_allocations == before.device_allocations, "device allocations");
    CHECK(after.descriptor_allocations == before.descriptor_allocations, "descriptor allocations");
    CHECK(after.descriptor_updates == before.descriptor_updates, "descriptor updates");

    /* Fresh outputs freed each time come from the pool, and find their slots again. */
    before = after;
    for (int i = 0; i < 20000; i++) {
        vkr_buffer fresh = 0;
        vkr_status status = vkr_run(program, in, 2, &fresh, 1, NULL, NULL);
        if (!status)
            status = vkr_buffer_free(device, fresh, NULL);
        if (status)
            CHECK(false, "call %d: %s", i, vkr_status_name(status));
    }
    OK(vkr_device_wait(device, err));
    after = counters(device);
    CHECK(after.pool_bytes == before.pool_bytes && after.live_buffers == before.live_buffers,
          "memory is flat");
    CHECK(after.device_allocations == before.device_allocations, "device allocations");
    CHECK(faults_allocations() - allocations < 200, "%llu host allocations",
          (unsigned long long)(faults_allocations() - allocations));
    CHECK(after.recordings - before.recordings < 8, "%llu recordings",
          (unsigned long long)(after.recordings - before.recordings));
    CHECK(holds(device, out[0], COUNT, 3, 2), "sum");
    vkr_program_unload(program);
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_free(device, in[i], err));
    OK(vkr_buffer_free(device, out[0], err));
}

/* More tuples than slots: results stay right while slots are bound anew. The first run of a tuple
   writes the descriptors of the one kernel, all buffers, at once. */
static void test_slots(vkr_device *device)
{
    enum { TUPLES = 20 };
    size_t size;
    void *bundle = builder_add(COUNT, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[TUPLES][2], out[TUPLES] = {0};
    for (int t = 0; t < TUPLES; t++) {
        in[t][0] = floats(device, COUNT, (float)t, 1);
        in[t][1] = floats(device, COUNT, (float)(10 * t), 0);
    }
    uint64_t updates = counters(device).descriptor_updates;
    for (int t = 0; t < TUPLES; t++)
        OK(vkr_run(program, in[t], 2, &out[t], 1, NULL, err));
    updates = counters(device).descriptor_updates - updates;
    CHECK(updates == TUPLES, "%llu updates of descriptors", (unsigned long long)updates);
    for (int round = 0; round < 4; round++)
        for (int t = 0; t < TUPLES; t++)
            OK(vkr_run(program, in[t], 2, &out[t], 1, NULL, err));
    for (int t = 0; t < TUPLES; t++)
        CHECK(holds(device, out[t], COUNT, (float)(11 * t), 1), "tuple %d", t);
    for (int t = 0; t < TUPLES; t++) {
        OK(vkr_buffer_free(device, in[t][0], err));
        OK(vkr_buffer_free(device, in[t][1], err));
        OK(vkr_buffer_free(device, out[t], err));
    }
    vkr_program_unload(program);
}

static void test_donation(vkr_device *device)
{
    size_t size;
    void *bundle = builder_accumulate(COUNT, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {floats(device, COUNT, 0, 0), floats(device, COUNT, 1, 1)}, out[1] = {0},
               other = floats(device, COUNT, 0, 0);
    for (int i = 0; i < 10; i++) {
        out[0] = 0;
        OK(vkr_run(program, in, 2, out, 1, NULL, err));
        CHECK(out[0] == in[0], "the handle is taken over");
    }
    OK(vkr_run(program, in, 2, out, 1, NULL, err)); /* naming the donated input is allowed */
    CHECK(holds(device, out[0], COUNT, 11, 11), "eleven times");
    out[0] = other;
    FAILS(vkr_run(program, in, 2, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "takes over");
    vkr_buffer twice[2] = {in[0], in[0]};
    out[0] = 0;
    FAILS(vkr_run(program, twice, 2, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "donated");
    CHECK(out[0] == 0, "no output of a failed run");
    vkr_program_unload(program);
    OK(vkr_buffer_free(device, in[0], err));
    OK(vkr_buffer_free(device, in[1], err));
    OK(vkr_buffer_free(device, other, err));
}

static void test_bad_calls(vkr_device *device)
{
    size_t size;
    void *bundle = builder_add(COUNT, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {floats(device, COUNT, 0, 0), floats(device, COUNT, 1, 1)}, out[1] = {0},
               small = floats(device, 10, 0, 0);
    vkr_buffer one[2] = {in[0], 0}, wrong[2] = {in[0], small};
    FAILS(vkr_run(NULL, in, 2, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "NULL");
    FAILS(vkr_run(program, in, 1, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "2 inputs");
    FAILS(vkr_run(program, in, 3, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "3 and 1 were given");
    FAILS(vkr_run(program, in, 2, out, 0, NULL, err), VKR_INVALID_ARGUMENT, "2 and 0 were given");
    FAILS(vkr_run(program, in, 2, out, 2, NULL, err), VKR_INVALID_ARGUMENT, "1 outputs");
    FAILS(vkr_run(program, NULL, 2, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "NULL");
    FAILS(vkr_run(program, in, 2, NULL, 1, NULL, err), VKR_INVALID_ARGUMENT, "NULL");
    FAILS(vkr_run(program, one, 2, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "missing");
    FAILS(vkr_run(program, wrong, 2, out, 1, NULL, err), VKR_SIZE_MISMATCH, "4000 bytes");
    out[0] = small;
    FAILS(vkr_run(program, in, 2, out, 1, NULL, err), VKR_SIZE_MISMATCH, "output 0");
    out[0] = in[1];
    FAILS(vkr_run(program, in, 2, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "bound to an output");
    OK(vkr_buffer_free(device, small, err));
    wrong[1] = small;
    FAILS(vkr_run(program, wrong, 2, out, 1, NULL, err), VKR_INVALID_HANDLE, "stale");
    FAILS(vkr_program_times(program, NULL, 0, &(uint32_t){0}, err), VKR_INVALID_ARGUMENT,
          "profile");
    vkr_program_unload(program);
    OK(vkr_buffer_free(device, in[0], err));
    OK(vkr_buffer_free(device, in[1], err));

    vkr_program *none = NULL;
    FAILS(vkr_program_load(device, "no bundle", 9, &none, err), VKR_INVALID_BUNDLE, "header");
    FAILS(vkr_program_load(device, "", 0, &none, err), VKR_INVALID_BUNDLE, "header");
    bundle = builder_add(COUNT, &size);
    ((struct vkb_program *)((char *)bundle +
                            ((struct vkb_header *)bundle)->section[VKB_SECTION_PROGRAM].offset))
        ->max_shared_bytes = 1 << 30;
    builder_sign(bundle, size);
    FAILS(test_load(device, bundle, size, &none, err), VKR_UNSUPPORTED, "shared bytes");
    free(bundle);
}

/* Constants, arena, copies and several steps: out = ((a + c) copied) + a, with a constant c. */
static void test_chain(vkr_device *device)
{
    static struct builder b;
    float constant[64];
    size_t size;
    for (int i = 0; i < 64; i++)
        constant[i] = (float)(100 * i);
    builder_init(&b, "chain");
    uint32_t a = builder_input(&b, "a", "f32", 64),
             out = builder_output(&b, "", "f32", 64, VKB_NONE);
    uint32_t same = builder_output(&b, "", "f32", 64, VKB_NONE);
    uint32_t c = builder_constant(&b, constant, sizeof constant), t = builder_arena(&b, 256),
             u = builder_arena(&b, 256);
    uint32_t add = builder_kernel(&b, K_ADD);
    builder_dispatch(&b, add, 1, (const uint32_t[]){a, c, t, END});
    builder_copy(&b, t, u, 256);
    builder_dispatch(&b, add, 1, (const uint32_t[]){a, u, out, END});
    builder_copy(&b, a, same, 256);
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = load(device, bundle, size);
    for (int round = 0; round < 12; round++) {
        vkr_buffer in = floats(device, 64, (float)round, 1), outs[2] = {0};
        OK(vkr_run(program, &in, 1, outs, 2, NULL, err));
        CHECK(holds(device, outs[0], 64, (float)(2 * round), 102), "round %d", round);
        CHECK(holds(device, outs[1], 64, (float)round, 1), "copy in round %d", round);
        OK(vkr_buffer_free(device, outs[0], err));
        OK(vkr_buffer_free(device, outs[1], err));
        OK(vkr_buffer_free(device, in, err));
    }
    vkr_program_unload(program);
}

/* More tuples than slots of a program that copies tensors: what is recorded names them, and is
   recorded anew. */
static void test_copied_tensors(vkr_device *device)
{
    static struct builder b;
    enum { TUPLES = 20 };
    size_t size;
    builder_init(&b, "copy");
    uint32_t a = builder_input(&b, "a", "f32", 64),
             same = builder_output(&b, "", "f32", 64, VKB_NONE);
    builder_copy(&b, a, same, 256);
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[TUPLES], out[TUPLES] = {0};
    for (int t = 0; t < TUPLES; t++) {
        in[t] = floats(device, 64, (float)t, 1);
        OK(vkr_run(program, &in[t], 1, &out[t], 1, NULL, err));
    }
    for (int t = 0; t < TUPLES; t++) {
        CHECK(holds(device, out[t], 64, (float)t, 1), "tuple %d", t);
        OK(vkr_buffer_free(device, in[t], err));
        OK(vkr_buffer_free(device, out[t], err));
    }
    vkr_program_unload(program);
}

/* A slot whose recording named memory that has been given back since is recorded anew, also
   where only its descriptors would have to change. Each tensor has a block of its own. */
static void test_destroyed_blocks(vkr_device *device)
{
    static struct builder b;
    enum { SLOTS = 8, COUNT_OF_BLOCK = 5 << 20 };
    uint32_t pair[2] = {3, 4};
    size_t size;
    builder_init(&b, "large");
    uint32_t out = builder_output(&b, "", "u32", COUNT_OF_BLOCK, VKB_NONE);
    uint32_t x = builder_constant(&b, &pair[0], 4), y = builder_constant(&b, &pair[1], 4);
    builder_dispatch(&b, builder_kernel(&b, K_LESS), 1, (const uint32_t[]){x, y, out, END});
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer outs[SLOTS] = {0};
    uint32_t found = 0;
    for (int t = 0; t < SLOTS; t++)
        OK(vkr_run(program, NULL, 0, &outs[t], 1, NULL, err));
    OK(vkr_device_wait(device, err));
    vkr_counters before = counters(device);
    for (int t = 0; t < SLOTS; t++) {
        OK(vkr_buffer_free(device, outs[t], err));
        outs[t] = 0;
    }
    CHECK(counters(device).pool_bytes < before.pool_bytes, "memory is given back");
    /* the first may get memory that was kept; the others get new blocks */
    for (int t = 0; t < SLOTS; t++) {
        OK(vkr_run(program, NULL, 0, &outs[t], 1, NULL, err));
        OK(vkr_buffer_read(device, outs[t], 0, &found, 4, err));
        CHECK(found == 1, "run %d", t);
    }
    uint64_t anew = counters(device).recordings - before.recordings;
    CHECK(anew >= SLOTS - 1, "%llu recordings are made anew", (unsigned long long)anew);
    for (int t = 0; t < SLOTS; t++)
        OK(vkr_buffer_free(device, outs[t], err));
    vkr_program_unload(program);
}

/* Which buffers may be bound twice: an input that is not used may be anything. */
static void test_bound_twice(vkr_device *device)
{
    static struct builder b;
    size_t size;
    builder_init(&b, "twice");
    uint32_t x = builder_input(&b, "x", "f32", 64);
    builder_input(&b, "unused", "f32", 64);
    b.tensors[1].used = 0;
    uint32_t y = builder_output(&b, "y", "f32", 64, VKB_NONE),
             z = builder_output(&b, "z", "f32", 64, VKB_NONE);
    builder_copy(&b, x, y, 256);
    builder_copy(&b, x, z, 256);
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {floats(device, 64, 0, 1), floats(device, 64, 0, 0)},
               out[2] = {in[1], in[1]};
    FAILS(vkr_run(program, in, 2, out, 2, NULL, err), VKR_INVALID_ARGUMENT,
          "output 1: its buffer is bound to another output");
    out[1] = 0;
    OK(vkr_run(program, in, 2, out, 2, NULL, err));
    CHECK(out[0] == in[1] && holds(device, out[0], 64, 0, 1) && holds(device, out[1], 64, 0, 1),
          "both outputs");
    out[0] = in[0];
    FAILS(vkr_run(program, in, 2, out, 2, NULL, err), VKR_INVALID_ARGUMENT,
          "input 0: its buffer is also bound to an output");
    FAILS(vkr_run(program, in, 1, out, 2, NULL, err), VKR_INVALID_ARGUMENT, "1 and 2 were given");
    FAILS(vkr_run(program, in, 2, out, 1, NULL, err), VKR_INVALID_ARGUMENT, "2 and 1 were given");
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_free(device, in[i], err));
    OK(vkr_buffer_free(device, out[1], err));
    vkr_program_unload(program);
}

static void test_empty_program(vkr_device *device)
{
    static struct builder b;
    size_t size;
    builder_init(&b, "nothing");
    builder_input(&b, "unused", "f32", 4);
    b.tensors[0].used = 0;
    void *bundle = builder_finish(&b, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in = 0;
    OK(vkr_run(program, &in, 1, NULL, 0, NULL, err));
    vkr_program_unload(program);
}

static void test_profile(void)
{
    vkr_error error = {0};
    size_t size;
    vkr_device *device = test_device(true, &error);
    if (!device)
        return;
    void *bundle = builder_add(1 << 20, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {floats(device, 1 << 20, 1, 0), floats(device, 1 << 20, 2, 0)}, out[1] = {0};
    vkr_kernel_time times[4];
    uint32_t count = 0;
    for (int i = 0; i < 5; i++)
        OK(vkr_run(program, in, 2, out, 1, NULL, err));
    OK(vkr_program_times(program, times, 4, &count, err));
    CHECK(count == 1 && times[0].runs == 5 && times[0].seconds > 0 && times[0].bytes == 12u << 20 &&
              !strcmp(times[0].name, "add"),
          "%u kernels, %g s", count, times[0].seconds);
    vkr_program_unload(program);
    vkr_device_close(device); /* with live buffers */
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure_loop(vkr_device *device)
{
    enum { TRIPS = 1000 };
    size_t size;
    uint32_t zero = 0, trips = TRIPS;
    void *bundle = builder_count(&size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {0}, out[1] = {0};
    OK(vkr_buffer_create(device, &zero, 4, &in[0], err));
    OK(vkr_buffer_create(device, &trips, 4, &in[1], err));
    OK(vkr_run(program, in, 2, out, 1, NULL, err));
    double start = now();
    OK(vkr_run(program, in, 2, out, 1, NULL, err));
    printf("host-steered loop: %.2f us an iteration\n", (now() - start) / TRIPS * 1e6);
    vkr_program_unload(program);
}

static void measure_bytes(vkr_device *device)
{
    const uint64_t bytes = 256u << 20;
    void *data = calloc(1, bytes);
    vkr_buffer b = 0;
    if (!data || vkr_buffer_create(device, data, bytes, &b, NULL)) {
        free(data);
        return;
    }
    memset(data, 1, bytes);
    double start = now();
    OK(vkr_buffer_upload_into(device, b, data, bytes, err));
    OK(vkr_buffer_wait(device, b, err));
    double middle = now();
    OK(vkr_buffer_read(device, b, 0, data, bytes, err));
    printf("upload %.1f GB/s, download %.1f GB/s\n", (double)bytes / (middle - start) * 1e-9,
           (double)bytes / (now() - middle) * 1e-9);
    OK(vkr_buffer_free(device, b, err));
    free(data);
}

/* For the reader: not checked, since machines differ. */
static void measure(void)
{
    vkr_device_options options = {.pipeline_cache = ""};
    vkr_device *device = NULL;
    size_t size;
    if (vkr_device_open(&options, &device, NULL))
        return;
    void *bundle = builder_add(64, &size);
    vkr_program *program = load(device, bundle, size);
    vkr_buffer in[2] = {floats(device, 64, 1, 0), floats(device, 64, 2, 0)}, out[1] = {0};
    OK(vkr_run(program, in, 2, out, 1, NULL, err));
    OK(vkr_device_wait(device, err));
    double submit = 0, start = now();
    for (int i = 0; i < 2000; i++) {
        double before = now();
        vkr_run(program, in, 2, out, 1, NULL, NULL);
        submit += now() - before;
        vkr_buffer_wait(device, out[0], NULL);
    }
    printf("warm call: %.2f us in vkr_run, %.2f us with its wait\n", submit / 2000 * 1e6,
           (now() - start) / 2000 * 1e6);
    start = now();
    for (int i = 0; i < 2000; i++)
        vkr_run(program, in, 2, out, 1, NULL, NULL);
    vkr_device_wait(device, NULL);
    printf("pipelined: %.2f us\n", (now() - start) / 2000 * 1e6);
    vkr_program_unload(program);
    measure_loop(device);
    measure_bytes(device);
    vkr_device_close(device);
}

int main(void)
{
    vkr_error error = {0};
    vkr_device *device = test_device(false, &error);
    if (!device)
        return harness_skip(error.message);
    RUN(test_add(device));
    RUN(test_memory_of_programs(device));
    RUN(test_warm_calls(device));
    RUN(test_slots(device));
    RUN(test_donation(device));
    RUN(test_bad_calls(device));
    RUN(test_chain(device));
    RUN(test_copied_tensors(device));
    RUN(test_destroyed_blocks(device));
    RUN(test_bound_twice(device));
    RUN(test_empty_program(device));
    CHECK(counters(device).live_buffers == 0 && counters(device).programs == 0 &&
              counters(device).pipelines == 0,
          "all was freed");
    test_is_free(device);
    vkr_device_close(device);
    RUN(test_profile());
    if (!getenv("VKR_TEST_MODE"))
        measure();
    return harness_report();
}
