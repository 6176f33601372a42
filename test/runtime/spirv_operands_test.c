/* Every operand of modules that the verifier of SPIR-V from outside admits (rich.comp, wild.comp,
   xor_texels.comp), changed one at a time to everything that it may not be: ids of nothing, of
   types where there are values, of values of other types, of what is defined only later; other
   constants where one is required. Each of these modules must be refused. */
#include <stdlib.h>
#include <string.h>

#include "../../runtime/spirv_check.h"
#include "builder.h"
#include "harness.h"

enum { ROOM = 8192 };

static struct {
    uint32_t words[ROOM], count;
    struct spirv_claim claim;
} module;

/* What is known of an id: where it is defined, its type, and what it is. */
static struct {
    char what;     /* 't'ype, 'c'onstant, 'v'ariable, 'f'unction, 'l'abel, 'r'esult, 'p'arameter,
                      'i'mport; 0: nothing */
    uint32_t type; /* its id; of a type its opcode */
    uint32_t at, function;
} ids[ROOM];

/* The operands of an instruction, a letter each, the last for all that follow:
   t  the type of the result: no other is right
   T  a type, or a constant, of a declaration
   r  the result
   v  a value of one type: no value of another is right, and none that is defined later
   w  a value whose type is another suite's concern
   p  a pointer to values of one type; A  in shared memory or a buffer
   a  like v, and no pointer but a variable or a parameter
   b  a variable, or a parameter, of which another pointer is made; B  of a buffer
   x  an index: a value that is an integer of 32 bits
   c  a constant, of which no other value is right
   l  a label
   f  a function
   I  an input, in the interface
   D  what is decorated
   W  the import
   m  a number, or text: no other is right
   n  another number */
static const struct {
    uint32_t op;
    const char *operands;
} layouts[] = {
    {OP_Extension, "m"},
    {OP_ExtInstImport, "rm"},
    {OP_ExtInst, "wrWnw"},
    {OP_MemoryModel, "m"},
    {OP_EntryPoint, "mfmmI"},
    {OP_ExecutionMode, "fm"},
    {OP_Capability, "m"},
    {OP_TypeVoid, "r"},
    {OP_TypeBool, "r"},
    {OP_TypeInt, "rn"},
    {OP_TypeFloat, "rm"},
    {OP_TypeVector, "rTm"},
    {OP_TypeImage, "rTm"},
    {OP_TypeArray, "rTT"},
    {OP_TypeRuntimeArray, "rT"},
    {OP_TypeStruct, "rT"},
    {OP_TypePointer, "rmT"},
    {OP_TypeFunction, "rT"},
    {OP_ConstantTrue, "wr"},
    {OP_ConstantFalse, "wr"},
    {OP_Constant, "wrn"},
    {OP_ConstantComposite, "trv"},
    {OP_Function, "trmT"},
    {OP_FunctionParameter, "tr"},
    {OP_FunctionEnd, ""},
    {OP_FunctionCall, "trfa"},
    {OP_Variable, "Trm"},
    {OP_Load, "trp"},
    {OP_Store, "pv"},
    {OP_AccessChain, "trbx"},
    {OP_ArrayLength, "trBm"},
    {OP_Decorate, "Dn"},
    {OP_MemberDecorate, "Dn"},
    {OP_ImageFetch, "trvx"},
    {OP_ControlBarrier, "ccc"},
    {OP_MemoryBarrier, "cc"},
    {OP_AtomicIAdd, "trAccv"},
    {OP_AtomicUMax, "trAccv"},
    {OP_AtomicAnd, "trAccv"},
    {OP_AtomicOr, "trAccv"},
    {OP_Phi, "trvlvl"},
    {OP_LoopMerge, "lln"},
    {OP_SelectionMerge, "lm"},
    {OP_Label, "r"},
    {OP_Branch, "l"},
    {OP_BranchConditional, "vll"},
    {OP_Return, ""},
    {OP_ReturnValue, "v"},
    {OP_CompositeConstruct, "trw"},
    {OP_CompositeExtract, "trwn"},
    {OP_VectorExtractDynamic, "trwx"},
    {OP_VectorShuffle, "trwwn"},
};

