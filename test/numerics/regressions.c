/* What was measured, so that a function cannot lose accuracy within its promise unseen.

   A row's `bound` in rows.c is what the compiler promises and what tests of graphs allow. These
   are a little above the worst error that any device showed: f32 of one argument over all 2^32
   floats on an H100 or H200, with fma, and every 61st on lavapipe (Mesa 22.3 and 25.0), without;
   f64, pairs and complex numbers over millions of hard and random ones, with more room, since
   there are others. One number for all devices, since what differs between them is below the room.
   Whoever makes a function better measures with `make numerics FULL=1` and lowers its number;
   raising one takes a reason in the commit. */
#include "numerics.h"

#include <string.h>

static const struct {
    const char *name;
    double f32, f64;
} reals[] = {
    {"nx_exp", 1.20, 0.75},      {"nx_expm1", 1.00, 0.98},   {"nx_log", 1.12, 0.85},
    {"nx_log1p", 1.52, 0.55},    {"nx_sigmoid", 1.62, 0.78}, {"nx_sin", 1.58, 0.86},
    {"nx_cos", 1.58, 0.86},      {"nx_tan", 1.07, 1.00},     {"nx_sinh", 0.84, 0.80},
    {"nx_cosh", 0.64, 0.66},     {"nx_tanh", 1.42, 1.45},    {"nx_asin", 0.66, 0.70},
    {"nx_acos", 0.63, 0.66},     {"nx_atan", 0.68, 0.70},    {"nx_atan2", 0.80, 0.75},
    {"nx_asinh", 0.54, 0.55},    {"nx_acosh", 0.54, 0.55},   {"nx_atanh", 0.54, 0.55},
    {"nx_sqrt", 0.51, 0.51},     {"nx_rsqrt", 0.54, 0.55},   {"nx_cbrt", 0.54, 0.55},
    {"nx_erf", 1.28, 1.32},      {"nx_erfc", 0.92, 0.98},    {"nx_erf_inv", 1.90, 1.32},
    {"nx_pow", 1.60, 0.80},      {"nx_div", 0.80, 0.80},     {"nx_exp_nonpositive", 1.20, 0},
    {"nx_div_unit_by", 0.80, 0},
};

/* In ULP of the modulus, c64 and c128 alike. That of pow grows with its exponent, so it has
   none. */
static const struct {
    const char *name;
    double bound;
} planes[] = {
    {"nx_abs", 0.80}, {"nx_log1p", 1.50}, {"nx_div", 1.10}, {"nx_mul", 1.50}, {"nx_pow", 2},
};

/* Functions whose parts are good by themselves, and how good: no row promises that. */
static const struct {
    const char *name;
    double bound;
} parts[] = {
    {"nx_acos", 3},  {"nx_acosh", 3}, {"nx_asin", 3}, {"nx_asinh", 3},
    {"nx_atan", 3},  {"nx_atanh", 3}, {"nx_cos", 3},  {"nx_cosh", 3},
    {"nx_sin", 3},   {"nx_sinh", 3},  {"nx_exp", 3},  {"nx_log1p", 3},
    {"nx_rsqrt", 3}, {"nx_sign", 3},  {"nx_tan", 3},  {"nx_tanh", 3},
};

double part_bound(const struct row *r)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(parts[i].name, r->name) && (r->out == C64 || r->out == C128))
            return parts[i].bound;
    return 0;
}

double regression_bound(const struct row *r)
{
    bool is_plane = r->in[0] == C64 || r->in[0] == C128;
    if (r->narrow || r->bound == 0)
        return r->bound;
    for (size_t i = 0; is_plane && i < sizeof planes / sizeof *planes; i++)
        if (!strcmp(planes[i].name, r->name))
            return planes[i].bound;
    for (size_t i = 0; !is_plane && i < sizeof reals / sizeof *reals; i++)
        if (!strcmp(reals[i].name, r->name) && (r->in[0] == F32 || r->in[0] == F64))
            return r->in[0] == F32 ? reals[i].f32 : reals[i].f64;
    return is_plane && r->bound > 1 ? 1 : r->bound;
}
