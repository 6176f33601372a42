#include "door.h"

#include <stdlib.h>

#include "spirv_check.h"
#include "spirv_guard.h"

/* What all dispatches of a kernel bind to one of its bindings. */
struct bound {
    uint64_t least, most; /* bytes; least is UINT64_MAX if it is never dispatched */
    uint32_t access;      /* that all of them declare */
};

uint64_t door_bytes(const struct vkb_view *v, uint32_t buffer)
{
    const struct vkb_buffer *b = &v->buffers[buffer];
    uint32_t first = b->kind == VKB_BUFFER_OUTPUT ? v->program->ninputs : 0;
    bool is_tensor = b->kind == VKB_BUFFER_INPUT || b->kind == VKB_BUFFER_OUTPUT;
    if (is_tensor && !v->tensors[first + b->index].bytes)
        return DOOR_EMPTY_BYTES;
    return b->bytes ? b->bytes : 4;
}

bool door_admits(const struct vkb_body *body)
{
    return !(body->features & VKB_FEATURE_COOPERATIVE_MATRIX);
}

/* ---- counts ---- */

/* Group counts in memory are at most those of the step. */
static uint64_t invocations(const struct vkb_view *v, const struct vkb_step *step, uint32_t body)
{
    const uint32_t *size = vkb_body_of(v, step->kernel, body)->local_size;
    const uint32_t *count = vkb_group_counts(v, step, body);
    uint64_t groups = (uint64_t)count[0] * count[1];
    if (groups > DOOR_MAX_INVOCATIONS)
        return groups;
    groups = groups * count[2];
    return groups > DOOR_MAX_INVOCATIONS ? groups : groups * size[0] * size[1] * size[2];
}

/* Of steps with what they repeat written out. */
struct amount {
    uint64_t invocations, dispatches;
};

static uint64_t capped(uint64_t x, uint64_t times)
{
    const uint64_t most = (uint64_t)1 << 60;
    return times && x > most / times ? most : x * times;
}

static struct amount sum_range(const struct amount *steps, uint32_t first, uint32_t count,
                               uint64_t times)
{
    struct amount sum = {0};
    for (uint32_t i = first; i < first + count; i++) {
        sum.invocations = capped(sum.invocations + steps[i].invocations, 1);
        sum.dispatches = capped(sum.dispatches + steps[i].dispatches, 1);
    }
    return (struct amount){capped(sum.invocations, times), capped(sum.dispatches, times)};
}

static vkr_status check_counts(const struct vkb_view *v, const struct script *script,
                               const uint32_t *taken, vkr_error *err)
{
    struct amount *steps = host_alloc(v->nsteps, sizeof *steps);
    uint64_t recorded = 0, submits = 0;
    vkr_status status = VKR_OK;
    if (!steps)
        return error_memory(err);
    for (uint32_t i = v->nsteps; i-- > 0;) { /* ranges lie after what owns them */
        const struct vkb_step *s = &v->steps[i];
        if (s->kind == VKB_STEP_DISPATCH)
            steps[i] = (struct amount){invocations(v, s, taken[s->kernel]), 1};
        else if (s->kind == VKB_STEP_COPY)
            steps[i].dispatches = 1;
        else if (s->kind == VKB_STEP_REPEAT)
            steps[i] = sum_range(steps, s->range_first[0], s->range_count[0], s->times);
    }
    for (uint32_t i = 0; !status && i < script->nsegments; i++) {
        const struct segment *segment = &script->segments[i];
        struct amount sum = sum_range(steps, segment->first, segment->count, segment->rounds);
        recorded = capped(recorded + sum.dispatches, 1);
        if (sum.invocations > DOOR_MAX_INVOCATIONS)
            status = error_set(err, VKR_INVALID_BUNDLE,
                               "steps[%u]: %llu invocations in one command buffer, an untrusted "
                               "bundle has at most %llu",
                               segment->first, (unsigned long long)sum.invocations,
                               (unsigned long long)DOOR_MAX_INVOCATIONS);
    }
    for (uint32_t i = 0; i < script->nitems; i++)
        if (script->items[i].op == SCRIPT_SUBMIT)
            submits += script->items[i].times;
    if (!status && (recorded > DOOR_MAX_RECORDED || submits > DOOR_MAX_SUBMITS))
        status = error_set(err, VKR_INVALID_BUNDLE,
                           "%llu recorded steps and %llu submissions, an untrusted bundle has at "
                           "most %u and %u",
                           (unsigned long long)recorded, (unsigned long long)submits,
                           DOOR_MAX_RECORDED, DOOR_MAX_SUBMITS);
    free(steps);
    return status;
}

/* ---- bindings ---- */

