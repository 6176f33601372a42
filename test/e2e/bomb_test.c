/* Programs under 100 kB that are made to explode: values that read themselves at other places,
   through movement, gathers, slices, pads, concatenations, branches, loops, windows, folds,
   reductions and sorts, in long chains and wide fans. Each is compiled, loaded and run in a
   process of its own, whose processor time and memory are counted, the driver's work included.
   Nothing is judged by a clock: what is judged is that each ends by itself, with results or with
   a reason that is not a defect of the compiler, and how much SPIR-V comes of a node. bomb_test
   [programs [first seed]]; the last lines say which took most. BOMB=seed in the environment
   prints a program. */
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/main.h"
#include "../front/check.h"
#include "../fuzz/mutate.h"
#include "../watch/load.h"
#include "base/str.h"
#include "vkc.h"
#include "vkr.h"

enum {
    PROGRAMS = 8, /* in make test */
    MOST_TEXT = 100000,
    FUNCTIONS = 64,
    HANG_S = 200, /* of processor time for one program, ten times what the worst of 50 takes */
    /* of SPIR-V: what a kernel has that is one node, and the functions that it calls */
    BYTES_A_NODE = 12288,
};

struct program {
    struct arena *arena;
    uint64_t random;
    struct str func[FUNCTIONS];
    uint32_t nfuncs;
    long size; /* elements of every vector */
    size_t bytes;
    unsigned nodes;
    bool is_eager; /* takes the last value for both operands, nearly always */
};

struct scope {
    struct program *p;
    struct str *text;
    int next, start, last[8], nlast, depth;
};

/* "s32[], f32[8,125]" as a list of the graph's types. */
static void print_types(struct str *out, const char *types)
{
    for (const char *at = types; *at; at += strspn(at, ", ")) {
        size_t name = strcspn(at, "["), shape = strcspn(at + name, "]") + 1;
        str_printf(out, "%s{\"type\":\"%.*s\",\"shape\":%.*s}", at == types ? "" : ",", (int)name,
                   at, (int)shape, at + name);
        at += name + shape;
    }
}

/* Adds a node, which is written as the text IR writes it, without "= " and with regions as
   numbers. *Returns* its index. */
__attribute__((format(printf, 3, 4))) static int node(struct scope *s, const char *type,
                                                      const char *fmt, ...)
{
    char text[256];
    const char *at = text, *separator = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t before = s->text->len, word = strcspn(at, " ");
    str_printf(s->text, "%s{\"id\":%d,\"op\":\"%.*s\",\"ins\":[", s->next ? "," : "", s->next,
               (int)word, at);
    for (at += word; at[0] == ' ' && at[1] == 'n' && at[2] >= '0' && at[2] <= '9';
         separator = ",") {
        char *end;
        long input = strtol(at + 2, &end, 10);
        long result = *end == '.' ? strtol(end + 1, &end, 10) : 0;
        str_printf(s->text, "%s[%ld,%ld]", separator, input, result);
        at = end + (*end == ',');
    }
    str_add(s->text, "],\"outs\":[");
    print_types(s->text, type);
    str_add(s->text, "]");
    const char *regions = strstr(at, " regions="), *end = regions ? regions : at + strlen(at);
    for (separator = ",\"attrs\":{"; at < end; separator = ",") {
        size_t name = strcspn(at + 1, "=");
        const char *value = at + name + 2;
        size_t length = strcspn(value, " ");
        const char *quote = strncmp(at, " bits=", 6) == 0 ? "\"" : "";
        str_printf(s->text, "%s\"%.*s\":%s%.*s%s", separator, (int)name, at + 1, quote, (int)length,
                   value, quote);
        at = value + length;
    }
    str_printf(s->text, "%s", *separator == ',' && separator[1] == 0 ? "}" : "");
    if (regions)
        str_printf(s->text, ",\"regions\":%s", regions + strlen(" regions="));
    str_add(s->text, "}\n");
    s->p->bytes += s->text->len - before;
    s->p->nodes++;
    return s->next++;
}

static void begin(struct scope *s, const char *params)
{
    str_add(s->text, "{\"params\":[");
    print_types(s->text, params);
    str_add(s->text, "],\"nodes\":[\n");
}

