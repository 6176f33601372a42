/* The verifier of SPIR-V from outside, and its guards, with no device. Each row spoils a module
   that is admitted (wild.comp) in one way, and names what the complaint says. */
#include "../../runtime/counts_spirv.h"
#include "../../runtime/spirv_guard.h"
#include "spoil.h"

static void make(struct module *m)
{
    make_of(m, K_WILD, (struct spirv_claim){{8, 1, 1}, 32, 2, 0, 0, 0});
}

#define REFUSED(change, text) SPOILT(make, change, text)

/* ---- what exploits were made of ---- */

enum {
    PRIVATE = 6,
    PUSH_CONSTANT = 9,
    PHYSICAL = 5349,
    OP_TYPE_SAMPLER = 26,
    CAP_ADDRESSES = 5347,
    LENGTH_1G = 1 << 28
};

/* The local array gets so many elements and a second one beside it. */
static void second_array(struct module *m, uint32_t length)
{
    for (uint32_t nth = 0;; nth++) {
        uint32_t place = at(m, OP_Variable, nth), pointer = m->words[place + 1];
        const uint32_t *type = defines(m, defines(m, pointer)[3]);
        if (m->words[place + 3] == STORAGE_Function && (type[0] & 0xffff) == OP_TypeArray) {
            defines(m, type[3])[3] = length;
            INSERT(m, place, OP_Variable, pointer, new_id(m), STORAGE_Function);
            return;
        }
    }
}

static void test_exploits(void)
{
    REFUSED((*operand(m, OP_TypePointer, 0, 2) = PUSH_CONSTANT), "is not a value, nor a pointer");
    REFUSED((*operand(m, OP_TypePointer, 0, 2) = PRIVATE), "storage class 6");
    REFUSED((*operand(m, OP_TypePointer, 0, 2) = PHYSICAL), "storage class 5349");
    REFUSED(INSERT(m, 5, OP_Capability, CAP_ADDRESSES),
            "addresses of buffers, which only a trusted bundle may");
    REFUSED((m->words[at(m, OP_TypeRuntimeArray, 0)] = 3u << 16 | OP_TYPE_SAMPLER),
            "instruction 26 is not admitted");
    REFUSED(m->count = at(m, OP_Function, 0), "0 functions");
    REFUSED(m->words[3] = UINT32_MAX, "bound");
    REFUSED(m->words[3] = m->count + 1, "fewer ids than words");
    REFUSED(*(defines(m, *operand(m, OP_TypeArray, 0, 3)) + 3) = LENGTH_1G, "must be of 1 to");
    REFUSED(second_array(m, 16384), "131072 bytes of arrays");
    REFUSED(second_array(m, 8193), "65544 bytes of arrays");
    REFUSED(m->claim.shared_bytes = 28, "32 bytes of shared memory, the kernel says 28");
    REFUSED(m->claim.local_size[0] = 4, "must set the workgroup once, to the kernel's 4 x 1 x 1");
    REFUSED(drop(m, at(m, OP_ExecutionMode, 0)), "a part is missing");
    REFUSED((drop(m, at(m, OP_ExecutionMode, 0)), m->claim.local_size[0] = 1),
            "built-in workgroup is not the kernel's 1 x 1 x 1");
    REFUSED((m->words[at(m, OP_ExecutionMode, 0) + 3] = 4, m->claim.local_size[0] = 4),
            "built-in workgroup is not");
    REFUSED(m->claim.nbindings = 1, "binding 1, the kernel has 1");
}

/* ---- frame and declarations ---- */