/* By kernel, its bindings one after the other; `first` says where. */
static vkr_status collect_bound(const struct vkb_view *v, uint32_t *first, struct bound **out,
                                vkr_error *err)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < v->nkernels; i++) {
        const struct vkb_kernel *k = &v->kernels[i];
        if (k->nbindings > DOOR_MAX_BINDINGS)
            return error_set(err, VKR_INVALID_BUNDLE,
                             "kernels[%u]: %u bindings, an untrusted bundle has at most %u", i,
                             k->nbindings, DOOR_MAX_BINDINGS);
        for (uint32_t n = 0; n < k->nbodies; n++)
            if (vkb_body_of(v, i, n)->features & VKB_FEATURE_ADDRESSES)
                return error_set(
                    err, VKR_INVALID_BUNDLE,
                    "kernels[%u]: uses addresses of buffers, which only a trusted bundle "
                    "may: load it as trusted, or compile it for tensors that fit one binding",
                    i);
        first[i] = (uint32_t)count;
        count += k->nbindings;
        if (count > UINT32_MAX)
            return error_set(err, VKR_INVALID_BUNDLE, "kernels[%u]: too many bindings", i);
    }
    struct bound *bound = *out = host_alloc(count, sizeof *bound);
    if (!bound)
        return error_memory(err);
    for (uint64_t i = 0; i < count; i++)
        bound[i] = (struct bound){UINT64_MAX, 0, VKB_READ | VKB_WRITE};
    for (uint32_t i = 0; i < v->nsteps; i++) {
        const struct vkb_step *s = &v->steps[i];
        for (uint32_t k = 0; s->kind == VKB_STEP_DISPATCH && k < s->nbindings; k++) {
            const struct vkb_binding *binding = &v->bindings[s->first_binding + k];
            struct bound *b = &bound[first[s->kernel] + k];
            uint64_t bytes = door_bytes(v, binding->buffer);
            b->least = bytes < b->least ? bytes : b->least;
            b->most = bytes > b->most ? bytes : b->most;
            b->access &= binding->access;
        }
    }
    return VKR_OK;
}

static vkr_status check_uses(const struct spirv_module *m, uint32_t kernel,
                             const struct bound *bound, uint64_t *bytes, vkr_error *err)
{
    for (uint32_t i = 0; i < m->claim->nbindings; i++) {
        const struct spirv_use *use = &m->uses[i];
        bool is_dispatched = bound[i].least != UINT64_MAX;
        if (use->least_bytes > bound[i].least)
            return error_set(err, VKR_INVALID_BUNDLE,
                             "kernels[%u]: binding %u has %llu bytes, its shader needs %llu",
                             kernel, i, (unsigned long long)bound[i].least,
                             (unsigned long long)use->least_bytes);
        if (use->access & ~bound[i].access)
            return error_set(err, VKR_INVALID_BUNDLE,
                             "kernels[%u]: its shader %s binding %u, which is not declared", kernel,
                             use->access & ~bound[i].access & VKB_WRITE ? "writes" : "reads", i);
        bytes[i] = !is_dispatched                    ? use->least_bytes
                   : bound[i].least == bound[i].most ? bound[i].least
                                                     : 0;
    }
    return VKR_OK;
}

/* Puts the guards into the body that is taken, *out. */
static vkr_status check_body(const struct vkb_view *v, uint32_t index, const struct vkb_body *b,
                             bool is_taken, const struct bound *bound, struct door_code *out,
                             vkr_error *err)
{
    struct spirv_claim claim = {{b->local_size[0], b->local_size[1], b->local_size[2]},
                                b->shared_bytes,
                                v->kernels[index].nbindings,
                                v->kernels[index].npushed,
                                b->features,
                                b->texels};
    struct spirv_module m;
    uint64_t bytes[DOOR_MAX_BINDINGS];
    char text[320];
    vkr_status status = VKR_OK;
    if (!spirv_open(v->spirv + b->spirv_first, b->spirv_count, &claim, &m, text, sizeof text))
        status = m.out_of_memory
                     ? error_memory(err)
                     : error_set(err, VKR_INVALID_BUNDLE, "kernels[%u]: %s", index, text);
    if (!status)
        status = check_uses(&m, index, bound, bytes, err);
    if (!status && is_taken && !(out->words = spirv_guard(&m, bytes, &out->count)))
        status = error_memory(err);
    spirv_close(&m);
    return status;
}

/* All bodies that untrusted bundles may have run, so that a bundle is refused by every device or by
   none. */
static vkr_status check_kernel(const struct vkb_view *v, uint32_t index, uint32_t taken,
                               const struct bound *bound, struct door_code *out, vkr_error *err)
{
    vkr_status status = VKR_OK;
    for (uint32_t n = 0; !status && n < v->kernels[index].nbodies; n++)
        if (door_admits(vkb_body_of(v, index, n)))
            status = check_body(v, index, vkb_body_of(v, index, n), n == taken, bound, out, err);
    return status;
}

vkr_status door_check(const struct vkb_view *v, const struct script *script, const uint32_t *taken,
                      struct door_code **out, vkr_error *err)
{
    uint32_t *first = host_alloc(v->nkernels, sizeof *first);
    struct door_code *code = host_alloc(v->nkernels, sizeof *code);
    struct bound *bound = NULL;
    vkr_status status = first && code ? check_counts(v, script, taken, err) : error_memory(err);
    if (!status)
        status = collect_bound(v, first, &bound, err);
    for (uint32_t i = 0; !status && i < v->nkernels; i++)
        status = check_kernel(v, i, taken[i], bound + first[i], &code[i], err);
    free(first);
    free(bound);
    if (status) {
        door_finish(code, v->nkernels);
        return status;
    }
    *out = code;
    return VKR_OK;
}

void door_finish(struct door_code *code, uint32_t nkernels)
{
    for (uint32_t i = 0; code && i < nkernels; i++)
        free(code[i].words);
    free(code);
}
