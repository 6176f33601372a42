#define _POSIX_C_SOURCE 200809L
/* Signals that end vkcompile: noted, so that the compile ends by itself and what is being
   written is written whole. */
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "driver/main.h"

static const int ending[] = {SIGINT, SIGTERM};
enum { NENDING = sizeof ending / sizeof *ending };

static atomic_int received;

static void note(int number)
{
    atomic_store(&received, number);
}

void signals_note(void)
{
    /* the second one ends the process at once; one that is ignored, as behind nohup, stays so */
    struct sigaction act = {.sa_handler = note, .sa_flags = SA_RESTART | (int)SA_RESETHAND}, old;
    sigemptyset(&act.sa_mask);
    for (int i = 0; i < NENDING; i++)
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[i], &act, NULL);
}

bool signals_is_noted(void *context)
{
    (void)context;
    return atomic_load(&received) != 0;
}

void signals_end(void)
{
    int number = atomic_load(&received);
    if (number)
        raise(number); /* its handler was reset by the first */
}
