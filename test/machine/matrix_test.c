/* Products of f16, bf16 and f32 whose kernels have a body on matrix units: each way that operands
   lie, sizes at and around those of matrices, tiles and bands, what is fused before and after, and
   the edges of the types. Both bodies are run, by the machine of this folder, and compared with the
   interpreter. Usage: matrix_test [NAME], where names may be parts. */
#include <math.h>

#include "../e2e/e2e.h"
#include "interp/interp_impl.h"
#include "machine_check.h"

static const char *const types[] = {"f16", "bf16", "f32"};
enum { F32 = 2, TYPES = sizeof types / sizeof *types };

/* ---- inputs ---- */

/* WHOLE: small numbers, whose products' sums are whole numbers that every type has: the bits must
   be the same. The rule for rounded sums allows for sums of bf16, which may be off by more than a
   product. EDGES: few, so that few results are not compared. */
enum filling {
    WHOLE,
    ORDINARY,
    SMALL,
    EDGES,
    /* Of f32, which the halves of 11 bits have scales for: more powers of two than f16 has; what
       grows, or begins, behind the first tile; what no scale is for. */
    WIDE,
    GROWING,
    LATE,
    TINY,
    HUGE,
    /* A few that are too small, all over, and a row of 0; a row, a column of such; a few in some
       rows, and one column is too large. */
    FEW,
    SMALL_ROW,
    SMALL_COLUMN,
    FEW_AND_LARGE
};

enum { SMALL_LINE = 71, ZERO_LINE = 3 };

static double few(enum filling how, uint32_t input, int64_t row, int64_t column, double unit)
{
    bool is_few = (how == FEW && (row * 41 + column * 17) % 257 == 9) ||
                  (how == FEW_AND_LARGE && !input && row < 64 && column == 100),
         is_line = (how == SMALL_ROW && !input && row == SMALL_LINE) ||
                   (how == SMALL_COLUMN && input && column == SMALL_LINE);
    if (how == FEW && !input && row == ZERO_LINE)
        return 0;
    if (how == FEW_AND_LARGE && input && column == SMALL_LINE && row == 150)
        return ldexp(unit, 40);
    return is_few || is_line ? ldexp(unit, -34) : unit;
}

static const double edges[] = {INFINITY, -INFINITY, NAN,      -0.0,       0.0,
                               65504,    0x1p-24,   -0x1p-24, 0x1.ff8p-15};

static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    const enum filling how = *(const enum filling *)context;
    (void)set;
    int64_t size = shape_size(&x->tensor.shape);
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits = *random += 0x9e3779b97f4a7c15u;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
        double unit = (double)(bits >> 11) * 0x1p-52 - 1;
        union number n = {.f = how == SMALL ? ldexp(unit, -14) : unit};
        int64_t columns = x->tensor.shape.rank == 2 ? x->tensor.shape.dim[1] : 1,
                at = input ? i / columns : i % columns; /* along k, of plain products */
        if (how == WIDE)
            n.f = ldexp(unit, (int)(bits >> 40 & 63) - 32);
        if (how == GROWING)
            n.f = ldexp(unit, (int)(at / 4) % 24);
        if (how == LATE)
            n.f = at < 40 ? 0 : unit;
        if (how == TINY || how == HUGE)
            n.f = ldexp(unit, how == HUGE ? 55 : input ? 0 : -58);
        if (how == WHOLE)
            n.f = input ? (double)((bits >> 32) % 3) - 1 : (double)((bits >> 32) % 5) - 2;
        if (how == EDGES && i % 997 == 5)
            n.f = edges[(size_t)(i / 997) % (sizeof edges / sizeof *edges)];
        if (how == EDGES && i % 7 == 3)
            n.f = ldexp(unit, -15);
        if (how >= FEW)
            n.f = few(how, input, i / columns, i % columns, unit);
        if (type_is_int(x->tensor.type))
            n.u = bits >> 32 & 1;
        number_store(x->tensor.type, x->data, i, n);
    }
}

