/* Meanings that are easily got wrong, and those that Nx's binary backend does not have: each row
   is inputs, nodes over them (n0, n1, ... are the inputs, the last line is the result) and what
   comes out. Values are written in decimal, rounded to the type; complex numbers as re:im. */
#include <math.h>
#include <string.h>

#include "import/import.h"
#include "interp/interp.h"
#include "base/num.h"
#include "check.h"

struct row {
    const char *name;
    const char *inputs; /* "f32[2] 1 nan; s32[] 3" */
    const char *nodes;
    const char *wanted; /* "f32[2] 1 nan" */
};

static const struct row rows[] = {
    /* ---- element-wise ---- */
    {"quotient by zero is all ones", "s32[4] 7 -7 0 -2147483648; s32[4] 0 0 0 -1",
     "n2 = quotient n0, n1 : s32[4]", "s32[4] -1 -1 -1 -2147483648"},
    {"quotient by zero, unsigned", "u8[2] 7 9; u8[2] 0 2", "n2 = quotient n0, n1 : u8[2]",
     "u8[2] 255 4"},
    {"remainder by zero is the dividend", "s32[3] 7 -7 -2147483648; s32[3] 0 0 -1",
     "n2 = remainder n0, n1 : s32[3]", "s32[3] 7 -7 0"},
    {"float remainder by zero is NaN", "f32[2] 5 -5; f32[2] 0 3", "n2 = remainder n0, n1 : f32[2]",
     "f32[2] nan -2"},
    {"integer power, negative exponent", "s32[5] 1 -1 -1 2 0; s32[5] -3 -3 -2 -1 -1",
     "n2 = pow n0, n1 : s32[5]", "s32[5] 1 -1 1 0 0"},
    {"integer power wraps", "s32[2] 2 3; s32[2] 32 21", "n2 = pow n0, n1 : s32[2]",
     "s32[2] 0 1870418611"},
    {"shift beyond the width", "s32[4] 1 1 -8 -8; s32[4] 32 -1 40 -1",
     "n2 = left_shift n0, n1 : s32[4]", "s32[4] 0 0 0 0"},
    {"right shift fills", "s32[4] 1 -1 -8 8; s32[4] 32 32 1 -1", "n2 = right_shift n0, n1 : s32[4]",
     "s32[4] 0 -1 -4 0"},
    {"right shift of words by all of their bits", "u64[2] 5 5; u64[2] 64 1",
     "n2 = right_shift n0, n1 : u64[2]", "u64[2] 0 2"},
    {"max takes NaN from either side", "f32[4] nan 1 -0 0; f32[4] 1 nan 0 -0",
     "n2 = max n0, n1 : f32[4]", "f32[4] nan nan 0 0"},
    {"min takes NaN from either side", "f32[4] nan 1 -0 0; f32[4] 1 nan 0 -0",
     "n2 = min n0, n1 : f32[4]", "f32[4] nan nan -0 -0"},
    {"clip: max first, then min", "f32[4] 5 nan -1 2; f32[4] 3 0 0 0; f32[4] 1 1 1 1",
     "n3 = clip n0, n1, n2 : f32[4]", "f32[4] 1 nan 0 1"},
    {"round: halves away from zero", "f32[5] 0.5 -0.5 2.5 nan inf", "n1 = round n0 : f32[5]",
     "f32[5] 1 -1 3 nan inf"},
    {"sign keeps zero and NaN", "f32[4] -0 0 nan -inf", "n1 = sign n0 : f32[4]",
     "f32[4] -0 0 nan -1"},
    {"abs of the least integer", "s8[2] -128 -1", "n1 = abs n0 : s8[2]", "s8[2] -128 1"},
    {"negate of unsigned", "u8[2] 1 0", "n1 = negate n0 : u8[2]", "u8[2] 255 0"},
    {"division is IEEE", "f32[3] 1 -1 0; f32[3] 0 0 0", "n2 = divide n0, n1 : f32[3]",
     "f32[3] inf -inf nan"},
    {"sqrt, log and friends out of range", "f32[2] -1 0", "n1 = sqrt n0 : f32[2]", "f32[2] nan 0"},
    {"log of zero", "f32[2] 0 -1", "n1 = log n0 : f32[2]", "f32[2] -inf nan"},
    {"log1p is exact near zero", "f32[1] 1e-10", "n1 = log1p n0 : f32[1]", "f32[1] 1e-10"},
    {"expm1 is exact near zero", "f32[1] 1e-10", "n1 = expm1 n0 : f32[1]", "f32[1] 1e-10"},
    {"erf_inv at the ends", "f32[4] 1 -1 0 2", "n1 = erf_inv n0 : f32[4]", "f32[4] inf -inf 0 nan"},
    {"erf_inv near the ends", "f64[4] 0.99999999999999988898 -0.99999999999 0.5 0",
     "n1 = erf_inv n0 : f64[4]",
     "f64[4] 5.8635847487551676 -4.8129240589448328 0.47693627620446987 0"},
    {"a running product, in runs of three", "f32[1,5,1] 1 4 2 3 -1",
     "n1 = scan n0 combine=\"product\" run=3 reverse=false : f32[1,5,1]", "f32[1,5,1] 1 4 8 3 -3"},
    {"NaN is true", "f32[3] nan 0 -0; u8[3] 1 1 1", "n2 = logical_and n0, n1 : u8[3]",
     "u8[3] 1 0 0"},
    {"complex is true by either part", "c64[3] 0:0 0:1 nan:0; u8[3] 0 0 0",
     "n2 = logical_or n0, n1 : u8[3]", "u8[3] 0 1 1"},
    {"NaN equals nothing", "f32[2] nan 1; f32[2] nan 1", "n2 = equal n0, n1 : u8[2]", "u8[2] 0 1"},
    {"select by a float", "f32[3] nan 0 2; s32[3] 1 2 3; s32[3] -1 -2 -3",
     "n3 = select n0, n1, n2 : s32[3]", "s32[3] 1 -2 3"},
    {"is_nan of complex", "c64[3] 1:nan 1:2 nan:0", "n1 = is_nan n0 : u8[3]", "u8[3] 1 0 1"},
    {"is_infinity of integers", "s32[1] 5", "n1 = is_infinity n0 : u8[1]", "u8[1] 0"},
    {"conjugate", "c64[1] 1:2", "n1 = conjugate n0 : c64[1]", "c64[1] 1:-2"},
    {"complex sign", "c64[2] 3:4 0:0", "n1 = sign n0 : c64[2]", "c64[2] 0.6:0.8 0:0"},
    {"complex sine: signs beside a NaN", "c64[4] inf:inf inf:-inf -inf:-inf nan:-inf",
     "n1 = sin n0 : c64[4]", "c64[4] nan:inf nan:-inf nan:-inf nan:-inf"},
    {"complex cosine: signs beside a NaN", "c64[4] inf:0 inf:-0 nan:0 -0:nan",
     "n1 = cos n0 : c64[4]", "c64[4] nan:-0 nan:0 nan:-0 nan:-0"},
    {"complex sinh: signs beside a NaN", "c128[3] -inf:inf inf:-inf -inf:nan",
     "n1 = sinh n0 : c128[3]", "c128[3] -inf:nan inf:nan -inf:nan"},
    {"complex cosh: signs beside a NaN", "c128[4] 0:-inf -0:inf -0:nan nan:-0",
     "n1 = cosh n0 : c128[4]", "c128[4] nan:-0 nan:-0 nan:-0 nan:-0"},
    {"complex asin and acos: signs beside a NaN", "c64[2] inf:nan -inf:nan",
     "n1 = asin n0 : c64[2]\nn2 = acos n0 : c64[2]\nn3 = concatenate n1, n2 axis=0 : c64[4]",
     "c64[4] nan:inf nan:-inf nan:inf nan:inf"},
    {"complex asinh: signs beside a NaN", "c64[2] nan:inf nan:-inf", "n1 = asinh n0 : c64[2]",
     "c64[2] -inf:nan inf:nan"},
    {"complex sigmoid at the ends", "c64[4] inf:1 inf:-1 -inf:1 inf:0", "n1 = sigmoid n0 : c64[4]",
     "c64[4] 1:0 1:-0 0:0 1:0"},
    {"clz of narrow types", "u4[3] 0 1 8", "n1 = count_leading_zeros n0 : u4[3]", "u4[3] 4 3 0"},
    {"popcount of narrow signed types", "s4[2] -1 7", "n1 = population_count n0 : s4[2]",
     "s4[2] 4 3"},
    {"narrow integers wrap", "u2[2] 3 2; u2[2] 1 3", "n2 = add n0, n1 : u2[2]", "u2[2] 0 1"},
    {"narrow signed integers wrap", "s4[2] 7 -8; s4[2] 1 -1", "n2 = add n0, n1 : s4[2]",
     "s4[2] -8 7"},
    {"bf16 rounds to even after each op", "bf16[2] 256 1; bf16[2] 1 0.00390625",
     "n2 = add n0, n1 : bf16[2]", "bf16[2] 256 1"},
    {"f8 sum", "f8[2] 1 57344; f8[2] 0.25 57344", "n2 = add n0, n1 : f8[2]", "f8[2] 1.25 inf"},
    {"f8_e4m3fn saturates", "f8_e4m3fn[2] 448 1; f8_e4m3fn[2] 448 0.125",
     "n2 = add n0, n1 : f8_e4m3fn[2]", "f8_e4m3fn[2] 448 1.125"},
    /* ---- conversions ---- */
    {"float to u8 saturates", "f32[8] 1.9 -1.9 300.7 -300.7 1e20 nan inf -inf",
     "n1 = as_type n0 : u8[8]", "u8[8] 1 0 255 0 255 0 255 0"},
    {"float to s8 saturates", "f32[8] 1.9 -1.9 300.7 -300.7 1e20 nan inf -inf",
     "n1 = as_type n0 : s8[8]", "s8[8] 1 -1 127 -128 127 0 127 -128"},
    {"float to s32 saturates", "f32[4] 1e20 nan inf -inf", "n1 = as_type n0 : s32[4]",
     "s32[4] 2147483647 0 2147483647 -2147483648"},
    {"float to s64 saturates", "f64[3] 1e20 -1e20 9007199254740993", "n1 = as_type n0 : s64[3]",
     "s64[3] 9223372036854775807 -9223372036854775808 9007199254740992"},
    {"float to u64 saturates", "f64[3] 1e20 -1 18446744073709549568", "n1 = as_type n0 : u64[3]",
     "u64[3] 18446744073709551615 0 18446744073709549568"},
    {"u64 to f32 rounds once", "u64[2] 9007200328482817 18446744073709551615",
     "n1 = as_type n0 : f32[2]", "f32[2] 9007200328482816 18446744073709551616"},
    {"s64 to f64 rounds to even", "s64[2] 9007199254740993 -9007199254740995",
     "n1 = as_type n0 : f64[2]", "f64[2] 9007199254740992 -9007199254740996"},
    /* a half of the last place, and one: up, though a double on the way would lose the one */
    {"s64 to f32 is rounded once",
     "s64[3] 1152921573326323713 1152921573326323712 -1152921573326323713",
     "n1 = as_type n0 : f32[3]",
     "f32[3] 1152921642045800448 1152921504606846976 -1152921642045800448"},
    {"u64 to bf16 is rounded once", "u64[1] 9259400833873739777", "n1 = as_type n0 : bf16[1]",
     "bf16[1] 9295429630892703744"},
    {"s64 to c64 is rounded once", "s64[1] 1152921573326323713", "n1 = as_type n0 : c64[1]",
     "c64[1] 1152921642045800448:0"},
    {"s32 to u4 wraps", "s32[3] 17 -1 8", "n1 = as_type n0 : u4[3]", "u4[3] 1 15 8"},
    {"s32 to s4 wraps", "s32[3] 17 -1 8", "n1 = as_type n0 : s4[3]", "s4[3] 1 -1 -8"},
    {"f32 to f16 overflows", "f32[3] 65519 65520 1e-8", "n1 = as_type n0 : f16[3]",
     "f16[3] 65504 inf 0"},
    {"f32 to bf16 to even", "f32[2] 1.00390625 1.01171875", "n1 = as_type n0 : bf16[2]",
     "bf16[2] 1 1.015625"},
    {"f32 to f8_e4m3fn saturates", "f32[4] 1e9 -inf nan 0.001953125",
     "n1 = as_type n0 : f8_e4m3fn[4]", "f8_e4m3fn[4] 448 -448 nan 0.001953125"},
    {"complex to real drops", "c64[1] 1.5:7", "n1 = as_type n0 : s32[1]", "s32[1] 1"},
    {"real to complex", "s32[1] -3", "n1 = as_type n0 : c128[1]", "c128[1] -3:0"},
    {"bitcast of narrow types", "u4[2] 15 7", "n1 = bitcast n0 : s4[2]", "s4[2] -1 7"},
    {"bitcast f64", "f64[1] 1", "n1 = bitcast n0 : u64[1]", "u64[1] 4607182418800017408"},
    /* ---- sources ---- */
    {"iota wraps", "u8[1] 0", "n1 = iota axis=-1 : u2[6]", "u2[6] 0 1 2 3 0 1"},
    {"iota of complex", "u8[1] 0", "n1 = iota axis=1 : c64[2,2]", "c64[2,2] 0:0 1:0 0:0 1:0"},
    {"constant splat", "u8[1] 0", "n1 = constant bits=8000 : f16[2]", "f16[2] -0 -0"},
    {"constant of a complex number", "u8[1] 0", "n1 = constant bits=4000000040400000 : c64[1]",
     "c64[1] 3:2"},
    /* ---- movement and indexed ---- */
    {"pad crops everything", "s32[3] 1 2 3; s32[] 9",
     "n2 = pad n0, n1 lo=[-3] hi=[4] interior=[0] : s32[4]", "s32[4] 9 9 9 9"},
    {"pad crops into the interior", "s32[3] 1 2 3; s32[] 9",
     "n2 = pad n0, n1 lo=[-1] hi=[-1] interior=[2] : s32[5]", "s32[5] 9 9 2 9 9"},
    {"gather clamps each axis", "s32[2,2] 1 2 3 4; s32[3,2] -1 -1 10 11 -1 10",
     "n2 = gather n0, n1 axes=[0,1] : s32[3]", "s32[3] 1 4 2"},
    {"gather clamps the greatest u64", "s32[2] 1 2; u64[1,1] 18446744073709551615",
     "n2 = gather n0, n1 axes=[0] : s32[1]", "s32[1] 2"},
    {"indexed_add drops out of range", "s32[3] 1 2 3; s32[4,1] -1 3 0 0; s32[4] 10 20 30 40",
     "n3 = indexed_add n0, n1, n2 axes=[0] : s32[3]", "s32[3] 71 2 3"},
    {"indexed_add leaves -0 and NaN alone", "f32[3] -0 nan 1; s32[1,1] 2; f32[1] 1",
     "n3 = indexed_add n0, n1, n2 axes=[0] : f32[3]", "f32[3] -0 nan 2"},
    {"indexed_put: the last wins, out of range is dropped",
     "s32[3] 1 2 3; s32[4,1] 0 5 0 -1; s32[4] 10 20 30 40",
     "n3 = indexed_put n0, n1, n2 axes=[0] : s32[3]", "s32[3] 30 2 3"},
    {"dynamic_slice clamps its start", "s32[4] 1 2 3 4; s64[] 9; s64[] -9",
     "n3 = dynamic_slice n0, n1 lengths=[2] strides=[1] : s32[2]\n"
     "n4 = dynamic_slice n0, n2 lengths=[2] strides=[1] : s32[2]\n"
     "n5 = concatenate n3, n4 axis=0 : s32[4]",
     "s32[4] 3 4 1 2"},
    {"put_slice clamps its start", "s32[4] 1 2 3 4; s32[2] 8 9; u8[] 200",
     "n3 = put_slice n0, n1, n2 : s32[4]", "s32[4] 1 2 8 9"},
    {"segment_sum of integers adds to the target, and wraps",
     "u8[2,2] 250 1 9 8; u8[4,2] 10 20 30 40 50 60 70 80; u32[4] 2 0 1 3; s32[3] 0 2 2",
     "n4 = segment_sum n0, n1, n2, n3 tile=1 : u8[2,2]", "u8[2,2] 54 81 9 8"},
    {"segment_sum of floats, an empty segment, and an update that is dropped",
     "f32[3,1] -0 1 2; f32[3,1] 4 8 16; u32[3] 1 2 0; s32[4] 0 0 1 2",
     "n4 = segment_sum n0, n1, n2, n3 tile=1 : f32[3,1]", "f32[3,1] -0 9 18"},
    {"panel_lu", "f32[1,3,2] 1 2 4 4 2 5; f32[1,3,1] 0 1 2", "n2 = panel_lu n0, n1 : f32[1,5,3]",
     "f32[1,5,3] 0.25 0.3333333432674408 0 4 4 -2 0.5 3 -1 1 0 1 -0.5 1 2"},
    {"panel_qr", "f32[1,3,2] 1 0 2 -2 2 5", "n1 = panel_qr n0 : f32[1,5,2]",
     "f32[1,5,2] 3 2 -1 5 -1 -0.3333333432674408 0.6666666865348816 0.800000011920929 0 "
     "1.7999999523162842"},
    {"panel_cholesky reads the lower triangle", "f32[1,3,3] 4 99 99 2 5 99 2 5 21",
     "n1 = panel_cholesky n0 inverse=false : f32[1,1,3,3]", "f32[1,1,3,3] 2 0 0 1 2 0 1 2 4"},
    {"panel_cholesky with the inverse", "c64[1,2,2] 4:0 9:9 2:2 6:0",
     "n1 = panel_cholesky n0 inverse=true : c64[1,2,2,2]",
     "c64[1,2,2,2] 2:0 0:0 1:1 2:0 0.5:0 0:0 -0.25:-0.25 0.5:0"},
    {"panel_cholesky with rows below", "f64[1,4,2] 4 9 2 5 8 8 2 1",
     "n1 = panel_cholesky n0 inverse=false : f64[1,1,4,2]", "f64[1,1,4,2] 2 0 1 2 4 2 1 0"},
    {"panel_cholesky of a pivot that is 0, and one below", "f64[2,2,2] 1 1 1 1 -1 0 1 1",
     "n1 = panel_cholesky n0 inverse=false : f64[2,1,2,2]", "f64[2,1,2,2] 1 0 1 0 nan 0 nan nan"},
    /* ---- reductions ---- */
    {"reduce_max takes NaN", "f32[3] 1 nan 3", "n1 = reduce_max n0 axes=[0] keep=false : f32[]",
     "f32[] nan"},
    {"reduce_min of -inf", "f32[2] inf -inf", "n1 = reduce_min n0 axes=[0] keep=true : f32[1]",
     "f32[1] -inf"},
    {"sum over no axes", "f32[2] 1 -0", "n1 = sum n0 axes=[] keep=false : f32[2]", "f32[2] 1 0"},
    {"sum of f64 is compensated", "f64[4] 1 1e100 1 -1e100",
     "n1 = sum n0 axes=[0] keep=false : f64[]", "f64[] 2"},
    {"sum of infinities", "f64[3] inf 1 2", "n1 = sum n0 axes=[0] keep=false : f64[]", "f64[] inf"},
    {"sum of both infinities", "f64[2] inf -inf", "n1 = sum n0 axes=[0] keep=false : f64[]",
     "f64[] nan"},
    {"sum of bf16 rounds once", "bf16[3] 256 1 1", "n1 = sum n0 axes=[0] keep=false : bf16[]",
     "bf16[] 258"},
    {"product with an infinity", "f64[2] inf -2", "n1 = product n0 axes=[0] keep=false : f64[]",
     "f64[] -inf"},
    {"all: NaN is true", "f32[2] nan 1", "n1 = all n0 axes=[0] keep=false : u8[]", "u8[] 1"},
    {"any of complex", "c64[2] 0:0 0:1", "n1 = any n0 axes=[0] keep=false : u8[]", "u8[] 1"},
    {"argmax: the first NaN wins", "f32[4] 1 nan 3 nan",
     "n1 = argmax n0 axis=0 tie_break=\"low\" keep=false : s32[]", "s32[] 1"},
    {"argmax high: the first NaN wins", "f32[4] 1 nan 3 nan",
     "n1 = argmax n0 axis=-1 tie_break=\"high\" keep=false : s64[]", "s64[] 1"},
    {"argmin: zeros are equal", "f32[3] 0 -0 0",
     "n1 = argmin n0 axis=0 tie_break=\"high\" keep=false : s32[]", "s32[] 2"},
    {"argmax of u64", "u64[2] 1 18446744073709551615",
     "n1 = argmax n0 axis=0 tie_break=\"low\" keep=true : u8[1]", "u8[1] 1"},
    /* ---- windows ---- */
    {"window_max pads with -inf", "f32[2] -5 -6",
     "n1 = window_max n0 window=[2] strides=[2] lo=[2] hi=[0] dilations=[1] : f32[2]",
     "f32[2] -inf -5"},
    {"window_min of integers pads with the greatest", "s8[1] 3",
     "n1 = window_min n0 window=[1] strides=[1] lo=[1] hi=[0] dilations=[1] : s8[2]",
     "s8[2] 127 3"},
    {"window_max of f8_e4m3fn pads with the least finite", "f8_e4m3fn[1] 1",
     "n1 = window_max n0 window=[1] strides=[1] lo=[1] hi=[0] dilations=[1] : f8_e4m3fn[2]",
     "f8_e4m3fn[2] -448 1"},
    {"window_sum with NaN", "f32[3] 1 nan 2",
     "n1 = window_sum n0 window=[1] strides=[1] lo=[0] hi=[0] dilations=[1] : f32[3]",
     "f32[3] 1 nan 2"},
    {"window_sum with a negative padding", "s32[4] 1 2 3 4",
     "n1 = window_sum n0 window=[2] strides=[1] lo=[-1] hi=[0] dilations=[1] : s32[2]",
     "s32[2] 5 7"},
    {"window_scatter never selects padding", "s32[2] -5 -6; s32[2] 10 20; s32[] 0",
     "n3 = window_scatter_max n0, n1, n2 window=[2] strides=[2] lo=[1] hi=[1] : s32[2]",
     "s32[2] 10 20"},
    {"window_scatter: the last of equals wins, sums add up",
     "f32[3] 3 3 3; f32[2] 10 20; f32[] 0.5",
     "n3 = window_scatter_max n0, n1, n2 window=[2] strides=[1] lo=[0] hi=[0] : f32[3]",
     "f32[3] 0.5 10.5 20.5"},
    {"window_scatter_min of overlapping windows", "f32[3] 3 1 2; f32[2] 10 20; f32[] 0",
     "n3 = window_scatter_min n0, n1, n2 window=[2] strides=[1] lo=[0] hi=[0] : f32[3]",
     "f32[3] 0 30 0"},
    {"window_scatter: what follows replaces NaN, which replaces what precedes",
     "f32[3] nan 1 nan; f32[2] 10 20; f32[] 0",
     "n3 = window_scatter_max n0, n1, n2 window=[2] strides=[1] lo=[0] hi=[0] : f32[3]",
     "f32[3] 0 10 20"},
    /* ---- contraction ---- */
    {"dot of f64 is compensated", "f64[3] 1e100 1 -1e100; f64[3] 1 1 1",
     "n2 = dot n0, n1 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f64[]", "f64[] 1"},
    {"dot of s8 wraps", "s8[2] 100 100; s8[2] 1 1",
     "n2 = dot n0, n1 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : s8[]", "s8[] -56"},
    {"singular triangular_solve", "f32[2,2] 1 0 1 0; f32[2] 1 2",
     "n2 = triangular_solve n0, n1 left_side=true lower=true transform=\"none\" : f32[2]",
     "f32[2] 1 inf"},
    {"triangular_solve ignores the other triangle", "f32[2,2] 2 nan 1 4; f32[2] 2 5",
     "n2 = triangular_solve n0, n1 left_side=true lower=true transform=\"none\" : f32[2]",
     "f32[2] 1 1"},
    {"triangular_solve by the conjugate", "c64[2,2] 1:1 0:0 2:3 0:1; c64[2] 1:0 1:0",
     "n2 = triangular_solve n0, n1 left_side=true lower=true transform=\"conjugate\" : c64[2]",
     "c64[2] 0.5:0.5 -0.5:-1.5"},
    {"triangular_solve by the transpose", "c64[2,2] 1:1 0:0 2:3 0:1; c64[2] 1:0 1:0",
     "n2 = triangular_solve n0, n1 left_side=true lower=true transform=\"transpose\" : c64[2]",
     "c64[2] 0:2 0:-1"},
    /* ---- special ---- */
    {"sort keeps equal zeros in order", "f32[4] 0 -0 nan -1",
     "n1 = sort n0 axis=0 descending=false stable=true : f32[4]", "f32[4] -1 0 -0 nan"},
    {"sort descending: NaN first", "f32[4] 0 -0 nan 1",
     "n1 = sort n0 axis=0 descending=true stable=true : f32[4]", "f32[4] nan 1 0 -0"},
    {"argsort descending keeps the lower index first", "s32[4] 2 1 2 1",
     "n1 = argsort n0 axis=0 descending=true stable=true : s32[4]", "s32[4] 0 2 1 3"},
    {"sort of u64", "u64[3] 18446744073709551615 0 9223372036854775808",
     "n1 = sort n0 axis=0 descending=false stable=true : u64[3]",
     "u64[3] 0 9223372036854775808 18446744073709551615"},
    {"fft of one", "f32[1] 3", "n1 = fft n0 axis=0 length=1 : c64[1]", "c64[1] 3:0"},
    {"fft pads with zero", "f32[1] 3", "n1 = fft n0 axis=0 length=3 : c64[3]",
     "c64[3] 3:0 3:0 3:0"},
    {"ifft scales", "c64[2] 4:0 0:0", "n1 = ifft n0 axis=0 length=2 : c64[2]", "c64[2] 2:0 2:0"},
};

