/* --check and --interp: the reference interpreter on random inputs or on files. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "driver/main.h"
#include "base/num.h"

/* The graph, for its signature, and the values of a run. */
struct session {
    struct arena arena;
    struct graph graph;
    const struct func *entry;
    struct vkc_array *inputs, *before, *after;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
say(struct tool_report *r, const char *fmt, ...)
{
    size_t at = strlen(r->text);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->text + at, sizeof r->text - at, fmt, ap);
    va_end(ap);
    return false;
}

static bool open_session(struct session *s, const struct tool_input *in, struct tool_report *out)
{
    struct diag d = {0};
    arena_init(&s->arena, 0);
    bool ok = in->options->text_ir
                  ? ir_parse(&s->arena, in->graph, in->graph_size, &s->graph, &d) &&
                        ir_verify(&s->graph, &d)
                  : import_json(&s->arena, in->graph, in->graph_size, in->sidecar, in->sidecar_size,
                                &s->graph, &d);
    if (!ok) {
        out->error.code = (int)d.code;
        snprintf(out->error.message, sizeof out->error.message, "%s", d.message);
        snprintf(out->error.where, sizeof out->error.where, "%s", d.where);
        snprintf(out->error.loc, sizeof out->error.loc, "%s", d.loc);
        return false;
    }
    s->entry = &s->graph.funcs[s->graph.entry];
    s->inputs = calloc((size_t)s->entry->nparams + 1, sizeof *s->inputs);
    s->before = calloc((size_t)s->entry->nresults + 1, sizeof *s->before);
    s->after = calloc((size_t)s->entry->nresults + 1, sizeof *s->after);
    for (uint32_t i = 0; s->inputs && i < s->entry->nparams; i++) {
        s->inputs[i].bytes = tensor_bytes(&s->entry->params[i]);
        s->inputs[i].data = calloc(s->inputs[i].bytes + 1, 1);
        if (!s->inputs[i].data)
            return say(out, "no memory for input %u\n", i);
    }
    return (s->inputs && s->before && s->after) || say(out, "out of memory\n");
}

static void close_session(struct session *s)
{
    for (uint32_t i = 0; s->entry && s->inputs && i < s->entry->nparams; i++)
        free(s->inputs[i].data);
    for (uint32_t i = 0; s->entry && s->before && s->after && i < s->entry->nresults; i++) {
        free(s->before[i].data);
        free(s->after[i].data);
    }
    free(s->inputs);
    free(s->before);
    free(s->after);
    arena_finish(&s->arena);
}

/* ---- random inputs ---- */

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Floats in (-1, 1), so that nothing overflows by chance; integers small, as indices and labels
   are. */
static void fill_random(const struct tensor *t, void *data, uint64_t *state)
{
    int64_t size = shape_size(&t->shape);
    int64_t parts = type_is_complex(t->type) ? 2 : 1;
    enum vkc_type part = t->type == TYPE_C64 ? TYPE_F32 : t->type == TYPE_C128 ? TYPE_F64 : t->type;
    for (int64_t i = 0; i < size * parts; i++) {
        uint64_t r = next_random(state), bits;
        double x = (double)(int64_t)r * 0x1p-63;
        bits = type_is_int(part) ? num_uint_wrap(part, r % 8) : num_float_encode(part, x);
        memcpy((char *)data + (size_t)i * type_bytes(part), &bits, type_bytes(part));
    }
}

/* ---- comparing ---- */

/* Rewrites keep integers, and keep floats or come nearer to the true value. So each node may change
   a value by a few units in the last place of the greatest magnitude. */
static double allowed(enum vkc_type type, uint32_t nodes)
{
    static const int digits[TYPE_COUNT] = {
        [TYPE_F8] = 3,   [TYPE_F8E4M3FN] = 4, [TYPE_F16] = 11, [TYPE_BF16] = 8,
        [TYPE_F32] = 24, [TYPE_F64] = 53,     [TYPE_C64] = 24, [TYPE_C128] = 53};
    return 4.0 * nodes * ldexp(1.0, 1 - digits[type]);
}

static double part_at(enum vkc_type part, const void *data, int64_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + (size_t)i * type_bytes(part), type_bytes(part));
    return num_float_decode(part, bits);
}

