/* Instructions that take values and make one, as the verifier of SPIR-V from outside sees them:
   each with every type of result and operand that SPIR-V allows it, which must be admitted, and
   with each of them changed to every other type. The signatures below are SPIR-V's rules, written
   down apart from the verifier's; where the verifier is stricter on purpose, a comment says why. */
#include <stdlib.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "../../runtime/spirv_check.h"
#include "harness.h"

/* Numbers and bools, and vectors of 2 to 4 of each, one after the other. */
static const struct scalar {
    char kind; /* 'b'ool, 'i'nt, 'f'loat */
    uint32_t bits, is_signed;
} scalars[] = {{'b', 1, 0},  {'i', 32, 0}, {'i', 32, 1}, {'i', 64, 0},
               {'i', 64, 1}, {'f', 16, 0}, {'f', 32, 0}, {'f', 64, 0}};
enum { NSCALARS = sizeof scalars / sizeof *scalars, NTYPES = 4 * NSCALARS };
enum { BOOL_TYPE = 0, UINT_TYPE = 4, SINT_TYPE = 8, ULONG_TYPE = 12, FLOAT_TYPE = 24 };

static const struct scalar *scalar(uint32_t type)
{
    return &scalars[type / 4];
}

static uint32_t count(uint32_t type)
{
    return type % 4 + 1;
}

/* ---- a module with a value of every type, and one instruction ---- */

enum { ROOM = 2048, VOID_ID = 1, MAIN_TYPE, MAIN, IMPORT, LABEL, RESULT, FIRST_ID };
enum { PAIRS = FIRST_ID + 3 * NTYPES, MIXED, TRIPLE, ARRAY, BOUND };

static uint32_t type_id(uint32_t type)
{
    return FIRST_ID + type;
}

static uint32_t value_id(uint32_t type)
{
    return FIRST_ID + NTYPES + type;
}

/* Of a struct of two of them. */
static uint32_t pair_id(uint32_t type)
{
    return FIRST_ID + 2 * NTYPES + type;
}

static struct {
    uint32_t words[ROOM], count;
} head; /* up to the instruction */

static void put(const uint32_t *words, uint32_t n)
{
    memcpy(head.words + head.count, words, n * sizeof *words);
    head.count += n;
}

#define PUT(op, ...)                                                                           \
    put((const uint32_t[]){(uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1) << 16 | (op), \
                           __VA_ARGS__},                                                       \
        sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1)

static void put_scalar(uint32_t type)
{
    const struct scalar *s = scalar(type);
    if (s->kind == 'b')
        PUT(OP_TypeBool, type_id(type));
    else if (s->kind == 'i')
        PUT(OP_TypeInt, type_id(type), s->bits, s->is_signed);
    else
        PUT(OP_TypeFloat, type_id(type), s->bits);
}

static void put_value(uint32_t type)
{
    const uint32_t part = value_id(type / 4 * 4), t = type_id(type), id = value_id(type);
    if (count(type) > 1) {
        const uint32_t w[] = {
            (3 + count(type)) << 16 | OP_ConstantComposite, t, id, part, part, part, part};
        put(w, 3 + count(type));
    } else if (scalar(type)->kind == 'b') {
        PUT(OP_ConstantTrue, t, id);
    } else if (scalar(type)->bits == 64) {
        PUT(OP_Constant, t, id, 1, 0);
    } else {
        PUT(OP_Constant, t, id, 1);
    }
}

