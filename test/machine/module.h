/* A SPIR-V module decoded for execution: types with their layout, one register file for all
   values and variables of an invocation (functions do not recurse, so each has a fixed place),
   instructions with their registers looked up. */
#ifndef MACHINE_MODULE_H
#define MACHINE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spirv_kind {
    KIND_NOTHING,
    KIND_BOOL,
    KIND_INT,
    KIND_FLOAT,
    KIND_VECTOR,
    KIND_ARRAY,
    KIND_RUNTIME_ARRAY,
    KIND_STRUCT,
    KIND_POINTER,
    KIND_MATRIX,
    KIND_IMAGE /* texels: in a register, the first word of a pointer */
};

struct spirv_type {
    enum spirv_kind kind;
    uint32_t width;   /* bits of a number */
    uint32_t count;   /* elements of a vector, an array or a matrix, members of a struct */
    uint32_t element; /* type id: of elements, of what a pointer points at */
    /* 64-bit words of a value in registers or shared memory: one a number; of a matrix, two f32
       each */
    uint32_t words;
    bool is_bfloat;               /* a float of 16 bits, as bf16 */
    uint32_t columns, use, scope; /* of a matrix */
    uint32_t stride, storage; /* bytes between elements in a buffer; storage class of a pointer */
    const uint32_t *members;  /* type ids */
    uint32_t offsets[8];      /* bytes of members in a buffer */
};

struct spirv_id {
    /* type id of a value; first word of its register, or a label's instruction */
    uint32_t type, at;
    uint32_t binding, built_in; /* UINT32_MAX: none */
    bool exact;                 /* NoContraction */
    const uint32_t *words;      /* the instruction that defines it */
};

struct spirv_inst {
    uint16_t op;
    uint8_t width, result_width; /* bits of the first operand's numbers and of the result's */
    bool contracts[2]; /* an addition whose operand is a product that a driver may fuse with it */
    uint32_t type, result, to; /* ids, and the result's register */
    uint32_t count;            /* words of the result: one a number */
    uint32_t a, b, c;          /* registers of the first operands */
    const uint32_t *words;     /* operands */
    uint32_t nwords;
};

struct spirv_module {
    const uint32_t *words;
    uint32_t nwords, bound;
    struct spirv_type *types; /* by id */
    struct spirv_id *ids;     /* by id */
    struct spirv_inst *insts;
    uint32_t ninsts, entry; /* the first instruction of main */
    uint32_t file_words, shared_words;
    uint64_t *file;      /* constants, and pointers to variables; zeros elsewhere */
    uint32_t local_size; /* invocations of a workgroup */
    /* registers of built-in inputs, or UINT32_MAX */
    uint32_t num_groups, group_id, local_id, global_id, local_index, subgroup_id, subgroup_lane;
    uint32_t pushed, npushed; /* registers of push constants, how many; 0: none */
    bool is_vulkan_memory;    /* its memory model */
    bool has_f16, has_matrices, has_bfloat_matrices, has_memory_model; /* capabilities */
};

/* *Returns* false with a message for what this machine has no meaning for. */
bool module_open(const uint32_t *words, uint32_t nwords, struct spirv_module *out, char *error,
                 size_t error_size);
void module_close(struct spirv_module *m);

/* The pointer in a register is two words: where it points into, with the binding for a buffer,
   and a place there: a word, or a byte of a buffer. */
enum { POINTS_FILE, POINTS_SHARED, POINTS_BUFFER };

/* The words of a struct's members before `member`. */
uint32_t module_member_at(const struct spirv_module *m, const struct spirv_type *t,
                          uint32_t member);

#endif
