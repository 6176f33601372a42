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

/* The kernel's code with its guards, as the door lets it through: how many of these instructions
   it has. */
static uint32_t count_code(struct builder *b, uint32_t kernel, uint32_t op)
{
    size_t size;
    struct vkb_view v;
    struct script script = {0};
    struct door_code *code = NULL;
    const uint32_t taken[BUILDER_LIMIT] = {0};
    char error[320] = "";
    uint32_t count = 0;
    void *bundle = builder_finish(b, &size);
    CHECK(bundle_open(bundle, size, &v, error, sizeof error), "%s", error);
    OK(script_build(&v, false, &script, err));
    OK(door_check(&v, &script, taken, &code, err));
    for (uint32_t at = 5; code && at < code[kernel].count; at += code[kernel].words[at] >> 16)
        count += (code[kernel].words[at] & 0xffff) == op;
    door_finish(code, v.nkernels);
    script_finish(&script);
    free(bundle);
    return count;
}

enum { OP_ARRAY_LENGTH = 68, OP_IMAGE_QUERY_SIZE = 104, STRAY_GROUPS = 8 };

/* A kernel that writes 512 words of x from y without asking how many there are, for three pairs of
   these sizes: each is filled up to its end, and nothing is behind it; where all of a binding have
   the same size, no invocation asks for it. */
static void test_sizes(vkr_device *device)
{
    static struct builder b;
    static const struct {
        uint32_t x[3], y[3], asks;
    } rows[] = {
        {{256, 256, 256}, {256, 256, 256}, 0}, {{256, 256, 256}, {256, 300, 256}, 1},
        {{200, 64, 300}, {512, 512, 512}, 1},  {{64, 200, 300}, {300, 200, 64}, 2},
        {{300, 200, 64}, {64, 200, 300}, 2},   {{64, 64, 65}, {1, 1, 1}, 1},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        uint32_t x[3], y[3], data[512], back[512];
        vkr_buffer in[3], out[3] = {0};
        builder_init(&b, "sizes");
        for (int i = 0; i < 3; i++)
            y[i] = builder_input(&b, "y", "u32", rows[row].y[i]);
        for (int i = 0; i < 3; i++)
            x[i] = builder_output(&b, "x", "u32", rows[row].x[i], VKB_NONE);
        uint32_t kernel = builder_kernel(&b, K_STRAY);
        for (int i = 0; i < 3; i++) {
            builder_dispatch(&b, kernel, STRAY_GROUPS, (const uint32_t[]){x[i], y[i], END});
            b.bindings[b.nbindings - 2].access = VKB_WRITE;
        }
        uint32_t asks = count_code(&b, kernel, OP_ARRAY_LENGTH);
        CHECK(asks == rows[row].asks, "row %zu: %u sizes are asked for", row, asks);
        vkr_program *program = load(device, &b);
        for (uint32_t k = 0; k < 512; k++)
            data[k] = 1000 + k;
        for (int i = 0; i < 3; i++)
            in[i] = words(device, data, rows[row].y[i]);
        OK(vkr_run(program, in, 3, out, 3, NULL, err));
        for (int i = 0; i < 3; i++) {
            uint32_t nx = rows[row].x[i], ny = rows[row].y[i], wrong = 0;
            read_words(device, out[i], back, nx);
            for (uint32_t k = 0; k + 1 < nx; k++) /* several write to the last */
                wrong += back[k] != 1000 + (k < ny ? k : ny - 1);
            CHECK(!wrong && back[nx - 1] >= 1000, "row %zu, output %d: %u are wrong", row, i,
                  wrong);
            OK(vkr_buffer_free(device, in[i], err));
        }
        vkr_program_unload(program);
    }
}

