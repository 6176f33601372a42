#include "builder.h"

#include <stdlib.h>
#include <string.h>

#include "accumulate.h"
#include "add.h"
#include "add_narrow.h"
#include "add_parts.h"
#include "ballot.h"
#include "gate.h"
#include "increment.h"
#include "leave.h"
#include "line.h"
#include "less.h"
#include "rich.h"
#include "slow.h"
#include "stray.h"
#include "wild.h"
#include "wild_line.h"
#include "xor_texels.h"

static uint32_t add_text(struct builder *b, const char *text)
{
    uint32_t at = b->nstrings;
    size_t n = strlen(text) + 1;
    if (n == 1)
        return 0;
    memcpy(b->strings + at, text, n);
    b->nstrings += (uint32_t)n;
    return at;
}

void builder_init(struct builder *b, const char *name)
{
    memset(b, 0, sizeof *b);
    b->nstrings = 1;
    b->program.name = add_text(b, name);
    b->program.producer = add_text(b, "test");
    b->program.max_invocations = 64;
    b->program.max_bindings = 4;
    b->program.part_bytes = 1 << 27;
}

static uint32_t add_buffer(struct builder *b, enum vkb_buffer_kind kind, uint32_t index,
                           uint64_t offset, uint64_t bytes)
{
    b->buffers[b->nbuffers] = (struct vkb_buffer){kind, index, offset, bytes};
    return b->nbuffers++;
}

static uint64_t element_bytes(const char *type)
{
    size_t n = strlen(type);
    return type[n - 1] == '8' ? 1 : type[n - 1] == '6' ? 2 : type[n - 1] == '2' ? 4 : 8;
}

static uint32_t add_tensor(struct builder *b, const char *name, const char *type, uint32_t count,
                           uint32_t alias, enum vkb_buffer_kind kind, uint32_t index)
{
    struct vkb_tensor *t = &b->tensors[b->ntensors++];
    *t = (struct vkb_tensor){
        .name = add_text(b, name), .type = add_text(b, type), .rank = 1, .alias = alias, .used = 1};
    t->bytes = count * element_bytes(type);
    t->dim[0] = count;
    return add_buffer(b, kind, index, 0, (t->bytes + 3) & ~(uint64_t)3);
}

uint32_t builder_input(struct builder *b, const char *name, const char *type, uint32_t count)
{
    return add_tensor(b, name, type, count, VKB_NONE, VKB_BUFFER_INPUT, b->program.ninputs++);
}

uint32_t builder_output(struct builder *b, const char *name, const char *type, uint32_t count,
                        uint32_t alias)
{
    return add_tensor(b, name, type, count, alias, VKB_BUFFER_OUTPUT, b->program.noutputs++);
}

uint32_t builder_constant(struct builder *b, const void *data, uint32_t bytes)
{
    uint32_t at = (b->nconstants + 255) & ~255u;
    memcpy(b->constants + at, data, bytes);
    b->nconstants = at + bytes;
    return add_buffer(b, VKB_BUFFER_CONSTANT, 0, at, bytes);
}

uint32_t builder_arena(struct builder *b, uint32_t bytes)
{
    uint64_t at = (b->program.arena_bytes + 255) & ~(uint64_t)255;
    b->program.arena_bytes = at + bytes;
    return add_buffer(b, VKB_BUFFER_ARENA, 0, at, bytes);
}

/* Without names of variables and the like, as the compiler writes modules. *Returns* how many
   words are left. */
static uint32_t copy_module(uint32_t *to, const uint32_t *words, uint32_t count)
{
    enum { OP_SOURCE = 3, OP_MEMBER_NAME = 6 };
    uint32_t n = 5;
    memcpy(to, words, 5 * sizeof *to);
    for (uint32_t at = 5; at < count; at += words[at] >> 16) {
        uint32_t op = words[at] & 0xffff;
        if (op >= OP_SOURCE && op <= OP_MEMBER_NAME)
            continue;
        memcpy(to + n, words + at, (words[at] >> 16) * sizeof *to);
        n += words[at] >> 16;
    }
    return n;
}

