/* What a compilation says of itself: its counts are those of the bundle, kernels are drawn and
   named by the source of what they compute, every stage is dumped, SPIR-V has the float
   controls and the version of the target, and kernels list the features that they need. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../runtime/bundle.h"
#include "check.h"
#include "vkc.h"

/* Large enough that neither function is a workgroup program. Nodes of the loop have numbers of
   the entry's. */
static const char looping[] =
    "graph \"w\" entry=f0 callbacks=0\n"
    "func f0(f32[300000] \"x\", s32[]) {\n"
    "  n0 = parameter index=0 : f32[300000]\n"
    "  n1 = parameter index=1 : s32[]\n"
    "  n2 = exp n0 : f32[300000] @\"entry.ex:2\"\n"
    "  n3 = while n1, n2 regions=[f1,f2] : s32[], f32[300000] @\"entry.ex:3\"\n"
    "  n4 = sum n3.1 axes=[0] keep=false : f32[] @\"entry.ex:4\"\n"
    "  return n4, n3.1\n"
    "}\n"
    "func f1(s32[], f32[300000]) {\n"
    "  n0 = parameter index=0 : s32[]\n"
    "  n1 = constant bits=00000009 : s32[]\n"
    "  n2 = less n0, n1 : u8[] @\"predicate.ex:2\"\n"
    "  return n2\n"
    "}\n"
    "func f2(s32[], f32[300000]) {\n"
    "  n0 = parameter index=0 : s32[]\n"
    "  n1 = parameter index=1 : f32[300000]\n"
    "  n2 = constant bits=00000001 : s32[]\n"
    "  n3 = add n0, n2 : s32[] @\"body.ex:3\"\n"
    "  n4 = sin n1 : f32[300000] @\"body.ex:3\"\n"
    "  return n3, n4\n"
    "}\n";

static const char doubled[] =
    "graph \"d\" entry=f0 callbacks=0\nfunc f0(f32[70], f64[70]) {\n  n0 = parameter index=0 : f32[70]\n"
    "  n1 = parameter index=1 : f64[70]\n  n2 = exp n0 : f32[70]\n  n3 = add n1, n1 : f64[70]\n  return n2, n3\n}\n";

/* False, and counted, if there is no bundle, or one that is not as it should be. */
static bool compile(const char *text, const struct vkc_options *more, struct vkc_result *r,
                    struct vkb_view *v)
{
    struct vkc_options options = *more;
    char error[256] = "";
    options.text_ir = options.no_cache = true;
    options.threads = 2;
    bool ok = vkc_compile(text, strlen(text), NULL, 0, &options, r) &&
              bundle_open(r->bundle, r->bundle_size, v, error, sizeof error);
    CHECK(ok, "%s%s", r->error.message, error);
    return ok;
}

/* ---- the bundle ---- */

static void check_counts(const struct vkc_stats *s, const struct vkb_view *v)
{
    uint32_t dispatches = 0, barriers = 0;
    uint64_t moved = 0, words = 0;
    for (uint32_t i = 0; i < v->nsteps; i++) {
        dispatches += v->steps[i].kind == VKB_STEP_DISPATCH;
        barriers += v->steps[i].barrier;
        moved += v->steps[i].bytes;
    }
    for (uint32_t i = 0; i < v->nbodies; i++)
        words += v->bodies[i].spirv_count;
    CHECK(s->steps == v->nsteps && s->kernels >= v->nkernels, "%u steps, %u kernels", s->steps,
          s->kernels);
    CHECK(s->dispatches == dispatches && dispatches > 4, "%u dispatches, the bundle has %u",
          s->dispatches, dispatches);
    CHECK(s->barriers == barriers && barriers > 4, "%u barriers, the bundle has %u", s->barriers,
          barriers);
    CHECK(s->bytes_moved == moved && moved > 0, "%llu bytes, the steps of the bundle move %llu",
          (unsigned long long)s->bytes_moved, (unsigned long long)moved);
    CHECK(s->spirv_bytes == 4 * words && words > 0,
          "%llu bytes of SPIR-V, the bundle has %llu words", (unsigned long long)s->spirv_bytes,
          (unsigned long long)words);
    CHECK(s->arena_bytes == v->program->arena_bytes &&
              s->unplanned_bytes == v->program->unplanned_bytes,
          "memory");
}

