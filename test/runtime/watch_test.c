/* The watch and the guards themselves: each of the faults that they are for, made on purpose, is
   noticed, and the same without the fault is not. */
#include "../../runtime/slot.h"
#include "../watch/guard.h"
#include "../watch/hazard.h"
#include "../watch/load.h"
#include "../watch/map.h"
#include "../watch/modes.h"
#include "../watch/spirv_access.h"
#include "builder.h"
#include "device.h"

/* ---- pure parts ---- */

static const struct hazard_barrier all = {STAGE_DEVICE, USE_WRITES, STAGE_DEVICE, USE_DEVICE};
enum { WORK = STAGE_SHADER | STAGE_TRANSFER };
static const struct hazard_barrier no_counts = {WORK, USE_WRITES, WORK,
                                                USE_DEVICE & ~(uint32_t)USE_INDIRECT_READ};
static const struct hazard_barrier execution = {STAGE_DEVICE, 0, STAGE_DEVICE, 0};
static const struct hazard_barrier shaders = {STAGE_SHADER, USE_SHADER_WRITE, STAGE_SHADER,
                                              USE_SHADER_READ | USE_SHADER_WRITE};
static const struct hazard_barrier to_copies = {STAGE_SHADER, USE_SHADER_WRITE, STAGE_TRANSFER,
                                                USE_TRANSFER_READ};
static const struct hazard_barrier from_copies = {STAGE_TRANSFER, 0, STAGE_SHADER, USE_SHADER_READ};

