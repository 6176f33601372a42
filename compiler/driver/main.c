/* vkcompile: the command line. Options, files, exit codes; all else is in libvkc. Only this file
   prints. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/bundle.h"
#include "driver/main.h"
#include "passes/passes.h"
#include "vkc.h"

enum {
    EXIT_INPUT = 1,
    EXIT_USAGE = 2,
    EXIT_UNSUPPORTED = 3,
    EXIT_INTERNAL = 4,
    EXIT_INTERRUPTED = 130
};

enum emit { EMIT_BUNDLE, EMIT_IR, EMIT_PLAN, EMIT_GLSL, EMIT_SPIRV, EMIT_DOT };

static const char *const emit_names[] = {"bundle", "ir", "plan", "glsl", "spirv", "dot"};

struct cli {
    const char *input, *output, *sidecar, *target, *also, *on, *interp;
    enum emit emit;
    bool stats, check, quiet;
    uint64_t seed;
    struct vkc_donation donations[256];
    struct vkc_options options;
    struct vkc_target profile, second;
};

struct cli_option {
    const char *name;     /* without the dashes; a short one has a single letter */
    const char *argument; /* NULL: takes none; "[X]": may have one, after = only */
    const char *help;
};

/* In the order of --help; compiler/README.md shows the same text, and a test compares them. */
static const struct cli_option option_table[] = {
    {"o", "FILE", "write the result here; a folder for --emit=spirv"},
    {"emit", "WHAT",
     "bundle (default), ir, plan, glsl, spirv or dot; text goes to stdout without -o"},
    {"target", "T", "baseline (default), host, a shipped profile, or a profile file"},
    {"also", "T",
     "kernels have a second body, for this target; devices of its class take that one"},
    {"on", "T",
     "the device that runs it, if not --target: the lower limits of both, and what it lacks is emulated"},
    {"sidecar", "FILE", "the literals that the JSON refers to by offset"},
    {"donate", "OUT:IN,...", "output OUT may take over the buffer of input IN"},
    {"text", NULL, "the input is the text IR"},
    {"skip", "PASS,...", "leave passes out"},
    {"stop-after", "PASS", "stop after a pass; implies --emit=ir"},
    {"no-fusion", NULL, "every node its own kernel"},
    {"fast-math", NULL, "contraction, reassociation, sums without compensation"},
    {"precision", "P", "default, or highest: f32 products by fma, also where matrix units are"},
    {"cache", "DIR", "keep bundles here, and use those that are"},
    {"no-cache", NULL, "no cache (default)"},
    {"threads", "N",
     "threads for shader compilation; 0 (default): as many as there are processors, at most 8"},
    {"dump-dir", "DIR", "write every stage as a file; the folder is made if need be"},
    {"stats", NULL, "nodes, kernels, bytes, time per stage; on stderr if the result is on stdout"},
    {"explain", "NODE", "what became of a node, pass by pass: --explain=n12"},
    {"check", "[SEED]",
     "run the interpreter on random inputs, before and after the passes, and compare"},
    {"interp", "DIR",
     "run the interpreter on DIR/in0.npy (or in0.bin), ...; writes DIR/out0.bin, ..."},
    {"list-ops", NULL, "the op table"},
    {"list-passes", NULL, "the passes, in order"},
    {"quiet", NULL, "no progress, no notes"},
    {"help", NULL, "this text; -h is the same"},
    {"version", NULL, "the version"},
};
enum { NOPTIONS = sizeof option_table / sizeof *option_table };

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int
complain(int code, const char *fmt, ...)
{
    va_list ap;
    fputs("vkcompile: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return code;
}

static void print_help(void)
{
    printf("usage: vkcompile [options] graph.json\n\n"
           "Compiles the graph of a defn to a bundle for Vulkan. - reads from stdin.\n\n");
    for (int i = 0; i < NOPTIONS; i++) {
        const struct cli_option *o = &option_table[i];
        char left[64];
        bool optional = o->argument && o->argument[0] == '[';
        snprintf(left, sizeof left, "%s%s%s%s", o->name[1] ? "--" : "-", o->name,
                 !o->argument  ? ""
                 : !o->name[1] ? " "
                 : optional    ? "[="
                               : "=",
                 !o->argument ? "" : o->argument + optional);
        printf("  %-20s %s\n", left, o->help);
    }
    printf(
        "\nExit codes: 0 ok, 1 bad input, 2 usage, 3 not supported by the target, 4 a defect of the compiler.\n"
        "SIGINT and SIGTERM end it by that signal; a result is then written whole, or not at all.\n");
}

static void print_about(const char *what)
{
    if (strcmp(what, "help") == 0)
        print_help();
    if (strcmp(what, "version") == 0)
        printf("vkcompile %s\n", VKC_VERSION);
    for (const struct pass *p = vkc_passes; strcmp(what, "list-passes") == 0 && p->name; p++)
        printf("%-14s %s\n", p->name, p->doc);
    const char *row;
    for (uint32_t i = 0; strcmp(what, "list-ops") == 0 && (row = vkc_list_ops(i)); i++)
        puts(row);
}

/* ---- files ---- */

/* NUL-terminated. NULL after a complaint. */
static void *read_file(const char *path, size_t *out_size)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t size = 0, cap = 1 << 16;
    char *data = f ? malloc(cap) : NULL;
    while (data) {
        size_t n = fread(data + size, 1, cap - size - 1, f);
        size += n;
        if (n == 0)
            break;
        if (cap - size > 1)
            continue;
        char *bigger = realloc(data, cap * 2);
        if (!bigger)
            free(data);
        data = bigger;
        cap *= 2;
    }
    if (!data || ferror(f)) {
        complain(0, "%s: %s", path, errno ? strerror(errno) : "cannot be read");
        free(data);
        data = NULL;
    } else {
        data[size] = '\0';
        *out_size = size;
    }
    if (f && f != stdin)
        fclose(f);
    return data;
}

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *f = path && strcmp(path, "-") != 0 ? fopen(path, "wb") : stdout;
    bool ok = f && fwrite(data, 1, size, f) == size;
    if (f && f != stdout)
        ok = fclose(f) == 0 && ok;
    else if (f)
        ok = fflush(f) == 0 && ok;
    if (!ok)
        complain(0, "%s: %s", path ? path : "stdout", strerror(errno));
    return ok;
}