static void check_names(const struct vkb_view *v)
{
    static const char *const names[] = {"x", "", "", ""}, *const types[] = {"f32", "s32", "f32",
                                                                            "f32"};
    CHECK(strcmp(vkb_text(v, v->program->name), "w") == 0 && v->ntensors == 4, "the program");
    for (uint32_t i = 0; i < v->ntensors; i++)
        CHECK(strcmp(vkb_text(v, v->tensors[i].name), names[i]) == 0 &&
                  strcmp(vkb_text(v, v->tensors[i].type), types[i]) == 0,
              "tensor %u is %s, of type %s", i, vkb_text(v, v->tensors[i].name),
              vkb_text(v, v->tensors[i].type));
}

/* A kernel comes from a line of its own function; copies and gates come from none. */
static void check_sources(const struct vkb_view *v)
{
    static const char *const lines[] = {"entry.ex:2", "entry.ex:4", "predicate.ex:2", "body.ex:3",
                                        ""};
    enum { LINES = sizeof lines / sizeof *lines };
    uint32_t found[LINES] = {0};
    for (uint32_t i = 0; i < v->nkernels; i++) {
        const char *source = vkb_text(v, v->kernels[i].source);
        int at = 0;
        while (at < LINES && strcmp(lines[at], source) != 0)
            at++;
        CHECK(at < LINES, "%s comes from \"%s\"", vkb_text(v, v->kernels[i].label), source);
        if (at < LINES)
            found[at]++;
    }
    for (int i = 0; i < LINES; i++)
        CHECK(found[i] > 0, "no kernel comes from \"%s\"", lines[i]);
}

/* ---- texts ---- */

/* What the innermost cluster is called in which a node is drawn: "k0", or "f0" outside of
   kernels. */
static void cluster_of(const char *dot, const char *node, char out[16])
{
    static const char word[] = "subgraph cluster_";
    char drawn[64];
    snprintf(drawn, sizeof drawn, " %s [label=", node);
    const char *end = strstr(dot, drawn), *last = NULL;
    for (const char *at = strstr(dot, word); end && at && at < end; at = strstr(at + 1, word))
        last = at + strlen(word);
    snprintf(out, 16, "%.*s", last ? (int)strcspn(last, " ") : 0, last ? last : "");
}

static void check_dot(const char *dot)
{
    char loop[16], first[16], second[16], inside[16];
    cluster_of(dot, "f0_3", loop);
    cluster_of(dot, "f0_2", first);
    cluster_of(dot, "f0_5", second);
    cluster_of(dot, "f2_4", inside);
    CHECK(strstr(dot, "f0_3 [label=\"n3 while") && strstr(dot, "f0_5 [label=\"n6 sum"), "%s", dot);
    CHECK(first[0] == 'k' && second[0] == 'k' && strcmp(first, second) != 0, "exp in %s, sum in %s",
          first, second);
    CHECK(strcmp(inside, "f2") == 0, "sin in %s", inside);
    CHECK(strcmp(loop, "f0") == 0, "while in %s", loop);
}

static void check_loop(void)
{
    const struct vkc_options options = {.want_dot = true, .explain = "n3"};
    struct vkc_result r;
    struct vkb_view v;
    if (compile(looping, &options, &r, &v)) {
        check_counts(&r.stats, &v);
        check_names(&v);
        check_sources(&v);
        check_dot(r.dot);
        CHECK(strstr(r.explain, "n3 = while") && !strstr(r.explain, "stored by k"),
              "no kernel computes it: %s", r.explain);
    }
    vkc_result_free(&r);
}

