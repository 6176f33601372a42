/* Kernels with several bodies: which one a device takes, what it is told that can run none, and
   that each computes with its own workgroups. The two bodies here add in workgroups of 64, and
   of 1. */
#include "../../runtime/bodies.h"
#include "../../runtime/program.h"
#include "../../runtime/vkr.h"
#include "builder.h"
#include "device.h"

enum { COUNT = 1000, WIDE = 0, NARROW = 1 };

static struct builder b;

/* sum = a + b by a kernel whose better body is the wide one. With `counted` the group counts are in
 * memory. */
static void build(bool counted)
{
    static const uint32_t counts[] = {9, (COUNT + 63) / 64, 1, 1, COUNT, 1, 1};
    builder_init(&b, "two");
    uint32_t x = builder_input(&b, "a", "f32", COUNT), y = builder_input(&b, "b", "f32", COUNT);
    uint32_t z = builder_output(&b, "sum", "f32", COUNT, VKB_NONE);
    uint32_t k = builder_kernel(&b, K_ADD);
    builder_body(&b, K_ADD_NARROW);
    b.program.max_invocations = 1;
    if (counted) {
        uint32_t words = builder_arena(&b, sizeof counts);
        builder_copy(&b, builder_constant(&b, counts, sizeof counts), words, sizeof counts);
        uint32_t step = builder_dispatch(&b, k, 1, (const uint32_t[]){x, y, z, END});
        b.steps[step].counts = words;
        b.steps[step].counts_at = 1;
    } else {
        builder_dispatch(&b, k, 1, (const uint32_t[]){x, y, z, END});
    }
    builder_groups(&b, b.nsteps - 1, WIDE)[0] = (COUNT + 63) / 64;
    builder_groups(&b, b.nsteps - 1, NARROW)[0] = COUNT;
}

/* ---- choosing ---- */

static uint32_t most_texels = 1 << 16, most_texel_buffers = 16; /* of the device */

static vkr_status take_from(const vkr_device_info *info, uint32_t side, bool plain, bool trusted,
                            uint32_t *out, vkr_error *err)
{
    const VkPhysicalDeviceLimits limits = {.maxTexelBufferElements = most_texels,
                                           .maxPerStageDescriptorSampledImages = most_texel_buffers,
                                           .maxComputeWorkGroupSize = {side, side, side}};
    struct vkb_view view;
    size_t size;
    char text[300] = "";
    void *bundle = builder_finish(&b, &size);
    CHECK(bundle_open(bundle, size, &view, text, sizeof text), "%s", text);
    vkr_status status = device_plan_accepts(info, &view, err);
    if (!status)
        status = bodies_take(info, &limits, &view, plain, trusted, out, err);
    free(bundle);
    return status;
}

static vkr_status take(const vkr_device_info *info, uint32_t side, bool plain, uint32_t *out,
                       vkr_error *err)
{
    return take_from(info, side, plain, true, out, err);
}

/* A device that can run both, but for what a row changes of it. */
static const vkr_device_info both = {.name = "x",
                                     .kind = VKR_DISCRETE,
                                     .features = VKB_FEATURE_I16,
                                     .max_invocations = 64,
                                     .max_shared_bytes = 256,
                                     .max_bindings = 4,
                                     .subgroup_size = 32,
                                     .max_groups = {COUNT, 1, 1},
                                     .max_binding_bytes = 1 << 20};

static void build_choosy(void)
{
    build(false);
    struct vkb_body *wide = &b.bodies[WIDE];
    wide->features = VKB_FEATURE_I16;
    wide->shared_bytes = 256;
    wide->nneeds = 2;
    b.bodies[NARROW].first_need = b.nneeds = 2;
    b.needs[0] = (struct vkb_need){VKB_NEED_SUBGROUP_SIZE, {16, 32}};
    b.needs[1] = (struct vkb_need){VKB_NEED_CPU, {0}};
}

