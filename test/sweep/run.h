/* A case on the device, compared with the interpreter. */
#ifndef SWEEP_RUN_H
#define SWEEP_RUN_H

#include "case.h"
#include "../e2e/e2e.h"

enum outcome { CASE_PASSED, CASE_FAILED, CASE_SKIPPED, CASE_DIED };

/* Prints one line when it fails; skipped is what the profile cannot do, as f64 where there is
   none. */
enum outcome run_case(struct e2e *e, const struct sweep_case *c);

#endif
