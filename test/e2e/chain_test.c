/* The log-density of the regime model, its gradient, and 32 leapfrog steps over it, against
   numbers computed with 50 digits (gradient) and in plain doubles on three other systems
   (chain). Usage: chain_test */
#include <math.h>
#include <string.h>

#include "e2e.h"

enum { PARAMETERS = 8, OBSERVATIONS = 200, STEPS = 32 };

static const double gradient[PARAMETERS] = {
    11.1661620250410141,  -14.2360673267032385, -20.0, -198.30745165643268, 4.88780563307049519,
    -24.4260446209878505, -18.6928797435494918, 0};
static const double last_point[PARAMETERS] = {
    2.2090993715402,  -1.9339680661816, 0.0029409113700166, 0.0015556127060889,
    -4.5626213266084, -5.0367304098276, -4.1122837594619,   -1.4208296257118};
static const struct {
    uint32_t step;
    double logp;
} passed[] = {{0, 622.18818148008441}, {15, 635.13811472952612}, {31, 628.00259774224053}};

struct model {
    double q[PARAMETERS], p[PARAMETERS], y[OBSERVATIONS], inverse_mass[PARAMETERS];
};

static void fill(struct model *m)
{
    static const double inverse_mass[PARAMETERS] = {.25, .25, 1e-4, 1e-6, .04, .04, .04, 1};
    const double q[PARAMETERS] = {0.25,       -0.5,       0.002,     0.0015,
                                  log(0.008), log(0.012), log(0.03), log(0.5)};
    memcpy(m->q, q, sizeof q);
    memcpy(m->inverse_mass, inverse_mass, sizeof inverse_mass);
    for (int i = 0; i < PARAMETERS; i++)
        m->p[i] = (0.7 - 0.2 * i) / sqrt(inverse_mass[i]);
    for (int i = 0; i < OBSERVATIONS; i++)
        m->y[i] = 0.0005 + 0.012 * sin(1.7 * i) * (i % 20 == 7 ? 3 : 1);
}

static void near(struct e2e *e, const char *what, double found, double wanted, double tolerance)
{
    double error = wanted == 0 ? fabs(found) : fabs(found - wanted) / fabs(wanted);
    check_that(&e->check, error <= tolerance, "%s: %.17g, wanted %.17g, off by %.2g of it", what,
               found, wanted, error);
}

static struct array vector(double *data, int64_t n)
{
    return (struct array){{TYPE_F64, {1, {n}}}, data};
}

static void run(struct e2e *e, const char *name, enum e2e_variant v, const struct array *inputs,
                uint32_t noutputs, double **outputs)
{
    char what[256];
    snprintf(what, sizeof what, "%s, %s", name, e2e_variant_names[v]);
    vkr_program *program = e2e_load_graph(e, name, v);
    memset(outputs, 0, noutputs * sizeof *outputs);
    if (program)
        e2e_run(e, what, program, inputs, (void **)outputs);
    vkr_program_unload(program);
}

static void check_variant(struct e2e *e, struct model *m, enum e2e_variant v)
{
    double *out[4];
    const struct array density[] = {vector(m->q, PARAMETERS), vector(m->y, OBSERVATIONS)};
    const struct array chain[] = {density[0], vector(m->p, PARAMETERS), density[1],
                                  vector(m->inverse_mass, PARAMETERS)};
    run(e, "regime", v, density, 2, out);
    if (out[0] && out[1]) {
        near(e, "logp", out[0][0], 621.865157728731256, 1e-13);
        for (int i = 0; i < PARAMETERS; i++)
            near(e, "gradient", out[1][i], gradient[i], 1e-12);
    }
    for (int i = 0; i < 2; i++)
        free(out[i]);
    run(e, "leapfrog_32", v, chain, 4, out);
    if (out[0] && out[1] && out[2] && out[3]) {
        near(e, "energy before", out[2][0], 621.025157728731, 1e-12);
        near(e, "energy after", out[3][0], 621.038272272821, 1e-12);
        for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
            near(e, "logp of a step", out[1][passed[i].step], passed[i].logp, 1e-12);
        for (int i = 0; i < PARAMETERS; i++) /* printed with 14 digits */
            near(e, "last point", out[0][i], last_point[i], 1e-12);
    }
    for (int i = 0; i < 4; i++)
        free(out[i]);
}

int main(void)
{
    struct e2e e;
    struct model m;
    fill(&m);
    if (e2e_open(&e))
        for (int v = 0; v < E2E_VARIANTS; v++)
            check_variant(&e, &m, (enum e2e_variant)v);
    return e2e_close(&e);
}
