/* Where the importer finds a wrong value: in each graph every value in turn becomes null. Each
   such graph is refused, the diagnostic's path leads to that value, and reading ends there:
   nothing is noted after it. */
#include "import/import.h"
#include "import/json.h"
#include "check.h"

static const char *const graphs[] = {"while_sin", "cond_piecewise", "conv_relu", "random_split",
                                     "digits_step_sgd"};

/* A graph's text, and room for one in which a value is another. */
struct run {
    struct check *check;
    const char *name, *text;
    char *changed;
    size_t size;
};

static void try_null(struct run *r, const struct json *j, const char *path)
{
    static const char null[] = "null";
    static struct diag d;
    struct arena a;
    struct graph g;
    size_t before = (size_t)(j->source - r->text), after = before + j->size;
    memcpy(r->changed, r->text, before);
    memcpy(r->changed + before, null, strlen(null));
    memcpy(r->changed + before + strlen(null), r->text + after, r->size - after);
    d = (struct diag){0};
    arena_init(&a, 0);
    bool ok = import_json(&a, r->changed, r->size - j->size + strlen(null), NULL, 0, &g, &d);
    check_that(r->check, !ok && d.code == DIAG_INPUT, "%s: null at %s is accepted", r->name, path);
    check_that(r->check, strcmp(d.where, path) == 0 && d.notes == 0,
               "%s: null at %s is found at %s, with %u notes", r->name, path, d.where, d.notes);
    arena_finish(&a);
}

/* Every value in the value at that path. */
static void walk(struct run *r, const struct json *j, const char *path)
{
    char inner[512];
    for (uint32_t i = 0; (j->kind == JSON_OBJECT || j->kind == JSON_LIST) && i < j->count; i++) {
        const struct json *value = j->kind == JSON_OBJECT ? &j->members[i].value : &j->items[i];
        if (j->kind == JSON_OBJECT)
            snprintf(inner, sizeof inner, "%s.%s", path, j->members[i].key);
        else
            snprintf(inner, sizeof inner, "%s[%u]", path, i);
        walk(r, value, inner);
        try_null(r, value, inner);
    }
}

int main(void)
{
    struct check c = {0};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        char path[256], error[128];
        size_t size;
        struct arena a;
        if (!check_wanted(&c, graphs[i]))
            continue;
        snprintf(path, sizeof path, "test/graphs/%s.json", graphs[i]);
        char *text = read_file(path, &size), *changed = text ? malloc(size + 8) : NULL;
        arena_init(&a, 0);
        const struct json *graph = changed ? json_parse(&a, text, size, error) : NULL;
        struct run r = {&c, graphs[i], text, changed, size};
        if (check_that(&c, graph != NULL, "%s: cannot be read", path))
            walk(&r, graph, "$");
        arena_finish(&a);
        free(changed);
        free(text);
    }
    return check_finish(&c);
}
