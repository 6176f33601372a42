/* From kernels to a program: one unit per function, its kernels and control nodes in dependency
   order, a buffer for every stored value, and the steps. memplan.c then assigns memory to buffers.

   plan_control.c has loops, branches and calls of the host. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/bundle.h"
#include "base/cancel.h"
#include "codegen/family/family.h"
#include "fuse/fuse.h"
#include "target/limits.h"
#include "plan/planner.h"
#include "plan/plan_chain.h"
#include "plan/plan_control.h"
#include "plan/plan_copy.h"
#include "plan/plan_device.h"
#include "plan/plan_drop.h"
#include "plan/plan_group.h"
#include "plan/plan_order.h"
#include "plan/memplan.h"

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

/* ---- buffers and steps ---- */

uint32_t plan_new_buffer(struct planner *b, enum plan_buffer_kind kind, uint32_t index,
                         const struct tensor *t, const char *name)
{
    struct plan *p = b->plan;
    if (!arena_grow(p->arena, &p->buffers, p->nbuffers, &p->cap_buffers, sizeof *p->buffers))
        return NO_INDEX;
    p->buffers[p->nbuffers] = (struct plan_buffer){.kind = kind,
                                                   .index = index,
                                                   .bytes = (tensor_bytes(t) + 3) & ~(uint64_t)3,
                                                   .type = t->type,
                                                   .elements = shape_size(&t->shape),
                                                   .alias = NO_INDEX,
                                                   .name = name};
    return p->nbuffers++;
}

struct plan_step *plan_new_step(struct planner *b, struct block *to, enum plan_step_kind kind,
                                uint32_t nbuffers)
{
    if (!arena_grow(b->plan->arena, &to->steps, to->nsteps, &to->cap_steps, sizeof *to->steps))
        return NULL;
    struct task_step *t = &to->steps[to->nsteps];
    *t = (struct task_step){
        .step = {.kind = kind, .kernel = NO_INDEX, .counts = NO_INDEX, .nbuffers = nbuffers}};
    t->step.buffers = ARENA_ARRAY(b->plan->arena, uint32_t, nbuffers);
    t->step.access = ARENA_ARRAY(b->plan->arena, uint8_t, nbuffers);
    if (!t->step.buffers || !t->step.access)
        return NULL;
    to->nsteps++;
    return &t->step;
}

uint32_t plan_add_kernel(struct planner *b, const struct kernel *k)
{
    struct plan *p = b->plan;
    if (!arena_grow(p->arena, &p->kernels, p->nkernels, &p->cap_kernels, sizeof *p->kernels))
        return NO_INDEX;
    p->kernels[p->nkernels] = *k;
    return p->nkernels++;
}

bool plan_copy_step(struct planner *b, struct block *to, uint32_t from_buffer, uint32_t to_buffer)
{
    struct plan_step *s = plan_new_step(b, to, STEP_COPY, 2);
    if (!s)
        return no_memory(b);
    s->buffers[0] = from_buffer;
    s->buffers[1] = to_buffer;
    s->access[0] = VKB_READ;
    s->access[1] = VKB_WRITE;
    s->bytes = b->plan->buffers[to_buffer].bytes;
    return true;
}

/* ---- a function ---- */

uint32_t plan_buffer_of(struct planner *b, struct unit *u, struct value v)
{
    v = unit_base(u, v);
    uint32_t slot = unit_slot(u, v);
    if (u->buffer[slot] == NO_INDEX) {
        const struct node *n = func_node(unit_func(u), v.node);
        const char *name =
            arena_printf(b->plan->arena, n->nouts > 1 ? "n%u.%u" : "n%u", n->label, v.out);
        if (n->op == OP_LITERAL)
            u->buffer[slot] = plan_new_buffer(
                b, PLAN_CONSTANT, (uint32_t)attr_int(n, ATTR_literal, 0), &n->outs[0], name);
        else
            u->buffer[slot] =
                plan_new_buffer(b, PLAN_SCRATCH, 0, func_tensor(unit_func(u), v), name);
    }
    return u->buffer[slot];
}

