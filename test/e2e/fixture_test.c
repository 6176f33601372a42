/* The cases recorded from Nx, of every op and type, on the device: as compiled for it, and as for a GPU.
   What Nx computed is what the interpreter computes, which test/front/fixture_test.c holds.
   Usage: fixture_test test/fixtures/reduce.json ... */
#include <json-c/json.h>
#include <string.h>

#include "e2e.h"
#include "import.h"
#include "import_bytes.h"

static struct array *read_inputs(struct arena *a, const struct func *f, json_object *list)
{
    struct array *inputs = ARENA_ARRAY(a, struct array, f->nparams + 1);
    for (uint32_t i = 0; inputs && i < f->nparams; i++) {
        const char *hex = json_object_get_string(json_object_array_get_idx(list, i));
        size_t bytes = tensor_bytes(&f->params[i]);
        inputs[i] = (struct array){f->params[i], arena_alloc(a, bytes, 1)};
        if (!hex || strlen(hex) != 2 * bytes || !inputs[i].data || !hex_decode(hex, 2 * bytes, inputs[i].data))
            return NULL;
    }
    return inputs;
}

static void check_case(struct e2e *e, json_object *j)
{
    static struct diag d;
    const char *name = json_object_get_string(json_object_object_get(j, "name"));
    const char *json = json_object_to_json_string(json_object_object_get(j, "graph"));
    struct arena a;
    struct graph g;
    if (!check_wanted(&e->check, name))
        return;
    d = (struct diag){0};
    arena_init(&a, 0);
    if (check_that(&e->check, import_json(&a, json, strlen(json), NULL, 0, &g, &d), "%s: %s", name, d.message)) {
        const struct array *set = read_inputs(&a, &g.funcs[g.entry], json_object_object_get(j, "inputs"));
        if (check_that(&e->check, set != NULL, "%s: inputs of other sizes", name))
            e2e_compare(e, name, json, strlen(json), &g, &set, 1, 1u << E2E_AS_TARGET | 1u << E2E_AS_GPU);
    }
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    struct e2e e;
    bool is_open = e2e_open(&e);
    for (int i = 1; is_open && i < argc; i++) {
        size_t size;
        char *text = read_file(argv[i], &size);
        json_object *list = text ? json_tokener_parse(text) : NULL;
        if (check_that(&e.check, json_object_is_type(list, json_type_array), "%s: no list of cases", argv[i]))
            for (size_t k = 0; k < json_object_array_length(list); k++)
                check_case(&e, json_object_array_get_idx(list, k));
        json_object_put(list);
        free(text);
    }
    return e2e_close(&e);
}