/* Bodies that a case must have: one on matrix units, or none; one of plain code. `units`: of the
   device that tiles are chosen for, 1 if not given. */
struct bodies {
    bool matrices, plain;
    int64_t units;
};

static void check_counted(struct machine_check *m, const char *name, const char *params,
                          const char *nodes, enum filling how, struct bodies bodies,
                          struct machine_counts *counts)
{
    char text[4096];
    if (!check_wanted(&m->check, name))
        return;
    machine_graph_text(text, sizeof text, name, params, nodes, false);
    int64_t compared = m->compared, loose = m->loose;
    machine_compare(m, &(struct machine_case){.name = name,
                                              .graph = text,
                                              .target = "nvidia",
                                              .units = bodies.units ? (uint32_t)bodies.units : 1,
                                              .matrices = bodies.matrices,
                                              .no_matrices = !bodies.matrices,
                                              .plain = bodies.plain,
                                              .exact = how == WHOLE,
                                              .fill = fill,
                                              .context = &how,
                                              .counts = counts});
    compared = m->compared - compared, loose = m->loose - loose;
    const struct e2e_caps caps = E2E_CAPS;
    check_that(&m->check,
               (double)loose <=
                   (how == EDGES ? caps.edges : caps.plain) * (double)(loose + compared),
               "%s: %lld of %lld elements depend on rounding", name, (long long)loose,
               (long long)(loose + compared));
}

static void check(struct machine_check *m, const char *name, const char *params, const char *nodes,
                  enum filling how, struct bodies bodies)
{
    check_counted(m, name, params, nodes, how, bodies, NULL);
}

/* ---- sizes ---- */

/* Which axis of an operand is contracted: the last of the left and the first of the right, where
   neither is turned. */
static void check_product(struct machine_check *m, const char *type, const int64_t size[4],
                          bool turns_a, bool turns_b, struct bodies bodies)
{
    char name[128], params[128], nodes[256], batch[24] = "", axis[8] = "";
    long long b = size[0], rows = size[1], columns = size[2], k = size[3];
    if (b > 1) {
        snprintf(batch, sizeof batch, "%lld,", b);
        snprintf(axis, sizeof axis, "0");
    }
    snprintf(name, sizeof name, "%s %lld x %lld x %lld x %lld%s%s", type, b, rows, columns, k,
             turns_a ? ", left turned" : "", turns_b ? ", right turned" : "");
    snprintf(params, sizeof params, "%s[%s%lld,%lld] %s[%s%lld,%lld]", type, batch,
             turns_a ? k : rows, turns_a ? rows : k, type, batch, turns_b ? columns : k,
             turns_b ? k : columns);
    snprintf(nodes, sizeof nodes,
             "n2 = dot n0, n1 contract_a=[%d] batch_a=[%s] contract_b=[%d] batch_b=[%s] : "
             "%s[%s%lld,%lld]\n return n2",
             (b > 1) + !turns_a, axis, (b > 1) + turns_b, axis, type, batch, rows, columns);
    check(m, name, params, nodes, WHOLE, bodies);
}

