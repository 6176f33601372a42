/* The numerics harness: evaluates each function of shaders/math on a device and compares with
   MPFR. */
#ifndef NUMERICS_H
#define NUMERICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpfr.h>
#include <quadmath.h>

enum elem { NONE_, F32, F64, S32, U32, S64, U64, C64, C128, ELEM_COUNT };

struct elem_info {
    const char *name, *glsl, *buffer; /* type of a value; type in a buffer */
    size_t bytes;
    bool is_float;
};
extern const struct elem_info elems[ELEM_COUNT];

enum family {
    UNARY,
    BINARY,
    POWER,
    FUSED,
    INTS,
    SHIFTS,
    POW_INTS,
    BITS16,
    BITS8,
    PLANE,
    ANNEX_G,
    POWERS
};

/* A float of 8 or 16 bits, kept in a uint. */
struct format {
    const char *name;
    int exp_bits, man_bits;
    bool has_inf;
};

/* A function under test: out = expr over a, b (and the literal arguments written in the
   expression; `q` is for what a function gives back besides). */
struct row {
    const char *name;                   /* as printed and as in INDEX, with what tells it apart */
    const char *call;                   /* "nx_exp(a)" */
    enum elem in[2], out;               /* in[1] NONE_ when there is one argument */
    double bound;                       /* in ULP; 0 means the same bits */
    enum family family;                 /* how inputs are drawn */
    double (*fast)(double a, double b); /* good to f32; screens for the next */
    void (*exact)(mpfr_t r, const mpfr_t a, const mpfr_t b);
    /* or the result itself, where bound is 0 */
    void (*bits)(const void *a, const void *b, void *out);
    /* of complex types: errors are in ULP of the modulus */
    __complex128 (*quad)(__complex128 a, __complex128 b);
    const struct format *narrow; /* of small floats: operands and result are their bits */
};

/* ---- rows.c: what is tested ---- */

/* As num.c of the compiler, in doubles. */
double narrow_decode(const struct format *f, uint32_t bits);
uint32_t narrow_encode(const struct format *f, double x);
const struct row *all_rows(size_t *out_count);

/* ---- regressions.c ---- */

/* The most that a row may be off before it is worse than it was measured; at most its bound. */
double regression_bound(const struct row *r);
/* Of functions to complex numbers, in ULP of each part; 0: no more than the modulus says. */
double part_bound(const struct row *r);

/* ---- inputs.c ---- */

struct inputs {
    enum elem type[2];
    char *bytes[2];
    size_t count, cap;
};

/* Hard and random inputs; `count` says how many of the latter. */
void draw(struct inputs *in, const struct row *r, size_t count);
/* For functions of one float also every stride-th float from *next on, some millions at a time;
   false at the end. */
bool draw_sweep(struct inputs *in, const struct row *r, uint64_t *next, uint32_t stride);

/* ---- compare.c ---- */

struct worst {
    /* in ULP; infinite for a wrong special or wrong bits; -1 where nothing was compared */
    double error;
    size_t at;
};

struct worst compare(const struct row *r, const struct inputs *in, const char *out);
double value_at(enum elem t, const char *bytes, size_t i);
__complex128 plane_at(enum elem t, const char *bytes, size_t i);

/* ---- eval.c: composing and running ---- */

struct device;

/* "native" compiles the GLSL as C++ (test/numerics/glsl_as_cpp.h); "vk:N" is the N-th Vulkan
   device. */
struct device *device_open(const char *what, bool controls, bool fma);
/* Whether the driver is known to take f32 subnormals for 0 in comparisons, abs() and fma():
   kernels do without the first two. */
bool device_flushes(const struct device *d);
bool device_fuses(const struct device *d);
unsigned device_count(void);
const char *device_name(const struct device *d);
bool device_has(const struct device *d, enum elem e);
void device_close(struct device *d);

struct kernel;
/* NULL when INDEX has no such function for these types. */
struct kernel *kernel_create(struct device *d, const struct row *r);
bool kernel_run(struct kernel *k, const void *a, const void *b, void *out, size_t count);
void kernel_destroy(struct kernel *k);

#endif