static unsigned pick(struct program *p, size_t n)
{
    return (unsigned)random_below(&p->random, n);
}

static int operand(struct scope *s)
{
    return s
        ->last[s->p->is_eager && pick(s->p, 8) ? s->nlast - 1 : (int)pick(s->p, (size_t)s->nlast)];
}

static void keep(struct scope *s, int x)
{
    if (s->nlast == 8)
        memmove(s->last, s->last + 1, 7 * sizeof *s->last);
    s->last[s->nlast == 8 ? 7 : s->nlast++] = x;
}

static void step(struct scope *s);

/* A function of a scalar and a vector, with `count` steps; `tail` ends it. *Returns* its index. */
static uint32_t function(struct scope *outer, unsigned count, const char *tail)
{
    struct program *p = outer->p;
    uint32_t index = p->nfuncs++;
    struct scope s = {.p = p, .text = &p->func[index], .start = 0, .depth = outer->depth + 1};
    char vector[32], params[48];
    snprintf(vector, sizeof vector, "f32[%ld]", p->size);
    snprintf(params, sizeof params, "s32[], %s", vector);
    begin(&s, params);
    node(&s, "s32[]", "parameter index=0");
    keep(&s, node(&s, vector, "parameter index=1"));
    for (unsigned i = 0; i < count; i++)
        step(&s);
    int last = s.last[s.nlast - 1];
    if (strcmp(tail, "condition") == 0) {
        int zero = node(&s, "s32[]", "constant bits=00000000");
        str_printf(s.text, "],\"results\":[[%d,0]]}", node(&s, "u8[]", "greater n0, n%d", zero));
    } else if (strcmp(tail, "body") == 0) {
        int one = node(&s, "s32[]", "constant bits=00000001");
        str_printf(s.text, "],\"results\":[[%d,0],[%d,0]]}",
                   node(&s, "s32[]", "subtract n0, n%d", one), last);
    } else
        str_printf(s.text, "],\"results\":[[%d,0]]}", last);
    return index;
}

/* A function of an element and what was folded so far. *Returns* its index. */
static uint32_t folded(struct scope *outer)
{
    static const char *const ways[] = {"add", "max", "atan2", "multiply"};
    struct program *p = outer->p;
    uint32_t index = p->nfuncs++;
    struct scope s = {.p = p, .text = &p->func[index]};
    begin(&s, "f32[], f32[]");
    node(&s, "f32[]", "parameter index=0");
    node(&s, "f32[]", "parameter index=1");
    int last = node(&s, "f32[]", "%s n0, n1", ways[pick(p, 4)]);
    str_printf(s.text, "],\"results\":[[%d,0]]}",
               node(&s, "f32[]", pick(p, 2) ? "negate n%d" : "sin n%d", last));
    return index;
}

static int control(struct scope *s, int x, const char *vector)
{
    struct program *p = s->p;
    if (s->depth >= 2 || p->nfuncs + 4 > FUNCTIONS)
        return node(s, vector, "negate n%d", x);
    if (pick(p, 2)) {
        uint32_t condition = function(s, 0, "condition"),
                 first = function(s, 1 + pick(p, 6), "value");
        uint32_t other = function(s, 1 + pick(p, 6), "value");
        return node(s, vector, "cond n%d, n%d regions=[%u,%u,%u]", s->start, x, condition, first,
                    other);
    }
    int rounds = node(s, "s32[]", "constant bits=00000003");
    uint32_t condition = function(s, 0, "condition"), body = function(s, 1 + pick(p, 8), "body");
    char types[48];
    snprintf(types, sizeof types, "s32[], %s", vector);
    int loop = node(s, types, "while n%d, n%d regions=[%u,%u]", rounds, x, condition, body);
    return node(s, vector, "negate n%d.1", loop);
}

