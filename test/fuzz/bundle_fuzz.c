/* Throws damaged bundles at the verifier: every truncation, and random corruptions with and without
   the digest made right again. What is damaged under its digest must be refused, with a word; what
   is accepted keeps the promises that the runtime relies on, and is walked as the runtime would.
   Nothing may crash: build it with the sanitizers. Each bundle counts once, as passed or failed.

   bundle_fuzz [model.vkb] [corruptions] [seed]      without a file: small built-in bundles */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/script.h"
#include "../runtime/builder.h"

static uint64_t accepted, refused, failed;
static unsigned bundles, bad_bundles;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The promises of bundle.h that the runtime relies on without looking. *Returns* the first that
   is broken, or NULL. */
static const char *broken(const struct vkb_view *v)
{
    const struct vkb_program *p = v->program;
    for (uint32_t i = 0; i < v->ntensors; i++)
        if (v->tensors[i].alias != VKB_NONE &&
            (i < p->ninputs || v->tensors[i].alias >= p->ninputs))
            return "an alias that is no input";
    for (uint32_t i = 0; i < v->nbindings; i++) {
        if (v->bindings[i].buffer >= v->nbuffers)
            return "a binding without a buffer";
        if (v->bindings[i].access & VKB_WRITE &&
            v->buffers[v->bindings[i].buffer].kind == VKB_BUFFER_CONSTANT)
            return "a constant that is written";
    }
    for (uint32_t i = 0; i < v->nbuffers; i++) {
        const struct vkb_buffer *b = &v->buffers[i];
        uint64_t most = b->kind == VKB_BUFFER_CONSTANT ? v->constants_bytes : p->arena_bytes;
        if (b->kind <= VKB_BUFFER_OUTPUT
                ? b->index >= (b->kind == VKB_BUFFER_INPUT ? p->ninputs : p->noutputs)
                : b->offset > most || b->bytes > most - b->offset)
            return "a buffer that is nowhere";
    }
    for (uint32_t i = 0; i < v->nsteps; i++) {
        const struct vkb_step *s = &v->steps[i];
        bool is_dispatch = s->kind == VKB_STEP_DISPATCH;
        if (is_dispatch &&
            (s->kernel >= v->nkernels || v->kernels[s->kernel].nbindings != s->nbindings))
            return "a dispatch without its kernel or bindings";
        for (uint32_t n = 0; is_dispatch && n < v->kernels[s->kernel].nbodies; n++)
            if (s->first_groups + n >= v->ngroups || !vkb_group_counts(v, s, n)[0])
                return "a body without group counts";
        for (int r = 0; r < 2; r++)
            if (s->range_count[r] && s->kind >= VKB_STEP_WHILE && s->kind != VKB_STEP_HOST &&
                s->range_first[r] <= i)
                return "a range that lies before its step";
    }
    return NULL;
}

static uint64_t walk_body(const struct vkb_view *v, const struct vkb_body *b)
{
    uint64_t sum = strlen(vkb_text(v, b->profile));
    for (uint32_t i = 0; i < b->spirv_count; i++)
        sum += v->spirv[b->spirv_first + i];
    for (uint32_t i = 0; i < b->nneeds; i++)
        sum += v->needs[b->first_need + i].value[0];
    return sum;
}

/* Reads everything that an accepted bundle points at. */
static uint64_t walk(const struct vkb_view *v)
{
    struct script script;
    uint64_t sum = v->program->ninputs + strlen(vkb_text(v, v->program->name));
    for (uint32_t i = 0; i < v->ntensors; i++)
        sum += strlen(vkb_text(v, v->tensors[i].type)) +
               v->tensors[i].dim[v->tensors[i].rank ? v->tensors[i].rank - 1 : 0];
    for (uint32_t i = 0; i < v->nkernels; i++)
        for (uint32_t n = 0; n < v->kernels[i].nbodies; n++)
            sum += walk_body(v, vkb_body_of(v, i, n));
    for (uint32_t i = 0; i < v->nsteps; i++)
        for (uint32_t k = 0; k < v->steps[i].nbindings; k++)
            sum += v->buffers[v->bindings[v->steps[i].first_binding + k].buffer].bytes;
    if (v->constants_bytes)
        sum += v->constants[0] + v->constants[v->constants_bytes - 1];
    for (int single = 0; single < 2; single++) {
        if (script_build(v, single, &script, NULL))
            continue;
        for (uint32_t i = 0; i < script.nitems; i++)
            sum += script.items[i].op == SCRIPT_SUBMIT
                       ? script.segments[script.items[i].argument].count
                       : script.items[i].argument;
        script_finish(&script);
    }
    return sum;
}