/* ---- values as text ---- */

/* Reads "f32[2] 1 nan" up to ';'; steps behind it. False if it is not a tensor with as many
   values. */
static bool read_array(struct arena *a, const char **text, struct array *out)
{
    char word[64];
    size_t n = strcspn(*text, "[");
    memcpy(word, *text, n);
    word[n] = '\0';
    *out = (struct array){.tensor.type = type_parse(word)};
    *text += n + 1;
    while (**text != ']') {
        char *end;
        out->tensor.shape.dim[out->tensor.shape.rank++] = strtoll(*text, &end, 10);
        *text = end + (*end == ',');
    }
    ++*text;
    enum vkc_type type = out->tensor.type, part = type == TYPE_C64    ? TYPE_F32
                                                  : type == TYPE_C128 ? TYPE_F64
                                                                      : type;
    size_t bytes = type_bytes(part), count = tensor_bytes(&out->tensor) / bytes;
    unsigned char *data = arena_alloc(a, count, bytes);
    if (type == TYPE_NONE || !data)
        return false;
    for (size_t i = 0; i < count; i++) {
        char *end;
        *text += strspn(*text, " :");
        uint64_t bits = type_is_int(part) ? **text == '-' ? (uint64_t)strtoll(*text, &end, 10)
                                                          : strtoull(*text, &end, 10)
                                          : num_float_encode(part, strtod(*text, &end));
        if (end == *text)
            return false;
        memcpy(data + i * bytes, &bits, bytes);
        *text = end;
    }
    out->data = data;
    *text += strspn(*text, "; ");
    return true;
}

