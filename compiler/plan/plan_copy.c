/* Copies as kernels. A recorded copy command names its buffers, so a call with other tensors
   would have to record again, and it cannot be turned off; a kernel finds its buffers through
   descriptors, and its group counts may lie in memory. Neighbouring copies that do not depend on
   each other share a kernel. Before that, plan_drop.c
   drops copies whose source can be made at their target. */
#include <string.h>

#include "codegen/emit/emit.h"
#include "runtime/bundle.h"
#include "plan/plan_control.h"
#include "plan/plan_copy.h"
#include "codegen/template.h"
#include "target/limits.h"

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

/* Memory, rather than the name that a step has for it. */
static const struct plan_buffer *memory_of(const struct plan *p, uint32_t buffer)
{
    const struct plan_buffer *pb = &p->buffers[buffer];
    for (uint32_t i = 0; pb->kind == PLAN_OUTPUT && pb->alias != NO_INDEX && i < p->nbuffers; i++)
        if (p->buffers[i].kind == PLAN_INPUT && p->buffers[i].index == pb->alias)
            return &p->buffers[i];
    return pb;
}

static bool is_tensor(const struct plan_buffer *b)
{
    return b->kind == PLAN_INPUT || b->kind == PLAN_OUTPUT;
}

/* What is too large for a binding, and cannot be used in parts, stays a command. */
static bool is_tensor_copy(const struct plan *p, const struct plan_step *s)
{
    return s->kind == STEP_COPY &&
           (s->bytes <= unit_part_bytes(p->target) ||
            p->target->features & VKB_FEATURE_ADDRESSES) &&
           (is_tensor(&p->buffers[s->buffers[0]]) || is_tensor(&p->buffers[s->buffers[1]]));
}

/* Whether either writes what the other touches. */
static bool conflict(const struct plan *p, const struct plan_step *a, const struct plan_step *b)
{
    const struct plan_buffer *a_from = memory_of(p, a->buffers[0]),
                             *a_to = memory_of(p, a->buffers[1]);
    const struct plan_buffer *b_from = memory_of(p, b->buffers[0]),
                             *b_to = memory_of(p, b->buffers[1]);
    return a_to == b_to || a_to == b_from || a_from == b_to;
}

/* Bytes of an element of a copy. */
static uint32_t copy_width(const struct plan_step *copy)
{
    return copy->bytes % 16 ? 4 : 16;
}

/* Declares the source or target of copy `i`. *Returns* whether it is used in parts. */
static bool declare(const struct plan *p, uint32_t buffer, uint32_t binding, const char *access,
                    uint32_t i, uint32_t width, struct needs *needs, struct str *out)
{
    bool is_to = binding % 2;
    const char *type = width == 16 ? "uvec4" : "uint",
               *name = arena_printf(p->arena, "%s%u", is_to ? "to" : "from", i);
    if (!name)
        return false;
    if (p->buffers[buffer].bytes > unit_part_bytes(p->target)) {
        emit_addresses(needs, binding, name, out);
        emit_parts(p->target,
                   &(struct parts){name, is_to ? "writeonly " : "readonly ", type, width, binding},
                   out);
        return true;
    }
    str_printf(out, "layout(std430, binding = %u) %s buffer %s%u { %s %s[]; };\n", binding, access,
               is_to ? "To" : "From", i, type, name);
    return false;
}

/* Copy `i` of a kernel: its buffers, its function, its call. */
static void add_copy(struct planner *b, const struct plan_step *copy, uint32_t i,
                     struct needs *needs, struct str *declarations, struct str *functions,
                     struct str *calls)
{
    struct plan *p = b->plan;
    struct arena *a = p->arena;
    uint32_t width = copy_width(copy);
    bool from_parts =
        declare(p, copy->buffers[0], 2 * i, "readonly", i, width, needs, declarations);
    bool to_parts =
        declare(p, copy->buffers[1], 2 * i + 1, "writeonly", i, width, needs, declarations);
    unsigned long long elements = copy->bytes / width;
    struct template_var v[] = {
        {"NUMBER", arena_printf(a, "%u", i)},
        {"COUNT", arena_printf(a, to_parts ? "%lluu" : "to%llu.length()", to_parts ? elements : i)},
        {"TO", arena_printf(a, to_parts ? "to%u(i)" : "to%u[i]", i)},
        {"FROM", arena_printf(a, from_parts ? "from%u(i)" : "from%u[i]", i)},
    };
    template_fill("copy.glsl", v, sizeof v / sizeof *v, functions, b->diag);
    str_printf(calls, "    copy%u(threads);\n", i);
}

