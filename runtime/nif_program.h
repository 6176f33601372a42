/* Programs: loading them, and what is in them. */
#ifndef VKR_NIF_PROGRAM_H
#define VKR_NIF_PROGRAM_H

#include "nif_types.h"

/* The destructor. */
void nif_program_down(ErlNifEnv *env, void *program);

nif_function nif_load, nif_program_info, nif_program_times, nif_program_bundle;

#endif
