/* The tables of what the untrusted door admits of SPIR-V (spirv_rules.def), and the numbers that
   its checks know by name. No Vulkan. */
#ifndef VKR_SPIRV_RULES_H
#define VKR_SPIRV_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* The parts of a module, in their order. */
enum spirv_rank {
    RANK_CAPABILITIES = 1,
    RANK_EXTENSIONS,
    RANK_IMPORTS,
    RANK_MEMORY_MODEL,
    RANK_ENTRY,
    RANK_MODES,
    RANK_ANNOTATIONS,
    RANK_GLOBALS,
    RANK_BODY,
};

/* How the operands of an instruction are checked. The first group are declarations, the second
   control flow and memory, the third take values and make one: *_UNARY, _BINARY and _TERNARY
   have operands like the result. */
enum spirv_form {
    FORM_NONE,
    FORM_CAPABILITY,
    FORM_EXTENSION_NAME,
    FORM_IMPORT,
    FORM_MEMORY_MODEL,
    FORM_ENTRY,
    FORM_MODE,
    FORM_DECORATE,
    FORM_MEMBER_DECORATE,
    FORM_TYPE_VOID,
    FORM_TYPE_BOOL,
    FORM_TYPE_INT,
    FORM_TYPE_FLOAT,
    FORM_TYPE_VECTOR,
    FORM_TYPE_IMAGE,
    FORM_TYPE_ARRAY,
    FORM_TYPE_RUNTIME_ARRAY,
    FORM_TYPE_STRUCT,
    FORM_TYPE_POINTER,
    FORM_TYPE_FUNCTION,
    FORM_CONSTANT_BOOL,
    FORM_CONSTANT,
    FORM_CONSTANT_COMPOSITE,
    FORM_VARIABLE,

    FORM_FUNCTION,
    FORM_PARAMETER,
    FORM_FUNCTION_END,
    FORM_LABEL,
    FORM_LOOP_MERGE,
    FORM_SELECTION_MERGE,
    FORM_BRANCH,
    FORM_BRANCH_CONDITIONAL,
    FORM_RETURN,
    FORM_RETURN_VALUE,
    FORM_PHI,
    FORM_CALL,
    FORM_LOAD,
    FORM_STORE,
    FORM_ACCESS_CHAIN,
    FORM_ARRAY_LENGTH,
    FORM_ATOMIC,
    FORM_FETCH,
    FORM_CONTROL_BARRIER,
    FORM_MEMORY_BARRIER,

    FORM_EXT_INST,
    FORM_SHUFFLE,
    FORM_CONSTRUCT,
    FORM_EXTRACT,
    FORM_EXTRACT_DYNAMIC,
    FORM_FLOAT_TO_INT,
    FORM_FLOAT_TO_UINT,
    FORM_INT_TO_FLOAT,
    FORM_INT_RESIZE,
    FORM_UINT_RESIZE,
    FORM_FLOAT_RESIZE,
    FORM_BITCAST,
    FORM_PACK_DOUBLE,
    FORM_UNPACK_DOUBLE,
    FORM_INT_UNARY,
    FORM_INT_UNARY_32,
    FORM_INT_BINARY,
    FORM_INT_TERNARY,
    FORM_INT_DIVIDE,
    FORM_UINT_DIVIDE,
    FORM_FLOAT_UNARY,
    FORM_FLOAT_BINARY,
    FORM_FLOAT_TERNARY,
    FORM_VECTOR_TIMES_SCALAR,
    FORM_MUL_EXTENDED,
    FORM_BOOL_UNARY,
    FORM_BOOL_BINARY,
    FORM_BOOL_REDUCE,
    FORM_SELECT,
    FORM_INT_COMPARE,
    FORM_FLOAT_COMPARE,
    FORM_SHIFT,
    FORM_BIT_FIELD,
    FORM_BALLOT,
    FORM_SUBGROUP_SCAN,
};

/* The first capability of subgroups, the bits of those that follow, and what their instructions say
   of whom and what: the subgroup, what those before have. */
enum { CAP_SUBGROUPS = 61, HAS_SUBGROUPS = 1, HAS_ARITHMETIC = 4, HAS_BALLOTS = 8 };
enum { SCOPE_SUBGROUP = 3, EXCLUSIVE_SCAN = 2 };

/* What a decoration may stand at; a bit each. */
enum spirv_target {
    ON_STRUCT = 1,
    ON_RUNTIME_ARRAY = 2,
    ON_BUFFER = 4,
    ON_INPUT = 8,
    ON_CONSTANT = 16,
    ON_RESULT = 32,
    ON_MEMBER = 64,
    ON_TEXELS = 128,
    ON_ARRAY = 256,
};

enum spirv_op {
#define OP(number, name, rank, form, least, most) OP_##name = number,
#include "spirv_rules.def"
};

enum spirv_ext {
#define EXT(number, name, form) EXT_##name = number,
#include "spirv_rules.def"
};

enum spirv_storage {
#define STORAGE(number, name) STORAGE_##name = number,
#include "spirv_rules.def"
};

enum spirv_built_in {
#define BUILT_IN(number, name, target) BUILT_IN_##name = number,
#include "spirv_rules.def"
};

/* The rows of decorations: their places in the table, and bits of spirv_id.marks. */
enum spirv_decoration {
#define DECORATION(number, name, operands, targets) DECORATION_##name,
#include "spirv_rules.def"
    DECORATION_COUNT
};

struct spirv_op_rule {
    uint8_t rank, form;
    uint16_t least, most;
    const char *name;
};
struct spirv_decoration_rule {
    uint32_t number, operands, targets;
    const char *name;
};

/* NULL: not admitted. */
const struct spirv_op_rule *spirv_op_rule(uint32_t op);
/* FORM_NONE: not admitted. */
enum spirv_form spirv_ext_form(uint32_t function);
/* A DECORATION_ place in the table, or -1. */
int spirv_decoration_row(uint32_t number);
const struct spirv_decoration_rule *spirv_decoration_rule(int row);
/* Whether it is admitted, and the features of which the kernel must have one; 0: none. */
bool spirv_capability(uint32_t number, uint32_t *out_features);
bool spirv_extension(const char *name);
/* The feature that it needs, 0: not admitted. */
uint32_t spirv_mode_feature(uint32_t mode, uint32_t width);
/* The capability that the type needs, 0: not admitted. */
uint32_t spirv_scalar_capability(bool is_float, uint32_t bits, uint32_t is_signed);
bool spirv_storage(uint32_t number);
/* What a built-in stands at, 0: not admitted. */
uint32_t spirv_built_in_target(uint32_t number);

#endif
