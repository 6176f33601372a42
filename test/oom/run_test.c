/* Opening a device, loading programs and running them with each allocation of the runtime
   failing. Run from the root of the repository. See README.md. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../front/check.h"
#include "../watch/modes.h"
#include "../watch/watch.h"
#include "oom.h"
#include "programs.h"
#include "vkc.h"
#include "vkr.h"

enum { TENSORS = 32, TENSOR_BYTES = 1 << 20 };

struct phase {
    const void *bundle;
    size_t size;
    vkr_load_options load;
    bool in_steps;     /* vkr_call in place of vkr_run */
    const char *cache; /* folder of the pipeline cache; "": none */
    bool has_wanted;
    uint64_t wanted; /* a hash of the outputs */
};

/* ---- programs, and what goes into them ---- */

/* Halves what the host is asked about, or counts. */
static bool call_back(void *context, uint32_t callback, const void *const *inputs,
                      const uint64_t *input_bytes, uint32_t ninputs, void *const *outputs,
                      const uint64_t *output_bytes, uint32_t noutputs)
{
    (void)context;
    for (uint32_t i = 0; i < noutputs; i++)
        for (uint64_t k = 0; k < output_bytes[i] / 4; k++) {
            float x = 0.5f * (float)(k + callback);
            int32_t word = (int32_t)k;
            if (ninputs && input_bytes[0] == output_bytes[i]) {
                memcpy(&x, (const char *)inputs[0] + 4 * k, 4);
                x = 0.5f * x + 1;
            }
            memcpy((char *)outputs[i] + 4 * k, ninputs ? (void *)&x : (void *)&word, 4);
        }
    return true;
}

/* Small numbers; a scalar is a count of rounds. */
static void fill(const vkr_tensor_info *info, uint32_t seed, unsigned char *out)
{
    bool is_float = info->type[0] == 'f';
    for (uint64_t i = 0; i < info->bytes / 4; i++) {
        uint32_t r = (uint32_t)(i * 2654435761u + seed * 40503u) >> 8;
        float x = (float)(r % 1000) / 1000 - 0.5f;
        int32_t n = info->bytes == 4 ? 9 : (int32_t)(r % 5000);
        memcpy(out + 4 * i, is_float ? (void *)&x : (void *)&n, 4);
    }
    for (uint64_t i = info->bytes / 4 * 4; i < info->bytes; i++)
        out[i] = (unsigned char)(i + seed);
}

static uint64_t hash(uint64_t h, const unsigned char *data, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        h = (h ^ data[i]) * 0x100000001b3u;
    return h;
}

/* ---- a run ---- */

/* What a run has of the device, to be freed whatever became of it. */
struct session {
    vkr_device *device;
    vkr_program *program;
    vkr_buffer in[TENSORS], out[TENSORS], copy;
    uint32_t nin, nout;
    vkr_call *call;
    uint64_t hash;
};

static vkr_status run_in_steps(struct session *s, vkr_error *err)
{
    vkr_call_state state = VKR_CALL_AGAIN;
    vkr_call_callback c;
    vkr_status status = vkr_call_begin(s->program, s->in, s->nin, s->out, s->nout, &s->call, err);
    while (!status && state != VKR_CALL_DONE) {
        status = vkr_call_step(s->call, 1000000000, &state, err);
        if (status || state != VKR_CALL_CALLBACK)
            continue;
        vkr_call_get_callback(s->call, &c);
        call_back(NULL, c.index, c.inputs, c.input_bytes, c.ninputs, c.outputs, c.output_bytes,
                  c.noutputs);
    }
    return status;
}

static vkr_status read_output(struct session *s, uint32_t index, vkr_error *err)
{
    static unsigned char data[TENSOR_BYTES];
    vkr_tensor_info info;
    vkr_status status = vkr_program_output(s->program, index, &info, err);
    if (!status)
        status = vkr_buffer_read(s->device, s->out[index], 0, data, info.bytes, err);
    if (!status)
        s->hash = hash(s->hash, data, info.bytes);
    return status;
}

