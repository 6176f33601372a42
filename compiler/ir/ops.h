/* The op table in C: identities, rules, costs, bounds, GLSL forms, attributes and reference
   functions. The rows are in ops.def; nothing else in the compiler lists ops by hand where a
   column can say it. */
#ifndef VKC_OPS_H
#define VKC_OPS_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/type.h"

enum op {
    OP_NONE,
#define OP(id, ...) OP_##id,
#define REDUCE(id, ...) OP_##id,
#define SHAPED(id, ...) OP_##id,
#include "ir/ops.def"
#undef OP
#undef REDUCE
#undef SHAPED
    OP_COUNT
};

/* What these mean: classes.def. */
enum op_class {
#define CLASS(ID, kernel, reads) CLASS_##ID,
#include "ir/classes.def"
};

enum class_kernel { KERNEL_NO, KERNEL_IN_READERS, KERNEL_PHASE, KERNEL_WORKGROUP };
enum class_reads { READS_FREELY, READS_AGAIN, READS_ONCE, READS_STORED };

struct class_info {
    enum class_kernel kernel;
    enum class_reads reads;
};

/* All operands of an element-wise op have the result's shape. */
enum op_rule {
    RULE_NONE,
    RULE_SAME,    /* operands and result of one type */
    RULE_COMPARE, /* operands of one type, result u8 */
    RULE_LOGICAL, /* operands of any types, result u8 */
    RULE_TEST,    /* operand of any type, result u8 */
    RULE_ABS,     /* as SAME, but complex gives its real type */
    RULE_PART,    /* operand float or complex, result its real type */
    RULE_SELECT,  /* predicate of any type, branches of the result's type */
    RULE_CONVERT, /* any to any */
    RULE_BITCAST, /* same width */
};

enum op_bound {
    BOUND_EXACT, /* correctly rounded, or an integer */
    BOUND_DIV,   /* 2.5 ULP, what Vulkan grants division */
    BOUND_SQRT,  /* 3 ULP: inversesqrt is 2 ULP, then a product */
    BOUND_ULP2,  /* shaders/math: 2 ULP of the exact value */
    BOUND_TREE,  /* (2 + log2 n) * eps * sum |x| for sums; relative for products */
};

enum op_flags {
    OP_COMMUTES = 1,
    OP_MADE = 2, /* passes make it: it is in the text form, but never in the JSON */
    /* ---- of reductions ---- */
    OP_TRUTH = 4,        /* only whether elements are zero counts; the result is a u8, 0 or 1 */
    OP_COUNTS = 8,       /* n equal elements give n times one */
    OP_IDEMPOTENT = 16,  /* equal elements give that element */
    OP_COMPENSATED = 32, /* of floats: what rounding loses is summed, too */
    OP_GREATEST = 64,    /* the result is one element; floats by rank, see rank_f32.glsl */
    OP_LEAST = 128,      /* the same with the least */
};

enum identity {
    IDENTITY_ZERO,
    IDENTITY_ONE,
    IDENTITY_LOWEST,
    IDENTITY_HIGHEST,
    IDENTITY_TRUE,
    IDENTITY_FALSE
};

typedef double (*ref_float_fn)(double a, double b, double c);
typedef int64_t (*ref_sint_fn)(int64_t a, int64_t b, int64_t c, uint32_t w);
typedef uint64_t (*ref_uint_fn)(uint64_t a, uint64_t b, uint64_t c, uint32_t w);
typedef double complex (*ref_complex_fn)(double complex a, double complex b, double complex c);

struct op_info {
    const char *name;
    enum op_class class;
    enum op_rule rule;
    int min_ins, max_ins; /* max -1: any number */
    int outs;             /* -1: any number */
    int regions;          /* -1: an odd number, see cond */
    int cost;             /* in additions */
    enum op_bound bound;
    unsigned flags;
    enum identity identity; /* of a reduction */
    enum op twin;           /* of a reduction: the element-wise op that combines two */
    enum op reduction;      /* that combines its elements: itself, or that of its windows */
    const char *scan;       /* of a reduction: the block that keeps partial results, or NULL */
    const char *attrs;      /* "axes:I keep:b" */
    const char *glsl[4];    /* by vkc_kind; NULL if there is no such op */
    ref_float_fn ref_float;
    ref_sint_fn ref_sint;
    ref_uint_fn ref_uint;
    ref_complex_fn ref_complex;
    const char *doc;
};

extern const struct op_info vkc_ops[OP_COUNT];
extern const struct class_info vkc_classes[];

/* OP_NONE when there is no op of that name. */
enum op op_parse(const char *name);

static inline const char *op_name(enum op op)
{
    return vkc_ops[op].name;
}
static inline enum op_class op_class(enum op op)
{
    return vkc_ops[op].class;
}
static inline enum class_kernel op_kernel(enum op op)
{
    return vkc_classes[op_class(op)].kernel;
}
static inline enum class_reads op_reads(enum op op)
{
    return vkc_classes[op_class(op)].reads;
}

/* Whether the row has one of the flags. */
static inline bool op_has(enum op op, unsigned flags)
{
    return (vkc_ops[op].flags & flags) != 0;
}
static inline bool op_is_made(enum op op)
{
    return op_has(op, OP_MADE);
}
/* Whether an element-wise op or a reduction is defined for the type. */
static inline bool op_takes(enum op op, enum vkc_type t)
{
    return vkc_ops[op].glsl[vkc_types[t].kind] != NULL;
}

/* The bits of a reduction's identity for a type, as stored in memory; of a complex one the low
   half, the other is 0. False where there is none. */
bool op_identity_bits(enum op op, enum vkc_type type, uint64_t *out_bits);
/* The bits that leave every value as it is: the identity, but -0 for sums of floats, since 0 +
   -0 is 0. For the types of scans, which have 32 bits or more. False where there is none. */
bool op_neutral_bits(enum op op, enum vkc_type type, uint64_t out_bits[2]);

#endif
