/* The rules of dot, conv, triangular_solve, sort, argsort, fft and ifft. */
#include "ir/ir_verify.h"

#include <string.h>

static bool operand_types(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *b = verify_in(v, 1), *out = &v->n->outs[0];
    if (a->type == out->type && b->type == out->type)
        return true;
    return BAD(v, "types differ: inputs are %s and %s, the result is %s", verify_show(a).s,
               verify_show(b).s, verify_show(out).s);
}

/* ---- dot ---- */

struct dot_side {
    const struct tensor *t;
    const int64_t *contract, *batch;
    uint32_t ncontract, nbatch;
};

static bool dot_side(struct verify *v, uint32_t i, enum attr_key contract, enum attr_key batch,
                     struct dot_side *s)
{
    s->t = verify_in(v, i);
    if (!verify_axes(v, contract, s->t->shape.rank, false, &s->contract, &s->ncontract) ||
        !verify_axes(v, batch, s->t->shape.rank, true, &s->batch, &s->nbatch))
        return false;
    for (uint32_t k = 0; k < s->ncontract; k++)
        if (attr_list_has(v->n, batch, s->contract[k]))
            return BAD(v, "axis %lld of input %u is both contracted and a batch axis",
                       (long long)s->contract[k], i);
    return true;
}

static bool dot_pairs(struct verify *v, const char *what, const struct dot_side *a,
                      const int64_t *axes_a, uint32_t na, const struct dot_side *b,
                      const int64_t *axes_b, uint32_t nb)
{
    if (na != nb)
        return BAD(v, "%u %s axes of input 0, %u of input 1", na, what, nb);
    for (uint32_t k = 0; k < na; k++) {
        int64_t m = a->t->shape.dim[axes_a[k]], n = b->t->shape.dim[axes_b[k]];
        if (m != n)
            return BAD(v, "%s axes differ: %s axis %lld has %lld, %s axis %lld has %lld", what,
                       verify_show(a->t).s, (long long)axes_a[k], (long long)m, verify_show(b->t).s,
                       (long long)axes_b[k], (long long)n);
    }
    return true;
}

static bool add_free(struct verify *v, struct shape *out, const struct dot_side *s,
                     enum attr_key contract, enum attr_key batch)
{
    for (uint32_t i = 0; i < s->t->shape.rank; i++) {
        if (attr_list_has(v->n, contract, i) || attr_list_has(v->n, batch, i))
            continue;
        if (out->rank == VKC_MAX_RANK)
            return BAD(v, "the result has more than %d axes", VKC_MAX_RANK);
        out->dim[out->rank++] = s->t->shape.dim[i];
    }
    return true;
}

static bool check_dot(struct verify *v)
{
    struct dot_side a, b;
    if (!operand_types(v) || !dot_side(v, 0, ATTR_contract_a, ATTR_batch_a, &a) ||
        !dot_side(v, 1, ATTR_contract_b, ATTR_batch_b, &b) ||
        !dot_pairs(v, "contracted", &a, a.contract, a.ncontract, &b, b.contract, b.ncontract) ||
        !dot_pairs(v, "batch", &a, a.batch, a.nbatch, &b, b.batch, b.nbatch))
        return false;
    struct shape want = {.rank = a.nbatch};
    for (uint32_t i = 0; i < a.nbatch; i++)
        want.dim[i] = a.t->shape.dim[a.batch[i]];
    return add_free(v, &want, &a, ATTR_contract_a, ATTR_batch_a) &&
           add_free(v, &want, &b, ATTR_contract_b, ATTR_batch_b) &&
           verify_out(v, 0, a.t->type, &want);
}

/* ---- conv ---- */

static bool permuted(struct verify *v, enum attr_key key, const struct shape *s, struct shape *out)
{
    const int64_t *axes;
    uint32_t n;
    if (!verify_axes(v, key, s->rank, false, &axes, &n))
        return false;
    if (n != s->rank)
        return BAD(v, "%s has %u entries, needs %u", attr_key_name(key), n, s->rank);
    *out = (struct shape){.rank = n};
    for (uint32_t i = 0; i < n; i++)
        out->dim[i] = s->dim[axes[i]];
    return true;
}

/* Logical layouts: input batch, channels, spatial...; kernel outputs, inputs, spatial...; result
   batch, outputs, spatial.... Channels = kernel inputs * feature_groups; batch_groups divides
   batch and outputs. */
static bool conv_groups(struct verify *v, const struct shape *a, const struct shape *k)
{
    int64_t features = attr_int(v->n, ATTR_feature_groups, 1),
            batches = attr_int(v->n, ATTR_batch_groups, 1);
    if (features < 1 || batches < 1 || (features > 1 && batches > 1))
        return BAD(v, "feature_groups is %lld, batch_groups is %lld: at least 1, and one of them 1",
                   (long long)features, (long long)batches);
    if (a->dim[1] % features != 0 || a->dim[1] / features != k->dim[1])
        return BAD(v, "%lld channels in %lld groups, the kernel takes %lld each",
                   (long long)a->dim[1], (long long)features, (long long)k->dim[1]);
    if (k->dim[0] % features != 0 || k->dim[0] % batches != 0 || a->dim[0] % batches != 0)
        return BAD(
            v,
            "%lld output channels and a batch of %lld do not divide into %lld feature and %lld batch groups",
            (long long)k->dim[0], (long long)a->dim[0], (long long)features, (long long)batches);
    return true;
}

