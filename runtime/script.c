#include "script.h"

#include <stdlib.h>
#include <string.h>

/* Steps of a command buffer: more of them cost memory, fewer cost submissions. */
enum { PIECE = 512 };

/* Appends to a growing array. False if memory is out. */
static bool grow(void **array, uint32_t count, uint32_t *capacity, size_t record)
{
    if (count < *capacity)
        return true;
    uint32_t wanted = *capacity ? *capacity * 2 : 8;
    void *bigger = host_alloc(wanted, record);
    if (!bigger)
        return false;
    if (count)
        memcpy(bigger, *array, count * record);
    free(*array);
    *array = bigger;
    *capacity = wanted;
    return true;
}

/* *Returns* the index of the new item, VKB_NONE if memory is out. */
static uint32_t emit(struct script *s, enum script_op op, uint32_t argument, uint32_t buffer)
{
    void *items = s->items;
    bool ok = grow(&items, s->nitems, &s->item_capacity, sizeof *s->items);
    s->items = items;
    if (!ok)
        return VKB_NONE;
    s->items[s->nitems] = (struct script_item){op, argument, buffer, 1};
    return s->nitems++;
}

/* What a range comes to when its repetitions are written out. The verifier bounds it, and the
   depth. */
struct amount {
    uint64_t steps;
    uint32_t dispatches;
};

static struct amount measure(const struct vkb_view *v, uint32_t first, uint32_t count)
{
    struct amount sum = {0};
    for (uint32_t i = first; i < first + count; i++) {
        const struct vkb_step *step = &v->steps[i];
        struct amount one = {1, step->kind == VKB_STEP_DISPATCH};
        if (step->kind == VKB_STEP_REPEAT) {
            one = measure(v, step->range_first[0], step->range_count[0]);
            one = (struct amount){one.steps * step->times, one.dispatches * step->times};
        }
        sum.steps += one.steps;
        sum.dispatches += one.dispatches;
    }
    return sum;
}

/* *Returns* the index of the new segment, VKB_NONE if memory is out. */
static uint32_t add_segment(const struct vkb_view *v, struct script *s, uint32_t first,
                            uint32_t count, uint32_t rounds, uint32_t predicate)
{
    void *segments = s->segments;
    bool ok = grow(&segments, s->nsegments, &s->segment_capacity, sizeof *s->segments);
    s->segments = segments;
    if (!ok)
        return VKB_NONE;
    s->segments[s->nsegments] =
        (struct segment){.first = first,
                         .count = count,
                         .rounds = rounds,
                         .ndispatches = measure(v, first, count).dispatches * rounds,
                         .predicate = predicate};
    return s->nsegments++;
}

static bool emit_segment(const struct vkb_view *v, struct script *s, uint32_t first, uint32_t end,
                         uint32_t predicate)
{
    if (first == end && predicate == VKB_NONE)
        return true;
    uint32_t segment = add_segment(v, s, first, end - first, 1, predicate);
    return segment != VKB_NONE && emit(s, SCRIPT_SUBMIT, segment, VKB_NONE) != VKB_NONE;
}

/* Whether the repetition is written out where it stands. */
static bool is_short(const struct vkb_view *v, const struct vkb_step *step)
{
    return !step->nbindings &&
           measure(v, step->range_first[0], step->range_count[0]).steps * step->times <= PIECE;
}

/* A few rounds, as often as that fits; then the rest. */
static bool emit_repeat(const struct vkb_view *v, struct script *s, const struct vkb_step *step)
{
    uint32_t first = step->range_first[0], count = step->range_count[0];
    if (step->nbindings) {
        uint32_t flag = v->bindings[step->first_binding].buffer,
                 segment = add_segment(v, s, first, count, step->times, flag);
        return segment != VKB_NONE && emit(s, SCRIPT_UNTIL, segment, flag) != VKB_NONE;
    }
    uint64_t steps = measure(v, first, count).steps;
    uint32_t rounds = steps < PIECE ? (uint32_t)(PIECE / steps) : 1, rest = step->times % rounds;
    uint32_t segment = add_segment(v, s, first, count, rounds, VKB_NONE);
    uint32_t item = segment == VKB_NONE ? VKB_NONE : emit(s, SCRIPT_SUBMIT, segment, VKB_NONE);
    if (item == VKB_NONE)
        return false;
    s->items[item].times = step->times / rounds;
    if (!rest)
        return true;
    segment = add_segment(v, s, first, count, rest, VKB_NONE);
    return segment != VKB_NONE && emit(s, SCRIPT_SUBMIT, segment, VKB_NONE) != VKB_NONE;
}