/* A file for every kernel, k3.spv; the body for another target is k3.1.spv. */
static bool write_spirv(const char *folder, const struct vkc_result *result)
{
    struct vkb_view view;
    char error[256], path[4096];
    if (!bundle_open(result->bundle, result->bundle_size, &view, error, sizeof error))
        return complain(0, "the bundle that was made is not valid: %s", error), false;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return complain(0, "%s: %s", folder, strerror(errno)), false;
    for (uint32_t i = 0; i < view.nkernels; i++)
        for (uint32_t n = 0, last = view.kernels[i].nbodies - 1; n <= last; n++) {
            const struct vkb_body *b = vkb_body_of(&view, i, n);
            const char *name = vkb_text(&view, view.kernels[i].name);
            snprintf(path, sizeof path, n < last ? "%s/%s.%u.spv" : "%s/%s.spv", folder, name,
                     last - n);
            if (!write_file(path, view.spirv + b->spirv_first, (size_t)b->spirv_count * 4))
                return false;
        }
    return true;
}

/* ---- options ---- */

static bool parse_u64(const char *text, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    *out = n;
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && n <= most;
}

static int parse_donations(struct cli *c, const char *text)
{
    for (const char *at = text; *at;) {
        unsigned output, input;
        int n = 0;
        if (sscanf(at, "%9u:%9u%n", &output, &input, &n) != 2 || (at[n] != ',' && at[n] != '\0'))
            return complain(EXIT_USAGE, "--donate takes OUT:IN,..., found '%s'", at);
        if (c->options.ndonations == sizeof c->donations / sizeof *c->donations)
            return complain(EXIT_USAGE, "--donate takes at most %u pairs", c->options.ndonations);
        c->donations[c->options.ndonations++] = (struct vkc_donation){output, input};
        at += n + (at[n] == ',');
    }
    c->options.donations = c->donations;
    return 0;
}

