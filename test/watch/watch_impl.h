/* What the files of the watch share: the records of a device's objects. */
#ifndef TEST_WATCH_IMPL_H
#define TEST_WATCH_IMPL_H

#include <pthread.h>

#include "../../runtime/device.h"
#include "hazard.h"
#include "map.h"
#include "spirv_access.h"
#include "watch.h"

/* Records begin with what decides whether they may be changed: the last submission that uses
   them. */
struct used {
    uint64_t submission;
};

struct watched_memory {
    bool is_mapped;
};

struct watched_buffer {
    struct used used;
    uint64_t serial; /* never used twice, unlike handles */
    uint64_t size;
    VkDeviceMemory memory;
};

struct watched_layout {
    uint32_t nbindings;
};

/* Serials are never used twice, unlike handles. */
struct watched_view {
    struct used used;
    uint64_t serial;
    VkDescriptorBufferInfo info;
};

struct watched_binding {
    VkDescriptorBufferInfo info; /* as the runtime asked */
    VkBufferView view;           /* of texels; else none */
    uint64_t view_serial;
};

struct watched_set {
    struct used used;
    VkDescriptorPool pool;
    uint32_t nbindings;
    struct watched_binding bindings[];
};

struct watched_pipeline {
    struct used used;
    struct spirv_access access;
    uint32_t pushed; /* bytes of push constants, as its layout says */
    uint32_t number; /* in order of creation, for messages */
};

enum op_kind { OP_BARRIER, OP_DISPATCH, OP_TRANSFER };

struct transfer {
    VkBuffer buffer;
    uint64_t first, bytes;
    uint32_t use;
};

struct op {
    enum op_kind kind;
    struct hazard_barrier barrier;
    VkPipeline pipeline;
    VkDescriptorSet set;
    /* of a copy its two sides; of a fill one; of a dispatch its group counts */
    struct transfer transfers[2];
    uint32_t ntransfers;
};

/* What a recording names; if one of them goes, the recording is void. */
struct named {
    uint64_t handle, serial;
};

struct watched_commands {
    struct used used;
    struct watch *watch;
    VkCommandPool pool;
    bool is_complete;
    struct op *ops;
    struct named *names;
    size_t nops, ops_capacity, nnames, names_capacity;
    VkPipeline pipeline; /* bound */
    uint32_t pushed;     /* bytes, since then */
    VkDescriptorSet set;
};

/* A submission that the host has not seen finish. */
struct unfinished {
    uint64_t serial;
    VkSemaphore semaphore;
    uint64_t value; /* of the semaphore */
    VkFence fence;
    VkCommandBuffer *commands; /* while it is held; else NULL */
    uint32_t count;
};

struct watch {
    struct vk real;
    struct vkr_device *owner;
    VkDevice handle;
    VkQueue queue;
    struct map memories, buffers, views, layouts, sets, modules, pipelines;
    struct map pushed; /* bytes of push constants, by pipeline layout */
    uint64_t next_serial, next_command;
    struct hazards hazards;
    uint64_t submitted, completed; /* serials */
    struct unfinished *unfinished;
    size_t nunfinished, unfinished_capacity;
    uint64_t most_unfinished;
    bool is_late, without_update_after_bind;
    uint64_t widen;
};

extern pthread_mutex_t watch_lock; /* of all that is here */

/* The watch over a device, or over that with the queue; with the lock held. */
struct watch *watch_of(VkDevice device);
struct watch *watch_of_queue(VkQueue queue);

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void watch_report(const char *format, ...);

/* Reports if a submission that may be running uses it. */
void watch_check_idle(const struct watch *w, const struct used *used, const char *what);

/* An entry point of ours. */
#define ENTRY(type) static VKAPI_ATTR type VKAPI_CALL

/* Handles are pointers or 64-bit numbers, by platform. */
#define KEY(handle) ((uint64_t)(uintptr_t)(handle))

/* watch_commands.c: takes over the entry points that record, and replays what was recorded. */
void watch_commands_hook(struct vk *vk);
void watch_commands_adopt(struct watch *w, VkCommandPool pool, VkCommandBuffer commands);
void watch_commands_replay(struct watch *w, VkCommandBuffer commands, uint64_t serial);
void watch_commands_finish(struct watch *w);

/* watch_objects.c: takes over what creates and destroys, and reports, with the lock held, what
   is left at the end. */
void watch_objects_hook(struct vk *vk, VkDevice device);
void watch_objects_finish(VkDevice device);

/* watch_queue.c: takes over the entry points that submit and wait. */
void watch_queue_hook(struct vk *vk);
void watch_queue_finish(struct watch *w);

#endif
