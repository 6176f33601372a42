#include "perturb.h"

#include <stdio.h>
#include <string.h>

#include "perturb_fft.h"
#include "perturb_parts.h"

struct run {
    const struct graph *g;
    struct arena *a;
    struct diag *d;
    uint32_t sample;
    double scale; /* of every move */
    uint64_t random;
    struct perturb_kept kept;
};

/* What a number that underflows is off by: the smallest one, or on a device that flushes all
   below the normal ones. */
static double least_of(const struct run *r, enum vkc_type part)
{
    return fmax(num_float_decode(part, 1), part == TYPE_F32   ? r->kept.f32
                                           : part == TYPE_F64 ? r->kept.f64
                                                              : 0);
}

static bool run_func(struct run *r, uint32_t func, const struct array *ins, struct array *outs);

/* 1 or -1; of the last samples anything between. */
static double next_part(struct run *r)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    if (r->sample >= PERTURB_BETWEEN)
        return ldexp((double)(r->random >> 11), -52) - 1;
    return r->sample == 1 || (r->sample > 2 && r->random >> 63) ? 1 : -1;
}

/* Moves part i by `by`; what is not finite stays. What may be 0, or 1 or -1, is that in two
   samples, since 0 is its own kind of truth and functions have their poles there; in the second
   nothing else moves, so that sums of it cancel. */
static void move(struct run *r, struct array *x, int64_t i, double by)
{
    double value = part_load(x, i);
    if (!r->sample || !isfinite(value) || !(by > 0))
        return;
    double most = by * r->scale;
    bool snaps = r->sample == 3 || r->sample == PERTURB_SAMPLES;
    if (snaps && fabs(value) <= most)
        part_store(x, i, 0);
    else if (snaps && fabs(fabs(value) - 1) <= most)
        part_store(x, i, copysign(1, value));
    else if (r->sample != PERTURB_SAMPLES)
        part_store(x, i, value + next_part(r) * most);
}

/* Any value, infinity or NaN may stand at part i, and another one beside it in a complex number:
   what is made of two infinities is NaN, what is made of one need not be. */
static void let_go(struct run *r, struct array *x, int64_t i)
{
    static const double any[][2] = {{INFINITY, INFINITY}, {NAN, NAN},       {INFINITY, 0},
                                    {0, -INFINITY},       {-INFINITY, NAN}, {1, INFINITY}};
    if (r->sample)
        part_store(x, i, any[r->sample % 6][i % 2]);
}

/* ---- what each op may be off ---- */

static double elementwise_ulps(const struct node *n)
{
    switch (vkc_ops[n->op].bound) {
    case BOUND_DIV: return 3;
    case BOUND_SQRT: return 3.5;
    case BOUND_ULP2: return 2.5;
    default: return 0;
    }
}

static bool rounds_complex(enum op op)
{
    return op != OP_ADD && op != OP_SUBTRACT && op != OP_NEGATE && op != OP_SELECT &&
           op != OP_CONJUGATE && op != OP_AS_TYPE;
}

/* Whether one of the four products of a complex one overflows, so that their sums are anything;
   where one underflows, both sums are off by smallest numbers. */
static bool product_leaves(const struct run *r, const struct array *x, const struct array *y,
                           int64_t i, double *by)
{
    enum vkc_type type = part_type(x->tensor.type);
    double normal = num_float_decode(type, 1) / epsilon_of(type);
    bool underflows = false;
    for (int64_t k = 0; k < 4; k++) {
        double a = part_load(x, 2 * i + k / 2), b = part_load(y, 2 * i + k % 2),
               product = fabs(a * b);
        if (isfinite(a) && isfinite(b) && !isfinite(num_float_round(type, product)))
            return true;
        underflows |= a != 0 && b != 0 && product < normal;
    }
    *by += underflows ? 2 * least_of(r, type) : 0;
    return false;
}

