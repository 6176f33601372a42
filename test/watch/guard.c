#include "guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/program.h"
#include "map.h"
#include "spirv_access.h"
#include "watch.h"

enum {
    GAP = 2048, /* bytes */
    /* read at each end of a piece where the host reads over a bus, some 10 MB/s */
    SLOW_BYTES = 4096
};

/* NaN in f16, bf16, f32 and f64, a negative number or a large one in integers. */
static const uint32_t pattern = 0xfff7fff5;

struct guard_sum {
    struct chunk *chunk;
    uint64_t bytes, sum;
};

static bool has_length(const struct vkb_view *v)
{
    static struct spirv_access access;
    for (uint32_t i = 0; i < v->nbodies; i++) {
        const struct vkb_body *b = &v->bodies[i];
        if (!spirv_access_read(v->spirv + b->spirv_first, b->spirv_count, &access) ||
            access.has_length)
            return true;
    }
    return false;
}

/* The layer takes two bindings that overlap for a hazard, and one that reaches into its guard
   overlaps what follows in the arena. */
static bool is_validated(void)
{
    const char *validate = getenv("VALIDATE");
    return validate && *validate;
}

void guard_device(vkr_device *device)
{
    device->pool.gap = GAP;
    watch_widen(device, is_validated() ? 0 : GAP);
}

void guard_bundle(vkr_device *device, const void *bundle, size_t size)
{
    struct vkb_view v;
    char error[64];
    bool reaches =
        !is_validated() && bundle_open(bundle, size, &v, error, sizeof error) && !has_length(&v);
    watch_widen(device, reaches ? GAP : 0);
}

/* ---- what is nobody's ---- */

/* A piece of memory that no one may write to; false to stop. */
typedef bool visit_fn(void *context, uint32_t *words, uint64_t bytes, const char *what,
                      uint64_t of);

struct visit {
    visit_fn *function;
    void *context;
    /* bytes visited at each end of a piece; all of it if it has less than two such */
    uint64_t ends;
};

/* Where what is nobody's begins behind so many bytes: the runtime zeros the rest of a texel for
   programs that are not trusted. */
static uint64_t own(const struct vkr_program *program, uint64_t bytes)
{
    uint64_t storage = buffer_storage(bytes);
    return program->untrusted && program->has_texels ? vkb_texel_view_bytes(storage) : storage;
}

static bool visit(const struct visit *v, const struct chunk *c, uint64_t first, uint64_t end,
                  const char *what, uint64_t of)
{
    uint8_t *at = c->block->mapped + c->offset;
    if (first >= end)
        return true;
    if ((end - first) / 2 <= v->ends)
        return v->function(v->context, (uint32_t *)(void *)(at + first), end - first, what, of);
    return v->function(v->context, (uint32_t *)(void *)(at + first), v->ends, what, of) &&
           v->function(v->context, (uint32_t *)(void *)(at + end - v->ends), v->ends, what,
                       of + end - first - v->ends);
}

static int compare_buffers(const void *a, const void *b)
{
    const struct vkb_buffer *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The places of the arena that none of its buffers has. */
static bool visit_arena(const struct visit *v, const struct vkr_program *program)
{
    const struct vkb_view *bundle = &program->bundle;
    struct vkb_buffer *buffers = calloc((size_t)bundle->nbuffers + 1, sizeof *buffers);
    uint32_t count = 0;
    uint64_t end = 0;
    bool ok = true;
    if (!buffers)
        abort();
    for (uint32_t i = 0; i < bundle->nbuffers; i++)
        if (bundle->buffers[i].kind == VKB_BUFFER_ARENA)
            buffers[count++] = bundle->buffers[i];
    qsort(buffers, count, sizeof *buffers, compare_buffers);
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = visit(v, program->arena, end, buffers[i].offset, "in the arena behind byte", end);
        if (end < buffers[i].offset + buffers[i].bytes)
            end = buffers[i].offset + buffers[i].bytes;
    }
    ok = ok && visit(v, program->arena, own(program, end), program->arena->size,
                     "in the arena behind byte", end);
    free(buffers);
    return ok;
}