static bool add_access(struct planner *b, struct unit *u, struct plan_step *s, struct value v,
                       uint8_t access)
{
    uint32_t buffer = plan_buffer_of(b, u, v);
    if (buffer == NO_INDEX)
        return no_memory(b);
    s->buffers[s->nbuffers] = buffer;
    s->access[s->nbuffers++] = access;
    s->bytes += b->plan->buffers[buffer].bytes;
    return true;
}

static bool binds(const struct kernel *k, struct value v)
{
    bool found = false;
    for (uint32_t i = 0; i < k->nbound && !found; i++)
        found = k->bound[i].value.node == v.node && k->bound[i].value.out == v.out;
    return found;
}

static bool dispatch(struct planner *b, struct unit *u, uint32_t kernel, uint32_t base,
                     struct block *to)
{
    const struct kernel *k = &u->kernels[kernel];
    struct plan_step *s = plan_new_step(b, to, STEP_DISPATCH, k->nbound + k->nreads);
    if (!s)
        return no_memory(b);
    s->kernel = base + kernel;
    s->nbuffers = 0;
    to->steps[to->nsteps - 1].unit = u;
    for (uint32_t i = 0; i < k->nbound; i++)
        if (!add_access(b, u, s, k->bound[i].value, k->bound[i].access))
            return false;
    /* A phase of a workgroup program is written again, with other lanes once the places are known,
       and may then need a load that this text did not. */
    for (uint32_t i = 0; i < k->nreads && b->workgroup; i++)
        if (!binds(k, k->reads[i]) && !add_access(b, u, s, k->reads[i], VKB_READ))
            return false;
    return true;
}

/* Gives results their buffers. A result that is an input, a literal or the same value as another
   result is copied at the end; what a kernel stores goes straight to its place. */
static bool bind_results(struct planner *b, struct unit *u, const uint32_t *results, bool *copy)
{
    const struct func *f = unit_func(u);
    for (uint32_t i = 0; i < f->nresults; i++) {
        struct value v = unit_base(u, f->results[i]);
        uint32_t slot = unit_slot(u, v);
        if (results[i] == NO_INDEX)
            continue;
        const struct node *n = func_node(f, v.node);
        /* a cond's result is written by its branches, which may read each other's inputs: no
           sharing */
        copy[i] = n->op == OP_PARAMETER || n->op == OP_LITERAL || u->buffer[slot] != NO_INDEX ||
                  tensor_bytes(func_tensor(f, v)) != tensor_bytes(func_tensor(f, f->results[i]));
        bool narrower = b->plan->buffers[results[i]].bytes <
                        ((tensor_bytes(func_tensor(f, v)) + 3) & ~(size_t)3);
        if (!copy[i] && !narrower)
            u->buffer[slot] = results[i];
        else
            copy[i] = true;
    }
    return true;
}

static bool stores_elements(const struct unit *u, const struct kernel *k)
{
    for (uint32_t r = 0; r < k->nroots; r++)
        if (shape_size(&func_tensor(unit_func(u), k->roots[r])->shape) > family_places(k))
            return true;
    return false;
}

static bool body_replaces(const struct unit *u, const struct kernel *k, uint32_t result,
                          uint32_t binding)
{
    /* in a workgroup program a scalar may be every thread's, and slow ones would see the new
       value */
    if (u->workgroup && family_places(k) == 1)
        return false;
    for (uint32_t r = 0; r < k->nroots; r++) {
        if (u->buffer[unit_slot(u, unit_base(u, k->roots[r]))] != result)
            continue;
        /* what a row kernel stores per element, it stores before other results are computed */
        bool early = !family_of(k)->is_elementwise && k->nroots > 1 &&
                     unit_size(u, k->roots[r]) != family_places(k);
        /* and a row's result by one thread of the row, while others may still read its operand
           for their elements */
        bool shared = family_row_threads(k) > 1 && stores_elements(u, k);
        return !early && !shared && k->store_index[r] &&
               k->bound[binding].load_index == k->store_index[r];
    }
    return false;
}

bool plan_replaces(const struct unit *u, const struct kernel *k, uint32_t result, uint32_t binding)
{
    for (; k; k = k->variant)
        if (!body_replaces(u, k, result, binding))
            return false;
    return true;
}