/* A window of `k` places around each, in one of four ways. */
static int window(struct scope *s, int x, const char *vector)
{
    static const char *const ways[] = {"window_sum", "window_max", "window_product"};
    struct program *p = s->p;
    unsigned k = 2 + pick(p, 4), stride = 1 + pick(p, 2), way = pick(p, 4);
    char attrs[96];
    /* dilated by the stride, so that as many places come out as go in */
    snprintf(attrs, sizeof attrs, "window=[%u] strides=[1] lo=[%u] hi=[0] dilations=[%u]", k,
             (k - 1) * stride, stride);
    if (way < 3)
        return node(s, vector, "%s n%d %s", ways[way], x, attrs);
    if (p->nfuncs + 1 > FUNCTIONS)
        return node(s, vector, "negate n%d", x);
    int first = node(s, "f32[]", "constant bits=3f000000");
    return node(s, vector, "window_reduce n%d, n%d %s regions=[%u]", x, first, attrs, folded(s));
}

static void step(struct scope *s)
{
    static const char *const functions[] = {"sin",  "exp",   "tanh", "erf_inv",
                                            "sqrt", "log1p", "cos",  "atan"};
    struct program *p = s->p;
    char vector[32], whole[32], part[32], column[32], square[32], across[32], row[32];
    long n = p->size;
    int a = operand(s), b = operand(s), t;
    snprintf(vector, sizeof vector, "f32[%ld]", n);
    snprintf(whole, sizeof whole, "f32[%ld]", 2 * n);
    snprintf(square, sizeof square, "f32[8,%ld]", n / 8);
    snprintf(across, sizeof across, "f32[%ld,8]", n / 8);
    switch (pick(p, 16)) {
    case 0:
        t = node(s, vector, "add n%d, n%d", a, node(s, vector, "reverse n%d axes=[0]", b));
        break;
    case 1:
    case 2:
        snprintf(part, sizeof part, "s32[%ld]", n);
        snprintf(column, sizeof column, "s32[%ld,1]", n);
        t = node(s, vector, "gather n%d, n%d axes=[0]", a,
                 node(s, column, "reshape n%d", node(s, part, "as_type n%d", b)));
        break;
    case 3:
    case 4:
        snprintf(part, sizeof part, "f32[%ld]", n / 4);
        t = node(s, part, "dynamic_slice n%d, n%d lengths=[%ld] strides=[1]", b, s->start, n / 4);
        t = node(s, vector, "put_slice n%d, n%d, n%d", a, t, s->start);
        break;
    case 5:
    case 6:
        t = node(s, whole, "concatenate n%d, n%d axis=0", a, b);
        t = node(s, vector, "slice n%d starts=[%u] lengths=[%ld] strides=[1]", t,
                 pick(p, (size_t)n), n);
        break;
    case 7:
        snprintf(part, sizeof part, "f32[%ld]", n - 1);
        t = node(s, part, "slice n%d starts=[0] lengths=[%ld] strides=[1]", b, n - 1);
        t = node(s, vector, "pad n%d, n%d lo=[1] hi=[0] interior=[0]", t,
                 node(s, "f32[]", "constant bits=3f000000"));
        t = node(s, vector, "add n%d, n%d", a, t);
        break;
    case 8:
        t = node(s, across, "transpose n%d axes=[1,0]", node(s, square, "reshape n%d", b));
        t = node(s, vector, "multiply n%d, n%d", a, node(s, vector, "reshape n%d", t));
        break;
    case 9:
        snprintf(part, sizeof part, "u8[%ld]", n);
        t = node(s, part, "greater n%d, n%d", a, b);
        t = node(s, vector, "select n%d, n%d, n%d", t, a,
                 node(s, vector, "reverse n%d axes=[0]", b));
        break;
    case 10:
        snprintf(row, sizeof row, "f32[%ld]", n / 8);
        t = node(s, row, "%s n%d axes=[0] keep=false", pick(p, 2) ? "sum" : "reduce_max",
                 node(s, square, "reshape n%d", b));
        t = node(s, vector, "reshape n%d", node(s, square, "broadcast n%d axes=[1]", t));
        t = node(s, vector, "subtract n%d, n%d", a, t);
        break;
    case 11:
        t = pick(p, 4) ? node(s, vector, "%s n%d", functions[pick(p, 8)], a)
                       : node(s, vector, "pow n%d, n%d", a, b);
        break;
    case 12: t = control(s, a, vector); break;
    case 13: t = window(s, a, vector); break;
    case 14:
        if (p->nfuncs + 1 > FUNCTIONS) {
            t = node(s, vector, "negate n%d", a);
            break;
        }
        snprintf(row, sizeof row, "f32[%ld]", n / 8);
        t = node(s, "f32[]", "constant bits=3f000000");
        t = node(s, row, "reduce n%d, n%d axes=[0] keep=false regions=[%u]",
                 node(s, square, "reshape n%d", b), t, folded(s));
        t = node(s, vector, "reshape n%d", node(s, square, "broadcast n%d axes=[1]", t));
        t = node(s, vector, "add n%d, n%d", a, t);
        break;
    default:
        if (pick(p, 4))
            t = node(s, vector, "add n%d, n%d", a, b);
        else
            t = node(s, vector, "sort n%d axis=0 descending=false stable=false", a);
    }
    keep(s, t);
}

