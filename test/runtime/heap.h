/* The host memory of the runtime, as it is built for tests: what lies behind each piece of it is
   compared when it is freed, and what is left at the end is counted. Sanitizers do it better, but
   most runs are without. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* In place of the C library's in the runtime's objects (Makefile). *Owns*: the caller, free. */
void *heap_malloc(size_t size);
void *heap_calloc(size_t count, size_t size);

/* Pieces that were written past their ends, and those not freed so far; each is printed. */
uint32_t heap_findings(void);

#endif
