/* Mutations of bundles that know their structure, from a seeded generator; the digest is mended. */
#ifndef TEST_FUZZ_BUNDLE_MUTATE_H
#define TEST_FUZZ_BUNDLE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes a few records or words of a well-formed bundle in place. */
void bundle_mutate(uint8_t *bundle, size_t size, uint64_t *random);

#endif