/* An access to bytes 100..200, up to two barriers, and another access. */
static void test_hazards(void)
{
    static const struct {
        const char *what;
        uint32_t before, after;
        const struct hazard_barrier *barriers[2];
        uint64_t first, end;
        bool ok;
    } rows[] = {
        {"two reads", USE_SHADER_READ, USE_SHADER_READ, {0}, 100, 200, true},
        {"read after write", USE_SHADER_WRITE, USE_SHADER_READ, {0}, 100, 200, false},
        {"write after read", USE_SHADER_READ, USE_SHADER_WRITE, {0}, 100, 200, false},
        {"write after write", USE_SHADER_WRITE, USE_SHADER_WRITE, {0}, 100, 200, false},
        {"the last byte", USE_SHADER_WRITE, USE_SHADER_READ, {0}, 199, 300, false},
        {"the byte behind", USE_SHADER_WRITE, USE_SHADER_READ, {0}, 200, 300, true},
        {"the first byte", USE_SHADER_WRITE, USE_SHADER_READ, {0}, 0, 101, false},
        {"the byte before", USE_SHADER_WRITE, USE_SHADER_READ, {0}, 0, 100, true},
        {"a barrier", USE_SHADER_WRITE, USE_SHADER_READ, {&all}, 100, 200, true},
        {"a barrier, then a write", USE_SHADER_READ, USE_SHADER_WRITE, {&all}, 100, 200, true},
        {"without availability", USE_SHADER_WRITE, USE_SHADER_READ, {&execution}, 100, 200, false},
        {"which a write after a read does not need",
         USE_SHADER_READ,
         USE_TRANSFER_WRITE,
         {&execution},
         100,
         200,
         true},
        {"of another stage", USE_TRANSFER_WRITE, USE_SHADER_READ, {&shaders}, 100, 200, false},
        {"for another stage", USE_SHADER_WRITE, USE_TRANSFER_READ, {&shaders}, 100, 200, false},
        {"group counts, left out",
         USE_SHADER_WRITE,
         USE_INDIRECT_READ,
         {&no_counts},
         100,
         200,
         false},
        {"group counts, read before",
         USE_INDIRECT_READ,
         USE_SHADER_WRITE,
         {&no_counts},
         100,
         200,
         false},
        {"group counts", USE_SHADER_WRITE, USE_INDIRECT_READ, {&all}, 100, 200, true},
        {"a chain", USE_SHADER_WRITE, USE_SHADER_READ, {&to_copies, &from_copies}, 100, 200, true},
        {"a broken chain",
         USE_SHADER_WRITE,
         USE_SHADER_READ,
         {&from_copies, &to_copies},
         100,
         200,
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hazards h = {0};
        struct hazard_access found,
            a = {.memory = 1, .first = 100, .end = 200, .use = rows[i].before, .command = 1};
        CHECK(hazards_access(&h, a, &found), "the first access of %s", rows[i].what);
        for (int k = 0; k < 2; k++)
            if (rows[i].barriers[k])
                hazards_barrier(&h, rows[i].barriers[k]);
        a = (struct hazard_access){.memory = 2,
                                   .first = rows[i].first,
                                   .end = rows[i].end,
                                   .use = rows[i].after,
                                   .command = 2};
        CHECK(hazards_access(&h, a, &found), "%s in other memory", rows[i].what);
        a.memory = 1;
        CHECK(hazards_access(&h, a, &found) == rows[i].ok, "%s", rows[i].what);
        hazards_finish(&h);
        a = (struct hazard_access){
            .memory = 1, .first = 100, .end = 200, .use = rows[i].before, .command = 1};
        hazards_access(&h, a, &found);
        a.use = rows[i].after;
        CHECK(hazards_access(&h, a, &found), "%s in one command", rows[i].what);
        hazards_finish(&h);
    }
}

/* What settles is forgotten; what the host could see, and does not, is named once. */
static void test_settling(void)
{
    struct hazards h = {0};
    struct hazard_access found, a = {.memory = 1, .end = 4, .use = USE_SHADER_WRITE};
    for (uint32_t i = 0; i < 1000; i++) {
        a.command = i;
        CHECK(hazards_access(&h, a, &found), "round %u", i);
        hazards_barrier(&h, &all);
    }
    CHECK(h.count == 0, "%zu accesses are remembered", h.count);
    /* the stage that reads group counts writes nothing: reads need no barrier before it */
    a.use = USE_SHADER_READ;
    for (uint32_t i = 0; i < 1000; i++) {
        a.command++;
        CHECK(hazards_access(&h, a, &found), "reading round %u", i);
        hazards_barrier(&h, &no_counts);
    }
    CHECK(h.count == 0, "%zu reads are remembered", h.count);
    a.command++;
    hazards_access(&h, a, &found);
    hazards_barrier(&h, &shaders);
    CHECK(h.count == 1, "a read that a copy may still collide with is remembered");
    hazards_forget(&h, 1);
    a.use = USE_SHADER_WRITE;
    a.is_mapped = true;
    hazards_access(&h, a, &found);
    hazards_barrier(&h, &all);
    CHECK(hazards_unseen(&h, &found) && found.end == 4, "a write that the host does not see");
    CHECK(!hazards_unseen(&h, &found), "named once");
    a.command++;
    hazards_access(&h, a, &found);
    hazards_barrier(
        &h, &(struct hazard_barrier){STAGE_SHADER, USE_SHADER_WRITE, STAGE_HOST, USE_HOST_READ});
    CHECK(!hazards_unseen(&h, &found), "one that it sees");
    hazards_forget(&h, 1);
    CHECK(h.count == 0, "what is gone is forgotten");
    hazards_finish(&h);
}

/* Against an array. */
static void test_map(void)
{
    enum { KEYS = 300, ROUNDS = 20000 };
    static int values[KEYS];
    bool there[KEYS] = {false};
    struct map map = {0};
    uint32_t state = 1, wrong = 0;
    size_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        state = state * 1664525 + 1013904223;
        uint32_t i = state >> 16 & 255, key = 256 * i;
        wrong += map_get(&map, key) != (there[i] ? &values[i] : NULL);
        if (state >> 30 & 1) {
            map_put(&map, key, &values[i]);
            count += !there[i];
        } else {
            wrong += map_take(&map, key) != (there[i] ? &values[i] : NULL);
            count -= there[i];
        }
        there[i] = state >> 30 & 1;
        wrong += map.count != count;
    }
    CHECK(!wrong, "%u wrong answers", wrong);
    free(map.entries);
}

