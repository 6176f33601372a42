/* Programs that call the host and replace their inputs, planned: random kernels, hooks, runtime
   calls and donations. The calls come in their order, each once, with what they read and what they
   make; whatever a step reads has been written, and nothing has taken its memory since.
   effects_test [programs] [first seed] */
#include <stdlib.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "base/str.h"
#include "check.h"
#include "planned.h"
#include "random.h"

enum { MOST_VALUES = 64, MOST_CALLS = 32, KINDS = 2 };
enum kind { ROWS, TABLE };
static const char *const types[KINDS] = {"f32[70]", "f32[70,300]"};

static uint64_t state;
static unsigned ncalls, ntaken; /* of donations */

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(next_random(&state) % below);
}

/* ---- programs ---- */

struct program {
    struct str text;
    uint32_t count, calls;
    const char *values[MOST_VALUES]; /* as the text names them */
    enum kind kinds[MOST_VALUES];
    uint32_t nvalues;
    uint32_t buffers[MOST_CALLS]; /* of each call: what it is given and what it makes */
};

static const char *some(const struct program *p, enum kind kind)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < p->nvalues; i++)
        if (p->kinds[i] == kind && (!found || draw(3) > 0))
            found = p->values[i];
    return found;
}

static void add(struct program *p, enum kind kind, const char *name)
{
    p->kinds[p->nvalues] = kind;
    p->values[p->nvalues++] = name;
}

static const struct form {
    enum kind gives;
    const char *text;
    enum kind takes[2];
} forms[] = {
    {TABLE, "exp %s", {TABLE}},
    {TABLE, "add %s, %s", {TABLE, TABLE}},
    {TABLE, "broadcast %s axes=[0]", {ROWS}},
    {ROWS, "sum %s axes=[1] keep=false", {TABLE}},
    {ROWS, "multiply %s, %s", {ROWS, ROWS}},
    {TABLE, "sort %s axis=1 descending=false stable=false", {TABLE}},
};

/* A call of the host: given a value, it makes one, or hands another on. */
static void put_call(struct program *p, struct arena *a)
{
    enum kind x = draw(2) ? TABLE : ROWS, y = draw(2) ? TABLE : ROWS;
    const char *given = some(p, x), *passed = some(p, y);
    uint32_t call = p->calls++, node = p->count++;
    if (draw(2)) {
        str_printf(&p->text, "n%u = runtime_call %s callback=%u seq=%u : %s\n", node, given, call,
                   call, types[y]);
        p->buffers[call] = 2;
    } else {
        str_printf(&p->text, "n%u = hook %s, %s callback=%u seq=%u hooked=1 : %s\n", node, given,
                   passed, call, call, types[y]);
        p->buffers[call] = 1;
    }
    if (draw(4)) /* else nobody reads what it gives */
        add(p, y, arena_printf(a, "n%u", node));
}

static void put_random(struct program *p, struct arena *a)
{
    const struct form *f = &forms[draw(sizeof forms / sizeof *forms)];
    char node[128];
    snprintf(node, sizeof node, f->text, some(p, f->takes[0]), some(p, f->takes[1]));
    str_printf(&p->text, "n%u = %s : %s\n", p->count, node, types[f->gives]);
    add(p, f->gives, arena_printf(a, "n%u", p->count++));
}

static const char *make_program(struct program *p, struct arena *a)
{
    struct str whole;
    *p = (struct program){.count = 2};
    str_init(&p->text, a);
    str_init(&whole, a);
    add(p, ROWS, "n0");
    add(p, TABLE, "n1");
    for (uint32_t i = 0, n = 4 + draw(24); i < n; i++)
        if (draw(4) == 0)
            put_call(p, a);
        else
            put_random(p, a);
    str_printf(&whole,
               "graph \"t\" entry=f0 callbacks=%u\nfunc f0(%s, %s) {\n"
               "n0 = parameter index=0 : %s\nn1 = parameter index=1 : %s\n%sreturn %s, %s\n}\n%s%s",
               p->calls, types[ROWS], types[TABLE], types[ROWS], types[TABLE], str_text(&p->text),
               some(p, ROWS), some(p, TABLE), draw(2) ? "donate 0 -> 0\n" : "",
               draw(2) ? "donate 1 -> 1\n" : "");
    return str_text(&whole);
}

/* ---- running on paper ---- */