static bool compare(const struct session *s, uint32_t index, uint32_t nodes,
                    struct tool_report *out)
{
    const struct tensor *t = func_tensor(s->entry, s->entry->results[index]);
    const void *x = s->before[index].data, *y = s->after[index].data;
    int64_t size = shape_size(&t->shape), differ = 0, first = -1;
    char type[256];
    tensor_print(type, sizeof type, t);
    double worst = 0, scale = 0, limit = 0;
    if (type_is_int(t->type)) {
        for (int64_t i = 0; i < size; i++) {
            bool same =
                memcmp((const char *)x + (size_t)i * type_bytes(t->type),
                       (const char *)y + (size_t)i * type_bytes(t->type), type_bytes(t->type)) == 0;
            differ += !same;
            first = !same && first < 0 ? i : first;
        }
        say(out, "output %u %s: %lld of %lld differ\n", index, type, (long long)differ,
            (long long)size);
        return differ == 0;
    }
    enum vkc_type part = t->type == TYPE_C64 ? TYPE_F32 : t->type == TYPE_C128 ? TYPE_F64 : t->type;
    if (type_is_complex(t->type))
        size *= 2;
    for (int64_t i = 0; i < size; i++) {
        double a = fabs(part_at(part, x, i));
        scale = isfinite(a) && a > scale ? a : scale;
    }
    for (int64_t i = 0; i < size; i++) {
        double a = part_at(part, x, i), b = part_at(part, y, i);
        if (a == b || (isnan(a) && isnan(b)))
            continue;
        double off = isfinite(a) && isfinite(b) ? fabs(a - b) / (scale > 0 ? scale : 1) : INFINITY;
        differ++;
        if (off > worst) {
            worst = off;
            first = i;
        }
    }
    limit = allowed(t->type, nodes);
    say(out, "output %u %s: %lld of %lld differ", index, type, (long long)differ, (long long)size);
    if (differ)
        say(out, ", by at most %.3g of the greatest value (allowed %.3g), at %lld", worst, limit,
            (long long)first);
    say(out, "\n");
    return worst <= limit;
}

bool tool_check(const struct tool_input *in, uint64_t seed, struct tool_report *out)
{
    struct session s = {0};
    bool ok = open_session(&s, in, out);
    uint32_t nodes = 0, bad = 0;
    for (uint32_t i = 0; ok && i < s.entry->nparams; i++)
        fill_random(&s.entry->params[i], s.inputs[i].data, &seed);
    for (uint32_t i = 0; ok && i < s.graph.nfuncs; i++)
        nodes += s.graph.funcs[i].nnodes;
    ok = ok &&
         vkc_interpret(in->graph, in->graph_size, in->sidecar, in->sidecar_size, in->options, false,
                       s.inputs, s.entry->nparams, s.before, s.entry->nresults, &out->error);
    ok = ok &&
         vkc_interpret(in->graph, in->graph_size, in->sidecar, in->sidecar_size, in->options, true,
                       s.inputs, s.entry->nparams, s.after, s.entry->nresults, &out->error);
    for (uint32_t i = 0; ok && i < s.entry->nresults; i++)
        bad += !compare(&s, i, nodes, out);
    if (ok && bad)
        say(out, "%u of %u outputs differ between the graph before and after the passes\n", bad,
            s.entry->nresults);
    close_session(&s);
    return ok && bad == 0;
}

/* ---- files ---- */

/* Raw bytes, or the data of a .npy file, whose header says how long it is. */
static bool load(const char *folder, uint32_t index, const struct tensor *t, struct vkc_array *into,
                 struct tool_report *out)
{
    char path[4096], type[256];
    unsigned char head[12];
    snprintf(path, sizeof path, "%s/in%u.npy", folder, index);
    FILE *f = fopen(path, "rb");
    if (f) {
        size_t n = fread(head, 1, sizeof head, f);
        bool npy = n == sizeof head && memcmp(head, "\x93NUMPY", 6) == 0;
        long skip = npy ? (head[6] == 1 ? 10 + head[8] + 256 * head[9]
                                        : 12 + head[8] + 256L * head[9] + 65536L * head[10])
                        : 0;
        if (!npy || fseek(f, skip, SEEK_SET) != 0) {
            fclose(f);
            return say(out, "%s is not an .npy file\n", path);
        }
    } else {
        snprintf(path, sizeof path, "%s/in%u.bin", folder, index);
        f = fopen(path, "rb");
    }
    tensor_print(type, sizeof type, t);
    if (!f)
        return say(out, "input %u (%s): there is neither in%u.npy nor in%u.bin in %s\n", index,
                   type, index, index, folder);
    size_t got = fread(into->data, 1, into->bytes, f);
    bool more = fgetc(f) != EOF;
    fclose(f);
    return (got == into->bytes && !more) || say(out, "%s: %s takes %zu bytes, found %zu%s\n", path,
                                                type, into->bytes, got, more ? " and more" : "");
}

bool tool_interp(const struct tool_input *in, const char *folder, struct tool_report *out)
{
    struct session s = {0};
    char path[4096], type[256];
    bool ok = open_session(&s, in, out);
    for (uint32_t i = 0; ok && i < s.entry->nparams; i++)
        ok = load(folder, i, &s.entry->params[i], &s.inputs[i], out);
    ok = ok &&
         vkc_interpret(in->graph, in->graph_size, in->sidecar, in->sidecar_size, in->options, false,
                       s.inputs, s.entry->nparams, s.before, s.entry->nresults, &out->error);
    for (uint32_t i = 0; ok && i < s.entry->nresults; i++) {
        snprintf(path, sizeof path, "%s/out%u.bin", folder, i);
        FILE *f = fopen(path, "wb");
        ok = f && fwrite(s.before[i].data, 1, s.before[i].bytes, f) == s.before[i].bytes;
        ok = f && fclose(f) == 0 && ok;
        tensor_print(type, sizeof type, func_tensor(s.entry, s.entry->results[i]));
        say(out, ok ? "%s %s\n" : "%s %s cannot be written\n", path, type);
    }
    close_session(&s);
    return ok;
}
