#include "nif_log.h"

#include <stdlib.h>
#include <string.h>

bool nif_log_init(struct nif_log *log)
{
    log->lock = enif_mutex_create("nx_vulkan_log");
    return log->lock != NULL;
}

void nif_log_finish(struct nif_log *log)
{
    for (uint32_t i = 0; i < log->count; i++)
        free(log->messages[i].text);
    if (log->lock)
        enif_mutex_destroy(log->lock);
}

void nif_log_write(void *context, int severity, const char *message)
{
    struct nif_log *log = context;
    enif_mutex_lock(log->lock);
    char *text = log->count < NIF_MESSAGES ? strdup(message) : NULL;
    if (text)
        log->messages[log->count++] = (struct nif_message){severity, text};
    else
        log->lost++;
    enif_mutex_unlock(log->lock);
}

ERL_NIF_TERM nif_log_take(ErlNifEnv *env, struct nif_log *log)
{
    static const char *const names[] = {"error", "warning", "info"};
    ERL_NIF_TERM list = enif_make_list(env, 0);
    enif_mutex_lock(log->lock);
    for (; log->count > 0; log->count--) {
        struct nif_message *m = &log->messages[log->count - 1];
        const char *severity = names[m->severity < 0 || m->severity > 2 ? 2 : m->severity];
        list = enif_make_list_cell(
            env, enif_make_tuple2(env, nif_atom(env, severity), nif_text(env, m->text)), list);
        free(m->text);
    }
    ERL_NIF_TERM lost = enif_make_uint64(env, log->lost);
    log->lost = 0;
    enif_mutex_unlock(log->lock);
    return enif_make_tuple2(env, list, lost);
}
