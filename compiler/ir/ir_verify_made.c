/* The rules of the ops that passes make: steps of sorts, scans, scatters and factors. */
#include <string.h>

#include "ir/ir_verify.h"
#include "target/limits.h"

static bool is_of(struct verify *v, uint32_t i, enum vkc_type type, uint32_t rank)
{
    const struct tensor *t = verify_in(v, i);
    if (t->type == type && t->shape.rank == rank)
        return true;
    return BAD(v, "input %u is %s, needs %s with %u axes", i, verify_show(t).s, type_name(type),
               rank);
}

static bool check_run(struct verify *v)
{
    int64_t run = attr_int(v->n, ATTR_run, 0);
    return (run >= 1 && run < VERIFY_MAX_BYTES) ||
           BAD(v, "run is %lld, the least is 1", (long long)run);
}

/* Of what length runs are, and at least are. */
static bool check_merged(struct verify *v)
{
    int64_t tile = attr_int(v->n, ATTR_tile, 0);
    if (tile < LINES_EACH || tile > VERIFY_MAX_BYTES || (tile & (tile - 1)) != 0)
        return BAD(v, "tile is %lld, must be a power of two from %d on", (long long)tile,
                   LINES_EACH);
    if (!is_of(v, 1, TYPE_U32, 1))
        return false;
    return verify_in(v, 1)->shape.dim[0] == 2 ||
           BAD(v, "input 1 is %s, needs the lengths of a run and of two",
               verify_show(verify_in(v, 1)).s);
}

/* Keys of one or two words, and in merge_runs the order that sort_runs gave with them. */
static bool check_order(struct verify *v)
{
    const struct node *n = v->n;
    const char *gives = attr_text(n, ATTR_gives);
    bool keys = strcmp(gives, "keys") == 0, order = strcmp(gives, "order") == 0,
         both = strcmp(gives, "both") == 0;
    if (n->op == OP_MERGE_RUNS ? !check_merged(v) : !check_run(v))
        return false;
    if (!is_of(v, 0, TYPE_U32, 4))
        return false;
    if (!keys && !order && !both)
        return BAD(v, "gives is \"%.32s\", must be \"keys\", \"order\" or \"both\"", gives);
    struct shape want = verify_in(v, 0)->shape;
    int64_t words = want.dim[0] - (n->op == OP_MERGE_RUNS && !keys);
    if (n->op == OP_MERGE_RUNS && want.dim[3] != 1)
        return BAD(v, "input 0 is %s, runs are merged along the last axis",
                   verify_show(verify_in(v, 0)).s);
    if (words < 1 || words > 2)
        return BAD(v, "input 0 is %s, needs keys of one or two words",
                   verify_show(verify_in(v, 0)).s);
    want.dim[0] = (order ? 0 : words) + (keys ? 0 : 1);
    return verify_out(v, 0, TYPE_U32, &want);
}

static bool check_tile(struct verify *v, int64_t tile)
{
    return (tile >= DIGITS_LEAST && tile <= DIGITS_MOST && (tile & (tile - 1)) == 0) ||
           BAD(v, "tile is %lld, must be a power of two from %d to %d", (long long)tile,
               DIGITS_LEAST, DIGITS_MOST);
}

/* A digit of a key, of which a workgroup counts in shared memory how often it occurs. */
static bool check_digit(struct verify *v, int64_t *out_tiles)
{
    const struct node *n = v->n;
    if (!is_of(v, 0, TYPE_U32, 3))
        return false;
    const struct shape *in = &verify_in(v, 0)->shape;
    int64_t words = attr_int(n, ATTR_words, 0), bit = attr_int(n, ATTR_bit, 0),
            radix = attr_int(n, ATTR_radix, 0), tile = attr_int(n, ATTR_tile, 0);
    if (words < 1 || words > 2 || words > in->dim[0])
        return BAD(v, "input 0 is %s, needs keys of one or two words, as words=%lld says",
                   verify_show(verify_in(v, 0)).s, (long long)words);
    if (radix < 2 || radix > DIGITS_RADIX || (radix & (radix - 1)) != 0)
        return BAD(v, "radix is %lld, must be a power of two from 2 to %d", (long long)radix,
                   DIGITS_RADIX);
    if (bit < 0 || bit >= 32 * words || bit % 32 + digits_bits(radix) > 32)
        return BAD(v, "a digit of radix %lld at bit %lld is not in one of %lld words",
                   (long long)radix, (long long)bit, (long long)words);
    if (!check_tile(v, tile))
        return false;
    *out_tiles = (in->dim[2] + tile - 1) / tile;
    return true;
}