/* Owners of chunks: buffers, by chunk; the largest where several share one. */
static void find_owners(const struct vkr_device *device, struct map *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < device->buffers.npages * BUFFER_PAGE; i++) {
        struct buffer *b = &device->buffers.pages[i / BUFFER_PAGE][i % BUFFER_PAGE];
        const struct buffer *other = b->chunk ? map_get(out, (uint64_t)(uintptr_t)b->chunk) : NULL;
        if (b->chunk && (b->is_live || b->pins) && (!other || other->bytes < b->bytes))
            map_put(out, (uint64_t)(uintptr_t)b->chunk, b);
    }
}

static void keep(void *value)
{
    (void)value;
}

/* Of the blocks up to `serial`; what is another program's own is left alone. */
static bool visit_all(const struct visit *v, const struct vkr_program *program, uint64_t serial)
{
    const struct vkr_device *device = program->device;
    const struct vkb_view *bundle = &program->bundle;
    struct map owners;
    bool ok = true;
    find_owners(device, &owners);
    for (const struct memory_block *block = device->pool.blocks; block; block = block->next) {
        if (!block->mapped || block->serial > serial)
            continue;
        for (const struct chunk *c = block->first; ok && c; c = c->above) {
            const struct buffer *b = map_get(&owners, (uint64_t)(uintptr_t)c);
            if (c->is_free)
                ok = visit(v, c, 0, c->size, "in free memory at byte", c->offset);
            else if (b)
                ok = visit(v, c, own(program, b->bytes), c->size, "behind a tensor whose bytes are",
                           b->bytes);
            else if (c == program->constants && !c->more)
                ok = visit(v, c, own(program, bundle->constants_bytes), c->size,
                           "behind constants whose bytes are", bundle->constants_bytes);
            else if (c == program->arena && !c->more)
                ok = visit_arena(v, program);
        }
    }
    map_finish(&owners, keep);
    return ok;
}

/* ---- filling ---- */

static bool fill(void *context, uint32_t *words, uint64_t bytes, const char *what, uint64_t of)
{
    (void)context, (void)what, (void)of;
    for (uint64_t i = 0; i < bytes / 4; i++)
        words[i] = pattern;
    return true;
}

/* What is read at each end of a piece: all, where the host's cache helps. */
static uint64_t readable_ends(const vkr_device *device)
{
    return device->gpu.memory_types.direct_read == UINT64_MAX ? UINT64_MAX : SLOW_BYTES;
}

static uint64_t sum_of_bytes(const uint8_t *data, uint64_t bytes)
{
    uint64_t sum = bytes, word;
    for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
        memcpy(&word, data + i, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    for (uint64_t i = bytes & ~(uint64_t)7; i < bytes; i++)
        sum = (sum ^ data[i]) * 0x100000001b3u;
    return sum;
}

static uint64_t sum_of_piece(const uint8_t *data, uint64_t bytes, uint64_t ends)
{
    if (bytes / 2 <= ends)
        return sum_of_bytes(data, bytes);
    return sum_of_bytes(data, ends) ^ 3 * sum_of_bytes(data + bytes - ends, ends);
}

/* Of an allocation, which may have several pieces. */
static uint64_t sum_of(const vkr_device *device, struct chunk *c, uint64_t bytes)
{
    uint64_t sum = 0;
    for (uint64_t part, at = 0; at < bytes; at += part) {
        struct chunk_place place = chunk_place(c, at);
        part = bytes - at < place.left ? bytes - at : place.left;
        sum = sum * 0x9e3779b97f4a7c15u +
              sum_of_piece(place.piece->block->mapped + place.offset, part, readable_ends(device));
    }
    return sum;
}

static bool is_donated(const struct vkr_program *program, const vkr_buffer *inputs,
                       const struct buffer *b)
{
    for (uint32_t i = 0; i < program->bundle.program->ninputs; i++)
        if (program->is_donated[i] && inputs[i] == buffer_handle(&program->device->buffers, b))
            return true;
    return false;
}

static void take_sums(struct guard *g, const struct vkr_program *program, const vkr_buffer *inputs)
{
    const struct vkr_device *device = program->device;
    uint32_t n = device->buffers.npages * BUFFER_PAGE;
    g->sums = calloc((size_t)n + 1, sizeof *g->sums);
    if (!g->sums)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        const struct buffer *b = &device->buffers.pages[i / BUFFER_PAGE][i % BUFFER_PAGE];
        if (b->is_live && b->chunk && b->chunk->block->mapped && !is_donated(program, inputs, b))
            g->sums[g->nsums++] =
                (struct guard_sum){b->chunk, b->bytes, sum_of(device, b->chunk, b->bytes)};
    }
}