static const char *make(struct arena *a, uint64_t seed, unsigned *out_nodes)
{
    static const long sizes[] = {8, 64, 1000, 9000, 100000};
    struct program p = {.arena = a, .random = seed * 0x9e3779b97f4a7c15u + 1, .nfuncs = 1};
    struct scope s = {.p = &p, .text = &p.func[0], .start = 0};
    struct str all;
    char vector[32], params[48];
    for (int i = 0; i < FUNCTIONS; i++)
        str_init(&p.func[i], a);
    str_init(&all, a);
    for (int i = 0; i < 8; i++)
        random_next(&p.random);
    p.size = sizes[pick(&p, 5)];
    p.is_eager = pick(&p, 4) != 0;
    unsigned steps = 10 + pick(&p, pick(&p, 4) ? 60 : 500);
    snprintf(vector, sizeof vector, "f32[%ld]", p.size);
    snprintf(params, sizeof params, "s32[], %s", vector);
    begin(&s, params);
    node(&s, "s32[]", "parameter index=0");
    keep(&s, node(&s, vector, "parameter index=1"));
    for (unsigned i = 0; i < steps && p.bytes < MOST_TEXT - 20000; i++)
        step(&s);
    str_printf(s.text, "],\"results\":[[%d,0],[%d,0]]}", s.last[s.nlast - 1], s.last[s.nlast / 2]);
    str_add(
        &all,
        "{\"schema\":\"nx.vulkan.graph/1\",\"name\":\"bomb\",\"entry\":0,\"literals\":[],\"donations\":[],"
        "\"callbacks\":0,\"funcs\":[");
    for (uint32_t i = 0; i < p.nfuncs; i++)
        str_printf(&all, "%s%s", i ? ",\n" : "", str_text(&p.func[i]));
    str_add(&all, "]}\n");
    *out_nodes = p.nodes;
    return str_text(&all);
}

/* What the child says of its program. */
struct outcome {
    int code;
    char message[256];
    uint64_t spirv;
    uint32_t kernels;
    double seconds;
    long kb;
};

static bool run(vkr_device *device, const struct vkc_result *r, struct outcome *o)
{
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    vkr_buffer in[2] = {0}, out[2] = {0};
    vkr_tensor_info info;
    bool ok = test_load(device, r->bundle, r->bundle_size, &program, &err) == VKR_OK;
    for (uint32_t i = 0; ok && i < 2; i++) {
        ok = vkr_program_input(program, i, &info, &err) == VKR_OK;
        void *data = ok ? calloc(1, info.bytes) : NULL;
        ok = data && vkr_buffer_create(device, data, info.bytes, &in[i], &err) == VKR_OK;
        free(data);
    }
    if (ok && vkr_run(program, in, 2, out, 2, NULL, &err) == VKR_OK &&
        vkr_program_output(program, 0, &info, &err) == VKR_OK) {
        void *data = malloc(info.bytes);
        ok = data && vkr_buffer_read(device, out[0], 0, data, info.bytes, &err) == VKR_OK;
        free(data);
    } else
        ok = false;
    snprintf(o->message, sizeof o->message, "%.255s", ok ? "" : err.message);
    return ok;
}

