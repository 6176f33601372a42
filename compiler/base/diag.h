/* Diagnostics: the first error of a compile with its place, and notes after it. No function
   here, and none in the library, prints or exits. */
#ifndef VKC_DIAG_H
#define VKC_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* The value is the exit code of the command line tools. */
enum diag_code {
    DIAG_OK = 0,
    DIAG_INPUT = 1,       /* the input is malformed or breaks a rule */
    DIAG_USAGE = 2,       /* the call's arguments are off */
    DIAG_UNSUPPORTED = 3, /* a valid input that cannot be compiled for this target */
    DIAG_INTERNAL = 4,    /* a defect of this library */
    DIAG_MEMORY = 5,      /* out of memory */
    DIAG_CANCELLED = 6,   /* the caller wants no result any more, see cancel.h */
};

struct diag {
    enum diag_code code;
    char message[1024]; /* what was required, what was found; one line */
    char where[256];    /* JSON path, text line or bundle offset, or "" */
    char loc[256];      /* source location of the defn, or "" */
    const char *file;   /* of the C source that found it */
    int line;
    uint32_t notes; /* further errors after the first, not kept */
};

/* Records the first error; yields false so that a caller writes `return diag_fail(...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
bool diag_fail(struct diag *d, enum diag_code code, const char *file, int line,
               const char *fmt, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 5, 0)))
#endif
bool diag_vfail(struct diag *d, enum diag_code code, const char *file, int line,
                const char *fmt, va_list ap);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void diag_where(struct diag *d, const char *fmt, ...);

#define FAIL(d, code, ...) diag_fail((d), DIAG_##code, __FILE__, __LINE__, __VA_ARGS__)

#endif
