#include "loader.h"

#include <string.h>

static PFN_vkGetInstanceProcAddr loader_entry;
static loader_choice chosen;

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

void loader_choose(loader_choice choice)
{
    chosen = choice;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction real = loader_entry(instance, name);
    return chosen ? chosen(name, real) : real;
}

void *__wrap_dlsym(void *library, const char *name)
{
    void *symbol = __real_dlsym(library, name);
    if (!symbol || strcmp(name, "vkGetInstanceProcAddr"))
        return symbol;
    PFN_vkGetInstanceProcAddr ours = find;
    memcpy(&loader_entry, &symbol, sizeof symbol);
    memcpy(&symbol, &ours, sizeof symbol);
    return symbol;
}
