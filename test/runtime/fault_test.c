/* Every Vulkan call that can fail, and every host allocation of the runtime, fails in turn, once
   and for good. A call then answers with a status and a message; nothing crashes or leaks (the
   sanitizers see), and after a passing failure the device works as before. */
#include "../../runtime/vk.h"
#include "../watch/load.h"
#include "builder.h"
#include "device.h"
#include "faults.h"

struct bundles {
    void *add, *count, *blocks;
    size_t add_size, count_size, blocks_size;
};

static bool is_profiled;
static const char *failed_call; /* of the last session; NULL if the fault was never reached */

/* A session that uses about everything. *Returns* the first status that is not VKR_OK. */
static vkr_status session(const struct bundles *bundles, vkr_error *err)
{
    vkr_device_options options = {.pipeline_cache = "", .profile = is_profiled};
    vkr_device *device = NULL;
    vkr_program *add = NULL, *count = NULL, *blocks = NULL;
    vkr_buffer in[2] = {0}, words[2] = {0}, out = 0, result = 0, blocks_result = 0, stepped = 0,
               copy = 0, spare = 0;
    vkr_call *call = NULL;
    vkr_call_state state = VKR_CALL_AGAIN;
    static _Alignas(4096) float data[1024];
    float back[64];
    uint32_t zero = 0, three = 3, value = 0, ntimes;
    vkr_status status = vkr_device_open(&options, &device, err);
    if (!status)
        status = test_load(device, bundles->add, bundles->add_size, &add, err);
    if (!status)
        status = test_load(device, bundles->count, bundles->count_size, &count, err);
    if (!status)
        status = test_load(device, bundles->blocks, bundles->blocks_size, &blocks, err);
    if (!status)
        status = vkr_buffer_create(device, data, sizeof back, &in[0], err);
    if (!status)
        status = vkr_buffer_alloc(device, sizeof back, &spare, err);
    if (!status)
        status = vkr_buffer_import(device, data, sizeof back, &in[1], err);
    if (status == VKR_UNSUPPORTED)
        status = VKR_OK, in[1] = spare;
    if (!status)
        status = vkr_run(add, in, 2, &out, 1, NULL, err);
    if (!status)
        status = vkr_buffer_copy(device, out, &copy, err);
    if (!status)
        status = vkr_buffer_read(device, copy, 0, back, sizeof back, err);
    if (!status)
        status = vkr_buffer_create(device, &zero, 4, &words[0], err);
    if (!status)
        status = vkr_buffer_create(device, &three, 4, &words[1], err);
    if (!status)
        status = vkr_run(count, words, 2, &result, 1, NULL, err);
    if (!status)
        status = vkr_buffer_read(device, result, 0, &value, 4, err);
    if (!status && value != 3)
        status = VKR_INTERNAL, printf("the count is %u\n", value);
    if (!status)
        status = vkr_call_begin(count, words, 2, &stepped, 1, &call, err);
    while (!status && state == VKR_CALL_AGAIN)
        status = vkr_call_step(call, 1000000000, &state, err);
    if (!status)
        status = vkr_buffer_read(device, stepped, 0, &value, 4, err);
    if (!status && value != 3)
        status = VKR_INTERNAL, printf("the count in steps is %u\n", value);
    if (!status)
        status = vkr_run(blocks, words, 2, &blocks_result, 1, NULL, err);
    if (!status)
        status = vkr_buffer_read(device, blocks_result, 0, &value, 4, err);
    if (!status && value != 3)
        status = VKR_INTERNAL, printf("the count in blocks is %u\n", value);
    if (!status && is_profiled)
        status = vkr_program_times(add, NULL, 0, &ntimes, err);
    failed_call = faults_failed();
    faults_arm(0, false, 0); /* what follows may not need anything that can fail */
    vkr_call_end(call);
    vkr_program_unload(add);
    vkr_program_unload(count);
    vkr_program_unload(blocks);
    vkr_device_close(device);
    return status;
}

/* With VKR_DEBUG=sync an error names the kernel. */
static void test_lost_in_step(const struct bundles *bundles)
{
    vkr_device *device = NULL;
    vkr_program *program = NULL;
    vkr_buffer in[2] = {0}, out = 0;
    float data[64] = {0};
    setenv("VKR_DEBUG", "sync", 1);
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    unsetenv("VKR_DEBUG");
    OK(test_load(device, bundles->add, bundles->add_size, &program, err));
    OK(vkr_buffer_create(device, data, sizeof data, &in[0], err));
    OK(vkr_buffer_create(device, data, sizeof data, &in[1], err));
    OK(vkr_run(program, in, 2, &out, 1, NULL, err));
    faults_arm(1, false, VK_ERROR_DEVICE_LOST);
    FAILS(vkr_run(program, in, 2, &out, 1, NULL, err), VKR_DEVICE_LOST, "add of add (");
    vkr_program_unload(program);
    vkr_device_close(device);
}

