/* jacobi in the interpreter, which everything else of eigenvalues and singular values is compared
   with: what it gives is unitary and makes the vectors orthogonal whose products it gets. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "import/import.h"
#include "interp/interp.h"
#include "check.h"

enum { MOST_WIDTH = 64 };

struct square {
    double complex at[MOST_WIDTH][MOST_WIDTH];
};

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* Element i of an array of floats or complex numbers. */
static double complex element(const struct array *x, int64_t i)
{
    const float *f = x->data;
    const double *d = x->data;
    switch (x->tensor.type) {
    case TYPE_F32: return f[i];
    case TYPE_F64: return d[i];
    case TYPE_C64: return f[2 * i] + f[2 * i + 1] * I;
    default: return d[2 * i] + d[2 * i + 1] * I;
    }
}

static void set_element(const struct array *x, int64_t i, double complex z)
{
    float *f = (void *)(uintptr_t)x->data;
    double *d = (void *)(uintptr_t)x->data;
    switch (x->tensor.type) {
    case TYPE_F32: f[i] = (float)creal(z); break;
    case TYPE_F64: d[i] = creal(z); break;
    case TYPE_C64: f[2 * i] = (float)creal(z), f[2 * i + 1] = (float)cimag(z); break;
    default: d[2 * i] = creal(z), d[2 * i + 1] = cimag(z); break;
    }
}

/* Products of w vectors: of `all` with each other, or only of pairs. */
static void make_products(struct square *p, int w, bool all, bool is_complex, uint64_t *state)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < w; i++)
        for (int j = 0; j <= i; j++) {
            bool meet = all || (i % 2 && j == i - 1);
            double part = all ? 0.5 / w : 0.5, imaginary = is_complex ? part * draw(state) : 0;
            p->at[i][j] = i == j ? 1.5 + draw(state) / 2
                          : meet ? part * draw(state) + imaginary * I
                                 : 0;
            p->at[j][i] = conj(p->at[i][j]);
        }
}

/* The largest of what two of the columns of t have in common, of which `p` has the products
   before; and how far t is from a unitary matrix. */
static double in_common(const struct square *p, const struct square *t, int w, double *out_unitary)
{
    static struct square pt;
    double most = 0, diagonal[MOST_WIDTH];
    *out_unitary = 0;
    for (int i = 0; i < w; i++)
        for (int j = 0; j < w; j++) {
            pt.at[i][j] = 0;
            for (int k = 0; k < w; k++)
                pt.at[i][j] += p->at[i][k] * t->at[k][j];
        }
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < w; i++)
            for (int j = 0; j < w; j++) {
                double complex sum = 0, one = i == j ? -1 : 0;
                for (int k = 0; k < w; k++) {
                    sum += conj(t->at[k][i]) * pt.at[k][j];
                    one += conj(t->at[k][i]) * t->at[k][j];
                }
                *out_unitary = fmax(*out_unitary, cabs(one));
                if (i == j)
                    diagonal[i] = creal(sum);
                else if (pass)
                    most = fmax(most, cabs(sum) / sqrt(diagonal[i] * diagonal[j]));
            }
    return most;
}

static bool run_text(struct arena *a, const char *text, const struct array *in, struct array *out,
                     struct diag *d)
{
    struct graph g;
    return ir_parse(a, text, strlen(text), &g, d) && interp_run(&g, g.entry, a, in, out, d);
}

