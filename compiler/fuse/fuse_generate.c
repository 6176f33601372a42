/* The code of every kernel, once all is decided. Equal kernels are written once: the others take
   over what was found out, with their own values in its places. */
#include <string.h>

#include "base/cancel.h"
#include "codegen/family/generate.h"
#include "codegen/family/variant.h"
#include "fuse/fuse.h"
#include "runtime/bundle.h"

struct first {
    uint32_t kernel; /* plus 1; 0: free */
    uint32_t *bound; /* by binding: the rank of its value's node */
};

struct firsts {
    struct first *at;
    uint32_t n, cap;
};

static struct first *find(const struct unit *u, const struct firsts *f, const uint8_t identity[32])
{
    uint64_t hash;
    memcpy(&hash, identity, sizeof hash);
    uint32_t i = (uint32_t)hash & (f->cap - 1);
    while (f->at[i].kernel && memcmp(u->kernels[f->at[i].kernel - 1].identity, identity, 32) != 0)
        i = (i + 1) & (f->cap - 1);
    return &f->at[i];
}

/* What generating the first one filled, for kernel k with the nodes `nodes`. */
static bool take_over(struct unit *u, const struct first *from, struct kernel *k,
                      const node_id *nodes)
{
    const struct kernel *first = &u->kernels[from->kernel - 1];
    k->glsl = first->glsl; /* the plan may leave the first out */
    k->schedule = first->schedule;
    k->features = first->features;
    k->shared_bytes = first->shared_bytes;
    k->texels = first->texels;
    k->flops = first->flops;
    k->statements = first->statements;
    k->bound = ARENA_ARRAY(u->arena, struct bound, first->nbound + 1);
    k->nbound = k->cap_bound = first->nbound;
    k->store_index = first->store_index; /* compared with indices of loads only */
    k->label = kernel_label(u, u->arena, k);
    if (!k->bound || !k->label)
        return false;
    for (uint32_t i = 0; i < first->nbound; i++) {
        k->bound[i] = first->bound[i];
        k->bound[i].value.node = nodes[from->bound[i]];
    }
    return kernel_take_variants(u->arena, first, k);
}

static bool keep_first(struct fusion *x, struct first *at, const struct kernel *k)
{
    at->kernel = k->id + 1;
    at->bound = ARENA_ARRAY(x->u->arena, uint32_t, k->nbound + 1);
    for (uint32_t i = 0; at->bound && i < k->nbound; i++)
        at->bound[i] = x->identity.rank[k->bound[i].value.node];
    return at->bound || FAIL(x->d, MEMORY, "out of memory");
}

static bool generate_one(struct fusion *x, struct kernel *k, struct firsts *firsts)
{
    struct unit *u = x->u;
    struct first *first = NULL;
    const char *why = NULL;
    if (!members_of(u, u->arena, k, &x->members) ||
        !identity_of(u, u->arena, k, &x->members, false, &x->identity))
        return FAIL(x->d, MEMORY, "out of memory");
    vkb_sha256(x->identity.words, x->identity.n * sizeof *x->identity.words, k->identity);
    k->has_identity = !u->workgroup; /* phases get their text when their values have places */
    first = find(u, firsts, k->identity);
    if (first->kernel && (!u->all_texts || u->workgroup))
        return take_over(u, first, k, x->identity.nodes) || FAIL(x->d, MEMORY, "out of memory");
    if (!kernel_generate(u, k, &why, x->d))
        return x->d->code == DIAG_OK &&
               FAIL(x->d, INTERNAL, "a kernel that used to fit no longer does: %s", why);
    if (!u->workgroup && !kernel_add_variants(u, k, x->d))
        return false;
    return first->kernel || keep_first(x, first, k);
}

bool fuse_generate(struct fusion *x)
{
    struct unit *u = x->u;
    struct firsts firsts = {.cap = 64};
    while (firsts.cap < 2 * u->nkernels)
        firsts.cap *= 2;
    firsts.at = ARENA_ARRAY(u->arena, struct first, firsts.cap);
    if (!firsts.at)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t k = 0; k < u->nkernels; k++)
        if (!cancel_check(u->arena->cancel, x->d) ||
            (!u->kernels[k].dead && !generate_one(x, &u->kernels[k], &firsts)))
            return false;
    return true;
}
