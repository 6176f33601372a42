/* Stands between the runtime and the C library, by the linker's --wrap: libraries that are not
   there, files of the system with other contents, and another clock. */
#ifndef TEST_SYSTEM_H
#define TEST_SYSTEM_H

#include <stdbool.h>
#include <time.h>

/* Every dlopen of the runtime fails; *names counts what was asked for. */
void system_hide_libraries(unsigned *names);

/* Which file is opened in place of this one. NULL: as at the start, each itself. */
typedef const char *(*system_choice)(const char *path);
void system_choose(system_choice choice);

/* What the time is, for the runtime and the test alone: drivers have the system's. NULL: as at the
   start, the system's for all. */
typedef struct timespec (*system_clock)(void);
void system_choose_clock(system_clock clock);

#endif