/* A result in the memory of an input, or bytes of the arena that both have. */
static bool overlap(const struct plan_buffer *a, const struct plan_buffer *b)
{
    if (a->kind == PLAN_INPUT && b->kind == PLAN_OUTPUT)
        return b->alias == a->index;
    return a->kind == PLAN_SCRATCH && b->kind == PLAN_SCRATCH && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static void write_buffer(const struct plan *p, bool *holds, uint32_t buffer)
{
    for (uint32_t i = 0; i < p->nbuffers; i++)
        holds[i] &= !overlap(&p->buffers[i], &p->buffers[buffer]);
    holds[buffer] = true;
}

static void check_call(const struct program *made, const struct plan_step *s, uint32_t call,
                       uint64_t seed)
{
    CHECK(s->kernel == call, "seed %llu: call %u comes as number %u", (unsigned long long)seed,
          s->kernel, call);
    CHECK(call < made->calls && s->nbuffers == made->buffers[call],
          "seed %llu: call %u has %u buffers", (unsigned long long)seed, call, s->nbuffers);
    for (uint32_t i = 0; i < s->nbuffers; i++)
        CHECK(s->access[i] == (i == 0 ? VKB_READ : VKB_WRITE),
              "seed %llu: call %u, buffer %u: access %u", (unsigned long long)seed, call, i,
              s->access[i]);
}

static void run_on_paper(struct arena *a, const struct program *made, const struct plan *p,
                         uint64_t seed)
{
    bool *holds = ARENA_ARRAY(a, bool, p->nbuffers + 1);
    uint32_t calls = 0;
    for (uint32_t i = 0; i < p->nbuffers; i++)
        holds[i] = p->buffers[i].kind == PLAN_INPUT || p->buffers[i].kind == PLAN_CONSTANT;
    for (uint32_t i = p->main_first; i < p->main_first + p->main_count; i++) {
        const struct plan_step *s = &p->steps[i];
        if (s->kind == STEP_COPY)
            CHECK(s->access[0] == VKB_READ && s->access[1] == VKB_WRITE,
                  "seed %llu: step %u copies with access %u and %u", (unsigned long long)seed, i,
                  s->access[0], s->access[1]);
        for (uint32_t j = 0; j < s->nbuffers; j++)
            CHECK(s->access[j] != 0, "seed %llu: step %u has a buffer for nothing",
                  (unsigned long long)seed, i);
        for (uint32_t j = 0; j < s->nbuffers; j++)
            CHECK(!(s->access[j] & VKB_READ) || holds[s->buffers[j]],
                  "seed %llu: step %u reads what is not there", (unsigned long long)seed, i);
        for (uint32_t j = 0; j < s->nbuffers; j++)
            if (s->access[j] & VKB_WRITE)
                write_buffer(p, holds, s->buffers[j]);
        if (s->kind == STEP_HOST)
            check_call(made, s, calls++, seed);
    }
    CHECK(calls == made->calls, "seed %llu: %u calls, not %u", (unsigned long long)seed, calls,
          made->calls);
    for (uint32_t i = 0; i < p->nbuffers; i++) {
        bool is_taken = p->buffers[i].kind == PLAN_OUTPUT && p->buffers[i].alias != NO_INDEX;
        CHECK(p->buffers[i].kind != PLAN_OUTPUT || holds[i] || is_taken,
              "seed %llu: result %u is not there", (unsigned long long)seed, p->buffers[i].index);
        ntaken += is_taken;
    }
    ncalls += calls;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 300;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static const char *const profiles[] = {"lavapipe", "nvidia", "amd"};
    for (uint64_t seed = first; seed < first + (uint64_t)count; seed++) {
        struct vkc_target target;
        struct program made;
        struct plan p;
        struct arena a;
        char name[32];
        state = seed;
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        arena_init(&a, 0);
        bool ok = vkc_target_named(profiles[seed % 3], &target);
        CHECK(ok, "%s: no profile %s", name, profiles[seed % 3]);
        if (ok && plan_for(&a, name, &target, make_program(&made, &a), NULL, &p))
            run_on_paper(&a, &made, &p, seed);
        arena_finish(&a);
    }
    CHECK(ncalls >= 3 * count && ntaken >= count / 4, "%u calls, %u donations are taken", ncalls,
          ntaken);
    return check_report();
}
