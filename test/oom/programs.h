/* The programs whose allocations fail: a loop and branches, callbacks, and rows and contractions
   fused. */
#ifndef OOM_PROGRAMS_H
#define OOM_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

struct oom_program {
    const char *name;
    bool text_ir;
    char *graph; /* JSON, or text IR */
    size_t size;
};

enum { OOM_PROGRAMS = 3 };
extern struct oom_program oom_programs[OOM_PROGRAMS];

/* From the root of the repository. False after a failed check. */
bool oom_programs_read(void);
void oom_programs_free(void);

/* A graph of test/graphs. */
bool oom_graph_read(const char *path, struct oom_program *out);

#endif