/* ---- dumps ---- */

static char *read_whole(const char *dir, const char *name)
{
    char path[512], *text = calloc(1, 1 << 20);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    size_t n = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (f)
        fclose(f);
    CHECK(n > 0, "%s is empty, or is not there", name);
    return text;
}

static void check_dumps(void)
{
    char dir[] = "/tmp/vkc_pack_XXXXXX", last[256] = "", path[512];
    struct vkc_result r;
    struct vkb_view v;
    if (!mkdtemp(dir)) {
        CHECK(false, "no folder %s", dir);
        return;
    }
    const struct vkc_options options = {.dump_dir = dir, .want_ir = true, .want_plan = true};
    uint32_t kernels = 0, stages = 0;
    if (compile(looping, &options, &r, &v)) {
        char *imported = read_whole(dir, "00-import.ir"), *plan = read_whole(dir, "30-plan.txt");
        CHECK(strstr(imported, "n4 = sum n3.1") && strcmp(plan, r.plan) == 0,
              "the graph as it came, and the plan");
        free(imported);
        free(plan);
        DIR *d = opendir(dir);
        for (struct dirent *e; d && (e = readdir(d));) {
            kernels += strncmp(e->d_name, "40-k", 4) == 0;
            if (e->d_name[0] == '1' || e->d_name[0] == '2') { /* what a pass has changed */
                stages++;
                if (strcmp(e->d_name, last) > 0)
                    snprintf(last, sizeof last, "%s", e->d_name);
            }
            snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
            CHECK(e->d_name[0] == '.' || access(path, R_OK) == 0, "%s", path);
        }
        if (d)
            closedir(d);
        CHECK(kernels == r.stats.kernels && stages > 0, "%u kernels and %u stages are dumped",
              kernels, stages);
        char *ir = read_whole(dir, last);
        CHECK(strcmp(ir, r.ir) == 0, "%s is not what the passes made", last);
        free(ir);
    }
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        CHECK(e->d_name[0] == '.' || unlink(path) == 0, "%s", path);
    }
    if (d)
        closedir(d);
    CHECK(rmdir(dir) == 0, "%s", dir);
    vkc_result_free(&r);
}

/* ---- float controls ---- */

/* The numbers of SPIR-V's specification: of the capability, and of the execution mode that needs
   it. */
static const struct {
    const char *name;
    uint32_t feature, capability, mode, width;
} controls[] = {
    {"DenormPreserve 16", VKB_FEATURE_DENORM_PRESERVE_16, 4464, 4459, 16},
    {"RoundingModeRTE 16", VKB_FEATURE_ROUND_NEAREST_16, 4467, 4462, 16},
    {"DenormPreserve 32", VKB_FEATURE_DENORM_PRESERVE_32, 4464, 4459, 32},
    {"DenormPreserve 64", VKB_FEATURE_DENORM_PRESERVE_64, 4464, 4459, 64},
    {"SignedZeroInfNanPreserve 32", VKB_FEATURE_SIGNED_ZERO_INF_NAN_32, 4466, 4461, 32},
    {"SignedZeroInfNanPreserve 64", VKB_FEATURE_SIGNED_ZERO_INF_NAN_64, 4466, 4461, 64},
    {"RoundingModeRTE 32", VKB_FEATURE_ROUND_NEAREST_32, 4467, 4462, 32},
    {"RoundingModeRTE 64", VKB_FEATURE_ROUND_NEAREST_64, 4467, 4462, 64},
};
enum { CONTROLS = sizeof controls / sizeof *controls };

/* How many instructions of that kind have these words, of which the last may be left out with 0. */
static uint32_t count(const uint32_t *w, uint32_t n, uint32_t op, uint32_t at, uint32_t first,
                      uint32_t second)
{
    uint32_t found = 0;
    for (uint32_t i = 5; i < n && w[i] >> 16; i += w[i] >> 16)
        found += (w[i] & 0xffff) == op && (w[i] >> 16) > at + (second != 0) && w[i + at] == first &&
                 (second == 0 || w[i + at + 1] == second);
    return found;
}