/* Texels of 1 to 40 bytes: whole ones are there, also of less than one. */
static void test_texel_sizes(vkr_device *device)
{
    static struct builder b;
    for (uint32_t bytes = 1; bytes <= 40; bytes++) {
        uint8_t data[2][40];
        uint32_t back[16], wrong = 0;
        vkr_buffer in[2], out = 0;
        builder_init(&b, "texels");
        uint32_t a = builder_input(&b, "a", "u8", bytes), c = builder_input(&b, "b", "u8", bytes),
                 x = builder_output(&b, "x", "u32", 16, VKB_NONE);
        uint32_t kernel = builder_kernel(&b, K_XOR_TEXELS);
        builder_dispatch(&b, kernel, 1, (const uint32_t[]){a, c, x, END});
        b.bindings[b.nbindings - 1].access = VKB_WRITE;
        uint32_t asks = count_code(&b, kernel, OP_IMAGE_QUERY_SIZE);
        CHECK(asks == 0, "%u bytes: %u sizes are asked for", bytes, asks);
        vkr_program *program = load(device, &b);
        dirty(device);
        for (uint32_t k = 0; k < bytes; k++)
            data[0][k] = (uint8_t)(k + 1), data[1][k] = (uint8_t)(100 + 3 * k);
        for (int i = 0; i < 2; i++)
            OK(vkr_buffer_create(device, data[i], bytes, &in[i], err));
        OK(vkr_run(program, in, 2, &out, 1, NULL, err));
        read_words(device, out, back, 16);
        for (uint32_t k = 0; k < (bytes + 15) / 16 * 16; k++) {
            uint32_t wanted = k < bytes ? data[0][k] ^ data[1][k] : 0u;
            wrong += (back[k / 4] >> k % 4 * 8 & 0xff) != wanted;
        }
        CHECK(!wrong, "%u bytes: %u are wrong", bytes, wrong);
        for (int i = 0; i < 2; i++)
            OK(vkr_buffer_free(device, in[i], err));
        vkr_program_unload(program);
    }
}

/* ---- zeros ---- */

/* Of constants and the arena, behind whose ends a texel goes on. */
static void test_texel_tails(vkr_device *device)
{
    static struct builder b;
    for (uint32_t count = 1; count <= 9; count++) {
        uint32_t data[9], back[12], wrong = 0, all = (count + 3) / 4 * 4;
        vkr_buffer out = 0;
        for (uint32_t i = 0; i < 9; i++)
            data[i] = 77 * (i + 1);
        builder_init(&b, "tails");
        uint32_t x = builder_output(&b, "x", "u32", all, VKB_NONE);
        builder_dispatch(&b, builder_kernel(&b, K_XOR_TEXELS), 1,
                         (const uint32_t[]){builder_constant(&b, data, 4 * count),
                                            builder_arena(&b, 4 * count), x, END});
        b.bindings[b.nbindings - 2].access = VKB_READ;
        b.bindings[b.nbindings - 1].access = VKB_WRITE;
        dirty(device);
        vkr_program *program = load(device, &b);
        dirty(device);
        OK(vkr_run(program, NULL, 0, &out, 1, NULL, err));
        read_words(device, out, back, all);
        for (uint32_t i = 0; i < all; i++)
            wrong += back[i] != (i < count ? data[i] : 0);
        CHECK(!wrong, "%u words: %u are wrong", count, wrong);
        vkr_program_unload(program);
    }
}

/* Shared memory, whatever the size of the workgroup: of more invocations than it has words, and of
   fewer; and no two sizes alike, so that each counts. */
