#define _POSIX_C_SOURCE 200809L
/* The pipeline, a call a line, and the in-process API over it. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/bundle.h"
#include "pack/bundle_write.h"
#include "pack/cache.h"
#include "base/cancel.h"
#include "ir/dot.h"
#include "driver/explain.h"
#include "import/import.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "plan/plan_text.h"
#include "pack/spirv.h"
#include "codegen/template.h"
#include "vkc.h"

enum { ARENA_LIMIT_GIB = 4 };

struct compile {
    struct arena arena;
    struct graph graph;
    struct plan plan;
    struct vkc_options options;
    struct vkc_target target, also;
    struct vkc_result *result;
    struct diag diag;
    struct cancel cancel;
    locale_t numbers, hosts; /* C's, and what was there before */
    double started;
};

_Static_assert((int)DIAG_CANCELLED == VKC_CANCELLED, "the public name of a diagnostic");

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double lap(struct compile *c)
{
    double t = now(), d = t - c->started;
    c->started = t;
    return d;
}

/* Whether all of the arena's allocations have succeeded so far. Few callers check each of theirs:
   text that did not fit is dropped, and optional work is left out. So nothing made after a failure
   is of use. */
static bool has_memory(struct compile *c)
{
    return !c->arena.failed || FAIL(&c->diag, MEMORY, "out of memory");
}

/* Whether all is well so far: a dump or a text that cannot be made does not fail its caller. */
static bool goes_on(struct compile *c)
{
    return has_memory(c) && c->diag.code == DIAG_OK;
}

static char *copy_out(struct compile *c, const char *text)
{
    size_t n = strlen(text) + 1;
    char *p = has_memory(c) ? malloc(n) : NULL;
    if (p)
        memcpy(p, text, n);
    else
        FAIL(&c->diag, MEMORY, "out of memory");
    return p;
}

static void progress(struct compile *c, const char *stage, uint32_t done, uint32_t total)
{
    if (c->options.progress)
        c->options.progress(c->options.progress_context, stage, done, total);
}

/* ---- stages ---- */