static void build(void)
{
    static const uint32_t header[] = {0x07230203, 0x10300, 0, BOUND, 0};
    put(header, 5);
    for (uint32_t i = 0; i < 4; i++)
        PUT(OP_Capability, ((const uint32_t[]){1, 9, 10, 11})[i]);
    PUT(OP_ExtInstImport, IMPORT, 0x4c534c47, 0x6474732e, 0x3035342e, 0); /* GLSL.std.450 */
    PUT(OP_MemoryModel, 0, 1);
    PUT(OP_EntryPoint, 5, MAIN, 0x6e69616d, 0); /* main */
    PUT(OP_ExecutionMode, MAIN, 17, 1, 1, 1);
    PUT(OP_TypeVoid, VOID_ID);
    PUT(OP_TypeFunction, MAIN_TYPE, VOID_ID);
    for (uint32_t t = 0; t < NTYPES; t += 4)
        put_scalar(t);
    for (uint32_t t = 0; t < NTYPES; t++)
        if (count(t) > 1)
            PUT(OP_TypeVector, type_id(t), type_id(t / 4 * 4), count(t));
    for (uint32_t t = 0; t < NTYPES; t++)
        PUT(OP_TypeStruct, pair_id(t), type_id(t), type_id(t));
    PUT(OP_TypeStruct, MIXED, type_id(UINT_TYPE), type_id(ULONG_TYPE));
    PUT(OP_TypeStruct, TRIPLE, type_id(UINT_TYPE), type_id(UINT_TYPE), type_id(UINT_TYPE));
    for (uint32_t t = 0; t < NTYPES; t += 4)
        put_value(t);
    for (uint32_t t = 0; t < NTYPES; t++)
        if (count(t) > 1)
            put_value(t);
    PUT(OP_ConstantComposite, pair_id(UINT_TYPE + 2), PAIRS, value_id(UINT_TYPE + 2),
        value_id(UINT_TYPE + 2));
    PUT(OP_TypeArray, ARRAY, type_id(UINT_TYPE), value_id(UINT_TYPE)); /* of one */
    PUT(OP_Function, VOID_ID, MAIN, 0, MAIN_TYPE);
    PUT(OP_Label, LABEL);
}

/* Whether the module with this instruction is admitted. */
static bool admits(const uint32_t *w, uint32_t n)
{
    static const struct spirv_claim claim = {
        {1, 1, 1}, 0, 0, 0, VKB_FEATURE_F16 | VKB_FEATURE_F64 | VKB_FEATURE_I64, 0};
    static const uint32_t end[] = {1u << 16 | OP_Return, 1u << 16 | OP_FunctionEnd};
    struct spirv_module opened;
    char error[320];
    uint32_t begun = head.count;
    put(w, n);
    put(end, 2);
    bool ok = spirv_open(head.words, head.count, &claim, &opened, error, sizeof error);
    spirv_close(&opened);
    head.count = begun;
    return ok;
}

/* An instruction, or with `import` a function of GLSL.std.450, of this type and these operands. */
static bool admits_op(uint32_t op, bool is_function, uint32_t type, const uint32_t *operands,
                      uint32_t n)
{
    uint32_t w[16] = {0, type, RESULT}, at = 3;
    if (is_function)
        w[at++] = IMPORT, w[at++] = op;
    memcpy(w + at, operands, n * sizeof *operands);
    w[0] = (at + n) << 16 | (is_function ? (uint32_t)OP_ExtInst : op);
    return admits(w, at + n);
}

/* ---- signatures ---- */

/* The result, then its operands. Of a result, a letter says which types it may have. An operand has
   the result's type (=), or its kind, bits and components (~), or is as the letter says. */