/* The same bits, where any NaN is as good as another. */
static bool same(const struct array *a, const struct array *b)
{
    enum vkc_type type = a->tensor.type, part = type == TYPE_C64    ? TYPE_F32
                                                : type == TYPE_C128 ? TYPE_F64
                                                                    : type;
    size_t bytes = type_bytes(part);
    if (!tensor_equal(&a->tensor, &b->tensor))
        return false;
    for (size_t i = 0; i < tensor_bytes(&a->tensor) / bytes; i++) {
        uint64_t x = 0, y = 0;
        memcpy(&x, (const char *)a->data + i * bytes, bytes);
        memcpy(&y, (const char *)b->data + i * bytes, bytes);
        bool nan = type_is_float(part) && isnan(num_float_decode(part, x)) &&
                   isnan(num_float_decode(part, y));
        if (x != y && !nan)
            return false;
    }
    return true;
}

static void print_array(const struct array *a)
{
    printf("   ");
    for (size_t i = 0; i < tensor_bytes(&a->tensor); i++)
        printf("%s%02x", i % type_bytes(a->tensor.type) ? "" : " ",
               ((const unsigned char *)a->data)[i]);
    printf("\n");
}

/* The graph of a row: its parameters, its nodes, and a return of the last one. */
static void write_graph(const struct row *row, const struct array *ins, uint32_t nins,
                        struct str *out)
{
    char tensor[320];
    str_add(out, "graph \"\" entry=f0 callbacks=0\nfunc f0(");
    for (uint32_t i = 0; i < nins; i++) {
        tensor_print(tensor, sizeof tensor, &ins[i].tensor);
        str_printf(out, "%s%s", i ? ", " : "", tensor);
    }
    str_add(out, ") {\n");
    for (uint32_t i = 0; i < nins; i++) {
        tensor_print(tensor, sizeof tensor, &ins[i].tensor);
        str_printf(out, "n%u = parameter index=%u : %s\n", i, i, tensor);
    }
    const char *last = strrchr(row->nodes, '\n');
    last = last ? last + 1 : row->nodes;
    str_printf(out, "%s\nreturn %.*s\n}\n", row->nodes, (int)strcspn(last, " "), last);
}