/* Of what is not listed: instructions that make a value of values. */
static const char *layout_of(uint32_t op)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].op == op)
            return layouts[i].operands;
    return "wrw";
}

static bool opens(const uint32_t *words)
{
    struct spirv_module opened;
    char error[320];
    bool ok = spirv_open(words, module.count, &module.claim, &opened, error, sizeof error);
    spirv_close(&opened);
    return ok;
}

/* ---- what there is ---- */

static char what_is(uint32_t op)
{
    return op == OP_ExtInstImport                                ? 'i'
           : op >= OP_TypeVoid && op <= OP_TypeFunction          ? 't'
           : op >= OP_ConstantTrue && op <= OP_ConstantComposite ? 'c'
           : op == OP_Variable                                   ? 'v'
           : op == OP_Function                                   ? 'f'
           : op == OP_FunctionParameter                          ? 'p'
           : op == OP_Label                                      ? 'l'
                                                                 : 'r';
}

/* Word of the first instruction of that kind. */
static uint32_t at_of(uint32_t op)
{
    uint32_t at = 5;
    while ((module.words[at] & 0xffff) != op)
        at += module.words[at] >> 16;
    return at;
}

static void survey(void)
{
    uint32_t function = 0;
    memset(ids, 0, sizeof ids);
    for (uint32_t at = 5; at < module.count; at += module.words[at] >> 16) {
        uint32_t op = module.words[at] & 0xffff;
        const char *result = strchr(layout_of(op), 'r');
        function += op == OP_Function;
        if (!result)
            continue;
        uint32_t place = (uint32_t)(result - layout_of(op)), id = module.words[at + 1 + place];
        ids[id].what = what_is(op);
        ids[id].type = ids[id].what == 't' ? op : place ? module.words[at + 1] : 0;
        ids[id].at = at;
        ids[id].function = function;
    }
}

static bool is_value(uint32_t id)
{
    return ids[id].what && strchr("cvpr", ids[id].what);
}

/* An integer of 32 bits. */
static bool is_word(uint32_t id)
{
    const uint32_t *type = &module.words[ids[ids[id].type].at];
    return is_value(id) && (type[0] & 0xffff) == OP_TypeInt && type[2] == 32;
}

/* The instruction that declares the type of a pointer; NULL if the value is not a pointer. */
static const uint32_t *pointer_type(uint32_t id)
{
    const uint32_t *type = is_value(id) ? &module.words[ids[ids[id].type].at] : NULL;
    return type && (type[0] & 0xffff) == OP_TypePointer ? type : NULL;
}

static bool is_same_pointer(uint32_t id, uint32_t other)
{
    const uint32_t *a = pointer_type(id), *b = pointer_type(other);
    return a && b && a[3] == b[3];
}

/* Whether `other` is certainly wrong in place of `id`, as this kind of operand at that word. */
static bool is_wrong(char kind, uint32_t at, uint32_t id, uint32_t other)
{
    char what = ids[other].what;
    bool is_late =
        is_value(other) &&
        (ids[other].at > at ||
         (ids[other].function && ids[other].function != ids[id].function && ids[id].function));
    switch (kind) {
    case 't': return other != id;
    case 'T': return ids[id].what == 't' ? what != 't' : what != 'c' || !is_word(other);
    case 'w': return ids[id].what == 't' ? what != 't' : !is_value(other) || ids[other].at > at;
    case 'W': return other != id;
    case 'x': return !is_word(other) || is_late;
    case 'v': return !is_value(other) || is_late || ids[other].type != ids[id].type;
    case 'p': return is_late || !is_same_pointer(id, other);
    case 'A':
        return is_late || !is_same_pointer(id, other) ||
               (pointer_type(other)[2] != STORAGE_StorageBuffer &&
                pointer_type(other)[2] != STORAGE_Workgroup);
    case 'a': return is_wrong('v', at, id, other) || (pointer_type(other) && what == 'r');
    case 'b':
        return is_late || what == 'r' || !pointer_type(other) ||
               pointer_type(other)[2] != pointer_type(id)[2];
    case 'B':
        return what != 'v' || !pointer_type(other) ||
               pointer_type(other)[2] != STORAGE_StorageBuffer;
    case 'c':
        return what != 'c' || !is_word(other) ||
               module.words[ids[other].at + 3] != module.words[ids[id].at + 3];
    case 'l': return what != 'l';
    case 'f': return what != 'f' || ids[other].type != ids[id].type;
    case 'I': return other != id;
    case 'D': return !what;
    case 'm': return other < 72; /* more need not be tried */
    case 'r': return what != 0;  /* defined twice */
    default: return false;
    }
}

