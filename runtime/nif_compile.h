/* The compiler and the interpreter. */
#ifndef VKR_NIF_COMPILE_H
#define VKR_NIF_COMPILE_H

#include "nif_terms.h"

nif_function nif_compile, nif_interpret, nif_list_ops;

#endif
