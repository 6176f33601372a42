/* The GLSL files of templates/ and shaders/, embedded at build time, and how their @NAMES@ are
   filled. */
#ifndef VKC_TEMPLATE_H
#define VKC_TEMPLATE_H

#include "base/diag.h"
#include "base/str.h"

/* The text of an embedded file ("map.comp", "math/exp_f32.glsl"); NULL if there is none. */
const char *template_text(const char *name);

/* The same without its contract: the lines at its head that begin with "//!", for readers of the
   file. */
const char *template_body(const char *name);

/* SHA-256 over all embedded files: what a cached bundle depends on besides its graph. */
void template_digest(uint8_t out[32]);

struct template_var {
    const char *name, *text;
};

/* Adds the file, without its contract, to `out`. Every @NAME@ is replaced, and a line '#include
   "FILE"' by that file in the same way. A name without a value, or a value without a place, is
   an error. */
bool template_fill(const char *file, const struct template_var *vars, uint32_t nvars,
                   struct str *out, struct diag *d);

#endif
