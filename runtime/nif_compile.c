/* The compiler and its interpreter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../compiler/vkc.h"
#include "nif_compile.h"
#include "nif_job.h"

enum { NIF_MAX_TENSORS = 65536 }; /* inputs or outputs of the interpreter */

static ERL_NIF_TERM compile_failed(ErlNifEnv *env, const struct vkc_error *e)
{
    static const char *const codes[] = {"ok",       "input",  "usage",    "unsupported",
                                        "internal", "memory", "cancelled"};
    const char *code = e->code >= 0 && e->code <= VKC_CANCELLED ? codes[e->code] : "internal";
    return enif_make_tuple2(env, nif_atom(env, "error"),
                            enif_make_tuple4(env, nif_atom(env, code), nif_text(env, e->message),
                                             nif_text(env, e->where), nif_text(env, e->loc)));
}

static ERL_NIF_TERM stats_term(ErlNifEnv *env, const struct vkc_result *r)
{
    const struct vkc_stats *s = &r->stats;
    ERL_NIF_TERM map = enif_make_new_map(env);
    PUT_U64(map, *s, nodes_in);
    PUT_U64(map, *s, nodes_out);
    PUT_U64(map, *s, bodies);
    PUT_U64(map, *s, kernels);
    PUT_U64(map, *s, distinct);
    PUT_U64(map, *s, dispatches);
    PUT_U64(map, *s, steps);
    PUT_U64(map, *s, barriers);
    PUT_U64(map, *s, bytes_unfused);
    PUT_U64(map, *s, bytes_moved);
    PUT_U64(map, *s, arena_bytes);
    PUT_U64(map, *s, unplanned_bytes);
    PUT_U64(map, *s, constants_bytes);
    PUT_U64(map, *s, spirv_bytes);
    PUT_F64(map, *s, seconds_import);
    PUT_F64(map, *s, seconds_passes);
    PUT_F64(map, *s, seconds_plan);
    PUT_F64(map, *s, seconds_spirv);
    PUT_F64(map, *s, seconds_bundle);
    PUT_F64(map, *s, seconds_total);
    nif_put(env, &map, "cache_hit", nif_boolean(env, s->cache_hit));
    nif_put(env, &map, "cache_note", nif_text(env, r->cache_note));
    return map;
}

/* {Name, Features, Matrices, Invocations, SharedBytes, Bindings, Subgroup, {Gx, Gy, Gz},
   BindingBytes, Cpu, LoopLimit} */
static bool get_target(ErlNifEnv *env, ERL_NIF_TERM term, struct vkc_target *t)
{
    const ERL_NIF_TERM *e, *g;
    int n, ng;
    char buf[NIF_TEXT];
    const char *name;
    if (!enif_get_tuple(env, term, &n, &e) || n != 11 || !nif_get_text(env, e[0], buf, &name) ||
        !nif_get_u32(env, e[1], &t->features) || !nif_get_u32(env, e[2], &t->matrices) ||
        !nif_get_u32(env, e[3], &t->max_invocations) ||
        !nif_get_u32(env, e[4], &t->max_shared_bytes) ||
        !nif_get_u32(env, e[5], &t->max_bindings) || !nif_get_u32(env, e[6], &t->subgroup_size) ||
        !enif_get_tuple(env, e[7], &ng, &g) || ng != 3 ||
        !nif_get_u32(env, g[0], &t->max_groups[0]) || !nif_get_u32(env, g[1], &t->max_groups[1]) ||
        !nif_get_u32(env, g[2], &t->max_groups[2]) ||
        !nif_get_u64(env, e[8], &t->max_binding_bytes))
        return false;
    memset(t->name, 0, sizeof t->name);
    if (name)
        strncpy(t->name, name, sizeof t->name - 1);
    t->cpu = nif_is_true(env, e[9]);
    t->loop_limit = nif_is_true(env, e[10]);
    return true;
}

struct compile_texts {
    char cache[NIF_TEXT], skip[NIF_TEXT], dump[NIF_TEXT], explain[NIF_TEXT];
};
struct compile_targets {
    struct vkc_target first, also;
};

