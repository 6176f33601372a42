/* A test program counts and prints; its last line is "N passed, N failed, N skipped". */
#ifndef TEST_FRONT_CHECK_H
#define TEST_FRONT_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct check { unsigned passed, failed, skipped; };

static inline int check_finish(const struct check *c)
{
    printf("%u passed, %u failed, %u skipped\n", c->passed, c->failed, c->skipped);
    return c->failed ? 1 : 0;
}

/* Counts; prints what it is about only when it fails. With FAIL_FAST in the environment the first failure is the end. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline bool check_that(struct check *c, bool ok, const char *fmt, ...)
{
    if (ok) {
        c->passed++;
        return true;
    }
    c->failed++;
    va_list ap;
    va_start(ap, fmt);
    printf("FAILED: ");
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    if (getenv("FAIL_FAST"))
        exit(check_finish(c));
    return false;
}

/* A file's bytes with a NUL after them, to be freed; NULL if there is none. */
static inline char *read_file(const char *path, size_t *out_size)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    *out_size = 0;
    size_t size = 0, cap = 0, n;
    if (!f)
        return NULL;
    do {
        if (cap - size < 65536) {
            char *bigger = realloc(data, cap = cap ? 2 * cap : 1 << 17);
            if (!bigger) {
                free(data);
                fclose(f);
                return NULL;
            }
            data = bigger;
        }
        n = fread(data + size, 1, cap - size - 1, f);
        size += n;
    } while (n > 0);
    fclose(f);
    data[size] = '\0';
    *out_size = size;
    return data;
}

#endif
