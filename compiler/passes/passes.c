#include "passes/passes.h"

#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "passes/pass.h"

const struct pass vkc_passes[] = {
    {"inline", pass_inline, "blocks, known branches and short loops become plain nodes"},
    {"canon", pass_canon, "one form for what can be written in several ways"},
    {"lower", pass_lower, "sorts and Fourier transforms as nodes that have kernels"},
    {"fold", pass_fold, "what is known at compile time is computed"},
    {"algebra", pass_algebra, "cheaper forms of the same value: the rows of algebra.def"},
    {"cse", pass_cse, "equal nodes become one"},
    {"dce", pass_dce, "what nothing reads is removed, across regions too"},
    {"hoist", pass_hoist, "kernels whose values no round changes leave loops"},
    {"views", pass_views, "short chains of movement; broadcasts after the work they repeat"},
    {"attend", pass_attend, "softmax between two products becomes a node that stores no scores"},
    {"split_columns", pass_split_columns, "small products whose columns are read in parts"},
    {"split_contract", pass_split_contract, "long contractions with few results run in two stages"},
    {"split_reduce", pass_split_reduce, "long reductions with few rows run in two stages"},
    {NULL, NULL, NULL},
};

static bool is_name(const char *name, size_t len)
{
    for (const struct pass *p = vkc_passes; p->name; p++)
        if (strlen(p->name) == len && memcmp(p->name, name, len) == 0)
            return true;
    return false;
}

/* A name of a comma-separated list, which starts at `at`. */
static size_t name_length(const char *at)
{
    return strcspn(at, ",");
}

static bool list_has(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; at && *at;) {
        size_t n = name_length(at);
        if (n == len && memcmp(at, name, n) == 0)
            return true;
        at += n + (at[n] == ',');
    }
    return false;
}

static bool refuse_name(const char *name, size_t len, const char *what, struct diag *d)
{
    char all[256] = "";
    size_t used = 0;
    for (const struct pass *p = vkc_passes; p->name && used < sizeof all; p++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", p->name);
    return FAIL(d, USAGE, "%s: there is no pass named '%.*s'; there are %s", what,
                (int)(len > 80 ? 80 : len), name, all);
}

static bool check_names(const char *list, const char *what, struct diag *d)
{
    for (const char *at = list; at && *at;) {
        size_t n = name_length(at);
        if (!is_name(at, n))
            return refuse_name(at, n, what, d);
        at += n + (at[n] == ',');
    }
    return true;
}

/* Prints and parses, so that the text is known to say all that the graph holds. */
static bool roundtrip(struct graph *g, const char *pass, struct diag *d)
{
    struct str text;
    struct graph back = {0};
    str_init(&text, g->arena);
    ir_print_full(g, &text);
    if (!ir_parse(g->arena, str_text(&text), text.len, &back, d)) {
        diag_where(d, "text form after pass %s", pass);
        return false;
    }
    struct str again;
    str_init(&again, g->arena);
    ir_print_full(&back, &again);
    if (strcmp(str_text(&text), str_text(&again)) != 0)
        return FAIL(d, INTERNAL,
                    "after %s: the graph that was parsed prints differently from the one printed",
                    pass);
    *g = back;
    return true;
}

bool passes_run(struct graph *g, const struct pass_options *given, struct diag *d)
{
    struct pass_options filled = *given;
    const struct pass_options *o = &filled;
    struct vkc_target baseline;
    struct tuning tuning;
    if (!filled.target) {
        vkc_target_baseline(&baseline);
        filled.target = &baseline;
    }
    if (!filled.tuning) {
        tuning_of(filled.target, &tuning);
        filled.tuning = &tuning;
    }
    if (!check_names(o->skip, "passes to skip", d) ||
        !check_names(o->stop_after, "pass to stop after", d))
        return false;
    for (const struct pass *p = vkc_passes; p->name; p++) {
        bool changed = false;
        if (!cancel_check(g->arena->cancel, d))
            return false;
        if (!list_has(o->skip, p->name)) {
            if (!p->run(g, o, &changed, d))
                return false;
            if (!ir_verify(g, d)) {
                if (d->code != DIAG_MEMORY)
                    d->code = DIAG_INTERNAL; /* the input was checked: the pass broke it */
                diag_where(d, "after pass %s", p->name);
                return false;
            }
            if (o->roundtrip && !roundtrip(g, p->name, d))
                return false;
        }
        if (o->after)
            o->after(o->context, p->name, changed, g);
        if (o->stop_after && list_has(o->stop_after, p->name))
            break;
    }
    return true;
}
