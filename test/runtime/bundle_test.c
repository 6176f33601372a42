/* The bundle verifier: one broken rule each, and the complaint that names it. Needs no device. */
#include "builder.h"
#include "harness.h"

/* Makes the bundle that is broken. */
static void *(*make)(size_t *size) = builder_count;

/* The records of a section of a bundle. */
static void *part(void *bundle, enum vkb_section section)
{
    return (char *)bundle + ((struct vkb_header *)bundle)->section[section].offset;
}

static bool opens(const void *bundle, size_t size, char error[300])
{
    struct vkb_view view;
    error[0] = '\0';
    return bundle_open(bundle, size, &view, error, 300);
}

/* Breaks `lvalue` in a fresh bundle, where p, t, u, k, y, n, s, g, b are its records, and
   expects a complaint. */
#define REFUSED(statement, text)                                                                  \
    do {                                                                                          \
        size_t size;                                                                              \
        char error[300];                                                                          \
        void *bundle = make(&size);                                                               \
        struct vkb_header *h = bundle;                                                            \
        struct vkb_program *p = part(bundle, VKB_SECTION_PROGRAM);                                \
        struct vkb_tensor *t = part(bundle, VKB_SECTION_TENSORS);                                 \
        struct vkb_buffer *u = part(bundle, VKB_SECTION_BUFFERS);                                 \
        struct vkb_kernel *k = part(bundle, VKB_SECTION_KERNELS);                                 \
        struct vkb_body *y = part(bundle, VKB_SECTION_BODIES);                                    \
        struct vkb_need *n = part(bundle, VKB_SECTION_NEEDS);                                     \
        struct vkb_step *s = part(bundle, VKB_SECTION_STEPS);                                     \
        struct vkb_groups *g = part(bundle, VKB_SECTION_GROUPS);                                  \
        struct vkb_binding *b = part(bundle, VKB_SECTION_BINDINGS);                               \
        uint32_t *w = part(bundle, VKB_SECTION_SPIRV);                                            \
        char *c = part(bundle, VKB_SECTION_STRINGS);                                              \
        (void)h, (void)p, (void)t, (void)u, (void)k, (void)y, (void)n, (void)s, (void)g, (void)b, \
            (void)w, (void)c;                                                                     \
        statement;                                                                                \
        builder_sign(bundle, size);                                                               \
        CHECK(!opens(bundle, size, error) && strstr(error, text), "said: %s", error);             \
        free(bundle);                                                                             \
    } while (0)

static bool is_accepted(char error[300])
{
    size_t size;
    void *bundle = make(&size);
    bool ok = opens(bundle, size, error);
    free(bundle);
    return ok;
}

static void test_header(void)
{
    size_t size;
    char error[300];
    uint8_t *bundle = make(&size);
    CHECK(opens(bundle, size, error), "%s", error);
    bundle[size - 20] ^= 1;
    CHECK(!opens(bundle, size, error) && strstr(error, "digest"), "%s", error);
    CHECK(!opens(bundle, size - 16, error) && strstr(error, "bytes"), "%s", error);
    CHECK(!opens(bundle, 3, error) && strstr(error, "bytes"), "%s", error);
    CHECK(!opens(bundle + 4, size - 4, error) && strstr(error, "aligned"), "%s", error);
    CHECK(!opens(NULL, 0, error), "no bytes");
    free(bundle);
}

static void test_sections(void)
{
    REFUSED(h->magic = 1, "magic");
    REFUSED(h->version = 1, "version 1");
    REFUSED(h->section[3].offset += 4, "multiple of 16");
    REFUSED(h->section[3].offset = UINT64_MAX - 15, "overlap");
    REFUSED(h->section[3].size = UINT64_MAX - 15, "overlap");
    REFUSED(h->section[4].offset = h->section[3].offset, "overlap");
    REFUSED(h->section[1].size -= 8, "whole records");
    REFUSED(h->section[0].size = 0, "one record");
    REFUSED(h->section[VKB_SECTION_STRINGS].size = 0, "NUL");
    REFUSED(c[0] = 'x', "NUL");
    REFUSED(c[h->section[VKB_SECTION_STRINGS].size - 1] = 'x', "NUL");
}