static void child(const char *text, int to)
{
    static struct vkc_result result;
    static struct outcome o;
    struct vkc_target target;
    char error[512];
    const struct rlimit hang = {HANG_S, HANG_S};
    setrlimit(RLIMIT_CPU, &hang);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    bool has_device = host_target(&target, error, sizeof error);
    if (!has_device)
        vkc_target_baseline(&target);
    struct vkc_options options = {.target = &target, .no_cache = true, .threads = 1};
    vkr_device_options device_options = {.pipeline_cache = ""};
    vkr_device *device = NULL;
    vkr_error err = {VKR_OK, ""};
    vkc_compile(text, strlen(text), NULL, 0, &options, &result);
    o.code = result.error.code;
    o.spirv = result.stats.spirv_bytes;
    o.kernels = result.stats.kernels;
    snprintf(o.message, sizeof o.message, "%.255s", result.error.message);
    if (o.code == 0 && has_device &&
        (vkr_device_open(&device_options, &device, &err) != VKR_OK || !run(device, &result, &o)))
        o.code = -1;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    o.seconds = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec;
    o.seconds += 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    o.kb = used.ru_maxrss;
    /* What this compiler writes is also admitted where nobody trusts it. */
    vkr_program *checked = NULL;
    if (o.code == 0 && device &&
        vkr_program_load(device, result.bundle, result.bundle_size, &checked, &err) != VKR_OK) {
        o.code = -1;
        snprintf(o.message, sizeof o.message, "%.255s", err.message);
    }
    if (write(to, &o, sizeof o) != sizeof o)
        _exit(1);
    _exit(0);
}

int main(int argc, char **argv)
{
    struct check c = {0};
    unsigned programs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : PROGRAMS, refused = 0;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, slowest = 0, largest = 0,
             longest = 0;
    double most_s = 0, most_bytes = 0;
    long most_kb = 0;
    const char *wanted = getenv("BOMB");
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (uint64_t seed = first; seed < first + programs; seed++) {
        struct arena a;
        struct outcome o = {.code = -2};
        unsigned nodes;
        int ends[2], status = 0;
        arena_init(&a, 0);
        const char *text = make(&a, wanted ? strtoull(wanted, NULL, 10) : seed, &nodes);
        if (wanted) {
            fputs(text, stdout);
            arena_finish(&a);
            return 0;
        }
        pid_t pid = pipe(ends) == 0 ? fork() : -1;
        if (pid == 0)
            child(text, ends[1]);
        if (!check_that(&c, pid > 0 && strlen(text) < MOST_TEXT, "%llu: no process, or %zu bytes",
                        (unsigned long long)seed, strlen(text)))
            return check_finish(&c);
        close(ends[1]);
        bool said = read(ends[0], &o, sizeof o) == sizeof o;
        close(ends[0]);
        waitpid(pid, &status, 0);
        check_that(&c, said && status == 0, "%llu: ends with status %d", (unsigned long long)seed,
                   status);
        check_that(&c, o.code == 0 || ((o.code == 1 || o.code == 3) && o.message[0]),
                   "%llu: code %d, %s", (unsigned long long)seed, o.code, o.message);
        check_that(&c, o.spirv <= (uint64_t)nodes * BYTES_A_NODE,
                   "%llu: %llu bytes of SPIR-V for %u nodes", (unsigned long long)seed,
                   (unsigned long long)o.spirv, nodes);
        if (o.code == 1 || o.code == 3)
            printf("%llu is refused: %s\n", (unsigned long long)seed, o.message);
        refused += o.code == 1 || o.code == 3;
        printf("%llu: %u nodes, %u kernels, %.1f s, %ld MB, %llu bytes of SPIR-V\n",
               (unsigned long long)seed, nodes, o.kernels, o.seconds, o.kb >> 10,
               (unsigned long long)o.spirv);
        if (o.seconds > most_s)
            most_s = o.seconds, slowest = seed;
        if (o.kb > most_kb)
            most_kb = o.kb, largest = seed;
        if ((double)o.spirv / nodes > most_bytes)
            most_bytes = (double)o.spirv / nodes, longest = seed;
        arena_finish(&a);
    }
    printf(
        "%u programs, %u refused; most: %.1f s (%llu), %ld MB (%llu), %.0f bytes of SPIR-V a node (%llu)\n",
        programs, refused, most_s, (unsigned long long)slowest, most_kb >> 10,
        (unsigned long long)largest, most_bytes, (unsigned long long)longest);
    return check_finish(&c);
}
