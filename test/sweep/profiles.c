#include "profiles.h"

#include <stdio.h>
#include <string.h>

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* A driver that stops long loops stops them whatever they were compiled for. Only the profile of
   CPU drivers says so: cases have no loop of unknown length, and a GPU's schedule has none that
   is long. */
static void clip(struct vkc_target *t, const struct vkc_target *device)
{
    t->features &= device->features;
    t->max_invocations = least(t->max_invocations, device->max_invocations);
    t->max_shared_bytes = least(t->max_shared_bytes, device->max_shared_bytes);
    t->max_bindings = least(t->max_bindings, device->max_bindings);
    for (int i = 0; i < 3; i++)
        t->max_groups[i] = least(t->max_groups[i], device->max_groups[i]);
    if (t->max_binding_bytes > device->max_binding_bytes)
        t->max_binding_bytes = device->max_binding_bytes;
}

void profiles_for(const struct vkc_target *device, struct profiles *out)
{
    *out = (struct profiles){0};
    for (const struct vkc_profile *p = vkc_profiles; p->name && out->count < MOST_PROFILES - 1;
         p++) {
        struct vkc_target *t = &out->target[out->count++];
        vkc_target_named(p->name, t);
        clip(t, device);
    }
    if (device->cpu)
        return; /* that is lavapipe */
    out->target[out->count] = *device;
    snprintf(out->target[out->count++].name, sizeof device->name, "device");
}

uint32_t profiles_find(const struct profiles *p, const char *name)
{
    uint32_t i = 0;
    while (i < p->count && strcmp(p->target[i].name, name) != 0)
        i++;
    return i;
}