/* Batch, m, n and k. */
static const struct {
    int64_t size[4];
    /* SOME: one type, one of the ways that operands lie. EACH: each way, a type. ALL: all types,
       each way. TYPES_ALL: all types, one of the ways. PLAIN: the same, and no body on matrix
       units. SHORT: the same, and only f32 has no such body. APART: those of 16 bits, a matrix of
       the batch for each unit of the device. */
    enum { SOME, EACH, ALL, TYPES_ALL, PLAIN, SHORT, APART } how;
} sizes[] = {
    {{1, 192, 192, 64}, SOME}, /* whole tiles */
    {{1, 160, 176, 96}, SOME}, /* of m and n, of matrices only */
    {{1, 168, 152, 88}, ALL},  /* of eights only */
    {{1, 161, 163, 83}, EACH}, /* of nothing */
    {{1, 164, 166, 82}, SOME},
    {{1, 256, 256, 32}, SOME}, /* k is one step; least work */
    {{1, 255, 256, 32}, PLAIN},
    {{1, 264, 260, 33}, SOME},
    {{1, 272, 260, 31}, PLAIN},
    {{1, 32, 1024, 72}, SOME},
    {{1, 31, 1024, 72}, TYPES_ALL},
    {{1, 1030, 33, 65}, SOME},
    {{1, 1030, 31, 72}, TYPES_ALL},
    {{1, 11, 4096, 264}, TYPES_ALL},
    {{1, 10, 4096, 264}, SHORT},
    {{1, 4, 4096, 264}, PLAIN},
    {{1, 5, 4096, 264}, SHORT}, /* in tiles of 32 x 128 */
    {{1, 17, 1100, 130}, TYPES_ALL},
    {{1, 1101, 17, 131}, TYPES_ALL},
    {{1, 4096, 11, 265}, TYPES_ALL},
    {{1, 4096, 10, 264}, SHORT},
    {{1, 4096, 5, 265}, SHORT}, /* in tiles of 128 x 32 */
    {{1, 4096, 4, 264}, PLAIN},
    {{4, 128, 128, 72}, APART}, /* in tiles of 128 x 128 x 64 */
    {{2, 121, 127, 137}, APART},
    {{1, 63, 512, 72}, SOME},
    {{1, 64, 513, 64}, SOME},
    {{1, 65, 511, 72}, SOME},
    {{1, 127, 257, 71}, SOME},
    {{1, 128, 256, 64}, SOME},
    {{1, 129, 255, 73}, SOME},
    {{1, 520, 72, 63}, SOME}, /* tiles of 64 x 64: bands of 8 rows, and what is left */
    {{1, 577, 65, 64}, SOME},
    {{1, 1030, 65, 40}, SOME},
    {{3, 96, 96, 80}, SOME},
    {{1, 136, 168, 1160}, TYPES_ALL}, /* more than matrix_short steps, of 32 and of 64, odd */
    {{1, 136, 168, 1090}, TYPES_ALL}, /* even */
    {{5, 65, 90, 81}, SOME},
    {{9, 577, 33, 32}, SOME},
    /* tiles of 64 x 128, 128 x 128, 128 x 256 */
    {{25, 65, 130, 33}, SOME},
    {{132, 65, 68, 32}, SOME},
    {{264, 65, 129, 32}, SOME},
};

static void check_sizes(struct machine_check *m)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t way = 0; way < 4; way++)
            for (size_t t = 0; t < TYPES; t++) {
                const struct bodies bodies = {
                    .matrices = sizes[i].how != PLAIN && (sizes[i].how != SHORT || t != F32),
                    .plain = sizes[i].how == EACH && way == 2,
                    .units = sizes[i].how == APART ? sizes[i].size[0] : 1};
                bool is_one = sizes[i].how >= TYPES_ALL ? sizes[i].how != APART || t != F32
                                                        : t == (i + i / 4) % TYPES;
                if (sizes[i].how == ALL || (sizes[i].how == EACH && t == way % TYPES) ||
                    (way == i % 4 && is_one))
                    check_product(m, types[t], sizes[i].size, way & 1, way >> 1, bodies);
            }
}

/* ---- what is computed before and after ---- */

/* $ is the type, # its zero. */
struct fused {
    const char *name, *params, *nodes;
    enum filling filling;
};

#define DOT "contract_a=[1] batch_a=[] contract_b=[0] batch_b=[]"

