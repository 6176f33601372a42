/* The text of a shader: files of shaders/math, with what they need. */
#ifndef NUMERICS_COMPOSE_H
#define NUMERICS_COMPOSE_H

#include <stdio.h>
#include <stdlib.h>

#include "numerics.h"

#define DIE(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(2))

struct text {
    char *bytes;
    size_t len, cap;
};

enum { MAX_FILES = 256 };

struct files {
    char *seen[MAX_FILES];
    int count;
    bool f64, i64;
    struct text text;
};

void text_add(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
/* A file of shaders/ by its name. */
const char *template_text(const char *name);
/* Adds a file of shaders/math, and those that it needs, once. */
void add_file(struct files *f, const char *name);
/* Adds the files that INDEX names for every nx_ word of the call; all overloads on the types at
   hand. */
void add_calls(struct files *f, const struct row *r);

#endif
