/* Mutated graphs in JSON: each is imported or refused with a diagnostic, and an imported one prints as text
   that reads back. Built with -fsanitize=address,undefined.
   Usage: json_fuzz N graph.json ... */
#include "../../compiler/import.h"
#include "../front/check.h"
#include "mutate.h"

static bool try(const char *text, size_t n)
{
    static struct diag d, again;
    struct arena a;
    struct graph g, back;
    struct str printed;
    d = again = (struct diag){0};
    arena_init(&a, (size_t)256 << 20);
    bool ok = import_json(&a, text, n, NULL, 0, &g, &d);
    bool said = ok ? d.code == DIAG_OK : d.code != DIAG_OK && d.code != DIAG_INTERNAL && d.message[0];
    if (ok) {
        str_init(&printed, &a);
        ir_print_full(&g, &printed);
        said = said && ir_parse(&a, str_text(&printed), printed.len, &back, &again);
    }
    if (!said)
        printf("%s | %s\n", d.message, again.message);
    arena_finish(&a);
    return said;
}

int main(int argc, char **argv)
{
    struct check c = {0};
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    uint64_t state = 88172645463325252u;
    for (int i = 2; i < argc; i++) {
        size_t size;
        char *text = read_file(argv[i], &size);
        if (!check_that(&c, text != NULL && size < (1 << 16), "%s: cannot be read, or is too large to fuzz", argv[i])) {
            free(text);
            continue;
        }
        for (long k = 0; k < rounds; k++) {
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
            check_that(&c, try(exact, n), "%s, round %ld: no diagnostic, or no way back:\n%.*s", argv[i], k, (int)n, exact);
            free(exact);
            free(mutant);
        }
        free(text);
    }
    return check_finish(&c);
}