static void test_frame(void)
{
    REFUSED(m->count = 4, "no header");
    REFUSED(m->words[0] = 0, "no header");
    REFUSED(m->words[1] = 0x10600, "no header");
    REFUSED(m->words[4] = 1, "no header");
    REFUSED(m->words[5] &= 0xffff, "0 words");
    REFUSED(m->words[5] |= 0xffff0000, "65535 words");
    REFUSED(m->words[5] = 3u << 16 | OP_Capability, "must have 2 to 2");
    REFUSED(*operand(m, OP_Capability, 0, 1) = 22, "capability 22");
    REFUSED(INSERT(m, 5, OP_Capability, 10), "capability 10 is not among");
    REFUSED((m->claim.features = VKB_FEATURE_ROUND_NEAREST_32, INSERT(m, 5, OP_Capability, 4467)),
            "does not name the extension");
    REFUSED((m->claim.features = VKB_FEATURE_ROUND_NEAREST_32,
             INSERT(m, at(m, OP_ExecutionMode, 0), OP_ExecutionMode,
                    *operand(m, OP_EntryPoint, 0, 2), 4462, 32)),
            "mode 4462");
    REFUSED(*operand(m, OP_ExtInstImport, 0, 2) ^= 1, "must import GLSL.std.450");
    REFUSED(*operand(m, OP_MemoryModel, 0, 1) = 2, "must be logical");
    REFUSED(*operand(m, OP_EntryPoint, 0, 3) ^= 1, "entry point");
    REFUSED(*operand(m, OP_EntryPoint, 0, 5) = 1, "or it is not an input");
    REFUSED((INSERT(m, at(m, OP_Decorate, 0), OP_Decorate, 1, 19)), "decoration 19");
    REFUSED((INSERT(m, at(m, OP_Decorate, 0), OP_Decorate, new_id(m), 42)),
            "is decorated or branched to, but not defined");
    REFUSED(*operand(m, OP_MemberDecorate, 0, 2) = 1, "cannot be decorated");
    REFUSED(drop(m, at(m, OP_MemoryModel, 0)), "a part is missing");
    REFUSED(INSERT(m, m->count, OP_Capability, 1), "comes after something");
    REFUSED(*operand(m, OP_TypeInt, 0, 2) = 64, "64 bits");
    REFUSED(*operand(m, OP_TypeVector, 0, 3) = 5, "2 to 4 scalars");
    REFUSED(*operand(m, OP_TypeInt, 0, 1) = *operand(m, OP_TypeVoid, 0, 1), "defined twice");
    REFUSED(*operand(m, OP_TypeInt, 0, 1) = 0, "outside the bound");
}

/* Each mode of floats needs its capability, the kernel's feature for it, and the extension. */
static void test_float_modes(void)
{
    static const struct {
        uint32_t mode, width, capability, feature;
    } modes[] = {
        {4459, 16, 4464, VKB_FEATURE_DENORM_PRESERVE_16},
        {4459, 32, 4464, VKB_FEATURE_DENORM_PRESERVE_32},
        {4459, 64, 4464, VKB_FEATURE_DENORM_PRESERVE_64},
        {4461, 32, 4466, VKB_FEATURE_SIGNED_ZERO_INF_NAN_32},
        {4461, 64, 4466, VKB_FEATURE_SIGNED_ZERO_INF_NAN_64},
        {4462, 16, 4467, VKB_FEATURE_ROUND_NEAREST_16},
        {4462, 32, 4467, VKB_FEATURE_ROUND_NEAREST_32},
        {4462, 64, 4467, VKB_FEATURE_ROUND_NEAREST_64},
    };
    static const char extension[] = "SPV_KHR_float_controls";
    enum { MODES = sizeof modes / sizeof *modes, TEXT_WORDS = sizeof extension / 4 + 1 };
    for (int i = 0; i < MODES; i++)
        for (int k = 0; k < MODES; k++)
            for (int has_extension = 0; has_extension < 2; has_extension++) {
                static struct module m;
                char said[320];
                uint32_t text[1 + TEXT_WORDS] = {(1u + TEXT_WORDS) << 16 | OP_Extension};
                memcpy(text + 1, extension, sizeof extension);
                make(&m);
                m.claim.features = modes[k].feature;
                if (has_extension)
                    insert(&m, at(&m, OP_ExtInstImport, 0), text, 1 + TEXT_WORDS);
                INSERT(&m, 5, OP_Capability, modes[k].capability);
                INSERT(&m, at(&m, OP_ExecutionMode, 0), OP_ExecutionMode,
                       *operand(&m, OP_EntryPoint, 0, 2), modes[i].mode, modes[i].width);
                CHECK(opens(&m, said) == (i == k && has_extension), "mode %d with that of %d: %s",
                      i, k, said);
            }
}

/* The variable of a binding. */
static uint32_t bound(struct module *m, uint32_t binding)
{
    for (uint32_t n = 0;; n++) {
        const uint32_t *w = &m->words[at(m, OP_Decorate, n)];
        if (w[2] == 33 && w[3] == binding)
            return w[1];
    }
}

