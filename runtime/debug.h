/* $VKR_DEBUG: a comma-separated list of words that say what the runtime should show of its work. */
#ifndef VKR_DEBUG_H
#define VKR_DEBUG_H

#include "error.h"

struct debug {
    bool help, trace, time, validate, sync, labels;
};

/* `text` may be NULL. VKR_INVALID_ARGUMENT, with the words that there are, for any other. */
vkr_status debug_parse(const char *text, struct debug *out, vkr_error *err);

/* One word with its meaning a line. *Returns* false past the last. */
bool debug_help(size_t index, const char **out_word, const char **out_help);

#endif