static void move_elementwise(struct run *r, const struct node *n, const struct array *ins,
                             struct array *out)
{
    double ulps = elementwise_ulps(n);
    int64_t size = shape_size(&out->tensor.shape);
    if (type_is_complex(out->tensor.type) && rounds_complex(n->op)) {
        double eps = epsilon_of(out->tensor.type);
        for (int64_t i = 0; i < size; i++) {
            double by = (n->op == OP_POW ? 8 : 2.5) * eps *
                        hypot(part_load(out, 2 * i), part_load(out, 2 * i + 1));
            if (n->op == OP_MULTIPLY && product_leaves(r, &ins[0], &ins[1], i, &by)) {
                let_go(r, out, 2 * i);
                let_go(r, out, 2 * i + 1);
                continue;
            }
            move(r, out, 2 * i, by);
            move(r, out, 2 * i + 1, by);
        }
    } else if (type_is_float(out->tensor.type)) {
        if (n->op == OP_ABS && type_is_complex(ins[0].tensor.type))
            ulps = 4;
        if (digits_of(out->tensor.type) < 24 && ulps > 1) /* computed in f32, rounded once */
            ulps = 1;
        for (int64_t i = 0; ulps > 0 && i < size; i++)
            move(r, out, i, ulps * ulp_of(out->tensor.type, part_load(out, i)));
    }
}

static int64_t product_of(const struct shape *s, const int64_t *axes, uint32_t count)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < count; i++)
        n *= s->dim[axes[i]];
    return n;
}

/* How many terms make one element. */
static int64_t terms_of(const struct node *n, const struct array *ins, const struct array *out)
{
    uint32_t count;
    const int64_t *list;
    int64_t in_size = shape_size(&ins[0].tensor.shape), out_size = shape_size(&out->tensor.shape),
            terms = 1;
    switch (op_class(n->op)) {
    case CLASS_CONTRACT:
        if (n->op == OP_CONV) { /* all of the kernel that belongs to one output channel */
            list = attr_list(n, ATTR_kernel_permutation, &count);
            return shape_size(&ins[1].tensor.shape) / ins[1].tensor.shape.dim[list[0]];
        }
        list = attr_list(n, ATTR_contract_a, &count);
        return product_of(&ins[0].tensor.shape, list, count);
    case CLASS_WINDOW:
        list = attr_list(n, ATTR_window, &count);
        for (uint32_t i = 0; i < count; i++)
            terms *= list[i];
        return terms;
    case CLASS_SCATTER: return shape_size(&ins[n->nins - 1].tensor.shape) + 1;
    case CLASS_REDUCE:
    case CLASS_FOLD: return in_size / (out_size ? out_size : 1) + 1;
    default: return in_size;
    }
}

enum change { MAGNITUDES, FINITE_MAGNITUDES, ONES, LARGE, SMALL, MOVED };

/* The smaller part of a complex number that is not 0. */
static double least_part(const struct array *x, int64_t i)
{
    double re = fabs(part_load(x, i)), im = fabs(part_load(x, i + 1));
    return re == 0 || (im != 0 && im < re) ? im : re;
}

static double changed_part(const struct array *x, int64_t i, enum change change)
{
    double value = part_load(x, i), m;
    switch (change) {
    case MAGNITUDES: return fabs(value);
    case FINITE_MAGNITUDES: return isfinite(value) ? fabs(value) : 0;
    case ONES: return value != 0;
    default: break;
    }
    m = magnitude_at(x, i);
    if (type_is_complex(x->tensor.type)) {
        if (i % 2)
            return 0;
        if (change == SMALL && isfinite(m)) /* the products of parts underflow before theirs */
            m = least_part(x, i);
    }
    return !isfinite(m) || m == 0 || (change == LARGE ? m < 1 : m > 1) ? 1 : m;
}

/* Copies of arrays with every part made positive (what is not finite 0), made 1 where it is not
   0, every number made its magnitude where that is more or less than 1 (of a complex one that is
   less, its smaller part's) and 1 elsewhere, or every part moved by `relative`. */
static struct array *changed(struct run *r, const struct array *ins, uint32_t count,
                             enum change change, double relative)
{
    struct array *copies = ARENA_ARRAY(r->a, struct array, count + 1);
    for (uint32_t k = 0; copies && k < count; k++) {
        copies[k] = (struct array){ins[k].tensor,
                                   arena_copy(r->a, ins[k].data, tensor_bytes(&ins[k].tensor))};
        if (!copies[k].data)
            return NULL;
        for (int64_t i = 0, size = is_real_float(&ins[k]) ? parts_of(&ins[k]) : 0; i < size; i++) {
            if (change == MOVED)
                move(r, &copies[k], i, relative * fabs(part_load(&ins[k], i)));
            else
                part_store(&copies[k], i, changed_part(&ins[k], i, change));
        }
    }
    return copies;
}