/* The profile that `option` names; an exit code where there is none. */
static int read_target(const char *option, const char *name, struct vkc_target *out)
{
    char error[256];
    size_t size = 0;
    if (strcmp(name, "host") == 0)
        return host_target(out, error, sizeof error)
                   ? 0
                   : complain(EXIT_UNSUPPORTED, "--%s host: %s", option, error);
    if (vkc_target_named(name, out))
        return 0;
    char *text = read_file(name, &size);
    if (!text)
        return complain(EXIT_USAGE, "--%s: '%s' is neither host, nor a shipped profile, nor a file",
                        option, name);
    vkc_target_baseline(out);
    bool ok = vkc_target_parse(text, size, out, error, sizeof error);
    free(text);
    return ok ? 0 : complain(EXIT_INPUT, "%s: %s", name, error);
}

static int set_target(struct cli *c)
{
    struct vkc_target device;
    int code = read_target("target", c->target ? c->target : "baseline", &c->profile);
    if (!code && c->also) {
        code = read_target("also", c->also, &c->second);
        c->options.also = &c->second;
    }
    if (code || !c->on)
        return code;
    code = read_target("on", c->on, &device);
    if (code)
        return code;
    vkc_target_run_on(&c->profile, &device);
    if (c->also)
        vkc_target_run_on(&c->second, &device);
    return 0;
}

static int set_emit(struct cli *c, const char *what)
{
    for (int i = 0; i <= EMIT_DOT; i++) {
        if (strcmp(emit_names[i], what) == 0) {
            c->emit = (enum emit)i;
            return 0;
        }
    }
    return complain(EXIT_USAGE, "--emit takes bundle, ir, plan, glsl, spirv or dot, found '%s'",
                    what);
}

/* An exit code, or -1 to go on. */
static int set_option(struct cli *c, const char *name, const char *value)
{
    uint64_t n;
    if (strcmp(name, "o") == 0)
        c->output = value;
    else if (strcmp(name, "emit") == 0)
        return set_emit(c, value) ? EXIT_USAGE : -1;
    else if (strcmp(name, "target") == 0)
        c->target = value;
    else if (strcmp(name, "also") == 0)
        c->also = value;
    else if (strcmp(name, "on") == 0)
        c->on = value;
    else if (strcmp(name, "sidecar") == 0)
        c->sidecar = value;
    else if (strcmp(name, "donate") == 0)
        return parse_donations(c, value) ? EXIT_USAGE : -1;
    else if (strcmp(name, "text") == 0)
        c->options.text_ir = true;
    else if (strcmp(name, "skip") == 0)
        c->options.skip_passes = value;
    else if (strcmp(name, "stop-after") == 0)
        c->options.stop_after = value;
    else if (strcmp(name, "no-fusion") == 0)
        c->options.no_fusion = true;
    else if (strcmp(name, "fast-math") == 0)
        c->options.fast_math = true;
    else if (strcmp(name, "precision") == 0) {
        c->options.highest_precision = strcmp(value, "highest") == 0;
        if (!c->options.highest_precision && strcmp(value, "default") != 0)
            return complain(EXIT_USAGE, "--precision takes default or highest, found '%s'", value);
    } else if (strcmp(name, "cache") == 0)
        c->options.cache_dir = value;
    else if (strcmp(name, "no-cache") == 0)
        c->options.no_cache = true;
    else if (strcmp(name, "threads") == 0) {
        if (!parse_u64(value, 1024, &n))
            return complain(EXIT_USAGE, "--threads takes a number up to 1024, found '%s'", value);
        c->options.threads = (uint32_t)n;
    } else if (strcmp(name, "dump-dir") == 0)
        c->options.dump_dir = value;
    else if (strcmp(name, "stats") == 0)
        c->stats = true;
    else if (strcmp(name, "explain") == 0)
        c->options.explain = value;
    else if (strcmp(name, "check") == 0) {
        c->check = true;
        if (value && !parse_u64(value, UINT64_MAX, &c->seed))
            return complain(EXIT_USAGE, "--check takes a number as its seed, found '%s'", value);
    } else if (strcmp(name, "interp") == 0)
        c->interp = value;
    else if (strcmp(name, "quiet") == 0)
        c->quiet = true;
    else {
        print_about(name);
        return 0;
    }
    return -1;
}