static void test_shared(vkr_device *device)
{
    static struct builder b;
    static const uint32_t sizes[][3] = {{1, 1, 1}, {2, 4, 3},  {2, 3, 4},  {4, 2, 3},  {4, 3, 2},
                                        {3, 2, 4}, {3, 4, 2},  {1, 1, 64}, {1, 64, 1}, {64, 1, 1},
                                        {5, 7, 3}, {2, 64, 1}, {1, 2, 64}, {2, 8, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t found = 77;
        vkr_buffer out = 0;
        builder_init(&b, "leave");
        b.program.max_shared_bytes = 768;
        b.program.max_invocations = 256;
        uint32_t x = builder_output(&b, "x", "u32", 1, VKB_NONE),
                 kernel = builder_kernel(&b, K_LEAVE);
        builder_local_size(&b, sizes[i][0], sizes[i][1], sizes[i][2]);
        builder_dispatch(&b, kernel, 64, (const uint32_t[]){x, END});
        vkr_program *program = load(device, &b);
        for (int round = 0; round < 2; round++) {
            OK(vkr_run(program, NULL, 0, &out, 1, NULL, err));
            OK(vkr_buffer_read(device, out, 0, &found, 4, err));
            CHECK(found == 0, "%u x %u x %u: 0x%x was left", sizes[i][0], sizes[i][1], sizes[i][2],
                  found);
        }
        OK(vkr_buffer_free(device, out, err));
        vkr_program_unload(program);
    }
}

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

/* Memory of the host cannot be padded: it must end where a word does, or a texel where the program
   reads those. */
static void test_imported(vkr_device *device)
{
    enum { MOST = 36 };
    static _Alignas(4096) uint32_t memory[1024];
    static struct builder b;
    for (uint32_t i = 0; i < MOST; i++)
        memory[i] = i + 1;
    for (uint32_t bytes = 1; bytes <= MOST; bytes++)
        for (uint32_t texels = 0; texels < 2; texels++) {
            vkr_buffer in = 0, out = 0;
            vkr_error error = {0};
            uint32_t words = (bytes + 3) / 4, granule = texels ? 16 : 4, found[12] = {0};
            builder_init(&b, "imported");
            uint32_t y = builder_input(&b, "y", "u8", bytes),
                     x = builder_output(&b, "x", "u32", 12, VKB_NONE);
            if (texels) {
                builder_dispatch(&b, builder_kernel(&b, K_XOR_TEXELS), 1,
                                 (const uint32_t[]){y, y, x, END});
                b.bindings[b.nbindings - 1].access = VKB_WRITE;
            } else
                builder_copy(&b, y, x, 4 * words);
            vkr_program *program = load(device, &b);
            if (vkr_buffer_import(device, memory, bytes, &in, &error) == VKR_UNSUPPORTED) {
                vkr_program_unload(program);
                return;
            }
            if (bytes % granule)
                FAILS(vkr_run(program, &in, 1, &out, 1, NULL, err), VKR_INVALID_ARGUMENT,
                      texels ? "multiple of 16" : "multiple of 4");
            else {
                OK(vkr_run(program, &in, 1, &out, 1, NULL, err));
                read_words(device, out, found, 12);
                CHECK(found[words - 1] == (texels ? 0 : words), "%u bytes: 0x%x", bytes,
                      found[words - 1]);
            }
            OK(vkr_buffer_free(device, in, err));
            vkr_program_unload(program);
        }
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

/* Counts that a kernel raises between the steps that they are of. */
static void test_counts_of_kernels(vkr_device *device)
{
    enum { STEPS = 6, WORDS = 8, LIMIT = 4 };
    static struct builder b;
    const uint32_t start[3] = {0, 1, 1};
    uint32_t ones[WORDS], back[WORDS], z[STEPS];
    vkr_buffer in, outs[STEPS] = {0};
    builder_init(&b, "raised");
    for (uint32_t k = 0; k < WORDS; k++)
        ones[k] = 0x3f800000;
    uint32_t x = builder_input(&b, "x", "f32", WORDS);
    for (uint32_t i = 0; i < STEPS; i++)
        z[i] = builder_output(&b, "z", "f32", WORDS, VKB_NONE);
    uint32_t from = builder_constant(&b, start, sizeof start), counts = builder_arena(&b, 12),
             add = builder_kernel(&b, K_ADD_NARROW), raise = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, from, counts, sizeof start);
    for (uint32_t i = 0; i < STEPS; i++) {
        builder_dispatch(&b, raise, 1, (const uint32_t[]){counts, END});
        uint32_t step = builder_dispatch(&b, add, LIMIT, (const uint32_t[]){x, x, z[i], END});
        b.steps[step].counts = counts;
    }
    vkr_program *program = load(device, &b);
    in = words(device, ones, WORDS);
    OK(vkr_run(program, &in, 1, outs, STEPS, NULL, err));
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t wanted = i + 1 < LIMIT ? i + 1 : LIMIT, found = 0;
        read_words(device, outs[i], back, WORDS);
        while (found < WORDS && back[found] == 0x40000000)
            found++;
        CHECK(found == wanted, "step %u: %u groups instead of %u", i, found, wanted);
    }
    vkr_program_unload(program);
    OK(vkr_buffer_free(device, in, err));
}

