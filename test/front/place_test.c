/* Where the importer finds a wrong value: in each graph every value in turn becomes null. Each such graph is refused,
   the diagnostic's path leads to that value, and reading ends there: nothing is noted after it. */
#include <json-c/json.h>

#include "../../compiler/import.h"
#include "check.h"

static const char *const graphs[] = {"while_sin", "cond_piecewise", "conv_relu", "random_split", "digits_step_sgd"};

/* A graph, which `walk` changes and changes back. */
struct run {
    struct check *check;
    const char *name;
    json_object *graph;
};

static void try_null(struct run *r, const char *path)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    d = (struct diag){0};
    arena_init(&a, 0);
    const char *text = json_object_to_json_string_ext(r->graph, JSON_C_TO_STRING_PLAIN);
    bool ok = import_json(&a, text, strlen(text), NULL, 0, &g, &d);
    check_that(r->check, !ok && d.code == DIAG_INPUT, "%s: null at %s is accepted", r->name, path);
    check_that(r->check, strcmp(d.where, path) == 0 && d.notes == 0, "%s: null at %s is found at %s, with %u notes",
               r->name, path, d.where, d.notes);
    arena_finish(&a);
}

/* The value at that path, and every value in it. The caller has it in the graph, and puts it back. */
static void walk(struct run *r, json_object *j, const char *path)
{
    char inner[512];
    if (json_object_is_type(j, json_type_object)) {
        json_object_object_foreach(j, key, value)
        {
            snprintf(inner, sizeof inner, "%s.%s", path, key);
            walk(r, value, inner);
            json_object_get(value);
            json_object_object_add(j, key, NULL);
            try_null(r, inner);
            json_object_object_add(j, key, value);
        }
    }
    for (size_t i = 0; json_object_is_type(j, json_type_array) && i < json_object_array_length(j); i++) {
        json_object *value = json_object_array_get_idx(j, i);
        snprintf(inner, sizeof inner, "%s[%zu]", path, i);
        walk(r, value, inner);
        json_object_get(value);
        json_object_array_put_idx(j, i, NULL);
        try_null(r, inner);
        json_object_array_put_idx(j, i, value);
    }
}

int main(void)
{
    struct check c = {0};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        char path[256];
        size_t size;
        if (!check_wanted(&c, graphs[i]))
            continue;
        snprintf(path, sizeof path, "test/graphs/%s.json", graphs[i]);
        char *text = read_file(path, &size);
        struct run r = {&c, graphs[i], text ? json_tokener_parse(text) : NULL};
        if (check_that(&c, r.graph != NULL, "%s: cannot be read", path))
            walk(&r, r.graph, "$");
        json_object_put(r.graph);
        free(text);
    }
    return check_finish(&c);
}