static const struct signature {
    uint32_t op;
    bool is_function;
    const char *text;
} signatures[] = {
#define ROW(name, text) {OP_##name, false, text},
#define FUNCTION(name, text) {EXT_##name, true, text},
    ROW(ConvertFToU, "uF") ROW(ConvertFToS, "iF") ROW(ConvertSToF, "fI") ROW(ConvertUToF, "fI") ROW(
        UConvert, "uR") ROW(SConvert, "iR") ROW(FConvert, "fS") ROW(Bitcast, "nx")
        ROW(SNegate, "i~") ROW(FNegate, "f=") ROW(IAdd, "i~~") ROW(FAdd, "f==") ROW(
            ISub, "i~~") ROW(FSub, "f==") ROW(IMul, "i~~") ROW(FMul, "f==") ROW(UDiv, "u==")
            ROW(SDiv, "k==") ROW(FDiv, "f==") ROW(UMod, "u==") ROW(VectorTimesScalar, "v=s") ROW(
                Any, "BV") ROW(All, "BV") ROW(LogicalEqual, "b==") ROW(LogicalNotEqual,
                                                                       "b==") ROW(LogicalOr, "b==")
                ROW(LogicalAnd, "b==") ROW(LogicalNot, "b=") ROW(Select, "aC==") ROW(
                    IEqual,
                    "bIc") ROW(INotEqual, "bIc") ROW(UGreaterThan, "bIc") ROW(SGreaterThan, "bIc")
                    ROW(UGreaterThanEqual, "bIc") ROW(SGreaterThanEqual, "bIc") ROW(
                        ULessThan, "bIc") ROW(SLessThan, "bIc") ROW(ULessThanEqual, "bIc")
                        ROW(SLessThanEqual, "bIc") ROW(FOrdEqual, "bFc") ROW(
                            FUnordNotEqual,
                            "bFc") ROW(FOrdLessThan, "bFc") ROW(FOrdGreaterThan, "bFc")
                            ROW(FOrdLessThanEqual, "bFc") ROW(FOrdGreaterThanEqual, "bFc") ROW(
                                ShiftRightLogical,
                                "i~I") ROW(ShiftRightArithmetic, "i~I") ROW(ShiftLeftLogical, "i~I")
                                ROW(BitwiseOr, "i~~") ROW(BitwiseXor, "i~~") ROW(BitwiseAnd, "i~~")
                                    ROW(Not, "i~") ROW(BitFieldSExtract, "j=11")
                                        ROW(BitFieldUExtract, "j=11") ROW(BitCount, "j~") FUNCTION(
                                            FAbs, "f=") FUNCTION(SAbs, "i~")
                                            FUNCTION(Floor, "f=") FUNCTION(Ceil, "f=") FUNCTION(
                                                Sqrt, "f=") FUNCTION(InverseSqrt, "f=")
                                                FUNCTION(FMin, "f==") FUNCTION(UMin, "i~~")
                                                    FUNCTION(SMin, "i~~") FUNCTION(FMax, "f==")
                                                        FUNCTION(UMax, "i~~") FUNCTION(SMax, "i~~")
                                                            FUNCTION(FClamp, "f===") FUNCTION(
                                                                SClamp,
                                                                "i~~~") FUNCTION(Fma, "f===")
                                                                FUNCTION(PackDouble2x32, "dw")
                                                                    FUNCTION(UnpackDouble2x32, "wd")
                                                                        FUNCTION(FindUMsb, "j~")};
enum { NSIGNATURES = sizeof signatures / sizeof *signatures };

static bool result_fits(char letter, uint32_t t)
{
    const struct scalar *s = scalar(t);
    switch (letter) {
    case 'a': return true;
    case 'n': return s->kind != 'b';
    case 'b': return s->kind == 'b';
    case 'B': return s->kind == 'b' && count(t) == 1;
    case 'i': return s->kind == 'i';
    case 'j': return s->kind == 'i' && s->bits == 32; /* Vulkan has them of 32 bits only */
    case 'u': return s->kind == 'i' && !s->is_signed;
    case 'k': /* the guard asks for overflow, and has no way to ask for it by components */
        return s->kind == 'i' && !(s->is_signed && count(t) > 1);
    case 'f': return s->kind == 'f';
    case 'v': return s->kind == 'f' && count(t) > 1;
    case 'd': return s->kind == 'f' && s->bits == 64 && count(t) == 1;
    case 'w': return s->kind == 'i' && s->bits == 32 && count(t) == 2;
    default: return false;
    }
}

/* A vector and a number, or a vector of as many components with as many bits each. */
static bool bits_fit(uint32_t a, uint32_t b)
{
    uint32_t more = count(a) > count(b) ? count(a) : count(b),
             less = count(a) > count(b) ? count(b) : count(a);
    return scalar(b)->kind != 'b' && scalar(a)->bits * count(a) == scalar(b)->bits * count(b) &&
           (more == less || less == 1);
}

static bool operand_fits(char letter, uint32_t t, uint32_t result, uint32_t first)
{
    const struct scalar *s = scalar(t), *r = scalar(result), *f = scalar(first);
    bool is_as_wide = count(t) == count(result);
    switch (letter) {
    case '=': return t == result;
    case '~': return is_as_wide && s->kind == r->kind && s->bits == r->bits;
    case 'I': return is_as_wide && s->kind == 'i';
    case 'F': return is_as_wide && s->kind == 'f';
    case 'C': return is_as_wide && s->kind == 'b';
    case 'R': return is_as_wide && s->kind == 'i' && s->bits != r->bits;
    case 'S': return is_as_wide && s->kind == 'f' && s->bits != r->bits;
    case 'c': return is_as_wide && s->kind == f->kind && s->bits == f->bits;
    case 's': return count(t) == 1 && s->kind == r->kind && s->bits == r->bits;
    case '1': return count(t) == 1 && s->kind == 'i';
    case 'V': return count(t) > 1 && s->kind == 'b';
    case 'x': return bits_fit(result, t);
    default: return result_fits(letter, t);
    }
}