static bool conv_spatial(struct verify *v, const struct shape *a, const struct shape *k,
                         struct shape *out)
{
    const int64_t *strides, *lo, *hi, *id, *kd, most = VERIFY_MAX_BYTES;
    uint32_t n = a->rank - 2;
    if (!verify_list(v, ATTR_strides, n, 1, most, &strides) ||
        !verify_list(v, ATTR_lo, n, -most, most, &lo) ||
        !verify_list(v, ATTR_hi, n, -most, most, &hi) ||
        !verify_list(v, ATTR_input_dilation, n, 1, most, &id) ||
        !verify_list(v, ATTR_kernel_dilation, n, 1, most, &kd))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t in = a->dim[i + 2] - 1, window = k->dim[i + 2] - 1;
        if (in > most / id[i] || window > most / kd[i])
            return BAD(v, "spatial axis %u: the dilated input or kernel is too large", i);
        int64_t padded = in * id[i] + 1 + lo[i] + hi[i], span = window * kd[i] + 1;
        if (span > padded)
            return BAD(v,
                       "spatial axis %u: a kernel of %lld does not fit into %lld padded elements",
                       i, (long long)span, (long long)padded);
        out->dim[i + 2] = (padded - span) / strides[i] + 1;
    }
    return true;
}

static bool check_conv(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *b = verify_in(v, 1);
    uint32_t rank = a->shape.rank;
    if (!operand_types(v))
        return false;
    if (type_is_int(a->type))
        return BAD(v, "there is no conv of type %s", type_name(a->type));
    if (rank < 2 || b->shape.rank != rank)
        return BAD(v, "inputs are %s and %s: they need the same number of axes, at least 2",
                   verify_show(a).s, verify_show(b).s);
    struct shape in, kernel, made = {.rank = rank}, want = {.rank = rank}, unused;
    if (!permuted(v, ATTR_input_permutation, &a->shape, &in) ||
        !permuted(v, ATTR_kernel_permutation, &b->shape, &kernel) ||
        !permuted(v, ATTR_output_permutation, &in, &unused) || !conv_groups(v, &in, &kernel) ||
        !conv_spatial(v, &in, &kernel, &made))
        return false;
    made.dim[0] = in.dim[0] / attr_int(v->n, ATTR_batch_groups, 1);
    made.dim[1] = kernel.dim[0];
    uint32_t n;
    const int64_t *to = attr_list(v->n, ATTR_output_permutation, &n);
    for (uint32_t i = 0; i < rank; i++)
        want.dim[to[i]] = made.dim[i];
    return verify_out(v, 0, a->type, &want);
}

/* ---- triangular_solve: a [..., n, n]; b [..., n, m], or [..., n] for one column ---- */

static bool check_triangular_solve(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *b = verify_in(v, 1);
    const char *transform = attr_text(v->n, ATTR_transform);
    uint32_t rank = a->shape.rank;
    if (!operand_types(v))
        return false;
    if (type_is_int(a->type))
        return BAD(v, "there is no triangular_solve of type %s", type_name(a->type));
    if (strcmp(transform, "none") != 0 && strcmp(transform, "transpose") != 0 &&
        strcmp(transform, "conjugate") != 0)
        return BAD(v, "transform is \"%.32s\", must be \"none\", \"transpose\" or \"conjugate\"",
                   transform);
    if (rank < 2 || a->shape.dim[rank - 1] != a->shape.dim[rank - 2])
        return BAD(v, "input 0 is %s, must be square in its last two axes", verify_show(a).s);
    bool column = b->shape.rank == rank - 1, ok = column || b->shape.rank == rank;
    for (uint32_t i = 0; ok && i < rank - 2; i++)
        ok = a->shape.dim[i] == b->shape.dim[i];
    uint32_t axis = column || attr_bool(v->n, ATTR_left_side) ? rank - 2 : rank - 1;
    if (!ok || b->shape.dim[axis] != a->shape.dim[rank - 1])
        return BAD(v, "input 1 is %s, does not fit %s", verify_show(b).s, verify_show(a).s);
    return verify_out(v, 0, b->type, &b->shape);
}

/* ---- along one axis ---- */

static bool check_axis(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    int64_t axis = attr_int(v->n, ATTR_axis, -1);
    if (axis < 0 || axis >= (int64_t)a->shape.rank)
        return BAD(v, "axis is %lld, %s has %u axes", (long long)axis, verify_show(a).s,
                   a->shape.rank);
    return true;
}

static bool check_sort(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *out = &v->n->outs[0];
    if (!check_axis(v))
        return false;
    if (type_is_complex(a->type))
        return BAD(v, "there is no %s of type %s", op_name(v->n->op), type_name(a->type));
    if (v->n->op == OP_SORT)
        return verify_out(v, 0, a->type, &a->shape);
    if (!type_is_int(out->type))
        return BAD(v, "result has type %s, needs an integer type", type_name(out->type));
    return verify_out(v, 0, out->type, &a->shape);
}

static bool check_fft(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *out = &v->n->outs[0];
    int64_t length = attr_int(v->n, ATTR_length, 0);
    if (!check_axis(v))
        return false;
    if (length < 1 || length >= VERIFY_MAX_BYTES)
        return BAD(v, "length is %lld, the least is 1", (long long)length);
    if (!type_is_complex(out->type))
        return BAD(v, "result has type %s, needs a complex type", type_name(out->type));
    struct shape want = a->shape;
    want.dim[attr_int(v->n, ATTR_axis, 0)] = length;
    return verify_out(v, 0, out->type, &want);
}

bool verify_contract(struct verify *v)
{
    switch (v->n->op) {
    case OP_DOT: return check_dot(v);
    case OP_CONV: return check_conv(v);
    case OP_TRIANGULAR_SOLVE: return check_triangular_solve(v);
    case OP_SORT:
    case OP_ARGSORT: return check_sort(v);
    case OP_FFT:
    case OP_IFFT: return check_fft(v);
    default:
        return FAIL(v->d, INTERNAL, "n%u %s: no rule to verify it by", v->n->label,
                    op_name(v->n->op));
    }
}