/* Counts the bundle as failed, and says why of the first. */
static void complain(const char *what, const char *error)
{
    if (!failed++)
        printf("FAILED: %s: \"%s\"\n", what, error);
}

/* *Returns* whether it was accepted. */
static bool decide(const uint8_t *bytes, size_t size, bool is_damaged, struct vkb_view *view)
{
    char error[256] = "";
    bool ok = bundle_open(bytes, size, view, error, sizeof error);
    const char *promise = ok ? broken(view) : NULL;
    if (ok && is_damaged)
        complain("accepted", "though it is damaged under its digest");
    else if (promise)
        complain("accepted", promise);
    else if (ok == (error[0] != '\0'))
        complain(ok ? "accepted, but it complains" : "refused without a word", error);
    return ok;
}

/* In a block of exactly that size, so that the sanitizer sees a step outside. */
static uint64_t try_bytes(const uint8_t *bytes, size_t size, bool is_damaged)
{
    struct vkb_view view;
    uint64_t sum = 0;
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, bytes, size);
    if (decide(copy, size, is_damaged, &view)) {
        accepted++;
        sum = walk(&view);
    } else {
        refused++;
    }
    free(copy);
    return sum;
}

static void corrupt(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const uint32_t words[] = {0,   1,          2,          3,          4,         255,
                                     256, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    uint32_t changes = 1 + (uint32_t)(next_random(state) % 4);
    for (uint32_t i = 0; i < changes; i++) {
        uint64_t r = next_random(state);
        size_t at = (size_t)(r >> 8) % size;
        uint32_t word = r & 1 ? words[(r >> 1) % (sizeof words / sizeof *words)]
                              : (uint32_t)(next_random(state) >> 60);
        if (r & 0x40)
            bytes[at] ^= (uint8_t)(1u << (r >> 1 & 7));
        else if ((at &= ~(size_t)3) + 4 <= size)
            memcpy(bytes + at, &word, 4);
    }
}

static uint64_t fuzz(const uint8_t *bytes, size_t size, uint64_t count, uint64_t seed)
{
    uint64_t sum = 0, state = seed;
    /* signing all of a long one would take too long */
    size_t step = 1 + size / 20000 * (size / 10000);
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    for (size_t n = 0; n < size; n++) {
        memcpy(copy, bytes, n);
        bool is_signed = n % step == 0 && n >= sizeof(struct vkb_header);
        if (is_signed) { /* so that more than the size is looked at */
            ((struct vkb_header *)(void *)copy)->size = n;
            builder_sign(copy, n);
        }
        sum += try_bytes(copy, n, !is_signed);
    }
    for (uint64_t i = 0; i < count; i++) {
        memcpy(copy, bytes, size);
        corrupt(copy, size, &state);
        bool is_damaged = i % 8 == 0 && memcmp(copy, bytes, size);
        if (!is_damaged)
            builder_sign(copy, size);
        sum += try_bytes(copy, size, is_damaged);
    }
    free(copy);
    return sum;
}

static void *count_blocks(size_t *out_size)
{
    return builder_count_blocks(8, out_size);
}

static uint64_t fuzz_bundle(const uint8_t *bytes, size_t size, uint64_t count, uint64_t seed)
{
    uint64_t before = failed, sum = fuzz(bytes, size, count, seed);
    bundles++;
    bad_bundles += failed > before;
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 10000,
             seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1, sum = 0;
    if (argc > 1) {
        FILE *file = fopen(argv[1], "rb");
        uint8_t *bytes = malloc(64u << 20);
        size_t size = file && bytes ? fread(bytes, 1, 64u << 20, file) : 0;
        if (file)
            fclose(file);
        if (!size) {
            fprintf(stderr, "bundle_fuzz: %s cannot be read\n", argv[1]);
            free(bytes);
            return 1;
        }
        sum += fuzz_bundle(bytes, size, count, seed);
        free(bytes);
    } else {
        void *(*const makers[])(size_t *) = {builder_count, count_blocks};
        for (size_t i = 0; i <= sizeof makers / sizeof *makers; i++) {
            size_t size;
            void *bundle = i ? makers[i - 1](&size) : builder_accumulate(1000, &size);
            sum += fuzz_bundle(bundle, size, count, seed + i);
            free(bundle);
        }
    }
    printf("%llu accepted, %llu refused (%llx)\n", (unsigned long long)accepted,
           (unsigned long long)refused, (unsigned long long)sum);
    /* a bundle is one check */
    printf("%u passed, %u failed, 0 skipped\n", bundles - bad_bundles, bad_bundles);
    return bad_bundles > 0;
}