static bool check_digit_select(struct verify *v)
{
    const struct node *n = v->n;
    if (!is_of(v, 0, TYPE_U32, 3))
        return false;
    const char *gives = attr_text(n, ATTR_gives);
    struct shape want = verify_in(v, 0)->shape;
    int64_t words = attr_int(n, ATTR_words, 0), bit = attr_int(n, ATTR_bit, 0),
            width = attr_int(n, ATTR_width, 0), tile = attr_int(n, ATTR_tile, 0),
            first = attr_int(n, ATTR_length, 0);
    bool keys = strcmp(gives, "keys") == 0;
    if (!keys && strcmp(gives, "both") != 0)
        return BAD(v, "gives is \"%.32s\", must be \"keys\" or \"both\"", gives);
    if (words < 1 || words > 2 || want.dim[0] < words || want.dim[0] > words + !keys)
        return BAD(v, "input 0 is %s, needs keys of %lld words%s", verify_show(verify_in(v, 0)).s,
                   (long long)words, keys ? "" : ", and their places or nothing");
    if (bit < 0 || bit >= 32 || width < 1 || width > 32 * words - bit ||
        bit + width <= 32 * (words - 1))
        return BAD(v, "%lld bits from bit %lld on are not what %lld words differ in",
                   (long long)width, (long long)bit, (long long)words);
    if (!check_tile(v, tile))
        return false;
    if (first < 1 || first > tile)
        return BAD(v, "length is %lld, of a tile of %lld", (long long)first, (long long)tile);
    want.dim[0] = words + !keys;
    want.dim[2] = digits_selected(want.dim[2], tile, first);
    return verify_out(v, 0, TYPE_U32, &want);
}

static bool check_digit_counts(struct verify *v)
{
    int64_t tiles;
    if (!check_digit(v, &tiles))
        return false;
    struct shape want = shape_of(
        3, (int64_t[3]){verify_in(v, 0)->shape.dim[1], attr_int(v->n, ATTR_radix, 0), tiles});
    return verify_out(v, 0, TYPE_U32, &want);
}

static bool check_digit_sort(struct verify *v)
{
    const struct node *n = v->n;
    const char *gives = attr_text(n, ATTR_gives);
    bool keys = strcmp(gives, "keys") == 0, order = strcmp(gives, "order") == 0,
         both = strcmp(gives, "both") == 0;
    int64_t tiles, words = attr_int(n, ATTR_words, 0);
    if (!check_digit(v, &tiles))
        return false;
    if (!keys && !order && !both)
        return BAD(v, "gives is \"%.32s\", must be \"keys\", \"order\" or \"both\"", gives);
    struct shape want = verify_in(v, 0)->shape,
                 counts = shape_of(3, (int64_t[3]){want.dim[1], attr_int(n, ATTR_radix, 0), tiles});
    if (want.dim[0] > words + !keys)
        return BAD(v, "input 0 is %s, needs keys of %lld words%s", verify_show(verify_in(v, 0)).s,
                   (long long)words, keys ? "" : ", and their places or nothing");
    if (!is_of(v, 1, TYPE_U32, 3) || !shape_equal(&verify_in(v, 1)->shape, &counts))
        return BAD(v, "input 1 is %s, needs a sum for each digit and tile",
                   verify_show(verify_in(v, 1)).s);
    want.dim[0] = (order ? 0 : words) + !keys;
    return verify_out(v, 0, TYPE_U32, &want);
}

static bool check_scan(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    const char *combine = attr_text(v->n, ATTR_combine);
    enum op op = op_parse(combine);
    if (!vkc_ops[op].scan || !op_takes(op, a->type))
        return BAD(v, "combine is \"%.32s\", which cannot scan %s", combine, type_name(a->type));
    return check_run(v) && is_of(v, 0, a->type, 3) && verify_out(v, 0, a->type, &a->shape);
}

static bool check_search(struct verify *v)
{
    if (verify_in(v, 1)->type != TYPE_U32)
        return BAD(v, "input 1 is %s, needs u32", verify_show(verify_in(v, 1)).s);
    return is_of(v, 0, TYPE_U32, 1) && verify_out(v, 0, TYPE_S32, &verify_in(v, 1)->shape);
}

