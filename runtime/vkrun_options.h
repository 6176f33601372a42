/* The command line of vkrun. */
#ifndef VKR_VKRUN_OPTIONS_H
#define VKR_VKRUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
    const char *bundle, *out, *loop;
    const char *device, *cache;
    char **inputs; /* NAME=file, in argv */
    int ninputs;
    uint64_t seed, repeat;
    double warm_up, seconds; /* 0: not given */
    bool zeros, random, wait, times, counters, json, trusted, plain, validate, info, list, profile;
};

/* Reads the command line, and moves its options to the front. *out_goes_on is false if it is wrong,
   or asks for help or the version, which are printed. *Returns* an exit code. */
int options_read(int argc, char **argv, struct options *out, bool *out_goes_on);

#endif