/* Which outputs may be written over the input that the caller donates for them. */
static bool plan_donations(struct planner *b, struct unit *u, const uint32_t *results,
                           struct edges *edges)
{
    struct plan *p = b->plan;
    const struct graph *g = p->graph;
    const struct func *f = unit_func(u);
    for (uint32_t d = 0; d < g->ndonations; d++) {
        uint32_t in = g->donations[d].input, out = g->donations[d].output;
        struct value v = unit_base(u, f->results[out]), param = {VKC_NO_NODE, 0};
        uint32_t slot = unit_slot(u, v), writer = u->kernel_of[slot];
        for (node_id i = 0; i < f->nnodes; i++)
            if (f->nodes[i].op == OP_PARAMETER && attr_int(&f->nodes[i], ATTR_index, -1) == in)
                param.node = i;
        bool passed_on = param.node != VKC_NO_NODE && v.node == param.node,
             unread = param.node == VKC_NO_NODE;
        if (passed_on || (unread && u->buffer[slot] == results[out]))
            p->buffers[results[out]].alias = in;
        if (b->workgroup || passed_on || unread || u->buffer[slot] != results[out] ||
            writer == NO_INDEX)
            continue;
        /* in place if the writing kernel reads each element just where it replaces it */
        const struct kernel *k = &u->kernels[writer];
        bool fits = true;
        for (uint32_t i = 0; i < k->nbound; i++)
            if (k->bound[i].value.node == param.node)
                fits = plan_replaces(u, k, results[out], i);
        /* control flow reads inputs when it likes */
        for (node_id i = 0; i < f->nnodes && fits; i++)
            for (uint32_t j = 0; j < f->nodes[i].nins && fuse_is_control(&f->nodes[i]); j++)
                fits &= unit_base(u, f->nodes[i].ins[j]).node != param.node;
        for (uint32_t i = 0; i < f->nresults; i++) /* returned as another result too */
            fits &= unit_base(u, f->results[i]).node != param.node;
        if (!fits)
            continue; /* a donation is leave, not duty: the output gets a buffer of its own */
        p->buffers[results[out]].alias = in;
        for (uint32_t o = 0; o < u->nkernels; o++) {
            if (o == writer || u->kernels[o].dead)
                continue;
            for (uint32_t i = 0; i < u->kernels[o].nreads; i++)
                if (u->kernels[o].reads[i].node == param.node && !order_add(b, edges, o, writer))
                    return false;
        }
    }
    return true;
}

/* The label of "n12", plus 1; 0: it is not a label. */
static uint32_t asked_label(const char *name)
{
    char *end = NULL;
    unsigned long label = name && name[0] == 'n' ? strtoul(name + 1, &end, 10) : 0;
    return end && end != name + 1 && !*end && label < UINT32_MAX ? (uint32_t)label + 1 : 0;
}

/* The function's kernels: NULL with a diagnostic. */
static struct unit *fused(struct planner *b, uint32_t func)
{
    struct plan *p = b->plan;
    struct unit *u = ARENA_NEW(p->arena, struct unit);
    if (!u) {
        no_memory(b);
        return NULL;
    }
    *u = (struct unit){.graph = p->graph,
                       .func = func,
                       .arena = p->arena,
                       .target = p->target,
                       .tuning = &p->tuning,
                       .alternatives = p->alternatives,
                       .nalternatives = p->nalternatives,
                       .fast_math = b->options->fast_math,
                       .plain_products = b->options->highest_precision,
                       .no_fusion = b->options->no_fusion,
                       .workgroup = b->workgroup,
                       .all_texts = b->options->want_glsl || b->options->dump_dir};
    u->reasons = u->all_texts || b->options->want_plan || b->options->explain;
    u->asked = func == p->graph->entry ? asked_label(b->options->explain) : 0;
    bool ok = fuse(u, b->diag);
    p->bodies += u->texts;
    if (u->asked) { /* an attempt at a workgroup program came before what is kept */
        p->decisions = u->decisions;
        p->ndecisions = u->ndecisions;
    }
    return ok ? u : NULL;
}

