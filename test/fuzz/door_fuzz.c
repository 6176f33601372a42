/* Bundles from anywhere, on a device: mutations of compiled programs, digests mended, go through
   the untrusted door. What it admits runs between buffers with a pattern: none of them may change,
   no input may, and no output may have the pattern, which freed memory has, too. A process that
   dies is a failure; one that takes too long is ended, and counts as endless: a shader's own loops
   are not bounded.

     door_fuzz N SEED GRAPH.json ...     N mutations; a list of cases, as in test/fixtures, is
                                         many graphs
     door_fuzz --one SEED GRAPH.json ... one of them again, in this process
     door_fuzz --ran FILE N SEED GRAPH.json ...
                                         also writes the numbers of those that ran to their end
     door_fuzz --only FILE GRAPH.json ...
                                         those whose numbers are in the file: a shader's own loops
                                         may be endless, and a GPU cannot be stopped */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../runtime/bundle.h"
#include "../front/check.h"
#include "bundle_mutate.h"
#include "import/json.h"
#include "mutate.h"
#include "vkc.h"
#include "vkr.h"

enum {
    MOST_BUNDLES = 4096,
    NCANARIES = 16,
    CANARY_WORDS = 256,
    SECONDS = 20,
    MOST_WORDS = 1 << 16
};
static const uint32_t secret = 0x5ec2e7a5;

/* What the processes share. */
struct progress {
    uint64_t next; /* mutation at hand */
    uint64_t refused, ran, failed_runs, endless;
    char complaint[256]; /* of the mutation at hand */
};

static struct {
    uint8_t *bytes;
    size_t size;
} bundles[MOST_BUNDLES];
static uint32_t nbundles;
static struct progress *progress;
static FILE *ran_list;
static uint64_t *only; /* numbers of mutations, or NULL: all from the seed on */

static uint64_t number_of(uint64_t i)
{
    return only ? only[i] : i;
}

/* ---- the bundles ---- */

static void add_bundle(const char *graph, size_t size, const char *profile)
{
    struct vkc_target target;
    struct vkc_result result;
    if (nbundles == MOST_BUNDLES || !vkc_target_named(profile, &target))
        return;
    const struct vkc_options options = {.target = &target, .no_cache = true, .threads = 1};
    if (vkc_compile(graph, size, NULL, 0, &options, &result)) {
        bundles[nbundles].bytes = malloc(result.bundle_size);
        bundles[nbundles].size = result.bundle_size;
        if (bundles[nbundles].bytes)
            memcpy(bundles[nbundles++].bytes, result.bundle, result.bundle_size);
    }
    vkc_result_free(&result);
}

static void add_graphs(const char *path)
{
    size_t size;
    char error[128], *text = read_file(path, &size);
    struct arena a;
    arena_init(&a, 0);
    const struct json *json = text ? json_parse(&a, text, size, error) : NULL;
    bool is_list = json && json->kind == JSON_LIST;
    for (uint32_t i = 0; json && i < (is_list ? json->count : 1); i++) {
        const struct json *one = is_list ? json_get(&json->items[i], "graph") : json;
        if (one)
            add_bundle(one->source, one->size, i % 2 ? "baseline" : "lavapipe");
    }
    arena_finish(&a);
    free(text);
}

/* ---- one mutation ---- */

static bool complain(const char *what, uint64_t detail)
{
    snprintf(progress->complaint, sizeof progress->complaint, "%s %llu", what,
             (unsigned long long)detail);
    return false;
}

/* Memory that held a secret before. */
static void dirty(vkr_device *device)
{
    uint32_t *words = malloc(4 * MOST_WORDS);
    for (uint32_t i = 0; words && i < MOST_WORDS; i++)
        words[i] = secret;
    for (uint32_t count = 1; words && count <= MOST_WORDS; count *= 4) {
        vkr_buffer buffer = 0;
        if (!vkr_buffer_create(device, words, 4 * (uint64_t)count, &buffer, NULL))
            vkr_buffer_free(device, buffer, NULL);
    }
    free(words);
}

static bool fill(vkr_device *device, uint64_t bytes, uint64_t *random, uint8_t **out_copy,
                 vkr_buffer *out)
{
    uint8_t *data = *out_copy = malloc(bytes + 1);
    for (uint64_t i = 0; data && i < bytes; i++)
        data[i] = (uint8_t)(random_next(random) >> 40 & (i % 4 == 3 ? 0x3f : 0xff));
    return data && !vkr_buffer_create(device, data, bytes, out, NULL);
}

/* Whether the buffer has what it had. */
static bool is_same(vkr_device *device, vkr_buffer buffer, const void *wanted, uint64_t bytes)
{
    uint8_t *now = malloc(bytes + 1);
    bool same =
        now && !vkr_buffer_read(device, buffer, 0, now, bytes, NULL) && !memcmp(now, wanted, bytes);
    free(now);
    return same;
}