/* The node on changed inputs. */
static bool run_changed(struct run *r, const struct node *n, const struct array *ins,
                        enum change change, struct array *out)
{
    struct array *copies = changed(r, ins, n->nins, change, 0);
    bool selects = n->op == OP_WINDOW_SCATTER_MAX || n->op == OP_WINDOW_SCATTER_MIN;
    if (!copies)
        return FAIL(r->d, MEMORY, "no memory");
    if (selects) /* what the windows compare says which terms there are */
        copies[0] = ins[0];
    return interp_node(r->g, n, r->a, copies, out, r->d);
}

/* Sums: by `factor` eps times the same sum of magnitudes, of complex products that of both
   parts, since they mix them. What products add that underflow is a smallest number each. */
static bool move_sum(struct run *r, const struct node *n, const struct array *ins,
                     struct array *out, double factor)
{
    bool multiplies = n->op == OP_DOT || n->op == OP_CONV;
    /* four products, of which the others' infinities make NaN */
    bool is_complex = multiplies && type_is_complex(out->tensor.type);
    struct array magnitude, finite, products;
    if (!run_changed(r, n, ins, MAGNITUDES, &magnitude) ||
        !run_changed(r, n, ins, FINITE_MAGNITUDES, &finite) ||
        (multiplies && !run_changed(r, n, ins, ONES, &products)))
        return false;
    double eps = epsilon_of(out->tensor.type), least = least_of(r, part_type(out->tensor.type));
    for (int64_t i = 0, size = parts_of(out); i < size; i++) {
        double m = multiplies ? magnitude_at(&magnitude, i) : part_load(&magnitude, i);
        if (isfinite(m))
            move(r, out, i,
                 factor * (eps * m + (multiplies && magnitude_at(&products, i) != 0 ? least : 0)));
        else if (is_complex || !isfinite(part_load(&finite, i)))
            let_go(r, out, i); /* a partial sum or a product may overflow, and meet an infinity */
    }
    return true;
}

/* Sums made in f32 and rounded to their type once. */
static bool move_scores(struct run *r, const struct node *n, const struct array *ins,
                        struct array *out)
{
    struct array magnitude;
    double factor = 2 + sqrt((double)ins[0].tensor.shape.dim[2]);
    enum vkc_type type = out->tensor.type;
    if (!run_changed(r, n, ins, MAGNITUDES, &magnitude))
        return false;
    for (int64_t i = 0, size = parts_of(out); i < size; i++) {
        double m = part_load(&magnitude, i), y = part_load(out, i);
        if (isfinite(m))
            move(r, out, i,
                 factor * (epsilon_of(TYPE_F32) * m + least_of(r, TYPE_F32)) +
                     (type == TYPE_F32 ? 0 : ulp_of(type, y)));
        else
            let_go(r, out, i);
    }
    return true;
}

/* Each weight is off by its exp, by three roundings and, where it underflows, by a smallest number;
   the sum, as of any product, by f32's rounding and its own. */
static bool move_attend(struct run *r, const struct node *n, const struct array *ins,
                        struct array *out)
{
    struct array of[2] = {ins[0], ins[1]}, magnitude;
    int64_t rows = ins[0].tensor.shape.dim[1], terms = ins[0].tensor.shape.dim[2],
            width = ins[1].tensor.shape.dim[2];
    enum vkc_type type = ins[0].tensor.type, to = out->tensor.type;
    struct array *copies = changed(r, ins, 2, MAGNITUDES, 0);
    if (!copies)
        return FAIL(r->d, MEMORY, "no memory");
    of[1] = copies[1];
    if (!interp_node(r->g, n, r->a, of, &magnitude, r->d))
        return false;
    double ulps = type == TYPE_F32 ? 2.5 + 1.5 : 1 + 1.5,
           weight = ulps * epsilon_of(type) + epsilon_of(to) / 2,
           sum = (2 + sqrt((double)terms)) * epsilon_of(TYPE_F32),
           least = fmax(least_of(r, type), least_of(r, to));
    for (int64_t i = 0, size = parts_of(out); i < size; i++) {
        double all = 0;
        for (int64_t j = 0; j < terms; j++)
            all += fabs(part_load(&ins[1], (i / width / rows * terms + j) * width + i % width));
        if (isfinite(all))
            move(r, out, i,
                 (weight + sum) * part_load(&magnitude, i) + least * all +
                     ulp_of(to, part_load(out, i)));
        else
            let_go(r, out, i);
    }
    return true;
}

/* What a running product makes of changed inputs: prefixes by one multiplication each, where the
   interpreter goes through the block's logarithmic steps. */
