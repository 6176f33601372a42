/* Loads, stores and bindings. A buffer is an array of its element type, or of words if elements
   are narrower than 32 bits. The same memory is declared a second time as an array of 4-vectors
   if a kernel reads or writes whole groups of four. A buffer that is too large for a binding is
   reached through the addresses of its parts, and what is only read may be bound as texels:
   buf_n12[i] is then buf_n12(i), a macro. */
#include "codegen/emit/emit.h"

#include <string.h>

#include "runtime/bundle.h"

uint32_t packed_per_word(enum vkc_type t)
{
    return type_bytes(t) < 4 ? 4 / type_bytes(t) : 1;
}

static const struct place *place_of(const struct unit *u, struct value v)
{
    if (!u->places)
        return NULL;
    uint32_t buffer = u->buffer[unit_slot(u, unit_base(u, v))];
    return buffer == NO_INDEX ? NULL : &u->places[buffer];
}

uint32_t unit_per_word(const struct unit *u, struct value v)
{
    const struct place *p = place_of(u, v);
    if (u->workgroup && (!p || p->kind != PLACE_BOUND))
        return 1; /* inside a workgroup program every element has a register's type */
    return packed_per_word(func_tensor(unit_func(u), v)->type);
}

bool emit_is_local(const struct emit *e, struct value v)
{
    const struct place *p = place_of(e->unit, v);
    return p && p->kind == PLACE_LOCAL;
}

const char *memory_glsl(enum vkc_type t)
{
    return packed_per_word(t) > 1 ? "uint" : vkc_types[t].glsl;
}

const char *vector_glsl(enum vkc_type t)
{
    switch (t) {
    case TYPE_F32: return "vec4";
    case TYPE_S32: return "ivec4";
    case TYPE_U32: return "uvec4";
    case TYPE_F64: return "dvec4";
    case TYPE_S64: return "i64vec4";
    case TYPE_U64: return "u64vec4";
    default: return NULL;
    }
}

uint32_t emit_binding(struct emit *e, struct value v, unsigned access)
{
    struct kernel *k = e->kernel;
    v = unit_base(e->unit, v);
    if (e->unit->places)
        e->unit->place_access[e->unit->buffer[unit_slot(e->unit, v)]] |= (uint8_t)access;
    for (uint32_t i = 0; i < k->nbound; i++)
        if (k->bound[i].value.node == v.node && k->bound[i].value.out == v.out) {
            k->bound[i].access |= (uint8_t)access;
            return i;
        }
    if (!arena_grow(e->arena, &k->bound, k->nbound, &k->cap_bound, sizeof *k->bound)) {
        emit_fail(e, "out of memory");
        return 0;
    }
    k->bound[k->nbound] = (struct bound){.value = v, .access = (uint8_t)access};
    return k->nbound++;
}

const char *emit_buffer_name(struct emit *e, struct value v)
{
    v = unit_base(e->unit, v);
    const struct node *n = func_node(e->func, v.node);
    return n->nouts > 1 ? arena_printf(e->arena, "buf_n%u_%u", n->label, v.out)
                        : arena_printf(e->arena, "buf_n%u", n->label);
}

bool emit_in_parts(const struct emit *e, struct value v)
{
    return storage_bytes(func_tensor(e->func, unit_base(e->unit, v))) >
           unit_part_bytes(e->unit->target);
}

bool emit_may_be_texels(const struct emit *e, struct value v)
{
    v = unit_base(e->unit, v);
    const struct tensor *t = func_tensor(e->func, v);
    bool can = type_bytes(t->type) == 4 || t->type == TYPE_F64;
    if (e->unit->workgroup || !can || emit_in_parts(e, v) ||
        shape_size(&t->shape) == 1 || /* a load that all threads share is cheap */
        vkb_texel_view_bytes(storage_bytes(t)) / VKB_TEXEL_BYTES > e->unit->tuning->texels)
        return false;
    for (uint32_t r = 0; r < e->kernel->nroots; r++) {
        struct value root = unit_base(e->unit, e->kernel->roots[r]);
        if (root.node == v.node && root.out == v.out)
            return false;
    }
    return true;
}

static void note_view(struct emit *e, struct value v, uint8_t view)
{
    uint32_t i = emit_binding(e, v, 0);
    if (i < e->kernel->nbound)
        e->kernel->bound[i].views |= view;
}

static bool is_macro(const struct emit *e, struct value v)
{
    return emit_in_parts(e, v) || emit_may_be_texels(e, v);
}