static bool fits(const struct signature *s, uint32_t result, const uint32_t *operands)
{
    if (!result_fits(s->text[0], result))
        return false;
    for (uint32_t i = 0; s->text[1 + i]; i++)
        if (!operand_fits(s->text[1 + i], operands[i], result, operands[0]))
            return false;
    return true;
}

static bool admits_types(const struct signature *s, uint32_t result, const uint32_t *operands,
                         uint32_t n)
{
    uint32_t ids[4];
    for (uint32_t i = 0; i < n; i++)
        ids[i] = value_id(operands[i]);
    return admits_op(s->op, s->is_function, type_id(result), ids, n);
}

/* Operands for the result that fit: the last types that do, one after the other. False: there are
   none. */
static bool find_operands(const struct signature *s, uint32_t result, uint32_t *operands)
{
    for (uint32_t i = 0; s->text[1 + i]; i++) {
        uint32_t t = NTYPES;
        while (t-- > 0 && !operand_fits(s->text[1 + i], t, result, i ? operands[0] : t))
            ;
        if (t == UINT32_MAX)
            return false;
        operands[i] = t;
    }
    return result_fits(s->text[0], result);
}

static const char *name_of(const struct signature *s)
{
    static char name[16];
    snprintf(name, sizeof name, "%s %u", s->is_function ? "function" : "Op", s->op);
    return name;
}

/* All that fit but for one operand, or the result. */
static void test_signature(const struct signature *s)
{
    uint32_t n = (uint32_t)strlen(s->text) - 1, admitted = 0;
    for (uint32_t result = 0; result < NTYPES; result++) {
        uint32_t operands[4] = {0};
        if (!find_operands(s, result, operands))
            continue;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t t = 0; t < NTYPES; t++) {
                uint32_t kept = operands[i];
                operands[i] = t;
                bool fit = fits(s, result, operands), ok = admits_types(s, result, operands, n);
                admitted += ok;
                CHECK(ok == fit, "%s \"%s\": operand %u of type %u, result %u: %s", name_of(s),
                      s->text, i, t, result, ok ? "admitted" : "refused");
                operands[i] = kept;
            }
        for (uint32_t t = 0; t < NTYPES; t++) {
            bool fit = fits(s, t, operands), ok = admits_types(s, t, operands, n);
            CHECK(ok == fit, "%s \"%s\": result %u: %s", name_of(s), s->text, t,
                  ok ? "admitted" : "refused");
        }
        uint32_t ids[4] = {value_id(operands[0]), value_id(operands[1]), value_id(operands[2]),
                           value_id(operands[n - 1])};
        CHECK(!admits_op(s->op, s->is_function, type_id(result), ids, n - 1) &&
                  !admits_op(s->op, s->is_function, type_id(result), ids, n + 1),
              "%s: with too few operands, or too many", name_of(s));
    }
    CHECK(admitted > 0, "%s is never admitted", name_of(s));
}

/* Every instruction that makes a value of values has a signature above, or a test below; and no
   other number is admitted. */
static void test_rows(void)
{
    for (uint32_t op = 0; op < 512; op++) {
        const struct spirv_op_rule *rule = spirv_op_rule(op);
        bool is_row = false;
        for (size_t i = 0; i < NSIGNATURES; i++)
            is_row |= !signatures[i].is_function && signatures[i].op == op;
        bool is_value = rule && rule->form > FORM_EXTRACT_DYNAMIC &&
                        rule->form != FORM_MUL_EXTENDED &&
                        rule->form < FORM_BALLOT; /* those of subgroups: spirv_subgroup_test */
        CHECK(is_row == is_value, "Op %u has %s signature", op, is_row ? "a needless" : "no");
    }
    for (uint32_t function = 0; function < 256; function++) {
        uint32_t ids[3] = {value_id(FLOAT_TYPE), value_id(FLOAT_TYPE), value_id(FLOAT_TYPE)},
                 words[3] = {value_id(UINT_TYPE), value_id(UINT_TYPE), value_id(UINT_TYPE)};
        bool is_row = false, is_admitted = spirv_ext_form(function) != FORM_NONE;
        for (size_t i = 0; i < NSIGNATURES; i++)
            is_row |= signatures[i].is_function && signatures[i].op == function;
        for (uint32_t n = 1; n <= 3; n++)
            is_admitted |= !is_row && (admits_op(function, true, type_id(FLOAT_TYPE), ids, n) ||
                                       admits_op(function, true, type_id(UINT_TYPE), words, n));
        CHECK(is_row == is_admitted, "function %u has %s signature", function,
              is_row ? "a needless" : "no");
    }
    const uint32_t w[] = {6u << 16 | OP_ExtInst, type_id(FLOAT_TYPE), RESULT, MAIN, EXT_FAbs,
                          value_id(FLOAT_TYPE)};
    CHECK(!admits(w, 6), "a function of something that is not the import");
}