static bool prefix_products(struct run *r, const struct node *n, const struct array *in,
                            enum change change, struct array *out)
{
    const char *options = attr_text(n, ATTR_options);
    const struct shape *s = &in->tensor.shape;
    long axis = -1;
    if (sscanf(options, "axis=%ld;", &axis) != 1 || axis < 0 || axis >= (long)s->rank)
        return FAIL(r->d, INTERNAL, "the options of a running product are \"%s\"", options);
    bool reverse = strstr(options, ";reverse=true") != NULL;
    int64_t length = s->dim[axis], stride = 1, lines = length ? shape_size(s) / length : 0;
    for (uint32_t i = (uint32_t)axis + 1; i < s->rank; i++)
        stride *= s->dim[i];
    *out = (struct array){in->tensor, ARENA_ARRAY(r->a, char, tensor_bytes(&in->tensor))};
    if (!out->data)
        return FAIL(r->d, MEMORY, "no memory");
    int64_t parts = type_is_complex(in->tensor.type) ? 2 : 1;
    for (int64_t line = 0; line < lines; line++) {
        int64_t first = line / stride * stride * length + line % stride;
        double product = 1;
        for (int64_t k = 0; k < length; k++) {
            int64_t i = parts * (first + (reverse ? length - 1 - k : k) * stride);
            double m = change == ONES ? magnitude_at(in, i) != 0 : changed_part(in, i, change);
            product *= m;
            part_store(out, i, product);
            if (parts == 2)
                part_store(out, i + 1, 0);
        }
    }
    return true;
}

static bool product_of_changed(struct run *r, const struct node *n, const struct array *ins,
                               enum change change, struct array *out)
{
    return n->op == OP_BLOCK ? prefix_products(r, n, ins, change, out)
                             : run_changed(r, n, ins, change, out);
}

/* Products, whose factors may be taken in any order: by `factor` eps, and where those below 1
   underflow together by as many smallest numbers, times the others. Where those above 1 overflow
   together, or what underflows meets an infinity, anything may come out. A complex infinity does
   not outlive the 1 that a product may start from, and a complex zero does not keep its signs. */
static bool move_product(struct run *r, const struct node *n, const struct array *ins,
                         struct array *out, double factor)
{
    struct array large, small, ones;
    if (!product_of_changed(r, n, ins, LARGE, &large) ||
        !product_of_changed(r, n, ins, SMALL, &small) ||
        !product_of_changed(r, n, ins, ONES, &ones))
        return false;
    bool is_complex = type_is_complex(out->tensor.type);
    double eps = epsilon_of(out->tensor.type), least = least_of(r, part_type(out->tensor.type));
    double normal = num_float_decode(part_type(out->tensor.type), 1) / eps;
    double limit =
        /* where there is none, the greatest number */
        num_float_round(part_type(out->tensor.type), INFINITY);
    struct array before = {out->tensor, arena_copy(r->a, out->data, tensor_bytes(&out->tensor))};
    if (!before.data)
        return FAIL(r->d, MEMORY, "no memory");
    for (int64_t i = 0, size = parts_of(out); i < size; i++) {
        double y = magnitude_at(&before, i), most = magnitude_at(&large, i);
        bool underflows = magnitude_at(&small, i) < normal, has_zero = magnitude_at(&ones, i) == 0;
        bool leaves = !(most < limit) || (isinf(y) && underflows);
        /* a real NaN has a reason that no order takes away */
        if (is_complex ? leaves || !isfinite(y) : leaves && !isnan(y))
            let_go(r, out, i);
        else
            move(r, out, i,
                 factor * (eps * y + ((is_complex ? underflows || y == 0 : underflows && !has_zero)
                                          ? least * most
                                          : 0)));
    }
    return true;
}

/* By u times the greater of the root of that mean, sqrt(stages) times, and the line's greatest
   magnitude. A line with an infinity, or in which a partial sum overflows, is infinities and
   NaNs, and zeros have any sign. */
