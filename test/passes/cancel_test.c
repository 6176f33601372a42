/* A compile that is cancelled, wherever it is: the status, no text, no bundle, no entry of the
   cache, whole dumps; and the next compile gives what it would have given. And the progress that
   is told meanwhile. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../watch/canceller.h"
#include "base/cancel.h"
#include "check.h"
#include "passes/passes.h"
#include "vkc.h"

enum { MOST = 1 << 20, MOST_EVENTS = 512, POLLS_TRIED = 24 };

/* Many passes' worth of work; many kernels; a training step. */
static const char *const graphs[] = {"eigh_8", "decoder_2", "digits_step_sgd"};

struct event {
    const char *stage;
    uint32_t done, total;
};

/* What a compile tells, and when it is cancelled: when it has told so much, or asked so often. */
struct listener {
    struct event events[MOST_EVENTS];
    uint32_t nevents;
    struct canceller c;
};

static void listen(void *context, const char *stage, uint32_t done, uint32_t total)
{
    struct listener *l = context;
    canceller_enter(&l->c);
    if (l->nevents < MOST_EVENTS)
        l->events[l->nevents++] = (struct event){stage, done, total};
    canceller_leave(&l->c);
}

struct input {
    const char *name;
    char *json;
    size_t size;
};

static bool read_graph(const char *name, struct input *out)
{
    char path[256];
    snprintf(path, sizeof path, "test/graphs/%s.json", name);
    FILE *f = fopen(path, "rb");
    *out = (struct input){name, malloc(MOST), 0};
    out->size = f && out->json ? fread(out->json, 1, MOST, f) : 0;
    if (f)
        fclose(f);
    CHECK(out->size > 0 && out->size < MOST, "%s cannot be read", path);
    return out->size > 0;
}

static bool compile(const struct input *in, struct vkc_options o, struct listener *l,
                    struct vkc_result *out)
{
    struct vkc_target target;
    vkc_target_named("lavapipe", &target);
    o.target = &target;
    o.progress = listen;
    o.is_cancelled = canceller_poll;
    o.progress_context = l;
    o.cancel_context = &l->c;
    bool ok = vkc_compile(in->json, in->size, NULL, 0, &o, out);
    CHECK(!atomic_load(&l->c.overlaps), "%s: progress is told by two threads at once", in->name);
    return ok;
}

static struct listener cancelled_at(long event, long poll)
{
    return (struct listener){.c = {.at_event = event, .at_poll = poll}};
}

static bool has_nothing(const struct vkc_result *r)
{
    return !r->bundle && !r->bundle_size && !r->ir && !r->plan && !r->glsl && !r->dot &&
           !r->explain;
}

