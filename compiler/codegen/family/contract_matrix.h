/* What products on matrix units share: contract_matrix.c has the loop and the results,
   matrix_operand.c the loads, matrix_results.c what follows, contract_split.c what f32 takes
   more. */
#ifndef VKC_CONTRACT_MATRIX_H
#define VKC_CONTRACT_MATRIX_H

#include "codegen/family/contract.h"
#include "codegen/family/contract_rows.h"
#include "target/units.h"

/* The matrices that the kernel's products are made of. */
const struct matrix *matrix_of(const struct emit *e);
/* The type of the operands' elements. */
enum vkc_type matrix_type(const struct unit *u, const struct kernel *k);
/* Whether operands are f32, each two numbers of 16 bits. */
static inline bool matrix_splits(const struct emit *e)
{
    return e->kernel->schedule.contract.split;
}

/* The part of an operand's tile that a thread loads: `each` times eight elements along the
   memory. */
struct part {
    uint32_t side, run, each; /* run: elements of the tile along the memory */
    bool along_k;
    bool whole;  /* eight elements are inside the operand, or outside */
    bool copied; /* as they are: a line, which is written for each load */
};

/* The declarations of such matrices. */
void matrix_print_unit(struct emit *e, const struct matrix *m, struct str *out);

/* 'a' or 'b', in the code. */
static inline char matrix_name(const struct part *p)
{
    return p->side ? 'b' : 'a';
}

/* ---- contract_group.c ---- */
bool group_matrix_fits(const struct unit *u, const struct kernel *k, const struct alternative *to);
bool group_matrix_schedule(const struct unit *u, struct kernel *k);
bool group_matrix_write(struct emit *e, struct contract *c);
void group_matrix_print(struct emit *e, struct str *out);
bool group_matrix_fill(struct emit *e, struct kernel_text *t, struct str *out);

/* ---- matrix_operand.c ---- */
struct part matrix_part(const struct emit *e, const struct contract *c, uint32_t side);
/* The statements that fill next_a or next_b with what lies at k0, and notes whether each load is a
   line. */
const char *matrix_fetch(struct emit *e, struct contract *c, struct part *p);
/* What a thread does with each of its loads: puts its elements into shared memory, f32 as halves,
   or as they are for the plain product; notes which are too small for halves, and tells. */
enum matrix_use { MATRIX_PUT, MATRIX_PUT_PLAIN, MATRIX_COUNT, MATRIX_TELL };
const char *matrix_use(struct emit *e, const struct part *p, enum matrix_use use);

/* Where the operand's element at free index f and k is loaded from, if it is a stored value and
   nothing is done with it; else NULL. */
const struct ix *matrix_loaded_from(struct emit *e, const struct contract *c, const struct part *p,
                                    const struct ix *f, const struct ix *k,
                                    struct value *out_value);

/* The element of number l of eight that `of` describes. */
typedef struct expr matrix_element(struct emit *e, const void *of, uint32_t l);
/* Fills the vector `to` of 16 bits each with eight of them. *Returns* whether they are copied as
   they lie in memory; `may_be`: they may be, being there or not together. */
bool matrix_fetch_eight(struct emit *e, enum vkc_type type, matrix_element *at, const void *of,
                        const char *to, bool may_be);
/* The bits of element l of a vector where they are in their word of two. */
const char *matrix_bits(struct emit *e, enum vkc_type type, const char *text, uint32_t l);

/* ---- matrix_results.c ---- */
/* Of a row of a subgroup's matrices of results in shared memory: vectors, and those from line to
   line. */
uint32_t matrix_sum_vectors(const struct contract_schedule *s);
uint32_t matrix_sum_pitch(const struct contract_schedule *s);
/* Whether rows of such tiles can be reduced, and how many threads share a row of one. */
bool matrix_reduces(const struct unit *u, const struct contract_schedule *s);
uint32_t matrix_row_threads(const struct unit *u, const struct contract_schedule *s);
/* Which row of the tile the i-th of a thread is, and how many threads share it. */
struct row_parts matrix_rows(const struct emit *e);
/* What follows the product, which lies in sums; `parts` if rows of it are reduced, else NULL. */
void matrix_finish(struct emit *e, const struct contract *c, const struct row_parts *parts);

/* ---- contract_split.c ---- */
enum { SPLIT_SHARED_BYTES = 20 }; /* beside the operands */
void split_print_shared(struct emit *e, struct str *out);
/* Behind the first loads: the operands' scales. */
void split_begin(struct emit *e, const struct part parts[2]);
/* Puts the thread's load of number `load` into the array: its halves, at vector `to` of a plane; as
   it is. */
void split_put(struct emit *e, const struct part *p);
void split_put_plain(struct emit *e, const struct part *p);
/* Notes what is too small of the thread's load of number `load`; `tell`: to all threads. */
void split_count(struct emit *e, const struct part *p, bool tell);

/* What a thread does with all its loads: the loads themselves, at k0, and the uses of that name. */
struct split_text {
    const char *fetch, *count, *tell, *put;
};

/* Behind the loop: the sums of high and of low halves become one; whether the product stands, and
   the plain product, where it does not. `put` is MATRIX_PUT_PLAIN; `pitch`:
   matrix_sum_pitch. */
void split_end(struct emit *e, const struct part parts[2], const struct split_text *text,
               uint32_t pitch);

#endif
