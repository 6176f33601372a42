/* Loading tells how far it is, and ends where it is asked to: nothing is left, and the next load
   works. */
#include "../watch/canceller.h"
#include "builder.h"
#include "device.h"

enum { KERNELS = 12 };

struct listener {
    uint32_t done[KERNELS + 2], total[KERNELS + 2], nevents;
    struct canceller c;
};

static void listen(void *context, uint32_t done, uint32_t total)
{
    struct listener *l = context;
    canceller_enter(&l->c);
    if (l->nevents < KERNELS + 2) {
        l->done[l->nevents] = done;
        l->total[l->nevents++] = total;
    }
    canceller_leave(&l->c);
}

static vkr_load_options options_for(struct listener *l, bool trusted)
{
    return (vkr_load_options){.trusted = trusted,
                              .progress = listen,
                              .progress_context = l,
                              .is_cancelled = canceller_poll,
                              .cancel_context = &l->c};
}

/* n += 1, as often as there are kernels, in a program with memory of its own of all kinds. */
static void *build(size_t *out_size)
{
    static struct builder b;
    uint32_t one = 1;
    builder_init(&b, "increments");
    builder_input(&b, "n", "u32", 1);
    uint32_t out = builder_output(&b, "n", "u32", 1, 0), arena = builder_arena(&b, 4);
    uint32_t constant = builder_constant(&b, &one, sizeof one);
    for (int i = 0; i < KERNELS; i++)
        builder_dispatch(&b, builder_kernel(&b, K_INCREMENT), 1, (const uint32_t[]){out, END});
    builder_copy(&b, constant, arena, 4);
    return builder_finish(&b, out_size);
}

static void check_works(vkr_device *device, vkr_program *program)
{
    uint32_t value = 30;
    vkr_buffer in = 0, out = 0;
    OK(vkr_buffer_create(device, &value, sizeof value, &in, err));
    OK(vkr_run(program, &in, 1, &out, 1, NULL, err));
    OK(vkr_buffer_read(device, out, 0, &value, sizeof value, err));
    CHECK(value == 30 + KERNELS, "it is %u", value);
    OK(vkr_buffer_free(device, out, err));
}

static void test_progress(vkr_device *device, const void *bundle, size_t size, bool trusted)
{
    struct listener l = {.c = {.at_event = NEVER, .at_poll = NEVER}};
    vkr_program *program = NULL;
    vkr_load_options options = options_for(&l, trusted);
    OK(vkr_program_load_with(device, bundle, size, &options, &program, err));
    CHECK(l.nevents == KERNELS + 1, "%u events", l.nevents);
    for (uint32_t i = 0; i < l.nevents; i++)
        CHECK(l.done[i] == i && l.total[i] == KERNELS, "event %u: %u of %u", i, l.done[i],
              l.total[i]);
    CHECK(!atomic_load(&l.c.overlaps), "two threads tell at once");
    check_works(device, program);
    vkr_program_unload(program);
}

/* The same with every event and every poll as the last. */
static void test_cancel(vkr_device *device, const void *bundle, size_t size, bool trusted)
{
    struct listener whole = {.c = {.at_event = NEVER, .at_poll = NEVER}};
    vkr_load_options options = options_for(&whole, trusted);
    vkr_program *program = NULL;
    vkr_counters before, after;
    OK(vkr_program_load_with(device, bundle, size, &options, &program, err));
    vkr_program_unload(program);
    vkr_device_counters(device, &before);
    long polls = atomic_load(&whole.c.polls);
    CHECK(polls >= KERNELS, "%ld polls", polls);
    for (long i = 0; i < KERNELS + 1 + polls; i++) {
        bool is_event = i <= KERNELS;
        struct listener l = {.c = {.at_event = is_event ? i : KERNELS + 1,
                                   .at_poll = is_event ? NEVER : i - KERNELS - 1}};
        options = options_for(&l, trusted);
        program = (vkr_program *)&l; /* it must be set */
        FAILS(vkr_program_load_with(device, bundle, size, &options, &program, err), VKR_CANCELLED,
              "cancelled");
        CHECK(!program, "case %ld: a program", i);
        vkr_device_counters(device, &after);
        CHECK(after.programs == before.programs && after.pipelines == before.pipelines &&
                  after.live_buffers == before.live_buffers &&
                  after.live_bytes == before.live_bytes &&
                  after.memory_bytes == before.memory_bytes,
              "case %ld: something is left", i);
    }
    test_progress(device, bundle, size, trusted);
}