static void test_tables(void)
{
    REFUSED(p->name = UINT32_MAX, "name");
    REFUSED(p->ninputs = 9, "9 inputs");
    REFUSED(p->ninputs = UINT32_MAX, "inputs");
    REFUSED(p->features = 1u << 31, "feature bit 31");
    REFUSED(p->features = VKB_FEATURE_RESERVED, "feature bit 13");
    REFUSED(p->main_first = 100, "main steps");
    REFUSED(p->main_count = UINT32_MAX, "main steps");
    REFUSED(t[0].type = 1 << 20, "type");
    REFUSED(t[1].rank = 17, "rank 17");
    REFUSED(t[1].bytes = UINT64_MAX, "too many");
    REFUSED(t[0].alias = 0, "an input has an alias");
    REFUSED(t[2].alias = 5, "alias 5");
    REFUSED(t[2].alias = 2, "alias 2 is not one of 2");
    REFUSED((t[2].alias = 1, t[2].bytes = 8), "alias input");
    REFUSED(u[0].kind = 9, "kind 9");
    REFUSED(u[0].index = 2, "input 2 of 2");
    REFUSED(u[2].index = 1, "output 1 of 1");
    REFUSED(u[0].bytes = 8, "of a tensor");
    REFUSED(u[0].offset = 256, "of a tensor");
    REFUSED(u[3].offset = 255, "multiples");
    REFUSED(u[3].offset = 256, "arena");
    REFUSED(u[3].bytes = 6, "multiples");
    REFUSED(u[3].bytes = 0, "arena");
    REFUSED(u[3].bytes = UINT64_MAX - 3, "of arena");
    REFUSED(p->part_bytes = 0, "parts of 0 bytes");
    REFUSED(p->part_bytes = 128, "parts of 128 bytes");
    REFUSED(p->part_bytes = 3 << 10, "parts of 3072 bytes");
    REFUSED(b[0].buffer = 77, "buffer 77");
    REFUSED(b[0].access = 0, "access 0");
    REFUSED(b[0].access = 8, "access 8");
    REFUSED(b[0].access = VKB_WRITE, "writes an input");
    REFUSED(t[1].used = 0, "unused");
}

static void test_kernels(void)
{
    REFUSED(k[0].name = UINT32_MAX, "name");
    REFUSED(k[0].label = UINT32_MAX, "label");
    REFUSED(k[0].source = UINT32_MAX, "source");
    REFUSED(k[0].npushed = 33, "33 words of push constants");
    REFUSED(k[0].npushed = 32, "push constants 0+32 are outside the 0");
    REFUSED(k[0].npushed = 1, "push constants 0+1 are outside the 0");
    REFUSED(y[0].profile = UINT32_MAX, "profile");
    REFUSED(y[0].local_size[1] = 0, "local size 0");
    REFUSED((y[0].local_size[1] = y[0].local_size[2] = 1 << 16), "local size 65536 on axis 2");
    REFUSED(p->max_invocations = 0, "workgroups of 1, the program says at most 0");
    REFUSED(y[0].shared_bytes = 1, "shared");
    REFUSED(k[0].nbindings = 5, "bindings");
    REFUSED(y[0].features = VKB_FEATURE_F64, "does not list");
    REFUSED(y[0].features = 1u << 31, "bodies[0]: feature bit 31");
    REFUSED(y[0].spirv_first = UINT32_MAX, "outside");
    REFUSED(y[0].spirv_count = UINT32_MAX, "outside");
    REFUSED(y[0].spirv_count = 3, "SPIR-V header");
    REFUSED(w[0] = 0, "SPIR-V header");
    REFUSED(w[1] |= 1, "SPIR-V header");
    REFUSED(w[3] = 0, "SPIR-V header");
    REFUSED(w[5] &= 0xffff, "0 words");
    REFUSED(w[5] |= 0x7fff0000, "words");
    REFUSED((w[5] = 0, w[5] = (y[0].spirv_count - 5) << 16), "entry point");
    REFUSED(p->max_bindings = 2, "3 bindings, the program says at most 0 and 2");
    REFUSED(k[0].nbindings = 1, "uses binding");
    REFUSED(k[0].nbindings = 2, "uses binding 2");
    REFUSED(y[1].local_size[0] = 2, "workgroups of 1 x 1 x 1");
}