static const struct fused fused[] = {
    {"exp of an operand", "$[160,96] $[96,168]",
     "n2 = exp n0 : $[160,96]\n n3 = dot n2, n1 " DOT " : $[160,168]\n return n3", ORDINARY},
    {"both operands cast", "f32[161,96] f32[96,168]",
     "n2 = as_type n0 : $[161,96]\n n3 = as_type n1 : $[96,168]\n n4 = dot n2, n3 " DOT
     " : $[161,168]\n return n4",
     ORDINARY},
    {"bytes cast", "u8[160,96] $[96,168]",
     "n2 = as_type n0 : $[160,96]\n n4 = dot n2, n1 " DOT " : $[160,168]\n return n4", WHOLE},
    {"transposed", "$[96,160] $[168,96]",
     "n2 = transpose n0 axes=[1,0] : $[160,96]\n n3 = transpose n1 axes=[1,0] : $[96,168]\n"
     " n4 = dot n2, n3 " DOT " : $[160,168]\n return n4",
     WHOLE},
    {"reversed", "$[160,96] $[96,168]",
     "n2 = reverse n0 axes=[1] : $[160,96]\n n3 = reverse n1 axes=[1] : $[96,168]\n"
     " n4 = dot n2, n3 " DOT " : $[160,168]\n return n4",
     WHOLE},
    {"sliced", "$[170,100] $[200,170]",
     "n2 = slice n0 starts=[3,2] lengths=[160,96] strides=[1,1] : $[160,96]\n"
     " n3 = slice n1 starts=[8,1] lengths=[191,168] strides=[2,1] : $[96,168]\n"
     " n4 = dot n2, n3 " DOT " : $[160,168]\n return n4",
     WHOLE},
    {"sliced by eights", "$[170,112] $[100,176]",
     "n2 = slice n0 starts=[3,8] lengths=[160,96] strides=[1,1] : $[160,96]\n"
     " n3 = slice n1 starts=[2,8] lengths=[96,168] strides=[1,1] : $[96,168]\n"
     " n4 = dot n2, n3 " DOT " : $[160,168]\n return n4",
     WHOLE},
    {"padded", "$[150,90] $[96,168] $[]",
     "n3 = pad n0, n2 lo=[4,3] hi=[6,3] interior=[0,0] : $[160,96]\n n4 = dot n3, n1 " DOT
     " : $[160,168]\n return n4",
     WHOLE},
    {"reshaped", "$[40,4,96] $[8,12,168]",
     "n2 = reshape n0 : $[160,96]\n n3 = reshape n1 : $[96,168]\n n4 = dot n2, n3 " DOT
     " : $[160,168]\n return n4",
     WHOLE},
    {"broadcast", "$[96] $[96,168]",
     "n2 = broadcast n0 axes=[1] : $[160,96]\n n3 = dot n2, n1 " DOT " : $[160,168]\n return n3",
     WHOLE},
    {"one operand twice", "$[160,160]",
     "n1 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : $[160,160]\n return n1",
     WHOLE},
    {"two contracted axes", "$[8,160,12] $[12,168,8]",
     "n2 = dot n0, n1 contract_a=[0,2] batch_a=[] contract_b=[2,0] batch_b=[] : $[160,168]\n "
     "return n2",
     WHOLE},
    {"bias and relu", "$[160,96] $[96,168] $[168]",
     "n3 = dot n0, n1 " DOT " : $[160,168]\n n4 = broadcast n2 axes=[1] : $[160,168]\n"
     " n5 = add n3, n4 : $[160,168]\n n6 = constant bits=# : $[]\n"
     " n7 = broadcast n6 axes=[] : $[160,168]\n n8 = max n5, n7 : $[160,168]\n return n8",
     WHOLE},
    {"a residual", "$[161,96] $[96,167] $[161,167]",
     "n3 = dot n0, n1 " DOT " : $[161,167]\n n4 = add n3, n2 : $[161,167]\n return n4", WHOLE},
    {"a residual by four", "$[161,96] $[96,164] $[161,164]",
     "n3 = dot n0, n1 " DOT " : $[161,164]\n n4 = add n3, n2 : $[161,164]\n return n4", WHOLE},
    {"a result transposed", "$[160,96] $[96,168]",
     "n2 = dot n0, n1 " DOT " : $[160,168]\n n3 = transpose n2 axes=[1,0] : $[168,160]\n"
     " n4 = negate n3 : $[168,160]\n return n4",
     WHOLE},
    {"a result sliced", "$[160,96] $[96,168]",
     "n2 = dot n0, n1 " DOT
     " : $[160,168]\n n3 = slice n2 starts=[1,3] lengths=[150,160] strides=[1,1] : "
     "$[150,160]\n return n3",
     WHOLE},
    {"two results", "$[160,96] $[96,168]",
     "n2 = dot n0, n1 " DOT " : $[160,168]\n n3 = negate n2 : $[160,168]\n"
     " n4 = tanh n2 : $[160,168]\n return n3, n4",
     ORDINARY},
    {"a result and it in f32", "$[161,96] $[96,166]",
     "n2 = dot n0, n1 " DOT " : $[161,166]\n n3 = as_type n2 : f32[161,166]\n return n2, n3",
     WHOLE},
    {"f32", "$[160,96] $[96,168] f32[160,168]",
     "n3 = dot n0, n1 " DOT " : $[160,168]\n n4 = as_type n3 : f32[160,168]\n"
     " n5 = add n4, n2 : f32[160,168]\n return n5",
     WHOLE},
    {"bytes", "$[160,96] $[96,168]",
     "n2 = dot n0, n1 " DOT " : $[160,168]\n n3 = is_nan n2 : u8[160,168]\n return n3", EDGES},
    {"a scalar beside", "$[160,96] $[96,168] $[]",
     "n3 = dot n0, n1 " DOT " : $[160,168]\n n4 = exp n2 : $[]\n n5 = broadcast n4 axes=[] : "
     "$[160,168]\n n6 = add n3, n5 : $[160,168]\n return n6, n4",
     ORDINARY},
    {"a chain", "$[160,96] $[96,168] $[168,160]",
     "n3 = dot n0, n1 " DOT " : $[160,168]\n n4 = dot n3, n2 " DOT " : $[160,160]\n return n4",
     ORDINARY},
    {"edges", "$[168,96] $[96,169]", "n2 = dot n0, n1 " DOT " : $[168,169]\n return n2", EDGES},
    {"edges of one side", "$[168,128] f32[128,168]",
     "n2 = as_type n1 : $[128,168]\n n3 = dot n0, n2 " DOT " : $[168,168]\n return n3", EDGES},
    {"subnormal", "$[168,96] $[96,168]", "n2 = dot n0, n1 " DOT " : $[168,168]\n return n2", SMALL},
    {"conv, channels first", "$[2,8,24,24] $[40,8,3,3]",
     "n2 = conv n0, n1 strides=[1,1] lo=[1,1] hi=[1,1] input_dilation=[1,1] kernel_dilation=[1,1] "
     "feature_groups=1 batch_groups=1 input_permutation=[0,1,2,3] kernel_permutation=[0,1,2,3] "
     "output_permutation=[0,1,2,3] : $[2,40,24,24]\n return n2",
     WHOLE},
    {"conv, channels last", "$[2,24,24,8] $[40,8,3,3]",
     "n2 = conv n0, n1 strides=[1,1] lo=[1,1] hi=[1,1] input_dilation=[1,1] kernel_dilation=[1,1] "
     "feature_groups=1 batch_groups=1 input_permutation=[0,3,1,2] kernel_permutation=[0,1,2,3] "
     "output_permutation=[0,3,1,2] : $[2,24,24,40]\n return n2",
     WHOLE},
    {"conv in strides", "$[3,6,33,34] $[48,6,3,4]",
     "n2 = conv n0, n1 strides=[2,1] lo=[1,2] hi=[0,1] input_dilation=[1,1] kernel_dilation=[1,1] "
     "feature_groups=1 batch_groups=1 input_permutation=[0,1,2,3] kernel_permutation=[0,1,2,3] "
     "output_permutation=[0,1,2,3] : $[3,48,16,34]\n return n2",
     WHOLE},
};