/* What is not a value is an operand of nothing. */
static void test_not_values(void)
{
    static const uint32_t others[] = {0,     VOID_ID, MAIN_TYPE, MAIN,       IMPORT,
                                      LABEL, RESULT,  BOUND,     UINT32_MAX, FIRST_ID};
    for (size_t i = 0; i < NSIGNATURES; i++) {
        const struct signature *s = &signatures[i];
        uint32_t n = (uint32_t)strlen(s->text) - 1, operands[4] = {0}, ids[4], result = 0;
        while (!find_operands(s, result, operands))
            result++;
        for (uint32_t k = 0; k < n; k++)
            ids[k] = value_id(operands[k]);
        for (uint32_t k = 0; k < n; k++)
            for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
                uint32_t kept = ids[k];
                ids[k] = others[o];
                CHECK(!admits_op(s->op, s->is_function, type_id(result), ids, n),
                      "%s: operand %u is id %u", name_of(s), k, others[o]);
                ids[k] = kept;
            }
        for (size_t o = 0; o < sizeof others / sizeof *others; o++)
            if (others[o] != FIRST_ID)
                CHECK(!admits_op(s->op, s->is_function, others[o], ids, n), "%s: its type is id %u",
                      name_of(s), others[o]);
    }
}

/* ---- what has parts ---- */

/* The pair of the low and the high half, of unsigned numbers. */
static void test_mul_extended(void)
{
    for (uint32_t t = 0; t < NTYPES; t++)
        for (uint32_t a = 0; a < NTYPES; a++) {
            const uint32_t ids[] = {value_id(a), value_id(t)},
                           turned[] = {value_id(t), value_id(a)};
            bool fit = scalar(t)->kind == 'i' && !scalar(t)->is_signed && a == t;
            CHECK(admits_op(OP_UMulExtended, false, pair_id(t), ids, 2) == fit &&
                      admits_op(OP_UMulExtended, false, pair_id(t), turned, 2) == fit,
                  "a pair of type %u, of type %u", t, a);
        }
    const uint32_t ids[] = {value_id(UINT_TYPE), value_id(UINT_TYPE)};
    const uint32_t others[] = {MIXED,  TRIPLE, ARRAY, type_id(UINT_TYPE), type_id(UINT_TYPE + 1),
                               VOID_ID};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!admits_op(OP_UMulExtended, false, others[i], ids, 2), "a result of type %u",
              others[i]);
}

/* Vectors of numbers and shorter vectors, whose components come to as many. */
static void test_construct(void)
{
    for (uint32_t t = 0; t < NTYPES; t++)
        for (uint32_t n = 1; n <= 5; n++)
            for (uint32_t at = 0; at < n; at++)
                for (uint32_t other = 0; other < NTYPES; other++) {
                    uint32_t ids[5], sum = n - 1 + count(other);
                    for (uint32_t i = 0; i < n; i++)
                        ids[i] = value_id(i == at ? other : t / 4 * 4);
                    bool fit = count(t) > 1 && n > 1 && other / 4 == t / 4 && sum == count(t);
                    CHECK(admits_op(OP_CompositeConstruct, false, type_id(t), ids, n) == fit,
                          "a vector of type %u of %u parts, of which %u is of type %u", t, n, at,
                          other);
                }
    for (uint32_t t = 0; t < NTYPES; t++)
        for (uint32_t other = 0; other < NTYPES; other++) {
            const uint32_t ids[] = {value_id(t), value_id(other), value_id(t)};
            CHECK(admits_op(OP_CompositeConstruct, false, pair_id(t), ids, 2) == (t == other) &&
                      !admits_op(OP_CompositeConstruct, false, pair_id(t), ids, 1) &&
                      !admits_op(OP_CompositeConstruct, false, pair_id(t), ids, 3),
                  "a pair of %u and %u", t, other);
            CHECK(admits_op(OP_CompositeConstruct, false, MIXED, ids, 2) ==
                      (t == UINT_TYPE && other == ULONG_TYPE),
                  "a struct of %u and %u", t, other);
            CHECK(admits_op(OP_CompositeConstruct, false, ARRAY, ids, 1) == (t == UINT_TYPE) &&
                      !admits_op(OP_CompositeConstruct, false, ARRAY, ids, 2),
                  "an array of %u", t);
        }
}

