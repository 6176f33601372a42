/* The table of families. */
#include <stddef.h>

#include "case.h"

extern const struct sweep_family family_rows, family_long, family_elements, family_turned,
    family_copies, family_contract, family_tiles, family_conv, family_solve, family_sort,
    family_scan, family_fourier, family_scatter, family_gather, family_windows, family_programs;

const struct sweep_family *const sweep_families[] = {
    &family_rows,     &family_long,   &family_elements,
    &family_turned,   &family_copies, &family_contract,
    &family_tiles,    &family_conv,   &family_solve,
    &family_sort,     &family_scan,   &family_fourier,
    &family_scatter,  &family_gather, &family_windows,
    &family_programs, NULL,
};
