#include "codegen/family/variant.h"

#include <string.h>

#include "codegen/family/generate.h"

/* Steps name the buffers of a kernel's bindings, for whichever body is run. */
static bool has_same_bindings(const struct kernel *a, const struct kernel *b)
{
    if (a->nbound != b->nbound)
        return false;
    for (uint32_t i = 0; i < a->nbound; i++) {
        const struct bound *x = &a->bound[i], *y = &b->bound[i];
        if (x->value.node != y->value.node || x->value.out != y->value.out ||
            x->access != y->access)
            return false;
    }
    return true;
}

bool kernel_add_variant(struct unit *u, struct kernel *k, struct diag *d)
{
    const struct vkc_target *target = u->target;
    const struct tuning *tuning = u->tuning;
    uint32_t again = u->again;
    struct diag refusal = {0};
    const char *why = NULL;
    struct kernel *v = arena_copy(u->arena, k, sizeof *k);
    if (!v)
        return FAIL(d, MEMORY, "out of memory");
    v->target = u->also;
    v->schedule = (struct schedule){0};
    v->has_identity = false;
    u->target = u->also;
    u->tuning = u->also_tuning;
    bool fits = kernel_generate(u, v, &why, &refusal);
    u->target = target;
    u->tuning = tuning;
    u->again = again;
    if (refusal.code == DIAG_MEMORY || refusal.code == DIAG_CANCELLED) {
        *d = refusal;
        return false;
    }
    if (fits && !(v->features & ~u->also->features) && has_same_bindings(k, v))
        k->variant = v;
    return true;
}

bool kernel_take_variant(struct arena *a, const struct kernel *from, struct kernel *k)
{
    if (!from->variant)
        return true;
    struct kernel *v = arena_copy(a, from->variant, sizeof *from->variant);
    struct bound *bound = v ? arena_copy(a, v->bound, v->nbound * sizeof *v->bound) : NULL;
    if (!v || (v->nbound && !bound))
        return false;
    for (uint32_t i = 0; i < v->nbound; i++)
        bound[i].value = k->bound[i].value; /* where it is read at is its own */
    v->id = k->id;
    v->roots = k->roots;
    v->bound = bound;
    k->variant = v;
    return true;
}
