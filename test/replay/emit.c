/* What the compiler makes of programs, up to the text of their kernels: `make replay` runs this of
   two commits and compares. No shaderc, no device.

     emit JOBS            a line for each job: the job, and digests of its IR, plan and GLSL, or of
                          its error
     emit --text DIR JOBS the texts themselves: DIR/0.ir, DIR/0.plan and DIR/0.glsl of the first
                          job, and so on

   A line of JOBS is a file, # and a case where it is a list of them, a profile, and "fused",
   "unfused" or "fast": test/fixtures/reduce.json#12 nvidia fused. Graphs that a compiler refuses
   give their error, which is compared, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "../front/check.h"
#include "base/arena.h"
#include "import/json.h"
#include "vkc.h"

enum { STAGES = 3, MOST_LINE = 4096 };
static const char *const stages[STAGES] = {"ir", "plan", "glsl"};

/* The file of the job before: a list has hundreds of cases. */
struct file {
    char path[MOST_LINE];
    char *text;
    size_t size;
    struct arena arena;
    const struct json *json; /* of a list */
};

static bool open_file(struct file *f, const char *path, bool is_list)
{
    char error[128];
    if (f->text && strcmp(f->path, path) == 0)
        return !is_list || f->json;
    if (f->text)
        arena_finish(&f->arena);
    free(f->text);
    snprintf(f->path, sizeof f->path, "%s", path);
    f->text = read_file(path, &f->size);
    f->json = NULL;
    if (!f->text)
        return false;
    arena_init(&f->arena, 0);
    if (is_list)
        f->json = json_parse(&f->arena, f->text, f->size, error);
    return !is_list || (f->json && f->json->kind == JSON_LIST);
}

/* The graph of "FILE" or "FILE#CASE"; NULL if there is none. */
static const char *graph_of(struct file *f, char *job, size_t *out_size)
{
    char *mark = strchr(job, '#');
    if (mark)
        *mark = 0;
    bool ok = open_file(f, job, mark != NULL);
    if (!ok || !mark) {
        *out_size = ok ? f->size : 0;
        return ok ? f->text : NULL;
    }
    unsigned long index = strtoul(mark + 1, NULL, 10);
    *mark = '#';
    const struct json *graph =
        index < f->json->count ? json_get(&f->json->items[index], "graph") : NULL;
    *out_size = graph ? graph->size : 0;
    return graph ? graph->source : NULL;
}

static void print_digest(const char *text)
{
    uint8_t digest[32];
    vkb_sha256(text, strlen(text), digest);
    putchar(' ');
    for (int i = 0; i < 8; i++)
        printf("%02x", digest[i]);
}

static bool write_text(const char *folder, unsigned long job, const char *stage, const char *text)
{
    char path[MOST_LINE];
    snprintf(path, sizeof path, "%s/%lu.%s", folder, job, stage);
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && ok;
}

/* "graph profile way": compiles, and tells what came of it. False if the job cannot be done. */
static bool run(struct file *file, char *line, unsigned long number, const char *folder)
{
    char job[MOST_LINE], profile[64], way[16];
    struct vkc_target target;
    size_t size;
    if (sscanf(line, "%4095s %63s %15s", job, profile, way) != 3 ||
        !vkc_target_named(profile, &target)) {
        fprintf(stderr, "no job: %s\n", line);
        return false;
    }
    const char *graph = graph_of(file, job, &size);
    if (!graph) {
        fprintf(stderr, "%s: cannot be read\n", job);
        return false;
    }
    struct vkc_result result;
    const struct vkc_options options = {.target = &target,
                                        .no_cache = true,
                                        .threads = 1,
                                        .no_fusion = strcmp(way, "unfused") == 0,
                                        .fast_math = strcmp(way, "fast") == 0,
                                        .want_ir = true,
                                        .want_plan = true,
                                        .want_glsl = true};
    vkc_compile(graph, size, NULL, 0, &options, &result);
    char error[sizeof result.error.message + 64] = "";
    if (result.error.code)
        snprintf(error, sizeof error, "error %d: %s\n", result.error.code, result.error.message);
    const char *texts[STAGES] = {result.ir, result.plan, result.glsl};
    bool ok = true;
    if (!folder)
        printf("%s %s %s", job, profile, way);
    for (int i = 0; i < STAGES; i++) {
        const char *text = texts[i] ? texts[i] : error;
        if (folder)
            ok = write_text(folder, number, stages[i], text) && ok;
        else
            print_digest(text);
    }
    if (!folder)
        printf("\n");
    vkc_result_free(&result);
    return ok;
}

int main(int argc, char **argv)
{
    bool is_text = argc == 4 && strcmp(argv[1], "--text") == 0;
    static struct file file;
    static char line[MOST_LINE];
    if (argc != 2 && !is_text) {
        fprintf(stderr, "usage: emit [--text DIR] JOBS\n");
        return 2;
    }
    FILE *jobs = fopen(argv[argc - 1], "r");
    bool ok = jobs != NULL;
    for (unsigned long number = 0; jobs && fgets(line, sizeof line, jobs); number++)
        ok = run(&file, line, number, is_text ? argv[2] : NULL) && ok;
    if (jobs)
        fclose(jobs);
    if (file.text)
        arena_finish(&file.arena);
    free(file.text);
    return ok ? 0 : 1;
}