static void check_row(struct check *c, const struct row *row)
{
    static struct diag d;
    struct arena a;
    struct array ins[4], wanted, found;
    struct graph g;
    struct str text;
    uint32_t nins = 0;
    const char *at = row->inputs, *want = row->wanted;
    d = (struct diag){0};
    arena_init(&a, 0);
    str_init(&text, &a);
    bool ok = true;
    while (ok && *at)
        ok = nins < 4 && read_array(&a, &at, &ins[nins++]);
    if (!check_that(c, ok && read_array(&a, &want, &wanted), "%s: the row's values", row->name))
        goto out;
    write_graph(row, ins, nins, &text);
    if (!check_that(c, ir_parse(&a, str_text(&text), text.len, &g, &d), "%s: %s (%s)", row->name,
                    d.message, d.where) ||
        !check_that(c, interp_run(&g, 0, &a, ins, &found, &d), "%s: %s", row->name, d.message))
        goto out;
    if (!check_that(c, same(&found, &wanted), "%s: found, wanted", row->name)) {
        print_array(&found);
        print_array(&wanted);
    }

out:
    arena_finish(&a);
}

/* ---- what the rows cannot say ---- */

static bool run_text(struct arena *a, const char *text, const struct array *ins, struct array *outs,
                     struct diag *d)
{
    struct graph g;
    return ir_parse(a, text, strlen(text), &g, d) && interp_run(&g, g.entry, a, ins, outs, d);
}

