/* The vkrun tool from outside: inputs, outputs, options and exit codes. $VKRUN, or the vkrun
   beside this program. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../runtime/npy.h"
#include "builder.h"
#include "harness.h"

static char folder[256], vkrun[512], said[1 << 16];

/* Runs vkrun in the folder; what it said is in `said`. *Returns* the exit code. */
static int call(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd %s && %s --cache '' %s 2>&1", folder, vkrun, arguments);
    FILE *pipe = popen(command, "r");
    size_t n = pipe ? fread(said, 1, sizeof said - 1, pipe) : 0;
    said[n] = '\0';
    int status = pipe ? pclose(pipe) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CALL(arguments, code, text)                                                               \
    do {                                                                                          \
        int code_ = call(arguments);                                                              \
        CHECK(code_ == (code) && strstr(said, text), "vkrun %s: %d: %s", arguments, code_, said); \
    } while (0)

static FILE *create(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        exit(harness_skip("no place for files"));
    return file;
}

static void write_bundle(const char *name, void *bundle, size_t size)
{
    FILE *file = create(name);
    CHECK(fwrite(bundle, size, 1, file) == 1, "%s", name);
    fclose(file);
    free(bundle);
}

static void write_floats(const char *name, const char *type, uint64_t count, float first)
{
    float data[64];
    FILE *file = create(name);
    for (int i = 0; i < 64; i++)
        data[i] = first + (float)i;
    CHECK(npy_write(file, type, 1, &count, data, count * sizeof *data), "%s", name);
    fclose(file);
}

static bool output_holds(const char *name, float first, float step)
{
    char path[512], error[200];
    uint8_t bytes[4096];
    struct npy a;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    if (!npy_read(bytes, n, &a, error, sizeof error) || a.bytes != 64 * sizeof(float))
        return false;
    for (uint32_t i = 0; i < 64; i++) {
        double got = npy_get("f32", a.data, i), want = (double)(first + step * (float)i);
        if (got < want || got > want)
            return false;
    }
    return true;
}

static void test_runs(void)
{
    CALL("add.vkb a=a.npy 1=b.npy --out .", 0, "out 0  sum  f32[64]  11 13 15");
    CHECK(output_holds("sum.npy", 11, 2), "sum.npy");
    CALL("add.vkb a=a.npy b=raw.bin --out .", 0, "first run");
    CHECK(output_holds("sum.npy", 2, 2), "a raw file");
    CALL("accumulate.vkb --zeros y=b.npy --out . --repeat 5", 0, "then");
    CHECK(output_holds("x.npy", 50, 5), "a donated input goes on");
    CALL("add.vkb --zeros b=a.npy --out . --repeat 4 --loop sum:a", 0, "sum");
    CHECK(output_holds("sum.npy", 4, 4), "an output fed back");
    CALL("add.vkb --random 1 --times", 0, "GFLOP/s");
    CALL("add.vkb --zeros --counters", 0, "pipeline_cache_hits");
    CALL("add.vkb --zeros --json --times --counters", 0, "\"kernels\":[{\"name\":\"add\"");
    CALL("count.vkb --random 7", 0, "u32[1]");
    CALL("- --zeros < add.vkb", 0, "out 0  sum  f32[64]");
    CALL("add.vkb a=- b=b.npy < a.npy", 0, "out 0  sum  f32[64]  11 13 15");
    CALL("add.vkb a=a.npy b=- < raw.bin", 0, "out 0  sum  f32[64]  2 4 6");
    CALL("/dev/stdin a=a.npy --zeros < add.vkb", 0, "out 0  sum  f32[64]  1 2 3");
    CALL("add.vkb a=a.npy b=- --out made/for/results < raw.bin", 0, "out 0  sum");
    CHECK(output_holds("made/for/results/sum.npy", 2, 2), "a folder that was not there");
    CALL("--print-profile", 0, "max_binding_bytes = ");
    CALL("--list-devices --json", 0, "[{\"index\":0");
}

/* A number that JSON has after a key; -1 if it has none. */
static double number(const char *key)
{
    const char *at = strstr(said, key);
    return at ? atof(at + strlen(key)) : -1;
}

/* How long it repeats, and which runs count. That each second of them was run is not asked of a
   machine that may be busy; that there is more than one is. */
static void test_durations(void)
{
    CALL("add.vkb --zeros --json --repeat 5", 0, "\"runs\":5,");
    CHECK(number("\"timed_runs\":") == 4, "%s", said);
    CALL("add.vkb --zeros --json", 0, "\"timed_runs\":0,\"seconds_per_run\":0,");
    CALL("add.vkb --zeros --json --times --warm-up 0.05 --repeat 3", 0, "\"timed_runs\":3,");
    CHECK(number("\"runs\":") > 4, "some runs warm up: %s", said);
    CHECK(number("\"add\",\"runs\":") == 3, "kernel times are those of the timed runs: %s", said);
    CALL("add.vkb --zeros --json --times --seconds .1 --wait", 0, "timed_runs");
    double timed = number("\"timed_runs\":");
    CHECK(timed > 1 && number("\"add\",\"runs\":") == timed, "%s", said);
    CALL("accumulate.vkb --zeros y=b.npy --json --out . --warm-up 0.02 --seconds 0.02", 0, "runs");
    double runs = number("\"runs\":");
    CHECK(output_holds("x.npy", (float)(10 * runs), (float)runs), "all runs go on with x: %s",
          said);
    CALL("add.vkb --zeros b=a.npy --json --out . --warm-up .02 --repeat 2 --loop sum:a", 0, "runs");
    runs = number("\"runs\":");
    CHECK(runs > 3 && output_holds("sum.npy", (float)runs, (float)runs), "all runs loop: %s", said);
    CALL("add.vkb --zeros --warm-up 0.01", 0, " us each");
}

/* What $VKR_DEBUG shows. */
static void test_debug(void)
{
    setenv("VKR_DEBUG", "help", 1);
    CALL("add.vkb --zeros", 0, "vkr: VKR_DEBUG=sync     submit step by step");
    setenv("VKR_DEBUG", "trace,time", 1);
    CALL("add.vkb --zeros --trusted --repeat 3", 0, "vkr: load add for ");
    CHECK(strstr(said, "vkr: run add: 1 submits, 1 dispatches, 1 recordings,") &&
              strstr(said, "vkr: time add add: 3 runs, ") &&
              strstr(said, "vkr: unload add after 3 submissions"),
          "%s", said);
    setenv("VKR_DEBUG", "sync,trace", 1);
    CALL("count.vkb --zeros --trusted", 0, "vkr: step count less: ");
    CHECK(strstr(said, "vkr: step count copy: ") && strstr(said, "vkr: run count: 3 submits"), "%s",
          said);
    setenv("VKR_DEBUG", "labels", 1);
    CALL("add.vkb a=a.npy b=b.npy", 0, "out 0  sum  f32[64]  11 13 15");
    setenv("VKR_DEBUG", "trace,tracing", 1);
    CALL(
        "add.vkb --zeros", 1,
        "VKR_DEBUG: unknown word 'tracing'; the words are help, trace, time, validate, sync, labels");
    unsetenv("VKR_DEBUG");
    CALL("count.vkb --zeros", 0, "u32[1]");
    CHECK(!strstr(said, "vkr:"), "%s", said);
}

static void test_without_device(void)
{
    CALL("--help", 0, "Exit codes: 0 done");
    CALL("-h", 0, "Exit codes: 0 done");
    CALL("--version", 0, "vkrun ");
    CALL("count.vkb --info", 0, "while    steps 2+1, 3+1 r:arena@0");
    CALL("", 2, "no bundle");
    CALL("--bogus", 2, "--bogus: is not an option");
    CALL("-x", 2, "-x: is not an option");
    CALL("add.vkb --repeat x", 2, "--repeat: needs a number");
    CALL("add.vkb --repeat=0", 2, "--repeat: needs a number");
    CALL("add.vkb --seconds 0", 2, "--seconds: needs a number of seconds, above 0");
    CALL("add.vkb --seconds -1", 2, "--seconds: needs a number of seconds");
    CALL("add.vkb --seconds 86401", 2, "--seconds: needs a number of seconds");
    CALL("add.vkb --warm-up=nan", 2, "--warm-up: needs a number of seconds");
    CALL("add.vkb --warm-up=1.2.3", 2, "--warm-up: needs a number of seconds");
    CALL("add.vkb --warm-up=.", 2, "--warm-up: needs a number of seconds");
    CALL("add.vkb --warm-up", 2, "--warm-up: needs a value");
    CALL("add.vkb --wait=1", 2, "--wait: takes no value");
    CALL("add.vkb --out", 2, "--out: needs a value");
    CALL("add.vkb --zeros=1", 2, "--zeros: takes no value");
    CALL("--info -- count.vkb", 0, "while    steps 2+1, 3+1 r:arena@0");
    CALL("-- --info", 1, "--info: cannot be read");
    CALL("add.vkb extra", 2, "is not NAME=file");
    CALL("none.vkb", 1, "none.vkb: cannot be read: No such file");
    CALL(". --info", 1, "cannot be read: Is a directory");
    CALL("- --info < /dev/null", 1, "0 bytes");
    if (!access("/dev/full", W_OK)) {
        CALL("--help > /dev/full", 1, "");
        CALL("add.vkb --info > /dev/full", 1, "");
    }
    CALL("a.npy --info", 1, "magic");
    CALL("add.vkb --zeros --device nothing", 3, "no Vulkan device");
}

static void test_bad_inputs(void)
{
    CALL("add.vkb a=a.npy", 2, "input 1 (b), f32[64]: is not given");
    CALL("add.vkb c=a.npy", 2, "no such input");
    CALL("add.vkb a=a.npy a=b.npy --zeros", 1, "twice");
    CALL("add.vkb a=short.npy --zeros", 1,
         "short.npy: holds <f4[63], input 0 (a) is f32[64]: another shape");
    CALL("add.vkb a=ints.npy --zeros", 1,
         "ints.npy: holds <i4[64], input 0 (a) is f32[64]: another type");
    CALL("add.vkb a=a.npz --zeros", 1, "a.npz: is an archive of arrays; unzip it");
    CALL("add.vkb a=- --zeros < short.npy", 1, "-: holds <f4[63]");
    CALL("add.vkb a=add.vkb --zeros", 1, "bytes, input 0 (a) is f32[64]: 256 bytes");
    CALL("add.vkb a=none.npy --zeros", 1, "none.npy: cannot be read: No such file");
    CALL("add.vkb --zeros --device 4294967295", 3,
         "no Vulkan device has the index \"4294967295\"; there are: 0: ");
    CALL("add.vkb --zeros --loop sum:z", 2, "--loop");
    CALL("add.vkb --zeros --out a.npy/such", 1, "the folder cannot be made: a.npy");
    CHECK(!strstr(said, "first run"), "a folder that cannot be made is refused before the run");
    CALL("add.vkb --zeros --out taken", 1, "taken/sum.npy: cannot be written: Is a directory");
}

int main(int argc, char **argv)
{
    const char *base = getenv("TMPDIR"), *tool = getenv("VKRUN"), *slash = strrchr(argv[0], '/');
    char here[256], command[512];
    size_t size;
    void *bundle;
    (void)argc;
    if (tool)
        snprintf(vkrun, sizeof vkrun, "%s", tool);
    else if (argv[0][0] == '/')
        snprintf(vkrun, sizeof vkrun, "%.*s/vkrun", (int)(slash - argv[0]), argv[0]);
    else if (slash && getcwd(here, sizeof here))
        snprintf(vkrun, sizeof vkrun, "%s/%.*s/vkrun", here, (int)(slash - argv[0]), argv[0]);
    snprintf(folder, sizeof folder, "%.200s/vkrun_XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        return harness_skip("no place for files");
    bundle = builder_add(64, &size);
    write_bundle("add.vkb", bundle, size);
    bundle = builder_accumulate(64, &size);
    write_bundle("accumulate.vkb", bundle, size);
    bundle = builder_count(&size);
    write_bundle("count.vkb", bundle, size);
    write_floats("a.npy", "<f4", 64, 1);
    write_floats("a.npz", "<f4", 64, 1);
    write_floats("b.npy", "<f4", 64, 10);
    write_floats("short.npy", "<f4", 63, 0);
    write_floats("ints.npy", "<i4", 64, 0);
    snprintf(command, sizeof command, "mkdir -p %s/taken/sum.npy", folder);
    CHECK(!system(command), "%s", command);
    FILE *raw = create("raw.bin");
    for (int i = 0; i < 64; i++) {
        float value = 1 + (float)i;
        fwrite(&value, sizeof value, 1, raw);
    }
    fclose(raw);
    RUN(test_without_device());
    if (call("--print-profile") == 3) {
        harness_skipped++;
    } else {
        RUN(test_runs());
        RUN(test_durations());
        RUN(test_debug());
        RUN(test_bad_inputs());
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(!system(command), "%s", command);
    return harness_report();
}