const char *emit_element(struct emit *e, struct value v, const char *index)
{
    const struct place *p = place_of(e->unit, v);
    if (p)
        return place_element(e->arena, p, index);
    note_view(e, v, VIEW_ELEMENTS);
    return arena_printf(e->arena, is_macro(e, v) ? "%s(%s)" : "%s[%s]", emit_buffer_name(e, v),
                        index);
}

const char *emit_vector(struct emit *e, struct value v, const char *index)
{
    note_view(e, v, VIEW_VECTORS);
    return arena_printf(e->arena, is_macro(e, v) ? "%s_v(%s)" : "%s_v[%s]", emit_buffer_name(e, v),
                        index);
}

void emit_addresses(struct needs *n, uint32_t binding, const char *comment, struct str *out)
{
    n->features |= VKB_FEATURE_ADDRESSES;
    str_printf(
        out,
        "layout(std430, binding = %u) readonly buffer Parts%u { uvec2 parts_%u[]; }; // %s, in parts\n",
        binding, binding, binding, comment);
}

/* The vector size is the alignment: pointers have no other. What is stored has a function, too: to
   glslang all references are one object, and so is every element of what has no name. What is
   computed precisely from one would be precise in all that is stored by a reference, and where
   vectors go through shared memory and back glslang finds no end to that. */
void emit_parts(const struct vkc_target *t, const struct parts *p, struct str *out)
{
    uint32_t bytes = p->element_bytes, shift = 0;
    while (unit_part_bytes(t) >> (shift + 1) >= bytes)
        shift++;
    str_printf(
        out,
        "layout(buffer_reference, std430, buffer_reference_align = %u) %sbuffer Part_%s { %s at[]; };\n",
        bytes < 16 ? 16 : bytes, p->access, p->name, p->type);
    str_printf(out, "#define %s(i) Part_%s(parts_%u[(i) >> %uu]).at[(i) & %lluu]\n", p->name,
               p->name, p->binding, shift, (1ull << shift) - 1);
    if (strcmp(p->access, "readonly ") != 0)
        str_printf(out, "void set_%s(uint i, %s x)\n{\n    %s(i) = x;\n}\n", p->name, p->type,
                   p->name);
}

/* `element`, of emit_element or emit_vector, becomes `text`. `condition` is before it, or "". */
static void assign(struct emit *e, struct value v, const char *condition, const char *element,
                   const char *text)
{
    const struct place *p = place_of(e->unit, v);
    uint32_t depth = e->scope->depth;
    if (!element || !text)
        emit_fail(e, "out of memory");
    else if (p ? p->in_parts : emit_in_parts(e, v)) /* NAME(INDEX) */
        emit_line(e, depth, "%sset_%.*s, %s);", condition, (int)strlen(element) - 1, element, text);
    else
        emit_line(e, depth, "%s%s = %s;", condition, element, text);
}

const struct ix *emit_lane_group(struct emit *e, const struct ix *flat)
{
    if (!e->lane || e->lanes != 4 || e->unit->workgroup || ix_coef(flat, e->lane) != 1)
        return NULL;
    const struct ix *group = ix_div(e->ix, flat, e->lanes);
    return ix_mod(e->ix, flat, e->lanes) == e->lane && group->depth < flat->depth ? group : NULL;
}

struct named {
    struct named *next;
    struct value base;   /* what is read */
    uint8_t view;        /* and as what */
    const struct ix *at; /* which word or vector of it */
    const char *name;
};

/* Eight elements of 16 bits, as a uvec4. */
static const char *emit_eight(struct emit *e, struct value v, const char *index)
{
    note_view(e, v, VIEW_EIGHTS);
    return arena_printf(e->arena, emit_in_parts(e, v) ? "%s_e(%s)" : "%s_e[%s]",
                        emit_buffer_name(e, v), index);
}

/* A whole vector or word, loaded once in the scope of its index. */
static const char *load_once(struct emit *e, struct value v, uint8_t view, const struct ix *at)
{
    struct expr index = emit_index(e, at);
    struct value base = unit_base(e->unit, v);
    struct scope *s = e->scope;
    if (!index.text)
        return NULL;
    while (s->depth > emit_depth(e, index.depth) && s->parent)
        s = s->parent;
    for (struct named *m = s->loads; m; m = m->next)
        if (m->base.node == base.node && m->base.out == base.out && m->at == at && m->view == view)
            return m->name;
    struct named *m = ARENA_NEW(e->arena, struct named);
    const char *name = emit_temp(e, view == VIEW_ELEMENTS ? "w" : "v");
    if (!m)
        return NULL;
    emit_line(e, emit_depth(e, index.depth), "%s %s = %s;",
              view == VIEW_ELEMENTS  ? "uint"
              : view == VIEW_VECTORS ? vector_glsl(func_tensor(e->func, v)->type)
                                     : "uvec4",
              name,
              view == VIEW_ELEMENTS  ? emit_element(e, v, index.text)
              : view == VIEW_VECTORS ? emit_vector(e, v, index.text)
                                     : emit_eight(e, v, index.text));
    *m = (struct named){s->loads, base, view, at, name};
    s->loads = m;
    return name;
}

