/* Checks that count: every test program prints "N passed, N failed, N skipped" last. */
#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../watch/watch.h"
#include "heap.h"

static int harness_passed, harness_failed, harness_skipped, harness_cases;

/* RUN(test_add(device)) calls it; with CASE in the environment, only if the call contains that
   text. */
#define RUN(call) (harness_wanted(#call) ? (call) : (void)0)

static inline bool harness_wanted(const char *name)
{
    const char *wanted = getenv("CASE");
    bool is_wanted = !wanted || strstr(name, wanted);
    harness_cases += is_wanted;
    return is_wanted;
}

static inline int harness_report(void)
{
    const char *wanted = getenv("CASE");
    if (wanted && !harness_cases && !harness_skipped) {
        harness_failed++;
        printf("FAILED: no case is called %s\n", wanted);
    }
    harness_failed += (int)(watch_findings() + heap_findings());
    printf("%d passed, %d failed, %d skipped\n", harness_passed, harness_failed, harness_skipped);
    return harness_failed ? 1 : harness_passed ? 0 : 77;
}

/* With FAIL_FAST in the environment the first failure is the end. */
#define CHECK(condition, ...)                                      \
    do {                                                           \
        if (condition) {                                           \
            harness_passed++;                                      \
        } else {                                                   \
            harness_failed++;                                      \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            printf(__VA_ARGS__);                                   \
            printf("\n");                                          \
            if (getenv("FAIL_FAST"))                               \
                exit(harness_report());                            \
        }                                                          \
    } while (0)

/* A vkr_ call that must succeed. */
#define OK(call)                                                                    \
    do {                                                                            \
        vkr_error err_ = {0}, *err = &err_;                                         \
        vkr_status status_ = (call);                                                \
        CHECK(status_ == VKR_OK, "%s: %s", vkr_status_name(status_), err->message); \
    } while (0)

/* A vkr_ call that must fail with a status, its message holding `text`. */
#define FAILS(call, wanted, text)                                          \
    do {                                                                   \
        vkr_error err_ = {0}, *err = &err_;                                \
        vkr_status status_ = (call);                                       \
        CHECK(status_ == (wanted) && strstr(err->message, text), "%s: %s", \
              vkr_status_name(status_), err->message);                     \
    } while (0)

/* For a machine without a device. */
static inline int harness_skip(const char *why)
{
    harness_skipped++;
    printf("skipped: %s\n", why);
    return harness_report();
}

#endif
