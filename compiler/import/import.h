/* JSON to graph: reads version 1 of compiler/README.md with every check that a file of unknown
   origin needs, then ir_verify. */
#ifndef VKC_IMPORT_H
#define VKC_IMPORT_H

#include "ir/ir.h"

/* False with a diagnostic that has the JSON path. Everything lives in `a`; literals are copied. */
bool import_json(struct arena *a, const void *json, size_t size, const void *sidecar,
                 size_t sidecar_size, struct graph *out, struct diag *d);

#endif