static bool move_transform(struct run *r, const struct node *n, const struct array *in,
                           struct array *out)
{
    const struct shape *s = &out->tensor.shape;
    int64_t axis = attr_int(n, ATTR_axis, 0), length = s->dim[axis],
            given = in->tensor.shape.dim[axis];
    int64_t count = given < length ? given : length, stride = 1, size = shape_size(s);
    for (uint32_t i = (uint32_t)axis + 1; i < s->rank; i++)
        stride *= s->dim[i];
    double unit = epsilon_of(out->tensor.type) / 2, growth = sqrt(fft_stages(length));
    double least = least_of(r, part_type(out->tensor.type));
    double *sums = ARENA_ARRAY(r->a, double, (size_t)length),
           *most = ARENA_ARRAY(r->a, double, (size_t)length);
    if (!sums || !most)
        return FAIL(r->d, MEMORY, "no memory");
    for (int64_t line = 0; line < size / length; line++) {
        int64_t block = line / stride * stride, first = block * length + line % stride,
                from = block * given + line % stride;
        fft_class_means(out, first, stride, length, sums, most);
        double peak = fft_peak(out, first, stride, length);
        bool is_finite = !fft_overflows(in, out->tensor.type, from, stride, count, length);
        for (int64_t k = 0; k < length; k++) /* of the elements, since fmax above drops a NaN */
            is_finite =
                is_finite && isfinite(fft_square_at(out, first, stride, k)) && isfinite(most[k]);
        for (int64_t part = 0; part < 2 * length; part++) {
            int64_t i = 2 * (first + part / 2 * stride) + part % 2;
            if (is_finite)
                move(r, out, i, fmax(unit * fmax(growth * sqrt(most[part / 2]), peak), least));
            else
                let_go(r, out, i);
        }
    }
    return true;
}

/* The sign and the payload of a NaN are anybody's, so what its bits are taken for is any number.
   Samples set them all or leave them, and each sign by itself: to turn those that are there
   about would leave the greatest of a positive and a negative one as it is. */
static void move_bits(struct run *r, const struct array *in, struct array *out)
{
    bool is_float = type_is_float(out->tensor.type);
    uint32_t bytes = vkc_types[out->tensor.type].bits / 8;
    for (int64_t i = 0, size = is_real_float(in) ? parts_of(in) : 0; i < size; i++) {
        uint8_t *bits = (uint8_t *)out->data + i * bytes;
        if (!isnan(part_load(in, i)))
            continue;
        if (is_float) {
            let_go(r, out, i);
        } else {
            if (next_part(r) > 0)
                memset(bits, 0xff, bytes);
            bits[bytes - 1] = (uint8_t)((bits[bytes - 1] & 0x7f) | (next_part(r) > 0 ? 0 : 0x80));
        }
    }
}

static bool move_outputs(struct run *r, const struct node *n, const struct array *ins,
                         struct array *outs)
{
    if (n->op == OP_BITCAST)
        move_bits(r, &ins[0], &outs[0]);
    if (n->nouts == 0 || !is_real_float(&outs[0]))
        return true;
    double terms = (double)terms_of(n, ins, &outs[0]);
    switch (n->op) {
    case OP_DOT:
    case OP_CONV: return move_sum(r, n, ins, &outs[0], 2 + sqrt(terms));
    case OP_SCORES: return move_scores(r, n, ins, &outs[0]);
    case OP_ATTEND: return move_attend(r, n, ins, &outs[0]);
    case OP_SUM:
    case OP_WINDOW_SUM:
    case OP_INDEXED_ADD: return move_sum(r, n, ins, &outs[0], 2 + log2(terms));
    case OP_WINDOW_SCATTER_MAX:
    case OP_WINDOW_SCATTER_MIN: return move_sum(r, n, ins, &outs[0], 2 + log2(terms));
    case OP_PRODUCT:
    case OP_WINDOW_PRODUCT: return move_product(r, n, ins, &outs[0], 2 + terms);
    case OP_FFT:
    case OP_IFFT: return move_transform(r, n, &ins[0], &outs[0]);
    default:
        if (op_class(n->op) == CLASS_ELEMENTWISE)
            move_elementwise(r, n, ins, &outs[0]);
        return true;
    }
}

/* ---- evaluation ---- */

static bool is_true(const struct array *x)
{
    return number_is_nonzero(x->tensor.type, number_load(x->tensor.type, x->data, 0));
}

static bool run_while(struct run *r, const struct node *n, const struct array *ins,
                      struct array *outs)
{
    memcpy(outs, ins, n->nouts * sizeof *outs);
    for (;;) {
        struct array goes_on;
        if (!run_func(r, n->regions[0], outs, &goes_on))
            return false;
        if (!is_true(&goes_on))
            return true;
        struct array *now = ARENA_ARRAY(r->a, struct array, n->nouts);
        if (!now)
            return FAIL(r->d, MEMORY, "no memory");
        memcpy(now, outs, n->nouts * sizeof *now);
        if (!run_func(r, n->regions[1], now, outs))
            return false;
    }
}

