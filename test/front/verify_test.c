/* The verifier's rules of single ops, in rules.txt: nodes that hold, and nodes that differ from
   them in one thing, on both sides of every limit. What a refusal says is left to test/errors, but
   that it is of the node. */
#include <string.h>

#include "base/str.h"
#include "check.h"
#include "ir/ir.h"

enum { FIELDS = 4 };
enum field { HOLDS, INPUTS, NODE, FUNCTIONS };

/* Cuts a line at its bars. Fields that it does not have are empty. */
static bool split(char *line, char *out[FIELDS])
{
    uint32_t n = 0;
    for (char *at = line; at && n < FIELDS;) {
        char *bar = strstr(at, " |");
        out[n++] = at;
        if (bar)
            *bar = '\0';
        at = bar ? bar + 2 + (bar[2] == ' ') : NULL;
    }
    for (uint32_t i = n; i < FIELDS; i++)
        out[i] = line + strlen(line);
    return n > NODE && (strcmp(out[HOLDS], "yes") == 0 || strcmp(out[HOLDS], "no") == 0);
}

/* The graph of a node n9. */
static const char *graph_of(struct arena *a, char *const rule[FIELDS])
{
    struct str head, body;
    uint32_t count = 0;
    str_init(&head, a);
    str_init(&body, a);
    for (const char *p = rule[INPUTS]; *p; count++) {
        int n = (int)strcspn(p, " ");
        str_printf(&head, "%s%.*s", count ? ", " : "", n, p);
        str_printf(&body, "n%u = parameter index=%u : %.*s\n", count, count, n, p);
        p += n + (p[n] == ' ');
    }
    for (char *end = rule[FUNCTIONS]; (end = strchr(end, ';')) != NULL;)
        *end = '\n';
    return arena_printf(
        a, "graph \"\" entry=f0 callbacks=2\nfunc f0(%s) {\n%sn9 = %s\nreturn n9\n}\n%s\n",
        str_text(&head), str_text(&body), rule[NODE], rule[FUNCTIONS]);
}

static void check_rule(struct check *c, char *const rule[FIELDS])
{
    static struct diag d;
    struct arena a;
    struct graph g;
    bool wanted = strcmp(rule[HOLDS], "yes") == 0;
    d = (struct diag){0};
    arena_init(&a, 0);
    const char *text = graph_of(&a, rule);
    bool holds = ir_parse(&a, text, strlen(text), &g, &d);
    check_that(c, holds == wanted && (holds || strncmp(d.message, "n9 ", 3) == 0), "%s: %s: %s",
               rule[INPUTS], rule[NODE], holds ? "is taken" : d.message);
    arena_finish(&a);
}

int main(void)
{
    static const char path[] = "test/front/rules.txt";
    struct check c = {0};
    size_t size;
    char *text = read_file(path, &size), *rule[FIELDS];
    check_that(&c, text != NULL, "%s cannot be read", path);
    for (char *line = text, *next; line && *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        line[n] = '\0';
        if (!*line || *line == '#')
            continue;
        if (check_that(&c, split(line, rule), "%s: not a rule", line) &&
            check_wanted(&c, rule[NODE]))
            check_rule(&c, rule);
    }
    free(text);
    return check_finish(&c);
}
