/* Golden tests: golden_test [--bless] FILE.t ...

   A file is: comment lines that begin with #, of which "# run: pass,pass" says which passes run
   (all without it) and "# with: fast-math,cpu" sets options; the graph; a line "----"; the graph
   after the passes. --bless rewrites what follows the line, for review. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "passes/passes.h"

static char *read_file(const char *path, size_t *out_size)
{
    FILE *f = fopen(path, "rb");
    char *data = malloc(1 << 20);
    *out_size = f && data ? fread(data, 1, (1 << 20) - 1, f) : 0;
    if (f)
        fclose(f);
    if (data)
        data[*out_size] = '\0';
    return f ? data : NULL;
}

/* The value of "# key: value", or "". */
static void read_key(const char *text, const char *key, char out[256])
{
    char head[64];
    snprintf(head, sizeof head, "# %s: ", key);
    const char *at = strstr(text, head), *end = strstr(text, "\n----\n");
    out[0] = '\0';
    if (!at || (end && at > end))
        return;
    at += strlen(head);
    size_t n = strcspn(at, "\n");
    n = n < 255 ? n : 255;
    memcpy(out, at, n);
    out[n] = '\0';
}

/* Every pass that `run` does not name. */
static void skip_others(const char *run, char out[512])
{
    out[0] = '\0';
    for (const struct pass *p = vkc_passes; *run && p->name; p++) {
        char with[64], in[300];
        snprintf(with, sizeof with, ",%s,", p->name);
        snprintf(in, sizeof in, ",%s,", run);
        if (strstr(in, with))
            continue;
        if (out[0])
            strcat(out, ",");
        strcat(out, p->name);
    }
}

static void run_file(const char *path, bool bless)
{
    size_t size;
    char *text = read_file(path, &size), run[256], with[256], skip[512];
    char *line = text ? strstr(text, "\n----\n") : NULL;
    if (!text || (!line && !bless)) {
        CHECK(false, "%s: %s", path, text ? "has no ---- line" : strerror(errno));
        free(text);
        return;
    }
    size_t input = line ? (size_t)(line - text) + 1 : size;
    read_key(text, "run", run);
    read_key(text, "with", with);
    skip_others(run, skip);
    struct arena a;
    struct graph g = {0};
    struct diag d = {0};
    struct str out;
    arena_init(&a, 0);
    str_init(&out, &a);
    struct vkc_target target;
    vkc_target_baseline(&target);
    target.cpu = strstr(with, "cpu") != NULL;
    const struct pass_options options = {.fast_math = strstr(with, "fast-math") != NULL,
                                         .target = &target,
                                         .skip = skip,
                                         .roundtrip = true};
    bool ok =
        ir_parse(&a, text, input, &g, &d) && ir_verify(&g, &d) && passes_run(&g, &options, &d);
    if (ok)
        ir_print(&g, &out);
    const char *wanted = line ? line + 6 : "";
    if (ok && bless) {
        FILE *f = fopen(path, "wb");
        CHECK(f && fwrite(text, 1, input, f) == input &&
                  fprintf(f, "----\n%s", str_text(&out)) > 0 && fclose(f) == 0,
              "%s", path);
    } else {
        CHECK(ok, "%s: %s (%s)", path, d.message, d.where);
        CHECK(!ok || strcmp(str_text(&out), wanted) == 0, "%s: expected\n%sfound\n%s", path, wanted,
              str_text(&out));
    }
    arena_finish(&a);
    free(text);
}

int main(int argc, char **argv)
{
    bool bless = argc > 1 && strcmp(argv[1], "--bless") == 0;
    for (int i = 1 + bless; i < argc; i++)
        if (check_wanted(argv[i]))
            run_file(argv[i], bless);
    return check_report();
}