/* Before anything is compiled, so that a name which is not a folder is reported at once. */
static bool make_dump_dir(struct compile *c)
{
    const char *folder = c->options.dump_dir;
    if (!folder || !mkdir(folder, 0777))
        return true;
    struct stat info;
    if (errno == EEXIST && !stat(folder, &info) && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    return errno == EEXIST ||
           FAIL(&c->diag, INPUT, "the folder for dumps, %s: %s", folder, strerror(errno));
}

static void dump(struct compile *c, const char *name, const char *text, size_t size)
{
    if (!c->options.dump_dir)
        return;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", c->options.dump_dir, name);
    FILE *f = n > 0 && (size_t)n < sizeof path ? fopen(path, "wb") : NULL;
    bool ok = f && fwrite(text, 1, size, f) == size;
    if (f && fclose(f))
        ok = false;
    if (!ok && !f && errno == ENOMEM)
        FAIL(&c->diag, MEMORY, "the dump %.200s/%s: out of memory", c->options.dump_dir, name);
    else if (!ok)
        FAIL(&c->diag, INPUT, "the dump %.200s/%s cannot be written: %s", c->options.dump_dir, name,
             strerror(errno));
}

static const char *graph_text(struct compile *c)
{
    struct str s;
    str_init(&s, &c->arena);
    ir_print(&c->graph, &s);
    return str_text(&s);
}

static bool import(struct compile *c, const void *graph, size_t size, const void *sidecar,
                   size_t sidecar_size)
{
    progress(c, "import", 0, 1);
    bool ok = c->options.text_ir
                  ? ir_parse(&c->arena, graph, size, &c->graph, &c->diag) &&
                        ir_verify(&c->graph, &c->diag)
                  : import_json(&c->arena, graph, size, sidecar, sidecar_size, &c->graph, &c->diag);
    if (!ok)
        return false;
    if (c->options.ndonations) {
        struct donation *d = ARENA_ARRAY(&c->arena, struct donation, c->options.ndonations);
        if (!d)
            return FAIL(&c->diag, MEMORY, "out of memory");
        for (uint32_t i = 0; i < c->options.ndonations; i++)
            d[i] = (struct donation){.input = c->options.donations[i].input,
                                     .output = c->options.donations[i].output};
        c->graph.donations = d;
        c->graph.ndonations = c->options.ndonations;
        if (!ir_verify(&c->graph, &c->diag))
            return false;
    }
    for (uint32_t f = 0; f < c->graph.nfuncs; f++)
        c->result->stats.nodes_in += c->graph.funcs[f].nnodes;
    c->result->stats.seconds_import = lap(c);
    progress(c, "import", 1, 1);
    return true;
}

static uint32_t pass_count(void)
{
    uint32_t n = 0;
    while (vkc_passes[n].name)
        n++;
    return n;
}

struct after {
    struct compile *c;
    uint32_t stage;
};

static void after_pass(void *context, const char *pass, bool changed, const struct graph *g)
{
    struct after *a = context;
    (void)g;
    char name[64];
    snprintf(name, sizeof name, "%02u-%s.ir", 10 + a->stage++, pass);
    if (changed && a->c->options.dump_dir) {
        const char *text = graph_text(a->c);
        dump(a->c, name, text, strlen(text));
    }
    progress(a->c, "passes", a->stage, pass_count());
}

static bool passes(struct compile *c)
{
    progress(c, "passes", 0, pass_count());
    struct after after = {c, 0};
    struct pass_options o = {.fast_math = c->options.fast_math,
                             .highest_precision = c->options.highest_precision,
                             .no_fusion = c->options.no_fusion,
                             .target = &c->target,
                             .skip = c->options.skip_passes,
                             .stop_after = c->options.stop_after,
                             .after = after_pass,
                             .context = &after};
    if (c->options.dump_dir) {
        const char *text = graph_text(c);
        dump(c, "00-import.ir", text, strlen(text));
    }
    if (!passes_run(&c->graph, &o, &c->diag))
        return false;
    if (after.stage < pass_count())
        progress(c, "passes", pass_count(), pass_count());
    c->result->stats.nodes_out = c->graph.funcs[c->graph.entry].nnodes;
    c->result->stats.seconds_passes = lap(c);
    return true;
}

/* The kernel that computes each node of the entry function, the first of several; UINT32_MAX
   where there is none. */
static const uint32_t *kernel_of_nodes(const struct plan *p)
{
    uint32_t n = p->graph->funcs[p->graph->entry].nnodes,
             *kernel = ARENA_ARRAY(p->arena, uint32_t, n);
    if (!kernel)
        return NULL;
    memset(kernel, 0xff, n * sizeof *kernel);
    for (uint32_t k = p->nkernels; k-- > 0;) {
        const struct kernel *kk = &p->kernels[k];
        bool is_entry = kk->func == p->graph->entry;
        for (uint32_t i = 0; is_entry && i < kk->nheroes; i++)
            kernel[kk->heroes[i]] = k;
        for (uint32_t i = 0; is_entry && i < kk->nroots; i++)
            kernel[kk->roots[i].node] = k;
    }
    return kernel;
}

/* Bytes that each op alone would move: every operand read, every result written; for loops one
   round. */
static uint64_t unfused_bytes(const struct graph *g, uint32_t func)
{
    const struct func *f = &g->funcs[func];
    uint64_t n = 0;
    for (node_id i = 0; i < f->nnodes; i++) {
        if (op_class(f->nodes[i].op) == CLASS_SOURCE)
            continue;
        for (uint32_t j = 0; j < f->nodes[i].nins; j++)
            n += tensor_bytes(func_tensor(f, f->nodes[i].ins[j]));
        for (uint32_t j = 0; j < f->nodes[i].nouts; j++)
            n += tensor_bytes(&f->nodes[i].outs[j]);
        for (uint32_t j = 0; j < f->nodes[i].nregions; j++)
            n += unfused_bytes(g, f->nodes[i].regions[j]);
    }
    return n;
}

static bool plan(struct compile *c)
{
    progress(c, "plan", 0, 1);
    struct vkc_stats *s = &c->result->stats;
    s->bytes_unfused = unfused_bytes(&c->graph, c->graph.entry);
    if (!plan_build(&c->arena, &c->graph, &c->options, &c->target, &c->plan, &c->diag))
        return false;
    for (uint32_t i = 0; i < c->plan.nsteps; i++) {
        s->dispatches += c->plan.steps[i].kind == STEP_DISPATCH;
        s->barriers += c->plan.steps[i].barrier;
        s->bytes_moved += c->plan.steps[i].bytes;
    }
    s->kernels = c->plan.nkernels;
    s->bodies = c->plan.bodies;
    s->steps = c->plan.nsteps;
    s->arena_bytes = c->plan.arena_bytes;
    s->unplanned_bytes = c->plan.unplanned_bytes;
    s->constants_bytes = c->plan.constants_bytes;
    s->seconds_plan = lap(c);
    progress(c, "plan", 1, 1);
    if (c->options.dump_dir) {
        struct str text;
        str_init(&text, &c->arena);
        plan_print(&c->plan, &text);
        dump(c, "30-plan.txt", str_text(&text), text.len);
        for (uint32_t i = 0; i < c->plan.nkernels; i++) {
            char name[64];
            snprintf(name, sizeof name, "40-k%u.comp", i);
            dump(c, name, c->plan.kernels[i].glsl, strlen(c->plan.kernels[i].glsl));
        }
    }
    return true;
}

static void texts(struct compile *c)
{
    struct str s;
    if (c->options.want_plan) {
        str_init(&s, &c->arena);
        plan_print(&c->plan, &s);
        c->result->plan = copy_out(c, str_text(&s));
    }
    if (c->options.want_glsl) {
        str_init(&s, &c->arena);
        for (uint32_t i = 0; i < c->plan.nkernels; i++) {
            const struct kernel *k = &c->plan.kernels[i];
            str_printf(&s, "// ==== k%u ====\n%s\n", i, k->glsl);
            for (const struct kernel *v = k->variant; v; v = v->variant)
                str_printf(&s, "// ==== k%u for %s%s ====\n%s\n", i, v->alternative->target->name,
                           units_text(v->alternative->matrix_units), v->glsl);
        }
        c->result->glsl = copy_out(c, str_text(&s));
    }
    if (c->options.explain) {
        str_init(&s, &c->arena);
        explain_node(&c->plan, c->options.explain, &s);
        c->result->explain = copy_out(c, str_text(&s));
    }
}

/* ---- the key of the cache ---- */

extern const char vkc_sources[]; /* made by the Makefile: a checksum of compiler/ */

/* All that a bundle depends on, as digests one after the other: their number is small, their
   sources have any length. */
struct key {
    uint8_t parts[10][32];
    uint32_t n;
};

static void add_part(struct key *key, const void *data, size_t size)
{
    vkb_sha256(data, size, key->parts[key->n++]);
}

static void add_text(struct key *key, const char *text)
{
    add_part(key, text ? text : "", text ? strlen(text) : 0);
}

/* A target has some twenty short lines (target.c: a value has at most 512 bytes, most have 10). */
static void add_target(struct key *key, const struct vkc_target *target)
{
    char text[4096] = "";
    vkc_target_print(target, text, sizeof text);
    add_text(key, text);
}

static void key_of(const struct compile *c, const void *graph, size_t size, const void *sidecar,
                   size_t sidecar_size, uint8_t out[32])
{
    const struct vkc_options *o = &c->options;
    struct key key = {0};
    char text[256];
    snprintf(text, sizeof text, "%s %s %u %d%d%d%d%d%d", VKC_VERSION, vkc_sources, VKB_VERSION,
             o->fast_math, o->no_fusion, o->text_ir, o->apart, o->also != NULL,
             o->highest_precision);
    add_part(&key, graph, size);
    add_part(&key, sidecar, sidecar_size);
    add_text(&key, text);
    add_text(&key, o->skip_passes);
    add_text(&key, o->stop_after);
    add_part(&key, o->donations, o->ndonations * sizeof *o->donations);
    add_target(&key, &c->target);
    if (o->also)
        add_target(&key, &c->also);
    template_digest(key.parts[key.n++]);
    vkb_sha256(key.parts, key.n * sizeof key.parts[0], out);
}

/* ---- the API ---- */

/* The parts of the result that outlive the compile. */
static void discard(struct vkc_result *r)
{
    free(r->bundle);
    free(r->ir);
    free(r->plan);
    free(r->glsl);
    free(r->dot);
    free(r->explain);
    r->bundle = NULL;
    r->bundle_size = 0;
    r->ir = r->plan = r->glsl = r->dot = r->explain = NULL;
}

static void report(struct compile *c)
{
    struct vkc_error *e = &c->result->error;
    if (c->diag.code == DIAG_CANCELLED)
        discard(c->result);
    else if (c->arena.failed &&
             c->diag.code != DIAG_MEMORY) { /* which led to the error, or would have */
        c->diag = (struct diag){0};
        FAIL(&c->diag, MEMORY, "out of memory");
    }
    e->code = (int)c->diag.code;
    memcpy(e->message, c->diag.message, sizeof e->message);
    memcpy(e->where, c->diag.where, sizeof e->where);
    memcpy(e->loc, c->diag.loc, sizeof e->loc);
}

/* While a compile runs, the decimal comma of the host program's locale is off: GLSL has points, and
   so have our own tables. *Returns* false with DIAG_MEMORY. */
static bool init(struct compile *c, const struct vkc_options *options, struct vkc_result *out)
{
    static const struct vkc_options none = {0};
    *c = (struct compile){.options = options ? *options : none, .result = out, .started = now()};
    *out = (struct vkc_result){0};
    if (c->options.target)
        c->target = *c->options.target;
    else
        vkc_target_baseline(&c->target);
    if (c->options.also) {
        c->also = *c->options.also;
        /* buffers are bound as the plan has them */
        c->also.max_binding_bytes = c->target.max_binding_bytes;
        c->options.also = &c->also;
    }
    arena_init(&c->arena, sizeof(size_t) > 4 ? (size_t)ARENA_LIMIT_GIB << 30 : SIZE_MAX / 4);
    c->cancel.is_cancelled = c->options.is_cancelled;
    c->cancel.context = c->options.cancel_context;
    c->arena.cancel = &c->cancel;
    c->numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c->numbers)
        return FAIL(&c->diag, MEMORY, "out of memory");
    c->hosts = uselocale(c->numbers);
    return true;
}