static bool run_cond(struct run *r, const struct node *n, const struct array *ins,
                     struct array *outs)
{
    uint32_t i = 0;
    for (; i + 1 < n->nregions; i += 2) {
        struct array taken;
        if (!run_func(r, n->regions[i], ins, &taken))
            return false;
        if (is_true(&taken))
            return run_func(r, n->regions[i + 1], ins, outs);
    }
    return run_func(r, n->regions[i], ins, outs);
}

/* Running sums and products may be added up in any order: a scan's terms are those of its
   longest row. */
static bool run_scan(struct run *r, const struct node *n, const struct array *ins,
                     struct array *outs)
{
    bool sums = strcmp(attr_text(n, ATTR_name), "CumulativeSum") == 0,
         products = strcmp(attr_text(n, ATTR_name), "CumulativeProduct") == 0;
    if (!interp_node(r->g, n, r->a, ins, outs, r->d))
        return false;
    if (!r->sample || !is_real_float(&outs[0]) || !(sums || products))
        return true;
    double terms = (double)shape_size(&outs[0].tensor.shape);
    return sums ? move_sum(r, n, ins, &outs[0], 2 + log2(terms))
                : move_product(r, n, ins, &outs[0], 2 + terms);
}

/* A step of a fold. */
static bool run_step(void *with, uint32_t func, struct arena *a, const struct array *ins,
                     struct array *outs)
{
    struct run *r = with;
    struct arena *outer = r->a;
    r->a = a;
    bool ok = run_func(r, func, ins, outs);
    r->a = outer;
    return ok;
}

static bool run_node(struct run *r, const struct node *n, const struct array *ins,
                     struct array *outs)
{
    switch (n->op) {
    case OP_WHILE: return run_while(r, n, ins, outs);
    case OP_COND: return run_cond(r, n, ins, outs);
    case OP_BLOCK:
        if (strncmp(attr_text(n, ATTR_name), "Cumulative", 10) == 0)
            return run_scan(r, n, ins, outs);
        return run_func(r, n->regions[0], ins, outs);
    default: break;
    }
    if (n->op == OP_FOLD || n->op == OP_WINDOW_REDUCE)
        return interp_fold(r->g, n, r->a, ins, outs, run_step, r, r->d);
    if (r->sample && n->op == OP_TRIANGULAR_SOLVE) {
        double terms = (double)ins[0].tensor.shape.dim[ins[0].tensor.shape.rank - 1];
        ins = changed(r, ins, n->nins, MOVED, (1 + terms) * epsilon_of(n->outs[0].type));
        if (!ins)
            return FAIL(r->d, MEMORY, "no memory");
    }
    return interp_node(r->g, n, r->a, ins, outs, r->d) &&
           (!r->sample || move_outputs(r, n, ins, outs));
}

/* As interp_func. Arrays are never written after their node has run, so they may be shared. */
static bool run_func(struct run *r, uint32_t func, const struct array *ins, struct array *outs)
{
    const struct func *f = &r->g->funcs[func];
    struct array **values = ARENA_ARRAY(r->a, struct array *, f->nnodes + 1);
    for (uint32_t i = 0; values && i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        struct array *args = ARENA_ARRAY(r->a, struct array, n->nins + 1);
        values[i] = ARENA_ARRAY(r->a, struct array, n->nouts + 1);
        if (!args || !values[i])
            return FAIL(r->d, MEMORY, "no memory");
        for (uint32_t k = 0; k < n->nins; k++)
            args[k] = values[n->ins[k].node][n->ins[k].out];
        if (n->op == OP_PARAMETER)
            values[i][0] = ins[attr_int(n, ATTR_index, 0)];
        else if (!run_node(r, n, args, values[i]))
            return false;
    }
    for (uint32_t i = 0; values && i < f->nresults; i++)
        outs[i] = values[f->results[i].node][f->results[i].out];
    return values || FAIL(r->d, MEMORY, "no memory");
}

bool perturb_run(const struct graph *g, struct arena *a, const struct array *inputs,
                 struct array *outputs, uint32_t sample, struct perturb_kept kept, struct diag *d)
{
    bool more = sample >= PERTURB_SAMPLES && sample < PERTURB_BETWEEN;
    double scale = more ? PERTURB_FACTOR : 1;
    struct run r = {g, a, d, sample, scale, 0x9e3779b97f4a7c15u * (sample + 1), kept};
    return run_func(&r, g->entry, inputs, outputs);
}