/* Remembers at which index a buffer is read, if it is always the same one: a thread that reads
   an element only to replace it may write over its operand. */
static void note_load(struct emit *e, struct value v, const struct ix *flat)
{
    uint32_t i = emit_binding(e, v, VKB_READ);
    struct kernel *k = e->kernel;
    struct bound *b = i < k->nbound ? &k->bound[i] : NULL;
    if (e->first_index && flat == e->hero_index)
        flat = e->first_index;
    if (b && b->load_index != flat)
        b->load_index = b->load_index ? k : (const void *)flat;
}

const char *emit_load_eight(struct emit *e, struct value v, const struct ix *flat)
{
    struct expr index = emit_index(e, ix_div(e->ix, flat, 8));
    if (!index.text)
        return NULL;
    note_load(e, v, flat);
    e->statements++;
    return emit_eight(e, v, index.text);
}

const char *emit_store_eight(struct emit *e, struct value v, const struct ix *flat)
{
    struct expr index = emit_index(e, ix_div(e->ix, flat, 8));
    if (!index.text)
        return NULL;
    emit_binding(e, v, VKB_WRITE);
    emit_note_store(e, v, flat);
    e->statements++;
    return emit_eight(e, v, index.text);
}

const char *emit_unpack(struct emit *e, enum vkc_type t, const char *word, const char *part)
{
    uint32_t bits = 8 * type_bytes(t);
    bool is_signed = vkc_types[t].kind == KIND_SINT;
    const char *raw = arena_printf(e->arena,
                                   is_signed ? "bitfieldExtract(int(%s), int(%s) * %u, %u)"
                                             : "bitfieldExtract(%s, int(%s) * %u, %u)",
                                   word, part, bits, bits);
    const char *decode = emit_small_float(e, "decode", t, TYPE_U32);
    return decode ? arena_printf(e->arena, "%s(%s)", decode, raw) : raw;
}

/* Whether all four elements of the vectors at `at` exist: of one that a buffer ends in, devices
   load nothing, whatever lanes are asked for. */
static bool are_vectors(const struct emit *e, struct value v, const struct ix *at)
{
    const struct tensor *t = func_tensor(e->func, v);
    int64_t size = shape_size(&t->shape);
    return vector_glsl(t->type) && (size % 4 == 0 || at->max < size / 4);
}

/* Whether the element is loaded with its eight neighbours. */
static bool is_of_eight(const struct emit *e, struct value v, const struct ix *flat)
{
    int64_t size = shape_size(&func_tensor(e->func, v)->shape);
    return e->eights && unit_per_word(e->unit, v) == 2 && !ix_is_const(flat) &&
           ix_is_const(ix_mod(e->ix, flat, 8)) &&
           (size % 8 == 0 || ix_div(e->ix, flat, 8)->max < size / 8);
}

/* The word of a packed element, and in `out_part` which part of it that is; NULL if there is no
   memory. */
static const char *load_word(struct emit *e, struct value v, const struct ix *flat,
                             const char **out_part)
{
    uint32_t per_word = unit_per_word(e->unit, v);
    bool of_eight = is_of_eight(e, v, flat);
    const struct ix *at = ix_div(e->ix, flat, of_eight ? 8 : per_word);
    struct expr i = emit_index(e, at), part = emit_index(e, ix_mod(e->ix, flat, per_word));
    const char *words =
        i.text && part.text ? load_once(e, v, of_eight ? VIEW_EIGHTS : VIEW_ELEMENTS, at) : NULL;
    *out_part = part.text;
    if (!words || !of_eight)
        return words;
    return arena_printf(e->arena, "%s.%c", words, "xyzw"[ix_mod(e->ix, flat, 8)->constant / 2]);
}