/* In which order the tasks of the function run. */
static bool order_of(struct planner *b, struct unit *u, const uint32_t *results, bool entry,
                     struct order *o)
{
    struct plan *p = b->plan;
    const struct func *f = unit_func(u);
    struct edges edges = {0};
    bool cycle = false;
    if (!order_effects(b, u, &edges))
        return false;
    uint32_t neffects = edges.n;
    if ((entry && !plan_donations(b, u, results, &edges)) ||
        !order_tasks(b, u, edges.list, edges.n, o, &cycle))
        return false;
    if (!cycle)
        return true;
    /* an input is read after the kernel that would replace it: nothing in place */
    for (uint32_t i = 0; i < p->graph->ndonations; i++) {
        uint32_t out = p->graph->donations[i].output;
        const struct node *n = func_node(f, unit_base(u, f->results[out]).node);
        if (n->op != OP_PARAMETER)
            p->buffers[results[out]].alias = NO_INDEX;
    }
    *o = (struct order){0};
    if (!order_tasks(b, u, edges.list, neffects, o, &cycle))
        return false;
    return !cycle || FAIL(b->diag, INTERNAL, "the kernels of f%u wait for each other", u->func);
}

static bool has_chains(const struct planner *b)
{
    return !b->workgroup && !b->options->no_fusion && b->plan->tuning.program_chains;
}

/* A step for each task, or for several, and what those of control flow bring with them. */
static bool add_steps(struct planner *b, struct unit *u, const struct order *o, struct block *to)
{
    struct plan *p = b->plan;
    uint32_t base = p->nkernels;
    for (uint32_t k = 0; k < u->nkernels; k++) {
        uint32_t at = plan_add_kernel(b, &u->kernels[k]);
        if (at == NO_INDEX)
            return no_memory(b);
        p->kernels[at].func = u->func;
    }
    struct chains *chains = has_chains(b) ? plan_chains_of(b, u, o) : NULL;
    if (has_chains(b) && !chains)
        return false;
    b->depth++;
    for (uint32_t i = 0; i < o->nlist; i++) {
        uint32_t t = o->list[i];
        bool done = false;
        if (!cancel_check(p->arena->cancel, b->diag) || (chains && !plan_chain(b, chains, i, to)))
            return false;
        if (chains && chains->taken[i])
            continue;
        if (t >= u->nkernels && !b->workgroup && !plan_group_node(b, u, t - u->nkernels, to, &done))
            return false;
        if (!done && !(t < u->nkernels ? dispatch(b, u, t, base, to)
                                       : plan_control(b, u, t - u->nkernels, to)))
            return false;
    }
    b->depth--;
    return true;
}

/* Results that nothing has put into their buffers. */
static bool copy_results(struct planner *b, struct unit *u, const uint32_t *results,
                         struct block *to)
{
    const struct func *f = unit_func(u);
    for (uint32_t i = 0; i < f->nresults; i++) {
        if (results[i] == NO_INDEX)
            continue;
        uint32_t from = plan_buffer_of(b, u, f->results[i]);
        if (from == NO_INDEX)
            return no_memory(b);
        const struct plan_buffer *src = &b->plan->buffers[from],
                                 *dst = &b->plan->buffers[results[i]];
        bool in_place =
            dst->kind == PLAN_OUTPUT && src->kind == PLAN_INPUT && dst->alias == src->index;
        if (from != results[i] && !in_place && !plan_copy_step(b, to, from, results[i]))
            return false;
    }
    return true;
}

bool plan_func(struct planner *b, uint32_t func, const uint32_t *params, const uint32_t *results,
               struct block *to, bool entry)
{
    struct order o = {0};
    if (b->depth >= VKC_MAX_REGION_DEPTH)
        return FAIL(b->diag, INPUT, "regions nest deeper than %d", VKC_MAX_REGION_DEPTH);
    struct unit *u = fused(b, func);
    if (!u)
        return false;
    const struct func *f = unit_func(u);
    for (node_id i = 0; i < f->nnodes; i++)
        if (f->nodes[i].op == OP_PARAMETER)
            u->buffer[u->first_slot[i]] = params[attr_int(&f->nodes[i], ATTR_index, 0)];
    bool *copy = ARENA_ARRAY(b->plan->arena, bool, f->nresults + 1);
    if (!copy || !bind_results(b, u, results, copy))
        return no_memory(b);
    return order_of(b, u, results, entry, &o) && add_steps(b, u, &o, to) &&
           copy_results(b, u, results, to);
}

/* ---- flattening ---- */