static bool has_secret(vkr_device *device, vkr_buffer buffer, uint64_t bytes)
{
    uint8_t *now = malloc(bytes + 1);
    bool found = !now || vkr_buffer_read(device, buffer, 0, now, bytes, NULL);
    for (uint64_t i = 0; !found && i + 4 <= bytes; i += 4)
        found = !memcmp(now + i, &secret, 4);
    free(now);
    return found;
}

static bool answer(void *context, uint32_t callback, const void *const *inputs,
                   const uint64_t *input_bytes, uint32_t ninputs, void *const *outputs,
                   const uint64_t *output_bytes, uint32_t noutputs)
{
    (void)context, (void)callback, (void)inputs, (void)input_bytes, (void)ninputs, (void)outputs,
        (void)output_bytes;
    (void)noutputs;
    return true;
}

/* Steps until the run is over, or for a few seconds: a loop that the host steers may have no
   end. */
static vkr_status run_for(vkr_program *program, const vkr_buffer *in, uint32_t nin, vkr_buffer *out,
                          uint32_t nout)
{
    vkr_call *call = NULL;
    vkr_call_state state = VKR_CALL_AGAIN;
    vkr_status status = vkr_call_begin(program, in, nin, out, nout, &call, NULL);
    time_t start = time(NULL);
    while (!status && state != VKR_CALL_DONE && time(NULL) - start < 3) {
        status = vkr_call_step(call, 100000000, &state, NULL);
        if (state == VKR_CALL_CALLBACK)
            answer(NULL, 0, NULL, NULL, 0, NULL, NULL, 0);
    }
    vkr_call_end(call);
    return status ? status : state == VKR_CALL_DONE ? VKR_OK : VKR_TIMEOUT;
}

static bool run_between(vkr_device *device, vkr_program *program, uint64_t *random)
{
    uint32_t nin = vkr_program_inputs(program), nout = vkr_program_outputs(program);
    vkr_buffer canaries[NCANARIES] = {0}, *in = calloc(nin + 1, sizeof *in),
               *out = calloc(nout + 1, sizeof *out);
    uint8_t **copies = calloc(nin + 1, sizeof *copies);
    bool *is_donated = calloc(nin + 1, sizeof *is_donated), ok = in && out && copies && is_donated;
    uint32_t pattern[CANARY_WORDS];
    vkr_tensor_info info;
    for (uint32_t i = 0; i < CANARY_WORDS; i++)
        pattern[i] = secret;
    for (uint32_t i = 0; ok && i < (nin > NCANARIES ? nin : NCANARIES);
         i++) { /* in turn, so that they are neighbours */
        if (i < NCANARIES)
            ok = !vkr_buffer_create(device, pattern, sizeof pattern >> i % 4, &canaries[i], NULL);
        if (ok && i < nin)
            ok = !vkr_program_input(program, i, &info, NULL) && info.bytes < 1 << 28 &&
                 fill(device, info.bytes, random, &copies[i], &in[i]);
    }
    for (uint32_t i = 0; ok && i < nout; i++)
        if (!vkr_program_output(program, i, &info, NULL) && info.alias >= 0)
            is_donated[info.alias] = true;
    vkr_status status = ok ? run_for(program, in, nin, out, nout) : VKR_OUT_OF_DEVICE_MEMORY;
    vkr_device_wait(device, NULL);
    bool good = true;
    for (uint32_t i = 0; ok && good && i < NCANARIES; i++)
        good = is_same(device, canaries[i], pattern, sizeof pattern >> i % 4) ||
               complain("wrote beside buffer", i);
    for (uint32_t i = 0; ok && good && i < nin; i++)
        if (!is_donated[i] && !vkr_program_input(program, i, &info, NULL))
            good = is_same(device, in[i], copies[i], info.bytes) || complain("changed input", i);
    for (uint32_t i = 0; !status && good && i < nout; i++)
        if (!vkr_program_output(program, i, &info, NULL))
            good = !has_secret(device, out[i], info.bytes) ||
                   complain("read what is others' into output", i);
    progress->ran += !status;
    progress->failed_runs += status != VKR_OK;
    for (uint32_t i = 0; i < NCANARIES; i++)
        vkr_buffer_free(device, canaries[i], NULL);
    for (uint32_t i = 0; i < nout; i++)
        vkr_buffer_free(device, out[i], NULL);
    for (uint32_t i = 0; i < nin; i++) {
        vkr_buffer_free(device, in[i], NULL);
        free(copies[i]);
    }
    free(in), free(out), free(copies), free(is_donated);
    return good;
}

