/* Every family of kernels, at sizes that leave threads, rows and tiles half empty, for shipped
   profiles: run by the machine of this folder and compared with the interpreter. Usage:
   machine_test [NAME], for all profiles. */
#include <math.h>
#include <string.h>

#include "../e2e/e2e.h"
#include "interp/interp_impl.h"
#include "machine.h"
#include "machine_check.h"

/* ---- inputs ---- */

/* From CANCELLING to SEGMENTS results are exact: what is added up has few digits, or what is
   lost is kept apart. */
enum filling { ORDINARY, INDICES, ZEROS, NEGATIVE, SIGNS, EDGES, TINY, CANCELLING, ONES, SEGMENTS };

/* The last four are above a tie, which an f32 is not. */
/* clang-format off */
static const double float_edges[] = {
    0.0, -0.0, 1, -1, 0.5, -1.5, INFINITY, -INFINITY, NAN, 1e-40, -1e-40, 127, 128, -128,
    -129, 255, 256, 32767, 32768, -32769, 65504, 65535, 65536, 2147483520.0, 2147483648.0,
    -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.2233715e18, 9.2233720e18,
    -9.2233720e18, 1.8446742e19, 1.8446744e19, 1e30, -1e30, 16777217.0, 33554435.0, 1 +
    0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-3 + 0x1p-40, 1 + 0x1p-4 + 0x1p-40
};
/* clang-format on */
static const uint64_t int_edges[] = {0,
                                     1,
                                     UINT64_MAX,
                                     2,
                                     0x7e,
                                     0x7f,
                                     0x80,
                                     0x81,
                                     0xff,
                                     0x100,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x10000,
                                     0xffffff,
                                     0x1000001,
                                     0x7fffffff,
                                     0x80000000,
                                     0x80000001,
                                     0xffffffff,
                                     0x100000000,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffff80000000,
                                     0xffffffff7fffffff,
                                     0xffffffffffffff80,
                                     0xffffffffffffff7f,
                                     0x3fffffffffffff,
                                     0x20000000000001};

static void fill_one(enum filling how, const struct array *x, int64_t i, uint64_t bits)
{
    enum vkc_type type = x->tensor.type;
    const struct shape *s = &x->tensor.shape;
    int64_t at = s->rank == 2 && s->dim[0] > s->dim[1]
                     ? i / s->dim[1]
                     : i; /* along the longer axis; sums are of four neighbours first */
    double unit = (double)(bits >> 11) * 0x1p-53;
    union number n = {.u = bits % 5};
    if (how == ONES || how == CANCELLING)
        n.u = bits & 1;
    if (how == SEGMENTS) /* the last of each is the last but one of a tile */
        n.u = (uint64_t)i / 255;
    if (how == INDICES) /* some below, some above what there is */
        n.u = (uint64_t)((int64_t)(bits % 24) - 6);
    if (type_is_float(type))
        n.f = how == ONES         ? (bits & 2 ? 1 : 1.0078125)
              : how == CANCELLING ? (at / 4 % 3 ? 1
                                     : at % 4   ? 0
                                                : ldexp(bits & 2 ? 1 : -1, 26))
              : how == TINY       ? ldexp(1 + unit, -100)
              : how == SIGNS      ? (bits & 1 ? 1 : -1)
              : how == NEGATIVE   ? -1 - unit
              : how == ZEROS      ? (bits & 1   ? -0.0
                                     : bits & 2 ? 0.0
                                                : -1)
                                  : 2 * unit - 1;
    if (type_is_complex(type))
        n.c = complex_of(how == ZEROS ? n.f : 2 * unit - 1,
                         how == ZEROS ? -0.0 : (double)(bits & 0xffff) * 0x1p-16);
    if (how == NEGATIVE && vkc_types[type].kind == KIND_SINT)
        n.u = (uint64_t)(-1 - (int64_t)(bits % 5));
    if (how == EDGES && type_is_float(type))
        n.f = float_edges[(size_t)i % (sizeof float_edges / sizeof *float_edges)];
    if (how == EDGES && type_is_int(type))
        n.u = int_edges[(size_t)i % (sizeof int_edges / sizeof *int_edges)];
    number_store(type, x->data, i, n);
}

static uint64_t next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    return *random ^= *random << 17;
}

/* ZEROS: the first input has zeros of either sign, and the second set nothing else. */
static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    enum filling how = *(const enum filling *)context;
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++) {
        uint64_t bits = next(random);
        if (how == ZEROS && set == 1)
            bits |= 1;
        fill_one(how == INDICES && !type_is_int(x->tensor.type) ? ORDINARY
                 : how == ZEROS && input > 0 && set == 1        ? ORDINARY
                                                                : how,
                 x, i, bits);
    }
}

/* ---- cases ---- */

