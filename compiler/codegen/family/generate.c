/* GLSL of one kernel: its body from the family, then bindings, functions and extensions around it. */
#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/generate.h"
#include "codegen/family/contract.h"
#include "codegen/family/fourier.h"
#include "codegen/family/lines.h"
#include "codegen/family/map.h"
#include "codegen/family/rows.h"
#include "codegen/family/schedule.h"
#include "codegen/family/solve.h"
#include "codegen/family/turn.h"
#include "codegen/template.h"

/* Of an unrolled row program: statements, and what they cost in additions. A call of a long function is one
   statement, but drivers inline it, and take minutes to find registers for sixteen sines of f64. */
enum { STRAIGHT_CODE = 400, STRAIGHT_COST = 500 };

/* A view of the binding: an array, or where it has parts what looks like one. */
static void print_view(struct emit *e, uint32_t binding, const char *suffix, const char *type, uint32_t element_bytes, const char *comment, struct str *out)
{
    struct kernel *k = e->kernel;
    const char *access = k->access[binding] == VKB_READ ? "readonly " : k->access[binding] == VKB_WRITE ? "writeonly " : "";
    const char *name = arena_printf(e->arena, "%s%s", emit_buffer_name(e, k->bound[binding]), suffix);
    if (emit_in_parts(e, k->bound[binding]))
        emit_parts(e->unit->target, &(struct parts){name, access, type, element_bytes, binding}, out);
    else
        str_printf(out, "layout(std430, binding = %u) %sbuffer B%u%s { %s %s[]; }; // %s\n", binding, access, binding, *suffix ? "v" : "", type, name, comment);
}

static void print_bindings(struct emit *e, const char *body, struct str *out)
{
    struct kernel *k = e->kernel;
    for (uint32_t i = 0; i < k->nbound; i++) {
        const struct node *n = func_node(e->func, k->bound[i].node);
        const struct tensor *t = func_tensor(e->func, k->bound[i]);
        const char *name = emit_buffer_name(e, k->bound[i]);
        const char *param = n->op == OP_PARAMETER ? e->func->param_names[attr_int(n, ATTR_index, 0)] : NULL;
        char type[160];
        tensor_print(type, sizeof type, t);
        bool in_parts = emit_in_parts(e, k->bound[i]);
        const char *plain = arena_printf(e->arena, in_parts ? "%s(" : "%s[", name), *vector = arena_printf(e->arena, in_parts ? "%s_v(" : "%s_v[", name);
        const char *comment = arena_printf(e->arena, "n%u%s%s  %s", n->label, param ? " " : "",
                                           param ? str_comment(e->arena, param) : "", type);
        if (in_parts)
            emit_addresses(i, comment, out);
        if (strstr(body, plain))
            print_view(e, i, "", memory_glsl(t->type), type_bytes(t->type) < 4 ? 4 : type_bytes(t->type), comment, out);
        if (vector_glsl(t->type) && strstr(body, vector))
            print_view(e, i, "_v", vector_glsl(t->type), 4 * type_bytes(t->type), comment, out);
    }
}

static void print_shared(struct emit *e, struct str *out)
{
    const struct kernel *k = e->kernel;
    if (k->family == FAMILY_CONTRACT) {
        contract_shared(k, func_node(e->func, k->heroes[0])->outs[0].type, out);
        return;
    }
    if (k->family == FAMILY_FOURIER) {
        fourier_shared(e, out);
        return;
    }
    turn_shared(e, out);
    for (uint32_t h = 0; h < k->nheroes && k->schedule.row_threads > 1; h++) {
        const struct node *n = func_node(e->func, k->heroes[h]);
        enum vkc_type in = func_tensor(e->func, n->ins[0])->type, t = hero_accumulator(n);
        uint32_t slots = hero_slots(e, n);
        if (op_class(n->op) == CLASS_ARGREDUCE) {
            str_printf(out, "shared %s part_n%u[%u];\n", vkc_types[in].glsl, n->label, slots);
            str_printf(out, "shared uint where_n%u[%u];\n", n->label, slots);
        } else
            str_printf(out, "shared %s part_n%u[%u];\n", vkc_types[t].glsl, n->label, slots);
    }
}

