#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

bool diag_vfail(struct diag *d, enum diag_code code, const char *file, int line, const char *fmt,
                va_list ap)
{
    if (d->code != DIAG_OK) {
        d->notes++;
        return false;
    }
    d->code = code;
    d->file = file;
    d->line = line;
    vsnprintf(d->message, sizeof d->message, fmt, ap);
    return false;
}

bool diag_fail(struct diag *d, enum diag_code code, const char *file, int line, const char *fmt,
               ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_vfail(d, code, file, line, fmt, ap);
    va_end(ap);
    return false;
}

void diag_where(struct diag *d, const char *fmt, ...)
{
    if (d->where[0] != '\0')
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(d->where, sizeof d->where, fmt, ap);
    va_end(ap);
}
