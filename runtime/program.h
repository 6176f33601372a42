/* What a program is: a loaded bundle with its pipelines, layouts, constants, arena and script,
   and scratch memory for the run that is being bound. slot.h has what is bound for a run, run.h
   the run. */
#ifndef VKR_PROGRAM_H
#define VKR_PROGRAM_H

#include "device.h"
#include "door.h"
#include "script.h"

#define BATCH_LIMIT 16u /* command buffers of one submission */
#define SLOT_LIMIT 8u

/* What kernels bind: those with the same number of bindings, and of these the same as texels, and
   as many push constants, share one. */
struct layout {
    uint32_t nbindings, npushed;
    uint64_t texels; /* of the body that is taken, see bundle.h */
    VkDescriptorSetLayout set;
    VkPipelineLayout pipeline;
};

/* One descriptor set: the bindings of one or more steps with equal bindings. */
struct set_plan {
    uint32_t first_binding, nbindings;
    uint32_t layout;
    bool has_tensors; /* refers to inputs or outputs: one set per slot, else one per program */
    uint32_t index;   /* among those of its sort */
};

struct step_time {
    uint64_t runs, ticks;
};

struct vkr_program {
    struct vkr_device *device;
    void *bytes; /* the bundle */
    struct vkb_view bundle;
    uint32_t *taken; /* by kernel: which of its bodies this device runs */
    struct script script;
    /* by kernel, with guards; NULL: the bundle is trusted, and its own code is used */
    struct door_code *code;
    struct untrusted *untrusted; /* NULL: it is trusted */

    struct layout *layouts;
    uint32_t nlayouts;
    uint32_t *layout_of;        /* by kernel */
    VkPipeline *pipelines;      /* by kernel */
    struct kept_pipelines kept; /* while it is loaded */
    uint32_t npipelines;        /* as counted in the device's counters */
    struct chunk *constants, *arena;
    /* the addresses of large buffers' parts, which every command buffer writes first */
    struct chunk *parts;
    /* by buffer: the first byte of its addresses there; UINT64_MAX: it is not large */
    uint64_t *parts_at;
    uint64_t *addresses; /* scratch: the contents of `parts` */
    uint64_t parts_bytes;
    struct memory_block predicate; /* mapped word that the host steers by */
    struct texel_view *views;      /* by buffer, of arena and constants; NULL: nothing is texels */
    bool has_texels, has_update_after_bind;

    struct set_plan *sets;
    uint32_t *step_set; /* by step: its set, VKB_NONE if it is not a dispatch */
    uint32_t nsets, nfixed, ntensor_sets, nfixed_bindings, ntensor_bindings;
    VkDescriptorPool fixed_pool;
    VkDescriptorSet *fixed_sets;
    bool copies_tensors;  /* a copy names a tensor's buffer, so that rebinding means re-recording */
    bool has_counts;      /* group counts in memory */
    uint32_t ndispatches; /* in the bundle, loops counted once */

    /* The rest: *Threads*: hold the device lock. */
    /* the one run in progress, where the host steers or profiles; NULL: none */
    struct vkr_call *holder;
    pthread_cond_t turn; /* there is none any more */
    struct slot *slots[SLOT_LIMIT];
    uint32_t nslots;
    uint64_t run_tick;            /* for least recently used */
    uint64_t last_value;          /* last submission */
    struct place *places;         /* by input, then output: of the run being bound */
    struct buffer **bound;        /* the same, as buffers */
    VkWriteDescriptorSet *writes; /* scratch for the tensor sets, then the fixed ones */
    VkDescriptorBufferInfo *infos;
    VkBufferView *bound_views;          /* scratch, by binding as `infos` */
    bool *is_donated;                   /* by input: an output takes it over */
    VkCommandBuffer batch[BATCH_LIMIT]; /* scratch: segments to submit together */
    uint32_t batch_segments[BATCH_LIMIT];
    struct step_time *times; /* by step; NULL unless profiled */
};

/* Of a binding, by a layout's `texels`. */
static inline VkDescriptorType program_descriptor(uint64_t texels, uint32_t binding)
{
    return binding < VKB_MAX_TEXELS && texels >> binding & 1
               ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
               : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

/* Of the defn. */
static inline const char *program_name(const struct vkr_program *program)
{
    return vkb_text(&program->bundle, program->bundle.program->name);
}

#endif