/* Two kernels: the first has two bodies, of which the first has a need. */
static void *two_bodies(size_t *size)
{
    static struct builder b;
    builder_init(&b, "two");
    uint32_t x = builder_input(&b, "x", "f32", 4), z = builder_output(&b, "z", "f32", 4, VKB_NONE);
    uint32_t words = builder_arena(&b, 24), two = builder_kernel(&b, K_ADD);
    builder_need(&b, VKB_NEED_SUBGROUP_SIZE)->value[0] = 8;
    b.needs[0].value[1] = 16;
    builder_body(&b, K_ADD_NARROW);
    builder_kernel(&b, K_INCREMENT);
    uint32_t step = builder_dispatch(&b, two, 4, (const uint32_t[]){x, x, z, END});
    b.steps[step].counts = words;
    b.program.max_invocations = 1;
    b.bodies[0].features = VKB_FEATURE_F64;
    b.bodies[0].shared_bytes = 64;
    return builder_finish(&b, size);
}

static void test_bodies(void)
{
    char text[300];
    make = two_bodies;
    CHECK(is_accepted(text), "%s", text);
    REFUSED(k[0].nbodies = 0, "0 bodies");
    REFUSED(k[0].nbodies = VKB_MAX_BODIES + 1, "17 bodies");
    REFUSED(k[0].nbodies = 16, "bodies 0+16 of 3");
    REFUSED((k[0].nbodies = 1, p->features = VKB_FEATURE_F64,
             p->max_invocations = p->max_shared_bytes = 64),
            "kernels[1]: bodies 2+1 of 3; must begin at 1");
    REFUSED(k[0].first_body = 1, "must begin at 0");
    REFUSED(k[0].first_body = UINT32_MAX, "must begin at 0");
    REFUSED(k[1].first_body = 1, "must begin at 2");
    REFUSED((h->section[VKB_SECTION_KERNELS].size /= 2),
            "have 2 bodies and 1 needs, but there are 3 and 1");
    REFUSED(y[0].nneeds = 0, "must begin at 0");
    REFUSED((y[0].nneeds = 0, y[1].first_need = y[2].first_need = 0),
            "0 needs, but there are 3 and 1");
    REFUSED(y[0].nneeds = 2, "needs 0+2 of 1");
    REFUSED(y[0].first_need = UINT32_MAX, "must begin at 0");
    REFUSED(y[1].nneeds = UINT32_MAX, "of 1");
    REFUSED(n[0].kind = VKB_NEEDS, "needs[0]: kind 3");
    REFUSED(n[0].value[0] = 0, "subgroups of 0 to 16");
    REFUSED(n[0].value[0] = 17, "subgroups of 17 to 16");
    REFUSED(n[0].value[2] = 1, "value 2 is 1");
    REFUSED(n[0].value[6] = 1, "value 6 is 1");
    REFUSED((n[0].kind = VKB_NEED_CPU), "value 1 is 16");
    REFUSED((n[0].kind = VKB_NEED_CPU, n[0].value[1] = 0), "must be 0 or 1");
    REFUSED((n[0].kind = VKB_NEED_MATRIX), "value 1 is 16");
    REFUSED((n[0].kind = VKB_NEED_MATRIX, n[0].value[0] = VKB_MATRICES, n[0].value[1] = 0),
            "matrix 7 is unknown");
    REFUSED(y[1].features = VKB_FEATURE_F64, "does not list"); /* now both bodies need it */
    REFUSED(y[1].shared_bytes = 63, "63 shared bytes");
    REFUSED(p->max_invocations = 0, "workgroups of 1");
    REFUSED(y[1].spirv_first = y[0].spirv_first, "workgroups of 64 x 1 x 1");
    REFUSED(g[1].count[1] = 0, "group counts 4 0 1");
    REFUSED(h->section[VKB_SECTION_GROUPS].size /= 2, "group counts 0+2 are outside the 1");
    REFUSED(s[0].counts_at = 1, "of 2 bodies at word 1");
    make = builder_count;
}