/* Who asks for nothing more gets nothing: not even the bundle is looked at, which is none. */
static void test_cancelled(vkr_device *device)
{
    struct listener l = {.c = {.at_event = NEVER, .at_poll = 0}};
    vkr_load_options options = options_for(&l, false);
    vkr_program *program = NULL;
    FAILS(vkr_program_load_with(device, "none", 4, &options, &program, err), VKR_CANCELLED,
          "cancelled");
    CHECK(atomic_load(&l.c.polls) == 1, "%ld polls", atomic_load(&l.c.polls));
}

/* What callers may know of the tensors of a program. */
static void test_info(vkr_device *device)
{
    static const struct {
        const char *name, *type;
        uint64_t bytes;
        int32_t alias;
        uint32_t count;
        bool is_output, used;
    } rows[] = {{"a", "f32", 20, -1, 5, false, true}, {"b", "u8", 3, -1, 3, false, false},
                {"c", "u64", 16, -1, 2, false, true}, {"x", "u64", 16, 2, 2, true, true},
                {"y", "u8", 7, -1, 7, true, true},    {"z", "f32", 20, 0, 5, true, true}};
    static struct builder b;
    size_t size;
    vkr_program *program = NULL;
    vkr_tensor_info info;
    builder_init(&b, "info");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].is_output)
            builder_output(&b, rows[i].name, rows[i].type, rows[i].count,
                           rows[i].alias < 0 ? VKB_NONE : (uint32_t)rows[i].alias);
        else
            builder_input(&b, rows[i].name, rows[i].type, rows[i].count);
        b.tensors[i].used = rows[i].used && !rows[i].is_output; /* of outputs it says nothing */
    }
    void *bundle = builder_finish(&b, &size);
    OK(vkr_program_load(device, bundle, size, &program, err));
    CHECK(vkr_program_inputs(program) == 3 && vkr_program_outputs(program) == 3 &&
              !vkr_program_inputs(NULL) && !vkr_program_outputs(NULL),
          "%u inputs", vkr_program_inputs(program));
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(&info, 0xee, sizeof info);
        if (rows[i].is_output)
            OK(vkr_program_output(program, i - 3, &info, err));
        else
            OK(vkr_program_input(program, i, &info, err));
        CHECK(!strcmp(info.name, rows[i].name) && !strcmp(info.type, rows[i].type) &&
                  info.rank == 1 && info.dims[0] == rows[i].count && info.bytes == rows[i].bytes,
              "%s is %s %s[%u]", rows[i].name, info.name, info.type, (unsigned)info.dims[0]);
        CHECK(info.alias == rows[i].alias && info.used == rows[i].used, "%s: alias %d, used %d",
              rows[i].name, info.alias, info.used);
    }
    FAILS(vkr_program_input(program, 3, &info, err), VKR_INVALID_ARGUMENT, "input 3 of 3");
    FAILS(vkr_program_output(program, 3, &info, err), VKR_INVALID_ARGUMENT, "output 3 of 3");
    FAILS(vkr_program_input(NULL, 0, &info, err), VKR_INVALID_ARGUMENT, "of 0");
    FAILS(vkr_program_output(NULL, 0, &info, err), VKR_INVALID_ARGUMENT, "of 0");
    FAILS(vkr_program_input(program, 0, NULL, err), VKR_INVALID_ARGUMENT, "");
    FAILS(vkr_program_output(program, 0, NULL, err), VKR_INVALID_ARGUMENT, "");
    vkr_program_unload(program);
    free(bundle);
}

int main(void)
{
    vkr_error error = {0};
    size_t size;
    vkr_device *device = test_device(false, &error);
    if (!device)
        return error.status == VKR_NO_DEVICE ? harness_skip(error.message)
                                             : (puts(error.message), 1);
    void *bundle = build(&size);
    RUN(test_progress(device, bundle, size, true));
    RUN(test_cancel(device, bundle, size, true));
    RUN(test_cancel(device, bundle, size, false));
    RUN(test_cancelled(device));
    free(bundle);
    RUN(test_info(device));
    test_is_free(device);
    vkr_device_close(device);
    return harness_report();
}