/* The table as getopt_long wants it. An option is known by its place, counted from 1; h and o have
   a letter, too. */
static void fill_long_options(struct option *out)
{
    int n = 0;
    for (int i = 0; i < NOPTIONS; i++) {
        const char *argument = option_table[i].argument;
        int has = !argument            ? no_argument
                  : argument[0] == '[' ? optional_argument
                                       : required_argument;
        if (option_table[i].name[1])
            out[n++] = (struct option){option_table[i].name, has, NULL, i + 1};
    }
    out[n] = (struct option){NULL, 0, NULL, 0};
}

/* The option that getopt_long means: its place in the table, or its letter. */
static const struct cli_option *find_option(int found)
{
    const char *name = found == 'h' ? "help" : found == 'o' ? "o" : NULL;
    if (found > 0 && found <= NOPTIONS)
        return &option_table[found - 1];
    for (int i = 0; name && i < NOPTIONS; i++)
        if (strcmp(option_table[i].name, name) == 0)
            return &option_table[i];
    return NULL;
}

/* What is wrong with a word that getopt_long refuses; names the option if it is known. */
static int complain_option(int found, const char *word)
{
    const struct cli_option *o = find_option(optopt);
    if (!o && optopt)
        return complain(EXIT_USAGE, "there is no option '-%c'; see --help", optopt);
    if (!o)
        return complain(EXIT_USAGE, "there is no option '%s'; see --help", word);
    if (found == ':')
        return complain(EXIT_USAGE, "%s%s takes a value: %s", o->name[1] ? "--" : "-", o->name,
                        o->argument);
    return complain(EXIT_USAGE, "--%s takes no value", o->name);
}

/* An exit code, or -1 to go on. */
static int parse_options(struct cli *c, int argc, char **argv)
{
    struct option options[NOPTIONS + 1];
    _Static_assert(NOPTIONS < 'A', "indices of options collide with letters");
    fill_long_options(options);
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (found == '?' || found == ':')
            return complain_option(found, argv[optind - 1]);
        int code = set_option(c, find_option(found)->name, optarg);
        if (code >= 0)
            return code;
    }
    if (optind + 1 < argc)
        return complain(EXIT_USAGE, "expected one input file, found '%s' and '%s'", argv[optind],
                        argv[optind + 1]);
    c->input = argv[optind];
    return c->input ? -1 : complain(EXIT_USAGE, "no input file; see --help");
}

/* ---- what the user sees of a run ---- */

struct progress {
    bool wanted, shown;
    struct timespec start;
};

/* Only of compiles that take over a second, and only for a person. */
static void show_progress(void *context, const char *stage, uint32_t done, uint32_t total)
{
    struct progress *p = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds =
        (double)(now.tv_sec - p->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - p->start.tv_nsec);
    if (!p->wanted || seconds < 1)
        return;
    fprintf(stderr, "\r\033[K%s %u/%u  %.0f s", stage, done, total, seconds);
    fflush(stderr);
    p->shown = true;
}

