/* Counts for the tests of this folder, and their last line. With CASE in the environment only
   the cases run whose names contain it. */
#ifndef PASSES_CHECK_H
#define PASSES_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned check_passed, check_failed, check_skipped, check_cases;

/* Whether a case is to run. */
static inline bool check_wanted(const char *name)
{
    const char *wanted = getenv("CASE");
    bool is_wanted = !wanted || strstr(name, wanted);
    check_cases += is_wanted;
    return is_wanted;
}

static inline int check_report(void)
{
    const char *wanted = getenv("CASE");
    if (wanted && !check_cases) {
        check_failed++;
        printf("FAILED: no case is called %s\n", wanted);
    }
    printf("%u passed, %u failed, %u skipped\n", check_passed, check_failed, check_skipped);
    return check_failed ? 1 : 0;
}

/* Counts; says what and where when it does not hold. With FAIL_FAST in the environment the first
   failure is the end. */
#define CHECK(holds, ...)                                      \
    do {                                                       \
        if (holds) {                                           \
            check_passed++;                                    \
        } else {                                               \
            check_failed++;                                    \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #holds); \
            printf(__VA_ARGS__);                               \
            putchar('\n');                                     \
            if (getenv("FAIL_FAST"))                           \
                exit(check_report());                          \
        }                                                      \
    } while (0)

#endif
