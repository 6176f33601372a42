/* What stands around the op of a case, whatever its family: where the operand comes from, what
   is done with the result, and how that is stored. All of it fuses with the op, so it changes
   its kernel's loads and stores. */
#ifndef SWEEP_AROUND_H
#define SWEEP_AROUND_H

#include "case.h"

extern const char *const feed_names[], *const use_names[], *const store_names[]; /* end with NULL */

/* Whether there is a graph for it: layouts have a least rank, conversions a type. */
bool around_takes(const struct sweep_case *c);
/* The operand of the family's op, of this type and shape: an input, or made from one as
   `c->feed` says. */
struct value around_feed(struct graph_text *g, const struct sweep_case *c, enum vkc_type type,
                         const struct shape *shape);
/* What is done with its result, as `c->use` says. */
struct value around_use(struct graph_text *g, const struct sweep_case *c, struct value y);
/* The results of the graph, as `c->store` says. */
void around_store(struct graph_text *g, const struct sweep_case *c, struct value y,
                  const struct made *m);

#endif