static bool place(struct plan *p, const struct block *b, uint32_t *out_first)
{
    *out_first = p->nsteps;
    for (uint32_t i = 0; i < b->nsteps; i++) {
        if (!arena_grow(p->arena, &p->steps, p->nsteps, &p->cap_steps, sizeof *p->steps))
            return false;
        p->steps[p->nsteps++] = b->steps[i].step;
    }
    for (uint32_t i = 0; i < b->nsteps; i++)
        for (uint32_t r = 0; r < 2; r++)
            if (b->steps[i].range[r]) {
                uint32_t first;
                if (!place(p, b->steps[i].range[r], &first))
                    return false;
                p->steps[*out_first + i].range_first[r] = first;
                p->steps[*out_first + i].range_count[r] = b->steps[i].range[r]->nsteps;
            }
    return true;
}

/* Kernels that a merge left empty go; the rest are numbered in the order in which they run, one for
   each dispatch. */
static bool renumber(struct plan *p)
{
    uint32_t n = 0;
    struct kernel *kept = ARENA_ARRAY(p->arena, struct kernel, p->nsteps + 1);
    if (!kept)
        return false;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        struct plan_step *s = &p->steps[i];
        if (s->kind != STEP_DISPATCH)
            continue;
        kept[n] = p->kernels[s->kernel];
        kept[n].id = n;
        kept[n].bytes = s->bytes;
        s->kernel = n++;
    }
    p->kernels = kept;
    p->nkernels = n;
    return true;
}

/* Buffers that no step touches go: values that became a workgroup program's own. */
static bool drop_buffers(struct plan *p)
{
    uint32_t *to = ARENA_ARRAY(p->arena, uint32_t, p->nbuffers + 1), n = 0;
    bool *used = ARENA_ARRAY(p->arena, bool, p->nbuffers + 1);
    if (!to || !used)
        return false;
    for (uint32_t i = 0; i < p->nsteps; i++)
        for (uint32_t j = 0; j < p->steps[i].nbuffers; j++)
            /* the words of group counts among them: a gate writes them */
            used[p->steps[i].buffers[j]] = true;
    for (uint32_t i = 0; i < p->nbuffers; i++)
        if (used[i] || p->buffers[i].kind == PLAN_INPUT || p->buffers[i].kind == PLAN_OUTPUT) {
            to[i] = n;
            p->buffers[n++] = p->buffers[i];
        }
    p->nbuffers = n;
    for (uint32_t i = 0; i < p->nsteps; i++)
        for (uint32_t j = 0; j < p->steps[i].nbuffers; j++)
            p->steps[i].buffers[j] = to[p->steps[i].buffers[j]];
    for (uint32_t i = 0; i < p->nsteps; i++)
        if (p->steps[i].counts != NO_INDEX)
            p->steps[i].counts = to[p->steps[i].counts];
    return true;
}

/* What has more bytes than a binding is used in parts, if the target can. */
static bool check_large(const struct plan *p, const struct plan_buffer *b, struct diag *d)
{
    if (b->elements > LIMITS_ELEMENTS)
        return FAIL(d, UNSUPPORTED,
                    "%s has %lld elements, and kernels count up to %lld: split the tensor", b->name,
                    (long long)b->elements, (long long)LIMITS_ELEMENTS);
    if (!(p->target->features & VKB_FEATURE_ADDRESSES))
        return FAIL(d, UNSUPPORTED,
                    "%s needs a buffer of %llu bytes; %s binds %llu at once, and lacks %s, "
                    "which larger ones need: split the tensor, or compile for a target that has it",
                    b->name, (unsigned long long)b->bytes, p->target->name,
                    (unsigned long long)unit_part_bytes(p->target),
                    vkb_feature_name(VKB_FEATURE_ADDRESSES));
    return true;
}

const char *plan_kernel_loc(const struct plan *p, const struct kernel *k)
{
    for (uint32_t i = 0; i < k->nroots; i++) {
        const struct node *n = func_node(&p->graph->funcs[k->func], k->roots[i].node);
        if (n->loc)
            return n->loc;
    }
    return NULL;
}