static uint32_t value_of(uint32_t constant)
{
    return module.words[ids[constant].at + 3];
}

/* Whether this word, in place of an index of the chain at `at`, leads out of what it goes into: of
   a struct only constants name members. */
static bool leads_out(uint32_t at, uint32_t place, uint32_t other)
{
    const uint32_t *w = &module.words[at];
    uint32_t type = pointer_type(w[3])[3];
    for (uint32_t i = 4; i <= 1 + place; i++) {
        const uint32_t *t = &module.words[ids[type].at];
        uint32_t op = t[0] & 0xffff, index = i == 1 + place ? other : w[i];
        bool is_constant = ids[index].what == 'c';
        uint32_t limit = op == OP_TypeVector   ? t[3]
                         : op == OP_TypeArray  ? value_of(t[3])
                         : op == OP_TypeStruct ? (t[0] >> 16) - 2
                                               : UINT32_MAX;
        if (i == 1 + place)
            return is_constant ? value_of(index) >= limit : op == OP_TypeStruct;
        type = op == OP_TypeStruct ? t[2 + value_of(index)] : t[2];
    }
    return false;
}

static void try_operand(const char *name, uint32_t at, uint32_t place, char kind)
{
    uint32_t *w = &module.words[at + 1 + place], id = *w, admitted = 0, tried = 0;
    const uint32_t bound = module.words[3];
    for (uint32_t other = 0; other <= bound + 1; other++) {
        bool is_id = other && other < bound;
        bool is_out = kind == 'x' && is_id && is_word(other) &&
                      (module.words[at] & 0xffff) == OP_AccessChain && leads_out(at, place, other);
        if (other == id || (is_id && !is_out && !is_wrong(kind, at, id, other)))
            continue;
        *w = other == bound + 1 ? UINT32_MAX : other;
        tried++;
        if (opens(module.words)) {
            admitted++;
            CHECK(false, "%s: word %u, Op %u, operand %u, '%c': id %u instead of %u is admitted",
                  name, at, module.words[at] & 0xffff, place, kind, *w, id);
        }
        *w = id;
    }
    CHECK(tried > 2 && !admitted, "%s: word %u: %u tries", name, at, tried);
}

static void test_operands(const char *name, enum builder_kernel kernel, struct spirv_claim claim)
{
    static struct builder b;
    builder_init(&b, name);
    builder_kernel(&b, kernel);
    memcpy(module.words, b.spirv, b.nspirv * sizeof *b.spirv);
    module.count = b.nspirv;
    module.claim = claim;
    CHECK(opens(module.words), "%s", name);
    survey();
    for (uint32_t at = 5; at < module.count; at += module.words[at] >> 16) {
        const char *layout = layout_of(module.words[at] & 0xffff);
        uint32_t n = (module.words[at] >> 16) - 1, letters = (uint32_t)strlen(layout);
        for (uint32_t i = 0; i < n; i++) {
            char kind = layout[i < letters ? i : letters - 1];
            if (kind != 'n')
                try_operand(name, at, i, kind);
        }
    }
}

/* ---- declarations ---- */

/* A declaration that nothing uses, before the first function. */
static bool admits(const uint32_t *w, uint32_t n)
{
    uint32_t at = at_of(OP_Function);
    memmove(module.words + at + n, module.words + at, (module.count - at) * sizeof *w);
    memcpy(module.words + at, w, n * sizeof *w);
    module.count += n;
    module.words[3]++;
    bool ok = opens(module.words);
    module.words[3]--;
    module.count -= n;
    memmove(module.words + at, module.words + at + n, (module.count - at) * sizeof *w);
    return ok;
}

#define NWORDS(...) (sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1)
#define ADMITS(op, ...)                                                                 \
    admits((const uint32_t[]){(uint32_t)NWORDS(__VA_ARGS__) << 16 | (op), __VA_ARGS__}, \
           NWORDS(__VA_ARGS__))

