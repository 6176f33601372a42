/* bench [--json FILE] graph.json ...: what the compiler makes of each graph for this machine's
   device, and how long it takes. A table on stdout, and a JSON object a line in FILE (default
   _build/bench.jsonl). Measures; asserts nothing. On a CPU device, graphs whose tensors take
   over 256 MiB are compiled only. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "../e2e/e2e.h"
#include "../watch/load.h"
#include "interp/interp_impl.h"

enum { MOST = 256, CPU_LIMIT = 256 << 20 };

struct measured {
    double load, first; /* seconds */
    /* of a warm call: vkr_run alone, with its wait, without waiting */
    double submit, call, best, pipelined;
    long calls;
    bool ran;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct session {
    vkr_device *device;
    vkr_program *program;
    uint32_t nin, nout;
    vkr_buffer in[MOST], out[MOST];
    int32_t alias[MOST];
};

/* Floats between -0.1 and 0.1, as weights are, integers below 4,096 (zeros would be quicker than
   what people have). A few integers alone are zeros, so that no loop is long. */
static vkr_status fill(struct session *s, vkr_buffer buffer, const vkr_tensor_info *info)
{
    enum { BLOCK = 1 << 16 };
    static unsigned char block[BLOCK * 16];
    enum vkc_type type = type_parse(info->type);
    bool is_float = type_is_float(type) || type_is_complex(type);
    uint64_t bytes = BLOCK * (uint64_t)type_bytes(type), least = 64 * (uint64_t)type_bytes(type);
    vkr_status status = VKR_OK;
    for (int64_t i = 0; i < BLOCK; i++) {
        uint32_t number = (uint32_t)i * 2654435761u;
        double f = ((number >> 8) / 16777216.0 - 0.5) / 5;
        union number x = {.u = info->bytes < least ? 0 : number >> 20};
        if (is_float)
            x = type_is_complex(type) ? (union number){.c = complex_of(f, 0.1 - f)}
                                      : (union number){.f = f};
        number_store(type, block, i, x);
    }
    for (uint64_t at = 0; at < info->bytes && status == VKR_OK; at += bytes)
        status = vkr_buffer_write(s->device, buffer, at, block,
                                  info->bytes - at < bytes ? info->bytes - at : bytes, NULL);
    return status;
}

static bool open_buffers(struct session *s, bool is_cpu)
{
    vkr_tensor_info info;
    uint64_t bytes = 0;
    s->nin = vkr_program_inputs(s->program);
    s->nout = vkr_program_outputs(s->program);
    if (s->nin > MOST || s->nout > MOST)
        return false;
    for (uint32_t i = 0; i < s->nin + s->nout; i++) {
        bool is_in = i < s->nin;
        if ((is_in ? vkr_program_input(s->program, i, &info, NULL)
                   : vkr_program_output(s->program, i - s->nin, &info, NULL)) != VKR_OK)
            return false;
        bytes += info.bytes;
    }
    if (is_cpu && bytes > CPU_LIMIT)
        return false;
    for (uint32_t i = 0; i < s->nin; i++) {
        vkr_program_input(s->program, i, &info, NULL);
        if (vkr_buffer_alloc(s->device, info.bytes, &s->in[i], NULL) != VKR_OK ||
            fill(s, s->in[i], &info) != VKR_OK)
            return false;
    }
    for (uint32_t i = 0; i < s->nout; i++) {
        vkr_program_output(s->program, i, &info, NULL);
        s->alias[i] = info.alias;
        if (info.alias < 0 && vkr_buffer_alloc(s->device, info.bytes, &s->out[i], NULL) != VKR_OK)
            return false;
    }
    return true;
}

/* One call; donated inputs take what came out. */
static bool call(struct session *s)
{
    for (uint32_t i = 0; i < s->nout; i++)
        if (s->alias[i] >= 0)
            s->out[i] = 0;
    if (vkr_run(s->program, s->in, s->nin, s->out, s->nout, NULL, NULL) != VKR_OK)
        return false;
    for (uint32_t i = 0; i < s->nout; i++)
        if (s->alias[i] >= 0)
            s->in[s->alias[i]] = s->out[i];
    return true;
}

/* About half a second of calls of each kind. */
static bool measure(struct session *s, struct measured *m)
{
    double start = now();
    if (!call(s) || vkr_device_wait(s->device, NULL) != VKR_OK)
        return false;
    m->first = now() - start;
    if (m->first > 2) { /* a CPU at a large product: once is enough */
        m->submit = m->call = m->best = m->pipelined = m->first;
        m->calls = 1;
        return m->ran = true;
    }
    for (int i = 0; i < 3; i++)
        if (!call(s) || vkr_device_wait(s->device, NULL) != VKR_OK)
            return false;
    start = now();
    m->best = 1e9;
    for (m->calls = 0; m->calls < 3 || now() - start < 0.5; m->calls++) {
        double before = now(), submitted;
        if (!call(s))
            return false;
        submitted = now();
        if (vkr_device_wait(s->device, NULL) != VKR_OK)
            return false;
        m->submit += submitted - before;
        m->best = now() - before < m->best ? now() - before : m->best;
    }
    m->call = (now() - start) / (double)m->calls;
    m->submit /= (double)m->calls;
    start = now();
    for (long i = 0; i < m->calls; i++)
        if (!call(s))
            return false;
    if (vkr_device_wait(s->device, NULL) != VKR_OK)
        return false;
    m->pipelined = (now() - start) / (double)m->calls;
    return m->ran = true;
}