/* A body on matrix units is for devices that have just these, and for trusted bundles. */
static void test_matrix_units(void)
{
    vkr_device_info device = both;
    vkr_error err = {VKR_OK, ""};
    uint32_t taken = 9;
    build_choosy();
    b.bodies[WIDE].features |= VKB_FEATURE_COOPERATIVE_MATRIX;
    b.needs[1] = (struct vkb_need){VKB_NEED_MATRIX, {VKB_MATRIX_BF16_16}};
    device.features |= VKB_FEATURE_COOPERATIVE_MATRIX;
    device.matrices = 1u << VKB_MATRIX_F16_16;
    CHECK(!take(&device, 64, false, &taken, &err) && taken == NARROW, "other matrices: %u", taken);
    device.matrices |= 1u << VKB_MATRIX_BF16_16;
    CHECK(!take(&device, 64, false, &taken, &err) && taken == WIDE, "its matrices: %u", taken);
    CHECK(!take_from(&device, 64, false, false, &taken, &err) && taken == NARROW, "untrusted: %u",
          taken);
    b.bodies[NARROW].features |= VKB_FEATURE_COOPERATIVE_MATRIX;
    b.program.features |= VKB_FEATURE_COOPERATIVE_MATRIX;
    CHECK(take_from(&device, 64, false, false, &taken, &err) == VKR_UNSUPPORTED &&
              strstr(err.message, "only a trusted bundle"),
          "no other body: %s", err.message);
    b.bodies[NARROW].nneeds = 1;
    b.needs[b.nneeds++] = (struct vkb_need){VKB_NEED_MATRIX, {VKB_MATRIX_BF16_XE}};
    device.matrices = 1u << VKB_MATRIX_F16_16;
    CHECK(take(&device, 64, false, &taken, &err) == VKR_UNSUPPORTED &&
              strstr(err.message, "matrix units for bf16:8x16x16, which x lacks"),
          "the matrix units that it lacks: %s", err.message);
}

static void test_choice(void)
{
    vkr_device_info cpu = both, poor = both, small = both, tight = both, wide = both, thin = both;
    const struct {
        const vkr_device_info *info;
        uint32_t side;
        bool plain;
        uint32_t body;
    } rows[] = {
        {&both, 64, false, WIDE},   {&both, 64, true, NARROW},   {&cpu, 64, false, NARROW},
        {&poor, 64, false, NARROW}, {&small, 64, false, NARROW}, {&tight, 64, false, NARROW},
        {&wide, 64, false, NARROW}, {&thin, 64, false, NARROW},  {&both, 63, false, NARROW},
    };
    cpu.kind = VKR_CPU;
    poor.features = 0;
    small.max_invocations = 63;
    tight.max_shared_bytes = 255;
    wide.subgroup_size = 64;
    thin.subgroup_size = 8;
    build_choosy();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t taken = 9;
        OK(take(rows[i].info, rows[i].side, rows[i].plain, &taken, err));
        CHECK(taken == rows[i].body, "row %zu takes body %u", i, taken);
    }
}

/* A kernel that a later step asks for more workgroups than the device has gives way in all its
 * steps. */
static void test_groups(void)
{
    uint32_t taken = 9;
    vkr_device_info few = both;
    few.max_groups[0] = COUNT - 1;
    build(false);
    b.program.max_invocations = 64;
    OK(take(&few, 64, true, &taken, err)); /* the narrow one has COUNT workgroups */
    CHECK(taken == WIDE, "takes body %u", taken);
    builder_dispatch(&b, 0, 1, (const uint32_t[]){0, 1, 2, END});
    b.program.main_count = 2;
    builder_groups(&b, 1, WIDE)[1] = 2;
    few.max_groups[0] = COUNT;
    OK(take(&few, 64, false, &taken, err));
    CHECK(taken == NARROW, "takes body %u", taken);
    builder_groups(&b, 1, NARROW)[2] = 2;
    FAILS(take(&few, 64, false, &taken, err), VKR_UNSUPPORTED,
          "workgroups on one axis 2, x has 1 (add)");
}

/* More texels than the device has in a buffer, or more buffers of them. */
static void test_texels(void)
{
    uint32_t taken = 9;
    build(false);
    b.program.max_invocations = 64;
    b.bodies[WIDE].texels = 3;
    b.bindings[b.nbindings - 1].access = VKB_WRITE;
    most_texels = (COUNT + 3) / 4;
    OK(take(&both, 64, false, &taken, err));
    CHECK(taken == WIDE, "takes body %u", taken);
    most_texels--;
    OK(take(&both, 64, false, &taken, err));
    CHECK(taken == NARROW, "takes body %u", taken);
    FAILS((b.bodies[NARROW].texels = 1, take(&both, 64, false, &taken, err)), VKR_UNSUPPORTED,
          "texels in a buffer 250, x has 249 (add)");
    most_texels = 1 << 16, most_texel_buffers = 1;
    OK(take(&both, 64, false, &taken, err));
    CHECK(taken == NARROW, "takes body %u", taken);
    b.bodies[NARROW].texels = 3;
    FAILS(take(&both, 64, false, &taken, err), VKR_UNSUPPORTED, "texel buffers 2, x has 1 (add)");
    most_texel_buffers = 16;
}