/* Types, constants and pointers of every type that a module has: what may be made of which. */
static void test_declarations(void)
{
    const uint32_t bound = module.words[3];
    for (uint32_t t = 0; t <= bound; t++) {
        const uint32_t *type = &module.words[ids[t].at];
        uint32_t op = t < bound && ids[t].what == 't' ? ids[t].type : 0;
        bool is_number = op == OP_TypeInt || op == OP_TypeFloat;
        bool is_scalar = is_number || op == OP_TypeBool;
        bool is_block =
            op == OP_TypeStruct && ids[type[2]].type == OP_TypeRuntimeArray; /* of one member */
        bool is_uint = op == OP_TypeInt && type[2] == 32 && !type[3];
        bool is_value = is_scalar || op == OP_TypeVector || op == OP_TypeArray ||
                        (op == OP_TypeStruct && !is_block);
        for (uint32_t storage = 0; storage < 16; storage++) {
            bool fits =
                is_block             ? storage == STORAGE_StorageBuffer
                : op == OP_TypeImage ? storage == STORAGE_UniformConstant
                : storage == STORAGE_PushConstant
                    ? is_uint
                    : is_value && (storage == STORAGE_Input || storage == STORAGE_Workgroup ||
                                   storage == STORAGE_Function || storage == STORAGE_StorageBuffer);
            CHECK(ADMITS(OP_TypePointer, bound, storage, t) == fits,
                  "a pointer to %u in storage %u", t, storage);
        }
        for (uint32_t n = 0; n < 7; n++)
            CHECK(ADMITS(OP_TypeVector, bound, t, n) == (is_scalar && n >= 2 && n <= 4), "%u of %u",
                  n, t);
        CHECK(ADMITS(OP_TypeStruct, bound, t) == is_value, "a struct of %u", t);
        CHECK(ADMITS(OP_TypeFunction, bound, t) == (is_value || op == OP_TypeVoid),
              "a function to %u", t);
        bool is_local = op == OP_TypePointer && type[2] == STORAGE_Function;
        uint32_t none = module.words[ids[module.words[at_of(OP_Function) + 2]].at + 1];
        CHECK(ADMITS(OP_TypeFunction, bound, none, t) == (is_value || is_local), "a function of %u",
              t);
        CHECK(ADMITS(OP_ConstantTrue, t, bound) == (op == OP_TypeBool), "true as %u", t);
        CHECK(ADMITS(OP_Constant, t, bound, 1) == is_number &&
                  !ADMITS(OP_Constant, t, bound, 1, 0), /* there are no wide ones here */
              "a constant of %u", t);
        for (uint32_t length = 1; length < bound; length++) {
            bool fits =
                ids[length].what == 'c' && is_word(length) && value_of(length) > 0 && is_value;
            CHECK(ADMITS(OP_TypeArray, bound, t, length) == fits, "an array of %u by %u", t,
                  length);
        }
    }
}

/* Two inputs that are the same built-in. */
static void test_built_ins(void)
{
    enum { BUILT_IN = 11 };
    uint32_t *first = NULL, *second = NULL;
    for (uint32_t at = 5; at < module.count; at += module.words[at] >> 16) {
        uint32_t *w = &module.words[at];
        bool is_input = (w[0] & 0xffff) == OP_Decorate && w[2] == BUILT_IN && ids[w[1]].what == 'v';
        second = is_input ? first : second;
        first = is_input ? w : first;
    }
    CHECK(first && second, "two inputs");
    if (!first || !second)
        return;
    uint32_t kept = first[3];
    first[3] = second[3];
    CHECK(!opens(module.words), "a built-in is used twice");
    first[3] = kept;
    CHECK(opens(module.words), "as before");
}

int main(void)
{
    RUN(test_operands("rich", K_RICH, (struct spirv_claim){{4, 1, 1}, 128, 3, 0, 0, 0}));
    RUN(test_declarations());
    RUN(test_built_ins());
    RUN(test_operands("wild", K_WILD, (struct spirv_claim){{8, 1, 1}, 32, 2, 0, 0, 0}));
    RUN(test_operands("texels", K_XOR_TEXELS, (struct spirv_claim){{64, 1, 1}, 0, 3, 0, 0, 3}));
    return harness_report();
}