static void *add_1000_bytes(size_t *size)
{
    return builder_add(250, size);
}

/* a and b of a sum; what it writes, and what has several parts, may not be texels. */
static void test_texels(void)
{
    char text[300];
    make = add_1000_bytes;
    CHECK(is_accepted(text), "%s", text);
    REFUSED(y[0].texels = 8, "bodies[0]: texels 0x8, the kernel has 3 bindings");
    REFUSED(y[0].texels = 1ull << 63, "bodies[0]: texels 0x8000000000000000");
    REFUSED(y[0].texels = 4, "steps[0]: writes binding 2, which kernel 0 has as texels");
    REFUSED(
        (y[0].texels = 2, p->part_bytes = 512, p->features = y[0].features = VKB_FEATURE_ADDRESSES),
        "steps[0]: binding 1 has 1000 bytes, too many for texels");
    make = builder_count;
}

static void test_steps(void)
{
    REFUSED(s[0].kind = 6, "kind 6");
    REFUSED(s[0].barrier = 2, "barrier");
    REFUSED(s[0].first_binding = UINT32_MAX, "outside");
    REFUSED(s[0].nbindings = 1, "2 bindings");
    REFUSED(s[0].bytes = 8, "copies 8 bytes");
    REFUSED(s[0].bytes = 0, "copies 0 bytes");
    REFUSED(b[0].buffer = b[1].buffer, "overlap");
    REFUSED((b[0].buffer = b[1].buffer, b[0].access = VKB_WRITE), "reads its first");
    REFUSED(s[2].kernel = 2, "kernel 2 of 2");
    REFUSED(g[s[2].first_groups].count[2] = 0, "must not be 0");
    REFUSED(s[2].first_groups = 2, "group counts 2+1 are outside the 2");
    REFUSED(s[2].first_groups = UINT32_MAX, "outside the 2");
    REFUSED(s[2].nbindings = 2, "kernel 0 has 3");
    REFUSED(s[1].nbindings = 0, "predicate");
    REFUSED(s[1].range_count[0] = 0, "condition of a loop is empty");
    REFUSED(s[1].range_first[0] = 1, "after the step");
    REFUSED(s[1].range_first[0] = 0, "after the step");
    REFUSED(s[1].range_count[1] = 100, "within");
    REFUSED(s[1].range_count[1] = UINT32_MAX, "within");
    REFUSED(s[1].range_first[1] = 2, "two ranges");
    REFUSED(p->main_count = 3, "two ranges");
    REFUSED(p->main_count = 1, "no range");
    REFUSED((s[3].kind = VKB_STEP_WHILE, s[3].range_first[0] = 2, s[3].range_count[0] = 1),
            "after the step");
    REFUSED((s[3].kind = VKB_STEP_HOST, s[3].kernel = 0), "callback 0 of 0");
}

/* A constant that a copy reads, and a host step that reads one word and writes two. */
static bool refused_host(void (*change)(struct builder *b), char *error)
{
    static struct builder b;
    size_t size;
    builder_init(&b, "host");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE),
             m = builder_output(&b, "m", "u32", 1, VKB_NONE);
    uint32_t zero = builder_constant(&b, &(uint32_t){0}, 4), t = builder_arena(&b, 4);
    builder_copy(&b, zero, t, 4);
    builder_host(&b, 0, (const uint32_t[]){t, END}, (const uint32_t[]){n, m, END});
    change(&b);
    void *bundle = builder_finish(&b, &size);
    bool ok = opens(bundle, size, error);
    free(bundle);
    return !ok;
}

