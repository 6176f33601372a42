/* The map family: any number of element-wise values over one iteration space of `size` elements.

   A thread takes `lanes` consecutive elements. What does not depend on the lane (whole vectors of four,
   row values, scalars) is loaded before the lane loop; results of four lanes are stored as one vector or,
   for narrow types, as one word, so that no two threads share a word. */
#include <string.h>

#include "../runtime/bundle.h"
#include "emit.h"

enum { SHORT_BODY = 12 };         /* additions up to which a driver surely unrolls the lane loop */

struct target_var {
    struct value root;
    enum vkc_type type;
    const char *name;           /* "o_n12", NULL where the lane stores directly */
    const char *value;          /* the lane's element */
    uint32_t words;             /* of a narrow type: words that a thread writes */
};

/* Declares what collects the lanes of a root. */
static void collect_begin(struct emit *e, struct target_var *t, bool whole)
{
    uint32_t label = func_node(e->func, t->root.node)->label, per_word = unit_per_word(e->unit, t->root);
    if (per_word > 1) {
        t->words = e->lanes / per_word;
        t->name = arena_printf(e->arena, "o_n%u_%u", label, t->root.out);
        emit_line(e, e->scope->depth, "uint %s[%u] = uint[%u](%s);", t->name, t->words, t->words, t->words == 2 ? "0u, 0u" : "0u");
    } else if (whole && e->lanes == 4 && vector_glsl(t->type) && !e->unit->workgroup) {
        t->name = arena_printf(e->arena, "o_n%u_%u", label, t->root.out);
        emit_line(e, e->scope->depth, "%s %s;", vector_glsl(t->type), t->name);
    }
}

static void collect_lane(struct emit *e, const struct target_var *t, const struct ix *i, const char *text)
{
    uint32_t per_word = unit_per_word(e->unit, t->root);
    if (!t->name) {
        emit_store(e, t->root, i, text);
        return;
    }
    struct expr lane = emit_index(e, e->lane);
    if (!lane.text)
        return;
    if (per_word > 1)
        emit_line(e, e->scope->depth, "%s[%s / %uu] |= %s << (%s %% %uu * %uu);", t->name, lane.text, per_word, emit_pack(e, t->type, text), lane.text,
                  per_word, 8 * type_bytes(t->type));
    else
        emit_line(e, e->scope->depth, "%s[%s] = %s;", t->name, lane.text, text);
}

static void collect_end(struct emit *e, const struct target_var *t, const struct ix *flat, const char *thread, int64_t size)
{
    if (!t->name)
        return;
    uint32_t per_word = unit_per_word(e->unit, t->root), d = e->scope->depth;
    emit_binding(e, t->root, VKB_WRITE);
    emit_note_store(e, t->root, flat);
    if (per_word == 1) {
        emit_line(e, d, "%s_v[%s] = %s;", emit_buffer_name(e, t->root), thread, t->name);
        return;
    }
    int64_t words = (size + per_word - 1) / per_word;
    thread = strchr(thread, ' ') ? arena_printf(e->arena, "(%s)", thread) : thread;
    for (uint32_t w = 0; w < t->words; w++) {
        const char *at = arena_printf(e->arena, "%uu * %s + %uu", t->words, thread, w), *to = emit_element(e, t->root, at ? at : "");
        if (words % t->words == 0)
            emit_line(e, d, "%s%s = %s[%u];", e->uniform ? "if (lid == 0u) " : "", to, t->name, w);
        else
            emit_line(e, d, "if (%s < %lldu%s) %s = %s[%u];", at, (long long)words, e->uniform ? " && lid == 0u" : "", to, t->name, w);
    }
}

/* A scalar result in a kernel of a larger space: one thread computes it. */
static bool rides_along(const struct emit *e, struct value root, int64_t space)
{
    return space != 1 && shape_size(&func_tensor(e->func, root)->shape) == 1;
}

void emit_scalars(struct emit *e, int64_t space, const char *head)
{
    struct kernel *k = e->kernel;
    bool any = false;
    for (uint32_t r = 0; r < k->nroots; r++)
        any |= rides_along(e, k->roots[r], space);
    if (!any || e->failed)
        return;
    emit_open(e);
    e->floor = e->scope->depth;
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++) {
        if (!rides_along(e, k->roots[r], space))
            continue;
        const struct ix *zero = ix_const(e->ix, 0);
        struct expr x = emit_flat(e, k->roots[r], zero);
        if (x.text)
            emit_store(e, k->roots[r], zero, x.text);
        k->store_index[r] = k->roots; /* every thread may read what this one replaces: never in place */
    }
    e->floor = 0;
    emit_close(e, head);
}

bool map_elements(struct emit *e, const struct ix *i, bool whole)
{
    struct kernel *k = e->kernel;
    uint32_t lanes = e->lanes;
    const struct ix *group = ix_div(e->ix, i, lanes);
    struct target_var *roots = ARENA_ARRAY(e->arena, struct target_var, k->nroots);
    if (!roots)
        return FAIL(e->diag, MEMORY, "out of memory");
    for (uint32_t r = 0; r < k->nroots; r++) {
        roots[r] = (struct target_var){.root = k->roots[r], .type = func_tensor(e->func, k->roots[r])->type};
        if (lanes > 1 && !rides_along(e, k->roots[r], k->size))
            collect_begin(e, &roots[r], whole);
    }
    const struct ix *lane = e->lane;
    if (!whole)
        e->lane = NULL; /* a vector load could run past the end of a buffer */
    if (lanes > 1)
        emit_open(e);
    if (!whole)
        emit_line(e, e->scope->depth, "if (%uu * %s + l >= %lldu) break;", lanes, emit_index(e, group).text, (long long)k->size);
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++)
        if (!rides_along(e, k->roots[r], k->size))
            roots[r].value = emit_flat(e, k->roots[r], i).text;
    const struct ix *vector_lane = e->lane;
    e->lane = lane;
    for (uint32_t r = 0; r < k->nroots && !e->failed; r++) /* after all loads: a root may replace an operand */
        if (roots[r].value)
            collect_lane(e, &roots[r], i, roots[r].value);
    e->lane = vector_lane;
    if (lanes > 1 && whole && e->flops > SHORT_BODY)
        emit_close_each(e, "l", lanes);
    else if (lanes > 1)
        emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint l = 0u; l < %uu; l++)", lanes));
    for (uint32_t r = 0; r < k->nroots && lanes > 1 && !e->failed; r++)
        if (roots[r].name)
            collect_end(e, &roots[r], i, emit_index(e, group).text, k->size);
    e->lane = NULL;
    return e->failed == NULL;
}

bool kernel_map(struct emit *e)
{
    struct kernel *k = e->kernel;
    uint32_t lanes = k->schedule.lanes;
    if (k->schedule.across)
        return kernel_turn(e);
    const struct ix *t = ix_var(e->ix, "t", (k->size + lanes - 1) / lanes, 0), *i = t;
    e->lanes = lanes;
    if (!turn_watch(e, t))
        return false;
    if (lanes > 1) {
        e->lane = ix_var(e->ix, "l", lanes, 1);
        i = ix_add(e->ix, ix_scale(e->ix, t, lanes), e->lane);
    }
    if (!map_elements(e, i, k->size % lanes == 0))
        return false;
    emit_scalars(e, k->size, arena_printf(e->arena, "if (%s == 0u)", k->size > lanes ? "t" : "0u"));
    return e->failed == NULL;
}
