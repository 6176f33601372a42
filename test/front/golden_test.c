/* Golden files: a head, an input, and what comes of it, three parts divided by lines of "---".
     reads: json            or text; what the input is
     ---
     the input
     ---
     the text IR that it prints as; or of a bad input the exit code and message, the place, and
     the source line if it has one
   Usage: golden_test [--bless|--codes] test/ir/x.t test/errors/y.t ... ; --bless rewrites the
   third part; --codes compares only the exit code of a refusal, not its words. */
#include <string.h>

#include "import/import.h"
#include "check.h"

struct golden {
    char *text; /* the file */
    const char *input, *wanted;
    size_t input_size;
    bool is_json;
};

static bool split(struct golden *t)
{
    char *first = strstr(t->text, "\n---\n"), *second = first ? strstr(first + 5, "\n---\n") : NULL;
    if (!first || !second)
        return false;
    t->is_json = strncmp(t->text, "reads: json", 11) == 0;
    t->input = first + 5;
    t->input_size = (size_t)(second + 1 - t->input);
    t->wanted = second + 5;
    return t->is_json || strncmp(t->text, "reads: text", 11) == 0;
}

/* What comes of the input, as the third part has it. */
static void run(const struct golden *t, struct arena *a, struct str *out)
{
    static struct diag d;
    struct graph g;
    d = (struct diag){0};
    /* no NUL behind it: a reader that goes too far is found out */
    char *exact = malloc(t->input_size);
    if (!exact)
        return;
    memcpy(exact, t->input, t->input_size);
    bool ok = t->is_json ? import_json(a, exact, t->input_size, NULL, 0, &g, &d)
                         : ir_parse(a, exact, t->input_size, &g, &d);
    free(exact);
    if (ok) {
        ir_print(&g, out);
        return;
    }
    str_printf(out, "%d %s\n", d.code, d.message);
    str_printf(out, "at %s\n", d.where);
    if (d.loc[0])
        str_printf(out, "from %s\n", d.loc);
}

/* Whether the input is refused with the code that the third part begins with. */
static bool has_code(const char *wanted, const char *found)
{
    size_t n = strcspn(wanted, " \n");
    return n == strspn(wanted, "0123456789") && n == strcspn(found, " \n") &&
           memcmp(wanted, found, n) == 0;
}

static void check_golden(struct check *c, const char *path, bool bless, bool codes)
{
    struct golden t = {0};
    struct arena a;
    struct str found;
    size_t size;
    arena_init(&a, 0);
    str_init(&found, &a);
    t.text = read_file(path, &size);
    if (!check_that(c, t.text && split(&t), "%s: is not a golden file", path))
        goto out;
    run(&t, &a, &found);
    bool as_wanted =
        codes ? has_code(t.wanted, str_text(&found)) : strcmp(t.wanted, str_text(&found)) == 0;
    if (!bless || as_wanted) {
        check_that(c, as_wanted, "%s: found\n%s", path, str_text(&found));
        goto out;
    }
    FILE *f = fopen(path, "wb");
    bool ok = f &&
              fwrite(t.text, 1, (size_t)(t.wanted - t.text), f) == (size_t)(t.wanted - t.text) &&
              fputs(str_text(&found), f) >= 0;
    check_that(c, ok && fclose(f) == 0, "%s: cannot be written", path);

out:
    arena_finish(&a);
    free(t.text);
}

int main(int argc, char **argv)
{
    struct check c = {0};
    bool bless = argc > 1 && strcmp(argv[1], "--bless") == 0,
         codes = argc > 1 && strcmp(argv[1], "--codes") == 0;
    for (int i = 1 + (bless || codes); i < argc; i++)
        if (check_wanted(&c, argv[i]))
            check_golden(&c, argv[i], bless, codes);
    return check_finish(&c);
}
