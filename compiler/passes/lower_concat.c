/* A concatenation of very many tensors as concatenations of a few each: a kernel binds only so
   many buffers, and one that reads too many is cut where something smaller can be stored. The
   tree also finds the part that an element comes from in logarithmic time. */
#include "passes/lower.h"

#include <string.h>

enum { MOST_PARTS = 12 }; /* of one concatenation: the baseline binds 16 buffers */

bool lower_concatenate(struct build *b, const struct node *n, const struct value *ins,
                       struct value *outs)
{
    int64_t axis = attr_int(n, ATTR_axis, 0);
    uint32_t count = n->nins;
    if (count <= MOST_PARTS)
        return false;
    struct value *parts = ARENA_ARRAY(&b->r->scratch, struct value, count);
    if (!parts)
        return build_fail_memory(b);
    memcpy(parts, ins, count * sizeof *parts);
    while (count > 1) {
        uint32_t made = 0;
        for (uint32_t i = 0; i < count; i += MOST_PARTS)
            parts[made++] = build_concatenate(
                b, &parts[i], count - i < MOST_PARTS ? count - i : MOST_PARTS, axis);
        count = made;
    }
    outs[0] = parts[0];
    return true;
}
