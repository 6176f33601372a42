/* Factors of small matrices, one or several per workgroup. */
#ifndef VKC_PANEL_H
#define VKC_PANEL_H

#include "ir/ir.h"

/* The shape of a node of CLASS_PANEL: [matrices, order, order] gives [matrices, parts, order,
   order]. */
struct panel {
    enum vkc_type type;
    int64_t matrices, order, parts;
};
struct panel panel_of(const struct func *f, const struct node *n);

#endif
