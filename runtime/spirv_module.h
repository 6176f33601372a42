/* A SPIR-V module while it is checked, and what the parts of the verifier ask of it. The verifier
   is in spirv_check.h. No Vulkan. */
#ifndef VKR_SPIRV_MODULE_H
#define VKR_SPIRV_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spirv_rules.h"

#define SPIRV_MAX_WORDS (1u << 20)
#define SPIRV_MAX_EXPANDED (1u << 22) /* words with every call written out, as drivers do */
/* Of variables of one invocation, with every call written out: arrays and structs, which drivers
   may keep in memory, and the rest, which they keep in registers. A workgroup program of ours with
   1,600 statements has 108 KB of those. */
#define SPIRV_MAX_ARRAY_BYTES 65536u
#define SPIRV_MAX_SCALAR_BYTES (1u << 20)
#define SPIRV_MAX_CALLS 32u    /* deep */
#define SPIRV_MAX_NESTING 128u /* of constructs in a function; drivers recurse over them */
#define SPIRV_MAX_FUNCTIONS 4096u

enum spirv_what {
    WHAT_NOTHING, /* not defined yet */
    WHAT_IMPORT,
    WHAT_TYPE,
    WHAT_CONSTANT,
    WHAT_VARIABLE,
    WHAT_FUNCTION,
    WHAT_PARAMETER,
    WHAT_LABEL,
    WHAT_RESULT,
};

enum spirv_kind {
    KIND_VOID,
    KIND_BOOL,
    KIND_INT,
    KIND_FLOAT,
    KIND_VECTOR,
    KIND_ARRAY,
    KIND_STRUCT, /* of values */
    KIND_RUNTIME_ARRAY,
    KIND_BLOCK,
    KIND_PUSHED_ARRAY, /* push constants: words */
    KIND_PUSHED,       /* the block of these */
    KIND_POINTER,
    KIND_FUNCTION,
    KIND_IMAGE, /* texels */
};

enum spirv_role { LABEL_UNSEEN, LABEL_ENTRY, LABEL_ARM, LABEL_NEXT, LABEL_MERGE, LABEL_CONTINUE };

/* An id; zeroed until something is known of it. */
struct spirv_id {
    uint8_t what;  /* enum spirv_what */
    uint8_t kind;  /* TYPE: enum spirv_kind */
    uint8_t bits;  /* TYPE: of a number */
    uint8_t depth; /* TYPE: of nesting */
    uint8_t role;  /* LABEL: enum spirv_role, also before it is defined */
    bool is_signed;
    uint16_t op; /* that defines it */
    uint32_t at; /* and the word where */
    /* of a value; TYPE: of its elements, what it points to, or a function's result */
    uint32_t type;
    /* TYPE: components, elements or members. LABEL: branches to it */
    uint32_t count;
    /* TYPE: of a pointer. VALUE: of the variable that a pointer goes to */
    uint32_t storage;
    /* VALUE: that variable, also of loaded texels. FUNCTION: its place in `functions`, and 1; known
       before */
    uint32_t root;
    uint64_t bytes; /* TYPE: of a value */
    /* VALUE: serial of the scope that sees it; 0: everywhere. LABEL: at its end */
    uint32_t scope;
    uint32_t level; /* VALUE: and how deep that is */
    uint32_t end;   /* LABEL: word of the branch that ends its block */
    /* decorations: bits 1 << DECORATION_, those of a struct's one member included */
    uint32_t marks;
    uint32_t of_member; /* of these, the member's */
    uint32_t built_in, binding, stride;
};

/* What may stand where no block is open. */
enum spirv_next {
    NEXT_NOTHING,   /* the function's end */
    NEXT_ENTRY,     /* parameters, then the entry block */
    NEXT_LABEL,     /* `next_label` */
    NEXT_CONSTRUCT, /* what the construct at hand waits for */
};

/* A construct that is open: from its header to its merge block. */
struct spirv_construct {
    bool is_loop;
    bool in_continue; /* of a loop: from its continue target on */
    bool is_closed;   /* of a loop: it has gone back to its header */
    uint32_t merge, continue_to, header;
    uint32_t level; /* of the scope around it */
    /* the innermost loop, itself included: its place in the stack, or 0 */
    uint32_t loop;
    uint32_t arms[2]; /* of a selection: labels that are still to come, or 0 */
};

/* What a bundle says of a kernel. */
struct spirv_claim {
    uint32_t local_size[3];
    uint32_t shared_bytes, nbindings, npushed, features;
    uint64_t texels; /* bindings, as in struct vkb_body */
};