static void print_stats(FILE *to, const struct vkc_stats *s)
{
    char distinct[32] = "";
    if (s->distinct)
        snprintf(distinct, sizeof distinct, ", %u distinct", s->distinct);
    fprintf(to,
            "nodes        %u -> %u\nbodies       %llu\nkernels      %u%s\n"
            "dispatches   %u\nsteps        %u\nbarriers     %u\n",
            s->nodes_in, s->nodes_out, (unsigned long long)s->bodies, s->kernels, distinct,
            s->dispatches, s->steps, s->barriers);
    fprintf(
        to,
        "bytes moved  %llu -> %llu\narena        %llu of %llu\nconstants    %llu\nspirv        %llu\n",
        (unsigned long long)s->bytes_unfused, (unsigned long long)s->bytes_moved,
        (unsigned long long)s->arena_bytes, (unsigned long long)s->unplanned_bytes,
        (unsigned long long)s->constants_bytes, (unsigned long long)s->spirv_bytes);
    fprintf(
        to,
        "time, ms     import %.2f  passes %.2f  plan %.2f  spirv %.2f  bundle %.2f  total %.2f%s\n",
        1e3 * s->seconds_import, 1e3 * s->seconds_passes, 1e3 * s->seconds_plan,
        1e3 * s->seconds_spirv, 1e3 * s->seconds_bundle, 1e3 * s->seconds_total,
        s->cache_hit ? "  (from the cache)" : "");
}

/* Where to print what is told of a result: not into the result. */
static FILE *report_stream(const struct cli *c)
{
    bool is_on_stdout =
        c->output ? strcmp(c->output, "-") == 0 && c->emit != EMIT_SPIRV : c->emit != EMIT_BUNDLE;
    return is_on_stdout ? stderr : stdout;
}

/* The codes of libvkc are exit codes, but for lack of memory, and of what a signal ended. */
static int report_error(const struct cli *c, const struct vkc_error *e)
{
    if (e->code == VKC_CANCELLED)
        return complain(EXIT_INTERRUPTED, "interrupted; no result was written");
    fprintf(stderr, "vkcompile: %s", e->message);
    if (e->where[0])
        fprintf(stderr, " (%s: %s)", c->input, e->where);
    if (e->loc[0])
        fprintf(stderr, " [%s]", e->loc);
    fputc('\n', stderr);
    if (e->code == EXIT_UNSUPPORTED)
        fputs("vkcompile: --list-ops names the ops, --target another device\n", stderr);
    if (e->code == EXIT_INTERNAL)
        fputs("vkcompile: this is a defect of the compiler; please report it with the input\n",
              stderr);
    return e->code > EXIT_INTERNAL ? EXIT_INTERNAL : e->code;
}

static int write_result(const struct cli *c, const struct vkc_result *r)
{
    const char *texts[] = {
        [EMIT_IR] = r->ir, [EMIT_PLAN] = r->plan, [EMIT_GLSL] = r->glsl, [EMIT_DOT] = r->dot};
    if (r->explain)
        fputs(r->explain, report_stream(c));
    if (c->stats)
        print_stats(report_stream(c), &r->stats);
    if (!r->bundle && (c->emit == EMIT_SPIRV || (c->emit == EMIT_BUNDLE && c->output)))
        return complain(EXIT_UNSUPPORTED,
                        "this vkcompile was built without shaderc, which bundles need");
    if (c->emit == EMIT_SPIRV)
        return write_spirv(c->output, r) ? 0 : EXIT_INPUT;
    if (c->emit != EMIT_BUNDLE)
        return texts[c->emit] && write_file(c->output, texts[c->emit], strlen(texts[c->emit]))
                   ? 0
                   : EXIT_INPUT;
    return !c->output || write_file(c->output, r->bundle, r->bundle_size) ? 0 : EXIT_INPUT;
}