static void test_none(void)
{
    uint32_t taken = 9;
    vkr_device_info cpu = both;
    cpu.kind = VKR_CPU;
    build_choosy();
    b.bodies[NARROW].features = VKB_FEATURE_F16;
    FAILS(take(&cpu, 64, false, &taken, err), VKR_UNSUPPORTED,
          "none of 2 bodies can run: the one looked at last needs f16 arithmetic (shaderFloat16), "
          "which x lacks (add)");
    FAILS(take(&cpu, 64, true, &taken, err), VKR_UNSUPPORTED,
          "a device that is not a CPU, unlike x (add)");
    b.bodies[NARROW].features |= VKB_FEATURE_I16;
    b.program.features = VKB_FEATURE_I16;
    cpu.features = 0;
    FAILS(take(&cpu, 64, false, &taken, err), VKR_UNSUPPORTED, "the program needs i16 arithmetic");
    build_choosy();
    b.bodies[WIDE].nneeds = 1;
    b.bodies[NARROW].first_need = b.nneeds = 1;
    b.bodies[NARROW].features = VKB_FEATURE_F16;
    cpu = both;
    cpu.subgroup_size = 64;
    FAILS(take(&cpu, 64, true, &taken, err), VKR_UNSUPPORTED, "subgroups of 16 to 32, x has 64");
}

/* ---- running ---- */

static void check_sums(vkr_device *device, vkr_program *program)
{
    static float x[COUNT], y[COUNT], sum[COUNT],
        first; /* memory may hold the sums of the run before */
    vkr_buffer in[2], out = 0;
    uint32_t wrong = 0;
    first += 1;
    for (int i = 0; i < COUNT; i++)
        x[i] = first + (float)i, y[i] = 0.5f * (float)i;
    OK(vkr_buffer_create(device, x, sizeof x, &in[0], err));
    OK(vkr_buffer_create(device, y, sizeof y, &in[1], err));
    OK(vkr_run(program, in, 2, &out, 1, NULL, err));
    OK(vkr_buffer_read(device, out, 0, sum, sizeof sum, err));
    for (int i = 0; i < COUNT; i++)
        wrong += sum[i] != x[i] + y[i];
    CHECK(!wrong, "%u sums are wrong", wrong);
    OK(vkr_buffer_free(device, in[0], err));
    OK(vkr_buffer_free(device, in[1], err));
    OK(vkr_buffer_free(device, out, err));
}

static void test_run(vkr_device *device, bool counted, bool trusted)
{
    build(counted);
    for (int plain = 0; plain < 2; plain++) {
        const vkr_load_options options = {.trusted = trusted, .plain = plain};
        vkr_program *program = NULL;
        size_t size;
        void *bundle = builder_finish(&b, &size);
        OK(vkr_program_load_with(device, bundle, size, &options, &program, err));
        CHECK(program && program->taken[0] == (plain ? NARROW : WIDE), "the wrong body");
        if (program)
            check_sums(device, program);
        vkr_program_unload(program);
        free(bundle);
    }
}

/* The second body is looked at by the door even where nobody takes it: an instruction that it does
 * not know. */
static void test_door(vkr_device *device)
{
    vkr_program *program = NULL;
    size_t size;
    build(false);
    uint32_t *words = b.spirv + b.bodies[NARROW].spirv_first;
    words[b.bodies[NARROW].spirv_count - 1] =
        1u << 16 | 0x1fff; /* in place of the function's end */
    void *bundle = builder_finish(&b, &size);
    FAILS(vkr_program_load(device, bundle, size, &program, err), VKR_INVALID_BUNDLE, "kernels[0]");
    free(bundle);
}

/* A device that is not what the better body needs. */
static void test_needs(vkr_device *device)
{
    vkr_device_info info;
    vkr_program *program = NULL;
    size_t size;
    vkr_device_get_info(device, &info);
    build(false);
    b.bodies[WIDE].nneeds = b.bodies[NARROW].first_need = b.nneeds = 1;
    b.needs[0] = (struct vkb_need){VKB_NEED_CPU, {info.kind != VKR_CPU}};
    void *bundle = builder_finish(&b, &size);
    OK(vkr_program_load(device, bundle, size, &program, err));
    CHECK(program && program->taken[0] == NARROW, "the better one is for another device");
    if (program)
        check_sums(device, program);
    vkr_program_unload(program);
    free(bundle);
}

int main(void)
{
    vkr_error err = {0};
    RUN(test_matrix_units());
    RUN(test_choice());
    RUN(test_groups());
    RUN(test_texels());
    RUN(test_none());
    vkr_device *device = test_device(false, &err);
    if (!device) {
        if (err.status != VKR_NO_DEVICE)
            CHECK(false, "%s", err.message);
        return harness_report();
    }
    for (int counted = 0; counted < 2; counted++)
        for (int trusted = 0; trusted < 2; trusted++)
            RUN(test_run(device, counted, trusted));
    RUN(test_door(device));
    RUN(test_needs(device));
    vkr_device_close(device);
    return harness_report();
}