/* The parameters and the nodes of a graph. Where the name begins with "donated", output 0 may
   take over input 0. */
struct test_case {
    const char *name, *params, *nodes;
    enum filling filling;
};

static const struct test_case cases[] = {
    /* elements */
    {"chain", "f32[257]", "n1 = exp n0 : f32[257]\n n2 = add n1, n0 : f32[257]\n return n2",
     ORDINARY},
    {"bytes", "u8[13]", "n1 = multiply n0, n0 : u8[13]\n return n1", ORDINARY},
    {"halves", "bf16[1027]", "n1 = multiply n0, n0 : bf16[1027]\n return n1", ORDINARY},
    {"turned", "f32[70,45]",
     "n1 = transpose n0 axes=[1,0] : f32[45,70]\n n2 = exp n1 : f32[45,70]\n return n2", ORDINARY},
    {"turned bytes", "u8[70,45]",
     "n1 = transpose n0 axes=[1,0] : u8[45,70]\n n2 = add n1, n1 : u8[45,70]\n return n2",
     ORDINARY},
    {"padded", "f32[7,5] f32[]",
     "n2 = pad n0, n1 lo=[1,-1] hi=[2,3] interior=[2,0] : f32[22,7]\n n3 = negate n2 : f32[22,7]\n return n3",
     ORDINARY},
    {"negations", "u8[61] s16[61] s8[61]",
     "n3 = negate n0 : u8[61]\n n4 = as_type n3 : s32[61]\n n5 = negate n1 : s16[61]\n n6 = as_type n5 : s32[61]\n"
     " n7 = negate n2 : s8[61]\n n8 = as_type n7 : s32[61]\n return n4, n6, n8",
     EDGES},
    {"read twice", "f32[64,64]",
     "n1 = transpose n0 axes=[1,0] : f32[64,64]\n n2 = add n0, n1 : f32[64,64]\n return n2",
     ORDINARY},
    {"donated, read twice", "f32[64,64]",
     "n1 = transpose n0 axes=[1,0] : f32[64,64]\n n2 = subtract n1, n0 : f32[64,64]\n return n2",
     ORDINARY},
    {"read in words", "u8[3,32] u8[32]",
     "n2 = broadcast n1 axes=[1] : u8[3,32]\n n3 = reverse n0 axes=[1] : u8[3,32]\n n4 = add n2, n3 : u8[3,32]\n"
     " n5 = slice n0 starts=[0,1] lengths=[3,31] strides=[1,2] : u8[3,16]\n return n4, n5",
     ORDINARY},
    /* rows */
    {"sum of long rows", "f32[5,1000]", "n1 = sum n0 axes=[1] keep=false : f32[5]\n return n1",
     ORDINARY},
    {"rows of 1020", "f32[3,1020]", "n1 = sum n0 axes=[1] keep=false : f32[3]\n return n1",
     ORDINARY},
    {"rows of 1023", "f32[3,1023]", "n1 = sum n0 axes=[1] keep=false : f32[3]\n return n1",
     ORDINARY},
    {"rows of 2044", "f32[3,2044]", "n1 = sum n0 axes=[1] keep=false : f32[3]\n return n1",
     ORDINARY},
    {"sum of short rows", "f32[257,33]", "n1 = sum n0 axes=[1] keep=false : f32[257]\n return n1",
     ORDINARY},
    {"sum of columns", "f32[33,257]", "n1 = sum n0 axes=[0] keep=false : f32[257]\n return n1",
     ORDINARY},
    {"sum of everything", "f32[20011]", "n1 = sum n0 axes=[0] keep=false : f32[]\n return n1",
     ORDINARY},
    {"sums that cancel", "f32[3,1000]", "n1 = sum n0 axes=[1] keep=false : f32[3]\n return n1",
     CANCELLING},
    {"sums of columns that cancel", "f32[1000,3]",
     "n1 = sum n0 axes=[0] keep=false : f32[3]\n return n1", CANCELLING},
    {"greatest of negative", "f32[70001]",
     "n1 = reduce_max n0 axes=[0] keep=false : f32[]\n return n1", NEGATIVE},
    {"greatest of negative integers", "s32[70001]",
     "n1 = reduce_max n0 axes=[0] keep=false : s32[]\n return n1", NEGATIVE},
    {"product of signs", "s32[70001]", "n1 = product n0 axes=[0] keep=false : s32[]\n return n1",
     NEGATIVE},
    {"sum of bytes", "u8[9,300]", "n1 = sum n0 axes=[1] keep=false : u8[9]\n return n1", ORDINARY},
    {"sum of halves", "f16[9,300]", "n1 = sum n0 axes=[1] keep=false : f16[9]\n return n1",
     ORDINARY},
    {"sum of doubles", "f64[9,300]", "n1 = sum n0 axes=[1] keep=false : f64[9]\n return n1",
     ORDINARY},
    {"argmax", "f32[9,300]",
     "n1 = argmax n0 axis=1 tie_break=\"low\" keep=false : s32[9]\n return n1", EDGES},
    {"argmin from above", "f32[9,300]",
     "n1 = argmin n0 axis=1 tie_break=\"high\" keep=false : s32[9]\n return n1", EDGES},
    {"argmax along columns", "f32[300,9]",
     "n1 = argmax n0 axis=0 tie_break=\"low\" keep=false : s32[9]\n return n1", EDGES},
    /* 75 threads have four elements each, and those left without have no say */
    {"argmax of negative integers", "s32[2,300]",
     "n1 = argmax n0 axis=1 tie_break=\"high\" keep=false : s32[2]\n return n1", NEGATIVE},
    {"argmax of doubles", "f64[9,300]",
     "n1 = argmax n0 axis=1 tie_break=\"low\" keep=false : s32[9]\n return n1", EDGES},
    {"softmax", "f32[3,130]",
     "n1 = reduce_max n0 axes=[1] keep=true : f32[3,1]\n n2 = broadcast n1 axes=[0,1] : f32[3,130]\n n3 = subtract n0, "
     "n2 : f32[3,130]\n"
     " n4 = exp n3 : f32[3,130]\n n5 = sum n4 axes=[1] keep=true : f32[3,1]\n n6 = broadcast n5 axes=[0,1] : "
     "f32[3,130]\n n7 = divide n4, n6 : f32[3,130]\n return n7",
     ORDINARY},
    {"rows less their sums", "f32[5,64]",
     "n1 = sum n0 axes=[1] keep=true : f32[5,1]\n n2 = broadcast n1 axes=[0,1] : f32[5,64]\n"
     "n3 = subtract n0, n2 : f32[5,64]\n n4 = reshape n1 : f32[5]\n return n3, n4",
     ORDINARY},
    {"long rows less their sums", "f32[3,1030]",
     "n1 = sum n0 axes=[1] keep=true : f32[3,1]\n n2 = broadcast n1 axes=[0,1] : f32[3,1030]\n"
     "n3 = subtract n0, n2 : f32[3,1030]\n return n3",
     ORDINARY},
    {"a sum in parts that ends inside a vector", "s64[49343]",
     "n1 = sum n0 axes=[0] keep=false : s64[]\n return n1", ORDINARY},
    {"windows", "f32[9,20]",
     "n1 = window_sum n0 window=[1,5] strides=[1,2] lo=[0,2] hi=[0,2] dilations=[1,1] : f32[9,10]\n return n1",
     ORDINARY},
    {"windows' greatest", "f32[4,9,9] f32[4,4,4] f32[]",
     "n3 = window_scatter_max n0, n1, n2 window=[1,3,3] strides=[1,2,2] lo=[0,0,0] hi=[0,0,0] : f32[4,9,9]\n return n3",
     ORDINARY},
    /* lines */
    /* of products; in 64ths, since the reference does not know what rotations round */
    {"rotations", "f32[2,32,40]",
     "n2 = dot n0, n0 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f32[2,32,32]\n"
     "n3 = jacobi n2 rows=40 sweeps=1 across=false absolute=false : f32[2,32,32]\n"
     "n4 = constant bits=42800000 : f32[2,32,32]\n n5 = multiply n3, n4 : f32[2,32,32]\n"
     "n6 = round n5 : f32[2,32,32]\n return n6",
     ORDINARY},
    {"rotations of complex numbers", "c64[1,16,16]",
     "n1 = conjugate n0 : c64[1,16,16]\n"
     "n2 = dot n1, n0 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : c64[1,16,16]\n"
     "n3 = jacobi n2 rows=16 sweeps=1 across=false absolute=false : c64[1,16,16]\n n4 = real n3 : f32[1,16,16]\n"
     "n5 = constant bits=42800000 : f32[1,16,16]\n n6 = multiply n4, n5 : f32[1,16,16]\n"
     "n7 = round n6 : f32[1,16,16]\n return n7",
     ORDINARY},
    /* of integers, whose products are exact */
    {"blocks turned from both sides", "f32[2,64,70] f32[4,32,32]",
     "n2 = round n0 : f32[2,64,70]\n n3 = round n1 : f32[4,32,32]\n"
     "n4 = turn_blocks n2, n3 both=true : f32[2,64,70]\n return n4",
     ORDINARY},
    {"blocks turned from one side", "f32[1,48,19] f32[3,16,16]",
     "n2 = round n0 : f32[1,48,19]\n n3 = round n1 : f32[3,16,16]\n"
     "n4 = turn_blocks n2, n3 both=false : f32[1,48,19]\n return n4",
     ORDINARY},
    {"a pair of blocks of complex numbers turned", "c64[1,16,16] c64[1,16,16]",
     "n2 = turn_blocks n0, n1 both=true : c64[1,16,16]\n n3 = real n2 : f32[1,16,16]\n"
     "n4 = imag n2 : f32[1,16,16]\n n5 = add n3, n4 : f32[1,16,16]\n"
     "n6 = constant bits=3f000000 : f32[1,16,16]\n n7 = multiply n5, n6 : f32[1,16,16]\n"
     "n8 = round n7 : f32[1,16,16]\n return n8",
     ORDINARY},
    {"columns reflected", "f32[2,37,8]",
     "n2 = panel_qr n0 : f32[2,45,8]\n"
     "n3 = constant bits=42000000 : f32[2,45,8]\n n4 = multiply n2, n3 : f32[2,45,8]\n"
     "n5 = round n4 : f32[2,45,8]\n return n5",
     ORDINARY},
    {"a factor and its inverse", "f32[2,24,24]",
     "n1 = iota axis=1 : s32[2,24,24]\n n2 = iota axis=2 : s32[2,24,24]\n"
     "n3 = equal n1, n2 : u8[2,24,24]\n n4 = constant bits=41c00000 : f32[2,24,24]\n"
     "n5 = add n0, n4 : f32[2,24,24]\n n6 = select n3, n5, n0 : f32[2,24,24]\n"
     "n7 = panel_cholesky n6 inverse=true : f32[2,2,24,24]\n"
     "n8 = constant bits=44800000 : f32[2,2,24,24]\n n9 = multiply n7, n8 : f32[2,2,24,24]\n"
     "n10 = round n9 : f32[2,2,24,24]\n return n10",
     ORDINARY},
    {"a factor of no whole blocks, and its inverse", "f32[1,37,37]",
     "n1 = iota axis=1 : s32[1,37,37]\n n2 = iota axis=2 : s32[1,37,37]\n"
     "n3 = equal n1, n2 : u8[1,37,37]\n n4 = constant bits=41c00000 : f32[1,37,37]\n"
     "n5 = add n0, n4 : f32[1,37,37]\n n6 = select n3, n5, n0 : f32[1,37,37]\n"
     "n7 = panel_cholesky n6 inverse=true : f32[1,2,37,37]\n"
     "n8 = constant bits=44800000 : f32[1,2,37,37]\n n9 = multiply n7, n8 : f32[1,2,37,37]\n"
     "n10 = round n9 : f32[1,2,37,37]\n return n10",
     ORDINARY},
    {"a factor, and rows below it", "f32[2,61,24]",
     "n1 = iota axis=1 : s32[2,61,24]\n n2 = iota axis=2 : s32[2,61,24]\n"
     "n3 = equal n1, n2 : u8[2,61,24]\n n4 = constant bits=41c00000 : f32[2,61,24]\n"
     "n5 = add n0, n4 : f32[2,61,24]\n n6 = select n3, n5, n0 : f32[2,61,24]\n"
     "n7 = panel_cholesky n6 inverse=false : f32[2,1,61,24]\n"
     "n8 = constant bits=44800000 : f32[2,1,61,24]\n n9 = multiply n7, n8 : f32[2,1,61,24]\n"
     "n10 = round n9 : f32[2,1,61,24]\n return n10",
     ORDINARY},
    {"columns eliminated", "f32[2,37,8]",
     "n1 = iota axis=1 : f32[2,37,1]\n n2 = panel_lu n0, n1 : f32[2,45,9]\n"
     "n3 = constant bits=42800000 : f32[2,45,9]\n n4 = multiply n2, n3 : f32[2,45,9]\n"
     "n5 = round n4 : f32[2,45,9]\n return n5",
     ORDINARY},
    {"sort", "f32[3,100]",
     "n1 = sort n0 axis=1 descending=false stable=false : f32[3,100]\n return n1", EDGES},
    {"long sort", "s32[2,3001]",
     "n1 = sort n0 axis=1 descending=true stable=false : s32[2,3001]\n return n1", ORDINARY},
    {"argsort", "f32[3000]",
     "n1 = argsort n0 axis=0 descending=false stable=true : s32[3000]\n return n1", ZEROS},
    {"counts of digits", "u32[1,2,2500]",
     "n1 = digit_counts n0 words=1 bit=28 radix=16 tile=1024 zeros=true : u32[2,16,3]\n return n1",
     EDGES},
    {"counts of high digits", "u32[2,1,1500]",
     "n1 = digit_counts n0 words=2 bit=60 radix=16 tile=1024 zeros=true : u32[1,16,2]\n return n1",
     EDGES},
    {"keys by a digit", "u32[1,1,2500]",
     "n1 = digit_counts n0 words=1 bit=24 radix=256 tile=1024 zeros=true : u32[1,256,3]\n"
     "n2 = reshape n1 : u32[256,3,1]\n"
     "n3 = scan n2 combine=\"sum\" run=3 reverse=false : u32[256,3,1]\n"
     "n4 = reshape n3 : u32[1,256,3]\n"
     "n5 = digit_sort n0, n4 words=1 bit=24 radix=256 tile=1024 gives=\"both\" zeros=true : u32[2,1,2500]\n"
     "n6 = constant bits=00000001 : u32[2,1,2500]\n n7 = add n5, n6 : u32[2,1,2500]\n"
     "return n7",
     EDGES},
    {"places by a digit of two words", "u32[3,2,1030]",
     "n1 = digit_counts n0 words=2 bit=32 radix=8 tile=1024 zeros=true : u32[2,8,2]\n"
     "n2 = reshape n1 : u32[16,2,1]\n"
     "n3 = scan n2 combine=\"sum\" run=2 reverse=false : u32[16,2,1]\n"
     "n4 = reshape n3 : u32[2,8,2]\n"
     "n5 = digit_sort n0, n4 words=2 bit=32 radix=8 tile=1024 gives=\"order\" zeros=true : u32[1,2,1030]\n"
     "return n5",
     EDGES},
    {"first keys of tiles", "u32[1,2,2500]",
     "n1 = digit_select n0 words=1 bit=0 width=32 tile=1024 length=9 gives=\"both\" zeros=true : u32[2,2,27]\n"
     "n2 = digit_select n1 words=1 bit=0 width=32 tile=1024 length=5 gives=\"both\" zeros=true : u32[2,2,5]\n"
     "return n2",
     EDGES},
    {"first keys of two words", "u32[2,1,1030]",
     "n1 = digit_select n0 words=2 bit=0 width=64 tile=1024 length=1 gives=\"keys\" zeros=true : u32[2,1,2]\n"
     "return n1",
     EDGES},
    {"running sum", "f32[3,1000,1]",
     "n1 = scan n0 combine=\"sum\" run=1000 reverse=false : f32[3,1000,1]\n return n1", SIGNS},
    {"running product backwards", "f32[2,700,3]",
     "n1 = scan n0 combine=\"product\" run=700 reverse=true : f32[2,700,3]\n return n1", SIGNS},
    {"long running sum", "s32[1,9000,1]",
     "n1 = scan n0 combine=\"sum\" run=9000 reverse=false : s32[1,9000,1]\n return n1", NEGATIVE},
    {"running sums of columns", "s32[2,3000,3]",
     "n1 = scan n0 combine=\"sum\" run=3000 reverse=false : s32[2,3000,3]\n return n1", ORDINARY},
    {"running greatest", "s32[2,300,1]",
     "n1 = scan n0 combine=\"reduce_max\" run=300 reverse=false : s32[2,300,1]\n return n1",
     NEGATIVE},
    /* products */
    {"product of matrices", "f32[65,33] f32[33,65]",
     "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[65,65]\n return n2",
     ORDINARY},
    {"product, one more than tiles", "f32[129,64] f32[64,129]",
     "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[129,129]\n return n2",
     ORDINARY},
    {"product of zeros", "f32[9,12] f32[12,7]",
     "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[9,7]\n return n2",
     ZEROS},
    {"product that underflows", "f32[9,12] f32[12,7]",
     "n2 = negate n1 : f32[12,7]\n n3 = dot n0, n2 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[9,7]\n "
     "return n3",
     TINY},
    {"batched product of zeros", "f32[40,9,12] f32[40,12,70]",
     "n2 = dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[0] : f32[40,9,70]\n return n2",
     ZEROS},
    {"transposed product", "f32[40,37] f32[50,37]",
     "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[40,50]\n return n2",
     ORDINARY},
    {"product of bytes", "u8[40,37] u8[37,50]",
     "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : u8[40,50]\n return n2",
     ORDINARY},
    {"complex product", "c64[9,12] c64[12,7]",
     "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : c64[9,7]\n return n2",
     ORDINARY},
    {"long product", "f32[3,5000] f32[5000,2]",
     "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[3,2]\n return n2",
     ORDINARY},
    {"convolution", "f32[2,3,9,9] f32[5,3,3,3]",
     "n2 = conv n0, n1 strides=[2,1] lo=[1,1] hi=[1,0] input_dilation=[1,1] kernel_dilation=[1,1] feature_groups=1 "
     "batch_groups=1 "
     "input_permutation=[0,1,2,3] kernel_permutation=[0,1,2,3] output_permutation=[0,1,2,3] : f32[2,5,5,8]\n return n2",
     ORDINARY},
    {"triangle", "f32[17,17] f32[17,3]",
     "n2 = triangular_solve n0, n1 left_side=true lower=true transform=\"none\" : f32[17,3]\n return n2",
     NEGATIVE},
    /* transforms */
    {"transform of 12", "c64[3,12]", "n1 = fft n0 axis=1 length=12 : c64[3,12]\n return n1",
     ORDINARY},
    {"transform of 1000", "c64[2,1000]",
     "n1 = ifft n0 axis=1 length=1000 : c64[2,1000]\n return n1", ORDINARY},
    {"transform of columns of 17", "c64[17,5]",
     "n1 = fft n0 axis=0 length=17 : c64[17,5]\n return n1", ORDINARY},
    {"transforms of 512 across memory", "c64[512,9]",
     "n1 = fft n0 axis=0 length=512 : c64[512,9]\n return n1", ORDINARY},
    {"transform of 720 f64", "f64[3,720]",
     "n1 = as_type n0 : c128[3,720]\n n2 = ifft n1 axis=1 length=720 : c128[3,720]\n return n2",
     ORDINARY},
    /* indices that are data */
    {"gather", "f32[9,5] s32[40,1]", "n2 = gather n0, n1 axes=[0] : f32[40,5]\n return n2",
     INDICES},
    {"gather of elements", "f32[9,5] s64[40,2]",
     "n2 = gather n0, n1 axes=[0,1] : f32[40]\n return n2", INDICES},
    {"windows that move", "f32[9,5] s32[] s32[]",
     "n3 = dynamic_slice n0, n1, n2 lengths=[2,3] strides=[1,1] : f32[2,3]\n return n3", INDICES},
    {"put in a window", "f32[9,5] f32[2,3] s32[] s32[]",
     "n4 = put_slice n0, n1, n2, n3 : f32[9,5]\n return n4", INDICES},
    {"few updates", "f32[12,3] s32[7,1] f32[7,3]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : f32[12,3]\n return n3", INDICES},
    {"many updates", "f32[12,3] s32[700,1] f32[700,3]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : f32[12,3]\n return n3", INDICES},
    {"updates of zeros", "f32[12,3] s32[700,1] f32[700,3]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : f32[12,3]\n return n3", ZEROS},
    {"updates of halves", "bf16[12,3] s32[700,1] bf16[700,3]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : bf16[12,3]\n return n3", INDICES},
    {"updates that cancel", "f32[30,3] s32[900,1] f32[900,3]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : f32[30,3]\n return n3", CANCELLING},
    {"one target", "s32[2] s32[5000,1] s32[5000]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : s32[2]\n return n3", ZEROS},
    {"ones added up in bf16", "bf16[2] s32[6000,1] bf16[6000]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : bf16[2]\n return n3", ONES},
    {"many ones added up in bf16", "bf16[20] s32[6000,1] bf16[6000]",
     "n3 = constant bits=c53c : bf16[20]\n n4 = indexed_add n3, n1, n2 axes=[0] : bf16[20]\n return n4",
     ONES},
    {"windows of ones in bf16", "bf16[400] bf16[201] bf16[]",
     "n3 = window_scatter_max n0, n1, n2 window=[200] strides=[1] lo=[0] hi=[0] : bf16[400]\n return n3",
     ONES},
    {"whole tiles of updates", "s32[24] s32[6000,1] s32[6000]",
     "n3 = negate n2 : s32[6000]\n n4 = indexed_add n0, n1, n3 axes=[0] : s32[24]\n return n4",
     SEGMENTS},
    {"updates of integers", "s32[12] s32[5000,1] s32[5000]",
     "n3 = indexed_add n0, n1, n2 axes=[0] : s32[12]\n return n3", INDICES},
    {"many puts", "f32[12,3] s32[700,1] f32[700,3]",
     "n3 = indexed_put n0, n1, n2 axes=[0] : f32[12,3]\n return n3", INDICES},
    /* a predicate of one byte, with garbage beside it */
    {"a choice by a byte", "u8[] f32[9]",
     "n2 = cond n0, n1 regions=[f1,f2,f3] : f32[9]\n return n2\n}\n"
     "func f1(u8[], f32[9]) {\n n0 = parameter index=0 : u8[]\n return n0\n}\n"
     "func f2(u8[], f32[9]) {\n n1 = parameter index=1 : f32[9]\n"
     " n2 = sort n1 axis=0 descending=false stable=false : f32[9]\n return n2\n}\n"
     "func f3(u8[], f32[9]) {\n n1 = parameter index=1 : f32[9]\n n2 = reverse n1 axes=[0] : f32[9]\n return n2",
     SEGMENTS},
    /* a loop with a tree in its condition, one in its body and one behind it, which share an
       array */
    {"trees in and after a loop", "f32[300]",
     "n1 = constant bits=00000000 : s32[]\n n2 = constant bits=00000000 : f32[]\n"
     " n3 = while n1, n2, n0 regions=[f1,f2] : s32[], f32[], f32[300]\n n4 = broadcast n3.1 axes=[] : f32[300]\n"
     " n5 = multiply n4, n0 : f32[300]\n n6 = reduce_min n5 axes=[0] keep=false : f32[]\n return n6\n}\n"
     "func f1(s32[], f32[], f32[300]) {\n n0 = parameter index=0 : s32[]\n n1 = parameter index=1 : f32[]\n"
     " n2 = parameter index=2 : f32[300]\n n3 = constant bits=00000007 : s32[]\n n4 = less n0, n3 : u8[]\n"
     " n5 = broadcast n1 axes=[] : f32[300]\n n6 = multiply n5, n2 : f32[300]\n"
     " n7 = reduce_max n6 axes=[0] keep=false : f32[]\n n8 = constant bits=44800000 : f32[]\n"
     " n9 = less n7, n8 : u8[]\n n10 = logical_and n4, n9 : u8[]\n return n10\n}\n"
     "func f2(s32[], f32[], f32[300]) {\n n0 = parameter index=0 : s32[]\n n1 = parameter index=1 : f32[]\n"
     " n2 = parameter index=2 : f32[300]\n n3 = constant bits=00000001 : s32[]\n n4 = add n0, n3 : s32[]\n"
     " n5 = broadcast n1 axes=[] : f32[300]\n n6 = add n5, n2 : f32[300]\n"
     " n7 = reduce_max n6 axes=[0] keep=false : f32[]\n return n4, n7, n2",
     ORDINARY},
    /* how often is known to the device only; the halves are copied in and out */
    {"a loop of halves", "f16[] s32[]",
     "n3 = while n1, n0 regions=[f1,f2] : s32[], f16[]\n return n3.1\n}\n"
     "func f1(s32[], f16[]) {\n n0 = parameter index=0 : s32[]\n n3 = constant bits=00000003 : s32[]\n"
     " n4 = less n0, n3 : u8[]\n return n4\n}\n"
     "func f2(s32[], f16[]) {\n n0 = parameter index=0 : s32[]\n n1 = parameter index=1 : f16[]\n"
     " n3 = constant bits=00000001 : s32[]\n n4 = add n0, n3 : s32[]\n n6 = add n1, n1 : f16[]\n return n4, n6",
     INDICES},
    /* the donated input is the second of the branches: one reads it elsewhere than it writes, the
       other could write over what it reads first, which is not donated */
    {"donated, read by the first branch", "f32[8200] f32[8200] s32[]",
     "n3 = cond n1, n0, n2 regions=[f1,f2,f3] : f32[8200]\n return n3\n}\n"
     "func f1(f32[8200], f32[8200], s32[]) {\n n2 = parameter index=2 : s32[]\n"
     " n3 = constant bits=00000000 : s32[]\n n4 = less n2, n3 : u8[]\n return n4\n}\n"
     "func f2(f32[8200], f32[8200], s32[]) {\n n0 = parameter index=0 : f32[8200]\n"
     " n1 = parameter index=1 : f32[8200]\n n2 = reverse n1 axes=[0] : f32[8200]\n"
     " n3 = exp n2 : f32[8200]\n n4 = add n3, n0 : f32[8200]\n return n4\n}\n"
     "func f3(f32[8200], f32[8200], s32[]) {\n n0 = parameter index=0 : f32[8200]\n"
     " n1 = parameter index=1 : f32[8200]\n n3 = negate n0 : f32[8200]\n return n3",
     NEGATIVE},
    {"donated, read by the last branch", "f32[8200] f32[8200] s32[]",
     "n3 = cond n1, n0, n2 regions=[f1,f2,f3] : f32[8200]\n return n3\n}\n"
     "func f1(f32[8200], f32[8200], s32[]) {\n n2 = parameter index=2 : s32[]\n"
     " n3 = constant bits=00000000 : s32[]\n n4 = greater n2, n3 : u8[]\n return n4\n}\n"
     "func f2(f32[8200], f32[8200], s32[]) {\n n0 = parameter index=0 : f32[8200]\n"
     " n1 = parameter index=1 : f32[8200]\n n3 = negate n0 : f32[8200]\n return n3\n}\n"
     "func f3(f32[8200], f32[8200], s32[]) {\n n0 = parameter index=0 : f32[8200]\n"
     " n1 = parameter index=1 : f32[8200]\n n2 = reverse n1 axes=[0] : f32[8200]\n"
     " n3 = exp n2 : f32[8200]\n n4 = add n3, n0 : f32[8200]\n return n4",
     NEGATIVE},
    /* programs of one workgroup, in which a phase reads from memory what others wrote in the
       phase before */
    {"a product of a product", "f32[12,12]",
     "n1 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[12,12]\n "
     "n2 = dot n1, n0 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[12,12]\n return n1, n2",
     ORDINARY},
};

