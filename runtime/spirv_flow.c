/* Functions, blocks and structured control flow. The compiler writes constructs one after the
   other and one inside another, each block where it belongs, so a stack of open constructs says
   at every label whether it may stand there. Dominance follows from it: what a block defines is
   visible until the end of the part of the construct that contains the block. A part is one arm
   of a selection, the body of a loop, or its continue block. */
#include <stdlib.h>

#include "error.h"
#include "spirv_flow.h"

static struct spirv_construct *top(struct spirv_module *m)
{
    return &m->stack[m->depth];
}

static void open_scope(struct spirv_module *m, uint32_t level)
{
    m->level = level;
    m->open[level] = ++m->serial;
}

static bool push(struct spirv_module *m, const struct spirv_construct *c)
{
    uint32_t loop = top(m)->loop;
    if (m->depth == SPIRV_MAX_NESTING)
        return spirv_fail(m, "constructs are nested deeper than %u", SPIRV_MAX_NESTING);
    m->depth++;
    *top(m) = *c;
    top(m)->level = m->level;
    top(m)->loop = c->is_loop ? m->depth : loop;
    return true;
}

/* ---- functions ---- */

/* The type of the function at hand. */
static const struct spirv_id *function_type(const struct spirv_module *m)
{
    return spirv_type(m, m->words[m->functions[m->function - 1].at + 4]);
}

static bool check_function(struct spirv_module *m, const uint32_t *w)
{
    const struct spirv_id *type = spirv_type(m, w[4]);
    if (m->function || w[3] || type->what != WHAT_TYPE || type->kind != KIND_FUNCTION ||
        type->type != w[1])
        return spirv_fail(m, "is inside of another, or not of its type");
    if (w[2] == m->entry && (type->count || w[1] != m->void_type))
        return spirv_fail(m, "the entry point has parameters, or a result");
    if (!spirv_define(m, w[2], WHAT_FUNCTION, w[4], 0))
        return false;
    m->function = m->ids[w[2]].root;
    m->functions[m->function - 1].first_call = m->ncalls;
    m->parameters = type->count;
    m->next = NEXT_ENTRY;
    m->depth = 0;
    m->stack[0] = (struct spirv_construct){0};
    open_scope(m, 0);
    return true;
}

static bool check_parameter(struct spirv_module *m, const uint32_t *w)
{
    if (!m->function || m->next != NEXT_ENTRY || !m->parameters)
        return spirv_fail(m, "is not after its function");
    const struct spirv_id *type = function_type(m);
    if (w[1] != m->words[type->at + 3 + type->count - m->parameters])
        return spirv_fail(m, "does not have the type that the function declares");
    if (!spirv_define(m, w[2], WHAT_PARAMETER, w[1], 0))
        return false;
    struct spirv_id *v = &m->ids[w[2]];
    v->scope = m->open[0];
    v->storage = spirv_type(m, w[1])->storage, v->root = w[2];
    m->parameters--;
    return true;
}

static bool check_function_end(struct spirv_module *m)
{
    if (!m->function || m->block || m->next != NEXT_NOTHING)
        return spirv_fail(m, "a block is missing before it");
    struct spirv_function *f = &m->functions[m->function - 1];
    f->words = m->at - f->at;
    f->ncalls = m->ncalls - f->first_call;
    m->function = 0;
    return true;
}

/* ---- labels ---- */

static bool claim_label(struct spirv_module *m, uint32_t id, enum spirv_role role)
{
    if (!id || id >= m->bound || m->ids[id].what != WHAT_NOTHING ||
        m->ids[id].role != LABEL_UNSEEN || m->ids[id].marks)
        return spirv_fail(m, "id %u is not a new label", id);
    m->ids[id].role = (uint8_t)role;
    return true;
}

/* The label that the current construct expects: the other arm, what continues a loop, or what
   follows the construct. */
