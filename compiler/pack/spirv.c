#define _POSIX_C_SOURCE 200809L
#include "pack/spirv.h"

#include <pthread.h>
#include <shaderc/shaderc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pack/alike.h"
#include "pack/finish.h"
#include "runtime/bundle.h"

/* ---- threads ---- */

enum { MAX_THREADS = 64 };

struct job {
    struct plan *plan;
    struct kernel **codes; /* kernels and variants that differ */
    uint32_t ncodes;
    _Atomic uint32_t next; /* the one that the next free thread takes */
    struct {
        uint32_t *words;
        uint32_t n, features;
        bool no_memory;
        char *error;
    } * result;
    struct cancel *cancel;
    pthread_mutex_t lock; /* of the rest: one report at a time, and the counts in order */
    vkc_progress progress;
    void *context;
    uint32_t done;
};

/* Tells of `more` kernels that are done. */
static void report(struct job *j, uint32_t more)
{
    pthread_mutex_lock(&j->lock);
    j->done += more;
    if (j->progress)
        j->progress(j->context, "kernels", j->done, j->ncodes);
    pthread_mutex_unlock(&j->lock);
}

/* The source around the first error, numbered. */
static char *error_text(const char *glsl, const char *message)
{
    const char *colon = strchr(message, ':');
    long line = colon ? strtol(colon + 1, NULL, 10) : 0;
    size_t room = strlen(message) + 1024, len = 0;
    char *out = calloc(1, room);
    if (!out)
        return NULL;
    len = (size_t)snprintf(out, room, "%s", message);
    long at = 1;
    for (const char *p = glsl; *p; at++) {
        size_t n = strcspn(p, "\n");
        if (at >= line - 2 && at <= line + 1 && len + n + 16 < room)
            len += (size_t)snprintf(out + len, room - len, "%4ld| %.*s\n", at,
                                    (int)(n > 200 ? 200 : n), p);
        p += n + (p[n] == '\n');
    }
    return out;
}

static void compile_one(struct job *j, shaderc_compiler_t compiler,
                        shaderc_compile_options_t options, uint32_t i)
{
    const struct kernel *k = j->codes[i];
    const struct vkc_target *target = k->alternative ? k->alternative->target : j->plan->target;
    shaderc_compilation_result_t r = shaderc_compile_into_spv(
        compiler, k->glsl, strlen(k->glsl), shaderc_compute_shader, "kernel", "main", options);
    if (!r || shaderc_result_get_compilation_status(r) != shaderc_compilation_status_success)
        j->result[i].error =
            error_text(k->glsl, r ? shaderc_result_get_error_message(r) : "no result");
    else {
        uint32_t n = (uint32_t)(shaderc_result_get_length(r) / 4);
        uint32_t *in = malloc((size_t)n * 4 + 4), *out = malloc(finish_room(n) * 4);
        if (in && out) {
            memcpy(in, shaderc_result_get_bytes(r), (size_t)n * 4);
            j->result[i].n = spirv_finish(in, n, target->features, k->features, k->aliased, out,
                                          &j->result[i].features);
        }
        j->result[i].no_memory = !in || !out;
        free(in);
        if (j->result[i].n)
            j->result[i].words = out;
        else {
            free(out);
            j->result[i].error = error_text("", "the SPIR-V of shaderc could not be read");
        }
    }
    j->result[i].no_memory |= !j->result[i].words && !j->result[i].error;
    if (r)
        shaderc_result_release(r);
}

/* glslang builds its tables when the first compiler of a process is made, which takes 65 to 80
   ms, and drops them with the last one. So one is made and kept: the tables are never written
   again, and what runs on several threads shares them. */
/* never read: volatile so that a leak checker finds it */
static shaderc_compiler_t volatile keeper;
static pthread_once_t kept = PTHREAD_ONCE_INIT;

static void keep_tables(void)
{
    keeper = shaderc_compiler_initialize();
}

static void *worker(void *arg)
{
    struct job *j = arg;
    shaderc_compiler_t compiler = shaderc_compiler_initialize();
    shaderc_compile_options_t options = compiler ? shaderc_compile_options_initialize() : NULL;
    if (!options) {
        if (compiler)
            shaderc_compiler_release(compiler);
        return NULL;
    }
    shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan,
                                           shaderc_env_version_vulkan_1_1);
    shaderc_compile_options_set_optimization_level(options, shaderc_optimization_level_zero);
    for (uint32_t i; !cancel_poll(j->cancel) && (i = atomic_fetch_add(&j->next, 1)) < j->ncodes;) {
        const struct tuning *tuning =
            j->codes[i]->alternative ? &j->codes[i]->alternative->tuning : &j->plan->tuning;
        shaderc_compile_options_set_target_spirv(options, (shaderc_spirv_version)tuning->spirv);
        compile_one(j, compiler, options, i);
        report(j, 1);
    }
    shaderc_compile_options_release(options);
    shaderc_compiler_release(compiler);
    return NULL;
}

/* ---- kernels that are the same ---- */

struct table {
    uint32_t *at; /* kernels, plus 1; 0: free */
    uint32_t cap;
};