/* A lost device answers so to every call, and can be closed and opened again. */
static void test_lost(const struct bundles *bundles)
{
    vkr_device *device = NULL;
    vkr_program *program = NULL, *other = NULL;
    vkr_buffer in[2] = {0}, out = 0, more = 0;
    float data[64] = {0};
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    OK(test_load(device, bundles->add, bundles->add_size, &program, err));
    OK(vkr_buffer_create(device, data, sizeof data, &in[0], err));
    OK(vkr_buffer_create(device, data, sizeof data, &in[1], err));
    OK(vkr_run(program, in, 2, &out, 1, NULL, err));
    OK(vkr_device_wait(device, err));
    faults_arm(1, false, VK_ERROR_DEVICE_LOST);
    FAILS(vkr_run(program, in, 2, &out, 1, NULL, err), VKR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST");
    FAILS(vkr_run(program, in, 2, &out, 1, NULL, err), VKR_DEVICE_LOST, "lost");
    FAILS(vkr_buffer_read(device, out, 0, data, sizeof data, err), VKR_DEVICE_LOST, "lost");
    FAILS(vkr_buffer_write(device, out, 0, data, 4, err), VKR_DEVICE_LOST, "lost");
    FAILS(vkr_buffer_alloc(device, 4, &more, err), VKR_DEVICE_LOST, "lost");
    FAILS(vkr_buffer_create(device, data, 4, &more, err), VKR_DEVICE_LOST, "lost");
    FAILS(vkr_device_wait(device, err), VKR_DEVICE_LOST, "lost");
    FAILS(test_load(device, bundles->add, bundles->add_size, &other, err), VKR_DEVICE_LOST, "lost");
    OK(vkr_buffer_free(device, out, err));
    vkr_program_unload(program);
    vkr_device_close(device);
}

/* Once a pipeline cannot be made, no other is begun: a thread meets one failure at most. */
static void test_first_pipeline(void)
{
    enum { KERNELS = 64, THREADS = 8 };
    static struct builder b;
    vkr_device *device = NULL;
    vkr_program *program = NULL;
    const char *failed = "";
    size_t size;
    builder_init(&b, "many");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE);
    for (uint32_t i = 0; i < KERNELS; i++)
        builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), 1, (const uint32_t[]){n, END});
    void *bundle = builder_finish(&b, &size);
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    for (uint64_t call = 1; !strstr(failed, "CreateShaderModule"); call++) {
        faults_arm(call, true, VK_ERROR_OUT_OF_HOST_MEMORY);
        FAILS(vkr_program_load(device, bundle, size, &program, err), VKR_OUT_OF_HOST_MEMORY, "");
        uint64_t after = faults_calls() - call + 1;
        failed = faults_failed() ? faults_failed() : "CreateShaderModule was never called";
        CHECK(after <= THREADS, "%s: %llu calls fail", failed, (unsigned long long)after);
    }
    faults_arm(0, false, 0);
    vkr_device_close(device);
    free(bundle);
}

/* A program of which every part is made when it is loaded as one from anywhere: shared memory,
   texels, group counts in memory, an arena and constants. */
static void *build_counted(size_t *out_size)
{
    static struct builder b;
    const uint32_t start[3] = {1, 1, 1};
    builder_init(&b, "counted");
    b.program.max_shared_bytes = 768;
    uint32_t x = builder_input(&b, "x", "u32", 5), y = builder_output(&b, "y", "u32", 8, VKB_NONE),
             z = builder_output(&b, "z", "u32", 1, VKB_NONE);
    uint32_t c = builder_constant(&b, start, sizeof start), counts = builder_arena(&b, 12);
    builder_copy(&b, c, counts, 12);
    uint32_t step =
        builder_dispatch(&b, builder_kernel(&b, K_XOR_TEXELS), 1, (const uint32_t[]){x, c, y, END});
    b.bindings[b.nbindings - 1].access = VKB_WRITE;
    b.steps[step].counts = counts;
    builder_dispatch(&b, builder_kernel(&b, K_LEAVE), 1, (const uint32_t[]){z, END});
    return builder_finish(&b, out_size);
}

/* Whether a load may do without this call. */
static bool is_spared(const char *call)
{
    return strstr(call, "PipelineCache") != NULL;
}

/* Each call of a load from outside fails in turn: the load then fails, and leaves nothing; and so
   does each call of its first run, or the run is as it would have been. */