static const struct kernel_row {
    const char *name;
    const uint32_t *words;
    uint32_t count, local, nbindings;
} kernel_rows[] = {
    [K_ADD] = {"add", add_spv, sizeof add_spv / 4, 64, 3},
    [K_ACCUMULATE] = {"accumulate", accumulate_spv, sizeof accumulate_spv / 4, 64, 2},
    [K_GATE] = {"gate", gate_spv, sizeof gate_spv / 4, 1, 2},
    [K_INCREMENT] = {"increment", increment_spv, sizeof increment_spv / 4, 1, 1},
    [K_LESS] = {"less", less_spv, sizeof less_spv / 4, 1, 3},
    [K_SLOW] = {"slow", slow_spv, sizeof slow_spv / 4, 64, 1},
    [K_STRAY] = {"stray", stray_spv, sizeof stray_spv / 4, 64, 2},
    [K_ADD_PARTS] = {"add_parts", add_parts_spv, sizeof add_parts_spv / 4, 64, 4},
    [K_ADD_NARROW] = {"add_narrow", add_narrow_spv, sizeof add_narrow_spv / 4, 1, 3},
    [K_XOR_TEXELS] = {"xor_texels", xor_texels_spv, sizeof xor_texels_spv / 4, 64, 3},
    [K_WILD] = {"wild", wild_spv, sizeof wild_spv / 4, 8, 2},
    [K_LEAVE] = {"leave", leave_spv, sizeof leave_spv / 4, 1, 1},
    [K_RICH] = {"rich", rich_spv, sizeof rich_spv / 4, 4, 3},
    [K_LINE] = {"line", line_spv, sizeof line_spv / 4, 64, 1},
    [K_WILD_LINE] = {"wild_line", wild_line_spv, sizeof wild_line_spv / 4, 1, 1},
    [K_BALLOT] = {"ballot", ballot_spv, sizeof ballot_spv / 4, 32, 1},
};

struct vkb_body *builder_body(struct builder *b, enum builder_kernel which)
{
    const struct kernel_row *row = &kernel_rows[which];
    struct vkb_body *body = &b->bodies[b->nbodies++];
    *body =
        (struct vkb_body){.profile = add_text(b, "test"),
                          .spirv_first = b->nspirv,
                          .spirv_count = copy_module(b->spirv + b->nspirv, row->words, row->count),
                          .local_size = {row->local, 1, 1},
                          .shared_bytes = which == K_WILD    ? 32
                                          : which == K_LEAVE ? 768
                                          : which == K_RICH  ? 128
                                                             : 0,
                          .first_need = b->nneeds,
                          .texels = which == K_XOR_TEXELS ? 3 : 0};
    b->nspirv += body->spirv_count;
    b->kernels[b->nkernels - 1].nbodies++;
    return body;
}

void builder_local_size(struct builder *b, uint32_t x, uint32_t y, uint32_t z)
{
    enum { OP_EXECUTION_MODE = 16, OP_DECORATE = 71, BUILT_IN = 11, WORKGROUP_SIZE = 25 };
    struct vkb_body *body = &b->bodies[b->nbodies - 1];
    uint32_t *end = b->spirv + b->nspirv;
    for (uint32_t *w = b->spirv + body->spirv_first + 5, n; w < end; w += n) {
        n = *w >> 16;
        if ((*w & 0xffff) == OP_EXECUTION_MODE)
            w[3] = x, w[4] = y, w[5] = z;
        if ((*w & 0xffff) == OP_DECORATE && w[2] == BUILT_IN && w[3] == WORKGROUP_SIZE) {
            /* a constant that nobody reads, but it would say what the size is */
            memmove(w, w + n, (size_t)(end - w - n) * sizeof *w);
            b->nspirv -= n, body->spirv_count -= n, end -= n, n = 0;
        }
    }
    body->local_size[0] = x, body->local_size[1] = y, body->local_size[2] = z;
}

struct vkb_need *builder_need(struct builder *b, enum vkb_need_kind kind)
{
    b->needs[b->nneeds] = (struct vkb_need){.kind = kind};
    b->bodies[b->nbodies - 1].nneeds++;
    return &b->needs[b->nneeds++];
}

uint32_t builder_kernel(struct builder *b, enum builder_kernel which)
{
    const struct kernel_row *row = &kernel_rows[which];
    bool is_line = which == K_LINE || which == K_WILD_LINE;
    b->kernels[b->nkernels++] = (struct vkb_kernel){.name = add_text(b, row->name),
                                                    .label = add_text(b, row->name),
                                                    .nbindings = row->nbindings,
                                                    .npushed = is_line ? 2 : 0,
                                                    .first_body = b->nbodies};
    builder_body(b, which);
    return b->nkernels - 1;
}

static void add_bindings(struct builder *b, struct vkb_step *s, const uint32_t *buffers,
                         uint32_t access)
{
    for (; *buffers != END; buffers++, s->nbindings++) {
        uint32_t kind = b->buffers[*buffers].kind;
        uint32_t allowed =
            kind == VKB_BUFFER_CONSTANT || kind == VKB_BUFFER_INPUT ? access & VKB_READ : access;
        b->bindings[b->nbindings++] = (struct vkb_binding){*buffers, allowed};
    }
}