/* One kernel for `n` copies, which are `first` and the steps after it. It takes the place of the
   first. */
static bool make_kernel(struct planner *b, struct task_step *first, uint32_t n)
{
    struct plan *p = b->plan;
    struct arena *a = p->arena;
    struct kernel k = {.family = KERNEL_STEER,
                       .same_as = NO_INDEX,
                       .nbound = 2 * n,
                       .label = n > 1 ? arena_printf(a, "%u copies", n) : "copy"};
    struct plan_step *s = &first->step;
    uint32_t *buffers = ARENA_ARRAY(a, uint32_t, 2 * n);
    uint8_t *access = ARENA_ARRAY(a, uint8_t, 2 * n);
    struct needs needs = {0};
    struct str declarations, functions, body, extensions, glsl;
    uint64_t bytes = 0, threads = 0;
    str_init(&declarations, a);
    str_init(&functions, a);
    str_init(&body, a);
    str_init(&extensions, a);
    str_init(&glsl, a);
    if (!buffers || !access)
        return no_memory(b);
    k.schedule.group = p->tuning.copy_group;
    for (uint32_t i = 0; i < n; i++) {
        const struct plan_step *copy = &first[i].step;
        memcpy(&buffers[2 * i], copy->buffers, 2 * sizeof *buffers);
        memcpy(&access[2 * i], copy->access, 2 * sizeof *access);
        add_copy(b, copy, i, &needs, &declarations, &functions, &body);
        bytes += 2 * copy->bytes;
        uint64_t elements = copy->bytes / copy_width(copy);
        threads = elements > threads ? elements : threads;
    }
    uint64_t groups = (threads + k.schedule.group - 1) / k.schedule.group;
    k.schedule.groups[0] =
        groups < p->target->max_groups[0] ? (uint32_t)groups : p->target->max_groups[0];
    k.schedule.groups[1] = k.schedule.groups[2] = 1;
    k.features = needs.features;
    needs_extensions(&needs, &extensions);
    struct template_var v[] = {
        {"EXTENSIONS", str_text(&extensions)},
        {"LABEL", k.label},
        {"GROUP", arena_printf(a, "%u", k.schedule.group)},
        {"BUFFERS", str_text(&declarations)},
        {"FUNCTIONS", str_text(&functions)},
        {"COPIES", str_text(&body)},
    };
    if (a->failed || b->diag->code != DIAG_OK ||
        !template_fill("copy.comp", v, sizeof v / sizeof *v, &glsl, b->diag))
        return b->diag->code == DIAG_OK ? no_memory(b) : false;
    k.glsl = str_text(&glsl);
    s->kind = STEP_DISPATCH;
    s->kernel = plan_add_kernel(b, &k);
    s->buffers = buffers;
    s->access = access;
    s->nbuffers = 2 * n;
    s->bytes = bytes;
    return s->kernel != NO_INDEX || no_memory(b);
}

bool plan_copy_kernel(struct planner *b, struct task_step *first, uint32_t n)
{
    return make_kernel(b, first, n);
}

/* How many copies from `first` on share a kernel; `tensors`: of those that name a tensor only. */
static uint32_t neighbours(const struct plan *p, const struct block *block, uint32_t first,
                           bool tensors)
{
    uint32_t n = 1;
    for (; first + n < block->nsteps && 2 * (n + 1) <= kernel_bindings(p->target->max_bindings);
         n++) {
        const struct plan_step *s = &block->steps[first + n].step;
        if (tensors ? !is_tensor_copy(p, s) : s->kind != STEP_COPY)
            break;
        for (uint32_t i = 0; i < n; i++)
            if (conflict(p, &block->steps[first + i].step, s))
                return n;
    }
    return n;
}

uint32_t plan_copies_together(const struct plan *p, const struct block *block, uint32_t first)
{
    return neighbours(p, block, first, false);
}

bool plan_tensor_copies(struct planner *b, struct block *block)
{
    uint32_t kept = 0, n;
    for (uint32_t i = 0; i < block->nsteps; i += n) {
        struct task_step *t = &block->steps[i];
        n = 1;
        for (uint32_t r = 0; r < 2; r++)
            if (t->range[r] && !plan_tensor_copies(b, t->range[r]))
                return false;
        if (is_tensor_copy(b->plan, &t->step)) {
            n = neighbours(b->plan, block, i, true);
            if (!make_kernel(b, t, n))
                return false;
        }
        block->steps[kept++] = *t;
    }
    block->nsteps = kept;
    return true;
}