static void change_nothing(struct builder *b)
{
    (void)b;
}

static void write_constant(struct builder *b)
{
    b->bindings[0].access = VKB_READ | VKB_WRITE; /* of the copy: it reads it still */
}

static void read_late(struct builder *b)
{
    b->bindings[2].access = VKB_WRITE; /* written, read, written */
    b->bindings[3].access = VKB_READ;
}

static void read_and_write(struct builder *b)
{
    b->bindings[3].access = VKB_READ | VKB_WRITE;
}

static void test_host(void)
{
    char error[300];
    CHECK(!refused_host(change_nothing, error), "%s", error);
    CHECK(refused_host(write_constant, error) && strstr(error, "writes a constant"), "%s", error);
    CHECK(refused_host(read_late, error) && strstr(error, "then those it writes"), "%s", error);
    CHECK(refused_host(read_and_write, error) && strstr(error, "then those it writes"), "%s",
          error);
}

/* A loop that makes one step too many is refused, also behind one that does not. */
static void test_recorded(void)
{
    for (uint32_t more = 0; more < 2; more++) {
        static struct builder b;
        size_t size;
        char error[300];
        builder_init(&b, "recorded");
        uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE), flag = builder_arena(&b, 16);
        uint32_t increment = builder_kernel(&b, K_INCREMENT);
        uint32_t loops[] = {builder_repeat(&b, 2, flag),
                            builder_repeat(&b, VKB_MAX_RECORDED + more, flag)};
        for (int i = 0; i < 2; i++) {
            b.steps[loops[i]].range_first[0] =
                builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
            b.steps[loops[i]].range_count[0] = 1;
        }
        b.program.main_count = 2;
        void *bundle = builder_finish(&b, &size);
        bool opened = opens(bundle, size, error);
        CHECK(more ? !opened && strstr(error, "at most 65536") : opened, "%u: %s", more, error);
        free(bundle);
    }
}

/* A block of 2^31 rounds, each of 2^17 repetitions of 2^16 steps: 2^64 steps, which as a product
   are 0. */
static void test_overflow(void)
{
    enum { INNER = 1 << 17 };
    static struct builder b;
    size_t size;
    char error[300];
    builder_init(&b, "overflow");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE), flag = builder_arena(&b, 16);
    uint32_t increment = builder_kernel(&b, K_INCREMENT),
             outer = builder_repeat(&b, 1u << 31, flag);
    b.steps[outer].range_first[0] = 1;
    b.steps[outer].range_count[0] = 1;
    uint32_t inner = builder_repeat(&b, VKB_MAX_RECORDED, VKB_NONE);
    b.steps[inner].range_first[0] = builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
    b.steps[inner].range_count[0] = 1;
    b.program.main_count = 1;
    void *small = builder_finish(&b, &size);
    CHECK(!opens(small, size, error) && strstr(error, "at most 65536"), "one of them: %s", error);

    /* the same with so many inner ones; what stands behind the steps moves up */
    const struct vkb_header *was = small;
    size_t first = (size_t)was->section[VKB_SECTION_STEPS].offset,
           rest = (size_t)was->section[VKB_SECTION_STEPS + 1].offset;
    size_t bytes = (1 + 2 * (size_t)INNER) * sizeof(struct vkb_step),
           moved = (first + bytes + 15) / 16 * 16 - rest;
    char *large = calloc(1, size + moved);
    struct vkb_header *h = (void *)large;
    struct vkb_step *from = part(small, VKB_SECTION_STEPS), *to = (void *)(large + first);
    memcpy(large, small, first);
    memcpy(large + rest + moved, (char *)small + rest, size - rest);
    h->size = size + moved;
    h->section[VKB_SECTION_STEPS].size = bytes;
    for (int i = VKB_SECTION_STEPS + 1; i < VKB_SECTION_COUNT; i++)
        h->section[i].offset += moved;
    to[0] = from[0];
    to[0].range_count[0] = INNER;
    for (uint32_t i = 0; i < INNER; i++) {
        to[1 + i] = from[1];
        to[1 + i].range_first[0] = 1 + INNER + i;
        to[1 + INNER + i] = from[2];
    }
    builder_sign(large, size + moved);
    CHECK(!opens(large, size + moved, error) && strstr(error, "at most 65536"), "many of them: %s",
          error);
    free(small);
    free(large);
}

