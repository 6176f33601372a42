/* GLSL of one kernel: its body from the family, then bindings, functions and extensions around
   it. */
#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/generate.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "target/limits.h"

/* A view of the binding: an array, or what looks like one to code that asks with parentheses. */
static void print_view(struct emit *e, uint32_t binding, uint8_t view, const char *type,
                       uint32_t element_bytes, const char *comment, struct str *out)
{
    const struct bound *b = &e->kernel->bound[binding];
    const char *access = b->access == VKB_READ    ? "readonly "
                         : b->access == VKB_WRITE ? "writeonly "
                                                  : "";
    const char *suffix = view == VIEW_VECTORS ? "_v" : view == VIEW_EIGHTS ? "_e" : "";
    const char *name = arena_printf(e->arena, "%s%s", emit_buffer_name(e, b->value), suffix);
    if (emit_in_parts(e, b->value)) {
        emit_parts(e->unit->target, &(struct parts){name, access, type, element_bytes, binding},
                   out);
        return;
    }
    bool is_macro = emit_may_be_texels(e, b->value);
    str_printf(out, "layout(std430, binding = %u) %sbuffer B%u%s { %s %s%s[]; }; // %s\n", binding,
               access, binding, *suffix ? suffix + 1 : "", type, is_macro ? "at_" : "", name,
               comment);
    if (is_macro)
        str_printf(out, "#define %s(i) at_%s[i]\n", name, name);
}

/* Whether code that may load the binding as texels does: vectors always, and then all of it. */
static bool takes_texels(const struct emit *e, uint32_t binding, uint32_t ntexels)
{
    const struct tuning *t = e->unit->tuning;
    const struct bound *b = &e->kernel->bound[binding];
    bool elements = e->element_loads >= t->texel_elements &&
                    type_bytes(func_tensor(e->func, b->value)->type) == 4;
    return binding < VKB_MAX_TEXELS && ntexels < t->texel_buffers &&
           emit_may_be_texels(e, b->value) && (elements || b->views & VIEW_VECTORS);
}

static void print_texels(struct emit *e, uint32_t binding, const char *comment, struct str *out)
{
    const struct bound *b = &e->kernel->bound[binding];
    enum vkc_type t = func_tensor(e->func, b->value)->type;
    const char *name = emit_buffer_name(e, b->value), *from_bits = t == TYPE_F32 ? "uintBitsToFloat"
                                                                   : t == TYPE_S32 ? "ivec4"
                                                                                   : "";
    str_printf(out, "layout(binding = %u) uniform utextureBuffer at_%s; // %s\n", binding, name,
               comment);
    if (t == TYPE_F64) { /* two a texel */
        str_printf(out, "#define two_%s(i) texelFetch(at_%s, int(i))\n", name, name);
        if (b->views & VIEW_ELEMENTS)
            str_printf(out,
                       "#define %s(i) packDouble2x32(((i) & 1u) == 0u ? two_%s((i) >> 1u).xy "
                       ": two_%s((i) >> 1u).zw)\n",
                       name, name, name);
        str_printf(out,
                   "#define %s_v(i) dvec4(packDouble2x32(two_%s(2u * (i)).xy), "
                   "packDouble2x32(two_%s(2u * (i)).zw), \\\n"
                   "    packDouble2x32(two_%s(2u * (i) + 1u).xy), "
                   "packDouble2x32(two_%s(2u * (i) + 1u).zw))\n",
                   name, name, name, name, name);
        return;
    }
    if (b->views & VIEW_ELEMENTS)
        str_printf(out, "#define %s(i) %s(texelFetch(at_%s, int((i) >> 2u)))[(i) & 3u]\n", name,
                   from_bits, name);
    if (b->views & VIEW_VECTORS)
        str_printf(out, "#define %s_v(i) %s(texelFetch(at_%s, int(i)))\n", name, from_bits, name);
}