/* A long loop whose carried values are large must not keep what its iterations made. */
static void check_loop_memory(struct check *c)
{
    static const char text[] =
        "graph \"\" entry=f0 callbacks=0\n"
        "func f0(s32[], s32[1000]) { n0 = parameter index=0 : s32[]\n n1 = parameter index=1 : s32[1000]\n"
        "  n2 = while n0, n1 regions=[f1,f2] : s32[], s32[1000]\n return n2.1, n2.0 }\n"
        "func f1(s32[], s32[1000]) { n0 = parameter index=0 : s32[]\n n1 = constant bits=00000bb8 : s32[]\n"
        "  n2 = less n0, n1 : u8[]\n return n2 }\n"
        "func f2(s32[], s32[1000]) { n0 = parameter index=0 : s32[]\n n1 = parameter index=1 : s32[1000]\n"
        "  n2 = constant bits=00000001 : s32[]\n n3 = add n0, n2 : s32[]\n"
        "  n4 = constant bits=00000001 : s32[1000]\n n5 = add n1, n4 : s32[1000]\n return n3, n5 }\n";
    static struct diag d;
    static int32_t start, data[1000];
    struct arena a;
    struct array outs[2],
        ins[2] = {{{.type = TYPE_S32}, &start}, {{TYPE_S32, {.rank = 1, .dim = {1000}}}, data}};
    d = (struct diag){0};
    arena_init(&a, 1 << 20);
    bool ok = run_text(&a, text, ins, outs, &d);
    if (check_that(c, ok, "3000 iterations in a megabyte: %s", d.message))
        check_that(c, ((int32_t *)outs[0].data)[999] == 3000 && *(int32_t *)outs[1].data == 3000,
                   "the loop counts to 3000");
    arena_finish(&a);
}