static bool table_make(struct table *t, const struct plan *p, struct diag *d)
{
    for (t->cap = 64; t->cap < 2 * p->nkernels;)
        t->cap *= 2;
    t->at = ARENA_ARRAY(p->arena, uint32_t, t->cap);
    return t->at || FAIL(d, MEMORY, "out of memory");
}

/* An earlier kernel that is equal to kernel i, or NO_INDEX; then later ones may be equal to i. */
static uint32_t table_find(struct table *t, const struct plan *p, uint32_t i,
                           bool (*is_same)(const struct kernel *, const struct kernel *),
                           uint64_t hash)
{
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & (t->cap - 1);
    while (t->at[at] && !is_same(&p->kernels[t->at[at] - 1], &p->kernels[i]))
        at = (at + 1) & (t->cap - 1);
    if (t->at[at])
        return t->at[at] - 1;
    t->at[at] = i + 1;
    return NO_INDEX;
}

static uint64_t hash_words(const uint32_t *words, uint32_t n)
{
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++)
        hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
    return hash;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

static bool same_words(const struct kernel *a, const struct kernel *b)
{
    return a->nspirv == b->nspirv && memcmp(a->spirv, b->spirv, (size_t)a->nspirv * 4) == 0;
}

static bool same_groups(const struct kernel *a, const struct kernel *b)
{
    return memcmp(a->schedule.groups, b->schedule.groups, sizeof a->schedule.groups) == 0;
}

/* Whether both have equal variants, or neither has any. A kernel that is dispatched in two ways
   must have the same ones in both, so there the group counts matter, too. */
static bool same_variants(const struct kernel *a, const struct kernel *b,
                          bool (*is_same)(const struct kernel *, const struct kernel *))
{
    if (kernel_bodies(a) != kernel_bodies(b) || (a->variant && !same_groups(a, b)))
        return false;
    for (a = a->variant, b = b->variant; a; a = a->variant, b = b->variant)
        if (a->alternative != b->alternative || !is_same(a, b) || !same_groups(a, b))
            return false;
    return true;
}

static bool same_code(const struct kernel *a, const struct kernel *b)
{
    return same_words(a, b) && same_variants(a, b, same_words);
}

static bool same_identity(const struct kernel *a, const struct kernel *b)
{
    return a->has_identity && b->has_identity &&
           memcmp(a->identity, b->identity, sizeof a->identity) == 0;
}

static bool same_glsl(const struct kernel *a, const struct kernel *b)
{
    return a->glsl && b->glsl && strcmp(a->glsl, b->glsl) == 0;
}

static bool same_text(const struct kernel *a, const struct kernel *b)
{
    return same_glsl(a, b) && same_variants(a, b, same_glsl);
}

/* Kernels of one identity, and of one text, are compiled once. */
static bool find_equal(struct plan *p, struct diag *d)
{
    struct table identities, texts;
    if (!table_make(&identities, p, d) || !table_make(&texts, p, d))
        return false;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        struct kernel *k = &p->kernels[i];
        uint64_t hash;
        memcpy(&hash, k->identity, sizeof hash);
        if (k->has_identity)
            k->same_as = table_find(&identities, p, i, same_identity, hash);
    }
    for (uint32_t i = 0; i < p->nkernels; i++) {
        struct kernel *k = &p->kernels[i];
        if (k->same_as != NO_INDEX)
            continue;
        if (!k->glsl)
            return FAIL(d, INTERNAL, "k%u %s has no text", k->id, k->label);
        k->same_as = table_find(&texts, p, i, same_text, hash_text(k->glsl));
    }
    return true;
}

/* ---- bindings of the same memory ---- */

/* The memory of a buffer: an output may have that of an input. */
static const struct plan_buffer *memory_of(const struct plan *p, const uint32_t *inputs,
                                           uint32_t buffer)
{
    const struct plan_buffer *b = &p->buffers[buffer];
    bool is_input = b->kind == PLAN_OUTPUT && b->alias != NO_INDEX;
    return is_input ? &p->buffers[inputs[b->alias]] : b;
}

static bool overlap(const struct plan_buffer *a, const struct plan_buffer *b)
{
    return a == b || (a->kind == PLAN_SCRATCH && b->kind == PLAN_SCRATCH &&
                      a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes);
}

/* Bindings of a dispatch that share memory which one of them writes. */
static uint64_t aliased_in(const struct plan *p, const uint32_t *inputs,
                           const struct plan_step *step)
{
    uint64_t aliased = 0;
    for (uint32_t i = 0; i < step->nbuffers; i++)
        for (uint32_t j = 0; step->access[i] & VKB_WRITE && j < step->nbuffers; j++)
            if (i != j && overlap(memory_of(p, inputs, step->buffers[i]),
                                  memory_of(p, inputs, step->buffers[j])))
                aliased |= finish_bit(i) | finish_bit(j);
    return aliased;
}