/* Whether the code has the word; comments hold text from outside, which says nothing about it. */
static bool code_has(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; *p; p++) {
        if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
            if (!*p)
                return false;
        }
        if (strncmp(p, word, n) == 0)
            return true;
    }
    return false;
}

const char *kernel_extensions(struct kernel *k, struct arena *a, const struct vkc_target *t, const char *text)
{
    struct str s;
    str_init(&s, a);
    str_add(&s, "#extension GL_EXT_control_flow_attributes : require\n");
    if (code_has(text, "double") || code_has(text, "dvec"))
        k->features |= VKB_FEATURE_F64;
    if (code_has(text, "int64_t") || code_has(text, "i64vec") || code_has(text, "u64vec") || code_has(text, "Int64") ||
        code_has(text, "Uint64")) {
        k->features |= VKB_FEATURE_I64;
        str_add(&s, "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n");
    }
    if (code_has(text, "buffer_reference")) {
        k->features |= VKB_FEATURE_ADDRESSES;
        str_add(&s, "#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_buffer_reference_uvec2 : require\n");
    }
    if (t->emulated & VKB_FEATURE_FMA && code_has(text, "NX_FMA")) {
        k->features |= VKB_FEATURE_F64;
        str_printf(&s, "#define NX_FMA nx_emulated_fma\n%s", template_text("emulated_fma.glsl"));
    } else if (t->features & VKB_FEATURE_FMA && code_has(text, "NX_FMA")) {
        k->features |= VKB_FEATURE_FMA;
        str_add(&s, "#define NX_FMA fma\n");
    }
    if (s.len)
        s.data[--s.len] = '\0'; /* the template has the line's end */
    return str_text(&s);
}

static const char *family_name(enum family f)
{
    static const char *const names[] = {"map", "rows", "contract", "solve", "lines", "fourier", "group", "steer"};
    return names[f];
}

/* "k3 rows f32[64,128]: n7 n9 n12" */
const char *kernel_label(const struct unit *u, struct arena *a, const struct kernel *k)
{
    const struct func *f = unit_func(u);
    struct str s;
    str_init(&s, a);
    str_printf(&s, "%s", family_name(k->family));
    if (k->family == FAMILY_MAP)
        str_printf(&s, " %lld", (long long)k->size);
    else if (k->family == FAMILY_FOURIER)
        str_printf(&s, " %lld x %lld", (long long)(k->outer / k->inner), (long long)k->inner);
    else if (k->family != FAMILY_CONTRACT)
        str_printf(&s, " %lld x %lld", (long long)k->outer, (long long)k->inner);
    else
        str_printf(&s, " %lld x %lld x %lld x %lld", (long long)k->batch, (long long)k->m, (long long)k->n, (long long)k->inner);
    for (uint32_t i = 0; i < k->nheroes; i++)
        str_printf(&s, "%s n%u %s", i ? "," : ":", func_node(f, k->heroes[i])->label, op_name(func_node(f, k->heroes[i])->op));
    for (uint32_t i = 0; i < k->nroots; i++)
        str_printf(&s, "%s n%u", i ? "," : " ->", func_node(f, k->roots[i].node)->label);
    return str_text(&s);
}

