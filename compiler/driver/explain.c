#include "driver/explain.h"

#include <stdlib.h>

#include "codegen/emit/emit.h"
#include "fuse/cost.h"

static void print_place(const struct plan *p, node_id id, struct str *out)
{
    bool any = false;
    for (uint32_t k = 0; k < p->nkernels; k++) {
        const struct kernel *kk = &p->kernels[k];
        const char *how = NULL;
        bool is_stored = false;
        if (kk->func != p->graph->entry)
            continue;
        for (uint32_t i = 0; i < kk->nheroes; i++)
            if (kk->heroes[i] == id)
                how = "is computed once a row by";
        for (uint32_t i = 0; i < kk->nroots; i++)
            is_stored |= kk->roots[i].node == id;
        if (is_stored)
            how = how ? "is computed once a row and stored by" : "is stored by";
        for (uint32_t i = 0; i < kk->nreads && !how; i++)
            if (kk->reads[i].node == id)
                how = "is loaded by";
        if (!how)
            continue;
        any = true;
        str_printf(out, "  %s k%u %s\n", how, kk->id, kk->label ? kk->label : "");
        if (kk->why && is_stored)
            str_printf(out, "  fusion stopped there: %s\n", kk->why);
    }
    if (!any)
        str_add(
            out,
            "  is never stored: every kernel that needs it computes it, or reads through it as an index map\n");
}

static void print_cost(const struct cost *c, struct str *out)
{
    str_printf(out, "%.3g us (dispatch %.3g, memory %.3g, compute %.3g)", c->seconds * 1e6,
               c->dispatch * 1e6, c->memory * 1e6, c->compute * 1e6);
}

/* What fusion decided of it, with the estimates. */
static void print_decisions(const struct plan *p, struct str *out)
{
    const struct func *f = &p->graph->funcs[p->graph->entry];
    for (uint32_t i = 0; i < p->ndecisions; i++) {
        const struct decision *d = &p->decisions[i];
        if (d->other == VKC_NO_NODE)
            str_printf(out, d->done ? "  it is stored for %u kernels" : "  %u kernels compute it",
                       d->before.kernels);
        else
            str_printf(out, "  the kernels of n%u and n%u are %s", func_node(f, d->node)->label,
                       func_node(f, d->other)->label, d->done ? "one" : "apart");
        if (d->why)
            str_printf(out, ": %s", d->why);
        if (d->after.kernels) {
            str_add(out, ": ");
            print_cost(&d->after, out);
            str_add(out, " instead of ");
            print_cost(&d->before, out);
            str_printf(out, "; %s is most of the difference", cost_differs(&d->before, &d->after));
        }
        str_add(out, "\n");
    }
}

/* Why it, or all of the function, is not a workgroup program. */
static void print_refusals(const struct plan *p, node_id id, struct str *out)
{
    for (uint32_t i = 0; i < p->nnotes; i++) {
        const struct plan_note *n = &p->notes[i];
        if (n->func == p->graph->entry && (n->node == id || n->node == VKC_NO_NODE))
            str_printf(out, "  %s is not a workgroup program: %s\n",
                       n->node == id ? "it" : "the whole function", n->why);
    }
}

void explain_node(const struct plan *p, const char *which, struct str *out)
{
    const struct func *f = &p->graph->funcs[p->graph->entry];
    char *end = NULL;
    unsigned long label = which[0] == 'n' ? strtoul(which + 1, &end, 10) : 0;
    if (!end || end == which + 1 || *end) {
        str_printf(out, "unknown node '%s'; nodes are named like n12\n", which);
        return;
    }
    for (node_id i = 0; i < f->nnodes; i++)
        if (f->nodes[i].label == label) {
            ir_print_node(f, &f->nodes[i], out);
            str_add(out, "\n");
            print_place(p, i, out);
            print_decisions(p, out);
            print_refusals(p, i, out);
            return;
        }
    str_printf(
        out,
        "n%lu is not in the graph after the passes: folded, merged with an equal node, or not needed\n",
        label);
}
