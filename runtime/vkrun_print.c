#include "vkrun_print.h"

#include <inttypes.h>
#include <stdio.h>

int complain(int code, const char *what, const char *message)
{
    fprintf(stderr, "vkrun: %s%s%s\n", what, *what ? ": " : "", message);
    return code;
}

int complain_status(vkr_status status, const vkr_error *err)
{
    bool is_internal = status == VKR_INTERNAL || status == VKR_DEVICE_LOST || status == VKR_TIMEOUT;
    bool is_unsupported =
        status == VKR_UNSUPPORTED || status == VKR_NO_DEVICE || status == VKR_OUT_OF_DEVICE_MEMORY;
    return complain(is_internal      ? EXIT_INTERNAL
                    : is_unsupported ? EXIT_UNSUPPORTED
                                     : EXIT_INPUT,
                    vkr_status_name(status), err->message);
}

void shape_text(const char *type, uint32_t rank, const uint64_t *dims, char out[SHAPE_TEXT])
{
    int n = snprintf(out, SHAPE_TEXT, "%.16s[", type);
    for (uint32_t i = 0; i < rank && i < 16; i++)
        n += snprintf(out + n, SHAPE_TEXT - (size_t)n, i ? ",%" PRIu64 : "%" PRIu64, dims[i]);
    snprintf(out + n, SHAPE_TEXT - (size_t)n, "]");
}

void print_shape(const char *type, uint32_t rank, const uint64_t *dims)
{
    char text[SHAPE_TEXT];
    shape_text(type, rank, dims, text);
    fputs(text, stdout);
}
