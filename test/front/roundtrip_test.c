/* Every graph given as JSON prints as text that reads back to a graph that prints the same.
   Usage: roundtrip_test graph.json ... */
#include <string.h>

#include "import/import.h"
#include "check.h"

static void check_file(struct check *c, const char *path)
{
    static struct diag d;
    struct arena a;
    struct graph g, again;
    struct str first, second;
    size_t size;
    d = (struct diag){0};
    arena_init(&a, 0);
    char *json = read_file(path, &size);
    if (!check_that(c, json != NULL, "%s: cannot be read", path))
        return;
    if (!check_that(c, import_json(&a, json, size, NULL, 0, &g, &d), "%s: %s (%s)", path, d.message,
                    d.where))
        goto out;
    str_init(&first, &a);
    str_init(&second, &a);
    ir_print_full(&g, &first);
    if (!check_that(c, ir_parse(&a, str_text(&first), first.len, &again, &d), "%s: %s (%s)", path,
                    d.message, d.where))
        goto out;
    ir_print_full(&again, &second);
    check_that(c, strcmp(str_text(&first), str_text(&second)) == 0,
               "%s: the text changes when read and printed again", path);

out:
    arena_finish(&a);
    free(json);
}

int main(int argc, char **argv)
{
    struct check c = {0};
    for (int i = 1; i < argc; i++)
        if (check_wanted(&c, argv[i]))
            check_file(&c, argv[i]);
    return check_finish(&c);
}