/* What the module does to a binding. Several variables may name one, with elements of several
   sizes. */
struct spirv_use {
    /* that must be bound: one element, and what constant indices reach; 0: unused */
    uint64_t least_bytes;
    uint8_t access; /* VKB_READ, VKB_WRITE */
};

struct spirv_function {
    uint32_t at;                               /* word of OpFunction */
    uint32_t ncalls, first_call;               /* in `calls` */
    uint64_t words, array_bytes, scalar_bytes; /* its own; then with what it calls written out */
    uint32_t depth;                            /* of calls below it */
    uint32_t callers;                          /* calls of it that are not yet accounted for */
};

struct spirv_module {
    const uint32_t *words;
    uint32_t nwords, bound;
    const struct spirv_claim *claim;
    struct spirv_id *ids;   /* `bound` of them */
    struct spirv_use *uses; /* by binding */
    struct spirv_function *functions;
    uint32_t nfunctions;
    /* places of callees in `functions`, by caller; how many so far */
    uint32_t *calls, ncalls;
    uint32_t entry;                           /* id of the entry point's function */
    uint32_t entry_at;                        /* word of OpEntryPoint */
    uint32_t import;                          /* id of GLSL.std.450 */
    uint32_t void_type, uint_type, bool_type; /* 0: none yet */
    uint32_t globals_at, body_at;             /* words of the first global and the first function */
    uint64_t shared_bytes;                    /* of all workgroup variables */
    uint32_t capabilities;                    /* bits by number, below 32 */
    uint32_t subgroups;                       /* capabilities of these, bits by number - 61 */
    uint32_t float_controls;                  /* capabilities of these, bits by number - 4464 */
    bool has_texels;                          /* the capability that these need */
    bool has_extension;                       /* the one that float controls need */
    uint32_t ninputs;                         /* input variables */
    uint32_t built_ins;                       /* bits by number - 24 */
    bool has_size;                            /* LocalSize was there */
    bool has_pushed;                          /* and a variable of push constants */

    /* The function being checked. */
    uint32_t function;   /* its place in `functions`, and 1; 0: in none */
    uint32_t parameters; /* that are still to come */
    enum spirv_next next;
    uint32_t block, next_label; /* label of the open block, 0: none; the one that must follow */
    /* word of a merge instruction, which a branch must follow; 0: none */
    uint32_t merge_at;
    bool may_declare, may_join; /* nothing but variables, or phis, so far in the block */
    struct spirv_construct *stack;
    uint32_t depth; /* the construct at hand; 0: none */
    uint32_t *open; /* by level: serial of the scope */
    uint32_t level, serial;

    uint32_t at; /* word of the instruction being checked */
    char *error;
    size_t error_size;
    bool out_of_memory;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
/* Records the complaint, if it is the first, with the instruction's place. *Returns* false. */
bool spirv_fail(struct spirv_module *m, const char *format, ...);

/* What is known of that id; one of WHAT_NOTHING if it is outside the bound. */
const struct spirv_id *spirv_look(const struct spirv_module *m, uint32_t id);
/* The type of that id; one of WHAT_NOTHING if there is none. */
const struct spirv_id *spirv_type(const struct spirv_module *m, uint32_t id);
/* A value that is seen here, and its type. NULL with a complaint. */
const struct spirv_id *spirv_operand(struct spirv_module *m, uint32_t id,
                                     const struct spirv_id **out_type);
/* Whether the id, not defined so far, may be defined as this, by what it is decorated with. */
bool spirv_define(struct spirv_module *m, uint32_t id, enum spirv_what what, uint32_t type,
                  uint32_t targets);
/* As a result of the instruction at hand, seen in the scope at hand. */
bool spirv_define_result(struct spirv_module *m, uint32_t id, uint32_t type);
/* A type that variables, parameters and results may have. */
bool spirv_is_value_type(const struct spirv_id *type);
/* Whether the id is an integer constant of 32 bits. */
bool spirv_constant(const struct spirv_module *m, uint32_t id, uint32_t *out);

/* The targets of OpMemberDecorate, or of OpDecorate. */
static inline uint32_t spirv_side(bool is_member)
{
    return is_member ? ON_MEMBER : ~(uint32_t)ON_MEMBER;
}

/* Whether it is decorated so. */
static inline bool spirv_has_mark(const struct spirv_id *id, enum spirv_decoration mark)
{
    return id->marks >> mark & 1;
}

#endif
