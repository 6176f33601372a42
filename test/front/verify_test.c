/* The verifier's rules: of every op that has more than a type rule, nodes that hold and nodes that
   differ from them in one thing, on both sides of every limit. What a refusal says is left to
   test/errors, but that it is of the node. */
#include <string.h>

#include "base/str.h"
#include "check.h"
#include "ir/ir.h"

struct rule {
    bool holds;
    const char *inputs; /* n0, n1, ... */
    const char *node;   /* n9; what follows its line are functions */
};

/* Of scalars s32: what a fold, a loop and a branch take. */
#define ADD                                                     \
    "func f1(s32[], s32[]) {\nn0 = parameter index=0 : s32[]\n" \
    "n1 = parameter index=1 : s32[]\nn2 = add n0, n1 : s32[]\nreturn n2\n}\n"

static const struct rule rules[] = {
    /* ---- what passes make ---- */
    {true, "u32[1,2,8,3]", "sort_runs n0 run=1 gives=\"keys\" zeros=false : u32[1,2,8,3]"},
    {true, "u32[2,2,8,3]", "sort_runs n0 run=4 gives=\"keys\" zeros=false : u32[2,2,8,3]"},
    {true, "u32[2,2,8,3]", "sort_runs n0 run=4 gives=\"order\" zeros=false : u32[1,2,8,3]"},
    {true, "u32[2,2,8,3]", "sort_runs n0 run=4 gives=\"both\" zeros=false : u32[3,2,8,3]"},
    {true, "u32[1,2,8,3]",
     "sort_runs n0 run=1099511627775 gives=\"both\" zeros=true : u32[2,2,8,3]"},
    {false, "u32[1,2,8,3]", "sort_runs n0 run=0 gives=\"keys\" zeros=false : u32[1,2,8,3]"},
    {false, "u32[1,2,8,3]",
     "sort_runs n0 run=1099511627776 gives=\"keys\" zeros=false : u32[1,2,8,3]"},
    {false, "u32[1,2,8]", "sort_runs n0 run=4 gives=\"keys\" zeros=false : u32[1,2,8]"},
    {false, "u64[1,2,8,3]", "sort_runs n0 run=4 gives=\"keys\" zeros=false : u64[1,2,8,3]"},
    {false, "u32[3,2,8,3]", "sort_runs n0 run=4 gives=\"keys\" zeros=false : u32[3,2,8,3]"},
    {false, "u32[1,2,8,3]", "sort_runs n0 run=4 gives=\"key\" zeros=false : u32[1,2,8,3]"},
    {false, "u32[1,2,8,3]", "sort_runs n0 run=4 gives=\"keys\" zeros=false : u32[2,2,8,3]"},
    {false, "u32[2,2,8,3]", "sort_runs n0 run=4 gives=\"order\" zeros=false : u32[2,2,8,3]"},
    {false, "u32[2,2,8,3]", "sort_runs n0 run=4 gives=\"both\" zeros=false : u32[2,2,8,3]"},
    {false, "u32[1,2,8,3]", "sort_runs n0 run=4 gives=\"keys\" zeros=false : s32[1,2,8,3]"},
    {true, "u32[1,2,8,1]", "merge_runs n0 run=4 gives=\"keys\" zeros=false : u32[1,2,8,1]"},
    {true, "u32[2,2,8,1]", "merge_runs n0 run=4 gives=\"keys\" zeros=false : u32[2,2,8,1]"},
    {true, "u32[2,2,8,1]", "merge_runs n0 run=4 gives=\"both\" zeros=false : u32[2,2,8,1]"},
    {true, "u32[3,2,8,1]", "merge_runs n0 run=4 gives=\"both\" zeros=false : u32[3,2,8,1]"},
    {true, "u32[3,2,8,1]", "merge_runs n0 run=4 gives=\"order\" zeros=false : u32[1,2,8,1]"},
    {false, "u32[1,2,8,1]", "merge_runs n0 run=4 gives=\"both\" zeros=false : u32[1,2,8,1]"},
    {false, "u32[1,2,8,1]", "merge_runs n0 run=4 gives=\"order\" zeros=false : u32[1,2,8,1]"},
    {false, "u32[3,2,8,1]", "merge_runs n0 run=4 gives=\"keys\" zeros=false : u32[3,2,8,1]"},
    {false, "u32[4,2,8,1]", "merge_runs n0 run=4 gives=\"both\" zeros=false : u32[4,2,8,1]"},
    {false, "u32[1,2,8,2]", "merge_runs n0 run=4 gives=\"keys\" zeros=false : u32[1,2,8,2]"},
    {true, "f32[2,8,3]", "scan n0 combine=\"sum\" run=4 reverse=false : f32[2,8,3]"},
    {true, "c64[2,8,3]", "scan n0 combine=\"product\" run=1 reverse=true : c64[2,8,3]"},
    {true, "u8[2,8,3]", "scan n0 combine=\"reduce_max\" run=4 reverse=false : u8[2,8,3]"},
    {false, "c64[2,8,3]", "scan n0 combine=\"reduce_max\" run=4 reverse=false : c64[2,8,3]"},
    {false, "f32[2,8,3]", "scan n0 combine=\"all\" run=4 reverse=false : f32[2,8,3]"},
    {false, "f32[2,8,3]", "scan n0 combine=\"nothing\" run=4 reverse=false : f32[2,8,3]"},
    {false, "f32[2,8,3]", "scan n0 combine=\"sum\" run=0 reverse=false : f32[2,8,3]"},
    {false, "f32[2,8]", "scan n0 combine=\"sum\" run=4 reverse=false : f32[2,8]"},
    {false, "f32[2,8,3]", "scan n0 combine=\"sum\" run=4 reverse=false : f32[2,8,4]"},
    {false, "f32[2,8,3]", "scan n0 combine=\"sum\" run=4 reverse=false : f64[2,8,3]"},
    {true, "u32[9] u32[2,3]", "search n0, n1 : s32[2,3]"},
    {true, "u32[9] u32[]", "search n0, n1 : s32[]"},
    {false, "s32[9] u32[2,3]", "search n0, n1 : s32[2,3]"},
    {false, "u32[9] s32[2,3]", "search n0, n1 : s32[2,3]"},
    {false, "u32[9,1] u32[2,3]", "search n0, n1 : s32[2,3]"},
    {false, "u32[9] u32[2,3]", "search n0, n1 : u32[2,3]"},
    {false, "u32[9] u32[2,3]", "search n0, n1 : s32[2]"},
    {true, "f32[3,5] f32[4,5] u32[4] s32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {true, "f32[3,5] f32[4,5] u32[4] s32[4] f32[2,5]",
     "segment_sum n0, n1, n2, n3, n4 tile=2 : f32[3,5]"},
    {true, "f32[3,5] f32[4,5] u32[4] s32[4] f32[2,5]",
     "segment_sum n0, n1, n2, n3, n4 tile=3 : f32[3,5]"},
    {true, "f32[3,5] f32[4,5] u32[4] s32[4] f32[1,5]",
     "segment_sum n0, n1, n2, n3, n4 tile=4 : f32[3,5]"},
    {true, "f32[3,5] f32[4,5] u32[4] s32[4]",
     "segment_sum n0, n1, n2, n3 tile=1099511627775 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4]", "segment_sum n0, n1, n2, n3 tile=0 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4]",
     "segment_sum n0, n1, n2, n3 tile=1099511627776 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4] f32[1,5]",
     "segment_sum n0, n1, n2, n3, n4 tile=3 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4] f32[3,5]",
     "segment_sum n0, n1, n2, n3, n4 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4] f32[2,4]",
     "segment_sum n0, n1, n2, n3, n4 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4] f64[2,5]",
     "segment_sum n0, n1, n2, n3, n4 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4] f32[2,5,1]",
     "segment_sum n0, n1, n2, n3, n4 tile=2 : f32[3,5]"},
    {false, "f64[3,5] f32[4,5] u32[4] s32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f64[4,5] u32[4] s32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] s32[4] s32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] u32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,6] u32[4] s32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[5] s32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[3]", "segment_sum n0, n1, n2, n3 tile=2 : f32[3,5]"},
    {false, "f32[3,5] f32[4,5] u32[4] s32[4]", "segment_sum n0, n1, n2, n3 tile=2 : f32[4,5]"},
    {true, "f32[2,5,5]", "panel_cholesky n0 inverse=false : f32[2,1,5,5]"},
    {true, "c128[2,5,5]", "panel_cholesky n0 inverse=true : c128[2,2,5,5]"},
    {false, "f32[2,5,4]", "panel_cholesky n0 inverse=false : f32[2,1,5,4]"},
    {false, "f32[2,4,5]", "panel_cholesky n0 inverse=false : f32[2,1,4,5]"},
    {false, "f32[5,5]", "panel_cholesky n0 inverse=false : f32[1,5,5]"},
    {false, "f32[2,5,5]", "panel_cholesky n0 inverse=false : f32[2,5,5]"},
    {false, "f32[2,2,5,5]", "panel_cholesky n0 inverse=false : f32[2,1,5,5]"},
    {false, "f16[2,5,5]", "panel_cholesky n0 inverse=false : f16[2,1,5,5]"},
    {false, "s32[2,5,5]", "panel_cholesky n0 inverse=false : s32[2,1,5,5]"},
    {false, "f32[2,5,5]", "panel_cholesky n0 inverse=true : f32[2,1,5,5]"},
    {false, "f32[2,5,5]", "panel_cholesky n0 inverse=false : f64[2,1,5,5]"},
    {true, "f32[2,5,5] f32[2,5]", "panel_lu n0, n1 : f32[2,10,6]"},
    {true, "f64[2,5,1] f64[2,5]", "panel_lu n0, n1 : f64[2,6,2]"},
    {false, "f32[2,4,5] f32[2,4]", "panel_lu n0, n1 : f32[2,9,6]"},
    {false, "c64[2,5,3] c64[2,5]", "panel_lu n0, n1 : c64[2,8,4]"},
    {false, "f16[2,5,3] f16[2,5]", "panel_lu n0, n1 : f16[2,8,4]"},
    {false, "s32[2,5,3] s32[2,5]", "panel_lu n0, n1 : s32[2,8,4]"},
    {false, "f32[2,1,5,3] f32[2,5]", "panel_lu n0, n1 : f32[2,8,4]"},
    {false, "f32[2,5,3] f64[2,5]", "panel_lu n0, n1 : f32[2,8,4]"},
    {false, "f32[2,5,3] f32[2,3]", "panel_lu n0, n1 : f32[2,8,4]"},
    {false, "f32[2,5,3] f32[2,5,3]", "panel_lu n0, n1 : f32[2,8,4]"},
    {false, "f32[2,5,3] f32[2,5]", "panel_lu n0, n1 : f32[2,8,3]"},
    {false, "f32[2,5,3] f32[2,5]", "panel_lu n0, n1 : f32[2,5,4]"},
    {true, "f32[2,5,5]", "panel_qr n0 : f32[2,10,5]"},
    {true, "f64[2,5,1]", "panel_qr n0 : f64[2,6,1]"},
    {false, "f32[2,4,5]", "panel_qr n0 : f32[2,9,5]"},
    {false, "c64[2,5,3]", "panel_qr n0 : c64[2,8,3]"},
    {false, "f32[5,3]", "panel_qr n0 : f32[8,3]"},
    {false, "f32[2,5,3]", "panel_qr n0 : f32[2,8,4]"},
    {false, "f32[2,5,3]", "panel_qr n0 : f32[2,5,3]"},
    {true, "f32[2,16,16]", "jacobi n0 rows=1 sweeps=1 : f32[2,16,16]"},
    {true, "c64[2,32,32]", "jacobi n0 rows=40 sweeps=2 : c64[2,32,32]"},
    {true, "f64[1,64,64]", "jacobi n0 rows=9 sweeps=15 : f64[1,64,64]"},
    {false, "f32[2,16,16]", "jacobi n0 rows=0 sweeps=1 : f32[2,16,16]"},
    {false, "f32[2,16,16]", "jacobi n0 rows=9 sweeps=0 : f32[2,16,16]"},
    {false, "f32[2,8,8]", "jacobi n0 rows=9 sweeps=1 : f32[2,8,8]"},
    {false, "f32[2,128,128]", "jacobi n0 rows=9 sweeps=1 : f32[2,128,128]"},
    {false, "f32[2,24,24]", "jacobi n0 rows=9 sweeps=1 : f32[2,24,24]"},
    {false, "f32[2,16,32]", "jacobi n0 rows=9 sweeps=1 : f32[2,16,32]"},
    {false, "f32[16,32,16]", "jacobi n0 rows=9 sweeps=1 : f32[16,32,16]"},
    {false, "f32[16,16]", "jacobi n0 rows=9 sweeps=1 : f32[16,16]"},
    {false, "f32[1,1,16,16]", "jacobi n0 rows=9 sweeps=1 : f32[1,1,16,16]"},
    {false, "f16[2,16,16]", "jacobi n0 rows=9 sweeps=1 : f16[2,16,16]"},
    {false, "s32[2,16,16]", "jacobi n0 rows=9 sweeps=1 : s32[2,16,16]"},
    {false, "f32[2,16,16]", "jacobi n0 rows=9 sweeps=1 : f32[2,16,32]"},
    {false, "f32[2,16,16]", "jacobi n0 rows=9 sweeps=1 : f64[2,16,16]"},
    {true, "c64[2,5,3] c64[5]", "fourier n0, n1 axis=1 inverse=false : c64[2,5,3]"},
    {true, "c128[2,5,3] c128[2]", "fourier n0, n1 axis=0 inverse=true : c128[2,5,3]"},
    {false, "c64[2,5,3] c64[5]", "fourier n0, n1 axis=2 inverse=false : c64[2,5,3]"},
    {false, "c64[2,5,3] c64[5]", "fourier n0, n1 axis=3 inverse=false : c64[2,5,3]"},
    {false, "c64[2,5,3] c64[5]", "fourier n0, n1 axis=-1 inverse=false : c64[2,5,3]"},
    {false, "f32[2,5,3] f32[5]", "fourier n0, n1 axis=1 inverse=false : f32[2,5,3]"},
    {false, "c64[2,5,3] c128[5]", "fourier n0, n1 axis=1 inverse=false : c64[2,5,3]"},
    {false, "c64[2,5,3] c64[5,1]", "fourier n0, n1 axis=1 inverse=false : c64[2,5,3]"},
    {false, "c64[2,5,3] c64[5]", "fourier n0, n1 axis=1 inverse=false : c64[2,6,3]"},

    /* ---- contractions ---- */
    {true, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[4,5]"},
    {true, "f32[2,4,3] f32[2,3,5]",
     "dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[0] : f32[2,4,5]"},
    {true, "s8[2,4,3] s8[3,2,4]",
     "dot n0, n1 contract_a=[0,2] batch_a=[1] contract_b=[1,0] batch_b=[2] : s8[4]"},
    {true, "f32[1,1,1,1] f32[1,1,1,1]",
     "dot n0, n1 contract_a=[] batch_a=[] contract_b=[] batch_b=[] : f32[1,1,1,1,1,1,1,1]"},
    {false, "f32[1,1,1,1,1] f32[1,1,1,1]",
     "dot n0, n1 contract_a=[] batch_a=[] contract_b=[] batch_b=[] : f32[1,1,1,1,1,1,1,1]"},
    {false, "f32[4,3] f64[3,5]",
     "dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[4,5]"},
    {false, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f64[4,5]"},
    {false, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[4,3]"},
    {false, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[3,5]"},
    {false, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[1] batch_a=[] contract_b=[] batch_b=[] : f32[4,3,5]"},
    {false, "f32[2,4,3] f32[2,3,5]",
     "dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[] : f32[2,4,2,5]"},
    {false, "f32[2,4,3] f32[7,3,5]",
     "dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[0] : f32[2,4,5]"},
    {false, "f32[3,4,3] f32[3,3,5]",
     "dot n0, n1 contract_a=[2] batch_a=[2] contract_b=[1] batch_b=[0] : f32[3,4,5]"},
    {false, "f32[3,4,3] f32[3,3,5]",
     "dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[1] : f32[3,4,5]"},
    {false, "f32[3,2,4] f32[2,3,4]",
     "dot n0, n1 contract_a=[2] batch_a=[1,0] contract_b=[2] batch_b=[0,1] : f32[2,3]"},
    {false, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[2] batch_a=[] contract_b=[0] batch_b=[] : f32[4,5]"},
    {false, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[-1] batch_a=[] contract_b=[0] batch_b=[] : f32[4,5]"},
    {false, "f32[3,3] f32[3,3]",
     "dot n0, n1 contract_a=[1,1] batch_a=[] contract_b=[0,1] batch_b=[] : f32[3]"},
    {false, "f32[4,3] f32[3,5]",
     "dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[5,4]"},
    {true, "f32[2,3,3] f32[2,3,4]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[2,3,4]"},
    {true, "f32[2,3,3] f32[2,4,3]",
     "triangular_solve n0, n1 lower=true left_side=false transform=\"transpose\" : f32[2,4,3]"},
    {true, "c64[2,3,3] c64[2,3]",
     "triangular_solve n0, n1 lower=false left_side=false transform=\"conjugate\" : c64[2,3]"},
    {true, "f32[3,3] f32[3]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[3]"},
    {false, "f32[2,3,3] f32[2,4,3]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[2,4,3]"},
    {false, "f32[2,3,3] f32[2,3,4]",
     "triangular_solve n0, n1 lower=true left_side=false transform=\"none\" : f32[2,3,4]"},
    {false, "f32[2,3,3] f32[2,4]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[2,4]"},
    {false, "f32[2,3,3] f32[5,3,4]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[5,3,4]"},
    {false, "f32[3,3] f32[]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[]"},
    {false, "f32[3,3] f32[3,3,3]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[3,3,3]"},
    {false, "f32[3,4] f32[3,4]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[3,4]"},
    {false, "f32[3] f32[3]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f32[3]"},
    {false, "s32[3,3] s32[3]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : s32[3]"},
    {false, "f32[3,3] f64[3]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"none\" : f64[3]"},
    {false, "f32[3,3] f32[3]",
     "triangular_solve n0, n1 lower=true left_side=true transform=\"n\" : f32[3]"},
    {true, "bf16[2,5]", "sort n0 axis=1 descending=true stable=false : bf16[2,5]"},
    {true, "u8[2,5]", "argsort n0 axis=0 descending=false stable=false : u64[2,5]"},
    {false, "f32[2,5]", "sort n0 axis=2 descending=true stable=false : f32[2,5]"},
    {false, "f32[2,5]", "sort n0 axis=-1 descending=true stable=false : f32[2,5]"},
    {false, "f32[]", "sort n0 axis=0 descending=true stable=false : f32[]"},
    {false, "c64[2,5]", "sort n0 axis=1 descending=true stable=false : c64[2,5]"},
    {false, "c64[2,5]", "argsort n0 axis=1 descending=true stable=false : s32[2,5]"},
    {false, "f32[2,5]", "sort n0 axis=1 descending=true stable=false : f64[2,5]"},
    {false, "f32[2,5]", "argsort n0 axis=1 descending=true stable=false : f32[2,5]"},
    {false, "f32[2,5]", "argsort n0 axis=1 descending=true stable=false : s32[2,4]"},
    {true, "f32[2,5]", "fft n0 axis=1 length=1 : c64[2,1]"},
    {true, "c64[2,5]", "ifft n0 axis=0 length=7 : c128[7,5]"},
    {false, "f32[2,5]", "fft n0 axis=2 length=5 : c64[2,5]"},
    {false, "f32[2,5]", "fft n0 axis=-1 length=5 : c64[2,5]"},
    {false, "f32[2,5]", "fft n0 axis=1 length=0 : c64[2,1]"},
    {false, "f32[2,5]", "fft n0 axis=1 length=1099511627776 : c64[2,1]"},
    {false, "f32[2,5]", "fft n0 axis=1 length=5 : f32[2,5]"},
    {false, "f32[2,5]", "fft n0 axis=1 length=4 : c64[2,5]"},

    /* ---- folds ---- */
    {true, "s32[2,5] s32[]",
     "reduce n0, n1 axes=[1] keep=false regions=[f1] : s32[2]\nreturn n9\n}\n" ADD},
    {true, "s32[2,5] s32[]",
     "reduce n0, n1 axes=[0] keep=true regions=[f1] : s32[1,5]\nreturn n9\n}\n" ADD},
    {false, "s32[2,5] s32[]",
     "reduce n0, n1 axes=[1] keep=true regions=[f1] : s32[2]\nreturn n9\n}\n" ADD},
    {false, "s32[2,5] s32[1]",
     "reduce n0, n1 axes=[1] keep=false regions=[f1] : s32[2]\nreturn n9\n}\n" ADD},
    {false, "s32[2,5] s8[]",
     "reduce n0, n1 axes=[1] keep=false regions=[f1] : s32[2]\nreturn n9\n}\n" ADD},
    {false, "s8[2,5] s8[]",
     "reduce n0, n1 axes=[1] keep=false regions=[f1] : s8[2]\nreturn n9\n}\n" ADD},
    {false, "s32[2,5] s32[]",
     "reduce n0, n1 axes=[2] keep=false regions=[f1] : s32[2]\nreturn n9\n}\n" ADD},
    {false, "s32[2,5] s32[]",
     "reduce n0, n1 axes=[1,0] keep=false regions=[f1] : s32[]\nreturn n9\n}\n" ADD},
};

static void check_rule(struct check *c, const struct rule *r)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    struct str head, body;
    uint32_t count = 0;
    d = (struct diag){0};
    arena_init(&a, 0);
    str_init(&head, &a);
    str_init(&body, &a);
    for (const char *p = r->inputs; *p; count++) {
        int n = (int)strcspn(p, " ");
        str_printf(&head, "%s%.*s", count ? ", " : "", n, p);
        str_printf(&body, "n%u = parameter index=%u : %.*s\n", count, count, n, p);
        p += n + (p[n] == ' ');
    }
    const char *end = strchr(r->node, '\n') ? "" : "\nreturn n9\n}\n";
    const char *text =
        arena_printf(&a, "graph \"\" entry=f0 callbacks=0\nfunc f0(%s) {\n%sn9 = %s%s",
                     str_text(&head), str_text(&body), r->node, end);
    bool holds = ir_parse(&a, text, strlen(text), &g, &d);
    check_that(c, holds == r->holds && (holds || strncmp(d.message, "n9 ", 3) == 0), "%s: %s: %s",
               r->inputs, r->node, holds ? "is taken" : d.message);
    arena_finish(&a);
}

int main(void)
{
    struct check c = {0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (check_wanted(&c, rules[i].node))
            check_rule(&c, &rules[i]);
    return check_finish(&c);
}
