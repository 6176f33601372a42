/* One case of the sweep: everything that decides its graph and for which profile it is compiled.
   Its name has all of that, so that a failing case runs again from its name alone:

     rows/softmax/f32/300x3/a0/plain/none/transposed/lavapipe
     family/op/type/shape/axes/feed/use/store/profile */
#ifndef SWEEP_CASE_H
#define SWEEP_CASE_H

#include "graph_text.h"
#include "profiles.h"

struct sweep_case {
    const struct sweep_family *family;
    uint32_t op; /* of family->ops */
    enum vkc_type type;
    struct shape shape;               /* what its numbers mean is the family's */
    uint32_t axes;                    /* a bit for each */
    uint32_t feed, use, store;        /* of around.h */
    const struct vkc_target *profile; /* NULL while its schedule is looked at */
};

enum { CASE_NAME = 192 };

/* What a family makes of a case. `row` is a second result with an element a row, where there is
   one. */
struct made {
    struct value main, row;
    bool has_row;
};

/* Shapes along which one size grows, to look for thresholds. */
struct sweep_line {
    struct shape shape; /* the dimension that grows is 0 */
    uint32_t axes;
    int64_t most;
    /* only powers of two are looked at, because what lies between depends on factors */
    bool powers;
};

struct sweep_family {
    const char *name, *what;
    const char *const *ops; /* ends with NULL */
    uint32_t probed;        /* of how many of the ops, the first, the schedule is looked at */
    const struct sweep_line *lines;
    uint32_t nlines;
    bool (*takes)(const struct sweep_case *c);
    struct made (*build)(struct graph_text *g, const struct sweep_case *c);
};

extern const struct sweep_family *const sweep_families[]; /* ends with NULL */

static inline const char *case_op(const struct sweep_case *c)
{
    return c->family->ops[c->op];
}
/* Elements of the shape. */
static inline int64_t case_size(const struct sweep_case *c)
{
    return shape_size(&c->shape);
}

void case_name(const struct sweep_case *c, char out[CASE_NAME]);
/* False with a message. */
bool case_parse(const char *name, const struct profiles *p, struct sweep_case *out, char *error,
                size_t error_size);
/* Whether there is such a case: ops have types, and layouts have ranks. */
bool case_is_valid(const struct sweep_case *c);
/* Its graph: fills `g` and gives the JSON. */
const char *case_graph(const struct sweep_case *c, struct arena *a, struct graph_text *g);

#endif