static bool refused_repeat(const char *reason, void (*change)(struct builder *b), char *error)
{
    static struct builder b;
    static const uint32_t on[4] = {1, 1, 1, 1};
    size_t size;
    builder_init(&b, "repeat");
    uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE), words = builder_arena(&b, 16),
             increment = builder_kernel(&b, K_INCREMENT);
    builder_constant(&b, on, 16);
    uint32_t outer = builder_repeat(&b, 2, words), inner = builder_repeat(&b, 3, VKB_NONE);
    uint32_t step = builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
    b.steps[outer].range_first[0] = inner;
    b.steps[inner].range_first[0] = step;
    b.steps[outer].range_count[0] = b.steps[inner].range_count[0] = b.program.main_count = 1;
    b.steps[step].counts = words;
    b.steps[step].counts_at = 1;
    change(&b);
    void *bundle = builder_finish(&b, &size);
    bool ok = opens(bundle, size, error);
    free(bundle);
    return reason ? !ok && strstr(error, reason) : ok;
}

/* steps: 0 repeats 1, which repeats 2; buffers: 0 the output, 1 the words, 2 a constant */
#define REPEAT(name, change)            \
    static void name(struct builder *b) \
    {                                   \
        change;                         \
    }
REPEAT(as_it_is, (void)b)
REPEAT(no_times, b->steps[1].times = 0)
REPEAT(no_range, b->steps[1].range_count[0] = 0)
REPEAT(two_ranges, (b->steps[0].range_first[1] = 2, b->steps[0].range_count[1] = 1))
REPEAT(inner_flag, (b->steps[1].nbindings = 1, b->steps[1].first_binding = 0))
REPEAT(written_flag, b->bindings[0].access = VKB_WRITE)
REPEAT(output_flag, b->bindings[0].buffer = 0)
REPEAT(inner_host,
       (b->steps[2].kind = VKB_STEP_HOST, b->steps[2].kernel = 0, b->program.ncallbacks = 1))
REPEAT(too_long, (b->steps[0].times = 1 << 15))
REPEAT(much_too_long, (b->steps[0].times = b->steps[1].times = UINT32_MAX))
REPEAT(counts_nowhere, b->steps[2].counts = 3)
REPEAT(counts_outside, b->steps[2].counts = 0)
REPEAT(counts_late, b->steps[2].counts_at = 2)
REPEAT(counts_later, b->steps[2].counts_at = UINT32_MAX)

