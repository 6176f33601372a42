/* A bundle with the shaders that the untrusted door makes of it, so that the machine can run
   them. */
#ifndef MACHINE_GUARDED_H
#define MACHINE_GUARDED_H

#include <stddef.h>

/* NULL with a line in `error` if the door refuses it. *Owns*: the caller, free. */
void *guarded_bundle(const void *bundle, size_t size, size_t *out_size, char *error,
                     size_t error_size);

#endif
