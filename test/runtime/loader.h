/* Stands between the runtime and the Vulkan loader, by the linker's --wrap: a test puts
   functions of its own in the place of global and instance entry points, before a device is
   opened. */
#ifndef TEST_LOADER_H
#define TEST_LOADER_H

#include "../../runtime/vk.h"

/* What the runtime gets for an entry point; `real` is the loader's. */
typedef PFN_vkVoidFunction (*loader_choice)(const char *name, PFN_vkVoidFunction real);

/* NULL: the loader's own, as at the start. */
void loader_choose(loader_choice choice);

#endif