enum { NON_WRITABLE = 24, NON_READABLE = 25, READ_ONLY = 1 }; /* binding 0 is read and written */
#define MARK(module, op, ...) INSERT(module, at(module, OP_Decorate, 0), op, __VA_ARGS__)

/* Of a buffer the block's member is decorated, or the variable, or both. */
static void test_decorations(void)
{
    static struct module fine;
    char said[320] = "";
    make(&fine);
    /* newer versions of glslang have done it */
    uint32_t variable = bound(&fine, READ_ONLY), is_marked = 0;
    for (uint32_t i = 5; i < fine.count; i += fine.words[i] >> 16)
        is_marked |= (fine.words[i] & 0xffff) == OP_Decorate && fine.words[i + 1] == variable &&
                     fine.words[i + 2] == NON_WRITABLE;
    if (!is_marked)
        MARK(&fine, OP_Decorate, variable, NON_WRITABLE);
    CHECK(opens(&fine, said), "%s", said);
    REFUSED(MARK(m, OP_Decorate, bound(m, 0), NON_WRITABLE), "binding 0 is not decorated for it");
    REFUSED(MARK(m, OP_Decorate, bound(m, 0), NON_READABLE), "binding 0 is not decorated for it");
    REFUSED(MARK(m, OP_Decorate, bound(m, READ_ONLY), NON_READABLE),
            "binding 1 is not decorated for it");
    REFUSED(MARK(m, OP_MemberDecorate, bound(m, READ_ONLY), 0, NON_WRITABLE),
            "cannot be decorated with NonWritable");
    REFUSED(MARK(m, OP_Decorate, *operand(m, OP_TypeStruct, 0, 1), NON_WRITABLE),
            "cannot be decorated with NonWritable");
    REFUSED(MARK(m, OP_Decorate, *operand(m, OP_TypeInt, 0, 1), NON_WRITABLE),
            "cannot be decorated with NonWritable");
}

/* ---- functions ---- */

/* Functions that each call the next one twice: 2^n of them when they are written out. */
static void chain_calls(struct module *m, uint32_t length)
{
    uint32_t type = *operand(m, OP_TypeFunction, 0, 1), nothing = *operand(m, OP_TypeVoid, 0, 1),
             first = m->words[3];
    m->words[3] += 4 * length;
    for (uint32_t i = 0; i < length; i++) {
        INSERT(m, m->count, OP_Function, nothing, first + 4 * i, 0, type);
        INSERT(m, m->count, OP_Label, first + 4 * i + 1);
        for (uint32_t k = 2; k < 4 && i + 1 < length; k++)
            INSERT(m, m->count, OP_FunctionCall, nothing, first + 4 * i + k, first + 4 * i + 4);
        insert(m, m->count, (const uint32_t[]){1u << 16 | OP_Return, 1u << 16 | OP_FunctionEnd}, 2);
    }
}

/* Arrays of one element in one another, so many around a number. */
static void nest_arrays(struct module *m, uint32_t depth)
{
    uint32_t element = *operand(m, OP_TypeArray, 0, 2), length = new_id(m);
    INSERT(m, at(m, OP_Function, 0), OP_Constant, element, length, 1);
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t type = new_id(m);
        INSERT(m, at(m, OP_Function, 0), OP_TypeArray, type, element, length);
        element = type;
    }
}

static void test_types(void)
{
    static struct module fine;
    char said[320] = "";
    make(&fine);
    nest_arrays(&fine, 8);
    CHECK(opens(&fine, said), "%s", said);
    REFUSED(nest_arrays(m, 9), "a type of 4 bytes, 9 deep");
}

