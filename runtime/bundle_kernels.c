/* The verifier's part for kernels: their bodies, what those need, and the frame of their SPIR-V. */
#include "bundle_reader.h"

#include <string.h>

#define SPIRV_MAGIC 0x07230203u
#define fail bundle_fail

/* A SPIR-V module: header of 5 words, then instructions of (length << 16 | opcode). Beyond the
   frame, what a driver would take on trust: the entry point's name, its workgroup size, and its
   bindings. */
static bool check_spirv(struct reader *r, uint32_t index, const struct vkb_body *b,
                        uint32_t nbindings)
{
    enum { OP_ENTRY_POINT = 15, OP_EXECUTION_MODE = 16, OP_DECORATE = 71 };
    enum { GL_COMPUTE = 5, LOCAL_SIZE = 17, BINDING = 33, DESCRIPTOR_SET = 34 };
    const uint32_t *w = r->view.spirv + b->spirv_first, *end = w + b->spirv_count;
    bool has_main = false;
    if (b->spirv_count < 5 || w[0] != SPIRV_MAGIC || (w[1] & 0xff0000ffu) || !w[3])
        return fail(r, "bodies[%u]: no SPIR-V header at word %u of SPIRV", index, b->spirv_first);
    for (w += 5; w < end; w += w[0] >> 16) {
        uint32_t length = w[0] >> 16, opcode = w[0] & 0xffff;
        if (!length || length > (size_t)(end - w))
            return fail(r, "bodies[%u]: SPIR-V instruction at word %zu has %u words", index,
                        (size_t)(w - r->view.spirv), length);
        if (opcode == OP_ENTRY_POINT && length >= 5 && w[1] == GL_COMPUTE &&
            !memcmp(&w[3], "main\0\0\0", 8))
            has_main = true;
        if (opcode == OP_EXECUTION_MODE && length == 6 && w[2] == LOCAL_SIZE &&
            memcmp(&w[3], b->local_size, sizeof b->local_size))
            return fail(
                r, "bodies[%u]: SPIR-V has workgroups of %u x %u x %u, the body says %u x %u x %u",
                index, w[3], w[4], w[5], b->local_size[0], b->local_size[1], b->local_size[2]);
        if (opcode == OP_DECORATE && length == 4 && w[2] == BINDING && w[3] >= nbindings)
            return fail(r, "bodies[%u]: SPIR-V uses binding %u, the kernel has %u", index, w[3],
                        nbindings);
        if (opcode == OP_DECORATE && length == 4 && w[2] == DESCRIPTOR_SET && w[3])
            return fail(r, "bodies[%u]: SPIR-V uses descriptor set %u, must be 0", index, w[3]);
    }
    if (!has_main)
        return fail(r, "bodies[%u]: SPIR-V has no compute entry point \"main\"", index);
    return true;
}

static bool check_need(struct reader *r, uint32_t index)
{
    static const uint32_t nvalues[VKB_NEEDS] = {
        [VKB_NEED_SUBGROUP_SIZE] = 2, [VKB_NEED_CPU] = 1, [VKB_NEED_MATRIX] = 1};
    const struct vkb_need *n = &r->view.needs[index];
    if (n->kind >= VKB_NEEDS)
        return fail(r, "needs[%u]: kind %u is unknown to this version", index, n->kind);
    for (uint32_t i = nvalues[n->kind]; i < sizeof n->value / sizeof *n->value; i++)
        if (n->value[i])
            return fail(r, "needs[%u]: value %u is %u, must be 0", index, i, n->value[i]);
    if (n->kind == VKB_NEED_SUBGROUP_SIZE && (!n->value[0] || n->value[0] > n->value[1]))
        return fail(r, "needs[%u]: subgroups of %u to %u", index, n->value[0], n->value[1]);
    if (n->kind == VKB_NEED_CPU && n->value[0] > 1)
        return fail(r, "needs[%u]: value 0 is %u, must be 0 or 1", index, n->value[0]);
    if (n->kind == VKB_NEED_MATRIX && n->value[0] >= VKB_MATRICES)
        return fail(r, "needs[%u]: matrix %u is unknown to this version", index, n->value[0]);
    return true;
}

/* *Returns* how many invocations a workgroup has; 0 after a complaint. */
static uint64_t count_invocations(struct reader *r, uint32_t index, const struct vkb_body *b)
{
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        count *= b->local_size[axis];
        if (!count || count > UINT32_MAX) {
            fail(r, "bodies[%u]: local size %u on axis %d", index, b->local_size[axis], axis);
            return 0;
        }
    }
    return count;
}

