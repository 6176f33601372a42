/* Writes the text IR; its grammar is in ir_parse.c. */
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

enum { SMALL_LITERAL = 256 }; /* bytes up to which a literal is printed with its data */

/* What must not break a line or a quote is written \xHH. */
static void print_quoted(const char *text, struct str *out)
{
    str_add(out, "\"");
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            str_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            str_printf(out, "\\x%02x", c);
        else
            str_addn(out, p, 1);
    }
    str_add(out, "\"");
}

static void print_hex(const unsigned char *bytes, size_t n, struct str *out)
{
    static const char digits[] = "0123456789abcdef";
    char text[128];
    for (size_t i = 0; i < n;) {
        size_t at = 0;
        for (; at < sizeof text && i < n; i++) {
            text[at++] = digits[bytes[i] >> 4];
            text[at++] = digits[bytes[i] & 15];
        }
        str_addn(out, text, at);
    }
}

static void print_tensor(const struct tensor *t, struct str *out)
{
    char text[320];
    tensor_print(text, sizeof text, t);
    str_add(out, text);
}

/* n3, or n3.1 for an output of a node that has several. */
static void print_value(const struct func *f, struct value v, struct str *out)
{
    const struct node *n = &f->nodes[v.node];
    str_printf(out, "n%u", n->label);
    if (n->nouts != 1)
        str_printf(out, ".%u", v.out);
}

static void print_values(const struct func *f, const struct value *values, uint32_t n,
                         struct str *out)
{
    for (uint32_t i = 0; i < n; i++) {
        str_add(out, i ? ", " : " ");
        print_value(f, values[i], out);
    }
}

/* The bits of the type's storage, most significant digit first. */
static void print_bits(const struct attr *a, enum vkc_type type, struct str *out)
{
    for (uint32_t i = type_bytes(type); i-- > 0;)
        str_printf(out, "%02x", (unsigned)(a->bits[i / 8] >> i % 8 * 8 & 0xff));
}

static void print_attr(const struct node *n, const struct attr *a, struct str *out)
{
    str_printf(out, " %s=", attr_key_name(a->key));
    switch (a->kind) {
    case 'i': str_printf(out, "%lld", (long long)a->i); break;
    case 'b': str_add(out, a->i ? "true" : "false"); break;
    case 's': print_quoted(a->text, out); break;
    case 'x': print_bits(a, n->outs[0].type, out); break;
    default:
        str_add(out, "[");
        for (uint32_t i = 0; i < a->count; i++)
            str_printf(out, "%s%lld", i ? "," : "", (long long)a->list[i]);
        str_add(out, "]");
    }
}

void ir_print_node(const struct func *f, const struct node *n, struct str *out)
{
    str_printf(out, "n%u = %s", n->label, op_name(n->op));
    print_values(f, n->ins, n->nins, out);
    for (uint32_t i = 0; i < n->nattrs; i++)
        print_attr(n, &n->attrs[i], out);
    for (uint32_t i = 0; i < n->nregions; i++)
        str_printf(out, "%sf%u", i ? "," : " regions=[", n->regions[i]);
    str_add(out, n->nregions ? "] :" : " :");
    for (uint32_t i = 0; i < n->nouts; i++) {
        str_add(out, i ? ", " : " ");
        print_tensor(&n->outs[i], out);
    }
    if (n->loc) {
        str_add(out, " @");
        print_quoted(n->loc, out);
    }
}

static void print_literal(const struct literal *l, uint32_t i, bool full, struct str *out)
{
    str_printf(out, "literal l%u = ", i);
    print_tensor(&l->tensor, out);
    str_add(out, " sha256=");
    print_hex(l->sha256, sizeof l->sha256, out);
    if (full || l->bytes <= SMALL_LITERAL) {
        str_add(out, " data=");
        print_hex(l->data, l->bytes, out);
    } else {
        str_printf(out, " bytes=%zu", l->bytes);
    }
    str_add(out, "\n");
}

static void print_func(const struct func *f, uint32_t index, struct str *out)
{
    str_printf(out, "\nfunc f%u(", index);
    for (uint32_t i = 0; i < f->nparams; i++) {
        str_add(out, i ? ", " : "");
        print_tensor(&f->params[i], out);
        if (f->param_names && f->param_names[i]) {
            str_add(out, " ");
            print_quoted(f->param_names[i], out);
        }
    }
    str_add(out, ") {\n");
    for (uint32_t i = 0; i < f->nnodes; i++) {
        str_add(out, "  ");
        ir_print_node(f, &f->nodes[i], out);
        str_add(out, "\n");
    }
    str_add(out, "  return");
    print_values(f, f->results, f->nresults, out);
    str_add(out, "\n}\n");
}

static void print_graph(const struct graph *g, bool full, struct str *out)
{
    str_add(out, "graph ");
    print_quoted(g->name ? g->name : "", out);
    str_printf(out, " entry=f%u callbacks=%u\n", g->entry, g->ncallbacks);
    for (uint32_t i = 0; i < g->ndonations; i++)
        str_printf(out, "donate %u -> %u\n", g->donations[i].input, g->donations[i].output);
    for (uint32_t i = 0; i < g->nliterals; i++)
        print_literal(&g->literals[i], i, full, out);
    for (uint32_t i = 0; i < g->nfuncs; i++)
        print_func(&g->funcs[i], i, out);
}

void ir_print(const struct graph *g, struct str *out)
{
    print_graph(g, false, out);
}

void ir_print_full(const struct graph *g, struct str *out)
{
    print_graph(g, true, out);
}