static void test_values(void)
{
    REFUSED(*operand(m, OP_IAdd, 0, 3) = *operand(m, OP_IAdd, 0, 2), "not a value that is defined");
    REFUSED(*operand(m, OP_IAdd, 0, 4) = *operand(m, OP_TypeInt, 0, 1),
            "not a value that is defined");
    REFUSED(*operand(m, OP_IAdd, 0, 4) = UINT32_MAX, "not a value that is defined");
    REFUSED(*operand(m, OP_IAdd, 0, 2) = UINT32_MAX, "outside the bound");
    REFUSED(*operand(m, OP_IAdd, 1, 2) = *operand(m, OP_IAdd, 0, 2), "defined twice");
    REFUSED(*operand(m, OP_IAdd, 0, 1) = *operand(m, OP_TypeBool, 0, 1), "its result");
    REFUSED(m->words[at(m, OP_IAdd, 0)] = 5u << 16 | OP_FAdd, "its result");
    REFUSED(*operand(m, OP_Load, 0, 1) = *operand(m, OP_TypeBool, 0, 1), "type that is there");
    REFUSED(*operand(m, OP_AccessChain, 0, 3) = *operand(m, OP_AccessChain, 0, 4), "not a pointer");
    REFUSED(*operand(m, OP_UDiv, 0, 1) = *operand(m, OP_SDiv, 0, 1), "of signed numbers");
    REFUSED(*operand(m, OP_FunctionCall, 0, 3) = 1, "not a function");
    REFUSED(*operand(m, OP_FunctionCall, 0, 4) = *operand(m, OP_Load, 0, 2), "argument 0");
    REFUSED((*operand(m, OP_Variable, 8, 3) = STORAGE_Workgroup), "is not");
    REFUSED(INSERT(m, at(m, OP_MemberDecorate, 0), OP_MemberDecorate,
                   *operand(m, OP_MemberDecorate, 0, 1), 0, 24),
            "not decorated for it");
    REFUSED(*operand(m, OP_ControlBarrier, 0, 3) = *operand(m, OP_ControlBarrier, 0, 1),
            "is not of the workgroup, or a subgroup");
}

static void test_flow(void)
{
    REFUSED(drop(m, at(m, OP_SelectionMerge, 0)), "one of its ways must leave the loop");
    REFUSED(drop(m, at(m, OP_LoopMerge, 0)), "a selection needs a merge instruction");
    REFUSED(drop(m, at(m, OP_Label, 2)), "outside of a block");
    REFUSED(drop(m, at(m, OP_Return, 0)), "a block is missing");
    REFUSED(drop(m, m->count - 1), "does not end");
    REFUSED(*operand(m, OP_Branch, 0, 1) = *operand(m, OP_Label, 0, 1), "not a new label");
    REFUSED(*operand(m, OP_LoopMerge, 0, 1) = *operand(m, OP_LoopMerge, 0, 2), "not a new label");
    REFUSED(*operand(m, OP_BranchConditional, 0, 1) = *operand(m, OP_Label, 0, 1), "not a value");
    REFUSED(m->words[at(m, OP_SelectionMerge, 0) + 3 + 3] = 0,
            "not a selection between two blocks");
    REFUSED(*operand(m, OP_Phi, 0, 4) = *operand(m, OP_Phi, 0, 6), "two ways");
    REFUSED(*operand(m, OP_Phi, 0, 4) = *operand(m, OP_Label, 0, 1), "not a block that leads here");
    /* what an arm of a selection defines is not seen behind it */
    REFUSED(*operand(m, OP_UDiv, 0, 3) = *operand(m, OP_FunctionCall, 0, 2),
            "not a value that is defined on every path");
    REFUSED((INSERT(m, at(m, OP_Return, 0), OP_FunctionCall, *operand(m, OP_TypeVoid, 0, 1),
                    new_id(m), *operand(m, OP_Function, 0, 2))),
            "the entry point is called");
    REFUSED(chain_calls(m, 20), "with all calls written out");
    REFUSED((chain_calls(m, 2), INSERT(m, m->count - 2, OP_FunctionCall,
                                       *operand(m, OP_TypeVoid, 0, 1), new_id(m), m->words[3] - 9)),
            "call themselves");
}

/* ---- guards ---- */

/* Pointers into a variable point to its kind of memory. */
static void check_chains(struct module *m)
{
    for (uint32_t i = 5; i < m->count; i += m->words[i] >> 16) {
        if ((m->words[i] & 0xffff) != OP_AccessChain)
            continue;
        const uint32_t *base = defines(m, m->words[i + 3]), *type = defines(m, m->words[i + 1]);
        CHECK((base[0] & 0xffff) != OP_Variable || base[3] == type[2],
              "a pointer to storage class %u into a variable of %u", type[2], base[3]);
    }
}

