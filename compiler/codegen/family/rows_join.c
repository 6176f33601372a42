/* What may join a kernel of rows: others over the same space, and element-wise work. */
#include "codegen/family/rows.h"

/* Whether all heroes are reductions, which may take per-element work on their way. */
static bool only_reduces(const struct unit *u, const struct kernel *k)
{
    for (uint32_t i = 0; i < k->nheroes; i++) {
        enum op_class class = op_class(func_node(unit_func(u), k->heroes[i])->op);
        if (class != CLASS_REDUCE && class != CLASS_ARGREDUCE)
            return false;
    }
    return true;
}

bool rows_have_place(const struct unit *u, const struct kernel *k, int64_t size)
{
    const struct rows_space *space = &k->space.rows;
    return size == space->outer || (size == space->outer * space->inner && only_reduces(u, k));
}

/* Others over the same rows, element-wise work for each row, and element-wise work for each element
   if it can be done on the way. */
bool rows_join(const struct unit *u, const struct kernel *k, const struct kernel *other,
               struct kernel *out)
{
    const struct rows_space *space = &k->space.rows;
    keep_space(k, out);
    if (!family_of(other)->is_elementwise)
        return family_same_space(k, other);
    int64_t size = family_places(other);
    if (size == space->outer || size == 1)
        return true;
    return size == space->outer * space->inner && only_reduces(u, k);
}