static void put_type(char *out, size_t size, const char *text, const char *type)
{
    size_t at = 0;
    for (; *text && at + 8 < size; text++)
        if (*text == '$')
            at += (size_t)snprintf(out + at, size - at, "%s", type);
        else if (*text == '#')
            at += (size_t)snprintf(out + at, size - at, strcmp(type, "f32") ? "0000" : "00000000");
        else
            out[at++] = *text;
    out[at] = '\0';
}

static void check_fused(struct machine_check *m)
{
    for (size_t i = 0; i < sizeof fused / sizeof *fused; i++)
        for (size_t t = 0; t < TYPES; t++) {
            bool all = fused[i].filling > ORDINARY || strstr(fused[i].params, "[168]");
            char name[128], params[256], nodes[2048];
            snprintf(name, sizeof name, "%s, %s", fused[i].name, types[t]);
            put_type(params, sizeof params, fused[i].params, types[t]);
            put_type(nodes, sizeof nodes, fused[i].nodes, types[t]);
            if (all || i % TYPES == t)
                check(m, name, params, nodes, fused[i].filling,
                      (struct bodies){.matrices = true, .plain = i % 8 == 4 * (t % 2)});
        }
}

/* ---- rows that are reduced where they are made ---- */

/* Several tiles of columns, of which none, some or all are whole; what is first or last of equals;
   something else of each row; what follows for each row, or beside. */
