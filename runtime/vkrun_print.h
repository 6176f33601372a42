/* What the parts of vkrun share: exit codes, complaints, shapes as text. */
#ifndef VKR_VKRUN_PRINT_H
#define VKR_VKRUN_PRINT_H

#include "vkr.h"

enum exit_code { EXIT_DONE, EXIT_INPUT, EXIT_USAGE, EXIT_UNSUPPORTED, EXIT_INTERNAL };

/* Prints "vkrun: what: message" to stderr. *Returns* `code`. */
int complain(int code, const char *what, const char *message);
/* complain with the exit code that a status means. */
int complain_status(vkr_status status, const vkr_error *err);

/* "f32[64,10]" */
void print_shape(const char *type, uint32_t rank, const uint64_t *dims);
/* The same as text, of SHAPE_TEXT bytes at most. */
enum { SHAPE_TEXT = 400 };
void shape_text(const char *type, uint32_t rank, const uint64_t *dims, char out[SHAPE_TEXT]);

#endif
