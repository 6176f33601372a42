#include "ir/dot.h"

/* Colours by class, so that costs show at a glance: sources grey, movement white, element-wise
   blue, reductions green, contractions red, control and effects yellow. */
static const char *class_colour(enum op_class class)
{
    switch (class) {
    case CLASS_SOURCE: return "#e0e0e0";
    case CLASS_MOVEMENT: return "#ffffff";
    case CLASS_ELEMENTWISE: return "#cfe2ff";
    case CLASS_REDUCE:
    case CLASS_ARGREDUCE:
    case CLASS_FOLD:
    case CLASS_WINDOW: return "#cdeccd";
    case CLASS_CONTRACT: return "#f9cfcf";
    case CLASS_CONTROL:
    case CLASS_EFFECT: return "#fff1c2";
    default: return "#e8d9f5";
    }
}

/* Text inside a quoted string of dot. */
static void add_quoted(struct str *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            str_addn(out, "\\", 1);
        str_addn(out, *text == '\n' ? " " : text, 1);
    }
}

static void print_node(const struct func *f, uint32_t func, node_id i, const char *indent,
                       struct str *out)
{
    const struct node *n = &f->nodes[i];
    char type[256];
    str_printf(out, "%sf%u_%u [label=\"n%u %s", indent, func, i, n->label, op_name(n->op));
    if (n->op == OP_PARAMETER) {
        int64_t index = attr_int(n, ATTR_index, 0);
        const char *name =
            index >= 0 && index < f->nparams && f->param_names ? f->param_names[index] : NULL;
        str_printf(out, " %lld ", (long long)index);
        add_quoted(out, name ? name : "");
    }
    if (n->op == OP_BLOCK) {
        str_add(out, " ");
        add_quoted(out, attr_text(n, ATTR_name));
    }
    for (uint32_t j = 0; j < n->nouts && j < 4; j++) {
        tensor_print(type, sizeof type, &n->outs[j]);
        str_printf(out, "\\n%s", type);
    }
    if (n->nouts > 4)
        str_printf(out, "\\n... %u outputs", n->nouts);
    str_printf(out, "\", fillcolor=\"%s\"", class_colour(op_class(n->op)));
    if (n->loc) {
        str_add(out, ", tooltip=\"");
        add_quoted(out, n->loc);
        str_add(out, "\"");
    }
    str_add(out, "];\n");
}

static void print_edges(const struct func *f, uint32_t func, struct str *out)
{
    for (node_id i = 0; i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        for (uint32_t j = 0; j < n->nins; j++) {
            str_printf(out, "    f%u_%u -> f%u_%u", func, n->ins[j].node, func, i);
            if (n->nins > 1 || n->ins[j].out > 0)
                str_printf(out, " [taillabel=\"%s\", headlabel=\"%u\"]",
                           n->ins[j].out > 0 ? "." : "", j);
            str_add(out, ";\n");
        }
        for (uint32_t j = 0; j < n->nregions; j++)
            str_printf(out, "    f%u_%u -> r%u [style=dotted, lhead=cluster_f%u, label=\"%u\"];\n",
                       func, i, n->regions[j], n->regions[j], j);
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        str_printf(out, "    f%u_%u -> f%u_result%u;\n", func, f->results[i].node, func, i);
}

/* The nodes of each kernel, as lists: first[k], then next[n]; VKC_NO_NODE ends one. */
struct clusters {
    uint32_t count;
    node_id *first, *next;
    bool *inside;
};

static bool collect(const struct func *f, const uint32_t *kernel, struct arena *a,
                    struct clusters *c)
{
    c->next = ARENA_ARRAY(a, node_id, f->nnodes);
    c->inside = ARENA_ARRAY(a, bool, f->nnodes);
    if (!c->next || !c->inside)
        return false;
    for (node_id i = 0; i < f->nnodes; i++) {
        c->inside[i] = kernel[i] < VKC_MAX_NODES;
        c->count = c->inside[i] && kernel[i] >= c->count ? kernel[i] + 1 : c->count;
    }
    c->first = ARENA_ARRAY(a, node_id, c->count);
    for (uint32_t k = 0; c->first && k < c->count; k++)
        c->first[k] = VKC_NO_NODE;
    for (node_id i = f->nnodes; c->first && i-- > 0;) {
        if (!c->inside[i])
            continue;
        c->next[i] = c->first[kernel[i]];
        c->first[kernel[i]] = i;
    }
    return c->first != NULL;
}

static void print_clusters(const struct func *f, uint32_t func, const struct clusters *c,
                           struct str *out)
{
    for (uint32_t k = 0; k < c->count; k++) {
        if (c->first[k] == VKC_NO_NODE)
            continue;
        str_printf(
            out, "        subgraph cluster_k%u {\n            label=\"k%u\"; color=\"#4060c0\";\n",
            k, k);
        for (node_id i = c->first[k]; i != VKC_NO_NODE; i = c->next[i])
            print_node(f, func, i, "            ", out);
        str_add(out, "        }\n");
    }
}

void dot_print(const struct graph *g, const uint32_t *kernel, struct str *out)
{
    str_add(
        out,
        "digraph graph_of_defn {\n    compound=true; rankdir=TB; fontname=\"sans-serif\";\n"
        "    node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=10];\n"
        "    edge [fontname=\"sans-serif\", fontsize=8];\n");
    for (uint32_t i = 0; i < g->nfuncs; i++) {
        const struct func *f = &g->funcs[i];
        bool entry = i == g->entry;
        struct clusters clusters = {0};
        bool grouped = entry && kernel && collect(f, kernel, out->arena, &clusters);
        str_printf(out, "    subgraph cluster_f%u {\n        label=\"", i);
        if (entry && g->name && *g->name)
            add_quoted(out, g->name);
        else
            str_printf(out, "f%u", i);
        str_printf(
            out,
            "\"; color=\"#a0a0a0\";\n        r%u [label=\"\", shape=point, width=0.01, style=invis];\n",
            i);
        for (node_id n = 0; n < f->nnodes; n++)
            if (!grouped || !clusters.inside[n])
                print_node(f, i, n, "        ", out);
        if (grouped)
            print_clusters(f, i, &clusters, out);
        for (uint32_t r = 0; r < f->nresults; r++)
            str_printf(out,
                       "        f%u_result%u [label=\"result %u\", shape=plaintext, style=\"\"];\n",
                       i, r, r);
        str_add(out, "    }\n");
    }
    for (uint32_t i = 0; i < g->nfuncs; i++)
        print_edges(&g->funcs[i], i, out);
    str_add(out, "}\n");
}