uint32_t builder_dispatch(struct builder *b, uint32_t kernel, uint32_t groups,
                          const uint32_t *buffers)
{
    struct vkb_step *s = &b->steps[b->nsteps];
    *s = (struct vkb_step){.kind = VKB_STEP_DISPATCH,
                           .kernel = kernel,
                           .counts = VKB_NONE,
                           .first_groups = b->ngroups,
                           .first_binding = b->nbindings,
                           .barrier = 1};
    for (uint32_t i = 0; i < b->kernels[kernel].nbodies; i++)
        b->groups[b->ngroups++] = (struct vkb_groups){{groups, 1, 1}};
    add_bindings(b, s, buffers, VKB_READ | VKB_WRITE);
    return b->nsteps++;
}

void builder_push(struct builder *b, uint32_t step, const uint32_t *words)
{
    uint32_t n = b->kernels[b->steps[step].kernel].npushed;
    b->steps[step].first_pushed = b->npushed;
    memcpy(b->pushed + b->npushed, words, n * sizeof *words);
    b->npushed += n;
}

uint32_t *builder_groups(struct builder *b, uint32_t step, uint32_t body)
{
    return b->groups[b->steps[step].first_groups + body].count;
}

uint32_t builder_copy(struct builder *b, uint32_t from, uint32_t to, uint32_t bytes)
{
    struct vkb_step *s = &b->steps[b->nsteps];
    *s = (struct vkb_step){.kind = VKB_STEP_COPY,
                           .first_binding = b->nbindings,
                           .barrier = 1,
                           .counts = VKB_NONE,
                           .bytes = bytes};
    add_bindings(b, s, (const uint32_t[]){from, END}, VKB_READ);
    add_bindings(b, s, (const uint32_t[]){to, END}, VKB_WRITE);
    return b->nsteps++;
}

uint32_t builder_control(struct builder *b, enum vkb_step_kind kind, uint32_t predicate)
{
    struct vkb_step *s = &b->steps[b->nsteps];
    *s = (struct vkb_step){.kind = kind, .counts = VKB_NONE, .first_binding = b->nbindings};
    add_bindings(b, s, (const uint32_t[]){predicate, END}, VKB_READ);
    return b->nsteps++;
}

uint32_t builder_repeat(struct builder *b, uint32_t times, uint32_t flag)
{
    struct vkb_step *s = &b->steps[b->nsteps];
    *s = (struct vkb_step){
        .kind = VKB_STEP_REPEAT, .counts = VKB_NONE, .times = times, .first_binding = b->nbindings};
    add_bindings(b, s, (const uint32_t[]){flag, END}, VKB_READ);
    return b->nsteps++;
}

uint32_t builder_host(struct builder *b, uint32_t callback, const uint32_t *read,
                      const uint32_t *written)
{
    struct vkb_step *s = &b->steps[b->nsteps];
    *s = (struct vkb_step){.kind = VKB_STEP_HOST,
                           .counts = VKB_NONE,
                           .kernel = callback,
                           .first_binding = b->nbindings};
    add_bindings(b, s, read, VKB_READ);
    add_bindings(b, s, written, VKB_WRITE);
    if (b->program.ncallbacks <= callback)
        b->program.ncallbacks = callback + 1;
    return b->nsteps++;
}

void builder_sign(void *bundle, size_t size)
{
    struct vkb_header *h = bundle;
    size_t hashed = offsetof(struct vkb_header, section);
    if (size > hashed)
        vkb_sha256((uint8_t *)bundle + hashed, size - hashed, h->sha256);
}

