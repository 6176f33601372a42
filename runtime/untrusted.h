/* What untrusted programs get in addition to guarded shaders (door.h): memory that was never
   written is 0, and group counts in memory are at most what their steps say. *Threads*: hold the
   device lock, but for creating. */
#ifndef VKR_UNTRUSTED_H
#define VKR_UNTRUSTED_H

#include "place.h"

/* Steps whose counts are in the same buffer: their places are consecutive. */
struct counts_group {
    uint32_t buffer;
    uint32_t first, count;
};

struct untrusted {
    struct chunk *zeros; /* CHUNK_ALIGN bytes */
    struct chunk *safe;  /* four words a place, the first three are its counts */
    struct chunk *most;  /* the most of each, and the word of its buffer where they are */
    uint32_t *place;     /* by step: of its counts */
    bool *writes_counts; /* by step */
    struct counts_group *groups;
    uint32_t ngroups, nplaces;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* by group */
};

/* Pipeline and plan; fills the arena with 0. *Owns*: untrusted_destroy, which accepts NULL and
   what is half made. */
vkr_status untrusted_create(struct vkr_program *program, vkr_error *err);
void untrusted_destroy(struct vkr_program *program);

/* Records what a run begins with: outputs that no input was donated for become 0, and of the
   last word of each input what is behind its end. */
vkr_status untrusted_record_begin(struct vkr_program *program, const struct place *places,
                                  VkCommandBuffer commands, vkr_error *err);
/* Bounds all counts; what follows sees them, and all that was before. */
void untrusted_record_counts(struct vkr_program *program, VkCommandBuffer commands);
/* A dispatch with counts in memory, which were bounded since they were written. */
void untrusted_record_dispatch(struct vkr_program *program, uint32_t step,
                               VkCommandBuffer commands);

#endif