static void test_access(void)
{
    static const struct {
        enum builder_kernel kernel;
        uint32_t nbindings;
        uint8_t uses[3];
        bool has_length;
    } rows[] = {
        {K_ADD, 3, {SPIRV_READS, SPIRV_READS, SPIRV_WRITES}, true},
        {K_ACCUMULATE, 2, {SPIRV_READS | SPIRV_WRITES, SPIRV_READS}, true},
        {K_LESS, 3, {SPIRV_READS, SPIRV_READS, SPIRV_WRITES}, false},
        {K_STRAY, 2, {SPIRV_WRITES, SPIRV_READS}, false},
    };
    static struct builder b;
    static struct spirv_access access;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        builder_init(&b, "access");
        const struct vkb_body *k = &b.bodies[builder_kernel(&b, rows[i].kernel)];
        CHECK(spirv_access_read(b.spirv, k->spirv_count, &access), "kernel %zu is read", i);
        CHECK(access.nbindings == rows[i].nbindings, "kernel %zu: %u bindings", i,
              access.nbindings);
        CHECK(access.has_length == rows[i].has_length, "kernel %zu: lengths", i);
        CHECK(!memcmp(access.uses, rows[i].uses, sizeof rows[i].uses), "kernel %zu: %u %u %u", i,
              access.uses[0], access.uses[1], access.uses[2]);
        b.spirv[5] |= 0x7fff0000;
        CHECK(!spirv_access_read(b.spirv, k->spirv_count, &access), "kernel %zu, damaged", i);
    }
}

/* ---- programs with a barrier too few ---- */

static struct builder b;
static const uint32_t on[4] = {1, 1, 1, 1};

static vkr_program *finish(vkr_device *device)
{
    vkr_program *program = NULL;
    size_t size;
    void *bundle = builder_finish(&b, &size);
    OK(test_load(device, bundle, size, &program, err));
    free(bundle);
    return program;
}

/* *Returns* what the watch says of two runs, without inputs. */
static uint32_t found_in(vkr_device *device, const char *what, const char *text)
{
    vkr_program *program = finish(device);
    vkr_buffer out[2] = {0};
    const char *last;
    watch_expect(true);
    for (int run = 0; run < 2; run++)
        OK(vkr_run(program, NULL, 0, out, b.program.noutputs, NULL, err));
    OK(vkr_device_wait(device, err));
    watch_expect(false);
    uint32_t count = watch_expected(&last);
    CHECK(!text || strstr(last, text), "%s: \"%s\"", what, last);
    for (uint32_t i = 0; i < b.program.noutputs; i++)
        OK(vkr_buffer_free(device, out[i], err));
    vkr_program_unload(program);
    return count;
}

/* Steps that touch what others touched, each of whose barriers is left out in turn. */
static void build_steps(uint32_t without)
{
    builder_init(&b, "steps");
    uint32_t n = builder_output(&b, "n", "u32", 4, VKB_NONE), c = builder_constant(&b, on, 16);
    uint32_t t = builder_arena(&b, 16), words = builder_arena(&b, 16);
    uint32_t increment = builder_kernel(&b, K_INCREMENT), less = builder_kernel(&b, K_LESS);
    builder_copy(&b, c, t, 16);
    b.steps[0].barrier = 0;
    builder_copy(&b, c, words, 16);
    b.steps[1].barrier = 0;                                         /* apart from step 0 */
    builder_dispatch(&b, increment, 1, (const uint32_t[]){t, END}); /* 2 writes what 0 wrote */
    builder_copy(&b, t, n, 16);                                     /* 3 reads what 2 wrote */
    /* 4 reads what 3 wrote, writes what it read */
    builder_dispatch(&b, less, 1, (const uint32_t[]){c, n, t, END});
    builder_copy(&b, n, words, 16); /* 5 writes what 1 wrote, long ago */
    /* 6 writes what 5 read */
    uint32_t counted = builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
    b.steps[counted].counts = words;
    b.steps[counted].counts_at = 1;
    builder_copy(&b, c, words, 16); /* 7 writes the counts that 6 read */
    if (without < b.nsteps)
        b.steps[without].barrier = 0;
}