/* Many counts, in two buffers of memory: each step has as many groups as it says itself, where
   memory says more, and as memory says, where that is less. */
static void test_many_counts(vkr_device *device, uint32_t places)
{
    enum { MOST = 20, WORDS = 64 };
    static struct builder b;
    const uint32_t nsteps = 2 * places, bytes = 12 * places;
    static uint32_t huge[3 * MOST], ones[WORDS], back[WORDS];
    vkr_buffer in[2], outs[2 * MOST] = {0};
    builder_init(&b, "counts");
    for (uint32_t k = 0; k < 3 * places; k++)
        huge[k] = k / 3 % 5 == 4 && k % 3 == 0 ? 2 : 1u << 30 | k;
    for (uint32_t k = 0; k < WORDS; k++)
        ones[k] = 0x3f800000;
    uint32_t x = builder_input(&b, "x", "f32", WORDS), y = builder_input(&b, "y", "f32", WORDS),
             z[2 * MOST], counts[2];
    for (uint32_t i = 0; i < nsteps; i++)
        z[i] = builder_output(&b, "z", "f32", WORDS, VKB_NONE);
    uint32_t from = builder_constant(&b, huge, bytes), kernel = builder_kernel(&b, K_ADD_NARROW);
    for (int i = 0; i < 2; i++) {
        counts[i] = builder_arena(&b, bytes);
        builder_copy(&b, from, counts[i], bytes);
    }
    for (uint32_t i = 0; i < nsteps; i++) {
        uint32_t step = builder_dispatch(&b, kernel, i + 3, (const uint32_t[]){x, y, z[i], END});
        b.steps[step].counts = counts[i % 2], b.steps[step].counts_at = i / 2 * 3;
        b.steps[step].barrier = 0; /* those between memory and its counts are the runtime's own */
    }
    vkr_program *program = load(device, &b);
    for (int i = 0; i < 2; i++)
        in[i] = words(device, ones, WORDS);
    dirty(device);
    OK(vkr_run(program, in, 2, outs, nsteps, NULL, err));
    for (uint32_t i = 0; i < nsteps; i++) {
        uint32_t wanted = i / 2 % 5 == 4 ? 2 : i + 3, found = 0;
        read_words(device, outs[i], back, WORDS);
        while (found < WORDS && back[found] == 0x40000000)
            found++;
        CHECK(found == wanted, "step %u: %u groups instead of %u", i, found, wanted);
    }
    vkr_program_unload(program);
    for (int i = 0; i < 2; i++)
        OK(vkr_buffer_free(device, in[i], err));
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
    RUN(test_wild(device));
    RUN(test_sizes(device));
    RUN(test_texel_sizes(device));
    RUN(test_texel_tails(device));
    RUN(test_shared(device));
    RUN(test_nothing_written(device));
    RUN(test_padding(device));
    RUN(test_imported(device));
    RUN(test_group_counts(device));
    RUN(test_counts_of_kernels(device));
    RUN(test_many_counts(device, 16)); /* as many as there is room for in one piece */
    RUN(test_many_counts(device, 20));
    RUN(test_refused(device));
    test_is_free(device);
    vkr_device_close(device);
    return harness_report();
}