static void finish(struct compile *c)
{
    arena_finish(&c->arena);
    if (!c->numbers)
        return;
    uselocale(c->hosts);
    freelocale(c->numbers);
}

_Static_assert(sizeof((struct cache_note *)0)->text == sizeof((struct vkc_result *)0)->cache_note,
               "a note fits");

bool vkc_compile(const void *graph, size_t graph_size, const void *sidecar, size_t sidecar_size,
                 const struct vkc_options *options, struct vkc_result *out)
{
    struct compile c;
    struct cache_note note = {""};
    bool is_ready = init(&c, options, out);
    double begin = c.started;
    bool wants_text = c.options.want_ir || c.options.want_plan || c.options.want_glsl ||
                      c.options.want_dot || c.options.explain || c.options.dump_dir;
    bool cached =
        c.options.cache_dir && !c.options.no_cache && !wants_text && !c.options.stop_after;
    key_of(&c, graph, graph_size, sidecar, sidecar_size, out->key);
    if (!is_ready || !cancel_check(&c.cancel, &c.diag))
        goto out;
    if (cached &&
        cache_get(c.options.cache_dir, out->key, &out->bundle, &out->bundle_size, &note)) {
        out->stats.cache_hit = true;
        goto out;
    }
    if (!make_dump_dir(&c) || !import(&c, graph, graph_size, sidecar, sidecar_size) ||
        !passes(&c) || !goes_on(&c))
        goto out;
    if (c.options.want_ir)
        out->ir = copy_out(&c, graph_text(&c));
    bool wants_plan =
        c.options.want_plan || c.options.want_glsl || c.options.want_dot || c.options.explain;
    if (c.options.stop_after || (c.options.no_bundle && !wants_plan))
        goto out;
    if (!plan(&c) || !goes_on(&c) || !cancel_check(&c.cancel, &c.diag))
        goto out;
    texts(&c);
    if (c.options.want_dot) {
        struct str s;
        str_init(&s, &c.arena);
        dot_print(&c.graph, kernel_of_nodes(&c.plan), &s);
        out->dot = copy_out(&c, str_text(&s));
    }
    lap(&c);
    if (!goes_on(&c) || c.options.no_bundle || (wants_text && !spirv_is_built()))
        goto out;
    if (!spirv_compile(&c.plan, c.options.threads, c.options.progress, c.options.progress_context,
                       &c.cancel, &c.diag) ||
        !cancel_check(&c.cancel, &c.diag))
        goto out;
    out->stats.seconds_spirv = lap(&c);
    for (uint32_t i = 0; i < c.plan.nkernels; i++)
        out->stats.distinct += c.plan.kernels[i].same_as == NO_INDEX;
    bool written = bundle_write(&c.plan, &out->bundle, &out->bundle_size, &c.diag);
    out->stats.seconds_bundle = lap(&c);
    if (written)
        out->stats.spirv_bytes =
            ((const struct vkb_header *)out->bundle)->section[VKB_SECTION_SPIRV].size;
    if (written && cached)
        cache_put(c.options.cache_dir, out->key, out->bundle, out->bundle_size,
                  note.text[0] ? NULL : &note);

out:
    memcpy(out->cache_note, note.text, sizeof note.text);
    report(&c);
    out->stats.seconds_total = now() - begin;
    finish(&c);
    return out->error.code == DIAG_OK;
}