static unsigned files_in(const char *folder)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static void remove_folder(const char *folder)
{
    char path[512];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

/* ---- progress ---- */

static void check_events(const struct listener *l, const struct input *in, uint32_t kernels)
{
    static const char *const stages[] = {"import", "passes", "plan", "kernels"};
    uint32_t at = 0, npasses = 0;
    while (vkc_passes[npasses].name)
        npasses++;
    for (uint32_t s = 0; s < 4; s++) {
        uint32_t total = at < l->nevents ? l->events[at].total : 0;
        for (uint32_t done = 0; done <= total && at < l->nevents; done++, at++) {
            const struct event *e = &l->events[at];
            CHECK(strcmp(e->stage, stages[s]) == 0 && e->done == done && e->total == total,
                  "%s: %s %u/%u, expected %s %u/%u", in->name, e->stage, e->done, e->total,
                  stages[s], done, total);
        }
        CHECK(s != 1 || total == npasses, "%s: %u passes of %u", in->name, total, npasses);
        CHECK(s != 3 || (total > 0 && total <= kernels), "%s: %u kernels of %u", in->name, total,
              kernels);
    }
    CHECK(at == l->nevents, "%s: %u events after the last", in->name, l->nevents - at);
}

/* ---- cancelling ---- */

static void check_cancelled(const struct input *in, struct listener l, const char *cache,
                            uint32_t threads)
{
    struct vkc_result r;
    bool ok = compile(in, (struct vkc_options){.cache_dir = cache, .threads = threads}, &l, &r);
    CHECK(!ok && r.error.code == VKC_CANCELLED && strcmp(r.error.message, "cancelled") == 0,
          "%s, event %ld, poll %ld: %d %s", in->name, l.c.at_event, atomic_load(&l.c.at_poll),
          r.error.code, r.error.message);
    CHECK(has_nothing(&r), "%s, event %ld, poll %ld: something is left of it", in->name,
          l.c.at_event, atomic_load(&l.c.at_poll));
    CHECK(files_in(cache) == 0, "%s, event %ld, poll %ld: there is an entry", in->name,
          l.c.at_event, atomic_load(&l.c.at_poll));
    vkc_result_free(&r);
}

/* With texts asked for, which come before the bundle. */
static void check_texts(const struct input *in, const struct listener *whole)
{
    struct vkc_result r;
    const struct vkc_options o = {
        .want_ir = true, .want_plan = true, .want_glsl = true, .want_dot = true, .explain = "n0"};
    struct listener l = cancelled_at((long)whole->nevents - 1, NEVER);
    CHECK(!compile(in, o, &l, &r) && r.error.code == VKC_CANCELLED && has_nothing(&r),
          "%s: texts are left", in->name);
    vkc_result_free(&r);
}

/* At each event, and at some of the polls between them; then the same bundle as without all
   that. */
static void check_graph(const char *name, const char *root)
{
    char cache[256];
    struct input in;
    struct vkc_result plain, again;
    struct listener whole = cancelled_at(NEVER, NEVER), last = cancelled_at(NEVER, NEVER);
    snprintf(cache, sizeof cache, "%s/%s", root, name);
    if (!read_graph(name, &in))
        return;
    bool ok = compile(&in, (struct vkc_options){.threads = 2}, &whole, &plain);
    CHECK(ok, "%s: %s", name, plain.error.message);
    check_events(&whole, &in, plain.stats.kernels);
    for (uint32_t i = 0; i < whole.nevents; i++)
        check_cancelled(&in, cancelled_at(i, NEVER), cache, 1 + i % 3);
    long polls = atomic_load(&whole.c.polls), before_kernels = polls - plain.stats.kernels - 4;
    for (long i = 0; i < POLLS_TRIED; i++) {
        struct listener l = cancelled_at(NEVER, i < 4 ? i : before_kernels * i / (POLLS_TRIED - 1));
        l.c.is_brief = i % 2; /* who said yes once need not say it again */
        check_cancelled(&in, l, cache, 2);
    }
    check_texts(&in, &whole);
    ok = compile(&in, (struct vkc_options){.threads = 2, .cache_dir = cache}, &last, &again);
    CHECK(ok && !again.stats.cache_hit && again.bundle_size == plain.bundle_size &&
              memcmp(again.bundle, plain.bundle, plain.bundle_size) == 0,
          "%s: another bundle after all that: %s", name, again.error.message);
    CHECK(files_in(cache) == 1, "%s: %u files in the cache", name, files_in(cache));
    vkc_result_free(&again);
    /* what is in the cache needs no compile, and can be cancelled before it is looked for */
    last = cancelled_at(NEVER, NEVER);
    ok = compile(&in, (struct vkc_options){.cache_dir = cache}, &last, &again);
    CHECK(ok && again.stats.cache_hit && last.nevents == 0, "%s: %u events of a cached bundle",
          name, last.nevents);
    vkc_result_free(&again);
    last = cancelled_at(NEVER, 0);
    ok = compile(&in, (struct vkc_options){.cache_dir = cache}, &last, &again);
    CHECK(!ok && again.error.code == VKC_CANCELLED && has_nothing(&again), "%s: from the cache",
          name);
    vkc_result_free(&again);
    vkc_result_free(&plain);
    remove_folder(cache);
    free(in.json);
}

/* ---- dumps ---- */

static bool is_same_file(const char *folder, const char *other, const char *name)
{
    char path[512];
    char *data[2] = {malloc(MOST), malloc(MOST)};
    size_t size[2] = {0};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", i ? other : folder, name);
        FILE *f = fopen(path, "rb");
        size[i] = f && data[i] ? fread(data[i], 1, MOST, f) : (size_t)i;
        if (f)
            fclose(f);
    }
    bool same = size[0] == size[1] && memcmp(data[0], data[1], size[0]) == 0;
    free(data[0]);
    free(data[1]);
    return same;
}