/* Makes the inputs, runs, reads the outputs, and copies one. */
static vkr_status run(struct session *s, bool in_steps, uint32_t seed, vkr_error *err)
{
    static unsigned char data[TENSOR_BYTES];
    const vkr_run_options options = {.callback = call_back};
    vkr_tensor_info info;
    vkr_status status = VKR_OK;
    s->nin = vkr_program_inputs(s->program);
    s->nout = vkr_program_outputs(s->program);
    s->hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; !status && i < s->nin; i++) {
        status = vkr_program_input(s->program, i, &info, err);
        if (status)
            break;
        fill(&info, seed + i, data);
        status = i % 2 ? vkr_buffer_alloc(s->device, info.bytes, &s->in[i], err)
                       : vkr_buffer_create(s->device, data, info.bytes, &s->in[i], err);
        if (!status && i % 2)
            status = vkr_buffer_write(s->device, s->in[i], 0, data, info.bytes, err);
    }
    if (!status)
        status = in_steps ? run_in_steps(s, err)
                          : vkr_run(s->program, s->in, s->nin, s->out, s->nout, &options, err);
    for (uint32_t i = 0; !status && i < s->nout; i++)
        status = read_output(s, i, err);
    if (!status)
        status = vkr_buffer_copy(s->device, s->out[0], &s->copy, err);
    return status;
}

/* What was made, and not donated. */
static void clear(struct session *s)
{
    vkr_call_end(s->call);
    for (uint32_t i = 0; i < TENSORS; i++) {
        vkr_buffer_free(s->device, s->in[i], NULL);
        vkr_buffer_free(s->device, s->out[i], NULL);
        s->in[i] = s->out[i] = 0;
    }
    vkr_buffer_free(s->device, s->copy, NULL);
    s->copy = 0;
    s->call = NULL;
}

/* ---- attempts ---- */