/* Whether it is declared, with a NUL that is part of the instruction. */
static bool has_extension(const uint32_t *w, uint32_t n, const char *name)
{
    enum { EXTENSION = 10 };
    size_t size = strlen(name) + 1;
    for (uint32_t i = 5; i < n && w[i] >> 16; i += w[i] >> 16)
        if ((w[i] & 0xffff) == EXTENSION && 4 * (size_t)((w[i] >> 16) - 1) >= size &&
            !memcmp(&w[i + 1], name, size))
            return true;
    return false;
}

static void check_module(const uint32_t *w, uint32_t n, uint32_t features, bool has_f64)
{
    enum { EXECUTION_MODE = 16, CAPABILITY = 17 };
    uint32_t all = 0, controlled = 0;
    for (uint32_t i = 0; i < CONTROLS; i++) {
        /* no kernel here relies on those of f16 */
        bool wanted = features & controls[i].feature && controls[i].width != 16 &&
                      (has_f64 || controls[i].width == 32);
        uint32_t modes = count(w, n, EXECUTION_MODE, 2, controls[i].mode, controls[i].width);
        CHECK(modes == wanted, "%s: %u times, with features %x", controls[i].name, modes, features);
        CHECK(!wanted || count(w, n, CAPABILITY, 1, controls[i].capability, 0) == 1,
              "%s: its capability", controls[i].name);
        controlled += wanted;
    }
    for (uint32_t i = 5; i < n && w[i] >> 16; i += w[i] >> 16)
        all += (w[i] & 0xffff) == EXECUTION_MODE;
    CHECK(!controlled || has_extension(w, n, "SPV_KHR_float_controls"),
          "float controls without their extension");
    CHECK(all == controlled + 1, "%u execution modes: the workgroup's size, and %u float controls",
          all, controlled);
}

static void check_controls(void)
{
    struct vkc_target target;
    const struct vkc_options options = {.target = &target, .no_fusion = true};
    for (uint32_t left_out = 0; left_out <= CONTROLS; left_out++) {
        struct vkc_result r;
        struct vkb_view v;
        vkc_target_baseline(&target);
        for (uint32_t i = 0; i < CONTROLS; i++)
            target.features |= i == left_out ? 0 : controls[i].feature;
        uint32_t doubles = 0;
        if (compile(doubled, &options, &r, &v)) {
            for (uint32_t i = 0; i < v.nkernels; i++) {
                const struct vkb_body *k = vkb_body_of(&v, i, 0);
                check_module(v.spirv + k->spirv_first, k->spirv_count, target.features,
                             k->features & VKB_FEATURE_F64);
                doubles += (k->features & VKB_FEATURE_F64) != 0;
            }
            CHECK(v.nkernels == 2 && doubles == 1, "%u kernels, %u of f64", v.nkernels, doubles);
        }
        vkc_result_free(&r);
    }
}

/* ---- features ---- */

static const char mixed[] =
    "graph \"m\" entry=f0 callbacks=0\n"
    "func f0(f32[70], f64[70], s64[70], f16[70], u8[70], c64[70]) {\n"
    "  n0 = parameter index=0 : f32[70]\n  n1 = parameter index=1 : f64[70]\n"
    "  n2 = parameter index=2 : s64[70]\n  n3 = parameter index=3 : f16[70]\n"
    "  n4 = parameter index=4 : u8[70]\n  n5 = parameter index=5 : c64[70]\n"
    "  n6 = divide n0, n0 : f32[70]\n  n7 = log n1 : f64[70]\n  n8 = multiply n2, n2 : s64[70]\n"
    "  n9 = add n3, n3 : f16[70]\n  n10 = add n4, n4 : u8[70]\n  n11 = exp n5 : c64[70]\n"
    "  n12 = add n0, n0 : f32[70]\n  return n6, n7, n8, n9, n10, n11, n12\n}\n";