static const struct fused reduced[] = {
    {"the nearest", "$[160,96] $[96,256] $[256] $[160]",
     "n4 = dot n0, n1 " DOT " : $[160,256]\n n5 = broadcast n3 axes=[0] : $[160,256]\n"
     " n6 = subtract n5, n4 : $[160,256]\n n7 = broadcast n2 axes=[1] : $[160,256]\n"
     " n8 = add n6, n7 : $[160,256]\n"
     " n9 = argmin n8 axis=1 tie_break=\"low\" keep=false : s32[160]\n return n9",
     WHOLE},
    {"the last of the greatest", "$[161,96] $[96,167]",
     "n2 = dot n0, n1 " DOT " : $[161,167]\n"
     " n3 = argmax n2 axis=1 tie_break=\"high\" keep=true : s32[161,1]\n return n3",
     WHOLE},
    {"greatest, least and sum", "$[161,96] $[96,140]",
     "n2 = dot n0, n1 " DOT " : $[161,140]\n n3 = reduce_max n2 axes=[1] keep=false : $[161]\n"
     " n4 = reduce_min n2 axes=[1] keep=false : $[161]\n n5 = negate n2 : $[161,140]\n"
     " n6 = sum n5 axes=[1] keep=false : $[161]\n n7 = is_nan n2 : u8[161,140]\n"
     " n8 = any n7 axes=[1] keep=false : u8[161]\n n9 = add n3, n4 : $[161]\n"
     " return n9, n6, n8",
     WHOLE},
    {"few columns", "$[1030,64] $[64,36]",
     "n2 = dot n0, n1 " DOT " : $[1030,36]\n n3 = reduce_max n2 axes=[1] keep=false : $[1030]\n"
     " return n3",
     WHOLE},
    {"doubles", "$[161,96] $[96,168]",
     "n2 = dot n0, n1 " DOT " : $[161,168]\n n3 = as_type n2 : f64[161,168]\n"
     " n4 = sum n3 axes=[1] keep=false : f64[161]\n n5 = as_type n2 : s64[161,168]\n"
     " n6 = product n5 axes=[1] keep=false : s64[161]\n return n4, n6",
     WHOLE},
    {"edges in rows", "$[168,96] $[96,169]",
     "n2 = dot n0, n1 " DOT " : $[168,169]\n"
     " n3 = argmin n2 axis=1 tie_break=\"high\" keep=false : s32[168]\n"
     " n4 = reduce_max n2 axes=[1] keep=false : $[168]\n n5 = as_type n2 : f32[168,169]\n"
     " n6 = sum n5 axes=[1] keep=false : f32[168]\n return n3, n4, n6",
     EDGES},
    {"rows of two matrices", "$[2,130,96] $[2,96,88]",
     "n2 = dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[1] batch_b=[0] : $[2,130,88]\n"
     " n3 = sum n2 axes=[2] keep=false : $[2,130]\n n4 = negate n3 : $[2,130]\n return n3, n4",
     WHOLE},
    {"functions of each", "$[161,96] $[96,168] $[]",
     "n3 = dot n0, n1 " DOT " : $[161,168]\n n4 = as_type n3 : f32[161,168]\n"
     " n5 = exp n4 : f32[161,168]\n n6 = sum n5 axes=[1] keep=false : f32[161]\n"
     " n7 = negate n2 : $[]\n return n6, n7",
     ORDINARY},
    {"too small in rows", "$[160,160] $[160,168]",
     "n2 = dot n0, n1 " DOT " : $[160,168]\n"
     " n3 = argmax n2 axis=1 tie_break=\"low\" keep=false : s32[160]\n"
     " n4 = sum n2 axes=[1] keep=false : $[160]\n return n3, n4",
     SMALL_ROW},
    {"no scale for rows", "f32[160,160] f32[160,168]",
     "n2 = dot n0, n1 " DOT " : f32[160,168]\n"
     " n3 = argmax n2 axis=1 tie_break=\"low\" keep=false : s32[160]\n"
     " n4 = reduce_min n2 axes=[1] keep=false : f32[160]\n return n3, n4",
     TINY},
};