void vkc_result_free(struct vkc_result *r)
{
    if (!r)
        return;
    discard(r);
    *r = (struct vkc_result){0};
}

bool vkc_interpret(const void *graph, size_t graph_size, const void *sidecar, size_t sidecar_size,
                   const struct vkc_options *options, bool optimised,
                   const struct vkc_array *inputs, uint32_t ninputs, struct vkc_array *outputs,
                   uint32_t noutputs, struct vkc_error *error)
{
    struct compile c;
    struct vkc_result result;
    for (uint32_t i = 0; i < noutputs; i++)
        outputs[i] = (struct vkc_array){NULL, 0};
    if (!init(&c, options, &result) || !import(&c, graph, graph_size, sidecar, sidecar_size) ||
        (optimised && !passes(&c)) || !goes_on(&c))
        goto out;
    const struct func *f = &c.graph.funcs[c.graph.entry];
    if (ninputs != f->nparams || noutputs != f->nresults) {
        FAIL(&c.diag, USAGE, "the graph has %u inputs and %u outputs; %u and %u were given",
             f->nparams, f->nresults, ninputs, noutputs);
        goto out;
    }
    struct array *in = ARENA_ARRAY(&c.arena, struct array, ninputs),
                 *res = ARENA_ARRAY(&c.arena, struct array, noutputs);
    if (!in || !res) {
        FAIL(&c.diag, MEMORY, "out of memory");
        goto out;
    }
    for (uint32_t i = 0; i < ninputs; i++) {
        in[i] = (struct array){f->params[i], inputs[i].data};
        if (inputs[i].bytes != tensor_bytes(&f->params[i])) {
            FAIL(&c.diag, USAGE, "input %u has %zu bytes; its type needs %zu", i, inputs[i].bytes,
                 tensor_bytes(&f->params[i]));
            goto out;
        }
    }
    if (!interp_run(&c.graph, c.graph.entry, &c.arena, in, res, &c.diag) || !goes_on(&c))
        goto out;
    for (uint32_t i = 0; i < noutputs; i++) {
        outputs[i].bytes = tensor_bytes(&res[i].tensor);
        outputs[i].data = malloc(outputs[i].bytes ? outputs[i].bytes : 1);
        if (!outputs[i].data) {
            FAIL(&c.diag, MEMORY, "out of memory");
            while (i--) {
                free(outputs[i].data);
                outputs[i].data = NULL;
            }
            goto out;
        }
        memcpy(outputs[i].data, res[i].data, outputs[i].bytes);
    }
out:
    report(&c);
    if (error)
        *error = result.error;
    finish(&c);
    return c.diag.code == DIAG_OK;
}
