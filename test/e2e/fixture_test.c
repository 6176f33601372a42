/* The cases recorded from Nx, of every op and type, on the device: as compiled for it, and as
   for a GPU. What Nx computed is what the interpreter computes, which test/front/fixture_test.c
   holds. Usage: fixture_test test/fixtures/reduce.json ... */
#include <string.h>

#include "e2e.h"
#include "import/import.h"
#include "base/bytes.h"
#include "import/json.h"

static struct array *read_inputs(struct arena *a, const struct func *f, const struct json *list)
{
    struct array *inputs = ARENA_ARRAY(a, struct array, f->nparams + 1);
    for (uint32_t i = 0; inputs && i < f->nparams; i++) {
        const char *hex = list->items[i].text;
        size_t bytes = tensor_bytes(&f->params[i]);
        inputs[i] = (struct array){f->params[i], arena_alloc(a, bytes, 1)};
        if (!hex || strlen(hex) != 2 * bytes || !inputs[i].data ||
            !hex_decode(hex, 2 * bytes, inputs[i].data))
            return NULL;
    }
    return inputs;
}

static void check_case(struct e2e *e, const struct json *j)
{
    static struct diag d;
    const char *name = json_get(j, "name")->text;
    const struct json *graph = json_get(j, "graph");
    struct arena a;
    struct graph g;
    if (!check_wanted(&e->check, name))
        return;
    d = (struct diag){0};
    arena_init(&a, 0);
    if (check_that(&e->check, import_json(&a, graph->source, graph->size, NULL, 0, &g, &d),
                   "%s: %s", name, d.message)) {
        const struct array *set = read_inputs(&a, &g.funcs[g.entry], json_get(j, "inputs"));
        if (check_that(&e->check, set != NULL, "%s: inputs of other sizes", name))
            e2e_compare(e, name, graph->source, graph->size, &g, &set, 1,
                        1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
    }
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    struct e2e e;
    bool is_open = e2e_open(&e);
    for (int i = 1; is_open && i < argc; i++) {
        struct arena tree;
        size_t size = 0;
        char *text = read_file(argv[i], &size), error[128];
        arena_init(&tree, 0);
        const struct json *list = text ? json_parse(&tree, text, size, error) : NULL;
        if (check_that(&e.check, list && list->kind == JSON_LIST, "%s: no list of cases", argv[i]))
            for (uint32_t k = 0; k < list->count; k++)
                check_case(&e, &list->items[k]);
        arena_finish(&tree);
        free(text);
    }
    return e2e_close(&e);
}