/* Of all their rows, three results; the elements of any of the products are more, in fours. */
enum { MOST_STORES = 3 * 1030 };

/* Both bodies, which do not store the product. */
static void check_reduced(struct machine_check *m)
{
    for (size_t i = 0; i < sizeof reduced / sizeof *reduced; i++)
        for (size_t t = 0; t < TYPES; t++) {
            const struct fused *f = &reduced[i];
            bool is_of_f32 = f->filling >= SMALL && f->filling != EDGES;
            char name[128], params[256], nodes[2048];
            struct machine_counts counts = {0};
            snprintf(name, sizeof name, "%s, %s", f->name, types[t]);
            put_type(params, sizeof params, f->params, types[t]);
            put_type(nodes, sizeof nodes, f->nodes, types[t]);
            if (is_of_f32 && t != F32)
                continue;
            check_counted(m, name, params, nodes, f->filling,
                          (struct bodies){.matrices = true, .plain = true}, &counts);
            check_that(&m->check, counts.stores <= MOST_STORES, "%s: %llu stores", name,
                       (unsigned long long)counts.stores);
        }
}

static void check_scales(struct machine_check *m)
{
    static const struct {
        const char *name;
        enum filling how;
    } scales[] = {
        {"wide", WIDE}, {"growing", GROWING}, {"late", LATE}, {"tiny", TINY}, {"huge", HUGE}};
    /* of several matrices a tile, and of one */
    static const int rows[] = {160, 16, 1544}, columns[] = {168, 1544, 16};
    for (size_t i = 0; i < 3 * (sizeof scales / sizeof *scales); i++) {
        char name[64], params[64], nodes[128];
        int of = rows[i % 3], by = columns[i % 3];
        snprintf(name, sizeof name, "f32, %s, %d x %d", scales[i / 3].name, of, by);
        snprintf(params, sizeof params, "f32[%d,160] f32[160,%d]", of, by);
        snprintf(nodes, sizeof nodes, "n2 = dot n0, n1 " DOT " : f32[%d,%d]\n return n2", of, by);
        check(m, name, params, nodes, scales[i / 3].how, (struct bodies){.matrices = true});
    }
}

/* Each of the nine tiles of a product loads its operands once, in five steps and the last of them
   again; once more to look at what is too small, and once more for the product by fma. */
