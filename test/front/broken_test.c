/* Graphs that neither JSON nor text can say, as a pass with a fault would leave them: a good graph
   with one thing changed is refused, and where that is found is told. */
#include <string.h>

#include "check.h"
#include "import/import.h"

/* With attributes of every kind, regions in regions, a literal, a donation, and a call whose inputs
   may be anything. */
static const char good[] =
    "graph \"\" entry=f0 callbacks=1\ndonate 0 -> 1\n"
    "literal l0 = s32[2] "
    "sha256=34fb5c825de7ca4aea6e712f19d439c1da0c92c37b423936c5f618545ca4fa1f "
    "data=0100000002000000\n"
    "func f0(f32[2,3], s32[]) {\n"
    "n0 = parameter index=0 : f32[2,3]\n"
    "n1 = parameter index=1 : s32[]\n"
    "n2 = literal literal=0 : s32[2]\n"
    "n3 = sum n0 axes=[1] keep=false : f32[2]\n"
    "n4 = argmax n0 axis=0 tie_break=\"low\" keep=false : s32[3]\n"
    "n5 = while n1, n3 regions=[f1,f2] : s32[], f32[2]\n"
    "n6 = runtime_call n3 callback=0 seq=0 : f32[]\n"
    "return n5.1, n0, n4, n2\n}\n"
    "func f1(s32[], f32[2]) {\nn0 = parameter index=0 : s32[]\nreturn n0\n}\n"
    "func f2(s32[], f32[2]) {\nn0 = parameter index=0 : s32[]\nn1 = parameter index=1 : f32[2]\n"
    "n2 = cond n0, n1 regions=[f3,f4,f5] : f32[2]\nn3 = constant bits=00000001 : s32[]\n"
    "n4 = subtract n0, n3 : s32[]\nreturn n4, n2\n}\n"
    "func f3(s32[], f32[2]) {\nn0 = parameter index=0 : s32[]\nreturn n0\n}\n"
    "func f4(s32[], f32[2]) {\nn0 = parameter index=1 : f32[2]\nreturn n0\n}\n"
    "func f5(s32[], f32[2]) {\nn0 = parameter index=1 : f32[2]\nn1 = negate n0 : f32[2]\nreturn n1\n}\n";

enum node_at { PARAMETER, NUMBER, LITERAL, SUM, ARGMAX, WHILE, CALL };

/* One change, of the graph or of a node of it; what `where` is to be. */
struct change {
    const char *name, *where;
    void (*make)(struct graph *g, struct node *n);
    uint32_t func, node;
};

#define CHANGE(name, statement)                       \
    static void name(struct graph *g, struct node *n) \
    {                                                 \
        (void)g;                                      \
        (void)n;                                      \
        statement;                                    \
    }