static void test_repeats(void)
{
    static const struct {
        void (*change)(struct builder *b);
        const char *reason;
    } rows[] = {
        {as_it_is, NULL},
        {no_times, "repeats 1 steps 0 times"},
        {no_range, "repeats 0 steps"},
        {two_ranges, "one range"},
        {inner_flag, "inside another"},
        {written_flag, "must be read"},
        {output_flag, "from the arena"},
        {inner_host, "kind 4 inside"},
        {too_long, "at most 65536"},
        {much_too_long, "at most 65536"},
        {counts_nowhere, "buffer 3"},
        {counts_outside, "not in the arena"},
        {counts_late, "word 2"},
        {counts_later, "word 4294967295"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[300] = "";
        CHECK(refused_repeat(rows[i].reason, rows[i].change, error), "row %zu: %s, not %s", i,
              error, rows[i].reason ? rows[i].reason : "accepted");
    }
}

/* Loops in loops, one level too many. */
static void test_nesting(void)
{
    static struct builder b;
    for (uint32_t levels = 63; levels <= 64; levels++) {
        size_t size;
        char error[300];
        builder_init(&b, "deep");
        uint32_t n = builder_output(&b, "n", "u32", 1, VKB_NONE),
                 increment = builder_kernel(&b, K_INCREMENT);
        for (uint32_t i = 0; i < levels; i++) {
            uint32_t step = builder_control(&b, VKB_STEP_IF, n);
            b.steps[step].range_first[0] = step + 1;
            b.steps[step].range_count[0] = 1;
        }
        builder_dispatch(&b, increment, 1, (const uint32_t[]){n, END});
        b.program.main_count = 1;
        void *bundle = builder_finish(&b, &size);
        bool ok = opens(bundle, size, error);
        CHECK(ok == (levels == 63) && (ok || strstr(error, "nested deeper")), "%u levels: %s",
              levels, error);
        free(bundle);
    }
}

/* Large buffers: where they begin, what may lie across parts, and who may bind them. */
static void test_parts(void)
{
    static struct builder b;
    char error[300];
    size_t size;
    struct {
        uint64_t offset, bytes;
        uint32_t features;
        const char *why;
    } cases[] = {
        {0, 1024, VKB_FEATURE_ADDRESSES, NULL},
        {512, 1024, VKB_FEATURE_ADDRESSES, NULL},
        {256, 256, 0, NULL},
        {1024, 512, 0, NULL},
        {256, 1024, VKB_FEATURE_ADDRESSES, "must begin with one"},
        {256, 512, 0, "must lie in one"},
        {0, 516, 0, "does not use parts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        builder_init(&b, "parts");
        b.program.part_bytes = 512;
        b.program.features = cases[i].features;
        uint32_t x = builder_input(&b, "x", "f32", 4), y = builder_arena(&b, 4),
                 z = builder_output(&b, "z", "f32", 4, VKB_NONE);
        uint32_t k = builder_kernel(&b, K_ADD);
        b.buffers[y].offset = cases[i].offset;
        b.buffers[y].bytes = cases[i].bytes;
        b.program.arena_bytes = 4096;
        b.bodies[k].features = cases[i].features;
        builder_dispatch(&b, k, 1, (const uint32_t[]){x, y, z, END});
        void *bundle = builder_finish(&b, &size);
        bool ok = opens(bundle, size, error);
        CHECK(cases[i].why ? !ok && strstr(error, cases[i].why) : ok, "case %zu: %s", i,
              ok ? "opens" : error);
        free(bundle);
    }
}

static void test_names(void)
{
    for (uint32_t bit = 0; bit < VKB_FEATURES; bit++)
        CHECK(!vkb_feature_name(1u << bit) == (1u << bit == VKB_FEATURE_RESERVED),
              "bit %u has a name, unless it is reserved", bit);
    CHECK(!vkb_feature_name(1u << VKB_FEATURES), "bit %u has none", VKB_FEATURES);
}

/* FIPS 180-4 examples, and lengths around the padding's edges (digest of 'a' repeated n times). */
static void test_sha256(void)
{
    static const struct {
        const char *text, *digest;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t digest[32];
        char hex[65];
        vkb_sha256(rows[i].text, strlen(rows[i].text), digest);
        for (int k = 0; k < 32; k++)
            snprintf(hex + 2 * k, 3, "%02x", digest[k]);
        CHECK(!strcmp(hex, rows[i].digest), "sha256 of %zu bytes: %s", strlen(rows[i].text), hex);
    }
}

int main(void)
{
    RUN(test_header());
    RUN(test_sections());
    RUN(test_tables());
    RUN(test_kernels());
    RUN(test_bodies());
    RUN(test_texels());
    RUN(test_steps());
    RUN(test_repeats());
    RUN(test_nesting());
    RUN(test_host());
    RUN(test_recorded());
    RUN(test_overflow());
    RUN(test_parts());
    RUN(test_names());
    RUN(test_sha256());
    return harness_report();
}
