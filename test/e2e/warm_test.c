/* What a warm call costs: one submission, and no allocation, recording or descriptor work; and
   that memory stays what it was over many calls, with outputs of the caller, outputs made by
   each call, and donated inputs. WARM_CALLS sets how many (100,000; the others run a tenth and a
   hundredth of it). Run from the root of the repository. */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "e2e.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

enum { MOST = 64, WARM_UP = 64 };

/* the same buffers again; new ones, freed; donated ones fed back */
enum outputs { KEEP, MAKE, FEED_BACK };

struct job {
    struct e2e *e;
    const char *name;
    enum outputs outputs;
    vkr_program *program;
    uint32_t nin, nout;
    vkr_buffer in[MOST], out[MOST];
    int32_t alias[MOST];
};

/* Bytes of memory in use by this process, 0 where that is not known. */
static uint64_t resident(void)
{
    unsigned long all = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu %lu", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static vkr_counters counters(const struct e2e *e)
{
    vkr_counters c;
    vkr_device_counters(e->device, &c);
    return c;
}

static bool call(struct job *j)
{
    vkr_error err = {VKR_OK, ""};
    if (j->outputs != KEEP)
        memset(j->out, 0, sizeof j->out);
    if (vkr_run(j->program, j->in, j->nin, j->out, j->nout, NULL, &err) != VKR_OK)
        return check_that(&j->e->check, false, "%s: %s", j->name, err.message);
    for (uint32_t i = 0; i < j->nout; i++) {
        if (j->outputs == FEED_BACK && j->alias[i] >= 0)
            j->in[j->alias[i]] = j->out[i];
        else if (j->outputs != KEEP)
            vkr_buffer_free(j->e->device, j->out[i], NULL);
    }
    return true;
}

/* Calls, waiting now and then so that no more than a few are in flight. */
static bool calls(struct job *j, long n)
{
    for (long i = 0; i < n; i++)
        if (!call(j) || (i % 16 == 15 && vkr_device_wait(j->e->device, NULL) != VKR_OK))
            return false;
    return vkr_device_wait(j->e->device, NULL) == VKR_OK;
}

static bool open_job(struct job *j)
{
    vkr_tensor_info info;
    j->program = e2e_load_graph(j->e, j->name, E2E_AS_TARGET);
    if (!check_that(&j->e->check, j->program != NULL, "%s: no program", j->name))
        return false;
    j->nin = vkr_program_inputs(j->program);
    j->nout = vkr_program_outputs(j->program);
    bool ok = j->nin <= MOST && j->nout <= MOST;
    for (uint32_t i = 0; ok && i < j->nin; i++)
        ok = vkr_program_input(j->program, i, &info, NULL) == VKR_OK &&
             vkr_buffer_alloc(j->e->device, info.bytes, &j->in[i], NULL) == VKR_OK;
    for (uint32_t i = 0; ok && i < j->nout; i++) {
        ok = vkr_program_output(j->program, i, &info, NULL) == VKR_OK;
        j->alias[i] = info.alias;
        if (ok && j->outputs == KEEP && info.alias < 0)
            ok = vkr_buffer_alloc(j->e->device, info.bytes, &j->out[i], NULL) == VKR_OK;
    }
    return check_that(&j->e->check, ok, "%s: buffers", j->name);
}

static void close_job(struct job *j)
{
    for (uint32_t i = 0; i < j->nout; i++)
        vkr_buffer_free(j->e->device, j->out[i], NULL);
    for (uint32_t i = 0; i < j->nin; i++)
        vkr_buffer_free(j->e->device, j->in[i], NULL);
    vkr_program_unload(j->program);
}

static void check_calls(struct e2e *e, const char *name, enum outputs outputs, long n)
{
    static const char *const how[] = {"the caller's outputs", "new outputs",
                                      "donated inputs fed back"};
    struct job j = {.e = e, .name = name, .outputs = outputs};
    struct timespec before, after;
    if (!check_wanted(&e->check, name))
        return;
    if (!open_job(&j) || !calls(&j, WARM_UP))
        goto out;
    /* the first half settles the C library's heap and the driver's */
    if (!calls(&j, n / 2))
        goto out;
    vkr_counters was = counters(e);
    uint64_t bytes = resident();
    clock_gettime(CLOCK_MONOTONIC, &before);
    if (!calls(&j, n - n / 2))
        goto out;
    clock_gettime(CLOCK_MONOTONIC, &after);
    vkr_counters is = counters(e);
    uint64_t grown = resident() > bytes ? resident() - bytes : 0, ran = (uint64_t)(n - n / 2);
    printf("%s, %s: %ld calls, %.1f us each\n", name, how[outputs], n,
           ((double)(after.tv_sec - before.tv_sec) * 1e6 +
            (double)(after.tv_nsec - before.tv_nsec) * 1e-3) /
               (double)ran);
    struct check *c = &e->check;
    check_that(c, is.submits - was.submits == ran, "%s: %" PRIu64 " submits in %" PRIu64 " calls",
               name, is.submits - was.submits, ran);
    check_that(c, is.recordings == was.recordings, "%s: %" PRIu64 " recordings", name,
               is.recordings - was.recordings);
    check_that(c, is.device_allocations == was.device_allocations,
               "%s: %" PRIu64 " device allocations", name,
               is.device_allocations - was.device_allocations);
    check_that(c, is.descriptor_allocations == was.descriptor_allocations,
               "%s: %" PRIu64 " descriptor allocations", name,
               is.descriptor_allocations - was.descriptor_allocations);
    check_that(c,
               is.pool_bytes == was.pool_bytes && is.live_bytes == was.live_bytes &&
                   is.live_buffers == was.live_buffers,
               "%s: pools of %" PRIu64 " bytes became %" PRIu64 ", live buffers %" PRIu64
               " became %" PRIu64,
               name, was.pool_bytes, is.pool_bytes, was.live_buffers, is.live_buffers);
    /* half a byte a call, and 256 KiB for what a driver's threads may keep; a sanitizer keeps
       what is freed */
    check_that(c, SANITIZED || grown <= ran / 2 + (256 << 10),
               "%s: %" PRIu64 " calls took %" PRIu64 " bytes of memory", name, ran, grown);

out:
    close_job(&j);
}

int main(void)
{
    struct e2e e;
    const char *set = getenv("WARM_CALLS");
    long n = set && *set ? atol(set) : 100000;
    if (e2e_open(&e)) {
        check_calls(&e, "sigmoid4", KEEP, n);
        check_calls(&e, "sigmoid4", MAKE, n / 10);
        check_calls(&e, "softmax", MAKE, n / 100);
        check_calls(&e, "digits_step_adamw", FEED_BACK, n / 100);
    }
    return e2e_close(&e);
}