CHANGE(same, ;)
CHANGE(reads_itself, n->ins[0].node = CALL)
CHANGE(reads_later, n->ins[0].node = CALL + 1)
CHANGE(reads_nothing, n->ins[0].node = 1000)
CHANGE(reads_second_output, n->ins[0].out = 1)
CHANGE(lacks_input, n->nins = 0)
CHANGE(lacks_output, n->nouts = 0)
CHANGE(lacks_attribute, n->nattrs = 1)
CHANGE(lacks_first_attribute, (n->attrs++, n->nattrs--))
CHANGE(turns_attributes, {
    struct attr a = n->attrs[0];
    n->attrs[0] = n->attrs[1];
    n->attrs[1] = a;
})
CHANGE(other_kind, n->attrs[0].kind = 'i')
CHANGE(no_list, n->attrs[0].list = NULL)
CHANGE(no_text, n->attrs[1].text = NULL)
CHANGE(neither_true_nor_false, n->attrs[1].i = 2)
CHANGE(negative_truth, n->attrs[1].i = -1)
CHANGE(attribute_twice, {
    struct attr *twice = arena_alloc(g->arena, 2, sizeof *twice);
    twice[0] = twice[1] = n->attrs[0];
    n->attrs = twice;
    n->nattrs = 2;
})
CHANGE(lacks_region, n->nregions = 1)
CHANGE(even_regions, n->nregions = 2)
CHANGE(no_regions, n->nregions = 0)
CHANGE(region_of_sum, {
    n->regions = arena_alloc(g->arena, 1, sizeof *n->regions);
    n->regions[0] = 6;
    n->nregions = 1;
})
CHANGE(region_unknown, n->regions[0] = 6)
CHANGE(region_before, n->regions[0] = 0)
CHANGE(region_itself, n->regions[0] = 2)
CHANGE(region_twice, n->regions[0] = n->regions[1])
CHANGE(region_of_another, n->regions[0] = 3)
CHANGE(no_op, n->op = OP_NONE)
CHANGE(unknown_op, n->op = OP_COUNT)
CHANGE(no_type, n->outs[0].type = TYPE_NONE)
CHANGE(unknown_type, n->outs[0].type = TYPE_COUNT)
CHANGE(empty, n->outs[0].shape.dim[0] = 0)
CHANGE(negative, n->outs[0].shape.dim[0] = -2)
CHANGE(too_many_axes, n->outs[0].shape.rank = VKC_MAX_RANK + 1)
CHANGE(label_twice, n->label = 0)
CHANGE(label_too_large, n->label = g->funcs[0].next_label)
CHANGE(parameter_without_type, g->funcs[0].params[0].type = TYPE_NONE)
CHANGE(result_unknown, g->funcs[0].results[1].node = g->funcs[0].nnodes)
CHANGE(result_output_unknown, g->funcs[0].results[0].out = 2)
CHANGE(entry_unknown, g->entry = g->nfuncs)
CHANGE(entry_is_region, g->entry = 1)
CHANGE(literal_without_data, g->literals[0].data = NULL)
CHANGE(literal_short, g->literals[0].bytes--)
CHANGE(literal_without_type, g->literals[0].tensor.type = TYPE_NONE)
CHANGE(donates_unknown, g->donations[0].input = 2)
CHANGE(donates_to_unknown, g->donations[0].output = 4)
CHANGE(donates_another_size, g->donations[0].output = 0)
CHANGE(donates_twice, {
    struct donation *two = arena_alloc(g->arena, 2, sizeof *two);
    two[0] = two[1] = g->donations[0];
    g->donations = two;
    g->ndonations = 2;
})
CHANGE(too_many_functions, g->nfuncs = VKC_MAX_FUNCS + 1)

static const struct change changes[] = {
    {"reads itself", "$.funcs[0].nodes[6]", reads_itself, 0, CALL},
    {"reads a node after the last", "$.funcs[0].nodes[6]", reads_later, 0, CALL},
    {"reads nothing", "$.funcs[0].nodes[6]", reads_nothing, 0, CALL},
    {"reads a second output", "$.funcs[0].nodes[6]", reads_second_output, 0, CALL},
    {"lacks its input", "$.funcs[0].nodes[3]", lacks_input, 0, SUM},
    {"lacks its output", "$.funcs[0].nodes[3]", lacks_output, 0, SUM},
    {"lacks an attribute", "$.funcs[0].nodes[3]", lacks_attribute, 0, SUM},
    {"lacks its first attribute", "$.funcs[0].nodes[3]", lacks_first_attribute, 0, SUM},
    {"attributes in another order", "$.funcs[0].nodes[3]", turns_attributes, 0, SUM},
    {"an attribute of another kind", "$.funcs[0].nodes[3]", other_kind, 0, SUM},
    {"a list without its numbers", "$.funcs[0].nodes[3]", no_list, 0, SUM},
    {"a text that is none", "$.funcs[0].nodes[4]", no_text, 0, ARGMAX},
    {"neither true nor false", "$.funcs[0].nodes[3]", neither_true_nor_false, 0, SUM},
    {"less than false", "$.funcs[0].nodes[3]", negative_truth, 0, SUM},
    {"an attribute twice", "$.funcs[0].nodes[1]", attribute_twice, 0, NUMBER},
    {"a loop of one region", "$.funcs[0].nodes[5]", lacks_region, 0, WHILE},
    {"a branch of two regions", "$.funcs[2].nodes[2]", even_regions, 2, 2},
    {"a branch of no regions", "$.funcs[2].nodes[2]", no_regions, 2, 2},
    {"a region of a sum", "$.funcs[0].nodes[3]", region_of_sum, 0, SUM},
    {"an unknown region", "$.funcs[0].nodes[5]", region_unknown, 0, WHILE},
    {"the entry as a region", "$.funcs[0].nodes[5]", region_before, 0, WHILE},
    {"a region of itself", "$.funcs[2].nodes[2]", region_itself, 2, 2},
    {"a region twice", "$.funcs[0].nodes[5]", region_twice, 0, WHILE},
    {"another node's region", "$.funcs[2].nodes[2]", region_of_another, 0, WHILE},
    {"no op", "$.funcs[0].nodes[3]", no_op, 0, SUM},
    {"an unknown op", "$.funcs[0].nodes[3]", unknown_op, 0, SUM},
    {"no type", "$.funcs[0].nodes[3]", no_type, 0, SUM},
    {"an unknown type", "$.funcs[0].nodes[3]", unknown_type, 0, SUM},
    {"no elements", "$.funcs[0].nodes[3]", empty, 0, SUM},
    {"a negative dimension", "$.funcs[0].nodes[3]", negative, 0, SUM},
    {"too many axes", "$.funcs[0].nodes[3]", too_many_axes, 0, SUM},
    {"a label twice", "$.funcs[0].nodes[3]", label_twice, 0, SUM},
    {"a label that is too large", "$.funcs[0].nodes[3]", label_too_large, 0, SUM},
    {"a first node that is not right", "$.funcs[0].nodes[0]", no_type, 0, PARAMETER},
    {"a last node without an op", "$.funcs[5].nodes[1]", no_op, 5, 1},
    {"a parameter without a type", "$.funcs[0]", parameter_without_type, 0, 0},
    {"an unknown result", "$.funcs[0]", result_unknown, 0, 0},
    {"an unknown output of a result", "$.funcs[0]", result_output_unknown, 0, 0},
    {"an unknown entry", "$", entry_unknown, 0, 0},
    {"an entry that is a region", "$.funcs[0].nodes[5]", entry_is_region, 0, 0},
    {"a literal without data", "$", literal_without_data, 0, 0},
    {"a literal of fewer bytes", "$", literal_short, 0, 0},
    {"a literal without a type", "$", literal_without_type, 0, 0},
    {"a donation of an unknown input", "$", donates_unknown, 0, 0},
    {"a donation to an unknown output", "$", donates_to_unknown, 0, 0},
    {"a donation to another size", "$", donates_another_size, 0, 0},
    {"a donation twice", "$", donates_twice, 0, 0},
    {"too many functions", "$", too_many_functions, 0, 0},
};

