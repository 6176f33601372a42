/* What the compiler writes of SPIR-V, and the tables of what the untrusted door admits
   (runtime/spirv_rules.def): every body of every kernel of every graph, for every shipped profile
   and one with all features, is admitted, its features are those that it uses, and every row is
   written by some kernel. Bodies that use addresses or matrix units are left out: the door does not
   admit them, and takes the others of their kernels. Usage: rules_test GRAPH.json ... */
#include <string.h>

#include "../../runtime/bundle.h"
#include "../../runtime/spirv_check.h"
#include "../../runtime/spirv_guard.h"
#include "../front/check.h"
#include "import/json.h"
#include "vkc.h"

/* Rows of a table, with the numbers that tell them apart. */
struct row {
    const char *table, *name;
    uint32_t number, more;
    bool is_written;
};

enum { INT, FLOAT };

static struct row rows[] = {
#define OP(number, name, rank, form, least, most) {"OP", #name, number, 0, false},
#define EXT(number, name, form) {"EXT", #name, number, 0, false},
#define CAPABILITY(number, name, features) {"CAPABILITY", #name, number, 0, false},
#define MODE(number, name, width, feature) {"MODE", #name, number, width, false},
#define SCALAR(kind, bits, is_signed, capability) \
    {"SCALAR", #kind #bits, (kind)*1024 + (bits), is_signed, false},
#define STORAGE(number, name) {"STORAGE", #name, number, 0, false},
#define DECORATION(number, name, operands, targets) {"DECORATION", #name, number, 0, false},
#define BUILT_IN(number, name, target) {"BUILT_IN", #name, number, 0, false},
#include "../../runtime/spirv_rules.def"
};
enum { NROWS = sizeof rows / sizeof *rows };

static struct check check;

static void note(const char *table, uint32_t number, uint32_t more)
{
    for (size_t i = 0; i < NROWS; i++)
        if (!strcmp(rows[i].table, table) && rows[i].number == number && rows[i].more == more)
            rows[i].is_written = true;
}

static void note_instruction(const uint32_t *w)
{
    enum { BUILT_IN = 11, LOCAL_SIZE = 17 };
    note("OP", w[0] & 0xffff, 0);
    switch (w[0] & 0xffff) {
    case OP_ExtInst: note("EXT", w[4], 0); break;
    case OP_Capability: note("CAPABILITY", w[1], 0); break;
    case OP_ExecutionMode: note("MODE", w[2], w[2] == LOCAL_SIZE ? 0 : w[3]); break;
    case OP_TypeInt: note("SCALAR", INT * 1024 + w[2], w[3]); break;
    case OP_TypeFloat: note("SCALAR", FLOAT * 1024 + w[2], 0); break;
    case OP_Variable: note("STORAGE", w[3], 0); break;
    case OP_MemberDecorate: note("DECORATION", w[3], 0); break;
    case OP_Decorate:
        note("DECORATION", w[2], 0);
        if (w[2] == BUILT_IN)
            note("BUILT_IN", w[3], 0);
        break;
    default: break;
    }
}

/* spirv_open refuses capabilities that are not features; a feature that nothing uses would refuse
   devices for nothing. */
static void check_features(const char *name, const char *profile, uint32_t features,
                           uint32_t capabilities)
{
    static const struct {
        uint32_t feature, capability;
    } wide[] = {{VKB_FEATURE_F64, 10}, {VKB_FEATURE_I64, 11}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        check_that(&check, !(features & wide[i].feature) || capabilities >> wide[i].capability & 1,
                   "%s, %s: %s is a feature of a kernel without it", name, profile,
                   vkb_feature_name(wide[i].feature));
}

static void check_body(const char *name, const char *profile, const struct vkb_view *v,
                       uint32_t kernel, uint32_t number)
{
    const struct vkb_body *k = vkb_body_of(v, kernel, number);
    const uint32_t *words = v->spirv + k->spirv_first;
    struct spirv_claim claim = {{k->local_size[0], k->local_size[1], k->local_size[2]},
                                k->shared_bytes,
                                v->kernels[kernel].nbindings,
                                v->kernels[kernel].npushed,
                                k->features,
                                k->texels};
    struct spirv_module m;
    char error[400];
    if (k->features & (VKB_FEATURE_ADDRESSES | VKB_FEATURE_COOPERATIVE_MATRIX))
        return;
    check_that(&check, spirv_open(words, k->spirv_count, &claim, &m, error, sizeof error),
               "%s, %s, %s: %s", name, profile, vkb_text(v, v->kernels[kernel].name), error);
    check_features(name, profile, k->features, m.capabilities);
    spirv_close(&m);
    for (uint32_t at = 5; at < k->spirv_count; at += words[at] >> 16)
        note_instruction(words + at);
}

static void check_bundle(const char *name, const char *profile, const void *bundle, size_t size)
{
    struct vkb_view v;
    char error[400];
    if (!check_that(&check, bundle_open(bundle, size, &v, error, sizeof error), "%s, %s: %s", name,
                    profile, error))
        return;
    for (uint32_t i = 0; i < v.nkernels; i++)
        for (uint32_t k = 0; k < v.kernels[i].nbodies; k++)
            check_body(name, profile, &v, i, k);
}

/* ---- programs ---- */

static const char all_features[] =
    "name = all\n"
    "features = f64,i64,i16,f16,storage8,storage16,subgroup_arithmetic,cooperative_matrix,szinfnan32,szinfnan64,"
    "denorm16,denorm32,denorm64,rte16,rte32,rte64,memory_model,fma,compare32\n"
    "max_invocations = 256\nmax_shared_bytes = 32768\nmax_bindings = 16\nsubgroup_size = 32\n"
    "max_groups = 65535,65535,65535\nmax_binding_bytes = 134217728\n";

/* A graph may need what the profile lacks; a program of ours, in text, may not. */
static void compile(const char *name, const char *graph, bool is_text, const char *profile)
{
    struct vkc_target target = {0};
    struct vkc_result result;
    char error[256];
    bool has_target = strcmp(profile, "all") ? vkc_target_named(profile, &target)
                                             : vkc_target_parse(all_features, strlen(all_features),
                                                                &target, error, sizeof error);
    if (!check_that(&check, has_target, "%s: no such target", profile))
        return;
    const struct vkc_options options = {
        .target = &target, .text_ir = is_text, .no_cache = true, .threads = 2};
    if (vkc_compile(graph, strlen(graph), NULL, 0, &options, &result))
        check_bundle(name, profile, result.bundle, result.bundle_size);
    else
        check_that(&check, result.error.code == 3 && !is_text, "%s, %s: %s", name, profile,
                   result.error.message);
    vkc_result_free(&result);
}

static void compile_all(const char *name, const char *graph, bool is_text)
{
    if (!check_wanted(&check, name))
        return;
    for (const struct vkc_profile *p = vkc_profiles; p->name; p++)
        compile(name, graph, is_text, p->name);
    compile(name, graph, is_text, "all");
}

/* A list of cases, as in test/fixtures: ops one by one. */
static void compile_list(struct arena *a, const struct json *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct json *graph = json_get(&list->items[i], "graph");
        const char *text = graph ? arena_printf(a, "%.*s", (int)graph->size, graph->source) : NULL;
        if (check_that(&check, text != NULL, "case %u has no graph", i))
            compile_all(json_get(&list->items[i], "name")->text, text, false);
    }
}

/* What no graph at hand has. Each is compiled for every profile. The last has names and a source
   line that would be code, or join lines, if they reached a shader as they are; and a word that
   only the code is searched for. */
static const struct {
    const char *name, *text;
} programs[] = {
    {"long sort",
     "graph \"sort\" entry=f0 callbacks=0\nfunc f0(s32[2,6001]) {\n  n0 = parameter index=0 : s32[2,6001]\n"
     "  n1 = sort n0 axis=1 descending=true stable=false : s32[2,6001]\n  return n1\n}\n"},
    {"sort of many",
     "graph \"many\" entry=f0 callbacks=0\nfunc f0(u8[1048576]) {\n  n0 = parameter index=0 : u8[1048576]\n"
     "  n1 = sort n0 axis=0 descending=false stable=false : u8[1048576]\n  return n1\n}\n"},
    {"one of less than a word",
     "graph \"small\" entry=f0 callbacks=0\nfunc f0(s16[1]) {\n  n0 = parameter index=0 : s16[1]\n"
     "  n1 = negate n0 : s16[1]\n  return n1\n}\n"},
    {"text from outside",
     "graph \"a\\x0a#error \\\\\" entry=f0 callbacks=0\nfunc f0(f32[4] \"x\\x0a}; evil() \\\\\") {\n"
     "  n0 = parameter index=0 : f32[4]\n  n1 = exp n0 : f32[4] @\"double.ex:1\\x0a#error \\\\\"\n  return n1\n}\n"},
};

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size;
        char error[128], *text = read_file(argv[i], &size);
        struct arena a;
        arena_init(&a, 0);
        const struct json *json = text ? json_parse(&a, text, size, error) : NULL;
        if (check_that(&check, json != NULL, "%s: cannot be read", argv[i])) {
            if (json->kind == JSON_LIST)
                compile_list(&a, json);
            else
                compile_all(argv[i], text, false);
        }
        arena_finish(&a);
        free(text);
    }
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        compile_all(programs[i].name, programs[i].text, true);
    for (size_t i = 0; i < NROWS && !getenv("CASE"); i++)
        check_that(&check, rows[i].is_written, "spirv_rules.def: no kernel has %s(%u, %s)",
                   rows[i].table, rows[i].number, rows[i].name);
    return check_finish(&check);
}