static void empty_folder(const char *folder)
{
    char path[600];
    DIR *all = opendir(folder);
    for (struct dirent *e; all && (e = readdir(all));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (all)
        closedir(all);
}

static vkr_status open_device(const struct phase *p, vkr_device **out, vkr_error *err)
{
    const vkr_device_options options = {.pipeline_cache = p->cache};
    return vkr_device_open(&options, out, err);
}

/* A device for attempts on something else than opening it. */
static bool open_watched(const struct phase *p, struct session *s)
{
    vkr_error err = {VKR_OK, ""};
    *s = (struct session){.device = NULL};
    if (!check_that(&oom_check, open_device(p, &s->device, &err) == VKR_OK, "the device: %s",
                    err.message))
        return false;
    watch_attach(s->device);
    return check_that(&oom_check, modes_apply(s->device, &err) == VKR_OK, "the mode: %s",
                      err.message);
}

/* Runs it with no failure, for the same results as ever. */
static bool runs(struct phase *p, const char *name, struct session *s)
{
    vkr_error err = {VKR_OK, ""};
    vkr_status status = run(s, p->in_steps, 1, &err);
    clear(s);
    if (!status && !p->has_wanted) {
        p->has_wanted = true;
        p->wanted = s->hash;
    }
    return check_that(&oom_check, !status && s->hash == p->wanted, "%s: after a failure: %s", name,
                      status ? err.message : "other results");
}

static bool is_memory(vkr_status status, const vkr_error *err)
{
    return status == VKR_OUT_OF_HOST_MEMORY && err->status == status && err->message[0];
}

static void attempt_open(void *context, struct oom_try *t)
{
    const struct phase *p = context;
    vkr_device_info infos[8];
    uint32_t count = 0;
    vkr_device *device = NULL;
    vkr_error err = {VKR_OK, ""};
    struct oom_held before = oom_held();
    oom_begin(t);
    vkr_status status = vkr_devices(infos, 8, &count, &err);
    if (!status)
        status = open_device(p, &device, &err);
    oom_end(t);
    bool is_right = !status && device && count;
    bool is_spare = oom_is_at(t, "runtime/private_folder.c");
    vkr_device_close(device);
    oom_judge(t, is_right, is_memory(status, &err) && !device, is_spare, &before, err.message);
}

static void attempt_load(void *context, struct oom_try *t)
{
    struct phase *p = context;
    struct session s;
    vkr_counters counters;
    vkr_error err = {VKR_OK, ""};
    struct oom_held before = oom_held();
    if (p->cache[0])
        empty_folder(p->cache); /* so that it is written */
    if (!open_watched(p, &s))
        return;
    oom_begin(t);
    vkr_status status =
        vkr_program_load_with(s.device, p->bundle, p->size, &p->load, &s.program, &err);
    oom_end(t);
    bool is_cache =
        oom_is_at(t, "runtime/pipeline_cache.c") || oom_is_at(t, "runtime/private_folder.c");
    bool is_null = !s.program;
    vkr_device_counters(s.device, &counters);
    check_that(
        &oom_check, counters.programs == (status ? 0 : 1) && (!status || !counters.pipelines),
        "%s: point %llu: %llu programs, %llu pipelines", t->name, (unsigned long long)t->point,
        (unsigned long long)counters.programs, (unsigned long long)counters.pipelines);
    if (status) {
        vkr_status again =
            vkr_program_load_with(s.device, p->bundle, p->size, &p->load, &s.program, NULL);
        check_that(&oom_check, !again, "%s: point %llu: it does not load afterwards", t->name,
                   (unsigned long long)t->point);
    }
    bool is_right = s.program && runs(p, t->name, &s) && !status;
    vkr_program_unload(s.program);
    vkr_device_close(s.device);
    oom_judge(t, is_right, is_memory(status, &err) && is_null, t->is_thread || is_cache, &before,
              err.message);
}

static void attempt_run(void *context, struct oom_try *t)
{
    struct phase *p = context;
    struct session s, other;
    vkr_error err = {VKR_OK, ""};
    struct oom_held before = oom_held();
    if (!open_watched(p, &s))
        return;
    vkr_status status =
        vkr_program_load_with(s.device, p->bundle, p->size, &p->load, &s.program, &err);
    if (!check_that(&oom_check, !status, "%s: %s", t->name, err.message))
        return;
    other = s;
    oom_begin(t);
    status = run(&s, p->in_steps, 1, &err);
    uint64_t found = s.hash;
    if (!status)
        status = run(&other, p->in_steps, 1, &err); /* with other buffers, and so in another slot */
    oom_end(t);
    bool is_right = !status && found == other.hash && (!p->has_wanted || found == p->wanted);
    clear(&s);
    clear(&other);
    is_right &= runs(p, t->name, &s);
    vkr_program_unload(s.program);
    vkr_device_close(s.device);
    oom_judge(t, is_right, is_memory(status, &err), oom_is_at(t, "runtime/slot.c"), &before,
              err.message);
}

/* ---- all of it ---- */

static void each(const char *what, const struct oom_program *program, oom_attempt *attempt,
                 const struct phase *phase)
{
    char name[128];
    struct phase p = *phase;
    snprintf(name, sizeof name, "%s %s%s%s%s", what, program->name,
             p.load.trusted ? "" : ", untrusted", p.in_steps ? ", in steps" : "",
             p.cache[0] ? ", cache" : "");
    oom_each(name, attempt, &p);
}

static void try_program(const struct oom_program *program, const char *cache)
{
    const struct vkc_options options = {.text_ir = program->text_ir, .no_cache = true};
    struct vkc_result r;
    bool ok = vkc_compile(program->graph, program->size, NULL, 0, &options, &r);
    if (check_that(&oom_check, ok, "%s: %s", program->name, r.error.message)) {
        const struct phase untrusted = {.bundle = r.bundle, .size = r.bundle_size, .cache = ""};
        struct phase trusted = untrusted, in_steps = untrusted, cached = untrusted;
        trusted.load.trusted = true;
        in_steps.in_steps = true;
        cached.load.trusted = true;
        cached.cache = cache;
        each("load", program, attempt_load, &trusted);
        each("load", program, attempt_load, &untrusted);
        each("run", program, attempt_run, &trusted);
        each("run", program, attempt_run, &in_steps);
        if (program == &oom_programs[0])
            each("load", program, attempt_load, &cached);
    }
    vkc_result_free(&r);
}

int main(void)
{
    char cache[] = "/tmp/vkr-oom-XXXXXX";
    vkr_device *device = NULL;
    vkr_error err = {VKR_OK, ""};
    struct phase plain = {.cache = ""}, cached = {.cache = cache};
    if (open_device(&plain, &device, &err)) {
        printf("skipped: %s\n", err.message);
        oom_check.skipped++;
        return oom_report();
    }
    vkr_device_close(device);
    if (check_that(&oom_check, mkdtemp(cache), "no folder") && oom_programs_read()) {
        oom_each("open", attempt_open, &plain);
        for (int i = 0; i < OOM_PROGRAMS; i++)
            try_program(&oom_programs[i], cache);
        oom_each("open, cache", attempt_open, &cached);
    }
    check_that(&oom_check, !watch_findings(), "the watch found %u faults", watch_findings());
    oom_programs_free();
    empty_folder(cache);
    rmdir(cache);
    return oom_report();
}
