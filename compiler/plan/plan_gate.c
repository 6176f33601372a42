#include <string.h>

#include "runtime/bundle.h"
#include "plan/plan_gate.h"
#include "codegen/template.h"

/* Equal lines in a row are a loop from that many on: a body may have any number of dispatches. */
enum { GATE_LINES = 8 };

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

uint32_t nest_words(struct nest *n, uint32_t count)
{
    n->nwords += count;
    return n->nwords - count;
}

bool nest_begin(struct nest *n, struct planner *b)
{
    struct tensor word = {.type = TYPE_U32};
    *n = (struct nest){.b = b};
    n->words = plan_new_buffer(b, PLAN_SCRATCH, 0, &word, "words");
    return n->words != NO_INDEX || no_memory(b);
}

bool nest_gate(struct nest *n, struct block *to, uint32_t predicate, const char *label,
               struct gate **out)
{
    struct planner *b = n->b;
    if (!arena_grow(b->plan->arena, &n->gates, n->ngates, &n->cap_gates, sizeof *n->gates))
        return no_memory(b);
    struct kernel k = {.family = KERNEL_STEER,
                       .schedule = {.group = 1, .groups = {1, 1, 1}},
                       .same_as = NO_INDEX,
                       .label = arena_printf(b->plan->arena, "gate: %s", label)};
    k.nbound = predicate == NO_INDEX ? 1 : 2;
    struct gate *g = &n->gates[n->ngates++];
    *g = (struct gate){.label = k.label, .text = "", .kernel = plan_add_kernel(b, &k)};
    struct plan_step *s = plan_new_step(b, to, STEP_DISPATCH, k.nbound);
    if (!s || g->kernel == NO_INDEX)
        return no_memory(b);
    s->kernel = g->kernel;
    s->buffers[0] = n->words;
    s->access[0] = VKB_READ | VKB_WRITE;
    if (predicate != NO_INDEX) {
        s->buffers[1] = predicate;
        s->access[1] = VKB_READ;
    }
    *out = g;
    return true;
}

void gate_set(struct nest *n, struct gate *g, uint32_t word, const char *expression)
{
    g->text = arena_printf(n->b->plan->arena, "%s    w[%u] = %s;\n", g->text, word, expression);
    g->flows[g->nflows++] = word;
}

const char *flow_text(struct nest *n, uint32_t flow)
{
    return flow == ALWAYS ? "1u" : arena_printf(n->b->plan->arena, "w[%u]", flow);
}

bool block_append(struct planner *b, struct block *to, const struct task_step *t)
{
    if (!arena_grow(b->plan->arena, &to->steps, to->nsteps, &to->cap_steps, sizeof *to->steps))
        return no_memory(b);
    to->steps[to->nsteps++] = *t;
    return true;
}

bool nest_dispatch(struct nest *n, uint32_t flow, const struct task_step *t, struct block *to)
{
    if (!block_append(n->b, to, t))
        return false;
    struct plan_step *s = &to->steps[to->nsteps - 1].step;
    if (flow == ALWAYS)
        return true;
    s->counts = n->words;
    s->counts_at = nest_words(n, 3 * kernel_bodies(&n->b->plan->kernels[s->kernel]));
    if (!arena_grow(n->b->plan->arena, &n->gated, n->ngated, &n->cap_gated, sizeof *n->gated))
        return no_memory(n->b);
    n->gated[n->ngated++] = (struct gated){flow, s->counts_at, s->kernel, NO_INDEX};
    return true;
}

/* Neighbours in the words that have the same group counts. */
struct same_counts {
    uint32_t flow, at, count;
    const uint32_t *groups;
};

static void print_same(const struct same_counts *s, struct str *out)
{
    bool is_loop = s->count >= GATE_LINES;
    if (is_loop)
        str_printf(out, "    for (uint i = 0u; i < %uu; i++)\n    ", s->count);
    for (uint32_t i = 0; i < (is_loop ? 1 : s->count); i++)
        str_printf(out, "    gate(%uu%s, w[%u], %uu, %uu, %uu);\n", s->at + 3 * i,
                   is_loop ? " + 3u * i" : "", s->flow, s->groups[0], s->groups[1], s->groups[2]);
}

static void add_counts(struct same_counts *s, uint32_t flow, uint32_t at, const uint32_t *groups,
                       struct str *out)
{
    bool is_same = s->count > 0 && s->flow == flow && s->at + 3 * s->count == at &&
                   memcmp(s->groups, groups, 3 * sizeof *groups) == 0;
    if (!is_same) {
        print_same(s, out);
        *s = (struct same_counts){flow, at, 0, groups};
    }
    s->count++;
}

/* Lines that set the group counts of what follows a flow, from its dispatch `first` on: three words
   for each body, as bundle.h has them. */
static void print_counts(const struct nest *n, uint32_t first, struct str *out)
{
    struct same_counts same = {0};
    for (uint32_t j = first; j != NO_INDEX; j = n->gated[j].next) {
        const struct gated *g = &n->gated[j];
        const struct kernel *k = &n->b->plan->kernels[g->kernel];
        uint32_t at = g->at;
        for (const struct kernel *v = k->variant; v; v = v->variant, at += 3)
            add_counts(&same, g->flow, at, v->schedule.groups, out);
        add_counts(&same, g->flow, at, k->schedule.groups, out);
    }
    print_same(&same, out);
}

/* By word: the first dispatch that follows it, or NO_INDEX. NULL: out of memory. */
static uint32_t *first_gated(struct nest *n)
{
    uint32_t *first = ARENA_ARRAY(n->b->plan->arena, uint32_t, n->nwords + 1);
    if (!first)
        return NULL;
    memset(first, 0xff, n->nwords * sizeof *first);
    for (uint32_t j = n->ngated; j-- > 0;) {
        n->gated[j].next = first[n->gated[j].flow];
        first[n->gated[j].flow] = j;
    }
    return first;
}

bool nest_finish(struct nest *n)
{
    struct plan *p = n->b->plan;
    const uint32_t *first = first_gated(n);
    if (!first)
        return no_memory(n->b);
    for (uint32_t i = 0; i < n->ngates; i++) {
        struct gate *g = &n->gates[i];
        struct kernel *k = &p->kernels[g->kernel];
        struct str body, glsl;
        str_init(&body, p->arena);
        str_init(&glsl, p->arena);
        if (k->nbound > 1)
            str_add(&body, "    uint holds = predicate();\n");
        str_add(&body, g->text);
        for (uint32_t f = 0; f < g->nflows; f++)
            print_counts(n, first[g->flows[f]], &body);
        struct template_var v[] = {
            {"LABEL", g->label},
            {"WHY", "decides which steps run, so that the host need not"},
            {"PREDICATE", k->nbound > 1 ? template_body("predicate.glsl") : ""},
            {"BODY", str_text(&body)},
        };
        if (p->arena->failed)
            return no_memory(n->b);
        if (!template_fill("gate.comp", v, sizeof v / sizeof *v, &glsl, n->b->diag))
            return false;
        k->glsl = str_text(&glsl);
    }
    p->buffers[n->words].elements = n->nwords;
    p->buffers[n->words].bytes = 4 * (uint64_t)n->nwords;
    return true;
}