static bool check_segment_sum(struct verify *v)
{
    const struct node *n = v->n;
    const struct tensor *target = verify_in(v, 0), *updates = verify_in(v, 1);
    if (!is_of(v, 0, n->outs[0].type, 2) || !is_of(v, 1, target->type, 2) ||
        !is_of(v, 2, TYPE_U32, 1) || !is_of(v, 3, TYPE_S32, 1))
        return false;
    int64_t tile = attr_int(n, ATTR_tile, 0), count = updates->shape.dim[0];
    bool fits = updates->shape.dim[1] == target->shape.dim[1] &&
                verify_in(v, 2)->shape.dim[0] == count &&
                verify_in(v, 3)->shape.dim[0] == target->shape.dim[0] + 1;
    if (!fits || tile < 1 || tile >= VERIFY_MAX_BYTES)
        return BAD(v, "target %s, updates %s, order, starts and tile %lld do not go together",
                   verify_show(target).s, verify_show(updates).s, (long long)tile);
    if (n->nins == 5) {
        if (!is_of(v, 4, target->type, 2))
            return false;
        const struct shape *sums = &verify_in(v, 4)->shape;
        if (sums->dim[0] != (count + tile - 1) / tile || sums->dim[1] != target->shape.dim[1])
            return BAD(v, "input 4 is %s, needs a row for each %lld updates",
                       verify_show(verify_in(v, 4)).s, (long long)tile);
    }
    return verify_out(v, 0, target->type, &target->shape);
}

static bool check_panel(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    int64_t parts = attr_bool(v->n, ATTR_inverse) ? 2 : 1;
    bool has_matrices = a->shape.rank == 3 && (a->shape.dim[1] == a->shape.dim[2] ||
                                               (parts == 1 && a->shape.dim[1] > a->shape.dim[2]));
    if (!has_matrices || type_bytes(a->type) < 4 ||
        !(type_is_float(a->type) || type_is_complex(a->type)))
        return BAD(
            v,
            "input is %s, needs square matrices [matrices, n, n] of floats of 32 bits or more, or "
            "without `inverse` more rows",
            verify_show(a).s);
    struct shape want =
        shape_of(4, (int64_t[4]){a->shape.dim[0], parts, a->shape.dim[1], a->shape.dim[2]});
    return verify_out(v, 0, a->type, &want);
}

/* Of a panel of columns. */
static bool check_columns(struct verify *v, const struct tensor *a)
{
    if (a->shape.rank == 3 && type_is_float(a->type) && type_bytes(a->type) >= 4 &&
        a->shape.dim[2] >= 1 && a->shape.dim[2] <= a->shape.dim[1])
        return true;
    return BAD(v,
               "input is %s, needs columns [matrices, rows, width] of real floats of 32 bits or "
               "more, no more than rows",
               verify_show(a).s);
}

static bool check_panel_lu(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *places = verify_in(v, 1);
    if (!check_columns(v, a))
        return false;
    if (places->type != a->type || places->shape.rank != 3 ||
        places->shape.dim[0] != a->shape.dim[0] || places->shape.dim[1] < a->shape.dim[1] ||
        places->shape.dim[2] < 1)
        return BAD(v,
                   "places are %s, needs matrices of that type with a row for each of those of %s",
                   verify_show(places).s, verify_show(a).s);
    struct shape want = shape_of(
        3, (int64_t[3]){a->shape.dim[0], a->shape.dim[1] + a->shape.dim[2], a->shape.dim[2] + 1});
    return verify_out(v, 0, a->type, &want);
}

static bool check_panel_qr(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    if (!check_columns(v, a))
        return false;
    struct shape want = shape_of(
        3, (int64_t[3]){a->shape.dim[0], a->shape.dim[1] + a->shape.dim[2], a->shape.dim[2]});
    return verify_out(v, 0, a->type, &want);
}

static bool check_jacobi(struct verify *v)
{
    const struct tensor *x = verify_in(v, 0);
    bool is_float = type_is_float(x->type) || type_is_complex(x->type);
    int64_t width = x->shape.rank == 3 ? x->shape.dim[2] : 0;
    if (x->shape.rank != 3 || x->shape.dim[1] != width || type_bytes(x->type) < 4 || !is_float)
        return BAD(v, "input is %s, needs squares [matrices, w, w] of floats of 32 bits or more",
                   verify_show(x).s);
    if (width < 16 || width > 64 || (width & (width - 1)))
        return BAD(v, "products of %lld vectors: needs 16, 32 or 64", (long long)width);
    if (attr_int(v->n, ATTR_rows, 0) < 1)
        return BAD(v, "no rows");
    if (attr_int(v->n, ATTR_sweeps, 0) < 1)
        return BAD(v, "no sweeps");
    return verify_out(v, 0, x->type, &x->shape);
}

