/* Of `size` columns, a workgroup makes H = I - v t v^T of some rows: panel_qr. H x is three
   products. More rows than a workgroup has are groups, a batch of as many matrices. Their R's, one
   below the other, are the columns of the next level, whose H works on the first `size` rows of
   each group. Rows of zeros stay zeros, so that the last group may be filled up with them. Columns
   of complex matrices are reflected in a loop (lower_columns.c), all rows at once. */
#include "passes/lower_reflect.h"

#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

enum { MOST_ROWS = 4096, LEAST_WIDTH = 8 };

struct reflection {
    int64_t batch, rows, size;
    int64_t groups;                 /* of rows / groups each; 1: no next level */
    struct value v, t;              /* [batch * groups, rows / groups, size], [.., size, size] */
    const struct reflection *above; /* the next level */
};

static int64_t divide_up(int64_t x, int64_t by)
{
    return (x + by - 1) / by;
}

struct reflect_cut reflect_cut(const struct vkc_target *t, enum vkc_type type, int64_t batch,
                               int64_t rows, int64_t columns)
{
    uint32_t bytes = type_bytes(type);
    struct reflect_cut cut = {.batch = batch, .chunk = rows};
    if (type_is_complex(type)) {
        cut.width = columns < LOWER_COLUMNS ? columns : LOWER_COLUMNS;
        return cut;
    }
    cut.width = qr_width(rows, columns, bytes, t->max_invocations, t->max_shared_bytes);
    for (int64_t chunk = MOST_ROWS; cut.width == 0 && chunk >= 2 * LEAST_WIDTH; chunk /= 2) {
        int64_t width = qr_width(chunk, columns, bytes, t->max_invocations, t->max_shared_bytes);
        if (chunk < rows && width >= (bytes == 8 ? QR_WIDTH / 2 : QR_WIDTH) && 2 * width <= chunk)
            cut = (struct reflect_cut){batch, width, chunk};
    }
    for (int64_t chunk = MOST_ROWS; cut.width == 0 && chunk >= 2 * LEAST_WIDTH; chunk /= 2) {
        int64_t width = qr_width(chunk, columns, bytes, t->max_invocations, t->max_shared_bytes);
        if (chunk < rows && 2 * width <= chunk)
            cut = (struct reflect_cut){batch, width, chunk};
    }
    return cut;
}

int64_t reflect_rows(const struct reflect_cut *cut, int64_t rows)
{
    int64_t groups = divide_up(rows, cut->chunk);
    return groups * divide_up(rows, groups);
}

static struct value with_rows(struct build *b, struct value x, int64_t batch, int64_t rows)
{
    if (!build_ok(b, x))
        return x;
    struct shape to = build_tensor(b, x)->shape;
    to.dim[0] = batch;
    to.dim[1] = rows;
    return build_reshape(b, x, &to);
}

/* Of all groups, the first rows: columns of the next level, of so many rows with zeros behind. */
static struct value first_rows(struct build *b, const struct reflection *h, struct value y,
                               int64_t rows)
{
    y = with_rows(b, y, h->batch, h->groups * h->size);
    return build_ok(b, y) ? lower_padded(b, y, rows, build_tensor(b, y)->shape.dim[2]) : y;
}

static struct value panel(struct build *b, struct value c, int64_t rows, int64_t size)
{
    if (!build_ok(b, c))
        return BUILD_NONE;
    struct tensor out = *build_tensor(b, c);
    out.shape.dim[1] = rows + size;
    struct node n = {.op = OP_PANEL_QR, .nins = 1, .nouts = 1, .ins = &c, .outs = &out};
    return build_node(b, &n);
}

/* Recursive, by levels: each has fewer rows. */
struct value reflect_columns(struct build *b, const struct reflect_cut *cut, struct value c,
                             const struct reflection **out)
{
    *out = NULL;
    struct reflection *h = ARENA_NEW(&b->r->scratch, struct reflection);
    if (!h)
        build_fail_memory(b);
    if (!h || !build_ok(b, c))
        return BUILD_NONE;
    const struct shape *s = &build_tensor(b, c)->shape;
    *h = (struct reflection){.batch = cut->batch,
                             .rows = s->dim[1],
                             .size = s->dim[2],
                             .groups = divide_up(s->dim[1], cut->chunk)};
    int64_t rows = h->rows / h->groups, size = h->size;
    bool is_complex = type_is_complex(build_tensor(b, c)->type);
    c = with_rows(b, c, h->batch * h->groups, rows);
    struct value p = is_complex ? lower_qr_columns(b, c, &h->t) : panel(b, c, rows, size),
                 packed = is_complex ? p : lower_part(b, p, 0, 0, rows, size);
    h->v = lower_where(b, OP_GREATER, packed, lower_eye(b, packed, rows, size));
    if (!is_complex)
        h->t = lower_part(b, p, rows, 0, size, size);
    struct value zero = lower_filled(b, packed, size, size, 0),
                 r = lower_where(b, OP_LESS_EQUAL, lower_part(b, packed, 0, 0, size, size), zero);
    if (h->groups > 1)
        r = reflect_columns(b, cut, first_rows(b, h, r, reflect_rows(cut, h->groups * size)),
                            &h->above);
    *out = h;
    return r;
}

/* x - v t' (v* x), with T or its adjoint. */
static struct value mirrored(struct build *b, const struct reflection *h, struct value x,
                             bool adjoint)
{
    struct value t = adjoint ? lower_adjoint(b, h->t) : h->t,
                 w = lower_times(b, t, lower_times(b, lower_adjoint(b, h->v), x));
    return build_binary(b, OP_SUBTRACT, x, lower_times(b, h->v, w));
}

/* Recursive, by levels: those of few rows are outermost in H*, and innermost in H. */
struct value reflected(struct build *b, const struct reflection *h, struct value x, bool adjoint)
{
    if (!h || !build_ok(b, x))
        return BUILD_NONE;
    int64_t groups = h->groups, rows = h->rows / groups, columns = build_tensor(b, x)->shape.dim[2];
    struct value y = with_rows(b, x, h->batch * groups, rows);
    if (adjoint)
        y = mirrored(b, h, y, true);
    if (groups > 1) {
        struct value top = lower_part(b, y, 0, 0, h->size, columns);
        top = reflected(b, h->above, first_rows(b, h, top, h->above ? h->above->rows : 0), adjoint);
        top = lower_part(b, top, 0, 0, groups * h->size, columns);
        struct value parts[2] = {with_rows(b, top, h->batch * groups, h->size),
                                 lower_part(b, y, h->size, 0, rows - h->size, columns)};
        if (!build_ok(b, parts[0]) || !build_ok(b, parts[1]))
            return BUILD_NONE;
        y = build_concatenate(b, parts, 2, 1);
    }
    if (!adjoint)
        y = mirrored(b, h, y, false);
    return with_rows(b, y, h->batch, h->rows);
}