static void check_turns(struct machine_check *m)
{
    enum { TILES = 9, STEPS = 5 };
    static const struct {
        const char *name;
        enum filling how;
        uint32_t more; /* turns, of all tiles together */
    } turns[] = {{"ordinary", ORDINARY, 0},
                 {"a few small", FEW, TILES},
                 {"a small row", SMALL_ROW, 3 * 2},
                 {"a small column", SMALL_COLUMN, 3 * 2},
                 {"a few small, and a large one", FEW_AND_LARGE, 2 + 3},
                 {"no scale for one side", TINY, TILES * 2}};
    uint64_t each = 0;
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        char name[64];
        struct machine_counts counts = {0};
        snprintf(name, sizeof name, "f32, turns, %s", turns[i].name);
        check_counted(m, name, "f32[192,160] f32[160,192]",
                      "n2 = dot n0, n1 " DOT " : f32[192,192]\n return n2", turns[i].how,
                      (struct bodies){.matrices = true}, &counts);
        each = i ? each : counts.loads / (TILES * (STEPS + 1));
        uint64_t loads = each * (TILES * (STEPS + 1) + turns[i].more * STEPS);
        check_that(&m->check, counts.loads == loads, "%s: %llu loads, not %llu", name,
                   (unsigned long long)counts.loads, (unsigned long long)loads);
    }
}

/* Products of f32 whose operands were of 16 bits: those are what is loaded and multiplied, once. */
static void check_widened(struct machine_check *m)
{
    static const char narrow[] = "n2 = dot n0, n1 " DOT " : $[160,168]\n return n2",
                      widened[] = "n2 = as_type n0 : f32[160,96]\n n3 = as_type n1 : f32[96,168]\n"
                                  " n4 = dot n2, n3 " DOT " : f32[160,168]\n return n4";
    static const struct {
        const char *name, *params, *nodes;
        enum filling filling;
        bool is_narrow; /* as many loads as the product of 16 bits has */
    } cases[] = {
        {"the product of 16 bits", "$[160,96] $[96,168]", narrow, WHOLE, true},
        {"widened", "$[160,96] $[96,168]", widened, ORDINARY, true},
        {"widened, edges", "$[160,96] $[96,168]", widened, EDGES, true},
        {"widened and rounded", "$[160,96] $[96,168]",
         "n2 = as_type n0 : f32[160,96]\n n3 = as_type n1 : f32[96,168]\n n4 = dot n2, n3 " DOT
         " : f32[160,168]\n n5 = as_type n4 : $[160,168]\n return n5",
         WHOLE, true},
        {"one widened", "$[160,96] f32[96,168]",
         "n2 = as_type n0 : f32[160,96]\n n3 = dot n2, n1 " DOT " : f32[160,168]\n return n3",
         ORDINARY, false},
        {"what was widened is scaled", "$[160,96] $[96,168] f32[]",
         "n3 = as_type n0 : f32[160,96]\n n4 = as_type n1 : f32[96,168]\n"
         " n5 = broadcast n2 axes=[] : f32[160,96]\n n6 = multiply n3, n5 : f32[160,96]\n"
         " n7 = dot n6, n4 " DOT " : f32[160,168]\n return n7",
         ORDINARY, false},
    };
    for (size_t t = 0; t < 2; t++) {
        uint64_t loads = 0;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char name[64], params[64], nodes[512];
            struct machine_counts counts = {0};
            snprintf(name, sizeof name, "%s, %s", cases[i].name, types[t]);
            put_type(params, sizeof params, cases[i].params, types[t]);
            put_type(nodes, sizeof nodes, cases[i].nodes, types[t]);
            check_counted(m, name, params, nodes, cases[i].filling,
                          (struct bodies){.matrices = true}, &counts);
            loads = i ? loads : counts.loads;
            check_that(&m->check,
                       !counts.loads || !loads || (counts.loads == loads) == cases[i].is_narrow,
                       "%s: %llu loads, %llu of 16 bits", name, (unsigned long long)counts.loads,
                       (unsigned long long)loads);
        }
    }
}

int main(int argc, char **argv)
{
    struct machine_check m = {.seed = 1, .check.turns = 3};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    check_sizes(&m);
    check_fused(&m);
    check_reduced(&m);
    check_scales(&m);
    m.check.turns = 0; /* each case is compared with the first */
    check_turns(&m);
    check_widened(&m);
    printf("%lld elements compared; %lld more depend on rounding\n", (long long)m.compared,
           (long long)m.loose);
    return check_finish(&m.check);
}
