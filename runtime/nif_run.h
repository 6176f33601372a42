/* Runs of programs, in steps. */
#ifndef VKR_NIF_RUN_H
#define VKR_NIF_RUN_H

#include "nif_types.h"

bool nif_open_turns(void);
/* The destructor: ends a run in any state, and frees what it holds. */
void nif_call_down(ErlNifEnv *env, void *call);

nif_function nif_run, nif_resume, nif_cancel;

#endif