static void print_bindings(struct emit *e, struct str *out)
{
    uint32_t ntexels = 0;
    for (uint32_t i = 0; i < e->kernel->nbound; i++) {
        const struct bound *b = &e->kernel->bound[i];
        const struct node *n = func_node(e->func, b->value.node);
        const struct tensor *t = func_tensor(e->func, b->value);
        const char *param =
            n->op == OP_PARAMETER ? e->func->param_names[attr_int(n, ATTR_index, 0)] : NULL;
        char type[160];
        tensor_print(type, sizeof type, t);
        const char *comment = arena_printf(e->arena, "n%u%s%s  %s", n->label, param ? " " : "",
                                           param ? str_comment(e->arena, param) : "", type);
        emit_type(e, t->type);
        if (takes_texels(e, i, ntexels)) {
            e->kernel->texels |= (uint64_t)1 << i;
            ntexels++;
            print_texels(e, i, comment, out);
            continue;
        }
        if (emit_in_parts(e, b->value))
            emit_addresses(&e->needs, i, comment, out);
        if (b->views & VIEW_ELEMENTS)
            print_view(e, i, VIEW_ELEMENTS, memory_glsl(t->type),
                       type_bytes(t->type) < 4 ? 4 : type_bytes(t->type), comment, out);
        if (b->views & VIEW_VECTORS)
            print_view(e, i, VIEW_VECTORS, vector_glsl(t->type), 4 * type_bytes(t->type), comment,
                       out);
        if (b->views & VIEW_EIGHTS)
            print_view(e, i, VIEW_EIGHTS, "uvec4", 16, comment, out);
    }
}

const char *kernel_extensions(struct kernel *k, struct arena *a, const struct vkc_target *t,
                              const struct needs *needs)
{
    struct str s;
    str_init(&s, a);
    str_add(&s, "#extension GL_EXT_control_flow_attributes : require\n");
    k->features = needs->features & ~(uint32_t)VKB_FEATURE_FMA;
    needs_extensions(needs, &s);
    if (t->emulated & needs->features & VKB_FEATURE_FMA) {
        k->features |= VKB_FEATURE_F64;
        str_printf(&s, "#define NX_FMA nx_emulated_fma\n%s", template_text("emulated_fma.glsl"));
    } else if (t->features & needs->features & VKB_FEATURE_FMA) {
        k->features |= VKB_FEATURE_FMA;
        str_add(&s, "#define NX_FMA fma\n");
    }
    if (s.len)
        s.data[--s.len] = '\0'; /* the template has the line's end */
    return str_text(&s);
}

/* "k3 rows f32[64,128]: n7 n9 n12" */
const char *kernel_label(const struct unit *u, struct arena *a, const struct kernel *k)
{
    const struct func *f = unit_func(u);
    struct str s;
    str_init(&s, a);
    str_add(&s, family_of(k)->name);
    family_of(k)->print_space(k, &s);
    for (uint32_t i = 0; i < k->nheroes; i++)
        str_printf(&s, "%s n%u %s", i ? "," : ":", func_node(f, k->heroes[i])->label,
                   op_name(func_node(f, k->heroes[i])->op));
    for (uint32_t i = 0; i < k->nroots; i++)
        str_printf(&s, "%s n%u", i ? "," : " ->", func_node(f, k->roots[i].node)->label);
    return str_text(&s);
}

/* A line of a template has the line's end. */
static const char *without_end(struct str *s)
{
    if (s->len)
        s->data[--s->len] = '\0';
    return str_text(s);
}

/* The text of a kernel around its body. */
static bool assemble(struct emit *e)
{
    struct kernel *k = e->kernel;
    struct arena *a = e->arena;
    const struct family *family = family_of(k);
    const char *body = family->body ? family->body(e) : str_text(&e->scope->text);
    struct str bindings, shared, functions, out;
    str_init(&bindings, a);
    str_init(&shared, a);
    str_init(&functions, a);
    str_init(&out, a);
    if (family->print_shared)
        family->print_shared(e, &shared);
    print_bindings(e, &bindings);
    if (!needs_functions(&e->needs, a, &functions, e->diag))
        return false;
    const char *extensions = kernel_extensions(k, a, e->unit->target, &e->needs);
    uint32_t features = e->needs.features;
    struct kernel_text t = {.body = body, .shared = without_end(&shared)};
    k->label = kernel_label(e->unit, a, k);
    text_add(&t, "EXTENSIONS", extensions);
    text_add(&t, "LABEL", k->label);
    text_add(&t, "WHY", k->why ? k->why : "ends at the results");
    text_add_number(e, &t, "GROUP", k->schedule.group);
    text_add(&t, "BINDINGS", without_end(&bindings));
    text_add(&t, "FUNCTIONS", str_text(&functions));
    if (a->failed)
        return FAIL(e->diag, MEMORY, "out of memory");
    if (!family->fill(e, &t, &out))
        return false;
    if (e->needs.features != features)
        return FAIL(e->diag, INTERNAL, "the template of %s needs what its body does not", k->label);
    k->glsl = str_text(&out);
    return true;
}

