/* Damaged graphs in JSON: every truncation, and random corruptions. Each is refused with a
   diagnostic, or imported; what is imported prints as text that reads back, and is planned down
   to the GLSL of its kernels or refused, never with "a defect of the compiler". Built with
   -fsanitize=address,undefined. Usage: json_fuzz N graph.json ... : N corruptions of each. */
#include "import/import.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "../front/check.h"
#include "mutate.h"

static unsigned long imported, planned;

static bool has_message(const struct diag *d)
{
    return d->code != DIAG_OK && d->code != DIAG_INTERNAL && d->message[0];
}

static bool plans(struct arena *a, struct graph *g, struct diag *d)
{
    struct vkc_options options = {0};
    struct pass_options passes = {0};
    struct vkc_target target;
    struct plan plan;
    vkc_target_baseline(&target);
    return passes_run(g, &passes, d) && plan_build(a, g, &options, &target, &plan, d);
}

static bool try(const char *text, size_t n)
{
    static struct diag d, again, compiled;
    struct arena a;
    struct graph g, back;
    struct str printed;
    d = again = compiled = (struct diag){0};
    arena_init(&a, (size_t)256 << 20);
    bool ok = import_json(&a, text, n, NULL, 0, &g, &d);
    bool said = ok ? d.code == DIAG_OK : has_message(&d);
    if (ok && said) {
        str_init(&printed, &a);
        ir_print_full(&g, &printed);
        said = ir_parse(&a, str_text(&printed), printed.len, &back, &again);
        bool is_planned = said && plans(&a, &g, &compiled);
        said = said && (is_planned || has_message(&compiled));
        imported++;
        planned += is_planned;
    }
    if (!said)
        printf("%s | %s | %s\n", d.message, again.message, compiled.message);
    arena_finish(&a);
    return said;
}

/* In a block as long as the text, so that reading beyond it is found. */
static bool try_exact(const char *text, size_t n)
{
    char *exact = malloc(n ? n : 1);
    if (!exact)
        return false;
    memcpy(exact, text, n);
    bool said = try(exact, n);
    free(exact);
    return said;
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
        char *text = read_file(argv[i], &size);
        if (!text || size >= (1 << 16)) {
            check_that(&c, false, "%s: cannot be read, or is too large to fuzz", argv[i]);
            free(text);
            continue;
        }
        for (size_t n = 0; n < size; n++, tried++)
            if (!try_exact(text, n) && bad++ < MOST_SHOWN)
                printf("%s, the first %zu bytes: no diagnostic\n", argv[i], n);
        char *mutant = malloc(size + 4096);
        for (long k = 0; mutant && k < rounds; k++, tried++) {
            size_t n = size;
            memcpy(mutant, text, size);
            for (size_t m = random_below(&state, 4) + 1; m > 0; m--)
                n = mutate(&state, mutant, n, size + 4096);
            if (!try_exact(mutant, n) && bad++ < MOST_SHOWN)
                printf("%s, round %ld: no diagnostic, or no way back:\n%.*s\n", argv[i], k, (int)n,
                       mutant);
        }
        check_that(&c, mutant && bad == 0, "%s: %zu damaged graphs are not dealt with", argv[i],
                   bad);
        free(mutant);
        free(text);
    }
    printf("%lu truncations and rounds; %lu imported, %lu of them planned\n", tried, imported,
           planned);
    return check_finish(&c);
}