struct expr emit_load(struct emit *e, struct value v, const struct ix *flat)
{
    enum vkc_type t = func_tensor(e->func, v)->type;
    const struct ix *group = emit_lane_group(e, flat);
    uint32_t per_word = unit_per_word(e->unit, v);
    const char *text;
    uint32_t depth = emit_depth(e, flat->depth);
    note_load(e, v, flat);
    if (e->note_load)
        e->note_load(e, v, flat);
    const char *elsewhere = e->loaded ? e->loaded(e, v, flat) : NULL;
    if (e->row && e->position && depth > 0) {
        e->along_row += ix_step(flat, e->position) == 1;
        e->along_outer += ix_step(flat, e->row) == 1;
    }
    if (per_word > 1 && !elsewhere) {
        const char *part, *word = load_word(e, v, flat, &part);
        if (!word)
            return (struct expr){NULL, 0};
        text = emit_unpack(e, t, word, part);
    } else if (e->vectors && ix_is_const(ix_mod(e->ix, flat, 4)) && !ix_is_const(flat) &&
               are_vectors(e, v, ix_div(e->ix, flat, 4))) {
        /* neighbours are asked for one by one, in straight code */
        const char *vec = load_once(e, v, VIEW_VECTORS, ix_div(e->ix, flat, 4));
        if (!vec)
            return (struct expr){NULL, 0};
        text = arena_printf(e->arena, "%s.%c", vec, "xyzw"[ix_mod(e->ix, flat, 4)->constant]);
    } else if (elsewhere) {
        text = elsewhere;
    } else if (group && are_vectors(e, v, group)) {
        struct expr i = emit_index(e, group), lane = emit_index(e, e->lane);
        const char *vec = i.text ? load_once(e, v, VIEW_VECTORS, group) : NULL;
        if (!vec || !lane.text)
            return (struct expr){NULL, 0};
        text = arena_printf(e->arena, "%s[%s]", vec, lane.text);
    } else {
        struct expr i = emit_index(e, flat);
        if (!i.text)
            return i;
        text = emit_element(e, v, i.text);
        e->element_loads += type_bytes(t) == 4;
    }
    if (!text)
        return emit_fail(e, "out of memory");
    const char *name = emit_variable(e, v);
    emit_line(e, depth, "%s %s = %s;", emit_type(e, t), name, text);
    e->statements++;
    return (struct expr){name, depth};
}

void emit_store(struct emit *e, struct value v, const struct ix *flat, const char *text)
{
    enum vkc_type t = func_tensor(e->func, v)->type;
    emit_binding(e, v, VKB_WRITE);
    uint32_t per_word = unit_per_word(e->unit, v), depth = e->scope->depth;
    const char *one = e->uniform && !emit_is_local(e, v) ? "if (lid == 0u) " : "";
    emit_note_store(e, v, flat);
    if (per_word == 1) {
        struct expr i = emit_index(e, flat);
        if (i.text)
            assign(e, v, one, emit_element(e, v, i.text), text);
        return;
    }
    /* Other threads may own the neighbours in the word: clear and set just these bits. */
    emit_binding(e, v, VKB_READ | VKB_WRITE);
    struct expr word = emit_index(e, ix_div(e->ix, flat, per_word)),
                part = emit_index(e, ix_mod(e->ix, flat, per_word));
    if (!word.text || !part.text)
        return;
    uint32_t bits = 8 * type_bytes(t);
    const char *at = emit_element(e, v, word.text);
    emit_line(e, depth, "%satomicAnd(%s, ~(0x%xu << ((%s) * %uu)));", one, at, (1u << bits) - 1,
              part.text, bits);
    emit_line(e, depth, "%satomicOr(%s, %s << ((%s) * %uu));", one, at, emit_pack(e, t, text),
              part.text, bits);
}

/* Whether four elements are neighbours in memory that begin a vector, or are whole words of
   narrow elements. */
static bool is_whole(struct emit *e, struct value v, const struct ix *const flat[4])
{
    uint32_t per_word = unit_per_word(e->unit, v);
    for (int i = 1; i < 4; i++) /* equal indices are equal pointers */
        if (flat[i] != ix_add_const(e->ix, flat[0], i))
            return false;
    if (ix_mod(e->ix, flat[0], 4) != ix_const(e->ix, 0) || e->uniform || emit_is_local(e, v))
        return false;
    return per_word == 1 ? vector_glsl(func_tensor(e->func, v)->type) != NULL : 4 % per_word == 0;
}

