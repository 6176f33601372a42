/* Stands between the runtime and the C library, by the linker's --wrap: libraries that are not
   there, and files of the system with other contents. */
#ifndef TEST_SYSTEM_H
#define TEST_SYSTEM_H

#include <stdbool.h>

/* Every dlopen of the runtime fails; *names counts what was asked for. */
void system_hide_libraries(unsigned *names);

/* Which file is opened in place of this one. NULL: as at the start, each itself. */
typedef const char *(*system_choice)(const char *path);
void system_choose(system_choice choice);

#endif