static void check_effects(struct check *c)
{
    static const char hook[] =
        "graph \"\" entry=f0 callbacks=1\nfunc f0(s32[]) { n0 = parameter index=0 : s32[]\n"
        "  n1 = hook n0, n0 callback=0 seq=0 hooked=1 : s32[]\n return n1 }\n";
    static const char call[] =
        "graph \"\" entry=f0 callbacks=1\nfunc f0(s32[]) { n0 = parameter index=0 : s32[]\n"
        "  n1 = runtime_call n0 callback=0 seq=0 : s32[] @\"lib/a.ex:7\"\n return n1 }\n";
    static struct diag d;
    static int32_t seven = 7;
    struct arena a;
    struct array out, in = {{.type = TYPE_S32}, &seven};
    d = (struct diag){0};
    arena_init(&a, 0);
    check_that(c, run_text(&a, hook, &in, &out, &d) && *(int32_t *)out.data == 7,
               "a hook passes through: %s", d.message);
    check_that(c, !run_text(&a, call, &in, &out, &d) && d.code == DIAG_UNSUPPORTED,
               "a runtime_call is unsupported");
    /* in any region: f1 and f5 make the call, the other functions do not */
    static const char *const callers[] = {
        "reduce n1, n0 axes=[0] keep=false regions=[f1] : s32[]",
        "window_reduce n1, n0 window=[2] strides=[1] lo=[0] hi=[0] dilations=[1] regions=[f1] : s32[1]",
        "while n0, n0 regions=[f1,f4] : s32[], s32[]",
        "while n0, n0 regions=[f2,f5] : s32[], s32[]",
        "cond n0, n0 regions=[f1,f2,f3] : s32[]",
        "cond n0, n0 regions=[f2,f1,f3] : s32[]",
        "cond n3, n0 regions=[f2,f3,f1] : s32[]",
        "cond n3, n0 regions=[f2,f3,f1,f6,f7] : s32[]",
        "block n0, n0 name=\"b\" options=\"\" regions=[f1] : s32[]",
    };
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        char text[2048];
        d = (struct diag){0};
        int n = snprintf(
            text, sizeof text,
            "graph \"\" entry=f0 callbacks=1\nfunc f0(s32[]) { n0 = parameter index=0 : s32[]\n"
            "  n1 = broadcast n0 axes=[] : s32[2]\n n3 = constant bits=00000000 : s32[]\n n2 = %s\n return n2 }\n"
            "func f1(s32[], s32[]) { n0 = parameter index=0 : s32[]\n"
            "  n1 = runtime_call n0 callback=0 seq=0 : s32[]\n return n1 }\n",
            callers[i]);
        static const char *const more[] = {"n0", "n0", "n0, n0", "n1, n0", "n0", "n0"};
        for (int k = 0; k < 6; k++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "func f%d(s32[], s32[]) { n0 = parameter index=0 : s32[]\n"
                          "  n1 = %s : s32[]\n return %s }\n",
                          k + 2, k == 3 ? "runtime_call n0 callback=0 seq=0" : "parameter index=1",
                          more[k]);
        check_that(c, !run_text(&a, text, &in, &out, &d) && d.code == DIAG_UNSUPPORTED,
                   "in a region of %.40s: %s", callers[i], d.message);
    }
    arena_finish(&a);
}