static bool try_one(vkr_device *device, uint64_t seed)
{
    uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 4; i++)
        random_next(&random);
    size_t which = random_below(&random, nbundles), size = bundles[which].size;
    uint8_t *copy = malloc(size);
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    if (!copy)
        return complain("out of memory", 0);
    memcpy(copy, bundles[which].bytes, size);
    bundle_mutate(copy, size, &random);
    dirty(device);
    vkr_status status = vkr_program_load(device, copy, size, &program, &err);
    bool good = true;
    free(copy);
    if (getenv("VERBOSE"))
        printf("bundle %zu: %s %s\n", which, vkr_status_name(status), err.message);
    if (status) {
        progress->refused++;
        good =
            err.message[0] != '\0' && (status == VKR_INVALID_BUNDLE || status == VKR_UNSUPPORTED ||
                                       status == VKR_OUT_OF_DEVICE_MEMORY);
        return good || complain(vkr_status_name(status), 0);
    }
    dirty(device);
    good = run_between(device, program, &random);
    vkr_program_unload(program);
    return good;
}

/* ---- processes ---- */

static vkr_device *open_device(void)
{
    vkr_device *device = NULL;
    const vkr_device_options options = {.pipeline_cache = "", .memory_budget = 1u << 30};
    return vkr_device_open(&options, &device, NULL) ? NULL : device;
}

/* From the mutation at hand to the last, or to the first that fails. */
static int work(uint64_t end)
{
    vkr_device *device = open_device();
    if (!device)
        return 77;
    for (; progress->next < end; progress->next++) {
        uint64_t ran = progress->ran;
        progress->complaint[0] = '\0';
        if (!try_one(device, number_of(progress->next)))
            return 1;
        if (ran_list && progress->ran > ran) {
            fprintf(ran_list, "%llu\n", (unsigned long long)number_of(progress->next));
            fflush(ran_list);
        }
    }
    vkr_device_close(device);
    return 0;
}

/* *Returns* the worker's status as of waitpid, -1 if it was ended for taking too long over one
   mutation. */
static int watch(pid_t worker)
{
    uint64_t last = UINT64_MAX;
    time_t since = time(NULL);
    for (int status;;) {
        const struct timespec pause = {0, 20000000};
        if (waitpid(worker, &status, WNOHANG) == worker)
            return status;
        if (progress->next != last)
            last = progress->next, since = time(NULL);
        if (time(NULL) - since > SECONDS) {
            kill(worker, SIGKILL);
            waitpid(worker, &status, 0);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
}

static uint64_t read_numbers(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "r");
    uint64_t count = 0;
    unsigned long long number;
    only = calloc(MOST, sizeof *only);
    while (file && only && count < MOST && fscanf(file, "%llu", &number) == 1)
        only[count++] = number;
    if (file)
        fclose(file);
    return count;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--ran")) {
        ran_list = fopen(argv[2], "w");
        argc -= 2, argv += 2;
    }
    bool is_one = argc > 1 && !strcmp(argv[1], "--one");
    uint64_t count = argc > 1 && !is_one ? strtoull(argv[1], NULL, 0) : 0,
             seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    if (argc > 2 && !strcmp(argv[1], "--only"))
        count = read_numbers(argv[2]), seed = 0;
    struct check check = {0};
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 3; i < argc; i++)
        add_graphs(argv[i]);
    if (progress == MAP_FAILED || !nbundles) {
        printf("no bundles to begin with\n");
        return 1;
    }
    progress->next = seed;
    if (is_one) {
        setenv("VERBOSE", "1", 1);
        int status = work(seed + 1);
        printf("%s\n", status ? progress->complaint : "held");
        return status;
    }
    while (progress->next < seed + count) {
        fflush(stdout);
        pid_t worker = fork();
        if (worker == 0)
            _exit(work(seed + count));
        int status = worker < 0 ? 1 << 8 : watch(worker);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
            printf("no device\n0 passed, 0 failed, 1 skipped\n");
            return 77;
        }
        if (status == 0)
            break;
        if (status == -1)
            progress->endless++;
        else
            check_that(&check, false, "mutation %llu: %s%s",
                       (unsigned long long)number_of(progress->next), progress->complaint,
                       WIFSIGNALED(status) ? " killed by a signal" : "");
        progress->next++;
    }
    printf(
        "%llu mutations of %u bundles: %llu refused, %llu ran, %llu did not end in time, %llu ended with an error\n",
        (unsigned long long)count, nbundles, (unsigned long long)progress->refused,
        (unsigned long long)progress->ran, (unsigned long long)progress->endless,
        (unsigned long long)progress->failed_runs);
    check_that(&check, progress->ran > 0 && (only || progress->refused > 0),
               "all were refused, or none");
    return check_finish(&check);
}