static void test_guards(void)
{
    static struct module m;
    struct spirv_module opened, again;
    char error[320] = "";
    make(&m);
    CHECK(opens(&m, error), "%s", error);
    if (!spirv_open(m.words, m.count, &m.claim, &opened, error, sizeof error))
        return;
    CHECK(opened.uses[0].access == (VKB_READ | VKB_WRITE) && opened.uses[1].access == VKB_READ,
          "%u %u", opened.uses[0].access, opened.uses[1].access);
    CHECK(opened.uses[1].least_bytes == 28, "%llu", (unsigned long long)opened.uses[1].least_bytes);
    for (int i = 0; i < 2; i++) {
        const uint64_t bytes[] = {i ? 0 : 40, 28};
        uint32_t count = 0, *words = spirv_guard(&opened, bytes, &count);
        struct module guarded = {.count = count, .claim = m.claim};
        CHECK(words && count <= ROOM, "%u words", count);
        if (!words)
            break;
        memcpy(guarded.words, words, count * sizeof *words);
        check_chains(&guarded);
        uint32_t lengths = 0, least = 0, filled = 0, last = 0;
        for (uint32_t k = 5; k < count; k += words[k] >> 16) {
            lengths += (words[k] & 0xffff) == OP_ArrayLength;
            if ((words[k] & 0xffff) == OP_ExtInst && words[k + 4] == EXT_UMin) {
                const uint32_t *limit = defines(&guarded, words[k + 6]);
                last += (limit[0] & 0xffff) == OP_Constant ? limit[3] : 0;
                least++;
            }
            filled += (words[k] & 0xffff) == OP_ControlBarrier;
        }
        /* three of 8 in shared memory, four of 4 local ones, two of 10 in a buffer */
        CHECK(last == 3 * 7 + 4 * 3 + (i ? 0u : 2 * 9), "last indices come to %u", last);
        CHECK(lengths == (i ? 2u : 0) && least == 9 && filled == 3,
              "%u lengths, %u indices, %u barriers", lengths, least, filled);
        free(words);
    }
    spirv_close(&opened);
    struct spirv_claim claim = {{1, 1, 1}, 0, 3, 0, 0, 0};
    CHECK(spirv_open(counts_spirv, sizeof counts_spirv / 4, &claim, &again, error, sizeof error),
          "our own: %s", error);
    spirv_close(&again);
}

enum { OP_CONSTANT_NULL = 46 };

/* An operand of the only signed division, and what it comes to. */
struct operand {
    uint32_t id, value;
};

/* What an id of a division's guard is, for these operands. */
static uint32_t evaluate(struct module *m, const struct operand given[2], uint32_t id)
{
    for (int i = 0; i < 2; i++)
        if (given[i].id == id)
            return given[i].value;
    for (uint32_t i = 5; i < m->count; i += m->words[i] >> 16) /* the verifier knows no such op */
        if (m->words[i] == (3u << 16 | OP_CONSTANT_NULL) && m->words[i + 2] == id)
            return 0;
    const uint32_t *w = defines(m, id);
    switch (w[0] & 0xffff) {
    case OP_Constant: return w[3];
    case OP_IEqual: return evaluate(m, given, w[3]) == evaluate(m, given, w[4]);
    case OP_LogicalAnd: return evaluate(m, given, w[3]) & evaluate(m, given, w[4]);
    case OP_LogicalOr: return evaluate(m, given, w[3]) | evaluate(m, given, w[4]);
    case OP_Select: return evaluate(m, given, w[evaluate(m, given, w[3]) ? 4 : 5]);
    default: CHECK(false, "instruction %u", w[0] & 0xffff); return 0;
    }
}

/* Of all pairs of these numbers those whose quotient is defined are divided as they are, and the
   others by 1: many processors forgive them, others raise a signal. */
static void test_division(void)
{
    static const uint32_t numbers[] = {
        0, 1, 2, UINT32_MAX, UINT32_MAX - 1, 0x7fffffff, 0x80000000, 0x80000001};
    enum { LEAST = 6, MINUS = 3, NUMBERS = sizeof numbers / sizeof *numbers };
    static struct module m, guarded;
    struct spirv_module opened;
    char error[320] = "";
    const uint64_t bytes[] = {40, 28};
    make(&m);
    CHECK(opens(&m, error), "%s", error);
    if (!spirv_open(m.words, m.count, &m.claim, &opened, error, sizeof error))
        return;
    uint32_t *words = spirv_guard(&opened, bytes, &guarded.count);
    CHECK(words && guarded.count <= ROOM, "%u words", guarded.count);
    memcpy(guarded.words, words, guarded.count * sizeof *words);
    free(words);
    spirv_close(&opened);
    for (uint32_t i = 0; i < NUMBERS; i++)
        for (uint32_t k = 0; k < NUMBERS; k++) {
            const struct operand given[2] = {{*operand(&m, OP_SDiv, 0, 3), numbers[i]},
                                             {*operand(&m, OP_SDiv, 0, 4), numbers[k]}};
            bool is_defined = numbers[k] && !(i == LEAST && k == MINUS);
            uint32_t by = evaluate(&guarded, given, *operand(&guarded, OP_SDiv, 0, 4));
            CHECK(*operand(&guarded, OP_SDiv, 0, 3) == given[0].id, "something else is divided");
            CHECK(by == (is_defined ? numbers[k] : 1), "0x%x by 0x%x: by 0x%x", numbers[i],
                  numbers[k], by);
        }
}

