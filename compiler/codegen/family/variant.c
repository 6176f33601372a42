#include "codegen/family/variant.h"

#include <string.h>

#include "codegen/family/family.h"
#include "codegen/family/generate.h"

/* Steps name the buffers of a kernel's bindings, and what is done with them, for whichever body is
   run. A variant may do less: it stores words of narrow elements whole, where the kernel reads them
   first. */
static bool has_bindings_of(const struct kernel *v, const struct kernel *k)
{
    if (v->nbound != k->nbound)
        return false;
    for (uint32_t i = 0; i < k->nbound; i++) {
        const struct bound *x = &v->bound[i], *y = &k->bound[i];
        if (x->value.node != y->value.node || x->value.out != y->value.out ||
            x->access & ~y->access)
            return false;
    }
    return true;
}

/* Generates the kernel for an alternative. *out_variant stays NULL if that cannot have it. False
   with a diagnostic only if the compile must end. */
static bool make_variant(struct unit *u, const struct kernel *k, const struct alternative *to,
                         struct kernel **out_variant, struct diag *d)
{
    const struct vkc_target *target = u->target;
    const struct tuning *tuning = u->tuning;
    uint32_t again = u->again;
    struct diag refusal = {0};
    const char *why = NULL;
    struct kernel *v = arena_copy(u->arena, k, sizeof *k);
    if (!v)
        return FAIL(d, MEMORY, "out of memory");
    v->alternative = to;
    v->schedule = (struct schedule){0};
    v->has_identity = false;
    v->variant = NULL;
    u->target = to->target;
    u->tuning = &to->tuning;
    u->matrix_units = to->matrix_units;
    bool fits = kernel_generate(u, v, &why, &refusal);
    u->target = target;
    u->tuning = tuning;
    u->matrix_units = UNITS_NONE;
    u->again = again;
    if (refusal.code == DIAG_MEMORY || refusal.code == DIAG_CANCELLED) {
        *d = refusal;
        return false;
    }
    if (fits && !(v->features & ~to->target->features) && has_bindings_of(v, k) &&
        (v->matrix != 0) == (to->matrix_units != UNITS_NONE))
        *out_variant = v;
    return true;
}

bool kernel_add_variants(struct unit *u, struct kernel *k, struct diag *d)
{
    struct kernel **last = &k->variant;
    for (uint32_t i = 0; i < u->nalternatives; i++) {
        const struct alternative *to = &u->alternatives[i];
        if (to->matrix_units && !family_uses_matrix_units(u, k, to))
            continue;
        if (!make_variant(u, k, to, last, d))
            return false;
        if (*last)
            last = &(*last)->variant;
    }
    return true;
}

bool kernel_take_variants(struct arena *a, const struct kernel *from, struct kernel *k)
{
    struct kernel **last = &k->variant;
    for (from = from->variant; from; from = from->variant) {
        struct kernel *v = arena_copy(a, from, sizeof *from);
        struct bound *bound = v ? arena_copy(a, v->bound, v->nbound * sizeof *v->bound) : NULL;
        if (!v || (v->nbound && !bound))
            return false;
        for (uint32_t i = 0; i < v->nbound; i++)
            bound[i].value = k->bound[i].value; /* where it is read at is its own */
        v->id = k->id;
        v->roots = k->roots;
        v->bound = bound;
        v->variant = NULL;
        *last = v;
        last = &v->variant;
    }
    return true;
}
