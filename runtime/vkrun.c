/* vkrun: runs a bundle on a Vulkan device, with .npy or raw files as inputs. Command line only;
   what it does is in libvkr. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "npy.h"
#include "vkrun_info.h"
#include "vkrun_options.h"

#define NO_INPUT UINT32_MAX /* of an output that is fed back to none */

/* Everything that lives from open to close. */
struct session {
    struct options options;
    struct file file;
    struct vkr_device *device;
    struct vkr_program *program;
    vkr_tensor_info *in, *out;
    vkr_buffer *inputs, *outputs;
    uint32_t nin, nout;
    uint32_t *feed;       /* by output: the input that it is for on the next run, or NO_INPUT */
    uint64_t runs, timed; /* so far; and those that are timed, which come last */
    double open_s, load_s, first_s, run_s; /* run_s: one of the timed */
    vkr_kernel_time *before;               /* times of the kernels before the timed runs, or NULL */
    uint32_t nbefore;
    uint64_t validation_messages;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- inputs ---- */

/* The tensor named by "NAME" or "INDEX", of length n; count if there is none. */
static uint32_t find_tensor(const vkr_tensor_info *tensors, uint32_t count, const char *name,
                            size_t n)
{
    for (uint32_t i = 0; i < count; i++)
        if (tensors[i].name[0] && strlen(tensors[i].name) == n && !memcmp(tensors[i].name, name, n))
            return i;
    char *end;
    unsigned long index = n && name[0] >= '0' && name[0] <= '9' ? strtoul(name, &end, 10) : count;
    return index < count && (size_t)(end - name) == n ? (uint32_t)index : count;
}

static int upload_file(struct session *s, uint32_t index, const char *path)
{
    struct file file;
    const void *data = NULL;
    vkr_error err = {0};
    int code = read_tensor(path, &s->in[index], index, &file, &data);
    if (!code && s->inputs[index])
        code = complain(EXIT_INPUT, path, "the input is given twice");
    else if (!code &&
             vkr_buffer_create(s->device, data, s->in[index].bytes, &s->inputs[index], &err))
        code = complain_status(err.status, &err);
    free(file.bytes);
    return code;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int upload_random(struct session *s, uint32_t index, uint64_t *state)
{
    const vkr_tensor_info *t = &s->in[index];
    uint32_t element = npy_element_bytes(t->type);
    vkr_error err = {0};
    uint8_t *data = calloc(1, t->bytes ? (size_t)t->bytes : 1);
    if (!data || !element) {
        free(data);
        return complain(EXIT_INPUT, t->type,
                        data ? "there are no random values of this type" : "out of memory");
    }
    bool is_float = t->type[0] == 'f' || t->type[0] == 'b' || t->type[0] == 'c';
    for (uint64_t i = 0; i < t->bytes / element; i++) {
        uint64_t bits = next_random(state);
        npy_set(t->type, data, i,
                is_float && element > 1 ? (double)(bits >> 40) * 0x1p-24 : (double)(bits >> 62));
    }
    vkr_status status = vkr_buffer_create(s->device, data, t->bytes, &s->inputs[index], &err);
    free(data);
    return status ? complain_status(status, &err) : EXIT_DONE;
}

static int make_inputs(struct session *s)
{
    uint64_t state = s->options.seed;
    vkr_error err = {0};
    int code = EXIT_DONE;
    for (int i = 0; !code && i < s->options.ninputs; i++) {
        const char *text = s->options.inputs[i], *equals = strchr(text, '=');
        uint32_t index = find_tensor(s->in, s->nin, text, (size_t)(equals - text));
        code = index < s->nin ? upload_file(s, index, equals + 1)
                              : complain(EXIT_USAGE, text, "the program has no such input");
    }
    for (uint32_t i = 0; !code && i < s->nin; i++) {
        if (s->inputs[i])
            continue;
        if (s->options.random)
            code = upload_random(s, i, &state);
        else if (s->options.zeros)
            code = vkr_buffer_alloc(s->device, s->in[i].bytes, &s->inputs[i], &err)
                       ? complain_status(err.status, &err)
                       : EXIT_DONE;
        else if (s->in[i].used)
            code = complain_missing(&s->in[i], i);
    }
    return code;
}

/* ---- running ---- */

/* Hands output k to input i for the next run; what the input held becomes the output's next
   buffer. */
static void feed_back(struct session *s, uint32_t k, uint32_t i)
{
    vkr_buffer old = s->inputs[i];
    if (s->outputs[k] == old)
        return;
    s->inputs[i] = s->outputs[k];
    s->outputs[k] = s->out[k].alias < 0 ? old : 0;
    if (!s->outputs[k] && old)
        vkr_buffer_free(s->device, old, NULL);
}

static int check_loop(const struct session *s, const char *text, uint32_t *out_feed)
{
    while (text && *text) {
        const char *colon = strchr(text, ':'), *end = strchr(text, ',');
        if (!end)
            end = text + strlen(text);
        if (!colon || colon > end)
            return complain(EXIT_USAGE, text, "--loop takes OUT:IN,...");
        uint32_t k = find_tensor(s->out, s->nout, text, (size_t)(colon - text));
        uint32_t i = find_tensor(s->in, s->nin, colon + 1, (size_t)(end - colon - 1));
        if (k == s->nout || i == s->nin || s->out[k].bytes != s->in[i].bytes)
            return complain(EXIT_USAGE, text,
                            "--loop: no such output or input, or their sizes differ");
        if (s->out[k].alias >= 0 && (uint32_t)s->out[k].alias != i)
            return complain(EXIT_USAGE, text, "--loop: that output takes over another input");
        out_feed[k] = i;
        text = *end ? end + 1 : end;
    }
    return EXIT_DONE;
}

static vkr_status run_once(struct session *s, vkr_error *err)
{
    for (uint32_t k = 0; s->runs && k < s->nout; k++)
        if (s->feed[k] != NO_INPUT)
            feed_back(s, k, s->feed[k]);
    s->runs++;
    return vkr_run(s->program, s->inputs, s->nin, s->outputs, s->nout, NULL, err);
}

/* *out_seconds: of all, with the wait at their end. */
static vkr_status run_many(struct session *s, uint64_t count, double *out_seconds, vkr_error *err)
{
    double start = now();
    vkr_status status = VKR_OK;
    for (uint64_t i = 0; !status && i < count; i++) {
        status = run_once(s, err);
        if (!status && s->options.wait)
            status = vkr_device_wait(s->device, err);
    }
    if (!status)
        status = vkr_device_wait(s->device, err);
    *out_seconds = now() - start;
    return status;
}

/* How many runs take so many seconds, one at least. */
static uint64_t runs_in(double seconds, double run)
{
    double count = run > 0 ? seconds / run : 1e9;
    return count < 1 ? 1 : count > 1e9 ? 1000000000 : (uint64_t)count;
}

/* Batches until the time is over, each twice as long as the one before, but not past the end. The
   pace of the last is that of a device at its speed. *out_run: seconds of one. */
static vkr_status warm_up(struct session *s, double seconds, double *out_run, vkr_error *err)
{
    double end = now() + seconds, took = 0;
    vkr_status status = VKR_OK;
    uint64_t last = 1;
    for (double left = seconds; !status && left > 0; left = end - now()) {
        uint64_t count = runs_in(left, *out_run);
        last = count < last * 2 ? count : last * 2;
        status = run_many(s, last, &took, err);
        *out_run = took / (double)last;
    }
    return status;
}

/* What the kernels took until now. *Owns*: the caller, also after a failure; NULL if there is no
   memory. */
static vkr_status read_times(const struct session *s, vkr_kernel_time **out, uint32_t *out_count,
                             vkr_error *err)
{
    vkr_status status = vkr_program_times(s->program, NULL, 0, out_count, err);
    *out = status ? NULL : calloc(*out_count + 1, sizeof **out);
    return *out ? vkr_program_times(s->program, *out, *out_count, out_count, err) : status;
}

/* The first run, those that warm up, and those that are timed. */
static vkr_status run_phases(struct session *s, vkr_error *err)
{
    const struct options *o = &s->options;
    bool is_timed = o->warm_up > 0 || o->seconds > 0;
    vkr_status status = run_many(s, 1, &s->first_s, err);
    double run = s->first_s, took = 0;
    s->timed = o->repeat - !is_timed;
    if (!status && is_timed)
        status = warm_up(s, o->warm_up > 0 ? o->warm_up : o->seconds / 4, &run, err);
    if (!status && is_timed && o->times)
        status = read_times(s, &s->before, &s->nbefore, err);
    if (o->seconds > 0)
        s->timed = runs_in(o->seconds, run);
    if (!status && s->timed)
        status = run_many(s, s->timed, &took, err);
    s->run_s = s->timed ? took / (double)s->timed : 0;
    return status;
}

static int run_all(struct session *s)
{
    vkr_error err = {0};
    s->feed = malloc((s->nout + 1) * sizeof *s->feed);
    if (!s->feed)
        return complain(EXIT_INTERNAL, "", "out of memory");
    for (uint32_t k = 0; k < s->nout; k++)
        s->feed[k] = NO_INPUT;
    int code = check_loop(s, s->options.loop, s->feed);
    if (!code && run_phases(s, &err))
        code = complain_status(err.status, &err);
    return code;
}

/* ---- results ---- */

static void print_output(const vkr_tensor_info *t, uint32_t index, const void *data, bool json)
{
    uint64_t element = npy_element_bytes(t->type), count = element ? t->bytes / element : 0;
    if (json) {
        printf("%s{\"name\":\"%s\",\"type\":\"%s\",\"bytes\":%" PRIu64 ",\"dims\":[",
               index ? "," : "", t->name, t->type, t->bytes);
        for (uint32_t i = 0; i < t->rank; i++)
            printf(i ? ",%" PRIu64 : "%" PRIu64, t->dims[i]);
        printf("]}");
        return;
    }
    printf("out %u  %s  ", index, t->name);
    print_shape(t->type, t->rank, t->dims);
    for (uint64_t i = 0; i < count && i < 8; i++)
        printf("%s%.9g", i ? " " : "  ", npy_get(t->type, data, i));
    printf(count > 8 ? " ...\n" : "\n");
}

static int show_outputs(const struct session *s)
{
    vkr_error err = {0};
    int code = EXIT_DONE;
    for (uint32_t k = 0; !code && k < s->nout; k++) {
        void *data = malloc(s->out[k].bytes ? (size_t)s->out[k].bytes : 1);
        if (!data)
            return complain(EXIT_INTERNAL, "", "out of memory");
        if (vkr_buffer_read(s->device, s->outputs[k], 0, data, s->out[k].bytes, &err))
            code = complain_status(err.status, &err);
        if (!code && s->options.out)
            code = save_tensor(s->options.out, &s->out[k], k, data);
        if (!code)
            print_output(&s->out[k], k, data, s->options.json);
        free(data);
    }
    return code;
}

static int by_seconds(const void *a, const void *b)
{
    double x = ((const vkr_kernel_time *)a)->seconds, y = ((const vkr_kernel_time *)b)->seconds;
    return (x < y) - (x > y);
}

static int show_times(const struct session *s)
{
    uint32_t count = 0;
    vkr_error err = {0};
    vkr_kernel_time *times = NULL;
    if (read_times(s, &times, &count, &err)) {
        free(times);
        return complain_status(err.status, &err);
    }
    if (!times)
        return complain(EXIT_INTERNAL, "", "out of memory");
    for (uint32_t i = 0; i < count && i < s->nbefore; i++) {
        times[i].runs -= s->before[i].runs;
        times[i].seconds -= s->before[i].seconds;
    }
    qsort(times, count, sizeof *times, by_seconds);
    if (!s->options.json)
        printf("%-8s %8s %12s %10s %10s %10s  %s\n", "kernel", "runs", "total ms", "us each",
               "GB/s", "GFLOP/s", "what");
    for (uint32_t i = 0; i < count; i++) {
        const vkr_kernel_time *t = &times[i];
        double each = t->runs ? t->seconds / (double)t->runs : 0, rate = each > 0 ? 1e-9 / each : 0;
        if (s->options.json)
            printf("%s{\"name\":\"%s\",\"label\":\"%s\",\"runs\":%" PRIu64
                   ",\"seconds\":%.9g,\"bytes\":%" PRIu64 ",\"flops\":%" PRIu64 "}",
                   i ? "," : "", t->name, t->label, t->runs, t->seconds, t->bytes, t->flops);
        else
            printf("%-8s %8" PRIu64 " %12.3f %10.2f %10.2f %10.2f  %s\n", t->name, t->runs,
                   t->seconds * 1e3, each * 1e6, (double)t->bytes * rate, (double)t->flops * rate,
                   t->label);
    }
    free(times);
    return EXIT_DONE;
}

static void show_counters(const struct session *s)
{
    vkr_counters c;
    vkr_device_counters(s->device, &c);
#define ROW(field)      \
    {                   \
#field, c.field \
    }
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {ROW(submits),
                ROW(dispatches),
                ROW(recordings),
                ROW(waits),
                ROW(device_allocations),
                ROW(descriptor_allocations),
                ROW(descriptor_updates),
                ROW(bytes_uploaded),
                ROW(bytes_downloaded),
                ROW(live_buffers),
                ROW(live_bytes),
                ROW(pool_bytes),
                ROW(programs),
                ROW(pipelines),
                ROW(pipeline_cache_hits)};
#undef ROW
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf(s->options.json ? "%s\"%s\":%" PRIu64 : "%s%-22s %" PRIu64 "\n",
               i && s->options.json ? "," : "", rows[i].name, rows[i].value);
}

static int show_results(const struct session *s)
{
    vkr_device_info info;
    int code;
    vkr_device_get_info(s->device, &info);
    if (s->options.json)
        printf("{\"device\":\"%s\",\"runs\":%" PRIu64
               ",\"open_seconds\":%.9g,\"load_seconds\":%.9g,\"first_seconds\":%.9g,"
               "\"timed_runs\":%" PRIu64 ",\"seconds_per_run\":%.9g,\"outputs\":[",
               info.name, s->runs, s->open_s, s->load_s, s->first_s, s->timed, s->run_s);
    code = show_outputs(s);
    if (s->options.json)
        printf("]");
    else
        printf("%s: open %.1f ms, load %.1f ms, first run %.1f us", info.name, s->open_s * 1e3,
               s->load_s * 1e3, s->first_s * 1e6);
    if (!s->options.json && s->timed)
        printf(", then %.2f us each", s->run_s * 1e6);
    if (!s->options.json)
        printf("\n");
    if (!code && s->options.times) {
        printf(s->options.json ? ",\"kernels\":[" : "");
        code = show_times(s);
        printf(s->options.json ? "]" : "");
    }
    if (!code && s->options.counters) {
        printf(s->options.json ? ",\"counters\":{" : "");
        show_counters(s);
        printf(s->options.json ? "}" : "");
    }
    if (s->options.json)
        printf("}\n");
    return code;
}

/* ---- session ---- */

static void on_log(void *context, int severity, const char *message)
{
    struct session *s = context;
    s->validation_messages += severity < 2;
    fprintf(stderr, "vkrun: %s\n", message);
}

static int open_device(struct session *s)
{
    vkr_error err = {0};
    vkr_device_options options = {
        .device = s->options.device,
        .pipeline_cache = s->options.cache,
        .validate = s->options.validate,
        .profile = s->options.times,
        .log = on_log,
        .log_context = s,
    };
    double start = now();
    vkr_status status = vkr_device_open(&options, &s->device, &err);
    s->open_s = now() - start;
    return status ? complain_status(status, &err) : EXIT_DONE;
}

static int load_program(struct session *s)
{
    vkr_error err = {0};
    vkr_load_options options = {.trusted = s->options.trusted, .plain = s->options.plain};
    double start = now();
    vkr_status status =
        vkr_program_load_with(s->device, s->file.bytes, s->file.size, &options, &s->program, &err);
    s->load_s = now() - start;
    if (status)
        return complain_status(status, &err);
    s->nin = vkr_program_inputs(s->program);
    s->nout = vkr_program_outputs(s->program);
    s->in = calloc(s->nin + 1, sizeof *s->in);
    s->out = calloc(s->nout + 1, sizeof *s->out);
    s->inputs = calloc(s->nin + 1, sizeof *s->inputs);
    s->outputs = calloc(s->nout + 1, sizeof *s->outputs);
    if (!s->in || !s->out || !s->inputs || !s->outputs)
        return complain(EXIT_INTERNAL, "", "out of memory");
    for (uint32_t i = 0; i < s->nin; i++)
        vkr_program_input(s->program, i, &s->in[i], NULL);
    for (uint32_t i = 0; i < s->nout; i++)
        vkr_program_output(s->program, i, &s->out[i], NULL);
    return EXIT_DONE;
}

static int run_session(struct session *s)
{
    int code = EXIT_DONE;
    if (s->options.list)
        return list_devices(s->options.json);
    if (s->options.bundle)
        code = read_file(s->options.bundle, &s->file);
    if (!code && s->options.info)
        return print_info(&s->file);
    if (!code && s->options.out)
        code = make_folder(s->options.out);
    if (!code)
        code = open_device(s);
    if (code)
        return code;
    if (s->options.profile) {
        vkr_device_info info;
        vkr_device_get_info(s->device, &info);
        return print_profile(&info);
    }
    code = load_program(s);
    if (!code)
        code = make_inputs(s);
    if (!code)
        code = run_all(s);
    if (!code)
        code = show_results(s);
    return code || !s->options.validate || !s->validation_messages ? code : EXIT_INTERNAL;
}

static void close_session(struct session *s)
{
    vkr_program_unload(s->program);
    vkr_device_close(s->device);
    free(s->in);
    free(s->out);
    free(s->inputs);
    free(s->outputs);
    free(s->feed);
    free(s->before);
    free(s->file.bytes);
}

int main(int argc, char **argv)
{
    struct session s = {0};
    bool goes_on = false;
    int code = options_read(argc, argv, &s.options, &goes_on);
    if (goes_on)
        code = run_session(&s);
    close_session(&s);
    if ((fflush(stdout) || ferror(stdout)) && !code)
        code = complain(EXIT_INPUT, "the standard output cannot be written", strerror(errno));
    return code;
}