static bool assemble(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct schedule *s = &k->schedule;
    const char *body = str_text(&e->scope->text);
    struct str bindings, shared, functions, out;
    str_init(&bindings, e->arena);
    str_init(&shared, e->arena);
    str_init(&functions, e->arena);
    str_init(&out, e->arena);
    if (k->family == FAMILY_LINES)
        body = arena_printf(e->arena, "%s%s%s%s", body, e->load ? e->load : "", e->store, e->inner ? e->inner : "");
    else
        print_shared(e, &shared);
    print_bindings(e, body, &bindings);
    const char *all = arena_printf(e->arena, "%s%s%s", str_text(&bindings), str_text(&shared), body);
    if (!all)
        return FAIL(e->diag, MEMORY, "out of memory");
    if (!template_functions(e->arena, e->calls, e->ncalls, &functions, e->diag))
        return false;
    const char *ext = kernel_extensions(k, e->arena, e->unit->target, arena_printf(e->arena, "%s%s", all, str_text(&functions)));
    if (bindings.len)
        bindings.data[--bindings.len] = '\0';
    if (shared.len)
        shared.data[--shared.len] = '\0';
    k->label = kernel_label(e->unit, e->arena, k);
    struct arena *a = e->arena;
    const char *group = arena_printf(a, "%u", s->group), *rows = arena_printf(a, "%lld", (long long)k->outer);
    const char *why = k->why ? k->why : "ends at the results";
    bool ok;
    if (k->family == FAMILY_MAP && s->across) {
        struct template_var v[] = {{"EXTENSIONS", ext}, {"LABEL", k->label}, {"WHY", why}, {"GROUP", group}, {"BINDINGS", str_text(&bindings)},
                                   {"SHARED", str_text(&shared)}, {"FUNCTIONS", str_text(&functions)}, {"BODY", body},
                                   {"TILES", arena_printf(a, "%lld", (long long)turn_tiles(k))}};
        ok = template_fill("map_turned.comp", v, sizeof v / sizeof *v, &out, e->diag);
    } else if (k->family == FAMILY_MAP) {
        struct template_var v[] = {{"EXTENSIONS", ext}, {"LABEL", k->label}, {"WHY", why}, {"GROUP", group}, {"BINDINGS", str_text(&bindings)},
                                   {"FUNCTIONS", str_text(&functions)}, {"BODY", body},
                                   {"THREADS", arena_printf(a, "%lld", (long long)((map_span(k) + s->lanes - 1) / s->lanes))}};
        ok = template_fill("map.comp", v, sizeof v / sizeof *v, &out, e->diag);
    } else if (k->family == FAMILY_CONTRACT) {
        bool direct = e->unit->target->cpu;
        int64_t tiles = k->batch * ((k->m + s->tile_m - 1) / s->tile_m) * ((k->n + s->tile_n - 1) / s->tile_n);
        struct template_var v[] = {{"EXTENSIONS", ext}, {"LABEL", k->label}, {"WHY", why}, {"GROUP", group}, {"BINDINGS", str_text(&bindings)},
                                   {"FUNCTIONS", str_text(&functions)}, {"BODY", body}, {"TILES", arena_printf(a, "%lld", (long long)tiles)},
                                   {"THREAD_M", arena_printf(a, "%u", s->thread_m)}, {"THREAD_N", arena_printf(a, "%u", s->thread_n)},
                                   {"SHARED", str_text(&shared)}, {"TILE_M", arena_printf(a, "%u", s->tile_m)}, {"TILE_N", arena_printf(a, "%u", s->tile_n)}};
        ok = template_fill(direct ? "contract_direct.comp" : "contract.comp", v, sizeof v / sizeof *v - (direct ? 3 : 0), &out, e->diag);
    } else if (k->family == FAMILY_LINES) {
        struct template_var v[] = {{"EXTENSIONS", ext}, {"LABEL", k->label}, {"WHY", why}, {"GROUP", group}, {"BINDINGS", str_text(&bindings)},
                                   {"FUNCTIONS", str_text(&functions)}};
        ok = kernel_lines_fill(e, v, sizeof v / sizeof *v, &out);
    } else if (k->family == FAMILY_FOURIER) {
        struct template_var v[] = {{"EXTENSIONS", ext}, {"LABEL", k->label}, {"WHY", why}, {"GROUP", group}, {"BINDINGS", str_text(&bindings)},
                                   {"SHARED", str_text(&shared)}, {"FUNCTIONS", str_text(&functions)}, {"BODY", body},
                                   {"GROUP_ROWS", arena_printf(a, "%u", s->group_rows)}, {"ROW_THREADS", arena_printf(a, "%u", s->row_threads)},
                                   {"ROWS", arena_printf(a, "%lld", (long long)(k->outer / k->inner))}};
        ok = template_fill("fourier.comp", v, sizeof v / sizeof *v, &out, e->diag);
    } else if (s->row_threads == 1) {
        struct template_var v[] = {{"EXTENSIONS", ext}, {"LABEL", k->label}, {"WHY", why}, {"GROUP", group}, {"BINDINGS", str_text(&bindings)},
                                   {"FUNCTIONS", str_text(&functions)}, {"BODY", body}, {"ROWS", rows}};
        ok = template_fill("rows.comp", v, sizeof v / sizeof *v, &out, e->diag);
    } else {
        const char *gr = arena_printf(a, "%u", s->group_rows), *rt = arena_printf(a, "%u", s->row_threads);
        const char *part = s->group_rows == 1 ? "lid" : s->outer_fast ? arena_printf(a, "lid / %su", gr) : arena_printf(a, "lid %% %su", rt);
        const char *row = s->group_rows == 1 ? "0u" : s->outer_fast ? arena_printf(a, "lid %% %su", gr) : arena_printf(a, "lid / %su", rt);
        struct template_var v[] = {{"EXTENSIONS", ext}, {"LABEL", k->label}, {"WHY", why}, {"GROUP", group}, {"BINDINGS", str_text(&bindings)},
                                   {"SHARED", str_text(&shared)}, {"FUNCTIONS", str_text(&functions)}, {"BODY", body}, {"ROWS", rows},
                                   {"GROUP_ROWS", gr}, {"ROW_THREADS", rt}, {"PART", part}, {"ROW", row},
                                   {"LAST_ROW", arena_printf(a, "%lld", (long long)k->outer - 1)}};
        ok = template_fill("rows_shared.comp", v, sizeof v / sizeof *v, &out, e->diag);
    }
    k->glsl = str_text(&out);
    return ok;
}

