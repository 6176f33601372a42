/* The door for bundles that this process has not compiled itself, nor read from its own private
   cache: after it, whatever the shaders compute, they touch nothing but what the program has
   bound, and the driver meets only modules like those that the compiler writes. README.md says
   where that ends. Pure: knows the bundle, not Vulkan. */
#ifndef VKR_DOOR_H
#define VKR_DOOR_H

#include "script.h"

#define DOOR_MAX_RECORDED (1u << 20) /* dispatches in all command buffers of a program together */
#define DOOR_MAX_INVOCATIONS ((uint64_t)1 << 35) /* of one command buffer, which cannot be ended */
#define DOOR_MAX_SUBMITS (1u << 22) /* of a run, each round of a `while` counted once */
#define DOOR_MAX_BINDINGS 256u      /* of one kernel */

#define DOOR_EMPTY_BYTES \
    32u /* bound for a tensor that has none, so that there is an element of any type */

/* The code of a kernel as it is given to the driver. */
struct door_code {
    uint32_t *words;
    uint32_t count;
};

/* Bytes that an untrusted program's descriptors have of a buffer. */
uint64_t door_bytes(const struct vkb_view *bundle, uint32_t buffer);

/* Whether an untrusted bundle may have the body run. Matrix units take whole matrices out of an
   array, which no guard bounds. */
bool door_admits(const struct vkb_body *body);

/* Checks a bundle that bundle_open has accepted, with all of its kernels' bodies that it admits,
   and puts guards into those that are taken (`taken`: by kernel, which). *out has an element for
   each kernel. VKR_INVALID_BUNDLE with the kernel, the word and the rule. *Owns*: the caller,
   door_finish. */
vkr_status door_check(const struct vkb_view *bundle, const struct script *script,
                      const uint32_t *taken, struct door_code **out, vkr_error *err);
void door_finish(struct door_code *code, uint32_t nkernels);

#endif
