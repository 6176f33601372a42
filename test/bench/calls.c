/* calls SECONDS bundle ...: what a warm call costs from C, with its wait. For each bundle a line of
   JSON: the median in microseconds with the same outputs in every call, and with new ones, which
   are freed 32 calls later, as a garbage collector would; those that are donated keep their
   buffers. Inputs are zeros. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../runtime/vkr.h"

enum { KEPT = 32, MOST = 1 << 20 };

struct job {
    vkr_device *device;
    vkr_program *program;
    uint32_t nin, nout;
    vkr_buffer *in, *out; /* KEPT times nout */
    int32_t *alias;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool call(const struct job *j, long i, bool is_new)
{
    vkr_buffer *out = j->out + (is_new ? i % KEPT * j->nout : 0);
    for (uint32_t k = 0; is_new && k < j->nout; k++) {
        if (out[k] && j->alias[k] < 0)
            vkr_buffer_free(j->device, out[k], NULL);
        out[k] = 0;
    }
    return vkr_run(j->program, j->in, j->nin, out, j->nout, NULL, NULL) == VKR_OK &&
           vkr_buffer_wait(j->device, out[j->nout - 1], NULL) == VKR_OK;
}

/* The median; 0 after a failure. */
static double measure(const struct job *j, double seconds, bool is_new)
{
    double *times = malloc(MOST * sizeof *times), start = now(), median = 0;
    long count = 0;
    while (times && count < MOST && (count < 3 || now() - start < seconds * 1e6)) {
        double before = now();
        if (!call(j, count, is_new))
            break;
        times[count++] = now() - before;
    }
    if (count) {
        qsort(times, (size_t)count, sizeof *times, by_value);
        median = times[count / 2];
    }
    free(times);
    return median;
}

static bool open_job(struct job *j, const char *path)
{
    vkr_tensor_info info;
    vkr_load_options options = {.trusted = true};
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(64 << 20);
    size_t size = f && bytes ? fread(bytes, 1, 64 << 20, f) : 0;
    if (f)
        fclose(f);
    vkr_status status = vkr_program_load_with(j->device, bytes, size, &options, &j->program, NULL);
    free(bytes);
    if (status != VKR_OK)
        return false;
    j->nin = vkr_program_inputs(j->program);
    j->nout = vkr_program_outputs(j->program);
    j->in = calloc(j->nin + 1, sizeof *j->in);
    j->out = calloc((size_t)KEPT * j->nout + 1, sizeof *j->out);
    j->alias = calloc(j->nout + 1, sizeof *j->alias);
    if (!j->in || !j->out || !j->alias || !j->nout)
        return false;
    for (uint32_t i = 0; i < j->nout; i++) {
        vkr_program_output(j->program, i, &info, NULL);
        j->alias[i] = info.alias;
    }
    for (uint32_t i = 0; i < j->nin; i++)
        if (vkr_program_input(j->program, i, &info, NULL) != VKR_OK ||
            vkr_buffer_alloc(j->device, info.bytes, &j->in[i], NULL) != VKR_OK)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    vkr_device *device = NULL;
    vkr_error err = {0};
    if (argc < 3 || vkr_device_open(NULL, &device, &err) != VKR_OK) {
        fprintf(stderr, "calls SECONDS bundle ...: %s\n", err.message);
        return EXIT_FAILURE;
    }
    double seconds = strtod(argv[1], NULL);
    int code = EXIT_SUCCESS;
    for (int i = 2; i < argc; i++) {
        struct job j = {.device = device};
        bool is_open = open_job(&j, argv[i]);
        double kept = is_open ? measure(&j, seconds, false) : 0;
        double fresh = is_open ? measure(&j, seconds, true) : 0;
        printf("{\"bundle\": \"%s\", \"kept_us\": %.3f, \"new_us\": %.3f}\n", argv[i], kept, fresh);
        code = kept > 0 && fresh > 0 ? code : EXIT_FAILURE;
        vkr_program_unload(j.program);
        free(j.in);
        free(j.out);
        free(j.alias);
    }
    vkr_device_close(device);
    return code;
}