/* A refused input is described as it is, next to what the function takes. */
static void check_refused(struct check *c)
{
    static const char text[] = "graph \"\" entry=f0 callbacks=0\nfunc f0(s32[], f32[2,3]) {\n"
                               "n0 = parameter index=0 : s32[]\n return n0 }\n";
    static const struct tensor others[] = {{TYPE_F32, {.rank = 2, .dim = {3, 2}}},
                                           {TYPE_BF16, {.rank = 2, .dim = {2, 3}}},
                                           {TYPE_F32, {.rank = 0}}};
    static const char *const found[] = {"f32[3,2]", "bf16[2,3]", "f32[]"};
    static float data[6];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        static struct diag d;
        struct arena a;
        struct array out, ins[2] = {{{.type = TYPE_S32}, data}, {others[i], data}};
        char wanted[128];
        d = (struct diag){0};
        arena_init(&a, 0);
        bool ok = run_text(&a, text, ins, &out, &d);
        snprintf(wanted, sizeof wanted, "input 1 is %s, the function takes f32[2,3]", found[i]);
        check_that(c, !ok && d.code == DIAG_USAGE && strcmp(d.message, wanted) == 0,
                   "\"%s\", not \"%s\"", d.message, wanted);
        arena_finish(&a);
    }
}

/* The function of a window sees every element, the first one too, and the initial value where
   there is padding, besides beginning with it. */