static const char *const targets[] = {"baseline", "nvidia", "lavapipe", "amd", "intel", "apple"};
enum { TARGETS = sizeof targets / sizeof *targets };

static void check_case(struct machine_check *m, const struct test_case *c, const char *target)
{
    char text[4096], name[160];
    snprintf(name, sizeof name, "%s, %s", c->name, target);
    if (!check_wanted(&m->check, name))
        return;
    machine_graph_text(text, sizeof text, c->name, c->params, c->nodes,
                       strncmp(c->name, "donated", 7) == 0);
    machine_compare(m, &(struct machine_case){.name = c->name,
                                              .graph = text,
                                              .target = target,
                                              .sets = 2,
                                              .fill = fill,
                                              .context = &c->filling,
                                              .exact = c->filling >= CANCELLING});
}

/* The transform of a line that is 0 but for its second element: the roots of 1 themselves, each
   a product of a few factors, so off by a few roundings. */
static void check_roots(struct machine_check *m, int n)
{
    char text[512], error[512];
    float x[2 * 64] = {0};
    struct vkc_target target;
    struct vkc_result result;
    snprintf(
        text, sizeof text,
        "graph \"roots\" entry=f0 callbacks=0\nfunc f0(c64[%d]) {\n  n0 = parameter index=0 : c64[%d]\n  n1 = fft "
        "n0 axis=0 length=%d : c64[%d]\n  return n1\n}\n",
        n, n, n, n);
    vkc_target_baseline(&target);
    const struct vkc_options options = {
        .target = &target, .text_ir = true, .no_cache = true, .threads = 1};
    const void *in[1] = {x};
    void *out[1] = {NULL};
    x[2] = 1;
    bool ok = vkc_compile(text, strlen(text), NULL, 0, &options, &result);
    check_that(&m->check, ok, "roots of %d: %s", n, result.error.message);
    ok = ok && check_that(&m->check,
                          machine_run(result.bundle, result.bundle_size, in, out,
                                      &(struct machine_options){.seed = 1}, error, sizeof error),
                          "roots of %d: %s", n, error);
    for (int k = 0; ok && k < 2 * n; k++) {
        double angle = -2 * acos(-1) * (k / 2) / n, wanted = k % 2 ? sin(angle) : cos(angle),
               found = ((float *)out[0])[k];
        check_that(&m->check, fabs(found - wanted) <= 4 * 0x1p-24,
                   "roots of %d: part %d is off by %.3g", n, k, found - wanted);
    }
    free(out[0]);
    vkc_result_free(&result);
}

