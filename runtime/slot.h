/* A slot: descriptor sets and recorded command buffers of a program for one tuple of bound
   tensors. A run with the same tuple resubmits them as they are. *Threads*: hold the device lock
   throughout. */
#ifndef VKR_SLOT_H
#define VKR_SLOT_H

#include "texels.h"

struct slot {
    struct place *places; /* the tuple that is bound */
    uint64_t hash;        /* of the tuple */
    bool is_bound;        /* sets and commands are for `places` */
    uint64_t last_value;  /* last submission */
    uint64_t last_tick;   /* least recently used */
    uint64_t epoch;       /* of the pool, when recorded */
    bool is_recorded;
    VkDescriptorPool pool;
    VkDescriptorSet *sets;    /* those that refer to tensors */
    struct texel_view *views; /* by buffer, of tensors; NULL: nothing is texels */
    VkCommandPool command_pool;
    /* by segment; of what is not trusted one more, which a run begins with */
    VkCommandBuffer *commands;
    VkQueryPool queries; /* two timestamps per step, where profiled */
};

/* The slot whose tuple is program->places, or NULL. It then has these places. */
struct slot *slot_find(struct vkr_program *program, uint64_t hash);
uint64_t slot_hash(const struct vkr_program *program);

/* Whether binding anew makes no Vulkan object, and records and writes little. */
bool slot_is_quick(const struct vkr_program *program);
/* A slot to bind anew: a fresh one while there are fewer than SLOT_LIMIT, else the least
   recently used idle one; *out_wait is the submission to wait for, and *out NULL, if none is
   idle. */
vkr_status slot_take(struct vkr_program *program, struct slot **out, uint64_t *out_wait,
                     vkr_error *err);

/* Binds program->places: writes descriptors, and records unless the recording may stay. */
vkr_status slot_bind(struct vkr_program *program, struct slot *slot, uint64_t hash, vkr_error *err);

void slot_destroy(struct vkr_program *program, struct slot *slot);

/* The sets that refer to arena and constants only. */
vkr_status slot_create_fixed_sets(struct vkr_program *program, vkr_error *err);

#endif