static void test_steps(vkr_device *device)
{
    static const char *const said[] = {
        NULL,         NULL, "a kernel's write", "a copy's read",
        "a kernel's", NULL, "a kernel's",       "group counts",
    };
    build_steps(UINT32_MAX);
    CHECK(found_in(device, "all barriers", NULL) == 0, "nothing is found where nothing is missing");
    for (uint32_t i = 2; i < 8; i++) {
        build_steps(i);
        uint32_t count = found_in(device, b.strings, said[i]);
        CHECK(i == 5 ? count == 0 : count > 0, "step %u without its barrier: %u findings", i,
              count);
    }
}

/* Rounds of one step, which has no barrier in the plan: the runtime's stands between them. */
static void build_rounds(uint32_t times)
{
    builder_init(&b, "rounds");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE), c = builder_constant(&b, on, 4);
    uint32_t increment = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, c, n, 4);
    uint32_t loop = builder_repeat(&b, times, VKB_NONE);
    b.program.main_count = 2;
    b.steps[loop].range_first[0] = builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
    b.steps[loop].range_count[0] = 1;
}

static void test_rounds(vkr_device *device)
{
    build_rounds(5);
    b.steps[2].barrier = 0;
    CHECK(found_in(device, "rounds", "a kernel's") == 4,
          "the first of 5 rounds reads and writes too early, in 2 runs");
    for (uint32_t times = 2; times < 2000; times *= 30) {
        build_rounds(times);
        CHECK(found_in(device, "rounds", NULL) == 0, "%u rounds with barriers", times);
    }
}

/* ---- push constants ---- */

/* Of a layout that has none, and of a kernel whose words are not pushed. */
static void test_pushed(vkr_device *device)
{
    static const char *const said[] = {"", "8 bytes of push constants, where the layout has 0",
                                       "reads 8 bytes of push constants, of which 0 are pushed"};
    for (uint32_t fault = 0; fault < 3; fault++) {
        vkr_buffer out[2] = {0};
        const char *last;
        builder_init(&b, "line");
        uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE),
                 line = builder_output(&b, "line", "u32", 9, VKB_NONE),
                 other = builder_kernel(&b, K_INCREMENT), kernel = builder_kernel(&b, K_LINE);
        builder_dispatch(&b, other, 1, (const uint32_t[]){n, END});
        builder_push(&b, builder_dispatch(&b, kernel, 1, (const uint32_t[]){line, END}), on);
        b.bindings[b.nbindings - 1].access = VKB_WRITE;
        vkr_program *program = finish(device);
        if (fault == 1)
            program->layout_of[kernel] = program->layout_of[other];
        if (fault == 2)
            ((struct vkb_kernel *)program->bundle.kernels)[kernel].npushed = 0;
        watch_expect(true);
        OK(vkr_run(program, NULL, 0, out, 2, NULL, err));
        OK(vkr_device_wait(device, err));
        watch_expect(false);
        uint32_t count = watch_expected(&last);
        CHECK((count > 0) == (fault > 0) && strstr(last, said[fault]), "fault %u: \"%s\"", fault,
              last);
        for (int i = 0; i < 2; i++)
            OK(vkr_buffer_free(device, out[i], err));
        vkr_program_unload(program);
    }
}

/* ---- objects in use ---- */

static void test_objects(void)
{
    vkr_device *device = NULL;
    vkr_buffer out = 0;
    const char *last;
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    build_rounds(3);
    vkr_program *program = finish(device);
    watch_be_late(device, true);
    OK(vkr_run(program, NULL, 0, &out, 1, NULL, err));
    const struct place *place = &program->slots[0]->places[0];
    VkDescriptorBufferInfo info = {place->buffer, place->offset, 4};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = program->slots[0]->sets[0],
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = &info};
    watch_expect(true);
    device->gpu.vk.UpdateDescriptorSets(device->gpu.handle, 1, &write, 0, NULL);
    CHECK(watch_expected(&last) == 1 && strstr(last, "a descriptor set is updated"), "%s", last);
    OK(vkr_device_wait(device, err));
    device->gpu.vk.UpdateDescriptorSets(device->gpu.handle, 1, &write, 0, NULL);
    CHECK(watch_expected(&last) == 0, "%s", last);
    watch_expect(false);
    vkr_program_unload(program);
    vkr_device_close(device);
}