static bool reset(struct kernel *k, struct arena *a)
{
    k->nbound = k->cap_bound = 0;
    k->bound = NULL;
    k->store_index = ARENA_ARRAY(a, const void *, k->nroots);
    k->features = k->matrix = 0;
    k->shared_bytes = 0;
    k->texels = 0;
    k->flops = 0;
    return k->store_index != NULL;
}

bool kernel_body(struct unit *u, struct kernel *k, uint32_t most_unroll, bool uniform,
                 struct emit *e, struct diag *d)
{
    if (!reset(k, u->arena))
        return FAIL(d, MEMORY, "out of memory");
    schedule_kernel(u, k, most_unroll);
    if (!emit_init(e, u, k, d))
        return false;
    for (uint32_t i = 0; i < u->nsingles; i++)
        emit_single_is(e, u->singles[i].v, u->singles[i].name);
    e->uniform = uniform;
    e->elements = family_of(k)->elements_at_once(k);
    e->times = (uint64_t)family_of(k)->repeats(k);
    return family_of(k)->write(e);
}

const char *kernel_over_limit(struct emit *e)
{
    const struct vkc_target *t = e->unit->target;
    struct kernel *k = e->kernel;
    if (e->unit->workgroup)
        return NULL; /* the program as a whole is measured */
    if (k->nbound > kernel_bindings(t->max_bindings))
        return arena_printf(e->arena, "it would need %u buffers and the target has %u", k->nbound,
                            kernel_bindings(t->max_bindings));
    uint64_t most = e->unit->tuning->loop_iterations;
    if (e->iterations > most)
        return arena_printf(e->arena,
                            "its loops would run %llu times, and the driver (Mesa before 25) stops "
                            "a shader after %llu",
                            (unsigned long long)e->iterations, (unsigned long long)most);
    if (k->shared_bytes > t->max_shared_bytes)
        return arena_printf(e->arena,
                            "it would need %u bytes of shared memory and the target has %u",
                            k->shared_bytes, t->max_shared_bytes);
    return NULL;
}

/* A result that no statement stores: it has neither an element for each thread nor one for each
   row. */
static const char *not_stored(struct emit *e)
{
    const struct kernel *k = e->kernel;
    for (uint32_t r = 0; r < k->nroots; r++) {
        bool stored = false;
        for (uint32_t b = 0; b < k->nbound && !stored; b++)
            stored = k->bound[b].value.node == k->roots[r].node &&
                     k->bound[b].value.out == k->roots[r].out && k->bound[b].access & VKB_WRITE;
        if (!stored)
            return arena_printf(e->arena, "n%u cannot be computed in the kernel's iteration space",
                                func_node(e->func, k->roots[r].node)->label);
    }
    return NULL;
}

/* The body, with the schedule that suits it. */
static bool write_body(struct unit *u, struct kernel *k, struct emit *out, const char **why_not,
                       struct diag *d)
{
    struct emit e;
    *why_not = NULL;
    bool ok = kernel_body(u, k, 1, false, &e, d);
    u->again = e.again;
    if (ok && family_of(k)->rewrite)
        ok = family_of(k)->rewrite(u, k, &e, d);
    if (d->code != DIAG_OK)
        return false;
    if (!ok || e.failed || (*why_not = kernel_over_limit(&e)) != NULL ||
        (*why_not = not_stored(&e)) != NULL) {
        if (!*why_not)
            *why_not = e.failed ? e.failed : "unknown";
        return false;
    }
    k->flops = e.work;
    k->statements = e.statements;
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
