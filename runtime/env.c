#include "env.h"

#include <stdio.h>
#include <stdlib.h>

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

bool env_cache_folder(char *out, size_t out_size)
{
    const char *cache = variable("XDG_CACHE_HOME"), *home = variable("HOME");
    int n = -1;
    if (cache)
        n = snprintf(out, out_size, "%s/vkr", cache);
    else if (home)
        n = snprintf(out, out_size, "%s/.cache/vkr", home);
    return n > 0 && (size_t)n < out_size;
}