/* A profile by its name, or as text, which has lines or a '='. */
static bool get_profile(const char *option, const ErlNifBinary *profile, struct vkc_target *target,
                        char *error, size_t error_size)
{
    const char *text = (const char *)profile->data;
    char name[64] = "";
    if (!profile->size || profile->size >= sizeof name || memchr(text, '=', profile->size) ||
        memchr(text, '\n', profile->size))
        return vkc_target_parse(text, profile->size, target, error, error_size);
    memcpy(name, text, profile->size);
    if (vkc_target_named(name, target))
        return true;
    int used =
        snprintf(error, error_size, "%s: there is no device profile '%s'; there are", option, name);
    for (const struct vkc_profile *p = vkc_profiles;
         p->name && used > 0 && (size_t)used < error_size; p++)
        used += snprintf(error + used, error_size - (size_t)used, "%s %s",
                         p == vkc_profiles ? "" : ",", p->name);
    return false;
}

/* {Target | Profile | nil, Also: Profile | nil, FastMath, NoFusion, Skip, CacheDir, DumpDir,
   Explain, Threads, WantTexts} */
static bool get_options(ErlNifEnv *env, ERL_NIF_TERM term, struct vkc_options *o,
                        struct compile_targets *targets, struct compile_texts *t, char *error,
                        size_t error_size)
{
    const ERL_NIF_TERM *e;
    int n;
    ErlNifBinary profile;
    memset(o, 0, sizeof *o);
    vkc_target_baseline(&targets->first);
    error[0] = 0;
    if (!enif_get_tuple(env, term, &n, &e) || n != 11)
        return false;
    if (enif_inspect_binary(env, e[0], &profile)) {
        if (!get_profile("target", &profile, &targets->first, error, error_size))
            return false;
    } else if (!enif_is_atom(env, e[0]) && !get_target(env, e[0], &targets->first)) {
        return false;
    }
    o->target = &targets->first;
    if (enif_inspect_binary(env, e[1], &profile)) {
        if (!get_profile("also", &profile, &targets->also, error, error_size))
            return false;
        o->also = &targets->also;
    } else if (!enif_is_atom(env, e[1])) {
        return false;
    }
    o->fast_math = nif_is_true(env, e[2]);
    o->no_fusion = nif_is_true(env, e[3]);
    o->highest_precision = nif_is_true(env, e[10]);
    bool want = nif_is_true(env, e[9]);
    o->want_ir = o->want_plan = o->want_glsl = o->want_dot = want;
    if (!nif_get_text(env, e[4], t->skip, &o->skip_passes) ||
        !nif_get_text(env, e[5], t->cache, &o->cache_dir) ||
        !nif_get_text(env, e[6], t->dump, &o->dump_dir) ||
        !nif_get_text(env, e[7], t->explain, &o->explain) || !nif_get_u32(env, e[8], &o->threads))
        return false;
    o->no_cache = !o->cache_dir;
    return true;
}

static ERL_NIF_TERM bad_options(ErlNifEnv *env, const char *error)
{
    struct vkc_error e = {.code = 2};
    if (!error[0])
        return enif_make_badarg(env);
    strncpy(e.message, error, sizeof e.message - 1);
    return compile_failed(env, &e);
}

/* What a compile works with, in an environment of its own. */
struct compile {
    ErlNifEnv *env;
    ErlNifBinary json, sidecar;
    struct vkc_options options;
    struct compile_targets targets;
    struct compile_texts texts;
};

static void drop_compile(void *with)
{
    struct compile *c = with;
    if (c->env)
        enif_free_env(c->env);
    enif_free(c);
}

static void compile_progress(void *job, const char *stage, uint32_t done, uint32_t total)
{
    nif_job_progress(job, stage, done, total);
}

/* {ok, Bundle, Stats, Texts}; literals lie in the sidecar */
static ERL_NIF_TERM compile(ErlNifEnv *env, struct job *job, void *with)
{
    struct compile *c = with;
    struct vkc_result r = {0};
    ERL_NIF_TERM result;
    c->options.progress = compile_progress;
    c->options.is_cancelled = nif_job_is_ended;
    c->options.progress_context = c->options.cancel_context = job;
    if (vkc_compile(c->json.data, c->json.size, c->sidecar.data, c->sidecar.size, &c->options,
                    &r)) {
        ERL_NIF_TERM bundle, map = enif_make_new_map(env);
        unsigned char *data = enif_make_new_binary(env, r.bundle_size, &bundle);
        memcpy(data, r.bundle, r.bundle_size);
        nif_put(env, &map, "ir", nif_text(env, r.ir));
        nif_put(env, &map, "plan", nif_text(env, r.plan));
        nif_put(env, &map, "glsl", nif_text(env, r.glsl));
        nif_put(env, &map, "dot", nif_text(env, r.dot));
        nif_put(env, &map, "explain", nif_text(env, r.explain));
        result = enif_make_tuple4(env, nif_atom(env, "ok"), bundle, stats_term(env, &r), map);
    } else {
        result = compile_failed(env, &r.error);
    }
    vkc_result_free(&r);
    return result;
}

