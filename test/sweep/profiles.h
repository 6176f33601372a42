/* The shipped profiles, cut down to what the device at hand can run. */
#ifndef SWEEP_PROFILES_H
#define SWEEP_PROFILES_H

#include "vkc.h"

enum { MOST_PROFILES = 16 };

struct profiles {
    struct vkc_target target[MOST_PROFILES];
    uint32_t count;
};

/* Each shipped profile with the features and limits that the device has, too; last the device
   itself, where no shipped profile is that. */
void profiles_for(const struct vkc_target *device, struct profiles *out);
/* `count` when there is none. */
uint32_t profiles_find(const struct profiles *p, const char *name);

#endif