static bool check_part(struct spirv_module *m, uint32_t id)
{
    struct spirv_construct *c = top(m);
    bool is_arm = !c->is_loop && (id == c->arms[0] || id == c->arms[1]);
    bool is_continue = c->is_loop && !c->in_continue && id == c->continue_to;
    bool is_over = c->is_loop ? c->is_closed : !c->arms[0] && !c->arms[1];
    if (is_arm) {
        c->arms[id == c->arms[0] ? 0 : 1] = 0;
        open_scope(m, c->level + 1);
    } else if (is_continue) {
        c->in_continue = true;
        open_scope(m, c->level + 1);
    } else if (is_over && id == c->merge) {
        m->level = c->level;
        m->may_join = !c->is_loop;
        m->depth--;
    } else {
        return spirv_fail(m, "id %u is not a block that the current construct expects", id);
    }
    return true;
}

static bool check_label(struct spirv_module *m, uint32_t id)
{
    if (!m->function || m->block || m->parameters || m->next == NEXT_NOTHING || !id ||
        id >= m->bound)
        return spirv_fail(m, "no block may stand here");
    m->may_join = false;
    m->may_declare = m->next == NEXT_ENTRY;
    if (m->next == NEXT_ENTRY && !claim_label(m, id, LABEL_ENTRY))
        return false;
    if (m->next == NEXT_LABEL && id != m->next_label)
        return spirv_fail(m, "id %u is not the block that must follow", id);
    if (m->next == NEXT_CONSTRUCT && !check_part(m, id))
        return false;
    m->ids[id].what = WHAT_LABEL;
    m->ids[id].at = m->at;
    m->block = id;
    return true;
}

/* ---- the ends of blocks ---- */

/* Ends the block with the instruction at hand; `next` is the label that must follow, or 0. */
static bool end_block(struct spirv_module *m, uint32_t next)
{
    m->ids[m->block].end = m->at;
    m->ids[m->block].scope = m->open[m->level];
    m->block = m->merge_at = 0;
    m->next_label = next;
    m->next = next ? NEXT_LABEL : m->depth ? NEXT_CONSTRUCT : NEXT_NOTHING;
    return true;
}

/* Whether a branch to it leaves the innermost loop, or goes on to its next round. */
static bool leaves_loop(struct spirv_module *m, uint32_t id)
{
    const struct spirv_construct *l = &m->stack[top(m)->loop];
    return top(m)->loop && !l->in_continue && (id == l->merge || id == l->continue_to);
}

static bool check_merge(struct spirv_module *m, const uint32_t *w, bool is_loop)
{
    if (!m->block || m->merge_at)
        return spirv_fail(m, "stands outside of a block, or after another");
    if (is_loop ? w[3] > 2 : w[2]) /* unroll it, or do not */
        return spirv_fail(m, "its control is not admitted");
    if (is_loop && m->ids[m->block].role != LABEL_NEXT)
        return spirv_fail(m, "block %u cannot be a loop's header", m->block);
    m->merge_at = m->at;
    return claim_label(m, w[1], LABEL_MERGE) && (!is_loop || claim_label(m, w[2], LABEL_CONTINUE));
}

/* From a loop's header into its body. */
static bool enter_loop(struct spirv_module *m, uint32_t to)
{
    const uint32_t *merge = m->words + m->merge_at;
    struct spirv_construct c = {
        .is_loop = true, .merge = merge[1], .continue_to = merge[2], .header = m->block};
    if (!claim_label(m, to, LABEL_NEXT) || !push(m, &c))
        return false;
    m->ids[m->block].scope = m->open[m->level];
    m->ids[m->block].end = m->at;
    open_scope(m, m->level + 1);
    m->block = m->merge_at = 0;
    m->next_label = to;
    m->next = NEXT_LABEL;
    return true;
}

static bool check_branch(struct spirv_module *m, uint32_t to)
{
    struct spirv_construct *c = top(m);
    if (m->merge_at) {
        if ((m->words[m->merge_at] & 0xffff) != OP_LoopMerge)
            return spirv_fail(m, "a selection goes one way only");
        return enter_loop(m, to);
    }
    if (to < m->bound)
        m->ids[to].count++;
    if (m->depth && c->is_loop && c->in_continue && to == c->header) {
        c->is_closed = true;
        return end_block(m, 0);
    }
    if ((m->depth && !c->is_loop && to == c->merge) || leaves_loop(m, to))
        return end_block(m, 0);
    return claim_label(m, to, LABEL_NEXT) && end_block(m, to);
}

