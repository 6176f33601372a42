/* The GLSL files of templates/ and shaders/ as mk/embed.sh embeds them, and its tables of the
   functions in shaders/math. */
#ifndef VKC_LIBRARY_H
#define VKC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "runtime/bundle.h"

struct embedded {
    const char *name, *text;
};
extern const struct embedded vkc_embedded[]; /* ends with a NULL name */

enum { LIBRARY_END = UINT16_MAX };

struct library_file {
    const char *text;      /* without the lines for mk/library.awk */
    const uint16_t *needs; /* files with functions that it calls; LIBRARY_END after them */
    uint32_t features;     /* vkb_feature bits; FMA: it is better where there is one */
};

/* An overload: a line of math/INDEX. */
struct library_function {
    const char *name, *type; /* "nx_exp", and the GLSL type of its first argument */
    uint16_t file;
    uint32_t size; /* instructions of SPIR-V that a call is, with all that it calls */
};

extern const struct library_file vkc_library_files[];
extern const struct library_function vkc_library[]; /* by name, then type */
extern const size_t vkc_nlibrary;

/* The index in vkc_library of the function `name` for the GLSL type; false if there is none. */
bool library_find(const char *name, const char *type, uint16_t *out_index);
/* The functions with the indices `calls`, with what those need: each file once, after those that it
   needs. False when out of memory. */
bool library_print(struct arena *a, const uint16_t *calls, uint32_t ncalls, struct str *out,
                   uint32_t *out_features);

#endif
