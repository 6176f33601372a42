/* Blocks of linear algebra that have a lowering, by name. */
#include <string.h>

#include "passes/lower.h"

bool lower_linalg(struct build *b, const struct node *n, const struct value *ins,
                  struct value *outs)
{
    static const struct {
        const char *name;
        uint32_t nins, nouts;
        rewrite_fn lower;
    } rows[] = {
        {"LinAlg.Cholesky", 1, 1, lower_cholesky},
        {"LinAlg.Eigh", 1, 2, lower_eigh},
        {"LinAlg.LU", 1, 3, lower_lu},
        {"LinAlg.QR", 1, 2, lower_qr},
        {"LinAlg.SVD", 1, 3, lower_svd},
    };
    for (size_t i = 0; n->op == OP_BLOCK && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(attr_text(n, ATTR_name), rows[i].name) && n->nins == rows[i].nins &&
            n->nouts == rows[i].nouts)
            return rows[i].lower(b, n, ins, outs);
    return false;
}