/* start_compile(Ref, Json, Sidecar, Options) -> {ok, Job} */
ERL_NIF_TERM nif_compile(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    char error[256] = "";
    struct compile *c = enif_alloc(sizeof *c);
    if (c)
        c->env = enif_alloc_env();
    if (!c || !c->env) {
        if (c)
            enif_free(c);
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory to decode options");
    }
    if (!enif_is_ref(env, argv[0]) ||
        !enif_inspect_binary(c->env, enif_make_copy(c->env, argv[1]), &c->json) ||
        !enif_inspect_binary(c->env, enif_make_copy(c->env, argv[2]), &c->sidecar) ||
        !get_options(env, argv[3], &c->options, &c->targets, &c->texts, error, sizeof error)) {
        drop_compile(c);
        return bad_options(env, error);
    }
    return nif_job_start(env, argv[0], compile, c, drop_compile);
}

/* interpret(Json, Sidecar, Options, Optimised, [Input], OutputCount) -> {ok, [Output]} */
ERL_NIF_TERM nif_interpret(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc;
    ErlNifBinary json, sidecar;
    struct vkc_options o;
    struct compile_targets targets;
    struct vkc_error e = {0};
    struct vkc_array *arrays = NULL;
    struct compile_texts *texts = enif_alloc(sizeof *texts);
    char error[256] = "";
    unsigned ninputs, noutputs;
    ERL_NIF_TERM result, list = argv[4], head;
    if (!texts)
        return nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory to decode options");
    if (!enif_inspect_binary(env, argv[0], &json) || !enif_inspect_binary(env, argv[1], &sidecar) ||
        !enif_get_list_length(env, argv[4], &ninputs) || !enif_get_uint(env, argv[5], &noutputs) ||
        ninputs > NIF_MAX_TENSORS || noutputs > NIF_MAX_TENSORS ||
        !get_options(env, argv[2], &o, &targets, texts, error, sizeof error)) {
        result = bad_options(env, error);
        goto out;
    }
    arrays = calloc((size_t)ninputs + noutputs + 1, sizeof *arrays);
    if (!arrays) {
        result =
            nif_refused(env, VKR_OUT_OF_HOST_MEMORY, "no memory for the arrays of the interpreter");
        goto out;
    }
    for (unsigned i = 0; i < ninputs && enif_get_list_cell(env, list, &head, &list); i++) {
        ErlNifBinary bin;
        if (!enif_inspect_binary(env, head, &bin)) {
            result = enif_make_badarg(env);
            goto out;
        }
        arrays[i] = (struct vkc_array){bin.data, bin.size};
    }
    struct vkc_array *outputs = arrays + ninputs;
    if (!vkc_interpret(json.data, json.size, sidecar.data, sidecar.size, &o,
                       nif_is_true(env, argv[3]), arrays, ninputs, outputs, noutputs, &e)) {
        result = compile_failed(env, &e);
        goto out;
    }
    ERL_NIF_TERM out = enif_make_list(env, 0);
    for (unsigned i = noutputs; i-- > 0;) {
        ERL_NIF_TERM bin;
        memcpy(enif_make_new_binary(env, outputs[i].bytes, &bin), outputs[i].data,
               outputs[i].bytes);
        out = enif_make_list_cell(env, bin, out);
        free(outputs[i].data);
    }
    result = nif_ok(env, out);
out:
    free(arrays);
    enif_free(texts);
    return result;
}

/* ["name\tclass\tdoc"] */
ERL_NIF_TERM nif_list_ops(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    (void)argc, (void)argv;
    uint32_t count = 0;
    while (vkc_list_ops(count))
        count++;
    ERL_NIF_TERM list = enif_make_list(env, 0);
    while (count-- > 0)
        list = enif_make_list_cell(env, nif_text(env, vkc_list_ops(count)), list);
    return list;
}
