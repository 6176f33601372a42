/* What the parts of vkrun share: exit codes, and printing that needs no program. */
#ifndef VKR_VKRUN_H
#define VKR_VKRUN_H

#include "vkr.h"

enum exit_code { EXIT_DONE, EXIT_INPUT, EXIT_USAGE, EXIT_UNSUPPORTED, EXIT_INTERNAL };

struct file {
    void *bytes;
    size_t size;
};

/* Prints "vkrun: what: message" to stderr. *Returns* `code`. */
int complain(int code, const char *what, const char *message);
/* complain with the exit code that a status means. */
int complain_status(vkr_status status, const vkr_error *err);

/* "f32[64,10]" */
void print_shape(const char *type, uint32_t rank, const uint64_t *dims);

/* These print to stdout and *return* an exit code. */
int list_devices(bool json);
int print_profile(const vkr_device_info *info);
/* Signature and plan of a bundle. */
int print_info(const struct file *bundle);

#endif
