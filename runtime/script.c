#include "script.h"

#include <stdlib.h>
#include <string.h>

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
    s->items[s->nitems] = (struct script_item){op, argument, buffer};
    return s->nitems++;
}

static bool emit_segment(const struct vkb_view *v, struct script *s, uint32_t first, uint32_t end, uint32_t predicate)
{
    if (first == end && predicate == VKB_NONE)
        return true;
    void *segments = s->segments;
    bool ok = grow(&segments, s->nsegments, &s->segment_capacity, sizeof *s->segments);
    s->segments = segments;
    if (!ok)
        return false;
    s->segments[s->nsegments] = (struct segment){.first = first, .count = end - first, .predicate = predicate};
    for (uint32_t i = first; i < end; i++)
        s->segments[s->nsegments].ndispatches += v->steps[i].kind == VKB_STEP_DISPATCH;
    return emit(s, SCRIPT_SUBMIT, s->nsegments++, VKB_NONE) != VKB_NONE;
}

static bool emit_range(const struct vkb_view *v, struct script *s, uint32_t first, uint32_t count, uint32_t predicate);

/* cond; unless p goto end; body; goto cond; end: */
static bool emit_while(const struct vkb_view *v, struct script *s, const struct vkb_step *step, uint32_t predicate)
{
    uint32_t start = s->nitems;
    if (!emit_range(v, s, step->range_first[0], step->range_count[0], predicate))
        return false;
    uint32_t leave = emit(s, SCRIPT_UNLESS, 0, predicate);
    if (leave == VKB_NONE || !emit_range(v, s, step->range_first[1], step->range_count[1], VKB_NONE) ||
        emit(s, SCRIPT_JUMP, start, VKB_NONE) == VKB_NONE)
        return false;
    s->items[leave].argument = s->nitems;
    return true;
}

/* unless p goto else; then; goto end; else: else; end: */
static bool emit_if(const struct vkb_view *v, struct script *s, const struct vkb_step *step, uint32_t predicate)
{
    uint32_t leave = emit(s, SCRIPT_UNLESS, 0, predicate);
    if (leave == VKB_NONE || !emit_range(v, s, step->range_first[0], step->range_count[0], VKB_NONE))
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
static bool emit_range(const struct vkb_view *v, struct script *s, uint32_t first, uint32_t count, uint32_t predicate)
{
    uint32_t start = first;
    for (uint32_t i = first; i < first + count; i++) {
        const struct vkb_step *step = &v->steps[i];
        if (step->kind == VKB_STEP_DISPATCH || step->kind == VKB_STEP_COPY)
            continue;
        uint32_t tested = step->kind == VKB_STEP_HOST ? VKB_NONE : v->bindings[step->first_binding].buffer;
        bool ok = emit_segment(v, s, start, i, step->kind == VKB_STEP_IF ? tested : VKB_NONE);
        if (ok && step->kind == VKB_STEP_WHILE)
            ok = emit_while(v, s, step, tested);
        else if (ok && step->kind == VKB_STEP_IF)
            ok = emit_if(v, s, step, tested);
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

vkr_status script_build(const struct vkb_view *bundle, struct script *out, vkr_error *err)
{
    memset(out, 0, sizeof *out);
    if (!emit_range(bundle, out, bundle->program->main_first, bundle->program->main_count, VKB_NONE) ||
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
