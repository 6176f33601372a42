/* Mutated text IR: each is read or refused with a diagnostic, and one that is read prints as text
   that reads back to the same. Built with -fsanitize=address,undefined.
   Usage: ir_text_fuzz N test/ir/everything.t ... ; of a golden file the input is mutated. */
#include "ir/ir.h"
#include "../front/check.h"
#include "mutate.h"

static bool try(const char *text, size_t n)
{
    static struct diag d, again;
    struct arena a;
    struct graph g, back;
    struct str printed, reprinted;
    d = again = (struct diag){0};
    arena_init(&a, (size_t)256 << 20);
    bool ok = ir_parse(&a, text, n, &g, &d);
    bool said =
        ok ? d.code == DIAG_OK : d.code != DIAG_OK && d.code != DIAG_INTERNAL && d.message[0];
    if (ok) {
        str_init(&printed, &a);
        ir_print_full(&g, &printed);
        said = said && ir_parse(&a, str_text(&printed), printed.len, &back, &again);
        str_init(&reprinted, &a);
        if (said)
            ir_print_full(&back, &reprinted);
        said = said && strcmp(str_text(&printed), str_text(&reprinted)) == 0;
    }
    if (!said)
        printf("%s | %s\n", d.message, again.message);
    arena_finish(&a);
    return said;
}

/* The second part of a golden file; any other file as it is. */
static const char *text_part(const char *text, size_t *size)
{
    const char *first = strstr(text, "\n---\n"),
               *second = first ? strstr(first + 5, "\n---\n") : NULL;
    if (!second)
        return text;
    *size = (size_t)(second - (first + 5));
    return first + 5;
}

enum { MOST_SHOWN = 5 }; /* of a file's failures */

/* A file is one check, however many rounds. */
int main(int argc, char **argv)
{
    struct check c = {0};
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    uint64_t state = 88172645463325252u;
    unsigned long tried = 0;
    for (int i = 2; i < argc; i++) {
        if (!check_wanted(&c, argv[i]))
            continue;
        size_t size, bad = 0;
        char *file = read_file(argv[i], &size);
        const char *text = file ? text_part(file, &size) : NULL;
        if (!text || size >= (1 << 16)) {
            check_that(&c, false, "%s: cannot be read, or is too large to fuzz", argv[i]);
            free(file);
            continue;
        }
        for (long k = 0; k < rounds; k++, tried++) {
            size_t cap = size + 4096, n = size;
            char *mutant = malloc(cap), *exact;
            if (!mutant)
                return 1;
            memcpy(mutant, text, size);
            for (size_t m = random_below(&state, 4) + 1; m > 0; m--)
                n = mutate(&state, mutant, n, cap);
            exact = malloc(n ? n : 1); /* as long as the text, so that reading beyond it is found */
            if (!exact)
                return 1;
            memcpy(exact, mutant, n);
            if (!try(exact, n) && bad++ < MOST_SHOWN)
                printf("%s, round %ld: no diagnostic, or no way back:\n%.*s\n", argv[i], k, (int)n,
                       exact);
            free(exact);
            free(mutant);
        }
        check_that(&c, bad == 0, "%s: %zu mutants are not dealt with", argv[i], bad);
        free(file);
    }
    printf("%lu rounds\n", tried);
    return check_finish(&c);
}
