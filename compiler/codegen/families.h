/* What a kernel of each family runs over, and how it is spread over threads: two structs per
   family, in its own terms. The kernel's family says which member of a union holds. Only the
   family's files read its members; others ask the columns of struct family (family/family.h). */
#ifndef VKC_FAMILIES_H
#define VKC_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

/* ---- iteration spaces: numbers of 64 bits only, since identity.c takes them as words ---- */

struct map_space {
    int64_t size;   /* elements */
    int64_t pieces; /* runs of the space, of each of which a thread takes one element */
};

struct solve_space {
    int64_t systems; /* right sides: each is solved for alone */
    int64_t order;   /* of the matrix */
};

struct lines_space {
    int64_t rows, length; /* length: elements of a row */
};

struct fourier_space {
    int64_t lines, length; /* length: elements of a line */
};

struct panel_space {
    int64_t matrices, order; /* all of one order */
    int64_t elements;        /* of the results */
};

struct columns_space {
    int64_t matrices, rows;
    int64_t width; /* columns that are eliminated or reflected */
};

struct blocks_space {
    int64_t matrices, pairs; /* pairs: of a matrix */
    int64_t width, length;   /* rows of a pair; columns */
};

struct singular_space {
    int64_t matrices, rows, columns;
    int64_t wanted; /* columns of U */
};

struct contract_space {
    int64_t batch, m, n, k;
};

struct attend_space {
    int64_t batch, m, n, width; /* n: scores of a row; width: of a value */
};

struct rows_space {
    int64_t outer, inner; /* rows, and elements of a row */
};

enum { SPACE_WORDS = 4 };

union space {
    int64_t words[SPACE_WORDS]; /* first, so that {{0}} clears all; what is not used stays 0 */
    struct map_space map;
    struct solve_space solve;
    struct lines_space lines;
    struct fourier_space fourier;
    struct panel_space panel;
    struct columns_space columns;
    struct blocks_space blocks;
    struct singular_space singular;
    struct contract_space contract;
    struct attend_space attend;
    struct rows_space rows;
};

/* ---- schedules ---- */

struct map_schedule {
    uint32_t lanes;        /* consecutive elements of a thread */
    int64_t across, along; /* axes whose tiles turn in shared memory, family/turn.c; 0: none */
};

struct lines_schedule {
    uint32_t span;       /* elements of a run in shared memory, a power of two */
    uint32_t steps;      /* how often that is done for a run */
    uint32_t group_runs; /* of a workgroup */
    bool across;         /* neighbouring threads take neighbouring rows, not elements */
};

struct fourier_schedule {
    uint32_t line_threads; /* that share a line */
    uint32_t group_lines;  /* of a workgroup; group = line_threads * group_lines */
};

struct panel_schedule {
    uint32_t lanes; /* threads that share a matrix */
    uint32_t each;  /* matrices of a workgroup; group = lanes * each */
    uint32_t below; /* rows below a matrix that a workgroup has, too, of one matrix */
};

struct contract_schedule {
    uint32_t tile_m, tile_n, tile_k; /* of a workgroup; on a CPU of a thread */
    uint32_t thread_m, thread_n;     /* of a thread */
    uint32_t vector;                 /* neighbouring elements in shared memory, 1 or 4 */
    /* where matrix units compute it: vkb_matrix, plus 1, and a thread is a subgroup; else 0 */
    uint32_t matrix;
    bool split;          /* and each operand is two numbers of 16 bits */
    uint32_t vectors[2]; /* and those of 16 bytes that an operand's tile takes in shared memory */
    /* rows or columns of the product, all of which a thread has, see contract_narrow.c; else 0 */
    uint32_t few;
};

struct attend_schedule {
    uint32_t rows;   /* of a workgroup */
    uint32_t blocks; /* matrices, one above the other, that a subgroup has the rows of */
    /* where matrix units compute it: vkb_matrix, plus 1, and a subgroup has its rows; else 0 */
    uint32_t matrix;
    /* of 16 bytes, with matrix units: a row's scores, before that its query; a tile's keys or
       values */
    uint32_t row_vectors, tile_vectors;
};

struct rows_schedule {
    uint32_t row_threads; /* that share a row, a power of two */
    uint32_t group_rows;  /* of a workgroup; group = row_threads * group_rows */
    bool outer_fast;      /* neighbouring threads take neighbouring rows, not elements */
    uint32_t unroll;      /* elements that a thread takes in straight code; 1: a plain loop */
    uint32_t vector;      /* neighbouring elements among them, 1 or 4 */
    bool held;            /* and all of its elements are in it, and stay in registers */
};

struct schedule {
    uint32_t group;     /* invocations of a workgroup */
    uint32_t groups[3]; /* workgroups */
    union { /* triangular systems, columns, rotations and digits have nothing to choose */
        struct map_schedule map;
        struct lines_schedule lines;
        struct fourier_schedule fourier;
        struct panel_schedule panel;
        struct contract_schedule contract;
        struct attend_schedule attend;
        struct rows_schedule rows;
    };
};

#endif