/* What jacobi gives turns the vectors into orthogonal ones: all in some sweeps, pairs in one. */
static void check_rotations(struct check *c, enum vkc_type type, int w, bool all)
{
    enum { MATRICES = 2 };
    static struct square products[MATRICES], turns;
    static struct diag d;
    struct arena a;
    struct array out, in = {.tensor = {type, {3, {MATRICES, w, w}}}};
    double eps = type == TYPE_F32 || type == TYPE_C64 ? 0x1p-23 : 0x1p-52, unitary;
    uint64_t state = (uint64_t)w + type;
    char text[512], tensor[64];
    d = (struct diag){0};
    arena_init(&a, 0);
    in.data = arena_alloc(&a, tensor_bytes(&in.tensor), 1);
    tensor_print(tensor, sizeof tensor, &in.tensor);
    snprintf(text, sizeof text,
             "graph \"\" entry=f0 callbacks=0\nfunc f0(%s) {\nn0 = parameter index=0 : %s\n"
             "n1 = jacobi n0 rows=%d sweeps=%d across=false absolute=false : %s\nreturn n1\n}\n",
             tensor, tensor, w, all ? 15 : 1, tensor);
    for (int m = 0; in.data && m < MATRICES; m++) {
        make_products(&products[m], w, all, type_is_complex(type), &state);
        for (int i = 0; i < w * w; i++) {
            set_element(&in, m * w * w + i, products[m].at[i / w][i % w]);
            products[m].at[i / w][i % w] = element(&in, m * w * w + i);
        }
    }
    bool ok = in.data && run_text(&a, text, &in, &out, &d);
    check_that(c, ok, "rotations of %s: %s", tensor, d.message);
    for (int m = 0; ok && m < MATRICES; m++) {
        for (int i = 0; i < w * w; i++)
            turns.at[i / w][i % w] = element(&out, m * w * w + i);
        double most = in_common(&products[m], &turns, w, &unitary);
        check_that(c, most <= 8 * sqrt(w) * eps && unitary <= 4 * eps,
                   "rotations of %s%s: %.2g left, %.2g from unitary, in eps", tensor,
                   all ? "" : ", pairs", most / eps, unitary / eps);
        /* the smaller of two angles: no vector changes places with another */
        for (int i = 0; i < w && !all; i++)
            check_that(c, cabs(turns.at[i][i]) >= sqrt(0.5) - eps,
                       "rotations of %s: vector %d is turned by more than 45 degrees", tensor, i);
    }
    arena_finish(&a);
}

/* Vectors that are orthogonal but for rounding stay as they are, and so do those that vanish: two
   of 16, with the squares of their lengths, and their product. */
static void check_no_rotation(struct check *c)
{
    static const struct {
        int rows;
        double first, second, product;
        bool is_turned;
    } cases[] = {
        {4, 4, 0.25, 2 * 0.99 * 0x1p-23, false},   {4, 4, 0.25, 2 * 1.01 * 0x1p-23, true},
        {64, 0.25, 4, -8 * 0.99 * 0x1p-23, false}, {64, 0.25, 4, -8 * 1.01 * 0x1p-23, true},
        {64, 1, 1.01 * 0x1p-46, 0x1p-25, true},    {64, 1, 0.99 * 0x1p-46, 0x1p-25, false},
        {64, 0.99 * 0x1p-46, 1, 0x1p-25, false},   {64, 1.01 * 0x1p-46, 1, 0x1p-25, true},
    };
    static float products[16][16];
    static struct diag d;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a;
        struct array out, in = {.tensor = {TYPE_F32, {3, {1, 16, 16}}}, .data = products};
        char text[256];
        memset(products, 0, sizeof products);
        for (int k = 0; k < 16; k++)
            products[k][k] = (float)(k == 5 ? cases[i].first : k == 11 ? cases[i].second : 1);
        products[5][11] = products[11][5] = (float)cases[i].product;
        snprintf(
            text, sizeof text,
            "graph \"\" entry=f0 callbacks=0\nfunc f0(f32[1,16,16]) {\n"
            "n0 = parameter index=0 : f32[1,16,16]\n"
            "n1 = jacobi n0 rows=%d sweeps=3 across=false absolute=false : f32[1,16,16]\nreturn n1\n}\n",
            cases[i].rows);
        d = (struct diag){0};
        arena_init(&a, 0);
        bool ok = run_text(&a, text, &in, &out, &d), turned = false;
        for (int k = 0; ok && k < 16 * 16; k++)
            turned |= ((const float *)out.data)[k] != (float)(k / 16 == k % 16);
        check_that(c, ok && turned == cases[i].is_turned, "case %zu of small products: %s", i,
                   !ok      ? d.message
                   : turned ? "rotated"
                            : "not rotated");
        arena_finish(&a);
    }
}

int main(void)
{
    static const enum vkc_type types[] = {TYPE_F32, TYPE_F64, TYPE_C64, TYPE_C128};
    struct check c = {0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int w = 16; w <= MOST_WIDTH; w *= 2) {
            check_rotations(&c, types[i], w, true);
            check_rotations(&c, types[i], w, false);
        }
    check_no_rotation(&c);
    return check_finish(&c);
}