/* ---- texels ---- */

static void make_texels(struct module *m)
{
    make_of(m, K_XOR_TEXELS, (struct spirv_claim){{64, 1, 1}, 0, 3, 0, 0, 3});
}

#define TEXELS_REFUSED(change, text) SPOILT(make_texels, change, text)

static void test_texels(void)
{
    TEXELS_REFUSED(m->claim.texels = 1, "binding 1 is texels, unlike");
    TEXELS_REFUSED(m->claim.texels = 7, "binding 2 is not texels, unlike");
    TEXELS_REFUSED(m->claim.nbindings = 1, "binding");
    for (uint32_t i = 2; i < 9; i++)
        TEXELS_REFUSED(*operand(m, OP_TypeImage, 0, i) += 1, "texels of words");
    TEXELS_REFUSED(*operand(m, OP_Capability, 1, 1) = 1, "texels of words");
    TEXELS_REFUSED(*operand(m, OP_ImageFetch, 0, 1) = *operand(m, OP_Load, 0, 1), "");
    TEXELS_REFUSED(*operand(m, OP_ImageFetch, 0, 3) = *operand(m, OP_ImageFetch, 0, 4),
                   "is not of four words of texels");
    TEXELS_REFUSED(*operand(m, OP_ImageFetch, 0, 4) = *operand(m, OP_ImageFetch, 0, 3),
                   "is not of four words of texels");
    TEXELS_REFUSED(*operand(m, OP_VectorExtractDynamic, 0, 3) = *operand(m, OP_ImageFetch, 0, 4),
                   "is not of a vector");
    TEXELS_REFUSED(*operand(m, OP_VectorExtractDynamic, 0, 4) = *operand(m, OP_ImageFetch, 0, 3),
                   "is not");
    TEXELS_REFUSED(*operand(m, OP_VectorExtractDynamic, 0, 1) = *operand(m, OP_ImageFetch, 0, 1),
                   "");
}

/* Both fetches, both choices of a component and the store are clamped, to what is bound if all
   dispatches bind as much. */
static void test_texel_guards(void)
{
    enum { IMAGE_QUERY_SIZE = 104 };
    static struct module m;
    struct spirv_module opened;
    char error[320];
    make_texels(&m);
    CHECK(spirv_open(m.words, m.count, &m.claim, &opened, error, sizeof error), "%s", error);
    CHECK(opened.uses[0].access == VKB_READ && opened.uses[1].access == VKB_READ, "are not read");
    for (uint32_t known = 0; known < 2; known++) {
        const uint64_t bytes[] = {known ? 84 : 0, 84, 84};
        uint32_t count = 0, fetches = 0, clamps = 0, queries = 0, extracts = 0;
        uint32_t *words = spirv_guard(&opened, bytes, &count);
        for (uint32_t k = 5; words && k < count; k += words[k] >> 16) {
            uint32_t op = words[k] & 0xffff;
            fetches += op == OP_ImageFetch;
            extracts += op == OP_VectorExtractDynamic;
            queries += op == IMAGE_QUERY_SIZE;
            clamps += op == OP_ExtInst && words[k + 4] == EXT_UMin;
        }
        CHECK(fetches == 2 && extracts == 2 && clamps == 5 && queries == (known ? 0u : 1),
              "%u fetches, %u extracts, %u clamps, %u queries", fetches, extracts, clamps, queries);
        free(words);
    }
    spirv_close(&opened);
}

int main(void)
{
    test_exploits();
    test_frame();
    test_float_modes();
    test_decorations();
    test_types();
    test_values();
    test_flow();
    test_guards();
    test_division();
    test_texels();
    test_texel_guards();
    return harness_report();
}
