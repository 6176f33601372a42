#include "run.h"

#include "../machine/machine.h"
#include "../watch/load.h"
#include "pack/bundle_write.h"
#include "pack/spirv.h"

enum { ORDERS = 4 };

const char *run_number(struct run *r, uint32_t n)
{
    return arena_printf(r->arena, "%u", n);
}

uint32_t run_random(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

const char *run_kernel_text(struct run *r, uint32_t group, const char *functions, const char *body)
{
    return arena_printf(r->arena,
                        "#extension GL_EXT_control_flow_attributes : require\n"
                        "layout(local_size_x = %u) in;\n"
                        "layout(std430, binding = 0) readonly buffer From { uint from[]; };\n"
                        "layout(std430, binding = 1) writeonly buffer To { uint to[]; };\n"
                        "%s\nvoid main()\n{\n%s}\n",
                        group, functions, body);
}

const char *run_fill(struct run *r, const char *file, const struct template_var *vars, uint32_t n)
{
    struct str out;
    struct diag d = {0};
    str_init(&out, r->arena);
    check_that(&r->e2e.check, template_fill(file, vars, n, &out, &d), "%s: %s", file, d.message);
    return str_text(&out);
}

/* The plan of a graph with one kernel over so many words, whose code becomes the one at hand. */
static bool plan_of(struct run *r, const struct run_kernel *k, const struct vkc_target *target,
                    struct graph *g, struct plan *p, struct diag *d)
{
    const struct vkc_options options = {.target = target};
    const char *text = arena_printf(
        r->arena,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(u32[%u]) {\nn0 = parameter index=0 : u32[%u]\n"
        "n1 = bitwise_not n0 : u32[%u]\nreturn n1\n}\n",
        k->words, k->words, k->words);
    if (!ir_parse(r->arena, text, strlen(text), g, d) || !ir_verify(g, d) ||
        !plan_build(r->arena, g, &options, target, p, d))
        return false;
    struct kernel *kernel = &p->kernels[0];
    struct plan_step *s = &p->steps[0];
    if (p->nkernels != 1 || p->nsteps != 1 || s->nbuffers != 2 || s->access[0] != VKB_READ)
        return FAIL(d, INTERNAL, "the graph is not one kernel that reads and writes");
    if (k->output_first) {
        uint32_t from = s->buffers[0];
        s->buffers[0] = s->buffers[1];
        s->buffers[1] = from;
        s->access[0] = s->access[1];
        s->access[1] = VKB_READ;
    }
    kernel->glsl = arena_printf(r->arena, "#version 450\n%s", k->glsl);
    kernel->schedule.group = k->group;
    kernel->schedule.groups[0] = k->groups;
    kernel->schedule.groups[1] = kernel->schedule.groups[2] = 1;
    kernel->shared_bytes = k->shared_bytes;
    return true;
}

static void compare(struct run *r, const struct run_kernel *k, const char *where,
                    const uint32_t *found, const uint32_t *wanted)
{
    uint32_t i = 0;
    while (found && i < k->words && found[i] == wanted[i])
        i++;
    check_that(&r->e2e.check, i == k->words, "%s, %s: word %u is 0x%x, not 0x%x", k->name, where, i,
               found && i < k->words ? found[i] : 0, i < k->words ? wanted[i] : 0);
}

static void on_device(struct run *r, const struct run_kernel *k, const void *bundle, size_t size,
                      const uint32_t *in, const uint32_t *wanted)
{
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    uint32_t *words = malloc(4 * (size_t)k->words);
    struct array input = {{.type = TYPE_U32}, words};
    void *found = NULL;
    input.tensor.shape = shape_of(1, (int64_t[1]){k->words});
    bool ok = test_load(r->e2e.device, bundle, size, &program, &err) == VKR_OK && words;
    if (check_that(&r->e2e.check, ok, "%s: %s", k->name, err.message)) {
        memcpy(words, in, 4 * (size_t)k->words);
        if (e2e_run(&r->e2e, k->name, program, &input, &found))
            compare(r, k, "on the device", found, wanted);
    }
    vkr_program_unload(program);
    free(words);
    free(found);
}

void run_compare(struct run *r, const struct run_kernel *k, const uint32_t *in,
                 const uint32_t *wanted)
{
    struct vkc_target target;
    struct graph g;
    struct plan p;
    struct diag d = {0};
    void *bundle = NULL;
    size_t size = 0;
    if (!check_wanted(&r->e2e.check, k->name))
        return;
    bool ok = vkc_target_named("baseline", &target) && plan_of(r, k, &target, &g, &p, &d) &&
              spirv_compile(&p, 1, NULL, NULL, NULL, &d) && bundle_write(&p, &bundle, &size, &d);
    if (check_that(&r->e2e.check, ok, "%s: %s", k->name, d.message)) {
        for (uint64_t seed = 1; seed <= ORDERS; seed++) {
            const struct machine_options options = {.seed = seed};
            char error[512] = "";
            const void *inputs[1] = {in};
            void *found[1] = {NULL};
            bool ran = machine_run(bundle, size, inputs, found, &options, error, sizeof error);
            if (check_that(&r->e2e.check, ran, "%s, by the machine: %s", k->name, error))
                compare(r, k, "by the machine", found[0], wanted);
            free(found[0]);
        }
        if (r->has_device)
            on_device(r, k, bundle, size, in, wanted);
    }
    free(bundle);
}
