#include "dot.h"

/* Colours by class, so that a look tells what costs: sources grey, movement white, element-wise blue,
   reductions green, contractions red, control and effects yellow. */
static const char *class_colour(enum op_class class)
{
    switch (class) {
    case CLASS_SOURCE:      return "#e0e0e0";
    case CLASS_MOVEMENT:    return "#ffffff";
    case CLASS_ELEMENTWISE: return "#cfe2ff";
    case CLASS_REDUCE:
    case CLASS_ARGREDUCE:
    case CLASS_FOLD:
    case CLASS_WINDOW:      return "#cdeccd";
    case CLASS_CONTRACT:    return "#f9cfcf";
    case CLASS_CONTROL:
    case CLASS_EFFECT:      return "#fff1c2";
    default:                return "#e8d9f5";
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

static void print_node(const struct func *f, uint32_t func, node_id i, const char *indent, struct str *out)
{
    const struct node *n = &f->nodes[i];
    char type[256];
    str_printf(out, "%sf%u_%u [label=\"n%u %s", indent, func, i, n->label, op_name(n->op));
    if (n->op == OP_PARAMETER) {
        int64_t index = attr_int(n, ATTR_index, 0);
        const char *name = index >= 0 && index < f->nparams && f->param_names ? f->param_names[index] : NULL;
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
                str_printf(out, " [taillabel=\"%s\", headlabel=\"%u\"]", n->ins[j].out > 0 ? "." : "", j);
            str_add(out, ";\n");
        }
        for (uint32_t j = 0; j < n->nregions; j++)
            str_printf(out, "    f%u_%u -> r%u [style=dotted, lhead=cluster_f%u, label=\"%u\"];\n", func, i, n->regions[j],
                       n->regions[j], j);
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        str_printf(out, "    f%u_%u -> f%u_result%u;\n", func, f->results[i].node, func, i);
}

/* Nodes of a kernel are consecutive in its list of nodes but not in the function: one walk a kernel,
   over kernels in the order of their first node. */
static void print_kernels(const struct func *f, uint32_t func, dot_kernel_fn kernel_of, void *context, struct str *out)
{
    uint32_t most = 0;
    for (node_id i = 0; i < f->nnodes; i++) {
        uint32_t k = kernel_of(context, i);
        most = k != UINT32_MAX && k >= most ? k + 1 : most;
    }
    for (uint32_t k = 0; k < most && k < f->nnodes; k++) {
        bool open = false;
        for (node_id i = 0; i < f->nnodes; i++) {
            if (kernel_of(context, i) != k)
                continue;
            if (!open)
                str_printf(out, "        subgraph cluster_k%u {\n            label=\"k%u\"; color=\"#4060c0\";\n", k, k);
            open = true;
            print_node(f, func, i, "            ", out);
        }
        if (open)
            str_add(out, "        }\n");
    }
}

void dot_print(const struct graph *g, dot_kernel_fn kernel_of, void *context, struct str *out)
{
    str_add(out, "digraph graph_of_defn {\n    compound=true; rankdir=TB; fontname=\"sans-serif\";\n"
                 "    node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=10];\n"
                 "    edge [fontname=\"sans-serif\", fontsize=8];\n");
    for (uint32_t i = 0; i < g->nfuncs; i++) {
        const struct func *f = &g->funcs[i];
        bool entry = i == g->entry;
        str_printf(out, "    subgraph cluster_f%u {\n        label=\"", i);
        if (entry && g->name && *g->name)
            add_quoted(out, g->name);
        else
            str_printf(out, "f%u", i);
        str_printf(out, "\"; color=\"#a0a0a0\";\n        r%u [label=\"\", shape=point, width=0.01, style=invis];\n", i);
        for (node_id n = 0; n < f->nnodes; n++)
            if (!entry || !kernel_of || kernel_of(context, n) == UINT32_MAX)
                print_node(f, i, n, "        ", out);
        if (entry && kernel_of)
            print_kernels(f, i, kernel_of, context, out);
        for (uint32_t r = 0; r < f->nresults; r++)
            str_printf(out, "        f%u_result%u [label=\"result %u\", shape=plaintext, style=\"\"];\n", i, r, r);
        str_add(out, "    }\n");
    }
    for (uint32_t i = 0; i < g->nfuncs; i++)
        print_edges(&g->funcs[i], i, out);
    str_add(out, "}\n");
}
