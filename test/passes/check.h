/* Counts for the tests of this folder, and their last line. */
#ifndef PASSES_CHECK_H
#define PASSES_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static unsigned check_passed, check_failed, check_skipped;

static inline int check_report(void)
{
    printf("%u passed, %u failed, %u skipped\n", check_passed, check_failed, check_skipped);
    return check_failed ? 1 : 0;
}

/* Counts; says what and where when it does not hold. With FAIL_FAST in the environment the first failure is the end. */
#define CHECK(holds, ...)                                        \
    do {                                                         \
        if (holds) {                                             \
            check_passed++;                                      \
        } else {                                                 \
            check_failed++;                                      \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #holds);   \
            printf(__VA_ARGS__);                                 \
            putchar('\n');                                       \
            if (getenv("FAIL_FAST"))                             \
                exit(check_report());                            \
        }                                                        \
    } while (0)

#endif