/* What each body of a kernel needs at least. */
struct least {
    uint32_t features, shared_bytes;
    uint64_t invocations;
};

/* `needs`: how many the bodies before it have. */
static bool check_body(struct reader *r, uint32_t index, uint32_t nbindings, uint32_t *needs,
                       struct least *least)
{
    const struct vkb_view *v = &r->view;
    const struct vkb_body *b = &v->bodies[index];
    uint64_t invocations = count_invocations(r, index, b);
    if (!invocations || !bundle_check_text(r, "bodies", index, "profile", b->profile) ||
        !bundle_check_features(r, "bodies", index, b->features))
        return false;
    if (b->first_need != *needs || !in_range(b->first_need, b->nneeds, v->nneeds))
        return fail(r, "bodies[%u]: needs %u+%u of %u; must begin at %u", index, b->first_need,
                    b->nneeds, v->nneeds, *needs);
    for (uint32_t i = 0; i < b->nneeds; i++)
        if (!check_need(r, b->first_need + i))
            return false;
    *needs += b->nneeds;
    if (nbindings < VKB_MAX_TEXELS && b->texels >> nbindings)
        return fail(r, "bodies[%u]: texels 0x%llx, the kernel has %u bindings", index,
                    (unsigned long long)b->texels, nbindings);
    if (!in_range(b->spirv_first, b->spirv_count, v->nspirv))
        return fail(r, "bodies[%u]: words %u+%u are outside the %u words of SPIRV", index,
                    b->spirv_first, b->spirv_count, v->nspirv);
    least->features &= b->features;
    if (b->shared_bytes < least->shared_bytes)
        least->shared_bytes = b->shared_bytes;
    if (invocations < least->invocations)
        least->invocations = invocations;
    return check_spirv(r, index, b, nbindings);
}

/* That the program says what no body of the kernel does without. */
static bool check_least(struct reader *r, uint32_t index, const struct least *least)
{
    const struct vkb_program *p = r->view.program;
    const struct vkb_kernel *k = &r->view.kernels[index];
    if (least->features & ~p->features)
        return fail(r, "kernels[%u]: needs features that the program does not list", index);
    if (least->invocations > p->max_invocations)
        return fail(r, "kernels[%u]: workgroups of %llu, the program says at most %u", index,
                    (unsigned long long)least->invocations, p->max_invocations);
    if (least->shared_bytes > p->max_shared_bytes || k->nbindings > p->max_bindings)
        return fail(
            r, "kernels[%u]: %u shared bytes and %u bindings, the program says at most %u and %u",
            index, least->shared_bytes, k->nbindings, p->max_shared_bytes, p->max_bindings);
    return true;
}

bool bundle_check_kernels(struct reader *r)
{
    const struct vkb_view *v = &r->view;
    uint32_t bodies = 0, needs = 0;
    for (uint32_t i = 0; i < v->nkernels; i++) {
        const struct vkb_kernel *k = &v->kernels[i];
        struct least least = {UINT32_MAX, UINT32_MAX, UINT64_MAX};
        if (!bundle_check_text(r, "kernels", i, "name", k->name) ||
            !bundle_check_text(r, "kernels", i, "label", k->label) ||
            !bundle_check_text(r, "kernels", i, "source", k->source))
            return false;
        if (k->npushed > VKB_MAX_PUSHED)
            return fail(r, "kernels[%u]: %u words of push constants, at most %u", i, k->npushed,
                        VKB_MAX_PUSHED);
        if (!k->nbodies || k->nbodies > VKB_MAX_BODIES)
            return fail(r, "kernels[%u]: %u bodies, must be 1 to %u", i, k->nbodies,
                        VKB_MAX_BODIES);
        if (k->first_body != bodies || !in_range(k->first_body, k->nbodies, v->nbodies))
            return fail(r, "kernels[%u]: bodies %u+%u of %u; must begin at %u", i, k->first_body,
                        k->nbodies, v->nbodies, bodies);
        for (uint32_t n = 0; n < k->nbodies; n++)
            if (!check_body(r, bodies++, k->nbindings, &needs, &least))
                return false;
        if (!check_least(r, i, &least))
            return false;
    }
    if (bodies != v->nbodies || needs != v->nneeds)
        return fail(r, "kernels: have %u bodies and %u needs, but there are %u and %u", bodies,
                    needs, v->nbodies, v->nneeds);
    return true;
}