static int run_compile(struct cli *c, const void *graph, size_t graph_size, const void *sidecar,
                       size_t sidecar_size)
{
    struct vkc_result result;
    struct progress progress = {.wanted = !c->quiet && isatty(2)};
    clock_gettime(CLOCK_MONOTONIC, &progress.start);
    c->options.progress = show_progress;
    c->options.progress_context = &progress;
    bool ok = vkc_compile(graph, graph_size, sidecar, sidecar_size, &c->options, &result);
    if (progress.shown)
        fputs("\r\033[K", stderr);
    if (result.cache_note[0] && !c->quiet)
        fprintf(stderr, "vkcompile: %s\n", result.cache_note);
    int code = ok ? write_result(c, &result) : report_error(c, &result.error);
    vkc_result_free(&result);
    return code;
}

static int run_tools(struct cli *c, const void *graph, size_t graph_size, const void *sidecar,
                     size_t sidecar_size)
{
    struct tool_input in = {graph, graph_size, sidecar, sidecar_size, &c->options};
    struct tool_report report = {.text = ""};
    bool ok = c->interp ? tool_interp(&in, c->interp, &report) : tool_check(&in, c->seed, &report);
    if (report.text[0] && (!ok || !c->quiet))
        fprintf(ok ? report_stream(c) : stderr, "%s%s", ok ? "" : "vkcompile: ", report.text);
    if (!ok && report.error.code)
        return report_error(c, &report.error);
    /* files that do not fit, or passes that change results */
    return ok ? 0 : c->interp ? EXIT_INPUT : EXIT_INTERNAL;
}

static int run(int argc, char **argv)
{
    struct cli c = {.seed = 1};
    int code = parse_options(&c, argc, argv);
    if (code >= 0)
        return code;
    if (c.options.stop_after && c.emit == EMIT_BUNDLE)
        c.emit = EMIT_IR;
    if (c.emit == EMIT_SPIRV && !c.output)
        return complain(EXIT_USAGE, "--emit=spirv writes a file for every kernel: -o FOLDER");
    bool other = c.stats || c.check || c.interp || c.options.explain || c.options.dump_dir;
    if (c.emit == EMIT_BUNDLE && !c.output && !other)
        return complain(EXIT_USAGE, "no file to write the bundle to: -o FILE");
    code = set_target(&c);
    if (code)
        return code;
    c.options.target = &c.profile;
    c.options.want_ir = c.emit == EMIT_IR;
    c.options.want_plan = c.emit == EMIT_PLAN;
    c.options.want_glsl = c.emit == EMIT_GLSL;
    c.options.want_dot = c.emit == EMIT_DOT;
    c.options.no_bundle =
        c.options.want_ir || c.options.want_plan || c.options.want_glsl || c.options.want_dot;
    c.options.no_bundle |= c.options.explain && !c.output && !c.stats;
    if (c.options.no_cache)
        c.options.cache_dir = NULL;
    size_t graph_size = 0, sidecar_size = 0;
    char *graph = read_file(c.input, &graph_size), *sidecar = NULL;
    if (graph && c.sidecar)
        sidecar = read_file(c.sidecar, &sidecar_size);
    code = EXIT_INPUT;
    if (graph && (!c.sidecar || sidecar)) {
        c.options.is_cancelled = signals_is_noted;
        signals_note();
        code = c.check || c.interp ? run_tools(&c, graph, graph_size, sidecar, sidecar_size) : 0;
        if (code == 0 && (c.output || c.emit != EMIT_BUNDLE || c.stats || c.options.explain ||
                          c.options.dump_dir))
            code = run_compile(&c, graph, graph_size, sidecar, sidecar_size);
    }
    free(graph);
    free(sidecar);
    return code;
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == 0)
        code = complain(EXIT_INPUT, "stdout: %s", strerror(errno));
    signals_end();
    return code;
}