static bool check_turn_blocks(struct verify *v)
{
    const struct tensor *x = verify_in(v, 0), *t = verify_in(v, 1);
    bool are_three = x->shape.rank == 3 && t->shape.rank == 3;
    int64_t width = are_three ? t->shape.dim[2] : 0, rows = are_three ? x->shape.dim[1] : 0;
    if (!are_three || x->type != t->type || t->shape.dim[1] != width || width < 16 || width > 64 ||
        (width & (width - 1)) || rows == 0 || rows % width ||
        t->shape.dim[0] != x->shape.dim[0] * (rows / width))
        return BAD(
            v,
            "inputs are %s and %s, needs [matrices, p w, length] and [matrices p, w, w], w 16, 32 or 64",
            verify_show(x).s, verify_show(t).s);
    if (attr_bool(v->n, ATTR_both) && x->shape.dim[2] < rows)
        return BAD(v, "both sides of %s, which has fewer columns than rows", verify_show(x).s);
    return verify_out(v, 0, x->type, &x->shape);
}

static bool check_singular(struct verify *v)
{
    const struct tensor *x = verify_in(v, 0);
    if (!check_columns(v, x))
        return false;
    if (attr_int(v->n, ATTR_sweeps, 0) < 1)
        return BAD(v, "no sweeps");
    int64_t rows = x->shape.dim[1], columns = x->shape.dim[2],
            wanted = attr_bool(v->n, ATTR_full) ? rows : columns;
    struct shape want = shape_of(3, (int64_t[3]){x->shape.dim[0], wanted, rows + columns + 1});
    return verify_out(v, 0, x->type, &want);
}

static bool check_fourier(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *roots = verify_in(v, 1);
    int64_t axis = attr_int(v->n, ATTR_axis, 0);
    if (axis < 0 || axis >= (int64_t)a->shape.rank)
        return BAD(v, "axis %lld is not one of %s", (long long)axis, verify_show(a).s);
    if (!type_is_complex(a->type) || roots->type != a->type || roots->shape.rank != 1 ||
        roots->shape.dim[0] != a->shape.dim[axis])
        return BAD(
            v, "inputs are %s and %s: needs complex numbers, and as many roots as the axis is long",
            verify_show(a).s, verify_show(roots).s);
    return verify_out(v, 0, a->type, &a->shape);
}

static bool is_small_float(enum vkc_type t)
{
    return type_is_float(t) && type_bytes(t) <= 4;
}

static bool check_scores(struct verify *v)
{
    const struct tensor *q = verify_in(v, 0), *k = verify_in(v, 1);
    if (q->type != k->type || !is_small_float(q->type) || q->shape.rank != 3 ||
        k->shape.rank != 3 || q->shape.dim[0] != k->shape.dim[0] ||
        q->shape.dim[2] != k->shape.dim[2])
        return BAD(v, "inputs are %s and %s, needs [batch, m, d] and [batch, n, d] of one float",
                   verify_show(q).s, verify_show(k).s);
    struct shape want =
        shape_of(3, (int64_t[3]){q->shape.dim[0], q->shape.dim[1], k->shape.dim[1]});
    return verify_out(v, 0, q->type, &want);
}

static bool check_attend(struct verify *v)
{
    const struct tensor *x = verify_in(v, 0), *y = verify_in(v, 1);
    if (!is_small_float(x->type) || !is_small_float(y->type) || x->shape.rank != 3 ||
        y->shape.rank != 3 || x->shape.dim[0] != y->shape.dim[0] ||
        x->shape.dim[2] != y->shape.dim[1])
        return BAD(v, "inputs are %s and %s, needs [batch, m, n] and [batch, n, w] of floats",
                   verify_show(x).s, verify_show(y).s);
    struct shape want =
        shape_of(3, (int64_t[3]){x->shape.dim[0], x->shape.dim[1], y->shape.dim[2]});
    return verify_out(v, 0, y->type, &want);
}

bool verify_made(struct verify *v)
{
    switch (v->n->op) {
    case OP_SORT_RUNS:
    case OP_MERGE_RUNS: return check_order(v);
    case OP_DIGIT_COUNTS: return check_digit_counts(v);
    case OP_DIGIT_SORT: return check_digit_sort(v);
    case OP_DIGIT_SELECT: return check_digit_select(v);
    case OP_SCAN: return check_scan(v);
    case OP_SEARCH: return check_search(v);
    case OP_SEGMENT_SUM: return check_segment_sum(v);
    case OP_FOURIER: return check_fourier(v);
    case OP_PANEL_CHOLESKY: return check_panel(v);
    case OP_PANEL_LU: return check_panel_lu(v);
    case OP_PANEL_QR: return check_panel_qr(v);
    case OP_JACOBI: return check_jacobi(v);
    case OP_TURN_BLOCKS: return check_turn_blocks(v);
    case OP_SINGULAR: return check_singular(v);
    case OP_SCORES: return check_scores(v);
    case OP_ATTEND: return check_attend(v);
    default:
        return FAIL(v->d, INTERNAL, "n%u %s: no rule to verify it by", v->n->label,
                    op_name(v->n->op));
    }
}