/* What SPIR-V has where a kernel needs a feature: a capability, by its number. */
static const struct {
    uint32_t feature, capability;
} needed[] = {{VKB_FEATURE_F16, 9}, {VKB_FEATURE_F64, 10}, {VKB_FEATURE_I64, 11}};

/* A body lists a feature where its code needs it, and nowhere else: a device without it refuses the
   program, and one that has it is not kept from it. */
static void check_needed(const char *profile, const struct vkb_view *v, const struct vkb_body *b)
{
    enum { CAPABILITY = 17 };
    const uint32_t *w = v->spirv + b->spirv_first;
    for (uint32_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        bool has = count(w, b->spirv_count, CAPABILITY, 1, needed[i].capability, 0) > 0;
        CHECK(has == !!(b->features & needed[i].feature), "%s: capability %u with features %x",
              profile, needed[i].capability, b->features);
    }
}

/* Kernel by kernel, what is compiled where fma() rounds once and where it does not: code that
   relies on it says so. */
static void check_fma(const struct vkb_view *with, const struct vkb_view *without)
{
    uint32_t fused = 0;
    CHECK(with->nkernels == without->nkernels, "%u and %u kernels", with->nkernels,
          without->nkernels);
    for (uint32_t i = 0; i < with->nkernels && i < without->nkernels; i++) {
        const struct vkb_body *a = vkb_body_of(with, i, 0), *b = vkb_body_of(without, i, 0);
        bool differs = a->spirv_count != b->spirv_count ||
                       memcmp(with->spirv + a->spirv_first, without->spirv + b->spirv_first,
                              4 * (size_t)a->spirv_count) != 0;
        CHECK(differs == !!(a->features & VKB_FEATURE_FMA), "%s: %s code, and features %x",
              vkb_text(with, with->kernels[i].label), differs ? "other" : "the same", a->features);
        CHECK(!(b->features & VKB_FEATURE_FMA), "%s: features %x without fma()",
              vkb_text(with, with->kernels[i].label), b->features);
        fused += differs;
    }
    CHECK(fused > 0 && fused < with->nkernels, "%u kernels of %u rely on fma()", fused,
          with->nkernels);
}

/* What a profile is compiled for. */
enum fma { AS_IT_IS, WITHOUT_FMA, ON_LAVAPIPE };

static bool compile_mixed(const char *profile, enum fma how, struct vkc_result *r,
                          struct vkb_view *v)
{
    struct vkc_target target, lavapipe;
    const struct vkc_options options = {.target = &target, .no_fusion = true};
    uint32_t all = 0;
    CHECK(vkc_target_named(profile, &target) && vkc_target_named("lavapipe", &lavapipe), "%s",
          profile);
    target.features |= VKB_FEATURE_F64 | VKB_FEATURE_I64 | VKB_HALF_FEATURES;
    if (how == WITHOUT_FMA)
        target.features &= ~(uint32_t)VKB_FEATURE_FMA;
    if (how == ON_LAVAPIPE)
        vkc_target_run_on(&target, &lavapipe);
    if (!compile(mixed, &options, r, v))
        return false;
    for (uint32_t i = 0; i < v->nkernels; i++) {
        check_needed(profile, v, vkb_body_of(v, i, 0));
        all |= vkb_body_of(v, i, 0)->features;
    }
    CHECK(v->program->features == all, "%s: features %x, those of its kernels are %x", profile,
          v->program->features, all);
    CHECK(!!(all & VKB_FEATURE_FMA) == (how == AS_IT_IS && strcmp(profile, "nvidia") == 0),
          "%s: features %x", profile, all);
    return true;
}

