/* The numerics harness: evaluates each function of templates/math on a device and compares with MPFR. */
#ifndef NUMERICS_H
#define NUMERICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpfr.h>
#include <quadmath.h>

enum elem { NONE_, F32, F64, S32, U32, S64, U64, C64, C128, ELEM_COUNT };

struct elem_info {
    const char *name, *glsl, *buffer;   /* type of a value; type in a buffer */
    size_t bytes;
    bool is_float;
};
extern const struct elem_info elems[ELEM_COUNT];

/* A function under test: out = expr over a, b (and the literal arguments written in the expression). */
struct row {
    const char *name;       /* as printed and as in INDEX, with what tells it apart */
    const char *call;       /* "nx_exp(a)" */
    enum elem in[2], out;   /* in[1] NONE_ when there is one argument */
    double bound;           /* in ULP; 0 means the same bits */
    int family;             /* how inputs are drawn: enum family of numerics.c */
    double (*fast)(double a, double b);                 /* good to f32; screens for the next */
    void (*exact)(mpfr_t r, const mpfr_t a, const mpfr_t b);
    void (*bits)(const void *a, const void *b, void *out);   /* or the result itself, where bound is 0 */
    __complex128 (*quad)(__complex128 a, __complex128 b);    /* of complex types: errors are in ULP of the modulus */
};

/* ---- eval.c: composing and running ---- */

struct device;

/* "native" compiles the GLSL as C++ (test/numerics/glsl_as_cpp.h); "vk:N" is the N-th Vulkan device. */
struct device *device_open(const char *what, const char *root, bool controls, bool fma);
const char *device_name(const struct device *d);
bool device_has(const struct device *d, enum elem e);
void device_close(struct device *d);

struct kernel;
/* NULL when INDEX has no such function for these types. */
struct kernel *kernel_create(struct device *d, const struct row *r);
bool kernel_run(struct kernel *k, const void *a, const void *b, void *out, size_t count);
void kernel_destroy(struct kernel *k);

#endif