static void test_extract(void)
{
    for (uint32_t t = 0; t < NTYPES; t++)
        for (uint32_t result = 0; result < NTYPES; result++)
            for (uint32_t i = 0; i < 6; i++) {
                const uint32_t operands[] = {value_id(t), i};
                bool fit = count(t) > 1 && i < count(t) && result == t / 4 * 4;
                CHECK(admits_op(OP_CompositeExtract, false, type_id(result), operands, 2) == fit,
                      "component %u of type %u as type %u", i, t, result);
            }
    for (uint32_t member = 0; member < 4; member++)
        for (uint32_t i = 0; i < 5; i++) { /* a pair of vectors of three words */
            const uint32_t operands[] = {PAIRS, member, i, 0};
            CHECK(admits_op(OP_CompositeExtract, false, type_id(UINT_TYPE), operands, 3) ==
                          (member < 2 && i < 3) &&
                      admits_op(OP_CompositeExtract, false, type_id(UINT_TYPE + 2), operands, 2) ==
                          (member < 2) &&
                      !admits_op(OP_CompositeExtract, false, type_id(UINT_TYPE), operands, 4),
                  "component %u of member %u", i, member);
        }
}

static void test_extract_dynamic(void)
{
    for (uint32_t t = 0; t < NTYPES; t++)
        for (uint32_t index = 0; index < NTYPES; index++)
            for (uint32_t result = 0; result < NTYPES; result++) {
                const uint32_t operands[] = {value_id(t), value_id(index)};
                /* of 32 bits, as the guard's own are */
                bool fit = count(t) > 1 && (index == UINT_TYPE || index == SINT_TYPE) &&
                           result == t / 4 * 4;
                CHECK(admits_op(OP_VectorExtractDynamic, false, type_id(result), operands, 2) ==
                          fit,
                      "type %u by type %u as type %u", t, index, result);
            }
}

static void test_shuffle(void)
{
    for (uint32_t a = 0; a < NTYPES; a++)
        for (uint32_t b = 0; b < NTYPES; b++)
            for (uint32_t n = 1; n <= 4; n++) {
                uint32_t result = a / 4 * 4 + n - 1, all = count(a) + count(b);
                for (uint32_t highest = all - 2; highest <= all; highest++) {
                    uint32_t operands[] = {value_id(a), value_id(b), 0, 0, 0, 0};
                    operands[2 + n - 1] = highest;
                    bool fit =
                        a / 4 == b / 4 && count(a) > 1 && count(b) > 1 && n > 1 && highest < all;
                    CHECK(admits_op(OP_VectorShuffle, false, type_id(result), operands, 2 + n) ==
                                  fit &&
                              !admits_op(OP_VectorShuffle, false, type_id(result ^ 1), operands,
                                         2 + n) &&
                              !admits_op(OP_VectorShuffle, false, type_id((result + 4) % NTYPES),
                                         operands, 2 + n),
                          "%u of types %u and %u, up to %u", n, a, b, highest);
                }
            }
}

int main(void)
{
    build();
    RUN(test_rows());
    for (size_t i = 0; i < NSIGNATURES; i++)
        RUN(test_signature(&signatures[i]));
    RUN(test_not_values());
    RUN(test_mul_extended());
    RUN(test_construct());
    RUN(test_extract());
    RUN(test_extract_dynamic());
    RUN(test_shuffle());
    return harness_report();
}