void emit_store_four(struct emit *e, struct value v, const struct ix *const flat[4],
                     const char *const text[4])
{
    enum vkc_type t = func_tensor(e->func, v)->type;
    uint32_t per_word = unit_per_word(e->unit, v);
    struct arena *a = e->arena;
    if (!is_whole(e, v, flat)) {
        for (int i = 0; i < 4; i++)
            emit_store(e, v, flat[i], text[i]);
        return;
    }
    emit_binding(e, v, VKB_WRITE);
    for (int i = 0; i < 4; i++)
        emit_note_store(e, v, flat[i]);
    if (per_word == 1) {
        struct expr i = emit_index(e, ix_div(e->ix, flat[0], 4));
        if (i.text)
            assign(e, v, "", emit_vector(e, v, i.text),
                   arena_printf(a, "%s(%s, %s, %s, %s)", vector_glsl(t), text[0], text[1], text[2],
                                text[3]));
        return;
    }
    for (uint32_t w = 0; w < 4 / per_word; w++) {
        const char *word = emit_pack(e, t, text[w * per_word]);
        for (uint32_t i = 1; i < per_word; i++)
            word = arena_printf(a, "%s | %s << %uu", word, emit_pack(e, t, text[w * per_word + i]),
                                32 / per_word * i);
        struct expr at = emit_index(e, ix_add_const(e->ix, ix_div(e->ix, flat[0], per_word), w));
        if (at.text)
            assign(e, v, "", emit_element(e, v, at.text), word);
    }
}

void emit_note_store(struct emit *e, struct value v, const struct ix *flat)
{
    for (uint32_t i = 0; i < e->kernel->nroots; i++)
        if (e->kernel->roots[i].node == v.node && e->kernel->roots[i].out == v.out)
            e->kernel->store_index[i] = flat;
}

/* The values of all results of the hero's size, once it is `name`. */
static void value_results(struct emit *e, const struct node *hero, node_id id,
                          const struct ix *flat, const char *name, const char **out_texts)
{
    struct kernel *k = e->kernel;
    e->hero_index = flat;
    emit_hero_is(e, id, name, e->scope->depth);
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++)
        if (shape_size(&func_tensor(e->func, k->roots[r])->shape) ==
            shape_size(&hero->outs[0].shape))
            out_texts[r] = emit_flat(e, k->roots[r], flat).text;
}

void emit_results(struct emit *e, const struct node *hero, node_id id, const struct ix *flat,
                  const char *glsl, const char *text)
{
    struct kernel *k = e->kernel;
    const char **texts = ARENA_ARRAY(e->arena, const char *, k->nroots);
    if (!texts) {
        emit_fail(e, "out of memory");
        return;
    }
    emit_line(e, e->scope->depth, "%s n%u = %s; // %s%s%s", glsl, hero->label, text,
              op_name(hero->op), hero->loc ? "  " : "", hero->loc ? hero->loc : "");
    value_results(e, hero, id, flat, arena_printf(e->arena, "n%u", hero->label), texts);
    /* after all loads: a root may replace an operand */
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++)
        if (texts[r])
            emit_store(e, k->roots[r], flat, texts[r]);
}

const char *emit_only_result(struct emit *e, const struct node *hero, node_id id,
                             const struct ix *flat, const char *glsl, const char *text)
{
    const char *result = NULL;
    emit_line(e, e->scope->depth, "%s n%u = %s; // %s%s%s", glsl, hero->label, text,
              op_name(hero->op), hero->loc ? "  " : "", hero->loc ? hero->loc : "");
    value_results(e, hero, id, flat, arena_printf(e->arena, "n%u", hero->label), &result);
    return result;
}

void emit_results_four(struct emit *e, const struct node *hero, node_id id,
                       const struct ix *const flat[4], const char *glsl, const char *const text[4])
{
    struct kernel *k = e->kernel;
    const char **texts = ARENA_ARRAY(e->arena, const char *, 4 * (size_t)k->nroots);
    if (!texts) {
        emit_fail(e, "out of memory");
        return;
    }
    for (uint32_t l = 0; l < 4 && !e->failed; l++) {
        const char *name = arena_printf(e->arena, "n%u_at%u", hero->label, l);
        emit_line(e, e->scope->depth, "%s %s = %s; // %s%s%s", glsl, name, text[l],
                  op_name(hero->op), hero->loc ? "  " : "", hero->loc ? hero->loc : "");
        value_results(e, hero, id, flat[l], name, texts + l * k->nroots);
    }
    /* after all loads: a root may replace an operand */
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++) {
        if (!texts[r])
            continue;
        emit_store_four(e, k->roots[r], flat,
                        (const char *[]){texts[r], texts[k->nroots + r], texts[2 * k->nroots + r],
                                         texts[3 * k->nroots + r]});
        if (e->first_index)
            emit_note_store(e, k->roots[r], e->first_index);
    }
}