/* What is submitted has not run before the host waits, however long it looks. */
static void test_late(void)
{
    vkr_device *device = NULL;
    vkr_buffer x = 0, copy = 0;
    void *at = NULL;
    uint32_t word = 1, seen = 0;
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    watch_be_late(device, true);
    OK(vkr_buffer_create(device, &word, 4, &x, err));
    OK(vkr_buffer_copy(device, x, &copy, err));
    struct buffer *b_copy = NULL;
    OK(buffer_resolve(&device->buffers, copy, &b_copy, err));
    CHECK(!queue_is_done(&device->queue, b_copy->chunk->written), "it is not done");
    /* waits for x, which no submission wrote */
    if (vkr_buffer_address(device, x, &at, NULL) == VKR_OK) {
        memcpy(at, &(uint32_t){2}, 4);
        OK(vkr_buffer_read(device, copy, 0, &seen, 4, err));
        CHECK(seen == 2, "the copy was made when it was asked for: %u", seen);
    }
    CHECK(watch_most_unfinished(device) >= 1, "unfinished submissions are counted");
    vkr_device_close(device);
}

/* ---- guards ---- */

/* x = y, with so many bytes of each, over a whole workgroup of 64 words. */
static vkr_program *build_stray(vkr_device *device, uint32_t nx, uint32_t ny, bool in_arena,
                                bool with_constant)
{
    static uint32_t words[64];
    builder_init(&b, "stray");
    uint32_t y =
        with_constant ? builder_constant(&b, words, 4 * ny) : builder_input(&b, "y", "u32", ny);
    uint32_t x = builder_output(&b, "x", "u32", nx, VKB_NONE), stray = builder_kernel(&b, K_STRAY);
    uint32_t t = builder_arena(&b, 4 * nx), after = builder_arena(&b, 256);
    b.buffers[after].offset += 4096; /* room behind t */
    b.program.arena_bytes += 4096;
    builder_dispatch(&b, stray, 1, (const uint32_t[]){in_arena ? t : x, y, END});
    if (in_arena)
        builder_copy(&b, t, x, 4 * nx);
    return finish(device);
}

static void test_guards(void)
{
    static const struct {
        const char *what;
        uint32_t nx, ny;
        bool in_arena, with_constant;
        const char *text; /* NULL: nothing is wrong */
    } rows[] = {
        {"as it should be", 64, 64, false, false, NULL},
        {"behind an output", 60, 64, false, false,
         "4 words changed that are nobody's, the first 0 bytes behind a"},
        {"behind one of the arena", 60, 64, true, false,
         "4 words changed that are nobody's, the first 0 bytes in the"},
        {"in the arena, as it should be", 64, 64, true, false, NULL},
        {"from a constant", 64, 64, false, true, NULL},
    };
    vkr_device *device = NULL;
    uint32_t words[64], back[64];
    char text[256];
    struct guard guard;
    OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
    guard_device(device);
    for (size_t i = 0; device->gpu.memory_types.is_mapped && i < sizeof rows / sizeof *rows; i++) {
        vkr_program *program =
            build_stray(device, rows[i].nx, rows[i].ny, rows[i].in_arena, rows[i].with_constant);
        vkr_buffer in = 0, out = 0;
        memset(words, 0, sizeof words);
        OK(vkr_buffer_create(device, words, 4 * rows[i].ny, &in, err));
        guard_before(&guard, program, &in);
        OK(vkr_run(program, &in, b.program.ninputs, &out, 1, NULL, err));
        bool ok = guard_after(&guard, program, text, sizeof text);
        CHECK(ok == !rows[i].text && strstr(text, ok ? "" : rows[i].text), "%s: %s", rows[i].what,
              text);
        OK(vkr_buffer_free(device, in, err));
        OK(vkr_buffer_free(device, out, err));
        vkr_program_unload(program);
    }
    vkr_program *program = build_stray(device, 64, 60, false, false); /* reads too far */
    vkr_buffer in = 0, out = 0;
    OK(vkr_buffer_create(device, words, 240, &in, err));
    guard_before(&guard, program, &in);
    OK(vkr_run(program, &in, 1, &out, 1, NULL, err));
    CHECK(guard_after(&guard, program, text, sizeof text), "reading changes nothing: %s", text);
    OK(vkr_buffer_read(device, out, 0, back, sizeof back, err));
    if (device->gpu.memory_types.is_mapped) {
        CHECK(back[59] == 0 && back[60] == 0xfff7fff5, "what is read behind a tensor shows: 0x%x",
              back[60]);
        guard_before(&guard, program, &in); /* what is not an output stays as it was */
        void *at = NULL;
        OK(vkr_buffer_address(device, in, &at, err));
        ((uint32_t *)at)[7]++;
        CHECK(!guard_after(&guard, program, text, sizeof text) &&
                  strstr(text, "that is not an output"),
              "%s", text);
    }
    vkr_program_unload(program);
    vkr_device_close(device);
}

