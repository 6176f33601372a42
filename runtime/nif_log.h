/* The messages of a device, kept until Elixir asks for them: they come from any thread, in the
   middle of a call. */
#ifndef VKR_NIF_LOG_H
#define VKR_NIF_LOG_H

#include "nif_terms.h"

enum { NIF_MESSAGES = 256 }; /* of a device, not yet asked for */

struct nif_message {
    int severity;
    char *text;
};

struct nif_log {
    ErlNifMutex *lock;
    struct nif_message messages[NIF_MESSAGES];
    uint32_t count;
    uint64_t lost; /* messages that found no room */
};

/* False when out of memory. */
bool nif_log_init(struct nif_log *log);
/* Accepts zeros. */
void nif_log_finish(struct nif_log *log);
/* The log callback of a device. */
void nif_log_write(void *context, int severity, const char *message);
/* {[{error | warning | info, Text}], Lost}, oldest first; and forgets them. */
ERL_NIF_TERM nif_log_take(ErlNifEnv *env, struct nif_log *log);

#endif
