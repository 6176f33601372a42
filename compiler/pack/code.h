/* SPIR-V as kernels are compared: instruction by instruction, ids by the order in which they come.
   Integers of 32 bits are no ids but what they are worth, and in some operands that may come when
   the code runs. Knows the instructions that glslang writes; others are the same if all of their
   words are. */
#ifndef VKC_CODE_H
#define VKC_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct code {
    const uint32_t *words;
    uint32_t n, bound;
    uint32_t entry;     /* id of the entry point's function */
    uint32_t uint_type; /* id of the type of words; 0: there is none */
    uint32_t *integer;  /* by id: the word where such an integer is declared; 0: it is none */
};

/* *Returns* false if memory is out, or if it is not whole. */
bool code_open(struct arena *a, const uint32_t *words, uint32_t n, struct code *out);

/* What depends on everything that alike modules have in common. */
uint64_t code_hash(const struct code *m);

/* Whether they differ in nothing but ids, and integers in places where these may vary. `divisors`:
   also what is divided by may, outside of loops. `map` has room for both bounds. */
bool code_alike(const struct code *a, const struct code *b, bool divisors, uint32_t *map);

/* An operand that may vary. */
struct code_number {
    uint32_t at; /* the word that names it */
    uint32_t value;
    bool is_signed;
};

/* Those of a module, in order: at most `most` are written. *Returns* how many there are. */
uint32_t code_numbers(const struct code *m, bool divisors, struct code_number *out, uint32_t most);

#endif
