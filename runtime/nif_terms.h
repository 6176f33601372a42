/* Making and reading terms. Knows no resources. */
#ifndef VKR_NIF_TERMS_H
#define VKR_NIF_TERMS_H

#include <erl_nif.h>

#include <stdbool.h>

#include "vkr.h"

enum { NIF_TEXT = 4096 }; /* bytes of a text argument, with its NUL */

/* A function of the table in nif.c. */
typedef ERL_NIF_TERM nif_function(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);

ERL_NIF_TERM nif_atom(ErlNifEnv *env, const char *name);
ERL_NIF_TERM nif_text(ErlNifEnv *env, const char *s); /* a binary; NULL is empty */
ERL_NIF_TERM nif_boolean(ErlNifEnv *env, bool b);
ERL_NIF_TERM nif_ok(ErlNifEnv *env, ERL_NIF_TERM term);
ERL_NIF_TERM nif_failed(ErlNifEnv *env, vkr_status status, const vkr_error *err);
ERL_NIF_TERM nif_refused(ErlNifEnv *env, vkr_status status, const char *message);
void nif_put(ErlNifEnv *env, ERL_NIF_TERM *map, const char *key, ERL_NIF_TERM value);

#define PUT_U64(map, from, field) nif_put(env, &(map), #field, enif_make_uint64(env, (from).field))
#define PUT_F64(map, from, field) nif_put(env, &(map), #field, enif_make_double(env, (from).field))

bool nif_is_true(ErlNifEnv *env, ERL_NIF_TERM term);
/* A binary as a C string in `buf` of NIF_TEXT bytes; NULL if empty. False if it is not a binary,
   or too long. */
bool nif_get_text(ErlNifEnv *env, ERL_NIF_TERM term, char *buf, const char **out);
bool nif_get_u32(ErlNifEnv *env, ERL_NIF_TERM term, uint32_t *out);
bool nif_get_u64(ErlNifEnv *env, ERL_NIF_TERM term, uint64_t *out);

/* For what is tried on the scheduler thread of a process: when it began, and afterwards, so that
   the process has paid for its time. */
ErlNifTime nif_now(void);
void nif_pay(ErlNifEnv *env, ErlNifTime began);

/* For a term that is not a handle. A reference may have been one, and come back from another node
   after nothing here kept what it stood for. Anything else is a badarg. */
ERL_NIF_TERM nif_no_handle(ErlNifEnv *env, ERL_NIF_TERM term, const char *what);

#endif
