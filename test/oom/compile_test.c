/* vkc_compile and vkc_interpret with each allocation failing. Run from the root of the
   repository; arguments are further graphs (JSON) to compile. See README.md. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../front/check.h"
#include "base/diag.h"
#include "oom.h"
#include "programs.h"
#include "vkc.h"

/* What an attempt compiles, and what comes of it with no failure. */
struct phase {
    const struct oom_program *program;
    struct vkc_options options;
    const char *folder; /* emptied before each attempt; NULL: none */
    bool keeps_folder;  /* it is not emptied */
    bool has_wanted;
    struct vkc_result wanted;
};

/* ---- folders ---- */

/* Removes what is in it. *Returns* how many files were not whole: temporary ones. */
static int empty_folder(const char *folder)
{
    char path[600];
    int leftovers = 0;
    DIR *all = opendir(folder);
    for (struct dirent *e; all && (e = readdir(all));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        leftovers += strstr(e->d_name, ".tmp") != NULL;
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (all)
        closedir(all);
    return leftovers;
}

/* ---- compiling ---- */

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_same(const struct vkc_result *a, const struct vkc_result *b)
{
    return a->bundle_size == b->bundle_size && (!a->bundle == !b->bundle) &&
           (!a->bundle || !memcmp(a->bundle, b->bundle, a->bundle_size)) &&
           is_same_text(a->ir, b->ir) && is_same_text(a->plan, b->plan) &&
           is_same_text(a->glsl, b->glsl) && is_same_text(a->dot, b->dot) &&
           is_same_text(a->explain, b->explain) && !memcmp(a->key, b->key, sizeof a->key);
}

static void compile(void *context, struct oom_try *t)
{
    struct phase *p = context;
    struct vkc_result r;
    char what[1400];
    int leftovers = p->folder && !p->keeps_folder ? empty_folder(p->folder) : 0;
    check_that(&oom_check, !leftovers, "%s: %d temporary files are left", t->name, leftovers);
    struct oom_held before = oom_held();
    oom_begin(t);
    bool ok = vkc_compile(p->program->graph, p->program->size, NULL, 0, &p->options, &r);
    oom_end(t);
    if (ok && !p->has_wanted && !t->point) {
        p->wanted = r;
        p->has_wanted = true;
        return;
    }
    bool is_right = ok && !r.error.code && is_same(&r, &p->wanted);
    bool is_memory = !ok && r.error.code == DIAG_MEMORY && r.error.message[0] && !r.bundle;
    snprintf(what, sizeof what, "%s %d %s%s%s",
             is_right ? "right"
             : ok     ? "other results"
                      : "error",
             r.error.code, r.error.message, !ok && r.bundle ? ", and a bundle" : "", r.cache_note);
    /* or the cache */
    bool is_spare = t->is_thread || r.cache_note[0] || oom_is_at(t, "runtime/private_folder.c");
    vkc_result_free(&r);
    oom_judge(t, is_right, is_memory, is_spare, &before, what);
}

static void run_phase(const char *how, const struct oom_program *program,
                      const struct vkc_options *options, const char *folder, bool keeps_folder)
{
    char name[128];
    struct phase p = {
        .program = program, .options = *options, .folder = folder, .keeps_folder = keeps_folder};
    snprintf(name, sizeof name, "compile %s%s", program->name, how);
    p.options.text_ir = program->text_ir;
    oom_each(name, compile, &p);
    if (p.has_wanted)
        vkc_result_free(&p.wanted);
}

/* ---- interpreting ---- */

static float image[64];

static const char interpreted[] =
    "graph \"interpreted\" entry=f0 callbacks=0\n"
    "func f0(f32[8,8], s32[]) {\n  n0 = parameter index=0 : f32[8,8]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = while n0, n1 regions=[f1,f2] : f32[8,8], s32[]\n  n3 = sum n2.0 axes=[1] keep=false : f32[8]\n"
    "  n4 = sort n3 axis=0 descending=false stable=true : f32[8]\n"
    "  n5 = dot n2.0, n4 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[8]\n  return n5, n2.1\n}\n"
    "func f1(f32[8,8], s32[]) {\n  n0 = parameter index=1 : s32[]\n  n1 = constant bits=00000000 : s32[]\n"
    "  n2 = greater n0, n1 : u8[]\n  return n2\n}\n"
    "func f2(f32[8,8], s32[]) {\n  n0 = parameter index=0 : f32[8,8]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = transpose n0 axes=[1,0] : f32[8,8]\n  n3 = add n0, n2 : f32[8,8]\n  n4 = constant bits=00000001 : s32[]\n"
    "  n5 = subtract n1, n4 : s32[]\n  return n3, n5\n}\n";

struct results {
    float x[8];
    int32_t n;
};

static void interpret(void *context, struct oom_try *t)
{
    struct results *wanted = context, found = {{0}, 0};
    const struct vkc_options options = {.text_ir = true};
    int32_t rounds = 2;
    struct vkc_array in[2] = {{image, sizeof image}, {&rounds, sizeof rounds}},
                     out[2] = {{NULL, 0}};
    struct vkc_error error;
    struct oom_held before = oom_held();
    oom_begin(t);
    bool ok = vkc_interpret(interpreted, strlen(interpreted), NULL, 0, &options, true, in, 2, out,
                            2, &error);
    oom_end(t);
    for (int i = 0; ok && i < 2; i++) {
        memcpy(i ? (void *)&found.n : (void *)found.x, out[i].data, out[i].bytes);
        oom_free(out[i].data);
    }
    if (ok && !t->point && !wanted->x[7])
        *wanted = found;
    bool is_memory = !ok && error.code == DIAG_MEMORY && error.message[0];
    oom_judge(t, ok && !memcmp(&found, wanted, sizeof found), is_memory, false, &before,
              ok ? "results" : error.message);
}

/* ---- all of it ---- */

/* For a GPU: whose kernels have other templates, and whose buffers may be large. */
static void graphs(int argc, char **argv)
{
    struct vkc_target target;
    const struct vkc_options options = {.target = &target, .threads = 1, .no_cache = true};
    check_that(&oom_check, vkc_target_named("nvidia", &target), "no profile");
    for (int i = 1; i < argc; i++) {
        struct oom_program program;
        if (oom_graph_read(argv[i], &program))
            run_phase(", nvidia", &program, &options, NULL, false);
        free(program.graph);
    }
}

int main(int argc, char **argv)
{
    struct results results = {{0}, 0};
    char cache[] = "/tmp/vkc-oom-XXXXXX", dumps[] = "/tmp/vkc-oom-XXXXXX";
    bool ok = check_that(&oom_check, mkdtemp(cache) && mkdtemp(dumps), "no folder") &&
              oom_programs_read();
    const struct vkc_donation donation = {0, 0};
    const struct vkc_options plain = {.threads = 1, .no_cache = true};
    const struct vkc_options cached = {
        .threads = 2, .cache_dir = cache, .donations = &donation, .ndonations = 1};
    const struct vkc_options texts = {.threads = 2,
                                      .no_cache = true,
                                      .dump_dir = dumps,
                                      .explain = "n1",
                                      .want_ir = true,
                                      .want_plan = true,
                                      .want_glsl = true,
                                      .want_dot = true};
    for (int i = 0; i < 64; i++)
        image[i] = (float)(i * 37 % 64) - 20;
    for (int i = 0; ok && i < OOM_PROGRAMS; i++)
        run_phase("", &oom_programs[i], &plain, NULL, false);
    if (ok) {
        run_phase(", cache", &oom_programs[0], &cached, cache, false);
        run_phase(", cached", &oom_programs[0], &cached, cache, true);
        run_phase(", texts", &oom_programs[1], &texts, dumps, false);
        oom_each("interpret", interpret, &results);
        graphs(argc, argv);
    }
    oom_programs_free();
    empty_folder(cache);
    empty_folder(dumps);
    rmdir(cache);
    rmdir(dumps);
    return oom_report();
}