/* Two ways into a selection, each an arm of its own or past it. */
static bool enter_selection(struct spirv_module *m, uint32_t a, uint32_t b)
{
    struct spirv_construct c = {.merge = m->words[m->merge_at + 1]};
    if ((m->words[m->merge_at] & 0xffff) != OP_SelectionMerge || a == b || !a || !b)
        return spirv_fail(m, "is not a selection between two blocks");
    c.arms[0] = a == c.merge ? 0 : a;
    c.arms[1] = b == c.merge ? 0 : b;
    for (int i = 0; i < 2; i++)
        if (c.arms[i] && !claim_label(m, c.arms[i], LABEL_ARM))
            return false;
    m->ids[a].count++, m->ids[b].count++;
    m->ids[m->block].scope = m->open[m->level];
    m->ids[m->block].end = m->at;
    m->block = m->merge_at = 0;
    m->next = NEXT_CONSTRUCT;
    return push(m, &c);
}

static bool check_branch_conditional(struct spirv_module *m, const uint32_t *w)
{
    struct spirv_construct *c = top(m);
    const struct spirv_id *type;
    if (!spirv_operand(m, w[1], &type))
        return false;
    if (type->kind != KIND_BOOL)
        return spirv_fail(m, "id %u is not a bool", w[1]);
    if (m->merge_at)
        return enter_selection(m, w[2], w[3]);
    if (!m->depth || !c->is_loop)
        return spirv_fail(m, "a selection needs a merge instruction");
    if (c->in_continue) { /* again, or out */
        if (!(w[2] == c->header && w[3] == c->merge) && !(w[2] == c->merge && w[3] == c->header))
            return spirv_fail(m, "must go back to the loop's header, or out of it");
        c->is_closed = true;
        return end_block(m, 0);
    }
    bool first_leaves = leaves_loop(m, w[2]);
    uint32_t on = first_leaves ? w[3] : w[2];
    if (first_leaves == leaves_loop(m, w[3]))
        return spirv_fail(m, "one of its ways must leave the loop");
    return claim_label(m, on, LABEL_ARM) && end_block(m, on);
}

static bool check_return(struct spirv_module *m, uint32_t id)
{
    const struct spirv_id *type, *v = id ? spirv_operand(m, id, &type) : NULL;
    uint32_t result = function_type(m)->type;
    if (id ? !v || v->type != result : result != m->void_type)
        return spirv_fail(m, "is not of the function's type");
    return end_block(m, 0);
}

/* ---- values that meet ---- */

static bool goes_to(const struct spirv_module *m, uint32_t from, uint32_t to)
{
    const uint32_t *w = m->words + m->ids[from].end;
    return (w[0] & 0xffff) == OP_Branch
               ? w[1] == to
               : (w[0] & 0xffff) == OP_BranchConditional && (w[2] == to || w[3] == to);
}

/* Where a selection ends, from the two ways that lead there. What an arm defines is seen at its
   end. */
static bool check_phi(struct spirv_module *m, const uint32_t *w)
{
    if (!m->block || !m->may_join || m->ids[m->block].count != 2 || w[4] == w[6])
        return spirv_fail(m, "does not stand where the two ways of a selection meet");
    if (!spirv_is_value_type(spirv_type(m, w[1])))
        return spirv_fail(m, "is not a value");
    for (int i = 3; i < 7; i += 2) {
        uint32_t from = w[i + 1], id = w[i];
        if (from >= m->bound || m->ids[from].what != WHAT_LABEL || !m->ids[from].end ||
            !goes_to(m, from, m->block))
            return spirv_fail(m, "id %u is not a block that leads here", from);
        bool is_local = id < m->bound && m->ids[id].what == WHAT_RESULT &&
                        m->ids[id].scope == m->ids[from].scope;
        const struct spirv_id *type, *v = is_local ? &m->ids[id] : spirv_operand(m, id, &type);
        if (!v || v->type != w[1])
            return spirv_fail(m, "id %u is not of its type", id);
    }
    return spirv_define_result(m, w[2], w[1]);
}