static bool reset(struct kernel *k, struct arena *a)
{
    k->nbound = k->cap_bound = 0;
    k->bound = NULL;
    k->access = NULL;
    k->load_index = NULL;
    k->store_index = ARENA_ARRAY(a, const void *, k->nroots);
    k->features = 0;
    k->shared_bytes = 0;
    k->flops = 0;
    return k->store_index != NULL;
}

/* For how many elements of a value its family asks at most, in straight code. */
static uint32_t elements_at_once(const struct kernel *k)
{
    switch (k->family) {
    case FAMILY_MAP:      return k->pieces ? k->pieces : 1;
    case FAMILY_ROWS:     return k->schedule.unroll ? k->schedule.unroll : 1;
    case FAMILY_CONTRACT: /* a thread's tile */
    case FAMILY_FOURIER:  return 16; /* the largest radix */
    default:              return 1;
    }
}

bool kernel_body(struct unit *u, struct kernel *k, uint32_t most_unroll, bool uniform, struct emit *e, struct diag *d)
{
    if (!reset(k, u->arena))
        return FAIL(d, MEMORY, "out of memory");
    schedule_kernel(u, k, most_unroll);
    if (!emit_init(e, u, k, d))
        return false;
    e->uniform = uniform;
    e->elements = elements_at_once(k);
    switch (k->family) {
    case FAMILY_MAP:      return kernel_map(e);
    case FAMILY_CONTRACT: return kernel_contract(e);
    case FAMILY_SOLVE:    return kernel_solve(e);
    case FAMILY_LINES:    return kernel_lines(e);
    case FAMILY_FOURIER:  return kernel_fourier(e);
    default:              return kernel_rows(e);
    }
}

