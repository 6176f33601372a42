#include "env.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

const char *env_device(void)
{
    return variable("VKR_DEVICE");
}

const char *env_debug(void)
{
    return variable("VKR_DEBUG");
}

bool env_memory_budget(uint64_t *out, const char **out_text)
{
    static const char units[] = "KMG";
    const char *text = variable("VKR_MEMORY_BUDGET"), *unit;
    char *end;
    *out = 0;
    *out_text = text;
    if (!text)
        return true;
    unsigned long long n = strtoull(text, &end, 10);
    uint32_t shift = *end && (unit = strchr(units, toupper((unsigned char)*end)))
                         ? 10 * (uint32_t)(unit - units + 1)
                         : 0;
    if (!isdigit((unsigned char)text[0]) || !n || (*end && (!shift || end[1])) ||
        n > UINT64_MAX >> shift)
        return false;
    *out = n << shift;
    return true;
}

bool env_cache_folder(char *out, size_t out_size)
{
    const char *cache = variable("XDG_CACHE_HOME"), *home = variable("HOME");
    int n = -1;
    /* a relative one would be a folder of wherever the process happens to stand */
    if (cache && cache[0] == '/')
        n = snprintf(out, out_size, "%s/vkr", cache);
    else if (home && home[0] == '/')
        n = snprintf(out, out_size, "%s/.cache/vkr", home);
    return n > 0 && (size_t)n < out_size;
}