bool spirv_check_flow(struct spirv_module *m, const struct spirv_op_rule *rule, const uint32_t *w,
                      uint32_t n)
{
    (void)n;
    switch (rule->form) {
    case FORM_FUNCTION: return check_function(m, w);
    case FORM_PARAMETER: return check_parameter(m, w);
    case FORM_FUNCTION_END: return check_function_end(m);
    case FORM_LABEL: return check_label(m, w[1]);
    default: break;
    }
    if (!m->block ||
        (m->merge_at && rule->form != FORM_BRANCH && rule->form != FORM_BRANCH_CONDITIONAL))
        return spirv_fail(m, "stands outside of a block, or after a merge instruction");
    switch (rule->form) {
    case FORM_LOOP_MERGE: return check_merge(m, w, true);
    case FORM_SELECTION_MERGE: return check_merge(m, w, false);
    case FORM_BRANCH: return check_branch(m, w[1]);
    case FORM_BRANCH_CONDITIONAL: return check_branch_conditional(m, w);
    case FORM_RETURN: return check_return(m, 0);
    case FORM_RETURN_VALUE: return w[1] ? check_return(m, w[1]) : spirv_fail(m, "returns nothing");
    default: return check_phi(m, w);
    }
}

/* ---- calls ---- */

/* What a function comes to with all that it calls, once those are known. */
static bool add_calls(struct spirv_module *m, struct spirv_function *f)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < f->ncalls; i++) {
        const struct spirv_function *callee = &m->functions[m->calls[f->first_call + i]];
        f->words += callee->words;
        f->array_bytes += callee->array_bytes;
        f->scalar_bytes += callee->scalar_bytes;
        depth = callee->depth + 1 > depth ? callee->depth + 1 : depth;
    }
    f->depth = depth;
    m->at = f->at;
    return (f->words <= SPIRV_MAX_EXPANDED && f->array_bytes <= SPIRV_MAX_ARRAY_BYTES &&
            f->scalar_bytes <= SPIRV_MAX_SCALAR_BYTES && depth <= SPIRV_MAX_CALLS) ||
           spirv_fail(
               m,
               "with all calls written out %llu words, %llu bytes of arrays, %llu of other variables, %u deep: "
               "at most %u, %u, %u and %u",
               (unsigned long long)f->words, (unsigned long long)f->array_bytes,
               (unsigned long long)f->scalar_bytes, depth, SPIRV_MAX_EXPANDED,
               SPIRV_MAX_ARRAY_BYTES, SPIRV_MAX_SCALAR_BYTES, SPIRV_MAX_CALLS);
}

/* Callers before callees, as far as there is such an order; then sums from the last to the
   first. */
bool spirv_check_calls(struct spirv_module *m)
{
    uint32_t count = 0, entry = m->ids[m->entry < m->bound ? m->entry : 0].root;
    uint32_t *order = host_alloc(m->nfunctions, sizeof *order);
    bool ok = true;
    if (!order) {
        m->out_of_memory = true;
        return spirv_fail(m, "out of memory");
    }
    for (uint32_t i = 0; i < m->ncalls; i++)
        m->functions[m->calls[i]].callers++;
    if (!entry || m->ids[m->entry].what != WHAT_FUNCTION || m->functions[entry - 1].callers)
        ok = spirv_fail(m, "the entry point is called, or no function");
    for (uint32_t i = 0; i < m->nfunctions; i++)
        if (!m->functions[i].callers)
            order[count++] = i;
    for (uint32_t i = 0; i < count; i++) {
        const struct spirv_function *f = &m->functions[order[i]];
        for (uint32_t k = 0; k < f->ncalls; k++)
            if (!--m->functions[m->calls[f->first_call + k]].callers)
                order[count++] = m->calls[f->first_call + k];
    }
    if (ok && count != m->nfunctions)
        ok = spirv_fail(m, "functions call themselves");
    for (uint32_t i = count; ok && i-- > 0;)
        ok = add_calls(m, &m->functions[order[i]]);
    free(order);
    return ok;
}
