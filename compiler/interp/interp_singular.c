/* The interpreter of singular: reflections and one-sided rotations, in the order of
   singular.glsl. */
#include "interp/interp_impl.h"

#include <math.h>

/* [A I] of m rows: n columns, then m. */
struct singular {
    long double *a;
    int64_t m, n, length;
    long double eps;
    bool is_far; /* vectors are, in the last sweep */
};

/* Makes the first n columns of a matrix [m, length] triangular. */
static void reflect(long double *a, int64_t m, int64_t n, int64_t length, long double least)
{
    for (int64_t k = 0; k < n; k++) {
        long double top = a[k * length + k], below = 0;
        for (int64_t i = k + 1; i < m; i++)
            below += a[i * length + k] * a[i * length + k];
        if (below > least) {
            long double norm = sqrtl(top * top + below),
                        first = top <= 0 ? top - norm : -below / (top + norm),
                        square = below + first * first;
            for (int64_t j = 0; j < length; j++) {
                long double along = first * a[k * length + j];
                for (int64_t i = k + 1; i < m; i++)
                    along += a[i * length + k] * a[i * length + j];
                if (j == k)
                    continue;
                a[k * length + j] -= 2 * along / square * first;
                for (int64_t i = k + 1; i < m; i++)
                    a[i * length + j] -= 2 * along / square * a[i * length + k];
            }
            a[k * length + k] = norm;
        }
        for (int64_t i = k + 1; i < m; i++)
            a[i * length + k] = 0;
    }
}

/* One rotation of rows p and q: whether there is any. */
static bool rotate(struct singular *s, int64_t p, int64_t q, bool is_last)
{
    enum { LEAST_ROWS = 16 };
    long double *x = s->a + p * s->length, *y = s->a + q * s->length, g = 0, a = 0, d = 0,
                least = s->eps * s->eps;
    for (int64_t k = 0; k < s->n; k++) {
        g += x[k] * y[k];
        a += x[k] * x[k];
        d += y[k] * y[k];
    }
    long double rows = (long double)(s->n < LEAST_ROWS ? LEAST_ROWS : s->n);
    if (!(g * g > least * rows * a * d && a > least && d > least))
        return false;
    s->is_far |= is_last && g * g > 1e-7L * a * d;
    long double z = (d - a) / (2 * g), t = (z >= 0 ? 1 : -1) / (fabsl(z) + sqrtl(1 + z * z)),
                c = 1 / sqrtl(1 + t * t), sine = c * t;
    for (int64_t k = 0; k < s->length; k++) {
        long double u = x[k], v = y[k];
        x[k] = c * u - sine * v;
        y[k] = sine * u + c * v;
    }
    return true;
}

/* The halves of all rows meet, then halves of halves; there are as many as a power of two. */
static bool sweep(struct singular *s, bool is_last)
{
    bool any = false;
    int64_t width = 2;
    while (width < s->n)
        width *= 2;
    for (int64_t apart = width / 2; apart >= 1; apart /= 2)
        for (int64_t turn = 0; turn < apart; turn++)
            for (int64_t i = 0; i < width / 2; i++) {
                int64_t block = i / apart * 2 * apart, p = block + i % apart,
                        q = block + apart + (i + turn) % apart;
                any |= p < s->n && q < s->n && rotate(s, p, q, is_last);
            }
    return any;
}

static long double length_of(const long double *x, int64_t count)
{
    long double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrtl(sum);
}

/* Values, and rows by them. */
static void sort(const struct singular *s, long double *values, int64_t *order)
{
    for (int64_t i = 0; i < s->n; i++) {
        const long double *row = s->a + i * s->length;
        values[i] = length_of(row, s->n) / length_of(row + s->n, s->m);
    }
    for (int64_t i = 0; i < s->n; i++) {
        int64_t place = 0;
        long double own = values[i] > 0 ? values[i] : 0;
        for (int64_t j = 0; j < s->n; j++) {
            long double other = values[j] > 0 ? values[j] : 0;
            place += other > own || (other == own && j < i);
        }
        order[place] = i;
    }
}

/* V* into v [n, n], its rows that have no direction from the Q of V; room for another [n, 2n]. */
static void right_vectors(const struct singular *s, const long double *values, const int64_t *order,
                          long double *v, long double *room)
{
    int64_t n = s->n;
    long double least = values[order[0]] * s->eps * (long double)n;
    for (int64_t i = 0; i < n; i++) {
        const long double *row = s->a + order[i] * s->length;
        long double length = length_of(row, n);
        for (int64_t j = 0; j < n; j++) {
            v[i * n + j] = values[order[i]] > least ? row[j] / length : 0;
            room[j * 2 * n + i] = v[i * n + j];
            room[j * 2 * n + n + i] = i == j;
        }
    }
    reflect(room, n, n, 2 * n, s->eps * s->eps * s->eps * s->eps);
    for (int64_t i = 0; i < n * n; i++)
        if (!(values[order[i / n]] > least))
            v[i] = room[i / n * 2 * n + n + i % n];
}

static void store(struct interp *x, const struct singular *s, int64_t matrix,
                  const long double *values, const int64_t *order, const long double *v)
{
    const struct tensor *out = &x->outs[0].tensor;
    int64_t wanted = out->shape.dim[1], wide = s->length + 1;
    for (int64_t l = 0; l < wanted * wide; l++) {
        int64_t i = l / wide, j = l % wide;
        const long double *row = s->a + (i < s->n ? order[i] : i) * s->length + s->n;
        long double number = 0;
        if (j < s->m)
            number = i < s->n ? row[j] / length_of(row, s->m) : row[j];
        else if (i < s->n)
            number = j < s->length ? v[i * s->n + j - s->m] : s->is_far ? -1 : values[order[i]];
        number_store(out->type, x->outs[0].data, matrix * wanted * wide + l,
                     (union number){.f = (double)number});
    }
}

bool interp_singular(struct interp *x)
{
    const struct tensor *in = &x->ins[0].tensor;
    int64_t m = in->shape.dim[1], n = in->shape.dim[2], length = m + n;
    struct singular s = {.a = ARENA_ARRAY(x->arena, long double, m *length + 3 * n * n + n),
                         .m = m,
                         .n = n,
                         .length = length,
                         .eps = in->type == TYPE_F64 ? 0x1p-52L : 0x1p-23L};
    int64_t *order = ARENA_ARRAY(x->arena, int64_t, n);
    if (!s.a || !order)
        return interp_no_memory(x);
    long double *v = s.a + m * length, *values = v + 3 * n * n;
    for (int64_t matrix = 0; matrix < in->shape.dim[0]; matrix++) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < length; j++)
                s.a[i * length + j] = j < n ? (long double)number_load(in->type, x->ins[0].data,
                                                                       (matrix * m + i) * n + j)
                                                  .f
                                            : j - n == i;
        s.is_far = false;
        reflect(s.a, m, n, length, s.eps * s.eps * s.eps * s.eps);
        for (int64_t i = attr_int(x->n, ATTR_sweeps, 0); i > 0 && sweep(&s, i == 1); i--)
            ;
        sort(&s, values, order);
        right_vectors(&s, values, order, v, v + n * n);
        store(x, &s, matrix, values, order, v);
    }
    return true;
}