/* Code is the same for all who run it, so it has what any of them needs. */
static bool find_aliased(struct plan *p, struct diag *d)
{
    uint32_t *inputs = ARENA_ARRAY(p->arena, uint32_t, p->nbuffers + 1);
    if (!inputs)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < p->nbuffers; i++)
        if (p->buffers[i].kind == PLAN_INPUT)
            inputs[p->buffers[i].index] = i;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        if (p->steps[i].kind != STEP_DISPATCH)
            continue;
        struct kernel *k = &p->kernels[p->steps[i].kernel];
        uint64_t aliased = aliased_in(p, inputs, &p->steps[i]);
        while (k->same_as != NO_INDEX)
            k = &p->kernels[k->same_as];
        for (; k; k = k->variant)
            k->aliased |= aliased;
    }
    return true;
}

/* What is to be compiled: kernels, then their variants. */
static bool list_codes(struct job *j, struct diag *d)
{
    struct plan *p = j->plan;
    j->codes =
        ARENA_ARRAY(p->arena, struct kernel *, (1 + p->nalternatives) * (size_t)p->nkernels + 1);
    if (!j->codes)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < p->nkernels; i++)
        if (p->kernels[i].same_as == NO_INDEX)
            j->codes[j->ncodes++] = &p->kernels[i];
    for (uint32_t i = 0; i < p->nkernels; i++)
        for (struct kernel *v = p->kernels[i].variant; v && p->kernels[i].same_as == NO_INDEX;
             v = v->variant)
            j->codes[j->ncodes++] = v;
    return true;
}

static bool collect(struct job *j, struct diag *d)
{
    struct plan *p = j->plan;
    for (uint32_t i = 0; i < j->ncodes; i++) {
        struct kernel *k = j->codes[i];
        if (j->result[i].no_memory)
            return FAIL(d, MEMORY, "k%u %s: out of memory", k->id, k->label);
        if (!j->result[i].words)
            return FAIL(d, INTERNAL, "k%u %s: %s", k->id, k->label,
                        j->result[i].error ? j->result[i].error : "shaderc gave nothing");
        k->spirv = arena_copy(p->arena, j->result[i].words, (size_t)j->result[i].n * 4);
        k->nspirv = j->result[i].n;
        k->features |= j->result[i].features;
        if (!k->spirv)
            return FAIL(d, MEMORY, "out of memory");
    }
    return true;
}

/* Drops variants that are the kernel's own code, run in the same way. */
static void drop_same(struct kernel *k)
{
    for (struct kernel **v = &k->variant; *v;)
        if (same_words(k, *v) && same_groups(k, *v))
            *v = (*v)->variant;
        else
            v = &(*v)->variant;
}

/* Drops the variants of a kernel that another one, whose code it is, has dropped. */
static void drop_dropped(struct kernel *k, const struct kernel *first)
{
    const struct kernel *stays = first->variant;
    for (struct kernel **v = &k->variant; *v;)
        if (stays && (*v)->alternative == stays->alternative) {
            stays = stays->variant;
            v = &(*v)->variant;
        } else
            *v = (*v)->variant;
}

/* Different texts may be the same code. */
static bool find_same_code(struct plan *p, struct diag *d)
{
    struct table t;
    if (!table_make(&t, p, d))
        return false;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        struct kernel *k = &p->kernels[i];
        if (k->same_as != NO_INDEX) {
            drop_dropped(k, &p->kernels[k->same_as]);
            continue;
        }
        drop_same(k);
        k->same_as = table_find(&t, p, i, same_code, hash_words(k->spirv, k->nspirv));
    }
    return true;
}

bool spirv_is_built(void)
{
    return true;
}

bool spirv_compile(struct plan *p, uint32_t threads, vkc_progress progress, void *context,
                   struct cancel *cancel, struct diag *d)
{
    struct job j = {.plan = p, .cancel = cancel, .progress = progress, .context = context};
    long processors = 4;
#ifdef _SC_NPROCESSORS_ONLN /* not in POSIX.1-2008 */
    processors = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    if (threads == 0)
        threads = processors > 8 ? 8 : processors < 1 ? 1 : (uint32_t)processors;
    if (threads > p->nkernels)
        threads = p->nkernels ? p->nkernels : 1;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    if (!find_equal(p, d) || !find_aliased(p, d) || !list_codes(&j, d))
        return false;
    j.result = calloc(j.ncodes + 1, sizeof *j.result);
    pthread_once(&kept, keep_tables);
    if (!j.result || pthread_mutex_init(&j.lock, NULL)) {
        free(j.result);
        return FAIL(d, MEMORY, "out of memory");
    }
    pthread_t ids[MAX_THREADS];
    uint32_t started = 0;
    report(&j, 0);
    while (started + 1 < threads && pthread_create(&ids[started], NULL, worker, &j) == 0)
        started++;
    worker(&j); /* this thread works too, also when no other could be made */
    for (uint32_t i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&j.lock);
    bool ok =
        cancel_check(cancel, d) && collect(&j, d) && find_same_code(p, d) && alike_merge(p, d);
    for (uint32_t i = 0; i < j.ncodes; i++) {
        free(j.result[i].words);
        free(j.result[i].error);
    }
    free(j.result);
    return ok;
}