/* Limits of the target that depend on the generated code. */
static const char *over_limit(struct emit *e)
{
    const struct vkc_target *t = e->unit->target;
    struct kernel *k = e->kernel;
    if (e->unit->workgroup)
        return NULL; /* the program as a whole is measured */
    if (k->nbound > t->max_bindings)
        return arena_printf(e->arena, "it would need %u buffers and the target has %u", k->nbound, t->max_bindings);
    if (t->loop_limit && e->iterations > LOOP_ITERATIONS)
        return arena_printf(e->arena, "its loops would run %llu times, and the driver (Mesa before 25) stops a shader after %u", (unsigned long long)e->iterations, LOOP_ITERATIONS);
    if (k->shared_bytes > t->max_shared_bytes)
        return arena_printf(e->arena, "it would need %u bytes of shared memory and the target has %u", k->shared_bytes, t->max_shared_bytes);
    return NULL;
}

/* A result that no statement stores: it has neither an element for each thread nor one for each row. */
static const char *not_stored(struct emit *e)
{
    const struct kernel *k = e->kernel;
    for (uint32_t r = 0; r < k->nroots; r++) {
        bool stored = false;
        for (uint32_t b = 0; b < k->nbound && !stored; b++)
            stored = k->bound[b].node == k->roots[r].node && k->bound[b].out == k->roots[r].out && (k->access[b] & VKB_WRITE);
        if (!stored)
            return arena_printf(e->arena, "n%u has no place in its iteration space", func_node(e->func, k->roots[r].node)->label);
    }
    return NULL;
}

/* The body, with the schedule that suits it. */
static bool write_body(struct unit *u, struct kernel *k, struct emit *out, const char **why_not, struct diag *d)
{
    struct emit e;
    *why_not = NULL;
    bool ok = kernel_body(u, k, 1, false, &e, d);
    uint64_t plain = e.flops; /* of one element, which straight code has many of */
    u->again = e.again;
    if (ok && k->family == FAMILY_LINES && e.along_outer > e.along_row) {
        k->schedule.outer_fast = true;
        ok = kernel_body(u, k, 1, false, &e, d);
    }
    if (ok && k->family == FAMILY_ROWS) {
        if (e.along_outer >= e.along_row && e.along_outer > 0 && !u->target->cpu)
            k->schedule.outer_fast = true;
        /* as much straight code as stays readable and in registers */
        for (uint32_t unroll = u->workgroup ? 1 : 16; unroll >= 1; unroll /= 4) {
            ok = kernel_body(u, k, unroll, false, &e, d);
            if (k->schedule.unroll == 1 || (ok && e.statements <= STRAIGHT_CODE && e.flops <= STRAIGHT_COST))
                break;
        }
    }
    if (ok && k->family == FAMILY_MAP && k->pieces <= 1 && turn_wanted(&e)) {
        ok = kernel_body(u, k, 1, false, &e, d);
        if (d->code == DIAG_OK && (!ok || over_limit(&e))) {
            k->schedule.across = k->schedule.along = 0;
            ok = kernel_body(u, k, 1, false, &e, d);
        }
    }
    if (d->code != DIAG_OK)
        return false;
    if (!ok || (*why_not = over_limit(&e)) != NULL || (*why_not = not_stored(&e)) != NULL) {
        if (!*why_not)
            *why_not = e.failed ? e.failed : "unknown";
        return false;
    }
    int64_t elements = k->family == FAMILY_MAP       ? map_span(k)
                       : k->family == FAMILY_FOURIER ? k->outer
                                                     : k->outer * k->inner;
    k->flops = (k->family == FAMILY_ROWS ? plain : e.flops) * (uint64_t)elements;
    *out = e;
    return true;
}

bool kernel_fits(struct unit *u, struct kernel *k, const char **why_not, struct diag *d)
{
    struct emit e;
    return write_body(u, k, &e, why_not, d);
}

bool kernel_generate(struct unit *u, struct kernel *k, const char **why_not, struct diag *d)
{
    struct emit e;
    if (!write_body(u, k, &e, why_not, d))
        return false;
    if (u->workgroup) { /* its text is made when its values have places, see group_emit.c */
        k->label = kernel_label(u, u->arena, k);
        return true;
    }
    return assemble(&e);
}