/* Of the leak sanitizer, where the program is built with it: it ignores what is allocated
   between the two calls. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);

static VkResult forgettable_layout(vkr_device *device, VkPipelineLayout *out_layout)
{
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    if (__lsan_disable)
        __lsan_disable();
    VkResult result =
        device->gpu.vk.CreatePipelineLayout(device->gpu.handle, &info, NULL, out_layout);
    if (__lsan_enable)
        __lsan_enable();
    return result;
}

/* What is left when a device is destroyed, and what changes while nobody holds its lock. */
static void test_forgotten(void)
{
    const char *text;
    for (int is_forgotten = 0; is_forgotten < 2; is_forgotten++) {
        vkr_device *device = NULL;
        VkPipelineLayout layout = VK_NULL_HANDLE;
        OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
        CHECK(forgettable_layout(device, &layout) == VK_SUCCESS, "a layout");
        watch_expect(true);
        if (!is_forgotten)
            device->gpu.vk.DestroyPipelineLayout(device->gpu.handle, layout, NULL);
        vkr_device_close(device);
        uint32_t found = watch_expected(&text);
        watch_expect(false);
        CHECK(found == (uint32_t)is_forgotten, "%u findings", found);
        CHECK(strstr(text, is_forgotten ? "with 1 VkPipelineLayout in it" : ""), "%s", text);
    }
    for (int is_held = 0; is_held < 2; is_held++) {
        vkr_device *device = NULL;
        vkr_counters counters;
        OK(vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, err));
        vkr_device_counters(device, &counters);
        watch_expect(true);
        if (is_held)
            pthread_mutex_lock(&device->gpu.lock);
        device->gpu.counters.programs++;
        if (is_held)
            pthread_mutex_unlock(&device->gpu.lock);
        vkr_device_counters(device, &counters);
        uint32_t found = watch_expected(&text);
        watch_expect(false);
        CHECK(found == !is_held && strstr(text, is_held ? "" : "counters of a device"),
              "%u findings: %s", found, text);
        vkr_device_close(device);
    }
}

int main(void)
{
    vkr_error error = {0};
    RUN(test_hazards());
    RUN(test_settling());
    RUN(test_map());
    RUN(test_access());
    vkr_device *device = NULL; /* without validation, which finds some of it, too */
    if (vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, &error))
        return harness_skip(error.message);
    RUN(test_steps(device));
    RUN(test_rounds(device));
    RUN(test_pushed(device));
    vkr_device_close(device);
    RUN(test_objects());
    RUN(test_late());
    RUN(test_guards());
    RUN(test_forgotten());
    return harness_report();
}