static bool emit_range(const struct vkb_view *v, struct script *s, uint32_t first, uint32_t count,
                       uint32_t predicate);

/* cond; unless p goto end; body; goto cond; end: */
static bool emit_while(const struct vkb_view *v, struct script *s, const struct vkb_step *step,
                       uint32_t predicate)
{
    uint32_t start = s->nitems;
    if (!emit_range(v, s, step->range_first[0], step->range_count[0], predicate))
        return false;
    uint32_t leave = emit(s, SCRIPT_UNLESS, 0, predicate);
    if (leave == VKB_NONE ||
        !emit_range(v, s, step->range_first[1], step->range_count[1], VKB_NONE) ||
        emit(s, SCRIPT_JUMP, start, VKB_NONE) == VKB_NONE)
        return false;
    s->items[leave].argument = s->nitems;
    return true;
}

/* unless p goto else; then; goto end; else: else; end: */
static bool emit_if(const struct vkb_view *v, struct script *s, const struct vkb_step *step,
                    uint32_t predicate)
{
    uint32_t leave = emit(s, SCRIPT_UNLESS, 0, predicate);
    if (leave == VKB_NONE ||
        !emit_range(v, s, step->range_first[0], step->range_count[0], VKB_NONE))
        return false;
    uint32_t join = emit(s, SCRIPT_JUMP, 0, VKB_NONE);
    if (join == VKB_NONE)
        return false;
    s->items[leave].argument = s->nitems;
    if (!emit_range(v, s, step->range_first[1], step->range_count[1], VKB_NONE))
        return false;
    s->items[join].argument = s->nitems;
    return true;
}

/* One range of steps; `predicate` is read at its end. The verifier bounds the depth. */
static bool emit_range(const struct vkb_view *v, struct script *s, uint32_t first, uint32_t count,
                       uint32_t predicate)
{
    uint32_t start = first;
    for (uint32_t i = first; i < first + count; i++) {
        const struct vkb_step *step = &v->steps[i];
        if (step->kind == VKB_STEP_DISPATCH || step->kind == VKB_STEP_COPY ||
            (step->kind == VKB_STEP_REPEAT && is_short(v, step))) {
            if (!s->is_single)
                continue;
            if (!emit_segment(v, s, i, i + 1, VKB_NONE))
                return false;
            start = i + 1;
            continue;
        }
        bool is_tested = step->kind == VKB_STEP_WHILE || step->kind == VKB_STEP_IF;
        uint32_t tested = is_tested ? v->bindings[step->first_binding].buffer : VKB_NONE;
        bool ok = emit_segment(v, s, start, i, step->kind == VKB_STEP_IF ? tested : VKB_NONE);
        if (ok && step->kind == VKB_STEP_WHILE)
            ok = emit_while(v, s, step, tested);
        else if (ok && step->kind == VKB_STEP_IF)
            ok = emit_if(v, s, step, tested);
        else if (ok && step->kind == VKB_STEP_REPEAT)
            ok = emit_repeat(v, s, step);
        else if (ok)
            ok = emit(s, SCRIPT_HOST, i, VKB_NONE) != VKB_NONE;
        if (!ok)
            return false;
        s->is_steered = true;
        s->has_host_steps |= step->kind == VKB_STEP_HOST;
        start = i + 1;
    }
    return emit_segment(v, s, start, first + count, predicate);
}

vkr_status script_build(const struct vkb_view *bundle, bool single, struct script *out,
                        vkr_error *err)
{
    *out = (struct script){.is_single = single, .is_steered = single};
    if (!emit_range(bundle, out, bundle->program->main_first, bundle->program->main_count,
                    VKB_NONE) ||
        emit(out, SCRIPT_END, 0, VKB_NONE) == VKB_NONE) {
        script_finish(out);
        return error_memory(err);
    }
    return VKR_OK;
}

void script_finish(struct script *script)
{
    free(script->segments);
    free(script->items);
    memset(script, 0, sizeof *script);
}
