/* Factors of small matrices, one or several per workgroup. */
#ifndef VKC_PANEL_H
#define VKC_PANEL_H

#include "ir/ir.h"

/* The shape of a node of CLASS_PANEL: [matrices, rows, order] gives [matrices, parts, rows,
   order]. */
struct panel {
    enum vkc_type type;
    int64_t matrices, rows, order, parts;
};
struct panel panel_of(const struct func *f, const struct node *n);

#endif