/* Each file that a cancelled compile leaves is that of one which was not. */
static void check_dumps(const char *root)
{
    char whole[256], part[256];
    struct input in;
    struct vkc_result r;
    struct listener l = cancelled_at(NEVER, NEVER);
    snprintf(whole, sizeof whole, "%s/whole", root);
    snprintf(part, sizeof part, "%s/part", root);
    if (!read_graph("eigh_8", &in))
        return;
    CHECK(compile(&in, (struct vkc_options){.dump_dir = whole}, &l, &r), "%s", r.error.message);
    vkc_result_free(&r);
    long polls = atomic_load(&l.c.polls);
    unsigned most = 0;
    for (long i = 0; i < 2 * POLLS_TRIED; i++) {
        l = cancelled_at(NEVER, polls * i / (2 * POLLS_TRIED));
        CHECK(!compile(&in, (struct vkc_options){.dump_dir = part}, &l, &r), "poll %ld",
              atomic_load(&l.c.at_poll));
        vkc_result_free(&r);
        DIR *d = opendir(part);
        for (struct dirent *e; d && (e = readdir(d));)
            CHECK(e->d_name[0] == '.' || is_same_file(part, whole, e->d_name),
                  "poll %ld: %s is cut off", atomic_load(&l.c.at_poll), e->d_name);
        if (d)
            closedir(d);
        most = files_in(part) > most ? files_in(part) : most;
        remove_folder(part);
    }
    CHECK(most > 2, "no cancelled compile has dumped more than %u files", most);
    remove_folder(whole);
    free(in.json);
}

/* ---- the interpreter ---- */

static void check_interpreter(void)
{
    static const char text[] = "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[4]) {\n"
                               "  n0 = parameter index=0 : f32[4]\n"
                               "  n1 = exp n0 : f32[4]\n  return n1\n}\n";
    float values[4] = {0};
    for (long poll = 0;; poll++) {
        struct listener l = cancelled_at(NEVER, poll);
        struct vkc_options o = {
            .text_ir = true, .is_cancelled = canceller_poll, .cancel_context = &l.c};
        struct vkc_array in = {values, sizeof values}, out = {0};
        struct vkc_error e;
        bool ok = vkc_interpret(text, strlen(text), NULL, 0, &o, false, &in, 1, &out, 1, &e);
        CHECK(ok == !atomic_load(&l.c.is_cancelled) && e.code == (ok ? 0 : VKC_CANCELLED) &&
                  (out.data != NULL) == ok,
              "poll %ld: %d %s", poll, e.code, e.message);
        free(out.data);
        if (ok) {
            CHECK(poll > 0, "it does not ask");
            return;
        }
    }
}

/* ---- an answer ---- */

static bool says_yes_once(void *context)
{
    uint32_t *asked = context;
    return ++*asked == 1;
}

/* A caller who said yes once is not asked again: every thread of a compile has that answer. */
static void check_answer(void)
{
    uint32_t asked = 0;
    struct cancel c = {.is_cancelled = says_yes_once, .context = &asked};
    CHECK(cancel_poll(&c) && cancel_poll(&c) && asked == 1, "asked %u times", asked);
}

int main(void)
{
    char root[] = "/tmp/vkc_cancel_XXXXXX";
    if (!mkdtemp(root)) {
        CHECK(false, "%s", root);
        return check_report();
    }
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        if (check_wanted(graphs[i]))
            check_graph(graphs[i], root);
    if (check_wanted("dumps"))
        check_dumps(root);
    if (check_wanted("interpreter"))
        check_interpreter();
    if (check_wanted("answer"))
        check_answer();
    CHECK(rmdir(root) == 0, "%s", root);
    return check_report();
}
