/* The oracle of the random programs: the reference interpreter with the error bounds of
   e2e/perturb.h, as a server on stdin and stdout (an Erlang port with 4-byte packets). Numbers are
   little-endian.

     request   u32 size of the graph's JSON, the JSON,
               the inputs, one for each parameter,
               u32 candidates, for each: f64 ULP of slack, the outputs that were found
     reply     u8 1, text of an error; or
               u8 0, the outputs that the interpreter gives,
               for each candidate and each output: i64 wrong element or -1, i64 loose, i64 vague
               (struct perturb_result), f64 found, f64 wanted, f64 bound

   An element that is beyond its bound gets all samples before it is called wrong. The arguments are
   what the device can do, in the words of target profiles: some devices flush subnormal numbers. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../e2e/perturb_samples.h"
#include "import/import.h"
#include "vkc.h"

/* What is left of a request, and the reply. */
struct session {
    const char *at, *end;
    FILE *out;
    struct arena arena;
    struct graph graph;
    const struct func *entry;
    struct array *inputs;
    struct perturb_samples samples;
    struct perturb_kept kept;
    struct diag diag;
};

static const void *take(struct session *s, size_t size)
{
    const char *at = s->at;
    if ((size_t)(s->end - s->at) < size)
        return NULL;
    s->at += size;
    return at;
}

static bool take_u32(struct session *s, uint32_t *out)
{
    const void *data = take(s, sizeof *out);
    if (data)
        memcpy(out, data, sizeof *out);
    return data != NULL || FAIL(&s->diag, INPUT, "the request is cut short");
}

static bool take_inputs(struct session *s)
{
    s->inputs = ARENA_ARRAY(&s->arena, struct array, s->entry->nparams + 1);
    for (uint32_t i = 0; s->inputs && i < s->entry->nparams; i++) {
        const void *data = take(s, tensor_bytes(&s->entry->params[i]));
        if (!data)
            return FAIL(&s->diag, INPUT, "input %u is cut short", i);
        s->inputs[i] = (struct array){
            s->entry->params[i], arena_copy(&s->arena, data, tensor_bytes(&s->entry->params[i]))};
    }
    return s->inputs || FAIL(&s->diag, MEMORY, "no memory");
}

static bool compare(struct session *s, uint32_t output, double slack, const void *found)
{
    struct perturb_result r;
    if (!perturb_check(&s->samples, output, slack, found, &r)) {
        s->diag = s->samples.diag;
        return false;
    }
    const int64_t counts[] = {r.wrong, r.loose, r.vague};
    const double values[] = {r.found, r.wanted, r.bound};
    fwrite(counts, sizeof counts, 1, s->out);
    fwrite(values, sizeof values, 1, s->out);
    return true;
}

static bool compare_candidate(struct session *s)
{
    double slack;
    const void *data = take(s, sizeof slack);
    if (!data)
        return FAIL(&s->diag, INPUT, "the request is cut short");
    memcpy(&slack, data, sizeof slack);
    for (uint32_t i = 0; i < s->entry->nresults; i++) {
        size_t bytes = tensor_bytes(&perturb_samples_of(&s->samples, i)->tensor);
        const void *found = take(s, bytes);
        if (!found)
            return FAIL(&s->diag, INPUT, "output %u is cut short", i);
        /* copied, since what is in a request is not aligned */
        found = arena_copy(&s->arena, found, bytes);
        if (!found || !compare(s, i, slack, found))
            return found ? false : FAIL(&s->diag, MEMORY, "no memory");
    }
    return true;
}

static bool serve(struct session *s)
{
    uint32_t size = 0, candidates = 0;
    const void *json = take_u32(s, &size) ? take(s, size) : NULL;
    if (!json || !import_json(&s->arena, json, size, NULL, 0, &s->graph, &s->diag))
        return json ? false : FAIL(&s->diag, INPUT, "the request is cut short");
    s->entry = &s->graph.funcs[s->graph.entry];
    if (!take_inputs(s) || !take_u32(s, &candidates))
        return false;
    if (!perturb_sample(&s->samples, &s->graph, &s->arena, s->inputs, s->kept,
                        candidates ? PERTURB_SAMPLES : 1, PERTURB_ALL)) {
        s->diag = s->samples.diag;
        return false;
    }
    for (uint32_t i = 0; i < s->entry->nresults; i++) {
        const struct array *exact = perturb_samples_of(&s->samples, i);
        fwrite(exact->data, tensor_bytes(&exact->tensor), 1, s->out);
    }
    for (uint32_t k = 0; k < candidates; k++)
        if (!compare_candidate(s))
            return false;
    return s->at == s->end ||
           FAIL(&s->diag, INPUT, "the request has %zu bytes too many", (size_t)(s->end - s->at));
}

/* One request, with its reply in memory. */
static bool answer(const char *request, size_t size, struct perturb_kept kept)
{
    static struct session s;
    char *reply = NULL;
    size_t reply_size = 0;
    s = (struct session){.at = request,
                         .end = request + size,
                         .out = open_memstream(&reply, &reply_size),
                         .kept = kept};
    if (!s.out)
        return false;
    arena_init(&s.arena, 0);
    fputc(0, s.out);
    bool ok = serve(&s);
    if (!ok) {
        rewind(s.out);
        fprintf(s.out, "%c%s %s", 1, s.diag.message, s.diag.where);
    }
    arena_finish(&s.arena);
    long end = ok ? (fflush(s.out), (long)reply_size) : ftell(s.out);
    fclose(s.out);
    uint32_t length = htonl((uint32_t)end);
    ok = fwrite(&length, sizeof length, 1, stdout) == 1 &&
         fwrite(reply, 1, (size_t)end, stdout) == (size_t)end && fflush(stdout) == 0;
    free(reply);
    return ok;
}

/* False, with a message, if target profiles have no such word. */
static bool read_features(int n, char **words, struct perturb_kept *out)
{
    char text[1024] = "features = ", error[256];
    struct vkc_target target = {0};
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "," : "", words[i]);
    if (n && !vkc_target_parse(text, strlen(text), &target, error, sizeof error)) {
        fprintf(stderr, "oracle: %s\n", error);
        return false;
    }
    *out = n ? perturb_least_kept(target.features) : PERTURB_KEEPS;
    return true;
}

int main(int argc, char **argv)
{
    uint32_t length;
    struct perturb_kept kept;
    bool ok = read_features(argc - 1, argv + 1, &kept);
    while (ok && fread(&length, sizeof length, 1, stdin) == 1) {
        size_t size = ntohl(length);
        char *request = malloc(size + 1);
        ok = request && fread(request, 1, size, stdin) == size && answer(request, size, kept);
        free(request);
    }
    return ok ? 0 : 1;
}