void guard_before(struct guard *g, vkr_program *program, const vkr_buffer *inputs)
{
    struct vkr_device *device = program->device;
    const struct visit filling = {fill, NULL, UINT64_MAX};
    *g = (struct guard){0};
    vkr_device_wait(device, NULL);
    pthread_mutex_lock(&device->gpu.lock);
    g->serial = device->pool.next_serial;
    if (program->arena && program->arena->block->mapped && !program->arena->more)
        visit(&filling, program->arena, 0, program->arena->size, "", 0);
    visit_all(&filling, program, g->serial);
    take_sums(g, program, inputs);
    pthread_mutex_unlock(&device->gpu.lock);
    watch_widen(device, is_validated() || has_length(&program->bundle) ? 0 : GAP);
}

/* ---- looking ---- */

struct found {
    char *text;
    size_t size;
};

static bool look(void *context, uint32_t *words, uint64_t bytes, const char *what, uint64_t of)
{
    const struct found *f = context;
    uint64_t count = 0, first = 0;
    for (uint64_t i = 0; i < bytes / 4; i++)
        if (words[i] != pattern && !count++)
            first = i;
    if (count)
        snprintf(f->text, f->size,
                 "%llu words changed that are nobody's, the first %llu bytes %s %llu",
                 (unsigned long long)count, (unsigned long long)(4 * first), what,
                 (unsigned long long)of);
    return !count;
}

static bool look_at_contents(const struct guard *g, const struct vkr_program *program, char *text,
                             size_t size)
{
    const struct chunk *c = program->constants;
    const struct vkb_view *v = &program->bundle;
    for (size_t i = 0; i < g->nsums; i++)
        if (sum_of(program->device, g->sums[i].chunk, g->sums[i].bytes) != g->sums[i].sum) {
            snprintf(text, size, "a tensor of %" PRIu64 " bytes changed that is not an output",
                     g->sums[i].bytes);
            return false;
        }
    uint64_t ends = readable_ends(program->device);
    if (c && c->block->mapped && !c->more &&
        sum_of_piece(c->block->mapped + c->offset, v->constants_bytes, ends) !=
            sum_of_piece(v->constants, v->constants_bytes, ends)) {
        snprintf(text, size, "the constants changed");
        return false;
    }
    return true;
}

bool guard_after(struct guard *g, vkr_program *program, char *text, size_t size)
{
    struct vkr_device *device = program->device;
    struct found found = {text, size};
    text[0] = '\0';
    vkr_device_wait(device, NULL);
    pthread_mutex_lock(&device->gpu.lock);
    bool ok = visit_all(&(struct visit){look, &found, readable_ends(device)}, program, g->serial) &&
              look_at_contents(g, program, text, size);
    pthread_mutex_unlock(&device->gpu.lock);
    free(g->sums);
    *g = (struct guard){0};
    return ok;
}