/* The same with what `make` changes; `where` is NULL if it still holds. */
static void check_change(struct check *c, const struct change *x)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    d = (struct diag){0};
    arena_init(&a, 0);
    if (check_that(c, ir_parse(&a, good, strlen(good), &g, &d), "%s", d.message)) {
        x->make(&g, &g.funcs[x->func].nodes[x->node]);
        bool holds = ir_verify(&g, &d);
        check_that(c, holds == !x->where, "%s: %s", x->name, holds ? "is taken" : d.message);
        check_that(c, holds || (d.code != DIAG_OK && strcmp(d.where, x->where) == 0),
                   "%s is found at %s, not %s: %s", x->name, d.where, x->where ? x->where : "",
                   d.message);
    }
    arena_finish(&a);
}

/* Loops in loops: as many as may be, and one more. */
static void check_depth(struct check *c)
{
    for (uint32_t depth = VKC_MAX_REGION_DEPTH; depth <= VKC_MAX_REGION_DEPTH + 1; depth++) {
        static struct diag d;
        struct arena a;
        struct graph g;
        struct str s;
        d = (struct diag){0};
        arena_init(&a, 0);
        str_init(&s, &a);
        str_add(&s, "graph \"\" entry=f0 callbacks=0\n");
        for (uint32_t i = 0; i <= depth; i++) {
            str_printf(&s, "func f%u(s32[]) {\nn0 = parameter index=0 : s32[]\n", i);
            if (i < depth)
                str_printf(&s, "n1 = block n0 name=\"b\" options=\"\" regions=[f%u] : s32[]\n",
                           i + 1);
            str_printf(&s, "return n%u\n}\n", i < depth);
        }
        bool holds = ir_parse(&a, str_text(&s), s.len, &g, &d);
        check_that(c, holds == (depth == VKC_MAX_REGION_DEPTH), "regions %u deep: %s", depth,
                   holds ? "are taken" : d.message);
        arena_finish(&a);
    }
}

int main(void)
{
    struct check c = {0};
    check_change(&c, &(struct change){"nothing", NULL, same, 0, 0});
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (check_wanted(&c, changes[i].name))
            check_change(&c, &changes[i]);
    check_depth(&c);
    return check_finish(&c);
}