void *builder_finish(struct builder *b, size_t *out_size)
{
    if (!b->program.main_count)
        b->program.main_count = b->nsteps;
    const struct {
        const void *data;
        size_t size;
    } parts[VKB_SECTION_COUNT] = {
        [VKB_SECTION_PROGRAM] = {&b->program, sizeof b->program},
        [VKB_SECTION_TENSORS] = {b->tensors, b->ntensors * sizeof *b->tensors},
        [VKB_SECTION_BUFFERS] = {b->buffers, b->nbuffers * sizeof *b->buffers},
        [VKB_SECTION_KERNELS] = {b->kernels, b->nkernels * sizeof *b->kernels},
        [VKB_SECTION_BODIES] = {b->bodies, b->nbodies * sizeof *b->bodies},
        [VKB_SECTION_NEEDS] = {b->needs, b->nneeds * sizeof *b->needs},
        [VKB_SECTION_GROUPS] = {b->groups, b->ngroups * sizeof *b->groups},
        [VKB_SECTION_STEPS] = {b->steps, b->nsteps * sizeof *b->steps},
        [VKB_SECTION_BINDINGS] = {b->bindings, b->nbindings * sizeof *b->bindings},
        [VKB_SECTION_PUSHED] = {b->pushed, b->npushed * sizeof *b->pushed},
        [VKB_SECTION_SPIRV] = {b->spirv, b->nspirv * sizeof *b->spirv},
        [VKB_SECTION_CONSTANTS] = {b->constants, b->nconstants},
        [VKB_SECTION_STRINGS] = {b->strings, b->nstrings},
    };
    struct vkb_header header = {.magic = VKB_MAGIC, .version = VKB_VERSION};
    size_t at = (sizeof header + 15) & ~(size_t)15;
    for (int i = 0; i < VKB_SECTION_COUNT; i++) {
        header.section[i].offset = at;
        header.section[i].size = parts[i].size;
        at = (at + parts[i].size + 15) & ~(size_t)15;
    }
    header.size = at;
    uint8_t *bytes = calloc(1, at);
    if (!bytes)
        abort();
    memcpy(bytes, &header, sizeof header);
    for (int i = 0; i < VKB_SECTION_COUNT; i++)
        memcpy(bytes + header.section[i].offset, parts[i].data, parts[i].size);
    builder_sign(bytes, at);
    *out_size = at;
    return bytes;
}

/* ---- whole programs ---- */

void *builder_add(uint32_t count, size_t *out_size)
{
    static struct builder b;
    builder_init(&b, "add");
    uint32_t x = builder_input(&b, "a", "f32", count), y = builder_input(&b, "b", "f32", count);
    uint32_t z = builder_output(&b, "sum", "f32", count, VKB_NONE);
    builder_dispatch(&b, builder_kernel(&b, K_ADD), (count + 63) / 64,
                     (const uint32_t[]){x, y, z, END});
    b.steps[0].bytes = 12ull * count;
    return builder_finish(&b, out_size);
}

void *builder_accumulate(uint32_t count, size_t *out_size)
{
    static struct builder b;
    builder_init(&b, "accumulate");
    builder_input(&b, "x", "f32", count);
    uint32_t y = builder_input(&b, "y", "f32", count), z = builder_output(&b, "x", "f32", count, 0);
    builder_dispatch(&b, builder_kernel(&b, K_ACCUMULATE), (count + 63) / 64,
                     (const uint32_t[]){z, y, END});
    return builder_finish(&b, out_size);
}

void *builder_count(size_t *out_size)
{
    static struct builder b;
    builder_init(&b, "count");
    uint32_t n = builder_input(&b, "n", "u32", 1), limit = builder_input(&b, "limit", "u32", 1);
    uint32_t out = builder_output(&b, "n", "u32", 1, VKB_NONE), p = builder_arena(&b, 4);
    uint32_t less = builder_kernel(&b, K_LESS), increment = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, n, out, 4);
    uint32_t loop = builder_control(&b, VKB_STEP_WHILE, p);
    b.program.main_count = 2;
    b.steps[loop].range_first[0] =
        builder_dispatch(&b, less, 1, (const uint32_t[]){out, limit, p, END});
    b.steps[loop].range_count[0] = 1;
    b.steps[loop].range_first[1] = builder_dispatch(&b, increment, 1, (const uint32_t[]){out, END});
    b.steps[loop].range_count[1] = 1;
    return builder_finish(&b, out_size);
}

void *builder_count_blocks(uint32_t times, size_t *out_size)
{
    static struct builder b;
    static const uint32_t on[4] = {1, 1, 1, 1};
    builder_init(&b, "count");
    uint32_t n = builder_input(&b, "n", "u32", 1), limit = builder_input(&b, "limit", "u32", 1);
    uint32_t out = builder_output(&b, "n", "u32", 1, VKB_NONE), p = builder_arena(&b, 4),
             words = builder_arena(&b, 16);
    uint32_t c = builder_constant(&b, on, 16);
    uint32_t less = builder_kernel(&b, K_LESS), gate = builder_kernel(&b, K_GATE),
             increment = builder_kernel(&b, K_INCREMENT);
    builder_copy(&b, n, out, 4);
    builder_copy(&b, c, words, 16);
    uint32_t loop = builder_repeat(&b, times, words);
    b.program.main_count = 3;
    b.steps[loop].range_first[0] =
        builder_dispatch(&b, less, 1, (const uint32_t[]){out, limit, p, END});
    builder_dispatch(&b, gate, 1, (const uint32_t[]){words, p, END});
    uint32_t step = builder_dispatch(&b, increment, 1, (const uint32_t[]){out, END});
    b.steps[step].counts = words;
    b.steps[step].counts_at = 1;
    b.steps[loop].range_count[0] = 3;
    return builder_finish(&b, out_size);
}