static void close_session(struct session *s)
{
    for (uint32_t i = 0; i < s->nin && i < MOST; i++)
        vkr_buffer_free(s->device, s->in[i], NULL);
    for (uint32_t i = 0; i < s->nout && i < MOST; i++)
        vkr_buffer_free(s->device, s->out[i], NULL);
    vkr_program_unload(s->program);
}

static void report(FILE *json, const char *device, const char *name, const struct vkc_stats *t,
                   size_t bundle, const struct measured *m)
{
    printf("%-24s %7u %12" PRIu64 " %12" PRIu64 " %10.1f", name, t->kernels, t->bytes_unfused,
           t->bytes_moved, 1e3 * t->seconds_total);
    if (m->ran)
        printf(" %9.1f %10.1f %10.1f %10.1f %8.2f", 1e3 * m->load, 1e6 * m->submit, 1e6 * m->call,
               1e6 * m->pipelined, 1e-9 * (double)t->bytes_moved / m->call);
    printf("\n");
    fflush(stdout);
    fprintf(
        json,
        "{\"graph\": \"%s\", \"device\": \"%s\", \"kernels\": %u, \"dispatches\": %u, \"bytes_unfused\": %" PRIu64
        ", \"bytes_moved\": %" PRIu64 ", \"arena_bytes\": %" PRIu64
        ", \"bundle_bytes\": %zu, \"compile_ms\": %.3f",
        name, device, t->kernels, t->dispatches, t->bytes_unfused, t->bytes_moved, t->arena_bytes,
        bundle, 1e3 * t->seconds_total);
    if (m->ran)
        fprintf(json,
                ", \"load_ms\": %.3f, \"first_ms\": %.3f, \"calls\": %ld, \"submit_us\": %.3f, "
                "\"call_us\": %.3f, \"best_us\": %.3f, \"pipelined_us\": %.3f",
                1e3 * m->load, 1e3 * m->first, m->calls, 1e6 * m->submit, 1e6 * m->call,
                1e6 * m->best, 1e6 * m->pipelined);
    fprintf(json, "}\n");
}

static void bench(struct e2e *e, FILE *json, const char *path)
{
    struct e2e_options options;
    struct vkc_result result;
    struct measured m = {0};
    vkr_device_info info;
    size_t size;
    const char *slash = strrchr(path, '/');
    char name[64], *text = read_file(path, &size);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash ? slash + 1 : path, "."),
             slash ? slash + 1 : path);
    e2e_options(e, E2E_AS_TARGET, &options);
    vkr_device_get_info(e->device, &info);
    if (!text || !vkc_compile(text, size, NULL, 0, &options.compile, &result)) {
        printf("%-24s %s\n", name, text ? result.error.message : "cannot be read");
    } else {
        struct session s = {.device = e->device};
        double start = now();
        bool loaded =
            test_load(e->device, result.bundle, result.bundle_size, &s.program, NULL) == VKR_OK;
        m.load = now() - start;
        if (loaded && open_buffers(&s, info.kind == VKR_CPU))
            measure(&s, &m);
        if (loaded)
            close_session(&s);
        report(json, info.name, name, &result.stats, result.bundle_size, &m);
    }
    if (text)
        vkc_result_free(&result);
    free(text);
}

int main(int argc, char **argv)
{
    struct e2e e;
    vkr_device_info info;
    bool has_path = argc > 2 && strcmp(argv[1], "--json") == 0;
    const char *path = has_path ? argv[2] : "_build/bench.jsonl";
    if (!e2e_open(&e))
        return e2e_close(&e);
    FILE *json = fopen(path, "w");
    if (!json) {
        fprintf(stderr, "bench: %s cannot be written\n", path);
        return 1;
    }
    vkr_device_get_info(e.device, &info);
    printf("device: %s (%s)\n%-24s %7s %12s %12s %10s %9s %10s %10s %10s %8s\n", info.name,
           info.driver, "graph", "kernels", "bytes, alone", "bytes", "compile ms", "load ms",
           "submit us", "call us", "pipelined", "GB/s");
    for (int i = has_path ? 3 : 1; i < argc; i++)
        bench(&e, json, argv[i]);
    fclose(json);
    vkr_device_close(e.device);
    return 0;
}