/* Every type to every other, at the edges of both. */
static void check_casts(struct machine_check *m)
{
    for (enum vkc_type from = TYPE_NONE + 1; from < TYPE_COUNT; from++) {
        char nodes[4096] = "", results[512] = "", params[32], name[64];
        uint32_t count = 0;
        for (enum vkc_type to = TYPE_NONE + 1; to < TYPE_COUNT; to++) {
            if (to == from || type_is_complex(from))
                continue;
            count++;
            snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                     "n%u = as_type n0 : %s[61]\n  ", count, type_name(to));
            snprintf(results + strlen(results), sizeof results - strlen(results), "%sn%u",
                     count > 1 ? ", " : "", count);
        }
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), "return %s", results);
        snprintf(params, sizeof params, "%s[61]", type_name(from));
        snprintf(name, sizeof name, "%s to every type", type_name(from));
        if (count)
            for (int t = 1; t < 3; t++) /* with i64 and f64 */
                check_case(m, &(struct test_case){name, params, nodes, EDGES}, targets[t]);
    }
}

int main(int argc, char **argv)
{
    struct machine_check m = {.seed = 1, .check.turns = 2};
    for (size_t i = 0; i < sizeof cases / sizeof *cases;
         i++) /* the first two, whose arithmetic differs most, and one of the rest */
        for (size_t t = 0; t < TARGETS; t++)
            if (argc > 1 ? strcmp(argv[1], cases[i].name) == 0
                         : t < 2 || t == 2 + i % (TARGETS - 2))
                check_case(&m, &cases[i], targets[t]);
    if (argc < 2 || strcmp(argv[1], "casts") == 0)
        check_casts(&m);
    for (int n = 2; n <= 64; n += n < 16 ? 1 : 16)
        if (argc < 2 || strcmp(argv[1], "roots") == 0)
            check_roots(&m, n);
    printf("%lld elements compared; %lld more depend on rounding; %d graphs are refused\n",
           (long long)m.compared, (long long)m.loose, m.refused);
    return check_finish(&m.check);
}
