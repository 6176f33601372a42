/* The plan as text: buffers, then steps in the order in which they run. */
#include "runtime/bundle.h"
#include "plan/plan_text.h"

#include "codegen/family/family.h"

static void print_buffer(const struct plan *p, uint32_t i, struct str *out)
{
    const struct plan_buffer *b = &p->buffers[i];
    switch (b->kind) {
    case PLAN_INPUT: str_printf(out, "in%u", b->index); break;
    case PLAN_OUTPUT: str_printf(out, "out%u", b->index); break;
    case PLAN_CONSTANT: str_printf(out, "const+%llu", (unsigned long long)b->offset); break;
    case PLAN_SCRATCH:
        str_printf(out, "%s@%llu", b->name ? b->name : "tmp", (unsigned long long)b->offset);
        break;
    }
}

static void print_steps(const struct plan *p, uint32_t first, uint32_t count, int indent,
                        struct str *out)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct plan_step *s = &p->steps[i];
        if (s->barrier)
            str_printf(out, "%*sbarrier\n", indent, "");
        str_printf(out, "%*s", indent, "");
        static const char *const names[] = {"dispatch", "copy", "while", "if", "host", "repeat"};
        str_add(out, names[s->kind]);
        if (s->kind == STEP_DISPATCH) {
            const struct kernel *k = &p->kernels[s->kernel];
            str_printf(out, " k%u %ux%ux%u%s  %s ", k->id, k->schedule.groups[0],
                       k->schedule.groups[1], k->schedule.groups[2],
                       s->counts == NO_INDEX ? "" : " or none", k->label ? k->label : "");
            for (const struct kernel *v = k->variant; v; v = v->variant) {
                const uint32_t *groups = v->schedule.groups;
                str_printf(out, " for %s%s %ux%ux%u ", v->alternative->target->name,
                           units_text(v->alternative->matrix_units), groups[0], groups[1],
                           groups[2]);
            }
        } else if (s->kind == STEP_HOST)
            str_printf(out, " callback %u", s->kernel);
        else if (s->kind == STEP_REPEAT)
            str_printf(out, s->nbuffers ? " blocks of %u until" : " %u times", s->times);
        for (uint32_t j = 0; j < s->nbuffers; j++) {
            str_add(out, j ? ", " : " (");
            str_add(out, s->access[j] == VKB_READ ? "" : s->access[j] == VKB_WRITE ? "w " : "rw ");
            print_buffer(p, s->buffers[j], out);
        }
        str_add(out, s->nbuffers ? ")" : "");
        str_printf(out, "  %llu bytes\n", (unsigned long long)s->bytes);
        for (uint32_t r = 0; r < 2; r++)
            if (s->range_count[r]) {
                if (s->kind != STEP_REPEAT)
                    str_printf(out, "%*s%s:\n", indent, "",
                               s->kind == STEP_WHILE ? (r ? "body" : "condition")
                               : r                   ? "else"
                                                     : "then");
                print_steps(p, s->range_first[r], s->range_count[r], indent + 2, out);
            }
    }
}

void plan_print(const struct plan *p, struct str *out)
{
    str_printf(out, "plan for %s: %u kernels, %u steps, arena %llu of %llu bytes, constants %llu\n",
               p->target->name, p->nkernels, p->nsteps, (unsigned long long)p->arena_bytes,
               (unsigned long long)p->unplanned_bytes, (unsigned long long)p->constants_bytes);
    for (uint32_t i = 0; i < p->nkernels; i++) {
        const struct kernel *k = &p->kernels[i];
        str_printf(out, "k%u %s  group %u", k->id, k->label ? k->label : "", k->schedule.group);
        if (k->family < KERNEL_GROUP && family_of(k)->print_schedule)
            family_of(k)->print_schedule(k, out);
        str_printf(out, "  %llu flop%s%s\n", (unsigned long long)k->flops, k->why ? "  -- " : "",
                   k->why ? k->why : "");
    }
    for (uint32_t i = 0; i < p->nnotes; i++) {
        const struct plan_note *n = &p->notes[i];
        if (n->node == VKC_NO_NODE)
            str_printf(out, "f%u is no workgroup program: %s\n", n->func, n->why);
        else
            str_printf(out, "f%u n%u is no workgroup program: %s\n", n->func,
                       func_node(&p->graph->funcs[n->func], n->node)->label, n->why);
    }
    print_steps(p, p->main_first, p->main_count, 0, out);
}
