/* What the command line tool does beyond compiling. Nothing here prints: texts go to the report. */
#ifndef VKC_MAIN_H
#define VKC_MAIN_H

#include "runtime/vkr.h"
#include "vkc.h"

struct tool_input {
    const void *graph;
    size_t graph_size;
    const void *sidecar;
    size_t sidecar_size;
    const struct vkc_options *options;
};

struct tool_report {
    char text[4096];        /* whole lines */
    struct vkc_error error; /* code 0: text says what is wrong */
};

/* Interprets the graph before and after the passes on random inputs and compares. */
bool tool_check(const struct tool_input *in, uint64_t seed, struct tool_report *out);
/* Interprets the graph on the files of a folder. */
bool tool_interp(const struct tool_input *in, const char *folder, struct tool_report *out);

/* The profile of a device. */
void target_of_device(const vkr_device_info *info, struct vkc_target *out);
/* The profile of the device that libvkr would take. False with a message. */
bool host_target(struct vkc_target *out, char *error, size_t error_size);

/* From now on SIGINT and SIGTERM are noted, the first time. */
void signals_note(void);
/* Whether one was: `is_cancelled` of vkc_options. */
bool signals_is_noted(void *context);
/* Ends the process by the signal that was noted, if there is one, so that a shell knows. */
void signals_end(void);

#endif
