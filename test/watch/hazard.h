/* Whether accesses to memory are ordered by barriers as Vulkan demands, whatever the device at hand
   does: knows accesses and barriers, nothing of the calls that make them.

   Every access stays in the list until barriers have ordered it before whatever may come. A new
   access is compared with those in the list that overlap it: after a read, a write needs an
   execution dependency; after a write, any access needs a memory dependency to its own stage and
   kind. Neither the border of a command buffer nor that of a submission orders anything. */
#ifndef TEST_WATCH_HAZARD_H
#define TEST_WATCH_HAZARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stage, and what it does. */
enum hazard_use {
    USE_SHADER_READ = 1,
    USE_SHADER_WRITE = 2,
    USE_TRANSFER_READ = 4,
    USE_TRANSFER_WRITE = 8,
    USE_INDIRECT_READ = 16,
    USE_HOST_READ = 32,
    USE_WRITES = USE_SHADER_WRITE | USE_TRANSFER_WRITE,
    USE_DEVICE = 31,
};

enum hazard_stage {
    STAGE_SHADER = 1,
    STAGE_TRANSFER = 2,
    STAGE_INDIRECT = 4,
    STAGE_HOST = 8,
    STAGE_WRITES = 3, /* those that write */
    STAGE_DEVICE = 7
};

struct hazard_access {
    uint64_t memory;     /* what it lies in */
    uint64_t first, end; /* bytes */
    uint32_t use;        /* one hazard_use */
    uint64_t command;    /* number of the dispatch or copy; one does not conflict with itself */
    bool is_mapped;      /* the host sees the memory */
    const char *what;    /* for messages; must outlive the list */
    uint32_t ordered;    /* hazard_stage bits: what runs there, runs later */
    uint32_t visible;    /* of a write, hazard_use bits: they see it */
};

struct hazard_barrier {
    uint32_t from_stages, from_uses, to_stages, to_uses;
};

struct hazards {
    struct hazard_access *open;
    size_t count, capacity;
};

/* Adds an access. *Returns* true if nothing is wrong; else *out_before is the one that it
   collides with. */
bool hazards_access(struct hazards *h, struct hazard_access access,
                    struct hazard_access *out_before);

void hazards_barrier(struct hazards *h, const struct hazard_barrier *barrier);

/* Once the host may look: a write to mapped memory that it would not see, in *out; false if
   there is none. Such a write is named once. */
bool hazards_unseen(struct hazards *h, struct hazard_access *out);

/* The memory is gone. */
void hazards_forget(struct hazards *h, uint64_t memory);

void hazards_finish(struct hazards *h);

#endif