static void check_features(void)
{
    static const char *const others[] = {"amd", "lavapipe", "baseline"};
    struct vkc_result r[3];
    struct vkb_view v[3];
    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        compile_mixed(others[i], AS_IT_IS, &r[0], &v[0]);
        vkc_result_free(&r[0]);
    }
    bool with = compile_mixed("nvidia", AS_IT_IS, &r[0], &v[0]),
         without = compile_mixed("nvidia", WITHOUT_FMA, &r[1], &v[1]),
         emulated = compile_mixed("nvidia", ON_LAVAPIPE, &r[2], &v[2]);
    if (with && without)
        check_fma(&v[0], &v[1]);
    for (uint32_t i = 0; with && emulated && i < v[0].nkernels; i++)
        CHECK(!(vkb_body_of(&v[0], i, 0)->features & VKB_FEATURE_FMA) ||
                  vkb_body_of(&v[2], i, 0)->features & VKB_FEATURE_F64,
              "kernel %u imitates fma() without doubles", i);
    for (uint32_t i = 0; i < 3; i++)
        vkc_result_free(&r[i]);
}

/* ---- matrix units ---- */

static const char products[] =
    "graph \"p\" entry=f0 callbacks=0\nfunc f0(f16[256,64], f16[64,256], bf16[256,64], bf16[64,256]) {\n"
    "  n0 = parameter index=0 : f16[256,64]\n  n1 = parameter index=1 : f16[64,256]\n"
    "  n2 = parameter index=2 : bf16[256,64]\n  n3 = parameter index=3 : bf16[64,256]\n"
    "  n4 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f16[256,256]\n"
    "  n5 = dot n2, n3 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : bf16[256,256]\n"
    "  return n4, n5\n}\n";

/* The first body of each product needs the units that it was written for, the last one none. */
static void check_units(void)
{
    struct vkc_target target;
    const struct vkc_options options = {.target = &target};
    struct vkc_result r;
    struct vkb_view v;
    uint32_t found = 0;
    CHECK(vkc_target_named("nvidia", &target), "the profile");
    if (compile(products, &options, &r, &v))
        for (uint32_t i = 0; i < v.nkernels; i++) {
            const struct vkb_body *first = vkb_body_of(&v, i, 0);
            const struct vkb_body *last = vkb_body_of(&v, i, v.kernels[i].nbodies - 1);
            for (uint32_t k = 0; k < first->nneeds; k++)
                if (v.needs[first->first_need + k].kind == VKB_NEED_MATRIX)
                    found |= 1u << v.needs[first->first_need + k].value[0];
            for (uint32_t k = 0; k < last->nneeds; k++)
                CHECK(v.needs[last->first_need + k].kind != VKB_NEED_MATRIX, "the last body");
        }
    CHECK(found == (1u << VKB_MATRIX_F16_16 | 1u << VKB_MATRIX_BF16_16), "needs units %x", found);
    vkc_result_free(&r);
}

/* ---- the version ---- */

static void check_version(void)
{
    static const uint32_t versions[] = {0, 0x00010400, 0x00010500, 0x00010600};
    struct vkc_target target;
    const struct vkc_options options = {.target = &target};
    for (uint32_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct vkc_result r;
        struct vkb_view v;
        vkc_target_baseline(&target);
        target.spirv = versions[i];
        if (compile(doubled, &options, &r, &v)) {
            const uint32_t wanted = versions[i] ? versions[i] : 0x00010300;
            for (uint32_t k = 0; k < v.nbodies; k++) {
                const uint32_t *w = v.spirv + v.bodies[k].spirv_first;
                CHECK(w[1] == wanted, "body %u has version %08x, the target %08x", k, w[1], wanted);
            }
        }
        vkc_result_free(&r);
    }
}

int main(void)
{
    if (check_wanted("loop"))
        check_loop();
    if (check_wanted("dumps"))
        check_dumps();
    if (check_wanted("controls"))
        check_controls();
    if (check_wanted("features"))
        check_features();
    if (check_wanted("units"))
        check_units();
    if (check_wanted("version"))
        check_version();
    return check_report();
}