static void add_alternative(struct plan *p, const struct vkc_target *target, enum units units)
{
    struct alternative *a = &p->alternatives[p->nalternatives];
    *a = (struct alternative){.target = target, .matrix_units = units};
    tuning_of(target, &a->tuning);
    if (!units || (a->tuning.matrix_units && units_any(target, units)))
        p->nalternatives++;
}

/* Another target first, since the caller asked for it, and of each target matrix units first. */
static void list_alternatives(struct plan *p, const struct vkc_target *also)
{
    if (also) {
        add_alternative(p, also, UNITS_WORKGROUP);
        add_alternative(p, also, UNITS_SUBGROUP);
        add_alternative(p, also, UNITS_NONE);
    }
    add_alternative(p, p->target, UNITS_WORKGROUP);
    add_alternative(p, p->target, UNITS_SUBGROUP);
}

bool plan_build(struct arena *a, struct graph *g, const struct vkc_options *o,
                const struct vkc_target *target, struct plan *out, struct diag *d)
{
    *out = (struct plan){.arena = a, .graph = g, .target = target, .apart = o->apart};
    tuning_of(target, &out->tuning);
    list_alternatives(out, o->also);
    struct planner b = {.plan = out, .options = o, .diag = d};
    const struct func *f = &g->funcs[g->entry];
    uint32_t *params = ARENA_ARRAY(a, uint32_t, f->nparams + 1),
             *results = ARENA_ARRAY(a, uint32_t, f->nresults + 1);
    out->input_used = ARENA_ARRAY(a, bool, f->nparams + 1);
    if (!params || !results || !out->input_used)
        return no_memory(&b);
    for (uint32_t i = 0; i < f->nparams; i++)
        if ((params[i] = plan_new_buffer(&b, PLAN_INPUT, i, &f->params[i],
                                         arena_printf(a, "input %u", i))) == NO_INDEX)
            return no_memory(&b);
    for (uint32_t i = 0; i < f->nresults; i++)
        if ((results[i] = plan_new_buffer(&b, PLAN_OUTPUT, i, func_tensor(f, f->results[i]),
                                          arena_printf(a, "output %u", i))) == NO_INDEX)
            return no_memory(&b);
    struct block main_block = {0};
    bool done = false;
    if (!plan_group_entry(&b, params, results, &main_block, &done))
        return false;
    if (!done && !plan_func(&b, g->entry, params, results, &main_block, true))
        return false;
    if (!plan_drop_copies(&b, &main_block) || !plan_on_device(&b, &main_block) ||
        !plan_tensor_copies(&b, &main_block))
        return false;
    if (!place(out, &main_block, &out->main_first))
        return no_memory(&b);
    out->main_count = main_block.nsteps;
    if (!renumber(out) || !drop_buffers(out))
        return no_memory(&b);
    for (uint32_t i = 0; i < out->nsteps; i++)
        for (uint32_t j = 0; j < out->steps[i].nbuffers; j++) {
            const struct plan_buffer *pb = &out->buffers[out->steps[i].buffers[j]];
            if (pb->kind == PLAN_INPUT)
                out->input_used[pb->index] = true;
            if (out->steps[i].kind == STEP_DISPATCH && pb->bytes > unit_part_bytes(target)) {
                if (!check_large(out, pb, d))
                    return false;
                if (!(out->kernels[out->steps[i].kernel].features & VKB_FEATURE_ADDRESSES))
                    return FAIL(d, INTERNAL, "k%u binds %s, of %llu bytes, whole",
                                out->steps[i].kernel, pb->name, (unsigned long long)pb->bytes);
            }
        }
    for (uint32_t i = 0; i < out->nkernels; i++) {
        uint32_t missing = out->kernels[i].features & ~target->features;
        if (missing) {
            uint32_t bit = missing & (~missing + 1);
            const char *loc = plan_kernel_loc(out, &out->kernels[i]);
            loc = loc ? loc : func_node(f, 0)->loc;
            if (loc)
                strncpy(d->loc, loc, sizeof d->loc - 1);
            return FAIL(d, UNSUPPORTED,
                        "%s: %s lacks %s; use a narrower type, or compile for a target that has it",
                        out->kernels[i].label, target->name,
                        vkb_feature_name(bit) ? vkb_feature_name(bit) : "a feature");
        }
    }
    return memplan(out, d);
}
