/* Panels of columns, [matrices, rows, width], a workgroup a matrix: what eliminating and reflecting
   them share. Rows pass through `stage` in shared memory, element (i, j) of a chunk at
   stage[i * PITCH + j]. */
#ifndef VKC_COLUMNS_H
#define VKC_COLUMNS_H

#include "codegen/family/family.h"

struct columns {
    enum vkc_type type;
    int64_t matrices, rows, width;
};

/* Of the kernel's hero, whose first input they are. */
struct columns columns_of(const struct func *f, const struct kernel *k);
/* Opens the statements for element j, of `wide` a row, of row i: three scopes. `at` is where. */
void columns_open(struct emit *e, const struct columns *c, int64_t wide, const struct ix **at);
/* Their text. */
const char *columns_close(struct emit *e);
/* An element of the columns, into `to`. */
const char *columns_load(struct emit *e, const struct columns *c, const char *to);
/* `text` is the element of the result at `at`. */
void columns_store(struct emit *e, const struct columns *c, const struct ix *const *at,
                   const char *text);

/* ---- columns of struct family ---- */
bool columns_start(const struct unit *u, struct kernel *k, struct value v, enum op_class class);
int64_t columns_width(const struct kernel *k);
void columns_print_space(const struct kernel *k, struct str *out);

#endif
