/* getopt_long is not in POSIX, but in the C libraries of GNU, musl, the BSDs and macOS. */
#include "vkrun_options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkrun_print.h"

static const char help[] =
    "vkrun [options] model.vkb [NAME|INDEX=file ...]\n"
    "Runs a bundle. Inputs come from .npy files, or raw bytes from any other file. - is the standard input, for the\n"
    "bundle or for one input, which may be either.\n"
    "\n"
    "  --zeros            inputs that are not given are zeros\n"
    "  --random SEED      inputs that are not given are random: floats in [0, 1), integers in 0..3\n"
    "  --out DIR          write each output to DIR/NAME.npy (or DIR/outN.npy); the folder is made if need be\n"
    "  --repeat N         run N times; donated inputs keep what the last run left in them\n"
    "  --warm-up SECONDS  run for so long after the first run and before the clock starts: a GPU reaches its speed "
    "after\n"
    "                     some 200 ms of work. These are runs like others, for donated inputs and for --loop, too\n"
    "  --seconds SECONDS  repeat for so long, instead of --repeat: the number follows from the runs before\n"
    "  --wait             wait for each repeat before the next, instead of for all at the end\n"
    "  --loop OUT:IN,...  feed outputs back to inputs on each repeat (names or indices)\n"
    "  --times            time every kernel\n"
    "  --counters         print what the runtime did: submissions, allocations, bytes\n"
    "  --json             print results as JSON\n"
    "  --device D         index of the device, or part of its name (default: $VKR_DEVICE, else the best)\n"
    "  --cache DIR        folder of kept pipelines (default: $XDG_CACHE_HOME/vkr; empty: none)\n"
    "  --trusted          the bundle comes from someone who may do anything here: its shaders are "
    "not checked and have no guards\n"
    "  --plain            of kernels with several bodies the last that the device can run, not the first\n"
    "  --validate         use the Khronos validation layer; messages go to stderr\n"
    "  --info             print the signature and the plan; needs no device\n"
    "  --list-devices     print the devices of this machine\n"
    "  --print-profile    print the device's target profile, for vkcompile --target\n"
    "  --version, --help, -h\n"
    "\n"
    "Exit codes: 0 done, 1 bad input, 2 usage, 3 the device cannot run it, 4 internal error.\n";

enum kind { FLAG, TEXT, NUMBER, SECONDS, HELP, VERSION };

static const struct row {
    const char *name;
    enum kind kind;
    size_t at; /* in struct options */
} rows[] = {
#define ROW(name, kind, field)                      \
    {                                               \
        name, kind, offsetof(struct options, field) \
    }
    ROW("zeros", FLAG, zeros),
    ROW("random", NUMBER, seed),
    ROW("out", TEXT, out),
    ROW("repeat", NUMBER, repeat),
    ROW("warm-up", SECONDS, warm_up),
    ROW("seconds", SECONDS, seconds),
    ROW("wait", FLAG, wait),
    ROW("loop", TEXT, loop),
    ROW("times", FLAG, times),
    ROW("counters", FLAG, counters),
    ROW("json", FLAG, json),
    ROW("device", TEXT, device),
    ROW("cache", TEXT, cache),
    ROW("trusted", FLAG, trusted),
    ROW("plain", FLAG, plain),
    ROW("validate", FLAG, validate),
    ROW("info", FLAG, info),
    ROW("list-devices", FLAG, list),
    ROW("print-profile", FLAG, profile),
#undef ROW
    {"help", HELP, 0},
    {"version", VERSION, 0},
};

/* What getopt_long answers for row 0; below are letters. */
enum { NROWS = sizeof rows / sizeof *rows, FIRST_ROW = 256 };

static bool parse_number(const char *text, uint64_t *out)
{
    char *end = NULL;
    if (*text < '0' || *text > '9')
        return false;
    *out = strtoull(text, &end, 0);
    return !*end;
}

/* A decimal number above 0, and of a day at most. */
static bool parse_seconds(const char *text, double *out)
{
    char *end = NULL;
    if (strspn(text, "0123456789.") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return end != text && !*end && *out > 0 && *out <= 86400;
}

static int refuse_option(const char *name, const char *why)
{
    char option[80];
    snprintf(option, sizeof option, "--%.64s", name);
    return complain(EXIT_USAGE, option, why);
}

static int read_row(const struct row *row, struct options *out)
{
    char *field = (char *)out + row->at;
    if (row->kind == FLAG)
        *(bool *)field = true;
    else if (row->kind == TEXT)
        *(const char **)field = optarg;
    else if (row->kind == SECONDS)
        return parse_seconds(optarg, (double *)field)
                   ? EXIT_DONE
                   : refuse_option(row->name, "needs a number of seconds, above 0");
    else if (!parse_number(optarg, (uint64_t *)field) || !out->repeat)
        return refuse_option(row->name, "needs a number");
    out->random |= row->at == offsetof(struct options, seed);
    return EXIT_DONE;
}

/* What getopt_long does not know, or knows otherwise. */
static int refuse(char **argv)
{
    char letter[] = {'-', (char)optopt, '\0'};
    if (optopt >= FIRST_ROW)
        return refuse_option(rows[optopt - FIRST_ROW].name, "takes no value");
    return complain(EXIT_USAGE, optopt ? letter : argv[optind - 1], "is not an option; see --help");
}

/* What is left: the bundle, then inputs. */
static int read_rest(int count, char **rest, struct options *out)
{
    if (count) {
        out->bundle = rest[0];
        out->inputs = rest + 1;
        out->ninputs = count - 1;
    }
    for (int i = 0; i < out->ninputs; i++)
        if (!strchr(out->inputs[i], '='))
            return complain(EXIT_USAGE, out->inputs[i], "is not NAME=file");
    if (!out->bundle && !out->list && !out->profile)
        return complain(EXIT_USAGE, "", "no bundle is given; see --help");
    return EXIT_DONE;
}

int options_read(int argc, char **argv, struct options *out, bool *out_goes_on)
{
    struct option options[NROWS + 1] = {{0}};
    int code = EXIT_DONE, got;
    for (int i = 0; i < NROWS; i++) {
        bool has_value = rows[i].kind != FLAG && rows[i].kind < HELP;
        options[i] = (struct option){rows[i].name, has_value ? required_argument : no_argument,
                                     NULL, FIRST_ROW + i};
    }
    *out = (struct options){.repeat = 1};
    *out_goes_on = false;
    opterr = 0;
    while (!code && (got = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        const struct row *row = got >= FIRST_ROW ? &rows[got - FIRST_ROW] : NULL;
        if (got == 'h' || (row && row->kind == HELP))
            return fputs(help, stdout), EXIT_DONE;
        if (row && row->kind == VERSION)
            return puts("vkrun " VKR_VERSION), EXIT_DONE;
        if (got == ':')
            code = refuse_option(rows[optopt - FIRST_ROW].name, "needs a value");
        else
            code = row ? read_row(row, out) : refuse(argv);
    }
    if (!code)
        code = read_rest(argc - optind, argv + optind, out);
    *out_goes_on = !code;
    return code;
}