static void test_outside(bool fails_in_run)
{
    static const int results[] = {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY};
    size_t size;
    void *bundle = build_counted(&size);
    vkr_device *device = NULL;
    uint32_t data[5] = {3, 4, 5, 6, 7}, ncalls = 0;
    vkr_buffer x = 0;
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    OK(vkr_buffer_create(device, data, sizeof data, &x, err));
    OK(vkr_device_wait(device, err));
    uint64_t held = test_held_bytes(device);
    for (uint64_t n = 1;; n++) {
        vkr_program *program = NULL;
        vkr_buffer out[2] = {0};
        vkr_error error = {0};
        uint32_t back[8] = {0};
        if (!fails_in_run)
            faults_arm(n, false, results[n % 2]);
        vkr_status status = vkr_program_load(device, bundle, size, &program, &error);
        if (fails_in_run)
            faults_arm(n, false, results[n % 2]);
        if (!status)
            status = vkr_run(program, &x, 1, out, 2, NULL, &error);
        const char *call = faults_failed();
        faults_arm(0, false, 0);
        CHECK(fails_in_run || !call || status || is_spared(call), "%s failed, and nobody cared",
              call);
        CHECK(!status || error.message[0], "call %llu: no message", (unsigned long long)n);
        if (!status) {
            OK(vkr_buffer_read(device, out[0], 0, back, sizeof back, err));
            CHECK(back[0] == (3 ^ 1) && back[3] == 6 && back[4] == (7 ^ 1) && back[5] == 1,
                  "call %llu (%s): wrong results", (unsigned long long)n, call ? call : "none");
        }
        for (int i = 0; i < 2; i++)
            CHECK(!status == (out[i] != 0) && (status || !vkr_buffer_free(device, out[i], NULL)),
                  "output %d", i);
        vkr_program_unload(program);
        OK(vkr_device_wait(device, err));
        CHECK(test_held_bytes(device) == held, "call %llu (%s): %llu bytes are still held",
              (unsigned long long)n, call ? call : "none",
              (unsigned long long)(test_held_bytes(device) - held));
        if (!call)
            break;
        ncalls++;
    }
    CHECK(ncalls > (fails_in_run ? 5u : 40u), "%u calls", ncalls);
    OK(vkr_buffer_free(device, x, err));
    test_is_free(device);
    vkr_device_close(device);
    free(bundle);
}

int main(void)
{
    vkr_error error = {0};
    struct bundles bundles;
    uint64_t sessions = 0, survived = 0;
    bundles.add = builder_add(64, &bundles.add_size);
    bundles.count = builder_count(&bundles.count_size);
    bundles.blocks = builder_count_blocks(2, &bundles.blocks_size);
    vkr_device *device = NULL;
    if (vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, &error)) {
        free(bundles.add);
        free(bundles.count);
        free(bundles.blocks);
        return harness_skip(error.message);
    }
    vkr_device_close(device);
    static const struct {
        bool all, is_profiled;
        int result;
    } ways[] = {
        {false, false, VK_ERROR_OUT_OF_HOST_MEMORY},   {true, true, VK_ERROR_OUT_OF_HOST_MEMORY},
        {false, false, VK_ERROR_OUT_OF_DEVICE_MEMORY}, {true, false, VK_ERROR_OUT_OF_DEVICE_MEMORY},
        {false, true, VK_ERROR_DEVICE_LOST},
    };
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        is_profiled = ways[way].is_profiled;
        for (uint64_t n = 1;; n++) {
            memset(&error, 0, sizeof error);
            faults_arm(n, ways[way].all, ways[way].result);
            vkr_status status = session(&bundles, &error);
            if (!failed_call) {
                CHECK(status == VKR_OK && n > 50, "the last session of way %zu: %s", way,
                      error.message);
                break;
            }
            sessions++;
            if (status == VKR_OK)
                survived++; /* fewer slots, no cache file, less asked for the second time */
            else
                CHECK(error.message[0] && error.status == status, "call %llu (%s): no message",
                      (unsigned long long)n, failed_call);
        }
    }
    RUN(test_lost(&bundles));
    RUN(test_lost_in_step(&bundles));
    RUN(test_first_pipeline());
    RUN(test_outside(false));
    RUN(test_outside(true));
    faults_arm(0, false, 0);
    CHECK(session(&bundles, &error) == VKR_OK, "all is well without faults: %s", error.message);
    printf("%llu failures, %llu of them survived\n", (unsigned long long)sessions,
           (unsigned long long)survived);
    free(bundles.add);
    free(bundles.count);
    free(bundles.blocks);
    return harness_report();
}
