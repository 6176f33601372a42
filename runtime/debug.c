#include "debug.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word, *help;
    size_t at; /* in struct debug */
} words[] = {
#define ROW(word, help)                           \
    {                                             \
#word, help, offsetof(struct debug, word) \
    }
    ROW(help, "list these words"),
    ROW(trace, "a line for every program that is loaded, run or unloaded, with what it took"),
    ROW(time,
        "time every kernel, and list them when a program is unloaded; runs wait for each other"),
    ROW(validate, "Khronos validation with synchronization validation"),
    ROW(sync,
        "submit step by step and wait for each, so that an error names the kernel; with trace, a line for each"),
    ROW(labels,
        "kernels and buffers carry the plan's names, for RenderDoc and Nsight (validate does so, too)"),
#undef ROW
};

bool debug_help(size_t index, const char **out_word, const char **out_help)
{
    if (index >= sizeof words / sizeof *words)
        return false;
    *out_word = words[index].word;
    *out_help = words[index].help;
    return true;
}

static bool set(struct debug *debug, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0) {
            *(bool *)((char *)debug + words[i].at) = true;
            return true;
        }
    }
    return false;
}

vkr_status debug_parse(const char *text, struct debug *out, vkr_error *err)
{
    char known[128] = "";
    memset(out, 0, sizeof *out);
    while (text && *text) {
        size_t length = strcspn(text, ",");
        if (length && !set(out, text, length)) {
            for (size_t i = 0, n = 0; i < sizeof words / sizeof *words; i++)
                n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
                                      words[i].word);
            return error_set(err, VKR_INVALID_ARGUMENT,
                             "VKR_DEBUG: unknown word '%.*s'; the words are %s",
                             (int)(length < 64 ? length : 64), text, known);
        }
        text += length + (text[length] == ',');
    }
    return VKR_OK;
}