static void check_windows(struct check *c)
{
    static const char text[] =
        "graph \"\" entry=f0 callbacks=0\nfunc f0(s32[4], s32[]) {\n"
        "n0 = parameter index=0 : s32[4]\n n1 = parameter index=1 : s32[]\n"
        "n2 = window_reduce n0, n1 window=[2] strides=[1] lo=[1] hi=[1] dilations=[1] regions=[f1] : "
        "s32[5]\nreturn n2 }\n"
        "func f1(s32[], s32[]) {\n n0 = parameter index=0 : s32[]\n n1 = parameter index=1 : s32[]\n"
        "n2 = add n0, n1 : s32[]\n return n2 }\n";
    static const int32_t wanted[] = {205, 112, 118, 124, 213};
    static int32_t data[] = {5, 7, 11, 13}, initial = 100;
    static struct diag d;
    struct arena a;
    struct array out,
        ins[2] = {{{TYPE_S32, {.rank = 1, .dim = {4}}}, data}, {{.type = TYPE_S32}, &initial}};
    d = (struct diag){0};
    arena_init(&a, 0);
    if (check_that(c, run_text(&a, text, ins, &out, &d), "a window_reduce: %s", d.message))
        for (int i = 0; i < 5; i++)
            check_that(c, ((const int32_t *)out.data)[i] == wanted[i], "window %d: %d, not %d", i,
                       ((const int32_t *)out.data)[i], wanted[i]);
    arena_finish(&a);
}

/* Every allocation that may fail is an error with a message. */
static void check_no_memory(struct check *c)
{
    static const char text[] =
        "graph \"\" entry=f0 callbacks=0\nfunc f0() { n0 = iota axis=-1 : f64[64,64]\n"
        "  n1 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f64[64,64]\n"
        "  n2 = sort n1 axis=0 descending=false stable=true : f64[64,64]\n"
        "  n3 = fft n2 axis=1 length=64 : c64[64,64]\n return n3 }\n";
    static struct diag d;
    unsigned failures = 0;
    bool done = false;
    for (size_t limit = 4096; !done && limit < 1 << 20; limit += 1024) {
        struct arena a;
        struct array out;
        d = (struct diag){0};
        arena_init(&a, limit);
        done = run_text(&a, text, NULL, &out, &d);
        if (!done)
            failures += d.code == DIAG_MEMORY && d.message[0] ? 0 : 1;
        arena_finish(&a);
    }
    check_that(c, done && failures == 0, "%u limits of memory without a diagnostic of it: %s",
               failures, d.message);
}

int main(void)
{
    struct check c = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&c, &rows[i]);
    check_loop_memory(&c);
    check_effects(&c);
    check_refused(&c);
    check_windows(&c);
    check_no_memory(&c);
    return check_finish(&c);
}
